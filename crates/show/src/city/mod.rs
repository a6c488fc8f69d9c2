//! A city for the eye: streets with walls as meshes, and maps as pictures.

mod canvas;
mod film;
mod map_picture;
mod streets;
mod surface;

pub use film::Film;
pub use map_picture::MapPicture;
pub use streets::{streets, streets_watched};
