//! What can go wrong, and how it is told.

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term::termcolor::{ColorChoice, StandardStream};
use codespan_reporting::term::{self, Config};
use proscenium_city::CityError;
use proscenium_city::generate::RecipeError;
use proscenium_city::import::ImportError as MapImportError;
use proscenium_city::map::MapError;
use proscenium_city::sight::{DriveError, SightError};
use proscenium_clip::ClipError;
use proscenium_cull::recorded::RecordingError;
use proscenium_cull::{CullError, ModelErrors};
use proscenium_director::DirectorError;
use proscenium_ensemble::import::ImportError;
use proscenium_ensemble::{BuildError, EnsembleError};
use proscenium_gallery::GalleryError;
use proscenium_lod::LodError;
use proscenium_picture::PictureError;
use proscenium_scenes::{SceneError, SceneErrors};
use proscenium_study::StudyError;
use proscenium_work::Remedy;
use serde::Serialize;

use crate::console::{Console, complain, is_colourful};

/// More errors than this are counted, not shown.
const MOST_SHOWN: usize = 20;

/// A line longer than this (bytes) is not worth showing.
const LONGEST_LINE: usize = 300;

/// Why the command could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("{0}")]
    Scene(#[from] SceneErrors),
    #[error("{0}")]
    Model(ModelErrors),
    #[error("{0}")]
    Cull(CullError),
    #[error("{} has several systems, and a module is made of one", path.display())]
    SeveralSystems { path: PathBuf },
    #[error("{0}")]
    Recipe(#[from] RecipeError),
    #[error("{0}")]
    City(CityError),
    #[error("{0}")]
    Drive(#[from] DriveError),
    #[error("{0}")]
    Sight(#[from] SightError),
    #[error("{}: {source}", path.display())]
    ImportMap { path: PathBuf, source: MapImportError },
    #[error("{}: {source}", path.display())]
    Map { path: PathBuf, source: MapError },
    #[error("the city has {roads} roads: at most {most} fit in one .glb")]
    TooManyRoads { roads: usize, most: usize },
    #[error("{0}")]
    Director(DirectorError),
    #[error("{0}")]
    Lod(#[from] LodError),
    #[error("{0}")]
    Study(#[from] StudyError),
    #[error("{0}")]
    Ensemble(#[from] EnsembleError),
    #[error("{0}")]
    Build(#[from] BuildError),
    #[error("{0}")]
    Import(#[from] ImportError),
    #[error("{}: {source}", path.display())]
    Data { path: PathBuf, source: ImportError },
    #[error("{} is no vertex cache by its ending", path.display())]
    NoCache { path: PathBuf },
    #[error("{} cannot be written by its ending", path.display())]
    NoExport { path: PathBuf },
    #[error("{} holds a motion graph by its ending, and a walk is one motion", path.display())]
    NoWalk { path: PathBuf },
    #[error("a field cannot be written to {} by its ending", path.display())]
    NoField { path: PathBuf },
    #[error("there is no sample {number}: the gallery has {count}")]
    NoSample { number: usize, count: usize },
    #[error("there is no animation {name} in {}", folder.display())]
    NoAnimation { folder: PathBuf, name: String },
    #[error("animations of two runs have no children")]
    OtherFolders,
    #[error("one animation has nothing between it and itself")]
    OneParent,
    #[error("the traces cannot be written: {0}")]
    Traces(serde_json::Error),
    #[error("{} cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} exists already", path.display())]
    Exists { path: PathBuf },
    #[error("{} cannot be the name of a scene", path.display())]
    SceneName { path: PathBuf },
    #[error("{} is a folder, not a file", path.display())]
    IsFolder { path: PathBuf },
    #[error("{} is to be written twice", path.display())]
    Twice { path: PathBuf },
    #[error("the folder {} does not exist", folder.display())]
    NoFolder { folder: PathBuf },
    #[error("{} cannot be written: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("there is no picture at {at} s: the animation ends at {end} s")]
    AfterTheEnd { at: f64, end: f64 },
    #[error("the animation cannot be written: {0}")]
    Clip(#[from] ClipError),
    #[error("{}: {source}", path.display())]
    Animation { path: PathBuf, source: ClipError },
    #[error("{}: {source}", path.display())]
    Recording { path: PathBuf, source: RecordingError },
    #[error("{} is no recording by its ending", path.display())]
    NoRecording { path: PathBuf },
    #[error("{}: there is no animated node \"{name}\"", path.display())]
    NoNode { path: PathBuf, name: String, known: String },
    #[error("{}: node \"{node}\" turns all around, and about no fixed axis", path.display())]
    Tumbling { path: PathBuf, node: String },
    #[error("{} has other channels than the files before it", path.display())]
    OtherChannels { path: PathBuf },
    #[error("the picture cannot be drawn: {0}")]
    Picture(#[from] PictureError),
    #[error("{threads} threads cannot be started: {source}")]
    Threads { threads: u16, source: rayon::ThreadPoolBuildError },
    #[error("Ctrl-C cannot be watched for: {0}")]
    Interrupts(#[from] ctrlc::Error),
    #[error("standard output cannot be written: {0}")]
    StandardOutput(io::Error),
}

impl From<DirectorError> for Failure {
    fn from(error: DirectorError) -> Self {
        match error {
            DirectorError::Scene(errors) => Failure::Scene(errors),
            other => Failure::Director(other),
        }
    }
}

impl From<GalleryError> for Failure {
    fn from(error: GalleryError) -> Self {
        Failure::Director(error.into())
    }
}

impl Remedy for Failure {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Failure::Scene(errors) => return errors.remedy(),
            Failure::Model(errors) => return errors.remedy(),
            Failure::Cull(error) => return error.remedy(),
            Failure::SeveralSystems { .. } => {
                "write each system into a file of its own for that; what they read from each other the page has to tell"
                    .into()
            }
            Failure::Recipe(error) => return error.remedy(),
            Failure::City(error) => return error.remedy(),
            Failure::Drive(error) => return error.remedy(),
            Failure::Sight(error) => return error.remedy(),
            Failure::ImportMap { source, .. } => return source.remedy(),
            Failure::Map { source, .. } => return source.remedy(),
            Failure::Director(error) => return error.remedy(),
            Failure::Lod(error) => return error.remedy(),
            Failure::Study(error) => return error.remedy(),
            Failure::Ensemble(error) => return error.remedy(),
            Failure::Build(error) => return error.remedy(),
            Failure::Import(error) | Failure::Data { source: error, .. } => return error.remedy(),
            Failure::Clip(error) => return error.remedy(),
            Failure::Animation { source, .. } => return source.remedy(),
            Failure::Recording { source, .. } => return source.remedy(),
            Failure::Picture(error) => return error.remedy(),
            Failure::Traces(_) | Failure::Interrupts(_) | Failure::StandardOutput(_) => return None,
            Failure::TooManyRoads { .. } => "show a part of it: --at X,Z --around METRES".into(),
            Failure::NoCache { .. } => "give a .pc2, .mdd or .glb file, as --cache LEVEL=FILE".into(),
            Failure::NoExport { .. } => {
                "use .glb, .pc2, .mdd, .usda, .usdc, .exr or .png; .pmg or .html for players".into()
            }
            Failure::NoWalk { .. } => "write it with proscenium ensemble export GRAPH -o FILE".into(),
            Failure::NoField { .. } => "use .png or .glb for a moment, .csv or .json for where clumps stand".into(),
            Failure::NoRecording { .. } => "give a .csv or a .glb file".into(),
            Failure::NoNode { known, .. } => format!("those that move are {known}").into(),
            Failure::Tumbling { .. } => "choose others with --node, or record what is seen of it as a .csv".into(),
            Failure::OtherChannels { .. } => "give takes of the same channels, in the same order".into(),
            Failure::NoAnimation { folder, .. } => format!(
                "name one that a run has written there, such as {}; older runs list theirs when they go on: \
                 proscenium direct --resume {}",
                folder.join("01").display(),
                folder.display()
            )
            .into(),
            Failure::OtherFolders => "breed those of one folder".into(),
            Failure::OneParent => "name two or more, such as rolls/03,rolls/07; or ask for more --like one".into(),
            Failure::NoSample { .. } => "list them: proscenium gallery DIR".into(),
            Failure::Read { .. } => "check the name and the permissions".into(),
            Failure::Exists { .. } => "choose another name, or replace the file with --force".into(),
            Failure::SceneName { .. } => "give it a name such as table; the file will be table.toml".into(),
            Failure::IsFolder { path } => {
                format!("name a file in it, such as {}", path.join("out.glb").display()).into()
            }
            Failure::Twice { .. } => "give each -o another name".into(),
            Failure::NoFolder { folder } => format!("create it: mkdir -p {}", folder.display()).into(),
            Failure::Write { .. } => "check the permissions and the space that is left, or write elsewhere".into(),
            Failure::AfterTheEnd { .. } => "choose an earlier --at, or a longer --duration".into(),
            Failure::Threads { .. } => "ask for fewer with --threads, or leave it out".into(),
        })
    }
}

impl Failure {
    /// Tells the user, and says how the process should end.
    pub fn report(&self, console: Console) -> ExitCode {
        let (errors, text) = match self {
            Failure::Scene(errors) => {
                (errors.errors.clone(), errors.source.as_ref().map(|source| source.text.as_str()))
            }
            Failure::Model(errors) => (errors.errors.clone(), Some(errors.text.as_str())),
            other => {
                let help = other.remedy().map(Cow::into_owned);
                (vec![SceneError { message: other.to_string(), place: None, help }], None)
            }
        };
        let text = text.map_or_else(String::new, harmless);
        for error in errors.iter().take(MOST_SHOWN) {
            show(error, &text);
        }
        if let Some(more) = errors.len().checked_sub(MOST_SHOWN).filter(|more| *more > 0) {
            complain(&format!("… and {more} more"));
        }
        if console.is_json() {
            print_json(console, &errors);
        }
        ExitCode::FAILURE
    }
}

/// Tells the user how the command is used, or what was wrong with its use.
pub fn report_usage(error: &clap::Error) -> ExitCode {
    // Help goes to standard output, a misuse to standard error; clap knows.
    // A pipe that nobody reads any more is no reason to fail.
    let _ = error.print();
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        let rendered = error.render().to_string();
        let message = rendered.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let help = Some("see: proscenium --help".to_owned());
        print_json(Console::new(true, true), &[SceneError { message, place: None, help }]);
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Shows one error, with its place in the file if it has one.
fn show(error: &SceneError, text: &str) {
    let mut diagnostic = Diagnostic::error().with_message(harmless(&error.message));
    let place = error.place.as_ref();
    let file = SimpleFile::new(place.map_or_else(String::new, |place| harmless(&place.file)), text);
    if let Some(place) = place {
        match showable(text, &place.span) {
            Some(span) => {
                diagnostic = diagnostic.with_label(Label::primary((), span).with_message(harmless(&place.label)));
            }
            None => {
                let label = if place.label.is_empty() { String::new() } else { format!(", {}", place.label) };
                let note = format!("at {}:{}:{}{label}", place.file, place.line, place.column);
                diagnostic = diagnostic.with_note(harmless(&note));
            }
        }
    }
    if let Some(help) = &error.help {
        diagnostic = diagnostic.with_note(format!("help: {}", harmless(help)));
    }
    let choice = if is_colourful(&io::stderr()) { ColorChoice::Always } else { ColorChoice::Never };
    let mut stream = StandardStream::stderr(choice);
    // If standard error is gone there is nobody to tell; the exit code remains.
    let _ = term::emit_to_write_style(&mut stream, &Config::default(), &file, &diagnostic);
}

/// A text without the characters that a terminal obeys instead of showing,
/// each replaced by one of as many bytes, so that places stay where they are.
fn harmless(text: &str) -> String {
    let obeyed = |character: char| {
        let turns_text = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns_text || character.is_control() && !matches!(character, '\n' | '\t')
    };
    let stand_in = |character: char| match character.len_utf8() {
        1 => '?',
        2 => '¿',
        _ => '\u{fffd}',
    };
    let text = text.replace("\r\n", " \n");
    text.chars().map(|character| if obeyed(character) { stand_in(character) } else { character }).collect()
}

/// The part of a span that can be shown: within the text, on one line that
/// is not endless.
fn showable(text: &str, span: &std::ops::Range<usize>) -> Option<std::ops::Range<usize>> {
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.ceil_char_boundary(span.end.clamp(start, text.len()));
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    (!text.is_empty() && line_end - line_start <= LONGEST_LINE).then(|| start..end.min(line_end))
}

/// An error, as scripts see it.
#[derive(Serialize)]
struct ErrorJson<'a> {
    message: &'a str,
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    key: Option<&'a str>,
    help: Option<&'a str>,
}

impl<'a> ErrorJson<'a> {
    fn new(error: &'a SceneError) -> Self {
        let place = error.place.as_ref();
        Self {
            message: &error.message,
            file: place.map(|place| place.file.as_str()),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            key: place.map(|place| place.key.as_str()),
            help: error.help.as_deref(),
        }
    }
}

/// The first error under `error`, for simple scripts; all of them under
/// `errors`.
#[derive(Serialize)]
struct ErrorsJson<'a> {
    error: Option<ErrorJson<'a>>,
    errors: Vec<ErrorJson<'a>>,
}

fn print_json(console: Console, errors: &[SceneError]) {
    let json =
        ErrorsJson { error: errors.first().map(ErrorJson::new), errors: errors.iter().map(ErrorJson::new).collect() };
    // The errors were told on standard error already.
    let _ = console.report(String::new, json);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_not_given_orders() {
        let text = "a\u{1b}[31m\t\u{85}\u{202e}é\r\n\r.";
        assert_eq!(harmless(text), "a?[31m\t¿\u{fffd}é \n?.");
        assert_eq!(harmless(text).len(), text.len());
    }

    #[test]
    fn only_what_fits_a_line_is_shown() {
        let text = "a = 1\nname = \"ä\"\nlast";
        assert_eq!(showable(text, &(6..10)), Some(6..10));
        assert_eq!(showable(text, &(0..9)), Some(0..5), "cut at the end of its first line");
        assert_eq!(showable(text, &(15..15)), Some(14..16), "never inside a character");
        assert_eq!(showable(text, &(500..600)), Some(text.len()..text.len()));
        assert_eq!(showable("", &(0..1)), None);
        assert_eq!(showable(&"x".repeat(LONGEST_LINE + 1), &(0..1)), None);
    }
}
