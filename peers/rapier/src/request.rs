//! What the caller asks for: parsed, then validated once.

use rapier3d_f64::math::{Pose, Vector};
use rapier3d_f64::parry::shape::SharedShape;
use serde::Deserialize;

use crate::crowd_scene::CrowdFile;
use crate::pile_scene::PileFile;
use crate::rest_scene::RestFile;

/// Runs longer than this are refused: ten million steps take hours.
const MOST_STEPS: f64 = 1e7;

/// Why a request was refused.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// Standard input could not be read.
    #[error("no request could be read from standard input: {0}")]
    Input(std::io::Error),
    /// Not JSON, or not JSON of the expected form.
    #[error("the request is not valid: {0}; give one JSON object with \"scene\": \"box\", \"crowd\", \"pile\" or \"rest\"")]
    Json(serde_json::Error),
    /// A number outside its range.
    #[error("`{key}` is {value}, but must be {expected}")]
    Number {
        /// The key as the caller wrote it.
        key: &'static str,
        /// What the caller gave.
        value: f64,
        /// What would be right.
        expected: &'static str,
    },
    /// The number of states disagrees with `n`.
    #[error("`n` is {n}, but {states} states were given; give one state for each body")]
    Count {
        /// The number of bodies announced.
        n: usize,
        /// The number of states given.
        states: usize,
    },
    /// A state that no body can have.
    #[error("state {index} is not usable: {reason}")]
    State {
        /// Which state, from zero.
        index: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A hull without volume.
    #[error("`vertices` span no volume; give at least four points that do not lie in a plane")]
    FlatHull,
}

/// A validated request.
pub enum Request {
    /// Convex bodies in a closed box.
    Box(BoxScene),
    /// Concave bodies in a closed box.
    Crowd(CrowdFile),
    /// Concave bodies that fall into a box.
    Pile(PileFile),
    /// Bodies that come to rest.
    Rest(RestFile),
}

/// Equal convex bodies inside a cube centred on the origin.
pub struct BoxScene {
    /// Echoed in the result; nothing here is random.
    pub seed: u64,
    /// The shape of every body.
    pub shape: SharedShape,
    /// The radius of a sphere about the body's origin that contains it.
    pub bounding_radius: f64,
    /// Half the width of the box.
    pub box_half: f64,
    /// Where every body starts.
    pub states: Vec<State>,
    /// Acceleration of every body.
    pub gravity: Vector,
    /// Restitution of every pair.
    pub restitution: f64,
    /// Friction of every pair.
    pub friction: f64,
    /// Length of a step, in seconds.
    pub dt: f64,
    /// Number of steps.
    pub steps: u64,
    /// rapier's scale: how many units make a metre.
    pub length_unit: f64,
}

/// The state of a body at the start.
pub struct State {
    /// Position and orientation.
    pub world_from_body: Pose,
    /// Linear velocity.
    pub velocity: Vector,
    /// Angular velocity.
    pub spin: Vector,
}

