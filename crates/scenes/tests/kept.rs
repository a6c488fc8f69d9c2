//! Promise: of a kept stretch every bit is the same; what was not read by then has the
//! distribution that rejection gives which draws just that anew; what is held of an
//! animation is held. The seeds are fixed; with new ones each comparison would fail by chance
//! once in 10 000 times.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proscenium_chance::statistics::{chi_squared_homogeneity, kolmogorov_smirnov_two_samples};
use proscenium_direct::{Freedom, Method, Model as _, Point, Request, Sampler, SamplerOptions, Success};
use proscenium_scenes::{DirectedScene, FoundAnimation, Outcome, Scene, Seed, Source};
use proscenium_work::Progress;

const ERROR_RATE: f64 = 1e-4;

/// A ball rolls from the left; another may be dropped on it, later, at a time that is not
/// known; far behind, a wall of uncertain restitution.
const LATE: &str = r#"
    format = 1
    duration = 1.6
    [variables]
    bounce = { uniform = [0.1, 0.9] }
    [materials.rubber]
    restitution = 0.4
    [materials.stone]
    restitution = 0.5
    [[pair]]
    materials = ["rubber", "stone"]
    restitution = "bounce"
    [[body]]
    name = "floor"
    fixed = true
    material = "rubber"
    shape = { half_space = [0, 1, 0] }
    [[body]]
    name = "wall"
    fixed = true
    material = "stone"
    position = [1.5, 0.5, 0]
    shape = { box = [0.2, 1.0, 1.0] }
    [[body]]
    name = "ball"
    material = "rubber"
    shape = { sphere = 0.05 }
    position = [0, 0.05, { normal = [0.0, 0.02] }]
    velocity = [{ normal = [1.5, 0.2] }, 0, 0]
    [[body]]
    name = "drop"
    material = "rubber"
    shape = { sphere = 0.04 }
    position = [{ uniform = [0.4, 1.3] }, 0.4, 0]
    start = { uniform = [0.1, 0.9] }
    takes_part = 0.6
"#;

const WANT: &str = "{ body = \"ball\", near = { position = [1.0, 0], within = 0.35 }, at = 1.5 }";

fn directed(text: &str, want: &str) -> DirectedScene {
    let scene = Scene::parse(text, &Source::inline("late.toml", text)).unwrap();
    DirectedScene::new(&scene.with_wants(want).unwrap()).unwrap()
}

/// Animations that a sampler finds.
fn sampled(model: &DirectedScene, method: Method, count: usize) -> Vec<Success<Outcome>> {
    let (mix, none) = (model.mix().unwrap(), Progress::none());
    let options = SamplerOptions { method: Some(method), ..SamplerOptions::default() };
    let started = Sampler::start(model, &mix, Seed(5), options, &none).unwrap();
    let (mut sampler, mut found) = (started.finished().unwrap(), Vec::new());
    while found.len() < count {
        found.extend(sampler.advance(&none).unwrap().finished().unwrap().successes);
    }
    found.truncate(count);
    found
}

fn found(model: &DirectedScene, point: &Point) -> FoundAnimation {
    model.found(point, &Progress::none()).unwrap().finished().unwrap()
}

fn keeping(model: DirectedScene, found: &FoundAnimation, until: f64) -> DirectedScene {
    model.keeping(found, until, &Progress::none()).unwrap().finished().unwrap()
}

/// Every flight that began by a time, and every contact, to the bit.
fn until(outcome: &Outcome, time: f64) -> Vec<u64> {
    let (recording, mut bits) = (outcome.recording(), Vec::new());
    for body in ["floor", "wall", "ball", "drop", "die"] {
        for k in 0..=64 {
            let at = time * f64::from(k) / 64.0;
            let pose = outcome.pose(body, at);
            bits.extend(pose.iter().flat_map(|pose| pose.translation.to_array().map(f64::to_bits)));
            bits.extend(pose.iter().flat_map(|pose| pose.rotation.to_array().map(f64::to_bits)));
        }
    }
    let contacts = recording.contacts.iter().filter(|contact| contact.time <= time);
    bits.extend(contacts.flat_map(|contact| [contact.time.to_bits(), contact.impulse.x.to_bits()]));
    bits
}

/// Draws just these variables and groups anew, until the wants are met, and the stretch is
/// the same.
fn anew(model: &DirectedScene, at: &Point, variables: &[&str], time: f64, count: usize) -> Vec<Point> {
    let (space, none) = (model.space(), Progress::none());
    let kept = until(&found(model, at).outcome().clone(), time);
    let stream = Seed(6).stream("anew");
    let mut accepted = Vec::new();
    for index in 0.. {
        let drawn = space.draw(&mut stream.at(index));
        let is_free = |name: &str| variables.contains(&name);
        let active: Vec<bool> = space
            .groups()
            .map(|group| {
                let of = if is_free(space.group_name(group)) { &drawn } else { at };
                of.active()[group.index()]
            })
            .collect();
        let value = |id| {
            let whole = active[space.group_of(id).index()];
            let of = if is_free(space.variable_name(id)) { &drawn } else { at };
            // One that exists now and did not before has to be drawn, whoever has it.
            let known = of.whitened()[id.index()];
            if whole { known } else { 0.0 }
        };
        let point = Point::new(space.variables().map(value).collect(), active.clone());
        let Ok(evaluation) = model.simulate(&Request::whole(&space.values(&point), &none)) else { continue };
        let is_likely = Seed(8).stream("accepted").at(index).uniform() < libm::exp(evaluation.log_score);
        if is_likely && evaluation.satisfied && until(&evaluation.outcome, time) == kept {
            accepted.push(point);
            if accepted.len() == count {
                return accepted;
            }
        }
    }
    accepted
}

