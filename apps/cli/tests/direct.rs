//! Promise: `direct` writes animations that meet the wants and says how it went;
//! the same seed gives the same gallery for any number of threads; a run that is
//! killed at any moment loses no sample and goes on to the same chain.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common;

use std::process::Stdio;
use std::time::Duration;

use common::{CommandRun, Folder};
use proscenium_chance::Seed;
use proscenium_clip::Clip;
use proscenium_gallery::{Entry, Gallery};

const DIE: &str = include_str!("../../../crates/scenes/tests/scenes/die.toml");
const WANT: &str = "\n[[want]]\nbody = \"die\"\nface_up = 6\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("die.toml", format!("{DIE}{WANT}"));
    folder
}

fn entries(folder: &Folder, name: &str) -> Vec<Entry> {
    Gallery::open(folder.path().join(name).join("gallery.sqlite")).unwrap().entries().unwrap()
}

#[test]
fn animations_are_written_and_told() {
    let folder = folder();
    let ran = folder.run("direct die.toml --samples 3 -o out --json").ok();
    let json = ran.json();
    assert_eq!((&json["ended"], &json["ordered"]), (&"enough".into(), &3.into()), "{json}");
    assert_eq!(json["wants"], serde_json::json!(["die shows 6"]));
    assert!(json["method"].as_str().unwrap().contains("drawing until it fits"), "{json}");
    for sample in json["samples"].as_array().unwrap() {
        let name = format!("out/{}", sample["file"].as_str().unwrap());
        let clip = Clip::from_glb(&folder.read(&name)).unwrap();
        let die = clip.node("die").unwrap();
        // Six is opposite of one, which is +y.
        let up = clip.world_from_node(die, clip.duration_secs).unwrap().y_axis;
        assert!(up.y < -0.96, "{name}: {up}");
        assert_eq!(sample["wants_met"], serde_json::json!([true]));
    }
    for file in ["sheet.png", "sheet.gif", "traces.json", "gallery.sqlite"] {
        assert!(folder.exists(&format!("out/{file}")), "{file}");
    }
    assert!(String::from_utf8(folder.read("out/traces.json")).unwrap().contains("wants_met"));

    // People are told the same, and how to go on; which then works.
    let text = folder.run("direct die.toml --samples 3 -o out --no-pictures").ok();
    assert!(text.stdout.starts_with("  3 of 3 found · ") && text.stdout.contains("● die shows 6"), "{text:?}");
    assert!(text.stdout.contains("two animations differ if"), "{text:?}");
    assert!(text.stderr.contains("chance of success in one simulation about"), "{text:?}");
    let more = folder.run("direct --resume out --samples 40 --no-pictures --json").ok().json();
    assert_eq!(more["samples"].as_array().unwrap().len(), 40);
    assert!(folder.exists("out/40.glb"));
    assert_eq!(folder.run("direct die.toml --samples 3 -o quiet --no-pictures --quiet").ok().stdout, "");
}

#[test]
fn a_gallery_can_be_looked_at() {
    let folder = folder();
    folder.run("direct die.toml --samples 2 -o out --no-pictures").ok();
    let list = folder.run("gallery out --json").ok().json();
    let count = list["samples"].as_array().unwrap().len();
    assert!(count >= 2 && list["samples"][0]["number"] == 1, "{list}");
    let text = folder.run("gallery out list").ok().stdout;
    assert!(text.contains("found by") && text.contains("rejection") && text.contains("● die shows 6"), "{text}");
    let shown = folder.run("gallery out show 1 --json").ok().json();
    assert_eq!(shown["values"].as_object().unwrap().len(), 7, "{shown}");
    folder.run("gallery out export 2 -o two.glb -o two.png").ok();
    assert!(folder.exists("two.glb") && folder.exists("two.png"));
    folder.run("gallery out plot -o trace.svg").ok();
    assert!(folder.read("trace.svg").starts_with(b"<svg"));
    folder.run("gallery out traces -o traces.json").ok();
    assert_eq!(folder.read("traces.json"), folder.read("out/traces.json"));
    folder.run("gallery out traces -o traces.zarr").ok();
    assert!(folder.exists("traces.zarr/.zmetadata") && folder.exists("traces.zarr/posterior/.zgroup"));
    let ran = folder.run("gallery out traces -o traces.zarr").fails(1);
    assert!(ran.stderr.contains("exists already"), "{ran:?}");
    let ran = folder.run("gallery out show 999").fails(1);
    assert!(ran.stderr.contains("there is no sample 999"), "{ran:?}");
    let ran = folder.run("gallery nowhere").fails(1);
    assert!(ran.stderr.contains("there is no gallery at nowhere"), "{ran:?}");
}

