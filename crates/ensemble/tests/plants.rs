//! Promise: built-in ensembles stand clear of themselves before anything
//! moves, what is recorded of them is clean, and the same seed gives the same
//! frames.

#![allow(clippy::unwrap_used)]

use proscenium_ensemble::built_in::{Grass, built_in};
use proscenium_ensemble::contact::ContactTest;
use proscenium_ensemble::field::reduce;
use proscenium_ensemble::simulate::Part;
use proscenium_ensemble::{Seed, compress};
use proscenium_work::Progress;

#[test]
fn a_thousand_blades_stand_clear_of_each_other() {
    let generator = built_in("grass", Seed(1)).unwrap();
    let groups = generator.model.groups();
    assert_eq!(groups.len(), 1005);
    let rest: Vec<[f32; 3]> = groups.iter().flat_map(|group| group.rest.clone()).collect();
    // By nearly the distance that the simulator keeps: what is pinned nearer than
    // that would be pushed for ever.
    let test =
        ContactTest::new(groups, generator.settings.thickness).with_thickness(0.99 * generator.settings.distance);
    assert_eq!(test.touching(&rest), []);
}

/// Every plant has as many groups as are promised, hangs together as plants do,
/// and is clear of itself by the distance that the simulator keeps.
#[test]
fn plants_stand_clear_of_themselves() {
    let counts = [
        ("banana", 32..=32, "leaf", "stalk"),
        ("iris-large", 547..=547, "petal", "stem"),
        ("iris-1", 160..=177, "petal", "stem"),
        ("iris-2", 160..=177, "petal", "stem"),
        ("iris-3", 160..=177, "pistil", "stem"),
        ("iris-4", 160..=177, "pistil", "stem"),
    ];
    for (name, count, part, holder) in counts {
        let generator = built_in(name, Seed(1)).unwrap();
        let groups = generator.model.groups();
        assert!(count.contains(&groups.len()), "{name} has {} groups", groups.len());
        for group in groups.iter().filter(|group| group.name.starts_with(part)) {
            let parent = &groups[group.attachment.unwrap().parent];
            assert!(parent.name.starts_with(holder), "{} hangs on {}", group.name, parent.name);
        }
        let rest: Vec<[f32; 3]> = groups.iter().flat_map(|group| group.rest.clone()).collect();
        let kept = generator.settings.distance;
        // Groups that hang together are joined where they are near at rest.
        let test = ContactTest::new(groups, 0.5 * kept).with_thickness(kept);
        assert_eq!(test.touching(&rest), [], "{name}");
    }
}

#[test]
fn other_seeds_grow_other_irises() {
    let model = |name: &str, seed: u64| built_in(name, Seed(seed)).unwrap().model.groups().to_vec();
    assert_eq!(model("iris-1", 1), model("iris-1", 1));
    assert_ne!(model("iris-1", 1), model("iris-1", 2));
    assert_ne!(model("iris-1", 1), model("iris-2", 1));
}

#[test]
fn blades_in_the_wind_never_pass_through_each_other() {
    let generator = Grass { blades: 7, ..Grass::clump(Seed(3)) }.generator("grass", 3);
    let part = Part { level: 2, number: 0, seconds: 2.0 };
    let record = || generator.record(&part, None, Seed(5), &Progress::none()).unwrap().finished().unwrap();
    let recorded = record();
    assert_eq!(recorded, record());
    assert_eq!(recorded.dropped, []);
    let frames: Vec<_> = recorded.stretches.iter().flatten().collect();
    assert_eq!(frames.len(), 60);
    let test = ContactTest::new(generator.model.groups(), generator.settings.thickness);
    assert!(frames.iter().all(|positions| test.touching(positions).is_empty()));
    // They do bend: some tip is more than a centimetre from where it was at rest.
    let rest = generator.model.groups().iter().flat_map(|group| &group.rest);
    let bent = |positions: &[[f32; 3]]| {
        rest.clone()
            .zip(positions)
            .any(|(a, b)| (0..3).map(|i| (a[i] - b[i]) * (a[i] - b[i])).sum::<f32>() > 0.01 * 0.01)
    };
    assert!(frames.iter().any(|positions| bent(positions)));
}

#[test]
fn blades_that_are_far_away_have_fewer_rows_and_stay_blades() {
    let generator = Grass { blades: 3, ..Grass::clump(Seed(3)) }.generator("grass", 1);
    let part = Part { level: 0, number: 0, seconds: 0.2 };
    let recorded = generator.record(&part, None, Seed(5), &Progress::none()).unwrap().finished().unwrap();
    let data = compress(&generator.gather(vec![(part, recorded)]).unwrap(), generator.error, &Progress::none())
        .unwrap()
        .finished()
        .unwrap();
    let counts = [0.0, 0.06, 0.12].map(|merge| {
        let reduced = reduce(&data, 4, merge).unwrap();
        assert!(reduced.groups().iter().all(|group| group.triangles.len() >= 4));
        reduced.vertex_count()
    });
    assert_eq!(counts[0], data.vertex_count());
    assert!(counts[1] < counts[0] && counts[2] < counts[1], "{counts:?}");
}
