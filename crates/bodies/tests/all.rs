//! All integration tests in one program: linking one for each file takes longer
//! than running them.

mod collisions;
mod free_rotation;
