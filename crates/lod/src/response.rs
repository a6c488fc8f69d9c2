//! From contacts to new velocities (section 3.2.1), with friction, and the
//! random spin of the coarsest level (6.2.2).
//!
//! Every impulse acts on both bodies at one point, in opposite directions, so
//! linear and angular momentum stay. No response adds energy: what would is
//! scaled back to what does not.

use glam::{DMat3, DVec3};
use proscenium_bodies::{CollidingBody, Inertia, Motion, PairSurface};
use proscenium_chance::{Seed, Stream};
use proscenium_geometry::Pose;
use proscenium_work::{Progress, Stopped};

use crate::contact::{Contact, PlacedPair, Reduction, reduce};
use crate::tree::VolumeModel;

/// Rounds of the simultaneous solve, unless nothing changes before; chosen, as a
/// bound on the work.
const ROUNDS: usize = 16;
/// Accurate collisions from which spins are learned; chosen: with 96, the
/// standard error of any quantile's rank is 5 % at most.
const SPIN_SAMPLES: usize = 96;

/// What happened in a response.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Response {
    /// The impulse on the second body, N s.
    pub impulse: DVec3,
    /// The fastest approach at a contact before, m/s; zero if they parted.
    pub approach: f64,
}

/// Resolves the contacts of two bodies: one by equation 3.1, several by the
/// conditions 3.4 to 3.6 together.
///
/// ```
/// use proscenium_bodies::{CollidingBody, Inertia, Motion, PairSurface};
/// use proscenium_lod::{contact::Contact, glam::DVec3, response::respond};
///
/// let inertia = Inertia { mass: 1.0, moments: DVec3::ONE };
/// let moving = Motion { velocity: DVec3::X, ..Motion::AT_REST };
/// let mut left = CollidingBody { motion: moving, inertia: Some(&inertia) };
/// let mut right = CollidingBody { motion: Motion { position: DVec3::X, ..Motion::AT_REST }, inertia: Some(&inertia) };
/// let contact = Contact { point: 0.5 * DVec3::X, normal: DVec3::X, depth: 0.0, interpenetration: 0.0 };
/// respond(&mut left, &mut right, &[contact], &PairSurface::new(1.0, 0.0));
/// assert_eq!((left.motion.velocity, right.motion.velocity), (DVec3::ZERO, DVec3::X));
/// ```
pub fn respond(
    a: &mut CollidingBody<'_>,
    b: &mut CollidingBody<'_>,
    contacts: &[Contact],
    surface: &PairSurface,
) -> Response {
    let mut pair = Pair::new(a, b);
    let approach = pair.approach(contacts);
    if !(approach > 0.0 && approach.is_finite()) {
        return Response::default();
    }
    let impulse = pair.respond(contacts, surface);
    (a.motion, b.motion) = (pair.sides[0].motion, pair.sides[1].motion);
    Response { impulse, approach }
}

/// One of two bodies, with what impulses need of it.
#[derive(Clone, Copy)]
struct Side {
    motion: Motion,
    before: Motion,
    inertia: Option<Inertia>,
    /// 1/mass and the inverse inertia tensor in the world; zero if fixed.
    lightness: f64,
    looseness: DMat3,
}

impl Side {
    fn new(body: &CollidingBody<'_>) -> Self {
        let looseness = body.inertia.map_or(DMat3::ZERO, |inertia| inertia.inverse_tensor(body.motion.orientation));
        let lightness = body.inertia.map_or(0.0, |inertia| 1.0 / inertia.mass);
        Self { motion: body.motion, before: body.motion, inertia: body.inertia.copied(), lightness, looseness }
    }

    fn push(&mut self, point: DVec3, impulse: DVec3) {
        self.motion.velocity += self.lightness * impulse;
        self.motion.spin += self.looseness * (point - self.motion.position).cross(impulse);
    }

    /// The change of velocity at a point along a direction, per impulse there.
    fn softness(&self, point: DVec3, direction: DVec3) -> f64 {
        let turning = (point - self.motion.position).cross(direction);
        self.lightness * direction.length_squared() + turning.dot(self.looseness * turning)
    }

