//! A simulator of shells and lattices in the wind, for making data: small
//! steps of extended position-based dynamics, contact between groups with
//! friction, and a second try with smaller steps where groups interpenetrate.
//!
//! After Müller and others 2007 and Macklin and others 2016 and 2019.

mod generator;
mod model;
mod record;
mod touch;
mod wind;

use glam::DVec3;

use crate::contact::ContactTest;
use crate::data::positive;
use crate::error::EnsembleError;
use crate::frame::narrow;

pub use generator::{Generator, Part};
pub use model::{SoftModel, Stuff};
pub use record::{RecordSettings, Recorded, record};
pub use wind::{Wind, WindField};

use touch::{Meetings, Touch};

/// Standard gravity, downwards.
const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);
/// Kilograms per cubic metre.
const AIR: f64 = 1.2;
/// Drag across and along a surface.
const DRAG: (f64, f64) = (1.2, 0.06);

/// How a model is simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulateSettings {
    /// Frames per second.
    pub frames_per_second: f64,
    /// Steps per frame, at first.
    pub steps: u32,
    /// The thickness ε of a group, metres: what frames are tested with.
    pub thickness: f64,
    /// The distance that the simulator keeps, metres; more than the thickness.
    pub distance: f64,
    /// Coulomb's coefficient between groups.
    pub friction: f64,
    /// How fast motion dies, besides by drag, per second.
    pub damping: f64,
}

impl Default for SimulateSettings {
    fn default() -> Self {
        Self { frames_per_second: 30.0, steps: 16, thickness: 0.004, distance: 0.012, friction: 0.3, damping: 0.3 }
    }
}

/// A model in motion.
#[derive(Clone, Debug)]
pub struct Simulator<'model> {
    model: &'model SoftModel,
    settings: SimulateSettings,
    wind: WindField,
    test: ContactTest,
    inverse_mass: Vec<f64>,
    state: State,
    before: Vec<DVec3>,
    air: Vec<DVec3>,
    meetings: Meetings,
}

/// What is put back for a second try.
#[derive(Clone, Debug)]
struct State {
    places: Vec<DVec3>,
    velocities: Vec<DVec3>,
    frame: u64,
}

/// What became of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameOutcome {
    /// How often it was tried again with half the step.
    pub retries: u32,
    /// The pairs of groups that still interpenetrate; none in a clean frame.
    pub touching: Vec<(usize, usize)>,
}

/// How much farther than the kept distance contacts look ahead, in distances:
/// more makes lists longer, less makes them more often.
const SLACK: f64 = 4.0;

/// How often a frame is tried again.
const RETRIES: u32 = 3;

impl<'model> Simulator<'model> {
    /// A model at rest, in a wind.
    ///
    /// # Errors
    /// A setting that is not positive, or a distance below the thickness.
    pub fn new(model: &'model SoftModel, settings: SimulateSettings, wind: WindField) -> Result<Self, EnsembleError> {
        positive("the frame rate", settings.frames_per_second, "use frames per second, such as 30")?;
        positive("the steps per frame", settings.steps.into(), "use at least one")?;
        positive("the thickness", settings.thickness, "use metres above zero")?;
        if settings.distance.is_nan() || settings.distance <= settings.thickness {
            let what = "the distance that is kept".to_owned();
            return Err(EnsembleError::Number {
                what,
                value: settings.distance,
                remedy: "use more than the thickness",
            });
        }
        let free = |(&mass, &pinned): (&f64, &bool)| if pinned || mass <= 0.0 { 0.0 } else { 1.0 / mass };
        let inverse_mass = model.mass.iter().zip(&model.pinned).map(free).collect();
        let count = model.rest.len();
        Ok(Self {
            model,
            settings,
            wind,
            test: ContactTest::new(&model.groups, settings.thickness),
            inverse_mass,
            state: State { places: model.rest.clone(), velocities: vec![DVec3::ZERO; count], frame: 0 },
            before: Vec::new(),
            air: vec![DVec3::ZERO; count],
            meetings: Meetings::default(),
        })
    }

    /// Where the vertices are now.
    pub fn positions(&self) -> Vec<[f32; 3]> {
        self.state.places.iter().copied().map(narrow).collect()
    }

    /// How many features are near each other now: a measure of the work.
    pub fn meetings(&self) -> usize {
        self.meetings.len()
    }

    /// The kinetic energy, joules.
    pub fn kinetic_energy(&self) -> f64 {
        let moving = self.state.velocities.iter().zip(&self.model.mass);
        moving.map(|(velocity, mass)| 0.5 * mass * velocity.length_squared()).sum()
    }

    /// Simulates one frame; where groups interpenetrate at its end, again with
    /// smaller steps.
    ///
    /// # Errors
    /// A vertex that stops being finite.
    pub fn advance(&mut self) -> Result<FrameOutcome, EnsembleError> {
        let start = self.state.clone();
        let mut retries = 0;
        loop {
            let steps = self.settings.steps << retries;
            self.frame(steps);
            self.check_finite()?;
            let touching = self.test.touching(&self.positions());
            if touching.is_empty() || retries == RETRIES {
                return Ok(FrameOutcome { retries, touching });
            }
            self.state = start.clone();
            retries += 1;
        }
    }

