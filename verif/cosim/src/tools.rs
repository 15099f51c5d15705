//! The programs this crate runs, found on PATH; a missing one is named with the Debian package that brings it, one that is too
//! old with the version that is needed, one that does not end after a while.

use crate::codes;
use loom_base::{Diagnostic, Diagnostics};
use std::io::{Read, Seek};
use std::path::PathBuf;
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
/// The C++ compiler.
pub const CXX: Tool = Tool { program: "g++", package: "g++" };
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
        let said = run_within(Command::new(&path).arg("--version"), QUESTION)?;
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
    run_within(command, WORK)
}

fn run_within(command: &mut Command, most: Duration) -> Result<String, Diagnostics> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |what: String| vec![Diagnostic::error(codes::TOOL_FAILED, format!("`{name}` {what}"))];
    let io = |e: std::io::Error| failed(format!("cannot be started: {e}"));
    // A file, not a pipe: nobody has to read while the tool runs, and what its own children hold open is not waited for.
    let mut said = tempfile::tempfile().map_err(io)?;
    command.stdin(Stdio::null()).stdout(said.try_clone().map_err(io)?).stderr(said.try_clone().map_err(io)?);
    end_with_parent(command);
    let mut child = command.spawn().map_err(io)?;
    let asked = std::env::var(LIMIT).ok().and_then(|s| s.parse().ok()).map(Duration::from_secs);
    let limit = asked.map_or(most, |asked| if most == QUESTION { asked.min(most) } else { asked });
    let status = wait(&mut child, limit).map_err(|why| failed(format!("{why}; {LIMIT} sets the limit")))?;
    let mut bytes = Vec::new();
    said.rewind().and_then(|()| said.read_to_end(&mut bytes)).map_err(io)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if status.success() {
        return Ok(text);
    }
    Err(failed(format!("failed ({status}):\n{}", last_lines(&text))))
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

/// Waits for a child, and ends it when it takes too long.
fn wait(child: &mut Child, limit: Duration) -> Result<ExitStatus, String> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if start.elapsed() < limit => std::thread::sleep(Duration::from_millis(5)),
            ended => {
                // It may have ended just now.
                let _ = child.kill();
                let _ = child.wait();
                return Err(match ended {
                    Err(e) => format!("cannot be waited for: {e}"),
                    _ => format!("did not end within {} s", limit.as_secs()),
                });
            }
        }
    }
}

/// A child of this command dies when the thread that started it does: nothing goes on working for nobody.
pub fn end_with_parent(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;
        let die =
            || Ok(rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?);
        // SAFETY: between fork and exec the closure makes one system call, and allocates nothing.
        unsafe { command.pre_exec(die) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
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
