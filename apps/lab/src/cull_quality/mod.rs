//! Can a state that comes back into view be told from the truth?

mod trees;

use proscenium_chance::Seed;
use proscenium_chance::statistics::kolmogorov_smirnov_two_samples;
use proscenium_cull::{CullError, Culled, Player, Regime, State, System as _};
use proscenium_picture::plot::{Plot, Scale};
use rayon::prelude::*;

use crate::error::LabError;
use crate::experiment::{Conclusion, Context, Experiment, Figure};
use crate::number::show_number;
use crate::results::Row;
use crate::rides::RIDES;

/// Sightings that the viewer remembers.
const SIGHTINGS: usize = 8;

/// The experiment `cull-quality`.
pub(crate) struct CullQuality;

impl Experiment for CullQuality {
    fn name(&self) -> &'static str {
        "cull-quality"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, sections 4.3 and 5.1 (the papers have no figures for it)"
    }

    fn summary(&self) -> &'static str {
        "whether the state on return can be told from the complete model\u{2019}s"
    }

    fn columns(&self) -> &'static [&'static str] {
        &["ride", "out_s", "regime", "n", "ks", "score", "score_freeze", "score_restart"]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), LabError> {
        let names: &[&str] = if context.quick() {
            &["tilt-a-whirl", "pendulum", "ship"]
        } else {
            &[
                "tilt-a-whirl",
                "octopus",
                "dive-bomber",
                "pendulum",
                "pendulum-long",
                "ship",
                "roller-coaster",
                "traffic-light",
            ]
        };
        context.plan(names.len() as f64);
        for ride in RIDES.iter().filter(|ride| names.contains(&ride.name)) {
            context.doing(ride.name);
            let culled = ride.compile(context)?;
            for out in times(&culled, context.quick()) {
                context.check()?;
                rows.push(row(ride.name, &culled, out, context)?);
            }
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude(rows)
    }
}

/// Times out of view from 0.1 s to ten times what is remembered.
fn times(culled: &Culled, quick: bool) -> Vec<f64> {
    let learned = culled.learned();
    let medium = learned.period().or(learned.medium()).unwrap_or(1.0);
    let mut times = vec![0.1, 0.5 * medium, 1.5 * medium, 3.2 * medium];
    match learned.long() {
        Some(long) => {
            times.extend([0.6 * long, 0.95 * long, 1.05 * long, 2.1 * long]);
            if !quick {
                times.push(10.0 * long);
            }
        }
        None => times.push(10.3 * medium),
    }
    times.sort_by(f64::total_cmp);
    times
}

/// One state that comes back, as numbers for the classifier.
fn features(culled: &Culled, sighting: usize, state: &State) -> Vec<f64> {
    let mut row = vec![sighting as f64, f64::from(state.mode)];
    for (variable, value) in culled.model().variables().iter().zip(state.values) {
        let value = variable.wrap.map_or(value, |wrap| wrap.apply(value));
        row.push(value);
        if let Some(wrap) = variable.wrap {
            let angle = std::f64::consts::TAU * (value - wrap.low) / wrap.period;
            row.push(libm::sin(angle));
            row.push(libm::cos(angle));
        }
    }
    row
}

/// What was seen last, and when: the middle of what the viewer knows.
fn sightings(culled: &Culled, seed: Seed) -> Result<Vec<(State, f64)>, CullError> {
    let model = culled.model();
    let mut found = Vec::new();
    for index in 0..SIGHTINGS {
        let mut stream = seed.stream("sightings").at(index as u64);
        let mut state = model.initial(&mut stream);
        let time = 300.0 + 40.0 * stream.uniform();
        model.advance(&mut state, 0.0, time, &mut stream)?;
        found.push((state, time));
    }
    Ok(found)
}

/// The sides that are compared: states on return of the complete model, of the
/// culled one, of one that froze, and of one that started again.
struct Sides {
    complete: Vec<State>,
    culled: Vec<State>,
    frozen: Vec<State>,
    restarted: Vec<State>,
    regime: Regime,
}

fn returns(culled: &Culled, sighting: (State, f64), out: f64, count: usize, seed: Seed) -> Result<Sides, CullError> {
    let (model, learned) = (culled.model(), culled.learned());
    let (middle, time) = sighting;
    let uncertainty = learned.uncertainty();
    // A motion that keeps its energy would leave its orbit if it were shaken:
    // there the viewer is unsure how far around it was.
    let unsure = learned.period().map(|period| 0.03 * period);
    let runs: Vec<(State, State, State, State, Regime)> = (0..count)
        .into_par_iter()
        .map(|index| {
            let mut stream = seed.stream("returns").at(index as u64);
            let mut start = || {
                let mut state = middle;
                match unsure {
                    Some(seconds) => {
                        let later = time + seconds * stream.uniform();
                        model.advance(&mut state, time, later, &mut stream)?;
                    }
                    None => {
                        for (value, size) in state.values.iter_mut().zip(&uncertainty) {
                            *value += size * (stream.uniform() - 0.5);
                        }
                    }
                }
                Ok::<State, CullError>(state)
            };
            let (mut truth, seen, frozen) = (start()?, start()?, start()?);
            model.advance(&mut truth, time, time + out, &mut stream)?;
            let mut player = Player::new(model, seed.child("player", index as u64), time);
            player.interact(model, learned, time, |state, _| *state = seen)?;
            player.see(model, learned, time)?;
            let (state, regime) = player.see(model, learned, time + out)?;
            Ok((truth, state, frozen, model.initial(&mut stream), regime))
        })
        .collect::<Result<_, CullError>>()?;
    let regime = runs.iter().map(|run| run.4).max().unwrap_or(Regime::Complete);
    Ok(Sides {
        complete: runs.iter().map(|run| run.0).collect(),
        culled: runs.iter().map(|run| run.1).collect(),
        frozen: runs.iter().map(|run| run.2).collect(),
        restarted: runs.iter().map(|run| run.3).collect(),
        regime,
    })
}

