//! Rotation: torque-free in closed form, and of a ball under a constant torque.

use glam::{DMat3, DQuat, DVec3};

use crate::Inertia;
use crate::elliptic::Jacobi;
use crate::inertia::Symmetry;

/// How a body turns when nothing touches it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rotation {
    /// Not at all.
    Still,
    /// At a constant rate about a fixed axis.
    Steady { axis: DVec3, rate: f64 },
    /// A symmetric top: a precession about the angular momentum, and a spin
    /// about the body's own axis.
    Top { axis: DVec3, precession: f64, own_axis: DVec3, own_rate: f64 },
    /// Three different moments: Jacobi's solution.
    Tumbling(Box<Tumbling>),
    /// A ball whose spin changes at a constant rate.
    Changing { spin: DVec3, rate: DVec3 },
}

impl Rotation {
    pub(crate) fn new(orientation: DQuat, spin: DVec3, inertia: &Inertia) -> Self {
        let rate = spin.length();
        if rate == 0.0 {
            return Self::Still;
        }
        let local = orientation.inverse() * spin;
        let about_one_axis = (0..3).any(|k| {
            let mut across = local;
            across[k] = 0.0;
            across.length_squared() <= 1e-30 * local.length_squared()
        });
        match inertia.symmetry() {
            Symmetry::Full => Self::Steady { axis: spin / rate, rate },
            _ if about_one_axis => Self::Steady { axis: spin / rate, rate },
            Symmetry::About(k) => {
                let momentum = orientation * (inertia.moments * local);
                let across = inertia.moments[(k + 1) % 3];
                let (axis, size) = (momentum.normalize(), momentum.length());
                let own_rate = local[k] * (1.0 - inertia.moments[k] / across);
                Self::Top { axis, precession: size / across, own_axis: DVec3::AXES[k], own_rate }
            }
            Symmetry::None => Self::Tumbling(Box::new(Tumbling::new(orientation, local, inertia))),
        }
    }

    /// A spin that changes at a constant rate.
    pub(crate) fn changing(spin: DVec3, rate: DVec3) -> Self {
        let speed = spin.length();
        match (rate == DVec3::ZERO, speed > 0.0) {
            (false, _) => Self::Changing { spin, rate },
            (true, true) => Self::Steady { axis: spin / speed, rate: speed },
            (true, false) => Self::Still,
        }
    }

    /// The orientation after `dt`.
    pub(crate) fn orientation(&self, start: DQuat, dt: f64) -> DQuat {
        match self {
            Self::Still => start,
            Self::Steady { axis, rate } => turn(*axis, rate * dt) * start,
            Self::Top { axis, precession, own_axis, own_rate } => {
                turn(*axis, precession * dt) * start * turn(*own_axis, own_rate * dt)
            }
            Self::Tumbling(tumbling) => tumbling.orientation(dt),
            Self::Changing { spin, rate } => turn_under(*spin, *rate, dt) * start,
        }
    }
}

/// The rotation after `dt` under a spin that changes at a constant rate, by
/// Magnus steps of fourth order. An axis that keeps its direction needs one;
/// one that turns, as many as make each step's turn small.
fn turn_under(spin: DVec3, rate: DVec3, dt: f64) -> DQuat {
    let across = spin.cross(rate).length();
    let straight = across <= 1e-12 * spin.length() * rate.length();
    let most = (spin.length() + rate.length() * dt.abs()) * dt.abs();
    let count = if straight { 1 } else { (20.0 * most).ceil().clamp(1.0, 1000.0) as u32 };
    let step = dt / f64::from(count);
    let mut turned = DQuat::IDENTITY;
    for k in 0..count {
        let middle = spin + (f64::from(k) + 0.5) * step * rate;
        // Ω = ∫ω + ½ ∫∫ [ω₂, ω₁] = h ω_m + (h³/12) rate × ω_m.
        let by = step * middle + step * step * step / 12.0 * rate.cross(middle);
        let angle = by.length();
        if angle > 0.0 {
            turned = turn(by / angle, angle) * turned;
        }
    }
    turned
}

