//! A small stroke font, so that labels need no fonts of the system.
//!
//! Glyphs are lines and arcs of round pens: capitals are 7 units high, small
//! letters 5, and y = 0 is the line they stand on.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use glam::Vec2;

use crate::Picture;

/// Of one glyph: its advance, and its strokes. A stroke is a list of points
/// `x,y`, ended by `;`; an arc is `@x,y,rx,ry,from,to` with angles in degrees,
/// anticlockwise from the right.
const GLYPHS: &[(char, f32, &str)] = &[
    (' ', 2.6, ""),
    ('!', 2.0, "0.3,7 0.3,2.2; 0.3,0.2"),
    ('"', 3.2, "0.3,7 0.3,5.2; 1.7,7 1.7,5.2"),
    ('#', 6.2, "1.6,0.4 2.4,6.6; 3.4,0.4 4.2,6.6; 0.3,4.6 5,4.6; 0.1,2.4 4.8,2.4"),
    ('$', 5.4, "@2,4.9,1.7,1.4,40,270 @2,2.1,1.9,1.4,90,-145 2,7.2 2,-0.4"),
    ('%', 7.0, "@1.2,5.5,1.2,1.5,0,360 @4.8,1.5,1.2,1.5,0,360 4.8,7 1.2,0"),
    ('&', 6.4, "5,0 1.2,4.7; @2.2,5.6,1.3,1.4,215,-40 @1.9,1.8,1.9,1.8,122,325 3.2,4.7 1.6,3.5; 3.4,0.7 5,3.4"),
    ('\'', 1.8, "0.3,7 0.3,5.2"),
    ('(', 2.8, "@2.6,3,2.4,4.8,130,230"),
    (')', 2.8, "@-1,3,2.4,4.8,50,-50"),
    ('*', 4.2, "1.4,6.8 1.4,3.6; 0,6 2.8,4.4; 2.8,6 0,4.4"),
    ('+', 5.4, "2,5.2 2,1; 0,3.1 4,3.1"),
    (',', 2.0, "0.5,0.3 0.1,-1.2"),
    ('-', 3.8, "0.2,2.9 2.4,2.9"),
    ('.', 2.0, "0.3,0.2"),
    ('/', 3.8, "0,-0.6 2.6,7.2"),
    ('0', 5.4, "@2,3.5,2,3.5,0,360"),
    ('1', 5.4, "0.7,5.6 2.3,7 2.3,0"),
    ('2', 5.4, "@2,5,2,2,165,-38 3.58,3.77 0,0 4,0"),
    ('3', 5.4, "@1.9,5.25,1.75,1.75,150,-90 @1.9,1.75,2.1,1.75,90,-155"),
    ('4', 5.6, "3.2,0 3.2,7 0,2 4.3,2"),
    ('5', 5.4, "3.7,7 0.8,7 0.45,4.05; @1.9,2.3,2.2,2.3,130,-150"),
    ('6', 5.4, "@2,2.2,2,2.2,0,360 @4,2.2,4,4.8,180,100"),
    ('7', 5.2, "0,7 4,7 1.4,0"),
    ('8', 5.4, "@2,5.3,1.7,1.7,0,360 @2,1.8,2,1.8,0,360"),
    ('9', 5.4, "@2,4.8,2,2.2,0,360 @0,4.8,4,4.8,0,-80"),
    (':', 2.0, "0.3,0.2; 0.3,4"),
    (';', 2.0, "0.5,0.3 0.1,-1.2; 0.4,4"),
    ('<', 5.0, "3.4,5.4 0.2,3.1 3.4,0.8"),
    ('=', 5.4, "0,4.1 4,4.1; 0,2.1 4,2.1"),
    ('>', 5.0, "0.2,5.4 3.4,3.1 0.2,0.8"),
    ('?', 4.8, "@1.8,5.2,1.8,1.8,165,-45 @3.6,2.2,1.8,1.7,135,180; 1.8,0.2"),
    (
        '@',
        8.0,
        "@3.3,2.7,3.3,3.7,-60,-330 @3.2,2.7,1.5,1.8,0,360 4.8,4.4 4.8,2; @5.7,2,0.9,1,180,360 6.6,2 6.6,2.8; @3.3,2.7,3.3,3.7,0,30",
    ),
    ('A', 6.0, "0,0 2.3,7 4.6,0; 0.75,2.3 3.85,2.3"),
    ('B', 5.8, "2.2,7 0.2,7 0.2,0 2.3,0; 0.2,3.7 2.3,3.7; @2.2,5.35,1.65,1.65,90,-90 @2.3,1.85,1.9,1.85,90,-90"),
    ('C', 6.0, "@2.6,3.5,2.6,3.5,48,312"),
    ('D', 6.2, "1.6,7 0.2,7 0.2,0 1.6,0; @1.6,3.5,2.9,3.5,90,-90"),
    ('E', 5.0, "3.6,7 0.2,7 0.2,0 3.6,0; 0.2,3.7 3.1,3.7"),
    ('F', 4.8, "3.6,7 0.2,7 0.2,0; 0.2,3.6 3.1,3.6"),
    ('G', 6.6, "@2.6,3.5,2.6,3.5,48,357 3,3.3 5.2,3.3"),
    ('H', 6.0, "0.2,0 0.2,7; 4.4,0 4.4,7; 0.2,3.6 4.4,3.6"),
    ('I', 1.9, "0.2,0 0.2,7"),
    ('J', 4.4, "2.9,7 2.9,1.7; @1.4,1.6,1.5,1.6,0,-165"),
    ('K', 5.6, "0.2,0 0.2,7; 4.2,7 0.2,2.9; 1.6,4.3 4.4,0"),
    ('L', 4.8, "0.2,7 0.2,0 3.5,0"),
    ('M', 7.3, "0.2,0 0.2,7 2.9,2 5.6,7 5.6,0"),
    ('N', 6.1, "0.2,0 0.2,7 4.4,0 4.4,7"),
    ('O', 7.0, "@2.8,3.5,2.8,3.5,0,360"),
    ('P', 5.5, "0.2,0 0.2,7 2.2,7; 0.2,3.3 2.2,3.3; @2.2,5.15,1.9,1.85,90,-90"),
    ('Q', 7.0, "@2.8,3.5,2.8,3.5,0,360 3.4,1.7 5.4,-0.5"),
    ('R', 5.7, "0.2,0 0.2,7 2.2,7; 0.2,3.3 2.2,3.3; @2.2,5.15,1.9,1.85,90,-90 2.1,3.3 4.2,0"),
    ('S', 5.5, "@2.1,5.25,1.8,1.75,40,270 @2.1,1.75,2,1.75,90,-145"),
    ('T', 5.6, "0,7 4.4,7; 2.2,7 2.2,0"),
    ('U', 6.0, "0.2,7 0.2,2.1; 4.4,7 4.4,2.1; @2.3,2.1,2.1,2.1,180,360"),
    ('V', 5.8, "0,7 2.3,0 4.6,7"),
    ('W', 8.1, "0,7 1.7,0 3.4,6.4 5.1,0 6.8,7"),
    ('X', 5.6, "0.1,7 4.3,0; 4.3,7 0.1,0"),
    ('Y', 5.5, "0,7 2.2,3.4 4.4,7; 2.2,3.4 2.2,0"),
    ('Z', 5.6, "0.2,7 4.1,7 0.1,0 4.2,0"),
    ('[', 3.0, "1.8,7.4 0.3,7.4 0.3,-1.4 1.8,-1.4"),
    ('\\', 3.8, "0,7.2 2.6,-0.6"),
    (']', 3.0, "0.1,7.4 1.6,7.4 1.6,-1.4 0.1,-1.4"),
    ('^', 4.6, "0.2,4.4 1.6,7 3,4.4"),
    ('_', 5.2, "0,-1.2 4,-1.2"),
    ('`', 2.4, "0.2,7.2 1,6"),
    ('a', 5.3, "@2,2.5,2,2.5,0,360 4,5 4,0"),
    ('b', 5.3, "0,7.2 0,0; @2,2.5,2,2.5,0,360"),
    ('c', 4.9, "@2.1,2.5,2.1,2.5,48,312"),
    ('d', 5.4, "@2,2.5,2,2.5,0,360 4,7.2 4,0"),
    ('e', 5.4, "0,2.6 4.1,2.6; @2.05,2.5,2.05,2.5,2,318"),
    ('f', 3.2, "@2.2,5.7,1.4,1.5,75,180 0.8,5.7 0.8,0; 0,4.7 2.2,4.7"),
    ('g', 5.4, "@2,2.5,2,2.5,0,360 4,5 4,-0.2; @2.05,-0.2,1.95,1.9,0,-150"),
    ('h', 5.0, "0,7.2 0,0; @1.8,3.1,1.8,1.9,180,0 3.6,3.1 3.6,0"),
    ('i', 1.8, "0.2,5 0.2,0; 0.2,6.9"),
    ('j', 2.2, "0.6,5 0.6,-0.8; @-0.6,-0.8,1.2,1.3,0,-80; 0.6,6.9"),
    ('k', 4.6, "0,7.2 0,0; 3.3,5 0,1.8; 1.2,2.9 3.5,0"),
    ('l', 1.8, "0.2,7.2 0.2,0"),
    ('m', 7.4, "0,5 0,0; @1.5,3.4,1.5,1.6,180,0 3,3.4 3,0; @4.5,3.4,1.5,1.6,180,0 6,3.4 6,0"),
    ('n', 5.0, "0,5 0,0; @1.8,3.1,1.8,1.9,180,0 3.6,3.1 3.6,0"),
    ('o', 5.5, "@2.1,2.5,2.1,2.5,0,360"),
    ('p', 5.3, "0,5 0,-2.1; @2,2.5,2,2.5,0,360"),
    ('q', 5.4, "@2,2.5,2,2.5,0,360 4,5 4,-2.1"),
    ('r', 3.5, "0,5 0,0; @1.9,3,1.9,1.95,180,78"),
    ('s', 4.5, "@1.65,3.75,1.4,1.25,35,270 @1.65,1.25,1.6,1.25,90,-145"),
    ('t', 3.5, "0.9,6.6 0.9,1.3; @2.2,1.3,1.3,1.3,180,285 0,4.8 2.4,4.8"),
    ('u', 5.0, "0,5 0,1.9; @1.8,1.9,1.8,1.9,180,360 3.6,5 3.6,0"),
    ('v', 4.8, "0,5 1.8,0 3.6,5"),
    ('w', 6.8, "0,5 1.4,0 2.8,4.7 4.2,0 5.6,5"),
    ('x', 4.6, "0,5 3.4,0; 3.4,5 0,0"),
    ('y', 4.8, "0,5 1.85,0; 3.6,5 1.1,-2 0.2,-2"),
    ('z', 4.6, "0.1,5 3.3,5 0,0 3.4,0"),
    ('{', 3.4, "2,7.4 1.3,7.2 1,6.4 1,4 0.2,3 1,2 1,-0.4 1.3,-1.2 2,-1.4"),
    ('|', 1.9, "0.3,7.6 0.3,-1.4"),
    ('}', 3.4, "0.1,7.4 0.8,7.2 1.1,6.4 1.1,4 1.9,3 1.1,2 1.1,-0.4 0.8,-1.2 0.1,-1.4"),
    ('~', 5.4, "0,2.7 0.6,3.4 1.3,3.6 2.7,2.8 3.4,2.9 4,3.6"),
    ('°', 3.4, "@1.1,5.9,1.1,1.1,0,360"),
    ('±', 5.4, "2,6 2,2.4; 0.2,4.2 3.8,4.2; 0.2,0.6 3.8,0.6"),
    ('²', 3.4, "@1.1,6.3,1,0.9,165,-38 1.9,5.8 0.1,4 2.2,4"),
    ('³', 3.4, "@1,6.5,0.9,0.7,150,-90 @1,4.9,1.1,0.9,90,-155"),
    ('µ', 5.0, "0,5 0,-2.1; 0,5 0,1.9; @1.8,1.9,1.8,1.9,180,360 3.6,5 3.6,0"),
    ('·', 2.0, "0.3,3"),
    ('×', 4.8, "0.2,4.7 3.2,1.5; 3.2,4.7 0.2,1.5"),
    ('–', 5.2, "0.2,2.9 4,2.9"),
    ('—', 7.6, "0.2,2.9 6.4,2.9"),
    ('…', 5.6, "0.3,0.2; 2.1,0.2; 3.9,0.2"),
];

