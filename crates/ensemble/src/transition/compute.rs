//! COMPUTE-MEMG-TRANSITION (8): the best of several feasible points.

use std::collections::BTreeMap;

use proscenium_chance::Stream;
use proscenium_work::{Completion, Finish as _, Progress, Stopped};

use super::abrupt::Limit;
use super::cost::{Costs, shifted};
use super::program::{Program, Shapes};
use super::satisfy::{Detours, FeasiblePoint, ProgramOutcome, pick, satisfy};
use super::{Observer, Scratch, Splice, Step, Trace, Transition, TransitionSettings};
use crate::compressed::{CompressedEnsemble, Frames};
use crate::data::Moment;

/// How strongly destinations with a small Φ(0; i, j) are preferred: the power of the
/// least over each. The paper says only that they are; chosen.
const SHARPNESS: f64 = 4.0;
/// How many moments detours may lead by: chosen, since each has shapes of its own.
const MIDDLES: usize = 3;
/// Shares of a frame at which what is found is tested between frames: those that displays
/// of two and four times the rate of the data show.
const BETWEEN: [f64; 3] = [0.25, 0.5, 0.75];
/// What is in the way where a way is too abrupt only in the world.
const ABRUPT: &str = "accelerations beyond those of the data";

/// What programs came to: the columns of table I.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Tally {
    /// Departures that found a transition.
    pub wins: u64,
    /// Departures that were tried.
    pub departures: u64,
    /// Programs that were begun (calls of SATISFY-MEMG-CSP).
    pub programs: u64,
    /// Those with a feasible point.
    pub feasible: u64,
    /// Those that were given up as too costly.
    pub culled: u64,
    /// Those that were given up as too hard.
    pub timed_out: u64,
    /// Calls of LOCAL-SEARCH in feasible programs.
    pub searches: u64,
    /// Contacts known at the end of feasible programs.
    pub known: u64,
    /// Pairs that unconstrained minima made interpenetrate, in feasible programs.
    pub first_bad: u64,
    /// Shapes made and pairs tested.
    pub work: u64,
}

impl Tally {
    /// Adds another.
    pub fn add(&mut self, other: &Tally) {
        let pairs = [
            (&mut self.wins, other.wins),
            (&mut self.departures, other.departures),
            (&mut self.programs, other.programs),
            (&mut self.feasible, other.feasible),
            (&mut self.culled, other.culled),
            (&mut self.timed_out, other.timed_out),
            (&mut self.searches, other.searches),
            (&mut self.known, other.known),
            (&mut self.first_bad, other.first_bad),
            (&mut self.work, other.work),
        ];
        for (sum, count) in pairs {
            *sum += count;
        }
    }
}

/// What a departure came to, whether or not it found a way.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DepartureOutcome {
    /// The best transition, if there is any.
    pub transition: Option<Transition>,
    /// What the programs came to.
    pub tally: Tally,
    /// The constraints that remained where programs were given up, and how
    /// often.
    pub stubborn: BTreeMap<String, u64>,
}

impl DepartureOutcome {
    /// The constraint that stood in the way most often.
    pub fn most_stubborn(&self) -> Option<&str> {
        self.stubborn.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0))).map(|(name, _)| name.as_str())
    }
}

/// Finds the best way from around a moment to around one of `candidates`:
/// COMPUTE-MEMG-TRANSITION (8). The caller keeps
/// [`TransitionSettings::span`] frames on both sides of all of them.
///
/// Destinations are drawn by importance, rather those that are near at once;
/// each further one must cost less than a share α of the best. A transition
/// that is found is tested once more as a whole, as it will be played.
pub fn compute_transition(
    shapes: &Shapes,
    costs: &Costs,
    from: Moment,
    candidates: &[Moment],
    settings: &TransitionSettings,
    stream: &mut Stream,
    observer: &mut Observer,
) -> Completion<DepartureOutcome> {
    let departure = Departure { shapes, costs, from, candidates, settings, found: DepartureOutcome::default() };
    departure.compute(stream, observer).finish()
}

struct Departure<'call, 'data> {
    shapes: &'call Shapes<'data>,
    costs: &'call Costs<'data>,
    from: Moment,
    candidates: &'call [Moment],
    settings: &'call TransitionSettings,
    found: DepartureOutcome,
}

