use super::{StatisticsError, check_probabilities};

/// Adjusts the p-values of several tests that are judged together (Holm 1979),
/// in the order given.
///
/// If every test whose adjusted p-value is below α is called significant, the
/// chance of even one false call is at most α, however the tests depend on one
/// another.
///
/// ```
/// use proscenium_chance::statistics::holm;
///
/// assert_eq!(holm(&[0.01, 0.5, 0.25])?, [0.03, 0.5, 0.5]);
/// # Ok::<(), proscenium_chance::statistics::StatisticsError>(())
/// ```
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>, StatisticsError> {
    check_probabilities(p_values)?;
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&first, &second| p_values[first].total_cmp(&p_values[second]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        let remaining = (p_values.len() - rank) as f64;
        largest = largest.max((remaining * p_values[index]).min(1.0));
        adjusted[index] = largest;
    }
    Ok(adjusted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjusted_values_match_r() {
        let actual = holm(&[0.01, 0.04, 0.03, 0.005, 0.9]).unwrap();
        for (actual, expected) in actual.iter().zip([0.04, 0.09, 0.09, 0.025, 0.9]) {
            assert!((actual - expected).abs() < 1e-15, "{actual}, not {expected}");
        }
        assert_eq!(holm(&[]), Ok(vec![]));
        assert!(holm(&[0.5, f64::NAN]).is_err() && holm(&[-0.1]).is_err());
    }
}
