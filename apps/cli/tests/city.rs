//! Promise: cities are made, imported and shown, the same from the same seed,
//! and what is wrong is said with its remedy.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common;

use common::Folder;

const COLOGNE: &str = include_str!("../../../crates/city/tests/data/cologne8.net.xml");

#[test]
fn a_city_is_generated_and_shown() {
    let folder = Folder::new();
    let ran = folder.run("city generate --roads 60 --seed 3 -o town.city").ok();
    assert!(ran.stdout.contains("all-way stops") && ran.stdout.contains("wrote town.city"), "{ran:?}");
    let json = folder.run("city generate --roads 60 --seed 3 --json -o again.city").ok().json();
    assert_eq!(folder.read("town.city"), folder.read("again.city"));
    assert!(json["city"]["roads"].as_u64().unwrap().abs_diff(60) < 12, "{json}");
    let shown = folder.run("city show town.city -o map.png -o town.glb --size 300x200 --json").ok().json();
    assert_eq!(shown["city"], json["city"]);
    assert_eq!((&folder.read("map.png")[1..4], &folder.read("town.glb")[..4]), (&b"PNG"[..], &b"glTF"[..]));
    folder.run("city show town.city --at 200,150 --around 120 -o part.glb").ok();
    assert!(folder.read("part.glb").len() < folder.read("town.glb").len());
}

#[test]
fn a_network_is_imported_and_what_is_left_out_is_listed() {
    let folder = Folder::new();
    folder.write("cologne.net.xml", COLOGNE);
    let json = folder.run("city import cologne.net.xml -o cologne.city --json").ok().json();
    assert_eq!((&json["format"], &json["city"]["signals"]), (&"SUMO network".into(), &8.into()));
    assert!(!json["notes"].as_array().unwrap().is_empty(), "{json}");
    let text = folder.run("city import cologne.net.xml -o cologne.city").ok().stdout;
    assert!(text.contains("8 with lights") && text.contains(" × "), "{text}");
    folder.run("city show cologne.city -o cologne.png --size 200x200").ok();
}

#[test]
fn a_drive_is_a_map_an_animation_and_what_the_driver_sees() {
    let folder = Folder::new();
    folder.run("city generate --roads 60 --seed 3 -o town.city").ok();
    let drive = "city drive town.city --seconds 1 --size 96x54 --json -o drive.png -o drive.glb -o drive.gif";
    assert_eq!(folder.run(drive).ok().json()["frames"], 11);
    let [map, animation, film] = ["drive.png", "drive.glb", "drive.gif"].map(|name| folder.read(name));
    assert_eq!((&map[1..4], &animation[..4], &film[..6]), (&b"PNG"[..], &b"glTF"[..], &b"GIF89a"[..]));
    folder.run(&drive.replace("drive.gif", "again.gif")).ok();
    assert!(folder.read("again.gif") == film, "the same drive looks otherwise");
    assert!(folder.run("city drive town.city -o drive.json").fails(2).stderr.contains("what the driver sees"));
}

#[test]
fn what_is_no_city_is_refused() {
    let folder = Folder::new();
    folder.write("cut.net.xml", &COLOGNE[..100_000]);
    let cut = folder.run("city import cut.net.xml -o cut.city").fails(1);
    assert!(cut.stderr.contains("cut.net.xml: line "), "{cut:?}");
    folder.write("no.city", "not a city");
    let no = folder.run("city show no.city").fails(1);
    assert!(no.stderr.contains("this is not a city") && no.stderr.contains("help:"), "{no:?}");
    assert!(folder.run("city show none.city").fails(1).stderr.contains("none.city cannot be read"));
    assert!(folder.run("city show no.city -o map.gif").fails(2).stderr.contains(".png for a map"));
    assert!(folder.run("city generate --roads 0 -o no.city").fails(2).stderr.contains("roads"));
    let spaced = folder.run("city generate --spacing 1 -o no.city").fails(1);
    assert!(spaced.stderr.contains("from 60 to 10 000"), "{spaced:?}");
}
