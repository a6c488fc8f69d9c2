//! Fields: tens of thousands of instances in a travelling wind, of which only
//! what is seen costs anything (section 5).
//!
//! [`SweptVolume`] says where an ensemble ever is, [`place`] plants instances so that
//! they never meet, [`TravellingWind`] says what blows where and when, and a
//! [`Field`] shows what a view sees of all that: each instance walks through the
//! motion graph of its kind, near ones with all their modes, far ones with few
//! modes and a simpler mesh.

pub(crate) mod detail;
mod place;
mod sweep;
mod walkers;
mod wind;

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;
use proscenium_chance::Seed;
use proscenium_view::{Camera, Frustum};
use proscenium_work::{Completion, Progress};

use crate::compressed::{CompressedEnsemble, Frames};
use crate::error::EnsembleError;
use crate::graph::MotionGraph;
use crate::player::Player;
use crate::transition::PlacementSink;

pub use detail::{Detail, reduce};
pub use place::{Instance, PlaceSettings, Placement, Placing, heading_for, place, side_for};
pub use sweep::SweptVolume;
pub use walkers::Walker;
pub use wind::TravellingWind;

use detail::{DetailMap, reduce_with_map};
use walkers::Pushes;

/// An instance that was not seen for so long begins anew when it is seen again,
/// seconds: its state is drawn from the long run in either case. Chosen: longer than
/// anybody looks away.
const FORGOTTEN: f64 = 20.0;

/// How often it is asked what wind will blow at an instance, frames: walks take far
/// longer to follow it. Chosen.
const ASK_EVERY: u64 = 10;
/// How far beyond the time that it takes to follow it is asked, in such times and at least
/// seconds. Chosen: who leaves for a gust should not have to be back before it is there.
const AHEAD: f64 = 2.0;

/// Detail changes this share of a distance later than it says, so that one who stands there
/// does not see it change to and fro. Chosen.
const HYSTERESIS: f64 = 0.08;
/// Frames in which one detail becomes another. Chosen: half a second of 30 a second.
const CHANGES_IN: u64 = 15;

/// How often those are looked for whose walks can be dropped, frames.
const FORGET_EVERY: u64 = 64;

/// How many instances a cell of the field has, about. Chosen.
const PER_CELL: f64 = 16.0;

/// One of the ensembles that a field has many of. Copies share what is made of it.
#[derive(Clone, Debug)]
pub struct Kind {
    graph: Arc<MotionGraph>,
    details: Vec<(Detail, Arc<CompressedEnsemble>)>,
    /// Where the vertices of each detail are in the whole, which comes first.
    maps: Vec<Arc<DetailMap>>,
    /// A ball around all that it sweeps.
    centre: DVec3,
    radius: f64,
}

impl Kind {
    /// A kind, shown in full until the first of the details begins; these are
    /// sorted by distance.
    ///
    /// # Errors
    /// What [`reduce`] refuses.
    pub fn new(graph: &Arc<MotionGraph>, swept: &SweptVolume, details: &[Detail]) -> Result<Self, EnsembleError> {
        let mut details = details.to_vec();
        details.sort_by(|a, b| a.from.total_cmp(&b.from));
        let mut maps = vec![Arc::new(DetailMap::whole(graph.data().vertex_count()))];
        let reduced = details.iter().map(|&detail| {
            let (data, map) = reduce_with_map(graph.data(), detail.modes, detail.merge)?;
            maps.push(Arc::new(map));
            Ok((detail, Arc::new(data)))
        });
        let reduced: Vec<_> = reduced.collect::<Result<_, EnsembleError>>()?;
        let (low, high) = swept.bounds();
        let (low, high) = (DVec3::from_array(low), DVec3::from_array(high));
        let (centre, radius) = (0.5 * (low + high), 0.5 * (high - low).length());
        Ok(Kind { graph: Arc::clone(graph), details: reduced, maps, centre, radius })
    }

