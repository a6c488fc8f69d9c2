//! How surfaces meet.

use std::borrow::Cow;

use proscenium_work::Remedy;

/// What a body is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// kg/m³.
    pub density: f64,
    /// The share of the speed that a bounce off the same material keeps, 0 to 1.
    pub restitution: f64,
    /// Coulomb's coefficient against the same material.
    pub friction: f64,
    /// Rolling resistance against the same material, as a share of the load:
    /// a ball that rolls on the level slows down by this times gravity.
    pub rolling: f64,
}

/// Friction and restitution where two surfaces meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSurface {
    /// The square root of the share of energy that compression gives back:
    /// for a head-on bounce, the share of the speed that is kept.
    pub restitution: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Rolling resistance, as a share of the load.
    pub rolling: f64,
}

/// A material that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MaterialError {
    /// A density of zero, below zero, or not a number.
    #[error("the density of a body must be positive, but is {0}")]
    Density(f64),
    /// A restitution outside 0 to 1.
    #[error("a restitution lies between 0 (clay) and 1 (nothing lost), but is {0}")]
    Restitution(f64),
    /// A negative or infinite friction.
    #[error("a friction coefficient is zero or more and finite, but is {0}")]
    Friction(f64),
    /// A negative or infinite rolling resistance.
    #[error("a rolling resistance is zero or more and finite (steel on steel 0.001, a ball on cloth 0.01), but is {0}")]
    Rolling(f64),
}

impl Remedy for MaterialError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        // What is wrong says what would be right.
        None
    }
}

impl Material {
    /// A material that loses nothing and grips nothing, as dense as water.
    pub const LOSSLESS: Self = Self::new(1000.0, 1.0, 0.0);

    /// A material over which things roll without resistance.
    pub const fn new(density: f64, restitution: f64, friction: f64) -> Self {
        Self { density, restitution, friction, rolling: 0.0 }
    }

    /// The same with rolling resistance.
    #[must_use]
    pub const fn with_rolling(self, rolling: f64) -> Self {
        Self { rolling, ..self }
    }

    /// Checks every number.
    pub fn check(&self) -> Result<(), MaterialError> {
        if !(self.density.is_finite() && self.density > 0.0) {
            return Err(MaterialError::Density(self.density));
        }
        self.surface().check()
    }

    /// How the material meets itself.
    pub fn surface(&self) -> PairSurface {
        PairSurface { restitution: self.restitution, friction: self.friction, rolling: self.rolling }
    }

    /// How two materials meet, where nothing was said about the pair: the
    /// geometric means.
    pub fn meet(&self, other: &Self) -> PairSurface {
        PairSurface {
            restitution: (self.restitution * other.restitution).sqrt(),
            friction: (self.friction * other.friction).sqrt(),
            rolling: (self.rolling * other.rolling).sqrt(),
        }
    }
}

impl PairSurface {
    /// A surface over which things roll without resistance.
    pub const fn new(restitution: f64, friction: f64) -> Self {
        Self { restitution, friction, rolling: 0.0 }
    }

    /// Checks every number.
    pub fn check(&self) -> Result<(), MaterialError> {
        if !(0.0..=1.0).contains(&self.restitution) {
            return Err(MaterialError::Restitution(self.restitution));
        }
        if !(self.friction.is_finite() && self.friction >= 0.0) {
            return Err(MaterialError::Friction(self.friction));
        }
        if !(self.rolling.is_finite() && self.rolling >= 0.0) {
            return Err(MaterialError::Rolling(self.rolling));
        }
        Ok(())
    }
}
