//! Playing a motion graph: a walk that never ends.

use std::sync::Arc;

use proscenium_chance::{Seed, Stream};

use crate::compressed::{CompressedEnsemble, Frames};
use crate::data::Moment;
use crate::error::EnsembleError;
use crate::graph::{MotionGraph, Node};
use crate::transition::{PlacementSink, Scratch, Transition};

/// What the walk does until its next decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spell {
    /// Goes through a transition; the data follows where it leads.
    Taken(usize),
    /// Plays the data from a moment on.
    Played(Moment),
}

/// An instance of an ensemble that moves for ever.
///
/// Decisions are made at frames, and any time between can be seen. The walk is a function of the seed and of what was
/// wanted when; between two looks nothing is computed, and after a long absence
/// the state is drawn as the walk would have it in the long run.
///
/// ```no_run
/// use std::sync::Arc;
///
/// use proscenium_ensemble::{MotionGraph, Player, Seed};
///
/// let graph = Arc::new(MotionGraph::from_bytes(&std::fs::read("banner.memg")?)?);
/// let mut player = Player::new(&graph, Seed(1))?;
/// let arrives_in = player.want(graph.level("gale")?)?;
/// let mut positions = Vec::new();
/// for frame in 0..3000 {
///     player.see(frame);
///     player.positions(&mut positions);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Player {
    graph: Arc<MotionGraph>,
    stream: Stream,
    wanted: usize,
    /// The decision ahead.
    next: usize,
    /// When it will be made.
    decides_at: i64,
    /// When the last one was made; before the beginning, if the walk began
    /// within a spell.
    since: i64,
    spell: Spell,
    now: i64,
    /// How much of a frame later is shown.
    share: f32,
    coordinates: Vec<Vec<f32>>,
    scratch: Scratch,
    /// How often each transition was taken.
    taken: Vec<u32>,
}

impl Player {
    /// Begins in the weakest condition, in a state of its long run.
    ///
    /// # Errors
    /// A graph in which no condition can be walked.
    pub fn new(graph: &Arc<MotionGraph>, seed: Seed) -> Result<Self, EnsembleError> {
        let level = graph.levels().next().ok_or(EnsembleError::NoWalk { found: graph.transitions().len() })?;
        let mut player = Self {
            graph: Arc::clone(graph),
            stream: seed.stream("walk"),
            wanted: level,
            next: 0,
            decides_at: 0,
            since: 0,
            spell: Spell::Played(Moment { sequence: 0, frame: 0 }),
            now: 0,
            share: 0.0,
            coordinates: Vec::new(),
            scratch: Scratch::default(),
            taken: vec![0; graph.transitions().len()],
        };
        player.draw();
        Ok(player)
    }

    /// What is walked through.
    pub fn graph(&self) -> &Arc<MotionGraph> {
        &self.graph
    }

    /// The frame that is shown.
    pub fn now(&self) -> u64 {
        self.now as u64
    }

    /// The condition that is wanted.
    pub fn wanted(&self) -> usize {
        self.wanted
    }

    /// The condition of the data that is played; in a transition, the one it
    /// leads to.
    pub fn level(&self) -> usize {
        let moment = match self.spell {
            Spell::Taken(transition) => self.graph.transitions()[transition].to,
            Spell::Played(moment) => moment,
        };
        self.graph.data().sequences()[moment.sequence as usize].condition
    }

    /// The condition that most groups are in: in the first half of a transition, the one it
    /// leaves.
    pub fn shown_level(&self) -> usize {
        match self.transition() {
            Some((transition, frame)) if frame < 0 => {
                self.graph.data().sequences()[transition.from.sequence as usize].condition
            }
            _ => self.level(),
        }
    }

    /// Begins anew at a frame, in a state of the long run of a condition; false if it cannot
    /// be walked.
    pub(crate) fn begin_in(&mut self, level: usize, frame: u64) -> bool {
        let known = self.graph.levels().any(|known| known == level);
        if known {
            self.wanted = level;
            self.now = i64::try_from(frame).unwrap_or(i64::MAX);
            self.draw();
        }
        known
    }

    /// Wants a condition, and says in how many frames the walk will be there,
    /// with every group.
    ///
    /// # Errors
    /// A condition that the walk cannot reach.
    pub fn want(&mut self, level: usize) -> Result<u64, EnsembleError> {
        let frames = self.frames_until(level).ok_or_else(|| {
            let conditions = self.graph.data().conditions();
            EnsembleError::Unreachable {
                name: conditions.get(level).map_or_else(|| level.to_string(), |condition| condition.name.clone()),
                remedy: "record more data of it and build the graph again",
            }
        })?;
        self.wanted = level;
        Ok(frames)
    }