/// A rotation about a unit axis.
fn turn(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(0.5 * angle);
    DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
}

/// The general case. The angular velocity in the body is periodic, given by
/// Jacobi's functions; the body's circulation axis precesses about the
/// angular momentum at a periodic rate, whose integral is kept as a Fourier
/// series.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tumbling {
    /// Axes in the order (a, b, c): c is circulated about, b is intermediate.
    order: [usize; 3],
    moments: DVec3,
    amplitudes: DVec3,
    jacobi: Jacobi,
    /// Argument per second, and at the start.
    speed: f64,
    start: f64,
    /// The angular momentum's direction, and the line of nodes at the start.
    pole: DVec3,
    node: DVec3,
    /// Precession: mean rate per unit of argument, sine coefficients, and the
    /// value of the series at the start.
    mean: f64,
    sines: Vec<f64>,
    offset: f64,
}

impl Tumbling {
    fn new(orientation: DQuat, local_spin: DVec3, inertia: &Inertia) -> Self {
        let order = axis_order(local_spin, inertia.moments);
        let pick = |v: DVec3| DVec3::new(v[order[0]], v[order[1]], v[order[2]]);
        let (i, w) = (pick(inertia.moments), pick(local_spin));
        // 2E·Ic − L² and L² − 2E·Ia, without the cancellation.
        let near_c = i.x * (i.z - i.x) * w.x * w.x + i.y * (i.z - i.y) * w.y * w.y;
        let near_a = i.y * (i.y - i.x) * w.y * w.y + i.z * (i.z - i.x) * w.z * w.z;
        let m = ((i.y - i.x) * near_c / ((i.z - i.y) * near_a)).clamp(0.0, 1.0);
        let jacobi = Jacobi::new(m);
        let speed = ((i.z - i.y) * near_a / (i.x * i.y * i.z)).sqrt();

        let sign_c = 1.0_f64.copysign(w.z);
        let handed = if (order[1] + 3 - order[0]) % 3 == 1 { 1.0 } else { -1.0 };
        let sign_b = handed * 1.0_f64.copysign(i.z - i.x) * sign_c;
        let amplitudes = DVec3::new(
            (near_c / (i.x * (i.z - i.x))).sqrt(),
            sign_b * (near_c / (i.y * (i.z - i.y))).sqrt(),
            sign_c * (near_a / (i.z * (i.z - i.x))).sqrt(),
        );
        let start = jacobi.argument(libm::atan2(w.y / amplitudes.y, w.x / amplitudes.x));

        let momentum = orientation * (inertia.moments * local_spin);
        let (mean, sines) = precession_series(&jacobi, i, amplitudes, momentum.length() / speed);
        let mut tumbling = Self {
            order,
            moments: inertia.moments,
            amplitudes,
            jacobi,
            speed,
            start,
            pole: momentum.normalize(),
            node: DVec3::ZERO,
            mean,
            sines,
            offset: 0.0,
        };
        tumbling.offset = tumbling.precession(start);
        let (_, node) = tumbling.body_directions(start);
        tumbling.node = orientation * node;
        tumbling
    }

    fn orientation(&self, dt: f64) -> DQuat {
        let u = self.start + self.speed * dt;
        let (pole_in_body, node_in_body) = self.body_directions(u);
        let angle = self.precession(u) - self.offset;
        let node = turn(self.pole, angle) * self.node;
        let world = DMat3::from_cols(self.pole, node, self.pole.cross(node));
        let body = DMat3::from_cols(pole_in_body, node_in_body, pole_in_body.cross(node_in_body));
        DQuat::from_mat3(&(world * body.transpose())).normalize()
    }

