//! What can be said to `proscenium ensemble import` and `export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium ensemble import plant.obj --cache calm=calm.pc2 --cache gale=gale.pc2 -o plant.ensemble
  proscenium ensemble import flags.glb --fps 30 -o flags.ensemble   each animation is a level

Levels are listed from the weakest to the strongest. Groups are the objects of
the file, or else its connected parts; they hang on each other where they stay
together in all frames.")]
pub struct EnsembleImport {
    /// The mesh: .obj, or .glb with or without animations
    #[arg(value_name = "BASE", value_hint = ValueHint::FilePath)]
    pub base: PathBuf,
    /// Where its vertices went: .pc2, .mdd or .glb, and under which level [default: the file's name]
    #[arg(long = "cache", value_name = "[LEVEL=]FILE", value_hint = ValueHint::FilePath)]
    pub caches: Vec<String>,
    /// The file to write
    #[arg(short, long, value_name = "OUT.ensemble", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// What to call it [default: the name of the mesh's file]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Frames per second of the scene, where the file does not know
    #[arg(long, value_name = "N", default_value_t = 30.0, value_parser = positive)]
    pub fps: f64,
    /// How far a vertex may be from where it was, metres
    #[arg(long, value_name = "M", default_value_t = 1e-4, value_parser = positive)]
    pub error: f64,
    /// Groups that come closer than this interpenetrate, metres
    #[arg(long, value_name = "M", default_value_t = 0.002, value_parser = positive)]
    pub thickness: f64,
    /// What the groups are
    #[arg(long, value_name = "WHAT", default_value = "auto")]
    pub groups: Groups,
    /// Groups that stay this near to each other hang together, metres [default: 1 % of the mesh's size]
    #[arg(long, value_name = "M", value_parser = positive)]
    pub reach: Option<f64>,
    /// Which way is up in the mesh
    #[arg(long, value_name = "AXIS", default_value = "y")]
    pub base_up: Axis,
    /// Which way is up in the caches [default: the one that fits the mesh]
    #[arg(long, value_name = "AXIS")]
    pub up: Option<Axis>,
}

/// What the groups of a mesh are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Groups {
    /// Objects if there are several, else connected parts
    Auto,
    /// The objects or nodes of the file
    Objects,
    /// What hangs together by its vertices
    Connected,
}

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Axis {
    /// As in glTF and Houdini
    Y,
    /// As in Blender
    Z,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The ending says what is written:
  .glb           the strongest modes as morph targets, with animated weights
  .pc2, .mdd     a vertex cache, and the mesh that it moves as .obj beside it
  .usda          a mesh for each group, with points sampled over time
  .exr           a vertex-animation texture (OpenVAT), with its .json and .glb beside it

Examples:
  proscenium ensemble export plant.ensemble --level gale -o gale.glb --modes 16
  proscenium ensemble export plant --walk 60 --seed 7 -o minute.pc2")]
pub struct EnsembleExport {
    /// An ensemble (.ensemble), a motion graph (.memg), or the folder of a build
    #[arg(value_name = "ENSEMBLE", value_hint = ValueHint::AnyPath)]
    pub ensemble: PathBuf,
    /// Where to write; may be repeated
    #[arg(short, long = "output", value_name = "OUT", required = true, value_hint = ValueHint::FilePath)]
    pub outputs: Vec<PathBuf>,
    /// The level of the data to take [default: the first], or to walk in
    #[arg(long, value_name = "NAME")]
    pub level: Option<String>,
    /// Walk through the graph for so many seconds, in place of the data
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub walk: Option<f64>,
    /// At most so many seconds of the data
    #[arg(long, value_name = "SECONDS", value_parser = positive, conflicts_with = "walk")]
    pub seconds: Option<f64>,
    /// Take one frame of so many
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub every: u32,
    /// How many morph targets a group has in a .glb, at most
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub modes: u32,
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "it must be a number above zero".to_owned())
}
