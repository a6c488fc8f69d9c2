//! Streets and cars as shapes.

use proscenium_city::glam::{DAffine3, DVec2, DVec3};
use proscenium_city::map::RoadId;
use proscenium_city::{CarId, Map, VisibleCar};
use proscenium_show::city::streets;

use crate::api::{LiveShape, LiveSolid, LiveStill};
use crate::live::Instances;

/// Colours that cars come in.
const COLOURS: [[u8; 3]; 6] =
    [[196, 40, 34], [38, 84, 160], [226, 226, 220], [44, 46, 50], [228, 160, 36], [52, 122, 74]];
/// The parts of a car: name, half sides and middle (m), colour.
const PARTS: [(&str, [f64; 3], [f64; 3], &str); 3] = [
    ("body", [2.1, 0.36, 0.9], [0.0, 0.66, 0.0], "#c42822"),
    ("cabin", [1.05, 0.3, 0.78], [-0.2, 1.3, 0.0], "#1c2126"),
    ("wheels", [1.7, 0.18, 0.88], [0.0, 0.18, 0.0], "#141414"),
];

/// The shapes of a car.
pub fn car_shapes() -> Vec<LiveShape> {
    let shape = |(name, half, _, colour): &(&str, [f64; 3], [f64; 3], &str)| LiveShape {
        name: (*name).to_owned(),
        solid: LiveSolid::Box(*half),
        colour: (*colour).to_owned(),
    };
    PARTS.iter().map(shape).collect()
}

/// Draws a car.
pub fn draw(car: &VisibleCar, instances: &mut Instances) {
    let CarId(id) = car.id;
    let paint = COLOURS[id as usize % COLOURS.len()];
    for (shape, (_, _, middle, _)) in PARTS.iter().enumerate() {
        let at = car.world_from_body * DAffine3::from_translation(DVec3::from(*middle));
        instances.push(shape, &at, id, (shape == 0).then_some(paint));
    }
}

/// Streets as shapes that stand still, numbered from `first` on.
pub fn street_shapes(map: &Map, roads: &[RoadId], first: usize) -> (Vec<LiveShape>, Vec<LiveStill>) {
    // A street that cannot be shown is one that is not.
    let clip = streets(map, roads, DVec2::ZERO).unwrap_or_default();
    let centimetres = |value: f32| (value * 100.0).round() / 100.0;
    let shape = |mesh: &proscenium_clip::Mesh| {
        let colour =
            mesh.material.and_then(|material| clip.materials.get(material)).map(|material| material.base_color);
        LiveShape {
            name: mesh.name.clone(),
            solid: LiveSolid::Mesh {
                positions: mesh.positions.iter().flatten().map(|value| centimetres(*value)).collect(),
                indices: mesh.triangles.iter().flatten().copied().collect(),
            },
            colour: hex(colour.unwrap_or([0.5; 4])),
        }
    };
    let shapes: Vec<LiveShape> = clip.meshes.iter().map(shape).collect();
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
