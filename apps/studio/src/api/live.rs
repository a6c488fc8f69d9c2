//! What goes over a live stream.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What the server says on a live stream, besides frames.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LiveMessage {
    /// What there is to be drawn: first, and again whenever it has changed.
    Hello(Box<LiveHello>),
    /// How the world is doing, a few times in a second.
    Statistics {
        /// What there is to tell; every world has its own.
        #[ts(type = "unknown")]
        statistics: serde_json::Value,
    },
}

/// What a world is made of.
#[derive(Clone, Debug, Default, Serialize, TS)]
pub struct LiveHello {
    /// What instances look like; a frame counts the instances of each.
    pub shapes: Vec<LiveShape>,
    /// What never moves.
    pub still: Vec<LiveStill>,
    /// What bends, if anything does; a frame has the place of each vertex.
    pub bent: Option<LiveBent>,
    /// What grows in many places; a frame has the place of each vertex of each.
    pub plants: Vec<LivePlant>,
    /// The box that most of it is in, m: its least corner, and its greatest.
    pub bounds: [[f64; 3]; 2],
    /// Where to begin: from where and to where one looks, m.
    pub eye: [f64; 3],
    /// What is looked at first, m.
    pub target: [f64; 3],
    /// How far one sees, m.
    pub far: f64,
    /// What else the page should know; every world has its own.
    #[ts(type = "unknown")]
    pub facts: serde_json::Value,
}

/// A mesh whose every vertex moves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
pub struct LiveBent {
    /// How many vertices each part has, one part after the other.
    pub parts: Vec<u32>,
    /// The colour of each part, as #rrggbb.
    pub colours: Vec<String>,
    /// Three vertices for every triangle.
    pub indices: Vec<u32>,
}

/// Something of which there are many, and each bends in its own way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
pub struct LivePlant {
    /// How many vertices one has.
    pub vertices: u32,
    /// Three vertices for every triangle, which is seen from both sides.
    pub indices: Vec<u32>,
    /// How bright each vertex is, from 0 to 1.
    pub shades: Vec<f32>,
    /// How many vertices each part has, one part after the other.
    pub parts: Vec<u32>,
    /// The colour of each part, as #rrggbb, where one has none of its own.
    pub colours: Vec<String>,
    /// How high it stands, m.
    pub height: f32,
}

/// What instances look like.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct LiveShape {
    /// What it is called.
    pub name: String,
    /// Its form.
    pub solid: LiveSolid,
    /// Its colour, as #rrggbb, where an instance has none of its own.
    pub colour: String,
    /// What its surface is like.
    pub finish: LiveFinish,
}

/// What a surface is like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum LiveFinish {
    /// Neither dull nor polished.
    #[default]
    Plain,
    /// The paint of a car.
    Paint,
    /// A window.
    Glass,
    /// Polished metal.
    Metal,
    /// A wall with windows in it.
    Facade,
    /// Asphalt, earth or stone, with some grain.
    Grain,
    /// A lamp that shines.
    Lamp,
}

/// A form.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum LiveSolid {
    /// A box with these half sides, m.
    Box([f64; 3]),
    /// A ball of this radius, m.
    Ball(f64),
    /// A pipe along a line.
    Pipe {
        /// The line, m.
        points: Vec<[f64; 3]>,
        /// Whether its end is its beginning.
        closed: bool,
        /// How thick it is, m.
        radius: f64,
    },
    /// Triangles.
    Mesh {
        /// Three numbers for every corner, m.
        positions: Vec<f32>,
        /// Three corners for every triangle.
        indices: Vec<u32>,
    },
}

/// Something that never moves.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct LiveStill {
    /// Which shape.
    pub shape: u32,
    /// Where, m.
    pub position: [f64; 3],
    /// How it is turned: x, y, z, w.
    pub rotation: [f64; 4],
}

/// What a client says on a live stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "say", rename_all = "snake_case", deny_unknown_fields)]
pub enum LiveRequest {
    /// From where it looks now.
    View {
        /// The eye, m.
        position: [f64; 3],
        /// Where it looks.
        forward: [f64; 3],
        /// Full vertical angle, rad.
        fov_y: f64,
        /// Width over height.
        aspect: f64,
        /// How far it sees, m.
        far: f64,
    },
    /// How fast time goes, and how many frames there are in a second at most.
    Pace {
        /// One for the speed that it has; zero holds it.
        speed: f64,
        /// Frames in a second.
        rate: f64,
    },
    /// Something that this world understands.
    Control {
        /// Every world has its own.
        #[ts(type = "unknown")]
        control: serde_json::Value,
    },
    /// A frame has arrived, and another may be sent.
    Ack {
        /// The number of the frame.
        frame: u32,
    },
}
