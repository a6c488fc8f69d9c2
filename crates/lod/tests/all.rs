//! All integration tests in one program: linking one for each file takes longer
//! than running them.

mod bounds;
mod budget;
mod physics;
mod piles;
mod stopping;
