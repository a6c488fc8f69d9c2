//! Experiments, and how one is run.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use proscenium_chance::Seed;
use proscenium_work::{Progress, Stop};

use crate::error::{Halt, LabError};
use crate::results::{Results, Row};
use crate::telling::Teller;

/// An experiment of a paper, or a measurement of our own.
///
/// Measuring and concluding are apart, so that what was measured before an
/// interruption is concluded from as well.
pub trait Experiment: Sync {
    /// What it is called; files carry this name.
    fn name(&self) -> &'static str;
    /// Which table or figure of which paper.
    fn reproduces(&self) -> &'static str;
    /// What it shows, in one sentence.
    fn summary(&self) -> &'static str;
    /// The columns of the printed table; the files hold all of them.
    fn columns(&self) -> &'static [&'static str];
    /// Measures, and adds each row as soon as it is known. Calls
    /// [`Context::check`] often.
    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt>;
    /// What follows from the rows, however many there are.
    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError>;
}

/// What follows from some rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conclusion {
    /// Sentences: definitions, conditions, and what was found.
    pub notes: Vec<String>,
    /// Pictures of the rows.
    pub figures: Vec<Figure>,
}

/// A picture that belongs to an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The file is `EXPERIMENT-SUFFIX.svg`.
    pub suffix: &'static str,
    /// The picture as SVG.
    pub svg: String,
}

/// What an experiment that runs is given.
#[derive(Clone, Debug)]
pub struct Context {
    seed: u64,
    quick: bool,
    peers: Option<PathBuf>,
    stop: Stop,
    bar: ProgressBar,
    teller: Option<Arc<Teller>>,
}

impl Context {
    /// A context without a progress bar and without peers.
    pub fn new(seed: u64, quick: bool) -> Self {
        Self { seed, quick, peers: None, stop: Stop::new(), bar: ProgressBar::hidden(), teller: None }
    }

    /// Shows progress on standard error if that is a terminal.
    #[must_use]
    pub fn with_progress(mut self) -> Self {
        self.bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        // A template that cannot be parsed leaves indicatif's own.
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {percent:>3} % · {msg} · {elapsed} · {eta} left") {
            self.bar.set_style(style.progress_chars("━╸ "));
        }
        self
    }

    /// Tells progress on standard error as lines of JSON, for other programs.
    #[must_use]
    pub fn with_lines(mut self) -> Self {
        self.teller = Some(Arc::default());
        self
    }

    /// Looks for the programs of other people in this folder.
    #[must_use]
    pub fn with_peers(mut self, folder: Option<PathBuf>) -> Self {
        self.peers = folder;
        self
    }

    /// The run stops soon after somebody presses this.
    #[must_use]
    pub fn stopped_by(mut self, stop: &Stop) -> Self {
        self.stop = stop.clone();
        self
    }

    /// For what an experiment calls: it stops when the experiment should.
    pub fn progress(&self) -> Progress {
        Progress::new(&self.stop)
    }

    /// For a part of an experiment that is so much of the work that was planned:
    /// what it tells is shown, with its name.
    pub fn part(&self, name: &str, work: f64) -> Progress {
        let (context, name, told) = (self.clone(), name.to_owned(), Mutex::new((0.0, String::new())));
        Progress::watched(&self.stop, move |report| {
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            let (done, doing) = &mut *told;
            if doing != report.doing {
                report.doing.clone_into(doing);
                context.doing(&format!("{name}: {doing}"));
            }
            if report.done > *done {
                context.done(work * (report.done - *done));
                *done = report.done;
            }
        })
    }

    /// What all random numbers follow from.
    pub fn seed(&self) -> Seed {
        Seed(self.seed)
    }

    /// Whether to leave out rows or make them smaller, to be done in a minute.
    pub fn quick(&self) -> bool {
        self.quick
    }

    /// The program of a peer, if it has been built.
    pub fn peer(&self, name: &str) -> Option<PathBuf> {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        self.peers.as_ref().map(|folder| folder.join(file)).filter(|program| program.is_file())
    }

    /// Meshes of other people that were put beside the peers, in `peers/target/meshes`,
    /// by name.
    pub fn peer_meshes(&self) -> Vec<PathBuf> {
        let folder = self.peers.as_ref().and_then(|folder| Some(folder.parent()?.join("meshes")));
        let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
        let mut found: Vec<PathBuf> = entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        found.retain(|path| path.extension().is_some_and(|ending| ending == "obj" || ending == "glb"));
        found.sort();
        found
    }

    /// Where the programs of a Python package are, if it has been installed
    /// beside the peers.
    pub fn python_peer(&self, name: &str) -> Option<PathBuf> {
        let bin = if cfg!(windows) { "Scripts" } else { "bin" };
        let folder = self.peers.as_ref()?.parent()?.join(name).join(bin);
        folder.is_dir().then_some(folder)
    }

    /// Says how much work there is, in any unit of time.
    pub fn plan(&self, work: f64) {
        self.bar.set_length(ticks(work));
    }

    /// Says how much of it has been done since the last call.
    pub fn done(&self, work: f64) {
        self.bar.inc(ticks(work));
        self.tell(false);
    }

    /// Says what is being done.
    pub fn doing(&self, what: &str) {
        self.bar.set_message(what.to_owned());
        self.tell(true);
    }

    fn tell(&self, is_news: bool) {
        let Some(teller) = &self.teller else { return };
        let planned = self.bar.length().filter(|length| *length > 0);
        let share = planned.map(|length| (self.bar.position() as f64 / length as f64).min(1.0));
        teller.tell(share, &self.bar.message(), is_news);
    }

    /// Asks whether to go on.
    pub fn check(&self) -> Result<(), Halt> {
        if self.stop.is_pressed() { Err(Halt::Stopped) } else { Ok(()) }
    }
}

