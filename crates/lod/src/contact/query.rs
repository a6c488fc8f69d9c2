//! A pair that is refined step by step, for engines of others.
//!
//! ```text
//! begin ─▶ next_cost ─▶ refine ─▶ … ─▶ contacts
//!             ▲            │
//!             └────────────┘   as long as somebody has time for the next step
//! ```
//!
//! A step goes down half a level: one tree goes ahead, the other follows. What it
//! can cost at worst is known before, and after each the contacts of the level that
//! was reached are complete. [`refine_within`] spends what there is on many pairs
//! as a `World` does: band after band, breadth first in each.

use glam::DVec3;
use proscenium_geometry::Pose;

use super::pair::{Hit, NO_NODE, PlacedPair, Places, PlanePair, Primitive, most_plane_tests, most_tests};
use super::{Contact, facing, spanning};
use crate::LodError;
use crate::tree::VolumeModel;

/// What a model may touch.
#[derive(Clone, Copy, Debug)]
enum Other<'a> {
    Model(&'a VolumeModel, Places),
    /// The half-space below a plane: its unit normal and offset.
    Plane(DVec3, f64),
}

/// A contact of a pair, and what it is recognised by in the next frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryContact {
    /// The nodes that meet; against a plane the second is `u32::MAX`.
    pub id: [u32; 2],
    /// Where, which way and how deep. Nodes above the leaves reach beyond the
    /// solids, so that their depth says nothing: it is at most zero as long as
    /// [`PairQuery::is_of_leaves`] is false.
    pub contact: Contact,
}

/// Two solids, or a solid and a plane, whose contacts are found within what the
/// caller has to spend.
///
/// ```
/// use proscenium_geometry::Pose;
/// use proscenium_lod::{TreeSettings, VolumeModel, contact::PairQuery, glam::DVec3, mesh::built_in};
/// use proscenium_work::Progress;
///
/// let settings = TreeSettings { depth: 4, ..TreeSettings::default() };
/// let torus = VolumeModel::build("torus", &built_in("torus", 1000)?, settings, &Progress::none())?;
/// let torus = torus.finished().expect("nobody stops it");
/// let beside = Pose::from_translation(DVec3::new(1.5 * torus.radius(), 0.0, 0.0));
/// let mut query = PairQuery::begin(&torus, &Pose::IDENTITY, &torus, &beside, 0.01)?;
/// let mut left = 5_000;
/// while !query.is_complete() && query.next_cost() <= left {
///     left -= query.refine();
/// }
/// assert!(query.contacts().iter().all(|found| found.contact.depth <= torus.radius()));
/// # Ok::<(), proscenium_lod::LodError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PairQuery<'a> {
    model: &'a VolumeModel,
    pose: Pose,
    other: Other<'a>,
    margin: f64,
    hits: Vec<Hit>,
    spare: Vec<Hit>,
    steps: u32,
}

impl<'a> PairQuery<'a> {
    /// The roots of two models at their poses. Nodes within the margin of each
    /// other count as meeting, so that contacts are known before they touch.
    ///
    /// # Errors
    /// When a pose is not finite, or the margin is negative or not finite.
    pub fn begin(
        model: &'a VolumeModel,
        pose: &Pose,
        other: &'a VolumeModel,
        other_pose: &Pose,
        margin: f64,
    ) -> Result<Self, LodError> {
        check(&[pose, other_pose], margin)?;
        let mut query = Self::empty(model, pose, Other::Model(other, Places::new(pose, other_pose)), margin);
        if query.pair().is_some_and(|pair| pair.roots_meet()) {
            query.hits.push([0, 0]);
        }
        Ok(query)
    }

    /// The root of a model at its pose, against the half-space below a plane
    /// through a point.
    ///
    /// # Errors
    /// As [`PairQuery::begin`], and when the normal has no direction.
    pub fn begin_plane(
        model: &'a VolumeModel,
        pose: &Pose,
        normal: DVec3,
        through: DVec3,
        margin: f64,
    ) -> Result<Self, LodError> {
        check(&[pose], margin)?;
        let Some(normal) = normal.try_normalize().filter(|_| through.is_finite()) else {
            let remedy = "give a direction and a point of the plane";
            return Err(LodError::Number { what: "the normal of a plane", value: normal.length(), remedy });
        };
        let mut query = Self::empty(model, pose, Other::Plane(normal, normal.dot(through)), margin);
        if query.plane().is_some_and(|plane| plane.root_meets()) {
            query.hits.push([0, NO_NODE]);
        }
        Ok(query)
    }

