//! A long job that may be stopped at any time and goes on where it was:
//! `cargo run -p proscenium-work --example go_on`.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::error::Error;

use proscenium_work::{Artifact, Completion, Finish as _, Halt, Journal, Memory, Progress, Store, StoreError};

/// What the journal's file says that it is.
const PRIMES: Artifact = Artifact::new("primes", "a list of primes", 1, "delete it: it is made again");

/// All primes below a limit; what is known already is taken from the store.
fn primes(store: &dyn Store, limit: u32, progress: &Progress) -> Result<Vec<u32>, Halt<StoreError>> {
    let (journal, mut known) = Journal::resume::<_, u32>(store, "primes", PRIMES, &limit).map_err(Halt::Failed)?;
    let first = known.last().map_or(2, |last| last + 1);
    for number in first..limit {
        progress.tell("looking for primes", f64::from(number) / f64::from(limit))?;
        if known.iter().all(|prime| number % prime != 0) {
            journal.add(&number).map_err(Halt::Failed)?;
            known.push(number);
        }
    }
    Ok(known)
}

fn main() -> Result<(), Box<dyn Error>> {
    // In a program this is a `Folder`, and the stop is Ctrl-C or a button.
    let store = Memory::default();
    for patience in [300, 700, 10_000] {
        match primes(&store, 1000, &Progress::stopping_at(patience)).finish()? {
            Completion::Stopped => println!("stopped after {patience} numbers; nothing is lost"),
            Completion::Finished(found) => println!("{} primes, the last is {:?}", found.len(), found.last()),
        }
    }
    Ok(())
}
