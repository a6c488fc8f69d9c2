//! Small clips to look at: motion by formulas, no simulator.
#![allow(
    dead_code,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "each user takes what it needs; only shown, never compared"
)]

use proscenium_clip::glam::{DQuat, DVec3, Quat, Vec3};
use proscenium_clip::{Clip, Material, Mesh, Node, Track};
use proscenium_picture::{Look, Picture, PictureError};
use proscenium_view::Camera;
use proscenium_work::Progress;

/// A picture that nobody stops.
pub fn render(clip: &Clip, time: f32, camera: &Camera, look: &Look) -> Result<Picture, PictureError> {
    let drawn = proscenium_picture::render(clip, time, camera, look, &Progress::none())?;
    Ok(drawn.finished().expect("nobody stops it"))
}

pub fn cuboid(size: Vec3) -> Mesh {
    let h = 0.5 * size;
    let corner = |i: u32| {
        let pick = |bit: u32, half: f32| if i & bit == 0 { -half } else { half };
        [pick(1, h.x), pick(2, h.y), pick(4, h.z)]
    };
    let positions: Vec<[f32; 3]> = (0..8).map(corner).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::flat_shaded(&positions, &triangles).unwrap()
}

fn icosahedron_parts() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let t = 1.618_034;
    let raw = [
        [-1.0, t, 0.0],
        [1.0, t, 0.0],
        [-1.0, -t, 0.0],
        [1.0, -t, 0.0],
        [0.0, -1.0, t],
        [0.0, 1.0, t],
        [0.0, -1.0, -t],
        [0.0, 1.0, -t],
        [t, 0.0, -1.0],
        [t, 0.0, 1.0],
        [-t, 0.0, -1.0],
        [-t, 0.0, 1.0],
    ];
    let triangles = vec![
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    (raw.iter().map(|&p| Vec3::from_array(p).normalize()).collect(), triangles)
}

pub fn icosahedron(radius: f32) -> Mesh {
    let (points, triangles) = icosahedron_parts();
    let positions: Vec<[f32; 3]> = points.iter().map(|p| (*p * radius).to_array()).collect();
    Mesh::flat_shaded(&positions, &triangles).unwrap()
}

pub fn sphere(radius: f32) -> Mesh {
    let (mut points, mut triangles) = icosahedron_parts();
    for _ in 0..4 {
        let mut finer = Vec::new();
        for [a, b, c] in triangles {
            let mut middle = |i: u32, j: u32| {
                points.push((points[i as usize] + points[j as usize]).normalize());
                points.len() as u32 - 1
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    let normals = points.iter().map(|p| p.to_array()).collect();
    let positions = points.iter().map(|p| (*p * radius).to_array()).collect();
    Mesh { name: "sphere".into(), positions, normals, triangles, material: None }
}

/// An upright cylinder around the y axis.
pub fn cylinder(radius: f32, height: f32) -> Mesh {
    let n = 24;
    let ring = |y: f32| {
        (0..n).map(move |i| {
            let angle = i as f32 / n as f32 * std::f32::consts::TAU;
            [radius * angle.cos(), y, radius * angle.sin()]
        })
    };
    let positions: Vec<[f32; 3]> = ring(-0.5 * height).chain(ring(0.5 * height)).collect();
    let mut triangles = Vec::new();
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, i + n, j], [j, i + n, j + n]]);
        if i > 1 {
            triangles.extend([[0, i - 1, i], [n, n + i, n + i - 1]]);
        }
    }
    Mesh::smooth(&positions, &triangles, 0.7).unwrap()
}

pub fn srgb(hex: u32) -> [f32; 3] {
    [hex >> 16, hex >> 8 & 255, hex & 255].map(|x| {
        let x = (x & 255) as f32 / 255.0;
        if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
    })
}

const PALETTE: [u32; 8] = [0xE4572E, 0x29335C, 0xF3A712, 0x669BBC, 0xA8C686, 0x7B4B94, 0x17BEBB, 0xD1495B];

fn track(duration: f64, mut pose: impl FnMut(f64) -> (DVec3, DQuat)) -> Track {
    let steps = 240;
    Track::from_samples((0..=steps).map(|i| {
        let time = duration * f64::from(i) / f64::from(steps);
        let (position, orientation) = pose(time);
        (time, position, orientation)
    }))
    .unwrap()
}

