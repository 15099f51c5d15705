//! The instrumented copy of the workspace: links to everything, but for the mutated files and what switches mutants.

use super::instrument::{instrument, site_at, Mutant};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Crates whose tests judge.
const TESTED: &[&str] = &["loom-adg", "loom-front", "loom-map", "loom-gen"];
/// These and what they and their tests depend on. Crates below `verif` are data: links do for them, as nothing in them changes.
const MEMBERS: &[&str] = &["base", "mlir", "dfg", "front", "llvm", "adg", "map", "hdl", "gen", "sim", "flow"];
/// Folders that tests read.
const DATA: &[&str] = &["configs", "docs", "kernels", "verif"];
/// Builds until every site compiles or is left out; the compiler reports in stages, crate after crate.
const ROUNDS: usize = 30;

/// What switches mutants, in the copy of `loom-base`. It notes the first time a site is reached in a file that is asked for.
const SWITCH: &str = r#"
#[doc(hidden)]
pub mod mutant {
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::LazyLock;

    static ACTIVE: LazyLock<u32> =
        LazyLock::new(|| std::env::var("LOOM_MUTANT").ok().and_then(|m| m.parse().ok()).unwrap_or(u32::MAX));
    static NOTES: LazyLock<Option<std::fs::File>> = LazyLock::new(|| {
        let path = std::env::var("LOOM_MUTANT_NOTES").ok()?;
        std::fs::OpenOptions::new().create(true).append(true).open(path).ok()
    });
    static REACHED: [AtomicBool; 20000] = [const { AtomicBool::new(false) }; 20000];

    pub fn active(mutant: u32) -> bool {
        if let Some(mut notes) = NOTES.as_ref() {
            if !REACHED[mutant as usize].swap(true, Ordering::Relaxed) {
                let _ = notes.write_all(format!("{mutant}\n").as_bytes());
            }
        }
        *ACTIVE == mutant
    }
}
"#;

/// The mutants and the tests that judge them.
pub struct Built {
    pub mutants: Vec<Mutant>,
    /// Numbers of sites that do not compile.
    pub left_out: BTreeSet<u32>,
    /// Test binaries, with the folder of their crate.
    pub binaries: Vec<(String, PathBuf)>,
}

/// All mutants of the files, in order of file and position.
pub fn mutants(root: &Path, files: &[PathBuf]) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for file in files {
        instrumented(root, file, &BTreeSet::new(), &mut mutants);
    }
    mutants
}

