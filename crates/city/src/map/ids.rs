//! What roads, junctions, lanes and paths are called: dense numbers.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// As a place in an array.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The thing at this place of an array. Maps are built with fewer than 2³² of anything.
            #[inline]
            pub(crate) fn at(index: usize) -> Self {
                Self(index as u32)
            }
        }
    };
}

id!(
    /// A junction of a [`Map`](crate::Map).
    JunctionId
);
id!(
    /// A road of a [`Map`](crate::Map): both its directions.
    RoadId
);
id!(
    /// A lane of a [`Map`](crate::Map): one direction, one file of cars.
    LaneId
);
id!(
    /// A path of a [`Map`](crate::Map): a way through a junction and down a lane.
    PathId
);