impl Departure<'_, '_> {
    fn compute(mut self, stream: &mut Stream, observer: &mut Observer) -> Result<DepartureOutcome, Stopped> {
        self.found.tally.departures = 1;
        self.sample(0.0, stream, observer)?;
        if self.found.transition.is_none() && self.settings.tolerance > 0.0 {
            self.sample(self.settings.tolerance, stream, observer)?;
        }
        self.found.tally.wins = u64::from(self.found.transition.is_some());
        Ok(self.found)
    }

    fn sample(&mut self, tolerance: f64, stream: &mut Stream, observer: &mut Observer) -> Result<(), Stopped> {
        let near = self.candidates.iter().map(|&to| {
            observer.progress.check()?;
            Ok(self.costs.synchronous(self.from, to))
        });
        let near: Vec<f64> = near.collect::<Result<_, Stopped>>()?;
        let least = near.iter().copied().fold(f64::INFINITY, f64::min);
        let mut weights: Vec<f64> =
            near.iter().map(|&cost| if cost > 0.0 { libm::pow(least / cost, SHARPNESS) } else { 1.0 }).collect();
        self.tell(Step::Departure, None, observer);
        for _ in 0..self.settings.samples {
            if weights.iter().all(|&weight| weight <= 0.0) {
                break;
            }
            let chosen = pick(weights.iter().copied(), stream);
            // Again, but rather another: a second search takes another way.
            weights[chosen] *= 0.25;
            self.try_destination(self.candidates[chosen], tolerance, stream, observer)?;
        }
        Ok(())
    }

    fn try_destination(
        &mut self,
        to: Moment,
        tolerance: f64,
        stream: &mut Stream,
        observer: &mut Observer,
    ) -> Result<(), Stopped> {
        let best = self.found.transition.as_ref().map(|transition| transition.cost);
        let cutoff = best.map_or(f64::INFINITY, |best| self.settings.cutoff * best);
        self.tell(Step::Destination, best, observer);
        let limit = Limit::of(self.costs, [self.from, to], self.settings);
        let table = limit.table(self.from, to, self.settings.reach);
        if table.iter().any(|costs| costs.iter().all(|cost| cost.is_infinite())) {
            *self.found.stubborn.entry(ABRUPT.to_owned()).or_default() += 1;
        }
        let detours = Detours { limit, from: self.from, to, by: self.middles(stream) };
        let mut program = Program::new(self.shapes, self.from, to, self.settings);
        if tolerance > 0.0 {
            program.tolerate(tolerance);
        }
        let worked = self.found.tally.work;
        let mut tell = |point: Trace| (observer.trace)(Trace { work: worked + point.work, best, ..point });
        let mut inner = Observer { progress: observer.progress, trace: &mut tell };
        let outcome = satisfy(&mut program, &table, &detours, cutoff, self.settings, stream, &mut inner)?;
        let tally = &mut self.found.tally;
        tally.programs += 1;
        tally.work += program.work;
        let step = match outcome {
            ProgramOutcome::Feasible(point) => self.accept(to, point, tolerance, limit.most(), observer.progress)?,
            ProgramOutcome::Culled => {
                tally.culled += 1;
                Step::Culled
            }
            ProgramOutcome::TimedOut { stubborn } => {
                tally.timed_out += 1;
                stubborn.into_iter().for_each(|name| *self.found.stubborn.entry(name).or_default() += 1);
                Step::TimedOut
            }
        };
        let best = self.found.transition.as_ref().map(|transition| transition.cost);
        self.tell(step, best, observer);
        Ok(())
    }

    /// Moments that detours may lead by.
    fn middles(&self, stream: &mut Stream) -> Vec<Moment> {
        let count = if self.settings.detours && self.candidates.len() > 1 { MIDDLES } else { 0 };
        (0..count).map(|_| self.candidates[stream.below(self.candidates.len() as u64) as usize]).collect()
    }

