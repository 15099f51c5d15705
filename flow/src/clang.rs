//! C and C++ to programs of the front end: clang, LLVM and MLIR tools of Debian, run one after the other in a folder of
//! their own, then [`loom_llvm`].
//!
//! The passes keep loops as they are written: what LLVM's usual pipelines do (rotation, widened induction, idioms) suits
//! processors and hides what becomes a stream. Refuses, with the package that brings it, where a tool is missing. What
//! clang says reaches the caller as it is.

use crate::codes;
use loom_base::{Diagnostic, Diagnostics, Name, Source};
use loom_cosim::tools::Tool;
use loom_front::ir::Program;
use loom_llvm::listing::{self, Defined};
use loom_llvm::{ArrayEnd, Globals, IndexCount, Passed};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// The Debian packages that bring all tools.
const PACKAGES: &str = "clang-19 llvm-19 mlir-19-tools";
pub(crate) const CLANG: Tool = Tool { program: "clang-19", package: PACKAGES };
const LINK: Tool = Tool { program: "llvm-link-19", package: PACKAGES };
const OPT: Tool = Tool { program: "opt-19", package: PACKAGES };
const TRANSLATE: Tool = Tool { program: "mlir-translate-19", package: PACKAGES };
const DEMANGLE: Tool = Tool { program: "llvm-cxxfilt-19", package: PACKAGES };

/// Everything becomes part of the function: one that stays a call is recursive or has no body. Vectors, which are how
/// the calling convention passes small structs, become their elements, once more where `lcssa` takes one out of a loop.
const PASSES: &str = "forceattrs,internalize,globaldce,always-inline,inline,\
    function(sroa,instsimplify,scalarizer,early-cse,simplifycfg<no-switch-to-lookup;no-hoist-common-insts;no-sink-common-insts>,\
    loop-simplify,early-cse,lcssa,scalarizer,dce),globaldce,strip-dead-prototypes";

/// A tool that takes longer than this hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// The header with marks and hints, for `#include "loom.h"`.
pub(crate) const HEADER: &str = include_str!("../../include/loom.h");

/// What to translate.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Sources; diagnostics point into the first.
    pub files: Vec<PathBuf>,
    /// `-I`
    pub include: Vec<PathBuf>,
    /// `-D`
    pub define: Vec<String>,
    /// `-std=`
    pub standard: Option<String>,
    /// Name or symbol of the function; the marked one otherwise.
    pub function: Option<String>,
    /// Where globals live that the program changes.
    pub globals: Globals,
}

/// The texts on the way.
#[derive(Clone, Debug)]
pub struct Stages {
    /// `.ll`, after the passes.
    pub ll: String,
    /// `.llvm.mlir`
    pub llvm: String,
    /// `.cf.mlir`
    pub cf: String,
}

/// A function as it came in.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The function, with jumps, and the globals it uses.
    pub program: Program,
    /// What it was made from.
    pub stages: Stages,
    /// Addresses that are passed behind the arguments.
    pub passed: Vec<Passed>,
    /// The pointers of both that are numbers, of words behind others.
    pub ends: Vec<ArrayEnd>,
    /// Arguments of which a number behind those says whether they are null.
    pub nulls: Vec<usize>,
    /// 64-bit arguments that are index.
    pub counts: Vec<IndexCount>,
}

/// Why there is none: what clang printed, and what is to be said besides.
#[derive(Clone, Debug)]
pub struct ClangError {
    /// What clang printed.
    pub said: String,
    /// Problems, with places in the first source.
    pub diagnostics: Diagnostics,
}

impl From<Diagnostics> for ClangError {
    fn from(diagnostics: Diagnostics) -> ClangError {
        ClangError { said: String::new(), diagnostics }
    }
}

/// Whether a file is C or C++, by its name.
pub fn is_source(name: &str) -> bool {
    [".c", ".cc", ".cpp", ".cxx", ".C"].iter().any(|end| name.ends_with(end))
}

