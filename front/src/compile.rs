//! The way from a module to a checked graph.

use crate::codes;
use crate::edit;
use crate::inline;
use crate::invariants::{self, Rules};
use crate::ir::{self, Func, Kind, Program};
use crate::legalize;
use crate::lower::Lowered;
use crate::normalize::Plain;
use crate::passes;
use crate::select::{self, Selected};
use crate::whole::Printer;
pub use crate::whole::{Aim, CompileOptions, DivisionUnits, Room};
use loom_base::diag::has_errors;
use loom_base::limits::MAX_SHOWN;
use loom_base::{Diagnostic, Diagnostics};
use loom_dfg::verify::MAX_PRIVATE_WORDS;
use loom_dfg::{Graph, Memory, MemoryPlace};
use std::borrow::Cow;

/// What compiling gives.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Name of the selected region's candidate.
    pub domain: String,
    /// The selected function as the user wrote it but for elementary functions that the fabric lacks, with the globals.
    pub source: Program,
    /// The plain function that was lowered, as `<name>.scf.mlir` has it.
    pub plain: Plain,
    /// The graph, as `<name>.dfg.mlir` has it, with its accesses.
    pub lowered: Lowered,
    /// The program after each run of [`CompileOptions::print_after`].
    pub printed: Vec<String>,
    /// What the graph does not do that the program says.
    pub warnings: Diagnostics,
}

/// Compiles one function of a verified module. The graph is verified and its invariants are checked; a failure of
/// those is a fault of this crate and says so.
pub fn compile(program: &Program, options: &CompileOptions) -> Result<Compiled, Diagnostics> {
    let apart = compiled(program, options, true)?;
    let mut promised = apart.source.funcs.iter().flat_map(|f| &f.argument_attributes);
    if options.aim == Aim::Speed || !promised.any(|a| a.alias_set > 0 && !a.noalias) {
        return Ok(apart);
    }
    // An order more is an exit of each loop more.
    let joined = compiled(program, options, false)?;
    let ops = |of: &Compiled| of.lowered.graph.nodes.len();
    Ok(if ops(&joined) < ops(&apart) { joined } else { apart })
}

/// `sets`: whether arrays of two alias sets are apart.
fn compiled(program: &Program, options: &CompileOptions, sets: bool) -> Result<Compiled, Diagnostics> {
    let func = function(program, options.function.as_deref())?;
    let target = options.target();
    let mut func = inline::run(program, func, target.states())?;
    let mut printer = Printer::new(options);
    if let Cow::Owned(func) = &func {
        printer.see(&passes::STRUCTURE, func, &program.globals);
    }
    if options.noalias {
        promise_apart(func.to_mut());
    }
    if !sets {
        func.to_mut().argument_attributes.iter_mut().for_each(|a| a.alias_set = 0);
    }
    if !passes::ELEMENTARY.holds(&func, &target) {
        passes::ELEMENTARY.run(func.to_mut(), &program.globals, &target)?;
    }
    printer.see(&passes::ELEMENTARY, &func, &program.globals);
    let Selected { name, source, plain, mut lowered, printed } = select::select(program, &func, options)?;
    let printed = [printer.printed, printed].concat();
    legalize::limit_joins(&mut lowered.graph, options.max_join_fanin)?;
    too_large(&lowered.graph)?;
    let mut wrong = loom_dfg::verify::verify(&lowered.graph);
    if !has_errors(&wrong) {
        // A literal that the fabric's index does not hold is the program's, not ours.
        let literals = loom_dfg::verify::verify_index_width(&lowered.graph, options.index_width);
        if has_errors(&literals) {
            return Err(literals);
        }
        let rules = Rules {
            func: &plain.func,
            deps: &plain.deps,
            order: options.order,
            index_width: options.index_width,
        };
        wrong.extend(invariants::check(&lowered, &rules));
    }
    if has_errors(&wrong) {
        return Err(wrong
            .into_iter()
            .map(|d| d.note("the lowering made this, not the source: please report it"))
            .collect());
    }
    let mut warnings: Diagnostics = source.funcs.iter().flat_map(unchecked).collect();
    warnings.extend(in_one_bank(&plain.func).into_iter().filter(|_| options.aim == Aim::Speed));
    Ok(Compiled { domain: name, source, plain, lowered, printed, warnings })
}

