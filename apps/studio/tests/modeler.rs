//! The promises about rides that one builds: a file is taken apart and its
//! mistakes have their places, it is run for a preview, kept whatever it says,
//! compiled beside the server, and exported.

#![allow(clippy::unwrap_used)]

use crate::common::{TestStudio, ask, open};
use axum::http::StatusCode;
use proscenium_clip::glam::{Quat, Vec3};
use proscenium_clip::{Clip, Node, shapes};
use serde_json::{Value, json};

/// A swing that comes around, so that it is learned in a moment.
const SWING: &str = r#"format = 1
name = "Swing"
[state]
x = { initial = 0.6 }
v = { initial = 0.0 }
[motion]
x = "v"
v = "-4 sin(x)"
[energy]
value = "0.5 v^2 - 4 cos(x)"
speed = "v"
[output]
swing = "x"
[[part]]
name = "beam"
move = [0, 3, 0]
axis = [0, 0, 1]
angle = "swing"
[[part]]
name = "seat"
parent = "beam"
move = [0, -2, 0]
box = [0.6, 0.1, 0.3]
"#;

#[tokio::test]
async fn models_are_listed_checked_and_kept() {
    let studio = TestStudio::new();
    let models = studio.good("GET", "/api/models", &Value::Null).await;
    assert!(models.as_array().unwrap().iter().any(|one| one["name"] == "octopus" && one["own"] == false));
    let found = studio.good("POST", "/api/models/check", &json!({ "toml": SWING })).await;
    assert_eq!((&found["problem"], &found["outputs"]), (&Value::Null, &json!(["swing"])));
    assert_eq!(found["parts"][1]["parent"], "beam");
    // What is wrong is kept as well: nothing that was typed is lost.
    let wrong = SWING.replace("\"-4 sin(x)\"", "\"-4 sin(y)\"");
    let kept = studio.good("PUT", "/api/models/swing", &json!({ "toml": wrong })).await;
    assert_eq!(kept["problem"]["place"]["line"], 8);
    let again = open(studio.folder.path());
    let (_, bytes) = ask(&again, "GET", "/api/models/swing", "").await;
    assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap()["toml"], wrong);
    let (status, problem) = studio.json("POST", "/api/models/preview", &json!({ "toml": wrong })).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    let (status, _) = studio.json("PUT", "/api/models/..%2Fswing", &json!({ "toml": SWING })).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    studio.good("DELETE", "/api/models/swing", &Value::Null).await;
    let (status, _) = studio.json("GET", "/api/models/swing", &Value::Null).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_model_is_run_for_a_preview() {
    let studio = TestStudio::new();
    let preview = studio.good("POST", "/api/models/preview", &json!({ "toml": SWING })).await;
    assert_eq!(preview["outputs"][0][0], "swing");
    let values: Vec<f64> = preview["outputs"][0][1].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    assert!(values.iter().all(|value| value.abs() < 0.601) && values.iter().any(|value| *value < -0.59));
    // The bound is found by watching it: it holds the seat wherever it swings.
    let bounds = &preview["bounds"];
    assert!(bounds[0][1].as_f64().unwrap() < 0.95 && bounds[1][0].as_f64().unwrap() > 1.5, "{bounds}");
    let path = format!("/api/models/previews/{}", preview["id"].as_str().unwrap());
    let (status, bytes) = studio.bytes("GET", &path, "").await;
    assert_eq!(status, StatusCode::OK);
    assert!(Clip::from_glb(&bytes).unwrap().node("seat").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_compiled_reported_and_exported() {
    let studio = TestStudio::new();
    studio.good("PUT", "/api/models/swing", &json!({ "toml": SWING })).await;
    let (status, problem) = studio.json("GET", "/api/models/swing/export/js", &Value::Null).await;
    assert_eq!(status, StatusCode::NOT_FOUND, "{problem}");
    studio.good("POST", "/api/models/swing/compile", &json!({ "thorough": false })).await;
    let told = studio.until("/api/models/swing/compiled", |ride| !ride["learned"].is_null()).await;
    assert!(told["learned"]["period"].as_f64().unwrap() > 3.0, "{told}");
    let (status, page) = studio.bytes("GET", "/api/models/swing/report.html", "").await;
    assert_eq!(status, StatusCode::OK);
    assert!(String::from_utf8_lossy(&page).contains("comes around every"));
    for (ending, inside) in [("toml", "name = \"Swing\""), ("js", "export class Player"), ("html", "name: \"seat\"")] {
        let (status, bytes) = studio.bytes("GET", &format!("/api/models/swing/export/{ending}"), "").await;
        assert_eq!(status, StatusCode::OK);
        assert!(String::from_utf8_lossy(&bytes).contains(inside), "{ending}");
    }
    for ending in ["glb", "cull"] {
        let (status, bytes) = studio.bytes("GET", &format!("/api/models/swing/export/{ending}"), "").await;
        assert!(status == StatusCode::OK && bytes.len() > 400, "{ending}");
    }
    // After a restart it is compiled still; with another text it is not.
    let again = open(studio.folder.path());
    let (_, bytes) = ask(&again, "GET", "/api/models/swing/compiled", "").await;
    assert!(!serde_json::from_slice::<Value>(&bytes).unwrap()["learned"].is_null());
    let faster = json!({ "toml": SWING.replace("-4 sin", "-5 sin") });
    studio.good("PUT", "/api/models/swing", &faster).await;
    let told = studio.good("GET", "/api/models/swing/compiled", &Value::Null).await;
    assert_eq!(told["learned"], Value::Null);
}

/// A part may look like a mesh of the workspace: in the preview, in what is compiled, and
/// another mesh of the same name is another ride.
#[tokio::test(flavor = "multi_thread")]
async fn a_part_looks_like_a_mesh_of_the_workspace() {
    let studio = TestStudio::new();
    let seat = |width: f32| {
        let mut clip = Clip::new("seat");
        let mesh = clip.add_mesh(shapes::cuboid(Vec3::new(width, 0.5, 0.5), 0.0).unwrap());
        clip.add_node(Node::new("seat").with_mesh(mesh).with_rest(Vec3::ZERO, Quat::IDENTITY));
        clip.to_glb().unwrap()
    };
    let swing = json!({ "toml": SWING.replace("box = [0.6, 0.1, 0.3]", "mesh = \"seat.glb\"") });
    let found = studio.good("POST", "/api/models/check", &swing).await;
    assert_eq!(found["parts"][1]["solid"], json!({ "mesh": "seat.glb" }));
    let (status, problem) = studio.json("POST", "/api/models/preview", &swing).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(problem["error"].as_str().unwrap().contains("seat.glb"), "{problem}");
    let mut previews = Vec::new();
    for width in [2.0, 4.0] {
        let (status, _) = studio.bytes("PUT", "/api/meshes/seat.glb", seat(width)).await;
        assert_eq!(status, StatusCode::OK);
        let preview = studio.good("POST", "/api/models/preview", &swing).await;
        let reach = preview["bounds"][1][0].as_f64().unwrap();
        // It swings by 0.6, two metres below its beam.
        assert!(reach > 1.1 + 0.4 * f64::from(width) && reach < 1.4 + 0.6 * f64::from(width), "{preview}");
        previews.push(preview["id"].clone());
    }
    assert_ne!(previews[0], previews[1]);
    studio.good("PUT", "/api/models/swing", &swing).await;
    studio.good("POST", "/api/models/swing/compile", &json!({ "thorough": false })).await;
    studio.until("/api/models/swing/compiled", |ride| !ride["learned"].is_null()).await;
    let (status, page) = studio.bytes("GET", "/api/models/swing/export/html", "").await;
    assert_eq!(status, StatusCode::OK);
    assert!(String::from_utf8_lossy(&page).contains("positions: ["));
    studio.bytes("PUT", "/api/meshes/seat.glb", seat(3.0)).await;
    let told = studio.good("GET", "/api/models/swing/compiled", &Value::Null).await;
    assert_eq!(told["learned"], Value::Null, "with another mesh it is another ride");
}
