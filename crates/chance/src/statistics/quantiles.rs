use super::{StatisticsError, check_probabilities, sorted};

/// The quantile of the samples at `probability`.
///
/// Hyndman and Fan's type 7, the default of R and NumPy: linear between the
/// samples in order, the least at 0 and the greatest at 1.
///
/// ```
/// use proscenium_chance::statistics::quantile;
///
/// assert_eq!(quantile(&[4.0, 1.0, 3.0, 2.0], 0.5)?, 2.5);
/// # Ok::<(), proscenium_chance::statistics::StatisticsError>(())
/// ```
pub fn quantile(samples: &[f64], probability: f64) -> Result<f64, StatisticsError> {
    Ok(quantiles(samples, &[probability])?[0])
}

/// The quantiles at several probabilities, for one sorting of the samples.
pub fn quantiles(samples: &[f64], probabilities: &[f64]) -> Result<Vec<f64>, StatisticsError> {
    check_probabilities(probabilities)?;
    let sorted = sorted(samples)?;
    let last = sorted.len() - 1;
    Ok(probabilities
        .iter()
        .map(|probability| {
            let place = probability * last as f64;
            let below = (place as usize).min(last);
            let above = (below + 1).min(last);
            let fraction = place - below as f64;
            (1.0 - fraction) * sorted[below] + fraction * sorted[above]
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_match_numpy() {
        let samples = [0.3, -1.2, 5.5, 2.25, 2.25, 9.0, -4.0];
        let actual = quantiles(&samples, &[0.0, 0.1, 0.25, 0.5, 0.9, 1.0]).unwrap();
        let expected = [-4.0, -2.32, -0.45, 2.25, 6.9, 9.0];
        for (actual, expected) in actual.iter().zip(expected) {
            assert!((actual - expected).abs() < 1e-14, "{actual}, not {expected}");
        }
        assert_eq!(quantile(&[7.0], 0.3), Ok(7.0));
    }

    #[test]
    fn bad_input_is_refused() {
        assert_eq!(quantile(&[], 0.5), Err(StatisticsError::NoSamples));
        assert_eq!(quantile(&[1.0], 1.5), Err(StatisticsError::NotProbability { index: 0, value: 1.5 }));
        assert!(quantile(&[1.0], f64::NAN).is_err());
        assert!(quantile(&[f64::NAN], 0.5).is_err());
    }
}
