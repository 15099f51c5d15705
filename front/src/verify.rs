//! What a good module is: symbols, regions and terminators, dominance, types, shapes.
//!
//! Takes any arena, also one that a program built wrongly: ids out of range and regions listed twice are
//! reported first, and a function that has such is not looked at further. All other errors of a module are
//! independent and come in one run.

mod dominance;
mod ops;
mod shape;

use crate::codes;
use crate::ir::{
    BlockId, Func, Global, Kind, MemrefLayout, OpId, Program, RegionId, ValueDef, ValueId, ValueType,
};
use loom_base::name::shown;
use loom_base::{Code, Diagnostic, Diagnostics, Name, NAME_RULE};
use loom_dfg::Type;
use std::collections::BTreeMap;

/// Regions inside a function's body: the parser reads as deep, and the printer and the lowering recurse.
pub(crate) const MAX_DEPTH: usize = 60;

/// Checks a whole module.
pub fn verify(program: &Program) -> Diagnostics {
    verify_parts(program, true)
}

/// Checks what there is; names that are not there are reported only for a complete module.
pub(crate) fn verify_parts(program: &Program, complete: bool) -> Diagnostics {
    let mut errors = Vec::new();
    let mut seen: BTreeMap<&str, Option<std::ops::Range<usize>>> = BTreeMap::new();
    let globals = program.globals.iter().map(|g| (g.name.as_str(), &g.span));
    let mut symbols: Vec<_> =
        globals.chain(program.funcs.iter().map(|f| (f.name.as_str(), &f.span))).collect();
    symbols.sort_by_key(|s| s.1.as_ref().map(|r| r.start));
    for (name, span) in symbols {
        if let Some(before) = seen.get(name) {
            let d = Diagnostic::error(codes::DEFINED_TWICE, format!("the symbol `@{name}` is defined twice"));
            let d = d.at_opt(span.clone(), "").at_opt(before.clone(), "first defined here");
            errors.push(d.help("give it another name"));
        } else {
            seen.insert(name, span.clone());
        }
    }
    for global in &program.globals {
        errors.extend(check_global(global));
    }
    let mut callees = BTreeMap::new();
    for func in &program.funcs {
        callees.entry(func.name.as_str()).or_insert(func);
    }
    for func in &program.funcs {
        // Declarations become nothing that has the name.
        if func.body.is_some() && Name::new(&func.name).is_none() {
            let shown = shown(&func.name);
            let d = Diagnostic::error(codes::NAME, format!("no function can be called `{shown}`"));
            let help = format!("files are called after it: {NAME_RULE}");
            errors.push(d.at_opt(func.span.clone(), "").help(help));
        }
        let visible = vec![false; func.values.len()];
        let mut verifier = Verifier { program, func, callees: &callees, complete, visible, errors };
        verifier.function();
        errors = verifier.errors;
    }
    errors
}

fn check_global(global: &Global) -> Option<Diagnostic> {
    let error = |code, message: &str| {
        let message = format!("the global `@{}` {message}", global.name);
        Some(Diagnostic::error(code, message).at_opt(global.span.clone(), ""))
    };
    let words = global.ty.words().filter(|_| global.ty.shape.iter().all(|d| d.is_some_and(|d| d >= 0)));
    let Some(words) = words.filter(|_| global.ty.layout == MemrefLayout::Identity) else {
        return error(codes::SHAPE, "must have a static shape and no layout");
    };
    let width = global.ty.element.width(64);
    match &global.init {
        Some(init) if init.len() as i64 != words => {
            error(codes::SHAPE, &format!("has {words} words and an initial value of {}", init.len()))
        }
        Some(init) if init.iter().any(|&w| loom_base::truncate(w, width) != w) => {
            error(codes::LITERAL, "has an initial value that does not fit its type")
        }
        _ => None,
    }
}

pub(super) struct Verifier<'m> {
    program: &'m Program,
    func: &'m Func,
    /// By name: a program may have many functions, and as many calls.
    callees: &'m BTreeMap<&'m str, &'m Func>,
    complete: bool,
    /// Whether a value can be used here.
    visible: Vec<bool>,
    errors: Diagnostics,
}