    /// Keeps a feasible point, if it is as clean when it is played.
    fn accept(
        &mut self,
        to: Moment,
        point: FeasiblePoint,
        tolerance: f64,
        most: f64,
        progress: &Progress,
    ) -> Result<Step, Stopped> {
        let transition = Transition {
            from: self.from,
            to,
            blend: self.settings.blend,
            span: self.settings.span(),
            splices: point.splices,
            cost: point.cost,
            tolerance,
        };
        let tally = &mut self.found.tally;
        let name = |group: usize| &self.shapes.data.groups()[group].name;
        let fault = if most.is_finite() && transition.acceleration(self.shapes.data) > most {
            Some(ABRUPT.to_owned())
        } else {
            let touch = transition.find_touch(self.shapes, progress)?;
            touch.map(|(k, l)| format!("{} and {}", name(k), name(l)))
        };
        if let Some(fault) = fault {
            tally.timed_out += 1;
            *self.found.stubborn.entry(fault).or_default() += 1;
            return Ok(Step::TimedOut);
        }
        tally.feasible += 1;
        tally.searches += point.searches;
        tally.known += point.known as u64;
        tally.first_bad += point.first_bad as u64;
        self.found.transition = Some(transition);
        Ok(Step::Feasible)
    }

    fn tell(&self, step: Step, best: Option<f64>, observer: &mut Observer) {
        let cost = best.unwrap_or(0.0);
        (observer.trace)(Trace { step, work: self.found.tally.work, cost, best, bad: 0, known: 0 });
    }
}

impl Transition {
    /// Where all vertices are, `frame` frames after the middle.
    pub fn positions(&self, shapes: &Shapes, frame: f64, positions: &mut Vec<[f32; 3]>) {
        self.place(shapes.data, frame, positions);
    }

    pub(crate) fn place(&self, data: &CompressedEnsemble, frame: f64, positions: &mut Vec<[f32; 3]>) {
        positions.resize(data.vertex_count(), [0.0; 3]);
        let (mut scratch, mut frames) = (Scratch::default(), Frames::default());
        for &group in data.order() {
            let splice = self.splices[data.leader_of(group)];
            let local = self.local_by(splice, data, group, frame, &mut scratch);
            data.put(group, local.iter().copied(), &mut frames, positions);
        }
    }

    /// A transition of all groups by given splices, whether or not they
    /// interpenetrate.
    pub fn with_splices(costs: &Costs, [from, to]: [Moment; 2], offsets: &[i8], settings: &TransitionSettings) -> Self {
        let splices: Vec<Splice> = offsets.iter().map(|&offset| Splice::Direct(offset)).collect();
        let cost = offsets
            .iter()
            .enumerate()
            .map(|(group, &offset)| costs.distance(group, shifted(from, offset.into()), shifted(to, offset.into())));
        let cost = cost.sum();
        Self { from, to, blend: settings.blend, span: settings.span(), splices, cost, tolerance: 0.0 }
    }

    /// How many pairs of groups interpenetrate, summed over its frames.
    pub fn pair_frames(&self, shapes: &Shapes) -> usize {
        let span = i64::from(self.span);
        let mut positions = Vec::new();
        let touching = (-span..=span).map(|frame| {
            self.positions(shapes, frame as f64, &mut positions);
            shapes.test.touching(&positions).len()
        });
        touching.sum()
    }

    /// The first pair of groups that interpenetrate in any frame, beyond what
    /// the transition was allowed, or that pass through each other between two.
    pub fn first_touch(&self, shapes: &Shapes) -> Option<(usize, usize)> {
        self.find_touch(shapes, &Progress::none()).unwrap_or_default()
    }

    fn find_touch(&self, shapes: &Shapes, progress: &Progress) -> Result<Option<(usize, usize)>, Stopped> {
        let thickness = shapes.test.thickness() - self.tolerance;
        let test = shapes.test.clone().with_thickness(thickness);
        let crossings = shapes.test.crossings();
        let span = i64::from(self.span);
        let mut positions = Vec::new();
        for frame in -span..=span {
            progress.check()?;
            self.positions(shapes, frame as f64, &mut positions);
            if let Some(&pair) = test.touching(&positions).first() {
                return Ok(Some(pair));
            }
            for share in BETWEEN.into_iter().filter(|_| frame < span) {
                self.positions(shapes, frame as f64 + share, &mut positions);
                if let Some(&pair) = crossings.touching(&positions).first() {
                    return Ok(Some(pair));
                }
            }
        }
        Ok(None)
    }
}
