//! Systems that nobody chose: drawn from the seed of the run.

use proscenium_chance::{Seed, Stream};

use super::systems::Stranger;

/// So many systems, of each kind in turn.
pub(super) fn drawn(seed: Seed, count: usize) -> Vec<Stranger> {
    let one = |index: usize| {
        let mut stream = seed.stream("strangers").at(index as u64);
        let (kind, along, text) = match index % 4 {
            0 => ("driven", None, driven(&mut stream)),
            1 => ("switched", Some(0.3), switched(&mut stream)),
            2 => ("coupled", None, coupled(&mut stream)),
            _ => ("damped", None, damped(&mut stream)),
        };
        Stranger::drawn(&format!("{kind} {index}"), along, &text)
    };
    (0..count).map(one).collect()
}

fn between(stream: &mut Stream, low: f64, high: f64) -> f64 {
    low + (high - low) * stream.uniform()
}

/// A spring that may be hard or soft at its ends, driven without saying how often.
fn driven(stream: &mut Stream) -> String {
    let mut of = |low, high| between(stream, low, high);
    let (damping, stiff, cubic, push, pace) = (of(0.1, 0.5), of(-1.0, 2.0), of(0.2, 1.5), of(0.1, 1.0), of(0.6, 2.0));
    format!(
        "[state]\nx = {{ initial = {{ uniform = [-1.0, 1.0] }} }}\nv = {{ initial = 0.0 }}\n[motion]\nx = \"v\"\n\
         v = \"-({damping}) v - ({stiff}) x - {cubic} x^3 + {push} sin({pace} t)\"\n"
    )
}

/// A body that is warmed and cooled by a timer of random length.
fn switched(stream: &mut Stream) -> String {
    let mut of = |low, high| between(stream, low, high);
    let (rate, low, high, from, to) = (of(0.1, 1.0), of(-2.0, 0.0), of(1.0, 4.0), of(1.0, 4.0), of(5.0, 12.0));
    format!(
        "[state]\nwarmth = {{ initial = 0.0 }}\nleft = {{ initial = 3.0 }}\n[motion]\nwarmth = \"{rate} ({low} - warmth)\"\n\
         left = -1.0\n[modes]\nfirst = \"off\"\noff = {{}}\non = {{ warmth = \"{rate} ({high} - warmth)\" }}\n\
         [[switch]]\nfrom = \"off\"\nto = \"on\"\nwhen = \"left <= 0\"\nreset = {{ left = {{ uniform = [{from}, {to}] }} }}\n\
         [[switch]]\nfrom = \"on\"\nto = \"off\"\nwhen = \"left <= 0\"\nreset = {{ left = {{ uniform = [{from}, {to}] }} }}\n"
    )
}

/// Two pendulums on a spring, one of them driven.
fn coupled(stream: &mut Stream) -> String {
    let mut of = |low, high| between(stream, low, high);
    let (spring, damping, push, pace, length) = (of(0.2, 2.0), of(0.15, 0.6), of(0.5, 4.0), of(1.0, 4.0), of(0.8, 2.0));
    format!(
        "[state]\na = {{ angle = true, initial = {{ uniform = [-1.0, 1.0] }} }}\nb = {{ angle = true, initial = 0.0 }}\n\
         a_v = {{ initial = 0.0 }}\nb_v = {{ initial = 0.0 }}\n[forcing]\nperiod = \"2 pi / {pace}\"\n[motion]\na = \"a_v\"\nb = \"b_v\"\n\
         a_v = \"-g sin(a) - {damping} a_v + {spring} sin(b - a) + {push} cos({pace} t)\"\n\
         b_v = \"-g sin(b) / {length} - {damping} b_v + {spring} sin(a - b)\"\n"
    )
}

/// A damped oscillator that comes to rest.
fn damped(stream: &mut Stream) -> String {
    let mut of = |low, high| between(stream, low, high);
    let (damping, stiff, cubic) = (of(0.1, 1.0), of(0.5, 20.0), of(0.0, 2.0));
    format!(
        "[state]\nx = {{ initial = {{ uniform = [-1.0, 1.0] }} }}\nv = {{ initial = {{ normal = [0.0, 1.0] }} }}\n\
         [motion]\nx = \"v\"\nv = \"-{damping} v - {stiff} x - {cubic} x^3\"\n"
    )
}
