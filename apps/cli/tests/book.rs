//! Promise: what the book says on its first page works, and looks as it says.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common;

use std::process::Command;

use common::{CommandRun, Folder};

const PAGE: &str = include_str!("../../../docs/src/first-steps.md");

/// The commands of the page in their order, each with the output it shows.
fn commands() -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for block in PAGE.split("```console\n").skip(1) {
        for line in block.split("\n```").next().unwrap().lines() {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command.to_owned(), String::new())),
                (None, Some((_, output))) => *output += &format!("{line}\n"),
                (None, None) => panic!("output without a command: {line}"),
            }
        }
    }
    commands
}

/// Runs a line as a shell would.
fn in_shell(folder: &Folder, line: &str) -> CommandRun {
    let binary = env!("CARGO_BIN_EXE_proscenium");
    let line = line.replacen("proscenium", &format!("'{binary}'"), 1);
    let mut shell = Command::new("sh");
    CommandRun::from(shell.args(["-c", &line]).current_dir(folder.path()).output().unwrap())
}

#[test]
fn the_first_page_works() {
    let folder = Folder::new();
    let mut ran_some = 0;
    for (command, shown) in commands() {
        // Films take long, and building is not for a test.
        if !command.starts_with("proscenium ") || command.ends_with(".gif") {
            continue;
        }
        if shown.starts_with("error:") {
            let good = String::from_utf8(folder.read("table.toml")).unwrap();
            folder.write("table.toml", good.replacen("density = 1850.0", "density = -1850.0", 1));
            assert_eq!(in_shell(&folder, &command).fails(1).stderr.trim_end(), shown.trim_end(), "{command}");
            continue;
        }
        let ran = in_shell(&folder, &command).ok();
        ran_some += 1;
        if command.contains("--json") {
            let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
            let keys = |json: &serde_json::Value| json.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
            assert_eq!(keys(&ran.json()), keys(&shown), "{command}");
        } else if command.starts_with("proscenium simulate") {
            // Figures and sizes may change; what is said about them does not.
            let words = |text: &str| text.replace(|c: char| c.is_ascii_digit() || "., µmkMB".contains(c), "");
            assert_eq!(words(&ran.stdout), words(&shown), "{command}");
        } else if shown.starts_with("…") {
            let excerpt = shown.trim_matches(['…', '\n']);
            assert!(ran.stdout.contains(excerpt), "{command}: {}", ran.stdout);
        } else {
            assert_eq!(ran.stdout, if command.contains('>') { String::new() } else { shown }, "{command}");
        }
    }
    assert!(ran_some >= 7, "only {ran_some} commands were found");
}
