//! Integration of smooth functions.

/// The positive nodes and the weights of the ten-point Gauss–Legendre rule.
const NODES_AND_WEIGHTS: [(f64, f64); 5] = [
    (0.148_874_338_981_631_2, 0.295_524_224_714_752_87),
    (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
    (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
    (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
    (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
];

/// The integral over `low` to `high` by the ten-point Gauss–Legendre rule.
pub(crate) fn integrate(low: f64, high: f64, function: impl Fn(f64) -> f64) -> f64 {
    let centre = 0.5 * (low + high);
    let half = 0.5 * (high - low);
    let sum: f64 = NODES_AND_WEIGHTS
        .iter()
        .map(|&(node, weight)| weight * (function(centre - half * node) + function(centre + half * node)))
        .sum();
    half * sum
}

/// The integral by the ten-point rule on each of `panels` equal parts.
pub(crate) fn integrate_panels(low: f64, high: f64, panels: u32, function: impl Fn(f64) -> f64) -> f64 {
    let width = (high - low) / f64::from(panels);
    (0..panels)
        .map(|panel| {
            let start = low + width * f64::from(panel);
            integrate(start, start + width, &function)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_up_to_degree_nineteen_are_exact() {
        for degree in 0..20 {
            let integral = integrate(0.0, 2.0, |x| libm::pow(x, f64::from(degree)));
            let exact = libm::pow(2.0, f64::from(degree + 1)) / f64::from(degree + 1);
            assert!((integral / exact - 1.0).abs() < 1e-14, "{degree}");
        }
    }

    #[test]
    fn panels_sum_to_the_whole() {
        let integral = integrate_panels(0.0, 30.0, 16, |x| libm::exp(-x));
        assert!((integral - 1.0).abs() < 1e-13);
    }
}
