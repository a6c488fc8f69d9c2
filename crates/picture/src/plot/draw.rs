//! The drawing of a plot, in quarters of a pixel on plotters' SVG backend.

use plotters::prelude::{
    DrawingBackend, IntoFont, IntoTextStyle, RGBAColor, RGBColor, SVGBackend, ShapeStyle, TextStyle, WHITE,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, FontTransform};

use super::axis::Range;
use super::{Kind, Plot, Scale, Series};
use crate::PictureError;

/// The backend knows whole units only: four of them make a pixel.
const UNIT: f64 = 4.0;

const FONT: &str = "Helvetica, Arial, sans-serif";
const TEXT: RGBColor = RGBColor(45, 49, 57);
const FAINT_TEXT: RGBColor = RGBColor(92, 98, 108);
const AXIS: RGBColor = RGBColor(150, 156, 165);
const GRID: RGBColor = RGBColor(226, 229, 233);
const FAINT_GRID: RGBColor = RGBColor(241, 243, 245);
const PAPER: RGBColor = RGBColor(125, 130, 138);

/// Told apart by colour-blind readers too (after Okabe and Ito).
const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(90, 74, 140),
];

const TITLE_SIZE: f64 = 17.0;
const LABEL_SIZE: f64 = 13.0;
const TICK_SIZE: f64 = 12.0;

/// Draws a plot whose numbers are checked.
pub(super) fn draw(plot: &Plot) -> Result<String, PictureError> {
    let mut svg = String::new();
    let size = |pixels: u32| pixels * UNIT as u32;
    {
        let mut canvas = Canvas { backend: SVGBackend::with_string(&mut svg, (size(plot.width), size(plot.height))) };
        canvas.rectangle((0.0, 0.0), (f64::from(plot.width), f64::from(plot.height)), WHITE.to_rgba())?;
        Layout::of(plot).draw(plot, &mut canvas)?;
        canvas.backend.present().map_err(refused)?;
    }
    // The picture is shown at its size in pixels; its units stay fine.
    let fine = format!("width=\"{}\" height=\"{}\"", size(plot.width), size(plot.height));
    let shown = format!("width=\"{}\" height=\"{}\"", plot.width, plot.height);
    Ok(svg.replacen(&fine, &shown, 1))
}

fn refused(error: impl std::fmt::Display) -> PictureError {
    PictureError::Encode(error.to_string())
}

type Place = (f64, f64);

/// Draws in pixels.
struct Canvas<'a> {
    backend: SVGBackend<'a>,
}

fn fine((x, y): Place) -> (i32, i32) {
    (libm::round(x * UNIT) as i32, libm::round(y * UNIT) as i32)
}

fn pen(color: RGBAColor, width: f64) -> ShapeStyle {
    ShapeStyle { color, filled: false, stroke_width: libm::round(width * UNIT) as u32 }
}

impl Canvas<'_> {
    fn rectangle(&mut self, from: Place, to: Place, color: RGBAColor) -> Result<(), PictureError> {
        self.backend.draw_rect(fine(from), fine(to), &ShapeStyle::from(color).filled(), true).map_err(refused)
    }

    fn path(&mut self, places: &[Place], color: RGBAColor, width: f64) -> Result<(), PictureError> {
        self.backend.draw_path(places.iter().map(|&place| fine(place)), &pen(color, width)).map_err(refused)
    }

    /// A line of dashes, each six pixels long with four between them.
    fn dashes(&mut self, places: &[Place], color: RGBAColor, width: f64) -> Result<(), PictureError> {
        const DASH: f64 = 6.0;
        const PERIOD: f64 = 10.0;
        let mut walked = 0.0;
        for pair in places.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let length = libm::hypot(to.0 - from.0, to.1 - from.1);
            let at = |distance: f64| {
                let part = distance / length;
                (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
            };
            let mut start = -(walked % PERIOD);
            while start < length {
                let (a, b) = (start.max(0.0), (start + DASH).min(length));
                if b > a {
                    self.path(&[at(a), at(b)], color, width)?;
                }
                start += PERIOD;
            }
            walked += length;
        }
        Ok(())
    }

    fn area(&mut self, places: &[Place], color: RGBAColor) -> Result<(), PictureError> {
        let style = ShapeStyle::from(color).filled();
        self.backend.fill_polygon(places.iter().map(|&place| fine(place)), &style).map_err(refused)
    }

    fn dot(&mut self, place: Place, radius: f64, color: RGBAColor) -> Result<(), PictureError> {
        let style = ShapeStyle::from(color).filled();
        self.backend.draw_circle(fine(place), (radius * UNIT) as u32, &style, true).map_err(refused)
    }

    fn text(&mut self, text: &str, place: Place, style: &Lettering) -> Result<(), PictureError> {
        self.backend.draw_text(text, &style.text_style(), fine(place)).map_err(refused)
    }
}

