//! How well a want is met, or can still be while a simulation runs.

use std::f64::consts::{FRAC_PI_3, FRAC_PI_4};

use glam::{DQuat, DVec3};
use proscenium_geometry::Pose;
use proscenium_rigid::{BodyId, Motion, Recording, Take};

use super::{Condition, Fact, Measure, Part, RegionWant, Statement, WantPlan};
use crate::drawn::PlacedBody;

/// What tilts more at the end has fallen over.
const FALLEN: f64 = FRAC_PI_4;
/// What tilts more at any time lies, and does not get up again.
const LIES: f64 = FRAC_PI_3;
/// Hits on one body that are closer together than this count as one, s.
const ONE_HIT: f64 = 0.05;

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
    fn pose(&self, body: usize, time: f64) -> Option<Pose> {
        match self.shown {
            Account::Recording(recording) => recording.pose(self.ids[body], time),
            Account::End(take) => take.pose(self.ids[body]),
        }
    }

    fn motion(&self, body: usize, time: f64) -> Option<Motion> {
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

    /// When a body hit one of others, and which, in order.
    fn hits(&self, body: usize, others: &[usize]) -> impl Iterator<Item = (f64, usize)> {
        let contacts = match self.shown {
            Account::Recording(recording) => recording.contacts.as_slice(),
            Account::End(_) => &[],
        };
        let pairs = contacts.iter().map(|contact| (contact.a.index(), contact.b.index(), contact.time));
        pairs.filter_map(move |(a, b, time)| {
            let other = if a == body { b } else { a };
            ((a == body || b == body) && others.contains(&other)).then_some((time, other))
        })
    }
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
}

impl Verdict {
    /// Nothing is decided.
    const OPEN: Self = Self { best: 0.0, may_hold: true, may_fail: true, is_final: false };

    /// All must hold.
    pub(crate) fn all(parts: impl Iterator<Item = Verdict>) -> Self {
        let perfect = Self { best: 0.0, may_hold: true, may_fail: false, is_final: true };
        parts.fold(perfect, |sum, part| Self {
            best: sum.best + part.best,
            may_hold: sum.may_hold && part.may_hold,
            may_fail: sum.may_fail || part.may_fail,
            is_final: sum.is_final && part.is_final,
        })
    }

    fn decided(holds: bool, score: f64) -> Self {
        Self { best: score, may_hold: holds, may_fail: !holds, is_final: true }
    }

    /// It counts or it does not.
    fn counted(holds: bool, weight: f64) -> Self {
        Self::decided(holds, if holds { 0.0 } else { -weight })
    }
}

impl WantPlan {
    pub(crate) fn judge(&self, seen: &Evidence<'_>) -> Verdict {
        let parts = (0..self.parts.len()).map(|part| self.judge_part(part, seen));
        let Some((least, most)) = self.count else {
            return Verdict::all(parts);
        };
        let (mut possible, mut certain) = (0, 0);
        for part in parts {
            possible += usize::from(part.may_hold);
            certain += usize::from(!part.may_fail);
        }
        counted((certain, possible), (least, most), self.weight)
    }

    /// What is known about one of its parts.
    pub(crate) fn judge_part(&self, part: usize, seen: &Evidence<'_>) -> Verdict {
        match &self.parts[part] {
            Part::Statement(statement) => statement.judge(seen, self.weight, self.counts),
            Part::Want(want) => want.judge(seen),
        }
    }

    /// Whether the want is about a body's standing or lying.
    pub(crate) fn asks_whether_it_stands(&self, body: usize) -> bool {
        let about = |fact: &Fact| matches!(fact.condition, Condition::Upright(_) | Condition::Unmoved { .. });
        self.parts.iter().any(|part| match part {
            Part::Statement(statement) => statement.body == body && statement.facts.iter().any(about),
            Part::Want(want) => want.asks_whether_it_stands(body),
        })
    }

    /// Whether the want asks how a body lies when it has come to rest.
    pub(crate) fn asks_for_rest(&self, body: usize) -> bool {
        let about = |fact: &Fact| fact.at.is_none() && !matches!(fact.condition, Condition::Hits { .. });
        self.parts.iter().any(|part| match part {
            Part::Statement(statement) => statement.body == body && statement.facts.iter().any(about),
            Part::Want(want) => want.asks_for_rest(body),
        })
    }

    /// Whether anything can be known before the end.
    pub(crate) fn is_decided_early(&self) -> bool {
        let early = |fact: &Fact| {
            let told =
                matches!(fact.condition, Condition::Hits { .. } | Condition::Upright(_) | Condition::Unmoved { .. });
            fact.at.is_some() || told
        };
        self.parts.iter().any(|part| match part {
            Part::Statement(statement) => statement.facts.iter().any(early),
            Part::Want(want) => want.is_decided_early(),
        })
    }
}

/// So many hold for certain and can hold at most, and so many should: each one
/// missing costs the weight.
fn counted((certain, possible): (usize, usize), (least, most): (usize, usize), weight: f64) -> Verdict {
    let off = least.saturating_sub(possible).max(certain.saturating_sub(most));
    // Between what is certain and what is possible, any count can come.
    let may_fail = certain < least || possible > most;
    let is_final = certain == possible || (least <= certain && possible <= most);
    Verdict { best: -weight * off as f64, may_hold: off == 0, may_fail, is_final }
}

