//! What is wrong, as a Python exception with its remedy.

use proscenium_work::Remedy;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// The exception of an error: its own sentence, and what to do as a field.
pub fn raise(py: Python<'_>, error: &dyn Remedy) -> PyErr {
    of(py, &error.to_string(), error.remedy().as_deref())
}

/// The exception of a sentence and a remedy.
pub fn of(py: Python<'_>, what: &str, remedy: Option<&str>) -> PyErr {
    let made = || -> PyResult<Bound<'_, PyAny>> {
        let class = py.import("proscenium._errors")?.getattr("ProsceniumError")?;
        class.cast::<PyType>()?.call1((what, remedy))
    };
    match made() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// Turns what a library says into what Python raises.
pub trait Raised<T> {
    /// The value, or the exception.
    fn raised(self, py: Python<'_>) -> PyResult<T>;
}

impl<T, E: Remedy> Raised<T> for Result<T, E> {
    fn raised(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raise(py, &error))
    }
}
