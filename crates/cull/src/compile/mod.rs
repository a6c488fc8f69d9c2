//! The compiler: six steps from a complete model to one that can be culled
//! (Chenney 2000, 5.2).

mod buffer;
pub(crate) mod cells;
mod choose;
mod forget;
pub(crate) mod invariants;
mod kept;
pub(crate) mod maps;
pub(crate) mod network;
mod paths;
pub(crate) mod periodic;
pub(crate) mod phases;
pub(crate) mod stationary;
mod verify;

use proscenium_chance::Seed;
use proscenium_work::{Completion, Finish as _, Halt, Progress, Stopped, parallel};

use crate::error::CullError;
use crate::learned::{Behaviour, Findings, Forgetful, LearnedBehaviour};
use crate::system::{MOST_VARIABLES, State, System, wrap};

use buffer::buffer_step;
use cells::Grid;
use forget::Forgetting;
use paths::Paths;
use periodic::Periodic;
use stationary::Distribution;

/// States of either side when what the author cares about is compared: their
/// distribution functions are then known to within 0.02 (Dvoretzky, Kiefer and
/// Wolfowitz, at 95 %), below any tolerance that makes sense.
const COMPARED_STATES: usize = 4000;

/// On how many paths those of the complete model lie. Chosen.
const INDEPENDENT_PATHS: usize = 80;

/// The numbers of one state that an author cares about.
type Row = Vec<(String, f64, f64)>;

/// Starts whose energies are compared, and by how much they may differ, of their size.
/// Chosen: a hundredth of what a return may be off by.
const LEVELS: u64 = 16;
const SAME_LEVEL: f64 = 1e-4;

/// So many starts are tried out, for so long, seconds. Chosen: what sticks has stuck by then.
const TRIED: u64 = 6;
const TRIED_SECONDS: f64 = 60.0;

/// Finding the range takes about so many jumps of each path, and forgetting so many of whatever
/// begins in a cell. All of them may take so many additions, a minute or so: what is driven once
/// a day is run by the complete model.
const LEARNT_JUMPS: f64 = 150.0;
const FORGOTTEN_JUMPS: f64 = 8.0;
const MOST_LEARNING: f64 = 6e10;

/// What comes around less often than once in so many seconds does so seldom. Of what cannot be
/// learned at least the range is looked for, at a tenth of that cost, for some minutes.
const SELDOM: f64 = 60.0;
const LEAST_SHARE: f64 = 10.0;
const LEARNT_SECONDS: f64 = 900.0;

/// At so many states it is asked whether volumes of state space shrink, and by how much
/// they must, per second. Chosen: what loses less is run by the complete model, which is
/// right in any case.
const DIVERGENCES: usize = 2000;
const LEAST_SHRINKING: f64 = 0.02;

/// How a system is compiled.
#[derive(Clone, Debug, PartialEq)]
pub struct CompileSettings {
    /// The shortest jump of a system that is not forced, seconds.
    pub step: Option<f64>,
    /// Between states that are computed ahead of the viewer, seconds: at most, where
    /// something is too fast to be shown so.
    pub buffer_step: f64,
    /// Cells that together carry this share of the time are examined.
    pub important: f64,
    /// Of those, at most so many.
    pub most_cells: usize,
    /// How many paths start from each.
    pub paths_per_cell: usize,
    /// Into how many cells each variable is cut, if its uncertainty is not given.
    pub cells_per_variable: Option<usize>,
    /// A system has forgotten when its clouds differ from the stationary
    /// distribution by no more than this (L1, above what chance makes).
    pub difference: f64,
    /// It never forgets if it has not by then, seconds.
    pub longest: Option<f64>,
    /// Returns into view may differ from the complete model by this (the largest
    /// difference of distribution functions, above what chance makes); what differs by
    /// more is not used.
    pub unseen: f64,
    /// Paths that the range and the stationary distribution are found with.
    pub paths: usize,
    /// Trajectories at most, whose intervals approximations learn from.
    pub examples: usize,
    /// Rounds of training at each size of a network.
    pub training_rounds: usize,
    /// States of the stationary distribution that are kept.
    pub kept_states: usize,
}

impl Default for CompileSettings {
    fn default() -> Self {
        Self {
            step: None,
            buffer_step: 0.1,
            important: 0.8,
            most_cells: 24,
            paths_per_cell: 5000,
            cells_per_variable: None,
            difference: 0.1,
            longest: None,
            unseen: 0.06,
            paths: 256,
            examples: 30_000,
            training_rounds: 60,
            kept_states: 4096,
        }
    }
}

