//! `proscenium gallery`: what a run found.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proscenium_direct::{Method, Settling, Traces};
use proscenium_director::{directed_as_recorded, gallery_scene, judge_again};
use proscenium_gallery::{Entry, Gallery as GalleryFile, Run};
use proscenium_picture::plot::{Plot, Scale};
use proscenium_scenes::{DirectedScene, DrawnScene};
use serde_json::json;

use super::direct::{GALLERY, simulated};
use crate::VerbEnding;
use crate::arguments::{Gallery, GalleryVerb, SceneChoice, Simulate};
use crate::console::Console;
use crate::failure::Failure;
use crate::output::{self, Output, TraceOutput};
use crate::progress::Interrupt;
use crate::render;
use crate::text::{columns, count, log_score};

pub fn run(options: &Gallery, console: Console) -> Result<VerbEnding, Failure> {
    let path = options.folder.join(GALLERY);
    match &options.verb {
        None | Some(GalleryVerb::List) => list(&path, console)?,
        Some(GalleryVerb::Show { number }) => show(&path, *number, console)?,
        Some(GalleryVerb::Export { number, outputs, at, camera }) => {
            return export(&path, *number, outputs, (*at, camera.as_ref()), console);
        }
        Some(GalleryVerb::Plot { output }) => plot(&path, output, console)?,
        Some(GalleryVerb::Traces { output }) => traces(&path, output, console)?,
    }
    Ok(VerbEnding::Complete)
}

fn list(path: &Path, console: Console) -> Result<(), Failure> {
    let gallery = GalleryFile::open(path)?;
    let (run, entries, simulations) = (gallery.run()?, gallery.entries()?, gallery.simulations()?);
    let held = held(&gallery)?;
    let settling = settling(&gallery)?;
    let weight = |entry: &Entry| held.get(&key(entry)).copied().unwrap_or(0);
    let samples: Vec<_> = entries
        .iter()
        .enumerate()
        .map(|(index, entry)| {
            let mut json = sample_json(index, entry);
            json["held"] = json!(weight(entry));
            json
        })
        .collect();
    let json = json!({
        "wants": run.wants,
        "seed": run.seed,
        "engine": run.engine,
        "simulations": simulations,
        "settled": settling.as_ref().map(Settling::is_settled),
        "settling": settling.as_ref().map(ToString::to_string),
        "samples": samples,
    });
    console.report(|| list_text(&run, &entries, weight, settling.as_ref(), simulations), json)
}

fn sample_json(index: usize, entry: &Entry) -> serde_json::Value {
    let sample = &entry.sample;
    json!({
        "number": index + 1,
        "method": sample.method,
        "chain": sample.chain,
        "iteration": sample.iteration,
        "phase": sample.phase,
        "log_score": sample.log_score,
        "wants_met": entry.wants_met,
    })
}

/// Which chain a sample is from, and where in it.
type Key = (Method, u64, u64);

fn key(entry: &Entry) -> Key {
    (entry.sample.method, entry.sample.chain, entry.sample.iteration)
}

/// For how many draws that count each sample was held.
fn held(gallery: &GalleryFile) -> Result<BTreeMap<Key, u64>, Failure> {
    let mut held = BTreeMap::new();
    for draw in gathered(gallery)?.last_phase().chains().flatten().filter(|draw| draw.satisfied && draw.phase > 0) {
        *held.entry((draw.method, draw.chain, draw.since)).or_default() += 1;
    }
    Ok(held)
}

/// Whether chains agree, where there are chains.
fn settling(gallery: &GalleryFile) -> Result<Option<Settling>, Failure> {
    let traces = gathered(gallery)?;
    match traces.method() {
        Some(Method::Chain | Method::Tempering) => {
            traces.settling(1).map(Some).map_err(|error| Failure::Director(error.into()))
        }
        _ => Ok(None),
    }
}

fn list_text(
    run: &Run,
    entries: &[Entry],
    weight: impl Fn(&Entry) -> u64,
    settling: Option<&Settling>,
    simulations: u64,
) -> String {
    let heading =
        ["sample", "found by", "chain", "iteration", "held for", "log score", "wants"].map(str::to_owned).to_vec();
    let mut rows = vec![heading];
    rows.extend(entries.iter().enumerate().map(|(index, entry)| {
        let met: String = entry.wants_met.iter().map(|met| if *met { '●' } else { '○' }).collect();
        let sample = &entry.sample;
        vec![
            (index + 1).to_string(),
            sample.method.name().to_owned(),
            sample.chain.to_string(),
            count(sample.iteration),
            if sample.phase == 0 && weight(entry) == 0 { "warm-up".to_owned() } else { count(weight(entry)) },
            log_score(sample.log_score),
            met,
        ]
    }));
    let wants: String = run.wants.iter().map(|want| format!("  ● {want}\n")).collect();
    let all = count(entries.len() as u64);
    let settling = settling.map(|settling| format!("  {settling}\n")).unwrap_or_default();
    format!(
        "{}{wants}{settling}  {all} found in {} simulations · seed {}\n",
        columns(&rows),
        count(simulations),
        run.seed
    )
}

