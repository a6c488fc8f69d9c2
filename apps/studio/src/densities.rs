//! Uncertain numbers where they stand in a scene's file, so that they can be
//! changed one by one.

use std::collections::BTreeMap;

use proscenium_chance::Density;
use toml::{Table, Value};

use crate::api::{DensityChoice, DensityKind};
use crate::failure::Failure;

/// The families that a density can be of, as the file calls them.
const FAMILIES: &[&str] =
    &["constant", "normal", "uniform", "truncated_normal", "exponential", "log_normal", "discrete", "mixture"];

/// One step into a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Key(String),
    Index(usize),
}

/// Where the density of a variable stands; `None` if it does not stand
/// anywhere, as those of `orientation = "uniform"`.
pub fn place(file: &Table, variable: &str) -> Option<Vec<Step>> {
    let key = |name: &str| Step::Key(name.to_owned());
    if file.get("variables").and_then(Value::as_table).is_some_and(|named| named.contains_key(variable)) {
        return Some(vec![key("variables"), key(variable)]);
    }
    let bodies = file.get("body").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let of_bodies = bodies.iter().enumerate().filter_map(|(index, body)| {
        let rest = within(variable, body.get("name")?.as_str()?, body.get("repeat").is_some())?;
        Some((vec![key("body"), Step::Index(index)], body, rest))
    });
    let materials = file.get("materials").and_then(Value::as_table);
    let of_materials = materials.into_iter().flatten().filter_map(|(name, material)| {
        let rest = within(variable, name, false)?;
        Some((vec![key("materials"), key(name)], material, rest))
    });
    let of_all = file.iter().filter_map(|(name, value)| {
        let rest = within(variable, name, false)?;
        Some((vec![key(name)], value, rest))
    });
    of_bodies.chain(of_materials).chain(of_all).find_map(|(start, value, rest)| walk(start, value, rest))
}

/// What is left of a variable's name behind that of a thing, or a copy of it.
fn within<'a>(variable: &'a str, name: &str, is_repeated: bool) -> Option<&'a str> {
    let rest = variable.strip_prefix(name)?;
    if !is_repeated {
        return rest.strip_prefix('.');
    }
    let (copy, rest) = rest.strip_prefix('-')?.split_once('.')?;
    (!copy.is_empty() && copy.bytes().all(|digit| digit.is_ascii_digit())).then_some(rest)
}

/// Follows a name until there is a density.
fn walk(mut steps: Vec<Step>, mut value: &Value, name: &str) -> Option<Vec<Step>> {
    let mut names = name.split('.');
    loop {
        if is_density(value) {
            return Some(steps);
        }
        let next = names.next()?;
        let step = match value {
            Value::Array(_) => Step::Index(match next {
                "x" => 0,
                "y" => 1,
                "z" => 2,
                number => number.parse::<usize>().ok()?.checked_sub(1)?,
            }),
            _ => Step::Key(next.to_owned()),
        };
        value = match &step {
            Step::Key(key) => value.get(key)?,
            Step::Index(index) => value.get(*index)?,
        };
        steps.push(step);
    }
}

fn is_density(value: &Value) -> bool {
    let family = |table: &Table| table.len() == 1 && table.keys().all(|key| FAMILIES.contains(&key.as_str()));
    value.as_table().is_some_and(family)
}

/// A density in its own terms, as far as there are fields for it.
pub fn choice(density: &Density) -> Option<DensityChoice> {
    let (kind, parameters) = match density {
        Density::Constant(constant) => (DensityKind::Constant, vec![constant.value()]),
        Density::Uniform(uniform) => (DensityKind::Uniform, vec![uniform.low(), uniform.high()]),
        Density::Normal(normal) => (DensityKind::Normal, vec![normal.mean(), normal.standard_deviation()]),
        Density::TruncatedNormal(normal) => {
            let support = density.support();
            let (mean, deviation) = (normal.untruncated_mean(), normal.untruncated_standard_deviation());
            (DensityKind::TruncatedNormal, vec![mean, deviation, support.low, support.high])
        }
        Density::Exponential(exponential) => (DensityKind::Exponential, vec![exponential.rate()]),
        Density::LogNormal(normal) => {
            (DensityKind::LogNormal, vec![normal.log_mean(), normal.log_standard_deviation()])
        }
        Density::Discrete(_) | Density::Mixture(_) => return None,
    };
    let parameters = parameters.into_iter().map(|value| value.is_finite().then_some(value)).collect();
    Some(DensityChoice { kind, parameters })
}

