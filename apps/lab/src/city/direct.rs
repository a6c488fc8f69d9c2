//! Wishes in a culled city: do they come true, what do they cost, and does anything else
//! change?

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec2;
use proscenium_chance::Seed;
use proscenium_city::map::{Control, RoadId};
use proscenium_city::{CarId, City, CityError, Drive, DriverErrors, Map, Recipe, Settings, VisibleCar, Wish, import};

use super::judge::Judge;
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::number::show_number;
use crate::results::Row;
use crate::timing::Timer;

/// Frames per second.
const RATE: f64 = 10.0;
/// What the viewer sees: a full angle, radians, and a distance, metres.
const VIEW: (f64, f64) = (1.2, 400.0);
/// When it is wished, and until when it is watched, seconds.
const WISHED: f64 = 60.0;
const WATCHED: f64 = 120.0;
/// A place that is on the viewer's way at least so long after the wish is in reach, seconds:
/// somebody must come there.
const SOON: f64 = 10.0;
/// One driver in so many errs at a junction, for each error.
const ERRORS: f64 = 0.001;
/// Cars for each kilometre of lane.
const CARS_PER_KM: f64 = 4.0;
/// What may differ and still be the same traffic.
const SAME: f64 = 0.02;

/// The wishes, with CAR for one that has been seen.
const WISHES: [&str; 7] = [
    "a car runs the red light ahead within 60 s",
    "a bus comes round the next corner",
    "three cars in a row arrive from the left",
    "car CAR comes back within a minute",
    "the street ahead is empty for ten seconds",
    "a car cuts in with 5 m to spare",
    "an accident is avoided at the next junction",
];

/// The experiment `city-direct`.
pub(crate) struct CityDirect;

/// What the tries of a wish came to.
#[derive(Default)]
struct Tries {
    reachable: u32,
    succeeded: u32,
    by_itself: u32,
    outside: u32,
    chances: Vec<f64>,
    plans_us: Vec<f64>,
    /// Of each try: others in view with the wish, less those without.
    differences: Vec<f64>,
    without: f64,
}

/// What one drive showed.
struct DriveOutcome {
    is_seen: bool,
    is_reachable: bool,
    chance: f64,
    others: f64,
}

impl Experiment for CityDirect {
    fn name(&self) -> &'static str {
        "city-direct"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, section 7.1 (future work, without figures)"
    }

    fn summary(&self) -> &'static str {
        "whether wishes come true in a culled city, and what they cost"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "map",
            "wish",
            "tries",
            "reachable",
            "succeeded",
            "by_itself",
            "prior_chance",
            "plan_us_median",
            "plan_us_p999",
            "rest_difference",
            "rest_equivalent",
            "history_p_value",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let maps = maps(context)?;
        let tries = if context.quick() { 8 } else { 200 };
        context.plan((maps.len() * WISHES.len()) as f64);
        for (name, map) in &maps {
            for words in WISHES {
                context.doing(&format!("{name}: {words}"));
                let mut all = Tries::default();
                for number in 0..tries {
                    context.check()?;
                    try_once(map, words, context.seed().child("try", number), &mut all)?;
                }
                rows.push(all.row(name, words, tries));
                context.done(1.0);
            }
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        let sum = |key: &str| rows.iter().filter_map(|row| row.number(key)).sum::<f64>();
        let mut notes = Vec::new();
        if !rows.is_empty() {
            notes.push(format!(
                "Of {} tries in which the place was in reach {} succeeded, and {} without the wish. What is in reach and \
                 what has happened is judged from the map, the drive and the cars in view, not by the planner.",
                show_number(sum("reachable")),
                show_number(sum("succeeded")),
                show_number(sum("by_itself"))
            ));
            notes.push(
                "The rest is the number of cars in view that were not recruited, with the wish less without: equivalent \
                 within 2 %, different, or inconclusive by its 95 % interval. The recruits' histories are not compared \
                 yet."
                    .to_owned(),
            );
        }
        Ok(Conclusion { notes, figures: Vec::new() })
    }
}

