//! The work of a run: the director, and how far it is.

use std::time::Instant;

use proscenium_direct::{Draw, Method, Parent, SamplerOptions};
use proscenium_director::{Ending, Order, Pick, RunStatus, direct_to_gallery};
use proscenium_scenes::{DirectedScene, Seed};
use proscenium_work::{Completion, Progress, Stopped};

use crate::api::{RunMethod, RunPick, TracePoint};
use crate::failure::Failure;
use crate::jobs::lock;

use super::{Run, keep};

impl Run {
    /// Works until there is enough or someone says stop.
    pub(super) fn work(
        &self,
        directed: &DirectedScene,
        parents: &[Parent],
        progress: &Progress,
    ) -> Result<Completion<()>, Failure> {
        let order = {
            let mut status = lock(&self.status);
            status.is_finished = false;
            let options = SamplerOptions { method: status.order.method.map(method), ..SamplerOptions::default() };
            let pick = status.order.pick.map_or_else(Pick::default, pick);
            let breed = parents.to_vec();
            Order { options, pick, breed, ..Order::new(status.order.samples as usize, Seed(status.order.seed.into())) }
        };
        let (mut began, mut before, mut unkept) = (Instant::now(), None, None);
        let gallery = self.folder.join(keep::GALLERY);
        let report = direct_to_gallery(directed, &gallery, &order, progress, &mut |now| {
            // What was done before this start says nothing about how fast it is.
            let simulations = now.simulations - before.unwrap_or(now.simulations);
            let rate = simulations as f64 / began.elapsed().as_secs_f64().max(1e-9);
            (began, before) = (Instant::now(), Some(now.simulations));
            unkept = self.note(now, rate).err();
            if unkept.is_some() { Err(Stopped) } else { Ok(()) }
        })?;
        if let Some(error) = unkept {
            return Err(Failure::machine(&error));
        }
        let mut status = lock(&self.status);
        status.is_finished = report.ending == Ending::Enough;
        status.picked = report.animations.iter().map(|animation| animation.index as u32).collect();
        keep::write_marks(&self.folder, &status).map_err(|error| Failure::machine(&error))?;
        Ok(if status.is_finished { Completion::Finished(()) } else { Completion::Stopped })
    }

    /// Tells how far the run is.
    fn note(&self, now: &RunStatus<'_>, rate: f64) -> std::io::Result<()> {
        let mut status = lock(&self.status);
        status.method = now.choice.as_ref().map(ToString::to_string);
        status.simulations = now.simulations;
        status.rate = rate;
        status.settling = now.settling.map(ToString::to_string);
        status.done = now.done;
        status.nearest = now.nearest.map(|met| [met as u32, now.wants as u32]);
        status.found = now.kinds.len() as u32;
        status.different = now.different as u32;
        let tried = now.moves.iter().filter(|(_, count)| count.proposed > 0);
        status.moves = tried.map(|(name, count)| (name.clone(), count.acceptance())).collect();
        status.groups = now.kinds.to_vec();
        status.trace.extend(now.draws.iter().map(point));
        let surplus = status.trace.len().saturating_sub(keep::TRACE);
        status.trace.drain(..surplus);
        keep::write_marks(&self.folder, &status)
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

fn pick(pick: RunPick) -> Pick {
    match pick {
        RunPick::Likely => Pick::Likely,
        RunPick::Different => Pick::Different,
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
