//! What follows from the rows.

use proscenium_picture::plot::{Plot, Scale};

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::number::show_number;
use crate::results::Row;

/// From the start to the first moving picture, wanted.
const FIRST_PICTURE_MS: f64 = 3000.0;

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let is = |row: &&Row, what: &str| row.get("what").is_some_and(|known| known == what);
    let mut notes = Vec::new();
    if let Some(ten) = rows.iter().find(|row| is(row, "ten clients"))
        && let (Some(late), Some(rate)) = (ten.number("late_share"), ten.number("rate_hz"))
    {
        notes.push(format!(
            "Ten clients get {} frames a second each; {} % of the frames come late (after more than one and a half times \
             the pause that was asked for).",
            show_number(rate),
            show_number(100.0 * late)
        ));
        if let (Some(first), Some(last)) = (ten.number("memory_first_mb"), ten.number("memory_last_mb")) {
            notes.push(format!(
                "The server holds {} MB two seconds after they came and {} MB at the end.",
                show_number(first),
                show_number(last)
            ));
        }
    }
    if let Some(all) = rows.iter().find(|row| is(row, "all pages"))
        && let (Some(first), Some(last), Some(most)) =
            (all.number("memory_first_mb"), all.number("memory_last_mb"), all.number("memory_most_mb"))
    {
        let of = |key: &'static str| rows.iter().filter_map(move |row| row.number(key));
        notes.push(format!(
            "With somebody on every page at once the server holds {} MB at first, {} MB at the end and {} MB at most. Of {} \
             requests {} were refused, and the longest wait for an answer was {} ms.",
            show_number(first),
            show_number(last),
            show_number(most),
            show_number(of("requests").sum()),
            show_number(of("refused").sum()),
            show_number(of("worst_ms").fold(0.0, f64::max)),
        ));
    }
    for (what, did) in
        [("flood of controls", "controls were sent"), ("half requests", "requests were begun and never ended")]
    {
        if let Some(row) = rows.iter().find(|row| is(row, what))
            && let (Some(sent), Some(most), Some(first), Some(worst)) = (
                row.number("clients"),
                row.number("memory_most_mb"),
                row.number("memory_first_mb"),
                row.number("worst_ms"),
            )
        {
            notes.push(format!(
                "{} {did}: the server held {} MB before and {} MB at most, and others waited {} ms at most.",
                show_number(sent),
                show_number(first),
                show_number(most),
                show_number(worst)
            ));
        }
    }
    let pictures: Vec<f64> = rows.iter().filter_map(|row| row.number("picture_ms")).collect();
    if let Some(best) = pictures.iter().copied().reduce(f64::min) {
        notes.push(format!(
            "From the start of the program to the first moving picture in the browser: {} ms at best (wanted: under {}). \
             The browser runs already, and draws with the processor.",
            show_number(best),
            show_number(FIRST_PICTURE_MS)
        ));
    }
    if !rows.is_empty() {
        notes.push(
            "Clients and server share the machine. A frame has 28 bytes an instance; a client that looks a quarter of a \
             second at each frame gets as many as it acknowledges, and the server queues none."
                .to_owned(),
        );
    }
    let streams: Vec<&Row> = rows.iter().filter(|row| row.number("rate_hz").is_some()).collect();
    let mut figures = Vec::new();
    if !streams.is_empty() {
        let of = |key: &'static str| {
            let number = move |(place, row): (usize, &&Row)| Some((place as f64, row.number(key)?));
            streams.iter().enumerate().filter_map(number).collect::<Vec<_>>()
        };
        let names = streams.iter().filter_map(|row| row.get("what")?.as_str().map(str::to_owned));
        let plot = Plot::new("Clients on 10 000 moving instances, and on live worlds")
            .categories(names)
            .y("frames a second for each; MB", Scale::Linear)
            .bars("frames a second", of("rate_hz"))
            .bars("memory of the server, MB", of("memory_last_mb"));
        figures.push(Figure { suffix: "streams", svg: plot.to_svg()? });
    }
    Ok(Conclusion { notes, figures })
}
