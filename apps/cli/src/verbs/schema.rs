//! `proscenium schema`: what editors need to complete and check scene files.

use crate::console::Console;
use crate::failure::Failure;

pub fn run(console: Console) -> Result<(), Failure> {
    console.print(&format!("{:#}\n", proscenium_scenes::schema()))
}
