//! A drive as an animation: the streets that were seen, and the cars.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DQuat, DVec2, DVec3, Quat, Vec3};
use proscenium_city::driving::Vehicle;
use proscenium_city::map::RoadId;
use proscenium_city::{CarId, City};
use proscenium_clip::{Clip, ClipError, Material, Node, Track, shapes};
use proscenium_work::{Completion, Progress};

use super::streets_watched;

/// Colours that cars come in.
const COLORS: [[f32; 3]; 6] =
    [[0.75, 0.08, 0.06], [0.05, 0.2, 0.55], [0.85, 0.85, 0.82], [0.06, 0.06, 0.07], [0.9, 0.6, 0.05], [0.1, 0.4, 0.2]];
/// Where cars are while nobody sees them: under the road, metres.
const AWAY: f64 = -50.0;
/// Heights of a car: its body, and its cabin, metres.
const HEIGHTS: [f32; 2] = [0.75, 0.6];

/// What cars did in view: time, place and direction.
type Moments = Vec<(f64, DVec3, DQuat)>;

/// Collects what viewers see, frame by frame, and makes a clip of it.
#[derive(Clone, Debug, Default)]
pub struct Film {
    cars: BTreeMap<CarId, Moments>,
    roads: BTreeSet<RoadId>,
    last: f64,
}

impl Film {
    /// Keeps what a city shows at a time.
    pub fn expose(&mut self, now: f64, city: &City) {
        if let Some(sight) = city.sight() {
            self.roads.extend(sight.roads().iter().copied());
        }
        let before = self.last;
        for car in city.visible() {
            let (_, turn, place) = car.world_from_body.to_scale_rotation_translation();
            let moments = self.cars.entry(car.id).or_default();
            let buried = |(time, place, turn): &(f64, DVec3, DQuat)| (*time, place.with_y(AWAY), *turn);
            if let Some(last) = moments.last().copied().filter(|last| last.0 < before) {
                // It sank when it went out of view, and comes up when it is back.
                let mut gone = buried(&last);
                gone.0 += 1e-3;
                moments.push(gone);
                moments.push((now - 1e-3, place.with_y(AWAY), turn));
            } else if moments.is_empty() && now > 1e-3 {
                moments.push((now - 1e-3, place.with_y(AWAY), turn));
            }
            moments.push((now, place, turn));
        }
        self.last = now;
    }

    /// The clip, with its origin in the middle of what was seen.
    ///
    /// # Errors
    /// When the clip cannot be made.
    pub fn develop(&self, city: &City) -> Result<Clip, ClipError> {
        self.develop_watched(city, &Progress::none()).map(|clip| clip.finished().expect("nobody stops it"))
    }

    /// As [`Film::develop`], for those who watch or may want it to stop.
    ///
    /// # Errors
    /// As [`Film::develop`].
    pub fn develop_watched(&self, city: &City, progress: &Progress) -> Result<Completion<Clip>, ClipError> {
        let roads: Vec<RoadId> = self.roads.iter().copied().collect();
        let middle = |road: &RoadId| city.map().road_points(*road)[0];
        let origin = roads.iter().map(middle).sum::<DVec2>() / roads.len().max(1) as f64;
        let streets = streets_watched(city.map(), &roads, origin, &progress.part(0.0, 0.5))?;
        let Completion::Finished(mut clip) = streets else {
            return Ok(Completion::Stopped);
        };
        let vehicle = Vehicle::default();
        let body = Vec3::new(vehicle.length as f32, HEIGHTS[0], vehicle.width as f32);
        let cabin = Vec3::new(0.5 * body.x, HEIGHTS[1], 0.85 * body.z);
        let glass = clip.add_material(Material::new("glass", [0.05, 0.06, 0.08]).with_roughness(0.2));
        let cabin = clip.add_mesh(shapes::cuboid(cabin, 0.15)?.with_name("cabin").with_material(glass));
        let mut bodies = Vec::new();
        for (number, color) in COLORS.into_iter().enumerate() {
            let paint = clip.add_material(Material::new(format!("paint {}", number + 1), color).with_roughness(0.4));
            bodies.push(clip.add_mesh(shapes::cuboid(body, 0.12)?.with_name("body").with_material(paint)));
        }
        for (number, (id, moments)) in self.cars.iter().enumerate() {
            if progress.tell("cars", 0.5 + 0.5 * number as f64 / self.cars.len() as f64).is_err() {
                return Ok(Completion::Stopped);
            }
            let shift = DVec3::new(origin.x, 0.0, origin.y);
            let lift = 0.25 + 0.5 * f64::from(HEIGHTS[0]);
            let mut samples: Moments =
                moments.iter().map(|(time, place, turn)| (*time, *place - shift + DVec3::Y * lift, *turn)).collect();
            if let Some(&(time, place, turn)) = samples.last().filter(|last| last.0 < self.last) {
                samples.push((time + 1e-3, place.with_y(AWAY), turn));
            }
            let track = Track::from_samples(samples)?.reduce(0.01, 0.01);
            let mesh = bodies[id.0 as usize % bodies.len()];
            let node = clip.add_node(Node::new(format!("car {}", id.0)).with_mesh(mesh).with_track(track));
            let up = Vec3::new(-0.2, 0.5 * (HEIGHTS[0] + HEIGHTS[1]), 0.0);
            let roof = Node::new(format!("cabin {}", id.0)).with_mesh(cabin).with_rest(up, Quat::IDENTITY);
            clip.add_node(roof.with_parent(node));
        }
        clip.duration_secs = clip.duration_secs.max(self.last as f32);
        Ok(Completion::Finished(clip))
    }
}
