//! `loom`: generates Verilog for a reconfigurable dataflow fabric, maps dataflow graphs onto it, writes the bitstream,
//! and checks the Verilog against software models.
//!
//! Exit code 0: everything asked for was done and agrees. 1: a diagnostic was printed. 2: the command line is wrong.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod commands;
mod failure;
mod files;
mod session;
mod terminal;
mod time_limit;
mod waiting;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    terminal::report_panics();
    files::report_full();
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(e) => {
            // Help and version are results; the others are said on standard error, with what the user wrote in them.
            let good = match e.use_stderr() {
                true => {
                    terminal::err(&e.render().to_string());
                    true
                }
                false => e.print().is_ok(),
            };
            return if good { ExitCode::from(e.exit_code() as u8) } else { ExitCode::from(1) };
        }
    };
    let session = session::Session::new(&args);
    match commands::dispatch(&args, &session) {
        Ok(code) => code,
        Err(failure) => session.fail(&failure),
    }
}
