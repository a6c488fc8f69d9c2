//! A few streets as a short animation, for the first page.

use proscenium_city::glam::DVec2;
use proscenium_city::{City, Detail, Eye, Map, Recipe, Seed, Settings};
use proscenium_show::city::Film;

use crate::failure::Failure;

/// How many roads and cars there are.
const ROADS: usize = 16;
const CARS: u32 = 24;
/// How long it is, s, and how many frames are kept in a second.
const SECONDS: u32 = 12;
const RATE: u32 = 8;
/// They have driven for a while before, frames.
const BEFORE: u32 = 80;

/// A village from above, as a file.
///
/// # Errors
///
/// Streets that cannot be made.
pub fn clip() -> Result<Vec<u8>, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::machine(error);
    let plan = Recipe::with_roads(ROADS).generate(Seed(4)).map_err(|error| wrong(&error))?;
    let map = Map::build(&plan).map_err(|error| wrong(&error))?;
    let middle = map.junctions().map(|junction| map.junction(junction).position).sum::<DVec2>()
        / map.junction_count().max(1) as f64;
    let eye = Eye::new(middle, DVec2::X, std::f64::consts::TAU, 5000.0).map_err(|error| wrong(&error))?;
    let eye = eye.at_height(100.0);
    let settings = Settings { detail: Detail::Complete, ..Settings::default() };
    let mut city = City::new(map).with_cars(CARS).seed(4).with_settings(settings);
    let mut film = Film::default();
    for frame in 0..=BEFORE + SECONDS * RATE {
        city.look(&[eye]);
        city.advance(f64::from(frame) / f64::from(RATE)).map_err(|error| wrong(&error))?;
        if let Some(kept) = frame.checked_sub(BEFORE) {
            film.expose(f64::from(kept) / f64::from(RATE), &city);
        }
    }
    let clip = film.develop(&city).map_err(|error| wrong(&error))?;
    clip.to_glb().map_err(|error| wrong(&error))
}
