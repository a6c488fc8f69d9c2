// ---------------------------------------------------------------------------
// What all modules share: random streams, the integrator, and the three ways
// back into view.

/// The values of the state variables, and the mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    pub values: [f64; D],
    pub mode: u8,
}

/// How a state was come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    Complete,
    Approximate,
    Sampled,
}

struct Axis {
    low: f64,
    high: f64,
    wraps: bool,
    cells: usize,
}

struct Switch {
    from: u8,
    to: u8,
    when: fn(u8, f64, &[f64; D]) -> f64,
    reset: fn(u8, f64, &[f64; D], &mut Stream) -> [f64; D],
}

struct Orbit {
    winding: &'static [f64],
    samples: &'static [f32],
    count: usize,
    energy: Option<f64>,
}

struct Leaf {
    cumulative: f64,
    mode: u8,
    count: usize,
    first: usize,
}

struct Jump {
    steps: u64,
    map: Map,
}

enum Map {
    Network { layers: &'static [(usize, usize, &'static [f32])], scales: &'static [f32], offsets: &'static [f32] },
    Polynomials { cells: [usize; D], degree: u8, places: &'static [u16], coefficients: &'static [f32] },
    Transfer { starts: &'static [u32], states: &'static [u16], modes: &'static [u8] },
}

/// One stream of random words: Philox4x32-10.
#[derive(Clone)]
pub struct Stream {
    key: [u32; 2],
    position: u64,
}

impl Stream {
    fn new(seed: u64) -> Self {
        let mut z = seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        z ^= z >> 31;
        Self { key: [z as u32, (z >> 32) as u32], position: 0 }
    }

    fn word(&mut self) -> u32 {
        let number = self.position / 4;
        let block = philox(number, self.key);
        let word = block[(self.position % 4) as usize];
        self.position += 1;
        word
    }

    fn uniform(&mut self) -> f64 {
        let high = u64::from(self.word() >> 6);
        let low = u64::from(self.word() >> 6);
        (2 * (high << 26 | low) + 1) as f64 / 9007199254740992.0
    }
}

fn philox(number: u64, key: [u32; 2]) -> [u32; 4] {
    let [mut a, mut b, mut c, mut d] = [number as u32, (number >> 32) as u32, STREAM[0], STREAM[1]];
    let [mut k0, mut k1] = key;
    for _ in 0..10 {
        let first = 0xd2511f53_u64 * u64::from(a);
        let second = 0xcd9e8d57_u64 * u64::from(c);
        (a, b, c, d) =
            ((second >> 32) as u32 ^ b ^ k0, second as u32, (first >> 32) as u32 ^ d ^ k1, first as u32);
        k0 = k0.wrapping_add(0x9e3779b9);
        k1 = k1.wrapping_add(0xbb67ae85);
    }
    [a, b, c, d]
}

fn draw_constant(stream: &mut Stream, value: f64) -> f64 {
    stream.uniform();
    value
}

fn draw_uniform(stream: &mut Stream, low: f64, high: f64) -> f64 {
    let p = stream.uniform();
    if p <= 0.5 { low + (high - low) * p } else { high - (high - low) * (1.0 - p) }
}

fn draw_exponential(stream: &mut Stream, rate: f64) -> f64 {
    0.0 - (-stream.uniform()).ln_1p() / rate
}

fn draw_normal(stream: &mut Stream, mean: f64, deviation: f64) -> f64 {
    mean + deviation * normal_quantile(stream.uniform())
}

/// Wichura's algorithm AS 241.
fn normal_quantile(p: f64) -> f64 {
    let polynomial = |c: &[f64], x: f64| c.iter().fold(0.0, |sum, term| sum * x + term);
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * polynomial(&NORMAL[0], r) / polynomial(&NORMAL[1], r);
    }
    let r = (-(if p < 0.5 { p } else { 1.0 - p }).ln()).sqrt();
    let z = if r <= 5.0 {
        polynomial(&NORMAL[2], r - 1.6) / polynomial(&NORMAL[3], r - 1.6)
    } else {
        polynomial(&NORMAL[4], r - 5.0) / polynomial(&NORMAL[5], r - 5.0)
    };
    if p < 0.5 { -z } else { z }
}

