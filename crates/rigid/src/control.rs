//! Things that are done to a world from outside, at a time.

use proscenium_bodies::glam::DVec3;

use crate::body::{BodyDef, BodyId};

/// An instantaneous action.
#[derive(Clone, Debug)]
pub enum Control {
    /// Push a body: an impulse in N s at a point in the world.
    Impulse {
        /// Which body.
        body: BodyId,
        /// N s.
        impulse: DVec3,
        /// Where; `None` for the centre of mass.
        point: Option<DVec3>,
    },
    /// Give a body another velocity and spin.
    SetVelocity {
        /// Which body.
        body: BodyId,
        /// m/s.
        velocity: DVec3,
        /// rad/s.
        spin: DVec3,
    },
    /// Take a body out of the world.
    Remove {
        /// Which body.
        body: BodyId,
    },
    /// Put a new body into the world.
    Add(Box<BodyDef>),
}

impl Control {
    pub(crate) fn is_finite(&self) -> bool {
        match self {
            Self::Impulse { impulse, point, .. } => impulse.is_finite() && point.is_none_or(DVec3::is_finite),
            Self::SetVelocity { velocity, spin, .. } => velocity.is_finite() && spin.is_finite(),
            Self::Remove { .. } => true,
            Self::Add(_) => true,
        }
    }

    pub(crate) fn body(&self) -> Option<BodyId> {
        match self {
            Self::Impulse { body, .. } | Self::SetVelocity { body, .. } | Self::Remove { body } => Some(*body),
            Self::Add(_) => None,
        }
    }
}
