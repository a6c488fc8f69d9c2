//! Numbers for people to read.

use serde_json::Value;

/// A value as tables show it: four significant digits, whole numbers whole,
/// powers of ten where there would be many zeros, a dash for what was not
/// measured.
///
/// ```
/// use proscenium_lab::show;
///
/// assert_eq!(show(&12.3456.into()), "12.35");
/// assert_eq!(show(&9_664_098.into()), "9664098");
/// assert_eq!(show(&1.2e-13.into()), "1.2e-13");
/// assert_eq!(show(&serde_json::Value::Null), "–");
/// ```
pub fn show(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match (number.is_f64(), number.as_f64()) {
            (true, Some(value)) => show_number(value),
            _ => number.to_string(),
        },
        Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// A number with four significant digits.
pub(crate) fn show_number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    // The exponent after rounding: 9.9996 is 10.00.
    let scientific = format!("{value:.3e}");
    let exponent: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    if !(-4..7).contains(&exponent) {
        let (mantissa, power) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let mantissa =
            if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
        return format!("{mantissa}e{power}");
    }
    let decimals = usize::try_from(3 - exponent).unwrap_or(0);
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_are_shown() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1.000"),
            (9.9996, "10.00"),
            (123_456.7, "123457"),
            (1e7, "1e7"),
            (0.000_123_46, "0.0001235"),
            (0.000_012_346, "1.235e-5"),
            (-12.1, "-12.10"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(show_number(value), expected, "{value:e}");
        }
    }
}
