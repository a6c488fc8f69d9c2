//! A scene that was checked.

use std::io;
use std::path::Path;
use std::sync::Arc;

use proscenium_chance::{Density, Seed};
use proscenium_diagnostics::nearest;
use proscenium_view::Camera;
use proscenium_work::read_file;

use crate::check::check;
use crate::drawn::DrawnScene;
use crate::error::{Place, SceneError, SceneErrors, Source};
use crate::file::{self, At, ComponentFile, DensityFile, NumberFile, PushFile, SceneFile, WantFile};
use crate::plan::Plan;
use crate::report::Report;

/// Larger files are not read, bytes.
const LARGEST_FILE: u64 = 16 * 1024 * 1024;

/// A scene: what there is, how it starts, and what of that is uncertain.
///
/// Checked when it was read; cheap to clone.
///
/// ```
/// use proscenium_chance::Seed;
/// use proscenium_scenes::{Scene, Source};
///
/// let text = r#"
///     format = 1
///
///     [[body]]
///     name = "ball"
///     shape = { sphere = 0.11 }
///     position = [0, { uniform = [1.0, 2.0] }, 0]
/// "#;
/// let scene = Scene::parse(text, &Source::inline("ball.toml", text))?;
/// let names: Vec<&str> = scene.variables().map(|(name, _)| name).collect();
/// assert_eq!(names, ["ball.position.y"]);
///
/// let drawn = scene.draw(Seed(1));
/// assert!((1.0..2.0).contains(&drawn.values()["ball.position.y"]));
/// # Ok::<(), proscenium_scenes::SceneErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scene {
    plan: Arc<Plan>,
}

impl Scene {
    /// Reads a scene from a text. `source` says what to call it in messages,
    /// and where to look for meshes; its own text is not used.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the text, each with its place and what
    /// would be right.
    pub fn parse(text: &str, source: &Source) -> Result<Scene, SceneErrors> {
        if text.len() as u64 > LARGEST_FILE {
            return Err(too_large(&source.name));
        }
        let source = Source { text: text.to_string(), ..source.clone() };
        let mut report = Report::new(Some(&source));
        let file = file::read(&source, &mut report);
        let file = report.finish(file)?;
        Self::checked(file, Some(&source))
    }

