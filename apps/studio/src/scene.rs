//! Which scene a request means, and what there is to see in it.

use std::collections::BTreeMap;

use proscenium_chance::Density;
use proscenium_scenes::{DirectedScene, Scene, Source, builtin};

use crate::api::{BuiltinScene, SceneChoice, SceneParameter, SceneText, SceneTree};
use crate::api::{TreeBody, TreeGroup, TreeMaterial, TreeVariable};
use crate::densities::{self, Step};
use crate::failure::Failure;
use crate::workspace::{Workspace, check_meshes};

/// More uncertain numbers than this are only counted.
const MOST_VARIABLES: usize = 1000;
/// So many places of a density are sent.
const CURVE: usize = 32;
/// A longer text is no word.
const LONGEST_TEXT: usize = 200;

/// The scenes that come with the engine.
pub fn builtin_scenes() -> Vec<BuiltinScene> {
    let parameter = |parameter: &proscenium_scenes::Parameter| SceneParameter {
        name: parameter.name.to_owned(),
        default: parameter.default,
        meaning: parameter.meaning.to_owned(),
        min: parameter.min,
        max: parameter.max,
        whole: parameter.whole,
    };
    let scene = |scene: &proscenium_scenes::Builtin| BuiltinScene {
        name: scene.name.to_owned(),
        summary: scene.summary.to_owned(),
        text: scene
            .text
            .as_ref()
            .map(|text| SceneText { default: text.default.to_owned(), meaning: text.meaning.to_owned() }),
        parameters: scene.parameters.iter().map(parameter).collect(),
    };
    builtin().iter().map(scene).collect()
}

/// The scene that is meant.
///
/// # Errors
///
/// A scene that is not there, or what it refuses.
pub fn resolve(choice: &SceneChoice, workspace: &Workspace) -> Result<Scene, Failure> {
    let scene = match (&choice.builtin, &choice.toml) {
        (Some(name), None) => made(name, choice)?,
        (None, Some(text)) => {
            check_meshes(text)?;
            let source = Source::inline("scene.toml", "").with_folder(workspace.meshes());
            Scene::parse(text, &source)?
        }
        _ => return Err(Failure::bad("it is not said which scene is meant", "give either `builtin` or `toml`")),
    };
    let scene = if choice.densities.is_empty() { scene } else { changed(&scene, choice, workspace)? };
    let Some(wants) = &choice.wants else {
        return Ok(scene);
    };
    let bare = scene.without_wants()?;
    wants.iter().filter(|want| !want.trim().is_empty()).try_fold(bare, |scene, want| {
        check_meshes(&format!("want = [{want}]"))?;
        Ok(scene.with_wants(want)?)
    })
}

/// The same scene with other densities.
fn changed(scene: &Scene, choice: &SceneChoice, workspace: &Workspace) -> Result<Scene, Failure> {
    let mut file: toml::Table = scene.to_toml().parse().map_err(|error| Failure::machine(&error))?;
    densities::replace(&mut file, &choice.densities)?;
    let text = toml::to_string(&file).map_err(|error| Failure::machine(&error))?;
    let source = Source::inline(format!("{}.toml", scene.name()), "").with_folder(workspace.meshes());
    Ok(Scene::parse(&text, &source)?)
}

fn made(name: &str, choice: &SceneChoice) -> Result<Scene, Failure> {
    let Some(scene) = builtin().iter().find(|scene| scene.name == name) else {
        let known: Vec<&str> = builtin().iter().map(|scene| scene.name).collect();
        let error = format!("there is no built-in scene \"{}\"", name.chars().take(60).collect::<String>());
        return Err(Failure::missing(error, format!("the built-in scenes are: {}", known.join(", "))));
    };
    let parameters: Vec<(&str, f64)> = choice.parameters.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    match &choice.text {
        Some(text) if text.chars().count() > LONGEST_TEXT => {
            Err(Failure::bad("the text is too long", format!("give at most {LONGEST_TEXT} letters")))
        }
        Some(text) => Ok(scene.scene_of(text, &parameters)?),
        None => Ok(scene.scene(&parameters)?),
    }
}

