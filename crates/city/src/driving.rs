//! How one car moves along its path: the acceleration rules of Chenney 2000,
//! B.2, and the motion that follows from them on an empty road.

use serde::{Deserialize, Serialize};

use crate::driver::Driver;
use crate::map::{Control, Map, PathId, Turn};

/// What a car is and what its driver does. All cars of a city are alike, as in
/// the paper, which gives no numbers for most of this: those here are of a
/// compact car and a calm driver, and SUMO is given the same in the lab.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vehicle {
    /// Largest acceleration, m/s².
    pub acceleration: f64,
    /// Largest deceleration, m/s².
    pub deceleration: f64,
    /// Deceleration when something cuts in, m/s².
    pub emergency: f64,
    /// From bumper to bumper, metres.
    pub length: f64,
    /// Width, metres.
    pub width: f64,
    /// From bumper to bumper of two cars that stand in a queue, metres.
    pub gap: f64,
    /// From the steered wheel to the rear axle, metres.
    pub wheelbase: f64,
    /// Between the rear wheels, metres.
    pub track: f64,
    /// Radius of a wheel, metres.
    pub wheel_radius: f64,
    /// Fastest turn at a junction, m/s.
    pub turning_speed: f64,
    /// Fastest turn back, m/s.
    pub turning_back_speed: f64,
}

/// What a vehicle is. All kinds stand on the same 4.2 m × 1.8 m and drive alike, since
/// lanes and stop lines are laid out for these: a bus is a small one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum VehicleKind {
    /// A car: 86 in 100.
    Car,
    /// A delivery van: 8 in 100.
    Van,
    /// A small lorry: 3 in 100.
    Lorry,
    /// A small bus: 3 in 100.
    Bus,
}

impl VehicleKind {
    /// All kinds, and how many of a hundred vehicles they are. Chosen: about what drives
    /// in towns.
    pub const SHARES: [(Self, f64); 4] = [(Self::Car, 0.86), (Self::Van, 0.08), (Self::Lorry, 0.03), (Self::Bus, 0.03)];

    /// The share of vehicles that are of this kind.
    pub fn share(self) -> f64 {
        Self::SHARES.iter().find(|(kind, _)| *kind == self).map_or(0.0, |(_, share)| *share)
    }

    /// The kind for a number in [0, 1).
    pub(crate) fn at(mut level: f64) -> Self {
        let found = Self::SHARES.iter().find(|(_, share)| {
            level -= share;
            level < 0.0
        });
        found.map_or(Self::Car, |(kind, _)| *kind)
    }
}

impl std::fmt::Display for VehicleKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Car => "car",
            Self::Van => "van",
            Self::Lorry => "lorry",
            Self::Bus => "bus",
        })
    }
}

impl Default for Vehicle {
    fn default() -> Self {
        Self {
            acceleration: 2.0,
            deceleration: 3.0,
            emergency: 9.0,
            length: 4.2,
            width: 1.8,
            gap: 1.6,
            wheelbase: 2.6,
            track: 1.5,
            wheel_radius: 0.32,
            turning_speed: 6.5,
            turning_back_speed: 3.5,
        }
    }
}

impl Vehicle {
    /// Length and gap: what a car takes of a queue, metres.
    #[inline]
    pub fn spacing(&self) -> f64 {
        self.length + self.gap
    }

    /// How far a car goes that brakes as hard as it may, metres.
    #[inline]
    pub fn stopping_distance(&self, speed: f64) -> f64 {
        0.5 * speed * speed / self.deceleration
    }

    /// The speed from which a car can stop within a distance, m/s.
    #[inline]
    pub fn speed_to_stop_within(&self, distance: f64) -> f64 {
        (2.0 * self.deceleration * distance.max(0.0)).sqrt()
    }

    /// Moves a car on by one step: its new speed, and how far it goes.
    ///
    /// `room` is how far the car may go if it has to stop. The rules of the
    /// paper (brake where the stopping distance is short, otherwise speed up to
    /// the limit) are solved for the end of the step instead of judged at its
    /// beginning, so that a car that obeys them never needs more room than it
    /// has. As a leader's stopping point never moves back, cars that keep
    /// behind it never touch.
    #[inline]
    pub fn step(&self, speed: f64, limit: f64, room: f64, dt: f64) -> (f64, f64) {
        let Self { acceleration, deceleration, .. } = *self;
        let half = 0.5 * deceleration * dt;
        // The largest v with (speed + v) dt / 2 + v² / 2 b ≤ room.
        let under = half * half + deceleration * (2.0 * room - speed * dt);
        let safe = if under > 0.0 { under.sqrt() - half } else { 0.0 };
        let least = (speed - deceleration * dt).max(0.0);
        let wanted = (speed + acceleration * dt).min(limit).min(safe).max(least);
        if wanted > 0.0 {
            // What cut in is braked for as hard as possible.
            if wanted > safe + 1e-6 && self.stopping_distance(speed) > room + 1e-6 {
                return self.emergency_step(speed, room, dt);
            }
            return (wanted, 0.5 * (speed + wanted) * dt);
        }
        // The car stops within the step.
        (0.0, self.stopping_distance(speed).min(0.5 * speed * dt).min(room.max(0.0)))
    }

