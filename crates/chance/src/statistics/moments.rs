use super::StatisticsError;

/// Count, mean, variance, skewness, kurtosis and range of numbers that arrive one
/// by one.
///
/// Central moments are updated without subtracting large sums (Welford 1962,
/// Pébay 2008), and two of these can be merged into that of all their numbers.
///
/// ```
/// use proscenium_chance::statistics::Moments;
///
/// let mut first = Moments::of(&[1.0, 2.0])?;
/// first.merge(&Moments::of(&[3.0, 4.0])?);
/// assert_eq!((first.count(), first.mean(), first.variance()), (4, 2.5, 1.25));
/// # Ok::<(), proscenium_chance::statistics::StatisticsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    count: u64,
    mean: f64,
    /// The sums of the squared, cubed and fourth powers of distances from the mean.
    second: f64,
    third: f64,
    fourth: f64,
    least: f64,
    greatest: f64,
}

impl Default for Moments {
    fn default() -> Self {
        Moments {
            count: 0,
            mean: 0.0,
            second: 0.0,
            third: 0.0,
            fourth: 0.0,
            least: f64::INFINITY,
            greatest: f64::NEG_INFINITY,
        }
    }
}

impl Moments {
    /// Of no numbers yet.
    #[must_use]
    pub fn new() -> Self {
        Moments::default()
    }

    /// Of all the samples, which may be none.
    pub fn of(samples: &[f64]) -> Result<Self, StatisticsError> {
        let mut moments = Moments::new();
        for (index, &value) in samples.iter().enumerate() {
            moments.push(value).map_err(|_| StatisticsError::NotFinite { index, value })?;
        }
        Ok(moments)
    }

    /// Takes one more number. One that is not finite is refused, and changes nothing.
    pub fn push(&mut self, value: f64) -> Result<(), StatisticsError> {
        if !value.is_finite() {
            return Err(StatisticsError::NotFinite { index: self.count as usize, value });
        }
        self.merge(&Moments { count: 1, mean: value, least: value, greatest: value, ..Moments::default() });
        Ok(())
    }

    /// Takes all numbers that `other` has taken.
    pub fn merge(&mut self, other: &Moments) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        let (ours, theirs) = (self.count as f64, other.count as f64);
        let all = ours + theirs;
        let gap = other.mean - self.mean;
        let gap_squared = gap * gap;
        // Pébay 2008, equations 2.1 and 3.1, from the highest power down, as each
        // needs the lower ones of before.
        self.fourth += other.fourth
            + gap_squared * gap_squared * ours * theirs * (ours * ours - ours * theirs + theirs * theirs)
                / (all * all * all)
            + 6.0 * gap_squared * (ours * ours * other.second + theirs * theirs * self.second) / (all * all)
            + 4.0 * gap * (ours * other.third - theirs * self.third) / all;
        self.third += other.third
            + gap_squared * gap * ours * theirs * (ours - theirs) / (all * all)
            + 3.0 * gap * (ours * other.second - theirs * self.second) / all;
        self.second += other.second + gap_squared * ours * theirs / all;
        self.mean += gap * theirs / all;
        self.count += other.count;
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
    }

    /// How many numbers were taken.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean; 0 of no numbers.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The mean squared distance from the mean; 0 of no numbers.
    #[must_use]
    pub fn variance(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.second / self.count as f64 }
    }

    /// The unbiased estimate of the variance of what the numbers are samples of;
    /// `None` of fewer than two.
    #[must_use]
    pub fn sample_variance(&self) -> Option<f64> {
        (self.count >= 2).then(|| self.second / (self.count - 1) as f64)
    }

    /// The square root of [`variance`](Moments::variance).
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        self.variance().sqrt()
    }

    /// The estimated standard deviation of the mean, if the numbers are
    /// independent samples; `None` of fewer than two.
    #[must_use]
    pub fn standard_error(&self) -> Option<f64> {
        self.sample_variance().map(|variance| (variance / self.count as f64).sqrt())
    }

    /// The third standardised moment; `None` where all numbers are equal.
    #[must_use]
    pub fn skewness(&self) -> Option<f64> {
        let variance = self.variance();
        (variance > 0.0).then(|| self.third / self.count as f64 / (variance * variance.sqrt()))
    }

    /// The fourth standardised moment, 3 for a normal density; `None` where all
    /// numbers are equal.
    #[must_use]
    pub fn kurtosis(&self) -> Option<f64> {
        let variance = self.variance();
        (variance > 0.0).then(|| self.fourth / self.count as f64 / (variance * variance))
    }

    /// The least number; `None` of none.
    #[must_use]
    pub fn least(&self) -> Option<f64> {
        (self.count > 0).then_some(self.least)
    }

    /// The greatest number; `None` of none.
    #[must_use]
    pub fn greatest(&self) -> Option<f64> {
        (self.count > 0).then_some(self.greatest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proscenium_work::Remedy as _;

    use super::*;

    /// By two passes over all numbers.
    fn direct(samples: &[f64]) -> [f64; 4] {
        let count = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / count;
        let central = |power: i32| samples.iter().map(|x| libm::pow(x - mean, f64::from(power))).sum::<f64>() / count;
        let variance = central(2);
        [mean, variance, central(3) / libm::pow(variance, 1.5), central(4) / (variance * variance)]
    }

    proptest! {
        #[test]
        fn any_way_of_merging_equals_two_passes(
            samples in prop::collection::vec(-10.0..10.0_f64, 3..60),
            cut in 0.0..1.0_f64,
            offset in -1000.0..1000.0_f64,
        ) {
            let samples: Vec<f64> = samples.iter().map(|sample| sample + offset).collect();
            let expected = direct(&samples);
            prop_assume!(expected[1] > 0.1);
            let (first, second) = samples.split_at((cut * samples.len() as f64) as usize);
            let mut merged = Moments::of(first).unwrap();
            merged.merge(&Moments::of(second).unwrap());
            for moments in [merged, Moments::of(&samples).unwrap()] {
                let actual = [
                    moments.mean(),
                    moments.variance(),
                    moments.skewness().unwrap(),
                    moments.kurtosis().unwrap(),
                ];
                for (actual, expected) in actual.iter().zip(expected) {
                    prop_assert!((actual - expected).abs() < 1e-10 * (1.0 + expected.abs()));
                }
                prop_assert_eq!(moments.count(), samples.len() as u64);
                prop_assert_eq!(moments.least(), samples.iter().copied().reduce(f64::min));
                prop_assert_eq!(moments.greatest(), samples.iter().copied().reduce(f64::max));
            }
        }
    }

    #[test]
    fn a_large_offset_does_not_hide_the_variance() {
        let moments = Moments::of(&[1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0]).unwrap();
        assert_eq!(moments.sample_variance(), Some(30.0));
        assert_eq!(moments.standard_error(), Some(7.5_f64.sqrt()));
    }

    #[test]
    fn nothing_and_what_is_not_finite() {
        let mut moments = Moments::new();
        assert_eq!((moments.mean(), moments.variance(), moments.least()), (0.0, 0.0, None));
        assert!(moments.push(f64::NAN).is_err() && moments.push(f64::INFINITY).is_err());
        assert_eq!(moments, Moments::new());
        moments.push(2.0).unwrap();
        assert_eq!((moments.sample_variance(), moments.skewness(), moments.kurtosis()), (None, None, None));
        let refused = Moments::of(&[1.0, f64::NAN]).unwrap_err();
        assert_eq!(refused.explain(), "sample 1 is NaN: give finite numbers");
    }
}
