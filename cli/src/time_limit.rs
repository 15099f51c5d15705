//! A limit on time: it decides whether a command answers, never what it answers.

use crate::session::{Failure, Session};
use loom_base::{Code, Diagnostic};
use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// A search that was ended before it had an answer.
pub const TIME: Code = Code::new("C0004", "the time that a command may take is over");

/// Ends the process, with a diagnostic, unless it is dropped before.
pub struct TimeLimit {
    /// Closed when the work is done.
    _running: Sender<()>,
}

impl TimeLimit {
    /// From now on.
    pub fn start(session: &Session, seconds: u64) -> TimeLimit {
        let (running, over) = channel();
        let session = session.clone();
        thread::spawn(move || {
            if over.recv_timeout(Duration::from_secs(seconds)) == Err(RecvTimeoutError::Timeout) {
                let message = format!("no mapping was settled on within {seconds} seconds");
                let error = Diagnostic::error(TIME, message).help(
                    "give it more time (`--time-limit`), or a smaller `--budget`, which ends with an answer",
                );
                session.fail(&Failure::plain(vec![error]));
                // What the command writes it writes after this, so no file is left half written.
                std::process::exit(1);
            }
        });
        TimeLimit { _running: running }
    }
}
