//! A scene with wants, as what the sampler samples.

mod aim;
mod different;
mod given;
mod outcome;
mod paper;
mod reads;
mod run;
mod symmetry;

use std::sync::Arc;

use glam::DQuat;
use proscenium_chance::{Seed, Stream};
use proscenium_direct::moves::paper::PaperRatio;
use proscenium_direct::{
    Abandon, DirectError, Evaluation, GroupId, Mix, Model, Moves, Point, Request, Space, Values, VariableId,
};
use proscenium_work::{Completion, Progress, Remedy as _};

pub use different::{DIFFERENT, Sketch};
pub use given::FoundAnimation;
pub use outcome::{Outcome, Unrest};

use crate::drawn::DrawnScene;
use crate::error::SceneErrors;
use crate::scene::Scene;
use crate::want::{Bins, exclusive};
use symmetry::Symmetry;

/// Of so many draws of the world one at least must be possible: as many as the sampler makes
/// before it chooses a method. Nearly always the first one is.
const MOST_DRAWN: u64 = 1024;

/// The group of all that belongs to no body. No body has a dot in its name.
const SCENERY: &str = "scene.variables";
/// The group of all that belongs to single collisions.
const COLLISIONS: &str = "scene.collisions";

/// A scene that is directed: what is uncertain in it is what the sampler
/// varies, and its wants are the score.
///
/// Every body has a group of its own, which can be switched on and off if the
/// body may take part or not. An animation that cannot be, since bodies start
/// inside each other or are wedged, scores −∞.
///
/// A simulation ends as soon as everything has come to rest, and earlier where
/// the wants that are decided by then leave no hope. Neither changes a score.
///
/// ```
/// use proscenium_direct::{Mix, Model, Sampler, SamplerOptions};
/// use proscenium_scenes::{DirectedScene, Scene, Seed, Source};
/// use proscenium_work::Progress;
///
/// let text = r#"
///     format = 1
///     duration = 2.0
///     [[body]]
///     name = "floor"
///     fixed = true
///     shape = { half_space = [0, 1, 0] }
///     [[body]]
///     name = "die"
///     shape = { box = [0.02, 0.02, 0.02] }
///     position = [0, 0.1, 0]
///     orientation = "uniform"
///     [[want]]
///     body = "die"
///     face_up = 6
/// "#;
/// let scene = Scene::parse(text, &Source::inline("die.toml", text))?;
/// let model = DirectedScene::new(&scene)?;
/// let mix = model.mix()?;
/// let progress = Progress::none();
/// let started = Sampler::start(&model, &mix, Seed(1), SamplerOptions::default(), &progress)?;
/// let mut sampler = started.finished().expect("nobody stops it");
/// let mut found = Vec::new();
/// while found.is_empty() {
///     found = sampler.advance(&progress)?.finished().expect("nobody stops it").successes;
/// }
/// assert!(found.iter().all(|success| success.outcome.wants_met() == [true]));
///
/// // Any of them can be looked at.
/// let drawn = model.drawn(&found[0].sample.point)?;
/// assert_eq!(drawn.values().len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DirectedScene {
    scene: Scene,
    space: Space,
    /// Of each variable of the scene: its place in the space, and the value
    /// that it has without one or while it does not exist.
    sources: Vec<(Option<VariableId>, f64)>,
    /// The groups of bodies that may take part or not, by their places in the
    /// world.
    optional: Vec<(usize, GroupId)>,
    bins: Option<Bins>,
    symmetry: Arc<Symmetry>,
    aimed: Vec<aim::AimedBody>,
    reuse: bool,
    /// The stretch that all animations have in common, if they do.
    kept: Option<given::KeptStretch>,
}