impl Tries {
    fn row(mut self, map: &str, wish: &str, tries: u64) -> Row {
        self.plans_us.sort_by(f64::total_cmp);
        self.chances.sort_by(f64::total_cmp);
        let at = |sorted: &[f64], level: f64| {
            sorted.get(((level * sorted.len() as f64) as usize).min(sorted.len().saturating_sub(1))).copied()
        };
        let count = self.differences.len().max(1) as f64;
        let mean = self.differences.iter().sum::<f64>() / count;
        let square = self.differences.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
        let error = (square / (count - 1.0).max(1.0) / count).sqrt();
        let without = (self.without / count).max(1e-9);
        let (low, high) = ((mean - 1.96 * error) / without, (mean + 1.96 * error) / without);
        let verdict = match (low, high) {
            (low, high) if low > -SAME && high < SAME => "equivalent",
            (low, high) if low > SAME || high < -SAME => "different",
            _ => "inconclusive",
        };
        let mut row = Row::new()
            .with("map", map)
            .with("wish", wish)
            .with("tries", tries)
            .with("reachable", self.reachable)
            .with("succeeded", self.succeeded)
            .with("by_itself", self.by_itself)
            .with("out_of_reach_but_seen", self.outside)
            .with("rest_difference", mean / without)
            .with("rest_equivalent", verdict);
        for (key, value) in [
            ("prior_chance", at(&self.chances, 0.5)),
            ("plan_us_median", at(&self.plans_us, 0.5)),
            ("plan_us_p999", at(&self.plans_us, 0.999)),
        ] {
            if let Some(value) = value.filter(|value| value.is_finite()) {
                row = row.with(key, value);
            }
        }
        row
    }
}

/// A generated city, Cologne and a part of Luxembourg; the first two in a quick run.
fn maps(context: &Context) -> Result<Vec<(&'static str, Arc<Map>)>, Halt> {
    let progress = context.progress();
    let plan = Recipe::with_roads(400).generate_watched(context.seed(), &progress)?.or_stopped()?;
    let mut maps = vec![("generated", Arc::new(Map::build(&plan).map_err(CityError::from)?))];
    let others: [(&str, &[u8]); 2] = [
        ("cologne8", include_bytes!("../../../../crates/city/tests/data/cologne8.net.xml")),
        ("luxembourg-part", include_bytes!("../../../../crates/city/tests/data/luxembourg-part.osm")),
    ];
    for (name, bytes) in &others[..if context.quick() { 1 } else { 2 }] {
        let imported = import::read(bytes)?;
        maps.push((name, Arc::new(Map::build(&imported.plan).map_err(CityError::from)?)));
    }
    Ok(maps)
}

/// The same drive with the wish and without.
fn try_once(map: &Arc<Map>, words: &str, seed: Seed, all: &mut Tries) -> Result<(), Halt> {
    let drive = Drive::record(map, seed.child("drive", 0), WATCHED, RATE)?;
    let mut with = run(map, &drive, seed, words, Some(&mut all.plans_us))?;
    let without = run(map, &drive, seed, words, None)?;
    let Some(shown) = with.take() else {
        return Ok(());
    };
    all.reachable += u32::from(shown.is_reachable);
    all.succeeded += u32::from(shown.is_reachable && shown.is_seen);
    all.outside += u32::from(!shown.is_reachable && shown.is_seen);
    all.chances.push(shown.chance);
    if let Some(without) = without {
        all.by_itself += u32::from(shown.is_reachable && without.is_seen);
        all.differences.push(shown.others - without.others);
        all.without += without.others;
    }
    Ok(())
}

