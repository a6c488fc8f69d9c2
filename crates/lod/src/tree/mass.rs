//! Mass and principal axes of a solid.

use glam::{DMat3, DQuat, DVec3};
use proscenium_bodies::Inertia;
use proscenium_geometry::{MassProperties, Pose};

use super::fit::symmetric_axes;
use crate::LodError;
use crate::mesh::SolidMesh;

/// The solid with its centre of mass at the origin and its principal axes
/// along the axes, how it was placed before, and its inertia at density 1.
pub(super) fn in_principal_frame(mesh: &SolidMesh) -> Result<(SolidMesh, Pose, Inertia), LodError> {
    let origin = mesh.vertices()[0];
    let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for index in 0..mesh.triangles().len() {
        // The tetrahedron from the origin to a triangle: its volume and moments.
        let [a, b, c] = mesh.corners(index).map(|corner| corner - origin);
        let six = a.dot(b.cross(c));
        let sum = a + b + c;
        volume += six / 6.0;
        first += six / 24.0 * sum;
        second += (outer(a) + outer(b) + outer(c) + outer(sum)) * (six / 120.0);
    }
    let center = first / volume;
    let about_center = second - outer(center) * volume;
    let axes = symmetric_axes(about_center);
    let spread = DVec3::from(axes.map(|axis| axis.dot(about_center * axis)));
    let moments = DVec3::splat(spread.element_sum()) - spread;
    if !(volume > 0.0 && moments.is_finite() && moments.min_element() > 0.0) {
        return Err(LodError::NoVolume { volume });
    }
    let rotation = DQuat::from_mat3(&DMat3::from_cols(axes[0], axes[1], axes[0].cross(axes[1]))).normalize();
    let mesh_from_model = Pose::new(origin + center, rotation);
    let vertices = mesh.vertices().iter().map(|vertex| mesh_from_model.inverse_transform_point(*vertex)).collect();
    let inertia = Inertia::new(&MassProperties::centred(volume, moments));
    Ok((SolidMesh { vertices, triangles: mesh.triangles().to_vec() }, mesh_from_model, inertia))
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v.x * v, v.y * v, v.z * v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::built_in;

    #[test]
    fn a_torus_has_the_moments_of_the_text_book() {
        let (mesh, _, inertia) = in_principal_frame(&built_in("torus", 30_000).unwrap()).unwrap();
        let (ring, tube): (f64, f64) = (0.72, 0.28);
        let axial = inertia.mass * (ring * ring + 0.75 * tube * tube);
        let across = inertia.mass * (0.5 * ring * ring + 0.625 * tube * tube);
        let mut moments = inertia.moments.to_array();
        moments.sort_by(f64::total_cmp);
        assert!((moments[2] / axial - 1.0).abs() < 0.01 && (moments[0] / across - 1.0).abs() < 0.01, "{moments:?}");
        let middle: DVec3 = mesh.vertices().iter().sum::<DVec3>() / mesh.vertices().len() as f64;
        assert!(middle.length() < 1e-6);
    }

    #[test]
    fn moving_a_solid_changes_only_its_place() {
        let mesh = built_in("l-shape", 500).unwrap();
        let turn = Pose::new(DVec3::new(5.0, -3.0, 2.0), DQuat::from_rotation_y(0.7) * DQuat::from_rotation_x(0.4));
        let vertices = mesh.vertices().iter().map(|vertex| turn.transform_point(*vertex)).collect();
        let moved = SolidMesh::new(vertices, mesh.triangles()).unwrap().0;
        let (a, b) = (in_principal_frame(&mesh).unwrap(), in_principal_frame(&moved).unwrap());
        let sorted = |inertia: &Inertia| {
            let mut moments = inertia.moments.to_array();
            moments.sort_by(f64::total_cmp);
            moments
        };
        for (x, y) in sorted(&a.2).into_iter().zip(sorted(&b.2)) {
            assert!((x / y - 1.0).abs() < 1e-6);
        }
        // The mesh comes back to where it was.
        let back = b.1.transform_point(b.0.vertices()[7]);
        assert!(back.distance(moved.vertices()[7]) < 1e-9);
    }
}
