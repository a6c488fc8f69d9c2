//! A bowling alley (Chenney 2000, section 2.4.2 and appendix A.1).

use glam::DVec3;

use crate::error::SceneErrors;
use crate::file::{
    At, BodyFile, ComponentFile, DensityFile, MaterialFile, Number, PairFile, RegionFile, SceneFile, SolidFile,
    SpinFile, TruncatedNormalFile, VelocityFile, ZoneFile, vector,
};

use super::parts::{block, drawn, ground, material, named, number, variable};
use super::pins::{DECK, DEPTH, HALF_ALLEY, HALF_LANE, LANE, PIT, spot, standing};
use super::{Builtin, Ingredients, Parameter, Text};

pub(super) const SCENE: Builtin = Builtin {
    name: "bowling",
    summary: "A bowling alley of regulation size; the ball and the places of the pins are uncertain, and the text says \
              which pins stand at the start.",
    text: Some(Text { default: "1,2,3,4,5,6,7,8,9,10", meaning: "the pins that stand at the start" }),
    parameters: &[
        Parameter::whole(
            "hook",
            0.0,
            [0.0, 1.0],
            "1: the ball spins about an inclined axis, and the lane is oiled for the first twelve metres",
        ),
        Parameter::duration(6.0),
    ],
    build,
};

/// The radius of the largest ball, m, and the density of the densest, kg/m³.
pub(crate) const LARGEST: f64 = 0.11;
pub(crate) const DENSEST: f64 = 1440.0;
/// The heaviest ball that the rules allow, kg.
const HEAVIEST: f64 = 7.26;
/// Standard deviation of a pin's place, m.
pub(crate) const OFF: f64 = 0.001;
/// Makes a pin of 1.58 kg, kg/m³.
const MAPLE: f64 = 756.0;
/// The oil covers this much of the lane, m.
const OILED: f64 = 12.0;
/// Friction of the ball on oil, on dry boards, and on a lane that is the same
/// everywhere.
const ON_OIL: f64 = 0.04;
const ON_BOARDS: f64 = 0.20;
const EVEN: f64 = 0.12;
/// How much what rolls sinks into the foam of the pit: rolling resistance.
const IN_FOAM: f64 = 0.3;
/// How far down the pit goes, and how thick the lane is, m.
const PIT_DEPTH: f64 = 1.5;
const THICK: f64 = 0.3;

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let pins = chosen(given.text)?;
    let hooks = given.count("hook") == 1;
    let mut bodies = alley(hooks);
    for pin in &pins {
        let [x, z] = spot(*pin).map(|place| drawn(DensityFile::Normal([place, OFF])));
        bodies.push(standing(*pin, [x, z]));
    }
    bodies.push(ball(hooks));
    let pair = |a: &str, b: &str, restitution: f64, friction: f64| PairFile {
        materials: At::from([a.to_string().into(), b.to_string().into()]),
        restitution: number(restitution),
        friction: number(friction),
        rolling: number(if b == "foam" { IN_FOAM } else { 0.0 }),
    };
    let gloss = |roughness: f64, of: MaterialFile| MaterialFile { roughness: Some(roughness.into()), ..of };
    let density = drawn(DensityFile::Uniform([0.8 * DENSEST, DENSEST]));
    let urethane = MaterialFile { density: Some(density), ..material("#2b3a8f", DENSEST, 0.6, 0.2) };
    let mut materials = vec![
        ("maple".to_string().into(), gloss(0.2, material("#f4f0e8", MAPLE, 0.65, 0.25))),
        ("boards".to_string().into(), gloss(0.25, material("#d9b380", 700.0, 0.35, 0.25))),
        ("urethane".to_string().into(), gloss(0.1, urethane)),
        ("carpet".to_string().into(), gloss(0.9, material("#3a3d42", 1100.0, 0.1, 0.7))),
        ("foam".to_string().into(), gloss(0.9, material("#3a3d42", 60.0, 0.0, 0.9))),
        ("kickback".to_string().into(), gloss(0.6, material("#4b4640", 900.0, 0.55, 0.3))),
    ];
    let mut pairs = vec![
        pair("urethane", "boards", 0.3, if hooks { ON_BOARDS } else { EVEN }),
        pair("urethane", "maple", 0.7, 0.2),
        pair("maple", "boards", 0.4, 0.3),
        pair("maple", "kickback", 0.6, 0.3),
        pair("maple", "foam", 0.0, 0.9),
        pair("urethane", "foam", 0.0, 0.9),
    ];
    if hooks {
        materials.push(("oil".to_string().into(), gloss(0.05, material("#d9b380", 700.0, 0.35, 0.1))));
        pairs.push(pair("urethane", "oil", 0.3, ON_OIL));
    }
    Ok(SceneFile {
        tolerance: Some(At::from(1e-5)),
        variables: ball_variables(hooks),
        materials,
        pairs,
        bodies,
        groups: vec![(
            "pins".to_string().into(),
            pins.iter().map(|pin| format!("pin-{pin}")).collect::<Vec<_>>().into(),
        )],
        ..SceneFile::default()
    })
}

/// The pins that a text names, each once.
fn chosen(text: &str) -> Result<Vec<u32>, SceneErrors> {
    let mut pins = Vec::new();
    for word in text.split([',', ' ']).filter(|word| !word.is_empty()) {
        match word.parse() {
            Ok(pin) if (1..=10).contains(&pin) && !pins.contains(&pin) => pins.push(pin),
            _ => {
                let help = "give different pins from 1 to 10, as in bowling=7,10";
                return Err(SceneErrors::plain(format!("there is no pin \"{word}\" to set up"), help));
            }
        }
    }
    if pins.is_empty() {
        return Err(SceneErrors::plain("no pins are set up", "name at least one, as in bowling=7,10"));
    }
    pins.sort_unstable();
    Ok(pins)
}

