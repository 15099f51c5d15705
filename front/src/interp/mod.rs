//! What a structured program means: an interpreter of [`crate::ir`].
//!
//! It shares the op table with the dataflow graph (what `addi` computes) and nothing else: control and memory are
//! done here in the plain way, so that the two can be checked against each other. Guarantees: deterministic; ends
//! within its step budget; every access is checked, and a word nobody wrote is never read: what cannot go on is a
//! [`Fault`], never a panic. The depth of regions and calls takes heap, not stack.
//!
//! Conventions: scalars are the low bits of a `u64`; memory is counted in words of the element type; globals keep
//! their words from call to call, allocations live until the outermost call returns. `ub.poison` is 0. A counting
//! loop moves as `dataflow.stream` does: an update that leaves the signed range ends it after the next comparison.
//!
//! Refused, as faults: a zero step, `scf.for` with a negative step whose first comparison holds, memref results of
//! the outermost call, and arguments of it that overlap where one is `noalias` or they have two alias sets.

mod fault;
mod run;
mod view;

pub use fault::{Fault, FaultKind};
pub use view::{BufferId, View};

use crate::ir::{OpId, Program, ValueType};
use loom_base::truncate;
use std::collections::BTreeMap;

/// Calls that may be active at once.
pub const MAX_CALLS: usize = 256;
/// Words that allocations of one call may take.
pub const MAX_WORDS: i64 = 1 << 24;

/// How a machine runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineOptions {
    /// Bits of `index`.
    pub index_width: u32,
    /// Operations of one call.
    pub max_steps: u64,
}

impl Default for MachineOptions {
    fn default() -> Self {
        MachineOptions { index_width: loom_dfg::types::DEFAULT_INDEX_WIDTH, max_steps: 10_000_000 }
    }
}

/// What a caller passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The low bits of a number.
    Scalar(u64),
    /// A memref.
    Memref(View),
}

/// A stretch of memory.
#[derive(Clone, Debug)]
struct Buffer {
    words: Vec<Option<u64>>,
    constant: bool,
    freed: bool,
}

/// A module with its memory.
#[derive(Clone, Debug)]
pub struct Machine<'m> {
    program: &'m Program,
    options: MachineOptions,
    buffers: Vec<Buffer>,
    globals: BTreeMap<&'m str, View>,
    /// Executed accesses: (function, operation).
    accesses: BTreeMap<(usize, OpId), u64>,
    steps: u64,
}

