//! The clips that people judge.

use std::sync::Arc;

use glam::{DQuat, DVec3, Quat, Vec3};
use proscenium_bodies::{Material as Stuff, Motion};
use proscenium_chance::Seed;
use proscenium_clip::{Clip, Material, Mesh, Node, Track, shapes};
use proscenium_geometry::Pose;
use proscenium_lod::contact::PlacedPair;
use proscenium_lod::mesh::built_in;
use proscenium_lod::{BodyId, Budget, LodError, Settings, TreeKind, TreeSettings, VolumeModel, World};
use proscenium_work::{Halt, Progress, Stopped};

use crate::{Condition, Study, StudyError};

/// Frames per second of a stimulus, and how long it lasts before and after the
/// collision, seconds.
const RATE: f64 = 60.0;
const BEFORE: f64 = 1.2;
const AFTER: f64 = 1.2;
/// The speed of each body at 100 %, m/s.
const SPEED: f64 = 0.9;
/// The levels of the trees that stand for coarse, middle and fine.
const LEVELS: [u32; 3] = [0, 2, 5];
/// Halvings of the distance at which two bodies meet: below a nanometre.
const BISECTIONS: u32 = 30;

type Path = Vec<(f64, DVec3, DQuat)>;

pub(crate) fn clip(study: Study, condition: &Condition, progress: &Progress) -> Result<Clip, Halt<StudyError>> {
    let speed = SPEED * [0.5, 1.0, 1.5][condition.levels[1]];
    let (mesh, paths) = match study {
        Study::Gaze => return Err(StudyError::RunsLive { study: study.name() }.into()),
        Study::Causality => {
            let ball = shapes::ico_sphere(0.25, 3).map_err(StudyError::from)?;
            (ball, balls(speed, [0.0, 0.1, 0.3][condition.levels[0]]))
        }
        Study::Gap | Study::Dynamics => {
            let model = l_shape(&progress.part(0.0, 0.5))?;
            let level = LEVELS[condition.levels[0]];
            let rest = progress.part(0.5, 1.0);
            let paths = match study {
                Study::Gap => turning_back(&model, level, speed, &rest)?,
                _ => bouncing(&model, level, speed, &rest)?,
            };
            (model.clip_mesh().map_err(StudyError::from)?, paths)
        }
    };
    Ok(assembled(study, condition, mesh, paths)?)
}

/// The scene turned about the vertical, so that it is seen from the side, at an
/// angle, or nearly along its path.
fn assembled(study: Study, condition: &Condition, mesh: Mesh, paths: [Path; 2]) -> Result<Clip, StudyError> {
    let mut clip = Clip::new(condition.file_name(study));
    let angle = [0.0_f32, 45.0, 85.0][condition.levels[2]].to_radians();
    let turn = Quat::from_rotation_y(angle);
    let scene = clip.add_node(Node::new("scene").with_rest(Vec3::ZERO, turn));
    for (name, colour, path) in [("left", [0.70, 0.22, 0.12], &paths[0]), ("right", [0.12, 0.36, 0.62], &paths[1])] {
        let paint = clip.add_material(Material::new(name, colour));
        let own = clip.add_mesh(mesh.clone().with_name(name).with_material(paint));
        let track = Track::from_samples(path.iter().copied())?;
        clip.add_node(Node::new(name).with_mesh(own).with_parent(scene).with_track(track.reduce(1e-4, 1e-3)));
    }
    Ok(clip)
}

fn l_shape(progress: &Progress) -> Result<Arc<VolumeModel>, Halt<StudyError>> {
    let settings = TreeSettings { kind: TreeKind::Adaptive, depth: 5 };
    let build = || VolumeModel::build("l-shape", &built_in("l-shape", 500)?.scaled(0.5)?, settings, progress);
    Ok(Arc::new(build().map_err(StudyError::from)?.or_stopped()?))
}

/// Two balls that meet in the middle, stop there for the delay, and go back.
fn balls(speed: f64, delay: f64) -> [Path; 2] {
    let frames = ((BEFORE + delay + AFTER) * RATE) as u32;
    [-1.0, 1.0].map(|side| {
        let at = |frame: u32| {
            let time = f64::from(frame) / RATE;
            let away = if time < BEFORE { BEFORE - time } else { (time - BEFORE - delay).max(0.0) };
            (time, side * (0.25 + speed * away) * DVec3::X, DQuat::IDENTITY)
        };
        (0..=frames).map(at).collect()
    })
}

/// How the L-shapes are turned when they meet: one hooks into the other's side.
fn turns() -> [DQuat; 2] {
    [DQuat::from_rotation_z(0.3), DQuat::from_rotation_z(2.2) * DQuat::from_rotation_y(0.2)]
}

