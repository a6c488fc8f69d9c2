//! Scenes that come with the engine.

mod billiards;
mod bounce;
pub(crate) mod bowling;
mod boxed;
mod bullet;
mod chain;
mod cradle;
mod dice;
mod dominoes;
mod door;
mod font;
mod gas;
mod hourglass;
mod packing;
mod parts;
pub(crate) mod pins;
mod pool;
pub(crate) mod spell;
mod spin;
mod swing;
mod table;

use std::path::Path;

use proscenium_diagnostics::nearest;

use crate::error::SceneErrors;
use crate::file::{At, SceneFile};
use crate::scene::Scene;

/// A scene that comes with the engine.
///
/// ```
/// use proscenium_scenes::builtin;
///
/// let gas = builtin().iter().find(|scene| scene.name == "gas").expect("it comes with the engine");
/// let scene = gas.scene(&[("n", 20.0)])?;
/// assert_eq!(scene.body_count(), 20 + 6);
/// assert!(scene.to_toml().starts_with("format = 1\n"));
/// # Ok::<(), proscenium_scenes::SceneErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builtin {
    /// What it is called.
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub summary: &'static str,
    /// The text that it is made from, if there is one.
    pub text: Option<Text>,
    /// What can be changed about it.
    pub parameters: &'static [Parameter],
    build: fn(&Ingredients<'_>) -> Result<SceneFile, SceneErrors>,
}

/// A text that a built-in scene is made from; [`find`] takes it behind the
/// name, as in `spell=HELLO`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// What it is if nothing is said.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// A number that a built-in scene is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// What it is called.
    pub name: &'static str,
    /// What it is if nothing is said.
    pub default: f64,
    /// What it means, with its unit.
    pub meaning: &'static str,
    /// The least it may be.
    pub min: f64,
    /// The most it may be.
    pub max: f64,
    /// Whether it is a whole number.
    pub whole: bool,
}

impl Parameter {
    const fn new(name: &'static str, default: f64, [min, max]: [f64; 2], meaning: &'static str) -> Self {
        Self { name, default, meaning, min, max, whole: false }
    }

    const fn whole(name: &'static str, default: f64, [min, max]: [f64; 2], meaning: &'static str) -> Self {
        Self { name, default, meaning, min, max, whole: true }
    }

    const fn duration(default: f64) -> Self {
        Self::new("duration", default, [1e-3, 1e6], "how long it runs, s")
    }

    /// Whole numbers up to 2⁵³ are exact.
    const SEED: Self = Self::whole("seed", 1.0, [0.0, 9_007_199_254_740_992.0], "what the start is drawn from");
}

/// What a scene is made from.
struct Ingredients<'a> {
    text: &'a str,
    parameters: &'a [Parameter],
    values: Vec<f64>,
}

impl Ingredients<'_> {
    /// The value of one of the scene's own parameters.
    fn number(&self, name: &str) -> f64 {
        let index = self.parameters.iter().position(|parameter| parameter.name == name);
        self.values[index.expect("a scene asks only for parameters that it lists")]
    }

    fn count(&self, name: &str) -> usize {
        self.number(name) as usize
    }
}

impl Builtin {
    /// The scene with some parameters changed.
    ///
    /// # Errors
    ///
    /// A parameter that the scene does not have, or a value out of range.
    pub fn scene(&self, parameters: &[(&str, f64)]) -> Result<Scene, SceneErrors> {
        let text = self.text.as_ref().map_or("", |text| text.default);
        self.made(text, parameters)
    }

    /// The scene with another text and some parameters changed.
    ///
    /// # Errors
    ///
    /// A scene that is not made from a text, and what [`Builtin::scene`] refuses.
    pub fn scene_of(&self, text: &str, parameters: &[(&str, f64)]) -> Result<Scene, SceneErrors> {
        if self.text.is_none() {
            let help = format!("write \"{}\" alone", self.name);
            return Err(SceneErrors::plain(format!("the scene \"{}\" is not made from a text", self.name), help));
        }
        self.made(text, parameters)
    }

