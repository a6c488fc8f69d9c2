//! What moves and what holds the vertices of a model: the air, springs, bends
//! and welds.

use glam::DVec3;

use super::Simulator;
use super::model::{Bend, Spring};

/// Kilograms per cubic metre: air at 20 °C.
const AIR: f64 = 1.2;
/// Drag across and along a surface: about that of a flat plate across the flow; along
/// it, chosen.
const DRAG: (f64, f64) = (1.2, 0.06);

/// How a line was bent and is to be bent, and what has been done for it in this
/// step.
#[derive(Clone, Copy, Debug)]
pub(super) struct BendState {
    was: DVec3,
    wanted: DVec3,
    pull: DVec3,
}

impl Simulator<'_> {
    /// The drag of the air on every triangle.
    pub(super) fn blow(&mut self, step: f64) {
        for (group, &first) in self.model.groups.iter().zip(&self.model.first_vertex) {
            for triangle in &group.triangles {
                let corners = triangle.map(|vertex| (first + vertex) as usize);
                let [a, b, c] = corners.map(|vertex| self.posture.places[vertex]);
                let twice_area = (b - a).cross(c - a);
                let size = twice_area.length();
                if size == 0.0 {
                    continue;
                }
                let normal = twice_area / size;
                let wind: DVec3 =
                    corners.iter().map(|&vertex| self.air[vertex] - self.posture.velocities[vertex]).sum::<DVec3>()
                        / 3.0;
                let across = wind.dot(normal);
                let along = wind - normal * across;
                let pressure = 0.25 * AIR * size;
                let force = pressure * (DRAG.0 * across.abs() * across * normal + DRAG.1 * along.length() * along);
                for vertex in corners {
                    // Drag cannot turn the motion round within a step.
                    let push = force * (step / 3.0 * self.inverse_mass[vertex]);
                    self.posture.velocities[vertex] += push.clamp_length_max(wind.length());
                }
            }
        }
    }

    /// What the corrections of springs are divided by, at a step.
    pub(super) fn soften(&mut self, step: f64) {
        let inverse_mass = &self.inverse_mass;
        let of = |spring: &Spring| {
            let [ours, theirs] = spring.ends.map(|vertex| inverse_mass[vertex as usize]);
            if ours + theirs == 0.0 { 0.0 } else { 1.0 / (ours + theirs + spring.compliance / (step * step)) }
        };
        self.softness.clear();
        self.softness.extend(self.model.springs.iter().map(of));
    }

    pub(super) fn hold_springs(&mut self) {
        let places = &mut self.posture.places;
        for (spring, &softness) in self.model.springs.iter().zip(&self.softness) {
            let [a, b] = spring.ends.map(|vertex| vertex as usize);
            let away = places[b] - places[a];
            let length = away.length();
            if length == 0.0 {
                continue;
            }
            let pull = away * ((1.0 - spring.length / length) * softness);
            places[a] += pull * self.inverse_mass[a];
            places[b] -= pull * self.inverse_mass[b];
        }
    }

    /// Bends lines as they were at rest, and slows their bending: once from the
    /// first to the last, and once back. One way alone is not symmetric, and
    /// stiff sheets come apart by it.
    pub(super) fn hold_bends(&mut self, step: f64) {
        let Self { model, posture, before, inverse_mass, bent, .. } = self;
        let places = &mut posture.places;
        let start = |bend: &Bend| BendState { was: bend.bent(before), wanted: bend.wanted(before), pull: DVec3::ZERO };
        bent.clear();
        bent.extend(model.bends.iter().map(start));
        let mut hold = |(bend, bent): (&Bend, &mut BendState)| {
            let slowing = bend.damping / step;
            let give = bend.compliance / (step * step);
            let weight = (1.0 + slowing) * bend.weight(inverse_mass) + give;
            let now = bend.bent(places);
            let pull = (now - bent.wanted + slowing * (now - bent.was) - give * bent.pull) / weight;
            bent.pull += pull;
            bend.pull(places, inverse_mass, pull);
        };
        model.bends.iter().zip(bent.iter_mut()).for_each(&mut hold);
        model.bends.iter().zip(bent.iter_mut()).rev().for_each(&mut hold);
    }

    pub(super) fn hold_welds(&mut self) {
        let places = &mut self.posture.places;
        for weld in &self.model.welds {
            let vertex = weld.vertex as usize;
            let corners = weld.corners.map(|corner| corner as usize);
            let weights =
                corners.iter().zip(weld.shares).map(|(&corner, share)| self.inverse_mass[corner] * share * share);
            let softness = self.inverse_mass[vertex] + weights.sum::<f64>();
            if softness == 0.0 {
                continue;
            }
            let pull = (weld.point(places) - places[vertex]) / softness;
            places[vertex] += pull * self.inverse_mass[vertex];
            for (&corner, share) in corners.iter().zip(weld.shares) {
                places[corner] -= pull * (self.inverse_mass[corner] * share);
            }
        }
    }

    /// Puts what has grown from something where that is now.
    pub(super) fn follow(&mut self) {
        for graft in &self.model.grafts {
            self.posture.places[graft.vertex as usize] = graft.point(&self.posture.places);
        }
    }
}
