//! Reading densities, and numbers that may be uncertain.

use toml::de::DeValue;

use crate::report::Path;

use super::table::{Reader, Value};
use super::{At, ComponentFile, DensityFile, DiscreteFile, Number, NumberFile, TruncatedNormalFile};

const FAMILIES: &[&str] =
    &["constant", "normal", "uniform", "truncated_normal", "exponential", "log_normal", "discrete", "mixture"];

impl Reader<'_, '_> {
    /// A number, the name of a variable, or a density.
    pub(super) fn number(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<Number> {
        let number = match value.get_ref() {
            DeValue::Integer(_) | DeValue::Float(_) => NumberFile::Value(self.finite(value, path)?),
            DeValue::String(name) => NumberFile::Variable(name.to_string()),
            DeValue::Table(_) => NumberFile::Density(self.density(value, path)?),
            _ => return self.expected("a number, the name of a variable or a density", value, path, ""),
        };
        Some(At::new(number, value.span()))
    }

    /// A number or a density.
    pub(super) fn component(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<ComponentFile> {
        match value.get_ref() {
            DeValue::Integer(_) | DeValue::Float(_) => self.finite(value, path).map(ComponentFile::Value),
            DeValue::Table(_) => self.density(value, path).map(ComponentFile::Density),
            _ => self.expected("a number or a density", value, path, "a density is written as { normal = [7.0, 1.0] }"),
        }
    }

    fn density(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<DensityFile> {
        let fields = self.table(value, path, FAMILIES)?;
        let mut families = fields.in_order().into_iter().filter(|(key, _)| FAMILIES.contains(&key.get_ref().as_ref()));
        let (Some((family, inner)), None) = (families.next(), families.next()) else {
            if fields.in_order().iter().all(|(key, _)| FAMILIES.contains(&key.get_ref().as_ref())) {
                let help = format!("a density has one key, one of: {}", FAMILIES.join(", "));
                self.error(value.span(), path, "a density must be of exactly one family", &help);
            }
            return None;
        };
        let family = family.get_ref().as_ref();
        let path = &path.key(family);
        let pair = "two numbers in brackets";
        Some(match family {
            "constant" => DensityFile::Constant(self.finite(inner, path)?),
            "normal" => DensityFile::Normal(self.row(inner, path, pair, Self::finite)?.value),
            "uniform" => DensityFile::Uniform(self.row(inner, path, pair, Self::finite)?.value),
            "exponential" => DensityFile::Exponential(self.finite(inner, path)?),
            "log_normal" => DensityFile::LogNormal(self.row(inner, path, pair, Self::finite)?.value),
            "truncated_normal" => DensityFile::TruncatedNormal(self.truncated_normal(inner, path)?),
            "discrete" => DensityFile::Discrete(self.discrete(inner, path)?),
            _ => DensityFile::Mixture(self.mixture(inner, path)?),
        })
    }

    fn truncated_normal(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<TruncatedNormalFile> {
        if let DeValue::Array(_) = value.get_ref() {
            let what = "four numbers in brackets: mean, standard deviation, low and high";
            let row = self.row(value, path, what, Self::number_or_infinity)?;
            return Some(TruncatedNormalFile::Row(row.value));
        }
        let fields = self.table(value, path, &["mean", "standard_deviation", "low", "high"])?;
        let help = "write truncated_normal = [mean, standard deviation, low, high]";
        let mean = self.required(fields, "mean", value, path, help);
        let deviation = self.required(fields, "standard_deviation", value, path, help);
        let low = self.optional(fields, "low", path, Self::number_or_infinity);
        let high = self.optional(fields, "high", path, Self::number_or_infinity);
        let mean = self.finite(mean?, &path.key("mean"));
        let standard_deviation = self.finite(deviation?, &path.key("standard_deviation"));
        Some(TruncatedNormalFile::Named { mean: mean?, standard_deviation: standard_deviation?, low, high })
    }

    fn discrete(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<DiscreteFile> {
        let fields = self.table(value, path, &["values", "weights"])?;
        let values = self.required(fields, "values", value, path, "list the values, as in values = [1, 2, 3]")?;
        let values = self.numbers(values, &path.key("values"));
        let weights = match fields.get("weights") {
            Some(weights) => Some(self.numbers(weights, &path.key("weights"))?),
            None => None,
        };
        let values = values?;
        if let Some(weights) = weights.as_ref().filter(|weights| weights.len() != values.len()) {
            let message = format!("there are {} weights for {} values", weights.len(), values.len());
            self.error(value.span(), path, message, "give one weight per value, or none at all");
            return None;
        }
        Some(DiscreteFile { values, weights })
    }

    fn numbers(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<Vec<f64>> {
        let items = self.array(value, path)?;
        items.iter().enumerate().map(|(index, item)| self.finite(item, &path.index(index))).collect()
    }

    fn mixture(&mut self, value: &Value<'_>, path: &Path<'_>) -> Option<Vec<(f64, ComponentFile)>> {
        let items = self.array(value, path)?;
        let mut parts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let path = &path.index(index);
            let DeValue::Array(pair) = item.get_ref() else {
                return self.expected("pairs of weight and density", item, path, "write [0.7, { constant = 0.0 }]");
            };
            let [weight, component] = pair.as_ref() else {
                return self.expected("pairs of weight and density", item, path, "write [0.7, { constant = 0.0 }]");
            };
            let weight = self.finite(weight, &path.index(0));
            parts.push((weight?, self.component(component, &path.index(1))?));
        }
        Some(parts)
    }
}