/// Puts other densities into a scene's file.
///
/// # Errors
///
/// A variable that is not there or not to be changed, or numbers that are
/// missing. Whether a density makes sense is found when the file is read.
pub fn replace(file: &mut Table, densities: &BTreeMap<String, DensityChoice>) -> Result<(), Failure> {
    for (name, density) in densities {
        let short: String = name.chars().take(60).collect();
        let Some(steps) = place(file, name) else {
            let error = format!("the scene has no density \"{short}\" that could be changed");
            return Err(Failure::bad(error, "its variables are in the answer to a check; edit the file for others"));
        };
        let value = value(density).ok_or_else(|| {
            let error = format!("the density of \"{short}\" has too few or too many numbers");
            Failure::bad(error, "normal, uniform and log_normal take two numbers, truncated_normal four, others one")
        })?;
        if let Some(slot) = slot(file, &steps) {
            *slot = value;
        }
    }
    Ok(())
}

/// What stands at a place.
fn slot<'a>(file: &'a mut Table, steps: &[Step]) -> Option<&'a mut Value> {
    let (Step::Key(first), rest) = steps.split_first()? else {
        return None;
    };
    rest.iter().try_fold(file.get_mut(first)?, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Index(index) => value.get_mut(*index),
    })
}

/// A density as the file has it.
fn value(density: &DensityChoice) -> Option<Value> {
    let wanted = match density.kind {
        DensityKind::Constant | DensityKind::Exponential => 1,
        DensityKind::Normal | DensityKind::Uniform | DensityKind::LogNormal => 2,
        DensityKind::TruncatedNormal => 4,
    };
    let open = |index: usize| match (density.kind, index) {
        (DensityKind::TruncatedNormal, 2) => Some(f64::NEG_INFINITY),
        (DensityKind::TruncatedNormal, 3) => Some(f64::INFINITY),
        _ => None,
    };
    let numbers = density.parameters.iter().enumerate().map(|(index, number)| number.or_else(|| open(index)));
    let numbers: Vec<Value> = numbers.map(|number| number.map(Value::Float)).collect::<Option<_>>()?;
    let family = match density.kind {
        DensityKind::Constant => "constant",
        DensityKind::Normal => "normal",
        DensityKind::Uniform => "uniform",
        DensityKind::TruncatedNormal => "truncated_normal",
        DensityKind::Exponential => "exponential",
        DensityKind::LogNormal => "log_normal",
    };
    if numbers.len() != wanted {
        return None;
    }
    let content = if wanted == 1 { numbers.into_iter().next()? } else { Value::Array(numbers) };
    Some(Value::Table(Table::from_iter([(family.to_owned(), content)])))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        [variables]
        speed = { normal = [1.0, 0.1] }
        [materials.felt]
        friction = { uniform = [0.2, 0.3] }
        [[body]]
        name = "die"
        position = [0.0, 1.0, { normal = [0.0, 0.02] }]
        spin = { normal = [0.0, 15.0] }
        velocity = { speed = "speed", rise = { normal = [0.2, 0.1] } }
        orientation = "uniform"
        [[body]]
        name = "marble"
        repeat = { count = 3 }
        position = [{ uniform = [0, 1] }, 0, 0]
    "#;

    fn normal(mean: f64, deviation: f64) -> DensityChoice {
        DensityChoice { kind: DensityKind::Normal, parameters: vec![Some(mean), Some(deviation)] }
    }

    #[test]
    fn densities_are_found_where_they_stand() {
        let file: Table = FILE.parse().unwrap();
        let found =
            ["speed", "felt.friction", "die.position.z", "die.spin.x", "die.velocity.rise", "marble-2.position.x"];
        for name in found {
            assert!(place(&file, name).is_some(), "{name}");
        }
        assert_eq!(place(&file, "die.spin.x"), place(&file, "die.spin.z"));
        assert_eq!(place(&file, "marble-1.position.x"), place(&file, "marble-3.position.x"));
        let not_there =
            ["die.position.y", "die.orientation.1", "marble.position.x", "die", "die.", "die.position.9", ""];
        for name in not_there {
            assert_eq!(place(&file, name), None, "{name}");
        }
    }

    #[test]
    fn densities_are_replaced() {
        let mut file: Table = FILE.parse().unwrap();
        let other = BTreeMap::from([("die.spin.y".to_owned(), normal(0.0, 3.0))]);
        replace(&mut file, &other).unwrap();
        assert_eq!(file["body"][0]["spin"], "a = { normal = [0.0, 3.0] }".parse::<Table>().unwrap()["a"]);
        let few = DensityChoice { kind: DensityKind::Uniform, parameters: vec![Some(1.0)] };
        assert!(replace(&mut file, &BTreeMap::from([("speed".to_owned(), few)])).is_err());
        assert!(replace(&mut file, &BTreeMap::from([("pace".to_owned(), normal(0.0, 1.0))])).is_err());
        let open = vec![Some(0.0), Some(1.0), Some(0.0), None];
        let half = DensityChoice { kind: DensityKind::TruncatedNormal, parameters: open };
        replace(&mut file, &BTreeMap::from([("speed".to_owned(), half)])).unwrap();
        assert_eq!(file["variables"]["speed"]["truncated_normal"][3].as_float(), Some(f64::INFINITY));
    }
}
