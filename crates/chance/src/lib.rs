//! Named random streams, densities that sample and score, and statistics.

mod density;
mod quadrature;
mod seed;
pub mod standard_normal;
mod stream;

pub use density::{
    Constant, Density, DensityError, Discrete, Exponential, LogNormal, Mixture, Normal, Support, TruncatedNormal,
    Uniform,
};
pub use seed::Seed;
pub use stream::Stream;