/// Two L-shapes that turn back where nodes of a level first meet.
fn turning_back(model: &VolumeModel, level: u32, speed: f64, progress: &Progress) -> Result<[Path; 2], Stopped> {
    let turns = turns();
    let meets = |half: f64| {
        let pose = |side: f64, turn: DQuat| Pose::new(side * half * DVec3::X, turn);
        PlacedPair::new(model, &pose(-1.0, turns[0]), model, &pose(1.0, turns[1])).meet_at(level)
    };
    let (mut near, mut far) = (0.0, 2.0 * model.radius());
    for round in 0..BISECTIONS {
        progress.tell("finding where they meet", f64::from(round) / f64::from(BISECTIONS))?;
        let middle = 0.5 * (near + far);
        if meets(middle) { near = middle } else { far = middle }
    }
    let frames = ((BEFORE + AFTER) * RATE) as u32;
    Ok([(-1.0, turns[0]), (1.0, turns[1])].map(|(side, turn)| {
        let at = |frame: u32| {
            let time = f64::from(frame) / RATE;
            (time, side * (far + speed * (time - BEFORE).abs()) * DVec3::X, turn)
        };
        (0..=frames).map(at).collect()
    }))
}

/// Two L-shapes that collide off their middles, handled at a level.
fn bouncing(
    model: &Arc<VolumeModel>,
    level: u32,
    speed: f64,
    progress: &Progress,
) -> Result<[Path; 2], Halt<StudyError>> {
    let mut world = approaching(model, level, speed).map_err(StudyError::from)?;
    // A finer step than the frames, so that the fine level is not capped.
    const STEPS: u32 = 8;
    let last = ((BEFORE + AFTER) * RATE) as u32 * STEPS;
    let mut paths: [Path; 2] = [Vec::new(), Vec::new()];
    for step in 0..=last {
        progress.tell("colliding", f64::from(step) / f64::from(last))?;
        let time = f64::from(step) / (RATE * f64::from(STEPS));
        if step > 0 {
            world.advance(time, &[], Budget::Unlimited).map_err(StudyError::from)?;
        }
        if step % STEPS == 0 {
            for (index, path) in paths.iter_mut().enumerate() {
                let motion = world.motion(BodyId(index as u32)).map_err(StudyError::from)?;
                path.push((time, motion.position, motion.orientation));
            }
        }
    }
    Ok(paths)
}

/// A world in which two L-shapes approach each other.
fn approaching(model: &Arc<VolumeModel>, level: u32, speed: f64) -> Result<World, LodError> {
    let settings = Settings { gravity: DVec3::ZERO, deepest: level, ..Settings::default() };
    let mut world = World::with(settings, Seed(1))?;
    for (side, turn) in [(-1.0, turns()[0]), (1.0, turns()[1])] {
        let motion = Motion {
            position: side * DVec3::new(0.4 + speed * BEFORE, 0.12, 0.05),
            orientation: turn,
            velocity: -side * speed * DVec3::X,
            spin: DVec3::ZERO,
        };
        world.add(model, motion, Stuff::new(700.0, 0.8, 0.2))?;
    }
    Ok(world)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_work::Completion;

    #[test]
    fn every_study_has_its_clips() {
        for study in [Study::Causality, Study::Gap, Study::Dynamics] {
            for condition in [[0, 0, 0], [2, 1, 1]].map(|levels| Condition { levels: levels.to_vec() }) {
                let clip = study.clip(&condition, &Progress::none()).unwrap().finished().unwrap();
                clip.validate().unwrap();
                assert_eq!(clip.nodes.len(), 3);
                assert!(clip.duration_secs > 2.0);
            }
        }
    }

    /// Whoever stops a stimulus waits for a step of its simulation, or a little of
    /// its tree, at most.
    #[test]
    fn a_stimulus_can_be_stopped_at_every_step() {
        let condition = Condition { levels: vec![0, 0, 0] };
        for study in [Study::Gap, Study::Dynamics] {
            let whole = Progress::stopping_at(u64::MAX);
            assert!(study.clip(&condition, &whole).unwrap().finished().is_some());
            let steps = if study == Study::Gap { BISECTIONS } else { ((BEFORE + AFTER) * RATE) as u32 * 8 };
            assert!(whole.questions() > u64::from(steps));
            for question in [1, 2, whole.questions() / 3, whole.questions() - 1, whole.questions()] {
                let progress = Progress::stopping_at(question);
                assert_eq!(study.clip(&condition, &progress).unwrap(), Completion::Stopped);
                assert_eq!(progress.questions(), question, "it goes on after a stop");
            }
        }
    }

    #[test]
    fn coarse_levels_leave_a_gap_and_delays_delay() {
        let model = l_shape(&Progress::none()).unwrap();
        let nearest = |level: u32| {
            let [left, right] = turning_back(&model, level, 1.0, &Progress::none()).unwrap();
            left.iter().zip(&right).map(|(a, b)| a.1.distance(b.1)).fold(f64::INFINITY, f64::min)
        };
        let distances = LEVELS.map(nearest);
        assert!(distances[0] > distances[1] + 0.02 && distances[1] > distances[2], "{distances:?}");
        assert_eq!(balls(1.0, 0.3)[0].len(), balls(1.0, 0.0)[0].len() + 18);
    }

    #[test]
    fn the_response_differs_by_level_and_does_something() {
        let model = l_shape(&Progress::none()).unwrap();
        let ends = LEVELS.map(|level| bouncing(&model, level, 0.9, &Progress::none()).unwrap()[0].last().unwrap().1);
        assert!(ends[0].distance(ends[2]) > 0.05);
        assert!(ends.iter().all(|end| end.x < 0.6), "none flew through the other: {ends:?}");
    }
}
