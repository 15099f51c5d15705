//! The process of a program: its calls, its memory, its end.
//!
//! Memory goes through `/proc/<pid>/mem`: the process stands still in the call, so nothing has to run there, an access
//! costs one system call, and what was written is in the process at once. The kernel would let this file write where the process itself may
//! not, so each access is held against the process's map first.

use crate::codes;
use crate::contents::to_words;
use loom_base::{Diagnostic, Diagnostics};
use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// How long to sleep between two looks at a process that has not connected yet, and at one that is silent.
const CONNECTING: Duration = Duration::from_millis(1);
const SILENT: Duration = Duration::from_millis(100);

/// A call of a function.
pub(super) struct Call {
    /// Which, by the number of its stub.
    pub function: usize,
    /// Bits of each argument, then addresses of globals.
    pub slots: Vec<u64>,
}

/// A program that runs.
pub(super) struct Process {
    child: Child,
    /// `None` when the program ended before anything else.
    line: Option<Line>,
    /// What came of the next request.
    received: Vec<u8>,
}

/// What a process is reached by.
struct Line {
    stream: UnixStream,
    memory: ProcessMemory,
}

/// The memory of a process that waits.
pub(super) struct ProcessMemory {
    file: File,
    maps: std::path::PathBuf,
    /// The areas it has, with leave to write; read anew for each call.
    areas: Vec<Area>,
}

struct Area {
    range: Range<u64>,
    read: bool,
    write: bool,
}

fn problem(what: String) -> Diagnostics {
    vec![Diagnostic::error(codes::PROCESS, what)]
}

impl Process {
    /// Starts a program, quiet if nobody shall see what it prints. The socket is made in `folder`, and is gone once the program has
    /// found it.
    pub fn start(
        program: &Path,
        arguments: &[OsString],
        quiet: bool,
        folder: &Path,
    ) -> Result<Process, Diagnostics> {
        let no_socket = |e| problem(format!("no socket for the program: {e}"));
        // One program may run several times, also at once.
        let own = tempfile::tempdir_in(folder).map_err(no_socket)?;
        let socket = own.path().join("call");
        let listener = UnixListener::bind(&socket).map_err(no_socket)?;
        let mut command = Command::new(program);
        if quiet {
            command.stdout(Stdio::null());
        }
        let mut child = command
            .args(arguments)
            .env("LOOM_EXEC", &socket)
            .spawn()
            .map_err(|e| problem(format!("the program cannot be started: {e}")))?;
        let opened = connect(&listener, &mut child).and_then(|stream| {
            let Some(mut stream) = stream else { return Ok(None) };
            let memory = ProcessMemory::open(child.id())?;
            // The program waits for this.
            stream.write_all(&[1])?;
            Ok(Some(Line { stream, memory }))
        });
        match opened {
            Ok(line) => Ok(Process { child, line, received: Vec::new() }),
            Err(e) => {
                // It may have ended by itself.
                let _ = child.kill();
                let _ = child.wait();
                Err(problem(format!("the program's process cannot be served: {e}")))
            }
        }
    }

    /// Waits for the next call; `None` when the program has ended.
    pub fn next_call(&mut self) -> Result<Option<Call>, Diagnostics> {
        const HEAD: usize = 16;
        let Some(head) = self.receive(HEAD)? else { return Ok(None) };
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (function, count, process) = (word(0) as usize, word(4) as usize, word(8));
        let Some(bytes) = self.receive(8 * count)? else { return Ok(None) };
        if process != self.child.id() {
            let message = "the function is called by another process than the program's first one";
            return Err(vec![Diagnostic::error(codes::PROCESS, message)
                .help("call it before `fork`, or in the parent alone")]);
        }
        self.memory().areas.clear();
        Ok(Some(Call { function, slots: to_words(&bytes, 8) }))
    }

    /// So many bytes of a request; `None` when the program has ended.
    fn receive(&mut self, count: usize) -> Result<Option<Vec<u8>>, Diagnostics> {
        let Some(Line { stream, .. }) = &mut self.line else { return Ok(None) };
        let mut buffer = [0; 4096];
        while self.received.len() < count {
            match stream.read(&mut buffer) {
                Ok(0) => return Ok(None),
                Ok(n) => self.received.extend_from_slice(&buffer[..n]),
                // A descendant may hold the socket open.
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    let ended = self.child.try_wait();
                    if ended.map_err(|e| problem(format!("the program cannot be waited for: {e}")))?.is_some()
                    {
                        return Ok(None);
                    }
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::ConnectionReset => return Ok(None),
                Err(e) => return Err(problem(format!("the program's calls cannot be read: {e}"))),
            }
        }
        Ok(Some(self.received.drain(..count).collect()))
    }

    /// The memory, while a call waits.
    pub fn memory(&mut self) -> &mut ProcessMemory {
        &mut self.line.as_mut().expect("a call came over it").memory
    }

