//! The meadow: grass and irises in a wind that travels, of which only what is
//! seen costs anything.

use std::sync::Arc;
use std::time::Instant;

use proscenium_ensemble::field::{Field, ViewCounts};
use proscenium_view::Camera;

use crate::api::{FieldMaking, LiveHello, MeadowClump, MeadowControl, MeadowFacts, MeadowStatistics, Problem};
use crate::live::{Costs, Instances, LiveWorld};
use crate::stream::problem;

use super::graphs::Graphs;
use super::planting::Planting;
use super::{Wait, wait_for};

/// So many clumps grow here at first, at least, and at most.
const FIRST: u32 = 2_600;
const LEAST: u32 = 20;
const MOST: u32 = 26_000;
/// How far one sees, m.
const FAR: f64 = 22.0;
/// From how high one looks at first, m, and how far ahead.
const EYE: [f64; 3] = [0.0, 1.15, 3.2];
/// The wind is told in so many squares along each side.
const SQUARES: usize = 24;
/// What clumps look like where the wind is shown, from the weakest on.
const WINDS: [[u8; 3]; 3] = [[96, 138, 196], [226, 188, 74], [214, 98, 60]];

/// A meadow in the wind.
pub struct Meadow {
    graphs: Arc<Graphs>,
    clumps: u32,
    /// From 0 to 1.
    wind: f64,
    shows_wind: bool,
    /// The clump that is asked for.
    asked: Option<u32>,
    grown: Option<VisibleMeadow>,
    making: Option<FieldMaking>,
    problem: Option<String>,
    now: f64,
    is_new: bool,
    costs: Costs,
}

/// Takes a clump that is seen: its plant, its number, the level that it goes by,
/// and its vertices.
type Draw<'frame> = dyn FnMut(usize, u32, usize, &[[f32; 3]]) + 'frame;

/// A meadow that has grown, and what was seen of it last.
struct VisibleMeadow {
    planted: Arc<Planting>,
    field: Field,
    counts: ViewCounts,
    /// How many of the clumps in view go by each wind, and are in each detail.
    by_level: Vec<u32>,
    by_detail: Vec<u32>,
    /// How the clump that is asked for was seen last: detail, level, distance.
    clump: Option<(usize, usize, f64)>,
}

impl Meadow {
    /// A meadow, whose clumps grow beside it if they are not there.
    pub fn open(graphs: &Arc<Graphs>) -> Self {
        Self {
            graphs: Arc::clone(graphs),
            clumps: FIRST,
            wind: 0.3,
            shows_wind: false,
            asked: None,
            grown: None,
            making: None,
            problem: None,
            now: 0.0,
            is_new: true,
            costs: Costs::default(),
        }
    }

    /// Begins to show the meadow as soon as it is planted.
    fn wait(&mut self) {
        self.making = None;
        match wait_for(self.graphs.meadow(self.clumps)) {
            Wait::Making(making) => self.making = Some(making),
            Wait::Problem(problem) => self.problem = Some(problem),
            Wait::Ready(planted) => match planted.field() {
                Ok(field) => {
                    let counts = ViewCounts::default();
                    let (by_level, by_detail, clump) = (Vec::new(), Vec::new(), None);
                    self.grown = Some(VisibleMeadow { planted, field, counts, by_level, by_detail, clump });
                    self.is_new = true;
                }
                Err(error) => self.problem = Some(error.to_string()),
            },
        }
    }
}

impl VisibleMeadow {
    /// Shows what a view sees, and counts it.
    fn look(&mut self, now: f64, view: &Camera, asked: Option<u32>, draw: &mut Draw) -> Result<(), Problem> {
        let frame = (now * self.planted.rate) as u64;
        let (mut by_level, mut by_detail) = (vec![0; self.planted.levels.len()], Vec::new());
        let mut clump = None;
        let instances = self.planted.instances();
        let counts = self.field.look(frame, &[*view], &mut |shown| {
            let instance = &instances[shown.instance as usize];
            if let Some(count) = by_level.get_mut(shown.level) {
                *count += 1;
            }
            if by_detail.len() <= shown.detail {
                by_detail.resize(shown.detail + 1, 0);
            }
            by_detail[shown.detail] += 1;
            if asked == Some(shown.instance) {
                clump = Some((shown.detail, shown.level, instance.place.distance(view.position)));
            }
            draw(Planting::plant_of(instance.kind, shown.detail), shown.instance, shown.level, shown.positions);
        });
        self.counts = counts.map_err(|error| problem(&error.to_string(), "reload the page"))?;
        (self.by_level, self.by_detail, self.clump) = (by_level, by_detail, clump);
        Ok(())
    }

