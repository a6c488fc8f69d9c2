//! Long work for Python: without the interpreter's lock, and with Ctrl-C.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use proscenium_work::{Progress, Stop};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often Python is asked whether somebody has pressed Ctrl-C: half a second is
/// promised, and the engine asks far more often than that.
const PAUSE: Duration = Duration::from_millis(50);

/// Does work in a thread of its own, while this one listens for signals: Python handles
/// them in the thread that called, and only while it holds the lock. `Err` holds the
/// `KeyboardInterrupt` once the work has ended.
pub fn work<T: Send>(py: Python<'_>, job: impl FnOnce(&Progress) -> T + Send) -> PyResult<T> {
    let stop = Stop::new();
    let progress = Progress::new(&stop);
    py.detach(|| {
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            scope.spawn(move || {
                // Nobody listens any more only if the listener has panicked.
                let _ = sender.send(job(&progress));
            });
            let mut interrupted = None;
            loop {
                match receiver.recv_timeout(PAUSE) {
                    Ok(done) => return interrupted.map_or(Ok(done), Err),
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(PyRuntimeError::new_err(
                            "the engine has failed; please report what was asked of it",
                        ));
                    }
                    Err(RecvTimeoutError::Timeout) if interrupted.is_none() => {
                        if let Err(signal) = Python::attach(|py| py.check_signals()) {
                            stop.press();
                            interrupted = Some(signal);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        })
    })
}
