//! A whole program in C or C++ whose marked functions run on a fabric: the rest is built for this machine, each call goes to
//! a model, which reads and writes the process's own memory, and the program's own check decides.
//!
//! [`functions`] compiles what calls shall go to, [`Executable::build`] makes the program, [`Executable::run`] runs it.
//!
//! Guarantees: nothing of a function is left in the program but its name; when a call returns everything it wrote is in the
//! process; an access that the process itself could not do ends the run with the place of it, and a program never
//! outlives the run. Calls of several threads follow each other. Refuses calls of other processes (after `fork`).

mod addresses;
mod again;
mod apart;
mod bounds;
mod build;
mod engine;
mod fault;
mod foreseen;
mod function;
mod on_chip;
mod process;
mod report;

pub use again::Again;
pub use function::Function;
pub use report::{FunctionReport, Report};

use crate::clang::{ClangError, Imported, Request, Translation};
use crate::codes;
use crate::configured::Configured;
use crate::load::Kernel;
use addresses::AddressCheck;
use again::{NextCall, Watched};
use engine::Engine;
use fault::Fault;
use loom_adg::Fabric;
use loom_base::{Diagnostic, Diagnostics, Name, Source};
use loom_cosim::FabricModel;
use loom_front::compile::{Aim, CompileOptions};
use loom_llvm::stub::Stub;
use loom_llvm::{Locals, Passed};
use loom_map::{finds_lanes, largest_scratchpad};
use process::Process;
use report::Counts;
use std::ffi::OsString;
use std::path::PathBuf;

/// Name of the region that is a whole function.
const WHOLE: &str = "function";

/// The symbols of the functions that names mean; without names those that are marked.
pub fn choose(program: &Translation, names: &[String]) -> Result<Vec<String>, Diagnostics> {
    let mut symbols: Vec<String> = match names {
        [] => program.marked().into_iter().map(str::to_string).collect(),
        names => names.iter().map(|n| program.choose(Some(n))).collect::<Result<_, _>>()?,
    };
    if symbols.is_empty() {
        // Says which there are.
        symbols.push(program.choose(None)?);
    }
    let mut seen = std::collections::BTreeSet::new();
    symbols.retain(|s| seen.insert(s.clone()));
    if symbols.iter().any(|s| s == "main") {
        return Err(vec![Diagnostic::error(codes::PROGRAM, "`main` cannot run on a fabric")
            .help("mark the function that `main` calls")]);
    }
    Ok(symbols)
}

/// Compiles functions, each whole; `source` is the text of the first file. Of two that have one name (overloads, instances of
/// a template) each is called by its symbol, so that their files are two.
///
/// For room on a fabric, local arrays that find no room or no lanes in its scratchpads live in the process's memory, as few as will do.
pub fn functions(
    program: &Translation,
    symbols: &[String],
    source: &Source,
    options: &CompileOptions,
    fabric: Option<&Fabric>,
) -> Result<Vec<Function>, Diagnostics> {
    let options = CompileOptions { domain: Some(WHOLE.into()), ..options.clone() };
    let import = |symbol: &String| program.import(symbol, source, Locals::default());
    let mut imported = symbols.iter().map(import).collect::<Result<Vec<_>, _>>()?;
    let names: Vec<String> = imported.iter().map(|i| i.program.funcs[0].name.clone()).collect();
    for (i, symbol) in symbols.iter().enumerate() {
        if names.iter().filter(|n| **n == names[i]).count() > 1 {
            imported[i].program.funcs[0].name = Name::cleaned(symbol, &names[i]).to_string();
        }
    }
    let room_on = fabric.filter(|_| options.aim == Aim::Room);
    let compiled = |symbol: &String, imported| -> Result<Function, Diagnostics> {
        Ok(Function::new(symbol.clone(), Kernel::compile(imported, &options)?))
    };
    let compile = |(symbol, imported): (&String, Imported)| {
        let name = imported.program.funcs[0].name.clone();
        let on_chip = compiled(symbol, imported)?;
        let Some(fabric) = room_on.filter(|f| !finds_lanes(on_chip.graph(), f)) else { return Ok(on_chip) };
        let larger_than = largest_scratchpad(fabric);
        let mut moved = None;
        for most_used in 0.. {
            let mut imported = program.import(symbol, source, Locals { larger_than, most_used })?;
            imported.program.funcs[0].name = name.clone();
            let next = compiled(symbol, imported)?;
            if finds_lanes(next.graph(), fabric) {
                return Ok(next);
            }
            // All of them are there already.
            if moved.replace(next.locals_in_memory()) == Some(next.locals_in_memory()) {
                break;
            }
        }
        Ok(on_chip)
    };
    symbols.iter().zip(imported).map(compile).collect()
}