    /// The change of velocity at a point per impulse there.
    fn response(&self, point: DVec3) -> DMat3 {
        let arm = point - self.motion.position;
        let cross = DMat3::from_cols(
            DVec3::new(0.0, arm.z, -arm.y),
            DVec3::new(-arm.z, 0.0, arm.x),
            DVec3::new(arm.y, -arm.x, 0.0),
        );
        DMat3::from_diagonal(DVec3::splat(self.lightness)) - cross * self.looseness * cross
    }
}

/// Two bodies while impulses act between them.
pub(crate) struct Pair {
    sides: [Side; 2],
}

impl Pair {
    pub(crate) fn new(a: &CollidingBody<'_>, b: &CollidingBody<'_>) -> Self {
        Self { sides: [Side::new(a), Side::new(b)] }
    }

    /// The fastest approach at some contacts; zero if they part at all.
    pub(crate) fn approach(&self, contacts: &[Contact]) -> f64 {
        contacts.iter().map(|contact| -self.parting(contact)).fold(0.0, f64::max)
    }

    /// The speed at which the bodies part at a contact; negative if they approach.
    pub(crate) fn parting(&self, contact: &Contact) -> f64 {
        self.relative(contact.point).dot(contact.normal)
    }

    fn relative(&self, point: DVec3) -> DVec3 {
        self.sides[1].motion.velocity_at(point) - self.sides[0].motion.velocity_at(point)
    }

    fn push(&mut self, point: DVec3, impulse: DVec3) {
        self.sides[0].push(point, -impulse);
        self.sides[1].push(point, impulse);
    }

    fn softness(&self, point: DVec3, direction: DVec3) -> f64 {
        self.sides[0].softness(point, direction) + self.sides[1].softness(point, direction)
    }

    pub(crate) fn respond(&mut self, contacts: &[Contact], surface: &PairSurface) -> DVec3 {
        let impulse = match contacts {
            [] => return DVec3::ZERO,
            [contact] => self.single(contact, surface),
            _ => self.simultaneous(contacts, surface),
        };
        self.without_gain();
        impulse
    }

    /// One contact: it sticks if Coulomb's cone allows, and slides if not.
    fn single(&mut self, contact: &Contact, surface: &PairSurface) -> DVec3 {
        let velocity = self.relative(contact.point);
        let normal = contact.normal;
        let approach = velocity.dot(normal);
        if approach >= 0.0 {
            return DVec3::ZERO;
        }
        let bounce = -(1.0 + surface.restitution) * approach;
        let smooth = bounce / self.softness(contact.point, normal) * normal;
        let impulse = if surface.friction > 0.0 {
            let response = self.sides[0].response(contact.point) + self.sides[1].response(contact.point);
            rough_impulse(&response, velocity, normal, bounce, surface.friction).unwrap_or(smooth)
        } else {
            smooth
        };
        self.push(contact.point, impulse);
        impulse
    }

    /// Several contacts at once: for each v⁺ ≥ −ε v⁻, j ≥ 0, and one of the two
    /// with equality (3.4 to 3.6), by projected Gauss–Seidel; friction within
    /// the cone of each normal impulse.
    fn simultaneous(&mut self, contacts: &[Contact], surface: &PairSurface) -> DVec3 {
        let mut states: Vec<SolverContact> = contacts.iter().map(|contact| self.solving(contact, surface)).collect();
        let fastest = contacts.iter().map(|contact| self.parting(contact).abs()).fold(1e-12, f64::max);
        for _ in 0..ROUNDS {
            let mut largest = 0.0_f64;
            for (state, contact) in states.iter_mut().zip(contacts) {
                let normal = contact.normal;
                let velocity = self.relative(contact.point);
                let parting = velocity.dot(normal);
                let along = (state.along + (state.target - parting) / state.softness).max(0.0);
                let mut across = state.across;
                if surface.friction > 0.0 {
                    let sliding = velocity - parting * normal;
                    let softness = self.softness(contact.point, sliding.normalize_or(normal));
                    across = (across - sliding / softness).clamp_length_max(surface.friction * along);
                }
                let change = (along - state.along) * normal + across - state.across;
                self.push(contact.point, change);
                (state.along, state.across) = (along, across);
                largest = largest.max(change.length() * state.softness);
            }
            if largest < 1e-4 * fastest {
                break;
            }
        }
        states.iter().zip(contacts).map(|(state, contact)| state.along * contact.normal + state.across).sum()
    }

