//! An ensemble in local frames and reduced coordinates (equation 2).

use std::ops::Deref;

use proscenium_work::{Completion, Finish as _, Progress, Stopped, parallel};
use serde::{Deserialize, Serialize};

use crate::data::{Attachment, Condition, Group, Moment, SequenceInfo, Structure, StructureParts, order_of_tree};
use crate::differences::GroupFile;
use crate::error::EnsembleError;
use crate::file::COMPRESSED;
pub use crate::frame::Frame;
use crate::shape_cache::ShapeCache;

/// The shapes of one group: p_k + U_k q_k of equation 2, with q_k in whole
/// steps of 16 bits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "GroupFile", into = "GroupFile")]
pub struct CompressedGroup {
    /// The shape that displacements are counted from (p_k), in the group's own
    /// frame: x, y, z of each vertex.
    pub middle: Vec<f32>,
    /// The modes (U_k), strongest first, each as long as `middle`; of unit
    /// length and orthogonal to each other, so that distances between
    /// coordinates are distances between shapes.
    pub basis: Vec<Vec<f32>>,
    /// The size of one step of each coordinate, metres.
    pub steps: Vec<f32>,
    /// The coordinates (q_k) of each sequence, in steps: frame by frame, one
    /// number for each mode.
    pub coordinates: Vec<Vec<i16>>,
}

/// What a compressed ensemble is made from, before it is checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompressedParts {
    /// What it is called.
    pub name: String,
    /// The groups, as in the ensemble.
    pub groups: Vec<Group>,
    /// The shapes of each group.
    pub shapes: Vec<CompressedGroup>,
    /// The conditions, from the weakest to the strongest.
    pub conditions: Vec<Condition>,
    /// The sequences.
    pub sequences: Vec<SequenceInfo>,
    /// Frames per second.
    pub frames_per_second: f64,
    /// The thickness ε, metres.
    pub thickness: f64,
    /// How far the farthest vertex of any frame is from where it was, metres.
    pub largest_error: f64,
}

/// [`CompressedParts`], borrowed: what a file holds.
#[derive(Serialize)]
pub(crate) struct CompressedContent<'data> {
    name: &'data str,
    groups: &'data [Group],
    shapes: &'data [CompressedGroup],
    conditions: &'data [Condition],
    sequences: &'data [SequenceInfo],
    frames_per_second: f64,
    thickness: f64,
    largest_error: f64,
}

/// An ensemble that can be evaluated at any moment, and between moments.
///
/// The frame of a group follows from the shape of its parent ([`Frame`]), so
/// the coordinates of all groups are the whole state: two states with the same
/// coordinates are the same.
#[derive(Clone, Debug, PartialEq)]
pub struct CompressedEnsemble {
    structure: Structure,
    /// The shapes of each group.
    shapes: Vec<CompressedGroup>,
    largest_error: f64,
    /// Of each group that hangs on another, the vertices that its frame follows,
    /// by their numbers among all.
    anchors: Vec<Option<[u32; 3]>>,
    /// What each group hangs on; itself, if that is nothing.
    parents: Vec<usize>,
    /// With whom each group splices in a transition.
    leaders: Vec<usize>,
    /// Whether nothing hangs on anything.
    is_flat: bool,
    /// Shapes in the frames of their groups, and where these hang on each other
    /// in that of the ensemble, too.
    locals: ShapeCache,
    places: ShapeCache,
}

impl Deref for CompressedEnsemble {
    type Target = Structure;

    #[inline]
    fn deref(&self) -> &Structure {
        &self.structure
    }
}

impl CompressedGroup {
    /// How many modes it has (r_k).
    pub fn rank(&self) -> usize {
        self.basis.len()
    }

    /// The coordinates of a moment, in steps.
    #[inline]
    pub fn steps_at(&self, moment: Moment) -> &[i16] {
        let first = moment.frame as usize * self.rank();
        &self.coordinates[moment.sequence as usize][first..first + self.rank()]
    }

    /// The coordinates of a moment, metres. What `coordinates` held before is
    /// discarded.
    pub fn coordinates_at(&self, moment: Moment, coordinates: &mut Vec<f32>) {
        coordinates.clear();
        coordinates.extend(self.steps_at(moment).iter().zip(&self.steps).map(|(&count, step)| f32::from(count) * step));
    }

    /// The coordinates on the straight line between two moments, `weight` of
    /// the way from one to the other.
    pub fn blended(&self, from: Moment, to: Moment, weight: f32, coordinates: &mut Vec<f32>) {
        coordinates.clear();
        let pairs = self.steps_at(from).iter().zip(self.steps_at(to));
        coordinates.extend(pairs.zip(&self.steps).map(|((&here, &there), step)| {
            let (here, there) = (f32::from(here), f32::from(there));
            (here + (there - here) * weight) * step
        }));
    }