impl CompileSettings {
    /// Fewer paths and less training, for tests and first looks.
    pub fn quick() -> Self {
        Self {
            most_cells: 8,
            paths_per_cell: 1000,
            paths: 64,
            examples: 6_000,
            training_rounds: 10,
            kept_states: 2048,
            ..Self::default()
        }
    }

    /// The same author's wishes with so little effort that any of the
    /// [models that come with the engine](crate::builtin) takes a few seconds.
    #[must_use]
    pub fn hurried(&self) -> Self {
        let effort = Self {
            most_cells: 4,
            paths_per_cell: 400,
            paths: 24,
            examples: 6000,
            training_rounds: 1,
            kept_states: 1024,
            ..Self::default()
        };
        let longest = self.longest.unwrap_or(120.0).min(120.0);
        Self { longest: Some(longest), ..self.with_effort_of(&effort) }
    }

    /// The same author's wishes with the effort of `effort`.
    #[must_use]
    pub fn with_effort_of(&self, effort: &Self) -> Self {
        Self {
            step: self.step,
            buffer_step: self.buffer_step,
            important: self.important,
            cells_per_variable: self.cells_per_variable,
            difference: self.difference,
            longest: self.longest,
            unseen: self.unseen,
            ..effort.clone()
        }
    }
}

/// Learns how a system behaves. The same system, settings and seed give the same
/// result for any number of threads.
///
/// # Errors
/// When the system explodes or has too many variables.
pub fn compile(
    system: &dyn System,
    settings: &CompileSettings,
    seed: Seed,
    progress: &Progress,
) -> Result<Completion<LearnedBehaviour>, CullError> {
    check_positive("the buffer step", settings.buffer_step)?;
    if let Some(learned) = system.learn(settings, seed, progress) {
        return learned;
    }
    let count = system.variables().len();
    if count > MOST_VARIABLES {
        return Err(CullError::TooManyVariables { system: system.name().to_owned(), count, most: MOST_VARIABLES });
    }
    let buffer_step = settings.buffer_step;
    let mut compiler = Compiler { system, settings, seed, progress, simulated: 0.0, buffer_step };
    compiler.compile().finish()
}

fn check_positive(what: &'static str, value: f64) -> Result<(), CullError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(CullError::Number { what, value, remedy: "give seconds above zero" })
}

/// What is asked of paths of the complete model.
pub(crate) struct Question<'a> {
    pub system: &'a dyn System,
    pub settings: &'a CompileSettings,
    pub seed: Seed,
    /// The shortest jump, seconds.
    pub step: f64,
    /// It never forgets if it has not by then, seconds.
    pub longest: f64,
}

struct Compiler<'a> {
    system: &'a dyn System,
    settings: &'a CompileSettings,
    seed: Seed,
    progress: &'a Progress,
    simulated: f64,
    /// Between states that are computed ahead, seconds.
    buffer_step: f64,
}

impl<'a> Compiler<'a> {
    /// The six steps of 5.2.2, or the four of 5.2.1.
    fn compile(&mut self) -> Result<LearnedBehaviour, Halt<CullError>> {
        if self.system.variables().is_empty() {
            return Ok(self.closed_form());
        }
        self.try_out()?;
        kept::check(self.system, self.seed, self.progress)?;
        let step = self.system.forcing_period().or(self.settings.step).unwrap_or(1.0);
        check_positive("the shortest jump", step)?;
        if self.system.is_endless() {
            return self.endless(self.settings, "its equations depend on time and never come around");
        }
        let longest = self.settings.longest.unwrap_or_else(|| (40.0 * step).max(60.0));
        if let Some(reason) = self.takes_too_long(step, longest) {
            let paths = MOST_LEARNING / (LEAST_SHARE * LEARNT_SECONDS * self.system.work_per_second());
            let few =
                CompileSettings { paths: (paths as usize).clamp(4, self.settings.paths), ..self.settings.clone() };
            return self.endless(&few, reason);
        }

        self.progress.tell("finding the range", 0.0)?;
        let question = self.question(step, longest);
        let paths = Paths::run(&question, &self.progress.part(0.0, 0.05))?;
        let mut cells = self.settings.cells_per_variable;
        let grid = self.grid(&paths, cells);
        self.buffer_step = buffer_step(&question, &grid, &paths.some(), self.progress)?;
        self.simulated += paths.simulated;

        self.progress.tell("looking for a period", 0.05)?;
        if let Some(periodic) = Periodic::find(self.system, &grid, self.seed, longest, self.progress)? {
            return Ok(self.learned(grid, Behaviour::Periodic(periodic), paths.findings(self.system)));
        }
        let energy = match self.level() {
            Ok(energy) => energy,
            Err(reason) => return Ok(self.run_completely(&paths, grid, step, reason)),
        };
        if energy.is_none() && self.keeps_something(&paths, &grid) {
            let reason = "it loses hardly anything, and what it keeps is neither given as [energy] nor in the library";
            return Ok(self.run_completely(&paths, grid, step, reason));
        }
        if energy.is_some() && self.system.kept() > 1 {
            let reason = "it keeps several quantities, so that its starts share no law";
            return Ok(self.run_completely(&paths, grid, step, reason));
        }
        // Where the author's statistics do not match, cells are made finer.
        let mut learned = self.forgetful(&paths, grid, energy, step, longest)?;
        for _ in 0..2 {
            let matches = learned.findings.statistics.iter().all(|(_, found, allowed)| found <= allowed);
            if matches {
                break;
            }
            cells = Some(2 * cells.unwrap_or_else(|| usize::from(learned.grid.axes[0].cells)));
            let finer = self.grid(&paths, cells);
            if finer == learned.grid {
                break;
            }
            learned = self.forgetful(&paths, finer, energy, step, longest)?;
        }
        Ok(learned)
    }

