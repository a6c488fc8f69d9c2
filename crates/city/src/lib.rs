//! Roads, cars, guarantees and pools: a city that costs only what is seen of
//! it.
//!
//! A [`Plan`] is a road network as plain data, drawn, generated or imported; a
//! [`Map`] is what is driven on: junctions, roads, lanes, and the paths that
//! cars follow; a [`City`] is a map with cars, of which those in view are
//! computed. After Chenney 2000, chapter 6 and appendix B.
//!
//! | module | has |
//! |---|---|
//! | [`map`] | the road network, as a plan and as what is driven on |
//! | [`generate`] | networks from a seed (B.1) |
//! | [`import`] | networks of OpenStreetMap, SUMO and OpenDRIVE |
//! | [`sight`] | which roads a viewer in the streets sees (algorithm B.1), and recorded drives |
//! | [`trips`] | who goes from where to where, when, and by which way |
//! | [`driving`] | how one car moves (B.2), and where it goes next |
//! | [`culling`] | what is known of cars that nobody sees (6.2, 6.3, B.3) |
//! | [`learn`] | what traffic does to a car, from runs of the complete model (B.3.6) |
//!
//! It knows a view and chance, and neither pictures nor other simulators: what
//! draws a city is `show`. It does no files (they are bytes, or names in a
//! [`Store`](proscenium_work::Store)) and reads no clock; without the feature
//! `parallel` it needs no threads, with the same bits.
//!
//! What shall be seen can be wished for: [`City::want`] and [`Wish`].
//!
//! Deliberately absent: hills and bridges (roads lie in a plane), pedestrians and
//! parking. Vehicles of all kinds are of one size and drive alike, but for their errors,
//! and those that nobody sees stay in their lanes.

mod city;
mod cubic;
pub mod culling;
mod driver;
pub mod driving;
mod error;
pub mod generate;
pub mod import;
pub mod learn;
pub mod map;
pub mod sight;
mod traffic;
pub mod trips;
mod wander;
mod want;

pub use city::{City, CityEvent, CityWork, Detail, OwnCar, Settings, TripCounts, VisibleCar};
pub use driver::DriverSpread;
pub use error::CityError;
pub use generate::Recipe;
pub use glam;
pub use learn::{Approach, LearnedTraffic, Study};
pub use map::{Map, Plan};
pub use proscenium_chance::Seed;
pub use sight::{Drive, Eye};
pub use traffic::{Courtesies, DriverError, DriverErrors, Gridlock};
pub use wander::{CarId, Wander};
pub use want::{Hand, Recruit, Wish, WishError, WishId, WishReport, WishState};
