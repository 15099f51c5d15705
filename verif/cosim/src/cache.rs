//! The folder in which built models are kept.
//!
//! Guarantees: a file that is given out is whole, and is what was put in: it was written beside its place, synced and renamed, and
//! its length and hash, which stand in a file beside it, were compared. A process that is killed leaves nothing that another one takes for a
//! model, and its remains are removed by the next that builds. Builds wait for each other, whatever process they are in.
//!
//! Refuses folders of other users and such as others may write into: what lies here is loaded as code. A file that is not the user's
//! alone is built again.

use crate::{codes, files};
use loom_base::{Diagnostic, Diagnostics};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What folders of builds are called; the rest is random.
const BUILD: &str = "build-";
/// Bytes of a file here: models are compiled, and larger than what users write.
const MAX_MODEL: u64 = 1 << 30;

/// A folder of models.
pub(crate) struct Cache {
    folder: PathBuf,
}

/// Held by the one that builds.
pub(crate) struct Building<'c> {
    cache: &'c Cache,
    _lock: File,
}

impl Cache {
    /// Opens a folder, and makes it where there is none.
    pub fn open(folder: &Path) -> Result<Cache, Diagnostics> {
        let cache = Cache { folder: folder.to_path_buf() };
        make(folder).map_err(|e| cache.problem(e.to_string()))?;
        cache.check_owner()?;
        Ok(cache)
    }

    fn problem(&self, what: String) -> Diagnostics {
        let message = format!("`{}` cannot be used: {what}", self.folder.display());
        vec![Diagnostic::error(codes::CACHE, message)
            .help("name a folder of your own in LOOM_CACHE, or remove this one")]
    }

    /// What a failed operation on the folder says.
    pub fn io(&self) -> impl Fn(std::io::Error) -> Diagnostics + '_ {
        |e| self.problem(e.to_string())
    }

    #[cfg(unix)]
    fn check_owner(&self) -> Result<(), Diagnostics> {
        use std::os::unix::fs::MetadataExt;
        let found = std::fs::metadata(&self.folder).map_err(|e| self.problem(e.to_string()))?;
        if !found.is_dir() {
            return Err(self.problem("it is no folder".into()));
        }
        let user = rustix::process::geteuid().as_raw();
        if found.uid() != user {
            return Err(self.problem(format!("it belongs to user {}, and this is user {user}", found.uid())));
        }
        match others(&found) {
            Some(who) => Err(self.problem(format!("{who} may write into it"))),
            None => Ok(()),
        }
    }

    #[cfg(not(unix))]
    fn check_owner(&self) -> Result<(), Diagnostics> {
        Ok(())
    }

    fn seal(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.sha256"))
    }

    /// The place of a file, if it is there and whole.
    pub fn get(&self, name: &str) -> Option<PathBuf> {
        let path = self.folder.join(name);
        // A file that somebody else has put here, or may change, is built again.
        if !is_ours(&path) || !is_ours(&self.seal(name)) {
            return None;
        }
        let seal = files::read_kept(&self.seal(name)).ok()?;
        (seal == seal_of(&files::read_within(&path, MAX_MODEL).ok()?)).then_some(path)
    }

    /// Waits until nobody else builds. What killed builds have left is removed then: all of it is theirs.
    pub fn begin(&self) -> Result<Building<'_>, Diagnostics> {
        let place = self.folder.join("lock");
        if std::fs::symlink_metadata(&place).is_ok_and(|there| !there.is_file()) {
            return Err(self.problem("its `lock` is no regular file".into()));
        }
        let lock = File::create(place).map_err(self.io())?;
        lock.lock().map_err(self.io())?;
        for entry in std::fs::read_dir(&self.folder).map_err(self.io())?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(BUILD) {
                // What cannot be removed harms nobody but the disk.
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
        Ok(Building { cache: self, _lock: lock })
    }
}

