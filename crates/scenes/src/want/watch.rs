//! What is watched while a simulation runs: numbers throughout a stretch of time, and the
//! moments at which something happens.
//!
//! It is looked 240 times a second of the scene, and wherever a motion changes, from both
//! sides. When anybody asks for what was found makes no difference to it.

use glam::DVec3;
use proscenium_bodies::Flight;
use proscenium_geometry::Pose;
use proscenium_rigid::{BodyId, Motion, Recording};

use super::Signal;
use super::judge::{LIES, tilt};
use crate::drawn::PlacedBody;

/// So often it is looked, 1/s.
const RATE: f64 = 240.0;
/// Halvings in which a moment is found: a 240th of a second to 4 fs.
const HALVINGS: usize = 40;

/// Something about a body that is watched.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub body: usize,
    pub subject: Subject,
    /// From when to when, seconds.
    pub window: (f64, f64),
}

#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// The least and the greatest value of a number.
    Number(Signal),
    /// When it goes through an opening, and how near it came.
    Passes(Opening),
    /// When it first lies, and how far it was from that.
    Falls,
}

/// What is passed.
#[derive(Clone, Debug)]
pub(crate) enum Opening {
    Given(Gate),
    /// That of a body as it is at the start, in a direction or either way: across the
    /// shortest edge of the box around it.
    Body {
        body: usize,
        direction: Option<DVec3>,
    },
}

impl Opening {
    fn gate(&self, placed: &[PlacedBody]) -> Gate {
        let (body, direction) = match self {
            Self::Given(gate) => return gate.clone(),
            Self::Body { body, direction } => (*body, *direction),
        };
        let def = &placed[body].def;
        let bounds = def.shape.bounds(&Pose::IDENTITY);
        let (size, middle) = (bounds.size(), 0.5 * (bounds.min + bounds.max));
        let thin = (0..3).min_by(|a, b| size[*a].total_cmp(&size[*b])).unwrap_or(0);
        let normal = def.pose.rotation * DVec3::AXES[thin];
        let towards = direction.unwrap_or(normal);
        let half =
            [(thin + 1) % 3, (thin + 2) % 3].map(|axis| def.pose.rotation * (0.5 * size[axis] * DVec3::AXES[axis]));
        Gate {
            centre: def.pose.transform_point(middle),
            normal: if towards.dot(normal) < 0.0 { -normal } else { normal },
            either_way: direction.is_none(),
            half: Some(half),
        }
    }
}

/// An opening in a plane.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    pub centre: DVec3,
    /// The direction in which it is passed.
    pub normal: DVec3,
    /// Whether it may be passed the other way, too.
    pub either_way: bool,
    /// Half the width of the opening along two directions of its plane: an ellipse.
    /// Without bounds it is the whole plane.
    pub half: Option<[DVec3; 2]>,
}

impl Gate {
    /// How far beyond the plane a place is.
    fn height(&self, place: DVec3) -> f64 {
        (place - self.centre).dot(self.normal)
    }

    /// Whether a place of the plane is in the opening.
    fn is_open_at(&self, place: DVec3) -> bool {
        let off = place - self.centre;
        self.half.is_none_or(|half| {
            half.iter().map(|half| square(off.dot(*half) / half.length_squared())).sum::<f64>() <= 1.0
        })
    }

    /// How far a place is from the opening: exactly if it is round.
    fn distance(&self, place: DVec3) -> f64 {
        let (off, height) = (place - self.centre, self.height(place));
        let beside = match &self.half {
            None => 0.0,
            Some(half) => {
                let level = off - height * self.normal;
                let share =
                    half.iter().map(|half| square(level.dot(*half) / half.length_squared())).sum::<f64>().sqrt();
                if share <= 1.0 { 0.0 } else { level.length() * (1.0 - 1.0 / share) }
            }
        };
        (beside * beside + height * height).sqrt()
    }
}

/// What was found about something that is watched.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// The least value; of a moment, how near it was to happening.
    pub least: f64,
    pub greatest: f64,
    /// When it happened.
    pub times: Vec<f64>,
    /// Everything until then was looked at.
    done: Option<f64>,
}

impl Default for Finding {
    fn default() -> Self {
        Self { least: f64::INFINITY, greatest: f64::NEG_INFINITY, times: Vec::new(), done: None }
    }
}

/// What happens in a scene, as far as it is recorded.
#[derive(Clone, Copy)]
pub(crate) struct Scenery<'a> {
    pub placed: &'a [PlacedBody],
    pub ids: &'a [BodyId],
    pub recording: &'a Recording,
}

impl Scenery<'_> {
    /// The flight of a body in which it is right after a time.
    fn flight(&self, body: usize, time: f64) -> Option<&Flight> {
        let flights = self.recording.flights(self.ids[body]);
        flights.get(flights.partition_point(|flight| flight.start() <= time).checked_sub(1)?)
    }

    /// Where a body is in a flight at a time, and how it moves.
    fn at(&self, body: usize, flight: &Flight, time: f64) -> Option<(Pose, Motion)> {
        let motion = flight.at(time);
        Some((self.recording.shape_pose(self.ids[body], &motion)?, motion))
    }
}