    fn empty(model: &'a VolumeModel, pose: &Pose, other: Other<'a>, margin: f64) -> Self {
        Self { model, pose: *pose, other, margin, hits: Vec::new(), spare: Vec::new(), steps: 0 }
    }

    fn pair(&self) -> Option<PlacedPair<'a>> {
        match self.other {
            Other::Model(other, places) => Some(PlacedPair::placed(self.model, other, places).with_margin(self.margin)),
            Other::Plane(..) => None,
        }
    }

    fn plane(&self) -> Option<PlanePair<'a>> {
        match self.other {
            Other::Plane(normal, offset) => Some(PlanePair::new(self.model, &self.pose, normal, offset, self.margin)),
            Other::Model(..) => None,
        }
    }

    /// The most node tests that the next step can take; zero if there is none.
    pub fn next_cost(&self) -> u64 {
        match self.other {
            Other::Model(other, _) => most_tests(self.model, other, &self.hits),
            Other::Plane(..) => most_plane_tests(self.model, &self.hits),
        }
    }

    /// Goes down half a level. Returns the node tests that it took: never more
    /// than [`PairQuery::next_cost`] said.
    pub fn refine(&mut self) -> u64 {
        if self.is_complete() {
            return 0;
        }
        let mut finer = std::mem::take(&mut self.spare);
        finer.clear();
        let hits = &self.hits;
        let by_pair = self.pair().map(|pair| pair.refine(hits, &mut finer));
        let by_plane = self.plane().map(|plane| plane.refine(hits, &mut finer));
        self.spare = std::mem::replace(&mut self.hits, finer);
        self.steps += 1;
        by_pair.or(by_plane).unwrap_or(0)
    }

    /// Whether another step would find nothing new.
    pub fn is_complete(&self) -> bool {
        self.next_cost() == 0
    }

    /// Whether the two are known to be farther apart than the margin.
    pub fn is_apart(&self) -> bool {
        self.hits.is_empty()
    }

    /// Whether all nodes that meet are leaves: depths are those of the solids,
    /// as far as the trees know them.
    pub fn is_of_leaves(&self) -> bool {
        self.is_complete()
    }

    /// The steps that were done: twice the level of the trees.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Up to six contacts that span what was found so far; none where the two
    /// are apart.
    pub fn contacts(&self) -> Vec<QueryContact> {
        let mut found: Vec<Primitive> = match (self.pair(), self.plane()) {
            (Some(pair), _) => self.hits.iter().map(|hit| pair.primitive(*hit)).collect(),
            (_, Some(plane)) => self.hits.iter().map(|hit| plane.primitive(*hit)).collect(),
            (None, None) => Vec::new(),
        };
        // Where surfaces face each other, the lines between nodes inside say nothing.
        if found.iter().any(|primitive| primitive.facing.is_some()) {
            found.retain(|primitive| primitive.facing.is_some());
        }
        let is_of_leaves = self.is_of_leaves();
        let of = |index: usize| {
            let mut contact = facing(&found[index]);
            if !is_of_leaves {
                contact.depth = contact.depth.min(0.0);
            }
            QueryContact { id: found[index].nodes, contact }
        };
        spanning(&found).into_iter().map(of).collect()
    }
}

/// A pair and how soon it should be refined.
#[derive(Clone, Debug)]
pub struct RankedQuery<'a> {
    /// 0 comes first.
    pub band: u32,
    /// The pair.
    pub query: PairQuery<'a>,
}