impl Building<'_> {
    /// An empty folder to build in, removed when it is dropped.
    pub fn folder(&self) -> Result<TempDir, Diagnostics> {
        tempfile::Builder::new().prefix(BUILD).tempdir_in(&self.cache.folder).map_err(self.cache.io())
    }

    /// Takes a finished file in under a name.
    pub fn put(&self, name: &str, made: &Path) -> Result<PathBuf, Diagnostics> {
        let (cache, path) = (self.cache, self.cache.folder.join(name));
        let keep = || -> std::io::Result<()> {
            let file = File::open(made)?;
            file.sync_all()?;
            let seal = made.with_extension("sha256");
            let mut written = File::create(&seal)?;
            written.write_all(seal_of(&std::fs::read(made)?).as_bytes())?;
            written.sync_all()?;
            std::fs::rename(made, &path)?;
            std::fs::rename(&seal, cache.seal(name))
        };
        keep().map_err(cache.io())?;
        Ok(path)
    }
}

/// Who besides the user may change a file or what is in a folder.
#[cfg(unix)]
fn others(found: &std::fs::Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    // Where each user has a group, files are the group's to write by default.
    let group = rustix::process::getegid().as_raw();
    match found.mode() {
        mode if mode & 0o002 != 0 => Some("everybody".into()),
        mode if mode & 0o020 != 0 && found.gid() != group => Some(format!("group {}", found.gid())),
        _ => None,
    }
}

/// Whether a file is the user's, and nobody else may change it.
#[cfg(unix)]
fn is_ours(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    std::fs::symlink_metadata(path).is_ok_and(|f| f.is_file() && f.uid() == user && others(&f).is_none())
}

#[cfg(not(unix))]
fn is_ours(_: &Path) -> bool {
    true
}

/// Makes a folder and those above it, for this user alone.
fn make(folder: &Path) -> std::io::Result<()> {
    if folder.as_os_str().is_empty() {
        return Err(std::io::Error::new(ErrorKind::InvalidInput, "it has no name"));
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Length and hash of a file's bytes, as they stand beside it.
fn seal_of(bytes: &[u8]) -> String {
    let hash: String = Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect();
    format!("{} {hash}\n", bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_files_are_given_out() {
        let outer = tempfile::tempdir().expect("a folder");
        let cache = Cache::open(&outer.path().join("a/b")).unwrap_or_else(|d| panic!("{}", d[0].message));
        // What a killed build leaves.
        std::fs::create_dir(cache.folder.join("build-dead")).expect("a folder");
        std::fs::write(cache.folder.join("x.so"), b"half").expect("a file");
        assert_eq!(cache.get("x.so"), None);
        let building = cache.begin().expect("nobody else builds");
        assert!(!cache.folder.join("build-dead").exists());
        let work = building.folder().expect("a folder");
        std::fs::write(work.path().join("made.so"), b"all of it").expect("a file");
        let path = building.put("x.so", &work.path().join("made.so")).expect("it is taken");
        drop(work);
        assert_eq!(cache.get("x.so"), Some(path.clone()));
        // Cut short, one byte other, and no file at all.
        std::fs::write(&path, b"all of").expect("a file");
        assert_eq!(cache.get("x.so"), None);
        std::fs::write(&path, b"all of is").expect("a file");
        assert_eq!(cache.get("x.so"), None);
        std::fs::remove_file(&path).expect("removed");
        assert_eq!(cache.get("x.so"), None);
    }

    #[cfg(unix)]
    #[test]
    fn folders_that_others_may_change_are_refused() {
        use std::os::unix::fs::PermissionsExt;
        let outer = tempfile::tempdir().expect("a folder");
        let said = |path: &Path| Cache::open(path).err().map_or(String::new(), |d| d[0].message.clone());
        let open = outer.path().join("open");
        std::fs::create_dir(&open).expect("a folder");
        std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).expect("allowed");
        assert!(said(&open).ends_with("everybody may write into it"), "{}", said(&open));
        std::fs::write(outer.path().join("file"), "").expect("a file");
        assert!(!said(&outer.path().join("file")).is_empty());
        assert!(!said(Path::new("")).is_empty());
        if rustix::process::geteuid().is_root() {
            let other = outer.path().join("other");
            std::fs::create_dir(&other).expect("a folder");
            std::os::unix::fs::chown(&other, Some(12345), None).expect("root may");
            assert!(said(&other).contains("user 12345"), "{}", said(&other));
        }
    }
}
