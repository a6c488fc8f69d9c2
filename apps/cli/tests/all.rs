//! All integration tests in one program: linking one for each file takes longer
//! than running them.

mod book;
mod city;
mod common;
mod direct;
mod ensemble_data;
mod errors;
mod files;
mod help;
mod interruption;
mod lod;
mod recorded;
mod stopping;
mod verbs;
