//! A small simulator of soft strips, tubes and leaves, which shares nothing with that of
//! the engine: particles on nets that keep their distances, in a wind that gusts.

use proscenium_ensemble::glam::DVec3;
use proscenium_ensemble::{Seed, Stream};

/// Frames per second, and steps in a frame.
const RATE: f64 = 24.0;
const STEPS: u32 = 16;
/// How often distances are mended in a step.
const SWEEPS: usize = 6;
/// Seconds before anything is recorded.
const SETTLE: f64 = 2.0;

/// What the parts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Strips of cloth that hang from a rail.
    Strips,
    /// Hoses that stand on the ground.
    Tubes,
    /// Leaves on a stem that sways.
    Leaves,
}

/// A net of vertices, row after row, of which the first rows are held.
#[derive(Clone, Debug)]
pub(super) struct Net {
    pub rows: usize,
    columns: usize,
    is_round: bool,
    pub first: usize,
    held: usize,
    /// The net, and its row, that the held vertices go with.
    grows_on: Option<(usize, usize)>,
}

impl Net {
    pub fn count(&self) -> usize {
        self.rows * self.columns
    }

    /// The net that it grows from.
    pub fn grows_on(&self) -> Option<usize> {
        self.grows_on.map(|(on, _)| on)
    }

    fn at(&self, row: usize, column: usize) -> usize {
        self.first + row * self.columns + column % self.columns
    }

    pub fn triangles(&self) -> Vec<[usize; 3]> {
        let across = if self.is_round { self.columns } else { self.columns - 1 };
        let squares = (0..self.rows - 1).flat_map(|row| (0..across).map(move |column| (row, column)));
        let halves = |(row, column): (usize, usize)| {
            let [a, b] = [self.at(row, column), self.at(row, column + 1)];
            let [c, d] = [self.at(row + 1, column), self.at(row + 1, column + 1)];
            [[a, b, c], [b, d, c]]
        };
        squares.flat_map(halves).collect()
    }
}

/// A distance that is kept, and how stiffly.
struct Spring {
    ends: [usize; 2],
    length: f64,
    stiffness: f64,
}

/// A set of data to be made.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub shape: Shape,
    pub count: usize,
    /// From one part to the next, metres.
    pub apart: f64,
    pub length: f64,
    pub width: f64,
    /// How stiffly it bends, as a share of how it stretches.
    pub bend: f64,
    /// Metres per second, for each level.
    pub winds: [f64; 2],
    pub seconds: f64,
    /// Whether parts keep apart.
    pub collides: bool,
}

impl Recipe {
    /// Whatever the stream says.
    pub fn drawn(stream: &mut Stream, seconds: f64) -> Self {
        let shape = [Shape::Strips, Shape::Tubes, Shape::Leaves][stream.below(3) as usize];
        let length = 0.3 + 0.5 * stream.uniform();
        let width = length * (0.08 + 0.1 * stream.uniform());
        let calm = 0.5 + 2.0 * stream.uniform();
        Recipe {
            shape,
            count: 4 + stream.below(9) as usize,
            apart: width * (1.5 + 1.5 * stream.uniform()),
            length,
            width,
            bend: 0.02 + 0.3 * stream.uniform(),
            winds: [calm, calm * (1.5 + 2.0 * stream.uniform())],
            seconds,
            collides: true,
        }
    }
}

/// Parts at rest, and what holds them together.
pub(super) struct Model {
    pub nets: Vec<Net>,
    pub rest: Vec<DVec3>,
    springs: Vec<Spring>,
    /// How near particles of two nets come, metres.
    radius: f64,
    spacing: f64,
}

