//! A drone flies past some towers; which of them does it see, and where on its screen?
//! `cargo run -p proscenium-view --example in_sight`
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::error::Error;

use proscenium_view::glam::DVec3;
use proscenium_view::{Camera, CameraKey, Frustum, ViewerPath};

const TOWERS: [(&str, DVec3, f64); 3] = [
    ("mill", DVec3::new(-20.0, 10.0, -60.0), 12.0),
    ("church", DVec3::new(15.0, 20.0, -90.0), 22.0),
    ("silo", DVec3::new(80.0, 15.0, 10.0), 15.0),
];

fn main() -> Result<(), Box<dyn Error>> {
    let key = |time, eye: DVec3, target: DVec3| -> Result<CameraKey, Box<dyn Error>> {
        Ok(CameraKey { time, camera: Camera::look_at(eye, target, 0.9, 16.0 / 9.0)? })
    };
    let path = ViewerPath::new(vec![
        key(0.0, DVec3::new(0.0, 12.0, 40.0), DVec3::new(0.0, 10.0, -60.0))?,
        key(4.0, DVec3::new(10.0, 14.0, 0.0), DVec3::new(20.0, 15.0, -90.0))?,
        key(8.0, DVec3::new(30.0, 14.0, -20.0), DVec3::new(80.0, 15.0, 10.0))?,
    ])?;

    for second in [0.0, 2.0, 4.0, 6.0, 8.0] {
        let camera = path.at(second);
        let frustum = Frustum::of(&camera)?;
        print!("{second} s:");
        for (name, middle, radius) in TOWERS {
            if frustum.intersects_sphere(middle, radius) {
                match camera.project(middle) {
                    Some(point) => print!("  {name} at {:.0} % from the left", 100.0 * point.x),
                    None => print!("  {name} at the edge"),
                }
            }
        }
        println!();
    }
    Ok(())
}
