//! Who sees what when: randomised and counterbalanced.

use proscenium_chance::Seed;

/// One clip shown to one person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Which person, from 1.
    pub participant: u32,
    /// Which of the person's trials, from 1.
    pub number: u32,
    /// Which time the person sees the condition, from 1.
    pub repetition: u32,
    /// Which condition, from 0.
    pub condition: usize,
}

/// Trials for some people: each sees every condition so many times, in rows of
/// a Latin square in which every condition follows every other equally often
/// (Williams), with the conditions put to its letters at random.
pub(crate) fn schedule(conditions: usize, repetitions: u32, participants: u32, seed: Seed) -> Vec<Trial> {
    let mut letters: Vec<usize> = (0..conditions).collect();
    seed.stream("lod study").shuffle(&mut letters);
    let mut trials = Vec::new();
    for participant in 0..participants {
        for repetition in 0..repetitions {
            let row = row(conditions, (participant * repetitions + repetition) as usize);
            for (place, letter) in row.into_iter().enumerate() {
                trials.push(Trial {
                    participant: participant + 1,
                    number: repetition * conditions as u32 + place as u32 + 1,
                    repetition: repetition + 1,
                    condition: letters[letter],
                });
            }
        }
    }
    trials
}

/// A row of Williams' square: 0, n−1, 1, n−2, … shifted; for an odd number of
/// conditions every second row is the one before, backwards.
fn row(conditions: usize, number: usize) -> Vec<usize> {
    let n = conditions.max(1);
    let rows = if n.is_multiple_of(2) { n } else { 2 * n };
    let number = number % rows;
    let (shift, backwards) = if n.is_multiple_of(2) { (number, false) } else { (number / 2, number % 2 == 1) };
    let zigzag = |place: usize| if place.is_multiple_of(2) { place / 2 } else { n - 1 - place / 2 };
    let mut row: Vec<usize> = (0..conditions).map(|place| (zigzag(place) + shift) % n).collect();
    if backwards {
        row.reverse();
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_condition_follows_every_other_equally_often() {
        for n in [2_usize, 5, 8, 27] {
            let rows = if n.is_multiple_of(2) { n } else { 2 * n };
            let mut follows = vec![0_u32; n * n];
            let mut at = vec![0_u32; n * n];
            for number in 0..rows {
                let row = row(n, number);
                row.windows(2).for_each(|pair| follows[pair[0] * n + pair[1]] += 1);
                row.iter().enumerate().for_each(|(place, letter)| at[place * n + letter] += 1);
            }
            let expected = (rows / n) as u32;
            for (index, count) in follows.iter().enumerate() {
                assert_eq!(*count, if index / n == index % n { 0 } else { expected }, "{n}");
            }
            assert!(at.iter().all(|count| *count == expected));
        }
    }

    #[test]
    fn everybody_sees_everything() {
        let trials = schedule(27, 3, 20, Seed(1));
        assert_eq!(trials.len(), 27 * 3 * 20);
        for participant in 1..=20 {
            let mut own: Vec<usize> =
                trials.iter().filter(|trial| trial.participant == participant).map(|trial| trial.condition).collect();
            own.sort_unstable();
            assert!(own.chunks(3).enumerate().all(|(condition, chunk)| chunk == [condition; 3]));
        }
        assert_eq!(trials, schedule(27, 3, 20, Seed(1)));
        assert_ne!(trials, schedule(27, 3, 20, Seed(2)));
    }
}
