//! Many systems in one world, of which only those in view are computed.
//!
//! Systems are added, moved, turned and removed at any time; a running world is saved and
//! loaded ([`World::to_bytes`]). What is in view is found through a tree of boxes, or
//! given by the caller ([`World::advance_visible`]). A frame computes what it shows, for
//! as long as its budget lasts ([`World::with_seconds_per_frame`]); a system that explodes
//! is reported and begins anew.

mod frame;
mod linked;
mod placed;
mod save;

use std::sync::Arc;

use glam::{DQuat, DVec3};
use proscenium_chance::Seed;
use proscenium_view::Frustum;

use crate::compiled::CompiledModel;
use crate::error::CullError;
use crate::geometry::Bounds;
use crate::learned::Regime;
use crate::player::Counters;
use crate::system::State;
use crate::tree::Tree;

use placed::PlacedSystem;

/// So many systems may have been moved since the tree of boxes was built before it is built
/// again, or this share of all. Chosen: as many boxes as a look through the tree asks.
const MOST_LOOSE: usize = 64;
const LOOSE_SHARE: usize = 16;

/// A system of a world. No two of a world ever have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SystemId(pub u32);

/// What is seen of a system.
#[derive(Clone, Debug, PartialEq)]
pub struct VisibleSystem {
    /// Which one.
    pub system: SystemId,
    /// Where it stands, metres.
    pub position: DVec3,
    /// How it is turned.
    pub orientation: DQuat,
    /// How its state was come by: the cheapest way of its copies.
    pub regime: Regime,
    /// For each copy its state and its outputs. A copy of which nothing is in view is not
    /// computed, and has no outputs.
    pub copies: Vec<(State, Vec<f64>)>,
}

/// Work of the last frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameWork {
    /// Boxes that were compared with a view.
    pub boxes: u64,
    /// Systems in view.
    pub in_view: u64,
    /// Systems in view whose return had to wait for a later frame.
    pub waiting: u64,
    /// Seconds of the complete model that returns took, about.
    pub return_seconds: f64,
    /// What the players did.
    pub players: Counters,
}

/// A system that could not go on, and began anew.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Which one.
    pub system: SystemId,
    /// Why.
    pub error: CullError,
}

/// A world of culled systems.
///
/// ```
/// use std::sync::Arc;
/// use proscenium_cull::glam::DVec3;
/// use proscenium_cull::{CompileSettings, CompiledModel, Model, Seed, World};
/// use proscenium_view::{Camera, Frustum};
/// use proscenium_work::Progress;
///
/// let model = Model::parse("wheel.toml", r#"
///     format = 1
///     [state]
///     turn = { angle = true, initial = 0.0 }
///     [motion]
///     turn = 1.5
/// "#)?;
/// let wheel = CompiledModel::compile(model, &CompileSettings::quick(), Seed(1), &Progress::none())?;
/// let wheel = Arc::new(wheel.finished().expect("nobody stops it"));
/// let mut world = World::new(Seed(7));
/// for index in 0..1000 {
///     world.add(&wheel, DVec3::new(20.0 * index as f64, 0.0, 0.0))?;
/// }
/// let mut camera = Camera::look_at(DVec3::new(0.0, 0.0, 10.0), DVec3::ZERO, 0.8, 1.6)?;
/// camera.far = 50.0;
/// let view = Frustum::of(&camera)?;
/// let seen = world.advance(2.0, &[view])?;
/// assert!((1..5).contains(&seen.len()));
/// assert!((seen[0].copies[0].1[0] - 3.0).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct World {
    seed: Seed,
    now: f64,
    /// By number; those that were removed leave their places empty.
    systems: Vec<Option<Box<PlacedSystem>>>,
    boxes: Vec<Bounds>,
    tree: Tree,
    /// Systems that were added or moved since the tree was built, and how many are in it.
    loose: Vec<u32>,
    treed: usize,
    links: Vec<Link>,
    work_per_frame: usize,
    seconds_per_frame: f64,
    visible: Vec<VisibleSystem>,
    failures: Vec<Failure>,
    frame: FrameWork,
    marks: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Link {
    from: usize,
    output: usize,
    to: usize,
    input: usize,
}

impl World {
    /// A world without systems, at time 0.
    pub fn new(seed: Seed) -> Self {
        Self {
            seed,
            now: 0.0,
            systems: Vec::new(),
            boxes: Vec::new(),
            tree: Tree::default(),
            loose: Vec::new(),
            treed: 0,
            links: Vec::new(),
            work_per_frame: 64,
            seconds_per_frame: f64::INFINITY,
            visible: Vec::new(),
            failures: Vec::new(),
            frame: FrameWork::default(),
            marks: Vec::new(),
        }
    }

