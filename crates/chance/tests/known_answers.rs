//! Promise: a stream is the same on every platform and can be replayed by other
//! languages. The words were computed by an independent implementation of the
//! construction stated at `Stream`, in another language.

use proscenium_chance::{Density, FitOptions, Seed, fit_exponential_mixture, fit_gaussian_mixture};
use rand::Rng;

/// The vectors that Random123 publishes for philox4x32-10: counter, key, words.
const RANDOM123: [([u32; 4], [u32; 2], [u32; 4]); 3] = [
    ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
    ([0xffff_ffff; 4], [0xffff_ffff; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
    (
        [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
        [0xa409_3822, 0x299f_31d0],
        [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
    ),
];

#[test]
fn the_block_function_is_philox4x32_10() {
    for (counter, key, words) in RANDOM123 {
        assert_eq!(rand_philox::philox4x32_10(counter, key), words);
    }
}

#[test]
fn streams_give_the_stated_words() {
    let cases = [
        (Seed(0).stream(""), [0xe975_f27d, 0xc7c7_a712, 0x1f39_8546, 0xe141_095b, 0xe09f_67a0, 0x81c6_b3d7]),
        (Seed(1).stream("body"), [0x3e99_e9b3, 0x9f87_e2fe, 0xe5ad_9244, 0xa2bc_1d6f, 0x926d_bbb5, 0xd668_c58e]),
        (Seed(1).stream("body").at(17), [0x4d21_9afd, 0xfead_d93b, 0x42ae_5275, 0x8e02_0aa9, 0x6110_f426, 0xd506_e51d]),
        (
            Seed(u64::MAX).stream("Bühne").at(3).at(u64::MAX),
            [0xee36_19dc, 0xe4a9_e7de, 0x56fe_ae45, 0xa7a0_32f1, 0x5424_9772, 0xc800_50fd],
        ),
    ];
    for (stream, expected) in cases {
        let mut words = stream.clone();
        assert_eq!([(); 6].map(|()| words.word()), expected);
        let mut bytes = [0; 24];
        stream.clone().fill_bytes(&mut bytes);
        let from_bytes: Vec<u32> =
            bytes.chunks_exact(4).map(|chunk| u32::from_le_bytes(chunk.try_into().unwrap())).collect();
        assert_eq!(from_bytes, expected);
        let low_first = u64::from(expected[0]) | u64::from(expected[1]) << 32;
        assert_eq!(stream.clone().next_u64(), low_first);
    }
}

#[test]
fn a_child_seed_is_the_stated_one() {
    assert_eq!(Seed(1).child("chain", 3), Seed(0x9a97_1ecb_f90c_269d));
}

#[test]
fn uniform_numbers_are_the_stated_ones() {
    assert_eq!(Seed(0).stream("").uniform(), 0.911_955_979_174_229_7);
    assert_eq!(Seed(1).stream("body").uniform(), 0.244_536_021_697_032_6);
    assert_eq!(Seed(1).stream("body").at(17).uniform(), 0.301_294_028_682_115_86);
}

/// Reduces numbers to one, by their bits.
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    fn absorb(&mut self, number: f64) {
        self.0 = (self.0 ^ number.to_bits()).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    }
}

/// Any change of what is drawn, on any platform or optimisation level, is seen.
#[test]
fn draws_keep_their_bits() {
    let mut stream = Seed(2).stream("bits");
    let mut digest = Digest::new();
    for _ in 0..1000 {
        digest.absorb(stream.uniform());
        digest.absorb(stream.normal());
        digest.absorb(stream.below(1000) as f64);
        stream.unit_vector().to_array().into_iter().for_each(|number| digest.absorb(number));
        stream.rotation().to_array().into_iter().for_each(|number| digest.absorb(number));
    }
    assert_eq!(digest.0, 12_548_405_452_076_663_615);
}

#[test]
fn densities_and_fits_keep_their_bits() -> Result<(), Box<dyn std::error::Error>> {
    let parts = [
        Density::uniform(-1.0, 2.0)?,
        Density::normal(0.5, 3.0)?,
        Density::truncated_normal(0.0, 1.0, 8.0, 9.0)?,
        Density::truncated_normal(1.0, 2.0, f64::NEG_INFINITY, 3.0)?,
        Density::shifted_exponential(1.0, 0.3)?,
        Density::log_normal(0.1, 0.6)?,
        Density::discrete([(1.0, 0.2), (2.0, 0.5), (7.0, 0.3)])?,
    ];
    let mixture = Density::mixture(parts.iter().cloned().zip([1.0, 2.0, 1.0, 3.0, 1.0, 1.0, 0.5]))?;
    let mut digest = Digest::new();
    let mut stream = Seed(2).stream("density bits");
    for density in parts.iter().chain([&mixture]) {
        digest.absorb(density.mean());
        digest.absorb(density.variance());
        for _ in 0..200 {
            let x = density.sample(&mut stream);
            digest.absorb(x);
            digest.absorb(density.log_density(x));
            digest.absorb(density.cdf(x));
            digest.absorb(density.from_standard_normal(3.0 * stream.normal()));
        }
    }
    let samples: Vec<f64> = (0..500).map(|_| mixture.sample(&mut stream)).collect();
    let options = FitOptions { max_rounds: 50, ..FitOptions::default() };
    for fit in [fit_gaussian_mixture(&samples, 3, &options)?, fit_exponential_mixture(&samples, 2, None, &options)?] {
        fit.log_likelihoods.iter().for_each(|&number| digest.absorb(number));
    }
    assert_eq!(digest.0, 3_765_778_363_415_378_781);
    Ok(())
}
