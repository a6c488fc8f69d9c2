//! Data that is brought: a mesh and its motions.

use std::path::{Path, PathBuf};

use proscenium_clip::DeformingGlb;
use proscenium_ensemble::built_in::BUILT_IN;
use proscenium_ensemble::cache::{CacheFormat, VertexCache};
use proscenium_ensemble::import::{Grouping, ImportError, ImportOptions, SourceMesh, SourceMotion, Up, assemble};
use proscenium_ensemble::{Ensemble, EnsembleError};
use proscenium_work::{Completion, Progress};

use crate::arguments::EnsembleBuild;
use crate::console::Console;
use crate::failure::Failure;
use crate::text::counted;

/// Files that hold a mesh and where its vertices went.
pub struct Sources<'run> {
    /// The mesh: OBJ, or glTF with or without animations.
    pub base: &'run Path,
    /// For each cache its condition and its file.
    pub caches: Vec<(String, PathBuf)>,
    /// Frames per second, where a file does not know.
    pub fps: f64,
    /// Which way is up in the mesh.
    pub base_up: Up,
    /// Which way is up in the caches; if not given, the one that fits the mesh.
    pub up: Option<Up>,
}

impl Sources<'_> {
    /// Reads all files.
    pub fn read(&self, progress: &Progress) -> Result<Completion<(SourceMesh, Vec<SourceMotion>)>, Failure> {
        let contents = load(self.base)?;
        let mut motions = Vec::new();
        let (mesh, ordered) = match ending(self.base).as_str() {
            "glb" => {
                let deforming = DeformingGlb::from_glb(&contents).map_err(|error| wrong(self.base, error.into()))?;
                let Completion::Finished(found) = SourceMotion::from_deforming(&deforming, self.fps, progress) else {
                    return Ok(Completion::Stopped);
                };
                motions.extend(found);
                (SourceMesh::from_deforming(&deforming), false)
            }
            "obj" => {
                let text = String::from_utf8_lossy(&contents);
                (SourceMesh::from_obj(&text).map_err(|error| wrong(self.base, error))?, true)
            }
            _ => {
                let (name, known) = (self.base.display().to_string(), "meshes that end in .glb or .obj".to_owned());
                return Err(EnsembleError::Unknown { what: "mesh", name, known }.into());
            }
        };
        let mesh = mesh.turned(self.base_up);
        for place in motions.iter_mut().flat_map(|motion| &mut motion.frames).flatten() {
            *place = self.base_up.convert(*place);
        }
        for (condition, path) in &self.caches {
            let found =
                self.read_cache(condition, path, &mesh, ordered, progress).map_err(|failure| match failure {
                    Failure::Import(error) => wrong(path, error),
                    other => other,
                })?;
            let Completion::Finished(found) = found else { return Ok(Completion::Stopped) };
            motions.extend(found);
        }
        Ok(Completion::Finished((mesh, motions)))
    }

    fn read_cache(
        &self,
        condition: &str,
        path: &Path,
        mesh: &SourceMesh,
        ordered: bool,
        progress: &Progress,
    ) -> Result<Completion<Vec<SourceMotion>>, Failure> {
        let contents = load(path)?;
        if ending(path) == "glb" {
            let deforming = DeformingGlb::from_glb(&contents).map_err(ImportError::from)?;
            return Ok(SourceMotion::from_deforming(&deforming, self.fps, progress).map(|mut found| {
                // A single animation is called as the user calls the file.
                if let [only] = found.as_mut_slice() {
                    only.condition = condition.to_owned();
                }
                found
            }));
        }
        let Some(format) = CacheFormat::of_extension(&ending(path)) else {
            return Err(Failure::NoCache { path: path.to_owned() });
        };
        let cache = VertexCache::read(format, &contents).map_err(ImportError::from)?;
        let up = self.up.unwrap_or_else(|| mesh.guess_up(&cache));
        let motion = SourceMotion::from_cache(condition, cache, up, self.fps).map_err(ImportError::from)?;
        Ok(Completion::Finished(vec![if ordered { motion } else { motion.matched(mesh)? }]))
    }
}

fn wrong(path: &Path, source: ImportError) -> Failure {
    Failure::Data { path: path.to_owned(), source }
}

fn load(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|source| Failure::Read { path: path.to_owned(), source })
}

/// The ending of a file's name, in small letters.
pub fn ending(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// The name of a file without its ending.
pub fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Reads a mesh with its motions for a build; and how many frames that
/// interpenetrate were dropped.
pub fn read(
    options: &EnsembleBuild,
    console: Console,
    progress: &Progress,
) -> Result<Completion<(Ensemble, usize)>, Failure> {
    let path = Path::new(&options.data);
    if !matches!(ending(path).as_str(), "obj" | "glb") {
        let names = BUILT_IN.join(", ");
        let known = format!("{names}, a mesh that ends in .glb or .obj, or what import wrote (.ensemble)");
        return Err(EnsembleError::Unknown { what: "ensemble", name: options.data.clone(), known }.into());
    }
    let sources = Sources { base: path, caches: options.caches.clone(), fps: options.fps, base_up: Up::Y, up: None };
    let Completion::Finished((mesh, motions)) = sources.read(progress)? else { return Ok(Completion::Stopped) };
    let import =
        ImportOptions { name: stem(path), grouping: Grouping::Automatic, reach: None, thickness: options.thickness };
    let Completion::Finished((ensemble, report)) = assemble(&mesh, motions, &import, progress)? else {
        return Ok(Completion::Stopped);
    };
    let groups = counted(ensemble.groups().len(), "group", "groups");
    console.remark(&format!("{groups}, {} hang on others", report.joints.len()));
    Ok(ensemble.cleaned(progress)?)
}