    /// The shape with these coordinates, in the group's frame: x, y, z of each
    /// vertex. What `shape` held before is discarded.
    pub fn shape(&self, coordinates: &[f32], shape: &mut Vec<f32>) {
        shape.clear();
        shape.extend_from_slice(&self.middle);
        let rank = self.rank().min(coordinates.len());
        // Four modes at a time: the shape is read and written a quarter as often.
        let (modes, last_modes) = self.basis[..rank].as_chunks::<4>();
        let (numbers, last_numbers) = coordinates[..rank].as_chunks::<4>();
        for ([first, second, third, fourth], [a, b, c, d]) in modes.iter().zip(numbers) {
            let components = first.iter().zip(second).zip(third).zip(fourth);
            for (place, (((x, y), z), w)) in shape.iter_mut().zip(components) {
                *place = *place + x * a + y * b + z * c + w * d;
            }
        }
        for (mode, &coordinate) in last_modes.iter().zip(last_numbers) {
            for (place, component) in shape.iter_mut().zip(mode) {
                *place += component * coordinate;
            }
        }
    }

    /// One vertex of that shape; the same bits.
    pub fn vertex(&self, coordinates: &[f32], vertex: u32) -> [f32; 3] {
        let first = 3 * vertex as usize;
        std::array::from_fn(|axis| {
            let modes = self.basis.iter().zip(coordinates);
            modes.fold(self.middle[first + axis], |place, (mode, coordinate)| place + mode[first + axis] * coordinate)
        })
    }
}

impl CompressedEnsemble {
    /// Checks the parts.
    ///
    /// # Errors
    /// Tables of the wrong size, attachments in a loop, numbers that are not
    /// finite.
    pub fn new(parts: CompressedParts) -> Result<Self, EnsembleError> {
        let order = order_of_tree(&parts.groups)?;
        check(&parts)?;
        let CompressedParts { name, groups, shapes, conditions, sequences, .. } = parts;
        let CompressedParts { frames_per_second, thickness, largest_error, .. } = parts;
        let parts = StructureParts { name, groups, conditions, sequences, frames_per_second, thickness };
        let structure = Structure::new(parts, order);
        let groups = structure.groups();
        let among_all = |Attachment { parent, anchor }: Attachment| {
            let first = structure.vertices_of(parent).start as u32;
            anchor.map(|vertex| first + vertex)
        };
        let anchors = groups.iter().map(|group| group.attachment.map(among_all)).collect();
        let parent = |(index, group): (usize, &Group)| group.attachment.map_or(index, |attachment| attachment.parent);
        let parents = groups.iter().enumerate().map(parent).collect();
        let leaders = (0..groups.len()).collect();
        let is_flat = groups.iter().all(|group| group.attachment.is_none());
        let [locals, places] = [(); 2].map(|()| ShapeCache::new(structure.sequences()));
        Ok(Self { structure, shapes, largest_error, anchors, parents, leaders, is_flat, locals, places })
    }

    /// A copy of what it is made from, to change it.
    pub fn to_parts(&self) -> CompressedParts {
        CompressedParts {
            name: self.name().to_owned(),
            groups: self.groups().to_vec(),
            shapes: self.shapes.clone(),
            conditions: self.conditions().to_vec(),
            sequences: self.sequences().to_vec(),
            frames_per_second: self.frames_per_second(),
            thickness: self.thickness(),
            largest_error: self.largest_error,
        }
    }

