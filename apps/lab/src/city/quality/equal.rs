//! Whether culled traffic equals complete traffic: a test of equivalence, by both sides.

use std::collections::BTreeMap;
use std::sync::Arc;

use proscenium_chance::Seed;
use proscenium_city::learn::StudySettings;
use proscenium_city::map::RoadId;
use proscenium_city::sight::VisibleRoads;
use proscenium_city::trips::Carriageway;
use proscenium_city::{City, CityError, Detail, Drive, LearnedTraffic, Map, Recipe, Settings, Study, Wander, import};

use super::super::ground::RATE;
use super::record::{NAMES, Recording};
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::number::show_number;
use crate::results::Row;

/// What may differ and still be the same traffic: a share of what the complete model has.
const SAME: f64 = 0.02;
/// How often what is not the same passes for it, for each statistic: one-sided, so that the
/// interval of both sides has 90 %.
const ALPHA_Z: f64 = 1.645;
/// What is the same is found to be so in 80 of 100 cases.
const POWER_Z: f64 = 1.282;
/// Drives from which the spread is found, and the most that are driven.
const FIRST: u64 = 40;
const MOST: u64 = 1500;
/// Of a drive, seconds.
const SECONDS: f64 = 300.0;
/// Full angle of view, radians, and how far is seen, metres.
const VIEW: (f64, f64) = (1.2, 400.0);
/// Cars for each kilometre of lane.
const CARS_PER_KM: f64 = 4.0;
/// Means of what a viewer records that are compared; the others are spreads, or not about a
/// single drive.
const COMPARED: [&str; 9] = [
    "cars in view",
    "cars per road and minute",
    "mean speed",
    "share that stands",
    "mean gap between bumpers",
    "mean headway",
    "mean queue",
    "cars seen",
    "returns per minute",
];

/// The experiment `city-equal`.
pub(crate) struct CityEqual;

/// What is wrong with a side on purpose.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    HalvedWaits,
    OneApproachTooFull,
}

/// What is compared with the complete model.
const SIDES: [(&str, Detail, Fault); 4] = [
    ("tracked", Detail::Tracked, Fault::None),
    ("pooled", Detail::Pooled, Fault::None),
    ("waits halved", Detail::Tracked, Fault::HalvedWaits),
    ("one approach too full", Detail::Tracked, Fault::OneApproachTooFull),
];

/// A map with what was learned on it.
struct Place {
    name: &'static str,
    map: Arc<Map>,
    learned: LearnedTraffic,
    wander: Wander,
    cars: u32,
}

/// Sums of the differences of drives in pairs.
#[derive(Clone, Copy, Default)]
struct Sums {
    count: f64,
    complete: f64,
    difference: f64,
    squared: f64,
}

impl Sums {
    fn add(&mut self, complete: f64, other: f64) {
        let difference = other - complete;
        self.count += 1.0;
        self.complete += complete;
        self.difference += difference;
        self.squared += difference * difference;
    }

    /// The mean of the complete model, and the relative difference with its error.
    fn relative(&self) -> [f64; 3] {
        let mean = self.complete / self.count.max(1.0);
        let difference = self.difference / self.count.max(1.0);
        let variance = (self.squared / self.count.max(1.0) - difference * difference).max(0.0);
        let error = (variance / (self.count - 1.0).max(1.0)).sqrt();
        let scale = mean.abs().max(1e-9);
        [mean, difference / scale, error / scale]
    }

    /// How many drives are needed to find it the same if it is.
    fn needed(&self) -> f64 {
        let [_, _, error] = self.relative();
        let each = error * self.count.sqrt();
        let z = (ALPHA_Z + POWER_Z) * each / SAME;
        z * z
    }

    fn verdict(&self) -> &'static str {
        let [_, difference, error] = self.relative();
        let (low, high) = (difference - ALPHA_Z * error, difference + ALPHA_Z * error);
        match (low > -SAME && high < SAME, low > SAME || high < -SAME) {
            (true, _) => "equivalent",
            (_, true) => "different",
            _ => "inconclusive",
        }
    }
}

