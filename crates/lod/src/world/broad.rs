//! The broad phase: pairs of bodies whose space-time bounds meet, warm from
//! frame to frame.
//!
//! Each body has a roomy sphere that its space-time bound (equation 5.2) stays
//! in for a while. Only a body that leaves its sphere is looked up anew, in a
//! grid of cells; all others keep their neighbours.

use std::collections::HashMap;

use glam::DVec3;

/// The room that a sphere leaves, as a share of the body's radius; chosen: only
/// speed depends on it and on the next.
const ROOM: f64 = 0.25;
/// And in multiples of what it moves in a frame.
const FRAMES: f64 = 4.0;

/// What the broad phase needs of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BroadBody {
    pub(crate) center: DVec3,
    /// The radius of the body and of what it moves in a frame: R_s.
    pub(crate) bound: f64,
    pub(crate) radius: f64,
    pub(crate) fixed: bool,
}

#[derive(Clone, Debug)]
struct RoomyBall {
    center: DVec3,
    radius: f64,
    fixed: bool,
    /// `None` among the large ones.
    cell: Option<[i32; 3]>,
    neighbours: Vec<u32>,
}

/// The broad phase of a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct BroadPhase {
    bodies: Vec<RoomyBall>,
    cells: HashMap<[i32; 3], Vec<u32>>,
    large: Vec<u32>,
    cell: f64,
    /// Bodies that were looked up anew in the last frame.
    pub(crate) renewed: usize,
}

impl BroadPhase {
    /// Takes bodies to where they are now.
    pub(crate) fn update(&mut self, bodies: &[BroadBody]) {
        if self.bodies.len() != bodies.len() {
            self.rebuild(bodies);
            return;
        }
        self.renewed = 0;
        for (index, body) in bodies.iter().enumerate() {
            let roomy = &self.bodies[index];
            let outside = body.center.distance(roomy.center) + body.bound > roomy.radius;
            // A sphere that has become far too large is as bad.
            let wasteful = roomy.radius > 4.0 * (body.bound + ROOM * body.radius);
            if outside || wasteful {
                self.remove(index as u32);
                self.insert(index as u32, body);
                self.renewed += 1;
            }
        }
    }

