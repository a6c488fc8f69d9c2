//! What a job comes to, if nothing is wrong: it is finished, or was stopped.

use crate::progress::Stopped;

/// What a function comes to that can be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Completion<T> {
    /// It did all that it should.
    Finished(T),
    /// Somebody wanted it to end before.
    Stopped,
}

impl<T> Completion<T> {
    /// What it came to, unless it was stopped.
    pub fn finished(self) -> Option<T> {
        match self {
            Self::Finished(value) => Some(value),
            Self::Stopped => None,
        }
    }

    /// For those who call it on the way to something else, so that a stop
    /// travels on by `?`.
    ///
    /// # Errors
    /// When it was stopped.
    pub fn or_stopped(self) -> Result<T, Stopped> {
        self.finished().ok_or(Stopped)
    }

    /// The same of another value.
    pub fn map<U>(self, with: impl FnOnce(T) -> U) -> Completion<U> {
        match self {
            Self::Finished(value) => Completion::Finished(with(value)),
            Self::Stopped => Completion::Stopped,
        }
    }
}

/// Why a function ended before its end: inside a crate, both travel by `?`.
///
/// A crate says once that its error is one of them:
/// `impl From<MyError> for Halt<MyError>`, by [`Halt::Failed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt<E> {
    /// Somebody wanted it to end.
    Stopped,
    /// Something is wrong.
    Failed(E),
}

impl<E> From<Stopped> for Halt<E> {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

/// From what travels inside a crate to what its callers get.
pub trait Finish {
    /// What the callers get.
    type Finished;

    /// A stop becomes an ordinary outcome; what is wrong stays an error.
    fn finish(self) -> Self::Finished;
}

impl<T, E> Finish for Result<T, Halt<E>> {
    type Finished = Result<Completion<T>, E>;

    fn finish(self) -> Self::Finished {
        match self {
            Ok(value) => Ok(Completion::Finished(value)),
            Err(Halt::Stopped) => Ok(Completion::Stopped),
            Err(Halt::Failed(error)) => Err(error),
        }
    }
}

impl<T> Finish for Result<T, Stopped> {
    type Finished = Completion<T>;

    fn finish(self) -> Self::Finished {
        self.map_or(Completion::Stopped, Completion::Finished)
    }
}
