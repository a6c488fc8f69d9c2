//! The files that an ensemble or a walk is written to, by their endings.

use std::path::{Path, PathBuf};

use proscenium_ensemble::export::{
    PLAYER_MODULE, Take, TexturePrecision, base_obj, to_glb, to_mdd, to_pc2, to_player, to_player_page,
    to_player_textures, to_usda, to_usdc, to_vertex_texture,
};
use proscenium_ensemble::field::reduce;
use proscenium_ensemble::import::ImportError;
use proscenium_ensemble::{EnsembleError, MotionGraph};
use proscenium_work::{Completion, Progress};
use serde::Serialize;

use crate::failure::Failure;
use crate::output;
use crate::text::three_digits;

/// What a file is to hold, by its ending.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Glb,
    Pc2,
    Mdd,
    Usda,
    Usdc,
    Texture(TexturePrecision),
    Player,
    Page,
}

impl Kind {
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        Ok(match super::import::ending(path).as_str() {
            "glb" => Kind::Glb,
            "pc2" => Kind::Pc2,
            "mdd" => Kind::Mdd,
            "usda" => Kind::Usda,
            "usd" | "usdc" => Kind::Usdc,
            "exr" => Kind::Texture(TexturePrecision::Full),
            "png" => Kind::Texture(TexturePrecision::Half),
            "pmg" => Kind::Player,
            "html" => Kind::Page,
            _ => return Err(Failure::NoExport { path: path.to_owned() }),
        })
    }

    /// Whether it holds a motion graph, and not one motion.
    pub(super) fn is_player(self) -> bool {
        matches!(self, Kind::Player | Kind::Page)
    }
}

/// A file that was written.
#[derive(Serialize)]
pub(super) struct OutputFile {
    pub path: String,
    pub bytes: usize,
    pub note: String,
}

/// How files are written, and what was.
pub(super) struct Files<'options> {
    /// All that were asked for.
    pub outputs: &'options [PathBuf],
    /// Morph targets of a group in a `.glb`.
    pub modes: usize,
    /// Distances below which vertices become one, for a file with less detail each.
    pub details: &'options [f64],
    /// Whether textures for other engines go beside a `.pmg`.
    pub textures: bool,
    pub written: Vec<OutputFile>,
}

