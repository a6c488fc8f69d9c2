//! Numbers in the binary chunk. Every offset, stride and count is checked
//! against the bytes that are there before anything is read or allocated.

use crate::ClipError;

use super::schema::{Document, Kind, Sparse};

/// A file may unfold to this many times its own size, because parts of it can
/// be used more than once.
const LARGEST_GROWTH: u64 = 32;
const ALWAYS_ALLOWED: u64 = 64 << 20;

/// A file in memory, with how much more it may unfold to.
pub(super) struct Source<'a> {
    pub document: &'a Document,
    binary: &'a [u8],
    bytes_left: u64,
}

impl<'a> Source<'a> {
    pub(super) fn new(document: &'a Document, binary: &'a [u8], file_size: usize) -> Self {
        let bytes_left = (file_size as u64).saturating_mul(LARGEST_GROWTH).saturating_add(ALWAYS_ALLOWED);
        Source { document, binary, bytes_left }
    }

    /// Asks to allocate room for items, and returns their number as it was.
    pub(super) fn charge<T>(&mut self, place: &str, items: u64) -> Result<usize, ClipError> {
        let bytes = items.saturating_mul(size_of::<T>().max(1) as u64);
        let refused =
            || ClipError::malformed(place, format!("it unfolds to {items} items, far more than the file's size"));
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or_else(refused)?;
        usize::try_from(items).map_err(|_| refused())
    }

    /// The numbers that an accessor describes; `place` is who asks.
    pub(super) fn accessor(&mut self, index: usize, kind: Kind, place: &str) -> Result<Numbers<'a>, ClipError> {
        let accessors = &self.document.accessors;
        let accessor = accessors.get(index).ok_or_else(|| {
            ClipError::malformed(place, format!("it uses accessor {index}, and there are {}", accessors.len()))
        })?;
        let place = format!("accessors[{index}]");
        if accessor.kind != kind {
            return Err(ClipError::malformed(place, format!("it is of type {:?} in place of {kind:?}", accessor.kind)));
        }
        let component = Component::new(accessor.component_type, &place)?;
        let mut numbers = Numbers {
            bytes: &[],
            stride: 0,
            width: width(kind),
            count: accessor.count,
            component,
            normalized: accessor.normalized,
            replaced: None,
        };
        // Without a view, all numbers are zero.
        if let Some(view) = accessor.buffer_view {
            numbers.place(self, view, accessor.byte_offset, &place)?;
        }
        if let Some(sparse) = &accessor.sparse {
            numbers.replaced = Some(Box::new(self.replaced(sparse, &numbers, &place)?));
        }
        Ok(numbers)
    }

    fn replaced(&mut self, sparse: &Sparse, base: &Numbers, place: &str) -> Result<Replaced<'a>, ClipError> {
        // Not for its memory, but for the time to check it each time it is used.
        self.charge::<u32>(place, sparse.count)?;
        let mut list = Numbers {
            bytes: &[],
            stride: 0,
            width: 1,
            count: sparse.count,
            component: Component::new(sparse.indices.component_type, place)?,
            normalized: false,
            replaced: None,
        };
        list.place(self, sparse.indices.buffer_view, sparse.indices.byte_offset, place)?;
        let mut values = Numbers { count: sparse.count, bytes: &[], stride: 0, replaced: None, ..*base };
        values.place(self, sparse.values.buffer_view, sparse.values.byte_offset, place)?;
        let mut previous = None;
        for at in 0..list.count {
            let index = list.index(at, place)?;
            if u64::from(index) >= base.count || previous.is_some_and(|before| before >= index) {
                return Err(ClipError::malformed(
                    place,
                    format!("sparse index {index} is out of range or out of order"),
                ));
            }
            previous = Some(index);
        }
        Ok(Replaced { list, values })
    }

    fn view(&self, index: usize, place: &str) -> Result<(&'a [u8], Option<u64>), ClipError> {
        let views = &self.document.buffer_views;
        let view = views.get(index).ok_or_else(|| {
            ClipError::malformed(place, format!("it uses buffer view {index}, and there are {}", views.len()))
        })?;
        let place = format!("bufferViews[{index}]");
        let buffer = self.document.buffers.get(view.buffer);
        match buffer {
            Some(buffer) if view.buffer == 0 && buffer.uri.is_none() => {}
            Some(_) => {
                return Err(ClipError::Unsupported {
                    place: format!("buffers[{}]", view.buffer),
                    feature: "data outside of the binary chunk".to_string(),
                    remedy: "export as a single .glb file",
                });
            }
            None => return Err(ClipError::malformed(place, format!("there is no buffer {}", view.buffer))),
        }
        let bytes = slice(self.binary, view.byte_offset, Some(view.byte_length)).ok_or_else(|| {
            let (offset, length, size) = (view.byte_offset, view.byte_length, self.binary.len());
            ClipError::malformed(
                place,
                format!("{length} bytes at {offset} do not fit in the {size} of the binary chunk"),
            )
        })?;
        Ok((bytes, view.byte_stride))
    }
}

fn slice(bytes: &[u8], offset: u64, length: Option<u64>) -> Option<&[u8]> {
    let rest = bytes.get(usize::try_from(offset).ok()?..)?;
    match length {
        Some(length) => rest.get(..usize::try_from(length).ok()?),
        None => Some(rest),
    }
}

