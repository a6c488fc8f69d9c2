//! Promise: what is wrong with a model is told with its place and what was
//! expected; nothing that is read makes the library panic.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use proscenium_cull::system::MotionError;
use proscenium_cull::{CompileSettings, CompiledModel, CullError, Model, Seed, System, compile};
use proscenium_work::{ArtifactError, Completion, Progress, Remedy as _};

const PENDULUM: &str = r#"format = 1
name = "pendulum"
[parameters]
length = 2.0
[state]
angle = { angle = true, initial = 1.0 }
speed = { initial = 0.0 }
[motion]
angle = "speed"
speed = "-g / length * sin(angle)"
"#;

/// The first error of a changed pendulum: line, column, message and help.
fn wrong(from: &str, to: &str) -> (usize, usize, String, String) {
    let text = PENDULUM.replacen(from, to, 1);
    assert_ne!(text, PENDULUM);
    let errors = Model::parse("pendulum.toml", &text).unwrap_err().errors;
    let first = errors.into_iter().next().unwrap();
    let place = first.place.unwrap();
    (place.line, place.column, first.message, first.help.unwrap_or_default())
}

#[test]
fn a_syntax_error_has_its_line_and_column_and_what_was_expected() {
    let (line, column, message, help) = wrong("sin(angle)", "sin(angle");
    assert_eq!((line, column), (10, 33), "{message} {help}");
    assert!(help.contains("expected `)`"), "{help}");
    let (line, column, _, help) = wrong("* sin", "* * sin");
    assert_eq!((line, column), (10, 24));
    assert!(help.contains("expected a number, a name"), "{help}");
}

#[test]
fn an_unknown_symbol_is_named_with_the_nearest() {
    let (line, column, message, help) = wrong("/ length", "/ lenght");
    assert_eq!((line, column), (10, 15));
    assert!(message.contains("`lenght`") && help.contains("`length`"), "{message} {help}");
}

#[test]
fn every_part_of_a_file_is_checked() {
    for (from, to, word) in [
        ("format = 1", "format = 2", "format"),
        ("initial = 1.0", "inital = 1.0", "initial"),
        ("initial = 1.0", "initial = { uniform = [1.0, 1.0] }", "uniform"),
        ("angle = \"speed\"\n", "", "angle"),
        ("length = 2.0", "length = nan", "finite"),
        ("length = 2.0", "sin = 2.0", "name"),
        ("[motion]", "[motoin]", "motion"),
        ("[motion]", "[[switch]]\nfrom = \"a\"\nto = \"b\"\nwhen = \"t\"\n[motion]", "mode"),
        ("length = 2.0", "length = 2.0\n[forcing]\nperiod = \"-1\"", "above zero"),
        ("length = 2.0", "length = 2.0\n[define]\na = \"b\"\nb = \"a\"", "itself"),
        ("[state]", "[[part]]\nname = \"x\"\nparent = \"y\"\n[state]", "above"),
    ] {
        let (_, _, message, help) = wrong(from, to);
        assert!(message.contains(word) || help.contains(word), "{to}: {message} {help}");
    }
}

#[test]
fn an_explosive_system_is_stopped_with_its_variable() {
    let text = PENDULUM.replace("-g / length * sin(angle)", "speed^2 + 1");
    let model = Model::parse("explosive", &text).unwrap();
    match compile(&model, &CompileSettings::quick(), Seed(1), &Progress::none()) {
        Err(CullError::Motion(MotionError::Explosive { variable, .. })) => assert_eq!(variable, "speed"),
        other => panic!("{other:?}"),
    }
}

/// A body that dry friction holds was computed in steps of some microseconds, and compiling
/// it never ended.
#[test]
fn a_motion_with_a_jump_that_it_does_not_leave_is_told() {
    let text = PENDULUM.replace("-g / length * sin(angle)", "-4 sin(angle) - 0.8 sign(speed)");
    let model = Model::parse("dry", &text).unwrap();
    match compile(&model, &CompileSettings::quick(), Seed(1), &Progress::none()) {
        Err(CullError::Motion(error @ MotionError::Jagged { .. })) => {
            assert!(error.remedy().unwrap().contains("tanh(v / 0.02)"), "{error}");
        }
        other => panic!("{other:?}"),
    }
    // What is advised is taken.
    let smooth = text.replace("sign(speed)", "tanh(speed / 0.02)");
    let model = Model::parse("smooth", &smooth).unwrap();
    model.advance(&mut model.initial(&mut Seed(1).stream("s")), 0.0, 60.0, &mut Seed(1).stream("s")).unwrap();
}

/// A ball that came to rest on a table that goes up and down stood still in the air, or
/// stopped the table.
#[test]
fn what_comes_to_rest_on_something_that_moves_is_told() {
    let by_time = "format = 1\n[state]\nheight = { initial = 0.5 }\nspeed = { initial = 0.0 }\n[motion]\nheight = \"speed\"\n\
        speed = \"-g\"\n[modes]\nfly = {}\n[[switch]]\nfrom = \"fly\"\nto = \"fly\"\n\
        when = \"height <= 0.1 sin(9 t) and speed < 0.9 cos(9 t)\"\n\
        reset = { speed = \"0.9 cos(9 t) - 0.5 (speed - 0.9 cos(9 t))\" }\n";
    let by_table = by_time
        .replace("[motion]", "table = { angle = true, initial = 0.0 }\n[motion]\ntable = 9.0")
        .replace("sin(9 t)", "sin(table)")
        .replace("cos(9 t)", "cos(table)");
    for text in [by_time, &by_table] {
        let model = Model::parse("drum", text).unwrap();
        let mut stream = Seed(1).stream("drum");
        let error = model.advance(&mut model.initial(&mut stream), 0.0, 60.0, &mut stream).unwrap_err();
        assert!(matches!(error, MotionError::Carried { .. }), "{error}");
        assert!(error.remedy().unwrap().contains("a mode of its own"));
    }
}

