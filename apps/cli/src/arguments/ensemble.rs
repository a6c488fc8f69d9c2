//! What can be said to `proscenium ensemble`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::{parse_duration, parse_moment, parse_size};
use crate::output::Output;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium ensemble build banner -o banner             simulate, compress, find transitions
  proscenium ensemble show banner                        what there is, and how hard it was
  proscenium ensemble play banner --want gale@4 -o walk.gif")]
pub struct Ensemble {
    #[command(subcommand)]
    pub verb: EnsembleVerb,
}

#[derive(Debug, Subcommand)]
pub enum EnsembleVerb {
    /// Make a motion graph, of a built-in ensemble or of your own data
    Build(EnsembleBuild),
    /// Tell what is in a motion graph
    Show(EnsembleShow),
    /// Walk along a motion graph: to pictures and animations
    Play(EnsemblePlay),
    /// Bring in a mesh and where its vertices went: PC2, MDD, or glTF
    Import(EnsembleImport),
    /// Plant many motion graphs in one wind: a picture, a .glb, and where they stand
    Field(EnsembleField),
    /// Take motion out: as glTF, vertex cache, USD or vertex-animation texture
    Export(EnsembleExport),
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium ensemble build banner -o banner
  proscenium ensemble build banner --flags 6 --seconds 15 -o small
  proscenium ensemble build grass-clump -o clump
  proscenium ensemble build banana --seconds 12 -o banana
  proscenium ensemble build plant.glb -o plant           its animations are the conditions
  proscenium ensemble build plant.obj --cache calm=calm.pc2 --cache gale=gale.mdd -o plant

The folder keeps every stretch and every transition as soon as it is found: an interrupted build
goes on where it was.")]
pub struct EnsembleBuild {
    /// A built-in ensemble (banner, grass, grass-clump, banana, iris-1 to iris-4, iris-large), a mesh (.glb that bends, .obj with caches), or what import wrote
    #[arg(value_name = "DATA", value_hint = ValueHint::FilePath)]
    pub data: String,
    /// A vertex cache of a mesh (.pc2, .mdd) and its condition, from the weakest on; may be repeated
    #[arg(long = "cache", value_name = "CONDITION=FILE", value_parser = parse_cache, help_heading = "Your own data")]
    pub caches: Vec<(String, PathBuf)>,
    /// Frames per second of animations and of caches that do not say
    #[arg(long, value_name = "N", default_value_t = 30.0, value_parser = parse_duration, help_heading = "Your own data")]
    pub fps: f64,
    /// How close groups may come, metres
    #[arg(long, value_name = "METRES", default_value_t = 0.002, value_parser = parse_duration, help_heading = "Your own data")]
    pub thickness: f64,
    /// The folder for the graph; a build that is there goes on
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// How many flags the banner has
    #[arg(long, value_name = "N", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub flags: u32,
    /// How much to simulate of each wind level
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0, value_parser = parse_duration)]
    pub seconds: f64,
    /// How far a vertex may be from where it was, metres [default: what the ensemble asks for; 0.001 for yours]
    #[arg(long, value_name = "METRES", value_parser = parse_duration)]
    pub error: Option<f64>,
    /// How far from the middle of a transition a group may splice, frames [default: what the data asks for]
    #[arg(long, value_name = "FRAMES", help_heading = "Transitions")]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    pub reach: Option<u32>,
    /// How strongly groups with few contacts are preferred for a change, 1 or more (C of the paper) [default: 1.1, or 2 for a banner]
    #[arg(long, value_name = "C", help_heading = "Transitions", value_parser = positive)]
    pub preference: Option<f64>,
    /// The largest acceleration in a transition, as a multiple of the data's of the same conditions
    #[arg(long, value_name = "FACTOR", default_value_t = 1.1, help_heading = "Transitions", value_parser = positive)]
    pub acceleration: f64,
    /// How long a group blends, an even number of frames [default: what the data asks for]
    #[arg(long, value_name = "FRAMES", help_heading = "Transitions")]
    #[arg(value_parser = clap::value_parser!(u32).range(2..=60))]
    pub blend: Option<u32>,
    /// How many destinations to try for each departure [default: what the data asks for]
    #[arg(long, value_name = "N", help_heading = "Transitions")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub samples: Option<u32>,
    /// When to give up on a destination: a multiple of one test of all groups [default: what the data asks for]
    #[arg(long, value_name = "FACTOR", value_parser = parse_moment, help_heading = "Transitions")]
    pub patience: Option<f64>,
    /// How much closer than their thickness groups may come where nothing else is found, metres
    #[arg(long, value_name = "METRES", default_value_t = 0.0, value_parser = parse_moment, help_heading = "Transitions")]
    pub tolerance: f64,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  proscenium ensemble show banner\n  proscenium ensemble show banner -o costs.png")]
