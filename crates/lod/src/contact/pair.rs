//! Two trees against each other, one level at a time (appendix B.2, with the
//! leaf rule put right: a leaf waits while the other tree is descended).

use glam::{DVec3, Mat3, Vec3};
use proscenium_geometry::Pose;

use super::table::{Touch, pair_model};
use crate::tree::{Kind, Node, Volume, VolumeModel};

/// Two nodes that meet, one of each tree; against a plane the second is
/// [`NO_NODE`].
pub(crate) type Hit = [u32; 2];

/// Stands for the plane that a node meets.
pub(crate) const NO_NODE: u32 = u32::MAX;

/// Outward normals whose difference squared is larger face each other: they are
/// within 60 degrees of opposite ones; chosen.
const FACING: f64 = 3.0;

/// A contact primitive: a pair of nodes that meet, as the response sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Primitive {
    /// Where and how, in the world.
    pub touch: Touch,
    /// P = κ ρₐ ρ_b (equation 4.6).
    pub probability: f64,
    /// The surface groups of the two nodes.
    pub groups: [Option<u32>; 2],
    /// The normal from the occupancy gradients of both (equation 4.10,
    /// normalised); zero where neither node has one.
    pub gradient_normal: DVec3,
    /// The nodes that meet: what a contact is recognised by. Against a plane the
    /// second is `u32::MAX`.
    pub nodes: [u32; 2],
    /// The normal and the depth between the surfaces of the two, where these
    /// face each other.
    pub facing: Option<(DVec3, f64)>,
}

/// A place in 32 bits, for the blocks.
#[derive(Clone, Copy, Debug)]
struct Frame {
    turn: Mat3,
    shift: Vec3,
}

impl Frame {
    fn new(pose: &Pose) -> Self {
        let turn = glam::DMat3::from_quat(pose.rotation);
        Self { turn: turn.as_mat3(), shift: pose.translation.as_vec3() }
    }

    fn place(&self, point: Vec3) -> Vec3 {
        self.turn * point + self.shift
    }
}

/// Two models in the world whose nodes are compared.
///
/// ```
/// use proscenium_geometry::Pose;
/// use proscenium_lod::{TreeSettings, VolumeModel, contact::PlacedPair, glam::DVec3, mesh::built_in};
/// use proscenium_work::Progress;
///
/// let settings = TreeSettings { depth: 4, ..TreeSettings::default() };
/// let torus = VolumeModel::build("torus", &built_in("torus", 1000)?, settings, &Progress::none())?;
/// let torus = torus.finished().expect("nobody stops it");
/// // Side by side, with the bounding spheres overlapping and the rings apart.
/// let far = Pose::from_translation(DVec3::new(0.0, 1.2, 0.0));
/// let pair = PlacedPair::new(&torus, &Pose::IDENTITY, &torus, &far);
/// assert!(pair.meet_at(0));
/// # Ok::<(), proscenium_lod::LodError>(())
/// ```
pub struct PlacedPair<'a> {
    a: &'a VolumeModel,
    b: &'a VolumeModel,
    places: Places,
    exact_spheres: bool,
    /// Nodes within this distance count as meeting, metres.
    margin: f64,
}

/// Where two models are, and how each sees the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    pose_a: Pose,
    a_from_b: Pose,
    frame_a_from_b: Frame,
    frame_b_from_a: Frame,
}

impl Places {
    pub(crate) fn new(pose_a: &Pose, pose_b: &Pose) -> Self {
        let a_from_b = pose_a.inverse() * *pose_b;
        Self {
            pose_a: *pose_a,
            a_from_b,
            frame_a_from_b: Frame::new(&a_from_b),
            frame_b_from_a: Frame::new(&a_from_b.inverse()),
        }
    }

    /// Where the second is, seen from the first.
    pub(crate) fn a_from_b(&self) -> Pose {
        self.a_from_b
    }
}

impl<'a> PlacedPair<'a> {
    /// Two models at their poses.
    pub fn new(a: &'a VolumeModel, pose_a: &Pose, b: &'a VolumeModel, pose_b: &Pose) -> Self {
        Self::placed(a, b, Places::new(pose_a, pose_b))
    }

    pub(crate) fn placed(a: &'a VolumeModel, b: &'a VolumeModel, places: Places) -> Self {
        Self { a, b, places, exact_spheres: a.is_of_spheres() && b.is_of_spheres(), margin: 0.0 }
    }

    /// The same pair, where nodes within a distance of each other meet.
    pub(crate) fn with_margin(self, margin: f64) -> Self {
        Self { margin, ..self }
    }

    /// Whether the roots meet.
    pub(crate) fn roots_meet(&self) -> bool {
        let (a, b) = (&self.a.nodes()[0].volume, &self.grown(0));
        (pair_model(a.kind, b.kind).meet)(a, b)
    }

