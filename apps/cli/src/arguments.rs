//! What can be said on the command line.

mod ensemble;
mod lod;
mod more;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueHint};
use proscenium_direct::{Method, Moves};
use proscenium_director::{Budget, Pick};
use proscenium_picture::LARGEST_SIDE;

use crate::output::{Output, TraceOutput};
use crate::verbs::city::City;

pub use ensemble::{
    Axis, Ensemble, EnsembleBuild, EnsembleExport, EnsembleField, EnsembleImport, EnsemblePlay, EnsembleShow,
    EnsembleVerb, Groups,
};
pub use lod::{FrameBudget, Lod, LodStudy, LodTree, LodVerb, TreeChoice};
pub use more::{FoundFile, More};

/// The longest run that can be asked for, seconds: more is a slip of the finger.
const LONGEST_RUN: f64 = 1e6;

const EXAMPLES: &str = "\
Examples:
  proscenium scenes                              what comes with it
  proscenium simulate bounce -o bounce.glb       an animation for Blender, three.js, Godot …
  proscenium simulate bounce -o bounce.png -o bounce.gif
  proscenium new table                           a scene of your own: table.toml
  proscenium direct dice --want 'die-1 shows 6' -o sixes

SCENE is a file or the name of a built-in scene. The same scene and seed give
the same bytes, always. Exit codes: 0 done, 1 failed, 2 misused, 130 stopped by
Ctrl-C (what there was by then is kept).";

/// Plausible animated worlds: describe a scene, simulate it, look at it.
#[derive(Debug, Parser)]
#[command(name = "proscenium", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Arguments {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub verb: Verb,
}

