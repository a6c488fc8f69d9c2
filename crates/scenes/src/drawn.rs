//! A scene whose values are drawn.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use glam::DVec3;
use proscenium_geometry::Pose;
use proscenium_rigid::{BodyDef, BodyId, Control, Material, MaterialId, PairSurface, World, WorldBuilder, WorldError};
use proscenium_work::{Progress, Remedy};

use crate::directed::ShownTurn;
use crate::error::SceneErrors;
use crate::joints;
use crate::overlap;
use crate::plan::{BodyPlan, MaterialPlan, Plan, Values};
use crate::report::{Path, Report};
use crate::scene::Scene;
use crate::simulate::{SimulateOptions, Simulation, simulate};

/// A scene in which nothing is uncertain any more.
///
/// ```
/// use proscenium_chance::Seed;
/// use proscenium_scenes::{SimulateOptions, find};
/// use proscenium_work::Progress;
///
/// let drawn = find("cradle", &[])?.draw(Seed(1));
/// let simulation = drawn.simulate(&SimulateOptions::default(), &Progress::none())?;
/// assert!(simulation.contacts.len() > 4);
/// # Ok::<(), proscenium_scenes::SceneErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct DrawnScene {
    scene: Scene,
    all: Arc<[f64]>,
    /// Which bodies of the world do not take part; none if it is empty.
    absent: Arc<[bool]>,
    values: OnceLock<BTreeMap<String, f64>>,
    shown: Option<ShownTurn>,
    /// Until when bodies that move as told have to be followed, s.
    until: f64,
}

/// When a body enters that does not take part: after the end of any scene.
const NEVER: f64 = 1e12;

/// A body of the world, and the body of the file that it comes from.
#[derive(Clone, Debug)]
pub(crate) struct PlacedBody {
    /// The index of the body in the file.
    pub plan: usize,
    pub copy: usize,
    pub def: BodyDef,
    /// Whether it does not take part.
    pub absent: bool,
}

impl DrawnScene {
    pub(crate) fn new(scene: Scene, all: Vec<f64>, absent: Vec<bool>) -> Self {
        let all = scene.plan().with_derived(all);
        let until = scene.duration();
        Self { scene, all: all.into(), absent: absent.into(), values: OnceLock::new(), shown: None, until }
    }

    /// The same for a run of another length.
    pub(crate) fn lasting(mut self, until: f64) -> Self {
        self.until = until;
        self
    }

    /// The same, whose symmetric bodies are shown in a turn that follows from how well
    /// each meets the wants.
    pub(crate) fn shown_by(mut self, shown: ShownTurn) -> Self {
        self.shown = Some(shown);
        self
    }

    pub(crate) fn shown(&self) -> Option<&ShownTurn> {
        self.shown.as_ref()
    }

    /// Everything that was drawn, to the last bit.
    pub(crate) fn bits(&self) -> impl Iterator<Item = u64> {
        let absent = self.absent.iter().map(|absent| u64::from(*absent));
        self.all.iter().map(|value| value.to_bits()).chain(absent)
    }

    /// The scene that was drawn from.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The value of everything that was uncertain, by name. Of a body that may
    /// take part or not, `NAME.takes_part` is 1 or 0.
    pub fn values(&self) -> &BTreeMap<String, f64> {
        self.values.get_or_init(|| {
            let names = self.scene.variables().map(|(name, _)| name.to_string());
            let parts = self.plan().optional_bodies().map(|(index, name, _)| {
                let absent = self.is_absent(index);
                (format!("{name}.takes_part"), f64::from(u8::from(!absent)))
            });
            names.zip(self.all.iter().copied()).chain(parts).collect()
        })
    }

    /// The world to be, with every body in place.
    ///
    /// # Errors
    ///
    /// With the values drawn, a shape cannot be, or bodies start inside each
    /// other.
    pub fn builder(&self) -> Result<WorldBuilder, SceneErrors> {
        self.prepared().map(|(builder, _)| builder)
    }

