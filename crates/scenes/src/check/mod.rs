//! From plain data to a scene that makes sense, or to everything that does
//! not.

mod body;
mod collision;
mod formula;
mod happening;
mod joint;
mod quantity;
mod shape;
mod want;

use std::collections::BTreeMap;
use std::sync::Arc;

use proscenium_chance::Density;
use proscenium_diagnostics::nearest;

use crate::colour::Colour;
use crate::error::{MeshFiles, Source};
use crate::file::{At, MaterialFile, PairFile, SceneFile};
use crate::meshes::Meshes;
use crate::plan::{Formula, MaterialPlan, PairPlan, Plan, Quantity, Scoped, Variable};
use crate::report::{Path, Report};
use crate::want::Watch;

use quantity::{LocalDensities, Range, Rule};

/// How long a scene runs that does not say it, seconds.
const DURATION: f64 = 5.0;
/// A longer run is a mistake: a year.
const LONGEST: f64 = 366.0 * 86_400.0;
/// m/s², if the scene says nothing else.
const GRAVITY: [f64; 3] = [0.0, -9.81, 0.0];
/// More uncertain values than this are a mistake.
const MOST_VARIABLES: usize = 4_000_000;
/// More bodies than this are a mistake.
const MOST_BODIES: usize = 1_000_000;

const DENSITY: Rule = Rule {
    what: "the density of a body",
    range: Range::Positive,
    help: "water is 1000, wood about 600, steel 7850 (kg/m³)",
};
const RESTITUTION: Rule = Rule {
    what: "a restitution",
    range: Range::Share,
    help: "0 is clay, 0.5 wood on wood, 0.9 a rubber ball, 1 loses nothing",
};
const FRICTION: Rule = Rule {
    what: "a friction coefficient",
    range: Range::NotNegative,
    help: "0 is none, ice about 0.05, wood on wood 0.4, rubber 1",
};
const ROLLING: Rule = Rule {
    what: "a rolling resistance",
    range: Range::NotNegative,
    help: "0 is none, steel on steel 0.001, a ball on cloth 0.01, a tyre on sand 0.3",
};

/// Checks a scene. `source` is where it was read from, if it was.
pub(crate) fn check(file: SceneFile, source: Option<&Source>, report: &mut Report<'_>) -> Option<Plan> {
    let files = source.map_or_else(|| MeshFiles::Folder("".into()), |source| source.meshes.clone());
    let mut checker = Checker {
        report,
        files,
        meshes: Meshes::default(),
        named: Vec::new(),
        named_index: BTreeMap::new(),
        variables: Vec::new(),
        uncertain: 0,
        bodies: 0,
        watches: Vec::new(),
        formulas: Vec::new(),
    };
    let plan = checker.scene(&file);
    checker.report.is_clean().then_some(Plan { file, source: source.cloned(), ..plan })
}

/// What is known while a scene is checked.
struct Checker<'r, 's> {
    report: &'r mut Report<'s>,
    files: MeshFiles,
    meshes: Meshes,
    named: Vec<Named>,
    named_index: BTreeMap<String, usize>,
    variables: Vec<Variable>,
    /// How many uncertain quantities were met, to tell whether a shape has any.
    uncertain: usize,
    bodies: usize,
    /// What wants ask about stretches of time.
    watches: Vec<Watch>,
    /// The arithmetic in place of numbers.
    formulas: Vec<Formula>,
}

/// A named variable; without a density if there is something wrong with it.
struct Named {
    name: String,
    density: Option<Arc<Density>>,
    used: bool,
}

/// The materials, and which of them are in use.
#[derive(Default)]
struct Materials {
    plans: Vec<MaterialPlan>,
    used: Vec<bool>,
    index: BTreeMap<String, usize>,
}

impl Materials {
    fn add(&mut self, plan: MaterialPlan) {
        self.index.insert(plan.name.clone(), self.plans.len());
        self.plans.push(plan);
        self.used.push(false);
    }
}

impl Checker<'_, '_> {
    fn error(&mut self, span: &std::ops::Range<usize>, path: &Path<'_>, message: impl Into<String>, help: &str) {
        self.report.error(span, path, message, Some(help.to_string()));
    }