    /// What comes to rest does so in the middle of a cell, and not where two meet.
    fn grid(&self, paths: &Paths, cells: Option<usize>) -> Grid {
        let grid = Grid::new(self.system, &paths.lived_ranges, cells);
        if paths.rest(self.system) { grid.odd() } else { grid }
    }

    /// Runs some starts for a minute in one go: what explodes, or can only be computed in
    /// steps that nobody could wait for, is told at once.
    fn try_out(&self) -> Result<(), Halt<CullError>> {
        for start in 0..TRIED {
            let mut stream = self.seed.stream("tried out").at(start);
            let mut state = self.system.initial(&mut stream);
            let tried = self.system.advance_far(&mut state, 0.0, TRIED_SECONDS, &mut stream, self.progress)?;
            tried.finished().ok_or(Stopped)?;
        }
        Ok(())
    }

    /// Why it cannot be learned in minutes, if it cannot.
    fn takes_too_long(&self, step: f64, longest: f64) -> Option<&'static str> {
        let CompileSettings { paths, most_cells, paths_per_cell, .. } = self.settings;
        // All that begins in a cell runs until it has forgotten. Where jumps are short that is soon.
        let clouds = if step > SELDOM { (most_cells * paths_per_cell) as f64 * FORGOTTEN_JUMPS * step } else { 0.0 };
        let seconds = *paths as f64 * (LEARNT_JUMPS * step).max(longest) + clouds;
        if seconds * self.system.work_per_second() <= MOST_LEARNING {
            return None;
        }
        Some(match step > SELDOM {
            true => "its forcing comes around too seldom to be learned in minutes",
            false => "it is too stiff to be learned in minutes",
        })
    }

    fn question(&self, step: f64, longest: f64) -> Question<'a> {
        Question { system: self.system, settings: self.settings, seed: self.seed, step, longest }
    }

    fn forgetful(
        &mut self,
        paths: &Paths,
        grid: Grid,
        energy: Option<f64>,
        step: f64,
        longest: f64,
    ) -> Result<LearnedBehaviour, Halt<CullError>> {
        self.progress.tell("finding the stationary distribution", 0.1)?;
        let shares = grid.shares(paths.settled.iter());
        let distribution =
            Distribution::build(&grid, &shares, &paths.settled, self.settings.kept_states, self.progress)?;
        let seen = paths.seen_shares(&grid, &shares);

        let forgetting = self.forgetting((&grid, &shares, &paths.variances(&grid), energy), &seen, step, longest)?;
        self.simulated += forgetting.simulated;
        let question = self.question(step, longest);
        // Where starts stay apart clouds from the cells of the most of them forget, and not the rest.
        let stays_apart = paths.stay_apart(self.system);
        let mut long = forgetting.long(self.settings.difference).filter(|_| !stays_apart);
        let still_changes = long.is_some() && paths.still_change(&question, self.progress)?;
        if still_changes {
            long = None;
        }
        // On the way to rest what a jump is off by is seen for longer than what is saved.
        let rests = paths.rest(self.system);
        let chosen = match rests && long.is_some() {
            true => choose::Choice::default(),
            false => self.approximations(paths, (&grid, energy), step, long.unwrap_or(16.0 * step))?,
        };
        self.simulated += chosen.simulated;
        let phases = self.phases(paths, (&grid, energy), step, &distribution)?;

        // Jumps are worth it once they are cheaper than the complete model.
        let complete = self.system.cost_per_second();
        let jumps = chosen.jumps.iter().zip(&chosen.costs).rev();
        let affordable = jumps
            .into_iter()
            .find(|(jump, cost)| **cost < complete * f64::from(jump.steps) * step)
            .map(|(jump, _)| jump);
        let medium = affordable.map_or(f64::INFINITY, |jump| f64::from(jump.steps) * step);
        let medium = long.map_or(medium, |long| medium.min(long));
        let mut findings = paths.findings(self.system);
        findings.important = self.settings.important;
        findings.important_cells = forget::important(&shares, self.settings.important).len();
        findings.paper_long = forgetting.paper_long();
        findings.convergence = forgetting.curve();
        findings.stays_apart = stays_apart;
        findings.spreading = forgetting.spreading.clone();
        findings.candidates = chosen.candidates;
        findings.errors = chosen.errors;
        findings.statistics = self.statistics(&grid, &distribution, step, longest)?;
        let is_forced = self.system.forcing_period().is_some();
        let forgetful = Forgetful { step, is_forced, medium, long, jumps: chosen.jumps, distribution, phases, energy };
        let learned = self.learned(grid, Behaviour::Forgetful(forgetful), findings);
        let mut verified = verify::verify(&question, learned, rests, &self.progress.part(0.85, 1.0))?;
        if verified.is_complete() {
            verified.behaviour = Behaviour::Forgetful(Forgetful::complete(step));
            let reason = match (long, verified.findings.stays_apart) {
                _ if still_changes => "what is usual is another an hour later, and no jump is good enough",
                (_, true) => "what it comes to depends on where it starts, and no jump is good enough",
                (Some(_), false) => "returns by anything that was learned can be told from the truth",
                (None, false) => "it never forgets, and no jump is good enough",
            };
            verified.findings.complete_because = Some(reason.to_owned());
        }
        self.progress.tell("done", 1.0)?;
        Ok(verified)
    }

    /// A system whose equations never come around, or too seldom: only its range is of use.
    fn endless(&mut self, settings: &CompileSettings, reason: &str) -> Result<LearnedBehaviour, Halt<CullError>> {
        let step = settings.step.unwrap_or(1.0);
        let longest = settings.longest.unwrap_or_else(|| (40.0 * step).max(60.0));
        let question = Question { settings, ..self.question(step, longest) };
        let paths = Paths::run(&question, &self.progress.part(0.0, 1.0))?;
        let grid = Grid::new(self.system, &paths.whole_ranges, self.settings.cells_per_variable);
        self.buffer_step = buffer_step(&question, &grid, &paths.some(), self.progress)?;
        self.simulated += paths.simulated;
        Ok(self.run_completely(&paths, grid, step, reason))
    }

    fn run_completely(&self, paths: &Paths, grid: Grid, step: f64, reason: &str) -> LearnedBehaviour {
        let findings = Findings { complete_because: Some(reason.to_owned()), ..paths.findings(self.system) };
        self.learned(grid, Behaviour::Forgetful(Forgetful::complete(step)), findings)
    }

    /// Whether volumes of state space do not shrink on the average, as they do in all that
    /// loses energy (the mean of the divergence, by differences of the rates).
    fn keeps_something(&self, paths: &Paths, grid: &Grid) -> bool {
        if !self.system.is_smooth() || self.system.is_random() {
            return false;
        }
        let states = paths.settled.iter().step_by((paths.settled.len() / DIVERGENCES).max(1));
        let (mut sum, mut count) = (0.0, 0.0_f64);
        for state in states {
            for (variable, axis) in grid.axes.iter().enumerate() {
                let aside = 1e-5 * (axis.high - axis.low);
                let rate = |sign: f64| {
                    let mut moved = *state;
                    moved.values[variable] += sign * aside;
                    self.system.rates(&moved, 0.0)[variable]
                };
                sum += (rate(1.0) - rate(-1.0)) / (2.0 * aside);
            }
            count += 1.0;
        }
        sum / count.max(1.0) > -LEAST_SHRINKING
    }

    /// The energy that all starts have, if the system keeps one. What is usual depends on
    /// it, so that starts of several energies have no law in common.
    fn level(&self) -> Result<Option<f64>, &'static str> {
        let mut level: Option<f64> = None;
        for index in 0..LEVELS {
            let mut stream = self.seed.stream("levels").at(index);
            let mut state = self.system.initial(&mut stream);
            if index % 2 == 1 {
                self.system.disturb(&mut state, &mut stream);
            }
            let Some(energy) = self.system.energy(&state, 0.0) else {
                return Ok(None);
            };
            let first = *level.get_or_insert(energy);
            if (energy - first).abs() > SAME_LEVEL * first.abs().max(1.0) {
                return Err("it keeps its energy, and starts with several");
            }
        }
        Ok(level)
    }

    fn forgetting(
        &mut self,
        (grid, shares, variances, energy): (&Grid, &[f64], &[f64], Option<f64>),
        seen: &[f64],
        step: f64,
        longest: f64,
    ) -> Result<Forgetting, Halt<CullError>> {
        let question = forget::Question {
            system: self.system,
            settings: self.settings,
            seed: self.seed,
            grid,
            shares,
            variances,
            energy,
            step,
            longest,
        };
        forget::forgetting(&question, seen, &self.progress.part(0.15, 0.65))
    }

    fn approximations(
        &mut self,
        paths: &Paths,
        (grid, energy): (&Grid, Option<f64>),
        step: f64,
        horizon: f64,
    ) -> Result<choose::Choice, Halt<CullError>> {
        let question = choose::Question {
            system: self.system,
            settings: self.settings,
            seed: self.seed,
            grid,
            energy,
            step,
            horizon,
        };
        choose::choose(&question, paths, &self.progress.part(0.65, 0.83))
    }

    fn phases(
        &mut self,
        paths: &Paths,
        (grid, energy): (&Grid, Option<f64>),
        step: f64,
        distribution: &Distribution,
    ) -> Result<Vec<phases::Phase>, Halt<CullError>> {
        let question = choose::Question {
            system: self.system,
            settings: self.settings,
            seed: self.seed,
            grid,
            energy,
            step,
            horizon: step,
        };
        phases::phases(&question, paths, distribution, &self.progress.part(0.83, 0.85))
    }

    /// Compares what the author cares about: samples of the distribution
    /// against states that the complete model came to in a run of its own.
    fn statistics(
        &self,
        grid: &Grid,
        distribution: &Distribution,
        step: f64,
        longest: f64,
    ) -> Result<Vec<(String, f64, f64)>, Halt<CullError>> {
        let of = |state: &State| self.system.statistics(state, 0.0);
        let first = of(&self.system.initial(&mut self.seed.stream("statistics")));
        if first.is_empty() {
            return Ok(Vec::new());
        }
        let truth: Vec<Row> = self.independent_states(step, longest)?.iter().map(of).collect();
        let mut stream = self.seed.stream("statistics");
        let samples = (0..COMPARED_STATES).filter_map(|_| distribution.sample(grid, &mut stream));
        let drawn: Vec<Row> = samples.map(|state| of(&state)).collect();
        let column = |rows: &[Row], index: usize| rows.iter().map(|row| row[index].1).collect::<Vec<_>>();
        let each = first.iter().enumerate().map(|(index, (name, _, within))| {
            let difference = choose::largest_difference(&mut column(&truth, index), &mut column(&drawn, index));
            (name.clone(), difference, *within)
        });
        Ok(each.collect())
    }

    /// States at phase 0 of paths that nothing else was taken from: of one path if all
    /// would be the same.
    fn independent_states(&self, step: f64, longest: f64) -> Result<Vec<State>, Halt<CullError>> {
        let start = |index: u64| self.system.initial(&mut self.seed.stream("independent").at(index));
        let is_one = !self.system.is_random() && (1..8).all(|index| start(index) == start(0));
        let count = if is_one { 1 } else { INDEPENDENT_PATHS };
        let burn_in = (2.0 * longest / step).ceil() as usize;
        let paths = parallel::try_tasks(count, |index| {
            let mut stream = self.seed.stream("independent").at(index as u64);
            let mut state = self.system.initial(&mut stream);
            let mut seen = Vec::with_capacity(COMPARED_STATES / count);
            for jump in 0..burn_in + COMPARED_STATES / count {
                self.progress.check()?;
                let (from, to) = (jump as f64 * step, (jump + 1) as f64 * step);
                self.system.advance(&mut state, from, to, &mut stream)?;
                wrap(self.system.variables(), &mut state);
                if jump >= burn_in {
                    seen.push(state);
                }
            }
            Ok::<Vec<State>, Halt<CullError>>(seen)
        })?;
        Ok(paths.into_iter().flatten().collect())
    }

    fn closed_form(&self) -> LearnedBehaviour {
        let grid = Grid { axes: Vec::new(), modes: 1 };
        self.learned(grid, Behaviour::ClosedForm, Findings::default())
    }

    fn learned(&self, grid: Grid, behaviour: Behaviour, findings: Findings) -> LearnedBehaviour {
        let findings = Findings { simulated_s: self.simulated, ..findings };
        LearnedBehaviour { grid, buffer_step: self.buffer_step, behaviour, findings }
    }
}
