//! Where cars that turn across others wait in the middle of a junction with lights.

use super::clearance::Sweep;
use super::ids::PathId;
use super::plan::Light;
use super::signals::Signals;
use super::{JunctionId, Map};

/// Nearer to the stop line than this nobody waits beyond it, metres. Chosen: a car
/// that waits there has left the line free for little.
const LEAST: f64 = 4.0;
/// What is left between one that waits and who passes it, metres: a step of a sweep,
/// twice.
const MARGIN: f64 = 1.0;

/// Where cars wait inside a junction, and whose way they are in there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Waits {
    /// For each path how far from the stop line the front of a car stands, metres; 0
    /// where nobody waits inside.
    places: Vec<f32>,
    /// For each path a bit for each other that a car on its way to its place, or there,
    /// would touch.
    touched: Vec<u64>,
}

impl Waits {
    /// Finds them: a car waits where it is in nobody's way who may go at the same time,
    /// but for those from its own lane.
    pub(super) fn find(map: &Map, junction: JunctionId, signals: &Signals, sweeps: &[Sweep]) -> Self {
        let paths: Vec<PathId> = map.paths_through(junction).collect();
        let words = paths.len().div_ceil(64);
        let mut this = Self { places: vec![0.0; paths.len()], touched: vec![0; words * paths.len()] };
        if sweeps.len() != paths.len() {
            return this;
        }
        for (row, &path) in paths.iter().enumerate() {
            if !signals.shows(row, Light::Permissive) {
                continue;
            }
            let is_beside = |other: usize| map.path(paths[other]).from != map.path(path).from;
            let touch: Vec<f64> = (0..paths.len())
                .map(|other| if is_beside(other) { sweeps[row].first_touch(&sweeps[other]) } else { f64::INFINITY })
                .collect();
            let room = |is_minded: &dyn Fn(usize) -> bool| {
                let minded = (0..paths.len()).filter(|other| signals.go_together(row, *other) && is_minded(*other));
                let first = minded.map(|other| touch[other]).fold(f64::INFINITY, f64::min);
                (first - MARGIN).min(0.7 * f64::from(map.path(path).crossing))
            };
            let goes_first = |other: usize| map.path(paths[other]).rank < map.path(path).rank;
            let all = room(&|_| true);
            let place = if all >= LEAST { all } else { room(&goes_first) };
            if place < LEAST {
                continue;
            }
            this.places[row] = place as f32;
            for (column, touch) in touch.iter().enumerate() {
                if *touch <= place + 0.5 * MARGIN {
                    this.touched[row * words + column / 64] |= 1 << (column % 64);
                }
            }
        }
        this
    }

    #[inline]
    pub(super) fn place(&self, path: u32) -> f64 {
        self.places.get(path as usize).copied().map_or(0.0, f64::from)
    }

    /// Whether a car that waits on the first of two paths is in the way of the second.
    pub(super) fn is_in_the_way(&self, path: u32, of: u32) -> bool {
        let words = self.places.len().div_ceil(64);
        let word = self.touched.get(path as usize * words + of as usize / 64);
        word.is_none_or(|word| word >> (of % 64) & 1 == 1)
    }

    pub(super) fn bytes(&self) -> usize {
        4 * self.places.capacity() + 8 * self.touched.capacity()
    }
}