impl Experiment for CityEqual {
    fn name(&self) -> &'static str {
        "city-equal"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, section 6.3, as a test of equivalence"
    }

    fn summary(&self) -> &'static str {
        "whether culled traffic is the complete one within 2 %, on three maps"
    }

    fn columns(&self) -> &'static [&'static str] {
        &["map", "side", "statistic", "complete", "difference", "error", "verdict", "drives", "drives_needed"]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let places = places(context)?;
        let most = if context.quick() { 10 } else { MOST };
        context.plan((places.len() * SIDES.len()) as f64);
        for place in &places {
            for side in SIDES {
                context.doing(&format!("{}: {}", place.name, side.0));
                rows.extend(compare(place, side, most, context)?);
                context.done(1.0);
            }
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        let text = |row: &Row, key: &str| row.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        let mut found: BTreeMap<(String, String), BTreeMap<String, u32>> = BTreeMap::new();
        for row in rows {
            let verdicts = found.entry((text(row, "map"), text(row, "side"))).or_default();
            *verdicts.entry(text(row, "verdict")).or_insert(0) += 1;
        }
        let of = |verdicts: &BTreeMap<String, u32>, name: &str| verdicts.get(name).copied().unwrap_or(0);
        let mut notes: Vec<String> = found
            .iter()
            .map(|((map, side), verdicts)| {
                format!(
                    "{map}, {side}: {} statistics are equivalent, {} different, {} inconclusive.",
                    of(verdicts, "equivalent"),
                    of(verdicts, "different"),
                    of(verdicts, "inconclusive")
                )
            })
            .collect();
        notes.push(format!(
            "A statistic is equivalent if its 90 % interval lies within {} % of the complete model's mean (two one-sided \
             tests of 5 %), different if it lies outside, else inconclusive. Drives are in pairs, along the same way; \
             from the spread of the first {FIRST} follows how many are needed, and {MOST} are driven at most.",
            show_number(100.0 * SAME)
        ));
        Ok(Conclusion { notes, figures: Vec::new() })
    }
}

/// A generated city, Cologne and a part of Luxembourg, each with what was learned on it.
fn places(context: &Context) -> Result<Vec<Place>, Halt> {
    let progress = context.progress();
    let plan = Recipe::with_roads(199).generate_watched(context.seed(), &progress)?.or_stopped()?;
    let mut plans = vec![("generated", plan, Wander::Random)];
    let others: [(&str, &[u8]); 2] = [
        ("cologne8", include_bytes!("../../../../../crates/city/tests/data/cologne8.net.xml")),
        ("luxembourg-part", include_bytes!("../../../../../crates/city/tests/data/luxembourg-part.osm")),
    ];
    for (name, bytes) in others {
        plans.push((name, import::read(bytes)?.plan, Wander::Planned));
    }
    let place = |(name, plan, wander)| {
        context.doing(&format!("learning {name}"));
        let map = Arc::new(Map::build(&plan).map_err(CityError::from)?);
        let settings = StudySettings { densities: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0], ..StudySettings::default() };
        let mut study = Study::new(settings)?;
        while study.run_next(&map, &progress).or_stopped()? {}
        let metres: f64 = map.lanes().map(|lane| map.lane(lane).length).sum();
        let cars = (CARS_PER_KM * metres * 1e-3) as u32;
        Ok(Place { name, learned: study.conclude(), map, wander, cars })
    };
    plans.into_iter().map(place).collect()
}

