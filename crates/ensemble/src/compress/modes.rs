//! The directions in which a group moves most.

use proscenium_work::{Progress, Stopped};

use crate::compressed::CompressedGroup;
use crate::data::Ensemble;

use super::eigen::{Symmetric, axpy, dot};
use super::joint::{Joint, frame_of};

/// A decomposition is of at most this many frames: those that are still too
/// far off, evenly chosen. What they lack is found in the next round. Chosen: the
/// products of so many frames are decomposed in seconds.
const FRAMES_AT_ONCE: usize = 1500;

/// Modes are not sought below this share of the strongest; they are found from
/// products, in which half of the sixteen digits are lost.
const NEGLIGIBLE: f64 = 1e-7;

/// How far each vertex of a group is from its middle, in the group's frame, one
/// row for each frame of the data.
pub(super) struct Displacements {
    middle: Vec<f32>,
    rows: Vec<f64>,
}

impl Displacements {
    pub(super) fn new(ensemble: &Ensemble, group: usize, progress: &Progress) -> Result<Self, Stopped> {
        let range = ensemble.vertices_of(group);
        let width = 3 * range.len();
        let mut rows = Vec::with_capacity(width * ensemble.frame_count());
        for moment in ensemble.moments() {
            progress.check()?;
            let positions = ensemble.positions_at(moment);
            let frame = frame_of(ensemble, group, positions);
            rows.extend(positions[range.clone()].iter().flat_map(|&point| frame.to_group(point)).map(f64::from));
        }
        let mut sums = vec![0.0; width];
        for row in rows.chunks_exact(width) {
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        let count = ensemble.frame_count() as f64;
        let middle: Vec<f32> = sums.iter().map(|sum| (sum / count) as f32).collect();
        for row in rows.chunks_exact_mut(width) {
            row.iter_mut().zip(&middle).for_each(|(x, &middle)| *x -= f64::from(middle));
        }
        Ok(Displacements { middle, rows })
    }

    /// The mean shape.
    pub(super) fn middle(&self) -> &[f32] {
        &self.middle
    }

    /// The largest displacement along an axis.
    pub(super) fn largest(&self) -> f64 {
        self.rows.iter().fold(0.0, |most, x| most.max(x.abs()))
    }

    fn width(&self) -> usize {
        self.middle.len()
    }

    /// The coordinates of every frame in an orthonormal basis, frame by frame.
    pub(super) fn coordinates(&self, basis: &[Vec<f32>], progress: &Progress) -> Result<Vec<f64>, Stopped> {
        let wide: Vec<Vec<f64>> = basis.iter().map(|mode| mode.iter().map(|&x| f64::from(x)).collect()).collect();
        let mut coordinates = Vec::with_capacity(self.rows.len() / self.width().max(1) * wide.len());
        for row in self.rows.chunks_exact(self.width()) {
            progress.check()?;
            coordinates.extend(wide.iter().map(|mode| dot(row, mode)));
        }
        Ok(coordinates)
    }

    /// Orthonormal modes, strongest first, of which no frame leaves a vertex
    /// farther than a share of `within` away, nor moves what hangs on the joints by more
    /// than that share of what it may. `None` if the decomposition fails.
    ///
    /// Each round decomposes the frames that are not good enough yet, and takes
    /// modes off all frames until all are, or until this round's are used up. The anchors
    /// of joints have to be nearer than other vertices, and get modes of their own: what
    /// is left of them once all vertices are near enough.
    pub(super) fn modes(
        &self,
        share: f64,
        within: f64,
        joints: &[Joint],
        progress: &Progress,
    ) -> Result<Option<Vec<Vec<f64>>>, Stopped> {
        let mut found = Modes { rest: self.rows.clone(), width: self.width(), modes: Vec::new() };
        let error = share * within;
        let near = |_: usize, rest: &[f64]| farthest_squared(rest) <= error * error;
        if !found.take(near, <[f64]>::to_vec, progress)? {
            return Ok(None);
        }
        if !joints.is_empty() {
            let moved = |row: usize, rest: &[f64], joint: &Joint| {
                let here = &self.rows[row * self.width()..][..self.width()];
                joint.moved(self.corners(here, None, joint), self.corners(here, Some(rest), joint))
            };
            let is_near = |row: usize, rest: &[f64], joint: &Joint| moved(row, rest, joint) <= share * joint.within;
            let near = |row: usize, rest: &[f64]| joints.iter().all(|joint| is_near(row, rest, joint));
            let anchors = |rest: &[f64]| {
                let mut at_anchors = vec![0.0; rest.len()];
                let corners = joints.iter().flat_map(|joint| joint.anchor).map(|vertex| 3 * vertex as usize);
                corners.for_each(|at| at_anchors[at..at + 3].copy_from_slice(&rest[at..at + 3]));
                at_anchors
            };
            if !found.take(near, anchors, progress)? {
                return Ok(None);
            }
        }
        // A later round can find a stronger one than the last of an earlier.
        found.modes.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(Some(found.modes.into_iter().map(|(_, mode)| mode).collect()))
    }

    /// Where the corners of a joint's anchor are with a row, less what is left of it.
    fn corners(&self, row: &[f64], rest: Option<&[f64]>, joint: &Joint) -> [[f32; 3]; 3] {
        joint.anchor.map(|vertex| {
            std::array::from_fn(|axis| {
                let at = 3 * vertex as usize + axis;
                (f64::from(self.middle[at]) + row[at] - rest.map_or(0.0, |rest| rest[at])) as f32
            })
        })
    }

    /// How far the farthest vertex of a compressed group is off in its own frame, and how
    /// far each joint moves what hangs there, at most.
    pub(super) fn away(
        &self,
        ensemble: &Ensemble,
        shape: &CompressedGroup,
        joints: &[Joint],
        progress: &Progress,
    ) -> Result<(f64, Vec<f64>), Stopped> {
        let (mut coordinates, mut points) = (Vec::new(), Vec::new());
        let (mut largest, mut moved) = (0.0_f64, vec![0.0_f64; joints.len()]);
        for (row, moment) in self.rows.chunks_exact(self.width()).zip(ensemble.moments()) {
            progress.check()?;
            shape.coordinates_at(moment, &mut coordinates);
            shape.shape(&coordinates, &mut points);
            let away = |at: usize| f64::from(points[at]) - f64::from(self.middle[at]) - row[at];
            let squared = |vertex: usize| (0..3).map(|axis| away(3 * vertex + axis)).map(|x| x * x).sum::<f64>();
            largest = (0..row.len() / 3).map(squared).fold(largest, f64::max);
            for (most, joint) in moved.iter_mut().zip(joints) {
                let corners = joint.anchor.map(|vertex| points.as_chunks::<3>().0[vertex as usize]);
                *most = most.max(joint.moved(self.corners(row, None, joint), corners));
            }
        }
        Ok((largest.sqrt(), moved))
    }
}

/// Modes that were found so far, and what they leave of every row.
struct Modes {
    rest: Vec<f64>,
    width: usize,
    /// With how much of all rows each took.
    modes: Vec<(f64, Vec<f64>)>,
}

impl Modes {
    /// Finds more modes, of what `part` takes of the rows that are not near enough, until
    /// all are. False if the decomposition fails.
    fn take(
        &mut self,
        near: impl Fn(usize, &[f64]) -> bool,
        part: impl Fn(&[f64]) -> Vec<f64>,
        progress: &Progress,
    ) -> Result<bool, Stopped> {
        let width = self.width;
        loop {
            let rows = self.rest.chunks_exact(width).enumerate();
            let late: Vec<&[f64]> = rows.filter(|(row, rest)| !near(*row, rest)).map(|(_, rest)| rest).collect();
            if late.is_empty() || self.modes.len() >= width {
                return Ok(true);
            }
            let late: Vec<Vec<f64>> = evenly(&late, FRAMES_AT_ONCE).into_iter().map(&part).collect();
            let late: Vec<&[f64]> = late.iter().map(Vec::as_slice).collect();
            let Some(directions) = decompose(&late, progress)? else {
                return Ok(false);
            };
            let before = self.modes.len();
            for direction in directions {
                progress.check()?;
                let Some(direction) = orthogonal(direction, &self.modes) else { continue };
                let energy = take_off(&mut self.rest, &direction);
                self.modes.push((energy, direction));
                if self.rest.chunks_exact(width).enumerate().all(|(row, rest)| near(row, rest)) {
                    return Ok(true);
                }
            }
            if self.modes.len() == before {
                return Ok(true);
            }
        }
    }
}

/// At most `count` of the rows, evenly spaced.
fn evenly<'rows>(rows: &[&'rows [f64]], count: usize) -> Vec<&'rows [f64]> {
    let taken = rows.len().min(count);
    (0..taken).map(|at| rows[at * rows.len() / taken]).collect()
}