/// What does not move: the lane with its gutters, the walls beside the pins from
/// the head pin on, and the pit.
fn alley(hooks: bool) -> Vec<BodyFile> {
    let (from, wall) = (-LANE, 0.03);
    let mut lane = block("lane", "boards", DVec3::new(from, -THICK, -HALF_LANE), DVec3::new(DECK, 0.0, HALF_LANE));
    if hooks {
        let middle = 0.5 * (from + DECK);
        lane.zones.push(ZoneFile {
            shape: RegionFile::Box { edges: vector(OILED, 1.0, 2.0) }.into(),
            position: Some(vector(from + 0.5 * OILED - middle, 0.0, 0.0)),
            material: "oil".to_string().into(),
        });
    }
    let gutter =
        |name: &str, z: [f64; 2]| block(name, "carpet", DVec3::new(from, -THICK, z[0]), DVec3::new(DECK, -DEPTH, z[1]));
    let kickback = |name: &str, z: [f64; 2]| {
        block(name, "kickback", DVec3::new(0.0, -PIT_DEPTH, z[0]), DVec3::new(PIT, 0.6, z[1]))
    };
    let cushion =
        block("pit cushion", "foam", DVec3::new(PIT, -PIT_DEPTH, -HALF_ALLEY), DVec3::new(PIT + 0.05, 0.6, HALF_ALLEY));
    vec![
        ground("pit", "foam", -PIT_DEPTH),
        lane,
        gutter("left gutter", [-HALF_ALLEY, -HALF_LANE]),
        gutter("right gutter", [HALF_LANE, HALF_ALLEY]),
        kickback("left kickback", [-HALF_ALLEY - wall, -HALF_ALLEY]),
        BodyFile { hidden: true, ..kickback("right kickback", [HALF_ALLEY, HALF_ALLEY + wall]) },
        cushion,
    ]
}

/// What the author of a shot varies, by name.
fn ball_variables(hooks: bool) -> Vec<(At<String>, At<ComponentFile>)> {
    let speed = |mean: f64, deviation: f64| {
        DensityFile::TruncatedNormal(TruncatedNormalFile::Named {
            mean,
            standard_deviation: deviation,
            low: Some(3.5),
            high: None,
        })
    };
    let mut variables = vec![
        ("ball_radius", DensityFile::Uniform([0.8 * LARGEST, LARGEST])),
        ("place", DensityFile::Uniform([-HALF_LANE, HALF_LANE])),
    ];
    if hooks {
        variables.extend([
            ("speed", speed(8.0, 1.0)),
            ("drift", DensityFile::Normal([0.0, 0.4])),
            ("side_spin", DensityFile::Normal([0.0, 25.0])),
            ("top_spin", DensityFile::Normal([0.0, 15.0])),
            ("roll", DensityFile::Normal([-20.0, 20.0])),
        ]);
    } else {
        variables.extend([
            ("speed", speed(7.0, 1.0)),
            ("drift", DensityFile::Normal([0.0, 0.1])),
            ("top_spin", DensityFile::Normal([0.0, 0.2])),
        ]);
    }
    let named =
        |(name, density): (&str, DensityFile)| (At::from(name.to_string()), At::from(ComponentFile::Density(density)));
    variables.into_iter().map(named).collect()
}

/// At the foul line, anywhere across the lane and just above it.
fn ball(hooks: bool) -> BodyFile {
    let height = DensityFile::TruncatedNormal(TruncatedNormalFile::Named {
        mean: 1.1 * LARGEST,
        standard_deviation: 0.1 * LARGEST,
        low: Some(LARGEST),
        high: None,
    });
    let zero = || Number::from(0.0);
    let spin =
        if hooks { ["side_spin", "top_spin", "roll"].map(variable) } else { [zero(), variable("top_spin"), zero()] };
    BodyFile {
        material: named("urethane"),
        mass_at_most: Some(At::from(HEAVIEST)),
        position: Some(At::from([Number::from(-LANE), drawn(height), variable("place")])),
        velocity: Some(VelocityFile::Components(At::from([variable("speed"), zero(), variable("drift")])).into()),
        spin: Some(SpinFile::Components(At::from(spin)).into()),
        ..BodyFile::new("ball", SolidFile::Sphere { sphere: variable("ball_radius") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_set_up_by_number() {
        assert_eq!(chosen("7, 10").unwrap(), [7, 10]);
        assert_eq!(chosen("10 2 1").unwrap(), [1, 2, 10]);
        for wrong in ["", "11", "0", "7,7", "head"] {
            assert!(chosen(wrong).is_err(), "{wrong}");
        }
    }

    /// The rules of the game, in inches.
    #[test]
    fn spots_are_a_foot_apart() {
        let inch = 0.0254;
        assert_eq!(spot(1), [0.0, 0.0]);
        for (pin, edge) in [(7, -20.75), (10, 20.75)] {
            let [_, z] = spot(pin);
            assert!(((z / inch - edge).abs() - 2.75).abs() < 1e-9);
        }
        for (a, b) in [(1, 2), (1, 3), (2, 3), (2, 4), (5, 9), (7, 8), (6, 10)] {
            let ([x, z], [other_x, other_z]) = (spot(a), spot(b));
            let apart = libm::hypot(x - other_x, z - other_z);
            assert!((apart / inch - 12.0).abs() < 1e-9, "{a} {b}");
        }
    }
}
