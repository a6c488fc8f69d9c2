//! Systems apart from their geometry: `use = "pendulum"` takes the equations of a model
//! that comes with the engine.
//!
//! The text of what is used is added at the end of the file's own, so that places in
//! messages stay where they are and a compiled file needs nothing else. Sections that the
//! file has are its own; of parameters single ones may be given.

use toml::de::{DeTable, DeValue};

use crate::builtin::{Builtin, MODELS};

/// Sections that are taken over if the file does not have them.
const USED: &[&str] = &[
    "curves",
    "inputs",
    "state",
    "define",
    "forcing",
    "modes",
    "motion",
    "switch",
    "signal",
    "output",
    "energy",
    "copies",
    "cull",
    "statistic",
];

/// The section that holds the parameters of what is used. Where it is there already
/// nothing is added any more.
pub(super) const LIBRARY: &str = "library";

/// What a file would be if what it uses stood in it; `None` if it uses nothing.
///
/// # Errors
/// The name that is not known, with those that are.
pub(super) fn completed(text: &str, root: &DeTable<'_>) -> Result<Option<String>, (String, String)> {
    let Some(value) = root.get("use").filter(|_| root.get(LIBRARY).is_none()) else {
        return Ok(None);
    };
    let DeValue::String(name) = value.get_ref() else {
        return Ok(None);
    };
    let Some(used) = Builtin::find(name) else {
        let known = MODELS.map(|model| model.name).join(", ");
        return Err((format!("no system of the library is called `{name}`"), format!("expected one of {known}")));
    };
    let mut whole = format!("{}\n\n# What {name} says.\n[{LIBRARY}]\n", text.trim_end());
    let sections = sections(used.text);
    for (_, block) in sections.iter().filter(|(section, _)| *section == "parameters") {
        // Without its header.
        whole += block.split_once('\n').map_or("", |(_, lines)| lines);
    }
    for (section, block) in sections {
        if USED.contains(&section) && root.get(section).is_none() {
            whole += block;
        }
    }
    Ok(Some(whole))
}

/// The sections of a file with their texts: from one header to the next.
fn sections(text: &str) -> Vec<(&str, &str)> {
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let inner = line.trim_start_matches('[');
        if inner.len() < line.len() && inner.starts_with(|first: char| first.is_ascii_alphabetic()) {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let block = |(start, end): (&usize, usize)| {
        let block = &text[*start..end];
        let inner = block.trim_start_matches('[');
        let name = inner.split([']', '.']).next().unwrap_or("");
        (name, block)
    };
    starts.iter().zip(ends).map(block).collect()
}