    /// How many states may be computed ahead in a frame, for all systems
    /// together. What the frame itself needs is always computed.
    #[must_use]
    pub fn with_work_per_frame(mut self, states: usize) -> Self {
        self.work_per_frame = states;
        self
    }

    /// How many seconds of the complete model returns into view may take in a frame, for all
    /// systems together; without end at first. What cannot be afforded is shown some frames
    /// later: a frame takes no more than this, or than the return of one copy by jumps or a
    /// sample, which is two of its periods.
    #[must_use]
    pub fn with_seconds_per_frame(mut self, seconds: f64) -> Self {
        self.seconds_per_frame = seconds.max(0.0);
        self
    }

    /// Adds a system.
    ///
    /// # Errors
    /// When the position is not finite.
    pub fn add(&mut self, culled: &Arc<CompiledModel>, position: DVec3) -> Result<SystemId, CullError> {
        check_position(position)?;
        let id = self.systems.len() as u32;
        let placed = PlacedSystem::new(culled, position, self.now);
        self.boxes.push(placed.bounds());
        self.systems.push(Some(Box::new(placed)));
        self.loose.push(id);
        Ok(SystemId(id))
    }

    /// Moves a system, and turns it.
    ///
    /// # Errors
    /// When there is no such system, or a number is not finite.
    pub fn place(&mut self, id: SystemId, position: DVec3, orientation: DQuat) -> Result<(), CullError> {
        check_position(position)?;
        let length = orientation.length();
        if !length.is_finite() || length < 1e-9 {
            let remedy = "give a unit quaternion";
            return Err(CullError::Number { what: "the length of an orientation", value: length, remedy });
        }
        let placed = self.placed_mut(id)?;
        placed.position = position;
        placed.orientation = orientation / length;
        self.boxes[id.0 as usize] = self.placed(id)?.bounds();
        if !self.loose.contains(&id.0) {
            self.loose.push(id.0);
        }
        Ok(())
    }

    /// Removes a system, and with it what others are told by it.
    ///
    /// # Errors
    /// When there is no such system.
    pub fn remove(&mut self, id: SystemId) -> Result<(), CullError> {
        self.placed(id)?;
        let index = id.0 as usize;
        self.systems[index] = None;
        self.boxes[index] = Bounds::NOTHING;
        self.loose.retain(|loose| *loose != id.0);
        self.links.retain(|link| link.from != index && link.to != index);
        self.visible.retain(|seen| seen.system != id);
        Ok(())
    }

    /// How many systems there are.
    pub fn len(&self) -> usize {
        self.systems.iter().flatten().count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The systems.
    pub fn systems(&self) -> impl Iterator<Item = SystemId> {
        let there = self.systems.iter().enumerate().filter(|(_, placed)| placed.is_some());
        there.map(|(index, _)| SystemId(index as u32))
    }

    /// The compiled model of a system.
    ///
    /// # Errors
    /// When there is no such system.
    pub fn model(&self, id: SystemId) -> Result<&Arc<CompiledModel>, CullError> {
        Ok(&self.placed(id)?.culled)
    }

    /// The time that was reached, seconds.
    pub fn now(&self) -> f64 {
        self.now
    }

    /// What the last frame showed.
    pub fn visible(&self) -> &[VisibleSystem] {
        &self.visible
    }

    /// The systems that could not go on in the last frame. Each has begun anew; one that
    /// could not go on from there either was not shown.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// What the last frame took.
    pub fn frame_work(&self) -> FrameWork {
        self.frame
    }

    /// Lets a system be told an output of another: a switch and its lamp. What
    /// is in view is then right however long the other was not: who comes back is told the
    /// recent past of the other, as far as it may remember it, up to ten minutes.
    ///
    /// # Errors
    /// When there is no such system, output or input.
    pub fn link(&mut self, from: SystemId, output: &str, to: SystemId, input: &str) -> Result<(), CullError> {
        let (source, target) = (self.placed(from)?, self.placed(to)?);
        let model = &source.culled.model;
        let output = model.output_index(output).ok_or_else(|| CullError::Unknown {
            what: "output",
            name: output.to_owned(),
            known: model.outputs.iter().map(|output| output.name.as_str()).collect::<Vec<_>>().join(", "),
        })?;
        let inputs = &target.culled.model.inputs;
        let input = inputs.iter().position(|(name, _)| name == input).ok_or_else(|| CullError::Unknown {
            what: "input",
            name: input.to_owned(),
            known: inputs.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", "),
        })?;
        self.links.push(Link { from: from.0 as usize, output, to: to.0 as usize, input });
        self.placed_mut(from)?.linked = true;
        self.placed_mut(to)?.linked = true;
        Ok(())
    }

