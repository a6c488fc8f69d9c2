//! One simulation for the sampler.

use std::sync::OnceLock;

use proscenium_direct::{Abandon, Evaluation, Request};
use proscenium_rigid::{BodyId, Recording, SimulationError, Take, TakeError, World, WorldBuilder};
use proscenium_work::{Completion, Progress, Remedy as _};

use super::given::KeptStretch;
use super::outcome::{History, Outcome, RunRecord};
use super::symmetry::Symmetry;
use crate::drawn::{DrawnScene, PlacedBody};
use crate::error::SceneErrors;
use crate::plan::Plan;
use crate::want::{Account, Bins, Evidence, Finding, Scenery, Verdict, WantPlan, lies, look};

/// Pauses in which is looked whether it is worth going on.
const PAUSES: f64 = 100.0;
/// With fewer bodies that can move, little stays the same when one changes.
pub(super) const ENOUGH_TO_REUSE: usize = 4;
/// A run that can be re-used is kept in blocks of this many seconds.
pub(super) const BLOCK: f64 = 0.1;

/// How a simulation is judged, and what of others it may use.
#[derive(Clone, Copy)]
pub(super) struct How<'a> {
    pub symmetry: &'a Symmetry,
    pub bins: Option<&'a Bins>,
    pub reuse: bool,
    pub kept: Option<&'a KeptStretch>,
}

pub(super) fn simulate(
    drawn: &DrawnScene,
    request: &Request<'_, Outcome>,
    how: &How<'_>,
) -> Result<Evaluation<Outcome>, Abandon> {
    let plan = drawn.plan();
    let How { symmetry, bins, reuse, kept } = *how;
    if let Some(kept) = kept.filter(|kept| !kept.agrees_with(drawn)) {
        return Ok(impossible(plan, &kept.refusal()));
    }
    if let Some(bins) = bins {
        // Nobody scores more than zero, so that this bounds the whole.
        request.check(bins.best(|body| drawn.is_absent(body)))?;
    }
    let (builder, placed) = match drawn.prepared() {
        Ok(prepared) => prepared,
        Err(errors) => return Ok(impossible(plan, &errors.explain())),
    };
    let nothing = Recording::default();
    let shown = Account::Recording(&nothing);
    let now = f64::NEG_INFINITY;
    let seen = Evidence {
        placed: &placed,
        ids: &[],
        shown,
        fallen: &[],
        settled: &[],
        now,
        end: None,
        turns: &[],
        findings: &[],
    };
    request.check(symmetry.judge(plan, &seen).best)?;
    let early = plan.wants.iter().any(WantPlan::is_decided_early);
    let ran = match request.previous.as_ref().filter(|_| reuse && !early && kept.is_none()) {
        Some(previous) => again(builder, placed, plan, previous.outcome.ran(), request.progress),
        None => fresh(drawn, how, builder, placed, request),
    };
    match ran {
        Ok(ran) => Ok(judged(drawn, symmetry, ran)),
        Err(Failure::Abandon(reason)) => Err(reason),
        Err(Failure::Refused(message)) => Ok(impossible(plan, &message)),
    }
}

/// Why a simulation was not made to its end.
pub(super) enum Failure {
    Abandon(Abandon),
    Refused(String),
}

impl From<Abandon> for Failure {
    fn from(reason: Abandon) -> Self {
        Self::Abandon(reason)
    }
}

impl From<SceneErrors> for Failure {
    fn from(errors: SceneErrors) -> Self {
        Self::Refused(errors.explain())
    }
}

impl From<TakeError> for Failure {
    fn from(error: TakeError) -> Self {
        Self::Refused(error.explain())
    }
}

impl From<SimulationError> for Failure {
    fn from(error: SimulationError) -> Self {
        Self::Refused(error.explain())
    }
}

/// Simulates what differs from the animation that this one was changed from.
fn again(
    builder: WorldBuilder,
    placed: Vec<PlacedBody>,
    plan: &Plan,
    previous: &RunRecord,
    progress: &Progress,
) -> Result<RunRecord, Failure> {
    let ids: Vec<BodyId> = builder.body_ids().collect();
    let take = match previous.reusable(plan.duration, BLOCK) {
        Some(before) => before.again_watched(builder, progress),
        None => Take::record_watched(builder, plan.duration, BLOCK, progress),
    };
    let take = take.map_err(|error| Failure::Refused(error.explain()))?.finished().ok_or(Abandon::Stopped)?;
    let resting = ids.iter().zip(&placed).map(|(id, body)| body.def.fixed || take.is_resting(*id)).collect();
    let history = History::Taken { take: Box::new(take), recording: OnceLock::new() };
    Ok(RunRecord { placed, ids, history, resting, ended: plan.duration, ..RunRecord::default() })
}

