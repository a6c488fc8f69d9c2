//! Can what a viewer records be told from the complete model?

mod equal;
mod judge;
mod record;

use proscenium_city::{Detail, Recipe};
use proscenium_picture::plot::{Plot, Scale};

use super::ground::{Ground, RATE};
use super::sumo::Sumo;
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment, Figure};
use crate::number::show_number;
use crate::results::Row;
use crate::trees;
pub(crate) use equal::CityEqual;
use judge::{Family, Verdict};
use record::{NAMES, Recording};

/// Cars in the city.
const CARS: u32 = 150;

/// How long SUMO simulates, seconds.
const SUMO_SECONDS: f64 = 300.0;

/// What is compared with the complete model: name, detail.
const SIDES: [(&str, Detail); 3] =
    [("tracked", Detail::Tracked), ("pooled", Detail::Pooled), ("spawned", Detail::SpawnedBaseline)];

/// What can be compared of SUMO's two modes.
const ENTERED: &str = "roads entered in SUMO";

/// The other baseline, where it is installed: SUMO's mesoscopic mode, judged as
/// ours is, by what its microscopic mode differs from itself.
fn mesoscopic(ground: &Ground, seeds: u32, context: &Context) -> Result<Option<Row>, Halt> {
    context.doing("SUMO");
    let run = |first: u32, count: u32, is_mesoscopic: bool| -> Result<Option<Vec<Vec<f64>>>, Halt> {
        let entered = |index: u32| {
            let seed = context.seed().child("sumo", u64::from(index));
            let sumo = Sumo::find(context, &ground.map, CARS, seed)?;
            sumo.map(|sumo| Ok(vec![sumo.simulate(SUMO_SECONDS, 1.0 / RATE, is_mesoscopic, context)?.entered]))
                .transpose()
        };
        (first..first + count).map(entered).collect()
    };
    let seeds = seeds / 2;
    let (Some(micro), Some(meso)) = (run(0, 2 * seeds, false)?, run(1000, seeds, true)?) else {
        return Ok(None);
    };
    let family = Family::new(micro, context.seed());
    let judged = family.judge(&meso);
    let row = Row::new()
        .with("statistic", ENTERED)
        .with("complete", family.means[0])
        .with("deviation", family.deviations[0])
        .with("meso", judged.means[0])
        .with("z_meso", judged.distances[0])
        .with("band", family.band);
    Ok(Some(row))
}

/// The experiment `city-quality`.
pub(crate) struct CityQuality;

