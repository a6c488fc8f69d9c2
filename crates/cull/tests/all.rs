//! All integration tests in one program: linking one for each file takes longer
//! than running them.

mod behaviour;
mod errors;
mod modules;
mod odd;
mod recorded;
mod world;
