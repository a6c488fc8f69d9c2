//! Shapes that are made from modes once, and kept for whoever asks again.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::data::{Moment, SequenceInfo};

/// How much memory is taken at most, bytes: of an ensemble, shapes may be kept in
/// two frames of reference. Chosen: a gibibyte in all for an ensemble is what a laptop
/// has to spare.
const MOST: usize = 1 << 29;

/// The vertices of all groups at a moment, once someone has asked for them.
type Place = OnceLock<Box<[[f32; 3]]>>;

/// The vertices of all groups, in one frame of reference, for every moment that
/// was asked for.
///
/// Many instances of an ensemble, and many programs of a build, ask for the same
/// moments. What is kept has no influence on any result: it is what the modes
/// give, and when memory is used up, they give it again.
#[derive(Default)]
pub(crate) struct ShapeCache {
    moments: Vec<Vec<Place>>,
    bytes: AtomicUsize,
}

impl ShapeCache {
    pub fn new(sequences: &[SequenceInfo]) -> Self {
        let empty = |info: &SequenceInfo| (0..info.frames).map(|_| OnceLock::new()).collect();
        Self { moments: sequences.iter().map(empty).collect(), bytes: AtomicUsize::new(0) }
    }

    /// The shapes of a moment; `None` if they are not kept and there is no room
    /// for `size` bytes more.
    #[inline]
    pub fn get(&self, moment: Moment, size: usize, make: impl FnOnce() -> Box<[[f32; 3]]>) -> Option<&[[f32; 3]]> {
        let place = self.moments.get(moment.sequence as usize)?.get(moment.frame as usize)?;
        match place.get() {
            Some(shapes) => Some(shapes),
            None => self.fill(place, size, make),
        }
    }

    #[cold]
    fn fill<'kept>(
        &self,
        place: &'kept Place,
        size: usize,
        make: impl FnOnce() -> Box<[[f32; 3]]>,
    ) -> Option<&'kept [[f32; 3]]> {
        if self.bytes.load(Ordering::Relaxed) + size > MOST {
            return None;
        }
        let shapes = place.get_or_init(|| {
            self.bytes.fetch_add(size, Ordering::Relaxed);
            make()
        });
        Some(shapes)
    }

    /// How much memory is used, bytes.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

impl std::fmt::Debug for ShapeCache {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "ShapeCache({} bytes)", self.bytes())
    }
}

/// A copy keeps nothing yet.
impl Clone for ShapeCache {
    fn clone(&self) -> Self {
        let empty = |moments: &Vec<Place>| moments.iter().map(|_| OnceLock::new()).collect();
        Self { moments: self.moments.iter().map(empty).collect(), bytes: AtomicUsize::new(0) }
    }
}

/// What is kept makes no difference.
impl PartialEq for ShapeCache {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
