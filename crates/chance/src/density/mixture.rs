use super::error::normalised;
use super::{Density, DensityError, Family, Level, Support};

/// Steps enough for bisection alone, every other step, over all numbers.
const MOST_STEPS: usize = 4200;

/// What rounding leaves of a sum of probabilities.
const NOISE: f64 = 4.0 * f64::EPSILON;

/// One of several densities, chosen by weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// Never empty, never themselves mixtures; the weights sum to one.
    components: Vec<Component>,
    /// Whether some values have a probability of their own.
    has_masses: bool,
    /// Where the distribution function jumps or bends, in rising order.
    edges: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq)]
struct Component {
    density: Density,
    weight: f64,
    log_weight: f64,
}

/// The side of a level that has the smaller probability.
#[derive(Clone, Copy)]
enum Tail {
    Lower(f64),
    Upper(f64),
}

impl Mixture {
    pub(super) fn new(densities_and_weights: impl IntoIterator<Item = (Density, f64)>) -> Result<Self, DensityError> {
        let mut components = Vec::new();
        let mut add = |density: Density, weight: f64| {
            components.push(Component { density, weight, log_weight: libm::log(weight) });
        };
        for (density, weight) in normalised("mixture", densities_and_weights)? {
            match density {
                Density::Mixture(inner) => {
                    inner.components.into_iter().for_each(|part| add(part.density, weight * part.weight));
                }
                density => add(density, weight),
            }
        }
        let is_mass = |part: &Component| matches!(part.density, Density::Constant(_) | Density::Discrete(_));
        let has_masses = components.iter().any(is_mass);
        let mut edges = Vec::new();
        for part in &components {
            match &part.density {
                Density::Discrete(discrete) => edges.extend(discrete.entries().map(|(value, _)| value)),
                density => edges.extend([density.support().low, density.support().high]),
            }
        }
        edges.retain(|edge: &f64| edge.is_finite());
        edges.sort_unstable_by(f64::total_cmp);
        edges.dedup();
        Ok(Mixture { components, has_masses, edges })
    }

    /// The densities, each with its weight; the weights sum to one.
    pub fn components(&self) -> impl ExactSizeIterator<Item = (&Density, f64)> {
        self.components.iter().map(|part| (&part.density, part.weight))
    }

    fn expect(&self, function: impl Fn(&Density) -> f64) -> f64 {
        self.components.iter().map(|part| part.weight * function(&part.density)).sum()
    }

    /// The logarithm of the weighted sum of what `function` gives the logarithms of.
    fn log_expect(&self, function: impl Fn(&Density) -> f64) -> f64 {
        // The sum of what came so far is exp(largest) · sum.
        let (mut largest, mut sum) = (f64::NEG_INFINITY, 0.0);
        for part in &self.components {
            let term = part.log_weight + function(&part.density);
            if term > largest {
                sum = sum * libm::exp(largest - term) + 1.0;
                largest = term;
            } else if term > f64::NEG_INFINITY {
                sum += libm::exp(term - largest);
            }
        }
        largest + libm::log(sum)
    }

    /// How far `x` is beyond the level, as the logarithm of the ratio of tails,
    /// and the tail at `x`. Not negative where the level is reached.
    fn excess(&self, level: Tail, x: f64) -> (f64, f64) {
        match level {
            Tail::Lower(probability) => {
                let tail = self.cdf(x);
                (libm::log(tail / probability), tail)
            }
            Tail::Upper(probability) => {
                let tail = self.survival(x);
                (libm::log(probability / tail), tail)
            }
        }
    }

    /// The quantile, known to lie between `low` and `high`, where the
    /// distribution function is smooth: Newton's method on the logarithm of the
    /// tail, with bisection where a step leaves the interval or does not halve.
    fn smooth_quantile(&self, level: Tail, mut low: f64, mut high: f64) -> f64 {
        let mut x = 0.5 * low + 0.5 * high;
        let mut last_step = high - low;
        for _ in 0..MOST_STEPS {
            let (excess, tail) = self.excess(level, x);
            if excess.abs() <= NOISE {
                break;
            }
            if excess > 0.0 {
                high = x;
            } else {
                low = x;
            }
            let newton = x - excess * tail / self.expect(|density| libm::exp(density.log_density(x)));
            let middle = 0.5 * low + 0.5 * high;
            let is_better = low < newton && newton < high && (newton - x).abs() <= 0.5 * last_step;
            let next = if is_better { newton } else { middle };
            last_step = (next - x).abs();
            x = next;
            if last_step <= f64::EPSILON * x.abs() {
                break;
            }
        }
        x
    }
}

impl Family for Mixture {
    fn log_density(&self, x: f64) -> f64 {
        let log_mass = self.log_mass(x);
        if log_mass > f64::NEG_INFINITY {
            return log_mass;
        }
        self.log_expect(|density| density.log_density(x))
    }

    fn log_mass(&self, x: f64) -> f64 {
        if !self.has_masses {
            return f64::NEG_INFINITY;
        }
        self.log_expect(|density| density.family().log_mass(x))
    }

    fn cdf(&self, x: f64) -> f64 {
        self.expect(|density| density.cdf(x)).min(1.0)
    }

    fn survival(&self, x: f64) -> f64 {
        self.expect(|density| density.survival(x)).min(1.0)
    }

    fn quantile(&self, level: Level) -> f64 {
        let level = level.within_reach();
        // The mixture's quantile lies between the least and the largest of its
        // components' ones.
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for part in &self.components {
            let quantile = part.density.family().quantile(level);
            low = low.min(quantile);
            high = high.max(quantile);
        }
        let (lower, upper) = (level.lower(), level.upper());
        let level = if lower <= upper { Tail::Lower(lower) } else { Tail::Upper(upper) };
        if low >= high || self.excess(level, low).0 >= 0.0 {
            return low;
        }
        // Narrow it down to where the distribution function is smooth.
        let first = self.edges.partition_point(|&edge| edge <= low);
        let last = self.edges.partition_point(|&edge| edge < high);
        let inner = &self.edges[first..last];
        let beyond = inner.partition_point(|&edge| self.excess(level, edge).0 < 0.0);
        if beyond > 0 {
            low = inner[beyond - 1];
        }
        if let Some(&edge) = inner.get(beyond) {
            high = edge;
        }
        // The level may lie within a jump at the upper end.
        if self.excess(level, high.next_down()).0 < 0.0 {
            return high;
        }
        self.smooth_quantile(level, low, high)
    }

    fn mean(&self) -> f64 {
        self.expect(Density::mean)
    }

    fn variance(&self) -> f64 {
        let mean = self.mean();
        self.expect(|density| {
            let offset = density.mean() - mean;
            density.variance() + offset * offset
        })
    }

    fn support(&self) -> Support {
        let supports = || self.components.iter().map(|part| part.density.support());
        Support {
            low: supports().map(|support| support.low).fold(f64::INFINITY, f64::min),
            high: supports().map(|support| support.high).fold(f64::NEG_INFINITY, f64::max),
        }
    }
}