    fn scene(&mut self, file: &SceneFile) -> Plan {
        let root = &Path::ROOT;
        self.variables(file);
        let gravity = self.gravity(file);
        let duration = self.setting(file.duration.as_ref(), &root.key("duration"), "the duration", DURATION);
        let tolerance = file
            .tolerance
            .as_ref()
            .map(|value| self.setting(Some(value), &root.key("tolerance"), "the tolerance", 1.0));
        let mut materials = Materials::default();
        self.materials(file, &mut materials);
        let pairs = self.pairs(file, &materials);
        let bodies = self.bodies(file, &mut materials);
        if file.bodies.is_empty() {
            let help = "add one: [[body]] with a name and a shape, as in shape = { sphere = 0.1 }";
            self.error(&(0..0), &root.key("body"), "the scene has no bodies", help);
        }
        let collisions = self.collisions(file, &bodies);
        let joints = self.joints(file, &bodies);
        let cameras = self.cameras(&file.cameras);
        let wants = self.wants(file, &bodies, &cameras, duration);
        let unread = self.named.iter().filter(|named| !named.used).map(|named| named.name.clone());
        let unread: Vec<String> = unread.collect();
        let mut warnings: Vec<String> =
            unread.iter().map(|name| format!("nothing reads the variable \"{name}\"")).collect();
        for (material, _) in materials.plans.iter().zip(&materials.used).filter(|(_, used)| !**used) {
            warnings.push(format!("nothing is made of \"{}\"", material.name));
        }
        Plan {
            file: SceneFile::default(),
            source: None,
            name: file.name.as_ref().map(|name| name.value.clone()).unwrap_or_default(),
            duration,
            gravity,
            tolerance,
            variables: std::mem::take(&mut self.variables),
            materials: materials.plans,
            pairs,
            collisions,
            bodies,
            joints,
            wants,
            cameras,
            watches: std::mem::take(&mut self.watches),
            formulas: std::mem::take(&mut self.formulas),
            named: self.named.len(),
            unread,
            warnings,
        }
    }

    /// A certain number above zero.
    fn setting(&mut self, value: Option<&At<f64>>, path: &Path<'_>, what: &str, default: f64) -> f64 {
        let Some(value) = value else {
            return default;
        };
        if !(value.value > 0.0 && value.value <= LONGEST) {
            let message = format!("{what} must be positive");
            self.error(
                &value.span,
                path,
                message,
                &format!("up to {LONGEST}; durations are in seconds, lengths in metres"),
            );
        }
        value.value
    }

    fn variables(&mut self, file: &SceneFile) {
        let root = &Path::ROOT;
        let section = &root.key("variables");
        for (name, density) in &file.variables {
            let path = &section.key(&name.value).of("variable", &name.value);
            self.name("a variable", name, path);
            let density = self.density(&density.value, &density.span, path).map(Arc::new);
            let listed = density.clone().or_else(|| Density::constant(0.0).ok().map(Arc::new));
            // A placeholder keeps the indices right until the errors are told.
            self.variables.extend(listed.map(|density| Variable { name: name.value.clone(), density }));
            self.named_index.insert(name.value.clone(), self.named.len());
            self.named.push(Named { name: name.value.clone(), density, used: false });
        }
    }

    fn gravity(&mut self, file: &SceneFile) -> Scoped<[Quantity; 3]> {
        let mut own = LocalDensities::default();
        let root = &Path::ROOT;
        let gravity = file.gravity.as_ref();
        let inner = gravity.and_then(|gravity| self.vector(&mut own, gravity, &root.key("gravity"), "gravity"));
        Scoped { inner: inner.unwrap_or(GRAVITY.map(Quantity::Fixed)), first: self.settle(own, &[""]) }
    }

    fn materials(&mut self, file: &SceneFile, materials: &mut Materials) {
        let root = &Path::ROOT;
        let section = &root.key("materials");
        for (name, material) in &file.materials {
            let path = &section.key(&name.value).of("material", &name.value);
            self.name("a material", name, path);
            materials.add(self.material(&name.value, material, path));
        }
    }

