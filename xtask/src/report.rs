//! What each step did, as it happens and as a table at the end.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How a step ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Everything in it is right.
    Passed,
    /// Something in it is wrong, and what.
    Failed(String),
    /// It could not run here, and what would let it.
    Skipped(String),
}

/// Tests counted over all test programs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TestCounts {
    /// Tests that held.
    pub passed: u64,
    /// Tests that did not.
    pub failed: u64,
    /// Tests that were not run.
    pub ignored: u64,
}

impl TestCounts {
    /// Adds the counts of a line such as
    /// `test result: ok. 8 passed; 0 failed; 1 ignored; …`, or of pytest's
    /// `1 failed, 8 passed, 1 skipped in 2.31s`; ignores any other.
    pub fn add_line(&mut self, line: &str) {
        let (counts, separator) = match line.trim_start().strip_prefix("test result: ") {
            Some(rest) => (rest.split_once(". ").map_or("", |(_, counts)| counts), "; "),
            None => (line.rsplit_once(" in ").filter(|(_, time)| is_time(time)).map_or("", |(counts, _)| counts), ", "),
        };
        for count in counts.split(separator) {
            let Some((number, name)) = count.split_once(' ') else {
                continue;
            };
            let Ok(number) = number.parse::<u64>() else {
                continue;
            };
            match name {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" | "skipped" => self.ignored += number,
                _ => {}
            }
        }
    }
}

/// Whether a text is a time as pytest has it: `2.31s`, or `93.10s (0:01:33)`.
fn is_time(text: &str) -> bool {
    let seconds = text.split(' ').next().and_then(|first| first.strip_suffix('s'));
    seconds.is_some_and(|seconds| seconds.parse::<f64>().is_ok())
}

/// Whether the output may carry colours.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    colours: bool,
}

impl Terminal {
    /// Colours on a terminal, unless `CI` or `NO_COLOR` is set.
    pub fn detect() -> Self {
        let plain = is_ci() || std::env::var_os("NO_COLOR").is_some();
        Self { colours: !plain && std::io::stdout().is_terminal() }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colours { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
    }
}

/// Whether this runs under continuous integration.
pub fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

struct Step {
    name: String,
    outcome: Outcome,
    time: Duration,
}

/// The steps so far.
pub struct Report {
    terminal: Terminal,
    steps: Vec<Step>,
    /// Tests counted so far.
    pub tests: TestCounts,
    start: Instant,
}

impl Report {
    /// An empty report; its clock starts now.
    pub fn new(terminal: Terminal) -> Self {
        Self { terminal, steps: Vec::new(), tests: TestCounts::default(), start: Instant::now() }
    }

    /// Runs a step, prints its name before and its result after.
    pub fn step(&mut self, name: &str, run: impl FnOnce() -> Outcome) {
        self.step_with_tests(name, |_| run());
    }

    /// As [`Self::step`], for steps that count tests.
    pub fn step_with_tests(&mut self, name: &str, run: impl FnOnce(&mut TestCounts) -> Outcome) {
        println!("\n{}", self.terminal.paint("1", &format!("── {name}")));
        let start = Instant::now();
        let outcome = run(&mut self.tests);
        let step = Step { name: name.to_string(), outcome, time: start.elapsed() };
        println!("── {}", self.describe(&step));
        self.steps.push(step);
    }

    /// Runs steps beside a long one that waits for much of its time. What the long one
    /// says is shown when all are done.
    pub fn beside(
        &mut self,
        name: &str,
        long: impl FnOnce() -> (Outcome, String) + Send,
        others: impl FnOnce(&mut Self),
    ) {
        let start = Instant::now();
        let (outcome, said, time) = std::thread::scope(|scope| {
            let long = scope.spawn(move || {
                let (outcome, said) = long();
                (outcome, said, start.elapsed())
            });
            others(self);
            let crashed = |_| (Outcome::Failed("it panicked".into()), String::new(), start.elapsed());
            long.join().unwrap_or_else(crashed)
        });
        println!("\n{}\n{said}", self.terminal.paint("1", &format!("── {name}, beside the steps before")));
        let step = Step { name: name.to_string(), outcome, time };
        println!("── {}", self.describe(&step));
        self.steps.push(step);
    }

    fn describe(&self, step: &Step) -> String {
        let seconds = format!("{:.1} s", step.time.as_secs_f64());
        let word = self.word(&step.outcome);
        match &step.outcome {
            Outcome::Passed => format!("{}: {word} in {seconds}", step.name),
            Outcome::Failed(why) | Outcome::Skipped(why) => format!("{}: {word} after {seconds}: {why}", step.name),
        }
    }

    fn word(&self, outcome: &Outcome) -> String {
        match outcome {
            Outcome::Passed => self.terminal.paint("32", "passed"),
            Outcome::Failed(_) => self.terminal.paint("31;1", "FAILED"),
            Outcome::Skipped(_) => self.terminal.paint("33", "SKIPPED"),
        }
    }

