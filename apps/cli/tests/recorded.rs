//! Promise: a recorded or baked motion is culled by one command, and what is wrong with a
//! recording is told with what to do.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common;

use std::f64::consts::TAU;
use std::fmt::Write as _;

use common::Folder;
use proscenium_clip::glam::{DQuat, DVec3, Quat, Vec3};
use proscenium_clip::{Clip, Node, Track};
use proscenium_cull::{CompiledModel, Player, Seed};

/// A swing, ten rounds of two seconds, twenty-five times a second.
fn swing() -> String {
    let mut text = String::from("time,swing [deg]\n");
    for index in 0..500 {
        let time = f64::from(index) / 25.0;
        writeln!(text, "{time},{}", 20.0 * libm_sin(TAU * time / 2.0)).unwrap();
    }
    text
}

/// A sine by its series: as smooth as needed, and the same on every platform.
fn libm_sin(x: f64) -> f64 {
    let x = x - TAU * (x / TAU + 0.5).floor();
    let mut term = x;
    let mut sum = x;
    for index in 1..14 {
        term *= -x * x / f64::from(2 * index * (2 * index + 1));
        sum += term;
    }
    sum
}

/// A windmill as Blender bakes it: a key for each of 24 frames a second, one turn of the
/// sails in four seconds, a cap that nods twice, and a tower that stands.
fn windmill() -> Vec<u8> {
    let mut clip = Clip::new("turning");
    let tower = clip.add_node(Node::new("tower"));
    let track = |pose: &dyn Fn(f64) -> (DVec3, DQuat)| {
        let keys = (0..=96).map(|frame| {
            let time = f64::from(frame) / 24.0;
            let (place, turn) = pose(time);
            (time, place, turn)
        });
        Track::from_samples(keys).unwrap()
    };
    let nod = |time: f64| (DVec3::Y * 3.0, DQuat::from_rotation_y(0.1 * libm_sin(TAU * time / 2.0)));
    let cap = clip.add_node(Node::new("cap").with_parent(tower).with_track(track(&nod)));
    let spin = |time: f64| (DVec3::Z * 0.5, DQuat::from_rotation_z(TAU * time / 4.0));
    clip.add_node(Node::new("sails.001").with_parent(cap).with_track(track(&spin)));
    clip.add_node(Node::new("door").with_rest(Vec3::X, Quat::IDENTITY));
    clip.to_glb().unwrap()
}

#[test]
fn a_table_becomes_a_system() {
    let folder = Folder::new();
    folder.write("swing.csv", swing());
    let ran = folder.run("cull --from swing.csv -o swing.cull --strict");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("It is a recorded loop of 2.000 s"), "{}", ran.stdout);
    assert!(folder.exists("swing.html"));
    let culled = CompiledModel::from_bytes(&folder.read("swing.cull")).unwrap();
    assert_eq!(culled.model().name(), "swing");
    // The same file and seed, the same bytes.
    folder.run("cull --from swing.csv -o again.cull --threads 1");
    assert_eq!(folder.read("again.cull"), folder.read("swing.cull"));
}

#[test]
fn a_baked_animation_becomes_a_system_with_parts() {
    let folder = Folder::new();
    folder.write("windmill.glb", windmill());
    let text = "format = 1\nname = \"mill\"\n[[part]]\nname = \"sails\"\nmove = [0, 3, 0.5]\naxis = [0, 0, 1]\n\
        angle = \"sails_001_turn\"\nbox = [2, 0.2, 0.05]\n";
    folder.write("mill.toml", text);
    let ran = folder.run("cull mill.toml --from windmill.glb -o mill.cull");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("a recorded loop of 4.000 s"), "{}", ran.stdout);
    let culled = CompiledModel::from_bytes(&folder.read("mill.cull")).unwrap();
    let names: Vec<&str> = culled.model().outputs().iter().map(|output| output.name.as_str()).collect();
    assert_eq!(names, ["cap_turn", "sails_001_turn"]);
    assert!(culled.bounds().max.y > 4.9, "the sails are two metres long");
    let mut player = Player::new(culled.model(), Seed(1), 0.0);
    let mut turn = |now: f64| {
        let (state, _) = player.see(culled.model(), culled.learned(), now).unwrap();
        let mut shown = Vec::new();
        culled.model().show(&state, now, &[], &mut shown);
        shown[1]
    };
    let (before, after) = (turn(0.5), turn(4001.5));
    // A quarter of a turn, and many whole ones.
    let off = (after - before).abs() - TAU / 4.0;
    let other = (after - before).abs() - 3.0 * TAU / 4.0;
    assert!(off.abs() < 2e-3 || other.abs() < 2e-3, "{before} {after}");
    // One node alone.
    let ran = folder.run("cull --from windmill.glb --node cap -o cap.cull");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

