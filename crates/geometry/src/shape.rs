//! Every shape a body can have.

use std::sync::Arc;

use glam::DVec3;

use crate::convex::ConvexPart;
use crate::error::{ShapeError, not_negative, positive};
use crate::{Bounds, HeightField, Hull, MassProperties, Pose, Ring, TriangleMesh, TurnedSolid};

/// A shape, checked when made.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    kind: ShapeKind,
}

/// What a shape is; read it with [`Shape::kind`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ShapeKind {
    /// A ball around the origin.
    Sphere {
        /// Metres.
        radius: f64,
    },
    /// A box around the origin, with edges rounded inwards.
    Box {
        /// Half the outer edge lengths.
        half_extents: DVec3,
        /// The radius of the edges.
        rounding: f64,
    },
    /// A cylinder along y with half balls at both ends.
    Capsule {
        /// Half the length of the cylinder.
        half_height: f64,
        /// The radius of cylinder and balls.
        radius: f64,
    },
    /// A cylinder along y.
    Cylinder {
        /// Half its length.
        half_height: f64,
        /// Its radius.
        radius: f64,
    },
    /// A solid of revolution about y.
    Turned(TurnedSolid),
    /// A convex polyhedron.
    Hull(Hull),
    /// Several solids, joined.
    Compound(Arc<[CompoundPart]>),
    /// Everything on the far side of a plane through the origin.
    HalfSpace {
        /// Unit vector out of the solid.
        normal: DVec3,
    },
    /// Triangles, solid on neither side.
    Mesh(TriangleMesh),
    /// A smooth surface, solid below.
    HeightField(HeightField),
}

/// One solid of a compound.
#[derive(Clone, Debug, PartialEq)]
pub struct CompoundPart {
    /// Where it sits in the compound.
    pub pose: Pose,
    /// What it is.
    pub shape: Shape,
}

impl Shape {
    /// A ball.
    pub fn sphere(radius: f64) -> Result<Self, ShapeError> {
        let radius = positive("the radius of a sphere", radius)?;
        Ok(Self { kind: ShapeKind::Sphere { radius } })
    }

    /// A box with the given outer half extents, its edges rounded by `rounding`.
    pub fn cuboid(half_extents: DVec3, rounding: f64) -> Result<Self, ShapeError> {
        for value in half_extents.to_array() {
            positive("a half extent of a box", value)?;
        }
        let rounding = not_negative("the rounding of a box", rounding)?;
        let smallest = half_extents.min_element();
        if rounding >= smallest {
            return Err(ShapeError::RoundingTooLarge { rounding, smallest });
        }
        Ok(Self { kind: ShapeKind::Box { half_extents, rounding } })
    }

    /// A capsule along y.
    pub fn capsule(half_height: f64, radius: f64) -> Result<Self, ShapeError> {
        let half_height = positive("the half height of a capsule", half_height)?;
        let radius = positive("the radius of a capsule", radius)?;
        Ok(Self { kind: ShapeKind::Capsule { half_height, radius } })
    }

    /// A cylinder along y.
    pub fn cylinder(half_height: f64, radius: f64) -> Result<Self, ShapeError> {
        let half_height = positive("the half height of a cylinder", half_height)?;
        let radius = positive("the radius of a cylinder", radius)?;
        Ok(Self { kind: ShapeKind::Cylinder { half_height, radius } })
    }

    /// What a lathe makes: a profile turned about y, from its lowest ring to
    /// its highest; hollows are allowed.
    ///
    /// ```
    /// use proscenium_geometry::{Ring, Shape};
    ///
    /// let cone = Shape::turned(&[Ring { height: 0.0, radius: 1.0 }, Ring { height: 3.0, radius: 0.0 }])?;
    /// let volume = cone.mass_properties(1.0).expect("a solid")?.mass;
    /// assert!((volume - std::f64::consts::PI).abs() < 1e-12);
    /// # Ok::<(), proscenium_geometry::ShapeError>(())
    /// ```
    pub fn turned(profile: &[Ring]) -> Result<Self, ShapeError> {
        TurnedSolid::new(profile).map(|turned| Self { kind: ShapeKind::Turned(turned) })
    }

    /// A convex polyhedron.
    pub fn hull(hull: Hull) -> Self {
        Self { kind: ShapeKind::Hull(hull) }
    }