fn width(kind: Kind) -> usize {
    match kind {
        Kind::Scalar => 1,
        Kind::Vec2 => 2,
        Kind::Vec3 => 3,
        Kind::Vec4 | Kind::Mat2 => 4,
        Kind::Mat3 => 9,
        Kind::Mat4 => 16,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn new(code: u32, place: &str) -> Result<Self, ClipError> {
        Ok(match code {
            5120 => Component::I8,
            5121 => Component::U8,
            5122 => Component::I16,
            5123 => Component::U16,
            5125 => Component::U32,
            5126 => Component::F32,
            _ => return Err(ClipError::malformed(place, format!("there is no component type {code}"))),
        })
    }

    fn size(self) -> usize {
        match self {
            Component::I8 | Component::U8 => 1,
            Component::I16 | Component::U16 => 2,
            Component::U32 | Component::F32 => 4,
        }
    }
}

/// Vectors of a fixed width, spread over bytes.
pub(super) struct Numbers<'a> {
    /// Empty if all are zero.
    bytes: &'a [u8],
    stride: usize,
    width: usize,
    pub count: u64,
    component: Component,
    normalized: bool,
    replaced: Option<Box<Replaced<'a>>>,
}

/// What a sparse accessor puts in place of its base.
struct Replaced<'a> {
    /// Which vectors, in increasing order.
    list: Numbers<'a>,
    values: Numbers<'a>,
}

impl<'a> Numbers<'a> {
    /// Finds the bytes, and checks that all vectors lie within them.
    fn place(&mut self, source: &Source<'a>, view: usize, offset: u64, place: &str) -> Result<(), ClipError> {
        let (bytes, stride) = source.view(view, place)?;
        let packed = self.width * self.component.size();
        let stride = stride.unwrap_or(packed as u64);
        if stride < packed as u64 {
            return Err(ClipError::malformed(place, format!("a stride of {stride} is less than its {packed} bytes")));
        }
        let available = slice(bytes, offset, None).map_or(0, <[u8]>::len) as u64;
        let last_start = self.count.checked_sub(1).map(|last| last.checked_mul(stride));
        let needed = match last_start {
            None => Some(0),
            Some(start) => start.and_then(|start| start.checked_add(packed as u64)),
        };
        if needed.is_none_or(|needed| needed > available) {
            let count = self.count;
            return Err(ClipError::malformed(place, format!("{count} items do not fit in buffer view {view}")));
        }
        self.bytes = slice(bytes, offset, None).unwrap_or_default();
        // Less than the bytes, or never used because there is but one item.
        self.stride = usize::try_from(stride).unwrap_or(0);
        Ok(())
    }

    /// Where the vector that stands for `index` is.
    fn find(&self, index: u64) -> (&Numbers<'a>, u64) {
        let Some(replaced) = &self.replaced else {
            return (self, index);
        };
        let (mut low, mut high) = (0, replaced.list.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match u64::from(replaced.list.integer(middle)) {
                found if found == index => return (&replaced.values, middle),
                found if found < index => low = middle + 1,
                _ => high = middle,
            }
        }
        (self, index)
    }

    /// Zero beyond the end, and where there are no bytes.
    fn component<const SIZE: usize>(&self, index: u64, component: usize) -> [u8; SIZE] {
        let start = (index as usize).saturating_mul(self.stride).saturating_add(component * SIZE);
        self.bytes.get(start..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; SIZE])
    }

    fn integer(&self, index: u64) -> u32 {
        match self.component {
            Component::I8 | Component::U8 => u32::from(u8::from_le_bytes(self.component(index, 0))),
            Component::I16 | Component::U16 => u32::from(u16::from_le_bytes(self.component(index, 0))),
            Component::U32 | Component::F32 => u32::from_le_bytes(self.component(index, 0)),
        }
    }

    /// A scalar that counts something.
    pub(super) fn index(&self, index: u64, place: &str) -> Result<u32, ClipError> {
        match self.component {
            Component::U8 | Component::U16 | Component::U32 => {
                let (numbers, index) = self.find(index);
                Ok(numbers.integer(index))
            }
            other => Err(ClipError::malformed(place, format!("indices are of type {other:?}, which is not unsigned"))),
        }
    }

    /// A vector of `N` components, which is the width of the accessor.
    pub(super) fn vector<const N: usize>(&self, index: u64) -> [f32; N] {
        let (numbers, index) = self.find(index);
        std::array::from_fn(|component| numbers.float(index, component))
    }

    fn float(&self, index: u64, component: usize) -> f32 {
        let (value, largest) = match self.component {
            Component::F32 => return f32::from_le_bytes(self.component(index, component)),
            Component::U32 => return u32::from_le_bytes(self.component(index, component)) as f32,
            Component::I8 => (f32::from(i8::from_le_bytes(self.component(index, component))), 127.0),
            Component::U8 => (f32::from(u8::from_le_bytes(self.component(index, component))), 255.0),
            Component::I16 => (f32::from(i16::from_le_bytes(self.component(index, component))), 32767.0),
            Component::U16 => (f32::from(u16::from_le_bytes(self.component(index, component))), 65535.0),
        };
        if self.normalized { (value / largest).max(-1.0) } else { value }
    }

    /// All vectors, with a check that they are finite.
    pub(super) fn vectors<const N: usize>(&self, source: &mut Source, place: &str) -> Result<Vec<[f32; N]>, ClipError> {
        let count = source.charge::<[f32; N]>(place, self.count)?;
        let mut vectors = Vec::with_capacity(count);
        for index in 0..self.count {
            vectors.push(self.finite_vector(index, place)?);
        }
        Ok(vectors)
    }

    /// A vector of finite numbers.
    pub(super) fn finite_vector<const N: usize>(&self, index: u64, place: &str) -> Result<[f32; N], ClipError> {
        let vector = self.vector(index);
        if vector.iter().all(|number| number.is_finite()) {
            return Ok(vector);
        }
        Err(ClipError::malformed(place, format!("item {index} is {vector:?}, which is not finite")))
    }
}
