//! Pictures of clips, in software: a clip and a camera become a shaded PNG, a
//! contact sheet or an animated GIF; numbers become plots.
//!
//! Light comes from a warm lamp with an extent (soft shadows) and from a cool
//! sky (shade near contacts, a little colour from neighbours). A picture is a
//! function of its input: the same bytes for any number of threads.
//!
//! It may not know what made a clip: neither simulators nor scenes. Deliberately
//! absent: a window, a GPU, textures, and physics. Transparent bodies do not
//! refract.
//!
//! ```
//! use proscenium_clip::{Clip, Material, Mesh, Node};
//! use proscenium_picture::{Look, frame_clip, render};
//! use proscenium_work::Progress;
//!
//! let mut clip = Clip::new("tetrahedron");
//! let red = clip.add_material(Material::new("red", [0.8, 0.1, 0.1]));
//! let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, -0.9], [0.5, 0.8, -0.3]];
//! let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
//! let mesh = clip.add_mesh(Mesh::flat_shaded(&corners, &faces)?.with_material(red));
//! clip.add_node(Node::new("body").with_mesh(mesh));
//!
//! let look = Look::sized(160, 90);
//! let camera = frame_clip(&clip, look.aspect())?;
//! let picture = render(&clip, 0.0, &camera, &look, &Progress::none())?;
//! let png = picture.finished().expect("nobody stops it").to_png()?;
//! assert!(png.len() > 1000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod action;
mod animate;
mod error;
mod font;
mod look;
mod palette;
mod picture;
pub mod plot;
mod render;
mod scene;
mod sheet;
mod trace;

pub use action::{frame_clip, frame_clip_with};
pub use animate::{Footage, animate, animate_along, film};
pub use error::PictureError;
pub use look::{Background, Ground, Look, Trail};
pub use picture::{LARGEST_SIDE, Picture};
pub use render::render;
pub use sheet::contact_sheet;
