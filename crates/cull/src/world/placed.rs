//! One system of a world.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use proscenium_chance::Seed;
use proscenium_view::Frustum;

use crate::compiled::CompiledModel;
use crate::driven::DrivenModel;
use crate::error::CullError;
use crate::geometry::Bounds;
use crate::learned::{LearnedBehaviour, Regime};
use crate::player::{Counters, Player};
use crate::system::State;

use super::VisibleSystem;

#[derive(Clone, Debug)]
pub(super) struct PlacedSystem {
    pub culled: Arc<CompiledModel>,
    pub position: DVec3,
    pub orientation: DQuat,
    /// When it was added, seconds: then it starts.
    pub since: f64,
    /// How often it began anew.
    pub restarts: u64,
    /// One per copy, made when the system is first seen.
    pub players: Vec<Player>,
    /// Signals that came while nobody looked.
    pub signals: Vec<(f64, String)>,
    /// Whether others read from it or it reads from others.
    pub linked: bool,
    /// The copies that are not in view.
    hidden: Vec<bool>,
}

/// What a frame may do for one system.
#[derive(Clone, Copy, Debug)]
pub(super) struct Present<'a> {
    pub now: f64,
    /// What the system is told by others.
    pub outside: &'a [f64],
}

impl PlacedSystem {
    pub(super) fn new(culled: &Arc<CompiledModel>, position: DVec3, since: f64) -> Self {
        Self {
            culled: Arc::clone(culled),
            position,
            orientation: DQuat::IDENTITY,
            since,
            restarts: 0,
            players: Vec::new(),
            signals: Vec::new(),
            linked: false,
            hidden: Vec::new(),
        }
    }

    /// The box around everything that is seen of it where it stands.
    pub(super) fn bounds(&self) -> Bounds {
        self.culled.bounds.turned(self.orientation).moved(self.position)
    }

    /// Finds out which copies are in view: those whose own box a view may see. Who reads from
    /// others, or is read from, is seen as a whole.
    pub(super) fn look(&mut self, views: &[Frustum]) {
        self.hidden.clear();
        if self.linked || self.culled.copies.len() < 2 {
            return;
        }
        for copy in &self.culled.copies {
            let Bounds { min, max } = copy.turned(self.orientation).moved(self.position);
            self.hidden.push(!views.iter().any(|view| view.intersects_aabb(min, max)));
        }
    }

    /// Shows all copies.
    pub(super) fn look_at_all(&mut self) {
        self.hidden.clear();
    }

    fn is_hidden(&self, copy: usize) -> bool {
        self.hidden.get(copy).copied().unwrap_or(false)
    }

    /// The seed of a copy.
    pub(super) fn seed(&self, world: Seed, index: usize, copy: usize) -> Seed {
        let own = world.child("system", index as u64);
        let own = if self.restarts == 0 { own } else { own.child("restart", self.restarts) };
        own.child("copy", copy as u64)
    }

    /// Makes the players when they are first needed.
    pub(super) fn prepare(&mut self, seed: Seed, index: usize) {
        if self.players.is_empty() {
            self.players = self.fresh(seed, index, self.since);
        }
    }

    fn fresh(&self, seed: Seed, index: usize, time: f64) -> Vec<Player> {
        let model = &self.culled.model;
        let copies = model.copies.iter().enumerate();
        copies.map(|(copy, ahead)| Player::new(model, self.seed(seed, index, copy), time + ahead)).collect()
    }

    /// Begins anew at a time.
    pub(super) fn restart(&mut self, seed: Seed, index: usize, now: f64) {
        self.restarts += 1;
        self.signals.clear();
        self.players = self.fresh(seed, index, now);
    }

    /// Up to when it is known what it was told, seconds.
    pub(super) fn known_since(&self) -> f64 {
        let seen = self.players.iter().zip(&self.culled.model.copies).map(|(player, ahead)| player.last_seen() - ahead);
        let told = self.signals.last().map_or(f64::NEG_INFINITY, |(time, _)| *time);
        seen.fold(told, f64::max)
    }

