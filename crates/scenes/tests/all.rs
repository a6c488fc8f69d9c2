//! All integration tests in one program: linking one for each file takes longer
//! than running them.

mod any_input;
mod arithmetic;
mod bowling;
mod builtin;
mod collisions;
mod dice;
mod directed;
mod documentation;
mod errors;
mod kept;
mod moves;
mod no_overlap;
mod round_trip;
mod surfaces;
mod symmetry;
mod wants;