/// A translated program: one module of LLVM, of which functions are taken.
pub struct Translation {
    folder: tempfile::TempDir,
    raw: PathBuf,
    defined: Vec<Defined>,
    /// The defined functions as C++ writes them, in the same order.
    readable: Vec<String>,
    globals: Globals,
    /// What clang warned of.
    pub said: String,
    /// Hints and annotations that have no effect.
    pub ignored: Diagnostics,
}

impl Translation {
    /// Translates the files and links them.
    pub fn translate(request: &Request) -> Result<Translation, ClangError> {
        let folder =
            tempfile::tempdir().map_err(|e| failed(format!("no folder for temporary files: {e}")))?;
        std::fs::write(folder.path().join("loom.h"), HEADER)
            .map_err(|e| failed(format!("a temporary file cannot be written: {e}")))?;
        let clang = CLANG.find()?;
        let mut said = String::new();
        let mut parts = Vec::new();
        for (i, file) in request.files.iter().enumerate() {
            let part = folder.path().join(format!("{i}.ll"));
            let mut command = Command::new(&clang);
            command.args(flags(request, file)).arg("-I").arg(folder.path()).arg(file).arg("-o").arg(&part);
            let ran = run(&mut command, folder.path())?;
            said.push_str(&ran.said);
            if !ran.status.success() {
                return Err(not_accepted(said, format!("clang does not accept `{}`", file.display())));
            }
            parts.push(part);
        }
        let mut raw = parts[0].clone();
        if parts.len() > 1 {
            raw = folder.path().join("linked.ll");
            let ran =
                run(Command::new(LINK.find()?).arg("-S").args(&parts).arg("-o").arg(&raw), folder.path())?;
            if !ran.status.success() {
                let diagnostic =
                    Diagnostic::error(codes::CLANG, "the files do not link").note(ran.said.trim());
                let help = "give each file once, and leave out those that define the same function";
                return Err(ClangError { said, diagnostics: vec![diagnostic.help(help)] });
            }
        }
        let text = read(&raw)?;
        let defined = listing::defined(&text);
        let main = &request.files[0];
        let source = Source::new(main.to_string_lossy(), read(main)?);
        let (text, ignored) = loom_llvm::hints::prepared(&text, &source);
        std::fs::write(&raw, listing::kept(&text))
            .map_err(|e| failed(format!("a temporary file cannot be written: {e}")))?;
        let readable = demangled(&defined, folder.path())?;
        Ok(Translation { folder, raw, defined, readable, globals: request.globals, said, ignored })
    }

    /// The functions that the sources mark.
    pub fn marked(&self) -> Vec<&str> {
        self.defined.iter().filter(|d| d.marked).map(|d| &d.symbol[..]).collect()
    }

    /// The function that a name means: a symbol, or a name of C++ with or without its parameters. Without a name, the
    /// one that is marked.
    pub fn choose(&self, name: Option<&str>) -> Result<String, Diagnostics> {
        let Some(name) = name else {
            return match &self.marked()[..] {
                [one] => Ok(one.to_string()),
                [] => Err(vec![Diagnostic::error(codes::CHOICE, "no function is marked")
                    .note(format!("the files define {}", self.listed(|_| true)))
                    .help("write `LOOM_ACCEL` of \"loom.h\" before one, or name it by `--function`")]),
                many => Err(vec![Diagnostic::error(
                    codes::CHOICE,
                    format!("{} functions are marked", many.len()),
                )
                .help(format!("choose one by `--function`: {}", self.listed(|d| d.marked)))]),
            };
        };
        if self.defined.iter().any(|d| d.symbol == name) {
            return Ok(name.to_string());
        }
        let readable = &self.readable;
        let is_it = |full: &str| full == name || plain_name(full) == name || last_name(full) == name;
        let found: Vec<usize> = (0..readable.len()).filter(|&i| is_it(&readable[i])).collect();
        match found[..] {
            [one] => Ok(self.defined[one].symbol.clone()),
            [] => Err(vec![Diagnostic::error(codes::CHOICE, format!("there is no function `{name}`"))
                .help(format!("the files define {}", self.listed(|_| true)))]),
            _ => {
                let list: Vec<String> = found.iter().map(|&i| format!("`{}`", readable[i])).collect();
                Err(vec![Diagnostic::error(
                    codes::CHOICE,
                    format!("{} functions are called `{name}`", found.len()),
                )
                .help(format!("choose one with its parameters: {}", list.join(", ")))])
            }
        }
    }