    /// The ensemble in a detail; 0 is all of it.
    pub fn data(&self, detail: usize) -> &CompressedEnsemble {
        match detail.checked_sub(1).and_then(|index| self.details.get(index)) {
            Some((_, data)) => data,
            None => self.graph.data(),
        }
    }

    /// Makes all shapes now, in all details, so that no frame has to: as
    /// [`CompressedEnsemble::make_all`].
    pub fn make_all(&self, progress: &Progress) -> Completion<()> {
        let count = self.detail_count() as f64;
        for detail in 0..self.detail_count() {
            let part = progress.part(detail as f64 / count, (detail + 1) as f64 / count);
            if self.data(detail).make_all(&part) == Completion::Stopped {
                return Completion::Stopped;
            }
        }
        Completion::Finished(())
    }

    /// How much memory is used for shapes that were made once and kept, in all
    /// details, bytes.
    pub fn kept_bytes(&self) -> usize {
        (0..self.detail_count()).map(|detail| self.data(detail).kept_bytes()).sum()
    }

    /// How many details there are, the first of which is all of it.
    pub fn detail_count(&self) -> usize {
        1 + self.details.len()
    }

    fn has_forgotten(&self, walk: &Walk, frame: u64) -> bool {
        let forgotten = FORGOTTEN * self.graph.data().frames_per_second();
        frame.saturating_sub(walk.seen) as f64 > forgotten
    }

    fn detail_at(&self, distance: f64) -> usize {
        self.details.iter().take_while(|(detail, _)| detail.from <= distance).count()
    }

    /// The same, for what is shown in a detail: that one, unless the distance clearly says
    /// another.
    fn detail_from(&self, shown: usize, distance: f64) -> usize {
        let farther = self.detail_at(distance / (1.0 + HYSTERESIS));
        let nearer = self.detail_at(distance * (1.0 + HYSTERESIS));
        shown.clamp(farther.min(nearer), farther.max(nearer))
    }
}

/// A field of instances.
#[derive(Clone, Debug)]
pub struct Field {
    kinds: Vec<Kind>,
    instances: Vec<Instance>,
    wind: TravellingWind,
    seed: Seed,
    /// Instances by cell, and the ball around each cell's.
    cells: Vec<(DVec3, f64, Vec<u32>)>,
    /// A ball around all that each instance sweeps, and where it puts vertices.
    stands: Vec<(DVec3, f64, Placing)>,
    /// The walks of those that were seen lately, by instance.
    walks: Vec<Option<Box<Walk>>>,
    /// Which those are.
    awake: Vec<u32>,
    walkers: Vec<Walker>,
    shown: Vec<[f32; 3]>,
    /// What is shown in the coarser of two details, while one becomes the other.
    coarse: Vec<[f32; 3]>,
}

#[derive(Clone, Debug)]
struct Walk {
    player: Player,
    seen: u64,
    wanted: Option<usize>,
    /// The frame from which on it is asked again what wind blows.
    asks_at: u64,
    /// The detail that it is shown in, which it had before, and since when.
    detail: usize,
    before: usize,
    changed_at: u64,
    pushes: Pushes,
}

impl Walk {
    /// Which detail is shown, and how far it has become which coarser one: from 0 to 1.
    fn detail_and_blend(&mut self, kind: &Kind, distance: f64, frame: u64) -> (usize, Option<(usize, f32)>) {
        let gone = frame.saturating_sub(self.changed_at);
        if gone >= CHANGES_IN {
            let detail = kind.detail_from(self.detail, distance);
            if detail == self.detail {
                return (detail, None);
            }
            (self.before, self.detail, self.changed_at) = (self.detail, detail, frame);
            return (
                self.before.min(detail),
                Some((self.before.max(detail), if detail > self.before { 0.0 } else { 1.0 })),
            );
        }
        let share = gone as f32 / CHANGES_IN as f32;
        let eased = share * share * (3.0 - 2.0 * share);
        let coarser = if self.detail > self.before { eased } else { 1.0 - eased };
        (self.before.min(self.detail), Some((self.before.max(self.detail), coarser)))
    }