/// What every verb takes.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// The number that everything uncertain follows from
    #[arg(long, global = true, value_name = "N", default_value_t = 1, help_heading = "Common options")]
    pub seed: u64,
    /// How many threads to use; results do not depend on it [default: one per core]
    #[arg(long, global = true, value_name = "N", help_heading = "Common options")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Say nothing but errors
    #[arg(short, long, global = true, help_heading = "Common options")]
    pub quiet: bool,
    /// Print results, and errors, as JSON
    #[arg(long, global = true, help_heading = "Common options")]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Start a scene of your own
    New(New),
    /// Tell whether a scene is right, and if not, where and why
    Check(Check),
    /// List the built-in scenes, or print one as a file
    Scenes(Scenes),
    /// Run a scene once: to an animation, a picture, or figures
    Simulate(Simulate),
    /// Find animations of a scene that end as wanted
    Direct(Direct),
    /// Look at what was found: list, show, export, plot
    Gallery(Gallery),
    /// Compile a dynamical system into one that costs nothing out of view
    Cull(Cull),
    /// Make or import a city, and look at it
    City(City),
    /// Run many concave bodies within a budget for their collisions
    Lod(Lod),
    /// Motion graphs of meshes in many parts: build one, look at it, play it
    Ensemble(Ensemble),
    /// Print a script that completes this command in a shell
    Completions(Completions),
    /// Print the JSON Schema of the scene file, for editors
    Schema,
}

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  proscenium new table && proscenium simulate table.toml -o table.gif")]
pub struct New {
    /// What to call it; the file is NAME.toml
    #[arg(value_name = "NAME")]
    pub name: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  proscenium check table.toml")]
pub struct Check {
    #[command(flatten)]
    pub scene: SceneChoice,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  proscenium scenes\n  proscenium scenes show box --set n=8 > my-box.toml")]
pub struct Scenes {
    #[command(subcommand)]
    pub verb: Option<ScenesVerb>,
}

#[derive(Debug, Subcommand)]
pub enum ScenesVerb {
    /// Print a scene as a file to start from
    Show(Show),
}

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  proscenium scenes show box --set n=8 > my-box.toml")]
pub struct Show {
    #[command(flatten)]
    pub scene: SceneChoice,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium simulate cradle                             figures only
  proscenium simulate box --set n=200 -o box.glb         a built-in scene, with a parameter
  proscenium simulate table.toml --seed 7 -o 7.png       another throw of the same scene
  proscenium simulate table.toml --set speed=3 -o 3.gif  an uncertain value, fixed
  proscenium simulate gas --contacts --json              every collision, for a script")]
pub struct Simulate {
    #[command(flatten)]
    pub scene: SceneChoice,
    /// Where to write: .glb, .png, .gif or .json says what; may be repeated
    #[arg(short, long = "output", value_name = "OUT", value_parser = Output::parse)]
    #[arg(value_hint = ValueHint::FilePath)]
    pub outputs: Vec<Output>,
    /// How long to simulate, seconds [default: what the scene says]
    #[arg(long, value_name = "SECONDS", value_parser = parse_duration)]
    pub duration: Option<f64>,
    /// List every collision
    #[arg(long)]
    pub contacts: bool,
    /// The moment that a .png shows [default: a good one]
    #[arg(long, value_name = "SECONDS", value_parser = parse_moment, help_heading = "Pictures")]
    pub at: Option<f64>,
    /// How many earlier moments a .png shows faintly [default: as fits, 0 with --at]
    #[arg(long, value_name = "N", help_heading = "Pictures")]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=256))]
    pub trail: Option<u32>,
    /// The camera of the scene that a .png or .gif is taken by [default: one that sees it all]
    #[arg(long, value_name = "NAME", help_heading = "Pictures")]
    pub camera: Option<String>,
    /// Pixels of a .png or .gif [default: 960x540 and 480x270]
    #[arg(long, value_name = "WxH", value_parser = parse_size, help_heading = "Pictures")]
    pub size: Option<(u32, u32)>,
    /// Pictures per second of a .gif
    #[arg(long, value_name = "N", default_value_t = 25, help_heading = "Pictures")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=50))]
    pub fps: u32,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium direct dice --want 'die-1 shows 6, die-2 shows 6' --samples 8 -o rolls
  proscenium direct bowling --pins 6,7 --want 'all fall' --samples 3 -o spare
  proscenium direct table.toml -o found                the wants of the file: [[want]]
  proscenium direct dice --want 'die-1 shows 6' --pick likely -o fair    a fair draw
  proscenium direct --resume rolls --samples 20        more of the same
  proscenium direct --keep rolls/03 --until 0.4 -o kept        as 03 until then, and then anew
  proscenium direct --like rolls/03 --hold die-1 -o alike      the same first die
  proscenium direct --breed rolls/03,rolls/07 -o bred          between and around the two

A want: BODY shows 6 · BODY rests near X Y Z within R · BODY rests in OTHER · BODY stands ·
BODY falls · BODY stays · BODY hits OTHER [N times] [harder than J] [before THIRD | at T within DT] ·
BODY near OTHER within R · BODY on OTHER · BODY touches OTHER · BODY faces OTHER · BODY slower than V ·
BODY spins faster than W · BODY passes OTHER · BODY hits OTHER then THIRD · BODY ends in frame of
camera NAME · with \"never\" or \"always\" before the verb, at T, between T and T, before T or after T
behind, \"not\", \"either … or …\" or \"at least N of\" in front · or a table as in the file,
{ body = \"die\", … }. BODY is a body, a group or a pattern (pin-*); \"a and b\", \"all\" and \"others\" do.
The folder gets the animations (.glb), sheet.png, sheet.gif, traces.json for ArviZ, and
gallery.sqlite, from which a run that was stopped goes on.")]
pub struct Direct {
    /// A file, or the name of a built-in scene
    #[arg(value_name = "SCENE", value_hint = ValueHint::FilePath, required_unless_present_any = ["resume", "keep", "like", "breed"])]
    pub scene: Option<String>,
    /// Set a parameter of a built-in scene, or fix a variable of a file
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub settings: Vec<(String, f64)>,
    /// The pins that stand at the start of the scene "bowling", as in 7,10
    #[arg(long, value_name = "PINS", conflicts_with = "resume")]
    pub pins: Option<String>,
    /// What should happen, besides what the scene wants; may be repeated
    #[arg(long = "want", value_name = "WANT", conflicts_with = "resume")]
    pub wants: Vec<String>,
    /// How many animations
    #[arg(long, value_name = "N", default_value_t = 8)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub samples: u16,
    /// Which of those that are found
    #[arg(long, value_name = "PICK", value_enum, default_value_t = PickName::Different)]
    pub pick: PickName,
    /// The folder for what is found; a run that is there goes on
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath, required_unless_present = "resume")]
    pub output: Option<PathBuf>,
    /// Go on with the run in a folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with_all = ["scene", "settings", "output", "method", "moves"])]
    pub resume: Option<PathBuf>,
    /// How to draw [default: what the chance of success asks for]
    #[arg(long, value_name = "METHOD", value_enum)]
    pub method: Option<MethodName>,
    /// How one animation is changed into the next, where there are chains
    #[arg(long, value_name = "MOVES", value_enum, default_value_t = MovesName::Suited)]
    pub moves: MovesName,
    /// How much to spend: simulations (20000) or time (90s, 10min, 2h)
    #[arg(long, value_name = "BUDGET", default_value = "200000", value_parser = parse_budget)]
    pub budget: Budget,
    /// Write animations only
    #[arg(long)]
    pub no_pictures: bool,
    #[command(flatten)]
    pub more: More,
}

/// Which animations are picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum PickName {
    /// A fair draw: what is likely comes often, and one may come twice; takes longer
    Likely,
    /// Those that differ most, no two alike: a search, not a fair draw
    Different,
}

impl PickName {
    pub fn pick(self) -> Pick {
        match self {
            Self::Likely => Pick::Likely,
            Self::Different => Pick::Different,
        }
    }
}

/// A way to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum MethodName {
    /// Draw until it fits
    Rejection,
    /// One animation, changed step by step
    Chain,
    /// Parallel tempering
    Tempering,
    /// Sequential Monte Carlo
    Population,
}

impl MethodName {
    pub fn method(self) -> Method {
        match self {
            Self::Rejection => Method::Rejection,
            Self::Chain => Method::Chain,
            Self::Tempering => Method::Tempering,
            Self::Population => Method::Population,
        }
    }
}

/// How animations are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum MovesName {
    /// Steps of all sizes, of one variable, one body or all, and new draws
    Suited,
    /// Those of Chenney 2000, appendix A, corrected: for spell, table, dice and bowling
    Paper,
    /// The same with the ratios as printed, which sample something else: for comparisons
    PaperAsPrinted,
}

