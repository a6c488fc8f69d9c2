//! Approximations of a jump in time: networks, local polynomials, and sampled
//! transfer between cells; the best is chosen by its error and its cost.

use proscenium_chance::Stream;
use proscenium_work::{Progress, Stopped};
use serde::{Deserialize, Serialize};

use crate::system::{State, Values};

use super::cells::Grid;
use super::network::Network;

/// A start, and where the complete model went from it. Variables that go
/// around are not brought back into their range: the change is continuous.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Example {
    pub start: State,
    pub change: Values,
    pub end_mode: u8,
}

/// An approximation of where a state is after a fixed time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Map {
    Network(Network),
    Polynomials(Polynomials),
    Transfer(Transfer),
}

impl Map {
    /// The state after the jump; `None` where nothing was learned.
    pub(crate) fn apply(&self, grid: &Grid, state: &State, stream: &mut Stream) -> Option<State> {
        grid.cell(state)?;
        let change = match self {
            Map::Network(network) => network.apply(grid, state),
            Map::Polynomials(polynomials) => polynomials.apply(state)?,
            Map::Transfer(transfer) => return transfer.apply(grid, state, stream),
        };
        let mut after = *state;
        for ((axis, value), change) in grid.axes.iter().zip(&mut after.values).zip(change) {
            *value = axis.wrapped(*value + change);
        }
        // What ends where the system never is, is no end.
        grid.cell(&after).map(|_| after)
    }

    /// Whether the tables have the sizes they should have.
    pub(crate) fn is_sound(&self, grid: &Grid) -> bool {
        let dimensions = grid.axes.len();
        match self {
            Map::Network(network) => network.is_sound(grid),
            Map::Polynomials(polynomials) => {
                let own = &polynomials.grid;
                let fits = own.axes.len() == dimensions && own.axes.iter().all(|axis| axis.cells > 0);
                fits && polynomials.coefficients.iter().all(|number| number.is_finite())
            }
            Map::Transfer(transfer) => {
                let fits = transfer.cells.len() == dimensions && transfer.cells.iter().all(|cells| *cells > 0);
                fits && transfer.states.len() == transfer.modes.len() * dimensions
            }
        }
    }

    /// Rough cost of a jump, in additions.
    pub(crate) fn cost(&self, grid: &Grid) -> f64 {
        let dimensions = grid.axes.len() as f64;
        match self {
            Map::Network(network) => network.cost(),
            Map::Polynomials(polynomials) => {
                let terms = coefficients(grid.axes.len(), polynomials.degree) as f64;
                12.0 * dimensions + (1.0 + dimensions) * terms
            }
            Map::Transfer(_) => 20.0 + 12.0 * dimensions,
        }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Map::Network(network) => {
                let hidden: Vec<String> = network.layers.iter().take(2).map(|layer| layer.nodes.to_string()).collect();
                format!("network of {}", hidden.join("+"))
            }
            Map::Polynomials(polynomials) => {
                format!("{} local polynomials of degree {}", polynomials.cells(), polynomials.degree)
            }
            Map::Transfer(transfer) => {
                let what = if transfer.is_relative { "changes" } else { "transfer" };
                format!("sampled {what} from {} cells", transfer.starts.len().saturating_sub(1))
            }
        }
    }
}

/// Finer grids than this are not tried: their tables would be larger than all
/// others of a compiled file together, and the number of a polynomial must fit in
/// 16 bits.
const MOST_CELLS: usize = 60_000;

/// Weight of flatness in a least-squares fit, for each example: directions that
/// no example shows are left flat. Chosen: it changes a fit with enough examples
/// by less than 32-bit coefficients do.
const FLATNESS: f64 = 1e-4;
/// The same for the constant term, which every example shows.
const LEAST_WEIGHT: f64 = 1e-9;

/// One example of so many is for judging the polynomial of a cell, and where that errs by
/// more than this share of the viewer's cell (the root of the mean square) there is none.
/// Chosen: a quarter of what is unsure already.
const HELD_OUT: u32 = 5;
const UNSEEN_ERROR: f64 = 0.25;

