//! What a simulation did, in counts.

/// Counts since the world was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Events of all kinds.
    pub events: u64,
    /// Temporal bounds that expired.
    pub bound_expiries: u64,
    /// Predicted meetings that were looked at and were not contacts.
    pub near_misses: u64,
    /// Collisions that were resolved.
    pub collisions: u64,
    /// Steps of islands of touching bodies.
    pub contact_steps: u64,
    /// Bodies that entered, controls, and samples.
    pub other_events: u64,
    /// Predictions made.
    pub predictions: u64,
    /// Closest-point queries made by predictions.
    pub distance_queries: u64,
    /// The most steps that one prediction took.
    pub most_iterations: u32,
    /// States that were computed.
    pub integrations: u64,
    /// Comparisons made to keep track of intersecting bounds.
    pub bound_comparisons: u64,
}