/// One drive; nothing if there is no car to wish for.
fn run(
    map: &Arc<Map>,
    drive: &Drive,
    seed: Seed,
    words: &str,
    mut plans_us: Option<&mut Vec<f64>>,
) -> Result<Option<DriveOutcome>, Halt> {
    let metres: f64 = map.lanes().map(|lane| map.lane(lane).length).sum();
    let settings = Settings { errors: DriverErrors::all(ERRORS), ..Settings::default() };
    let cars = (CARS_PER_KM * metres * 1e-3) as u32;
    let mut city = City::new(Arc::clone(map)).with_cars(cars).seed(seed.0).with_settings(settings);
    let is_wished = plans_us.is_some();
    let mut gone: BTreeMap<CarId, f64> = BTreeMap::new();
    let mut wish: Option<Wish> = None;
    let mut judge = Judge::new(map);
    let (mut id, mut reach, mut frames, mut others) = (None, 0.0, 0.0, 0.0);
    for (frame, viewer) in drive.frames().iter().enumerate() {
        let now = frame as f64 / RATE;
        city.look(&[viewer.eye(VIEW.0, VIEW.1)?]);
        if now >= WISHED && wish.is_none() {
            // A car that left the view a while ago, and not long.
            let away = gone.iter().filter(|(_, last)| (3.0..40.0).contains(&(now - **last)));
            let car = away.min_by(|a, b| b.1.total_cmp(a.1)).map(|(car, _)| *car);
            let Some(made) = made(words, car)? else {
                return Ok(None);
            };
            wish = Some(made);
            if is_wished {
                id = Some(city.want(made)?);
            }
        }
        // Sooner than it plans by itself, so that all planning is here.
        if let Some(plans_us) = plans_us.as_mut().filter(|_| wish.is_some() && frame % 4 == 0) {
            let timer = Timer::start();
            city.plan_wishes();
            plans_us.push(1e6 * timer.elapsed().as_secs_f64());
        }
        let visible = city.advance(now)?.to_vec();
        for car in &visible {
            gone.insert(car.id, now);
        }
        if let Some(wish) = &wish {
            judge.see(wish, (viewer.position, viewer.direction), now, &visible);
            let road = map.nearest_road(viewer.position, 15.0).map(|near| near.road);
            if now > WISHED + SOON && road.is_some_and(|road| is_place(map, wish, road, viewer.direction, now)) {
                reach += 1.0 / RATE;
            }
            frames += 1.0;
            others += others_in(&city, &visible);
        }
    }
    let report = city.wishes().find(|report| Some(report.id) == id);
    Ok(wish.map(|_| DriveOutcome {
        is_seen: judge.is_seen(),
        is_reachable: reach >= 2.0,
        chance: report.map_or(f64::NAN, |report| report.chance),
        others: others / f64::max(frames, 1.0),
    }))
}

/// The wish in words, with the car that was chosen.
fn made(words: &str, car: Option<CarId>) -> Result<Option<Wish>, Halt> {
    let words = match (words.contains("CAR"), car) {
        (true, Some(car)) => words.replace("CAR", &car.0.to_string()),
        (true, None) => return Ok(None),
        (false, _) => words.to_owned(),
    };
    Ok(Some(words.parse::<Wish>().map_err(CityError::from)?))
}

/// Cars in view that were not recruited.
fn others_in(city: &City, visible: &[VisibleCar]) -> f64 {
    let recruits: Vec<CarId> =
        city.wishes().flat_map(|report| report.recruits.iter().map(|recruit| recruit.car)).collect();
    visible.iter().filter(|car| !recruits.contains(&car.id)).count() as f64
}

/// Whether what is wished for can happen at the junction that the viewer on a road comes
/// to.
fn is_place(map: &Map, wish: &Wish, road: RoadId, direction: DVec2, now: f64) -> bool {
    let ends = [map.road(road).from, map.road(road).to];
    let ahead = ends.into_iter().max_by(|a, b| {
        let along = |junction| -map.away(road, junction).dot(direction);
        along(*a).total_cmp(&along(*b))
    });
    let Some(junction) = ahead else {
        return false;
    };
    let control = map.junction(junction).control;
    let is_corner = map.roads_at(junction).len() > 2;
    match wish {
        Wish::RunsRed { .. } => {
            control == Control::Signals && map.next_change(junction, now).is_some_and(|change| change - now < 2.0)
        }
        Wish::CutsIn { .. } => {
            let some_go_first = matches!(control, Control::Priority | Control::Signals);
            some_go_first
                && map
                    .paths_through(junction)
                    .any(|path| map.conflicts_of(path).any(|other| map.gives_way(path, other)))
        }
        Wish::InARow { .. } => map.roads_at(junction).iter().any(|other| {
            let away = map.away(*other, junction);
            *other != road && direction.y * away.x - direction.x * away.y > 0.7
        }),
        Wish::AccidentAvoided { .. } => is_corner && matches!(control, Control::AllWayStop | Control::Signals),
        Wish::ComesRound { .. } => is_corner,
        Wish::ComesBack { .. } | Wish::Empty { .. } => true,
    }
}
