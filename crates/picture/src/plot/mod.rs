//! Plots for reports: lines, points, bars and bands, as SVG.
//!
//! ```
//! use proscenium_picture::plot::{Plot, Scale};
//!
//! let svg = Plot::new("Speedup over the synchronous simulator")
//!     .x("bodies", Scale::Log)
//!     .y("speedup", Scale::Log)
//!     .line("measured", [(1.0, 1.1), (8.0, 3.9), (64.0, 14.2)])
//!     .paper_line("Chenney 2000, table 3.1", [(1.0, 1.0), (8.0, 3.2), (64.0, 12.1)])
//!     .to_svg()?;
//! assert!(svg.starts_with("<svg") && svg.contains("measured"));
//! # Ok::<(), proscenium_picture::PictureError>(())
//! ```

mod axis;
mod draw;

use std::path::Path;

use proscenium_work::write_file;

use crate::PictureError;

/// How numbers are laid along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences have equal lengths.
    Linear,
    /// Equal ratios have equal lengths; all numbers must be positive.
    Log,
}

/// A plot under construction: name the axes, add series, write the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    title: String,
    x: Axis,
    y: Axis,
    categories: Vec<String>,
    series: Vec<Series>,
    width: u32,
    height: u32,
}

#[derive(Clone, Debug, PartialEq)]
struct Axis {
    label: String,
    scale: Scale,
}

#[derive(Clone, Debug, PartialEq)]
struct Series {
    name: String,
    kind: Kind,
    points: Vec<(f64, f64)>,
    /// Of a band: the upper ends.
    upper: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Line,
    Points,
    Paper,
    Bars,
    Band,
}

impl Plot {
    /// A plot with linear axes without labels.
    pub fn new(title: impl Into<String>) -> Self {
        let axis = Axis { label: String::new(), scale: Scale::Linear };
        Self {
            title: title.into(),
            x: axis.clone(),
            y: axis,
            categories: Vec::new(),
            series: Vec::new(),
            width: 720,
            height: 440,
        }
    }

    /// Another size than 720 × 440, pixels; from 240 × 180 to 4096 × 4096.
    #[must_use]
    pub fn size(mut self, width: u32, height: u32) -> Self {
        self.width = width.clamp(240, 4096);
        self.height = height.clamp(180, 4096);
        self
    }

    /// Label (with its unit) and scale of the horizontal axis.
    #[must_use]
    pub fn x(mut self, label: impl Into<String>, scale: Scale) -> Self {
        self.x = Axis { label: label.into(), scale };
        self
    }

    /// Label (with its unit) and scale of the vertical axis.
    #[must_use]
    pub fn y(mut self, label: impl Into<String>, scale: Scale) -> Self {
        self.y = Axis { label: label.into(), scale };
        self
    }

