//! The compiler: six steps from a complete model to one that can be culled
//! (Chenney 2000, 5.2).

pub(crate) mod cells;
mod choose;
mod forget;
pub(crate) mod maps;
pub(crate) mod network;
mod paths;
pub(crate) mod periodic;
pub(crate) mod stationary;

use proscenium_chance::Seed;
use proscenium_work::{Completion, Finish as _, Halt, Progress, Stopped};

use crate::error::CullError;
use crate::learned::{Behaviour, Findings, Forgetful, LearnedBehaviour};
use crate::system::{MOST_VARIABLES, State, System};

use cells::Grid;
use forget::Forgetting;
use paths::Paths;
use periodic::Periodic;
use stationary::Distribution;

/// States of either side when what the author cares about is compared: their
/// distribution functions are then known to within 0.02 (Dvoretzky, Kiefer and
/// Wolfowitz, at 95 %), below any tolerance that makes sense.
const COMPARED_STATES: usize = 4000;

/// How a system is compiled.
#[derive(Clone, Debug, PartialEq)]
pub struct CompileSettings {
    /// The shortest jump of a system that is not forced, seconds.
    pub step: Option<f64>,
    /// Between states that are computed ahead of the viewer, seconds.
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
    let count = system.variables().len();
    if count > MOST_VARIABLES {
        return Err(CullError::TooManyVariables { system: system.name().to_owned(), count, most: MOST_VARIABLES });
    }
    check_positive("the buffer step", settings.buffer_step)?;
    let mut compiler = Compiler { system, settings, seed, progress, simulated: 0.0 };
    compiler.compile().finish()
}

fn check_positive(what: &'static str, value: f64) -> Result<(), CullError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(CullError::Number { what, value, remedy: "give seconds above zero" })
}

struct Compiler<'a> {
    system: &'a dyn System,
    settings: &'a CompileSettings,
    seed: Seed,
    progress: &'a Progress,
    simulated: f64,
}

