//! Promise: `proscenium lod` keeps its budget, says what it did, and explains
//! what is wrong with a mesh, a name or an answer.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common;

use common::Folder;

const SMALL: &str = "--count 8 --depth 3 --duration 0.3";

#[test]
fn a_scene_runs_within_its_budget() {
    let folder = Folder::new();
    let ran = folder.run(&format!("lod jacks {SMALL} --budget 30000 --json -o jacks.glb -o jacks.json")).ok();
    let report = ran.json();
    assert_eq!((report["bodies"].as_u64(), report["frames"].as_u64()), (Some(8), Some(18)));
    assert!(report["most_spent"].as_u64().unwrap() <= 30_000);
    assert_eq!(&folder.read("jacks.glb")[..4], b"glTF");
    // The same seed gives the same bytes.
    folder.run(&format!("lod jacks {SMALL} --budget 30000 -o again.glb")).ok();
    assert_eq!(folder.read("jacks.glb"), folder.read("again.glb"));
    let text = folder.run(&format!("lod tori {SMALL} --budget 5ms --schedule eccentricity --gaze 0.2,0.8")).ok();
    assert!(text.stdout.contains("the longest frame took"), "{}", text.stdout);
}

#[test]
fn a_tree_is_measured_drawn_and_kept() {
    let folder = Folder::new();
    let ran = folder.run("lod tree l-shape --depth 3 --kind mixed -o l.png --save l.lod").ok();
    assert!(ran.stdout.contains("Hausdorff") && ran.stdout.contains("8 surface groups"), "{}", ran.stdout);
    assert_eq!(ran.stdout.lines().filter(|line| line.contains('%')).count(), 4, "{}", ran.stdout);
    assert_eq!(&folder.read("l.png")[1..4], b"PNG");
    assert!(folder.read("l.lod").starts_with(b"proscenium lod 2 "));
}

#[test]
fn meshes_are_mended_or_refused_with_the_reason() {
    let folder = Folder::new();
    let corner = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    folder.write("open.obj", format!("{corner}f 1 3 2\nf 1 2 4\nf 1 4 3\n"));
    let ran = folder.run("lod tree open.obj --depth 2").ok();
    assert!(ran.stderr.contains("1 holes filled"), "{ran:?}");
    folder.write("flat.obj", format!("{corner}f 1 2 3\n"));
    assert!(folder.run("lod tree flat.obj").fails(1).stderr.contains("no volume"));
    folder.write("none.obj", corner);
    assert!(folder.run("lod --mesh none.obj").fails(1).stderr.contains("no triangles"));
    assert!(folder.run("lod --mesh missing.obj").fails(1).stderr.contains("cannot be read"));
}

#[test]
fn unknown_names_are_told_what_there_is() {
    let folder = Folder::new();
    for (command, known) in [
        ("lod teapots", "knots"),
        ("lod knots --schedule tarot", "perceptual"),
        ("lod knots --reduction magic", "weighted-groups"),
        ("lod knots --kind fractal", "adaptive"),
        ("lod tree teapot", "torus"),
        ("lod study taste -o x", "causality"),
    ] {
        let ran = folder.run(command).fails(1);
        assert!(ran.stderr.contains(known), "{command}: {ran:?}");
    }
    for command in ["lod", "lod knots --budget soon", "lod knots --gaze 3,1", "lod knots --depth 9", "lod study gap"] {
        folder.run(command).fails(2);
    }
}

#[test]
fn clicks_are_analysed() {
    let folder = Folder::new();
    let mut answers = String::from("participant,condition,rating,clicks\n");
    for participant in 1..=5 {
        for condition in 1..=12 {
            // The last three are those in which chance took the place of the gaze.
            let clicks = if condition > 9 { 8 + participant } else { 2 + (participant + condition) % 2 };
            answers += &format!("{participant},{condition},{},{clicks}\n", 1.0 + 0.7 * f64::from(participant % 3));
        }
    }
    folder.write("gaze.csv", answers);
    let report = folder.run("lod study gaze -o found --analyse gaze.csv --json").ok().json();
    let effects = report["effects"].as_array().unwrap();
    let named = |name: &str| effects.iter().find(|effect| effect["name"] == name).unwrap();
    let contrast = named("clicks: tracked against random, objects 15");
    assert!(contrast["p"].as_f64().unwrap() < 0.01 && contrast["means"][0].as_f64() < contrast["means"][1].as_f64());
    assert!(named("tracked against random")["means"].as_array().unwrap().len() == 2, "{report}");
    for figure in ["objects-by-simulation", "clicks-objects-by-simulation"] {
        let drawn = String::from_utf8(folder.read(&format!("found/gaze-{figure}.svg"))).unwrap();
        assert!(drawn.contains("tracked") && drawn.contains("random"), "{figure}");
    }
}

#[test]
fn answers_are_analysed() {
    let folder = Folder::new();
    let mut answers = String::from("participant,condition,rating\n");
    for participant in 1..=4 {
        for condition in 1..=27 {
            // Those who see the coarse level mind it; each a little differently.
            let rating =
                if condition <= 9 { 3.0 - 0.1 * f64::from(participant) } else { 1.0 + 0.01 * f64::from(condition) };
            answers += &format!("{participant},{condition},{rating}\n");
        }
    }
    folder.write("answers.csv", answers);
    let ran = folder.run("lod study gap -o found --analyse answers.csv --json").ok();
    let report = ran.json();
    assert!(report["effects"][0]["p"].as_f64().unwrap() < 0.001, "{report}");
    assert!(String::from_utf8(folder.read("found/gap-level.svg")).unwrap().starts_with("<svg"));
    // Level by level, as in figures 6.7b and 6.8.
    let names = report["effects"].as_array().unwrap().iter().map(|effect| effect["name"].as_str().unwrap());
    assert!(names.clone().any(|name| name == "viewpoint at level coarse"), "{report}");
    for figure in ["viewpoint-by-level", "speed-by-level"] {
        let drawn = String::from_utf8(folder.read(&format!("found/gap-{figure}.svg"))).unwrap();
        assert!(["coarse", "middle", "fine"].iter().all(|level| drawn.contains(level)), "{figure}");
    }
    folder.write("wrong.csv", "participant,condition,rating\n1,1,17\n");
    assert!(folder.run("lod study gap -o found --analyse wrong.csv").fails(1).stderr.contains("line 2"));
}
