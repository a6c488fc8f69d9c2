use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proscenium_direct::record::{Entry, Origin, Run};
use proscenium_direct::{Draw, Method, Point, Sample, SamplerState};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::GalleryError;
use crate::schema::{self, Kind, database};

/// The lists of names, as they are stored.
#[derive(Serialize, Deserialize)]
struct Names {
    wants: Vec<String>,
    variables: Vec<String>,
    groups: Vec<String>,
    quantities: Vec<String>,
    /// What the run begins with.
    #[serde(default)]
    origin: Origin,
}

/// A run and what it found, in one SQLite file.
///
/// Whoever runs a sampler hands over what each batch gave.
///
/// ```
/// use proscenium_chance::{Density, Seed};
/// use proscenium_direct::{
///     Abandon, Evaluation, Mix, Model, Request, Sampler, SamplerOptions, Space, VariableId,
/// };
/// use proscenium_gallery::{Entry, Gallery, Run};
/// use proscenium_work::Progress;
///
/// struct High { space: Space, x: VariableId }
/// impl Model for High {
///     type Outcome = f64;
///     fn space(&self) -> &Space { &self.space }
///     fn greatest_log_score(&self) -> f64 { 0.0 }
///     fn simulate(&self, request: &Request<'_, f64>) -> Result<Evaluation<f64>, Abandon> {
///         let x = request.values.at(self.x);
///         Ok(Evaluation { log_score: (x - 2.0).min(0.0) * 5.0, satisfied: x > 2.0, outcome: x })
///     }
/// }
/// let mut space = Space::new();
/// let group = space.group("all")?;
/// let x = space.variable(group, "x", Density::normal(0.0, 1.0)?)?;
/// let model = High { space, x };
/// let (mix, progress) = (Mix::standard(model.space())?, Progress::none());
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("gallery.sqlite");
/// let run = Run::of(&model, "high", 7, SamplerOptions::default());
/// let mut gallery = Gallery::create(&path, &run)?;
/// let started = Sampler::start(&model, &mix, Seed(run.seed), run.options.clone(), &progress)?;
/// let mut sampler = started.finished().ok_or("stopped")?;
/// for _ in 0..12 {
///     let batch = sampler.advance(&progress)?.finished().ok_or("stopped")?;
///     let entry = |success: &proscenium_direct::Success<f64>| {
///         Entry { sample: success.sample.clone(), wants_met: vec![true] }
///     };
///     let entries: Vec<Entry> = batch.successes.iter().map(entry).collect();
///     gallery.commit(&entries, &batch.draws, &sampler.state(), sampler.effort().simulations)?;
/// }
/// drop(gallery);
///
/// // Later, or after a crash:
/// let gallery = Gallery::open(&path)?;
/// assert_eq!(gallery.run()?, run);
/// assert_eq!(gallery.state()?, Some(sampler.state()));
/// assert!(gallery.entries()?.len() > 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Gallery {
    connection: Connection,
    path: PathBuf,
    format: i64,
}

impl Gallery {
    /// A new gallery, for a run that has not begun.
    pub fn create(path: impl AsRef<Path>, run: &Run) -> Result<Self, GalleryError> {
        let path = path.as_ref();
        let mut connection = schema::connect(path, true)?;
        let Kind::Empty = schema::kind(&connection, path)? else {
            return Err(GalleryError::Exists { path: path.to_owned() });
        };
        let names = Names {
            wants: run.wants.clone(),
            variables: run.variables.clone(),
            groups: run.groups.clone(),
            quantities: run.quantities.clone(),
            origin: run.origin.clone(),
        };
        let (options, names) = (pack("the options", &run.options)?, pack("the names", &names)?);
        let mut write = || -> rusqlite::Result<()> {
            let transaction = connection.transaction()?;
            schema::create(&transaction)?;
            let insert = "INSERT INTO run (id, scene, engine, seed, options, names) VALUES (1, ?1, ?2, ?3, ?4, ?5)";
            transaction.execute(insert, params![run.scene, run.engine, run.seed.cast_signed(), options, names])?;
            transaction.commit()
        };
        write().map_err(database("write", path))?;
        Ok(Self { connection, path: path.to_owned(), format: schema::FORMAT })
    }

