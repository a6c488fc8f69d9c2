//! A simulator of shells and lattices in the wind, for making data: small
//! steps of extended position-based dynamics, contact between groups with
//! friction, and a second try with smaller steps where groups interpenetrate.
//!
//! After Müller and others 2007 and Macklin and others 2016 and 2019.

mod forces;
mod generator;
mod model;
mod record;
mod shapes;
mod touch;
mod wind;

use glam::DVec3;
use proscenium_work::{Halt, Progress, Stopped};
use serde::{Deserialize, Serialize};

use crate::contact::ContactTest;
use crate::data::positive;
use crate::error::EnsembleError;
use crate::frame::narrow;

pub use generator::{Generator, Part};
pub use model::{SoftModel, Stuff};
pub use record::{PartMotion, RecordSettings, record};
pub use wind::{Wind, WindField};

use forces::BendState;
use touch::{Meetings, Motion, Touch};

/// Standard gravity, downwards.
const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// How a model is simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulateSettings {
    /// Frames per second.
    pub frames_per_second: f64,
    /// Steps per frame, at first.
    pub steps: u32,
    /// The thickness ε of a group, metres.
    pub thickness: f64,
    /// How much more than the thickness frames are tested with, metres, so that
    /// they stay clean when they are compressed.
    pub margin: f64,
    /// The distance that the simulator keeps, metres; more than the thickness.
    pub distance: f64,
    /// Coulomb's coefficient between groups.
    pub friction: f64,
    /// How fast motion dies, besides by drag, per second.
    pub damping: f64,
}

impl Default for SimulateSettings {
    fn default() -> Self {
        Self {
            frames_per_second: 30.0,
            steps: 16,
            thickness: 0.004,
            margin: 0.004,
            distance: 0.014,
            friction: 0.3,
            damping: 0.3,
        }
    }
}

/// A model in motion.
#[derive(Clone, Debug)]
pub struct Simulator<'model> {
    model: &'model SoftModel,
    settings: SimulateSettings,
    wind: WindField,
    test: ContactTest,
    /// What is kept apart: all but what is so close at rest.
    apart: ContactTest,
    inverse_mass: Vec<f64>,
    posture: Posture,
    /// How many frames are done.
    frame: u64,
    before: Vec<DVec3>,
    air: Vec<DVec3>,
    /// What each spring's correction is divided by, at the step of this frame.
    softness: Vec<f64>,
    bent: Vec<BendState>,
    meetings: Meetings,
}

/// Where all vertices of a model are, and how they move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Posture {
    /// Metres.
    pub places: Vec<DVec3>,
    /// Metres per second.
    pub velocities: Vec<DVec3>,
}

/// What became of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameOutcome {
    /// How often it was tried again with half the step.
    pub retries: u32,
    /// The pairs of groups that still interpenetrate; none in a clean frame.
    pub touching: Vec<(usize, usize)>,
}

/// How much farther apart features may come than the distance that is kept, and
/// still be listed as soon to meet; in distances.
/// Chosen; what it misses shows at the end of the frame, which is tried again.
const MARGIN: f64 = 0.5;

/// For how many steps such a list is good: more make it longer, fewer make more
/// lists. Chosen.
const LOOK_AHEAD: u32 = 2;

/// The farthest that a vertex moves in a step, in distances that are kept:
/// faster ones could jump over each other.
const FARTHEST: f64 = 1.0;