/// What there is to see in a scene.
pub fn tree(scene: &Scene) -> SceneTree {
    let toml = scene.to_toml();
    let table: toml::Table = toml.parse().unwrap_or_default();
    let bodies = table
        .get("body")
        .and_then(toml::Value::as_array)
        .map_or_else(Vec::new, |bodies| bodies.iter().filter_map(toml::Value::as_table).map(tree_body).collect());
    let materials = table
        .get("materials")
        .and_then(toml::Value::as_table)
        .map_or_else(Vec::new, |materials| materials.iter().map(|(name, value)| tree_material(name, value)).collect());
    let groups = table.get("groups").and_then(toml::Value::as_table).into_iter().flatten().map(tree_group).collect();
    SceneTree {
        name: scene.name().to_owned(),
        duration: scene.duration(),
        body_count: scene.body_count() as u32,
        bodies,
        groups,
        materials,
        variables: variables(scene, &table),
        variable_count: scene.variables().count() as u32,
        wants: scene.wants().map(str::to_owned).collect(),
        undirectable: DirectedScene::new(scene).err().map(|errors| errors.to_string()),
        warnings: scene.warnings().to_vec(),
        toml,
    }
}

fn tree_body(body: &toml::Table) -> TreeBody {
    let text = |key: &str| body.get(key).and_then(toml::Value::as_str).map(str::to_owned);
    let shape = body.get("shape").and_then(toml::Value::as_table);
    let kind = shape.and_then(|shape| shape.keys().find(|key| key.as_str() != "rounding"));
    let repeat = body.get("repeat").and_then(toml::Value::as_table);
    let whole = |value: &toml::Value| value.as_integer().and_then(|count| u32::try_from(count).ok());
    let copies = repeat.and_then(|repeat| match repeat.get("count").or(repeat.get("grid"))? {
        toml::Value::Array(counts) => counts.iter().map(whole).product(),
        count => whole(count),
    });
    TreeBody {
        name: text("name").unwrap_or_default(),
        shape: kind.map_or_else(String::new, |kind| kind.replace('_', " ")),
        material: text("material"),
        fixed: body.get("fixed").and_then(toml::Value::as_bool).unwrap_or(false),
        count: copies.unwrap_or(1),
    }
}

fn tree_group((name, bodies): (&String, &toml::Value)) -> TreeGroup {
    let bodies = bodies.as_array().into_iter().flatten().filter_map(toml::Value::as_str).map(str::to_owned).collect();
    TreeGroup { name: name.clone(), bodies }
}

fn tree_material(name: &str, value: &toml::Value) -> TreeMaterial {
    let properties = value.as_table().map_or_else(Vec::new, |table| {
        table.iter().map(|(key, value)| (key.clone(), value.to_string().trim().to_owned())).collect()
    });
    TreeMaterial { name: name.to_owned(), properties }
}

/// The variables, those that share a density as one.
fn variables(scene: &Scene, file: &toml::Table) -> Vec<TreeVariable> {
    let mut places: BTreeMap<Vec<Step>, usize> = BTreeMap::new();
    let mut variables: Vec<TreeVariable> = Vec::new();
    for (name, density) in scene.variables() {
        let place = densities::place(file, name);
        if let Some(known) = place.as_ref().and_then(|place| places.get(place)) {
            variables[*known].count += 1;
        } else if variables.len() < MOST_VARIABLES {
            variables.push(variable(name, density, place.is_some()));
            places.extend(place.map(|place| (place, variables.len() - 1)));
        }
    }
    variables
}

fn variable(name: &str, density: &Density, can_change: bool) -> TreeVariable {
    let points = |low: f64, high: f64| {
        let place = move |step: usize| low + (high - low) * step as f64 / (CURVE - 1) as f64;
        (0..CURVE).map(|step| (place(step), libm::exp(density.log_density(place(step))))).collect()
    };
    let curve = match density {
        Density::Constant(constant) => vec![(constant.value(), 1.0)],
        Density::Discrete(discrete) => discrete.entries().collect(),
        other => points(other.quantile(0.001), other.quantile(0.999)),
    };
    TreeVariable {
        name: name.to_owned(),
        count: 1,
        density: in_words(density),
        choice: if can_change { densities::choice(density) } else { None },
        mean: density.mean(),
        curve,
    }
}