    /// Opens a gallery that a run has written.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, GalleryError> {
        let path = path.as_ref();
        if !path.is_file() {
            return Err(GalleryError::Missing { path: path.to_owned() });
        }
        let connection = schema::connect(path, false)?;
        match schema::kind(&connection, path)? {
            Kind::Empty => Err(GalleryError::Empty { path: path.to_owned() }),
            Kind::Gallery(format) => Ok(Self { connection, path: path.to_owned(), format }),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is directed, and how.
    pub fn run(&self) -> Result<Run, GalleryError> {
        let engine = if self.is_first_format() { "'0.1'" } else { "engine" };
        let select = format!("SELECT scene, {engine}, seed, options, names FROM run WHERE id = 1");
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?, row.get(3)?, row.get(4)?));
        let (scene, engine, seed, options, names): (String, String, i64, Vec<u8>, Vec<u8>) =
            self.connection.query_row(&select, [], read).map_err(database("read", &self.path))?;
        let Names { wants, variables, groups, quantities, origin } = self.unpack("the names", &names)?;
        let options = self.unpack("the options", &options)?;
        Ok(Run { scene, engine, seed: seed.cast_unsigned(), options, origin, wants, variables, groups, quantities })
    }

    /// Keeps the scene as it looks now.
    pub fn restate(&mut self, scene: &str) -> Result<(), GalleryError> {
        let update = "UPDATE run SET scene = ?1 WHERE id = 1";
        self.connection.execute(update, params![scene]).map_err(database("write", &self.path))?;
        Ok(())
    }

    /// Whether version 0.1 has written it.
    fn is_first_format(&self) -> bool {
        self.format == schema::FIRST_FORMAT
    }

    /// Refuses to go on with what another version has begun.
    fn check_format(&self) -> Result<(), GalleryError> {
        if self.is_first_format() { Err(GalleryError::Older { path: self.path.clone() }) } else { Ok(()) }
    }

    /// The state that the run goes on from; `None` before the first commit.
    pub fn state(&self) -> Result<Option<SamplerState>, GalleryError> {
        self.check_format()?;
        let select = "SELECT state FROM state WHERE id = 1";
        let stored: Option<Vec<u8>> =
            self.connection.query_row(select, [], |row| row.get(0)).optional().map_err(database("read", &self.path))?;
        stored.map(|bytes| self.unpack("the state", &bytes)).transpose()
    }

    /// Commits samples, draws, and the state that follows them: all or nothing.
    pub fn commit(
        &mut self,
        entries: &[Entry],
        draws: &[Draw],
        state: &SamplerState,
        simulations: u64,
    ) -> Result<(), GalleryError> {
        self.check_format()?;
        let state = pack("the state", state)?;
        let path = self.path.clone();
        let transaction = self.connection.transaction().map_err(database("write", &path))?;
        for entry in entries {
            let Sample { chain, iteration, .. } = entry.sample;
            insert_sample(&transaction, entry).map_err(unique(&path, chain, iteration))?;
        }
        for draw in draws {
            insert_draw(&transaction, draw).map_err(unique(&path, draw.chain, draw.iteration))?;
        }
        let replace = "INSERT OR REPLACE INTO state (id, simulations, state) VALUES (1, ?1, ?2)";
        transaction
            .execute(replace, params![simulations.cast_signed(), state])
            .and_then(|_| transaction.commit())
            .map_err(database("write", &path))
    }

    /// How many samples there are.
    pub fn count(&self) -> Result<u64, GalleryError> {
        let count: Result<i64, _> = self.connection.query_row("SELECT count(*) FROM sample", [], |row| row.get(0));
        count.map(i64::cast_unsigned).map_err(database("read", &self.path))
    }

    /// How many simulations had been made at the last commit.
    pub fn simulations(&self) -> Result<u64, GalleryError> {
        let stored: Result<Option<i64>, _> =
            self.connection.query_row("SELECT simulations FROM state", [], |row| row.get(0)).optional();
        stored.map(|count| count.unwrap_or(0).cast_unsigned()).map_err(database("read", &self.path))
    }

    /// All samples, in the order in which they were found.
    pub fn entries(&self) -> Result<Vec<Entry>, GalleryError> {
        let phase = self.phase_column();
        let select = format!(
            "SELECT method, chain, iteration, {phase}, log_score, wants_met, whitened, active FROM sample ORDER BY id"
        );
        let read = |row: &Row<'_>| -> rusqlite::Result<(String, Entry)> {
            let sample = Sample {
                method: Method::Rejection,
                chain: row.get::<_, i64>(1)?.cast_unsigned(),
                iteration: row.get::<_, i64>(2)?.cast_unsigned(),
                phase: row.get(3)?,
                log_score: row.get(4)?,
                point: Point::new(numbers(&row.get::<_, Vec<u8>>(6)?), truths(&row.get::<_, Vec<u8>>(7)?)),
            };
            Ok((row.get(0)?, Entry { sample, wants_met: truths(&row.get::<_, Vec<u8>>(5)?) }))
        };
        let rows = self.rows(&select, read)?;
        rows.into_iter()
            .map(|(method, mut entry)| {
                entry.sample.method = self.method(&method)?;
                Ok(entry)
            })
            .collect()
    }

    /// What every chain did, in the order in which it was reported.
    pub fn draws(&self) -> Result<Vec<Draw>, GalleryError> {
        let phase = self.phase_column();
        let [since, probe] = if self.is_first_format() { ["iteration", "0.0"] } else { ["since", "probe"] };
        let select = format!(
            "SELECT method, chain, iteration, {phase}, {since}, log_score, log_density, satisfied, {probe}, quantities \
             FROM draw ORDER BY id"
        );
        let read = |row: &Row<'_>| -> rusqlite::Result<(String, Draw)> {
            let draw = Draw {
                method: Method::Rejection,
                chain: row.get::<_, i64>(1)?.cast_unsigned(),
                iteration: row.get::<_, i64>(2)?.cast_unsigned(),
                phase: row.get(3)?,
                since: row.get::<_, i64>(4)?.cast_unsigned(),
                log_score: row.get(5)?,
                log_density: row.get(6)?,
                satisfied: row.get(7)?,
                probe: row.get(8)?,
                quantities: numbers(&row.get::<_, Vec<u8>>(9)?),
            };
            Ok((row.get(0)?, draw))
        };
        let rows = self.rows(&select, read)?;
        let draws = rows.into_iter().map(|(method, draw)| Ok(Draw { method: self.method(&method)?, ..draw }));
        let mut draws = draws.collect::<Result<Vec<Draw>, GalleryError>>()?;
        if self.is_first_format() {
            find_since(&mut draws, &self.entries()?);
        }
        Ok(draws)
    }

    /// Version 0.1 knows one phase after its warm-up.
    fn phase_column(&self) -> &'static str {
        if self.is_first_format() { "1 - warm_up" } else { "phase" }
    }

    fn rows<T>(&self, select: &str, read: impl Fn(&Row<'_>) -> rusqlite::Result<T>) -> Result<Vec<T>, GalleryError> {
        let all = || -> rusqlite::Result<Vec<T>> {
            let mut statement = self.connection.prepare(select)?;
            statement.query_map([], |row| read(row))?.collect()
        };
        all().map_err(database("read", &self.path))
    }

    fn method(&self, name: &str) -> Result<Method, GalleryError> {
        Method::ALL.into_iter().find(|method| method.name() == name).ok_or_else(|| GalleryError::Damaged {
            path: self.path.clone(),
            what: "a method",
            message: format!("\"{name}\" is none"),
        })
    }

    fn unpack<T: DeserializeOwned>(&self, what: &'static str, bytes: &[u8]) -> Result<T, GalleryError> {
        rmp_serde::from_slice(bytes).map_err(|error| GalleryError::Damaged {
            path: self.path.clone(),
            what,
            message: error.to_string(),
        })
    }
}

