//! `loom`: generates Verilog for a reconfigurable dataflow fabric, maps dataflow graphs onto it, writes the bitstream,
//! and checks the Verilog against software models.
//!
//! Exit code 0: everything asked for was done and agrees. 1: a diagnostic was printed. 2: the command line is wrong.

mod args;
mod commands;
mod files;
mod session;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = args::Args::parse();
    let session = session::Session::new(&args);
    match commands::dispatch(&args, &session) {
        Ok(code) => code,
        Err(failure) => session.fail(&failure),
    }
}
