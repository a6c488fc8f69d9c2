//! Contacts between trees: which nodes meet, where, and what of it the
//! response is given.

pub(crate) mod pair;
mod reduce;
mod table;

pub use pair::{PlacedPair, Primitive};
pub(crate) use reduce::reduce;
pub use reduce::{Contact, Reduction};
pub use table::{PairModel, TABLE, Touch, pair_model};
