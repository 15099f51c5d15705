//! One module per subcommand.

mod bench;
mod bitstream;
mod check;
mod compile;
mod cost;
mod coverage;
mod decode;
mod demo;
mod exec;
mod explore;
mod fuzz;
mod generate;
mod init;
mod interp;
mod map;
mod patch;
mod ppa;
mod prove;
mod simulate;
mod verilog;
mod view;

use crate::args::{Args, Command};
use crate::session::{Failure, Session};
use std::process::ExitCode;

/// Runs the subcommand.
pub fn dispatch(args: &Args, session: &Session) -> Result<ExitCode, Failure> {
    match &args.command {
        Command::Gen(a) => generate::run(session, a),
        Command::Init(a) => init::run(session, a),
        Command::Explore(a) => explore::run(session, a),
        Command::Ppa(a) => ppa::run(session, a),
        Command::Check(a) => check::run(session, a),
        Command::Compile(a) => compile::run(session, a),
        Command::Interp(a) => interp::run(session, a),
        Command::Map(a) => map::run(session, a),
        Command::Decode(a) => decode::run(session, a),
        Command::Patch(a) => patch::run(session, a),
        Command::View(a) => view::run(session, a),
        Command::Sim(a) => simulate::sim(session, a),
        Command::Cosim(a) => simulate::cosim(session, a),
        Command::Run(a) => simulate::run(session, a),
        Command::Exec(a) => exec::run(session, a),
        Command::Demo(a) => demo::run(session, a),
        Command::Bench(a) => bench::run(session, a),
        Command::Fuzz(a) => fuzz::run(session, a),
        Command::Prove(a) => prove::run(session, a),
        Command::Coverage(a) => coverage::run(session, a),
    }
}
