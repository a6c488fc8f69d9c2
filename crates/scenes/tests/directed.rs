//! Promise: a want means what the page says; an animation that was found meets
//! the wants when it is simulated again; and what the director saves by
//! stopping, abandoning and re-using changes nothing, to the last bit.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use proscenium_direct::{Batch, Method, Mix, Model, Sampler, SamplerOptions};
use proscenium_scenes::{DirectedScene, Outcome, Scene, Seed, SimulateOptions, Source};
use proscenium_work::{Progress, Remedy as _, Stop};

fn scene(text: &str) -> Scene {
    Scene::parse(text, &Source::inline("scene.toml", text)).unwrap_or_else(|errors| panic!("{errors}\nin\n{text}"))
}

/// A ball that falls beside a post and rolls to a stop, and a block that
/// nothing touches.
const YARD: &str = r#"
format = 1
duration = 4.0

[materials.cork]
density = 240.0
restitution = 0.3
friction = 0.6
rolling = 0.1

[[body]]
name = "floor"
fixed = true
material = "cork"
shape = { half_space = [0, 1, 0] }

[[body]]
name = "ball"
material = "cork"
shape = { sphere = 0.05 }
position = [0, 0.3, 0]
velocity = [{ uniform = [0.0, 2.0] }, 0, 0]

[[body]]
name = "block"
material = "cork"
shape = { box = [0.2, 0.2, 0.2] }
position = [2.0, 0.1, 3.0]
"#;

/// The outcome of one draw of a scene, for some wants.
fn judged(wants: &str, seed: u64) -> (DirectedScene, Outcome) {
    let directed = DirectedScene::new(&scene(&format!("{YARD}{wants}"))).unwrap();
    let point = directed.space().draw(&mut Seed(seed).stream("point"));
    let outcome = directed.outcome(&point, &Progress::none()).unwrap().finished().unwrap().outcome;
    (directed, outcome)
}

fn met(want: &str) -> bool {
    judged(&format!("[[want]]\n{want}"), 1).1.wants_met()[0]
}

#[test]
fn wants_about_what_rests() {
    assert!(met("body = \"block\"\nnear = { position = [2, 0.1, 3], within = 0.01 }"));
    assert!(met("body = \"block\"\nnear = { position = [2, 3], within = 0.01 }"));
    assert!(!met("body = \"block\"\nnear = { position = [2, 0.1, 2.9], within = 0.05 }"));
    assert!(met("body = \"block\"\nface_up = 1") && met("body = \"block\"\nface_up = \"+y\""));
    assert!(!met("body = \"block\"\nface_up = 6") && !met("body = \"block\"\nface_up = 2"));
    assert!(met("body = \"block\"\nupright = true") && !met("body = \"block\"\nupright = false"));
    assert!(met("body = \"block\"\nunmoved = true") && !met("body = \"block\"\nunmoved = false"));
    assert!(met("body = \"ball\"\nunmoved = false"));
    assert!(met("body = \"block\"\ninside = { box = [1, 1, 1], position = [2, 0, 3] }"));
    assert!(met("body = \"block\"\ninside = { sphere = 0.5, position = [2, 0, 3] }"));
    assert!(!met("body = \"ball\"\ninside = { body = \"block\" }"));
    assert!(met("body = \"block\"\norientation = { like = { axis = [1, 0, 0], degrees = 3 }, within_degrees = 5 }"));
    assert!(!met("body = \"block\"\norientation = { like = { axis = [1, 0, 0], degrees = 8 }, within_degrees = 5 }"));
}

#[test]
fn wants_about_a_moment() {
    let (_, outcome) = judged("[[want]]\nbody = \"ball\"\nupright = true", 1);
    let place = outcome.pose("ball", 0.1).unwrap().translation;
    let near =
        |x: f64| format!("body = \"ball\"\nat = 0.1\nnear = {{ position = [{x}, {}, 0], within = 1e-6 }}", place.y);
    assert!(met(&near(place.x)) && !met(&near(place.x + 1e-3)));
    let speed = place.x / 0.1;
    let fall = -9.81 * 0.1;
    let pace = |vx: f64| format!("body = \"ball\"\nat = 0.1\nvelocity = {{ like = [{vx}, {fall}, 0], within = 1e-6 }}");
    assert!(met(&pace(speed)) && !met(&pace(speed + 0.1)));
}

