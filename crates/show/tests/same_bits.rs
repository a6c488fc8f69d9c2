//! Promise: what engines make and pictures show has the same bits with the feature
//! `parallel` and without it, and in every release that does not say otherwise.
//! `cargo xtask test` runs this both ways.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use std::sync::Arc;

use proscenium_city::map::RoadId;
use proscenium_city::{City, Map, Recipe};
use proscenium_clip::{Clip, Material, Mesh, Node};
use proscenium_cull::{CompileSettings, CompiledModel, Model, Seed};
use proscenium_ensemble::build::{BuildSettings, GraphBuild};
use proscenium_ensemble::data::{Condition, EnsembleParts, Group, Sequence};
use proscenium_ensemble::transition::TransitionSettings;
use proscenium_ensemble::{Ensemble, Player, compress};
use proscenium_picture::{Look, frame_clip, render};
use proscenium_work::{Memory, Progress};

/// FNV-1a over the bytes of what was made.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        self.0 = bytes.iter().fold(self.0, step);
    }
}

#[test]
fn a_compiled_ride() {
    let text = "format = 1\n[state]\nheight = { initial = 0.5 }\n[motion]\nheight = -1\n[modes]\nfalling = {}\n\
                [[switch]]\nfrom = \"falling\"\nto = \"falling\"\nwhen = \"height <= 0\"\n\
                reset = { height = { uniform = [0.0, 1.0] } }\n[cull]\nstep = 0.25\nlongest = 30.0\n";
    let model = Model::parse("renewal", text).unwrap();
    let effort = CompileSettings { most_cells: 4, paths_per_cell: 500, paths: 24, ..CompileSettings::quick() };
    let effort = CompileSettings { examples: 3000, training_rounds: 1, ..effort };
    let settings = model.settings().with_effort_of(&effort);
    let compiled = CompiledModel::compile(model, &settings, Seed(1), &Progress::none()).unwrap().finished().unwrap();
    let mut hash = Hash::new();
    hash.add(compiled.to_javascript().unwrap().as_bytes());
    assert_eq!(hash.0, 0xe2b5_b266_6357_330e, "{:#018x}", hash.0);
}

#[test]
fn a_city_and_its_cars() {
    let map = Arc::new(Map::build(&Recipe::with_roads(120).generate(Seed(7)).unwrap()).unwrap());
    let mut hash = Hash::new();
    hash.add(&map.fingerprint().to_le_bytes());
    let mut city = City::new(map.clone()).with_cars(90).seed(4);
    for frame in 0..600_u32 {
        let first = RoadId(frame / 80 * 7 % map.road_count() as u32);
        let in_view: Vec<RoadId> = std::iter::once(first).chain(map.adjacent_roads(first).take(3)).collect();
        city.look_at(&in_view).unwrap();
        for car in city.advance(0.1 * f64::from(frame)).unwrap() {
            hash.add(&car.id.0.to_le_bytes());
            hash.add(&car.remaining.to_le_bytes());
            hash.add(&car.speed.to_le_bytes());
        }
    }
    assert_eq!(hash.0, 0xb082_843d_55dd_7d0d, "{:#018x}", hash.0);
}

/// The corners of a plate that hangs at `x` and is turned by `angle`.
fn plate(x: f64, angle: f64) -> Vec<[f32; 3]> {
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let corner = |down: f64, across: f64| [(x + down * sin) as f32, (-down * cos) as f32, across as f32];
    (0..4).map(|row| f64::from(row) / 3.0).flat_map(|down| [corner(down, -0.2), corner(down, 0.2)]).collect()
}

/// Three plates that swing side by side.
fn plates() -> Ensemble {
    let triangles =
        (0..3).flat_map(|row| [[2 * row, 2 * row + 2, 2 * row + 1], [2 * row + 1, 2 * row + 2, 2 * row + 3]]);
    let triangles: Vec<[u32; 3]> = triangles.collect();
    let group = |k: usize| Group {
        name: format!("plate-{k}"),
        attachment: None,
        rest: plate(0.2 * k as f64, 0.0),
        triangles: triangles.clone(),
    };
    let angle = |time: f64, k: usize| {
        let own = 0.04 * libm::sin(0.13 * time * (1.0 + 0.3 * k as f64) + 2.0 * k as f64);
        0.5 * libm::sin(0.21 * time) + 0.3 * libm::sin(0.0834 * time + 1.0) + own
    };
    let frame = |n: usize| (0..3).flat_map(|k| plate(0.2 * k as f64, angle(n as f64, k))).collect();
    Ensemble::new(EnsembleParts {
        name: "plates".to_owned(),
        groups: (0..3).map(group).collect(),
        conditions: vec![Condition { name: "wind".to_owned(), intensity: 1.0 }],
        sequences: vec![Sequence { condition: 0, frames: (0..250).map(frame).collect() }],
        frames_per_second: 30.0,
        thickness: 0.02,
    })
    .unwrap()
}

/// Changed with eased blends (decision 131), bounded accelerations (decision 133) and walks that
/// come by all data (decision 680).
#[test]
fn a_built_ensemble() {
    let data = compress(&plates(), 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let transition =
        TransitionSettings { reach: 8, blend: 6, samples: 3, patience: 10.0, ..TransitionSettings::default() };
    let settings = BuildSettings { transition, interval: 0.6, ..BuildSettings::default() };
    let store = Memory::default();
    let graph = GraphBuild::new(&store, Seed(4)).connect(data, settings, &Progress::none()).unwrap();
    let graph = Arc::new(graph.finished().unwrap());
    let mut player = Player::new(&graph, Seed(5)).unwrap();
    let (mut hash, mut positions) = (Hash::new(), Vec::new());
    for frame in 0..300 {
        player.see(frame);
        player.positions(&mut positions);
        positions.iter().flatten().for_each(|place| hash.add(&place.to_le_bytes()));
    }
    assert_eq!(hash.0, 0x6217_cbd2_1ef4_7799, "{:#018x}", hash.0);
}

#[test]
fn a_picture() {
    let mut clip = Clip::new("tetrahedron");
    let red = clip.add_material(Material::new("red", [0.8, 0.1, 0.1]));
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, -0.9], [0.5, 0.8, -0.3]];
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let mesh = clip.add_mesh(Mesh::flat_shaded(&corners, &faces).unwrap().with_material(red));
    clip.add_node(Node::new("body").with_mesh(mesh));
    let look = Look::sized(160, 90);
    let camera = frame_clip(&clip, look.aspect()).unwrap();
    let picture = render(&clip, 0.0, &camera, &look, &Progress::none()).unwrap().finished().unwrap();
    let mut hash = Hash::new();
    for row in 0..90 {
        (0..160).for_each(|column| hash.add(&picture.pixel(column, row)));
    }
    assert_eq!(hash.0, 0x0fe8_0e71_9eea_c8c8, "{:#018x}", hash.0);
}