    fn unknown(&self, id: SystemId) -> CullError {
        let known = match self.systems.len() {
            0 => "none".to_owned(),
            count => format!("0 to {}, without those that were removed", count - 1),
        };
        CullError::Unknown { what: "system", name: id.0.to_string(), known }
    }

    fn placed(&self, id: SystemId) -> Result<&PlacedSystem, CullError> {
        self.systems.get(id.0 as usize).and_then(Option::as_deref).ok_or_else(|| self.unknown(id))
    }

    fn placed_mut(&mut self, id: SystemId) -> Result<&mut PlacedSystem, CullError> {
        self.placed(id)?;
        self.at(id.0 as usize)
    }

    /// The system of a number that is known to be there.
    fn at(&mut self, index: usize) -> Result<&mut PlacedSystem, CullError> {
        let unknown = self.unknown(SystemId(index as u32));
        self.systems.get_mut(index).and_then(Option::as_deref_mut).ok_or(unknown)
    }

    /// Tells a system something now, in view or not: its effect shows when the
    /// system is seen next.
    ///
    /// # Errors
    /// When there is no such system, it knows no such signal, or one that reads
    /// from it explodes.
    pub fn signal(&mut self, id: SystemId, signal: &str) -> Result<(), CullError> {
        let model = &self.placed(id)?.culled.model;
        if !model.knows_signal(signal) {
            let known = model.signals().collect::<Vec<_>>().join(", ");
            return Err(CullError::Unknown { what: "signal", name: signal.to_owned(), known });
        }
        // Those that read from it are brought up to date with what it told them
        // so far.
        let mut readers = vec![id.0 as usize];
        let mut next = 0;
        while let Some(&source) = readers.get(next) {
            for link in self.links.iter().filter(|link| link.from == source) {
                if !readers.contains(&link.to) {
                    readers.push(link.to);
                }
            }
            next += 1;
        }
        self.follow_links(&[id.0]);
        for &reader in &readers[1..] {
            self.hold(reader)?;
        }
        let now = self.now;
        self.placed_mut(id)?.signals.push((now, signal.to_owned()));
        Ok(())
    }

    /// Brings a system up to the present time, seen or not.
    fn hold(&mut self, index: usize) -> Result<(), CullError> {
        let outside = self.outside(index, 0)?;
        let (seed, now) = (self.seed, self.now);
        let placed = self.at(index)?;
        placed.prepare(seed, index);
        let culled = Arc::clone(&placed.culled);
        let told = culled.model.driven_by(&outside);
        placed.obey(&told, &culled.learned)?;
        for (player, ahead) in placed.players.iter_mut().zip(&culled.model.copies) {
            player.interact(&told, &culled.learned, now + ahead, |_, _| {})?;
        }
        Ok(())
    }

    /// Changes the state of a copy of a system now; what was computed ahead of
    /// it is void.
    ///
    /// # Errors
    /// When there is no such system or copy, or the new state is not finite.
    pub fn interact(&mut self, id: SystemId, copy: usize, change: impl FnOnce(&mut State)) -> Result<(), CullError> {
        let (seed, now) = (self.seed, self.now);
        self.placed(id)?;
        // Those that read from it are told what it was until now.
        self.follow_links(&[id.0]);
        let placed = self.placed_mut(id)?;
        placed.prepare(seed, id.0 as usize);
        let culled = Arc::clone(&placed.culled);
        let (Some(player), Some(ahead)) = (placed.players.get_mut(copy), culled.model.copies.get(copy)) else {
            let known = format!("0 to {}", culled.model.copies.len());
            return Err(CullError::Unknown { what: "copy", name: copy.to_string(), known });
        };
        player.interact(&culled.model, &culled.learned, now + ahead, |state, _| change(state))
    }

    /// The numbers of the systems that views may see, in order.
    fn found(&mut self, views: &[Frustum], found: &mut Vec<u32>) {
        if self.loose.len() > MOST_LOOSE.max(self.treed / LOOSE_SHARE) || self.treed == 0 {
            self.tree = Tree::build(&self.boxes);
            self.treed = self.boxes.len();
            self.loose.clear();
        }
        for view in views {
            self.frame.boxes += self.tree.seen(&self.boxes, view, found) + self.loose.len() as u64;
            let near = |&&index: &&u32| {
                let Bounds { min, max } = self.boxes[index as usize];
                view.intersects_aabb(min, max)
            };
            found.extend(self.loose.iter().filter(near));
        }
        found.sort_unstable();
        found.dedup();
    }
}

fn check_position(position: DVec3) -> Result<(), CullError> {
    if position.is_finite() {
        return Ok(());
    }
    Err(CullError::Number { what: "a coordinate", value: position.length(), remedy: "give finite coordinates" })
}
