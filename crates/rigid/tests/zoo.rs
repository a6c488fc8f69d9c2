//! Promise: every kind of body against every kind of scenery stays outside of
//! it, by an independent distance query at random instants.

#![allow(clippy::unwrap_used)]

use proscenium_chance::Seed;
use proscenium_rigid::geometry::{CompoundPart, HeightField, Hull, Pose, Shape, TriangleMesh, separation};
use proscenium_rigid::glam::DVec3;
use proscenium_rigid::{BodyDef, Material, World, WorldBuilder};

fn shapes() -> Vec<Shape> {
    let bar = |x: f64, y: f64, z: f64| Shape::cuboid(DVec3::new(x, y, z), 0.0).unwrap();
    let handle = Shape::compound(vec![
        CompoundPart { pose: Pose::IDENTITY, shape: bar(0.09, 0.02, 0.02) },
        CompoundPart { pose: Pose::from_translation(DVec3::new(0.0, 0.07, 0.0)), shape: bar(0.02, 0.05, 0.02) },
    ]);
    vec![
        Shape::sphere(0.05).unwrap(),
        Shape::cuboid(DVec3::new(0.06, 0.04, 0.05), 0.01).unwrap(),
        Shape::capsule(0.04, 0.03).unwrap(),
        Shape::cylinder(0.05, 0.04).unwrap(),
        Shape::hull(Hull::icosahedron(0.05).unwrap()),
        handle.unwrap(),
    ]
}

/// A bowl of triangles.
fn funnel() -> Shape {
    let ring = |k: u32, radius: f64, y: f64| {
        let turn = std::f64::consts::TAU * f64::from(k) / 16.0;
        DVec3::new(radius * libm::cos(turn), y, radius * libm::sin(turn))
    };
    let mut vertices: Vec<DVec3> = (0..16).map(|k| ring(k, 2.0, 1.2)).collect();
    vertices.push(DVec3::new(0.0, -0.1, 0.0));
    let triangles: Vec<[u32; 3]> = (0..16).map(|k| [k, 16, (k + 1) % 16]).collect();
    Shape::mesh(TriangleMesh::new(vertices, &triangles).unwrap())
}

fn hills(seed: u64) -> Shape {
    let mut stream = Seed(seed).stream("hills");
    let heights = (0..14 * 14).map(|_| 0.02 * stream.normal()).collect();
    Shape::height_field(HeightField::new(14, 14, 0.2, heights).unwrap())
}

fn drop_onto(scenery: Shape, material: Material, seed: u64) -> WorldBuilder {
    let mut stream = Seed(seed).stream("drop");
    let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
    let material = builder.material(material);
    builder.body(BodyDef::fixed("scenery", scenery, material));
    for (k, shape) in shapes().into_iter().cycle().take(18).enumerate() {
        let (column, layer) = (k % 9, k / 9);
        let place =
            DVec3::new(0.3 * (column % 3) as f64 - 0.3, 1.5 + 0.4 * layer as f64, 0.3 * (column / 3) as f64 - 0.3);
        let velocity = DVec3::new(0.3 * stream.normal(), 0.0, 0.3 * stream.normal());
        let spin = 3.0 * DVec3::new(stream.normal(), stream.normal(), stream.normal());
        builder.body(
            BodyDef::moving(format!("{} {k}", shape.name()), shape, material)
                .at(Pose::new(place, stream.rotation()))
                .with_velocity(velocity)
                .with_spin(spin),
        );
    }
    builder
}

/// The deepest overlap of any two bodies at 60 random instants.
fn deepest(builder: WorldBuilder, seconds: f64, seed: u64) -> (f64, World) {
    let mut world = builder.build().unwrap();
    let mut stream = Seed(seed).stream("instants");
    let mut instants: Vec<f64> = (0..60).map(|_| seconds * stream.uniform()).collect();
    instants.sort_by(f64::total_cmp);
    let mut deepest = 0.0_f64;
    for instant in instants {
        world.advance(instant).unwrap();
        let bodies: Vec<_> = world.bodies().filter_map(|body| Some((body, world.pose(body)?))).collect();
        for (k, (a, pose_a)) in bodies.iter().enumerate() {
            for (b, pose_b) in &bodies[k + 1..] {
                let near = pose_a.translation.distance(pose_b.translation) < 0.4 || a.index() == 0;
                if near {
                    deepest = deepest.min(separation(world.shape(*a), pose_a, world.shape(*b), pose_b));
                }
            }
        }
    }
    (-deepest, world)
}

const LIVELY: Material = Material::new(1000.0, 0.9, 0.4);

#[test]
fn bodies_stay_above_a_plane() {
    let (depth, world) = deepest(drop_onto(Shape::half_space(DVec3::Y).unwrap(), LIVELY, 1), 3.0, 1);
    assert!(depth <= 2.0 * world.tolerance(), "overlap of {depth:e}");
    assert!(world.statistics().collisions > 100);
}

#[test]
fn bodies_stay_inside_a_funnel_of_triangles() {
    let (depth, world) = deepest(drop_onto(funnel(), LIVELY, 2), 1.2, 2);
    assert!(depth <= 2.0 * world.tolerance(), "overlap of {depth:e}");
    assert!(world.statistics().collisions > 50);
}

#[test]
fn bodies_stay_above_hills() {
    // The stated tolerance against a height field is what the surface bends
    // by between two feelers, a quarter of its spacing apart; the mesh of the
    // check adds as much.
    let field_bend = 0.02 * 4.0 * 3.0 / (0.2 * 0.2);
    let allowed = 2.0 * field_bend * 0.025 * 0.025;
    let (depth, world) = deepest(drop_onto(hills(5), LIVELY, 3), 2.0, 3);
    assert!(depth <= allowed, "overlap of {depth:e}, allowed {allowed:e}");
    assert!(world.statistics().collisions > 50);
}

#[test]
fn a_dull_world_comes_to_rest_and_energy_only_falls() {
    let dull = Material::new(1000.0, 0.2, 0.6);
    let mut world = drop_onto(Shape::half_space(DVec3::Y).unwrap(), dull, 4).build().unwrap();
    let mut energy = world.energy();
    let first = energy;
    for k in 1..=40 {
        world.advance(0.1 * f64::from(k)).unwrap();
        // Flights and bounces never gain; a contact step may lift a body by
        // its skin, and is exact in energy to the first order of the step.
        assert!(world.energy() <= energy + 1e-5 * first);
        energy = world.energy();
    }
    let spheres = world.bodies().filter(|body| world.name(*body).starts_with("sphere"));
    assert!(spheres.count() == 3);
}
