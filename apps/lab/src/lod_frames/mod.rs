//! Concave bodies in a closed box, frame by frame within a budget.

mod acuity;
mod conclude;

use std::sync::Arc;
use std::time::Duration;

use proscenium_bodies::Material;
use proscenium_chance::statistics::quantile;
use proscenium_lod::glam::DVec3;
use proscenium_lod::world::{ROOT_TESTS, Schedule};
use proscenium_lod::{BodyId, Budget, Crowd, LodError, Settings, TreeSettings, Viewer, VolumeModel, World};

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::results::Row;
use crate::timing::Timer;

/// The experiment `lod-frames`.
pub(crate) struct LodFrames;

/// Frames a second.
pub(crate) const RATE: f64 = 60.0;

impl Experiment for LodFrames {
    fn name(&self) -> &'static str {
        "lod-frames"
    }

    fn reproduces(&self) -> &'static str {
        "Dingliana 2002, figures 6.20 to 6.22 (50, 100 and 250 concave objects in a closed box)"
    }

    fn summary(&self) -> &'static str {
        "up to 10 000 concave bodies in a closed box: what a frame takes, and what is wrong with it"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "objects",
            "budget",
            "schedule",
            "pairs",
            "budget_us",
            "frame_us_p50",
            "frame_us_p99",
            "frame_us_max",
            "over_budget_share",
            "tests_over_budget",
            "mean_level",
            "error",
            "noticed_error",
            "falls",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let plan = plan(context.quick());
        context.plan(plan.iter().map(|case| case.objects as f64).sum());
        let tree = TreeSettings::default();
        let models = Crowd { tree, ..Crowd::default() }.models("crowd", &context.progress())?;
        let models = models.or_stopped()?;
        for case in &plan {
            context.doing(&format!("{} objects", case.objects));
            rows.extend(case.measure(&models, context)?);
            context.done(case.objects as f64);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude::conclude(rows)
    }
}

/// So many objects with so much time.
struct Case {
    objects: usize,
    /// The budget as it is given: on today's machines it covers all there is to
    /// do, and shows that frames are not late.
    budget_us: f64,
    /// Frames that are timed.
    frames: u32,
    /// Frames of which the errors are known.
    samples: u32,
    /// Whether bodies fall into a pile, or float as in the thesis.
    falls: bool,
}

fn plan(quick: bool) -> Vec<Case> {
    let case = |objects, budget_us, frames, samples| Case { objects, budget_us, frames, samples, falls: false };
    if quick {
        let falling = Case { falls: true, ..case(50, 500.0, 200, 10) };
        return vec![case(50, 500.0, 300, 15), falling, case(250, 2000.0, 1000, 10), case(1000, 8000.0, 400, 5)];
    }
    vec![
        case(50, 500.0, 3000, 60),
        case(100, 1000.0, 3000, 60),
        case(250, 2000.0, 5000, 60),
        case(1000, 8000.0, 5000, 30),
        case(4000, 33_000.0, 500, 10),
        case(10_000, 83_000.0, 200, 5),
        Case { falls: true, ..case(250, 2000.0, 600, 40) },
        Case { falls: true, ..case(1000, 8000.0, 400, 20) },
    ]
}

/// What bodies are made of: kg/m³, restitution, friction.
pub(crate) const MATERIAL: Material = Material::new(700.0, 0.95, 0.1);

/// So many bodies in a closed box without gravity, after bodies that overlap at
/// the start have parted; and who looks at them.
pub(crate) fn settled(objects: usize, models: &[Arc<VolumeModel>], context: &Context) -> Result<(World, Viewer), Halt> {
    begun(objects, models, DVec3::ZERO, context)
}

/// The same with some gravity: what falls is in the air or meets the floor.
fn begun(
    objects: usize,
    models: &[Arc<VolumeModel>],
    gravity: DVec3,
    context: &Context,
) -> Result<(World, Viewer), Halt> {
    let crowd = Crowd { count: objects, spacing: 1.5, material: MATERIAL, ..Crowd::default() };
    let radius = models.iter().map(|model| model.radius()).fold(0.0, f64::max);
    let viewer = crowd.viewer(radius, 16.0 / 9.0)?;
    let settings = Settings { gravity, ..Settings::default() };
    let mut world = crowd.world(models, settings, context.seed())?;
    for _ in 0..SETTLING {
        context.check()?;
        world.advance(world.now() + 1.0 / RATE, &[viewer], Budget::Unlimited)?;
    }
    Ok((world, viewer))
}

/// A budget in time, and the same one counted.
#[derive(Clone, Copy, Debug)]
struct Limits {
    name: &'static str,
    budget_us: f64,
    tests: u64,
}

/// What is compared: our own, all in turn, and bands of the same shares filled by
/// chance.
const SCHEDULES: [&str; 3] = ["perceptual", "round-robin", "random"];

