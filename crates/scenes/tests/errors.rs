//! Promise: what is wrong with a scene file comes back with its place, the
//! offending value and a remedy, several errors at once; never as a panic.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use std::path::Path;

use proscenium_diagnostics::Remedy as _;
use proscenium_scenes::{Scene, SceneErrors, Seed, Source};

fn parse(text: &str) -> Result<Scene, SceneErrors> {
    Scene::parse(text, &Source::inline("scene.toml", text))
}

/// The errors of a text, as a terminal without frames would show them.
fn errors(text: &str) -> String {
    match parse(text) {
        Ok(_) => "no error".to_string(),
        Err(errors) => {
            assert!(!errors.errors.is_empty());
            errors.explain()
        }
    }
}

fn check(text: &str, expected: &str) {
    assert_eq!(errors(text), expected, "in\n{text}");
}

/// A scene with one body, some of whose lines are given.
fn ball(lines: &str) -> String {
    format!("format = 1\n[[body]]\nname = \"ball\"\n{lines}\n")
}

const BALL: &str = "[[body]]\nname = \"ball\"\nshape = { sphere = 0.1 }\n";

#[test]
fn the_format_must_be_said_and_known() {
    check(BALL, "scene.toml:1:1: the file does not say its format\n  help: begin it with: format = 1");
    check(
        "format = 2\nnovelty = true",
        "scene.toml:1:10: format 2 is not known here: 2\n  help: this version reads format 1: update proscenium",
    );
    check(
        "format = \"1\"",
        "scene.toml:1:10: `format` must be a whole number, zero or more, but is the text \"1\": \"1\"",
    );
}

#[test]
fn syntax_errors_have_a_place() {
    let text = "format = 1\nname = \"unfinished\n";
    let errors = parse(text).unwrap_err();
    let place = errors.errors[0].place.clone().unwrap();
    assert_eq!((place.line, place.file.as_str()), (2, "scene.toml"));
    assert!(errors.errors[0].message.starts_with("this is not TOML: "), "{errors}");
}

#[test]
fn unknown_keys_are_shown_with_the_nearest_known_one() {
    check(
        &ball("shape = { sphere = 0.1 }\nvelocty = [1, 0, 0]"),
        "scene.toml:5:1: unknown key `velocty` (in body \"ball\"): velocty\n  help: did you mean `velocity`?",
    );
    check(
        &format!("format = 1\n{BALL}[[wish]]\nbody = \"ball\""),
        "scene.toml:5:3: unknown key `wish`: wish\n  help: known here: format, name, duration, gravity, tolerance, \
         variables, materials, pair, collision, body, joint, groups, camera, want",
    );
    check(
        &ball("shape = { plane = [0, 1, 0] }"),
        "scene.toml:4:11: unknown key `plane` (in body \"ball\"): plane\n  help: did you mean `half_space`?",
    );
    check(
        &ball("shape = { box = [1, 1, 1], roundnig = 0.1 }"),
        "scene.toml:4:28: unknown key `roundnig` (in body \"ball\"): roundnig\n  help: did you mean `rounding`?",
    );
    check(
        &ball("shape = { sphere = { norml = [1, 0.1] } }"),
        "scene.toml:4:22: unknown key `norml` (in body \"ball\"): norml\n  help: did you mean `normal`?",
    );
}

#[test]
fn impossible_materials_are_refused() {
    let material = |lines: &str| {
        format!(
            "format = 1\n[materials.ivory]\n{lines}\n[[body]]\nname = \"die\"\nmaterial = \"ivory\"\nshape = {{ sphere = 1 }}"
        )
    };
    check(
        &material("density = -900.0"),
        "scene.toml:3:11: the density of a body must be positive (in material \"ivory\"): -900.0\n  \
         help: water is 1000, wood about 600, steel 7850 (kg/m³)",
    );
    check(
        &material("density = 0"),
        "scene.toml:3:11: the density of a body must be positive (in material \"ivory\"): 0\n  \
         help: water is 1000, wood about 600, steel 7850 (kg/m³)",
    );
    check(
        &material("restitution = 1.5"),
        "scene.toml:3:15: a restitution must lie between 0 and 1 (in material \"ivory\"): 1.5\n  \
         help: 0 is clay, 0.5 wood on wood, 0.9 a rubber ball, 1 loses nothing",
    );
    check(
        &material("rolling = -0.1"),
        "scene.toml:3:11: a rolling resistance must be zero or more (in material \"ivory\"): -0.1\n  \
         help: 0 is none, steel on steel 0.001, a ball on cloth 0.01, a tyre on sand 0.3",
    );
    check(
        &material("density = { normal = [900, 100] }"),
        "scene.toml:3:11: the density of a body must be positive, but this could be anything from -inf to inf \
         (in material \"ivory\"): { normal = [900, 100] }\n  help: restrict it: { truncated_normal = \
         [mean, standard deviation, low, high] } or { uniform = [low, high] }",
    );
    check(
        &material("colour = \"oragne\""),
        "scene.toml:3:10: this is not a colour (in material \"ivory\"): \"oragne\"\n  help: did you mean \"orange\"?",
    );
    check(
        &material("roughness = 2"),
        "scene.toml:3:13: the roughness of a material must lie between 0 and 1 (in material \"ivory\"): 2\n  \
         help: 0 is a mirror, 1 is chalk",
    );
}

