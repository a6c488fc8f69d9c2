//! What is wrong with a text that somebody wrote, where, and what may have been
//! meant.
//!
//! Every file that the engine reads is checked in the same way: a [`Mistake`]
//! says what is wrong, its [`Place`] says where, its [`Remedy`] what to do, and
//! [`nearest`] finds the word that was mistyped.
//!
//! It may not know what the text is about: no scenes, models or maps.
//! Deliberately absent: files, formats, and how mistakes are shown with colours
//! and excerpts; those who read a format know it, and applications show.
//!
//! ```
//! use proscenium_diagnostics::{Mistake, Place, Remedy as _, nearest};
//!
//! let text = "densty = 900.0\n";
//! let place = Place::new("table.toml", text, 0..6, "densty", "in body \"die\"");
//! let help = nearest("densty", ["density", "friction"]).map(|near| format!("did you mean `{near}`?"));
//! let mistake = Mistake { message: "unknown key".into(), place: Some(place), help };
//! assert_eq!(mistake.to_string(), "table.toml:1:1: unknown key (in body \"die\")");
//! assert_eq!(mistake.remedy().as_deref(), Some("did you mean `density`?"));
//! assert!(mistake.explain().ends_with("(in body \"die\")\n  help: did you mean `density`?"));
//! ```

mod mistake;
mod nearest;

pub use mistake::{Mistake, Place};
pub use nearest::nearest;
pub use proscenium_work::Remedy;
