//! Whether a clip makes sense.

use std::collections::BTreeSet;

use glam::Quat;

use crate::{Clip, ClipError, Key, Material, Mesh, Node};

impl Clip {
    /// Checks that the clip makes sense: names of nodes are unique, parents come
    /// before their children, indices are in range, numbers are finite, times
    /// increase strictly within `0..=duration_secs`, quaternions and normals are
    /// of unit length, colours are in `[0, 1]`, and meshes are not empty.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place and what would be right.
    ///
    /// ```
    /// use proscenium_clip::{Clip, Node, NodeId};
    /// use proscenium_work::Remedy as _;
    ///
    /// let mut clip = Clip::new("odd");
    /// clip.add_node(Node::new("wheel").with_parent(NodeId(3)));
    /// assert_eq!(
    ///     clip.validate().unwrap_err().explain(),
    ///     "node \"wheel\" has parent 3, which is not an earlier node: \
    ///      add parents before their children"
    /// );
    /// ```
    pub fn validate(&self) -> Result<(), ClipError> {
        finite("the duration of the clip", &[self.duration_secs])?;
        within("the duration of the clip", self.duration_secs, 0.0, f32::MAX)?;
        for (index, material) in self.materials.iter().enumerate() {
            validate_material(index, material)?;
        }
        for (index, mesh) in self.meshes.iter().enumerate() {
            validate_mesh(index, mesh, self.materials.len())?;
        }
        let mut names = BTreeSet::new();
        for (index, node) in self.nodes.iter().enumerate() {
            if !names.insert(node.name.as_str()) {
                return Err(ClipError::DuplicateName { name: node.name.clone() });
            }
            self.validate_node(index, node)?;
        }
        Ok(())
    }

    fn validate_node(&self, index: usize, node: &Node) -> Result<(), ClipError> {
        if node.name.is_empty() {
            return Err(ClipError::Empty {
                place: format!("the name of node {index}"),
                remedy: "give the node a name",
            });
        }
        if let Some(parent) = node.parent
            && parent.0 as usize >= index
        {
            return Err(ClipError::ParentNotEarlier { node: node.name.clone(), parent: parent.0 });
        }
        let place = |what: &str| format!("the {what} of node {:?}", node.name);
        if let Some(mesh) = node.mesh {
            in_range(|| place("mesh index"), mesh as u64, self.meshes.len())?;
        }
        finite(&place("scale"), &node.scale.to_array())?;
        validate_key(&node.rest, || place("rest"))?;
        match &node.track {
            Some(track) if track.keys.is_empty() => {
                Err(ClipError::Empty { place: place("track"), remedy: "give it a key, or the node no track" })
            }
            Some(track) => self.validate_keys(node, &track.keys),
            None => Ok(()),
        }
    }

    fn validate_keys(&self, node: &Node, keys: &[Key]) -> Result<(), ClipError> {
        let place = |index: usize| format!("key {index} of node {:?}", node.name);
        for (index, key) in keys.iter().enumerate() {
            validate_key(key, || place(index))?;
            if let Some(previous) = index.checked_sub(1).map(|before| keys[before].time)
                && key.time <= previous
            {
                return Err(ClipError::TimesNotIncreasing {
                    place: place(index),
                    time: f64::from(key.time),
                    previous: f64::from(previous),
                });
            }
        }
        for index in [0, keys.len() - 1] {
            let time = keys[index].time;
            if !(0.0..=self.duration_secs).contains(&time) {
                return Err(ClipError::OutOfBounds {
                    place: format!("the time of {}", place(index)),
                    value: f64::from(time),
                    allowed: format!("between 0 and the clip's {} s", self.duration_secs),
                });
            }
        }
        Ok(())
    }
}

fn validate_key(key: &Key, place: impl Fn() -> String) -> Result<(), ClipError> {
    let numbers = key.position.to_array().into_iter().chain(key.orientation.to_array()).chain([key.time]);
    for number in numbers {
        if !number.is_finite() {
            return Err(not_finite(place(), number));
        }
    }
    if is_unit(key.orientation) {
        return Ok(());
    }
    Err(ClipError::NotUnit { place: format!("the orientation of {}", place()), length: key.orientation.length() })
}

/// Whether a quaternion is of unit length, as far as a reader of glTF demands.
pub(crate) fn is_unit(orientation: Quat) -> bool {
    unit(&orientation.to_array())
}

/// Whether a vector is of unit length, as far as a reader of glTF demands.
pub(crate) fn unit(vector: &[f32]) -> bool {
    let squared: f32 = vector.iter().map(|x| x * x).sum();
    (squared - 1.0).abs() <= 2e-4
}

fn validate_material(index: usize, material: &Material) -> Result<(), ClipError> {
    let place = |what: &str| format!("the {what} of material {index} ({:?})", material.name);
    for value in material.base_color {
        within(&place("base colour"), value, 0.0, 1.0)?;
    }
    within(&place("roughness"), material.roughness, 0.0, 1.0)?;
    within(&place("metallic part"), material.metallic, 0.0, 1.0)
}