impl Model {
    pub fn new(recipe: &Recipe) -> Self {
        let spacing = recipe.width / 2.0;
        let mut model =
            Model { nets: Vec::new(), rest: Vec::new(), springs: Vec::new(), radius: 0.75 * spacing, spacing };
        let rows = (recipe.length / spacing).round().max(4.0) as usize;
        match recipe.shape {
            Shape::Strips => (0..recipe.count).for_each(|part| {
                let x = recipe.apart * part as f64;
                model.net((rows, 3), false, 1, None, recipe.bend, |row, column| {
                    DVec3::new(x + spacing * column, 2.0 - spacing * row, 0.0)
                });
            }),
            Shape::Tubes => (0..recipe.count).for_each(|part| {
                let foot = DVec3::new(recipe.apart * (part % 4) as f64, 0.0, recipe.apart * (part / 4) as f64);
                model.net((rows, 5), true, 2, None, recipe.bend.max(0.2), |row, column| {
                    let turn = std::f64::consts::TAU * column / 5.0;
                    foot + DVec3::new(0.6 * spacing * libm::cos(turn), spacing * row, 0.6 * spacing * libm::sin(turn))
                });
            }),
            Shape::Leaves => {
                let tall = recipe.apart * (recipe.count as f64 + 2.0);
                let stem_rows = (tall / spacing).round() as usize + 1;
                model.net((stem_rows, 4), true, 2, None, 0.6, |row, column| {
                    let turn = std::f64::consts::FRAC_PI_2 * column;
                    DVec3::new(0.7 * spacing * libm::cos(turn), spacing * row, 0.7 * spacing * libm::sin(turn))
                });
                for part in 0..recipe.count {
                    let row = (recipe.apart * (part as f64 + 1.5) / spacing).round() as usize;
                    let turn = 2.4 * part as f64;
                    let (out, side) = (
                        DVec3::new(libm::cos(turn), 0.3, libm::sin(turn)),
                        DVec3::new(-libm::sin(turn), 0.0, libm::cos(turn)),
                    );
                    let foot = DVec3::Y * (spacing * row as f64) + 0.8 * spacing * DVec3::new(out.x, 0.0, out.z);
                    model.net((rows, 3), false, 2, Some((0, row)), recipe.bend, |row, column| {
                        let wide = 0.4 + 0.6 * libm::sin(std::f64::consts::PI * row / rows as f64);
                        foot + out * (spacing * row) + side * (spacing * wide * (column - 1.0))
                    });
                }
            }
        }
        model
    }

    /// Strips of so many rows and columns, that somebody else simulated.
    pub fn of_strips(count: usize, rows: usize, columns: usize) -> Self {
        let net = |strip: usize| {
            let first = strip * rows * columns;
            Net { rows, columns, is_round: false, first, held: 1, grows_on: None }
        };
        let rest = vec![DVec3::ZERO; count * rows * columns];
        Model { nets: (0..count).map(net).collect(), rest, springs: Vec::new(), radius: 0.0, spacing: 0.0 }
    }

