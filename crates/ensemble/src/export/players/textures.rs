//! A motion graph as textures, for the shaders of other engines: the shapes of all rows, and
//! a table of what hangs on what and when it splices.

use std::io::Cursor;

use exr::prelude::{Image, SpecificChannels, WritableImage as _};
use proscenium_clip::{Clip, GlbAdditions, Mesh, Node};
use proscenium_work::{Completion, Finish as _, Halt, Progress};

use super::file::{colours, first_rows, numbers_of};
use super::{all_triangles, check_depth};
use crate::data::Moment;
use crate::error::EnsembleError;
use crate::export::normals;
use crate::graph::MotionGraph;

/// Texels in a row of the shapes.
const WIDE: usize = 4096;
/// Graphics hardware takes pictures of at least this size.
const TALLEST: usize = 16_384;
/// Rows of the table before those of transitions.
const BEFORE: usize = 3;

/// A motion graph for the shaders of other engines.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerTextures {
    /// OpenEXR with three channels of 32 bits: texel `row · vertices + vertex`, 4 096 to a
    /// line, is where a vertex is in the frame of its group.
    pub shapes: Vec<u8>,
    /// OpenEXR with four channels of 32 bits, a column for each group and one more. Line 0:
    /// the parent or −1, and the three vertices of the anchor. Line 1: the colour. Line 3 + n:
    /// the splices of transition n, and in the last column its blend and its span.
    pub table: Vec<u8>,
    /// The mesh at rest; the second set of texture coordinates is the number of a vertex, and
    /// that of its group.
    pub mesh: Vec<u8>,
}

/// A motion graph as textures.
///
/// # Errors
/// More than a texture can hold.
pub fn to_player_textures(
    graph: &MotionGraph,
    progress: &Progress,
) -> Result<Completion<PlayerTextures>, EnsembleError> {
    write(graph, progress).finish()
}

fn write(graph: &MotionGraph, progress: &Progress) -> Result<PlayerTextures, Halt<EnsembleError>> {
    let data = graph.data();
    check_depth(data)?;
    let rows: usize = data.sequences().iter().map(|sequence| sequence.frames).sum();
    let height = (rows * data.vertex_count()).div_ceil(WIDE);
    if height > TALLEST || BEFORE + graph.transitions().len() > TALLEST || data.groups().len() >= TALLEST {
        let what =
            format!("the height of a texture for {} vertices and {rows} frames, in pixels,", data.vertex_count());
        let remedy = "a texture can have 16384: build the graph from less data, or use the .pmg";
        return Err(EnsembleError::Number { what, value: height as f64, remedy }.into());
    }
    let mut texels = vec![[0.0_f32; 3]; WIDE * height];
    let counter = progress.counter("making shapes", rows);
    let (mut coordinates, mut shape) = (Vec::new(), Vec::new());
    for (row, moment) in data.moments().enumerate() {
        counter.count()?;
        for (group, own) in data.shapes().iter().enumerate() {
            own.coordinates_at(moment, &mut coordinates);
            own.shape(&coordinates, &mut shape);
            let first = row * data.vertex_count() + data.vertices_of(group).start;
            texels[first..first + shape.len() / 3].copy_from_slice(shape.as_chunks::<3>().0);
        }
    }
    let wrong = |reason: String| EnsembleError::Unwritable { format: "texture", reason };
    let pixel = |at: exr::math::Vec2<usize>| {
        let [x, y, z] = texels[at.y() * WIDE + at.x()];
        (x, y, z)
    };
    let mut shapes = Vec::new();
    let picture = Image::from_channels((WIDE, height), SpecificChannels::rgb(pixel));
    picture.write().non_parallel().to_buffered(Cursor::new(&mut shapes)).map_err(|error| wrong(error.to_string()))?;
    let table = table(graph).map_err(|error| wrong(error.to_string()))?;
    Ok(PlayerTextures { shapes, table, mesh: mesh(graph)? })
}

fn table(graph: &MotionGraph) -> Result<Vec<u8>, exr::error::Error> {
    let data = graph.data();
    let (wide, tall) = (data.groups().len() + 1, BEFORE + graph.transitions().len());
    let mut texels = vec![[0.0_f32; 4]; wide * tall];
    let mut slot = 0.0;
    for (group, (own, [red, green, blue])) in data.groups().iter().zip(colours(data)).enumerate() {
        texels[group] = match own.attachment {
            Some(attachment) => {
                let first = data.vertices_of(attachment.parent).start as u32;
                let [a, b, c] = attachment.anchor.map(|vertex| (first + vertex) as f32);
                [attachment.parent as f32, a, b, c]
            }
            None => [-1.0, 0.0, 0.0, 0.0],
        };
        texels[wide + group] = [red, green, blue, slot];
        slot += if own.attachment.is_some() { 3.0 } else { 0.0 };
    }
    let rows = first_rows(data);
    let row = |moment: Moment| rows[moment.sequence as usize] as i32 + moment.frame as i32;
    for (number, transition) in graph.transitions().iter().enumerate() {
        let line = &mut texels[(BEFORE + number) * wide..][..wide];
        for (texel, splice) in line.iter_mut().zip(&transition.splices) {
            *texel = numbers_of(*splice, row).map(|number| number as f32);
        }
        line[wide - 1] = [transition.blend.max(1) as f32, transition.span as f32, 0.0, 0.0];
    }
    let pixel = |at: exr::math::Vec2<usize>| {
        let [red, green, blue, alpha] = texels[at.y() * wide + at.x()];
        (red, green, blue, alpha)
    };
    let mut bytes = Vec::new();
    let picture = Image::from_channels((wide, tall), SpecificChannels::rgba(pixel));
    picture.write().non_parallel().to_buffered(Cursor::new(&mut bytes))?;
    Ok(bytes)
}

fn mesh(graph: &MotionGraph) -> Result<Vec<u8>, EnsembleError> {
    let data = graph.data();
    let (rest, triangles): (Vec<[f32; 3]>, _) =
        (data.groups().iter().flat_map(|group| group.rest.iter().copied()).collect(), all_triangles(data));
    let of_group = |group: usize| data.vertices_of(group).map(move |vertex| [vertex as f32, group as f32]);
    let coordinates: Vec<[f32; 2]> = (0..data.groups().len()).flat_map(of_group).collect();
    let normals = normals(&rest, &triangles);
    let mut clip = Clip::new(data.name());
    let mesh =
        clip.add_mesh(Mesh { name: data.name().to_owned(), normals, positions: rest, triangles, material: None });
    clip.add_node(Node::new(data.name()).with_mesh(mesh));
    let additions = GlbAdditions { texture_coordinates: [(mesh, coordinates)].into(), ..GlbAdditions::default() };
    let wrong =
        |error: proscenium_clip::ClipError| EnsembleError::Unwritable { format: "mesh", reason: error.to_string() };
    clip.to_glb_with(&additions).map_err(wrong)
}