    fn made(&self, text: &str, parameters: &[(&str, f64)]) -> Result<Scene, SceneErrors> {
        let mut given = Ingredients {
            text,
            parameters: self.parameters,
            values: self.parameters.iter().map(|parameter| parameter.default).collect(),
        };
        for (name, value) in parameters {
            let Some(index) = self.parameters.iter().position(|parameter| parameter.name == *name) else {
                let known: Vec<&str> = self.parameters.iter().map(|parameter| parameter.name).collect();
                let help = match nearest(name, known.iter().copied()) {
                    Some(near) => format!("did you mean \"{near}\"?"),
                    None => format!("its parameters are: {}", known.join(", ")),
                };
                return Err(SceneErrors::plain(
                    format!("the scene \"{}\" has no parameter \"{name}\"", self.name),
                    help,
                ));
            };
            let parameter = &self.parameters[index];
            let in_range = (parameter.min..=parameter.max).contains(value);
            if !in_range || (parameter.whole && libm::trunc(*value) != *value) {
                let kind = if parameter.whole { "a whole number" } else { "a number" };
                let help = format!("give {kind} from {} to {}", parameter.min, parameter.max);
                return Err(SceneErrors::plain(
                    format!("\"{name}\" of the scene \"{}\" cannot be {value}", self.name),
                    help,
                ));
            }
            given.values[index] = *value;
        }
        let mut file = (self.build)(&given)?;
        file.name = Some(self.name.to_string().into());
        if self.parameters.iter().any(|parameter| parameter.name == "duration") {
            file.duration = Some(At::from(given.number("duration")));
        }
        Scene::checked(file, None)
    }
}

/// The scenes that come with the engine, by name.
pub fn builtin() -> &'static [Builtin] {
    const SCENES: &[Builtin] = &[
        billiards::SCENE,
        bounce::SCENE,
        bowling::SCENE,
        boxed::SCENE,
        pool::SCENE,
        bullet::SCENE,
        chain::SCENE,
        cradle::SCENE,
        dice::SCENE,
        dominoes::SCENE,
        door::SCENE,
        gas::SCENE,
        hourglass::SCENE,
        pins::SCENE,
        spell::SCENE,
        spin::SCENE,
        swing::SCENE,
        table::SCENE,
    ];
    SCENES
}

/// A built-in scene by its name, or else a scene file. The parameters are
/// those of the built-in scene; of a file they fix the `[variables]`. A scene
/// that is made from a text takes it behind its name, as in `spell=HELLO`.
///
/// # Errors
///
/// A name that is neither, and what the scene itself refuses.
///
/// ```
/// use proscenium_diagnostics::Remedy as _;
/// use proscenium_scenes::find;
///
/// assert_eq!(find("box", &[("n", 8.0)])?.body_count(), 8 + 6);
/// let errors = find("craddle", &[]).unwrap_err();
/// assert!(errors.explain().contains("did you mean \"cradle\""));
/// # Ok::<(), proscenium_scenes::SceneErrors>(())
/// ```
pub fn find(name_or_path: &str, parameters: &[(&str, f64)]) -> Result<Scene, SceneErrors> {
    if let Some(scene) = builtin().iter().find(|scene| scene.name == name_or_path) {
        return scene.scene(parameters);
    }
    if let Some((name, text)) = name_or_path.split_once('=')
        && let Some(scene) = builtin().iter().find(|scene| scene.name == name)
    {
        return scene.scene_of(text, parameters);
    }
    let path = Path::new(name_or_path);
    let looks_like_a_file = path.extension().is_some() || path.components().count() > 1;
    if !looks_like_a_file && !path.exists() {
        let names = || builtin().iter().map(|scene| scene.name);
        let list = names().collect::<Vec<_>>().join(", ");
        let near = nearest(name_or_path, names()).map(|near| format!("did you mean \"{near}\"? "));
        let help = format!("{}the built-in scenes are: {list}", near.unwrap_or_default());
        let message = format!("\"{name_or_path}\" is neither a built-in scene nor a file");
        return Err(SceneErrors::plain(message, help));
    }
    let scene = Scene::read(path)?;
    parameters.iter().try_fold(scene, |scene, (name, value)| scene.with_variable(name, *value))
}

/// The text of a new scene: commented, working, and worth looking at.
///
/// ```
/// use proscenium_scenes::{Scene, Source, template};
///
/// let text = template("first");
/// let scene = Scene::parse(&text, &Source::inline("first.toml", text.clone()))?;
/// assert_eq!(scene.name(), "first");
/// # Ok::<(), proscenium_scenes::SceneErrors>(())
/// ```
pub fn template(name: &str) -> String {
    let quoted = crate::file::quoted(name);
    include_str!("template.toml").replace("\"NAME\"", &quoted)
}
