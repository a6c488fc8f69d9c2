//! Traces for other programs: ArviZ's JSON, and Zarr as ArviZ opens it.
//!
//! Both hold two groups: `posterior` with the quantities, and `sample_stats`
//! with `lp` (log p_w + log p_c), `log_score` and `satisfied`.

mod json;
mod zarr;

use crate::trace::Traces;

/// One array over chains and draws.
struct Column {
    name: String,
    kind: Kind,
    chains: Vec<Vec<f64>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Number,
    Truth,
    Count,
}

/// The groups of a file, with their arrays.
fn groups(traces: &Traces) -> [(&'static str, Vec<Column>); 2] {
    let settled = traces.settled();
    let posterior = settled.quantities.iter().enumerate().map(|(index, name)| Column {
        name: name.replace('/', "_"),
        kind: Kind::Number,
        chains: settled.quantity(index),
    });
    let stats = vec![
        Column { name: "lp".to_owned(), kind: Kind::Number, chains: settled.column(|draw| draw.log_density) },
        Column { name: "log_score".to_owned(), kind: Kind::Number, chains: settled.column(|draw| draw.log_score) },
        Column {
            name: "satisfied".to_owned(),
            kind: Kind::Truth,
            chains: settled.column(|draw| f64::from(u8::from(draw.satisfied))),
        },
        Column {
            name: "iteration".to_owned(),
            kind: Kind::Count,
            chains: settled.column(|draw| draw.iteration as f64),
        },
    ];
    [("posterior", posterior.collect()), ("sample_stats", stats)]
}
