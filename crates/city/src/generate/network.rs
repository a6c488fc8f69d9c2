//! A planar network of straight edges that is changed until roads fit on it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec2;
use proscenium_work::{Progress, Stopped};

use super::voronoi::Edges;
use crate::map::{RoadPlan, crosses, from_segment, setbacks};

/// Vertices and edges, of which some are gone.
pub(super) struct Network {
    positions: Vec<DVec2>,
    ends: Vec<[u32; 2]>,
    wide: Vec<bool>,
    gone: Vec<bool>,
    /// Edges at each vertex; none for one that is gone.
    at: Vec<Vec<u32>>,
    /// Vertices at which something has changed since they were last looked at.
    changed: Vec<bool>,
}

/// Edges joined at vertices where nothing else meets: one road.
pub(super) struct Chain {
    pub(super) vertices: Vec<u32>,
    pub(super) wide: bool,
}

impl Chain {
    pub(super) fn last(&self) -> u32 {
        self.vertices[self.vertices.len() - 1]
    }
}

/// Cosine of the sharpest angle between two roads that meet: 32 degrees. Chosen:
/// sharper ones push the mouths of wide roads far from the junction.
const SHARPEST: f64 = 0.848;
/// Cosine of the sharpest bend within a road: 60 degrees. Chosen: a car at the
/// speed limit still follows it once its corner is rounded.
const SHARPEST_BEND: f64 = 0.5;
/// How often merging and cutting are repeated at most. Chosen as a bound of the
/// work: they end when nothing changes any more.
const ROUNDS: usize = 30;
/// What is left between the walls of two roads that do not meet, metres. Chosen:
/// room for a wall on each side.
const BETWEEN_WALLS: f64 = 2.0;

