//! Motion graphs for other players: a documented file, a player of it as an ES module for
//! web pages, a page that shows it, and textures for the shaders of other engines.
//!
//! A player needs four numbers of an instance in a frame (the transition, the rows of source
//! and destination, frames since the middle); all else is in tables that never change, so
//! that graphics place every vertex by themselves. The book's page "Ensembles: players" has
//! the layout of the file.

mod file;
mod page;
mod textures;

use crate::compressed::CompressedEnsemble;
use crate::error::EnsembleError;
use crate::field::detail::reduce_with_map;

pub use file::to_player;
pub use page::to_player_page;
pub use textures::{PlayerTextures, to_player_textures};

/// The player of such files: an ES module without dependencies.
pub const PLAYER_MODULE: &str = include_str!("player.js");

/// Groups hang on each other at most this deep: shaders count so far.
const DEEPEST: usize = 64;

/// The triangles of an ensemble, by the numbers of vertices among all.
pub(super) fn all_triangles(data: &CompressedEnsemble) -> Vec<[u32; 3]> {
    let groups = data.groups().iter().enumerate();
    let of_group = |(group, own): (usize, &crate::data::Group)| {
        let first = data.vertices_of(group).start as u32;
        own.triangles.iter().map(move |triangle| triangle.map(|corner| first + corner)).collect::<Vec<_>>()
    };
    groups.flat_map(of_group).collect()
}

/// Less of the mesh for those that are far away: the triangles that remain if vertices nearer
/// to each other than `merge` at rest become one, between vertices of the whole.
///
/// # Errors
/// A distance that is negative or not finite.
pub fn detail_triangles(data: &CompressedEnsemble, merge: f64) -> Result<Vec<[u32; 3]>, EnsembleError> {
    let (less, map) = reduce_with_map(data, 1, merge)?;
    Ok(all_triangles(&less).into_iter().map(|triangle| triangle.map(|corner| map.kept[corner as usize])).collect())
}

/// How deep groups hang on each other, checked.
fn check_depth(data: &CompressedEnsemble) -> Result<(), EnsembleError> {
    for group in 0..data.groups().len() {
        let (mut depth, mut here) = (0, group);
        while data.parent_of(here) != here {
            (depth, here) = (depth + 1, data.parent_of(here));
        }
        if depth > DEEPEST {
            let what = format!("how deep the group \"{}\" hangs on others", data.groups()[group].name);
            let remedy = "players take 64; join groups";
            return Err(EnsembleError::Number { what, value: depth as f64, remedy });
        }
    }
    Ok(())
}
