//! Wants in a few words, as one says them on a command line.

use std::ops::Range;

use crate::error::{SceneErrors, Source};
use crate::report::{Path, Report};

use super::super::read::parse;
use super::super::table::Reader;
use super::predicate::{self, NOT_UNDERSTOOD};
use super::{At, BodiesFile, HitsFile, WantFile};

/// What a text of wants is called in messages.
const SOURCE: &str = "--want";

/// The words with which it is said what a body does.
const VERBS: &[&str] = &[
    "shows", "show", "rests", "rest", "stands", "stand", "falls", "fall", "stays", "stay", "hits", "hit", "ends",
    "end", "is", "are", "lies", "lie", "touches", "touch", "faces", "face", "passes", "pass", "spins", "spin", "moves",
    "move", "near", "on", "in", "slower", "faster",
];

/// A word and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'t> {
    pub text: &'t str,
    pub start: usize,
}

/// What is not understood, and where.
#[derive(Debug)]
pub(super) struct SentenceError {
    pub span: Range<usize>,
    pub message: String,
}

/// From the first to the last of some words.
pub(super) fn span(words: &[Word<'_>]) -> Range<usize> {
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => first.start..last.start + last.text.len(),
        _ => 0..0,
    }
}

pub(super) fn joined(words: &[Word<'_>]) -> String {
    words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
}

/// The texts of words, to be compared with.
pub(super) fn texts<'t>(words: &[Word<'t>]) -> Vec<&'t str> {
    words.iter().map(|word| word.text).collect()
}

pub(super) fn not_understood(words: &[Word<'_>], all: &[Word<'_>]) -> SentenceError {
    let words = if words.is_empty() { all } else { words };
    SentenceError { span: span(words), message: format!("\"{}\" is not understood", joined(words)) }
}

pub(super) fn number(word: Word<'_>) -> Option<At<f64>> {
    let number = word.text.parse().ok().filter(|number: &f64| number.is_finite())?;
    Some(At::new(number, span(&[word])))
}

pub(super) fn whole(word: Word<'_>) -> Option<At<u64>> {
    Some(At::new(word.text.parse().ok()?, span(&[word])))
}

/// Names with "and" between them.
pub(super) fn bodies(words: &[Word<'_>]) -> At<BodiesFile> {
    let mut names = words.split(|word| word.text == "and").map(joined);
    let bodies = match (names.next(), names.next()) {
        (Some(first), Some(second)) => BodiesFile::Many([first, second].into_iter().chain(names).collect()),
        (first, _) => BodiesFile::One(first.unwrap_or_default()),
    };
    At::new(bodies, span(words))
}

impl WantFile {
    /// Reads wants, a table as in the file or sentences with commas between them, and the
    /// text in which they have their places.
    pub(crate) fn sentences(text: &str) -> Result<(Vec<WantFile>, Source), SceneErrors> {
        if text.contains('=') {
            return tables(text);
        }
        let source = Source::inline(SOURCE, text);
        let mut report = Report::new(Some(&source));
        let mut wants = Vec::new();
        for words in clauses(text) {
            match sentence(&words) {
                Ok(want) => wants.push(want),
                Err(wrong) => {
                    report.error(&wrong.span, &Path::ROOT, wrong.message, Some(NOT_UNDERSTOOD.to_owned()));
                }
            }
        }
        let wants = report.finish(Some(wants))?;
        Ok((wants, source))
    }
}

fn tables(text: &str) -> Result<(Vec<WantFile>, Source), SceneErrors> {
    let before = "want = [";
    let source = Source::inline(SOURCE, format!("{before}{text}]"));
    let mut report = Report::new(Some(&source));
    let wants = parse(&source.text, &mut report).map(|document| {
        let mut reader = Reader { report: &mut report };
        let root = &Path::ROOT;
        let path = &root.key("want");
        let fields = reader.any_table(&document, root);
        let items = fields.and_then(|fields| fields.get("want")).and_then(|wants| reader.array(wants, path));
        let items = items.unwrap_or(&[]).iter().enumerate();
        items.filter_map(|(index, item)| reader.want(item, &path.index(index))).collect()
    });
    let wants = report.finish(wants)?;
    Ok((wants, source))
}

/// The words of each clause; commas and semicolons end one.
fn clauses(text: &str) -> Vec<Vec<Word<'_>>> {
    let mut all = Vec::new();
    for clause in text.split([',', ';']) {
        let base = offset(text, clause);
        let words = clause.split_whitespace();
        let words: Vec<Word<'_>> = words.map(|word| Word { text: word, start: base + offset(clause, word) }).collect();
        if !words.is_empty() {
            all.push(words);
        }
    }
    all
}

