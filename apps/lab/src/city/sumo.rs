//! SUMO, where it is installed: our network and our cars in its format.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use proscenium_chance::Seed;
use proscenium_city::Map;
use proscenium_city::map::RoadId;

use crate::error::{Halt, LabError};
use crate::experiment::Context;

/// The programs of SUMO, and a folder that is theirs until they are not needed.
pub(super) struct Programs {
    bin: PathBuf,
    scratch: PathBuf,
}

/// SUMO with our city.
pub(super) struct Sumo {
    programs: Programs,
}

/// What a run took.
pub(super) struct SumoRun {
    /// Time of the processor where the system tells it, else of the wall, seconds.
    pub seconds: f64,
    /// Roads that vehicles entered.
    pub entered: f64,
}

impl Sumo {
    /// SUMO, if `cargo xtask peers` has installed it, with a city written for it.
    pub fn find(context: &Context, map: &Map, cars: u32, seed: Seed) -> Result<Option<Self>, Halt> {
        let Some(programs) = Programs::find(context, "city") else {
            return Ok(None);
        };
        programs.write("city.nod.xml", &nodes(map))?;
        programs.write("city.edg.xml", &edges(map))?;
        programs.write("city.rou.xml", &routes(map, cars, seed))?;
        let convert = [
            "--node-files=city.nod.xml",
            "--edge-files=city.edg.xml",
            "--output-file=city.net.xml",
            "--no-turnarounds=true",
        ];
        programs.run("netconvert", &convert, context)?;
        Ok(Some(Self { programs }))
    }

    /// Simulates so many seconds in steps of a length.
    pub fn simulate(&self, seconds: f64, step: f64, mesoscopic: bool, context: &Context) -> Result<SumoRun, Halt> {
        let (end, step) = (format!("--end={seconds}"), format!("--step-length={step}"));
        let meso = format!("--mesosim={mesoscopic}");
        let arguments = [
            "--net-file=city.net.xml",
            "--route-files=city.rou.xml",
            "--no-step-log=true",
            "--no-warnings=true",
            "--ignore-route-errors=true",
            "--time-to-teleport=-1",
            "--edgedata-output=edges.xml",
            &end,
            &step,
            &meso,
        ];
        let seconds = self.programs.run("sumo", &arguments, context)?;
        let text = String::from_utf8_lossy(&self.programs.read("edges.xml")?).into_owned();
        let entered =
            text.split("entered=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse::<f64>().ok()).sum();
        Ok(SumoRun { seconds, entered })
    }
}

impl Programs {
    /// SUMO, if `cargo xtask peers` has installed it.
    pub fn find(context: &Context, name: &str) -> Option<Self> {
        let bin = context.python_peer("sumo").and_then(|bin| programs(&bin))?;
        let scratch = std::env::temp_dir().join(format!("proscenium-sumo-{name}-{}", std::process::id()));
        Some(Self { bin, scratch })
    }

    /// Where the programs are.
    pub fn folder(&self) -> &Path {
        &self.bin
    }

    /// A file that a program reads.
    pub fn write(&self, name: &str, text: &str) -> Result<(), Halt> {
        let path = self.scratch.join(name);
        let wrong = |error| LabError::File { action: "write", path: path.clone(), error };
        std::fs::create_dir_all(&self.scratch).map_err(wrong)?;
        Ok(std::fs::write(&path, text).map_err(wrong)?)
    }

    /// A file that a program has written.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, Halt> {
        let path = self.scratch.join(name);
        Ok(std::fs::read(&path).map_err(|error| LabError::File { action: "read", path: path.clone(), error })?)
    }

