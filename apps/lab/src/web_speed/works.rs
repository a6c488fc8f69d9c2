//! The works that are done here as they are in the browser: each gives the bytes of what
//! came of it, and a page does the same (`npm/bench/works.js`).

use std::time::Instant;

use proscenium_city::{City, Drive, Eye, Map, Recipe};
use proscenium_cull::builtin::Builtin;
use proscenium_cull::{CompileSettings, CompiledModel};
use proscenium_director::{MemoryArchive, Order, direct};
use proscenium_ensemble::GraphBuild;
use proscenium_ensemble::built_in::Banner;
use proscenium_scenes::dice::{DiceOrder, Die, roll};
use proscenium_scenes::{DirectedScene, Seed, SimulateOptions, builtin, find};
use proscenium_work::{Completion, Memory, Progress};

use crate::error::{Halt, LabError};

/// What came of a work: how long each round took, ms, and a number that depends on all bits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Timings {
    pub ms: Vec<f64>,
    pub bits: String,
}

/// How much is done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amount {
    /// Throws of dice, each another.
    pub throws: u64,
    /// How often all else is done.
    pub rounds: u64,
}

/// A hash of bytes that a page can compute: FNV-1a of 32 bits.
pub(super) struct Bits(u32);

impl Bits {
    pub fn new() -> Self {
        Self(0x811c_9dc5)
    }

    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        }
    }

    pub fn add_numbers(&mut self, numbers: impl IntoIterator<Item = f32>) {
        numbers.into_iter().for_each(|number| self.add(&number.to_le_bytes()));
    }

    pub fn shown(&self) -> String {
        format!("{:08x}", self.0)
    }
}

/// The names of all works, in the order in which both sides do them.
pub(super) fn names() -> Vec<String> {
    let scenes = builtin().iter().map(|scene| format!("scene {}", scene.name));
    let others = ["ride tilt-a-whirl", "ensemble banner", "city", "direct dice"].map(str::to_owned);
    ["dice".to_owned()].into_iter().chain(scenes).chain(others).collect()
}

/// Does a work by its name, and asks in between whether to go on.
pub(super) fn work(name: &str, amount: Amount, progress: &Progress) -> Result<Timings, Halt> {
    match name {
        "dice" => dice(amount.throws, progress),
        "ride tilt-a-whirl" => rounds(amount, progress, ride),
        "ensemble banner" => rounds(amount, progress, banner),
        "city" => rounds(amount, progress, city),
        "direct dice" => rounds(amount, progress, sixes),
        scene => rounds(amount, progress, |_| state(scene.trim_start_matches("scene "))),
    }
}

fn rounds(
    amount: Amount,
    progress: &Progress,
    work: impl Fn(&Progress) -> Result<Bits, Halt>,
) -> Result<Timings, Halt> {
    let mut done = Timings { ms: Vec::new(), bits: String::new() };
    for _ in 0..amount.rounds {
        progress.check()?;
        let begin = Instant::now();
        done.bits = work(progress)?.shown();
        done.ms.push(1e3 * begin.elapsed().as_secs_f64());
    }
    Ok(done)
}

/// Throws of five dice with given faces, each timed by itself.
fn dice(throws: u64, progress: &Progress) -> Result<Timings, Halt> {
    let (mut bits, mut ms) = (Bits::new(), Vec::new());
    for seed in 0..throws {
        let show = (0..5).map(|die| 1 + ((seed + die) % 6) as u32).collect();
        let order = DiceOrder { show: Some(show), ..DiceOrder::new(&[Die::D6; 5], Seed(seed)) };
        let begin = Instant::now();
        let throw = finished(roll(&order, progress)?)?;
        ms.push(1e3 * begin.elapsed().as_secs_f64());
        for key in throw.solids.iter().flat_map(|solid| &solid.track.keys) {
            bits.add_numbers([key.time]);
            bits.add_numbers(key.position.to_array());
            bits.add_numbers(key.orientation.to_array());
        }
    }
    Ok(Timings { ms, bits: bits.shown() })
}

