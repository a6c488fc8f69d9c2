//! Promise: the player for web pages walks as the engine's does, decision for decision, and
//! shows every vertex where the engine's does: on the processor in Node, and placed by the
//! vertex shader in Chromium. Without Node or Chromium the test says so and passes.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::common::{Plant, away};
use proscenium_ensemble::data::Moment;
use proscenium_ensemble::export::{PLAYER_MODULE, detail_triangles, to_player, to_player_page, to_player_textures};
use proscenium_ensemble::transition::{Costs, Splice, Tally, Transition, TransitionSettings};
use proscenium_ensemble::{MotionGraph, Player, Seed, compress};
use proscenium_work::Progress;

const SEED: Seed = Seed(0xfedc_ba98_7654_3210);
/// The times that are looked at, seconds: between frames, and once after a long absence.
const LOOKS: usize = 160;

fn time(look: usize) -> f64 {
    look as f64 * 0.237 + if look > 120 { 4000.0 } else { 0.0 }
}

/// A stem with leaves in two winds, with transitions in which each splices at a random time,
/// some by a detour.
fn graph() -> Arc<MotionGraph> {
    let data = compress(&Plant::new(5).ensemble(2, 200), 0.001, &Progress::none()).unwrap().finished().unwrap();
    let settings = TransitionSettings { reach: 8, blend: 7, ..TransitionSettings::default() };
    let costs = Costs::new(&data);
    let mut stream = SEED.stream("splices");
    let mut moment = |sequence: u32| Moment { sequence, frame: 16 + stream.below(165) as u32 };
    let ways: Vec<[Moment; 2]> = (0..48).map(|way| [moment(way % 2), moment(way / 2 % 2)]).collect();
    let mut stream = SEED.stream("offsets");
    let transitions = ways.into_iter().map(|ends| {
        let mut offset = || stream.below(17) as i8 - 8;
        let offsets: Vec<i8> = data.groups().iter().map(|_| offset()).collect();
        let mut transition = Transition::with_splices(&costs, ends, &offsets, &settings);
        for splice in transition.splices.iter_mut().step_by(3) {
            *splice = Splice::Detour { by: Moment { sequence: 1, frame: 60 }, first: offset(), second: offset() };
        }
        transition
    });
    let transitions = transitions.collect();
    drop(costs);
    Arc::new(MotionGraph::new(data, transitions, Tally::default()).unwrap())
}

fn file(graph: &MotionGraph) -> Vec<u8> {
    to_player(graph, &[0.05], &Progress::none()).unwrap().finished().unwrap()
}

/// What wants a level, in the walks of both.
const WANTS: [(usize, usize); 4] = [(30, 1), (60, 0), (90, 1), (130, 0)];

#[test]
fn node_shows_what_the_engine_shows() {
    if Command::new("node").arg("--version").output().is_err() {
        println!("skipped: no Node");
        return;
    }
    let graph = graph();
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    put("player.mjs", PLAYER_MODULE.as_bytes());
    put("graph.pmg", &file(&graph));
    let mut script = format!(
        "import {{ readFileSync, writeFileSync }} from 'node:fs';\n\
         import {{ MotionGraph, Walk }} from './player.mjs';\n\
         const graph = new MotionGraph(readFileSync('graph.pmg'));\n\
         const walk = new Walk(graph, {}n);\nconst out = [];\n",
        SEED.0
    );
    for look in 0..LOOKS {
        for (_, level) in WANTS.iter().filter(|(at, _)| *at == look) {
            writeln!(script, "out.push(new Float32Array([walk.want({level})]));").unwrap();
        }
        writeln!(script, "walk.seeAt({});", time(look)).unwrap();
        script += "out.push(new Float32Array([walk.transition, walk.level]), walk.positions());\n";
    }
    script += "writeFileSync('out.bin', Buffer.concat(out.map((part) => Buffer.from(part.buffer))));\n";
    put("main.mjs", script.as_bytes());
    let ran = Command::new("node").arg("main.mjs").current_dir(folder.path()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let bytes = std::fs::read(folder.path().join("out.bin")).unwrap();
    let mut numbers = bytes.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word));
    let mut next = || numbers.next().unwrap();
    let mut player = Player::new(&graph, SEED).unwrap();
    let (mut positions, mut largest, mut crossing) = (Vec::new(), 0.0_f64, 0);
    for look in 0..LOOKS {
        for &(_, level) in WANTS.iter().filter(|(at, _)| *at == look) {
            assert_eq!(next(), player.want(level).unwrap() as f32, "the promise at look {look}");
        }
        player.see_at(time(look)).unwrap();
        let transition = player.transition_number().map_or(-1.0, |number| number as f32);
        assert_eq!([next(), next()], [transition, player.level() as f32], "look {look}");
        crossing += usize::from(transition >= 0.0);
        player.positions(&mut positions);
        for place in &positions {
            largest = largest.max(away(*place, [next(), next(), next()]));
        }
    }
    println!("largest difference in Node: {largest} m, {crossing} looks within transitions");
    assert!(largest < 1e-6, "{largest}");
    assert!(crossing > 50, "{crossing}");
}

fn chromium() -> Option<PathBuf> {
    let program = std::env::var_os("CHROMIUM").map_or_else(|| PathBuf::from("/usr/bin/chromium"), PathBuf::from);
    program.exists().then_some(program)
}

