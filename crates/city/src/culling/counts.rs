//! Numbers of cars that are drawn.

use proscenium_chance::Stream;

/// Divides cars among regions: as many as come, then one more or less here and
/// there until the sum is right.
pub(super) fn shares(expected: &[f64], cars: u32, counts: &Stream) -> Vec<u32> {
    let total: f64 = expected.iter().sum::<f64>().max(1e-9);
    let mean = |region: usize| expected[region] / total * f64::from(cars);
    let mut drawn: Vec<u32> =
        (0..expected.len()).map(|region| poisson(mean(region), &mut counts.at(region as u64))).collect();
    let mut sum: i64 = drawn.iter().map(|count| i64::from(*count)).sum();
    let mut stream = counts.at(u64::MAX);
    while sum != i64::from(cars) {
        let region = stream.below(drawn.len() as u64) as usize;
        // In proportion to what is expected there.
        if stream.uniform() * 2.0 * total / expected.len() as f64 > expected[region] && total > 0.0 {
            continue;
        }
        if sum < i64::from(cars) {
            (drawn[region], sum) = (drawn[region] + 1, sum + 1);
        } else if drawn[region] > 0 {
            (drawn[region], sum) = (drawn[region] - 1, sum - 1);
        }
    }
    drawn
}

/// A number of events of which this many are expected.
pub(crate) fn poisson(mean: f64, stream: &mut Stream) -> u32 {
    let mut left = mean.max(0.0);
    let mut count = 0;
    // Parts are independent, and in each the chances are summed.
    while left > 0.0 {
        let part = left.min(16.0);
        left -= part;
        let mut uniform = stream.uniform();
        let mut chance = libm::exp(-part);
        let mut events = 0_u32;
        while uniform > chance && events < 200 {
            uniform -= chance;
            events += 1;
            chance *= part / f64::from(events);
        }
        count += events;
    }
    count
}

/// How many of some stay, each with the same chance.
pub(super) fn binomial(count: u32, chance: f64, stream: &mut Stream) -> u32 {
    (0..count).map(|_| u32::from(stream.uniform() < chance)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_chance::Seed;

    #[test]
    fn counts_have_their_mean_and_variance() {
        for mean in [0.0, 0.3, 4.0, 50.0] {
            let mut stream = Seed(3).stream("poisson");
            let drawn: Vec<f64> = (0..4000).map(|_| f64::from(poisson(mean, &mut stream))).collect();
            let average = drawn.iter().sum::<f64>() / 4000.0;
            let variance = drawn.iter().map(|count| (count - average) * (count - average)).sum::<f64>() / 4000.0;
            // Four standard errors.
            assert!((average - mean).abs() <= 4.0 * (mean / 4000.0).sqrt(), "{average} {mean}");
            assert!((variance - mean).abs() <= 0.12 * mean, "{variance} {mean}");
        }
    }

    #[test]
    fn cars_are_divided_without_a_remainder() {
        let expected = [1.0, 0.0, 5.0, 30.0, 7.0];
        let drawn = shares(&expected, 400, &Seed(1).stream("shares"));
        assert_eq!(drawn.iter().sum::<u32>(), 400);
        assert_eq!(drawn[1], 0);
        assert!(drawn[3] > 200);
    }
}
