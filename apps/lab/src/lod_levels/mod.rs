//! How far every level of every kind of tree is off the exact contact.

use proscenium_lod::TreeKind;
use proscenium_lod::contact::Reduction;
use proscenium_picture::plot::{Plot, Scale};

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment, Figure};
use crate::lod_collisions::{Off, median, models, scenes};
use crate::results::Row;

/// The experiment `lod-levels`.
pub(crate) struct LodLevels;

const DEPTH: u32 = 5;

impl Experiment for LodLevels {
    fn name(&self) -> &'static str {
        "lod-levels"
    }

    fn reproduces(&self) -> &'static str {
        "Dingliana 2002, section 6.1 (figures 6.1 and 6.2)"
    }

    fn summary(&self) -> &'static str {
        "errors of contact point, normal and outgoing velocities by level and kind of tree, against exact collisions"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "tree",
            "level",
            "point_error",
            "point_se",
            "normal_deg",
            "normal_se",
            "velocity_error",
            "velocity_se",
            "primitives",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let count = if context.quick() { 150 } else { 1000 };
        context.plan(6.0);
        context.doing("exact collisions");
        let scenes = scenes(&models(TreeKind::Octree, 0, context)?, count, context)?;
        context.done(1.0);
        for kind in TreeKind::ALL {
            context.doing(kind.name());
            let models = models(kind, DEPTH, context)?;
            for level in 0..=DEPTH {
                let (mut offs, mut primitives) = (Vec::new(), 0);
                for scene in &scenes {
                    context.check()?;
                    let found = scene.primitives(&models, level);
                    primitives += found.len();
                    offs.extend(scene.off(&Reduction::Weighted.contacts(&found)));
                }
                let of = |value: fn(&Off) -> f64| median(&offs.iter().map(value).collect::<Vec<_>>());
                let (point, normal, velocity) = (of(|off| off.point)?, of(|off| off.normal)?, of(|off| off.velocity)?);
                rows.push(
                    Row::new()
                        .with("tree", kind.name())
                        .with("level", level)
                        .with("point_error", point.0)
                        .with("point_se", point.1)
                        .with("normal_deg", normal.0)
                        .with("normal_se", normal.1)
                        .with("velocity_error", velocity.0)
                        .with("velocity_se", velocity.1)
                        .with("primitives", primitives as f64 / scenes.len() as f64)
                        .with("collisions", offs.len()),
                );
            }
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude(rows)
    }
}

fn of_kind(rows: &[Row], kind: TreeKind) -> Vec<&Row> {
    rows.iter().filter(|row| row.get("tree").and_then(|name| name.as_str()) == Some(kind.name())).collect()
}

fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = Vec::new();
    for (error, spread, what) in [
        ("point_error", "point_se", "contact point"),
        ("normal_deg", "normal_se", "normal"),
        ("velocity_error", "velocity_se", "outgoing velocities"),
    ] {
        let mut rises = Vec::new();
        for kind in TreeKind::ALL {
            for pair in of_kind(rows, kind).windows(2) {
                let number = |row: &Row, key: &str| row.number(key).unwrap_or(f64::NAN);
                let slack = number(pair[0], spread) + number(pair[1], spread);
                if number(pair[1], error) > number(pair[0], error) + slack {
                    rises.push(format!("{} level {}", kind.name(), number(pair[1], "level")));
                }
            }
        }
        if !rows.is_empty() {
            let said = if rises.is_empty() {
                "falls with every level, within its standard error".to_owned()
            } else {
                format!("does not fall at {}", rises.join(", "))
            };
            notes.push(format!("The median error of the {what} {said}."));
        }
    }
    if !rows.is_empty() {
        notes.push(
            "Two of six concave meshes meet along a line; the first contact is that of vertices, edges and faces, in closed \
             form. At that moment each level gives its primitives, reduced to one contact by weights (4.2.5). Points are \
             in radii of the bodies, velocities (with spins times the radius) in speeds of approach."
                .to_owned(),
        );
    }
    let mut figures = Vec::new();
    for (suffix, key, label) in [
        ("normals", "normal_deg", "median error of the normal (degrees)"),
        ("velocities", "velocity_error", "median error of velocities"),
    ] {
        let mut plot = Plot::new(format!("By level: {label}")).x("level", Scale::Linear).y(label, Scale::Linear);
        for kind in TreeKind::ALL.into_iter().filter(|kind| !of_kind(rows, *kind).is_empty()) {
            let points =
                of_kind(rows, kind).into_iter().filter_map(|row| Some((row.number("level")?, row.number(key)?)));
            plot = plot.line(kind.name(), points.collect::<Vec<_>>());
        }
        if !rows.is_empty() {
            figures.push(Figure { suffix, svg: plot.to_svg()? });
        }
    }
    Ok(Conclusion { notes, figures })
}
