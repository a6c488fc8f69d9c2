//! Colours by name and number, and those that are given out.

/// Red, green, blue and opacity, each from 0 to 255, as screens have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Colour(pub [u8; 4]);

/// The words that stand for colours. The brighter ones are those of Okabe and
/// Ito, which people with any colour vision can tell apart.
const NAMES: &[(&str, u32)] = &[
    ("amber", 0xffb000),
    ("black", 0x202124),
    ("blue", 0x0072b2),
    ("brown", 0x8a5a3b),
    ("copper", 0xc77b4f),
    ("green", 0x009e73),
    ("grey", 0x9a9a9a),
    ("ivory", 0xf3ead3),
    ("orange", 0xe69f00),
    ("pink", 0xcc79a7),
    ("red", 0xc8372d),
    ("silver", 0xc6cbd1),
    ("sky", 0x56b4e9),
    ("steel", 0xaab2bd),
    ("vermilion", 0xd55e00),
    ("white", 0xf7f7f5),
    ("yellow", 0xf0e442),
];

/// What bodies look like that have no colour of their own: one after the
/// other, so that neighbours differ.
const PALETTE: [u32; 9] = [0xe69f00, 0x56b4e9, 0x009e73, 0xd55e00, 0x0072b2, 0xcc79a7, 0xf0e442, 0x882255, 0xbbbbbb];

/// What fixed bodies look like that have no colour of their own.
pub(crate) const SCENERY: Colour = opaque(0xd8d4cc);
/// What the pips of dice look like.
pub(crate) const PIPS: Colour = opaque(0x202124);

const fn opaque(number: u32) -> Colour {
    let [_, red, green, blue] = number.to_be_bytes();
    Colour([red, green, blue, 255])
}

impl Colour {
    /// A colour from `#rrggbb`, `#rrggbbaa` or a name.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let Some(digits) = text.strip_prefix('#') else {
            return NAMES.iter().find(|(name, _)| *name == text).map(|(_, number)| opaque(*number));
        };
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        match digits.len() {
            6 => u32::from_str_radix(digits, 16).ok().map(opaque),
            8 => u32::from_str_radix(digits, 16).ok().map(|number| Self(number.to_be_bytes())),
            _ => None,
        }
    }

    /// The names of colours.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// The colour of a body that has none, by its place among the bodies.
    pub(crate) fn of_body(index: usize) -> Self {
        opaque(PALETTE[index % PALETTE.len()])
    }

    /// Linear red, green and blue, and opacity, each from 0 to 1.
    pub(crate) fn linear(self) -> [f32; 4] {
        let [red, green, blue, opacity] = self.0.map(|byte| f64::from(byte) / 255.0);
        let linear = |c: f64| if c <= 0.04045 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) };
        [linear(red), linear(green), linear(blue), opacity].map(|c| c as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_in_three_ways() {
        assert_eq!(Colour::parse("#ff8000"), Some(Colour([255, 128, 0, 255])));
        assert_eq!(Colour::parse("#FF800040"), Some(Colour([255, 128, 0, 64])));
        assert_eq!(Colour::parse("orange"), Some(Colour([0xe6, 0x9f, 0, 255])));
        for wrong in ["", "#", "#ff80", "#ff800g", "#+f8000", "mauve", "#ä0000"] {
            assert_eq!(Colour::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn linear_colours_keep_black_and_white() {
        assert_eq!(Colour([0, 255, 0, 255]).linear(), [0.0, 1.0, 0.0, 1.0]);
        assert!((Colour([188, 0, 0, 255]).linear()[0] - 0.5).abs() < 0.01);
    }
}
