//! C and C++ to programs of the front end: clang, LLVM and MLIR tools of Debian, run one after the other in a folder of
//! their own, then [`loom_llvm`].
//!
//! The passes keep loops as they are written: what LLVM's usual pipelines do (rotation, widened induction, idioms) suits
//! processors and hides what becomes a stream. Refuses, with the package that brings it, where a tool is missing. What
//! clang says reaches the caller as it is.

mod names;

use crate::codes;
use loom_base::{Diagnostic, Diagnostics, Name, Source};
use loom_cosim::tools::Tool;
use loom_front::ir::Program;
use loom_llvm::listing::{self, Defined};
use loom_llvm::{ArrayEnd, Globals, IndexCount, Locals, Passed};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The Debian packages that bring all tools.
const PACKAGES: &str = "clang-19 llvm-19 mlir-19-tools";
pub(crate) const CLANG: Tool = Tool { program: "clang-19", package: PACKAGES };
const LINK: Tool = Tool { program: "llvm-link-19", package: PACKAGES };
const OPT: Tool = Tool { program: "opt-19", package: PACKAGES };
const TRANSLATE: Tool = Tool { program: "mlir-translate-19", package: PACKAGES };
const DEMANGLE: Tool = Tool { program: "llvm-cxxfilt-19", package: PACKAGES };

/// Everything becomes part of the function: one that stays a call is recursive or has no body. A pointer to a function that is known
/// once its callee is part of the function makes a call that becomes part of it in turn, as deep as eight of them. Vectors, which are how
/// the calling convention passes small structs, become their elements, once more where `lcssa` takes one out of a loop. Before `sroa` makes
/// phis each loop gets one way back: later, `loop-simplify` would make one in another of a loop with several, as `continue` makes them.
const PASSES: &str = "always-inline,inline,\
    function(loop-simplify,sroa,instsimplify),cgscc(devirt<8>(inline,function(sroa,instsimplify))),\
    function(sroa,instsimplify,scalarizer,early-cse,simplifycfg<no-switch-to-lookup;no-hoist-common-insts;no-sink-common-insts>,\
    loop-simplify,early-cse,lcssa,scalarizer,dce),globaldce,strip-dead-prototypes";

/// What comes before them: the chosen functions are all that is kept.
const CHOSEN: &str = "forceattrs,internalize,globaldce";

/// A call of a function by itself that is the last it does becomes a loop. Other programs go without, which keeps them as they are written.
const RECURSIVE: &str = "function(loop-simplify,sroa,instsimplify,tailcallelim)";

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
    /// `-fno-strict-aliasing`
    pub no_strict_aliasing: bool,
    /// Name or symbol of the function; the marked one otherwise.
    pub function: Option<String>,
    /// Where globals live that the program changes.
    pub globals: Globals,
    /// Whether the files are all that can name the program's variables.
    pub whole: bool,
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
    /// Whether a call may have an address that 32 bits do not hold.
    pub may_wrap: bool,
    /// What of it has no effect.
    pub warnings: Diagnostics,
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

/// Some functions, through LLVM's passes and MLIR's importer.
struct Inlined {
    ll: String,
    llvm: String,
    dialect: loom_llvm::Dialect,
}

/// A translated program: one module of LLVM, of which functions are taken.
pub struct Translation {
    /// Of temporary files, for one tool at a time: their names are the same every time.
    folder: Mutex<tempfile::TempDir>,
    raw: PathBuf,
    defined: Vec<Defined>,
    /// The defined functions as C++ writes them, in the same order.
    readable: Vec<String>,
    globals: Globals,
    /// Those that no pointer from outside points at.
    private: BTreeSet<String>,
    /// By their symbols.
    known: Mutex<BTreeMap<String, Arc<Inlined>>>,
    /// What clang warned of.
    pub said: String,
    /// Hints and annotations that have no effect.
    pub ignored: Diagnostics,
}

impl Translation {
    /// Translates the files and links them, with the bodies of the library's functions that they call.
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
        let text = with_library(text, &raw, folder.path())?;
        let main = &request.files[0];
        let source = Source::new(main.to_string_lossy(), read(main)?);
        let (text, ignored) = loom_llvm::hints::prepared(&text, &source);
        std::fs::write(&raw, listing::kept(&text))
            .map_err(|e| failed(format!("a temporary file cannot be written: {e}")))?;
        let symbols: Vec<String> = defined.iter().map(|d| d.symbol.clone()).collect();
        let readable = demangled(&symbols, folder.path())?;
        let (globals, known) = (request.globals, Mutex::default());
        let private = loom_llvm::private::by_name_alone(&text, request.whole);
        let folder = Mutex::new(folder);
        Ok(Translation { folder, raw, defined, readable, globals, private, known, said, ignored })
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
        let is_meant = |i: &usize| names::is_meant(&readable[*i], name);
        let exact = (0..readable.len()).find(|&i| readable[i] == name);
        let found: Vec<usize> = match exact {
            Some(one) => vec![one],
            None => (0..readable.len()).filter(is_meant).collect(),
        };
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
    pub fn import(&self, symbol: &str, source: &Source, locals: Locals) -> Result<Imported, Diagnostics> {
        let mut made = self.import_all(&[symbol], source, locals)?;
        made.pop().expect("one for each symbol")
    }

