//! A drive in which something shall be seen: who does it is drawn among those of whom
//! nobody knows what they will do.
//!
//! ```console
//! $ cargo run --release -p proscenium-city --example directed_city
//! ```
#![allow(clippy::print_stdout)]

use proscenium_city::{City, Drive, DriverErrors, Map, Recipe, Seed, Settings, WishState};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let map = Map::build(&Recipe::with_roads(400).generate(Seed(7))?)?;
    let drive = Drive::record(&map, Seed(1), 180.0, 10.0)?;
    // One driver in a thousand brakes late where it has to stop.
    let settings = Settings { errors: DriverErrors::all(0.001), ..Settings::default() };
    let mut city = City::new(map).with_cars(400).seed(7).with_settings(settings);

    let wishes = [
        (20.0, "a bus comes round the next corner"),
        (20.0, "two cars in a row arrive from the left"),
        (80.0, "an accident is avoided at the next junction"),
        (80.0, "a car runs the red light ahead within 30 s"),
    ];
    let mut told = 0;
    for (frame, viewer) in drive.frames().iter().enumerate() {
        let now = 0.1 * frame as f64;
        for (at, words) in &wishes {
            if (now - at).abs() < 0.05 {
                city.want(words.parse()?)?;
            }
        }
        city.look(&[viewer.eye(1.2, 400.0)?]);
        city.advance(now)?;
        let seen = city.wishes().filter(|report| matches!(report.state, WishState::Seen { .. })).count();
        if seen > told {
            told = seen;
            println!("{now:.1} s: {seen} of {} have come true", wishes.len());
        }
    }
    for report in city.wishes() {
        println!("{}: {:?}, without the wish {}", report.wish, report.state, report.chance_in_words());
        for recruit in &report.recruits {
            println!("  car {} came {:.0} m from road {}", recruit.car.0, recruit.metres, recruit.from.0);
        }
        if let Some(why) = &report.why {
            println!("  {why}");
        }
    }
    Ok(())
}