    /// Names for x = 0, 1, 2, … in place of numbers.
    #[must_use]
    pub fn categories<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.categories = names.into_iter().map(Into::into).collect();
        self
    }

    /// Points joined by a line, each marked.
    #[must_use]
    pub fn line(self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.with(name, Kind::Line, points)
    }

    /// Points on their own.
    #[must_use]
    pub fn points(self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.with(name, Kind::Points, points)
    }

    /// What somebody else reports, to compare with: dashed grey.
    #[must_use]
    pub fn paper_line(self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.with(name, Kind::Paper, points)
    }

    /// Bars from the foot of the plot. Bars of several series stand side by
    /// side.
    #[must_use]
    pub fn bars(self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.with(name, Kind::Bars, points)
    }

    /// A range for each x, as x, low and high: drawn in the colour of the
    /// series that is added next, and not in the legend.
    #[must_use]
    pub fn band(self, points: impl IntoIterator<Item = (f64, f64, f64)>) -> Self {
        let points: Vec<_> = points.into_iter().collect();
        let mut plot = self.with("band", Kind::Band, points.iter().map(|&(x, low, _)| (x, low)));
        if let Some(band) = plot.series.last_mut() {
            band.upper = points.iter().map(|&(_, _, high)| high).collect();
        }
        plot
    }

    fn with(mut self, name: impl Into<String>, kind: Kind, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let (name, points) = (name.into(), points.into_iter().collect());
        self.series.push(Series { name, kind, points, upper: Vec::new() });
        self
    }

    /// The plot as the text of an SVG file.
    ///
    /// # Errors
    /// When there is no point, or a number is not finite or, on a logarithmic
    /// axis, not positive.
    pub fn to_svg(&self) -> Result<String, PictureError> {
        self.check()?;
        draw::draw(self)
    }

    /// Writes an SVG file, whole or not at all.
    ///
    /// # Errors
    /// As [`Plot::to_svg`], and when the file cannot be written.
    pub fn write_svg(&self, path: impl AsRef<Path>) -> Result<(), PictureError> {
        let (path, text) = (path.as_ref(), self.to_svg()?);
        write_file(path, text.as_bytes()).map_err(|source| PictureError::Write { path: path.to_owned(), source })
    }

    fn check(&self) -> Result<(), PictureError> {
        if self.series.iter().all(|series| series.points.is_empty()) {
            return Err(PictureError::Nothing { remedy: "give a plot at least one point" });
        }
        for series in &self.series {
            for (index, &(x, y)) in series.points.iter().enumerate() {
                check_value(series, "x", index, x, self.x.scale)?;
                check_value(series, "y", index, y, self.y.scale)?;
            }
            for (index, &y) in series.upper.iter().enumerate() {
                check_value(series, "y", index, y, self.y.scale)?;
            }
        }
        Ok(())
    }
}

fn check_value(
    series: &Series,
    axis: &'static str,
    index: usize,
    value: f64,
    scale: Scale,
) -> Result<(), PictureError> {
    let remedy = if !value.is_finite() || value.abs() > 1e300 {
        "leave out points that are not finite"
    } else if scale == Scale::Log && value < 1e-300 {
        "a logarithmic axis needs positive numbers"
    } else {
        return Ok(());
    };
    Err(PictureError::PlotValue { series: series.name.clone(), axis, index, value, remedy })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_work::Remedy as _;

    #[test]
    fn bad_numbers_are_named() {
        let plot = Plot::new("t").x("n", Scale::Log).line("ours", [(1.0, 2.0), (0.0, 3.0)]);
        let message = plot.to_svg().unwrap_err().explain();
        assert!(message.contains("ours") && message.contains("index 1") && message.contains("positive"), "{message}");
        assert!(Plot::new("t").line("a", [(1.0, f64::NAN)]).to_svg().is_err());
        assert!(Plot::new("t").band([(1.0, 1.0, f64::INFINITY)]).to_svg().is_err());
        assert!(matches!(Plot::new("t").to_svg(), Err(PictureError::Nothing { .. })));
    }

    #[test]
    fn names_are_escaped_and_everything_is_named() {
        let svg = Plot::new("a < b & c")
            .x("time (s)", Scale::Linear)
            .y("height (m)", Scale::Linear)
            .line("fall", [(0.0, 1.0), (1.0, 0.0)])
            .points("drop", [(0.5, 0.7)])
            .paper_line("paper", [(0.0, 1.1), (1.0, 0.1)])
            .to_svg()
            .unwrap();
        for name in ["a &lt; b &amp; c", "time (s)", "height (m)", "fall", "drop", "paper"] {
            assert!(svg.contains(name), "{name} is missing");
        }
    }

    #[test]
    fn one_point_or_equal_points_have_a_plot() {
        for points in [vec![(0.0, 0.0)], vec![(5.0, 5.0); 3], vec![(1e-9, 1e9)], vec![(-1e300, 1e300), (1e300, -1e300)]]
        {
            for kind in [Kind::Line, Kind::Points, Kind::Paper, Kind::Bars] {
                let svg = Plot::new("t").with("s", kind, points.clone()).to_svg().unwrap();
                assert!(!svg.contains("NaN") && !svg.contains("inf"));
            }
        }
        assert!(Plot::new("t").x("x", Scale::Log).y("y", Scale::Log).line("s", [(3.0, 3.0)]).to_svg().is_ok());
    }
}