#[test]
fn a_want_that_cannot_be_met_is_told_with_what_came_closest() {
    let folder = folder();
    let want = "die rests near 9 9 within 0.01";
    let arguments = ["direct", "die.toml", "--want", want, "-o", "out", "--budget", "500", "--no-pictures"];
    let ran = CommandRun::from(folder.command(arguments).output().unwrap()).fails(1);
    assert!(ran.stdout.starts_with("  0 of 8 found"), "{ran:?}");
    assert!(ran.stdout.contains("● die shows 6") && ran.stdout.contains("○ die near 9 9"), "{ran:?}");
    assert!(ran.stdout.contains("stands in the way: met in 0 of"), "{ran:?}");
    assert!(folder.exists("out/closest.glb"));
}

#[test]
fn mistakes_are_told_with_a_remedy() {
    let folder = folder();
    let run = |wants: &str, more: &str| {
        let mut command = folder.command(["direct", "die.toml", "-o", "out", "--no-pictures", "--want", wants]);
        CommandRun::from(command.args(more.split_whitespace()).output().unwrap())
    };
    let ran = run("dye shows 6", "").fails(1);
    assert!(ran.stderr.contains("there is no body \"dye\"") && ran.stderr.contains("did you mean \"die\"?"), "{ran:?}");
    let ran = run("die jumps", "").fails(1);
    assert!(ran.stderr.contains("is not understood") && ran.stderr.contains("BODY shows 6"), "{ran:?}");
    assert!(!folder.exists("out"), "no folder is made for what cannot be directed");
    assert!(folder.run("direct cradle -o out").fails(1).stderr.contains("nothing is wanted of the scene"));
    run("die hits table", "--samples 1").ok();
    let ran = run("die hits table", "--samples 1 --seed 2").fails(1);
    assert!(ran.stderr.contains("holds a run with another seed"), "{ran:?}");
    assert!(folder.run("direct --resume nowhere").fails(1).stderr.contains("there is no gallery"));
    let ran = folder.run("direct bowling --pins 7,11 --want fall -o out").fails(1);
    assert!(ran.stderr.contains("there is no pin \"11\" to set up"), "{ran:?}");
    folder.run("direct die.toml").fails(2);
    folder.run("direct die.toml -o out --budget soon").fails(2);
}

#[test]
fn threads_do_not_change_the_gallery() {
    let folder = folder();
    for threads in ["1", "3"] {
        let run =
            format!("direct die.toml -o t{threads} --threads {threads} --samples 4 --method tempering --no-pictures");
        folder.run(&run).ok();
    }
    let found = entries(&folder, "t1");
    assert!(found.len() >= 4);
    assert_eq!(found, entries(&folder, "t3"));
    for file in ["01.glb", "04.glb", "traces.json"] {
        assert!(folder.read(&format!("t1/{file}")) == folder.read(&format!("t3/{file}")), "{file}");
    }
}

