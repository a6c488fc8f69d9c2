//! Runs a scene of the lab in rapier and prints what was measured.
//!
//! The scene is one JSON object, given as the only argument or as the first
//! line of standard input; the result is one line of JSON. The caller gives
//! the initial states, so that two engines can start alike.
//!
//! rapier runs with its default solver settings, which its documentation
//! recommends. Two settings differ from the defaults, so that neither can be
//! blamed: continuous collision detection is on for every moving body, and
//! bodies in the box never fall asleep; those of a pile may. There, neither was seen to change a result.
//!
//! Deliberately absent: scenes of rapier's own, and any knowledge of the
//! engine it is compared with.

mod box_scene;
mod clock;
mod crowd_scene;
mod pile_scene;
mod request;
mod rest_scene;

use std::io::BufRead;
use std::process::ExitCode;

use request::{Request, RequestError};

fn main() -> ExitCode {
    match run() {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<String, RequestError> {
    let text = match std::env::args().nth(1) {
        Some(argument) => argument,
        None => first_line(&mut std::io::stdin().lock())?,
    };
    let result = match Request::parse(&text)? {
        Request::Box(scene) => serde_json::to_string(&box_scene::run(&scene)),
        Request::Crowd(scene) => serde_json::to_string(&crowd_scene::run(&scene)?),
        Request::Pile(scene) => serde_json::to_string(&pile_scene::run(&scene)?),
        Request::Rest(scene) => serde_json::to_string(&rest_scene::run(&scene)?),
    };
    result.map_err(RequestError::Json)
}

fn first_line(input: &mut impl BufRead) -> Result<String, RequestError> {
    let mut line = String::new();
    input.read_line(&mut line).map_err(RequestError::Input)?;
    Ok(line)
}
