//! `proscenium city drive`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum, ValueHint};
use glam::DVec2;
use proscenium_chance::Seed;
use proscenium_city::{
    City, Detail, Drive as RecordedDrive, DriverErrors, DriverSpread, LearnedTraffic, Recruit, Settings, Wish,
    WishError, WishReport, WishState,
};
use proscenium_picture::{Ground, Look, PictureError, animate_along};
use proscenium_show::city::{Film, MapPicture};
use proscenium_work::{Completion, Progress, Remedy};
use serde::Serialize;

use super::nothing_written;
use crate::VerbEnding;
use crate::arguments::{parse_duration, parse_size};
use crate::console::Console;
use crate::failure::Failure;
use crate::output::{self, Kind, Output};
use crate::progress::{Bar, Interrupt};
use crate::text::{count, seconds};

/// Frames per second.
const RATE: f64 = 10.0;
/// Pixels of a map, and of a moving picture.
const PNG_SIZE: (u32, u32) = (1200, 900);
const GIF_SIZE: (u32, u32) = (480, 270);
/// Full angle of a moving picture from top to bottom, radians.
const FOV_Y: f64 = 0.75;
/// Full angle of view, radians, and how far is seen, metres.
const VIEW: (f64, f64) = (1.2, 400.0);

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  proscenium city drive malta.city --cars 150 -o drive.png       the map as the drive ends
  proscenium city drive malta.city --cars 1000000 -o drive.glb   streets and cars for Blender, three.js …
  proscenium city drive malta.city --seconds 20 -o drive.gif     the same from the driver's seat
  proscenium city drive malta.city --want \"a bus comes round the next corner\"
  proscenium city drive cologne.city --errors 0.001 --want \"a car runs the red light ahead within 90 s\"

