//! The field: a banner of flags that walks through its motion graph for ever,
//! in the wind that somebody blows; and beside it the meadow ([`Meadow`]).

mod graphs;
mod meadow;
mod planting;
mod spare;

use std::sync::Arc;
use std::time::Instant;

use proscenium_ensemble::data::{Group, SequenceInfo};
use proscenium_ensemble::transition::Transition;
use proscenium_ensemble::{MotionGraph, Player, Seed};
use proscenium_view::Camera;

use crate::api::{
    FieldControl, FieldFacts, FieldMaking, FieldStatistics, LiveBent, LiveFinish, LiveHello, LiveShape, LiveSolid,
    LiveStill, Problem,
};
use crate::jobs::State;
use crate::live::{Costs, Instances, LiveWorld};
use crate::stream::problem;

pub use graphs::{Graphs, Model};
pub use meadow::Meadow;

/// So many flags hang here at first, at least, and at most.
const FIRST: u32 = 6;
const LEAST: u32 = 1;
const MOST: u32 = 100;
/// The rope hangs so high above the ground, m.
const HEIGHT: f64 = 2.2;
/// How far one sees, m.
const FAR: f64 = 60.0;
/// Flags by turns, what they hang on, and what is in transition.
const CLOTH: [&str; 5] = ["#d5533f", "#e8a83b", "#3f8f6b", "#3f73b8", "#efe9dc"];
const ROPE: &str = "#8a6b49";
const POSTS: &str = "#6b5236";
const BLENDING: [u8; 3] = [255, 235, 60];

/// A banner in the wind.
pub struct Field {
    graphs: Arc<Graphs>,
    flags: u32,
    /// From 0 to 1.
    wind: f64,
    groups: Vec<Group>,
    walk: Option<Walk>,
    making: Option<FieldMaking>,
    problem: Option<String>,
    /// Where the vertices are, m, with the ground at height 0.
    positions: Vec<[f32; 3]>,
    now: f64,
    is_new: bool,
    costs: Costs,
}

/// What a page has of something that is made beside it.
enum Wait<T> {
    /// It is being made.
    Making(FieldMaking),
    /// It is there.
    Ready(Arc<T>),
    /// It will not be there, since:
    Problem(String),
}

fn wait_for<T>(state: State<T>) -> Wait<T> {
    match state {
        State::Idle | State::Waiting => {
            Wait::Making(FieldMaking { doing: "waiting for its turn".to_owned(), done: 0.0 })
        }
        State::Working { doing, done } => Wait::Making(FieldMaking { doing, done }),
        State::Ready(made) => Wait::Ready(made),
        State::Stopped => Wait::Problem("it was stopped before it was done".to_owned()),
        State::Failed(Problem { error, help, .. }) if help.is_empty() => Wait::Problem(error),
        State::Failed(Problem { error, help, .. }) => Wait::Problem(format!("{error}: {help}")),
    }
}

/// A walk, once there is a graph.
struct Walk {
    graph: Arc<MotionGraph>,
    bytes: usize,
    player: Player,
    /// When it began, s.
    since: f64,
}

impl Field {
    /// A banner, whose graph is made beside it if it is not there.
    pub fn open(graphs: &Arc<Graphs>) -> Self {
        let mut field = Self {
            graphs: Arc::clone(graphs),
            flags: FIRST,
            wind: 0.0,
            groups: Vec::new(),
            walk: None,
            making: None,
            problem: None,
            positions: Vec::new(),
            now: 0.0,
            is_new: true,
            costs: Costs::default(),
        };
        field.hang(FIRST);
        field
    }

    /// Hangs up so many flags, which rest until their graph is there.
    fn hang(&mut self, flags: u32) {
        self.flags = flags;
        self.groups = Model::Banner(flags).generator().model.groups().to_vec();
        self.positions = self.groups.iter().flat_map(|group| group.rest.iter().copied()).collect();
        (self.walk, self.making, self.problem) = (None, None, None);
        self.is_new = true;
    }

    /// Begins to walk as soon as there is a graph.
    fn wait(&mut self) {
        self.making = None;
        match wait_for(self.graphs.look(Model::Banner(self.flags))) {
            Wait::Making(making) => self.making = Some(making),
            Wait::Problem(problem) => self.problem = Some(problem),
            Wait::Ready(stored) => match Player::new(&stored.graph, Seed(1)) {
                Ok(player) => {
                    let (graph, bytes) = (Arc::clone(&stored.graph), stored.bytes);
                    self.groups = graph.data().groups().to_vec();
                    self.walk = Some(Walk { graph, bytes, player, since: self.now });
                    self.is_new = true;
                    self.blow();
                }
                Err(error) => self.problem = Some(error.to_string()),
            },
        }
    }

    /// Wants the level of the wind that blows.
    fn blow(&mut self) {
        let Some(walk) = &mut self.walk else { return };
        let levels: Vec<usize> = walk.graph.levels().collect();
        let number = (self.wind * levels.len() as f64) as usize;
        let level = levels[number.min(levels.len() - 1)];
        if walk.player.wanted() != level {
            // Every level of a graph can be reached from every other.
            let _ = walk.player.want(level);
        }
    }

    /// How the groups hang together.
    fn bent(&self) -> LiveBent {
        let mut bent = LiveBent::default();
        let mut first = 0;
        for (number, group) in self.groups.iter().enumerate() {
            let is_rope = group.attachment.is_none();
            bent.parts.push(group.rest.len() as u32);
            bent.colours.push(if is_rope { ROPE } else { CLOTH[number % CLOTH.len()] }.to_owned());
            bent.indices.extend(group.triangles.iter().flatten().map(|vertex| first + vertex));
            first += group.rest.len() as u32;
        }
        bent
    }
}