    /// Takes several functions, through the tools at once; each is there or refused for itself.
    pub fn import_all(
        &self,
        symbols: &[&str],
        source: &Source,
        locals: Locals,
    ) -> Result<Vec<Result<Imported, Diagnostics>>, Diagnostics> {
        let module = self.inlined(symbols, source)?;
        let one = |&symbol: &&str| {
            let known = self.defined.iter().zip(&self.readable).find(|(d, _)| d.symbol == symbol);
            let (full, arguments) = known.map_or((symbol, &[][..]), |(d, name)| (name, &d.arguments));
            let name = Name::cleaned(&names::last_name(full), "kernel");
            let variables = listing::variables(&module.ll, symbol);
            let input = loom_llvm::Input {
                dialect: &module.dialect,
                symbol,
                name: &name,
                arguments,
                variables: &variables,
                source,
                globals: self.globals,
                private: &self.private,
                locals,
            };
            let loom_llvm::Converted { program, passed, ends, nulls, counts, may_wrap, warnings } =
                loom_llvm::convert(&input).map_err(|d| self.readable(d))?;
            let stages =
                Stages { ll: module.ll.clone(), llvm: module.llvm.clone(), cf: loom_front::print(&program) };
            Ok(Imported { program, stages, passed, ends, nulls, counts, may_wrap, warnings })
        };
        Ok(symbols.iter().map(one).collect())
    }

    /// What the tools make of some functions: the same every time, and asked for again for each fabric.
    fn inlined(&self, symbols: &[&str], source: &Source) -> Result<Arc<Inlined>, Diagnostics> {
        let key = symbols.join(",");
        // Who comes second finds what the first one was told.
        let folder = self.folder();
        if let Some(module) = self.known().get(&key) {
            return Ok(module.clone());
        }
        let (ll, mlir) = (folder.path().join("k.ll"), folder.path().join("k.mlir"));
        let mut command = Command::new(OPT.find()?);
        let passes = match listing::calls_itself(&read(&self.raw)?) {
            true => [CHOSEN, RECURSIVE, PASSES].join(","),
            false => [CHOSEN, PASSES].join(","),
        };
        command
            .arg("-S")
            .arg("-scalarize-load-store")
            .arg(format!("-passes={passes}"))
            .arg("-inline-threshold=1000000");
        command.arg("-force-remove-attribute=noinline");
        command.arg(format!("-internalize-public-api-list={key}"));
        step(folder.path(), command.arg(&self.raw).arg("-o").arg(&ll))?;
        let text = read(&ll)?;
        let refused = loom_llvm::unimportable(&text, source);
        if !refused.is_empty() {
            return Err(refused);
        }
        std::fs::write(&ll, listing::importable(&text))
            .map_err(|e| failed(format!("a temporary file cannot be written: {e}")))?;
        let mut command = Command::new(TRANSLATE.find()?);
        command.args(["--import-llvm", "--mlir-print-op-generic", "--mlir-print-debuginfo"]);
        step(folder.path(), command.arg(&ll).arg("-o").arg(&mlir))?;
        let (ll, llvm) = (read(&ll)?, read(&mlir)?);
        let dialect = loom_llvm::Dialect::read(&llvm)?;
        let module = Arc::new(Inlined { ll, llvm, dialect });
        self.known().insert(key, module.clone());
        Ok(module)
    }

