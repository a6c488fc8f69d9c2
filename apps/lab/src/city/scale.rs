//! From a town to a metropolis: does a frame cost the same?

use proscenium_city::{Detail, Recipe};
use proscenium_picture::plot::{Plot, Scale};

use super::ground::Ground;
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment, Figure};
use crate::number::show_number;
use crate::results::Row;
use crate::timing::Timer;

/// Cars, roads, and spacing of blocks in metres: one car for each road, and ten
/// on streets that are long enough for them.
const SIZES: [(u32, usize, f64); 4] = [
    (10_000, 10_000, 125.0),
    (100_000, 100_000, 125.0),
    (1_000_000, 1_000_000, 125.0),
    (10_000_000, 1_000_000, 1000.0),
];

/// How often the same drive is measured, of which the median is told: all its
/// frames take some 50 ms, and anything else on the machine shows.
const DRIVES: usize = 7;

/// The experiment `city-scale`.
pub(crate) struct CityScale;

impl Experiment for CityScale {
    fn name(&self) -> &'static str {
        "city-scale"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, section 6.3.4 (future work, without figures)"
    }

    fn summary(&self) -> &'static str {
        "the cost of a frame with ten thousand to ten million cars"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "cars",
            "roads",
            "in_view",
            "cull_us",
            "same_view_us",
            "us_per_view",
            "worst_frame_us",
            "bytes",
            "bytes_per_car",
            "start_s",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let sizes = if context.quick() { &SIZES[..2] } else { &SIZES[..] };
        let seconds = if context.quick() { 120.0 } else { 900.0 };
        context.plan(sizes.len() as f64);
        // Drives see more and fewer cars by chance: they are compared with as many in
        // view as the first.
        let mut same_view = None;
        for &(cars, roads, spacing) in sizes {
            context.doing(&format!("{cars} cars"));
            let recipe = Recipe { spacing, ..Recipe::with_roads(roads) };
            let timer = Timer::start();
            let ground = Ground::new(&recipe, context.seed(), seconds, context)?;
            let map_s = timer.elapsed().as_secs_f64();
            let wall = std::time::Instant::now();
            let mut city = ground.city(Detail::Pooled, cars, context.seed().0);
            city.start_watched(&context.progress())?.or_stopped()?;
            let start_s = wall.elapsed().as_secs_f64();
            let mut costs = Vec::with_capacity(DRIVES);
            for _ in 0..DRIVES {
                costs.push(ground.measure(&mut city.clone(), usize::MAX, context)?);
            }
            costs.sort_by(|one, other| one.frame_us.total_cmp(&other.frame_us));
            let cost = costs[DRIVES / 2];
            let slowest_us = ground.slowest_us(&mut city, context)?;
            let [active, tracked, pooled] = city.counts();
            let (map_bytes, [of_roads, of_cars]) = (ground.map.bytes(), city.bytes());
            rows.push(
                Row::new()
                    .with("cars", cars)
                    .with("roads", ground.map.road_count())
                    .with("in_view", cost.in_view)
                    .with("cull_us", cost.frame_us)
                    .with("same_view_us", cost.with_in_view(*same_view.get_or_insert(cost.in_view)))
                    .with("us_per_view", cost.frame_us / cost.in_view)
                    .with("worst_frame_us", slowest_us)
                    .with("bytes", map_bytes + of_roads + of_cars)
                    .with("map_bytes", map_bytes)
                    .with("bytes_per_car", of_cars as f64 / f64::from(cars))
                    .with("bytes_per_road", (map_bytes + of_roads) as f64 / ground.map.road_count() as f64)
                    .with("start_s", start_s)
                    .with("map_s", map_s)
                    .with("car_steps", cost.car_steps)
                    .with("bounds", cost.bounds)
                    .with("active", active)
                    .with("tracked", tracked)
                    .with("pooled", pooled),
            );
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        let mut notes = Vec::new();
        let with = |cars: f64| rows.iter().find(|row| row.number("cars") == Some(cars));
        let ratio = |large: &Row, small: &Row, key: &str| Some(large.number(key)? / small.number(key)?);
        if let (Some(small), Some(large)) = (with(1e4), with(1e6).or(with(1e5)))
            && let (Some(frame), Some(each)) = (ratio(large, small, "same_view_us"), ratio(large, small, "us_per_view"))
        {
            notes.push(format!(
                "With as many cars in view a frame with {} cars costs {} times one with 10000 (wanted: at most 1.25), \
                     from the line through the costs of all stretches of 64 frames; for each car in view {} times.",
                large.number("cars").unwrap_or(0.0),
                show_number(frame),
                show_number(each)
            ));
        }
        if let Some(million) = with(1e6) {
            notes.push(format!(
                "A million cars start in {} s (wanted: under 30) and take {} GB with their map (wanted: 4).",
                show_number(million.number("start_s").unwrap_or(f64::NAN)),
                show_number(million.number("bytes").unwrap_or(f64::NAN) / 1e9)
            ));
        }
        if !rows.is_empty() {
            notes.push(
                "Bytes are those of the map, of what the city keeps for each road, and of cars; bytes per car are the \
                 last alone. The start is measured on the wall, the map apart."
                    .to_owned(),
            );
        }
        let points =
            |key: &'static str| rows.iter().filter_map(move |row| Some((row.number("cars")?, row.number(key)?)));
        let mut figures = Vec::new();
        if points("cull_us").next().is_some() {
            let plot = Plot::new("Cost of a frame")
                .x("cars", Scale::Log)
                .y("microseconds", Scale::Log)
                .line("mean", points("cull_us"))
                .line("slowest", points("worst_frame_us"))
                .line("for each car in view", points("us_per_view"));
            figures.push(Figure { suffix: "cost", svg: plot.to_svg()? });
        }
        Ok(Conclusion { notes, figures })
    }
}
