//! Some rides as a short animation, for the first page.

use proscenium_clip::{Clip, ClipError, Key, Material, Mesh, Node, Track, shapes};
use proscenium_cull::geometry::Solid;
use proscenium_cull::glam::DVec3;
use proscenium_cull::{Model, Seed, System as _};

use super::forms::{Form, forms};
use super::rides::Rides;
use crate::failure::Failure;

/// Rides that look well beside each other, and where they stand (x and z, m).
const SHOWN: [(&str, f64, f64); 4] =
    [("tilt-a-whirl", -5.6, -2.0), ("octopus", 5.4, -2.4), ("ship", -2.6, 5.4), ("pendulum-long", 3.4, 5.0)];
/// How long it is, s, and how many keys there are in a second.
const LENGTH: Length = Length { seconds: 10, keys: 16, before: BEFORE };
/// They have run for a while before, s.
const BEFORE: f64 = 20.0;

/// The rides at work, as a file.
///
/// # Errors
///
/// A model that does not stay finite.
pub fn clip(rides: &Rides) -> Result<Vec<u8>, Failure> {
    let mut clip = Clip::new("fairground");
    let add_all = |clip: &mut Clip| -> Result<(), Trouble> {
        for ride in rides.all() {
            if let Some((_, x, z)) = SHOWN.iter().find(|(name, ..)| *name == ride.name) {
                let called = |part: &str, copy: usize| format!("{} {part} {}", ride.model.name(), copy + 1);
                let forms = forms(&ride.model);
                add(clip, (&ride.model, &forms), DVec3::new(*x, 0.0, *z), LENGTH, &called)?;
            }
        }
        Ok(())
    };
    add_all(&mut clip).map_err(|error| Failure::machine(&error))?;
    clip.to_glb().map_err(|error| Failure::machine(&error))
}

/// A model at work by itself, from its start, as a file: as it is written, so that its
/// boxes are boxes. Parts of the first copy
/// are called as in the model, and those of others have a number besides.
///
/// # Errors
///
/// A model that does not stay finite.
pub fn animation(model: &Model, seconds: u32, keys: u32) -> Result<Vec<u8>, Failure> {
    let mut clip = Clip::new(model.name());
    let length = Length { seconds, keys, before: 0.0 };
    let called = |part: &str, copy: usize| {
        if copy == 0 { part.to_owned() } else { format!("{part} · {}", copy + 1) }
    };
    add(&mut clip, (model, &[]), DVec3::ZERO, length, &called).map_err(|error| Failure::machine(&error))?;
    clip.to_glb().map_err(|error| Failure::machine(&error))
}

/// How long an animation is, s, how many keys it has in a second, and how long a
/// ride has run before, s.
#[derive(Clone, Copy)]
struct Length {
    seconds: u32,
    keys: u32,
    before: f64,
}

/// Why a ride cannot be shown.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(transparent)]
    Motion(#[from] proscenium_cull::system::MotionError),
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// Faces that meet at less than this look like one, rad.
const CREASE: f32 = 0.6;

/// Adds a ride to a clip: a node for every part of every copy, called as is said, and
/// with a form of its own if there is one.
fn add(
    clip: &mut Clip,
    (model, forms): (&Model, &[Option<Form>]),
    place: DVec3,
    length: Length,
    called: &dyn Fn(&str, usize) -> String,
) -> Result<(), Trouble> {
    let mut meshes = Vec::new();
    for (index, part) in model.parts().iter().enumerate() {
        let form = forms.get(index).and_then(Option::as_ref);
        let mesh = match part.solid {
            None => None,
            Some(Solid::Box(half)) => Some(shapes::cuboid(2.0 * half.as_vec3(), 0.0)?),
            Some(Solid::Ball(radius)) => Some(shapes::ico_sphere(radius as f32, 2)?),
        };
        let mesh = match &part.mesh {
            Some(mesh) => Some(Mesh::flat_shaded(mesh.positions(), mesh.triangles())?),
            None => match form {
                Some(form) => Some(Mesh::smooth(&form.positions, &form.triangles, CREASE)?),
                None => mesh,
            },
        };
        let linear = part.colour.map(|share| libm::powf(share, 2.2));
        let material = clip.add_material(Material::new(format!("{} {}", model.name(), part.name), linear));
        meshes.push(mesh.map(|mesh| clip.add_mesh(mesh.with_material(material))));
    }
    for (copy, &ahead) in model.copies().iter().enumerate() {
        let tracks = tracks(model, copy, place, length, ahead)?;
        for ((part, mesh), keys) in model.parts().iter().zip(&meshes).zip(tracks) {
            let Some(mesh) = mesh.filter(|_| copy == 0 || part.each) else {
                continue;
            };
            let node = Node::new(called(&part.name, copy)).with_mesh(mesh);
            let is_still =
                keys.iter().all(|key| key.position == keys[0].position && key.orientation == keys[0].orientation);
            clip.add_node(if is_still {
                node.with_rest(keys[0].position, keys[0].orientation)
            } else {
                node.with_track(Track { keys })
            });
        }
    }
    Ok(())
}

/// The keys of every part of a copy.
fn tracks(model: &Model, copy: usize, place: DVec3, length: Length, ahead: f64) -> Result<Vec<Vec<Key>>, Trouble> {
    let mut stream = Seed(3).stream("clip").at(copy as u64);
    let mut state = model.initial(&mut stream);
    let mut now = ahead + length.before;
    model.advance(&mut state, ahead, now, &mut stream)?;
    let mut tracks = vec![Vec::new(); model.parts().len()];
    let mut outputs = Vec::new();
    for key in 0..=length.seconds * length.keys {
        model.show(&state, now, &[], &mut outputs);
        for (track, pose) in tracks.iter_mut().zip(model.poses(copy, &outputs)) {
            let (_, rotation, position) = pose.to_scale_rotation_translation();
            let time = key as f32 / length.keys as f32;
            track.push(Key::new(time, (place + position).as_vec3(), rotation.as_quat().normalize()));
        }
        let next = now + 1.0 / f64::from(length.keys);
        model.advance(&mut state, now, next, &mut stream)?;
        now = next;
    }
    Ok(tracks)
}
