//! What people would notice first (chapter 5).

use glam::{DMat3, DVec3};
use proscenium_view::{Camera, Frustum, Projection};

use crate::LodError;

/// Somebody who looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewer {
    /// From where.
    pub camera: Camera,
    /// At what, as a place in the picture (0, 0 at the top left, 1, 1 at the
    /// bottom right): a pointer or a tracker. Without it, at the middle.
    pub gaze: Option<[f64; 2]>,
}

impl Viewer {
    /// A viewer who looks at the middle of the picture.
    pub fn new(camera: Camera) -> Self {
        Self { camera, gaze: None }
    }
}

/// A measure of how much a collision matters (section 5.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Near ones first.
    Distance,
    /// Those that appear large first.
    Size,
    /// Those whose bodies cross the picture slowly first, the camera's own
    /// motion taken into account (5.1).
    Speed,
    /// Those whose bodies move slowly against each other, as it appears.
    CollisionSpeed,
    /// Those near the gaze first.
    Eccentricity,
    /// Those within a region about the gaze, which shrinks with the number of
    /// collisions in view that distract.
    Region,
    /// Those that could leave a wide gap between the bodies first.
    Gap,
    /// The same as it appears.
    ProjectedGap,
    /// By chance, but each pair always in the same place: what a measure has to be
    /// better than.
    Chance,
}

impl Measure {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Distance,
        Self::Size,
        Self::Speed,
        Self::CollisionSpeed,
        Self::Eccentricity,
        Self::Region,
        Self::Gap,
        Self::ProjectedGap,
        Self::Chance,
    ];

    /// Its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Distance => "distance",
            Self::Size => "size",
            Self::Speed => "speed",
            Self::CollisionSpeed => "collision-speed",
            Self::Eccentricity => "eccentricity",
            Self::Region => "region",
            Self::Gap => "gap",
            Self::ProjectedGap => "projected-gap",
            Self::Chance => "chance",
        }
    }
}

/// Where the bands of priority begin.
#[derive(Clone, Debug, PartialEq)]
pub enum Thresholds {
    /// At these scores, the highest first.
    Fixed(Vec<f64>),
    /// So that each band but the last holds these shares of the collisions in
    /// view: learned from the scene in every frame.
    Shares(Vec<f64>),
}

/// How the scheduler spends a budget.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Measures with their weights: the score is Σ weight · ln measure, so that
    /// a weight is an exponent. Without any, all collisions are alike.
    pub measures: Vec<(Measure, f64)>,
    /// Where bands begin.
    pub thresholds: Thresholds,
    /// Of what is left of the budget, the share that each band may spend before
    /// the next has its turn. What a band leaves goes on; the last has all.
    pub spending: f64,
    /// The radius of the region of interest with one collision in view,
    /// degrees.
    pub region_degrees: f64,
    /// The level that collisions of all bands but the first are refined to,
    /// however much is left of the budget; without it, to the finest.
    pub others_to: Option<u32>,
}

impl Schedule {
    /// All collisions in turn, whoever looks.
    pub fn round_robin() -> Self {
        Self { measures: Vec::new(), thresholds: Thresholds::Shares(Vec::new()), spending: 1.0, ..Self::perceptual() }
    }

    /// One measure with two bands, as in section 6.3.
    pub fn by(measure: Measure) -> Self {
        let thresholds = Thresholds::Shares(vec![0.3]);
        Self { measures: vec![(measure, 1.0)], thresholds, ..Self::perceptual() }
    }

    /// Bands with the same shares as those of [`Schedule::perceptual`], filled by
    /// chance: what is won against it is won by the measures alone.
    pub fn random() -> Self {
        Self { measures: vec![(Measure::Chance, 1.0)], ..Self::perceptual() }
    }

    /// What a viewer notices: near the gaze, large, slow.
    pub fn perceptual() -> Self {
        Self {
            measures: vec![(Measure::Eccentricity, 1.0), (Measure::Size, 1.0), (Measure::CollisionSpeed, 0.5)],
            thresholds: Thresholds::Shares(vec![0.1, 0.15, 0.25]),
            spending: 0.9,
            region_degrees: 12.0,
            others_to: None,
        }
    }