#[test]
fn wants_about_hits_and_counts() {
    assert!(met("body = \"ball\"\nhits = \"floor\"") && !met("body = \"ball\"\nhits = \"block\""));
    assert!(met("body = \"ball\"\nhits = { body = \"floor\", before = \"block\" }"));
    assert!(!met("body = \"ball\"\nhits = { body = \"block\", before = \"floor\" }"));
    // It falls by 0.25 m.
    let time = libm::sqrt(2.0 * 0.25 / 9.81);
    let at = |time: f64| format!("body = \"ball\"\nhits = {{ body = \"floor\", at = {time}, within = 1e-3 }}");
    assert!(met(&at(time)) && !met(&at(time - 0.01)));
    assert!(met("body = [\"ball\", \"block\"]\nunmoved = true\nexactly = 1"));
    assert!(met("body = [\"ball\", \"block\"]\nunmoved = true\nat_least = 1\nat_most = 2"));
    assert!(!met("body = [\"ball\", \"block\"]\nunmoved = true"));
    let both = "of = [{ body = \"ball\", hits = \"floor\" }, { body = \"block\", upright = false }]\n";
    assert!(met(&format!("{both}exactly = 1")) && !met(&format!("{both}at_least = 2")));
}

#[test]
fn wants_about_groups_and_how_often() {
    let groups = "[groups]\nthings = [\"ball\", \"block\"]\nwalls = [\"floor\", \"block\"]\n";
    let met = |want: &str| judged(&format!("{groups}[[want]]\n{want}"), 1).1.wants_met()[0];
    // It bounces at first, which counts, and then it rolls, which does not.
    assert!(met("body = \"ball\"\nhits = { body = \"walls\", at_least = 2 }"));
    assert!(!met("body = \"ball\"\nhits = { body = \"walls\", at_least = 20 }"));
    assert!(met("body = \"ball\"\nhits = { body = [\"block\"], at_most = 0 }"));
    assert!(!met("body = \"ball\"\nhits = { body = \"floor\", at_least = 1, before = \"walls\" }"));
    assert!(met("body = \"things\"\nhits = \"floor\"\nat_least = 1"));
    assert!(met("body = \"block\"\ninside = { body = [\"ball\", \"block\"] }"));
    assert!(!met("body = \"ball\"\ninside = { body = [\"ball\", \"block\"] }"));
    // Balls have no up: only the block can stand.
    assert!(met("body = \"all\"\nupright = true") && !met("body = \"all\"\nupright = false"));
    assert!(!met("body = \"all\"\nnear = { position = [2, 3], within = 0.1 }"));
    let (_, outcome) =
        judged("[[want]]\nbody = \"ball\"\nunmoved = false\n[[want]]\nbody = \"others\"\nupright = true", 1);
    assert_eq!(outcome.wants_met(), [true, true]);
}

#[test]
fn one_body_falls_and_several_fall() {
    let wants = "[groups]\nthings = [\"ball\", \"block\"]\n\
                 [[want]]\nbody = \"all\"\nupright = false\n\
                 [[want]]\nbody = \"block\"\nupright = false\n\
                 [[want]]\nof = [{ body = \"things\", hits = \"floor\" }, { body = \"ball\", unmoved = true }]\n";
    let (directed, _) = judged(wants, 1);
    assert_eq!(directed.wants(), ["all fall", "block falls", "(things hit floor; ball stays)"]);
}

#[test]
fn what_is_decided_ends_early() {
    let (directed, outcome) = judged("[[want]]\nbody = \"ball\"\nhits = \"floor\"", 1);
    assert!(outcome.ended() < 0.3 && outcome.ended() < directed.scene().duration(), "{}", outcome.ended());
    assert_eq!(outcome.wants_met(), [true]);
}

#[test]
fn tolerances_are_gaussian_and_weights_count() {
    // Each alone, since no block could meet them all.
    for (want, expected) in [
        ("near = { position = [2, 0.1, 3.3], within = 0.1 }", -4.5),
        ("near = { position = [2, 0.1, 3.3], within = 0.1 }\nweight = 2.5", -2.5),
        ("face_up = 6", -5.0),
        ("upright = false\nexactly = 1\nweight = 3", -3.0),
        ("inside = { box = [1, 1, 1], position = [3, 0, 3], within = 0.25 }", -2.0),
        ("upright = true", 0.0),
    ] {
        let (_, outcome) = judged(&format!("[[want]]\nbody = \"block\"\n{want}\n"), 1);
        assert!((outcome.scores()[0] - expected).abs() < 1e-4, "{want}: {:?}", outcome.scores());
        assert_eq!(outcome.wants_met(), [expected == 0.0], "{want}");
    }
}

