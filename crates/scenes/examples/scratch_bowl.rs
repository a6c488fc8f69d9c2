#![allow(clippy::print_stdout, clippy::unwrap_used)]
use proscenium_chance::Seed;
use std::time::Instant;
fn main() {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap();
    let n: u64 = args.next().unwrap().parse().unwrap();
    let scene = proscenium_scenes::find(&name, &[]).unwrap();
    let mut total = 0.0;
    for seed in 1..=n {
        let drawn = scene.draw(Seed(seed));
        let t = Instant::now();
        let mut world = drawn.world().unwrap();
        let built = t.elapsed().as_secs_f64();
        let mut last = 0.0;
        let mut line = String::new();
        for step in 1..=12 {
            let until = scene.duration() * f64::from(step) / 12.0;
            world.advance(until).unwrap();
            let now = t.elapsed().as_secs_f64();
            line += &format!(" {:.0}", 1e3 * (now - last));
            last = now;
        }
        total += last;
        let s = world.statistics();
        if seed <= 6 {
            println!(
                "{:.1} ms (built {:.2}) ev {} coll {} steps {} near {} exp {} pred {} dq {} | {line}",
                1e3 * last,
                1e3 * built,
                s.events,
                s.collisions,
                s.contact_steps,
                s.near_misses,
                s.bound_expiries,
                s.predictions,
                s.distance_queries
            );
        }
    }
    println!("mean {:.2} ms", 1e3 * total / n as f64);
}
