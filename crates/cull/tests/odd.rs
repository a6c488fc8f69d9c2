//! Promise: what is odd is right too. Motions faster than a picture, pushes shorter than a
//! step, places that go around, losses that take hours, forcings of a day.
#![allow(clippy::unwrap_used)]

use proscenium_cull::learned::LearnedBehaviour;
use proscenium_cull::{CompileSettings, CompiledModel, Model, Player, Seed, System, compile};
use proscenium_work::Progress;

fn model(text: &str) -> Model {
    Model::parse("test", &format!("format = 1\n{text}")).unwrap()
}

/// Little effort: what is tested here does not depend on it.
fn little() -> CompileSettings {
    CompileSettings {
        most_cells: 4,
        paths_per_cell: 500,
        paths: 24,
        examples: 3000,
        training_rounds: 1,
        ..CompileSettings::quick()
    }
}

fn learn(model: &Model) -> LearnedBehaviour {
    learn_with(model, &little())
}

fn learn_with(model: &Model, settings: &CompileSettings) -> LearnedBehaviour {
    compile(model, settings, Seed(1), &Progress::none()).unwrap().finished().unwrap()
}

/// A string trembles five times a second; between two states a tenth of a second apart a cubic
/// showed something else.
#[test]
fn what_is_fast_is_shown_as_it_moves() {
    let model = model(
        "[state]\nx = { initial = { uniform = [0.5, 1.0] } }\nv = { initial = 0.0 }\n[motion]\nx = \"v\"\nv = \"-1000 x - 0.4 v\"\n",
    );
    let settings = CompileSettings { longest: Some(10.0), ..little() };
    let learned = compile(&model, &settings, Seed(1), &Progress::none()).unwrap().finished().unwrap();
    let mut player = Player::new(&model, Seed(1), 0.0);
    let mut stream = Seed(1).stream("truth");
    let (mut truth, _) = player.see(&model, &learned, 0.0).unwrap();
    for frame in 1..60 {
        let at = |frame: u32| f64::from(frame) / 60.0;
        model.advance(&mut truth, at(frame - 1), at(frame), &mut stream).unwrap();
        let (seen, _) = player.see(&model, &learned, at(frame)).unwrap();
        let off = (seen.values[0] - truth.values[0]).abs();
        assert!(off < 0.01, "{off} in frame {frame}");
    }
}

/// What rests took steps of minutes, over whatever pushed it meanwhile.
#[test]
fn a_short_push_is_not_stepped_over() {
    for push in ["if(mod(t, 30) > 29.8, 40, 0)", "40 max(0, 50 cos(2 pi t / 30) - 49)"] {
        let model = model(&format!(
            "[state]\nx = {{ initial = 0.0 }}\nv = {{ initial = 0.0 }}\n[motion]\nx = \"v\"\nv = \"-4 x - 3 v + {push}\"\n"
        ));
        let mut stream = Seed(1).stream("unused");
        let (mut far, mut near) = (model.initial(&mut stream), model.initial(&mut stream));
        model.advance(&mut far, 15.0, 300.2, &mut stream).unwrap();
        for step in 0..2852 {
            let at = |step: u32| 15.0 + 0.1 * f64::from(step);
            model.advance(&mut near, at(step), at(step + 1), &mut stream).unwrap();
        }
        assert!(near.values[0] > 0.1, "{near:?}");
        assert!((far.values[0] - near.values[0]).abs() < 1e-3, "{push}: {far:?} {near:?}");
    }
}

/// A spring that loses a thousandth of its swing in a minute was taken for one that comes
/// around, and swung for ever.
#[test]
fn what_slowly_comes_to_rest_does_not_come_around() {
    let model =
        model("[state]\nx = { initial = 1.0 }\nv = { initial = 0.0 }\n[motion]\nx = \"v\"\nv = \"-4 x - 0.00004 v\"\n");
    assert_eq!(learn(&model).period(), None);
}