/// Marbles that take part or not fall onto pegs, one after the other.
const MARBLES: &str = r#"
format = 1
duration = 3.0

[materials.glass]
density = 2500.0
restitution = 0.4
friction = 0.3
rolling = 0.05

[[body]]
name = "floor"
fixed = true
material = "glass"
shape = { half_space = [0, 1, 0] }

[[body]]
name = "peg"
fixed = true
material = "glass"
shape = { sphere = 0.02 }
position = [-0.06, 0.1, 0]
repeat = { count = 3, offset = [0.06, 0, 0] }

[[body]]
name = "marble"
material = "glass"
shape = { sphere = 0.01 }
position = [{ uniform = [-0.08, 0.08] }, 0.2, { normal = [0.0, 0.002] }]
takes_part = 0.6
repeat = { count = 5, interval = 0.2 }

[[want]]
body = "marble"
inside = { box = [0.1, 0.1, 1.0], position = [0.05, 0.0, 0.0] }
at_least = 2

[[want]]
body = "marble"
inside = { box = [0.1, 0.1, 1.0], position = [-0.05, 0.0, 0.0] }
at_least = 1

[[want]]
body = "marble"
hits = { body = "peg", at = 0.6, within = 0.1 }
at_least = 1
"#;

/// A run that nobody stops.
fn start<'a>(
    directed: &'a DirectedScene,
    mix: &'a Mix,
    seed: u64,
    options: SamplerOptions,
) -> Sampler<'a, DirectedScene> {
    Sampler::start(directed, mix, Seed(seed), options, &Progress::none()).unwrap().finished().unwrap()
}

/// A batch that nobody stops.
fn batch(sampler: &mut Sampler<'_, DirectedScene>) -> Batch<Outcome> {
    sampler.advance(&Progress::none()).unwrap().finished().unwrap()
}

fn options(method: Method, abandon: bool) -> SamplerOptions {
    let mut options = SamplerOptions { method: Some(method), abandon, ..SamplerOptions::default() };
    options.population.particles = 64;
    options
}

#[test]
fn what_was_found_meets_the_wants_when_simulated_again() {
    let directed = DirectedScene::new(&scene(MARBLES)).unwrap();
    let mix = directed.mix().unwrap();
    let mut sampler = start(&directed, &mix, 3, options(Method::Rejection, true));
    let mut found = Vec::new();
    while found.len() < 8 {
        found.extend(batch(&mut sampler).successes);
    }
    for found in &found[..8] {
        let again = directed.outcome(&found.sample.point, &Progress::none()).unwrap().finished().unwrap();
        assert!(again.satisfied && again.outcome.wants_met().iter().all(|met| *met));
        assert_eq!(again.log_score.to_bits(), found.sample.log_score.to_bits());
        // The clip shows the same, though it goes on to the end of the scene.
        let drawn = directed.drawn(&found.sample.point).unwrap();
        let run = drawn.simulate(&SimulateOptions::default(), &Progress::none()).unwrap();
        let active = found.sample.point.active().iter().filter(|active| **active).count();
        assert_eq!(run.clip.nodes.len(), 4 + active, "who does not take part is not seen");
        for body in run.world.bodies() {
            let (name, end) = (run.world.name(body).to_owned(), run.world.pose(body));
            assert_eq!(end, again.outcome.pose(&name, 3.0).filter(|_| end.is_some()), "{name}");
        }
        assert_eq!(run.contacts.len(), again.outcome.contacts().count());
    }
}

#[test]
fn abandoning_leaves_the_chain_as_it_is() {
    for method in [Method::Rejection, Method::Chain, Method::Tempering] {
        let directed = DirectedScene::new(&scene(MARBLES)).unwrap();
        let mix = directed.mix().unwrap();
        let runs = [true, false].map(|abandon| {
            let mut sampler = start(&directed, &mix, 5, options(method, abandon));
            let batches = (0..2).map(|_| batch(&mut sampler).draws).collect::<Vec<_>>();
            (batches, sampler.effort())
        });
        assert_eq!(runs[0].0, runs[1].0, "{method}");
        assert!(runs[0].1.abandoned > 0 && runs[1].1.abandoned == 0, "{method}: {:?}", runs[0].1);
    }
}