/// The examples that start in each cell.
fn members(grid: &Grid, examples: &[Example], progress: &Progress) -> Result<Vec<Vec<u32>>, Stopped> {
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); grid.len()];
    for (index, example) in examples.iter().enumerate() {
        if index % 64 == 0 {
            progress.check()?;
        }
        if let Some(cell) = grid.cell(&example.start) {
            members[cell].push(index as u32);
        }
    }
    Ok(members)
}

/// For each cell a polynomial for the change of each variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Polynomials {
    /// Cells of its own.
    pub grid: Grid,
    pub degree: u8,
    /// For each cell of the grid the place of its polynomial, from 1; 0 means
    /// that there is none.
    pub places: Vec<u16>,
    /// For each polynomial and each variable its coefficients.
    pub coefficients: Vec<f32>,
}

/// How many coefficients a polynomial of second or third degree has.
pub(crate) fn coefficients(dimensions: usize, degree: u8) -> usize {
    let second = (dimensions + 1) * (dimensions + 2) / 2;
    if degree < 3 { second } else { second * (dimensions + 3) / 3 }
}

impl Polynomials {
    pub(crate) fn cells(&self) -> usize {
        self.places.iter().filter(|place| **place > 0).count()
    }

    fn apply(&self, state: &State) -> Option<Values> {
        let cell = self.grid.cell(state)?;
        let place = usize::from(*self.places.get(cell)?).checked_sub(1)?;
        let mut terms = Vec::with_capacity(24);
        monomials(&self.grid, self.degree, cell, state, &mut terms);
        let row = terms.len();
        let dimensions = self.grid.axes.len();
        let mut change = Values::default();
        for (variable, value) in change.iter_mut().enumerate().take(dimensions) {
            let start = (place * dimensions + variable) * row;
            let weights = self.coefficients.get(start..start + row)?;
            *value = weights.iter().zip(&terms).map(|(weight, term)| f64::from(*weight) * term).sum();
        }
        Some(change)
    }

    /// Fits by least squares to the examples in each cell; a cell with few
    /// takes its neighbours' too.
    pub(crate) fn fit(
        viewer: &Grid,
        finer: u16,
        degree: u8,
        examples: &[Example],
        progress: &Progress,
    ) -> Result<Option<Self>, Stopped> {
        let grid = &viewer.finer(finer);
        let dimensions = grid.axes.len();
        if dimensions == 0 || grid.modes > 1 || grid.len() > MOST_CELLS {
            return Ok(None);
        }
        let row = coefficients(dimensions, degree);
        let members = members(grid, examples, progress)?;
        let mut polynomials =
            Polynomials { grid: grid.clone(), degree, places: vec![0; grid.len()], coefficients: Vec::new() };
        let mut terms = Vec::new();
        let mut found = 0_u16;
        for cell in 0..grid.len() {
            progress.check()?;
            if members[cell].is_empty() {
                continue;
            }
            let mut near: Vec<u32> = members[cell].clone();
            if near.len() < 3 * row {
                for other in neighbours(grid, cell) {
                    near.extend(&members[other]);
                }
            }
            // Some are kept for judging; of too few nothing is learned.
            let (near, held_out): (Vec<u32>, Vec<u32>) = near.into_iter().partition(|index| index % HELD_OUT != 0);
            if near.len() < row || held_out.is_empty() {
                continue;
            }
            let mut normal = vec![0.0; row * row];
            let mut right = vec![0.0; row * dimensions];
            for &index in &near {
                let index = index as usize;
                monomials(grid, degree, cell, &examples[index].start, &mut terms);
                for a in 0..row {
                    for b in 0..row {
                        normal[a * row + b] += terms[a] * terms[b];
                    }
                    for variable in 0..dimensions {
                        right[a * dimensions + variable] += terms[a] * examples[index].change[variable];
                    }
                }
            }
            for a in 1..row {
                normal[a * row + a] += FLATNESS * near.len() as f64;
            }
            normal[0] += LEAST_WEIGHT;
            let Some(solution) = solve(normal, right, row, dimensions) else {
                continue;
            };
            // Where it errs by more than a viewer can tell, the complete model is used.
            let mut squared = 0.0;
            for &index in &held_out {
                let example = &examples[index as usize];
                monomials(grid, degree, cell, &example.start, &mut terms);
                let worst = (0..dimensions).fold(0.0_f64, |worst, variable| {
                    let change: f64 = (0..row).map(|a| solution[a * dimensions + variable] * terms[a]).sum();
                    worst.max((change - example.change[variable]).abs() / viewer.axes[variable].width())
                });
                squared += worst * worst;
            }
            if (squared / held_out.len() as f64).sqrt() > UNSEEN_ERROR {
                continue;
            }
            found += 1;
            polynomials.places[cell] = found;
            for variable in 0..dimensions {
                polynomials.coefficients.extend((0..row).map(|a| solution[a * dimensions + variable] as f32));
            }
        }
        Ok((found > 0).then_some(polynomials))
    }
}

