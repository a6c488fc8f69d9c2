//! What a model is besides its functions, and what was learned of it.

use crate::compile::maps::Map;
use crate::compile::network::Layer;
use crate::compile::periodic::Orbit;
use crate::compile::phases::Phase;
use crate::compile::stationary::Leaf;
use crate::learned::{Behaviour, Jump};

use super::{Literal, Module};

/// The name of the stream that players draw from.
const STREAM: &[u8] = b"player";

impl Module<'_> {
    pub(super) fn tables(&mut self) {
        self.model_tables();
        self.switch_tables();
        self.learned_tables();
    }

    fn model_tables(&mut self) {
        let (model, learned) = (&self.culled.model, &self.culled.learned);
        let [low, high] = stream_identity();
        let words = vec![Literal::Whole(low.into()), Literal::Whole(high.into())];
        self.private("STREAM", "[u32; 2]", Literal::Array(words));
        self.private("FIRST_MODE", "u8", Literal::Whole(model.first_mode.into()));
        self.private("IS_DRIVEN", "bool", Literal::Flag(model.is_driven()));
        self.private("BUFFER_STEP", "f64", Literal::Number(learned.buffer_step));
        self.private("TOLERANCE", "f64", Literal::Number(model.tolerance()));
        self.private("LONGEST_STEP", "f64", Literal::Number(model.longest_step));
        let point = |point: &[f64; 3]| Literal::Array(point.iter().map(|value| Literal::Number(*value)).collect());
        let curves = model.curves.iter().map(|curve| Literal::List(curve.points.iter().map(point).collect()));
        self.private("CURVES", "&[&[[f64; 3]]]", Literal::List(curves.collect()));
        let axes = learned.grid.axes.iter().map(|axis| {
            let (low, high) = (Literal::Number(axis.low), Literal::Number(axis.high));
            let (wraps, cells) = (Literal::Flag(axis.wraps), Literal::Whole(axis.cells.into()));
            Literal::Record("Axis", vec![("low", low), ("high", high), ("wraps", wraps), ("cells", cells)])
        });
        self.private("AXES", "&[Axis]", Literal::List(axes.collect()));
    }

    fn switch_tables(&mut self) {
        let model = &self.culled.model;
        let motions = (0..model.motion.len()).map(|mode| Literal::Name(format!("motion{mode}")));
        self.private("MOTIONS", "&[Rates]", Literal::List(motions.collect()));
        let energy = model.energy.as_ref().map(|_| Literal::Name("energy".to_owned()));
        self.private("ENERGY", "Option<Number>", Literal::perhaps(energy));
        let speeds = model.energy_of.iter().map(|speed| Literal::Whole(*speed as u64)).collect();
        self.private("ENERGY_OF", "&[usize]", Literal::List(speeds));
        let mode = |mode: u8| Literal::Whole(mode.into());
        let switches = model.switches.iter().enumerate().map(|(index, switch)| {
            let (when, reset) = (format!("when{index}"), format!("reset{index}"));
            let fields = vec![
                ("from", mode(switch.from)),
                ("to", mode(switch.to)),
                ("when", Literal::Name(when)),
                ("reset", Literal::Name(reset)),
                ("held", Literal::perhaps(switch.held.map(|held| Literal::Whole(held.into())))),
                ("for_ever", Literal::Flag(model.rests_for_ever(switch))),
            ];
            Literal::Record("Switch", fields)
        });
        self.private("SWITCHES", "&[Switch]", Literal::List(switches.collect()));
        let effects = model.signals.iter().enumerate().map(|(index, signal)| {
            let fields = vec![
                ("name", Literal::Text(&signal.name)),
                ("from", Literal::perhaps(signal.from.map(mode))),
                ("to", Literal::perhaps(signal.to.map(mode))),
                ("reset", Literal::Name(format!("effect{index}"))),
            ];
            Literal::Record("Effect", fields)
        });
        self.private("EFFECTS", "&[Effect]", Literal::List(effects.collect()));
    }

    fn learned_tables(&mut self) {
        let learned = &self.culled.learned;
        let (mut period, mut forcing, mut step, mut is_forced) = (1.0, None, 1.0, false);
        let (mut attracts, mut near, mut level) = (false, 0.0, None);
        let (mut orbits, mut jumps, mut leaves) = (Vec::new(), Vec::new(), Vec::new());
        let mut states: &[u16] = &[];
        let mut phases = Vec::new();
        match &learned.behaviour {
            // Of a recorded motion no module is made.
            Behaviour::ClosedForm | Behaviour::Recorded(_) => {}
            Behaviour::Periodic(periodic) => {
                (period, forcing) = (periodic.period, periodic.forcing);
                (attracts, near) = (periodic.attracts, periodic.near());
                orbits = periodic.orbits.iter().map(orbit).collect();
            }
            Behaviour::Forgetful(forgetful) => {
                (step, is_forced, level) = (forgetful.step, forgetful.is_forced, forgetful.energy);
                jumps = forgetful.jumps.iter().map(jump).collect();
                leaves = forgetful.distribution.leaves.iter().map(leaf).collect();
                states = &forgetful.distribution.states;
                phases = forgetful.phases.iter().map(phase).collect();
            }
        }
        self.private("MEDIUM", "f64", Literal::Number(learned.medium().unwrap_or(f64::INFINITY)));
        self.private("LONG", "f64", Literal::Number(learned.long().unwrap_or(f64::INFINITY)));
        self.private("LONGEST_CHAIN", "f64", Literal::Number(learned.longest_chain()));
        self.private("IS_PERIODIC", "bool", Literal::Flag(learned.period().is_some()));
        self.private("PERIOD", "f64", Literal::Number(period));
        self.private("FORCING", "Option<f64>", Literal::perhaps(forcing.map(Literal::Number)));
        self.private("ATTRACTS", "bool", Literal::Flag(attracts));
        self.private("NEAR_ORBIT", "f64", Literal::Number(near));
        self.private("LEVEL", "Option<f64>", Literal::perhaps(level.map(Literal::Number)));
        self.private("ORBITS", "&[Orbit]", Literal::List(orbits));
        self.private("STEP", "f64", Literal::Number(step));
        self.private("IS_FORCED", "bool", Literal::Flag(is_forced));
        self.private("JUMPS", "&[Jump]", Literal::List(jumps));
        self.private("LEAVES", "&[Leaf]", Literal::List(leaves));
        self.private("STATES", "&[u16]", Literal::Shorts(states));
        self.private("PHASES", "&[Phase]", Literal::List(phases));
    }
}

