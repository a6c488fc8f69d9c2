//! A page about a compiled model: what was found, with pictures, and what a
//! viewer could notice.

use std::fmt::Write as _;

use proscenium_clip::Clip;
use proscenium_cull::CompiledModel;
use proscenium_cull::geometry::PartMesh;
use proscenium_cull::learned::Findings;
use proscenium_picture::PictureError;
use proscenium_picture::plot::{Plot, Scale};

/// Points that a picture shows at most.
const MOST_POINTS: usize = 3000;

/// Times at which an orbit is drawn.
const ORBIT_TIMES: u32 = 200;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .8rem;text-align:left;border-bottom:1px solid #8884}\
figure{margin:1.5rem 0}figcaption{color:#777}.grid{display:grid;grid-template-columns:1fr 1fr;gap:1rem}\
:root{color-scheme:light dark}svg{max-width:100%;height:auto;background:#fff}";

/// What a part looks like that names a file: all meshes of the clip, as they stand at its
/// beginning; `None` if there are no triangles, or a number is none.
pub fn part_mesh(clip: &Clip) -> Option<PartMesh> {
    let mut poses = Vec::new();
    clip.world_poses(0.0, &mut poses);
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for (node, pose) in clip.nodes.iter().zip(&poses) {
        let Some(mesh) = node.mesh.and_then(|index| clip.meshes.get(index)) else {
            continue;
        };
        let first = positions.len() as u32;
        positions.extend(mesh.positions.iter().map(|position| pose.transform_point3((*position).into()).to_array()));
        triangles.extend(mesh.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
    }
    PartMesh::new(positions, triangles)
}

/// A page (HTML) about what was learned of a model. `measured` are rows of a table
/// that only the caller can know, such as times on this machine.
///
/// # Errors
/// When a picture cannot be drawn.
pub fn report(model: &CompiledModel, measured: &[(String, String)]) -> Result<String, PictureError> {
    let mut page = String::new();
    let name = escaped(model.model().name());
    let (learned, findings) = (model.learned(), model.learned().findings());
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{name}</title><style>{STYLE}</style>\
         <h1>{name}</h1><p>{}</p>",
        escaped(&model.verdict())
    );
    let _ = write!(page, "<table>");
    for (key, value) in model.summary().iter().chain(measured) {
        let _ = write!(page, "<tr><th>{}<td>{}", escaped(key), escaped(value));
    }
    let _ = write!(page, "</table>");
    if learned.period().is_some() && !learned.orbit(1).is_empty() {
        figure(&mut page, &orbit(model)?, "One period, as the table has it.");
    } else if learned.medium().is_some() {
        forgetful_figures(findings, &mut page)?;
    }
    candidates(findings, &mut page)?;
    let _ = write!(page, "</html>");
    Ok(page)
}

/// The orbit over one period.
fn orbit(model: &CompiledModel) -> Result<String, PictureError> {
    let mut plot = Plot::new(model.model().name()).x("time (s)", Scale::Linear).y("state", Scale::Linear);
    let orbit = model.learned().orbit(ORBIT_TIMES);
    for (variable, name) in model.learned().findings().variables.iter().enumerate() {
        plot = plot.line(name.clone(), orbit.iter().map(|(time, state)| (*time, state.values[variable])));
    }
    plot.to_svg()
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
            .line("average cell", findings.convergence.iter().map(|(time, mean, ..)| (*time, *mean)))
            .line("four of five cells", findings.convergence.iter().map(|(time, _, most, _)| (*time, *most)))
            .line("worst cell", findings.convergence.iter().map(|(time, .., worst)| (*time, *worst)))
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