    fn listed(&self, which: impl Fn(&Defined) -> bool) -> String {
        let named = self.defined.iter().zip(&self.readable);
        let listed: Vec<String> = named.filter(|(d, _)| which(d)).map(|(_, n)| format!("`{n}`")).collect();
        if listed.is_empty() {
            "none".into()
        } else {
            listed.join(", ")
        }
    }

    /// Takes one function, by its symbol; `source` is the text of the first file.
    pub fn import(&self, symbol: &str, source: &Source) -> Result<Imported, Diagnostics> {
        let mut made = self.import_all(&[symbol], source)?;
        made.pop().expect("one for each symbol")
    }

    /// Takes several functions, through the tools at once; each is there or refused for itself.
    pub fn import_all(
        &self,
        symbols: &[&str],
        source: &Source,
    ) -> Result<Vec<Result<Imported, Diagnostics>>, Diagnostics> {
        let (ll, mlir) = (self.folder.path().join("k.ll"), self.folder.path().join("k.mlir"));
        let mut command = Command::new(OPT.find()?);
        command
            .arg("-S")
            .arg("-scalarize-load-store")
            .arg(format!("-passes={PASSES}"))
            .arg("-inline-threshold=1000000");
        command.arg("-force-remove-attribute=noinline");
        command.arg(format!("-internalize-public-api-list={}", symbols.join(",")));
        self.step(command.arg(&self.raw).arg("-o").arg(&ll))?;
        let text = read(&ll)?;
        let assembly = loom_llvm::assembly(&text, source);
        if !assembly.is_empty() {
            return Err(assembly);
        }
        std::fs::write(&ll, listing::importable(&text))
            .map_err(|e| failed(format!("a temporary file cannot be written: {e}")))?;
        let mut command = Command::new(TRANSLATE.find()?);
        command.args(["--import-llvm", "--mlir-print-op-generic", "--mlir-print-debuginfo"]);
        self.step(command.arg(&ll).arg("-o").arg(&mlir))?;
        let (ll, llvm) = (read(&ll)?, read(&mlir)?);
        let dialect = loom_llvm::Dialect::read(&llvm)?;
        let one = |&symbol: &&str| {
            let known = self.defined.iter().zip(&self.readable).find(|(d, _)| d.symbol == symbol);
            let (full, arguments) = known.map_or((symbol, &[][..]), |(d, name)| (name, &d.arguments));
            let name = Name::cleaned(last_name(full), "kernel");
            let input = loom_llvm::Input {
                dialect: &dialect,
                symbol,
                name: &name,
                arguments,
                source,
                globals: self.globals,
            };
            let loom_llvm::Converted { program, passed, ends, nulls, counts } = loom_llvm::convert(&input)?;
            let stages = Stages { ll: ll.clone(), llvm: llvm.clone(), cf: loom_front::print(&program) };
            Ok(Imported { program, stages, passed, ends, nulls, counts })
        };
        Ok(symbols.iter().map(one).collect())
    }

    /// A step that always works on what clang gives.
    fn step(&self, command: &mut Command) -> Result<(), Diagnostics> {
        let ran = run(command, self.folder.path())?;
        match ran.status.success() {
            true => Ok(()),
            false => {
                let name = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy();
                Err(vec![Diagnostic::error(codes::CLANG, format!("`{name}` failed ({})", ran.status))
                    .note(ran.said.trim())
                    .help("take out what the note names, or report it with the program")])
            }
        }
    }
}