    /// In how many frames the walk could be in a condition, with every group.
    pub fn frames_until(&self, level: usize) -> Option<u64> {
        if !self.graph.levels().any(|known| known == level) {
            return None;
        }
        if self.level() == level {
            let sequences = self.graph.data().sequences();
            let comes = self
                .transition()
                .filter(|(transition, _)| sequences[transition.from.sequence as usize].condition != level);
            return Some(comes.map_or(0, |(transition, frame)| (i64::from(transition.span) - frame) as u64));
        }
        let away = self.graph.away(level)[self.next]?;
        Some((self.decides_at - self.now) as u64 + u64::from(away))
    }

    /// Looks at the walk at a frame; frames before the last look show the last
    /// one again. Nothing was done since then: if it was long ago, the state is
    /// drawn from the long run.
    pub fn see(&mut self, frame: u64) {
        self.share = 0.0;
        let frame = i64::try_from(frame).unwrap_or(i64::MAX).max(self.now);
        if frame < self.decides_at {
            self.now = frame;
            return;
        }
        let gone = (frame - self.now) as u64;
        let promised = self.frames_until(self.wanted).unwrap_or(0);
        let stationary = self.graph.stationary(self.wanted);
        if stationary.is_some_and(|stationary| gone > promised + stationary.forgets_after()) {
            self.now = frame;
            self.draw();
            return;
        }
        while frame >= self.decides_at {
            self.decide();
        }
        self.now = frame;
    }

    /// Looks at the walk at any time, in seconds from its beginning: for displays that do
    /// not show the frames of the data, or more than them. Times before the last look show
    /// the frame of that again.
    ///
    /// # Errors
    /// A time that is not a number from 0 on.
    pub fn see_at(&mut self, seconds: f64) -> Result<(), EnsembleError> {
        if !(seconds.is_finite() && seconds >= 0.0) {
            let remedy = "use seconds from 0 on";
            return Err(EnsembleError::Number { what: "the time".to_owned(), value: seconds, remedy });
        }
        let frames = seconds * self.graph.data().frames_per_second();
        let whole = frames.floor();
        self.see(whole as u64);
        if self.now as f64 == whole {
            self.share = (frames - whole) as f32;
        }
        Ok(())
    }

    /// A state of the long run in the wanted condition, now.
    fn draw(&mut self) {
        let Some(stationary) = self.graph.stationary(self.wanted) else {
            return;
        };
        let (node, taken, frames) = stationary.draw(&mut self.stream);
        self.since = self.now - i64::from(frames);
        self.begin(node, taken);
    }

    /// Enters the spell after a decision that was made at `since`.
    fn begin(&mut self, node: usize, taken: bool) {
        let Node { at, taken: after, passed, taken_frames, passed_frames, .. } = self.graph.nodes()[node];
        if taken {
            self.taken[node] += 1;
            self.spell = Spell::Taken(node);
            self.next = after;
            self.decides_at = self.since + i64::from(taken_frames);
        } else {
            self.spell = Spell::Played(at);
            self.next = passed.unwrap_or(after);
            self.decides_at = self.since + i64::from(passed_frames);
        }
    }

    /// Decides at the node ahead: towards the wanted condition by the shortest
    /// way, and at random within it.
    fn decide(&mut self) {
        let node = self.next;
        let here = &self.graph.nodes()[node];
        self.since = self.decides_at;
        let taken = if here.level == self.wanted {
            here.to_level == self.wanted && (here.passed.is_none() || self.stream.uniform() < here.chance)
        } else {
            self.is_shorter(node)
        };
        self.begin(node, taken);
    }

    /// Whether taking the transition of a node is the shortest way to the
    /// wanted condition.
    fn is_shorter(&self, node: usize) -> bool {
        let here = &self.graph.nodes()[node];
        let Some(passed) = here.passed else {
            return true;
        };
        let away = self.graph.away(self.wanted);
        let by_passing = away[passed].map(|frames| frames + here.passed_frames);
        by_passing.is_none() || away[node] < by_passing
    }

    /// The transition that is gone through now, and the frames since its
    /// middle; `None` when plain data is played.
    pub fn transition(&self) -> Option<(&Transition, i64)> {
        let Spell::Taken(number) = self.spell else {
            return None;
        };
        let transition = &self.graph.transitions()[number];
        let frame = self.now - self.since - i64::from(transition.span);
        (frame < i64::from(transition.span)).then_some((transition, frame))
    }

