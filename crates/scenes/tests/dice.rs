//! Promise: dice show what was asked for, lie flat, and the same order is the same throw.

use proscenium_scenes::Seed;
use proscenium_scenes::dice::{DiceOrder, Die, Throw, roll};
use proscenium_work::{Completion, Progress, Remedy};

fn thrown(order: &DiceOrder) -> Throw {
    roll(order, &Progress::none()).expect("it can be thrown").finished().expect("nobody stops it")
}

/// Read off the last key, by the numbering of the solids.
#[test]
fn dice_lie_with_the_wanted_number_up() {
    for seed in 0..6 {
        let show: Vec<u32> = Die::ALL.iter().map(|die| 1 + (7 * seed as u32 + 2) % die.values().end()).collect();
        let order = DiceOrder { show: Some(show.clone()), ..DiceOrder::new(&Die::ALL, Seed(seed)) };
        let throw = thrown(&order);
        assert_eq!(throw.values, show);
        assert_eq!(throw.solids.len(), 8);
        for solid in &throw.solids {
            let last = solid.track.keys.last().unwrap();
            let height = |direction: glam::DVec3| (last.orientation * direction.as_vec3()).y;
            let sides = solid.solid.sides();
            let up = sides.iter().max_by(|a, b| height(a.direction).total_cmp(&height(b.direction))).unwrap();
            assert_eq!(up.number, solid.number);
            assert!(height(up.direction) > 0.999);
        }
    }
}

/// What is shown changes how a die is turned, and nothing of where it goes.
#[test]
fn only_the_turn_follows_what_is_shown() {
    let of = |show: Option<Vec<u32>>| {
        let order = DiceOrder { show, ..DiceOrder::new(&[Die::D6, Die::D20], Seed(5)) };
        let throw = thrown(&order);
        let end = |index: usize| throw.solids[index].track.keys.last().unwrap().position;
        (throw.duration, throw.thrown_again, end(0), end(1))
    };
    assert_eq!(of(None), of(Some(vec![1, 20])));
    assert_eq!(of(None), of(Some(vec![6, 7])));
}

/// Places by sampling, and faces by symmetry, at once; like dice stand for each other.
#[test]
fn dice_lie_where_they_should_and_show_what_they_should() {
    let places = vec![Some([0.05, 0.04]), None, Some([0.0, -0.04])];
    let order = DiceOrder {
        show: Some(vec![2, 17, 5]),
        places: Some(places.clone()),
        near: 0.06,
        ..DiceOrder::new(&[Die::D6, Die::D20, Die::D6], Seed(3))
    };
    let throw = thrown(&order);
    assert_eq!(throw.values, [2, 17, 5]);
    for (solid, place) in throw.solids.iter().zip(&places) {
        let last = solid.track.keys.last().unwrap().position;
        let away = |[x, z]: [f64; 2]| libm::hypot(f64::from(last.x) - x, f64::from(last.z) - z);
        assert!(place.is_none_or(|place| away(place) < 0.0602), "{last}");
        let sides = solid.solid.sides();
        let side = sides.iter().find(|side| side.number == solid.number).unwrap();
        let end = solid.track.keys.last().unwrap().orientation;
        assert!((end * side.direction.as_vec3()).y > 0.999);
    }
    assert!(throw.elsewhere > 0, "places cost throws");
    assert_eq!(thrown(&order), throw);
    // Where dice may lie anywhere, the throw is the one without places.
    let anywhere = DiceOrder { places: Some(vec![None; 3]), ..order.clone() };
    assert_eq!(thrown(&anywhere), thrown(&DiceOrder { places: None, ..order }));
}

#[test]
fn the_same_order_is_the_same_throw() {
    let order = DiceOrder::new(&[Die::D6; 5], Seed(9));
    assert_eq!(thrown(&order), thrown(&order));
    assert_ne!(thrown(&order), thrown(&DiceOrder { seed: Seed(10), ..order.clone() }));
}

#[test]
fn what_cannot_be_thrown_is_refused_with_a_remedy() {
    let order = DiceOrder::new(&[Die::D6], Seed(1));
    let wrong = [
        (
            DiceOrder { places: Some(vec![]), ..order.clone() },
            "0 places are given for 1 dice\n  help: give one place for each die, or null where it may lie anywhere",
        ),
        (
            DiceOrder { places: Some(vec![Some([0.3, 0.0])]), ..order.clone() },
            "a die cannot lie at 0.3, 0\n  help: give x and z from the middle of the tray, which is 0.4 by 0.3 m",
        ),
        (
            DiceOrder { places: Some(vec![None]), near: f64::NAN, ..order.clone() },
            "a die cannot be asked to lie within NaN m of its place\n  help: give 0.01 to 5 m",
        ),
        (DiceOrder::new(&[], Seed(1)), "a throw cannot have 0 dice\n  help: throw 1 to 50 dice; a d100 is two"),
        (DiceOrder { show: Some(vec![7]), ..order.clone() }, "a d6 cannot show 7\n  help: give 1 to 6"),
        (
            DiceOrder { show: Some(vec![]), ..order.clone() },
            "0 values are to be shown by 1 dice\n  help: give one value for each die",
        ),
        (DiceOrder { tray: [f64::NAN, 0.3], ..order }, "a tray cannot be NaN m wide or deep\n  help: give 0.2 to 5 m"),
    ];
    for (order, words) in wrong {
        assert_eq!(roll(&order, &Progress::none()).unwrap_err().explain(), words);
    }
    assert!(Die::parse("d7").is_err());
}

#[test]
fn a_throw_can_be_stopped() {
    let order = DiceOrder::new(&[Die::D6; 3], Seed(1));
    assert!(matches!(roll(&order, &Progress::stopping_at(20)), Ok(Completion::Stopped)));
}
