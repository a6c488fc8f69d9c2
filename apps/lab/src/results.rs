//! What a run leaves: the contract between the lab and whoever reads it.

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The results of one run, as `NAME.json` holds them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// The experiment's name.
    pub experiment: String,
    /// Which table or figure of which paper.
    pub reproduces: String,
    /// What all random numbers followed from.
    pub seed: u64,
    /// Whether rows were left out or made smaller to be quick.
    pub quick: bool,
    /// What was varied and what was measured.
    pub rows: Vec<Row>,
    /// What the rows mean, and what follows from them.
    pub notes: Vec<String>,
}

/// One row: named values in a fixed order.
///
/// ```
/// use proscenium_lab::Row;
///
/// let row = Row::new().with("n", 64).with("speedup", 12.5).with("peer", None::<f64>);
/// assert_eq!(serde_json::to_string(&row).unwrap(), r#"{"n":64,"speedup":12.5,"peer":null}"#);
/// assert_eq!(row.number("speedup"), Some(12.5));
/// assert_eq!(row.number("peer"), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    cells: Vec<(String, Value)>,
}

impl Row {
    /// A row without values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value. What was not measured (`None`) and what is not a finite
    /// number become `null`.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.cells.push((key.to_owned(), value.into()));
        self
    }

    /// The value under a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.cells.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// The number under a key; `None` if it is missing, null or not a number.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.get(key)?.as_f64()
    }

    /// The keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.cells.iter().map(|(key, _)| key.as_str())
    }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.cells.len()))?;
        for (key, value) in &self.cells {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RowVisitor)
    }
}

/// Reads a row in the order of the file.
struct RowVisitor;

impl<'de> Visitor<'de> for RowVisitor {
    type Value = Row;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object that is one row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row, A::Error> {
        let mut row = Row::new();
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            row.cells.push((key, value));
        }
        Ok(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_a_row_survives() {
        let text = r#"{"zebra":1,"ant":null,"mouse":"grey"}"#;
        let row: Row = serde_json::from_str(text).unwrap();
        assert_eq!(row.keys().collect::<Vec<_>>(), ["zebra", "ant", "mouse"]);
        assert_eq!(serde_json::to_string(&row).unwrap(), text);
    }

    #[test]
    fn what_is_not_finite_becomes_null() {
        let row = Row::new().with("a", f64::NAN).with("b", f64::INFINITY);
        assert_eq!(serde_json::to_string(&row).unwrap(), r#"{"a":null,"b":null}"#);
    }
}
