//! Analysis of variance: whether the means of several groups, or of several
//! measurements of the same subjects, differ by more than chance.
//!
//! ```
//! use proscenium_chance::statistics::variance::within;
//!
//! // Three subjects, each measured under two conditions.
//! let effect = within(&[vec![1.0, 2.1], vec![2.0, 3.0], vec![1.5, 2.4]]).expect("two of each");
//! assert_eq!(effect.degrees, [1.0, 2.0]);
//! assert!(effect.p < 0.01);
//! ```

use statrs::function::beta::checked_beta_reg;

/// One line of an analysis of variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// Degrees of freedom of the effect and of its error.
    pub degrees: [f64; 2],
    /// Sums of squares of the effect and of its error.
    pub squares: [f64; 2],
    /// The ratio of mean squares.
    pub f: f64,
    /// The chance of a ratio as large without an effect.
    pub p: f64,
}

impl Effect {
    fn new(degrees: [f64; 2], squares: [f64; 2]) -> Self {
        let f = (squares[0] / degrees[0]) / (squares[1] / degrees[1]);
        Self { degrees, squares, f, p: tail(f, degrees) }
    }
}

/// The chance that an F of these degrees is larger.
fn tail(f: f64, [d1, d2]: [f64; 2]) -> f64 {
    if f == f64::INFINITY {
        return 0.0;
    }
    if f <= 0.0 || f.is_nan() {
        return 1.0;
    }
    checked_beta_reg(0.5 * d2, 0.5 * d1, d2 / (d2 + d1 * f)).unwrap_or(f64::NAN)
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count().max(1) as f64
}

/// One factor between groups of different subjects; `None` without two groups
/// and a value more than groups.
pub fn between(groups: &[Vec<f64>]) -> Option<Effect> {
    let count: usize = groups.iter().map(Vec::len).sum();
    if groups.len() < 2 || count <= groups.len() || groups.iter().any(Vec::is_empty) {
        return None;
    }
    let grand = mean(groups.iter().flatten().copied());
    let (mut among, mut within) = (0.0, 0.0);
    for group in groups {
        let own = mean(group.iter().copied());
        among += group.len() as f64 * (own - grand) * (own - grand);
        within += group.iter().map(|value| (value - own) * (value - own)).sum::<f64>();
    }
    Some(Effect::new([(groups.len() - 1) as f64, (count - groups.len()) as f64], [among, within]))
}

/// One factor within subjects: a row for each subject, a column for each level;
/// the error is that of levels by subjects. `None` without two of each.
pub fn within(rows: &[Vec<f64>]) -> Option<Effect> {
    let levels = rows.first()?.len();
    if rows.len() < 2 || levels < 2 || rows.iter().any(|row| row.len() != levels) {
        return None;
    }
    let grand = mean(rows.iter().flatten().copied());
    let column = |level: usize| mean(rows.iter().map(move |row| row[level]));
    let columns: Vec<f64> = (0..levels).map(column).collect();
    let effect: f64 = columns.iter().map(|level| (level - grand) * (level - grand)).sum::<f64>() * rows.len() as f64;
    let mut error = 0.0;
    for row in rows {
        let own = mean(row.iter().copied());
        for (value, level) in row.iter().zip(&columns) {
            let left = value - own - level + grand;
            error += left * left;
        }
    }
    let degrees = [(levels - 1) as f64, ((levels - 1) * (rows.len() - 1)) as f64];
    Some(Effect::new(degrees, [effect, error]))
}

