//! Promise: bad input gets an error that names the place and the remedy, to
//! people and to scripts; never a panic, never a hang.

use crate::common;

use common::{CommandRun, Folder};

/// A scene in which line 4, 10 and 11 can be made wrong.
fn scene(density: &str, shape: &str, more: &str) -> String {
    format!(
        "format = 1\n\n[materials.ivory]\ndensity = {density}\nrestitution = 0.45\nfriction = 0.25\n\n\
         [[body]]\nname = \"die-1\"\nshape = {shape}\n{more}\n"
    )
}

#[test]
fn an_error_shows_the_place_and_the_remedy() {
    let folder = Folder::new();
    folder.write("table.toml", scene("-900.0", "{ sphere = 0.1 }", "material = \"ivory\""));
    for verb in ["check table.toml", "simulate table.toml -o out.glb", "scenes show table.toml"] {
        let ran = folder.run(verb).fails(1);
        assert_eq!(
            ran.stderr,
            "error: the density of a body must be positive\n  \
             ┌─ table.toml:4:11\n  │\n\
             4 │ density = -900.0\n  │           ^^^^^^ in material \"ivory\"\n  │\n  \
             = help: water is 1000, wood about 600, steel 7850 (kg/m³)\n\n",
            "{verb}"
        );
        assert_eq!(ran.stdout, "");
    }
    assert_eq!(folder.list(), ["table.toml"]);
}

#[test]
fn several_errors_are_told_at_once() {
    let folder = Folder::new();
    folder.write("table.toml", scene("1850.0", "{ sphere = nan }", "positon = [0, 1, 0]"));
    let ran = folder.run("check table.toml").fails(1);
    assert_eq!(
        ran.stderr,
        "error: `sphere` must be a finite number\n   \
         ┌─ table.toml:10:20\n   │\n\
         10 │ shape = { sphere = nan }\n   │                    ^^^ in body \"die-1\"\n   │\n   \
         = help: write an ordinary number, such as 0.25\n\n\
         error: unknown key `positon`\n   \
         ┌─ table.toml:11:1\n   │\n\
         11 │ positon = [0, 1, 0]\n   │ ^^^^^^^ in body \"die-1\"\n   │\n   \
         = help: did you mean `position`?\n\n"
    );
}

#[test]
fn scripts_get_the_same_as_json() {
    let folder = Folder::new();
    folder.write("table.toml", scene("1850.0", "{ sphere = nan }", "positon = [0, 1, 0]"));
    let ran = folder.run("check table.toml --json").fails(1);
    let json = ran.json();
    assert_eq!(json["error"], json["errors"][0]);
    assert_eq!(json["errors"].as_array().unwrap().len(), 2);
    assert_eq!(
        json["errors"][1],
        serde_json::json!({
            "message": "unknown key `positon`",
            "file": "table.toml",
            "line": 11,
            "column": 1,
            "key": "body[0].positon",
            "help": "did you mean `position`?",
        })
    );
    assert!(ran.stderr.starts_with("error: "), "people are told, too: {ran:?}");
    // A misuse of the command is told in the same way.
    let json = folder.run("simulate spin -o a.mp4 --json").fails(2).json();
    assert!(json["error"]["message"].as_str().unwrap().contains("use .glb, .png, .gif or .json"), "{json}");
}

#[test]
fn a_name_that_is_almost_right_is_recognised() {
    let ran = Folder::new().run("simulate crade -o out.glb").fails(1);
    assert!(ran.stderr.contains("neither a built-in scene nor a file"), "{ran:?}");
    assert!(ran.stderr.contains("did you mean \"cradle\"?"), "{ran:?}");
    let ran = Folder::new().run("check gas --set packng=0.1").fails(1);
    assert!(ran.stderr.contains("did you mean \"packing\"?"), "{ran:?}");
}

/// What people and fuzzers give to a program.
#[test]
fn bad_files_fail_quickly_and_cleanly() {
    let folder = Folder::new();
    let nested = format!("format = 1\nx = {}", "[".repeat(100_000));
    let good = scene("1850.0", "{ sphere = 0.1 }", "");
    let table: [(&str, Vec<u8>); 12] = [
        ("empty", Vec::new()),
        ("no-format", b"duration = 1.0\n".to_vec()),
        ("newer", b"format = 99\n".to_vec()),
        ("junk", (0..200_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()),
        ("zeros", vec![0; 100_000]),
        ("not-utf8", b"format = 1\nname = \"\xff\xfe\"\n".to_vec()),
        ("one-long-line", vec![b'x'; 3_000_000]),
        ("nested", nested.into_bytes()),
        ("escapes", b"format = 1\n\x1b]0;owned\x07 = 1\n".to_vec()),
        ("huge", vec![b'#'; 100_000_000]),
        ("infinite", good.replace("0.1", "inf").into_bytes()),
        ("no-such-material", good.replace("shape", "material = \"ivry\"\nshape").into_bytes()),
    ];
    for (name, bytes) in table {
        let file = format!("{name}.toml");
        folder.write(&file, bytes);
        let ran = folder.run(&format!("check {file} --json")).fails(1);
        assert!(ran.stderr.starts_with("error: "), "{name}: {}", ran.stderr);
        assert!(ran.stderr.len() < 20_000, "{name}: {} bytes of errors", ran.stderr.len());
        assert!(!ran.stderr.contains(['\x1b', '\x07', '\0']), "{name}: {:?}", ran.stderr);
        assert!(ran.stderr.contains(&file), "{name}: the file is named: {}", ran.stderr);
        assert!(!ran.json()["error"]["message"].as_str().unwrap().is_empty(), "{name}");
        std::fs::remove_file(folder.path().join(&file)).unwrap();
    }
    std::fs::create_dir(folder.path().join("folder.toml")).unwrap();
    for missing in ["folder.toml", "missing.toml", ".", "/"] {
        let ran = folder.run(&format!("check {missing}")).fails(1);
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains("= help: "), "{missing}: {ran:?}");
    }
}

