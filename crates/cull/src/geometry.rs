//! What a model looks like: parts that hang on each other and follow outputs.

use std::sync::Arc;

use glam::{DAffine3, DQuat, DVec3};
use proscenium_chance::Seed;
use proscenium_expression::Tape;
use proscenium_work::{Completion, Progress};
use serde::{Deserialize, Serialize};

use crate::model::Model;
use crate::system::{MotionError, State, System as _, wrap};

/// While bounds are found, parts are looked at so often, seconds. Chosen: about as far as a
/// tenth of the box, which is to spare, goes for the fastest ride.
const BETWEEN_LOOKS: f64 = 0.1;

/// What moves once in minutes is looked at for about an hour more, at times that hardly any
/// period has in common, if all that takes no more than so many additions.
const BETWEEN_FAR_LOOKS: f64 = 7.31;
const FAR_LOOKS: u32 = 490;
const FAR_WORK: f64 = 2e9;

/// A part of a model: a solid, and how it hangs on its parent.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it is called.
    pub name: String,
    /// The part that carries it, an earlier one.
    pub parent: Option<usize>,
    /// Whether every copy has one, and not the whole model only one.
    pub each: bool,
    /// What it looks like.
    pub solid: Option<Solid>,
    /// The file with its mesh, if it looks like one.
    pub mesh_file: Option<String>,
    /// That mesh, once it was loaded.
    pub mesh: Option<Arc<PartMesh>>,
    /// Red, green and blue from 0 to 1.
    pub colour: [f32; 3],
    /// Where it is moved (three results), the axis it turns about (three) and
    /// the angle: functions of the outputs and the number of the copy.
    pub(crate) placement: Tape,
}

/// A mesh that a part looks like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartMesh {
    positions: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl PartMesh {
    /// A mesh of positions, metres, and triangles between them, counter-clockwise seen from
    /// outside. `None` if there are no triangles, a number is not finite, or a triangle has
    /// a corner that is not there.
    pub fn new(positions: Vec<[f32; 3]>, triangles: Vec<[u32; 3]>) -> Option<Self> {
        let mesh = Self { positions, triangles };
        mesh.is_sound().then_some(mesh)
    }

    pub(crate) fn is_sound(&self) -> bool {
        let is_there = |corner: &u32| (*corner as usize) < self.positions.len();
        !self.triangles.is_empty()
            && self.positions.iter().flatten().all(|number| number.is_finite())
            && self.triangles.iter().flatten().all(is_there)
    }

    /// Where its corners are.
    pub fn positions(&self) -> &[[f32; 3]] {
        &self.positions
    }

    /// Which three corners each triangle has.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::NOTHING;
        for position in &self.positions {
            bounds.include(DVec3::from_array(position.map(f64::from)));
        }
        bounds
    }
}

impl Part {
    /// The box around it in its own coordinates; `None` if nothing is seen of it.
    fn bounds(&self) -> Option<Bounds> {
        if let Some(mesh) = &self.mesh {
            return Some(mesh.bounds());
        }
        let half = self.solid.map(|solid| solid.half_sides())?;
        Some(Bounds { min: -half, max: half })
    }
}

/// A simple solid, its middle at the part's origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// A box with these half sides, metres.
    Box(DVec3),
    /// A ball of this radius, metres.
    Ball(f64),
}

impl Solid {
    /// Half the sides of the box around it.
    pub fn half_sides(&self) -> DVec3 {
        match self {
            Solid::Box(half) => *half,
            Solid::Ball(radius) => DVec3::splat(*radius),
        }
    }
}

/// A box that holds something, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least coordinates.
    pub min: DVec3,
    /// The greatest coordinates.
    pub max: DVec3,
}

