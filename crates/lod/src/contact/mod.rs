//! Contacts between trees: which nodes meet, where, and what of it the
//! response is given.

pub(crate) mod pair;
mod query;
mod reduce;
mod table;

pub use pair::{PlacedPair, Primitive};
pub use query::{PairQuery, QueryContact, RankedQuery, refine_within};
pub use reduce::{Contact, Reduction};
pub(crate) use reduce::{facing, reduce, spanning};
pub use table::{PairModel, TABLE, Touch, pair_model};