fn row(name: &str, culled: &Culled, out: f64, context: &Context) -> Result<Row, LabError> {
    let count = if context.quick() { 1_600 } else { 10_000 };
    let mut tables: [Vec<Vec<f64>>; 4] = Default::default();
    let mut regime = Regime::Complete;
    let mut difference = 0.0;
    for (index, sighting) in sightings(culled, context.seed())?.into_iter().enumerate() {
        context.check()?;
        let seed = context.seed().child("sighting", index as u64);
        let sides = returns(culled, sighting, out, count / SIGHTINGS, seed)?;
        regime = regime.max(sides.regime);
        let rows = |states: &[State]| states.iter().map(|state| features(culled, index, state)).collect::<Vec<_>>();
        let each = [&sides.complete, &sides.culled, &sides.frozen, &sides.restarted].map(|states| rows(states));
        let mut largest = 0.0_f64;
        for column in 1..each[0].first().map_or(1, Vec::len) {
            let values = |rows: &[Vec<f64>]| rows.iter().map(|row| row[column]).collect::<Vec<_>>();
            let test = kolmogorov_smirnov_two_samples(&values(&each[0]), &values(&each[1]));
            largest = largest.max(test.map_or(0.0, |test| test.statistic));
        }
        difference += largest / SIGHTINGS as f64;
        for (table, rows) in tables.iter_mut().zip(each) {
            table.extend(rows);
        }
    }
    let [complete, back, frozen, restarted] = &tables;
    let scores: Vec<f64> = [back, frozen, restarted].par_iter().map(|side| trees::score(complete, side)).collect();
    let regime = match regime {
        Regime::Complete => "complete",
        Regime::Approximate => "approximate",
        Regime::Sampled => "sampled",
    };
    Ok(Row::new()
        .with("ride", name)
        .with("out_s", out)
        .with("regime", regime)
        .with("n", complete.len())
        .with("ks", difference)
        .with("score", scores[0])
        .with("score_freeze", scores[1])
        .with("score_restart", scores[2])
        .with("out_over_long", culled.learned().long().map(|long| out / long)))
}

fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = Vec::new();
    let of = |regime: &'static str| {
        let some = rows.iter().filter(move |row| row.get("regime").and_then(|value| value.as_str()) == Some(regime));
        some.filter_map(|row| row.number("score"))
    };
    for (regime, allowed) in [("sampled", 0.55), ("approximate", 0.60)] {
        let count = of(regime).count();
        if count > 0 {
            let within = of(regime).filter(|score| *score <= allowed).count();
            let worst = of(regime).fold(0.0, f64::max);
            notes.push(format!(
                "In the {regime} regime {within} of {count} rows score at most {allowed} (the largest is {}).",
                show_number(worst)
            ));
        }
    }
    let frozen: Vec<f64> = rows
        .iter()
        .filter(|row| row.get("regime").and_then(|value| value.as_str()) != Some("complete"))
        .filter_map(|row| row.number("score_freeze"))
        .collect();
    if let Some(least) = frozen.iter().copied().reduce(f64::min) {
        notes.push(format!("Freezing scores at least {} (wanted: 0.9).", show_number(least)));
    }
    if !rows.is_empty() {
        notes.push(format!(
            "A score is the share of held-out states that boosted trees put on the right side; 0.5 means that they cannot \
             tell. The trees see the whole state on return and which of {SIGHTINGS} last sightings it belongs to; each \
             sighting is known to within a cell, or, of a periodic ride, to within 3 % of its period."
        ));
    }
    let mut figures = Vec::new();
    let points = |key: &'static str| rows.iter().filter_map(move |row| Some((row.number("out_s")?, row.number(key)?)));
    if points("score").next().is_some() {
        let plot = Plot::new("Can a return be told from the truth?")
            .x("time out of view (s)", Scale::Log)
            .y("classifier score", Scale::Linear)
            .points("culled", points("score"))
            .points("frozen", points("score_freeze"))
            .points("restarted", points("score_restart"));
        figures.push(Figure { suffix: "score", svg: plot.to_svg()? });
    }
    Ok(Conclusion { notes, figures })
}
