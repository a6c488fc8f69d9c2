//! Promise: a world of culled systems lives in an engine. Systems come, move, turn and go;
//! a running world is saved and goes on with the same bits; a frame keeps to its budget; one
//! system that explodes does not stop the others; threads change nothing.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::{Arc, OnceLock};

use proscenium_chance::Seed;
use proscenium_cull::builtin::Builtin;
use proscenium_cull::glam::{DQuat, DVec3};
use proscenium_cull::world::{SystemId, VisibleSystem};
use proscenium_cull::{Assembly, CompileSettings, CompiledAssembly, CompiledModel, Model, World};
use proscenium_view::{Camera, Frustum};
use proscenium_work::Progress;

fn culled(text: &str) -> Arc<CompiledModel> {
    let model = Model::parse("test.toml", &format!("format = 1\n{text}")).unwrap();
    let settings = model.settings().hurried();
    Arc::new(CompiledModel::compile(model, &settings, Seed(1), &Progress::none()).unwrap().finished().unwrap())
}

/// A pendulum that is driven so hard that it forgets, two metres high.
fn chaotic() -> Arc<CompiledModel> {
    static ONE: OnceLock<Arc<CompiledModel>> = OnceLock::new();
    let compile = || {
        culled(
            "name = \"chaotic\"\n[state]\nangle = { angle = true, initial = { uniform = [-1, 1] } }\nrate = { initial = 0 }\n\
         [motion]\nangle = \"rate\"\nrate = \"-sin(angle) - 0.5 rate + 1.15 cos(2 t / 3)\"\n\
         [copies]\ncount = 2\nahead = \"k\"\n\
         [[part]]\nname = \"arm\"\naxis = [0, 0, 1]\nangle = \"angle\"\nbox = [0.1, 1, 0.1]\n",
        )
    };
    Arc::clone(ONE.get_or_init(compile))
}

/// Six metres wide, and hardly high.
fn wheel() -> Arc<CompiledModel> {
    culled(
        "name = \"wheel\"\n[state]\nturn = { angle = true, initial = 0.0 }\n[motion]\nturn = 1.5\n[[part]]\nname = \"wheel\"\nbox = [3, 0.1, 0.1]\n",
    )
}

fn view_of(place: DVec3) -> Frustum {
    let mut camera = Camera::look_at(place + DVec3::new(0.0, 0.0, 8.0), place, 0.9, 1.5).unwrap();
    camera.far = 30.0;
    Frustum::of(&camera).unwrap()
}

fn ids(seen: &[VisibleSystem]) -> Vec<u32> {
    seen.iter().map(|one| one.system.0).collect()
}

#[test]
fn systems_come_move_turn_and_go() {
    let (pendulum, wheel) = (chaotic(), wheel());
    let mut world = World::new(Seed(1));
    for index in 0..300 {
        world.add(&pendulum, DVec3::new(40.0 * f64::from(index), 0.0, 0.0)).unwrap();
    }
    let here = view_of(DVec3::ZERO);
    assert_eq!(ids(world.advance(1.0, &[here]).unwrap()), [0]);
    // From far away into view, and back.
    let far = SystemId(200);
    world.place(far, DVec3::new(1.0, 0.0, 0.0), DQuat::from_rotation_y(0.5)).unwrap();
    let seen = world.advance(2.0, &[here]).unwrap();
    assert_eq!(ids(seen), [0, 200]);
    assert!((seen[1].orientation.y - libm::sin(0.25)).abs() < 1e-12 && seen[1].position.x == 1.0);
    world.place(far, DVec3::new(0.0, 500.0, 0.0), DQuat::IDENTITY).unwrap();
    assert_eq!(ids(world.advance(3.0, &[here]).unwrap()), [0]);
    // A wheel beside the view reaches into it once it is turned.
    let beside = world.add(&wheel, DVec3::new(0.0, 5.5, 0.0)).unwrap();
    assert_eq!(ids(world.advance(4.0, &[here]).unwrap()), [0]);
    world.place(beside, DVec3::new(0.0, 5.5, 0.0), DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2)).unwrap();
    assert_eq!(ids(world.advance(5.0, &[here]).unwrap()), [0, beside.0]);
    // So many move that the tree is built again: nothing is lost.
    for index in 1..150 {
        world.place(SystemId(index), DVec3::new(0.0, 0.0, 0.01 * f64::from(index)), DQuat::IDENTITY).unwrap();
    }
    assert_eq!(world.advance(6.0, &[here]).unwrap().len(), 151);
    for index in 0..150 {
        world.remove(SystemId(index)).unwrap();
    }
    assert_eq!(ids(world.advance(7.0, &[here]).unwrap()), [beside.0]);
    assert_eq!(world.len(), 151);
    let gone = world.remove(SystemId(3)).unwrap_err();
    assert!(gone.to_string().contains("no system \"3\""), "{gone}");
    let next = world.add(&wheel, DVec3::ZERO).unwrap();
    assert_eq!(next.0, 301, "numbers are not given twice");
    assert!(world.place(next, DVec3::NAN, DQuat::IDENTITY).is_err());
    assert!(world.place(next, DVec3::ZERO, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)).is_err());
}

