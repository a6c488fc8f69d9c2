//! What a splice costs (equations 3 and 4).

use proscenium_work::{Completion, Finish as _, Progress, Stopped};

use crate::compressed::{CompressedEnsemble, CompressedGroup};
use crate::data::Moment;
use crate::smooth::accelerations_of;

/// The distances between states, D_k, with the weight β of velocities.
#[derive(Clone, Debug)]
pub struct Costs<'data> {
    data: &'data CompressedEnsemble,
    /// β, seconds.
    beta: f64,
    /// For each group, the squared size of a step of each coordinate.
    weights: Vec<Vec<f64>>,
    /// The largest acceleration in the data of each condition, metres in a frame squared.
    accelerations: Vec<f64>,
}

impl<'data> Costs<'data> {
    /// With the β that lets positions and velocities count alike: the paper
    /// gives none, so it is the ratio of their spreads in the data.
    pub fn new(data: &'data CompressedEnsemble) -> Self {
        Self::prepare(data, &Progress::none()).expect("nobody stops it")
    }

    pub(crate) fn prepare(data: &'data CompressedEnsemble, progress: &Progress) -> Result<Self, Stopped> {
        let weights: Vec<Vec<f64>> = data
            .shapes()
            .iter()
            .map(|shape| shape.steps.iter().map(|&step| f64::from(step) * f64::from(step)).collect())
            .collect();
        let mut costs = Self { data, beta: 0.0, weights, accelerations: accelerations_of(data) };
        costs.beta = costs.balance(progress)?;
        Ok(costs)
    }

    pub(super) fn data(&self) -> &'data CompressedEnsemble {
        self.data
    }

    /// The largest acceleration in the data of each condition, metres in a frame squared.
    pub fn accelerations(&self) -> &[f64] {
        &self.accelerations
    }

    /// The weight of velocities, seconds.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// The spread of positions over the spread of velocities.
    fn balance(&self, progress: &Progress) -> Result<f64, Stopped> {
        let (mut places, mut speeds) = (0.0, 0.0);
        for (shape, weights) in self.data.shapes().iter().zip(&self.weights) {
            let rank = shape.rank();
            for (mode, weight) in weights.iter().enumerate() {
                progress.check()?;
                let values = || shape.coordinates.iter().flat_map(move |steps| steps.iter().skip(mode).step_by(rank));
                let count = values().count().max(1) as f64;
                let mean = values().map(|&x| f64::from(x)).sum::<f64>() / count;
                places += weight * values().map(|&x| (f64::from(x) - mean) * (f64::from(x) - mean)).sum::<f64>();
            }
            for steps in &shape.coordinates {
                let pairs = steps.iter().zip(&steps[rank.min(steps.len())..]);
                for ((now, next), weight) in pairs.zip(weights.iter().cycle()) {
                    let change = f64::from(*next) - f64::from(*now);
                    speeds += weight * change * change;
                }
            }
        }
        let rate = self.data.frames_per_second();
        Ok(if speeds == 0.0 { 0.0 } else { (places / speeds).sqrt() / rate })
    }

    /// D_k(i, j) of equation 3: squared metres, summed over vertices.
    pub fn distance(&self, group: usize, i: Moment, j: Moment) -> f64 {
        let shape = &self.data.shapes()[group];
        let rate = 0.5 * self.data.frames_per_second() * self.beta;
        let (here, there) = (shape.steps_at(i), shape.steps_at(j));
        let ((before, after), (earlier, later)) = (self.beside(shape, i), self.beside(shape, j));
        let mut sum = 0.0;
        for (mode, weight) in self.weights[group].iter().enumerate() {
            let away = f64::from(here[mode]) - f64::from(there[mode]);
            let faster = (f64::from(after[mode]) - f64::from(before[mode]))
                - (f64::from(later[mode]) - f64::from(earlier[mode]));
            let faster = rate * faster;
            sum += weight * (away * away + faster * faster);
        }
        sum
    }

    /// The frames before and after a moment; at an end, itself.
    fn beside(&self, shape: &'data CompressedGroup, moment: Moment) -> (&'data [i16], &'data [i16]) {
        let last = self.data.sequences()[moment.sequence as usize].frames as u32 - 1;
        let at = |frame: u32| shape.steps_at(Moment { frame, ..moment });
        (at(moment.frame.saturating_sub(1)), at((moment.frame + 1).min(last)))
    }

    /// Φ(0; i, j): all groups at once.
    pub fn synchronous(&self, i: Moment, j: Moment) -> f64 {
        (0..self.data.shapes().len()).map(|group| self.distance(group, i, j)).sum()
    }

    /// The unconstrained minimum (5): for each group the offset at which it is
    /// cheapest.
    pub fn cheapest(&self, i: Moment, j: Moment, reach: u32) -> Vec<i8> {
        let best = |costs: &Vec<f64>| {
            let least = costs.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(index, _)| index);
            (least as i64 - i64::from(reach)) as i8
        };
        self.table(i, j, reach).iter().map(best).collect()
    }

    /// Φ_k(τ_k) of each group for τ_k from −reach to reach (equation 4).
    pub fn table(&self, i: Moment, j: Moment, reach: u32) -> Vec<Vec<f64>> {
        (0..self.data.shapes().len()).map(|group| self.row(group, i, j, reach)).collect()
    }

    /// The same of one group.
    pub fn row(&self, group: usize, i: Moment, j: Moment, reach: u32) -> Vec<f64> {
        let offsets = -i64::from(reach)..=i64::from(reach);
        offsets.map(|offset| self.distance(group, shifted(i, offset), shifted(j, offset))).collect()
    }
}

