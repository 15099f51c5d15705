//! From the LLVM dialect of MLIR, as `mlir-translate --import-llvm` writes it, to programs of [`loom_front::ir`] with
//! `cf` control, `arith`, `math` and `memref`: the way in for C and C++.
//!
//! [`listing::defined`] says what `.ll` text defines and marks; [`Dialect`] is a module, of which [`convert`]
//! takes one function.
//!
//! The memory model: every pointer is a *root* (argument, local variable, global) and a number of words. A root becomes a
//! memref of one dimension; the type of its words follows from the accesses. Offsets are counted modulo the width of
//! `index`, which is exact for arrays of fewer than 2^31 words: C gives addresses outside of an array no meaning. A
//! pointer that may point into several roots carries the root's number, and each access chooses.
//!
//! Globals that the program changes are memory on chip with their initial contents, or, where the function runs beside
//! its program, arguments behind its own ([`Globals`]), and so are local arrays that have no room on chip ([`Locals`]);
//! [`stub`] is what takes its place there.
//!
//! Guarantees: the function that comes out passes `loom_front`'s verifier; what cannot be said is refused with the
//! place in the user's source, all of it in one run. Refuses: calls that are left after inlining, pointers kept in memory or
//! made from numbers, volatile and atomic accesses, types wider than 64 bits, arguments that are vectors, run-time storage.
//! No I/O.

mod address;
mod aliases;
mod callees;
mod chosen;
pub mod codes;
mod convert;
mod counts;
mod demand;
mod dominance;
mod ends;
mod fields;
mod globals;
pub mod hints;
mod indirect;
pub mod listing;
mod literal;
mod locals;
mod nulls;
mod padding;
mod places;
mod pointers;
pub mod private;
mod program;
mod reach;
mod results;
mod roots;
mod rows;
mod shape;
mod spans;
pub mod stub;
mod tables;
mod text;
mod types;
mod words;

use callees::Callees;
use convert::Extents;
pub use counts::MOST as MOST_COUNTED;
pub use locals::Locals;
use loom_base::{Diagnostic, Diagnostics, Source};
use loom_dfg::verify::MAX_PRIVATE_WORDS;
use loom_front::ir::{self, MemrefLayout, MemrefType, Program};
use places::Places;
use pointers::Pointers;
use roots::Root;
use std::collections::{BTreeMap, BTreeSet};

/// A module of the LLVM dialect.
pub struct Dialect {
    ops: Vec<text::Op>,
}

impl Dialect {
    /// Reads generic form with locations: `mlir-translate --import-llvm --mlir-print-op-generic
    /// --mlir-print-debuginfo`.
    pub fn read(mlir: &str) -> Result<Dialect, Diagnostics> {
        let ops =
            text::read(mlir).map_err(|e| {
                let line = mlir[..e.offset].matches('\n').count() + 1;
                let message = format!("line {line} of the LLVM dialect's text: {}", e.why);
                vec![Diagnostic::error(codes::UNREADABLE, message)
                    .help("mlir-translate 19 is what is understood")]
            })?;
        Ok(Dialect { ops })
    }

    /// The symbols of the functions that have bodies, in order.
    pub fn functions(&self) -> impl Iterator<Item = String> + '_ {
        self.ops.iter().filter(|op| op.has_body()).filter_map(|op| op.string("sym_name"))
    }
}

/// What the importer would stop at without a place, in `.ll` text after inlining: inline assembly and computed `goto`.
pub fn unimportable(ll: &str, source: &Source) -> Diagnostics {
    let places = Places::new(source);
    let refuse = |place: Option<text::Place>, what: &str, help: &str| {
        places.refuse(codes::OPERATION, place.as_ref(), what, help)
    };
    let assembly = listing::assembly(ll).into_iter();
    let jumps = listing::computed_jumps(ll).into_iter();
    (assembly.map(|place| refuse(place, "inline assembly", "write the operation in C")))
        .chain(
            jumps
                .map(|place| refuse(place, "a `goto` to an address (`goto *p`)", "use a `switch` in a loop")),
        )
        .collect()
}

