//! What the same work takes here and in a browser, and whether it has the same bits.

mod works;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::peer::ask_with;
use crate::results::Row;
use works::{Amount, Timings};

/// The experiment `web-speed`.
pub(crate) struct WebSpeed;

/// So many times native is what the browser may take.
const GOAL: f64 = 2.0;
/// Five dice with given faces, at the 95th percentile, ms.
const DICE_GOAL: f64 = 300.0;

impl Experiment for WebSpeed {
    fn name(&self) -> &'static str {
        "web-speed"
    }

    fn reproduces(&self) -> &'static str {
        "a measurement of our own"
    }

    fn summary(&self) -> &'static str {
        "each work on one thread here and in a page of Chromium: ms, ratio, and whether the bits are the same"
    }

    fn columns(&self) -> &'static [&'static str] {
        &["work", "native_ms", "wasm_ms", "ratio", "same_bits", "native_p95_ms", "wasm_p95_ms", "wasm_first_ms"]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let amount = match context.quick() {
            true => Amount { throws: 20, rounds: 1 },
            false => Amount { throws: 100, rounds: 5 },
        };
        let names = works::names();
        context.plan(2.0 * names.len() as f64);
        context.doing("in the browser");
        let (engine, pages) = in_a_page(amount, context)?;
        context.done(names.len() as f64);
        for name in names {
            context.doing(&name);
            let native = works::work(&name, amount, &context.progress())?;
            rows.push(row(&name, &native, pages.get(&name)).with("engine", engine.clone()));
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        let ratios: Vec<f64> = rows.iter().filter_map(|row| row.number("ratio")).collect();
        let mut notes = vec![
            "Medians of rounds; the first round of a page is apart, since its engine has not optimised yet. Both on one thread. Throws of dice go to a worker and back, as in any page.".to_owned(),
        ];
        if ratios.is_empty() {
            notes.push(
                "No page could be asked: build the package with `cargo xtask npm`, and install Node and Chromium."
                    .to_owned(),
            );
            return Ok(Conclusion { notes, figures: Vec::new() });
        }
        let within = ratios.iter().filter(|ratio| **ratio <= GOAL).count();
        let worst = ratios.iter().copied().fold(0.0, f64::max);
        notes.push(format!(
            "{within} of {} works take at most {GOAL} times native; the worst {worst:.1}.",
            ratios.len()
        ));
        let same = rows.iter().filter(|row| row.get("same_bits") == Some(&Value::Bool(true))).count();
        notes.push(format!("The same bits in {same} of {} works.", rows.len()));
        if let Some(p95) = rows.first().and_then(|row| row.number("wasm_p95_ms")) {
            let verdict = if p95 <= DICE_GOAL { "within" } else { "beyond" };
            notes.push(format!("Five dice with given faces take {p95:.0} ms at the 95th percentile, {verdict} the {DICE_GOAL} ms that they may."));
        }
        Ok(Conclusion { notes, figures: Vec::new() })
    }
}

fn row(name: &str, native: &Timings, page: Option<&Timings>) -> Row {
    let ours = quantile(&native.ms, 0.5);
    // The first round of a page is apart, if there are others.
    let warm = page.map(|page| if page.ms.len() > 1 { &page.ms[1..] } else { &page.ms[..] });
    let theirs = warm.and_then(|ms| quantile(ms, 0.5));
    Row::new()
        .with("work", name)
        .with("native_ms", ours)
        .with("wasm_ms", theirs)
        .with("ratio", ours.zip(theirs).map(|(ours, theirs)| theirs / ours))
        .with("same_bits", page.map(|page| page.bits == native.bits))
        .with("native_p95_ms", quantile(&native.ms, 0.95))
        .with("wasm_p95_ms", warm.and_then(|ms| quantile(ms, 0.95)))
        .with("wasm_first_ms", page.and_then(|page| page.ms.first().copied()))
}

/// The value below which a share of all lie.
fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(place.saturating_sub(1)).copied()
}

/// The folder of the package, if it was built.
fn package() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../npm");
    let is_built = folder.join("dist/dice.js").is_file() && folder.join("node_modules").is_dir();
    is_built.then_some(folder)
}

/// Does all works in a page; which engine did them. Nothing, where there is no page.
fn in_a_page(amount: Amount, context: &Context) -> Result<(Option<String>, BTreeMap<String, Timings>), Halt> {
    let Some(folder) = package() else {
        return Ok((None, BTreeMap::new()));
    };
    let request = serde_json::json!({ "throws": amount.throws, "rounds": amount.rounds, "works": works::names() });
    let script = folder.join("bench/run.mjs");
    let answer = ask_with(Path::new("node"), &[script.as_os_str()], &request, context)?;
    let engine = answer["engine"].as_str().map(str::to_owned);
    let done = |work: &Value| {
        let ms = work["ms"].as_array()?.iter().filter_map(Value::as_f64).collect();
        Some((work["work"].as_str()?.to_owned(), Timings { ms, bits: work["bits"].as_str()?.to_owned() }))
    };
    Ok((engine, answer["works"].as_array().into_iter().flatten().filter_map(done).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_compares_and_says_what_was_not_measured() {
        let done = |ms: &[f64], bits: &str| Timings { ms: ms.to_vec(), bits: bits.to_owned() };
        let both = row("x", &done(&[1.0, 2.0, 3.0], "a"), Some(&done(&[90.0, 4.0, 4.0], "a")));
        assert_eq!((both.number("ratio"), both.number("wasm_first_ms")), (Some(2.0), Some(90.0)));
        assert_eq!(both.get("same_bits"), Some(&Value::Bool(true)));
        let alone = row("x", &done(&[1.0], "a"), None);
        assert!(WebSpeed.columns().iter().all(|column| alone.get(column).is_some()));
        assert_eq!(alone.number("ratio"), None);
        let notes = WebSpeed.conclude(&[alone]).unwrap().notes;
        assert!(notes[1].contains("cargo xtask npm"));
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.95), Some(4.0));
    }
}
