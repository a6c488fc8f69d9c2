//! The file of a motion graph for players: a JSON head and blocks of numbers.

use proscenium_clip::Clip;
use proscenium_work::{Completion, Finish as _, Halt, Progress};
use serde_json::{Value, json};

use super::{all_triangles, check_depth, detail_triangles};
use crate::compressed::CompressedEnsemble;
use crate::data::Moment;
use crate::error::EnsembleError;
use crate::graph::MotionGraph;
use crate::look::materials;
use crate::transition::Splice;

const MAGIC: &[u8; 8] = b"PROSCPMG";
const VERSION: u32 = 1;
/// Where the head begins, and what its length is a multiple of.
const HEAD: usize = 16;
const ALIGNED: usize = 4;

/// A motion graph as a file for players. For each of `details` it has the triangles that
/// remain if vertices that are nearer to each other at rest become one, metres.
///
/// # Errors
/// Details that are no distances, and groups that hang on each other deeper than shaders go.
pub fn to_player(
    graph: &MotionGraph,
    details: &[f64],
    progress: &Progress,
) -> Result<Completion<Vec<u8>>, EnsembleError> {
    write(graph, details, progress).finish()
}

fn write(graph: &MotionGraph, details: &[f64], progress: &Progress) -> Result<Vec<u8>, Halt<EnsembleError>> {
    let data = graph.data();
    check_depth(data)?;
    let bounds = Bounds::of(data, progress)?;
    let mut blocks = Blocks::default();
    blocks.add("triangles", "u32", all_triangles(data).as_flattened().iter().map(|corner| corner.to_le_bytes()));
    let rest = data.groups().iter().flat_map(|group| group.rest.as_flattened());
    blocks.add("rest", "f32", rest.map(|x| x.to_le_bytes()));
    let floats = |numbers: &mut dyn Iterator<Item = f32>| numbers.map(f32::to_le_bytes).collect::<Vec<_>>();
    let shapes = data.shapes();
    blocks.add("middle", "f32", floats(&mut shapes.iter().flat_map(|shape| shape.middle.iter().copied())));
    blocks.add("basis", "f32", floats(&mut shapes.iter().flat_map(|shape| shape.basis.iter().flatten().copied())));
    blocks.add("steps", "f32", floats(&mut shapes.iter().flat_map(|shape| shape.steps.iter().copied())));
    let coordinates = shapes.iter().flat_map(|shape| shape.coordinates.iter().flatten());
    blocks.add("coordinates", "i16", coordinates.map(|step| step.to_le_bytes()));
    let rows = first_rows(data);
    let row = |moment: Moment| rows[moment.sequence as usize] as i32 + moment.frame as i32;
    let splices = graph.transitions().iter().flat_map(|transition| &transition.splices);
    let splices = splices.flat_map(|splice| numbers_of(*splice, row));
    blocks.add("splices", "i32", splices.map(i32::to_le_bytes));
    let mut levels_of_detail = Vec::new();
    for (at, &merge) in details.iter().enumerate() {
        let triangles = detail_triangles(data, merge)?;
        blocks.add(
            &format!("detail {}", at + 1),
            "u32",
            triangles.as_flattened().iter().map(|corner| corner.to_le_bytes()),
        );
        levels_of_detail.push(json!({ "merge": merge, "triangles": triangles.len() }));
    }
    let mut head = head(graph, &bounds);
    head["details"] = Value::Array(levels_of_detail);
    head["blocks"] = Value::Object(blocks.table);
    let mut text = serde_json::to_vec(&head)
        .map_err(|error| EnsembleError::Unwritable { format: "motion graph", reason: error.to_string() })?;
    text.resize(text.len().next_multiple_of(ALIGNED), b' ');
    let mut bytes = Vec::with_capacity(HEAD + text.len() + blocks.bytes.len());
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text);
    bytes.extend(blocks.bytes);
    Ok(bytes)
}

/// The row at which each sequence begins, if all frames of all are counted through.
pub(super) fn first_rows(data: &CompressedEnsemble) -> Vec<usize> {
    let mut next = 0;
    let first = |sequence: &crate::data::SequenceInfo| {
        let row = next;
        next += sequence.frames;
        row
    };
    data.sequences().iter().map(first).collect()
}

/// A splice in four numbers: when the source is left for a detour, when the destination is
/// gone to, the row of the detour beside the middle (or −1), and 0.
pub(super) fn numbers_of(splice: Splice, row: impl Fn(Moment) -> i32) -> [i32; 4] {
    match splice {
        Splice::Direct(offset) => [offset.into(), offset.into(), -1, 0],
        Splice::Detour { by, first, second } => [first.into(), second.into(), row(by), 0],
    }
}

/// The colour of each group, linear.
pub(super) fn colours(data: &CompressedEnsemble) -> Vec<[f32; 3]> {
    let mut clip = Clip::new("colours");
    let materials = materials(&mut clip, data.groups());
    materials
        .into_iter()
        .map(|material| {
            let [red, green, blue, _] = clip.materials[material].base_color;
            [red, green, blue]
        })
        .collect()
}

