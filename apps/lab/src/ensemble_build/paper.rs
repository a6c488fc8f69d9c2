//! Table I of the paper.

use crate::results::Row;

/// What the names of the paper's rows end with.
pub(super) const ENDING: &str = ", paper";

/// Our name, vertices, triangles, groups, degrees of freedom, frames, wind
/// levels, hours for the motion and for the transitions, samples, τ_max, t_CD,
/// η, local searches, contacts, wins, departures (nIP), and shares of programs that were
/// solved, culled and given up.
type TableRow = (&'static str, [u32; 6], [f64; 2], [u32; 2], f64, u32, [u32; 4], [f64; 3]);

const TABLE: [TableRow; 8] = [
    (
        "banner",
        [9904, 15792, 101, 10170, 1667, 1],
        [690.0, 66.0],
        [10, 30],
        27.0,
        20,
        [1426, 85, 22, 53],
        [0.05, 0.24, 0.71],
    ),
    (
        "grass",
        [47412, 59866, 1005, 14162, 2726, 1],
        [790.0, 26.0],
        [5, 30],
        21.0,
        12,
        [6652, 206, 42, 88],
        [0.11, 0.18, 0.71],
    ),
    (
        "banana",
        [8088, 13746, 32, 10170, 13880, 3],
        [1390.0, 50.0],
        [4, 30],
        20.0,
        5,
        [37, 5, 946, 1340],
        [0.28, 0.33, 0.39],
    ),
    (
        "iris-large",
        [33331, 51468, 547, 15652, 2739, 1],
        [827.0, 32.0],
        [8, 40],
        15.0,
        14,
        [1276, 49, 58, 88],
        [0.1, 0.24, 0.66],
    ),
    (
        "iris-1",
        [12469, 19824, 173, 7610, 13196, 3],
        [1656.0, 86.0],
        [5, 30],
        13.0,
        16,
        [233, 9, 798, 1127],
        [0.22, 0.38, 0.4],
    ),
    (
        "iris-2",
        [11068, 17388, 159, 5976, 10800, 3],
        [1718.0, 18.0],
        [4, 30],
        4.5,
        10,
        [119, 7, 888, 1001],
        [0.38, 0.45, 0.27],
    ),
    (
        "iris-3",
        [12448, 19796, 173, 7226, 10800, 3],
        [1662.0, 36.0],
        [4, 30],
        5.3,
        10,
        [253, 9, 653, 1001],
        [0.25, 0.32, 0.43],
    ),
    (
        "iris-4",
        [12749, 20292, 177, 6078, 10800, 3],
        [1419.0, 15.0],
        [4, 30],
        4.6,
        10,
        [80, 5, 950, 1005],
        [0.41, 0.45, 0.14],
    ),
];

/// The paper's row beside one of ours, if it has one.
pub(super) fn row(name: &str) -> Option<Row> {
    let &(name, sizes, hours, [samples, reach], cd_s, eta, counts, shares) = TABLE.iter().find(|row| row.0 == name)?;
    let [vertices, triangles, groups, dof, frames, wind_levels] = sizes;
    let [local_searches, contact_set, wins, departures] = counts;
    let row = Row::new()
        .with("ensemble", format!("{name}{ENDING}"))
        .with("vertices", vertices)
        .with("triangles", triangles)
        .with("groups", groups)
        .with("dof", dof)
        .with("frames", frames)
        .with("wind_levels", wind_levels)
        .with("motion_s", 3600.0 * hours[0])
        .with("memg_s", 3600.0 * hours[1])
        .with("samples", samples)
        .with("tau_max", reach)
        .with("cd_s", cd_s)
        .with("eta", eta)
        .with("local_searches", local_searches)
        .with("contact_set", contact_set)
        .with("wins", wins)
        .with("departures", departures);
    Some(row.with("ok", shares[0]).with("culled", shares[1]).with("timed_out", shares[2]))
}