    fn material(&mut self, name: &str, material: &MaterialFile, path: &Path<'_>) -> MaterialPlan {
        let mut own = LocalDensities::default();
        let mut number = |value: &Option<_>, key: &str, rule: &Rule, default: f64| {
            let given = value.as_ref().and_then(|value| self.quantity(&mut own, value, &path.key(key), key, rule));
            given.unwrap_or(Quantity::Fixed(default))
        };
        let density = number(&material.density, "density", &DENSITY, 1000.0);
        let restitution = number(&material.restitution, "restitution", &RESTITUTION, 0.5);
        let friction = number(&material.friction, "friction", &FRICTION, 0.3);
        let rolling = number(&material.rolling, "rolling", &ROLLING, 0.0);
        let colour = material.colour.as_ref().and_then(|colour| self.colour(colour, &path.key("colour")));
        let mut share = |value: &Option<At<f64>>, key: &str, default: f64| {
            let Some(value) = value else {
                return default;
            };
            if !(0.0..=1.0).contains(&value.value) {
                let message = format!("the {key} of a material must lie between 0 and 1");
                let help = if key == "metallic" { "0 is stone, 1 is metal" } else { "0 is a mirror, 1 is chalk" };
                self.error(&value.span, &path.key(key), message, help);
            }
            value.value
        };
        let roughness = share(&material.roughness, "roughness", 0.5);
        let metallic = share(&material.metallic, "metallic", 0.0);
        let first = self.settle(own, &[&format!("materials.{name}")]);
        let name = name.to_string();
        MaterialPlan { name, density, restitution, friction, rolling, first, colour, roughness, metallic }
    }

    fn colour(&mut self, colour: &At<String>, path: &Path<'_>) -> Option<Colour> {
        let found = Colour::parse(&colour.value);
        if found.is_none() {
            let help = match nearest(&colour.value, Colour::names()) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("write \"#rrggbb\" or one of: {}", Colour::names().collect::<Vec<_>>().join(", ")),
            };
            self.error(&colour.span, path, "this is not a colour", &help);
        }
        found
    }

    fn pairs(&mut self, file: &SceneFile, materials: &Materials) -> Vec<PairPlan> {
        let root = &Path::ROOT;
        let section = &root.key("pair");
        let mut plans = Vec::with_capacity(file.pairs.len());
        let mut seen = BTreeMap::new();
        for (index, pair) in file.pairs.iter().enumerate() {
            let path = &section.index(index);
            let Some(plan) = self.pair(index, pair, path, materials) else {
                continue;
            };
            let [a, b] = plan.materials;
            if seen.insert((a.min(b), a.max(b)), index).is_some() {
                let message = "this pair of materials was described before";
                self.error(&pair.materials.span, &path.key("materials"), message, "keep one of the two");
            }
            plans.push(plan);
        }
        plans
    }

    fn pair(&mut self, index: usize, pair: &PairFile, path: &Path<'_>, materials: &Materials) -> Option<PairPlan> {
        let mut own = LocalDensities::default();
        let names = &path.key("materials");
        let found = [0, 1].map(|side| {
            let name = &pair.materials.value[side];
            self.material_index(name, &names.index(side), materials)
        });
        let mut number = |value: &Option<_>, key: &str, rule: &Rule| {
            value.as_ref().and_then(|value| self.quantity(&mut own, value, &path.key(key), key, rule))
        };
        let restitution = number(&pair.restitution, "restitution", &RESTITUTION);
        let friction = number(&pair.friction, "friction", &FRICTION);
        let rolling = number(&pair.rolling, "rolling", &ROLLING);
        let first = self.settle(own, &[&format!("pair.{}", index + 1)]);
        let [Some(a), Some(b)] = found else {
            return None;
        };
        Some(PairPlan { materials: [a, b], restitution, friction, rolling, first })
    }

    fn material_index(&mut self, name: &At<String>, path: &Path<'_>, materials: &Materials) -> Option<usize> {
        let found = materials.index.get(&name.value).copied();
        if found.is_none() {
            let known = || materials.index.keys().map(String::as_str);
            let near = if self.report.is_full() { None } else { nearest(&name.value, known()) };
            let help = match near {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("describe it in a section [materials.{}]", crate::file::key(&name.value)),
            };
            self.error(&name.span, path, format!("there is no material \"{}\"", name.value), &help);
        }
        found
    }

    /// Names must be fit for paths, messages and other programs.
    fn name(&mut self, what: &str, name: &At<String>, path: &Path<'_>) {
        let wrong = |c: char| c.is_control() || matches!(c, '.' | '"' | '\\');
        let trimmed = name.value.trim() == name.value && !name.value.is_empty();
        if !trimmed || name.value.chars().any(wrong) || name.value.chars().count() > 100 {
            let message = format!("{what} cannot have this name");
            let help = "use up to 100 letters, digits, spaces, - and _, without a space at either end";
            self.error(&name.span, path, message, help);
        }
    }
}
