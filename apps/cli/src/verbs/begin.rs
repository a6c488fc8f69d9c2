//! What a directed run begins with: a scene, a run to go on with, or what was found before.

use std::path::Path;

use proscenium_chance::Seed;
use proscenium_direct::{Freedom, Parent, SamplerOptions};
use proscenium_director::{DirectorError, Order, Pick, directed_as_recorded, gallery_scene};
use proscenium_gallery::{Entry, Gallery, Origin};
use proscenium_scenes::{DirectedScene, FoundAnimation, Scene, SceneErrors, find};
use proscenium_work::{Completion, Progress};
use serde::{Deserialize, Serialize};

use super::direct::GALLERY;
use crate::arguments::{Direct, FoundFile};
use crate::failure::Failure;

/// The file that says which sample of the gallery each animation is.
pub const LIST: &str = "animations.json";
/// So many names are told of what is drawn anew.
const MOST_NAMED: usize = 6;

/// An animation that was written.
#[derive(Deserialize, Serialize)]
pub struct Listed {
    /// The file, without its ending.
    pub name: String,
    /// The number of the sample in the gallery, from 1.
    pub number: usize,
}

/// A run that is to be made.
pub struct Begun {
    pub directed: DirectedScene,
    pub order: Order,
    /// What the user should know about it.
    pub remark: Option<String>,
}

/// What is directed, and how; `None` if it was stopped before it began.
pub fn begin(options: &Direct, seed: u64, progress: &Progress) -> Result<Option<Begun>, Failure> {
    if let Some(folder) = &options.resume {
        return resume(options, folder).map(Some);
    }
    let more = &options.more;
    let moves = options.moves.moves();
    let sampling =
        SamplerOptions { method: options.method.map(|method| method.method()), moves, ..SamplerOptions::default() };
    let (pick, budget) = (options.pick.pick(), options.budget);
    let order = Order { pick, options: sampling, budget, ..Order::new(options.samples.into(), Seed(seed)) };
    let begun = match (&more.keep, &more.like, more.breed.first()) {
        (Some(found), ..) => keep(options, found, order, progress)?,
        (_, Some(found), _) => like(options, found, order, progress)?,
        (.., Some(first)) => Some(breed(options, first, order)?),
        _ => Some(Begun { directed: DirectedScene::new(&scene(options)?)?, order, remark: None }),
    };
    if let Some(begun) = &begun {
        begun.directed.mix_of(moves).map_err(DirectorError::from)?;
    }
    Ok(begun)
}

fn resume(options: &Direct, folder: &Path) -> Result<Begun, Failure> {
    let (scene, run) = gallery_scene(&folder.join(GALLERY), Path::new(""))?;
    let directed = directed_as_recorded(&scene, &run)?;
    let breed = match run.origin {
        Origin::Bred(parents) => parents,
        _ => Vec::new(),
    };
    let (pick, budget) = (options.pick.pick(), options.budget);
    let order =
        Order { pick, options: run.options, budget, breed, ..Order::new(options.samples.into(), Seed(run.seed)) };
    Ok(Begun { directed, order, remark: None })
}

/// The scene that is named, with what is wanted besides.
fn scene(options: &Direct) -> Result<Scene, Failure> {
    let settings: Vec<(&str, f64)> = options.settings.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let name = options.scene.as_deref().unwrap_or_default();
    let scene = match &options.pins {
        Some(pins) => find(&format!("{name}={pins}"), &settings)?,
        None => find(name, &settings)?,
    };
    Ok(with_wants(scene, &options.wants)?)
}

fn with_wants(scene: Scene, wants: &[String]) -> Result<Scene, SceneErrors> {
    wants.iter().try_fold(scene, |scene, want| scene.with_wants(want))
}

/// An animation that was written, with the scene of its run.
fn found(file: &FoundFile) -> Result<(Scene, DirectedScene, Entry), Failure> {
    let list = file.folder.join(LIST);
    let missing = || Failure::NoAnimation { folder: file.folder.clone(), name: file.name.clone() };
    let text = std::fs::read_to_string(&list).map_err(|_| missing())?;
    let listed: Vec<Listed> = serde_json::from_str(&text).map_err(|_| missing())?;
    let listed = listed.into_iter().find(|listed| listed.name == file.name).ok_or_else(missing)?;
    let path = file.folder.join(GALLERY);
    let (scene, run) = gallery_scene(&path, Path::new(""))?;
    let entries = Gallery::open(&path)?.entries()?;
    let entry = listed.number.checked_sub(1).and_then(|index| entries.get(index)).cloned();
    let directed = directed_as_recorded(&scene, &run)?;
    Ok((scene, directed, entry.ok_or_else(missing)?))
}

