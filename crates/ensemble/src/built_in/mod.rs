//! The ensembles that are made here, by name.

mod banner;
mod plants;

use proscenium_chance::Seed;

use crate::simulate::Generator;

pub use banner::Banner;
pub use plants::{Banana, Grass, Iris};

/// The names of the ensembles that can be made without data.
pub const BUILT_IN: [&str; 9] =
    ["banner", "grass", "grass-clump", "banana", "iris-large", "iris-1", "iris-2", "iris-3", "iris-4"];

/// A built-in ensemble; `None` for a name that is not one. Plants follow from
/// the seed.
pub fn built_in(name: &str, seed: Seed) -> Option<Generator> {
    let generator = match name {
        "banner" => Banner::default().generator(),
        "grass" => Grass::dense(seed).generator(name, 1),
        "grass-clump" => Grass::clump(seed).generator(name, 3),
        "banana" => Banana { seed }.generator(name),
        "iris-large" => Iris::large(seed).generator(name, 1),
        "iris-1" | "iris-2" | "iris-3" | "iris-4" => {
            let clump = name.bytes().last().map_or(0, u64::from);
            Iris::clump(seed.child("clump", clump)).generator(name, 3)
        }
        _ => return None,
    };
    Some(generator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_known_and_no_other() {
        for name in BUILT_IN {
            let generator = built_in(name, Seed(1)).unwrap();
            assert_eq!(generator.name, name);
            assert!(!generator.levels.is_empty() && generator.model.vertex_count() > 0);
        }
        assert!(built_in("tulip", Seed(1)).is_none());
    }
}
