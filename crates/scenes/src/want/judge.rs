//! How well a want is met, or can still be while a simulation runs.

use std::f64::consts::{FRAC_PI_3, FRAC_PI_4};

use glam::{DQuat, DVec3};
use proscenium_geometry::Pose;
use proscenium_rigid::{BodyId, Motion, Recording, Take};

use super::event::near_miss;
use super::grade::missed;
use super::{Condition, Fact, Finding, Measure, Part, RegionWant, Statement, WantPlan};
use crate::drawn::PlacedBody;

/// What tilts more at the end has fallen over.
pub(crate) const FALLEN: f64 = FRAC_PI_4;
/// What tilts more at any time lies, and does not get up again.
pub(crate) const LIES: f64 = FRAC_PI_3;

/// What a simulation has shown so far.
#[derive(Clone, Copy)]
pub(crate) struct Evidence<'a> {
    pub placed: &'a [PlacedBody],
    pub ids: &'a [BodyId],
    pub shown: Account<'a>,
    /// Which bodies were seen to lie; none if it is empty.
    pub fallen: &'a [bool],
    /// Which bodies stay as they are until the end; none if it is empty.
    pub settled: &'a [bool],
    /// Everything until then has been simulated.
    pub now: f64,
    /// Set when nothing can change any more: when the scene ends, and which
    /// bodies are at rest then.
    pub end: Option<(f64, &'a [bool])>,
    /// By which symmetric turn each body is seen; none if it is empty.
    pub turns: &'a [DQuat],
    /// What was found of what is watched; none before anything was.
    pub findings: &'a [Finding],
}

/// Where it is shown.
#[derive(Clone, Copy)]
pub(crate) enum Account<'a> {
    /// All that happened.
    Recording(&'a Recording),
    /// The end alone; for wants that ask for nothing else.
    End(&'a Take),
}

impl Evidence<'_> {
    pub(super) fn pose(&self, body: usize, time: f64) -> Option<Pose> {
        match self.shown {
            Account::Recording(recording) => recording.pose(self.ids[body], time),
            Account::End(take) => take.pose(self.ids[body]),
        }
    }

    pub(super) fn motion(&self, body: usize, time: f64) -> Option<Motion> {
        let recording = match self.shown {
            Account::Recording(recording) => recording,
            Account::End(take) => return take.motion(self.ids[body]),
        };
        let flights = recording.flights(self.ids[body]);
        let after = flights.partition_point(|flight| flight.start() <= time);
        Some(flights.get(after.checked_sub(1)?)?.at(time))
    }

    /// How a body that was simulated in a pose is turned, as it is seen.
    fn rotation(&self, body: usize, pose: &Pose) -> DQuat {
        self.turns.get(body).map_or(pose.rotation, |turn| pose.rotation * *turn)
    }

    /// Whether a body was seen to lie.
    fn has_fallen(&self, body: usize) -> bool {
        self.fallen.get(body).copied().unwrap_or(false)
    }

    /// Whether a body is as it will be at the end.
    fn is_settled(&self, body: usize) -> bool {
        self.settled.get(body).copied().unwrap_or(false)
    }

    /// The blows between a body and others, and their slow touches, in order.
    pub(super) fn blows<'b>(&'b self, body: usize, others: &'b [usize]) -> impl Iterator<Item = Blow> + 'b {
        let (contacts, touches) = match self.shown {
            Account::Recording(recording) => (recording.contacts.as_slice(), recording.touches.as_slice()),
            Account::End(_) => (&[][..], &[][..]),
        };
        let other = move |a: BodyId, b: BodyId| {
            let (a, b) = (a.index(), b.index());
            let other = if a == body { b } else { a };
            ((a == body || b == body) && others.contains(&other)).then_some(other)
        };
        let mut hard = contacts.iter().filter_map(move |contact| {
            let impulse = contact.impulse.length();
            other(contact.a, contact.b).map(|other| Blow { time: contact.time, other, impulse })
        });
        let mut soft = touches.iter().filter_map(move |touch| {
            other(touch.a, touch.b).map(|other| Blow { time: touch.time, other, impulse: 0.0 })
        });
        let (mut next_hard, mut next_soft) = (hard.next(), soft.next());
        std::iter::from_fn(move || {
            let is_hard_first = match (&next_hard, &next_soft) {
                (Some(a), Some(b)) => a.time <= b.time,
                (next, _) => next.is_some(),
            };
            if is_hard_first {
                std::mem::replace(&mut next_hard, hard.next())
            } else {
                std::mem::replace(&mut next_soft, soft.next())
            }
        })
    }

    /// When a body hit one of others, perhaps harder than so many N s, and which, in order.
    pub(super) fn hits<'b>(
        &'b self,
        body: usize,
        others: &'b [usize],
        harder: Option<f64>,
    ) -> impl Iterator<Item = (f64, usize)> + 'b {
        let counts = move |blow: &Blow| harder.is_none_or(|least| blow.impulse >= least);
        self.blows(body, others).filter(counts).map(|blow| (blow.time, blow.other))
    }

    /// Whether all that is until a time is known.
    pub(super) fn is_over(&self, until: f64) -> bool {
        self.end.is_some() || self.now >= until
    }

    /// Until when it is known what happened.
    pub(super) fn last(&self) -> f64 {
        self.end.map_or(self.now, |(end, _)| end)
    }
}

