//! Promise: a run has the same bits with the feature `parallel` and without it, and
//! in every release that does not say otherwise. `cargo xtask test` runs this both
//! ways.

#![allow(clippy::unwrap_used)]

mod worlds;

use proscenium_direct::population::PopulationOptions;
use proscenium_direct::tempering::TemperingOptions;
use proscenium_direct::{Method, Mix, Model as _, SamplerOptions};
use worlds::{SEED, Steps, batch, start};

/// Scores and densities of all draws of some batches, FNV-1a over their bytes.
fn hash(method: Method) -> u64 {
    let model = Steps::new(8);
    let options = SamplerOptions {
        method: Some(method),
        chains: 3,
        abandon: true,
        warm_up: 100,
        tempering: TemperingOptions { warm_up_rounds: 2, ..TemperingOptions::default() },
        population: PopulationOptions { particles: 40, moves: 3, effective: 0.5 },
        ..SamplerOptions::default()
    };
    let mix = Mix::standard(model.space()).unwrap();
    let mut sampler = start(&model, &mix, SEED, options).unwrap();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for _ in 0..12 {
        let batch = batch(&mut sampler);
        for number in batch.draws.iter().flat_map(|draw| [draw.log_score, draw.log_density]) {
            let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            hash = number.to_le_bytes().iter().fold(hash, step);
        }
    }
    hash
}

#[test]
fn runs_of_all_methods() {
    let found = [Method::Rejection, Method::Chain, Method::Tempering, Method::Population].map(hash);
    let expected = [0xc457_b95b_fd41_e26a, 0x583e_8996_7e9c_8e08, 0x169b_76b9_6c55_e092, 0xec1f_e6b1_c6c6_48fa];
    assert_eq!(found, expected, "{found:#018x?}");
}
