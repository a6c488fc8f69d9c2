//! How well a level of a tree fits its solid.

use glam::DVec3;
use proscenium_chance::Seed;
use proscenium_geometry::{Bounds, TriangleMesh, nearest_of_triangle};
use proscenium_work::{Completion, Finish as _, Halt, Progress, Stopped};

use super::VolumeModel;
use crate::LodError;

/// Points for the excess volume of a level: a standard error below 1 % of the
/// sampled box.
const SAMPLES: u32 = 20_000;

/// How one level fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelMeasure {
    /// Steps from the root.
    pub level: u32,
    /// How many nodes cover the solid.
    pub nodes: usize,
    /// What the nodes cover beyond the solid, as a share of its volume.
    pub excess_volume: f64,
    /// The farthest that the nodes reach beyond the solid, metres: the directed
    /// Hausdorff distance from the cover to the solid, over points on the nodes.
    pub hausdorff: f64,
    /// The mean reach of a node, metres.
    pub mean_reach: f64,
}

impl VolumeModel {
    /// Measures every level.
    ///
    /// # Errors
    /// Never for a model that was built.
    pub fn measure(&self, progress: &Progress) -> Result<Completion<Vec<LevelMeasure>>, LodError> {
        self.measure_levels(progress).finish()
    }

    fn measure_levels(&self, progress: &Progress) -> Result<Vec<LevelMeasure>, Halt<LodError>> {
        let surface = TriangleMesh::new(self.mesh.vertices.clone(), &self.mesh.triangles).map_err(LodError::from)?;
        let mut measures = Vec::new();
        for level in 0..=self.depth() {
            progress.tell("measuring the levels", f64::from(level) / f64::from(self.depth() + 1))?;
            let cover = self.cover(level);
            measures.push(LevelMeasure {
                level,
                nodes: cover.len(),
                excess_volume: self.covered_volume(&cover, progress)? / self.inertia.mass - 1.0,
                hausdorff: self.hausdorff(&cover, &surface, progress)?,
                mean_reach: cover.iter().map(|node| self.nodes[*node].volume.reach()).sum::<f64>() / cover.len() as f64,
            });
        }
        Ok(measures)
    }

    /// The volume of the union of some nodes, by counting points.
    fn covered_volume(&self, cover: &[usize], progress: &Progress) -> Result<f64, Stopped> {
        let volumes: Vec<_> = cover.iter().map(|node| &self.nodes[*node].volume).collect();
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for volume in &volumes {
            (low, high) = (low.min(volume.center - volume.reach()), high.max(volume.center + volume.reach()));
        }
        let mut stream = Seed(0).stream("lod covered volume");
        let reaches: Vec<f64> = volumes.iter().map(|volume| volume.reach() * volume.reach()).collect();
        let mut inside = 0_u32;
        for _ in 0..SAMPLES {
            progress.check()?;
            let point = low + (high - low) * DVec3::new(stream.uniform(), stream.uniform(), stream.uniform());
            let mut near = volumes.iter().zip(&reaches);
            let is_in =
                near.any(|(volume, reach)| point.distance_squared(volume.center) <= *reach && volume.contains(point));
            inside += u32::from(is_in);
        }
        Ok(f64::from(inside) / f64::from(SAMPLES) * (high - low).element_product())
    }

    fn hausdorff(&self, cover: &[usize], surface: &TriangleMesh, progress: &Progress) -> Result<f64, Stopped> {
        let directions: Vec<DVec3> = directions();
        let mut farthest = 0.0_f64;
        for node in cover {
            progress.check()?;
            let volume = &self.nodes[*node].volume;
            // No point of the volume is farther from the solid than this, so
            // a node that cannot matter is passed over.
            let center = distance(surface, volume.center);
            if center + volume.reach() <= farthest {
                continue;
            }
            for direction in &directions {
                progress.check()?;
                let corner = volume.core().iter().map(|axis| axis.dot(*direction).signum() * *axis).sum::<DVec3>();
                let point = volume.center + corner + volume.radius * *direction;
                let far = distance(surface, point);
                if far > farthest && !is_inside(surface, point) {
                    farthest = far;
                }
            }
        }
        Ok(farthest)
    }
}

/// The faces, edges and corners of a cube as directions.
fn directions() -> Vec<DVec3> {
    let step = |number: i32| f64::from(number % 3 - 1);
    (0..27).filter_map(|k| DVec3::new(step(k), step(k / 3), step(k / 9)).try_normalize()).collect()
}

/// The distance from a point to a surface: in boxes that grow until something
/// is found in them.
pub(crate) fn distance(surface: &TriangleMesh, point: DVec3) -> f64 {
    let size = surface.bounds().size().length();
    let mut half = 0.02 * size;
    loop {
        let near = surface.triangles_near(&Bounds::around_sphere(point, half));
        let least = near
            .iter()
            .map(|triangle| nearest_of_triangle(point, surface.corners(*triangle)).distance(point))
            .fold(f64::INFINITY, f64::min);
        // Beyond the box something nearer may have been missed.
        if least <= half || half > 1e3 * size {
            return least;
        }
        half *= 2.0;
    }
}

/// Whether a point lies in a closed surface: how often a ray crosses it.
pub(crate) fn is_inside(surface: &TriangleMesh, point: DVec3) -> bool {
    let bounds = surface.bounds();
    if !bounds.contains_point(point) {
        return false;
    }
    let hair = 1e-9 * bounds.size().length();
    let ray = Bounds { min: point - hair, max: DVec3::new(bounds.max.x + hair, point.y + hair, point.z + hair) };
    let crossings = surface.triangles_near(&ray).into_iter().filter(|triangle| {
        let [a, b, c] = surface.corners(*triangle).map(|corner| corner - point);
        // Off the point by what no modeller chooses, so that edges are not met.
        let (y, z) = (0.617e-3 * hair, -0.731e-3 * hair);
        let side = |p: DVec3, q: DVec3| (q.y - p.y) * (z - p.z) - (q.z - p.z) * (y - p.y);
        let (u, v, w) = (side(a, b), side(b, c), side(c, a));
        let inside = (u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0);
        inside && (v * a.x + w * b.x + u * c.x) / (u + v + w) > 0.0
    });
    crossings.count() % 2 == 1
}
