//! How a search goes, as it goes (figure 10).

use proscenium_work::Progress;

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

/// Who looks on while transitions are sought.
pub struct Observer<'call> {
    /// Asked in each step whether to go on.
    pub progress: &'call Progress,
    /// Told of each step.
    pub trace: &'call mut dyn FnMut(Trace),
}