fn in_words(density: &Density) -> String {
    match density {
        Density::Constant(constant) => format!("always {}", short(constant.value())),
        Density::Uniform(uniform) => format!("uniform from {} to {}", short(uniform.low()), short(uniform.high())),
        Density::Normal(normal) => format!("normal, {} ± {}", short(normal.mean()), short(normal.standard_deviation())),
        Density::TruncatedNormal(normal) => {
            let (mean, deviation) = (normal.untruncated_mean(), normal.untruncated_standard_deviation());
            format!("normal, {} ± {}, within limits", short(mean), short(deviation))
        }
        Density::Exponential(exponential) => format!("exponential, rate {}", short(exponential.rate())),
        Density::LogNormal(normal) => format!("log-normal, about {}", short(libm::exp(normal.log_mean()))),
        Density::Discrete(discrete) => format!("one of {} values", discrete.entries().len()),
        Density::Mixture(mixture) => format!("a mixture of {}", mixture.components().len()),
    }
}

/// A number with four digits that count.
fn short(value: f64) -> String {
    let digits = if value == 0.0 { 0.0 } else { 3.0 - libm::floor(libm::log10(value.abs())) };
    let text = format!("{value:.*}", digits.clamp(0.0, 9.0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(builtin: &str) -> SceneChoice {
        SceneChoice {
            builtin: Some(builtin.to_owned()),
            text: None,
            parameters: BTreeMap::new(),
            toml: None,
            densities: BTreeMap::new(),
            wants: None,
        }
    }

    #[test]
    fn every_built_in_scene_has_a_tree() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        for scene in builtin_scenes() {
            let scene = resolve(&choice(&scene.name), &workspace).unwrap();
            let tree = tree(&scene);
            let copies: u32 = tree.bodies.iter().map(|body| body.count).sum();
            assert_eq!(copies, tree.body_count, "{}", tree.name);
            assert!(tree.bodies.iter().all(|body| !body.name.is_empty() && !body.shape.is_empty()));
            let finite = |point: &(f64, f64)| point.0.is_finite() && point.1.is_finite();
            assert!(tree.variables.iter().all(|variable| variable.curve.iter().all(finite)));
        }
    }

    #[test]
    fn wants_replace_those_of_the_scene() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let wanting = |wants: &[&str]| {
            let wants = Some(wants.iter().map(|want| (*want).to_owned()).collect());
            resolve(&SceneChoice { wants, ..choice("table") }, &workspace)
        };
        assert_eq!(wanting(&["die-1 shows 6", " "]).unwrap().wants().len(), 1);
        assert_eq!(wanting(&[]).unwrap().wants().len(), 0);
        assert_eq!(wanting(&["die-1 shines"]).unwrap_err().status, 422);
    }

    #[test]
    fn densities_of_every_built_in_scene_can_be_changed() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let mut changed = 0;
        for builtin in builtin_scenes() {
            let choice = choice(&builtin.name);
            let tree = tree(&resolve(&choice, &workspace).unwrap());
            let counted: u32 = tree.variables.iter().map(|variable| variable.count).sum();
            assert!(counted == tree.variable_count || tree.variables.len() == MOST_VARIABLES, "{}", tree.name);
            for variable in tree.variables.iter().filter(|variable| variable.choice.is_some()).take(2) {
                let mut density = variable.choice.clone().unwrap();
                // A little wider, which every density of a scene bears.
                if let Some(Some(last)) = density.parameters.last_mut() {
                    *last += 1e-6;
                }
                let densities = BTreeMap::from([(variable.name.clone(), density.clone())]);
                let scene = resolve(&SceneChoice { densities, ..choice.clone() }, &workspace).unwrap();
                let again = super::tree(&scene);
                assert_eq!(again.name, tree.name);
                assert_eq!(again.wants, tree.wants);
                let found = again.variables.iter().find(|other| other.name == variable.name).unwrap();
                assert_eq!(found.choice, Some(density), "{} {}", tree.name, variable.name);
                changed += 1;
            }
        }
        assert!(changed > 10, "{changed}");
    }

    #[test]
    fn numbers_are_short() {
        let cases = [(0.0, "0"), (1.5, "1.5"), (0.0015, "0.0015"), (1234.56, "1235"), (2e-5, "0.00002")];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
    }
}
