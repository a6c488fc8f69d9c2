//! Wavefront OBJ, as far as a base mesh needs it: `v`, `f`, `o` and `g`.
//!
//! Unlike readers that make meshes to draw, this one keeps the vertices as the
//! file lists them, since a vertex cache refers to that order.

use super::{ImportError, SourceMesh, SourceObject};

pub(super) fn read(text: &str) -> Result<SourceMesh, ImportError> {
    let mut reader = Reader::default();
    for (line, text) in (1..).zip(text.lines()) {
        let content = text.split('#').next().unwrap_or_default();
        let mut words = content.split_whitespace();
        let read = match words.next() {
            Some("v") => reader.vertex(words),
            Some("f") => reader.face(words),
            Some("o" | "g") => {
                reader.begin(&words.collect::<Vec<_>>().join(" "));
                Ok(())
            }
            // Texture coordinates, normals, materials, lines and curves do not matter here.
            _ => Ok(()),
        };
        read.map_err(|Wrong { problem, remedy }| ImportError::Obj { line, problem, remedy })?;
    }
    reader.finish()
}

/// What is wrong with a line, and what would be right.
struct Wrong {
    problem: String,
    remedy: &'static str,
}

fn wrong(problem: impl Into<String>, remedy: &'static str) -> Wrong {
    Wrong { problem: problem.into(), remedy }
}

#[derive(Default)]
struct Reader {
    vertices: Vec<[f32; 3]>,
    /// For each object, its name and its triangles; a name may come again.
    objects: Vec<(String, Vec<[u32; 3]>)>,
    current: Option<usize>,
}

impl Reader {
    fn vertex<'text>(&mut self, words: impl Iterator<Item = &'text str>) -> Result<(), Wrong> {
        let mut place = [0.0f32; 3];
        let mut words = words;
        for coordinate in &mut place {
            let word =
                words.next().ok_or_else(|| wrong("a vertex needs three numbers", "write a vertex as v x y z"))?;
            *coordinate = word
                .parse()
                .ok()
                .filter(|x: &f32| x.is_finite())
                .ok_or_else(|| wrong(format!("{word:?} is not a finite number"), "write a vertex as v x y z"))?;
        }
        self.vertices.push(place);
        Ok(())
    }

    /// A face of any number of corners, as a fan of triangles.
    fn face<'text>(&mut self, words: impl Iterator<Item = &'text str>) -> Result<(), Wrong> {
        let corners = words.map(|word| self.corner(word)).collect::<Result<Vec<u32>, Wrong>>()?;
        if corners.len() < 3 {
            return Err(wrong(format!("a face has {} corners", corners.len()), "give it three or more"));
        }
        if self.current.is_none() {
            self.begin("");
        }
        let object = self.current.expect("an object was begun");
        let fan = corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]]);
        self.objects[object].1.extend(fan);
        Ok(())
    }

    /// The vertex of a corner such as `7`, `7/2/3` or `-1`.
    fn corner(&self, word: &str) -> Result<u32, Wrong> {
        let count = self.vertices.len() as i64;
        let number: i64 = word
            .split('/')
            .next()
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| wrong(format!("{word:?} is no corner"), "write faces as f 1 2 3"))?;
        let index = if number < 0 { count + number } else { number - 1 };
        if (0..count).contains(&index) {
            return u32::try_from(index).map_err(|_| wrong("there are too many vertices", "simplify the mesh"));
        }
        let problem = format!("a face refers to vertex {number}, and {count} are listed before it");
        Err(wrong(problem, "list vertices before the faces that use them, or export the mesh again"))
    }

    fn begin(&mut self, name: &str) {
        let known = self.objects.iter().position(|(known, _)| known == name);
        self.current = Some(known.unwrap_or_else(|| {
            self.objects.push((name.to_owned(), Vec::new()));
            self.objects.len() - 1
        }));
    }

    fn finish(self) -> Result<SourceMesh, ImportError> {
        let mut mesh = SourceMesh { vertices: self.vertices, triangles: Vec::new(), objects: Vec::new() };
        for (name, triangles) in self.objects {
            // A group that an object's name is followed by, for instance.
            if triangles.is_empty() {
                continue;
            }
            let first = mesh.triangles.len();
            mesh.triangles.extend(triangles);
            let name = if name.is_empty() { "mesh".to_owned() } else { name };
            mesh.objects.push(SourceObject { name, parent: None, triangles: first..mesh.triangles.len() });
        }
        if mesh.triangles.is_empty() {
            let problem = "the file has no faces".to_owned();
            return Err(ImportError::Obj { line: 1, problem, remedy: "export a mesh, with its faces" });
        }
        Ok(mesh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_keep_their_order_and_faces_become_fans() {
        let text = "# a quad, and a triangle that lists its corners from the end\n\
                    v 0 0 0\nv 9 9 9 # not used\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\n\
                    o leaf\nusemtl green\nf 1/1/1 3/1/1 4//1 5\nl 1 2\no stem two\nf -1 -2 -5\no leaf\nf 1 3 5\n";
        let mesh = read(text).unwrap();
        assert_eq!(mesh.vertices.len(), 5);
        assert_eq!(mesh.vertices[1], [9.0; 3]);
        assert_eq!(mesh.triangles, [[0, 2, 3], [0, 3, 4], [0, 2, 4], [4, 3, 0]]);
        let objects: Vec<(&str, _)> = mesh.objects.iter().map(|o| (o.name.as_str(), o.triangles.clone())).collect();
        assert_eq!(objects, [("leaf", 0..3), ("stem two", 3..4)]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, line, word) in [
            ("v 0 0\n", 1, "three numbers"),
            ("v 0 0 0\nv 0 nan 0\n", 2, "\"nan\""),
            ("v 0 0 0\nf 1 1\n", 2, "2 corners"),
            ("v 0 0 0\nf 1 1 2\n", 2, "vertex 2, and 1 are"),
            ("v 0 0 0\nf 1 1 0\n", 2, "vertex 0"),
            ("v 0 0 0\nf 1 1 -2\n", 2, "vertex -2"),
            ("v 0 0 0\nf a b c\n", 2, "\"a\""),
            ("v 0 0 0\n", 1, "no faces"),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.starts_with(&format!("line {line}: ")) && message.contains(word), "{text:?}: {message}");
        }
    }
}