/// A sample by its number, as a scene that can be simulated.
fn sample(path: &Path, number: usize) -> Result<(DirectedScene, DrawnScene, Entry, Run), Failure> {
    let (scene, run) = gallery_scene(path, Path::new(""))?;
    let entries = GalleryFile::open(path)?.entries()?;
    let entry = number.checked_sub(1).and_then(|index| entries.get(index)).cloned();
    let entry = entry.ok_or(Failure::NoSample { number, count: entries.len() })?;
    let directed = directed_as_recorded(&scene, &run)?;
    let drawn = directed.drawn(&entry.sample.point).map_err(|error| Failure::Director(error.into()))?;
    Ok((directed, drawn, entry, run))
}

fn show(path: &Path, number: usize, console: Console) -> Result<(), Failure> {
    let (_, drawn, entry, run) = sample(path, number)?;
    let mut json = sample_json(number - 1, &entry);
    json["values"] = json!(drawn.values());
    let text = || {
        let met = run.wants.iter().zip(&entry.wants_met);
        let wants: String = met.map(|(want, met)| format!("  {} {want}\n", if *met { '●' } else { '○' })).collect();
        let rows: Vec<Vec<String>> =
            drawn.values().iter().map(|(name, value)| vec![name.clone(), format!("{value}")]).collect();
        format!("{wants}{}", columns(&rows))
    };
    console.report(text, json)
}

fn export(
    path: &Path,
    number: usize,
    outputs: &[Output],
    (at, camera): (Option<f64>, Option<&String>),
    console: Console,
) -> Result<VerbEnding, Failure> {
    output::check(outputs)?;
    let (directed, drawn, entry, run) = sample(path, number)?;
    let taken_by = camera.map(|name| drawn.scene().camera(name)).transpose()?;
    let interrupt = Interrupt::watch()?;
    if let Some(Some(warning)) = judge_again(&directed, &entry, &run, &interrupt.progress())?.finished() {
        console.remark(&format!("warning: {warning}"));
    }
    let Some(clip) = simulated(&drawn, &interrupt.progress())? else {
        console.remark("nothing was written");
        return Ok(VerbEnding::Interrupted);
    };
    let options = Simulate {
        scene: SceneChoice { scene: String::new(), settings: Vec::new() },
        outputs: Vec::new(),
        duration: None,
        contacts: false,
        at,
        trail: None,
        camera: None,
        size: None,
        fps: 25,
    };
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    for output in outputs {
        if let Some(rendered) = render::render(output, &clip, (&options, taken_by.as_ref()), &interrupt, console)? {
            output::write(&output.path, &rendered.bytes)?;
            files.push((output.path.clone(), rendered.what));
        }
    }
    let json = json!({ "files": files.iter().map(|(path, _)| path.display().to_string()).collect::<Vec<_>>() });
    let rows = files.iter().map(|(path, what)| vec![path.display().to_string(), what.clone()]).collect::<Vec<_>>();
    console.report(|| columns(&rows), json)?;
    Ok(if interrupt.is_pressed() { VerbEnding::Interrupted } else { VerbEnding::Complete })
}

/// How many wants were met, along each chain.
fn plot(path: &Path, output: &Path, console: Console) -> Result<(), Failure> {
    let gallery = GalleryFile::open(path)?;
    let traces = gathered(&gallery)?;
    let title = format!("Wants met, of {}", gallery.run()?.wants.len());
    let mut plot = Plot::new(title).x("iteration", Scale::Linear).y("wants met", Scale::Linear);
    for (number, chain) in traces.chains().enumerate() {
        let points = chain.iter().filter_map(|draw| Some((draw.iteration as f64, *draw.quantities.first()?)));
        plot = plot.points(format!("chain {}", number + 1), points);
    }
    output::write(output, plot.to_svg()?.as_bytes())?;
    let path = output.display().to_string();
    console.report(|| format!("  {path}  how many wants were met\n"), json!({ "files": [path] }))
}

fn traces(path: &Path, output: &TraceOutput, console: Console) -> Result<(), Failure> {
    let traces = gathered(&GalleryFile::open(path)?)?;
    let (path, how) = match output {
        TraceOutput::Json(path) => {
            output::write(path, traces.to_arviz_json().map_err(Failure::Traces)?.as_bytes())?;
            (path, "arviz.from_json(PATH)")
        }
        TraceOutput::Zarr(path) => {
            let store = traces.to_zarr().map_err(Failure::Traces)?;
            output::write_folder(path, store.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())))?;
            (path, "xarray.open_datatree(PATH, engine=\"zarr\")")
        }
    };
    let path = path.display().to_string();
    console.report(|| format!("  {path}  open with {how}\n"), json!({ "files": [path] }))
}

/// What all chains of a run did.
pub fn gathered(gallery: &GalleryFile) -> Result<Traces, Failure> {
    let mut traces = Traces::new(gallery.run()?.quantities);
    traces.extend(gallery.draws()?);
    Ok(traces)
}
