//! Cities from a seed: streets as they grew before anyone planned them.
//!
//! After Chenney 2000, B.1: the Voronoi diagram of random points, with short
//! edges merged and the rim cropped; roads between centres are wide.

mod centres;
mod network;
mod voronoi;

use std::borrow::Cow;

use glam::DVec2;
use proscenium_chance::Seed;
use proscenium_work::{Completion, Finish, Halt, Progress, Remedy, Stopped};

use crate::map::{JunctionPlan, Plan, RoadPlan};
use network::Network;

/// How a city is to be.
///
/// ```
/// use proscenium_city::{Map, Recipe, Seed};
///
/// let map = Map::build(&Recipe::with_roads(200).generate(Seed(1))?)?;
/// let statistics = map.statistics();
/// assert!(statistics.roads.abs_diff(200) <= 10 && statistics.parts == 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// About how many roads there are to be.
    pub roads: usize,
    /// Mean spacing of the blocks' middles, metres: the density of the point
    /// process is one over its square.
    pub spacing: f64,
    /// Edges of the diagram that are shorter are merged away, metres.
    pub shortest: f64,
    /// How many junctions there are for each centre.
    pub junctions_per_centre: f64,
    /// Speed limit of roads with two lanes, metres per second.
    pub limit: f64,
    /// Speed limit of roads with four lanes, metres per second.
    pub wide_limit: f64,
    /// Whether roads may end blindly at the rim.
    pub dead_ends: bool,
}

/// Why a city could not be generated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RecipeError {
    /// A number is not in its range.
    #[error("the {what} of a city is {value}")]
    Number {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What would be right.
        remedy: &'static str,
    },
    /// So few roads were asked for that chance left none.
    #[error("no road was left of so small a city")]
    Nothing {
        /// How many were asked for.
        roads: usize,
    },
}

impl Remedy for RecipeError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::Number { remedy, .. } => Cow::Borrowed(remedy),
            Self::Nothing { roads } => format!("ask for more than {roads} roads, or try another seed").into(),
        })
    }
}

impl From<RecipeError> for Halt<RecipeError> {
    fn from(error: RecipeError) -> Self {
        Self::Failed(error)
    }
}

/// The least straight piece of road between two stop lines, metres. Chosen: four
/// cars can queue in it.
const LEAST_STRAIGHT: f64 = 25.0;
/// Roads per point of the process, away from the rim, and what the rim costs:
/// counted over many seeds with the other numbers as they are by default.
const ROADS_PER_POINT: f64 = 2.29;
const RIM: f64 = 3.4;

impl Default for Recipe {
    fn default() -> Self {
        Self {
            roads: 200,
            spacing: 125.0,
            shortest: 40.0,
            junctions_per_centre: 16.0,
            limit: 40.0 / 3.6,
            wide_limit: 50.0 / 3.6,
            dead_ends: false,
        }
    }
}

impl Recipe {
    /// A city of about so many roads.
    pub fn with_roads(roads: usize) -> Self {
        Self { roads, ..Self::default() }
    }

    /// Draws a city. The same seed draws the same one.
    ///
    /// # Errors
    /// When a number of the recipe is out of range, or nothing was left.
    pub fn generate(&self, seed: Seed) -> Result<Plan, RecipeError> {
        self.generate_watched(seed, &Progress::none()).map(|plan| plan.finished().expect("nobody stops it"))
    }

    /// As [`Recipe::generate`], for those who watch or may want it to stop: a
    /// million roads take seconds.
    ///
    /// # Errors
    /// As [`Recipe::generate`].
    pub fn generate_watched(&self, seed: Seed, progress: &Progress) -> Result<Completion<Plan>, RecipeError> {
        self.best_attempt(seed, progress).finish()
    }

    /// The process has more points or fewer than expected: of small cities
    /// several are drawn, until one is as large as asked for. What does not come
    /// near with one draw of points does with another.
    fn best_attempt(&self, seed: Seed, progress: &Progress) -> Result<Plan, Halt<RecipeError>> {
        self.check()?;
        let (attempts, redrawn, tolerance) = if self.roads < 5000 { (24, 4, 0.02) } else { (2, 2, 0.06) };
        let mut best: Option<Plan> = None;
        let (mut scale, mut density) = (1.0, 0.0);
        let miss = |plan: &Plan| plan.roads.len().abs_diff(self.roads);
        for attempt in 0..attempts {
            let draw = attempt / redrawn;
            let plan = self.attempt(if draw == 0 { seed } else { seed.child("city", draw) }, scale, progress)?;
            // Roads per unit of area, by this attempt and the others of its draw.
            let found = plan.roads.len().max(1) as f64 / (scale * scale);
            let known = (attempt % redrawn) as f64;
            density = if known == 0.0 { found } else { (known * density + found) / (known + 1.0) };
            scale = if (attempt + 1) % redrawn == 0 { 1.0 } else { libm::sqrt(self.roads as f64 / density) };
            scale = scale.clamp(0.5, 2.0);
            if best.as_ref().is_none_or(|best| miss(&plan) < miss(best)) {
                best = Some(plan);
            }
            if best.as_ref().is_some_and(|best| miss(best) as f64 <= tolerance * self.roads as f64) {
                break;
            }
        }
        let nothing = RecipeError::Nothing { roads: self.roads };
        best.filter(|plan| !plan.roads.is_empty()).ok_or(Halt::Failed(nothing))
    }

