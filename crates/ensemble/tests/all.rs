//! All integration tests in one program: linking one for each file takes longer
//! than running them.

mod blender;
mod cleaning;
mod common;
mod compression;
mod cycles;
mod field;
mod import;
mod leaves;
mod no_transition;
mod optimum;
mod plants;
mod plates;
mod players;
mod playing;
mod recording;
mod resuming;
mod solver;
mod texture;
mod usd;
mod walk;
