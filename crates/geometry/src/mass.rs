//! Mass, centre of mass and moments of inertia of every solid shape.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use parry3d_f64::mass_properties::MassProperties as ParryMass;

use crate::{Pose, ShapeError};

/// How a body resists being moved and turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Kilograms.
    pub mass: f64,
    /// The principal frame in the frame of the shape: its origin is the
    /// centre of mass, its axes are the principal axes.
    pub shape_from_principal: Pose,
    /// Moments about the principal axes, kg m².
    pub principal_inertia: DVec3,
}

impl MassProperties {
    /// Mass properties with the centre of mass at the shape's origin and the
    /// principal axes along its axes.
    pub fn centred(mass: f64, principal_inertia: DVec3) -> Self {
        Self { mass, shape_from_principal: Pose::IDENTITY, principal_inertia }
    }

    pub(crate) fn sphere(density: f64, radius: f64) -> Self {
        let mass = density * 4.0 / 3.0 * PI * radius * radius * radius;
        Self::centred(mass, DVec3::splat(0.4 * mass * radius * radius))
    }

    /// A box of outer half extents `half` whose edges are rounded by `r`: the
    /// sum of a core box, six slabs, twelve quarter cylinders and eight
    /// octants of a sphere.
    pub(crate) fn rounded_box(density: f64, half: DVec3, r: f64) -> Self {
        let core = half - r;
        let (quarter_disc, octant) = (PI * r * r / 4.0, PI * r * r * r / 6.0);
        // Volume, and the second moment about the plane through the centre
        // across axis x; y and z are the other two half extents of the core.
        let second = |x: f64, y: f64, z: f64| {
            let x2 = x * x / 3.0;
            let outer = x + r;
            let slab_x = 8.0 * y * z * (outer * outer * outer - x * x * x) / 3.0;
            let slabs_yz = 8.0 * x * r * (y + z) * x2;
            let core_box = 8.0 * x * y * z * x2;
            let edges_x = 8.0 * quarter_disc * x * x2;
            let shifted_quarter = x * x * quarter_disc + 2.0 * x * r * r * r / 3.0 + PI * r * r * r * r / 16.0;
            let edges_yz = 8.0 * (y + z) * shifted_quarter;
            let corners = 8.0 * (x * x * octant + 2.0 * x * PI * r * r * r * r / 16.0 + PI * r * r * r * r * r / 30.0);
            core_box + slab_x + slabs_yz + edges_x + edges_yz + corners
        };
        let volume = 8.0 * core.x * core.y * core.z
            + 8.0 * r * (core.x * core.y + core.y * core.z + core.z * core.x)
            + 8.0 * quarter_disc * (core.x + core.y + core.z)
            + 8.0 * octant;
        let xx = second(core.x, core.y, core.z);
        let yy = second(core.y, core.z, core.x);
        let zz = second(core.z, core.x, core.y);
        Self::centred(density * volume, density * DVec3::new(yy + zz, zz + xx, xx + yy))
    }

    pub(crate) fn capsule(density: f64, half_height: f64, r: f64) -> Self {
        let cylinder = density * PI * r * r * 2.0 * half_height;
        let ball = density * 4.0 / 3.0 * PI * r * r * r;
        let axial = 0.5 * cylinder * r * r + 0.4 * ball * r * r;
        // The half balls sit 3r/8 beyond the ends of the cylinder.
        let across = cylinder * (r * r / 4.0 + half_height * half_height / 3.0)
            + ball * (0.4 * r * r + half_height * half_height + 0.75 * half_height * r);
        Self::centred(cylinder + ball, DVec3::new(across, axial, across))
    }

    pub(crate) fn cylinder(density: f64, half_height: f64, r: f64) -> Self {
        let mass = density * PI * r * r * 2.0 * half_height;
        let across = mass * (r * r / 4.0 + half_height * half_height / 3.0);
        Self::centred(mass, DVec3::new(across, 0.5 * mass * r * r, across))
    }

    pub(crate) fn solid(density: f64, vertices: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        Self::from_parry(&ParryMass::from_trimesh(density, vertices, triangles))
    }

    /// The sum of several bodies, each placed by a pose.
    pub(crate) fn sum(parts: impl IntoIterator<Item = (Pose, Self)>) -> Self {
        let total = parts
            .into_iter()
            .fold(ParryMass::default(), |sum, (pose, part)| sum + part.to_parry().transform_by(&pose.to_parry()));
        Self::from_parry(&total)
    }

    fn from_parry(m: &ParryMass) -> Self {
        let inertia = m.principal_inertia();
        // A frame that is the identity up to rounding is made so exactly:
        // symmetric shapes then stay on their own axes.
        let frame = m.principal_inertia_local_frame;
        let frame = if frame.is_finite() && frame.length_squared() > 0.5 { frame.normalize() } else { DQuat::IDENTITY };
        Self { mass: m.mass(), shape_from_principal: Pose::new(m.local_com, frame), principal_inertia: inertia }
    }

    fn to_parry(self) -> ParryMass {
        ParryMass::with_principal_inertia_frame(
            self.shape_from_principal.translation,
            self.mass,
            self.principal_inertia,
            self.shape_from_principal.rotation,
        )
    }

    pub(crate) fn checked(self, volume: f64) -> Result<Self, ShapeError> {
        let inertia = self.principal_inertia;
        let sound = self.mass.is_finite()
            && self.mass > 0.0
            && inertia.is_finite()
            && inertia.min_element() > 0.0
            && self.shape_from_principal.is_valid();
        if sound { Ok(self) } else { Err(ShapeError::VolumeOutOfRange { volume }) }
    }
}
