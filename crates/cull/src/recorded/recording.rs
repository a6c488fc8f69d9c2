//! What was measured or baked: channels over time, in one or several takes.

use std::borrow::Cow;

use proscenium_work::Remedy;

use crate::system::{MOST_VARIABLES, Variable};

/// A silence longer than so many usual steps is a gap. Chosen: a few lost samples are
/// bridged.
const GAP: f64 = 4.5;

/// Times are even if none is off by more than this share of a step; then samples are
/// taken as they are.
const EVEN: f64 = 1e-3;

/// A take with fewer samples says nothing about how anything moves.
pub(crate) const FEWEST_SAMPLES: usize = 8;

/// All takes together may have so many samples: ten hours at 100 a second.
pub(crate) const MOST_SAMPLES: usize = 4_000_000;

/// Channels of a recorded or baked motion, evenly sampled.
///
/// ```
/// use proscenium_cull::recorded::Recording;
///
/// let recording = Recording::from_csv("time, sails [deg]\n0, 10\n0.1, 20\n0.2, 30\n0.3, 40\n\
///     0.4, 50\n0.5, 60\n0.6, 70\n0.7, 80\n")?;
/// assert_eq!(recording.channels()[0].name, "sails");
/// assert!((recording.seconds() - 0.7).abs() < 1e-9);
/// # Ok::<(), proscenium_cull::recorded::RecordingError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    channels: Vec<Variable>,
    pub(crate) step: f64,
    /// For each take its samples, one row of all channels after another.
    pub(crate) takes: Vec<Vec<f64>>,
    pub(crate) is_loop: bool,
}

/// Samples of one take as they came: a time and a value for each channel.
pub type Sample = (f64, Vec<f64>);

/// Why a recording cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RecordingError {
    /// There are no channels, or too many.
    #[error("the recording has {count} channels, and from 1 to {MOST_VARIABLES} can be culled: {names}")]
    Channels {
        /// How many there are.
        count: usize,
        /// What they are called.
        names: String,
    },
    /// A line of a table is not what it should be.
    #[error("line {line}: {what}")]
    Line {
        /// Which, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
        /// What would be right.
        remedy: &'static str,
    },
    /// Nothing moves, or there are hardly any samples.
    #[error("the recording shows no motion: {what}")]
    NoMotion {
        /// Why.
        what: String,
    },
    /// There are more samples than can be treated.
    #[error("the recording has {count} samples, and at most {MOST_SAMPLES} can be treated")]
    TooLong {
        /// How many there are.
        count: usize,
    },
    /// What was recorded does not come near itself often enough.
    #[error("{seconds:.0} s are too little of this motion: {why}")]
    TooShort {
        /// How long the recording is.
        seconds: f64,
        /// How long it would have to be.
        wanted: f64,
        /// What is missing.
        why: &'static str,
    },
}

impl Remedy for RecordingError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::Channels { .. } => "leave out columns, or choose nodes with --node".into(),
            Self::Line { remedy, .. } => Cow::Borrowed(remedy),
            Self::NoMotion { .. } => "record something that moves, with at least eight samples in a row".into(),
            Self::TooLong { .. } => "record fewer samples a second".into(),
            Self::TooShort { wanted, .. } => format!(
                "record about {wanted:.0} s in all, in as many takes as you like, or a loop that comes around twice"
            )
            .into(),
        })
    }
}