/// What is driven once a day took a day to compile.
#[test]
fn what_is_driven_once_a_day_is_run() {
    let model = model(
        "[state]\nx = { initial = { uniform = [-1.0, 1.0] } }\nv = { initial = 0.0 }\n[motion]\nx = \"v\"\n\
         v = \"-4 (x - sin(2 pi t / 86400)) - 0.5 v\"\n",
    );
    let learned = learn(&model);
    let reason = learned.findings().complete_because.clone().unwrap_or_default();
    assert!(learned.is_complete() && reason.contains("seldom"), "{reason}");
}

/// Around one of two hollows a ball was not drawn, since nobody had seen it there.
#[test]
fn bounds_hold_all_basins() {
    let text = "format = 1\n[state]\nx = { initial = { uniform = [-2.0, 2.0] } }\n[motion]\nx = \"x - x^3\"\n\
                [[part]]\nname = \"ball\"\nball = 0.1\nmove = [\"10 x\", 0, 0]\n";
    let model = Model::parse("hollows", text).unwrap();
    let compiled = CompiledModel::compile(model, &little(), Seed(1), &Progress::none()).unwrap().finished().unwrap();
    let bounds = compiled.bounds();
    assert!(bounds.min.x < -10.0 && bounds.max.x > 10.0, "{bounds:?}");
}

/// A train that brakes before a station at 80 m of a line of 100 m passed through all stations
/// but the first while it was computed in one go: its place was 180 m then.
#[test]
fn what_goes_around_is_asked_within_its_range() {
    let model = model(
        "[state]\nplace = { wrap = 100.0, initial = 10.0 }\nstood = { initial = 0.0 }\n[motion]\nplace = 8.0\nstood = 0.0\n\
         [modes]\ngo = {}\nstand = { place = \"0.0\", stood = 1.0 }\n\
         [[switch]]\nfrom = \"go\"\nto = \"stand\"\nwhen = \"place >= 80 and place < 90\"\nreset = { stood = 0.0 }\n\
         [[switch]]\nfrom = \"stand\"\nto = \"go\"\nwhen = \"stood >= 5\"\nreset = { place = 90.0 }\n",
    );
    let mut stream = Seed(1).stream("unused");
    let mut state = model.initial(&mut stream);
    // A round is 90 m and a stop of 5 s. A second after the tenth stop began it stands.
    let round = 90.0 / 8.0 + 5.0;
    model.advance(&mut state, 0.0, 70.0 / 8.0 + 9.0 * round + 1.0, &mut stream).unwrap();
    assert_eq!(state.mode, 1, "{state:?}");
    assert!((state.values[1] - 1.0).abs() < 1e-3, "{state:?}");
}

/// What lies still is not falling, and must not fall through the floor for that.
#[test]
fn a_lump_of_clay_lies_still() {
    let model = model(
        "[state]\nheight = { initial = 1.0 }\nspeed = { initial = 0.0 }\n[motion]\nheight = \"speed\"\nspeed = \"-g\"\n\
         [modes]\nfly = {}\n[[switch]]\nfrom = \"fly\"\nto = \"fly\"\nwhen = \"height <= 0 and speed < 0\"\nreset = { speed = 0.0 }\n",
    );
    let mut stream = Seed(1).stream("unused");
    let mut state = model.initial(&mut stream);
    for step in 0..100 {
        let at = |step: u32| 0.1 * f64::from(step);
        model.advance(&mut state, at(step), at(step + 1), &mut stream).unwrap();
    }
    assert!(state.values[0].abs() < 1e-6 && state.values[1].abs() < 1e-6, "{state:?}");
}

