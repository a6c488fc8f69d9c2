//! Figure 16: a meadow in a travelling wind, of which only what is seen costs
//! anything.

mod conclude;
mod plain;

use std::sync::Arc;

use proscenium_ensemble::built_in::{Banner, Grass, Iris, built_in};
use proscenium_ensemble::field::{
    Detail, Field, Instance, Kind, PlaceSettings, SweptVolume, TravellingWind, ViewCounts, heading_for, place, side_for,
};
use proscenium_ensemble::glam::DVec3;
use proscenium_ensemble::simulate::{Generator, Simulator, WindField};
use proscenium_ensemble::{MotionGraph, Seed};
use proscenium_view::Camera;

use crate::ensemble_data::{choose, connect, make};
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::results::Row;
use crate::timing::Timer;

use plain::PlainCaches;

/// The experiment `ensemble-field`.
pub(crate) struct EnsembleField;

/// How many different clumps of grass there are beside the irises.
const GRASSES: u64 = 2;
/// The edges of voxels in which clumps are planted and banners are hung, metres.
const VOXELS: [f64; 2] = [0.04, 0.1];
/// Where the wind of plants blows in their data, and in the meadow; and how far clumps are
/// turned either way, radians.
const DATA_WIND: [f64; 2] = [1.0, 0.2];
const FIELD_WIND: [f64; 2] = [5.0, 1.0];
const TURNS: f64 = 0.5;
/// Seconds in which it is looked whether clumps follow the wind: some gusts pass in them.
const FOLLOWED: f64 = 120.0;
/// How many banners are hung.
const BANNERS: usize = 30;
/// Frames that are measured of each view, after as many that are not.
const FRAMES: u64 = 30;
/// What is left out of clumps that are far away.
const DETAILS: [Detail; 3] = [
    Detail { from: 5.0, modes: 8, merge: 0.0 },
    Detail { from: 12.0, modes: 4, merge: 0.06 },
    Detail { from: 30.0, modes: 2, merge: 0.12 },
];

impl Experiment for EnsembleField {
    fn name(&self) -> &'static str {
        "ensemble-field"
    }

    fn reproduces(&self) -> &'static str {
        "James, Twigg, Cove and Wang 2007, figure 16"
    }

    fn summary(&self) -> &'static str {
        "a meadow in a travelling wind: what a frame costs, beside playing a plain cache and simulating"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "view",
            "detail",
            "instances",
            "in_view",
            "vertices_in_view",
            "us_per_frame",
            "ns_per_vertex",
            "floor_us",
            "floor_ratio",
            "ceiling_us",
            "kept_bytes",
            "tested",
            "lean_circular_variance",
            "level_is_wind_share",
            "up_to",
            "clumps_per_m2",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let generators = generators(context);
        context.plan(generators.len() as f64 + 2.0);
        let ceilings =
            generators.iter().map(|generator| ceiling_ns(generator, context)).collect::<Result<Vec<_>, _>>()?;
        let graphs = generators.iter().map(|generator| graph(generator, context)).collect::<Result<Vec<_>, _>>()?;
        let count = if context.quick() { 2600 } else { 26_000 };
        let meadow = Meadow::plant(&graphs, count, VOXELS[0], [0.8, 1.15], &DETAILS, context)?;
        for (detail, details) in [("all", &[][..]), ("by distance", &DETAILS[..])] {
            let mut field = meadow.field(details, context)?;
            let caches = PlainCaches::new(&field);
            for view in meadow.views(&mut field)? {
                let row = Row::new().with("view", view.name).with("detail", detail);
                rows.push(measured(row, &mut field, &caches, &view.camera, &ceilings)?);
                context.check()?;
            }
        }
        context.doing("following the wind");
        let mut field = meadow.field(&DETAILS[..], context)?;
        let mut views = meadow.views(&mut field)?;
        rows.push(followed(&mut field, &views.remove(0).camera, context)?);
        context.done(1.0);
        rows.push(banners(context)?);
        densities(&graphs, rows, context)
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude::conclude(rows)
    }
}