    /// Draws a city in a rectangle whose sides are scaled. The diagram is
    /// computed at one go; all else asks with every street whether to go on.
    fn attempt(&self, seed: Seed, scale: f64, progress: &Progress) -> Result<Plan, Stopped> {
        let size = self.size() * scale;
        progress.tell("blocks", 0.0)?;
        let points = voronoi::poisson_points(size, self.spacing, &mut seed.stream("city points"));
        // The diagram's edges within the rectangle.
        let mut network = Network::of(voronoi::edges(&points, size, progress)?);
        progress.tell("merging short streets", 0.2)?;
        // Merging and cutting, until every road has room for its width.
        network.settle(self.shortest, LEAST_STRAIGHT, self.dead_ends, progress)?;
        progress.tell("ways between centres", 0.55)?;
        let centres = centres::choose(&network, self.junctions_per_centre, &mut seed.stream("city centres"));
        for edge in centres::between(&network, &centres, progress)? {
            network.widen(edge);
        }
        progress.tell("widening", 0.7)?;
        network.settle(self.shortest, LEAST_STRAIGHT, self.dead_ends, progress)?;
        progress.tell("roads", 0.9)?;
        let plan = self.plan(&network, progress)?;
        progress.tell("roads", 1.0)?;
        Ok(plan)
    }

    /// The rectangle, metres: three by two, and so large that about the number
    /// of roads are left that were asked for.
    fn size(&self) -> DVec2 {
        // roads = ROADS_PER_POINT · area / spacing² − RIM · half the perimeter / spacing, solved for the shorter side.
        let (area, rim) = (1.5 * ROADS_PER_POINT, 2.5 * RIM);
        let side = (rim + libm::sqrt(rim * rim + 4.0 * area * self.roads as f64)) / (2.0 * area);
        DVec2::new(1.5, 1.0) * side * self.spacing
    }

    fn check(&self) -> Result<(), RecipeError> {
        let ranges = [
            ("number of roads", self.roads as f64, 1.0, 2e7, "ask for 1 to 20 000 000"),
            ("spacing of blocks", self.spacing, 60.0, 10e3, "give metres, from 60 to 10 000"),
            ("shortest edge", self.shortest, 10.0, 0.8 * self.spacing, "give metres, from 10 to 0.8 of the spacing"),
            ("junctions for each centre", self.junctions_per_centre, 1.0, 1e9, "give 1 or more"),
            ("speed limit", self.limit, 0.5, 100.0, "give metres per second, from 0.5 to 100"),
            ("speed limit of wide roads", self.wide_limit, 0.5, 100.0, "give metres per second, from 0.5 to 100"),
        ];
        for (what, value, least, most, remedy) in ranges {
            // Written so that a NaN is refused as well.
            if !(value >= least && value <= most) {
                return Err(RecipeError::Number { what, value, remedy });
            }
        }
        Ok(())
    }

    /// The network as a plan: neighbours in the city are neighbours in memory.
    fn plan(&self, network: &Network, progress: &Progress) -> Result<Plan, Stopped> {
        let chains = network.chains(progress)?;
        let mut ends: Vec<u32> = chains.iter().flat_map(|chain| [chain.vertices[0], chain.last()]).collect();
        let key = |vertex: &u32| (morton(network.position(*vertex)), *vertex);
        ends.sort_unstable_by_key(key);
        ends.dedup();
        let mut numbers = vec![u32::MAX; network.vertex_count()];
        for (number, vertex) in ends.iter().enumerate() {
            numbers[*vertex as usize] = number as u32;
        }
        let mut plan = Plan { name: format!("city of {} roads", chains.len()), ..Plan::default() };
        plan.junctions = ends.iter().map(|vertex| JunctionPlan::at(network.position(*vertex))).collect();
        plan.roads = chains
            .iter()
            .map(|chain| {
                progress.check()?;
                let (a, b) = (numbers[chain.vertices[0] as usize], numbers[chain.last() as usize]);
                let inner = &chain.vertices[1..chain.vertices.len() - 1];
                let mut shape: Vec<DVec2> = inner.iter().map(|vertex| network.position(*vertex)).collect();
                if a > b {
                    shape.reverse();
                }
                let lanes = if chain.wide { 2 } else { 1 };
                let limit = if chain.wide { self.wide_limit } else { self.limit };
                Ok(RoadPlan { shape, limit, ..RoadPlan::two_way(a.min(b), a.max(b), lanes) })
            })
            .collect::<Result<_, Stopped>>()?;
        plan.roads.sort_by_key(|road| (road.from, road.to));
        Ok(plan)
    }
}

/// The place of a point on a curve that keeps neighbours together: the bits of
/// its coordinates, interleaved, in steps of eight metres.
fn morton(point: DVec2) -> u64 {
    let spread = |value: f64| {
        let mut bits = (value / 8.0).max(0.0) as u64 & 0xffff_ffff;
        for (shift, mask) in [
            (16, 0x0000_ffff_0000_ffff_u64),
            (8, 0x00ff_00ff_00ff_00ff),
            (4, 0x0f0f_0f0f_0f0f_0f0f),
            (2, 0x3333_3333_3333_3333),
            (1, 0x5555_5555_5555_5555),
        ] {
            bits = (bits | bits << shift) & mask;
        }
        bits
    };
    spread(point.x) | spread(point.y) << 1
}