    /// The level to want for a wind that is known in advance: another than now if, from when
    /// the walk would be there on, it blows for longer than the one that is wanted.
    fn level_for(&self, wind: &TravellingWind, place: [f64; 2], frame: u64) -> usize {
        let graph = self.player.graph();
        let rate = graph.data().frames_per_second();
        let blows = |frame: u64| wind.level_at(place, frame as f64 / rate);
        let wanted = self.wanted.unwrap_or_else(|| self.player.level());
        let span = graph.transitions().first().map_or(0, |transition| u64::from(transition.span));
        let mut best = (0, wanted);
        for level in graph.levels().filter(|&level| level != wanted) {
            let Some(until) = self.player.frames_until(level) else { continue };
            // Half of its groups are there in the middle of the last transition.
            let arrives = frame + until.saturating_sub(span);
            if blows(arrives) != level {
                continue;
            }
            let ahead = (AHEAD * until as f64).max(AHEAD * rate) as u64;
            let times = (arrives..arrives + ahead).step_by(ASK_EVERY as usize);
            let gained: i64 =
                times.map(blows).map(|blows| i64::from(blows == level) - i64::from(blows == wanted)).sum();
            best = best.max((gained, level));
        }
        // Where the wind is of no level that it has, or of none that pays, it stays.
        if best.0 > 0 { best.1 } else { wanted }
    }
}

/// An instance that is seen.
#[derive(Clone, Copy, Debug)]
pub struct VisibleInstance<'frame> {
    /// Its number.
    pub instance: u32,
    /// Which detail it is shown in; 0 is all of it.
    pub detail: usize,
    /// The level that most of its groups are at.
    pub level: usize,
    /// Its vertices, metres, in the field: those of [`Kind::data`] in the same
    /// detail.
    pub positions: &'frame [[f32; 3]],
}

/// How much a look at a field came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewCounts {
    /// How many instances were in view.
    pub instances: usize,
    /// How many vertices these had, as they were shown.
    pub vertices: usize,
    /// How many instances were tested for being in view.
    pub tested: usize,
}

impl Field {
    /// A field with these instances. Those of a kind that is not there are
    /// refused.
    ///
    /// # Errors
    /// An instance of a kind that is not there, or at a place that is not
    /// finite.
    pub fn new(
        kinds: Vec<Kind>,
        instances: Vec<Instance>,
        wind: TravellingWind,
        seed: Seed,
    ) -> Result<Self, EnsembleError> {
        for (number, instance) in instances.iter().enumerate() {
            let place = format!("instance {number}");
            if instance.kind >= kinds.len() {
                let (index, count) = (instance.kind, kinds.len());
                return Err(EnsembleError::NoSuchPart { place, what: "kind", index, count });
            }
            let numbers = [instance.place.x, instance.place.y, instance.place.z, instance.turn, instance.size];
            if let Some(&value) = numbers.iter().find(|x| !x.is_finite()) {
                return Err(EnsembleError::Number { what: place, value, remedy: "it must be finite" });
            }
        }
        let stand = |instance: &Instance| {
            let kind = &kinds[instance.kind];
            (instance.to_field(kind.centre), instance.size * kind.radius, instance.placing())
        };
        let stands: Vec<(DVec3, f64, Placing)> = instances.iter().map(stand).collect();
        let cells = cells(&stands, &instances);
        let walks = vec![None; instances.len()];
        let (awake, walkers, shown, coarse) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Ok(Field { kinds, instances, wind, seed, cells, stands, walks, awake, walkers, shown, coarse })
    }

    /// The instances.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// The kinds.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// Says who walks through the field now: plants near them are pushed aside, and come
    /// back when they are gone. Each walker keeps its place in the list. One that is not
    /// finite, or without a radius, pushes nothing.
    pub fn set_walkers(&mut self, walkers: &[Walker]) {
        self.walkers.clear();
        self.walkers.extend_from_slice(walkers);
    }

    /// The wind.
    pub fn wind(&self) -> &TravellingWind {
        &self.wind
    }

