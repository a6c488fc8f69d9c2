//! Fewer contacts for the response that say the same (section 4.2).

use glam::DVec3;

use super::pair::Primitive;

/// A contact that the response is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The common point, in the world.
    pub point: DVec3,
    /// Unit vector from the first body to the second.
    pub normal: DVec3,
    /// How far the nodes overlap there, metres; negative where there is a gap.
    pub depth: f64,
    /// κ of the deepest primitive that it stands for.
    pub interpenetration: f64,
}

/// How contact primitives become contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// Every primitive is a contact.
    None,
    /// The one that is deepest, taken as the first (4.2.1).
    First,
    /// The mean of all (4.2.2).
    Average,
    /// The mean of each pair of surface groups (4.2.3).
    Groups,
    /// The mean of the normals from occupancy gradients (4.2.4).
    Gradient,
    /// The mean of all, weighted with P = κ ρₐ ρ_b (4.2.5).
    Weighted,
    /// The weighted mean of each pair of surface groups (4.2.5).
    WeightedGroups,
    /// Those few that span the contact: the deepest, and others far from it and
    /// each other, with the normals of the surfaces that face each other.
    Span,
}

impl Reduction {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::None,
        Self::First,
        Self::Average,
        Self::Groups,
        Self::Gradient,
        Self::Weighted,
        Self::WeightedGroups,
        Self::Span,
    ];

    /// Its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::First => "first",
            Self::Average => "average",
            Self::Groups => "groups",
            Self::Gradient => "gradient",
            Self::Weighted => "weighted",
            Self::WeightedGroups => "weighted-groups",
            Self::Span => "span",
        }
    }

    /// The contacts that some primitives are reduced to.
    pub fn contacts(self, primitives: &[Primitive]) -> Vec<Contact> {
        let mut contacts = Vec::new();
        reduce(self, primitives, &mut contacts);
        contacts
    }

    /// The most contacts that come out of some primitives.
    pub(crate) fn most(self, primitives: usize) -> usize {
        match self {
            Self::None => primitives.min(MOST_CONTACTS),
            Self::Groups | Self::WeightedGroups => primitives.min(MOST_GROUPS),
            Self::Span => primitives.min(MOST_SPANNING),
            _ => primitives.min(1),
        }
    }
}

/// More contacts between two bodies than this do not change what they do; chosen,
/// as a bound on the work.
const MOST_CONTACTS: usize = 24;
/// More groups than this are joined with the last; chosen, as a bound on the work.
const MOST_GROUPS: usize = 4;
/// A contact of two concave bodies has few places, and a place needs up to four
/// points to be stable; chosen, as a bound on the work.
const MOST_SPANNING: usize = 6;

/// Reduces primitives to contacts; `contacts` is emptied first.
///
/// The points are averaged as the normals are: 4.12 in the form
/// Σ Pᵢ pᵢ / Σ Pᵢ. Normals that cancel leave the deepest primitive.
pub(crate) fn reduce(reduction: Reduction, primitives: &[Primitive], contacts: &mut Vec<Contact>) {
    contacts.clear();
    let direct = |primitive: &Primitive| (1.0, primitive.touch.normal);
    let gradient = |primitive: &Primitive| {
        let normal = primitive.gradient_normal;
        // Without a gradient, or against the line of the centres, that line.
        let is_usable = normal.dot(primitive.touch.normal) > 0.0;
        (1.0, if is_usable { normal } else { primitive.touch.normal })
    };
    let weighted = |primitive: &Primitive| (primitive.probability.max(1e-12), primitive.touch.normal);
    match reduction {
        Reduction::None => {
            contacts.extend(primitives.iter().map(contact));
            if contacts.len() > MOST_CONTACTS {
                contacts.sort_by(|a, b| b.depth.total_cmp(&a.depth));
                contacts.truncate(MOST_CONTACTS);
            }
        }
        Reduction::First => contacts.extend(deepest(primitives.iter())),
        Reduction::Average => contacts.extend(mean(primitives.iter(), direct)),
        Reduction::Gradient => contacts.extend(mean(primitives.iter(), gradient)),
        Reduction::Weighted => contacts.extend(mean(primitives.iter(), weighted)),
        Reduction::Groups => by_groups(primitives, direct, contacts),
        Reduction::WeightedGroups => by_groups(primitives, weighted, contacts),
        Reduction::Span => contacts.extend(spanning(primitives).into_iter().map(|index| facing(&primitives[index]))),
    }
}

/// The primitives that span a contact: the deepest first, then each time the one
/// that is farthest from those taken, where what is deeper counts as farther.
pub(crate) fn spanning(primitives: &[Primitive]) -> Vec<usize> {
    let depths: Vec<f64> = primitives.iter().map(|primitive| facing(primitive).depth).collect();
    let (low, high) = depths.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), d| (a.min(*d), b.max(*d)));
    let weight = |index: usize| 0.2 + (depths[index] - low) / (high - low).max(f64::MIN_POSITIVE);
    let mut away = vec![f64::INFINITY; primitives.len()];
    let mut taken: Vec<usize> = Vec::new();
    while taken.len() < MOST_SPANNING.min(primitives.len()) {
        let score = |index: usize| if taken.is_empty() { depths[index] } else { weight(index) * away[index] };
        let mut best = 0;
        for index in 1..primitives.len() {
            if score(index) > score(best) {
                best = index;
            }
        }
        if !taken.is_empty() && away[best] <= 0.0 {
            break;
        }
        taken.push(best);
        for (away, primitive) in away.iter_mut().zip(primitives) {
            *away = away.min(primitive.touch.point.distance(primitives[best].touch.point));
        }
    }
    taken
}