    /// Prints the table, unless the only step has said it all, and returns the
    /// exit code.
    pub fn finish(&self) -> ExitCode {
        if self.steps.len() > 1 {
            println!("\n{}", self.summary());
        }
        if self.any_failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }

    fn any_failed(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.outcome, Outcome::Failed(_)))
    }

    /// The table of steps, and the tests counted.
    fn summary(&self) -> String {
        let width = self.steps.iter().map(|step| step.name.chars().count()).max().unwrap_or(0).max(5);
        let mut lines = vec![format!("{:width$}  {:8} {:>8}", "step", "result", "seconds")];
        for step in &self.steps {
            let plain = match step.outcome {
                Outcome::Passed => "passed",
                Outcome::Failed(_) => "FAILED",
                Outcome::Skipped(_) => "SKIPPED",
            };
            // Padding is added outside the paint, whose codes have no width.
            let padding = " ".repeat(8 - plain.len());
            let mut line =
                format!("{:width$}  {}{padding} {:8.1}", step.name, self.word(&step.outcome), step.time.as_secs_f64());
            if let Outcome::Failed(why) | Outcome::Skipped(why) = &step.outcome {
                line += &format!("  {why}");
            }
            lines.push(line);
        }
        lines.push(format!("{:width$}  {:8} {:8.1}", "total", "", self.start.elapsed().as_secs_f64()));
        lines.push(String::new());
        lines.push(self.count_line());
        lines.join("\n")
    }

    /// Tests, with skipped steps counted among the skipped: what a step would
    /// have run is not known.
    fn count_line(&self) -> String {
        let TestCounts { passed, failed, ignored } = self.tests;
        let skipped_steps = self.steps.iter().filter(|step| matches!(step.outcome, Outcome::Skipped(_))).count();
        let mut line = format!("{passed} passed, {failed} failed, {} skipped", ignored + skipped_steps as u64);
        if skipped_steps > 0 {
            line += &format!(" ({ignored} tests, {skipped_steps} steps)");
        }
        if self.any_failed() {
            let failed_steps = self.steps.iter().filter(|step| matches!(step.outcome, Outcome::Failed(_)));
            let names: Vec<&str> = failed_steps.map(|step| step.name.as_str()).collect();
            line += &format!("; failed steps: {}", names.join(", "));
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> Report {
        Report::new(Terminal { colours: false })
    }

    #[test]
    fn counts_add_up_over_programs() {
        let mut counts = TestCounts::default();
        counts.add_line("running 3 tests");
        counts.add_line("test result: ok. 8 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.1s");
        counts.add_line("test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out");
        assert_eq!(counts, TestCounts { passed: 10, failed: 3, ignored: 1 });
        counts.add_line("1 failed, 38 passed, 2 skipped in 2.21s");
        counts.add_line("5 passed in 93.10s (0:01:33)");
        assert_eq!(counts, TestCounts { passed: 53, failed: 4, ignored: 3 });
    }

    #[test]
    fn other_lines_count_for_nothing() {
        let mut counts = TestCounts::default();
        for line in [
            "",
            "test result",
            "test result: ok",
            "test result: ok. many passed",
            "8 passed; 1 failed",
            "8 passed in time",
        ] {
            counts.add_line(line);
        }
        assert_eq!(counts, TestCounts::default());
    }

    #[test]
    fn a_failed_step_fails_the_whole_and_is_named() {
        let mut report = plain();
        report.step("fmt", || Outcome::Passed);
        assert!(!report.any_failed());
        report.step("clippy", || Outcome::Failed("exit code 101".into()));
        report.step("fmt again", || Outcome::Passed);
        assert!(report.any_failed());
        assert!(report.summary().contains("failed steps: clippy"));
    }

    #[test]
    fn a_long_step_runs_beside_others_and_is_reported_after_them() {
        let mut report = plain();
        let (sender, receiver) = std::sync::mpsc::channel();
        let waits = move || (receiver.recv().map_or(Outcome::Passed, Outcome::Failed), "it waited".to_owned());
        report.beside("long", waits, |report| {
            report.step("short", || Outcome::Passed);
            sender.send("told".to_owned()).unwrap();
        });
        let names: Vec<&str> = report.steps.iter().map(|step| step.name.as_str()).collect();
        assert_eq!(names, ["short", "long"]);
        assert!(report.any_failed());
    }

    #[test]
    fn a_skipped_step_is_counted_and_gives_its_reason() {
        let mut report = plain();
        report.tests = TestCounts { passed: 5, failed: 0, ignored: 2 };
        report.step("validator", || Outcome::Skipped("run: apt-get install nodejs".into()));
        assert!(!report.any_failed());
        let summary = report.summary();
        assert!(summary.contains("5 passed, 0 failed, 3 skipped (2 tests, 1 steps)"), "{summary}");
        assert!(summary.contains("run: apt-get install nodejs"), "{summary}");
    }
}