/// How a text is set.
#[derive(Clone, Copy)]
struct Lettering {
    size: f64,
    color: RGBColor,
    horizontal: HPos,
    vertical: VPos,
    bold: bool,
    upright: bool,
}

impl Lettering {
    const fn new(size: f64, color: RGBColor, horizontal: HPos, vertical: VPos) -> Self {
        Self { size, color, horizontal, vertical, bold: false, upright: false }
    }

    fn text_style(&self) -> TextStyle<'_> {
        // The backend sets letters smaller than it is told by this factor.
        let font = (FONT, self.size * UNIT * 1.24).into_font();
        let font = font.style(if self.bold { FontStyle::Bold } else { FontStyle::Normal });
        let font = if self.upright { font.transform(FontTransform::Rotate270) } else { font };
        let style = font.into_text_style(&(1, 1)).color(&self.color);
        style.pos(Pos::new(self.horizontal, self.vertical))
    }
}

/// About how wide a text is, in an ordinary sans-serif face.
fn text_width(text: &str, size: f64) -> f64 {
    let width = |letter: char| match letter {
        'i' | 'j' | 'l' | '.' | ',' | '\'' | '|' | ':' | ' ' | '\u{2009}' | '!' => 0.28,
        'm' | 'w' | 'M' | 'W' | '—' | '%' => 0.88,
        'A'..='Z' => 0.70,
        '⁰'..='⁹' | '²' | '³' | '¹' | '⁻' | '·' => 0.36,
        _ => 0.565,
    };
    size * text.chars().map(width).sum::<f64>()
}

/// Where everything goes.
struct Layout {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Range,
    y: Range,
    /// Places of legend entries: series, left end, middle line.
    legend: Vec<(usize, f64, f64)>,
}

const LEGEND_MARK: f64 = 24.0;
const LEGEND_ROW: f64 = 20.0;

