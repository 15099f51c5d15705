//! `loom fuzz`: random programs until the time is up.

use crate::args::Fuzz;
use crate::session::{Failure, Session};
use std::process::ExitCode;

/// Runs the subcommand.
pub fn run(_session: &Session, _args: &Fuzz) -> Result<ExitCode, Failure> {
    unimplemented!()
}
