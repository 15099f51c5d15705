//! Reading and writing files. A file is written beside its place and renamed, so that none is ever half written.

use crate::failure::Failure;
use loom_base::limits::MAX_BYTES;
use loom_base::name::{file_name, Name};
use loom_base::Source;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Reads a text file; names it in the error.
pub fn read_text(path: &Path) -> Result<Source, Failure> {
    let bytes = read_bytes(path)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(path.display().to_string(), text)),
        Err(e) => {
            Err(Failure::io(path, format!("is not UTF-8 text (byte {})", e.utf8_error().valid_up_to())))
        }
    }
}

/// Reads a file; names it in the error. What has no end, or none that is worth waiting for, is not begun.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let fail = |e: std::io::Error| Failure::io(path, format!("cannot be read: {e}"));
    // A pipe without a writer would be waited for when it is opened.
    if !std::fs::metadata(path).map_err(fail)?.is_file() {
        return Err(Failure::io(path, "cannot be read: it is no regular file".into()));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(fail)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > MAX_BYTES {
        let most = MAX_BYTES >> 20;
        return Err(Failure::io(
            path,
            format!("cannot be read: it has more than {most} MiB (docs/limits.md)"),
        ));
    }
    Ok(bytes)
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

/// Writes a file beside its place, then renames it.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let attempt = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().prefix(".loom-").tempfile_in(folder)?;
        file.write_all(bytes)?;
        // Temporary files are private; results are for everybody the umask allows.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
        }
        file.persist(path).map_err(|e| e.error)?;
        Ok(())
    };
    attempt().map_err(|e| Failure::io(path, format!("cannot be written: {e}")))
}
