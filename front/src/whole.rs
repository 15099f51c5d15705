//! One function, lowered as a whole: what selecting a region tries with each candidate. And the options of compiling.

use crate::ir::{Func, Global, Program};
use crate::lower::{self, Lowered};
use crate::normalize::{self, Plain};
use crate::order::Order;
use crate::passes::{self, Pass, PassTarget};
pub use crate::passes::{Aim, DivisionUnits};
use loom_base::Diagnostics;
use loom_dfg::budget::Budget;
use loom_dfg::{Graph, OpKind, StepOp, Type};
use std::fmt::Debug;
use std::num::NonZeroU32;
use std::sync::Arc;

/// What a fabric has room for, at a first look.
pub trait Room: Debug + Send + Sync {
    /// The fabric's name.
    fn fabric(&self) -> &str;

    /// What it lacks for a graph, one line each; empty when the graph may fit.
    fn missing(&self, graph: &Graph) -> Vec<String>;
}

impl Room for Budget {
    fn fabric(&self) -> &str {
        &self.fabric
    }

    fn missing(&self, graph: &Graph) -> Vec<String> {
        Budget::missing(self, graph)
    }
}

/// What to compile, and how.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// Which function; needed when the module has several with a body.
    pub function: Option<String>,
    /// Which region of it (see [`crate::select`]); the largest legal one otherwise.
    pub domain: Option<String>,
    /// How memory is kept in order.
    pub order: Order,
    /// Whether all arrays that the function is given are apart, as if each were `llvm.noalias`.
    pub noalias: bool,
    /// Bits of index on the fabric.
    pub index_width: u32,
    /// The step ops that the fabric's streams have for unsigned numbers too.
    pub unsigned_steps: Vec<StepOp>,
    /// How many of its streams have which step op; any number for those that are not listed.
    pub streams: Vec<(StepOp, usize)>,
    /// The elementary functions that become other ops, with their types: those that the fabric has no unit for.
    pub expanded: Vec<(OpKind, Type, Type)>,
    /// What the fabric has to divide with.
    pub division: DivisionUnits,
    /// The fabric's widest join.
    pub max_join_fanin: u32,
    /// What the fabric has, when one is known.
    pub room: Option<Arc<dyn Room>>,
    /// Iterations that innermost loops without a hint do at once.
    pub copies: Option<NonZeroU32>,
    /// What goes before the other: cycles, or units and lanes.
    pub aim: Aim,
    /// Leaves out the passes that lowering does without: to see what they are worth.
    pub only_needed: bool,
    /// A pass after which the program is kept as text ([`crate::compile::Compiled::printed`]).
    pub print_after: Option<&'static Pass>,
}

impl CompileOptions {
    /// What the passes ask of the fabric.
    pub fn target(&self) -> PassTarget {
        PassTarget {
            index_width: self.index_width,
            unsigned_steps: self.unsigned_steps.clone(),
            streams: self.streams.clone(),
            expanded: self.expanded.clone(),
            division: self.division.clone(),
            copies: self.copies,
            aim: self.aim,
            only_needed: self.only_needed,
        }
    }
}

impl Default for CompileOptions {
    fn default() -> Self {
        CompileOptions {
            function: None,
            domain: None,
            order: Order::default(),
            noalias: false,
            index_width: loom_dfg::types::DEFAULT_INDEX_WIDTH,
            unsigned_steps: PassTarget::default().unsigned_steps,
            streams: Vec::new(),
            expanded: Vec::new(),
            division: DivisionUnits::default(),
            max_join_fanin: loom_dfg::verify::MAX_FAN_IN,
            room: None,
            copies: None,
            aim: Aim::default(),
            only_needed: false,
            print_after: None,
        }
    }
}

/// Keeps the program after one pass.
pub(crate) struct Printer {
    after: Option<&'static Pass>,
    pub printed: Vec<String>,
}

impl Printer {
    pub fn new(options: &CompileOptions) -> Printer {
        Printer { after: options.print_after, printed: Vec::new() }
    }

    /// Shows it the program after a pass.
    pub fn see(&mut self, pass: &Pass, func: &Func, globals: &[Global]) {
        if self.after.is_some_and(|p| p.name == pass.name) {
            let program = Program { globals: globals.to_vec(), funcs: vec![func.clone()] };
            self.printed.push(crate::print(&program));
        }
    }
}

/// What becomes of one function, lowered as a whole.
pub struct Whole {
    /// Normalized.
    pub plain: Plain,
    /// Lowered.
    pub lowered: Lowered,
    /// The function after each run of [`CompileOptions::print_after`].
    pub printed: Vec<String>,
}

/// Lowers one function as a whole.
pub fn lower_whole(program: &Program, func: &Func, options: &CompileOptions) -> Result<Whole, Diagnostics> {
    let mut printer = Printer::new(options);
    let mut seen = |pass: &Pass, func: &Func, globals: &[Global]| printer.see(pass, func, globals);
    let plain = normalize::normalize(func, &program.globals, &options.target(), &mut seen)?;
    let lower = |p: &Plain| lower::lower(&p.func, &p.globals, &p.domains, &p.deps, options.order);
    let lowered = lower(&plain);
    // A guarded nest is taken when it needs fewer ops.
    if let Some(guarded) = plain.guarded().filter(|_| !options.only_needed) {
        let with_guard = lower(&guarded);
        if with_guard.graph.nodes.len() < lowered.graph.nodes.len() {
            printer.see(&passes::GUARD, &guarded.func, &guarded.globals);
            return Ok(Whole { plain: guarded, lowered: with_guard, printed: printer.printed });
        }
    }
    Ok(Whole { plain, lowered, printed: printer.printed })
}
