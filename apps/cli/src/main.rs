//! The proscenium command.

fn main() {}