impl Files<'_> {
    fn put(&mut self, path: PathBuf, contents: &[u8], note: String) -> Result<(), Failure> {
        output::write(&path, contents)?;
        self.written.push(OutputFile { path: path.display().to_string(), bytes: contents.len(), note });
        Ok(())
    }

    /// Writes a take to one of the files that were asked for, what belongs beside it where it
    /// is none of the others, and the same with less detail.
    pub(super) fn write(
        &mut self,
        path: &Path,
        kind: Kind,
        take: &Take,
        progress: &Progress,
    ) -> Result<Completion<()>, Failure> {
        if let Kind::Texture(precision) = kind {
            return self.texture(path, precision, take, progress);
        }
        if self.one(path, kind, take, progress)? == Completion::Stopped {
            return Ok(Completion::Stopped);
        }
        for (at, &merge) in self.details.iter().enumerate() {
            let less = reduce(take.data(), usize::MAX, merge)?;
            let path = beside(path, &format!("-lod{}.{}", at + 1, super::import::ending(path)));
            if self.one(&path, kind, &take.of_less(&less), progress)? == Completion::Stopped {
                return Ok(Completion::Stopped);
            }
        }
        Ok(Completion::Finished(()))
    }

    fn one(&mut self, path: &Path, kind: Kind, take: &Take, progress: &Progress) -> Result<Completion<()>, Failure> {
        let cache = |source| Failure::Data { path: path.to_owned(), source: ImportError::Cache(source) };
        let vertices = take.data().vertex_count();
        match kind {
            Kind::Glb => {
                let Completion::Finished(glb) = to_glb(take, self.modes, progress)? else {
                    return Ok(Completion::Stopped);
                };
                let (kept, all) = glb.modes;
                let error = three_digits(1e3 * glb.largest_error);
                let note = format!("{vertices} vertices, {kept} of {all} modes, {error} mm off at most");
                self.put(path.to_owned(), &glb.bytes, note)?;
            }
            Kind::Pc2 | Kind::Mdd => {
                let made = if kind == Kind::Pc2 { to_pc2(take, progress) } else { to_mdd(take, progress) };
                let Completion::Finished(bytes) = made.map_err(cache)? else { return Ok(Completion::Stopped) };
                self.put(path.to_owned(), &bytes, format!("vertex cache of {vertices} vertices"))?;
                let mesh = base_obj(take.data());
                self.put(path.with_extension("obj"), mesh.as_bytes(), "the mesh that it moves".to_owned())?;
            }
            Kind::Usdc => {
                let Completion::Finished(bytes) = to_usdc(take, progress) else { return Ok(Completion::Stopped) };
                self.put(path.to_owned(), &bytes, format!("{vertices} points over time"))?;
            }
            _ => {
                let Completion::Finished(text) = to_usda(take, progress) else { return Ok(Completion::Stopped) };
                self.put(path.to_owned(), text.as_bytes(), format!("{vertices} points over time"))?;
            }
        }
        Ok(Completion::Finished(()))
    }

    /// A texture, its ranges and its meshes.
    fn texture(
        &mut self,
        path: &Path,
        precision: TexturePrecision,
        take: &Take,
        progress: &Progress,
    ) -> Result<Completion<()>, Failure> {
        let made = to_vertex_texture(take, precision, self.details, progress)?;
        let Completion::Finished(texture) = made else { return Ok(Completion::Stopped) };
        let (width, height) = texture.size;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let plain = path.with_file_name(name.strip_suffix("_vat").unwrap_or(&name));
        let off = three_digits(1e3 * texture.rounding);
        self.put(path.to_owned(), &texture.picture, format!("{width} × {height} pixels, {off} mm off at most"))?;
        self.put(beside(&plain, "-remap_info.json"), texture.json.as_bytes(), "ranges and frames".to_owned())?;
        let mesh = beside(&plain, ".glb");
        let mesh = if self.outputs.contains(&mesh) { beside(&plain, "-mesh.glb") } else { mesh };
        let base = mesh.with_extension("");
        self.put(mesh, &texture.glb, "the mesh that it moves".to_owned())?;
        for (at, detail) in texture.details.iter().enumerate() {
            let note = "the same with less detail, for the same texture".to_owned();
            self.put(beside(&base, &format!("-lod{}.glb", at + 1)), detail, note)?;
        }
        Ok(Completion::Finished(()))
    }

    /// Writes a motion graph for players.
    pub(super) fn player(
        &mut self,
        path: &Path,
        kind: Kind,
        graph: &MotionGraph,
        progress: &Progress,
    ) -> Result<Completion<()>, Failure> {
        let Completion::Finished(player) = to_player(graph, self.details, progress)? else {
            return Ok(Completion::Stopped);
        };
        if kind == Kind::Page {
            let page = to_player_page(graph.data().name(), &player);
            self.put(path.to_owned(), page.as_bytes(), "a page that plays it, for any browser".to_owned())?;
            return Ok(Completion::Finished(()));
        }
        let note = format!("{} transitions, for players", graph.transitions().len());
        self.put(path.to_owned(), &player, note)?;
        let module = path.with_file_name("proscenium-ensemble.js");
        self.put(module, PLAYER_MODULE.as_bytes(), "the player of it, an ES module".to_owned())?;
        if self.textures {
            let Completion::Finished(textures) = to_player_textures(graph, progress)? else {
                return Ok(Completion::Stopped);
            };
            let base = path.with_extension("");
            self.put(beside(&base, "-shapes.exr"), &textures.shapes, "the shapes of all frames".to_owned())?;
            self.put(beside(&base, "-table.exr"), &textures.table, "what splices when".to_owned())?;
            self.put(beside(&base, "-player.glb"), &textures.mesh, "the mesh that shaders move".to_owned())?;
        }
        Ok(Completion::Finished(()))
    }
}

/// The name of a file without its ending, and something behind it.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(name + ending)
}

/// Reads a graph for players, from what the file of an ensemble or a graph holds.
pub(super) fn graph_of(contents: &[u8], path: &Path) -> Result<MotionGraph, Failure> {
    MotionGraph::from_bytes(contents)
        .map_err(|source: EnsembleError| Failure::Data { path: path.to_owned(), source: source.into() })
}