    fn net(
        &mut self,
        (rows, columns): (usize, usize),
        is_round: bool,
        held: usize,
        grows_on: Option<(usize, usize)>,
        bend: f64,
        place: impl Fn(f64, f64) -> DVec3,
    ) {
        let net = Net { rows, columns, is_round, first: self.rest.len(), held, grows_on };
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row as f64, column as f64)));
        self.rest.extend(places.map(|(row, column)| place(row, column)));
        for row in 0..rows {
            for column in 0..columns {
                let beside = is_round || column + 1 < columns;
                let mut ways = Vec::new();
                if beside {
                    ways.push((row, column + 1, 1.0));
                }
                if row + 1 < rows {
                    ways.push((row + 1, column, 1.0));
                    if beside {
                        ways.push((row + 1, column + 1, 0.6));
                    }
                }
                if row + 2 < rows {
                    ways.push((row + 2, column, bend));
                }
                if column + 2 < columns {
                    ways.push((row, column + 2, bend.max(0.3)));
                }
                for (other_row, other_column, stiffness) in ways {
                    let ends = [net.at(row, column), net.at(other_row, other_column)];
                    let length = self.rest[ends[0]].distance(self.rest[ends[1]]);
                    self.springs.push(Spring { ends, length, stiffness });
                }
            }
        }
        self.nets.push(net);
    }

    /// Where all vertices are in each frame, in a wind of some speed.
    pub fn simulate(&self, recipe: &Recipe, speed: f64, seed: Seed) -> Vec<Vec<[f32; 3]>> {
        let mut stream = seed.stream("gusts");
        let waves: Vec<[f64; 3]> = (0..6)
            .map(|_| [0.15 + 1.2 * stream.uniform(), std::f64::consts::TAU * stream.uniform(), stream.normal()])
            .collect();
        let (mut now, mut before) = (self.rest.clone(), self.rest.clone());
        let step = 1.0 / (RATE * f64::from(STEPS));
        let mut frames = Vec::new();
        for frame in 0..((SETTLE + recipe.seconds) * RATE) as u32 {
            for part in 0..STEPS {
                let time = (f64::from(frame) + f64::from(part) / f64::from(STEPS)) / RATE;
                self.step(&mut now, &mut before, recipe, step, |place| {
                    let gust = |[rate, phase, size]: &[f64; 3]| {
                        size * libm::sin(std::f64::consts::TAU * rate * time + phase - 1.3 * place.x)
                    };
                    let gusts: f64 = waves.iter().map(gust).sum();
                    speed * DVec3::new(0.2 + 0.1 * libm::sin(3.0 * time + place.y), 0.05, 1.0) * (1.0 + 0.25 * gusts)
                });
            }
            if f64::from(frame) >= SETTLE * RATE {
                frames.push(now.iter().map(|place| place.to_array().map(|x| x as f32)).collect());
            }
        }
        frames
    }

    fn step(&self, now: &mut [DVec3], before: &mut [DVec3], recipe: &Recipe, step: f64, wind: impl Fn(DVec3) -> DVec3) {
        // The thinner a part, the more it is blown about.
        let drag = 0.9 / (1.0 + 20.0 * self.spacing);
        for (now, before) in now.iter_mut().zip(before.iter_mut()) {
            let velocity = (*now - *before) / step;
            let pull = drag * (wind(*now) - velocity) + 9.81 * 0.25 * DVec3::NEG_Y;
            let next = *now + step * velocity + step * step * pull;
            *before = *now;
            *now = next;
        }
        for _ in 0..SWEEPS {
            for spring in &self.springs {
                let [a, b] = spring.ends;
                let away = now[b] - now[a];
                let length = away.length().max(1e-12);
                let mend = 0.5 * spring.stiffness * (1.0 - spring.length / length) * away;
                now[a] += mend;
                now[b] -= mend;
            }
            if recipe.collides {
                self.keep_apart(now);
            }
            self.hold(now);
        }
    }

    /// Particles of different nets push each other away.
    fn keep_apart(&self, now: &mut [DVec3]) {
        let extent = |net: &Net, now: &[DVec3]| {
            let places = now[net.first..net.first + net.count()].iter();
            places.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &place| (low.min(place), high.max(place)))
        };
        let extents: Vec<_> = self.nets.iter().map(|net| extent(net, now)).collect();
        for (k, first) in self.nets.iter().enumerate() {
            for (l, second) in self.nets.iter().enumerate().skip(k + 1) {
                let (ours, theirs) = (extents[k], extents[l]);
                if (ours.0 - theirs.1).max(theirs.0 - ours.1).max_element() > 2.0 * self.radius {
                    continue;
                }
                let grown = second.grows_on.is_some_and(|(on, _)| on == k);
                let free = if grown { 3 * second.columns } else { 0 };
                for a in first.first..first.first + first.count() {
                    for b in second.first + free..second.first + second.count() {
                        let away = now[b] - now[a];
                        let distance = away.length();
                        if distance < 2.0 * self.radius && distance > 0.0 {
                            let mend = 0.5 * (1.0 - 2.0 * self.radius / distance) * away;
                            now[a] += mend;
                            now[b] -= mend;
                        }
                    }
                }
            }
        }
    }

    /// Puts held vertices where they belong: where they were, or on what they grow from.
    fn hold(&self, now: &mut [DVec3]) {
        for net in &self.nets {
            let held = net.first..net.first + net.held * net.columns;
            match net.grows_on {
                None => held.for_each(|vertex| now[vertex] = self.rest[vertex]),
                Some((on, row)) => {
                    let on = &self.nets[on];
                    let corners = [on.at(row, 0), on.at(row, 1), on.at(row + 1, 0)];
                    let (was, is) = (axes(corners.map(|at| self.rest[at])), axes(corners.map(|at| now[at])));
                    for vertex in held {
                        let away = self.rest[vertex] - was.0;
                        let inside = was.1.map(|axis| axis.dot(away));
                        now[vertex] = is.0 + is.1.iter().zip(inside).map(|(&axis, x)| axis * x).sum::<DVec3>();
                    }
                }
            }
        }
    }
}

/// An origin, and three axes, of three points.
fn axes([a, b, c]: [DVec3; 3]) -> (DVec3, [DVec3; 3]) {
    let first = (b - a).normalize_or(DVec3::X);
    let third = first.cross(c - a).normalize_or(DVec3::Y);
    (a, [first, third.cross(first), third])
}

/// Frames per second of what is simulated.
pub(super) fn rate() -> f64 {
    RATE
}
