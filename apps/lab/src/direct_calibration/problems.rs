//! Small scenes whose answers are known: balls that fly, and what is said of where
//! they are after a second.

use std::fmt::Write as _;

use proscenium_chance::{Density, Seed, Stream};
use proscenium_clip::Clip;
use proscenium_scenes::{DirectedScene, Scene, Source};

use crate::error::Halt;

/// A scene, something about it, and what that is in the mean of all animations that
/// meet the wants.
pub(super) struct Problem {
    pub name: String,
    pub scene: String,
    pub statistic: Statistic,
    pub truth: f64,
}

/// What is read off an animation.
pub(super) enum Statistic {
    /// Where a body is along x at the end.
    Place(&'static str),
    /// Whether a body is beyond a place along x.
    Beyond(&'static str, f64),
    /// Whether bodies are all there.
    Present(&'static [&'static str]),
}

impl Statistic {
    pub fn name(&self) -> String {
        match self {
            Self::Place(body) => format!("x of {body}"),
            Self::Beyond(body, place) => format!("{body} beyond {place}"),
            Self::Present(bodies) => format!("{} there", bodies.join(" and ")),
        }
    }

    /// Read off a clip at its end.
    pub fn of(&self, clip: &Clip) -> f64 {
        let place =
            |body: &str| clip.node(body).map(|node| f64::from(clip.nodes[node.0 as usize].pose(1.0).position.x));
        let truth = |is_so: bool| f64::from(u8::from(is_so));
        match self {
            Self::Place(body) => place(body).unwrap_or(f64::NAN),
            Self::Beyond(body, limit) => truth(place(body).is_some_and(|x| x > *limit)),
            Self::Present(bodies) => truth(bodies.iter().all(|body| place(body).is_some())),
        }
    }
}

impl Problem {
    pub fn directed(&self) -> Result<DirectedScene, Halt> {
        Ok(DirectedScene::new(&Scene::parse(&self.scene, &Source::inline(&self.name, &self.scene))?)?)
    }
}

/// A ball that flies along x, without uncertainty in anything else.
struct Ball {
    name: &'static str,
    /// Its velocity as the file has it.
    velocity: String,
    takes_part: Option<f64>,
}

impl Ball {
    fn new(name: &'static str, velocity: &str) -> Self {
        Self { name, velocity: velocity.to_owned(), takes_part: None }
    }

