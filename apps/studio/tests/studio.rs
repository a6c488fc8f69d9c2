//! The promises of the API: scenes are checked with places, a simulation becomes
//! a file that reads, a run finds what it was asked for, and is found again
//! after a restart with its favourites.

#![allow(clippy::unwrap_used)]

use crate::common::{TestStudio, ask, open};
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use axum::response::Response;
use proscenium_clip::Clip;
use serde_json::{Value, json};
use tower::ServiceExt;

#[tokio::test]
async fn scenes_are_listed_and_checked_with_places() {
    let studio = TestStudio::new();
    let scenes = studio.good("GET", "/api/scenes", &Value::Null).await;
    assert!(scenes.as_array().unwrap().iter().any(|scene| scene["name"] == "spell"));
    let tree =
        studio.good("POST", "/api/scenes/check", &json!({ "builtin": "table", "wants": ["die-1 shows 6"] })).await;
    assert_eq!(tree["wants"].as_array().unwrap().len(), 1);
    assert_eq!(tree["undirectable"], Value::Null);
    let tree = studio.good("POST", "/api/scenes/check", &json!({ "builtin": "bowling", "wants": ["all fall"] })).await;
    assert_eq!(tree["wants"], json!(["all fall"]));
    assert_eq!(tree["groups"][0]["name"], "pins");
    assert_eq!(tree["groups"][0]["bodies"].as_array().unwrap().len(), 10);
    let text = "format = 1\n[[body]]\nname = \"ball\"\nshape = { sphere = -1.0 }\n";
    let (status, problem) = studio.json("POST", "/api/scenes/check", &json!({ "toml": text })).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(problem["place"]["line"], 4);
    assert!(!problem["help"].as_str().unwrap().is_empty());
}

/// Half a megabyte of variables is not half a minute on a slow line.
#[tokio::test]
async fn long_answers_are_packed_for_those_who_take_them_so() {
    let studio = TestStudio::new();
    let asked = |encoding: &str| {
        let request = Request::builder().method("POST").uri("/api/scenes/check").header("host", "127.0.0.1:7777");
        let scene = json!({ "builtin": "spell" }).to_string();
        studio.router.clone().oneshot(request.header("accept-encoding", encoding).body(Body::from(scene)).unwrap())
    };
    let (plain, packed) = (asked("identity").await.unwrap(), asked("gzip, deflate, br").await.unwrap());
    assert_eq!(plain.headers().get("content-encoding"), None);
    assert_eq!(packed.headers()["content-encoding"], "gzip");
    let length = async |answer: Response| to_bytes(answer.into_body(), 1 << 24).await.unwrap().len();
    assert!(10 * length(packed).await < length(plain).await);
}

