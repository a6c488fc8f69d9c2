//! Promise: every scene can be printed as a file that reads as the same scene,
//! draws the same values and runs the same way.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use proscenium_scenes::{Scene, Seed, SimulateOptions, Source, builtin, schema, template};
use proscenium_work::Progress;

fn parse(text: &str) -> Scene {
    Scene::parse(text, &Source::inline("scene.toml", text)).unwrap_or_else(|errors| panic!("{errors}\nin\n{text}"))
}

fn reread(scene: &Scene) -> Scene {
    let printed = scene.to_toml();
    let read = parse(&printed);
    assert_eq!(*scene, read, "in\n{printed}");
    assert_eq!(printed, read.to_toml());
    assert_eq!(scene.draw(Seed(4)).values(), read.draw(Seed(4)).values());
    read
}

/// A file that uses every part of the format.
const EVERYTHING: &str = r##"
format = 1
name = "every \"thing\" \u0007"
duration = 0.5
gravity = [0, { normal = [-9.81, 0.01] }, 0]
tolerance = 1e-7

[variables]
speed = { truncated_normal = { mean = 3, standard_deviation = 1, low = 0 } }
"a b" = { truncated_normal = [3, 1, 0, inf] }
both = { mixture = [[0.3, 1], [0.7, { uniform = [2, 3] }], [1, { mixture = [[1, { normal = [0, 1] }]] }]] }
die = { discrete = { values = [1, 2, 3], weights = [1, 1, 2] } }
coin = { discrete = { values = [0, 1] } }
wait = { exponential = 0.2 }
size = { log_normal = [-3, 0.1] }
sure = 0.25
certain = { constant = 1e-3 }

[materials.stuff]
density = { uniform = [900, 1100] }
restitution = "sure"
friction = 0.1
rolling = { uniform = [0, 0.01] }
colour = "#12345678"
roughness = 0.1
metallic = 1

[materials."odd name"]

[[pair]]
materials = ["stuff", "odd name"]
restitution = 0.5
friction = { uniform = [0, 1] }
rolling = 0.02

[[collision]]
bodies = ["ball", "field"]
count = 3
lean = [{ normal = [0, 2] }, "sure"]
restitution = { uniform = [0.2, 0.4] }
friction = 0.3

[[body]]
name = "field"
fixed = true
shape = { spline_field = { size = [0.4, 0.3], spacing = 0.1, height = { normal = [-2, 0.001] } } }

[[body]]
name = "roof"
fixed = true
shape = { triangles = { vertices = [[0, 60, 0], [1, { normal = [60, 0.01] }, 0], [0, 60, 1], ["sure", 60, 1]], faces = [[1, 3, 2], [2, 3, 4]] } }

[[body]]
name = "ball"
hidden = true
shape = { sphere = "size" }
material = "stuff"
colour = "red"
position = ["both", "die", { constant = 40.0 }]
velocity = { speed = "speed", heading = "coin", rise = "a b" }
spin = "wait"
start = "wait"
zones = [
  { shape = { box = [1, { uniform = [1, 2] }, 1] }, position = [0, "coin", 0], material = "odd name" },
  { shape = { sphere = "size" }, material = "stuff" },
]

[[body]]
name = "row"
pips = true
shape = { box = [0.1, 0.1, { uniform = [0.1, 0.2] }], rounding = "certain" }
orientation = "uniform"
spin = { normal = [0, 1] }
position = [0, 0, { normal = [0, 0.01] }]
repeat = { count = 3, offset = [1, 0, 0], interval = 0.25 }

[[body]]
name = "block"
takes_part = 0.999
shape = { capsule = { radius = 0.01, height = { uniform = [0.1, 0.2] } } }
position = [0, 9, 0]
orientation = { axis = [0, 1, 0], degrees = { uniform = [0, 90] } }
repeat = { grid = [2, 1, 2], spacing = [1, 1, 1] }

[[want]]
body = "row"
inside = { box = [1, 2, 3], position = [0, 1, 0], within = 0.1 }
at_least = 1
at_most = 2
weight = 2.5

