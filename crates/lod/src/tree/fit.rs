//! The smallest volumes of each kind around some points.

use glam::{DMat3, DVec3};

use proscenium_work::{Progress, Stopped};

use super::volume::{Kind, Volume};

/// Steps towards the smallest sphere. After k steps the radius is within a share
/// of 1 / √k of the least at worst (Bădoiu and Clarkson).
const STEPS: u32 = 64;

/// A volume of this kind that holds all points: every point is measured after
/// the fit, so that it holds them however rough the fit is.
pub(crate) fn fit(kind: Kind, points: &[DVec3], progress: &Progress) -> Result<Volume, Stopped> {
    progress.check()?;
    Ok(match kind {
        Kind::Sphere => return sphere(points, progress),
        Kind::Line => line(points, &principal_axes(points)),
        Kind::Rectangle => rectangle(points, &principal_axes(points)),
        Kind::Box => cuboid(points, &principal_axes(points)),
    })
}

/// The volume of least size among some kinds.
pub(crate) fn best_fit(kinds: &[Kind], points: &[DVec3], progress: &Progress) -> Result<Volume, Stopped> {
    let mut best: Option<Volume> = None;
    for &kind in kinds {
        let candidate = fit(kind, points, progress)?;
        if best.is_none_or(|best| candidate.size() < best.size()) {
            best = Some(candidate);
        }
    }
    match best {
        Some(best) => Ok(best),
        None => sphere(points, progress),
    }
}

/// A nearly smallest sphere: from the middle, ever smaller steps towards the
/// farthest point (Bădoiu and Clarkson).
fn sphere(points: &[DVec3], progress: &Progress) -> Result<Volume, Stopped> {
    let (low, high) = bounds(points);
    let mut center = 0.5 * (low + high);
    let farthest = |center: DVec3| {
        points
            .iter()
            .map(|point| (point.distance_squared(center), *point))
            .fold((0.0, center), |far, here| if here.0 > far.0 { here } else { far })
    };
    let mut best = (f64::INFINITY, center);
    for step in 0..STEPS {
        progress.check()?;
        let (reach, point) = farthest(center);
        if reach < best.0 {
            best = (reach, center);
        }
        center += (point - center) / f64::from(step + 2);
    }
    Ok(holding(Volume::sphere(best.1, 0.0), points))
}

/// A capsule along the longest principal axis, its ends drawn in as far as the
/// half balls there allow.
fn line(points: &[DVec3], axes: &DMat3) -> Volume {
    let along = axes.x_axis;
    let middle = middle(points, axes);
    let radius = points.iter().map(|point| across(*point - middle, along)).fold(0.0, f64::max);
    let ends = ends(points, middle, along, radius, |offset| across(offset, along));
    holding(Volume::line(middle + ends.0 * along, middle + ends.1 * along, 0.0), points)
}

/// A rectangle across the shortest principal axis, its sides drawn in.
fn rectangle(points: &[DVec3], axes: &DMat3) -> Volume {
    let (first, second, normal) = (axes.x_axis, axes.y_axis, axes.z_axis);
    let middle = middle(points, axes);
    let radius = points.iter().map(|point| (*point - middle).dot(normal).abs()).fold(0.0, f64::max);
    let height = |offset: DVec3| offset.dot(normal).abs();
    let (a, b) = ends(points, middle, first, radius, height);
    let (c, d) = ends(points, middle, second, radius, height);
    let center = middle + 0.5 * (a + b) * first + 0.5 * (c + d) * second;
    holding(Volume::rectangle(center, [0.5 * (b - a) * first, 0.5 * (d - c) * second], 0.0), points)
}

fn cuboid(points: &[DVec3], axes: &DMat3) -> Volume {
    let center = middle(points, axes);
    let half = |axis: DVec3| points.iter().map(|point| (*point - center).dot(axis).abs()).fold(0.0, f64::max);
    let grown = 1.0 + 1e-12;
    let axes = [axes.x_axis, axes.y_axis, axes.z_axis].map(|axis| half(axis) * grown * axis);
    Volume::cuboid(center, axes)
}

/// The volume with the radius that holds all points.
fn holding(core: Volume, points: &[DVec3]) -> Volume {
    let radius = points.iter().map(|point| core.core_distance(*point)).fold(0.0, f64::max);
    Volume { radius: radius * (1.0 + 1e-12), ..core }
}

/// Where a core can end along an axis, so that a ball of the radius there
/// still reaches every point; `off` is how far a point is off the core.
fn ends(points: &[DVec3], middle: DVec3, along: DVec3, radius: f64, off: impl Fn(DVec3) -> f64) -> (f64, f64) {
    let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
    for point in points {
        let offset = *point - middle;
        let spare = (radius * radius - off(offset) * off(offset)).max(0.0).sqrt();
        from = from.min(offset.dot(along) + spare);
        to = to.max(offset.dot(along) - spare);
    }
    if from < to { (from, to) } else { (0.5 * (from + to), 0.5 * (from + to)) }
}

