//! What was learned of a model, in words and as rows of a table.

use crate::compiled::CompiledModel;
use crate::learned::Behaviour;

impl CompiledModel {
    /// What a viewer could notice, and after how long.
    pub fn verdict(&self) -> String {
        let learned = &self.learned;
        match &learned.behaviour {
            Behaviour::ClosedForm => "It is a plain function of time: nothing is approximated.".to_owned(),
            Behaviour::Periodic(periodic) => format!(
                "It comes around every {:.3} s and never forgets its phase. Nobody can notice that it was not computed.",
                periodic.period
            ),
            Behaviour::Forgetful(forgetful) => {
                let worst = learned.findings.candidates.iter().filter(|one| one.chosen).map(|one| one.error);
                let worst = worst.fold(0.0_f64, f64::max);
                let jumps = format!(
                    "Up to {:.3} s out of view it is computed exactly. Then jumps are used; of a hundred returns about {:.0} end \
                     where the complete model would not have been, but where the system is often found",
                    forgetful.medium,
                    100.0 * worst
                );
                match forgetful.long {
                    Some(long) => format!(
                        "{jumps}. After {long:.3} s nothing that was seen before tells what comes: a usual state is shown, and \
                         nobody can notice."
                    ),
                    None => format!("{jumps}. It never forgets, so jumps are used for ever."),
                }
            }
        }
    }

    /// The findings as rows of a table.
    pub fn summary(&self) -> Vec<(String, String)> {
        let (learned, findings) = (&self.learned, &self.learned.findings);
        let mut rows = Vec::new();
        for (variable, (low, high)) in findings.variables.iter().zip(&findings.ranges) {
            rows.push(("range".to_owned(), format!("{variable} in [{low:.2}, {high:.2}]")));
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
