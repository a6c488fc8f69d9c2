//! Wants in a few words, as one says them on a command line.

use crate::error::{SceneErrors, Source};
use crate::report::{Path, Report};

use super::super::read::parse;
use super::super::table::Reader;
use super::{At, BodiesFile, FaceFile, FaceUpFile, HitsFile, InsideFile, NearFile, PlaceFile, UnmovedFile, WantFile};

const FORMS: &str = "write one of: BODY shows 6; BODY rests near X Y Z within R (or X Z); BODY rests in OTHER; \
                     BODY stands; BODY falls; BODY stays; BODY hits OTHER; BODY hits OTHER 2 times; \
                     BODY hits OTHER before THIRD; BODY hits OTHER at T within DT; BODY is a body, a group, \
                     \"all\", \"others\", or several with \"and\" between them; or a table as in the file, \
                     { body = \"…\", … }";

const VERBS: &[&str] =
    &["shows", "rests", "stands", "stand", "falls", "fall", "stays", "stay", "hits", "hit", "show", "rest"];

impl WantFile {
    /// Reads wants: a table as in the file, or sentences with commas between
    /// them.
    pub(crate) fn sentences(text: &str) -> Result<Vec<WantFile>, SceneErrors> {
        if text.contains('=') {
            return tables(text);
        }
        text.split([',', ';']).map(str::trim).filter(|clause| !clause.is_empty()).map(sentence).collect()
    }
}

fn tables(text: &str) -> Result<Vec<WantFile>, SceneErrors> {
    let before = "want = [";
    let source = Source::inline("--want", format!("{before}{text}]"));
    let mut report = Report::new(Some(&source));
    let wants = parse(&source.text, &mut report).map(|document| {
        let mut reader = Reader { report: &mut report };
        let root = &Path::ROOT;
        let path = &root.key("want");
        let fields = reader.any_table(&document, root);
        let items = fields.and_then(|fields| fields.get("want")).and_then(|wants| reader.array(wants, path));
        let items = items.unwrap_or(&[]).iter().enumerate();
        items.filter_map(|(index, item)| reader.want(item, &path.index(index))).map(without_places).collect()
    });
    report.finish(wants)
}

/// Later errors are told with the text of the scene, in which a want of
/// another text has no place.
fn without_places(mut want: WantFile) -> WantFile {
    want.body = want.body.map(|body| body.value.into());
    want.of = want.of.into_iter().map(without_places).collect();
    want
}

fn sentence(clause: &str) -> Result<WantFile, SceneErrors> {
    let not_understood = || SceneErrors::plain(format!("the want \"{clause}\" is not understood"), FORMS);
    let words: Vec<&str> = clause.split_whitespace().collect();
    let verb = words.iter().position(|word| VERBS.contains(word)).filter(|at| *at > 0).ok_or_else(not_understood)?;
    let want = WantFile { body: Some(bodies(&words[..verb]).into()), ..WantFile::default() };
    let rest = &words[verb + 1..];
    let want = match (words[verb], rest) {
        ("shows" | "show", [face]) => {
            let side = face.parse().map_or_else(|_| FaceFile::Axis((*face).to_string()), FaceFile::Pips);
            Some(WantFile { face_up: Some(FaceUpFile::Face(side).into()), ..want })
        }
        ("stands" | "stand", []) => Some(WantFile { upright: Some(true.into()), ..want }),
        ("falls" | "fall", []) => Some(WantFile { upright: Some(false.into()), ..want }),
        ("stays" | "stay", []) => Some(WantFile { unmoved: Some(UnmovedFile::Plain(true).into()), ..want }),
        ("rests" | "rest", ["near", place @ .., "within", within]) => {
            near(place, within).map(|near| WantFile { near: Some(near.into()), ..want })
        }
        ("rests" | "rest", ["in", places @ ..]) if !places.is_empty() => {
            let inside = InsideFile::Body { body: bodies(places).into(), within: None };
            Some(WantFile { inside: Some(inside.into()), ..want })
        }
        ("hits" | "hit", [_, ..]) => hits(rest).map(|hits| WantFile { hits: Some(hits.into()), ..want }),
        _ => None,
    };
    want.ok_or_else(not_understood)
}

fn near(place: &[&str], within: &str) -> Option<NearFile> {
    let place: Option<Vec<f64>> = place.iter().map(|word| number(word)).collect();
    let position = match place?.as_slice() {
        [x, y, z] => PlaceFile::Space([*x, *y, *z]),
        [x, z] => PlaceFile::Ground([*x, *z]),
        _ => return None,
    };
    Some(NearFile { position: position.into(), within: number(within)?.into() })
}

/// Names with "and" between them.
fn bodies(words: &[&str]) -> BodiesFile {
    let mut names = words.split(|word| *word == "and").map(|name| name.join(" "));
    match (names.next(), names.next()) {
        (Some(first), Some(second)) => BodiesFile::Many([first, second].into_iter().chain(names).collect()),
        (first, _) => BodiesFile::One(first.unwrap_or_default()),
    }
}

fn hits(words: &[&str]) -> Option<HitsFile> {
    let end = words.iter().position(|word| matches!(*word, "before" | "at")).unwrap_or(words.len());
    let (whom, rest) = words.split_at(end);
    let (whom, at_least): (_, Option<At<u64>>) = match whom {
        [whom @ .., count, "times" | "time"] => (whom, Some(count.parse::<u64>().ok()?.into())),
        whom => (whom, None),
    };
    let body = bodies(whom);
    let at_most = None;
    match (rest, body) {
        ([], BodiesFile::One(body)) if at_least.is_none() => Some(HitsFile::Body(body.into())),
        ([], body) => {
            Some(HitsFile::When { body: body.into(), at_least, at_most, before: None, at: None, within: None })
        }
        (["before", third @ ..], body) if !third.is_empty() => {
            let before = Some(bodies(third).into());
            Some(HitsFile::When { body: body.into(), at_least, at_most, before, at: None, within: None })
        }
        (["at", time, "within", within], body) if at_least.is_none() => {
            let (at, within) = (Some(number(time)?.into()), Some(number(within)?.into()));
            Some(HitsFile::When { body: body.into(), at_least, at_most, before: None, at, within })
        }
        _ => None,
    }
}

fn number(word: &str) -> Option<f64> {
    word.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use proscenium_diagnostics::Remedy as _;

    use super::*;

    fn one(text: &str) -> WantFile {
        let mut wants = WantFile::sentences(text).unwrap();
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
        ] {
            assert_eq!(one(sentence), one(table), "{sentence}");
        }
    }

    #[test]
    fn several_are_separated() {
        let wants = WantFile::sentences("die-1 shows 6, die-2 shows 6; ball hits die-1").unwrap();
        let bodies: Vec<_> = wants.iter().map(|want| want.body.as_ref().unwrap().value.clone()).collect();
        assert_eq!(bodies, ["die-1", "die-2", "ball"].map(|name| BodiesFile::One(name.to_string())));
        assert_eq!(WantFile::sentences("{ body = \"a\", upright = true }, { of = [] }").unwrap().len(), 2);
    }

    #[test]
    fn what_is_not_understood_is_told() {
        for wrong in ["die", "shows 6", "die shows", "die rests", "die rests near 1 within 2", "a hits", "die jumps up"]
        {
            let error = WantFile::sentences(wrong).unwrap_err().explain();
            assert!(error.contains("is not understood") && error.contains("BODY shows 6"), "{wrong}: {error}");
        }
        let error = WantFile::sentences("{ body = \"a\", faceup = 6 }").unwrap_err().explain();
        assert!(error.contains("did you mean `face_up`?"), "{error}");
    }
}