fn column(points: &[Point], model: &DirectedScene, name: &str) -> Vec<f64> {
    let space = model.space();
    let id = space.variables().find(|id| space.variable_name(*id) == name).unwrap();
    points.iter().filter(|point| space.exists(point, id)).map(|point| point.whitened()[id.index()]).collect()
}

fn assert_alike(one: &[f64], other: &[f64], what: &str) {
    let test = kolmogorov_smirnov_two_samples(one, other).unwrap();
    assert!(test.p_value > ERROR_RATE, "{what}: {test:?}");
}

#[test]
fn what_was_not_read_is_drawn_anew_as_by_rejection() {
    let model = directed(LATE, WANT);
    // One in which nothing is dropped by then, and the wall is yet to be hit.
    let seen = sampled(&model, Method::Rejection, 60);
    // It is as well without one.
    let is_early = |one: &&Success<Outcome>| {
        let drop = model.space().groups().find(|group| model.space().group_name(*group) == "drop").unwrap();
        let mut without = one.sample.point.clone();
        without.switch(model.space(), drop, false, &mut Seed(1).stream("nothing"));
        let late = one.outcome.pose("drop", 0.3).is_none() && one.outcome.pose("drop", 1.6).is_some();
        late && model.outcome(&without, &Progress::none()).unwrap().finished().unwrap().satisfied
    };
    let at = seen.iter().find(is_early).unwrap().sample.point.clone();
    let kept = keeping(directed(LATE, WANT), &found(&model, &at), 0.3);
    let free: Vec<(&str, Freedom)> = kept.left_free().collect();
    let names = ["bounce", "drop.position.x", "drop.start"];
    assert_eq!(free, names.map(|name| (name, Freedom::Anew)));

    let mut counts = Vec::new();
    let reference = anew(&model, &at, &["bounce", "drop.position.x", "drop.start", "drop"], 0.3, 300);
    for method in [Method::Rejection, Method::Chain] {
        let drawn = sampled(&kept, method, if method == Method::Chain { 40 } else { 300 });
        for one in &drawn {
            assert_eq!(until(&one.outcome, 0.3), until(found(&model, &at).outcome(), 0.3));
        }
        if method == Method::Rejection {
            let drawn: Vec<Point> = drawn.into_iter().map(|one| one.sample.point).collect();
            for name in names {
                assert_alike(&column(&drawn, &model, name), &column(&reference, &model, name), name);
            }
            for points in [&drawn, &reference] {
                let takes_part = points.iter().filter(|point| point.active().iter().all(|active| *active)).count();
                counts.push([takes_part as u64, (points.len() - takes_part) as u64]);
            }
        }
    }
    let test = chi_squared_homogeneity(&counts[0], &counts[1]).unwrap();
    assert!(test.p_value > ERROR_RATE, "{counts:?}");
}

/// What is simulated from where the stretch ends is what is simulated from the beginning.
#[test]
fn the_kept_part_is_not_simulated_again() {
    let model = directed(LATE, WANT);
    let seen = sampled(&model, Method::Rejection, 1);
    let at = found(&model, &seen[0].sample.point);
    for time in [0.05, 0.31] {
        let kept = keeping(directed(LATE, WANT), &at, time);
        let whole = keeping(directed(LATE, WANT), &at, time);
        let whole = whole.with_reuse(false);
        let none = Progress::none();
        for index in 0..60 {
            let values = kept.space().values(&kept.space().draw(&mut Seed(9).stream("kept").at(index)));
            let [one, other] = [&kept, &whole].map(|model| model.simulate(&Request::whole(&values, &none)).unwrap());
            assert_eq!(one.log_score.to_bits(), other.log_score.to_bits());
            assert_eq!(until(&one.outcome, 1.6), until(&other.outcome, 1.6));
        }
    }
}

