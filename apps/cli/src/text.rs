//! Numbers, as people read them.

/// A count with its thousands apart: 41 210.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun: 1 body, 12 bodies.
pub fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number as u64), if number == 1 { one } else { many })
}

/// The size of a file.
pub fn bytes(number: u64) -> String {
    match number {
        0..1_000 => format!("{number} B"),
        1_000..1_000_000 => format!("{} kB", three_digits(number as f64 / 1e3)),
        1_000_000..1_000_000_000 => format!("{} MB", three_digits(number as f64 / 1e6)),
        _ => format!("{} GB", three_digits(number as f64 / 1e9)),
    }
}

/// A time that passed.
pub fn seconds(seconds: f64) -> String {
    if seconds < 1e-3 {
        format!("{} µs", three_digits(seconds * 1e6))
    } else if seconds < 1.0 {
        format!("{} ms", three_digits(seconds * 1e3))
    } else if seconds < 60.0 {
        format!("{} s", three_digits(seconds))
    } else {
        let whole = seconds as u64;
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
        if hours > 0 { format!("{hours} h {minutes} min") } else { format!("{minutes} min {rest} s") }
    }
}

/// A log score. What rounding leaves of a mean over turns, where all wants are met, is none.
pub fn log_score(score: f64) -> String {
    three_digits(if score.abs() < 1e-12 { 0.0 } else { score })
}

/// A number to about three digits, without needless zeros: 0.0123, 1.4, 417.
pub fn three_digits(number: f64) -> String {
    let size = number.abs();
    if size >= 1000.0 {
        return if size < 1e15 { count(number.round() as u64) } else { format!("{number:.2e}") };
    }
    let decimals = match size {
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        0.1.. => 3,
        0.01.. => 4,
        _ if size < 1e-4 && size > 0.0 => return format!("{number:.2e}"),
        _ => 5,
    };
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// How fast a run was, against the clock of the world it shows.
pub fn pace(simulated: f64, wall: f64) -> String {
    format!("{} × real time", three_digits(simulated / wall.max(1e-9)))
}

/// Rows as columns that line up, each column but the last as wide as its
/// widest cell, indented by two.
pub fn columns(rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    for row in rows {
        let mut line = String::from(" ");
        for (column, cell) in row.iter().enumerate() {
            line.push(' ');
            line.push_str(cell);
            if column + 1 < row.len() {
                let missing = widest(column).unwrap_or(0).saturating_sub(cell.chars().count());
                line.extend(std::iter::repeat_n(' ', missing + 1));
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_their_thousands_apart() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(41_210), "41 210");
        assert_eq!(count(1_000_000), "1 000 000");
        assert_eq!(counted(1, "body", "bodies"), "1 body");
        assert_eq!(counted(1200, "body", "bodies"), "1 200 bodies");
    }

    #[test]
    fn sizes_and_times_have_three_digits() {
        assert_eq!(bytes(12), "12 B");
        assert_eq!(bytes(41_234), "41.2 kB");
        assert_eq!(bytes(3_000_000), "3 MB");
        assert_eq!(seconds(0.000_012_34), "12.3 µs");
        assert_eq!(seconds(0.5), "500 ms");
        assert_eq!(seconds(1.4), "1.4 s");
        assert_eq!(seconds(370.9), "6 min 10 s");
        assert_eq!(seconds(7260.0), "2 h 1 min");
        assert_eq!(pace(5.0, 0.012), "417 × real time");
        assert_eq!(pace(5.0, 500.0), "0.01 × real time");
    }

    #[test]
    fn small_and_large_numbers_stay_short() {
        assert_eq!(three_digits(0.0), "0");
        assert_eq!(three_digits(0.000_02), "2.00e-5");
        assert_eq!(three_digits(41_210.4), "41 210");
        assert_eq!(three_digits(-2.5), "-2.5");
        assert_eq!(three_digits(100.0), "100");
        assert_eq!(three_digits(f64::INFINITY), "inf");
    }

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".to_owned(), "one".to_owned()], vec!["größer".to_owned(), "two".to_owned()]];
        assert_eq!(columns(&rows), "  a       one\n  größer  two\n");
    }
}
