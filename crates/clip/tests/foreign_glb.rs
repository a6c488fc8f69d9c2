//! Promise: glTF files from elsewhere are read with the same motion and shape,
//! and what a clip cannot hold is reported, not dropped in silence.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use crate::common;

use proscenium_clip::glam::{Mat4, Quat, Vec3};
use proscenium_clip::{Clip, GlbImport, NodeId, Track};
use proscenium_work::Remedy as _;
use serde_json::{Value, json};

const FLOAT: u32 = 5126;

/// A file in the making: its JSON, and the data of its accessors.
struct Foreign {
    json: Value,
    binary: Vec<u8>,
}

impl Foreign {
    fn new() -> Self {
        let json = json!({
            "asset": { "version": "2.0", "generator": "elsewhere", "extras": ["anything"] },
            "accessors": [], "bufferViews": [], "buffers": [],
        });
        Foreign { json, binary: Vec::new() }
    }

    fn with(mut self, key: &str, value: Value) -> Self {
        self.json[key] = value;
        self
    }

    /// Adds an accessor with a view of its own.
    fn accessor(&mut self, kind: &str, component: u32, count: usize, bytes: &[u8]) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let offset = self.binary.len();
        self.binary.extend(bytes);
        let views = self.json["bufferViews"].as_array_mut().unwrap();
        views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }));
        let view = views.len() - 1;
        let accessors = self.json["accessors"].as_array_mut().unwrap();
        accessors.push(json!({ "bufferView": view, "componentType": component, "count": count, "type": kind }));
        accessors.len() - 1
    }

    fn floats(&mut self, kind: &str, count: usize, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.accessor(kind, FLOAT, count, &bytes)
    }

    /// A unit square in the plane of x and y, facing z.
    fn square(&mut self) -> usize {
        self.floats("VEC3", 4, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0])
    }

    fn bytes(mut self) -> Vec<u8> {
        self.json["buffers"] = json!([{ "byteLength": self.binary.len() }]);
        common::glb(&self.json, &self.binary)
    }

    fn import(self) -> GlbImport {
        GlbImport::from_glb(&self.bytes()).unwrap()
    }

    fn error(self) -> String {
        GlbImport::from_glb(&self.bytes()).unwrap_err().explain()
    }

    /// A node that one channel moves.
    fn animated(mut self, path: &str, interpolation: &str, times: &[f32], kind: &str, values: &[f32]) -> Self {
        let width = if kind == "VEC4" { 4 } else { 3 };
        let input = self.floats("SCALAR", times.len(), times);
        let output = self.floats(kind, values.len() / width, values);
        self.with("nodes", json!([{ "name": "body", "translation": [7.0, 8.0, 9.0] }])).with(
            "animations",
            json!([{
                "name": "moves",
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": path } }],
                "samplers": [{ "input": input, "output": output, "interpolation": interpolation }],
            }]),
        )
    }
}

fn track(clip: &Clip) -> &Track {
    clip.nodes[0].track.as_ref().unwrap()
}

fn messages(import: &GlbImport) -> Vec<String> {
    import.warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn nodes_in_any_order_with_matrices_or_parts() {
    let turn = Quat::from_rotation_y(0.7);
    let matrix = Mat4::from_scale_rotation_translation(Vec3::new(2.0, 3.0, -4.0), turn, Vec3::new(1.0, 2.0, 3.0));
    let import = Foreign::new()
        .with(
            "nodes",
            json!([
                { "name": "leaf", "translation": [1.0, 0.0, 0.0] },
                { "name": "leaf", "rotation": [0.0, 0.0, 2.0, 2.0], "children": [0] },
                { "matrix": matrix.to_cols_array(), "children": [1] },
            ]),
        )
        .with("scenes", json!([{ "nodes": [2] }]))
        .import();
    assert!(import.warnings.is_empty(), "{:?}", messages(&import));
    let names: Vec<&str> = import.clip.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["node-2", "leaf", "leaf-2"]);
    let root = import.clip.world_from_node(NodeId(0), 0.0).unwrap();
    assert!(root.abs_diff_eq(matrix, 1e-5), "{root}");
    // A quarter turn about z carries x to y; the root does the rest.
    let leaf = import.clip.world_from_node(NodeId(2), 0.0).unwrap();
    let expected = matrix.transform_point3(Vec3::Y);
    assert!(leaf.transform_point3(Vec3::ZERO).abs_diff_eq(expected, 1e-5));
}

