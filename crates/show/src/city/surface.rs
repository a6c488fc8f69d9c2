//! Triangles of one material, gathered face by face.

use glam::{DVec2, DVec3};
use proscenium_city::map::shape::right_of;
use proscenium_clip::Mesh;

/// Faces without shared corners: streets are made of flat pieces.
#[derive(Default)]
pub(super) struct Surface {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

/// A place of the plan at a height.
pub(super) fn raised(place: DVec2, height: f64) -> DVec3 {
    DVec3::new(place.x, height, place.y)
}

impl Surface {
    pub(super) fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// A convex polygon, counter-clockwise as seen from where it is looked at.
    pub(super) fn face(&mut self, corners: &[DVec3]) {
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        if normal == DVec3::ZERO {
            return;
        }
        let first = self.positions.len() as u32;
        for corner in corners {
            self.positions.push(corner.as_vec3().to_array());
            self.normals.push(normal.as_vec3().to_array());
        }
        self.triangles.extend((2..corners.len() as u32).map(|last| [first, first + last - 1, first + last]));
    }

    /// A piece of ground: a polygon of the plan, clockwise with north up, seen from above.
    pub(super) fn ground(&mut self, corners: &[DVec2], height: f64) {
        let corners: Vec<DVec3> = corners.iter().rev().map(|corner| raised(*corner, height)).collect();
        self.face(&corners);
    }

    /// A wall from one place to another between two heights, seen from the
    /// right as one goes.
    pub(super) fn wall(&mut self, from: DVec2, to: DVec2, bottom: f64, top: f64) {
        self.face(&[raised(to, bottom), raised(to, top), raised(from, top), raised(from, bottom)]);
    }

    /// An upright box around a place.
    pub(super) fn post(&mut self, place: DVec2, ahead: DVec2, half: DVec2, bottom: f64, top: f64) {
        let right = right_of(ahead);
        let corner = |along: f64, across: f64| place + ahead * (along * half.x) + right * (across * half.y);
        // Anticlockwise with north up, so that the outside is on the right as one goes.
        let around = [corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, -1.0), corner(-1.0, 1.0)];
        for side in 0..4 {
            self.wall(around[side], around[(side + 1) % 4], bottom, top);
        }
        let mut lid = around;
        lid.reverse();
        self.ground(&lid, top);
    }

    pub(super) fn mesh(self, name: &str, material: usize) -> Mesh {
        Mesh {
            name: name.to_string(),
            positions: self.positions,
            normals: self.normals,
            triangles: self.triangles,
            material: Some(material),
        }
    }
}
