//! A formula that somebody typed, read once and run often:
//! `cargo run -p proscenium-expression --example curve`.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::error::Error;

use proscenium_diagnostics::Remedy as _;
use proscenium_expression::{Binding, Names, Writer};

fn main() -> Result<(), Box<dyn Error>> {
    let mut names = Names::default();
    names.bindings.insert("t".to_owned(), Binding::Input(0));
    names.bindings.insert("height".to_owned(), Binding::Constant(0.4));

    let tree = names.parse("height exp(-t) cos(6 t)^2")?;
    let mut writer = Writer::default();
    let slot = names.write(&tree, &mut writer)?;
    let tape = writer.finish(vec![slot]);

    let mut scratch = Vec::new();
    for step in 0..16 {
        let time = 0.1 * f64::from(step);
        let value = tape.value(&[time], &[], &mut scratch);
        println!("{time:.1} s {value:.3} m {}", "·".repeat((100.0 * value) as usize));
    }

    // What cannot be understood is told with its place.
    if let Err(wrong) = names.parse("hight exp(-t") {
        println!("{}", wrong.explain());
    }
    Ok(())
}
