//! `loom`: generates Verilog for a reconfigurable dataflow fabric, maps dataflow graphs onto it, writes the bitstream,
//! and checks the Verilog against software models.
//!
//! Exit code 0: everything asked for was done and agrees. 1: a diagnostic was printed. 2: the command line is wrong.

mod args;
mod commands;
mod failure;
mod files;
mod session;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    leave_when_nobody_reads();
    let args = args::Args::parse();
    let session = session::Session::new(&args);
    match commands::dispatch(&args, &session) {
        Ok(code) => code,
        Err(failure) => session.fail(&failure),
    }
}

/// `loom ... | head` closes the pipe before everything is printed. The standard library's printing macros panic then;
/// there is nobody left to tell, so the program just ends.
fn leave_when_nobody_reads() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.payload_as_str().is_some_and(|text| text.contains("Broken pipe")) {
            std::process::exit(1);
        }
        usual(panic);
    }));
}
