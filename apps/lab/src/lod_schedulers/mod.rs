//! Which collisions each measure of priority puts first.

use std::sync::Arc;

use proscenium_bodies::{Material, Motion};
use proscenium_chance::statistics::quantile;
use proscenium_lod::glam::DVec3;
use proscenium_lod::world::{Measure, Partner, Schedule, Thresholds};
use proscenium_lod::{Budget, Crowd, LodError, Settings, TreeSettings, Viewer, VolumeModel, World};
use proscenium_picture::plot::{Plot, Scale};
use proscenium_view::{Camera, Frustum};

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment, Figure};
use crate::results::Row;

/// The experiment `lod-schedulers`.
pub(crate) struct LodSchedulers;

const OBJECTS: usize = 80;
/// The share of collisions with a high priority, the same for every scheduler.
const HIGH: f64 = 0.4;
const BINS: usize = 6;
const RATE: f64 = 60.0;
/// Frames from which the threshold is learned, at least: five seconds have collisions.
const LEARNED: u32 = 300;
/// The schedulers of section 6.3, in its order, and chance: what a measure shows beyond it
/// is its own.
const SCHEDULERS: [Measure; 7] = [
    Measure::Size,
    Measure::Speed,
    Measure::Eccentricity,
    Measure::Gap,
    Measure::ProjectedGap,
    Measure::CollisionSpeed,
    Measure::Chance,
];
/// What bodies fall with, where they fall, m/s²: slowly, in a room of a few metres.
const FALL: f64 = 2.0;

impl Experiment for LodSchedulers {
    fn name(&self) -> &'static str {
        "lod-schedulers"
    }

    fn reproduces(&self) -> &'static str {
        "Dingliana 2002, figures 6.11 to 6.16"
    }

    fn summary(&self) -> &'static str {
        "80 objects in the frustum, floating and falling: the share of high-priority collisions by depth, speed and \
         eccentricity, of each measure and of chance"
    }

    fn columns(&self) -> &'static [&'static str] {
        &["scheduler", "falls", "by", "from", "to", "collisions", "high_share"]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        // Ten minutes, as in the paper.
        let frames = if context.quick() { 3_000 } else { 36_000 };
        context.plan(2.0 * SCHEDULERS.len() as f64);
        let tree = TreeSettings { depth: 3, ..TreeSettings::default() };
        let models = Crowd { triangles: 1500, tree, ..Crowd::default() }.models("crowd", &context.progress())?;
        let models = models.or_stopped()?;
        for (falls, measure) in [false, true].into_iter().flat_map(|falls| SCHEDULERS.map(|measure| (falls, measure))) {
            let how = if falls { "falling" } else { "floating" };
            context.doing(&format!("{}, {how}", measure.name()));
            // What falls is a comparison of our own, and a part of the time is enough.
            let frames = if falls { frames / 6 } else { frames };
            // Where the threshold lies is learned from a part of the scene.
            let learned = watched(&models, Schedule::by(measure), falls, (frames / 10).max(LEARNED), context)?;
            let scores: Vec<f64> = learned.iter().map(|seen| seen.score).collect();
            let edge = quantile(&scores, 1.0 - HIGH)?;
            let schedule = Schedule { thresholds: Thresholds::Fixed(vec![edge]), ..Schedule::by(measure) };
            let seen = watched(&models, schedule, falls, frames, context)?;
            for (name, value) in [
                ("depth", (|seen| seen.depth) as fn(&RankedCollision) -> f64),
                ("speed", |seen| seen.speed),
                ("eccentricity", |seen| seen.eccentricity),
            ] {
                rows.extend(binned((measure, falls), name, &seen, value)?);
            }
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude(rows)
    }
}

/// A collision as it was ranked.
struct RankedCollision {
    score: f64,
    high: bool,
    /// Metres from the eye, degrees per second, degrees from the gaze.
    depth: f64,
    speed: f64,
    eccentricity: f64,
}

fn camera() -> Result<Camera, Halt> {
    let mut camera = Camera::look_at(DVec3::new(0.0, 0.0, 5.0), DVec3::ZERO, 0.9, 1.3)?;
    (camera.near, camera.far) = (2.0, 9.0);
    Ok(camera)
}

