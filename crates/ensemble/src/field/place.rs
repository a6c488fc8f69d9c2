//! Placing instances so that they never meet.

use glam::DVec3;
use proscenium_chance::Seed;
use proscenium_work::{Completion, Finish as _, Halt, Progress};

use super::sweep::{Stack, SweptVolume, TALLEST, run};
use crate::compressed::{CompressedEnsemble, Frames};
use crate::error::EnsembleError;
use crate::frame::Frame;

/// So many places are tried before it is told again how far planting is.
const TRIES_BETWEEN_WORDS: u64 = 256;

/// The most columns that a field has: eight gigabytes of them.
const MOST_COLUMNS: f64 = 1e9;

/// How a field is planted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaceSettings {
    /// Metres along x and z; the field is around the origin.
    pub area: [f64; 2],
    /// How many instances are wanted.
    pub count: usize,
    /// The smallest and the largest size, one being as the data is.
    pub sizes: [f64; 2],
    /// How many places are tried at most.
    pub attempts: u64,
    /// How instances are turned about y, radians, and by how much more either way. Data
    /// blows one way: turned by any angle ([`std::f64::consts::PI`] more), neighbours lean
    /// every way. [`heading_for`] turns the wind of the data into that of the field.
    pub heading: f64,
    /// How much more, either way, radians.
    pub turns: f64,
}

/// The heading with which what blows along one direction in the data (x and z) blows along
/// another in the field; none if either is no direction.
pub fn heading_for(of_data: [f64; 2], of_field: [f64; 2]) -> Option<f64> {
    let angle = |[x, z]: [f64; 2]| (x != 0.0 || z != 0.0).then(|| libm::atan2(x, z));
    Some(angle(of_field)? - angle(of_data)?).filter(|turn| turn.is_finite())
}

/// One of many: which kind it is, where it stands, how it is turned about y,
/// radians, and how large it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance {
    /// Which of the kinds.
    pub kind: usize,
    /// Metres.
    pub place: DVec3,
    /// Radians about y.
    pub turn: f64,
    /// One is as the data is.
    pub size: f64,
}

impl Instance {
    /// Where a point of the ensemble is in the field.
    #[inline]
    pub fn to_field(&self, point: DVec3) -> DVec3 {
        let (sin, cos) = (libm::sin(self.turn), libm::cos(self.turn));
        let turned = DVec3::new(cos * point.x + sin * point.z, point.y, cos * point.z - sin * point.x);
        self.place + self.size * turned
    }

    /// The same for many vertices at once.
    pub fn placing(&self) -> Placing {
        let (sin, cos) = (libm::sin(self.turn), libm::cos(self.turn));
        let [cos, sin] = [self.size * cos, self.size * sin].map(|x| x as f32);
        Placing { place: self.place.as_vec3().to_array(), cos, sin, size: self.size as f32 }
    }
}

/// Where an instance puts the vertices of its ensemble.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placing {
    place: [f32; 3],
    cos: f32,
    sin: f32,
    size: f32,
}

impl Placing {
    /// Where a vertex is in the field.
    #[inline]
    pub fn to_field(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let [at_x, at_y, at_z] = self.place;
        [at_x + self.cos * x + self.sin * z, at_y + self.size * y, at_z + self.cos * z - self.sin * x]
    }

    /// Puts vertices where they are in the field. What `positions` held before
    /// is discarded.
    pub fn place_all(&self, vertices: &[[f32; 3]], positions: &mut Vec<[f32; 3]>) {
        positions.clear();
        positions.extend(vertices.iter().map(|&vertex| self.to_field(vertex)));
    }

    /// Puts vertices where they are in the field: the first ones of `positions`.
    pub(super) fn place_run(&self, vertices: &[[f32; 3]], positions: &mut [[f32; 3]]) {
        positions.iter_mut().zip(vertices).for_each(|(place, &vertex)| *place = self.to_field(vertex));
    }

