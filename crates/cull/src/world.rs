//! Many systems in one world, of which only those in view are computed.

use std::sync::Arc;

use glam::DVec3;
use proscenium_chance::Seed;
use proscenium_view::Frustum;

use crate::compiled::CompiledModel;
use crate::driven::DrivenModel;
use crate::error::CullError;
use crate::geometry::Bounds;
use crate::learned::{LearnedBehaviour, Regime};
use crate::player::{Counters, Player};
use crate::system::State;
use crate::tree::Tree;

/// Systems that read each other's outputs do so at most this deep: those in a
/// circle would never end. Chosen.
const DEEPEST_LINK: usize = 16;

/// A system of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SystemId(pub u32);

/// What is seen of a system.
#[derive(Clone, Debug, PartialEq)]
pub struct VisibleSystem {
    /// Which one.
    pub system: SystemId,
    /// Where it stands, metres.
    pub position: DVec3,
    /// How its state was come by: the cheapest way of its copies.
    pub regime: Regime,
    /// For each copy its state and its outputs.
    pub copies: Vec<(State, Vec<f64>)>,
}

/// Work of the last frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameWork {
    /// Boxes that were compared with a view.
    pub boxes: u64,
    /// Systems in view.
    pub in_view: u64,
    /// What the players did.
    pub players: Counters,
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
    systems: Vec<PlacedSystem>,
    boxes: Vec<Bounds>,
    tree: Tree,
    tree_is_old: bool,
    links: Vec<Link>,
    work_per_frame: usize,
    visible: Vec<VisibleSystem>,
    frame: FrameWork,
    marks: Vec<u32>,
}

#[derive(Clone, Debug)]
struct PlacedSystem {
    culled: Arc<CompiledModel>,
    position: DVec3,
    /// One per copy, made when the system is first seen.
    players: Vec<Player>,
    /// Signals that came while nobody looked.
    signals: Vec<(f64, String)>,
    /// Whether others read from it or it reads from others.
    linked: bool,
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
            tree_is_old: false,
            links: Vec::new(),
            work_per_frame: 64,
            visible: Vec::new(),
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

    /// Adds a system.
    ///
    /// # Errors
    /// When the position is not finite.
    pub fn add(&mut self, culled: &Arc<CompiledModel>, position: DVec3) -> Result<SystemId, CullError> {
        if !position.is_finite() {
            let remedy = "give finite coordinates";
            return Err(CullError::Number { what: "a coordinate", value: position.length(), remedy });
        }
        self.boxes.push(culled.bounds.moved(position));
        let (players, signals) = (Vec::new(), Vec::new());
        self.systems.push(PlacedSystem { culled: Arc::clone(culled), position, players, signals, linked: false });
        self.tree_is_old = true;
        Ok(SystemId(self.systems.len() as u32 - 1))
    }

    /// How many systems there are.
    pub fn len(&self) -> usize {
        self.systems.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.systems.is_empty()
    }

    /// The time that was reached, seconds.
    pub fn now(&self) -> f64 {
        self.now
    }

    /// What the last frame showed.
    pub fn visible(&self) -> &[VisibleSystem] {
        &self.visible
    }

    /// What the last frame took.
    pub fn frame_work(&self) -> FrameWork {
        self.frame
    }

