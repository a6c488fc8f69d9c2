//! An integer program (6): a source, a destination, and the shapes of all
//! groups at every moment between, for any splices.

use std::collections::HashMap;

use super::cost::shifted;
use super::{Rule, Splice, Transition, TransitionSettings};
use crate::compressed::Compressed;
use crate::contact::{ContactTest, Shape, near_extents};
use crate::data::Moment;
use crate::frame::Frame;

/// Groups in a clique for which results are remembered; a longer one is tested
/// each time.
const LONGEST_CLIQUE: usize = 8;

/// What a constraint is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Constraint {
    /// Two groups, first < second, must not interpenetrate.
    Apart(u32, u32),
    /// A rule must hold.
    Rule(u32),
}

/// What all programs of an ensemble share.
#[derive(Clone)]
pub struct Shapes<'data> {
    pub(crate) data: &'data Compressed,
    pub(crate) test: ContactTest,
    /// The way from the root to each group.
    pub(crate) chains: Vec<Vec<usize>>,
    pub(crate) rules: Vec<&'data dyn Rule>,
}

impl<'data> Shapes<'data> {
    /// Prepares an ensemble.
    pub fn new(data: &'data Compressed) -> Self {
        let mut chains: Vec<Vec<usize>> = vec![Vec::new(); data.groups().len()];
        for &group in data.order() {
            let mut chain = match data.groups()[group].attachment {
                Some(attachment) => chains[attachment.parent].clone(),
                None => Vec::new(),
            };
            chain.push(group);
            chains[group] = chain;
        }
        Self { data, test: ContactTest::new(data.groups(), data.thickness()), chains, rules: Vec::new() }
    }

    /// The same with rules that transitions must obey too.
    #[must_use]
    pub fn with_rules(mut self, rules: Vec<&'data dyn Rule>) -> Self {
        self.rules = rules;
        self
    }

    /// The data.
    pub fn data(&self) -> &'data Compressed {
        self.data
    }

    /// The test for interpenetration.
    pub fn contact_test(&self) -> &ContactTest {
        &self.test
    }

    /// The kinematic clique of a pair: the groups on the way from one to the
    /// other in the tree of attachments (section 4.3.1).
    pub fn clique(&self, k: usize, l: usize) -> Vec<usize> {
        let (ours, theirs) = (&self.chains[k], &self.chains[l]);
        let common = ours.iter().zip(theirs).take_while(|(a, b)| a == b).count();
        let meeting = ours[..common].last().copied();
        let mut clique: Vec<usize> = ours[common..].iter().chain(&theirs[common..]).copied().chain(meeting).collect();
        clique.sort_unstable();
        clique
    }

    pub(crate) fn clique_of(&self, constraint: Constraint) -> Vec<usize> {
        match constraint {
            Constraint::Apart(k, l) => self.clique(k as usize, l as usize),
            Constraint::Rule(index) => {
                let groups = self.rules[index as usize].groups();
                let mut clique: Vec<usize> = groups.iter().flat_map(|&group| self.chains[group].clone()).collect();
                clique.sort_unstable();
                clique.dedup();
                clique
            }
        }
    }

    /// The name of a constraint, for people.
    pub(crate) fn name_of(&self, constraint: Constraint) -> String {
        let name = |group: u32| &self.data.groups()[group as usize].name;
        match constraint {
            Constraint::Apart(k, l) => format!("{} and {}", name(k), name(l)),
            Constraint::Rule(index) => self.rules[index as usize].name().to_owned(),
        }
    }
}

/// A shape at a moment, and for which states of its chain it was made.
#[derive(Clone, Debug, Default)]
struct Slot {
    states: Vec<u32>,
    shape: Shape,
    is_made: bool,
}

/// Pair, moment, states of the clique.
type Tested = (u32, u32, u32, [u32; LONGEST_CLIQUE]);

