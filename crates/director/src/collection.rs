//! What was found, as far as it is compared: what differs, and what differs most.

use proscenium_direct::most_different;
use proscenium_direct::record::Entry;
use proscenium_scenes::{DirectedScene, Sketch};
use proscenium_work::{Halt, Progress, parallel};

use crate::error::DirectorError;
use crate::neighbours::{Neighbours, Sketches};

/// So many are chosen because they differ most, at a cost that grows with how many
/// there are to choose from; further ones are taken as they were found.
const MOST_CHOSEN: usize = 500;
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
    /// How it differs from the one among the others that is most alike, if they were
    /// chosen for that.
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
pub(crate) struct Collection {
    /// The sketches of those that differ from all before them.
    sketches: Sketches,
    different: Neighbours,
    /// The first of each kind.
    firsts: Neighbours,
    /// Of each, the first one that it is like.
    kinds: Vec<u32>,
}

impl Default for Collection {
    fn default() -> Self {
        Self {
            sketches: Sketches::new(),
            different: Neighbours::within(1.0),
            firsts: Neighbours::within(ALIKE),
            kinds: Vec::new(),
        }
    }
}

impl Collection {
    /// What an archive holds already, simulated again.
    pub fn of(directed: &DirectedScene, entries: &[Entry], progress: &Progress) -> Result<Self, Halt<DirectorError>> {
        let counter = progress.counter("simulating again what was found", entries.len());
        let sketch = |entry: &Entry| -> Result<Sketch, Halt<DirectorError>> {
            let again = directed.outcome(&entry.sample.point, progress).map_err(DirectorError::from)?;
            let again = again.finished().ok_or(Halt::Stopped)?;
            counter.count()?;
            Ok(directed.sketch(&again.outcome))
        };
        let mut collection = Self::default();
        parallel::try_map(entries, sketch)?.into_iter().for_each(|sketch| collection.add(sketch));
        Ok(collection)
    }

    pub fn add(&mut self, sketch: Sketch) {
        let place = self.kinds.len() as u32;
        if let Some(like) = self.different.find(&sketch, &self.sketches) {
            self.kinds.push(self.kinds[like as usize]);
            return;
        }
        let kind = self.firsts.find(&sketch, &self.sketches);
        self.kinds.push(kind.unwrap_or(place));
        self.sketches.insert(place, sketch);
        self.different.add(place, &self.sketches);
        if kind.is_none() {
            self.firsts.add(place, &self.sketches);
        }
    }

    /// Whether the one at a place differs from all before it.
    pub fn is_different(&self, place: usize) -> bool {
        self.sketches.contains_key(&(place as u32))
    }

    /// How many differ from each other.
    pub fn different(&self) -> usize {
        self.different.members().len()
    }

    /// Of each, the first one that it is like.
    pub fn kinds(&self) -> &[u32] {
        &self.kinds
    }

    /// Those of the different animations that differ most.
    pub fn most_different(&self, entries: &[Entry], samples: usize) -> Vec<Animation> {
        let different: Vec<(usize, &Sketch)> =
            self.sketches.iter().map(|(at, sketch)| (*at as usize, sketch)).collect();
        let sketch = |place: usize| different[place].1;
        let few = samples.min(MOST_CHOSEN);
        let chosen = most_different(different.len(), few, |a, b| sketch(a).distance(sketch(b))).chosen;
        let nearest = nearest_of(chosen.len(), |a, b| sketch(chosen[a]).distance(sketch(chosen[b])));
        let animation = |(place, nearest): (usize, Option<usize>)| {
            let difference = nearest.map(|other| Difference::between(sketch(place), sketch(other)));
            let index = different[place].0;
            entries.get(index).map(|entry| Animation { index, entry: entry.clone(), difference })
        };
        let mut is_chosen = vec![false; different.len()];
        chosen.iter().for_each(|place| is_chosen[*place] = true);
        let further = (0..different.len()).filter(|place| !is_chosen[*place]).take(samples - few);
        let chosen_with_nearest =
            chosen.iter().zip(nearest).map(|(place, nearest)| (*place, nearest.map(|at| chosen[at])));
        chosen_with_nearest.chain(further.map(|place| (place, None))).filter_map(animation).collect()
    }
}

/// Of each of so many, the one that is nearest to it; every pair is compared once.
fn nearest_of(count: usize, distance: impl Fn(usize, usize) -> f64) -> Vec<Option<usize>> {
    let mut nearest: Vec<Option<(f64, usize)>> = vec![None; count];
    for a in 0..count {
        for b in a + 1..count {
            let far = distance(a, b);
            for (one, other) in [(a, b), (b, a)] {
                if nearest[one].is_none_or(|(least, _)| far.total_cmp(&least).is_lt()) {
                    nearest[one] = Some((far, other));
                }
            }
        }
    }
    nearest.into_iter().map(|found| found.map(|(_, other)| other)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_chance::Seed;
    use proscenium_direct::Model as _;
    use proscenium_scenes::{Scene, Source};

    const DIE: &str = include_str!("../../scenes/tests/scenes/die.toml");

    /// Throws of a die from nearly one place, so that many are alike.
    fn sketches(spread: &str, count: u64) -> Vec<Sketch> {
        let text = DIE.replace("[0.5, 0.2]", spread).replace("[0, 10]", "[0, 0.01]");
        let text = text.replace("orientation = \"uniform\"\n", "");
        let scene = Scene::parse(&text, &Source::inline("die.toml", &text)).unwrap();
        let directed = DirectedScene::new(&scene.with_wants("die shows 1").unwrap()).unwrap();
        let stream = Seed(5).stream("test");
        let one = |index| {
            let point = directed.space().draw(&mut stream.at(index));
            directed.sketch(&directed.outcome(&point, &Progress::none()).unwrap().finished().unwrap().outcome)
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn nearest_ones_are_those_of_all_pairs() {
        let places = [0.0_f64, 7.0, 1.0, 5.0, 9.0];
        let nearest = nearest_of(places.len(), |a, b| (places[a] - places[b]).abs());
        // Of equally near ones the first.
        assert_eq!(nearest, [Some(2), Some(3), Some(0), Some(1), Some(1)]);
        assert_eq!(nearest_of(1, |_, _| 0.0), [None]);
    }

    #[test]
    fn who_is_like_whom_is_found_as_by_looking_at_all() {
        for spread in ["[0.5, 0.01]", "[0.5, 0.2]", "[0.5, 2.0]"] {
            let sketches = sketches(spread, 300);
            let mut collection = Collection::default();
            sketches.iter().for_each(|sketch| collection.add(sketch.clone()));
            let (mut different, mut firsts, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
            for (index, sketch) in sketches.iter().enumerate() {
                let like = |others: &[usize], reach| {
                    others.iter().copied().find(|other: &usize| !sketches[*other].is_further(sketch, reach))
                };
                if let Some(like) = like(&different, 1.0) {
                    kinds.push(kinds[like]);
                    continue;
                }
                different.push(index);
                let kind = like(&firsts, ALIKE);
                firsts.extend(kind.is_none().then_some(index));
                kinds.push(kind.unwrap_or(index) as u32);
            }
            assert_eq!(collection.kinds(), kinds, "{spread}");
            assert_eq!(collection.different(), different.len(), "{spread}");
            assert!(different.len() > 1 && different.len() < 300, "{spread}: {}", different.len());
        }
    }
}
