//! Promise: nothing that is read makes the crate panic, be it a damaged model
//! or a damaged compiled file. The fuzz targets run the same code for longer.
#![allow(clippy::unwrap_used)]

mod any;

use std::sync::OnceLock;

use proptest::prelude::*;
use proscenium_cull::builtin::Builtin;
use proscenium_cull::{CompileSettings, CompiledModel, Model, Seed};
use proscenium_work::Progress;

const MODELS: [&str; 3] = ["tilt-a-whirl", "roller-coaster", "traffic-light"];

fn text(name: &str) -> &'static str {
    Builtin::find(name).unwrap().text
}

/// Two kinds of compiled models: one that forgets and one that comes around. As
/// release 0.1 wrote them, without a checksum: what is damaged is read.
fn compiled() -> &'static [Vec<u8>] {
    static COMPILED: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let small = CompileSettings {
            most_cells: 2,
            paths_per_cell: 50,
            paths: 8,
            examples: 500,
            training_rounds: 1,
            kept_states: 64,
            longest: Some(30.0),
            ..CompileSettings::default()
        };
        let bytes = |name: &str| {
            let model = Model::parse("test", text(name)).unwrap();
            let compiled = CompiledModel::compile(model, &small, Seed(1), &Progress::none());
            let bytes = compiled.unwrap().finished().unwrap().to_bytes();
            let content = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
            [b"proscenium cull 2\n", &bytes[content..]].concat()
        };
        ["tilt-a-whirl", "ship"].map(bytes).to_vec()
    })
}

/// Replaces, at some places, a few bytes by others.
fn damaged(bytes: &[u8], changes: &[(prop::sample::Index, u8, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (place, gone, new) in changes {
        if bytes.is_empty() {
            break;
        }
        let at = place.index(bytes.len());
        let end = (at + usize::from(*gone % 9)).min(bytes.len());
        bytes.splice(at..end, new.iter().copied());
    }
    bytes
}

fn changes(new: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Vec<(prop::sample::Index, u8, Vec<u8>)>> {
    prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), new), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damaged_models_are_models_or_errors(
        which in 0..MODELS.len(),
        changes in changes("[-a-z0-9\"=\\[\\]{}.,()+*/^ \n]{0,8}".prop_map(String::into_bytes)),
    ) {
        any::model(&damaged(text(MODELS[which]).as_bytes(), &changes));
    }

    #[test]
    fn damaged_files_are_refused_or_harmless(
        which in 0..2_usize,
        changes in changes(prop::collection::vec(any::<u8>(), 0..8)),
    ) {
        any::compiled(&damaged(&compiled()[which], &changes));
    }
}