#[test]
fn where_nothing_is_left_two_ways_on_are_told() {
    let text = LATE.replace("start = { uniform = [0.1, 0.9] }\n    takes_part = 0.6\n", "");
    let want = WANT;
    let model = directed(&text, want);
    let at = found(&model, &sampled(&model, Method::Rejection, 1)[0].sample.point);
    let errors = directed(&text, want).keeping(&at, 1.59, &Progress::none()).err().unwrap().to_string();
    assert!(errors.contains("nothing is left"), "{errors}");
    assert!(directed(&text, want).keeping(&at, 2.0, &Progress::none()).is_err());

    // A push at that time has a density.
    let scene = model.scene().with_push("ball", 1.59, 0.01).unwrap();
    let kept = keeping(DirectedScene::new(&scene).unwrap(), &at, 1.59);
    let free: Vec<&str> = kept.left_free().map(|(name, _)| name).collect();
    let of_push = ["ball.pushes.1.impulse.x", "ball.pushes.1.impulse.y", "ball.pushes.1.impulse.z"];
    assert!(of_push.iter().all(|name| free.contains(name)), "{free:?}");
    let drawn = sampled(&kept, Method::Rejection, 4);
    for one in &drawn {
        assert_eq!(until(&one.outcome, 1.58), until(at.outcome(), 1.58));
    }
    // Near the path, on a fresh draw: a want, which the animation itself meets.
    let wants = at.path_wants(&model.scene().wanted_bodies(), 0.8, 0.05);
    assert_eq!(wants.len(), 8);
    let near = wants.iter().try_fold(model.scene().clone(), |scene, want| scene.with_wants(want)).unwrap();
    let point = sampled(&model, Method::Rejection, 1)[0].sample.point.clone();
    let met = DirectedScene::new(&near).unwrap().outcome(&point, &Progress::none()).unwrap().finished().unwrap();
    assert!(met.satisfied && met.outcome.wants_met().len() == 9);
}

#[test]
fn what_is_held_is_held_and_what_may_move_little_does() {
    let want = WANT;
    let model = directed(LATE, want);
    let at = sampled(&model, Method::Rejection, 1)[0].sample.point.clone();
    let one = found(&model, &at);
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let like = |held: &[&str], little: &[&str]| directed(LATE, want).like(&one, &names(held), &names(little), 0.3);
    let error = like(&["bal"], &[]).err().unwrap().errors.remove(0);
    assert!(error.message.contains("nothing that is uncertain is called \"bal\""), "{}", error.message);
    assert_eq!(error.help.unwrap(), "did you mean \"ball\"?");
    assert!(like(&["*"], &[]).is_err());

    let held = like(&["ball"], &["bounce"]).unwrap();
    let drawn: Vec<Point> = sampled(&held, Method::Rejection, 300).into_iter().map(|one| one.sample.point).collect();
    for name in ["ball.position.z", "ball.velocity.x"] {
        let own = column(std::slice::from_ref(&at), &model, name)[0];
        assert!(column(&drawn, &model, name).iter().all(|z| *z == own));
    }
    let own = column(std::slice::from_ref(&at), &model, "bounce")[0];
    assert!(column(&drawn, &model, "bounce").iter().all(|z| (z - own).abs() <= 0.3));
    // The same by rejection that draws only the rest, and leaves out what moved too far.
    let free = ["bounce", "drop.position.x", "drop.start", "drop"];
    let reference = anew(&model, &at, &free, 0.0, 1200);
    let own_of = |point: &Point| column(std::slice::from_ref(point), &model, "bounce")[0];
    let reference: Vec<Point> = reference.into_iter().filter(|point| (own_of(point) - own).abs() <= 0.3).collect();
    for name in ["bounce", "drop.position.x", "drop.start"] {
        assert_alike(&column(&drawn, &model, name), &column(&reference, &model, name), name);
    }
    // A chain begins at the animation itself, which meets the wants.
    assert_eq!(sampled(&held, Method::Chain, 1)[0].sample.iteration, 1);
}

/// A die that was turned when it was shown is turned the same way in what is kept of it.
#[test]
fn a_die_is_shown_in_the_same_turn() {
    const DIE: &str = r#"
        format = 1
        duration = 1.5
        [[body]]
        name = "floor"
        fixed = true
        shape = { half_space = [0, 1, 0] }
        [[body]]
        name = "die"
        shape = { box = [0.02, 0.02, 0.02] }
        position = [0, 0.1, 0]
        orientation = "uniform"
        [[body]]
        name = "drop"
        shape = { box = [0.02, 0.02, 0.02] }
        position = [{ normal = [0.0, 0.01] }, 0.15, 0]
        orientation = "uniform"
        start = 0.6
    "#;
    let model = directed(DIE, "die shows 6");
    assert!(model.is_symmetric());
    let seen = sampled(&model, Method::Rejection, 1);
    let at = found(&model, &seen[0].sample.point);
    let kept = keeping(directed(DIE, "die shows 6"), &at, 0.5);
    assert!(kept.left_free().all(|(name, _)| name.starts_with("drop.")));
    for one in sampled(&kept, Method::Rejection, 4) {
        assert_eq!(until(&one.outcome, 0.5), until(at.outcome(), 0.5));
        assert!(one.outcome.wants_met()[0]);
        let clip = kept.drawn(&one.sample.point).unwrap();
        let clip = clip.simulate(&Default::default(), &Progress::none()).unwrap().clip;
        let node = clip.node("die").unwrap();
        let shown = at.outcome().pose("die", 0.3).unwrap().rotation;
        let angle = clip.world_from_node(node, 0.3).unwrap().to_scale_rotation_translation().1;
        assert!(angle.angle_between(shown.as_quat()) < 0.02, "{angle} {shown}");
    }
}