impl DirectedScene {
    /// A scene to be directed.
    ///
    /// # Errors
    ///
    /// A scene without wants, in which nothing is uncertain, with a variable that
    /// nothing reads, with wants that exclude each other, or of which no draw can be, since
    /// bodies start inside each other.
    pub fn new(scene: &Scene) -> Result<Self, SceneErrors> {
        let plan = scene.plan();
        if plan.wants.is_empty() {
            let help = "say what should happen: [[want]] in the file, or --want 'die-1 shows 6'";
            return Err(SceneErrors::plain(format!("nothing is wanted of the scene \"{}\"", scene.name()), help));
        }
        if let Some(unread) = plan.unread.first() {
            let help = "use its name in place of a number, or leave it out";
            return Err(SceneErrors::plain(format!("nothing reads the variable \"{unread}\""), help));
        }
        if let Some((first, second, body)) = exclusive(&plan.wants) {
            return Err(excluded(scene, first, second, body));
        }
        let (space, sources, optional) =
            space(scene).map_err(|error| SceneErrors::plain(error.to_string(), error.remedy().unwrap_or_default()))?;
        if space.variables().len() == 0 && optional.is_empty() {
            let help = "put a density where something may vary, as in { normal = [0.0, 0.02] }";
            return Err(SceneErrors::plain(format!("nothing is uncertain in the scene \"{}\"", scene.name()), help));
        }
        let moving: usize = plan.bodies.iter().filter(|body| !body.fixed).map(|body| body.copies.count()).sum();
        let bins = Bins::among(&plan.wants);
        let symmetry = Arc::new(Symmetry::of(plan));
        let reuse = moving >= run::ENOUGH_TO_REUSE && !is_acted_on(plan);
        let aimed = aim::bodies(plan, &space);
        let directed =
            Self { scene: scene.clone(), space, sources, optional, bins, symmetry, aimed, reuse, kept: None };
        directed.find_possible()?;
        Ok(directed)
    }

    /// Looks for a draw of the world that can be.
    fn find_possible(&self) -> Result<(), SceneErrors> {
        let stream = Seed(0).stream("directed possible");
        let refused = |index: u64| {
            let point = self.space.draw(&mut stream.at(index));
            self.drawn_with(&self.space.values(&point)).builder().err()
        };
        match refused(0) {
            Some(errors) if (1..MOST_DRAWN).all(|index| refused(index).is_some()) => Err(errors),
            _ => Ok(()),
        }
    }

    /// The same without the symmetry of its bodies: every simulation stands for itself
    /// alone. What is sampled is distributed in the same way, at a greater cost.
    #[must_use]
    pub fn without_symmetry(mut self) -> Self {
        self.symmetry = Arc::new(Symmetry::none(self.scene.plan()));
        self
    }

    /// Whether one simulation stands for several turns of symmetric bodies.
    pub fn is_symmetric(&self) -> bool {
        self.symmetry.is_used()
    }