#[test]
fn a_system_that_is_added_late_starts_then() {
    let wheel = wheel();
    let mut world = World::new(Seed(1));
    world.advance(100.0, &[]).unwrap();
    world.add(&wheel, DVec3::ZERO).unwrap();
    let seen = world.advance(101.0, &[view_of(DVec3::ZERO)]).unwrap();
    assert!((seen[0].copies[0].1[0] - 1.5).abs() < 1e-3, "{seen:?}");
}

#[test]
fn the_caller_may_know_what_is_in_view() {
    let pendulum = chaotic();
    let (mut ours, mut theirs) = (World::new(Seed(1)), World::new(Seed(1)));
    for world in [&mut ours, &mut theirs] {
        for index in 0..20 {
            world.add(&pendulum, DVec3::new(40.0 * f64::from(index), 0.0, 0.0)).unwrap();
        }
    }
    for frame in 0..40 {
        let (now, looked_at) = (f64::from(frame) * 0.9, frame / 4);
        let place = DVec3::new(40.0 * f64::from(looked_at), 0.0, 0.0);
        let a = ours.advance(now, &[view_of(place)]).unwrap().to_vec();
        let b = theirs.advance_visible(now, &[SystemId(looked_at)]).unwrap();
        assert_eq!(a, b);
    }
    assert!(theirs.advance_visible(100.0, &[SystemId(20)]).is_err());
}

/// What was saved and loaded shows what the world that went on shows, to the bit.
#[test]
fn a_saved_world_goes_on_with_the_same_bits() {
    let models = [chaotic(), wheel()];
    let mut world = World::new(Seed(5)).with_work_per_frame(7);
    for index in 0..60_usize {
        world.add(&models[index % 2], DVec3::new(6.0 * index as f64, 0.0, 0.0)).unwrap();
    }
    world.place(SystemId(1), DVec3::new(2.0, 0.0, 0.0), DQuat::from_rotation_x(0.3)).unwrap();
    world.remove(SystemId(4)).unwrap();
    let view = |frame: u32| view_of(DVec3::new(1.5 * f64::from(frame), 0.0, 0.0));
    for frame in 0..50 {
        world.advance(f64::from(frame) * 0.7, &[view(frame)]).unwrap();
    }
    let bytes = world.to_bytes();
    let mut loaded = World::from_bytes(&bytes, &[Arc::clone(&models[1]), Arc::clone(&models[0])]).unwrap();
    assert_eq!(loaded.to_bytes(), bytes);
    for frame in 50..120 {
        let now = f64::from(frame) * 0.7;
        let ours = world.advance(now, &[view(120 - frame)]).unwrap().to_vec();
        assert_eq!(ours, loaded.advance(now, &[view(120 - frame)]).unwrap());
    }
    let missing = World::from_bytes(&bytes, &models[..1]).unwrap_err();
    assert!(missing.to_string().contains("no compiled model \"wheel\""), "{missing}");
    for end in [0, 10, bytes.len() / 2, bytes.len() - 1] {
        assert!(World::from_bytes(&bytes[..end], &models).is_err(), "cut at {end}");
    }
}