    /// Runs a program, and tells how long it took.
    pub fn run(&self, program: &str, arguments: &[&str], context: &Context) -> Result<f64, Halt> {
        let path = self.bin.join(program);
        let failed = |message: String| LabError::Peer { program: path.clone(), message };
        std::fs::create_dir_all(&self.scratch).map_err(|error| failed(error.to_string()))?;
        let mut child = Command::new(&path)
            .args(arguments)
            .current_dir(&self.scratch)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let (start, mut spent) = (Instant::now(), None);
        while child.try_wait().map_err(|error| failed(error.to_string()))?.is_none() {
            if let Err(interrupted) = context.check() {
                child.kill().and_then(|()| child.wait().map(|_| ())).map_err(|error| failed(error.to_string()))?;
                return Err(interrupted);
            }
            spent = processor_seconds(child.id()).or(spent);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let output = child.wait_with_output().map_err(|error| failed(error.to_string()))?;
        if output.status.success() {
            return Ok(spent.unwrap_or_else(|| start.elapsed().as_secs_f64()));
        }
        Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()).into())
    }
}

/// Where the programs themselves are: those on the path of an environment only
/// start them, so that their time would not be seen.
fn programs(bin: &Path) -> Option<PathBuf> {
    let libraries = std::fs::read_dir(bin.parent()?.join("lib")).ok()?;
    let inside = libraries.flatten().map(|entry| entry.path().join("site-packages/sumo/bin"));
    inside.chain([bin.to_owned()]).find(|folder| folder.join("sumo").is_file())
}

/// The time that the processor has spent on a program that has one thread, where
/// the system keeps it: the first field of `schedstat`, in nanoseconds. Of one
/// that has ended it is zero.
fn processor_seconds(id: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{id}/schedstat")).ok()?;
    let spent: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(spent * 1e-9).filter(|seconds| *seconds > 0.0)
}

impl Drop for Programs {
    fn drop(&mut self) {
        // What is left behind is in the folder for such things.
        let _ = std::fs::remove_dir_all(&self.scratch);
    }
}

fn nodes(map: &Map) -> String {
    let mut text = String::from("<nodes>\n");
    for junction in map.junctions() {
        let at = map.junction(junction).position;
        let _ =
            writeln!(text, "<node id=\"{}\" x=\"{:.2}\" y=\"{:.2}\" type=\"allway_stop\"/>", junction.0, at.x, -at.y);
    }
    text + "</nodes>\n"
}

/// The name of a direction of a road.
fn edge(road: RoadId, against: bool) -> String {
    format!("{}{}", road.0, if against { "b" } else { "a" })
}

fn edges(map: &Map) -> String {
    let mut text = String::from("<edges>\n");
    for id in map.roads() {
        let road = map.road(id);
        for (against, lanes, from, to) in
            [(false, road.along, road.from, road.to), (true, road.against, road.to, road.from)]
        {
            if lanes > 0 {
                let _ = writeln!(
                    text,
                    "<edge id=\"{}\" from=\"{}\" to=\"{}\" numLanes=\"{lanes}\" speed=\"{}\"/>",
                    edge(id, against),
                    from.0,
                    to.0,
                    road.limit
                );
            }
        }
    }
    text + "</edges>\n"
}

/// Each car wanders at random, far enough for the whole run.
fn routes(map: &Map, cars: u32, seed: Seed) -> String {
    let mut text = String::from(
        "<routes>\n<vType id=\"car\" accel=\"2.0\" decel=\"3.0\" length=\"4.2\" minGap=\"1.6\" sigma=\"0\"/>\n",
    );
    for car in 0..cars {
        let mut stream = seed.stream("route").at(u64::from(car));
        let mut path = proscenium_city::map::PathId(stream.below(map.path_count() as u64) as u32);
        let mut way = Vec::new();
        for _ in 0..120 {
            let lane = map.lane(map.path(path).to);
            way.push(edge(lane.road, lane.against));
            let mut next = map.successors(path);
            let chosen = stream.below(next.len() as u64) as usize;
            path = next.nth(chosen).unwrap_or(path);
        }
        let _ = writeln!(
            text,
            "<vehicle id=\"{car}\" type=\"car\" depart=\"0\" departPos=\"random_free\" departLane=\"best\"><route edges=\"{}\"/></vehicle>",
            way.join(" ")
        );
    }
    text + "</routes>\n"
}