    /// A node of the second model in the frame of the first, with the margin.
    fn grown(&self, node: u32) -> Volume {
        let mut volume = self.b.nodes()[node as usize].volume.placed(&self.places.a_from_b);
        volume.radius += self.margin;
        volume
    }

    /// Whether nodes of a level meet: false only if the solids do not.
    ///
    /// Depth first, so that deep overlaps are found at once.
    pub fn meet_at(&self, level: u32) -> bool {
        let mut open: Vec<(Hit, u32)> = Vec::new();
        if self.roots_meet() {
            open.push(([0, 0], 0));
        }
        let mut finer = Vec::new();
        while let Some((hit, rounds)) = open.pop() {
            let (a, b) = (&self.a.nodes()[hit[0] as usize], &self.b.nodes()[hit[1] as usize]);
            if rounds == 2 * level || a.is_leaf() && b.is_leaf() {
                return true;
            }
            finer.clear();
            self.refine(&[hit], &mut finer);
            open.extend(finer.iter().map(|hit| (*hit, rounds + 1)));
        }
        false
    }

    /// The contact primitives of a level.
    pub fn primitives_at(&self, level: u32) -> Vec<Primitive> {
        self.hits_at(level).iter().map(|hit| self.primitive(*hit)).collect()
    }

    /// The pairs of nodes that meet at a level.
    pub(crate) fn hits_at(&self, level: u32) -> Vec<Hit> {
        let mut hits = if self.roots_meet() { vec![[0, 0]] } else { Vec::new() };
        let mut next = Vec::new();
        // Twice a level: one tree goes ahead, the other follows.
        for _ in 0..2 * level {
            next.clear();
            self.refine(&hits, &mut next);
            std::mem::swap(&mut hits, &mut next);
        }
        hits
    }

    /// Replaces each pair of nodes by the pairs of one of them with the
    /// children of the other that still meet; pairs of leaves stay. Returns the
    /// number of node tests.
    pub(crate) fn refine(&self, hits: &[Hit], finer: &mut Vec<Hit>) -> u64 {
        let mut tests = 0;
        let margin = self.margin as f32;
        for &hit in hits {
            let (a, b) = (&self.a.nodes()[hit[0] as usize], &self.b.nodes()[hit[1] as usize]);
            match descent(a, b) {
                Descent::None => finer.push(hit),
                Descent::First => {
                    let (center, reach) = self.b.sphere(hit[1]);
                    let met = self.a.block(a).meets(self.places.frame_a_from_b.place(center), reach + margin);
                    tests += u64::from(a.children);
                    tests += self.children(a, met, finer, |child| [child, hit[1]]);
                }
                Descent::Second => {
                    let (center, reach) = self.a.sphere(hit[0]);
                    let met = self.b.block(b).meets(self.places.frame_b_from_a.place(center), reach + margin);
                    tests += u64::from(b.children);
                    tests += self.children(b, met, finer, |child| [hit[0], child]);
                }
            }
        }
        tests
    }

    /// Adds the pairs of the children in a mask; those that are no spheres
    /// are tested again by their kinds, which is counted.
    fn children(&self, parent: &Node, mut met: u32, finer: &mut Vec<Hit>, pair: impl Fn(u32) -> Hit) -> u64 {
        let mut tests = 0;
        while met != 0 {
            let hit = pair(parent.first_child + met.trailing_zeros());
            met &= met - 1;
            if self.exact_spheres {
                finer.push(hit);
            } else {
                let (cost, met) = self.meet(hit);
                tests += cost;
                if met {
                    finer.push(hit);
                }
            }
        }
        tests
    }

    /// What it costs to ask whether two nodes meet whose spheres do, and whether
    /// they do.
    fn meet(&self, hit: Hit) -> (u64, bool) {
        let a = &self.a.nodes()[hit[0] as usize].volume;
        let b = &self.b.nodes()[hit[1] as usize].volume;
        if a.kind == Kind::Sphere && b.kind == Kind::Sphere {
            return (0, true);
        }
        let model = pair_model(a.kind, b.kind);
        (model.cost, (model.meet)(a, &self.grown(hit[1])))
    }

