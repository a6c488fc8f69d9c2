//! Wishes in words: seven sentences with places for numbers and kinds, and a time.

use super::wish::{Hand, USUALLY, Wish, WishError};
use crate::driving::VehicleKind;
use crate::wander::CarId;

/// What a sentence has: words, one of which must be there, and places.
#[derive(Clone, Copy)]
enum Part {
    /// One of these words.
    Word(&'static [&'static str]),
    /// A kind of vehicle.
    Kind,
    /// A number of cars, or of a car.
    Count,
    /// Seconds.
    Seconds,
    /// Metres.
    Metres,
    /// Left or right.
    Side,
}

use Part::{Count, Kind, Metres, Seconds, Side, Word};

const A: Part = Word(&["a", "one"]);
const THE: Part = Word(&["the"]);
const NEXT: Part = Word(&["next"]);

/// The sentences, in the order of [`made`].
const SENTENCES: [&[Part]; 7] = [
    &[A, Word(&["car"]), Word(&["runs"]), THE, Word(&["red"]), Word(&["light"]), Word(&["ahead"])],
    &[A, Kind, Word(&["comes"]), Word(&["round", "around"]), THE, NEXT, Word(&["corner"])],
    &[Count, Word(&["cars"]), Word(&["in"]), A, Word(&["row"]), Word(&["arrive", "come"]), Word(&["from"]), THE, Side],
    &[Word(&["car"]), Count, Word(&["comes"]), Word(&["back"])],
    &[THE, Word(&["street", "road"]), Word(&["ahead"]), Word(&["is"]), Word(&["empty"]), Word(&["for"]), Seconds],
    &[A, Word(&["car"]), Word(&["cuts"]), Word(&["in"]), Word(&["with"]), Metres, Word(&["to"]), Word(&["spare"])],
    &[
        Word(&["an"]),
        Word(&["accident"]),
        Word(&["is"]),
        Word(&["avoided"]),
        Word(&["at"]),
        THE,
        NEXT,
        Word(&["junction", "crossing"]),
    ],
];

/// What was found in the places of a sentence.
#[derive(Clone, Copy, Debug, Default)]
struct Slots {
    number: f64,
    kind: Option<VehicleKind>,
    side: Option<Hand>,
}

/// How far a sentence went: at which word it ended, and what was expected there.
struct Miss {
    place: usize,
    expected: String,
}

pub(super) fn parse(text: &str) -> Result<Wish, WishError> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().map(|word| word.trim_matches(['.', ',', '"', '!'])).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let mut best: Option<Miss> = None;
    for (number, sentence) in SENTENCES.iter().enumerate() {
        match follow(sentence, &words) {
            Ok((found, within)) => return Ok(made(number, found, within)),
            Err(miss) => match &mut best {
                Some(known) if miss.place < known.place => {}
                Some(known) if miss.place == known.place => {
                    if !known.expected.contains(&miss.expected) {
                        known.expected = format!("{}, or {}", known.expected, miss.expected);
                    }
                }
                _ => best = Some(miss),
            },
        }
    }
    let (place, expected) = best.map_or((0, String::new()), |miss| (miss.place, miss.expected));
    let place = if words.is_empty() { 0 } else { place + 1 };
    Err(WishError::Words { words: text.to_owned(), place, expected })
}

fn made(sentence: usize, found: Slots, within: f64) -> Wish {
    match sentence {
        0 => Wish::RunsRed { within },
        1 => Wish::ComesRound { kind: found.kind.unwrap_or(VehicleKind::Car), within },
        2 => Wish::InARow { count: found.number as u32, from: found.side.unwrap_or(Hand::Left), within },
        3 => Wish::ComesBack { car: CarId(found.number as u32), within },
        4 => Wish::Empty { seconds: found.number, within },
        5 => Wish::CutsIn { spare: found.number, within },
        _ => Wish::AccidentAvoided { within },
    }
}

/// Follows a sentence, and a time after it.
fn follow(sentence: &[Part], words: &[&str]) -> Result<(Slots, f64), Miss> {
    let (mut place, mut found) = (0, Slots::default());
    for part in sentence {
        place += take(part, &words[place..], &mut found).map_err(|expected| Miss { place, expected })?;
    }
    if place == words.len() {
        return Ok((found, USUALLY));
    }
    let mut time = Slots::default();
    for part in [Word(&["within", "in"]), Seconds] {
        place += take(&part, &words[place..], &mut time).map_err(|expected| Miss { place, expected })?;
    }
    if place < words.len() {
        return Err(Miss { place, expected: "nothing more".into() });
    }
    Ok((found, time.number))
}

/// Takes a part from the words: how many they were.
fn take(part: &Part, words: &[&str], found: &mut Slots) -> Result<usize, String> {
    let first = words.first().copied().unwrap_or("");
    match part {
        Word(options) if options.contains(&first) => Ok(1),
        Word(options) => Err(format!("\"{}\"", options[0])),
        Kind => {
            let kinds = VehicleKind::SHARES.map(|(kind, _)| kind);
            found.kind = kinds.into_iter().find(|kind| kind.to_string() == first);
            found.kind.map(|_| 1).ok_or_else(|| "a car, van, lorry or bus".into())
        }
        Side => {
            found.side = [("left", Hand::Left), ("right", Hand::Right)].into_iter().find(|s| s.0 == first).map(|s| s.1);
            found.side.map(|_| 1).ok_or_else(|| "left or right".into())
        }
        Count => {
            let is_whole = |number: &f64| *number >= 0.0 && number.fract() == 0.0 && *number <= f64::from(u32::MAX);
            found.number = number(first).filter(is_whole).ok_or("a whole number")?;
            Ok(1)
        }
        Seconds => {
            measure(words, &[("s", 1.0), ("second", 1.0), ("seconds", 1.0), ("minute", 60.0), ("minutes", 60.0)])
                .map(|(taken, seconds)| {
                    found.number = seconds;
                    taken
                })
                .ok_or_else(|| "a time, as \"30 s\" or \"a minute\"".into())
        }
        Metres => measure(words, &[("m", 1.0), ("metre", 1.0), ("metres", 1.0), ("meters", 1.0)])
            .map(|(taken, metres)| {
                found.number = metres;
                taken
            })
            .ok_or_else(|| "a distance, as \"3 m\"".into()),
    }
}

/// A number and a unit, in one word or two; "half a minute" too.
fn measure(words: &[&str], units: &[(&str, f64)]) -> Option<(usize, f64)> {
    let unit = |word: &str| units.iter().find(|(name, _)| *name == word).map(|(_, size)| *size);
    if let ["half", "a", word, ..] = words {
        return Some((3, 0.5 * unit(word)?));
    }
    let first = words.first()?;
    if let (Some(number), Some(size)) = (number(first), words.get(1).and_then(|word| unit(word))) {
        return Some((2, number * size));
    }
    let digits = first.find(|letter: char| !(letter.is_ascii_digit() || letter == '.'))?;
    Some((1, number(&first[..digits])? * unit(&first[digits..])?))
}

/// A number in digits or as a word.
fn number(word: &str) -> Option<f64> {
    const WORDS: [&str; 21] = [
        "no",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    if word == "a" {
        return Some(1.0);
    }
    if word == "thirty" {
        return Some(30.0);
    }
    let spelled = WORDS.iter().position(|known| *known == word).map(|place| place as f64);
    let digits = || word.starts_with(|letter: char| letter.is_ascii_digit()).then(|| word.parse().ok()).flatten();
    spelled.or_else(digits).filter(|number: &f64| number.is_finite())
}
