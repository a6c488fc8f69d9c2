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
        // Letters changed, added, dropped, or swapped with their neighbour.
        .map(|candidate| (strsim::osa_distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
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
}
