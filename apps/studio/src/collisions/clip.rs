//! A pile of bodies as a short animation, for the first page.

use proscenium_chance::Seed;
use proscenium_lod::{Budget, Crowd, LodError, Recorder, Settings, TreeSettings};
use proscenium_work::Progress;

use crate::failure::Failure;

/// How long it is, frames of a sixtieth of a second.
const FRAMES: u32 = 300;
/// What a frame may cost, node tests.
const TESTS: u64 = 200_000;

/// Knots that fall into a box, as a file.
///
/// # Errors
///
/// Never but for want of memory.
pub fn clip() -> Result<Vec<u8>, Failure> {
    let fallen = || -> Result<_, LodError> {
        let tree = TreeSettings { depth: 4, ..TreeSettings::default() };
        let crowd = Crowd { count: 27, triangles: 900, tree, spacing: 1.4, ..Crowd::default() };
        let models = crowd.models("knots", &Progress::none())?.finished().expect("nobody stops it");
        let mut world = crowd.world(&models, Settings::default(), Seed(2))?;
        let viewer = crowd.viewer(models[0].radius(), 1.6)?;
        let mut recorder = Recorder::new();
        recorder.look(&world)?;
        for frame in 1..=FRAMES {
            world.advance(f64::from(frame) / 60.0, &[viewer], Budget::Tests(TESTS))?;
            recorder.look(&world)?;
        }
        recorder.clip("knots", &world, &Progress::none())
    };
    let clip = fallen().map_err(|error| Failure::machine(&error))?.finished().expect("nobody stops it");
    clip.to_glb().map_err(|error| Failure::machine(&error))
}
