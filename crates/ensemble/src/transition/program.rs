//! An integer program (6): a source, a destination, and the shapes of all
//! groups at every moment between, for any splices.

use super::blend::{eased, legs, mix};
use super::cost::shifted;
use super::memory::{AnswerTable, LONGEST_CLIQUE};
use super::{Rule, Splice, TransitionSettings};
use crate::compressed::CompressedEnsemble;
use crate::contact::{ContactTest, Shape, near_extents};
use crate::data::Moment;
use crate::frame::Frame;

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
    pub(crate) data: &'data CompressedEnsemble,
    pub(crate) test: ContactTest,
    /// The way from the root to each group.
    pub(crate) chains: Vec<Vec<usize>>,
    pub(crate) rules: Vec<&'data dyn Rule>,
}

impl<'data> Shapes<'data> {
    /// Prepares an ensemble.
    pub fn new(data: &'data CompressedEnsemble) -> Self {
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
    pub fn data(&self) -> &'data CompressedEnsemble {
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

/// One program: (i, j) with its memory of what was tested.
pub(crate) struct Program<'shapes, 'data> {
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
    memory: AnswerTable,
    /// Middles of detours that were used.
    detours: Vec<Moment>,
    thickness: f64,
    /// Memory that is used again.
    states: Vec<u32>,
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
            memory: AnswerTable::default(),
            detours: Vec::new(),
            thickness: shapes.test.thickness(),
            states: Vec::new(),
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

    /// The shape of a group at a moment, in its own frame.
    fn local(&self, group: usize, moment: u32, splice: Splice, local: &mut Vec<[f32; 3]>) {
        let data = self.shapes.data;
        let part = moment % self.fineness;
        let frame = i64::from(moment / self.fineness) - i64::from(self.span);
        let mut scratch = Vec::new();
        let mut at = |centre: Moment, out: &mut Vec<[f32; 3]>| {
            out.clear();
            out.extend_from_slice(data.local(group, shifted(centre, frame), &mut scratch));
            if part > 0 {
                let next = data.local(group, shifted(centre, frame + 1), &mut scratch);
                mix(out, next, part as f32 / self.fineness as f32);
            }
        };
        let legs = legs(splice, self.to);
        let come = |leg: &Option<(Moment, i8)>| leg.map_or(0, |(_, offset)| self.progress(moment, offset));
        let last = legs.iter().rposition(|leg| come(leg) == self.full);
        at(last.and_then(|leg| legs[leg]).map_or(self.from, |(centre, _)| centre), local);
        let mut other = Vec::new();
        for (centre, offset) in legs.into_iter().flatten().skip(last.map_or(0, |leg| leg + 1)) {
            let progress = self.progress(moment, offset);
            if progress > 0 {
                at(centre, &mut other);
                mix(local, &other, eased(progress as f32 / self.full as f32));
            }
        }
    }

    /// Makes the shape of a group at a moment, unless it is there.
    fn make(&mut self, group: usize, moment: u32, splices: &[Splice]) -> usize {
        let slot = group * self.moments() as usize + moment as usize;
        let shapes = self.shapes;
        let mut states = std::mem::take(&mut self.states);
        states.clear();
        states.extend(shapes.chains[group].iter().map(|&link| self.state(moment, splices[link])));
        let is_there = self.slots[slot].is_made && self.slots[slot].states == states;
        if is_there {
            self.states = states;
            return slot;
        }
        self.work += 1;
        let frame = shapes.data.groups()[group].attachment.map(|attachment| {
            let parent = self.make(attachment.parent, moment, splices);
            let places = &self.slots[parent].shape.positions;
            Frame::of_anchor(attachment.anchor.map(|vertex| places[vertex as usize]))
        });
        let mut shape = std::mem::take(&mut self.slots[slot].shape);
        self.local(group, moment, splices[group], &mut shape.positions);
        if let Some(frame) = frame {
            shape.positions.iter_mut().for_each(|vertex| *vertex = frame.to_world(*vertex));
        }
        shapes.test.refit(group, &mut shape);
        let place = &mut self.slots[slot];
        self.states = std::mem::replace(&mut place.states, states);
        place.is_made = true;
        place.shape = shape;
        slot
    }

    /// Whether groups with these states are all in the source or all in the
    /// destination of a frame, where the data is clean.
    fn is_in_data(&self, moment: u32, mut states: impl Iterator<Item = u32>) -> bool {
        let first = states.next().unwrap_or(0);
        let pure = first == 0 || first == self.full;
        pure && moment.is_multiple_of(self.fineness) && states.all(|state| state == first)
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
        let mut states = [u32::MAX; LONGEST_CLIQUE];
        if clique.len() > LONGEST_CLIQUE {
            return self.test(constraint, moment, splices);
        }
        for (state, &group) in states.iter_mut().zip(clique) {
            *state = self.state(moment, splices[group]);
        }
        let (first, second) = match constraint {
            Constraint::Apart(..) if self.is_in_data(moment, states[..clique.len()].iter().copied()) => return false,
            Constraint::Apart(k, l) => (k, l),
            Constraint::Rule(index) => (u32::MAX, index),
        };
        let key = (first, second, moment, states);
        if let Some(&known) = self.memory.get(&key) {
            return known;
        }
        let found = self.test(constraint, moment, splices);
        self.memory.insert(key, found);
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
        let states: Vec<u32> = splices.iter().map(|&splice| self.state(moment, splice)).collect();
        let mut found = Vec::new();
        if !self.is_in_data(moment, states.into_iter()) {
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
