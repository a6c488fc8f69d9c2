//! How soon a recorded motion forgets, told from the recording alone.
//!
//! Moments a fixed time apart are sorted into cells, and the table of the cell at one
//! moment and the cell some time later is held against one in which the two know nothing
//! of each other: the mean-square contingency of Pearson 1904, which is the average
//! squared distance that the compiler measures of clouds. It is the product of what two
//! halves of the recording say, so that chance adds nothing to it on the average.

use proscenium_chance::{Seed, Stream};
use proscenium_work::{Completion, Finish as _, Halt, Progress, Stopped};

use crate::compile::CompileSettings;
use crate::compile::cells::{Axis, Grid, as_distance, as_squared};
use crate::error::CullError;
use crate::learned::{Behaviour, Findings, LearnedBehaviour, RecordedRegimes};

use super::motion::{Moment, RecordedMotion};

/// With a drive moments are taken at so many seconds of it; without one, this share of a
/// step apart from each other.
const PHASES: u32 = 6;

/// What chance makes of the contingency should be no more than this: three quarters of
/// the threshold.
const MOST_CHANCE: f64 = 0.012;
const MOST_CELLS: usize = 64;
const FEWEST_CELLS: usize = 4;

/// So many deviations of chance are not taken for memory.
const BY_CHANCE: f64 = 2.0;

/// Steps that are looked at; of each at least this share of the recording is compared.
const MOST_STEPS: usize = 400;
const COMPARED: f64 = 0.5;

/// Jumps are used once two moments that a viewer takes for the same have parted to this
/// share of what any two differ by: what the viewer did not know then hides the jump.
const PARTED: f64 = 0.5;

/// Pairs of such moments that are followed, and probes for each.
const PAIRS: usize = 400;
const PROBES: u32 = 2000;

/// States of the cloud that a report shows.
const PICTURED: usize = 3000;

/// Learns how soon a recorded motion forgets.
pub(crate) fn learn(
    motion: &RecordedMotion,
    settings: &CompileSettings,
    seed: Seed,
    progress: &Progress,
) -> Result<Completion<LearnedBehaviour>, CullError> {
    learned(motion, settings, seed, progress).map_err(Halt::from).finish()
}

fn learned(
    motion: &RecordedMotion,
    settings: &CompileSettings,
    seed: Seed,
    progress: &Progress,
) -> Result<LearnedBehaviour, Stopped> {
    let ranges = motion.ranges();
    let mut low = vec![f64::INFINITY; motion.width()];
    let mut high = vec![f64::NEG_INFINITY; motion.width()];
    for row in motion.samples.chunks_exact(motion.width()) {
        for (channel, value) in row.iter().enumerate() {
            low[channel] = low[channel].min(f64::from(*value));
            high[channel] = high[channel].max(f64::from(*value));
        }
    }
    let axis = |channel: usize| {
        let kind = &motion.channels[channel];
        let (low, high) = match kind.wrap {
            Some((low, period)) => (low, low + period),
            None => (low[channel], high[channel].max(low[channel] + 1e-9)),
        };
        let alike = motion.alike[channel].map_or(ranges[channel].max(1e-9) / 30.0, |(value, _)| value);
        Axis { low, high, wraps: kind.wrap.is_some(), cells: ((high - low) / alike).round().clamp(1.0, 1000.0) as u16 }
    };
    let grid = Grid { axes: (0..motion.width()).map(axis).collect(), modes: 1 };
    let mut stream = seed.stream("cloud");
    let pair = |stream: &mut Stream| {
        let now = motion.at(motion.initial(stream).values[0]);
        let second = if motion.width() > 1 { now.values[1] } else { now.rates[0] };
        (now.values[0] as f32, second as f32)
    };
    let mut findings = Findings {
        variables: motion.channels.iter().map(|channel| channel.name.clone()).collect(),
        ranges: low.into_iter().zip(high).collect(),
        cloud: (0..PICTURED).map(|_| pair(&mut stream)).collect(),
        simulated_s: motion.seconds(),
        ..Findings::default()
    };
    let regimes = match motion.period() {
        Some(period) => RecordedRegimes { medium: 0.1 * period, long: None, period: Some(period) },
        None => {
            progress.tell("watching what is forgotten", 0.1)?;
            let (curve, long) = forgetting(motion, settings, progress)?;
            findings.convergence = curve;
            progress.tell("watching neighbours part", 0.8)?;
            let medium = parting(motion, long, seed, progress)?;
            RecordedRegimes { medium: long.map_or(medium, |long| medium.min(long)), long, period: None }
        }
    };
    progress.tell("done", 1.0)?;
    Ok(LearnedBehaviour { grid, buffer_step: settings.buffer_step, behaviour: Behaviour::Recorded(regimes), findings })
}

