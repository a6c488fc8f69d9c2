//! What a measurement depends on, from its mean for each person in each condition.

use proscenium_chance::statistics::Moments;
use proscenium_chance::statistics::variance::{Effect, interaction, within};

use crate::{Condition, Factor, Study};

/// What one measurement (ratings, clicks) depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Effects {
    /// The effect of each factor.
    pub factors: Vec<FactorResult>,
    /// The interactions of two factors each.
    pub interactions: Vec<(String, Option<Effect>)>,
    /// The effect of each factor at each level of each other, by itself: two
    /// factors can cancel each other in the mean.
    pub by_level: Vec<LevelResult>,
    /// Two levels that were to be held against each other, over all and at each
    /// level of the other factor.
    pub contrasts: Vec<Contrast>,
}

/// The effect of a factor.
#[derive(Clone, Debug, PartialEq)]
pub struct FactorResult {
    /// Which factor.
    pub factor: Factor,
    /// For each level the mean and its standard error over people.
    pub means: Vec<(f64, f64)>,
    /// The analysis of variance within people; `None` with fewer than two.
    pub effect: Option<Effect>,
}

/// The effect of a factor at one level of another.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelResult {
    /// Which factor.
    pub factor: Factor,
    /// Which other one, and at which of its levels.
    pub within: Factor,
    /// The level, from 0.
    pub level: usize,
    /// For each level of the factor the mean and its standard error over people.
    pub means: Vec<(f64, f64)>,
    /// The analysis of variance within people; `None` with fewer than two.
    pub effect: Option<Effect>,
}

/// Two levels of a factor against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Contrast {
    /// Which levels, and where.
    pub name: String,
    /// The mean of each and its standard error over people.
    pub means: [(f64, f64); 2],
    /// The analysis of variance within people; `None` with fewer than two.
    pub effect: Option<Effect>,
}

/// People in the rows, conditions in the columns.
struct Table<'a> {
    conditions: &'a [Condition],
    people: &'a [Vec<f64>],
}

impl Table<'_> {
    /// The mean of each person over the conditions at some levels, given as factor and level.
    fn column(&self, levels: &[(usize, usize)]) -> Vec<f64> {
        let is_meant = |condition: &Condition| levels.iter().all(|(factor, level)| condition.levels[*factor] == *level);
        let mean = |person: &Vec<f64>| {
            let cells = self.conditions.iter().zip(person).filter(|(condition, _)| is_meant(condition));
            cells.clone().map(|(_, value)| value).sum::<f64>() / cells.count().max(1) as f64
        };
        self.people.iter().map(mean).collect()
    }

    /// Means over people with their standard errors, and whether they differ.
    fn compare(&self, choices: &[Vec<(usize, usize)>]) -> (Vec<(f64, f64)>, Option<Effect>) {
        let columns: Vec<Vec<f64>> = choices.iter().map(|levels| self.column(levels)).collect();
        let mean = |column: &Vec<f64>| {
            let moments = Moments::of(column).unwrap_or_default();
            (moments.mean(), moments.standard_error().unwrap_or(0.0))
        };
        let row = |person: usize| columns.iter().map(|column| column[person]).collect();
        let rows: Vec<Vec<f64>> = (0..self.people.len()).map(row).collect();
        (columns.iter().map(mean).collect(), within(&rows))
    }

    /// Each person's means by two factors of so many levels.
    fn cells(&self, [a, b]: [usize; 2], [rows, columns]: [usize; 2]) -> Vec<Vec<Vec<f64>>> {
        let cell = |row: usize, column: usize| self.column(&[(a, row), (b, column)]);
        let all: Vec<Vec<Vec<f64>>> =
            (0..rows).map(|row| (0..columns).map(|column| cell(row, column)).collect()).collect();
        let of = |person: usize| all.iter().map(|row| row.iter().map(|cell| cell[person]).collect()).collect();
        (0..self.people.len()).map(of).collect()
    }
}

/// What a measurement of people depends on; a row for each who saw everything, a column for
/// each condition.
pub(crate) fn effects(study: Study, people: &[Vec<f64>]) -> Effects {
    let conditions = study.conditions();
    let table = Table { conditions: &conditions, people };
    let factors = study.factors();
    let levels = |factor: usize| 0..factors[factor].levels.len();
    let alone = |factor: usize| {
        let (means, effect) = table.compare(&levels(factor).map(|level| vec![(factor, level)]).collect::<Vec<_>>());
        FactorResult { factor: factors[factor], means, effect }
    };
    let joint = |(a, b): (usize, usize)| {
        let cells = table.cells([a, b], [factors[a].levels.len(), factors[b].levels.len()]);
        (format!("{} × {}", factors[a].name, factors[b].name), interaction(&cells))
    };
    let at_level = |(factor, other, at): (usize, usize, usize)| {
        let choices: Vec<_> = levels(factor).map(|level| vec![(factor, level), (other, at)]).collect();
        let (means, effect) = table.compare(&choices);
        LevelResult { factor: factors[factor], within: factors[other], level: at, means, effect }
    };
    let ordered = (0..factors.len()).flat_map(|a| (a + 1..factors.len()).map(move |b| (a, b)));
    let both = ordered.clone().flat_map(|(a, b)| [(b, a), (a, b)]);
    Effects {
        factors: (0..factors.len()).map(alone).collect(),
        interactions: ordered.map(joint).collect(),
        by_level: both.flat_map(|(a, b)| levels(b).map(move |at| (a, b, at))).map(at_level).collect(),
        contrasts: contrasts(study, &table),
    }
}

/// What the experiment is about: whether a region that follows the gaze is better than one
/// that follows chance.
fn contrasts(study: Study, table: &Table<'_>) -> Vec<Contrast> {
    if study != Study::Gaze {
        return Vec::new();
    }
    const TRACKED_AND_RANDOM: [(usize, usize); 2] = [(0, 2), (0, 3)];
    let objects = study.factors()[1];
    let places = std::iter::once(None).chain((0..objects.levels.len()).map(Some));
    let contrast = |place: Option<usize>| {
        let choices = TRACKED_AND_RANDOM.map(|level| [Some(level), place.map(|at| (1, at))]);
        let choices = choices.map(|choice| choice.into_iter().flatten().collect::<Vec<_>>());
        let (means, effect) = table.compare(&choices);
        let name = match place {
            Some(at) => format!("tracked against random, {} {}", objects.name, objects.levels[at]),
            None => "tracked against random".to_owned(),
        };
        Contrast { name, means: [means[0], means[1]], effect }
    };
    places.map(contrast).collect()
}
