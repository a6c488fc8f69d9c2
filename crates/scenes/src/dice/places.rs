//! Dice that come to lie where somebody wants them: of all throws those are kept in which they do.
//!
//! Which of like dice is which is free, since what they show is chosen afterwards: it is enough
//! that some of them lies at each place.

use glam::{DVec2, DVec3};

use super::solid::Solid;

/// A place that a solid should lie at (x and z, m), if it has one.
pub(super) type Place = Option<[f64; 2]>;

/// Which body stands for each solid, so that those with places lie near them; `None` if nobody
/// does.
pub(super) fn assigned(solids: &[Solid], places: &[Place], near: f64, lie: &[DVec3]) -> Option<Vec<usize>> {
    let fits = |solid: usize, body: usize| {
        let is_near = |[x, z]: [f64; 2]| DVec2::new(lie[body].x - x, lie[body].z - z).length_squared() <= near * near;
        solids[solid] == solids[body] && places[solid].is_none_or(is_near)
    };
    let mut taken: Vec<Option<usize>> = vec![None; solids.len()];
    // Those with places first: the others take who is left, themselves if they can.
    let (wanted, free): (Vec<usize>, Vec<usize>) = (0..solids.len()).partition(|&solid| places[solid].is_some());
    for solid in wanted {
        if !take(solid, &fits, &mut taken, &mut vec![false; solids.len()]) {
            return None;
        }
    }
    for solid in free {
        let own = taken[solid].is_none().then_some(solid);
        let body = own.or_else(|| (0..solids.len()).find(|&body| taken[body].is_none() && fits(solid, body)))?;
        taken[body] = Some(solid);
    }
    let mut bodies = vec![0; solids.len()];
    for (body, solid) in taken.iter().enumerate() {
        bodies[(*solid)?] = body;
    }
    Some(bodies)
}

/// Finds a body for a solid; one that is taken is given up by a solid that finds another.
fn take(solid: usize, fits: &dyn Fn(usize, usize) -> bool, taken: &mut [Option<usize>], asked: &mut [bool]) -> bool {
    for body in 0..taken.len() {
        if asked[body] || !fits(solid, body) {
            continue;
        }
        asked[body] = true;
        if taken[body].is_none_or(|other| take(other, fits, taken, asked)) {
            taken[body] = Some(solid);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_dice_stand_for_each_other_and_others_do_not() {
        use Solid::{D6, D8};
        let lie = [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X];
        let places = |of: [Option<f64>; 3]| of.map(|x| x.map(|x| [x, 0.0]));
        let found = |solids: [Solid; 3], of| assigned(&solids, &places(of), 0.1, &lie);
        assert_eq!(found([D6, D6, D6], [Some(1.0), None, Some(0.0)]), Some(vec![1, 2, 0]));
        assert_eq!(found([D6, D6, D6], [None, None, None]), Some(vec![0, 1, 2]));
        assert_eq!(found([D6, D8, D6], [Some(1.0), None, None]), None);
        // The first gives up what it has for one that fits it as well.
        let wide = assigned(&[D6, D6, D8], &places([Some(0.5), Some(0.0), None]), 0.6, &lie);
        assert_eq!(wide, Some(vec![1, 0, 2]));
        assert_eq!(found([D6, D6, D6], [Some(1.0), Some(1.0), None]), None, "one cannot lie for two");
    }
}