[[want]]
name = "said so"
body = ["row-1", "block"]
at = 0.25
near = { position = [1, 2, 3], within = 0.5 }
orientation = { like = { axis = [0, 1, 0], degrees = 30 }, within_degrees = 5 }
velocity = { like = [0, -1, 0], within = 0.1 }

[[want]]
exactly = 1
of = [
  { body = "can", near = { position = [1, 2], within = 0.5 }, face_up = "-y", unmoved = false },
  { body = "can", upright = false, unmoved = { within = 0.1 }, hits = "row" },
  { body = "can", hits = { body = "row-2", before = "field" }, face_up = { face = 3, within_degrees = 4 } },
  { body = "can", hits = { body = "row", at = 0.1, within = 0.01 }, inside = { body = "field" } },
  { body = "can", inside = { sphere = 0.5 } },
]

[[body]]
name = "can"
material = "odd name"
shape = { cylinder = { radius = 0.1, height = 0.1 } }
position = [0, 20, 0]
orientation = { euler_degrees = [10, 20, "wait"] }

[[body]]
name = "gem"
shape = { icosahedron = 0.1 }
position = [0, 30, 0]
orientation = [0, 0, 0.5, 0.5]
velocity = [1, 2, 3]
spin = [1, 2, 3]

[[body]]
name = "both"
position = [0, 40, 0]
shape = { compound = [
  { shape = { hull = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, { uniform = [1, 2] }]] } },
  { shape = { sphere = 0.1 }, position = [2, 0, 0], orientation = "uniform" },
] }
"##;

#[test]
fn built_in_scenes_survive_a_round_trip() {
    let options = SimulateOptions { duration: Some(0.2), ..SimulateOptions::default() };
    for entry in builtin() {
        let scene = entry.scene(&[]).unwrap();
        assert!(scene.warnings().is_empty(), "{}: {:?}", entry.name, scene.warnings());
        let read = reread(&scene);
        let hash = |scene: &Scene| scene.draw(Seed(1)).simulate(&options, &Progress::none()).unwrap().state_hash;
        assert_eq!(hash(&scene), hash(&read), "{}", entry.name);
    }
}

#[test]
fn everything_survives_a_round_trip() {
    let scene = parse(EVERYTHING);
    reread(&scene);
    assert!(scene.warnings().is_empty(), "{:?}", scene.warnings());
    assert_eq!(scene.body_count(), 2 + 1 + 3 + 4 + 3);
    let run = scene.draw(Seed(1)).simulate(&SimulateOptions::default(), &Progress::none());
    let clip = run.unwrap_or_else(|errors| panic!("{errors}")).clip;
    // Pips and spots are children of what they are drawn on.
    assert_eq!(clip.nodes.iter().filter(|node| node.parent.is_none()).count(), scene.body_count());
    assert!(clip.node("row-3 pips").is_some() && clip.node("block-4 pips").is_none());
    assert!(clip.node("row-3").is_some() && clip.node("block-4").is_some());
}

#[test]
fn the_template_is_a_scene() {
    let text = template("my \"first\"");
    let scene = parse(&text);
    assert_eq!(scene.name(), "my \"first\"");
    assert!(scene.warnings().is_empty(), "{:?}", scene.warnings());
    reread(&scene);
    for seed in 1..=5 {
        let run = scene.draw(Seed(seed)).simulate(&SimulateOptions::default(), &Progress::none());
        let run = run.unwrap_or_else(|errors| panic!("seed {seed}: {errors}"));
        assert!(run.contacts.len() > 10);
    }
}

/// The schema is checked against instances by a small validator of the part
/// of JSON Schema that it uses, written here.
mod validator {
    use serde_json::Value;

