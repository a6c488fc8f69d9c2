//! How close two triangles are, in double precision.

use glam::DVec3;

/// Three corners.
pub type Triangle = [DVec3; 3];

/// Whether two triangles come closer than `distance`: the one meaning of
/// interpenetration.
///
/// Most pairs that get here are told apart by the plane of one of them; the
/// others are measured feature by feature.
pub fn closer_than(a: &Triangle, b: &Triangle, distance: f64) -> bool {
    if apart_by_plane(a, b, distance) || apart_by_plane(b, a, distance) {
        return false;
    }
    let limit = distance * distance;
    for (i, j) in EDGES {
        for (k, l) in EDGES {
            if segments_squared(a[i], a[j], b[k], b[l]) < limit {
                return true;
            }
        }
    }
    (0..3).any(|corner| point_squared(a[corner], b) < limit || point_squared(b[corner], a) < limit) || crossing(a, b)
}

/// The distance between two triangles: zero where they cross.
///
/// ```
/// use proscenium_ensemble::contact::triangle_distance;
/// use proscenium_ensemble::glam::DVec3;
///
/// let floor = [DVec3::ZERO, DVec3::X, DVec3::Z];
/// let above = floor.map(|corner| corner + 0.25 * DVec3::Y);
/// assert_eq!(triangle_distance(&floor, &above), 0.25);
/// ```
pub fn distance(a: &Triangle, b: &Triangle) -> f64 {
    if crossing(a, b) {
        return 0.0;
    }
    let edges = EDGES.iter().flat_map(|&(i, j)| EDGES.map(|(k, l)| segments_squared(a[i], a[j], b[k], b[l])));
    let corners = (0..3).flat_map(|corner| [point_squared(a[corner], b), point_squared(b[corner], a)]);
    edges.chain(corners).fold(f64::INFINITY, f64::min).sqrt()
}

const EDGES: [(usize, usize); 3] = [(0, 1), (1, 2), (2, 0)];

/// Whether all of `b` lies more than `distance` to one side of the plane of `a`.
fn apart_by_plane(a: &Triangle, b: &Triangle, distance: f64) -> bool {
    let normal = (a[1] - a[0]).cross(a[2] - a[0]);
    let margin = distance * normal.length();
    let heights = b.map(|corner| normal.dot(corner - a[0]));
    heights.iter().all(|&height| height > margin) || heights.iter().all(|&height| height < -margin)
}

/// Whether an edge of one triangle passes through the other.
fn crossing(a: &Triangle, b: &Triangle) -> bool {
    EDGES.iter().any(|&(i, j)| pierces(a[i], a[j], b) || pierces(b[i], b[j], a))
}

/// Whether a segment passes through a triangle.
fn pierces(from: DVec3, to: DVec3, [a, b, c]: &Triangle) -> bool {
    let normal = (b - a).cross(c - a);
    let (before, after) = (normal.dot(from - a), normal.dot(to - a));
    if before * after > 0.0 || before == after {
        return false;
    }
    let point = from + (to - from) * (before / (before - after));
    let inside = |p: DVec3, q: DVec3| normal.dot((q - p).cross(point - p)) >= 0.0;
    inside(*a, *b) && inside(*b, *c) && inside(*c, *a)
}

/// The squared distance of two segments (Ericson 2005, 5.1.9).
pub(crate) fn segments_squared(p1: DVec3, q1: DVec3, p2: DVec3, q2: DVec3) -> f64 {
    let (s, t) = nearest_of_segments(p1, q1, p2, q2);
    ((p1 + (q1 - p1) * s) - (p2 + (q2 - p2) * t)).length_squared()
}