/// What grows in the meadow: clumps of grass, and four of irises in grass.
fn generators(context: &Context) -> Vec<Generator> {
    let seed = Seed(1);
    if context.quick() {
        let grass = Grass { blades: 12, ..Grass::clump(seed) };
        let iris = Iris { irises: 1, groups: 20, ..Iris::clump(seed) };
        return vec![grass.generator("grass-clump", 2), iris.generator("iris", 2)];
    }
    let clump = |number: u64| Grass::clump(seed.child("clump", number)).generator("grass-clump", 3);
    let irises = ["iris-1", "iris-2", "iris-3", "iris-4"].into_iter().filter_map(|name| built_in(name, seed));
    (1..=GRASSES).map(clump).chain(irises).collect()
}

/// Figure 17: how densely the same clumps can be planted where no wind is above a level.
fn densities(graphs: &[Arc<MotionGraph>], rows: &mut Vec<Row>, context: &Context) -> Result<(), Halt> {
    let count = if context.quick() { 200 } else { 1000 };
    let levels = graphs.iter().flat_map(|graph| graph.levels()).max().map_or(0, |most| most + 1);
    for level in 0..levels {
        context.check()?;
        let within = graphs.iter().filter(|graph| graph.levels().next().is_some_and(|least| least <= level));
        let within = within.map(|graph| Ok(Arc::new(graph.up_to(level)?))).collect::<Result<Vec<_>, Halt>>()?;
        let Some(first) = within.first() else { continue };
        let name = first.data().conditions()[level].name.clone();
        let meadow = Meadow::plant(&within, count, VOXELS[0], [0.8, 1.15], &DETAILS, context)?;
        let density = meadow.instances.len() as f64 / (meadow.side * meadow.side);
        rows.push(Row::new().with("view", "density").with("up_to", name).with("clumps_per_m2", density));
    }
    Ok(())
}

/// A motion graph of an ensemble.
fn graph(generator: &Generator, context: &Context) -> Result<Arc<MotionGraph>, Halt> {
    let data = make(generator, if context.quick() { 7.0 } else { 20.0 }, 0.5, context)?.made.data;
    let settings = choose(&data, context)?;
    Ok(Arc::new(connect(data, settings, 0.5, context)?.0))
}

/// Many banners, of which each is an instance of the same.
fn banners(context: &Context) -> Result<Row, Halt> {
    let (flags, count) = if context.quick() { (4, 5) } else { (100, BANNERS) };
    let generator = Banner { flags, ..Banner::default() }.generator();
    let ceiling = ceiling_ns(&generator, context)?;
    let hung = Meadow::plant(&[graph(&generator, context)?], count, VOXELS[1], [1.0, 1.0], &[], context)?;
    let mut field = hung.field(&[], context)?;
    let caches = PlainCaches::new(&field);
    let high = 1.2 * hung.side;
    // Not straight down, where what is up in the picture would be undefined.
    let camera = look(DVec3::new(-0.1 * high, high, 0.0), DVec3::ZERO, 4.0 * high)?;
    let row = Row::new().with("view", format!("{count} banners of {flags} flags")).with("detail", "all");
    measured(row, &mut field, &caches, &camera, &[ceiling])
}

fn look(eye: DVec3, target: DVec3, far: f64) -> Result<Camera, Halt> {
    Ok(Camera { far, ..Camera::look_at(eye, target, 0.8, 1.6)? })
}

/// What it costs to simulate a frame, nanoseconds of a processor for each vertex.
fn ceiling_ns(generator: &Generator, context: &Context) -> Result<f64, Halt> {
    let (_, wind) = &generator.levels[generator.levels.len() - 1];
    let mut simulator = Simulator::new(&generator.model, generator.settings, WindField::new(*wind, context.seed()))?;
    for _ in 0..FRAMES {
        simulator.advance()?;
    }
    let timer = Timer::start();
    for _ in 0..FRAMES {
        simulator.advance()?;
    }
    Ok(1e9 * timer.elapsed().as_secs_f64() / (FRAMES as f64 * generator.model.vertex_count() as f64))
}