    fn frame(&mut self, steps: u32) {
        let time = self.state.frame as f64 / self.settings.frames_per_second;
        for (air, &place) in self.air.iter_mut().zip(&self.state.places) {
            *air = self.wind.at(place, time);
        }
        let step = 1.0 / (self.settings.frames_per_second * f64::from(steps));
        let touch = Touch {
            distance: self.settings.distance,
            slack: SLACK * self.settings.distance,
            friction: self.settings.friction,
        };
        for _ in 0..steps {
            self.step(step, &touch);
        }
        self.state.frame += 1;
    }

    /// One step: forces, then springs, welds and contacts, then velocities.
    fn step(&mut self, step: f64, touch: &Touch) {
        self.meetings.refresh(self.model, &self.test, &self.state.places, touch);
        self.before.clone_from(&self.state.places);
        self.blow(step);
        // No vertex moves farther than contacts look ahead.
        let fastest = 0.25 * touch.slack / step;
        let damping = 1.0 / (1.0 + self.settings.damping * step);
        let free = self.inverse_mass.iter().map(|&inverse| inverse > 0.0);
        for ((place, velocity), free) in self.state.places.iter_mut().zip(&mut self.state.velocities).zip(free) {
            if free {
                *velocity = ((*velocity + GRAVITY * step) * damping).clamp_length_max(fastest);
                *place += *velocity * step;
            }
        }
        self.hold_springs(step);
        self.hold_welds();
        self.meetings.resolve(&self.before, &mut self.state.places, &self.inverse_mass, touch);
        for ((place, velocity), before) in self.state.places.iter().zip(&mut self.state.velocities).zip(&self.before) {
            *velocity = (*place - *before) / step;
        }
    }

    /// The drag of the air on every triangle.
    fn blow(&mut self, step: f64) {
        for (group, &first) in self.model.groups.iter().zip(&self.model.first_vertex) {
            for triangle in &group.triangles {
                let corners = triangle.map(|vertex| (first + vertex) as usize);
                let [a, b, c] = corners.map(|vertex| self.state.places[vertex]);
                let twice_area = (b - a).cross(c - a);
                let size = twice_area.length();
                if size == 0.0 {
                    continue;
                }
                let normal = twice_area / size;
                let wind: DVec3 =
                    corners.iter().map(|&vertex| self.air[vertex] - self.state.velocities[vertex]).sum::<DVec3>() / 3.0;
                let across = wind.dot(normal);
                let along = wind - normal * across;
                let pressure = 0.25 * AIR * size;
                let force = pressure * (DRAG.0 * across.abs() * across * normal + DRAG.1 * along.length() * along);
                for vertex in corners {
                    // Drag cannot turn the motion round within a step.
                    let push = force * (step / 3.0 * self.inverse_mass[vertex]);
                    self.state.velocities[vertex] += push.clamp_length_max(wind.length());
                }
            }
        }
    }

    fn hold_springs(&mut self, step: f64) {
        let places = &mut self.state.places;
        for spring in &self.model.springs {
            let [a, b] = spring.ends.map(|vertex| vertex as usize);
            let (ours, theirs) = (self.inverse_mass[a], self.inverse_mass[b]);
            let away = places[b] - places[a];
            let length = away.length();
            let softness = ours + theirs + spring.compliance / (step * step);
            if length == 0.0 || ours + theirs == 0.0 {
                continue;
            }
            let pull = away * ((length - spring.length) / (length * softness));
            places[a] += pull * ours;
            places[b] -= pull * theirs;
        }
    }

    fn hold_welds(&mut self) {
        let places = &mut self.state.places;
        for weld in &self.model.welds {
            let vertex = weld.vertex as usize;
            let corners = weld.corners.map(|corner| corner as usize);
            let held: DVec3 = corners.iter().zip(weld.shares).map(|(&corner, share)| places[corner] * share).sum();
            let weights =
                corners.iter().zip(weld.shares).map(|(&corner, share)| self.inverse_mass[corner] * share * share);
            let softness = self.inverse_mass[vertex] + weights.sum::<f64>();
            if softness == 0.0 {
                continue;
            }
            let pull = (held - places[vertex]) / softness;
            places[vertex] += pull * self.inverse_mass[vertex];
            for (&corner, share) in corners.iter().zip(weld.shares) {
                places[corner] -= pull * (self.inverse_mass[corner] * share);
            }
        }
    }

    fn check_finite(&self) -> Result<(), EnsembleError> {
        let Some(lost) = self.state.places.iter().position(|place| !place.is_finite()) else {
            return Ok(());
        };
        let group = self.model.first_vertex.partition_point(|&first| first as usize <= lost) - 1;
        Err(EnsembleError::NotFinite {
            group: self.model.groups[group].name.clone(),
            vertex: lost - self.model.first_vertex[group] as usize,
            sequence: 0,
            frame: self.state.frame as usize,
        })
    }
}