struct Glyph {
    advance: f32,
    strokes: Vec<Vec<Vec2>>,
}

static FONT: LazyLock<BTreeMap<char, Glyph>> = LazyLock::new(|| {
    GLYPHS.iter().map(|&(name, advance, path)| (name, Glyph { advance, strokes: strokes(path) })).collect()
});

/// Drawn for a character that the font does not have.
static UNKNOWN: LazyLock<Glyph> =
    LazyLock::new(|| Glyph { advance: 5.2, strokes: strokes("0.2,0 0.2,7 3.8,7 3.8,0 0.2,0") });

fn strokes(path: &str) -> Vec<Vec<Vec2>> {
    let mut strokes = Vec::new();
    let mut line = Vec::new();
    for word in path.split_whitespace() {
        let numbers: Vec<f32> =
            word.trim_matches(['@', ';']).split(',').filter_map(|number| number.parse().ok()).collect();
        match numbers[..] {
            [x, y, width, height, from, to] => {
                strokes.push(std::mem::take(&mut line));
                strokes.push(arc(Vec2::new(x, y), Vec2::new(width, height), from, to));
            }
            [x, y] => line.push(Vec2::new(x, y)),
            _ => {}
        }
        if word.ends_with(';') {
            strokes.push(std::mem::take(&mut line));
        }
    }
    strokes.push(line);
    strokes.retain(|stroke| !stroke.is_empty());
    strokes
}

