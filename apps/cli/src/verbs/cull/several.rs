//! Several systems in one file: each is compiled by itself, and all are written into one
//! file.

use std::path::{Path, PathBuf};
use std::time::Instant;

use proscenium_chance::Seed;
use proscenium_cull::{Assembly, CompileSettings, CompiledAssembly, Model};
use proscenium_show::cull::report;
use proscenium_work::Completion;
use serde::Serialize;

use super::{Written, mesh_beside};
use crate::VerbEnding;
use crate::arguments::Cull;
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Bar, Interrupt};
use crate::text::{bytes, columns, seconds};

/// What compiling came to.
#[derive(Serialize)]
struct Summary {
    model: String,
    systems: Vec<SystemSummary>,
    compile_s: f64,
    written: Vec<Written>,
}

#[derive(Serialize)]
struct SystemSummary {
    system: String,
    period_s: Option<f64>,
    medium_s: Option<f64>,
    long_s: Option<f64>,
    verdict: String,
}

pub(super) fn run(
    (path, text): (&Path, &str),
    options: &Cull,
    seed: u64,
    console: Console,
    interrupt: &Interrupt,
) -> Result<VerbEnding, Failure> {
    let assembly = Assembly::parse(&path.display().to_string(), text).map_err(Failure::Model)?;
    if !options.modules.is_empty() {
        return Err(Failure::SeveralSystems { path: path.to_path_buf() });
    }
    let assembly = assembly.with_meshes(mesh_beside(path))?;
    let settings = |model: &Model| match options.quick {
        true => model.settings().with_effort_of(&CompileSettings::quick()),
        false => model.settings().clone(),
    };
    let start = Instant::now();
    let bar = Bar::new(console, "compiling", interrupt);
    let compiled = CompiledAssembly::compile(assembly, settings, Seed(seed), bar.progress()).map_err(Failure::Cull)?;
    drop(bar);
    let Completion::Finished(compiled) = compiled else {
        console.remark("nothing was learned yet, so nothing was written");
        return Ok(VerbEnding::Interrupted);
    };
    let summary = Summary::new(&compiled, &options.output, start.elapsed().as_secs_f64())?;
    console.report(|| summary.text(), &summary)?;
    let mut ending = VerbEnding::Complete;
    for system in compiled.systems() {
        if let (Err(reason), true) = (system.is_strictly_right(), options.strict) {
            console.remark(&format!("not right to the letter: {}: {reason}", system.model().name()));
            ending = VerbEnding::Short;
        }
    }
    Ok(ending)
}

impl Summary {
    fn new(compiled: &CompiledAssembly, path: &Path, compile_s: f64) -> Result<Self, Failure> {
        let mut written = Vec::new();
        let mut write = |path: &Path, content: &[u8]| -> Result<(), Failure> {
            output::write(path, content)?;
            written.push(Written { path: path.display().to_string(), bytes: content.len() });
            Ok(())
        };
        write(path, &compiled.to_bytes())?;
        let mut systems = Vec::new();
        for (index, system) in compiled.systems().enumerate() {
            let (model, learned) = (system.model(), system.learned());
            write(&page_of(path, index + 1), report(system, &[])?.as_bytes())?;
            systems.push(SystemSummary {
                system: model.name().to_owned(),
                period_s: learned.period(),
                medium_s: learned.medium().filter(|medium| medium.is_finite()),
                long_s: learned.long(),
                verdict: system.verdict(),
            });
        }
        Ok(Self { model: compiled.name().to_owned(), systems, compile_s, written })
    }

    fn text(&self) -> String {
        let rows: Vec<Vec<String>> =
            self.systems.iter().map(|one| vec![one.system.clone(), one.verdict.clone()]).collect();
        let files: Vec<String> =
            self.written.iter().map(|file| format!("{} ({})", file.path, bytes(file.bytes as u64))).collect();
        format!("{}  wrote {}     {}\n", columns(&rows), files.join(", "), seconds(self.compile_s))
    }
}

/// The page about one of the systems, by its number: a name may be none that a file can have.
fn page_of(output: &Path, number: usize) -> PathBuf {
    let stem = output.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    output.with_file_name(format!("{stem}-{number}.html"))
}