impl Layout {
    fn of(plot: &Plot) -> Self {
        let values = |series: &'_ Series| {
            series.points.iter().map(|&(_, y)| y).chain(series.upper.iter().copied()).collect::<Vec<_>>()
        };
        let ys: Vec<f64> = plot.series.iter().flat_map(values).collect();
        let xs: Vec<f64> = plot.series.iter().flat_map(|series| series.points.iter().map(|&(x, _)| x)).collect();
        let has_bars = plot.series.iter().any(|series| series.kind == Kind::Bars);
        let y = Range::of(ys.iter().copied(), plot.y.scale, has_bars);
        let x = if plot.categories.is_empty() {
            let half = if has_bars && plot.x.scale == Scale::Linear { 0.5 * bar_spacing(plot) } else { 0.0 };
            Range::of(xs.iter().flat_map(|&x| [x - half, x + half]), plot.x.scale, false)
        } else {
            Range::named(&plot.categories)
        };
        let widest = y.ticks.iter().map(|(_, label)| text_width(label, TICK_SIZE)).fold(0.0, f64::max);
        let label_room = if plot.y.label.is_empty() { 0.0 } else { 24.0 };
        let left = 18.0 + label_room + widest;
        // The last label of the horizontal axis hangs over by half its width.
        let overhang = x.ticks.last().map_or(0.0, |(_, label)| 0.5 * text_width(label, TICK_SIZE));
        let right = f64::from(plot.width) - overhang.max(20.0);
        let mut top = if plot.title.is_empty() { 16.0 } else { 46.0 };
        let legend = legend_places(plot, left, right, top + 4.0);
        if let Some(&(_, _, row)) = legend.last() {
            top = row + 20.0;
        }
        let bottom = f64::from(plot.height) - if plot.x.label.is_empty() { 34.0 } else { 56.0 };
        Self { left, right, top, bottom, x, y, legend }
    }

    fn place(&self, x: f64, y: f64) -> Place {
        (
            self.left + (self.right - self.left) * self.x.place(x),
            self.bottom - (self.bottom - self.top) * self.y.place(y),
        )
    }

    fn draw(&self, plot: &Plot, canvas: &mut Canvas<'_>) -> Result<(), PictureError> {
        self.draw_grid(plot, canvas)?;
        let bars: Vec<usize> = (0..plot.series.len()).filter(|&i| plot.series[i].kind == Kind::Bars).collect();
        for (number, &index) in bars.iter().enumerate() {
            self.draw_bars(plot, index, number, bars.len(), canvas)?;
        }
        for kind in [Kind::Band, Kind::Paper, Kind::Line, Kind::Points] {
            for index in (0..plot.series.len()).filter(|&i| plot.series[i].kind == kind) {
                self.draw_series(plot, index, canvas)?;
            }
        }
        self.draw_axes(plot, canvas)?;
        self.draw_legend(plot, canvas)
    }

    fn draw_grid(&self, plot: &Plot, canvas: &mut Canvas<'_>) -> Result<(), PictureError> {
        let rows = |canvas: &mut Canvas<'_>, value: f64, color: RGBColor| {
            let y = self.bottom - (self.bottom - self.top) * self.y.place(value);
            canvas.path(&[(self.left, y), (self.right, y)], color.to_rgba(), 1.0)
        };
        let columns = |canvas: &mut Canvas<'_>, value: f64, color: RGBColor| {
            let x = self.left + (self.right - self.left) * self.x.place(value);
            canvas.path(&[(x, self.top), (x, self.bottom)], color.to_rgba(), 1.0)
        };
        for &value in &self.y.minor {
            rows(canvas, value, FAINT_GRID)?;
        }
        for &value in &self.x.minor {
            columns(canvas, value, FAINT_GRID)?;
        }
        for (value, _) in &self.y.ticks {
            rows(canvas, *value, GRID)?;
        }
        if plot.categories.is_empty() {
            for (value, _) in &self.x.ticks {
                columns(canvas, *value, GRID)?;
            }
        }
        Ok(())
    }

    fn draw_axes(&self, plot: &Plot, canvas: &mut Canvas<'_>) -> Result<(), PictureError> {
        canvas.path(&[(self.left, self.bottom), (self.right, self.bottom)], AXIS.to_rgba(), 1.25)?;
        let below = Lettering::new(TICK_SIZE, FAINT_TEXT, HPos::Center, VPos::Top);
        let room = (self.right - self.left) / plot.categories.len().max(1) as f64;
        for (value, label) in &self.x.ticks {
            let (x, _) = self.place(*value, 0.0);
            let label = if plot.categories.is_empty() { label.clone() } else { shorten(label, room - 6.0) };
            canvas.path(&[(x, self.bottom), (x, self.bottom + 4.0)], AXIS.to_rgba(), 1.25)?;
            canvas.text(&label, (x, self.bottom + 9.0), &below)?;
        }
        let beside = Lettering::new(TICK_SIZE, FAINT_TEXT, HPos::Right, VPos::Center);
        for (value, label) in &self.y.ticks {
            let y = self.bottom - (self.bottom - self.top) * self.y.place(*value);
            canvas.text(label, (self.left - 8.0, y), &beside)?;
        }
        let middle = 0.5 * (self.left + self.right);
        let label = Lettering::new(LABEL_SIZE, TEXT, HPos::Center, VPos::Bottom);
        canvas.text(&plot.x.label, (middle, f64::from(plot.height) - 12.0), &label)?;
        let upright = Lettering { upright: true, vertical: VPos::Top, ..label };
        canvas.text(&plot.y.label, (10.0, 0.5 * (self.top + self.bottom)), &upright)?;
        let title = Lettering { bold: true, ..Lettering::new(TITLE_SIZE, TEXT, HPos::Left, VPos::Top) };
        canvas.text(&plot.title, (18.0, 16.0), &title)
    }

    fn draw_series(&self, plot: &Plot, index: usize, canvas: &mut Canvas<'_>) -> Result<(), PictureError> {
        let series = &plot.series[index];
        let color = color_of(plot, index).to_rgba();
        let places: Vec<Place> = series.points.iter().map(|&(x, y)| self.place(x, y)).collect();
        match series.kind {
            Kind::Band => {
                let upper = series.points.iter().zip(&series.upper).rev().map(|(&(x, _), &y)| self.place(x, y));
                let outline: Vec<Place> = places.iter().copied().chain(upper).collect();
                canvas.area(&outline, color.mix(0.18))
            }
            Kind::Paper => {
                canvas.dashes(&places, color, 1.75)?;
                // Small marks show where the numbers are, unless there are many.
                let marks = if places.len() <= 40 { &places[..] } else { &[] };
                marks.iter().try_for_each(|&place| canvas.dot(place, 2.25, color))
            }
            Kind::Line => {
                canvas.path(&places, color, 2.25)?;
                let marks = if places.len() <= 40 { &places[..] } else { &[] };
                marks.iter().try_for_each(|&place| {
                    canvas.dot(place, 4.25, WHITE.to_rgba())?;
                    canvas.dot(place, 3.25, color)
                })
            }
            Kind::Points => {
                let many = places.len() > 300;
                let (radius, opacity) = if many { (2.0, 0.45) } else { (3.5, 0.8) };
                places.iter().try_for_each(|&place| canvas.dot(place, radius, color.mix(opacity)))
            }
            Kind::Bars => Ok(()),
        }
    }

    fn draw_bars(
        &self,
        plot: &Plot,
        index: usize,
        number: usize,
        count: usize,
        canvas: &mut Canvas<'_>,
    ) -> Result<(), PictureError> {
        let color = color_of(plot, index).to_rgba();
        let spacing = if plot.categories.is_empty() { bar_spacing(plot) } else { 1.0 };
        let group = if plot.categories.is_empty() && count == 1 { 0.92 } else { 0.72 };
        let foot = self.bottom - (self.bottom - self.top) * self.y.place(0.0).clamp(0.0, 1.0);
        let foot = if plot.y.scale == Scale::Log { self.bottom } else { foot };
        for &(x, y) in &plot.series[index].points {
            let (middle, head) = self.place(x, y);
            let full = match plot.x.scale {
                Scale::Linear => self.place(x + 0.5 * spacing, y).0 - self.place(x - 0.5 * spacing, y).0,
                // Ratios have no bars of equal width: a fixed one.
                Scale::Log => 16.0 * count as f64,
            };
            let width = (group * full / count as f64).max(1.0);
            let left = middle - 0.5 * group * full + width * number as f64;
            let gap = if count > 1 { 1.0 } else { 0.0 };
            canvas.rectangle((left + gap, head.min(foot)), (left + width - gap, head.max(foot)), color)?;
        }
        Ok(())
    }

    fn draw_legend(&self, plot: &Plot, canvas: &mut Canvas<'_>) -> Result<(), PictureError> {
        let lettering = Lettering::new(TICK_SIZE, TEXT, HPos::Left, VPos::Center);
        for &(index, x, y) in &self.legend {
            let series = &plot.series[index];
            let color = color_of(plot, index).to_rgba();
            let (from, middle, to) = ((x, y), (x + 9.0, y), (x + 18.0, y));
            match series.kind {
                Kind::Line => {
                    canvas.path(&[from, to], color, 2.25)?;
                    canvas.dot(middle, 3.25, color)?;
                }
                Kind::Paper => {
                    canvas.path(&[from, (x + 7.0, y)], color, 1.75)?;
                    canvas.path(&[(x + 11.0, y), to], color, 1.75)?;
                }
                Kind::Points => canvas.dot(middle, 3.5, color)?,
                Kind::Bars => canvas.rectangle((x + 3.0, y - 6.0), (x + 15.0, y + 6.0), color)?,
                Kind::Band => {}
            }
            canvas.text(&series.name, (x + LEGEND_MARK, y), &lettering)?;
        }
        Ok(())
    }
}