pub struct EnsembleShow {
    /// The folder of a build, or a graph
    #[arg(value_name = "GRAPH", value_hint = ValueHint::AnyPath)]
    pub graph: PathBuf,
    /// Also draw what transitions cost, by how far apart groups may splice: .png
    #[arg(short, long, value_name = "OUT", value_parser = Output::parse, value_hint = ValueHint::FilePath)]
    pub output: Option<Output>,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium ensemble play banner                        how a minute goes
  proscenium ensemble play banner --seconds 12 --want gale@4 -o walk.gif
  proscenium ensemble play banner --at 6 -o walk.png")]
pub struct EnsemblePlay {
    /// The folder of a build, or a graph
    #[arg(value_name = "GRAPH", value_hint = ValueHint::AnyPath)]
    pub graph: PathBuf,
    /// How long to walk
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = parse_duration)]
    pub seconds: f64,
    /// A condition that is wanted, and from when on; may be repeated
    #[arg(long = "want", value_name = "NAME@SECONDS", value_parser = parse_want)]
    pub wants: Vec<(String, f64)>,
    /// Where to write: .gif, .png, .glb, .pc2, .mdd, .usda or .exr says what; may be repeated
    #[arg(short, long = "output", value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub outputs: Vec<PathBuf>,
    /// How many modes of each group a .glb keeps, strongest first
    #[arg(long, value_name = "N", default_value_t = 24)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=256))]
    pub modes: u16,
    /// The moment that a .png shows [default: the middle]
    #[arg(long, value_name = "SECONDS", value_parser = parse_moment, help_heading = "Pictures")]
    pub at: Option<f64>,
    /// Pixels of a .png or .gif [default: 960x540 and 480x270]
    #[arg(long, value_name = "WxH", value_parser = parse_size, help_heading = "Pictures")]
    pub size: Option<(u32, u32)>,
    /// Pictures per second of a .gif
    #[arg(long, value_name = "N", default_value_t = 15, help_heading = "Pictures")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=30))]
    pub fps: u32,
    /// Do not mark groups in transition
    #[arg(long, help_heading = "Pictures")]
    pub plain: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium ensemble field clump iris --count 200 -o meadow.png
  proscenium ensemble field clump --count 500 --wind 3,0 -o meadow.glb -o places.csv
  proscenium ensemble field clump --count 500 --up-to calm -o dense.png
  proscenium ensemble field clump --walker 0,0.5 -o pushed.png

What clumps sweep never meets. They are turned so that the wind of their data blows along that of
the field, and follow its gusts.")]
pub struct EnsembleField {
    /// Folders of builds, or graphs: each as often as any other
    #[arg(value_name = "GRAPH", required = true, value_hint = ValueHint::AnyPath)]
    pub graphs: Vec<PathBuf>,
    /// How many are planted
    #[arg(long, value_name = "N", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub count: u32,
    /// How the wind travels over the field, metres per second along x and z
    #[arg(long, value_name = "X,Z", default_value = "5,1", value_parser = parse_way, allow_hyphen_values = true)]
    pub wind: (f64, f64),
    /// Where the wind of the data blows; the default is that of the built-in plants
    #[arg(long, value_name = "X,Z", default_value = "1,0.2", value_parser = parse_way, allow_hyphen_values = true)]
    pub data_wind: (f64, f64),
    /// How strong it is, from 0, always the weakest level, to 1, always the strongest
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = parse_moment)]
    pub strength: f64,
    /// From gust to gust, metres [default: as far as plants can follow]
    #[arg(long, value_name = "METRES", value_parser = positive)]
    pub gust: Option<f64>,
    /// How much more clumps are turned, either way, degrees
    #[arg(long, value_name = "DEGREES", default_value_t = 30.0, value_parser = parse_moment)]
    pub turns: f64,
    /// No wind above this level: what never leaves the weaker ones stands closer
    #[arg(long, value_name = "LEVEL")]
    pub up_to: Option<String>,
    /// Somebody who stands there, and how far plants are kept from them; may be repeated
    #[arg(long = "walker", value_name = "X,Z[,RADIUS]", value_parser = parse_walker, allow_hyphen_values = true)]
    pub walkers: Vec<(f64, f64, f64)>,
    /// The moment that is shown
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = parse_moment)]
    pub at: f64,
    /// Where to write: .png, .glb, .csv or .json says what; may be repeated
    #[arg(short, long = "output", value_name = "OUT", required = true, value_hint = ValueHint::FilePath)]
    pub outputs: Vec<PathBuf>,
    /// Pixels of a picture [default: 960x540]
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<(u32, u32)>,
}