In the picture roads in view are red, others green where cars may be and blue where hardly any
are; yellow dots are the cars in view.")]
pub struct Drive {
    /// A city that was made or imported
    #[arg(value_name = "CITY", value_hint = ValueHint::FilePath)]
    city: PathBuf,
    /// How many cars [default: three for every four roads]
    #[arg(long, value_name = "N")]
    cars: Option<u32>,
    /// How long to drive, seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_duration, default_value = "60")]
    seconds: f64,
    /// How cars that nobody sees are treated
    #[arg(long, value_enum, default_value_t = Hidden::Pooled)]
    hidden: Hidden,
    /// What shall be seen, in words: "three cars in a row arrive from the left"; may be repeated
    #[arg(long = "want", value_name = "WISH", value_parser = parse_wish)]
    wants: Vec<Wish>,
    /// When it is wished for, seconds from the beginning
    #[arg(long, value_name = "SECONDS", default_value = "5")]
    want_at: f64,
    /// How often drivers err (brake late, pass a light that has just turned red, take a gap that is
    /// too short): a share of the junctions that they come to, for each [default: never]
    #[arg(long, value_name = "SHARE", default_value = "0")]
    errors: f64,
    /// By how much drivers differ: the slowest by this share slower than the limit, the most careful
    /// 5 times as many seconds farther behind, the most patient by twice this share [default: all alike]
    #[arg(long, value_name = "SHARE", default_value = "0")]
    drivers: f64,
    /// Where to write: .png for a map, .glb for streets and cars, .gif for what the driver sees; may
    /// be repeated
    #[arg(short, long = "output", value_name = "OUT", value_parser = parse_output)]
    #[arg(value_hint = ValueHint::FilePath)]
    outputs: Vec<Output>,
    /// Pixels of a .png or .gif [default: 1200x900 and 480x270]
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(u32, u32)>,
    /// How far around the viewer a .png shows, metres [default: the whole city]
    #[arg(long, value_name = "METRES")]
    around: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Hidden {
    /// Simulated like all others
    Complete,
    /// Known one by one
    Tracked,
    /// Forgotten after a while
    Pooled,
}

#[derive(Serialize)]
struct Report {
    cars: u32,
    frames: usize,
    in_view: f64,
    simulated: f64,
    frame_us: f64,
    active: u64,
    tracked: u64,
    pooled: u64,
    gridlocks: usize,
    wishes: Vec<WishReport>,
    written: Vec<String>,
}

pub fn run(options: &Drive, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    output::check(&options.outputs)?;
    let detail = match options.hidden {
        Hidden::Complete => Detail::Complete,
        Hidden::Tracked => Detail::Tracked,
        Hidden::Pooled => Detail::Pooled,
    };
    let interrupt = Interrupt::watch()?;
    let bar = Bar::new(console, "driving", &interrupt);
    let Completion::Finished(city) = load(&options.city, &bar.progress().part(0.0, 0.1))? else {
        return nothing_written(console);
    };
    let cars = options.cars.unwrap_or((city.map().road_count() * 3 / 4).max(1) as u32);
    let mut city = city.with_cars(cars).seed(seed).with_settings(Settings {
        detail,
        errors: DriverErrors::all(options.errors),
        drivers: DriverSpread::all(options.drivers),
        ..Settings::default()
    });
    let way = &bar.progress().part(0.1, 0.2);
    let Completion::Finished(drive) =
        RecordedDrive::record_watched(city.map(), Seed(seed), options.seconds, RATE, way)?
    else {
        return nothing_written(console);
    };
    if city.start_watched(&bar.progress().part(0.2, 0.3)).map_err(Failure::City)? == Completion::Stopped {
        return nothing_written(console);
    }
    say_what_is_unknown(&mut city, &options.city, console)?;
    let mut film = options.outputs.iter().any(|output| output.kind != Kind::Png).then(Film::default);
    let look = look(options);
    let (mut in_view, mut frames, mut spent) = (0, 0, 0.0);
    let (mut viewer, mut is_wished) = (None, false);
    let driving = bar.progress().part(0.3, 1.0);
    let driven = driving.counter("frames", drive.frames().len());
    for frame in drive.frames() {
        if driven.count().is_err() {
            break;
        }
        let eye = frame.eye(VIEW.0, VIEW.1)?;
        let now = frames as f64 / RATE;
        let start = Instant::now();
        if !is_wished && now >= options.want_at {
            is_wished = true;
            for wish in &options.wants {
                city.want(*wish).map_err(Failure::City)?;
            }
        }
        city.look(&[eye]);
        in_view += city.advance(now).map_err(Failure::City)?.len();
        spent += start.elapsed().as_secs_f64();
        if let Some(film) = &mut film {
            film.expose(now, &city);
            film.follow(now, frame.camera(FOV_Y, look.aspect()).map_err(PictureError::Camera)?);
        }
        viewer = Some(eye);
        frames += 1;
    }
    drop(bar);
    // What was driven is written, whether or not all of it was.
    let mut written = Vec::new();
    for output in &options.outputs {
        let content = match (&film, output.kind) {
            (Some(film), Kind::Glb) => film.develop(&city)?.to_glb()?,
            (Some(film), Kind::Gif) => moving_picture(film, &city, &look, console, &interrupt)?,
            _ => picture(options, &city, viewer.as_slice())?,
        };
        output::write(&output.path, &content)?;
        written.push(output.path.display().to_string());
    }
    let [active, tracked, pooled] = city.counts();
    let each = |sum: f64| sum / frames.max(1) as f64;
    let report = Report {
        cars,
        frames,
        in_view: each(in_view as f64),
        simulated: each(city.work().car_steps as f64),
        frame_us: each(spent * 1e6),
        active,
        tracked,
        pooled,
        gridlocks: city.gridlocks().len(),
        wishes: city.wishes().cloned().collect(),
        written,
    };
    console.report(|| report.text(), &report)?;
    Ok(if interrupt.is_pressed() { VerbEnding::Interrupted } else { VerbEnding::Complete })
}

/// Says what of the city nobody has learned.
fn say_what_is_unknown(city: &mut City, path: &Path, console: Console) -> Result<(), Failure> {
    let path = path.display();
    if city.learned().is_of(city.map()) == Some(false) {
        console.remark(&format!("what was learned is of another map: proscenium city learn {path}"));
    }
    for (approach, lanes) in city.unlearned().map_err(Failure::City)? {
        let lanes = count(lanes as u64);
        console.remark(&format!("nothing was learned of {approach} ({lanes} lanes): proscenium city learn {path}"));
    }
    Ok(())
}

/// How a moving picture is drawn: in the size that is asked for, from a car that has no floor below.
fn look(options: &Drive) -> Look {
    let (width, height) = options.size.unwrap_or(GIF_SIZE);
    Look { light_samples: 1, edge_samples: 4, ground: Ground::None, ..Look::sized(width, height) }
}

/// What the driver sees.
fn moving_picture(
    film: &Film,
    city: &City,
    look: &Look,
    console: Console,
    interrupt: &Interrupt,
) -> Result<Vec<u8>, Failure> {
    let clip = film.develop(city)?;
    let way = film.way(city).map_err(PictureError::Camera)?;
    let bar = Bar::new(console, "drawing", &interrupt.for_what_follows());
    let mut bytes = Vec::new();
    animate_along(&clip, &way, look, RATE, &mut bytes, bar.progress())?;
    Ok(bytes)
}

fn parse_output(text: &str) -> Result<Output, String> {
    match Output::parse(text) {
        Ok(output) if matches!(output.kind, Kind::Png | Kind::Glb | Kind::Gif) => Ok(output),
        _ => Err("the name must end in .png for a map, .glb for the streets, or .gif for what the driver sees".into()),
    }
}

fn parse_wish(words: &str) -> Result<Wish, String> {
    words.parse().map_err(|error: WishError| match error.remedy() {
        Some(remedy) => format!("{error}: {remedy}"),
        None => error.to_string(),
    })
}

/// What became of a wish, in a line or two.
fn told(report: &WishReport) -> String {
    let chance = report.chance_in_words();
    let who = |recruit: &Recruit| {
        let Recruit { car, from, metres, at, .. } = recruit;
        format!("car {} from road {}, {metres:.0} m away, for {at:.0} s", car.0, from.0)
    };
    let who: Vec<String> = report.recruits.iter().map(who).collect();
    let who = if who.is_empty() { String::new() } else { format!("; recruited: {}", who.join(", ")) };
    let what = match (&report.state, &report.why) {
        (WishState::Seen { at, car: Some(car) }, _) => format!("seen at {at:.1} s: car {}", car.0),
        (WishState::Seen { at, car: None }, _) => format!("seen at {at:.1} s"),
        (WishState::Planned, _) => "on its way as the drive ended".into(),
        (WishState::Missed, Some(why)) => format!("not seen: {why}"),
        (WishState::Missed, None) => "not seen".into(),
        (WishState::Open, why) => format!("open: {}", why.as_deref().unwrap_or("not planned yet")),
    };
    format!("  {}: {what} (chance without the wish: {chance}{who})\n", report.wish)
}

/// A city, with what was learned of it if that is beside it.
fn load(path: &Path, progress: &Progress) -> Result<Completion<City>, Failure> {
    let city = super::read(path, progress)?.map(City::new);
    let beside = path.with_extension("learned");
    match std::fs::read(&beside) {
        Ok(bytes) => {
            let learned = LearnedTraffic::from_bytes(&bytes).map_err(Failure::City)?;
            Ok(city.map(|city| city.with_learned(learned)))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(city),
        Err(source) => Err(Failure::Read { path: beside, source }),
    }
}

/// The map after figures 6.2 and B.1.
fn picture(options: &Drive, city: &City, viewers: &[proscenium_city::Eye]) -> Result<Vec<u8>, Failure> {
    let bounds = city.densities();
    let place = |car: &proscenium_city::VisibleCar| {
        let at = car.world_from_body.translation;
        DVec2::new(at.x, at.z)
    };
    let (width, height) = options.size.unwrap_or(PNG_SIZE);
    let mut picture = MapPicture::new(city.map(), width, height)
        .with_bounds(&bounds)
        .with_cars(city.visible().iter().map(place).collect())
        .with_viewers(viewers);
    if let Some(sight) = city.sight() {
        picture = picture.with_visible(sight);
    }
    if let (Some(around), Some(viewer)) = (options.around, viewers.first()) {
        picture = picture.around(viewer.position(), around);
    }
    Ok(picture.draw()?.to_png()?)
}

impl Report {
    fn text(&self) -> String {
        let files =
            if self.written.is_empty() { String::new() } else { format!("  wrote {}\n", self.written.join(", ")) };
        let jam = if self.gridlocks > 0 { format!("  {} gridlocks\n", self.gridlocks) } else { String::new() };
        let wishes: String = self.wishes.iter().map(told).collect();
        format!(
            "  {} cars, {:.1} in view and {:.1} simulated on average over {} frames\n  a frame takes {}; at the end {} \
             drive near the view, {} are tracked, {} are in pools\n{jam}{wishes}{files}",
            count(u64::from(self.cars)),
            self.in_view,
            self.simulated,
            count(self.frames as u64),
            seconds(self.frame_us * 1e-6),
            count(self.active),
            count(self.tracked),
            count(self.pooled),
        )
    }
}