/// The constants of AS 241, the highest power first.
#[rustfmt::skip]
const NORMAL: [[f64; 8]; 6] = [
    [2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987,
     13731.69376550946, 1971.5909503065513, 133.14166789178438, 3.3871328727963665],
    [5226.495278852854, 28729.085735721943, 39307.89580009271, 21213.794301586597,
     5394.196021424751, 687.1870074920579, 42.31333070160091, 1.0],
    [0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684,
     3.6478483247632045, 5.769497221460691, 4.630337846156546, 1.4234371107496835],
    [1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008,
     0.6897673349851, 1.6763848301838038, 2.053191626637759, 1.0],
    [2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124,
     0.29656057182850487, 1.7848265399172913, 5.463784911164114, 6.657904643501103],
    [2.0442631033899397e-15, 1.421511758316446e-7, 1.8463183175100548e-5, 0.0007868691311456133,
     0.014875361290850615, 0.1369298809227358, 0.599832206555888, 1.0],
];

fn modulo(x: f64, y: f64) -> f64 {
    x - y * (x / y).floor()
}

fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

fn curve(points: &[[f64; 3]], component: usize, derivative: usize, at: f64) -> f64 {
    let count = points.len();
    if !at.is_finite() {
        return 0.0;
    }
    let around = at - count as f64 * (at / count as f64).floor();
    let start = (around.floor() as usize).min(count - 1);
    let u = around - start as f64;
    let v = 1.0 - u;
    let weights = match derivative {
        0 => [
            v * v * v / 6.0,
            (3.0 * u * u * u - 6.0 * u * u + 4.0) / 6.0,
            (-3.0 * u * u * u + 3.0 * u * u + 3.0 * u + 1.0) / 6.0,
            u * u * u / 6.0,
        ],
        1 => [-0.5 * v * v, 1.5 * u * u - 2.0 * u, -1.5 * u * u + u + 0.5, 0.5 * u * u],
        _ => [v, 3.0 * u - 2.0, 1.0 - 3.0 * u, u],
    };
    weights.iter().enumerate().map(|(offset, weight)| weight * points[(start + offset) % count][component]).sum()
}

const C: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
const A: [[f64; 6]; 7] = [
    [0.0; 6],
    [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
const E: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];
const TOLERANCE: f64 = 1e-6;

/// One step of Dormand and Prince, 5(4): the values, the rates and the error.
fn step(state: &State, time: f64, rates: &[f64; D], h: f64) -> ([f64; D], [f64; D], f64) {
    let mut stages = [*rates; 7];
    let mut next = state.values;
    for stage in 1..7 {
        for variable in 0..D {
            let mut sum = 0.0;
            for earlier in 0..stage {
                sum += A[stage][earlier] * stages[earlier][variable];
            }
            next[variable] = state.values[variable] + h * sum;
        }
        stages[stage] = motion(state.mode, time + C[stage] * h, &next);
    }
    let mut worst = 0.0_f64;
    for variable in 0..D {
        let mut difference = 0.0;
        for stage in 0..7 {
            difference += E[stage] * stages[stage][variable];
        }
        let size = state.values[variable].abs().max(next[variable].abs());
        let error = (h * difference).abs() / (TOLERANCE + TOLERANCE * size);
        worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
    }
    (next, stages[6], worst)
}

fn growth(error: f64) -> f64 {
    if error <= 1e-8 { 5.0 } else { (0.9 * error.powf(-0.2)).clamp(0.2, 5.0) }
}

fn leaving(mode: u8, time: f64, values: &[f64; D]) -> Option<&'static Switch> {
    SWITCHES.iter().find(|one| one.from == mode && (one.when)(mode, time, values) >= 0.0)
}

fn change_mode(state: &mut State, time: f64, stream: &mut Stream) {
    // A model that changes for ever at one moment was refused when compiled.
    for _ in 0..50 {
        let Some(change) = leaving(state.mode, time, &state.values) else {
            return;
        };
        state.values = (change.reset)(state.mode, time, &state.values, stream);
        state.mode = change.to;
    }
}