/// A primitive as a contact of the surfaces that face each other there, or, if
/// none do, of the nodes.
pub(crate) fn facing(primitive: &Primitive) -> Contact {
    let nodes = contact(primitive);
    let of = |(normal, depth): (DVec3, f64)| Contact { normal, depth, ..nodes };
    primitive.facing.map_or(nodes, of)
}

fn contact(primitive: &Primitive) -> Contact {
    let touch = &primitive.touch;
    Contact { point: touch.point, normal: touch.normal, depth: touch.depth, interpenetration: touch.interpenetration }
}

fn deepest<'a>(primitives: impl Iterator<Item = &'a Primitive>) -> Option<Contact> {
    let kappa = |primitive: &Primitive| primitive.touch.interpenetration;
    let mut best: Option<&Primitive> = None;
    for primitive in primitives {
        if best.is_none_or(|best| kappa(primitive) > kappa(best)) {
            best = Some(primitive);
        }
    }
    best.map(contact)
}

fn mean<'a>(
    primitives: impl Iterator<Item = &'a Primitive> + Clone,
    weigh: impl Fn(&Primitive) -> (f64, DVec3),
) -> Option<Contact> {
    let (mut total, mut point, mut normal) = (0.0, DVec3::ZERO, DVec3::ZERO);
    let (mut depth, mut kappa) = (f64::NEG_INFINITY, 0.0_f64);
    for primitive in primitives.clone() {
        let (weight, direction) = weigh(primitive);
        total += weight;
        point += weight * primitive.touch.point;
        normal += weight * direction;
        depth = depth.max(primitive.touch.depth);
        kappa = kappa.max(primitive.touch.interpenetration);
    }
    if normal.length() <= 0.05 * total {
        return deepest(primitives);
    }
    Some(Contact { point: point / total, normal: normal.normalize(), depth, interpenetration: kappa })
}

/// One contact for each pair of groups, the most frequent first.
fn by_groups(primitives: &[Primitive], weigh: impl Fn(&Primitive) -> (f64, DVec3), contacts: &mut Vec<Contact>) {
    let mut order: Vec<u32> = (0..primitives.len() as u32).collect();
    order.sort_by_key(|index| (primitives[*index as usize].groups, *index));
    let mut groups: Vec<&[u32]> =
        order.chunk_by(|a, b| primitives[*a as usize].groups == primitives[*b as usize].groups).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let mean_of = |group: &[u32]| mean(group.iter().map(|index| &primitives[*index as usize]), &weigh);
    if groups.len() > MOST_GROUPS {
        let rest: Vec<u32> = groups[MOST_GROUPS - 1..].concat();
        contacts.extend(groups[..MOST_GROUPS - 1].iter().filter_map(|group| mean_of(group)));
        contacts.extend(mean_of(&rest));
    } else {
        contacts.extend(groups.iter().filter_map(|group| mean_of(group)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Touch;

    fn primitive(x: f64, normal: DVec3, kappa: f64, group: u32) -> Primitive {
        let touch = Touch { point: x * DVec3::X, normal, interpenetration: kappa, depth: kappa };
        Primitive {
            touch,
            probability: kappa,
            groups: [Some(group), None],
            gradient_normal: DVec3::Y,
            nodes: [0, 0],
            facing: None,
        }
    }

    fn reduced(reduction: Reduction, primitives: &[Primitive]) -> Vec<Contact> {
        let mut contacts = Vec::new();
        reduce(reduction, primitives, &mut contacts);
        assert!(contacts.len() <= reduction.most(primitives.len()));
        contacts
    }

    #[test]
    fn each_reduction_does_what_its_section_says() {
        let tilted = DVec3::new(0.6, 0.8, 0.0);
        let all = [primitive(0.0, DVec3::Y, 0.1, 1), primitive(1.0, tilted, 0.3, 1), primitive(5.0, DVec3::X, 0.2, 2)];
        assert_eq!(reduced(Reduction::None, &all).len(), 3);
        assert_eq!(reduced(Reduction::First, &all)[0].point, DVec3::X);
        assert_eq!(reduced(Reduction::Average, &all)[0].point, 2.0 * DVec3::X);
        let weighted = reduced(Reduction::Weighted, &all)[0];
        assert!((weighted.point.x - (0.3 + 1.0) / 0.6).abs() < 1e-12);
        let groups = reduced(Reduction::Groups, &all);
        assert_eq!((groups.len(), groups[0].point), (2, 0.5 * DVec3::X));
        assert_eq!(groups[1].normal, DVec3::X);
        // The gradient of the third is across its centres' line, which stays.
        let gradient = reduced(Reduction::Gradient, &all)[0].normal;
        assert!(gradient.distance(DVec3::new(1.0, 2.0, 0.0).normalize()) < 1e-12);
    }

    #[test]
    fn normals_that_cancel_leave_the_deepest() {
        let all = [primitive(0.0, DVec3::Y, 0.1, 1), primitive(1.0, DVec3::NEG_Y, 0.3, 1)];
        assert_eq!(reduced(Reduction::Average, &all)[0].normal, DVec3::NEG_Y);
        for reduction in Reduction::ALL {
            assert!(reduced(reduction, &[]).is_empty());
        }
    }

    #[test]
    fn many_groups_stay_within_what_was_reserved() {
        let all: Vec<Primitive> = (0..40).map(|k| primitive(f64::from(k), DVec3::Y, 0.1, k % 11)).collect();
        for reduction in Reduction::ALL {
            assert!(!reduced(reduction, &all).is_empty());
        }
    }
}