/// A blow on a body, or a slow touch, which has no impulse.
pub(super) struct Blow {
    pub time: f64,
    pub other: usize,
    /// N s.
    pub impulse: f64,
}

/// What is known about a want: at the end `best` is its score, and it either
/// holds or fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Verdict {
    /// It scores no more than this; zero is perfect.
    pub best: f64,
    pub may_hold: bool,
    pub may_fail: bool,
    /// Whether nothing can change the score any more.
    pub is_final: bool,
    /// How deep it holds, once that is final: zero on the edge of failing, infinite if that
    /// is not known.
    pub depth: f64,
}

impl Verdict {
    /// Nothing is decided.
    pub(super) const OPEN: Self = Self { best: 0.0, may_hold: true, may_fail: true, is_final: false, depth: 0.0 };

    /// All must hold.
    pub(crate) fn all(parts: impl Iterator<Item = Verdict>) -> Self {
        let perfect = Self { best: 0.0, may_hold: true, may_fail: false, is_final: true, depth: f64::INFINITY };
        parts.fold(perfect, |sum, part| Self {
            best: sum.best + part.best,
            may_hold: sum.may_hold && part.may_hold,
            may_fail: sum.may_fail || part.may_fail,
            is_final: sum.is_final && part.is_final,
            depth: sum.depth.min(part.depth),
        })
    }

    pub(super) fn decided(holds: bool, score: f64) -> Self {
        let depth = if holds { f64::INFINITY } else { 0.0 };
        Self { best: score, may_hold: holds, may_fail: !holds, is_final: true, depth }
    }

    /// What is known of the contrary: a miss costs the less the nearer it was.
    fn negated(self, weight: f64) -> Self {
        if !self.may_hold {
            return Self { best: 0.0, may_hold: true, may_fail: false, is_final: true, depth: f64::INFINITY };
        }
        let best = match (self.may_fail, self.is_final) {
            (true, _) => 0.0,
            // So much it costs at least.
            (false, false) => missed(weight, 0.0),
            (false, true) => missed(weight, self.depth),
        };
        Self { best, may_hold: self.may_fail, may_fail: true, is_final: self.is_final && !self.may_fail, depth: 0.0 }
    }

    /// It counts or it does not.
    fn counted(holds: bool, weight: f64) -> Self {
        Self::decided(holds, if holds { 0.0 } else { -weight })
    }
}

impl WantPlan {
    pub(crate) fn judge(&self, seen: &Evidence<'_>) -> Verdict {
        let parts = (0..self.parts.len()).map(|part| self.judge_part(part, seen));
        match self.count {
            None => Verdict::all(parts),
            Some(count) => self.judge_count(count, &parts.collect::<Vec<_>>()),
        }
    }