/// The same file with an animation for each node, as some programs write it.
fn parted(glb: &[u8]) -> Vec<u8> {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let mut json: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    let whole = json["animations"][0].clone();
    let channels = whole["channels"].as_array().unwrap();
    let mut nodes: Vec<u64> = channels.iter().map(|one| one["target"]["node"].as_u64().unwrap()).collect();
    nodes.dedup();
    let of_node = |node: &u64| {
        let mut one = whole.clone();
        one["name"] = format!("of-{node}").into();
        let own = channels.iter().filter(|channel| channel["target"]["node"] == *node).cloned().collect();
        one["channels"] = serde_json::Value::Array(own);
        one
    };
    json["animations"] = nodes.iter().map(of_node).collect();
    let mut text = serde_json::to_vec(&json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut parted = glb[..8].to_vec();
    parted.extend((glb.len() as u32 + text.len() as u32 - length as u32).to_le_bytes());
    parted.extend((text.len() as u32).to_le_bytes());
    parted.extend(&glb[16..20]);
    parted.extend(text);
    parted.extend(&glb[20 + length..]);
    parted
}

/// Of a windmill with one animation for its cap and one for its sails only the cap moved.
#[test]
fn animations_of_other_nodes_belong_together() {
    let folder = Folder::new();
    folder.write("windmill.glb", windmill());
    folder.write("parted.glb", parted(&windmill()));
    let summary = |ran: common::CommandRun| {
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        ran.stdout.lines().filter(|line| line.contains("range") || line.contains("period")).collect::<String>()
    };
    let whole = summary(folder.run("cull --from windmill.glb -o whole.cull"));
    assert_eq!(summary(folder.run("cull --from parted.glb -o parted.cull")), whole);
    // One of them may be asked for.
    let cap = summary(folder.run("cull --from parted.glb --animation of-1 -o cap.cull"));
    assert!(cap.contains("cap_turn") && !cap.contains("sails"), "{cap}");
}

#[test]
fn what_is_wrong_with_a_recording_is_told() {
    let folder = Folder::new();
    folder.write("windmill.glb", windmill());
    folder.write("swing.csv", swing());
    let mut wild = String::from("time,x,y\n");
    // Numbers that never come again: a walk of a hundred steps.
    let (mut x, mut y) = (0.0, 0.0);
    let mut word = 12345_u32;
    let mut toss = || {
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(word >> 16) / 65536.0 - 0.5
    };
    for index in 0..300 {
        writeln!(wild, "{},{x},{y}", 0.1 * f64::from(index)).unwrap();
        (x, y) = (x + toss(), y + toss());
    }
    folder.write("wild.csv", wild);
    folder.write("words.csv", "time,x\n0,1\n1,two\n");
    for (arguments, expected) in [
        ("cull --from wild.csv -o a.cull", "are too little of this motion"),
        ("cull --from wild.csv -o a.cull", "help: record about"),
        ("cull --from words.csv -o a.cull", "line 3: `two` is not a number"),
        ("cull --from nothing.csv -o a.cull", "cannot be read"),
        ("cull --from swing.wav -o a.cull", "no recording by its ending"),
        ("cull --from windmill.glb --node sail -o a.cull", "those that move are cap, sails.001"),
        ("cull --from swing.csv --from windmill.glb -o a.cull", "has other channels"),
        ("cull --from swing.csv -o a.cull --module a.js", "a module is made of equations"),
        ("cull -o a.cull", "required"),
    ] {
        let ran = folder.run(arguments);
        assert_ne!(ran.code, Some(0), "{arguments}");
        assert!(ran.stderr.contains(expected), "{arguments}: {}", ran.stderr);
    }
}

/// Needs the real package: `PROSCENIUM_BLENDER` names the Python that has Blender as its
/// module `bpy`, as `cargo xtask test --peers` installs it. Without, the test says so.
#[test]
fn a_windmill_that_blender_baked_comes_around() {
    let Some(python) = std::env::var_os("PROSCENIUM_BLENDER") else {
        println!("skipped: no Blender; run: cargo xtask test --peers");
        return;
    };
    let folder = Folder::new();
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers/blender/windmill.py");
    let baked =
        std::process::Command::new(python).arg(script).arg(folder.path().join("windmill.glb")).output().unwrap();
    assert!(folder.exists("windmill.glb"), "{}", String::from_utf8_lossy(&baked.stderr));
    let ran = folder.run("cull --from windmill.glb -o windmill.cull --strict");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("It is a recorded loop of 3.000 s"), "{}", ran.stdout);
    // Seen again after a hundred rounds and a quarter, it is a quarter further.
    let culled = CompiledModel::from_bytes(&folder.read("windmill.cull")).unwrap();
    let mut player = Player::new(culled.model(), Seed(1), 0.0);
    let mut shown = Vec::new();
    let mut turn = |now: f64| {
        let (state, _) = player.see(culled.model(), culled.learned(), now).unwrap();
        culled.model().show(&state, now, &[], &mut shown);
        shown[0]
    };
    let first = turn(0.0);
    for (now, part) in [(0.75, 0.25), (300.75, 0.25), (602.25, 0.75)] {
        let expected = TAU * part + 0.15 * libm_sin(TAU * part);
        let off = (turn(now) - first).abs().rem_euclid(TAU);
        let off = (off - expected).abs().min((TAU - off - expected).abs());
        assert!(off < 0.01, "{now}: {off}");
    }
}