/// Moves a state from one time to a later one: the complete model.
pub fn advance(state: &mut State, from: f64, to: f64, stream: &mut Stream) {
    let (mut time, mut h) = (from, 0.1_f64);
    change_mode(state, time, stream);
    let mut rates = motion(state.mode, time, &state.values);
    while time < to {
        let longest = h.min(if SWITCHES.is_empty() { f64::INFINITY } else { 0.25 });
        let is_last = to - time <= longest * (1.0 + 1e-9);
        let tried = if is_last { to - time } else { longest };
        let (values, after_rates, error) = step(state, time, &rates, tried);
        if error > 1.0 {
            h = tried * growth(error).min(0.9);
            if h < 1e-10 * (1.0 + time.abs()) {
                return;
            }
            continue;
        }
        let end = if is_last { to } else { time + tried };
        if leaving(state.mode, end, &values).is_some() {
            let (mut before, mut after) = (0.0, tried);
            for _ in 0..40 {
                let middle = 0.5 * (before + after);
                let there = step(state, time, &rates, middle).0;
                if leaving(state.mode, time + middle, &there).is_some() { after = middle } else { before = middle }
            }
            state.values = step(state, time, &rates, after).0;
            time = (time + after).min(to);
            change_mode(state, time, stream);
            rates = motion(state.mode, time, &state.values);
        } else {
            state.values = values;
            rates = after_rates;
            time = end;
        }
        h = tried * growth(error);
    }
}

fn around(axis: &Axis, value: f64) -> f64 {
    if !axis.wraps {
        return value;
    }
    let (above, period) = (value - axis.low, axis.high - axis.low);
    axis.low + (above - period * (above / period).floor())
}

fn wrapped(mut state: State) -> State {
    for (axis, value) in AXES.iter().zip(&mut state.values) {
        *value = around(axis, *value);
    }
    state
}

fn cell_of(cells: &[usize; D], state: &State) -> Option<usize> {
    let mut index = usize::from(state.mode);
    for variable in 0..D {
        let (axis, count) = (&AXES[variable], cells[variable] as f64);
        let mut at = ((around(axis, state.values[variable]) - axis.low) / ((axis.high - axis.low) / count)).floor();
        if axis.wraps {
            at = at.min(count - 1.0);
        }
        if !(at >= 0.0 && at <= count - 1.0) {
            return None;
        }
        index = index * cells[variable] + at as usize;
    }
    Some(index)
}

fn decoded(codes: &[u16], first: usize, mode: u8) -> State {
    let mut state = State { values: [0.0; D], mode };
    for (variable, axis) in AXES.iter().enumerate() {
        state.values[variable] = axis.low + (axis.high - axis.low) * (f64::from(codes[first + variable]) / 65535.0);
    }
    state
}

/// The state after one jump; `None` where nothing was learned.
fn leap(map: &Map, state: &State, stream: &mut Stream) -> Option<State> {
    let mut cells = [0; D];
    for (count, axis) in cells.iter_mut().zip(&AXES) {
        *count = axis.cells;
    }
    let cell = cell_of(&cells, state)?;
    let change = match map {
        Map::Transfer { starts, states, modes } => {
            let which = stream.uniform();
            let count = starts[cell + 1] - starts[cell];
            if count == 0 {
                return None;
            }
            let chosen = starts[cell] + ((which * f64::from(count)) as u32).min(count - 1);
            return Some(decoded(states, chosen as usize * D, modes[chosen as usize]));
        }
        Map::Network { layers, scales, offsets } => network_change(layers, scales, offsets, state),
        Map::Polynomials { cells, degree, places, coefficients } => {
            polynomial_change(cells, *degree, places, coefficients, state)?
        }
    };
    let mut after = *state;
    for (value, change) in after.values.iter_mut().zip(change) {
        *value += change;
    }
    Some(wrapped(after))
}