#[test]
fn twenty_kills_lose_nothing_and_change_nothing() {
    let folder = folder();
    let arguments = |name: &str| {
        format!("direct die.toml -o {name} --method chain --samples 100 --no-pictures")
            .split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let mut moments = Seed(8).stream("moments");
    let mut before: Vec<Entry> = Vec::new();
    for _ in 0..20 {
        let mut child =
            folder.command(arguments("killed")).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_secs_f64(0.4 * moments.uniform()));
        child.kill().unwrap();
        child.wait().unwrap();
        let path = folder.path().join("killed/gallery.sqlite");
        if let Ok(gallery) = Gallery::open(path) {
            let now = gallery.entries().unwrap();
            assert!(now.len() >= before.len() && now[..before.len()] == before, "samples were lost");
            before = now;
        } else {
            assert!(before.is_empty());
        }
    }
    assert!(CommandRun::from(folder.command(arguments("killed")).output().unwrap()).code == Some(0));
    assert!(CommandRun::from(folder.command(arguments("whole")).output().unwrap()).code == Some(0));
    let whole = entries(&folder, "whole");
    assert!(whole.len() >= 200);
    assert_eq!(entries(&folder, "killed"), whole);
    assert!(folder.read("killed/traces.json") == folder.read("whole/traces.json"));
}

/// A die, and another that is dropped later: of the first nothing is left after a while, of the
/// second everything is.
#[test]
fn more_is_had_of_what_was_found() {
    const LATER: &str = "\n[[body]]\nname = \"late\"\nshape = { box = [0.02, 0.02, 0.02] }\n\
                         position = [{ normal = [0.3, 0.02] }, 0.2, 0]\norientation = \"uniform\"\nstart = 0.5\n";
    let folder = Folder::new();
    folder.write("dice.toml", format!("{DIE}{LATER}{WANT}"));
    folder.run("direct dice.toml --samples 3 -o out --no-pictures").ok();
    let values = |name: &str, number: usize| {
        let json = folder.run(&format!("gallery {name} show {number} --json")).ok().json();
        json["values"].as_object().unwrap().clone()
    };
    let listed: serde_json::Value = serde_json::from_slice(&folder.read("out/animations.json")).unwrap();
    assert_eq!(listed[1]["name"], "02");
    let at = values("out", listed[1]["number"].as_u64().unwrap() as usize);

    let kept = folder.run("direct --keep out/02 --until 0.4 --samples 2 -o kept --no-pictures").ok();
    assert!(kept.stderr.contains("the same until 0.4 s; drawn anew: late.position.x"), "{kept:?}");
    let drawn = values("kept", 1);
    let same = |key: &str| drawn[key] == at[key];
    assert!(drawn.keys().filter(|key| key.starts_with("die.")).all(|key| same(key)), "{drawn:?}");
    assert!(!same("late.position.x"));
    // The run goes on as it was begun, and cannot be taken for another.
    let more = folder.run("direct --resume kept --samples 4 --no-pictures --json").ok().json();
    assert_eq!(more["samples"].as_array().unwrap().len(), 4);
    assert!(values("kept", 3).iter().filter(|(key, _)| key.starts_with("die.")).all(|(key, value)| *value == at[key]));
    let other = folder.run("direct --keep out/02 --until 0.3 --samples 2 -o kept --no-pictures").fails(1);
    assert!(other.stderr.contains("another beginning"), "{other:?}");

    let late = folder.run("direct --keep out/02 --until 0.6 --samples 2 -o none").fails(1);
    assert!(
        late.stderr.contains("nothing is left") && late.stderr.contains("--push") && late.stderr.contains("--near")
    );
    assert!(!folder.exists("none"));
    let push = "direct --keep out/02 --until 0.6 --push late=0.0002 --samples 2 -o pushed --no-pictures";
    let pushed = folder.run(push).ok();
    assert!(pushed.stderr.contains("drawn anew: late.pushes.1.impulse.x"), "{pushed:?}");

    folder.run("direct --like out/01 --hold late --samples 2 -o alike --no-pictures").ok();
    let bred = folder.run("direct --breed out/01,out/02 --samples 2 -o bred --no-pictures --json").ok().json();
    assert_eq!(bred["samples"].as_array().unwrap().len(), 2);
    let fair = folder.run("direct --breed out/01,out/02 --pick likely -o fair").fails(1);
    assert!(fair.stderr.contains("found by a search"), "{fair:?}");
    let missing = folder.run("direct --like out/09 -o nothing").fails(1);
    assert!(missing.stderr.contains("there is no animation 09 in out"), "{missing:?}");
}
