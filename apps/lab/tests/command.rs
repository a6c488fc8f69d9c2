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