fn pack<T: Serialize>(what: &'static str, value: &T) -> Result<Vec<u8>, GalleryError> {
    rmp_serde::to_vec_named(value).map_err(|error| GalleryError::NotWritable { what, message: error.to_string() })
}

fn insert_sample(transaction: &rusqlite::Transaction<'_>, entry: &Entry) -> rusqlite::Result<usize> {
    let insert = "INSERT INTO sample (method, chain, iteration, phase, log_score, wants_met, whitened, active) \
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let Sample { method, chain, iteration, point, log_score, phase } = &entry.sample;
    transaction.prepare_cached(insert)?.execute(params![
        method.name(),
        chain.cast_signed(),
        iteration.cast_signed(),
        phase,
        log_score,
        bytes_of_truths(&entry.wants_met),
        bytes_of_numbers(point.whitened()),
        bytes_of_truths(point.active()),
    ])
}

fn insert_draw(transaction: &rusqlite::Transaction<'_>, draw: &Draw) -> rusqlite::Result<usize> {
    let insert = "INSERT INTO draw \
                  (method, chain, iteration, phase, since, log_score, log_density, satisfied, probe, quantities) \
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    transaction.prepare_cached(insert)?.execute(params![
        draw.method.name(),
        draw.chain.cast_signed(),
        draw.iteration.cast_signed(),
        draw.phase,
        draw.since.cast_signed(),
        draw.log_score,
        draw.log_density,
        draw.satisfied,
        draw.probe,
        bytes_of_numbers(&draw.quantities),
    ])
}

/// Finds out since when each chain of version 0.1 was where it is: where all wants are
/// met, since its last sample.
fn find_since(draws: &mut [Draw], entries: &[Entry]) {
    let key = |entry: &Entry| (entry.sample.method, entry.sample.chain, entry.sample.iteration);
    let found: BTreeSet<(Method, u64, u64)> = entries.iter().map(key).collect();
    for draw in draws.iter_mut().filter(|draw| draw.satisfied) {
        let until = (draw.method, draw.chain, draw.iteration);
        let last = found.range((draw.method, draw.chain, 0)..=until).next_back();
        draw.since = last.map_or(draw.iteration, |(_, _, iteration)| *iteration);
    }
}

/// For `map_err`: an iteration that is there already was written by another run.
fn unique(path: &Path, chain: u64, iteration: u64) -> impl FnOnce(rusqlite::Error) -> GalleryError {
    let path = path.to_owned();
    move |error| match error {
        rusqlite::Error::SqliteFailure(failure, _) if failure.code == rusqlite::ErrorCode::ConstraintViolation => {
            GalleryError::Concurrent { path, chain, iteration }
        }
        error => GalleryError::Database { action: "write", path, error },
    }
}

fn bytes_of_numbers(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn numbers(bytes: &[u8]) -> Vec<f64> {
    let (chunks, _) = bytes.as_chunks::<8>();
    chunks.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect()
}

fn bytes_of_truths(truths: &[bool]) -> Vec<u8> {
    truths.iter().map(|truth| u8::from(*truth)).collect()
}

fn truths(bytes: &[u8]) -> Vec<bool> {
    bytes.iter().map(|byte| *byte != 0).collect()
}
