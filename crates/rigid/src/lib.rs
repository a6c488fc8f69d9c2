//! Asynchronous event-driven rigid-body simulation.
