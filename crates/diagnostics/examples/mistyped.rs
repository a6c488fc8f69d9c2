//! Finds the word that was meant: `cargo run -p proscenium-diagnostics --example mistyped`.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use proscenium_diagnostics::nearest;

fn main() {
    let known = ["density", "restitution", "friction", "colour"];
    for word in ["densty", "firction", "color", "mass"] {
        match nearest(word, known) {
            Some(near) => println!("{word}: did you mean {near}?"),
            None => println!("{word}: expected one of {}", known.join(", ")),
        }
    }
}
