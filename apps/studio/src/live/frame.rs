//! What is drawn, and the bytes it travels as.

use axum::body::Bytes;
use proscenium_view::glam::{DAffine3, DQuat, DVec3};

use crate::stream::{POSE, write_pose};

/// Bytes before the counts, and those of an instance's owner and colour.
const HEADER: usize = 16;
const MARK: usize = 8;

/// One thing that is drawn.
#[derive(Clone, Copy, Debug)]
struct Instance {
    position: DVec3,
    rotation: DQuat,
    owner: u32,
    colour: Option<[u8; 3]>,
}

/// All instances of a frame, by shape.
#[derive(Clone, Debug, Default)]
pub struct Instances {
    by_shape: Vec<Vec<Instance>>,
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

    /// How many there are.
    pub fn len(&self) -> usize {
        self.by_shape.iter().map(Vec::len).sum()
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.by_shape.iter_mut().for_each(Vec::clear);
    }

    /// The frame; see the module [`live`](super).
    pub fn frame(&self, number: u32, time: f32) -> Bytes {
        let shapes = self.by_shape.len();
        let mut bytes = Vec::with_capacity(HEADER + 4 * shapes + (POSE + MARK) * self.len());
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
            let [red, green, blue] = instance.colour.unwrap_or_default().map(u32::from);
            let colour = instance.colour.map_or(0, |_| 0x0100_0000 | red << 16 | green << 8 | blue);
            bytes.extend(instance.owner.to_le_bytes());
            bytes.extend(colour.to_le_bytes());
        }
        Bytes::from(bytes)
    }
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
        assert_eq!(bytes.len(), HEADER + 3 * 4 + 2 * (POSE + MARK));
        let (words, _) = bytes.as_chunks::<4>();
        let whole: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        assert_eq!(whole[..4], [3, 0.5_f32.to_bits(), 2, 3]);
        assert_eq!(whole[4..7], [1, 0, 1]);
        assert_eq!(f32::from_bits(whole[7]), 4.0);
        assert_eq!(f32::from_bits(whole[14]), 5.0);
        assert_eq!(whole[21..], [7, 0, 9, 0x0101_0203]);
    }
}
