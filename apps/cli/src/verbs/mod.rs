//! What the command can do.

mod begin;
pub mod check;
pub mod city;
pub mod completions;
pub mod cull;
pub mod direct;
pub mod ensemble;
pub mod gallery;
pub mod lod;
pub mod new;
pub mod recording;
pub mod scenes;
pub mod schema;
pub mod simulate;