/// The functions as C++ writes them; their symbols where the tool makes something else of them.
fn demangled(defined: &[Defined], folder: &Path) -> Result<Vec<String>, Diagnostics> {
    let symbols: Vec<String> = defined.iter().map(|d| d.symbol.clone()).collect();
    if !symbols.iter().any(|s| s.starts_with("_Z")) {
        return Ok(symbols);
    }
    let out = folder.join("names");
    let file = std::fs::File::create(&out).map_err(|e| failed(format!("a temporary file: {e}")))?;
    run(Command::new(DEMANGLE.find()?).args(&symbols).stdout(file), folder)?;
    let names: Vec<String> = read(&out)?.lines().map(str::to_string).collect();
    Ok(if names.len() == symbols.len() { names } else { symbols })
}

fn flags(request: &Request, file: &Path) -> Vec<std::ffi::OsString> {
    let mut out: Vec<std::ffi::OsString> = [
        "-O1",
        "-gline-tables-only",
        "-S",
        "-emit-llvm",
        "--target=x86_64-linux-gnu",
        "-Xclang",
        "-disable-llvm-passes",
        "-Xclang",
        "-disable-lifetime-markers",
        "-fno-math-errno",
        "-ffp-contract=off",
        "-fno-strict-aliasing",
        "-fno-discard-value-names",
        "-fno-stack-protector",
        // Else clang says of every loop that it shall not be unrolled.
        "-funroll-loops",
        "-Wunknown-pragmas",
        "-D__LOOM__",
    ]
    .map(Into::into)
    .to_vec();
    if file.extension().is_some_and(|e| e != "c") {
        // Handlers elsewhere in the program are no matter; what throws here is a call that nobody can take.
        out.push("-fignore-exceptions".into());
    }
    out.extend(request.flags());
    out
}

impl Request {
    /// What the user says to clang.
    pub(crate) fn flags(&self) -> Vec<std::ffi::OsString> {
        let mut out: Vec<std::ffi::OsString> = Vec::new();
        out.extend(self.standard.iter().map(|s| format!("-std={s}").into()));
        out.extend(self.define.iter().map(|d| format!("-D{d}").into()));
        for folder in &self.include {
            out.extend(["-I".into(), folder.clone().into()]);
        }
        out
    }
}

/// `ns::f<int>(int*)` without the parameters, and without what stands before a template's name.
fn plain_name(full: &str) -> &str {
    let end = full.find('(').unwrap_or(full.len());
    let head = &full[..end];
    // Templates show their result type.
    match head.find('<') {
        Some(angle) => head[..angle].rsplit(' ').next().unwrap_or(head),
        None => head.rsplit(' ').next().unwrap_or(head),
    }
}

/// `f` of `ns::f`.
fn last_name(full: &str) -> &str {
    plain_name(full).rsplit("::").next().unwrap_or(full)
}

pub(crate) struct Ran {
    pub status: ExitStatus,
    pub said: String,
}

/// Runs a program to its end, or for as long as one may run; what it says on standard error.
pub(crate) fn run(command: &mut Command, folder: &Path) -> Result<Ran, Diagnostics> {
    let name =
        Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let problem = |what: String| failed(format!("`{name}` {what}"));
    let said = folder.join("said");
    let file = std::fs::File::create(&said).map_err(|e| problem(format!("cannot be started: {e}")))?;
    let status = loom_cosim::tools::run_quietly(command.stderr(file), LIMIT, problem)?;
    let said = std::fs::read(&said).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default();
    Ok(Ran { status, said })
}

pub(crate) fn read(path: &Path) -> Result<String, Diagnostics> {
    let bytes = std::fs::read(path).map_err(|e| failed(format!("a temporary file cannot be read: {e}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A source that clang refuses, which says why itself.
pub(crate) fn not_accepted(said: String, message: String) -> ClangError {
    let diagnostic = Diagnostic::error(codes::CLANG, message).help("clang says why, above");
    ClangError { said, diagnostics: vec![diagnostic] }
}

pub(crate) fn failed(message: String) -> Diagnostics {
    vec![Diagnostic::error(codes::CLANG, message)]
}
