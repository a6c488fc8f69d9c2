//! Promise: every verb that takes long answers Ctrl-C within half a second, with
//! what it has, and can be given the same order again.
//!
//! What is counted is processor time between the signal and the end, of a process
//! that may use one thread: on a machine with nothing else to do that is the time a
//! user waits, and on a busy one it does not depend on the others.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common;

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{CommandRun, Folder};

/// The longest answer, in ticks of the processor's clock: a hundred in a second.
const LONGEST: u64 = 50;

/// What the kernel knows of a process: its state, and the ticks that it has used.
fn account(child: &Child) -> (char, u64) {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let fields: Vec<&str> = text[text.rfind(')').unwrap() + 2..].split(' ').collect();
    (fields[0].parse().unwrap(), fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap())
}

/// Waits until a process watches for Ctrl-C and has then worked for so many ticks.
fn work(child: &Child, ticks: u64) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut watched_from = None;
    for _ in 0..60_000 {
        let (state, used) = account(child);
        assert_ne!(state, 'Z', "it ended before it could be stopped: give it more to do");
        let text = std::fs::read_to_string(&status).unwrap();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        if u64::from_str_radix(caught.trim(), 16).unwrap() & 0b10 != 0 {
            let from = *watched_from.get_or_insert(used);
            if used >= from + ticks {
                return used;
            }
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    panic!("the process does not watch for Ctrl-C, or does nothing");
}

/// Gives an order (its words are apart by spaces, and `~` is a space within one),
/// presses Ctrl-C after so many ticks of work, and counts what it takes to answer.
#[track_caller]
fn answers(folder: &Folder, order: &str, after: u64) {
    let words = order.split_whitespace().chain(["--threads", "1"]).map(|word| word.replace('~', " "));
    let child = folder.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let before = work(&child, after);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let used = loop {
        // A process that has ended, and that nobody has waited for, still has its account.
        match account(&child) {
            ('Z', used) => break used - before,
            _ => std::thread::sleep(Duration::from_millis(3)),
        }
    };
    CommandRun::from(child.wait_with_output().unwrap()).fails(130);
    assert!(used <= LONGEST, "`{order}` answered after {used} hundredths of a second of work");
    let left: Vec<String> = folder.list().into_iter().filter(|name| name.ends_with(".part")).collect();
    assert!(left.is_empty(), "`{order}` left {left:?}");
}

#[test]
fn simulating_and_drawing() {
    let folder = Folder::new();
    answers(&folder, "simulate box --duration 2000 -o box.glb", 20);
    answers(&folder, "simulate hourglass -o hourglass.glb", 30);
    answers(&folder, "simulate bounce --duration 60 -o bounce.gif --fps 50 --size 1280x720", 60);
}

#[test]
fn directing() {
    let folder = Folder::new();
    answers(&folder, "direct spell=HELLO --samples 4 -o hello", 10);
    answers(&folder, "direct spell=HELLO --samples 4 -o hello", 60);
    answers(&folder, "direct bowling --pins 7,10 --want all~fall --samples 3 -o split", 60);
}

#[test]
fn compiling_a_ride() {
    let folder = Folder::new();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/octopus.toml");
    for after in [5, 50, 150] {
        answers(&folder, &format!("cull {model} -o octopus.cull"), after);
    }
}

#[test]
fn making_learning_and_driving_through_a_city() {
    let folder = Folder::new();
    for after in [20, 200] {
        answers(&folder, "city generate --roads 400000 -o large.city", after);
    }
    folder.run("city generate --roads 200 -o small.city").ok();
    answers(&folder, "city learn small.city", 60);
    answers(&folder, "city drive small.city --seconds 100000 -o drive.glb", 60);
}

#[test]
fn importing_streets() {
    let folder = Folder::new();
    let side = 220_u32;
    let mut text = String::from("<osm version=\"0.6\">\n");
    for number in 0..side * side {
        let (row, column) = (number / side, number % side);
        let (latitude, longitude) = (f64::from(row) * 0.001, f64::from(column) * 0.001);
        text.push_str(&format!("<node id=\"{}\" lat=\"{latitude}\" lon=\"{longitude}\"/>\n", number + 1));
    }
    for number in 0..2 * side {
        let (line, across) = (number / 2, number % 2 == 0);
        text.push_str(&format!("<way id=\"{}\"><tag k=\"highway\" v=\"residential\"/>", number + 1));
        for place in 0..side {
            let node = if across { line * side + place } else { place * side + line };
            text.push_str(&format!("<nd ref=\"{}\"/>", node + 1));
        }
        text.push_str("</way>\n");
    }
    text.push_str("</osm>\n");
    folder.write("grid.osm", text);
    answers(&folder, "city import grid.osm -o grid.city", 30);
}

#[test]
fn colliding_within_a_budget() {
    let folder = Folder::new();
    // What falls comes to rest, and then costs nothing; what floats goes on.
    answers(&folder, "lod knots --count 100 --duration 600 -o knots.glb", 20);
    answers(&folder, "lod knots --count 100 --duration 6000 --weightless -o knots.glb", 200);
    answers(&folder, "lod tree knot --depth 7 --save knot.lod", 60);
    answers(&folder, "lod study causality -o causality", 60);
}

#[test]
fn building_and_walking_an_ensemble() {
    let folder = Folder::new();
    for after in [10, 100, 200] {
        answers(&folder, "ensemble build banner --flags 20 -o banner", after);
    }
    folder.run("ensemble build banner --flags 2 --seconds 4 -o small").ok();
    answers(&folder, "ensemble play small --seconds 6000 -o walk.gif", 60);
    answers(&folder, "ensemble export small --walk 60000 -o walk.pc2", 60);
    for after in [10, 60] {
        answers(&folder, "ensemble field small --count 20000 --at 100000 -o field.glb", after);
    }
}