fn network_change(
    layers: &[(usize, usize, &[f32])],
    scales: &[f32],
    offsets: &[f32],
    state: &State,
) -> [f64; D] {
    let mut now = Vec::new();
    for (axis, value) in AXES.iter().zip(state.values) {
        let part = (value - axis.low) / (axis.high - axis.low);
        if axis.wraps {
            now.push((std::f64::consts::TAU * part).cos());
            now.push((std::f64::consts::TAU * part).sin());
        } else {
            now.push(2.0 * part - 1.0);
        }
    }
    for (index, (inputs, nodes, weights)) in layers.iter().enumerate() {
        let mut next = Vec::new();
        for node in 0..*nodes {
            let row = node * (inputs + 1);
            let mut sum = f64::from(weights[row + inputs]);
            for input in 0..*inputs {
                sum += f64::from(weights[row + input]) * now[input];
            }
            next.push(if index + 1 == layers.len() { sum } else { sum / (1.0 + sum * sum).sqrt() });
        }
        now = next;
    }
    let mut change = [0.0; D];
    for variable in 0..D {
        change[variable] = f64::from(offsets[variable]) + f64::from(scales[variable]) * now[variable];
    }
    change
}

fn polynomial_change(
    cells: &[usize; D],
    degree: u8,
    places: &[u16],
    coefficients: &[f32],
    state: &State,
) -> Option<[f64; D]> {
    let cell = cell_of(cells, state)?;
    let place = usize::from(places[cell]).checked_sub(1)?;
    let mut rest = cell;
    let mut local = [0.0; D];
    for variable in (0..D).rev() {
        let (axis, count) = (&AXES[variable], cells[variable]);
        let (period, width) = (axis.high - axis.low, (axis.high - axis.low) / count as f64);
        let corner = axis.low + width * (rest % count) as f64;
        rest /= count;
        let value = around(axis, state.values[variable]);
        let turns = if axis.wraps { ((value - corner - 0.5 * width) / period + 0.5).floor() } else { 0.0 };
        local[variable] = 2.0 * (value - turns * period - corner) / width - 1.0;
    }
    let mut terms = vec![1.0];
    terms.extend(local);
    for a in 0..D {
        for b in a..D {
            terms.push(local[a] * local[b]);
            if degree > 2 {
                for c in b..D {
                    terms.push(local[a] * local[b] * local[c]);
                }
            }
        }
    }
    let mut change = [0.0; D];
    for (variable, change) in change.iter_mut().enumerate() {
        let start = (place * D + variable) * terms.len();
        *change = terms.iter().enumerate().map(|(i, term)| f64::from(coefficients[start + i]) * term).sum();
    }
    Some(change)
}

fn sample(stream: &mut Stream) -> Option<State> {
    let (which, within) = (stream.uniform(), stream.uniform());
    let wanted = which * LEAVES.last()?.cumulative;
    let leaf = LEAVES.iter().find(|leaf| !(leaf.cumulative < wanted))?;
    let chosen = ((within * leaf.count as f64) as usize).min(leaf.count - 1);
    Some(decoded(&STATES, (leaf.first + chosen) * D, leaf.mode))
}

fn on_orbit(orbit: &Orbit, part: f64) -> State {
    let part = part - part.floor();
    let at = part * orbit.count as f64;
    let index = (at.floor() as usize).min(orbit.count - 1);
    let u = at - index as f64;
    let value = |offset: usize, variable: usize| f64::from(orbit.samples[(index + offset) % orbit.count * D + variable]);
    let mut state = State { values: [0.0; D], mode: 0 };
    for (variable, axis) in AXES.iter().enumerate() {
        let (a, b) = (value(orbit.count - 1, variable), value(0, variable));
        let (c, d) = (value(1, variable), value(2, variable));
        let cubic = b + 0.5 * u * (c - a + u * (2.0 * a - 5.0 * b + 4.0 * c - d + u * (3.0 * (b - c) + d - a)));
        state.values[variable] = around(axis, cubic + orbit.winding[variable] * part);
    }
    state
}

fn apart(a: &State, b: &State) -> f64 {
    let mut worst = 0.0_f64;
    for (variable, axis) in AXES.iter().enumerate() {
        let mut share = (a.values[variable] - b.values[variable]) / (axis.high - axis.low);
        if axis.wraps {
            share -= (share + 0.5).floor();
        }
        worst = worst.max(share.abs());
    }
    worst
}