/// A lamp that was always dark when it was learned, is lit for a minute, and fades for a third
/// of one: it was dark again as soon as nobody had looked for a few seconds.
#[test]
fn what_somebody_put_elsewhere_is_followed() {
    let lamp = model(
        "[inputs]\non = 0.0\n[state]\nglow = { initial = 0.0 }\n[motion]\nglow = \"0.05 (on - glow)\"\n\
         [output]\nglow = \"glow\"\n",
    );
    let learned = learn(&lamp);
    assert!(learned.long().is_some_and(|long| long < 20.0), "{:?}", learned.long());
    let lit = lamp.driven_by(&[1.0]);
    let mut player = Player::new(&lamp, Seed(1), 0.0);
    player.tell(&lamp, &lit, &learned, 10.0).unwrap();
    player.tell(&lit, &lamp, &learned, 70.0).unwrap();
    let (state, _) = player.see(&lamp, &learned, 90.0).unwrap();
    let expected = (1.0 - libm::exp(-3.0)) * libm::exp(-1.0);
    assert!((state.values[0] - expected).abs() < 1e-3, "{} {expected}", state.values[0]);
}

/// One start of thirty leads elsewhere, and stays there.
#[test]
fn what_few_starts_lead_to_is_not_forgotten() {
    let model = model(
        "[state]\nx = { initial = { uniform = [-0.034, 1.0] } }\nleft = { initial = 1.0 }\n[motion]\nx = \"x - x^3\"\n\
         left = \"-1.0\"\n[modes]\nlive = {}\n[[switch]]\nfrom = \"live\"\nto = \"live\"\nwhen = \"left <= 0\"\n\
         reset = { left = { uniform = [0.5, 1.5] } }\n",
    );
    let learned = learn_with(&model, &CompileSettings { paths: 128, ..little() });
    assert_eq!(learned.long(), None);
    assert!(learned.findings().stays_apart);
}

/// A bell that is touched at the top of each swing, for a twentieth of a second: steps of the
/// integrator are longer, and went over it.
#[test]
fn what_happens_within_a_step_is_seen() {
    let bell = model(
        "[state]\nx = { initial = 0.8 }\nv = { initial = 0.0 }\ntouched = { initial = 0.0 }\n[motion]\nx = \"v\"\n\
         v = \"-40 x\"\ntouched = \"0.0\"\n[modes]\naway = {}\nback = {}\n[[switch]]\nfrom = \"away\"\nto = \"back\"\n\
         when = \"x > 0.79\"\nreset = { touched = \"touched + 1\" }\n[[switch]]\nfrom = \"back\"\nto = \"away\"\nwhen = \"x < 0\"\n",
    );
    let touched = |step: f64| {
        let mut stream = Seed(1).stream("bell");
        let mut state = bell.initial(&mut stream);
        for index in 0..(60.0 / step).round() as u32 {
            let from = f64::from(index) * step;
            bell.advance(&mut state, from, from + step, &mut stream).unwrap();
        }
        state.values[2]
    };
    // 60 s are 60.4 rounds; the first touch is at the start.
    assert_eq!([60.0, 6.0, 0.1, 0.013].map(touched), [61.0; 4]);
}

/// A seat that swings out on a carousel and comes to rest, and a spring that does so where two
/// cells would meet: neither was ever forgotten.
#[test]
fn what_comes_to_rest_is_forgotten() {
    let seat = "[state]\nswing = { initial = { normal = [0.3, 0.1] } }\nrate = { initial = 0.0 }\n[motion]\nswing = \"rate\"\n\
        rate = \"(2.5 (2 + 1.2 sin(swing)) cos(swing) - g sin(swing)) / 1.2 - 0.3 rate\"\n";
    let spring = "[state]\nx = { initial = { uniform = [-1.0, 1.0] } }\nv = { initial = 0.0 }\n[motion]\nx = \"v\"\n\
        v = \"-4 x - 0.5 v\"\n";
    for text in [seat, spring] {
        let learned = learn(&model(text));
        assert!(learned.long().is_some_and(|long| long < 200.0), "{text}: {:?}", learned.findings().trials);
    }
}
