//! One stream of random words, and the numbers drawn from it.

use std::convert::Infallible;
use std::f64::consts::TAU;

use glam::{DQuat, DVec3};
use rand::{Rng, TryRng};

use crate::seed::{part_id, philox_block};
use crate::standard_normal;

/// A sequence of random 32-bit words with a name, and the draws made from it.
///
/// Made by [`Seed::stream`](crate::Seed::stream). Every draw but
/// [`below`](Stream::below) (and what is built on it) takes a fixed number of
/// words, so that two runs which draw the same things stay aligned whatever the
/// values are.
///
/// A stream is also a [`rand::Rng`], for use with other crates. Words are served
/// in order; a `u64` is two words, low word first; bytes are little-endian, and
/// what a request leaves of a word is dropped.
///
/// # Replaying a stream elsewhere
///
/// All integer arithmetic wraps; `mix` is the SplitMix64 finaliser
///
/// ```text
/// mix(z):  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9
///          z = (z ^ z >> 27) * 0x94d049bb133111eb
///          z ^ z >> 31
/// ```
///
/// - The key of Philox4x32-10 is `mix(seed)`, low word first.
/// - The identity of a stream is `mix(fnv(name))`, with the 64-bit FNV-1a hash of
///   the name's UTF-8 bytes; that of its part `index` is
///   `mix(identity + 0x9e3779b97f4a7c15 * (index + 1))`.
/// - Word `n` is word `n % 4` of the block with the counter
///   `[low(b), high(b), low(identity), high(identity)]`, where `b = n / 4`.
/// - [`Seed::child`](crate::Seed::child) is words 0 (low) and 1 (high) of block
///   `b` = 2⁶⁴ − 1 of the part `index` of the stream `name`.
///
/// ```
/// use proscenium_chance::Seed;
///
/// let mut stream = Seed(1).stream("dice");
/// let rolls: Vec<u64> = (0..5).map(|_| 1 + stream.below(6)).collect();
///
/// // A position can be kept and returned to.
/// let position = stream.position();
/// let next = stream.normal();
/// let mut resumed = Seed(1).stream("dice");
/// resumed.seek(position);
/// assert_eq!(resumed.normal(), next);
/// # assert!(rolls.iter().all(|roll| (1..=6).contains(roll)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    key: [u32; 2],
    id: u64,
    /// How many words were read.
    position: u64,
    /// The words of the block that `position` is in; stale at a block's start.
    block: [u32; 4],
}