/// Moments that are one step after another, and the step.
struct Strobe {
    step: f64,
    /// For each take and phase: what was seen.
    rows: Vec<Vec<Moment>>,
}

impl Strobe {
    fn new(motion: &RecordedMotion) -> Self {
        let step = motion.drive.unwrap_or_else(|| (8.0 * f64::from(motion.reach) * motion.step).max(motion.step));
        let mut rows = Vec::new();
        for phase in 0..PHASES {
            for take in &motion.takes {
                let start = motion.start(take);
                let along = (step * f64::from(phase) / f64::from(PHASES) - take.phase).rem_euclid(step);
                let mut row = Vec::new();
                let mut place = start + along;
                while place <= take.exit {
                    row.push(motion.features(place));
                    place += step;
                }
                rows.push(row);
            }
        }
        Self { step, rows }
    }

    /// The rows of one phase.
    fn of(&self, phase: usize) -> &[Vec<Moment>] {
        let takes = self.rows.len() / PHASES as usize;
        &self.rows[phase * takes..(phase + 1) * takes]
    }

    /// How many moments there are of one phase.
    fn count(&self) -> usize {
        self.of(0).iter().map(Vec::len).sum()
    }
}

/// Sorts moments into cells that are equally full, by halving along each feature in turn.
fn sorted(motion: &RecordedMotion, rows: &[Vec<Moment>], cells: usize) -> Vec<Vec<u16>> {
    let features: Vec<(usize, bool)> = (0..motion.width())
        .filter(|&channel| motion.alike[channel].is_some())
        .flat_map(|channel| [(channel, false), (channel, true)])
        .collect();
    let value = |(take, index): (u32, u32), (channel, is_rate): (usize, bool)| {
        let moment = &rows[take as usize][index as usize];
        if is_rate { moment.rates[channel] } else { moment.values[channel] }
    };
    let mut groups: Vec<Vec<(u32, u32)>> = vec![
        rows.iter()
            .enumerate()
            .flat_map(|(take, row)| (0..row.len() as u32).map(move |index| (take as u32, index)))
            .collect(),
    ];
    let mut way = 0;
    while groups.len() < cells && !features.is_empty() {
        let feature = features[way % features.len()];
        let mut halves = Vec::with_capacity(2 * groups.len());
        for mut group in groups {
            let middle = group.len() / 2;
            group.sort_by(|a, b| value(*a, feature).total_cmp(&value(*b, feature)).then(a.cmp(b)));
            let upper = group.split_off(middle);
            halves.extend([group, upper]);
        }
        groups = halves;
        way += 1;
    }
    let mut cells: Vec<Vec<u16>> = rows.iter().map(|row| vec![0; row.len()]).collect();
    for (cell, group) in groups.iter().enumerate() {
        for (take, index) in group {
            cells[*take as usize][*index as usize] = cell as u16;
        }
    }
    cells
}

/// Seconds, and how much the average cell, four of five and the worst remember.
type Curve = Vec<(f64, f64, f64, f64)>;

/// How much is remembered after each number of steps, and when that is too little to be
/// seen; `None` if it never is in what was recorded.
fn forgetting(
    motion: &RecordedMotion,
    settings: &CompileSettings,
    progress: &Progress,
) -> Result<(Curve, Option<f64>), Stopped> {
    let strobe = Strobe::new(motion);
    let half = 0.5 * COMPARED * strobe.count() as f64;
    let independent = (f64::from(PHASES) / 2.0).sqrt();
    let affordable = 1.0 + MOST_CHANCE * half * independent;
    let mut cells = FEWEST_CELLS;
    while 2 * cells <= MOST_CELLS && (2 * cells) as f64 <= affordable {
        cells *= 2;
    }
    if (cells as f64) > affordable {
        return Ok((Vec::new(), None));
    }
    let sorted: Vec<Vec<Vec<u16>>> =
        (0..PHASES as usize).map(|phase| sorted(motion, strobe.of(phase), cells)).collect();
    let mut curve = Vec::new();
    let mut last_far = None;
    for steps in 1..=MOST_STEPS {
        progress.check()?;
        let tables: Vec<Tables> = sorted.iter().map(|rows| Tables::count(rows, steps, cells)).collect();
        let pairs = tables.iter().map(|table| table.pairs.iter().sum::<f64>()).fold(f64::INFINITY, f64::min);
        if pairs < COMPARED * strobe.count() as f64 {
            break;
        }
        let squared = tables.iter().map(Tables::contingency).sum::<f64>() / f64::from(PHASES);
        let chance = (cells - 1) as f64 / (0.5 * pairs) / independent;
        let distance = as_distance(squared);
        let time = steps as f64 * strobe.step;
        curve.push((time, distance, distance, distance));
        if squared > as_squared(settings.difference) + BY_CHANCE * chance {
            last_far = Some(steps);
        }
    }
    let forgotten = match last_far {
        None => (!curve.is_empty()).then_some(1),
        // What comes back at the end of the curve has not been forgotten.
        Some(last) => (4 * last <= 3 * curve.len()).then_some(last + 1),
    };
    Ok((curve, forgotten.map(|steps| steps as f64 * strobe.step)))
}

