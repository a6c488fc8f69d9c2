//! A meadow that is planted: what grows in it, where, and how it looks.

use std::sync::Arc;

use proscenium_ensemble::field::{Detail, Field, Instance, Kind, PlaceSettings, Swept, TravellingWind, place};
use proscenium_ensemble::{Compressed, EnsembleError, MotionGraph, Seed};

use crate::api::LivePlant;

/// How many different clumps there are.
pub const KINDS: u32 = 2;
/// The edge of a voxel in which a clump is planted, m.
const VOXEL: f64 = 0.04;
/// The boxes around clumps cover about one part in so many of the ground.
const ROOM: f64 = 2.0;
/// What is left out of clumps that are far away.
const DETAILS: [Detail; 3] = [
    Detail { from: 2.5, modes: 8, merge: 0.0 },
    Detail { from: 5.0, modes: 4, merge: 0.06 },
    Detail { from: 10.0, modes: 2, merge: 0.12 },
];
/// Details of a kind, the first of which is all of it.
const DETAIL_COUNT: usize = 1 + DETAILS.len();
/// From gust to gust, m, and how they travel, m/s.
const GUST: f64 = 5.0;
const VELOCITY: [f64; 2] = [2.5, 0.5];
/// Grass at its tip; at its root it has this share of the light.
const GREEN: &str = "#9cc05a";
const ROOT: f32 = 0.32;

/// A meadow without a view of it.
#[derive(Debug)]
pub struct Planted {
    kinds: Vec<Kind>,
    instances: Vec<Instance>,
    /// How long each side is, m.
    pub side: f64,
    /// Names of the winds, and their speeds, m/s.
    pub levels: Vec<(String, f64)>,
    /// Frames of the data in a second.
    pub rate: f64,
}

impl Planted {
    /// Plants so many clumps, each kind as often as any other, on a ground that
    /// is as large as it takes.
    ///
    /// # Errors
    /// What planting refuses.
    pub fn new(graphs: &[Arc<MotionGraph>], clumps: u32) -> Result<Self, EnsembleError> {
        let swept = graphs.iter().map(|graph| Swept::of_graph(graph, VOXEL)).collect::<Result<Vec<_>, _>>()?;
        let weighed: Vec<(&Swept, f64)> = swept.iter().map(|swept| (swept, 1.0)).collect();
        let footprint = |swept: &Swept| {
            let (low, high) = swept.bounds();
            (high[0] - low[0]) * (high[2] - low[2])
        };
        let mean = swept.iter().map(footprint).sum::<f64>() / swept.len().max(1) as f64;
        let count = clumps as usize;
        let side = libm::sqrt(ROOM * mean * f64::from(clumps));
        let settings = PlaceSettings { area: [side; 2], count, sizes: [0.8, 1.15], attempts: 40 * u64::from(clumps) };
        let instances = place(&weighed, &settings, Seed(1))?.instances;
        let kinds = graphs.iter().zip(&swept).map(|(graph, swept)| Kind::new(graph, swept, &DETAILS));
        let kinds = kinds.collect::<Result<Vec<_>, _>>()?;
        let data = kinds.first().map(|kind| kind.data(0));
        let levels = data.map_or(&[][..], Compressed::conditions);
        let levels = levels.iter().map(|condition| (condition.name.clone(), condition.intensity)).collect();
        let rate = data.map_or(30.0, Compressed::frames_per_second);
        Ok(Self { kinds, instances, side, levels, rate })
    }

    /// The clumps.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// The meadow, for one who looks at it.
    ///
    /// # Errors
    /// What a field refuses.
    pub fn field(&self) -> Result<Field, EnsembleError> {
        let wind = TravellingWind::new([self.side; 2], GUST, VELOCITY, self.levels.len(), Seed(1))?;
        Field::new(self.kinds.clone(), self.instances.clone(), wind, Seed(1))
    }

    /// What the clumps look like, one kind and detail after the other.
    pub fn plants(&self) -> Vec<LivePlant> {
        let details = |kind| (0..DETAIL_COUNT).map(move |detail| plant(Kind::data(kind, detail)));
        self.kinds.iter().flat_map(details).collect()
    }

    /// Which of the plants a kind is in a detail.
    pub fn plant_of(kind: usize, detail: usize) -> usize {
        kind * DETAIL_COUNT + detail
    }
}

fn plant(data: &Compressed) -> LivePlant {
    let mut plant =
        LivePlant { vertices: data.vertex_count() as u32, colour: GREEN.to_owned(), ..LivePlant::default() };
    let heights = data.groups().iter().flat_map(|group| &group.rest).map(|vertex| vertex[1]);
    let tallest = heights.fold(1e-6, f32::max);
    for (number, group) in data.groups().iter().enumerate() {
        let first = data.vertices_of(number).start as u32;
        plant.indices.extend(group.triangles.iter().flatten().map(|vertex| first + vertex));
        // No two blades beside each other are of the same green.
        let own = 0.82 + 0.06 * (number * 5 % 4) as f32;
        let shade = |vertex: &[f32; 3]| own * (ROOT + (1.0 - ROOT) * (vertex[1] / tallest).clamp(0.0, 1.0));
        plant.shades.extend(group.rest.iter().map(shade));
    }
    plant
}
