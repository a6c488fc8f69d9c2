//! Pixels in memory and as PNG.

use std::path::Path;

use proscenium_work::write_file;

use crate::PictureError;

/// The largest width or height of a picture, pixels.
pub const LARGEST_SIDE: u32 = 8192;

/// A finished picture: rows from the top, sRGB and opacity, a byte each.
///
/// ```
/// use proscenium_picture::Picture;
///
/// let mut picture = Picture::filled(4, 3, [255, 255, 255, 255])?;
/// picture.set_pixel(1, 2, [255, 0, 0, 255]);
/// assert_eq!(picture.pixel(1, 2), [255, 0, 0, 255]);
/// assert_eq!(&picture.to_png()?[1..4], b"PNG");
/// # Ok::<(), proscenium_picture::PictureError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Red, green, blue and opacity of each pixel, row by row from the top.
    pub rgba: Vec<u8>,
}

pub(crate) fn check_size(width: u32, height: u32) -> Result<(), PictureError> {
    let fits = |side| (1..=LARGEST_SIDE).contains(&side);
    if fits(width) && fits(height) { Ok(()) } else { Err(PictureError::Size { width, height, limit: LARGEST_SIDE }) }
}

impl Picture {
    /// A picture of one colour.
    ///
    /// # Errors
    /// When a side is zero or above [`LARGEST_SIDE`].
    pub fn filled(width: u32, height: u32, color: [u8; 4]) -> Result<Self, PictureError> {
        check_size(width, height)?;
        let pixels = width as usize * height as usize;
        Ok(Self { width, height, rgba: color.repeat(pixels) })
    }

    fn offset(&self, column: u32, row: u32) -> Option<usize> {
        let inside = column < self.width && row < self.height;
        inside.then(|| 4 * (row as usize * self.width as usize + column as usize))
    }

    /// The colour of a pixel; transparent black beside the picture.
    pub fn pixel(&self, column: u32, row: u32) -> [u8; 4] {
        self.offset(column, row).and_then(|offset| self.rgba.get(offset..offset + 4)?.try_into().ok()).unwrap_or([0; 4])
    }

    /// Changes the colour of a pixel; beside the picture, nothing happens.
    pub fn set_pixel(&mut self, column: u32, row: u32, color: [u8; 4]) {
        if let Some(place) = self.offset(column, row).and_then(|offset| self.rgba.get_mut(offset..offset + 4)) {
            place.copy_from_slice(&color);
        }
    }

    /// Copies another picture over this one, with its top left corner at a
    /// place; what would lie outside is left out.
    pub fn paste(&mut self, other: &Self, column: u32, row: u32) {
        for y in 0..other.height {
            for x in 0..other.width {
                self.set_pixel(column.saturating_add(x), row.saturating_add(y), other.pixel(x, y));
            }
        }
    }

    /// The picture as the bytes of a PNG file.
    ///
    /// # Errors
    /// When the fields contradict each other.
    pub fn to_png(&self) -> Result<Vec<u8>, PictureError> {
        check_size(self.width, self.height)?;
        let expected = 4 * self.width as usize * self.height as usize;
        if self.rgba.len() != expected {
            let (width, height, actual) = (self.width, self.height, self.rgba.len());
            return Err(PictureError::Bytes { width, height, expected, actual });
        }
        let encoded = if self.rgba.chunks_exact(4).all(|pixel| pixel[3] == 255) {
            // An opaque picture needs no opacity channel: a quarter less to pack.
            let rgb: Vec<u8> = self.rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
            self.packed(png::ColorType::Rgb, &rgb)
        } else {
            self.packed(png::ColorType::Rgba, &self.rgba)
        };
        encoded.map_err(|error| PictureError::Encode(error.to_string()))
    }

    fn packed(&self, color: png::ColorType, bytes: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
        let mut packed = Vec::new();
        let mut encoder = png::Encoder::new(&mut packed, self.width, self.height);
        encoder.set_color(color);
        encoder.set_filter(png::Filter::Adaptive);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(bytes)?;
        writer.finish()?;
        Ok(packed)
    }

    /// Writes a PNG file, whole or not at all.
    ///
    /// # Errors
    /// When the fields contradict each other, or the file cannot be written.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), PictureError> {
        let (path, bytes) = (path.as_ref(), self.to_png()?);
        write_file(path, &bytes).map_err(|source| PictureError::Write { path: path.to_owned(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(picture: &Picture) -> (png::ColorType, Vec<u8>) {
        let file = std::io::Cursor::new(picture.to_png().unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((info.width, info.height), (picture.width, picture.height));
        (info.color_type, bytes)
    }

    #[test]
    fn png_keeps_every_pixel() {
        let mut picture = Picture::filled(17, 9, [1, 2, 3, 255]).unwrap();
        for i in 0..17 {
            picture.set_pixel(i, i % 9, [i as u8 * 15, 200, 7, 255 - i as u8]);
        }
        assert_eq!(read(&picture), (png::ColorType::Rgba, picture.rgba));
        let opaque = Picture::filled(5, 4, [9, 8, 7, 255]).unwrap();
        assert_eq!(read(&opaque), (png::ColorType::Rgb, [9, 8, 7].repeat(20)));
    }

    #[test]
    fn contradictions_are_refused() {
        let picture = Picture { width: 2, height: 2, rgba: vec![0; 15] };
        assert!(matches!(picture.to_png(), Err(PictureError::Bytes { expected: 16, actual: 15, .. })));
        assert!(Picture::filled(0, 5, [0; 4]).is_err());
        assert!(Picture::filled(8193, 5, [0; 4]).is_err());
        assert_eq!(picture.pixel(1, 1), [0; 4], "a short buffer is no reason to panic");
    }

    #[test]
    fn files_are_whole_and_leave_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let picture = Picture::filled(3, 3, [5; 4]).unwrap();
        picture.write_png(folder.path().join("a.png")).unwrap();
        assert!(picture.write_png(folder.path().join("missing/a.png")).is_err());
        let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["a.png"]);
    }
}
