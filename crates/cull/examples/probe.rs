use proscenium_cull::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let quick = args.iter().any(|a| a == "-q");
    for path in args[1..].iter().filter(|a| *a != "-q") {
        let text = std::fs::read_to_string(path).unwrap();
        let model = match Model::parse(path, &text) { Ok(m) => m, Err(e) => { println!("{e}"); continue } };
        let settings = if quick { model.settings().with_effort_of(&CompileSettings { examples: 30000, training_rounds: 12, most_cells: 4, ..CompileSettings::quick() }) } else { model.settings().clone() };
        let start = std::time::Instant::now();
        let learned = compile(&model, &settings, Seed(1), &mut |p| { eprintln!("{:.1} {} {:.2}", start.elapsed().as_secs_f64(), p.doing, p.done); true });
        let learned = match learned { Ok(l) => l, Err(e) => { println!("{e}"); continue } };
        let f = learned.findings();
        println!("{path}: {:.1} s, ranges {:?}, period {:?}, medium {:?}, long {:?}, paper long {:?}, cells {}, sim {:.0}", start.elapsed().as_secs_f64(), f.ranges, learned.period(), learned.medium(), learned.long(), f.paper_long, f.important_cells, f.simulated_s);
        for c in &f.candidates { println!("   {:.2} {} error {:.3} cost {:.0} {}", c.jump_s, c.name, c.error, c.cost, c.chosen); }
        for c in f.convergence.iter() { print!(" {:.1}:{:.2}/{:.2}", c.0, c.1, c.2); }
        println!();
        let mut stream = Seed(1).stream("x");
        let mut s = model.initial(&mut stream);
        let start = std::time::Instant::now();
        model.advance(&mut s, 0.0, 100000.0, &mut stream).unwrap();
        println!("   {:.3} µs per simulated second", start.elapsed().as_secs_f64() * 10.0);
    }
}