impl Network {
    pub(super) fn of(edges: Edges) -> Self {
        let mut at = vec![Vec::new(); edges.vertices.len()];
        for (number, [a, b]) in edges.edges.iter().enumerate() {
            at[*a as usize].push(number as u32);
            at[*b as usize].push(number as u32);
        }
        let (count, changed) = (edges.edges.len(), vec![true; at.len()]);
        Self {
            positions: edges.vertices,
            ends: edges.edges,
            wide: vec![false; count],
            gone: vec![false; count],
            at,
            changed,
        }
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn position(&self, vertex: u32) -> DVec2 {
        self.positions[vertex as usize]
    }

    /// Vertices with edges.
    pub(super) fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.positions.len() as u32).filter(|vertex| !self.at[*vertex as usize].is_empty())
    }

    pub(super) fn edges_at(&self, vertex: u32) -> &[u32] {
        &self.at[vertex as usize]
    }

    pub(super) fn other(&self, edge: u32, vertex: u32) -> u32 {
        let [a, b] = self.ends[edge as usize];
        if a == vertex { b } else { a }
    }

    pub(super) fn length(&self, edge: u32) -> f64 {
        let [a, b] = self.segment(edge);
        a.distance(b)
    }

    pub(super) fn widen(&mut self, edge: u32) {
        self.wide[edge as usize] = true;
        for end in self.ends[edge as usize] {
            self.changed[end as usize] = true;
        }
    }

    fn segment(&self, edge: u32) -> [DVec2; 2] {
        self.ends[edge as usize].map(|end| self.positions[end as usize])
    }

    fn edges(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.ends.len() as u32).filter(|edge| !self.gone[*edge as usize])
    }

    fn half_width(&self, edge: u32) -> f64 {
        let lanes = if self.wide[edge as usize] { 4.0 } else { 2.0 };
        0.5 * lanes * RoadPlan::LANE_WIDTH + RoadPlan::PAVEMENT
    }

    /// Merges, cuts and prunes until every edge is long enough, meets others
    /// at fair angles, has room between its stop lines, and keeps clear of
    /// those it does not meet.
    pub(super) fn settle(
        &mut self,
        shortest: f64,
        straight: f64,
        dead_ends: bool,
        progress: &Progress,
    ) -> Result<(), Stopped> {
        for _ in 0..ROUNDS {
            let mut changes = self.merge_short(shortest, progress)?;
            changes += self.cut_sharp(progress)?;
            // What was looked at in vain need not be looked at again.
            let changed = self.take_changed();
            changes += self.merge_cramped(straight, &changed, progress)?;
            changes += self.cut_near(&changed, progress)?;
            if !dead_ends {
                changes += self.prune(progress)?;
            }
            if changes == 0 {
                break;
            }
        }
        self.keep_largest(progress)
    }

    /// The vertices at which something has changed, and those that they are
    /// joined with: the room of a road depends on both its ends.
    fn take_changed(&mut self) -> Vec<bool> {
        let changed = std::mem::replace(&mut self.changed, vec![false; self.positions.len()]);
        let mut all = changed.clone();
        for edge in self.edges() {
            let [a, b] = self.ends[edge as usize].map(|end| end as usize);
            all[a] |= changed[b];
            all[b] |= changed[a];
        }
        all
    }

    fn remove(&mut self, edge: u32) {
        self.gone[edge as usize] = true;
        for end in self.ends[edge as usize] {
            self.changed[end as usize] = true;
            self.at[end as usize].retain(|other| *other != edge);
        }
    }

    /// Makes one vertex, in the middle, of both ends of an edge. Edges that
    /// would then join the same vertices become one.
    fn contract(&mut self, edge: u32) {
        let [keep, lose] = self.ends[edge as usize];
        self.remove(edge);
        self.positions[keep as usize] = 0.5 * (self.position(keep) + self.position(lose));
        self.changed[keep as usize] = true;
        for moved in std::mem::take(&mut self.at[lose as usize]) {
            let other = self.other(moved, lose);
            let twin = self.at[keep as usize].iter().copied().find(|known| self.other(*known, keep) == other);
            match twin {
                Some(twin) => {
                    self.changed[other as usize] = true;
                    self.wide[twin as usize] |= self.wide[moved as usize];
                    self.gone[moved as usize] = true;
                    self.at[other as usize].retain(|known| *known != moved);
                }
                None => {
                    self.ends[moved as usize] = [keep, other];
                    self.at[keep as usize].push(moved);
                }
            }
        }
    }

    /// Merges the ends of short edges, the shortest first.
    fn merge_short(&mut self, shortest: f64, progress: &Progress) -> Result<usize, Stopped> {
        let key = |length: f64, edge: u32| Reverse((length.to_bits(), edge));
        let mut queue: BinaryHeap<_> = self
            .edges()
            .filter(|edge| self.length(*edge) < shortest)
            .map(|edge| key(self.length(edge), edge))
            .collect();
        let mut merged = 0;
        while let Some(Reverse((length, edge))) = queue.pop() {
            progress.check()?;
            if self.gone[edge as usize] || self.length(edge).to_bits() != length {
                continue;
            }
            let keep = self.ends[edge as usize][0];
            self.contract(edge);
            merged += 1;
            for changed in &self.at[keep as usize] {
                if self.length(*changed) < shortest {
                    queue.push(key(self.length(*changed), *changed));
                }
            }
        }
        Ok(merged)
    }

    /// The edges at a vertex in the order of their angles, with their directions.
    fn around(&self, vertex: u32) -> Vec<(u32, DVec2)> {
        let here = self.position(vertex);
        let direction = |edge: u32| (self.position(self.other(edge, vertex)) - here).normalize_or(DVec2::X);
        let mut around: Vec<(u32, DVec2)> =
            self.at[vertex as usize].iter().map(|edge| (*edge, direction(*edge))).collect();
        around.sort_by(|a, b| libm::atan2(a.1.y, a.1.x).total_cmp(&libm::atan2(b.1.y, b.1.x)).then(a.0.cmp(&b.0)));
        around
    }

    /// Of two edges that meet at a sharp angle the longer goes.
    fn cut_sharp(&mut self, progress: &Progress) -> Result<usize, Stopped> {
        let mut cut = 0;
        for vertex in 0..self.positions.len() as u32 {
            progress.check()?;
            let edges = &self.at[vertex as usize];
            let moved = |edge: &u32| self.changed[self.other(*edge, vertex) as usize];
            if edges.len() < 2 || !self.changed[vertex as usize] && !edges.iter().any(moved) {
                continue;
            }
            loop {
                let around = self.around(vertex);
                let pairs = (0..around.len()).map(|place| (around[place], around[(place + 1) % around.len()]));
                let sharp = pairs.filter(|(a, b)| a.0 != b.0 && a.1.dot(b.1) > SHARPEST);
                let Some((a, b)) = sharp.map(|(a, b)| (a.0, b.0)).next() else {
                    break;
                };
                let loser = if self.length(a) > self.length(b) { a } else { b };
                self.remove(loser);
                cut += 1;
            }
        }
        Ok(cut)
    }

    /// Merges the ends of edges with too little road left between stop lines.
    fn merge_cramped(&mut self, straight: f64, changed: &[bool], progress: &Progress) -> Result<usize, Stopped> {
        let mut taken = vec![0.0_f64; 2 * self.ends.len()];
        let near = |edge: &u32| self.ends[*edge as usize].iter().any(|end| changed[*end as usize]);
        for vertex in 0..self.positions.len() as u32 {
            progress.check()?;
            if !self.at[vertex as usize].iter().any(near) {
                continue;
            }
            let around = self.around(vertex);
            for place in 0..around.len() {
                let (this, next) = (around[place], around[(place + 1) % around.len()]);
                if this.0 == next.0 {
                    continue;
                }
                let reach = setbacks(this.1, self.half_width(this.0), next.1, self.half_width(next.0));
                for (edge, reach) in [(this.0, reach[0]), (next.0, reach[1])] {
                    let end = usize::from(self.ends[edge as usize][0] != vertex);
                    let known = &mut taken[2 * edge as usize + end];
                    *known = known.max(reach);
                }
            }
        }
        let cramped: Vec<u32> = self
            .edges()
            .filter(near)
            .filter(|edge| {
                let at = 2 * *edge as usize;
                self.length(*edge) < taken[at] + taken[at + 1] + straight
            })
            .collect();
        let mut touched = vec![false; self.positions.len()];
        let mut merged = 0;
        for edge in cramped {
            progress.check()?;
            // Neighbours of what was merged are looked at again in the next round.
            let ends = self.ends[edge as usize];
            if self.gone[edge as usize] || ends.iter().any(|end| touched[*end as usize]) {
                continue;
            }
            for end in ends {
                touched[end as usize] = true;
                for neighbour in &self.at[end as usize] {
                    touched[self.other(*neighbour, end) as usize] = true;
                }
            }
            self.contract(edge);
            merged += 1;
        }
        Ok(merged)
    }

    /// Of two edges that do not meet and whose walls would, the longer goes.
    fn cut_near(&mut self, changed: &[bool], progress: &Progress) -> Result<usize, Stopped> {
        let reach = 2.0 * (2.0 * RoadPlan::LANE_WIDTH + RoadPlan::PAVEMENT) + BETWEEN_WALLS;
        let cell = 100.0;
        let place = |point: DVec2| ((point.x / cell).max(0.0) as u32, (point.y / cell).max(0.0) as u32);
        let cells = |edge: u32| {
            let [a, b] = self.segment(edge);
            let (low, high) = (place(a.min(b) - 0.5 * reach), place(a.max(b) + 0.5 * reach));
            (low.0..=high.0).flat_map(move |x| (low.1..=high.1).map(move |y| (x, y)))
        };
        let moved = |edge: &u32| self.ends[*edge as usize].iter().any(|end| changed[*end as usize]);
        let mut looked: Vec<(u32, u32)> = self.edges().filter(moved).flat_map(cells).collect();
        looked.sort_unstable();
        looked.dedup();
        let mut entries: Vec<((u32, u32), u32)> = self
            .edges()
            .flat_map(|edge| cells(edge).map(move |cell| (cell, edge)))
            .filter(|(cell, _)| looked.binary_search(cell).is_ok())
            .collect();
        entries.sort_unstable();
        let mut cut = 0;
        for group in entries.chunk_by(|a, b| a.0 == b.0) {
            progress.check()?;
            for (place, (_, one)) in group.iter().enumerate() {
                for (_, other) in &group[place + 1..] {
                    let there = !self.gone[*one as usize] && !self.gone[*other as usize];
                    if there && self.too_near(*one, *other) {
                        self.remove(if self.length(*one) > self.length(*other) { *one } else { *other });
                        cut += 1;
                    }
                }
            }
        }
        Ok(cut)
    }

    fn too_near(&self, one: u32, other: u32) -> bool {
        let (ends, other_ends) = (self.ends[one as usize], self.ends[other as usize]);
        if ends.iter().any(|end| other_ends.contains(end)) {
            return false;
        }
        let (a, b) = (self.segment(one), self.segment(other));
        let apart = self.half_width(one) + self.half_width(other) + BETWEEN_WALLS;
        crosses(a, b)
            || from_segment(a[0], &b).min(from_segment(a[1], &b)) < apart
            || from_segment(b[0], &a).min(from_segment(b[1], &a)) < apart
    }

    /// Removes dead ends, and what becomes one.
    fn prune(&mut self, progress: &Progress) -> Result<usize, Stopped> {
        let mut ends: Vec<u32> = self.vertices().filter(|vertex| self.at[*vertex as usize].len() == 1).collect();
        let mut pruned = 0;
        while let Some(vertex) = ends.pop() {
            progress.check()?;
            if let [edge] = self.at[vertex as usize][..] {
                let other = self.other(edge, vertex);
                self.remove(edge);
                pruned += 1;
                if self.at[other as usize].len() == 1 {
                    ends.push(other);
                }
            }
        }
        Ok(pruned)
    }

    /// Keeps the part with the most edges.
    fn keep_largest(&mut self, progress: &Progress) -> Result<(), Stopped> {
        let mut part = vec![u32::MAX; self.positions.len()];
        let mut sizes: Vec<usize> = Vec::new();
        for start in 0..self.positions.len() as u32 {
            if part[start as usize] != u32::MAX || self.at[start as usize].is_empty() {
                continue;
            }
            let number = sizes.len() as u32;
            sizes.push(0);
            part[start as usize] = number;
            let mut waiting = vec![start];
            while let Some(vertex) = waiting.pop() {
                progress.check()?;
                sizes[number as usize] += self.at[vertex as usize].len();
                for edge in &self.at[vertex as usize] {
                    let other = self.other(*edge, vertex);
                    if part[other as usize] == u32::MAX {
                        part[other as usize] = number;
                        waiting.push(other);
                    }
                }
            }
        }
        let largest = (0..sizes.len()).max_by_key(|number| (sizes[*number], Reverse(*number)));
        let others: Vec<u32> =
            self.edges().filter(|edge| Some(part[self.ends[*edge as usize][0] as usize] as usize) != largest).collect();
        for edge in others {
            self.remove(edge);
        }
        Ok(())
    }

    /// Whether a vertex is only a bend: two edges of the same width meet, not too sharply.
    fn bends(&self, vertex: u32) -> bool {
        let [one, other] = self.at[vertex as usize][..] else {
            return false;
        };
        let [a, b] = [one, other].map(|edge| self.other(edge, vertex));
        let here = self.position(vertex);
        let (before, after) =
            ((here - self.position(a)).normalize_or_zero(), (self.position(b) - here).normalize_or_zero());
        self.wide[one as usize] == self.wide[other as usize] && before.dot(after) > SHARPEST_BEND
    }

    /// Roads: edges, joined where they only bend.
    pub(super) fn chains(&self, progress: &Progress) -> Result<Vec<Chain>, Stopped> {
        let mut used = vec![false; self.ends.len()];
        let mut chains = Vec::new();
        for edge in self.edges() {
            progress.check()?;
            if std::mem::replace(&mut used[edge as usize], true) {
                continue;
            }
            let [a, b] = self.ends[edge as usize];
            let mut chain = Chain { vertices: vec![a, b], wide: self.wide[edge as usize] };
            for _ in 0..2 {
                let mut last = edge;
                while self.bends(chain.last()) {
                    let vertex = chain.last();
                    let Some(next) = self.at[vertex as usize].iter().copied().find(|next| *next != last) else {
                        break;
                    };
                    let end = self.other(next, vertex);
                    // A ring stays two roads, and no road leads to where it came from.
                    if used[next as usize] || chain.vertices.contains(&end) {
                        break;
                    }
                    used[next as usize] = true;
                    chain.vertices.push(end);
                    last = next;
                }
                chain.vertices.reverse();
            }
            chains.push(chain);
        }
        Ok(chains)
    }
}
