//! Promise: every scene in the documentation of the scene file can be read,
//! runs, and means what the page says.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use proscenium_scenes::{DirectedScene, Scene, Seed, SimulateOptions, Source, find};
use proscenium_work::{Progress, Remedy as _};

/// The blocks of a page that are marked as TOML.
fn blocks(page: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once("```toml\n") {
        let (block, later) = after.split_once("```").unwrap();
        blocks.push(block.to_string());
        rest = later;
    }
    blocks
}

#[test]
fn every_scene_of_the_page_runs() {
    let page = include_str!("../../../docs/src/scene-file.md");
    let blocks = blocks(page);
    assert!(blocks.len() >= 5);
    for text in blocks {
        let scene = Scene::parse(&text, &Source::inline("page.toml", text.clone()));
        let scene = scene.unwrap_or_else(|errors| panic!("{errors}\nin\n{text}"));
        assert!(scene.warnings().is_empty(), "{:?} in\n{text}", scene.warnings());
        let run = scene.draw(Seed(1)).simulate(&SimulateOptions::default(), &Progress::none());
        run.unwrap_or_else(|errors| panic!("{errors}\nin\n{text}"));
    }
}

/// The shot of the third is the built-in table with what the page adds.
#[test]
fn every_scene_of_the_tutorials_can_be_directed() {
    let (pachinko, dominoes, billiards) = (
        include_str!("../../../docs/src/tutorial-pachinko.md"),
        include_str!("../../../docs/src/tutorial-dominoes.md"),
        include_str!("../../../docs/src/tutorial-billiards.md"),
    );
    let (_, added) = billiards.split_once("<<'END'\n").unwrap();
    let (added, _) = added.split_once("END\n").unwrap();
    let shot = find("billiards", &[]).unwrap().to_toml() + added;
    let counts = [
        "67 bodies, 5 materials, 1 uncertain",
        "23 bodies, 3 materials, 22 uncertain",
        "28 bodies, 5 materials, 11 uncertain",
    ];
    let pages = [(pachinko, blocks(pachinko).remove(0)), (dominoes, blocks(dominoes).remove(0)), (billiards, shot)];
    for ((page, text), counts) in pages.into_iter().zip(counts) {
        let scene = Scene::parse(&text, &Source::inline("page.toml", text.clone()));
        let scene = scene.unwrap_or_else(|errors| panic!("{errors}\nin\n{text}"));
        assert!(page.contains(counts) && scene.warnings().is_empty());
        assert!(scene.first_camera().is_some());
        DirectedScene::new(&scene).unwrap_or_else(|errors| panic!("{errors}\nin\n{text}"));
    }
}

#[test]
fn the_names_of_colours_are_those_of_the_page() {
    let page = include_str!("../../../docs/src/scene-file.md");
    let (_, after) = page.split_once("The names of colours: ").unwrap();
    let (list, _) = after.split_once('.').unwrap();
    for name in list.split(',').map(str::trim) {
        let text = format!("format = 1\n[[body]]\nname = \"b\"\nshape = {{ sphere = 1 }}\ncolour = \"{name}\"\n");
        assert!(Scene::parse(&text, &Source::inline("page.toml", text.clone())).is_ok(), "{name}");
    }
    let wrong = "format = 1\n[[body]]\nname = \"b\"\nshape = { sphere = 1 }\ncolour = \"zzzzz\"\n";
    let errors = Scene::parse(wrong, &Source::inline("page.toml", wrong)).unwrap_err().explain();
    let told = errors.rsplit_once("one of: ").unwrap().1;
    let words = |list: &str| list.split_whitespace().map(str::to_string).collect::<Vec<_>>();
    assert_eq!(words(told), words(list));
}
