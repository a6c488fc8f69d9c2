//! Data that did not come with the engine, imported as a user would: does it walk as it
//! should, or is it refused with a reason that is true?

mod blender;
mod judge;
mod sway;

use std::sync::Arc;
use std::time::Instant;

use proscenium_ensemble::build::{GraphBuild, choose_settings};
use proscenium_ensemble::cache::{CacheFormat, VertexCache};
use proscenium_ensemble::import::{Grouping, ImportOptions, SourceMesh, SourceMotion, assemble};
use proscenium_ensemble::{MotionGraph, Player};
use proscenium_work::{Memory, Remedy as _};

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::number::show_number;
use crate::results::Row;

use judge::{acceleration, pairs_nearer};
use sway::{Model, Recipe, Shape, rate};

/// The experiment `ensemble-strangers`.
pub(crate) struct EnsembleStrangers;

/// How far a walk may be accelerated beyond the data of its level. What compressing takes
/// off both is no part of it.
const MOST_ACCELERATION: f64 = 1.1;
/// Parts of the data are this thick, as a share of the distance of their vertices.
const THICKNESS: f64 = 0.05;
/// Where more frames than this interpenetrate as they come, nothing is left to walk in.
const MOST_DIRTY: f64 = 0.5;
/// How near compressed data must be, metres.
const ERROR: f64 = 0.0005;

impl Experiment for EnsembleStrangers {
    fn name(&self) -> &'static str {
        "ensemble-strangers"
    }

    fn reproduces(&self) -> &'static str {
        "none: strips of cloth from Blender, and strips, tubes and leaves drawn from the seed, by a simulator of the experiment's own"
    }

    fn summary(&self) -> &'static str {
        "whether data that did not come with the engine walks as it should, or is refused"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "data",
            "verdict",
            "reason",
            "acceleration_ratio",
            "walkable_share",
            "interpenetrating",
            "interpenetrating_data_share",
            "build_s",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let strangers = strangers(context);
        context.plan(strangers.len() as f64);
        for stranger in &strangers {
            context.check()?;
            context.doing(&stranger.name);
            rows.push(row(stranger, context)?);
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        let count = |verdict: &str| {
            rows.iter().filter(|row| row.get("verdict").and_then(|value| value.as_str()) == Some(verdict)).count()
        };
        let largest = rows.iter().filter_map(|row| row.number("acceleration_ratio")).fold(0.0, f64::max);
        let notes = vec![
            format!(
                "Of {} sets of data {} are right, {} are refused with a reason that is true, {} are wrong, and {} were \
                 skipped.",
                rows.len(),
                count("right"),
                count("refused"),
                count("wrong"),
                count("skipped")
            ),
            format!("The largest acceleration is {} times that of the data of its level.", show_number(largest)),
            format!(
                "Right means that in a minute of walking no two parts come closer than their thickness less twice the \
                 error, and no vertex is accelerated more than {MOST_ACCELERATION} times what the imported motion has \
                 at that level, both measured by the experiment. Data that is sound and refused counts as wrong; that of \
                 Blender is sound if at least half of its frames are without contact as they come."
            ),
        ];
        Ok(Conclusion { notes, figures: Vec::new() })
    }
}

/// A set of data, and whether it can be walked.
struct Stranger {
    name: String,
    source: Source,
    fault: Option<Fault>,
}

/// Who simulates it.
enum Source {
    Own(Recipe),
    /// Blender: strips so far apart, metres, for so many seconds.
    Blender(f64, f64),
}

/// Data as a user has it, and what the experiment knows about it.
struct Material {
    obj: String,
    motions: Vec<Vec<Vec<[f32; 3]>>>,
    model: Model,
    thickness: f64,
}

/// What is wrong with data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// Parts pass through each other all the time.
    Passes,
    /// There is hardly any of it.
    Short,
    /// A vertex is nowhere.
    Broken,
    /// The cache is of another mesh.
    Foreign,
}

