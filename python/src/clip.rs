//! What was seen, as arrays and as files.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{Element, IntoPyArray, PyArray2, PyArrayMethods as _};
use proscenium_clip as clip;
use proscenium_picture::{Look, animate, frame_clip};
use proscenium_show::moment::{self, Moment};
use proscenium_work::{Completion, write_file};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{Raised as _, of};
use crate::work::work;

/// Pictures in a second of a moving one, as the command has them.
const FRAMES_PER_SECOND: f64 = 25.0;
/// A moving picture this large is still quickly drawn, pixels.
const MOVING_SIZE: (u32, u32) = (480, 270);

/// Numbers as an array of rows of so many; the memory is handed over, not copied.
pub fn rows<T: Element>(py: Python<'_>, numbers: Vec<T>, columns: usize) -> PyResult<Bound<'_, PyArray2<T>>> {
    let count = numbers.len() / columns;
    numbers.into_pyarray(py).reshape([count, columns])
}

/// Named nodes, their meshes and how they moved.
#[pyclass(frozen, module = "proscenium")]
pub struct Clip {
    pub clip: Arc<clip::Clip>,
}

#[pymethods]
impl Clip {
    #[getter]
    fn name(&self) -> &str {
        &self.clip.name
    }

    #[getter]
    fn duration(&self) -> f64 {
        f64::from(self.clip.duration_secs)
    }

    #[getter]
    fn nodes(&self) -> Vec<&str> {
        self.clip.nodes.iter().map(|node| node.name.as_str()).collect()
    }

    /// Where a node was in the world: x, y, z and its turn as a quaternion x, y, z, w, a
    /// row per moment; `fps` moments in a second, or those of `times`.
    #[pyo3(signature = (node, *, fps = 60.0, times = None))]
    pub fn poses<'py>(
        &self,
        py: Python<'py>,
        node: &str,
        fps: f64,
        times: Option<Vec<f64>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let id = self.find(py, node)?;
        let times = match times {
            Some(times) => times,
            None => self.moments(py, fps)?,
        };
        if let Some(wrong) = times.iter().find(|time| !time.is_finite()) {
            return Err(of(py, &format!("a time is {wrong}"), Some("give times in seconds, all of them finite")));
        }
        let mut numbers = Vec::with_capacity(7 * times.len());
        for time in times {
            // A node without a parent is where its track says, to the last bit.
            let node = &self.clip.nodes[id.0 as usize];
            let pose = match node.parent {
                None => {
                    let key = node.pose(time as f32);
                    (key.position, key.orientation)
                }
                Some(_) => {
                    let world = self.clip.world_from_node(id, time as f32).unwrap_or_default();
                    let (_, orientation, position) = world.to_scale_rotation_translation();
                    (position, orientation)
                }
            };
            numbers.extend(pose.0.to_array());
            numbers.extend(pose.1.to_array());
        }
        rows(py, numbers, 7)
    }

    /// The moments that `poses` has at so many in a second: from 0 to the end.
    #[pyo3(signature = (fps = 60.0))]
    fn times<'py>(&self, py: Python<'py>, fps: f64) -> PyResult<Bound<'py, numpy::PyArray1<f64>>> {
        Ok(self.moments(py, fps)?.into_pyarray(py))
    }

    /// The keys of a node's track: time, x, y, z, and the turn as x, y, z, w. Empty if the
    /// node does not move.
    fn keys<'py>(&self, py: Python<'py>, node: &str) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let id = self.find(py, node)?;
        let keys = self.clip.nodes[id.0 as usize].track.iter().flat_map(|track| &track.keys);
        let numbers = keys.flat_map(|key| {
            let ([x, y, z], [i, j, k, w]) = (key.position.to_array(), key.orientation.to_array());
            [key.time, x, y, z, i, j, k, w]
        });
        rows(py, numbers.collect(), 8)
    }

    /// Binary glTF, for Blender, Houdini, game engines and browsers.
    fn to_glb<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = work(py, |_| self.clip.to_glb())?.raised(py)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Nodes, meshes and tracks as JSON.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        work(py, |_| self.clip.to_json())?.raised(py)
    }

    /// A picture as a PNG: of a moment worth seeing, or at a time.
    #[pyo3(signature = (at = None, *, width = 960, height = 540))]
    fn picture<'py>(&self, py: Python<'py>, at: Option<f32>, width: u32, height: u32) -> PyResult<Bound<'py, PyBytes>> {
        let shown = match at {
            Some(time) if !(0.0..=self.clip.duration_secs).contains(&time) => {
                let end = self.clip.duration_secs;
                let remedy = format!("give a time from 0 to {end}");
                return Err(of(py, &format!("there is nothing to see at {time} s"), Some(&remedy)));
            }
            Some(time) => Moment { time, trail: None },
            None => Moment::worth_seeing(&self.clip),
        };
        let drawn = work(py, |progress| moment::draw(&self.clip, &shown, (width, height), progress))?.raised(py)?;
        match drawn {
            Completion::Finished(picture) => Ok(PyBytes::new(py, &picture.to_png().raised(py)?)),
            Completion::Stopped => Err(pyo3::exceptions::PyKeyboardInterrupt::new_err(())),
        }
    }

    /// A moving picture as a GIF.
    #[pyo3(signature = (*, fps = FRAMES_PER_SECOND, width = MOVING_SIZE.0, height = MOVING_SIZE.1))]
    fn film<'py>(&self, py: Python<'py>, fps: f64, width: u32, height: u32) -> PyResult<Bound<'py, PyBytes>> {
        let look = Look::sized(width, height);
        let camera = frame_clip(&self.clip, look.aspect()).raised(py)?;
        let mut bytes = Vec::new();
        work(py, |progress| animate(&self.clip, &camera, &look, fps, &mut bytes, progress))?.raised(py)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes `.glb`, `.json`, `.png` or `.gif`; the ending says what.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
        let bytes = match ending.as_str() {
            "glb" => self.to_glb(py)?.as_bytes().to_vec(),
            "json" => self.to_json(py)?.into_bytes(),
            "png" => self.picture(py, None, 960, 540)?.as_bytes().to_vec(),
            "gif" => self.film(py, FRAMES_PER_SECOND, MOVING_SIZE.0, MOVING_SIZE.1)?.as_bytes().to_vec(),
            _ => {
                let what = format!("cannot tell what `{}` should be", path.display());
                return Err(of(py, &what, Some("end its name with .glb, .json, .png or .gif")));
            }
        };
        write_file(&path, &bytes)
            .map_err(|error| PyOSError::new_err(format!("cannot write `{}`: {error}", path.display())))
    }

    fn __repr__(&self) -> String {
        format!(
            "<proscenium.Clip {:?}: {} nodes, {} s>",
            self.clip.name,
            self.clip.nodes.len(),
            self.clip.duration_secs
        )
    }

    /// A moving picture that one can turn, for notebooks.
    pub fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        py.import("proscenium._viewer")?.call_method1("html", ([self.to_json(py)?],))?.extract()
    }
}

impl Clip {
    fn find(&self, py: Python<'_>, name: &str) -> PyResult<clip::NodeId> {
        self.clip.node(name).ok_or_else(|| {
            let names: Vec<&str> = self.clip.nodes.iter().take(12).map(|node| node.name.as_str()).collect();
            let more = if self.clip.nodes.len() > names.len() { ", …" } else { "" };
            let remedy = format!("there are {}{more}", names.join(", "));
            of(py, &format!("nothing is called \"{name}\""), Some(&remedy))
        })
    }

    /// As many moments in a second as asked for, the first at 0.
    fn moments(&self, py: Python<'_>, fps: f64) -> PyResult<Vec<f64>> {
        if !(fps.is_finite() && fps > 0.0 && fps <= 1e5) {
            let what = format!("{fps} moments in a second cannot be had");
            return Err(of(py, &what, Some("give `fps` above 0 and at most 100 000, such as 60")));
        }
        let count = (self.duration() * fps).floor() as usize;
        Ok((0..=count).map(|frame| frame as f64 / fps).collect())
    }
}
