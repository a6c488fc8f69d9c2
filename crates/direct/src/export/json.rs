use serde_json::{Map, Value};

use super::{Column, Kind, groups};
use crate::trace::Traces;

impl Traces {
    /// What is settled, as the JSON that `arviz.from_json` reads. Numbers that
    /// are not finite become `NaN`, as Python writes it.
    pub fn to_arviz_json(&self) -> Result<String, serde_json::Error> {
        let mut file = Map::new();
        for (group, columns) in groups(self) {
            let arrays = columns.iter().map(|column| (column.name.clone(), array(column))).collect();
            file.insert(group.to_owned(), Value::Object(arrays));
        }
        // serde_json writes what is not finite as null, which is not an array of numbers to ArviZ.
        Ok(serde_json::to_string(&Value::Object(file))?.replace("null", "NaN"))
    }
}

fn array(column: &Column) -> Value {
    let cell = |value: &f64| match column.kind {
        Kind::Number => Value::from(*value),
        Kind::Truth => Value::from(*value != 0.0),
        Kind::Count => Value::from(*value as u64),
    };
    column.chains.iter().map(|draws| draws.iter().map(cell).collect::<Value>()).collect()
}