fn instrumented(root: &Path, file: &Path, left_out: &BTreeSet<u32>, mutants: &mut Vec<Mutant>) -> String {
    let source = read(&root.join(file));
    instrument(&file.to_string_lossy(), &source, left_out, mutants)
        .unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// Writes the copy and builds its tests; sites that do not compile are left out.
pub fn build(root: &Path, files: &[PathBuf], copy: &Path) -> Built {
    let mut left_out = BTreeSet::new();
    link(root, files, copy);
    for _ in 0..ROUNDS {
        let mut all = Vec::new();
        let texts: Vec<String> =
            files.iter().map(|file| instrumented(root, file, &left_out, &mut all)).collect();
        for (file, text) in files.iter().zip(&texts) {
            write(&copy.join(file), text);
        }
        let (binaries, errors) = cargo(copy);
        if errors.is_empty() {
            return Built { mutants: all, left_out, binaries };
        }
        let before = left_out.len();
        for Refusal { file, line, message } in &errors {
            let text = files.iter().position(|f| f == file).map(|at| &texts[at]);
            match text.and_then(|text| site_at(text, *line)) {
                Some(site) => left_out.insert(site),
                None => panic!("{}:{line} of the copy does not compile: {message}", file.display()),
            };
        }
        assert!(left_out.len() > before, "the copy does not compile: {}", errors[0].message);
        eprintln!("{} sites do not compile and are left out", left_out.len());
    }
    panic!("the copy does not compile after {ROUNDS} rounds");
}

/// What the compiler refuses, and where.
struct Refusal {
    file: PathBuf,
    line: usize,
    message: String,
}

/// Test binaries, or why there are none.
fn cargo(copy: &Path) -> (Vec<(String, PathBuf)>, Vec<Refusal>) {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.args(["test", "--no-run", "--quiet", "--message-format=json", "--target-dir"]);
    // Not the workspace's own folder: cargo would take the crates of the two for the same ones.
    command.arg(copy.join("target")).args(TESTED.iter().flat_map(|name| ["-p", name]));
    command.current_dir(copy).stdin(Stdio::null());
    let output = command.output().expect("cargo runs");
    let (mut binaries, mut errors) = (Vec::new(), Vec::new());
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(record) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        if let (Some(path), Some(true)) = (record["executable"].as_str(), record["profile"]["test"].as_bool())
        {
            let manifest = Path::new(record["manifest_path"].as_str().unwrap_or_default());
            let member = manifest.parent().and_then(|p| p.file_name()).unwrap_or_default();
            binaries.push((member.to_string_lossy().into_owned(), PathBuf::from(path)));
        }
        let message = &record["message"];
        if message["level"] == "error" {
            let spans = message["spans"].as_array().into_iter().flatten();
            for span in spans.filter(|s| s["is_primary"] == true) {
                let file = PathBuf::from(span["file_name"].as_str().unwrap_or_default());
                let line = span["line_start"].as_u64().unwrap_or_default() as usize;
                let message = message["rendered"].as_str().unwrap_or_default().to_string();
                errors.push(Refusal { file, line, message });
            }
        }
    }
    if errors.is_empty() && !output.status.success() {
        panic!("the copy does not build: {}", String::from_utf8_lossy(&output.stderr));
    }
    binaries.sort();
    (binaries, errors)
}

/// Makes the copy of everything that is not mutated.
fn link(root: &Path, files: &[PathBuf], copy: &Path) {
    let text = read(&root.join("Cargo.toml"));
    let mut manifest: toml::Table = text.parse().expect("the workspace's manifest");
    let members = MEMBERS.iter().map(|m| toml::Value::from(*m)).collect();
    let workspace = manifest["workspace"].as_table_mut().expect("a workspace");
    workspace.insert("members".into(), toml::Value::Array(members));
    workspace.remove("default-members");
    fs::create_dir_all(copy).expect("writable");
    write(&copy.join("Cargo.toml"), &manifest.to_string());
    write(&copy.join("Cargo.lock"), &read(&root.join("Cargo.lock")));
    DATA.iter().for_each(|folder| symlink(&root.join(folder), &copy.join(folder)));
    let switched = Path::new("base/src/lib.rs");
    for member in MEMBERS {
        tree(root, Path::new(member), copy, &|path| path == switched || files.iter().any(|f| f == path));
    }
    write(&copy.join(switched), &format!("{}{SWITCH}", read(&root.join(switched))));
}

/// A folder whose files are links, but for those that somebody else writes.
fn tree(root: &Path, folder: &Path, copy: &Path, written: &dyn Fn(&Path) -> bool) {
    let here = copy.join(folder);
    fs::create_dir_all(&here).expect("writable");
    let names = |dir: &Path| -> BTreeSet<std::ffi::OsString> {
        fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.file_name()).collect()
    };
    let there = names(&root.join(folder));
    // Links to files that are gone.
    for gone in names(&here).difference(&there) {
        let path = here.join(gone);
        if path.is_symlink() {
            fs::remove_file(path).expect("writable");
        }
    }
    for name in there {
        let path = folder.join(name);
        if root.join(&path).is_dir() {
            tree(root, &path, copy, written);
        } else if !written(&path) {
            symlink(&root.join(&path), &copy.join(&path));
        }
    }
}

fn symlink(to: &Path, at: &Path) {
    if !at.is_symlink() {
        std::os::unix::fs::symlink(to, at).unwrap_or_else(|e| panic!("{}: {e}", at.display()));
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Only where it differs: cargo goes by dates.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    if path.is_symlink() {
        fs::remove_file(path).expect("writable");
    }
    fs::write(path, text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}