    /// So many of the parts should hold: of those that are missing the nearest count, and
    /// each that is too much.
    fn judge_count(&self, (least, most): (usize, usize), verdicts: &[Verdict]) -> Verdict {
        let possible = verdicts.iter().filter(|verdict| verdict.may_hold).count();
        let certain = verdicts.iter().filter(|verdict| !verdict.may_fail).count();
        let whole = counted((certain, possible), (least, most), self.weight);
        if possible >= least {
            return whole;
        }
        let mut costs: Vec<(f64, bool)> =
            self.parts.iter().zip(verdicts).map(|(part, verdict)| self.cost(part, verdict)).collect();
        costs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let best = -costs[..least].iter().map(|(cost, _)| cost).sum::<f64>();
        let is_final = whole.is_final && costs.iter().all(|(_, is_final)| *is_final);
        Verdict { best, is_final, ..whole }
    }

    /// What a part costs at least where it is counted, and whether that is final.
    fn cost(&self, part: &Part, verdict: &Verdict) -> (f64, bool) {
        if verdict.may_hold {
            return (0.0, !verdict.may_fail);
        }
        let own = match part {
            Part::Want(want) => want.weight,
            Part::Statement(_) | Part::Not(_) | Part::Then(_) => self.weight,
        };
        let cost = -verdict.best * (self.weight / own);
        (cost.min(self.weight), verdict.is_final || cost >= self.weight)
    }

    /// What is known about one of its parts.
    pub(crate) fn judge_part(&self, part: usize, seen: &Evidence<'_>) -> Verdict {
        match &self.parts[part] {
            Part::Statement(statement) => statement.judge(seen, self.weight, self.counts),
            Part::Want(want) => want.judge(seen),
            Part::Not(want) => want.judge(seen).negated(self.weight),
            Part::Then(order) => order.judge(seen, self.weight),
        }
    }

    /// Whether some statement in it is such.
    fn any_statement(&self, is_such: &impl Fn(&Statement) -> bool) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Statement(statement) => is_such(statement),
            Part::Want(want) | Part::Not(want) => want.any_statement(is_such),
            Part::Then(_) => false,
        })
    }

    /// Whether the want is about a body's standing or lying.
    pub(crate) fn asks_whether_it_stands(&self, body: usize) -> bool {
        let about = |fact: &Fact| matches!(fact.condition, Condition::Upright(_) | Condition::Unmoved { .. });
        self.any_statement(&|statement| statement.body == body && statement.facts.iter().any(about))
    }

    /// Whether the want asks how a body lies when it has come to rest.
    pub(crate) fn asks_for_rest(&self, body: usize) -> bool {
        let about = |fact: &Fact| fact.at.is_none() && fact.condition.is_about_rest();
        self.any_statement(&|statement| statement.body == body && statement.facts.iter().any(about))
    }

    /// Whether anything can be known before the end.
    pub(crate) fn is_decided_early(&self) -> bool {
        let early = |fact: &Fact| fact.at.is_some() || fact.condition.is_told_early();
        let has_order = |want: &Self| want.parts.iter().any(|part| matches!(part, Part::Then(_)));
        self.any_want(&has_order) || self.any_statement(&|statement| statement.facts.iter().any(early))
    }

    /// Whether it, or some want in it, is such.
    fn any_want(&self, is_such: &impl Fn(&Self) -> bool) -> bool {
        let inner = |part: &Part| match part {
            Part::Want(want) | Part::Not(want) => want.any_want(is_such),
            Part::Statement(_) | Part::Then(_) => false,
        };
        is_such(self) || self.parts.iter().any(inner)
    }
}

/// So many hold for certain and can hold at most, and so many should: each one
/// missing costs the weight.
pub(super) fn counted((certain, possible): (usize, usize), (least, most): (usize, usize), weight: f64) -> Verdict {
    let off = least.saturating_sub(possible).max(certain.saturating_sub(most));
    // Between what is certain and what is possible, any count can come.
    let may_fail = certain < least || possible > most;
    let is_final = certain == possible || (least <= certain && possible <= most);
    let depth = if off == 0 { f64::INFINITY } else { 0.0 };
    Verdict { best: -weight * off as f64, may_hold: off == 0, may_fail, is_final, depth }
}