    /// The world, ready to run.
    ///
    /// # Errors
    ///
    /// What [`DrawnScene::builder`] refuses.
    pub fn world(&self) -> Result<World, SceneErrors> {
        self.built(self.builder()?)
    }

    /// Runs the scene. Every event asks whether to go on; of a run that is
    /// stopped, what there is until then is kept, and says so.
    ///
    /// # Errors
    ///
    /// What [`DrawnScene::builder`] refuses, a duration that is not positive, and
    /// what can go wrong in a simulation, such as a body that is wedged.
    pub fn simulate(&self, options: &SimulateOptions, progress: &Progress) -> Result<Simulation, SceneErrors> {
        simulate(self, options, progress)
    }

    pub(crate) fn plan(&self) -> &Plan {
        self.scene.plan()
    }

    /// Whether a body of the world does not take part, by its place.
    pub(crate) fn is_absent(&self, place: usize) -> bool {
        self.absent.get(place).copied().unwrap_or(false)
    }

    pub(crate) fn all(&self) -> &[f64] {
        &self.all
    }

    pub(crate) fn report(&self) -> Report<'_> {
        Report::new(self.plan().source.as_ref())
    }

    pub(crate) fn built(&self, builder: WorldBuilder) -> Result<World, SceneErrors> {
        let world = builder.build().map_err(|error| self.explain(&error))?;
        self.pushed(world, 0.0)
    }

    /// The world with what will push its bodies from a time on.
    pub(crate) fn pushed(&self, mut world: World, from: f64) -> Result<World, SceneErrors> {
        for (body, (at, impulse)) in self.pushes().filter(|(_, (at, _))| *at >= from) {
            let Some(body) = world.bodies().nth(body) else {
                continue;
            };
            let push = Control::Impulse { body, impulse, point: None };
            world.schedule(at, push).map_err(|error| crate::simulate::explain(self, &error))?;
        }
        Ok(world)
    }

    /// Who is pushed, when, and by what impulse.
    pub(crate) fn pushes(&self) -> impl Iterator<Item = (usize, (f64, DVec3))> {
        let bodies = self.plan().bodies.iter().flat_map(|body| (0..body.copies.count()).map(move |copy| (body, copy)));
        bodies.enumerate().flat_map(|(place, (body, copy))| {
            let values = body.values(&self.all, copy);
            body.pushes.iter().map(move |push| (place, (values.number(push.at), values.vector(&push.impulse))))
        })
    }

    /// When each body of the world enters, seconds.
    pub(crate) fn entries(&self) -> impl Iterator<Item = f64> {
        let bodies = self.plan().bodies.iter().flat_map(|body| (0..body.copies.count()).map(move |copy| (body, copy)));
        let entry = |(place, (body, copy))| if self.is_absent(place) { NEVER } else { self.start_of(body, copy) };
        bodies.enumerate().map(entry)
    }

    /// When a copy of a body enters if it takes part.
    pub(crate) fn start_of(&self, body: &BodyPlan, copy: usize) -> f64 {
        body.values(&self.all, copy).number(body.start) + body.copies.delay(copy)
    }

    /// When somebody is pushed for the last time.
    pub(crate) fn last_push(&self) -> f64 {
        self.pushes().map(|(_, (at, _))| at).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The world to be and its bodies, none of which overlap.
    pub(crate) fn prepared(&self) -> Result<(WorldBuilder, Vec<PlacedBody>), SceneErrors> {
        let (builder, placed) = self.describe()?;
        let mut report = self.report();
        overlap::check(&placed, &joints::joined(&builder), self.plan(), &mut report);
        report.finish(Some((builder, placed)))
    }

    fn describe(&self) -> Result<(WorldBuilder, Vec<PlacedBody>), SceneErrors> {
        let plan = self.plan();
        let everything = Values { all: &self.all, first: plan.gravity.first };
        let mut builder = World::builder().gravity(everything.vector(&plan.gravity.inner));
        if let Some(tolerance) = plan.tolerance {
            builder = builder.tolerance(tolerance);
        }
        let materials: Vec<Material> = plan.materials.iter().map(|material| self.material(material)).collect();
        let ids: Vec<MaterialId> = materials.iter().map(|material| builder.material(*material)).collect();
        for pair in &plan.pairs {
            let values = Values { all: &self.all, first: pair.first };
            let [a, b] = pair.materials;
            let usual = materials[a].meet(&materials[b]);
            let surface = PairSurface {
                restitution: pair.restitution.map_or(usual.restitution, |quantity| values.number(quantity)),
                friction: pair.friction.map_or(usual.friction, |quantity| values.number(quantity)),
                rolling: pair.rolling.map_or(usual.rolling, |quantity| values.number(quantity)),
            };
            builder.pair(ids[a], ids[b], surface);
        }
        let placed = self.placed(&ids)?;
        let bodies: Vec<BodyId> = placed.iter().map(|body| builder.body(body.def.clone())).collect();
        for collision in &plan.collisions {
            for (number, [a, b]) in collision.pairs.iter().enumerate() {
                let changes = (0..collision.count).map(|k| collision.change(&self.all, number, k)).collect();
                builder.collisions(bodies[*a], bodies[*b], changes);
            }
        }
        joints::add(self, &placed, &bodies, &mut builder);
        Ok((builder, placed))
    }

    fn material(&self, material: &MaterialPlan) -> Material {
        let values = Values { all: &self.all, first: material.first };
        Material {
            density: values.number(material.density),
            restitution: values.number(material.restitution),
            friction: values.number(material.friction),
            rolling: values.number(material.rolling),
        }
    }

    fn placed(&self, ids: &[MaterialId]) -> Result<Vec<PlacedBody>, SceneErrors> {
        let mut report = self.report();
        let mut placed = Vec::with_capacity(self.scene.body_count());
        let mut place = 0;
        for (index, body) in self.plan().bodies.iter().enumerate() {
            for copy in 0..body.copies.count() {
                let def = self.body(index, body, copy, ids, &mut report);
                let absent = self.is_absent(place);
                place += 1;
                placed.extend(def.map(|def| PlacedBody {
                    plan: index,
                    copy,
                    def: if absent { def.starting_at(NEVER) } else { def },
                    absent,
                }));
            }
        }
        report.finish(Some(placed))
    }

    fn body(
        &self,
        index: usize,
        body: &BodyPlan,
        copy: usize,
        ids: &[MaterialId],
        report: &mut Report<'_>,
    ) -> Option<BodyDef> {
        let values = body.values(&self.all, copy);
        let file = &self.plan().file.bodies[index];
        let root = &Path::ROOT;
        let section = &root.key("body");
        let path = &section.index(index).of("body", &body.name);
        let shape = match body.shape.shape(values) {
            Ok(shape) => shape,
            Err(error) => {
                let help = "change the densities of its shape so that this cannot happen".to_string();
                report.error(&file.shape.span, &path.key("shape"), format!("with the values drawn, {error}"), help);
                return None;
            }
        };
        let Some(orientation) = body.orientation.orientation(values) else {
            let span = file.orientation.as_ref().map_or(0..0, |orientation| orientation.span.clone());
            let message = "with the values drawn, the orientation has no direction";
            report.error(
                &span,
                &path.key("orientation"),
                message,
                "keep its axis or quaternion away from zero".to_string(),
            );
            return None;
        };
        let pose = Pose::new(values.vector(&body.position) + body.copies.offset(copy), orientation);
        let mut def = BodyDef::moving(body.name_of(copy), shape, ids[body.material]).at(pose);
        for zone in &body.zones {
            def = def.with_zone(zone.region(values), ids[zone.material]);
        }
        def.splines = body.splines.as_ref().and_then(|splines| splines.splines(values).ok());
        def.start = values.number(body.start) + body.copies.delay(copy);
        def.fixed = body.fixed;
        def.resting = body.resting && !body.fixed;
        def.mass_at_most = body.mass_at_most;
        if body.moves_freely() {
            def.velocity = body.velocity.velocity(values);
            def.spin = values.vector(&body.spin);
        }
        if let Some(moves) = &body.moves {
            let named = &self.all[..self.plan().named];
            match moves.drive(named, (body.copies.offset(copy), self.until), &mut def) {
                Ok(drive) => def = def.driven(drive),
                Err(error) => {
                    let span = file.moves.as_ref().map_or(0..0, |moves| moves.span.clone());
                    let message = format!("with the values drawn, it cannot move so: {error}");
                    let help = "write where it is as a function of the time t without jumps".to_string();
                    report.error(&span, &path.key("moves"), message, help);
                    return None;
                }
            }
        }
        let finite = |vector: DVec3| vector.is_finite();
        if !(finite(def.velocity) && finite(def.spin) && finite(pose.translation)) {
            let message = "with the values drawn, its place or motion is not a finite number";
            report.error(&file.name.span, path, message, "use smaller numbers".to_string());
            return None;
        }
        Some(def)
    }

    /// What a world says, with the place in the file that it is about.
    pub(crate) fn explain(&self, error: &WorldError) -> SceneErrors {
        if let WorldError::Joint { joint, .. } = error
            && let Some(index) = self.plan().joints.iter().position(|plan| plan.name == *joint)
        {
            return self.about_joint(index, error);
        }
        let body = match error {
            WorldError::Overlap { b, .. } => Some(b),
            WorldError::Material { body, .. }
            | WorldError::UnknownMaterial { body }
            | WorldError::Mass { body, .. }
            | WorldError::CannotMove { body, .. }
            | WorldError::MovesAtRest { body }
            | WorldError::DrivenAtRest { body }
            | WorldError::NotFinite { body, .. } => Some(body),
            _ => None,
        };
        self.about(body.map(String::as_str), error)
    }

    fn about_joint(&self, index: usize, error: &WorldError) -> SceneErrors {
        let mut report = self.report();
        let span = &self.plan().file.joints[index].body.span;
        let root = &Path::ROOT;
        let help = "places, distances and angles are those at the start".to_string();
        report.error(span, &root.key("joint").index(index), error.to_string(), help);
        match report.finish::<()>(None) {
            Err(errors) => errors,
            Ok(()) => SceneErrors::plain(error.to_string(), ""),
        }
    }

    /// A message about a body of the world, by its name, or about the scene.
    pub(crate) fn about(&self, body: Option<&str>, error: &dyn Remedy) -> SceneErrors {
        let (message, help) = (error.to_string(), error.remedy().map(Cow::into_owned));
        let mut report = self.report();
        let root = &Path::ROOT;
        let section = &root.key("body");
        let found = body.and_then(|name| self.body_named(name));
        match found {
            Some((index, plan)) => {
                let span = &self.plan().file.bodies[index].name.span;
                report.error(span, &section.index(index).of("body", &plan.name), message.as_str(), help);
            }
            None => report.error(&(0..0), root, message.as_str(), help),
        }
        match report.finish::<()>(None) {
            Err(errors) => errors,
            Ok(()) => SceneErrors::plain(&message, ""),
        }
    }

    /// The body of the file that a name in the world comes from.
    fn body_named(&self, name: &str) -> Option<(usize, &BodyPlan)> {
        let bodies = || self.plan().bodies.iter().enumerate();
        let single = bodies().find(|(_, body)| body.name == name);
        single.or_else(|| {
            let (base, _) = name.rsplit_once('-')?;
            bodies().find(|(_, body)| body.name == base)
        })
    }
}
