//! An engine for plausible animated worlds.