fn across(offset: DVec3, along: DVec3) -> f64 {
    (offset - offset.dot(along) * along).length()
}

/// The middle of the points' extents along some axes.
fn middle(points: &[DVec3], axes: &DMat3) -> DVec3 {
    let turned: Vec<DVec3> = points.iter().map(|point| axes.transpose() * *point).collect();
    let (low, high) = bounds(&turned);
    *axes * (0.5 * (low + high))
}

fn bounds(points: &[DVec3]) -> (DVec3, DVec3) {
    let first = points.first().copied().unwrap_or_default();
    points.iter().fold((first, first), |(low, high), point| (low.min(*point), high.max(*point)))
}

/// The axes of a symmetric matrix, the greatest value first.
pub(crate) fn symmetric_axes(matrix: DMat3) -> [DVec3; 3] {
    let mut axes = eigenvectors(matrix.to_cols_array_2d());
    let value = |axis: DVec3| axis.dot(matrix * axis);
    axes.sort_by(|a, b| value(*b).total_cmp(&value(*a)));
    axes
}

/// The axes along which points spread, the longest first.
pub(crate) fn principal_axes(points: &[DVec3]) -> DMat3 {
    let mean = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    let mut spread = [[0.0; 3]; 3];
    for point in points {
        let offset = (*point - mean).to_array();
        for (row, a) in spread.iter_mut().zip(offset) {
            row.iter_mut().zip(offset).for_each(|(cell, b)| *cell += a * b);
        }
    }
    let axes = eigenvectors(spread);
    let extent = |axis: DVec3| {
        let (low, high) = points
            .iter()
            .map(|point| point.dot(axis))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |e, x| (e.0.min(x), e.1.max(x)));
        high - low
    };
    let mut order = axes;
    order.sort_by(|a, b| extent(*b).total_cmp(&extent(*a)));
    DMat3::from_cols(order[0], order[1], order[0].cross(order[1]))
}

/// The eigenvectors of a symmetric matrix (Jacobi's rotations).
fn eigenvectors(mut m: [[f64; 3]; 3]) -> [DVec3; 3] {
    let mut vectors = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..24 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q].abs() <= 1e-30 * (m[p][p].abs() + m[q][q].abs()) {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let cosine = 1.0 / (t * t + 1.0).sqrt();
            let sine = t * cosine;
            for row in &mut m {
                let (a, b) = (row[p], row[q]);
                (row[p], row[q]) = (cosine * a - sine * b, sine * a + cosine * b);
            }
            let (first, second) = (m[p], m[q]);
            for (k, (a, b)) in first.into_iter().zip(second).enumerate() {
                (m[p][k], m[q][k]) = (cosine * a - sine * b, sine * a + cosine * b);
            }
            let (a, b) = (vectors[p], vectors[q]);
            (vectors[p], vectors[q]) = (cosine * a - sine * b, sine * a + cosine * b);
        }
    }
    vectors.map(|vector| vector.normalize_or(DVec3::X))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use proscenium_chance::Seed;

    fn cloud(seed: u64, stretch: DVec3) -> Vec<DVec3> {
        let mut stream = Seed(seed).stream("cloud");
        let turn: DQuat = stream.rotation();
        (0..200).map(|_| turn * (stretch * stream.unit_vector() * stream.uniform()) + 3.0 * DVec3::ONE).collect()
    }

    #[test]
    fn every_fit_holds_its_points() {
        for seed in 0..20 {
            for stretch in [DVec3::ONE, DVec3::new(5.0, 1.0, 1.0), DVec3::new(3.0, 2.0, 0.1), DVec3::new(1.0, 0.0, 0.0)]
            {
                let points = cloud(seed, stretch);
                for kind in Kind::ALL {
                    let volume = fit(kind, &points, &Progress::none()).unwrap();
                    assert!(points.iter().all(|point| volume.contains(*point)), "{kind:?} {stretch}");
                }
            }
        }
        assert_eq!(fit(Kind::Line, &[DVec3::ONE], &Progress::none()).unwrap().center, DVec3::ONE);
    }

    #[test]
    fn the_best_kind_follows_the_shape() {
        let kind = |stretch| best_fit(&Kind::ALL[..3], &cloud(3, stretch), &Progress::none()).unwrap().kind;
        assert_eq!(kind(DVec3::new(8.0, 1.0, 1.0)), Kind::Line);
        assert_eq!(kind(DVec3::new(8.0, 7.0, 0.2)), Kind::Rectangle);
    }

    #[test]
    fn a_sphere_is_nearly_the_smallest() {
        // Eight corners of a cube have one smallest sphere.
        let corners: Vec<DVec3> =
            (0..8).map(|k| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2))).collect();
        assert!((fit(Kind::Sphere, &corners, &Progress::none()).unwrap().radius - 0.75_f64.sqrt()).abs() < 1e-6);
    }
}