    fn folder(&self) -> MutexGuard<'_, tempfile::TempDir> {
        self.folder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Inlined>>> {
        // Whoever panicked left whole entries.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Diagnostics with names as C++ writes them in the place of symbols.
    fn readable(&self, mut diagnostics: Diagnostics) -> Diagnostics {
        let symbols: std::collections::BTreeSet<String> =
            diagnostics.iter().flat_map(|d| names::symbols(&d.message)).collect();
        let symbols: Vec<String> = symbols.into_iter().collect();
        // Where the tool does not run, symbols are what is known.
        let Ok(full) = demangled(&symbols, self.folder().path()) else { return diagnostics };
        for (symbol, full) in symbols.iter().zip(&full) {
            let name = names::plain_name(full);
            for diagnostic in &mut diagnostics {
                diagnostic.message = diagnostic.message.replace(&format!("`{symbol}`"), &format!("`{name}`"));
            }
        }
        diagnostics
    }
}

/// A step that always works on what clang gives.
fn step(folder: &Path, command: &mut Command) -> Result<(), Diagnostics> {
    let ran = run(command, folder)?;
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

/// The functions as C++ writes them; their symbols where the tool makes something else of them.
fn demangled(symbols: &[String], folder: &Path) -> Result<Vec<String>, Diagnostics> {
    if !symbols.iter().any(|s| s.starts_with("_Z")) {
        return Ok(symbols.to_vec());
    }
    let out = folder.join("names");
    let file = std::fs::File::create(&out).map_err(|e| failed(format!("a temporary file: {e}")))?;
    run(Command::new(DEMANGLE.find()?).args(symbols).stdout(file), folder)?;
    let names: Vec<String> = read(&out)?.lines().map(str::to_string).collect();
    Ok(if names.len() == symbols.len() { names } else { symbols.to_vec() })
}

/// Functions of the C library, for programs that call them.
const LIBRARY: &str = include_str!("clang/libc.c");

/// A module with the bodies of those functions of the C library that it declares. They have no places of their own: what is
/// wrong with them is so at the call.
fn with_library(text: String, raw: &Path, folder: &Path) -> Result<String, Diagnostics> {
    let given =
        |name: String| LIBRARY.contains(&format!(" {name}(")) || LIBRARY.contains(&format!("*{name}("));
    if !listing::declared(&text).any(given) {
        return Ok(text);
    }
    let [source, bodies, linked] = ["libc.c", "libc.ll", "whole.ll"].map(|name| folder.join(name));
    std::fs::write(&source, LIBRARY)
        .map_err(|e| failed(format!("a temporary file cannot be written: {e}")))?;
    let mut compile = Command::new(CLANG.find()?);
    compile.args(CODE).args(["-w", "-fno-strict-aliasing"]).arg(&source).arg("-o").arg(&bodies);
    let mut link = Command::new(LINK.find()?);
    link.args(["-S", "--only-needed"]).arg(raw).arg(&bodies).arg("-o").arg(&linked);
    for (command, what) in [(&mut compile, "compiled"), (&mut link, "linked")] {
        let ran = run(command, folder)?;
        if !ran.status.success() {
            let message = format!("LOOM's functions of the C library cannot be {what}");
            return Err(vec![Diagnostic::error(codes::CLANG, message).note(ran.said.trim())]);
        }
    }
    read(&linked)
}

/// How clang makes LLVM's text of a program as it is written.
const CODE: [&str; 11] = [
    "-O1",
    "-S",
    "-emit-llvm",
    "--target=x86_64-linux-gnu",
    "-Xclang",
    "-disable-llvm-passes",
    "-Xclang",
    "-disable-lifetime-markers",
    "-fno-math-errno",
    "-ffp-contract=off",
    "-fno-stack-protector",
];

/// What is said besides, of the user's files.
const OPTIONS: [&str; 6] = [
    "-gline-tables-only",
    "-fno-discard-value-names",
    // Else clang says of every loop that it shall not be unrolled.
    "-funroll-loops",
    "-Wunknown-pragmas",
    "-D__LOOM__",
    // So that `isdigit` and the like are calls, no looks into a table of the locale.
    "-D__NO_CTYPE",
];

fn flags(request: &Request, file: &Path) -> Vec<std::ffi::OsString> {
    let mut out: Vec<std::ffi::OsString> = CODE.into_iter().chain(OPTIONS).map(Into::into).collect();
    if is_cpp(file) {
        // Handlers elsewhere in the program are no matter; what throws here is a call that nobody can take.
        out.push("-fignore-exceptions".into());
    }
    out.extend(request.flags(file));
    out
}

/// Whether a source is C++, by its name.
pub(crate) fn is_cpp(file: &Path) -> bool {
    file.extension().is_some_and(|e| e != "c")
}

/// Whether a standard of `-std=` is one of C++: `c++17`, `gnu++20`.
fn is_cpp_standard(standard: &str) -> bool {
    standard.contains("++")
}

impl Request {
    /// What the user says to clang of a file. Where files of both languages are given, a standard is that of its own.
    pub(crate) fn flags(&self, file: &Path) -> Vec<std::ffi::OsString> {
        let mut out: Vec<std::ffi::OsString> = Vec::new();
        let mixed = self.files.iter().any(|f| is_cpp(f)) && !self.files.iter().all(|f| is_cpp(f));
        let meant = |s: &&String| !mixed || is_cpp_standard(s) == is_cpp(file);
        out.extend(self.standard.iter().filter(meant).map(|s| format!("-std={s}").into()));
        out.extend(self.no_strict_aliasing.then(|| "-fno-strict-aliasing".into()));
        out.extend(self.define.iter().map(|d| format!("-D{d}").into()));
        for folder in &self.include {
            out.extend(["-I".into(), folder.clone().into()]);
        }
        out
    }
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