/// How often which cell was followed by which, of two halves of a recording.
struct Tables {
    cells: usize,
    counts: [Vec<f64>; 2],
    pairs: [f64; 2],
}

impl Tables {
    fn count(rows: &[Vec<u16>], steps: usize, cells: usize) -> Self {
        let mut tables = Self { cells, counts: [vec![0.0; cells * cells], vec![0.0; cells * cells]], pairs: [0.0; 2] };
        for (take, row) in rows.iter().enumerate() {
            for (index, (from, to)) in row.iter().zip(row.iter().skip(steps)).enumerate() {
                // Of many takes every other one; of few, the first half of each.
                let is_late = index >= (row.len() - steps) / 2;
                let half = if rows.len() >= 8 { take % 2 } else { usize::from(is_late) };
                tables.counts[half][usize::from(*from) * cells + usize::from(*to)] += 1.0;
                tables.pairs[half] += 1.0;
            }
        }
        tables
    }

    fn contingency(&self) -> f64 {
        let cells = self.cells;
        let margins = |half: usize| {
            let (mut rows, mut columns) = (vec![0.0; cells], vec![0.0; cells]);
            for (place, count) in self.counts[half].iter().enumerate() {
                rows[place / cells] += count / self.pairs[half].max(1.0);
                columns[place % cells] += count / self.pairs[half].max(1.0);
            }
            (rows, columns)
        };
        let (first, second) = (margins(0), margins(1));
        let mut sum = 0.0;
        for place in 0..cells * cells {
            let (row, column) = (place / cells, place % cells);
            let off = |half: usize, (rows, columns): &(Vec<f64>, Vec<f64>)| {
                self.counts[half][place] / self.pairs[half].max(1.0) - rows[row] * columns[column]
            };
            let usual = 0.25 * (first.0[row] + second.0[row]) * (first.1[column] + second.1[column]);
            if usual > 0.0 {
                sum += off(0, &first) * off(1, &second) / usual;
            }
        }
        sum
    }
}

/// After how long two moments that a viewer takes for the same have parted, seconds.
fn parting(motion: &RecordedMotion, long: Option<f64>, seed: Seed, progress: &Progress) -> Result<f64, Stopped> {
    let longest = motion.takes.iter().map(|take| take.exit - motion.start(take)).fold(0.0, f64::max);
    let horizon = long.unwrap_or(0.25 * longest).min(0.5 * longest);
    let mut pairs = Vec::new();
    let mut stream = seed.stream("parting");
    for _ in 0..PAIRS {
        progress.check()?;
        let phase = motion.drive.map_or(0.0, |drive| drive * stream.uniform());
        let place = motion.any_place(phase, &mut stream);
        let here = motion.features(place);
        let goes_on = |place: f64| place + horizon <= motion.take(place).exit;
        let alike = (0..PROBES).map(|_| motion.any_place(phase, &mut stream)).find(|other| {
            let is_other = (other - place).abs() > 16.0 * f64::from(motion.reach) * motion.step;
            is_other && goes_on(*other) && motion.features_apart(&here, &motion.features(*other)) <= 1.0
        });
        if let (Some(alike), true) = (alike, goes_on(place)) {
            pairs.push((place, alike, motion.any_place(phase, &mut stream).min(motion.take(place).exit)));
        }
    }
    if pairs.len() < PAIRS / 20 {
        return Ok(f64::INFINITY);
    }
    let square = |a: f64, b: f64| {
        let (a, b) = (motion.at(a).values, motion.at(b).values);
        let counted = (0..motion.width()).filter(|&channel| motion.alike[channel].is_some());
        counted
            .map(|channel| {
                libm::pow(
                    motion.channels[channel].way(a[channel], b[channel])
                        / motion.alike[channel].map_or(1.0, |(value, _)| value),
                    2.0,
                )
            })
            .sum::<f64>()
    };
    let usual: f64 = pairs.iter().map(|(place, _, any)| square(*place, *any)).sum();
    let step = (f64::from(motion.reach) * motion.step).max(horizon / 400.0);
    let mut time = step;
    while time < horizon {
        progress.check()?;
        let now: f64 = pairs.iter().map(|(place, alike, _)| square(place + time, alike + time)).sum();
        if now > PARTED * usual {
            return Ok(time);
        }
        time += step;
    }
    Ok(f64::INFINITY)
}