    /// The direction of the angular momentum in the body, and of the line of
    /// nodes: across it and the circulation axis.
    fn body_directions(&self, u: f64) -> (DVec3, DVec3) {
        let (sn, cn, dn) = self.jacobi.functions(u);
        let mut spin = DVec3::ZERO;
        spin[self.order[0]] = self.amplitudes.x * cn;
        spin[self.order[1]] = self.amplitudes.y * sn;
        spin[self.order[2]] = self.amplitudes.z * dn;
        let pole = (self.moments * spin).normalize();
        (pole, DVec3::AXES[self.order[2]].cross(pole).normalize())
    }

    /// The precession angle, up to a constant.
    fn precession(&self, u: f64) -> f64 {
        let angle = std::f64::consts::PI * u / self.jacobi.quarter_period();
        // Clenshaw's sum of sines.
        let (sin, cos) = libm::sincos(angle);
        let (mut b1, mut b2) = (0.0, 0.0);
        for coefficient in self.sines.iter().rev() {
            (b1, b2) = (coefficient + 2.0 * cos * b1 - b2, b1);
        }
        self.mean * u + b1 * sin
    }
}

/// Puts the axes in the order (a, b, c): b has the intermediate moment, c is
/// the extreme one about which the angular momentum circulates in the body.
fn axis_order(w: DVec3, moments: DVec3) -> [usize; 3] {
    let mut order = [0, 1, 2];
    order.sort_by(|p, q| moments[*p].total_cmp(&moments[*q]));
    let [low, middle, high] = order;
    // L² − 2E·I_middle decides.
    let toward_high = moments[high] * (moments[high] - moments[middle]) * w[high] * w[high]
        - moments[low] * (moments[middle] - moments[low]) * w[low] * w[low];
    if toward_high >= 0.0 { [low, middle, high] } else { [high, middle, low] }
}

/// Mean and sine coefficients of the integral of the precession rate over the
/// argument. The rate is even, periodic and analytic: the trapezoidal rule
/// gives its cosine coefficients to rounding once there are enough of them.
fn precession_series(jacobi: &Jacobi, i: DVec3, amplitudes: DVec3, scale: f64) -> (f64, Vec<f64>) {
    let quarter = jacobi.quarter_period();
    let rate = |u: f64| {
        let (sn, cn, _) = jacobi.functions(u);
        let (a, b) = (amplitudes.x * cn, amplitudes.y * sn);
        let (a2, b2) = (i.x * a * a, i.y * b * b);
        scale * (a2 + b2) / (i.x * a2 + i.y * b2)
    };
    // The nearest pole of the rate off the real axis, in units of the quarter
    // period, sets how fast the coefficients fall.
    let ratio = ((i.x * (i.z - i.y)) / (i.y * (i.z - i.x))).clamp(0.0, 1.0).sqrt();
    let pole = libm::asin(ratio).max(1e-6) / quarter;
    let count = (36.0 / (std::f64::consts::PI * pole)).ceil().clamp(8.0, 2048.0) as usize;
    let samples: Vec<f64> = (0..=count).map(|k| rate(quarter * k as f64 / count as f64)).collect();
    let coefficient = |n: usize| {
        // Clenshaw for the cosine sum over the samples, ends halved.
        let cos = libm::cos(std::f64::consts::PI * n as f64 / count as f64);
        let (mut b1, mut b2) = (0.5 * samples[count], 0.0);
        for sample in samples[1..count].iter().rev() {
            (b1, b2) = (sample + 2.0 * cos * b1 - b2, b1);
        }
        (0.5 * samples[0] + cos * b1 - b2) / count as f64
    };
    let mean = coefficient(0);
    let mut sines = Vec::new();
    for n in 1..count {
        let value = 2.0 * coefficient(n) * quarter / (std::f64::consts::PI * n as f64);
        sines.push(value);
        if value.abs() < 1e-16 * mean.abs() * quarter {
            break;
        }
    }
    (mean, sines)
}
