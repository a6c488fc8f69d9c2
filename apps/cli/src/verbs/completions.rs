//! `proscenium completions`: a script for the user's shell.

use clap::CommandFactory as _;

use crate::arguments::{Arguments, Completions};
use crate::console::Console;
use crate::failure::Failure;

pub fn run(options: &Completions, console: Console) -> Result<(), Failure> {
    // Into memory first: writing to a closed pipe directly would panic.
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Arguments::command(), "proscenium", &mut script);
    console.print(&String::from_utf8_lossy(&script))
}
