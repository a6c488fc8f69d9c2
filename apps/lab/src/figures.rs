//! The page of the book with all figures: what the papers had, what others have, and
//! what we have, as Markdown made from the results of a folder.
//!
//! A page is made of many runs, and those take hours: sections of experiments that the
//! folder does not have stay as they are, with the day and the machine of their run.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use proscenium_work::write_file;

use crate::error::LabError;
use crate::experiments;
use crate::number::show;
use crate::report::{keys, read_all};
use crate::results::{Results, Row};

/// More rows than this are for machines to read.
const MOST_ROWS: usize = 40;

/// What stands between two sections, and at their beginning.
const SECTION: &str = "\n## ";

/// Puts all results in a folder on the page, each in the place of what the page had of
/// its experiment.
pub fn write_figures(folder: &Path, path: &Path) -> Result<(), LabError> {
    let all = read_all(folder)?;
    let known = match std::fs::read_to_string(path) {
        Ok(page) => page,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(LabError::file("read", path)(error)),
    };
    let machine = machine();
    let runs = all.iter().map(|(results, source)| (results, format!("{}, {machine}", date(source))));
    write_file(path, merged(&known, runs).as_bytes()).map_err(LabError::file("write", path))
}

/// A page with these runs, and when and on what they were made.
fn merged<'a>(page_before: &str, runs: impl Iterator<Item = (&'a Results, String)>) -> String {
    let mut sections = sections(page_before);
    for (results, made) in runs {
        sections.insert(results.experiment.clone(), section(results, &made));
    }
    page(&sections)
}

/// The sections of a page, by experiment.
fn sections(page: &str) -> BTreeMap<String, String> {
    let sections = page.split(SECTION).skip(1);
    sections
        .filter_map(|section| {
            let name = section.lines().next()?.trim();
            (name != MISSING).then(|| (name.to_owned(), section.trim_end().to_owned()))
        })
        .collect()
}

/// The heading of what was not run.
const MISSING: &str = "Not run";

/// The page, with its sections in the order of `lab list`.
fn page(sections: &BTreeMap<String, String>) -> String {
    let mut page = String::from(
        "# Figures\n\nEvery experiment of the lab, as `cargo lab run` wrote it and `cargo lab report --figures` put it \
         here. The papers' own figures stand in columns in *italics*; other engines' have their names. A dash is what \
         was not measured.\n",
    );
    let (run, missing): (Vec<_>, Vec<_>) =
        experiments().iter().map(|experiment| experiment.name()).partition(|name| sections.contains_key(*name));
    for name in run {
        push(&mut page, format_args!("{SECTION}{}\n", sections[name]));
    }
    if !missing.is_empty() {
        let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
        push(&mut page, format_args!("{SECTION}{MISSING}\n\nNo full run is here of {}.\n", names.join(", ")));
    }
    page
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

/// What an experiment came to: what follows from it, and its rows behind that.
fn section(results: &Results, made: &str) -> String {
    let quick = if results.quick { " · **quick: fewer or smaller rows**" } else { "" };
    let about = escape(&results.reproduces);
    let mut section = format!("{}\n\n{about} · seed {} · {made}{quick}\n", results.experiment, results.seed);
    if !results.notes.is_empty() {
        section.push('\n');
    }
    for note in &results.notes {
        push(&mut section, format_args!("- {}\n", escape(note)));
    }
    push(&mut section, format_args!("\n<details><summary>{} rows</summary>\n\n", results.rows.len()));
    table(&mut section, &results.rows);
    section.push_str("\n</details>");
    section
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

    fn results(experiment: &str, speedup: f64) -> Results {
        let row = Row::new().with("speedup", speedup);
        Results {
            experiment: experiment.to_owned(),
            reproduces: "table 3.1".to_owned(),
            seed: 1,
            quick: false,
            rows: vec![row],
            notes: vec!["It is faster.".to_owned()],
        }
    }

    #[test]
    fn what_a_folder_does_not_have_stays_on_the_page() {
        let put = |page: &str, results: &Results| merged(page, [(results, "1 Jan 2026".to_owned())].into_iter());
        let page = put("", &results("rigid-scale", 2.5));
        let page = put(&page, &results("rigid-box", 12.5));
        let page = put(&page, &results("rigid-box", 13.5));
        let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is not in\n{page}"));
        assert!(place("## rigid-box") < place("13.5") && place("13.5") < place("## rigid-scale"));
        assert!(place("## rigid-scale") < place("2.5") && !page.contains("12.5"));
        assert!(place("## Not run") < place("`direct-dice`") && !page.contains("`rigid-box`"));
        assert_eq!(page.matches("It is faster.").count(), 2);
    }

    #[test]
    fn text_is_no_markup() {
        assert_eq!(escape("a|b <i> *c*"), "a\\|b &lt;i> \\*c\\*");
    }
}