    /// The wind, to make it stronger or weaker.
    pub fn wind_mut(&mut self) -> &mut TravellingWind {
        &mut self.wind
    }

    /// Looks at the field at a frame, and hands each instance that a view sees
    /// to `draw`, in the order of their numbers within a cell. Nothing else is
    /// computed.
    ///
    /// # Errors
    /// A view that is not valid, and a graph that cannot be walked.
    pub fn look(
        &mut self,
        frame: u64,
        views: &[Camera],
        draw: &mut dyn FnMut(VisibleInstance),
    ) -> Result<ViewCounts, EnsembleError> {
        let wrong = |error: proscenium_view::ViewError| EnsembleError::View { reason: error.to_string() };
        let mut frusta = Vec::with_capacity(views.len());
        for view in views {
            frusta.push((Frustum::of(view).map_err(wrong)?, view.position));
        }
        let sees =
            |centre: DVec3, radius: f64| frusta.iter().any(|(frustum, _)| frustum.intersects_sphere(centre, radius));
        let mut looked = ViewCounts::default();
        for cell in 0..self.cells.len() {
            let (centre, radius, _) = self.cells[cell];
            if !sees(centre, radius) {
                continue;
            }
            for at in 0..self.cells[cell].2.len() {
                let number = self.cells[cell].2[at];
                let (centre, radius, _) = self.stands[number as usize];
                looked.tested += 1;
                if !sees(centre, radius) {
                    continue;
                }
                let distances = frusta.iter().map(|(_, eye)| (eye.distance(centre) - radius).max(0.0));
                let distance = distances.fold(f64::INFINITY, f64::min);
                looked.instances += 1;
                looked.vertices += self.show(number, frame, distance, draw)?;
            }
        }
        if frame.is_multiple_of(FORGET_EVERY) {
            self.forget(frame);
        }
        Ok(looked)
    }

    /// Drops the walks of those that were not seen for long.
    fn forget(&mut self, frame: u64) {
        let Self { kinds, instances, walks, awake, .. } = self;
        awake.retain(|&number| {
            let walk = &mut walks[number as usize];
            let kind = &kinds[instances[number as usize].kind];
            if walk.as_ref().is_some_and(|walk| kind.has_forgotten(walk, frame)) {
                *walk = None;
            }
            walk.is_some()
        });
    }

    fn show(
        &mut self,
        number: u32,
        frame: u64,
        distance: f64,
        draw: &mut dyn FnMut(VisibleInstance),
    ) -> Result<usize, EnsembleError> {
        let instance = self.instances[number as usize];
        let kind = &self.kinds[instance.kind];
        let walk = &mut self.walks[number as usize];
        if walk.is_none() {
            self.awake.push(number);
        }
        let known = walk.take().filter(|walk| !kind.has_forgotten(walk, frame));
        let walk = walk.insert(match known {
            Some(walk) => walk,
            None => {
                let seed = self.seed.child("instance", u64::from(number)).child("sight", frame);
                let (detail, changed_at) = (kind.detail_at(distance), frame.saturating_sub(CHANGES_IN));
                let player = Player::new(&kind.graph, seed)?;
                Box::new(Walk {
                    player,
                    seen: frame,
                    wanted: None,
                    asks_at: frame,
                    detail,
                    before: detail,
                    changed_at,
                    pushes: Pushes::default(),
                })
            }
        });
        let is_new = walk.wanted.is_none();
        let rate = kind.graph.data().frames_per_second();
        let here = [instance.place.x, instance.place.z];
        if is_new {
            // It was not looked at before, so it can be where the wind is.
            let level = self.wind.level_at(here, frame as f64 / rate);
            if walk.player.level() == level || walk.player.begin_in(level, frame) {
                walk.wanted = Some(level);
            }
        }
        walk.player.see(frame);
        if frame >= walk.asks_at {
            walk.asks_at = frame + ASK_EVERY;
            let level = walk.level_for(&self.wind, here, frame);
            if walk.wanted != Some(level) {
                walk.wanted = Some(level);
                // Where this kind has no such level, it stays as it is.
                let _ = walk.player.want(level);
            }
        }
        let placing = &self.stands[number as usize].2;
        let (detail, blend) = walk.detail_and_blend(kind, distance, frame);
        // As long as the longest that was shown: what is shorter leaves the rest as it is.
        let count = kind.data(detail).vertex_count();
        put(&mut walk.player, kind.data(detail), placing, &mut self.shown);
        if let Some((coarser, share)) = blend.filter(|(_, share)| *share > 0.0) {
            put(&mut walk.player, kind.data(coarser), placing, &mut self.coarse);
            let stands = kind.maps[detail].kept.iter().map(|&whole| kind.maps[coarser].stands[whole as usize]);
            for (place, stands) in self.shown[..count].iter_mut().zip(stands) {
                let there = self.coarse[stands as usize];
                *place = std::array::from_fn(|axis| place[axis] + (there[axis] - place[axis]) * share);
            }
        }
        let (centre, radius, _) = self.stands[number as usize];
        let is_near = |walker: &Walker| walker.is_near(centre, radius);
        if is_new {
            walk.pushes = Pushes::begun(&self.walkers, is_near);
        }
        walk.pushes.advance(&self.walkers, is_near, frame.saturating_sub(walk.seen) as f64 / rate);
        walk.pushes.bend(instance.place.y, centre.y + radius - instance.place.y, &mut self.shown[..count]);
        walk.seen = frame;
        let level = walk.player.shown_level();
        draw(VisibleInstance { instance: number, detail, level, positions: &self.shown[..count] });
        Ok(count)
    }
}

