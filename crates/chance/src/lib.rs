//! Named random streams, densities that sample and score, and statistics.
