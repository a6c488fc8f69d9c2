//! Vertex caches: the places of all vertices of a mesh in every frame, as
//! Blender, Houdini and others write them.
//!
//! PC2 is little-endian: `POINTCACHE2`, a version, the number of points, the
//! first frame, frames per sample, the number of samples; then the samples. MDD
//! is big-endian: the numbers of frames and of points, a time for each frame in
//! seconds; then the frames. Both hold three single-precision numbers per point.
//! Files with the bytes the other way round are recognised.
//!
//! Nothing that a file says is believed: its counts are compared with its
//! length before anything is allocated.

use std::borrow::Cow;
use std::fmt;

use proscenium_work::Remedy;

/// The sixteen bytes of text and version that a PC2 file begins with.
const PC2_MAGIC: &[u8; 12] = b"POINTCACHE2\0";
const PC2_VERSION: u32 = 1;
const PC2_HEADER: usize = 32;
const MDD_HEADER: usize = 8;
const POINT: usize = 12;

/// The moments of a cache must be this evenly spaced, as a share of a frame.
const EVEN: f64 = 0.01;

/// Which of the two formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheFormat {
    /// Point cache 2.
    Pc2,
    /// Motion Designer's.
    Mdd,
}

impl CacheFormat {
    /// The format by the ending of a file's name.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "pc2" => Some(CacheFormat::Pc2),
            "mdd" => Some(CacheFormat::Mdd),
            _ => None,
        }
    }
}

impl fmt::Display for CacheFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(match self {
            CacheFormat::Pc2 => "PC2",
            CacheFormat::Mdd => "MDD",
        })
    }
}

/// When the frames of a cache are.
#[derive(Clone, Debug, PartialEq)]
pub enum CacheTimes {
    /// In frames of the scene that it was made from: the first, and how many
    /// lie between one and the next.
    Frames {
        /// The first.
        start: f32,
        /// From one to the next.
        step: f32,
    },
    /// Seconds, one for each frame.
    Seconds(Vec<f32>),
}

/// The places of all vertices of a mesh, frame by frame.
///
/// ```
/// use proscenium_ensemble::cache::{CacheFormat, CacheTimes, VertexCache};
///
/// let frames = vec![vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], vec![[0.0, 0.5, 0.0], [1.0, 0.5, 0.0]]];
/// let cache = VertexCache { frames, times: CacheTimes::Frames { start: 1.0, step: 1.0 } };
/// let bytes = cache.to_pc2()?;
/// assert_eq!(VertexCache::read(CacheFormat::Pc2, &bytes)?, cache);
///
/// let error = VertexCache::read(CacheFormat::Pc2, &bytes[..50]).unwrap_err().to_string();
/// assert!(error.contains("ends at byte 50, in frame 0"), "{error}");
/// # Ok::<(), proscenium_ensemble::cache::CacheError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct VertexCache {
    /// Every frame, with one place for each vertex of the mesh.
    pub frames: Vec<Vec<[f32; 3]>>,
    /// When they are.
    pub times: CacheTimes,
}

/// Why a vertex cache cannot be read or written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// It is something else.
    #[error("this is no {format} file: {found}")]
    Unknown {
        /// What it should have been.
        format: CacheFormat,
        /// What it is like.
        found: String,
    },
    /// A PC2 file of another version.
    #[error("the PC2 file has version {found} at byte 12, and only version {PC2_VERSION} is known")]
    Version {
        /// The version.
        found: u32,
    },
    /// The file is shorter than its header says.
    #[error(
        "the file ends at byte {length}, in frame {frame} of {frames}: it promises {expected} bytes, so it is cut short or damaged"
    )]
    Truncated {
        /// How long it is.
        length: usize,
        /// The frame that is not complete.
        frame: u64,
        /// How many frames it promises.
        frames: u32,
        /// How long it would be.
        expected: u128,
    },
    /// The file is longer than its header says.
    #[error(
        "the last of {frames} frames of {points} points ends at byte {expected}, but the file has {length}: its header is wrong"
    )]
    Longer {
        /// How long it is.
        length: usize,
        /// How many frames it promises.
        frames: u32,
        /// How many points each.
        points: u32,
        /// Where they end.
        expected: u128,
    },
    /// No frames, or no points.
    #[error("the header, at byte {offset}, counts no {what}")]
    Empty {
        /// Frames or points.
        what: &'static str,
        /// Where the count stands.
        offset: usize,
    },
    /// A number that is not finite.
    #[error("point {point} of frame {frame}, at byte {offset}, is {value}: the simulation failed there")]
    NotFinite {
        /// The frame.
        frame: usize,
        /// The point.
        point: usize,
        /// Where it stands.
        offset: usize,
        /// What it is.
        value: f32,
    },
    /// Times that are no times.
    #[error("the time of frame {frame}, at byte {offset}, is {value}")]
    Time {
        /// The frame.
        frame: usize,
        /// Where it stands.
        offset: usize,
        /// What it is.
        value: f32,
        /// What would be right.
        remedy: &'static str,
    },
    /// Too much for the format, or frames of different sizes.
    #[error("{what}")]
    Unwritable {
        /// What does not fit.
        what: String,
        /// What would be right.
        remedy: &'static str,
    },
}