fn strangers(context: &Context) -> Vec<Stranger> {
    let (count, seconds) = if context.quick() { (3, 8.0) } else { (12, 20.0) };
    let mut strangers: Vec<Stranger> = (0..count)
        .map(|number| {
            let mut stream = context.seed().stream("strangers").at(number);
            let mut recipe = Recipe::drawn(&mut stream, seconds);
            // All three shapes, whatever the seed.
            recipe.shape = [Shape::Strips, Shape::Tubes, Shape::Leaves][number as usize % 3];
            let name = format!("{:?} {number}: {} of {:.2} m", recipe.shape, recipe.count, recipe.length);
            Stranger { name, source: Source::Own(recipe), fault: None }
        })
        .collect();
    let faulty = |fault: Fault| {
        let mut stream = context.seed().stream("faulty").at(fault as u64);
        let mut recipe = Recipe { shape: Shape::Strips, ..Recipe::drawn(&mut stream, 8.0) };
        match fault {
            Fault::Passes => (recipe.collides, recipe.apart) = (false, 0.2 * recipe.width),
            Fault::Short => recipe.seconds = 0.5,
            Fault::Broken | Fault::Foreign => (),
        }
        Stranger { name: format!("{fault:?} strips"), source: Source::Own(recipe), fault: Some(fault) }
    };
    for (name, apart) in [("sparse", 0.2), ("dense", 0.1)] {
        let name = format!("Blender, {name}: 20 strips {apart} m apart");
        strangers.push(Stranger { name, source: Source::Blender(apart, seconds), fault: None });
    }
    strangers.extend([Fault::Passes, Fault::Short, Fault::Broken, Fault::Foreign].map(faulty));
    strangers
}

/// The mesh as an OBJ file, an object for each part.
fn obj(model: &Model) -> String {
    let mut text = String::new();
    for [x, y, z] in model.rest.iter().map(|place| place.to_array()) {
        text += &format!("v {x} {y} {z}\n");
    }
    for (number, net) in model.nets.iter().enumerate() {
        text += &format!("o part-{number}\n");
        for [a, b, c] in net.triangles() {
            text += &format!("f {} {} {}\n", a + 1, b + 1, c + 1);
        }
    }
    text
}

/// Frames as a PC2 file.
fn pc2(frames: &[Vec<[f32; 3]>]) -> Vec<u8> {
    let points = frames.first().map_or(0, Vec::len) as u32;
    let mut bytes = b"POINTCACHE2\0".to_vec();
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(points.to_le_bytes());
    bytes.extend(1.0_f32.to_le_bytes());
    bytes.extend(1.0_f32.to_le_bytes());
    bytes.extend((frames.len() as u32).to_le_bytes());
    bytes.extend(frames.iter().flatten().flatten().flat_map(|x| x.to_le_bytes()));
    bytes
}

/// What became of a set of data.
enum Outcome {
    Refused(String),
    Walked { acceleration_ratio: f64, walkable_share: f64, interpenetrating: usize },
}

/// What a stranger brings; nothing if that is not installed.
fn material(stranger: &Stranger, context: &Context) -> Result<Option<Material>, Halt> {
    let recipe = match &stranger.source {
        Source::Blender(apart, seconds) => return blender::strips(*apart, *seconds, context),
        Source::Own(recipe) => recipe,
    };
    let model = Model::new(recipe);
    let seed = |level: usize| context.seed().child(&stranger.name, level as u64);
    let mut motions: Vec<Vec<Vec<[f32; 3]>>> =
        (0..2).map(|level| model.simulate(recipe, recipe.winds[level], seed(level))).collect();
    match stranger.fault {
        Some(Fault::Broken) => motions[0][3][5][1] = f32::NAN,
        Some(Fault::Foreign) => motions[1].iter_mut().for_each(|frame| frame.truncate(frame.len() - 1)),
        Some(Fault::Passes | Fault::Short) | None => (),
    }
    Ok(Some(Material { obj: obj(&model), motions, model, thickness: THICKNESS * recipe.width }))
}

fn row(stranger: &Stranger, context: &Context) -> Result<Row, Halt> {
    let Some(material) = material(stranger, context)? else {
        let reason = "Blender is not installed: cargo xtask test --peers";
        return Ok(Row::new().with("data", stranger.name.as_str()).with("verdict", "skipped").with("reason", reason));
    };
    let Material { model, motions, thickness, .. } = &material;
    // Of data that others simulated it is counted how much interpenetrates as it comes.
    let frames = || motions.iter().flatten().filter(|frame| frame.len() == model.rest.len());
    let bad = frames().filter(|frame| pairs_nearer(model, frame, *thickness) > 0).count();
    let bad_share = bad as f64 / frames().count().max(1) as f64;
    let start = Instant::now();
    let graph = build(&material, context)?;
    let build_s = start.elapsed().as_secs_f64();
    let outcome = match graph {
        Err(reason) => Outcome::Refused(reason),
        Ok(graph) => walk(model, &graph, motions, *thickness, context)?,
    };
    let row = Row::new().with("data", stranger.name.as_str());
    let row = match &outcome {
        Outcome::Refused(reason) => {
            // Data of others is refused rightly if there is no second of it without contact.
            let is_dirty = matches!(stranger.source, Source::Blender(..)) && bad_share > MOST_DIRTY;
            let verdict = if stranger.fault.is_some() || is_dirty { "refused" } else { "wrong" };
            row.with("verdict", verdict).with("reason", reason.as_str())
        }
        Outcome::Walked { acceleration_ratio, walkable_share, interpenetrating } => {
            let fine = *interpenetrating == 0 && *acceleration_ratio <= MOST_ACCELERATION;
            let verdict = if fine { "right" } else { "wrong" };
            row.with("verdict", verdict)
                .with("acceleration_ratio", *acceleration_ratio)
                .with("walkable_share", *walkable_share)
                .with("interpenetrating", *interpenetrating)
        }
    };
    let row = row.with("interpenetrating_data_share", bad_share);
    Ok(row.with("parts", model.nets.len()).with("vertices", model.rest.len()).with("build_s", build_s))
}