fn orbit(orbit: &Orbit) -> Literal<'_> {
    let fields = vec![
        ("winding", Literal::numbers(&orbit.winding)),
        ("count", Literal::Whole(orbit.count.into())),
        ("energy", Literal::perhaps(orbit.energy.map(Literal::Number))),
        ("samples", Literal::Floats(&orbit.samples)),
    ];
    Literal::Record("Orbit", fields)
}

fn leaf(leaf: &Leaf) -> Literal<'_> {
    let fields = vec![
        ("cumulative", Literal::Number(leaf.cumulative)),
        ("mode", Literal::Whole(leaf.mode.into())),
        ("count", Literal::Whole(leaf.count.into())),
        ("first", Literal::Whole(leaf.first.into())),
    ];
    Literal::Record("Leaf", fields)
}

fn layer(layer: &Layer) -> Literal<'_> {
    let fields = vec![
        ("inputs", Literal::Whole(layer.inputs.into())),
        ("nodes", Literal::Whole(layer.nodes.into())),
        ("weights", Literal::Floats(&layer.weights)),
    ];
    Literal::Record("Layer", fields)
}

fn phase(phase: &Phase) -> Literal<'_> {
    let fields = vec![
        ("states", Literal::Shorts(&phase.states)),
        ("to_next", Literal::perhaps(phase.to_next.as_ref().map(map))),
        ("from_start", Literal::perhaps(phase.from_start.as_ref().map(map))),
    ];
    Literal::Record("Phase", fields)
}

fn jump(jump: &Jump) -> Literal<'_> {
    Literal::Record("Jump", vec![("steps", Literal::Whole(jump.steps.into())), ("map", map(&jump.map))])
}

fn map(map: &Map) -> Literal<'_> {
    match map {
        Map::Network(network) => {
            let fields = vec![
                ("layers", Literal::List(network.layers.iter().map(layer).collect())),
                ("scales", Literal::Floats(&network.scales)),
                ("offsets", Literal::Floats(&network.offsets)),
            ];
            Literal::Record("Map::Network", fields)
        }
        Map::Polynomials(polynomials) => {
            let cells = polynomials.grid.axes.iter().map(|axis| Literal::Whole(axis.cells.into()));
            let fields = vec![
                ("cells", Literal::List(cells.collect())),
                ("degree", Literal::Whole(polynomials.degree.into())),
                ("places", Literal::Shorts(&polynomials.places)),
                ("coefficients", Literal::Floats(&polynomials.coefficients)),
            ];
            Literal::Record("Map::Polynomials", fields)
        }
        Map::Transfer(transfer) => {
            let cells = transfer.cells.iter().map(|cells| Literal::Whole((*cells).into()));
            let fields = vec![
                ("cells", Literal::List(cells.collect())),
                ("starts", Literal::Words(&transfer.starts)),
                ("states", Literal::Shorts(&transfer.states)),
                ("modes", Literal::Bytes(&transfer.modes)),
                ("is_relative", Literal::Flag(transfer.is_relative)),
            ];
            Literal::Record("Map::Transfer", fields)
        }
    }
}

/// The identity of the stream that players draw from, low word first.
fn stream_identity() -> [u32; 2] {
    // As `Stream` documents it: the SplitMix64 finaliser of the FNV-1a hash.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in STREAM {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let mut z = hash;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    [z as u32, (z >> 32) as u32]
}