fn nearest_part(orbit: &Orbit, state: &State) -> (f64, f64) {
    let off = |part: f64| apart(&on_orbit(orbit, part), state);
    let (mut best, mut least) = (0.0, f64::INFINITY);
    for index in 0..orbit.count {
        let part = index as f64 / orbit.count as f64;
        if off(part) < least {
            (best, least) = (part, off(part));
        }
    }
    let (mut low, mut high) = (best - 1.0 / orbit.count as f64, best + 1.0 / orbit.count as f64);
    for _ in 0..30 {
        let (first, second) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if off(first) < off(second) { high = second } else { low = first }
    }
    (0.5 * (low + high), off(0.5 * (low + high)))
}

fn periodic_after(state: &State, from: f64, to: f64) -> Option<State> {
    let mut best: Option<(&Orbit, f64)> = None;
    let mut least = f64::INFINITY;
    for orbit in ORBITS.iter() {
        let (part, off) = match FORCING {
            None => nearest_part(orbit, state),
            Some(forcing) => {
                let turns = ((PERIOD / forcing).round() as u32).max(1);
                (0..turns).fold((0.0, f64::INFINITY), |best, turn| {
                    let part = (from + f64::from(turn) * forcing) / PERIOD;
                    let off = apart(&on_orbit(orbit, part), state);
                    if off < best.1 { (part, off) } else { best }
                })
            }
        };
        if off < least {
            (best, least) = (Some((orbit, part)), off);
        }
    }
    let (orbit, part) = best.filter(|_| least < 0.04)?;
    let mut after = on_orbit(orbit, part + (to - from) / PERIOD);
    if let (Some(wanted), Some(energy)) = (orbit.energy, ENERGY) {
        let mut resting = after;
        resting.values[ENERGY_OF] = 0.0;
        let now = energy(after.mode, 0.0, &after.values);
        let rest = energy(after.mode, 0.0, &resting.values);
        let ratio = (wanted - rest) / (now - rest);
        if ratio.is_finite() && ratio > 0.0 {
            after.values[ENERGY_OF] *= ratio.sqrt();
        }
    }
    Some(after)
}

fn regime_after(seconds: f64) -> Regime {
    if seconds > LONG {
        Regime::Sampled
    } else if seconds > MEDIUM {
        Regime::Approximate
    } else {
        Regime::Complete
    }
}

/// The state after a time out of view.
fn recover(last: State, from: f64, to: f64, regime: Regime, stream: &mut Stream) -> State {
    let mut state = wrapped(last);
    match regime {
        Regime::Approximate if IS_PERIODIC => {
            if let Some(after) = periodic_after(&state, from, to) {
                return after;
            }
            let rounds = ((to - from) / PERIOD - 64.0).floor().max(0.0);
            advance(&mut state, from + rounds * PERIOD, to, stream);
        }
        Regime::Approximate => return jump(state, from, to, stream),
        Regime::Sampled => {
            let begin = if IS_FORCED { (to / STEP).floor() * STEP } else { to };
            state = sample(stream).unwrap_or(state);
            advance(&mut state, begin, to, stream);
        }
        Regime::Complete => advance(&mut state, from.max(to - LONG.max(MEDIUM)), to, stream),
    }
    state
}

fn jump(mut state: State, from: f64, to: f64, stream: &mut Stream) -> State {
    let mut begin = (if IS_FORCED { (from / STEP).ceil() * STEP } else { from }).min(to);
    advance(&mut state, from, begin, stream);
    state = wrapped(state);
    let mut steps = ((to - begin) / STEP).floor().max(0.0) as u64;
    let most = 4096 * JUMPS.first().map_or(1, |jump| jump.steps);
    if steps > most {
        begin += (steps - most) as f64 * STEP;
        steps = most;
    }
    for one in JUMPS.iter() {
        while steps >= one.steps {
            match leap(&one.map, &state, stream) {
                Some(after) => state = after,
                None => {
                    advance(&mut state, begin, begin + one.steps as f64 * STEP, stream);
                    state = wrapped(state);
                }
            }
            begin += one.steps as f64 * STEP;
            steps -= one.steps;
        }
    }
    advance(&mut state, begin, to, stream);
    state
}

