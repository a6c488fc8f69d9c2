//! Strips of cloth from Blender, if it is installed beside the peers.

use std::path::{Path, PathBuf};

use proscenium_ensemble::cache::{CacheFormat, VertexCache};
use serde_json::json;

use super::Material;
use super::sway::Model;
use crate::error::{Halt, LabError};
use crate::experiment::Context;
use crate::peer::ask_with;

/// How many strips, and how strong Blender's wind is, for each level.
const STRIPS: usize = 20;
const WINDS: [f64; 2] = [60.0, 200.0];
/// How near parts of imported data may come, metres: far less than Blender keeps them apart.
const THICKNESS: f64 = 0.002;

/// Twenty strips so far apart, metres, or nothing where Blender is not installed.
pub(super) fn strips(apart: f64, seconds: f64, context: &Context) -> Result<Option<Material>, Halt> {
    let Some(bin) = context.python_peer("blender") else { return Ok(None) };
    let python = bin.join(if cfg!(windows) { "python.exe" } else { "python" });
    // Beside `target`, in which it is installed.
    let script = bin.ancestors().nth(3).map(|peers| peers.join("blender").join("cloth.py")).unwrap_or_default();
    let folder = Scratch::new(&python)?;
    let request = json!({
        "folder": folder.0, "strips": STRIPS, "apart": apart, "seconds": seconds, "winds": WINDS, "seed": context.seed().0,
    });
    let answer = ask_with(&python, &[script.as_os_str()], &request, context)?;
    let failed = |message: String| LabError::Peer { program: python.clone(), message };
    let number = |key: &str| answer[key].as_u64().map(|number| number as usize);
    let (Some(rows), Some(columns)) = (number("rows"), number("columns")) else {
        return Err(failed(format!("its answer is {answer}")).into());
    };
    let read = |name: &str| std::fs::read(folder.0.join(name)).map_err(|error| failed(format!("{name}: {error}")));
    let caches = [read("calm.pc2")?, read("gale.pc2")?];
    let frames = |bytes: &Vec<u8>| {
        VertexCache::read(CacheFormat::Pc2, bytes).map(|cache| cache.frames).map_err(|error| failed(error.to_string()))
    };
    Ok(Some(Material {
        obj: String::from_utf8_lossy(&read("strips.obj")?).into_owned(),
        motions: vec![frames(&caches[0])?, frames(&caches[1])?],
        model: Model::of_strips(STRIPS, rows, columns),
        thickness: THICKNESS,
    }))
}

/// A folder for as long as it is needed.
struct Scratch(PathBuf);

impl Scratch {
    fn new(program: &Path) -> Result<Self, LabError> {
        let folder = std::env::temp_dir().join(format!("proscenium-strips-{}", std::process::id()));
        let failed = |error: std::io::Error| LabError::Peer { program: program.to_owned(), message: error.to_string() };
        std::fs::create_dir_all(&folder).map_err(failed)?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left in a folder for such things is removed by the system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
