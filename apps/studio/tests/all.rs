//! All integration tests in one program: linking one for each file takes longer
//! than running them.

mod common;
mod lab;
mod malformed;
mod manners;
mod modeler;
mod studies;
mod studio;
mod types;