/// Bodies that the sides of the frustum keep in view.
fn world(
    models: &[Arc<VolumeModel>],
    schedule: Schedule,
    falls: bool,
    camera: &Camera,
    context: &Context,
) -> Result<World, Halt> {
    let gravity = if falls { -FALL * DVec3::Y } else { DVec3::ZERO };
    let settings = Settings { gravity, schedule, deepest: 1, ..Settings::default() };
    let mut world = World::with(settings, context.seed())?;
    for plane in Frustum::of(camera)?.planes {
        world.add_wall(plane.normal, plane.offset * plane.normal)?;
    }
    let streams = context.seed().stream("lod schedulers");
    for index in 0..OBJECTS {
        let mut stream = streams.at(index as u64);
        let (x, y, depth) = (stream.uniform(), stream.uniform(), stream.uniform());
        // Equal chances for equal volumes of the frustum.
        let (near, far) = (camera.near + 0.4, camera.far - 0.4);
        let depth = libm::cbrt(near * near * near + depth * (far * far * far - near * near * near));
        let ray = camera.ray(0.1 + 0.8 * x, 0.1 + 0.8 * y);
        let position = ray.at(depth / ray.direction.dot(camera.forward));
        let motion = Motion {
            position,
            orientation: stream.rotation(),
            velocity: (0.3 + 1.7 * stream.uniform()) * stream.unit_vector(),
            spin: stream.unit_vector(),
        };
        // Nothing is lost, so that it goes on for ten minutes.
        world.add(&models[index % models.len()], motion, Material::new(700.0, 1.0, 0.0))?;
    }
    Ok(world)
}

/// Runs the scene and looks at every collision of two bodies.
fn watched(
    models: &[Arc<VolumeModel>],
    schedule: Schedule,
    falls: bool,
    frames: u32,
    context: &Context,
) -> Result<Vec<RankedCollision>, Halt> {
    let camera = camera()?;
    let mut world = world(models, schedule, falls, &camera, context)?;
    let viewer = Viewer::new(camera);
    let mut seen = Vec::new();
    for frame in 1..=frames {
        if frame.is_multiple_of(64) {
            context.check()?;
        }
        world.advance(f64::from(frame) / RATE, &[viewer], Budget::Unlimited)?;
        let collisions: Vec<_> = world.collisions().collect();
        for collision in collisions {
            let (Partner::Body(other), Some(score)) = (collision.partner, collision.score) else {
                continue;
            };
            let towards = collision.point - camera.position;
            let distance = towards.length().max(1e-9);
            let direction = towards / distance;
            let speed = |body| -> Result<f64, LodError> {
                Ok((world.motion(body)?.velocity.reject_from_normalized(direction).length() / distance).to_degrees())
            };
            let angle = libm::atan2(direction.cross(camera.forward).length(), direction.dot(camera.forward));
            seen.push(RankedCollision {
                score,
                high: collision.band == 0,
                depth: towards.dot(camera.forward),
                speed: 0.5 * (speed(collision.a)? + speed(other)?),
                eccentricity: angle.to_degrees(),
            });
        }
    }
    Ok(seen)
}

/// The share of high priorities in bins of equal numbers of collisions.
fn binned(
    (measure, falls): (Measure, bool),
    name: &str,
    seen: &[RankedCollision],
    value: fn(&RankedCollision) -> f64,
) -> Result<Vec<Row>, Halt> {
    let values: Vec<f64> = seen.iter().map(value).collect();
    let mut rows = Vec::new();
    for bin in 0..BINS {
        let edge = |at: usize| quantile(&values, at as f64 / BINS as f64);
        let (from, to) = (edge(bin)?, edge(bin + 1)?);
        let within = |at: f64| at >= from && (at < to || bin + 1 == BINS);
        let inside: Vec<&RankedCollision> = seen.iter().filter(|seen| within(value(seen))).collect();
        let high = inside.iter().filter(|seen| seen.high).count();
        rows.push(
            Row::new()
                .with("scheduler", scheduler_name(measure))
                .with("falls", falls)
                .with("by", name)
                .with("from", from)
                .with("to", to)
                .with("collisions", inside.len())
                .with("high_share", high as f64 / inside.len().max(1) as f64),
        );
    }
    Ok(rows)
}