impl Statement {
    fn judge(&self, seen: &Evidence<'_>, weight: f64, counts: bool) -> Verdict {
        let verdict = Verdict::all(self.facts.iter().map(|fact| fact.judge(self.body, seen, weight, counts)));
        let about_rest = self.facts.iter().any(|fact| match fact.condition {
            Condition::Hits { .. } => false,
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
        if let Condition::Hits { other, times, before, at, last } = &self.condition {
            return match at {
                Some((time, within)) => hits_at(seen, body, other, (*time, *within), *last, weight, counts),
                None => hits(seen, body, other, *times, before.as_deref().unwrap_or_default(), weight),
            };
        }
        if self.at.is_none() && seen.has_fallen(body) {
            match self.condition {
                Condition::Upright(wanted) => return Verdict::counted(!wanted, weight),
                Condition::Unmoved { wanted, .. } => return Verdict::counted(!wanted, weight),
                _ => (),
            }
        }
        let graded = matches!(self.condition, Condition::Graded { .. } | Condition::Inside { within: Some(_), .. });
        // What is not there is infinitely far away.
        let absent = Verdict::decided(false, if graded && !counts { f64::NEG_INFINITY } else { -weight });
        if seen.placed[body].absent {
            return absent;
        }
        let time = match (self.at, seen.end) {
            (Some(at), end) if at <= seen.now || end.is_some() => at,
            (None, Some((end, _))) => end,
            (None, None) if seen.is_settled(body) => seen.now,
            _ => return Verdict::OPEN,
        };
        let (Some(pose), Some(motion)) = (seen.pose(body, time), seen.motion(body, time)) else {
            return absent;
        };
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
                let miss = region.miss(pose.translation, seen);
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
            // Judged before any pose is asked for.
            Self::Hits { .. } => Verdict::OPEN,
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
    fn miss(&self, place: DVec3, seen: &Evidence<'_>) -> f64 {
        match self {
            Self::Box { low, high } => place.distance(place.clamp(*low, *high)),
            Self::Ball { centre, radius } => (place.distance(*centre) - radius).max(0.0),
            Self::Around(bodies) => {
                let outside = |body: &usize| {
                    let def = &seen.placed[*body].def;
                    let bounds = def.shape.bounds(&def.pose);
                    place.distance(place.clamp(bounds.min, bounds.max))
                };
                bodies.iter().map(outside).fold(f64::INFINITY, f64::min)
            }
        }
    }
}

/// How often a body hits others before it hits any of some.
fn hits(
    seen: &Evidence<'_>,
    body: usize,
    others: &[usize],
    times: (usize, usize),
    before: &[usize],
    weight: f64,
) -> Verdict {
    let too_late = seen.hits(body, before).next().map_or(f64::INFINITY, |(time, _)| time);
    let mut count = 0;
    let mut last: Option<(f64, usize)> = None;
    for (time, other) in seen.hits(body, others).take_while(|(time, _)| *time < too_late) {
        let again = last.is_some_and(|(then, whom)| whom == other && time - then < ONE_HIT);
        count += usize::from(!again);
        last = Some((time, other));
    }
    let over = seen.end.is_some() || seen.placed[body].absent || too_late.is_finite();
    counted((count, if over { count } else { usize::MAX }), times, weight)
}

/// A hit at a time. What never hits misses by as much as a hit could.
fn hits_at(
    seen: &Evidence<'_>,
    body: usize,
    others: &[usize],
    (time, within): (f64, f64),
    last: f64,
    weight: f64,
    counts: bool,
) -> Verdict {
    let nearest = seen.hits(body, others).map(|(hit, _)| (hit - time).abs()).fold(f64::INFINITY, f64::min);
    let never = time.max(last - time);
    let over = seen.end.is_some() || seen.placed[body].absent;
    // A later hit is no nearer than now.
    let possible = if over { f64::INFINITY } else { (seen.now - time).max(0.0) };
    if nearest <= possible && nearest.is_finite() {
        return grade(nearest <= within, nearest, within, weight, counts);
    }
    if over {
        let missed = grade(false, never, within, weight, counts);
        return if counts { missed } else { Verdict::decided(false, missed.best - weight) };
    }
    let best = grade(possible <= within, possible, within, weight, counts);
    let (may_hold, may_fail) = (possible <= within || nearest <= within, nearest > within);
    Verdict { best: best.best, may_hold, may_fail, is_final: false }
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
fn tilt(start: &Pose, now: &Pose) -> f64 {
    angle(now.rotation * (start.rotation.inverse() * DVec3::Y), DVec3::Y)
}

pub(super) fn angle(a: DVec3, b: DVec3) -> f64 {
    libm::acos((a.dot(b) / (a.length() * b.length())).clamp(-1.0, 1.0))
}

/// The angle of the turn from one orientation to another.
pub(super) fn turned(a: DQuat, b: DQuat) -> f64 {
    2.0 * libm::acos((a.dot(b) / (a.length() * b.length())).abs().min(1.0))
}
