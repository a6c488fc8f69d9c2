//! Promise: a vertex-animation texture holds every vertex of every frame where
//! OpenVAT's shaders look for it, also where vertices take more than one row.

#![allow(clippy::unwrap_used)]

use std::io::Cursor;

use crate::common::{Plant, away, strip};
use exr::prelude::{ReadChannels as _, ReadLayers as _};
use proscenium_ensemble::data::{Condition, EnsembleParts, Sequence};
use proscenium_ensemble::export::{Take, TexturePrecision, VertexTexture, to_vertex_texture};
use proscenium_ensemble::import::Up;
use proscenium_ensemble::{CompressedEnsemble, Ensemble, compress};
use proscenium_work::{Progress, Remedy as _};
use serde_json::Value;

/// The pixels of a picture, red, green and blue, row by row.
fn pixels(bytes: &[u8]) -> (usize, usize, Vec<[f32; 3]>) {
    let reader = exr::prelude::read().no_deep_data().largest_resolution_level().all_channels();
    let image = reader.first_valid_layer().all_attributes().non_parallel().from_buffered(Cursor::new(bytes)).unwrap();
    let layer = &image.layer_data;
    let channel = |name: &str| -> Vec<f32> {
        let channel = layer.channel_data.list.iter().find(|channel| channel.name.eq(name)).unwrap();
        channel.sample_data.values_as_f32().collect()
    };
    let [red, green, blue] = ["R", "G", "B"].map(channel);
    let pixels = red.iter().zip(&green).zip(&blue).map(|((red, green), blue)| [*red, *green, *blue]);
    (layer.size.x(), layer.size.y(), pixels.collect())
}

fn check(data: &CompressedEnsemble, take: &Take, texture: &VertexTexture) {
    let (width, height, pixels) = pixels(&texture.picture);
    assert_eq!((width, height), texture.size);
    let json: Value = serde_json::from_str(&texture.json).unwrap();
    let remap = &json["os-remap"];
    let [low, high]: [[f32; 3]; 2] = ["Min", "Max"].map(|key| serde_json::from_value(remap[key].clone()).unwrap());
    assert_eq!(remap["Frames"], take.frame_count());
    let rest: Vec<[f32; 3]> = data.groups().iter().flat_map(|group| group.rest.clone()).collect();
    for (frame, positions) in take.frames().enumerate() {
        for (vertex, (place, rest)) in positions.iter().zip(&rest).enumerate() {
            let row = (vertex / width) * take.frame_count() + frame;
            let pixel = pixels[row * width + vertex % width];
            assert!(pixel.iter().all(|x| (0.0..=1.0).contains(x)), "{pixel:?}");
            let offset = Up::Z.convert([0, 1, 2].map(|axis| low[axis] + pixel[axis] * (high[axis] - low[axis])));
            let found = [0, 1, 2].map(|axis| rest[axis] + offset[axis]);
            assert!(away(found, *place) < 1e-5, "vertex {vertex} of frame {frame}");
            let normal = pixels[(row + height / 2) * width + vertex % width].map(|x| 2.0 * x - 1.0);
            assert!((away(normal, [0.0; 3]) - 1.0).abs() < 1e-5, "the normal of vertex {vertex} of frame {frame}");
        }
    }
}