/// A meadow that is planted once, and shown in several ways.
struct Meadow {
    graphs: Vec<Arc<MotionGraph>>,
    swept: Vec<SweptVolume>,
    side: f64,
    instances: Vec<Instance>,
}

/// Somewhere to look from.
struct View {
    name: &'static str,
    camera: Camera,
}

impl Meadow {
    /// Each kind as often as any other; the ground is as large as it takes.
    fn plant(
        graphs: &[Arc<MotionGraph>],
        count: usize,
        voxel: f64,
        sizes: [f64; 2],
        details: &[Detail],
        context: &Context,
    ) -> Result<Self, Halt> {
        context.doing(&format!("planting {count} of {}", graphs[0].data().name()));
        let swept = graphs
            .iter()
            .map(|graph| Ok(SweptVolume::of_kind(graph, details, voxel, &context.progress())?.or_stopped()?));
        let swept = swept.collect::<Result<Vec<_>, Halt>>()?;
        let kinds: Vec<(&SweptVolume, f64)> = swept.iter().map(|swept| (swept, 1.0)).collect();
        let length = |swept: &SweptVolume| {
            let (low, high) = swept.bounds();
            (high[0] - low[0]).max(high[2] - low[2])
        };
        let longest = swept.iter().map(length).fold(0.0, f64::max);
        // What is drawn at random covers about a third of the ground; a banner
        // needs room to be turned.
        let mut side = side_for(&kinds, count, 3.0).max(2.0 * longest);
        let planted = |side: f64| {
            let settings = PlaceSettings {
                area: [side; 2],
                count,
                sizes,
                attempts: 400 * count as u64,
                // The winds of all data blow across z, as that of the field does along its own way.
                heading: heading_for(DATA_WIND, FIELD_WIND).unwrap_or(0.0),
                turns: TURNS,
            };
            Ok::<_, Halt>(place(&kinds, &settings, context.seed(), &context.progress())?.or_stopped()?)
        };
        let mut placement = planted(side)?;
        while placement.instances.len() < count {
            context.check()?;
            side *= 1.1;
            placement = planted(side)?;
        }
        Ok(Self { graphs: graphs.to_vec(), swept, side, instances: placement.instances })
    }

    fn field(&self, details: &[Detail], context: &Context) -> Result<Field, Halt> {
        let kinds = self.graphs.iter().zip(&self.swept).map(|(graph, swept)| Kind::new(graph, swept, details));
        let kinds = kinds.collect::<Result<Vec<_>, _>>()?;
        // The floor has its cache before it begins, too.
        kinds.iter().try_for_each(|kind| kind.make_all(&context.progress()).or_stopped())?;
        let levels = self.graphs[0].data().conditions().len();
        let graphs: Vec<&MotionGraph> = self.graphs.iter().map(AsRef::as_ref).collect();
        let gust = TravellingWind::gust_for(&graphs, libm::hypot(FIELD_WIND[0], FIELD_WIND[1])).max(8.0);
        // Where few gusts fit, a lap has as many as it has particles.
        let area = [self.side.max(3.0 * gust); 2];
        let wind = TravellingWind::new(area, gust, FIELD_WIND, levels, context.seed())?;
        Ok(Field::new(kinds, self.instances.clone(), wind, context.seed())?)
    }

    /// Over all of the meadow, and into it so far that 500 clumps are seen.
    fn views(&self, field: &mut Field) -> Result<Vec<View>, Halt> {
        let half = 0.5 * self.side;
        let over = look(DVec3::new(-half, 6.0, 0.0), DVec3::new(0.0, 0.0, 0.0), 2.0 * self.side)?;
        let into = |far: f64| look(DVec3::new(-0.3 * half, 1.6, 0.0), DVec3::new(0.0, 0.8, 0.0), far);
        let (mut near, mut far) = (1.0, 2.0 * self.side);
        for _ in 0..20 {
            let middle = 0.5 * (near + far);
            let seen = field.look(0, &[into(middle)?], &mut |_| ())?.instances;
            *(if seen < 500 { &mut near } else { &mut far }) = middle;
        }
        Ok(vec![View { name: "500 clumps", camera: into(far)? }, View { name: "the whole meadow", camera: over }])
    }
}

