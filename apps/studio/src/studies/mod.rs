//! Experiments with people in the studio (Dingliana 2002, sections 6.2 and 6.3.1):
//! who sees what when, what they answer, and what that says.
//!
//! The experiments, their schedules and their analysis are the library's; here
//! answers are kept as they come, each before the next trial is shown.

mod keep;
mod routes;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use proscenium_chance::Seed;
use proscenium_chance::statistics::variance::Effect;
use proscenium_study::{Effects, Study};
use proscenium_work::Progress;
use serde_json::json;

use crate::api::{
    StudyAnalysis, StudyAnswer, StudyEffect, StudyExample, StudyFactor, StudyPerson, StudyReport, StudyTrial,
};
use crate::failure::Failure;
use crate::jobs::lock;
use crate::workspace::Workspace;

pub use routes::routes;

/// So many people can take part in an experiment.
const MOST_PEOPLE: u32 = 1000;
/// Longer remarks are cut, letters.
const LONGEST_REMARK: usize = 4000;
/// What the order of trials follows from: the same for everybody, so that it is
/// balanced over people.
const SEED: Seed = Seed(1);

/// What is shown, by experiment and condition: made once.
type Clips = BTreeMap<(&'static str, u32), Arc<Vec<u8>>>;

/// The experiments of a workspace.
pub struct Studies {
    folder: PathBuf,
    /// Answers are written one after the other.
    writing: Mutex<()>,
    clips: Mutex<Clips>,
}

impl Studies {
    /// The experiments of a workspace.
    pub fn new(workspace: &Workspace) -> Self {
        Self { folder: workspace.studies(), writing: Mutex::default(), clips: Mutex::default() }
    }

    /// All of them, and how far they are.
    pub fn told(&self) -> Vec<StudyReport> {
        Study::ALL.into_iter().map(|study| self.report(study)).collect()
    }

    fn report(&self, study: Study) -> StudyReport {
        let answered = self.answered(study);
        let people = self.people(study);
        let conditions = study.conditions().len() as u32;
        let trials = study.schedule(1, SEED).len() as u32;
        let seen = |person: u32| answered.iter().filter(|(who, _)| *who == person).count() as u32;
        let factors = study.factors().iter().map(|factor| StudyFactor {
            name: factor.name.to_owned(),
            levels: factor.levels.iter().map(|level| (*level).to_owned()).collect(),
        });
        StudyReport {
            name: study.name().to_owned(),
            factors: factors.collect(),
            conditions,
            trials,
            highest_rating: study.highest_rating() as u32,
            low_is_good: study.low_is_good(),
            live: study == Study::Gaze,
            training: training(study),
            people,
            answers: answered.len() as u32,
            unfinished: (1..=people).filter(|person| seen(*person) < trials).collect(),
        }
    }

    /// Somebody new takes part.
    ///
    /// # Errors
    ///
    /// Without their consent, or with a full folder.
    pub fn join(&self, study: Study, consent: bool) -> Result<StudyPerson, Failure> {
        if !consent {
            return Err(Failure::bad("nobody takes part who has not agreed", "send { \"consent\": true }"));
        }
        let participant = {
            let _writing = lock(&self.writing);
            let next = self.people(study) + 1;
            if next > MOST_PEOPLE {
                let help = "keep its files elsewhere and begin with a new workspace";
                return Err(Failure::bad(format!("{MOST_PEOPLE} people have taken part already"), help));
            }
            self.note(study, &json!({ "participant": next, "consented": now() }))?;
            next
        };
        self.person(study, participant)
    }

    /// What somebody has still to see.
    ///
    /// # Errors
    ///
    /// Somebody who does not take part.
    pub fn person(&self, study: Study, participant: u32) -> Result<StudyPerson, Failure> {
        if !(1..=self.people(study)).contains(&participant) {
            let help = "POST /api/studies/NAME/people lets somebody take part";
            return Err(Failure::missing("nobody of this number takes part", help));
        }
        let answered = self.answered(study);
        let all = study.schedule(participant, SEED).into_iter().filter(|trial| trial.participant == participant);
        let all: Vec<StudyTrial> =
            all.map(|trial| StudyTrial { number: trial.number, condition: trial.condition as u32 + 1 }).collect();
        let open = all.iter().filter(|trial| !answered.contains(&(participant, trial.number))).copied();
        Ok(StudyPerson { participant, trials: open.collect(), of: all.len() as u32 })
    }

    /// Keeps an answer; it is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// One that makes no sense or was given before.
    pub fn answer(&self, study: Study, participant: u32, answer: &StudyAnswer) -> Result<StudyPerson, Failure> {
        let highest = study.highest_rating() as u32;
        if !(1..=highest).contains(&answer.rating) || !answer.seconds.is_finite() || answer.seconds < 0.0 {
            return Err(Failure::bad("this is no rating", format!("give a whole number from 1 to {highest}")));
        }
        let _writing = lock(&self.writing);
        let open = self.person(study, participant)?.trials;
        if !open.iter().any(|trial| trial.number == answer.number) {
            let status = axum::http::StatusCode::CONFLICT;
            return Err(Failure::new(status, "this trial was rated before, or is not there", "rate the next one"));
        }
        let line = self.line(study, participant, answer);
        keep::append(&self.answers_file(study), &header(study), &line).map_err(|error| Failure::machine(&error))?;
        self.person(study, participant)
    }

    fn line(&self, study: Study, participant: u32, answer: &StudyAnswer) -> String {
        let trials = study.schedule(participant, SEED).into_iter();
        let own = trials.filter(|trial| trial.participant == participant && trial.number == answer.number);
        let conditions = study.conditions();
        let told = own.map(|trial| {
            let levels = conditions[trial.condition].levels.iter().zip(study.factors());
            let levels: Vec<&str> = levels.map(|(at, factor)| factor.levels[*at]).collect();
            let StudyAnswer { number, rating, clicks, seconds } = answer;
            let (repetition, condition, levels) = (trial.repetition, trial.condition + 1, levels.join(","));
            format!("{participant},{number},{repetition},{condition},{levels},{rating},{clicks},{seconds:.2}")
        });
        told.collect::<Vec<_>>().join("\n")
    }

    /// Keeps what somebody says in the end.
    ///
    /// # Errors
    ///
    /// Somebody who does not take part, or a full disk.
    pub fn remark(&self, study: Study, participant: u32, text: &str) -> Result<StudyPerson, Failure> {
        let person = self.person(study, participant)?;
        let text: String = text.chars().take(LONGEST_REMARK).collect();
        let _writing = lock(&self.writing);
        self.note(study, &json!({ "participant": participant, "remarked": now(), "text": text }))?;
        Ok(person)
    }

    /// All answers, as a table.
    ///
    /// # Errors
    ///
    /// None yet.
    pub fn table(&self, study: Study) -> Result<String, Failure> {
        let none = || Failure::missing("nobody has answered yet", "take part, or ask somebody to");
        keep::read(&self.answers_file(study)).ok_or_else(none)
    }

    /// What the answers say.
    ///
    /// # Errors
    ///
    /// No answers, or a file that somebody has changed.
    pub fn analysis(&self, study: Study) -> Result<StudyAnalysis, Failure> {
        let analysed = study.analyse(&self.table(study)?).map_err(|error| {
            Failure::bad(error.to_string(), "mend the line in the file of answers, which is in the workspace")
        })?;
        // Without people who saw everything there are no means.
        let seen = |means| if analysed.complete == 0 { Vec::new() } else { means };
        let told = |prefix: &str, found: &Effects| -> Vec<StudyEffect> {
            let factors = found.factors.iter().map(|result| {
                let levels = result.factor.levels.iter().zip(&result.means);
                let means = levels.map(|(level, (mean, error))| ((*level).to_owned(), *mean, *error));
                effect(format!("{prefix}{}", result.factor.name), seen(means.collect()), result.effect.as_ref())
            });
            let contrasts = found.contrasts.iter().map(|contrast| {
                let levels = ["tracked", "random"].into_iter().zip(contrast.means);
                let means = levels.map(|(level, (mean, error))| (level.to_owned(), mean, error));
                effect(format!("{prefix}{}", contrast.name), seen(means.collect()), contrast.effect.as_ref())
            });
            factors.chain(contrasts).collect()
        };
        let mut factors = told("", &analysed.ratings);
        factors.extend(analysed.clicks.iter().flat_map(|clicks| told("clicks: ", clicks)));
        let interactions = analysed.ratings.interactions.iter();
        Ok(StudyAnalysis {
            answers: analysed.answers as u32,
            participants: analysed.participants as u32,
            complete: analysed.complete as u32,
            factors,
            interactions: interactions.map(|(name, found)| effect(name.clone(), Vec::new(), found.as_ref())).collect(),
        })
    }

    /// What is shown in a condition, from 1, as a binary glTF file.
    ///
    /// # Errors
    ///
    /// A condition that is not there, or an experiment that runs live.
    pub fn clip(&self, study: Study, condition: u32) -> Result<Arc<Vec<u8>>, Failure> {
        let key = (study.name(), condition);
        if let Some(made) = lock(&self.clips).get(&key) {
            return Ok(Arc::clone(made));
        }
        let conditions = study.conditions();
        let chosen = (condition as usize).checked_sub(1).and_then(|at| conditions.get(at)).ok_or_else(|| {
            let help = format!("the conditions are 1 to {}", conditions.len());
            Failure::missing(format!("there is no condition {condition}"), help)
        })?;
        let clip = study.clip(chosen, &Progress::none()).map_err(|error| {
            Failure::missing(error.to_string(), "conditions of the experiment with the gaze are shown live")
        })?;
        let clip = clip.finished().expect("nobody stops it");
        let made = Arc::new(clip.to_glb().map_err(|error| Failure::machine(&error))?);
        lock(&self.clips).insert(key, Arc::clone(&made));
        Ok(made)
    }

    fn answers_file(&self, study: Study) -> PathBuf {
        self.folder.join(format!("{}.csv", study.name()))
    }

    fn people_file(&self, study: Study) -> PathBuf {
        self.folder.join(format!("{}-people.jsonl", study.name()))
    }

    fn note(&self, study: Study, line: &serde_json::Value) -> Result<(), Failure> {
        keep::append(&self.people_file(study), "", &line.to_string()).map_err(|error| Failure::machine(&error))
    }

    /// How many people take part.
    fn people(&self, study: Study) -> u32 {
        let text = keep::read(&self.people_file(study)).unwrap_or_default();
        let numbers = text.lines().filter_map(|line| {
            let noted: serde_json::Value = serde_json::from_str(line).ok()?;
            u32::try_from(noted["participant"].as_u64()?).ok()
        });
        numbers.max().unwrap_or(0)
    }

    /// Who has rated which of their trials.
    fn answered(&self, study: Study) -> BTreeSet<(u32, u32)> {
        let text = keep::read(&self.answers_file(study)).unwrap_or_default();
        let pair = |line: &str| {
            let mut fields = line.split(',').map(|field| field.parse::<u32>().ok());
            Some((fields.next()??, fields.next()??))
        };
        text.lines().skip(1).filter_map(pair).collect()
    }
}

/// The head of the table of answers.
fn header(study: Study) -> String {
    let factors: Vec<&str> = study.factors().iter().map(|factor| factor.name).collect();
    format!("participant,trial,repetition,condition,{},rating,clicks,seconds", factors.join(","))
}

/// The best and the worst of the first factor, with the others in the middle.
fn training(study: Study) -> Vec<StudyExample> {
    let conditions = study.conditions();
    let found = |level: usize| {
        let middle = |levels: &[usize]| levels[1..].iter().all(|at| *at == usize::from(study != Study::Gaze));
        conditions.iter().position(|one| one.levels[0] == level && middle(&one.levels))
    };
    // A delay and a gaze begin with the best; levels of detail end with it.
    let (good, bad) = match study {
        Study::Causality => (0, 2),
        Study::Gap | Study::Dynamics => (2, 0),
        Study::Gaze => (0, 1),
    };
    let example = |(level, good)| found(level).map(|at| StudyExample { condition: at as u32 + 1, good });
    [(good, true), (bad, false)].into_iter().filter_map(example).collect()
}

fn effect(name: String, means: Vec<(String, f64, f64)>, found: Option<&Effect>) -> StudyEffect {
    // People who agree entirely leave no error to compare with.
    let sound = found.filter(|effect| effect.f.is_finite() && effect.p.is_finite());
    StudyEffect {
        name,
        means,
        f: sound.map(|effect| effect.f),
        degrees: sound.map(|effect| effect.degrees),
        p: sound.map(|effect| effect.p),
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
