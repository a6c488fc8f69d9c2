//! A city for the eye: streets with walls as meshes, and maps as pictures.

mod canvas;
mod film;
mod map_picture;
mod roofs;
mod streets;
mod surface;
mod vehicle;

pub use film::Film;
pub use map_picture::MapPicture;
pub use roofs::roofs;
pub use streets::{streets, streets_watched};
pub use vehicle::{CarPart, car_parts, vehicle_parts, wheel_places};