    /// What there is to say of a clump that was in view.
    fn explain(&mut self, number: u32, now: f64) -> Option<MeadowClump> {
        let (detail, level, distance) = self.clump?;
        let instance = *self.field.instances().get(number as usize)?;
        let place = [instance.place.x, instance.place.z];
        let wind = self.field.wind_mut().level_at(place, now);
        let kind = self.field.kinds().get(instance.kind)?;
        let (whole, shown) = (kind.data(0), kind.data(detail));
        Some(MeadowClump {
            number,
            name: whole.name().to_owned(),
            kind: instance.kind as u32,
            kinds: self.field.kinds().len() as u32,
            size: instance.size,
            distance,
            parts: whole.groups().len() as u32,
            level: level as u32,
            wind: wind as u32,
            detail: detail as u32,
            details: kind.detail_count() as u32,
            vertices: [shown.vertex_count() as u32, whole.vertex_count() as u32],
            modes: [shown.rank() as u32, whole.rank() as u32],
        })
    }
}

impl LiveWorld for Meadow {
    type Control = MeadowControl;
    type Facts = MeadowFacts;
    type Statistics = MeadowStatistics;
    const CONTROLS: &'static str =
        "say { \"wind\": 0.5 }, { \"clumps\": 2600 }, { \"explain\": 7 } or { \"show_wind\": true }";

    fn hello(&mut self) -> LiveHello {
        let half = self.grown.as_ref().map_or(5.0, |grown| 0.5 * grown.planted.side);
        LiveHello {
            plants: self.grown.as_ref().map(|grown| grown.planted.plants()).unwrap_or_default(),
            bounds: [[-half, 0.0, -half], [half, 0.8, half]],
            eye: EYE,
            target: [0.0, 0.5, 0.0],
            far: FAR,
            ..LiveHello::default()
        }
    }

    fn facts(&mut self) -> MeadowFacts {
        let planted = self.grown.as_ref().map(|grown| &grown.planted);
        MeadowFacts {
            clumps: planted.map_or(0, |planted| planted.instances().len() as u32),
            side: planted.map_or(0.0, |planted| planted.side),
            levels: planted.map(|planted| planted.levels.clone()).unwrap_or_default(),
            colours: WINDS.map(|[red, green, blue]| format!("#{red:02x}{green:02x}{blue:02x}")).to_vec(),
            squares: SQUARES as u32,
            bytes: self.grown.as_ref().map_or(0.0, |grown| grown.planted.bytes as f64),
        }
    }

    fn is_new(&mut self) -> &mut bool {
        &mut self.is_new
    }

    fn control(&mut self, control: MeadowControl) -> Result<(), Problem> {
        match control {
            MeadowControl::Wind(strength) if (0.0..=1.0).contains(&strength) => self.wind = strength,
            MeadowControl::Wind(strength) => {
                return Err(problem(&format!("the wind cannot blow as strongly as {strength}"), "give from 0 to 1"));
            }
            MeadowControl::Clumps(clumps) if (LEAST..=MOST).contains(&clumps) => {
                self.clumps = clumps;
                (self.grown, self.making, self.problem, self.asked) = (None, None, None, None);
                self.is_new = true;
            }
            MeadowControl::Clumps(clumps) => {
                let help = format!("give from {LEAST} to {MOST}");
                return Err(problem(&format!("there is no meadow for {clumps} clumps"), &help));
            }
            MeadowControl::Explain(asked) => self.asked = asked,
            MeadowControl::ShowWind(on) => self.shows_wind = on,
        }
        Ok(())
    }

    fn advance(&mut self, seconds: f64, view: &Camera, instances: &mut Instances) -> Result<(), Problem> {
        self.now += seconds;
        if self.grown.is_none() && self.problem.is_none() {
            self.wait();
        }
        let Some(grown) = &mut self.grown else { return Ok(()) };
        let began = Instant::now();
        grown.field.wind_mut().set_strength(self.wind);
        let colour = |level: usize| self.shows_wind.then(|| WINDS[level.min(WINDS.len() - 1)]);
        grown.look(self.now, view, self.asked, &mut |plant, owner, level, positions| {
            instances.grow(plant, owner, colour(level), positions);
        })?;
        self.costs.since(began, self.now);
        Ok(())
    }

    fn statistics(&mut self) -> MeadowStatistics {
        let mut told = MeadowStatistics {
            time: self.now,
            making: self.making.clone(),
            problem: self.problem.clone(),
            in_view: 0,
            vertices: 0,
            tested: 0,
            by_level: Vec::new(),
            by_detail: Vec::new(),
            wind: Vec::new(),
            clump: None,
            costs: self.costs.take(),
        };
        let Some(grown) = &mut self.grown else { return told };
        told.in_view = grown.counts.instances as u32;
        told.vertices = grown.counts.vertices as u32;
        told.tested = grown.counts.tested as u32;
        told.by_level.clone_from(&grown.by_level);
        told.by_detail.clone_from(&grown.by_detail);
        let square = grown.planted.side / SQUARES as f64;
        let middle = |index: usize| (index as f64 + 0.5) * square - 0.5 * grown.planted.side;
        let wind = grown.field.wind_mut();
        let places = (0..SQUARES * SQUARES).map(|at| [middle(at % SQUARES), middle(at / SQUARES)]);
        told.wind = places.map(|place| wind.level_at(place, self.now) as u32).collect();
        told.clump = self.asked.and_then(|number| grown.explain(number, self.now));
        told
    }
}
