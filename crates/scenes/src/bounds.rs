//! The temporal bounds of a run, for those who want to see them.

use glam::DVec3;
use proscenium_rigid::BodyId;

use crate::drawn::DrawnScene;
use crate::error::SceneErrors;
use crate::simulate::explain;

/// A body gets another temporal bound.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundNote {
    /// When, seconds.
    pub time: f64,
    /// Which body: its place among [`BoundNotes::bodies`].
    pub body: u32,
    /// The least corner of the box that the body stays in until the next.
    pub min: DVec3,
    /// The greatest.
    pub max: DVec3,
}

/// The temporal bounds of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundNotes {
    /// The names of the bodies that can move.
    pub bodies: Vec<String>,
    /// Changes, in order.
    pub changes: Vec<BoundNote>,
    /// The time up to which all changes are noted, seconds.
    pub until: f64,
}

impl DrawnScene {
    /// Simulates the scene again, and notes every temporal bound, at most so
    /// many. With more bodies than that nothing is noted at all.
    ///
    /// # Errors
    ///
    /// As [`DrawnScene::simulate`].
    pub fn bounds(&self, most: usize) -> Result<BoundNotes, SceneErrors> {
        let duration = self.scene().duration();
        let (builder, _) = self.prepared()?;
        let mut world = self.built(builder)?;
        let movers: Vec<BodyId> = world.bodies().filter(|body| world.inertia(*body).is_some()).collect();
        let bodies = movers.iter().map(|body| world.name(*body).to_owned()).collect();
        let mut notes = BoundNotes { bodies, ..BoundNotes::default() };
        let mut known = vec![None; movers.len()];
        while movers.len() <= most && notes.until < duration {
            for (place, body) in movers.iter().enumerate() {
                let bound = world.bound(*body);
                if bound == known[place] {
                    continue;
                }
                known[place] = bound;
                let Some(bound) = bound else { continue };
                let (body, time) = (place as u32, world.now());
                notes.changes.push(BoundNote { time, body, min: bound.min, max: bound.max });
            }
            if notes.changes.len() >= most {
                break;
            }
            let next = world.step().map_err(|error| explain(self, &error))?;
            notes.until = next.map_or(duration, |time| time.min(duration));
        }
        Ok(notes)
    }
}

#[cfg(test)]
mod tests {
    use crate::{SimulateOptions, builtin};
    use proscenium_chance::Seed;

    #[test]
    fn every_body_stays_in_its_bound() {
        let scene = builtin().iter().find(|scene| scene.name == "dice").unwrap().scene(&[]).unwrap();
        let drawn = scene.draw(Seed(2));
        let notes = drawn.bounds(100_000).unwrap();
        assert_eq!(notes.until, scene.duration());
        let clip = drawn.simulate(&SimulateOptions::default(), &proscenium_work::Progress::none()).unwrap().clip;
        for (body, name) in notes.bodies.iter().enumerate() {
            let node = clip.node(name).unwrap();
            let changes: Vec<_> = notes.changes.iter().filter(|change| change.body as usize == body).collect();
            assert!(!changes.is_empty(), "{name}");
            for step in 0..=200 {
                let time = scene.duration() * f64::from(step) / 200.0;
                let bound = changes[changes.partition_point(|change| change.time <= time).max(1) - 1];
                let place = clip.world_from_node(node, time as f32).unwrap().w_axis.truncate().as_dvec3();
                // The clip follows the motion within a millimetre.
                let inside = place.cmpge(bound.min - 1e-3).all() && place.cmple(bound.max + 1e-3).all();
                assert!(inside, "{name} at {time}: {place} in {bound:?}");
            }
        }
    }

    #[test]
    fn no_more_is_noted_than_was_asked_for() {
        let scene = builtin().iter().find(|scene| scene.name == "bounce").unwrap().scene(&[]).unwrap();
        let drawn = scene.draw(Seed(2));
        let few = drawn.bounds(20).unwrap();
        assert!(few.changes.len() <= 20 + few.bodies.len() && few.until < scene.duration());
        assert!(drawn.bounds(1).unwrap().changes.is_empty());
    }
}