impl Bounds {
    /// Around nothing: the greatest coordinates are less than the least.
    pub(crate) const NOTHING: Bounds = Bounds { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// A cube around the origin.
    pub fn cube(half: f64) -> Self {
        Self { min: DVec3::splat(-half), max: DVec3::splat(half) }
    }

    /// The same box somewhere else.
    #[must_use]
    pub fn moved(self, by: DVec3) -> Self {
        Self { min: self.min + by, max: self.max + by }
    }

    /// A box around the same box, turned about the origin.
    #[must_use]
    pub fn turned(self, by: DQuat) -> Self {
        if by == DQuat::IDENTITY {
            return self;
        }
        let mut around = Bounds::NOTHING;
        for corner in 0..8 {
            around.include(by * self.corner(corner));
        }
        around
    }

    /// One of the eight corners.
    fn corner(self, number: u32) -> DVec3 {
        let pick = |bit: u32, low: f64, high: f64| if number & bit == 0 { low } else { high };
        let (min, max) = (self.min, self.max);
        DVec3::new(pick(1, min.x, max.x), pick(2, min.y, max.y), pick(4, min.z, max.z))
    }

    /// The smallest box around all.
    pub(crate) fn around(all: &[Bounds]) -> Self {
        all.iter().copied().fold(Self::NOTHING, Self::with)
    }

    /// Whether it holds nothing.
    pub(crate) fn is_nothing(self) -> bool {
        self.min.x > self.max.x
    }

    /// The smallest box around both.
    #[must_use]
    pub fn with(self, other: Bounds) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    fn include(&mut self, point: DVec3) {
        self.min = self.min.min(point);
        self.max = self.max.max(point);
    }
}

impl Model {
    /// The parts, parents first.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The model with the meshes that its parts name, which somebody else has to load: each
    /// file is asked for once.
    ///
    /// # Errors
    /// What the loader says.
    pub fn with_meshes<E>(mut self, mut load: impl FnMut(&str) -> Result<PartMesh, E>) -> Result<Self, E> {
        let mut known: Vec<(String, Arc<PartMesh>)> = Vec::new();
        for part in &mut self.parts {
            let Some(file) = &part.mesh_file else {
                continue;
            };
            let mesh = match known.iter().find(|(name, _)| name == file) {
                Some((_, mesh)) => Arc::clone(mesh),
                None => {
                    let mesh = Arc::new(load(file)?);
                    known.push((file.clone(), Arc::clone(&mesh)));
                    mesh
                }
            };
            part.mesh = Some(mesh);
        }
        Ok(self)
    }

    /// A part whose mesh was not loaded, and the file that it names.
    pub(crate) fn missing_mesh(&self) -> Option<(&str, &str)> {
        let missing = self.parts.iter().find(|part| part.mesh_file.is_some() && part.mesh.is_none())?;
        Some((&missing.name, missing.mesh_file.as_deref()?))
    }

    /// The meshes that were loaded, by their files.
    pub(crate) fn meshes(&self) -> Vec<(String, PartMesh)> {
        let mut meshes: Vec<(String, PartMesh)> = Vec::new();
        for part in &self.parts {
            if let (Some(file), Some(mesh)) = (&part.mesh_file, &part.mesh)
                && !meshes.iter().any(|(known, _)| known == file)
            {
                meshes.push((file.clone(), PartMesh::clone(mesh)));
            }
        }
        meshes
    }

    /// Places along a closed curve of the model, so many from each of its
    /// points to the next: the track of a ride, say. `None` if there is no such
    /// curve.
    pub fn curve(&self, name: &str, steps: u32) -> Option<Vec<DVec3>> {
        let curve = self.curves.iter().find(|curve| curve.name == name)?;
        let places = curve.points.len() as u32 * steps;
        Some((0..places).map(|place| curve.at(0, f64::from(place) / f64::from(steps)).into()).collect())
    }

    /// Where the parts of a copy are, in the model's own coordinates. Parts
    /// that are not on every copy are placed for the first.
    pub fn poses(&self, copy: usize, shown: &[f64]) -> Vec<DAffine3> {
        let mut inputs = shown.to_vec();
        inputs.resize(self.outputs.len(), 0.0);
        inputs.push(copy as f64);
        let mut slots = Vec::new();
        let mut poses: Vec<DAffine3> = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            part.placement.run(&inputs, &self.curves, &mut slots);
            let result = |index: usize| part.placement.result(index, &slots);
            let by = DVec3::new(result(0), result(1), result(2));
            let axis = DVec3::new(result(3), result(4), result(5)).try_normalize().unwrap_or(DVec3::Y);
            let own = DAffine3::from_rotation_translation(DQuat::from_axis_angle(axis, result(6)), by);
            let parent = part.parent.map_or(DAffine3::IDENTITY, |parent| poses[parent]);
            poses.push(parent * own);
        }
        poses
    }

    /// A box that holds every part of every copy; see
    /// [`bounds_of_copies`](Model::bounds_of_copies).
    ///
    /// # Errors
    /// When the model does not stay finite.
    pub fn bounds(&self, seed: Seed, seconds: f64, progress: &Progress) -> Result<Completion<Bounds>, MotionError> {
        Ok(self.bounds_of_copies(seed, seconds, progress)?.map(|copies| Bounds::around(&copies)))
    }

