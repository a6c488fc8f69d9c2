//! What was learned of a model, in words and as rows of a table.

use crate::compiled::CompiledModel;
use crate::learned::{Behaviour, RecordedRegimes};

impl CompiledModel {
    /// What a viewer could notice, and after how long, in a line.
    pub fn verdict(&self) -> String {
        let learned = &self.learned;
        let forgetful = match &learned.behaviour {
            Behaviour::ClosedForm => return "It is a plain function of time: nothing is approximated.".to_owned(),
            Behaviour::Periodic(periodic) => {
                return format!(
                    "It comes around every {:.3} s and never forgets its phase: returns are where it would have been.",
                    periodic.period
                );
            }
            Behaviour::Recorded(recorded) => return self.recorded_verdict(recorded),
            Behaviour::Forgetful(forgetful) => forgetful,
        };
        if learned.is_complete() {
            let reason = learned.findings.complete_because.as_deref().unwrap_or("nothing else is good enough");
            return format!("Returns are right, but the complete model is run for as long as nobody looked: {reason}.");
        }
        let told = learned.findings.trials.iter().filter(|trial| trial.used).map(|trial| trial.difference);
        let told = told.fold(0.0_f64, f64::max);
        let jumps = match forgetful.jumps.is_empty() {
            true => String::new(),
            false => format!(" and jumps after {:.3} s", forgetful.medium),
        };
        let samples = match (forgetful.long, learned.findings.stays_apart) {
            (Some(long), _) => format!("it forgets after {long:.3} s"),
            (None, true) => "it never forgets, for what it comes to depends on where it starts".to_owned(),
            (None, false) => "it never forgets".to_owned(),
        };
        format!(
            "Returns cannot be told from the truth (largest difference {told:.3}): the complete model at first{jumps}; {samples}."
        )
    }

    fn recorded_verdict(&self, recorded: &RecordedRegimes) -> String {
        let seconds = self.model.recorded.as_ref().map_or(0.0, |motion| motion.seconds());
        match (recorded.period, recorded.long) {
            (Some(period), _) => {
                format!("It is a recorded loop of {period:.3} s: returns are where it would have been.")
            }
            (None, Some(long)) => format!(
                "Of {seconds:.0} s that were recorded any may follow after {long:.3} s out of view, when it has forgotten; \
                 before, what was alike, and at first what was recorded."
            ),
            (None, None) => format!(
                "Within the {seconds:.0} s that were recorded it does not forget: out of view the recording is played on."
            ),
        }
    }

    /// Whether nothing is left to wish for: it is culled, and everything that its author
    /// asked for matches.
    ///
    /// # Errors
    /// What is not as it was asked for, with what may be done about it.
    pub fn is_strictly_right(&self) -> Result<(), String> {
        if self.learned.is_complete() {
            let reason = self.learned.findings.complete_because.as_deref().unwrap_or("nothing else is good enough");
            return Err(format!("nothing is saved out of view: {reason}"));
        }
        let mut statistics = self.learned.findings.statistics.iter();
        match statistics.find(|(_, found, allowed)| found > allowed) {
            Some((name, found, allowed)) => {
                Err(format!("the statistic {name} differs by {found:.3}, and {allowed:.3} is allowed"))
            }
            None => Ok(()),
        }
    }

    /// The findings as rows of a table.
    pub fn summary(&self) -> Vec<(String, String)> {
        let (learned, findings) = (&self.learned, &self.learned.findings);
        let mut rows = Vec::new();
        for (variable, (low, high)) in findings.variables.iter().zip(&findings.ranges) {
            // No zero has a sign.
            let [low, high] = [low, high].map(|value| if value.abs() < 0.005 { 0.0 } else { *value });
            rows.push(("range".to_owned(), format!("{variable} in [{low:.2}, {high:.2}]")));
        }
        if let Some(value) = &findings.keeps {
            rows.push(("keeps".to_owned(), shortened(value)));
        }
        if let Some(period) = learned.period() {
            rows.push(("period".to_owned(), format!("{period:.4} s")));
        }
        if let Behaviour::Forgetful(forgetful) = &learned.behaviour {
            let share = 100.0 * findings.important;
            let cells = format!("{} cells carry {share:.0} % of the time", findings.important_cells);
            let boxes = format!("{cells}; {} boxes once merged", forgetful.distribution.leaves.len());
            rows.push(("stationary".to_owned(), boxes));
            let long = forgetful.long.map_or("never".to_owned(), |long| format!("after {long:.1} s out of view"));
            rows.push(("forgets".to_owned(), long));
            if let Some(paper) = findings.paper_long {
                rows.push(("by the paper’s criterion".to_owned(), format!("after {paper:.1} s")));
            }
        }
        for (seconds, name) in learned.jumps() {
            rows.push((format!("jump of {seconds:.2} s"), name));
        }
        for (name, found, allowed) in &findings.statistics {
            let verdict = if found <= allowed { "matches" } else { "does not match" };
            rows.push((format!("statistic {name}"), format!("{verdict}: differs by {found:.3}, allowed {allowed:.3}")));
        }
        rows
    }
}

/// An expression with numbers of four digits, for people.
fn shortened(value: &str) -> String {
    let word = |word: &str| word.parse::<f64>().map_or_else(|_| word.to_owned(), |number| format!("{number:.4}"));
    value.split(' ').map(word).collect::<Vec<String>>().join(" ")
}