/// One program: (i, j) with its memory of what was tested.
pub struct Program<'shapes, 'data> {
    pub(crate) shapes: &'shapes Shapes<'data>,
    from: Moment,
    to: Moment,
    /// Moments in a frame.
    fineness: u32,
    /// States of a blend: 0 is the source, this is the destination.
    full: u32,
    /// Frames before and after the middle.
    span: u32,
    slots: Vec<Slot>,
    memory: HashMap<Tested, bool>,
    /// Middles of detours that were used.
    detours: Vec<Moment>,
    thickness: f64,
    /// Shapes made and pairs tested so far.
    pub(crate) work: u64,
}

impl<'shapes, 'data> Program<'shapes, 'data> {
    /// The program of going from around `from` to around `to`; the caller
    /// keeps [`TransitionSettings::span`] frames on both sides of either.
    pub fn new(shapes: &'shapes Shapes<'data>, from: Moment, to: Moment, settings: &TransitionSettings) -> Self {
        let fineness = settings.between + 1;
        let span = settings.span();
        let moments = (2 * span * fineness + 1) as usize;
        Self {
            shapes,
            from,
            to,
            fineness,
            full: settings.blend.max(1) * fineness,
            span,
            slots: vec![Slot::default(); moments * shapes.data.groups().len()],
            memory: HashMap::new(),
            detours: Vec::new(),
            thickness: shapes.test.thickness(),
            work: 0,
        }
    }

    /// Allows groups to come closer than the thickness by so much.
    pub(crate) fn tolerate(&mut self, tolerance: f64) {
        self.thickness = (self.shapes.test.thickness() - tolerance).max(0.0);
        self.memory.clear();
    }

    /// How many moments the transition is tested at.
    pub fn moments(&self) -> u32 {
        2 * self.span * self.fineness + 1
    }

    /// How far a blend around `offset` has come at a moment.
    fn progress(&self, moment: u32, offset: i8) -> u32 {
        let middle = (i64::from(self.span) + i64::from(offset)) * i64::from(self.fineness);
        let since = i64::from(moment) - middle + i64::from(self.full / 2);
        since.clamp(0, i64::from(self.full)) as u32
    }

    /// A number for the state of a group at a moment: 0 in the source, `full`
    /// in the destination, others between.
    fn state(&mut self, moment: u32, splice: Splice) -> u32 {
        match splice {
            Splice::Direct(offset) => self.progress(moment, offset),
            Splice::Detour { by, first, second } => {
                let (out, back) = (self.progress(moment, first), self.progress(moment, second));
                if back == self.full {
                    return self.full;
                }
                if out == 0 && back == 0 {
                    return 0;
                }
                let number = self.detours.iter().position(|&known| known == by).unwrap_or_else(|| {
                    self.detours.push(by);
                    self.detours.len() - 1
                });
                ((number as u32 + 1) * (self.full + 1) + out) * (self.full + 1) + back
            }
        }
    }

    /// The coordinates of a group at a moment.
    fn coordinates(&self, group: usize, moment: u32, splice: Splice, coordinates: &mut Vec<f32>) {
        let shape = &self.shapes.data.shapes()[group];
        let part = moment % self.fineness;
        let frame = i64::from(moment / self.fineness) - i64::from(self.span);
        let share = part as f32 / self.fineness as f32;
        let at = |centre: Moment, out: &mut Vec<f32>| {
            let here = shifted(centre, frame);
            match part {
                0 => shape.coordinates_at(here, out),
                _ => shape.blended(here, shifted(centre, frame + 1), share, out),
            }
        };
        let weight = |progress: u32| progress as f32 / self.full as f32;
        let (mut other, legs) = (Vec::new(), legs(splice, self.to));
        at(self.from, coordinates);
        for (centre, offset) in legs.into_iter().flatten() {
            let progress = self.progress(moment, offset);
            if progress == self.full {
                at(centre, coordinates);
            } else if progress > 0 {
                at(centre, &mut other);
                mix(coordinates, &other, weight(progress));
            }
        }
    }

