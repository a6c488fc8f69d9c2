//! USD in its text form: one mesh for each group, with points sampled over
//! time.

use std::fmt::Write as _;

use proscenium_work::{Completion, Finish as _, Progress, Stopped};

use super::Take;
use crate::contact::Extent;

/// A take as a `.usda` file: y up, metres, one time code for each frame from 1.
///
/// Names become identifiers, as USD wants them; the name as it was is the
/// prim's `displayName`.
pub fn to_usda(take: &Take, progress: &Progress) -> Completion<String> {
    write(take, progress).finish()
}

fn write(take: &Take, progress: &Progress) -> Result<String, Stopped> {
    let compressed = take.compressed;
    let frames = take.all_frames(&progress.part(0.0, 0.2))?;
    let writing = progress.part(0.2, 1.0);
    let counter = writing.counter("writing groups", compressed.groups().len());
    let rate = compressed.frames_per_second();
    let root = identifier(compressed.name(), 0, &[]);
    let mut text = format!(
        "#usda 1.0\n(\n    defaultPrim = \"{root}\"\n    doc = \"proscenium, format 1\"\n    metersPerUnit = 1\n    \
         upAxis = \"Y\"\n    startTimeCode = 1\n    endTimeCode = {}\n    timeCodesPerSecond = {rate}\n    \
         framesPerSecond = {rate}\n)\n\ndef Xform \"{root}\"\n{{\n",
        frames.len().max(1)
    );
    let mut taken = Vec::new();
    for (group, data) in compressed.groups().iter().enumerate() {
        counter.count()?;
        let name = identifier(&data.name, group, &taken);
        let shown = data.name.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " ");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    def Mesh \"{name}\" (\n        displayName = \"{shown}\"\n    )\n    {{");
        taken.push(name);
        let counts = vec!["3"; data.triangles.len()].join(", ");
        let corners: Vec<String> = data.triangles.iter().flatten().map(u32::to_string).collect();
        let _ = writeln!(text, "        int[] faceVertexCounts = [{counts}]");
        let _ = writeln!(text, "        int[] faceVertexIndices = [{}]", corners.join(", "));
        let _ = writeln!(text, "        uniform token subdivisionScheme = \"none\"\n        bool doubleSided = 1");
        let range = compressed.vertices_of(group);
        let _ = writeln!(text, "        point3f[] points = {}", tuples(&data.rest));
        samples(&mut text, "point3f[] points", &frames, progress, |frame| tuples(&frame[range.clone()]))?;
        samples(&mut text, "float3[] extent", &frames, progress, |frame| {
            let extent = Extent::of(&frame[range.clone()]);
            tuples(&[extent.low, extent.high])
        })?;
        text.push_str("    }\n");
    }
    text.push_str("}\n");
    Ok(text)
}

fn samples(
    text: &mut String,
    what: &str,
    frames: &[Vec<[f32; 3]>],
    progress: &Progress,
    value: impl Fn(&[[f32; 3]]) -> String,
) -> Result<(), Stopped> {
    let _ = writeln!(text, "        {what}.timeSamples = {{");
    for (code, frame) in (1..).zip(frames) {
        progress.check()?;
        let _ = writeln!(text, "            {code}: {},", value(frame));
    }
    text.push_str("        }\n");
    Ok(())
}

fn tuples(points: &[[f32; 3]]) -> String {
    let tuples: Vec<String> = points.iter().map(|[x, y, z]| format!("({x}, {y}, {z})")).collect();
    format!("[{}]", tuples.join(", "))
}

/// A name of letters, digits and underscores that does not begin with a digit,
/// and was not given yet.
pub(super) fn identifier(name: &str, index: usize, taken: &[String]) -> String {
    let mut identifier: String =
        name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    if identifier.is_empty() || identifier.starts_with(|letter: char| letter.is_ascii_digit()) {
        identifier.insert(0, '_');
    }
    if taken.contains(&identifier) {
        identifier = format!("{identifier}_{index}");
    }
    identifier
}
