//! What is drawn, and the bytes it travels as.

use axum::body::Bytes;
use proscenium_view::glam::{DAffine3, DQuat, DVec3};

use crate::stream::{POSE, write_pose};

/// Bytes before the counts, and those of an instance's owner and colour.
const HEADER: usize = 16;
const MARK: usize = 8;
/// Bytes of a vertex that bends, and of the counts before them.
const VERTEX: usize = 12;
const BENT: usize = 8;

/// One thing that is drawn.
#[derive(Clone, Copy, Debug)]
struct Instance {
    position: DVec3,
    rotation: DQuat,
    owner: u32,
    colour: Option<[u8; 3]>,
}

/// All instances of a frame, by shape, what bends, and what grows.
#[derive(Clone, Debug, Default)]
pub struct Instances {
    by_shape: Vec<Vec<Instance>>,
    bent: Vec<[f32; 3]>,
    parts: Vec<Option<[u8; 3]>>,
    plants: Vec<Plants>,
}

/// All that are seen of one plant: to whom each belongs and its colour, and
/// where their vertices are.
#[derive(Clone, Debug, Default)]
struct Plants {
    marks: Vec<(u32, Option<[u8; 3]>)>,
    positions: Vec<[f32; 3]>,
}

impl Instances {
    /// Adds an instance of a shape: where it is, to whom it belongs, and its
    /// colour if it is not the shape's. A pose that is not finite is left out.
    pub fn push(&mut self, shape: usize, world_from_body: &DAffine3, owner: u32, colour: Option<[u8; 3]>) {
        let (_, rotation, position) = world_from_body.to_scale_rotation_translation();
        if !(position.is_finite() && rotation.is_finite()) {
            return;
        }
        if self.by_shape.len() <= shape {
            self.by_shape.resize_with(shape + 1, Vec::new);
        }
        self.by_shape[shape].push(Instance { position, rotation, owner, colour });
    }

    /// Says where every vertex of what bends is, and the colour of each of its
    /// parts if it is not its own.
    pub fn bend(&mut self, positions: &[[f32; 3]], colours: impl Iterator<Item = Option<[u8; 3]>>) {
        self.bent.clear();
        self.bent.extend_from_slice(positions);
        self.parts.clear();
        self.parts.extend(colours);
    }

    /// Adds one of a plant: its number, its colour if it is not the plant's, and
    /// where its vertices are.
    pub fn grow(&mut self, plant: usize, owner: u32, colour: Option<[u8; 3]>, positions: &[[f32; 3]]) {
        if self.plants.len() <= plant {
            self.plants.resize_with(plant + 1, Plants::default);
        }
        self.plants[plant].marks.push((owner, colour));
        self.plants[plant].positions.extend_from_slice(positions);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.by_shape.iter().map(Vec::len).sum()
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.by_shape.iter_mut().for_each(Vec::clear);
        self.bent.clear();
        self.parts.clear();
        for plants in &mut self.plants {
            plants.marks.clear();
            plants.positions.clear();
        }
    }

    /// The frame; see the module [`live`](super).
    pub fn frame(&self, number: u32, time: f32) -> Bytes {
        let shapes = self.by_shape.len();
        let bent = BENT + VERTEX * self.bent.len() + 4 * self.parts.len();
        let mut bytes =
            Vec::with_capacity(HEADER + 4 * shapes + (POSE + MARK) * self.len() + bent + self.plant_bytes());
        bytes.extend(number.to_le_bytes());
        bytes.extend(time.to_le_bytes());
        bytes.extend((self.len() as u32).to_le_bytes());
        bytes.extend((shapes as u32).to_le_bytes());
        for instances in &self.by_shape {
            bytes.extend((instances.len() as u32).to_le_bytes());
        }
        for instance in self.by_shape.iter().flatten() {
            let (position, rotation) = (instance.position.as_vec3(), instance.rotation.as_quat());
            write_pose(&mut bytes, position.to_array(), rotation.to_array());
        }
        for instance in self.by_shape.iter().flatten() {
            bytes.extend(instance.owner.to_le_bytes());
            bytes.extend(packed(instance.colour).to_le_bytes());
        }
        bytes.extend((self.bent.len() as u32).to_le_bytes());
        bytes.extend((self.parts.len() as u32).to_le_bytes());
        for number in self.bent.iter().flatten() {
            bytes.extend(number.to_le_bytes());
        }
        for colour in &self.parts {
            bytes.extend(packed(*colour).to_le_bytes());
        }
        self.write_plants(&mut bytes);
        Bytes::from(bytes)
    }

