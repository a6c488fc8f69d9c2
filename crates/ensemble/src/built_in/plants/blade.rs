//! Blades that stand in the ground: grass, and leaves like it.

use glam::DVec3;
use proscenium_chance::Stream;

use super::Way;
use super::bed::{Bed, Part, Root};
use crate::simulate::{SoftModel, Stuff};

/// A blade that narrows to its tip.
#[derive(Clone, Copy)]
pub(super) struct Blade {
    pub way: Way,
    pub across: DVec3,
    pub kind: Kind,
}

/// What all blades of a kind have in common.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    /// Rows of three vertices.
    pub rows: u32,
    /// At the ground, metres.
    pub width: f64,
    pub stuff: Stuff,
}

/// Fresh grass.
pub(super) const GRASS: Kind =
    Kind { rows: 7, width: 0.007, stuff: Stuff { density: 0.12, stretch: 150.0, bend: 1.0, damping: 0.02 } };

impl Blade {
    fn part(self, name: String) -> Part {
        let Self { way, across, kind } = self;
        let width = move |share: f64| kind.width * (1.0 - 0.85 * share * share);
        let add = move |model: &mut SoftModel| {
            model.blade(name.clone(), kind.rows, &kind.stuff, across, |share| way.at(share), width)
        };
        Part { add: Box::new(add), from: Root::Ground }
    }

    /// Grows one that is drawn, and whether there was room for it: its two lowest
    /// rows stand in the ground.
    pub fn grow(bed: &mut Bed, name: &str, stream: &mut Stream, draw: impl Fn(&mut Stream, f64) -> Blade) -> bool {
        let grown = bed.grow(stream, |stream, freely| vec![draw(stream, freely).part(name.to_owned())]);
        let room = grown.is_some();
        for group in grown.into_iter().flatten() {
            (0..6).for_each(|vertex| bed.model.pin(group, vertex));
        }
        room
    }
}
