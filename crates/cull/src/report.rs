//! A page about a compiled model: what was found, with pictures, and what a
//! viewer could notice.

use std::fmt::Write as _;

use proscenium_picture::PictureError;
use proscenium_picture::plot::{Plot, Scale};

use crate::culled::Culled;
use crate::error::CullError;
use crate::learned::{Behaviour, Findings, Learned};

/// Points that a picture shows at most.
const MOST_POINTS: usize = 3000;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .8rem;text-align:left;border-bottom:1px solid #8884}\
figure{margin:1.5rem 0}figcaption{color:#777}.grid{display:grid;grid-template-columns:1fr 1fr;gap:1rem}\
:root{color-scheme:light dark}svg{max-width:100%;height:auto;background:#fff}";

impl Culled {
    /// A page (HTML) about what was learned. `measured` are rows of a table
    /// that only the caller can know, such as times on this machine.
    ///
    /// # Errors
    /// When a picture cannot be drawn.
    pub fn report(&self, measured: &[(String, String)]) -> Result<String, CullError> {
        let mut page = String::new();
        self.write_report(measured, &mut page).map_err(|error| CullError::Report(error.to_string()))?;
        Ok(page)
    }

    fn write_report(&self, measured: &[(String, String)], page: &mut String) -> Result<(), PictureError> {
        let name = escaped(&self.model.name);
        let findings = &self.learned.findings;
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{name}</title><style>{STYLE}</style>\
             <h1>{name}</h1><p>{}</p>",
            escaped(&self.verdict())
        );
        let _ = write!(page, "<table>");
        for (key, value) in self.summary().iter().chain(measured) {
            let _ = write!(page, "<tr><th>{}<td>{}", escaped(key), escaped(value));
        }
        let _ = write!(page, "</table>");
        match &self.learned.behaviour {
            Behaviour::ClosedForm => {}
            Behaviour::Periodic(_) => figure(page, &self.orbit()?, "One period, as the table has it."),
            Behaviour::Forgetful(_) => forgetful_figures(findings, page)?,
        }
        candidates(findings, page)?;
        let _ = write!(page, "</html>");
        Ok(())
    }

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

    /// The orbit over one period.
    fn orbit(&self) -> Result<String, PictureError> {
        let Learned { grid, behaviour, findings, .. } = &self.learned;
        let mut plot = Plot::new(self.model.name.clone()).x("time (s)", Scale::Linear).y("state", Scale::Linear);
        if let Behaviour::Periodic(periodic) = behaviour
            && let Some(orbit) = periodic.orbits.first()
        {
            for (variable, name) in findings.variables.iter().enumerate() {
                let at = |index: u32| {
                    let part = f64::from(index) / 200.0;
                    (part * periodic.period, orbit.state(grid, part).values[variable])
                };
                plot = plot.line(name.clone(), (0..200).map(at));
            }
        }
        plot.to_svg()
    }
}

fn forgetful_figures(findings: &Findings, page: &mut String) -> Result<(), PictureError> {
    let label = |index: usize| findings.variables.get(index).cloned().unwrap_or_default();
    let scatter = |title: String, points: &[(f32, f32)]| {
        let thinned = points.iter().step_by((points.len() / MOST_POINTS).max(1));
        Plot::new(title)
            .size(420, 320)
            .x(label(0), Scale::Linear)
            .y(label(1), Scale::Linear)
            .points("states", thinned.map(|(x, y)| (f64::from(*x), f64::from(*y))))
            .to_svg()
    };
    if !findings.cloud.is_empty() {
        let svg = scatter("Stationary distribution".to_owned(), &findings.cloud)?;
        figure(page, &svg, "Where the system is found when nothing is known of it, at phase 0 of its forcing.");
    }
    let _ = write!(page, "<div class=\"grid\">");
    for (seconds, states) in &findings.spreading {
        let svg = scatter(format!("After {seconds:.2} s"), states)?;
        figure(page, &svg, "A cloud of states that began in one cell.");
    }
    let _ = write!(page, "</div>");
    if !findings.convergence.is_empty() {
        let svg = Plot::new("How clouds become usual")
            .x("time out of view (s)", Scale::Linear)
            .y("L1 distance from the stationary distribution", Scale::Linear)
            .line("mean over cells", findings.convergence.iter().map(|(time, mean, _)| (*time, *mean)))
            .paper_line("by chance alone", findings.convergence.iter().map(|(time, _, noise)| (*time, *noise)))
            .to_svg()?;
        figure(page, &svg, "What a viewer remembers fades.");
    }
    if !findings.errors.is_empty() {
        let place = |(x, y): (f32, f32)| (f64::from(x), f64::from(y));
        let is_small = |off: f32| off < 0.01;
        let part = |small: bool| {
            findings.errors.iter().filter(move |(_, off)| is_small(*off) == small).map(move |(at, _)| place(*at))
        };
        let svg = Plot::new("Error of the shortest jump")
            .x(label(0), Scale::Linear)
            .y(label(1), Scale::Linear)
            .points("below 1 % of the range", part(true))
            .points("above", part(false))
            .to_svg()?;
        figure(page, &svg, "Only where the system is found does an error matter.");
    }
    Ok(())
}

fn candidates(findings: &Findings, page: &mut String) -> Result<(), PictureError> {
    if findings.candidates.is_empty() {
        return Ok(());
    }
    let points = |chosen: bool| {
        let some = findings.candidates.iter().filter(move |one| one.chosen == chosen);
        some.map(|one| (one.cost.max(1.0), one.error.max(1e-4)))
    };
    let svg = Plot::new("Quality against cost")
        .x("cost (additions)", Scale::Log)
        .y("error", Scale::Log)
        .points("tried", points(false))
        .points("chosen", points(true))
        .to_svg()?;
    figure(page, &svg, "Approximations of all jumps.");
    let _ = write!(page, "<table><tr><th>jump<th>approximation<th>error<th>cost<th>");
    for one in &findings.candidates {
        let chosen = if one.chosen { "chosen" } else { "" };
        let (jump, error, cost) = (one.jump_s, one.error, one.cost);
        let name = escaped(&one.name);
        let _ = write!(page, "<tr><td>{jump:.2} s<td>{name}<td>{error:.3}<td>{cost:.0}<td>{chosen}");
    }
    let _ = write!(page, "</table>");
    Ok(())
}

fn figure(page: &mut String, svg: &str, caption: &str) {
    let _ = write!(page, "<figure>{svg}<figcaption>{}</figcaption></figure>", escaped(caption));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
