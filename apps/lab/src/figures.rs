//! The page of the book with all figures: what the papers had, what others have, and
//! what we have, as Markdown made from the results of a folder.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use proscenium_work::write_file;

use crate::error::LabError;
use crate::number::show;
use crate::report::{keys, read_all};
use crate::results::{Results, Row};

/// More rows than this are for machines to read.
const MOST_ROWS: usize = 40;

/// Writes the page of all results in a folder.
pub fn write_figures(folder: &Path, path: &Path) -> Result<(), LabError> {
    let all = read_all(folder)?;
    let mut page = format!(
        "# Figures\n\nEvery experiment of the lab, as `cargo lab run` wrote it on {} and `cargo lab report --figures` \
         put it here. The papers' own figures stand in columns in *italics*; other engines' have their names. A dash \
         is what was not measured.\n",
        machine()
    );
    for (results, source) in &all {
        section(&mut page, results, &date(source));
    }
    write_file(path, page.as_bytes()).map_err(LabError::file("write", path))
}

/// The processor, as far as the system tells.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let about = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = about.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|(_, name)| name));
    let system = std::env::consts::OS;
    match model {
        Some(model) => format!("{cores} cores of {}, {system}", model.trim()),
        None => format!("{cores} cores of {}, {system}", std::env::consts::ARCH),
    }
}

/// The day on which a file was written: `19 Nov 2026`.
fn date(path: &PathBuf) -> String {
    let written = std::fs::metadata(path).and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let words = httpdate::fmt_http_date(written);
    words.split_whitespace().skip(1).take(3).collect::<Vec<_>>().join(" ")
}

fn section(page: &mut String, results: &Results, date: &str) {
    let quick = if results.quick { " · **quick: fewer or smaller rows**" } else { "" };
    let about = escape(&results.reproduces);
    push(page, format_args!("\n## {}\n\n{about} · seed {} · {date}{quick}\n\n", results.experiment, results.seed));
    table(page, &results.rows);
    for note in &results.notes {
        push(page, format_args!("\n- {}", escape(note)));
    }
    if !results.notes.is_empty() {
        page.push('\n');
    }
}

/// Columns in which something was measured.
fn table(page: &mut String, rows: &[Row]) {
    let measured = |key: &&str| rows.iter().any(|row| row.get(key).is_some_and(|value| !value.is_null()));
    let keys: Vec<&str> = keys(rows).into_iter().filter(measured).collect();
    let headings = keys.iter().map(|key| {
        let words = key.replace('_', " ");
        words.strip_prefix("paper ").map_or_else(|| words.clone(), |of_paper| format!("*{of_paper}*"))
    });
    push(page, format_args!("| {} |\n", headings.collect::<Vec<_>>().join(" | ")));
    push(page, format_args!("|{}\n", "---|".repeat(keys.len())));
    for row in rows.iter().take(MOST_ROWS) {
        let cells = keys.iter().map(|key| row.get(key).map_or_else(String::new, |value| escape(&show(value))));
        push(page, format_args!("| {} |\n", cells.collect::<Vec<_>>().join(" | ")));
    }
    if rows.len() > MOST_ROWS {
        push(page, format_args!("\nThe first {MOST_ROWS} of {} rows.\n", rows.len()));
    }
}

fn push(page: &mut String, what: std::fmt::Arguments<'_>) {
    page.write_fmt(what).expect("writing to a string cannot fail");
}

/// Text that is neither markup nor the end of a cell.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace('*', "\\*").replace('_', "\\_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_papers_are_told_apart_and_empty_ones_left_out() {
        let row = Row::new().with("n_bodies", 64).with("paper_speedup", 9.5).with("rapier_ms", None::<f64>);
        let mut page = String::new();
        table(&mut page, &[row]);
        assert_eq!(page, "| n bodies | *speedup* |\n|---|---|\n| 64 | 9.500 |\n");
    }

    #[test]
    fn text_is_no_markup() {
        assert_eq!(escape("a|b <i> *c*"), "a\\|b &lt;i> \\*c\\*");
    }
}
