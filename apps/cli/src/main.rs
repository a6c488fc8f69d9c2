//! The `proscenium` command: scenes in, animations and pictures out.
//!
//! One module per verb; what they share is how they take arguments
//! (`arguments`), speak (`console`), fail (`failure`), show progress and stop
//! (`progress`), and write files (`output`).
//!
//! Deliberately absent: physics, drawing and parsing of scenes. The command
//! asks the libraries, and says what they answered.

mod arguments;
mod console;
mod failure;
mod output;
mod progress;
mod render;
mod text;
mod verbs;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Verb};
use console::Console;
use failure::Failure;

/// How a verb ended, if it did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VerbEnding {
    /// With everything that was asked for.
    Complete,
    /// With less than was asked for; what there is was written, and why was
    /// said.
    Short,
    /// With what there was when Ctrl-C was pressed.
    Interrupted,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return failure::report_usage(&error),
    };
    let console = Console::new(arguments.common.quiet, arguments.common.json);
    match run(arguments, console) {
        Ok(VerbEnding::Complete) => ExitCode::SUCCESS,
        Ok(VerbEnding::Short) => ExitCode::FAILURE,
        Ok(VerbEnding::Interrupted) => ExitCode::from(progress::INTERRUPTED),
        Err(failure) => failure.report(console),
    }
}

fn run(arguments: Arguments, console: Console) -> Result<VerbEnding, Failure> {
    let Arguments { common, verb } = arguments;
    if let Some(threads) = common.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
        pool.build_global().map_err(|source| Failure::Threads { threads, source })?;
    }
    match verb {
        Verb::New(options) => verbs::new::run(&options, console)?,
        Verb::Check(options) => verbs::check::run(&options, common.seed, console)?,
        Verb::Scenes(options) => verbs::scenes::run(&options, console)?,
        Verb::Simulate(options) => return verbs::simulate::run(&options, common.seed, console),
        Verb::Direct(options) => return verbs::direct::run(&options, common.seed, console),
        Verb::Gallery(options) => return verbs::gallery::run(&options, console),
        Verb::Cull(options) => return verbs::cull::run(&options, common.seed, console),
        Verb::City(options) => return verbs::city::run(&options, common.seed, console),
        Verb::Lod(options) => return verbs::lod::run(&options, common.seed, console),
        Verb::Ensemble(options) => return verbs::ensemble::run(&options, common.seed, console),
        Verb::Completions(options) => verbs::completions::run(&options, console)?,
        Verb::Schema => verbs::schema::run(console)?,
    }
    Ok(VerbEnding::Complete)
}
