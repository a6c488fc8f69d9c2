//! Scratch.
use glam::DVec3;
use proscenium_ensemble::*;
use proscenium_picture::*;
use proscenium_view::Camera;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let flags: u32 = args[1].parse().unwrap();
    let seconds: f64 = args[2].parse().unwrap();
    let banner = Banner { flags, ..Banner::default() };
    let model = banner.model();
    println!(
        "vertices {} triangles {}",
        model.vertex_count(),
        model.groups().iter().map(|g| g.triangles.len()).sum::<usize>()
    );
    for level in 0..3 {
        let start = std::time::Instant::now();
        let mut sim = Simulator::new(&model, SimulateSettings::default(), banner.wind(level, Seed(1))).unwrap();
        let mut retries = 0;
        let mut dirty = 0;
        let mut most = 0.0f32;
        let mut last = sim.positions();
        let mut meet = 0;
        let frames = (seconds * 30.0) as usize;
        for f in 0..frames {
            let o = sim.advance().unwrap();
            retries += o.retries;
            dirty += usize::from(!o.touching.is_empty());
            if !o.touching.is_empty() && dirty < 4 {
                println!("frame {f}: {:?}", o.touching);
            }
            let now = sim.positions();
            for (a, b) in now.iter().zip(&last) {
                let d = (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f32>().sqrt();
                most = most.max(d);
            }
            last = now;
            meet += sim.meetings();
        }
        println!(
            "level {level}: {:.2} s, retries {retries}, dirty {dirty}, largest step {most:.3}, energy {:.3}, meetings {}",
            start.elapsed().as_secs_f64(),
            sim.kinetic_energy(),
            meet / frames.max(1)
        );
        let clip = still("banner", model.groups(), &last, |_| false).unwrap();
        let look = Look::sized(1000, 400);
        let reach = (f64::from(flags) * 0.3).min(4.0);
        let camera = Camera::look_at(
            DVec3::new(-0.2 * reach, 0.3, 0.9 * reach + 1.0),
            DVec3::new(0.0, -0.25, 0.0),
            0.6,
            look.aspect(),
        )
        .unwrap();
        let png = render(&clip, 0.0, &camera, &look).unwrap().to_png().unwrap();
        std::fs::write(format!("/tmp/ens_level{level}.png"), png).unwrap();
    }
}