/// What a page has become after some seconds of its own; nothing without Chromium.
fn opened(page: &str, folder: &Path) -> Option<String> {
    let program = chromium()?;
    let file = folder.join("page.html");
    std::fs::write(&file, page).unwrap();
    let mut command = Command::new(program);
    command.args(["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]);
    command.args(["--disable-gpu-sandbox", "--virtual-time-budget=4000", "--window-size=320,240", "--dump-dom"]);
    let ran = command.arg(format!("--user-data-dir={}", folder.join("profile").display())).arg(&file).output().unwrap();
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

/// The vertex shader keeps shapes in 16 bits and the vertices that others hang on in 32.
#[test]
fn the_shader_places_what_the_processor_places() {
    let graph = graph();
    let folder = tempfile::tempdir().unwrap();
    let test = "
      const text = document.querySelector('#graph').textContent;
      const graph = new MotionGraph(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
      const view = new EnsembleView(document.createElement('canvas').getContext('webgl2'), graph);
      await view.prepare();
      const walk = new Walk(graph, 3);
      let [largest, within] = [0, 0];
      for (let look = 0; look < 60; look++) {
        walk.seeAt(look * 0.437);
        const [ours, theirs] = [view.read(walk.state()), walk.positions()];
        for (let at = 0; at < ours.length; at++) largest = Math.max(largest, Math.abs(ours[at] - theirs[at]));
        within += walk.transition >= 0 ? 1 : 0;
      }
      view.setInstances([{ x: 0 }, { x: 1 }, { x: 900 }]);
      const shown = view.draw({ view: [1,0,0,0, 0,1,0,0, 0,0,0.1,0, 0,0,0,1], eye: [0, 0, 0], seconds: 1, details: [0.5] });
      say(`RESULT ${largest} ${within} ${shown.drawCalls} ${shown.texels} ${shown.instances}`);";
    let page =
        to_player_page("test", &file(&graph)).replace("show().catch(", &format!("(async () => {{{test}}})().catch("));
    let Some(page) = opened(&page, folder.path()) else {
        println!("skipped: no Chromium");
        return;
    };
    let found = page.split("RESULT ").nth(1).unwrap_or_else(|| panic!("no result: {}", status(&page)));
    let numbers: Vec<f64> = found.split('<').next().unwrap().split(' ').map(|word| word.parse().unwrap()).collect();
    let [largest, within, calls, texels, instances] = numbers[..] else { panic!("{numbers:?}") };
    println!("largest difference in Chromium: {largest} m");
    assert!(largest < 2e-5 && within > 10.0, "{largest} {within}");
    assert_eq!([calls, texels, instances], [2.0, 6.0, 2.0], "a call for each detail, three texels an instance");
}

fn status(page: &str) -> &str {
    page.split("role=\"status\">").nth(1).and_then(|rest| rest.split("</span>").next()).unwrap_or_default()
}

#[test]
fn a_page_plays_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let Some(page) = opened(&to_player_page("plant", &file(&graph())), folder.path()) else {
        println!("skipped: no Chromium");
        return;
    };
    let said = status(&page);
    assert!(said.contains("in view") && said.contains("draw call"), "{said}");
    assert!(page.contains("aria-pressed=\"true\">calm</button>") && page.contains(">breeze</button>"));
}

#[test]
fn damaged_files_are_told() {
    if Command::new("node").arg("--version").output().is_err() {
        return;
    }
    let bytes = file(&graph());
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("player.mjs"), PLAYER_MODULE).unwrap();
    let script = "import { readFileSync } from 'node:fs';\nimport { MotionGraph } from './player.mjs';\n\
                  for (const name of ['cut', 'other', 'newer']) {\n  \
                  try { new MotionGraph(readFileSync(name)); console.log('read'); }\n  \
                  catch (error) { console.log(error.message); }\n}\n";
    std::fs::write(folder.path().join("main.mjs"), script).unwrap();
    let mut newer = bytes.clone();
    newer[8] = 9;
    for (name, bytes) in [("cut", &bytes[..bytes.len() - 9]), ("other", b"GIF89a".as_slice()), ("newer", &newer)] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let ran = Command::new("node").arg("main.mjs").current_dir(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].contains("cut short in"), "{said}");
    assert!(lines[1].contains("no motion graph for players"), "{said}");
    assert!(lines[2].contains("version 9"), "{said}");
}

/// Less detail is other triangles between the same vertices, and textures have the numbers
/// that the shaders of the book look up.
#[test]
fn details_and_textures_are_of_the_same_vertices() {
    let graph = graph();
    let data = graph.data();
    let all: usize = data.groups().iter().map(|group| group.triangles.len()).sum();
    let less = detail_triangles(data, 0.08).unwrap();
    assert!(!less.is_empty() && less.len() < all, "{} of {all}", less.len());
    assert!(less.iter().flatten().all(|&corner| (corner as usize) < data.vertex_count()));
    assert!(detail_triangles(data, f64::NAN).is_err());
    let textures = to_player_textures(&graph, &Progress::none()).unwrap().finished().unwrap();
    assert_eq!(
        (&textures.shapes[..4], &textures.table[..4]),
        (&[0x76, 0x2f, 0x31, 0x01][..], &[0x76, 0x2f, 0x31, 0x01][..])
    );
    assert_eq!(&textures.mesh[..4], b"glTF");
}

/// The shader listings of the book are the text that the tests above run.
#[test]
fn the_book_lists_what_is_tested() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/ensemble-players.md");
    let book = std::fs::read_to_string(book).unwrap();
    let place = PLAYER_MODULE.split("export const PLACE = `\n").nth(1).unwrap().split("`;").next().unwrap();
    assert!(place.len() > 1000 && book.contains(place), "the listing is not the player's");
}
