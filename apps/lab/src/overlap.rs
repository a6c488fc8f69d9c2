//! How deep bodies are in each other.

use proscenium_geometry::{Bounds, Pose, separation};
use proscenium_rigid::{BodyId, World};

/// The deepest overlap of any two bodies now, by queries that the simulator
/// does not use.
pub(crate) fn overlap(world: &World) -> f64 {
    let placed: Vec<(BodyId, Pose, Bounds)> = world
        .bodies()
        .filter_map(|body| world.pose(body).map(|pose| (body, pose, world.shape(body).bounds(&pose))))
        .collect();
    let mut deepest = 0.0_f64;
    for (index, (a, pose_a, bounds_a)) in placed.iter().enumerate() {
        for (b, pose_b, bounds_b) in &placed[index + 1..] {
            let can_meet = world.inertia(*a).is_some() || world.inertia(*b).is_some();
            if can_meet && bounds_a.intersects(bounds_b) {
                deepest = deepest.max(-separation(world.shape(*a), pose_a, world.shape(*b), pose_b));
            }
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use proscenium_geometry::Shape;
    use proscenium_rigid::{BodyDef, Material};

    use super::*;

    #[test]
    fn overlaps_are_seen() {
        // A tolerance as large as this lets bodies start inside each other.
        let mut builder = World::builder().tolerance(0.5);
        let material = builder.material(Material::LOSSLESS);
        for x in [0.0, 0.75] {
            let ball = Shape::sphere(0.5).unwrap();
            builder.body(BodyDef::moving("ball", ball, material).at(Pose::from_translation(DVec3::new(x, 5.0, 0.0))));
        }
        assert!((overlap(&builder.build().unwrap()) - 0.25).abs() < 1e-9);
    }
}
