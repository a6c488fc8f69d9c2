//! That engines, scenes and pictures compile for the browser, on any machine.
//!
//! The compiler needs a standard library for `wasm32-unknown-unknown`. It is
//! looked for in the toolchain, then asked of rustup, and where neither has it,
//! built once from Debian's sources, which come with a compiler of their own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::process::{Process, is_installed};
use crate::python::target;
use crate::report::Outcome;
use crate::tidy::{ARROWS, Layer};

/// What browsers run.
const TARGET: &str = "wasm32-unknown-unknown";

/// What need not compile for it: SQLite is C. The director is compiled without it.
const APART: &str = "proscenium-gallery";

/// What must compile for it, with all features off, and so without threads: all libraries
/// of the table of arrows but the gallery. Applications have a machine below them.
fn packages() -> impl Iterator<Item = &'static str> {
    let libraries = ARROWS.iter().filter(|arrow| arrow.layer < Layer::Apps).map(|arrow| arrow.package);
    libraries.filter(|package| *package != APART)
}

/// Where Debian's compiler and the standard library made with it are kept.
const DEBIAN_FOLDER: &str = "target/wasm-toolchain";

/// Where crates are checked by it: another compiler is at work elsewhere.
const DEBIAN_TARGET_FOLDER: &str = "target/wasm";

/// A compiler that has a standard library for the browser.
#[derive(Debug, Clone, PartialEq)]
enum Compiler {
    /// The one that builds everything else.
    Installed,
    /// Debian's, unpacked here.
    Debian(PathBuf),
}

/// Checks all packages for the browser, with every feature off.
pub fn check(root: &Path) -> Outcome {
    let compiler = match compiler(root) {
        Ok(compiler) => compiler,
        Err(why) => return Outcome::Skipped(why),
    };
    let packages: Vec<&str> = packages().flat_map(|package| ["--package", package]).collect();
    if let Err(why) = threads_are_off(root, &packages) {
        return Outcome::Failed(why);
    }
    let mut arguments = vec!["check", "--locked", "--lib", "--no-default-features", "--target", TARGET];
    arguments.extend(packages);
    compiling(&compiler, &arguments, root).run()
}

/// Cargo with a compiler for the browser.
fn compiling(compiler: &Compiler, arguments: &[&str], root: &Path) -> Process {
    match compiler {
        // What runs while others are compiled (macros) is there already.
        Compiler::Installed => Process::cargo(arguments, root),
        Compiler::Debian(rustc) => {
            let arguments = [arguments, &["--target-dir", DEBIAN_TARGET_FOLDER]].concat();
            let process = Process::cargo(&arguments, root).with("RUSTC", &rustc.to_string_lossy());
            // Debian's compiler has no linker of its own.
            match linker(root) {
                Some(linker) => process.with("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", &linker.to_string_lossy()),
                None => process,
            }
        }
    }
}

/// The linker that comes with the compiler that builds everything else.
fn linker(root: &Path) -> Option<PathBuf> {
    let about = Process::new("rustc", &["--version", "--verbose"], root).output()?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "))?;
    let libraries = Process::new("rustc", &["--print", "sysroot"], root).output()?;
    let programs = Path::new(libraries.trim()).join("lib/rustlib").join(host).join("bin");
    let linker = programs.join(format!("rust-lld{}", std::env::consts::EXE_SUFFIX));
    linker.is_file().then_some(linker)
}

/// Why a module was not built.
pub enum NoModule {
    /// Nothing here can.
    Skipped(String),
    /// It does not compile.
    Failed(String),
}

