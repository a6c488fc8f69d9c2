//! Scenes that come with it: concave bodies in a closed box.

use std::sync::Arc;

use glam::DVec3;
use proscenium_bodies::{Material, Motion};
use proscenium_chance::Seed;
use proscenium_geometry::Pose;
use proscenium_view::Camera;
use proscenium_work::{Completion, Finish as _, Halt, Progress};

use crate::LodError;
use crate::figure::{Figure, person};
use crate::mesh::{BUILT_IN, built_in};
use crate::tree::{TreeSettings, VolumeModel};
use crate::world::{Settings, Viewer, World};

/// The names of the built-in scenes: one of each mesh, and all together.
pub const SCENES: [&str; 8] = ["bowls", "crowd", "jacks", "knots", "l-shapes", "people", "tori", "vases"];

/// The figure that a built-in scene is a crowd of; `None` where bodies have no joints.
///
/// ```
/// use proscenium_lod::scene::figure_of;
///
/// assert!(figure_of("people").is_some() && figure_of("knots").is_none());
/// ```
pub fn figure_of(scene: &str) -> Option<Figure> {
    (scene == "people").then(|| person().ok()).flatten()
}

/// Bodies in a closed box.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// How many.
    pub count: usize,
    /// Triangles of each mesh, at least.
    pub triangles: usize,
    /// The trees.
    pub tree: TreeSettings,
    /// How fast bodies start, m/s.
    pub speed: f64,
    /// The distance between the middles of bodies at the start, in radii.
    pub spacing: f64,
    /// What they are made of.
    pub material: Material,
    /// What each is, where it has joints: the models are then those of its segments,
    /// in order. [`figure_of`] has that of a scene.
    pub figure: Option<Figure>,
}

impl Default for Crowd {
    fn default() -> Self {
        Self {
            count: 100,
            triangles: 5000,
            tree: TreeSettings::default(),
            speed: 0.6,
            spacing: 1.7,
            material: Material::new(700.0, 0.5, 0.3),
            figure: None,
        }
    }
}

/// The radius of the bodies of a built-in scene, metres.
const RADIUS: f64 = 0.5;

impl Crowd {
    /// The models of a built-in scene, each of a radius of about half a metre.
    ///
    /// # Errors
    /// When no scene has this name, or a tree cannot be built.
    pub fn models(&self, scene: &str, progress: &Progress) -> Result<Completion<Vec<Arc<VolumeModel>>>, LodError> {
        self.try_models(scene, progress).finish()
    }

    fn try_models(&self, scene: &str, progress: &Progress) -> Result<Vec<Arc<VolumeModel>>, Halt<LodError>> {
        if let Some(figure) = figure_of(scene) {
            // Segments are simple: fewer levels say as much.
            let tree = TreeSettings { depth: self.tree.depth.min(4), ..self.tree };
            return figure.try_models(tree, progress);
        }
        let meshes: Vec<&str> = match scene {
            "crowd" => BUILT_IN.to_vec(),
            "bowls" => vec!["bowl"],
            "jacks" => vec!["jack"],
            "knots" => vec!["knot"],
            "l-shapes" => vec!["l-shape"],
            "tori" => vec!["torus"],
            "vases" => vec!["vase"],
            _ => {
                let known = SCENES.join(", ");
                return Err(LodError::Unknown { what: "scene", name: scene.to_owned(), known }.into());
            }
        };
        let count = meshes.len() as f64;
        let model = |(index, name): (usize, &str)| {
            let part = progress.part(index as f64 / count, (index + 1) as f64 / count);
            let mesh = built_in(name, self.triangles)?.scaled(RADIUS)?;
            Ok(Arc::new(VolumeModel::try_build(name, &mesh, self.tree, &part)?))
        };
        meshes.into_iter().enumerate().map(model).collect()
    }

    /// Half the edge of the box that so many bodies of a radius, or figures, start in.
    pub fn half_box(&self, radius: f64) -> f64 {
        let radius = self.figure.as_ref().map_or(radius, |figure| figure.ball().1);
        0.5 * self.side() as f64 * self.spacing * radius + 0.3 * radius
    }

    fn side(&self) -> usize {
        (1..).find(|side: &usize| side.pow(3) >= self.count).unwrap_or(1)
    }

    /// A world with the models in turn, at the places of a grid, turned and
    /// moving at random.
    ///
    /// # Errors
    /// When a setting is out of range or there are no models.
    pub fn world(&self, models: &[Arc<VolumeModel>], settings: Settings, seed: Seed) -> Result<World, LodError> {
        crate::error::positive("the spacing", self.spacing)?;
        if self.count > 1_000_000 || models.is_empty() {
            let remedy = "give up to a million bodies, and a model for them";
            return Err(LodError::Number { what: "the number of bodies", value: self.count as f64, remedy });
        }
        let radius = models.iter().map(|model| model.radius()).fold(0.0, f64::max);
        let mut world = World::with(settings, seed)?;
        let radius = self.figure.as_ref().map_or(radius, |figure| figure.ball().1);
        let half = self.half_box(radius);
        world.add_box(DVec3::splat(half))?;
        let side = self.side();
        let places = seed.stream("lod crowd");
        for index in 0..self.count {
            let mut stream = places.at(index as u64);
            let cell = DVec3::new((index % side) as f64, (index / (side * side)) as f64, (index / side % side) as f64);
            let position = (cell - 0.5 * (side as f64 - 1.0)) * self.spacing * radius;
            let motion = Motion {
                position,
                orientation: stream.rotation(),
                velocity: self.speed * stream.unit_vector(),
                spin: 0.25 * self.speed / radius * stream.unit_vector(),
            };
            match &self.figure {
                Some(figure) => {
                    let (mut standing, middle) = (figure.clone(), figure.ball().0);
                    standing.stand(Pose::new(position - motion.orientation * middle, motion.orientation));
                    standing.enter(&mut world, models, &motion, self.material)?;
                }
                None => {
                    world.add(&models[index % models.len()], motion, self.material)?;
                }
            }
        }
        Ok(world)
    }

    /// Somebody who looks into the box from its front side.
    ///
    /// # Errors
    /// Never for a box with a size.
    pub fn viewer(&self, radius: f64, aspect: f64) -> Result<Viewer, LodError> {
        let half = self.half_box(radius);
        let eye = DVec3::new(0.55 * half, 0.75 * half, 2.9 * half);
        Ok(Viewer::new(Camera::look_at(eye, DVec3::new(0.0, -0.15 * half, 0.0), 0.7, aspect)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::TreeKind;
    use crate::world::Budget;

    #[test]
    fn every_scene_runs() {
        let tree = TreeSettings { kind: TreeKind::Adaptive, depth: 2 };
        for scene in SCENES {
            let crowd = Crowd { count: 20, triangles: 600, tree, figure: figure_of(scene), ..Crowd::default() };
            let models = crowd.models(scene, &Progress::none()).unwrap().finished().unwrap();
            let mut world = crowd.world(&models, Settings::default(), Seed(3)).unwrap();
            let viewer = crowd.viewer(models[0].radius(), 1.5).unwrap();
            for frame in 1..=20 {
                world.advance(f64::from(frame) / 60.0, &[viewer], Budget::Tests(100_000)).unwrap();
            }
            assert_eq!(world.len(), if scene == "people" { 14 * 20 } else { 20 });
        }
        assert!(Crowd::default().models("teapots", &Progress::none()).is_err());
    }
}
