//! What a run leaves in its folder beside the gallery.

use std::collections::BTreeSet;
use std::path::Path;

use proscenium_gallery::Gallery;
use serde::{Deserialize, Serialize};

use crate::api::RunOrder;

use super::Status;
use super::work::point;

/// The file with the samples.
pub(super) const GALLERY: &str = "gallery.sqlite";
const ORDER: &str = "order.json";
const MARKS: &str = "marks.json";
/// So much of what chains did is shown.
pub(super) const TRACE: usize = 600;

/// What is known about entries beyond what the gallery has.
#[derive(Serialize, Deserialize, Default)]
struct Marks {
    groups: Vec<u32>,
    different: u32,
    finished: bool,
    method: Option<String>,
    #[serde(default)]
    settling: Option<String>,
    #[serde(default)]
    done: f64,
    #[serde(default)]
    picked: Vec<u32>,
    favourites: BTreeSet<u32>,
}

pub(super) fn write_order(folder: &Path, order: &RunOrder) -> std::io::Result<()> {
    write(&folder.join(ORDER), order)
}

pub(super) fn write_marks(folder: &Path, status: &Status) -> std::io::Result<()> {
    let marks = Marks {
        groups: status.groups.clone(),
        different: status.different,
        finished: status.is_finished,
        method: status.method.clone(),
        settling: status.settling.clone(),
        done: status.done,
        picked: status.picked.clone(),
        favourites: status.favourites.clone(),
    };
    write(&folder.join(MARKS), &marks)
}

/// A run as its folder has it; `None` if that is no run.
pub(super) fn read(folder: &Path) -> Option<Status> {
    let order: RunOrder = serde_json::from_slice(&std::fs::read(folder.join(ORDER)).ok()?).ok()?;
    let gallery = Gallery::open(folder.join(GALLERY)).ok()?;
    let marks = std::fs::read(folder.join(MARKS)).ok().and_then(|bytes| serde_json::from_slice::<Marks>(&bytes).ok());
    let marks = marks.unwrap_or_default();
    let mut status = Status::new(order);
    status.is_finished = marks.finished;
    status.wants = gallery.run().ok()?.wants;
    status.found = u32::try_from(gallery.count().ok()?).ok()?;
    status.simulations = gallery.simulations().ok()?;
    let draws = gallery.draws().ok()?;
    status.trace = draws.iter().skip(draws.len().saturating_sub(TRACE)).map(point).collect();
    status.groups = marks.groups;
    status.different = marks.different;
    status.method = marks.method;
    (status.settling, status.done, status.picked) = (marks.settling, marks.done, marks.picked);
    status.favourites = marks.favourites;
    Some(status)
}

/// Writes a file so that it is there as a whole or not at all.
fn write<T: Serialize>(path: &Path, value: &T) -> std::io::Result<()> {
    proscenium_work::write_file(path, &serde_json::to_vec_pretty(value)?)
}