    /// The ensemble as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        COMPRESSED.seal(&self.content())
    }

    /// Reads such a file, also of release 0.1.
    ///
    /// # Errors
    /// When it is no such file, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, EnsembleError> {
        Self::new(COMPRESSED.open(bytes)?)
    }

    /// What a file has of it.
    pub(crate) fn content(&self) -> CompressedContent<'_> {
        CompressedContent {
            name: self.name(),
            groups: self.groups(),
            shapes: &self.shapes,
            conditions: self.conditions(),
            sequences: self.sequences(),
            frames_per_second: self.frames_per_second(),
            thickness: self.thickness(),
            largest_error: self.largest_error,
        }
    }

    /// The shapes of each group.
    pub fn shapes(&self) -> &[CompressedGroup] {
        &self.shapes
    }

    /// How far the farthest vertex of any frame is from where it was, metres.
    pub fn largest_error(&self) -> f64 {
        self.largest_error
    }

    /// How many coordinates all groups have together (r).
    pub fn rank(&self) -> usize {
        self.shapes.iter().map(CompressedGroup::rank).sum()
    }

    /// The size of shapes, modes and coordinates, bytes.
    pub fn bytes(&self) -> usize {
        let of = |shape: &CompressedGroup| {
            let floats = shape.middle.len() * (1 + shape.rank()) + shape.rank();
            4 * floats + 2 * shape.coordinates.iter().map(Vec::len).sum::<usize>()
        };
        self.shapes.iter().map(of).sum()
    }

    /// The frame of a group, given the vertices of its parent by their numbers.
    pub fn frame_of(&self, group: usize, parent: impl Fn(u32) -> [f32; 3]) -> Frame {
        match self.groups()[group].attachment {
            Some(attachment) => Frame::of_anchor(attachment.anchor.map(parent)),
            None => Frame::WORLD,
        }
    }

    /// Whether no group hangs on another.
    pub fn is_flat(&self) -> bool {
        self.is_flat
    }

    /// What a group hangs on; itself, if that is nothing.
    #[inline]
    pub(crate) fn parent_of(&self, group: usize) -> usize {
        self.parents[group]
    }

    /// With whom a group splices in a transition: with itself, unless
    /// [`Self::led_by_roots`].
    #[inline]
    pub(crate) fn leader_of(&self, group: usize) -> usize {
        self.leaders[group]
    }

    /// The same, but what hangs together splices at once when it is played: when
    /// the group does that hangs on nothing.
    #[must_use]
    pub(crate) fn led_by_roots(mut self) -> Self {
        for &group in self.structure.order() {
            let parent = self.parents[group];
            self.leaders[group] = if parent == group { group } else { self.leaders[parent] };
        }
        self
    }

    /// Where all vertices are at a moment. Made once and kept; `None` when as
    /// much is kept as may be.
    #[inline]
    pub(crate) fn places(&self, moment: Moment) -> Option<&[[f32; 3]]> {
        if self.is_flat() {
            return self.locals(moment);
        }
        self.places.get(moment, self.vertex_count() * size_of::<[f32; 3]>(), || {
            let mut positions = Vec::new();
            self.positions_at(moment, &mut positions);
            positions.into_boxed_slice()
        })
    }

    /// Where all vertices are at a moment, each in the frame of its group. Made
    /// once and kept; `None` when as much is kept as may be.
    #[inline]
    pub(crate) fn locals(&self, moment: Moment) -> Option<&[[f32; 3]]> {
        self.locals.get(moment, self.vertex_count() * size_of::<[f32; 3]>(), || {
            let (mut coordinates, mut shape) = (Vec::new(), Vec::new());
            let mut all = Vec::with_capacity(self.vertex_count());
            for group in &self.shapes {
                group.coordinates_at(moment, &mut coordinates);
                group.shape(&coordinates, &mut shape);
                all.extend_from_slice(shape.as_chunks::<3>().0);
            }
            all.into_boxed_slice()
        })
    }

    /// Where the vertices of a group are at a moment, in its own frame;
    /// `scratch` is memory that may be used for them.
    #[inline]
    pub(crate) fn local<'all>(
        &'all self,
        group: usize,
        moment: Moment,
        scratch: &'all mut Vec<f32>,
    ) -> &'all [[f32; 3]] {
        match self.locals(moment) {
            Some(all) => &all[self.vertices_of(group)],
            None => {
                let mut coordinates = Vec::new();
                self.shapes[group].coordinates_at(moment, &mut coordinates);
                self.shapes[group].shape(&coordinates, scratch);
                scratch.as_chunks::<3>().0
            }
        }
    }

    /// Makes the shapes of all moments now and keeps them, on all cores, as far
    /// as there is memory for them; else each is made when it is first shown.
    pub fn make_all(&self, progress: &Progress) -> Completion<()> {
        let moments: Vec<Moment> = self.moments().collect();
        let counter = progress.counter("making shapes", moments.len());
        let made = parallel::try_map(&moments, |&moment| {
            counter.count()?;
            let _ = (self.locals(moment), self.places(moment));
            Ok::<(), Stopped>(())
        });
        made.map(drop).finish()
    }

    /// How much memory is used for shapes that were made and kept, bytes.
    pub fn kept_bytes(&self) -> usize {
        self.locals.bytes() + self.places.bytes()
    }

    /// Puts the vertices of a group, given in its own frame, where they are,
    /// once its parent is there.
    #[inline]
    pub(crate) fn put(
        &self,
        group: usize,
        local: impl Iterator<Item = [f32; 3]>,
        frames: &mut Frames,
        positions: &mut [[f32; 3]],
    ) {
        let frame = frames.among(self, group, positions);
        let places = positions[self.vertices_of(group)].iter_mut().zip(local);
        match frame {
            None => places.for_each(|(place, vertex)| *place = vertex),
            Some(frame) => places.for_each(|(place, vertex)| *place = frame.to_world(vertex)),
        }
    }

    /// Where all vertices are if each group has the given coordinates. What
    /// `positions` held before is discarded.
    pub fn place(&self, coordinates: &[Vec<f32>], positions: &mut Vec<[f32; 3]>) {
        positions.clear();
        positions.resize(self.vertex_count(), [0.0; 3]);
        let (mut shape, mut frames) = (Vec::new(), Frames::default());
        for &group in self.order() {
            self.shapes[group].shape(&coordinates[group], &mut shape);
            self.put(group, shape.as_chunks::<3>().0.iter().copied(), &mut frames, positions);
        }
    }

    /// Where all vertices are a share of the way from a moment to another frame of its
    /// sequence, each group on a straight line in its own frame.
    pub(crate) fn positions_between(&self, moment: Moment, next: u32, share: f32, positions: &mut Vec<[f32; 3]>) {
        let next = Moment { frame: next, ..moment };
        positions.resize(self.vertex_count(), [0.0; 3]);
        let (mut scratch, mut other, mut frames) = (Vec::new(), Vec::new(), Frames::default());
        for &group in self.order() {
            let here = self.local(group, moment, &mut scratch);
            let there = self.local(group, next, &mut other);
            let between = here
                .iter()
                .zip(there)
                .map(|(here, there)| std::array::from_fn(|axis| here[axis] + (there[axis] - here[axis]) * share));
            self.put(group, between, &mut frames, positions);
        }
    }

    /// Where all vertices are at a moment.
    pub fn positions_at(&self, moment: Moment, positions: &mut Vec<[f32; 3]>) {
        positions.resize(self.vertex_count(), [0.0; 3]);
        let (mut scratch, mut frames) = (Vec::new(), Frames::default());
        for &group in self.order() {
            let local = self.local(group, moment, &mut scratch);
            self.put(group, local.iter().copied(), &mut frames, positions);
        }
    }
}

