//! Scratch.
use proscenium_ensemble::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let flags: u32 = args[1].parse().unwrap();
    let seconds: f64 = args[2].parse().unwrap();
    let n: u64 = args[3].parse().unwrap();
    let path = format!("/tmp/ens_{flags}_{seconds}.bin");
    let start = std::time::Instant::now();
    let data = match std::fs::read(&path) {
        Ok(bytes) => Compressed::from_bytes(&bytes).unwrap(),
        Err(_) => {
            let banner = Banner { flags, ..Banner::default() };
            let generator = banner.generator();
            use rayon::prelude::*;
            let parts = generator.parts(seconds).unwrap();
            let done: Vec<(Part, Recorded)> = parts
                .into_par_iter()
                .map(|part| (part, generator.record(&part, Seed(1), &mut || true).unwrap()))
                .collect();
            for (part, r) in &done {
                println!(
                    "{part:?}: kept {} retried {} dropped {} short {}",
                    r.frame_count(),
                    r.retried,
                    r.dropped.len(),
                    r.short
                );
            }
            println!("simulated {:.1} s", start.elapsed().as_secs_f64());
            let ensemble = generator.gather(done).unwrap();
            let c = compress(&ensemble, 5e-4).unwrap();
            println!(
                "compressed {:.1} s rank {} bytes {} of {} error {}",
                start.elapsed().as_secs_f64(),
                c.rank(),
                c.bytes(),
                ensemble.bytes(),
                c.parts().largest_error
            );
            std::fs::write(&path, c.to_bytes().unwrap()).unwrap();
            c
        }
    };
    println!("ready {:.1} s; rank {}", start.elapsed().as_secs_f64(), data.rank());
    let shapes = Shapes::new(&data);
    let costs = Costs::new(&data);
    println!("beta {}", costs.beta());
    let settings = TransitionSettings::default();
    let span = settings.span() + 1;
    let mut total = Tally::default();
    let start = std::time::Instant::now();
    for (from_level, to_level) in [(0usize, 0usize), (1, 1), (2, 2), (0, 2), (2, 0)] {
        let mut sub = Tally::default();
        for k in 0..n {
            let mut stream = Seed(3).stream("try").at(k * 10 + from_level as u64 * 3 + to_level as u64);
            let usable: Vec<Moment> = data
                .moments()
                .filter(|m| {
                    let f = data.sequences()[m.sequence as usize];
                    m.frame >= span && m.frame + span < f.frames as u32
                })
                .collect();
            let of = |l: usize| {
                usable
                    .iter()
                    .copied()
                    .filter(|m| data.sequences()[m.sequence as usize].condition == l)
                    .collect::<Vec<_>>()
            };
            let from = *stream.pick(&of(from_level)).unwrap();
            let to: Vec<Moment> = of(to_level)
                .into_iter()
                .filter(|m| m.sequence != from.sequence || m.frame.abs_diff(from.frame) > 2 * span)
                .collect();
            let t = std::time::Instant::now();
            let found = compute_transition(&shapes, &costs, from, &to, &settings, &mut stream, &mut |_| ());
            sub.add(&found.tally);
            println!(
                "{from_level}->{to_level} {from:?}: {:?} {:.2} s cost {:?} stubborn {:?}",
                (found.tally.feasible, found.tally.culled, found.tally.timed_out, found.tally.work),
                t.elapsed().as_secs_f64(),
                found.transition.as_ref().map(|t| t.cost),
                found.most_stubborn()
            );
        }
        println!("{from_level}->{to_level}: {sub:?}");
        total.add(&sub);
    }
    println!("{total:?} {:.1} s", start.elapsed().as_secs_f64());
}
