//! Concave bodies in a box whose collisions are handled within a time: as fine
//! as it allows, and finest where one looks.

mod clip;
mod models;
mod trial;

use std::sync::Arc;
use std::time::{Duration, Instant};

use proscenium_chance::Seed;
use proscenium_lod::glam::{DAffine3, DQuat, DVec3};
use proscenium_lod::scene::{SCENES, figure_of};
use proscenium_lod::world::{Measure, Partner, Schedule};
use proscenium_lod::{BodyId, Budget, Crowd, FrameReport, LodError, Settings, Viewer, World};
use proscenium_view::Camera;

use crate::api::{
    CollisionsColours, CollisionsControl, CollisionsFacts, CollisionsStatistics, LiveFinish, LiveHello, LiveShape,
    LiveSolid, LiveStill, Problem,
};
use crate::failure::Failure;
use crate::live::{Costs, Instances, LiveWorld};
use crate::stream::problem;
use crate::workspace::Workspace;

pub use clip::clip;
pub use models::Models;
use models::{Filling, uploaded};
use trial::Trial;

/// So many bodies are there at first, and at most.
const FIRST: usize = 120;
const MOST: u32 = 4000;
/// What a frame may take at first, at least and at most, µs.
const FIRST_BUDGET: f64 = 1000.0;
const LEAST_BUDGET: f64 = 20.0;
const MOST_BUDGET: f64 = 50_000.0;
/// A longer step is cut short: a slow machine shows slow motion, not jumps.
const LONGEST_STEP: f64 = 1.0 / 30.0;
/// Passing the budget by less than this is not late.
const LATE: f64 = 1.1;
/// How thick the edges of the box are, as a share of its side.
const EDGE: f64 = 0.004;

/// The colour of a collision fades within this time, s: most last a frame.
const FADES: f64 = 0.7;

/// Colours by level, from the coarsest to the finest, and of what touches
/// nothing.
const BY_LEVEL: [[u8; 3]; 6] = [
    [0xd7, 0x30, 0x27],
    [0xf4, 0x6d, 0x43],
    [0xfd, 0xae, 0x61],
    [0xa6, 0xd9, 0x6a],
    [0x4c, 0xb2, 0x7c],
    [0x3d, 0x7e, 0xd8],
];
/// Colours by band of priority, the highest first; the last is out of view.
const BY_BAND: [[u8; 3]; 5] =
    [[0xc5, 0x1b, 0x7d], [0xe0, 0x82, 0x14], [0xf0, 0xc4, 0x74], [0x86, 0xb1, 0xee], [0x9a, 0x8f, 0xb8]];
const ALONE: [u8; 3] = [0xb9, 0xbd, 0xc2];
/// Colours of the meshes, in turn.
const PLAIN: [&str; 6] = ["#c8503a", "#3d7ed8", "#e0a62c", "#4c9a62", "#8a5aa8", "#b9b3a4"];

/// Bodies in a box.
pub struct Collisions {
    models: Arc<Models>,
    workspace: Workspace,
    filled_with: String,
    fillings: Vec<Filling>,
    crowd: Crowd,
    settings: Settings,
    world: World,
    /// Half the side of the box.
    half: f64,
    budget: f64,
    gaze: Option<[f64; 2]>,
    colours: CollisionsColours,
    is_new: bool,
    told: Tally,
    trouble: Option<Problem>,
    /// A condition of the experiment with the gaze.
    trial: Option<Trial>,
}

/// What happened since it began, and since it was last told.
#[derive(Default)]
struct Tally {
    costs: Costs,
    frames: u64,
    late: u64,
    last: FrameReport,
    levels: Vec<u32>,
    bands: Vec<u32>,
    /// Of every body: the most important of its latest collisions.
    of_body: Vec<Option<LatestCollision>>,
}

/// A collision of a body.
#[derive(Clone, Copy)]
struct LatestCollision {
    band: u32,
    level: u32,
    time: f64,
}

