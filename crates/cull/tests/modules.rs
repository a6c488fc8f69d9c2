//! Promise: from equal seeds the library, the Rust module and the ES module go
//! through the same states, to 1e-9 per step, in all three regimes.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use proscenium_cull::{CompileSettings, Culled, Model, Player, Seed};

const MODELS: [(&str, &str); 4] = [
    ("tilt", include_str!("../../../models/tilt-a-whirl.toml")),
    ("light", include_str!("../../../models/traffic-light.toml")),
    ("coaster", include_str!("../../../models/roller-coaster.toml")),
    ("octopus", include_str!("../../../models/octopus.toml")),
];

/// Frames in view, and gaps of every length between them.
const TIMES: [f64; 16] =
    [0.0, 0.016, 0.4, 0.45, 0.7, 3.0, 3.1, 14.0, 14.1, 21.0, 60.0, 60.05, 800.0, 800.02, 5000.0, 5000.5];

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("modules");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn small() -> CompileSettings {
    CompileSettings {
        most_cells: 2,
        paths_per_cell: 100,
        paths: 12,
        examples: 1000,
        training_rounds: 1,
        kept_states: 256,
        ..CompileSettings::default()
    }
}

/// Each model compiled with little effort: the agreement does not depend on it.
fn compiled() -> &'static [(&'static str, Culled)] {
    static COMPILED: OnceLock<Vec<(&str, Culled)>> = OnceLock::new();
    COMPILED.get_or_init(|| MODELS.iter().map(|(name, text)| (*name, culled(name, text))).collect())
}

fn culled(name: &str, text: &str) -> Culled {
    let model = Model::parse("test", text).unwrap();
    // The octopus forgets late, and until then is followed: over hundreds of
    // seconds of chaos the last digits would become the first.
    let longest = if name == "octopus" { 150.0 } else { 60.0 };
    let settings = CompileSettings { longest: Some(longest), ..model.settings().with_effort_of(&small()) };
    Culled::compile(model, &settings, Seed(1), &mut |_| true).unwrap()
}

fn expected(culled: &Culled) -> Vec<(u8, Vec<f64>)> {
    let mut player = Player::new(culled.model(), Seed(7), 0.0);
    let count = culled.learned().findings().variables.len();
    let see = |&time: &f64| {
        let (state, _) = player.see(culled.model(), culled.learned(), time).unwrap();
        (state.mode, state.values[..count].to_vec())
    };
    TIMES.iter().map(see).collect()
}

fn compare(name: &str, culled: &Culled, output: &str) {
    let expected = expected(culled);
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), TIMES.len(), "{name}: {output}");
    for ((line, (mode, values)), time) in lines.iter().zip(&expected).zip(TIMES) {
        let mut numbers = line.split_whitespace().map(|word| word.parse::<f64>().unwrap());
        assert_eq!(numbers.next(), Some(f64::from(*mode)), "{name} at {time}");
        for (number, value) in numbers.zip(values) {
            let allowed = 1e-9 * (1.0 + value.abs());
            assert!((number - value).abs() <= allowed, "{name} at {time}: {number} and {value}");
        }
    }
}

#[test]
fn the_es_module_agrees() {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("node is not here: the ES module was not run");
        return;
    }
    for (name, culled) in compiled() {
        let path = folder().join(format!("{name}.mjs"));
        std::fs::write(&path, culled.to_javascript()).unwrap();
        let program = format!(
            "import {{ Player }} from {:?};\nconst player = new Player(7n, 0);\nfor (const time of {TIMES:?}) {{\n  \
             const state = player.see(time);\n  console.log(state.mode, ...state.values);\n}}\n",
            format!("./{name}.mjs"),
        );
        let main = folder().join(format!("{name}-main.mjs"));
        std::fs::write(&main, program).unwrap();
        let ran = Command::new("node").arg(&main).output().unwrap();
        assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
        compare(name, culled, &String::from_utf8(ran.stdout).unwrap());
    }
}

#[test]
fn the_rust_module_agrees() {
    for (name, culled) in compiled() {
        std::fs::write(folder().join(format!("{name}.rs")), culled.to_rust()).unwrap();
        let main = folder().join(format!("{name}_main.rs"));
        let program = format!(
            "#![allow(dead_code, unused)]\nmod {name};\nfn main() {{\n    let mut player = {name}::Player::new(7, 0.0);\n    \
             for time in {TIMES:?} {{\n        let (state, _) = player.see(time);\n        print!(\"{{}}\", state.mode);\n        \
             for value in state.values {{ print!(\" {{value:?}}\"); }}\n        println!();\n    }}\n}}\n"
        );
        std::fs::write(&main, program).unwrap();
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let binary = folder().join(format!("{name}_main"));
        let built = Command::new(rustc).args(["--edition", "2024", "-O", "-o"]).arg(&binary).arg(&main).output();
        let built = built.unwrap();
        assert!(built.status.success(), "{name}: {}", String::from_utf8_lossy(&built.stderr));
        let ran = Command::new(&binary).output().unwrap();
        compare(name, culled, &String::from_utf8(ran.stdout).unwrap());
    }
}