/// Legend entries in rows above the plot, where no data is. A single series
/// without a name needs none.
fn legend_places(plot: &Plot, left: f64, right: f64, top: f64) -> Vec<(usize, f64, f64)> {
    let mut places = Vec::new();
    let (mut x, mut y) = (left, top + 6.0);
    for (index, series) in plot.series.iter().enumerate() {
        if series.kind == Kind::Band || series.name.is_empty() {
            continue;
        }
        let width = LEGEND_MARK + text_width(&series.name, TICK_SIZE) + 22.0;
        if x + width > right + 22.0 && x > left {
            x = left;
            y += LEGEND_ROW;
        }
        places.push((index, x, y));
        x += width;
    }
    places
}

/// The colour of a series: grey for what others report, the palette in turn
/// for the rest; a band has that of the series after it.
fn color_of(plot: &Plot, index: usize) -> RGBColor {
    let colored = |series: &&Series| !matches!(series.kind, Kind::Paper | Kind::Band);
    match plot.series[index].kind {
        Kind::Paper => PAPER,
        _ => PALETTE[plot.series[..index].iter().filter(colored).count() % PALETTE.len()],
    }
}

/// The least distance between bars of one series.
fn bar_spacing(plot: &Plot) -> f64 {
    let mut least = f64::INFINITY;
    for series in plot.series.iter().filter(|series| series.kind == Kind::Bars) {
        let mut xs: Vec<f64> = series.points.iter().map(|&(x, _)| x).collect();
        xs.sort_by(f64::total_cmp);
        let gaps = xs.windows(2).map(|pair| pair[1] - pair[0]).filter(|&gap| gap > 0.0 && gap.is_finite());
        least = gaps.fold(least, f64::min);
    }
    if least.is_finite() { least } else { 1.0 }
}

fn shorten(text: &str, room: f64) -> String {
    let mut kept: Vec<char> = text.chars().collect();
    if text_width(text, TICK_SIZE) <= room {
        return text.to_string();
    }
    while kept.len() > 1 && text_width(&kept.iter().collect::<String>(), TICK_SIZE) + TICK_SIZE > room {
        kept.pop();
    }
    kept.iter().collect::<String>() + "…"
}