impl Remedy for CacheError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(match self {
            Self::Unknown { .. } => "export the cache again, or check the file's ending",
            Self::Version { .. } | Self::Truncated { .. } | Self::Longer { .. } => "export it again",
            Self::Empty { .. } => "bake the simulation before exporting it",
            Self::NotFinite { .. } => "bake it again",
            Self::Time { remedy, .. } | Self::Unwritable { remedy, .. } => remedy,
        }))
    }
}

/// In which order the bytes of a number stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

impl Order {
    fn word(self, bytes: &[u8], at: usize) -> Option<u32> {
        let word = *bytes.get(at..)?.first_chunk()?;
        Some(match self {
            Order::Little => u32::from_le_bytes(word),
            Order::Big => u32::from_be_bytes(word),
        })
    }

    fn float(self, bytes: &[u8], at: usize) -> Option<f32> {
        self.word(bytes, at).map(f32::from_bits)
    }
}

impl VertexCache {
    /// Reads a cache from the bytes of a file.
    ///
    /// # Errors
    /// Anything that is not right, with the byte where it stands.
    pub fn read(format: CacheFormat, bytes: &[u8]) -> Result<Self, CacheError> {
        match format {
            CacheFormat::Pc2 => read_pc2(bytes),
            CacheFormat::Mdd => read_mdd(bytes),
        }
    }

    /// How many frames there are in a second, if a second of the scene has
    /// `scene_frames_per_second`; a cache with times in seconds knows by itself.
    ///
    /// # Errors
    /// Times that are not evenly spaced.
    pub fn frames_per_second(&self, scene_frames_per_second: f64) -> Result<f64, CacheError> {
        match &self.times {
            CacheTimes::Frames { step, .. } => Ok(scene_frames_per_second / f64::from(*step)),
            CacheTimes::Seconds(times) => {
                let (Some(&first), Some(&last)) = (times.first(), times.last()) else {
                    return Ok(scene_frames_per_second);
                };
                if times.len() < 2 {
                    return Ok(scene_frames_per_second);
                }
                let step = (f64::from(last) - f64::from(first)) / (times.len() - 1) as f64;
                for (frame, &time) in times.iter().enumerate() {
                    let even = f64::from(first) + step * frame as f64;
                    // Single precision leaves late times this coarse.
                    let rounding = 4.0 * f64::from(f32::EPSILON) * f64::from(last).abs();
                    if (f64::from(time) - even).abs() > EVEN * step + rounding {
                        let remedy = "frames must be evenly spaced; bake with a constant step";
                        let offset = MDD_HEADER + 4 * frame;
                        return Err(CacheError::Time { frame, offset, value: time, remedy });
                    }
                }
                Ok(1.0 / step)
            }
        }
    }