/// Builds a module of the bindings with some of their features; where it is then. One that
/// is built soon is larger, and has the same bits.
pub fn module(root: &Path, features: &str, soon: bool) -> Result<PathBuf, NoModule> {
    let compiler = compiler(root).map_err(NoModule::Skipped)?;
    let arguments =
        ["build", "--locked", "--lib", "--package", "proscenium-wasm", "--profile", "wasm", "--target", TARGET];
    let arguments = [&arguments[..], &["--no-default-features", "--features", features]].concat();
    let process = compiling(&compiler, &arguments, root);
    let process = match soon {
        true => process.with("CARGO_PROFILE_WASM_LTO", "off").with("CARGO_PROFILE_WASM_CODEGEN_UNITS", "16"),
        false => process,
    };
    match process.run() {
        Outcome::Failed(why) | Outcome::Skipped(why) => return Err(NoModule::Failed(why)),
        Outcome::Passed => {}
    }
    let folder = match compiler {
        Compiler::Installed => target(root),
        Compiler::Debian(_) => root.join(DEBIAN_TARGET_FOLDER),
    };
    Ok(folder.join(TARGET).join("wasm/proscenium_wasm.wasm"))
}

/// A dependency among ours that has its default features on would turn threads
/// on in all of them, and what is checked would not be what browsers run.
fn threads_are_off(root: &Path, packages: &[&str]) -> Result<(), String> {
    let question = ["tree", "--locked", "--no-default-features", "--edges", "normal,features", "--target", TARGET];
    let question = [&question[..], &["--invert", "proscenium-work"], packages].concat();
    let tree = Process::cargo(&question, root).output().ok_or("`cargo tree` does not know proscenium-work")?;
    match turns_threads_on(&tree) {
        Some(who) => Err(format!("{who} turns threads on: set `default-features = false` in the table of Cargo.toml")),
        None => Ok(()),
    }
}

/// Who asks for threads, in an inverted tree of features.
fn turns_threads_on(tree: &str) -> Option<&str> {
    let mut lines = tree.lines().skip_while(|line| !line.contains("proscenium-work feature \"parallel\""));
    lines.next()?;
    let who = lines.next().unwrap_or("something").trim_start_matches(|letter: char| !letter.is_ascii_alphabetic());
    Some(who.split(" (").next().unwrap_or(who))
}

/// The first compiler that can, made where it has to be; or why there is none.
fn compiler(root: &Path) -> Result<Compiler, String> {
    if has_standard_library("rustc", root) {
        return Ok(Compiler::Installed);
    }
    let folder = root.join(DEBIAN_FOLDER);
    let debian = folder.join("rustc");
    if has_standard_library(&debian.to_string_lossy(), root) {
        return Ok(Compiler::Debian(debian));
    }
    println!("no standard library for {TARGET}: asking rustup for it");
    if Process::new("rustup", &["target", "add", TARGET], root).run() == Outcome::Passed
        && has_standard_library("rustc", root)
    {
        return Ok(Compiler::Installed);
    }
    println!("rustup cannot: building it with Debian's compiler in {DEBIAN_FOLDER}, once (a few minutes)");
    unpack_debian(root, &folder).and_then(|()| build_standard_library(root, &folder)).map_err(|why| {
        format!("no standard library for {TARGET}: {why}; where rustup works, run: rustup target add {TARGET}")
    })?;
    Ok(Compiler::Debian(debian))
}

/// Whether a compiler finds the standard library of browsers.
fn has_standard_library(rustc: &str, root: &Path) -> bool {
    let asked = Process::new(rustc, &["--print", "target-libdir", "--target", TARGET], root).output();
    asked.is_some_and(|folder| has_rlib(Path::new(folder.trim())))
}

fn has_rlib(folder: &Path) -> bool {
    let is_std = |name: &str| name.starts_with("libstd-") && name.ends_with(".rlib");
    fs::read_dir(folder)
        .is_ok_and(|entries| entries.flatten().any(|entry| is_std(&entry.file_name().to_string_lossy())))
}

