//! The programs this crate runs, found on PATH; a missing one is named with the Debian package that brings it, one that is too
//! old with the version that is needed, one that does not end after a while.

use crate::codes;
use loom_base::{Diagnostic, Diagnostics};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A program to look for.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// What is on PATH.
    pub program: &'static str,
    /// The Debian package that brings it.
    pub package: &'static str,
}

/// Verilog to C++.
pub const VERILATOR: Tool = Tool { program: "verilator", package: "verilator" };
/// The C++ compiler, where [`CLANG`] is not there.
pub const CXX: Tool = Tool { program: "g++", package: "g++" };
/// The C++ compiler that is quick: what Verilator writes takes it a third of the time of the other one, not optimised a fifth.
pub const CLANG: Tool = Tool { program: "clang++-19", package: "clang-19" };
/// Synthesis, for checks and area.
pub const YOSYS: Tool = Tool { program: "yosys", package: "yosys" };

impl Tool {
    /// Its path.
    pub fn find(self) -> Result<PathBuf, Diagnostics> {
        which::which(self.program).map_err(|_| {
            vec![Diagnostic::error(codes::TOOL_MISSING, format!("`{}` is not on PATH", self.program))
                .help(format!("on Debian: apt-get install {}", self.package))]
        })
    }

    /// Its path and what it says of its version, unless that is older than a version that will do.
    pub fn at_least(self, oldest: (u32, u32)) -> Result<(PathBuf, String), Diagnostics> {
        let path = self.find()?;
        let said = run_within(Command::new(&path).arg("--version"), limit(QUESTION)?.min(QUESTION))?;
        let (major, minor) = oldest;
        match version(&said) {
            Some(found) if found >= oldest => Ok((path, said)),
            found => {
                let found =
                    found.map_or("no version".into(), |(major, minor)| format!("version {major}.{minor:03}"));
                let message = format!("`{}` is {found}, {major}.{minor} or later is needed", path.display());
                Err(vec![Diagnostic::error(codes::TOOL_OLD, message)
                    .help(format!("on Debian 12 and later: apt-get install {}", self.package))])
            }
        }
    }
}

/// The first number with a point in what a tool says of itself.
fn version(said: &str) -> Option<(u32, u32)> {
    said.split(|c: char| !c.is_ascii_digit() && c != '.').find_map(|word| {
        let (major, rest) = word.split_once('.')?;
        let minor = rest.split('.').next()?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    })
}

/// How long a tool may take that is asked something.
const QUESTION: Duration = Duration::from_secs(30);
/// How long a tool may work, where [`LIMIT`] says nothing else.
const WORK: Duration = Duration::from_secs(3600);
/// The environment variable with the seconds that a tool may take.
pub const LIMIT: &str = "LOOM_TOOL_SECONDS";

/// Runs a command to its end; `Err` shows the end of what it printed.
pub fn run(command: &mut Command) -> Result<String, Diagnostics> {
    run_within(command, limit(WORK)?)
}

/// What the user lets a tool take, or this.
fn limit(most: Duration) -> Result<Duration, Diagnostics> {
    let Some(asked) = std::env::var_os(LIMIT).filter(|v| !v.is_empty()) else { return Ok(most) };
    let seconds = asked.to_str().and_then(|s| s.parse().ok()).filter(|&s| s > 0);
    seconds.map(Duration::from_secs).ok_or_else(|| {
        let message = format!("{LIMIT} is `{}`", asked.to_string_lossy());
        vec![Diagnostic::error(codes::LIMIT, message)
            .help("a whole number of seconds, at least 1, or leave it unset")]
    })
}

fn run_within(command: &mut Command, most: Duration) -> Result<String, Diagnostics> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |what: String| vec![Diagnostic::error(codes::TOOL_FAILED, format!("`{name}` {what}"))];
    let io = |e: std::io::Error| failed(format!("cannot be started: {e}"));
    // A file, not a pipe: nobody has to read while the tool runs, and what its own children hold open is not waited for.
    let mut said = tempfile::tempfile().map_err(io)?;
    command.stdout(said.try_clone().map_err(io)?).stderr(said.try_clone().map_err(io)?);
    let status = supervised(command, most).map_err(failed)?;
    let mut bytes = Vec::new();
    said.rewind().and_then(|()| said.read_to_end(&mut bytes)).map_err(io)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if status.success() {
        return Ok(text);
    }
    Err(failed(format!("failed ({status}):\n{}", last_lines(&text))))
}

