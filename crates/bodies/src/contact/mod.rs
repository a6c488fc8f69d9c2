//! The contacts of many bodies, solved together.
//!
//! ```text
//! contacts with ids ─▶ rows ─▶ warm start ─▶ velocity rounds ─▶ bounce ─▶ no gain
//!                                                  │                        │
//!        position rounds ◀── bodies move on ◀──────┴────────────────────────┘
//! ```
//!
//! A contact is a row: what two bodies may not do at a point. A **velocity
//! round** visits every row once and sets its impulse to what the row needs,
//! given all the others (projected Gauss–Seidel): along the normal no approach,
//! or, at a gap, none that would close it by more than the gap within the step;
//! across it no sliding, as far as the cone of friction allows. Rows begin with
//! the impulses that the same contacts had in the frame before. A round more is
//! never worse, so whoever has a budget stops after any of them. **Restitution**
//! comes last, where bodies met faster than the speed below which nothing
//! bounces; what the impulses of an island together would add to its energy is
//! taken back.
//!
//! **Position rounds** take out overlap that is there in spite of all this, by
//! moving and turning bodies: velocities stay, and turn with the bodies, so that
//! no kinetic energy is made.
//!
//! **Joints** ([`Joint`]) are rows of the same rounds: balls, hinges and distances, with
//! limits.
//!
//! A **linkage** ([`Linkage`]) solves the same rows of joints directly, all at once, and moves
//! its bodies on by a method of fourth order: where a pendulum has to keep its energy, and no
//! budget is to be kept.
//!
//! Who detects contacts, names them and keeps their impulses is not decided here.

mod islands;
mod joint;
mod linkage;
mod solver;

pub use islands::Islands;
pub use joint::{Joint, JointImpulse, JointKind};
pub use linkage::{JointEquations, LimitRow, Linkage, LinkedBody, Twist};
pub use solver::{ContactBody, ContactImpulse, ContactPoint, ContactSettings, ContactSolver};
