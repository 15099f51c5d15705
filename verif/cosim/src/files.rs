//! Files of users: how all of LOOM reads and writes them.
//!
//! Guarantees: what is read is a regular file within the input budget, so nothing is waited for and nothing without an end is
//! begun; what is written appears whole or not at all, beside its place first. An output replaces a regular file or nothing: no
//! device, pipe, folder or link, and none of the files that this process read as its input.

use loom_base::limits::MAX_BYTES;
use std::collections::BTreeSet;
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tempfile::NamedTempFile;

/// Device and number of each file that is an input of this process.
static INPUTS: Mutex<BTreeSet<(u64, u64)>> = Mutex::new(BTreeSet::new());

fn refused(why: impl Into<String>) -> Error {
    Error::other(why.into())
}

#[cfg(unix)]
fn identity(found: &std::fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(_: &std::fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// Says that a file is an input, though somebody else reads it.
pub fn is_input(path: &Path) {
    if let Some(id) = std::fs::metadata(path).ok().as_ref().and_then(identity) {
        INPUTS.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).insert(id);
    }
}

/// Says that a command changes a file that it read.
pub fn is_changed(path: &Path) {
    if let Some(id) = std::fs::metadata(path).ok().as_ref().and_then(identity) {
        INPUTS.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).remove(&id);
    }
}

/// Reads an input.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let bytes = read_within(path, MAX_BYTES)?;
    is_input(path);
    Ok(bytes)
}

/// Reads an input that is text.
pub fn read_text(path: &Path) -> Result<String> {
    text(read(path)?)
}

/// Reads what an earlier run or a tool left, which this one may write anew.
pub fn read_kept(path: &Path) -> Result<String> {
    text(read_within(path, MAX_BYTES)?)
}

fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Error::new(ErrorKind::InvalidData, format!("it is not UTF-8 text (byte {at})"))
    })
}

/// Reads a regular file of at most so many bytes.
pub fn read_within(path: &Path, most: u64) -> Result<Vec<u8>> {
    // A pipe without a writer would be waited for when it is opened.
    if !std::fs::metadata(path)?.is_file() {
        return Err(refused("it is no regular file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(refused(format!("it has more than {} MiB (docs/limits.md)", most >> 20)));
    }
    Ok(bytes)
}

/// A file that is being written: it takes its place when it is finished, and leaves nothing when it is dropped.
pub struct ResultFile {
    part: NamedTempFile,
    place: PathBuf,
}

impl ResultFile {
    /// Begins a file, in a folder that is made where there is none.
    pub fn begin(place: &Path) -> Result<ResultFile> {
        replaceable(place)?;
        if is_an_input(place) {
            return Err(refused("it is an input of this command, and would be replaced"));
        }
        let folder = place.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let part = tempfile::Builder::new().prefix(".loom-").tempfile_in(folder)?;
        // It may have the number of an input that is gone.
        is_changed(part.path());
        Ok(ResultFile { part, place: place.to_path_buf() })
    }

    /// Where it is until it is finished, for whoever writes to a name.
    pub fn part(&self) -> &Path {
        self.part.path()
    }

    /// Puts it into its place.
    pub fn finish(self) -> Result<()> {
        // Temporary files are private; results are for everybody the umask allows.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            self.part.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
        }
        // Something else may have come there meanwhile.
        replaceable(&self.place)?;
        self.part.persist(&self.place).map(|_| ()).map_err(|e| e.error)
    }
}

/// Writes a file. An input that already is what would be written is left as it is.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    replaceable(path)?;
    if is_an_input(path) && read_within(path, MAX_BYTES).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let mut output = ResultFile::begin(path)?;
    output.part.write_all(bytes)?;
    output.finish()
}

/// Whether an output may take a place, inputs apart.
fn replaceable(path: &Path) -> Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(there) if there.is_file() => Ok(()),
        Ok(there) => {
            let what = match () {
                () if there.is_symlink() => "a symbolic link",
                () if there.is_dir() => "a folder",
                () => "a device or a pipe",
            };
            Err(refused(format!("{what} is there, and only regular files are replaced")))
        }
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        Err(e) => Err(e),
    }
}

fn is_an_input(path: &Path) -> bool {
    let id = std::fs::symlink_metadata(path).ok().as_ref().and_then(identity);
    let inputs = INPUTS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    id.is_some_and(|id| inputs.contains(&id))
}

#[cfg(test)]
mod tests {
    use super::{read, write};

    #[test]
    fn a_file_that_has_the_number_of_a_deleted_input_is_replaced() {
        let at = tempfile::tempdir().expect("a folder");
        let (input, output) = (at.path().join("input"), at.path().join("output"));
        for round in 0..20 {
            std::fs::write(&input, "in").expect("written");
            assert_eq!(read(&input).expect("read"), b"in");
            assert!(write(&input, b"out").is_err(), "it is an input");
            std::fs::remove_file(&input).expect("deleted");
            for text in ["one", "two"] {
                write(&output, format!("{text} {round}").as_bytes()).expect("no input is replaced");
            }
            std::fs::remove_file(&output).expect("deleted");
        }
    }
}