/// Imports data and builds its graph; or what the engine says against it.
fn build(material: &Material, context: &Context) -> Result<Result<Arc<MotionGraph>, String>, Halt> {
    macro_rules! or_refused {
        ($result:expr) => {
            match $result {
                Ok(value) => value,
                Err(error) => return Ok(Err(error.explain())),
            }
        };
    }
    let mesh = or_refused!(SourceMesh::from_obj(&material.obj));
    let mut sources = Vec::new();
    for (name, frames) in ["calm", "gale"].into_iter().zip(&material.motions) {
        let cache = or_refused!(VertexCache::read(CacheFormat::Pc2, &pc2(frames)));
        let up = mesh.guess_up(&cache);
        sources.push(or_refused!(SourceMotion::from_cache(name, cache, up, rate())));
    }
    let thickness = material.thickness;
    let options = ImportOptions { name: "stranger".to_owned(), grouping: Grouping::Automatic, reach: None, thickness };
    let progress = context.part("import", 0.1);
    let (ensemble, _) = or_refused!(assemble(&mesh, sources, &options, &progress)).or_stopped()?;
    let (ensemble, _) = or_refused!(ensemble.cleaned(&progress)).or_stopped()?;
    let store = Memory::default();
    let build = GraphBuild::new(&store, context.seed());
    let made = or_refused!(build.import(&ensemble, ERROR, &context.part("compress", 0.1))).or_stopped()?;
    let settings = or_refused!(choose_settings(&made.data, context.seed(), &context.progress())).or_stopped()?;
    let graph = or_refused!(build.connect(made.data, settings, &context.part("transitions", 0.4)));
    Ok(Ok(Arc::new(graph.or_stopped()?)))
}

/// A minute of walking, back and forth between the levels.
fn walk(
    model: &Model,
    graph: &Arc<MotionGraph>,
    motions: &[Vec<Vec<[f32; 3]>>],
    thickness: f64,
    context: &Context,
) -> Result<Outcome, Halt> {
    let largest = |frames: &Vec<Vec<[f32; 3]>>| {
        let three = frames.windows(3).map(|three| acceleration([&three[0], &three[1], &three[2]]));
        three.fold(0.0, f64::max)
    };
    let allowed: Vec<f64> = motions.iter().map(largest).collect();
    let levels: Vec<usize> = graph.levels().collect();
    let mut player = Player::new(graph, context.seed())?;
    let (mut acceleration_ratio, mut interpenetrating) = (0.0_f64, 0);
    let mut last: [Vec<[f32; 3]>; 2] = Default::default();
    let mut before = player.level();
    for frame in 0..(60.0 * rate()) as u64 {
        context.check()?;
        player.see(frame);
        if frame % 240 == 239 {
            player.want(levels[(frame / 240) as usize % levels.len()])?;
        }
        let mut positions = Vec::new();
        player.positions(&mut positions);
        interpenetrating += pairs_nearer(model, &positions, thickness - 2.0 * ERROR.min(0.4 * thickness));
        let level = player.level();
        if frame >= 2 {
            let found = acceleration([&last[0], &last[1], &positions]);
            acceleration_ratio = acceleration_ratio.max(found / allowed[level].max(allowed[before]));
        }
        if player.transition().is_none() {
            before = level;
        }
        last.rotate_left(1);
        last[1] = positions;
    }
    let walkable_share = graph.report().walkable_share();
    Ok(Outcome::Walked { acceleration_ratio, walkable_share, interpenetrating })
}