    /// For each copy a box that holds its parts, found by running it for some seconds, with
    /// a tenth of the whole model to spare. Parts that are not on every copy are in the box
    /// of the first. A copy without parts has the box of all, and a model without parts a cube
    /// of a metre.
    ///
    /// # Errors
    /// When the model does not stay finite.
    pub fn bounds_of_copies(
        &self,
        seed: Seed,
        seconds: f64,
        progress: &Progress,
    ) -> Result<Completion<Vec<Bounds>>, MotionError> {
        self.bounds_along(seed, (1, seconds, 0), &[], progress)
    }

    /// How often a model of so many starts can be looked at in the hour that follows, as far as
    /// that is cheap.
    pub(crate) fn far_looks(&self, starts: u64) -> u32 {
        let each = (self.copies.len() as u64 * starts) as f64 * self.work_per_second() * BETWEEN_FAR_LOOKS;
        FAR_LOOKS.min((FAR_WORK / each.max(1.0)) as u32)
    }

    /// As [`bounds_of_copies`](Model::bounds_of_copies), from so many starts, half of them
    /// with what others may do to the system, looked at now and then for longer, and around
    /// states that were seen at some times.
    pub(crate) fn bounds_along(
        &self,
        seed: Seed,
        (starts, seconds, far_looks): (u64, f64, u32),
        seen: &[(State, f64)],
        progress: &Progress,
    ) -> Result<Completion<Vec<Bounds>>, MotionError> {
        let mut all: Vec<Bounds> = Vec::with_capacity(self.copies.len());
        let boxes: Vec<Option<Bounds>> = self.parts.iter().map(Part::bounds).collect();
        let steps = (seconds / BETWEEN_LOOKS).ceil().max(1.0) as u64;
        let rounds = (self.copies.len() as u64 * starts * steps) as f64;
        let mut done = 0.0;
        for (copy, &ahead) in self.copies.iter().enumerate() {
            let mut bounds = Bounds::NOTHING;
            for start in 0..starts {
                let mut stream = seed.stream("bounds").at(copy as u64 + start * self.copies.len() as u64);
                let mut state = self.initial(&mut stream);
                if start % 2 == 1 {
                    self.disturb(&mut state, &mut stream);
                }
                for step in 0..steps {
                    if progress.tell("finding the bounds", done / rounds).is_err() {
                        return Ok(Completion::Stopped);
                    }
                    done += 1.0;
                    let time = ahead + step as f64 * BETWEEN_LOOKS;
                    self.include_parts(copy, (&state, time), &boxes, &mut bounds);
                    self.advance(&mut state, time, time + BETWEEN_LOOKS, &mut stream)?;
                }
                for look in 0..far_looks {
                    let time = ahead + steps as f64 * BETWEEN_LOOKS + f64::from(look) * BETWEEN_FAR_LOOKS;
                    let next = time + BETWEEN_FAR_LOOKS;
                    if self.advance_far(&mut state, time, next, &mut stream, progress)?.finished().is_none() {
                        return Ok(Completion::Stopped);
                    }
                    self.include_parts(copy, (&state, next), &boxes, &mut bounds);
                }
            }
            for (state, time) in seen {
                self.include_parts(copy, (state, *time), &boxes, &mut bounds);
            }
            all.push(bounds);
        }
        let whole = Bounds::around(&all);
        let spare = if whole.is_nothing() { DVec3::ZERO } else { 0.05 * (whole.max - whole.min) };
        for bounds in &mut all {
            *bounds = match bounds.is_nothing() {
                true if whole.is_nothing() => Bounds::cube(0.5),
                // Who has no parts of its own is shown by others, anywhere.
                true => Bounds { min: whole.min - spare, max: whole.max + spare },
                false => Bounds { min: bounds.min - spare, max: bounds.max + spare },
            };
        }
        Ok(Completion::Finished(all))
    }

    /// Lets a box hold the parts of a copy as they are in a state.
    fn include_parts(&self, copy: usize, (state, time): (&State, f64), boxes: &[Option<Bounds>], bounds: &mut Bounds) {
        let (mut state, mut shown) = (*state, Vec::new());
        wrap(&self.variables, &mut state);
        self.show(&state, time, &[], &mut shown);
        for ((part, own), pose) in self.parts.iter().zip(boxes).zip(self.poses(copy, &shown)) {
            let Some(own) = own.filter(|_| copy == 0 || part.each) else {
                continue;
            };
            for corner in 0..8 {
                bounds.include(pose.transform_point3(own.corner(corner)));
            }
        }
    }
}
