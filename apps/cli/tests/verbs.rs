//! Promise: every verb does what its help says, for people and for scripts.

use crate::common;

use common::Folder;

#[test]
fn a_new_scene_can_be_checked_and_simulated_at_once() {
    let folder = Folder::new();
    let ran = folder.run("new table").ok();
    assert_eq!(
        ran.stdout,
        "wrote table.toml, a scene to change as you like. Next:\n  \
         proscenium check table.toml\n  \
         proscenium simulate table.toml -o table.gif\n"
    );
    assert_eq!(folder.list(), ["table.toml"]);
    let checked = folder.run("check table.toml").ok();
    assert!(checked.stdout.starts_with("ok: ") && checked.stderr.is_empty(), "{checked:?}");
    folder.run("simulate table.toml --duration 0.2 -o table.glb").ok();
}

#[test]
fn a_scene_is_not_overwritten_unless_asked() {
    let folder = Folder::new();
    folder.write("table.toml", "mine");
    let ran = folder.run("new table.toml").fails(1);
    assert_eq!(
        ran.stderr,
        "error: table.toml exists already\n = help: choose another name, or replace the file with --force\n\n"
    );
    assert_eq!(folder.read("table.toml"), b"mine");
    let ran = folder.run("new table --force --json").ok();
    assert_eq!(ran.json(), serde_json::json!({ "wrote": "table.toml" }));
    assert_ne!(folder.read("table.toml"), b"mine");
    assert_eq!(folder.run("new table --force --quiet").ok().stdout, "");
}

#[test]
fn names_that_make_no_file_are_refused() {
    let folder = Folder::new();
    for name in [".", "..", ".toml", "a\nb", "missing/table"] {
        let ran = common::CommandRun::from(folder.command(["new", name]).output().unwrap());
        assert_eq!(ran.code, Some(1), "{name:?}: {ran:?}");
    }
    assert_eq!(folder.list(), [""; 0]);
}

#[test]
fn built_in_scenes_are_listed_with_their_parameters() {
    let folder = Folder::new();
    let text = folder.run("scenes").ok().stdout;
    let json = folder.run("scenes --json").ok().json();
    let scenes = json["scenes"].as_array().unwrap();
    for name in ["bounce", "break", "cradle", "dice", "hourglass", "pins"] {
        assert!(scenes.iter().any(|scene| scene["name"] == name), "{name}");
        assert!(text.lines().any(|line| line.split_whitespace().next() == Some(name)), "{name}: {text}");
    }
    for scene in scenes {
        assert!(text.contains(scene["summary"].as_str().unwrap()));
        for parameter in scene["parameters"].as_array().unwrap() {
            assert!(text.contains(&format!("--set {}=", parameter["name"].as_str().unwrap())));
            assert!(parameter["min"].as_f64() <= parameter["default"].as_f64(), "{parameter}");
        }
    }
    assert!(!text.contains('\x1b'), "no colours into a pipe");
}

#[test]
fn a_built_in_scene_can_be_printed_changed_and_run_as_a_file() {
    let folder = Folder::new();
    let toml = folder.run("scenes show box --set n=8").ok().stdout;
    folder.write("my-box.toml", &toml);
    let json = folder.run("check my-box.toml --json").ok().json();
    assert_eq!(json["ok"], true);
    // Eight bodies, and the six walls.
    assert_eq!(json["bodies"], 14, "{json}");
    folder.run("simulate box --set n=8 --duration 0.5 -o a.glb").ok();
    folder.run("simulate my-box.toml --duration 0.5 -o b.glb").ok();
    assert!(folder.read("a.glb") == folder.read("b.glb"), "the printed scene is the same scene");
    assert_eq!(folder.run("scenes show box --set n=8 --json").ok().json()["toml"], toml);
}

#[test]
fn every_built_in_scene_is_right_and_runs() {
    let folder = Folder::new();
    for scene in folder.run("scenes --json").ok().json()["scenes"].as_array().unwrap() {
        let name = scene["name"].as_str().unwrap();
        assert!(folder.run(&format!("check {name}")).ok().stdout.starts_with("ok: "), "{name}");
        let json = folder.run(&format!("simulate {name} --duration 0.05 --json")).ok().json();
        assert_eq!(json["scene"], name);
        assert!((json["simulated_seconds"].as_f64().unwrap() - 0.05).abs() < 1e-12, "{json}");
    }
}

#[test]
fn without_an_output_a_run_ends_with_figures_and_a_hint() {
    let ran = Folder::new().run("simulate cradle --duration 2").ok();
    assert!(ran.stdout.starts_with("  2 s simulated in ") && ran.stdout.ends_with("· seed 1\n"), "{ran:?}");
    assert!(ran.stdout.contains("× real time") && ran.stdout.contains(" collisions"), "{ran:?}");
    assert_eq!(ran.stderr, "nothing was written: add -o NAME.glb (or .png, .gif, .json) to keep it\n");
    let quiet = Folder::new().run("simulate cradle --duration 2 --quiet").ok();
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
}