/// A ball that bounces along, with restitution 0.8.
pub fn bouncing_ball() -> Clip {
    let mut clip = Clip::new("bouncing ball");
    let material = clip.add_material(Material::new("ball", srgb(0xE4572E)).with_roughness(0.35));
    let mesh = clip.add_mesh(sphere(0.15).with_material(material));
    let path = track(2.4, |time| {
        let (mut start, mut speed, gravity) = (0.0, 4.0, 9.81);
        while time - start > 2.0 * speed / gravity {
            start += 2.0 * speed / gravity;
            speed *= 0.8;
        }
        let t = time - start;
        let y = 0.15 + speed * t - 0.5 * gravity * t * t;
        (DVec3::new(-1.8 + 1.5 * time, y, 0.0), DQuat::from_rotation_z(-4.0 * time))
    });
    clip.add_node(Node::new("ball").with_mesh(mesh).with_track(path));
    clip
}

/// Coloured icosahedra that drift in a box of glass.
pub fn glass_box(count: usize) -> Clip {
    let mut clip = Clip::new("glass box");
    let side = 2.1;
    let glass = clip.add_material(Material::new("glass", srgb(0x9FC3D8)).with_opacity(0.08).with_roughness(0.05));
    let wall = clip.add_mesh(cuboid(Vec3::splat(side as f32)).with_material(glass));
    clip.add_node(Node::new("box").with_mesh(wall).with_rest(Vec3::Y * 0.5 * side as f32, Quat::IDENTITY));
    let meshes: Vec<usize> = PALETTE
        .iter()
        .map(|&color| {
            let material = clip.add_material(Material::new("paint", srgb(color)).with_roughness(0.45));
            clip.add_mesh(icosahedron(0.1).with_material(material))
        })
        .collect();
    let per_side = (1..).find(|n| n * n * n >= count).unwrap();
    for i in 0..count {
        let noise = |k: usize| ((i * 7919 + k * 104_729) % 1000) as f64 / 1000.0;
        let cell =
            DVec3::new((i % per_side) as f64, (i / per_side % per_side) as f64, (i / per_side / per_side) as f64);
        let start = (cell + 0.5 + DVec3::new(noise(1), noise(2), noise(3)) * 0.5 - 0.25) / per_side as f64;
        let velocity = DVec3::new(noise(4), noise(5), noise(6)) * 1.6 - 0.8;
        let spin = DVec3::new(noise(7), noise(8), noise(9)) * 6.0 - 3.0;
        let room = side - 0.2;
        let path = track(4.0, |time| {
            // A triangle wave is a lossless bounce between two walls.
            let fold = |x: f64| {
                let x = x.rem_euclid(2.0);
                if x > 1.0 { 2.0 - x } else { x }
            };
            let place = start + velocity * time / room;
            let inside = DVec3::new(fold(place.x) - 0.5, fold(place.y), fold(place.z) - 0.5) * room;
            (inside + DVec3::Y * 0.1, DQuat::from_scaled_axis(spin * (time + 1.0)))
        });
        let mesh = meshes[i % meshes.len()];
        clip.add_node(Node::new(format!("body-{i}")).with_mesh(mesh).with_track(path));
    }
    clip
}