    pub fn accepts(root: &Value, schema: &Value, instance: &Value) -> bool {
        let Some(schema) = schema.as_object() else {
            return schema.as_bool().unwrap_or(false);
        };
        schema.iter().all(|(key, rule)| match key.as_str() {
            "$ref" => {
                let path = rule.as_str().unwrap().strip_prefix('#').unwrap();
                accepts(root, root.pointer(path).unwrap(), instance)
            }
            "anyOf" => rule.as_array().unwrap().iter().any(|choice| accepts(root, choice, instance)),
            "oneOf" => rule.as_array().unwrap().iter().filter(|choice| accepts(root, choice, instance)).count() == 1,
            "const" => instance == rule,
            "enum" => rule.as_array().unwrap().contains(instance),
            "type" => has_type(rule, instance),
            "properties" => instance.as_object().is_none_or(|object| {
                object.iter().all(|(key, value)| rule.get(key).is_none_or(|schema| accepts(root, schema, value)))
            }),
            "additionalProperties" => instance.as_object().is_none_or(|object| {
                let known = schema.get("properties");
                object
                    .iter()
                    .filter(|(key, _)| known.is_none_or(|known| known.get(key).is_none()))
                    .all(|(_, value)| accepts(root, rule, value))
            }),
            "required" => {
                let names = rule.as_array().unwrap();
                instance
                    .as_object()
                    .is_none_or(|object| names.iter().all(|name| object.contains_key(name.as_str().unwrap())))
            }
            "items" => instance.as_array().is_none_or(|items| items.iter().all(|item| accepts(root, rule, item))),
            "prefixItems" => instance.as_array().is_none_or(|items| {
                rule.as_array().unwrap().iter().zip(items).all(|(schema, item)| accepts(root, schema, item))
            }),
            "minItems" => instance.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => instance.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()),
            "minimum" => instance.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
            "$schema" | "$defs" | "title" | "description" | "format" => true,
            other => panic!("the validator does not know \"{other}\""),
        })
    }

    fn has_type(rule: &Value, instance: &Value) -> bool {
        match rule.as_str().unwrap() {
            "object" => instance.is_object(),
            "array" => instance.is_array(),
            "string" => instance.is_string(),
            "boolean" => instance.is_boolean(),
            "number" => instance.is_number(),
            "integer" => instance.is_i64() || instance.is_u64(),
            other => panic!("the validator does not know the type \"{other}\""),
        }
    }
}

fn accepted(text: &str) -> bool {
    // JSON has no infinity; a large number stands for it.
    let table: toml::Table = text.replace("inf]", "1e308]").parse().unwrap();
    let schema = schema();
    validator::accepts(&schema, &schema, &serde_json::to_value(table).unwrap())
}

#[test]
fn the_schema_accepts_what_is_read_and_refuses_what_is_not() {
    for entry in builtin() {
        assert!(accepted(&entry.scene(&[]).unwrap().to_toml()), "{}", entry.name);
    }
    assert!(accepted(EVERYTHING) && accepted(&template("x")));
    let body = "[[body]]\nname = \"b\"\nshape = { sphere = 1 }\n";
    assert!(accepted(&format!("format = 1\n{body}")));
    for wrong in [
        body.to_string(),
        format!("format = 2\n{body}"),
        format!("format = 1\nspeed = 1\n{body}"),
        format!("format = 1\n{body}velocity = [1, 2]\n"),
        format!("format = 1\n{body}zones = [{{ shape = {{ icosahedron = 1 }}, material = \"m\" }}]\n"),
        format!("format = 1\n{body}zones = [{{ shape = {{ sphere = 1 }} }}]\n"),
        format!("format = 1\n{body}orientation = \"upright\"\n"),
        format!("format = 1\n{body}repeat = {{ count = -1 }}\n"),
        format!("format = 1\n{body}repeat = {{ count = 1, gap = 2 }}\n"),
        format!("format = 1\n{body}[[want]]\nbody = \"b\"\nstands = true\n"),
        format!("format = 1\n{body}[[want]]\nbody = \"b\"\nnear = {{ position = [1], within = 1 }}\n"),
        "format = 1\n[[body]]\nname = \"b\"\n".to_string(),
        "format = 1\n[[body]]\nname = \"b\"\nshape = { blob = 1 }\n".to_string(),
        "format = 1\n[[body]]\nname = \"b\"\nshape = { sphere = { normal = [1] } }\n".to_string(),
    ] {
        assert!(!accepted(&wrong), "{wrong}");
    }
}

#[test]
fn the_schema_of_the_documentation_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scene.schema.json");
    let current = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("PROSCENIUM_UPDATE").is_some() {
        std::fs::write(path, &current).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(committed == current, "docs/scene.schema.json is out of date: run this test with PROSCENIUM_UPDATE=1");
}
