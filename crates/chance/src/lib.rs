//! Named random streams, densities that sample and score, and statistics.

mod seed;
pub mod standard_normal;
mod stream;

pub use seed::Seed;
pub use stream::Stream;
