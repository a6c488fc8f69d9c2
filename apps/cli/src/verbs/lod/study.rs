//! `proscenium lod study`: stimuli for people, and what their answers say.

use std::fs;
use std::path::Path;

use proscenium_chance::Seed;
use proscenium_chance::statistics::variance::Effect;
use proscenium_picture::plot::{Plot, Scale};
use proscenium_picture::{Look, animate, frame_clip};
use proscenium_study::{Analysis, Condition, Effects, FactorResult, LevelResult, Study};
use proscenium_work::{Completion, Progress};
use serde::Serialize;

use crate::VerbEnding;
use crate::arguments::LodStudy;
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Bar, Interrupt};
use crate::text::{columns, count, counted, three_digits};

/// Pixels and pictures per second of the moving pictures.
const SIZE: (u32, u32) = (320, 200);
const FPS: f64 = 25.0;

pub fn run(options: &LodStudy, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    let study = Study::find(&options.name)?;
    let answers = match &options.analyse {
        Some(path) => Some(fs::read_to_string(path).map_err(|source| Failure::Read { path: path.clone(), source })?),
        None => None,
    };
    fs::create_dir_all(&options.output).map_err(|source| Failure::Write { path: options.output.clone(), source })?;
    match answers {
        Some(answers) => analyse(study, &answers, &options.output, console),
        None => stimuli(study, options, seed, console),
    }
}

#[derive(Serialize)]
struct Written {
    study: &'static str,
    conditions: usize,
    participants: u32,
    trials: usize,
    schedule: String,
}

/// A clip of every condition, for glTF viewers and as a moving picture, and the
/// schedule.
fn stimuli(study: Study, options: &LodStudy, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    let interrupt = Interrupt::watch()?;
    let conditions = study.conditions();
    let bar = Bar::new(console, "drawing", &interrupt);
    for (done, condition) in conditions.iter().enumerate() {
        let share = |done: usize| done as f64 / conditions.len() as f64;
        let part = bar.progress().part(share(done), share(done + 1));
        if !stimulus(study, condition, &options.output, &part)? {
            drop(bar);
            console.remark(&format!("stopped after {} of {} conditions", done, conditions.len()));
            return Ok(VerbEnding::Interrupted);
        }
    }
    drop(bar);
    let trials = study.schedule(options.participants, Seed(seed));
    let schedule = options.output.join("schedule.csv");
    output::write(&schedule, study.schedule_csv(&trials).as_bytes())?;
    let written = Written {
        study: study.name(),
        conditions: conditions.len(),
        participants: options.participants,
        trials: trials.len(),
        schedule: schedule.display().to_string(),
    };
    let text = || {
        let rows = [
            (
                options.output.join(format!("{}-01.glb", study.name())).display().to_string(),
                "27 clips, and .gif of each".to_owned(),
            ),
            (
                written.schedule.clone(),
                format!(
                    "{} for {}, randomised and counterbalanced",
                    counted(trials.len(), "trial", "trials"),
                    counted(options.participants as usize, "person", "people")
                ),
            ),
        ];
        let rows: Vec<Vec<String>> = rows.into_iter().map(|(key, value)| vec![key, value]).collect();
        format!(
            "{}  each rates from 1 (very believable) to 3 (very unbelievable) in the column `rating`; then:\n  \
             proscenium lod study {} -o {} --analyse {}\n",
            columns(&rows),
            study.name(),
            options.output.display(),
            written.schedule
        )
    };
    console.report(text, &written)?;
    Ok(VerbEnding::Complete)
}

/// The clip of a condition and its moving picture as files; whether nobody stopped it.
fn stimulus(study: Study, condition: &Condition, folder: &Path, progress: &Progress) -> Result<bool, Failure> {
    let Completion::Finished(clip) = study.clip(condition, &progress.part(0.0, 0.5))? else {
        return Ok(false);
    };
    let path = folder.join(condition.file_name(study));
    output::write(&path.with_extension("glb"), &clip.to_glb()?)?;
    let look = Look::sized(SIZE.0, SIZE.1);
    let camera = frame_clip(&clip, look.aspect())?;
    let mut film = Vec::new();
    if animate(&clip, &camera, &look, FPS, &mut film, &progress.part(0.5, 1.0))?.stopped {
        return Ok(false);
    }
    output::write(&path.with_extension("gif"), &film)?;
    Ok(true)
}

#[derive(Serialize)]
struct EffectJson {
    name: String,
    f: Option<f64>,
    degrees: Option<[f64; 2]>,
    p: Option<f64>,
    means: Vec<f64>,
    standard_errors: Vec<f64>,
}

impl EffectJson {
    fn new(name: String, effect: Option<&Effect>, means: &[(f64, f64)]) -> Self {
        Self {
            name,
            f: effect.map(|effect| effect.f),
            degrees: effect.map(|effect| effect.degrees),
            p: effect.map(|effect| effect.p),
            means: means.iter().map(|mean| mean.0).collect(),
            standard_errors: means.iter().map(|mean| mean.1).collect(),
        }
    }
}

#[derive(Serialize)]
struct AnalysisJson {
    study: &'static str,
    answers: usize,
    participants: usize,
    complete: usize,
    effects: Vec<EffectJson>,
    figures: Vec<String>,
}