    /// Puts the vertices of a group, given in its own frame, where they are in
    /// the field, once its parent is there.
    #[inline]
    pub(super) fn put(
        &self,
        data: &CompressedEnsemble,
        group: usize,
        local: impl Iterator<Item = [f32; 3]>,
        frames: &mut Frames,
        positions: &mut [[f32; 3]],
    ) {
        let frame = frames.among(data, group, positions);
        let places = positions[data.vertices_of(group)].iter_mut().zip(local);
        match frame {
            None => places.for_each(|(place, vertex)| *place = self.to_field(vertex)),
            Some(Frame { axes, origin }) => {
                // Turning and moving are in the parent's vertices; the size is not.
                let frame = Frame { axes: axes.map(|axis| axis.map(|x| self.size * x)), origin };
                places.for_each(|(place, vertex)| *place = frame.to_world(vertex));
            }
        }
    }
}

/// A planted field.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// The instances, at most as many as were wanted.
    pub instances: Vec<Instance>,
    /// How many places were tried.
    pub attempts: u64,
}

/// How long the sides of a square of ground are, metres, of which so many
/// instances cover about one part in `room`: kinds with how often each is wanted,
/// by the boxes around what they sweep.
pub fn side_for(kinds: &[(&SweptVolume, f64)], count: usize, room: f64) -> f64 {
    let footprint = |swept: &SweptVolume| {
        let (low, high) = swept.bounds();
        (high[0] - low[0]) * (high[2] - low[2])
    };
    let total: f64 = kinds.iter().map(|(_, weight)| weight).sum();
    let mean = kinds.iter().map(|(swept, weight)| weight * footprint(swept)).sum::<f64>() / total;
    libm::sqrt(room * mean * count as f64)
}

/// Plants a field: kinds with how often each is wanted. Places, turns, sizes and
/// kinds are drawn, and those are kept whose voxels are all free; so the swept
/// volumes of no two instances meet, whatever they do.
///
/// # Errors
/// No kinds, weights or sizes that are not positive, voxels of different sizes,
/// and fields beyond memory.
pub fn place(
    kinds: &[(&SweptVolume, f64)],
    settings: &PlaceSettings,
    seed: Seed,
    progress: &Progress,
) -> Result<Completion<Placement>, EnsembleError> {
    plant(kinds, settings, seed, progress).finish()
}

fn plant(
    kinds: &[(&SweptVolume, f64)],
    settings: &PlaceSettings,
    seed: Seed,
    progress: &Progress,
) -> Result<Placement, Halt<EnsembleError>> {
    let mut ground = Ground::new(kinds, settings)?;
    let stacks: Vec<Vec<Stack>> = kinds.iter().map(|(swept, _)| swept.stacks()).collect();
    let total: f64 = kinds.iter().map(|(_, weight)| weight).sum();
    let mut instances = Vec::new();
    let mut attempts = 0;
    let mut covered = Vec::new();
    while instances.len() < settings.count && attempts < settings.attempts {
        if attempts.is_multiple_of(TRIES_BETWEEN_WORDS) {
            progress.tell("planting", instances.len() as f64 / settings.count as f64)?;
        }
        progress.check()?;
        let mut stream = seed.stream("field").at(attempts);
        attempts += 1;
        let mut chosen = total * stream.uniform();
        let kind = kinds.iter().position(|(_, weight)| {
            chosen -= weight;
            chosen < 0.0
        });
        let instance = Instance {
            kind: kind.unwrap_or(kinds.len() - 1),
            place: DVec3::new(
                settings.area[0] * (stream.uniform() - 0.5),
                0.0,
                settings.area[1] * (stream.uniform() - 0.5),
            ),
            turn: settings.heading + settings.turns * (2.0 * stream.uniform() - 1.0),
            size: settings.sizes[0] + (settings.sizes[1] - settings.sizes[0]) * stream.uniform(),
        };
        if ground.free(&stacks[instance.kind], &instance, &mut covered) {
            covered.iter().for_each(|&(column, bits)| ground.columns[column] |= bits);
            instances.push(instance);
        }
    }
    Ok(Placement { instances, attempts })
}

