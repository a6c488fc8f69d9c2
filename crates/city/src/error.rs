//! What can be wrong with a city that runs.

/// Why a city cannot be loaded, learned or run.
#[derive(Debug, thiserror::Error)]
pub enum CityError {
    /// The map is wrong.
    #[error(transparent)]
    Map(#[from] crate::MapError),
    /// A file cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: std::path::PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A file does not hold what was learned.
    #[error("this is not what was learned of a city: {what}; learn it again")]
    Learned {
        /// What is wrong with it.
        what: String,
    },
    /// A number is out of range.
    #[error("{what} is {value}: {remedy}")]
    Number {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What would be right.
        remedy: &'static str,
    },
    /// More cars than the roads can hold.
    #[error("{cars} cars do not fit: the roads hold about {most}")]
    TooManyCars {
        /// How many were asked for.
        cars: u64,
        /// How many fit.
        most: u64,
    },
    /// Somebody stopped it.
    #[error("stopped")]
    Stopped,
}