    /// Several solids, joined into one body.
    pub fn compound(parts: Vec<CompoundPart>) -> Result<Self, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::NoParts);
        }
        for (index, part) in parts.iter().enumerate() {
            if !part.pose.is_valid() {
                return Err(ShapeError::NotFinite { index });
            }
            if !part.shape.is_solid() {
                return Err(ShapeError::NotAPart { kind: part.shape.name() });
            }
        }
        Ok(Self { kind: ShapeKind::Compound(parts.into()) })
    }

    /// Everything below a plane through the origin with this outward normal.
    pub fn half_space(normal: DVec3) -> Result<Self, ShapeError> {
        let normal = normal.try_normalize().ok_or(ShapeError::NotADirection { what: "the normal of a half-space" })?;
        Ok(Self { kind: ShapeKind::HalfSpace { normal } })
    }

    /// Triangles; for fixed bodies.
    pub fn mesh(mesh: TriangleMesh) -> Self {
        Self { kind: ShapeKind::Mesh(mesh) }
    }

    /// A smooth surface; for fixed bodies.
    pub fn height_field(field: HeightField) -> Self {
        Self { kind: ShapeKind::HeightField(field) }
    }

    /// What the shape is.
    pub fn kind(&self) -> &ShapeKind {
        &self.kind
    }

    /// The name of the kind of shape, for messages.
    pub fn name(&self) -> &'static str {
        match &self.kind {
            ShapeKind::Sphere { .. } => "sphere",
            ShapeKind::Box { .. } => "box",
            ShapeKind::Capsule { .. } => "capsule",
            ShapeKind::Cylinder { .. } => "cylinder",
            ShapeKind::Turned(_) => "turned solid",
            ShapeKind::Hull(_) => "hull",
            ShapeKind::Compound(_) => "compound",
            ShapeKind::HalfSpace { .. } => "half-space",
            ShapeKind::Mesh(_) => "mesh",
            ShapeKind::HeightField(_) => "height field",
        }
    }

    /// Whether the shape is one convex solid.
    pub fn is_convex(&self) -> bool {
        matches!(
            self.kind,
            ShapeKind::Sphere { .. }
                | ShapeKind::Box { .. }
                | ShapeKind::Capsule { .. }
                | ShapeKind::Cylinder { .. }
                | ShapeKind::Hull(_)
        )
    }

    /// Whether the shape has a finite volume, so that it can move.
    pub fn is_solid(&self) -> bool {
        self.is_convex() || matches!(self.kind, ShapeKind::Compound(_) | ShapeKind::Turned(_))
    }

    /// Mass properties at a density in kg/m³; `None` for shapes that cannot
    /// move. Parts of a compound that overlap count twice.
    pub fn mass_properties(&self, density: f64) -> Option<Result<MassProperties, ShapeError>> {
        let mass = match &self.kind {
            ShapeKind::Sphere { radius } => MassProperties::sphere(density, *radius),
            ShapeKind::Box { half_extents, rounding } => MassProperties::rounded_box(density, *half_extents, *rounding),
            ShapeKind::Capsule { half_height, radius } => MassProperties::capsule(density, *half_height, *radius),
            ShapeKind::Cylinder { half_height, radius } => MassProperties::cylinder(density, *half_height, *radius),
            ShapeKind::Turned(turned) => turned.mass(density),
            ShapeKind::Hull(hull) => MassProperties::solid(density, hull.vertices(), hull.triangles()),
            ShapeKind::Compound(parts) => {
                let mut placed = Vec::with_capacity(parts.len());
                for part in parts.iter() {
                    match part.shape.mass_properties(density)? {
                        Ok(mass) => placed.push((part.pose, mass)),
                        Err(error) => return Some(Err(error)),
                    }
                }
                MassProperties::sum(placed)
            }
            ShapeKind::HalfSpace { .. } | ShapeKind::Mesh(_) | ShapeKind::HeightField(_) => return None,
        };
        Some(mass.checked(mass.mass / density))
    }

    /// The convex parts of a solid shape, placed by `frame_from_shape`; empty
    /// for scenery.
    pub fn convex_parts(&self, frame_from_shape: &Pose) -> Vec<ConvexPart> {
        match &self.kind {
            ShapeKind::Compound(parts) => {
                parts.iter().flat_map(|part| part.shape.convex_parts(&(*frame_from_shape * part.pose))).collect()
            }
            ShapeKind::Turned(turned) => turned.parts(frame_from_shape),
            _ => ConvexPart::new(self, frame_from_shape).into_iter().collect(),
        }
    }

    /// The smallest box around the placed shape; a side of a half-space or a
    /// height field is at infinity.
    pub fn bounds(&self, pose: &Pose) -> Bounds {
        match &self.kind {
            ShapeKind::HalfSpace { normal } => half_space_bounds(pose.rotation * *normal, pose.translation),
            ShapeKind::Turned(turned) => turned.bounds(pose),
            ShapeKind::Compound(parts) => {
                parts.iter().fold(Bounds::EMPTY, |all, part| all.merge(&part.shape.bounds(&(*pose * part.pose))))
            }
            ShapeKind::Hull(hull) => Bounds::from_points(hull.vertices().iter().map(|v| pose.transform_point(*v))),
            ShapeKind::Mesh(mesh) => Bounds::from_points(mesh.vertices().iter().map(|v| pose.transform_point(*v))),
            ShapeKind::HeightField(field) => {
                let up = pose.rotation * DVec3::Y;
                half_space_bounds(up, pose.transform_point(DVec3::Y * field.height_range().1))
            }
            _ => self.convex_parts(pose).iter().fold(Bounds::EMPTY, |all, part| all.merge(&part.bounds())),
        }
    }
}

/// A half-space is bounded on one side only, and only if its normal lies
/// along an axis.
fn half_space_bounds(normal: DVec3, point: DVec3) -> Bounds {
    let mut bounds = Bounds::EVERYTHING;
    for axis in 0..3 {
        if normal[axis].abs() >= 1.0 - 1e-12 {
            // A hair of slack covers the rounding of an almost aligned normal.
            if normal[axis] > 0.0 {
                bounds.max[axis] = point[axis] + 1e-6;
            } else {
                bounds.min[axis] = point[axis] - 1e-6;
            }
        }
    }
    if bounds.min.is_finite() || bounds.max.is_finite() { Bounds::EVERYTHING } else { bounds }
}
