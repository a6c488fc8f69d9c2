//! Clips and files that several tests use.

#![allow(dead_code, reason = "each test uses a part")]
#![allow(clippy::unwrap_used, reason = "only tests call this")]

use proscenium_clip::glam::{DQuat, DVec3, EulerRot, Quat, Vec3};
use proscenium_clip::{Clip, GlbAdditions, Key, Material, Mesh, Morph, MorphTarget, Node, Track, shapes};

/// A `.glb` file around JSON and binary data.
pub fn glb(json: &serde_json::Value, binary: &[u8]) -> Vec<u8> {
    let mut json = serde_json::to_vec(json).unwrap();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut file = b"glTF".to_vec();
    let length = 12 + 8 + json.len() + if binary.is_empty() { 0 } else { 8 + binary.len() };
    file.extend(2u32.to_le_bytes());
    file.extend((length as u32).to_le_bytes());
    file.extend((json.len() as u32).to_le_bytes());
    file.extend(b"JSON");
    file.extend(json);
    if !binary.is_empty() {
        file.extend((binary.len() as u32).to_le_bytes());
        file.extend(b"BIN\0");
        file.extend(binary);
    }
    file
}

/// A tumbling flight at irregular times.
pub fn flight(keys: u32, phase: f64) -> Track {
    Track::from_samples((0..keys).map(|index| {
        let time = 0.01 * f64::from(index) + 0.003 * libm::sin(f64::from(index));
        let place = DVec3::new(time, 1.0 + libm::sin(3.0 * time + phase), libm::cos(2.0 * time));
        let turn = DQuat::from_euler(EulerRot::YXZ, 4.0 * time + phase, time, 0.5 * time);
        (time.max(0.0), place, turn)
    }))
    .unwrap()
}

pub fn position_only(keys: u32) -> Track {
    let mut track = flight(keys, 0.0);
    for key in &mut track.keys {
        key.orientation = Quat::from_rotation_y(0.5);
    }
    track
}

/// A triangle mesh of more vertices than 16 bits can count.
fn large_mesh() -> Mesh {
    shapes::grid(10.0, 10.0, 260).unwrap().with_name("terrain")
}

/// Named clips that together use everything a clip can hold.
pub fn clips() -> Vec<(&'static str, Clip)> {
    vec![
        ("hierarchy", hierarchy()),
        ("long", long()),
        ("single-keys", single_keys()),
        ("still", still()),
        ("held", held()),
        ("nothing", Clip::new("nothing")),
        ("unicode", unicode()),
    ]
}

/// A carousel: parents, scale, materials, opacity, shared meshes and times.
fn hierarchy() -> Clip {
    let mut clip = Clip::new("carousel");
    let wood = clip.add_material(Material::new("wood", [0.5, 0.3, 0.1]).with_roughness(0.9));
    let glass = clip.add_material(Material::new("glass", [0.8, 0.9, 1.0]).with_opacity(0.25).with_roughness(0.05));
    let steel = clip.add_material(Material::new("steel", [0.6, 0.6, 0.62]).with_metallic(1.0));
    let deck = clip.add_mesh(shapes::cylinder(2.0, 0.2, 48).unwrap().with_material(wood));
    let dome = clip.add_mesh(shapes::uv_sphere(0.5, 24, 12).unwrap().with_material(glass));
    let pole = clip.add_mesh(shapes::capsule(0.05, 2.0, 16).unwrap().with_material(steel));
    let die = clip.add_mesh(shapes::cuboid(Vec3::splat(0.4), 0.05).unwrap());
    let root = clip.add_node(Node::new("deck").with_mesh(deck).with_track(flight(300, 0.0)));
    for index in 0..4u8 {
        let angle = f32::from(index) * 1.5;
        let pole = clip.add_node(
            Node::new(format!("pole {index}"))
                .with_parent(root)
                .with_mesh(pole)
                .with_rest(Vec3::new(libm::cosf(angle), 1.0, libm::sinf(angle)), Quat::from_rotation_y(angle)),
        );
        let horse = Node::new(format!("horse.{index}"))
            .with_parent(pole)
            .with_mesh(if index % 2 == 0 { dome } else { die })
            .with_scale(Vec3::new(1.0, 0.5 + 0.1 * f32::from(index), 2.0));
        clip.add_node(if index < 3 { horse.with_track(flight(300, f64::from(index))) } else { horse });
    }
    clip
}

