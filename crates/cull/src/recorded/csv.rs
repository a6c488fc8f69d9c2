//! Recordings as tables of text.

use std::f64::consts::PI;

use proscenium_expression::is_reserved;

use crate::system::Variable;

use super::recording::{Recording, RecordingError, Sample};

/// How a column is to be understood.
struct Column {
    variable: Variable,
    /// What a value is multiplied by.
    factor: f64,
}

impl Recording {
    /// Reads a table: seconds in the first column, a channel in each of the others,
    /// separated by commas, semicolons or tabs. The first line has the names; `angle
    /// [deg]` and `angle [rad]` go around. A new take begins at an empty line, after a
    /// value that is missing, when the time goes back, and after a silence. Lines that
    /// begin with `#` are remarks.
    ///
    /// # Errors
    /// The first line that is not understood, and as [`Recording::new`].
    pub fn from_csv(text: &str) -> Result<Self, RecordingError> {
        let mut columns: Option<Vec<Column>> = None;
        let mut samples: Vec<Sample> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.starts_with('#') {
                continue;
            }
            if line.is_empty() {
                samples.push((f64::NAN, Vec::new()));
                continue;
            }
            let fields: Vec<&str> = line.split([',', ';', '\t']).map(|field| field.trim().trim_matches('"')).collect();
            let Some(columns) = &columns else {
                let is_named = fields.iter().any(|field| field.parse::<f64>().is_err());
                let named = if is_named { &fields[..] } else { &[] };
                columns = Some(header(fields.len(), named));
                if !is_named {
                    samples.extend(row(&fields, index, columns.as_deref().unwrap_or_default())?);
                }
                continue;
            };
            samples.extend(row(&fields, index, columns)?);
        }
        let columns = columns.unwrap_or_default();
        let samples = samples
            .into_iter()
            .map(|(time, row)| (time, row.iter().zip(&columns).map(|(value, column)| value * column.factor).collect()));
        let samples = samples.collect();
        Self::new(columns.into_iter().map(|column| column.variable).collect(), samples)
    }
}

/// The channels of so many columns, of which the first is the time.
fn header(count: usize, names: &[&str]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for index in 1..count {
        let text = names.get(index).copied().unwrap_or("");
        let (name, unit) = match text.split_once(['[', '(']) {
            Some((name, unit)) => (name.trim(), unit.trim_end_matches([']', ')']).trim()),
            None => (text, ""),
        };
        let mut name = as_name(name);
        while name.is_empty() || columns.iter().any(|column| column.variable.name == name) {
            name = if name.is_empty() { format!("channel_{index}") } else { format!("{name}_{index}") };
        }
        columns.push(match unit {
            "rad" | "radians" => Column { variable: Variable::angle(name), factor: 1.0 },
            "deg" | "degrees" | "°" => Column { variable: Variable::angle(name), factor: PI / 180.0 },
            _ => Column { variable: Variable::line(name), factor: 1.0 },
        });
    }
    columns
}

/// Letters, digits and `_`, so that expressions can name it.
pub(crate) fn as_name(text: &str) -> String {
    let plain = |character: char| if character.is_alphanumeric() { character } else { '_' };
    let name: String = text.trim().chars().map(plain).collect();
    let name = name.trim_matches('_').to_owned();
    match name.chars().next() {
        Some(first) if first.is_numeric() => format!("_{name}"),
        _ if is_reserved(&name) => format!("{name}_"),
        _ => name,
    }
}

fn row(fields: &[&str], index: usize, columns: &[Column]) -> Result<Option<Sample>, RecordingError> {
    let line = index + 1;
    if fields.len() != columns.len() + 1 {
        let what = format!("it has {} values, and the first line has {}", fields.len(), columns.len() + 1);
        return Err(RecordingError::Line { line, what, remedy: "give a time and a value for each channel" });
    }
    let number = |field: &str| match field {
        "" => Ok(f64::NAN),
        _ => field.parse::<f64>().map_err(|_| RecordingError::Line {
            line,
            what: format!("`{field}` is not a number"),
            remedy: "write numbers with a point, and leave a value that is missing empty",
        }),
    };
    let time = number(fields[0])?;
    let values = fields[1..].iter().map(|field| number(field)).collect::<Result<Vec<f64>, _>>()?;
    Ok(Some((time, values)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_work::Remedy as _;

    fn lines(range: std::ops::Range<u32>, start: f64) -> String {
        range.map(|index| format!("{},{}\n", start + 0.1 * f64::from(index), index)).collect()
    }

    #[test]
    fn gaps_and_empty_lines_begin_takes() {
        let text = format!("time,x\n{}\n{}{}", lines(0..20, 0.0), lines(0..20, 7.0), lines(0..20, 90.0));
        let recording = Recording::from_csv(&text).unwrap();
        assert_eq!(recording.takes.len(), 3);
        assert!((recording.seconds() - 5.7).abs() < 1e-9);
        let missing = text.replace(",7\n", ",\n");
        assert_eq!(Recording::from_csv(&missing).unwrap().takes.len(), 3, "seven samples are too few for a take");
    }

    #[test]
    fn degrees_go_around_and_names_are_plain() {
        let rows: String =
            (0..20).map(|index| format!("{}\t{}\t{index}\n", 0.1 * f64::from(index), 350 + index)).collect();
        let recording = Recording::from_csv(&format!("s\tSail.001 [deg]\tSail.001\n{rows}")).unwrap();
        let names: Vec<&str> = recording.channels().iter().map(|channel| channel.name.as_str()).collect();
        assert_eq!(names, ["Sail_001", "Sail_001_2"]);
        assert!(recording.channels()[0].wrap.is_some() && recording.channels()[1].wrap.is_none());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, expected) in [
            ("", "0 channels"),
            ("time\n0\n1\n", "0 channels"),
            ("t,x\n0,1\n1,b\n", "line 3: `b` is not a number"),
            ("t,x\n0,1\n1\n", "line 3: it has 1 values"),
            ("t,x\n0,1\n", "fewer than two samples"),
            ("t,x\n0,1\n1,2\n", "no take has 8 samples"),
            ("t,x\n0,1\n1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n7,1\n", "all samples are the same"),
            ("t,a,b,c,d,e,f,g,h,i\n0,1,1,1,1,1,1,1,1,1\n", "9 channels"),
        ] {
            let error = Recording::from_csv(text).unwrap_err();
            assert!(error.to_string().contains(expected), "{text:?}: {error}");
            assert!(error.remedy().is_some());
        }
    }

    #[test]
    fn uneven_times_are_made_even() {
        let rows: String = (0..40)
            .map(|index| {
                let time = 0.1 * f64::from(index) + if index % 2 == 1 { 0.03 } else { 0.0 };
                format!("{time},{}\n", 3.0 * time)
            })
            .collect();
        let recording = Recording::from_csv(&format!("t,x\n{rows}")).unwrap();
        for (index, value) in recording.takes[0].iter().enumerate() {
            assert!((value - 3.0 * index as f64 * recording.step).abs() < 1e-9);
        }
    }
}