impl Stream {
    pub(crate) fn new(key: [u32; 2], id: u64) -> Self {
        Stream { key, id, position: 0, block: [0; 4] }
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// The stream of part `index`, at its beginning: `seed.stream("body").at(17)`.
    ///
    /// It does not depend on how far this stream was read, and can itself have
    /// parts.
    #[must_use]
    pub fn at(&self, index: u64) -> Stream {
        Stream::new(self.key, part_id(self.id, index))
    }

    /// How many words were read so far.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Moves to where `position` words were read.
    pub fn seek(&mut self, position: u64) {
        self.position = position;
        self.block = if position.is_multiple_of(4) { [0; 4] } else { philox_block(self.key, self.id, position / 4) };
    }

    /// The next word.
    #[inline]
    pub fn word(&mut self) -> u32 {
        let within = (self.position % 4) as usize;
        if within == 0 {
            self.block = philox_block(self.key, self.id, self.position / 4);
        }
        self.position = self.position.wrapping_add(1);
        self.block[within]
    }

    /// A number in the open interval (0, 1). Takes two words.
    ///
    /// With words `a` and `b` it is `(2 n + 1) / 2⁵³`, `n = (a >> 6) 2²⁶ + (b >> 6)`:
    /// the odd multiples of 2⁻⁵³, each equally likely. It is exact, symmetric
    /// about one half, and never closer than 2⁻⁵³ to either end.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        let high = u64::from(self.word() >> 6);
        let low = u64::from(self.word() >> 6);
        let odd = 2 * (high << 26 | low) + 1;
        odd as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// A standard normal number, by the inverse of its distribution function
    /// ([`standard_normal::quantile`]). Takes two words.
    #[inline]
    pub fn normal(&mut self) -> f64 {
        standard_normal::quantile(self.uniform())
    }

    /// A whole number from 0 to `limit` − 1, each exactly equally likely. Takes
    /// two words; with probability below `limit` / 2⁶⁴ two more, and so on.
    ///
    /// There is no number below 0: `below(0)` is 0, as `below(1)` is.
    /// [`pick`](Stream::pick) draws from a slice that may be empty.
    pub fn below(&mut self, limit: u64) -> u64 {
        // Lemire 2019: the high half of a product is uniform once the low
        // halves that occur once too often are turned away.
        let surplus = limit.wrapping_neg().checked_rem(limit).unwrap_or(0);
        loop {
            let product = u128::from(self.next_u64()) * u128::from(limit);
            if product as u64 >= surplus {
                return (product >> 64) as u64;
            }
        }
    }

    /// One of the items, each equally likely, or `None` of none.
    pub fn pick<'items, T>(&mut self, items: &'items [T]) -> Option<&'items T> {
        if items.is_empty() {
            return None;
        }
        items.get(self.below(items.len() as u64) as usize)
    }

    /// Puts the items in an order drawn from all orders with equal chances
    /// (Fisher–Yates from the last item to the second).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let chosen = self.below(last as u64 + 1) as usize;
            items.swap(last, chosen);
        }
    }

    /// A direction, uniform on the unit sphere. Takes four words.
    ///
    /// The height is uniform (Archimedes), then the angle around the y axis.
    pub fn unit_vector(&mut self) -> DVec3 {
        let height = 2.0 * self.uniform() - 1.0;
        let angle = TAU * self.uniform();
        let radius = ((1.0 - height) * (1.0 + height)).sqrt();
        DVec3::new(radius * libm::cos(angle), height, radius * libm::sin(angle))
    }

    /// A rotation, uniform over all rotations (Shoemake 1992). Takes six words.
    pub fn rotation(&mut self) -> DQuat {
        let split = self.uniform();
        let first_angle = TAU * self.uniform();
        let second_angle = TAU * self.uniform();
        let (first, second) = ((1.0 - split).sqrt(), split.sqrt());
        DQuat::from_xyzw(
            first * libm::sin(first_angle),
            first * libm::cos(first_angle),
            second * libm::sin(second_angle),
            second * libm::cos(second_angle),
        )
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.word())
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let low = u64::from(self.word());
        let high = u64::from(self.word());
        Ok(high << 32 | low)
    }

    fn try_fill_bytes(&mut self, destination: &mut [u8]) -> Result<(), Infallible> {
        for chunk in destination.chunks_mut(4) {
            let bytes = self.word().to_le_bytes();
            chunk.copy_from_slice(&bytes[..chunk.len()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn seeking_lands_on_any_word() {
        let mut stream = Seed(3).stream("seek");
        let words: Vec<u32> = (0..23).map(|_| stream.word()).collect();
        for (position, &word) in words.iter().enumerate() {
            stream.seek(position as u64);
            assert_eq!(stream.position(), position as u64);
            assert_eq!(stream.word(), word);
        }
        stream.seek(u64::MAX);
        stream.word();
        assert_eq!(stream.position(), 0);
        assert_eq!(stream.word(), words[0]);
    }

    #[test]
    fn draws_take_the_stated_number_of_words() {
        let mut stream = Seed(3).stream("words");
        let mut taken = |draw: &dyn Fn(&mut Stream)| {
            let before = stream.position();
            draw(&mut stream);
            stream.position() - before
        };
        assert_eq!(
            taken(&|stream| {
                stream.uniform();
            }),
            2
        );
        assert_eq!(
            taken(&|stream| {
                stream.normal();
            }),
            2
        );
        assert_eq!(
            taken(&|stream| {
                stream.below(6);
            }),
            2
        );
        assert_eq!(
            taken(&|stream| {
                stream.below(0);
            }),
            2
        );
        assert_eq!(
            taken(&|stream| {
                stream.unit_vector();
            }),
            4
        );
        assert_eq!(
            taken(&|stream| {
                stream.rotation();
            }),
            6
        );
        assert_eq!(taken(&|stream| stream.fill_bytes(&mut [0; 5])), 2);
    }

    #[test]
    fn directions_and_rotations_have_length_one() {
        let mut stream = Seed(3).stream("unit");
        for _ in 0..1000 {
            assert!((stream.unit_vector().length() - 1.0).abs() < 1e-15);
            assert!((stream.rotation().length() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<usize> = (0..100).collect();
        Seed(3).stream("shuffle").shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn nothing_is_picked_from_nothing() {
        let mut stream = Seed(3).stream("pick");
        assert_eq!(stream.pick::<u8>(&[]), None);
        assert_eq!(stream.pick(&[5]), Some(&5));
    }

    #[test]
    fn below_turns_the_surplus_away() {
        // Of a limit just above 2⁶³ nearly half of the draws are surplus.
        let limit = (1 << 63) + 1;
        let mut stream = Seed(3).stream("below");
        let draws = 1000;
        for _ in 0..draws {
            assert!(stream.below(limit) < limit);
        }
        let tries = stream.position() / 2;
        assert!((1800..2200).contains(&tries), "{tries}");
    }
}
