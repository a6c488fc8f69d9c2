//! Promise: wants about stretches of time, relations, openings, orders and pictures mean
//! what the page says: a judge that looks ten times as often agrees, and what is known on
//! the way never contradicts the score at the end.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use proscenium_direct::{Abandon, Model, Request};
use proscenium_rigid::glam::DVec3;
use proscenium_scenes::{DirectedScene, Outcome, Scene, Seed, Source};
use proscenium_work::{Progress, Remedy as _};

fn scene(text: &str) -> Scene {
    Scene::parse(text, &Source::inline("scene.toml", text)).unwrap_or_else(|errors| panic!("{errors}\nin\n{text}"))
}

/// A ball that is thrown over a hoop's place at a wall, a bell on its way back, a post that
/// it may knock over, and a block that nothing touches.
const YARD: &str = r#"
format = 1
duration = 2.0

[materials.rubber]
density = 900.0
restitution = 0.7
friction = 0.5
rolling = 0.02

[[body]]
name = "floor"
fixed = true
material = "rubber"
shape = { half_space = [0, 1, 0] }

[[body]]
name = "wall"
fixed = true
material = "rubber"
shape = { box = [0.1, 2.0, 2.0] }
position = [1.5, 1.0, 0.0]

[[body]]
name = "hoop"
fixed = true
shape = { compound = [
  { shape = { box = [0.02, 0.02, 0.4] }, position = [0, 0.2, 0] },
  { shape = { box = [0.02, 0.02, 0.4] }, position = [0, -0.2, 0] },
  { shape = { box = [0.02, 0.4, 0.02] }, position = [0, 0, 0.2] },
  { shape = { box = [0.02, 0.4, 0.02] }, position = [0, 0, -0.2] },
] }
position = [0.6, 0.5, 0.0]

[[body]]
name = "ball"
material = "rubber"
shape = { sphere = 0.05 }
position = [0, 0.4, { uniform = [-0.15, 0.15] }]
velocity = [{ uniform = [0.5, 4.0] }, { uniform = [0.0, 2.5] }, 0]
spin = [0, 0, { uniform = [-20.0, 20.0] }]

[[body]]
name = "post"
resting = true
material = "rubber"
shape = { box = [0.04, 0.24, 0.04] }
position = [1.1, 0.12, 0.0]
repeat = { count = 3, offset = [0.0, 0.0, 0.1] }

[[body]]
name = "block"
resting = true
material = "rubber"
shape = { box = [0.2, 0.2, 0.2] }
position = [-1.0, 0.1, 0.5]

[[body]]
name = "cap"
resting = true
material = "rubber"
shape = { box = [0.1, 0.04, 0.1] }
position = [-1.0, 0.22, 0.5]

[[camera]]
name = "main"
position = [0.5, 0.6, 3.0]
target = [0.5, 0.5, 0.0]
"#;

fn directed(want: &str) -> DirectedScene {
    let scene = scene(YARD).with_wants(want).unwrap_or_else(|errors| panic!("{want}: {}", errors.explain()));
    DirectedScene::new(&scene).unwrap_or_else(|errors| panic!("{want}: {}", errors.explain()))
}

fn outcome(directed: &DirectedScene, seed: u64) -> Outcome {
    let point = directed.space().draw(&mut Seed(seed).stream("point"));
    directed.outcome(&point, &Progress::none()).unwrap().finished().unwrap().outcome
}

/// The truth of a draw, by looking at the whole motion 2 400 times a second.
struct Judge {
    outcome: Outcome,
}

impl Judge {
    fn of(seed: u64) -> Self {
        // What is asked of the end alone lets the scene run until then.
        Self { outcome: outcome(&directed("ball rests near 9 9 within 0.1"), seed) }
    }

    fn times() -> impl Iterator<Item = f64> {
        (0..=4800).map(|tick| f64::from(tick) / 2400.0)
    }

    fn place(&self, body: &str, time: f64) -> DVec3 {
        self.outcome.pose(body, time).unwrap().translation
    }