/// Makes every array that a function is given `llvm.noalias`.
fn promise_apart(func: &mut Func) {
    for (attributes, ty) in func.argument_attributes.iter_mut().zip(&func.argument_types) {
        attributes.noalias |= ty.memref().is_some();
    }
}

/// Memory that no graph holds is the program's, not ours.
fn too_large(graph: &Graph) -> Result<(), Diagnostics> {
    let private = graph.memories.iter().filter(|m| matches!(m.place, MemoryPlace::Private { .. }));
    let wrong = |m: &Memory| {
        let words = m.words.filter(|&words| words > MAX_PRIVATE_WORDS)?;
        let message =
            format!("`{}` has {words} words, memory on chip has at most {MAX_PRIVATE_WORDS}", m.name);
        Some(
            Diagnostic::error(codes::NOT_LOWERED, message)
                .help("allocate less, or make it an argument of the function"),
        )
    };
    let problems: Diagnostics = private.filter_map(wrong).collect();
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems),
    }
}

/// A warning for a function's assertions, at the first.
fn unchecked(func: &Func) -> Option<Diagnostic> {
    let asserts = |op: &&ir::Operation| matches!(op.kind, Kind::Assert(_));
    let ops: Vec<_> = edit::walk(func).into_iter().map(|op| func.op(op)).filter(asserts).collect();
    let (first, others) = ops.split_first()?;
    let message = match others.len() {
        0 => "an assertion that the graph does not check".to_string(),
        n => format!("{} assertions that the graph does not check", n + 1),
    };
    let d = Diagnostic::warning(codes::UNCHECKED, message).at_opt(first.span.clone(), "");
    Some(d.help("`loom interp` checks it; to see it on the fabric, return its condition"))
}

/// The arrays that stay one memory though they are wished to be in banks.
fn in_one_bank(func: &Func) -> Diagnostics {
    let wished = |op: &&ir::Operation| op.hints.banks.is_some_and(|n| n.get() > 1);
    let warn = |op: &ir::Operation| {
        Diagnostic::warning(codes::ONE_BANK, "an array that stays one memory, though it is wished to be in banks")
            .at_opt(op.span.clone(), "")
            .help("let the number of banks be a power of two up to 32, and each access one whose index is known modulo that: unroll the loop by it")
    };
    edit::walk(func).into_iter().map(|op| func.op(op)).filter(wished).map(warn).collect()
}

/// The function to compile.
pub fn function<'m>(program: &'m Program, name: Option<&str>) -> Result<&'m Func, Diagnostics> {
    let bodies: Vec<&Func> = program.funcs.iter().filter(|f| f.body.is_some()).collect();
    let names = || {
        let shown: Vec<String> = bodies.iter().take(MAX_SHOWN).map(|f| format!("`{}`", f.name)).collect();
        match bodies.len() - shown.len() {
            0 => shown.join(", "),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    };
    let error =
        |message: String, help: String| Err(vec![Diagnostic::error(codes::SELECTION, message).help(help)]);
    match (name, &bodies[..]) {
        (Some(name), _) => match bodies.iter().find(|f| f.name == name) {
            Some(func) => Ok(func),
            None => error(
                format!("there is no function `{name}` with a body"),
                if bodies.is_empty() {
                    "the file has none".to_string()
                } else {
                    format!("the file has {}", names())
                },
            ),
        },
        (None, [one]) => Ok(one),
        (None, []) => error("the file has no function with a body".into(), "write a `func.func`".into()),
        (None, _) => {
            let public: Vec<&&Func> = bodies.iter().filter(|f| !f.private).collect();
            match public[..] {
                [one] => Ok(one),
                _ => error(
                    format!("the file has {} functions", bodies.len()),
                    format!("choose one by `--function`: {}", names()),
                ),
            }
        }
    }
}
