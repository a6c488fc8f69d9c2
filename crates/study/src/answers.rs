//! What people answered, and what that says.

use std::collections::BTreeMap;

use proscenium_chance::statistics::Moments;
use proscenium_chance::statistics::variance::{Effect, interaction, within};

use crate::{Condition, Factor, Study, StudyError};

/// More answers than this are not read.
const MOST_ANSWERS: usize = 1_000_000;

/// What answers say.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// How many there are.
    pub answers: usize,
    /// From how many people.
    pub participants: usize,
    /// Of whom so many rated every condition; the others are left out.
    pub complete: usize,
    /// The effect of each factor.
    pub factors: Vec<FactorResult>,
    /// The interactions of two factors each.
    pub interactions: Vec<(String, Option<Effect>)>,
}

/// The effect of a factor.
#[derive(Clone, Debug, PartialEq)]
pub struct FactorResult {
    /// Which factor.
    pub factor: Factor,
    /// For each level the mean rating and its standard error over people.
    pub means: Vec<(f64, f64)>,
    /// The analysis of variance within people; `None` with fewer than two.
    pub effect: Option<Effect>,
}

impl FactorResult {
    fn new(factor: &Factor, index: usize, conditions: &[Condition], people: &[Vec<f64>]) -> Self {
        let level_means = |person: &Vec<f64>| -> Vec<f64> {
            let of = |level: usize| {
                let cells = conditions.iter().zip(person).filter(|(condition, _)| condition.levels[index] == level);
                cells.clone().map(|(_, rating)| rating).sum::<f64>() / cells.count().max(1) as f64
            };
            (0..factor.levels.len()).map(of).collect()
        };
        let rows: Vec<Vec<f64>> = people.iter().map(level_means).collect();
        let mean = |level: usize| {
            let column: Vec<f64> = rows.iter().map(|row| row[level]).collect();
            let moments = Moments::of(&column).unwrap_or_default();
            (moments.mean(), moments.standard_error().unwrap_or(0.0))
        };
        Self { factor: *factor, means: (0..factor.levels.len()).map(mean).collect(), effect: within(&rows) }
    }
}

/// A person's mean ratings by two factors of so many levels.
fn table(person: &[f64], conditions: &[Condition], [a, b]: [usize; 2], [rows, columns]: [usize; 2]) -> Vec<Vec<f64>> {
    let each = conditions.len() as f64 / (rows * columns) as f64;
    let mut means = vec![vec![0.0; columns]; rows];
    for (condition, rating) in conditions.iter().zip(person) {
        means[condition.levels[a]][condition.levels[b]] += rating / each;
    }
    means
}

/// A rating that somebody gave.
struct Answer {
    line: usize,
    participant: u32,
    condition: usize,
    rating: f64,
}

impl Study {
    /// Analyses a filled-in table: the columns `participant`, `condition` and
    /// `rating` are read, in any order.
    ///
    /// # Errors
    /// Names the first line that cannot be used, and why.
    pub fn analyse(self, csv: &str) -> Result<Analysis, StudyError> {
        let conditions = self.conditions();
        let answers = self.read(csv, conditions.len())?;
        // The mean rating of each person in each condition.
        let mut cells: BTreeMap<u32, Vec<Moments>> = BTreeMap::new();
        for answer in &answers {
            let own = cells.entry(answer.participant).or_insert_with(|| vec![Moments::new(); conditions.len()]);
            let pushed = own[answer.condition].push(answer.rating);
            pushed.map_err(|error| StudyError::Answers { line: answer.line, reason: error.to_string() })?;
        }
        let complete = |own: &&Vec<Moments>| own.iter().all(|cell| cell.count() > 0);
        let people: Vec<Vec<f64>> =
            cells.values().filter(complete).map(|own| own.iter().map(Moments::mean).collect()).collect();
        let factors = self.factors();
        let effects =
            factors.iter().enumerate().map(|(at, factor)| FactorResult::new(factor, at, &conditions, &people));
        let of_two = |(a, b): (usize, usize)| {
            let name = format!("{} × {}", factors[a].name, factors[b].name);
            let size = [factors[a].levels.len(), factors[b].levels.len()];
            let tables: Vec<_> = people.iter().map(|person| table(person, &conditions, [a, b], size)).collect();
            (name, interaction(&tables))
        };
        let pairs = (0..factors.len()).flat_map(|a| (a + 1..factors.len()).map(move |b| (a, b)));
        Ok(Analysis {
            answers: answers.len(),
            participants: cells.len(),
            complete: people.len(),
            factors: effects.collect(),
            interactions: pairs.map(of_two).collect(),
        })
    }

