#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use proscenium_chance::Seed;
use proscenium_direct::Model;
use proscenium_scenes::Directed;
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse::<f64>().unwrap() * 1e-9
}
fn main() {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap();
    if name == "schema" {
        println!("{}", serde_json::to_string_pretty(&proscenium_scenes::schema()).unwrap());
        return;
    }
    let n: u64 = args.next().unwrap().parse().unwrap();
    let want = args.next();
    let hook = args.next().map_or(0.0, |h| h.parse().unwrap());
    let params: Vec<(&str, f64)> = if hook > 0.0 { vec![("hook", hook)] } else { vec![] };
    let scene = proscenium_scenes::find(&name, &params).unwrap();
    if let Some(want) = want {
        let scene = scene.with_wants(&want).unwrap();
        let model = Directed::new(&scene).unwrap();
        let stream = Seed(1).stream("x");
        let t = cpu();
        let mut hist = std::collections::BTreeMap::new();
        let (mut ok, mut ended, mut refused) = (0, 0.0, 0);
        let mut most: f64 = 0.0;
        for i in 0..n {
            let t = cpu();
            let point = model.space().draw(&mut stream.at(i));
            let out = model.outcome(&point).unwrap();
            ok += u32::from(out.satisfied);
            ended += out.outcome.ended();
            if let Some(r) = out.outcome.refusal() {
                refused += 1;
                println!("{r}");
            }
            *hist.entry((out.log_score * -10.0) as i64).or_insert(0) += 1;
            most = most.max(cpu() - t);
        }
        println!(
            "{} ok of {n}, {refused} refused, {:.2} ms each, most {:.1} ms, ended {:.2}, {hist:?}",
            ok,
            1e3 * (cpu() - t) / n as f64,
            1e3 * most,
            ended / n as f64
        );
        return;
    }
    let mut total = 0.0;
    for seed in 1..=n {
        let drawn = scene.draw(Seed(seed));
        let t = cpu();
        let mut world = drawn.world().unwrap();
        let built = cpu() - t;
        let mut last = 0.0;
        let mut line = String::new();
        for step in 1..=12 {
            let until = scene.duration() * f64::from(step) / 12.0;
            world.advance(until).unwrap();
            let now = cpu() - t;
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
