//! What serves only comparisons with the paper: the synchronous algorithm, and
//! bodies that freeze. With the feature `baselines`.

mod freezing;
mod synchronous;

pub use freezing::FreezeRule;
pub use synchronous::SynchronousWorld;

use crate::builder::{Contacts, WorldBuilder};
use crate::error::WorldError;

impl WorldBuilder {
    /// No contact lasts, but bodies that stay slow over many collisions freeze,
    /// as in the paper.
    #[must_use]
    pub fn impulses_until_frozen(mut self, rule: FreezeRule) -> Self {
        self.contact = Contacts::Freezing(rule);
        self
    }

    /// The same world under the synchronous algorithm, for comparison.
    pub fn build_synchronous(self) -> Result<SynchronousWorld, WorldError> {
        SynchronousWorld::new(self)
    }
}