/// The right singular vectors of rows, strongest first: eigenvectors of the
/// products of columns, or from those of the products of rows if these are
/// fewer.
fn decompose(rows: &[&[f64]], progress: &Progress) -> Result<Option<Vec<Vec<f64>>>, Stopped> {
    let width = rows.first().map_or(0, |row| row.len());
    let by_rows = rows.len() < width;
    let products = if by_rows { Symmetric::of_rows(rows, progress) } else { Symmetric::of_columns(rows, progress) }?;
    let Some(pairs) = products.eigen(progress)? else { return Ok(None) };
    let Some(&(strongest, _)) = pairs.first() else { return Ok(None) };
    let strong = pairs.into_iter().take_while(|(value, _)| *value > NEGLIGIBLE * NEGLIGIBLE * strongest);
    let directions = strong.map(|(_, vector)| match by_rows {
        true => vector.iter().zip(rows).fold(vec![0.0; width], |mut sum, (&share, row)| {
            axpy(&mut sum, row, share);
            sum
        }),
        false => vector,
    });
    Ok(Some(directions.collect()))
}

/// What of a direction is orthogonal to all modes, of unit length and with the
/// sign that makes its largest component positive; nothing if hardly anything
/// is left.
fn orthogonal(direction: Vec<f64>, modes: &[(f64, Vec<f64>)]) -> Option<Vec<f64>> {
    let mut rest = direction;
    // Once more, for the digits that the first time lost.
    for _ in 0..2 {
        let before = dot(&rest, &rest);
        modes.iter().for_each(|(_, mode)| {
            let along = dot(&rest, mode);
            axpy(&mut rest, mode, -along);
        });
        let after = dot(&rest, &rest);
        if after <= 1e-6 * before || after <= f64::MIN_POSITIVE {
            return None;
        }
        let length = after.sqrt();
        rest.iter_mut().for_each(|x| *x /= length);
    }
    Some(signed(rest))
}

fn signed(mut direction: Vec<f64>) -> Vec<f64> {
    let largest = direction.iter().fold(0.0_f64, |most, &x| if x.abs() > most.abs() { x } else { most });
    if largest < 0.0 {
        direction.iter_mut().for_each(|x| *x = -*x);
    }
    direction
}

/// Takes what lies along a direction off all rows, and returns how much it was.
fn take_off(rows: &mut [f64], direction: &[f64]) -> f64 {
    let mut energy = 0.0;
    for row in rows.chunks_exact_mut(direction.len()) {
        let along = dot(row, direction);
        axpy(row, direction, -along);
        energy += along * along;
    }
    energy
}

/// The largest squared length of the three numbers of a vertex.
fn farthest_squared(row: &[f64]) -> f64 {
    row.as_chunks::<3>().0.iter().map(|[x, y, z]| x * x + y * y + z * z).fold(0.0, f64::max)
}