fn head(graph: &MotionGraph, bounds: &Bounds) -> Value {
    let data = graph.data();
    let mut first_triangle = 0;
    let colours = colours(data);
    let groups = data.groups().iter().zip(data.shapes()).enumerate().map(|(group, (own, shape))| {
        let (vertices, triangle) = (data.vertices_of(group), first_triangle);
        first_triangle += own.triangles.len();
        let first = own.attachment.map_or(0, |attachment| data.vertices_of(attachment.parent).start as u32);
        json!({
            "name": own.name,
            "vertices": [vertices.start, vertices.len()],
            "triangles": [triangle, own.triangles.len()],
            "modes": shape.rank(),
            "parent": own.attachment.map_or(-1, |attachment| attachment.parent as i64),
            "anchor": own.attachment.map(|attachment| attachment.anchor.map(|vertex| first + vertex)),
            "colour": colours[group],
            "box": bounds.boxes[group],
        })
    });
    let groups: Vec<Value> = groups.collect();
    let rows = first_rows(data);
    let sequences = data.sequences().iter().zip(&rows);
    let moment = |moment: Moment| [moment.sequence, moment.frame];
    let transitions = graph.transitions().iter().map(|transition| {
        let (from, to) = (moment(transition.from), moment(transition.to));
        json!({ "from": from, "to": to, "blend": transition.blend.max(1), "span": transition.span, "cost": transition.cost })
    });
    let node_or_none = |node: Option<usize>| node.map_or(-1, |node| node as i64);
    let decisions = graph.nodes().iter().map(|node| {
        json!({
            "at": moment(node.at), "level": node.level, "to": node.to_level, "taken": node.taken,
            "passed": node_or_none(node.passed), "chance": node.chance, "takenFrames": node.taken_frames, "passedFrames": node.passed_frames,
        })
    });
    let levels = 0..data.conditions().len();
    let away =
        |level: usize| -> Vec<i64> { graph.away(level).iter().map(|frames| frames.map_or(-1, i64::from)).collect() };
    let long_run = |level: usize| {
        graph.stationary(level).map(|stationary| {
            let spells = stationary.spells().iter();
            let spells = spells.map(|&(node, taken, frames, share)| json!([node, u8::from(taken), frames, share]));
            json!({ "forgetsAfter": stationary.forgets_after(), "spells": spells.collect::<Vec<_>>() })
        })
    };
    json!({
        "name": data.name(),
        "framesPerSecond": data.frames_per_second(),
        "thickness": data.thickness(),
        "largestError": data.largest_error(),
        "radius": bounds.radius,
        "vertices": data.vertex_count(),
        "groups": groups,
        "order": data.order(),
        "conditions": data.conditions().iter().map(|condition| json!({ "name": condition.name, "intensity": condition.intensity })).collect::<Vec<_>>(),
        "sequences": sequences.map(|(sequence, row)| json!({ "condition": sequence.condition, "frames": sequence.frames, "firstRow": row })).collect::<Vec<_>>(),
        "transitions": transitions.collect::<Vec<_>>(),
        "decisions": decisions.collect::<Vec<_>>(),
        "levels": graph.levels().collect::<Vec<_>>(),
        "away": levels.clone().map(away).collect::<Vec<_>>(),
        "longRun": levels.map(long_run).collect::<Vec<_>>(),
    })
}

/// How far vertices go.
struct Bounds {
    /// Of each group in its own frame, the least and the largest x, y and z.
    boxes: Vec<[[f32; 3]; 2]>,
    /// The farthest of any vertex from the origin, metres.
    radius: f64,
}

impl Bounds {
    fn of(data: &CompressedEnsemble, progress: &Progress) -> Result<Self, Halt<EnsembleError>> {
        let mut bounds = Bounds { boxes: vec![[[f32::MAX; 3], [f32::MIN; 3]]; data.groups().len()], radius: 0.0 };
        let counter = progress.counter("measuring", data.sequences().iter().map(|sequence| sequence.frames).sum());
        let (mut coordinates, mut shape, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for moment in data.moments() {
            counter.count()?;
            for (group, [low, high]) in data.shapes().iter().zip(&mut bounds.boxes) {
                group.coordinates_at(moment, &mut coordinates);
                group.shape(&coordinates, &mut shape);
                for vertex in shape.as_chunks::<3>().0 {
                    *low = std::array::from_fn(|axis| low[axis].min(vertex[axis]));
                    *high = std::array::from_fn(|axis| high[axis].max(vertex[axis]));
                }
            }
            data.positions_at(moment, &mut places);
            let squared = places.iter().map(|place| place.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>());
            bounds.radius = bounds.radius.max(squared.fold(0.0, f64::max).sqrt());
        }
        Ok(bounds)
    }
}

/// Numbers one after another, and where they are.
#[derive(Default)]
struct Blocks {
    bytes: Vec<u8>,
    table: serde_json::Map<String, Value>,
}

impl Blocks {
    fn add<const SIZE: usize>(&mut self, name: &str, kind: &str, numbers: impl IntoIterator<Item = [u8; SIZE]>) {
        let offset = self.bytes.len();
        self.bytes.extend(numbers.into_iter().flatten());
        let count = (self.bytes.len() - offset) / SIZE;
        self.table.insert(name.to_owned(), json!({ "type": kind, "offset": offset, "count": count }));
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNED), 0);
    }
}