/// Which way plants lean, and whether they are in the wind that blows, over some gusts.
/// The variance is one less the length of the mean of unit vectors along the lean.
fn followed(field: &mut Field, camera: &Camera, context: &Context) -> Result<Row, Halt> {
    let rate = field.kinds()[0].data(0).frames_per_second();
    let rest = |instance: &Instance, kind: &Kind, detail: usize| {
        let vertices = kind.data(detail).groups().iter().flat_map(|group| group.rest.iter());
        let (sum, count) = vertices.fold((DVec3::ZERO, 0.0), |(sum, count), place| {
            (sum + instance.to_field(DVec3::from_array(place.map(f64::from))), count + 1.0)
        });
        sum / f64::max(count, 1.0)
    };
    let (mut leans, mut leaning, mut same, mut all) = (DVec3::ZERO, 0.0, 0.0, 0.0);
    let seconds = if context.quick() { 0.25 * FOLLOWED } else { FOLLOWED };
    for frame in 0..(seconds * rate) as u64 {
        context.check()?;
        let mut seen = Vec::new();
        field.look(frame, std::slice::from_ref(camera), &mut |shown| {
            let sum: DVec3 = shown.positions.iter().map(|place| DVec3::from_array(place.map(f64::from))).sum();
            seen.push((shown.instance, shown.detail, shown.level, sum / shown.positions.len().max(1) as f64));
        })?;
        for (number, detail, level, middle) in seen {
            let instance = field.instances()[number as usize];
            all += 1.0;
            let blows = field.wind().level_at([instance.place.x, instance.place.z], frame as f64 / rate);
            same += f64::from(u8::from(blows == level));
            if frame.is_multiple_of(10) {
                let lean = middle - rest(&instance, &field.kinds()[instance.kind], detail);
                leans += DVec3::new(lean.x, 0.0, lean.z).normalize_or_zero();
                leaning += 1.0;
            }
        }
    }
    Ok(Row::new()
        .with("view", "following the wind")
        .with("detail", "by distance")
        .with("instances", field.instances().len())
        .with("lean_circular_variance", 1.0 - leans.length() / f64::max(leaning, 1.0))
        .with("level_is_wind_share", same / f64::max(all, 1.0)))
}

/// What a view costs, beside the floor and the ceilings of the kinds, nanoseconds per
/// vertex.
fn measured(row: Row, field: &mut Field, caches: &PlainCaches, camera: &Camera, ceilings: &[f64]) -> Result<Row, Halt> {
    let mut counts = ViewCounts::default();
    let mut shown = Vec::new();
    let (mut ours, mut floor) = (0.0, 0.0);
    for frame in 0..2 * FRAMES {
        shown.clear();
        let timer = Timer::start();
        counts = field.look(frame, &[*camera], &mut |seen| {
            shown.push((seen.instance, seen.detail));
            std::hint::black_box(seen.positions);
        })?;
        let seconds = timer.elapsed().as_secs_f64();
        let timer = Timer::start();
        caches.play(&shown, frame);
        if frame >= FRAMES {
            ours += seconds;
            floor += timer.elapsed().as_secs_f64();
        }
    }
    let each = |seconds: f64| 1e6 * seconds / FRAMES as f64;
    let simulated = |&(number, detail): &(u32, usize)| {
        let kind = field.instances()[number as usize].kind;
        ceilings[kind] * field.kinds()[kind].data(detail).vertex_count() as f64
    };
    let ceiling_us = 1e-3 * shown.iter().map(simulated).sum::<f64>();
    Ok(row
        .with("instances", field.instances().len())
        .with("in_view", counts.instances)
        .with("vertices_in_view", counts.vertices)
        .with("us_per_frame", each(ours))
        .with("ns_per_vertex", 1e3 * each(ours) / counts.vertices.max(1) as f64)
        .with("floor_us", each(floor))
        .with("floor_ratio", ours / floor)
        .with("ceiling_us", ceiling_us)
        .with("kept_bytes", field.kinds().iter().map(Kind::kept_bytes).sum::<usize>())
        .with("tested", counts.tested))
}
