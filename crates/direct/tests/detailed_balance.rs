//! Promise: every move, accepted by its own ratio, is its own reverse. From
//! draws of the world, pairs (x, y) of a point and its successor have one
//! distribution whichever comes first, and y is a draw of the world again. The
//! seed is fixed; with a new one each comparison would fail by chance once in
//! 10 000 times.

#![allow(clippy::unwrap_used)]

use proscenium_chance::statistics::{chi_squared_fit, chi_squared_homogeneity, kolmogorov_smirnov_two_samples};
use proscenium_chance::{Density, Seed};
use proscenium_direct::moves::{
    Aim, Aimed, Choose, CrankNicolson, Edges, FlipOne, FromPrior, Move, Offset, OneMoreOrLess, Scope, Switch, Together,
    Walk,
};
use proscenium_direct::{Condition, Freedom, Point, Space, VariableId};

const ERROR_RATE: f64 = 1e-4;
const PAIRS: u64 = 20_000;

/// All kinds of densities, in groups that stay and groups that come and go.
fn space() -> (Space, Vec<VariableId>) {
    let mut space = Space::new();
    let table = space.group("table").unwrap();
    let first = space.optional_group("first", 0.3).unwrap();
    let second = space.optional_group("second", 0.8).unwrap();
    let densities = [
        (table, Density::normal(1.0, 2.0).unwrap()),
        (table, Density::truncated_normal(0.0, 1.0, -0.5, 2.0).unwrap()),
        (first, Density::uniform(-3.0, 5.0).unwrap()),
        (first, Density::uniform(0.0, 1.0).unwrap()),
        (second, Density::exponential(0.7).unwrap()),
        (second, Density::log_normal(0.0, 0.6).unwrap()),
    ];
    let ids = densities.into_iter().enumerate();
    let ids = ids.map(|(index, (group, density))| space.variable(group, format!("v{index}"), density).unwrap());
    let ids = ids.collect();
    (space, ids)
}

/// Fewer where something is given: the moves are the same.
fn count(space: &Space) -> u64 {
    if space.what_is_given().is_some() { PAIRS / 5 } else { PAIRS }
}

/// Points before and after one accepted or refused step, from draws of the
/// world.
fn pairs(one: &dyn Move, space: &Space) -> Vec<(Point, Point)> {
    (0..count(space))
        .map(|index| {
            let mut stream = Seed(7).stream(one.name()).at(index);
            let before = space.draw(&mut stream);
            let proposal = one.propose(space, &before, &mut stream);
            let log_u = libm::log(stream.uniform());
            let after = proposal
                .filter(|proposal| space.allows(&proposal.point) && log_u < proposal.log_ratio)
                .map(|proposal| proposal.point);
            let after = after.unwrap_or_else(|| before.clone());
            space.check(&after).unwrap();
            (before, after)
        })
        .collect()
}

/// Which groups take part, as a number.
fn subset(point: &Point) -> usize {
    point.active().iter().enumerate().map(|(bit, active)| usize::from(*active) << bit).sum()
}

fn assert_reversible(one: &dyn Move, space: &Space, ids: &[VariableId]) {
    let pairs = pairs(one, space);
    let moved = pairs.iter().filter(|(before, after)| before != after).count();
    assert!(moved > if space.what_is_given().is_some() { 50 } else { 500 }, "{}: only {moved} moved", one.name());

    // Which groups take part: the flow from a to b is the flow from b to a.
    let mut flow = [[0_u64; 8]; 8];
    for (before, after) in &pairs {
        flow[subset(before)][subset(after)] += 1;
    }
    for (a, b) in (0..8).flat_map(|a| (0..a).map(move |b| (a, b))) {
        let (forth, back) = (flow[a][b], flow[b][a]);
        if forth + back >= 10 {
            // Each pair passes as often one way as the other; there are at most 28.
            let test = chi_squared_fit(&[forth, back], &[0.5, 0.5], 0).unwrap();
            assert!(test.p_value > ERROR_RATE / 28.0, "{}: {forth} from {a} to {b}, {back} back", one.name());
        }
    }

    for id in ids {
        let of = |point: &Point| point.whitened()[id.index()];
        let exists = |(before, after): &&(Point, Point)| space.exists(before, *id) && space.exists(after, *id);
        // The draws afterwards are draws of the world.
        let later: Vec<f64> =
            pairs.iter().filter(|(_, after)| space.exists(after, *id)).map(|(_, after)| of(after)).collect();
        let world = (0..count(space)).map(|index| space.draw(&mut Seed(8).stream("world").at(index)));
        let world: Vec<f64> = world.filter(|point| space.exists(point, *id)).map(|point| of(&point)).collect();
        let test = kolmogorov_smirnov_two_samples(&later, &world).unwrap();
        assert!(test.p_value > ERROR_RATE, "{}: {} is {test:?}", one.name(), space.variable_name(*id));

        // Functions of a pair that are not symmetric, forth on one half and back on the other.
        let judged: Vec<&(Point, Point)> = pairs.iter().filter(exists).filter(|(a, b)| of(a) != of(b)).collect();
        if judged.len() > 400 {
            let (first, second) = judged.split_at(judged.len() / 2);
            let lean = |x: f64, y: f64| x + 0.3 * x * x * y;
            let forth: Vec<f64> = first.iter().map(|(before, after)| lean(of(before), of(after))).collect();
            let back: Vec<f64> = second.iter().map(|(before, after)| lean(of(after), of(before))).collect();
            let test = kolmogorov_smirnov_two_samples(&forth, &back).unwrap();
            assert!(test.p_value > ERROR_RATE, "{}: {} turns: {test:?}", one.name(), space.variable_name(*id));
        }
    }
}

