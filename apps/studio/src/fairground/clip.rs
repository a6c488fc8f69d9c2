//! Some rides as a short animation, for the first page.

use proscenium_clip::{Clip, ClipError, Key, Material, Node, Track, shapes};
use proscenium_cull::{Model, Seed, Solid, System as _};

use super::layout::Block;
use super::rides::Rides;
use crate::failure::Failure;

/// Rides that look well beside each other.
const SHOWN: [&str; 4] = ["tilt-a-whirl", "octopus", "pendulum-long", "ship"];
/// How long it is, s, and how many keys there are in a second.
const SECONDS: u32 = 10;
const KEYS: u32 = 16;
/// They have run for a while before, s.
const BEFORE: f64 = 20.0;

/// The rides at work, as a file.
///
/// # Errors
///
/// A model that does not stay finite.
pub fn clip(rides: &Rides) -> Result<Vec<u8>, Failure> {
    let shown = rides.all().iter().filter(|ride| SHOWN.contains(&ride.name)).collect::<Vec<_>>();
    let bounds = shown.iter().map(|ride| ride.bounds()).collect::<Result<Vec<_>, _>>()?;
    let places = Block::new(&bounds).places;
    let mut clip = Clip::new("fairground");
    for (ride, place) in shown.iter().zip(places) {
        add(&mut clip, &ride.model, place).map_err(|error| Failure::machine(&error))?;
    }
    clip.to_glb().map_err(|error| Failure::machine(&error))
}

/// Why a ride cannot be shown.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(transparent)]
    Motion(#[from] proscenium_cull::MotionError),
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// Adds a ride to a clip: a node for every part of every copy.
fn add(clip: &mut Clip, model: &Model, place: proscenium_cull::glam::DVec3) -> Result<(), Trouble> {
    let mut meshes = Vec::new();
    for part in model.parts() {
        let mesh = match part.solid {
            None => None,
            Some(Solid::Box(half)) => Some(shapes::cuboid(2.0 * half.as_vec3(), 0.0)?),
            Some(Solid::Ball(radius)) => Some(shapes::ico_sphere(radius as f32, 2)?),
        };
        let linear = part.colour.map(|share| libm::powf(share, 2.2));
        let material = clip.add_material(Material::new(format!("{} {}", model.name(), part.name), linear));
        meshes.push(mesh.map(|mesh| clip.add_mesh(mesh.with_material(material))));
    }
    for (copy, &ahead) in model.copies().iter().enumerate() {
        let tracks = tracks(model, copy, ahead, place)?;
        for ((part, mesh), keys) in model.parts().iter().zip(&meshes).zip(tracks) {
            let Some(mesh) = mesh.filter(|_| copy == 0 || part.each) else {
                continue;
            };
            let node = Node::new(format!("{} {} {}", model.name(), part.name, copy + 1)).with_mesh(mesh);
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
fn tracks(
    model: &Model,
    copy: usize,
    ahead: f64,
    place: proscenium_cull::glam::DVec3,
) -> Result<Vec<Vec<Key>>, Trouble> {
    let mut stream = Seed(3).stream("clip").at(copy as u64);
    let mut state = model.initial(&mut stream);
    let mut now = ahead + BEFORE;
    model.advance(&mut state, ahead, now, &mut stream)?;
    let mut tracks = vec![Vec::new(); model.parts().len()];
    let mut outputs = Vec::new();
    for key in 0..=SECONDS * KEYS {
        model.show(&state, now, &[], &mut outputs);
        for (track, pose) in tracks.iter_mut().zip(model.poses(copy, &outputs)) {
            let (_, rotation, position) = pose.to_scale_rotation_translation();
            let time = key as f32 / KEYS as f32;
            track.push(Key::new(time, (place + position).as_vec3(), rotation.as_quat().normalize()));
        }
        let next = now + 1.0 / f64::from(KEYS);
        model.advance(&mut state, now, next, &mut stream)?;
        now = next;
    }
    Ok(tracks)
}
