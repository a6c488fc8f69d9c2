//! What systems look like on paper: maps of cities, reports of compiled models,
//! records of motion and walls of results, drawn with `picture`.
//!
//! It may know every engine and the pictures, and no engine knows it. Deliberately
//! absent: simulation, files, and anything that a game would draw by itself.

pub mod city;
pub mod cull;
pub mod ensemble;
pub mod moment;
pub mod wall;
