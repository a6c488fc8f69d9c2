//! What is drawn of an ensemble.

use proscenium_picture::{Picture, PictureError};

/// How long the side of a square is, pixels, and how far squares are apart.
const SIDE: u32 = 220;
const GAP: u32 = 10;

/// What transitions cost, from each moment to each other (James and others 2007,
/// figure 4): a square for each matrix, a row for each departure, a column for each
/// destination; the darker, the cheaper.
///
/// # Errors
/// More squares than fit in a picture.
///
/// ```
/// let cheap_at_home = vec![vec![0.0, 1.0], vec![1.0, 0.0]];
/// let picture = proscenium_show::ensemble::costs(&[cheap_at_home])?;
/// assert_eq!((picture.width, picture.height), (240, 240));
/// # Ok::<(), proscenium_picture::PictureError>(())
/// ```
pub fn costs(matrices: &[Vec<Vec<f64>>]) -> Result<Picture, PictureError> {
    let most = matrices.iter().flatten().flatten().copied().fold(0.0, f64::max);
    let panels = u32::try_from(matrices.len()).unwrap_or(u32::MAX);
    let width = panels.saturating_mul(SIDE + GAP).saturating_add(GAP);
    let mut picture = Picture::filled(width, SIDE + 2 * GAP, [255; 4])?;
    for (panel, matrix) in (0..).zip(matrices) {
        let cell = SIDE / matrix.len().max(1) as u32;
        for (row, costs) in (0..).zip(matrix) {
            for (column, &cost) in (0..).zip(costs) {
                let shade = (255.0 * (cost / most.max(f64::MIN_POSITIVE)).sqrt()) as u8;
                let corner = (GAP + panel * (SIDE + GAP) + column * cell, GAP + row * cell);
                for pixel in 0..cell * cell {
                    let place = (corner.0 + pixel % cell, corner.1 + pixel / cell);
                    picture.set_pixel(place.0, place.1, [shade, shade, shade / 2 + 127, 255]);
                }
            }
        }
    }
    Ok(picture)
}