    /// Fine within a region of so many degrees about the gaze, and the roots
    /// alone elsewhere: the experiment of section 6.3.1.
    pub fn fine_within(degrees: f64) -> Self {
        // Inside of the region the measure is 1, and outside less.
        let thresholds = Thresholds::Fixed(vec![-0.5]);
        let measures = vec![(Measure::Region, 1.0)];
        Self { measures, thresholds, region_degrees: degrees, others_to: Some(0), ..Self::perceptual() }
    }

    /// The schedule with this name: `perceptual`, `round-robin`, `random`, or that of
    /// one measure.
    ///
    /// ```
    /// use proscenium_lod::world::{Measure, Schedule};
    ///
    /// assert_eq!(Schedule::find("gap")?, Schedule::by(Measure::Gap));
    /// assert!(Schedule::find("tarot").is_err());
    /// # Ok::<(), proscenium_lod::LodError>(())
    /// ```
    ///
    /// # Errors
    /// When there is none; the error lists them.
    pub fn find(name: &str) -> Result<Self, LodError> {
        match name {
            "perceptual" => return Ok(Self::perceptual()),
            "round-robin" => return Ok(Self::round_robin()),
            "random" => return Ok(Self::random()),
            _ => {}
        }
        let measure = Measure::ALL.into_iter().find(|measure| measure.name() == name);
        measure.map(Self::by).ok_or_else(|| {
            let known =
                [&["perceptual", "round-robin", "random"], &Measure::ALL.map(Measure::name)[..]].concat().join(", ");
            LodError::Unknown { what: "schedule", name: name.to_owned(), known }
        })
    }

    pub(crate) fn check(&self) -> Result<(), LodError> {
        let refuse = |what, value, remedy| Err(LodError::Number { what, value, remedy });
        if let Some((_, weight)) = self.measures.iter().find(|(_, weight)| !weight.is_finite()) {
            return refuse("the weight of a measure", *weight, "give a finite number");
        }
        if !(0.0..=1.0).contains(&self.spending) {
            return refuse("the share that a band spends", self.spending, "give a share from 0 to 1");
        }
        if !(self.region_degrees > 0.0 && self.region_degrees <= 180.0) {
            return refuse("the region of interest", self.region_degrees, "give an angle up to 180 degrees");
        }
        match &self.thresholds {
            Thresholds::Fixed(scores) => match scores.iter().find(|score| !score.is_finite()) {
                Some(score) => refuse("a threshold", *score, "give a finite score"),
                None => Ok(()),
            },
            Thresholds::Shares(shares) => match shares.iter().find(|share| !(0.0..=1.0).contains(*share)) {
                Some(share) => refuse("the share of a band", *share, "give a share from 0 to 1"),
                None => Ok(()),
            },
        }
    }
}

/// What a score is made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScoreInput {
    /// The centre of collision, and how far apart the bodies' middles are.
    pub(crate) point: DVec3,
    pub(crate) gap: f64,
    /// The mean radius of the bodies.
    pub(crate) radius: f64,
    /// Their velocities.
    pub(crate) velocities: [DVec3; 2],
    /// A number from 0 to 1 that is the pair's own.
    pub(crate) chance: f64,
}

/// A viewer with what does not change within a frame.
#[derive(Clone, Debug)]
pub(crate) struct Lens {
    position: DVec3,
    view_from_world: DMat3,
    frustum: Frustum,
    gaze: DVec3,
    parallel: bool,
    before: Option<(DVec3, DMat3)>,
    step: f64,
}

impl Lens {
    /// A viewer now, and where its camera was a step before.
    pub(crate) fn new(viewer: &Viewer, before: Option<&Viewer>, step: f64) -> Result<Self, LodError> {
        let camera = &viewer.camera;
        let frustum = Frustum::of(camera)?;
        let [x, y] = viewer.gaze.unwrap_or([0.5, 0.5]);
        if !(x.is_finite() && y.is_finite()) {
            let remedy = "give a place in the picture, from 0 to 1";
            return Err(LodError::Number { what: "the gaze", value: x + y, remedy });
        }
        let axes = camera.axes();
        Ok(Self {
            position: camera.position,
            view_from_world: axes.transpose(),
            frustum,
            gaze: camera.ray(x, y).direction,
            parallel: matches!(camera.projection, Projection::Orthographic { .. }),
            before: before.map(|viewer| (viewer.camera.position, viewer.camera.axes().transpose())),
            step,
        })
    }