impl<'m> Machine<'m> {
    /// A machine whose globals hold what the module says. A global of open shape has no memory: reaching it is a
    /// fault.
    pub fn new(program: &'m Program, options: MachineOptions) -> Machine<'m> {
        let mut machine = Machine {
            program,
            options,
            buffers: Vec::new(),
            globals: BTreeMap::new(),
            accesses: BTreeMap::new(),
            steps: 0,
        };
        for global in &program.globals {
            let Some(count) = global.ty.words().and_then(|w| usize::try_from(w).ok()) else { continue };
            if count as i64 > MAX_WORDS {
                continue;
            }
            let mut words: Vec<Option<u64>> = match &global.init {
                Some(init) => init.iter().map(|&w| Some(w)).collect(),
                None => Vec::new(),
            };
            words.resize(count, None);
            let id = machine.push_buffer(words, global.constant);
            if let Some(view) = View::whole(&global.ty, id, count) {
                machine.globals.insert(&global.name, view);
            }
        }
        machine
    }

    /// Memory of the caller, all of it known.
    pub fn add_buffer(&mut self, words: Vec<u64>) -> BufferId {
        self.push_buffer(words.into_iter().map(Some).collect(), false)
    }

    fn push_buffer(&mut self, words: Vec<Option<u64>>, constant: bool) -> BufferId {
        self.buffers.push(Buffer { words, constant, freed: false });
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// The words of a buffer; `None` for those nobody wrote. A freed buffer is empty.
    pub fn buffer(&self, id: BufferId) -> &[Option<u64>] {
        self.buffers.get(id.0 as usize).map_or(&[], |b| &b.words)
    }

    /// The buffer behind a global.
    pub fn global(&self, name: &str) -> Option<BufferId> {
        self.globals.get(name).map(|view| view.buffer)
    }

    /// Operations that the last call executed.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How often an access of a function was executed, over all calls.
    pub fn access_count(&self, func: &str, op: OpId) -> u64 {
        let index = self.program.funcs.iter().position(|f| f.name == func);
        index.and_then(|f| self.accesses.get(&(f, op))).copied().unwrap_or(0)
    }

    /// Runs a function. After a fault memory is as far as the call came.
    pub fn call(&mut self, name: &str, arguments: &[Argument]) -> Result<Vec<u64>, Fault> {
        let error = |kind, message| Fault { kind, op: None, func: String::new(), span: None, message };
        let index = self.program.funcs.iter().position(|f| f.name == name);
        let Some(index) = index.filter(|&i| self.program.funcs[i].body.is_some()) else {
            return Err(error(FaultKind::NoBody, format!("no function `{name}` with a body")));
        };
        let func = &self.program.funcs[index];
        self.check_arguments(name, &func.argument_types, arguments)
            .map_err(|message| error(FaultKind::BadArgument, message))?;
        if func.result_types.iter().any(|t| t.memref().is_some()) {
            let message = format!("`{name}` gives a memref, which has no meaning outside of the program");
            return Err(error(FaultKind::BadArgument, message));
        }
        let promised = &func.argument_attributes;
        for (i, a) in promised.iter().enumerate() {
            let apart = |j: usize| promised.get(j).is_some_and(|b| !a.may_overlap(b));
            if let Some(j) = (0..arguments.len()).find(|&j| j != i && apart(j) && overlap(arguments, i, j)) {
                let (which, what) = match (a.noalias, promised[j].noalias) {
                    (true, _) => (i, "is noalias"),
                    (false, true) => (j, "is noalias"),
                    (false, false) => (i, "has another alias set"),
                };
                let other = i + j - which;
                let message =
                    format!("argument {which} of `{name}` {what}, but argument {other} overlaps it");
                return Err(error(FaultKind::Aliased, message));
            }
        }
        let kept = self.buffers.len();
        let result = run::run(self, index, arguments);
        // Nothing can name what the call has allocated any more.
        self.buffers.truncate(kept);
        result
    }

    fn check_arguments(&self, name: &str, types: &[ValueType], given: &[Argument]) -> Result<(), String> {
        if types.len() != given.len() {
            return Err(format!("{} arguments for `{name}`, which takes {}", given.len(), types.len()));
        }
        for (i, (ty, argument)) in types.iter().zip(given).enumerate() {
            match (ty, argument) {
                (ValueType::Scalar(_), Argument::Scalar(_)) => {}
                (ValueType::Memref(ty), Argument::Memref(view)) => {
                    let Some(buffer) = self.buffers.get(view.buffer.0 as usize) else {
                        return Err(format!("argument {i} of `{name}` views a buffer that does not exist"));
                    };
                    view.check_type(ty).map_err(|(_, m)| format!("argument {i} of `{name}`: {m}"))?;
                    if !view.fits(buffer.words.len() as i64) {
                        return Err(format!(
                            "argument {i} of `{name}` reaches beyond the {} words of its buffer",
                            buffer.words.len()
                        ));
                    }
                }
                (ValueType::Scalar(_), _) => return Err(format!("argument {i} of `{name}` is no memref")),
                (ValueType::Memref(_), _) => return Err(format!("argument {i} of `{name}` is a memref")),
            }
        }
        Ok(())
    }

    fn width_of(&self, ty: &ValueType) -> u32 {
        ty.scalar().map_or(0, |t| t.width(self.options.index_width))
    }

    fn fit(&self, bits: u64, ty: &ValueType) -> u64 {
        truncate(bits, self.width_of(ty))
    }
}

fn overlap(arguments: &[Argument], i: usize, j: usize) -> bool {
    match (&arguments[i], &arguments[j]) {
        (Argument::Memref(a), Argument::Memref(b)) if a.buffer == b.buffer => match (a.span(), b.span()) {
            (Some(a), Some(b)) => a.0 <= b.1 && b.0 <= a.1,
            _ => false,
        },
        _ => false,
    }
}
