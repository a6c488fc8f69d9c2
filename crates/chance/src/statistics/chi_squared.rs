use statrs::function::gamma::checked_gamma_ur;

use super::{StatisticsError, check_probabilities};

/// The outcome of a chi-squared test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChiSquared {
    /// The sum of squared distances from what is expected, each divided by that.
    pub statistic: f64,
    /// The degrees of freedom.
    pub degrees: u64,
    /// The chance of a statistic at least this large if the hypothesis is true.
    pub p_value: f64,
    /// The least expected count of a bin. The p-value is an approximation, good
    /// where this is five or more.
    pub least_expected: f64,
}

/// Tests whether counts in bins follow the probabilities of the bins.
///
/// `fitted` is the number of parameters that were estimated from the same
/// counts; zero where the probabilities were known before.
///
/// ```
/// use proscenium_chance::statistics::chi_squared_fit;
///
/// let rolls = [16, 18, 16, 14, 12, 20];
/// let test = chi_squared_fit(&rolls, &[1.0 / 6.0; 6], 0)?;
/// assert!(test.p_value > 0.05);
/// # Ok::<(), proscenium_chance::statistics::StatisticsError>(())
/// ```
pub fn chi_squared_fit(observed: &[u64], probabilities: &[f64], fitted: usize) -> Result<ChiSquared, StatisticsError> {
    same_bins(observed.len(), probabilities.len())?;
    check_probabilities(probabilities)?;
    if let Some(index) = probabilities.iter().position(|&probability| probability == 0.0) {
        return Err(StatisticsError::ImpossibleBin { index });
    }
    let sum: f64 = probabilities.iter().sum();
    if (sum - 1.0).abs() > 1e-9 {
        return Err(StatisticsError::NotNormalised { sum });
    }
    let total = total(observed)?;
    let cells = observed.iter().zip(probabilities).map(|(&count, probability)| (count as f64, total * probability));
    test(cells, observed.len(), fitted)
}

/// Tests whether two sets of counts in the same bins have one distribution.
///
/// Bins that are empty on both sides say nothing and are left out.
pub fn chi_squared_homogeneity(first: &[u64], second: &[u64]) -> Result<ChiSquared, StatisticsError> {
    same_bins(first.len(), second.len())?;
    let (first_total, second_total) = (total(first)?, total(second)?);
    let all = first_total + second_total;
    let filled: Vec<(f64, f64)> = first
        .iter()
        .zip(second)
        .map(|(&ours, &theirs)| (ours as f64, theirs as f64))
        .filter(|(ours, theirs)| ours + theirs > 0.0)
        .collect();
    let cells = filled.iter().flat_map(|&(ours, theirs)| {
        let share = (ours + theirs) / all;
        [(ours, share * first_total), (theirs, share * second_total)]
    });
    test(cells, filled.len(), 0)
}

fn same_bins(first: usize, second: usize) -> Result<(), StatisticsError> {
    if first == second { Ok(()) } else { Err(StatisticsError::DifferentBins { first, second }) }
}

fn total(counts: &[u64]) -> Result<f64, StatisticsError> {
    let total: f64 = counts.iter().map(|&count| count as f64).sum();
    if total > 0.0 { Ok(total) } else { Err(StatisticsError::NoSamples) }
}

/// The test over pairs of observed and expected counts.
fn test(cells: impl Iterator<Item = (f64, f64)>, bins: usize, fitted: usize) -> Result<ChiSquared, StatisticsError> {
    // The total is given, which takes one degree away.
    let degrees = bins
        .checked_sub(fitted.saturating_add(1))
        .filter(|&degrees| degrees > 0)
        .ok_or(StatisticsError::TooFewBins { bins, fitted })? as u64;
    let (mut statistic, mut least_expected) = (0.0, f64::INFINITY);
    for (observed, expected) in cells {
        statistic += (observed - expected) * (observed - expected) / expected;
        least_expected = least_expected.min(expected);
    }
    let p_value = p_value(statistic, degrees);
    Ok(ChiSquared { statistic, degrees, p_value, least_expected })
}

/// The chance that a chi-squared variable is larger than `statistic`.
fn p_value(statistic: f64, degrees: u64) -> f64 {
    // The function is refused at the ends of its range only.
    let at_end = if statistic > 0.0 { 0.0 } else { 1.0 };
    checked_gamma_ur(0.5 * degrees as f64, 0.5 * statistic).unwrap_or(at_end).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(actual: f64, expected: f64) {
        assert!((actual / expected - 1.0).abs() < 1e-12, "{actual}, not {expected}");
    }

    /// Values from SciPy's `chisquare` and `chi2_contingency`.
    #[test]
    fn statistics_and_p_values_match_scipy() {
        let test = chi_squared_fit(&[16, 18, 16, 14, 12, 20], &[1.0 / 6.0; 6], 0).unwrap();
        close(test.statistic, 2.5);
        close(test.p_value, 0.7764950711233227);
        let test = chi_squared_fit(&[50, 30, 15, 5], &[0.4, 0.3, 0.2, 0.1], 1).unwrap();
        close(test.statistic, 6.25);
        close(test.p_value, 0.04393693362340742);
        let test = chi_squared_fit(&[120, 80, 40, 300], &[0.25, 0.25, 0.25, 0.25], 0).unwrap();
        close(test.statistic, 292.5925925925926);
        close(test.p_value, 3.989094116109022e-63);
        let test = chi_squared_homogeneity(&[12, 30, 45, 13], &[25, 28, 31, 40]).unwrap();
        close(test.statistic, 18.61243198521273);
        close(test.p_value, 0.00032877161987375037);
        close(test.least_expected, 16.517857142857142);
    }

    #[test]
    fn bins_that_are_empty_on_both_sides_say_nothing() {
        let with = chi_squared_homogeneity(&[5, 0, 9], &[8, 0, 2]).unwrap();
        assert_eq!(Ok(with), chi_squared_homogeneity(&[5, 9], &[8, 2]));
        assert_eq!(with.degrees, 1);
    }

    #[test]
    fn a_perfect_fit_is_certain_and_an_impossible_one_is_not() {
        assert_eq!(chi_squared_fit(&[5, 5], &[0.5, 0.5], 0).unwrap().p_value, 1.0);
        assert_eq!(chi_squared_fit(&[1_000_000, 0], &[0.5, 0.5], 0).unwrap().p_value, 0.0);
    }

    #[test]
    fn bad_input_is_refused() {
        use StatisticsError as E;
        let fit = chi_squared_fit;
        assert_eq!(fit(&[1, 2], &[1.0], 0), Err(E::DifferentBins { first: 2, second: 1 }));
        assert_eq!(fit(&[1, 2], &[1.0, 0.0], 0), Err(E::ImpossibleBin { index: 1 }));
        assert_eq!(fit(&[1, 2], &[0.5, 0.25], 0), Err(E::NotNormalised { sum: 0.75 }));
        assert!(matches!(fit(&[1, 2], &[f64::NAN, 1.0], 0), Err(E::NotProbability { index: 0, .. })));
        assert_eq!(fit(&[0, 0], &[0.5, 0.5], 0), Err(E::NoSamples));
        assert_eq!(fit(&[1, 2], &[0.5, 0.5], 1), Err(E::TooFewBins { bins: 2, fitted: 1 }));
        assert_eq!(chi_squared_homogeneity(&[3], &[4]), Err(E::TooFewBins { bins: 1, fitted: 0 }));
    }
}
