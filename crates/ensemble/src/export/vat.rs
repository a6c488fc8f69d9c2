//! Vertex-animation textures, in the layout of OpenVAT: a picture in which each
//! column is a vertex and each row a frame, for shaders that look up where a
//! vertex is.
//!
//! The upper half holds how far each vertex is from rest, in Blender's axes (z
//! up), as a share of the range that the JSON gives; the lower half holds
//! normals. A second set of texture coordinates tells each vertex where its
//! first row is. Wider than [`WIDEST`] vertices, the frames of further vertices
//! go below those of the first.

use std::io::Cursor;

use exr::prelude::{Image, SpecificChannels, WritableImage};
use proscenium_clip::{Clip, GlbAdditions, Mesh, Node};
use proscenium_work::{Completion, Finish as _, Halt, Progress};
use serde_json::json;

use super::{Take, normals};
use crate::error::EnsembleError;
use crate::import::Up;

/// Graphics hardware takes pictures of at least this size.
const WIDEST: usize = 8192;
const TALLEST: usize = 16_384;

/// A take as a texture, and what goes with it.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexTexture {
    /// The picture, OpenEXR with three channels of 32 bits: `NAME_vat.exr`.
    pub exr: Vec<u8>,
    /// The ranges and the frames: `NAME-remap_info.json`.
    pub json: String,
    /// The mesh at rest with its texture coordinates: `NAME.glb`.
    pub glb: Vec<u8>,
    /// Pixels, across and down.
    pub size: (usize, usize),
}

/// A take as a vertex-animation texture.
///
/// # Errors
/// No frames, or more of them than a texture can hold.
pub fn to_vertex_texture(take: &Take, progress: &Progress) -> Result<Completion<VertexTexture>, EnsembleError> {
    write(take, progress).finish()
}

fn write(take: &Take, progress: &Progress) -> Result<VertexTexture, Halt<EnsembleError>> {
    let compressed = take.compressed;
    let frames = take.all_frames(&progress.part(0.0, 0.4))?;
    let (vertices, count) = (compressed.vertex_count(), frames.len());
    if count == 0 {
        let (place, remedy) = (format!("the take \"{}\"", take.name), "choose a sequence that has frames");
        return Err(EnsembleError::Empty { place, what: "frames", remedy }.into());
    }
    let wraps = vertices.div_ceil(WIDEST);
    let (width, height) = (vertices.div_ceil(wraps), 2 * wraps * count);
    if height > TALLEST {
        let what = format!("the height of a texture for {vertices} vertices and {count} frames, in pixels,");
        let remedy = "export fewer frames, or every other one: a texture can have 16384";
        return Err(EnsembleError::Number { what, value: height as f64, remedy }.into());
    }
    let rest: Vec<[f32; 3]> = compressed.groups().iter().flat_map(|group| group.rest.iter().copied()).collect();
    let (mesh, coordinates) = proxy(take, &rest, width, height, count);
    let offsets: Vec<Vec<[f32; 3]>> = frames
        .iter()
        .map(|frame| frame.iter().zip(&rest).map(|(place, rest)| Up::Z.revert(minus(*place, *rest))).collect())
        .collect();
    let (low, high) = range(&offsets);
    let mut pixels = vec![[0.0f32; 3]; width * height];
    for (frame, (offsets, positions)) in offsets.iter().zip(&frames).enumerate() {
        progress.tell("drawing the texture", 0.4 + 0.4 * frame as f64 / count as f64)?;
        let normals = normals(positions, &mesh.triangles);
        for vertex in 0..vertices {
            let at = ((vertex / width) * count + frame) * width + vertex % width;
            pixels[at] = [0, 1, 2].map(|axis| (offsets[vertex][axis] - low[axis]) / (high[axis] - low[axis]));
            pixels[at + width * height / 2] = Up::Z.revert(normals[vertex]).map(|x| 0.5 + 0.5 * x);
        }
    }
    let rate = compressed.frames_per_second();
    let name = if take.name.is_empty() { "motion" } else { &take.name };
    let json = json!({
        "os-remap": { "Min": low, "Max": high, "Frames": count },
        "animations": { name: { "startFrame": 1, "endFrame": count, "framerate": rate, "looping": take.loops } },
        "proscenium": { "format": 1, "vertices": vertices, "wraps": wraps, "normals": "packed" },
    });
    let mut clip = Clip::new(compressed.name());
    let mesh = clip.add_mesh(mesh);
    clip.add_node(Node::new(compressed.name()).with_mesh(mesh));
    let additions = GlbAdditions { texture_coordinates: [(mesh, coordinates)].into(), ..GlbAdditions::default() };
    let wrong = |format: &'static str, reason: String| EnsembleError::Unwritable { format, reason };
    let glb = clip.to_glb_with(&additions).map_err(|error| wrong("mesh", error.to_string()))?;
    let exr = picture(&pixels, width, height).map_err(|error| wrong("texture", error.to_string()))?;
    let json = serde_json::to_string_pretty(&json).map_err(|error| wrong("description", error.to_string()))?;
    Ok(VertexTexture { exr, json, glb, size: (width, height) })
}

/// The mesh at rest, and where in the picture each vertex begins.
fn proxy(take: &Take, rest: &[[f32; 3]], width: usize, height: usize, count: usize) -> (Mesh, Vec<[f32; 2]>) {
    let compressed = take.compressed;
    let groups = compressed.groups().iter().enumerate();
    let triangles: Vec<[u32; 3]> = groups
        .flat_map(|(group, data)| {
            let first = compressed.vertices_of(group).start as u32;
            data.triangles.iter().map(move |triangle| triangle.map(|corner| first + corner))
        })
        .collect();
    let coordinate = |vertex: usize| {
        let (column, row) = (vertex % width, (vertex / width) * count);
        [((column as f64 + 0.5) / width as f64) as f32, ((row as f64 + 0.5) / height as f64) as f32]
    };
    let mesh = Mesh {
        name: compressed.name().to_owned(),
        normals: normals(rest, &triangles),
        positions: rest.to_vec(),
        triangles,
        material: None,
    };
    (mesh, (0..rest.len()).map(coordinate).collect())
}

/// The least and the largest offset along each axis, never the same.
fn range(offsets: &[Vec<[f32; 3]>]) -> ([f32; 3], [f32; 3]) {
    let all = || offsets.iter().flatten();
    let low = [0, 1, 2].map(|axis| all().fold(f32::MAX, |low, offset| low.min(offset[axis])));
    let high = [0, 1, 2].map(|axis| all().fold(f32::MIN, |high, offset| high.max(offset[axis])));
    // A picture of no motion still needs a range to be a share of.
    (
        low,
        [0, 1, 2].map(|axis| {
            if high[axis] - low[axis] > 1e-6 { high[axis] } else { low[axis] + 1e-6_f32.max(low[axis].abs() * 1e-3) }
        }),
    )
}

fn minus(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|axis| a[axis] - b[axis])
}

fn picture(pixels: &[[f32; 3]], width: usize, height: usize) -> Result<Vec<u8>, exr::error::Error> {
    let pixel = |at: exr::math::Vec2<usize>| {
        let [red, green, blue] = pixels[at.y() * width + at.x()];
        (red, green, blue)
    };
    let image = Image::from_channels((width, height), SpecificChannels::rgb(pixel));
    let mut bytes = Vec::new();
    image.write().non_parallel().to_buffered(Cursor::new(&mut bytes))?;
    Ok(bytes)
}
