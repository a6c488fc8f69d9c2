//! The same bodies in rapier: what a frame takes there.

use std::time::Duration;

use proscenium_chance::statistics::quantile;
use proscenium_lod::{BodyId, Budget, Crowd, Viewer, World};
use proscenium_picture::plot::{Plot, Scale};
use serde_json::{Value, json};

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment, Figure};
use crate::lod_frames::{MATERIAL, RATE, settled};
use crate::peer::ask;
use crate::results::Row;
use crate::timing::Timer;

/// The experiment `lod-peers`.
pub(crate) struct LodPeers;

impl Experiment for LodPeers {
    fn name(&self) -> &'static str {
        "lod-peers"
    }

    fn reproduces(&self) -> &'static str {
        "the scenes of lod-frames beside rapier"
    }

    fn summary(&self) -> &'static str {
        "what a frame of concave bodies in a closed box takes here, and in rapier with two kinds of shapes"
    }

    fn columns(&self) -> &'static [&'static str] {
        &["objects", "engine", "frame_us_p50", "frame_us_p99", "frame_us_max", "max_over_p50", "budget_us"]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let plan: &[(usize, f64, u32)] = if context.quick() {
            &[(50, 500.0, 60)]
        } else {
            &[(50, 500.0, 300), (250, 2000.0, 120), (1000, 8000.0, 30)]
        };
        context.plan(3.0 * plan.len() as f64);
        let models = Crowd::default().models("crowd", &context.progress())?.or_stopped()?;
        for &(objects, budget_us, frames) in plan {
            context.doing(&format!("{objects} objects here"));
            let (world, viewer) = settled(objects, &models, context)?;
            rows.push(ours(world.clone(), &viewer, budget_us, frames, context)?);
            context.done(1.0);
            for shapes in ["decomposition", "trimesh"] {
                context.doing(&format!("{objects} objects in rapier, {shapes}"));
                rows.push(theirs(&world, shapes, frames, context)?);
                context.done(1.0);
            }
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude(rows)
    }
}

fn row(world: &World, engine: &str, frames: u32, times: Option<[f64; 3]>, budget_us: Option<f64>) -> Row {
    Row::new()
        .with("objects", world.len())
        .with("engine", engine)
        .with("frame_us_p50", times.map(|times| times[0]))
        .with("frame_us_p99", times.map(|times| times[1]))
        .with("frame_us_max", times.map(|times| times[2]))
        .with("max_over_p50", times.map(|times| times[2] / times[0]))
        .with("budget_us", budget_us)
        .with("frames", frames)
}

fn ours(mut world: World, viewer: &Viewer, budget_us: f64, frames: u32, context: &Context) -> Result<Row, Halt> {
    let budget = Duration::from_secs_f64(budget_us * 1e-6);
    let mut times = Vec::new();
    for _ in 0..frames {
        context.check()?;
        let timer = Timer::start();
        let clock = || timer.elapsed();
        world.advance(world.now() + 1.0 / RATE, &[*viewer], Budget::Time(budget, &clock))?;
        times.push(timer.elapsed().as_secs_f64() * 1e6);
    }
    let at = |share: f64| quantile(&times, share);
    Ok(row(&world, "proscenium", frames, Some([at(0.5)?, at(0.99)?, at(1.0)?]), Some(budget_us)))
}

/// The same start, with meshes and walls, for rapier.
fn theirs(world: &World, shapes: &str, frames: u32, context: &Context) -> Result<Row, Halt> {
    let engine = format!("rapier, {shapes}");
    let Some(program) = context.peer("peer-rapier") else {
        return Ok(row(world, &engine, frames, None, None));
    };
    let answer = ask(&program, &request(world, shapes, frames)?, context)?;
    let number = |key: &str| answer.get(key).and_then(Value::as_f64);
    let times = match (number("frame_us_p50"), number("frame_us_p99"), number("frame_us_max")) {
        (Some(p50), Some(p99), Some(max)) => Some([p50, p99, max]),
        _ => None,
    };
    Ok(row(world, &engine, frames, times, None).with("pieces", number("pieces")))
}

fn request(world: &World, shapes: &str, frames: u32) -> Result<Value, Halt> {
    let mut meshes = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut bodies = Vec::new();
    for body in (0..world.len() as u32).map(BodyId) {
        let (model, motion) = (world.model(body)?, world.motion(body)?);
        let mesh = names.iter().position(|name| name == model.name()).unwrap_or_else(|| {
            let vertices: Vec<[f64; 3]> = model.mesh().vertices().iter().map(|vertex| vertex.to_array()).collect();
            meshes.push(json!({ "vertices": vertices, "triangles": model.mesh().triangles() }));
            names.push(model.name().to_owned());
            names.len() - 1
        });
        bodies.push(json!({
            "mesh": mesh,
            "p": motion.position.to_array(),
            "q": motion.orientation.to_array(),
            "v": motion.velocity.to_array(),
            "w": motion.spin.to_array(),
        }));
    }
    let half = world.walls().first().map_or(1.0, |wall| -wall.offset);
    Ok(json!({
        "scene": "crowd",
        "shapes": shapes,
        "meshes": meshes,
        "bodies": bodies,
        "box_half": half,
        "dt": 1.0 / RATE,
        "frames": frames,
        "density": MATERIAL.density,
        "restitution": MATERIAL.restitution,
        "friction": MATERIAL.friction,
    }))
}

fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = Vec::new();
    let is = |row: &Row, name: &str| row.get("engine").and_then(|engine| engine.as_str()) == Some(name);
    let engines = ["proscenium", "rapier, decomposition", "rapier, trimesh"];
    if !rows.is_empty() {
        notes.push(
            "All start from the same states, without gravity, in a closed box, after bodies that overlapped have parted. A frame's time is that of the processor on \
             one thread. rapier has no budget: its frames take what the contacts take; ours take the budget and are as \
             fine as it allows. Its shapes are the pieces of V-HACD with default settings, or the triangle meshes."
                .to_owned(),
        );
    }
    if rows.iter().any(|row| row.number("frame_us_p50").is_none()) {
        notes.push("Where rapier's columns are empty, `cargo xtask peers` builds the program.".to_owned());
    }
    let mut figures = Vec::new();
    let mut plot = Plot::new("The longest frame").x("objects", Scale::Log).y("microseconds", Scale::Log);
    let mut drawn = false;
    for engine in engines {
        let own = rows.iter().filter(|row| is(row, engine));
        let points: Vec<_> = own
            .filter_map(|row| Some((row.number("objects")?, row.number("frame_us_max").filter(|x| *x > 0.0)?)))
            .collect();
        if !points.is_empty() {
            plot = plot.line(engine, points);
            drawn = true;
        }
    }
    if drawn {
        figures.push(Figure { suffix: "longest", svg: plot.to_svg()? });
    }
    Ok(Conclusion { notes, figures })
}
