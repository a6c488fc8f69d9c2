//! Feed-forward networks with two hidden layers, trained by gradients.

use proscenium_chance::Stream;
use proscenium_work::{Progress, Stopped};
use serde::{Deserialize, Serialize};

use crate::system::{State, Values};

use super::cells::Grid;
use super::maps::Example;

/// Nodes of each hidden layer at first, by how many they grow, and the most. Two
/// hidden layers of ten nodes are those of Chenney 2000, 5.2.1; that they grow to
/// twenty is measured (`docs/decisions/0021-local-polynomials-beside-networks.md`).
const FIRST_NODES: usize = 10;
const MORE_NODES: usize = 5;
const MOST_NODES: usize = 20;

/// Examples that are learned from at once; all loops over them have this
/// length, so that they run on vectors.
const BATCH: usize = 32;

/// More examples than these are thinned out. Chosen: fifty for each of the some
/// 600 weights.
const MOST_EXAMPLES: usize = 30_000;

/// How fast it is learned at first; at the end of each size not at all. Chosen
/// by hand; what a falling rate gains is in decision 0021.
const RATE: f64 = 4e-3;

/// How much of the mean of the slopes and of their squares is kept from step to
/// step, how much comes from the new ones, and what is added so that nothing is divided by zero: the values that
/// Kingma and Ba 2015 (Adam, section 2) recommend.
const MEAN_KEPT: f64 = 0.9;
const MEAN_NEW: f64 = 0.1;
const SQUARE_KEPT: f64 = 0.999;
const SQUARE_NEW: f64 = 0.001;
const LEAST_SQUARE: f64 = 1e-8;

/// The spread of first weights is this over the square root of the number of
/// inputs, so that sums do not depend on that number. Chosen: sums of this size
/// reach a little into the bend.
const FIRST_WEIGHTS: f64 = 1.5;

/// One number for each example of a batch.
type Lanes = [f64; BATCH];

/// A network from features of a state to the change of each variable. With one
/// angle and one speed its sizes are 3-20-20-2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Network {
    pub layers: Vec<Layer>,
    /// What an output of 1 means for each variable.
    pub scales: Vec<f32>,
    pub offsets: Vec<f32>,
}

/// A layer: for each node its weights, then its bias.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Layer {
    pub inputs: u16,
    pub nodes: u16,
    pub weights: Vec<f32>,
}

/// The numbers that a network sees of a state: an angle as a cosine and a
/// sine, any other variable scaled to −1 … 1.
pub(crate) fn features(grid: &Grid, state: &State, into: &mut Vec<f64>) {
    into.clear();
    for (axis, value) in grid.axes.iter().zip(state.values) {
        let part = (value - axis.low) / (axis.high - axis.low);
        if axis.wraps {
            let angle = std::f64::consts::TAU * part;
            into.push(libm::cos(angle));
            into.push(libm::sin(angle));
        } else {
            into.push(2.0 * part - 1.0);
        }
    }
}

/// Smooth, odd, between −1 and 1, and without transcendental functions.
fn bend(x: f64) -> f64 {
    x / (1.0 + x * x).sqrt()
}

impl Network {
    pub(crate) fn apply(&self, grid: &Grid, state: &State) -> Values {
        let mut now = Vec::with_capacity(24);
        features(grid, state, &mut now);
        let last = self.layers.len().saturating_sub(1);
        for (index, layer) in self.layers.iter().enumerate() {
            let row = usize::from(layer.inputs) + 1;
            let mut next = Vec::with_capacity(usize::from(layer.nodes));
            for weights in layer.weights.chunks_exact(row) {
                let mut sum = f64::from(weights[row - 1]);
                for (weight, value) in weights[..row - 1].iter().zip(&now) {
                    sum += f64::from(*weight) * value;
                }
                next.push(if index == last { sum } else { bend(sum) });
            }
            now = next;
        }
        let mut change = Values::default();
        for (index, (value, output)) in change.iter_mut().zip(&now).enumerate() {
            *value = f64::from(self.offsets[index]) + f64::from(self.scales[index]) * output;
        }
        change
    }