impl Collisions {
    /// A box with some of every built-in mesh.
    ///
    /// # Errors
    ///
    /// Never for the built-in meshes.
    pub fn open(models: &Arc<Models>, workspace: &Workspace) -> Result<Self, Failure> {
        let filled_with = "crowd".to_owned();
        let fillings = models.scene(&filled_with).map_err(|error| Failure::machine(&error))?;
        let material = proscenium_bodies::Material::new(700.0, 0.9, 0.15);
        let crowd = Crowd { count: FIRST, spacing: 1.5, speed: 1.0, material, ..Crowd::default() };
        let settings = Settings { gravity: DVec3::ZERO, ..Settings::default() };
        let mut collisions = Self {
            models: Arc::clone(models),
            workspace: workspace.clone(),
            filled_with,
            fillings,
            crowd,
            settings,
            world: World::new(),
            half: 1.0,
            budget: FIRST_BUDGET,
            gaze: None,
            colours: CollisionsColours::Level,
            is_new: true,
            told: Tally::default(),
            trouble: None,
            trial: None,
        };
        collisions.begin().map_err(|error| Failure::machine(&error))?;
        Ok(collisions)
    }

    /// Puts all bodies at their places anew.
    fn begin(&mut self) -> Result<(), LodError> {
        let models: Vec<_> = self.fillings.iter().map(|filling| Arc::clone(&filling.model)).collect();
        let radius = models.iter().map(|model| model.radius()).fold(0.0, f64::max);
        let (crowd, settings, seed) = match &self.trial {
            Some(trial) => (&trial.crowd, &trial.settings, trial.seed),
            None => (&self.crowd, &self.settings, Seed(1)),
        };
        self.world = crowd.world(&models, settings.clone(), seed)?;
        self.half = crowd.half_box(radius);
        self.told = Tally::default();
        self.is_new = true;
        Ok(())
    }

    /// The box stands on the ground; the world has its middle at the origin.
    fn lift(&self) -> DVec3 {
        DVec3::new(0.0, self.half * (1.0 + 2.0 * EDGE), 0.0)
    }

    fn shapes(&self) -> Vec<LiveShape> {
        let of = |(number, filling): (usize, &Filling)| LiveShape {
            name: filling.model.name().to_owned(),
            solid: filling.drawn.clone(),
            colour: PLAIN[number % PLAIN.len()].to_owned(),
            finish: LiveFinish::Plain,
        };
        let thick = EDGE * 2.0 * self.half;
        let edge = LiveShape {
            name: "edge of the box".to_owned(),
            solid: LiveSolid::Box([self.half + thick, thick, thick]),
            colour: "#8c929a".to_owned(),
            finish: LiveFinish::Metal,
        };
        self.fillings.iter().enumerate().map(of).chain([edge]).collect()
    }

