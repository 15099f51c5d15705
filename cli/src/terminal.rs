//! Standard output and standard error: the only place that writes to them.
//!
//! Guarantees: nothing that steers a terminal passes, whatever stands in a file or its name; no panic where nobody reads or
//! nothing can be written. A result that cannot be written ends the program with code 1; what is lost on standard error is lost.

use loom_base::{plain, Code};
use std::io::{ErrorKind, Write};

/// A file that cannot be read or written, standard output among them.
pub const FILE: Code = Code::new("C0001", "a file cannot be read or written");

/// Writes a result on standard output, at once.
pub fn out(text: &str) {
    let mut stream = std::io::stdout().lock();
    let written = stream.write_all(plain(text).as_bytes()).and_then(|()| stream.flush());
    if let Err(e) = written {
        // `loom ... | head` closes the pipe before everything is printed: there is nobody left to tell.
        if e.kind() != ErrorKind::BrokenPipe {
            let code = FILE.id;
            err(&format!("error[{code}]: standard output cannot be written: {e}\n"));
        }
        std::process::exit(1);
    }
}

/// Writes on standard error.
pub fn err(text: &str) {
    let mut stream = std::io::stderr().lock();
    let _ = stream.write_all(plain(text).as_bytes()).and_then(|()| stream.flush());
}

/// The last resort: an error of this program itself is one line that says so.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let what = panic.payload_as_str().unwrap_or("no message").replace('\n', " ");
        let place = panic.location().map_or(String::new(), |l| format!(" ({}:{})", l.file(), l.line()));
        err(&format!(
            "loom {} came upon an error of its own: {what}{place}; please report it with the command and its files\n",
            env!("CARGO_PKG_VERSION")
        ));
    }));
}
