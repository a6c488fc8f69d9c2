//! The tables of a gallery, and its version.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::error::GalleryError;

/// The format that is written: SQLite's `user_version`.
pub(crate) const FORMAT: i64 = 2;
/// The format of version 0.1, which is read: it has neither phases nor how long a
/// chain was where it is.
pub(crate) const FIRST_FORMAT: i64 = 1;
/// Tells a gallery from other SQLite files: "Psce" as a number.
const APPLICATION: i64 = 0x5073_6365;

/// Whitened values are little-endian f64 in the order of the variables, groups
/// and wants one byte each; state, options and names are MessagePack.
const TABLES: &str = "
    CREATE TABLE run (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        scene TEXT NOT NULL,
        engine TEXT NOT NULL,
        seed INTEGER NOT NULL,
        options BLOB NOT NULL,
        names BLOB NOT NULL
    ) STRICT;
    CREATE TABLE sample (
        id INTEGER PRIMARY KEY,
        method TEXT NOT NULL,
        chain INTEGER NOT NULL,
        iteration INTEGER NOT NULL,
        phase INTEGER NOT NULL,
        log_score REAL NOT NULL,
        wants_met BLOB NOT NULL,
        whitened BLOB NOT NULL,
        active BLOB NOT NULL,
        UNIQUE (method, chain, iteration)
    ) STRICT;
    CREATE TABLE draw (
        id INTEGER PRIMARY KEY,
        method TEXT NOT NULL,
        chain INTEGER NOT NULL,
        iteration INTEGER NOT NULL,
        phase INTEGER NOT NULL,
        since INTEGER NOT NULL,
        log_score REAL NOT NULL,
        log_density REAL NOT NULL,
        satisfied INTEGER NOT NULL,
        probe REAL NOT NULL,
        quantities BLOB NOT NULL,
        UNIQUE (method, chain, iteration)
    ) STRICT;
    CREATE TABLE state (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        simulations INTEGER NOT NULL,
        state BLOB NOT NULL
    ) STRICT;
";

/// For `map_err`: SQLite could not do something with a file.
pub(crate) fn database(action: &'static str, path: &Path) -> impl FnOnce(rusqlite::Error) -> GalleryError {
    let path = path.to_owned();
    move |error| GalleryError::Database { action, path, error }
}

/// Opens a file so that what is committed stays: with a write-ahead log, and
/// every commit on the disk before it counts.
pub(crate) fn connect(path: &Path, create: bool) -> Result<Connection, GalleryError> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if create {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    }
    let connection = Connection::open_with_flags(path, flags).map_err(database("open", path))?;
    let set_up = || -> rusqlite::Result<()> {
        connection.busy_timeout(std::time::Duration::from_secs(10))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")
    };
    match set_up() {
        Err(rusqlite::Error::SqliteFailure(failure, _)) if failure.code == rusqlite::ErrorCode::NotADatabase => {
            Err(GalleryError::NotGallery { path: path.to_owned() })
        }
        outcome => outcome.map_err(database("open", path)).map(|()| connection),
    }
}

/// What a file is.
pub(crate) enum Kind {
    /// Nothing was written yet.
    Empty,
    /// A gallery of a format that can be read.
    Gallery(i64),
}

/// Tells what a file is, and refuses what is no gallery or a newer one.
pub(crate) fn kind(connection: &Connection, path: &Path) -> Result<Kind, GalleryError> {
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let tables = "SELECT count(*) FROM sqlite_schema";
    let look = || -> rusqlite::Result<(i64, i64, i64)> {
        let tables = connection.query_row(tables, [], |row| row.get(0))?;
        Ok((number("application_id")?, number("user_version")?, tables))
    };
    match look().map_err(database("read", path))? {
        (_, 0, 0) => Ok(Kind::Empty),
        (APPLICATION, format @ FIRST_FORMAT..=FORMAT, _) => Ok(Kind::Gallery(format)),
        (APPLICATION, found, _) => Err(GalleryError::Newer { path: path.to_owned(), found, known: FORMAT }),
        _ => Err(GalleryError::NotGallery { path: path.to_owned() }),
    }
}

/// Writes the tables and the version, within a transaction.
pub(crate) fn create(transaction: &rusqlite::Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", FORMAT)
}