/// Looks for all that is watched, as [`Watch::look`] does.
pub(crate) fn look(watches: &[Watch], scenery: Scenery<'_>, until: f64, end: bool, findings: &mut [Finding]) {
    for (watch, found) in watches.iter().zip(findings) {
        watch.look(scenery, until, end, found);
    }
}

impl Watch {
    /// Looks at what happened until a time. Unless that is the `end`, whole 240ths of a
    /// second are looked at, so that it makes no difference in how many parts.
    fn look(&self, scenery: Scenery<'_>, until: f64, end: bool, found: &mut Finding) {
        let (first, last) = self.window;
        let until = if end { until } else { (until * RATE).floor() / RATE }.min(last);
        let from = found.done.unwrap_or(first);
        let is_new = found.done.is_none();
        if until < from || (until == from && !is_new) || (self.is_settled(found)) {
            return;
        }
        found.done = Some(until);
        let bodies: Vec<usize> = std::iter::once(self.body).chain(self.others().iter().copied()).collect();
        let mut cuts = vec![from, until];
        for body in &bodies {
            let flights = scenery.recording.flights(scenery.ids[*body]);
            let begin = flights.partition_point(|flight| flight.start() <= from);
            cuts.extend(flights[begin..].iter().map(Flight::start).take_while(|start| *start < until));
        }
        let ticks = (from * RATE).floor() as u64 + 1..(until * RATE).ceil() as u64;
        cuts.extend(ticks.map(|tick| tick as f64 / RATE).filter(|tick| (from..until).contains(tick)));
        cuts.sort_by(f64::total_cmp);
        cuts.dedup();
        if cuts.len() == 1 {
            // A window that is a moment.
            cuts.push(until);
        }
        let gate = match &self.subject {
            Subject::Passes(opening) => Some(opening.gate(scenery.placed)),
            _ => None,
        };
        for pair in cuts.windows(2) {
            self.look_between(scenery, &bodies, gate.as_ref(), (pair[0], pair[1]), found);
        }
    }

    fn others(&self) -> &[usize] {
        match &self.subject {
            Subject::Number(signal) => signal.others(),
            _ => &[],
        }
    }

    /// Whether nothing new can be found: who lies does not fall again.
    fn is_settled(&self, found: &Finding) -> bool {
        matches!(self.subject, Subject::Falls) && !found.times.is_empty()
    }

    /// Looks at a stretch in which each body is in one flight.
    fn look_between(
        &self,
        scenery: Scenery<'_>,
        bodies: &[usize],
        gate: Option<&Gate>,
        (from, until): (f64, f64),
        found: &mut Finding,
    ) {
        let flights: Vec<Option<&Flight>> = bodies.iter().map(|body| scenery.flight(*body, from)).collect();
        let Some(own) = flights[0].filter(|_| !scenery.placed[self.body].absent) else {
            return;
        };
        let at = |time: f64| scenery.at(self.body, own, time);
        match &self.subject {
            Subject::Number(signal) => {
                for time in [from, until] {
                    let look = |body: usize| {
                        let index = bodies.iter().position(|other| *other == body)?;
                        scenery.at(body, flights[index]?, time)
                    };
                    let value = signal.of(self.body, scenery.placed, &look);
                    found.least = found.least.min(value);
                    found.greatest = found.greatest.max(value);
                }
            }
            Subject::Passes(_) => {
                let Some(gate) = gate else {
                    return;
                };
                let height = |time: f64| at(time).map_or(f64::NAN, |(pose, _)| gate.height(pose.translation));
                let (before, after) = (height(from), height(until));
                let forth = before < 0.0 && after >= 0.0;
                let back = gate.either_way && before >= 0.0 && after < 0.0;
                let mut nearest = at(until);
                if forth || back {
                    let time = moment(from, until, |time| (height(time) >= 0.0) == forth);
                    nearest = at(time);
                    if nearest.is_some_and(|(pose, _)| gate.is_open_at(pose.translation)) {
                        found.times.push(time);
                    }
                }
                let distance = nearest.map_or(f64::INFINITY, |(pose, _)| gate.distance(pose.translation));
                found.least = found.least.min(distance);
            }
            Subject::Falls => {
                let start = &scenery.placed[self.body].def.pose;
                let leans = |time: f64| at(time).map_or(0.0, |(pose, _)| tilt(start, &pose));
                found.least = found.least.min(LIES - leans(until)).max(0.0);
                if found.times.is_empty() && leans(until) > LIES {
                    found.times.push(moment(from, until, |time| leans(time) > LIES));
                }
            }
        }
    }
}

fn square(x: f64) -> f64 {
    x * x
}

/// When something that is not yet so at the beginning and so at the end comes to be so.
fn moment(mut from: f64, mut until: f64, is_so: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (from + until);
        if is_so(middle) {
            until = middle;
        } else {
            from = middle;
        }
    }
    until
}
