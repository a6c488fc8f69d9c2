//! What moves and what holds the vertices of a model: the air, springs, bends
//! and welds.

use glam::DVec3;

use super::Simulator;

/// Kilograms per cubic metre.
const AIR: f64 = 1.2;
/// Drag across and along a surface.
const DRAG: (f64, f64) = (1.2, 0.06);

impl Simulator<'_> {
    /// The drag of the air on every triangle.
    pub(super) fn blow(&mut self, step: f64) {
        for (group, &first) in self.model.groups.iter().zip(&self.model.first_vertex) {
            for triangle in &group.triangles {
                let corners = triangle.map(|vertex| (first + vertex) as usize);
                let [a, b, c] = corners.map(|vertex| self.state.places[vertex]);
                let twice_area = (b - a).cross(c - a);
                let size = twice_area.length();
                if size == 0.0 {
                    continue;
                }
                let normal = twice_area / size;
                let wind: DVec3 =
                    corners.iter().map(|&vertex| self.air[vertex] - self.state.velocities[vertex]).sum::<DVec3>() / 3.0;
                let across = wind.dot(normal);
                let along = wind - normal * across;
                let pressure = 0.25 * AIR * size;
                let force = pressure * (DRAG.0 * across.abs() * across * normal + DRAG.1 * along.length() * along);
                for vertex in corners {
                    // Drag cannot turn the motion round within a step.
                    let push = force * (step / 3.0 * self.inverse_mass[vertex]);
                    self.state.velocities[vertex] += push.clamp_length_max(wind.length());
                }
            }
        }
    }

    /// What the corrections of springs are divided by, at a step.
    pub(super) fn soften(&mut self, step: f64) {
        let inverse_mass = &self.inverse_mass;
        let of = |spring: &super::model::Spring| {
            let [ours, theirs] = spring.ends.map(|vertex| inverse_mass[vertex as usize]);
            if ours + theirs == 0.0 { 0.0 } else { 1.0 / (ours + theirs + spring.compliance / (step * step)) }
        };
        self.softness.clear();
        self.softness.extend(self.model.springs.iter().map(of));
    }

    pub(super) fn hold_springs(&mut self) {
        let places = &mut self.state.places;
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

    /// Straightens lines of three vertices, and slows their bending.
    pub(super) fn hold_bends(&mut self, step: f64) {
        let places = &mut self.state.places;
        for bend in &self.model.bends {
            let [a, b, c] = bend.vertices.map(|vertex| vertex as usize);
            let [first, middle, last] = [a, b, c].map(|vertex| self.inverse_mass[vertex]);
            let slowing = bend.damping / step;
            let softness = (1.0 + slowing) * (first + 4.0 * middle + last) + bend.compliance / (step * step);
            let bent = places[a] + places[c] - 2.0 * places[b];
            let was = self.before[a] + self.before[c] - 2.0 * self.before[b];
            let pull = (bent + slowing * (bent - was)) / softness;
            places[a] -= pull * first;
            places[b] += pull * (2.0 * middle);
            places[c] -= pull * last;
        }
    }

    pub(super) fn hold_welds(&mut self) {
        let places = &mut self.state.places;
        for weld in &self.model.welds {
            let vertex = weld.vertex as usize;
            let corners = weld.corners.map(|corner| corner as usize);
            let held: DVec3 = corners.iter().zip(weld.shares).map(|(&corner, share)| places[corner] * share).sum();
            let weights =
                corners.iter().zip(weld.shares).map(|(&corner, share)| self.inverse_mass[corner] * share * share);
            let softness = self.inverse_mass[vertex] + weights.sum::<f64>();
            if softness == 0.0 {
                continue;
            }
            let pull = (held - places[vertex]) / softness;
            places[vertex] += pull * self.inverse_mass[vertex];
            for (&corner, share) in corners.iter().zip(weld.shares) {
                places[corner] -= pull * (self.inverse_mass[corner] * share);
            }
        }
    }
}