/// Downloads Debian's compiler for browsers' builders and unpacks it; nothing
/// is installed, and the system's lists of packages stay as they are.
fn unpack_debian(root: &Path, folder: &Path) -> Result<(), String> {
    for program in ["apt-get", "apt-cache", "dpkg", "tar"] {
        if !is_installed(program, root) {
            return Err(format!("`{program}` is not here"));
        }
    }
    let packages = folder.join("packages");
    for made in ["packages", "apt/lists/partial", "apt/cache/archives/partial"] {
        fs::create_dir_all(folder.join(made)).map_err(|error| format!("{made}: {error}"))?;
    }
    // The system's lists may be as old as the machine, and belong to root.
    let apt = AptOptions::inside(&folder.join("apt"));
    passed(Process::new("apt-get", &apt.with(&["--quiet", "update"]), root).run())?;
    let known = Process::new("apt-cache", &apt.with(&["show", "--no-all-versions", "rustc-web"]), root).output();
    let version = known.as_deref().and_then(version_of).ok_or("Debian's `rustc-web` is not known to apt")?;
    let needed = needed_version(root).ok_or("the manifest names no `rust-version`")?;
    if version < needed {
        return Err(format!(
            "Debian's compiler is {}.{}, and {}.{} is needed",
            version.0, version.1, needed.0, needed.1
        ));
    }
    let tree = ["depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts", "--no-breaks"];
    let tree = [&tree[..], &["--no-replaces", "--no-enhances", "rustc-web"]].concat();
    let tree = Process::new("apt-cache", &apt.with(&tree), root).output().unwrap_or_default();
    let binaries = compiler_packages(&tree);
    let mut wanted: Vec<&str> = vec!["--quiet", "download", "rust-web-src"];
    wanted.extend(&binaries);
    passed(Process::new("apt-get", &apt.with(&wanted), &packages).run())?;
    for file in files(&packages, |name| name.ends_with(".deb") && !name.starts_with("rust-web-src"))? {
        passed(Process::new("dpkg", &["-x", &file.to_string_lossy(), "."], folder).run())?;
    }
    // Of the sources only the library is needed.
    let unpack = "dpkg --fsys-tarfile packages/rust-web-src_*.deb | tar -x --wildcards \
                  './usr/lib/rustlib/src/*' './usr/src/rustc-*/library/*'";
    passed(Process::new("sh", &["-c", unpack], folder).run())?;
    let libraries = files(&folder.join("usr/lib"), |name| name.ends_with("-linux-gnu"))?;
    let libraries = libraries.first().ok_or("Debian's compiler has no libraries")?;
    let script = format!(
        "#!/bin/sh\nLD_LIBRARY_PATH='{}' exec '{}' \"$@\"\n",
        libraries.display(),
        folder.join("usr/bin/rustc").display()
    );
    write_program(&folder.join("rustc"), &script).map_err(|error| format!("the compiler's script: {error}"))
}

/// Options that let apt work in a folder of ours.
struct AptOptions {
    lists: String,
    cache: String,
}

impl AptOptions {
    fn inside(folder: &Path) -> Self {
        let option = |name: &str, inner: &str| format!("{name}={}", folder.join(inner).display());
        Self { lists: option("Dir::State::Lists", "lists"), cache: option("Dir::Cache", "cache") }
    }