/// Progress in billionths of a unit of work, so that small steps count.
fn ticks(work: f64) -> u64 {
    // The conversion saturates, and makes a zero of what is not a number.
    (work * 1e9) as u64
}

/// A run that is over.
#[derive(Debug)]
pub struct FinishedRun {
    /// What the JSON file will hold.
    pub results: Results,
    /// The pictures.
    pub figures: Vec<Figure>,
    /// How it ended.
    pub ending: Ending,
}

/// How a run ended.
#[derive(Debug)]
pub enum Ending {
    /// All rows were measured.
    Complete,
    /// The user stopped it.
    Interrupted,
    /// A row could not be measured.
    Failed(LabError),
}

/// Runs an experiment. An interruption or a failure keeps the rows measured
/// so far and adds a note that says so.
pub fn run(experiment: &dyn Experiment, context: &Context) -> Result<FinishedRun, LabError> {
    let mut rows = Vec::new();
    let ending = match experiment.measure(context, &mut rows) {
        Ok(()) => Ending::Complete,
        Err(Halt::Stopped) => Ending::Interrupted,
        Err(Halt::Failed(error)) => Ending::Failed(error),
    };
    context.bar.finish_and_clear();
    let Conclusion { mut notes, figures } = experiment.conclude(&rows)?;
    let missing = format!("after {} rows; the others are missing", rows.len());
    match &ending {
        Ending::Complete => {}
        Ending::Interrupted => notes.insert(0, format!("The run was interrupted {missing}.")),
        Ending::Failed(error) => notes.insert(0, format!("The run failed {missing}: {error}.")),
    }
    let results = Results {
        experiment: experiment.name().to_owned(),
        reproduces: experiment.reproduces().to_owned(),
        seed: context.seed,
        quick: context.quick,
        rows,
        notes,
    };
    Ok(FinishedRun { results, figures, ending })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows, and then what it holds.
    struct Stops(fn() -> Halt);

    impl Experiment for Stops {
        fn name(&self) -> &'static str {
            "stops"
        }
        fn reproduces(&self) -> &'static str {
            "nothing"
        }
        fn summary(&self) -> &'static str {
            "stops after two rows"
        }
        fn columns(&self) -> &'static [&'static str] {
            &["n"]
        }
        fn measure(&self, _: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
            rows.extend([1, 2].map(|n| Row::new().with("n", n)));
            Err((self.0)())
        }
        fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
            Ok(Conclusion { notes: vec![format!("{} rows", rows.len())], figures: Vec::new() })
        }
    }

    #[test]
    fn a_run_that_stops_keeps_its_rows_and_says_so() {
        let finished = run(&Stops(|| Halt::Stopped), &Context::new(3, false)).unwrap();
        assert!(matches!(finished.ending, Ending::Interrupted));
        assert_eq!(finished.results.rows.len(), 2);
        assert!(finished.results.notes[0].contains("interrupted after 2 rows"));
        assert_eq!(finished.results.notes[1], "2 rows");
        assert_eq!((finished.results.seed, finished.results.quick), (3, false));

        let broken = || LabError::Peer { program: "peer".into(), message: "no".to_owned() }.into();
        let finished = run(&Stops(broken), &Context::new(3, false)).unwrap();
        assert!(matches!(finished.ending, Ending::Failed(_)));
        assert!(finished.results.notes[0].starts_with("The run failed after 2 rows"));
    }

    #[test]
    fn a_pressed_switch_stops_a_run() {
        let stop = Stop::new();
        let context = Context::new(1, true).stopped_by(&stop);
        assert!(context.check().is_ok());
        stop.press();
        assert!(matches!(context.check(), Err(Halt::Stopped)));
    }

    #[test]
    fn a_peer_that_is_not_there_is_none() {
        assert_eq!(Context::new(1, true).peer("rapier"), None);
        assert_eq!(Context::new(1, true).with_peers(Some(PathBuf::from("nowhere"))).peer("rapier"), None);
    }
}
