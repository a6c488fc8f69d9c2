use statrs::function::beta::checked_beta_reg;

use super::{Moments, StatisticsError};

/// Tests whether independent samples have a given mean (Student's t, two-sided):
/// the chance of a mean at least as far away if they do.
///
/// Samples that are all equal say it for certain: 1 if they are the mean, 0 if not.
///
/// ```
/// use proscenium_chance::statistics::students_t;
///
/// let samples = [5.1, 4.9, 5.6, 5.8, 5.2, 5.5];
/// assert!((students_t(&samples, 5.0)? - 0.0527).abs() < 1e-4);
/// assert!(students_t(&samples, 4.0)? < 0.001);
/// # Ok::<(), proscenium_chance::statistics::StatisticsError>(())
/// ```
///
/// # Errors
/// When there are fewer than two samples, or one is not finite.
pub fn students_t(samples: &[f64], mean: f64) -> Result<f64, StatisticsError> {
    let moments = Moments::of(samples)?;
    let error = moments.standard_error().ok_or(StatisticsError::NoSamples)?;
    let away = moments.mean() - mean;
    if error == 0.0 {
        return Ok(f64::from(u8::from(away == 0.0)));
    }
    let freedom = samples.len() as f64 - 1.0;
    let t = away / error;
    let share = freedom / (freedom + t * t);
    // The arguments are in range; what is not finite says nothing.
    Ok(checked_beta_reg(0.5 * freedom, 0.5, share).unwrap_or(1.0))
}