/// 200 systems come into view at once: no frame takes more than its budget, or two periods
/// of one copy; each is shown in the end, and as it would have been.
#[test]
fn returns_are_spread_over_frames() {
    let pendulum = chaotic();
    let period = 3.0 * std::f64::consts::PI;
    let budget = 20.0;
    let mut world = World::new(Seed(1)).with_seconds_per_frame(budget);
    let all: Vec<SystemId> = (0..200).map(|_| world.add(&pendulum, DVec3::ZERO).unwrap()).collect();
    let (mut most, mut frames, mut now) = (0.0_f64, 0, 1000.3);
    loop {
        let shown = world.advance_visible(now, &all).unwrap().len();
        let work = world.frame_work();
        most = most.max(work.return_seconds);
        assert_eq!(work.waiting as usize + shown, 200);
        frames += 1;
        if shown == 200 {
            break;
        }
        assert!(frames < 1000, "some are never shown");
        now += 1.0 / 60.0;
    }
    assert!(most <= budget + 2.0 * period, "{most} s in one frame");
    assert!(frames > 5, "{frames}");
    let mut free = World::new(Seed(1));
    let all: Vec<SystemId> = (0..200).map(|_| free.add(&pendulum, DVec3::ZERO).unwrap()).collect();
    assert_eq!(free.advance_visible(1000.3, &all).unwrap().len(), 200);
    assert_eq!(free.frame_work().waiting, 0);
}

/// A return by the complete model over an hour is done in pieces, and ends where one piece
/// would have ended.
#[test]
fn a_long_return_by_the_complete_model_is_done_in_pieces() {
    // Its equations never come around, so that nothing can be learned of it.
    let ramp = culled("name = \"ramp\"\n[state]\nx = { initial = 0.0 }\n[motion]\nx = \"0.001 t - 0.1 x\"\n");
    assert!(ramp.learned().is_complete());
    let mut world = World::new(Seed(1)).with_seconds_per_frame(50.0);
    let id = world.add(&ramp, DVec3::ZERO).unwrap();
    let mut now = 3600.0;
    let mut frames = 0;
    while world.advance_visible(now, &[id]).unwrap().is_empty() {
        assert!(world.frame_work().return_seconds <= 50.0);
        frames += 1;
        assert!(frames < 100);
        now += 1.0 / 60.0;
    }
    assert!((71..75).contains(&frames), "{frames}");
    // x tends to 0.01 t − 0.1.
    let x = world.visible()[0].copies[0].1[0];
    assert!((x - (0.01 * now - 0.1)).abs() < 1e-3, "{x}");
}

/// One is thrown out of the world again and again; it is told, begins anew, and the others go on.
#[test]
fn an_explosive_system_does_not_stop_the_others() {
    let tame = culled("name = \"tame\"\n[state]\nx = { initial = 0.5 }\n[motion]\nx = \"0.1 (1 - x)\"\n");
    let pendulum = chaotic();
    let mut world = World::new(Seed(1));
    let first = world.add(&tame, DVec3::ZERO).unwrap();
    let second = world.add(&pendulum, DVec3::ZERO).unwrap();
    let mut told = 0;
    for frame in 0..240 {
        let now = f64::from(frame) / 60.0;
        if frame % 60 == 30 {
            world.interact(first, 0, |state| state.values[0] = -1.5e9).unwrap();
        }
        let seen = ids(world.advance_visible(now, &[first, second]).unwrap());
        assert!(seen.contains(&second.0));
        assert!(seen.contains(&first.0), "it begins anew at once");
        told += world.failures().len();
        assert!(world.failures().iter().all(|failure| failure.system == first));
    }
    assert_eq!(told, 4);
}

/// 300 systems in view are computed on as many threads as there are, or on one.
#[test]
fn threads_change_nothing() {
    let models = [chaotic(), wheel()];
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = World::new(Seed(2)).with_work_per_frame(100);
            let all: Vec<SystemId> =
                (0..300).map(|index| world.add(&models[index % 2], DVec3::ZERO).unwrap()).collect();
            let mut hash = 0_u64;
            for frame in 0..30_u32 {
                let some = &all[(frame as usize * 5) % 100..];
                for seen in world.advance_visible(f64::from(frame * frame) * 0.21, some).unwrap() {
                    for (state, _) in &seen.copies {
                        hash =
                            hash.rotate_left(5) ^ state.values[0].to_bits() ^ state.values[1].to_bits().rotate_left(32);
                    }
                }
            }
            (hash, world.to_bytes())
        })
    };
    let alone = run(1);
    assert_eq!(alone, run(2));
    assert_eq!(alone, run(5));
}