#[test]
fn reuse_leaves_the_chain_as_it_is() {
    // A want that is decided early is worth more than re-use.
    let (text, _) = MARBLES.rsplit_once("[[want]]").unwrap();
    let text = text.replace("count = 5, interval = 0.2", "count = 9, interval = 0.1");
    for method in [Method::Chain, Method::Tempering, Method::Population] {
        let runs = [true, false].map(|reuse| {
            let directed = DirectedScene::new(&scene(&text)).unwrap().with_reuse(reuse);
            let mix = directed.mix().unwrap();
            let mut sampler = start(&directed, &mix, 7, options(method, true));
            (0..2).map(|_| batch(&mut sampler).draws).collect::<Vec<_>>()
        });
        assert_eq!(runs[0], runs[1], "{method}");
    }
}

#[test]
fn different_means_other_paths_or_another_side() {
    let (directed, a) = judged("[[want]]\nbody = \"ball\"\nunmoved = false", 1);
    let (_, b) = judged("[[want]]\nbody = \"ball\"\nunmoved = false", 2);
    let (a, b) = (directed.sketch(&a), directed.sketch(&b));
    assert!(!a.differs(&a) && a.distance(&a) == 0.0 && a.other_contacts(&a) == 0);
    assert!(a.apart(&b) > 1.0 && a.differs(&b) && b.differs(&a));
    assert_eq!(a.distance(&b).to_bits(), b.distance(&a).to_bits());
}

#[test]
fn what_cannot_be_directed_is_told() {
    let error = |text: &str| DirectedScene::new(&scene(text)).err().unwrap().explain();
    assert!(error(YARD).contains("nothing is wanted"));
    let want = "[[want]]\nbody = \"ball\"\nupright = true\n";
    let certain = YARD.replace("{ uniform = [0.0, 2.0] }", "1.0");
    assert!(error(&format!("{certain}{want}")).contains("nothing is uncertain"));
    let unread =
        format!("{}{want}", YARD.replace("[materials", "[variables]\nspeed = { normal = [1, 1] }\n\n[materials"));
    assert!(error(&unread).contains("nothing reads the variable \"speed\""));
}

/// Two balls of which one starts somewhere along x.
fn pair(x: &str) -> Scene {
    let ball = |name: &str, x: &str| {
        format!("[[body]]\nname = \"{name}\"\nshape = {{ sphere = 0.1 }}\nposition = [{x}, 0, 0]\n")
    };
    let want = "[[want]]\nbody = \"left\"\nnear = { position = [0, 0], within = 0.1 }\nat = 0.5\n";
    scene(&format!("format = 1\nduration = 1.0\n{}{}{want}", ball("left", x), ball("right", "0.0")))
}

#[test]
fn a_scene_of_which_no_draw_can_be_is_refused_at_once() {
    let told = DirectedScene::new(&pair("{ uniform = [-0.15, 0.15] }")).err().unwrap().explain();
    assert!(told.contains("\"left\" and \"right\" overlap"), "{told}");
    // One draw in twenty is enough.
    assert!(DirectedScene::new(&pair("{ uniform = [-0.21, 0.18] }")).is_ok());
}

#[test]
fn a_simulation_that_is_stopped_at_any_question_says_so() {
    let directed = DirectedScene::new(&scene(MARBLES)).unwrap();
    let point = directed.space().draw(&mut Seed(1).stream("point"));
    let counted = Progress::new(&Stop::new());
    let events = directed.outcome(&point, &counted).unwrap().finished().unwrap().outcome.contacts().count() as u64;
    assert!(counted.questions() > events, "{} questions, {events} contacts", counted.questions());
    for question in (1..=counted.questions()).step_by(37) {
        let progress = Progress::stopping_at(question);
        assert!(directed.outcome(&point, &progress).unwrap().finished().is_none(), "{question}");
        assert!(progress.questions() <= question + 1);
    }
}

#[test]
fn wants_that_exclude_each_other_are_refused_at_once() {
    let refused = |wants: &str| match DirectedScene::new(&scene(YARD).with_wants(wants).unwrap()) {
        Ok(_) => panic!("accepted: {wants}"),
        Err(errors) => errors.explain(),
    };
    let told = refused("block shows 6, block shows 1");
    assert!(told.contains("\"block shows 6\" and \"block shows 1\" exclude each other"), "{told}");
    assert!(told.contains("leave one out"), "{told}");
    assert!(refused("ball rests near 0 0 within 0.1, ball rests near 1 0 within 0.1").contains("exclude each other"));
    let either = "{ of = [{ body = \"block\", face_up = 6 }, { body = \"block\", face_up = 1 }], at_least = 1 }";
    assert!(DirectedScene::new(&scene(YARD).with_wants(either).unwrap()).is_ok());
}
