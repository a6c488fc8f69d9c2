//! What the lab left in its folder.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::api::LabLast;
use crate::failure::Failure;

use super::{Listed, belongs, no_experiment, since_1970};

/// A larger file is not one of the lab's.
const LARGEST: u64 = 64 << 20;

/// As much of a file of results as a list needs.
#[derive(Deserialize)]
struct Head {
    experiment: String,
    reproduces: String,
    seed: u64,
    quick: bool,
    rows: Vec<IgnoredAny>,
}

/// What was found last of an experiment, of all these.
pub(super) fn last(folder: &Path, name: &str, names: &[&str]) -> Option<LabLast> {
    let path = path(folder, name)?;
    let head = head(&path)?;
    let written = std::fs::metadata(&path).and_then(|data| data.modified()).ok()?;
    Some(LabLast {
        seed: head.seed as f64,
        quick: head.quick,
        rows: head.rows.len() as u32,
        written: since_1970(written),
        pictures: pictures(folder, name, names),
    })
}

/// The experiments that have results, where nobody else can say which there are.
pub(super) fn found(folder: &Path) -> Vec<Listed> {
    let mut found: Vec<Listed> = stems(folder, "json")
        .filter_map(|stem| head(&path(folder, &stem)?).filter(|head| head.experiment == stem))
        .map(|head| Listed {
            name: head.experiment,
            reproduces: head.reproduces,
            summary: String::new(),
            columns: Vec::new(),
        })
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// The file of an experiment's results.
pub(super) fn file(folder: &Path, name: &str) -> Result<Vec<u8>, Failure> {
    let none = || Failure::missing("this experiment has no results yet", "run it: POST /api/lab/NAME/run");
    let path = path(folder, name).filter(|path| path.is_file()).ok_or_else(none)?;
    let bytes = read(&path).ok_or_else(none)?;
    let is_sound = serde_json::from_slice::<crate::api::LabResults>(&bytes).is_ok();
    if is_sound {
        Ok(bytes)
    } else {
        Err(Failure::missing("the file of results cannot be read", "run the experiment again"))
    }
}

/// A picture of an experiment.
pub(super) fn picture(folder: &Path, name: &str, picture: &str, names: &[&str]) -> Result<Vec<u8>, Failure> {
    let none = || Failure::missing("there is no such picture", "GET /api/lab lists them");
    if !pictures(folder, name, names).iter().any(|known| known == picture) {
        return Err(none());
    }
    read(&folder.join(format!("{picture}.svg"))).ok_or_else(none)
}

/// The pictures of an experiment, unless they are of another with a longer name.
fn pictures(folder: &Path, name: &str, names: &[&str]) -> Vec<String> {
    let elsewhere = |stem: &str| names.iter().any(|other| other.len() > name.len() && belongs(stem, other));
    let mut found: Vec<String> = stems(folder, "svg").filter(|stem| belongs(stem, name) && !elsewhere(stem)).collect();
    found.sort();
    found
}

/// Names of experiments are plain; no other becomes a path.
fn path(folder: &Path, name: &str) -> Option<PathBuf> {
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    (!name.is_empty() && name.chars().all(is_plain)).then(|| folder.join(format!("{name}.json")))
}

fn head(path: &Path) -> Option<Head> {
    serde_json::from_slice(&read(path)?).ok()
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let size = std::fs::metadata(path).ok()?.len();
    if size > LARGEST { None } else { std::fs::read(path).ok() }
}

/// The names of the files with an ending, without it.
fn stems(folder: &Path, ending: &'static str) -> impl Iterator<Item = String> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    files
        .filter(move |path| path.extension().is_some_and(|own| own == ending))
        .filter_map(|path| path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned))
}

/// An experiment by a name that can be one.
pub(super) fn plain(name: &str) -> Result<&str, Failure> {
    path(Path::new(""), name).map(|_| name).ok_or_else(no_experiment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_and_pictures_are_found_by_name_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write(
            "box.json",
            r#"{"experiment":"box","reproduces":"p. 1","seed":3,"quick":true,"rows":[{"n":1}],"notes":[]}"#,
        );
        write("other.json", "not JSON");
        for name in ["box-a.svg", "box.svg", "box-large-b.svg", "boxes.svg"] {
            write(name, "<svg/>");
        }
        let last = last(folder.path(), "box", &["box", "box-large"]).unwrap();
        assert_eq!((last.seed, last.quick, last.rows), (3.0, true, 1));
        assert_eq!(last.pictures, ["box", "box-a"]);
        assert_eq!(found(folder.path()).len(), 1);
        assert!(file(folder.path(), "box").is_ok());
        for name in ["other", "missing", "../box", "", "box.json"] {
            assert!(file(folder.path(), name).is_err(), "{name}");
        }
        assert!(picture(folder.path(), "box", "box-a", &["box"]).is_ok());
        for name in ["box-c", "../box", "other"] {
            assert!(picture(folder.path(), "box", name, &["box"]).is_err(), "{name}");
        }
        assert!(plain("rigid-box").is_ok() && plain("../x").is_err());
    }
}
