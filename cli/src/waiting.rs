//! Progress of calls in which a program of the user waits.
//!
//! Most calls return at once, and between two of them the terminal is the program's. So a spinner appears only in a call that
//! takes a second, and is gone before the program goes on.

use crate::session::Session;
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// How long a call is not spoken of.
const UNNOTICED: Duration = Duration::from_secs(1);

/// Who shows what call goes on.
pub struct Waiting {
    calls: Sender<Option<String>>,
    shows_nothing: Receiver<()>,
}

impl Waiting {
    /// Begins to wait for calls.
    pub fn new(session: &Session) -> Waiting {
        let (calls, told) = channel();
        let (is_clear, shows_nothing) = channel();
        let session = session.clone();
        thread::spawn(move || watch(&session, &told, &is_clear));
        Waiting { calls, shows_nothing }
    }

    /// A call of a function begins, one of many, or what began is at its end. Returns when the terminal shows no more of it.
    pub fn tell(&self, call: Option<(&str, u64)>) {
        let is_end = call.is_none();
        let call = call.map(|(name, number)| format!("call {number} of `{name}`"));
        // Whoever shows it may be gone, as at the end of this program: then nothing is shown.
        if self.calls.send(call).is_ok() && is_end {
            let _ = self.shows_nothing.recv();
        }
    }
}

/// Shows calls until nobody makes any.
fn watch(session: &Session, told: &Receiver<Option<String>>, is_clear: &Sender<()>) {
    while let Ok(call) = told.recv() {
        let Some(call) = call else { continue };
        if told.recv_timeout(UNNOTICED) == Err(RecvTimeoutError::Timeout) {
            let bar = session.progress(&call);
            let _ = told.recv();
            bar.finish_and_clear();
        }
        if is_clear.send(()).is_err() {
            return;
        }
    }
}