    fn speed(&self, body: &str, time: f64) -> f64 {
        let step = 1e-6;
        (self.place(body, time + step) - self.place(body, time)).length() / step
    }

    fn is_down(&self, body: &str, time: f64) -> bool {
        let up = self.outcome.pose(body, time).unwrap().rotation * DVec3::Y;
        up.y < 0.5
    }

    fn hits(&self, body: &str, other: &str) -> Vec<f64> {
        let both = |a: &str, b: &str| (a, b) == (body, other) || (b, a) == (body, other);
        self.outcome.contacts().filter(|(_, a, b)| both(a, b)).map(|(time, ..)| time).collect()
    }

    /// When the ball crosses the plane of the hoop within its ellipse.
    fn passes(&self) -> Vec<f64> {
        let mut times: Vec<f64> = Vec::new();
        let all: Vec<f64> = Self::times().collect();
        for pair in all.windows(2) {
            let (before, after) = (self.place("ball", pair[0]) - 0.6 * DVec3::X, self.place("ball", pair[1]));
            let crosses = (before.x < 0.0) != (after.x - 0.6 < 0.0);
            let (y, z) = ((after.y - 0.5) / 0.21, after.z / 0.21);
            if crosses && y * y + z * z <= 1.0 {
                times.push(pair[1]);
            }
        }
        times
    }
}