impl Compiler<'_> {
    /// The six steps of 5.2.2, or the four of 5.2.1.
    fn compile(&mut self) -> Result<LearnedBehaviour, Halt<CullError>> {
        if self.system.variables().is_empty() {
            return Ok(self.closed_form());
        }
        let step = self.system.forcing_period().or(self.settings.step).unwrap_or(1.0);
        check_positive("the shortest jump", step)?;
        let longest = self.settings.longest.unwrap_or_else(|| (40.0 * step).max(60.0));

        self.progress.tell("finding the range", 0.0)?;
        let question = paths::Question { system: self.system, settings: self.settings, seed: self.seed, step, longest };
        let paths = Paths::run(&question, &self.progress.part(0.0, 0.05))?;
        self.simulated += paths.simulated;
        let mut cells = self.settings.cells_per_variable;
        let grid = Grid::new(self.system, &paths.whole_ranges, cells);

        self.progress.tell("looking for a period", 0.05)?;
        if let Some(periodic) = Periodic::find(self.system, &grid, self.seed, longest, self.progress)? {
            return Ok(self.learned(grid, Behaviour::Periodic(periodic), paths.findings(self.system)));
        }
        // Where the author's statistics do not match, cells are made finer.
        let mut learned = self.forgetful(&paths, grid, step, longest)?;
        for _ in 0..2 {
            let matches = learned.findings.statistics.iter().all(|(_, found, allowed)| found <= allowed);
            if matches {
                break;
            }
            cells = Some(2 * cells.unwrap_or_else(|| usize::from(learned.grid.axes[0].cells)));
            let finer = Grid::new(self.system, &paths.whole_ranges, cells);
            if finer == learned.grid {
                break;
            }
            learned = self.forgetful(&paths, finer, step, longest)?;
        }
        Ok(learned)
    }

    fn forgetful(
        &mut self,
        paths: &Paths,
        grid: Grid,
        step: f64,
        longest: f64,
    ) -> Result<LearnedBehaviour, Halt<CullError>> {
        self.progress.tell("finding the stationary distribution", 0.1)?;
        let shares = grid.shares(paths.settled.iter());
        let distribution =
            Distribution::build(&grid, &shares, &paths.settled, self.settings.kept_states, self.progress)?;
        let seen = paths.seen_shares(&grid, &shares);

        let forgetting = self.forgetting(&grid, &shares, &seen, step, longest)?;
        self.simulated += forgetting.simulated;
        let long = forgetting.long(self.settings.difference);
        let horizon = long.unwrap_or(16.0 * step);
        let chosen = self.approximations(paths, &grid, step, horizon)?;
        self.simulated += chosen.simulated;

        // Jumps are worth it once they are cheaper than the complete model.
        let complete = self.system.cost_per_second();
        let affordable =
            chosen.jumps.iter().rev().find(|jump| jump.map.cost(&grid) < complete * f64::from(jump.steps) * step);
        let medium = affordable.map_or(horizon, |jump| f64::from(jump.steps) * step);
        let medium = long.map_or(medium, |long| medium.min(long));
        let mut findings = paths.findings(self.system);
        findings.important = self.settings.important;
        findings.important_cells = forget::important(&shares, self.settings.important).len();
        findings.paper_long = forgetting.paper_long();
        findings.convergence = forgetting.curve();
        findings.spreading = forgetting.spreading.clone();
        findings.candidates = chosen.candidates;
        findings.errors = chosen.errors;
        findings.statistics = self.statistics(paths, &grid, &distribution)?;
        self.progress.tell("done", 1.0)?;
        let is_forced = self.system.forcing_period().is_some();
        let forgetful = Forgetful { step, is_forced, medium, long, jumps: chosen.jumps, distribution };
        Ok(self.learned(grid, Behaviour::Forgetful(forgetful), findings))
    }

    fn forgetting(
        &mut self,
        grid: &Grid,
        shares: &[f64],
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
            step,
            longest,
        };
        forget::forgetting(&question, seen, &self.progress.part(0.15, 0.65))
    }

    fn approximations(
        &mut self,
        paths: &Paths,
        grid: &Grid,
        step: f64,
        horizon: f64,
    ) -> Result<choose::Choice, Halt<CullError>> {
        let question =
            choose::Question { system: self.system, settings: self.settings, seed: self.seed, grid, step, horizon };
        choose::choose(&question, paths, &self.progress.part(0.65, 1.0))
    }

    /// Compares what the author cares about: samples of the distribution
    /// against states that the complete model came to.
    fn statistics(
        &self,
        paths: &Paths,
        grid: &Grid,
        distribution: &Distribution,
    ) -> Result<Vec<(String, f64, f64)>, Stopped> {
        let mut stream = self.seed.stream("statistics");
        let of = |state: &State| self.progress.check().map(|()| self.system.statistics(state, 0.0));
        let known = paths.settled.iter().step_by((paths.settled.len() / COMPARED_STATES).max(1));
        let truth = known.map(of).collect::<Result<Vec<_>, Stopped>>()?;
        let samples = (0..COMPARED_STATES).filter_map(|_| distribution.sample(grid, &mut stream));
        let drawn = samples.map(|state| of(&state)).collect::<Result<Vec<_>, Stopped>>()?;
        let Some(first) = truth.first() else {
            return Ok(Vec::new());
        };
        let column =
            |rows: &[Vec<(String, f64, f64)>], index: usize| rows.iter().map(|row| row[index].1).collect::<Vec<_>>();
        let each = first.iter().enumerate().map(|(index, (name, _, within))| {
            let difference = choose::largest_difference(&mut column(&truth, index), &mut column(&drawn, index));
            (name.clone(), difference, *within)
        });
        Ok(each.collect())
    }

    fn closed_form(&self) -> LearnedBehaviour {
        let grid = Grid { axes: Vec::new(), modes: 1 };
        self.learned(grid, Behaviour::ClosedForm, Findings::default())
    }

    fn learned(&self, grid: Grid, behaviour: Behaviour, findings: Findings) -> LearnedBehaviour {
        let findings = Findings { simulated_s: self.simulated, ..findings };
        LearnedBehaviour { grid, buffer_step: self.settings.buffer_step, behaviour, findings }
    }
}