    /// Makes the shape of a group at a moment, unless it is there.
    fn make(&mut self, group: usize, moment: u32, splices: &[Splice]) -> usize {
        let slot = group * self.moments() as usize + moment as usize;
        let shapes = self.shapes;
        let chain = &shapes.chains[group];
        let states: Vec<u32> = chain.iter().map(|&link| self.state(moment, splices[link])).collect();
        if self.slots[slot].is_made && self.slots[slot].states == states {
            return slot;
        }
        self.work += 1;
        let data = shapes.data;
        let mut frame = Frame::WORLD;
        let mut coordinates = Vec::new();
        for (depth, &link) in chain.iter().enumerate() {
            self.coordinates(link, moment, splices[link], &mut coordinates);
            let shape = &data.shapes()[link];
            if let Some(&next) = chain.get(depth + 1) {
                let here = frame;
                frame = data.frame_of(next, |vertex| here.to_world(shape.vertex(&coordinates, vertex)));
            }
        }
        let mut local = Vec::new();
        data.shapes()[group].shape(&coordinates, &mut local);
        let place = &mut self.slots[slot];
        place.states = states;
        place.is_made = true;
        place.shape.positions.clear();
        place.shape.positions.extend(local.chunks_exact(3).map(|point| frame.to_world([point[0], point[1], point[2]])));
        shapes.test.refit(group, &mut place.shape);
        slot
    }

    /// The states of a clique at a moment; `None` if it is all in the source or
    /// all in the destination of a frame, where the data is clean.
    fn mixed(&mut self, clique: &[usize], moment: u32, splices: &[Splice]) -> Option<Vec<u32>> {
        let states: Vec<u32> = clique.iter().map(|&group| self.state(moment, splices[group])).collect();
        let pure = states.iter().all(|&state| state == 0) || states.iter().all(|&state| state == self.full);
        let in_data = pure && moment.is_multiple_of(self.fineness);
        (!in_data).then_some(states)
    }

    /// Whether a constraint is violated at a moment. No pair is tested twice
    /// for the same states of its clique.
    pub(crate) fn violated(
        &mut self,
        constraint: Constraint,
        clique: &[usize],
        moment: u32,
        splices: &[Splice],
    ) -> bool {
        let states = match (self.mixed(clique, moment, splices), constraint) {
            (Some(states), _) => states,
            (None, Constraint::Apart(..)) => return false,
            (None, Constraint::Rule(_)) => clique.iter().map(|&group| self.state(moment, splices[group])).collect(),
        };
        let mut key = [u32::MAX; LONGEST_CLIQUE];
        let fits = states.len() <= LONGEST_CLIQUE;
        if fits {
            key[..states.len()].copy_from_slice(&states);
        }
        let (first, second) = match constraint {
            Constraint::Apart(k, l) => (k, l),
            Constraint::Rule(index) => (u32::MAX, index),
        };
        let key = (first, second, moment, key);
        if let Some(&known) = self.memory.get(&key).filter(|_| fits) {
            return known;
        }
        let found = self.test(constraint, moment, splices);
        if fits {
            self.memory.insert(key, found);
        }
        found
    }

    fn test(&mut self, constraint: Constraint, moment: u32, splices: &[Splice]) -> bool {
        self.work += 1;
        match constraint {
            Constraint::Apart(k, l) => {
                let (k, l) = (k as usize, l as usize);
                let (ours, theirs) = (self.make(k, moment, splices), self.make(l, moment, splices));
                let (ours, theirs) = (&self.slots[ours].shape, &self.slots[theirs].shape);
                let (test, margin) = (&self.shapes.test, self.thickness);
                test.fitted(k, ours).closer(&test.fitted(l, theirs), margin, test.skip(k, l))
            }
            Constraint::Rule(index) => {
                let rule = self.shapes.rules[index as usize];
                let made: Vec<usize> = rule.groups().iter().map(|&group| self.make(group, moment, splices)).collect();
                let shapes: Vec<&[[f32; 3]]> =
                    made.iter().map(|&slot| self.slots[slot].shape.positions.as_slice()).collect();
                !rule.holds(&shapes)
            }
        }
    }

