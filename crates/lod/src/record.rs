//! From frames to a clip.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use proscenium_clip::{Clip, Material, Node, Track};
use proscenium_work::{Completion, Finish as _, Halt, Progress};

use crate::LodError;
use crate::tree::VolumeModel;
use crate::world::{BodyId, World};

/// The colours that bodies take in turn, linear.
const COLOURS: [[f32; 3]; 6] = [
    [0.70, 0.22, 0.12],
    [0.12, 0.36, 0.62],
    [0.80, 0.56, 0.10],
    [0.18, 0.46, 0.24],
    [0.48, 0.22, 0.50],
    [0.62, 0.60, 0.56],
];

/// Keeps where bodies are, frame by frame.
///
/// ```
/// use proscenium_chance::Seed;
/// use proscenium_lod::{Budget, Crowd, Recorder, Settings, TreeSettings};
/// use proscenium_work::Progress;
///
/// let tree = TreeSettings { depth: 2, ..TreeSettings::default() };
/// let crowd = Crowd { count: 3, triangles: 500, tree, ..Crowd::default() };
/// let models = crowd.models("jacks", &Progress::none())?.finished().expect("nobody stops it");
/// let mut world = crowd.world(&models, Settings::default(), Seed(1))?;
/// let mut recorder = Recorder::new();
/// for frame in 1..=12 {
///     world.advance(f64::from(frame) / 60.0, &[], Budget::Unlimited)?;
///     recorder.look(&world)?;
/// }
/// let clip = recorder.clip("jacks", &world, &Progress::none())?.finished().expect("nobody stops it");
/// assert_eq!((clip.nodes.len(), clip.meshes.len()), (3, 3));
/// # Ok::<(), proscenium_lod::LodError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    frames: Vec<(f64, Vec<(DVec3, DQuat)>)>,
}

impl Recorder {
    /// A recorder that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps where everything is now.
    ///
    /// # Errors
    /// Never for the world that it began with.
    pub fn look(&mut self, world: &World) -> Result<(), LodError> {
        let place = |index| world.motion(BodyId(index)).map(|motion| (motion.position, motion.orientation));
        let places = (0..world.len() as u32).map(place).collect::<Result<_, _>>()?;
        self.frames.push((world.now(), places));
        Ok(())
    }

    /// What was seen, as a clip: a node for each body, reduced to the keys that
    /// show.
    ///
    /// # Errors
    /// When nothing was seen, or a number does not fit in 32 bits.
    pub fn clip(&self, name: &str, world: &World, progress: &Progress) -> Result<Completion<Clip>, LodError> {
        self.try_clip(name, world, progress).finish()
    }

    fn try_clip(&self, name: &str, world: &World, progress: &Progress) -> Result<Clip, Halt<LodError>> {
        let bodies = progress.counter("reducing motions", world.len());
        let mut clip = Clip::new(name);
        for (number, colour) in COLOURS.iter().enumerate() {
            clip.add_material(Material::new(format!("paint {number}"), *colour));
        }
        let start = self.frames.first().map_or(0.0, |frame| frame.0);
        // A mesh for each model and colour, made when it is first needed.
        let mut meshes: Vec<(Arc<VolumeModel>, usize, usize)> = Vec::new();
        for body in 0..world.len() as u32 {
            let model = world.model(BodyId(body))?;
            let colour = body as usize % COLOURS.len();
            let known = meshes.iter().find(|(other, paint, _)| Arc::ptr_eq(other, model) && *paint == colour);
            let mesh = match known {
                Some((_, _, mesh)) => *mesh,
                None => {
                    let mesh = clip.add_mesh(model.clip_mesh()?.with_material(colour));
                    meshes.push((Arc::clone(model), colour, mesh));
                    mesh
                }
            };
            let samples = self.frames.iter().map(|(time, places)| {
                let (position, orientation) = places[body as usize];
                (time - start, position, orientation)
            });
            let size = model.radius() as f32;
            let track = Track::from_samples(samples).map_err(|error| LodError::Clip(error.to_string()))?;
            let track = track.reduce(2e-3 * size, 2e-3);
            clip.add_node(Node::new(format!("{}-{body}", model.name())).with_mesh(mesh).with_track(track));
            bodies.count()?;
        }
        Ok(clip)
    }
}
