//! The map as a picture, after figures 6.2 and B.1.

use glam::DVec2;
use proscenium_city::map::RoadId;
use proscenium_city::sight::VisibleRoads;
use proscenium_city::{Eye, Map};
use proscenium_picture::{Picture, PictureError};
use proscenium_work::{Completion, Progress, Stopped};

use super::canvas::Canvas;

/// Colours: red, green, blue.
const BACKGROUND: [u8; 3] = [247, 245, 240];
const ROAD: [u8; 3] = [150, 160, 172];
const SEEN: [u8; 3] = [214, 48, 38];
const EMPTY: [u8; 3] = [70, 130, 200];
const CROWDED: [u8; 3] = [70, 215, 60];
const CAR: [u8; 3] = [255, 214, 10];
const CAR_RIM: [u8; 3] = [60, 45, 0];
const HIDDEN_CAR: [u8; 3] = [95, 100, 110];
const VIEW: [u8; 3] = [120, 110, 95];
const VIEWER: [u8; 3] = [20, 20, 20];

/// A picture of a map in the making. Roads that are seen are red; others are
/// shaded from blue to green by what [`MapPicture::with_bounds`] says of them,
/// and grey without it. Cars are dots, views are shaded triangles.
///
/// ```
/// use proscenium_city::{Map, Recipe, Seed};
/// use proscenium_show::city::MapPicture;
///
/// let map = Map::build(&Recipe::with_roads(60).generate(Seed(1))?)?;
/// let picture = MapPicture::new(&map, 200, 150).with_cars(vec![map.road_points(map.roads().next().unwrap())[0]]).draw()?;
/// assert_eq!((picture.width, picture.height), (200, 150));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MapPicture<'map> {
    map: &'map Map,
    size: (u32, u32),
    region: [DVec2; 2],
    visible: Option<&'map VisibleRoads>,
    bounds: Option<&'map [f32]>,
    cars: Vec<DVec2>,
    hidden_cars: Vec<DVec2>,
    viewers: Vec<Eye>,
}

impl<'map> MapPicture<'map> {
    /// The whole map in a picture of this size, pixels.
    pub fn new(map: &'map Map, width: u32, height: u32) -> Self {
        let region = map.bounds();
        Self {
            map,
            size: (width, height),
            region,
            visible: None,
            bounds: None,
            cars: Vec::new(),
            hidden_cars: Vec::new(),
            viewers: Vec::new(),
        }
    }

    /// Only what lies around a place, up to a distance, metres.
    pub fn around(self, place: DVec2, distance: f64) -> Self {
        let span = DVec2::splat(distance.max(1.0));
        Self { region: [place - span, place + span], ..self }
    }

    /// Roads that are seen are red.
    pub fn with_visible(self, visible: &'map VisibleRoads) -> Self {
        Self { visible: Some(visible), ..self }
    }

    /// For each road how many cars may be on it: the sum over the cars whose
    /// bound includes it of one over the size of the bound.
    pub fn with_bounds(self, bounds: &'map [f32]) -> Self {
        Self { bounds: Some(bounds), ..self }
    }

    /// Cars that may be seen, at places of the plan.
    pub fn with_cars(self, cars: Vec<DVec2>) -> Self {
        Self { cars, ..self }
    }

    /// Cars that nobody sees, as smaller grey dots.
    pub fn with_hidden_cars(self, hidden_cars: Vec<DVec2>) -> Self {
        Self { hidden_cars, ..self }
    }

    /// The views, as shaded triangles.
    pub fn with_viewers(self, viewers: &[Eye]) -> Self {
        Self { viewers: viewers.to_vec(), ..self }
    }

    /// Pixels for a metre.
    fn scale(&self) -> f64 {
        let span = (self.region[1] - self.region[0]).max(DVec2::splat(1.0));
        let margin = 0.98;
        margin * (f64::from(self.size.0) / span.x).min(f64::from(self.size.1) / span.y)
    }

    /// The colour of a road.
    fn color(&self, road: RoadId) -> [u8; 3] {
        if self.visible.is_some_and(|visible| visible.sees(road)) {
            return SEEN;
        }
        match self.bounds.and_then(|bounds| bounds.get(road.index())) {
            Some(cars) => {
                // One car on every road to come is as green as it gets.
                let share = f64::from(*cars).clamp(0.0, 1.0);
                let mix =
                    |low: u8, high: u8| (f64::from(low) + share * (f64::from(high) - f64::from(low))).round() as u8;
                std::array::from_fn(|place| mix(EMPTY[place], CROWDED[place]))
            }
            None => ROAD,
        }
    }