/// What to convert.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The module.
    pub dialect: &'a Dialect,
    /// Symbol of the function.
    pub symbol: &'a str,
    /// Name it shall have.
    pub name: &'a str,
    /// Names of its arguments, as far as they are known.
    pub arguments: &'a [String],
    /// Names of its local variables in order ([`listing::variables`]); none where they are not known.
    pub variables: &'a [String],
    /// The user's file that spans point into, named as clang was given it.
    pub source: &'a Source,
    /// Where globals live that the program changes.
    pub globals: Globals,
    /// Those that no pointer from outside points at ([`private`]).
    pub private: &'a BTreeSet<String>,
    /// Which local arrays live there too.
    pub locals: Locals,
}

/// Where globals live that the program changes; constant ones are on chip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Globals {
    /// On chip, with their initial contents. Nobody else sees what the function writes to them.
    #[default]
    OnChip,
    /// In the program's memory: each is an argument behind the function's own.
    InMemory,
}

/// An address that is passed behind a function's arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passed {
    /// That of a global.
    Global(String),
    /// That of an argument once more, for words of another width.
    Argument(usize),
    /// The pointer that stands in a struct, so many bytes behind the start of what an argument points at.
    Field {
        /// Number of the argument.
        argument: usize,
        /// Bytes.
        offset: u64,
    },
    /// Room for a local array.
    Local {
        /// Which one: that of several views is one array.
        number: usize,
        /// Its size.
        bytes: u64,
        /// The byte of it that is passed.
        offset: u64,
    },
}

/// A pointer from outside that is a number: of words behind another. Slots are the arguments of the function, then the addresses
/// that are passed behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayEnd {
    /// Its slot.
    pub slot: usize,
    /// The slot of the pointer it lies behind.
    pub first: usize,
    /// Bytes of a word.
    pub word_bytes: u64,
}

/// A 64-bit argument that bounds what a loop counts, and is index: it is to be at most [`MOST_COUNTED`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexCount {
    /// Number of the argument.
    pub slot: usize,
    /// Whether it may be negative, and no less than that.
    pub signed: bool,
}

/// A converted function.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The function, and the globals on chip.
    pub program: Program,
    /// The addresses that are passed behind the arguments of the function.
    pub passed: Vec<Passed>,
    /// The pointers of both that are numbers.
    pub ends: Vec<ArrayEnd>,
    /// The arguments of which a number behind those says whether they are null.
    pub nulls: Vec<usize>,
    /// The 64-bit arguments that are index.
    pub counts: Vec<IndexCount>,
    /// Whether a run may have an address that 32 bits do not hold: it is for whoever runs the function to look.
    pub may_wrap: bool,
    /// What of it has no effect.
    pub warnings: Diagnostics,
}

