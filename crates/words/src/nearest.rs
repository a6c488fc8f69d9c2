//! What someone may have meant.

/// Longer words are not compared: nobody mistypes them by a letter.
const LONGEST: usize = 60;

/// Of very many words only so many are compared.
const MOST_KNOWN: usize = 5_000;

/// The known word that is nearest to a mistyped one, if one is near.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.chars().count() > LONGEST {
        return None;
    }
    let allowed = (word.chars().count() / 3).max(1);
    let lower = word.to_lowercase();
    known
        .into_iter()
        .take(MOST_KNOWN)
        .filter(|candidate| candidate.chars().count() <= LONGEST)
        .map(|candidate| (distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters must be changed, added, dropped or swapped with their
/// neighbour (the optimal string alignment distance).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistyped_words_are_recognised() {
        let known = ["density", "restitution", "friction", "colour"];
        assert_eq!(nearest("densty", known), Some("density"));
        assert_eq!(nearest("Density", known), Some("density"));
        assert_eq!(nearest("color", known), Some("colour"));
        assert_eq!(nearest("firction", known), Some("friction"));
        assert_eq!(nearest("mass", known), None);
        assert_eq!(nearest("", known), None);
    }

    #[test]
    fn distances_count_edits() {
        for (a, b, expected) in [("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("kitten", "sitting", 3)] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }
}
