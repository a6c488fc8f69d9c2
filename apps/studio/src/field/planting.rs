//! A meadow that is planted: what grows in it, where, and how it looks.

use std::sync::Arc;

use proscenium_ensemble::field::{
    Detail, Field, Instance, Kind, PlaceSettings, SweptVolume, TravellingWind, place, side_for,
};
use proscenium_ensemble::{CompressedEnsemble, EnsembleError, MotionGraph, Seed};
use proscenium_work::{Completion, Progress};

use crate::api::LivePlant;

use super::graphs::Model;

/// What grows, and how often beside the others.
pub const KINDS: [(Model, f64); 3] = [(Model::Grass(1), 1.0), (Model::Grass(2), 1.0), (Model::Iris(3), 0.7)];
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
/// The wind of the plants' data blows the same way; so far clumps are turned either way.
const TURNS: f64 = 0.5;
/// Grass at its tip, and what is not grass, by words in its name.
const GREEN: &str = "#9cc05a";
const COLOURS: [(&str, &str); 4] =
    [("petal", "#8a5fd6"), ("pistil", "#f2c53d"), ("leaf", "#86ab62"), ("stem", "#8fb05f")];
/// At its root it has this share of the light, and so high, m, all of it.
const ROOT: f32 = 0.32;
const LIT: f32 = 0.24;

/// A meadow without a view of it.
#[derive(Debug)]
pub struct Planting {
    kinds: Vec<Kind>,
    instances: Vec<Instance>,
    /// How long each side is, m.
    pub side: f64,
    /// Names of the winds, and their speeds, m/s.
    pub levels: Vec<(String, f64)>,
    /// Frames of the data in a second.
    pub rate: f64,
    /// How large the files of its clumps are.
    pub bytes: usize,
}

/// What a meadow is planted with, and how much room each kind takes.
pub struct Soil {
    kinds: Vec<Kind>,
    swept: Vec<SweptVolume>,
    shares: Vec<f64>,
}

impl Soil {
    /// The kinds that grow, and how often each does beside the others.
    ///
    /// # Errors
    /// What sweeping and making a kind coarser refuse.
    pub fn new(graphs: &[(Arc<MotionGraph>, f64)], progress: &Progress) -> Result<Completion<Self>, EnsembleError> {
        let mut swept = Vec::new();
        for (graph, _) in graphs {
            match SweptVolume::of_graph(graph, VOXEL, progress)? {
                Completion::Finished(volume) => swept.push(volume),
                Completion::Stopped => return Ok(Completion::Stopped),
            }
        }
        let kinds = graphs.iter().zip(&swept).map(|((graph, _), swept)| Kind::new(graph, swept, &DETAILS));
        let kinds = kinds.collect::<Result<Vec<_>, _>>()?;
        let shares = graphs.iter().map(|&(_, share)| share).collect();
        Ok(Completion::Finished(Self { kinds, swept, shares }))
    }
}

impl Planting {
    /// Plants so many clumps, of each kind its share, on a ground that is as large
    /// as it takes.
    ///
    /// # Errors
    /// What planting refuses.
    pub fn new(soil: &Soil, clumps: u32, bytes: usize, progress: &Progress) -> Result<Completion<Self>, EnsembleError> {
        let weighed: Vec<(&SweptVolume, f64)> = soil.swept.iter().zip(soil.shares.iter().copied()).collect();
        let count = clumps as usize;
        let side = side_for(&weighed, count, ROOM);
        let settings = PlaceSettings {
            area: [side; 2],
            count,
            sizes: [0.8, 1.15],
            attempts: 40 * u64::from(clumps),
            heading: 0.0,
            turns: TURNS,
        };
        let Completion::Finished(placement) = place(&weighed, &settings, Seed(1), progress)? else {
            return Ok(Completion::Stopped);
        };
        let (instances, kinds) = (placement.instances, soil.kinds.clone());
        let data = kinds.first().map(|kind| kind.data(0));
        let levels = data.map_or(&[][..], |data| data.conditions());
        let levels = levels.iter().map(|condition| (condition.name.clone(), condition.intensity)).collect();
        let rate = data.map_or(30.0, |data| data.frames_per_second());
        Ok(Completion::Finished(Self { kinds, instances, side, levels, rate, bytes }))
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

fn plant(data: &CompressedEnsemble) -> LivePlant {
    let heights = data.groups().iter().flat_map(|group| &group.rest).map(|vertex| vertex[1]);
    let mut plant =
        LivePlant { vertices: data.vertex_count() as u32, height: heights.fold(0.0, f32::max), ..LivePlant::default() };
    for (number, group) in data.groups().iter().enumerate() {
        let first = data.vertices_of(number).start as u32;
        plant.indices.extend(group.triangles.iter().flatten().map(|vertex| first + vertex));
        let colour = COLOURS.iter().find(|(word, _)| group.name.starts_with(word)).map_or(GREEN, |(_, colour)| colour);
        plant.parts.push(group.rest.len() as u32);
        plant.colours.push(colour.to_owned());
        // No two blades beside each other are of the same green.
        let own = 0.82 + 0.06 * (number * 5 % 4) as f32;
        let shade = |vertex: &[f32; 3]| own * (ROOT + (1.0 - ROOT) * (vertex[1] / LIT).clamp(0.0, 1.0));
        plant.shades.extend(group.rest.iter().map(shade));
    }
    plant
}