fn validate_mesh(index: usize, mesh: &Mesh, materials: usize) -> Result<(), ClipError> {
    let place = |what: &str| format!("the {what} of mesh {index} ({:?})", mesh.name);
    if mesh.triangles.is_empty() {
        return Err(ClipError::Empty { place: place("list of triangles"), remedy: "leave the mesh out" });
    }
    if mesh.normals.len() != mesh.positions.len() {
        return Err(ClipError::NormalCount {
            mesh: mesh.name.clone(),
            normals: mesh.normals.len(),
            positions: mesh.positions.len(),
        });
    }
    if let Some(material) = mesh.material {
        in_range(|| place("material index"), material as u64, materials)?;
    }
    for position in &mesh.positions {
        if position.iter().any(|x| !x.is_finite()) {
            return finite(&place("positions"), position);
        }
    }
    for normal in &mesh.normals {
        if !unit(normal) {
            finite(&place("normals"), normal)?;
            return Err(ClipError::NotUnit {
                place: format!("a normal of mesh {index} ({:?})", mesh.name),
                length: glam::Vec3::from_array(*normal).length(),
            });
        }
    }
    for &corner in mesh.triangles.iter().flatten() {
        in_range(|| place("triangle index"), u64::from(corner), mesh.positions.len())?;
    }
    Ok(())
}

fn not_finite(place: String, value: f32) -> ClipError {
    ClipError::NotFinite { place, value: f64::from(value) }
}

/// Refuses numbers that are infinite or not numbers.
pub(crate) fn finite(place: &str, values: &[f32]) -> Result<(), ClipError> {
    match values.iter().find(|value| !value.is_finite()) {
        Some(&value) => Err(not_finite(place.to_string(), value)),
        None => Ok(()),
    }
}

fn within(place: &str, value: f32, low: f32, high: f32) -> Result<(), ClipError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(ClipError::OutOfBounds {
        place: place.to_string(),
        value: f64::from(value),
        allowed: if high == f32::MAX { format!("at least {low}") } else { format!("between {low} and {high}") },
    })
}

/// Refuses an index that is not below the count.
pub(crate) fn in_range(place: impl FnOnce() -> String, index: u64, count: usize) -> Result<(), ClipError> {
    if index < count as u64 {
        return Ok(());
    }
    Err(ClipError::NoSuchIndex { place: place(), index, count })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NodeId, Track, shapes};
    use glam::Vec3;
    use proscenium_work::Remedy as _;

    /// Breaks one thing of a good clip, and expects the message to name it.
    fn check(break_it: impl FnOnce(&mut Clip), expected: &str) {
        let mut clip = Clip::new("good");
        let material = clip.add_material(Material::new("red", [1.0, 0.0, 0.0]));
        let mesh = clip.add_mesh(shapes::cuboid(Vec3::ONE, 0.0).unwrap().with_name("cube").with_material(material));
        let root = clip.add_node(Node::new("root").with_mesh(mesh));
        let keys = vec![Key::IDENTITY, Key::new(1.0, Vec3::X, Quat::IDENTITY), Key::new(2.0, Vec3::Y, Quat::IDENTITY)];
        clip.add_node(Node::new("leaf").with_parent(root).with_track(Track { keys }));
        clip.validate().unwrap();
        break_it(&mut clip);
        let error = clip.validate().unwrap_err().explain();
        assert!(error.contains(expected), "{error:?} lacks {expected:?}");
    }

    fn keys(clip: &mut Clip) -> &mut Vec<Key> {
        &mut clip.nodes[1].track.as_mut().unwrap().keys
    }

    #[test]
    fn broken_nodes_are_named() {
        check(|clip| clip.duration_secs = f32::NAN, "duration of the clip is NaN");
        check(|clip| clip.duration_secs = -1.0, "at least 0");
        check(|clip| clip.nodes[1].name = "root".into(), "two nodes are named \"root\"");
        check(|clip| clip.nodes[1].name.clear(), "name of node 1 is empty");
        check(|clip| clip.nodes[1].parent = Some(NodeId(1)), "not an earlier node");
        check(|clip| clip.nodes[0].mesh = Some(1), "mesh index of node \"root\" is 1");
        check(|clip| clip.nodes[0].scale.y = f32::INFINITY, "scale of node \"root\"");
        check(
            |clip| clip.nodes[0].rest.orientation = Quat::from_xyzw(0.0, 0.0, 0.0, 1.1),
            "orientation of the rest of node \"root\" has length 1.1",
        );
    }

    #[test]
    fn broken_tracks_are_named() {
        check(|clip| keys(clip).clear(), "track of node \"leaf\" is empty");
        check(|clip| keys(clip)[2].time = 1.0, "key 2 of node \"leaf\" is at 1 s");
        check(|clip| keys(clip)[0].time = -0.5, "time of key 0 of node \"leaf\" is -0.5");
        check(|clip| keys(clip)[2].time = 2.5, "between 0 and the clip's 2 s");
        check(|clip| keys(clip)[1].position.z = f32::NAN, "key 1 of node \"leaf\" is NaN");
        check(|clip| keys(clip)[1].time = f32::NAN, "key 1 of node \"leaf\" is NaN");
    }

    #[test]
    fn broken_meshes_and_materials_are_named() {
        check(|clip| clip.meshes[0].triangles.clear(), "list of triangles of mesh 0 (\"cube\")");
        check(|clip| clip.meshes[0].normals.truncate(3), "3 normals for 24 positions");
        check(|clip| clip.meshes[0].triangles[4][1] = 24, "triangle index of mesh 0");
        check(|clip| clip.meshes[0].positions[3][0] = f32::NAN, "positions of mesh 0");
        check(|clip| clip.meshes[0].normals[3] = [0.0; 3], "normal of mesh 0 (\"cube\") has length 0");
        check(|clip| clip.meshes[0].normals[3][1] = f32::NAN, "normals of mesh 0");
        check(|clip| clip.meshes[0].material = Some(1), "material index of mesh 0");
        check(|clip| clip.materials[0].base_color[3] = 1.5, "base colour of material 0 (\"red\")");
        check(|clip| clip.materials[0].roughness = f32::NAN, "roughness of material 0");
    }
}
