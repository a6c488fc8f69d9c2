//! A drive through a city with a million cars, of which only those in view are
//! simulated: `cargo run --release -p proscenium-city --example million_cars`.

use std::error::Error;
use std::time::Instant;

use proscenium_city::{City, Drive, Map, Recipe, Seed};

fn main() -> Result<(), Box<dyn Error>> {
    let cars: u32 = std::env::args().nth(1).map_or(Ok(1_000_000), |text| text.parse())?;
    let map = Map::build(&Recipe::with_roads(cars as usize).generate(Seed(1))?)?;
    let drive = Drive::record(&map, Seed(2), 60.0, 30.0)?;

    let start = Instant::now();
    let mut city = City::new(map).with_cars(cars).seed(7);
    city.start()?;
    say(&format!("{cars} cars start in {:.1} s", start.elapsed().as_secs_f64()));

    let (mut in_view, mut fastest) = (0, 0.0_f64);
    let start = Instant::now();
    for (frame, viewer) in drive.frames().iter().enumerate() {
        let now = frame as f64 / drive.frames_per_second();
        city.look(&[viewer.eye(1.2, 400.0)?]);
        for car in city.advance(now)? {
            // A game would draw car.id here, at car.world_from_body.
            in_view += 1;
            fastest = fastest.max(car.speed);
        }
    }
    let frames = drive.frames().len();
    let each = start.elapsed().as_secs_f64() / frames as f64;
    let [active, tracked, pooled] = city.counts();
    say(&format!("{:.1} cars in view, {:.0} km/h at most", f64::from(in_view) / frames as f64, 3.6 * fastest));
    say(&format!("{:.1} µs per frame; {active} simulated, {tracked} tracked, {pooled} in pools", 1e6 * each));
    Ok(())
}

#[expect(clippy::print_stdout, reason = "an example reports to the terminal")]
fn say(text: &str) {
    println!("{text}");
}