#[test]
fn shear_and_hidden_nodes_are_reported() {
    let mut sheared = Mat4::IDENTITY;
    sheared.y_axis.x = 0.5;
    let import = Foreign::new()
        .with("nodes", json!([{ "name": "skewed", "matrix": sheared.to_cols_array() }, { "name": "hidden" }]))
        .with("scenes", json!([{ "nodes": [1] }, { "nodes": [0] }]))
        .with("scene", json!(1))
        .import();
    assert_eq!(import.clip.nodes.len(), 1);
    let messages = messages(&import);
    assert!(messages[0].contains("1 nodes are left out"), "{messages:?}");
    assert!(messages[1].contains("shear"), "{messages:?}");
    // Nothing to see, but nothing to fail on either.
    let flat = Foreign::new().with("nodes", json!([{ "matrix": vec![0.0; 16] }])).import();
    assert_eq!(flat.clip.nodes[0].scale, Vec3::ZERO);
}

#[test]
fn primitives_become_meshes_and_children() {
    let mut file = Foreign::new();
    let square = file.square();
    let normals = file.floats("VEC3", 4, &[0.0, 0.0, 2.0].repeat(4));
    let first = file.accessor("SCALAR", 5121, 3, &[0, 1, 2]);
    let second: Vec<u8> = [1u16, 3, 2].iter().flat_map(|corner| corner.to_le_bytes()).collect();
    let second = file.accessor("SCALAR", 5123, 3, &second);
    let import = file
        .with(
            "materials",
            json!([{ "name": "picture", "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]),
        )
        .with(
            "meshes",
            json!([{ "name": "square", "primitives": [
                { "attributes": { "POSITION": square }, "indices": first, "material": 0 },
                { "attributes": { "POSITION": square, "NORMAL": normals, "TEXCOORD_0": 9 }, "indices": second },
                { "attributes": { "POSITION": square }, "mode": 1 },
                { "attributes": { "POSITION": square }, "mode": 5 },
                { "attributes": { "POSITION": square }, "mode": 6 },
            ] }]),
        )
        .with("nodes", json!([{ "name": "a", "mesh": 0, "skin": 0 }]))
        .import();
    let clip = &import.clip;
    assert_eq!(clip.meshes.len(), 4);
    assert_eq!(clip.nodes.len(), 4);
    assert_eq!(clip.nodes[3].name, "a-part-4");
    assert_eq!(clip.nodes[3].parent, Some(NodeId(0)));
    // Each takes its own vertices of the shared ones.
    assert_eq!(clip.meshes[1].positions.len(), 3);
    assert_eq!(clip.meshes[1].positions[clip.meshes[1].triangles[0][1] as usize], [1.0, 1.0, 0.0]);
    assert_eq!(clip.meshes[0].material, Some(0));
    // Without normals they are computed, and others are made unit.
    for mesh in &clip.meshes[..3] {
        assert!(mesh.normals.iter().all(|normal| *normal == [0.0, 0.0, 1.0]), "{mesh:?}");
    }
    // The strip has two triangles that face alike; the fan has two as well.
    assert_eq!(clip.meshes[2].triangles.len(), 2);
    assert_eq!(clip.meshes[3].triangles.len(), 2);
    let messages = messages(&import);
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert!(messages[0].contains("material \"picture\": its texture"), "{messages:?}");
    assert!(messages[1].contains("mesh \"square\": primitive 2"), "{messages:?}");
    assert!(messages[2].contains("node \"a\": its skin"), "{messages:?}");
}

#[test]
fn quantised_strided_and_sparse_numbers() {
    let mut file = Foreign::new();
    // Two normalised vertices of three bytes with one to spare, then a third
    // that only the sparse part gives.
    let positions = file.accessor("VEC3", 5120, 3, &[127, 0, 0, 9, 0, 127, 0, 9, 0, 0, 0, 9]);
    let index = file.accessor("SCALAR", 5121, 1, &[2]);
    let value = file.accessor("VEC3", 5120, 1, &[0x81, 0, 0]);
    let view = |accessor: usize| file.json["accessors"][accessor]["bufferView"].clone();
    let sparse = json!({
        "count": 1,
        "indices": { "bufferView": view(index), "componentType": 5121 },
        "values": { "bufferView": view(value) },
    });
    file.json["accessors"][positions]["normalized"] = json!(true);
    file.json["accessors"][positions]["sparse"] = sparse;
    file.json["bufferViews"][positions]["byteStride"] = json!(4);
    let clip = file
        .with("meshes", json!([{ "primitives": [{ "attributes": { "POSITION": positions } }] }]))
        .with("extensionsRequired", json!(["KHR_mesh_quantization"]))
        .import()
        .clip;
    assert_eq!(clip.meshes[0].positions, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]);
}

#[test]
fn linear_animations_keep_their_keys() {
    let import =
        Foreign::new().animated("translation", "LINEAR", &[0.5, 1.0], "VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]).import();
    assert_eq!(import.clip.name, "moves");
    assert_eq!(import.clip.duration_secs, 1.0);
    assert_eq!(track(&import.clip).keys.len(), 2);
    assert_eq!(track(&import.clip).sample(0.75).position, 0.5 * Vec3::X);
    // Only the position moves: the rest of the node stays.
    let import = Foreign::new().animated("rotation", "LINEAR", &[0.0], "VEC4", &[0.0, 3.0, 0.0, 0.0]).import();
    assert_eq!(track(&import.clip).sample(0.0).position, Vec3::new(7.0, 8.0, 9.0));
    assert_eq!(track(&import.clip).sample(0.0).orientation, Quat::from_xyzw(0.0, 1.0, 0.0, 0.0));
}

#[test]
fn steps_stay_steps() {
    let clip = Foreign::new()
        .animated("translation", "STEP", &[0.0, 1.0, 2.0], "VEC3", &[0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 5.0, 0.0, 0.0])
        .import()
        .clip;
    assert_eq!(track(&clip).keys.len(), 4);
    for (time, x) in [(0.0, 0.0), (0.5, 0.0), (0.999_999, 0.0), (1.0, 5.0), (1.5, 5.0), (3.0, 5.0)] {
        assert_eq!(track(&clip).sample(time).position.x, x, "at {time}");
    }
}

#[test]
fn splines_are_followed() {
    // x rises from 0 to 1 with level ends; y is a parabola by its tangents.
    let values = [[0.0; 3], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, -2.0, 0.0], [1.0, 0.0, 0.0], [0.0; 3]].concat();
    let clip = Foreign::new().animated("translation", "CUBICSPLINE", &[1.0, 3.0], "VEC3", &values).import().clip;
    for step in 0..=1000 {
        let s = step as f32 / 1000.0;
        let at = track(&clip).sample(1.0 + 2.0 * s).position;
        assert!((at.x - s * s * (3.0 - 2.0 * s)).abs() < 1.1e-4, "x at {s}");
        assert!((at.y - 4.0 * s * (1.0 - s)).abs() < 1.1e-4, "y at {s}");
    }
    assert!(track(&clip).keys.len() < 200);
}

#[test]
fn different_times_are_merged() {
    let mut file =
        Foreign::new().animated("translation", "LINEAR", &[0.0, 2.0], "VEC3", &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    let times = file.floats("SCALAR", 3, &[0.0, 0.5, 3.0]);
    // A half turn about z in 16-bit numbers.
    let turns: Vec<u8> = [0i16, 0, 0, 32767, 0, 0, 23170, 23170, 0, 0, 32767, 0]
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let turns = file.accessor("VEC4", 5122, 3, &turns);
    file.json["accessors"][turns]["normalized"] = json!(true);
    let animation = &mut file.json["animations"][0];
    animation["samplers"].as_array_mut().unwrap().push(json!({ "input": times, "output": turns }));
    let channel = json!({ "sampler": 1, "target": { "node": 0, "path": "rotation" } });
    animation["channels"].as_array_mut().unwrap().push(channel);
    let clip = file.import().clip;
    let times: Vec<f32> = track(&clip).keys.iter().map(|key| key.time).collect();
    assert_eq!(times, [0.0, 0.5, 2.0, 3.0]);
    assert_eq!(track(&clip).sample(0.5).position.x, 0.5);
    let turned = track(&clip).sample(2.0).orientation;
    assert!(turned.dot(Quat::from_rotation_z(std::f32::consts::PI * 0.8)) > 0.999_99);
}

#[test]
fn what_cannot_move_is_reported() {
    let mut file = Foreign::new().animated("scale", "LINEAR", &[0.0, 1.0], "VEC3", &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    let animation = file.json["animations"][0].clone();
    file.json["animations"].as_array_mut().unwrap().push(animation);
    let channels = file.json["animations"][0]["channels"].as_array_mut().unwrap();
    channels.push(json!({ "sampler": 0, "target": { "node": 0, "path": "pointer" } }));
    channels.push(json!({ "sampler": 0, "target": { "path": "pointer" } }));
    let import = file.import();
    assert_eq!(import.clip.nodes[0].track, None);
    assert_eq!(
        messages(&import),
        [
            "node \"body\": its animated scale is left out, because only position and orientation can move",
            "node \"body\": its animated other is left out, because only position and orientation can move",
            "animation \"moves\" is left out, because only the first one is read",
        ]
    );
}

#[test]
fn a_scale_that_is_only_stated_is_not_an_animation() {
    let linear = Foreign::new().animated("scale", "LINEAR", &[0.0, 1.0], "VEC3", &[2.0, 1.0, 3.0].repeat(2));
    let values = [[0.0; 3], [2.0, 1.0, 3.0], [0.0; 3]].concat().repeat(2);
    let spline = Foreign::new().animated("scale", "CUBICSPLINE", &[0.0, 1.0], "VEC3", &values);
    for file in [linear, spline] {
        let import = file.import();
        assert!(import.warnings.is_empty(), "{:?}", messages(&import));
        assert_eq!(import.clip.nodes[0].scale, Vec3::new(2.0, 1.0, 3.0));
        assert_eq!(import.clip.nodes[0].track, None);
    }
}

#[test]
fn materials_keep_their_factors() {
    let clip = Foreign::new()
        .with(
            "materials",
            json!([
                {},
                { "name": "glass", "alphaMode": "BLEND",
                  "pbrMetallicRoughness": { "baseColorFactor": [0.1, 0.2, 0.3, 0.4], "metallicFactor": 0.0 } },
                { "alphaMode": "MASK", "pbrMetallicRoughness": { "baseColorFactor": [2.0, -1.0, 0.3, 0.4] } },
            ]),
        )
        .import()
        .clip;
    assert_eq!(clip.materials[0].base_color, [1.0; 4]);
    assert_eq!((clip.materials[0].metallic, clip.materials[0].roughness), (1.0, 1.0));
    assert_eq!(clip.materials[1].base_color, [0.1, 0.2, 0.3, 0.4]);
    assert_eq!(clip.materials[1].metallic, 0.0);
    assert_eq!(clip.materials[2].base_color, [1.0, 0.0, 0.3, 1.0]);
}

#[test]
fn what_cannot_be_read_says_where_and_what_to_do() {
    let mut external = Foreign::new();
    let square = external.square();
    let mut bytes = external.with("meshes", json!([{ "primitives": [{ "attributes": { "POSITION": square } }] }]));
    bytes.json["buffers"] = json!([{ "byteLength": 48, "uri": "data.bin" }]);
    let error = GlbImport::from_glb(&common::glb(&bytes.json, &bytes.binary)).unwrap_err().explain();
    assert!(error.contains("buffers[0]") && error.contains("single .glb"), "{error}");

    let error = Foreign::new().with("extensionsRequired", json!(["KHR_draco_mesh_compression"])).error();
    assert!(error.contains("KHR_draco_mesh_compression"), "{error}");
    let error = Foreign::new().with("asset", json!({ "version": "3.0" })).error();
    assert!(error.contains("glTF \"3.0\""), "{error}");
    let newer = json!({ "version": "2.0", "extras": { "proscenium": { "format": 2, "when": [] } } });
    let error = Foreign::new().with("asset", newer).error();
    assert!(error.contains("format 2") && error.contains("update proscenium"), "{error}");
    let error = GlbImport::from_glb(b" {\"asset\": {}}").unwrap_err().explain();
    assert!(error.contains("save it as .glb"), "{error}");
}
