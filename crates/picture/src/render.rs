//! A clip at a moment, drawn.

use proscenium_clip::Clip;
use proscenium_view::Camera;
use proscenium_work::{Completion, Finish as _, Halt, Progress};

use crate::scene::Stage;
use crate::{Look, Picture, PictureError, trace};

/// Draws a clip as a camera sees it at a time, seconds.
///
/// The picture has the size that the look gives; the camera's aspect is set
/// to it. The bytes are the same for any number of threads. Every row of pixels
/// asks whether to go on.
///
/// # Errors
/// When the clip contradicts itself, the camera or the look makes no sense,
/// or the time is not finite.
///
/// ```
/// use proscenium_clip::Clip;
/// use proscenium_picture::{Look, frame_clip, render};
/// use proscenium_work::{Completion, Progress};
///
/// let clip = Clip::new("nothing yet");
/// let look = Look::sized(64, 36);
/// let camera = frame_clip(&clip, look.aspect())?;
/// let picture = render(&clip, 0.0, &camera, &look, &Progress::none())?.finished().expect("nobody stops it");
/// assert_eq!((picture.width, picture.height), (64, 36));
/// assert_eq!(render(&clip, 0.0, &camera, &look, &Progress::stopping_at(9))?, Completion::Stopped);
/// # Ok::<(), proscenium_picture::PictureError>(())
/// ```
pub fn render(
    clip: &Clip,
    time: f32,
    camera: &Camera,
    look: &Look,
    progress: &Progress,
) -> Result<Completion<Picture>, PictureError> {
    look.validate()?;
    clip.validate()?;
    render_stage(&Stage::new(clip), time, camera, look, progress).finish()
}

/// Draws a clip that is already prepared and checked.
pub(crate) fn render_stage(
    stage: &Stage,
    time: f32,
    camera: &Camera,
    look: &Look,
    progress: &Progress,
) -> Result<Picture, Halt<PictureError>> {
    if !time.is_finite() {
        let (what, value, allowed) = ("time", f64::from(time), "a finite number");
        return Err(PictureError::Setting { what, value, allowed }.into());
    }
    let camera = Camera { aspect: look.aspect(), ..*camera };
    camera.validate().map_err(PictureError::from)?;
    let rgba = trace::draw(&stage.at(time, look), &camera, look, progress)?;
    Ok(Picture { width: look.width, height: look.height, rgba })
}
