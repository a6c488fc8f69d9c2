//! A model file taken apart: its equations as text, and its parts as a tree that
//! can be edited.

use proscenium_cull::{Model, ModelErrors};
use toml::{Table, Value};

use crate::api::{ModelCheck, ModelPart, PartSolid, Problem, Spot};

/// Reads a file, as far as it can be read.
pub(super) fn check(text: &str) -> ModelCheck {
    let parsed = Model::parse("the model", text);
    let table = text.parse::<Table>().unwrap_or_default();
    let words = |key: &str| table.get(key).and_then(Value::as_table).into_iter().flat_map(Table::keys).cloned();
    // A model that is sound knows the order of its outputs.
    let (outputs, copies, problem) = match &parsed {
        Ok(model) => (model.outputs().iter().map(|one| one.name.clone()).collect(), model.copies().len() as u32, None),
        Err(errors) => (words("output").collect(), 1, Some(problem_of(errors))),
    };
    ModelCheck {
        version: version(text),
        title: table.get("name").and_then(Value::as_str).unwrap_or("a ride").to_owned(),
        equations: equations(text),
        parts: parts(&table),
        outputs,
        parameters: words("parameters").collect(),
        copies,
        problem,
    }
}

/// Which text it is.
pub(super) fn version(text: &str) -> String {
    format!("{:016x}", crate::name::hash(text.as_bytes()))
}

/// The text without its parts.
fn equations(text: &str) -> String {
    let mut is_part = false;
    let kept = text.lines().filter(|line| {
        // Only a line that begins with a bracket and ends with one is a heading.
        let bare = line.split('#').next().unwrap_or_default().trim_end();
        if bare.starts_with('[') && bare.ends_with(']') {
            is_part = bare.replace(' ', "") == "[[part]]";
        }
        !is_part
    });
    let mut text = kept.collect::<Vec<_>>().join("\n");
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn parts(table: &Table) -> Vec<ModelPart> {
    let listed = table.get("part").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    listed.iter().filter_map(Value::as_table).filter_map(part).collect()
}

/// A part as it is written; fields that make no sense are left out, and the
/// file's own check tells about them.
fn part(table: &Table) -> Option<ModelPart> {
    let words = |key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
    let three = |key: &str| {
        let items = table.get(key)?.as_array()?;
        <[String; 3]>::try_from(items.iter().map(written).collect::<Vec<_>>()).ok()
    };
    let half = || {
        let sides: Vec<f64> = table.get("box")?.as_array()?.iter().filter_map(number).collect();
        <[f64; 3]>::try_from(sides).ok().map(PartSolid::Box)
    };
    Some(ModelPart {
        name: words("name")?,
        parent: words("parent"),
        each: table.get("each").and_then(Value::as_bool).unwrap_or(false),
        shift: three("move"),
        axis: three("axis"),
        angle: table.get("angle").map(written),
        solid: half()
            .or_else(|| table.get("ball").and_then(number).map(PartSolid::Ball))
            .or_else(|| words("mesh").map(PartSolid::Mesh)),
        colour: words("colour"),
    })
}

fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}

/// A number or an expression, without quotation marks.
fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What is wrong with a model, with places in its text.
pub(super) fn problem_of(errors: &ModelErrors) -> Problem {
    let mut told: Vec<Problem> = Vec::new();
    for error in &errors.errors {
        let place = error.place.as_ref().map(|place| {
            let meant = errors.text.get(place.span.clone()).and_then(|text| text.lines().next()).unwrap_or_default();
            Spot {
                line: place.line as u32,
                column: place.column as u32,
                length: meant.chars().count() as u32,
                label: place.label.clone(),
            }
        });
        let help = error.help.clone().unwrap_or_default();
        let problem = Problem { error: error.message.clone(), help, place, more: Vec::new() };
        // What is used in several places is wrong once.
        if !told.contains(&problem) {
            told.push(problem);
        }
    }
    let mut problems = told.into_iter();
    let nothing = Problem { error: "the model cannot be used".into(), help: String::new(), place: None, more: vec![] };
    let mut first = problems.next().unwrap_or(nothing);
    first.more = problems.collect();
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIDE: &str = "# A swing.\nformat = 1\nname = \"Swing\"\n\n[state]\nx = { initial = 1.0 }\nv = { initial = 0.0 }\n\n\
        [motion]\nx = \"v\"\nv = \"-x\"\n\n[[part]] # what carries\nname = \"post\"\nmove = [0, 1.5, \"0.5 x\"]\n\n\
        [[part]]\nname = \"seat\"\nparent = \"post\"\nangle = \"x\"\nbox = [1, 0.2, 0.4]\n\n[output]\nx = \"x\"\n";

    #[test]
    fn a_file_is_taken_apart() {
        let found = check(RIDE);
        assert_eq!(found.problem, None);
        assert_eq!((found.title.as_str(), found.copies), ("Swing", 1));
        assert_eq!(found.outputs, ["x"]);
        assert!(found.equations.starts_with("# A swing.") && found.equations.ends_with("[output]\nx = \"x\"\n"));
        assert!(!found.equations.contains("post"));
        let [post, seat] = &found.parts[..] else { panic!("{:?}", found.parts) };
        assert_eq!(post.shift.as_ref().unwrap(), &["0".to_owned(), "1.5".to_owned(), "0.5 x".to_owned()]);
        assert_eq!((seat.parent.as_deref(), seat.angle.as_deref()), (Some("post"), Some("x")));
        assert_eq!(seat.solid, Some(PartSolid::Box([1.0, 0.2, 0.4])));
        let found = check(&RIDE.replace("box = [1, 0.2, 0.4]", "mesh = \"seat.glb\""));
        assert_eq!(found.problem, None);
        assert_eq!(found.parts[1].solid, Some(PartSolid::Mesh("seat.glb".into())));
    }

    #[test]
    fn what_is_wrong_has_its_place_and_the_rest_is_still_there() {
        let found = check(&RIDE.replace("\"-x\"", "\"-y\""));
        let problem = found.problem.unwrap();
        assert_eq!(problem.place.unwrap().line, 11, "{}", problem.error);
        assert_eq!(found.parts.len(), 2);
        assert!(check("format = = 1").problem.is_some());
    }
}
