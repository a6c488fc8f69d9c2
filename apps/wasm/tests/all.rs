//! The promises of the bindings, as one program.

#![allow(clippy::unwrap_used)]

mod orders;
