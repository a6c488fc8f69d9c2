//! How abruptly groups move in a transition, beside the data that it leaves and enters.

use super::blend::{eased, mix};
use super::cost::shifted;
use super::{Costs, Transition, TransitionSettings};
use crate::compressed::CompressedEnsemble;
use crate::data::Moment;
use crate::smooth::AccelerationMeter;

/// Which accelerations a transition may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit<'call, 'data> {
    costs: &'call Costs<'data>,
    blend: u32,
    /// Metres in a frame squared.
    most: f64,
}

impl<'call, 'data> Limit<'call, 'data> {
    /// Of a way between two moments: the larger of what the data of their conditions has,
    /// and a little more.
    pub fn of(costs: &'call Costs<'data>, [from, to]: [Moment; 2], settings: &TransitionSettings) -> Self {
        let of = |moment: Moment| costs.accelerations()[costs.data().sequences()[moment.sequence as usize].condition];
        // Rounding alone does this much; what hardly moves could not be left otherwise.
        let rounding = 4.0 * costs.data().largest_error();
        // Infinitely many times nothing is no number.
        let most = if settings.acceleration.is_finite() {
            settings.acceleration * of(from).max(of(to))
        } else {
            f64::INFINITY
        };
        Limit { costs, blend: settings.blend, most: most.max(rounding) }
    }

    /// The largest acceleration that is allowed, metres in a frame squared.
    pub fn most(&self) -> f64 {
        self.most
    }

    /// Φ_k(τ_k) of each group for τ_k from −reach to reach (equation 4), infinite where
    /// its blend is too abrupt.
    pub fn table(&self, i: Moment, j: Moment, reach: u32) -> Vec<Vec<f64>> {
        (0..self.costs.data().shapes().len()).map(|group| self.row(group, i, j, reach)).collect()
    }

    /// The same of one group.
    pub fn row(&self, group: usize, i: Moment, j: Moment, reach: u32) -> Vec<f64> {
        let mut row = self.costs.row(group, i, j, reach);
        if self.most.is_finite() {
            for (cost, offset) in row.iter_mut().zip(-i64::from(reach)..) {
                if self.is_abrupt(group, shifted(i, offset), shifted(j, offset)) {
                    *cost = f64::INFINITY;
                }
            }
        }
        row
    }

    /// Whether a group is accelerated more than it may be, in its own frame, while it
    /// blends around two moments.
    fn is_abrupt(&self, group: usize, from: Moment, to: Moment) -> bool {
        let data = self.costs.data();
        let (half, length) = (i64::from(self.blend / 2), i64::from(self.blend.max(1)));
        let mut scratch = Vec::new();
        let mut at = |since: i64, local: &mut Vec<[f32; 3]>| {
            local.clear();
            local.extend_from_slice(data.local(group, shifted(from, since - half), &mut scratch));
            let share = eased((since as f32 / length as f32).clamp(0.0, 1.0));
            if share > 0.0 {
                mix(local, data.local(group, shifted(to, since - half), &mut scratch), share);
            }
        };
        let [mut before, mut now, mut next] = [const { Vec::new() }; 3];
        at(-1, &mut before);
        at(0, &mut now);
        for since in 0..=length {
            at(since + 1, &mut next);
            let squared = |((a, b), c): ((&[f32; 3], &[f32; 3]), &[f32; 3])| {
                let second = |axis: usize| f64::from(a[axis]) - 2.0 * f64::from(b[axis]) + f64::from(c[axis]);
                (0..3).map(second).map(|x| x * x).sum::<f64>()
            };
            if before.iter().zip(&now).zip(&next).map(squared).any(|squared| squared > self.most * self.most) {
                return true;
            }
            std::mem::swap(&mut before, &mut now);
            std::mem::swap(&mut now, &mut next);
        }
        false
    }
}

impl Transition {
    /// The largest acceleration of any vertex from the frame in which it begins to the one
    /// in which it ends, metres in a frame squared. There must be a frame of the data
    /// before and after it.
    pub fn acceleration(&self, data: &CompressedEnsemble) -> f64 {
        let beyond = i64::from(self.span) + 1;
        let (mut meter, mut positions) = (AccelerationMeter::default(), Vec::new());
        let accelerations = (-beyond..=beyond).map(|frame| {
            self.place(data, frame as f64, &mut positions);
            meter.add(&positions).unwrap_or(0.0)
        });
        accelerations.fold(0.0, f64::max)
    }
}
