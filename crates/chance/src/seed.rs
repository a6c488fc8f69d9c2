//! Seeds, and how a name becomes a stream.

use std::fmt;

use rand_philox::{philox4x32_10, splitmix64};

use crate::Stream;

/// The increment of SplitMix64: 2⁶⁴ divided by the golden ratio, made odd.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The block a child seed is read from. A stream's position is a 64-bit count of
/// words, so a stream never reads beyond block 2⁶² and never meets this one.
const CHILD_BLOCK: u64 = u64::MAX;

/// The number that a whole run follows from.
///
/// A seed hands out [streams](Stream) by name. The same seed and name give the
/// same numbers wherever and whenever they are asked for; what else was asked
/// for, and in which order, has no influence.
///
/// ```
/// use proscenium_chance::Seed;
///
/// let seed = Seed(7);
/// let mut release = seed.stream("release speed");
/// let mut body = seed.stream("body").at(17);
/// let expected = (release.uniform(), body.uniform());
///
/// // Asked for in another order: the same numbers.
/// let later = (seed.stream("body").at(17).uniform(), seed.stream("release speed").uniform());
/// assert_eq!((later.1, later.0), expected);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed(pub u64);

impl Seed {
    /// The stream called `name`, at its beginning.
    #[must_use]
    pub fn stream(self, name: &str) -> Stream {
        Stream::new(self.key(), splitmix64(fnv_1a(name.as_bytes())))
    }

    /// A seed for a part that has streams of its own, such as chain 3 of a sampler.
    ///
    /// Children of different names or indices, and their parent, have unrelated
    /// streams under equal names.
    ///
    /// ```
    /// use proscenium_chance::Seed;
    ///
    /// let chains: Vec<Seed> = (0..4).map(|index| Seed(1).child("chain", index)).collect();
    /// assert_ne!(chains[0].stream("moves").uniform(), chains[1].stream("moves").uniform());
    /// ```
    #[must_use]
    pub fn child(self, name: &str, index: u64) -> Seed {
        let stream_id = self.stream(name).at(index).id();
        let words = philox_block(self.key(), stream_id, CHILD_BLOCK);
        Seed(u64::from(words[0]) | u64::from(words[1]) << 32)
    }

    /// The Philox key. Mixing is a bijection: different seeds have different keys.
    fn key(self) -> [u32; 2] {
        halves(splitmix64(self.0))
    }
}

impl From<u64> for Seed {
    fn from(number: u64) -> Self {
        Seed(number)
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The identity of part `index` of the stream `id`. For one `id` it is a
/// bijection of the index, so parts of one stream never coincide.
pub(crate) fn part_id(id: u64, index: u64) -> u64 {
    splitmix64(id.wrapping_add(GOLDEN.wrapping_mul(index.wrapping_add(1))))
}

/// Four words of the stream `id` under `key`.
pub(crate) fn philox_block(key: [u32; 2], id: u64, block: u64) -> [u32; 4] {
    let [block_low, block_high] = halves(block);
    let [id_low, id_high] = halves(id);
    philox4x32_10([block_low, block_high, id_low, id_high], key)
}

/// The low and the high word.
fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// The 64-bit FNV-1a hash.
fn fnv_1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fnv_1a_gives_its_published_values() {
        assert_eq!(fnv_1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv_1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv_1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn splitmix_gives_its_published_first_output() {
        assert_eq!(splitmix64(GOLDEN), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn a_child_is_neither_its_parent_nor_its_sibling() {
        let seed = Seed(5);
        let children = [seed.child("chain", 0), seed.child("chain", 1), seed.child("move", 0), seed];
        for (index, first) in children.iter().enumerate() {
            for second in &children[index + 1..] {
                assert_ne!(first, second);
            }
        }
    }
}