/// A built-in scene after a second.
fn state(scene: &str) -> Result<Bits, Halt> {
    let mut world = find(scene, &[])?.draw(Seed(1)).world()?;
    world.advance(1.0)?;
    let mut bits = Bits::new();
    bits.add(format!("{:016x}", world.state_hash()).as_bytes());
    Ok(bits)
}

fn ride(progress: &Progress) -> Result<Bits, Halt> {
    let builtin = Builtin::find("tilt-a-whirl").expect("it comes with the engine");
    let model = builtin.model().expect("it comes with the engine");
    let settings = model.settings().with_effort_of(&CompileSettings::quick());
    let compiled = CompiledModel::compile(model, &settings, Seed(1), progress)?;
    let mut bits = Bits::new();
    bits.add(&finished(compiled)?.to_bytes());
    Ok(bits)
}

fn banner(progress: &Progress) -> Result<Bits, Halt> {
    let store = Memory::default();
    let generator = Banner { flags: 1, ..Banner::default() }.generator();
    let graph = GraphBuild::new(&store, Seed(1)).make(&generator, 6.0, progress)?;
    let mut bits = Bits::new();
    bits.add(&finished(graph)?.to_bytes());
    Ok(bits)
}

/// Ten seconds of a drive through streets with five hundred cars.
fn city(_progress: &Progress) -> Result<Bits, Halt> {
    let plan = Recipe::with_roads(60).generate(Seed(7))?;
    let map = Map::build(&plan).map_err(|error| LabError::from(proscenium_city::CityError::from(error)))?;
    let mut city = City::new(map).with_cars(500).seed(7);
    let drive = Drive::record(city.map(), Seed(0), 10.0, 30.0)?;
    let mut bits = Bits::new();
    for (frame, viewer) in drive.frames().iter().enumerate() {
        // A page has places and directions of 32 bits.
        let eye = viewer.eye(1.2, 400.0)?;
        let (place, ahead) = (eye.position().as_vec2().as_dvec2(), eye.direction().as_vec2().as_dvec2());
        city.look(&[Eye::new(place, ahead, 1.2, 400.0)?]);
        for car in city.advance(frame as f64 / 30.0)? {
            let (_, turn, place) = car.world_from_body.to_scale_rotation_translation();
            bits.add_numbers([car.id.0 as f32]);
            bits.add_numbers(place.as_vec3().to_array());
            bits.add_numbers(turn.as_quat().to_array());
            bits.add_numbers([car.speed as f32, car.steering as f32]);
        }
    }
    Ok(bits)
}

/// Four throws that end with two sixes.
fn sixes(progress: &Progress) -> Result<Bits, Halt> {
    let scene = find("dice", &[]).and_then(|scene| scene.with_wants("die-1 shows 6, die-2 shows 6"));
    let directed = DirectedScene::new(&scene?)?;
    let (mut archive, order) = (MemoryArchive::default(), Order::new(4, Seed(1)));
    let report = direct(&directed, &mut archive, &order, progress, &mut |_| Ok(()))?;
    let entries = proscenium_director::Archive::entries(&archive)?;
    let mut bits = Bits::new();
    for animation in &report.animations {
        let drawn = directed.drawn(&entries[animation.index].sample.point)?;
        let shown = drawn.simulate(&SimulateOptions::default(), progress)?;
        bits.add(&shown.clip.to_glb()?);
    }
    Ok(bits)
}

fn finished<T>(completion: Completion<T>) -> Result<T, Halt> {
    completion.finished().ok_or(Halt::Stopped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_one_that_pages_compute() {
        let mut bits = Bits::new();
        bits.add(b"foobar");
        assert_eq!(bits.shown(), "bf9cf968");
    }

    #[test]
    fn the_same_work_has_the_same_bits() {
        let amount = Amount { throws: 2, rounds: 2 };
        let once = work("scene bounce", amount, &Progress::none()).unwrap();
        assert_eq!(once.bits, work("scene bounce", amount, &Progress::none()).unwrap().bits);
        assert_eq!(work("dice", amount, &Progress::none()).unwrap().ms.len(), 2);
    }
}