#[test]
fn every_vertex_is_in_its_column() {
    let data = compress(&Plant::new(3).ensemble(1, 25), 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let take = Take::of_sequence(&data, 0);
    let texture = to_vertex_texture(&take, TexturePrecision::Full, &[], &Progress::none()).unwrap().finished().unwrap();
    assert_eq!(texture.size, (data.vertex_count(), 50));
    check(&data, &take, &texture);
    let json: Value = serde_json::from_str(&texture.json).unwrap();
    assert_eq!(json["animations"]["calm"]["endFrame"], 25);
    assert_eq!(&texture.glb[..4], b"glTF");
}

#[test]
fn more_vertices_than_columns_go_below() {
    let group = strip("ribbon", [0.0; 3], 4600, 4.6, 0.1);
    let frame = |n: u8| group.rest.iter().map(|[x, y, z]| [*x, *y, z + 0.1 * f32::from(n) * x]).collect();
    let ensemble = Ensemble::new(EnsembleParts {
        name: "ribbon".to_owned(),
        groups: vec![group.clone()],
        conditions: vec![Condition { name: "wind".to_owned(), intensity: 1.0 }],
        sequences: vec![Sequence { condition: 0, frames: (0..3).map(frame).collect() }],
        frames_per_second: 30.0,
        thickness: 0.01,
    })
    .unwrap();
    let data = compress(&ensemble, 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let take = Take::of_sequence(&data, 0);
    let texture = to_vertex_texture(&take, TexturePrecision::Full, &[], &Progress::none()).unwrap().finished().unwrap();
    assert_eq!(texture.size, (4600, 12));
    check(&data, &take, &texture);
}

#[test]
fn what_does_not_fit_is_refused() {
    let data = compress(&Plant::new(1).ensemble(1, 30), 1e-3, &Progress::none()).unwrap().finished().unwrap();
    let none = Take::of_sequence(&data, 7);
    assert!(
        to_vertex_texture(&none, TexturePrecision::Full, &[], &Progress::none())
            .unwrap_err()
            .to_string()
            .contains("has no frames")
    );
    let state: Vec<Vec<f32>> = data.shapes().iter().map(|shape| vec![0.0; shape.rank()]).collect();
    let long = Take::of_states(&data, "long", vec![state; 8200]);
    assert_eq!(long.frame_count(), 8200);
    assert!(
        to_vertex_texture(&long, TexturePrecision::Full, &[], &Progress::none())
            .unwrap_err()
            .explain()
            .contains("fewer frames")
    );
    assert!(to_vertex_texture(&long.thinned(100), TexturePrecision::Full, &[], &Progress::none()).is_ok());
}

/// In 16 bits every vertex is as near as the texture says, in half the space; and the meshes
/// of less detail look into the same picture.
#[test]
fn sixteen_bits_are_as_near_as_they_say() {
    let data = compress(&Plant::new(3).ensemble(1, 25), 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let take = Take::of_sequence(&data, 0);
    let texture =
        to_vertex_texture(&take, TexturePrecision::Half, &[0.1], &Progress::none()).unwrap().finished().unwrap();
    let mut reader = png::Decoder::new(Cursor::new(&texture.picture)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.width as usize, info.height as usize), texture.size);
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Sixteen));
    let shares: Vec<f64> =
        bytes.as_chunks::<2>().0.iter().map(|word| f64::from(u16::from_be_bytes(*word)) / 65_535.0).collect();
    let json: Value = serde_json::from_str(&texture.json).unwrap();
    let [low, high]: [[f64; 3]; 2] =
        ["Min", "Max"].map(|key| serde_json::from_value(json["os-remap"][key].clone()).unwrap());
    let rest: Vec<[f32; 3]> = data.groups().iter().flat_map(|group| group.rest.clone()).collect();
    for (frame, positions) in take.frames().enumerate() {
        for (vertex, (place, rest)) in positions.iter().zip(&rest).enumerate() {
            let offset = Up::Z.revert([0, 1, 2].map(|axis| place[axis] - rest[axis]));
            for axis in 0..3 {
                let share = shares[3 * (frame * texture.size.0 + vertex) + axis];
                let found = low[axis] + share * (high[axis] - low[axis]);
                assert!((found - f64::from(offset[axis])).abs() < 1.01 * texture.rounding + 1e-6);
            }
        }
    }
    assert!(texture.rounding < 1e-4, "{}", texture.rounding);
    let less = proscenium_clip::DeformingGlb::from_glb(&texture.details[0]).unwrap();
    let whole = proscenium_clip::DeformingGlb::from_glb(&texture.glb).unwrap();
    let triangles = |glb: &proscenium_clip::DeformingGlb| glb.parts()[0].triangles.len();
    assert!(0 < triangles(&less) && triangles(&less) < triangles(&whole));
}
