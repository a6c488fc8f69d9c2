//! Data that is brought: a mesh and its motions.

use std::fs;
use std::path::Path;

use proscenium_clip::DeformingGlb;
use proscenium_ensemble::import::{Grouping, ImportError, ImportOptions, SourceMesh, SourceMotion, assemble};
use proscenium_ensemble::{CacheFormat, Ensemble, EnsembleError, VertexCache};

use crate::arguments::EnsembleBuild;
use crate::console::Console;
use crate::failure::Failure;
use crate::text::counted;

/// Reads a mesh with its motions; and how many frames that interpenetrate were
/// dropped.
pub fn read(options: &EnsembleBuild, console: Console) -> Result<(Ensemble, usize), Failure> {
    let path = Path::new(&options.data);
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let (mesh, mut motions, ordered) = match ending.as_deref() {
        Some("obj") => {
            let text = fs::read_to_string(path).map_err(|source| unreadable(path, source))?;
            (SourceMesh::from_obj(&text)?, Vec::new(), true)
        }
        Some("glb") => {
            let bytes = fs::read(path).map_err(|source| unreadable(path, source))?;
            let deforming = DeformingGlb::from_glb(&bytes)?;
            let motions = SourceMotion::from_deforming(&deforming, options.fps);
            (SourceMesh::from_deforming(&deforming), motions, false)
        }
        _ => {
            let known = "banner, or a mesh that ends in .glb or .obj".to_owned();
            return Err(EnsembleError::Unknown { what: "ensemble", name: options.data.clone(), known }.into());
        }
    };
    for (condition, file) in &options.caches {
        let motion = read_cache(condition, file, &mesh, options.fps)?;
        motions.push(if ordered { motion } else { motion.matched(&mesh)? });
    }
    let name = path.file_stem().map_or_else(|| "mesh".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let import = ImportOptions { name, grouping: Grouping::Automatic, reach: None, thickness: options.thickness };
    let (ensemble, report) = assemble(&mesh, motions, &import)?;
    let groups = counted(ensemble.groups().len(), "group", "groups");
    console.remark(&format!("{groups}, {} hang on others", report.joints.len()));
    Ok(ensemble.cleaned()?)
}

fn unreadable(path: &Path, source: std::io::Error) -> Failure {
    Failure::Read { path: path.to_owned(), source }
}

fn read_cache(condition: &str, path: &Path, mesh: &SourceMesh, fps: f64) -> Result<SourceMotion, Failure> {
    let bytes = fs::read(path).map_err(|source| unreadable(path, source))?;
    let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(format) = CacheFormat::of_extension(&ending) else {
        let known = "caches that end in .pc2 or .mdd".to_owned();
        return Err(EnsembleError::Unknown { what: "cache", name: path.display().to_string(), known }.into());
    };
    let cache = VertexCache::read(format, &bytes).map_err(ImportError::from)?;
    let up = mesh.guess_up(&cache);
    Ok(SourceMotion::from_cache(condition, cache, up, fps).map_err(ImportError::from)?)
}