    /// The cache as a PC2 file. Times in seconds become frames from 0, one by
    /// one.
    ///
    /// # Errors
    /// Frames of different sizes, and more than the format can count.
    pub fn to_pc2(&self) -> Result<Vec<u8>, CacheError> {
        let (frames, points) = self.counts()?;
        let (start, step) = match self.times {
            CacheTimes::Frames { start, step } => (start, step),
            CacheTimes::Seconds(_) => (0.0, 1.0),
        };
        let mut bytes = Vec::with_capacity(PC2_HEADER + self.frames.len() * points as usize * POINT);
        bytes.extend(PC2_MAGIC);
        bytes.extend(PC2_VERSION.to_le_bytes());
        bytes.extend(points.to_le_bytes());
        bytes.extend(start.to_le_bytes());
        bytes.extend(step.to_le_bytes());
        bytes.extend(frames.to_le_bytes());
        bytes.extend(self.frames.iter().flatten().flatten().flat_map(|number| number.to_le_bytes()));
        Ok(bytes)
    }

    /// The cache as an MDD file. Times in frames become seconds, at the given
    /// rate.
    ///
    /// # Errors
    /// Frames of different sizes, and more than the format can count.
    pub fn to_mdd(&self, frames_per_second: f64) -> Result<Vec<u8>, CacheError> {
        let (frames, points) = self.counts()?;
        let times: Vec<f32> = match &self.times {
            CacheTimes::Seconds(times) => times.clone(),
            CacheTimes::Frames { start, step } => {
                let at = |frame: u32| f64::from(*start) + f64::from(frame) * f64::from(*step);
                (0..frames).map(|frame| (at(frame) / frames_per_second) as f32).collect()
            }
        };
        let mut bytes = Vec::with_capacity(MDD_HEADER + self.frames.len() * (4 + points as usize * POINT));
        bytes.extend(frames.to_be_bytes());
        bytes.extend(points.to_be_bytes());
        bytes.extend(times.iter().flat_map(|time| time.to_be_bytes()));
        bytes.extend(self.frames.iter().flatten().flatten().flat_map(|number| number.to_be_bytes()));
        Ok(bytes)
    }

    fn counts(&self) -> Result<(u32, u32), CacheError> {
        let points = self.frames.first().map_or(0, Vec::len);
        if let Some(odd) = self.frames.iter().position(|frame| frame.len() != points) {
            let what = format!("frame {odd} has {} points, and frame 0 has {points}", self.frames[odd].len());
            return Err(CacheError::Unwritable { what, remedy: "all frames need the same points" });
        }
        let count = |number: usize| {
            u32::try_from(number).ok().filter(|&number| number <= i32::MAX as u32).ok_or_else(|| {
                let what = format!("{number} frames or points are more than the format can count");
                CacheError::Unwritable { what, remedy: "write several files" }
            })
        };
        Ok((count(self.frames.len())?, count(points)?))
    }
}

fn read_pc2(bytes: &[u8]) -> Result<VertexCache, CacheError> {
    let unknown = |found: &str| CacheError::Unknown { format: CacheFormat::Pc2, found: found.to_owned() };
    if !bytes.starts_with(PC2_MAGIC) {
        return Err(unknown("it does not begin with POINTCACHE2"));
    }
    let order = match Order::Little.word(bytes, 12) {
        Some(PC2_VERSION) => Order::Little,
        Some(_) if Order::Big.word(bytes, 12) == Some(PC2_VERSION) => Order::Big,
        Some(found) => return Err(CacheError::Version { found }),
        None => return Err(unknown("it ends within its header of 32 bytes")),
    };
    let header = (order.word(bytes, 16), order.float(bytes, 20), order.float(bytes, 24), order.word(bytes, 28));
    let (Some(points), Some(start), Some(step), Some(frames)) = header else {
        return Err(unknown("it ends within its header of 32 bytes"));
    };
    check_counts(frames, 28, points, 16)?;
    check_length(bytes, PC2_HEADER, frames, points)?;
    if !start.is_finite() {
        let remedy = "the first frame must be a number";
        return Err(CacheError::Time { frame: 0, offset: 20, value: start, remedy });
    }
    if !(step.is_finite() && step > 0.0) {
        let remedy = "frames per sample must be above zero";
        return Err(CacheError::Time { frame: 0, offset: 24, value: step, remedy });
    }
    let frames = read_frames(bytes, PC2_HEADER, points as usize, order)?;
    Ok(VertexCache { frames, times: CacheTimes::Frames { start, step } })
}

