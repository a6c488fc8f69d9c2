//! How a picture is to look.

use glam::DVec3;

use crate::PictureError;
use crate::picture::check_size;

/// How a picture is to look. The default is a bright, quiet studio.
///
/// ```
/// use proscenium_picture::{Ground, Look, Trail};
///
/// let look = Look { ground: Ground::At(0.0), ..Look::sized(640, 360) }
///     .with_trail(Trail { ghosts: 6, spacing_secs: 0.1, ..Trail::default() });
/// assert_eq!((look.width, look.height), (640, 360));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Rays to the lamp, and as many to the sky, from each pixel: 1 to 64.
    /// Sixteen neighbouring pixels share theirs.
    pub light_samples: u32,
    /// Rays through each pixel that lies on an edge: 1 to 64.
    pub edge_samples: u32,
    /// The floor that bodies stand on and throw shadows on.
    pub ground: Ground,
    /// Linear colour of the ground, where the clip does not give one.
    pub ground_color: [f32; 3],
    /// Faint lines on the ground at round distances.
    pub grid: bool,
    /// Whether the lamp throws shadows.
    pub shadows: bool,
    /// Unit vector, or longer, towards the lamp; without one, the lamp hangs
    /// over the left shoulder of the viewer.
    pub towards_lamp: Option<DVec3>,
    /// Angle from the middle of the lamp to its rim, radians: 0 gives hard
    /// shadows, 0.1 soft ones.
    pub lamp_radius: f64,
    /// What is behind everything.
    pub background: Background,
    /// Earlier places of what moves, drawn faintly.
    pub trail: Option<Trail>,
}

/// The floor that bodies stand on and throw shadows on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ground {
    /// Where the clip's own floor is, or else at the lowest place of the
    /// action.
    Auto,
    /// At this height, metres.
    At(f64),
    /// No ground: things float.
    None,
}

/// What is behind everything: sRGB colours of the top and the bottom of the
/// picture, with a smooth change between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Background {
    /// Red, green, blue in `[0, 1]`, sRGB.
    pub top: [f32; 3],
    /// Red, green, blue in `[0, 1]`, sRGB.
    pub bottom: [f32; 3],
}

/// Earlier places of what moves, as under a stroboscope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trail {
    /// How many earlier places, 1 to 256.
    pub ghosts: u32,
    /// Time from one to the next, seconds.
    pub spacing_secs: f64,
    /// Opacity of the latest ghost, in `[0, 1]`; earlier ones fade evenly.
    pub opacity: f32,
}

impl Default for Trail {
    fn default() -> Self {
        Self { ghosts: 8, spacing_secs: 0.1, opacity: 0.55 }
    }
}

impl Default for Background {
    fn default() -> Self {
        Self { top: [0.79, 0.83, 0.88], bottom: [0.93, 0.93, 0.925] }
    }
}

impl Default for Look {
    fn default() -> Self {
        Self {
            width: 960,
            height: 540,
            light_samples: 4,
            edge_samples: 16,
            ground: Ground::Auto,
            ground_color: [0.66, 0.65, 0.635],
            grid: false,
            shadows: true,
            towards_lamp: None,
            lamp_radius: 0.09,
            background: Background::default(),
            trail: None,
        }
    }
}

impl Look {
    /// The default look in another size.
    pub fn sized(width: u32, height: u32) -> Self {
        Self { width, height, ..Self::default() }
    }

    /// The same look with a trail.
    pub fn with_trail(self, trail: Trail) -> Self {
        Self { trail: Some(trail), ..self }
    }

    /// Width over height.
    pub fn aspect(&self) -> f64 {
        f64::from(self.width) / f64::from(self.height.max(1))
    }

    /// Checks that sizes, counts and numbers are in range.
    ///
    /// # Errors
    /// Names the first setting that is not, and its range.
    pub fn validate(&self) -> Result<(), PictureError> {
        check_size(self.width, self.height)?;
        let within = |what, value: f64, low: f64, high: f64, allowed| {
            if (low..=high).contains(&value) { Ok(()) } else { Err(PictureError::Setting { what, value, allowed }) }
        };
        within("number of light samples", f64::from(self.light_samples), 1.0, 64.0, "from 1 to 64")?;
        within("number of edge samples", f64::from(self.edge_samples), 1.0, 64.0, "from 1 to 64")?;
        within("lamp's radius", self.lamp_radius, 0.0, 0.5, "from 0 to 0.5 radians")?;
        for color in [self.ground_color, self.background.top, self.background.bottom] {
            for part in color {
                within("colour of the ground or background", f64::from(part), 0.0, 1.0, "from 0 to 1")?;
            }
        }
        if let Ground::At(height) = self.ground {
            within("height of the ground", height, -1e12, 1e12, "finite, and below 1e12 m")?;
        }
        if let Some(lamp) = self.towards_lamp {
            within("length of the direction to the lamp", lamp.length(), 1e-9, 1e9, "finite and not zero")?;
        }
        if let Some(trail) = self.trail {
            within("number of ghosts", f64::from(trail.ghosts), 1.0, 256.0, "from 1 to 256")?;
            within("spacing of ghosts", trail.spacing_secs, 1e-6, 1e6, "from 1e-6 to 1e6 seconds")?;
            within("opacity of ghosts", f64::from(trail.opacity), 0.0, 1.0, "from 0 to 1")?;
        }
        Ok(())
    }
}
