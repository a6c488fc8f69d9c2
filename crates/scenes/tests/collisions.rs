//! Promise: single collisions have numbers of their own, keyed by the bodies and by how many
//! there were before; the paper's ball (Chenney 2000, 2.4.1) can be written as a scene file.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::f64::consts::FRAC_1_SQRT_2;

use proscenium_direct::{Model as _, Point, Previous, Request};
use proscenium_scenes::{DirectedScene, Scene, Seed, SimulateOptions, Source};
use proscenium_work::Progress;

/// Lengths in diameters, times such that gravity is one. After the five collisions the ball
/// does not bounce.
const BALL: &str = r#"
    format = 1
    duration = 40.0
    gravity = [0, -1, 0]
    [materials.any]
    restitution = 0
    friction = 1
    rolling = 1
    [[collision]]
    bodies = ["ball", "table"]
    count = 5
    lean = [{ normal = [0, 10] }, 0]
    restitution = 0.7071067811865476
    friction = 0
    [[body]]
    name = "table"
    fixed = true
    material = "any"
    shape = { half_space = [0, 1, 0] }
    [[body]]
    name = "ball"
    material = "any"
    shape = { sphere = 0.5 }
    position = [0, 4.5, 0]
"#;

fn scene(text: &str) -> Scene {
    Scene::parse(text, &Source::inline("ball.toml", text)).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Where the sixth collision is: the paper's simulator.
fn by_hand(degrees: &[f64]) -> f64 {
    let (mut x, mut across, mut up) = (0.0_f64, 0.0_f64, -8.0_f64.sqrt());
    for inclination in degrees.iter().map(|degrees| degrees.to_radians()) {
        let (sine, cosine) = (libm::sin(inclination), libm::cos(inclination));
        let approach = across * sine + up * cosine;
        if approach < 0.0 {
            across -= (1.0 + FRAC_1_SQRT_2) * approach * sine;
            up -= (1.0 + FRAC_1_SQRT_2) * approach * cosine;
        }
        x += across * 2.0 * up.max(0.0);
        up = -up.abs();
    }
    x
}

#[test]
fn the_papers_ball_is_a_scene_file() {
    let scene = scene(BALL);
    let names: Vec<&str> = scene.variables().map(|(name, _)| name).collect();
    let expected: Vec<String> = (1..=5).map(|k| format!("collision.ball.table.{k}.lean.x")).collect();
    assert_eq!(names, expected);
    let mut judged = 0;
    for seed in 0..40 {
        let drawn = scene.draw(Seed(seed));
        let degrees: Vec<f64> = expected.iter().map(|name| drawn.values()[name]).collect();
        let run = drawn.simulate(&SimulateOptions::default(), &Progress::none()).unwrap();
        // One that is sent into the table at a small angle touches it slowly, and stays.
        if run.contacts.len() < 6 {
            continue;
        }
        judged += 1;
        let (x, exact) = (run.contacts[5].point.x, by_hand(&degrees));
        assert!((x - exact).abs() < 1e-4, "seed {seed}: {x}, not {exact}, with {degrees:?}");
    }
    assert!(judged > 25, "{judged}");
}

/// Bodies with copies: each two have numbers of their own; what did not change is re-used.
#[test]
fn runs_with_collisions_of_their_own_are_reused() {
    let text = format!(
        "{}{}",
        BALL.replace("duration = 40.0", "duration = 6.0")
            .replace("friction = 0\n", "friction = { uniform = [0, 0.5] }\n"),
        r#"
    [[body]]
    name = "other"
    material = "any"
    shape = { sphere = 0.3 }
    position = [{ uniform = [6, 7] }, 2, 0]
    repeat = { count = 4, offset = [3, 0, 0] }
    [[collision]]
    bodies = ["other", "table"]
    count = 2
    restitution = { uniform = [0.2, 0.9] }
    [[collision]]
    bodies = ["other", "other"]
    count = 1
    lean = [0, { normal = [0, 3] }]
    [[want]]
    body = "ball"
    near = { position = [1, 0], within = 1 }
"#
    );
    let scene = scene(&text);
    assert_eq!(scene.variables().filter(|(name, _)| name.starts_with("collision.other")).count(), 4 * 2 + 6);
    let directed = DirectedScene::new(&scene).unwrap();
    let (space, none) = (directed.space(), Progress::none());
    let point = space.draw(&mut Seed(3).stream("test"));
    let first = directed.simulate(&Request::whole(&space.values(&point), &none)).unwrap();
    for id in space.variables() {
        let mut whitened = point.whitened().to_vec();
        whitened[id.index()] += 0.2;
        let values = space.values(&Point::new(whitened, point.active().to_vec()));
        let values_before = space.values(&point);
        let previous = Some(Previous { values: &values_before, outcome: &first.outcome });
        let again = directed.simulate(&Request { previous, ..Request::whole(&values, &none) }).unwrap();
        let fresh = directed.simulate(&Request::whole(&values, &none)).unwrap();
        assert_eq!(again.log_score.to_bits(), fresh.log_score.to_bits(), "{}", space.variable_name(id));
        // Those of different bodies at one time have no order.
        let [one, other] = [&again, &fresh].map(|run| {
            let mut contacts = run.outcome.recording().contacts.clone();
            contacts.sort_by(|p, q| p.time.total_cmp(&q.time).then((p.a, p.b).cmp(&(q.a, q.b))));
            contacts
        });
        assert!(one.len() > 5);
        let first = one.iter().zip(&other).find(|(one, other)| one != other);
        assert!(first.is_none() && one.len() == other.len(), "{}: {first:?}", space.variable_name(id));
    }
}

/// Of a kept animation the collisions that are still to come are free.
#[test]
fn collisions_are_read_when_they_happen() {
    let text = format!("{BALL}[[want]]\nbody = \"ball\"\nnear = {{ position = [1, 0], within = 5 }}\n");
    let directed = || DirectedScene::new(&scene(&text)).unwrap();
    let none = Progress::none();
    let (model, level) = (directed(), Point::new(vec![0.1; 5], vec![true]));
    let found = model.found(&level, &none).unwrap().finished().unwrap();
    let times: Vec<f64> = found.outcome().contacts().map(|(time, ..)| time).collect();
    for (k, pair) in times.windows(2).take(4).enumerate() {
        let kept = directed().keeping(&found, 0.5 * (pair[0] + pair[1]), &none).unwrap().finished().unwrap();
        let free: Vec<&str> = kept.left_free().map(|(name, _)| name).collect();
        let expected: Vec<String> = (k + 2..=5).map(|k| format!("collision.ball.table.{k}.lean.x")).collect();
        assert_eq!(free, expected);
        let drawn = kept.space().draw(&mut Seed(1).stream("test"));
        let other = kept.outcome(&drawn, &none).unwrap().finished().unwrap().outcome;
        let others: Vec<f64> = other.contacts().map(|(time, ..)| time).collect();
        // The next collision is at the same time, and leads elsewhere.
        assert_eq!(others[..=k + 1], times[..=k + 1]);
    }
}

#[test]
fn what_cannot_be_is_told_with_its_place() {
    for (wrong, message) in [
        (BALL.replace("[\"ball\", \"table\"]", "[\"bal\", \"table\"]"), "there is no body \"bal\""),
        (BALL.replace("[\"ball\", \"table\"]", "[\"ball\", \"ball\"]"), "a body does not hit itself"),
        (BALL.replace("count = 5", "count = 0"), "`count` must be from 1 to 10000"),
        (BALL.replace("restitution = 0.7", "restitution = 1.7"), "a restitution must lie between 0 and 1"),
        (BALL.replace("friction = 0\n", "fricton = 0\n"), "unknown key `fricton`"),
        (
            format!("{BALL}[[collision]]\nbodies = [\"table\", \"ball\"]\ncount = 1\n"),
            "collisions of these two were described before",
        ),
        (
            format!("{BALL}[[joint]]\nkind = \"ball\"\nbody = \"ball\"\nat = [0, 2, 0]\n"),
            "a joint holds one of these two",
        ),
    ] {
        let errors = Scene::parse(&wrong, &Source::inline("ball.toml", &wrong)).unwrap_err();
        assert!(errors.errors[0].place.is_some() && errors.to_string().contains(message), "{errors}");
    }
}

/// Friction at the control points of a surface (the paper's figure 2.13): pucks slide as far as
/// the friction under them lets them.
#[test]
fn friction_and_restitution_change_over_a_surface() {
    let text = r#"
    format = 1
    duration = 4.0
    [[body]]
    name = "ground"
    fixed = true
    shape = { spline_field = { size = [4, 4], spacing = 0.5, height = 0, friction = { uniform = [0.1, 0.4] }, restitution = 0.25 } }
    [[body]]
    name = "puck"
    shape = { box = [0.1, 0.02, 0.1] }
    position = [-0.5, 0.0101, 0.3]
    velocity = [1.2, 0, 0]
    [[body]]
    name = "ball"
    shape = { sphere = 0.05 }
    position = [1, 0.55, -1]
    [[want]]
    body = "puck"
    near = { position = [0, 0], within = 2 }
"#;
    let scene = scene(text);
    // Of 4 m by half a metre: eight cells and three more control points.
    assert_eq!(scene.variables().count(), 11 * 11);
    let (mut stops, mut highest) = (Vec::new(), Vec::new());
    for seed in 0..4 {
        let drawn = scene.draw(Seed(seed));
        let run = drawn.simulate(&SimulateOptions::default(), &Progress::none()).unwrap();
        let node = run.clip.node("puck").unwrap();
        stops.push(run.clip.world_from_node(node, 4.0).unwrap().w_axis.x);
        // By hand: v dv = −μ g dx, with the geometric mean of the spline and the puck's 0.3.
        let values: Vec<f64> =
            (0..121).map(|k| drawn.values()[&format!("ground.shape.friction.{}.{}", k % 11 + 1, k / 11 + 1)]).collect();
        let spline = proscenium_geometry::HeightField::new(11, 11, 0.5, values).unwrap();
        let (mut x, mut energy, step) = (-0.5_f64, 0.5 * 1.2 * 1.2, 1e-4);
        while energy > 0.0 {
            energy -= 9.81 * (0.3 * spline.height(x, 0.3)).sqrt() * step;
            x += step;
        }
        let found = f64::from(stops[stops.len() - 1]);
        assert!((found - x).abs() < 0.012, "seed {seed}: {found}, not {x}");
        let ball = run.clip.node("ball").unwrap();
        let heights =
            (0..400_u16).map(|k| run.clip.world_from_node(ball, 0.33 + 0.001 * f32::from(k)).unwrap().w_axis.y);
        highest.push(f64::from(heights.fold(0.0, f32::max)));
    }
    assert!(stops.iter().any(|x| (x - stops[0]).abs() > 0.02), "{stops:?}");
    // Restitution √(0.25 · 0.5): the ball comes up again to an eighth of its half a metre.
    assert!(highest.iter().all(|top| (top - 0.05 - 0.125 * 0.5).abs() < 2e-3), "{highest:?}");
}
