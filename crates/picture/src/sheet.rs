//! Many pictures on one sheet.

use crate::font::{draw_text, fit, text_width};
use crate::{Picture, PictureError};

const PAPER: [u8; 4] = [250, 250, 248, 255];
const INK: [u8; 3] = [58, 62, 70];

/// Puts pictures side by side in rows, each with a label below it.
///
/// Cells are as large as the largest picture; smaller ones are centred.
/// Labels beyond the pictures are ignored, missing ones stay empty, and long
/// ones are shortened.
///
/// # Errors
/// When there is no picture or no column, or when the sheet would pass
/// [`LARGEST_SIDE`](crate::LARGEST_SIDE).
///
/// ```
/// use proscenium_picture::{Picture, contact_sheet};
///
/// let thumb = Picture::filled(80, 45, [200, 210, 220, 255])?;
/// let sheet = contact_sheet(&[thumb.clone(), thumb.clone(), thumb], &["one", "two", "three"], 2)?;
/// assert!(sheet.width > 160 && sheet.height > 90);
/// # Ok::<(), proscenium_picture::PictureError>(())
/// ```
pub fn contact_sheet(pictures: &[Picture], labels: &[impl AsRef<str>], columns: u32) -> Result<Picture, PictureError> {
    if pictures.is_empty() || columns == 0 {
        return Err(PictureError::Nothing { remedy: "give a contact sheet at least one picture and one column" });
    }
    let cell_width = pictures.iter().map(|picture| picture.width).max().unwrap_or(1);
    let cell_height = pictures.iter().map(|picture| picture.height).max().unwrap_or(1);
    let gap = (cell_width / 20).clamp(6, 24);
    let text = (cell_width as f32 / 26.0).clamp(7.0, 14.0);
    let label_height = if labels.iter().all(|label| label.as_ref().is_empty()) { 0 } else { (2.6 * text) as u32 };
    let used = columns.min(u32::try_from(pictures.len()).unwrap_or(u32::MAX));
    let rows = u32::try_from(pictures.len().div_ceil(used as usize)).unwrap_or(u32::MAX);
    let side = |count: u32, cell: u32| count.saturating_mul(cell.saturating_add(gap)).saturating_add(gap);
    let mut sheet = Picture::filled(side(used, cell_width), side(rows, cell_height + label_height), PAPER)?;
    for (index, picture) in pictures.iter().enumerate() {
        let (column, row) = (index as u32 % used, index as u32 / used);
        let left = gap + column * (cell_width + gap);
        let top = gap + row * (cell_height + label_height + gap);
        let x = left + (cell_width - picture.width) / 2;
        let y = top + (cell_height - picture.height) / 2;
        paste_rounded(&mut sheet, picture, x, y, gap as f32 * 0.5);
        if let Some(label) = labels.get(index) {
            let label = fit(label.as_ref(), text, cell_width as f32);
            let middle = left as f32 + 0.5 * (cell_width as f32 - text_width(&label, text));
            let base = (top + cell_height) as f32 + 1.9 * text;
            draw_text(&mut sheet, &label, middle, base, text, INK);
        }
    }
    Ok(sheet)
}

/// Pastes a picture with round corners.
fn paste_rounded(sheet: &mut Picture, picture: &Picture, left: u32, top: u32, radius: f32) {
    let (width, height) = (picture.width as f32, picture.height as f32);
    let radius = radius.min(0.5 * width).min(0.5 * height);
    for row in 0..picture.height {
        for column in 0..picture.width {
            let (x, y) = (column as f32 + 0.5, row as f32 + 0.5);
            let dx = (radius - x).max(x - (width - radius)).max(0.0);
            let dy = (radius - y).max(y - (height - radius)).max(0.0);
            let outside = (dx * dx + dy * dy).sqrt() - radius;
            let [red, green, blue, opacity] = picture.pixel(column, row);
            let coverage = (0.5 - outside).clamp(0.0, 1.0) * f32::from(opacity) / 255.0;
            let under = sheet.pixel(left + column, top + row);
            let mix = |new: u8, old: u8| (f32::from(old) + (f32::from(new) - f32::from(old)) * coverage + 0.5) as u8;
            let mixed = [mix(red, under[0]), mix(green, under[1]), mix(blue, under[2]), 255];
            sheet.set_pixel(left + column, top + row, mixed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_and_label_is_on_the_sheet() {
        let colors = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [9, 9, 9, 255], [80, 80, 0, 255]];
        let pictures: Vec<_> = colors.iter().map(|&color| Picture::filled(60, 40, color).unwrap()).collect();
        let sheet = contact_sheet(&pictures, &["a", "b", "c", "d", "e"], 3).unwrap();
        for color in colors {
            assert!(sheet.rgba.chunks_exact(4).filter(|pixel| *pixel == color).count() > 60 * 40 * 9 / 10);
        }
        let plain = contact_sheet(&pictures, &[""; 5], 3).unwrap();
        assert!(plain.height < sheet.height);
    }

    #[test]
    fn impossible_sheets_are_refused() {
        let picture = Picture::filled(4096, 10, [0; 4]).unwrap();
        let none: [&str; 0] = [];
        assert!(matches!(contact_sheet(&[], &none, 3), Err(PictureError::Nothing { .. })));
        assert!(matches!(contact_sheet(std::slice::from_ref(&picture), &none, 0), Err(PictureError::Nothing { .. })));
        assert!(matches!(contact_sheet(&[picture.clone(), picture], &none, 2), Err(PictureError::Size { .. })));
    }
}