    /// Reads a scene from a file of at most 16 MB. Meshes are sought relative
    /// to its folder.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, and what [`Scene::parse`] refuses.
    pub fn read(path: &Path) -> Result<Scene, SceneErrors> {
        let name = path.display().to_string();
        let cannot = |error: &dyn std::fmt::Display| {
            SceneErrors::plain(format!("cannot read `{name}`: {error}"), "give the name of a scene file")
        };
        if path.is_dir() {
            return Err(cannot(&"it is a folder"));
        }
        let bytes = read_file(path, LARGEST_FILE).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => too_large(&name),
            _ => cannot(&error),
        })?;
        match String::from_utf8(bytes) {
            Ok(text) => {
                let source = Source::inline(name, text).with_folder(path.parent().unwrap_or(Path::new("")));
                Self::parse(&source.text, &source)
            }
            Err(error) => Err(not_text(&name, error.as_bytes(), error.utf8_error().valid_up_to())),
        }
    }

    pub(crate) fn checked(file: SceneFile, source: Option<&Source>) -> Result<Scene, SceneErrors> {
        Self::checked_in(file, source, source)
    }

    /// Checks a scene; what is wrong is told with places in a text.
    fn checked_in(file: SceneFile, source: Option<&Source>, told_in: Option<&Source>) -> Result<Scene, SceneErrors> {
        let mut report = Report::new(told_in);
        let plan = check(file, source, &mut report);
        let mut plan = report.finish(plan)?;
        if plan.name.is_empty() {
            let file = source.map(|source| Path::new(&source.name));
            let stem = file.and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
            plan.name = stem.filter(|stem| !stem.is_empty()).unwrap_or_else(|| "scene".to_string());
        }
        Ok(Scene { plan: Arc::new(plan) })
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What the scene is called: what it says itself, or the name of its file.
    pub fn name(&self) -> &str {
        &self.plan.name
    }

    /// How long it is simulated, seconds.
    pub fn duration(&self) -> f64 {
        self.plan.duration
    }

    /// How many bodies there are, copies included.
    pub fn body_count(&self) -> usize {
        self.plan.bodies.iter().map(|body| body.copies.count()).sum()
    }

    /// How many materials there are, with the one of bodies that name none.
    pub fn material_count(&self) -> usize {
        self.plan.materials.len()
    }

    /// The scene as a file that reads as the same scene. Comments are lost.
    pub fn to_toml(&self) -> String {
        file::write(&self.plan.file)
    }

    /// Whether the text of a scene file has the same bodies, densities and wants,
    /// whatever it is called and whatever they look like: then all that was sampled from
    /// the one is sampled from the other.
    ///
    /// ```
    /// use proscenium_scenes::{Scene, Source};
    ///
    /// let ball = "format = 1\n[[body]]\nname = \"ball\"\nshape = { sphere = 0.1 }\n";
    /// let scene = Scene::parse(ball, &Source::inline("ball.toml", ball))?;
    /// assert!(scene.differs_in_looks_only(&format!("{ball}colour = \"red\"\n")));
    /// assert!(!scene.differs_in_looks_only(&format!("{ball}position = [0, 1, 0]\n")));
    /// # Ok::<(), proscenium_scenes::SceneErrors>(())
    /// ```
    pub fn differs_in_looks_only(&self, text: &str) -> bool {
        let source = Source::inline("scene", text);
        let mut report = Report::new(Some(&source));
        let other = file::read(&source, &mut report);
        report.finish(other).is_ok_and(|other| self.plan.file.without_looks() == other.without_looks())
    }

    /// Everything that is uncertain: the named variables in the order of the
    /// file, then the densities in place, named as `die-1.position.z`. An
    /// orientation that is `"uniform"` counts as three numbers between 0 and 1.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &Density)> {
        self.plan.variables.iter().map(|variable| (variable.name.as_str(), &*variable.density))
    }

    /// Draws a value for everything that is uncertain, each from the stream of
    /// its name: the same seed gives the same value, whatever else there is.
    pub fn draw(&self, seed: Seed) -> DrawnScene {
        let draw = |(name, density): (&str, &Density)| density.sample(&mut seed.stream(name));
        let values = self.variables().map(draw).collect();
        let mut absent = Vec::new();
        for (index, name, chance) in self.plan.optional_bodies() {
            absent.resize(self.body_count(), false);
            absent[index] = seed.stream(&format!("{name}.takes_part")).uniform() >= chance;
        }
        DrawnScene::new(self.clone(), values, absent)
    }

    /// The same scene with a certain value for one of its `[variables]`.
    ///
    /// # Errors
    ///
    /// A variable that is not there, or a value that it cannot have.
    pub fn with_variable(&self, name: &str, value: f64) -> Result<Scene, SceneErrors> {
        let mut file = self.plan.file.clone();
        let Some((_, density)) = file.variables.iter_mut().find(|(key, _)| key.value == name) else {
            let known: Vec<&str> = self.plan.file.variables.iter().map(|(key, _)| key.value.as_str()).collect();
            let help = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None if known.is_empty() => "the scene has no section [variables]".to_string(),
                None => format!("the variables are: {}", known.join(", ")),
            };
            return Err(SceneErrors::plain(format!("there is no variable \"{name}\""), help));
        };
        if !value.is_finite() {
            return Err(SceneErrors::plain(format!("\"{name}\" cannot be {value}"), "give a finite number"));
        }
        *density = At::new(ComponentFile::Value(value), density.span.clone());
        Self::checked(file, self.plan.source.as_ref())
    }

    /// What should happen, in words.
    pub fn wants(&self) -> impl ExactSizeIterator<Item = &str> {
        self.plan.wants.iter().map(|want| want.name.as_str())
    }

    /// The names of the bodies that the wants are about, copies included.
    pub fn wanted_bodies(&self) -> Vec<String> {
        let mut places = std::collections::BTreeSet::new();
        self.plan.wants.iter().for_each(|want| want.collect_bodies(&mut places));
        let copies = self.plan.bodies.iter().flat_map(|body| (0..body.copies.count()).map(|copy| body.name_of(copy)));
        copies.enumerate().filter(|(place, _)| places.contains(place)).map(|(_, name)| name).collect()
    }

    /// The same scene with more wants: sentences with commas between them
    /// (`die-1 shows 6, ball hits die-1`), or tables as in the file.
    ///
    /// # Errors
    ///
    /// A want that is not understood, or that the scene cannot have.
    pub fn with_wants(&self, text: &str) -> Result<Scene, SceneErrors> {
        let mut file = self.plan.file.clone();
        let (wants, said) = WantFile::sentences(text)?;
        file.wants.extend(wants);
        // All else was found to be right before: what is wrong has its place in the sentence.
        Self::checked_in(file, self.plan.source.as_ref(), Some(&said))
    }

    /// The first camera of the file.
    pub fn first_camera(&self) -> Option<Camera> {
        let first = self.plan().file.cameras.first()?;
        self.plan().cameras.get(&first.name.value).copied()
    }

    /// A camera of the file, by its name.
    ///
    /// # Errors
    ///
    /// One that is not there.
    pub fn camera(&self, name: &str) -> Result<Camera, SceneErrors> {
        self.plan().cameras.get(name).copied().ok_or_else(|| {
            let names: Vec<&str> = self.plan().cameras.keys().map(String::as_str).collect();
            let help = match names.is_empty() {
                true => "add one: [[camera]] with name, position and target".to_owned(),
                false => format!("the cameras are: {}", names.join(", ")),
            };
            SceneErrors::plain(format!("there is no camera \"{name}\" in the scene \"{}\"", self.name()), help)
        })
    }

    /// The same scene in which a body is pushed at a time, by an impulse that is normally
    /// distributed along each axis, N s. It is another world: as it was, nothing pushed.
    ///
    /// # Errors
    ///
    /// A body that is not there, and a time or an impulse that cannot be.
    pub fn with_push(&self, body: &str, at: f64, deviation: f64) -> Result<Scene, SceneErrors> {
        let mut file = self.plan.file.clone();
        let Some(found) = file.bodies.iter_mut().find(|found| found.name.value == body) else {
            let known = self.plan.bodies.iter().map(|body| body.name.as_str());
            let help = match nearest(body, known) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => "name a body of the file, without the number of a copy".to_string(),
            };
            return Err(SceneErrors::plain(format!("there is no body \"{body}\""), help));
        };
        let along = || At::from(NumberFile::Density(DensityFile::Normal([0.0, deviation])));
        let impulse = At::from([along(), along(), along()]);
        found.pushes.push(PushFile { at: At::from(at), impulse });
        Self::checked(file, self.plan.source.as_ref())
    }

    /// The same scene without wants.
    pub fn without_wants(&self) -> Result<Scene, SceneErrors> {
        let file = SceneFile { wants: Vec::new(), ..self.plan.file.clone() };
        Self::checked(file, self.plan.source.as_ref())
    }

    /// What is not wrong but probably not meant.
    pub fn warnings(&self) -> &[String] {
        &self.plan.warnings
    }
}

/// Equal if they would be written as the same file.
impl PartialEq for Scene {
    fn eq(&self, other: &Self) -> bool {
        self.plan.file == other.plan.file
    }
}

/// The JSON Schema of the scene file.
///
/// ```
/// let schema = proscenium_scenes::schema();
/// assert_eq!(schema["properties"]["format"]["const"], 1);
/// ```
pub fn schema() -> serde_json::Value {
    file::schema()
}

fn too_large(name: &str) -> SceneErrors {
    let message = format!("`{name}` is larger than 16 MB");
    SceneErrors::plain(message, "a scene file is at most 16 MB; keep meshes in files of their own and use `repeat`")
}

/// The file is not text: the place is told without the text, which cannot be
/// shown.
fn not_text(name: &str, bytes: &[u8], valid: usize) -> SceneErrors {
    let before = &bytes[..valid];
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let place =
        Place { file: name.to_string(), span: valid..valid, line, column, key: String::new(), label: String::new() };
    let error = SceneError {
        message: format!("`{name}` is not a text: byte {valid} is not UTF-8"),
        place: Some(place),
        help: Some("save the file as UTF-8, or give the name of a scene file".to_string()),
    };
    SceneErrors { errors: vec![error], source: None }
}
