//! What every reduction of contacts costs and gets wrong.

use proscenium_lod::TreeKind;
use proscenium_lod::contact::Reduction;
use proscenium_picture::plot::{Plot, Scale};

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment, Figure};
use crate::lod_collisions::{Off, median, models, scenes};
use crate::number::show_number;
use crate::results::Row;
use crate::timing::Stopwatch;

/// The experiment `lod-reduction`.
pub(crate) struct LodReduction;

const DEPTH: u32 = 5;

impl Experiment for LodReduction {
    fn name(&self) -> &'static str {
        "lod-reduction"
    }

    fn reproduces(&self) -> &'static str {
        "Dingliana 2002, section 4.2 (figure 6.3)"
    }

    fn summary(&self) -> &'static str {
        "errors, contacts and response time of each way to reduce contact primitives"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "tree",
            "reduction",
            "primitives",
            "contacts",
            "point_error",
            "normal_deg",
            "velocity_error",
            "velocity_se",
            "reduce_us",
            "response_us",
            "time_saved",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let count = if context.quick() { 150 } else { 1000 };
        let kinds = [TreeKind::Adaptive, TreeKind::Voxels];
        context.plan(3.0);
        context.doing("exact collisions");
        let scenes = scenes(&models(TreeKind::Octree, 0, context)?, count, context)?;
        context.done(1.0);
        for kind in kinds {
            context.doing(kind.name());
            let models = models(kind, DEPTH, context)?;
            let primitives: Vec<_> = scenes.iter().map(|scene| scene.primitives(&models, DEPTH)).collect();
            let mut whole = None;
            for reduction in Reduction::ALL {
                context.check()?;
                let (mut reducing, mut responding) = (Stopwatch::default(), Stopwatch::default());
                let (mut offs, mut contacts, mut found) = (Vec::new(), 0, 0);
                for (scene, primitives) in scenes.iter().zip(&primitives) {
                    let reduced = reducing.time(|| reduction.contacts(primitives));
                    responding.time(|| std::hint::black_box(scene.outcome(&reduced)));
                    found += primitives.len();
                    contacts += reduced.len();
                    offs.extend(scene.off(&reduced));
                }
                let of = |value: fn(&Off) -> f64| median(&offs.iter().map(value).collect::<Vec<_>>());
                let each = 1e6 / scenes.len() as f64;
                let total = reducing.seconds() + responding.seconds();
                let whole = *whole.get_or_insert(total);
                let velocity = of(|off| off.velocity)?;
                rows.push(
                    Row::new()
                        .with("tree", kind.name())
                        .with("reduction", reduction.name())
                        .with("primitives", found as f64 / scenes.len() as f64)
                        .with("contacts", contacts as f64 / scenes.len() as f64)
                        .with("point_error", of(|off| off.point)?.0)
                        .with("normal_deg", of(|off| off.normal)?.0)
                        .with("velocity_error", velocity.0)
                        .with("velocity_se", velocity.1)
                        .with("reduce_us", each * reducing.seconds())
                        .with("response_us", each * responding.seconds())
                        .with("time_saved", 1.0 - total / whole),
                );
            }
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        let mut notes = Vec::new();
        let best = rows.iter().min_by(|a, b| {
            let error = |row: &Row| row.number("velocity_error").unwrap_or(f64::INFINITY);
            error(a).total_cmp(&error(b))
        });
        if let Some(best) = best {
            let text = |key: &str| best.get(key).and_then(|value| value.as_str()).unwrap_or("").to_owned();
            notes.push(format!(
                "The least median error of velocities is {} of the speed of approach, by `{}` on {} trees.",
                show_number(best.number("velocity_error").unwrap_or(0.0)),
                text("reduction"),
                text("tree")
            ));
            notes.push(
                "The same collisions as in lod-levels, at the deepest level. Without a reduction all primitives (the 24 \
                 deepest, if there are more) are solved together; time saved is that of reducing and responding against it."
                    .to_owned(),
            );
        }
        let mut figures = Vec::new();
        if !rows.is_empty() {
            let names = Reduction::ALL.map(Reduction::name);
            let mut plot = Plot::new("Median error of velocities by reduction")
                .x("", Scale::Linear)
                .y("share of the speed of approach", Scale::Linear)
                .categories(names);
            for kind in ["adaptive", "voxels"] {
                let points = rows.iter().filter(|row| row.get("tree").and_then(|name| name.as_str()) == Some(kind));
                let points: Vec<_> = points
                    .enumerate()
                    .filter_map(|(at, row)| Some((at as f64, row.number("velocity_error")?)))
                    .collect();
                if !points.is_empty() {
                    plot = plot.bars(kind, points);
                }
            }
            figures.push(Figure { suffix: "errors", svg: plot.to_svg()? });
        }
        Ok(Conclusion { notes, figures })
    }
}