/// Of what full depth spends beyond the root level, the share that a tight
/// budget allows.
const TIGHT: f64 = 0.25;
/// So many frames pass before anything is measured, until bodies that overlap
/// at the start have parted.
const SETTLING: u32 = 60;

impl Limits {
    /// The given budget with as many tests as full depth takes in that time;
    /// and a tight one, of the root level and a quarter of what full depth
    /// spends beyond it, in the time that this takes.
    fn both(world: &World, viewer: &Viewer, given_us: f64) -> Result<[Self; 2], LodError> {
        let full = spent(world.clone(), viewer, Budget::Unlimited)?;
        let tight = (full.root + TIGHT * (full.units - full.root).max(0.0)) as u64;
        let took = spent(world.clone(), viewer, Budget::Tests(tight))?;
        let given = (full.units * given_us / full.microseconds).max(full.root) as u64;
        Ok([
            Self { name: "given", budget_us: given_us, tests: given },
            Self { name: "tight", budget_us: took.microseconds, tests: tight },
        ])
    }

    /// A frame within the budget: the given one is a time, and the tight one is
    /// counted, so that it replays.
    fn advance(&self, world: &mut World, viewer: &Viewer) -> Result<(), LodError> {
        let now = world.now() + 1.0 / RATE;
        let timer = Timer::start();
        let clock = || timer.elapsed();
        let budget = match self.name {
            "given" => Budget::Time(Duration::from_secs_f64(self.budget_us * 1e-6), &clock),
            _ => Budget::Tests(self.tests),
        };
        world.advance(now, &[*viewer], budget).map(|_| ())
    }
}

/// What frames spend on the average, the most that their root level does, and
/// how long the middle one takes.
struct Spent {
    units: f64,
    root: f64,
    microseconds: f64,
}

fn spent(mut world: World, viewer: &Viewer, budget: Budget<'_>) -> Result<Spent, LodError> {
    let frames = 30;
    let (mut units, mut root, mut times) = (0.0, 0.0_f64, Vec::new());
    for _ in 0..frames {
        let timer = Timer::start();
        let report = world.advance(world.now() + 1.0 / RATE, &[*viewer], budget)?;
        times.push(timer.elapsed().as_secs_f64() * 1e6);
        units += report.spent as f64 / f64::from(frames);
        root = root.max((report.candidates + report.pairs * ROOT_TESTS) as f64);
    }
    times.sort_by(f64::total_cmp);
    Ok(Spent { units, root, microseconds: times[times.len() / 2] })
}

impl Case {
    fn measure(&self, models: &[Arc<VolumeModel>], context: &Context) -> Result<Vec<Row>, Halt> {
        let gravity = if self.falls { Settings::default().gravity } else { DVec3::ZERO };
        let (world, viewer) = begun(self.objects, models, gravity, context)?;
        let mut rows = Vec::new();
        for limits in Limits::both(&world, &viewer, self.budget_us)? {
            let errors = self.errors(world.clone(), &viewer, &limits, context)?;
            for (name, error) in SCHEDULES.into_iter().zip(errors) {
                let mut world = world.clone();
                world.set_schedule(Schedule::find(name)?)?;
                let counted = self.counted(world.clone(), &viewer, limits.tests, context)?;
                let timed = self.timed(world, &viewer, limits.budget_us, context)?;
                rows.push(self.row(&limits, &timed, counted, error).with("schedule", name));
            }
        }
        Ok(rows)
    }

    fn row(&self, limits: &Limits, timed: &Timed, counted: (u64, f64), error: Errors) -> Row {
        let at = |share: f64| quantile(&timed.frame_us, share).ok();
        let over = timed.frame_us.iter().filter(|took| **took > 1.1 * limits.budget_us).count();
        Row::new()
            .with("objects", self.objects)
            .with("budget", limits.name)
            .with("pairs", timed.pairs)
            .with("budget_us", limits.budget_us)
            .with("frame_us_p50", at(0.5))
            .with("frame_us_p99", at(0.99))
            .with("frame_us_max", at(1.0))
            .with("over_budget_share", over as f64 / timed.frame_us.len() as f64)
            .with("tests_over_budget", counted.0)
            .with("mean_level", timed.mean_level)
            .with("error", error.plain)
            .with("noticed_error", error.noticed)
            .with("falls", self.falls)
            .with("frames", self.frames)
            .with("tests", timed.tests)
            .with("budget_tests", limits.tests)
            .with("counted_mean_level", counted.1)
            .with("uncovered", timed.uncovered)
    }

