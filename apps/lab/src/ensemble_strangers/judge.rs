//! What an import came to, by measures that share nothing with the engine's.

use proscenium_ensemble::glam::DVec3;

use super::sway::{Model, Net};

/// Pairs of parts whose surfaces are nearer than `distance`, by a search over all corners
/// and edges of their triangles. Where a part grows from another it is not looked at.
pub(super) fn pairs_nearer(model: &Model, positions: &[[f32; 3]], distance: f64) -> usize {
    let at = |vertex: usize| DVec3::from_array(positions[vertex].map(f64::from));
    let extent = |net: &Net| {
        let places = (net.first..net.first + net.count()).map(at);
        places.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), place| (low.min(place), high.max(place)))
    };
    let extents: Vec<_> = model.nets.iter().map(extent).collect();
    let triangles: Vec<Vec<[DVec3; 3]>> =
        model.nets.iter().map(|net| net.triangles().into_iter().map(|triangle| triangle.map(at)).collect()).collect();
    let mut found = 0;
    for (k, first) in model.nets.iter().enumerate() {
        for (l, second) in model.nets.iter().enumerate().skip(k + 1) {
            let (ours, theirs) = (extents[k], extents[l]);
            if (ours.0 - theirs.1).max(theirs.0 - ours.1).max_element() > distance || second.grows_on() == Some(k) {
                continue;
            }
            let near = triangles[k].iter().any(|a| triangles[l].iter().any(|b| nearer(a, b, distance)));
            found += usize::from(near && first.rows > 0);
        }
    }
    found
}

fn nearer(a: &[DVec3; 3], b: &[DVec3; 3], distance: f64) -> bool {
    let low = |triangle: &[DVec3; 3]| triangle[0].min(triangle[1]).min(triangle[2]);
    let high = |triangle: &[DVec3; 3]| triangle[0].max(triangle[1]).max(triangle[2]);
    if (low(a) - high(b)).max(low(b) - high(a)).max_element() > distance {
        return false;
    }
    let corners = a.iter().any(|&corner| point_to_triangle(corner, b) < distance)
        || b.iter().any(|&corner| point_to_triangle(corner, a) < distance);
    let edges = |triangle: &[DVec3; 3]| [0, 1, 2].map(|at| [triangle[at], triangle[(at + 1) % 3]]);
    corners
        || edges(a).iter().any(|edge| edges(b).iter().any(|other| between_edges(*edge, *other) < distance))
        || edges(a).iter().any(|edge| pierces(*edge, b))
        || edges(b).iter().any(|edge| pierces(*edge, a))
}

/// By trying the inside and all edges.
fn point_to_triangle(point: DVec3, [a, b, c]: &[DVec3; 3]) -> f64 {
    let across = (*b - *a).cross(*c - *a);
    let normal = across.normalize_or_zero();
    let foot = point - normal * normal.dot(point - *a);
    let inside =
        [(a, b), (b, c), (c, a)].iter().all(|(from, to)| (**to - **from).cross(foot - **from).dot(across) >= 0.0);
    let edges = [[*a, *b], [*b, *c], [*c, *a]].map(|[from, to]| {
        let way = to - from;
        let share = ((point - from).dot(way) / way.length_squared().max(1e-300)).clamp(0.0, 1.0);
        point.distance(from + share * way)
    });
    let nearest = edges.into_iter().fold(f64::INFINITY, f64::min);
    if inside && normal != DVec3::ZERO { nearest.min(point.distance(foot)) } else { nearest }
}

/// By golden sections: the distance to a segment is convex along another.
fn between_edges([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    let way = d - c;
    let away = |share: f64| {
        let point = a + share * (b - a);
        let along = ((point - c).dot(way) / way.length_squared().max(1e-300)).clamp(0.0, 1.0);
        point.distance(c + along * way)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let third = (high - low) / 3.0;
        if away(low + third) < away(high - third) { high -= third } else { low += third }
    }
    away(0.5 * (low + high))
}

/// Whether an edge goes through a triangle.
fn pierces([from, to]: [DVec3; 2], [a, b, c]: &[DVec3; 3]) -> bool {
    let normal = (*b - *a).cross(*c - *a);
    let (above, below) = (normal.dot(from - *a), normal.dot(to - *a));
    if above * below >= 0.0 {
        return false;
    }
    let point = from + (above / (above - below)) * (to - from);
    [(a, b), (b, c), (c, a)].iter().all(|(from, to)| (**to - **from).cross(point - **from).dot(normal) >= 0.0)
}

/// The largest second difference of a vertex in three frames in a row.
pub(super) fn acceleration(frames: [&[[f32; 3]]; 3]) -> f64 {
    let [before, now, next] = frames;
    let wide = |place: &[f32; 3]| DVec3::from_array(place.map(f64::from));
    let each = before.iter().zip(now).zip(next);
    each.map(|((a, b), c)| (wide(a) - 2.0 * wide(b) + wide(c)).length()).fold(0.0, f64::max)
}
