//! Shapes, mass properties, distance queries.
