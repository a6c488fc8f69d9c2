//! Promise: the same seed gives the same bytes, whatever the number of
//! threads; files appear whole or not at all; nothing else is left behind.

use crate::common;

use common::Folder;
use proscenium_clip::Clip;

#[test]
fn the_same_seed_gives_the_same_bytes_for_any_number_of_threads() {
    let folder = Folder::new();
    let endings = ["glb", "json", "png", "gif"];
    for threads in ["1", "2", "5"] {
        let outputs = endings.map(|ending| format!("-o {threads}.{ending}")).join(" ");
        folder.run(&format!("simulate bounce --duration 0.4 --size 96x54 --threads {threads} {outputs}")).ok();
    }
    for ending in endings {
        let first = folder.read(&format!("1.{ending}"));
        assert!(first.len() > 100, "{ending}");
        assert!(first == folder.read(&format!("2.{ending}")), "{ending} differs");
        assert!(first == folder.read(&format!("5.{ending}")), "{ending} differs");
    }
    assert_eq!(folder.list().len(), 12, "{:?}", folder.list());
}

#[test]
fn another_seed_gives_another_run_of_an_uncertain_scene() {
    let folder = Folder::new();
    folder.run("new table").ok();
    for (seed, name) in [(1, "a"), (1, "b"), (2, "c")] {
        folder.run(&format!("simulate table.toml --duration 0.5 --seed {seed} -o {name}.glb")).ok();
    }
    assert!(folder.read("a.glb") == folder.read("b.glb"));
    assert!(folder.read("a.glb") != folder.read("c.glb"));
}

#[test]
fn what_is_written_can_be_read() {
    let folder = Folder::new();
    folder.run("simulate cradle --duration 1 -o a.glb -o a.json -o a.png -o a.gif --size 64x36 --fps 10").ok();
    let clip = Clip::from_glb(&folder.read("a.glb")).unwrap();
    assert!((clip.duration_secs - 1.0).abs() < 1e-6, "{}", clip.duration_secs);
    let json: serde_json::Value = serde_json::from_slice(&folder.read("a.json")).unwrap();
    assert_eq!(json["format"], 1);
    let png = folder.read("a.png");
    assert_eq!(&png[..4], b"\x89PNG");
    assert_eq!((&png[16..20], &png[20..24]), (&64u32.to_be_bytes()[..], &36u32.to_be_bytes()[..]));
    let gif = folder.read("a.gif");
    assert_eq!((&gif[..6], gif.last()), (&b"GIF89a"[..], Some(&0x3b)));
    assert_eq!((&gif[6..8], &gif[8..10]), (&64u16.to_le_bytes()[..], &36u16.to_le_bytes()[..]));
}

#[test]
fn an_older_file_is_replaced() {
    let folder = Folder::new();
    folder.write("a.glb", "old");
    folder.run("simulate spin --duration 0.1 -o a.glb").ok();
    assert_eq!(&folder.read("a.glb")[..4], b"glTF");
    assert_eq!(folder.list(), ["a.glb"]);
}

#[test]
fn a_failure_leaves_the_older_file_and_nothing_else() {
    let folder = Folder::new();
    folder.write("a.glb", "old");
    folder.run("simulate no-such-scene -o a.glb").fails(1);
    folder.run("simulate spin --duration 0.1 --at 5 -o b.png").fails(1);
    assert_eq!(folder.read("a.glb"), b"old");
    assert_eq!(folder.list(), ["a.glb"]);
}

#[test]
fn a_folder_cannot_be_written_as_a_file() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("out.glb")).unwrap();
    let ran = folder.run("simulate spin -o out.glb").fails(1);
    assert_eq!(
        ran.stderr,
        "error: out.glb is a folder, not a file\n = help: name a file in it, such as out.glb/out.glb\n\n"
    );
    let ran = folder.run("simulate spin -o nowhere/out.glb").fails(1);
    assert_eq!(ran.stderr, "error: the folder nowhere does not exist\n = help: create it: mkdir -p nowhere\n\n");
    let ran = folder.run("simulate spin -o a.glb -o a.glb").fails(1);
    assert_eq!(ran.stderr, "error: a.glb is to be written twice\n = help: give each -o another name\n\n");
    folder.write("file", "");
    folder.run("simulate spin -o file/a.glb").fails(1);
}

/// Not for root, who may write anywhere.
#[cfg(unix)]
#[test]
fn a_locked_folder_is_noticed_before_the_work() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let locked = folder.path().join("locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(locked.join("probe"), "").is_ok() {
        return;
    }
    let ran = folder.run("simulate spin --duration 1e6 -o locked/a.glb").fails(1);
    assert!(ran.stderr.starts_with("error: locked/a.glb cannot be written: "), "{ran:?}");
}
