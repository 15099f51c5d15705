//! The programs this crate runs, found on PATH; a missing one is named with the Debian package that brings it.

use crate::codes;
use loom_base::{Diagnostic, Diagnostics};
use std::path::PathBuf;
use std::process::Command;

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
}

/// Runs a command; `Err` shows the end of what it printed.
pub fn run(command: &mut Command) -> Result<String, Diagnostics> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |what: String| vec![Diagnostic::error(codes::TOOL_FAILED, format!("`{name}` {what}"))];
    let out = command.output().map_err(|e| failed(format!("cannot be started: {e}")))?;
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    if out.status.success() {
        return Ok(text);
    }
    let lines: Vec<&str> = text.lines().collect();
    let tail = lines[lines.len().saturating_sub(20)..].join("\n");
    Err(failed(format!("failed ({}):\n{tail}", out.status)))
}
