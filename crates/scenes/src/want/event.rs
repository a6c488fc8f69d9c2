//! What happens at a moment, and in which order.

use super::grade::missed;
use super::judge::counted;
use super::signal::apart;
use super::{Evidence, HitsPlan, Verdict, radius};

/// Hits on one body that are closer together than this count as one, s.
pub(super) const ONE_HIT: f64 = 0.05;

/// Something that happens at a moment.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// One of the bodies hits one of others, perhaps harder than so many N s.
    Hits { other: Vec<usize>, harder: Option<f64> },
    /// What is watched for each of the bodies, by its place, and how far from happening is
    /// half a miss.
    Watched { watches: Vec<usize>, scale: f64 },
}

/// One of some bodies, and what should happen to it.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub bodies: Vec<usize>,
    pub event: Event,
}

/// What should happen one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub steps: Vec<Step>,
    pub window: (f64, f64),
}

impl Step {
    /// When it first happens after a time.
    fn first_after(&self, seen: &Evidence<'_>, after: f64) -> Option<f64> {
        let times = self.bodies.iter().enumerate().filter_map(|(index, body)| match &self.event {
            Event::Hits { other, harder } => {
                let separate = separate(seen.hits(*body, other, *harder));
                separate.map(|(time, _)| time).find(|time| *time > after)
            }
            Event::Watched { watches, .. } => {
                seen.findings.get(watches[index])?.times.iter().copied().find(|time| *time > after)
            }
        });
        times.min_by(f64::total_cmp)
    }

    /// How near it was to happening, in its own scale.
    fn off(&self, seen: &Evidence<'_>, until: f64) -> f64 {
        let of = |(index, body): (usize, &usize)| match &self.event {
            Event::Hits { other, harder } => seen.off_hit(*body, other, *harder, until),
            Event::Watched { watches, scale } => {
                seen.findings.get(watches[index]).map_or(f64::INFINITY, |f| f.least) / scale
            }
        };
        self.bodies.iter().enumerate().map(of).fold(f64::INFINITY, f64::min)
    }
}

impl Order {
    pub(super) fn judge(&self, seen: &Evidence<'_>, weight: f64) -> Verdict {
        let (mut after, mut done) = (self.window.0.next_down(), 0);
        for step in &self.steps {
            match step.first_after(seen, after).filter(|time| *time <= self.window.1) {
                Some(time) => (after, done) = (time, done + 1),
                None => break,
            }
        }
        let all = self.steps.len();
        let over = seen.is_over(self.window.1);
        let verdict = counted((done, if over { done } else { all }), (all, all), weight);
        near_miss(verdict, weight, || {
            self.steps.get(done).map_or(0.0, |next| next.off(seen, seen.last().min(self.window.1)))
        })
    }
}

/// A want that is missed for certain costs less by up to half a weight if it came near.
pub(super) fn near_miss(verdict: Verdict, weight: f64, off: impl Fn() -> f64) -> Verdict {
    if verdict.may_hold || !verdict.is_final {
        return verdict;
    }
    Verdict { best: verdict.best + weight + missed(weight, off()), ..verdict }
}

/// Blows that do not follow the one before on the same body at once.
fn separate(hits: impl Iterator<Item = (f64, usize)>) -> impl Iterator<Item = (f64, usize)> {
    let mut last: Option<(f64, usize)> = None;
    hits.filter(move |(time, other)| {
        let again = last.is_some_and(|(then, whom)| whom == *other && time - then < ONE_HIT);
        last = Some((*time, *other));
        !again
    })
}

impl HitsPlan {
    pub(super) fn judge(&self, body: usize, seen: &Evidence<'_>, weight: f64, counts: bool) -> Verdict {
        match self.at {
            Some((time, within)) => self.judge_time(body, seen, (time, within), weight, counts),
            None => self.judge_count(body, seen, weight),
        }
    }

    /// How often a body hits others before it hits any of some.
    fn judge_count(&self, body: usize, seen: &Evidence<'_>, weight: f64) -> Verdict {
        let before = self.before.as_deref().unwrap_or_default();
        let too_late = seen.hits(body, before, None).next().map_or(f64::INFINITY, |(time, _)| time);
        let counting = |time: f64| (self.window.0..=self.window.1).contains(&time) && time < too_late;
        let count = separate(seen.hits(body, &self.other, self.harder)).filter(|(time, _)| counting(*time)).count();
        let over = seen.is_over(self.window.1.min(too_late)) || seen.placed[body].absent;
        let verdict = counted((count, if over { count } else { usize::MAX }), self.times, weight);
        if count >= self.times.0 {
            return verdict;
        }
        near_miss(verdict, weight, || {
            let until = seen.last().min(too_late).min(self.window.1);
            seen.off_hit(body, &self.other, self.harder, until)
        })
    }

    /// A hit at a time. What never hits misses by as much as a hit could.
    fn judge_time(
        &self,
        body: usize,
        seen: &Evidence<'_>,
        (time, within): (f64, f64),
        weight: f64,
        counts: bool,
    ) -> Verdict {
        let hits = seen.hits(body, &self.other, self.harder);
        let nearest = hits.map(|(hit, _)| (hit - time).abs()).fold(f64::INFINITY, f64::min);
        let never = time.max(self.last - time);
        let over = seen.end.is_some() || seen.placed[body].absent;
        let grade = super::Grade::near(within);
        // A later hit is no nearer than now.
        let possible = if over { f64::INFINITY } else { (seen.now - time).max(0.0) };
        if nearest <= possible && nearest.is_finite() {
            return grade.verdict(nearest, weight, counts);
        }
        if over {
            let off = seen.off_hit(body, &self.other, self.harder, seen.last());
            let score = if counts { -weight } else { grade.score(never, weight, counts) + missed(weight, off) };
            return Verdict::decided(false, score);
        }
        let best = if possible <= within && counts { 0.0 } else { grade.score(possible, weight, counts) };
        let (may_hold, may_fail) = (possible <= within || nearest <= within, nearest > within);
        Verdict { best, may_hold, may_fail, is_final: false, depth: 0.0 }
    }
}

impl Evidence<'_> {
    /// How far a body is from having hit others until a time: the gap in its radii, or by
    /// what share the hardest blow was too soft.
    fn off_hit(&self, body: usize, others: &[usize], harder: Option<f64>, until: f64) -> f64 {
        let hardest = self.blows(body, others).map(|blow| blow.impulse).reduce(f64::max);
        match (harder, hardest) {
            (Some(least), Some(hardest)) => (1.0 - hardest / least).max(0.0),
            _ => self.least_gap(body, others, until) / radius(&self.placed[body]),
        }
    }

    /// The least gap between a body and others until a time, as a quick bound tells it.
    fn least_gap(&self, body: usize, others: &[usize], until: f64) -> f64 {
        /// So often it is looked, 1/s.
        const RATE: f64 = 60.0;
        if self.ids.is_empty() {
            return f64::INFINITY;
        }
        let look = |body: usize, time: f64| Some((self.pose(body, time)?, self.motion(body, time)?));
        let gap = |tick: u32| {
            let time = f64::from(tick) / RATE;
            apart(body, others, self.placed, &|body| look(body, time))
        };
        (0..=(until * RATE) as u32).map(gap).fold(f64::INFINITY, f64::min)
    }
}