impl MovesName {
    pub fn moves(self) -> Moves {
        match self {
            Self::Suited => Moves::Suited,
            Self::Paper => Moves::Paper,
            Self::PaperAsPrinted => Moves::PaperAsPrinted,
        }
    }
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium gallery rolls                       every sample, and the wants it meets
  proscenium gallery rolls show 3                its values
  proscenium gallery rolls export 3 -o 3.gif     one sample, as simulate writes it
  proscenium gallery rolls plot -o trace.svg     how the run went
  proscenium gallery rolls traces -o rolls.zarr  the same as numbers, for ArviZ")]
pub struct Gallery {
    /// The folder of a run
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    #[command(subcommand)]
    pub verb: Option<GalleryVerb>,
}

#[derive(Debug, Subcommand)]
pub enum GalleryVerb {
    /// List the samples
    List,
    /// Show the values of a sample
    Show {
        /// Its number, from 1
        #[arg(value_name = "N")]
        number: usize,
    },
    /// Write a sample: .glb, .png, .gif or .json
    Export {
        /// Its number, from 1
        #[arg(value_name = "N")]
        number: usize,
        /// Where to write; may be repeated
        #[arg(short, long = "output", value_name = "OUT", value_parser = Output::parse, required = true)]
        #[arg(value_hint = ValueHint::FilePath)]
        outputs: Vec<Output>,
        /// The moment that a .png shows [default: a good one]
        #[arg(long, value_name = "SECONDS", value_parser = parse_moment)]
        at: Option<f64>,
        /// The camera of the scene that a .png or .gif is taken by [default: one that sees it all]
        #[arg(long, value_name = "NAME")]
        camera: Option<String>,
    },
    /// Plot how many wants were met along the run, as .svg
    Plot {
        /// Where to write
        #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
        output: PathBuf,
    },
    /// Write the traces of all chains for ArviZ: a .json file or a .zarr folder
    Traces {
        /// Where to write
        #[arg(short, long, value_name = "OUT", value_hint = ValueHint::AnyPath, value_parser = TraceOutput::parse)]
        output: TraceOutput,
    },
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium cull models/tilt-a-whirl.toml -o tilt.cull
  proscenium cull models/ship.toml -o ship.cull --module ship.js --module ship.rs
  proscenium cull my-ride.toml -o my-ride.cull --strict
  proscenium cull --from motion.csv -o motion.cull
  proscenium cull windmill.toml --from windmill.glb --node sails -o windmill.cull")]
pub struct Cull {
    /// A model file; with --from, what a recorded motion looks like
    #[arg(value_name = "MODEL", required_unless_present = "from", value_hint = ValueHint::FilePath)]
    pub model: Option<PathBuf>,
    /// A recorded or baked motion in place of equations: .csv (seconds, then up to eight
    /// channels; `angle [deg]` goes around) or .glb; may be repeated for more takes
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub from: Vec<PathBuf>,
    /// Of a .glb the nodes that matter; may be repeated
    #[arg(long = "node", value_name = "NAME", requires = "from")]
    pub nodes: Vec<String>,
    /// Of a .glb with several animations the one that is meant; else the first
    #[arg(long, value_name = "NAME", requires = "from")]
    pub animation: Option<String>,
    /// Where to write the compiled model; a report is written beside it, as .html
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Also write a module without dependencies: .js or .rs; may be repeated
    #[arg(long = "module", value_name = "FILE", value_parser = parse_module, value_hint = ValueHint::FilePath)]
    pub modules: Vec<PathBuf>,
    /// Learn with less effort, for a first look
    #[arg(long)]
    pub quick: bool,
    /// Exit with 1 if the complete model has to be run out of view, or a statistic does not match
    #[arg(long)]
    pub strict: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium completions bash > ~/.local/share/bash-completion/completions/proscenium
  proscenium completions fish > ~/.config/fish/completions/proscenium.fish")]
pub struct Completions {
    /// For which shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: clap_complete::Shell,
}

/// A scene, with some of its numbers changed.
#[derive(Args, Debug)]
pub struct SceneChoice {
    /// A file, or the name of a built-in scene
    #[arg(value_name = "SCENE", value_hint = ValueHint::FilePath)]
    pub scene: String,
    /// Set a parameter of a built-in scene, or fix a variable of a file
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub settings: Vec<(String, f64)>,
}

impl SceneChoice {
    /// Reads and checks the scene.
    pub fn find(&self) -> Result<proscenium_scenes::Scene, proscenium_scenes::SceneErrors> {
        let settings: Vec<(&str, f64)> = self.settings.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        proscenium_scenes::find(&self.scene, &settings)
    }
}

pub fn parse_setting(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE, such as n=8")?;
    if name.trim().is_empty() {
        return Err("the name before = is missing: write it as NAME=VALUE, such as n=8".to_owned());
    }
    Ok((name.trim().to_owned(), parse_number(value)?))
}

/// Simulations as a whole number, or time with its unit.
fn parse_budget(text: &str) -> Result<Budget, String> {
    let wrong = || "write a number of simulations, such as 20000, or a time, such as 90s, 10min or 2h".to_owned();
    let text = text.trim();
    if let Ok(simulations) = text.parse::<u64>() {
        return if simulations > 0 { Ok(Budget::Simulations(simulations)) } else { Err(wrong()) };
    }
    let units = [("min", 60.0), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let (number, unit) =
        units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit))).ok_or_else(wrong)?;
    match parse_number(number)? * unit {
        seconds if seconds > 0.0 && seconds <= LONGEST_RUN => {
            Ok(Budget::Time(std::time::Duration::from_secs_f64(seconds)))
        }
        _ => Err(wrong()),
    }
}

pub fn parse_number(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err("it must be a finite number".to_owned()),
        Err(_) => Err(format!("`{}` is not a number", text.trim())),
    }
}