#[test]
fn modes_that_change_for_ever_are_stopped() {
    let text = "format = 1\n[state]\nx = { initial = 0.0 }\n[motion]\nx = 1\n[modes]\na = {}\nb = {}\n\
                [[switch]]\nfrom = \"a\"\nto = \"b\"\nwhen = \"x >= 1\"\n\
                [[switch]]\nfrom = \"b\"\nto = \"a\"\nwhen = \"x >= 1\"\n";
    let model = Model::parse("chatter", text).unwrap();
    let mut stream = Seed(1).stream("test");
    let mut state = model.initial(&mut stream);
    let error = model.advance(&mut state, 0.0, 2.0, &mut stream).unwrap_err();
    assert!(matches!(error, MotionError::Chatter { .. }), "{error}");
}

/// A pendulum that is kicked at its lowest point, in a mode that stays: the condition holds
/// after the kick too, and kicks followed each other until nothing moved on any more.
#[test]
fn a_kick_that_its_condition_outlasts_is_told() {
    let text = "format = 1\n[state]\na = { initial = -0.5 }\nv = { initial = 0.0 }\n[motion]\na = \"v\"\nv = \"-9 sin(a) - 0.2 v\"\n\
                [modes]\nswing = {}\n[[switch]]\nfrom = \"swing\"\nto = \"swing\"\nwhen = \"a >= 0 and v > 0\"\n\
                reset = { v = \"v + 0.2\" }\n";
    let model = Model::parse("clock", text).unwrap();
    let mut stream = Seed(1).stream("test");
    let error = model.advance(&mut model.initial(&mut stream), 0.0, 5.0, &mut stream).unwrap_err();
    assert!(matches!(error, MotionError::Chatter { .. }), "{error}");
    assert!(error.remedy().unwrap().contains("let a reset make the condition false"), "{error:?}");
}

#[test]
fn an_energy_that_is_lost_is_refused() {
    let lossy = PENDULUM.replace("-g / length * sin(angle)", "-g / length * sin(angle) - 0.1 speed");
    let text = format!("{lossy}\n[energy]\nvalue = \"0.5 speed^2 - g / length * cos(angle)\"\n");
    let model = Model::parse("lossy", &text).unwrap();
    let error = compile(&model, &CompileSettings::quick(), Seed(1), &Progress::none()).unwrap_err();
    assert!(matches!(error, CullError::NotKept { .. }), "{error}");
    assert!(error.explain().contains("leave [energy] out"), "{}", error.explain());
}

#[test]
fn compiling_can_be_stopped() {
    let model = Model::parse("pendulum", PENDULUM).unwrap();
    let stopped = compile(&model, &CompileSettings::quick(), Seed(1), &Progress::stopping_at(1));
    assert_eq!(stopped, Ok(Completion::Stopped));
}

#[test]
fn damaged_files_are_refused() {
    let bytes = compiled_pendulum().to_bytes();
    for (file, words, remedy) in [
        (&b""[..], "this is not a compiled model", "compile its model again"),
        (b"proscenium cull 1\n", "has version 1", "compile its model again"),
        (b"proscenium cull 9\n", "version 9 is newer", "update this program"),
        (b"proscenium city 9\n", "of the kind `city`", "compile its model again"),
        (&[&bytes[..], b"!"].concat(), "1 bytes follow the end", "compile its model again"),
    ] {
        let error = CompiledModel::from_bytes(file).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert!(error.remedy().unwrap().starts_with(remedy), "{}", error.explain());
    }
    for cut in (0..bytes.len()).step_by(97) {
        assert!(CompiledModel::from_bytes(&bytes[..cut]).is_err());
    }
    for place in (18..bytes.len()).step_by(41) {
        let mut changed = bytes.clone();
        changed[place] ^= 0x55;
        assert!(matches!(CompiledModel::from_bytes(&changed), Err(CullError::File(ArtifactError::Damaged { .. }))));
    }
}

#[test]
fn files_of_the_first_release_are_read() {
    let compiled = compiled_pendulum();
    let bytes = compiled.to_bytes();
    let content = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let old = [b"proscenium cull 2\n", &bytes[content..]].concat();
    assert_eq!(CompiledModel::from_bytes(&old).unwrap().to_bytes(), bytes);
    assert!(CompiledModel::from_bytes(&old[..old.len() - 1]).is_err());
}

fn compiled_pendulum() -> CompiledModel {
    let model = Model::parse("pendulum", PENDULUM).unwrap();
    let compiled = CompiledModel::compile(model, &CompileSettings::quick(), Seed(1), &Progress::none());
    compiled.unwrap().finished().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn no_expression_makes_the_parser_panic(text in "[-a-z0-9+*/^(), .<>=·']{0,40}") {
        let text = PENDULUM.replacen("-g / length * sin(angle)", &text, 1);
        let _ = Model::parse("any", &text);
    }
}
