//! The binary `inbounds`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(inbounds_cli::run(std::env::args_os()))
}