    /// Whether the layers fit each other and the system.
    pub(crate) fn is_sound(&self, grid: &Grid) -> bool {
        let mut width: usize = grid.axes.iter().map(|axis| if axis.wraps { 2 } else { 1 }).sum();
        for layer in &self.layers {
            let (inputs, nodes) = (usize::from(layer.inputs), usize::from(layer.nodes));
            let fits = inputs == width && layer.weights.len() == nodes * (inputs + 1);
            if !fits || !layer.weights.iter().all(|weight| weight.is_finite()) {
                return false;
            }
            width = nodes;
        }
        let dimensions = grid.axes.len();
        width == dimensions && self.scales.len() == dimensions && self.offsets.len() == dimensions
    }

    /// Rough cost of an evaluation, in additions.
    pub(crate) fn cost(&self) -> f64 {
        let weights: usize = self.layers.iter().map(|layer| layer.weights.len()).sum();
        let nodes: usize = self.layers.iter().map(|layer| usize::from(layer.nodes)).sum();
        weights as f64 + 8.0 * nodes as f64 + 24.0
    }

    /// Trains a network on examples, and lets it grow each time that learning
    /// has slowed.
    pub(crate) fn train(
        grid: &Grid,
        examples: &[Example],
        rounds: usize,
        stream: &mut Stream,
        progress: &Progress,
    ) -> Result<Option<Self>, Stopped> {
        let dimensions = grid.axes.len();
        if examples.is_empty() {
            return Ok(None);
        }
        // More than these teach a network of its size nothing.
        let examples: Vec<Example> =
            examples.iter().step_by((examples.len() / MOST_EXAMPLES).max(1)).copied().collect();
        let examples = examples.as_slice();
        let mut features_of = Vec::with_capacity(examples.len());
        for example in examples {
            progress.check()?;
            let mut row = Vec::new();
            features(grid, &example.start, &mut row);
            features_of.push(row);
        }
        let (scales, offsets) = normalisation(examples, dimensions);
        let target = |index: usize, variable: usize| {
            (examples[index].change[variable] - f64::from(offsets[variable])) / f64::from(scales[variable])
        };
        let mut trainer = Trainer::new(features_of[0].len(), dimensions, stream);
        let mut order: Vec<usize> = (0..examples.len()).collect();
        for growth in 0..=(MOST_NODES - FIRST_NODES) / MORE_NODES {
            if growth > 0 {
                trainer.grow(stream);
            }
            for round in 0..rounds {
                stream.shuffle(&mut order);
                let left = 1.0 - round as f64 / rounds as f64;
                for batch in order.chunks_exact(BATCH) {
                    progress.check()?;
                    trainer.learn(batch, RATE * left * left, |index| &features_of[index], target);
                }
            }
        }
        Ok(Some(Network { layers: trainer.layers(), scales, offsets }))
    }
}

/// What brings the changes of each variable to mean 0 and deviation 1.
fn normalisation(examples: &[Example], dimensions: usize) -> (Vec<f32>, Vec<f32>) {
    let count = examples.len() as f64;
    let (mut scales, mut offsets) = (Vec::new(), Vec::new());
    for variable in 0..dimensions {
        let mean = examples.iter().map(|example| example.change[variable]).sum::<f64>() / count;
        let spread = examples.iter().map(|example| {
            let off = example.change[variable] - mean;
            off * off
        });
        scales.push((spread.sum::<f64>() / count).sqrt().max(1e-9) as f32);
        offsets.push(mean as f32);
    }
    (scales, offsets)
}

