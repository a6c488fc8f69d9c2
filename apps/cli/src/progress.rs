//! Bars for those who wait, and Ctrl-C for those who do not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::console::{Console, complain};
use crate::failure::Failure;

/// The exit code of a command that Ctrl-C stopped: 128 and the number of the
/// signal, as shells have it.
pub const INTERRUPTED: u8 = 130;

/// Whether the user has pressed Ctrl-C.
#[derive(Clone, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Watches for Ctrl-C: the first asks the work to end with what it has,
    /// the second ends the process.
    pub fn watch() -> Result<Self, Failure> {
        let pressed = Arc::new(AtomicBool::new(false));
        let handler = pressed.clone();
        ctrlc::set_handler(move || {
            if handler.swap(true, Ordering::Relaxed) {
                std::process::exit(INTERRUPTED.into());
            }
            complain("\nstopping, and keeping what there is (Ctrl-C again to quit at once)");
        })?;
        Ok(Self(pressed))
    }

    pub fn is_pressed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
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
