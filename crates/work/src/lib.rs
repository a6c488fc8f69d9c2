//! How a job is done, whatever the job: one way to say how far it is and to be
//! stopped, one header for every binary file, one place to keep things with one
//! atomic write, one form of help in errors, and one way to use all processors.
//!
//! | what | for |
//! |---|---|
//! | [`Progress`] | every function that may take longer than a blink: what it does, how far it is, whether to stop |
//! | [`Completion`] | what such a function comes to: a stop is an ordinary outcome, not an error |
//! | [`Artifact`] | every binary file: what it is, which version, how long, a checksum |
//! | [`Store`] | where a job keeps what it has: a [`Folder`], or [`Memory`] |
//! | [`Journal`] | results one by one as they are found, so that a job that was killed goes on |
//! | [`Remedy`] | errors that carry what to do about them |
//! | [`parallel`] | loops over independent items, on all processors or one, with the same bits |
//!
//! It may know nothing of what is being done: no shapes, scenes, cities or
//! pictures. Deliberately absent: clocks (how long something took is for those to
//! say who have one), bars and messages (applications show), and networks.
//!
//! ```
//! use proscenium_work::{Completion, Finish, Halt, Progress};
//!
//! fn sum(up_to: u64, progress: &Progress) -> Result<u64, Halt<std::num::TryFromIntError>> {
//!     let mut sum = 0;
//!     for number in 0..up_to {
//!         progress.tell("adding up", number as f64 / up_to as f64)?;
//!         sum += number;
//!     }
//!     Ok(sum)
//! }
//!
//! assert_eq!(sum(10, &Progress::none()).finish(), Ok(Completion::Finished(45)));
//! assert_eq!(sum(10, &Progress::stopping_at(3)).finish(), Ok(Completion::Stopped));
//! ```

mod artifact;
mod completion;
mod folder;
mod journal;
pub mod parallel;
mod progress;
mod remedy;
mod store;

pub use artifact::{Artifact, ArtifactError};
pub use completion::{Completion, Finish, Halt};
pub use folder::{Folder, check_writable, read_file, write_file, write_new_file, write_new_folder};
pub use journal::Journal;
pub use progress::{Counter, Progress, Report, Stop, Stopped};
pub use remedy::Remedy;
pub use store::{Memory, Store, StoreError};
