//! Where numbers lie on an axis, and which of them are written.

use super::Scale;

/// A range of an axis with its ticks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Range {
    scale: Scale,
    low: f64,
    high: f64,
    /// Labelled lines.
    pub(super) ticks: Vec<(f64, String)>,
    /// Fainter lines between them.
    pub(super) minor: Vec<f64>,
}

impl Range {
    /// From 0 at the low end to 1 at the high end.
    pub(super) fn place(&self, value: f64) -> f64 {
        let (a, b, x) = match self.scale {
            // Halves, so that the widest range does not overflow.
            Scale::Linear => (0.5 * self.low, 0.5 * self.high, 0.5 * value),
            Scale::Log => (libm::log10(self.low), libm::log10(self.high), libm::log10(value)),
        };
        ((x - a) / (b - a)).clamp(-0.5, 1.5)
    }

    /// A range for these numbers; `from_zero` keeps zero in it.
    pub(super) fn of(values: impl Iterator<Item = f64> + Clone, scale: Scale, from_zero: bool) -> Self {
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(f64::NEG_INFINITY, f64::max);
        match scale {
            Scale::Linear => Self::linear(low, high, from_zero),
            Scale::Log => Self::log(low, high),
        }
    }

    /// A range for x = 0, 1, 2, …, each with a name.
    pub(super) fn named(names: &[String]) -> Self {
        let ticks = names.iter().enumerate().map(|(index, name)| (index as f64, name.clone())).collect();
        Self { scale: Scale::Linear, low: -0.6, high: names.len() as f64 - 0.4, ticks, minor: Vec::new() }
    }

    fn linear(mut low: f64, mut high: f64, from_zero: bool) -> Self {
        // Zero belongs to the picture when it is not far from the numbers.
        if from_zero || (low > 0.0 && low < 0.5 * high) {
            low = low.min(0.0);
        }
        if from_zero || (high < 0.0 && high > 0.5 * low) {
            high = high.max(0.0);
        }
        if high - low <= 1e-9 * high.abs().max(low.abs()) {
            let pad = if high == 0.0 { 1.0 } else { 0.5 * high.abs() };
            (low, high) = (low - pad, high + pad);
        }
        let step = nice_step((0.18 * high - 0.18 * low).max(1e-300));
        let pad = |edge: f64, data: f64| if data == 0.0 { 0.0 } else { edge };
        let air = 0.04 * high - 0.04 * low;
        let (low, high) = (low - pad(air, low), high + pad(air, high));
        let first = libm::ceil(low / step - 1e-9);
        let ticks = (0..12)
            .map(|i| (first + f64::from(i)) * step)
            .take_while(|&tick| tick <= high + 1e-9 * step)
            .map(|tick| (tick, plain(tick, step)))
            .collect();
        Self { scale: Scale::Linear, low, high, ticks, minor: Vec::new() }
    }

    fn log(low: f64, high: f64) -> Self {
        let widen = libm::pow(high / low, 0.02).clamp(1.08, 2.0);
        let (mut low, mut high) = ((low / widen).max(1e-307), (high * widen).min(1e307));
        if high / low < 2.0 {
            (low, high) = (low / 1.5, high * 1.5);
        }
        let first = libm::floor(libm::log10(low)) as i32;
        let last = libm::ceil(libm::log10(high)) as i32;
        let inside = |value: &f64| (low * 0.999_999..=high * 1.000_001).contains(value);
        let at = |power: i32, factor: f64| factor * libm::pow(10.0, f64::from(power));
        let decades = (first..=last).filter(|&power| inside(&at(power, 1.0))).count();
        let mut ticks = Vec::new();
        let mut minor = Vec::new();
        // Not more than about eight labels; between few decades, 2 and 5 too.
        let stride = (decades as i32 / 8 + 1).max(1);
        for power in first..=last {
            for factor in 1..10 {
                let value = at(power, f64::from(factor));
                let labelled = match factor {
                    1 => power.rem_euclid(stride) == 0,
                    2 | 5 => decades <= 2,
                    _ => false,
                };
                if inside(&value) && labelled {
                    ticks.push((value, if factor == 1 { power_of_ten(power) } else { plain(value, value) }));
                } else if inside(&value) && (decades <= 5 || factor == 1) {
                    minor.push(value);
                }
            }
        }
        Self { scale: Scale::Log, low, high, ticks, minor }
    }
}