impl Verifier<'_> {
    fn function(&mut self) {
        let func = self.func;
        let (code, message, help) = match sound(func) {
            Ok(depth) if depth <= MAX_DEPTH => return self.sound_function(),
            Ok(depth) => (
                codes::NESTING,
                format!("nests regions {depth} levels deep, {MAX_DEPTH} are allowed"),
                "flatten it, or move a part to a function",
            ),
            Err(message) => {
                (codes::STRUCTURE, message, "this is an error of the program that built the function")
            }
        };
        let d = Diagnostic::error(code, format!("the function `@{}` {message}", func.name));
        self.errors.push(d.at_opt(func.span.clone(), "").help(help));
    }

    fn sound_function(&mut self) {
        let func = self.func;
        for value in &func.values {
            let bad = match &value.ty {
                ValueType::Scalar(ty) => *ty == Type::None,
                ValueType::Memref(m) => m.element == Type::None || !shape::is_possible(m),
            };
            if bad {
                let span = match value.def {
                    ValueDef::Result { op, .. } => func.op(op).span.clone(),
                    ValueDef::Argument { .. } => func.span.clone(),
                };
                let message = format!("`{}` has a size that is negative or beyond 64 bits", value.ty);
                self.errors.push(Diagnostic::error(codes::SHAPE, message).at_opt(span, ""));
            }
        }
        let Some(body) = func.body else {
            return;
        };
        let types: Vec<ValueType> = func.arguments().iter().map(|&v| func.ty(v).clone()).collect();
        if types != func.argument_types || func.argument_attributes.len() != types.len() {
            let message =
                format!("the entry block of `@{}` does not have the function's arguments", func.name);
            self.errors.push(
                Diagnostic::error(codes::TYPE_MISMATCH, message)
                    .at_opt(func.span.clone(), "")
                    .help("give both the same types"),
            );
        }
        self.region(body, None);
    }

    /// An error at an operation.
    fn error(&mut self, op: OpId, code: Code, message: impl Into<String>) -> &mut Diagnostic {
        let mut d = Diagnostic::error(code, message).at_opt(self.func.op(op).span.clone(), "");
        if d.labels.is_empty() {
            d = d.note(format!("in the function `@{}`", self.func.name));
        }
        self.errors.push(d);
        let last = self.errors.len() - 1;
        &mut self.errors[last]
    }

    fn fail(&mut self, op: OpId, code: Code, message: impl Into<String>, help: &str) {
        self.error(op, code, message).help = Some(help.to_string());
    }

    fn region(&mut self, region: RegionId, parent: Option<OpId>) {
        let order = dominance::preorder(self.func, region);
        // A stack of what dominating blocks define: a block's own goes when its subtree is done.
        let mut open: Vec<(usize, Vec<ValueId>)> = Vec::new();
        for (depth, block) in order {
            while open.len() > depth {
                self.hide(&mut open);
            }
            let mut defined = Vec::new();
            self.block(block, region, parent, &mut defined);
            open.push((depth, defined));
        }
        while !open.is_empty() {
            self.hide(&mut open);
        }
    }

    fn hide(&mut self, open: &mut Vec<(usize, Vec<ValueId>)>) {
        for value in open.pop().map(|o| o.1).unwrap_or_default() {
            self.visible[value.0 as usize] = false;
        }
    }

    fn show(&mut self, values: &[ValueId], defined: &mut Vec<ValueId>) {
        for &value in values {
            self.visible[value.0 as usize] = true;
            defined.push(value);
        }
    }

    fn block(&mut self, block: BlockId, region: RegionId, parent: Option<OpId>, defined: &mut Vec<ValueId>) {
        let func = self.func;
        let record = func.block(block);
        self.show(&record.arguments, defined);
        for (i, &id) in record.ops.iter().enumerate() {
            let op = func.op(id);
            let used = op.operands.iter().chain(op.successors.iter().flat_map(|s| &s.arguments));
            for &value in used {
                if !self.visible[value.0 as usize] {
                    self.not_visible(id, value);
                }
            }
            let last = i + 1 == record.ops.len();
            match (last, op.kind.is_terminator()) {
                (true, true) => self.terminator(id, region, parent),
                (true, false) => {
                    self.fail(id, codes::TERMINATOR, "a block ends without a terminator", ends(func, parent))
                }
                (false, true) => self.fail(
                    id,
                    codes::TERMINATOR,
                    "a terminator in the middle of a block",
                    "make it the last",
                ),
                (false, false) => {}
            }
            self.operation(id);
            for (k, &inner) in op.regions.iter().enumerate() {
                self.inner_region(id, k, inner);
            }
            self.show(&op.results, defined);
        }
        if record.ops.is_empty() {
            let message = "a block without operations";
            match parent {
                Some(op) => self.fail(op, codes::TERMINATOR, message, ends(func, parent)),
                None => {
                    let d = Diagnostic::error(codes::TERMINATOR, message).at_opt(func.span.clone(), "");
                    self.errors.push(d.help(ends(func, parent)));
                }
            }
        }
    }

    fn inner_region(&mut self, op: OpId, which: usize, region: RegionId) {
        let func = self.func;
        let record = func.op(op);
        match func.region(region).blocks.len() {
            1 => self.region(region, Some(op)),
            0 if record.kind == Kind::If && which == 1 && record.results.is_empty() => {}
            0 => {
                self.fail(op, codes::STRUCTURE, "an empty region", "give it a block that yields the results")
            }
            _ => self.fail(
                op,
                codes::STRUCTURE,
                "a structured region of several blocks",
                "use jumps of `cf` only at the top of a function",
            ),
        }
    }

    fn not_visible(&mut self, op: OpId, value: ValueId) {
        let func = self.func;
        let name = self.name(value);
        let span = match func.value(value).def {
            ValueDef::Result { op, .. } => func.op(op).span.clone(),
            ValueDef::Argument { .. } => None,
        };
        let message = format!("{name} is used where its definition does not reach");
        let d = self.error(op, codes::DOMINANCE, message);
        if let Some(span) = span.filter(|_| !d.labels.is_empty()) {
            *d = d.clone().at(span, "defined here");
        }
        d.help = Some("every way to the use must pass the definition".to_string());
    }

    fn name(&self, value: ValueId) -> String {
        match self.func.value(value).name.as_str() {
            "" => "a value".to_string(),
            name => format!("`%{name}`"),
        }
    }
}

