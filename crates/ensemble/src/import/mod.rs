//! Data from elsewhere: a base mesh and where its vertices went.
//!
//! A [`SourceMesh`] and one or more [`SourceMotion`]s become an
//! [`Ensemble`]: the mesh is cut into groups, by the objects of the file, by
//! what hangs together or by what moves as one, the groups are attached to each other where they stay
//! together, and the vertices are put in the order of the groups.

mod attach;
mod groups;
mod motion;
mod obj;

use std::borrow::Cow;

use proscenium_clip::{ClipError, DeformingGlb};
use proscenium_work::{Completion, Finish as _, Halt, Progress, Remedy, Stopped};

use crate::cache::{CacheError, VertexCache};
use crate::data::{Condition, Ensemble, EnsembleParts, Sequence};
use crate::error::EnsembleError;

pub use attach::Joint;
pub use groups::Grouping;

/// Two rates are the same if they differ by less than this share: single
/// precision rounds the times of a cache.
const SAME_RATE: f64 = 1e-3;

/// A mesh as a file has it, before it is cut into groups.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceMesh {
    /// Where its vertices are at rest, metres, y up.
    pub vertices: Vec<[f32; 3]>,
    /// Triangles, those of one object after those of another.
    pub triangles: Vec<[u32; 3]>,
    /// The objects of the file, at least one.
    pub objects: Vec<SourceObject>,
}

/// A named part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceObject {
    /// Its name.
    pub name: String,
    /// The object that it hangs on, if the file says so.
    pub parent: Option<usize>,
    /// Which triangles are its own.
    pub triangles: std::ops::Range<usize>,
}

/// Where the vertices of a mesh go, under one condition.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceMotion {
    /// The name of the condition; motions of one name are sequences of one
    /// condition.
    pub condition: String,
    /// Every frame: the positions of all vertices of the mesh, metres, y up.
    pub frames: Vec<Vec<[f32; 3]>>,
    /// Frames per second.
    pub frames_per_second: f64,
}

/// How a mesh becomes an ensemble.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportOptions {
    /// What the ensemble is called.
    pub name: String,
    /// What the groups are.
    pub grouping: Grouping,
    /// Groups that stay nearer to each other than this in all frames hang
    /// together, metres; a hundredth of the mesh's size if not given.
    pub reach: Option<f64>,
    /// The thickness ε, metres.
    pub thickness: f64,
}

/// What came of an import.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportReport {
    /// What the groups are made from: objects of the file, connected parts, or what moves as
    /// one.
    pub grouping: Grouping,
    /// How many vertices of the mesh belong to no triangle, and were left out.
    pub unused_vertices: usize,
    /// How many vertices belong to several groups, and were given to each.
    pub shared_vertices: usize,
    /// The names of the groups that stand by themselves.
    pub roots: Vec<String>,
    /// The groups that hang on others, and how closely.
    pub joints: Vec<Joint>,
}

/// Why an import failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// An OBJ file is not right.
    #[error("line {line}: {problem}")]
    Obj {
        /// The line, counted from one.
        line: usize,
        /// What is wrong.
        problem: String,
        /// What would be right.
        remedy: &'static str,
    },
    /// A cache has another number of vertices than the mesh.
    #[error("the motion \"{condition}\" has {found} vertices, and the mesh has {expected}")]
    Points {
        /// The name of the motion's condition.
        condition: String,
        /// How many it has.
        found: usize,
        /// How many the mesh has.
        expected: usize,
    },
    /// Two motions have different rates.
    #[error("the motion \"{condition}\" has {found} frames per second, the first has {expected}")]
    Rate {
        /// The name of the motion's condition.
        condition: String,
        /// Its rate.
        found: f64,
        /// The rate of the first.
        expected: f64,
    },
    /// A vertex of a glTF mesh is not found in the first frame of a cache.
    #[error(
        "vertex {vertex} of the mesh is {distance:.3} m from the nearest one of the first frame, and a glTF file \
         does not keep the order of vertices"
    )]
    Unmatched {
        /// The vertex.
        vertex: usize,
        /// How far the nearest is, metres.
        distance: f64,
    },
    /// A glTF file cannot be read.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// A cache cannot be read.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The mesh and its motion make no ensemble.
    #[error(transparent)]
    Ensemble(#[from] EnsembleError),
}

impl Remedy for ImportError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(match self {
            Self::Obj { remedy, .. } => remedy,
            Self::Points { .. } => "export both from the same object, and the mesh without modifiers that add vertices",
            Self::Rate { .. } => "bake all at one rate",
            Self::Unmatched { .. } => "let the cache begin at rest, or export the mesh as OBJ",
            Self::Clip(error) => return error.remedy(),
            Self::Cache(error) => return error.remedy(),
            Self::Ensemble(error) => return error.remedy(),
        }))
    }
}