/// A duration, as `8` or `8s`.
fn parse_seconds(text: &str) -> Result<f64, String> {
    parse_duration(text.trim().strip_suffix('s').unwrap_or(text))
}

/// Two numbers.
fn parse_way(text: &str) -> Result<(f64, f64), String> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let way = text.split_once(',').and_then(|(x, z)| Some((number(x)?, number(z)?)));
    way.ok_or_else(|| "write it as two numbers, such as 5,1".to_owned())
}

/// How far plants are kept from somebody who does not say, metres.
const AROUND: f64 = 0.4;

/// A place on the ground, and how far plants are kept from there.
fn parse_walker(text: &str) -> Result<(f64, f64, f64), String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[x, z]) if x.is_finite() && z.is_finite() => Ok((x, z, AROUND)),
        Some(&[x, z, radius]) if x.is_finite() && z.is_finite() && radius.is_finite() && radius > 0.0 => {
            Ok((x, z, radius))
        }
        _ => Err("write it as two numbers, or three with a radius above zero, such as 0,1.5,0.4".to_owned()),
    }
}

/// A condition, and the file of its vertices.
fn parse_cache(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.trim().is_empty() && !path.is_empty() => {
            Ok((name.trim().to_owned(), PathBuf::from(path)))
        }
        _ => Err("write it as CONDITION=FILE, such as gale=gale.pc2".to_owned()),
    }
}

/// A condition, and when it is wanted.
fn parse_want(text: &str) -> Result<(String, f64), String> {
    let (name, time) = text.split_once('@').unwrap_or((text, "0"));
    if name.trim().is_empty() {
        return Err("write it as NAME@SECONDS, such as gale@4".to_owned());
    }
    Ok((name.trim().to_owned(), parse_moment(time)?))
}

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
    pub attach_within: Option<f64>,
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
    /// Objects if there are several, else connected parts, or what moves as one if all is connected
    Auto,
    /// The objects or nodes of the file
    Objects,
    /// What hangs together by its vertices
    Connected,
    /// What moves as one
    Motion,
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
  .usda, .usdc   a mesh for each group, with points sampled over time; text or binary
  .exr, .png     a vertex-animation texture (OpenVAT) of 32 or 16 bits, with its .json and .glb
  .pmg           the whole motion graph for players, with one for web pages beside it
  .html          a page that plays it

Examples:
  proscenium ensemble export plant.ensemble --level gale -o gale.glb --modes 16
  proscenium ensemble export plant --walk 60 --seed 7 -o minute.pc2
  proscenium ensemble export plant --level gale --loop 8s -o gale.glb
  proscenium ensemble export plant --details 0.02,0.08 -o plant.html")]
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
    /// A seamless loop of about so many seconds within a level, in place of the data
    #[arg(long = "loop", value_name = "SECONDS", value_parser = parse_seconds, conflicts_with_all = ["walk", "seconds", "every"])]
    pub cycle: Option<f64>,
    /// At most so many seconds of the data
    #[arg(long, value_name = "SECONDS", value_parser = positive, conflicts_with = "walk")]
    pub seconds: Option<f64>,
    /// Take one frame of so many
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub every: u32,
    /// How many morph targets a group has in a .glb, at most
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub modes: u32,
    /// Also with less detail: vertices nearer to each other than this at rest become one
    #[arg(long, value_name = "M,...", value_delimiter = ',', value_parser = positive)]
    pub details: Vec<f64>,
    /// Beside a .pmg, textures for the shaders of other engines
    #[arg(long)]
    pub textures: bool,
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "it must be a number above zero".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walker_has_a_place_and_may_have_a_radius() {
        assert_eq!(parse_walker("-1, 2.5"), Ok((-1.0, 2.5, AROUND)));
        assert_eq!(parse_walker("0,0,1"), Ok((0.0, 0.0, 1.0)));
        for wrong in ["", "1", "1,2,0", "1,2,-1", "1,nan", "1,2,3,4", "1,2,inf"] {
            assert!(parse_walker(wrong).is_err(), "{wrong}");
        }
    }

    /// The book's `--loop 8s` was refused.
    #[test]
    fn seconds_may_have_their_unit() {
        assert_eq!((parse_seconds("8s"), parse_seconds("2.5")), (Ok(8.0), Ok(2.5)));
        for wrong in ["s", "8m", "-1s", "0", "8ss"] {
            assert!(parse_seconds(wrong).is_err(), "{wrong}");
        }
    }
}
