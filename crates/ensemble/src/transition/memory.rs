//! What a program has tested: answers by pair, moment and states.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Groups in a clique for which answers are remembered; a longer one is tested
/// each time.
pub(super) const LONGEST_CLIQUE: usize = 8;

/// A constraint as two numbers, a moment, and the states of the clique.
pub(super) type TestKey = (u32, u32, u32, [u32; LONGEST_CLIQUE]);

/// Answers. Nothing depends on their order.
pub(super) type AnswerTable = HashMap<TestKey, bool, BuildHasherDefault<Mixer>>;

/// Mixes words by a multiplication: keys are few small numbers that nobody
/// chooses in bad faith, and are looked up millions of times.
#[derive(Default)]
pub(super) struct Mixer(u64);

impl Mixer {
    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|&word| self.word(u64::from_le_bytes(word)));
        rest.iter().for_each(|&byte| self.word(byte.into()));
    }

    fn write_u32(&mut self, number: u32) {
        self.word(number.into());
    }

    fn write_usize(&mut self, number: usize) {
        self.word(number as u64);
    }
}