#[test]
fn overlapping_bodies_are_found_by_check_and_simulate() {
    let folder = Folder::new();
    let ball = |name: &str| format!("[[body]]\nname = \"{name}\"\nshape = {{ sphere = 0.1 }}\n");
    folder.write("two.toml", format!("format = 1\n{}{}", ball("a"), ball("b")));
    for verb in ["check", "simulate"] {
        let ran = folder.run(&format!("{verb} two.toml")).fails(1);
        assert!(
            ran.stderr.contains("two.toml:") && ran.stderr.contains("\"a\"") && ran.stderr.contains("\"b\""),
            "{ran:?}"
        );
    }
}

/// What a scene that is directed gets wrong, `check` and `direct` say in the same words.
#[test]
fn check_and_direct_agree_on_what_is_wrong() {
    let folder = Folder::new();
    let ball = |name: &str, x: &str, speed: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nshape = {{ sphere = 0.1 }}\nposition = [{x}, 0, 0]\nvelocity = [{speed}, 0, 0]\n"
        )
    };
    let near = |x: f64| format!("[[want]]\nbody = \"a\"\nnear = {{ position = [{x}, 0], within = 0.1 }}\nat = 0.5\n");
    let uncertain = "{ normal = [1, 0.1] }";
    for (bodies, wants, message) in [
        (ball("a", "0", uncertain) + &ball("b", "0.1", "0"), near(0.5), "overlap"),
        (ball("a", "{ uniform = [-0.1, 0.1] }", "1") + &ball("b", "0", "0"), near(0.5), "overlap"),
        (ball("a", "0", uncertain), near(0.5) + &near(1.0), "exclude each other"),
        (ball("a", "0", "1"), near(0.5), "nothing is uncertain"),
    ] {
        folder.write("scene.toml", format!("format = 1\nduration = 1.0\n{bodies}{wants}"));
        let checked = folder.run("check scene.toml").fails(1).stderr;
        assert!(checked.contains(message), "{message}: {checked}");
        assert_eq!(folder.run("direct scene.toml -o out").fails(1).stderr, checked, "{message}");
        assert!(!folder.exists("out"), "{message}: no folder is made for what cannot be directed");
    }
    // What can be, though not with every seed, is directed, and `check` says so.
    let sometimes = ball("a", "{ uniform = [-0.9, 0.1] }", uncertain) + &ball("b", "0", "0");
    folder.write("scene.toml", format!("format = 1\nduration = 1.0\n{sometimes}{}", near(-0.3)));
    let warned = (1..40).map(|seed| folder.run(&format!("check scene.toml --seed {seed}")).ok().stderr);
    assert!(warned.into_iter().any(|stderr| stderr.contains("warning: not with what seed")));
}

#[test]
fn misuse_is_told_apart_from_failure() {
    let folder = Folder::new();
    for wrong in [
        "simulate",
        "simulate spin -o out",
        "simulate spin -o out.mp4",
        "simulate spin -o out.gltf",
        "simulate spin --set n",
        "simulate spin --set spin=nan",
        "simulate spin --set spin=fast",
        "simulate spin --duration 0",
        "simulate spin --duration -1",
        "simulate spin --duration inf",
        "simulate spin --at nan",
        "simulate spin --size 0x10",
        "simulate spin --size 9000x10",
        "simulate spin --size big",
        "simulate spin --fps 0",
        "simulate spin --fps 51",
        "simulate spin --seed -1",
        "simulate spin --seed 1.5",
        "simulate spin --threads 0",
        "simulate spin --trail 257",
        "check",
        "scenes show",
        "completions",
        "fly",
    ] {
        let ran = folder.run(wrong).fails(2);
        assert!(ran.stderr.starts_with("error: ") && ran.stdout.is_empty(), "{wrong}: {ran:?}");
    }
    assert_eq!(folder.list(), [""; 0]);
}

#[test]
fn a_moment_after_the_end_is_refused() {
    let ran = Folder::new().run("simulate spin --duration 1 --at 2 -o a.png").fails(1);
    assert_eq!(
        ran.stderr,
        "error: there is no picture at 2 s: the animation ends at 1 s\n \
         = help: choose an earlier --at, or a longer --duration\n\n"
    );
}

/// On a terminal errors are coloured; the tests have none, so this holds for
/// pipes and files.
#[test]
fn there_are_no_colours_in_a_pipe() {
    let folder = Folder::new();
    for colour in [None, Some("1")] {
        let mut command = folder.command(["check", "no-such-scene"]);
        colour.map(|value| command.env("NO_COLOR", value));
        assert!(!CommandRun::from(command.output().unwrap()).fails(1).stderr.contains('\x1b'));
    }
}