/// The monomials at a place in or near a cell, also on the other side of where
/// a variable goes around: 1, then each ξ, then each ξ ξ', with ξ from −1 to 1
/// across the cell.
fn monomials(grid: &Grid, degree: u8, cell: usize, state: &State, into: &mut Vec<f64>) {
    let (corner, _) = grid.corner(cell);
    let mut near = *state;
    for (index, axis) in grid.axes.iter().enumerate() {
        let value = axis.wrapped(near.values[index]);
        let period = axis.high - axis.low;
        let off = value - corner[index] - 0.5 * axis.width();
        let turns = if axis.wraps { (off / period + 0.5).floor() } else { 0.0 };
        near.values[index] = value - turns * period;
    }
    into.clear();
    into.push(1.0);
    for (index, axis) in grid.axes.iter().enumerate() {
        into.push(2.0 * (near.values[index] - corner[index]) / axis.width() - 1.0);
    }
    let dimensions = grid.axes.len();
    for first in 1..=dimensions {
        for second in first..=dimensions {
            into.push(into[first] * into[second]);
            if degree > 2 {
                for third in second..=dimensions {
                    into.push(into[first] * into[second] * into[third]);
                }
            }
        }
    }
}

/// The cells that touch a cell, also at its corners.
fn neighbours(grid: &Grid, cell: usize) -> Vec<usize> {
    let (corner, mode) = grid.corner(cell);
    let mut found = Vec::new();
    let ways = 3_usize.pow(grid.axes.len() as u32);
    for way in 0..ways {
        let mut rest = way;
        let mut state = State { mode, ..State::default() };
        for (index, axis) in grid.axes.iter().enumerate() {
            state.values[index] = corner[index] + axis.width() * (0.5 + (rest % 3) as f64 - 1.0);
            rest /= 3;
        }
        found.extend(grid.cell(&state).filter(|other| *other != cell));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Solves a symmetric positive system by Cholesky's method.
pub(super) fn solve(mut matrix: Vec<f64>, mut right: Vec<f64>, size: usize, columns: usize) -> Option<Vec<f64>> {
    for i in 0..size {
        for j in 0..=i {
            let mut sum = matrix[i * size + j];
            for k in 0..j {
                sum -= matrix[i * size + k] * matrix[j * size + k];
            }
            if i == j {
                if sum <= 0.0 || !sum.is_finite() {
                    return None;
                }
                matrix[i * size + i] = sum.sqrt();
            } else {
                matrix[i * size + j] = sum / matrix[j * size + j];
            }
        }
    }
    for column in 0..columns {
        for i in 0..size {
            let mut sum = right[i * columns + column];
            for k in 0..i {
                sum -= matrix[i * size + k] * right[k * columns + column];
            }
            right[i * columns + column] = sum / matrix[i * size + i];
        }
        for i in (0..size).rev() {
            let mut sum = right[i * columns + column];
            for k in i + 1..size {
                sum -= matrix[k * size + i] * right[k * columns + column];
            }
            right[i * columns + column] = sum / matrix[i * size + i];
        }
    }
    Some(right)
}

/// For each cell some of the states that followed from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Transfer {
    /// Into how many cells each variable is cut.
    pub cells: Vec<u16>,
    /// The place of each cell's first successor, and the end of the last.
    pub starts: Vec<u32>,
    /// A code per variable for each successor: where it is, or by how much it has changed.
    pub states: Vec<u16>,
    pub modes: Vec<u8>,
    /// Whether changes are kept. Clocks that run and stop move on by the same amount from
    /// everywhere in a cell, so that no more is lost than whether something happens.
    pub is_relative: bool,
}

impl Transfer {
    /// Keeps from `fewest` to `most` successors of each cell, and none of a cell that has
    /// fewer; cells are so much finer than the viewer's.
    pub(crate) fn sample(
        viewer: &Grid,
        finer: u16,
        examples: &[Example],
        (fewest, most, is_relative): (usize, usize, bool),
        progress: &Progress,
    ) -> Result<Option<Self>, Stopped> {
        let grid = &viewer.finer(finer);
        if grid.len() > MOST_CELLS {
            return Ok(None);
        }
        let members = members(grid, examples, progress)?;
        let cells = grid.axes.iter().map(|axis| axis.cells).collect();
        let mut transfer = Transfer { cells, starts: vec![0], states: Vec::new(), modes: Vec::new(), is_relative };
        for members in members {
            progress.check()?;
            let kept = if members.len() < fewest { 0 } else { members.len().min(most) };
            for index in 0..kept {
                let example = &examples[members[index * members.len() / kept] as usize];
                let mut end = State { mode: example.end_mode, ..example.start };
                for (value, change) in end.values.iter_mut().zip(example.change) {
                    *value += change;
                }
                match is_relative {
                    true => transfer.states.extend(changes(grid, &example.change)),
                    false => transfer.states.extend(grid.coded(&end)),
                }
                transfer.modes.push(end.mode);
            }
            transfer.starts.push(transfer.modes.len() as u32);
        }
        Ok(Some(transfer))
    }

    /// Takes two words.
    fn apply(&self, grid: &Grid, state: &State, stream: &mut Stream) -> Option<State> {
        let which = stream.uniform();
        let cell = grid.cell_of(state, self.cells.iter().copied())?;
        let (start, end) = (*self.starts.get(cell)?, *self.starts.get(cell + 1)?);
        let count = end.checked_sub(start).filter(|count| *count > 0)?;
        let chosen = start + ((which * f64::from(count)) as u32).min(count - 1);
        let mode = *self.modes.get(chosen as usize)?;
        let first = chosen as usize * grid.axes.len();
        let codes = self.states.get(first..first + grid.axes.len())?;
        if !self.is_relative {
            return Some(grid.decoded(codes, mode));
        }
        let mut after = State { mode, ..*state };
        for ((axis, value), code) in grid.axes.iter().zip(&mut after.values).zip(codes) {
            let change = (2.0 * (f64::from(*code) / 65535.0) - 1.0) * (axis.high - axis.low);
            *value =
                if axis.wraps { axis.wrapped(*value + change) } else { (*value + change).clamp(axis.low, axis.high) };
        }
        Some(after)
    }
}

/// Changes as 16 bits each: from less than the whole range to more than it.
fn changes(grid: &Grid, change: &Values) -> impl Iterator<Item = u16> {
    let each = grid.axes.iter().zip(*change).map(|(axis, change)| {
        let share = change / (axis.high - axis.low);
        let share = if axis.wraps { share - (share + 0.5).floor() } else { share };
        ((0.5 * share + 0.5).clamp(0.0, 1.0) * 65535.0).round() as u16
    });
    each.collect::<Vec<u16>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::cells::Axis;
    use proscenium_chance::Seed;

    fn grid() -> Grid {
        let angle = Axis { low: 0.0, high: 2.0, wraps: true, cells: 10 };
        Grid { axes: vec![angle, Axis { low: -1.0, high: 1.0, wraps: false, cells: 10 }], modes: 1 }
    }

    fn examples() -> Vec<Example> {
        let mut stream = Seed(1).stream("examples");
        let example = |_| {
            let (x, y) = (2.0 * stream.uniform(), 2.0 * stream.uniform() - 1.0);
            let change = State::new(&[libm::sin(3.0 * x) + y, x * y - 0.3 * y * y]).values;
            Example { start: State::new(&[x, y]), change, end_mode: 0 }
        };
        (0..20_000).map(example).collect()
    }

    #[test]
    fn polynomials_are_accurate_where_there_are_examples() {
        let examples = examples();
        let map =
            Map::Polynomials(Polynomials::fit(&grid(), 1, 2, &examples[..18_000], &Progress::none()).unwrap().unwrap());
        let mut stream = Seed(1).stream("unused");
        for example in &examples[18_000..] {
            let expected = example.start.values[1] + example.change[1];
            let Some(found) = map.apply(&grid(), &example.start, &mut stream) else {
                assert!(expected.abs() > 0.98, "only ends outside of the range are none: {example:?}");
                continue;
            };
            assert!((found.values[1] - expected).abs() < 0.02, "{example:?} {found:?}");
        }
        assert_eq!(map.apply(&grid(), &State::new(&[0.0, 7.0]), &mut stream), None, "outside of the range");
    }

    #[test]
    fn transfer_returns_what_followed_from_the_cell() {
        let examples = examples();
        let map =
            Map::Transfer(Transfer::sample(&grid(), 1, &examples, (1, 32, false), &Progress::none()).unwrap().unwrap());
        let mut stream = Seed(1).stream("transfer");
        let start = State::new(&[1.0, 0.5]);
        let cell = grid().cell(&start);
        let near = examples.iter().filter(|example| grid().cell(&example.start) == cell);
        let ends: Vec<f64> = near.map(|example| example.start.values[1] + example.change[1]).collect();
        for _ in 0..100 {
            let end = map.apply(&grid(), &start, &mut stream).unwrap().values[1];
            assert!(ends.iter().any(|known| (known - end).abs() < 1e-3 || known.abs() > 1.0));
        }
    }

    /// Where everything moves by the same amount, nothing is lost but rounding.
    #[test]
    fn changes_are_as_exact_as_clocks() {
        let mut stream = Seed(1).stream("clocks");
        let clock = |_| {
            let start = State::new(&[2.0 * stream.uniform(), 1.8 * stream.uniform() - 0.8]);
            Example { start, change: State::new(&[0.7, -0.2]).values, end_mode: 0 }
        };
        let examples: Vec<Example> = (0..4000).map(clock).collect();
        let map =
            Map::Transfer(Transfer::sample(&grid(), 1, &examples, (1, 32, true), &Progress::none()).unwrap().unwrap());
        let after = map.apply(&grid(), &State::new(&[1.6, 0.456]), &mut stream).unwrap();
        assert!((after.values[0] - 0.3).abs() < 1e-4 && (after.values[1] - 0.256).abs() < 1e-4, "{after:?}");
        let low = map.apply(&grid(), &State::new(&[1.6, -0.79]), &mut stream).unwrap();
        assert!((low.values[1] + 0.99).abs() < 1e-4, "{low:?}");
    }

    #[test]
    fn systems_of_equations_are_solved() {
        let solution = solve(vec![4.0, 1.0, 1.0, 3.0], vec![1.0, 2.0], 2, 1).unwrap();
        assert!((solution[0] - 1.0 / 11.0).abs() < 1e-14 && (solution[1] - 7.0 / 11.0).abs() < 1e-14);
        assert_eq!(solve(vec![0.0], vec![1.0], 1, 1), None);
    }
}