/// The round step (1, 2 or 5 times a power of ten) nearest to a width.
fn nice_step(width: f64) -> f64 {
    let decade = libm::pow(10.0, libm::floor(libm::log10(width)));
    let part = width / decade;
    let round = [(1.4, 1.0), (3.2, 2.0), (7.1, 5.0)].into_iter().find(|&(limit, _)| part <= limit);
    decade * round.map_or(10.0, |(_, step)| step)
}

/// A number with the digits that a step needs, and groups of three.
fn plain(value: f64, step: f64) -> String {
    let size = value.abs().max(step);
    if !(1e-4..1e7).contains(&size) {
        return scientific(value, step);
    }
    // A step of 1, 2 or 5 times 10^-n needs n decimals.
    let decimals = (-libm::floor(libm::log10(step) + 1e-9)).clamp(0.0, 8.0) as usize;
    let text = format!("{:.*}", decimals, value.abs());
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let sign = if value < 0.0 && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) { "−" } else { "" };
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        let left = whole.len() - index;
        if index > 0 && left % 3 == 0 && whole.len() > 4 {
            grouped.push('\u{2009}');
        }
        grouped.push(digit);
    }
    if rest.is_empty() { format!("{sign}{grouped}") } else { format!("{sign}{grouped}.{rest}") }
}

fn scientific(value: f64, step: f64) -> String {
    if value.abs() < 0.5 * step {
        return "0".to_string();
    }
    let power = libm::floor(libm::log10(value.abs()) + 1e-9);
    let mantissa = value.abs() / libm::pow(10.0, power);
    let sign = if value < 0.0 { "−" } else { "" };
    let mut digits = format!("{mantissa:.2}");
    digits.truncate(digits.trim_end_matches('0').trim_end_matches('.').len());
    if digits == "1" {
        return format!("{sign}{}", raised(power as i32));
    }
    format!("{sign}{digits}·{}", raised(power as i32))
}

fn power_of_ten(power: i32) -> String {
    match power {
        -3..0 => plain(libm::pow(10.0, f64::from(power)), libm::pow(10.0, f64::from(power))),
        0..5 => plain(libm::pow(10.0, f64::from(power)), 1.0),
        _ => raised(power),
    }
}

fn raised(power: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let sign = if power < 0 { "⁻" } else { "" };
    let digits = power.unsigned_abs().to_string();
    let digits: String = digits.bytes().map(|digit| DIGITS[usize::from(digit - b'0')]).collect();
    format!("10{sign}{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(range: &Range) -> Vec<&str> {
        range.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn log_ticks_lie_at_decades() {
        let range = Range::of([1.0, 512.0].into_iter(), Scale::Log, false);
        assert_eq!(labels(&range), ["1", "10", "100"]);
        let range = Range::of([3e-9, 4e6].into_iter(), Scale::Log, false);
        assert!(labels(&range).contains(&"10⁻⁸") && labels(&range).len() <= 9);
        let range = Range::of([2.0, 9.0].into_iter(), Scale::Log, false);
        assert_eq!(labels(&range), ["2", "5"]);
    }

    #[test]
    fn linear_ticks_are_round() {
        let range = Range::of([0.0, 1.0].into_iter(), Scale::Linear, false);
        assert_eq!(labels(&range), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        let range = Range::of([-40.0, 53_000.0].into_iter(), Scale::Linear, false);
        assert_eq!(labels(&range)[1], "10\u{2009}000");
        let range = Range::of([-1e-7, 1e-7].into_iter(), Scale::Linear, false);
        assert!(labels(&range).contains(&"0") && labels(&range).contains(&"10⁻⁷"), "{:?}", labels(&range));
    }

    #[test]
    fn all_ticks_lie_inside() {
        for (low, high) in [(0.0, 7.3), (-3.0, -1.0), (1e-12, 5e-12), (99.0, 101.0), (-1e300, 1e300)] {
            let range = Range::of([low, high].into_iter(), Scale::Linear, false);
            assert!((3..=12).contains(&range.ticks.len()), "{low} {high} {:?}", range.ticks);
            assert!(range.ticks.iter().all(|(tick, _)| (-1e-6..=1.0 + 1e-6).contains(&range.place(*tick))));
        }
    }
}
