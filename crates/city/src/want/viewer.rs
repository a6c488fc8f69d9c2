//! How the viewer may go on: a handful of drives from where it is.

use proscenium_chance::Stream;

use crate::driving::Vehicle;
use crate::map::{Control, Map, PathId};

/// How many drives. Chosen: each turn of the next junction is there twice or more.
pub(crate) const FUTURES: usize = 12;
/// How long a viewer stops where all stop or give way, seconds.
const STOP: f64 = 1.5;

/// A viewer on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) path: PathId,
    /// From the viewer to the end of the path, metres.
    pub(crate) remaining: f64,
    /// Whether the viewer does not move.
    pub(crate) stands: bool,
}

/// A path that the viewer is on, and from when until when, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leg {
    pub(crate) path: PathId,
    pub(crate) from: f64,
    pub(crate) until: f64,
}

/// Drives from a place up to a time, each as likely as any other: within the limits,
/// every turn alike. Half of those who stand stay where they are.
pub(crate) fn futures(
    map: &Map,
    vehicle: &Vehicle,
    place: Place,
    [now, until]: [f64; 2],
    stream: &mut Stream,
) -> Vec<Vec<Leg>> {
    let drive = |number: usize| {
        let mut path = place.path;
        let free = vehicle.free_run(map, path);
        let gone = (map.path_length(path) - place.remaining).max(0.0);
        let mut time = now + (free.duration() - free.time_at(gone)).max(0.2);
        if place.stands && number.is_multiple_of(2) {
            time = until;
        }
        let mut legs = vec![Leg { path, from: now, until: (time + pause(map, path)).min(until) }];
        while let Some(last) = legs.last().copied().filter(|leg| leg.until < until) {
            let mut ways = map.successors(path);
            let chosen = stream.below(ways.len() as u64) as usize;
            path = ways.nth(chosen).unwrap_or(path);
            let end = last.until + vehicle.free_run(map, path).duration() + pause(map, path);
            legs.push(Leg { path, from: last.until, until: end.min(until) });
        }
        legs
    };
    (0..FUTURES).map(drive).collect()
}

/// How long a viewer stops at the end of a path.
fn pause(map: &Map, path: PathId) -> f64 {
    match map.junction(map.end_of(path)).control {
        Control::Free | Control::DeadEnd => 0.0,
        Control::AllWayStop | Control::Signals | Control::Priority => STOP,
    }
}