    /// All constraints that are violated at a moment, but for those that
    /// `ignore` says, in order.
    pub(crate) fn violations(
        &mut self,
        moment: u32,
        splices: &[Splice],
        ignore: impl Fn(Constraint) -> bool,
    ) -> Vec<Constraint> {
        let count = self.shapes.data.groups().len();
        let all: Vec<usize> = (0..count).collect();
        let mut found = Vec::new();
        if self.mixed(&all, moment, splices).is_some() {
            let slots: Vec<usize> = (0..count).map(|group| self.make(group, moment, splices)).collect();
            let extents: Vec<_> = slots.iter().map(|&slot| *self.slots[slot].shape.extent()).collect();
            let shapes = self.shapes;
            for (k, l) in near_extents(&extents, self.thickness) {
                let constraint = Constraint::Apart(k as u32, l as u32);
                if !ignore(constraint) && self.violated(constraint, &shapes.clique(k, l), moment, splices) {
                    found.push(constraint);
                }
            }
        }
        for index in 0..self.shapes.rules.len() as u32 {
            let constraint = Constraint::Rule(index);
            let shapes = self.shapes;
            if !ignore(constraint) && self.violated(constraint, &shapes.clique_of(constraint), moment, splices) {
                found.push(constraint);
            }
        }
        found
    }
}

/// The stretches that a group goes to, and when.
fn legs(splice: Splice, to: Moment) -> [Option<(Moment, i8)>; 2] {
    match splice {
        Splice::Direct(offset) => [Some((to, offset)), None],
        Splice::Detour { by, first, second } => [Some((by, first)), Some((to, second))],
    }
}

/// Moves coordinates a share of the way to others.
fn mix(coordinates: &mut [f32], other: &[f32], share: f32) {
    for (here, there) in coordinates.iter_mut().zip(other) {
        *here += (there - *here) * share;
    }
}

impl Transition {
    /// How far a blend around `offset` has come, from 0 to 1, `frame` frames
    /// after the middle of the transition.
    fn progress(&self, frame: f64, offset: i8) -> f32 {
        let since = frame - f64::from(offset) + f64::from(self.blend / 2);
        (since / f64::from(self.blend.max(1))).clamp(0.0, 1.0) as f32
    }

    /// Whether a group blends, `frame` frames after the middle.
    pub fn is_blending(&self, group: usize, frame: f64) -> bool {
        legs(self.splices[group], self.to).into_iter().flatten().any(|(_, offset)| {
            let progress = self.progress(frame, offset);
            progress > 0.0 && progress < 1.0
        })
    }

    /// The coordinates of a group, `frame` frames after the middle of the
    /// transition, within its span.
    pub fn coordinates(&self, data: &Compressed, group: usize, frame: f64, coordinates: &mut Vec<f32>) {
        self.coordinates_into(data, group, frame, coordinates, &mut Vec::new());
    }

    /// The same, with memory that is used again.
    pub(crate) fn coordinates_into(
        &self,
        data: &Compressed,
        group: usize,
        frame: f64,
        coordinates: &mut Vec<f32>,
        other: &mut Vec<f32>,
    ) {
        let shape = &data.shapes()[group];
        let whole = frame.floor();
        let share = (frame - whole) as f32;
        let at = |centre: Moment, out: &mut Vec<f32>| {
            let here = shifted(centre, whole as i64);
            if share == 0.0 {
                shape.coordinates_at(here, out);
            } else {
                shape.blended(here, shifted(centre, whole as i64 + 1), share, out);
            }
        };
        let legs = legs(self.splices[group], self.to);
        let last = legs.iter().rposition(|leg| leg.is_some_and(|(_, offset)| self.progress(frame, offset) == 1.0));
        let centre = last.and_then(|leg| legs[leg]).map_or(self.from, |(centre, _)| centre);
        at(centre, coordinates);
        for (centre, offset) in legs.into_iter().flatten().skip(last.map_or(0, |leg| leg + 1)) {
            let progress = self.progress(frame, offset);
            if progress > 0.0 {
                at(centre, other);
                mix(coordinates, other, progress);
            }
        }
    }
}
