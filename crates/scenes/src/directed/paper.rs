//! The paper's moves (Chenney 2000, 2.4 and appendix A), for the scenes that are its own.

use proscenium_direct::moves::paper::{PaperRatio, Shot, bowling_mix, dice_mix, spelling_mix};
use proscenium_direct::{DirectError, Mix, Space, VariableId};

use super::DirectedScene;
use crate::builtin::{bowling, pins, spell};

/// The moves for a scene, which is known by its name and by what is uncertain in it: a
/// file of the same name may be of something else.
pub(super) fn mix(directed: &DirectedScene, ratio: PaperRatio) -> Result<Mix, DirectError> {
    let (space, name) = (&directed.space, directed.scene.name());
    match name {
        "spell" => {
            let (corners, marbles) = (vectors(space, "box."), vectors(space, "marble-"));
            if !corners.is_empty() && !marbles.is_empty() {
                return spelling_mix(space, corners, spell::DEVIATION, marbles, spell::PITCH, ratio);
            }
        }
        "bowling" => {
            let shot = shot(space);
            if shot.across.is_some() && shot.down.is_some() && !shot.pins.is_empty() {
                return bowling_mix(space, &shot, ratio);
            }
        }
        "table" | "dice" => {
            let (points, starts): (Vec<_>, Vec<_>) =
                space.variables().partition(|id| !space.variable_name(*id).starts_with("die-"));
            if !starts.is_empty() {
                return dice_mix(space, &points, &starts, ratio);
            }
        }
        _ => {}
    }
    Err(DirectError::NotInPaper { scene: name.to_owned() })
}

/// The variables whose names begin like this, by vectors: the components of one follow
/// each other.
fn vectors(space: &Space, prefix: &str) -> Vec<Vec<VariableId>> {
    let mut vectors: Vec<(&str, Vec<VariableId>)> = Vec::new();
    for id in space.variables() {
        let name = space.variable_name(id);
        let Some((vector, _)) = name.rsplit_once('.').filter(|_| name.starts_with(prefix)) else {
            continue;
        };
        match vectors.last_mut() {
            Some((known, ids)) if *known == vector => ids.push(id),
            _ => vectors.push((vector, vec![id])),
        }
    }
    vectors.into_iter().map(|(_, ids)| ids).collect()
}

/// What is uncertain of a bowling shot.
fn shot(space: &Space) -> Shot {
    let named = |name: &str| space.variables().find(|id| space.variable_name(*id) == name);
    let scaled = |name: &str, scale: f64| named(name).map(|id| (id, scale));
    Shot {
        radius: scaled("ball_radius", bowling::LARGEST),
        density: scaled("materials.urethane.density", bowling::DENSEST),
        across: scaled("place", 2.0 * pins::HALF_LANE),
        height: scaled("ball.position.y", bowling::LARGEST),
        down: named("speed"),
        sideways: named("drift"),
        spin: ["side_spin", "top_spin", "roll"].into_iter().filter_map(named).collect(),
        pins: vectors(space, "pin-"),
        pin_deviation: bowling::OFF,
    }
}

#[cfg(test)]
mod tests {
    use proscenium_direct::{Model as _, Moves};

    use super::*;
    use crate::{Scene, Source, find};

    fn directed(name: &str, wants: &str) -> DirectedScene {
        let scene = find(name, &[]).unwrap();
        let scene = if wants.is_empty() { scene } else { scene.with_wants(wants).unwrap() };
        DirectedScene::new(&scene).unwrap()
    }

    #[test]
    fn the_papers_scenes_have_the_papers_moves() {
        let names = |directed: &DirectedScene| -> Vec<String> {
            directed.mix_of(Moves::Paper).unwrap().names().map(str::to_owned).collect()
        };
        assert_eq!(names(&directed("spell", "")), ["change all", "some vertices", "one ball", "balls on or off"]);
        let bowling = directed("bowling", "pin-1 falls");
        assert_eq!(names(&bowling), ["change all", "radius", "density", "position", "velocity", "spin", "some pins"]);
        assert_eq!(vectors(bowling.space(), "pin-").len(), 10);
        let table = names(&directed("table", ""));
        assert_eq!(table.iter().filter(|name| *name == "one of a start").count(), 9);
        assert!(table.contains(&"one control point".to_owned()));
    }

    #[test]
    fn other_scenes_have_none() {
        let error = directed("billiards", "ball-1 rests in pockets").mix_of(Moves::Paper).err().unwrap();
        assert_eq!(error, DirectError::NotInPaper { scene: "billiards".to_owned() });
        // Nor has a file that only has the name of one.
        let text = "format = 1\nduration = 1.0\n[[body]]\nname = \"ball\"\nshape = { sphere = 0.1 }\n\
            velocity = [{ normal = [0, 1] }, 0, 0]\n[[want]]\nbody = \"ball\"\n\
            near = { position = [1, 0], within = 0.3 }\nat = 1.0\n";
        let scene = Scene::parse(text, &Source::inline("bowling.toml", text)).unwrap();
        assert_eq!(scene.name(), "bowling");
        assert!(DirectedScene::new(&scene).unwrap().mix_of(Moves::Paper).is_err());
    }
}