#[test]
fn what_was_written_is_said_with_its_size() {
    let folder = Folder::new();
    let ran = folder.run("simulate cradle --duration 0.5 -o a.glb -o picture.png --size 64x36 --at 0.25").ok();
    let lines: Vec<&str> = ran.stdout.lines().skip(1).collect();
    assert!(lines[0].starts_with("  a.glb        ") && lines[0].contains(" kB  an animation of "), "{ran:?}");
    assert!(
        lines[1].starts_with("  picture.png  ") && lines[1].ends_with("B   a picture at 0.25 s")
            || lines[1].ends_with("B  a picture at 0.25 s"),
        "{ran:?}"
    );
    assert_eq!(ran.stderr, "");
}

#[test]
fn collisions_are_listed_for_people_and_scripts() {
    let folder = Folder::new();
    let json = folder.run("simulate cradle --duration 2 --contacts --json").ok().json();
    let contacts = json["contacts"].as_array().unwrap();
    assert_eq!(contacts.len() as u64, json["collisions"].as_u64().unwrap());
    assert!(!contacts.is_empty());
    let times: Vec<f64> = contacts.iter().map(|contact| contact["time"].as_f64().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
    let text = folder.run("simulate cradle --duration 2 --contacts").ok().stdout;
    assert!(text.lines().next().unwrap().contains("speed (m/s)"), "{text}");
    assert_eq!(text.lines().count(), contacts.len() + 2, "a heading, the collisions, the figures: {text}");
    assert!(folder.run("simulate cradle --duration 2 --json").ok().json().get("contacts").is_none());
}

#[test]
fn a_variable_of_a_file_can_be_fixed() {
    let folder = Folder::new();
    folder.write("ball.toml", BALL);
    let drawn = folder.run("simulate ball.toml --json").ok().json();
    let speed = drawn["values"]["speed"].as_f64().unwrap();
    assert!((1.0..=3.0).contains(&speed), "{drawn}");
    let mut hashes = Vec::new();
    for arguments in [format!("--set speed={speed}"), "--set speed=2.5".to_owned(), String::new()] {
        hashes.push(folder.run(&format!("simulate ball.toml --json {arguments}")).ok().json()["state_hash"].clone());
    }
    assert_eq!(hashes[0], hashes[2], "fixed at what was drawn, nothing changes");
    assert_ne!(hashes[0], hashes[1]);
}

#[test]
fn the_schema_is_a_schema() {
    let json = Folder::new().run("schema").ok().json();
    assert!(json["$schema"].as_str().unwrap().contains("json-schema.org"), "{json}");
    assert!(json["properties"]["body"].is_object() && json["properties"]["format"].is_object());
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = Folder::new().run(&format!("completions {shell}")).ok().stdout;
        assert!(script.contains("proscenium") && script.contains("simulate"), "{shell}");
    }
    Folder::new().run("completions tcsh").fails(2);
}

const BALL: &str = r#"format = 1
duration = 1.0

[variables]
speed = { uniform = [1.0, 3.0] }

[materials.rubber]
density = 1100.0
restitution = 0.8
friction = 0.5

[[body]]
name = "floor"
fixed = true
shape = { half_space = [0.0, 1.0, 0.0] }
material = "rubber"

[[body]]
name = "ball"
shape = { sphere = 0.1 }
material = "rubber"
position = [0.0, 1.0, 0.0]
velocity = ["speed", 0.0, 0.0]
"#;

#[test]
fn check_refuses_what_direct_refuses() {
    let folder = Folder::new();
    let die = include_str!("../../../crates/scenes/tests/scenes/die.toml");
    let want = |face: u32| format!("[[want]]\nbody = \"die\"\nface_up = {face}\n");
    folder.write("both.toml", format!("{die}\n{}{}", want(1), want(6)));
    folder.write(
        "unread.toml",
        format!(
            "{}\n{}",
            die.replace("[materials.bone]", "[variables]\nlost = { normal = [0, 1] }\n[materials.bone]"),
            want(6)
        ),
    );
    for (file, message) in [("both.toml", "exclude each other"), ("unread.toml", "nothing reads the variable \"lost\"")]
    {
        for verb in ["check both.toml", "direct both.toml -o out --samples 1"] {
            let ran = folder.run(&verb.replace("both.toml", file));
            assert!(ran.code == Some(2) || ran.code == Some(1), "{ran:?}");
            assert!(ran.stderr.contains(message), "{verb} {file}: {ran:?}");
        }
    }
}