#[test]
fn every_move_is_its_own_reverse() {
    let (space, ids) = space();
    let moves = moves(&space, &ids);
    for one in &moves {
        assert_reversible(one.as_ref(), &space, &ids);
    }
}

/// The same where something is given: one variable is held, one may move little, and of one
/// group it is given that it takes part.
#[test]
fn moves_keep_what_is_given() {
    let (space, ids) = space();
    let point = Point::new(vec![0.4, -0.3, 0.0, 0.0, 0.7, -1.1], vec![true, false, true]);
    let freedom =
        [Freedom::Held, Freedom::Little(0.5), Freedom::Anew, Freedom::Anew, Freedom::Little(0.8), Freedom::Anew];
    let moves = moves(&space, &ids);
    let given = Condition::new(&space, point.clone(), freedom.to_vec()).unwrap();
    let given = space.given(given).unwrap();
    for one in &moves {
        assert_reversible(one.as_ref(), &given, &ids);
    }
    for index in 0..2000 {
        let drawn = given.draw(&mut Seed(9).stream("given").at(index));
        let z = drawn.whitened();
        assert!(z[0] == 0.4 && (z[1] + 0.3).abs() <= 0.5 && (z[4] - 0.7).abs() <= 0.8 && given.allows(&drawn));
        assert!(drawn.active()[2] && (z[5] != 0.0));
    }
    let other = Point::new(vec![0.5, -0.3, 0.0, 0.0, 0.7, -1.1], vec![true, false, true]);
    assert!(given.allows(&point) && !given.allows(&other));
}

fn moves(space: &Space, ids: &[VariableId]) -> Vec<Box<dyn Move>> {
    let walk = |name: &str, vectors: &[&[usize]], choose, offset, edges| {
        let vectors = vectors.iter().map(|vector| vector.iter().map(|index| ids[*index]).collect()).collect();
        Walk::new(name, space, vectors, choose, offset, edges).unwrap()
    };
    let aim = |vector: &[usize], targets: &[&[f64]], spread: f64| Aim {
        vector: vector.iter().map(|index| ids[*index]).collect(),
        targets: targets.iter().map(|target| target.to_vec()).collect(),
        spread,
    };
    let all: [&[usize]; 4] = [&[0], &[1], &[2, 3], &[4, 5]];
    vec![
        Box::new(CrankNicolson::new("one", Scope::One, 1e-4, 1.0).unwrap()),
        Box::new(CrankNicolson::new("group", Scope::Group, 0.1, 1.0).unwrap()),
        Box::new(CrankNicolson::new("all", Scope::All, 0.3, 0.9).unwrap()),
        Box::new(CrankNicolson::new("these", Scope::These(vec![ids[1], ids[4]]), 0.5, 0.5).unwrap()),
        Box::new(FromPrior::new("prior")),
        Box::new(Aimed::new("aimed at what stays", space, vec![aim(&[1], &[&[0.4], &[1.5]], 0.2)]).unwrap()),
        Box::new(
            Aimed::new(
                "aimed at what comes and goes",
                space,
                vec![aim(&[2, 3], &[&[4.8, 0.3], &[0.0, 0.9]], 0.3), aim(&[4], &[&[2.0]], 0.5)],
            )
            .unwrap(),
        ),
        Box::new(FlipOne::new("flip")),
        Box::new(OneMoreOrLess::new("one more or less")),
        Box::new(Switch::new("switch", 0.25).unwrap()),
        Box::new(Switch::new("switch often", 0.7).unwrap()),
        Box::new(walk("uniform", &all, Choose::Each(0.5), Offset::Uniform(0.8), Edges::Refuse)),
        Box::new(walk("normal", &all, Choose::One, Offset::Normal(0.5), Edges::Refuse)),
        Box::new(walk("wrap", &[&[1], &[2], &[3]], Choose::Each(1.0), Offset::Normal(1.5), Edges::Wrap)),
        Box::new(walk("directed", &[&[0], &[2, 3], &[4, 5]], Choose::One, Offset::Directed(1.0), Edges::Wrap)),
        Box::new(
            Together::new(
                "together",
                vec![
                    Box::new(Switch::new("switch", 0.4).unwrap()),
                    Box::new(CrankNicolson::new("one", Scope::One, 0.1, 1.0).unwrap()),
                    Box::new(walk("walk", &all, Choose::Each(0.5), Offset::Uniform(0.8), Edges::Refuse)),
                ],
            )
            .unwrap(),
        ),
    ]
}

/// The test would notice the ratio that the paper prints.
#[test]
fn switching_as_printed_is_not_its_own_reverse() {
    let (space, _) = space();
    let pairs = pairs(&Switch::as_printed("as printed", 0.25).unwrap(), &space);
    let count = |which: fn(&(Point, Point)) -> &Point| {
        let mut counts = [0_u64; 8];
        pairs.iter().for_each(|pair| counts[subset(which(pair))] += 1);
        counts
    };
    let test = chi_squared_homogeneity(&count(|pair| &pair.0), &count(|pair| &pair.1)).unwrap();
    assert!(test.p_value < 1e-12, "{test:?}");
}