/// Where two segments are closest, as shares of their lengths.
pub(crate) fn nearest_of_segments(p1: DVec3, q1: DVec3, p2: DVec3, q2: DVec3) -> (f64, f64) {
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e, f) = (d1.length_squared(), d2.length_squared(), d2.dot(r));
    if a == 0.0 {
        return (0.0, if e == 0.0 { 0.0 } else { (f / e).clamp(0.0, 1.0) });
    }
    let c = d1.dot(r);
    if e == 0.0 {
        return ((-c / a).clamp(0.0, 1.0), 0.0);
    }
    let b = d1.dot(d2);
    let denominator = a * e - b * b;
    let s = if denominator > 0.0 { ((b * f - c * e) / denominator).clamp(0.0, 1.0) } else { 0.0 };
    let t = (b * s + f) / e;
    if t < 0.0 {
        ((-c / a).clamp(0.0, 1.0), 0.0)
    } else if t > 1.0 {
        (((b - c) / a).clamp(0.0, 1.0), 1.0)
    } else {
        (s, t)
    }
}

fn point_squared(point: DVec3, triangle: &Triangle) -> f64 {
    let weights = nearest_of_triangle(point, triangle);
    let nearest = triangle[0] * weights[0] + triangle[1] * weights[1] + triangle[2] * weights[2];
    (point - nearest).length_squared()
}

/// The point of a triangle that is nearest to a point, as shares of the
/// corners (Ericson 2005, 5.1.5).
pub(crate) fn nearest_of_triangle(point: DVec3, [a, b, c]: &Triangle) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = point - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = share(d1, d1 - d3);
        return [1.0 - v, v, 0.0];
    }
    let cp = point - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = share(d2, d2 - d6);
        return [1.0 - w, 0.0, w];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let w = share(d4 - d3, (d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - w, w];
    }
    let sum = va + vb + vc;
    [share(va, sum), share(vb, sum), share(vc, sum)]
}

/// A quotient; zero for a triangle that is a point.
fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_chance::Seed;

    fn random_triangle(stream: &mut proscenium_chance::Stream) -> Triangle {
        let middle = 0.8 * DVec3::new(stream.uniform(), stream.uniform(), stream.uniform());
        std::array::from_fn(|_| middle + stream.unit_vector() * stream.uniform())
    }

    /// By descent from many starts over both triangles: slow and obvious.
    fn by_search(a: &Triangle, b: &Triangle) -> f64 {
        // Alternating projections onto two convex sets reach their distance.
        let on = |t: &Triangle, w: [f64; 3]| t[0] * w[0] + t[1] * w[1] + t[2] * w[2];
        let mut p = a[0];
        for _ in 0..20_000 {
            let q = on(b, nearest_of_triangle(p, b));
            p = on(a, nearest_of_triangle(q, a));
        }
        let q = on(b, nearest_of_triangle(p, b));
        (p - q).length()
    }

    #[test]
    fn distances_agree_with_alternating_projections() {
        let mut stream = Seed(5).stream("triangles");
        let mut crossed = 0;
        for _ in 0..300 {
            let (a, b) = (random_triangle(&mut stream), random_triangle(&mut stream));
            let ours = distance(&a, &b);
            let theirs = by_search(&a, &b);
            // Projections creep where triangles cross or nearly do.
            assert!((ours - theirs).abs() < 2e-3, "{ours} {theirs} {a:?} {b:?}");
            assert!((distance(&b, &a) - ours).abs() < 1e-12);
            crossed += usize::from(ours == 0.0);
        }
        assert!(crossed > 20, "{crossed}");
    }

    #[test]
    fn being_closer_agrees_with_the_distance() {
        let mut stream = Seed(6).stream("triangles");
        for _ in 0..5000 {
            let (a, b) = (random_triangle(&mut stream), random_triangle(&mut stream));
            for limit in [1e-3, 0.1, 0.4] {
                assert_eq!(closer_than(&a, &b, limit), distance(&a, &b) < limit);
            }
        }
    }

    #[test]
    fn degenerate_triangles_have_distances() {
        let point = [DVec3::Y; 3];
        let line = [DVec3::ZERO, DVec3::X, DVec3::X * 0.5];
        let flat = [DVec3::ZERO, DVec3::X, DVec3::Z];
        for (a, b) in [(point, flat), (point, line), (point, point.map(|p| p + DVec3::Y)), (flat, point)] {
            assert!((distance(&a, &b) - 1.0).abs() < 1e-12);
            assert!(!closer_than(&a, &b, 0.9) && closer_than(&a, &b, 1.1));
        }
        assert_eq!(distance(&flat, &flat), 0.0);
    }
}
