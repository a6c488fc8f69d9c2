//! Whether the parts of an ensemble fit together.

use crate::error::EnsembleError;
use crate::frame::spans_a_plane;

use super::{EnsembleParts, Group};

/// Checks everything; returns the groups with parents before children.
pub(super) fn check(parts: &EnsembleParts) -> Result<Vec<usize>, EnsembleError> {
    check_numbers(parts)?;
    let order = order_of_tree(&parts.groups)?;
    check_groups(&parts.groups)?;
    check_conditions(parts)?;
    check_sequences(parts)?;
    Ok(order)
}

fn check_numbers(parts: &EnsembleParts) -> Result<(), EnsembleError> {
    let place = || format!("the ensemble \"{}\"", parts.name);
    for (what, count, remedy) in [
        ("groups", parts.groups.len(), "give it at least one mesh"),
        ("conditions", parts.conditions.len(), "name at least one, such as a wind level"),
        ("sequences", parts.sequences.len(), "give it at least one stretch of motion"),
    ] {
        if count == 0 {
            return Err(EnsembleError::Empty { place: place(), what, remedy });
        }
    }
    positive("the frame rate", parts.frames_per_second, "use frames per second, such as 30")?;
    positive("the thickness", parts.thickness, "use metres above zero, such as 0.002")
}

pub(crate) fn positive(what: &str, value: f64, remedy: &'static str) -> Result<(), EnsembleError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(EnsembleError::Number { what: what.to_owned(), value, remedy })
}

/// The groups with parents before children, otherwise in their own order.
pub(crate) fn order_of_tree(groups: &[Group]) -> Result<Vec<usize>, EnsembleError> {
    let parent_of = |index: usize| groups[index].attachment.map(|attachment| attachment.parent);
    let mut order = Vec::with_capacity(groups.len());
    let mut placed = vec![false; groups.len()];
    for index in 0..groups.len() {
        // The way up to the first group that is already placed.
        let mut path: Vec<usize> = Vec::new();
        let mut next = Some(index);
        while let Some(here) = next.filter(|&here| !placed.get(here).copied().unwrap_or(false)) {
            if here >= groups.len() {
                let place = format!("the group \"{}\"", groups[path[path.len() - 1]].name);
                return Err(EnsembleError::NoSuchPart { place, what: "group", index: here, count: groups.len() });
            }
            if let Some(start) = path.iter().position(|&earlier| earlier == here) {
                let mut names: Vec<&str> = path[start..].iter().map(|&on| groups[on].name.as_str()).collect();
                names.push(&groups[here].name);
                return Err(EnsembleError::Loop { path: names.join(" hangs on ") });
            }
            path.push(here);
            next = parent_of(here);
        }
        for &here in path.iter().rev() {
            placed[here] = true;
            order.push(here);
        }
    }
    Ok(order)
}

fn check_groups(groups: &[Group]) -> Result<(), EnsembleError> {
    same_name("group", groups.iter().map(|group| group.name.as_str()))?;
    for group in groups {
        let place = || format!("the group \"{}\"", group.name);
        if group.rest.is_empty() || group.triangles.is_empty() {
            let what = if group.rest.is_empty() { "vertices" } else { "triangles" };
            return Err(EnsembleError::Empty { place: place(), what, remedy: "leave it out, or give it a mesh" });
        }
        for (index, triangle) in group.triangles.iter().enumerate() {
            check_vertices(|| format!("triangle {index} of the group \"{}\"", group.name), triangle, group)?;
        }
        for (vertex, position) in group.rest.iter().enumerate() {
            if let Some(&value) = position.iter().find(|x| !x.is_finite()) {
                let what = format!("vertex {vertex} of the group \"{}\" at rest", group.name);
                return Err(EnsembleError::Number { what, value: value.into(), remedy: "export the mesh again" });
            }
        }
    }
    for group in groups {
        let Some(attachment) = group.attachment else {
            continue;
        };
        let parent = &groups[attachment.parent];
        check_vertices(|| format!("the anchor of the group \"{}\"", group.name), &attachment.anchor, parent)?;
        if !spans_a_plane(attachment.anchor.map(|vertex| parent.rest[vertex as usize])) {
            return Err(EnsembleError::FlatAnchor { group: group.name.clone() });
        }
    }
    Ok(())
}

