//! All integration tests in one program: linking one for each file takes longer
//! than running them.

mod common;
mod culling;
mod flows;
mod generated;
mod imported;
mod map;
mod networks;
mod opendrive;
mod pbf;
mod rim;
mod running;
mod sight;
mod stopping;
mod traffic;
mod trips;
mod wishes;