    fn write_plants(&self, bytes: &mut Vec<u8>) {
        bytes.extend((self.plants.len() as u32).to_le_bytes());
        for plants in &self.plants {
            bytes.extend((plants.marks.len() as u32).to_le_bytes());
        }
        for (owner, colour) in self.plants.iter().flat_map(|plants| &plants.marks) {
            bytes.extend(owner.to_le_bytes());
            bytes.extend(packed(*colour).to_le_bytes());
        }
        for number in self.plants.iter().flat_map(|plants| plants.positions.iter().flatten()) {
            bytes.extend(number.to_le_bytes());
        }
    }

    /// The bytes of what grows.
    fn plant_bytes(&self) -> usize {
        let of = |plants: &Plants| 4 + MARK * plants.marks.len() + VERTEX * plants.positions.len();
        4 + self.plants.iter().map(of).sum::<usize>()
    }
}

/// A colour as 0x01rrggbb, or 0 for none.
fn packed(colour: Option<[u8; 3]>) -> u32 {
    let whole = |[red, green, blue]: [u8; 3]| u32::from_be_bytes([1, red, green, blue]);
    colour.map_or(0, whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_the_instances_of_each_shape_in_order() {
        let mut instances = Instances::default();
        let at = |x: f64| DAffine3::from_translation(DVec3::new(x, 0.0, 0.0));
        instances.push(2, &at(5.0), 9, Some([1, 2, 3]));
        instances.push(0, &at(4.0), 7, None);
        instances.push(1, &at(f64::NAN), 7, None);
        let bytes = instances.frame(3, 0.5);
        assert_eq!(bytes.len(), HEADER + 3 * 4 + 2 * (POSE + MARK) + BENT + 4);
        let (words, _) = bytes.as_chunks::<4>();
        let whole: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        assert_eq!(whole[..4], [3, 0.5_f32.to_bits(), 2, 3]);
        assert_eq!(whole[4..7], [1, 0, 1]);
        assert_eq!(f32::from_bits(whole[7]), 4.0);
        assert_eq!(f32::from_bits(whole[14]), 5.0);
        assert_eq!(whole[21..], [7, 0, 9, 0x0101_0203, 0, 0, 0]);
    }

    #[test]
    fn what_bends_comes_last() {
        let mut instances = Instances::default();
        instances.bend(&[[1.0, 2.0, 3.0]], [None, Some([0, 0, 9])].into_iter());
        let bytes = instances.frame(0, 0.0);
        let (words, _) = bytes.as_chunks::<4>();
        let whole: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        assert_eq!(whole[4..6], [1, 2]);
        assert_eq!(f32::from_bits(whole[7]), 2.0);
        assert_eq!(whole[9..], [0, 0x0100_0009, 0]);
    }

    #[test]
    fn what_grows_comes_after_it_plant_by_plant() {
        let mut instances = Instances::default();
        instances.grow(1, 5, None, &[[1.0, 2.0, 3.0]]);
        instances.grow(0, 6, Some([0, 0, 9]), &[[4.0, 5.0, 6.0]]);
        let bytes = instances.frame(0, 0.0);
        let (words, _) = bytes.as_chunks::<4>();
        let whole: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        assert_eq!(
            whole[6..],
            [vec![2, 1, 1, 6, 0x0100_0009, 5, 0], [4.0_f32, 5.0, 6.0, 1.0, 2.0, 3.0].map(f32::to_bits).to_vec()]
                .concat()
        );
        instances.clear();
        assert_eq!(instances.frame(0, 0.0).len(), HEADER + BENT + 4 + 2 * 4);
    }
}