impl Statement {
    fn judge(&self, seen: &Evidence<'_>, weight: f64, counts: bool) -> Verdict {
        let verdict = Verdict::all(self.facts.iter().map(|fact| fact.judge(self.body, seen, weight, counts)));
        let about_rest = self.facts.iter().any(|fact| match fact.condition {
            ref condition if !condition.is_about_rest() => false,
            // What lies need not come to rest.
            Condition::Upright(_) | Condition::Unmoved { .. } if seen.has_fallen(self.body) => false,
            _ => fact.at.is_none(),
        });
        match seen.end {
            Some((_, resting)) if about_rest && !resting[self.body] => Verdict::decided(false, verdict.best - weight),
            _ => verdict,
        }
    }
}

impl Fact {
    fn judge(&self, body: usize, seen: &Evidence<'_>, weight: f64, counts: bool) -> Verdict {
        let absent = seen.placed[body].absent;
        match &self.condition {
            Condition::Hits(hits) => return hits.judge(body, seen, weight, counts),
            Condition::Watched { watch, always, grade, until, .. } => {
                let nothing = Finding::default();
                let found = seen.findings.get(*watch).unwrap_or(&nothing);
                let over = absent || seen.is_over(*until);
                return match always {
                    true => grade.of_greatest(found.greatest, over, weight, counts),
                    false => grade.of_least(found.least, over, weight, counts),
                };
            }
            Condition::Happens { watch, times, scale, until } => {
                let nothing = Finding::default();
                let found = seen.findings.get(*watch).unwrap_or(&nothing);
                let (count, over) = (found.times.len(), absent || seen.is_over(*until));
                let verdict = counted((count, if over { count } else { usize::MAX }), *times, weight);
                return if count < times.0 { near_miss(verdict, weight, || found.least / scale) } else { verdict };
            }
            _ => (),
        }
        if self.at.is_none() && seen.has_fallen(body) {
            match self.condition {
                Condition::Upright(wanted) => return Verdict::counted(!wanted, weight),
                Condition::Unmoved { wanted, .. } => return Verdict::counted(!wanted, weight),
                _ => (),
            }
        }
        let graded = match &self.condition {
            Condition::Graded { .. } | Condition::Inside { within: Some(_), .. } => true,
            Condition::Measured { grade, .. } => grade.within.is_some(),
            _ => false,
        };
        // What is not there is infinitely far away.
        let missing = Verdict::decided(false, if graded && !counts { f64::NEG_INFINITY } else { -weight });
        if seen.placed[body].absent {
            return missing;
        }
        let time = match (self.at, seen.end) {
            (Some(at), end) if at <= seen.now || end.is_some() => at,
            (None, Some((end, _))) => end,
            (None, None) if seen.is_settled(body) => seen.now,
            _ => return Verdict::OPEN,
        };
        let (Some(pose), Some(motion)) = (seen.pose(body, time), seen.motion(body, time)) else {
            return missing;
        };
        if let Condition::Measured { signal, grade } = &self.condition {
            let look = |body: usize| Some((seen.pose(body, time)?, seen.motion(body, time)?));
            return grade.verdict(signal.of(body, seen.placed, &look), weight, counts);
        }
        self.condition.judge(body, seen, &pose, &motion, weight, counts)
    }
}

