//! Reading and writing files as `loom_cosim::files` does, with what is wrong named.

use crate::failure::Failure;
use loom_base::name::{file_name, Name};
use loom_base::Source;
use loom_cosim::files;
use std::io::Error;
use std::path::{Path, PathBuf};

/// From now on a file that grows beyond what the process may write is an error of that write.
pub fn report_full() {
    #[cfg(unix)]
    // SAFETY: one call at the beginning of the program; no handler is installed.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Reads a text file; names it in the error.
pub fn read_text(path: &Path) -> Result<Source, Failure> {
    files::read_text(path).map(|text| Source::new(path.display().to_string(), text)).map_err(unread(path))
}

/// Reads a file; names it in the error.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    files::read(path).map_err(unread(path))
}

/// Reads a text file that the command may write anew; names it in the error.
pub fn read_kept(path: &Path) -> Result<String, Failure> {
    files::read_kept(path).map_err(unread(path))
}

fn unread(path: &Path) -> impl Fn(Error) -> Failure + '_ {
    |e| Failure::io(path, format!("cannot be read: {e}"))
}

/// A folder that a command writes into. What it writes is called by names and a suffix, or by a module of Verilog, so
/// nothing it writes lies elsewhere.
#[derive(Clone, Copy)]
pub struct OutDir<'a>(pub &'a Path);

impl OutDir<'_> {
    /// The place of a file.
    pub fn path(&self, names: &[&Name], suffix: &'static str) -> PathBuf {
        self.0.join(file_name(names, suffix))
    }

    /// Writes a file and gives its place.
    pub fn write(&self, names: &[&Name], suffix: &'static str, bytes: &[u8]) -> Result<PathBuf, Failure> {
        let path = self.path(names, suffix);
        write(&path, bytes).map(|()| path)
    }
}

/// Writes a file; names it in the error.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    files::write(path, bytes).map_err(unwritten(path))
}

/// What is said of a file that cannot be written.
pub fn unwritten(path: &Path) -> impl Fn(Error) -> Failure + '_ {
    |e| Failure::io(path, format!("cannot be written: {e}"))
}
