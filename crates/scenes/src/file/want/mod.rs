//! Wants as plain data.

mod more;
mod predicate;
mod read;
mod sentence;
mod write;

use schemars::JsonSchema;

use super::{At, OrientationFile};

pub(super) use more::camera_lines;
pub(crate) use more::{CameraFile, FacesFile, OnScreenFile, PassesFile, SpeedFile};
pub(super) use write::lines;

/// What should happen to a body, or to several. All conditions that are given
/// must hold.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Want")]
pub(crate) struct WantFile {
    /// What it is called in reports; a sentence is made if left out.
    pub name: Option<At<String>>,
    /// Whom it is about: a body, all copies of a body, a group, or a list; `all`
    /// are all bodies that can move, `others` those that no other want names.
    /// Balls, which have no up, neither stand nor fall among them.
    pub body: Option<At<BodiesFile>>,
    /// When its place, orientation and velocity matter, seconds; when it has
    /// come to rest if left out.
    pub at: Option<At<f64>>,
    /// From when to when something should be so at some time, or happen, seconds.
    pub between: Option<At<[f64; 2]>>,
    /// The same from the beginning until then.
    pub before: Option<At<f64>>,
    /// The same from then to the end.
    pub after: Option<At<f64>>,
    /// Whether it should be so all the time, and not only at some time.
    pub always: Option<At<bool>>,
    /// Where it should be.
    pub near: Option<At<NearFile>>,
    /// What it should be in.
    pub inside: Option<At<InsideFile>>,
    /// Which of its sides should point up.
    pub face_up: Option<At<FaceUpFile>>,
    /// Whether it should stand as it stood at the start, where half a miss is
    /// to have moved; false: it should have fallen over.
    pub upright: Option<At<bool>>,
    /// Whether it should be where it was at the start.
    pub unmoved: Option<At<UnmovedFile>>,
    /// How it should be turned.
    pub orientation: Option<At<TurnedFile>>,
    /// How fast it should move.
    pub velocity: Option<At<PaceFile>>,
    /// What it should hit.
    pub hits: Option<At<HitsFile>>,
    /// What it should lie on; of several bodies, any of them.
    pub on: Option<At<BodiesFile>>,
    /// What it should touch, which is to be within a fiftieth of its radius; of several
    /// bodies, any of them.
    pub touches: Option<At<BodiesFile>>,
    /// What one of its sides should point at.
    pub faces: Option<At<FacesFile>>,
    /// How fast it should move, m/s; at some time, if no time is given.
    pub speed: Option<At<SpeedFile>>,
    /// How fast it should turn, rad/s; at some time, if no time is given.
    pub spin: Option<At<SpeedFile>>,
    /// What it should go through.
    #[schemars(with = "Option<PassesChoice>")]
    pub passes: Option<At<PassesFile>>,
    /// In which picture it should be.
    pub on_screen: Option<At<OnScreenFile>>,
    /// What should not be so.
    #[schemars(with = "Option<Box<WantFile>>")]
    pub not: Option<Box<WantFile>>,
    /// What should happen one after the other: wants that hit, pass or fall.
    #[schemars(with = "Option<Vec<WantFile>>")]
    pub then: Vec<WantFile>,
    /// Several wants of which some should be met.
    #[schemars(with = "Option<Vec<WantFile>>")]
    pub of: Vec<WantFile>,
    /// For how many it should be so.
    pub exactly: Option<At<u64>>,
    /// For how many at least.
    pub at_least: Option<At<u64>>,
    /// For how many at most.
    pub at_most: Option<At<u64>>,
    /// How much a miss counts: it makes an animation less likely by the factor
    /// e to this power; 5 if left out.
    pub weight: Option<At<f64>>,
}

impl WantFile {
    /// A want about a body, which says nothing yet.
    pub(crate) fn of(body: impl Into<String>) -> Self {
        Self { body: Some(BodiesFile::One(body.into()).into()), ..Self::default() }
    }
}

/// One body or several.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, rename = "Bodies")]
pub(crate) enum BodiesFile {
    /// A body, or all copies of one.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl BodiesFile {
    pub(crate) fn list(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Many(names) => names,
        }
    }
}

/// What a body should go through: the name of a body with an opening, or more.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "PassesOrBody")]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) enum PassesChoice {
    /// A body with an opening.
    Body(String),
    /// An opening.
    Opening(Box<PassesFile>),
}