#[test]
fn numbers_must_be_finite() {
    for (value, shown) in
        [("nan", "`position` must be a finite number"), ("inf", "must be a finite number, but is inf")]
    {
        let text = ball(&format!("shape = {{ sphere = 0.1 }}\nposition = [0, {value}, 0]"));
        let errors = parse(&text).unwrap_err();
        let place = errors.errors[0].place.clone().unwrap();
        assert_eq!((place.line, place.column, place.key.as_str()), (5, 16, "body[0].position[1]"));
        assert!(errors.errors[0].message.contains(shown), "{errors}");
    }
    check(
        &ball("shape = { sphere = 1e999 }"),
        "scene.toml:4:20: `sphere` must be a finite number, but is inf (in body \"ball\"): 1e999\n  \
         help: write an ordinary number, such as 0.25",
    );
}

#[test]
fn impossible_shapes_are_refused() {
    let shape = |shape: &str| ball(&format!("shape = {shape}"));
    check(
        &shape("{ sphere = 0 }"),
        "scene.toml:4:20: the radius of a sphere must be positive (in body \"ball\"): 0\n  \
         help: lengths are in metres: a die is 0.016, a football 0.11",
    );
    check(
        &shape("{ box = [1, 1, 1], rounding = 0.5 }"),
        "scene.toml:4:9: a rounding of 0.5 does not fit: the smallest half extent is 0.5 (in body \"ball\"): \
         { box = [1, 1, 1], rounding = 0.5 }\n  help: change the numbers of this shape",
    );
    check(
        &shape("{ hull = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] }"),
        "scene.toml:4:9: the points enclose no volume: they lie in one plane to within 0e0 m (in body \"ball\"): \
         { hull = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] }\n  help: give the shape some thickness",
    );
    check(
        &shape("{ half_space = [0, 1, 0] }"),
        "scene.toml:4:9: a half-space cannot move (in body \"ball\"): { half_space = [0, 1, 0] }\n  \
         help: add fixed = true; what moves is made of convex solids",
    );
    check(
        &shape("{ sphere = 1, box = [1, 1, 1] }"),
        "scene.toml:4:9: a shape is one thing, but this is a `sphere` and a `box` (in body \"ball\"): \
         { sphere = 1, box = [1, 1, 1] }\n  help: join several solids with compound = [ … ]",
    );
    check(
        &shape("{ compound = [ { shape = { half_space = [0, 1, 0] } } ] }"),
        "scene.toml:4:34: this shape cannot be part of a compound (in body \"ball\"): { half_space = [0, 1, 0] }\n  \
         help: a part of a compound is one of: sphere, box, capsule, cylinder, turned, hull, icosahedron",
    );
    check(
        &shape("{ mesh = \"ship.glb\" }"),
        "scene.toml:4:18: cannot open `ship.glb`: No such file or directory (os error 2) (in body \"ball\"): \
         \"ship.glb\"\n  help: the name is relative to the scene file",
    );
}