fn read_mdd(bytes: &[u8]) -> Result<VertexCache, CacheError> {
    let counts = |order: Order| Some((order.word(bytes, 0)?, order.word(bytes, 4)?));
    let fits =
        |(frames, points): &(u32, u32)| expected_length(mdd_start(*frames), *frames, *points) == bytes.len() as u128;
    let (order, (frames, points)) = match (counts(Order::Big), counts(Order::Little).filter(fits)) {
        (Some(big), None) => (Order::Big, big),
        (Some(big), Some(_)) if fits(&big) => (Order::Big, big),
        (_, Some(little)) => (Order::Little, little),
        (None, _) => {
            let found = "it ends within its header of 8 bytes".to_owned();
            return Err(CacheError::Unknown { format: CacheFormat::Mdd, found });
        }
    };
    check_counts(frames, 0, points, 4)?;
    check_length(bytes, mdd_start(frames), frames, points)?;
    let mut times: Vec<f32> = Vec::with_capacity(frames as usize);
    for frame in 0..frames as usize {
        let offset = MDD_HEADER + 4 * frame;
        let value = order.float(bytes, offset).unwrap_or(f32::NAN);
        if !value.is_finite() || times.last().is_some_and(|&last| value <= last) {
            let remedy = "times must be numbers that increase; export it again";
            return Err(CacheError::Time { frame, offset, value, remedy });
        }
        times.push(value);
    }
    let frames = read_frames(bytes, mdd_start(frames), points as usize, order)?;
    Ok(VertexCache { frames, times: CacheTimes::Seconds(times) })
}

/// Where the frames begin, after the times.
fn mdd_start(frames: u32) -> usize {
    MDD_HEADER.saturating_add((frames as usize).saturating_mul(4))
}

fn check_counts(frames: u32, frames_at: usize, points: u32, points_at: usize) -> Result<(), CacheError> {
    for (what, count, offset) in [("frames", frames, frames_at), ("points", points, points_at)] {
        if count == 0 {
            return Err(CacheError::Empty { what, offset });
        }
    }
    Ok(())
}

fn expected_length(start: usize, frames: u32, points: u32) -> u128 {
    start as u128 + u128::from(frames) * u128::from(points) * POINT as u128
}

fn check_length(bytes: &[u8], start: usize, frames: u32, points: u32) -> Result<(), CacheError> {
    let (length, expected) = (bytes.len(), expected_length(start, frames, points));
    if (length as u128) < expected {
        let frame = length.saturating_sub(start) as u64 / (u64::from(points) * POINT as u64);
        return Err(CacheError::Truncated { length, frame, frames, expected });
    }
    if length as u128 > expected {
        return Err(CacheError::Longer { length, frames, points, expected });
    }
    Ok(())
}

