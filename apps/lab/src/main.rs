//! The `lab` command: `cargo lab list`, `cargo lab run NAME`, `cargo lab report DIR`.

fn main() -> std::process::ExitCode {
    proscenium_lab::main()
}