    /// The pairs of bodies whose roomy spheres meet, in order.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.bodies.iter().enumerate().flat_map(|(index, body)| {
            let first = index as u32;
            body.neighbours.iter().filter(move |other| **other > first).map(move |other| (first, *other))
        })
    }

    fn rebuild(&mut self, bodies: &[BroadBody]) {
        let mut sizes: Vec<f64> = bodies.iter().map(roomy_radius).collect();
        sizes.sort_by(f64::total_cmp);
        let typical = sizes.get(sizes.len() * 19 / 20).copied().unwrap_or(1.0);
        self.cell = (2.0 * typical).max(f64::MIN_POSITIVE);
        self.cells.clear();
        self.large.clear();
        self.bodies.clear();
        self.renewed = bodies.len();
        for (index, body) in bodies.iter().enumerate() {
            self.bodies.push(RoomyBall {
                center: body.center,
                radius: 0.0,
                fixed: body.fixed,
                cell: None,
                neighbours: Vec::new(),
            });
            self.insert(index as u32, body);
        }
    }

    fn remove(&mut self, index: u32) {
        let neighbours = std::mem::take(&mut self.bodies[index as usize].neighbours);
        for other in &neighbours {
            let list = &mut self.bodies[*other as usize].neighbours;
            if let Ok(place) = list.binary_search(&index) {
                list.remove(place);
            }
        }
        let home = match self.bodies[index as usize].cell {
            Some(cell) => self.cells.get_mut(&cell),
            None => Some(&mut self.large),
        };
        if let Some(list) = home {
            list.retain(|other| *other != index);
        }
        self.bodies[index as usize].neighbours = neighbours;
        self.bodies[index as usize].neighbours.clear();
    }

    fn insert(&mut self, index: u32, body: &BroadBody) {
        let radius = roomy_radius(body);
        let is_small = 2.0 * radius <= self.cell;
        let cell = is_small.then(|| self.cell_of(body.center));
        let roomy = &mut self.bodies[index as usize];
        (roomy.center, roomy.radius, roomy.cell) = (body.center, radius, cell);
        let mut found = Vec::new();
        let near = |other: u32, bodies: &[RoomyBall]| {
            let (a, b) = (&bodies[index as usize], &bodies[other as usize]);
            let both = a.radius + b.radius;
            other != index && !(a.fixed && b.fixed) && a.center.distance_squared(b.center) <= both * both
        };
        match cell {
            Some(cell) => {
                for offset in 0..27 {
                    let step = |axis: u32| offset / 3_i32.pow(axis) % 3 - 1;
                    let place = [cell[0] + step(0), cell[1] + step(1), cell[2] + step(2)];
                    let list = self.cells.get(&place).map_or(&[][..], Vec::as_slice);
                    found.extend(list.iter().copied().filter(|other| near(*other, &self.bodies)));
                }
                found.extend(self.large.iter().copied().filter(|other| near(*other, &self.bodies)));
                self.cells.entry(cell).or_default().push(index);
            }
            None => {
                let known = 0..self.bodies.len() as u32;
                let placed = |other: &u32| self.bodies[*other as usize].radius > 0.0;
                found.extend(known.filter(placed).filter(|other| near(*other, &self.bodies)));
                self.large.push(index);
            }
        }
        found.sort_unstable();
        for other in &found {
            let list = &mut self.bodies[*other as usize].neighbours;
            if let Err(place) = list.binary_search(&index) {
                list.insert(place, index);
            }
        }
        self.bodies[index as usize].neighbours = found;
    }

    fn cell_of(&self, point: DVec3) -> [i32; 3] {
        // The conversion saturates, which only puts far bodies together.
        (point / self.cell).floor().to_array().map(|x| (x as i32).clamp(-1_000_000_000, 1_000_000_000))
    }
}

fn roomy_radius(body: &BroadBody) -> f64 {
    let moved = body.bound - body.radius;
    body.bound + ROOM * body.radius + FRAMES * moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_chance::Seed;

    /// Against all pairs, while bodies of many sizes and speeds roam.
    #[test]
    fn no_pair_is_missed() {
        let mut stream = Seed(5).stream("broad");
        let mut any = |size: f64| size * (DVec3::new(stream.uniform(), stream.uniform(), stream.uniform()) - 0.5);
        let mut bodies: Vec<BroadBody> = (0..120)
            .map(|index| {
                let radius = if index % 40 == 0 { 4.0 } else { 0.1 + any(0.6).x.abs() };
                BroadBody { center: any(20.0), bound: radius, radius, fixed: index % 7 == 0 }
            })
            .collect();
        let velocities: Vec<DVec3> = (0..120).map(|index| any(if index % 11 == 0 { 9.0 } else { 0.4 })).collect();
        let mut broad = BroadPhase::default();
        let mut renewed = 0;
        for frame in 0..60 {
            for (body, velocity) in bodies.iter_mut().zip(&velocities).filter(|(body, _)| !body.fixed) {
                body.center += *velocity;
                body.bound = body.radius + velocity.length();
            }
            broad.update(&bodies);
            renewed += if frame > 0 { broad.renewed } else { 0 };
            let pairs: Vec<(u32, u32)> = broad.pairs().collect();
            assert!(pairs.is_sorted());
            for a in 0..bodies.len() {
                for b in a + 1..bodies.len() {
                    let (one, other) = (&bodies[a], &bodies[b]);
                    let meet = one.center.distance(other.center) <= one.bound + other.bound;
                    if meet && !(one.fixed && other.fixed) {
                        assert!(pairs.binary_search(&(a as u32, b as u32)).is_ok(), "{a} {b} in frame {frame}");
                    }
                }
            }
        }
        assert!(renewed < 60 * 120 / 2, "warm: {renewed}");
    }
}
