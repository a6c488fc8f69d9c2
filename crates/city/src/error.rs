//! What can be wrong with a city that runs.

use std::borrow::Cow;

use proscenium_work::{ArtifactError, Halt, Remedy, StoreError};

use crate::map::{MapError, RoadId};
use crate::wander::CarId;
use crate::want::WishError;

/// Why a city cannot be loaded, learned or run.
#[derive(Debug, thiserror::Error)]
pub enum CityError {
    /// The map is wrong.
    #[error(transparent)]
    Map(#[from] MapError),
    /// There is no such file.
    #[error("there is no {name}")]
    Missing {
        /// The file.
        name: String,
    },
    /// What is kept cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file does not hold what it should.
    #[error(transparent)]
    File(#[from] ArtifactError),
    /// A number is out of range.
    #[error("{what} is {value}")]
    Number {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What would be right.
        remedy: &'static str,
    },
    /// A wish is none.
    #[error(transparent)]
    Wish(#[from] WishError),
    /// A file is of another map.
    #[error("this city ran on another map")]
    OtherMap,
    /// There is no room for a car.
    #[error("there is no room at the start of road {}", road.0)]
    NoRoom {
        /// The road.
        road: RoadId,
    },
    /// A road has no lane in a direction.
    #[error("road {} has no lane in that direction", road.0)]
    NoLane {
        /// The road.
        road: RoadId,
    },
    /// It is not known where a car is.
    #[error("it is not known where car {} is", car.0)]
    UnknownCar {
        /// The car.
        car: CarId,
    },
    /// More cars than the roads can hold.
    #[error("{cars} cars do not fit: the roads hold about {most}")]
    TooManyCars {
        /// How many were asked for.
        cars: u64,
        /// How many fit.
        most: u64,
    },
}

impl Remedy for CityError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Map(error) => error.remedy(),
            Self::Missing { .. } => Some("check the name, or make it: proscenium city generate, or city import".into()),
            Self::Store(error) => error.remedy(),
            Self::File(error) => error.remedy(),
            Self::Number { remedy, .. } => Some(Cow::Borrowed(remedy)),
            Self::Wish(error) => error.remedy(),
            Self::OtherMap => Some("give the map that it was saved with".into()),
            Self::NoRoom { .. } => Some("wait until the lane has moved on, or take another road".into()),
            Self::NoLane { .. } => Some("take the other direction, or another road".into()),
            Self::UnknownCar { .. } => Some("take a car in view, or follow it while it is".into()),
            Self::TooManyCars { .. } => Some("ask for fewer cars, or take a larger city".into()),
        }
    }
}

impl From<CityError> for Halt<CityError> {
    fn from(error: CityError) -> Self {
        Self::Failed(error)
    }
}
