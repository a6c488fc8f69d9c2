//! `proscenium-studio`: starts the studio, and prints where it is.

// Talking to the terminal is how a server says where it is.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use clap::Parser;
use proscenium_studio::{Guard, LabPlace, Patience, Studio, Workspace};
use tokio::net::TcpListener;

/// The studio: direct and play scenes in the browser.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    /// The folder that runs are kept in.
    #[arg(long, value_name = "FOLDER")]
    workspace: Option<PathBuf>,
    /// The folder that the lab writes its results to; in the workspace if
    /// nothing is said.
    #[arg(long, value_name = "FOLDER")]
    results: Option<PathBuf>,
    /// The port; 0 for any that is free.
    #[arg(long, default_value_t = 7777)]
    port: u16,
    /// The address to listen at. Any other than this machine's own asks for the
    /// token.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,
    /// What other machines have to know; needed with --listen.
    #[arg(long, env = "PROSCENIUM_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("  error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let token = token(arguments)?;
    let folder = arguments.workspace.clone().unwrap_or_else(usual_workspace);
    let workspace = Workspace::open(&folder).map_err(|error| format!("cannot use {}: {error}", folder.display()))?;
    take_all_connections();
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    let served = runtime.block_on(serve(arguments, workspace, token));
    // A run that is in the middle of a batch goes on from its last commit.
    runtime.shutdown_timeout(Duration::from_secs(2));
    served
}

/// As many connections as the system lets the studio have: often a thousand is all
/// that a program is given unasked, which half requests use up until they are closed.
#[cfg(unix)]
fn take_all_connections() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // Where it may not, it makes do with what it has.
    let _ = setrlimit(Resource::Nofile, rustix::process::Rlimit { current: limit.maximum, ..limit });
}

#[cfg(not(unix))]
fn take_all_connections() {}

/// What has to be known to be let in, if anything.
fn token(arguments: &Arguments) -> Result<Option<String>, String> {
    if arguments.listen.is_loopback() {
        return Ok(None);
    }
    let is_sound = |token: &String| token.len() >= 8 && token.chars().all(|letter| letter.is_ascii_alphanumeric());
    let given = arguments.token.clone().filter(is_sound);
    given.map(Some).ok_or_else(|| {
        "other machines would be let in: give a --token of at least eight letters and digits, or leave --listen out"
            .to_owned()
    })
}

/// The user's data folder, or else one beside.
fn usual_workspace() -> PathBuf {
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")).map(PathBuf::from);
    let data = data.filter(|folder| folder.is_absolute()).or_else(|| home().map(|home| home.join(".local/share")));
    data.map_or_else(|| PathBuf::from("studio-workspace"), |data| data.join("proscenium").join("studio"))
}

async fn serve(arguments: &Arguments, workspace: Workspace, token: Option<String>) -> Result<(), String> {
    let address = SocketAddr::new(arguments.listen, arguments.port);
    let listener = TcpListener::bind(address).await.map_err(|error| {
        format!("cannot listen at {address}: {error}\n  = help: the studio may be running already; or choose a --port")
    })?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let query = token.as_ref().map(|token| format!("/?token={token}")).unwrap_or_default();
    let page = format!("http://{address}{query}");
    let opened = arguments.open && open(&page);
    let how = if opened { "opened in your browser; Ctrl-C stops it" } else { "Ctrl-C stops it" };
    println!("  Proscenium studio on {page}  ({how})");
    let usual = LabPlace::usual(&workspace);
    let lab = LabPlace { results: arguments.results.clone().unwrap_or(usual.results), ..usual };
    let studio = Studio::with_lab(workspace, lab);
    let router = studio.router(Guard { port: address.port(), token });
    // Open streams do not keep the studio from stopping.
    tokio::select! {
        never = proscenium_studio::serve(listener, router, Patience::default()) => match never {},
        _ = tokio::signal::ctrl_c() => println!("  stopping; runs go on from where they are when they are resumed"),
    }
    studio.stop();
    Ok(())
}

/// Opens a page in the user's browser, if there is one.
fn open(page: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