/// The sum of products, in an order of its own that runs on vectors.
fn product(a: &Lanes, b: &Lanes) -> f64 {
    let mut sums = [0.0; 4];
    for (a, b) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// Gradients with momentum for each weight (Adam).
struct Trainer {
    sizes: [usize; 4],
    weights: [Vec<f64>; 3],
    means: [Vec<f64>; 3],
    squares: [Vec<f64>; 3],
    slopes: [Vec<f64>; 3],
    steps: u32,
    /// For each node its value, the slope of its bend, and the error there.
    values: [Vec<Lanes>; 4],
    bends: [Vec<Lanes>; 4],
    errors: [Vec<Lanes>; 4],
}

impl Trainer {
    fn new(inputs: usize, outputs: usize, stream: &mut Stream) -> Self {
        let sizes = [inputs, FIRST_NODES, FIRST_NODES, outputs];
        let mut trainer = Trainer {
            sizes,
            weights: Default::default(),
            means: Default::default(),
            squares: Default::default(),
            slopes: Default::default(),
            steps: 0,
            values: Default::default(),
            bends: Default::default(),
            errors: Default::default(),
        };
        for layer in 0..3 {
            let width = FIRST_WEIGHTS / (sizes[layer] as f64).sqrt();
            trainer.weights[layer] =
                (0..sizes[layer + 1] * (sizes[layer] + 1)).map(|_| width * stream.normal()).collect();
        }
        trainer.prepare();
        trainer
    }

    fn prepare(&mut self) {
        for layer in 0..3 {
            for part in [&mut self.means, &mut self.squares, &mut self.slopes] {
                part[layer] = vec![0.0; self.weights[layer].len()];
            }
        }
        for (layer, &size) in self.sizes.iter().enumerate() {
            for part in [&mut self.values, &mut self.bends, &mut self.errors] {
                part[layer] = vec![[0.0; BATCH]; size];
            }
        }
        self.steps = 0;
    }

    /// Adds nodes to both hidden layers; what was learned stays as it is,
    /// since new nodes begin without influence.
    fn grow(&mut self, stream: &mut Stream) {
        let old = self.sizes;
        self.sizes[1] += MORE_NODES;
        self.sizes[2] += MORE_NODES;
        for layer in 0..3 {
            let (inputs, nodes) = (self.sizes[layer], self.sizes[layer + 1]);
            let width = FIRST_WEIGHTS / (inputs as f64).sqrt();
            let mut grown = vec![0.0; nodes * (inputs + 1)];
            for node in 0..nodes {
                for input in 0..=inputs {
                    let is_bias = input == inputs;
                    let from = if is_bias { old[layer] } else { input };
                    let known = node < old[layer + 1] && (is_bias || input < old[layer]);
                    let fresh = if node >= old[layer + 1] { width * stream.normal() } else { 0.0 };
                    grown[node * (inputs + 1) + input] =
                        if known { self.weights[layer][node * (old[layer] + 1) + from] } else { fresh };
                }
            }
            self.weights[layer] = grown;
        }
        self.prepare();
    }

    fn learn<'f>(
        &mut self,
        batch: &[usize],
        rate: f64,
        features: impl Fn(usize) -> &'f Vec<f64>,
        target: impl Fn(usize, usize) -> f64,
    ) {
        for (lane, &example) in batch.iter().enumerate() {
            for (values, feature) in self.values[0].iter_mut().zip(features(example)) {
                values[lane] = *feature;
            }
        }
        self.forward();
        for output in 0..self.sizes[3] {
            for (lane, &example) in batch.iter().enumerate() {
                self.errors[3][output][lane] = self.values[3][output][lane] - target(example, output);
            }
        }
        self.backward();
        self.steps += 1;
        let share = 1.0 / batch.len() as f64;
        let correction = |decay: f64| 1.0 - libm::pow(decay, f64::from(self.steps));
        let (mean_correction, square_correction) = (correction(MEAN_KEPT), correction(SQUARE_KEPT));
        for layer in 0..3 {
            for index in 0..self.weights[layer].len() {
                let slope = self.slopes[layer][index] * share;
                let mean = &mut self.means[layer][index];
                *mean = MEAN_KEPT * *mean + MEAN_NEW * slope;
                let square = &mut self.squares[layer][index];
                *square = SQUARE_KEPT * *square + SQUARE_NEW * slope * slope;
                let step = (*mean / mean_correction) / ((*square / square_correction).sqrt() + LEAST_SQUARE);
                self.weights[layer][index] -= rate * step;
            }
        }
    }

    fn forward(&mut self) {
        for layer in 0..3 {
            let row = self.sizes[layer] + 1;
            let (lower, upper) = self.values.split_at_mut(layer + 1);
            for (node, value) in upper[0].iter_mut().enumerate() {
                let weights = &self.weights[layer][node * row..(node + 1) * row];
                let mut sum = [weights[row - 1]; BATCH];
                for (weight, below) in weights.iter().zip(&lower[layer]) {
                    for lane in 0..BATCH {
                        sum[lane] += weight * below[lane];
                    }
                }
                // The last layer does not bend.
                *value = sum;
                if layer < 2 {
                    // The slope of x / √(1 + x²) is (1 + x²)^(−3/2).
                    let bend = &mut self.bends[layer + 1][node];
                    for lane in 0..BATCH {
                        let inner = 1.0 / (1.0 + sum[lane] * sum[lane]);
                        let root = inner.sqrt();
                        value[lane] = sum[lane] * root;
                        bend[lane] = inner * root;
                    }
                }
            }
        }
    }

    fn backward(&mut self) {
        for layer in (0..3).rev() {
            let row = self.sizes[layer] + 1;
            let (lower, upper) = self.errors.split_at_mut(layer + 1);
            let below = &mut lower[layer];
            below.fill([0.0; BATCH]);
            for (node, error) in upper[0].iter().enumerate() {
                let weights = &self.weights[layer][node * row..(node + 1) * row];
                let slopes = &mut self.slopes[layer][node * row..(node + 1) * row];
                for input in 0..row - 1 {
                    slopes[input] = product(error, &self.values[layer][input]);
                    for lane in 0..BATCH {
                        below[input][lane] += weights[input] * error[lane];
                    }
                }
                slopes[row - 1] = product(error, &[1.0; BATCH]);
            }
            if layer > 0 {
                for (error, bend) in below.iter_mut().zip(&self.bends[layer]) {
                    for lane in 0..BATCH {
                        error[lane] *= bend[lane];
                    }
                }
            }
        }
    }

    fn layers(&self) -> Vec<Layer> {
        let layer = |index: usize| Layer {
            inputs: self.sizes[index] as u16,
            nodes: self.sizes[index + 1] as u16,
            weights: self.weights[index].iter().map(|weight| *weight as f32).collect(),
        };
        (0..3).map(layer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::cells::Axis;
    use proscenium_chance::Seed;

    #[test]
    fn a_smooth_function_is_learned() {
        let angle = Axis { low: -3.0, high: 3.0, wraps: false, cells: 10 };
        let grid = Grid { axes: vec![angle, Axis { low: -1.0, ..angle }], modes: 1 };
        let mut stream = Seed(1).stream("network");
        let truth = |x: f64, y: f64| [libm::sin(x) * y, 0.5 * x + y * y];
        let mut example = || {
            let (x, y) = (6.0 * stream.uniform() - 3.0, 4.0 * stream.uniform() - 1.0);
            let [u, v] = truth(x, y);
            Example { start: State::new(&[x, y]), change: State::new(&[u, v]).values, end_mode: 0 }
        };
        let examples: Vec<Example> = (0..4000).map(|_| example()).collect();
        let test: Vec<Example> = (0..500).map(|_| example()).collect();
        let network = Network::train(&grid, &examples, 12, &mut Seed(2).stream("train"), &Progress::none());
        let network = network.unwrap().unwrap();
        let error: f64 = test.iter().map(|one| (network.apply(&grid, &one.start)[0] - one.change[0]).abs()).sum();
        assert!(error / 500.0 < 0.06, "{}", error / 500.0);
    }

    /// Differences are another way to the slopes.
    #[test]
    fn slopes_agree_with_differences() {
        let mut trainer = Trainer::new(3, 2, &mut Seed(3).stream("slopes"));
        let (features, target) = ([0.3, -0.7, 0.2], [0.5, -1.0]);
        for (feature, value) in features.iter().enumerate() {
            trainer.values[0][feature] = std::array::from_fn(|lane| value + 0.02 * lane as f64);
        }
        let loss = |trainer: &mut Trainer| {
            trainer.forward();
            let off = |output: usize| trainer.values[3][output].iter().map(move |value| value - target[output]);
            (0..2).flat_map(off).map(|off| 0.5 * off * off).sum::<f64>()
        };
        loss(&mut trainer);
        for (output, wanted) in target.iter().enumerate() {
            trainer.errors[3][output] = trainer.values[3][output].map(|value| value - wanted);
        }
        trainer.backward();
        for layer in 0..3 {
            for index in [0, 3, 5] {
                let before = trainer.weights[layer][index];
                trainer.weights[layer][index] = before + 1e-6;
                let high = loss(&mut trainer);
                trainer.weights[layer][index] = before - 1e-6;
                let low = loss(&mut trainer);
                trainer.weights[layer][index] = before;
                let slope = trainer.slopes[layer][index];
                assert!(((high - low) / 2e-6 - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{layer} {index}");
            }
        }
    }
}