/// What the cheapest splices from `count` departures to `count` destinations
/// cost, all over the data, without constraints, for each reach (figure 4).
pub fn cost_matrices(
    data: &CompressedEnsemble,
    reaches: &[u32],
    count: usize,
    progress: &Progress,
) -> Completion<Vec<Vec<Vec<f64>>>> {
    matrices(data, reaches, count, progress).finish()
}

fn matrices(
    data: &CompressedEnsemble,
    reaches: &[u32],
    count: usize,
    progress: &Progress,
) -> Result<Vec<Vec<Vec<f64>>>, Stopped> {
    let costs = Costs::prepare(data, progress)?;
    let most = reaches.iter().copied().max().unwrap_or(0);
    let fits = |moment: &Moment| {
        let frames = data.sequences()[moment.sequence as usize].frames as u32;
        moment.frame > most && moment.frame + most + 1 < frames
    };
    let usable: Vec<Moment> = data.moments().filter(fits).collect();
    let chosen: Vec<Moment> = (0..count.min(usable.len())).map(|index| usable[index * usable.len() / count]).collect();
    let mut matrices = vec![vec![vec![0.0; chosen.len()]; chosen.len()]; reaches.len()];
    for (row, &from) in chosen.iter().enumerate() {
        progress.tell("what transitions cost", row as f64 / chosen.len() as f64)?;
        for (column, &to) in chosen.iter().enumerate() {
            progress.check()?;
            let table = costs.table(from, to, most);
            for (matrix, &reach) in matrices.iter_mut().zip(reaches) {
                let window = (most - reach) as usize..=(most + reach) as usize;
                let best = |costs: &Vec<f64>| costs[window.clone()].iter().copied().fold(f64::INFINITY, f64::min);
                matrix[row][column] = table.iter().map(best).sum();
            }
        }
    }
    Ok(matrices)
}

/// A moment so many frames later; the caller keeps it within its sequence.
pub(crate) fn shifted(moment: Moment, frames: i64) -> Moment {
    Moment { frame: (i64::from(moment.frame) + frames).max(0) as u32, ..moment }
}