/// How often a frame is tried again: what four times as many steps leave
/// interpenetrating is left out.
const RETRIES: u32 = 2;

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
        let mut inverse_mass: Vec<f64> = model.mass.iter().zip(&model.pinned).map(free).collect();
        model.grafts.iter().for_each(|graft| inverse_mass[graft.vertex as usize] = 0.0);
        let count = model.rest.len();
        // Twice this is what groups that hang together are joined within.
        let apart = ContactTest::new(&model.groups, 0.5 * settings.distance);
        Ok(Self {
            model,
            settings,
            wind,
            test: ContactTest::new(&model.groups, settings.thickness)
                .with_thickness(settings.thickness + settings.margin),
            inverse_mass,
            posture: Posture { places: model.rest.clone(), velocities: vec![DVec3::ZERO; count] },
            frame: 0,
            before: Vec::new(),
            air: vec![DVec3::ZERO; count],
            softness: Vec::new(),
            bent: Vec::new(),
            meetings: Meetings::new(model, &apart),
            apart,
        })
    }

    /// The same model, from a posture of it on rather than at rest.
    ///
    /// # Errors
    /// A posture with another number of vertices, or one that is not finite.
    pub fn from_posture(mut self, posture: &Posture) -> Result<Self, EnsembleError> {
        let expected = self.model.rest.len();
        let other = [posture.places.len(), posture.velocities.len()].into_iter().find(|&found| found != expected);
        if let Some(found) = other {
            let remedy = "begin with a posture of the same model";
            return Err(EnsembleError::FrameSize { sequence: 0, frame: 0, found, expected, remedy });
        }
        self.posture.clone_from(posture);
        self.check_finite()?;
        Ok(self)
    }

    /// Where the vertices are now, and how they move.
    pub fn posture(&self) -> &Posture {
        &self.posture
    }

    /// Where the vertices are now.
    pub fn positions(&self) -> Vec<[f32; 3]> {
        self.posture.places.iter().copied().map(narrow).collect()
    }

    /// How many features are near each other now: a measure of the work.
    pub fn meetings(&self) -> usize {
        self.meetings.len()
    }

    /// The kinetic energy, joules.
    pub fn kinetic_energy(&self) -> f64 {
        let moving = self.posture.velocities.iter().zip(&self.model.mass);
        moving.map(|(velocity, mass)| 0.5 * mass * velocity.length_squared()).sum()
    }

    /// Simulates one frame; where groups interpenetrate at its end, again with
    /// smaller steps.
    ///
    /// # Errors
    /// A vertex that stops being finite.
    pub fn advance(&mut self) -> Result<FrameOutcome, EnsembleError> {
        match self.advance_unless_stopped(&Progress::none()) {
            Ok(outcome) => Ok(outcome),
            Err(Halt::Failed(error)) => Err(error),
            Err(Halt::Stopped) => unreachable!("nobody stops it"),
        }
    }

    /// The same, asking in each step: a frame of a large model takes seconds.
    /// What was stopped is somewhere between two frames.
    pub(crate) fn advance_unless_stopped(&mut self, progress: &Progress) -> Result<FrameOutcome, Halt<EnsembleError>> {
        let start = self.posture.clone();
        let mut retries = 0;
        loop {
            let steps = self.settings.steps << retries;
            self.frame(steps, progress)?;
            self.check_finite()?;
            let touching = self.test.touching(&self.positions());
            if touching.is_empty() || retries == RETRIES {
                self.frame += 1;
                return Ok(FrameOutcome { retries, touching });
            }
            self.posture.clone_from(&start);
            retries += 1;
        }
    }

    fn frame(&mut self, steps: u32, progress: &Progress) -> Result<(), Stopped> {
        let time = self.frame as f64 / self.settings.frames_per_second;
        for (air, &place) in self.air.iter_mut().zip(&self.posture.places) {
            *air = self.wind.at(place, time);
        }
        let step = 1.0 / (self.settings.frames_per_second * f64::from(steps));
        let touch = Touch {
            distance: self.settings.distance,
            margin: MARGIN * self.settings.distance,
            friction: self.settings.friction,
        };
        self.soften(step);
        for number in 0..steps {
            progress.check()?;
            if number.is_multiple_of(LOOK_AHEAD) {
                let ahead = step * f64::from(LOOK_AHEAD);
                let Posture { places, velocities } = &self.posture;
                let motion = Motion { places, velocities, ahead };
                self.meetings.look(self.model, &self.apart, &motion, &touch);
            }
            self.step(step, &touch);
        }
        Ok(())
    }

    /// One step: forces, then springs, bends, welds and contacts, then
    /// velocities.
    fn step(&mut self, step: f64, touch: &Touch) {
        self.before.clone_from(&self.posture.places);
        self.blow(step);
        let fastest = FARTHEST * touch.distance / step;
        let damping = 1.0 / (1.0 + self.settings.damping * step);
        let free = self.inverse_mass.iter().map(|&inverse| inverse > 0.0);
        let Posture { places, velocities } = &mut self.posture;
        for ((place, velocity), free) in places.iter_mut().zip(velocities).zip(free) {
            if free {
                *velocity = ((*velocity + GRAVITY * step) * damping).clamp_length_max(fastest);
                *place += *velocity * step;
            }
        }
        self.follow();
        self.hold_springs();
        self.hold_bends(step);
        self.hold_welds();
        self.follow();
        self.meetings.resolve(&self.before, &mut self.posture.places, &self.inverse_mass, touch);
        let Posture { places, velocities } = &mut self.posture;
        for ((place, velocity), before) in places.iter().zip(velocities).zip(&self.before) {
            *velocity = (*place - *before) / step;
        }
    }

    fn check_finite(&self) -> Result<(), EnsembleError> {
        let Posture { places, velocities } = &self.posture;
        let Some(lost) =
            places.iter().zip(velocities).position(|(place, velocity)| !(place.is_finite() && velocity.is_finite()))
        else {
            return Ok(());
        };
        let group = self.model.first_vertex.partition_point(|&first| first as usize <= lost) - 1;
        Err(EnsembleError::NotFinite {
            group: self.model.groups[group].name.clone(),
            vertex: lost - self.model.first_vertex[group] as usize,
            sequence: 0,
            frame: self.frame as usize,
        })
    }
}
