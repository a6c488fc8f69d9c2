//! Makes a city, drives through it, and draws what is seen of it: a map, and
//! the streets in view for Blender, three.js, Godot …
//!
//! `cargo run -p proscenium-show --example look_around -- [ROADS] [FOLDER]`

use std::error::Error;
use std::path::PathBuf;

use proscenium_city::sight::VisibleRoads;
use proscenium_city::{Drive, Map, Recipe, Seed};
use proscenium_show::city::{MapPicture, streets};
use proscenium_work::write_file;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let roads = arguments.next().map_or(Ok(200), |text| text.parse())?;
    let folder = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);

    let map = Map::build(&Recipe::with_roads(roads).generate(Seed(1))?)?;
    let drive = Drive::record(&map, Seed(2), 900.0, 10.0)?;

    // What is seen in each frame of a quarter of an hour.
    let mut visible = VisibleRoads::new(&map);
    let (mut seen, mut most) = (0, (0, 0));
    for (number, frame) in drive.frames().iter().enumerate() {
        visible.look(&map, &[frame.eye(1.2, 600.0)?]);
        seen += visible.roads().len();
        most = most.max((visible.roads().len(), number));
    }

    // The frame that sees most, as a map and as streets.
    let frame = drive.frames()[most.1];
    let eye = frame.eye(1.2, 600.0)?;
    visible.look(&map, &[eye]);
    let picture = MapPicture::new(&map, 1200, 900).with_visible(&visible).with_viewers(&[eye]);
    write_file(&folder.join("city.png"), &picture.draw()?.to_png()?)?;
    let near = picture.around(frame.position, 350.0).with_cars(vec![frame.position]);
    write_file(&folder.join("city-near.png"), &near.draw()?.to_png()?)?;
    write_file(&folder.join("city.glb"), &streets(&map, visible.roads(), frame.position)?.to_glb()?)?;

    let mean = seen as f64 / drive.frames().len() as f64;
    let report = format!("{} roads, {mean:.1} seen on average, {} at most\n", map.road_count(), most.0);
    std::io::Write::write_all(&mut std::io::stdout(), report.as_bytes())?;
    Ok(())
}
