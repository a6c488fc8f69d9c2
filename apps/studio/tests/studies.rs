//! The promises about experiments with people: nobody takes part without consent,
//! everybody sees every condition, an answer that was taken is never lost or taken
//! twice, and the analysis is the library's.

#![allow(clippy::unwrap_used)]

use crate::common::{TestStudio, ask, open};
use axum::http::StatusCode;
use proscenium_clip::Clip;
use serde_json::{Value, json};

fn rated(number: &Value, rating: u64) -> Value {
    json!({ "number": number, "rating": rating, "clicks": 0, "seconds": 1.25 })
}

#[tokio::test]
async fn nobody_takes_part_without_consent() {
    let studio = TestStudio::new();
    let (status, problem) = studio.json("POST", "/api/studies/gap/people", &json!({ "consent": false })).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{problem}");
    let (status, _) = studio.json("GET", "/api/studies/gap/people/1", &Value::Null).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let studies = studio.good("GET", "/api/studies", &Value::Null).await;
    let told: Vec<(&str, u64, u64)> = studies
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["name"].as_str().unwrap(), one["trials"].as_u64().unwrap(), one["people"].as_u64().unwrap()))
        .collect();
    assert_eq!(told, [("causality", 81, 0), ("gap", 81, 0), ("dynamics", 81, 0), ("gaze", 36, 0)]);
    assert!(studies.as_array().unwrap().iter().all(|one| one["training"].as_array().unwrap().len() == 2));
}

#[tokio::test]
async fn answers_are_kept_once_and_found_after_a_restart() {
    let studio = TestStudio::new();
    let person = studio.good("POST", "/api/studies/causality/people", &json!({ "consent": true })).await;
    assert_eq!((&person["participant"], &person["of"]), (&json!(1), &json!(81)));
    let first = &person["trials"][0]["number"];
    let path = "/api/studies/causality/people/1/answers";
    let left = studio.good("POST", path, &rated(first, 2)).await;
    assert_eq!(left["trials"].as_array().unwrap().len(), 80);
    let (status, _) = studio.json("POST", path, &rated(first, 3)).await;
    assert_eq!(status, StatusCode::CONFLICT);
    for wrong in [rated(&left["trials"][0]["number"], 4), rated(&left["trials"][0]["number"], 0), rated(&json!(900), 1)]
    {
        let (status, problem) = studio.json("POST", path, &wrong).await;
        assert!(status.is_client_error(), "{problem}");
    }
    studio.good("POST", "/api/studies/causality/people/1/remark", &json!({ "text": "the \"pause\"\n" })).await;

    let again = open(studio.folder.path());
    let (_, bytes) = ask(&again, "GET", "/api/studies/causality/people/1", "").await;
    let found: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(found["trials"].as_array().unwrap().len(), 80);
    let (_, table) = ask(&again, "GET", "/api/studies/causality/answers.csv", "").await;
    let table = String::from_utf8(table.to_vec()).unwrap();
    assert!(table.starts_with("participant,trial,repetition,condition,delay,speed,viewpoint,rating,clicks,seconds\n"));
    assert_eq!(table.lines().count(), 2);
    let (_, bytes) = ask(&again, "POST", "/api/studies/causality/people", json!({ "consent": true }).to_string()).await;
    let next: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(next["participant"], 2);
}

/// Two people who mind the delay and nothing else.
#[tokio::test]
async fn the_analysis_finds_what_people_mind() {
    let studio = TestStudio::new();
    let (status, _) = studio.json("GET", "/api/studies/causality/analysis", &Value::Null).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    for participant in 1..=2_u64 {
        let person = studio.good("POST", "/api/studies/causality/people", &json!({ "consent": true })).await;
        let path = format!("/api/studies/causality/people/{participant}/answers");
        for trial in person["trials"].as_array().unwrap() {
            // The delay is the slowest factor: nine conditions each.
            let level = (trial["condition"].as_u64().unwrap() - 1) / 9;
            let odd = u64::from(trial["number"] == 5 && participant == 2 && level < 2);
            studio.good("POST", &path, &rated(&trial["number"], 1 + level + odd)).await;
        }
    }
    let found = studio.good("GET", "/api/studies/causality/analysis", &Value::Null).await;
    assert_eq!((&found["answers"], &found["complete"]), (&json!(162), &json!(2)));
    assert_eq!(found["factors"][0]["means"][2], json!(["300 ms", 3.0, 0.0]));
    assert_eq!(found["interactions"].as_array().unwrap().len(), 3);
    let (_, problem) = studio.json("POST", "/api/studies/causality/people/3/answers", &rated(&json!(1), 1)).await;
    assert!(problem["help"].as_str().unwrap().contains("take part"));
}

#[tokio::test]
async fn conditions_are_clips_and_the_gaze_is_live() {
    let studio = TestStudio::new();
    let (status, bytes) = studio.bytes("GET", "/api/studies/causality/clips/27", "").await;
    assert_eq!(status, StatusCode::OK);
    assert!(Clip::from_glb(&bytes).unwrap().node("left").is_some());
    for path in ["causality/clips/28", "causality/clips/0", "causality/clips/x", "gaze/clips/1", "taste/clips/1"] {
        let (status, problem) = studio.json("GET", &format!("/api/studies/{path}"), &Value::Null).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}: {problem}");
    }
}