    /// Whether a ball is in view.
    pub(crate) fn sees(&self, center: DVec3, radius: f64) -> bool {
        self.frustum.intersects_sphere(center, radius)
    }

    /// The angle between the gaze and the direction to a point, degrees.
    pub(crate) fn eccentricity(&self, point: DVec3) -> f64 {
        let towards = (point - self.position).normalize_or(self.gaze);
        libm::atan2(towards.cross(self.gaze).length(), towards.dot(self.gaze)).to_degrees()
    }

    /// How fast a point that moves appears to move, degrees per second: the
    /// angle between where it is seen and where it was seen a step before.
    pub(crate) fn apparent_speed(&self, point: DVec3, velocity: DVec3) -> f64 {
        let (position, turn) = self.before.unwrap_or((self.position, self.view_from_world));
        let now = self.view_from_world * (point - self.position);
        let then = turn * (point - self.step * velocity - position);
        libm::atan2(now.cross(then).length(), now.dot(then)).to_degrees() / self.step
    }

    fn distance(&self, point: DVec3) -> f64 {
        if self.parallel { 1.0 } else { self.position.distance(point).max(1e-9) }
    }

    fn measure(&self, measure: Measure, seen: &ScoreInput, region: f64) -> f64 {
        let distance = self.distance(seen.point);
        let [a, b] = seen.velocities;
        match measure {
            Measure::Distance => 1.0 / (1.0 + self.position.distance(seen.point)),
            Measure::Size => seen.radius / distance,
            Measure::Speed => {
                let mean = 0.5 * (self.apparent_speed(seen.point, a) + self.apparent_speed(seen.point, b));
                1.0 / (1.0 + mean / 10.0)
            }
            Measure::CollisionSpeed => {
                let across = (a - b).reject_from((seen.point - self.position).normalize_or(DVec3::Z));
                1.0 / (1.0 + (across.length() / distance).to_degrees() / 10.0)
            }
            Measure::Eccentricity => 1.0 / (1.0 + self.eccentricity(seen.point) / 5.0),
            Measure::Region => {
                if self.eccentricity(seen.point) <= region {
                    1.0
                } else {
                    0.1
                }
            }
            Measure::Gap => seen.gap,
            Measure::ProjectedGap => seen.gap / distance,
            Measure::Chance => seen.chance,
        }
    }
}

/// The score of a collision: the best of all viewers; `None` if none sees it.
/// `distractors` is how many collisions are in view.
pub(crate) fn score(schedule: &Schedule, lenses: &[Lens], seen: &ScoreInput, distractors: usize) -> Option<f64> {
    let region = schedule.region_degrees / (1.0 + distractors as f64 / 10.0).sqrt();
    let mut best: Option<f64> = None;
    for lens in lenses.iter().filter(|lens| lens.sees(seen.point, seen.radius)) {
        let parts = schedule.measures.iter();
        let log = |measure, weight: f64| weight * libm::log(lens.measure(measure, seen, region).max(1e-9));
        let total: f64 = parts.map(|(measure, weight)| log(*measure, *weight)).sum();
        best = Some(best.map_or(total, |best: f64| best.max(total)));
    }
    best
}