#[derive(Deserialize)]
#[serde(tag = "scene", rename_all = "lowercase")]
enum RequestFile {
    Box(BoxFile),
    Crowd(CrowdFile),
    Pile(PileFile),
    Rest(RestFile),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoxFile {
    n: usize,
    #[serde(default)]
    seed: u64,
    seconds: f64,
    shape: ShapeName,
    #[serde(default)]
    radius: f64,
    #[serde(default)]
    vertices: Vec<[f64; 3]>,
    box_half: f64,
    states: Vec<StateFile>,
    #[serde(default)]
    gravity: [f64; 3],
    #[serde(default = "one")]
    restitution: f64,
    #[serde(default)]
    friction: f64,
    #[serde(default = "sixtieth")]
    dt: f64,
    #[serde(default = "one")]
    length_unit: f64,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ShapeName {
    Ball,
    Icosahedron,
    Hull,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StateFile {
    p: [f64; 3],
    q: [f64; 4],
    v: [f64; 3],
    #[serde(default)]
    w: [f64; 3],
}

fn one() -> f64 {
    1.0
}

fn sixtieth() -> f64 {
    1.0 / 60.0
}

impl Request {
    /// Reads and validates one request.
    pub fn parse(text: &str) -> Result<Self, RequestError> {
        match serde_json::from_str(text).map_err(RequestError::Json)? {
            RequestFile::Box(file) => BoxScene::from_file(&file).map(Self::Box),
            RequestFile::Crowd(file) => Ok(Self::Crowd(file)),
            RequestFile::Pile(scene) => Ok(Self::Pile(scene)),
            RequestFile::Rest(file) => Ok(Self::Rest(file)),
        }
    }
}

impl BoxScene {
    fn from_file(file: &BoxFile) -> Result<Self, RequestError> {
        positive("seconds", file.seconds)?;
        positive("dt", file.dt)?;
        positive("box_half", file.box_half)?;
        positive("length_unit", file.length_unit)?;
        within("restitution", file.restitution, 0.0..=1.0, "from 0 to 1")?;
        within("friction", file.friction, 0.0..=1e6, "from 0 to 1e6")?;
        let steps = (file.seconds / file.dt).round();
        within("seconds", steps, 1.0..=MOST_STEPS, "one to ten million steps of `dt`")?;
        if file.n != file.states.len() {
            return Err(RequestError::Count { n: file.n, states: file.states.len() });
        }
        let (shape, bounding_radius) = shape(file)?;
        let states = file.states.iter().enumerate();
        Ok(Self {
            seed: file.seed,
            shape,
            bounding_radius,
            box_half: file.box_half,
            states: states.map(|(index, state)| state.validate(index, file.box_half)).collect::<Result<_, _>>()?,
            gravity: Vector::from_array(file.gravity),
            restitution: file.restitution,
            friction: file.friction,
            dt: file.dt,
            steps: steps as u64,
            length_unit: file.length_unit,
        })
    }
}

impl StateFile {
    fn validate(&self, index: usize, box_half: f64) -> Result<State, RequestError> {
        let fault = |reason| RequestError::State { index, reason };
        let position = Vector::from_array(self.p);
        if position.abs().max_element() > box_half {
            return Err(fault("`p` lies outside the box"));
        }
        let orientation = rapier3d_f64::math::Rotation::from_array(self.q);
        if (orientation.length() - 1.0).abs() > 1e-6 {
            return Err(fault("`q` (x, y, z, w) must have length one"));
        }
        Ok(State {
            world_from_body: Pose::from_parts(position, orientation.normalize()),
            velocity: Vector::from_array(self.v),
            spin: Vector::from_array(self.w),
        })
    }
}

fn shape(file: &BoxFile) -> Result<(SharedShape, f64), RequestError> {
    let vertices: Vec<Vector> = match file.shape {
        ShapeName::Ball => {
            positive("radius", file.radius)?;
            return Ok((SharedShape::ball(file.radius), file.radius));
        }
        ShapeName::Icosahedron => {
            positive("radius", file.radius)?;
            icosahedron(file.radius)
        }
        ShapeName::Hull => file.vertices.iter().copied().map(Vector::from).collect(),
    };
    let bounding_radius = vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
    // parry's hull code asserts on fewer points than a tetrahedron has.
    let hull = if spans_volume(&vertices) { SharedShape::convex_hull(&vertices) } else { None };
    Ok((hull.ok_or(RequestError::FlatHull)?, bounding_radius))
}

/// Whether four of the points form a tetrahedron that is not flat.
fn spans_volume(points: &[Vector]) -> bool {
    let Some((&first, rest)) = points.split_first() else {
        return false;
    };
    let farthest = |key: &dyn Fn(Vector) -> f64| {
        let edges = rest.iter().map(|&point| point - first);
        edges.max_by(|&a, &b| key(a).total_cmp(&key(b)))
    };
    let Some(edge) = farthest(&|e| e.length()) else {
        return false;
    };
    let Some(side) = farthest(&|e| e.cross(edge).length()) else {
        return false;
    };
    let Some(height) = farthest(&|e| e.dot(edge.cross(side)).abs()) else {
        return false;
    };
    height.dot(edge.cross(side)).abs() > 1e-9 * edge.length().powi(3)
}

/// The twelve corners of a regular icosahedron with the given circumradius.
fn icosahedron(radius: f64) -> Vec<Vector> {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let scale = radius / (1.0 + golden * golden).sqrt();
    let mut corners = Vec::with_capacity(12);
    for a in [-1.0, 1.0] {
        for b in [-golden, golden] {
            corners.push(Vector::new(0.0, a, b) * scale);
            corners.push(Vector::new(a, b, 0.0) * scale);
            corners.push(Vector::new(b, 0.0, a) * scale);
        }
    }
    corners
}

pub(crate) fn positive(key: &'static str, value: f64) -> Result<(), RequestError> {
    within(key, value, f64::MIN_POSITIVE..=f64::MAX, "positive and finite")
}

fn within(
    key: &'static str,
    value: f64,
    range: std::ops::RangeInclusive<f64>,
    expected: &'static str,
) -> Result<(), RequestError> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(RequestError::Number { key, value, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"scene":"box","n":1,"seconds":1,"shape":"icosahedron","radius":0.5,
        "box_half":5.25,"states":[{"p":[0,0,0],"q":[0,0,0,1],"v":[1,0,0]}]}"#;

    fn message(text: &str) -> String {
        match Request::parse(text) {
            Ok(_) => panic!("accepted: {text}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_good_request_takes_the_stated_defaults() {
        let Request::Box(scene) = Request::parse(GOOD).unwrap() else { panic!("another scene") };
        assert_eq!(scene.steps, 60);
        assert_eq!((scene.restitution, scene.friction), (1.0, 0.0));
        assert!((scene.bounding_radius - 0.5).abs() < 1e-12);
    }

    #[test]
    fn bad_requests_name_the_key_and_the_remedy() {
        for (from, to, expected) in [
            ("\"seconds\":1", "\"seconds\":0", "`seconds` is 0"),
            ("\"seconds\":1", "\"seconds\":1e9", "ten million steps"),
            ("\"radius\":0.5", "\"radius\":-1", "`radius` is -1"),
            ("\"n\":1", "\"n\":2", "one state for each body"),
            ("[0,0,0,1]", "[0,0,0,2]", "must have length one"),
            ("\"p\":[0,0,0]", "\"p\":[0,9,0]", "outside the box"),
            ("\"n\":1", "\"n\":1,\"bounce\":1", "unknown field `bounce`"),
            ("\"radius\":0.5", "\"radius\":1e999", "number out of range"),
            ("icosahedron", "hull", "span no volume"),
            ("\"box\"", "\"bowl\"", "unknown variant `bowl`"),
        ] {
            let text = message(&GOOD.replace(from, to));
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn flat_hulls_are_refused() {
        let flat = r#""hull","vertices":[[0,0,0],[1,0,0],[0,1,0],[1,1,0]]"#;
        assert!(message(&GOOD.replace("\"icosahedron\"", flat)).contains("span no volume"));
        let solid = r#""hull","vertices":[[0,0,0],[1,0,0],[0,1,0],[1,1,1]]"#;
        assert!(Request::parse(&GOOD.replace("\"icosahedron\"", solid)).is_ok());
    }

    #[test]
    fn the_icosahedron_is_regular() {
        let corners = icosahedron(2.0);
        let edge = 2.0 / (2.0 * std::f64::consts::PI / 5.0).sin();
        for (index, &corner) in corners.iter().enumerate() {
            assert!((corner.length() - 2.0).abs() < 1e-12);
            let others = corners.iter().enumerate().filter(|&(i, _)| i != index);
            let near = others.filter(|(_, other)| (corner.distance(**other) - edge).abs() < 1e-9);
            assert_eq!(near.count(), 5);
        }
    }
}