    fn taking_part(self, chance: f64) -> Self {
        Self { takes_part: Some(chance), ..self }
    }
}

/// The text of a scene of such balls, each in a lane of its own.
fn scene(balls: &[Ball], rest: &str) -> String {
    let mut text = "format = 1\nduration = 1.0\n".to_owned();
    for (lane, ball) in balls.iter().enumerate() {
        let (name, velocity) = (ball.name, &ball.velocity);
        let place = 3 * lane;
        let chance = ball.takes_part.map(|chance| format!("takes_part = {chance}\n")).unwrap_or_default();
        let _ = write!(
            text,
            "[[body]]\nname = \"{name}\"\nshape = {{ sphere = 0.05 }}\nposition = [0, 0, {place}]\n\
             velocity = [{velocity}, 0, 0]\n{chance}"
        );
    }
    text + rest
}

/// A want that a ball in a lane is near a place, after a second.
fn near(body: &str, lane: usize, place: f64, within: f64) -> String {
    let z = 3 * lane;
    format!("[[want]]\nbody = \"{body}\"\nnear = {{ position = [{place}, {z}], within = {within} }}\nat = 1.0\n")
}

/// A want that any of some balls is between two places along x, after a second.
fn between(bodies: &str, low: f64, high: f64) -> String {
    let (middle, length) = (0.5 * (low + high), high - low);
    format!(
        "[[want]]\nbody = {bodies}\ninside = {{ box = [{length}, 200, 200], position = [{middle}, 0, 0] }}\n\
         at = 1.0\nat_least = 1\n"
    )
}

/// The mean of something over a density, each value weighted: by the midpoint rule
/// over the standard normal that the density is made from.
fn weighted_mean(density: &Density, weight: impl Fn(f64) -> f64, of: impl Fn(f64) -> f64) -> f64 {
    const POINTS: u32 = 400_000;
    const REACH: f64 = 8.0;
    let (mut sum, mut all) = (0.0, 0.0);
    for point in 0..POINTS {
        let z = REACH * ((2.0 * f64::from(point) + 1.0) / f64::from(POINTS) - 1.0);
        let value = density.from_standard_normal(z);
        let weight = weight(value) * libm::exp(-0.5 * z * z);
        sum += weight * of(value);
        all += weight;
    }
    sum / all
}

/// What a want `near` makes of a miss.
fn nearness(place: f64, within: f64) -> impl Fn(f64) -> f64 {
    move |x| {
        let miss = (x - place).abs() / within;
        if miss <= 1.0 { libm::exp(-0.5 * miss * miss) } else { 0.0 }
    }
}

fn normal(mean: f64, deviation: f64) -> Result<Density, Halt> {
    Ok(Density::normal(mean, deviation)?)
}

const STANDARD: &str = "{ normal = [0, 1] }";

/// The problems that are the same in every run.
pub(super) fn fixed() -> Result<Vec<Problem>, Halt> {
    let standard = normal(0.0, 1.0)?;
    let mean_near = |place, within| weighted_mean(&standard, nearness(place, within), |x| x);
    let one = |place, within| scene(&[Ball::new("ball", STANDARD)], &near("ball", 0, place, within));
    let share = |low, high| weighted_mean(&standard, |_| 1.0, |x| f64::from(u8::from(low < x && x < high)));
    let hit = share(0.5, 1.5);
    let uniform = Density::uniform(-1.0, 3.0)?;
    let skewed = Density::exponential(1.0)?;
    let bystander = |want: &str| {
        let bird = Ball::new("bird", STANDARD).taking_part(0.9);
        scene(&[Ball::new("ball", STANDARD), bird], want)
    };
    let pair = [Ball::new("left", STANDARD).taking_part(0.5), Ball::new("right", STANDARD).taking_part(0.5)];
    // A ball that is there hits with this chance; given that one does, both are there with …
    let both = 0.25 * (1.0 - (1.0 - hit) * (1.0 - hit)) / (1.0 - (1.0 - 0.5 * hit) * (1.0 - 0.5 * hit));
    let steps = "{ discrete = { values = [0, 1, 2], weights = [7, 2, 1] } }";
    let stepped = Density::discrete([(0.0, 0.7), (1.0, 0.2), (2.0, 0.1)])?;
    let modes = either_of([(1.2, 1.6), (-2.0, -1.6)]);
    let right = share(1.2, 1.6) / (share(1.2, 1.6) + share(-2.0, -1.6));
    let place = Statistic::Place("ball");
    Ok(vec![
        Problem { name: "common".into(), scene: one(0.5, 0.8), statistic: place, truth: mean_near(0.5, 0.8) },
        Problem {
            name: "rare".into(),
            scene: one(3.2, 0.4),
            statistic: Statistic::Place("ball"),
            truth: mean_near(3.2, 0.4),
        },
        Problem {
            name: "uniform".into(),
            scene: scene(&[Ball::new("ball", "{ uniform = [-1, 3] }")], &near("ball", 0, 2.8, 0.6)),
            statistic: Statistic::Place("ball"),
            truth: weighted_mean(&uniform, nearness(2.8, 0.6), |x| x),
        },
        Problem {
            name: "skewed".into(),
            scene: scene(&[Ball::new("ball", "{ exponential = 1 }")], &near("ball", 0, 2.0, 1.0)),
            statistic: Statistic::Place("ball"),
            truth: weighted_mean(&skewed, nearness(2.0, 1.0), |x| x),
        },
        Problem {
            name: "discrete".into(),
            scene: scene(&[Ball::new("ball", steps)], &near("ball", 0, 1.5, 1.0)),
            statistic: Statistic::Beyond("ball", 1.5),
            truth: weighted_mean(&stepped, nearness(1.5, 1.0), |x| f64::from(u8::from(x > 1.5))),
        },
        Problem {
            name: "bystander".into(),
            scene: bystander(&near("ball", 0, 1.0, 0.3)),
            statistic: Statistic::Present(&["bird"]),
            truth: 0.9,
        },
        Problem {
            name: "either of two".into(),
            scene: scene(&pair, &between("[\"left\", \"right\"]", 0.5, 1.5)),
            statistic: Statistic::Present(&["left", "right"]),
            truth: both,
        },
        Problem {
            name: "two modes".into(),
            scene: scene(&[Ball::new("ball", STANDARD)], &modes),
            statistic: Statistic::Beyond("ball", 0.0),
            truth: right,
        },
    ])
}

/// A want that the ball is between either pair of places, after a second.
fn either_of(pairs: [(f64, f64); 2]) -> String {
    let one = |(low, high): (f64, f64)| {
        format!(
            "{{ body = \"ball\", inside = {{ box = [{}, 200, 200], position = [{}, 0, 0] }}, at = 1.0 }}",
            high - low,
            0.5 * (low + high)
        )
    };
    format!("[[want]]\nof = [{}, {}]\nat_least = 1\n", one(pairs[0]), one(pairs[1]))
}

/// Problems that nobody has seen: up to three balls with densities and wants drawn
/// from the seed.
pub(super) fn drawn(seed: Seed, count: u64) -> Result<Vec<Problem>, Halt> {
    (0..count).map(|number| one_drawn(number, &mut seed.stream("calibration problems").at(number))).collect()
}

fn one_drawn(number: u64, stream: &mut Stream) -> Result<Problem, Halt> {
    let mut pick = |low: f64, high: f64| ((low + (high - low) * stream.uniform()) * 100.0).round() / 100.0;
    let (mean, deviation) = (pick(-1.0, 1.0), pick(0.5, 2.0));
    let (place, within) = (mean + deviation * pick(-2.5, 2.5), deviation * pick(0.1, 0.6));
    let (other, chance) = (pick(-2.0, 2.0), pick(0.2, 0.8));
    let velocity = format!("{{ normal = [{mean}, {deviation}] }}");
    let balls = [Ball::new("ball", &velocity), Ball::new("bird", STANDARD).taking_part(chance)];
    let mut wants = near("ball", 0, place, within);
    let is_watched = pick(0.0, 1.0) < 0.5;
    if is_watched {
        // The bird must be there, and far.
        wants += &near("bird", 1, other, 0.5);
    }
    let density = normal(mean, deviation)?;
    let (statistic, truth) = if is_watched {
        (Statistic::Place("bird"), weighted_mean(&normal(0.0, 1.0)?, nearness(other, 0.5), |x| x))
    } else if pick(0.0, 1.0) < 0.5 {
        (Statistic::Present(&["bird"]), chance)
    } else {
        (Statistic::Place("ball"), weighted_mean(&density, nearness(place, within), |x| x))
    };
    Ok(Problem { name: format!("drawn {}", number + 1), scene: scene(&balls, &wants), statistic, truth })
}