/// Which voxels of the field are taken.
struct Ground {
    voxel: f64,
    /// The lowest corner, metres.
    low: [f64; 3],
    size: [usize; 2],
    columns: Vec<u64>,
}

impl Ground {
    fn new(kinds: &[(&SweptVolume, f64)], settings: &PlaceSettings) -> Result<Self, EnsembleError> {
        let Some((first, _)) = kinds.first() else {
            let place = "the field".to_owned();
            return Err(EnsembleError::Empty { place, what: "kinds", remedy: "give it at least one ensemble" });
        };
        let voxel = first.voxel();
        let [smallest, largest] = settings.sizes;
        for (what, value) in
            [("the length of the field", settings.area[0]), ("the width of the field", settings.area[1])]
        {
            crate::data::positive(what, value, "use metres above zero")?;
        }
        crate::data::positive("the smallest size", smallest, "use a factor above zero, such as 0.8")?;
        if !(largest.is_finite() && largest >= smallest) {
            let what = "the largest size".to_owned();
            return Err(EnsembleError::Number { what, value: largest, remedy: "it must be at least the smallest" });
        }
        for (swept, weight) in kinds {
            crate::data::positive("how often a kind is wanted", *weight, "use a weight above zero")?;
            if swept.voxel() != voxel {
                let what = "the voxel size of a kind".to_owned();
                return Err(EnsembleError::Number { what, value: swept.voxel(), remedy: "sweep all kinds alike" });
            }
        }
        let heights = kinds.iter().flat_map(|(swept, _)| {
            let (low, high) = swept.bounds();
            [low[1], high[1]].into_iter().flat_map(|y| [smallest * y, largest * y])
        });
        let (low, high) = heights.fold((f64::MAX, f64::MIN), |(low, high), y| (low.min(y), high.max(y)));
        let size = settings.area.map(|length| libm::ceil(length / voxel));
        if (high - low) / voxel + 1.0 > TALLEST as f64 || size[0] * size[1] > MOST_COLUMNS {
            let what = format!("the voxel size, for instances up to {:.2} m high,", high - low);
            return Err(EnsembleError::Number { what, value: voxel, remedy: "sweep with larger voxels" });
        }
        let size = size.map(|count| count as usize);
        let low = [-0.5 * settings.area[0], low, -0.5 * settings.area[1]];
        Ok(Ground { voxel, low, size, columns: vec![0; size[0] * size[1]] })
    }

    /// Whether all that an instance may cover is free; if so, `covered` has it.
    fn free(&self, stacks: &[Stack], instance: &Instance, covered: &mut Vec<(usize, u64)>) -> bool {
        covered.clear();
        // Half the width of a turned voxel, and a hair for rounding.
        let spread = libm::fabs(libm::sin(instance.turn)) + libm::fabs(libm::cos(instance.turn));
        let half = 0.5 * self.voxel * instance.size * spread + 1e-9;
        let cell = |axis: usize, x: f64| libm::floor((x - self.low[axis]) / self.voxel);
        for stack in stacks {
            let middle = instance.to_field(DVec3::new(stack.x, 0.0, stack.z));
            let bits = stack.runs.iter().fold(0, |bits, (from, to)| {
                let from = cell(1, instance.size * from - 1e-9).max(0.0) as usize;
                bits | run(from, cell(1, instance.size * to + 1e-9).max(0.0) as usize + 1)
            });
            let (x, z) = (
                (cell(0, middle.x - half), cell(0, middle.x + half)),
                (cell(2, middle.z - half), cell(2, middle.z + half)),
            );
            if x.0 < 0.0 || z.0 < 0.0 || x.1 >= self.size[0] as f64 || z.1 >= self.size[1] as f64 {
                return false;
            }
            for row in z.0 as usize..=z.1 as usize {
                for column in x.0 as usize..=x.1 as usize {
                    let at = row * self.size[0] + column;
                    if self.columns[at] & bits != 0 {
                        return false;
                    }
                    covered.push((at, bits));
                }
            }
        }
        true
    }
}
