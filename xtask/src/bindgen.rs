//! `bindgen MODULE NAME FOLDER`: writes the JavaScript that a page calls a module by.
//!
//! A program of its own behind a feature, since what it is made of builds for a minute
//! that no other task needs. Deliberately absent: everything else that a package is.

#![allow(clippy::print_stderr)]

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, name, folder] = arguments.as_slice() else {
        eprintln!("error: give a module, a name and a folder");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let bindgen = bindgen.input_path(module).out_name(name).typescript(true);
    match bindgen.web(true).and_then(|bindgen| bindgen.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