/// Where a part of a text begins in it.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

fn is_verb(word: &Word<'_>) -> bool {
    VERBS.contains(&word.text)
}

/// One want.
fn sentence(all: &[Word<'_>]) -> Result<WantFile, SentenceError> {
    if let [words @ .., word, weight] = all
        && word.text == "weight"
        && !words.is_empty()
    {
        let weight = number(*weight).ok_or_else(|| not_understood(&[*weight], all))?;
        return Ok(WantFile { weight: Some(weight), ..sentence(words)? });
    }
    match all {
        [first, rest @ ..] if first.text == "either" && !rest.is_empty() => {
            let of: Result<Vec<WantFile>, SentenceError> = rest.split(|word| word.text == "or").map(sentence).collect();
            Ok(WantFile { of: of?, at_least: Some(1.into()), ..WantFile::default() })
        }
        [first, rest @ ..] if first.text == "not" && !rest.is_empty() => {
            Ok(WantFile { not: Some(Box::new(sentence(rest)?)), ..WantFile::default() })
        }
        all if all.iter().any(|word| word.text == "then") => order(all),
        all => counted(all),
    }
}

/// What happens one after the other. What a step leaves out is as in the first.
fn order(all: &[Word<'_>]) -> Result<WantFile, SentenceError> {
    let (words, time) = predicate::time(all);
    let mut steps = words.split(|word| word.text == "then");
    let first = steps.next().unwrap_or_default();
    let verb = first.iter().position(is_verb).filter(|at| *at > 0).ok_or_else(|| not_understood(first, all))?;
    let mut then = vec![counted(first)?];
    for step in steps {
        let own = step.iter().position(is_verb);
        let left_out = match own {
            Some(0) => &first[..verb],
            Some(_) => &[],
            None => &first[..=verb],
        };
        if step.is_empty() {
            return Err(not_understood(&[], all));
        }
        then.push(counted(&[left_out, step].concat())?);
    }
    Ok(time.of_stretch(WantFile { then, ..WantFile::default() }))
}

/// A want about so many of some bodies, or all of them.
fn counted(all: &[Word<'_>]) -> Result<WantFile, SentenceError> {
    let of = |words: &[Word<'_>], count: &Word<'_>| whole(*count).filter(|_| !words.is_empty());
    match (&texts(all)[..], all) {
        (["at", "least", _, "of", ..], [_, _, count, _, words @ ..]) if of(words, count).is_some() => {
            Ok(WantFile { at_least: whole(*count), ..plain(words)? })
        }
        (["at", "most", _, "of", ..], [_, _, count, _, words @ ..]) if of(words, count).is_some() => {
            Ok(WantFile { at_most: whole(*count), ..plain(words)? })
        }
        (["exactly", _, "of", ..], [_, count, _, words @ ..]) if of(words, count).is_some() => {
            Ok(WantFile { exactly: whole(*count), ..plain(words)? })
        }
        _ => plain(all),
    }
}

/// A want about bodies: who, what, and when.
fn plain(all: &[Word<'_>]) -> Result<WantFile, SentenceError> {
    let verb = all.iter().position(is_verb).filter(|at| *at > 0).ok_or_else(|| not_understood(&[], all))?;
    let (mut subject, rest) = all.split_at(verb);
    let adverb = subject.last().map(|word| word.text).filter(|word| matches!(*word, "never" | "always"));
    if adverb.is_some() {
        subject = &subject[..subject.len() - 1];
    }
    if subject.is_empty() {
        return Err(not_understood(&[], all));
    }
    let want = WantFile { body: Some(bodies(subject)), ..WantFile::default() };
    let (words, time) = predicate::time(rest);
    let want = match (predicate::read(want.clone(), words), &time) {
        // Of a blow, how far it may miss its time is a distance.
        (Some(WantFile { hits: Some(hits), .. }), time) if time.around.is_some() => match hits.value {
            HitsFile::Body(_) | HitsFile::When { at_least: None, at_most: None, before: None, .. } => {
                let (at, within) = time.around.clone().unzip();
                Some(WantFile { hits: Some(timed(hits, at, within)), ..want })
            }
            HitsFile::When { .. } => None,
        },
        (Some(read), time) => Some(time.of_plain(read)),
        (None, _) => None,
    };
    let want = want.ok_or_else(|| not_understood(&rest[1..], all))?;
    Ok(match adverb {
        Some("never") => never(want),
        Some(_) => WantFile { always: Some(true.into()), ..want },
        None => want,
    })
}

fn timed(hits: At<HitsFile>, at: Option<At<f64>>, within: Option<At<f64>>) -> At<HitsFile> {
    let (body, harder) = match hits.value {
        HitsFile::Body(body) => (At::new(BodiesFile::One(body.value), body.span), None),
        HitsFile::When { body, harder, .. } => (body, harder),
    };
    let hits_file = HitsFile::When { body, at_least: None, at_most: None, harder, before: None, at, within };
    At::new(hits_file, hits.span)
}

/// The contrary at any time: of blows and passages none, of others not once.
fn never(mut want: WantFile) -> WantFile {
    let none = || Some(At::from(0));
    if let Some(hits) = want.hits.take() {
        let (body, harder, before) = match hits.value {
            HitsFile::Body(body) => (At::new(BodiesFile::One(body.value), body.span), None, None),
            HitsFile::When { body, harder, before, .. } => (body, harder, before),
        };
        let hits_file =
            HitsFile::When { body, at_least: None, at_most: none(), harder, before, at: None, within: None };
        return WantFile { hits: Some(At::new(hits_file, hits.span)), ..want };
    }
    if let Some(passes) = &mut want.passes {
        (passes.value.at_least, passes.value.at_most) = (None, none());
        return want;
    }
    let is_timed = want.at.is_some() || want.between.is_some() || want.before.is_some() || want.after.is_some();
    if !is_timed {
        want.after = Some(0.0.into());
    }
    WantFile { not: Some(Box::new(want)), ..WantFile::default() }
}

#[cfg(test)]
mod tests {
    use proscenium_diagnostics::Remedy as _;

    use super::*;

    fn one(text: &str) -> WantFile {
        let (mut wants, _) = WantFile::sentences(text).unwrap();
        assert_eq!(wants.len(), 1, "{text}");
        wants.remove(0)
    }

    #[test]
    fn sentences_say_what_tables_say() {
        for (sentence, table) in [
            ("die-1 shows 6", "{ body = \"die-1\", face_up = 6 }"),
            ("the die shows +x", "{ body = \"the die\", face_up = \"+x\" }"),
            (
                "die rests near 0.1 -2 3e-1 within 0.02",
                "{ body = \"die\", near = { position = [0.1, -2, 0.3], within = 0.02 } }",
            ),
            ("die rests near 1 2 within 0.5", "{ body = \"die\", near = { position = [1, 2], within = 0.5 } }"),
            ("pin falls", "{ body = \"pin\", upright = false }"),
            ("pin stands", "{ body = \"pin\", upright = true }"),
            ("pin stays", "{ body = \"pin\", unmoved = true }"),
            ("ball hits the drum", "{ body = \"ball\", hits = \"the drum\" }"),
            ("a hits b before c d", "{ body = \"a\", hits = { body = \"b\", before = \"c d\" } }"),
            ("a hits b 3 times", "{ body = \"a\", hits = { body = \"b\", at_least = 3 } }"),
            (
                "a hits b and c 2 times before d",
                "{ body = \"a\", hits = { body = [\"b\", \"c\"], at_least = 2, before = \"d\" } }",
            ),
            ("a rests in the tray", "{ body = \"a\", inside = { body = \"the tray\" } }"),
            ("pin-6 and pin-7 stand", "{ body = [\"pin-6\", \"pin-7\"], upright = true }"),
            ("a hits b at 1.5 within 0.1", "{ body = \"a\", hits = { body = \"b\", at = 1.5, within = 0.1 } }"),
            ("ball near cup within 0.05", "{ body = \"ball\", near = { body = \"cup\", within = 0.05 } }"),
            ("ball rests near cup within 0.05", "{ body = \"ball\", near = { body = \"cup\", within = 0.05 } }"),
            ("a on b", "{ body = \"a\", on = \"b\" }"),
            ("a rests on b and c", "{ body = \"a\", on = [\"b\", \"c\"] }"),
            ("a faces b", "{ body = \"a\", faces = { body = \"b\" } }"),
            (
                "a faces b with -x within 5 degrees",
                "{ body = \"a\", faces = { body = \"b\", face = \"-x\", within_degrees = 5 } }",
            ),
            ("a touches b", "{ body = \"a\", touches = \"b\" }"),
            ("ball slower than 0.2 at 2", "{ body = \"ball\", at = 2, speed = { at_most = 0.2 } }"),
            ("ball moves faster than 3", "{ body = \"ball\", speed = { at_least = 3 } }"),
            ("top spins faster than 20", "{ body = \"top\", spin = { at_least = 20 } }"),
            ("ball hits bell harder than 0.3", "{ body = \"ball\", hits = { body = \"bell\", harder = 0.3 } }"),
            ("ball passes ring", "{ body = \"ball\", passes = \"ring\" }"),
            ("ball passes through ring 2 times", "{ body = \"ball\", passes = { body = \"ring\", at_least = 2 } }"),
            (
                "ball passes ring 0.2 at 0 1 0 towards 1 0 0",
                "{ body = \"ball\", passes = { ring = 0.2, position = [0, 1, 0], direction = [1, 0, 0] } }",
            ),
            (
                "ball passes plane at 0 1 0 towards 1 0 0 before 0.8",
                "{ body = \"ball\", before = 0.8, passes = { plane = [1, 0, 0], position = [0, 1, 0] } }",
            ),
            ("ball stays in box", "{ body = \"ball\", always = true, inside = { body = \"box\" } }"),
            ("ball hits bell between 1 and 2", "{ body = \"ball\", between = [1, 2], hits = \"bell\" }"),
            ("pin falls before 0.8", "{ body = \"pin\", before = 0.8, upright = false }"),
            ("pin falls at 0.5 within 0.25", "{ body = \"pin\", between = [0.25, 0.75], upright = false }"),
            (
                "ball hits wall then bell",
                "{ then = [{ body = \"ball\", hits = \"wall\" }, { body = \"ball\", hits = \"bell\" }] }",
            ),
            (
                "ball hits wall then passes ring then b falls before 2",
                "{ before = 2, then = [{ body = \"ball\", hits = \"wall\" }, { body = \"ball\", passes = \"ring\" }, \
                 { body = \"b\", upright = false }] }",
            ),
            ("a falls before b", "{ then = [{ body = \"a\", upright = false }, { body = \"b\", upright = false }] }"),
            ("ball never hits floor", "{ body = \"ball\", hits = { body = \"floor\", at_most = 0 } }"),
            ("ball never slower than 1", "{ not = { body = \"ball\", after = 0, speed = { at_most = 1 } } }"),
            ("pin never falls", "{ not = { body = \"pin\", after = 0, upright = false } }"),
            ("at least 3 of pin-* fall", "{ body = \"pin-*\", upright = false, at_least = 3 }"),
            ("at most 1 of a and b falls", "{ body = [\"a\", \"b\"], upright = false, at_most = 1 }"),
            (
                "either die-1 shows 6 or die-2 shows 6",
                "{ of = [{ body = \"die-1\", face_up = 6 }, { body = \"die-2\", face_up = 6 }], at_least = 1 }",
            ),
            ("not a hits b weight 3", "{ not = { body = \"a\", hits = \"b\" }, weight = 3 }"),
            ("die ends in frame of camera main", "{ body = \"die\", on_screen = { camera = \"main\" } }"),
            (
                "die ends in the left third of camera main",
                "{ body = \"die\", on_screen = { camera = \"main\", part = \"left third\" } }",
            ),
        ] {
            assert_eq!(one(sentence), one(table), "{sentence}");
        }
    }

    #[test]
    fn several_are_separated() {
        let (wants, _) = WantFile::sentences("die-1 shows 6, die-2 shows 6; ball hits die-1").unwrap();
        let bodies: Vec<_> = wants.iter().map(|want| want.body.as_ref().unwrap().value.clone()).collect();
        assert_eq!(bodies, ["die-1", "die-2", "ball"].map(|name| BodiesFile::One(name.to_string())));
        assert_eq!(WantFile::sentences("{ body = \"a\", upright = true }, { of = [] }").unwrap().0.len(), 2);
    }

    #[test]
    fn what_is_not_understood_is_told() {
        for wrong in [
            "die",
            "shows 6",
            "die shows",
            "die rests",
            "die rests near 1 within 2",
            "a hits",
            "die jumps up",
            "a then b",
        ] {
            let error = WantFile::sentences(wrong).unwrap_err().explain();
            assert!(error.contains("is not understood") && error.contains("BODY shows 6"), "{wrong}: {error}");
        }
        let errors = WantFile::sentences("die-1 shows 6, die-2 shows six sides, x").unwrap_err();
        let places: Vec<_> = errors.errors.iter().map(|error| error.place.clone().unwrap()).collect();
        let columns: Vec<usize> = places.iter().map(|place| place.column).collect();
        assert_eq!(columns, [28, 39], "{errors}");
        assert!(places.iter().all(|place| place.file == "--want" && place.line == 1));
        let error = WantFile::sentences("{ body = \"a\", faceup = 6 }").unwrap_err().explain();
        assert!(error.contains("did you mean `face_up`?"), "{error}");
    }
}