/// As many pairs of drives as are needed, or as may be.
fn compare(
    place: &Place,
    (side, detail, fault): (&str, Detail, Fault),
    most: u64,
    context: &Context,
) -> Result<Vec<Row>, Halt> {
    let mut sums = [Sums::default(); COMPARED.len()];
    let (mut wanted, mut number) = (FIRST.min(most), 0);
    while number < wanted {
        context.check()?;
        let seed = context.seed().child("pair", number);
        let drive = Drive::record(&place.map, seed.child("drive", 0), SECONDS, RATE)?;
        let complete = run(place, &drive, (Detail::Complete, Fault::None), seed.child("complete", 0), context)?;
        let other = run(place, &drive, (detail, fault), seed.child("other", 0), context)?;
        for (sum, (one, two)) in sums.iter_mut().zip(complete.into_iter().zip(other)) {
            sum.add(one, two);
        }
        number += 1;
        if number == FIRST && fault == Fault::None {
            let needed = sums.iter().map(Sums::needed).fold(0.0, f64::max);
            wanted = (needed.ceil() as u64).clamp(FIRST, most.max(FIRST));
        } else if number == FIRST {
            wanted = (4 * FIRST).min(most);
        }
    }
    let row = |(sum, statistic): (&Sums, &&str)| {
        let [mean, difference, error] = sum.relative();
        Row::new()
            .with("map", place.name)
            .with("side", side)
            .with("statistic", *statistic)
            .with("complete", mean)
            .with("difference", difference)
            .with("error", error)
            .with("verdict", sum.verdict())
            .with("drives", number as f64)
            .with("drives_needed", sum.needed().ceil())
    };
    Ok(sums.iter().zip(&COMPARED).map(row).collect())
}

/// What a viewer records on one drive.
fn run(
    place: &Place,
    drive: &Drive,
    (detail, fault): (Detail, Fault),
    seed: Seed,
    context: &Context,
) -> Result<Vec<f64>, Halt> {
    let waits = if fault == Fault::HalvedWaits { 0.5 } else { 1.0 };
    let settings = Settings { detail, wander: place.wander, ..Settings::default() };
    let mut city = City::new(Arc::clone(&place.map))
        .with_cars(place.cars)
        .seed(seed.0)
        .with_learned(place.learned.clone().with_waits(waits))
        .with_settings(settings);
    let mut visible = VisibleRoads::new(&place.map);
    let mut recording = Recording::new(&place.map);
    let mut view: Vec<RoadId> = Vec::new();
    for (frame, viewer) in drive.frames().iter().enumerate() {
        if frame % 256 == 0 {
            context.check()?;
        }
        visible.look(&place.map, &[viewer.eye(VIEW.0, VIEW.1)?]);
        view.clear();
        view.extend_from_slice(visible.roads());
        view.sort_unstable();
        city.look_at(&view)?;
        if fault == Fault::OneApproachTooFull && frame % 60 == 30 {
            crowd(&mut city, &place.map, &view)?;
        }
        let now = frame as f64 / RATE;
        recording.see(now, &view, city.advance(now)?);
    }
    let all = recording.statistics(&BTreeMap::new());
    let of = |name: &&str| NAMES.iter().position(|known| known == name).map_or(0.0, |at| all[at]);
    Ok(COMPARED.iter().map(of).collect())
}

/// One car more on a road that leads into what is seen, and is not seen itself.
fn crowd(city: &mut City, map: &Map, view: &[RoadId]) -> Result<(), Halt> {
    let beside = view.iter().flat_map(|road| {
        let ends = [map.road(*road).from, map.road(*road).to];
        ends.into_iter().flat_map(|end| map.roads_at(end).iter().map(move |other| (*other, end)))
    });
    let hidden = beside.into_iter().find(|(road, _)| view.binary_search(road).is_err());
    if let Some((road, end)) = hidden {
        // Where there is no room nobody comes.
        let _ = city.add_car(Carriageway { road, against: map.road(road).from == end });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_same_is_found_so_and_what_differs_is_not() {
        let verdict = |shift: f64, spread: f64| {
            let mut stream = Seed(3).stream("pairs");
            let mut sums = Sums::default();
            for _ in 0..400 {
                sums.add(100.0, 100.0 + shift + spread * stream.normal());
            }
            (sums.verdict(), sums.needed())
        };
        assert_eq!(verdict(0.0, 10.0).0, "equivalent");
        assert_eq!(verdict(4.0, 10.0).0, "different");
        assert_eq!(verdict(0.0, 60.0).0, "inconclusive");
        // (1.645 + 1.282)² (0.1 / 0.02)² = 214.
        assert!((verdict(0.0, 10.0).1 - 214.0).abs() < 40.0);
    }
}