impl Experiment for CityQuality {
    fn name(&self) -> &'static str {
        "city-quality"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, section 6.3 (\u{201c}empirical observations suggest\u{201d}; the paper has no figures for it)"
    }

    fn summary(&self) -> &'static str {
        "whether what a viewer records of the culled city can be told from the complete one"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "statistic",
            "complete",
            "deviation",
            "tracked",
            "pooled",
            "spawned",
            "z_tracked",
            "z_pooled",
            "z_spawned",
            "band",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let (seeds, seconds) = if context.quick() { (8, 300.0) } else { (24, 900.0) };
        let ground = Ground::new(&Recipe::with_roads(199), context.seed(), seconds, context)?;
        context.plan(6.0 * f64::from(seeds));
        let run = |detail: Detail, first: u32| -> Result<Vec<Recording>, Halt> {
            (first..first + seeds)
                .map(|seed| {
                    let mut city = ground.city(detail, CARS, context.seed().child("city", u64::from(seed)).0);
                    let mut recording = Recording::new(&ground.map);
                    ground.drive(&mut city, context, |now, view, cars| recording.see(now, view, cars))?;
                    context.done(1.0);
                    Ok(recording)
                })
                .collect()
        };
        context.doing("complete");
        // Twice as many of the complete model: one half is the yardstick for the other.
        let mut complete = run(Detail::Complete, 0)?;
        let others = run(Detail::Complete, seeds)?;
        // What flows are compared with is from runs that are not judged.
        let flows = Recording::mean_flows(&run(Detail::Complete, 2 * seeds)?);
        let table = |recordings: &[Recording]| -> Vec<Vec<f64>> {
            recordings.iter().map(|recording| recording.statistics(&flows)).collect()
        };
        let windows =
            |recordings: &[Recording]| -> Vec<Vec<f64>> { recordings.iter().flat_map(Recording::windows).collect() };
        let itself = trees::score(&windows(&complete), &windows(&others));
        complete.extend(others);
        let family = Family::new(table(&complete), context.seed());
        let first_half = windows(&complete[..seeds as usize]);
        let mut judged: Vec<(&str, Verdict, f64)> = Vec::new();
        for (name, detail) in SIDES {
            context.doing(name);
            let recordings = run(detail, 1000)?;
            judged.push((name, family.judge(&table(&recordings)), trees::score(&first_half, &windows(&recordings))));
        }
        for (index, name) in NAMES.iter().enumerate() {
            let mut row = Row::new()
                .with("statistic", *name)
                .with("complete", family.means[index])
                .with("deviation", family.deviations[index]);
            for (side, judged, _) in &judged {
                row = row.with(side, judged.means[index]);
            }
            for (side, judged, _) in &judged {
                row = row.with(&format!("z_{side}"), judged.distances[index]);
            }
            rows.push(row.with("band", family.band));
        }
        let mut row = Row::new().with("statistic", "classifier").with("complete", itself);
        for (side, _, score) in &judged {
            row = row.with(side, *score);
        }
        rows.push(row.with("windows", first_half.len()).with("seeds", seeds));
        rows.extend(mesoscopic(&ground, seeds, context)?);
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        let mut notes = Vec::new();
        let named = |name: &'static str| {
            rows.iter().find(move |row| row.get("statistic").and_then(|value| value.as_str()) == Some(name))
        };
        for (side, _) in SIDES {
            let key = format!("z_{side}");
            let of = rows.iter().filter_map(|row| {
                Some((row.get("statistic")?.as_str()?, row.number(&key)?.abs(), row.number("band")?))
            });
            if let Some((name, distance, band)) = of.max_by(|a, b| a.1.total_cmp(&b.1)) {
                let verdict = if distance <= band { "inside" } else { "outside" };
                notes.push(format!(
                    "{side}: {verdict} the family-wise 95 % band of the complete model against itself. Farthest off is \
                     \u{201c}{name}\u{201d}, {} standard errors, where the band is {}.",
                    show_number(distance),
                    show_number(band)
                ));
            }
        }
        if let Some(row) = named("classifier") {
            let of = |key: &str| row.number(key).map_or_else(|| "–".to_owned(), show_number);
            notes.push(format!(
                "Boosted trees that see windows of one minute put a share of {} on the right side for the complete model \
                 against itself, {} for tracked, {} for pooled and {} for spawned; 0.5 means that they cannot tell.",
                of("complete"),
                of("tracked"),
                of("pooled"),
                of("spawned")
            ));
            notes.push(
                "All sides have the same city, drive and number of cars, and other seeds. Statistics are of what the \
                 viewer could record: cars that are in view, by number, road, place and speed. The band is the 95 % \
                 quantile of the largest distance over all statistics, when the complete model\u{2019}s runs are divided \
                 into two halves at random."
                    .to_owned(),
            );
            notes.push(named(ENTERED).map_or_else(
                || "SUMO is not installed; `cargo xtask peers` installs it.".to_owned(),
                |row| {
                    let of = |key: &str| row.number(key).map_or_else(|| "–".to_owned(), show_number);
                    format!(
                        "SUMO\u{2019}s mesoscopic mode against its microscopic one: vehicles enter {} roads where they \
                         enter {}, {} standard errors off, where the band is {}.",
                        of("meso"),
                        of("complete"),
                        of("z_meso"),
                        of("band")
                    )
                },
            ));
        }
        let mut figures = Vec::new();
        let points = |key: &'static str| {
            rows.iter().enumerate().filter_map(move |(index, row)| Some((index as f64, row.number(key)?.abs())))
        };
        if points("z_tracked").next().is_some() {
            let plot = Plot::new("Distance from the complete model")
                .x("statistic", Scale::Linear)
                .y("standard errors", Scale::Log)
                .points("tracked", points("z_tracked").filter(|point| point.1 > 0.0))
                .points("pooled", points("z_pooled").filter(|point| point.1 > 0.0))
                .points("spawned at the edge", points("z_spawned").filter(|point| point.1 > 0.0))
                .line("band", points("band"));
            figures.push(Figure { suffix: "band", svg: plot.to_svg()? });
        }
        Ok(Conclusion { notes, figures })
    }
}