    /// The same with or without re-use of what did not change from one
    /// animation to the next. The animations are the same.
    #[must_use]
    pub fn with_reuse(mut self, reuse: bool) -> Self {
        self.reuse = reuse && !is_acted_on(self.scene.plan());
        self.kept = self.kept.map(|kept| kept.with_reuse(reuse));
        self
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The wants, in words, in the order of [`Outcome::wants_met`].
    pub fn wants(&self) -> Vec<String> {
        self.scene.wants().map(str::to_owned).collect()
    }

    /// Moves that suit the scene: those that suit any, and where bodies should end at
    /// places and may start anywhere, one that lets them start over these places.
    ///
    /// # Errors
    ///
    /// None for a scene that [`DirectedScene::new`] accepts.
    pub fn mix(&self) -> Result<Mix, DirectError> {
        aim::with_aim(Mix::standard(&self.space)?, &self.aimed, &self.space)
    }

    /// Moves by name.
    ///
    /// # Errors
    ///
    /// The paper's, for a scene that it does not have.
    pub fn mix_of(&self, moves: Moves) -> Result<Mix, DirectError> {
        match moves {
            Moves::Suited => self.mix(),
            Moves::Paper => paper::mix(self, PaperRatio::Corrected),
            Moves::PaperAsPrinted => paper::mix(self, PaperRatio::AsPrinted),
        }
    }

    /// The scene as a point of the space has it, to be simulated to a clip.
    ///
    /// # Errors
    ///
    /// A point of another space.
    pub fn drawn(&self, point: &Point) -> Result<DrawnScene, DirectError> {
        self.space.check(point)?;
        Ok(self.drawn_with(&self.space.values(point)))
    }

    /// Simulates a point of the space to its end.
    ///
    /// # Errors
    ///
    /// A point of another space.
    pub fn outcome(&self, point: &Point, progress: &Progress) -> Result<Completion<Evaluation<Outcome>>, DirectError> {
        self.space.check(point)?;
        match self.simulate(&Request::whole(&self.space.values(point), progress)) {
            Ok(evaluation) => Ok(Completion::Finished(evaluation)),
            Err(Abandon::Stopped) => Ok(Completion::Stopped),
            Err(Abandon::Failed(message)) => Err(DirectError::Simulation { message }),
            Err(_) => {
                let message = "it was abandoned though nothing was needed".to_owned();
                Err(DirectError::Simulation { message })
            }
        }
    }

    /// What is compared to tell whether two animations differ.
    pub fn sketch(&self, outcome: &Outcome) -> Sketch {
        Sketch::of(self, outcome)
    }

    /// The scene with these values, to be simulated to a clip.
    pub fn drawn_with(&self, values: &Values) -> DrawnScene {
        let value =
            |(id, otherwise): &(Option<VariableId>, f64)| id.and_then(|id| values.get(id)).unwrap_or(*otherwise);
        let all = self.sources.iter().map(value).collect();
        let mut absent = Vec::new();
        for (body, group) in &self.optional {
            absent.resize(self.scene.body_count(), false);
            absent[*body] = !values.takes_part(*group);
        }
        let drawn = DrawnScene::new(self.scene.clone(), all, absent);
        if !self.symmetry.turns_bodies() {
            return drawn;
        }
        drawn.shown_by(ShownTurn { symmetry: Arc::clone(&self.symmetry), values: values.clone() })
    }
}

/// How the turns are found in which a drawn scene is shown.
#[derive(Clone, Debug)]
pub(crate) struct ShownTurn {
    symmetry: Arc<Symmetry>,
    values: Values,
}

impl ShownTurn {
    /// The turn of each body, by a simulation that is judged; none if nothing is judged.
    pub(crate) fn turns(&self, drawn: &DrawnScene, progress: &Progress) -> Completion<Vec<DQuat>> {
        let how = run::How { symmetry: &self.symmetry, bins: None, reuse: false, kept: None };
        match run::simulate(drawn, &Request::whole(&self.values, progress), &how) {
            Ok(evaluation) => Completion::Finished(evaluation.outcome.ran().turns.clone()),
            Err(Abandon::Stopped) => Completion::Stopped,
            Err(_) => Completion::Finished(Vec::new()),
        }
    }
}

impl Model for DirectedScene {
    type Outcome = Outcome;

    fn space(&self) -> &Space {
        &self.space
    }

    fn greatest_log_score(&self) -> f64 {
        // Every want scores zero at best.
        0.0
    }

    fn simulate(&self, request: &Request<'_, Outcome>) -> Result<Evaluation<Outcome>, Abandon> {
        let drawn = self.drawn_with(request.values);
        let (symmetry, bins) = (&*self.symmetry, self.bins.as_ref());
        run::simulate(&drawn, request, &run::How { symmetry, bins, reuse: self.reuse, kept: self.kept.as_ref() })
    }

    /// Where a body is missed at a place, lets one that is of no use start over it.
    fn mend(&self, point: &Point, outcome: &Outcome, stream: &mut Stream) -> Option<Point> {
        aim::mend(self, point, outcome, stream)
    }

    fn quantities(&self) -> Vec<String> {
        std::iter::once("wants_met".to_owned()).chain(self.wants()).collect()
    }

