//! `proscenium scenes`: what comes with the engine.

use std::io;

use clap::builder::styling::Style;
use proscenium_scenes::{Builtin, Parameter};
use serde_json::{Value, json};

use crate::arguments::{Scenes, ScenesVerb, Show};
use crate::console::{Console, is_colourful};
use crate::failure::Failure;
use crate::text::columns;

pub fn run(options: &Scenes, console: Console) -> Result<(), Failure> {
    match &options.verb {
        None if console.is_json() => console.report(String::new, as_json(proscenium_scenes::builtin())),
        None => console.print(&as_text(proscenium_scenes::builtin(), is_colourful(&io::stdout()))),
        Some(ScenesVerb::Show(options)) => show(options, console),
    }
}

fn show(options: &Show, console: Console) -> Result<(), Failure> {
    let scene = options.scene.find()?;
    let toml = scene.to_toml();
    if console.is_json() {
        return console.report(String::new, json!({ "scene": scene.name(), "toml": toml }));
    }
    console.print(&toml)
}

/// Each scene with its summary, and below it its parameters with their
/// defaults.
fn as_text(builtins: &[Builtin], colourful: bool) -> String {
    let bold = if colourful { Style::new().bold() } else { Style::new() };
    let mut text = String::new();
    for builtin in builtins {
        text.push_str(&format!("{bold}{}{bold:#}  {}\n", builtin.name, builtin.summary));
        let rows: Vec<Vec<String>> = builtin
            .parameters
            .iter()
            .map(|parameter| {
                let setting = format!("--set {}={}", parameter.name, parameter.default);
                vec![setting, format!("{} ({})", parameter.meaning, range(parameter))]
            })
            .collect();
        text.push_str(&columns(&rows));
        text.push('\n');
    }
    text.push_str(
        "Run one with: proscenium simulate NAME -o NAME.gif\nPrint one as a file with: proscenium scenes show NAME\n",
    );
    text
}

fn range(parameter: &Parameter) -> String {
    format!("{} to {}", parameter.min, parameter.max)
}

fn as_json(builtins: &[Builtin]) -> Value {
    let parameter = |parameter: &Parameter| {
        json!({
            "name": parameter.name,
            "default": parameter.default,
            "min": parameter.min,
            "max": parameter.max,
            "whole": parameter.whole,
            "meaning": parameter.meaning,
        })
    };
    let scenes: Vec<Value> = builtins
        .iter()
        .map(|builtin| {
            let parameters: Vec<Value> = builtin.parameters.iter().map(parameter).collect();
            json!({ "name": builtin.name, "summary": builtin.summary, "parameters": parameters })
        })
        .collect();
    json!({ "scenes": scenes })
}
