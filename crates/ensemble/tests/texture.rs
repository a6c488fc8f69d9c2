//! Promise: a vertex-animation texture holds every vertex of every frame where
//! OpenVAT's shaders look for it, also where vertices take more than one row.

#![allow(clippy::unwrap_used)]

use std::io::Cursor;

use crate::common::{Plant, away, strip};
use exr::prelude::{ReadChannels as _, ReadLayers as _};
use proscenium_ensemble::data::{Condition, EnsembleParts, Sequence};
use proscenium_ensemble::export::{Take, VertexTexture, to_vertex_texture};
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
    let (width, height, pixels) = pixels(&texture.exr);
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
    let texture = to_vertex_texture(&take, &Progress::none()).unwrap().finished().unwrap();
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
    let texture = to_vertex_texture(&take, &Progress::none()).unwrap().finished().unwrap();
    assert_eq!(texture.size, (4600, 12));
    check(&data, &take, &texture);
}

#[test]
fn what_does_not_fit_is_refused() {
    let data = compress(&Plant::new(1).ensemble(1, 30), 1e-3, &Progress::none()).unwrap().finished().unwrap();
    let none = Take::of_sequence(&data, 7);
    assert!(to_vertex_texture(&none, &Progress::none()).unwrap_err().to_string().contains("has no frames"));
    let state: Vec<Vec<f32>> = data.shapes().iter().map(|shape| vec![0.0; shape.rank()]).collect();
    let long = Take::of_states(&data, "long", vec![state; 8200]);
    assert_eq!(long.frame_count(), 8200);
    assert!(to_vertex_texture(&long, &Progress::none()).unwrap_err().explain().contains("fewer frames"));
    assert!(to_vertex_texture(&long.thinned(100), &Progress::none()).is_ok());
}