fn analyse(study: Study, answers: &str, folder: &Path, console: Console) -> Result<VerbEnding, Failure> {
    let analysis = study.analyse(answers)?;
    let mut figures = Vec::new();
    let mut write = |what: &str, plot: Plot| -> Result<(), Failure> {
        let path = folder.join(format!("{}-{what}.svg", study.name()));
        plot.write_svg(&path)?;
        figures.push(path.display().to_string());
        Ok(())
    };
    for result in &analysis.ratings.factors {
        write(result.factor.name, plot(study, result)?)?;
    }
    let measured = std::iter::once(("rating", "", &analysis.ratings));
    let measured = measured.chain(analysis.clicks.iter().map(|clicks| ("clicks", "clicks-", clicks)));
    let mut effects = Vec::new();
    for (what, prefix, found) in measured {
        // How the first factor, which the experiment is about, depends on each other.
        for other in &study.factors()[1..] {
            let first = study.factors()[0].name;
            let own = found.by_level.iter().filter(|one| one.factor == *other && one.within.name == first);
            write(&format!("{prefix}{}-by-{first}", other.name), plot_by_level(study, what, own)?)?;
        }
        effects.extend(told(if prefix.is_empty() { "" } else { "clicks: " }, found));
    }
    let json = AnalysisJson {
        study: study.name(),
        answers: analysis.answers,
        participants: analysis.participants,
        complete: analysis.complete,
        effects,
        figures,
    };
    console.report(|| text(&analysis, &json), &json)?;
    Ok(VerbEnding::Complete)
}

/// All that was found of a measurement, in lines.
fn told(prefix: &str, found: &Effects) -> Vec<EffectJson> {
    let line = |name: String, effect, means: &[(f64, f64)]| EffectJson::new(format!("{prefix}{name}"), effect, means);
    let factors = found.factors.iter();
    let alone = factors.map(|result| line(result.factor.name.to_owned(), result.effect.as_ref(), &result.means));
    let joint = found.interactions.iter().map(|(name, effect)| line(name.clone(), effect.as_ref(), &[]));
    let by_level = found.by_level.iter().map(|one| {
        let name = format!("{} at {} {}", one.factor.name, one.within.name, one.within.levels[one.level]);
        line(name, one.effect.as_ref(), &one.means)
    });
    let contrasts = found.contrasts.iter();
    let contrasts = contrasts.map(|one| line(one.name.clone(), one.effect.as_ref(), &one.means));
    alone.chain(joint).chain(by_level).chain(contrasts).collect()
}

/// Mean ratings by level, with bands of a standard error either side.
fn plot(study: Study, result: &FactorResult) -> Result<Plot, Failure> {
    let factor = &result.factor;
    let good = if study.low_is_good() { "low" } else { "high" };
    let band = result.means.iter().enumerate().map(|(at, (mean, error))| (at as f64, mean - error, mean + error));
    Ok(Plot::new(format!("Effect of the {} ({}; {good} is good)", factor.name, study.name()))
        .x(factor.name, Scale::Linear)
        .y("mean rating", Scale::Linear)
        .categories(factor.levels.iter().copied())
        .band(band)
        .line("rating", result.means.iter().enumerate().map(|(at, (mean, _))| (at as f64, *mean))))
}

/// Means by the levels of a factor, a line for each level of another (figures 6.7b, 6.8, 6.18
/// and 6.19).
fn plot_by_level<'a>(
    study: Study,
    what: &str,
    results: impl Iterator<Item = &'a LevelResult>,
) -> Result<Plot, Failure> {
    let mut results = results.peekable();
    let Some((factor, within)) = results.peek().map(|one| (one.factor, one.within)) else {
        return Ok(Plot::new(study.name()));
    };
    let plot = Plot::new(format!("{}: {what} by {} and {}", study.name(), factor.name, within.name))
        .x(factor.name, Scale::Linear)
        .y(format!("mean {what}"), Scale::Linear)
        .categories(factor.levels.iter().copied());
    Ok(results.fold(plot, |plot, one| {
        let points = one.means.iter().enumerate().map(|(at, (mean, _))| (at as f64, *mean));
        plot.line(within.levels[one.level], points)
    }))
}

fn text(analysis: &Analysis, json: &AnalysisJson) -> String {
    let mut text = format!(
        "  {} answers of {}, of whom {} rated every condition\n",
        count(analysis.answers as u64),
        counted(analysis.participants, "person", "people"),
        analysis.complete
    );
    let mut rows = vec![["effect", "means (± s.e.)", "F", "p"].map(str::to_owned).to_vec()];
    for effect in &json.effects {
        let means: Vec<String> = effect
            .means
            .iter()
            .zip(&effect.standard_errors)
            .map(|(mean, error)| format!("{mean:.2} ± {error:.2}"))
            .collect();
        let f = match (effect.f, effect.degrees) {
            (Some(f), Some([a, b])) => format!("F({a}, {b}) = {}", three_digits(f)),
            _ => "too few people".to_owned(),
        };
        let p = effect.p.map_or(String::new(), |p| if p < 1e-4 { "< 0.0001".to_owned() } else { format!("{p:.4}") });
        rows.push(vec![effect.name.clone(), means.join("  "), f, p]);
    }
    text.push_str(&columns(&rows));
    for figure in &json.figures {
        text.push_str(&format!("  wrote {figure}\n"));
    }
    text
}