impl LiveWorld for Field {
    type Control = FieldControl;
    type Facts = FieldFacts;
    type Statistics = FieldStatistics;
    const CONTROLS: &'static str = "say { \"wind\": 0.5 } or { \"flags\": 6 }";

    fn hello(&mut self) -> LiveHello {
        let rest = self.groups.iter().flat_map(|group| &group.rest);
        let reach = rest.map(|vertex| f64::from(vertex[0].abs())).fold(0.0, f64::max);
        let half = reach.max(1.0);
        let post = [0.02, 0.5 * HEIGHT + 0.04, 0.02];
        let posts = LiveShape {
            name: "posts".to_owned(),
            solid: LiveSolid::Box(post),
            colour: POSTS.to_owned(),
            finish: LiveFinish::Plain,
        };
        let stands = |x: f64| LiveStill { shape: 0, position: [x, post[1], 0.0], rotation: [0.0, 0.0, 0.0, 1.0] };
        // A large banner is looked at from within.
        let away = (2.4 * half).clamp(1.3, 9.0);
        LiveHello {
            shapes: vec![posts],
            still: [-reach, reach].map(stands).to_vec(),
            bent: Some(self.bent()),
            bounds: [[-half, 0.0, -1.0], [half, HEIGHT + 0.5, 1.0]],
            eye: [-0.35 * away, HEIGHT - 0.2, 1.1 * away],
            target: [0.0, HEIGHT - 0.3, 0.0],
            far: FAR,
            ..LiveHello::default()
        }
    }

    fn facts(&mut self) -> FieldFacts {
        let levels = Model::Banner(self.flags).generator().levels;
        let mut facts = FieldFacts {
            name: "banner".to_owned(),
            flags: self.flags,
            levels: levels.into_iter().map(|(condition, _)| (condition.name, condition.intensity)).collect(),
            rate: 0.0,
            sequences: Vec::new(),
            transitions: Vec::new(),
            bytes: 0.0,
        };
        if let Some(walk) = &self.walk {
            let data = walk.graph.data();
            facts.rate = data.frames_per_second();
            facts.bytes = walk.bytes as f64;
            let sequence = |sequence: &SequenceInfo| (sequence.condition as u32, sequence.frames as u32);
            facts.sequences = data.sequences().iter().map(sequence).collect();
            let ends = |transition: &Transition| {
                let (from, to) = (transition.from, transition.to);
                [from.sequence, from.frame, to.sequence, to.frame]
            };
            facts.transitions = walk.graph.transitions().iter().map(ends).collect();
        }
        facts
    }

    fn is_new(&mut self) -> &mut bool {
        &mut self.is_new
    }

    fn control(&mut self, control: FieldControl) -> Result<(), Problem> {
        match control {
            FieldControl::Wind(strength) if (0.0..=1.0).contains(&strength) => {
                self.wind = strength;
                self.blow();
                Ok(())
            }
            FieldControl::Wind(strength) => {
                Err(problem(&format!("the wind cannot blow as strongly as {strength}"), "give from 0 to 1"))
            }
            FieldControl::Flags(flags) if (LEAST..=MOST).contains(&flags) => {
                self.hang(flags);
                Ok(())
            }
            FieldControl::Flags(flags) => {
                Err(problem(&format!("there is no rope for {flags} flags"), &format!("give from {LEAST} to {MOST}")))
            }
        }
    }

    fn advance(&mut self, seconds: f64, _: &Camera, instances: &mut Instances) -> Result<(), Problem> {
        self.now += seconds;
        if self.walk.is_none() && self.problem.is_none() {
            self.wait();
        }
        let mut positions = std::mem::take(&mut self.positions);
        if let Some(walk) = &mut self.walk {
            let began = Instant::now();
            let frame = (self.now - walk.since) * walk.graph.data().frames_per_second();
            walk.player.see(frame.max(0.0) as u64);
            walk.player.positions(&mut positions);
            self.costs.since(began, self.now);
        }
        let raised: Vec<[f32; 3]> = positions.iter().map(|[x, y, z]| [*x, y + HEIGHT as f32, *z]).collect();
        let player = self.walk.as_ref().map(|walk| &walk.player);
        let glows = |group: usize| player.is_some_and(|player| player.is_blending(group)).then_some(BLENDING);
        instances.bend(&raised, (0..self.groups.len()).map(glows));
        self.positions = positions;
        Ok(())
    }

    fn statistics(&mut self) -> FieldStatistics {
        let mut told = FieldStatistics {
            time: self.now,
            making: self.making.clone(),
            problem: self.problem.clone(),
            level: 0,
            wanted: 0,
            arrives: 0.0,
            moment: [0; 2],
            transition: None,
            blending: 0,
            taken: 0,
            costs: self.costs.take(),
        };
        if let Some(walk) = &self.walk {
            let (player, rate) = (&walk.player, walk.graph.data().frames_per_second());
            let moment = player.moment();
            told.level = player.level() as u32;
            told.wanted = player.wanted() as u32;
            told.arrives = player.frames_until(player.wanted()).unwrap_or(0) as f64 / rate;
            told.moment = [moment.sequence, moment.frame];
            told.transition =
                player.transition_number().zip(player.transition()).map(|(number, (transition, frame))| {
                    let span = f64::from(transition.span);
                    (number as u32, ((frame as f64 + span) / (2.0 * span)).clamp(0.0, 1.0))
                });
            told.blending = (0..self.groups.len()).filter(|&group| player.is_blending(group)).count() as u32;
            told.taken = player.taken().iter().sum();
        }
        told
    }
}
