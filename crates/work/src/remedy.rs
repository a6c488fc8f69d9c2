//! Errors that carry what to do about them.

use std::borrow::Cow;
use std::error::Error;

/// An error that knows what would be right.
///
/// What is wrong is the error's own text, without the remedy; what to do is here.
/// Whoever shows it puts the two where they belong.
///
/// ```
/// use std::borrow::Cow;
/// use proscenium_work::Remedy;
///
/// #[derive(Debug, thiserror::Error)]
/// #[error("the density of a body is {0}")]
/// struct Density(f64);
///
/// impl Remedy for Density {
///     fn remedy(&self) -> Option<Cow<'_, str>> {
///         Some("give a positive number; water is 1000".into())
///     }
/// }
///
/// assert_eq!(Density(-1.0).explain(), "the density of a body is -1: give a positive number; water is 1000");
/// ```
pub trait Remedy: Error {
    /// What to do about it, in the imperative, if anything is known to help.
    fn remedy(&self) -> Option<Cow<'_, str>>;

    /// What is wrong and what to do, in one sentence, where there is one place for both.
    fn explain(&self) -> String {
        match self.remedy() {
            Some(remedy) => format!("{self}: {remedy}"),
            None => self.to_string(),
        }
    }
}