/// Where the bands begin, the highest first. `scores` are those in view.
pub(crate) fn band_edges(thresholds: &Thresholds, scores: &mut [f64]) -> Vec<f64> {
    match thresholds {
        Thresholds::Fixed(edges) => edges.clone(),
        Thresholds::Shares(shares) => {
            scores.sort_unstable_by(|a, b| b.total_cmp(a));
            let mut from = 0.0;
            let edge = |share: &f64| {
                from += share * scores.len() as f64;
                let last = (from.ceil() as usize).clamp(1, scores.len().max(1)) - 1;
                scores.get(last).copied().unwrap_or(f64::INFINITY)
            };
            shares.iter().map(edge).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lens(gaze: Option<[f64; 2]>, before: Option<&Viewer>) -> Lens {
        let camera = Camera::look_at(DVec3::new(0.0, 0.0, 10.0), DVec3::ZERO, 0.8, 1.5).unwrap();
        Lens::new(&Viewer { camera, gaze }, before, 0.01).unwrap()
    }

    fn seen(point: DVec3, velocity: DVec3) -> ScoreInput {
        ScoreInput { point, gap: 0.5, radius: 0.5, velocities: [velocity, DVec3::ZERO], chance: 0.5 }
    }

    fn scored(measure: Measure, seen: &ScoreInput) -> f64 {
        score(&Schedule::by(measure), &[lens(None, None)], seen, 3).unwrap()
    }

    #[test]
    fn each_measure_ranks_as_the_text_says() {
        let still = |x: f64, z: f64| seen(DVec3::new(x, 0.0, z), DVec3::ZERO);
        for measure in [Measure::Distance, Measure::Size, Measure::ProjectedGap] {
            assert!(scored(measure, &still(0.0, 4.0)) > scored(measure, &still(0.0, -4.0)), "{measure:?}");
        }
        for measure in [Measure::Eccentricity, Measure::Region] {
            assert!(scored(measure, &still(0.1, 0.0)) > scored(measure, &still(3.0, 0.0)), "{measure:?}");
        }
        // Fast pairs rank low.
        for measure in [Measure::Speed, Measure::CollisionSpeed] {
            let fast = seen(DVec3::ZERO, 5.0 * DVec3::X);
            assert!(scored(measure, &fast) < scored(measure, &still(0.0, 0.0)), "{measure:?}");
        }
        let wide = ScoreInput { gap: 0.9, ..still(0.0, 0.0) };
        assert!(scored(Measure::Gap, &wide) > scored(Measure::Gap, &still(0.0, 0.0)));
        assert_eq!(
            score(&Schedule::perceptual(), &[lens(None, None)], &still(0.0, 20.0), 3),
            None,
            "behind the viewer"
        );
    }

    #[test]
    fn the_gaze_moves_what_matters() {
        let right = lens(Some([0.9, 0.5]), None);
        let schedule = Schedule::by(Measure::Eccentricity);
        let at =
            |x: f64| score(&schedule, std::slice::from_ref(&right), &seen(DVec3::new(x, 0.0, 0.0), DVec3::ZERO), 1);
        assert!(at(4.0) > at(0.0));
    }

    #[test]
    fn a_camera_that_pans_makes_still_things_move() {
        let now = Viewer::new(Camera::look_at(DVec3::new(0.0, 0.0, 10.0), DVec3::ZERO, 0.8, 1.5).unwrap());
        let eye = DVec3::new(0.01, 0.0, 10.0);
        let before = Viewer::new(Camera { position: eye, ..now.camera });
        let still = lens(None, None).apparent_speed(DVec3::ZERO, DVec3::ZERO);
        let panned = lens(None, Some(&before)).apparent_speed(DVec3::ZERO, DVec3::ZERO);
        assert!(still < 1e-9 && (panned - 0.1_f64.to_degrees()).abs() < 0.01, "{still} {panned}");
        // A body that moves with the camera appears to stand.
        let along = lens(None, Some(&before)).apparent_speed(DVec3::ZERO, -DVec3::X);
        assert!(along < 1e-6, "{along}");
    }

    #[test]
    fn more_distractors_shrink_the_region() {
        let schedule = Schedule::by(Measure::Region);
        let lens = [lens(None, None)];
        let near = seen(DVec3::new(1.4, 0.0, 0.0), DVec3::ZERO);
        assert!(score(&schedule, &lens, &near, 0) > score(&schedule, &lens, &near, 100));
    }

    #[test]
    fn bands_hold_their_shares() {
        let mut scores: Vec<f64> = (0..100).map(f64::from).collect();
        let edges = band_edges(&Thresholds::Shares(vec![0.1, 0.2]), &mut scores);
        assert_eq!(edges, [90.0, 70.0]);
        assert_eq!(band_edges(&Thresholds::Shares(vec![0.5]), &mut []), [f64::INFINITY]);
    }

    #[test]
    fn schedules_that_make_no_sense_are_refused() {
        let bad = Schedule { spending: 2.0, ..Schedule::perceptual() };
        assert!(bad.check().is_err());
        let bad = Schedule { measures: vec![(Measure::Gap, f64::NAN)], ..Schedule::perceptual() };
        assert!(bad.check().is_err());
    }
}