impl From<ImportError> for Halt<ImportError> {
    fn from(error: ImportError) -> Self {
        Self::Failed(error)
    }
}

/// Which way is up in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Up {
    /// As here, and as in glTF and Houdini.
    Y,
    /// As in Blender.
    Z,
}

impl Up {
    /// A place of the file, as we have it.
    pub fn convert(self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        match self {
            Up::Y => [x, y, z],
            Up::Z => [x, z, -y],
        }
    }

    /// Our place, as the file has it.
    pub fn revert(self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        match self {
            Up::Y => [x, y, z],
            Up::Z => [x, -z, y],
        }
    }
}

impl SourceMesh {
    /// Reads the text of an OBJ file. The vertices keep their order, which is
    /// what a vertex cache refers to.
    ///
    /// # Errors
    /// What is malformed, with its line.
    pub fn from_obj(text: &str) -> Result<Self, ImportError> {
        obj::read(text)
    }

    /// The meshes of a glTF file at rest, one object for each node.
    pub fn from_deforming(deforming: &DeformingGlb) -> Self {
        let mut mesh = SourceMesh { vertices: Vec::new(), triangles: Vec::new(), objects: Vec::new() };
        for (part, places) in deforming.parts().iter().zip(deforming.positions(None, 0.0)) {
            let (base, first) = (mesh.vertices.len() as u32, mesh.triangles.len());
            mesh.vertices.extend(places);
            mesh.triangles.extend(part.triangles.iter().map(|triangle| triangle.map(|corner| base + corner)));
            let triangles = first..mesh.triangles.len();
            mesh.objects.push(SourceObject { name: part.name.clone(), parent: part.parent, triangles });
        }
        mesh
    }

    /// The same mesh with another way up.
    pub fn turned(mut self, up: Up) -> Self {
        self.vertices.iter_mut().for_each(|place| *place = up.convert(*place));
        self
    }

    /// Which way up a cache is that was made with this mesh: the one in which
    /// its first frame is nearer to the mesh at rest.
    pub fn guess_up(&self, cache: &VertexCache) -> Up {
        let Some(frame) = cache.frames.first() else { return Up::Y };
        let away = |up: Up| -> f64 {
            let squared = |(rest, place): (&[f32; 3], &[f32; 3])| -> f64 {
                let place = up.convert(*place);
                (0..3).map(|axis| f64::from(place[axis] - rest[axis])).map(|x| x * x).sum()
            };
            self.vertices.iter().zip(frame).map(squared).sum()
        };
        if away(Up::Z) < away(Up::Y) { Up::Z } else { Up::Y }
    }
}

impl SourceMotion {
    /// A motion from a vertex cache.
    ///
    /// # Errors
    /// Times that are not evenly spaced.
    pub fn from_cache(
        condition: impl Into<String>,
        cache: VertexCache,
        up: Up,
        scene_frames_per_second: f64,
    ) -> Result<Self, CacheError> {
        let frames_per_second = cache.frames_per_second(scene_frames_per_second)?;
        let mut frames = cache.frames;
        frames.iter_mut().flatten().for_each(|place| *place = up.convert(*place));
        Ok(SourceMotion { condition: condition.into(), frames, frames_per_second })
    }

    /// The animations of a glTF file, each a motion with its name, evaluated
    /// that many times per second.
    pub fn from_deforming(
        deforming: &DeformingGlb,
        frames_per_second: f64,
        progress: &Progress,
    ) -> Completion<Vec<Self>> {
        let motion = |(animation, (name, duration)): (usize, (&str, f64))| {
            let last = libm::floor(duration * frames_per_second + 1e-6).clamp(0.0, 1e7) as u32;
            let at = |frame: u32| f64::from(frame) / frames_per_second;
            let frames = (0..=last).map(|frame| {
                progress.tell("evaluating animations", f64::from(frame) / f64::from(last + 1))?;
                Ok(deforming.positions(Some(animation), at(frame)).concat())
            });
            let frames = frames.collect::<Result<_, Stopped>>()?;
            Ok(SourceMotion { condition: name.to_owned(), frames, frames_per_second })
        };
        deforming.animations().enumerate().map(motion).collect::<Result<_, Stopped>>().finish()
    }

    /// Puts the vertices in the order of a mesh whose order is another, as that
    /// of a glTF file is: each vertex of the mesh is the one of the first frame
    /// that is where the mesh has it at rest.
    ///
    /// # Errors
    /// A vertex that has no partner within a thousandth of the mesh's size.
    pub fn matched(mut self, mesh: &SourceMesh) -> Result<Self, ImportError> {
        let Some(first) = self.frames.first() else { return Ok(self) };
        let partners = groups::nearest_vertices(&mesh.vertices, first)?;
        for frame in &mut self.frames {
            *frame = partners.iter().map(|&partner| frame[partner as usize]).collect();
        }
        Ok(self)
    }
}