    fn timed(&self, mut world: World, viewer: &Viewer, budget_us: f64, context: &Context) -> Result<Timed, Halt> {
        let mut timed = Timed::default();
        let budget = Duration::from_secs_f64(budget_us * 1e-6);
        // Rates are learned, pages touched and caches warmed before it counts.
        let warm = 20;
        for frame in 1..=self.frames + warm {
            context.check()?;
            let timer = Timer::start();
            let clock = || timer.elapsed();
            let report = world.advance(world.now() + 1.0 / RATE, &[*viewer], Budget::Time(budget, &clock))?;
            let took = timer.elapsed().as_secs_f64() * 1e6;
            if frame > warm {
                timed.frame_us.push(took);
                timed.pairs += report.pairs as f64 / f64::from(self.frames);
                timed.tests += report.tests as f64 / f64::from(self.frames);
                timed.mean_level += report.mean_level / f64::from(self.frames);
                timed.uncovered += report.uncovered;
            }
        }
        Ok(timed)
    }

    /// Frames that passed a counted budget, and the mean level.
    fn counted(&self, mut world: World, viewer: &Viewer, tests: u64, context: &Context) -> Result<(u64, f64), Halt> {
        let (mut over, mut level) = (0, 0.0);
        let frames = self.frames.min(200);
        for _ in 0..frames {
            context.check()?;
            let report = world.advance(world.now() + 1.0 / RATE, &[*viewer], Budget::Tests(tests))?;
            over += u64::from(report.spent > tests);
            level += report.mean_level / f64::from(frames);
        }
        Ok((over, level))
    }

    /// What frames get wrong under a budget by each schedule, from the same state: the velocities after
    /// the frame against those of a frame without a budget.
    fn errors(
        &self,
        mut world: World,
        viewer: &Viewer,
        limits: &Limits,
        context: &Context,
    ) -> Result<[Errors; SCHEDULES.len()], Halt> {
        let mut errors = [Errors::default(); SCHEDULES.len()];
        let between = 5;
        for frame in 1..=self.samples * between {
            context.check()?;
            let now = world.now() + 1.0 / RATE;
            if frame.is_multiple_of(between) {
                let mut truth = world.clone();
                truth.advance(now, &[*viewer], Budget::Unlimited)?;
                for (errors, schedule) in errors.iter_mut().zip(SCHEDULES) {
                    let mut tried = world.clone();
                    tried.set_schedule(Schedule::find(schedule)?)?;
                    limits.advance(&mut tried, viewer)?;
                    errors.add(&world, &truth, &tried, viewer)?;
                }
            }
            limits.advance(&mut world, viewer)?;
        }
        Ok(errors.map(Errors::mean))
    }
}

#[derive(Default)]
struct Timed {
    frame_us: Vec<f64>,
    pairs: f64,
    tests: f64,
    mean_level: f64,
    uncovered: u64,
}

/// Errors of velocities, as shares of the mean speed.
#[derive(Clone, Copy, Debug, Default)]
struct Errors {
    plain: f64,
    noticed: f64,
    weight: f64,
    bodies: f64,
}

impl Errors {
    fn add(&mut self, before: &World, truth: &World, tried: &World, viewer: &Viewer) -> Result<(), LodError> {
        let count = before.len() as u32;
        let speed = (0..count).try_fold(0.0, |sum, body| {
            Ok::<f64, LodError>(sum + before.motion(BodyId(body))?.velocity.length() / f64::from(count))
        })?;
        for body in (0..count).map(BodyId) {
            let (was, right, came) = (before.motion(body)?, truth.motion(body)?, tried.motion(body)?);
            let radius = before.model(body)?.radius();
            let off = came.velocity.distance(right.velocity) + radius * came.spin.distance(right.spin);
            let weight = acuity::weight(&viewer.camera, was.position, was.velocity, radius);
            self.plain += off / speed.max(1e-9);
            self.noticed += weight * off / speed.max(1e-9);
            self.weight += weight;
            self.bodies += 1.0;
        }
        Ok(())
    }

    fn mean(self) -> Self {
        let noticed = self.noticed / self.weight.max(f64::MIN_POSITIVE);
        Self { plain: self.plain / self.bodies.max(1.0), noticed, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_work::Progress;

    /// One small row, measured for real.
    #[test]
    fn a_row_has_what_was_promised() {
        let tree = TreeSettings { depth: 3, ..TreeSettings::default() };
        let models = Crowd { triangles: 600, tree, ..Crowd::default() }.models("knots", &Progress::none());
        let models = models.unwrap().finished().unwrap();
        let case = Case { objects: 27, budget_us: 2000.0, frames: 10, samples: 2, falls: true };
        let rows = case.measure(&models, &Context::new(1, true)).unwrap();
        assert_eq!(rows.len(), 2 * SCHEDULES.len());
        for row in &rows {
            assert!(LodFrames.columns().iter().all(|key| row.get(key).is_some()));
            assert_eq!(row.number("tests_over_budget"), Some(0.0));
        }
        assert!(conclude::conclude(&rows).unwrap().notes.len() > 1);
    }
}