    /// The number of the transition that is gone through now.
    pub fn transition_number(&self) -> Option<usize> {
        match self.spell {
            Spell::Taken(number) => self.transition().map(|_| number),
            Spell::Played(_) => None,
        }
    }

    /// The moment of the data that is played, or that a transition leads along.
    pub fn moment(&self) -> Moment {
        let gone = (self.now - self.since) as u32;
        match self.spell {
            Spell::Taken(number) => {
                let transition = &self.graph.transitions()[number];
                Moment { frame: transition.to.frame - transition.span + gone, ..transition.to }
            }
            Spell::Played(moment) => Moment { frame: moment.frame + gone, ..moment },
        }
    }

    /// Whether a group is blending now.
    pub fn is_blending(&self, group: usize) -> bool {
        self.transition().is_some_and(|(transition, frame)| transition.is_blending(group, frame as f64))
    }

    /// How often each transition of the graph was taken.
    pub fn taken(&self) -> &[u32] {
        &self.taken
    }

    /// The coordinates of every group now, each at its own time.
    pub fn coordinates(&mut self) -> &[Vec<f32>] {
        let graph = Arc::clone(&self.graph);
        let data = graph.data();
        let mut all = std::mem::take(&mut self.coordinates);
        all.resize(data.groups().len(), Vec::new());
        match self.transition() {
            Some((transition, frame)) => {
                let mut other = Vec::new();
                for (group, coordinates) in all.iter_mut().enumerate() {
                    transition.coordinates_into(data, group, frame as f64, coordinates, &mut other);
                }
            }
            None => {
                let moment = self.moment();
                for (shape, coordinates) in data.shapes().iter().zip(&mut all) {
                    shape.coordinates_at(moment, coordinates);
                }
            }
        }
        self.coordinates = all;
        &self.coordinates
    }

    /// Where every vertex is at the time that was seen last. What `positions` held before is discarded.
    pub fn positions(&mut self, positions: &mut Vec<[f32; 3]>) {
        if self.share > 0.0 {
            return self.positions_between(self.share, positions);
        }
        let graph = Arc::clone(&self.graph);
        let data = graph.data();
        positions.resize(data.vertex_count(), [0.0; 3]);
        self.put(data, &mut InPlace { data, frames: Frames::default(), positions });
    }

    /// Where every vertex is a share of a frame, from 0 to 1, after the frame that was seen
    /// last. Groups move in their own frames on straight lines from one moment of the data
    /// to the next.
    pub fn positions_between(&mut self, share: f32, positions: &mut Vec<[f32; 3]>) {
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        let graph = Arc::clone(&self.graph);
        let data = graph.data();
        match self.transition() {
            Some((transition, frame)) => {
                transition.place(data, frame as f64 + f64::from(share), positions);
            }
            None => {
                let moment = self.moment();
                let last = data.sequences()[moment.sequence as usize].frames as u32 - 1;
                data.positions_between(moment, (moment.frame + 1).min(last), share, positions);
            }
        }
    }

    /// Puts all groups of `data` as they are now: of the graph's, or of less of
    /// it.
    pub(crate) fn put(&mut self, data: &CompressedEnsemble, put: &mut impl PlacementSink) {
        let mut scratch = std::mem::take(&mut self.scratch);
        match (self.transition(), self.moment()) {
            (Some((transition, frame)), _) => transition.put(data, frame, &mut scratch, put),
            (None, moment) => match data.places(moment) {
                Some(all) => put.run(0, all),
                None => {
                    let mut modes = Vec::new();
                    for &group in data.order() {
                        put.group(group, data.local(group, moment, &mut modes).iter().copied());
                    }
                }
            },
        }
        self.scratch = scratch;
    }
}

/// Puts groups where they are in the ensemble.
struct InPlace<'walk> {
    data: &'walk CompressedEnsemble,
    frames: Frames,
    positions: &'walk mut [[f32; 3]],
}

impl PlacementSink for InPlace<'_> {
    fn run(&mut self, first: usize, places: &[[f32; 3]]) {
        self.positions[first..first + places.len()].copy_from_slice(places);
    }

    fn group(&mut self, group: usize, local: impl Iterator<Item = [f32; 3]>) {
        self.data.put(group, local, &mut self.frames, self.positions);
    }
}
