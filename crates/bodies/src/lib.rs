//! Rigid bodies between and during collisions.
//!
//! Between collisions a body flies: its centre of mass on a parabola, its
//! orientation by torque-free rotation, both in closed form, so that a state
//! can be asked for at any time at the same cost and without drift. During a
//! collision two bodies exchange an impulse with Coulomb friction and
//! energetic restitution. Contact that lasts and joints, of many bodies at once, are
//! solved by [`contact`].
//!
//! It may not know who simulates: no worlds, no queues. Deliberately absent:
//! finding out when bodies meet.
//!
//! ```
//! use proscenium_bodies::{Flight, Inertia, Motion, glam::DVec3};
//! use proscenium_geometry::Shape;
//!
//! let mass = Shape::cuboid(DVec3::new(0.1, 0.2, 0.3), 0.0)?.mass_properties(1000.0).unwrap()?;
//! let inertia = Inertia::new(&mass);
//! let start = Motion { spin: DVec3::new(0.1, 9.0, 0.1), ..Motion::AT_REST };
//! let flight = Flight::new(0.0, start, &inertia, DVec3::new(0.0, -9.81, 0.0));
//! let later = flight.at(2.0);
//! let (before, after) = (inertia.rotational_energy(&start), inertia.rotational_energy(&later));
//! assert!((after / before - 1.0).abs() < 1e-13);
//! # Ok::<(), proscenium_geometry::ShapeError>(())
//! ```

pub mod contact;
mod elliptic;
mod flight;
mod impulse;
mod inertia;
mod material;
mod rotation;

pub use flight::{Flight, Motion};
pub use glam;
pub use impulse::{CollidingBody, Encounter, collide, impulse_between, part};
pub use inertia::Inertia;
pub use material::{Material, MaterialError, PairSurface};