/// All frames, whose length has been checked.
fn read_frames(bytes: &[u8], start: usize, points: usize, order: Order) -> Result<Vec<Vec<[f32; 3]>>, CacheError> {
    let number = |word: &[u8; 4]| match order {
        Order::Little => f32::from_le_bytes(*word),
        Order::Big => f32::from_be_bytes(*word),
    };
    let mut frames = Vec::with_capacity((bytes.len() - start) / (points * POINT));
    for (frame, data) in bytes[start..].chunks_exact(points * POINT).enumerate() {
        let mut places = Vec::with_capacity(points);
        for (point, data) in data.as_chunks::<POINT>().0.iter().enumerate() {
            let words = data.as_chunks::<4>().0;
            let place = [0, 1, 2].map(|axis| number(&words[axis]));
            if let Some(axis) = place.iter().position(|x| !x.is_finite()) {
                let offset = start + (frame * points + point) * POINT + 4 * axis;
                return Err(CacheError::NotFinite { frame, point, offset, value: place[axis] });
            }
            places.push(place);
        }
        frames.push(places);
    }
    Ok(frames)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> VertexCache {
        let frames = (0..5u8).map(|frame| (0..4u8).map(|point| [f32::from(point), f32::from(frame), 0.5]).collect());
        VertexCache { frames: frames.collect(), times: CacheTimes::Frames { start: 1.0, step: 0.5 } }
    }

    fn seconds() -> VertexCache {
        VertexCache { times: CacheTimes::Seconds((0..5u8).map(|frame| f32::from(frame) / 24.0).collect()), ..cache() }
    }

    /// Every number of four bytes after the text of a PC2 file, turned round.
    fn swapped(bytes: &[u8], from: usize) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        bytes[from..].as_chunks_mut::<4>().0.iter_mut().for_each(|word| word.reverse());
        bytes
    }

    #[test]
    fn both_formats_and_both_orders_of_bytes_are_read() {
        let pc2 = cache().to_pc2().unwrap();
        assert_eq!(&pc2[..16], b"POINTCACHE2\0\x01\0\0\0");
        assert_eq!(pc2.len(), 32 + 5 * 4 * 12);
        assert_eq!(VertexCache::read(CacheFormat::Pc2, &pc2).unwrap(), cache());
        assert_eq!(VertexCache::read(CacheFormat::Pc2, &swapped(&pc2, 12)).unwrap(), cache());
        let mdd = seconds().to_mdd(24.0).unwrap();
        assert_eq!(&mdd[..8], [0, 0, 0, 5, 0, 0, 0, 4]);
        assert_eq!(VertexCache::read(CacheFormat::Mdd, &mdd).unwrap(), seconds());
        assert_eq!(VertexCache::read(CacheFormat::Mdd, &swapped(&mdd, 0)).unwrap(), seconds());
    }

    #[test]
    fn rates_follow_from_the_file_where_it_knows() {
        assert_eq!(cache().frames_per_second(24.0).unwrap(), 48.0);
        assert!((seconds().frames_per_second(60.0).unwrap() - 24.0).abs() < 1e-4);
        let CacheTimes::Seconds(mut times) = seconds().times else { panic!("seconds") };
        times[3] += 0.01;
        let uneven = VertexCache { times: CacheTimes::Seconds(times), ..cache() };
        let message = uneven.frames_per_second(24.0).unwrap_err().explain();
        assert!(message.contains("frame 3, at byte 20") && message.contains("evenly"), "{message}");
    }

    #[test]
    fn every_cut_is_an_error_that_says_where() {
        for (format, bytes) in
            [(CacheFormat::Pc2, cache().to_pc2().unwrap()), (CacheFormat::Mdd, seconds().to_mdd(24.0).unwrap())]
        {
            for length in 0..bytes.len() {
                let error = VertexCache::read(format, &bytes[..length]).unwrap_err();
                if length >= 32 {
                    assert!(matches!(error, CacheError::Truncated { .. }), "{length}: {error}");
                    assert!(error.to_string().contains(&format!("byte {length}")), "{error}");
                }
            }
            let longer = [&bytes[..], &[0; 12]].concat();
            assert!(matches!(VertexCache::read(format, &longer), Err(CacheError::Longer { .. })));
        }
    }

    #[test]
    fn counts_beyond_the_file_do_not_allocate() {
        let mut bytes = cache().to_pc2().unwrap();
        bytes[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
        bytes[28..32].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(matches!(VertexCache::read(CacheFormat::Pc2, &bytes), Err(CacheError::Truncated { frame: 0, .. })));
        let huge = [0xff; 8];
        assert!(matches!(VertexCache::read(CacheFormat::Mdd, &huge), Err(CacheError::Truncated { .. })));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_byte() {
        let bytes = cache().to_pc2().unwrap();
        let error = |at: usize, with: &[u8]| {
            let mut bytes = bytes.clone();
            bytes[at..at + with.len()].copy_from_slice(with);
            VertexCache::read(CacheFormat::Pc2, &bytes).unwrap_err().to_string()
        };
        assert!(error(0, b"Q").contains("does not begin with POINTCACHE2"));
        assert!(error(12, &[2]).contains("version 2 at byte 12"));
        assert!(error(16, &[0]).contains("byte 16, counts no points"));
        assert!(error(28, &[0]).contains("byte 28, counts no frames"));
        assert!(error(24, &0f32.to_le_bytes()).contains("byte 24, is 0"));
        let place = 32 + (2 * 4 + 3) * 12 + 4;
        let message = error(place, &f32::NAN.to_le_bytes());
        assert!(message.contains(&format!("point 3 of frame 2, at byte {place}, is NaN")), "{message}");
    }

    #[test]
    fn frames_of_different_sizes_are_not_written() {
        let mut odd = cache();
        odd.frames[3].pop();
        assert!(odd.to_pc2().unwrap_err().to_string().contains("frame 3 has 3 points"));
    }
}