/// Where a body should be.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, deny_unknown_fields, rename = "Near")]
pub(crate) enum NearFile {
    /// Near a place.
    Place {
        /// x, y and z; or x and z, if the height does not matter. Metres.
        position: At<PlaceFile>,
        /// How near, metres.
        within: At<f64>,
    },
    /// Near another body: from the position of the one to that of the other.
    Body {
        /// The other body; of several, any of them.
        body: At<BodiesFile>,
        /// How near, metres.
        within: At<f64>,
    },
}

/// A place in space or on the ground.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, rename = "Place")]
pub(crate) enum PlaceFile {
    /// x, y and z.
    Space([f64; 3]),
    /// x and z.
    Ground([f64; 2]),
}

/// What a body should be in.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, deny_unknown_fields, rename = "Inside")]
pub(crate) enum InsideFile {
    /// A box along the axes.
    Box {
        /// The lengths of its edges, metres.
        #[schemars(rename = "box")]
        edges: At<[f64; 3]>,
        /// Where its middle is; the origin if left out.
        position: Option<At<[f64; 3]>>,
        /// How far outside is 0.61 times as likely, metres; a miss is a miss if left
        /// out.
        within: Option<At<f64>>,
    },
    /// A ball.
    Sphere {
        /// Its radius, metres.
        sphere: At<f64>,
        /// Where its middle is; the origin if left out.
        position: Option<At<[f64; 3]>>,
        /// How far outside is 0.61 times as likely, metres; a miss is a miss if left
        /// out.
        within: Option<At<f64>>,
    },
    /// The box around another body, as it is at the start.
    Body {
        /// The name of the body; of several, any of them.
        body: At<BodiesFile>,
        /// How far outside is 0.61 times as likely, metres; a miss is a miss if left
        /// out.
        within: Option<At<f64>>,
    },
}

/// Which side should point up.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, deny_unknown_fields, rename = "FaceUp")]
pub(crate) enum FaceUpFile {
    /// A side.
    Face(FaceFile),
    /// A side, and how precisely.
    Within {
        /// The side.
        face: FaceFile,
        /// How far it may lean; 15 if left out.
        within_degrees: Option<At<f64>>,
    },
}

/// A side of a body, by the axis of its shape.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, rename = "Face")]
pub(crate) enum FaceFile {
    /// The pips of a die: 1 is +y, 2 is +z, 3 is +x, and opposite sides add up
    /// to seven.
    Pips(u64),
    /// `+x`, `-x`, `+y`, `-y`, `+z` or `-z`.
    Axis(String),
}

/// Whether a body should be where it was.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, deny_unknown_fields, rename = "Unmoved")]
pub(crate) enum UnmovedFile {
    /// Within half its radius of its place, and upright; false: not so.
    Plain(bool),
    /// Within a distance of its place, and upright.
    Within {
        /// Metres.
        within: At<f64>,
    },
}

/// How a body should be turned.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Turned")]
pub(crate) struct TurnedFile {
    /// An orientation, all of it certain.
    pub like: At<OrientationFile>,
    /// How precisely.
    pub within_degrees: At<f64>,
}

/// How fast a body should move.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Pace")]
pub(crate) struct PaceFile {
    /// Its components, m/s.
    pub like: At<[f64; 3]>,
    /// How precisely, m/s.
    pub within: At<f64>,
}

/// What a body should hit.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged, deny_unknown_fields, rename = "Hits")]
#[allow(clippy::large_enum_variant, reason = "a scene has a few of them")]
pub(crate) enum HitsFile {
    /// A body, any copy of one, or any of a group.
    Body(At<String>),
    /// A body, how often, and when.
    When {
        /// The body, any copy of one, or any of several.
        body: At<BodiesFile>,
        /// How often at least; 1 if left out. Hits on one body less than a
        /// twentieth of a second apart count as one.
        at_least: Option<At<u64>>,
        /// How often at most.
        at_most: Option<At<u64>>,
        /// Only harder hits count: their impulse is at least this, N s.
        harder: Option<At<f64>>,
        /// Only hits before the first on this one count.
        before: Option<At<BodiesFile>>,
        /// When, seconds.
        at: Option<At<f64>>,
        /// How precisely, seconds.
        within: Option<At<f64>>,
    },
}