/// Refines pairs band after band, breadth first in each. `allows` is asked
/// before every step with what was spent so far and what the step can cost at
/// worst, in node tests: a counted budget is `spent + next <= most`, and a timed
/// one looks at a clock. A pair whose step is not allowed is left where it is.
/// Returns what was spent.
///
/// ```
/// use proscenium_geometry::Pose;
/// use proscenium_lod::contact::{PairQuery, RankedQuery, refine_within};
/// use proscenium_lod::{TreeSettings, VolumeModel, glam::DVec3, mesh::built_in};
/// use proscenium_work::Progress;
///
/// let settings = TreeSettings { depth: 4, ..TreeSettings::default() };
/// let knot = VolumeModel::build("knot", &built_in("knot", 1000)?, settings, &Progress::none())?;
/// let knot = knot.finished().expect("nobody stops it");
/// let mut pairs = Vec::new();
/// for band in [1, 0] {
///     let query = PairQuery::begin_plane(&knot, &Pose::IDENTITY, DVec3::Y, DVec3::ZERO, 0.0)?;
///     pairs.push(RankedQuery { band, query });
/// }
/// let spent = refine_within(&mut pairs, |spent, next| spent + next <= 400);
/// assert!(spent <= 400 && pairs[1].query.steps() > pairs[0].query.steps());
/// # Ok::<(), proscenium_lod::LodError>(())
/// ```
pub fn refine_within(pairs: &mut [RankedQuery<'_>], mut allows: impl FnMut(u64, u64) -> bool) -> u64 {
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by_key(|index| (pairs[*index].band, *index));
    let mut spent = 0;
    for band in order.chunk_by(|a, b| pairs[*a].band == pairs[*b].band).map(<[usize]>::to_vec).collect::<Vec<_>>() {
        let mut active = band;
        while !active.is_empty() {
            active.retain(|index| {
                let query = &mut pairs[*index].query;
                let next = query.next_cost();
                if next == 0 || !allows(spent, next) {
                    return false;
                }
                spent += query.refine();
                true
            });
        }
    }
    spent
}

fn check(poses: &[&Pose], margin: f64) -> Result<(), LodError> {
    let unit = |pose: &&&Pose| (pose.rotation.length_squared() - 1.0).abs() < 1e-6 && pose.translation.is_finite();
    if poses.iter().filter(unit).count() < poses.len() {
        let remedy = "give finite numbers and a rotation of length 1";
        return Err(LodError::Number { what: "a pose", value: f64::NAN, remedy });
    }
    if margin.is_finite() && margin >= 0.0 {
        return Ok(());
    }
    Err(LodError::Number { what: "the margin", value: margin, remedy: "give a finite number that is not negative" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::built_in;
    use crate::tree::TreeSettings;
    use proscenium_chance::Seed;
    use proscenium_work::Progress;

    fn knot() -> VolumeModel {
        let settings = TreeSettings { depth: 4, ..TreeSettings::default() };
        let knot = VolumeModel::build("knot", &built_in("knot", 1000).unwrap(), settings, &Progress::none());
        knot.unwrap().finished().unwrap()
    }

    #[test]
    fn no_step_costs_more_than_was_said_and_the_end_is_that_of_the_whole_query() {
        let knot = knot();
        let streams = Seed(3).stream("queries");
        let (mut touching, mut apart) = (0, 0);
        for sample in 0..40 {
            let mut stream = streams.at(sample);
            let away = 1.7 * knot.radius() * stream.unit_vector();
            let (here, there) = (Pose::IDENTITY, Pose::new(away, stream.rotation()));
            let mut query = PairQuery::begin(&knot, &here, &knot, &there, 0.0).unwrap();
            while !query.is_complete() {
                assert!(query.contacts().iter().all(|found| found.contact.depth <= 0.0), "coarse nodes know no depth");
                let worst = query.next_cost();
                assert!(query.refine() <= worst);
            }
            let whole = PlacedPair::new(&knot, &here, &knot, &there);
            assert_eq!(query.is_apart(), !whole.meet_at(knot.depth()));
            assert_eq!(query.contacts().is_empty(), query.is_apart());
            if query.is_apart() { apart += 1 } else { touching += 1 }
        }
        assert!(touching > 3 && apart > 3, "{touching} {apart}");
    }

    #[test]
    fn contacts_keep_their_ids_while_little_moves() {
        let knot = knot();
        let at = |height: f64| {
            let pose = Pose::from_translation(height * DVec3::Y);
            let mut query = PairQuery::begin_plane(&knot, &pose, DVec3::Y, DVec3::ZERO, 0.01).unwrap();
            while query.refine() > 0 {}
            query.contacts()
        };
        let deepest = |height: f64| at(height)[0];
        let lowest = deepest(0.3 * knot.radius());
        let moved = deepest(0.3 * knot.radius() + 1e-4);
        assert_eq!(lowest.id, moved.id);
        assert!((lowest.contact.depth - moved.contact.depth - 1e-4).abs() < 1e-9, "depths are signed distances");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let knot = knot();
        let nowhere = Pose::from_translation(DVec3::NAN);
        assert!(PairQuery::begin(&knot, &nowhere, &knot, &Pose::IDENTITY, 0.0).is_err());
        assert!(PairQuery::begin(&knot, &Pose::IDENTITY, &knot, &Pose::IDENTITY, -1.0).is_err());
        assert!(PairQuery::begin_plane(&knot, &Pose::IDENTITY, DVec3::ZERO, DVec3::ZERO, 0.0).is_err());
    }
}