/// Puts all groups of what is shown of a walk where an instance stands: the first of
/// `positions`, which become more if there are too few.
fn put(player: &mut Player, data: &CompressedEnsemble, placing: &Placing, positions: &mut Vec<[f32; 3]>) {
    let count = data.vertex_count();
    positions.resize(count.max(positions.len()), [0.0; 3]);
    let positions = &mut positions[..count];
    player.put(data, &mut InField { data, placing, frames: Frames::default(), positions });
}

/// Puts groups where an instance stands.
struct InField<'look> {
    data: &'look CompressedEnsemble,
    placing: &'look Placing,
    frames: Frames,
    positions: &'look mut [[f32; 3]],
}

impl PlacementSink for InField<'_> {
    fn run(&mut self, first: usize, places: &[[f32; 3]]) {
        self.placing.place_run(places, &mut self.positions[first..]);
    }

    fn group(&mut self, group: usize, local: impl Iterator<Item = [f32; 3]>) {
        self.placing.put(self.data, group, local, &mut self.frames, self.positions);
    }
}

/// The instances by squares of the ground, with a ball around each square's.
fn cells(stands: &[(DVec3, f64, Placing)], instances: &[Instance]) -> Vec<(DVec3, f64, Vec<u32>)> {
    let (low, high) = instances.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), instance| {
        (low.min(instance.place), high.max(instance.place))
    });
    let across = (high - low).max(DVec3::splat(1e-9));
    let edge = libm::sqrt(across.x * across.z * PER_CELL / instances.len().max(1) as f64).max(1e-9);
    let mut cells: BTreeMap<(i64, i64), Vec<u32>> = BTreeMap::new();
    for (number, instance) in (0..).zip(instances) {
        let at = (instance.place - low) / edge;
        cells.entry((libm::floor(at.z) as i64, libm::floor(at.x) as i64)).or_default().push(number);
    }
    let around = |numbers: Vec<u32>| {
        let balls = || numbers.iter().map(|&number| &stands[number as usize]);
        let sum = balls().fold(DVec3::ZERO, |sum, (centre, ..)| sum + *centre);
        let middle = sum / numbers.len().max(1) as f64;
        let radius = balls().map(|(centre, radius, _)| middle.distance(*centre) + radius).fold(0.0, f64::max);
        (middle, radius, numbers)
    };
    cells.into_values().map(around).collect()
}
