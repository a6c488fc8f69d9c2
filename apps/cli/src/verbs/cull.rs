//! `proscenium cull`: a dynamical system, compiled.

mod several;

use std::path::{Path, PathBuf};
use std::time::Instant;

use proscenium_chance::Seed;
use proscenium_clip::GlbImport;
use proscenium_cull::geometry::PartMesh;
use proscenium_cull::{Assembly, CompileSettings, CompiledModel, CullError, Model, Player};
use proscenium_show::cull::{part_mesh, report};
use proscenium_work::{Completion, Progress};
use serde::Serialize;

use crate::VerbEnding;
use crate::arguments::Cull;
use crate::console::Console;
use crate::failure::Failure;
use crate::output;
use crate::progress::{Bar, Interrupt};
use crate::text::{bytes, columns, seconds, three_digits};
use crate::verbs::recording;

pub fn run(options: &Cull, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    let interrupt = Interrupt::watch()?;
    let text = match &options.model {
        Some(path) => {
            Some(std::fs::read_to_string(path).map_err(|source| Failure::Read { path: path.clone(), source })?)
        }
        None => None,
    };
    let several = text.as_ref().filter(|text| options.from.is_empty() && Assembly::is_one(text));
    if let (Some(path), Some(text)) = (&options.model, several) {
        return several::run((path.as_path(), text.as_str()), options, seed, console, &interrupt);
    }
    let Some(model) = model(options, text, console, &interrupt)? else {
        return Ok(VerbEnding::Interrupted);
    };
    let settings = match options.quick {
        true => model.settings().with_effort_of(&CompileSettings::quick()),
        false => model.settings().clone(),
    };
    let start = Instant::now();
    let bar = Bar::new(console, "compiling", &interrupt);
    let compiled = CompiledModel::compile(model, &settings, Seed(seed), bar.progress()).map_err(Failure::Cull)?;
    drop(bar);
    let Completion::Finished(compiled) = compiled else {
        console.remark("nothing was learned yet, so nothing was written");
        return Ok(VerbEnding::Interrupted);
    };
    let compile_s = start.elapsed().as_secs_f64();
    let costs = Costs::measure(&compiled, seed, &interrupt.progress()).map_err(Failure::Cull)?;
    let summary = Summary::new(&compiled, options, compile_s, &costs)?;
    console.report(|| summary.text(&compiled, &costs), &summary)?;
    if interrupt.is_pressed() {
        return Ok(VerbEnding::Interrupted);
    }
    match compiled.is_strictly_right() {
        Err(reason) if options.strict => {
            console.remark(&format!("not right to the letter: {reason}"));
            Ok(VerbEnding::Short)
        }
        _ => Ok(VerbEnding::Complete),
    }
}

/// The model of a file, or of a recording with what a file says about it; `None` if
/// somebody stopped it.
fn model(
    options: &Cull,
    text: Option<String>,
    console: Console,
    interrupt: &Interrupt,
) -> Result<Option<Model>, Failure> {
    let path = options.model.as_deref().unwrap_or(Path::new(""));
    let name = path.display().to_string();
    let Some(first) = options.from.first() else {
        let model = Model::parse(&name, &text.unwrap_or_default()).map_err(Failure::Model)?;
        return model.with_meshes(mesh_beside(path)).map(Some);
    };
    let (recording, warnings) = recording::read(&options.from, &options.nodes, options.animation.as_deref())?;
    for warning in &warnings {
        console.remark(warning);
    }
    let stem = first.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    // Quoted as TOML quotes, whatever the file is called.
    let plain: String = stem.chars().filter(|letter| !letter.is_control()).collect();
    let quoted = plain.replace('\\', "\\\\").replace('"', "\\\"");
    let text = text.unwrap_or_else(|| format!("format = 1\nname = \"{quoted}\"\n"));
    let bar = Bar::new(console, "comparing", interrupt);
    let model = match Model::recorded(&name, &text, &recording, bar.progress()) {
        Ok(model) => model.finished(),
        Err(CullError::Model(errors)) => return Err(Failure::Model(errors)),
        Err(error) => return Err(Failure::Cull(error)),
    };
    model.map(|model| model.with_meshes(mesh_beside(path))).transpose()
}

/// Reads the meshes that parts name, from beside the file of their model.
fn mesh_beside(path: &Path) -> impl FnMut(&str) -> Result<PartMesh, Failure> {
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    move |file| {
        let path = folder.join(file);
        let import = GlbImport::read_glb(&path).map_err(|source| Failure::Animation { path: path.clone(), source })?;
        let file = path.display().to_string();
        part_mesh(&import.clip).ok_or(Failure::Cull(CullError::Mesh { part: file.clone(), file }))
    }
}