    /// Lets a system be told an output of another: a switch and its lamp. What
    /// is in view is then right however long the other was not.
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
        self.systems[from.0 as usize].linked = true;
        self.systems[to.0 as usize].linked = true;
        Ok(())
    }

    fn placed(&self, id: SystemId) -> Result<&PlacedSystem, CullError> {
        self.systems.get(id.0 as usize).ok_or_else(|| CullError::Unknown {
            what: "system",
            name: id.0.to_string(),
            known: format!("0 to {}", self.systems.len()),
        })
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
        for &reader in &readers[1..] {
            self.hold(reader)?;
        }
        let now = self.now;
        self.systems[id.0 as usize].signals.push((now, signal.to_owned()));
        Ok(())
    }

    /// Brings a system up to the present time, seen or not.
    fn hold(&mut self, index: usize) -> Result<(), CullError> {
        let outside = self.outside(index, 0)?;
        let (seed, now) = (self.seed, self.now);
        let placed = &mut self.systems[index];
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
        self.placed(id)?;
        let index = id.0 as usize;
        let now = self.now;
        self.systems[index].prepare(self.seed, index);
        let placed = &mut self.systems[index];
        let culled = Arc::clone(&placed.culled);
        let (Some(player), Some(ahead)) = (placed.players.get_mut(copy), culled.model.copies.get(copy)) else {
            let known = format!("0 to {}", culled.model.copies.len());
            return Err(CullError::Unknown { what: "copy", name: copy.to_string(), known });
        };
        player.interact(&culled.model, &culled.learned, now + ahead, |state, _| change(state))
    }

    /// Moves on to a time, and returns what the views show then. Only that is
    /// computed.
    ///
    /// # Errors
    /// When the time is not finite or lies in the past, or a system explodes.
    pub fn advance(&mut self, now: f64, views: &[Frustum]) -> Result<&[VisibleSystem], CullError> {
        if !now.is_finite() || now < self.now {
            let remedy = "give times in order, none before the last";
            return Err(CullError::Number { what: "the time", value: now, remedy });
        }
        if self.tree_is_old {
            self.tree = Tree::build(&self.boxes);
            self.tree_is_old = false;
        }
        self.now = now;
        self.frame = FrameWork::default();
        let mut found = std::mem::take(&mut self.marks);
        found.clear();
        for view in views {
            self.frame.boxes += self.tree.seen(&self.boxes, view, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        self.frame.in_view = found.len() as u64;
        self.visible.truncate(found.len());
        let mut ahead = self.work_per_frame;
        for (place, &index) in found.iter().enumerate() {
            let mut seen = match self.visible.get_mut(place) {
                Some(old) => std::mem::replace(old, VisibleSystem::nothing()),
                None => VisibleSystem::nothing(),
            };
            self.see(index as usize, &mut seen, 0)?;
            ahead = self.look_ahead(index as usize, ahead)?;
            match self.visible.get_mut(place) {
                Some(old) => *old = seen,
                None => self.visible.push(seen),
            }
        }
        self.marks = found;
        Ok(&self.visible)
    }

    /// Computes one system at the present time.
    fn see(&mut self, index: usize, seen: &mut VisibleSystem, depth: usize) -> Result<(), CullError> {
        let outside = if self.systems[index].linked { self.outside(index, depth)? } else { Vec::new() };
        let (seed, now) = (self.seed, self.now);
        let placed = &mut self.systems[index];
        placed.prepare(seed, index);
        let culled = Arc::clone(&placed.culled);
        let told = culled.model.driven_by(&outside);
        placed.obey(&told, &culled.learned)?;
        seen.system = SystemId(index as u32);
        seen.position = placed.position;
        seen.regime = Regime::Complete;
        seen.copies.resize_with(placed.players.len(), Default::default);
        for ((player, ahead), (state, shown)) in
            placed.players.iter_mut().zip(&culled.model.copies).zip(&mut seen.copies)
        {
            let before = player.counters();
            let (new, regime) = player.see(&told, &culled.learned, now + ahead)?;
            *state = new;
            seen.regime = seen.regime.max(regime);
            culled.model.show(&new, now + ahead, &outside, shown);
            self.frame.players.add(&player.counters().since(&before));
        }
        Ok(())
    }

    /// What a system is told by those it is linked to, which are computed for
    /// that.
    fn outside(&mut self, index: usize, depth: usize) -> Result<Vec<f64>, CullError> {
        let mut outside = self.systems[index].culled.model.default_inputs();
        if depth >= DEEPEST_LINK {
            return Ok(outside);
        }
        let links: Vec<Link> = self.links.iter().filter(|link| link.to == index).cloned().collect();
        for link in links {
            let mut seen = VisibleSystem::nothing();
            self.see(link.from, &mut seen, depth + 1)?;
            if let Some(value) = seen.copies.first().and_then(|(_, shown)| shown.get(link.output)) {
                outside[link.input] = *value;
            }
        }
        Ok(outside)
    }

    /// Computes states ahead, as far as the frame's share of work goes.
    fn look_ahead(&mut self, index: usize, mut most: usize) -> Result<usize, CullError> {
        let placed = &mut self.systems[index];
        // What a system is told next is not known yet.
        if placed.linked {
            return Ok(most);
        }
        let culled = Arc::clone(&placed.culled);
        for player in &mut placed.players {
            if most == 0 {
                break;
            }
            let done = player.look_ahead(&culled.model, &culled.learned, most.min(1))?;
            self.frame.players.buffered += done as u64;
            most -= done;
        }
        Ok(most)
    }
}

impl VisibleSystem {
    fn nothing() -> Self {
        Self { system: SystemId(0), position: DVec3::ZERO, regime: Regime::Complete, copies: Vec::new() }
    }
}

impl Counters {
    fn since(&self, before: &Counters) -> Counters {
        Counters {
            buffered: self.buffered - before.buffered,
            complete: self.complete - before.complete,
            approximate: self.approximate - before.approximate,
            sampled: self.sampled - before.sampled,
            out_of_range: self.out_of_range - before.out_of_range,
        }
    }
}

impl PlacedSystem {
    /// Makes the players when they are first needed.
    fn prepare(&mut self, seed: Seed, index: usize) {
        if !self.players.is_empty() {
            return;
        }
        let own = seed.child("system", index as u64);
        let model = &self.culled.model;
        let copies = model.copies.iter().enumerate();
        self.players = copies.map(|(copy, ahead)| Player::new(model, own.child("copy", copy as u64), *ahead)).collect();
    }

    /// Lets the signals of the past have their effect.
    fn obey(&mut self, told: &DrivenModel<'_>, learned: &LearnedBehaviour) -> Result<(), CullError> {
        for (time, signal) in std::mem::take(&mut self.signals) {
            for (player, ahead) in self.players.iter_mut().zip(&told.model().copies) {
                let at = time + ahead;
                player.interact(told, learned, at, |state, stream| {
                    told.model().signal(state, at, &signal, told.inputs(), stream);
                })?;
            }
        }
        Ok(())
    }
}
