//! A scene as a request to another engine.

use proscenium_geometry::{Pose, Shape, ShapeKind};
use proscenium_rigid::WorldBuilder;
use serde_json::{Value, json};

/// The bodies of a scene, for another engine to run until a time and to watch
/// for some seconds more, looked at every so often, in steps of so many
/// seconds; `None` if a body has no material or moves as told.
pub(crate) fn request(builder: &WorldBuilder, seconds: f64, later: f64, period: f64, dt: f64) -> Option<Value> {
    let bodies = builder.bodies().iter().map(|body| {
        if body.drive.is_some() {
            return None;
        }
        let material = builder.material_of(body.material)?;
        Some(json!({
            "shape": shape(&body.shape),
            "pose": pose(&body.pose),
            "v": body.velocity.to_array(),
            "w": body.spin.to_array(),
            "fixed": body.fixed,
            "start": body.start,
            "density": material.density,
            "restitution": material.restitution,
            "friction": material.friction,
        }))
    });
    Some(json!({
        "scene": "rest",
        "seconds": seconds,
        "later": later,
        "period": period,
        "dt": dt,
        "gravity": builder.acceleration().to_array(),
        "bodies": bodies.collect::<Option<Vec<Value>>>()?,
    }))
}

fn pose(pose: &Pose) -> Value {
    json!({ "p": pose.translation.to_array(), "q": pose.rotation.to_array() })
}

fn shape(shape: &Shape) -> Value {
    match shape.kind() {
        ShapeKind::Sphere { radius } => json!({ "ball": radius }),
        ShapeKind::Box { half_extents, rounding } => json!({ "box": half_extents.to_array(), "rounding": rounding }),
        ShapeKind::Capsule { half_height, radius } => json!({ "capsule": [half_height, radius] }),
        ShapeKind::Cylinder { half_height, radius } => json!({ "cylinder": [half_height, radius] }),
        ShapeKind::Turned(_) => {
            json!({ "hull": shape.surface(1e-4).positions.iter().map(|v| v.to_array()).collect::<Vec<_>>() })
        }
        ShapeKind::Hull(hull) => json!({ "hull": hull.vertices().iter().map(|v| v.to_array()).collect::<Vec<_>>() }),
        ShapeKind::HalfSpace { normal } => json!({ "half_space": normal.to_array() }),
        ShapeKind::Compound(parts) => {
            let part = |part: &proscenium_geometry::CompoundPart| json!({ "pose": pose(&part.pose), "shape": self::shape(&part.shape) });
            json!({ "compound": parts.iter().map(part).collect::<Vec<Value>>() })
        }
        // Meshes and surfaces: solid on neither side, there as here.
        _ => {
            let surface = shape.surface(1e-4);
            let corners: Vec<_> = surface.positions.iter().map(|corner| corner.to_array()).collect();
            json!({ "corners": corners, "triangles": surface.triangles })
        }
    }
}