fn arc(center: Vec2, radii: Vec2, from: f32, to: f32) -> Vec<Vec2> {
    let steps = ((to - from).abs() / 12.0) as u32 + 1;
    (0..=steps)
        .map(|i| {
            let angle = (from + (to - from) * i as f32 / steps as f32).to_radians();
            center + radii * Vec2::new(libm::cosf(angle), libm::sinf(angle))
        })
        .collect()
}

fn glyph(name: char) -> &'static Glyph {
    FONT.get(&name).unwrap_or(&UNKNOWN)
}

/// The width of a line of text, for capitals of this height, pixels.
pub(crate) fn text_width(text: &str, capital_height: f32) -> f32 {
    text.chars().map(|name| glyph(name).advance).sum::<f32>() * capital_height / 7.0
}

/// Shortens a text to a width, with an ellipsis for what is left out.
pub(crate) fn fit(text: &str, capital_height: f32, width: f32) -> String {
    if text_width(text, capital_height) <= width {
        return text.to_string();
    }
    let mut kept: Vec<char> = text.chars().collect();
    while !kept.is_empty() {
        kept.pop();
        let shorter: String = kept.iter().collect::<String>().trim_end().to_string() + "…";
        if text_width(&shorter, capital_height) <= width {
            return shorter;
        }
    }
    String::new()
}

