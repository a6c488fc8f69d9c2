//! Aligned tables on a terminal.

use serde_json::Value;

use crate::number::show;
use crate::results::Row;

/// The least width of a column before its heading is broken.
const NARROW: usize = 8;

/// The chosen columns of some rows, as lines of text.
///
/// Numbers are aligned to the right, words to the left. A heading is the
/// column's key, broken at its underscores, so that wide tables stay readable.
///
/// ```
/// use proscenium_lab::{Row, table};
///
/// let rows = [Row::new().with("n", 1).with("name", "one"), Row::new().with("n", 22).with("name", "two")];
/// assert_eq!(table(&["n", "name"], &rows), " n  name\n──  ────\n 1  one\n22  two\n");
/// ```
pub fn table(columns: &[&str], rows: &[Row]) -> String {
    let columns: Vec<Column> = columns.iter().map(|key| Column::new(key, rows)).collect();
    let height = columns.iter().map(|column| column.heading.len()).max().unwrap_or(0);
    let mut text = String::new();
    for line in 0..height {
        push_line(&mut text, &columns, |column| {
            // Headings stand on the line below them.
            let empty = height - column.heading.len();
            line.checked_sub(empty).map_or("", |own| column.heading[own].as_str())
        });
    }
    push_line(&mut text, &columns, |column| &column.rule);
    for row in 0..rows.len() {
        push_line(&mut text, &columns, |column| &column.cells[row]);
    }
    text
}

struct Column {
    heading: Vec<String>,
    cells: Vec<String>,
    rule: String,
    right: bool,
    width: usize,
}

impl Column {
    fn new(key: &str, rows: &[Row]) -> Self {
        let cells: Vec<String> = rows.iter().map(|row| show(row.get(key).unwrap_or(&Value::Null))).collect();
        let widest = cells.iter().map(|cell| width(cell)).max().unwrap_or(0);
        let heading = break_heading(key, widest.max(NARROW));
        let width = heading.iter().map(|line| width(line)).fold(widest, usize::max);
        let right = rows.iter().all(|row| !matches!(row.get(key), Some(Value::String(_))));
        Self { heading, cells, rule: "─".repeat(width), right, width }
    }
}

fn push_line<'a>(text: &mut String, columns: &'a [Column], cell: impl Fn(&'a Column) -> &'a str) {
    let start = text.len();
    for (index, column) in columns.iter().enumerate() {
        let cell = cell(column);
        let space = " ".repeat(column.width.saturating_sub(width(cell)));
        let between = if index == 0 { "" } else { "  " };
        let (before, after) = if column.right { (space.as_str(), "") } else { ("", space.as_str()) };
        text.extend([between, before, cell, after]);
    }
    text.truncate(start + text[start..].trim_end().len());
    text.push('\n');
}

/// Breaks `sync_us_per_event` into lines no wider than the column if it can.
fn break_heading(key: &str, column: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in key.split('_') {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= column => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_headings_are_broken_and_stand_on_the_rule() {
        let rows = [Row::new().with("n", 64).with("sync_us_per_event", 1.5).with("drift", None::<f64>)];
        let found = table(&["n", "sync_us_per_event", "drift"], &rows);
        let expected = "    sync us\n        per\n n    event  drift\n──  ───────  ─────\n64    1.500      –\n";
        assert_eq!(found, expected, "{found}");
    }

    #[test]
    fn lines_have_no_trailing_space_and_missing_cells_are_dashes() {
        let rows = [Row::new().with("word", "a"), Row::new().with("other", 1)];
        let text = table(&["word", "other"], &rows);
        assert!(text.lines().all(|line| line == line.trim_end()));
        assert_eq!(text.lines().last(), Some("–         1"));
    }

    #[test]
    fn a_table_without_rows_is_its_heading() {
        assert_eq!(table(&["n"], &[]), "n\n─\n");
    }
}
