//! The most different of many.

/// The items of `0..count` that were chosen, most different first.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The chosen items, in the order of choice.
    pub chosen: Vec<usize>,
    /// The least distance between any two of them; infinite for one or none.
    pub least_distance: f64,
}

/// Chooses items that differ most: each is the one farthest from all chosen
/// before (Gonzalez 1985). The least distance is at least half of the best
/// possible.
///
/// Begins with item 0, so that the choice for a smaller number is the beginning
/// of that for a larger one. Of equally far items the first is chosen. Distances
/// that are not numbers count as zero.
///
/// ```
/// use proscenium_direct::most_different;
///
/// let places = [0.0_f64, 0.1, 5.0, 9.0, 9.2];
/// let selection = most_different(places.len(), 3, |a, b| (places[a] - places[b]).abs());
/// assert_eq!(selection.chosen, [0, 4, 2]);
/// assert!((selection.least_distance - 4.2).abs() < 1e-12);
/// ```
pub fn most_different(count: usize, wanted: usize, distance: impl Fn(usize, usize) -> f64) -> Selection {
    let mut selection = Selection { chosen: Vec::new(), least_distance: f64::INFINITY };
    // How far each item is from the nearest that was chosen.
    let mut apart = vec![f64::INFINITY; count];
    let mut next = (wanted > 0 && count > 0).then_some(0);
    while let Some(item) = next {
        selection.chosen.push(item);
        apart[item] = f64::NEG_INFINITY;
        for (other, nearest) in apart.iter_mut().enumerate() {
            if *nearest > f64::NEG_INFINITY {
                let far = distance(item, other);
                *nearest = nearest.min(if far.is_nan() { 0.0 } else { far });
            }
        }
        next = farthest(&apart).filter(|_| selection.chosen.len() < wanted);
        if let Some(item) = next {
            selection.least_distance = selection.least_distance.min(apart[item]);
        }
    }
    selection
}

/// The first of the items farthest from all chosen; `None` if all are.
fn farthest(apart: &[f64]) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (item, far) in apart.iter().enumerate() {
        if *far > f64::NEG_INFINITY && best.is_none_or(|best| *far > apart[best]) {
            best = Some(item);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn few_and_none_are_fine() {
        let none = most_different(0, 3, |_, _| 1.0);
        assert_eq!((none.chosen.len(), none.least_distance), (0, f64::INFINITY));
        assert_eq!(most_different(5, 0, |_, _| 1.0).chosen, [0_usize; 0]);
        let all = most_different(2, 9, |_, _| f64::NAN);
        assert_eq!((all.chosen, all.least_distance), (vec![0, 1], 0.0));
    }

    proptest! {
        /// The greedy choice is at least half as good as the best one.
        #[test]
        fn the_choice_is_within_two_of_the_best(places in prop::collection::vec(0.0_f64..100.0, 4..9)) {
            let distance = |a: usize, b: usize| (places[a] - places[b]).abs();
            let found = most_different(places.len(), 3, distance);
            let mut best: f64 = 0.0;
            for a in 0..places.len() {
                for b in 0..a {
                    for c in 0..b {
                        best = best.max(distance(a, b).min(distance(b, c)).min(distance(a, c)));
                    }
                }
            }
            prop_assert!(found.least_distance >= 0.5 * best - 1e-12);
            let chosen = &found.chosen;
            let least = distance(chosen[0], chosen[1]).min(distance(chosen[1], chosen[2])).min(distance(chosen[0], chosen[2]));
            prop_assert_eq!(least, found.least_distance);
        }
    }
}
