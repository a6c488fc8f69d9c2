//! The folder that the studio works in, and the only one that it touches.

use std::path::{Component, Path, PathBuf};

use crate::failure::Failure;

/// The studio's folder.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
}

/// Longer names are nobody's.
const LONGEST_NAME: usize = 64;
/// So many meshes are kept.
const MOST_MESHES: usize = 200;

impl Workspace {
    /// Uses a folder, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// A folder that cannot be made.
    pub fn open(root: &Path) -> std::io::Result<Self> {
        std::fs::create_dir_all(root.join("runs"))?;
        std::fs::create_dir_all(root.join("meshes"))?;
        std::fs::create_dir_all(root.join("rides"))?;
        std::fs::create_dir_all(root.join("models"))?;
        std::fs::create_dir_all(root.join("networks"))?;
        std::fs::create_dir_all(root.join("ensembles"))?;
        Ok(Self { root: root.to_path_buf() })
    }

    /// Where meshes of scenes are sought.
    pub fn meshes(&self) -> PathBuf {
        self.root.join("meshes")
    }

    /// The file of a mesh.
    ///
    /// # Errors
    ///
    /// A name that no mesh can have.
    pub fn mesh(&self, name: &str) -> Result<PathBuf, Failure> {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let stem = name.strip_suffix(".glb").or(name.strip_suffix(".obj")).unwrap_or_default();
        if stem.is_empty() || name.len() > LONGEST_NAME || name.starts_with('.') || !name.chars().all(is_plain) {
            let error = format!("a mesh cannot be called \"{}\"", name.chars().take(60).collect::<String>());
            let help = "use at most 64 letters, digits, dots, dashes and underscores, and end in .glb or .obj";
            return Err(Failure::bad(error, help));
        }
        Ok(self.meshes().join(name))
    }

    /// The meshes, with their sizes in bytes, by name.
    pub fn mesh_list(&self) -> Vec<(String, u64)> {
        let files = std::fs::read_dir(self.meshes()).into_iter().flatten().flatten();
        let mut found: Vec<(String, u64)> = files
            .filter_map(|file| {
                let name = file.file_name().into_string().ok()?;
                self.mesh(&name).ok()?;
                Some((name, file.metadata().ok().filter(std::fs::Metadata::is_file)?.len()))
            })
            .collect();
        found.sort();
        found
    }

    /// Keeps a mesh: all of it or nothing.
    ///
    /// # Errors
    ///
    /// A name that no mesh can have, too many of them, or a disk that is full.
    pub fn keep_mesh(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.mesh(name)?;
        if self.mesh_list().len() >= MOST_MESHES && !path.is_file() {
            let help = "take some away: DELETE /api/meshes/NAME";
            return Err(Failure::bad(format!("there are {MOST_MESHES} meshes already"), help));
        }
        proscenium_work::write_file(&path, bytes).map_err(|error| Failure::machine(&error))
    }

    /// Where road networks are kept.
    pub fn networks(&self) -> PathBuf {
        self.root.join("networks")
    }