/// What the control is called where schedules are.
fn scheduler_name(measure: Measure) -> &'static str {
    if measure == Measure::Chance { "random" } else { measure.name() }
}

fn shares(rows: &[Row], scheduler: &str, falls: bool, by: &str) -> Vec<(f64, f64)> {
    let is = |row: &Row, key: &str, name: &str| row.get(key).and_then(|value| value.as_str()) == Some(name);
    let does_fall = |row: &Row| row.get("falls").and_then(|value| value.as_bool()).unwrap_or(false);
    let own = rows.iter().filter(|row| is(row, "scheduler", scheduler) && is(row, "by", by) && does_fall(row) == falls);
    own.filter_map(|row| Some((0.5 * (row.number("from")? + row.number("to")?), row.number("high_share")?))).collect()
}

/// From the first bin to the last.
fn trend(shares: &[(f64, f64)]) -> Option<(f64, f64, &'static str)> {
    let (first, last) = (shares.first()?.1, shares.last()?.1);
    let found = match last - first {
        change if change > 0.05 => "rises",
        change if change < -0.05 => "falls",
        _ => "stays",
    };
    Some((first, last, found))
}

fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = Vec::new();
    // What the paper's figures show: falls, rises, or neither.
    for (scheduler, by, expected) in [
        ("size", "depth", "falls"),
        ("size", "speed", "rises"),
        ("speed", "depth", "rises"),
        ("speed", "speed", "falls"),
        ("eccentricity", "eccentricity", "falls"),
        ("projected-gap", "depth", "falls"),
    ] {
        if let Some((first, last, found)) = trend(&shares(rows, scheduler, false, by)) {
            let falling = trend(&shares(rows, scheduler, true, by));
            let falling = falling.map_or(String::new(), |(first, last, found)| {
                format!("; where bodies fall it {found} ({first:.2} to {last:.2})")
            });
            notes.push(format!(
                "By the {scheduler} scheduler, the share of high priorities {found} with {by} ({first:.2} to {last:.2}); in \
                 the paper it {expected}{falling}."
            ));
        }
    }
    for (falls, how) in [(false, "float"), (true, "fall")] {
        let all = ["depth", "speed", "eccentricity"].map(|by| shares(rows, "random", falls, by));
        let shares: Vec<f64> = all.iter().flatten().map(|(_, share)| *share).collect();
        if let Some(least) = shares.iter().copied().reduce(f64::min) {
            let most = shares.iter().copied().fold(least, f64::max);
            notes.push(format!(
                "Bands of the same share that chance fills have between {least:.2} and {most:.2} high priorities in every bin \
                 where bodies {how}: what differs more than that is the measure's doing. Round-robin has one band, and \
                 nothing to draw."
            ));
        }
    }
    let mut figures = Vec::new();
    for (by, falls, suffix, label) in [
        ("depth", false, "depth", "depth (m)"),
        ("speed", false, "speed", "apparent speed (degrees/s)"),
        ("eccentricity", false, "eccentricity", "eccentricity (degrees)"),
        ("depth", true, "depth-falling", "depth (m)"),
        ("speed", true, "speed-falling", "apparent speed (degrees/s)"),
        ("eccentricity", true, "eccentricity-falling", "eccentricity (degrees)"),
    ] {
        let how = if falls { "where bodies fall" } else { "where bodies float" };
        let mut plot =
            Plot::new(format!("High priorities by {by}, {how}")).x(label, Scale::Linear).y("share", Scale::Linear);
        let mut drawn = false;
        for measure in SCHEDULERS {
            let points = shares(rows, scheduler_name(measure), falls, by);
            if !points.is_empty() {
                plot = plot.line(scheduler_name(measure), points);
                drawn = true;
            }
        }
        if drawn {
            figures.push(Figure { suffix, svg: plot.to_svg()? });
        }
    }
    Ok(Conclusion { notes, figures })
}