#[test]
fn impossible_zones_are_refused() {
    let zone = |zone: &str| ball(&format!("shape = {{ sphere = 0.1 }}\nzones = [{zone}]"));
    let form = "a zone is written as { shape = { box = [1, 1, 1] }, position = [0, 0, 0], material = \"oil\" }";
    check(
        &zone("{ shape = { sphere = 1 } }"),
        &format!(
            "scene.toml:5:10: `material` is missing (in body \"ball\"): {{ shape = {{ sphere = 1 }} }}\n  help: {form}"
        ),
    );
    check(
        &zone("{ shape = { sphere = 1 }, material = \"oil\" }"),
        "scene.toml:5:47: there is no material \"oil\" (in body \"ball\"): \"oil\"\n  \
         help: describe it in a section [materials.oil]",
    );
    let oiled = |shape: &str| {
        zone(&format!("{{ shape = {shape}, material = \"oil\" }}")) + "[materials.oil]\nfriction = 0.05\n"
    };
    check(
        &oiled("{ capsule = { radius = 1, height = 1 } }"),
        "scene.toml:5:20: this shape cannot be a zone (in body \"ball\"): { capsule = { radius = 1, height = 1 } }\n  \
         help: a zone is one of: sphere, box",
    );
    check(
        &oiled("{ box = [1, 1, 1], rounding = 0.1 }"),
        "scene.toml:5:20: a zone has no rounding (in body \"ball\"): { box = [1, 1, 1], rounding = 0.1 }\n  \
         help: drop the rounding",
    );
    check(
        &oiled("{ box = [1, 0, 1] }"),
        "scene.toml:5:32: the size of a zone must be positive (in body \"ball\"): 0\n  help: lengths are in metres",
    );
}

#[test]
fn unknown_names_are_shown_with_the_nearest_known_one() {
    check(
        &format!("format = 1\n[variables]\nspeed = {{ normal = [1, 0.1] }}\n{BALL}velocity = [\"sped\", 0, 0]"),
        "scene.toml:7:13: there is no variable \"sped\" (in body \"ball\"): \"sped\"\n  help: did you mean \"speed\"?",
    );
    check(
        &ball("shape = { sphere = 0.1 }\nmaterial = \"felt\""),
        "scene.toml:5:12: there is no material \"felt\" (in body \"ball\"): \"felt\"\n  \
         help: describe it in a section [materials.felt]",
    );
}

#[test]
fn names_are_used_once() {
    check(
        &format!("format = 1\n{BALL}{BALL}"),
        "scene.toml:6:8: there is another body named \"ball\" (in body \"ball\"): \"ball\"\n  \
         help: give every body its own name; copies are numbered -1, -2, …",
    );
}

#[test]
fn densities_that_cannot_be_are_refused() {
    let check_density = |density: &str, message: &str, help: &str| {
        let text = format!("format = 1\n[variables]\nx = {density}\n{BALL}position = [\"x\", 0, 0]");
        let expected = format!("scene.toml:3:5: {message} (in variable \"x\"): {density}\n  help: {help}");
        check(&text, &expected);
    };
    let certain = "give a number above zero, or use a constant for a value that is certain";
    check_density("{ normal = [1, 0] }", "the standard deviation of a normal density is 0", certain);
    check_density("{ exponential = -1 }", "the mean of an exponential density is -1", certain);
    check_density(
        "{ uniform = [2, 1] }",
        "a uniform density from 2 to 1 is empty",
        "give a lower end below the upper end, or use a constant for a value that is certain",
    );
    check_density(
        "{ discrete = { values = [] } }",
        "the weights of a discrete density sum to 0",
        "give at least one positive weight, and weights whose sum is finite",
    );
}

#[test]
fn repeats_are_limited() {
    for (repeat, column, message) in [
        ("{ count = 0 }", 20, "a body cannot be repeated zero times"),
        ("{ count = 1000001 }", 20, "a body can be repeated at most 1000000 times"),
        (
            "{ grid = [4294967296, 4294967296, 4294967296], spacing = [1, 1, 1] }",
            19,
            "a body can be repeated at most 1000000 times",
        ),
    ] {
        let text = ball(&format!("shape = {{ sphere = 0.1 }}\nrepeat = {repeat}"));
        let errors = parse(&text).unwrap_err();
        let place = errors.errors[0].place.clone().unwrap();
        assert_eq!((place.line, place.column, errors.errors[0].message.as_str()), (5, column, message));
    }
}

#[test]
fn copies_do_not_start_before_the_first() {
    check(
        &ball("shape = { sphere = 0.1 }\nrepeat = { count = 2, interval = -1 }"),
        "scene.toml:5:34: the interval of a repeat must be zero or more (in body \"ball\"): -1\n  \
         help: each copy starts this many seconds after the one before",
    );
}