/// The same, simulated again.
fn simulated(file: &FoundFile, progress: &Progress) -> Result<Option<(Scene, FoundAnimation)>, Failure> {
    let (scene, directed, entry) = found(file)?;
    let found = directed.found(&entry.sample.point, progress).map_err(DirectorError::from)?;
    Ok(found.finished().map(|found| (scene, found)))
}

/// As an animation until a time, and then anew.
fn keep(options: &Direct, file: &FoundFile, order: Order, progress: &Progress) -> Result<Option<Begun>, Failure> {
    let more = &options.more;
    let until = more.until.unwrap_or_default();
    let Some((scene, found)) = simulated(file, progress)? else {
        return Ok(None);
    };
    let push = |scene: Scene, (body, deviation): &(String, f64)| scene.with_push(body, until, *deviation);
    let scene = with_wants(more.push.iter().try_fold(scene, push)?, &options.wants)?;
    if let Some(near) = more.near {
        let wants = found.path_wants(&scene.wanted_bodies(), until, near);
        let directed = DirectedScene::new(&with_wants(scene, &wants)?)?;
        let remark = format!("everything is drawn anew, and wanted within {near} m of the path until {until} s");
        return Ok(Some(Begun { directed, order, remark: Some(remark) }));
    }
    Ok(match DirectedScene::new(&scene)?.keeping(&found, until, progress)? {
        Completion::Stopped => None,
        Completion::Finished(directed) => {
            let remark = format!("the same until {until} s; {}", free(&directed));
            Some(Begun { directed, order, remark: Some(remark) })
        }
    })
}

/// Like an animation, with what is held of it.
fn like(options: &Direct, file: &FoundFile, order: Order, progress: &Progress) -> Result<Option<Begun>, Failure> {
    let more = &options.more;
    let Some((scene, found)) = simulated(file, progress)? else {
        return Ok(None);
    };
    let everything = vec!["*".to_owned()];
    let little = if more.hold.is_empty() && more.little.is_empty() { &everything } else { &more.little };
    let directed = DirectedScene::new(&with_wants(scene, &options.wants)?)?;
    let directed = directed.like(&found, &more.hold, little, more.reach)?;
    let remark = Some(free(&directed));
    Ok(Some(Begun { directed, order, remark }))
}

/// Between and around some animations of one run.
fn breed(options: &Direct, first: &FoundFile, order: Order) -> Result<Begun, Failure> {
    if order.pick == Pick::Likely {
        return Err(DirectorError::NotFair.into());
    }
    let mut parents = Vec::new();
    let mut directed = None;
    for file in &options.more.breed {
        if file.folder != first.folder {
            return Err(Failure::OtherFolders);
        }
        let (scene, own, entry) = found(file)?;
        parents.push(Parent { point: entry.sample.point, log_score: entry.sample.log_score });
        directed = match options.wants.is_empty() {
            true => Some(own),
            false => Some(DirectedScene::new(&with_wants(scene, &options.wants)?)?),
        };
    }
    let (Some(directed), false) = (directed, parents.len() < 2) else {
        return Err(Failure::OneParent);
    };
    let remark = Some("looking between and around them: a search, not a fair draw".to_owned());
    Ok(Begun { directed, order: Order { breed: parents, ..order }, remark })
}

/// What is drawn anew, and what may move little.
fn free(directed: &DirectedScene) -> String {
    let named = |which: fn(&Freedom) -> bool| {
        let all: Vec<&str> = directed.left_free().filter(|(_, free)| which(free)).map(|(name, _)| name).collect();
        let names = all.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
        let more = if all.len() > MOST_NAMED { format!(" and {} more", all.len() - MOST_NAMED) } else { String::new() };
        (!all.is_empty()).then(|| format!("{names}{more}"))
    };
    let anew = named(|free| *free == Freedom::Anew).map(|names| format!("drawn anew: {names}"));
    let little = named(|free| matches!(free, Freedom::Little(_))).map(|names| format!("may move little: {names}"));
    anew.into_iter().chain(little).collect::<Vec<_>>().join("; ")
}
