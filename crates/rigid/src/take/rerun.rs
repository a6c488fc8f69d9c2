//! Repeating a run with something changed.

use std::collections::BTreeSet;
use std::sync::Arc;

use proscenium_geometry::Bounds;
use proscenium_work::{Halt, Progress};

use super::block::Block;
use super::{Reuse, movable};
use crate::control::Control;
use crate::error::SimulationError;
use crate::world::World;
use crate::world::mark::{BodyState, Mark};

/// A body that is not as it was from a time on.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub body: u32,
    pub time: f64,
    /// How it begins, if it begins in another way.
    pub state: Option<BodyState>,
}

/// A run that was repeated.
pub(crate) struct RerunOutcome {
    pub blocks: Vec<Arc<Block>>,
    pub end: Mark,
    pub reuse: Reuse,
}

/// Repeats a run. The world serves as a stage for the parts that have to be
/// simulated; its bodies are those of the new run. Scenery differs in some
/// places: whoever was there while it moved is simulated too.
pub(crate) fn rerun(
    stage: &mut World,
    blocks: &[Arc<Block>],
    end: &Mark,
    changes: &[Change],
    places: &[Bounds],
    controls: &[(f64, Control)],
    progress: &Progress,
) -> Result<RerunOutcome, Halt<SimulationError>> {
    let bodies = movable(stage).len() as u64;
    let mut reuse = Reuse { body_blocks: bodies * blocks.len() as u64, ..Reuse::default() };
    let mut renewed = Vec::with_capacity(blocks.len());
    let mut live: BTreeSet<u32> = BTreeSet::new();
    // The state of the live ones; what it says about others is not read.
    let mut state: Option<Mark> = None;
    // Who is on the stage, if it stands where the next block begins.
    let mut on_stage: Option<BTreeSet<u32>> = None;
    for (index, block) in blocks.iter().enumerate() {
        progress.tell("repeating the run", index as f64 / blocks.len() as f64)?;
        // What happens when a block ends belongs to it.
        let begins_here = |change: &&Change| change.time <= block.end && (index == 0 || change.time > block.start.time);
        let beginning: Vec<&Change> = changes.iter().filter(begins_here).collect();
        let near = block.near(places);
        if live.is_empty() && beginning.is_empty() && near.is_empty() {
            reuse.replayed += bodies;
            renewed.push(block.clone());
            (state, on_stage) = (None, None);
            continue;
        }
        let mut start = merge(&block.start, state.as_ref(), &live);
        if !near.is_subset(&live) {
            live.extend(near);
            on_stage = None;
        }
        for change in beginning {
            if let Some(state) = &change.state {
                start.bodies[change.body as usize] = state.clone();
            }
            live.insert(change.body);
            on_stage = None;
        }
        let (part, mark, rounds) = run_block(stage, block, start, &mut live, on_stage.take(), controls, progress)?;
        reuse.blocks_simulated += rounds;
        reuse.replayed += bodies - live.len() as u64;
        renewed.push(Arc::new(block.with(part, &live)));
        on_stage = Some(live.clone());
        let old_end = blocks.get(index + 1).map_or(end, |next| &next.start);
        // Whoever ends as before is as before from now on, unless a change of
        // its own is still to come.
        let pending = |k: &u32| changes.iter().any(|c| c.body == *k && c.state.is_some() && stage_waits(&mark, *k));
        live.retain(|k| pending(k) || !mark.agrees_about(old_end, *k));
        state = Some(mark);
    }
    let end = merge(end, state.as_ref(), &live);
    Ok(RerunOutcome { blocks: renewed, end, reuse })
}

/// Whether a body has yet to enter.
fn stage_waits(mark: &Mark, body: u32) -> bool {
    mark.bodies[body as usize].presence == crate::body::Presence::Waiting
}

/// Simulates a block for the bodies that are live, and for whomever they
/// reach: each round finds more of them or is the last. A stage that already
/// stands there with the same bodies goes on as it is. Also returns the rounds.
fn run_block(
    stage: &mut World,
    block: &Block,
    mut start: Mark,
    live: &mut BTreeSet<u32>,
    mut on_stage: Option<BTreeSet<u32>>,
    controls: &[(f64, Control)],
    progress: &Progress,
) -> Result<(Block, Mark, u64), Halt<SimulationError>> {
    let everyone = movable(stage);
    let mut rounds = 0;
    loop {
        spread(live, &everyone, |k| start.joined(k));
        // Whoever met one of them before may not meet them now.
        spread(live, &everyone, |k| {
            block.met.iter().filter(|(a, b)| *a == k || *b == k).flat_map(|(a, b)| [*a, *b]).collect()
        });
        rounds += 1;
        stage.note_meetings();
        if on_stage.take().as_ref() != Some(live) {
            stage.load(&start, |k| live.contains(&k));
        }
        let run = stage.run_part(start.time, block.end, live, controls, progress);
        if run == Err(Halt::Stopped) {
            return Err(Halt::Stopped);
        }
        let mark = stage.mark();
        let part = Block::take(stage, start, |k| live.contains(&k));
        let reached: Vec<u32> = everyone
            .iter()
            .copied()
            .filter(|k| !live.contains(k))
            .filter(|k| live.iter().any(|by| part.extents[*by as usize].intersects(&block.extents[*k as usize])))
            .collect();
        if reached.is_empty() {
            return run.map(|()| (part, mark, rounds));
        }
        // With someone missing, whatever went wrong may not have happened.
        live.extend(reached);
        start = part.start;
    }
}

/// Adds to a set all who are joined to someone in it.
fn spread(set: &mut BTreeSet<u32>, among: &BTreeSet<u32>, joined: impl Fn(u32) -> BTreeSet<u32>) {
    let mut next: Vec<u32> = set.iter().copied().collect();
    while let Some(k) = next.pop() {
        for other in joined(k) {
            if among.contains(&other) && set.insert(other) {
                next.push(other);
            }
        }
    }
}

/// A mark in which some bodies are as another says.
fn merge(old: &Mark, new: Option<&Mark>, live: &BTreeSet<u32>) -> Mark {
    let mut merged = old.clone();
    let Some(new) = new else {
        return merged;
    };
    for k in live {
        merged.bodies[*k as usize] = new.bodies[*k as usize].clone();
    }
    let concerns = |members: &[u32]| members.iter().any(|k| live.contains(k));
    merged.islands.retain(|(members, _)| !concerns(members));
    merged.islands.extend(new.islands.iter().filter(|(members, _)| concerns(members)).cloned());
    merged.islands.sort_by(|p, q| p.0.cmp(&q.0));
    merged.contacts.retain(|((a, b), _)| !concerns(&[*a, *b]));
    merged.contacts.extend(new.contacts.iter().filter(|((a, b), _)| concerns(&[*a, *b])).cloned());
    merged.contacts.sort_by_key(|(bodies, _)| *bodies);
    merged.collisions.retain(|(a, b), _| !concerns(&[*a, *b]));
    merged.collisions.extend(new.collisions.iter().filter(|((a, b), _)| concerns(&[*a, *b])));
    merged
}
