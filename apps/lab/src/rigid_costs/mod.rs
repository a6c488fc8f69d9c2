//! What the hot paths of the event loop cost.
//!
//! Chenney 2000, 3.2.5, breaks the cost of an event into integration,
//! collision resolution, closest points and bounding volumes, and leaves out
//! the queue as too cheap to count. Here is each of them in nanoseconds.

mod contact;
mod events;
mod gauge;
mod pieces;

use proscenium_picture::plot::{Plot, Scale};
use serde_json::Value;

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment, Figure};
use crate::number::show_number;
use crate::results::Row;

use events::{Predictions, full_prediction, queue_operation, stage_one};
use gauge::Cost;
use pieces::{BALL, TOP, TUMBLING, beginning, bound_update, distance_query, evaluation, resolution};

/// The experiment `rigid-costs`.
pub(crate) struct RigidCosts;

/// An operation that is measured.
struct Operation {
    name: &'static str,
    /// For the picture.
    short: &'static str,
    what: &'static str,
    measure: fn(&Context) -> Result<Measured, Halt>,
}

/// What was measured of it.
struct Measured {
    cost: Cost,
    /// Distance queries in each, where there are any.
    queries: Option<f64>,
}

impl From<Cost> for Measured {
    fn from(cost: Cost) -> Self {
        Self { cost, queries: None }
    }
}

impl From<Predictions> for Measured {
    fn from(predictions: Predictions) -> Self {
        Self { cost: predictions.cost, queries: Some(predictions.queries) }
    }
}

const QUEUE: &str = "queue operation";
const WARM_QUERY: &str = "distance query, warm";

/// Everything that is measured.
const OPERATIONS: &[Operation] = &[
    Operation {
        name: QUEUE,
        short: "queue",
        what: "an event put in or taken out, 1000 waiting",
        measure: |context| queue_operation(context).map(Measured::from),
    },
    Operation {
        name: "bound update, 64 bodies",
        short: "bound, 64",
        what: "one bound moved along the sorted lists",
        measure: |context| bound_update(context, 64).map(Measured::from),
    },
    Operation {
        name: "bound update, 512 bodies",
        short: "bound, 512",
        what: "the same, as densely among more",
        measure: |context| bound_update(context, 512).map(Measured::from),
    },
    Operation {
        name: "stage-one prediction",
        short: "stage one",
        what: "bounding spheres apart, and its place in the queue",
        measure: |context| stage_one(context).map(Measured::from),
    },
    Operation {
        name: WARM_QUERY,
        short: "warm query",
        what: "icosahedra that moved 0.1 mm and turned 0.3 degrees",
        measure: |context| distance_query(context, true).map(Measured::from),
    },
    Operation {
        name: "distance query, cold",
        short: "cold query",
        what: "the same without the simplex of the last query",
        measure: |context| distance_query(context, false).map(Measured::from),
    },
    Operation {
        name: "full prediction",
        short: "prediction",
        what: "bounding spheres overlap: conservative advancement",
        measure: |context| full_prediction(context).map(Measured::from),
    },
    Operation {
        name: "collision, smooth",
        short: "smooth hit",
        what: "the impulse without friction",
        measure: |context| resolution(context, 0.0).map(Measured::from),
    },
    Operation {
        name: "collision, rough",
        short: "rough hit",
        what: "the impulse with Coulomb friction of 0.3",
        measure: |context| resolution(context, 0.3).map(Measured::from),
    },
    Operation {
        name: "pose, ball",
        short: "pose, ball",
        what: "torque-free motion at a time, equal moments",
        measure: |context| evaluation(context, BALL).map(Measured::from),
    },
    Operation {
        name: "pose, top",
        short: "pose, top",
        what: "the same, two equal moments",
        measure: |context| evaluation(context, TOP).map(Measured::from),
    },
    Operation {
        name: "pose, tumbling",
        short: "pose, any",
        what: "the same, three different moments",
        measure: |context| evaluation(context, TUMBLING).map(Measured::from),
    },
    Operation {
        name: "new flight, ball",
        short: "new, ball",
        what: "the start of torque-free motion, equal moments",
        measure: |context| beginning(context, BALL).map(Measured::from),
    },
    Operation {
        name: "new flight, tumbling",
        short: "new, any",
        what: "the same, three different moments",
        measure: |context| beginning(context, TUMBLING).map(Measured::from),
    },
    Operation {
        name: "touching places",
        short: "touches",
        what: "all the places where a box stands on a box",
        measure: |context| contact::touches(context).map(Measured::from),
    },
    Operation {
        name: "contact step, one body",
        short: "step",
        what: "a step of a tower of ten boxes, for one of them",
        measure: |context| contact::contact_step(context).map(Measured::from),
    },
];

impl Experiment for RigidCosts {
    fn name(&self) -> &'static str {
        "rigid-costs"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, section 3.2.5 (which costs count)"
    }

    fn summary(&self) -> &'static str {
        "nanoseconds of each operation that the event loop is made of"
    }

    fn columns(&self) -> &'static [&'static str] {
        &["operation", "ns", "least_ns", "queries", "what"]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        context.plan(OPERATIONS.len() as f64);
        for operation in OPERATIONS {
            context.doing(operation.name);
            let Measured { cost, queries } = (operation.measure)(context)?;
            rows.push(
                Row::new()
                    .with("operation", operation.name)
                    .with("ns", cost.nanoseconds)
                    .with("least_ns", cost.least)
                    .with("queries", queries)
                    .with("operations", cost.operations)
                    .with("what", operation.what),
            );
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        let mut notes = Vec::new();
        if let (Some(queue), Some(query)) = (cost_of(rows, QUEUE), cost_of(rows, WARM_QUERY)) {
            notes.push(format!(
                "A queue operation costs {} of a warm distance query; the paper expects it to be the cheaper of the two for any practical number of bodies.",
                show_number(queue / query)
            ));
        }
        notes.push("ns is the median over batches of equal operations, least_ns the quickest batch; queries is distance queries in each.".to_owned());
        notes.push("Predictions and queue operations are measured inside a world: an event that makes a known number of them, less the same event without them. A queue operation includes the handling of an event that does nothing, so it is an upper bound.".to_owned());
        Ok(Conclusion { notes, figures: figure(rows)?.into_iter().collect() })
    }
}

fn cost_of(rows: &[Row], name: &str) -> Option<f64> {
    rows.iter().find(|row| row.get("operation").and_then(Value::as_str) == Some(name))?.number("ns")
}

fn figure(rows: &[Row]) -> Result<Option<Figure>, LabError> {
    let bars: Vec<(&str, f64)> = OPERATIONS
        .iter()
        .filter_map(|operation| Some((operation.short, cost_of(rows, operation.name)?)))
        .filter(|(_, cost)| *cost > 0.0)
        .collect();
    if bars.is_empty() {
        return Ok(None);
    }
    let heights = bars.iter().enumerate().map(|(index, (_, cost))| (index as f64, *cost));
    let svg = Plot::new("What the event loop is made of")
        .size(1200, 480)
        .y("nanoseconds", Scale::Log)
        .categories(bars.iter().map(|(name, _)| *name))
        .bars("median", heights)
        .to_svg()?;
    Ok(Some(Figure { suffix: "bars", svg }))
}