    /// For how long it may remember what it was told, seconds.
    pub(super) fn memory(&self) -> f64 {
        self.culled.learned.memory()
    }

    /// Lets the signals of the past have their effect.
    pub(super) fn obey(&mut self, told: &DrivenModel<'_>, learned: &LearnedBehaviour) -> Result<(), CullError> {
        for (time, signal) in std::mem::take(&mut self.signals) {
            for (player, ahead) in self.players.iter_mut().zip(&told.model().copies) {
                let at = time + ahead;
                player.interact(told, learned, at, |state, stream| {
                    told.model().signal(state, at, &signal, told.inputs(), stream);
                })?;
            }
        }
        Ok(())
    }

    /// Computes it at the present time; returns what that took.
    pub(super) fn see(&mut self, present: Present<'_>, seen: &mut VisibleSystem) -> Result<Counters, CullError> {
        let Present { now, outside } = present;
        let culled = Arc::clone(&self.culled);
        let told = culled.model.driven_by(outside);
        self.obey(&told, &culled.learned)?;
        seen.position = self.position;
        seen.orientation = self.orientation;
        seen.regime = Regime::Complete;
        seen.copies.resize_with(self.players.len(), Default::default);
        let mut work = Counters::default();
        let copies = self.players.iter_mut().zip(&culled.model.copies).zip(&mut seen.copies);
        for (copy, ((player, ahead), (state, shown))) in copies.enumerate() {
            if self.hidden.get(copy) == Some(&true) {
                *state = State::default();
                shown.clear();
                continue;
            }
            let before = player.counters();
            let (new, regime) = player.see(&told, &culled.learned, now + ahead)?;
            *state = new;
            seen.regime = seen.regime.max(regime);
            culled.model.show(&new, now + ahead, outside, shown);
            work.add(&player.counters().since(&before));
        }
        Ok(work)
    }

    /// Seconds of the complete model that its return takes, about.
    pub(super) fn return_seconds(&self, now: f64) -> f64 {
        let copies = self.players.iter().zip(&self.culled.model.copies).enumerate();
        let in_view = copies.filter(|(copy, _)| !self.is_hidden(*copy));
        in_view.map(|(_, (player, ahead))| player.return_seconds(&self.culled.learned, now + ahead)).sum()
    }

    /// Does a part of its return, of about so many seconds of the complete model; returns
    /// how many it took. At least one copy comes back if it is by jumps or a sample.
    pub(super) fn approach(&mut self, now: f64, most: f64) -> Result<f64, CullError> {
        let culled = Arc::clone(&self.culled);
        let told = culled.model.driven_by(&[]);
        self.obey(&told, &culled.learned)?;
        let mut taken = 0.0;
        for (copy, (player, ahead)) in self.players.iter_mut().zip(&culled.model.copies).enumerate() {
            if taken >= most {
                break;
            }
            if self.hidden.get(copy) == Some(&true) {
                continue;
            }
            taken += player.approach(&told, &culled.learned, now + ahead, most - taken)?;
        }
        Ok(taken)
    }

    /// Computes a state ahead of each of so many copies; returns how many it computed.
    pub(super) fn look_ahead(&mut self, most: usize) -> Result<usize, CullError> {
        // What a system is told next is not known yet.
        if self.linked {
            return Ok(0);
        }
        let culled = Arc::clone(&self.culled);
        let mut done = 0;
        for (copy, player) in self.players.iter_mut().enumerate() {
            if done < most && self.hidden.get(copy) != Some(&true) {
                done += player.look_ahead(&culled.model, &culled.learned, 1)?;
            }
        }
        Ok(done)
    }

    /// How many copies would have a state computed ahead.
    pub(super) fn short_of_states(&self) -> usize {
        let is_short = |(copy, player): &(usize, &Player)| player.is_short() && !self.is_hidden(*copy);
        if self.linked { 0 } else { self.players.iter().enumerate().filter(is_short).count() }
    }
}