impl Condition {
    fn judge(
        &self,
        body: usize,
        seen: &Evidence<'_>,
        pose: &Pose,
        motion: &Motion,
        weight: f64,
        counts: bool,
    ) -> Verdict {
        let start = &seen.placed[body].def.pose;
        match self {
            Self::Graded { measure, within } => {
                let miss = measure.miss(&Pose::new(pose.translation, seen.rotation(body, pose)), motion);
                grade(miss <= *within, miss, *within, weight, counts)
            }
            Self::Inside { region, within } => {
                let miss = region.miss(pose.translation, seen.placed);
                match within {
                    Some(within) => grade(miss <= 0.0, miss, *within, weight, counts),
                    None => Verdict::counted(miss <= 0.0, weight),
                }
            }
            Self::FaceUp { axis, within } => {
                Verdict::counted(angle(seen.rotation(body, pose) * *axis, DVec3::Y) <= *within, weight)
            }
            Self::Upright(true) if stands(start, pose) => {
                let moved = pose.translation.distance(start.translation) > 0.25 * width(&seen.placed[body]);
                Verdict::decided(true, if moved { -0.5 * weight } else { 0.0 })
            }
            Self::Upright(wanted) => Verdict::counted(stands(start, pose) == *wanted, weight),
            Self::Unmoved { wanted, within } => {
                let within = within.unwrap_or_else(|| 0.5 * radius(&seen.placed[body]));
                let stayed = pose.translation.distance(start.translation) <= within && stands(start, pose);
                Verdict::counted(stayed == *wanted, weight)
            }
            // Judged before the motion is asked for.
            Self::Hits(_) | Self::Measured { .. } | Self::Watched { .. } | Self::Happens { .. } => Verdict::OPEN,
        }
    }
}

/// Half the longest edge of the box around a body's shape: the radius of a
/// ball.
pub(crate) fn radius(body: &PlacedBody) -> f64 {
    let bounds = body.def.shape.bounds(&Pose::IDENTITY);
    0.5 * bounds.size().max_element()
}

/// The shortest edge of the box around a body's shape.
fn width(body: &PlacedBody) -> f64 {
    body.def.shape.bounds(&Pose::IDENTITY).size().min_element()
}

fn grade(holds: bool, miss: f64, within: f64, weight: f64, counts: bool) -> Verdict {
    if counts {
        return Verdict::counted(holds, weight);
    }
    let off = miss / within;
    Verdict::decided(holds, -0.5 * off * off)
}

impl Measure {
    fn miss(&self, pose: &Pose, motion: &Motion) -> f64 {
        match self {
            Self::Place { place, level } => {
                let off = pose.translation - *place;
                if *level { off.with_y(0.0).length() } else { off.length() }
            }
            Self::Turn(turn) => turned(pose.rotation, *turn),
            Self::Velocity(velocity) => motion.velocity.distance(*velocity),
        }
    }
}

impl RegionWant {
    /// How far a place is outside.
    pub(super) fn miss(&self, place: DVec3, placed: &[PlacedBody]) -> f64 {
        match self {
            Self::Box { low, high } => place.distance(place.clamp(*low, *high)),
            Self::Ball { centre, radius } => (place.distance(*centre) - radius).max(0.0),
            Self::Around(bodies) => {
                let outside = |body: &usize| {
                    let def = &placed[*body].def;
                    let bounds = def.shape.bounds(&def.pose);
                    place.distance(place.clamp(bounds.min, bounds.max))
                };
                bodies.iter().map(outside).fold(f64::INFINITY, f64::min)
            }
        }
    }
}

/// Whether what was up at the start is still up.
fn stands(start: &Pose, now: &Pose) -> bool {
    tilt(start, now) < FALLEN
}

/// Whether what was up at the start lies, for good.
pub(crate) fn lies(start: &Pose, now: &Pose) -> bool {
    tilt(start, now) > LIES
}

/// How far what was up at the start leans.
pub(super) fn tilt(start: &Pose, now: &Pose) -> f64 {
    angle(now.rotation * (start.rotation.inverse() * DVec3::Y), DVec3::Y)
}

pub(super) fn angle(a: DVec3, b: DVec3) -> f64 {
    libm::acos((a.dot(b) / (a.length() * b.length())).clamp(-1.0, 1.0))
}

/// The angle of the turn from one orientation to another.
pub(super) fn turned(a: DQuat, b: DQuat) -> f64 {
    2.0 * libm::acos((a.dot(b) / (a.length() * b.length())).abs().min(1.0))
}