fn parse_module(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("js" | "mjs" | "rs") => Ok(path),
        _ => Err("the name must end in .js, .mjs or .rs, which says what to write".to_owned()),
    }
}

pub fn parse_duration(text: &str) -> Result<f64, String> {
    match parse_number(text)? {
        seconds if seconds > 0.0 && seconds <= LONGEST_RUN => Ok(seconds),
        _ => Err(format!("it must be more than 0 and at most {LONGEST_RUN} seconds")),
    }
}

pub fn parse_moment(text: &str) -> Result<f64, String> {
    match parse_number(text)? {
        seconds if seconds >= 0.0 => Ok(seconds),
        _ => Err("it must be 0 or more seconds".to_owned()),
    }
}

pub fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let sides = text.split_once(['x', 'X', '×']).map(|(width, height)| (width.trim().parse(), height.trim().parse()));
    let Some((Ok(width), Ok(height))) = sides else {
        return Err("write it as WIDTHxHEIGHT, such as 960x540".to_owned());
    };
    let fits = |side: u32| (1..=LARGEST_SIDE).contains(&side);
    if fits(width) && fits(height) {
        Ok((width, height))
    } else {
        Err(format!("both sides must be from 1 to {LARGEST_SIDE}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn settings_are_a_name_and_a_finite_number() {
        assert_eq!(parse_setting("n=8"), Ok(("n".to_owned(), 8.0)));
        assert_eq!(parse_setting(" release speed = -2.5e1"), Ok(("release speed".to_owned(), -25.0)));
        for wrong in ["n", "=3", "n=", "n=three", "n=nan", "n=inf", "n=1e999"] {
            assert!(parse_setting(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn budgets_are_counted_or_timed() {
        let time = |seconds| Ok(Budget::Time(std::time::Duration::from_secs(seconds)));
        assert_eq!(parse_budget("20000"), Ok(Budget::Simulations(20000)));
        assert_eq!(
            (parse_budget("90s"), parse_budget("1.5min"), parse_budget("2 h")),
            (time(90), time(90), time(7200))
        );
        for wrong in ["0", "-5", "s", "ten", "0s", "nans", "1e300h", "3 weeks"] {
            assert!(parse_budget(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_two_sides_in_range() {
        assert_eq!(parse_size("960x540"), Ok((960, 540)));
        assert_eq!(parse_size("1×8192"), Ok((1, 8192)));
        for wrong in ["960", "0x10", "10x0", "8193x1", "-3x5", "ax5", "99999999999x1", "1x2x3"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_in_range() {
        assert_eq!(parse_duration("2.5"), Ok(2.5));
        assert_eq!(parse_moment("0"), Ok(0.0));
        for wrong in ["0", "-1", "nan", "inf", "1e7", "soon"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
        assert!(parse_moment("-0.1").is_err());
    }
}
