//! What a viewer in the streets can see: roads, found by walking them.

mod cone;
mod drive;
mod walk;

use std::borrow::Cow;

use glam::{DVec2, DVec3};
use proscenium_view::{Camera, Projection};
use proscenium_work::Remedy;

pub use cone::Cone;
pub use drive::{Drive, DriveError, DriveFrame};

use crate::map::{JunctionId, Map, PathId, RoadId};
use cone::MOST_ANGLE;

/// How high walls are, metres: four storeys. Who looks from above them looks
/// over all.
pub const WALL_HEIGHT: f64 = 12.0;

/// A viewer's place and view, as far as the plan is concerned.
///
/// ```
/// use proscenium_city::sight::VisibleRoads;
/// use proscenium_city::{Eye, Map, Recipe, Seed};
///
/// let map = Map::build(&Recipe::with_roads(200).generate(Seed(1))?)?;
/// let road = map.roads().next().expect("a city has roads");
/// let [here, there] = [map.road_points(road)[0], map.road_points(road)[1]];
/// let mut visible = VisibleRoads::new(&map);
/// visible.look(&map, &[Eye::new(here.midpoint(there), there - here, 1.2, 500.0)?]);
/// assert!(visible.sees(road) && visible.roads().len() < 50);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eye {
    position: DVec2,
    height: f64,
    direction: DVec2,
    angle: f64,
    reach: f64,
}

/// Why a view is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SightError {
    /// A number is not finite, or not in its range.
    #[error("the {what} of a viewer is {value}")]
    Number {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What would be right.
        remedy: &'static str,
    },
    /// The camera itself is wrong.
    #[error(transparent)]
    Camera(#[from] proscenium_view::ViewError),
}

impl Remedy for SightError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Number { remedy, .. } => Some(Cow::Borrowed(remedy)),
            Self::Camera(error) => error.remedy(),
        }
    }
}

/// Height of a viewer's eyes unless said otherwise, metres: between those who
/// sit in a car and those who stand.
pub const EYE_HEIGHT: f64 = 1.5;

impl Eye {
    /// A viewer in the street who looks in a direction, sees a full angle in
    /// radians (2π for all around) and no farther than a distance.
    ///
    /// # Errors
    /// When a number is not finite or not positive, or there is no direction.
    pub fn new(position: DVec2, direction: DVec2, angle: f64, reach: f64) -> Result<Self, SightError> {
        let number = |what, value, remedy| Err(SightError::Number { what, value, remedy });
        if !position.is_finite() {
            return number("position", position.x + position.y, "give finite metres");
        }
        let Some(direction) = direction.try_normalize() else {
            return number("direction", direction.length(), "give a vector of some length");
        };
        if !(angle > 0.0 && angle.is_finite()) {
            return number("angle of view", angle, "give radians, up to 2π");
        }
        if !(reach > 0.0 && reach.is_finite()) {
            return number("farthest distance", reach, "give metres");
        }
        Ok(Self { position, height: EYE_HEIGHT, direction, angle: angle.min(std::f64::consts::TAU), reach })
    }

    /// The same at another height above the road, metres.
    pub fn at_height(self, height: f64) -> Self {
        Self { height, ..self }
    }

    /// What a camera sees: an angle that holds its whole picture.
    ///
    /// # Errors
    /// When the camera is not valid.
    pub fn from_camera(camera: &Camera) -> Result<Self, SightError> {
        camera.validate()?;
        let plan = |vector: DVec3| DVec2::new(vector.x, vector.z);
        let place = plan(camera.position);
        let direction = plan(camera.forward);
        let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)].map(|(x, y)| camera.ray(x, y));
        // A picture that holds the vertical, or one of parallel rays, is of all around.
        let steep = corners.iter().any(|ray| direction.dot(plan(ray.direction)) <= 1e-6);
        if steep || matches!(camera.projection, Projection::Orthographic { .. }) {
            let eye = Self::new(place, DVec2::X, std::f64::consts::TAU, camera.far)?;
            return Ok(eye.at_height(camera.position.y));
        }
        let widest = corners
            .iter()
            .map(|ray| {
                let across = plan(ray.direction);
                libm::atan2(direction.perp_dot(across).abs(), direction.dot(across))
            })
            .fold(0.0, f64::max);
        Ok(Self::new(place, direction, 2.0 * widest, camera.far)?.at_height(camera.position.y))
    }

    /// Where the viewer is, plan coordinates, metres.
    pub fn position(&self) -> DVec2 {
        self.position
    }

    /// Where the viewer looks: a unit vector of the plan.
    pub fn direction(&self) -> DVec2 {
        self.direction
    }

    /// Full angle of view, radians.
    pub fn angle(&self) -> f64 {
        self.angle
    }

    /// The farthest that is seen, metres.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// The view as cones narrow enough to be cropped.
    fn cones(&self) -> Vec<Cone> {
        let pieces = (self.angle / MOST_ANGLE).ceil().max(1.0) as usize;
        let step = self.angle / pieces as f64;
        let turned = |angle: f64| self.direction.rotate(DVec2::new(libm::cos(angle), libm::sin(angle)));
        (0..pieces)
            .map(|piece| {
                let start = -0.5 * self.angle + step * piece as f64;
                Cone::new(self.position, turned(start), turned(start + step))
            })
            .collect()
    }
}

