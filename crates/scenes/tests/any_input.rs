//! Promise: no text makes the reader panic or hang, and what it accepts can be
//! printed and read again.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use proptest::prelude::*;
use proscenium_scenes::{Scene, Seed, Source, builtin, template};

fn parse(text: &str) -> Option<Scene> {
    match Scene::parse(text, &Source::inline("scene.toml", text)) {
        Ok(scene) => Some(scene),
        Err(errors) => {
            assert!(!errors.errors.is_empty() && errors.errors.len() <= 51);
            for place in errors.errors.iter().filter_map(|error| error.place.as_ref()) {
                assert!(text.get(place.span.clone()).is_some(), "a span that is not in the text");
                assert!(place.line >= 1 && place.column >= 1);
            }
            None
        }
    }
}

/// Pieces of scene files, right and wrong.
fn piece() -> impl Strategy<Value = String> {
    let words = [
        "format = 1\n",
        "[[body]]\n",
        "name = \"a\"\n",
        "shape = ",
        "{ sphere = 0.1 }\n",
        "{ box = [1, 1, 1] }\n",
        "[variables]\n",
        "x = { normal = [0, 1] }\n",
        "[materials.m]\n",
        "density = ",
        "-1\n",
        "nan\n",
        "1e400\n",
        "position = [0, \"x\", { uniform = [0, 1] }]\n",
        "repeat = { count = 3 }\n",
        "orientation = \"uniform\"\n",
        "[",
        "]",
        "{",
        "}",
        "=",
        "\"",
        "\n",
        ",",
        "'''",
        "\u{1F3B2}",
        "hull = [[0, 0, 0]]",
        "velocity = { speed = 1 }\n",
        "fixed = true\n",
        "triangles = { vertices = [[0, 0, 0], [1, 0, 0], [0, 0, 1]], faces = [[1, 3, 2]] }",
        "spline_field = { size = [1, 1], spacing = 0.5, height = 0 }",
        "inf",
        "0x7f",
        "1979-05-27",
        "shape = { compound = [{ shape = { sphere = 1 } }] }\n",
        "[[pair]]\n",
        "materials = [\"m\", \"m\"]\n",
    ];
    prop_oneof![
        8 => proptest::sample::select(words.to_vec()).prop_map(str::to_string),
        1 => "\\PC{0,12}",
        1 => any::<f64>().prop_map(|number| format!("{number:?}")),
    ]
}

fn valid_texts() -> Vec<String> {
    let few = |name: &str| builtin().iter().find(|entry| entry.name == name).unwrap().scene(&[]).unwrap().to_toml();
    vec![template("x"), few("bounce"), few("bullet"), few("spin"), few("cradle")]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_refused_or_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        parse(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_pieces_are_refused_or_read(pieces in proptest::collection::vec(piece(), 0..40)) {
        if let Some(scene) = parse(&pieces.concat()) {
            let again = parse(&scene.to_toml()).expect("what was printed reads");
            prop_assert!(scene == again);
        }
    }

    #[test]
    fn damaged_files_are_refused_or_read(
        which in 0..5_usize,
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0..6_usize, piece()), 1..4),
    ) {
        let mut text = valid_texts()[which].clone();
        for (place, length, insert) in cuts {
            let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let first = place.index(boundaries.len());
            let last = (first + length).min(boundaries.len() - 1);
            text.replace_range(boundaries[first]..boundaries[last], &insert);
        }
        if let Some(scene) = parse(&text) {
            let again = parse(&scene.to_toml()).expect("what was printed reads");
            prop_assert!(scene == again);
            // Building may fail, but with an error.
            if scene.body_count() < 1000 {
                let _ = scene.draw(Seed(1)).builder();
            }
        }
    }
}