/// A part may look like a mesh, which stands beside the model; the compiled file has it.
#[test]
fn a_part_looks_like_a_mesh() {
    let folder = Folder::new();
    let mut clip = Clip::new("cabin");
    let mesh = clip.add_mesh(proscenium_clip::shapes::cuboid(Vec3::new(1.0, 2.0, 3.0), 0.0).unwrap());
    clip.add_node(Node::new("cabin").with_mesh(mesh).with_rest(Vec3::new(0.0, 5.0, 0.0), Quat::IDENTITY));
    folder.write("cabin.glb", clip.to_glb().unwrap());
    let model = "format = 1\n[output]\nturn = \"t\"\n[[part]]\nname = \"cabin\"\nmesh = \"cabin.glb\"\n";
    folder.write("ride.toml", model);
    let ran = folder.run("cull ride.toml -o ride.cull");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let culled = CompiledModel::from_bytes(&folder.read("ride.cull")).unwrap();
    let mesh = culled.model().parts()[0].mesh.clone().unwrap();
    assert_eq!(mesh.triangles().len(), 12);
    let bounds = culled.bounds();
    assert!((bounds.max - bounds.min - 1.1 * DVec3::new(1.0, 2.0, 3.0)).length() < 1e-6, "{bounds:?}");
    assert!((0.5 * (bounds.max + bounds.min) - DVec3::new(0.0, 5.0, 0.0)).length() < 1e-6, "{bounds:?}");
    assert!(culled.to_page().unwrap().contains("positions: ["));
    // So may one that follows a recording, which was refused for want of its mesh.
    folder.write("swing.csv", swing());
    folder.write("lamp.toml", "format = 1\n[[part]]\nname = \"lamp\"\nangle = \"swing\"\nmesh = \"cabin.glb\"\n");
    let ran = folder.run("cull lamp.toml --from swing.csv -o lamp.cull");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    // Without the file it is said what is missing.
    folder.write("ride.toml", model.replace("cabin.glb", "cabins.glb"));
    let ran = folder.run("cull ride.toml -o ride.cull");
    assert!(ran.code != Some(0) && ran.stderr.contains("cabins.glb"), "{}", ran.stderr);
}

/// Several systems in one file were refused by the command, which only the library could read.
#[test]
fn several_systems_are_compiled_into_one_file() {
    let folder = Folder::new();
    let lamps = "format = 1\nname = \"lamps\"\n[[system]]\nname = \"wheel\"\n[system.state]\n\
        turn = { angle = true, initial = 0.0 }\n[system.motion]\nturn = 1.5\n[[system]]\nname = \"lamp\"\n\
        [system.inputs]\nto = 0.0\n[system.state]\nglow = { initial = 0.0, range = [-4, 4] }\n[system.motion]\n\
        glow = \"3 (to - glow)\"\n[place.lamp]\nposition = [0, 3, 0]\nreads = { to = \"wheel.turn\" }\n";
    folder.write("lamps.toml", lamps);
    let ran = folder.run("cull lamps.toml -o lamps.cull --quick");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("comes around every 4.189 s") && ran.stdout.contains("lamp "), "{}", ran.stdout);
    assert!(folder.exists("lamps-1.html") && folder.exists("lamps-2.html"));
    let compiled = proscenium_cull::CompiledAssembly::from_bytes(&folder.read("lamps.cull")).unwrap();
    assert_eq!(compiled.systems().count(), 2);
    let ran = folder.run("cull lamps.toml -o lamps.cull --module lamps.js");
    assert!(ran.code != Some(0) && ran.stderr.contains("several systems"), "{}", ran.stderr);
    folder.write("lamps.toml", lamps.replace("wheel.turn", "wheel.turns"));
    let ran = folder.run("cull lamps.toml -o lamps.cull");
    assert!(ran.code != Some(0) && ran.stderr.contains("there is no such output"), "{}", ran.stderr);
}