    fn solving(&self, contact: &Contact, surface: &PairSurface) -> SolverContact {
        let softness = self.softness(contact.point, contact.normal);
        let target = (-surface.restitution * self.parting(contact)).max(0.0);
        SolverContact { softness, target, along: 0.0, across: DVec3::ZERO }
    }

    /// Scales what the response changed back to where it adds no energy.
    fn without_gain(&mut self) {
        // E(s) = E(0) + s linear + s² square, along the change of velocities.
        let (mut linear, mut square) = (0.0, 0.0);
        for side in &self.sides {
            let Some(inertia) = side.inertia else {
                continue;
            };
            let velocity = side.motion.velocity - side.before.velocity;
            let spin = side.motion.spin - side.before.spin;
            let momentum = inertia.angular_momentum(side.before.orientation, spin);
            linear += inertia.mass * velocity.dot(side.before.velocity) + momentum.dot(side.before.spin);
            square += 0.5 * (inertia.mass * velocity.length_squared() + momentum.dot(spin));
        }
        if linear + square <= 0.0 || square <= 0.0 {
            return;
        }
        let share = (-linear / square).clamp(0.0, 1.0);
        for side in &mut self.sides {
            side.motion.velocity = side.before.velocity + share * (side.motion.velocity - side.before.velocity);
            side.motion.spin = side.before.spin + share * (side.motion.spin - side.before.spin);
        }
    }
}

/// A contact while it is solved with others.
struct SolverContact {
    softness: f64,
    /// The speed at which it should part.
    target: f64,
    /// The impulse along the normal and across it so far.
    along: f64,
    across: DVec3,
}

/// The impulse that turns the normal velocity around and stops the sliding, if
/// friction can; otherwise what friction can. `None` if neither helps.
fn rough_impulse(response: &DMat3, velocity: DVec3, normal: DVec3, bounce: f64, friction: f64) -> Option<DVec3> {
    let sliding = velocity - velocity.dot(normal) * normal;
    let sticking = response.inverse() * (bounce * normal - sliding);
    let along = sticking.dot(normal);
    if sticking.is_finite() && along > 0.0 && (sticking - along * normal).length() <= friction * along {
        return Some(sticking);
    }
    let direction = normal - friction * sliding.normalize_or_zero();
    let rate = normal.dot(*response * direction);
    (rate > 1e-3 * normal.dot(*response * normal)).then(|| bounce / rate * direction)
}

/// A body at the coarsest level: a ball about its centre of mass.
pub(crate) struct Coarse<'a> {
    pub(crate) radius: f64,
    /// What accurate collisions do to its spin.
    pub(crate) spins: &'a [f64],
}

