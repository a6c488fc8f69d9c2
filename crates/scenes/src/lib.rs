//! The scene file and the built-in scenes.
