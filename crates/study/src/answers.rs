//! What people answered, and what that says.

use std::collections::BTreeMap;

use proscenium_chance::statistics::Moments;

use crate::effects::{Effects, effects};
use crate::{Study, StudyError};

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
    /// What the ratings depend on.
    pub ratings: Effects,
    /// What the numbers of clicks depend on, in an experiment that counts them.
    pub clicks: Option<Effects>,
}

/// A rating that somebody gave.
struct Answer {
    line: usize,
    participant: u32,
    condition: usize,
    rating: f64,
    clicks: Option<f64>,
}

impl Study {
    /// Analyses a filled-in table: the columns `participant`, `condition` and
    /// `rating` are read, in any order, and `clicks` if it is there and the
    /// experiment counts them.
    ///
    /// # Errors
    /// Names the first line that cannot be used, and why.
    pub fn analyse(self, csv: &str) -> Result<Analysis, StudyError> {
        let answers = self.read(csv, self.conditions().len())?;
        let (participants, rated) = self.people(&answers, |answer| Some(answer.rating))?;
        let clicked = match self.counts_clicks() {
            true => self.people(&answers, |answer| answer.clicks)?.1,
            false => Vec::new(),
        };
        Ok(Analysis {
            answers: answers.len(),
            participants,
            complete: rated.len(),
            ratings: effects(self, &rated),
            clicks: (!clicked.is_empty()).then(|| effects(self, &clicked)),
        })
    }

    /// How many people answered, and the means in each condition of those who answered in all.
    fn people(
        self,
        answers: &[Answer],
        of: impl Fn(&Answer) -> Option<f64>,
    ) -> Result<(usize, Vec<Vec<f64>>), StudyError> {
        let conditions = self.conditions().len();
        let mut cells: BTreeMap<u32, Vec<Moments>> = BTreeMap::new();
        for answer in answers {
            let own = cells.entry(answer.participant).or_insert_with(|| vec![Moments::new(); conditions]);
            if let Some(value) = of(answer) {
                let pushed = own[answer.condition].push(value);
                pushed.map_err(|error| StudyError::Answers { line: answer.line, reason: error.to_string() })?;
            }
        }
        let complete = |own: &&Vec<Moments>| own.iter().all(|cell| cell.count() > 0);
        let people = cells.values().filter(complete).map(|own| own.iter().map(Moments::mean).collect());
        Ok((cells.len(), people.collect()))
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
        let clicks = column("clicks").ok().filter(|_| self.counts_clicks());
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
            let clicks = match clicks.filter(|at| !field(*at).is_empty()) {
                Some(at) => Some(f64::from(number(at, "number of clicks")?)),
                None => None,
            };
            answers.push(Answer { line, participant: person, condition: shown as usize - 1, rating, clicks });
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
        assert!(analysis.ratings.factors[0].effect.unwrap().p < 1e-6);
        assert!(analysis.ratings.factors[1].effect.unwrap().p > 0.001);
        assert!(analysis.ratings.factors[0].means[2].0 > analysis.ratings.factors[0].means[0].0 + 0.5);
        assert_eq!(analysis.ratings.interactions.len(), 3);
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
        assert_eq!((analysis.ratings.factors[0].means.len(), analysis.ratings.factors[1].means.len()), (4, 3));
        assert!(
            analysis.ratings.factors[0].effect.unwrap().p < 1e-9
                && analysis.ratings.factors[1].effect.unwrap().p > 0.001
        );
        assert_eq!(analysis.ratings.interactions.len(), 1);
        assert!(study.clip(&study.conditions()[0], &Progress::none()).unwrap_err().explain().contains("studio"));
        // All clicked alike.
        let clicks = analysis.clicks.unwrap();
        assert!(clicks.factors[0].means.iter().all(|mean| *mean == (3.0, 0.0)));
        assert!(study.analyse(&text.replacen(",3\n", ",often\n", 1)).unwrap_err().explain().contains("`often`"));
    }

    /// People who like what follows their gaze better than what follows chance where
    /// there are fifteen objects, and click less there.
    #[test]
    fn tracked_is_held_against_random() {
        let study = Study::Gaze;
        let seed = Seed(6).stream("answers");
        let mut text = String::from("participant,condition,rating,clicks\n");
        for (index, trial) in study.schedule(10, Seed(2)).iter().enumerate() {
            let levels = &study.conditions()[trial.condition].levels;
            let is_better = levels[..] == [2, 2];
            let rating = if is_better { 3.5 } else { 2.5 } + 0.2 * seed.at(index as u64).normal().clamp(-2.0, 2.0);
            let clicks = if is_better { 1 } else { 6 } + index % 3;
            let _ = writeln!(text, "{},{},{rating},{clicks}", trial.participant, trial.condition + 1);
        }
        let analysis = study.analyse(&text).unwrap();
        let clicks = analysis.clicks.unwrap();
        for (effects, sign) in [(&analysis.ratings, 1.0), (&clicks, -1.0)] {
            let names: Vec<&str> = effects.contrasts.iter().map(|contrast| contrast.name.as_str()).collect();
            let of = |objects: u32| format!("tracked against random, objects {objects}");
            assert_eq!(names, ["tracked against random".to_owned(), of(5), of(10), of(15)]);
            let at = |index: usize| effects.contrasts[index].effect.unwrap();
            assert_eq!(at(3).degrees, [1.0, 9.0]);
            assert!(at(3).p < 1e-6 && at(1).p > 0.001 && at(2).p > 0.001);
            let [tracked, random] = effects.contrasts[3].means;
            assert!(sign * (tracked.0 - random.0) > 0.8);
        }
        // Within the other simulations the number of objects does nothing.
        let tracked = analysis.ratings.by_level.iter().filter(|found| found.within.name == "simulation");
        let effects: Vec<f64> = tracked.map(|found| found.effect.unwrap().p).collect();
        assert!(effects.len() == 4 && effects[2] < 1e-6 && effects[0] > 0.001 && effects[3] > 0.001);
    }

    /// Figures 6.7b and 6.8: people mind a viewpoint at the coarsest level only.
    #[test]
    fn effects_are_told_level_by_level() {
        let study = Study::Gap;
        let seed = Seed(7).stream("answers");
        let mut text = String::from("participant,condition,rating\n");
        for (index, trial) in study.schedule(12, Seed(3)).iter().enumerate() {
            let levels = &study.conditions()[trial.condition].levels;
            let minded = if levels[0] == 0 { 0.4 * (2 - levels[2]) as f64 } else { 0.0 };
            let rating = (1.6 + minded + 0.2 * seed.at(index as u64).normal()).clamp(1.0, 3.0);
            let _ = writeln!(text, "{},{},{rating}", trial.participant, trial.condition + 1);
        }
        let analysis = study.analyse(&text).unwrap();
        let of = |factor: &str, level: usize| {
            let found = analysis.ratings.by_level.iter();
            let found =
                found.filter(|one| one.factor.name == factor && one.within.name == "level" && one.level == level);
            found.clone().next().unwrap().clone()
        };
        assert!(of("viewpoint", 0).effect.unwrap().p < 1e-6);
        assert!(of("viewpoint", 2).effect.unwrap().p > 0.001 && of("speed", 0).effect.unwrap().p > 0.001);
        let means: Vec<f64> = of("viewpoint", 0).means.iter().map(|mean| mean.0).collect();
        assert!(means[0] > means[1] + 0.3 && means[1] > means[2] + 0.3, "{means:?}");
        assert!(analysis.ratings.contrasts.is_empty() && analysis.clicks.is_none());
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
