//! All results of a folder on one page.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::LabError;
use crate::files::{list, pictures_of, write};
use crate::number::show;
use crate::results::{Results, Row};

const STYLE: &str = include_str!("report.css");
/// A larger file in the folder is not one of ours.
const LARGEST_FILE: u64 = 64 << 20;

/// Writes `DIR/report.html` and returns its path.
pub fn report(folder: &Path) -> Result<PathBuf, LabError> {
    let page = page(folder)?;
    let path = folder.join("report.html");
    write(&path, &page)?;
    Ok(path)
}

/// One self-contained page of all results in a folder: tables with the
/// paper's figures marked, notes, pictures inlined, links to the JSON files.
pub fn page(folder: &Path) -> Result<String, LabError> {
    let all = read_all(folder)?;
    let names: Vec<&str> = all.iter().map(|(results, _)| results.experiment.as_str()).collect();
    let mut body = String::new();
    contents(&mut body, &all);
    for (results, path) in &all {
        let pictures = pictures_of(&results.experiment, &names, folder)?;
        section(&mut body, results, path, &pictures)?;
    }
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Proscenium: results of the lab</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         {body}</main>\n</body>\n</html>\n"
    ))
}

/// All results of a folder, with their files.
pub(crate) fn read_all(folder: &Path) -> Result<Vec<(Results, PathBuf)>, LabError> {
    let files = list(folder, "json")?.into_iter();
    let all = files.map(|path| Ok((read(&path)?, path))).collect::<Result<Vec<_>, LabError>>()?;
    if all.is_empty() {
        return Err(LabError::NoResults { folder: folder.to_owned() });
    }
    Ok(all)
}

fn read(path: &Path) -> Result<Results, LabError> {
    let text = read_text(path)?;
    serde_json::from_str(&text).map_err(|error| LabError::NotResults { path: path.to_owned(), error })
}

fn read_text(path: &Path) -> Result<String, LabError> {
    let size = std::fs::metadata(path).map_err(LabError::file("read", path))?.len();
    if size > LARGEST_FILE {
        let error = std::io::Error::other(format!("it is larger than {LARGEST_FILE} bytes"));
        return Err(LabError::file("read", path)(error));
    }
    std::fs::read_to_string(path).map_err(LabError::file("read", path))
}

/// The heading and a list of what follows.
fn contents(body: &mut String, all: &[(Results, PathBuf)]) {
    body.push_str("<h1>Results of the lab</h1>\n<p>The papers’ experiments, with the papers’ figures <span class=\"paper\">marked like this</span> beside ours.</p>\n<ul class=\"contents\">\n");
    for (results, _) in all {
        let name = escape(&results.experiment);
        push(body, format_args!("<li><a href=\"#{name}\">{name}</a> {}</li>\n", escape(&results.reproduces)));
    }
    body.push_str("</ul>\n");
}

fn section(body: &mut String, results: &Results, path: &Path, pictures: &[PathBuf]) -> Result<(), LabError> {
    let name = escape(&results.experiment);
    let quick = if results.quick { " · <strong>quick: fewer or smaller rows</strong>" } else { "" };
    let file = path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
    push(
        body,
        format_args!(
            "<section id=\"{name}\">\n<h2>{name}</h2>\n<p class=\"about\">{} · seed {}{quick} · <a href=\"{}\">{}</a></p>\n",
            escape(&results.reproduces),
            results.seed,
            escape(&encode(&file)),
            escape(&file),
        ),
    );
    table(body, &results.rows);
    if !pictures.is_empty() {
        body.push_str("<div class=\"figures\">\n");
        for picture in pictures {
            let stem = picture.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            // As an image a picture can neither run scripts nor disturb the page.
            let source = encode(&read_text(picture)?);
            push(body, format_args!("<img alt=\"{}\" src=\"data:image/svg+xml,{source}\">\n", escape(&stem)));
        }
        body.push_str("</div>\n");
    }
    if !results.notes.is_empty() {
        body.push_str("<ul class=\"notes\">\n");
        for note in &results.notes {
            push(body, format_args!("<li>{}</li>\n", escape(note)));
        }
        body.push_str("</ul>\n");
    }
    body.push_str("</section>\n");
    Ok(())
}

/// All keys of some rows, in the order in which they come.
pub(crate) fn keys(rows: &[Row]) -> Vec<&str> {
    let mut keys: Vec<&str> = Vec::new();
    for key in rows.iter().flat_map(Row::keys) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

fn table(body: &mut String, rows: &[Row]) {
    let keys = keys(rows);
    body.push_str("<div class=\"table\"><table>\n<thead><tr>");
    for key in &keys {
        let words = rows.iter().filter_map(|row| row.get(key)).find(|value| value.is_string());
        let heading = escape(&key.replace('_', " "));
        push(body, format_args!("<th{}>{heading}</th>", class(key, words.unwrap_or(&Value::Null))));
    }
    body.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        body.push_str("<tr>");
        for key in &keys {
            let value = row.get(key).unwrap_or(&Value::Null);
            push(body, format_args!("<td{}>{}</td>", class(key, value), escape(&show(value))));
        }
        body.push_str("</tr>\n");
    }
    body.push_str("</tbody>\n</table></div>\n");
}

/// The paper's own figures are marked; words are aligned to the left.
fn class(key: &str, value: &Value) -> &'static str {
    match value {
        _ if key.starts_with("paper_") => " class=\"paper\"",
        Value::String(_) => " class=\"words\"",
        _ => "",
    }
}

fn push(body: &mut String, what: std::fmt::Arguments<'_>) {
    body.write_fmt(what).expect("writing to a string cannot fail");
}

/// Text for HTML, in content and in attributes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Percent-encoding: safe in links, in data addresses and in attributes.
fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len() + text.len() / 4);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => encoded.push(char::from(byte)),
            b'-' | b'.' | b'_' | b'~' | b'/' | b':' | b';' | b',' | b'=' | b'(' | b')' => {
                encoded.push(char::from(byte))
            }
            _ => push(&mut encoded, format_args!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("<b a='1'>&\""), "&lt;b a=&#39;1&#39;&gt;&amp;&quot;");
        assert_eq!(encode("<svg fill=\"#é\">"), "%3Csvg%20fill=%22%23%C3%A9%22%3E");
    }
}