    fn with<'a>(&'a self, arguments: &[&'a str]) -> Vec<&'a str> {
        [&["-o", &self.lists, "-o", &self.cache], arguments].concat()
    }
}

/// The packages of the compiler itself, among all that it stands on: what is
/// below them every Debian has.
fn compiler_packages(tree: &str) -> Vec<&str> {
    let ours = |name: &&str| ["rustc-web", "libstd-rust-web", "libllvm"].iter().any(|start| name.starts_with(start));
    tree.lines().filter(ours).collect()
}

/// The version in what apt shows of a package.
fn version_of(shown: &str) -> Option<(u32, u32)> {
    parse_version(shown.lines().find_map(|line| line.strip_prefix("Version: "))?)
}

/// The oldest compiler that the workspace builds with.
fn needed_version(root: &Path) -> Option<(u32, u32)> {
    let manifest: toml::Table = fs::read_to_string(root.join("Cargo.toml")).ok()?.parse().ok()?;
    parse_version(manifest.get("workspace")?.get("package")?.get("rust-version")?.as_str()?)
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(|letter: char| !letter.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Builds the standard library with Debian's compiler and puts it where that
/// compiler looks for it.
fn build_standard_library(root: &Path, folder: &Path) -> Result<(), String> {
    let rustc = folder.join("rustc").to_string_lossy().into_owned();
    if !Process::new(&rustc, &["--version"], root).succeeds() {
        return Err("Debian's compiler does not start here".into());
    }
    let package = folder.join("std");
    let manifest = "[package]\nname = \"only-std\"\nedition = \"2024\"\n[workspace]\n\
                    [profile.release]\npanic = \"abort\"\n";
    fs::create_dir_all(package.join("src"))
        .and_then(|()| fs::write(package.join("src/lib.rs"), ""))
        .and_then(|()| fs::write(package.join("Cargo.toml"), manifest))
        .map_err(|error| format!("the package of the standard library: {error}"))?;
    let arguments = ["build", "--release", "-Zbuild-std=std,panic_abort", "--target", TARGET, "--target-dir", "target"];
    let build = Process::cargo(&arguments, &package)
        .with("RUSTC", &rustc)
        // What is unstable is only how the library is built.
        .with("RUSTC_BOOTSTRAP", "1")
        // Without it a module with optimisation at link time would not link.
        .with("RUSTFLAGS", "-C embed-bitcode=yes");
    passed(build.run())?;
    let place = folder.join("usr/lib/rustlib").join(TARGET).join("lib");
    fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    let built = package.join("target").join(TARGET).join("release/deps");
    let library = |name: &str| name.ends_with(".rlib") && !name.starts_with("libonly_std");
    // `libstd` is copied last: where it is, the others are.
    let mut built = files(&built, library)?;
    built.sort_by_key(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libstd-")));
    for path in built {
        let name = path.file_name().unwrap_or_default();
        fs::copy(&path, place.join(name)).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Files and folders in a folder whose names are as asked, in order.
fn files(folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.flatten().filter(|entry| wanted(&entry.file_name().to_string_lossy()));
    let mut paths: Vec<PathBuf> = paths.map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn passed(outcome: Outcome) -> Result<(), String> {
    match outcome {
        Outcome::Passed => Ok(()),
        Outcome::Failed(why) | Outcome::Skipped(why) => Err(why),
    }
}

/// Writes a script that can be run.
fn write_program(path: &Path, text: &str) -> io::Result<()> {
    fs::write(path, text)?;
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_compilers_own_packages_are_downloaded() {
        let tree = "rustc-web\n  Depends: libc6\nlibc6\n  Depends: libgcc-s1\nlibstd-rust-web-dev\n\
                    libstd-rust-web-1.96\n    libllvm22\nlibllvm22\nlibxml2\n";
        assert_eq!(compiler_packages(tree), ["rustc-web", "libstd-rust-web-dev", "libstd-rust-web-1.96", "libllvm22"]);
    }

    #[test]
    fn whoever_turns_threads_on_is_named() {
        let tree = "proscenium-work v0.1.0 (/a)\n├── proscenium-work feature \"parallel\"\n\
                    │   └── proscenium-city feature \"parallel\"\n";
        assert_eq!(turns_threads_on(tree), Some("proscenium-city feature \"parallel\""));
        assert_eq!(turns_threads_on("proscenium-work v0.1.0 (/a)\n└── proscenium-city v0.1.0 (/b)\n"), None);
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        let shown = "Package: rustc-web\nVersion: 1.96.0+dfsg1-1~deb12u2\nDepends: libc6\n";
        assert_eq!(version_of(shown), Some((1, 96)));
        assert_eq!(version_of("Package: rustc-web\n"), None);
        assert!(parse_version("1.100") > parse_version("1.95"));
    }

    #[test]
    fn the_workspace_says_which_compiler_it_needs() {
        assert!(needed_version(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")) >= Some((1, 95)));
    }

    #[test]
    fn a_compiler_without_the_library_is_told_from_one_with_it() {
        let root = Path::new(".");
        assert!(!has_standard_library("no-such-compiler", root));
        assert!(!has_rlib(Path::new("no-such-folder")));
    }
}
