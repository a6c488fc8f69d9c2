//! Lines of points: trimmed, rounded and moved sideways.

use glam::DVec2;

/// Rotates a quarter turn to the right of the way one goes (plan coordinates: x
/// east, y south).
#[inline]
pub fn right_of(direction: DVec2) -> DVec2 {
    DVec2::new(-direction.y, direction.x)
}

/// Length of a line of points.
pub fn length(points: &[DVec2]) -> f64 {
    points.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

/// The point at a distance along a line, and the direction there.
pub fn along(points: &[DVec2], distance: f64) -> (DVec2, DVec2) {
    let mut left = distance;
    for pair in points.windows(2) {
        let step = pair[1] - pair[0];
        let size = step.length();
        if left <= size && size > 0.0 {
            return (pair[0] + step * (left / size), step / size);
        }
        left -= size;
    }
    let last = points.len() - 1;
    (points[last], (points[last] - points[last - 1]).normalize_or(DVec2::X))
}

/// The part of a line between two distances from its start.
pub(crate) fn trimmed(points: &[DVec2], start: f64, end: f64) -> Vec<DVec2> {
    let mut result = vec![along(points, start).0];
    let mut distance = 0.0;
    for pair in points.windows(2) {
        distance += pair[0].distance(pair[1]);
        // Points that would leave a sliver of a segment are left out.
        if distance > start + 0.05 && distance < end - 0.05 {
            result.push(pair[1]);
        }
    }
    result.push(along(points, end).0);
    result
}

/// The greatest angle that a line of points may turn by at a point, as its
/// cosine: about ten degrees.
const GENTLE: f64 = 0.985;

/// Cuts corners until the line turns gently everywhere: what a car can follow.
/// The ends stay.
pub(crate) fn rounded(mut points: Vec<DVec2>) -> Vec<DVec2> {
    for _ in 0..3 {
        if points.windows(3).all(|three| turn_cosine(three) > GENTLE) {
            break;
        }
        let mut cut = vec![points[0]];
        for three in points.windows(3) {
            if turn_cosine(three) > GENTLE {
                cut.push(three[1]);
            } else {
                // A quarter of each neighbour, and at most what a car needs to turn.
                let back = three[0] - three[1];
                let ahead = three[2] - three[1];
                let reach = (0.25 * back.length()).min(0.25 * ahead.length()).min(8.0);
                cut.push(three[1] + back.normalize_or_zero() * reach);
                cut.push(three[1] + ahead.normalize_or_zero() * reach);
            }
        }
        cut.push(points[points.len() - 1]);
        points = cut;
    }
    points
}

fn turn_cosine(three: &[DVec2]) -> f64 {
    (three[1] - three[0]).normalize_or_zero().dot((three[2] - three[1]).normalize_or_zero())
}

/// The direction across a line at one of its points, to the right, scaled so
/// that a line moved by it keeps its distance from both neighbouring segments
/// (but no more than twice as long, at sharp bends).
pub fn across(points: &[DVec2], at: usize) -> DVec2 {
    let before = at.checked_sub(1).map(|previous| (points[at] - points[previous]).normalize_or_zero());
    let after = points.get(at + 1).map(|next| (*next - points[at]).normalize_or_zero());
    match (before, after) {
        (Some(before), Some(after)) => {
            let middle = (before + after).normalize_or(after);
            right_of(middle) / middle.dot(after).max(0.5)
        }
        (Some(only), None) | (None, Some(only)) => right_of(only),
        (None, None) => DVec2::ZERO,
    }
}

/// A line moved to the right by a distance.
pub fn moved(points: &[DVec2], distance: f64) -> impl DoubleEndedIterator<Item = DVec2> + '_ {
    (0..points.len()).map(move |at| points[at] + across(points, at) * distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bent_line_is_rounded_trimmed_and_moved() {
        let corner = vec![DVec2::ZERO, DVec2::new(100.0, 0.0), DVec2::new(100.0, 100.0)];
        assert_eq!(length(&corner), 200.0);
        let (point, direction) = along(&corner, 150.0);
        assert_eq!((point, direction), (DVec2::new(100.0, 50.0), DVec2::Y));
        let round = rounded(corner);
        assert!(round.windows(3).all(|three| turn_cosine(three) > 0.9), "{round:?}");
        assert!(length(&round) < 200.0 && length(&round) > 190.0);
        let part = trimmed(&round, 10.0, 50.0);
        assert_eq!((part[0], part[part.len() - 1]), (DVec2::new(10.0, 0.0), DVec2::new(50.0, 0.0)));
        let right: Vec<DVec2> = moved(&part, 2.0).collect();
        assert_eq!(right[0], DVec2::new(10.0, 2.0));
    }
}
