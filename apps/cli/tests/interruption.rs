//! Promise: Ctrl-C ends a run early and keeps what there is; a reader who has
//! seen enough is no error.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common;

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{CommandRun, Folder};
use proscenium_clip::Clip;

/// Presses Ctrl-C once the process watches for it (before that, it would just
/// end, as any program does).
fn press_ctrl_c(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    for _ in 0..3000 {
        let text = std::fs::read_to_string(&status).unwrap();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        if u64::from_str_radix(caught.trim(), 16).unwrap() & 0b10 != 0 {
            let id = child.id().to_string();
            assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the process does not watch for Ctrl-C");
}

#[test]
fn an_interrupted_run_keeps_what_there_is() {
    let folder = Folder::new();
    let arguments = ["simulate", "box", "--duration", "2000", "-o", "box.glb", "--json"];
    let child = folder.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    press_ctrl_c(&child);
    let ran = CommandRun::from(child.wait_with_output().unwrap()).fails(130);
    assert!(ran.stderr.contains("stopping, and keeping what there is"), "{ran:?}");
    let json = ran.json();
    assert_eq!(json["stopped_early"], true);
    assert_eq!(json["outputs"][0]["path"], "box.glb");
    let clip = Clip::from_glb(&folder.read("box.glb")).unwrap();
    let simulated = json["simulated_seconds"].as_f64().unwrap();
    assert!(
        simulated < 2000.0 && (f64::from(clip.duration_secs) - simulated).abs() < 1e-3 * (1.0 + simulated),
        "{json}"
    );
    assert_eq!(folder.list(), ["box.glb"]);
}

#[test]
fn a_reader_who_leaves_is_no_error() {
    let folder = Folder::new();
    for arguments in [
        &["scenes", "show", "gas"][..],
        &["schema"],
        &["completions", "bash"],
        &["simulate", "gas", "--contacts", "--duration", "1", "-o", "gas.glb"],
        &["simulate", "--help"],
    ] {
        let mut child = folder.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        if arguments[0] != "simulate" {
            stdout.read_line(&mut String::new()).unwrap();
        }
        drop(stdout);
        let ran = CommandRun::from(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
    assert!(folder.exists("gas.glb"), "files are written whether or not someone reads the summary");
}