fn check_vertices(place: impl Fn() -> String, vertices: &[u32; 3], group: &Group) -> Result<(), EnsembleError> {
    let count = group.rest.len();
    match vertices.iter().find(|&&vertex| vertex as usize >= count) {
        Some(&vertex) => Err(EnsembleError::NoSuchVertex { place: place(), vertex, group: group.name.clone(), count }),
        None => Ok(()),
    }
}

fn same_name<'names>(what: &'static str, names: impl Iterator<Item = &'names str>) -> Result<(), EnsembleError> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(EnsembleError::SameName { what, name: pair[0].to_owned() }),
        None => Ok(()),
    }
}

fn check_conditions(parts: &EnsembleParts) -> Result<(), EnsembleError> {
    same_name("condition", parts.conditions.iter().map(|condition| condition.name.as_str()))?;
    for condition in &parts.conditions {
        if !condition.intensity.is_finite() {
            return Err(EnsembleError::Number {
                what: format!("the intensity of the condition \"{}\"", condition.name),
                value: condition.intensity,
                remedy: "use a finite number",
            });
        }
    }
    for pair in parts.conditions.windows(2) {
        if pair[1].intensity < pair[0].intensity {
            return Err(EnsembleError::Number {
                what: format!("the intensity of the condition \"{}\"", pair[1].name),
                value: pair[1].intensity,
                remedy: "list the conditions from the weakest to the strongest",
            });
        }
    }
    Ok(())
}

fn check_sequences(parts: &EnsembleParts) -> Result<(), EnsembleError> {
    let expected = parts.groups.iter().map(|group| group.rest.len()).sum();
    for (sequence, data) in parts.sequences.iter().enumerate() {
        let place = || format!("sequence {sequence}");
        if data.condition >= parts.conditions.len() {
            let count = parts.conditions.len();
            return Err(EnsembleError::NoSuchPart { place: place(), what: "condition", index: data.condition, count });
        }
        if data.frames.is_empty() {
            return Err(EnsembleError::Empty { place: place(), what: "frames", remedy: "leave it out" });
        }
        for (frame, positions) in data.frames.iter().enumerate() {
            if positions.len() != expected {
                let remedy = "every frame must have the vertices of the mesh, in the same order";
                return Err(EnsembleError::FrameSize { sequence, frame, found: positions.len(), expected, remedy });
            }
            if let Some(vertex) = positions.iter().position(|position| position.iter().any(|x| !x.is_finite())) {
                return Err(not_finite(&parts.groups, vertex, sequence, frame));
            }
        }
    }
    Ok(())
}

/// Names the group of a vertex that is not finite.
fn not_finite(groups: &[Group], vertex: usize, sequence: usize, frame: usize) -> EnsembleError {
    let mut vertex = vertex;
    for group in groups {
        if vertex < group.rest.len() {
            return EnsembleError::NotFinite { group: group.name.clone(), vertex, sequence, frame };
        }
        vertex -= group.rest.len();
    }
    EnsembleError::NotFinite { group: String::new(), vertex, sequence, frame }
}

#[cfg(test)]
mod tests {
    use super::super::*;

    fn group(name: &str, attachment: Option<Attachment>) -> Group {
        Group {
            name: name.to_owned(),
            attachment,
            rest: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            triangles: vec![[0, 1, 2]],
        }
    }

    fn parts(groups: Vec<Group>) -> EnsembleParts {
        let frame: Vec<[f32; 3]> = groups.iter().flat_map(|group| group.rest.clone()).collect();
        EnsembleParts {
            name: "test".to_owned(),
            groups,
            conditions: vec![Condition { name: "calm".to_owned(), intensity: 1.0 }],
            sequences: vec![Sequence { condition: 0, frames: vec![frame; 4] }],
            frames_per_second: 30.0,
            thickness: 0.01,
        }
    }

