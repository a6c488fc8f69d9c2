//! Promise: the lab's command line keeps its contract. Names are listed, a run
//! writes `NAME.json` and pictures, wrong calls say what would be right and
//! exit with 2.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn lab(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the lab can be started")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the lab speaks UTF-8")
}

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the tests' own folder can be written");
    folder
}

#[test]
fn experiments_are_listed() {
    let output = lab(&["list"], &folder("list"));
    assert!(output.status.success());
    let table = text(&output.stdout);
    for words in ["name", "rigid-box", "rigid-costs", "Chenney 2000, table 3.1"] {
        assert!(table.contains(words), "{words} is missing:\n{table}");
    }
}

#[test]
fn other_programs_get_the_list_as_json() {
    let output = lab(&["list", "--json"], &folder("list-json"));
    let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let one = listed.as_array().unwrap().iter().find(|one| one["name"] == "rigid-box").unwrap();
    assert_eq!(one["reproduces"], "Chenney 2000, table 3.1");
    assert!(one["columns"].as_array().unwrap().iter().any(|column| column == "n"), "{one}");
}

#[test]
fn an_unknown_experiment_suggests_the_nearest() {
    let output = lab(&["run", "rigid-boxes"], &folder("unknown"));
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains("\"rigid-boxes\"") && message.contains("did you mean \"rigid-box\"?"), "{message}");
}

#[test]
fn wrong_calls_exit_with_2() {
    let here = folder("wrong");
    for arguments in [&["run"][..], &["fly"], &["run", "rigid-box", "--seed", "x"], &[]] {
        let output = lab(arguments, &here);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn a_report_without_results_says_how_to_get_some() {
    let here = folder("empty");
    let output = lab(&["report", "."], &here);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cargo lab run"));
    let output = lab(&["report", "nowhere"], &here);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("nowhere"));
}

#[test]
fn an_out_folder_that_is_a_file_is_named_before_the_work() {
    let here = folder("blocked");
    std::fs::write(here.join("file"), "").unwrap();
    let output = lab(&["run", "rigid-box", "--out", "file"], &here);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("make the folder file"), "{}", text(&output.stderr));
}

/// Ctrl-C keeps what is there: files are written, and a note says that rows
/// are missing.
#[cfg(unix)]
#[test]
fn an_interrupted_run_writes_what_it_has() {
    let here = folder("interrupted");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    let pipe = std::process::Stdio::piped;
    let running = command.args(["run", "rigid-box"]).current_dir(&here).stdout(pipe()).stderr(pipe()).spawn().unwrap();
    // The folder is made once interrupts are listened for.
    while !here.join("results").is_dir() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap().success());
    let output = running.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("The run was interrupted"));
    let json = std::fs::read_to_string(here.join("results/rigid-box.json")).unwrap();
    let results: proscenium_lab::Results = serde_json::from_str(&json).unwrap();
    assert!(results.notes[0].contains("interrupted"));
}