    /// Where a pair of nodes touches, in the world.
    pub(crate) fn primitive(&self, hit: Hit) -> Primitive {
        let (a, b) = (&self.a.nodes()[hit[0] as usize], &self.b.nodes()[hit[1] as usize]);
        let (volume_a, volume_b) = (&a.volume, b.volume.placed(&self.places.a_from_b));
        let mut touch = (pair_model(volume_a.kind, volume_b.kind).touch)(volume_a, &volume_b);
        let outward = a.normal - self.places.a_from_b.rotation * b.normal;
        let facing = outward.try_normalize().filter(|_| outward.length_squared() > FACING).map(|normal| {
            let apart = (volume_b.center - volume_a.center).dot(normal);
            // Past each other's middles, the way out is the long one.
            let through = volume_a.extent(normal) + volume_b.extent(normal) - apart;
            (self.places.pose_a.rotation * normal, if apart < 0.0 { through } else { touch.depth })
        });
        touch.point = self.places.pose_a.transform_point(touch.point);
        touch.normal = self.places.pose_a.rotation * touch.normal;
        Primitive {
            touch,
            probability: touch.interpenetration * a.occupancy * b.occupancy,
            groups: [a.group(), b.group()],
            gradient_normal: self.places.pose_a.rotation * outward.normalize_or_zero(),
            nodes: hit,
            facing,
        }
    }
}

/// Which node of a pair is replaced by its children.
enum Descent {
    None,
    First,
    Second,
}

fn descent(a: &Node, b: &Node) -> Descent {
    match (a.is_leaf(), b.is_leaf()) {
        (true, true) => Descent::None,
        (true, false) => Descent::Second,
        (false, true) => Descent::First,
        (false, false) if a.level <= b.level => Descent::First,
        (false, false) => Descent::Second,
    }
}

/// The most node tests that refining some hits can take.
pub(crate) fn most_tests(a: &VolumeModel, b: &VolumeModel, hits: &[Hit]) -> u64 {
    let of = |hit: &Hit| {
        let (first, second) = (&a.nodes()[hit[0] as usize], &b.nodes()[hit[1] as usize]);
        match descent(first, second) {
            Descent::None => 0,
            Descent::First => a.descent_cost(hit[0], second.volume.kind),
            Descent::Second => b.descent_cost(hit[1], first.volume.kind),
        }
    };
    hits.iter().map(of).sum()
}

/// A model against a half-space: what is below the plane is solid.
pub(crate) struct PlanePair<'a> {
    model: &'a VolumeModel,
    pose: Pose,
    normal: DVec3,
    /// The plane in the model's frame.
    own_normal: DVec3,
    own_offset: f64,
    margin: f64,
}

impl<'a> PlanePair<'a> {
    /// A model at its pose, and the plane of the points whose product with the
    /// unit normal is the offset.
    pub(crate) fn new(model: &'a VolumeModel, pose: &Pose, normal: DVec3, offset: f64, margin: f64) -> Self {
        let own_normal = pose.rotation.inverse() * normal;
        let own_offset = offset - normal.dot(pose.translation);
        Self { model, pose: *pose, normal, own_normal, own_offset, margin }
    }

    fn height(&self, node: u32) -> f64 {
        let volume = &self.model.nodes()[node as usize].volume;
        volume.center.dot(self.own_normal) - self.own_offset
    }

    pub(crate) fn root_meets(&self) -> bool {
        self.height(0) <= self.model.nodes()[0].volume.extent(self.own_normal) + self.margin
    }

    pub(crate) fn refine(&self, hits: &[Hit], finer: &mut Vec<Hit>) -> u64 {
        let mut tests = 0;
        let (normal, offset) = (self.own_normal.as_vec3(), (self.own_offset + self.margin) as f32);
        for &hit in hits {
            let node = &self.model.nodes()[hit[0] as usize];
            if node.is_leaf() {
                finer.push(hit);
                continue;
            }
            let mut below = self.model.block(node).below(normal, offset);
            tests += u64::from(node.children);
            while below != 0 {
                let child = node.first_child + below.trailing_zeros();
                below &= below - 1;
                let volume = &self.model.nodes()[child as usize].volume;
                if volume.kind == Kind::Sphere || self.height(child) <= volume.extent(self.own_normal) + self.margin {
                    finer.push([child, NO_NODE]);
                }
            }
        }
        tests
    }

    pub(crate) fn primitive(&self, hit: Hit) -> Primitive {
        let node = &self.model.nodes()[hit[0] as usize];
        let (height, extent) = (self.height(hit[0]), node.volume.extent(self.own_normal));
        let point = node.volume.center - height * self.own_normal;
        let interpenetration = ((extent - height) / (2.0 * extent).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let point = self.pose.transform_point(point);
        Primitive {
            touch: Touch { point, normal: -self.normal, interpenetration, depth: extent - height },
            probability: interpenetration * node.occupancy,
            groups: [node.group(), None],
            gradient_normal: -self.normal,
            nodes: hit,
            facing: Some((-self.normal, extent - height)),
        }
    }
}

/// The most node tests that refining some hits with a plane can take.
pub(crate) fn most_plane_tests(model: &VolumeModel, hits: &[Hit]) -> u64 {
    hits.iter().map(|hit| u64::from(model.nodes()[hit[0] as usize].children)).sum()
}
