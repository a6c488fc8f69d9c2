//! Learning what traffic does to a car (Chenney 2000, B.3.6), and applying it.

mod excess;
mod expectations;
mod flows;
mod following;
mod learned;
mod lights;
mod study;

pub use excess::{Excess, ExcessFit};
pub(crate) use expectations::Expectations;
pub use following::Following;
pub use learned::{Approach, LearnedTraffic};
pub use study::{Study, StudySettings};
