//! The same starts in rapier, judged by the same search.

use proscenium_geometry::Pose;
use proscenium_lod::glam::{DQuat, DVec3};
use serde_json::{Value, json};

use super::drop::{Drop, MATERIAL, Outcome, RATE};
use crate::error::Halt;
use crate::experiment::Context;
use crate::peer::ask;

/// What becomes of the bodies there; `None` where the program is not.
pub(super) fn run(drop: &Drop<'_>, context: &Context) -> Result<Option<Outcome>, Halt> {
    let Some(program) = context.peer("peer-rapier") else {
        return Ok(None);
    };
    let answer = ask(&program, &request(drop, context), context)?;
    let Some(poses) = answer
        .get("poses")
        .and_then(Value::as_array)
        .and_then(|poses| poses.iter().map(pose).collect::<Option<Vec<Pose>>>())
    else {
        return Ok(None);
    };
    let mut outcome = drop.judge(&poses, context)?;
    let number = |key: &str| answer.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN);
    (outcome.ms_falling, outcome.ms_resting) = (number("ms_falling"), number("ms_resting"));
    Ok(Some(outcome))
}

fn pose(value: &Value) -> Option<Pose> {
    let numbers: Vec<f64> = value.as_array()?.iter().filter_map(Value::as_f64).collect();
    let numbers: [f64; 7] = numbers.try_into().ok()?;
    let [x, y, z, turn @ ..] = numbers;
    Some(Pose::new(DVec3::new(x, y, z), DQuat::from_array(turn).normalize()))
}

fn request(drop: &Drop<'_>, context: &Context) -> Value {
    let meshes: Vec<Value> = drop
        .models
        .iter()
        .map(|model| {
            let vertices: Vec<[f64; 3]> = model.mesh().vertices().iter().map(|vertex| vertex.to_array()).collect();
            json!({ "vertices": vertices, "triangles": model.mesh().triangles() })
        })
        .collect();
    let body = |(index, start): (usize, proscenium_bodies::Motion)| {
        json!({
            "mesh": index % drop.models.len(),
            "p": start.position.to_array(),
            "q": start.orientation.to_array(),
            "v": start.velocity.to_array(),
            "w": start.spin.to_array(),
        })
    };
    let bodies: Vec<Value> = drop.starts(context).into_iter().enumerate().map(body).collect();
    json!({
        "scene": "pile",
        "meshes": meshes,
        "bodies": bodies,
        "half_width": drop.half_width(),
        "dt": 1.0 / RATE,
        "frames": (drop.seconds * RATE) as u32,
        "density": MATERIAL.density,
        "restitution": MATERIAL.restitution,
        "friction": MATERIAL.friction,
    })
}
