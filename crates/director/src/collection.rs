//! What was found, as far as it is compared: what differs, and what differs most.

use proscenium_direct::most_different;
use proscenium_direct::record::Entry;
use proscenium_scenes::{Directed, Sketch};
use proscenium_work::{Halt, Progress, parallel};

use crate::error::DirectorError;

/// Of more samples than this, only the first are compared: chosen, since each is
/// compared with all that differ.
const MOST_COMPARED: usize = 1000;
/// Animations are of one kind while no body is further from its place in the
/// other than so many of its radii: chosen by looking at many.
const ALIKE: f64 = 3.0;

/// An animation that was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    /// Its place in the archive, from 0.
    pub index: usize,
    /// The sample, and which wants it meets.
    pub entry: Entry,
    /// How it differs from the one among the others that is most alike.
    pub difference: Option<Difference>,
}

/// How two animations differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// How far apart the paths of a body get, in its radii, for the body for
    /// which that is most.
    pub radii: f64,
    /// How many contacts only one of the two has.
    pub contacts: usize,
}

impl Difference {
    fn between(a: &Sketch, b: &Sketch) -> Self {
        Self { radii: a.apart(b), contacts: a.other_contacts(b) }
    }
}

/// What was found, as far as it is compared.
#[derive(Default)]
pub(crate) struct Collection {
    sketches: Vec<Sketch>,
    /// Those that differ from all before them.
    different: Vec<usize>,
    /// Of each, the first one that it is like; of one that is not compared,
    /// itself.
    kinds: Vec<u32>,
}

impl Collection {
    /// What an archive holds already, simulated again.
    pub fn of(directed: &Directed, entries: &[Entry], progress: &Progress) -> Result<Self, Halt<DirectorError>> {
        let compared = &entries[..entries.len().min(MOST_COMPARED)];
        let counter = progress.counter("simulating again what was found", compared.len());
        let sketch = |entry: &Entry| -> Result<Sketch, Halt<DirectorError>> {
            let again = directed.outcome(&entry.sample.point, progress).map_err(DirectorError::from)?;
            let again = again.finished().ok_or(Halt::Stopped)?;
            counter.count()?;
            Ok(directed.sketch(&again.outcome))
        };
        let mut collection = Self::default();
        parallel::try_map(compared, sketch)?.into_iter().for_each(|sketch| collection.add(sketch));
        (compared.len()..entries.len()).for_each(|_| collection.add_uncompared());
        Ok(collection)
    }

    pub fn add(&mut self, sketch: Sketch) {
        let place = self.sketches.len();
        if place >= MOST_COMPARED {
            self.add_uncompared();
            return;
        }
        if self.different.iter().all(|other| self.sketches[*other].differs(&sketch)) {
            self.different.push(place);
        }
        let mut firsts = self.kinds.iter().enumerate().filter(|(index, kind)| **kind as usize == *index);
        let like = firsts.find(|(index, _)| self.sketches[*index].apart(&sketch) <= ALIKE);
        self.kinds.push(like.map_or(place, |(index, _)| index) as u32);
        self.sketches.push(sketch);
    }

    fn add_uncompared(&mut self) {
        self.kinds.push(self.kinds.len() as u32);
    }

    /// How many differ from each other.
    pub fn different(&self) -> usize {
        self.different.len()
    }

    /// Of each, the first one that it is like.
    pub fn kinds(&self) -> &[u32] {
        &self.kinds
    }

    /// Those of the different animations that differ most.
    pub fn most_different(&self, entries: &[Entry], samples: usize) -> Vec<Animation> {
        let sketch = |place: usize| &self.sketches[self.different[place]];
        let selection = most_different(self.different.len(), samples, |a, b| sketch(a).distance(sketch(b)));
        let animation = |place: &usize| {
            let others = selection.chosen.iter().filter(|other| *other != place);
            let distance = |other: &usize| sketch(*place).distance(sketch(*other));
            let nearest = others.min_by(|a, b| distance(a).total_cmp(&distance(b)));
            let index = self.different[*place];
            let difference = nearest.map(|other| Difference::between(sketch(*place), sketch(*other)));
            entries.get(index).map(|entry| Animation { index, entry: entry.clone(), difference })
        };
        selection.chosen.iter().filter_map(animation).collect()
    }
}