/// Newton's cradle: steel balls on threads in a frame of dark metal.
pub fn cradle() -> Clip {
    let mut clip = Clip::new("cradle");
    let steel = clip.add_material(Material::new("steel", srgb(0xD8DADC)).with_metallic(1.0).with_roughness(0.12));
    let dark = clip.add_material(Material::new("frame", srgb(0x2B2D33)).with_roughness(0.3));
    let thread = clip.add_material(Material::new("thread", srgb(0x666666)));
    let wood = clip.add_material(Material::new("wood", srgb(0x8A5A3B)).with_roughness(0.6));
    let (radius, length, half_depth) = (0.1_f32, 0.7_f32, 0.25_f32);
    let ball = clip.add_mesh(sphere(radius).with_material(steel));
    let slant = (length * length + half_depth * half_depth).sqrt();
    let string = clip.add_mesh(cylinder(0.004, slant).with_material(thread));
    let base = clip.add_mesh(cuboid(Vec3::new(1.5, 0.06, 0.8)).with_material(wood));
    let bar = clip.add_mesh(cylinder(0.014, 1.24).with_material(dark));
    let post = clip.add_mesh(cylinder(0.014, 0.94).with_material(dark));
    clip.add_node(Node::new("base").with_mesh(base).with_rest(Vec3::Y * 0.03, Quat::IDENTITY));
    let top = 1.0;
    for (name, z) in [("front", half_depth), ("back", -half_depth)] {
        let lie = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
        clip.add_node(Node::new(format!("bar-{name}")).with_mesh(bar).with_rest(Vec3::new(0.0, top, z), lie));
        for x in [-0.6, 0.6] {
            let place = Vec3::new(x, top - 0.47, z);
            clip.add_node(Node::new(format!("post-{name}-{x}")).with_mesh(post).with_rest(place, Quat::IDENTITY));
        }
    }
    for i in 0..5 {
        let x = f64::from(i - 2) * 2.0 * f64::from(radius);
        let swing = move |time: f64| {
            let phase = (time * 1.1).rem_euclid(2.0);
            let lift = 0.75 * (phase * std::f64::consts::PI).sin();
            DQuat::from_rotation_z(if i == 0 && lift < 0.0 || i == 4 && lift > 0.0 { lift } else { 0.0 })
        };
        let pivot = DVec3::new(x, f64::from(top), 0.0);
        let path = track(3.6, |time| (pivot, swing(time)));
        let arm = clip.add_node(Node::new(format!("arm-{i}")).with_track(path));
        let hang = Vec3::new(0.0, -length, 0.0);
        clip.add_node(Node::new(format!("ball-{i}")).with_parent(arm).with_mesh(ball).with_rest(hang, Quat::IDENTITY));
        for (name, side) in [("front", 1.0), ("back", -1.0)] {
            let lean = Quat::from_rotation_x(side * (half_depth / length).atan());
            let middle = Vec3::new(0.0, -0.5 * length, side * 0.5 * half_depth);
            let node = Node::new(format!("string-{i}-{name}")).with_parent(arm).with_mesh(string);
            clip.add_node(node.with_rest(middle, lean));
        }
    }
    clip
}

/// Dice that tumble onto a table of green felt.
pub fn dice() -> Clip {
    let mut clip = Clip::new("dice");
    let felt = clip.add_material(Material::new("felt", srgb(0x4F7F63)).with_roughness(0.95));
    let table = clip.add_mesh(cuboid(Vec3::new(20.0, 0.02, 20.0)).with_material(felt));
    clip.add_node(Node::new("table").with_mesh(table).with_rest(Vec3::Y * -0.01, Quat::IDENTITY));
    let ivory = clip.add_material(Material::new("ivory", srgb(0xF4EDE0)).with_roughness(0.3));
    let ink = clip.add_material(Material::new("ink", srgb(0x1C1C1F)).with_roughness(0.4));
    let size = 0.16;
    let die = clip.add_mesh(cuboid(Vec3::splat(size)).with_material(ivory));
    let pip = clip.add_mesh(cylinder(0.1 * size, 0.004 * size).with_material(ink));
    for i in 0..5 {
        let angle = f64::from(i) * 1.256;
        let rest = DVec3::new(0.33 * angle.cos(), 0.5 * f64::from(size), 0.33 * angle.sin());
        let flat = DQuat::from_rotation_y(angle * 2.3);
        let path = track(1.6, |time| {
            let left = (1.0 - time / 1.2).max(0.0);
            let height = 0.9 * left * left * (left * 9.0).cos().abs();
            let turn = DQuat::from_scaled_axis(DVec3::new(5.0, 3.0 + f64::from(i), 4.0) * left);
            (rest + DVec3::new(-1.2 * left, height, 0.5 * left), turn * flat)
        });
        let body = clip.add_node(Node::new(format!("die-{i}")).with_mesh(die).with_track(path));
        let up = (Vec3::Y, Vec3::X, Vec3::Z);
        let sides = [up, (Vec3::X, Vec3::Y, Vec3::Z), (Vec3::Z, Vec3::X, Vec3::Y)];
        for (face, (normal, a, b)) in sides.into_iter().enumerate() {
            for (k, &(s, t)) in pips((i as usize + 2 * face) % 6 + 1).iter().enumerate() {
                let place = (normal * 0.501 + (a * s + b * t) * 0.25) * size;
                let node = Node::new(format!("pip-{i}-{face}-{k}")).with_parent(body).with_mesh(pip);
                clip.add_node(node.with_rest(place, Quat::from_rotation_arc(Vec3::Y, normal)));
            }
        }
    }
    clip
}

fn pips(number: usize) -> Vec<(f32, f32)> {
    let corners = [(-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, 0.0), (1.0, 0.0)];
    let mut pips = corners[..number / 2 * 2].to_vec();
    if number % 2 == 1 {
        pips.push((0.0, 0.0));
    }
    pips
}
