//! How deep bodies are in each other.

use std::collections::HashMap;

use proscenium_geometry::{Bounds, Pose, separation};
use proscenium_rigid::{BodyId, World};

/// A body where it is now.
type Placed = (BodyId, Pose, Bounds);

/// The deepest overlap of any two bodies now, by queries and a grid that the
/// simulator does not use.
pub(crate) fn overlap(world: &World) -> f64 {
    let placed = world.bodies().filter_map(|body| {
        let pose = world.pose(body)?;
        Some((body, pose, world.shape(body).bounds(&pose)))
    });
    let (moving, fixed): (Vec<Placed>, Vec<Placed>) = placed.partition(|(body, ..)| world.inertia(*body).is_some());
    // No body that moves reaches beyond the cells next to its middle's.
    let edge = moving.iter().map(|(_, _, bounds)| bounds.size().max_element()).fold(f64::MIN_POSITIVE, f64::max);
    let mut cells = HashMap::<[i64; 3], Vec<&Placed>>::new();
    for body in &moving {
        cells.entry((body.2.center() / edge).floor().as_i64vec3().to_array()).or_default().push(body);
    }
    let depth = |(a, pose_a, bounds_a): &Placed, (b, pose_b, bounds_b): &Placed| {
        let meet = bounds_a.intersects(bounds_b);
        if meet { -separation(world.shape(*a), pose_a, world.shape(*b), pose_b) } else { 0.0 }
    };
    let mut deepest = 0.0_f64;
    // The order of the cells does not reach the largest of all depths.
    for ([x, y, z], bodies) in &cells {
        let around = (-1..=1).flat_map(|i| (-1..=1).flat_map(move |j| (-1..=1).map(move |k| [i, j, k])));
        for others in around.filter_map(|[i, j, k]| cells.get(&[x + i, y + j, z + k])) {
            let pairs = bodies.iter().flat_map(|one| others.iter().map(move |other| (one, other)));
            deepest = pairs.filter(|(a, b)| a.0 < b.0).map(|(a, b)| depth(a, b)).fold(deepest, f64::max);
        }
    }
    let with_fixed = moving.iter().flat_map(|body| fixed.iter().map(move |wall| (body, wall)));
    with_fixed.map(|(body, wall)| depth(body, wall)).fold(deepest, f64::max)
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use proscenium_geometry::Shape;
    use proscenium_rigid::{BodyDef, Material};

    use super::*;

    /// Two balls, or a ball and a wall, in each other.
    #[test]
    fn overlaps_are_seen() {
        for (far, fixed) in [(0.75, false), (0.8, true)] {
            // A tolerance as large as this lets bodies start inside each other.
            let mut builder = World::builder().tolerance(0.5);
            let material = builder.material(Material::LOSSLESS);
            let ball = Shape::sphere(0.5).unwrap();
            let place = |x: f64| Pose::from_translation(DVec3::new(x, 5.0, 0.0));
            builder.body(BodyDef::moving("ball", ball.clone(), material).at(place(0.0)));
            let other = if fixed {
                BodyDef::fixed("wall", Shape::cuboid(DVec3::new(0.5, 9.0, 9.0), 0.0).unwrap(), material)
            } else {
                BodyDef::moving("other", ball, material)
            };
            builder.body(other.at(place(far)));
            let found = overlap(&builder.build().unwrap());
            assert!((found - (1.0 - far)).abs() < 1e-9, "{far}: {found}");
        }
    }
}
