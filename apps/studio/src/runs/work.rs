//! The work of a run: sampler and gallery, batch by batch.

use std::sync::atomic::Ordering;
use std::time::Instant;

use proscenium_direct::{Draw, Method, Model, Sampler, SamplerOptions};
use proscenium_gallery::{Gallery, GalleryError, Run as Order};
use proscenium_scenes::{Directed, Outcome, Scene, Seed, Sketch};

use crate::api::{RunMethod, RunState, TracePoint};
use crate::failure::Failure;
use crate::takes::lock;

use super::{Run, keep};

/// Of more samples than this, only the first are compared.
const MOST_COMPARED: usize = 1000;
/// Animations are alike while no body is further from its place in the other
/// than so many of its radii.
const ALIKE: f64 = 3.0;

/// What was found, as far as it is compared.
#[derive(Default)]
struct Found {
    sketches: Vec<Sketch>,
    /// Those that differ from all before them.
    different: Vec<usize>,
    /// Of each, the first one that it is like.
    groups: Vec<u32>,
}

impl Found {
    fn add(&mut self, sketch: Sketch) {
        let place = self.sketches.len();
        if place >= MOST_COMPARED {
            self.groups.push(self.groups.len() as u32);
            return;
        }
        if self.different.iter().all(|other| self.sketches[*other].differs(&sketch)) {
            self.different.push(place);
        }
        let mut leaders = self.groups.iter().enumerate().filter(|(index, group)| **group as usize == *index);
        let like = leaders.find(|(index, _)| self.sketches[*index].apart(&sketch) <= ALIKE);
        self.groups.push(like.map_or(place, |(index, _)| index) as u32);
        self.sketches.push(sketch);
    }
}

impl Run {
    /// Works until there is enough or someone says stop.
    pub(super) fn work(&self, scene: &Scene) {
        let ended = if self.stop.load(Ordering::Relaxed) { Ok(RunState::Stopped) } else { self.direct(scene) };
        let mut status = lock(&self.status);
        match ended {
            Ok(state) => status.state = state,
            Err(failure) => {
                status.state = RunState::Failed;
                status.problem = Some(failure.problem);
            }
        }
        if let Err(error) = keep::write_marks(&self.folder, &status) {
            status.problem = Some(Failure::machine(&error).problem);
        }
    }

    fn direct(&self, scene: &Scene) -> Result<RunState, Failure> {
        let (samples, seed, options) = {
            let mut status = lock(&self.status);
            status.state = RunState::Running;
            let method = status.order.method.map(method);
            (status.order.samples, status.order.seed, SamplerOptions { method, ..SamplerOptions::default() })
        };
        let directed = Directed::new(scene)?;
        let mix = directed.mix().map_err(|error| Failure::machine(&error))?;
        let mut gallery = self.gallery(&directed, u64::from(seed), options)?;
        let order = gallery.run()?;
        let sampler = match gallery.state()? {
            Some(state) => Sampler::resume(&directed, &mix, Seed(order.seed), order.options, state),
            None => Sampler::start(&directed, &mix, Seed(order.seed), order.options),
        };
        let mut sampler = sampler.map_err(|error| Failure::from(GalleryError::from(error)))?;
        let mut found = self.compared(&directed, &gallery)?;
        loop {
            // Neighbours in a chain are alike: twice as many give a choice.
            let in_chains = sampler.choice().is_some_and(|c| matches!(c.method, Method::Chain | Method::Tempering));
            let needed = samples as usize * if in_chains { 2 } else { 1 };
            if found.different.len() >= needed {
                return Ok(RunState::Finished);
            } else if self.stop.load(Ordering::Relaxed) {
                return Ok(RunState::Stopped);
            }
            let (began, before) = (Instant::now(), sampler.effort().simulations);
            let batch = gallery.advance(&mut sampler, |outcome: &Outcome| outcome.wants_met().to_vec())?;
            batch.found.iter().for_each(|one| found.add(directed.sketch(&one.outcome)));
            let rate = (sampler.effort().simulations - before) as f64 / began.elapsed().as_secs_f64().max(1e-9);
            self.note(&sampler, &found, &batch.draws, rate)?;
        }
    }

    /// The gallery of the run, new or continued.
    fn gallery(&self, directed: &Directed, seed: u64, options: SamplerOptions) -> Result<Gallery, Failure> {
        let path = self.folder.join(keep::GALLERY);
        let order = Order::of(directed, directed.scene().to_toml(), seed, options).with_wants(directed.wants());
        let gallery = match Gallery::open(&path) {
            // One that was stopped before it was begun is begun again.
            Err(GalleryError::Missing { .. } | GalleryError::Empty { .. }) => Gallery::create(&path, &order)?,
            opened => opened?,
        };
        if gallery.run()?.scene != order.scene {
            let error = "the scene of this run was made by another version";
            return Err(Failure::bad(error, "look at what it found with that version, or start a new run"));
        }
        Ok(gallery)
    }

    /// What the gallery holds already, simulated again.
    fn compared(&self, directed: &Directed, gallery: &Gallery) -> Result<Found, Failure> {
        let mut found = Found::default();
        let entries = gallery.entries()?;
        for entry in entries.iter().take(MOST_COMPARED) {
            let outcome = directed.outcome(&entry.sample.point).map_err(|error| Failure::machine(&error))?.outcome;
            found.add(directed.sketch(&outcome));
        }
        let uncompared = found.groups.len()..entries.len();
        found.groups.extend(uncompared.map(|index| index as u32));
        Ok(found)
    }

    /// Tells how far the run is.
    fn note<M: Model>(
        &self,
        sampler: &Sampler<'_, M>,
        found: &Found,
        draws: &[Draw],
        rate: f64,
    ) -> Result<(), Failure> {
        let mut status = lock(&self.status);
        status.method = sampler.choice().map(ToString::to_string);
        status.simulations = sampler.effort().simulations;
        status.rate = rate;
        status.found = found.groups.len() as u32;
        status.different = found.different.len() as u32;
        let tried = sampler.move_counts().into_iter().filter(|(_, count)| count.proposed > 0);
        status.moves = tried.map(|(name, count)| (name, count.acceptance())).collect();
        status.groups.clone_from(&found.groups);
        status.trace.extend(draws.iter().map(point));
        let surplus = status.trace.len().saturating_sub(keep::TRACE);
        status.trace.drain(..surplus);
        keep::write_marks(&self.folder, &status).map_err(|error| Failure::machine(&error))
    }
}

/// Where a chain was. JSON has no infinity: a world that may not be is far down.
pub(super) fn point(draw: &Draw) -> TracePoint {
    TracePoint {
        chain: draw.chain as u32,
        iteration: draw.iteration as f64,
        log_density: draw.log_density.max(-1e9),
        wants_met: draw.quantities.first().map_or(0, |count| *count as u32),
    }
}

fn method(method: RunMethod) -> Method {
    match method {
        RunMethod::Rejection => Method::Rejection,
        RunMethod::Chain => Method::Chain,
        RunMethod::Tempering => Method::Tempering,
        RunMethod::Population => Method::Population,
    }
}