#[tokio::test]
async fn a_simulation_becomes_a_file_and_the_same_order_is_the_same_take() {
    let studio = TestStudio::new();
    let order = json!({ "scene": { "builtin": "spin" }, "seed": 1 });
    let first = studio.good("POST", "/api/takes", &order).await;
    let id = first["id"].as_str().unwrap();
    let ready = studio.until(&format!("/api/takes/{id}"), |take| take["state"] == "ready").await;
    assert!(ready["events"].as_f64().unwrap() > 0.0);
    assert_eq!(studio.good("POST", "/api/takes", &order).await["state"], "ready");
    let (status, bytes) = studio.bytes("GET", &format!("/api/takes/{id}/clip.glb"), "").await;
    assert_eq!(status, StatusCode::OK);
    assert!(Clip::from_glb(&bytes).unwrap().node("handle").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_finds_what_is_wanted_and_survives_a_restart() {
    let studio = TestStudio::new();
    let scene = json!({ "builtin": "table", "wants": ["die-1 shows 6"] });
    let order = json!({ "scene": scene, "seed": 1, "samples": 3 });
    let run = studio.good("POST", "/api/runs", &order).await;
    let id = run["id"].as_str().unwrap().to_owned();
    let done = studio.until(&format!("/api/runs/{id}"), |run| run["state"] == "finished").await;
    assert!(done["different"].as_u64().unwrap() >= 3);
    assert!(done["method"].is_null() || done["method"].as_str().unwrap().contains("chance of success"));
    let entries = studio.good("GET", &format!("/api/runs/{id}/entries"), &Value::Null).await;
    assert!(entries.as_array().unwrap().len() >= 3);
    let (status, bytes) = studio.bytes("GET", &format!("/api/runs/{id}/entries/1/clip.glb"), "").await;
    assert_eq!(status, StatusCode::OK);
    let clip = Clip::from_glb(&bytes).unwrap();
    let die = clip.world_from_node(clip.node("die-1").unwrap(), clip.duration_secs).unwrap();
    // Six is opposite to one, which is +y.
    assert!(die.y_axis.y < -0.9, "{die}");
    studio.good("PUT", &format!("/api/runs/{id}/entries/1/favourite"), &json!({ "favourite": true })).await;
    let (status, _) =
        studio.json("PUT", &format!("/api/runs/{id}/entries/99999/favourite"), &json!({ "favourite": true })).await;
    assert_eq!(status, StatusCode::NOT_FOUND);

    // The same folder, another server.
    let again = open(studio.folder.path());
    let (_, bytes) = ask(&again, "GET", &format!("/api/runs/{id}/entries"), "").await;
    let found: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(found[1]["favourite"], true);
    assert_eq!(found.as_array().unwrap().len(), entries.as_array().unwrap().len());
    let more = json!({ "samples": done["different"].as_u64().unwrap() + 1 }).to_string();
    let (status, _) = ask(&again, "POST", &format!("/api/runs/{id}/resume"), more).await;
    assert_eq!(status, StatusCode::OK);
    for _ in 0..600 {
        let (_, bytes) = ask(&again, "GET", &format!("/api/runs/{id}"), "").await;
        let run: Value = serde_json::from_slice(&bytes).unwrap();
        if run["state"] == "finished" {
            assert!(run["different"].as_u64() > done["different"].as_u64());
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("the run did not go on");
}

/// A die, and another that is dropped on it later.
const DROPPED: &str = r#"
    format = 1
    duration = 1.5
    [[body]]
    name = "floor"
    fixed = true
    shape = { half_space = [0, 1, 0] }
    [[body]]
    name = "die"
    shape = { box = [0.02, 0.02, 0.02] }
    position = [0, 0.1, 0]
    orientation = "uniform"
    [[body]]
    name = "drop"
    shape = { box = [0.02, 0.02, 0.02] }
    position = [{ normal = [0.0, 0.01] }, 0.15, 0]
    orientation = "uniform"
    start = 0.6
"#;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_of_an_animation_is_the_same_in_all() {
    let studio = TestStudio::new();
    let order = json!({ "scene": { "toml": DROPPED, "wants": ["die shows 6"] }, "seed": 1, "samples": 1 });
    let begin = async |keep: Option<Value>| {
        let mut order = order.clone();
        if let Some(keep) = keep {
            // With the same number, what is drawn anew would be drawn as before.
            (order["keep"], order["seed"]) = (keep, json!(2));
        }
        let run = studio.good("POST", "/api/runs", &order).await["id"].as_str().unwrap().to_owned();
        studio.until(&format!("/api/runs/{run}"), |run| run["state"] == "finished").await;
        let (_, bytes) = studio.bytes("GET", &format!("/api/runs/{run}/entries/0/clip.glb"), "").await;
        (run, Clip::from_glb(&bytes).unwrap())
    };
    let (first, one) = begin(None).await;
    let (_, other) = begin(Some(json!({ "run": first, "entry": 0, "until": 0.5 }))).await;
    // Keys of a clip are left out where the others say as much, to within a hundredth.
    let poses = |body: &str, time: f32| {
        [&one, &other].map(|clip| clip.world_from_node(clip.node(body).unwrap(), time).unwrap())
    };
    let [die, drop] = [poses("die", 0.3), poses("drop", 1.5)];
    assert!(die[0].abs_diff_eq(die[1], 0.02), "{die:?}");
    assert!(!drop[0].abs_diff_eq(drop[1], 0.05), "{drop:?}");
    let mut late = order.clone();
    late["keep"] = json!({ "run": first, "entry": 0, "until": 99.0 });
    let (status, problem) = studio.json("POST", "/api/runs", &late).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
}

#[tokio::test(flavor = "multi_thread")]
async fn more_like_one_has_what_is_held_and_more_is_bred_of_two() {
    let studio = TestStudio::new();
    let order = json!({ "scene": { "toml": DROPPED, "wants": ["die shows 6"] }, "seed": 1, "samples": 2 });
    let begin = async |order: &Value| {
        let run = studio.good("POST", "/api/runs", order).await["id"].as_str().unwrap().to_owned();
        studio.until(&format!("/api/runs/{run}"), |run| run["state"] == "finished").await;
        let (_, bytes) = studio.bytes("GET", &format!("/api/runs/{run}/entries/0/clip.glb"), "").await;
        (run, Clip::from_glb(&bytes).unwrap())
    };
    let (first, one) = begin(&order).await;
    let mut alike = order.clone();
    (alike["like"], alike["seed"]) = (json!({ "run": first, "entry": 0, "hold": ["die"] }), json!(2));
    let (_, other) = begin(&alike).await;
    let early = [&one, &other].map(|clip| clip.world_from_node(clip.node("die").unwrap(), 0.3).unwrap());
    assert!(early[0].abs_diff_eq(early[1], 0.02), "{early:?}");
    let mut bred = order.clone();
    (bred["breed"], bred["seed"]) = (json!({ "run": first, "entries": [0, 1] }), json!(3));
    let (run, _) = begin(&bred).await;
    let (_, entries) = studio.json("GET", &format!("/api/runs/{run}/entries"), &Value::Null).await;
    assert!(entries.as_array().unwrap().len() >= 2, "{entries}");
    // It is no fair draw, has two parents at least, and holds what there is.
    for (key, wrong) in [
        ("pick", json!("likely")),
        ("breed", json!({ "run": first, "entries": [0] })),
        ("breed", json!({ "run": first, "entries": [0, 99] })),
    ] {
        let mut order = bred.clone();
        order[key] = wrong;
        let (status, problem) = studio.json("POST", "/api/runs", &order).await;
        assert!(status.is_client_error() && !problem["help"].as_str().unwrap().is_empty(), "{problem}");
    }
    alike["like"]["hold"] = json!(["nobody"]);
    let (status, problem) = studio.json("POST", "/api/runs", &alike).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
}

#[tokio::test]
async fn what_cannot_be_directed_is_refused_at_once() {
    let studio = TestStudio::new();
    for scene in [json!({ "builtin": "dice" }), json!({ "builtin": "cradle", "wants": ["ball-1 stays"] })] {
        let (status, problem) =
            studio.json("POST", "/api/runs", &json!({ "scene": scene, "seed": 1, "samples": 1 })).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
        assert!(!problem["help"].as_str().unwrap().is_empty());
    }
    assert_eq!(std::fs::read_dir(studio.folder.path().join("runs")).unwrap().count(), 0);
}

#[tokio::test]
async fn meshes_outside_of_the_workspace_are_not_opened() {
    let studio = TestStudio::new();
    let body = "name = \"a\"\nshape = { mesh = { file = \"/etc/passwd.obj\" } }";
    let text = format!("format = 1\n[[body]]\n{body}\n");
    let (status, problem) = studio.json("POST", "/api/scenes/check", &json!({ "toml": text })).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(problem["error"].as_str().unwrap().contains("outside"));
}
