//! Promise: what a run leaves is what the contract says. One JSON object with
//! six members, rows in the order of their columns, pictures beside it, and one
//! self-contained page over a folder of them.

use std::path::{Path, PathBuf};

use proscenium_lab::{
    Conclusion, Context, Experiment, Figure, Halt, LabError, Results, Row, page, report, run, table, write_finished,
};
use proscenium_work::Remedy as _;
use serde_json::Value;

/// A tiny experiment.
struct Squares;

impl Experiment for Squares {
    fn name(&self) -> &'static str {
        "squares"
    }
    fn reproduces(&self) -> &'static str {
        "a school book, page <7>"
    }
    fn summary(&self) -> &'static str {
        "the first squares"
    }
    fn columns(&self) -> &'static [&'static str] {
        &["n", "square", "paper_square"]
    }
    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        context.plan(3.0);
        for n in 1..4_u64 {
            context.check()?;
            let paper = (n < 3).then_some(n * n);
            rows.push(Row::new().with("n", n).with("square", n * n).with("paper_square", paper));
            context.done(1.0);
        }
        Ok(())
    }
    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><text>4 & 9</text></svg>".to_owned();
        let figures = vec![Figure { suffix: "curve", svg }];
        Ok(Conclusion { notes: vec![format!("{} rows, 1 < 2", rows.len())], figures })
    }
}

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn write(folder: &Path) -> Vec<PathBuf> {
    let finished = run(&Squares, &Context::new(7, true)).expect("squares need nothing");
    write_finished(&finished, folder).expect("the tests' own folder can be written")
}

#[test]
fn the_json_is_one_object_with_six_members() {
    let folder = folder("json");
    let written = write(&folder);
    assert_eq!(written, [folder.join("squares.json"), folder.join("squares-curve.svg")]);
    let text = std::fs::read_to_string(&written[0]).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let members: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(members, ["experiment", "notes", "quick", "reproduces", "rows", "seed"]);
    assert_eq!(value["experiment"], "squares");
    assert_eq!((&value["seed"], &value["quick"]), (&Value::from(7), &Value::from(true)));
    assert_eq!(value["rows"][2]["paper_square"], Value::Null);
    // The order that people read in is the order of the file.
    let place = |key: &str| text.find(&format!("\"{key}\"")).unwrap();
    let order = ["experiment", "reproduces", "seed", "quick", "rows", "n", "square", "paper_square", "notes"];
    assert!(order.iter().map(|key| place(key)).is_sorted());
}

#[test]
fn results_read_back_as_they_were() {
    let finished = run(&Squares, &Context::new(1, false)).unwrap();
    let text = serde_json::to_string(&finished.results).unwrap();
    let back: Results = serde_json::from_str(&text).unwrap();
    assert_eq!(back, finished.results);
    assert_eq!(table(Squares.columns(), &back.rows), table(Squares.columns(), &finished.results.rows));
}

#[test]
fn a_second_run_replaces_the_first() {
    let folder = folder("again");
    write(&folder);
    write(&folder);
    let mut names: Vec<String> =
        std::fs::read_dir(&folder).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["squares-curve.svg", "squares.json"]);
}

#[test]
fn the_page_holds_tables_notes_pictures_and_links() {
    let folder = folder("page");
    write(&folder);
    let other = r#"{"experiment":"squares-and-cubes","reproduces":"page 8","seed":1,"quick":false,
        "rows":[{"n":2,"cube":8,"word":"eight"}],"notes":[]}"#;
    std::fs::write(folder.join("squares-and-cubes.json"), other).unwrap();
    std::fs::write(folder.join("squares-and-cubes-plot.svg"), "<svg>cubes</svg>").unwrap();
    let path = report(&folder).unwrap();
    assert_eq!(path, folder.join("report.html"));
    let html = std::fs::read_to_string(path).unwrap();
    for part in [
        "<!doctype html>",
        "<h2>squares</h2>",
        "a school book, page &lt;7&gt;",
        "quick: fewer or smaller rows",
        "<a href=\"squares.json\">squares.json</a>",
        "<th class=\"paper\">paper square</th>",
        "<td class=\"paper\">–</td>",
        "<td>9</td>",
        "<th class=\"words\">word</th>",
        "<td class=\"words\">eight</td>",
        "<li>3 rows, 1 &lt; 2</li>",
        "data:image/svg+xml,%3Csvg",
        "color-scheme: light dark",
    ] {
        assert!(html.contains(part), "{part} is missing");
    }
    // Each picture belongs to one experiment, and nothing is fetched.
    assert_eq!(html.matches("<img").count(), 2);
    assert!(!html.contains("src=\"http") && !html.contains("<script") && !html.contains("<link"));
}

#[test]
fn a_page_of_damaged_results_names_the_file() {
    let folder = folder("damaged");
    std::fs::create_dir_all(&folder).unwrap();
    for damage in ["{", "[]", r#"{"experiment":"x"}"#, r#"{"experiment":"x","rows":[7]}"#] {
        std::fs::write(folder.join("x.json"), damage).unwrap();
        let message = page(&folder).unwrap_err().explain();
        assert!(message.contains("x.json") && message.contains("cargo lab run"), "{message}");
    }
}
