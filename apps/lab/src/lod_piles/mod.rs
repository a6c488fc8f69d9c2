//! Bodies that fall into a box and should lie there, at every budget.

mod depth;
mod drop;
mod rapier;
mod solids;

use std::path::Path;
use std::sync::Arc;

use proscenium_lod::mesh::{built_in, read_mesh};
use proscenium_lod::{SolidMesh, TreeSettings, VolumeModel};
use proscenium_picture::plot::{Plot, Scale};

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment, Figure};
use crate::results::Row;
use depth::DepthMesh;
use drop::{Drop, Outcome};

/// The experiment `lod-piles`.
pub(crate) struct LodPiles;

/// The radius that every solid is scaled to, metres.
const RADIUS: f64 = 0.5;
/// Of what full depth takes, the shares that the shrinking budgets allow.
const SHARES: [f64; 4] = [0.5, 0.25, 0.125, 0.0625];

impl Experiment for LodPiles {
    fn name(&self) -> &'static str {
        "lod-piles"
    }

    fn reproduces(&self) -> &'static str {
        "section 5.3.1 under gravity: solids that fall into a box, beside rapier"
    }

    fn summary(&self) -> &'static str {
        "solids drawn from the seed fall into a box: how deep they end in each other, whether they rest, what it takes"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "mesh",
            "bodies",
            "budget",
            "full_cost_share",
            "pairs_over_2",
            "pairs_over_10",
            "below_floor",
            "rests_at_s",
            "later_motion",
            "jitter",
            "ms_falling",
            "ms_resting",
            "rapier_pairs_over_2",
            "rapier_pairs_over_10",
            "rapier_ms_falling",
            "rapier_ms_resting",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let cases: &[(&str, usize, f64)] = if context.quick() {
            &[("union", 60, 5.0)]
        } else {
            &[
                ("knot", 200, 12.0),
                ("l-shape", 200, 12.0),
                ("union", 200, 12.0),
                ("tube", 200, 12.0),
                ("ring", 200, 12.0),
                ("union", 2000, 12.0),
            ]
        };
        let (bodies, seconds) = if context.quick() { (60, 5.0) } else { (200, 12.0) };
        let mut all: Vec<(String, usize, f64)> = Vec::new();
        for path in context.peer_meshes() {
            match from_file(&path, context) {
                Ok(_) => all.push((path.display().to_string(), bodies, seconds)),
                Err(Halt::Failed(reason)) => rows.push(refused(&path, &reason)),
                Err(stopped) => return Err(stopped),
            }
        }
        all.extend(cases.iter().map(|(mesh, bodies, seconds)| ((*mesh).to_owned(), *bodies, *seconds)));
        let cases = all;
        let shares = if context.quick() { &SHARES[1..2] } else { &SHARES[..] };
        context.plan(cases.iter().map(|case| case.1 as f64 * (2 + shares.len()) as f64).sum());
        for (mesh, bodies, seconds) in cases {
            case(&mesh, bodies, seconds, shares, context, rows)?;
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude(rows)
    }
}

/// One kind of solid at all budgets, and in rapier.
fn case(
    mesh: &str,
    bodies: usize,
    seconds: f64,
    shares: &[f64],
    context: &Context,
    rows: &mut Vec<Row>,
) -> Result<(), Halt> {
    context.doing(&format!("{bodies} of {mesh}: trees"));
    let models = models(mesh, context)?;
    let solids =
        models.iter().map(|model| DepthMesh::new(model.mesh(), model.radius())).collect::<Result<Vec<_>, Halt>>()?;
    let drop = Drop { models: &models, solids: &solids, bodies, seconds };
    context.doing(&format!("{bodies} of {mesh} in rapier"));
    let theirs = rapier::run(&drop, context)?;
    context.done(bodies as f64);
    context.doing(&format!("{bodies} of {mesh} without a limit"));
    let full = drop.run(None, context)?;
    context.done(bodies as f64);
    rows.push(row(mesh, &drop, None, &full, theirs.as_ref()));
    for share in shares {
        context.doing(&format!("{bodies} of {mesh} at {share} of full depth"));
        let tests = (share * full.full_cost as f64) as u64;
        let outcome = drop.run(Some(tests), context)?;
        rows.push(row(mesh, &drop, Some((tests, *share)), &outcome, theirs.as_ref()));
        context.done(bodies as f64);
    }
    Ok(())
}

/// The models of a case: eight of those that are drawn, and one of the others.
fn models(mesh: &str, context: &Context) -> Result<Vec<Arc<VolumeModel>>, Halt> {
    let is_drawn = solids::DRAWN.contains(&mesh);
    let (many, cells) = match (is_drawn, context.quick()) {
        (false, _) => (1, 0),
        (true, true) => (3, 12),
        (true, false) => (8, 20),
    };
    let streams = context.seed().stream("lod piles").at(mesh.len() as u64);
    let model = |index: u64| {
        let solid = match Path::new(mesh).extension() {
            Some(_) => from_file(Path::new(mesh), context)?,
            None if is_drawn => solids::drawn(mesh, cells, &mut streams.at(index))?,
            None => built_in(mesh, 1500)?,
        };
        let solid = scaled(&solid)?;
        let settings = TreeSettings { depth: if context.quick() { 4 } else { 5 }, ..TreeSettings::default() };
        let name = format!("{mesh} {index}");
        let built = VolumeModel::build(&name, &solid, settings, &context.progress())?;
        Ok(Arc::new(built.or_stopped()?))
    };
    (0..many).map(model).collect()
}