    /// The answers of a table about so many conditions.
    fn read(self, csv: &str, conditions: usize) -> Result<Vec<Answer>, StudyError> {
        let wrong = |line: usize, reason: String| StudyError::Answers { line, reason };
        let mut lines = csv.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let Some((first, header)) = lines.next() else {
            return Err(wrong(1, "the file is empty".to_owned()));
        };
        let names: Vec<&str> = header.trim_start_matches('\u{feff}').split(',').map(str::trim).collect();
        let column = |name: &str| {
            let found = names.iter().position(|known| known.eq_ignore_ascii_case(name));
            found.ok_or_else(|| wrong(first + 1, format!("there is no column `{name}`")))
        };
        let (participant, condition, rating) = (column("participant")?, column("condition")?, column("rating")?);
        let highest = self.highest_rating();
        let mut answers = Vec::new();
        for (index, text) in lines {
            let line = index + 1;
            let fields: Vec<&str> = text.split(',').map(|field| field.trim().trim_matches('"')).collect();
            let field = |at: usize| fields.get(at).copied().unwrap_or("");
            if field(rating).is_empty() {
                // Not answered yet.
                continue;
            }
            let number = |at: usize, name: &str| {
                field(at).parse::<u32>().map_err(|_| wrong(line, format!("`{}` is no {name}", field(at))))
            };
            let (person, shown) = (number(participant, "participant")?, number(condition, "condition")?);
            if !(1..=conditions).contains(&(shown as usize)) {
                return Err(wrong(line, format!("condition {shown} does not exist: they are 1 to {conditions}")));
            }
            let value = field(rating).parse::<f64>().ok().filter(|value| (1.0..=highest).contains(value));
            let Some(rating) = value else {
                return Err(wrong(line, format!("the rating `{}` is not between 1 and {highest}", field(rating))));
            };
            answers.push(Answer { line, participant: person, condition: shown as usize - 1, rating });
            if answers.len() > MOST_ANSWERS {
                return Err(wrong(line, "there are more than a million answers".to_owned()));
            }
        }
        if answers.is_empty() {
            return Err(wrong(first + 1, "no rating is filled in".to_owned()));
        }
        Ok(answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_chance::Seed;
    use proscenium_work::{Progress, Remedy as _};
    use std::fmt::Write as _;

    /// People who mind the first factor, and nothing else.
    fn answered(study: Study, effect: f64) -> String {
        let trials = study.schedule(12, Seed(3));
        let conditions = study.conditions();
        let seed = Seed(4).stream("answers");
        let mut text = String::from("rating,participant,condition\n");
        for (index, trial) in trials.iter().enumerate() {
            let level = conditions[trial.condition].levels[0] as f64;
            let rating = (1.6 + effect * level + 0.3 * seed.at(index as u64).normal()).clamp(1.0, 3.0);
            let _ = writeln!(text, "{rating},{},{}", trial.participant, trial.condition + 1);
        }
        text
    }

    #[test]
    fn an_effect_that_is_there_is_found_and_no_other() {
        let analysis = Study::Causality.analyse(&answered(Study::Causality, 0.4)).unwrap();
        assert_eq!((analysis.participants, analysis.complete, analysis.answers), (12, 12, 12 * 81));
        assert!(analysis.factors[0].effect.unwrap().p < 1e-6);
        assert!(analysis.factors[1].effect.unwrap().p > 0.001);
        assert!(analysis.factors[0].means[2].0 > analysis.factors[0].means[0].0 + 0.5);
        assert_eq!(analysis.interactions.len(), 3);
    }

    #[test]
    fn a_schedule_comes_back_as_answers() {
        let study = Study::Gap;
        let csv = study.schedule_csv(&study.schedule(2, Seed(1)));
        assert_eq!(csv.lines().count(), 1 + 2 * 81);
        assert!(study.analyse(&csv).unwrap_err().explain().contains("no rating"));
        let filled = csv.replace(",\n", ",2\n").replacen(",2\n", ",1\n", 40);
        assert_eq!(study.analyse(&filled).unwrap().answers, 162);
    }

    /// Four kinds of simulation by three numbers of objects, of which people
    /// like the good one.
    #[test]
    fn the_gaze_is_rated_from_one_to_five() {
        let study = Study::Gaze;
        let trials = study.schedule(6, Seed(2));
        assert_eq!((study.conditions().len(), trials.len()), (12, 6 * 36));
        let seed = Seed(5).stream("answers");
        let mut text = String::from("participant,condition,rating,clicks\n");
        for (index, trial) in trials.iter().enumerate() {
            let is_good = study.conditions()[trial.condition].levels[0] == 0;
            let rating = if is_good { 4.5 } else { 2.5 } + 0.2 * seed.at(index as u64).normal().clamp(-2.0, 2.0);
            let _ = writeln!(text, "{},{},{rating},3", trial.participant, trial.condition + 1);
        }
        let analysis = study.analyse(&text).unwrap();
        assert_eq!((analysis.factors[0].means.len(), analysis.factors[1].means.len()), (4, 3));
        assert!(analysis.factors[0].effect.unwrap().p < 1e-9 && analysis.factors[1].effect.unwrap().p > 0.001);
        assert_eq!(analysis.interactions.len(), 1);
        assert!(study.clip(&study.conditions()[0], &Progress::none()).unwrap_err().explain().contains("studio"));
    }

    #[test]
    fn wrong_answers_are_named_by_their_line() {
        let said = |csv: &str| Study::Gap.analyse(csv).unwrap_err().explain();
        assert!(said("").contains("empty"));
        assert!(said("a,b\n1,2\n").contains("no column `participant`"));
        assert!(said("participant,condition,rating\n1,1,9\n").contains("line 2"));
        assert!(said("participant,condition,rating\n1,1,2\n1,99,2\n").contains("line 3"));
        assert!(said("participant,condition,rating\nme,1,2\n").contains("`me`"));
        assert!(Study::find("taste").unwrap_err().explain().contains("causality"));
    }
}