#[test]
fn several_errors_come_at_once_and_in_order() {
    let text = "format = 1\nduration = -1\n[materials.a]\nfriction = -1\n[[body]]\nname = \"x\"\nshape = { sphere = -1 }\nmaterial = \"b\"\n";
    let lines: Vec<usize> = parse(text).unwrap_err().errors.iter().map(|e| e.place.as_ref().unwrap().line).collect();
    assert_eq!(lines, [2, 4, 7, 8]);
    let text = "format = 1\nduration = []\nspeed = 3\n[[body]]\nname = 7\nshape = { sphere = true }\n";
    let lines: Vec<usize> = parse(text).unwrap_err().errors.iter().map(|e| e.place.as_ref().unwrap().line).collect();
    assert_eq!(lines, [2, 3, 5, 6]);
}

#[test]
fn overlapping_starts_name_both_bodies_and_the_second_place() {
    let text = format!(
        "format = 1\n{BALL}[[body]]\nname = \"box\"\nshape = {{ box = [1, 1, 1] }}\nposition = [0.55, 0, 0]\n\
         [[body]]\nname = \"far\"\nshape = {{ sphere = 1 }}\nposition = [9, 0, 0]\n"
    );
    let errors = parse(&text).unwrap().draw(Seed(1)).builder().unwrap_err();
    assert_eq!(
        errors.explain(),
        "scene.toml:8:12: bodies \"ball\" and \"box\" overlap by 5.00e-2 m at the start (in body \"box\"): \
         [0.55, 0, 0]\n  help: move them apart, or let one start later"
    );
    // All copies lie in each other, and each but the first is told.
    let text = ball("shape = { sphere = 0.1 }\nrepeat = { count = 5 }");
    let errors = parse(&text).unwrap().draw(Seed(1)).world().unwrap_err();
    assert_eq!(errors.errors.len(), 4);
    assert!(errors.errors[3].message.contains("\"ball-1\" and \"ball-5\""), "{errors}");
}

#[test]
fn values_that_make_a_shape_impossible_are_told_when_drawn() {
    let text = ball("shape = { box = [1, 1, 1], rounding = { uniform = [0.6, 0.7] } }");
    let errors = parse(&text).unwrap().draw(Seed(1)).builder().unwrap_err();
    assert!(errors.to_string().starts_with("scene.toml:4:9: with the values drawn, a rounding of 0.6"), "{errors}");
}

