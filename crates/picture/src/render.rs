//! A clip at a moment, drawn.

use proscenium_clip::Clip;
use proscenium_view::Camera;

use crate::scene::Stage;
use crate::{Look, Picture, PictureError, trace};

/// Draws a clip as a camera sees it at a time, seconds.
///
/// The picture has the size that the look gives; the camera's aspect is set
/// to it. The bytes are the same for any number of threads.
///
/// # Errors
/// When the clip contradicts itself, the camera or the look makes no sense,
/// or the time is not finite.
///
/// ```
/// use proscenium_clip::Clip;
/// use proscenium_picture::{Look, frame_clip, render};
///
/// let clip = Clip::new("nothing yet");
/// let look = Look::sized(64, 36);
/// let picture = render(&clip, 0.0, &frame_clip(&clip, look.aspect())?, &look)?;
/// assert_eq!((picture.width, picture.height), (64, 36));
/// # Ok::<(), proscenium_picture::PictureError>(())
/// ```
pub fn render(clip: &Clip, time: f32, camera: &Camera, look: &Look) -> Result<Picture, PictureError> {
    look.validate()?;
    clip.validate()?;
    render_stage(&Stage::new(clip), time, camera, look)
}

/// Draws a clip that is already prepared and checked.
pub(crate) fn render_stage(stage: &Stage, time: f32, camera: &Camera, look: &Look) -> Result<Picture, PictureError> {
    if !time.is_finite() {
        return Err(PictureError::Setting { what: "time", value: f64::from(time), allowed: "a finite number" });
    }
    let camera = Camera { aspect: look.aspect(), ..*camera };
    camera.validate()?;
    let rgba = trace::draw(&stage.at(time, look), &camera, look);
    Ok(Picture { width: look.width, height: look.height, rgba })
}
