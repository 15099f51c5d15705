//! What the tests of the binary share: the repository, runs of `loom`, and what they must have printed.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_path_buf()
}

/// Runs `loom` in a folder, with models of Verilog from the cache that all tests share.
pub fn loom_in(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_loom"))
        .current_dir(folder)
        .env("LOOM_CACHE", root().join("target/verilated"))
        .args(args)
        .output()
        .expect("loom runs")
}

/// The exit code; none where a signal ended it.
pub fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

/// What it said on standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The object that it printed.
pub fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("one JSON object on standard output")
}

/// Expects exit code 1 and a diagnostic of that code; gives what was said.
pub fn refused(output: &Output, id: &str) -> String {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains(&format!("[{id}]")), "{id} in\n{text}");
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// A folder in which `loom` runs.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// An empty one.
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    /// A place in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `loom` in it.
    pub fn loom(&self, args: &[&str]) -> Output {
        loom_in(self.0.path(), args)
    }

    /// The object that a command prints which succeeds.
    pub fn json(&self, args: &[&str]) -> Value {
        let output = self.loom(&[args, &["--json"]].concat());
        assert!(output.status.success(), "{args:?}\n{}", stderr(&output));
        json(&output)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).expect("a file in a folder of ours");
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("a file that was written")
    }
}