#[test]
fn files_that_are_not_scenes_are_refused() {
    let folder = std::env::temp_dir().join(format!("proscenium-scenes-errors-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let errors = Scene::read(&folder).unwrap_err();
    assert!(errors.to_string().contains("it is a folder"), "{errors}");
    let errors = Scene::read(&folder.join("none.toml")).unwrap_err();
    assert!(errors.to_string().contains("none.toml`: No such file"), "{errors}");

    let file = folder.join("latin.toml");
    std::fs::write(&file, b"format = 1\n# caf\xe9\n").unwrap();
    let errors = Scene::read(&file).unwrap_err();
    let place = errors.errors[0].place.clone().unwrap();
    assert_eq!((place.line, place.column), (2, 6));

    // Refused by its size, before anyone tries to understand it.
    let file = folder.join("junk.toml");
    std::fs::write(&file, vec![b'['; 17 * 1024 * 1024]).unwrap();
    let errors = Scene::read(&file).unwrap_err();
    assert!(errors.to_string().contains("larger than 16 MB"), "{errors}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn deep_and_wide_junk_is_refused_quickly() {
    for junk in ["[", "{", "a = [", "a.", "\"", "a = {b = ", "[[x]]\n", "x = 1\n", "\u{0}", "= ", "'''"] {
        let text = junk.repeat(190_000 / junk.len());
        let errors = parse(&text).unwrap_err();
        assert!(errors.errors.len() <= 51);
        let text = format!("format = 1\n{}", junk.repeat(600_000 / junk.len()));
        assert!(parse(&text).is_err());
    }
}

#[test]
fn many_mistakes_are_found_in_reasonable_time() {
    // Each name is compared with all others only until enough is reported.
    let mut text = String::from("format = 1\n[variables]\n");
    for index in 0..40_000 {
        text.push_str(&format!("variable_{index} = 1\n"));
    }
    for index in 0..40_000 {
        text.push_str(&format!("[[body]]\nname = \"b{index}\"\nshape = {{ sphere = \"variabel{index}\" }}\n"));
    }
    let errors = parse(&text).unwrap_err();
    assert_eq!(errors.errors.len(), 51);
    assert!(errors.errors[50].message.contains("more errors are not shown"));
}

#[test]
fn meshes_are_sought_beside_the_scene() {
    let folder = std::env::temp_dir().join(format!("proscenium-scenes-mesh-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let tetrahedron = "v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(folder.join("part.obj"), tetrahedron).unwrap();
    let scene = "format = 1\n[[body]]\nname = \"part\"\nshape = { mesh = \"part.obj\", scale = 0.01 }\n";
    std::fs::write(folder.join("scene.toml"), scene).unwrap();
    let world = Scene::read(&folder.join("scene.toml")).unwrap().draw(Seed(1)).world().unwrap();
    let body = world.bodies().next().unwrap();
    let mass = world.inertia(body).unwrap().mass;
    assert!((mass - 1000.0 / 6.0).abs() < 1e-9, "{mass}");

    for (name, bytes, expected) in [
        ("flat.obj", &b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"[..], "at least 4 different points"),
        ("none.obj", b"# nothing\n", "no triangles"),
        ("junk.glb", b"junk", "not a valid .glb file"),
        ("nan.obj", b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not a finite number"),
    ] {
        std::fs::write(folder.join(name), bytes).unwrap();
        let text = ball(&format!("shape = {{ mesh = \"{name}\" }}"));
        let source = Source::inline("scene.toml", text.clone()).with_folder(&folder);
        let errors = Scene::parse(&text, &source).unwrap_err().explain();
        assert!(errors.contains(expected), "{name}: {errors}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(!Path::new(&folder).exists());
}

#[test]
fn wants_that_make_no_sense_are_told_with_a_remedy() {
    let want = |keys: &str| format!("format = 1\n{BALL}[[want]]\n{keys}\n");
    check(
        &want("body = \"bal\"\nupright = true"),
        "scene.toml:6:8: there is no body \"bal\": \"bal\"\n  help: did you mean \"ball\"?",
    );
    check(
        &want("body = \"ball\"\nnear = { position = [1, 2, 3], within = 0 }"),
        "scene.toml:7:41: the tolerance of a want must be positive: 0\n  \
         help: say how far off is still good, as in within = 0.02",
    );
    check(
        &want("body = \"ball\"\nface_up = 7"),
        "scene.toml:7:11: there is no such face: 7\n  help: give the pips of a die, 1 to 6, or an axis of the shape: \
         \"+x\", \"-x\", \"+y\", \"-y\", \"+z\", \"-z\"",
    );
    check(
        &want("body = \"ball\""),
        "scene.toml:6:8: this want does not say what should happen: \"ball\"\n  \
         help: add one of: near, inside, on, touches, faces, face_up, upright, unmoved, orientation, velocity, speed, spin, hits, passes, on_screen",
    );
    check(
        &want("upright = true"),
        "scene.toml:6:11: this want does not say whom it is about: true\n  help: name a body, as in body = \"die-1\"",
    );
    check(
        &want("body = \"ball\"\nupright = true\nat_least = 2"),
        "scene.toml:8:12: this want is about 1, of which 2 cannot be counted: 2\n  \
         help: ask for fewer, or name more bodies",
    );
    check(
        &want("body = \"ball\"\nat = 99\nupright = true"),
        "scene.toml:7:6: the time of a want lies outside of the scene: 99\n  \
         help: give a time from 0 to the duration of the scene, 5 s",
    );
    check(
        &want("body = \"ball\"\nupright = true\nweight = -1"),
        "scene.toml:8:10: the weight of a want must be positive: -1\n  \
         help: 5 is usual: what misses is e^5 = 148 times less likely; at most 700",
    );
    check(
        &want("body = \"ball\"\nvelocity = { like = [1, 0, 0], within = 0.1 }"),
        "scene.toml:7:12: what has come to rest has no velocity: { like = [1, 0, 0], within = 0.1 }\n  \
         help: say when, as in at = 1.5",
    );
    check(
        &ball("shape = { sphere = 0.1 }\ntakes_part = 1.0"),
        "scene.toml:5:14: the chance to take part must lie between 0 and 1 (in body \"ball\"): 1.0\n  \
         help: 0.5 is heads or tails; leave it out for a body that is always there",
    );
    let errors = parse("format = 1\n[variables]\nx = { uniform = [-inf, inf] }\n").unwrap_err();
    assert!(errors.errors[0].message.contains("must be a finite number"), "{errors}");
}