    /// Draws it.
    ///
    /// # Errors
    /// When a side of the picture is zero or too large.
    pub fn draw(&self) -> Result<Picture, PictureError> {
        self.draw_watched(&Progress::none()).map(|picture| picture.finished().expect("nobody stops it"))
    }

    /// As [`MapPicture::draw`], for those who watch or may want it to stop: a
    /// million roads take seconds.
    ///
    /// # Errors
    /// As [`MapPicture::draw`].
    pub fn draw_watched(&self, progress: &Progress) -> Result<Completion<Picture>, PictureError> {
        let mut canvas = Canvas::new(self.size.0, self.size.1, BACKGROUND)?;
        match self.draw_on(&mut canvas, progress) {
            Ok(()) => canvas.picture().map(Completion::Finished),
            Err(Stopped) => Ok(Completion::Stopped),
        }
    }

    fn draw_on(&self, canvas: &mut Canvas, progress: &Progress) -> Result<(), Stopped> {
        let scale = self.scale();
        let middle = self.region[0].midpoint(self.region[1]);
        let half = 0.5 * DVec2::new(f64::from(self.size.0), f64::from(self.size.1));
        let place = |point: DVec2| half + (point - middle) * scale;
        let span = half / scale;
        let roads = self.map.roads_in(middle - span, middle + span);
        // What is seen lies on top.
        let seen = |road: &RoadId| self.visible.is_some_and(|visible| visible.sees(*road));
        let drawn = progress.counter("the map", roads.len());
        for on_top in [false, true] {
            for road in roads.iter().filter(|road| seen(road) == on_top) {
                drawn.count()?;
                self.draw_road(canvas, *road, scale, place);
            }
        }
        for eye in &self.viewers {
            draw_view(canvas, eye, place);
        }
        let radius = (2.2 * scale).clamp(2.5, 7.0);
        for car in &self.hidden_cars {
            canvas.disc(place(*car), 0.8 * radius, HIDDEN_CAR);
        }
        for car in &self.cars {
            canvas.disc(place(*car), 1.35 * radius, CAR_RIM);
            canvas.disc(place(*car), radius, CAR);
        }
        for eye in &self.viewers {
            canvas.disc(place(eye.position()), 1.3 * radius, VIEWER);
        }
        Ok(())
    }

    fn draw_road(&self, canvas: &mut Canvas, road: RoadId, scale: f64, place: impl Fn(DVec2) -> DVec2) {
        let color = self.color(road);
        let about = self.map.road(road);
        let ends = [about.from, about.to].map(|end| self.map.junction(end).position);
        let points = self.map.road_points(road);
        let width = 2.0 * about.half_carriageway() * scale;
        // Too fine for its true width: a line that can still be seen.
        let width = width.max(if about.along.max(about.against) > 1 { 1.6 } else { 0.8 });
        let line = std::iter::once(&ends[0]).chain(points).chain(std::iter::once(&ends[1]));
        let mut previous: Option<DVec2> = None;
        for point in line {
            let here = place(*point);
            if let Some(before) = previous {
                canvas.line(before, here, width, color);
            }
            previous = Some(here);
        }
        if width > 3.0 {
            for point in &points[1..points.len() - 1] {
                canvas.disc(place(*point), 0.5 * width, color);
            }
            for end in ends {
                canvas.disc(place(end), 0.5 * width, color);
            }
        }
    }
}

fn draw_view(canvas: &mut Canvas, eye: &Eye, place: impl Fn(DVec2) -> DVec2) {
    let steps = 24;
    let reach = eye.reach().min(400.0);
    let mut corners = vec![place(eye.position())];
    for step in 0..=steps {
        let angle = eye.angle() * (f64::from(step) / f64::from(steps) - 0.5);
        let turned = eye.direction().rotate(DVec2::new(libm::cos(angle), libm::sin(angle)));
        corners.push(place(eye.position() + turned * reach));
    }
    canvas.polygon(&corners, VIEW, 0.28);
}
