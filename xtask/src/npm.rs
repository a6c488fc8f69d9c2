//! `cargo xtask npm`: the package for web pages, and its tests.
//!
//! For each module: the bindings are compiled with one feature, `wasm-bindgen` (a program
//! of ours, see `bindgen.rs`) writes the JavaScript beside them, and `wasm-opt` makes them
//! smaller. TypeScript does the rest. A module that comes out of the compiler as it did
//! before is not packed again.
//!
//! Tests compile once, with all features, and every module is that one by another name:
//! compiling across crates takes a minute for each.

use std::fs;
use std::path::Path;

use crate::process::{Process, is_installed};
use crate::python::target;
use crate::report::Outcome;
use crate::wasm::{self, NoModule};

/// The folder of the package.
const FOLDER: &str = "npm";
/// The modules, each by its feature of the bindings.
const MODULES: &[&str] = &["city", "cull", "dice", "direct", "ensemble", "rigid"];
/// All of them in one.
const ALL: &str = "all";
/// How the package was built, for its tests.
const BUILT: &str = "built.json";
/// What the compiler uses of WebAssembly, and Node 20 knows. With all features allowed,
/// imports are written in a form that no released browser reads.
const FEATURES: &[&str] = &[
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];
/// How the files of a module end.
const FILES: &[&str] = &[".js", ".d.ts", "_bg.wasm"];

/// What is built.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// What is published: a small file for each module.
    Package,
    /// What is tested: one file for all.
    Tested,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Package => "package",
            Self::Tested => "tested",
        }
    }

    /// What is compiled: a name, and the features of the bindings.
    fn compiled(self) -> Vec<(&'static str, String)> {
        match self {
            Self::Package => {
                let each = MODULES.iter().map(|name| (*name, (*name).to_owned()));
                each.chain([(ALL, MODULES.join(","))]).collect()
            }
            Self::Tested => vec![(ALL, MODULES.join(","))],
        }
    }
}

/// Builds the package into `npm/dist`, and checks how large it is.
pub fn build(root: &Path) -> Outcome {
    match build_kind(root, Kind::Package) {
        Outcome::Passed => Process::new("npm", &["run", "sizes"], &root.join(FOLDER)).run(),
        other => other,
    }
}

/// Builds the package for tests and tests it in Node, and in Chromium where that is installed.
pub fn build_and_test(root: &Path) -> Outcome {
    match build_kind(root, Kind::Tested) {
        Outcome::Passed => {
            let command = target(root).join("debug").join(format!("proscenium{}", std::env::consts::EXE_SUFFIX));
            let tests = Process::new("npm", &["test"], &root.join(FOLDER));
            // With the variable set, files are compared with the command's.
            let tests = match command.is_file() {
                true => tests.with("PROSCENIUM_COMMAND", &command.to_string_lossy()),
                false => tests,
            };
            tests.run()
        }
        other => other,
    }
}

fn build_kind(root: &Path, kind: Kind) -> Outcome {
    let folder = root.join(FOLDER);
    if !is_installed("npm", root) {
        return Outcome::Skipped("needs Node 20 or newer with npm".into());
    }
    let packed = root.join("target/npm").join(kind.name());
    let install = ["ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
    let made = packages(&folder, &install).and_then(|()| {
        kind.compiled().iter().try_for_each(|(name, features)| module(root, &packed, name, features, kind))
    });
    match made {
        Err(NoModule::Skipped(why)) => return Outcome::Skipped(why),
        Err(NoModule::Failed(why)) => return Outcome::Failed(why),
        Ok(()) => {}
    }
    let (sources, delivered) = (folder.join("src/wasm"), folder.join("dist/wasm"));
    let io = |error: std::io::Error| Outcome::Failed(format!("{FOLDER}: {error}"));
    // Anything in `dist` would go into the package.
    let _ = fs::remove_dir_all(folder.join("dist"));
    if let Err(error) = put(&packed, &sources, kind) {
        return io(error);
    }
    match Process::new("npm", &["run", "build"], &folder).run() {
        Outcome::Passed => {}
        failed => return failed,
    }
    let built = format!("{{ \"kind\": \"{}\" }}\n", kind.name());
    match put(&packed, &delivered, kind).and_then(|()| fs::write(folder.join(BUILT), built)) {
        Ok(()) => Outcome::Passed,
        Err(error) => io(error),
    }
}

/// Installs what the package is built with, unless it is there.
fn packages(folder: &Path, install: &[&str]) -> Result<(), NoModule> {
    let changed = |path: &str| fs::metadata(folder.join(path)).and_then(|file| file.modified()).ok();
    if changed("node_modules/.package-lock.json") > changed("package-lock.json") {
        return Ok(());
    }
    passed(Process::new("npm", install, folder).run())
}

/// Compiles a module and packs it into a folder, unless it is there.
fn module(root: &Path, packed: &Path, name: &str, features: &str, kind: Kind) -> Result<(), NoModule> {
    let built = wasm::module(root, features, kind == Kind::Tested)?;
    let kept = packed.join(format!("{name}.compiled"));
    let read = |path: &Path| fs::read(path).ok();
    let is_packed = FILES.iter().all(|ending| packed.join(format!("{name}{ending}")).is_file());
    if is_packed && read(&built).is_some() && read(&built) == read(&kept) {
        return Ok(());
    }
    let io = |error: std::io::Error| NoModule::Failed(format!("{}: {error}", packed.display()));
    fs::create_dir_all(packed).map_err(io)?;
    let paths = [&built, &packed.to_path_buf()].map(|path| path.to_string_lossy().into_owned());
    let bindgen = ["run", "--locked", "--package", "xtask", "--features", "bindgen", "--bin", "bindgen", "--"];
    let bindgen = [&bindgen[..], &[&paths[0], name, &paths[1]]].concat();
    passed(Process::cargo(&bindgen, root).run())?;
    if kind == Kind::Package {
        let module = packed.join(format!("{name}_bg.wasm"));
        let module = module.to_string_lossy();
        let options = ["node_modules/binaryen/bin/wasm-opt", "-O3", "--strip-debug", "--strip-producers"];
        let options = [&options[..], FEATURES, &[&module, "-o", &module]].concat();
        passed(Process::new("node", &options, &root.join(FOLDER)).run())?;
    }
    fs::copy(&built, &kept).map_err(io).map(|_| ())
}

/// Puts the modules where sources or pages look for them. In a package for tests each is
/// the one of all by another name.
fn put(packed: &Path, to: &Path, kind: Kind) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    let copy = |from: &str, name: &str, ending: &str| {
        fs::copy(packed.join(format!("{from}{ending}")), to.join(format!("{name}{ending}"))).map(|_| ())
    };
    for name in MODULES {
        match kind {
            Kind::Package => FILES.iter().try_for_each(|ending| copy(name, name, ending))?,
            Kind::Tested => {
                copy(ALL, name, "_bg.wasm")?;
                let same = format!("export * from \"./{ALL}.js\";\nexport {{ default }} from \"./{ALL}.js\";\n");
                [".js", ".d.ts"].iter().try_for_each(|ending| fs::write(to.join(format!("{name}{ending}")), &same))?;
            }
        }
    }
    FILES.iter().try_for_each(|ending| copy(ALL, ALL, ending))
}

fn passed(outcome: Outcome) -> Result<(), NoModule> {
    match outcome {
        Outcome::Passed => Ok(()),
        Outcome::Failed(why) | Outcome::Skipped(why) => Err(NoModule::Failed(why)),
    }
}
