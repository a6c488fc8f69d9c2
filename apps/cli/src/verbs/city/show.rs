//! `proscenium city show`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use glam::DVec2;
use proscenium_city::Map;
use proscenium_city::map::RoadId;
use proscenium_show::city::{MapPicture, streets_watched};
use proscenium_work::Completion;
use serde::Serialize;

use super::{Numbers, nothing_written, read};
use crate::VerbEnding;
use crate::arguments::parse_size;
use crate::console::Console;
use crate::failure::Failure;
use crate::output::{self, Kind, Output};
use crate::progress::{Bar, Interrupt};

/// More roads than this make a file that no viewer opens.
const MOST_ROADS: usize = 20_000;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium city show malta.city                        what it is made of
  proscenium city show malta.city -o map.png             a map
  proscenium city show big.city --at 4000,2500 --around 300 -o streets.glb")]
pub struct Show {
    /// A city that was made or imported
    #[arg(value_name = "CITY", value_hint = ValueHint::FilePath)]
    city: PathBuf,
    /// Where to write: .png for a map, .glb for the streets; may be repeated
    #[arg(short, long = "output", value_name = "OUT", value_parser = parse_output)]
    #[arg(value_hint = ValueHint::FilePath)]
    outputs: Vec<Output>,
    /// The middle of what is shown, metres east and south [default: the city's]
    #[arg(long, value_name = "X,Z", value_parser = parse_place, allow_hyphen_values = true)]
    at: Option<DVec2>,
    /// How far to show, metres [default: all, or 300 with --at]
    #[arg(long, value_name = "METRES")]
    around: Option<f64>,
    /// Pixels of a .png
    #[arg(long, value_name = "WxH", value_parser = parse_size, default_value = "1200x900")]
    size: (u32, u32),
}

#[derive(Serialize)]
struct Report {
    city: Numbers,
    written: Vec<String>,
}

pub fn run(options: &Show, console: Console) -> Result<VerbEnding, Failure> {
    output::check(&options.outputs)?;
    let interrupt = Interrupt::watch()?;
    let bar = Bar::new(console, "showing", &interrupt);
    let Completion::Finished(map) = read(&options.city, bar.progress())? else {
        return nothing_written(console);
    };
    let [low, high] = map.bounds();
    let middle = options.at.unwrap_or(low.midpoint(high));
    let around = options.around.or(options.at.map(|_| 300.0));
    let mut written = Vec::new();
    for output in &options.outputs {
        let content = match output.kind {
            Kind::Png => {
                let picture = MapPicture::new(&map, options.size.0, options.size.1);
                let picture = match around {
                    Some(around) => picture.around(middle, around),
                    None => picture,
                };
                picture.draw_watched(bar.progress())?.map(|picture| picture.to_png()).finished().transpose()?
            }
            _ => {
                let streets = streets_watched(&map, &roads(&map, middle, around)?, middle, bar.progress())?;
                streets.map(|streets| streets.to_glb()).finished().transpose()?
            }
        };
        let Some(content) = content else { break };
        output::write(&output.path, &content)?;
        written.push(output.path.display().to_string());
    }
    drop(bar);
    let report = Report { city: Numbers::of(&map), written };
    let text = || {
        let files =
            if report.written.is_empty() { String::new() } else { format!("  wrote {}\n", report.written.join(", ")) };
        format!("{}{files}", report.city.text())
    };
    console.report(text, &report)?;
    Ok(if interrupt.is_pressed() { VerbEnding::Interrupted } else { VerbEnding::Complete })
}

/// The roads that are shown.
fn roads(map: &Map, middle: DVec2, around: Option<f64>) -> Result<Vec<RoadId>, Failure> {
    let roads: Vec<RoadId> = match around {
        Some(around) => {
            let span = DVec2::splat(around);
            let near = map.roads_in(middle - span, middle + span).into_iter();
            near.filter(|road| map.distance_to(*road, middle) <= around).collect()
        }
        None => map.roads().collect(),
    };
    if roads.len() > MOST_ROADS {
        return Err(Failure::TooManyRoads { roads: roads.len(), most: MOST_ROADS });
    }
    Ok(roads)
}

pub fn parse_output(text: &str) -> Result<Output, String> {
    match Output::parse(text) {
        Ok(output) if matches!(output.kind, Kind::Png | Kind::Glb) => Ok(output),
        _ => Err("the name must end in .png for a map, or in .glb for the streets".to_owned()),
    }
}

fn parse_place(text: &str) -> Result<DVec2, String> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let numbers = text.split_once(',').and_then(|(x, z)| Some(DVec2::new(number(x)?, number(z)?)));
    numbers.ok_or_else(|| "write metres east and south, such as 1200,-350".to_owned())
}