/// Three seats that stand 40 m apart from each other.
fn seats() -> Arc<CompiledModel> {
    culled(
        "[state]\nturn = { angle = true, initial = 0.0 }\n[motion]\nturn = 1.5\n[copies]\ncount = 3\nahead = \"k\"\n\
         [[part]]\nname = \"seat\"\neach = true\nmove = [\"40 k\", 0, 0]\nangle = \"turn\"\nbox = [0.5, 0.5, 0.5]\n",
    )
}

#[test]
fn copies_out_of_view_are_not_computed() {
    let seats = seats();
    assert_eq!(seats.bounds_of_copies().len(), 3);
    let mut world = World::new(Seed(1));
    let id = world.add(&seats, DVec3::ZERO).unwrap();
    let second = view_of(DVec3::new(40.0, 0.0, 0.0));
    let seen = world.advance(2.0, &[second]).unwrap();
    let shown: Vec<usize> = seen[0].copies.iter().map(|(_, outputs)| outputs.len()).collect();
    assert_eq!(shown, [0, 1, 0]);
    // The same as if all had been computed.
    let mut all = World::new(Seed(1));
    all.add(&seats, DVec3::ZERO).unwrap();
    let whole = all.advance_visible(2.0, &[id]).unwrap();
    assert_eq!(whole[0].copies[1], world.visible()[0].copies[1]);
    assert!(whole[0].copies.iter().all(|(_, outputs)| outputs.len() == 1));
    // Turned by half, the second stands on the other side.
    world.place(id, DVec3::ZERO, DQuat::from_rotation_y(std::f64::consts::PI)).unwrap();
    assert!(world.advance(2.1, &[view_of(DVec3::new(40.0, 0.0, 0.0))]).unwrap().is_empty());
    let seen = world.advance(2.2, &[view_of(DVec3::new(-80.0, 0.0, 0.0))]).unwrap();
    assert_eq!(seen[0].copies[2].1.len(), 1);
    assert!((seen[0].copies[2].1[0] - (1.5 * 2.2_f64 - std::f64::consts::TAU)).abs() < 1e-6, "{seen:?}");
}

const LAMPS: &str = "format = 1\nname = \"lamps\"\n\
    [[system]]\nname = \"switch\"\n[system.state]\non = { initial = 0.0, range = [-0.5, 1.5] }\n\
    [system.motion]\non = 0.0\n[[system.signal]]\nname = \"press\"\nset = { on = \"1 - on\" }\n\
    [[system]]\nname = \"lamp\"\n[system.inputs]\non = 0.0\n[system.state]\nglow = { initial = 0.0, range = [-0.1, 1.1] }\n\
    [system.motion]\nglow = \"3 (on - glow)\"\n\
    [place.lamp]\nposition = [0.0, 0.0, 5.0]\nturn = 90\nreads = { on = \"switch.on\" }\n";

#[test]
fn several_systems_stand_in_one_file() {
    let assembly = Assembly::parse("lamps.toml", LAMPS).unwrap();
    assert!(Assembly::is_one(LAMPS) && assembly.members().len() == 2);
    let compiled = CompiledAssembly::compile(assembly, |_| CompileSettings::quick(), Seed(1), &Progress::none());
    let compiled = compiled.unwrap().finished().unwrap();
    let compiled = CompiledAssembly::from_bytes(&compiled.to_bytes()).unwrap();
    let mut world = World::new(Seed(1));
    // Turned by a quarter, what stood in front stands to the side.
    let quarter = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let systems = world.add_assembly(&compiled, DVec3::new(100.0, 0.0, 0.0), quarter).unwrap();
    let seen = world.advance(1.0, &[view_of(DVec3::new(105.0, 0.0, 0.0))]).unwrap();
    assert!(ids(seen).contains(&systems[1].0));
    assert_eq!(seen.last().unwrap().copies[0].1[0], 0.0);
    world.signal(systems[0], "press").unwrap();
    let seen = world.advance(3600.0, &[view_of(DVec3::new(105.0, 0.0, 0.0))]).unwrap();
    assert!(seen.last().unwrap().copies[0].1[0] > 0.99, "{seen:?}");
}

