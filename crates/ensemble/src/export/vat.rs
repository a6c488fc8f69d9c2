//! Vertex-animation textures, in the layout of OpenVAT: a picture in which each
//! column is a vertex and each row a frame, for shaders that look up where a
//! vertex is.
//!
//! The upper half holds how far each vertex is from rest, in Blender's axes (z
//! up), as a share of the range that the JSON gives; the lower half holds
//! normals. A second set of texture coordinates tells each vertex where its
//! first row is. Wider than [`WIDEST`] vertices, the frames of further vertices
//! go below those of the first.
//!
//! In OpenEXR a channel has 32 bits, in PNG 16: half the memory, and steps of a 65 535th of
//! the range. Meshes with less detail look into the same picture.

use std::io::Cursor;

use exr::prelude::{Image, SpecificChannels, WritableImage};
use proscenium_clip::{Clip, GlbAdditions, Mesh, Node};
use proscenium_work::{Completion, Finish as _, Halt, Progress};
use serde_json::json;

use super::players::{all_triangles, detail_triangles};
use super::{Take, normals};
use crate::error::EnsembleError;
use crate::import::Up;

/// Graphics hardware takes pictures of at least this size.
const WIDEST: usize = 8192;
const TALLEST: usize = 16_384;

/// How fine the numbers of a texture are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TexturePrecision {
    /// OpenEXR, 32 bits with a floating point.
    #[default]
    Full,
    /// PNG, 16 bits.
    Half,
}

/// A take as a texture, and what goes with it.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexTexture {
    /// The picture, three channels: `NAME_vat.exr` or `NAME_vat.png`.
    pub picture: Vec<u8>,
    /// The ranges and the frames: `NAME-remap_info.json`.
    pub json: String,
    /// The mesh at rest with its texture coordinates: `NAME.glb`.
    pub glb: Vec<u8>,
    /// For each detail that was asked for, the mesh with less of it, for the same picture:
    /// `NAME-lod1.glb` and so on.
    pub details: Vec<Vec<u8>>,
    /// How far rounding may move a vertex along an axis, metres.
    pub rounding: f64,
    /// Pixels, across and down.
    pub size: (usize, usize),
}

/// A take as a vertex-animation texture. For each of `details` there is a mesh besides, in
/// which vertices that are nearer to each other at rest are one, metres.
///
/// # Errors
/// No frames, more of them than a texture can hold, or details that are no distances.
pub fn to_vertex_texture(
    take: &Take,
    precision: TexturePrecision,
    details: &[f64],
    progress: &Progress,
) -> Result<Completion<VertexTexture>, EnsembleError> {
    write(take, precision, details, progress).finish()
}

fn write(
    take: &Take,
    precision: TexturePrecision,
    details: &[f64],
    progress: &Progress,
) -> Result<VertexTexture, Halt<EnsembleError>> {
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
    let less = details.iter().map(|&merge| {
        let triangles = detail_triangles(compressed, merge)?;
        let (mesh, coordinates) = of_triangles(&mesh, &coordinates, &triangles);
        glb_of(compressed.name(), mesh, coordinates)
    });
    let details = less.collect::<Result<Vec<_>, EnsembleError>>()?;
    let glb = glb_of(compressed.name(), mesh, coordinates)?;
    let (picture, steps) = match precision {
        TexturePrecision::Full => (exr(&pixels, width, height).map_err(|error| error.to_string()), f64::from(1 << 24)),
        TexturePrecision::Half => (png(&pixels, width, height).map_err(|error| error.to_string()), 65_535.0),
    };
    let unwritable = |reason| EnsembleError::Unwritable { format: "texture", reason };
    let picture = picture.map_err(unwritable)?;
    let json = serde_json::to_string_pretty(&json).map_err(|error| unwritable(error.to_string()))?;
    let widest = (0..3).map(|axis| f64::from(high[axis]) - f64::from(low[axis])).fold(0.0, f64::max);
    Ok(VertexTexture { picture, json, glb, details, rounding: 0.5 * widest / steps, size: (width, height) })
}

fn glb_of(name: &str, mesh: Mesh, coordinates: Vec<[f32; 2]>) -> Result<Vec<u8>, EnsembleError> {
    let mut clip = Clip::new(name);
    let mesh = clip.add_mesh(mesh);
    clip.add_node(Node::new(name).with_mesh(mesh));
    let additions = GlbAdditions { texture_coordinates: [(mesh, coordinates)].into(), ..GlbAdditions::default() };
    clip.to_glb_with(&additions)
        .map_err(|error| EnsembleError::Unwritable { format: "mesh", reason: error.to_string() })
}

/// A mesh of some triangles between the vertices of another, and their texture coordinates.
fn of_triangles(mesh: &Mesh, coordinates: &[[f32; 2]], triangles: &[[u32; 3]]) -> (Mesh, Vec<[f32; 2]>) {
    let mut kept: Vec<u32> = triangles.as_flattened().to_vec();
    kept.sort_unstable();
    kept.dedup();
    let number = |vertex: u32| kept.partition_point(|&other| other < vertex) as u32;
    let of = |places: &[[f32; 3]]| kept.iter().map(|&vertex| places[vertex as usize]).collect();
    let less = Mesh {
        name: mesh.name.clone(),
        positions: of(&mesh.positions),
        normals: of(&mesh.normals),
        triangles: triangles.iter().map(|triangle| triangle.map(number)).collect(),
        material: None,
    };
    (less, kept.iter().map(|&vertex| coordinates[vertex as usize]).collect())
}

/// The mesh at rest, and where in the picture each vertex begins.
fn proxy(take: &Take, rest: &[[f32; 3]], width: usize, height: usize, count: usize) -> (Mesh, Vec<[f32; 2]>) {
    let compressed = take.compressed;
    let triangles = all_triangles(compressed);
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

fn exr(pixels: &[[f32; 3]], width: usize, height: usize) -> Result<Vec<u8>, exr::error::Error> {
    let pixel = |at: exr::math::Vec2<usize>| {
        let [red, green, blue] = pixels[at.y() * width + at.x()];
        (red, green, blue)
    };
    let image = Image::from_channels((width, height), SpecificChannels::rgb(pixel));
    let mut bytes = Vec::new();
    image.write().non_parallel().to_buffered(Cursor::new(&mut bytes))?;
    Ok(bytes)
}

fn png(pixels: &[[f32; 3]], width: usize, height: usize) -> Result<Vec<u8>, png::EncodingError> {
    let number = |share: f32| ((share.clamp(0.0, 1.0) * 65_535.0).round() as u16).to_be_bytes();
    let numbers: Vec<u8> = pixels.iter().flatten().flat_map(|&share| number(share)).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&numbers)?;
    writer.finish()?;
    Ok(bytes)
}
