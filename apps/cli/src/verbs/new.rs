//! `proscenium new`: a scene to start from.

use std::path::Path;

use serde_json::json;

use crate::arguments::New;
use crate::console::Console;
use crate::failure::Failure;
use crate::output;

pub fn run(options: &New, console: Console) -> Result<(), Failure> {
    // `new table` and `new table.toml` mean the same.
    let mut path = options.name.clone();
    if path.extension().is_none_or(|ending| ending != "toml") {
        path.as_mut_os_string().push(".toml");
    }
    let name = path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| !stem.trim_matches('.').is_empty());
    let name = name.filter(|stem| !stem.chars().any(char::is_control) && *stem != ".toml");
    let name = name.ok_or_else(|| Failure::SceneName { path: options.name.clone() })?;

    let text = proscenium_scenes::template(name);
    if options.force {
        output::write(&path, text.as_bytes())?;
    } else {
        output::write_once(&path, text.as_bytes())?;
    }
    let shown = path.display().to_string();
    console.report(
        || {
            format!(
                "wrote {shown}, a scene to change as you like. Next:\n\
                 \x20 proscenium check {}\n\
                 \x20 proscenium simulate {} -o {}\n",
                quoted(&path),
                quoted(&path),
                quoted(&path.with_extension("gif")),
            )
        },
        json!({ "wrote": shown }),
    )
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |character: char| character.is_alphanumeric() || "/._-".contains(character);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