    /// How many wants are met, and what each of them scores.
    fn measure(&self, outcome: &Outcome) -> Vec<f64> {
        let met = outcome.wants_met().iter().filter(|met| **met).count();
        std::iter::once(met as f64).chain(outcome.scores().iter().copied()).collect()
    }
}

/// Wants of which at most one can be met.
fn excluded(scene: &Scene, first: usize, second: usize, body: usize) -> SceneErrors {
    let wants = &scene.plan().wants;
    let message = match first == second {
        true => format!("the want \"{}\" contradicts itself", wants[first].name),
        false => format!("\"{}\" and \"{}\" exclude each other", wants[first].name, wants[second].name),
    };
    let names = scene.plan().bodies.iter().flat_map(|body| (0..body.copies.count()).map(|copy| body.name_of(copy)));
    let name = names.into_iter().nth(body).unwrap_or_default();
    let help = format!(
        "no animation can show both of \"{name}\": leave one out, or want at least one of them (of = [...], at_least = 1)"
    );
    SceneErrors::plain(message, &help)
}

type Parts = (Space, Vec<(Option<VariableId>, f64)>, Vec<(usize, GroupId)>);

/// The uncertain numbers of a scene, in whose order they are listed.
fn space(scene: &Scene) -> Result<Parts, DirectError> {
    let plan = scene.plan();
    let mut space = Space::new();
    let mut sources = Vec::with_capacity(plan.variables.len());
    let mut optional = Vec::new();
    let first_of_bodies = plan
        .bodies
        .iter()
        .filter(|body| body.own_count > 0)
        .map(|body| body.first)
        .chain(plan.collisions.iter().filter(|collision| collision.own_count > 0).map(|collision| collision.first))
        .min()
        .unwrap_or(plan.variables.len());
    add(&mut space, scene, SCENERY, None, 0..first_of_bodies, &mut sources)?;
    let mut place = 0;
    for body in &plan.bodies {
        for copy in 0..body.copies.count() {
            let own = if body.own_count > 0 { sources.len()..sources.len() + body.own_count } else { 0..0 };
            let group = add(&mut space, scene, &body.name_of(copy), body.takes_part, own, &mut sources)?;
            optional.extend(group.filter(|_| body.takes_part.is_some()).map(|group| (place, group)));
            place += 1;
        }
    }
    // Collisions come last.
    let rest = sources.len()..plan.variables.len();
    if !rest.is_empty() {
        add(&mut space, scene, COLLISIONS, None, rest, &mut sources)?;
    }
    Ok((space, sources, optional))
}

/// Adds a group of variables, unless all of them are certain and it always
/// takes part.
fn add(
    space: &mut Space,
    scene: &Scene,
    name: &str,
    takes_part: Option<f64>,
    variables: std::ops::Range<usize>,
    sources: &mut Vec<(Option<VariableId>, f64)>,
) -> Result<Option<GroupId>, DirectError> {
    let listed = &scene.plan().variables[variables];
    let is_uncertain = |low: f64, high: f64| low < high;
    let uncertain = listed.iter().any(|variable| {
        let support = variable.density.support();
        is_uncertain(support.low, support.high)
    });
    let group = match takes_part {
        Some(chance) => Some(space.optional_group(name, chance)?),
        None if uncertain => Some(space.group(name)?),
        None => None,
    };
    for variable in listed {
        let support = variable.density.support();
        let id = match group.filter(|_| is_uncertain(support.low, support.high)) {
            Some(group) => Some(space.variable(group, variable.name.clone(), (*variable.density).clone())?),
            None => None,
        };
        sources.push((id, variable.density.from_standard_normal(0.0)));
    }
    Ok(group)
}

/// Whether something is done to bodies from outside, which is no part of what is re-used.
fn is_acted_on(plan: &crate::plan::Plan) -> bool {
    plan.bodies.iter().any(|body| !body.pushes.is_empty() || body.moves.is_some())
}