/// The response of the coarsest level: the bodies bounce off each other as
/// balls do, and get a spin drawn from those of accurate collisions. Its energy
/// is taken from the bounce. Linear momentum stays; angular momentum does not.
/// Returns the speed of approach, zero if they part.
pub(crate) fn respond_coarsely(
    a: &mut CollidingBody<'_>,
    b: &mut CollidingBody<'_>,
    normal: DVec3,
    coarse: [Coarse<'_>; 2],
    surface: &PairSurface,
    stream: &mut Stream,
) -> f64 {
    let approach = -(b.motion.velocity - a.motion.velocity).dot(normal);
    let lightness = |body: &CollidingBody<'_>| body.inertia.map_or(0.0, |inertia| 1.0 / inertia.mass);
    let both = lightness(a) + lightness(b);
    if !(approach > 0.0 && both > 0.0) {
        return 0.0;
    }
    let mut changes = [DVec3::ZERO; 2];
    let (mut linear, mut square) = (0.0, 0.0);
    let sides = [(a.motion, a.inertia.copied()), (b.motion, b.inertia.copied())];
    for (((motion, inertia), coarse), change) in sides.iter().zip(&coarse).zip(&mut changes) {
        // Drawn for both in any case, so that streams stay aligned.
        let (direction, spin) = (stream.unit_vector(), stream.pick(coarse.spins).copied().unwrap_or(0.0));
        if let Some(inertia) = inertia {
            *change = spin * approach / coarse.radius.max(f64::MIN_POSITIVE) * direction;
            let momentum = inertia.angular_momentum(motion.orientation, *change);
            linear += momentum.dot(motion.spin);
            square += 0.5 * momentum.dot(*change);
        }
    }
    let energy = 0.5 * approach * approach / both;
    let most = surface.restitution * surface.restitution;
    // Half of the bounce may become spin; more is scaled down.
    let spare = 0.75 * most * energy;
    let share = if square > 0.0 {
        ((-linear + (linear * linear + 4.0 * square * spare).max(0.0).sqrt()) / (2.0 * square)).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let taken = share * linear + share * share * square;
    let restitution = (most - taken.max(0.0) / energy).clamp(0.0, most).sqrt();
    let impulse = (1.0 + restitution) * approach / both * normal;
    a.motion.velocity -= lightness(a) * impulse;
    b.motion.velocity += lightness(b) * impulse;
    a.motion.spin += share * changes[0];
    b.motion.spin += share * changes[1];
    approach
}

/// Changes of spin in accurate collisions of a model with itself, times its
/// radius and divided by the speed of approach, in order.
pub(crate) fn learn_spins(model: &VolumeModel, progress: &Progress) -> Result<Vec<f64>, Stopped> {
    let inertia = model.inertia(1.0);
    let surface = PairSurface::new(0.8, 0.3);
    let level = model.depth().min(4);
    let root = Seed(0).stream("lod spins");
    let mut spins = Vec::new();
    let mut contacts = Vec::new();
    for sample in 0..SPIN_SAMPLES as u64 {
        progress.tell("learning spins", sample as f64 / SPIN_SAMPLES as f64)?;
        let mut stream = root.at(sample);
        let (turn_a, turn_b, direction) = (stream.rotation(), stream.rotation(), stream.unit_vector());
        let aside = direction.any_orthonormal_vector() * model.radius() * stream.uniform();
        let pose_a = Pose::new(DVec3::ZERO, turn_a);
        let pose_at = |distance: f64| Pose::new(distance * direction + aside, turn_b);
        let meet = |distance: f64| PlacedPair::new(model, &pose_a, model, &pose_at(distance)).meet_at(level);
        let (mut near, mut far) = (0.0, 2.0 * model.radius());
        if !meet(near) {
            continue;
        }
        for _ in 0..10 {
            progress.check()?;
            let middle = 0.5 * (near + far);
            if meet(middle) { near = middle } else { far = middle }
        }
        let pose_b = pose_at(near);
        let primitives = PlacedPair::new(model, &pose_a, model, &pose_b).primitives_at(level);
        reduce(Reduction::Weighted, &primitives, &mut contacts);
        let motion = |pose: &Pose, velocity| Motion {
            position: pose.translation,
            orientation: pose.rotation,
            velocity,
            spin: DVec3::ZERO,
        };
        let mut a = CollidingBody { motion: motion(&pose_a, direction), inertia: Some(&inertia) };
        let mut b = CollidingBody { motion: motion(&pose_b, DVec3::ZERO), inertia: Some(&inertia) };
        let response = respond(&mut a, &mut b, &contacts, &surface);
        if response.approach > 0.05 {
            spins.push(a.motion.spin.length() * model.radius() / response.approach);
        }
    }
    spins.sort_by(f64::total_cmp);
    Ok(spins)
}