fn long() -> Clip {
    let mut clip = Clip::new("long");
    let terrain = clip.add_mesh(large_mesh());
    let ball = clip.add_mesh(shapes::ico_sphere(0.3, 3).unwrap());
    clip.add_node(Node::new("terrain").with_mesh(terrain));
    clip.add_node(Node::new("ball").with_mesh(ball).with_track(flight(20_000, 1.0)));
    clip.add_node(Node::new("slider").with_mesh(ball).with_track(position_only(20_000)));
    clip
}

fn single_keys() -> Clip {
    let mut clip = Clip::new("single keys");
    let ball = clip.add_mesh(shapes::ico_sphere(0.3, 1).unwrap());
    let key = |time| Key::new(time, Vec3::new(0.1, 0.2, 0.3), Quat::from_rotation_z(0.3));
    clip.add_node(Node::new("at zero").with_mesh(ball).with_track(Track { keys: vec![key(0.0)] }));
    clip.add_node(Node::new("later").with_mesh(ball).with_track(Track { keys: vec![key(1.5)] }));
    clip
}

fn still() -> Clip {
    let mut clip = Clip::new("still");
    let box_mesh = clip.add_mesh(shapes::cuboid(Vec3::new(1.0, 2.0, 3.0), 0.0).unwrap());
    clip.add_node(Node::new("box").with_mesh(box_mesh));
    clip.duration_secs = 5.0;
    clip
}

/// Goes on for longer than its keys, in each of the ways that can happen.
fn held() -> Clip {
    let mut clip = Clip::new("held");
    clip.add_node(Node::new("slider").with_track(position_only(10)));
    clip.add_node(Node::new("tumbler").with_track(flight(12, 0.0)));
    clip.duration_secs = 2.5;
    clip
}

fn unicode() -> Clip {
    let mut clip = Clip::new("Würfel – 骰子 🎲");
    let red = clip.add_material(Material::new("rouge foncé", [0.5, 0.0, 0.02]));
    let die = clip.add_mesh(shapes::cuboid(Vec3::splat(0.016), 0.001).unwrap().with_name("кубик").with_material(red));
    for name in ["骰子 1", "骰子 2", "a\"b\\c/d\u{1}", "  "] {
        clip.add_node(Node::new(name).with_mesh(die).with_track(flight(5, 0.0)));
    }
    clip
}

/// A cuboid that bends in two ways while it moves.
pub fn waving() -> (Clip, GlbAdditions) {
    let mut clip = Clip::new("waving");
    let mesh = clip.add_mesh(shapes::cuboid(Vec3::new(1.0, 0.6, 0.01), 0.0).unwrap().with_name("flag"));
    let key = |time, angle| Key::new(time, Vec3::new(0.0, time, 0.0), Quat::from_rotation_y(angle));
    let track = Track { keys: vec![key(0.0, 0.0), key(2.0, 0.5)] };
    let node = clip.add_node(Node::new("flag").with_mesh(mesh).with_track(track));
    let target = |name: &str, scale: f32| MorphTarget {
        name: name.to_owned(),
        offsets: clip.meshes[mesh].positions.iter().map(|[x, y, z]| [0.0, scale * z, scale * x * y]).collect(),
    };
    let targets = vec![target("wave", 0.3), target("ripple", -0.1)];
    let morph = Morph { node, targets, times: vec![0.0, 1.0, 2.0], weights: vec![0.0, 0.25, 1.0, 0.5, 0.0, 1.0] };
    let coordinates = (0u8..).map(|index| [f32::from(index) / 64.0, 0.5]).take(clip.meshes[mesh].positions.len());
    let texture_coordinates = [(mesh, coordinates.collect())].into();
    (clip, GlbAdditions { morphs: vec![morph], texture_coordinates })
}
