//! `proscenium check`: is the scene right?

use proscenium_chance::Seed;
use proscenium_scenes::DirectedScene;
use proscenium_work::Remedy as _;
use serde::Serialize;

use crate::arguments::Check;
use crate::console::Console;
use crate::failure::Failure;
use crate::text::counted;

/// What scripts are told of a scene that is right.
#[derive(Serialize)]
struct CheckJson<'a> {
    ok: bool,
    scene: &'a str,
    duration: f64,
    bodies: usize,
    materials: usize,
    uncertain: Vec<&'a str>,
    wants: Vec<&'a str>,
    warnings: &'a [String],
}

pub fn run(options: &Check, seed: u64, console: Console) -> Result<(), Failure> {
    let scene = options.scene.find()?;
    // Some mistakes, such as bodies that overlap, show once values are drawn.
    let drawn = scene.draw(Seed(seed)).builder();
    let is_directed = scene.wants().next().is_some();
    if is_directed {
        // What `direct` would refuse is wrong here, too; it draws until something can be.
        DirectedScene::new(&scene)?;
    }
    match drawn.err() {
        Some(errors) if is_directed => {
            console.remark(&format!("warning: not with what seed {seed} draws: {}", errors.explain()));
        }
        Some(errors) => return Err(errors.into()),
        None => {}
    }
    for warning in scene.warnings() {
        console.remark(&format!("warning: {warning}"));
    }
    let uncertain: Vec<&str> = scene.variables().map(|(name, _)| name).collect();
    let (bodies, materials) = (scene.body_count(), scene.material_count());
    console.report(
        || {
            format!(
                "ok: {}, {}, {}\n",
                counted(bodies, "body", "bodies"),
                counted(materials, "material", "materials"),
                counted(uncertain.len(), "uncertain value", "uncertain values")
            )
        },
        CheckJson {
            ok: true,
            scene: scene.name(),
            duration: scene.duration(),
            bodies,
            materials,
            uncertain: uncertain.clone(),
            wants: scene.wants().collect(),
            warnings: scene.warnings(),
        },
    )
}