/// What calls go to.
pub enum ExecModel<'a> {
    /// The graphs, with so many bits of `index`.
    Golden(u32),
    /// A fabric's native model, with a configuration for each function.
    Native(&'a [Configured]),
    /// A fabric's Verilog.
    Verilog(&'a [Configured], Box<FabricModel>),
}

/// A program built for this machine.
pub struct Executable {
    folder: tempfile::TempDir,
    program: PathBuf,
    quiet: bool,
    watch: Watch,
}

/// Told the name of the function whose call begins and which of its calls that is, and at its end nothing, before the program goes on.
type Watch = Box<dyn Fn(Option<(&str, u64)>)>;

impl Executable {
    /// Builds the program with stubs in place of the functions. `link` are libraries.
    pub fn build(
        request: &Request,
        functions: &[Function],
        link: &[String],
    ) -> Result<Executable, ClangError> {
        let folder = tempfile::tempdir()
            .map_err(|e| crate::clang::failed(format!("no folder for temporary files: {e}")))?;
        let stub = |(number, f): (usize, &'_ Function)| {
            let passed = f.kernel.imported.as_ref().map_or(Vec::new(), |i| i.passed.clone());
            (number, f.symbol.clone(), passed)
        };
        let stubs: Vec<(usize, String, Vec<Passed>)> = functions.iter().enumerate().map(stub).collect();
        let stubs: Vec<Stub> =
            stubs.iter().map(|(number, symbol, passed)| Stub { symbol, number: *number, passed }).collect();
        let program = build::build(request, &stubs, link, folder.path())?;
        Ok(Executable { folder, program, quiet: false, watch: Box::new(|_| {}) })
    }

    /// Drops what the program prints.
    pub fn quiet(self) -> Executable {
        Executable { quiet: true, ..self }
    }

    /// With somebody who is told of each call.
    pub fn watched(self, watch: Watch) -> Executable {
        Executable { watch, ..self }
    }

    /// Runs the program with its arguments to its end; a call may take so many cycles, or steps of the golden model. Each function on a
    /// fabric may be mapped `again` when its first calls tell what it does; what served the last calls is given. Places of diagnostics are in the first
    /// source.
    pub fn run(
        &self,
        functions: &[Function],
        model: ExecModel,
        mut again: Option<Again>,
        arguments: &[OsString],
        max_cycles: u64,
    ) -> Result<(Report, Vec<Configured>), Diagnostics> {
        let (on, mut engine) = match model {
            ExecModel::Golden(index_width) => ("golden", Engine::golden(functions, index_width)),
            ExecModel::Native(configured) => ("native", Engine::native(configured)?),
            ExecModel::Verilog(configured, model) => ("verilog", Engine::verilog(configured, model)),
        };
        let mut counts: Vec<Counts> =
            (0..functions.len()).map(|number| Counts::new(engine.configured(number))).collect();
        let mut watched: Vec<Watched> = functions.iter().map(|_| Watched::default()).collect();
        let mut checks = functions.iter().map(AddressCheck::of).collect::<Result<Vec<_>, _>>()?;
        let mut process = Process::start(&self.program, arguments, self.quiet, self.folder.path())?;
        while let Some(call) = process.next_call()? {
            let (number, function) = (call.function, &functions[call.function]);
            (self.watch)(Some((&function.graph().name, counts[number].calls + 1)));
            let done = match function.activation(&call.slots).map_err(Fault::Argument) {
                Ok(activation) => {
                    if let Some(map) = again.as_mut() {
                        let next = NextCall { number, function, activation: &activation };
                        if watched[number].look(&next, &mut engine, process.memory(), map)? {
                            counts[number].go_on(engine.configured(number));
                        }
                    }
                    let check = checks[number].as_mut();
                    match check.map_or(Ok(()), |c| c.look(&call.slots, process.memory(), max_cycles)) {
                        Ok(()) => engine.call(number, function, &activation, process.memory(), max_cycles)?,
                        Err(fault) => Err(fault),
                    }
                }
                Err(fault) => Err(fault),
            };
            (self.watch)(None);
            let returned = match done {
                Ok(returned) => returned,
                Err(fault) => {
                    process.stop();
                    return Err(vec![Fault::diagnostic(
                        fault,
                        function,
                        counts[number].calls + 1,
                        &call.slots,
                    )]);
                }
            };
            process.answer(&returned.results)?;
            counts[number].add(&returned, engine.configured(number));
        }
        let exit = process.end()?;
        let report = |(number, (f, counts)): (usize, (&Function, &Counts))| {
            counts.report(f, engine.configured(number))
        };
        let report = Report {
            on,
            fabric: engine.configured(0).map(|c| c.fabric.name().to_string()),
            loads: engine.loads(),
            exit,
            functions: functions.iter().zip(&counts).enumerate().map(report).collect(),
        };
        Ok((report, (0..functions.len()).filter_map(|n| engine.configured(n)).cloned().collect()))
    }
}