/// Draws a line of text; `x` is its left end and `y` the line it stands on.
pub(crate) fn draw_text(picture: &mut Picture, text: &str, x: f32, y: f32, capital_height: f32, color: [u8; 3]) {
    let scale = capital_height / 7.0;
    let pen = (0.42 * scale).max(0.42);
    let mut left = x;
    for name in text.chars() {
        let glyph = glyph(name);
        draw_glyph(picture, glyph, Vec2::new(left, y), scale, pen, color);
        left += glyph.advance * scale;
    }
}

fn draw_glyph(picture: &mut Picture, glyph: &Glyph, place: Vec2, scale: f32, pen: f32, color: [u8; 3]) {
    let on_picture = |point: &Vec2| place + Vec2::new(point.x, -point.y) * scale;
    let strokes: Vec<Vec<Vec2>> = glyph.strokes.iter().map(|stroke| stroke.iter().map(on_picture).collect()).collect();
    let points = || strokes.iter().flatten().copied();
    let low = points().fold(Vec2::INFINITY, Vec2::min) - pen - 1.0;
    let high = points().fold(Vec2::NEG_INFINITY, Vec2::max) + pen + 1.0;
    if !low.is_finite() || high.min_element() < 0.0 {
        return;
    }
    let (columns, rows) = ((low.x.max(0.0) as u32, high.x as u32), (low.y.max(0.0) as u32, high.y as u32));
    for row in rows.0..=rows.1.min(picture.height.saturating_sub(1)) {
        for column in columns.0..=columns.1.min(picture.width.saturating_sub(1)) {
            let middle = Vec2::new(column as f32 + 0.5, row as f32 + 0.5);
            let distance = strokes.iter().map(|stroke| stroke_distance(stroke, middle)).fold(f32::INFINITY, f32::min);
            let coverage = (pen - distance + 0.5).clamp(0.0, 1.0);
            if coverage > 0.0 {
                let [red, green, blue, opacity] = picture.pixel(column, row);
                let mix =
                    |old: u8, new: u8| (f32::from(old) + (f32::from(new) - f32::from(old)) * coverage + 0.5) as u8;
                let mixed = [
                    mix(red, color[0]),
                    mix(green, color[1]),
                    mix(blue, color[2]),
                    opacity.max((255.0 * coverage) as u8),
                ];
                picture.set_pixel(column, row, mixed);
            }
        }
    }
}