/// The frames of groups among vertices that are placed already: those of their
/// parents. Groups that follow the same vertices have the same.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frames {
    last: Option<([u32; 3], Frame)>,
}

impl Frames {
    #[inline]
    pub fn among(&mut self, data: &CompressedEnsemble, group: usize, positions: &[[f32; 3]]) -> Option<Frame> {
        let anchor = data.anchors[group]?;
        match self.last {
            Some((last, frame)) if last == anchor => Some(frame),
            _ => {
                let frame = Frame::of_anchor(anchor.map(|vertex| positions[vertex as usize]));
                self.last = Some((anchor, frame));
                Some(frame)
            }
        }
    }
}

fn check(parts: &CompressedParts) -> Result<(), EnsembleError> {
    let damaged = |what: String| EnsembleError::from(COMPRESSED.damaged(what));
    if parts.groups.is_empty() || parts.shapes.len() != parts.groups.len() {
        return Err(damaged(format!("there are {} groups, but {} shapes", parts.groups.len(), parts.shapes.len())));
    }
    for (group, shape) in parts.groups.iter().zip(&parts.shapes) {
        let wrong = |what: &str| Err(damaged(format!("the group \"{}\" has {what} of the wrong size", group.name)));
        let count = group.rest.len();
        if group.triangles.iter().flatten().any(|&vertex| vertex as usize >= count) {
            return wrong("triangles");
        }
        if let Some(attachment) = group.attachment {
            let vertices = parts.groups[attachment.parent].rest.len();
            if attachment.anchor.iter().any(|&vertex| vertex as usize >= vertices) {
                return wrong("an anchor");
            }
        }
        if shape.middle.len() != 3 * count || shape.basis.iter().any(|mode| mode.len() != 3 * count) {
            return wrong("modes");
        }
        let lengths = shape.coordinates.iter().zip(&parts.sequences);
        if shape.steps.len() != shape.rank()
            || shape.coordinates.len() != parts.sequences.len()
            || lengths.clone().any(|(steps, sequence)| steps.len() != sequence.frames * shape.rank())
        {
            return wrong("coordinates");
        }
        let numbers = shape.middle.iter().chain(shape.basis.iter().flatten()).chain(&shape.steps);
        if numbers.chain(group.rest.iter().flatten()).any(|x| !x.is_finite()) {
            return Err(damaged(format!("the group \"{}\" has a number that is not finite", group.name)));
        }
    }
    let known = parts.sequences.iter().all(|sequence| sequence.condition < parts.conditions.len());
    let rates = [parts.frames_per_second, parts.thickness].iter().all(|&x| x.is_finite() && x > 0.0);
    if !known || !rates || parts.sequences.iter().any(|sequence| sequence.frames == 0) {
        return Err(damaged("a sequence, the frame rate or the thickness is wrong".to_owned()));
    }
    Ok(())
}