    /// The twelve edges of the box.
    fn edges(&self) -> Vec<LiveStill> {
        let shape = self.fillings.len() as u32;
        let (half, lift) = (self.half, self.lift());
        let turns = [DQuat::IDENTITY, DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2), {
            DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2)
        }];
        let mut edges = Vec::new();
        for (axis, turn) in turns.into_iter().enumerate() {
            for (one, other) in [(-half, -half), (-half, half), (half, -half), (half, half)] {
                let mut place = DVec3::ZERO;
                place[(axis + 1) % 3] = one;
                place[(axis + 2) % 3] = other;
                edges.push(LiveStill { shape, position: (place + lift).to_array(), rotation: turn.to_array() });
            }
        }
        edges
    }

    fn step(&mut self, seconds: f64, view: &Camera) -> Result<(), LodError> {
        let camera = Camera { position: view.position - self.lift(), ..*view };
        let gaze = match &mut self.trial {
            Some(trial) => trial.gaze(self.gaze),
            None => self.gaze,
        };
        let viewer = Viewer { camera, gaze };
        let to = self.world.now() + seconds.min(LONGEST_STEP);
        let began = Instant::now();
        let clock = || began.elapsed();
        let budget = match self.trial {
            Some(_) => Budget::Unlimited,
            None => Budget::Time(Duration::from_secs_f64(self.budget * 1e-6), &clock),
        };
        let report = self.world.advance(to, &[viewer], budget)?;
        let cost = began.elapsed().as_secs_f64() * 1e6;
        self.told.frames += 1;
        self.told.late += u64::from(self.trial.is_none() && cost > LATE * self.budget);
        self.told.costs.add(to, cost);
        self.told.last = report;
        self.count();
        Ok(())
    }

    /// Sorts the collisions of the frame by level, band and body.
    fn count(&mut self) {
        let Tally { levels, bands, of_body, .. } = &mut self.told;
        let time = self.world.now();
        of_body.resize(self.world.len(), None);
        levels.clear();
        bands.clear();
        let count = |list: &mut Vec<u32>, at: u32| {
            let at = at as usize;
            if list.len() <= at {
                list.resize(at + 1, 0);
            }
            list[at] += 1;
        };
        for collision in self.world.collisions() {
            count(levels, collision.level);
            count(bands, collision.band);
            let other = match collision.partner {
                Partner::Body(other) => Some(other),
                Partner::Wall(_) => None,
            };
            for body in [Some(collision.a), other].into_iter().flatten() {
                let known = &mut of_body[body.0 as usize];
                let is_first = known.is_none_or(|met| {
                    let (ours, best) = ((collision.band, met.level), (met.band, collision.level));
                    met.time < time || ours < best
                });
                if is_first {
                    *known = Some(LatestCollision { band: collision.band, level: collision.level, time });
                }
            }
        }
    }

    fn colour(&self, body: usize) -> Option<[u8; 3]> {
        let at = |colours: &[[u8; 3]], index: u32| colours[(index as usize).min(colours.len() - 1)];
        let met = self.told.of_body.get(body).copied().flatten();
        let faded = |colour: [u8; 3], met: LatestCollision| {
            let share = ((self.world.now() - met.time) / FADES).clamp(0.0, 1.0);
            let mix = |one: u8, other: u8| (f64::from(one) + share * (f64::from(other) - f64::from(one))) as u8;
            std::array::from_fn(|channel| mix(colour[channel], ALONE[channel]))
        };
        match (self.colours, met) {
            _ if self.trial.is_some() => None,
            (CollisionsColours::Plain, _) => None,
            (_, None) => Some(ALONE),
            (CollisionsColours::Level, Some(met)) => Some(faded(at(&BY_LEVEL, met.level), met)),
            (CollisionsColours::Priority, Some(met)) => Some(faded(at(&BY_BAND, met.band), met)),
        }
    }

    fn draw(&self, instances: &mut Instances) -> Result<(), LodError> {
        let lift = self.lift();
        for body in 0..self.world.len() {
            let motion = self.world.motion(BodyId(body as u32))?;
            let pose = DAffine3::from_rotation_translation(motion.orientation, motion.position + lift);
            instances.push(body % self.fillings.len(), &pose, body as u32, self.colour(body));
        }
        Ok(())
    }

    /// Does what was asked for; `Err` says why it cannot be done.
    fn change(&mut self, control: CollisionsControl) -> Result<(), Problem> {
        match control {
            CollisionsControl::Budget(budget) if (LEAST_BUDGET..=MOST_BUDGET).contains(&budget) => {
                self.budget = budget;
                self.told.frames = 0;
                self.told.late = 0;
            }
            CollisionsControl::Budget(budget) => {
                let help = format!("give from {LEAST_BUDGET} to {MOST_BUDGET} µs");
                return Err(problem(&format!("{budget} µs is no budget for a frame"), &help));
            }
            CollisionsControl::Bodies(count) if (1..=MOST).contains(&count) => {
                self.crowd.count = count as usize;
                self.begin().map_err(|error| broken(&error))?;
            }
            CollisionsControl::Bodies(count) => {
                return Err(problem(
                    &format!("there is no room for {count} bodies"),
                    &format!("give from 1 to {MOST}"),
                ));
            }
            CollisionsControl::Scene(name) => {
                let fillings = self.models.scene(&name);
                self.fill(name, fillings.map_err(|error| problem(&error.to_string(), "choose one of them"))?)?;
            }
            CollisionsControl::Mesh(name) => {
                let filling = uploaded(&self.workspace, &name).map_err(|failure| failure.problem)?;
                self.fill(name, vec![filling])?;
            }
            CollisionsControl::Schedule(name) => {
                let found = Schedule::find(&name).map_err(|error| problem(&error.to_string(), "choose one of them"))?;
                self.settings.schedule = found.clone();
                self.world.set_schedule(found).map_err(|error| broken(&error))?;
            }
            CollisionsControl::Gaze(gaze) => {
                if gaze.is_some_and(|place| place.iter().any(|share| !(0.0..=1.0).contains(share))) {
                    return Err(problem("one cannot look there", "both are shares of the picture, from 0 to 1"));
                }
                self.gaze = gaze;
            }
            CollisionsControl::Gravity(falls) => {
                self.settings.gravity = if falls { Settings::default().gravity } else { DVec3::ZERO };
                self.begin().map_err(|error| broken(&error))?;
            }
            CollisionsControl::Colours(colours) => self.colours = colours,
            CollisionsControl::Trial(condition) => {
                self.trial = condition.map(|number| Trial::of(number, &self.crowd)).transpose()?;
                self.begin().map_err(|error| broken(&error))?;
            }
        }
        Ok(())
    }

    fn fill(&mut self, name: String, fillings: Vec<Filling>) -> Result<(), Problem> {
        self.crowd.figure = figure_of(&name);
        (self.filled_with, self.fillings) = (name, fillings);
        self.begin().map_err(|error| broken(&error))
    }
}