#[derive(Clone)]
struct Entry {
    state: State,
    rates: [f64; D],
    stream: Stream,
}

/// A system as a viewer meets it. Call `see` with the time of each frame in
/// which it is in view, in order, and nothing while it is not.
#[derive(Clone)]
pub struct Player {
    stream: Stream,
    last_seen: f64,
    base: f64,
    entries: Vec<Entry>,
}

impl Player {
    /// A system that starts in an initial state at a time.
    pub fn new(seed: u64, time: f64) -> Self {
        let mut stream = Stream::new(seed);
        let values = initial(&mut stream);
        let mut player = Self { stream, last_seen: time, base: time, entries: Vec::new() };
        player.restart(State { values, mode: FIRST_MODE }, time);
        player
    }

    /// The state now, and how it was come by.
    pub fn see(&mut self, now: f64) -> (State, Regime) {
        let now = now.max(self.last_seen);
        let regime = self.reach(now);
        self.last_seen = now;
        (self.between(now), regime)
    }

    /// The outputs of a state, in the order of `OUTPUTS`.
    pub fn show(state: &State, now: f64) -> [f64; OUTPUTS.len()] {
        outputs(state.mode, now, &state.values)
    }

    /// Changes the state now; what was computed ahead is void.
    pub fn interact(&mut self, now: f64, change: impl FnOnce(&mut State)) {
        self.reach(now);
        let mut state = self.between(now);
        change(&mut state);
        self.restart(state, now);
    }

    /// Computes states ahead of the viewer, at most so many.
    pub fn look_ahead(&mut self, most: usize) {
        for _ in 0..most {
            if self.entries.len() < 8 {
                self.extend();
            }
        }
    }

    fn reach(&mut self, now: f64) -> Regime {
        let end = self.base + (self.entries.len() as f64 - 1.0) * BUFFER_STEP;
        let mut regime = Regime::Complete;
        if now > end {
            regime = regime_after(now - self.last_seen);
            if regime == Regime::Complete && now <= end + BUFFER_STEP {
                self.extend();
            } else {
                let last = self.entries[self.entries.len() - 1].state;
                let state = recover(last, end, now, regime, &mut self.stream);
                self.restart(state, now);
            }
        }
        while self.entries.len() > 2 && self.base + BUFFER_STEP <= now {
            self.entries.remove(0);
            self.base += BUFFER_STEP;
        }
        if self.entries.len() < 2 {
            self.extend();
        }
        regime
    }

    fn restart(&mut self, state: State, time: f64) {
        let state = wrapped(state);
        let rates = motion(state.mode, time, &state.values);
        self.entries = vec![Entry { state, rates, stream: self.stream.clone() }];
        self.base = time;
    }

    fn extend(&mut self) {
        let count = self.entries.len() as f64;
        let (from, to) = (self.base + (count - 1.0) * BUFFER_STEP, self.base + count * BUFFER_STEP);
        let mut state = self.entries[self.entries.len() - 1].state;
        advance(&mut state, from, to, &mut self.stream);
        let rates = motion(state.mode, to, &state.values);
        self.entries.push(Entry { state, rates, stream: self.stream.clone() });
    }

    fn between(&self, now: f64) -> State {
        let index = (((now - self.base) / BUFFER_STEP).floor().max(0.0) as usize).min(self.entries.len() - 2);
        let (before, after) = (&self.entries[index], &self.entries[index + 1]);
        let start = self.base + index as f64 * BUFFER_STEP;
        let mut state = before.state;
        if !SWITCHES.is_empty() {
            advance(&mut state, start, now.max(start), &mut before.stream.clone());
        } else {
            let u = ((now - start) / BUFFER_STEP).clamp(0.0, 1.0);
            for variable in 0..D {
                let (a, b) = (before.state.values[variable], after.state.values[variable]);
                let (va, vb) = (before.rates[variable] * BUFFER_STEP, after.rates[variable] * BUFFER_STEP);
                state.values[variable] =
                    a + u * (va + u * (3.0 * (b - a) - 2.0 * va - vb + u * (2.0 * (a - b) + va + vb)));
            }
        }
        wrapped(state)
    }
}