/// A body that walks on the spot, a step in 0.6 s, as motions for games are baked: it bobs
/// twice in a round, and its legs and shins turn about its side. Another animation stands
/// before it in the file.
fn walker() -> Vec<u8> {
    let mut clip = Clip::new("Walk");
    let track = |pose: &dyn Fn(f64) -> (DVec3, DQuat)| {
        let keys = (0..=36).map(|frame| {
            let time = f64::from(frame) / 30.0;
            let (place, turn) = pose(time);
            (time, place, turn)
        });
        Track::from_samples(keys).unwrap()
    };
    let round = |time: f64, part: f64| libm_sin(TAU * (time / 1.2 + part));
    let bob = |time: f64| (DVec3::Y * (0.9 + 0.02 * libm_sin(TAU * time / 0.6)), DQuat::IDENTITY);
    let hips = clip.add_node(Node::new("hips").with_track(track(&bob)));
    for (side, part, x) in [("L", 0.0, 0.1), ("R", 0.5, -0.1)] {
        let swing = |time: f64| (DVec3::X * x, DQuat::from_rotation_x(0.5 * round(time, part)));
        let leg = clip.add_node(Node::new(format!("leg.{side}")).with_parent(hips).with_track(track(&swing)));
        let bend = |time: f64| (DVec3::Y * -0.45, DQuat::from_rotation_x(0.4 * (1.0 + round(time, part + 0.2))));
        clip.add_node(Node::new(format!("shin.{side}")).with_parent(leg).with_track(track(&bend)));
    }
    let glb = clip.to_glb().unwrap();
    // The text of the file is its first chunk, behind 20 bytes.
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let mut document: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    let standing = serde_json::json!({ "name": "Stand", "channels": [], "samplers": [] });
    document["animations"].as_array_mut().unwrap().insert(0, standing);
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let rest = &glb[20 + length..];
    let mut file = glb[..8].to_vec();
    file.extend((20 + text.len() as u32 + rest.len() as u32).to_le_bytes());
    file.extend((text.len() as u32).to_le_bytes());
    file.extend(&glb[16..20]);
    file.extend(&text);
    file.extend(rest);
    file
}

/// Only the first animation of a file could be had, which of many characters is none that walks.
#[test]
fn a_walk_among_several_animations_is_culled() {
    let folder = Folder::new();
    folder.write("walker.glb", walker());
    let ran = folder.run("cull --from walker.glb --animation Walk -o walker.cull --strict");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("It is a recorded loop of 1.200 s"), "{}", ran.stdout);
    let culled = CompiledModel::from_bytes(&folder.read("walker.cull")).unwrap();
    let names: Vec<&str> = culled.model().outputs().iter().map(|output| output.name.as_str()).collect();
    assert_eq!(names, ["hips_y", "leg_L_turn", "shin_L_turn", "leg_R_turn", "shin_R_turn"]);
    let mut player = Player::new(culled.model(), Seed(1), 0.0);
    let mut shown = Vec::new();
    for now in [0.3, 60.05, 3600.7] {
        let (state, _) = player.see(culled.model(), culled.learned(), now).unwrap();
        culled.model().show(&state, now, &[], &mut shown);
        // However long nobody looked, one leg is as far in front as the other is behind.
        assert!((shown[1].abs() - shown[3].abs()).abs() < 5e-3, "{now}: {shown:?}");
    }
    let ran = folder.run("cull --from walker.glb --animation Run -o walker.cull");
    assert!(ran.code != Some(0) && ran.stderr.contains("those of the file are Stand, Walk"), "{}", ran.stderr);
    let ran = folder.run("cull --from walker.glb -o walker.cull");
    assert_ne!(ran.code, Some(0), "nothing moves in the first: {}", ran.stdout);
}
