//! Named random streams, densities that sample and score, and statistics.
//!
//! - A [`Seed`] hands out [`Stream`]s by name. The same seed and name give the
//!   same numbers wherever and whenever they are asked for.
//! - A [`Density`] is the distribution of one uncertain number: it samples from a
//!   stream, scores values, and maps standard normal numbers to its own.
//! - [`fit_gaussian_mixture`] and [`fit_exponential_mixture`] find a density for
//!   given samples.
//! - [`statistics`] has moments, quantiles, and tests that say with which error
//!   rate samples differ from a distribution or from each other.
//!
//! Streams, densities and fits give the same bits on every platform: they use
//! whole numbers, the four operations, square roots, and `libm`. The p-values of
//! [`statistics`] are reported, never simulated with, and may differ in their
//! last digits.
//!
//! It may not know what is random: no bodies, scenes or cars. Deliberately absent:
//! a global or thread-local generator, and one seeded from
//! the clock or the operating system (a result must follow from its seed);
//! cryptographic strength; densities of several variables (draw the variables
//! one by one, or whiten them with [`Density::from_standard_normal`]); densities
//! given by user functions (the enum is closed, so that a file can hold any);
//! file formats; approximate quantiles of endless data (keep the samples).

mod density;
mod fit;
mod quadrature;
mod seed;
pub mod standard_normal;
pub mod statistics;
mod stream;

pub use density::{
    Constant, Density, DensityError, Discrete, Exponential, LogNormal, Mixture, Normal, Support, TruncatedNormal,
    Uniform,
};
pub use fit::{FitError, FitOptions, MixtureFit, fit_exponential_mixture, fit_gaussian_mixture};
pub use glam;
pub use rand;
pub use seed::Seed;
pub use stream::Stream;
