//! `proscenium simulate`: one run of a scene.

use std::collections::BTreeMap;
use std::time::Instant;

use proscenium_chance::Seed;
use proscenium_scenes::{ContactNote, DrawnScene, SimulateOptions, Simulation};
use serde::Serialize;

use crate::VerbEnding;
use crate::arguments::Simulate;
use crate::console::Console;
use crate::failure::Failure;
use crate::output::{self, WrittenFile};
use crate::progress::{Bar, Interrupt};
use crate::render;
use crate::text::{bytes, columns, count, pace, seconds, three_digits};

pub fn run(options: &Simulate, seed: u64, console: Console) -> Result<VerbEnding, Failure> {
    output::check(&options.outputs)?;
    let scene = options.scene.find()?;
    for warning in scene.warnings() {
        console.remark(&format!("warning: {warning}"));
    }
    let camera = options.camera.as_ref().map(|name| scene.camera(name)).transpose()?;
    let interrupt = Interrupt::watch()?;
    let drawn = scene.draw(Seed(seed));
    let start = Instant::now();
    let simulation = simulate(&drawn, options, &interrupt, console)?;
    let wall_seconds = start.elapsed().as_secs_f64();

    let mut written = Vec::new();
    for output in &options.outputs {
        if let Some(rendered) =
            render::render(output, &simulation.clip, (options, camera.as_ref()), &interrupt, console)?
        {
            written.push(WrittenFile::write(output, rendered)?);
        } else {
            console.remark(&format!("{} was not begun, so it was not written", output.path.display()));
        }
    }
    let report = Report::new(&drawn, seed, options, &simulation, wall_seconds, written);
    console.report(|| report.text(), &report)?;
    if options.outputs.is_empty() && !console.is_json() {
        console.remark("nothing was written: add -o NAME.glb (or .png, .gif, .json) to keep it");
    }
    Ok(if interrupt.is_pressed() { VerbEnding::Interrupted } else { VerbEnding::Complete })
}

fn simulate(
    drawn: &DrawnScene,
    options: &Simulate,
    interrupt: &Interrupt,
    console: Console,
) -> Result<Simulation, Failure> {
    let bar = Bar::new(console, "simulating", interrupt);
    let run = SimulateOptions { duration: options.duration, ..SimulateOptions::default() };
    Ok(drawn.simulate(&run, bar.progress())?)
}

/// A collision, as scripts see it.
#[derive(Serialize)]
struct ContactJson<'a> {
    time: f64,
    a: &'a str,
    b: &'a str,
    point: [f64; 3],
    speed: f64,
    impulse: f64,
}

impl<'a> ContactJson<'a> {
    fn new(contact: &'a ContactNote) -> Self {
        Self {
            time: contact.time,
            a: &contact.a,
            b: &contact.b,
            point: contact.point.to_array(),
            speed: contact.speed,
            impulse: contact.impulse,
        }
    }
}

/// What a run came to.
#[derive(Serialize)]
struct Report<'a> {
    scene: &'a str,
    seed: u64,
    simulated_seconds: f64,
    wall_seconds: f64,
    events: u64,
    collisions: u64,
    stopped_early: bool,
    /// As text: JSON numbers hold only 53 bits everywhere.
    state_hash: String,
    values: &'a BTreeMap<String, f64>,
    warnings: &'a [String],
    outputs: Vec<WrittenFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contacts: Option<Vec<ContactJson<'a>>>,
}

impl<'a> Report<'a> {
    fn new(
        drawn: &'a DrawnScene,
        seed: u64,
        options: &Simulate,
        simulation: &'a Simulation,
        wall_seconds: f64,
        outputs: Vec<WrittenFile>,
    ) -> Self {
        Self {
            scene: drawn.scene().name(),
            seed,
            simulated_seconds: simulation.world.now(),
            wall_seconds,
            events: simulation.statistics.events,
            collisions: simulation.statistics.collisions,
            stopped_early: simulation.stopped,
            state_hash: format!("{:016x}", simulation.state_hash),
            values: drawn.values(),
            warnings: drawn.scene().warnings(),
            outputs,
            contacts: options.contacts.then(|| simulation.contacts.iter().map(ContactJson::new).collect()),
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        if let Some(contacts) = &self.contacts {
            let heading = ["time (s)", "between", "and", "speed (m/s)", "impulse (N s)"];
            let mut rows = vec![heading.map(str::to_owned).to_vec()];
            rows.extend(contacts.iter().map(|contact| {
                let (speed, impulse) = (three_digits(contact.speed), three_digits(contact.impulse));
                vec![format!("{:.6}", contact.time), contact.a.to_owned(), contact.b.to_owned(), speed, impulse]
            }));
            text.push_str(&columns(&rows));
        }
        let early = if self.stopped_early { ", stopped early" } else { "" };
        text.push_str(&format!(
            "  {} s simulated{early} in {} ({}) · {} events · {} collisions · seed {}\n",
            three_digits(self.simulated_seconds),
            seconds(self.wall_seconds),
            pace(self.simulated_seconds, self.wall_seconds),
            count(self.events),
            count(self.collisions),
            self.seed,
        ));
        let rows: Vec<Vec<String>> = self
            .outputs
            .iter()
            .map(|written| vec![written.path.clone(), bytes(written.bytes as u64), written.what.clone()])
            .collect();
        text.push_str(&columns(&rows));
        text
    }
}