    /// The file of a road network, without its extension.
    ///
    /// # Errors
    ///
    /// A name that no network can have.
    pub fn network(&self, name: &str) -> Result<PathBuf, Failure> {
        let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
            let error = format!("a road network cannot be called \"{}\"", name.chars().take(60).collect::<String>());
            return Err(Failure::bad(error, "use at most 64 small letters, digits and dashes"));
        }
        Ok(self.networks().join(name))
    }

    /// Where motion graphs are kept.
    pub fn ensembles(&self) -> PathBuf {
        self.root.join("ensembles")
    }

    /// Where models are kept, and what was learned of them.
    pub fn models(&self) -> PathBuf {
        self.root.join("models")
    }

    /// The file of a model.
    ///
    /// # Errors
    ///
    /// A name that no model can have.
    pub fn model(&self, name: &str) -> Result<PathBuf, Failure> {
        let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
            let error = format!("a model cannot be called \"{}\"", name.chars().take(60).collect::<String>());
            return Err(Failure::bad(error, "use at most 64 small letters, digits and dashes"));
        }
        Ok(self.models().join(format!("{name}.toml")))
    }

    /// The names of the models, sorted.
    pub fn model_list(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.models()).into_iter().flatten().flatten();
        let named = files.filter_map(|file| file.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned));
        let mut names: Vec<String> = named.filter(|name| self.model(name).is_ok()).collect();
        names.sort();
        names
    }

    /// Where what was learned of rides is kept.
    pub fn rides(&self) -> PathBuf {
        self.root.join("rides")
    }

    /// Where the lab writes, if nothing else was said.
    pub fn results(&self) -> PathBuf {
        self.root.join("lab").join("results")
    }

    /// Where answers of people are kept.
    pub fn studies(&self) -> PathBuf {
        self.root.join("studies")
    }

    /// Where runs of the lab are remembered.
    pub fn lab_jobs(&self) -> PathBuf {
        self.root.join("lab").join("jobs")
    }

    /// The folder of a run.
    ///
    /// # Errors
    ///
    /// A name that no run can have.
    pub fn run(&self, name: &str) -> Result<PathBuf, Failure> {
        let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
            return Err(Failure::missing(
                "there is no run of this name",
                "the first page lists them, and GET /api/runs",
            ));
        }
        Ok(self.root.join("runs").join(name))
    }

    /// The names of the runs, the latest first.
    pub fn runs(&self) -> Vec<String> {
        let Ok(folders) = std::fs::read_dir(self.root.join("runs")) else {
            return Vec::new();
        };
        let mut found: Vec<_> = folders
            .flatten()
            .filter(|entry| entry.path().join("gallery.sqlite").is_file())
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                self.run(&name).ok()?;
                let begun = std::fs::metadata(entry.path().join("order.json")).and_then(|data| data.modified());
                Some((begun.ok()?, name))
            })
            .collect();
        found.sort_by(|a, b| b.cmp(a));
        found.into_iter().map(|(_, name)| name).collect()
    }

    /// A folder for a new run, named after what is directed.
    ///
    /// # Errors
    ///
    /// A folder that cannot be made.
    pub fn new_run(&self, title: &str) -> std::io::Result<String> {
        let mut stem: String = title
            .to_lowercase()
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
            .take(40)
            .collect();
        while stem.contains("--") {
            stem = stem.replace("--", "-");
        }
        let stem = Some(stem.trim_matches('-')).filter(|stem| !stem.is_empty()).unwrap_or("run");
        let mut number = 1_u32;
        loop {
            let name = format!("{stem}-{number:02}");
            match std::fs::create_dir(self.root.join("runs").join(&name)) {
                Ok(()) => return Ok(name),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }
}

/// Refuses a scene that names a mesh outside the studio's folder.
///
/// Only names that end in `.glb` or `.obj` are ever opened, so any such text in
/// the file is looked at, wherever it stands.
///
/// # Errors
///
/// A mesh that is not in the folder.
pub fn check_meshes(text: &str) -> Result<(), Failure> {
    // What is not TOML has no meshes, and gets its answer from the scene's own parser.
    text.parse::<toml::Table>().map_or(Ok(()), |table| table.values().try_for_each(check_value))
}

fn check_value(value: &toml::Value) -> Result<(), Failure> {
    match value {
        toml::Value::String(text) => check_name(text),
        toml::Value::Array(items) => items.iter().try_for_each(check_value),
        toml::Value::Table(table) => table.values().try_for_each(check_value),
        _ => Ok(()),
    }
}

fn check_name(name: &str) -> Result<(), Failure> {
    let path = Path::new(name);
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_lowercase();
    let is_mesh = matches!(extension.as_str(), "glb" | "obj");
    let stays_inside = path.components().all(|part| matches!(part, Component::Normal(_))) && !name.contains('\\');
    if is_mesh && !stays_inside {
        let error = format!("the mesh `{name}` is outside the studio's folder");
        return Err(Failure::bad(error, "upload the file beside the scene, and give its name alone"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_runs_do_not_leave_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        for name in ["..", ".", "", "a/b", "../x", "a\\b", "/etc", "a.b", "Ä", &"a".repeat(65)] {
            assert!(workspace.run(name).is_err(), "{name}");
        }
        for name in ["..", "", "a/b", "../x", "a.b", "/etc", "Ä"] {
            assert!(workspace.network(name).is_err(), "{name}");
            assert!(workspace.model(name).is_err(), "{name}");
        }
        let name = workspace.new_run("Spell=../HI!").unwrap();
        assert_eq!(name, "spell-hi-01");
        assert_eq!(workspace.new_run("Spell=../HI!").unwrap(), "spell-hi-02");
        assert!(workspace.run(&name).unwrap().is_dir());
        assert_eq!(workspace.new_run("…").unwrap(), "run-01");
    }

    #[test]
    fn names_of_meshes_do_not_leave_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let long = format!("{}.obj", "a".repeat(64));
        for name in ["..", "x", ".obj", ".a.obj", "../x.obj", "a/b.glb", "a\\b.glb", "/x.obj", "ä.obj", "x.obj/", &long]
        {
            assert!(workspace.mesh(name).is_err(), "{name}");
        }
        workspace.keep_mesh("stool-2.obj", b"v 0 0 0").unwrap();
        assert_eq!(workspace.mesh_list(), [("stool-2.obj".to_owned(), 7)]);
    }

    #[test]
    fn meshes_stay_in_the_folder() {
        for name in ["/etc/x.obj", "../x.glb", "a/../../x.OBJ", "./x.glb", "..\\\\x.obj"] {
            let text = format!("[[body]]\nshape = {{ mesh = {{ file = \"{name}\" }} }}");
            assert!(check_meshes(&text).is_err(), "{name}");
        }
        assert!(check_meshes("[[body]]\nshape = { mesh = { file = \"cow.glb\" } }").is_ok());
        assert!(check_meshes("not = = toml").is_ok());
    }
}