    #[cold]
    fn emergency_step(&self, speed: f64, room: f64, dt: f64) -> (f64, f64) {
        let needed = if room > 0.0 { 0.5 * speed * speed / room } else { self.emergency };
        let braking = needed.clamp(self.deceleration, self.emergency);
        let slowed = speed - braking * dt;
        if slowed > 0.0 { (slowed, 0.5 * (speed + slowed) * dt) } else { (0.0, 0.5 * speed * speed / braking) }
    }

    /// Speed limits of a path: through its junction, and on its lane.
    #[inline]
    pub fn limits(&self, map: &Map, path: PathId) -> [f64; 2] {
        let [crossing, lane] = map.limits(path);
        let turn = match map.path(path).turn {
            Turn::Straight => crossing,
            Turn::Left | Turn::Right => self.turning_speed,
            Turn::Back => self.turning_back_speed,
        };
        [crossing.min(turn), lane]
    }

    /// The fastest way down a path that the rules allow on an empty road: from
    /// rest to rest between all-way stops, and without a stop where none is
    /// needed. Its duration is the smallest possible one, which guarantees rest
    /// on, and what excess is counted from.
    pub fn free_run(&self, map: &Map, path: PathId) -> FreeRun {
        self.free_run_by(map, path, Driver::USUAL)
    }

    /// The same by one of several drivers.
    pub(crate) fn free_run_by(&self, map: &Map, path: PathId, driver: Driver) -> FreeRun {
        let share = f64::from(driver.speed);
        let limits = |path: PathId| self.limits(map, path).map(|limit| share * limit);
        let [crossing_limit, lane_limit] = limits(path);
        let stops = |control: Control| control == Control::AllWayStop;
        let start = if stops(map.junction(map.start_of(path)).control) { 0.0 } else { crossing_limit };
        let end = match stops(map.junction(map.end_of(path)).control) {
            true => 0.0,
            // No turn at the end is faster than this.
            false => map.successors(path).map(|next| limits(next)[0]).fold(0.0, f64::max),
        };
        let zones =
            [(f64::from(map.path(path).crossing), crossing_limit), (map.lane(map.path(path).to).length, lane_limit)];
        FreeRun::new(self, start, zones, end)
    }
}

/// A piece of motion with constant acceleration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Piece {
    time: f64,
    distance: f64,
    speed: f64,
    acceleration: f64,
}

/// The motion of a car that nothing holds up: pieces of constant acceleration.
///
/// The paper fits cubics to this motion; it has a closed form, which costs no
/// memory and has no error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeRun {
    pieces: [Piece; 6],
    count: usize,
    duration: f64,
    length: f64,
    end: f64,
}

impl FreeRun {
    /// Through a junction and down a lane, each a length and a speed limit,
    /// between two speeds.
    fn new(vehicle: &Vehicle, start: f64, zones: [(f64, f64); 2], end: f64) -> Self {
        let (a, b) = (vehicle.acceleration, vehicle.deceleration);
        let [(crossing, crossing_limit), (lane, lane_limit)] = zones;
        let end = end.min(lane_limit).min((start * start + 2.0 * a * (crossing + lane)).sqrt());
        let start = start.min((end * end + 2.0 * b * (crossing + lane)).sqrt());
        // The speed at the border of the zones, as far as both sides allow.
        let border =
            (start * start + 2.0 * a * crossing).min(end * end + 2.0 * b * lane).sqrt().min(crossing_limit.max(1e-3));
        let mut run = Self { pieces: [Piece::default(); 6], count: 0, duration: 0.0, length: 0.0, end };
        run.zone((a, b), start, border, crossing, crossing_limit);
        run.zone((a, b), border, end, lane, lane_limit);
        run
    }

    /// Speeds up, holds the limit, and slows down within a length.
    fn zone(&mut self, (a, b): (f64, f64), from: f64, to: f64, length: f64, limit: f64) {
        let (w0, w1) = (from * from, to * to);
        let peak = ((b * w0 + a * w1 + 2.0 * a * b * length) / (a + b)).max(w0.max(w1)).sqrt();
        let peak = peak.min(limit.max(from).max(to)).max(1e-3);
        let rise = (peak * peak - w0).max(0.0) / (2.0 * a);
        let fall = (peak * peak - w1).max(0.0) / (2.0 * b);
        let cruise = (length - rise - fall).max(0.0);
        self.piece(from, a, (peak - from).max(0.0) / a, rise);
        self.piece(peak, 0.0, cruise / peak, cruise);
        self.piece(peak, -b, (peak - to).max(0.0) / b, fall);
    }

    fn piece(&mut self, speed: f64, acceleration: f64, seconds: f64, metres: f64) {
        self.pieces[self.count] = Piece { time: self.duration, distance: self.length, speed, acceleration };
        self.count += 1;
        self.duration += seconds;
        self.length += metres;
    }