/// Makes an ensemble of a mesh and its motions.
///
/// # Errors
/// Motions that do not fit the mesh or each other, and whatever
/// [`Ensemble::new`] refuses.
pub fn assemble(
    mesh: &SourceMesh,
    motions: Vec<SourceMotion>,
    options: &ImportOptions,
    progress: &Progress,
) -> Result<Completion<(Ensemble, ImportReport)>, ImportError> {
    check_motions(mesh, &motions, options)?;
    gather(mesh, motions, options, progress).finish()
}

/// Motions fit the mesh and each other.
fn check_motions(mesh: &SourceMesh, motions: &[SourceMotion], options: &ImportOptions) -> Result<(), ImportError> {
    let Some(frames_per_second) = motions.first().map(|motion| motion.frames_per_second) else {
        let place = format!("the ensemble \"{}\"", options.name);
        let remedy = "give a vertex cache, or a glTF file with an animation";
        return Err(EnsembleError::Empty { place, what: "motion", remedy }.into());
    };
    for motion in motions {
        let (condition, found) = (motion.condition.clone(), motion.frames_per_second);
        if (found - frames_per_second).abs() > SAME_RATE * frames_per_second {
            return Err(ImportError::Rate { condition, found, expected: frames_per_second });
        }
        let expected = mesh.vertices.len();
        if let Some(frame) = motion.frames.iter().find(|frame| frame.len() != expected) {
            return Err(ImportError::Points { condition, found: frame.len(), expected });
        }
    }
    Ok(())
}

fn gather(
    mesh: &SourceMesh,
    motions: Vec<SourceMotion>,
    options: &ImportOptions,
    progress: &Progress,
) -> Result<(Ensemble, ImportReport), Halt<ImportError>> {
    let frames_per_second = motions[0].frames_per_second;
    let frames: Vec<&Vec<[f32; 3]>> = std::iter::once(&mesh.vertices)
        .chain(motions.iter().flat_map(|motion| &motion.frames))
        .filter(|frame| frame.iter().flatten().all(|x| x.is_finite()))
        .collect();
    let mut cut = groups::cut(mesh, options.grouping, &frames, progress)?;
    drop(frames);
    let samples = samples(&motions, &cut.sources);
    let reach = options.reach.unwrap_or_else(|| 0.01 * size(&mesh.vertices));
    let joints = attach::attach(&mut cut.groups, &cut.hints, &samples, reach, progress)?;
    drop(samples);
    let mut conditions: Vec<Condition> = Vec::new();
    let mut sequences = Vec::with_capacity(motions.len());
    for motion in motions {
        let known = conditions.iter().position(|condition| condition.name == motion.condition);
        let condition = known.unwrap_or_else(|| {
            let intensity = conditions.len() as f64;
            conditions.push(Condition { name: motion.condition.clone(), intensity });
            conditions.len() - 1
        });
        let frames = motion.frames.into_iter().map(|frame| pick(&frame, &cut.sources)).collect();
        sequences.push(Sequence { condition, frames });
    }
    let report = ImportReport {
        grouping: cut.grouping,
        unused_vertices: cut.unused_vertices,
        shared_vertices: cut.shared_vertices,
        roots: cut.groups.iter().filter(|group| group.attachment.is_none()).map(|group| group.name.clone()).collect(),
        joints,
    };
    let ensemble = Ensemble::new(EnsembleParts {
        name: options.name.clone(),
        groups: cut.groups,
        conditions,
        sequences,
        frames_per_second,
        thickness: options.thickness,
    });
    Ok((ensemble.map_err(ImportError::from)?, report))
}

/// As many frames as tell where groups stay together.
const SAMPLES: usize = 48;

/// Frames spread evenly over all motions, in the order of the groups.
fn samples(motions: &[SourceMotion], sources: &[u32]) -> Vec<Vec<[f32; 3]>> {
    let frames: Vec<&Vec<[f32; 3]>> = motions.iter().flat_map(|motion| &motion.frames).collect();
    let count = frames.len().min(SAMPLES);
    (0..count).map(|at| pick(frames[at * frames.len() / count], sources)).collect()
}

fn pick(frame: &[[f32; 3]], sources: &[u32]) -> Vec<[f32; 3]> {
    sources.iter().map(|&source| frame[source as usize]).collect()
}

/// The diagonal of the box around points.
fn size(points: &[[f32; 3]]) -> f64 {
    let span = |axis: usize| {
        let along = points.iter().map(|point| f64::from(point[axis])).filter(|x| x.is_finite());
        let (low, high) = along.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
        (high - low).max(0.0)
    };
    libm::sqrt((0..3).map(|axis| span(axis) * span(axis)).sum())
}