/// Where a viewer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// On a road.
    Road(RoadId),
    /// In a junction.
    Junction(JunctionId),
    /// Higher than the walls, and looks over them.
    Above,
    /// Behind walls or out of town, and sees no road.
    OffTheMap,
}

/// A part of a view that falls into a road.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opening {
    /// The road.
    pub road: RoadId,
    /// The viewer, as a number of those given.
    pub viewer: usize,
    /// The view that is left when it enters the road.
    pub cone: Cone,
    /// The opening before it in the same road.
    previous: u32,
    /// Whether it enters by the road's start; none where the viewer stands.
    from_start: Option<bool>,
}

/// The roads that viewers can see in this frame (Chenney 2000, algorithm B.1).
///
/// The work of a frame depends on what is seen, not on the size of the city.
#[derive(Clone, Debug)]
pub struct VisibleRoads {
    frame: u32,
    /// The frame in which each road was last seen, and its last opening then.
    road_frames: Vec<[u32; 2]>,
    junction_frames: Vec<u32>,
    roads: Vec<RoadId>,
    junctions: Vec<JunctionId>,
    standings: Vec<Standing>,
    openings: Vec<Opening>,
    /// Quadrilaterals and triangles that views were cropped at.
    cells: u64,
}

/// No opening.
const NONE: u32 = u32::MAX;

impl VisibleRoads {
    /// Nothing is seen yet.
    pub fn new(map: &Map) -> Self {
        Self {
            frame: 0,
            road_frames: vec![[0, NONE]; map.road_count()],
            junction_frames: vec![0; map.junction_count()],
            roads: Vec::new(),
            junctions: Vec::new(),
            standings: Vec::new(),
            openings: Vec::new(),
            cells: 0,
        }
    }

    /// Finds what viewers see together. The map must be the one that this was
    /// made for.
    pub fn look(&mut self, map: &Map, eyes: &[Eye]) {
        self.frame += 1;
        self.roads.clear();
        self.junctions.clear();
        self.standings.clear();
        self.openings.clear();
        self.cells = 0;
        for (viewer, eye) in eyes.iter().enumerate() {
            let standing = self.walk(map, viewer, eye);
            self.standings.push(standing);
        }
    }

    /// All roads are seen, as if someone looked everywhere.
    pub fn look_everywhere(&mut self, map: &Map) {
        self.look(map, &[]);
        for road in map.roads().filter(|road| !map.road(*road).is_beyond) {
            self.mark(road);
        }
        for junction in map.junctions() {
            self.mark_junction(junction);
        }
    }

    /// The roads that are seen, nearest first within each view.
    pub fn roads(&self) -> &[RoadId] {
        &self.roads
    }

    /// The junctions that are seen. At least one road of each is seen as well.
    pub fn junctions(&self) -> &[JunctionId] {
        &self.junctions
    }

    /// Whether a road is seen.
    #[inline]
    pub fn sees(&self, road: RoadId) -> bool {
        self.road_frames[road.index()][0] == self.frame && self.frame > 0
    }

    /// Whether a junction is seen.
    #[inline]
    pub fn sees_junction(&self, junction: JunctionId) -> bool {
        self.junction_frames[junction.index()] == self.frame && self.frame > 0
    }

    /// Whether a car may be seen whose bound is a circle of this radius: its
    /// road is seen or, outside the [transition
    /// points](Map::transition_points), any road of that junction (Chenney
    /// 2000, B.3.1).
    #[inline]
    pub fn sees_car(&self, map: &Map, path: PathId, u: f64, radius: f64) -> bool {
        if self.sees(map.road_of(path)) {
            return true;
        }
        let [first, second] = map.transition_points(path, radius);
        u < first && self.sees_any_at(map, map.start_of(path)) || u > second && self.sees_any_at(map, map.end_of(path))
    }

    /// Whether any road that meets a junction is seen.
    #[inline]
    pub fn sees_any_at(&self, map: &Map, junction: JunctionId) -> bool {
        map.roads_at(junction).iter().any(|road| self.sees(*road))
    }

    /// Where each viewer stands, in the order given.
    pub fn standings(&self) -> &[Standing] {
        &self.standings
    }

    /// The views that are left where they enter roads.
    pub fn openings(&self) -> &[Opening] {
        &self.openings
    }

    /// At how many cells of roads and junctions a view was cropped.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    fn mark(&mut self, road: RoadId) {
        let known = &mut self.road_frames[road.index()];
        if known[0] != self.frame {
            *known = [self.frame, NONE];
            self.roads.push(road);
        }
    }

    fn mark_junction(&mut self, junction: JunctionId) {
        let known = &mut self.junction_frames[junction.index()];
        if *known != self.frame {
            *known = self.frame;
            self.junctions.push(junction);
        }
    }
}