/// Two factors within subjects: how far their joint effect is from the sum of
/// both. `cells` has a table of the first factor by the second for each subject.
/// `None` without two subjects and two levels of each factor.
pub fn interaction(cells: &[Vec<Vec<f64>>]) -> Option<Effect> {
    let (first, second) = (cells.first()?.len(), cells.first()?.first()?.len());
    let regular = cells.iter().all(|table| table.len() == first && table.iter().all(|row| row.len() == second));
    if cells.len() < 2 || first < 2 || second < 2 || !regular {
        return None;
    }
    // What is left of each subject's table without its rows, columns and mean.
    let left: Vec<Vec<Vec<f64>>> = cells
        .iter()
        .map(|table| {
            let grand = mean(table.iter().flatten().copied());
            let columns: Vec<f64> = (0..second).map(|j| mean(table.iter().map(move |row| row[j]))).collect();
            let row = |row: &Vec<f64>| {
                let own = mean(row.iter().copied());
                row.iter().zip(&columns).map(|(value, column)| value - own - column + grand).collect()
            };
            table.iter().map(row).collect()
        })
        .collect();
    let (mut effect, mut error) = (0.0, 0.0);
    for i in 0..first {
        for j in 0..second {
            let shared = mean(left.iter().map(|table| table[i][j]));
            effect += shared * shared * cells.len() as f64;
            error += left.iter().map(|table| (table[i][j] - shared) * (table[i][j] - shared)).sum::<f64>();
        }
    }
    let degrees = ((first - 1) * (second - 1)) as f64;
    Some(Effect::new([degrees, degrees * (cells.len() - 1) as f64], [effect, error]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three groups of six: a worked example of many text books.
    #[test]
    fn groups_agree_with_the_text_book() {
        let groups = [
            vec![6.0, 8.0, 4.0, 5.0, 3.0, 4.0],
            vec![8.0, 12.0, 9.0, 11.0, 6.0, 8.0],
            vec![13.0, 9.0, 11.0, 8.0, 7.0, 12.0],
        ];
        let effect = between(&groups).unwrap();
        assert_eq!(effect.degrees, [2.0, 15.0]);
        assert!((effect.squares[0] - 84.0).abs() < 1e-9 && (effect.squares[1] - 68.0).abs() < 1e-9);
        assert!((effect.f - 9.264_705_882).abs() < 1e-6, "{effect:?}");
        assert!((effect.p - 0.002_399).abs() < 1e-5, "{effect:?}");
    }

    /// Six people measured three times: fitness before and during training.
    #[test]
    fn repeated_measures_agree_with_the_text_book() {
        let people = [
            [45.0, 50.0, 55.0],
            [42.0, 42.0, 45.0],
            [36.0, 41.0, 43.0],
            [39.0, 35.0, 40.0],
            [51.0, 55.0, 59.0],
            [44.0, 49.0, 56.0],
        ];
        let effect = within(&people.map(Vec::from)).unwrap();
        assert_eq!(effect.degrees, [2.0, 10.0]);
        assert!((effect.squares[0] - 143.44).abs() < 0.01 && (effect.squares[1] - 57.22).abs() < 0.01, "{effect:?}");
        assert!((effect.f - 12.53).abs() < 0.01 && (effect.p - 0.002).abs() < 0.0005, "{effect:?}");
    }

    #[test]
    fn an_interaction_is_what_is_left_of_the_sum() {
        // Purely additive tables with some noise of their own: no interaction.
        let table = |shift: f64, noise: f64| {
            vec![vec![shift + noise, shift + 1.0, shift + 2.0], vec![shift + 3.0, shift + 4.0 + noise, shift + 5.0]]
        };
        let additive: Vec<_> = (0..8).map(|k| table(f64::from(k), 0.1 * f64::from(k % 3 - 1))).collect();
        assert!(interaction(&additive).unwrap().p > 0.2);
        let mut crossed = additive;
        crossed.iter_mut().for_each(|table| table[1][2] += 3.0);
        assert!(interaction(&crossed).unwrap().p < 1e-6);
    }

    #[test]
    fn too_few_answers_have_no_analysis() {
        assert_eq!(between(&[vec![1.0, 2.0]]), None);
        assert_eq!(within(&[vec![1.0, 2.0]]), None);
        assert_eq!(within(&[vec![1.0, 2.0], vec![1.0]]), None);
        assert_eq!(interaction(&[]), None);
    }

    /// Without an effect, p is uniform: a test at 1 % rejects about 1 % of the
    /// time. With 2 000 trials, 40 or more rejections have a chance below 1e-4.
    #[test]
    fn the_error_rate_is_what_it_says() {
        let seed = crate::Seed(6).stream("anova");
        let rejected = (0..2000).filter(|trial| {
            let mut stream = seed.at(*trial);
            let rows: Vec<Vec<f64>> = (0..8)
                .map(|_| {
                    let own = stream.normal();
                    (0..3).map(|_| own + stream.normal()).collect()
                })
                .collect();
            within(&rows).unwrap().p < 0.01
        });
        let count = rejected.count();
        assert!((6..40).contains(&count), "{count}");
    }
}
