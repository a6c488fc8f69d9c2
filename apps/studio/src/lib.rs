//! The server behind the browser studio.
//!
//! It serves the pages, a JSON API and motion as binary WebSocket frames; it
//! simulates scenes, runs the director beside that, and keeps worlds going for
//! those who look at them.
//! What was found stays in a [`Workspace`] and is found again after a restart.
//! [`Studio::router`] is everything that is served.
//!
//! Requests are answered only if they name the studio's own address ([`Guard`]).
//! Every answer that says no is a [`Problem`](api::Problem): what is wrong, and
//! what would be right.
//!
//! Deliberately absent: physics, sampling and parsing of scenes, which are the
//! libraries'; accounts and encryption (it is made for one's own machine; put a
//! proxy in front of it elsewhere); and any file outside of the workspace.

pub mod api;
mod assets;
mod city;
mod collisions;
mod connections;
mod densities;
mod failure;
mod fairground;
mod field;
mod guard;
mod jobs;
mod lab;
mod live;
mod modeler;
mod motion;
mod name;
mod routes;
mod runs;
mod scene;
mod stream;
mod studies;
mod takes;
mod workspace;

pub use connections::{Patience, serve};
pub use guard::Guard;
pub use lab::LabPlace;
pub use routes::Studio;
pub use workspace::Workspace;
