//! The same network and number of vehicles in SUMO.

use proscenium_city::{Detail, Recipe};
use proscenium_picture::plot::{Plot, Scale};

use super::ground::{Ground, RATE};
use super::sumo::Sumo;
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment, Figure};
use crate::number::show_number;
use crate::results::Row;

/// Cars, roads, and seconds that are simulated.
const SIZES: [(u32, usize, f64); 3] = [(200, 260, 300.0), (2400, 3120, 300.0), (100_000, 130_000, 30.0)];

/// The experiment `city-peers`.
pub(crate) struct CityPeers;

impl Experiment for CityPeers {
    fn name(&self) -> &'static str {
        "city-peers"
    }

    fn reproduces(&self) -> &'static str {
        "our own comparison with SUMO"
    }

    fn summary(&self) -> &'static str {
        "the time of a simulated second: SUMO, our complete model, and the culled one"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "cars",
            "roads",
            "sumo_ms",
            "meso_ms",
            "complete_ms",
            "cull_ms",
            "sumo_over_complete",
            "sumo_over_cull",
            "sumo_us_per_vehicle_step",
            "us_per_vehicle_step",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let sizes = if context.quick() { &SIZES[..2] } else { &SIZES[..] };
        context.plan(sizes.len() as f64);
        for &(cars, roads, seconds) in sizes {
            let seconds = if context.quick() { 60.0 } else { seconds };
            context.doing(&format!("{cars} cars"));
            let ground = Ground::new(&Recipe::with_roads(roads), context.seed(), seconds, context)?;
            let frames = (seconds * RATE) as usize;
            let cost = |detail| -> Result<f64, Halt> {
                let cost = ground.measure(&mut ground.city(detail, cars, context.seed().0), frames, context)?;
                // Milliseconds for a simulated second.
                Ok(cost.frame_us * RATE / 1e3)
            };
            let (complete, culled) = (cost(Detail::Complete)?, cost(Detail::Pooled)?);
            let sumo = Sumo::find(context, &ground.map, cars, context.seed())?;
            let simulate = |end: f64, mesoscopic: bool| {
                sumo.as_ref().map(|sumo| sumo.simulate(end, 1.0 / RATE, mesoscopic, context)).transpose()
            };
            // What loading takes is what a run of one step takes.
            let (load, micro) = (simulate(1.0, false)?, simulate(seconds, false)?);
            let (meso_load, meso) = (simulate(1.0, true)?, simulate(seconds, true)?);
            let each = |whole: &Option<super::sumo::SumoRun>, load: &Option<super::sumo::SumoRun>| {
                let spent = whole.as_ref()?.seconds - load.as_ref()?.seconds;
                // What takes less than loading differs from time to time is not measured.
                Some(spent * 1e3 / (seconds - 1.0)).filter(|each| *each > 0.0)
            };
            let (sumo_ms, meso_ms) = (each(&micro, &load), each(&meso, &meso_load));
            let entered = |run: &Option<super::sumo::SumoRun>| run.as_ref().map(|run| run.entered);
            rows.push(
                Row::new()
                    .with("cars", cars)
                    .with("roads", ground.map.road_count())
                    .with("sumo_ms", sumo_ms)
                    .with("meso_ms", meso_ms)
                    .with("complete_ms", complete)
                    .with("cull_ms", culled)
                    .with("sumo_over_complete", sumo_ms.map(|sumo| sumo / complete))
                    .with("sumo_over_cull", sumo_ms.map(|sumo| sumo / culled))
                    .with("sumo_us_per_vehicle_step", sumo_ms.map(|sumo| sumo * 1e3 / RATE / f64::from(cars)))
                    .with("us_per_vehicle_step", complete * 1e3 / RATE / f64::from(cars))
                    .with("sumo_entered", entered(&micro))
                    .with("meso_entered", entered(&meso)),
            );
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        let mut notes = Vec::new();
        if let Some(last) = rows.last() {
            let of = |key: &str| last.number(key).map(show_number);
            match (of("sumo_over_complete"), of("sumo_over_cull")) {
                (Some(complete), Some(culled)) => notes.push(format!(
                    "With {} cars SUMO takes {complete} times as long as our complete model, and {culled} times as long \
                     as the culled one.",
                    of("cars").unwrap_or_default()
                )),
                _ => notes.push("SUMO is not installed; `cargo xtask peers` installs it.".to_owned()),
            }
            if let (Some(micro), Some(meso)) = (last.number("sumo_entered"), last.number("meso_entered")) {
                notes.push(format!(
                    "In SUMO\u{2019}s mesoscopic mode vehicles enter {} times as many roads as in its microscopic one.",
                    show_number(meso / micro)
                ));
            }
            notes.push(
                "All take steps of 0.1 s. SUMO has the same roads, all-way stops, and as many vehicles that turn at \
                 random; times are those of the processor (SUMO\u{2019}s that of the wall where the system does not tell), \
                 without loading. Our complete model \
                 includes bodies, steering and wheels."
                    .to_owned(),
            );
        }
        let points =
            |key: &'static str| rows.iter().filter_map(move |row| Some((row.number("cars")?, row.number(key)?)));
        let mut figures = Vec::new();
        if points("complete_ms").next().is_some() {
            let plot = Plot::new("Time for a simulated second")
                .x("cars", Scale::Log)
                .y("milliseconds", Scale::Log)
                .line("complete", points("complete_ms"))
                .line("culled", points("cull_ms"))
                .line("SUMO", points("sumo_ms"));
            figures.push(Figure { suffix: "time", svg: plot.to_svg()? });
        }
        Ok(Conclusion { notes, figures })
    }
}