    /// How long it takes, seconds.
    #[inline]
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// Distance and speed at a time since the start: û of the paper. After its
    /// end the car stands at the end of the path.
    pub fn at(&self, time: f64) -> (f64, f64) {
        if time >= self.duration {
            return (self.length, self.end);
        }
        let time = time.max(0.0);
        let index = self.pieces.iter().rposition(|piece| piece.time <= time).unwrap_or(0);
        let Piece { time: start, distance, speed, acceleration } = self.pieces[index];
        let since = time - start;
        (distance + since * (speed + 0.5 * acceleration * since), speed + acceleration * since)
    }

    /// The speed at a distance from the start: ŝ of the paper.
    pub fn speed_at(&self, distance: f64) -> f64 {
        let piece = self.piece_at(distance);
        let square = piece.speed * piece.speed + 2.0 * piece.acceleration * (distance - piece.distance).max(0.0);
        square.max(0.0).sqrt()
    }

    /// When a distance from the start is reached.
    pub fn time_at(&self, distance: f64) -> f64 {
        let piece = self.piece_at(distance);
        let beyond = (distance - piece.distance).max(0.0);
        if piece.acceleration == 0.0 {
            return piece.time + beyond / piece.speed.max(1e-3);
        }
        let square = (piece.speed * piece.speed + 2.0 * piece.acceleration * beyond).max(0.0);
        piece.time + (square.sqrt() - piece.speed) / piece.acceleration
    }

    fn piece_at(&self, distance: f64) -> Piece {
        let index = self.pieces.iter().rposition(|piece| piece.distance <= distance).unwrap_or(0);
        self.pieces[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(start: f64, crossing: f64, lane: f64, end: f64) -> FreeRun {
        FreeRun::new(&Vehicle::default(), start, [(crossing, 6.5), (lane, 13.9)], end)
    }

    /// Small steps of the rules reach the same places as the closed form.
    #[test]
    fn the_free_run_is_what_the_rules_do() {
        let vehicle = Vehicle::default();
        for (crossing, lane) in [(12.0, 80.0), (9.0, 200.0), (15.0, 12.0), (8.0, 3.0)] {
            let free = run(0.0, crossing, lane, 0.0);
            let (mut distance, mut speed, mut time) = (0.0, 0.0, 0.0);
            let dt = 1e-3;
            while time < free.duration() {
                let (expected, expected_speed) = free.at(time);
                assert!(
                    (distance - expected).abs() < 0.02,
                    "{crossing} {lane}: {distance} is not {expected} at {time}"
                );
                assert!((speed - expected_speed).abs() < 0.02, "{speed} is not {expected_speed} at {time}");
                assert!((free.speed_at(expected) - expected_speed).abs() < 1e-6);
                assert!((free.time_at(expected) - time).abs() < 1e-2);
                let limit: f64 = if distance < crossing { 6.5 } else { 13.9 };
                let (next, moved) = vehicle.step(speed, limit, crossing + lane - distance, dt);
                (speed, distance, time) = (next, distance + moved, time + dt);
            }
            assert!((free.at(f64::INFINITY).0 - crossing - lane).abs() < 1e-9);
        }
    }

    #[test]
    fn no_motion_is_faster_than_the_free_run() {
        let vehicle = Vehicle::default();
        for dt in [0.01, 0.1, 0.3, 1.0] {
            let free = run(0.0, 12.0, 95.0, 0.0);
            let (mut remaining, mut speed, mut time) = (107.0_f64, 0.0, 0.0);
            while remaining > 1e-3 {
                let limit: f64 = if remaining > 95.0 { 6.5 } else { 13.9 };
                let (next, moved) = vehicle.step(speed, limit, remaining, dt);
                (speed, remaining, time) = (next, remaining - moved, time + dt);
                assert!(remaining > -1e-9 && time < 100.0);
            }
            // Within a step the limit of the junction ends a little late or early.
            // The last millimetre takes a few hundredths of a second more.
            assert!(time > free.duration() - 0.5 * dt - 0.03, "{time} is less than {}", free.duration());
            assert!(time < free.duration() + 2.5 * dt + 0.3);
        }
    }

    #[test]
    fn a_follower_never_comes_nearer_than_the_gap() {
        let vehicle = Vehicle::default();
        // Leader brakes to a stop again and again at its own whim.
        let (mut lead, mut lead_speed) = (vehicle.spacing() + 0.5, 0.0);
        let (mut own, mut speed) = (0.0, 0.0);
        for step in 0..20_000_u32 {
            let stop = if step % 157 < 60 { 0.0 } else { 1e3 };
            let (next, moved) = vehicle.step(lead_speed, 13.9, stop, 0.1);
            let next = next.max(lead_speed - 0.3);
            let moved = if next > 0.0 { 0.5 * (lead_speed + next) * 0.1 } else { moved };
            (lead_speed, lead) = (next.max(0.0), lead + moved);
            let room = lead + vehicle.stopping_distance(lead_speed) - vehicle.spacing() - own;
            let (next, moved) = vehicle.step(speed, 15.0, room, 0.1);
            assert!(speed - next <= 0.3 + 1e-9, "no emergency is needed");
            (speed, own) = (next, own + moved);
            assert!(lead - own >= vehicle.spacing() - 1e-6, "step {step}: {}", lead - own);
        }
    }
}
