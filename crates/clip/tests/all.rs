//! All integration tests in one program: linking one for each file takes longer
//! than running them.

mod common;
mod deforming_glb;
mod foreign_glb;
mod khronos_validator;
mod malformed_glb;
mod reducer;
mod round_trip;