/// What a system costs on this machine, nanoseconds.
struct Costs {
    in_view: f64,
    /// Coming back after twice the medium and twice the long time.
    back: Vec<(f64, f64)>,
}

impl Costs {
    /// Measures as much as nobody stops it before.
    fn measure(compiled: &CompiledModel, seed: u64, progress: &Progress) -> Result<Self, CullError> {
        const FRAMES: u32 = 2000;
        const RETURNS: u32 = 200;
        let (model, learned) = (compiled.model(), compiled.learned());
        let mut shown = Vec::new();
        let mut player = Player::new(model, Seed(seed), 0.0);
        let start = Instant::now();
        let mut frames = 0_u32;
        while frames == 0 || frames < FRAMES && !progress.is_stopped() {
            let now = f64::from(frames) / 60.0;
            frames += 1;
            let (state, _) = player.see(model, learned, now)?;
            model.show(&state, now, &[], &mut shown);
        }
        let in_view = start.elapsed().as_secs_f64() * 1e9 / f64::from(frames);
        let mut back = Vec::new();
        for gap in [learned.medium().map(|medium| 2.0 * medium), learned.long().map(|long| 2.0 * long)] {
            let Some(gap) = gap.filter(|gap| gap.is_finite()) else {
                continue;
            };
            let mut player = Player::new(model, Seed(seed), 0.0);
            let start = Instant::now();
            let mut returns = 0_u32;
            while returns == 0 || returns < RETURNS && !progress.is_stopped() {
                returns += 1;
                player.see(model, learned, f64::from(returns) * gap)?;
            }
            back.push((gap, start.elapsed().as_secs_f64() * 1e9 / f64::from(returns)));
        }
        Ok(Self { in_view, back })
    }

    fn rows(&self) -> Vec<(String, String)> {
        let mut rows = vec![("in view".to_owned(), format!("{} per frame", seconds(self.in_view * 1e-9)))];
        for (gap, cost) in &self.back {
            rows.push((format!("back after {} s", three_digits(*gap)), seconds(cost * 1e-9)));
        }
        rows
    }
}

#[derive(Serialize)]
struct Written {
    path: String,
    bytes: usize,
}

/// What compiling came to.
#[derive(Serialize)]
struct Summary {
    model: String,
    ranges: Vec<(String, f64, f64)>,
    period_s: Option<f64>,
    medium_s: Option<f64>,
    long_s: Option<f64>,
    approximations: Vec<(f64, String)>,
    verdict: String,
    compile_s: f64,
    in_view_ns: f64,
    written: Vec<Written>,
}

impl Summary {
    fn new(compiled: &CompiledModel, options: &Cull, compile_s: f64, costs: &Costs) -> Result<Self, Failure> {
        let learned = compiled.learned();
        let findings = learned.findings();
        let mut written = Vec::new();
        let mut write = |path: &Path, content: &[u8]| -> Result<(), Failure> {
            output::write(path, content)?;
            written.push(Written { path: path.display().to_string(), bytes: content.len() });
            Ok(())
        };
        write(&options.output, &compiled.to_bytes())?;
        for path in &options.modules {
            let is_rust = path.extension().is_some_and(|ending| ending == "rs");
            let module = if is_rust { compiled.to_rust() } else { compiled.to_javascript() };
            let module = module.map_err(Failure::Cull)?;
            write(path, module.as_bytes())?;
        }
        let page = report(compiled, &costs.rows())?;
        write(&beside(&options.output), page.as_bytes())?;
        let ranges = findings.variables.iter().zip(&findings.ranges);
        Ok(Self {
            model: compiled.model().name().to_owned(),
            ranges: ranges.map(|(name, (low, high))| (name.clone(), *low, *high)).collect(),
            period_s: learned.period(),
            medium_s: learned.medium(),
            long_s: learned.long(),
            approximations: learned.jumps(),
            verdict: compiled.verdict(),
            compile_s,
            in_view_ns: costs.in_view,
            written,
        })
    }

    fn text(&self, compiled: &CompiledModel, costs: &Costs) -> String {
        let mut rows: Vec<Vec<String>> = compiled.summary().into_iter().map(|(key, value)| vec![key, value]).collect();
        let back: Vec<String> = costs.rows().into_iter().map(|(key, value)| format!("{key} {value}")).collect();
        rows.push(vec!["out of view".to_owned(), format!("0 ns per frame; {}", back.join("; "))]);
        let files: Vec<String> =
            self.written.iter().map(|file| format!("{} ({})", file.path, bytes(file.bytes as u64))).collect();
        let verdict = &self.verdict;
        format!("{}  {verdict}\n  wrote {}     {}\n", columns(&rows), files.join(", "), seconds(self.compile_s))
    }
}

/// The report stands beside the compiled file.
fn beside(output: &Path) -> PathBuf {
    output.with_extension("html")
}
