//! Progress for other programs: a JSON object a line, on standard error.

use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Numbers that only grow are told at most so often.
const PAUSE: Duration = Duration::from_millis(200);

/// Who tells, and when that was done last.
#[derive(Debug, Default)]
pub(crate) struct Teller {
    last: Mutex<Option<Instant>>,
}

impl Teller {
    /// Tells how much is done, and of what; old news can wait.
    pub(crate) fn tell(&self, share: Option<f64>, doing: &str, is_news: bool) {
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !is_news && last.is_some_and(|last| last.elapsed() < PAUSE) {
            return;
        }
        *last = Some(Instant::now());
        // With standard error closed there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "{}", line(share, doing));
    }
}

fn line(share: Option<f64>, doing: &str) -> String {
    serde_json::json!({ "share": share, "doing": doing }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_object() {
        assert_eq!(line(Some(0.25), "n = 64\n"), r#"{"doing":"n = 64\n","share":0.25}"#);
        assert_eq!(line(None, ""), r#"{"doing":"","share":null}"#);
    }
}