/// What the blocks of a region must end with.
fn ends(func: &Func, parent: Option<OpId>) -> &'static str {
    match parent.map(|op| &func.op(op).kind) {
        None => "end it with `func.return` or a jump of `cf`",
        Some(Kind::While) => "end the first region with `scf.condition`, the second with `scf.yield`",
        Some(_) => "end it with `scf.yield`",
    }
}

/// How deep regions nest in a function that verifies.
pub(crate) fn depth(func: &Func) -> usize {
    let mut deepest = 0;
    let mut work: Vec<(RegionId, usize)> = func.body.into_iter().map(|r| (r, 0)).collect();
    while let Some((region, depth)) = work.pop() {
        deepest = deepest.max(depth);
        let ops = func.region(region).blocks.iter().flat_map(|&b| &func.block(b).ops);
        work.extend(ops.flat_map(|&op| &func.op(op).regions).map(|&r| (r, depth + 1)));
    }
    deepest
}

/// Whether all ids lead somewhere and everything is listed once; how deep regions nest.
fn sound(func: &Func) -> Result<usize, String> {
    let mut deepest = 0;
    let values = func.values.len();
    let mut op_seen = vec![false; func.ops.len()];
    let mut block_seen = vec![false; func.blocks.len()];
    let mut region_seen = vec![false; func.regions.len()];
    let mut stack: Vec<(RegionId, usize)> = func.body.into_iter().map(|r| (r, 0)).collect();
    let once = |seen: &mut Vec<bool>, id: u32, what: &str| match seen.get_mut(id as usize) {
        None => Err(format!("names {what} {id}, which does not exist")),
        Some(true) => Err(format!("lists {what} {id} twice")),
        Some(slot) => {
            *slot = true;
            Ok(())
        }
    };
    let good = |v: &ValueId, def: ValueDef| func.values.get(v.0 as usize).is_some_and(|r| r.def == def);
    while let Some((region, depth)) = stack.pop() {
        once(&mut region_seen, region.0, "region")?;
        deepest = deepest.max(depth);
        for &block in &func.region(region).blocks {
            once(&mut block_seen, block.0, "block")?;
            let record = func.block(block);
            for (index, value) in record.arguments.iter().enumerate() {
                if !good(value, ValueDef::Argument { block, index }) {
                    return Err(format!("has an argument of block {} that says otherwise", block.0));
                }
            }
            for &op in &record.ops {
                once(&mut op_seen, op.0, "operation")?;
                let record = func.op(op);
                for (index, value) in record.results.iter().enumerate() {
                    if !good(value, ValueDef::Result { op, index }) {
                        return Err(format!("has a result of operation {} that says otherwise", op.0));
                    }
                }
                let jumps = record.successors.iter().flat_map(|s| &s.arguments);
                if record.operands.iter().chain(jumps).any(|v| v.0 as usize >= values) {
                    return Err(format!("uses a value that does not exist in operation {}", op.0));
                }
                if record.successors.iter().any(|s| s.block.0 as usize >= func.blocks.len()) {
                    return Err(format!("jumps to a block that does not exist in operation {}", op.0));
                }
                stack.extend(record.regions.iter().map(|&r| (r, depth + 1)));
            }
        }
    }
    if func.body.is_some_and(|b| func.region(b).blocks.is_empty()) {
        return Err("has a body without blocks".to_string());
    }
    // Dead operations may be anything, but values name their producers.
    let dangling = func.values.iter().any(|v| match v.def {
        ValueDef::Argument { block, .. } => block.0 as usize >= func.blocks.len(),
        ValueDef::Result { op, .. } => op.0 as usize >= func.ops.len(),
    });
    if dangling {
        return Err("has a value whose producer does not exist".to_string());
    }
    Ok(deepest)
}
