//! All integration tests in one program: linking one for each file takes longer
//! than running them.

mod bullet;
mod collision_sequence;
mod common;
mod controls;
mod driven;
mod independence;
mod joints;
mod lossless;
mod pressed;
mod resting;
mod reuse;
mod standing;
mod stopping;
mod touches;
mod zoo;
