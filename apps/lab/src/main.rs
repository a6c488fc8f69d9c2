//! The papers' experiments, beside the papers' figures.

fn main() {}