impl Recording {
    /// A recording from samples. Times are seconds; a time that goes back, a silence, or
    /// a value that is not finite begins a new take.
    ///
    /// # Errors
    /// Without channels, with too many of them, or if nothing moves.
    pub fn new(channels: Vec<Variable>, samples: Vec<Sample>) -> Result<Self, RecordingError> {
        if channels.is_empty() || channels.len() > MOST_VARIABLES {
            let names = channels.iter().map(|channel| channel.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(RecordingError::Channels { count: channels.len(), names });
        }
        let width = channels.len();
        let is_whole =
            |(time, row): &Sample| time.is_finite() && row.len() == width && row.iter().all(|value| value.is_finite());
        let mut steps: Vec<f64> = samples.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        steps.retain(|step| *step > 0.0 && step.is_finite());
        steps.sort_by(f64::total_cmp);
        let Some(&step) = steps.get(steps.len() / 2) else {
            return Err(RecordingError::NoMotion { what: "it has fewer than two samples in a row".to_owned() });
        };
        let mut takes = Vec::new();
        let mut take: Vec<Sample> = Vec::new();
        for sample in samples {
            let goes_on = take.last().is_none_or(|(last, _)| sample.0 > *last && sample.0 - last < GAP * step);
            if !is_whole(&sample) || !goes_on {
                takes.push(std::mem::take(&mut take));
            }
            if is_whole(&sample) {
                take.push(sample);
            }
        }
        takes.push(take);
        takes.retain(|take| take.len() >= FEWEST_SAMPLES);
        let mut takes: Vec<Vec<f64>> = takes.iter().map(|take| even(take, &channels, step)).collect();
        takes.retain(|take| take.len() >= FEWEST_SAMPLES * width);
        let recording = Self { channels, step, takes, is_loop: false };
        recording.check()?;
        Ok(recording)
    }

    fn check(&self) -> Result<(), RecordingError> {
        let count = self.takes.iter().map(Vec::len).sum::<usize>() / self.channels.len();
        if count > MOST_SAMPLES {
            return Err(RecordingError::TooLong { count });
        }
        let Some(first) = self.takes.first() else {
            let what = format!("no take has {FEWEST_SAMPLES} samples in a row");
            return Err(RecordingError::NoMotion { what });
        };
        let first = &first[..self.channels.len()];
        let mut rows = self.takes.iter().flat_map(|take| take.chunks_exact(self.channels.len()));
        if rows.all(|row| row == first) {
            return Err(RecordingError::NoMotion { what: "all samples are the same".to_owned() });
        }
        Ok(())
    }

    /// The same, made to be played over and over, as baked animations are: if its end is
    /// as its beginning, it is a loop.
    #[must_use]
    pub fn as_loop(mut self) -> Self {
        self.is_loop = true;
        self
    }

    /// The channels.
    pub fn channels(&self) -> &[Variable] {
        &self.channels
    }

    /// The samples of all takes one after another, each take from 0 s on, with a sample that
    /// is none between them.
    pub fn samples(&self) -> Vec<Sample> {
        let mut samples = Vec::new();
        for take in &self.takes {
            if !samples.is_empty() {
                samples.push((f64::NAN, Vec::new()));
            }
            let rows = take.chunks_exact(self.channels.len()).enumerate();
            samples.extend(rows.map(|(index, row)| (index as f64 * self.step, row.to_vec())));
        }
        samples
    }

    /// How long all takes are together, seconds.
    pub fn seconds(&self) -> f64 {
        let each = self.takes.iter().map(|take| take.len() / self.channels.len() - 1);
        each.sum::<usize>() as f64 * self.step
    }
}

/// The samples of a take at equal times.
fn even(take: &[Sample], channels: &[Variable], step: f64) -> Vec<f64> {
    let (start, end) = (take[0].0, take[take.len() - 1].0);
    let is_even = take.iter().enumerate().all(|(index, (time, _))| {
        (time - start - index as f64 * step).abs() <= EVEN * step * (1.0 + index as f64)
            && (time - start - index as f64 * step).abs() <= 0.5 * step
    });
    if is_even {
        return take.iter().flat_map(|(_, row)| row.iter().copied()).collect();
    }
    let count = ((end - start) / step + 1e-9).floor() as usize + 1;
    let mut rows = Vec::with_capacity(count * channels.len());
    let mut after = 1;
    for index in 0..count {
        let time = start + index as f64 * step;
        while after + 1 < take.len() && take[after].0 < time {
            after += 1;
        }
        let (before, next) = (&take[after - 1], &take[after]);
        let part = ((time - before.0) / (next.0 - before.0)).clamp(0.0, 1.0);
        for (channel, (a, b)) in channels.iter().zip(before.1.iter().zip(&next.1)) {
            let way = channel.wrap.map_or(b - a, |wrap| wrap.difference(b - a));
            rows.push(a + part * way);
        }
    }
    rows
}
