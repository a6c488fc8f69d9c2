//! Bars for those who wait, and Ctrl-C for those who do not.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use proscenium_work::{Progress, Stop};

use crate::console::{Console, complain};
use crate::failure::Failure;

/// The exit code of a command that Ctrl-C stopped: 128 and the number of the
/// signal, as shells have it.
pub const INTERRUPTED: u8 = 130;

/// Steps of a bar.
const STEPS: u64 = 1000;

/// Whether the user has pressed Ctrl-C.
#[derive(Clone, Debug)]
pub struct Interrupt(Stop);

impl Interrupt {
    /// Watches for Ctrl-C: the first asks the work to end with what it has,
    /// the second ends the process.
    pub fn watch() -> Result<Self, Failure> {
        let stop = Stop::new();
        let handler = stop.clone();
        ctrlc::set_handler(move || {
            if handler.press() {
                std::process::exit(INTERRUPTED.into());
            }
            complain("\nstopping, and keeping what there is (Ctrl-C again to quit at once)");
        })?;
        Ok(Self(stop))
    }

    pub fn is_pressed(&self) -> bool {
        self.0.is_pressed()
    }

    /// For what follows work that was stopped: what there is of it is kept as a
    /// whole, until Ctrl-C is pressed again.
    #[must_use]
    pub fn for_what_follows(&self) -> Self {
        if self.is_pressed() { Self(Stop::new()) } else { self.clone() }
    }

    /// For work that nobody needs to watch.
    pub fn progress(&self) -> Progress {
        Progress::new(&self.0)
    }
}

/// How far some work is, on standard error; invisible unless a person watches,
/// and gone when it is dropped.
pub struct Bar {
    bar: ProgressBar,
    progress: Progress,
}

impl Bar {
    /// A bar for work that Ctrl-C stops.
    pub fn new(console: Console, what: &'static str, interrupt: &Interrupt) -> Self {
        let bar = bar(console, STEPS, what);
        let shown = bar.clone();
        let progress = Progress::watched(&interrupt.0, move |report| {
            shown.set_position((STEPS as f64 * report.done) as u64);
            shown.set_message(report.doing.to_owned());
        });
        Self { bar, progress }
    }

    /// What the work is given.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A bar of so many steps, on standard error; invisible unless a person
/// watches.
pub fn bar(console: Console, steps: u64, what: &'static str) -> ProgressBar {
    let target = if console.shows_progress() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let template = "  {prefix} {bar:28} {percent:>3} % · {msg} · {eta} left";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(steps), target).with_style(style.progress_chars("━╸─")).with_prefix(what)
}