impl LiveWorld for Collisions {
    type Control = CollisionsControl;
    type Facts = CollisionsFacts;
    type Statistics = CollisionsStatistics;
    const CONTROLS: &'static str =
        "say { \"budget\": 2000 }, { \"bodies\": 200 }, { \"scene\": \"knots\" } or { \"gaze\": [0.5, 0.5] }";

    fn hello(&mut self) -> LiveHello {
        let lift = self.lift();
        // In the experiment objects appear as large in every condition.
        let size = self.trial.as_ref().map_or(self.half, |trial| trial.largest_half);
        let eye = lift + size * DVec3::new(1.6, 1.1, 4.3);
        LiveHello {
            shapes: self.shapes(),
            still: self.edges(),
            bounds: [(lift - self.half).to_array(), (lift + self.half).to_array()],
            eye: eye.to_array(),
            target: (lift - DVec3::Y * 0.05 * self.half).to_array(),
            far: 30.0 * self.half,
            ..LiveHello::default()
        }
    }

    fn facts(&mut self) -> CollisionsFacts {
        let triangles = |body: usize| self.fillings[body % self.fillings.len()].model.mesh().triangles().len();
        CollisionsFacts {
            filled_with: self.filled_with.clone(),
            scenes: SCENES.map(str::to_owned).to_vec(),
            schedules: ["perceptual", "round-robin", "random"]
                .into_iter()
                .chain(Measure::ALL.map(Measure::name))
                .map(str::to_owned)
                .collect(),
            bodies: self.world.len() as u32,
            triangles: (0..self.world.len()).map(triangles).sum::<usize>() as f64,
            deepest: self.fillings.iter().map(|filling| filling.model.depth()).max().unwrap_or(0),
            level_colours: BY_LEVEL.map(web_colour).to_vec(),
            band_colours: BY_BAND.map(web_colour).to_vec(),
            alone_colour: web_colour(ALONE),
            mended: self.fillings.iter().find_map(|filling| filling.mended.clone()),
        }
    }

    fn is_new(&mut self) -> &mut bool {
        &mut self.is_new
    }

    fn control(&mut self, control: CollisionsControl) -> Result<(), Problem> {
        // What cannot be done is told, and the world goes on as it was.
        self.trouble = self.change(control).err();
        Ok(())
    }

    fn advance(&mut self, seconds: f64, view: &Camera, instances: &mut Instances) -> Result<(), Problem> {
        if seconds > 0.0 {
            self.step(seconds, view).map_err(|error| broken(&error))?;
        }
        self.draw(instances).map_err(|error| broken(&error))
    }

    fn statistics(&mut self) -> CollisionsStatistics {
        let report = self.told.last;
        CollisionsStatistics {
            time: self.world.now(),
            budget: self.trial.is_none().then_some(self.budget),
            costs: self.told.costs.take(),
            frames: (self.told.frames as f64, self.told.late as f64),
            pairs: report.pairs as u32,
            collisions: report.collisions as u32,
            tests: report.tests as f64,
            held: report.held as u32,
            mean_level: report.mean_level,
            levels: self.told.levels.clone(),
            bands: self.told.bands.clone(),
            trouble: self.trouble.clone(),
        }
    }
}

/// A colour as the web has it.
fn web_colour([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The world cannot go on.
fn broken(error: &dyn std::fmt::Display) -> Problem {
    problem(&error.to_string(), "reload the page; if it happens again, take fewer bodies or another mesh")
}
