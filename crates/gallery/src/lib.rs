//! What the director found, in one crash-safe file.
