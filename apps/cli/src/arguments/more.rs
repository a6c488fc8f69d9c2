//! What `direct` can begin with, besides a scene: animations that were found.

use std::path::PathBuf;

use clap::Args;

use super::{parse_moment, parse_number, parse_setting};

const OF_SCENE: [&str; 4] = ["scene", "settings", "pins", "resume"];

#[derive(Args, Debug)]
#[command(next_help_heading = "More of what was found")]
pub struct More {
    /// Keep a found animation (rolls/03) until --until; what was not read by then is drawn anew
    #[arg(long, value_name = "DIR/N", value_parser = FoundFile::parse, requires = "until")]
    #[arg(conflicts_with_all = OF_SCENE, conflicts_with_all = ["like", "breed"])]
    pub keep: Option<FoundFile>,
    /// Until when, seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_moment, requires = "keep")]
    pub until: Option<f64>,
    /// Then push a body, by an impulse with this standard deviation along each axis, N s
    #[arg(long, value_name = "BODY=NS", value_parser = parse_setting, requires = "keep")]
    pub push: Vec<(String, f64)>,
    /// Draw everything anew, and want it this near the kept path until then, metres
    #[arg(long, value_name = "METRES", value_parser = parse_size_of_step, requires = "keep", conflicts_with = "push")]
    pub near: Option<f64>,
    /// More like a found animation (rolls/03)
    #[arg(long, value_name = "DIR/N", value_parser = FoundFile::parse)]
    #[arg(conflicts_with_all = OF_SCENE, conflicts_with = "breed")]
    pub like: Option<FoundFile>,
    /// What stays as it is: bodies, or variables, as in ball,die-1.spin
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "like")]
    pub hold: Vec<String>,
    /// What may move little [default: everything, if nothing is held]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "like")]
    pub little: Vec<String>,
    /// How far little is, in standard deviations
    #[arg(long, value_name = "N", default_value_t = 0.25, value_parser = parse_size_of_step)]
    pub reach: f64,
    /// Look between and around found animations (rolls/03,rolls/07): a search
    #[arg(long, value_name = "DIR/N", value_delimiter = ',', value_parser = FoundFile::parse)]
    #[arg(conflicts_with_all = OF_SCENE, conflicts_with_all = ["method", "moves"])]
    pub breed: Vec<FoundFile>,
}

fn parse_size_of_step(text: &str) -> Result<f64, String> {
    parse_number(text)
        .and_then(|number| if number > 0.0 { Ok(number) } else { Err("it must be more than 0".to_owned()) })
}

/// An animation that a run has written: the folder, and the name of the file without its
/// ending.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundFile {
    pub folder: PathBuf,
    pub name: String,
}

impl FoundFile {
    fn parse(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let name = path.file_name().and_then(|name| name.to_str()).map(|name| name.trim_end_matches(".glb"));
        match (path.parent(), name) {
            (Some(folder), Some(name)) if !folder.as_os_str().is_empty() && !name.is_empty() => {
                Ok(Self { folder: folder.to_owned(), name: name.to_owned() })
            }
            _ => Err("write it as FOLDER/NUMBER, such as rolls/03".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_animations_are_named_by_their_files() {
        let found = |folder: &str, name: &str| Ok(FoundFile { folder: folder.into(), name: name.to_owned() });
        assert_eq!(FoundFile::parse("rolls/03"), found("rolls", "03"));
        assert_eq!(FoundFile::parse("a/b/007.glb"), found("a/b", "007"));
        for wrong in ["03", "", "/", "rolls/.."] {
            assert!(FoundFile::parse(wrong).is_err(), "{wrong}");
        }
    }
}
