//! Streets and cars as shapes.

use proscenium_city::driving::VehicleKind;
use proscenium_city::glam::{DAffine3, DQuat, DVec2};
use proscenium_city::map::RoadId;
use proscenium_city::{CarId, Map, VisibleCar};
use proscenium_show::city::{CarPart, roofs, streets, vehicle_parts, wheel_places};

use crate::api::{LiveFinish, LiveShape, LiveSolid, LiveStill};
use crate::live::Instances;

/// Colours that cars come in.
const COLOURS: [[u8; 3]; 8] = [
    [172, 36, 32],
    [34, 74, 142],
    [226, 226, 220],
    [38, 40, 44],
    [142, 148, 154],
    [206, 150, 40],
    [44, 96, 66],
    [96, 112, 128],
];
/// The parts of each kind's body come first, and those of a wheel after all of them.
const BODY_PARTS: usize = 5;

/// How a part of a car looks.
fn look(part: CarPart) -> (&'static str, LiveFinish) {
    match part {
        CarPart::Paint => ("#c42822", LiveFinish::Paint),
        CarPart::Glass => ("#10151a", LiveFinish::Glass),
        CarPart::Trim => ("#17181a", LiveFinish::Plain),
        CarPart::Headlamps => ("#f4f1e4", LiveFinish::Lamp),
        CarPart::Taillamps => ("#a01410", LiveFinish::Lamp),
        CarPart::Tyre => ("#1a1a1b", LiveFinish::Plain),
        CarPart::Hub => ("#b9bdc2", LiveFinish::Metal),
    }
}

/// The shapes of all kinds of vehicles, which have the same wheels.
pub fn car_shapes() -> Vec<LiveShape> {
    let parts = VehicleKind::SHARES.map(|(kind, _)| (kind, vehicle_parts(kind)));
    let bodies = parts.iter().flat_map(|(kind, parts)| parts[..BODY_PARTS].iter().map(move |part| (Some(*kind), part)));
    let wheels = parts[0].1[BODY_PARTS..].iter().map(|part| (None, part));
    let shape = |(kind, (part, mesh)): (Option<VehicleKind>, &(CarPart, proscenium_clip::Mesh))| {
        let (colour, finish) = look(*part);
        let name = kind.map_or_else(|| mesh.name.clone(), |kind| format!("{kind} {}", mesh.name));
        LiveShape { name, solid: solid(mesh, 1000.0), colour: colour.to_owned(), finish }
    };
    bodies.chain(wheels).map(shape).collect()
}

/// Draws a car; its shapes are the first `parts` of the world's.
pub fn draw(car: &VisibleCar, parts: usize, instances: &mut Instances) {
    let CarId(id) = car.id;
    let paint = COLOURS[id as usize % COLOURS.len()];
    let kind = VehicleKind::SHARES.iter().position(|(kind, _)| *kind == car.kind).unwrap_or(0);
    for part in 0..BODY_PARTS {
        instances.push(kind * BODY_PARTS + part, &car.world_from_body, id, (part == 0).then_some(paint));
    }
    let wheels = VehicleKind::SHARES.len() * BODY_PARTS;
    let [steered, left, right] = car.wheels;
    for ((place, is_steered), turned) in wheel_places().into_iter().zip([steered, steered, left, right]) {
        let steering = if is_steered { car.steering } else { 0.0 };
        let turn = DQuat::from_rotation_y(-steering) * DQuat::from_rotation_z(-turned);
        let at = car.world_from_body * DAffine3::from_rotation_translation(turn, place);
        (wheels..parts).for_each(|shape| instances.push(shape, &at, id, None));
    }
}

/// A mesh in units of so many to the metre, which travel as fewer digits.
fn solid(mesh: &proscenium_clip::Mesh, units: f32) -> LiveSolid {
    LiveSolid::Mesh {
        positions: mesh.positions.iter().flatten().map(|value| (value * units).round() / units).collect(),
        indices: mesh.triangles.iter().flatten().copied().collect(),
    }
}

/// What a surface of the streets is like.
fn finish(name: &str) -> LiveFinish {
    match name {
        "asphalt" | "pavement" | "roofs" => LiveFinish::Grain,
        "brick" | "plaster" | "stone" | "lime" | "backs" => LiveFinish::Facade,
        "posts" => LiveFinish::Metal,
        _ => LiveFinish::Plain,
    }
}

/// Streets as shapes that stand still, numbered from `first` on.
pub fn street_shapes(map: &Map, roads: &[RoadId], first: usize) -> (Vec<LiveShape>, Vec<LiveStill>) {
    // A street that cannot be shown is one that is not.
    let clip = streets(map, roads, DVec2::ZERO).unwrap_or_default();
    let shape = |mesh: &proscenium_clip::Mesh| {
        let colour =
            mesh.material.and_then(|material| clip.materials.get(material)).map(|material| material.base_color);
        LiveShape {
            name: mesh.name.clone(),
            solid: solid(mesh, 100.0),
            colour: hex(colour.unwrap_or([0.5; 4])),
            finish: finish(&mesh.name),
        }
    };
    let house = |mesh: &proscenium_clip::Mesh, colour: &str| LiveShape {
        name: mesh.name.clone(),
        solid: solid(mesh, 100.0),
        colour: colour.to_owned(),
        finish: finish(&mesh.name),
    };
    let [tops, backs] = roofs(map, roads, DVec2::ZERO);
    let houses = [house(&tops, "#7d6f64"), house(&backs, "#a89c8c")];
    let shapes: Vec<LiveShape> = clip.meshes.iter().map(shape).chain(houses).collect();
    let still =
        |shape: usize| LiveStill { shape: (first + shape) as u32, position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
    let stills = (0..shapes.len()).map(still).collect();
    (shapes, stills)
}

/// A linear colour as the screen has it.
fn hex(colour: [f32; 4]) -> String {
    let [red, green, blue, _] = colour.map(|part| (libm::powf(part.clamp(0.0, 1.0), 1.0 / 2.2) * 255.0).round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}