#[test]
fn mistakes_in_one_of_several_systems_have_their_places() {
    for (from, to, wanted) in [
        ("3 (on - glow)", "3 (on - glo)", "lamps.toml:19:17"),
        ("[place.lamp]", "[place.lump]", "no system is called `lump`"),
        ("switch.on", "switch.off", "there is no such output"),
        ("reads = { on", "reads = { of", "it has no input `of`"),
        ("name = \"lamp\"", "name = \"switch\"", "two systems are called `switch`"),
    ] {
        let errors = Assembly::parse("lamps.toml", &LAMPS.replace(from, to)).unwrap_err();
        assert!(errors.to_string().contains(wanted), "{to}: {errors}");
    }
}

/// Returns begin and end at several phases: a ride with a forcing of 15 s and eight cars
/// needs at most half a period of the complete model for each, and not two.
#[test]
fn returns_need_a_part_of_a_period() {
    let model = Builtin::find("octopus").unwrap().model().unwrap();
    let settings = model.settings().hurried();
    let octopus = CompiledModel::compile(model, &settings, Seed(1), &Progress::none()).unwrap().finished().unwrap();
    let octopus = Arc::new(octopus);
    let (copies, long) = (octopus.model().copies().len() as f64, octopus.learned().long());
    let mut world = World::new(Seed(1)).with_seconds_per_frame(1e9);
    let id = world.add(&octopus, DVec3::ZERO).unwrap();
    let mut now = 0.0;
    let mut worst = 0.0_f64;
    for phase in 0..40 {
        now += long.map_or(100.0, |long| 1.2 * long) + 15.0 * f64::from(phase) / 40.0;
        world.advance_visible(now, &[id]).unwrap();
        worst = worst.max(world.frame_work().return_seconds);
    }
    let parts = if long.is_some() { 1.0 } else { 2.0 };
    assert!(worst <= parts * copies * 15.0 / 4.0 + 1e-6, "{worst} s of {}", octopus.verdict());
}

/// A needle that follows a wheel, always a little behind: it came back where the wheel is, as if
/// the wheel had stood there for a minute.
#[test]
fn who_reads_what_moves_comes_back_behind_it() {
    let wheel =
        "[state]\nturn = { angle = true, initial = 0.0 }\n[motion]\nturn = 1.5\n[output]\nheight = \"sin(turn)\"\n";
    let needle = "[inputs]\nheight = 0.0\n[state]\nat = { initial = 0.0, range = [-1, 1] }\n[motion]\n\
        at = \"0.5 (height - at)\"\n";
    let (wheel, needle) = (culled(wheel), culled(needle));
    // The wheel out of view with the needle, and in view all the time.
    for sees_wheel in [false, true] {
        let mut world = World::new(Seed(1));
        let first = world.add(&wheel, DVec3::ZERO).unwrap();
        let second = world.add(&needle, DVec3::X).unwrap();
        world.link(first, "height", second, "height").unwrap();
        let mut now = 0.0;
        if sees_wheel {
            for frame in 0..2000 {
                now = f64::from(frame) * 0.05;
                world.advance_visible(now, &[first]).unwrap();
            }
        } else {
            world.advance_visible(1.0, &[first, second]).unwrap();
            now = 4000.3;
            world.advance(now - 1.0, &[]).unwrap();
        }
        let seen = world.advance_visible(now, &[second]).unwrap();
        // What y' = 0.5 (sin 1.5 t - y) comes to.
        let expected = 0.2 * (0.5 * libm::sin(1.5 * now) - 1.5 * libm::cos(1.5 * now));
        let found = seen[0].copies[0].1[0];
        assert!((found - expected).abs() < 0.03, "{sees_wheel}: {found} {expected}");
    }
}
