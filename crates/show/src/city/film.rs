//! A drive as an animation: the streets that were seen, and the cars.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DQuat, DVec2, DVec3, Quat, Vec3};
use proscenium_city::driving::VehicleKind;
use proscenium_city::map::RoadId;
use proscenium_city::{CarId, City};
use proscenium_clip::{Clip, ClipError, Material, Node, Track};
use proscenium_view::{Camera, CameraKey, ViewError, ViewerPath};
use proscenium_work::{Completion, Progress};

use super::streets_watched;
use super::vehicle::{CarPart, vehicle_parts, wheel_places};

/// Colours that cars come in.
const COLORS: [[f32; 3]; 6] =
    [[0.75, 0.08, 0.06], [0.05, 0.2, 0.55], [0.85, 0.85, 0.82], [0.06, 0.06, 0.07], [0.9, 0.6, 0.05], [0.1, 0.4, 0.2]];
/// Where cars are while nobody sees them: under the road, metres.
const AWAY: f64 = -50.0;

/// What cars did in view: time, place and direction.
type Moments = Vec<(f64, DVec3, DQuat)>;

/// Collects what viewers see, frame by frame, and makes a clip of it.
#[derive(Clone, Debug, Default)]
pub struct Film {
    cars: BTreeMap<CarId, (VehicleKind, Moments)>,
    roads: BTreeSet<RoadId>,
    cameras: Vec<CameraKey>,
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
            let (_, moments) = self.cars.entry(car.id).or_insert((car.kind, Vec::new()));
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

    /// Keeps where the viewer was at a time, so that the clip can be seen from there.
    pub fn follow(&mut self, time: f64, camera: Camera) {
        self.cameras.push(CameraKey { time, camera });
    }

    /// The way of the viewer who was followed, in the clip that is developed.
    ///
    /// # Errors
    /// When nobody was followed, or not forwards in time.
    pub fn way(&self, city: &City) -> Result<ViewerPath, ViewError> {
        let origin = self.origin(city);
        let from_origin = |key: &CameraKey| {
            let position = key.camera.position - DVec3::new(origin.x, 0.0, origin.y);
            CameraKey { time: key.time, camera: Camera { position, ..key.camera } }
        };
        ViewerPath::new(self.cameras.iter().map(from_origin).collect())
    }

    /// The middle of the roads that were seen.
    fn origin(&self, city: &City) -> DVec2 {
        let begins = self.roads.iter().map(|road| city.map().road_points(*road)[0]);
        begins.sum::<DVec2>() / self.roads.len().max(1) as f64
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
        let origin = self.origin(city);
        let streets = streets_watched(city.map(), &roads, origin, &progress.part(0.0, 0.5))?;
        let Completion::Finished(mut clip) = streets else {
            return Ok(Completion::Stopped);
        };
        let mut looks = Looks::default();
        for (number, (id, (kind, moments))) in self.cars.iter().enumerate() {
            if progress.tell("cars", 0.5 + 0.5 * number as f64 / self.cars.len() as f64).is_err() {
                return Ok(Completion::Stopped);
            }
            let shift = DVec3::new(origin.x, 0.0, origin.y);
            let mut samples: Moments =
                moments.iter().map(|(time, place, turn)| (*time, *place - shift, *turn)).collect();
            if let Some(&(time, place, turn)) = samples.last().filter(|last| last.0 < self.last) {
                samples.push((time + 1e-3, place.with_y(AWAY), turn));
            }
            let track = Track::from_samples(samples)?.reduce(0.01, 0.01);
            looks.add(&mut clip, *id, *kind, track);
        }
        clip.duration_secs = clip.duration_secs.max(self.last as f32);
        Ok(Completion::Finished(clip))
    }
}

/// What vehicles are made of, as meshes of a clip: of each kind that was seen.
#[derive(Default)]
struct Looks(BTreeMap<VehicleKind, Look>);

/// What a kind of vehicle is made of.
#[derive(Default)]
struct Look {
    /// The body, in each colour.
    bodies: Vec<usize>,
    /// What else stands still in the car, and where its wheels have something.
    others: Vec<(&'static str, usize, Vec3)>,
}

impl Look {
    fn new(clip: &mut Clip, kind: VehicleKind) -> Self {
        let mut looks = Self::default();
        for (part, mesh) in vehicle_parts(kind) {
            let (name, color, roughness) = finish(part);
            if part == CarPart::Paint {
                for (number, color) in COLORS.into_iter().enumerate() {
                    let paint = Material::new(format!("paint {}", number + 1), color).with_roughness(roughness);
                    let paint = clip.add_material(paint);
                    looks.bodies.push(clip.add_mesh(mesh.clone().with_material(paint)));
                }
                continue;
            }
            let material = clip.add_material(Material::new(name, color).with_roughness(roughness));
            let mesh = clip.add_mesh(mesh.with_material(material));
            match part {
                CarPart::Tyre | CarPart::Hub => {
                    looks.others.extend(wheel_places().map(|(place, _)| (name, mesh, place.as_vec3())));
                }
                _ => looks.others.push((name, mesh, Vec3::ZERO)),
            }
        }
        looks
    }
}

impl Looks {
    /// Adds a vehicle that moves as it is told.
    fn add(&mut self, clip: &mut Clip, CarId(id): CarId, kind: VehicleKind, track: Track) {
        let look = self.0.entry(kind).or_insert_with(|| Look::new(clip, kind));
        let body = look.bodies[id as usize % look.bodies.len()];
        let car = clip.add_node(Node::new(format!("car {id}")).with_mesh(body).with_track(track));
        for (number, (name, mesh, place)) in look.others.iter().enumerate() {
            let part = Node::new(format!("{name} {id}.{number}")).with_mesh(*mesh);
            clip.add_node(part.with_rest(*place, Quat::IDENTITY).with_parent(car));
        }
    }
}

/// What a part is called, its colour, and how rough it is.
fn finish(part: CarPart) -> (&'static str, [f32; 3], f32) {
    match part {
        CarPart::Paint => ("paint", COLORS[0], 0.4),
        CarPart::Glass => ("glass", [0.02, 0.03, 0.04], 0.15),
        CarPart::Trim => ("trim", [0.02, 0.02, 0.02], 0.7),
        CarPart::Headlamps => ("headlamps", [0.9, 0.88, 0.8], 0.3),
        CarPart::Taillamps => ("taillamps", [0.35, 0.01, 0.01], 0.3),
        CarPart::Tyre => ("tyre", [0.02, 0.02, 0.02], 0.9),
        CarPart::Hub => ("hub", [0.5, 0.52, 0.54], 0.4),
    }
}