/// Runs a command to its end whose output the caller takes; the limit is the user's, or `most`. `failed` makes a diagnostic
/// of what is said about the tool.
pub fn run_quietly(
    command: &mut Command,
    most: Duration,
    failed: impl Fn(String) -> Diagnostics,
) -> Result<ExitStatus, Diagnostics> {
    supervised(command, limit(most)?).map_err(failed)
}

/// Runs a command until it ends, with all that it starts, or ends it; `Err` is why.
fn supervised(command: &mut Command, most: Duration) -> Result<ExitStatus, String> {
    let start = |e: std::io::Error| format!("cannot be started: {e}");
    let group = Group::new().map_err(start)?;
    command.stdin(Stdio::null());
    group.join(command);
    let mut child = command.spawn().map_err(start)?;
    let ended = wait(&mut child, most);
    if ended.is_err() {
        // It may have ended just now.
        let _ = child.kill();
    }
    // What the tool started and left behind has nobody to work for.
    drop(group);
    if ended.is_err() {
        let _ = child.wait();
    }
    ended
}

/// A tool that ended well, and made nothing of what it should have.
pub fn made_nothing(tool: &Path, said: &str) -> Diagnostics {
    let said = match said.trim() {
        "" => "and said nothing".to_string(),
        some => format!("and said:\n{}", last_lines(some)),
    };
    unusable(tool, &format!("ended without an error, made none of its files {said}"))
}

/// A tool that is not what it should be.
pub fn unusable(tool: &Path, why: &str) -> Diagnostics {
    vec![Diagnostic::error(codes::TOOL_FAILED, format!("`{}` {why}", tool.display()))
        .help("is it the program that its name says? `PATH` decides which one is run")]
}

/// The end of what a tool said, as much of it as an error shows.
pub fn last_lines(said: &str) -> String {
    let lines: Vec<&str> = said.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}

/// Does something with each item, `jobs` at a time; the results are in the items' order. After a failure nothing more is begun.
pub fn each<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> Result<R, Diagnostics> + Sync,
) -> Result<Vec<R>, Diagnostics> {
    let results: Mutex<Vec<Option<Result<R, Diagnostics>>>> =
        Mutex::new(items.iter().map(|_| None).collect());
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(at).filter(|_| !stop.load(Ordering::Relaxed)) else { return };
                let result = work(item);
                if result.is_err() {
                    stop.store(true, Ordering::Relaxed);
                }
                results.lock().expect("no panic")[at] = Some(result);
            });
        }
    });
    // What was not begun stands behind a failure.
    results.into_inner().expect("no panic").into_iter().flatten().collect()
}

/// Waits for a child, but not for longer than this.
fn wait(child: &mut Child, most: Duration) -> Result<ExitStatus, String> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if start.elapsed() < most => std::thread::sleep(Duration::from_millis(2)),
            Ok(None) => {
                return Err(format!("did not end within {} s; {LIMIT} sets the limit", most.as_secs()))
            }
            Err(e) => return Err(format!("cannot be waited for: {e}")),
        }
    }
}

/// A process group for a tool and all that it starts. Its leader does nothing but read from a pipe whose other end is here: when
/// that is closed, because the group is dropped or because this process is gone, however it went, it ends the whole group.
struct Group {
    leader: Child,
}

impl Group {
    fn new() -> std::io::Result<Group> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "read -r _; kill -s KILL 0"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().map(|leader| Group { leader })
    }

    /// Makes what the command starts a member.
    fn join(&self, command: &mut Command) {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, self.leader.id() as i32);
        #[cfg(not(unix))]
        let _ = command;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        drop(self.leader.stdin.take());
        // It ends itself last; where it cannot be waited for, it was ended by somebody else.
        let _ = self.leader.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found() {
        let said = [
            ("Verilator 5.006 2023-01-22 rev (Debian 5.006-3)\n", Some((5, 6))),
            ("g++ (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright", Some((12, 2))),
            ("Verilator 4.038 2020-07-11 rev v4.036-114-g0cd4a57ad", Some((4, 38))),
            ("no idea", None),
        ];
        for (text, want) in said {
            assert_eq!(version(text), want, "{text}");
        }
    }
}
