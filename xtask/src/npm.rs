//! `cargo xtask npm`: the package for web pages, and its tests.
//!
//! For each module: the bindings are compiled with one feature, `wasm-bindgen` (a program
//! of ours, see `bindgen.rs`) writes the JavaScript beside them, and `wasm-opt` makes them
//! smaller. TypeScript does the rest. A module that comes out of the compiler as it did
//! before is not packed again.

use std::fs;
use std::path::Path;

use crate::process::{Process, is_installed};
use crate::report::Outcome;
use crate::wasm::{self, NoModule};

/// The folder of the package.
const FOLDER: &str = "npm";
/// The modules, each by its feature of the bindings.
const MODULES: &[&str] = &["dice", "direct"];
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
/// What a page loads of a module, beside what it is called by.
const FILES: &[&str] = &["js", "d.ts"];

/// Builds the package into `npm/dist`.
pub fn build(root: &Path) -> Outcome {
    let folder = root.join(FOLDER);
    if !is_installed("npm", root) {
        return Outcome::Skipped("needs Node 20 or newer with npm".into());
    }
    let install = ["ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
    match packages(&folder, &install).and_then(|()| MODULES.iter().try_for_each(|name| module(root, &folder, name))) {
        Err(NoModule::Skipped(why)) => return Outcome::Skipped(why),
        Err(NoModule::Failed(why)) => return Outcome::Failed(why),
        Ok(()) => {}
    }
    // Anything in `dist` would go into the package.
    let _ = fs::remove_dir_all(folder.join("dist"));
    match Process::new("npm", &["run", "build"], &folder).run() {
        Outcome::Passed => {}
        failed => return failed,
    }
    match MODULES.iter().try_for_each(|name| deliver(&folder, name)) {
        Ok(()) => Outcome::Passed,
        Err(error) => Outcome::Failed(format!("{FOLDER}/dist/wasm: {error}")),
    }
}

/// Builds the package and tests it in Node, and in Chromium where that is installed.
pub fn build_and_test(root: &Path) -> Outcome {
    match build(root) {
        Outcome::Passed => Process::new("npm", &["test"], &root.join(FOLDER)).run(),
        other => other,
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

/// Compiles and packs a module into `src/wasm`, where the sources look for it.
fn module(root: &Path, folder: &Path, name: &str) -> Result<(), NoModule> {
    let built = wasm::module(root, name)?;
    let place = folder.join("src/wasm");
    let (kept, packed) = (place.join(format!("{name}.compiled")), place.join(format!("{name}_bg.wasm")));
    let read = |path: &Path| fs::read(path).ok();
    if packed.is_file() && read(&built).is_some() && read(&built) == read(&kept) {
        return Ok(());
    }
    let io = |error: std::io::Error| NoModule::Failed(format!("{}: {error}", place.display()));
    fs::create_dir_all(&place).map_err(io)?;
    let paths = [&built, &place].map(|path| path.to_string_lossy().into_owned());
    let bindgen = ["run", "--locked", "--package", "xtask", "--features", "bindgen", "--bin", "bindgen", "--"];
    let bindgen = [&bindgen[..], &[&paths[0], name, &paths[1]]].concat();
    passed(Process::cargo(&bindgen, root).run())?;
    let packed = packed.to_string_lossy();
    let options = ["node_modules/binaryen/bin/wasm-opt", "-O3", "--strip-debug", "--strip-producers"];
    let options = [&options[..], FEATURES].concat();
    passed(Process::new("node", &[&options[..], &[&packed, "-o", &packed]].concat(), folder).run())?;
    fs::copy(&built, &kept).map_err(io).map(|_| ())
}

/// Puts a packed module beside what TypeScript has made.
fn deliver(folder: &Path, name: &str) -> std::io::Result<()> {
    let (from, to) = (folder.join("src/wasm"), folder.join("dist/wasm"));
    fs::create_dir_all(&to)?;
    for file in FILES.iter().map(|ending| format!("{name}.{ending}")).chain([format!("{name}_bg.wasm")]) {
        fs::copy(from.join(&file), to.join(&file))?;
    }
    Ok(())
}

fn passed(outcome: Outcome) -> Result<(), NoModule> {
    match outcome {
        Outcome::Passed => Ok(()),
        Outcome::Failed(why) | Outcome::Skipped(why) => Err(NoModule::Failed(why)),
    }
}
