//! Every check and task of the project.

fn main() {}
