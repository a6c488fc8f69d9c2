//! What can be said to `proscenium lod`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueHint};

use super::{parse_duration, parse_moment, parse_number, parse_size};
use crate::output::Output;

#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  proscenium lod knots --budget 2ms -o knots.gif     as deep as two milliseconds a frame allow
  proscenium lod crowd --count 300 --budget 400000 -o crowd.glb
  proscenium lod people --count 10 -o people.gif
  proscenium lod --mesh cup.obj --mesh-size 0.2 --count 50 -o cups.png
  proscenium lod tree knot -o knot.png               the levels of a tree, measured and drawn
  proscenium lod study gap -o gap                    stimuli and a schedule for people to judge

A budget is a time, such as 2ms, or a number of node tests, which replays exactly."
)]
pub struct Lod {
    #[command(subcommand)]
    pub verb: Option<LodVerb>,
    /// A built-in scene: bowls, crowd, jacks, knots, l-shapes, people, tori or vases
    #[arg(value_name = "SCENE", required_unless_present = "mesh")]
    pub scene: Option<String>,
    /// Fill the box with copies of a mesh of your own, .glb or .obj
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "scene")]
    pub mesh: Option<PathBuf>,
    /// Scale the mesh until its longest side has this many metres
    #[arg(long, value_name = "METRES", requires = "mesh", value_parser = parse_number)]
    pub mesh_size: Option<f64>,
    /// How many bodies
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub count: u32,
    /// What a frame may cost: node tests (400000) or time (2ms, 500us)
    #[arg(long, value_name = "BUDGET", default_value = "1000000", value_parser = parse_frame_budget)]
    pub budget: FrameBudget,
    /// What to refine first: perceptual, round-robin, random, or one measure
    #[arg(long, value_name = "NAME", default_value = "perceptual")]
    pub schedule: String,
    /// How contacts are reduced: none, first, average, groups, gradient, weighted, weighted-groups, span
    #[arg(long, value_name = "NAME", default_value = "span")]
    pub reduction: String,
    /// Where the viewer looks, as shares of the picture from its top left corner
    #[arg(long, value_name = "X,Y", value_parser = parse_gaze)]
    pub gaze: Option<[f64; 2]>,
    #[command(flatten)]
    pub tree: TreeChoice,
    /// Let bodies float instead of fall
    #[arg(long)]
    pub weightless: bool,
    /// How long to run, seconds
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = parse_duration)]
    pub duration: f64,
    /// Where to write: .glb, .png, .gif or .json says what; may be repeated
    #[arg(short, long = "output", value_name = "OUT", value_parser = Output::parse)]
    #[arg(value_hint = ValueHint::FilePath)]
    pub outputs: Vec<Output>,
    /// The moment that a .png shows [default: a good one]
    #[arg(long, value_name = "SECONDS", value_parser = parse_moment, help_heading = "Pictures")]
    pub at: Option<f64>,
    /// Pixels of a .png or .gif [default: 960x540 and 480x270]
    #[arg(long, value_name = "WxH", value_parser = parse_size, help_heading = "Pictures")]
    pub size: Option<(u32, u32)>,
}

/// A tree of bounding volumes.
#[derive(Args, Clone, Debug)]
pub struct TreeChoice {
    /// What nodes are: octree, adaptive, voxels, swept or mixed
    #[arg(long, value_name = "KIND", default_value = "adaptive")]
    pub kind: String,
    /// Levels below the root
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=7))]
    pub depth: u32,
}

#[derive(Debug, Subcommand)]
pub enum LodVerb {
    /// Build the tree of a mesh, measure its levels and draw them
    Tree(LodTree),
    /// Write the stimuli of an experiment with people, or analyse their answers
    Study(LodStudy),
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium lod tree torus -o torus.png
  proscenium lod tree cup.glb --kind swept --save cup.lod")]
pub struct LodTree {
    /// A file (.glb, .obj) or a built-in mesh: bowl, jack, knot, l-shape, torus, vase
    #[arg(value_name = "MESH", value_hint = ValueHint::FilePath)]
    pub mesh: String,
    /// Scale the mesh until its longest side has this many metres
    #[arg(long, value_name = "METRES", value_parser = parse_number)]
    pub mesh_size: Option<f64>,
    #[command(flatten)]
    pub tree: TreeChoice,
    /// Draw every level into one picture
    #[arg(short, long, value_name = "OUT.png", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Keep the tree in a file
    #[arg(long, value_name = "OUT.lod", value_hint = ValueHint::FilePath)]
    pub save: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium lod study causality -o causality        clips, and who sees which when
  proscenium lod study gap -o gap --participants 20
  proscenium lod study gap -o gap --analyse answers.csv")]
pub struct LodStudy {
    /// causality, gap or dynamics; or gaze, which runs in the studio and is analysed here
    #[arg(value_name = "NAME")]
    pub name: String,
    /// The folder for clips and schedule, or for the figures of the analysis
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    /// How many people
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub participants: u32,
    /// Analyse answers: the schedule, with a column `rating` filled in
    #[arg(long, value_name = "ANSWERS.csv", value_hint = ValueHint::FilePath)]
    pub analyse: Option<PathBuf>,
}

/// What a frame may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrameBudget {
    Tests(u64),
    Time(Duration),
}

/// Node tests as a whole number, or time with its unit.
fn parse_frame_budget(text: &str) -> Result<FrameBudget, String> {
    let wrong = || "write a number of node tests, such as 400000, or a time, such as 2ms or 500us".to_owned();
    let text = text.trim();
    if let Ok(tests) = text.parse::<u64>() {
        return Ok(FrameBudget::Tests(tests));
    }
    let units = [("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)];
    let (number, unit) =
        units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit))).ok_or_else(wrong)?;
    match parse_number(number)? * unit {
        seconds if seconds > 0.0 && seconds <= 1.0 => Ok(FrameBudget::Time(Duration::from_secs_f64(seconds))),
        _ => Err(wrong()),
    }
}

fn parse_gaze(text: &str) -> Result<[f64; 2], String> {
    let (x, y) = text.split_once(',').ok_or("write it as X,Y, such as 0.25,0.5")?;
    let place = [parse_number(x)?, parse_number(y)?];
    if place.iter().all(|share| (0.0..=1.0).contains(share)) {
        Ok(place)
    } else {
        Err("both are shares of the picture, from 0 to 1".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_tests_or_time() {
        assert_eq!(parse_frame_budget("400000"), Ok(FrameBudget::Tests(400_000)));
        assert_eq!(parse_frame_budget("2ms"), Ok(FrameBudget::Time(Duration::from_millis(2))));
        assert_eq!(parse_frame_budget("500 µs"), Ok(FrameBudget::Time(Duration::from_micros(500))));
        for wrong in ["", "-5", "0ms", "2 weeks", "3s", "ms"] {
            assert!(parse_frame_budget(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_gaze_is_a_place_in_the_picture() {
        assert_eq!(parse_gaze("0.25, 1"), Ok([0.25, 1.0]));
        for wrong in ["0.5", "2,0", "a,b", "-0.1,0.5"] {
            assert!(parse_gaze(wrong).is_err(), "{wrong}");
        }
    }
}
