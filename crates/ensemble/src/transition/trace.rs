//! How a search goes, as it goes (figure 10).

/// A step of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// COMPUTE-MEMG-TRANSITION begins.
    Departure,
    /// SATISFY-MEMG-CSP begins with another destination.
    Destination,
    /// LOCAL-SEARCH has been called.
    Search,
    /// A feasible point was found.
    Feasible,
    /// The program was given up as too costly.
    Culled,
    /// The program was given up as too hard.
    TimedOut,
}

/// A point of the trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trace {
    /// What was done.
    pub step: Step,
    /// Tests of pairs and shapes so far, in this departure.
    pub work: u64,
    /// φ, of the current splices.
    pub cost: f64,
    /// φ_min, of the best feasible point so far.
    pub best: Option<f64>,
    /// |B|.
    pub bad: usize,
    /// |C|.
    pub known: usize,
}
