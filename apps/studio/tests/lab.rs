//! The promises about the lab: what it has and left is listed, an experiment runs
//! beside the server with its progress told, is stopped without losing what it
//! has, and is found again after a restart.
//!
//! The lab is played by a script, which knows when to end.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::common::TestStudio;
use axum::http::StatusCode;
use proscenium_studio::{Guard, LabPlace, Studio, Workspace};
use serde_json::{Value, json};

const SCRIPT: &str = r#"#!/bin/sh
one() { printf '{"name":"%s","reproduces":"a paper, table 1","summary":"tries","columns":["n"]}' "$1"; }
leave() {
  mkdir -p "$out"
  printf '{"experiment":"%s","reproduces":"a paper, table 1","seed":%s,"quick":true,"rows":[{"n":1,"a":2}],"notes":["%s"]}' \
    "$name" "$seed" "$1" > "$out/$name.json"
  printf '<svg xmlns="http://www.w3.org/2000/svg"/>' > "$out/$name-speed.svg"
}
if [ "$1" = list ]; then printf '['; one fails; printf ','; one short; printf ','; one waits; printf ']\n'; exit 0; fi
name=$2 seed=$5 out=$7
echo '{"share":0.5,"doing":"the first half"}' >&2
case $name in
  fails) echo 'error: there is no memory' >&2; exit 1 ;;
  waits) trap 'leave interrupted; exit 130' TERM; while :; do sleep 0.05; done ;;
  *) leave done; echo 'a table' ;;
esac
"#;

fn studio(folder: &Path) -> axum::Router {
    let program = folder.join("lab.sh");
    if !program.exists() {
        std::fs::write(&program, SCRIPT).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let place = LabPlace { program, results: folder.join("results") };
    let workspace = Workspace::open(&folder.join("workspace")).unwrap();
    Studio::with_lab(workspace, place).router(Guard { port: 7777, token: None })
}

fn asked() -> TestStudio {
    let folder = tempfile::tempdir().unwrap();
    TestStudio { router: studio(folder.path()), folder }
}

fn quick() -> Value {
    json!({ "quick": true, "seed": 7 })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_experiment_runs_and_leaves_its_results() {
    let studio = asked();
    let lab = studio.good("GET", "/api/lab", &Value::Null).await;
    assert_eq!(lab["problem"], Value::Null);
    assert_eq!(lab["experiments"][1]["name"], "short");
    assert_eq!(lab["experiments"][1]["last"], Value::Null);
    let (status, _) = studio.json("GET", "/api/lab/short/results.json", &Value::Null).await;
    assert_eq!(status, StatusCode::NOT_FOUND);

    studio.good("POST", "/api/lab/short/run", &quick()).await;
    let job = studio.until("/api/lab/short/job", |job| job["state"] == "finished").await;
    let log = job["log"].to_string();
    assert!(log.contains("the first half") && log.contains("a table"), "{log}");
    assert_eq!(job["share"], 1.0);
    let lab = studio.good("GET", "/api/lab", &Value::Null).await;
    let last = &lab["experiments"][1]["last"];
    assert_eq!((&last["seed"], &last["quick"], &last["rows"]), (&json!(7.0), &json!(true), &json!(1)));
    assert_eq!(last["pictures"], json!(["short-speed"]));
    // The file comes as it is: the order of its columns is the lab's.
    let (_, bytes) = studio.bytes("GET", "/api/lab/short/results.json", "").await;
    assert!(String::from_utf8_lossy(&bytes).contains(r#""rows":[{"n":1,"a":2}]"#));
    let (status, picture) = studio.bytes("GET", "/api/lab/short/pictures/short-speed.svg", "").await;
    assert_eq!((status, &picture[..4]), (StatusCode::OK, &b"<svg"[..]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_experiment_keeps_what_it_has_and_is_found_after_a_restart() {
    let studio = asked();
    studio.good("POST", "/api/lab/waits/run", &quick()).await;
    studio.until("/api/lab/waits/job", |job| job["doing"] == "the first half").await;
    let (status, problem) = studio.json("POST", "/api/lab/waits/run", &quick()).await;
    assert_eq!(status, StatusCode::CONFLICT, "{problem}");
    // One at a time: the next one waits, and need not begin.
    studio.good("POST", "/api/lab/short/run", &quick()).await;
    assert_eq!(studio.good("GET", "/api/lab/short/job", &Value::Null).await["state"], "waiting");
    studio.good("POST", "/api/lab/short/stop", &Value::Null).await;
    studio.good("POST", "/api/lab/waits/stop", &Value::Null).await;
    studio.until("/api/lab/waits/job", |job| job["state"] == "stopped").await;
    studio.until("/api/lab/short/job", |job| job["state"] == "stopped").await;
    let results = studio.good("GET", "/api/lab/waits/results.json", &Value::Null).await;
    assert_eq!(results["notes"][0], "interrupted");

    let again = TestStudio { router: self::studio(studio.folder.path()), folder: studio.folder };
    let job = again.good("GET", "/api/lab/waits/job", &Value::Null).await;
    assert_eq!((&job["state"], &job["order"]["seed"]), (&json!("stopped"), &json!(7)));
    assert!(job["log"].to_string().contains("the first half"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_wrong_is_told() {
    let studio = asked();
    studio.good("POST", "/api/lab/fails/run", &quick()).await;
    let job = studio.until("/api/lab/fails/job", |job| job["state"] == "failed").await;
    assert_eq!(job["problem"]["error"], "there is no memory");
    for path in ["/api/lab/nothing/run", "/api/lab/..%2fx/run"] {
        let (status, problem) = studio.json("POST", path, &quick()).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{problem}");
    }
    // Without a program there is still what was found before.
    std::fs::remove_file(studio.folder.path().join("lab.sh")).unwrap();
    let place = LabPlace { program: "nowhere/lab".into(), results: studio.folder.path().join("results") };
    let workspace = Workspace::open(&studio.folder.path().join("workspace")).unwrap();
    let router = Studio::with_lab(workspace, place).router(Guard { port: 7777, token: None });
    let alone = TestStudio { router, folder: studio.folder };
    let lab = alone.good("GET", "/api/lab", &Value::Null).await;
    assert!(lab["problem"]["help"].as_str().unwrap().contains("cargo"), "{lab}");
    let (status, _) = alone.json("POST", "/api/lab/fails/run", &quick()).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}