/// A mesh of somebody else, mended as `lod` mends it.
fn from_file(path: &Path, context: &Context) -> Result<SolidMesh, Halt> {
    let failed = |error| LabError::File { action: "read", path: path.to_owned(), error };
    let content = std::fs::read(path).map_err(failed)?;
    let (mesh, _) = read_mesh(&path.display().to_string(), &content, &context.progress())?.or_stopped()?;
    Ok(mesh)
}

/// A mesh that encloses nothing, and why.
fn refused(path: &Path, reason: &LabError) -> Row {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Row::new().with("mesh", name.as_ref()).with("refused", reason.to_string())
}

/// The solid with the corner farthest from the middle of all at the radius.
fn scaled(solid: &SolidMesh) -> Result<SolidMesh, Halt> {
    let vertices = solid.vertices();
    let middle = vertices.iter().copied().sum::<proscenium_lod::glam::DVec3>() / vertices.len() as f64;
    let farthest = vertices.iter().map(|vertex| vertex.distance(middle)).fold(0.0, f64::max);
    Ok(solid.scaled(RADIUS / farthest)?)
}

fn row(mesh: &str, drop: &Drop<'_>, budget: Option<(u64, f64)>, ours: &Outcome, theirs: Option<&Outcome>) -> Row {
    let name = Path::new(mesh).file_stem().map_or(mesh.into(), |stem| stem.to_string_lossy());
    Row::new()
        .with("mesh", name.as_ref())
        .with("bodies", drop.bodies)
        .with("budget", budget.map(|budget| budget.0))
        .with("full_cost_share", budget.map_or(1.0, |budget| budget.1))
        .with("pairs_over_2", ours.pairs_over_2)
        .with("pairs_over_10", ours.pairs_over_10)
        .with("deepest", ours.deepest)
        .with("below_floor", ours.below_floor)
        .with("rests_at_s", ours.rests_at)
        .with("later_motion", ours.later_motion)
        .with("jitter", ours.jitter)
        .with("ms_falling", ours.ms_falling)
        .with("ms_resting", ours.ms_resting)
        .with("full_cost", ours.full_cost)
        .with("rapier_pairs_over_2", theirs.map(|theirs| theirs.pairs_over_2))
        .with("rapier_pairs_over_10", theirs.map(|theirs| theirs.pairs_over_10))
        .with("rapier_below_floor", theirs.map(|theirs| theirs.below_floor))
        .with("rapier_ms_falling", theirs.map(|theirs| theirs.ms_falling))
        .with("rapier_ms_resting", theirs.map(|theirs| theirs.ms_resting))
}

fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = Vec::new();
    if !rows.is_empty() {
        notes.push(
            "Depth is that of the original meshes, by a search of its own that knows neither engine: the greatest \
             distance from the surface of a solid of any point of another inside it, as a share of the radius, to \
             0.2 %. A body is below the floor if a corner of it is by more than 2 %. All rests from when no body moves \
             at its rim faster than 0.1 radii a second, to the end, with sleeping off; later motion is how far bodies \
             moved in the last second and jitter how fast, on average, in radii. The cost at rest is that of the last \
             second with sleeping on. rapier has the same starts, its default settings, the pieces of V-HACD with \
             default settings, and its own sleeping."
                .to_owned(),
        );
    }
    notes.push(
        "Meshes of other people, .obj or .glb, that lie in `peers/target/meshes` fall as well: mended as the command \
         `lod` mends them, and depth is that of the mended mesh."
            .to_owned(),
    );
    for row in rows {
        if let (Some(mesh), Some(reason)) = (row.get("mesh"), row.get("refused")) {
            let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
            notes.push(format!("{} was refused: {}.", text(mesh), text(reason)));
        }
    }
    let ran = |row: &&Row| row.get("refused").is_none();
    if rows.iter().filter(ran).any(|row| row.number("rapier_ms_falling").is_none()) {
        notes.push("Where rapier's columns are empty, `cargo xtask peers` builds the program.".to_owned());
    }
    let mut plot = Plot::new("Pairs deeper than 2 %").x("share of full depth", Scale::Log).y("pairs", Scale::Linear);
    let mut drawn = false;
    let mut names: Vec<(String, f64)> = Vec::new();
    for row in rows.iter().filter(ran) {
        let name = row.get("mesh").and_then(|mesh| mesh.as_str()).unwrap_or_default().to_owned();
        let case = (name, row.number("bodies").unwrap_or(0.0));
        if !names.contains(&case) {
            names.push(case);
        }
    }
    for (name, bodies) in names {
        let own = rows.iter().filter(|row| {
            row.get("mesh").and_then(|mesh| mesh.as_str()) == Some(&name) && row.number("bodies") == Some(bodies)
        });
        let points: Vec<_> =
            own.filter_map(|row| Some((row.number("full_cost_share")?, row.number("pairs_over_2")?))).collect();
        if !points.is_empty() {
            plot = plot.line(format!("{bodies} of {name}"), points);
            drawn = true;
        }
    }
    let figures = if drawn { vec![Figure { suffix: "depth", svg: plot.to_svg()? }] } else { Vec::new() };
    Ok(Conclusion { notes, figures })
}