    /// Lets the program go on behind the call.
    pub fn answer(&mut self, results: &[u64]) -> Result<(), Diagnostics> {
        self.reply(&[&[0], results].concat())
    }

    /// Lets the program show what it printed, and end.
    pub fn stop(mut self) {
        // Where nobody reads the answer the program is dead already.
        let told = self.line.is_some() && self.reply(&[1]).is_ok();
        if !told {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }

    fn reply(&mut self, words: &[u64]) -> Result<(), Diagnostics> {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        match self.line.as_mut().map(|l| l.stream.write_all(&bytes)) {
            // Killed while it waited: its end says so.
            Some(Err(e)) if matches!(e.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => Ok(()),
            Some(Err(e)) => Err(problem(format!("a call cannot be answered: {e}"))),
            Some(Ok(())) | None => Ok(()),
        }
    }

    /// Waits for the program's end: its exit code, or 128 and the number of the signal that killed it.
    pub fn end(mut self) -> Result<u8, Diagnostics> {
        let status = self.child.wait();
        status.map(code).map_err(|e| problem(format!("the program cannot be waited for: {e}")))
    }
}

fn code(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|s| 128 + s)).unwrap_or(1);
    (code & 0xff) as u8
}

/// The program's end of the socket; `None` when the program ended without one.
fn connect(listener: &UnixListener, child: &mut Child) -> std::io::Result<Option<UnixStream>> {
    listener.set_nonblocking(true)?;
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                stream.set_read_timeout(Some(SILENT))?;
                return Ok(Some(stream));
            }
            Err(e) if e.kind() == ErrorKind::WouldBlock => {
                if child.try_wait()?.is_some() {
                    return Ok(None);
                }
                std::thread::sleep(CONNECTING);
            }
            Err(e) => return Err(e),
        }
    }
}

impl ProcessMemory {
    fn open(id: u32) -> std::io::Result<ProcessMemory> {
        let folder = Path::new("/proc").join(id.to_string());
        let file = File::options().read(true).write(true).open(folder.join("mem"))?;
        Ok(ProcessMemory { file, maps: folder.join("maps"), areas: Vec::new() })
    }

    /// Reads up to 8 bytes, the first lowest; `None` where the process could not.
    pub fn read(&mut self, address: u64, count: usize) -> Option<u64> {
        self.allows(address, count, |a| a.read)?;
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes[..count], address).ok()?;
        Some(u64::from_le_bytes(bytes))
    }

    /// Writes up to 8 bytes; whether the process could.
    pub fn write(&mut self, address: u64, count: usize, value: u64) -> bool {
        self.allows(address, count, |a| a.write).is_some()
            && self.file.write_all_at(&value.to_le_bytes()[..count], address).is_ok()
    }

    fn allows(&mut self, address: u64, count: usize, may: impl Fn(&Area) -> bool) -> Option<()> {
        if self.areas.is_empty() {
            self.areas = std::fs::read_to_string(&self.maps).ok()?.lines().filter_map(area).collect();
        }
        let mut at = address;
        let end = address.checked_add(count as u64)?;
        // An access may lie in two areas side by side.
        while at < end {
            let after = self.areas.partition_point(|a| a.range.start <= at);
            let area = &self.areas[after.checked_sub(1)?];
            (area.range.contains(&at) && may(area)).then_some(())?;
            at = area.range.end;
        }
        Some(())
    }
}

/// `7f00-7f80 rw-p ...`
fn area(line: &str) -> Option<Area> {
    let mut words = line.split(' ');
    let (start, end) = words.next()?.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    let may = words.next()?;
    Some(Area { range: number(start)?..number(end)?, read: may.contains('r'), write: may.contains('w') })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This process has memory, a constant that it may not write, and nothing at address 0.
    #[test]
    fn an_access_is_what_the_process_itself_could_do() {
        static CONSTANT: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
        let own = Box::new([0x1122_3344_5566_7788_u64, 5]);
        let mut memory = ProcessMemory::open(std::process::id()).expect("its own memory");
        let at = own.as_ptr() as u64;
        assert_eq!(memory.read(at, 8), Some(0x1122_3344_5566_7788));
        assert_eq!(memory.read(at + 1, 2), Some(0x6677));
        assert!(memory.write(at + 8, 4, 0x1_0000_0007));
        assert_eq!(memory.read(at + 8, 8), Some(7));
        assert_eq!(memory.read(CONSTANT.as_ptr() as u64, 3), Some(0x03_02_01));
        assert!(!memory.write(CONSTANT.as_ptr() as u64, 1, 9));
        assert_eq!((memory.read(0, 1), memory.read(u64::MAX, 8)), (None, None));
        assert!(!memory.write(16, 4, 1));
    }
}
