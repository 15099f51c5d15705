//! One module per subcommand.

mod check;
mod decode;
mod generate;
mod map;

use crate::args::{Args, Command};
use crate::session::{Failure, Session};
use std::process::ExitCode;

/// Runs the subcommand.
pub fn dispatch(args: &Args, session: &Session) -> Result<ExitCode, Failure> {
    match &args.command {
        Command::Gen(a) => generate::run(session, a),
        Command::Check(a) => check::run(session, a),
        Command::Map(a) => map::run(session, a),
        Command::Decode(a) => decode::run(session, a),
        _ => todo!(),
    }
}