    fn on(parent: usize) -> Option<Attachment> {
        Some(Attachment { parent, anchor: [0, 1, 2] })
    }

    fn complaint(parts: EnsembleParts) -> String {
        Ensemble::new(parts).unwrap_err().to_string()
    }

    #[test]
    fn parents_come_before_children_in_any_listing() {
        let ensemble =
            Ensemble::new(parts(vec![group("leaf", on(1)), group("twig", on(2)), group("stem", None)])).unwrap();
        assert_eq!(ensemble.order(), [2, 1, 0]);
        assert_eq!(ensemble.vertices_of(1), 3..6);
        assert_eq!(ensemble.moments().count(), 4);
    }

    #[test]
    fn a_tree_with_a_loop_is_refused_with_its_names() {
        let message =
            complaint(parts(vec![group("stem", None), group("a", on(2)), group("b", on(3)), group("c", on(1))]));
        assert!(message.contains("a hangs on b hangs on c hangs on a"), "{message}");
        let message = complaint(parts(vec![group("own", on(0))]));
        assert!(message.contains("own hangs on own"), "{message}");
    }

    #[test]
    fn numbers_that_are_not_there_are_refused() {
        let message = complaint(parts(vec![group("stem", None), group("leaf", on(7))]));
        assert!(message.contains("\"leaf\" refers to group 7"), "{message}");
        let mut wrong = parts(vec![group("stem", None)]);
        wrong.groups[0].triangles.push([0, 1, 3]);
        let message = complaint(wrong);
        assert!(message.contains("triangle 1 of the group \"stem\" refers to vertex 3"), "{message}");
        let mut wrong = parts(vec![group("stem", None)]);
        wrong.sequences[0].condition = 2;
        assert!(complaint(wrong).contains("sequence 0 refers to condition 2"));
    }

    #[test]
    fn frames_of_another_size_are_refused() {
        let mut wrong = parts(vec![group("stem", None), group("leaf", on(0))]);
        wrong.sequences[0].frames[2].pop();
        let message = complaint(wrong);
        assert!(message.contains("frame 2 of sequence 0 has 5 vertices, the mesh has 6"), "{message}");
    }

    #[test]
    fn vertices_that_are_not_finite_are_named() {
        let mut wrong = parts(vec![group("stem", None), group("leaf", on(0))]);
        wrong.sequences[0].frames[3][4][1] = f32::INFINITY;
        let message = complaint(wrong);
        assert!(message.contains("vertex 1 of the group \"leaf\" is not finite in frame 3"), "{message}");
        let mut wrong = parts(vec![group("stem", None)]);
        wrong.groups[0].rest[1][0] = f32::NAN;
        assert!(complaint(wrong).contains("vertex 1 of the group \"stem\" at rest"));
    }

    #[test]
    fn anchors_need_a_plane() {
        let mut wrong = parts(vec![group("stem", None), group("leaf", on(0))]);
        wrong.groups[0].rest[2] = [2.0, 0.0, 0.0];
        assert!(complaint(wrong).contains("anchor of the group \"leaf\""));
    }

    #[test]
    fn rates_names_and_emptiness_are_checked() {
        let mut wrong = parts(vec![group("stem", None)]);
        wrong.thickness = 0.0;
        assert!(complaint(wrong).contains("the thickness is 0"));
        let mut wrong = parts(vec![group("stem", None)]);
        wrong.frames_per_second = f64::NAN;
        assert!(complaint(wrong).contains("the frame rate is NaN"));
        assert!(complaint(parts(vec![group("a", None), group("a", None)])).contains("two groups are called \"a\""));
        assert!(complaint(parts(Vec::new())).contains("has no groups"));
        let mut wrong = parts(vec![group("stem", None)]);
        wrong.sequences[0].frames.clear();
        assert!(complaint(wrong).contains("sequence 0 has no frames"));
    }
}