/// Converts a function, with the globals it uses.
pub fn convert(input: &Input) -> Result<Converted, Diagnostics> {
    let ops = &input.dialect.ops;
    let places = Places::new(input.source).with(Callees::of(ops));
    let named = |op: &&text::Op| op.string("sym_name").as_deref() == Some(input.symbol);
    let op = ops.iter().filter(|op| op.has_body()).find(named);
    let Some(op) = op else {
        let message = format!("there is no function `{}` with a body", input.symbol);
        return Err(
            vec![Diagnostic::error(codes::FUNCTION, message).help("name a function that is defined")],
        );
    };
    let mut function =
        program::function(op).map_err(|e| vec![places.not_understood(e.place.as_ref(), &e.why)])?;
    shape::check(&function, &places)?;
    if function.variadic {
        let message = format!("`{}` takes any number of arguments", input.name);
        let help = "pass an array and its length";
        return Err(vec![places.refuse(codes::SIGNATURE, function.place.as_ref(), message, help)]);
    }
    let stack: Vec<usize> =
        (0..function.insts.len()).filter(|&i| function.insts[i].name() == "alloca").collect();
    let variables = match stack.len() == input.variables.len() {
        true => stack.into_iter().zip(input.variables.iter().cloned()).collect(),
        false => BTreeMap::new(),
    };
    let globals = globals::read(ops);
    tables::name(&mut function, &globals);
    chosen::words(&mut function);
    let types = globals.iter().map(|(name, g)| (name.clone(), g.ty.clone())).collect();
    let idle = padding::copies(&function, &types, &places);
    function.remove(&idle);
    let pointers = pointers::analyse(&function, &types, &places).map_err(told_once)?;
    let outside = match input.globals {
        Globals::InMemory => locals::in_memory(&function, &pointers, input.locals),
        Globals::OnChip => BTreeSet::new(),
    };
    let is_passed = |root: usize| match &pointers.roots[root] {
        Root::Global(name) => {
            input.globals == Globals::InMemory && globals.get(name).is_some_and(|g| !g.constant)
        }
        Root::Field { .. } => true,
        Root::Stack(_) => outside.contains(&root),
        Root::Argument(_) => false,
    };
    let views = |root: usize| {
        // An argument is its first view itself.
        let known = usize::from(matches!(pointers.roots[root], Root::Argument(_)));
        let behind = is_passed(root) || known == 1;
        pointers.views[root].iter().skip(known).filter(move |_| behind).map(move |&view| (root, view))
    };
    let passed: Vec<(usize, usize)> = (0..pointers.roots.len()).flat_map(views).collect();
    let (extents, globals) = storage(&function, &pointers, &passed, &globals, &places)?;
    let nulls = nulls::tested(&function, &pointers);
    let counts = counts::find(&function);
    let may_wrap = reach::may_wrap(&function, &pointers, &counts);
    let layout = convert::Layout {
        extents: &extents,
        variables: &variables,
        passed: &passed,
        nulls: &nulls,
        counts: &counts,
        private: input.private,
    };
    let (mut func, warnings) =
        convert::convert(&function, input.arguments, &pointers, &layout, &places).map_err(told_once)?;
    func.name = input.name.to_string();
    let arguments = function.blocks[0].arguments.len();
    let slot = |root: usize| match pointers.roots[root] {
        Root::Argument(index) => index,
        _ => arguments + passed.iter().position(|p| p.0 == root).expect("it is from outside"),
    };
    let end = |(&root, &first): (&usize, &usize)| {
        let word_bytes = pointers.words[first].widest();
        ArrayEnd { slot: slot(root), first: slot(first), word_bytes }
    };
    let ends = pointers.ends.iter().map(end).collect();
    let passed = passed.iter().filter_map(|&at| who(&function, &pointers, at)).collect();
    let program = Program { globals, funcs: vec![func] };
    let wrong = loom_front::verify::verify(&program);
    match loom_base::diag::has_errors(&wrong) {
        true => {
            Err(wrong.into_iter().map(|d| d.note("the conversion made this: please report it")).collect())
        }
        false => {
            let count = |(&slot, &signed)| IndexCount { slot, signed };
            let counts = counts.arguments.iter().map(count).collect();
            Ok(Converted { program, passed, ends, nulls, counts, may_wrap, warnings })
        }
    }
}

/// What a root and view is that becomes an argument.
fn who(function: &program::Function, pointers: &Pointers, (root, view): (usize, usize)) -> Option<Passed> {
    Some(match &pointers.roots[root] {
        Root::Global(name) => Passed::Global(name.clone()),
        &Root::Field { argument, offset } => Passed::Field { argument, offset },
        &Root::Argument(index) => Passed::Argument(index),
        &Root::Stack(inst) => {
            let bytes = locals::bytes(function, &function.insts[inst])?;
            Passed::Local { number: root, bytes, offset: pointers.words[root].start(view).unsigned_abs() }
        }
    })
}

/// One error for one thing said of one place; a type is spoken of once, and not where what gives it is refused.
fn told_once(mut errors: Diagnostics) -> Diagnostics {
    let mut out: Diagnostics = Vec::new();
    let others: Vec<_> = errors.iter().filter(|e| e.code != codes::TYPE).map(|e| e.labels.clone()).collect();
    errors.retain(|e| e.code != codes::TYPE || e.labels.is_empty() || !others.contains(&e.labels));
    for error in errors {
        let said = |e: &Diagnostic| {
            e.message == error.message && (e.labels == error.labels || error.code == codes::TYPE)
        };
        match out.iter_mut().find(|e| said(e)) {
            Some(known) if known.labels.is_empty() => *known = error,
            Some(_) => {}
            None => out.push(error),
        }
    }
    out
}