/// Simulates until everything rests or is decided, or the scene ends.
fn fresh(
    drawn: &DrawnScene,
    how: &How<'_>,
    builder: WorldBuilder,
    placed: Vec<PlacedBody>,
    request: &Request<'_, Outcome>,
) -> Result<RunRecord, Failure> {
    let (plan, symmetry) = (drawn.plan(), how.symmetry);
    let early = plan.wants.iter().any(WantPlan::is_decided_early);
    let described = (how.reuse && !early && how.kept.is_none()).then(|| builder.clone());
    let begun = how.kept.map(|kept| kept.begun(drawn, builder.clone(), request.progress));
    let mut world = match begun.transpose()?.flatten() {
        Some(begun) => begun,
        None => drawn.built(builder.recording())?,
    };
    let ids: Vec<BodyId> = world.bodies().collect();
    let mut pause = 0.0;
    let mut fallen = if early { vec![false; ids.len()] } else { Vec::new() };
    let asked = |index: usize| early && plan.wants.iter().any(|want| want.asks_whether_it_stands(index));
    let mut findings = vec![Finding::default(); plan.watches.len()];
    let may_fall: Vec<bool> =
        placed.iter().enumerate().map(|(k, body)| !body.def.fixed && !body.absent && asked(k)).collect();
    let last_push = drawn.last_push();
    let is_settled = |world: &World| world.now() >= last_push && is_settled(world, &placed, &ids, plan.duration);
    while plan.duration * (pause + 1.0) / PAUSES < world.now() {
        // Of a stretch that was kept, as it was then.
        pause += 1.0;
        note_fallen(&world, plan.duration * pause / PAUSES, &placed, &may_fall, &mut fallen);
    }
    while world.now() < plan.duration && !is_settled(&world) {
        pause += 1.0;
        let until = (plan.duration * pause / PAUSES).min(plan.duration);
        if world.advance_watched(until, request.progress)? == Completion::Stopped {
            return Err(Abandon::Stopped.into());
        }
        note_fallen(&world, until, &placed, &may_fall, &mut fallen);
        if let Some(recording) = world.recording().filter(|_| early) {
            let shown = Account::Recording(recording);
            look(&plan.watches, Scenery { placed: &placed, ids: &ids, recording }, world.now(), false, &mut findings);
            let (settled, now) = (&world.settled(plan.duration), world.now());
            let (placed, ids, fallen, end, turns) = (&placed[..], &ids[..], &fallen[..], None, &[][..]);
            let seen = Evidence { placed, ids, shown, fallen, settled, now, end, turns, findings: &findings };
            let judgement = symmetry.judge(plan, &seen);
            request.check(judgement.best)?;
            if judgement.is_final {
                break;
            }
        }
    }
    let ended = if is_settled(&world) { plan.duration } else { world.now() };
    let resting = ids.iter().zip(&placed).map(|(id, body)| body.def.fixed || world.is_resting(*id)).collect();
    let recording = world.into_recording().unwrap_or_default();
    look(&plan.watches, Scenery { placed: &placed, ids: &ids, recording: &recording }, ended, true, &mut findings);
    let history = History::Recorded(recording);
    let builder = described;
    Ok(RunRecord { placed, ids, history, resting, fallen, findings, ended, builder, ..RunRecord::default() })
}

/// Notes which bodies lie at a time that may have passed.
fn note_fallen(world: &World, time: f64, placed: &[PlacedBody], may_fall: &[bool], fallen: &mut [bool]) {
    let all = fallen.iter_mut().zip(placed).zip(world.bodies());
    for (((fallen, body), id), _) in all.zip(may_fall).filter(|(_, may_fall)| **may_fall) {
        let past = || world.recording().and_then(|recording| recording.pose(id, time));
        let pose = if time < world.now() { past() } else { world.pose(id) };
        *fallen |= pose.is_some_and(|pose| lies(&body.def.pose, &pose));
    }
}

/// Whether nothing will move any more.
fn is_settled(world: &World, placed: &[PlacedBody], ids: &[BodyId], duration: f64) -> bool {
    ids.iter().zip(placed).all(|(id, body)| body.def.fixed || body.def.start > duration || world.is_resting(*id))
}

/// The score of a simulation that was made to its end, and the turns in which it is shown.
fn judged(drawn: &DrawnScene, symmetry: &Symmetry, mut ran: RunRecord) -> Evaluation<Outcome> {
    let plan = drawn.plan();
    let seen = Evidence {
        placed: &ran.placed,
        ids: &ran.ids,
        shown: ran.take().map_or_else(|| Account::Recording(ran.recording()), Account::End),
        fallen: &ran.fallen,
        settled: &[],
        now: plan.duration,
        end: Some((plan.duration, &ran.resting)),
        turns: &[],
        findings: &ran.findings,
    };
    let log_score = symmetry.judge(plan, &seen).best;
    let turns = symmetry.draw(plan, &seen, drawn.bits());
    let seen = Evidence { turns: &turns, ..seen };
    let verdicts: Vec<Verdict> = plan.wants.iter().map(|want| want.judge(&seen)).collect();
    ran.scores = verdicts.iter().map(|verdict| verdict.best).collect();
    ran.met = verdicts.iter().map(|verdict| verdict.may_hold).collect();
    let expected = |place: usize| plan.wants.iter().any(|want| want.asks_for_rest(place));
    let restless = (0..ran.placed.len()).filter(|place| !ran.resting[*place] && !ran.placed[*place].absent);
    ran.unrest = restless.filter(|place| expected(*place)).map(|place| (place, ran.unrest(place))).collect();
    ran.turns = turns;
    let satisfied = ran.met.iter().all(|met| *met);
    Evaluation { log_score, satisfied, outcome: Outcome::new(ran) }
}

/// A world that may not be.
fn impossible(plan: &Plan, message: &str) -> Evaluation<Outcome> {
    let wants = plan.wants.len();
    let outcome = Outcome::new(RunRecord {
        scores: vec![f64::NEG_INFINITY; wants],
        met: vec![false; wants],
        refusal: Some(message.to_owned()),
        ..RunRecord::default()
    });
    Evaluation { log_score: f64::NEG_INFINITY, satisfied: false, outcome }
}