fn stroke_distance(stroke: &[Vec2], point: Vec2) -> f32 {
    let to_segment = |pair: &[Vec2]| {
        let (a, b) = (pair[0], pair[1]);
        let along = ((point - a).dot(b - a) / (b - a).length_squared().max(1e-12)).clamp(0.0, 1.0);
        (a + (b - a) * along).distance(point)
    };
    match stroke {
        [only] => only.distance(point),
        _ => stroke.windows(2).map(to_segment).fold(f32::INFINITY, f32::min),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printable_character_is_drawn_inside_its_line() {
        for name in ' '..='~' {
            assert!(FONT.contains_key(&name), "{name:?} is missing");
        }
        assert_eq!(FONT.len(), GLYPHS.len(), "no character twice");
        for &(name, advance, path) in GLYPHS {
            let words = path.split_whitespace().map(|word| word.trim_matches(['@', ';']).split(','));
            for mut numbers in words {
                assert!(numbers.all(|number| number.parse::<f32>().is_ok()), "{name:?}: {path}");
            }
            for point in FONT[&name].strokes.iter().flatten() {
                assert!((-1.6..=advance).contains(&point.x) && (-2.2..=7.7).contains(&point.y), "{name:?} {point}");
            }
        }
    }

    #[test]
    fn long_text_is_shortened() {
        let short = fit("a rather long label", 8.0, 60.0);
        assert!(short.ends_with('…') && text_width(&short, 8.0) <= 60.0);
        assert_eq!(fit("short", 8.0, 600.0), "short");
        assert_eq!(fit("short", 8.0, 1.0), "");
    }

    #[test]
    fn text_beside_the_picture_is_no_harm() {
        let mut picture = Picture::filled(8, 8, [255; 4]).unwrap();
        draw_text(&mut picture, "Ag", -500.0, -500.0, 9.0, [0; 3]);
        draw_text(&mut picture, "Ag", 500.0, 500.0, 9.0, [0; 3]);
        assert_eq!(picture, Picture::filled(8, 8, [255; 4]).unwrap());
        draw_text(&mut picture, "漢", 1.0, 7.0, 6.0, [0; 3]);
        assert_ne!(picture, Picture::filled(8, 8, [255; 4]).unwrap());
    }
}