/// Each want, and what a judge says who looks at everything.
type Case = (&'static str, fn(&Judge) -> bool);

const CASES: &[Case] = &[
    ("ball near block within 0.9 between 0.5 and 1.5", |judge| {
        let near = |time: &f64| judge.place("ball", *time).distance(judge.place("block", *time)) <= 0.9;
        Judge::times().filter(|time| (0.5..=1.5).contains(time)).any(|time| near(&time))
    }),
    ("ball never near wall within 1.5", |judge| {
        Judge::times().all(|time| judge.place("ball", time).distance(judge.place("wall", time)) > 1.5)
    }),
    ("ball faster than 3", |judge| Judge::times().any(|time| judge.speed("ball", time) >= 3.0)),
    ("ball always faster than 0.3", |judge| Judge::times().all(|time| judge.speed("ball", time) >= 0.3)),
    ("ball slower than 0.5 at 1.7", |judge| judge.speed("ball", 1.7) <= 0.5),
    ("ball passes hoop", |judge| !judge.passes().is_empty()),
    ("ball never passes hoop", |judge| judge.passes().is_empty()),
    ("ball passes hoop before 0.3", |judge| judge.passes().iter().any(|time| *time <= 0.3)),
    ("ball passes plane at 0 0 0 towards 0 1 0 before 1", |_| false),
    ("ball hits wall then floor", |judge| {
        let wall = judge.hits("ball", "wall");
        wall.first().is_some_and(|first| judge.hits("ball", "floor").iter().any(|time| time > first))
    }),
    ("ball passes hoop then hits wall", |judge| {
        let first = judge.passes().first().copied();
        first.is_some_and(|first| judge.hits("ball", "wall").iter().any(|time| *time > first))
    }),
    ("at least 2 of post-* fall", |judge| {
        (1..=3).filter(|post| judge.is_down(&format!("post-{post}"), 2.0)).count() >= 2
    }),
    ("post-2 falls before 1", |judge| Judge::times().any(|time| time <= 1.0 && judge.is_down("post-2", time))),
    ("post-2 falls before post-3", |judge| {
        let when = |post: &str| Judge::times().find(|time| judge.is_down(post, *time));
        when("post-2").zip(when("post-3")).is_some_and(|(two, three)| two < three)
    }),
    ("either ball hits wall or ball slower than 0.01", |judge| {
        !judge.hits("ball", "wall").is_empty() || Judge::times().any(|time| judge.speed("ball", time) <= 0.01)
    }),
    ("not ball hits wall", |judge| judge.hits("ball", "wall").is_empty()),
    ("ball never hits wall", |judge| judge.hits("ball", "wall").is_empty()),
    ("{ body = \"ball\", always = true, inside = { box = [3, 3, 1.2], position = [0, 0, 0] } }", |judge| {
        let limits = DVec3::new(1.5, 1.5, 0.6);
        Judge::times().all(|time| judge.place("ball", time).abs().cmple(limits).all())
    }),
    ("cap on block", |_| true),
    ("block on cap", |_| false),
    ("cap touches block", |_| true),
    ("ball touches cap", |_| false),
    ("block faces cap with +y", |_| true),
    ("block faces cap with -y", |_| false),
    ("block faces ball with +x within 30 degrees at 0", |judge| {
        let towards = judge.place("ball", 0.0) - judge.place("block", 0.0);
        towards.normalize().x >= libm::cos(30f64.to_radians())
    }),
];

#[test]
fn a_judge_who_looks_more_often_agrees() {
    let judges: Vec<Judge> = (0..12).map(Judge::of).collect();
    for (want, truth) in CASES {
        let directed = directed(want);
        for (seed, judge) in (0..).zip(&judges) {
            let (met, expected) = (outcome(&directed, seed).wants_met()[0], truth(judge));
            assert_eq!(met, expected, "{want}, draw {seed}");
        }
    }
}

#[test]
fn what_is_known_on_the_way_never_contradicts_the_score() {
    let more = ["top third", "left half"].map(|part| format!("ball ends in the {part} of camera main"));
    let gates = ["ball hits post-1 and post-2 harder than 0.02", "ball hits wall at 0.6 within 0.05", "post-* stand"];
    let wants = CASES.iter().map(|(want, _)| (*want).to_owned()).chain(more).chain(gates.map(str::to_owned));
    for want in wants {
        let directed = directed(&want);
        let progress = Progress::none();
        for seed in 0..6 {
            let values = directed.space().values(&directed.space().draw(&mut Seed(seed).stream("point")));
            let whole = directed.simulate(&Request::whole(&values, &progress)).unwrap();
            assert!(whole.log_score <= 0.0 && !whole.log_score.is_nan(), "{want}: {}", whole.log_score);
            assert!(!whole.satisfied || whole.log_score > -5.0, "{want}: {}", whole.log_score);
            let request = |needed: f64| Request { needed, ..Request::whole(&values, &progress) };
            let same = directed.simulate(&request(whole.log_score)).unwrap_or_else(|_| panic!("{want}, draw {seed}"));
            assert_eq!(same.log_score.to_bits(), whole.log_score.to_bits(), "{want}, draw {seed}");
            assert_eq!(same.satisfied, whole.satisfied);
            match directed.simulate(&request(whole.log_score + 1e-9)) {
                Ok(same) => assert_eq!(same.log_score.to_bits(), whole.log_score.to_bits(), "{want}, draw {seed}"),
                Err(reason) => assert_eq!(reason, Abandon::Hopeless),
            }
        }
    }
}

/// The score of a want for a ball that is dropped so far from a ring of 10 cm.
fn score_beside(off: f64, want: &str) -> f64 {
    let text = format!(
        "format = 1\nduration = 0.5\n[[body]]\nname = \"ball\"\nshape = {{ sphere = 0.02 }}\n\
         position = [{off}, 1, {{ uniform = [0, 1e-6] }}]\n\
         [[body]]\nname = \"bell\"\nfixed = true\nshape = {{ box = [0.1, 0.02, 0.1] }}\nposition = [0, 0.5, 0]\n\
         [[camera]]\nname = \"main\"\nposition = [0, 0.8, 2]\ntarget = [0, 0.8, 0]\n"
    );
    let directed = DirectedScene::new(&scene(&text).with_wants(want).unwrap()).unwrap();
    outcome(&directed, 1).scores()[0]
}

#[test]
fn a_nearer_miss_scores_more() {
    for want in [
        "ball passes ring 0.1 at 0 0.6 0 towards 0 -1 0",
        "ball hits bell",
        "ball hits bell then bell",
        "ball near bell within 0.1 before 0.4",
        "{ body = \"ball\", before = 0.4, inside = { box = [0.1, 2, 0.1], position = [0, 0, 0] } }",
        "ball in frame of camera main at 0.1",
        "either ball hits bell or ball passes ring 0.1 at 0 0.6 0 towards 0 -1 0",
    ] {
        let scores = [0.15, 0.3, 0.8, 1.8, 4.0].map(|off| score_beside(off, want));
        let falls = scores.windows(2).all(|pair| pair[0] > pair[1] || (pair[0] == pair[1] && pair[0] == 0.0));
        // A picture ends where it ends.
        let falls = falls || (want.contains("camera") && scores.windows(2).all(|pair| pair[0] >= pair[1]));
        assert!(falls, "{want}: {scores:?}");
        assert!(scores[4] < scores[0], "{want}: {scores:?}");
    }
    for want in ["ball hits bell harder than 0.5", "ball hits bell harder than 5"] {
        assert!(score_beside(0.0, want) < 0.0 && score_beside(0.0, want) > score_beside(3.0, want), "{want}");
    }
    assert!(score_beside(0.0, "ball hits bell harder than 0.5") > score_beside(0.0, "ball hits bell harder than 5"));
}

#[test]
fn a_slow_touch_is_a_hit() {
    let text = "format = 1\nduration = 6.0\n[[body]]\nname = \"floor\"\nfixed = true\nshape = { half_space = [0, 1, 0] }\n\
                [[body]]\nname = \"ball\"\nshape = { sphere = 0.05 }\nposition = [0, 0.05, { uniform = [0, 1e-6] }]\n\
                velocity = [0.085, 0, 0]\nspin = [0, 0, -1.7]\n\
                [[body]]\nname = \"bell\"\nresting = true\nshape = { sphere = 0.05 }\nposition = [0.3, 0.05, 0]\n";
    let met = |want: &str| {
        let directed = DirectedScene::new(&scene(text).with_wants(want).unwrap()).unwrap();
        outcome(&directed, 1).wants_met()[0]
    };
    assert!(met("ball hits bell") && met("ball hits bell at 2.353 within 0.02") && !met("ball hits bell before 2.3"));
    assert!(!met("ball hits bell harder than 0.001") && !met("ball never hits bell"));
}

#[test]
fn what_ends_in_a_part_of_a_picture_is_there() {
    // The ball falls in the middle of the picture, 2 m from the eye.
    let met = |want: &str| score_beside(0.0, want) == 0.0;
    assert!(met("ball in frame of camera main at 0.1") && met("ball in the middle third of camera main at 0.1"));
    assert!(!met("ball in the left third of camera main at 0.1"));
    assert!(met("ball in the top half of camera main at 0.1") && !met("ball in the bottom half of camera main at 0.1"));
}

#[test]
fn what_is_wrong_has_its_place_in_the_sentence() {
    for (want, column, words) in [
        ("ball hits wall, ball hits bel", 27, "there is no body \"bel\""),
        ("ball hits wall, bal hits wall", 17, "did you mean \"ball\""),
        ("ball stands on its head", 13, "is not understood"),
        ("ball in frame of camera mani", 25, "there is no camera \"mani\""),
        ("ball in the lower corner of camera main", 13, "a picture has no \"lower corner\""),
        ("ball hits wall at 9 within 0.1", 19, "outside of the scene"),
        ("ball hits wall between 1 and 7", 16, "lie outside of the scene"),
        ("ball always hits wall", 18, "a hit has a moment"),
        ("ball hits wall then stands", 1, "only what hits, passes or falls"),
        ("pins-* fall", 1, "there is no body \"pins-*\""),
    ] {
        let errors = scene(YARD).with_wants(want).unwrap_err();
        let place = errors.errors[0].place.clone().unwrap_or_else(|| panic!("{want}: no place"));
        assert_eq!((place.file.as_str(), place.line, place.column), ("--want", 1, column), "{want}: {errors}");
        assert!(errors.explain().contains(words), "{want}: {}", errors.explain());
    }
}