/// Words of each root that has a fixed size, by view, and the globals that are used.
fn storage(
    function: &program::Function,
    pointers: &Pointers,
    passed: &[(usize, usize)],
    globals: &BTreeMap<String, globals::Global>,
    places: &Places,
) -> Result<(Extents, Vec<ir::Global>), Diagnostics> {
    let (mut extents, mut used, mut errors) = (Extents::new(), Vec::new(), Vec::new());
    let part = |root: usize, view| pointers.words[root].part(view).map(|(at, end)| at.abs_diff(end));
    let views = pointers.views.iter().enumerate();
    for (root, view) in views.flat_map(|(root, views)| views.iter().map(move |&view| (root, view))) {
        let element = pointers.words[root].views[view];
        let word = words::bytes_of(element);
        match &pointers.roots[root] {
            Root::Argument(_) | Root::Field { .. } => {}
            Root::Global(_) | Root::Stack(_) if passed.contains(&(root, view)) => {}
            Root::Stack(inst) => {
                let inst = &function.insts[*inst];
                match part(root, view).or(locals::bytes(function, inst)) {
                    Some(bytes) if bytes.div_ceil(word) > MAX_PRIVATE_WORDS => {
                        // A variable has no line of its own; the function has.
                        let place = inst.place().or(function.place.as_ref());
                        errors.push(too_large("a local array", bytes, word, place, places));
                    }
                    Some(bytes) => {
                        extents.insert((root, view), bytes.div_ceil(word).max(1));
                    }
                    None => errors.push(places.refuse(
                        codes::STORAGE,
                        inst.place(),
                        "a local array whose size is not constant",
                        "give it a constant size, or pass it as an argument",
                    )),
                }
            }
            Root::Global(name) => match global(name, (root, view), pointers, globals) {
                Some((words, global)) => {
                    extents.insert((root, view), words);
                    used.push(global);
                }
                None => errors.push(unknown_global(function, name, word, globals, places)),
            },
        }
    }
    if errors.is_empty() {
        Ok((extents, used))
    } else {
        Err(errors)
    }
}

/// A view of a global on chip, and its words.
fn global(
    name: &str,
    (root, view): (usize, usize),
    pointers: &Pointers,
    globals: &BTreeMap<String, globals::Global>,
) -> Option<(u64, ir::Global)> {
    let global = globals.get(name)?;
    let element = pointers.words[root].views[view];
    let word = words::bytes_of(element) as usize;
    let mut bytes = global.bytes.clone()?;
    bytes.resize(bytes.len().next_multiple_of(word).max(word), 0);
    let init = globals::words(&bytes, word);
    let words = init.len();
    let made = ir::Global {
        name: convert::view_name(name, element, pointers, root),
        ty: MemrefType { shape: vec![Some(words as i64)], element, layout: MemrefLayout::Identity },
        constant: global.constant,
        init: Some(init),
        span: None,
    };
    Some((words as u64, made))
}

/// Refuses a global whose contents are not known.
fn unknown_global(
    function: &program::Function,
    name: &str,
    word: u64,
    globals: &BTreeMap<String, globals::Global>,
    places: &Places,
) -> Diagnostic {
    let user = function
        .reached()
        .map(|i| &function.insts[i])
        .find(|i| i.name() == "mlir.addressof" && i.op.symbol("global_name") == Some(name));
    let place = user.and_then(|i| i.place()).or(function.place.as_ref());
    // A function that is given to one whose body is not here.
    let given = |i: &program::Inst| user.and_then(|u| u.result).is_some_and(|r| i.operands.contains(&r));
    let mut calls = function.reached().map(|i| &function.insts[i]).filter(|i| i.name() == "call");
    if let (false, Some(call)) = (globals.contains_key(name), calls.find(|i| given(i))) {
        if let Some(callee) = call.op.symbol("callee") {
            return places.no_body(callee, call.place());
        }
    }
    let size = globals.get(name).and_then(|g| g.ty.size());
    match size.filter(|&s| s > globals::MOST_BYTES) {
        Some(bytes) => too_large(&format!("the global `{name}`"), bytes, word, place, places),
        None => places.refuse(
            codes::STORAGE,
            place,
            format!("the global `{name}`, whose contents are not known"),
            "define it in one of the files, with numbers; no addresses",
        ),
    }
}

/// Refuses what has no room on chip.
fn too_large(what: &str, bytes: u64, word: u64, place: Option<&text::Place>, places: &Places) -> Diagnostic {
    let words = bytes.div_ceil(word);
    let message = format!("{what} of {words} words, a memory on chip has at most {MAX_PRIVATE_WORDS}");
    places.refuse(codes::STORAGE, place, message, "let the host hold it, and pass it as an argument")
}
