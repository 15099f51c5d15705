//! The canonical form: pretty MLIR, one operation a line, two spaces a level.
//!
//! Names are kept and made unique inside a function; values without a name get numbers. A `scf.for` that MLIR
//! does not have (another step or condition) is written as the `scf.while` it stands for.

mod control;

use super::hints;
use super::literal::literal_text;
use crate::ir::{
    Block, BlockId, Dim, Func, Global, IndexOrOperand, Kind, MemrefLayout, MemrefType, OpId, Operation,
    Program, RegionId, Successor, ValueId, ValueType,
};
use loom_dfg::op::Form;
use loom_dfg::{Op, OpKind, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

impl fmt::Display for MemrefType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("memref<")?;
        for dim in &self.shape {
            write!(f, "{}x", dim_text(*dim))?;
        }
        write!(f, "{}", self.element)?;
        if let MemrefLayout::Strided { strides, offset } = &self.layout {
            let strides: Vec<String> = strides.iter().map(|s| dim_text(*s)).collect();
            write!(f, ", strided<[{}]", strides.join(", "))?;
            if *offset != Some(0) {
                write!(f, ", offset: {}", dim_text(*offset))?;
            }
            f.write_str(">")?;
        }
        f.write_str(">")
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueType::Scalar(t) => t.fmt(f),
            ValueType::Memref(m) => m.fmt(f),
        }
    }
}

fn dim_text(dim: Dim) -> String {
    dim.map_or("?".to_string(), |n| n.to_string())
}

/// The canonical text of a module.
pub fn print(program: &Program) -> String {
    let mut out = String::new();
    for global in &program.globals {
        out.push_str(&global_text(global));
    }
    for func in &program.funcs {
        let mut printer = Printer {
            func,
            names: Vec::new(),
            taken: BTreeSet::new(),
            next_number: BTreeMap::new(),
            next: 0,
            out: String::new(),
        };
        printer.function();
        out.push_str(&printer.out);
    }
    out
}

fn symbol_text(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    let ok = name.chars().all(plain) && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if ok {
        format!("@{name}")
    } else {
        format!("@{}", quoted(name))
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\22"),
            '\\' => out.push_str("\\5C"),
            c if (c as u32) < 32 => out.push_str(&format!("\\{:02X}", c as u32)),
            c => out.push(c),
        }
    }
    out + "\""
}

fn global_text(global: &Global) -> String {
    let constant = if global.constant { "constant " } else { "" };
    let mut out = format!("memref.global {constant}{} : {} = ", symbol_text(&global.name), global.ty);
    let shape: Option<Vec<i64>> = global.ty.shape.iter().copied().collect();
    match (&global.init, shape) {
        (Some(words), Some(shape)) => {
            let mut texts = words.iter().map(|&w| literal_text(w, global.ty.element));
            match words.iter().all(|w| w == &words[0]) && !words.is_empty() {
                true => out.push_str(&format!("dense<{}>", texts.next().unwrap_or_default())),
                false if words.is_empty() => out.push_str("dense<>"),
                false => out.push_str(&format!("dense<{}>", nested(&shape, &mut texts))),
            }
        }
        _ => out.push_str("uninitialized"),
    }
    out + "\n"
}

fn nested(shape: &[i64], texts: &mut dyn Iterator<Item = String>) -> String {
    match shape {
        [] => texts.next().unwrap_or_default(),
        [first, rest @ ..] => {
            let parts: Vec<String> = (0..*first).map(|_| nested(rest, texts)).collect();
            format!("[{}]", parts.join(", "))
        }
    }
}

struct Printer<'f> {
    func: &'f Func,
    names: Vec<Option<String>>,
    taken: BTreeSet<String>,
    /// For a name: the next number to try behind it.
    next_number: BTreeMap<String, usize>,
    next: usize,
    out: String,
}

impl Printer<'_> {
    fn function(&mut self) {
        self.names = vec![None; self.func.values.len()];
        let func = self.func;
        let private = if func.private { "private " } else { "" };
        let mut head = format!("func.func {private}{}(", symbol_text(&func.name));
        let entry = func.body.and_then(|b| func.entry(b));
        let values = entry.map_or(&[][..], |b| &func.block(b).arguments[..]);
        for (i, ty) in func.argument_types.iter().enumerate() {
            if i > 0 {
                head.push_str(", ");
            }
            if let Some(&v) = values.get(i) {
                head.push_str(&format!("{}: ", self.define(v)));
            }
            head.push_str(&ty.to_string());
            let attributes = func.argument_attributes.get(i).copied().unwrap_or_default();
            let noalias = attributes.noalias.then(|| "llvm.noalias".to_string());
            let view = attributes.view.map(|view| format!("loom.view = {view} : i32"));
            let set = Some(attributes.alias_set).filter(|&set| set > 0);
            let set = set.map(|set| format!("loom.alias_set = {set} : i32"));
            let local = attributes.local.then(|| "loom.local".to_string());
            let range = attributes.range;
            let range =
                range.map(|(low, high)| format!("loom.least = {low} : i64, loom.most = {high} : i64"));
            let list: Vec<String> = [noalias, set, view, local, range].into_iter().flatten().collect();
            if !list.is_empty() {
                head.push_str(&format!(" {{{}}}", list.join(", ")));
            }
        }
        head.push(')');
        head.push_str(&bare_arrow(&func.result_types));
        self.out.push_str(&head);
        if let Some(body) = func.body {
            self.out.push_str(" {\n");
            self.region(body, 1, false);
            self.out.push('}');
        }
        self.out.push('\n');
    }

    fn fresh(&mut self, wanted: &str) -> String {
        let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-');
        let mut name: String = wanted.chars().map(|c| if good(c) { c } else { '_' }).collect();
        if name.is_empty() {
            name = self.next.to_string();
            self.next += 1;
            return name;
        }
        let start = name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '.'));
        if !start || name.ends_with('-') {
            name = format!("v{}", name.trim_end_matches('-'));
        }
        let mut unique = name.clone();
        let n = self.next_number.entry(name.clone()).or_default();
        while !self.taken.insert(unique.clone()) {
            unique = format!("{name}_{n}");
            *n += 1;
        }
        unique
    }

    fn define(&mut self, value: ValueId) -> String {
        let name = format!("%{}", self.fresh(&self.func.value(value).name.clone()));
        self.names[value.0 as usize] = Some(name.clone());
        name
    }

    fn value(&self, value: ValueId) -> String {
        match self.names.get(value.0 as usize).cloned().flatten() {
            Some(name) => name,
            // Only of a module that the verifier refuses, and of blocks that come later.
            None => format!("%undefined{}", value.0),
        }
    }

    fn values(&self, list: &[ValueId]) -> String {
        list.iter().map(|&v| self.value(v)).collect::<Vec<_>>().join(", ")
    }

    fn types(&self, list: &[ValueId]) -> String {
        list.iter().map(|&v| self.func.ty(v).to_string()).collect::<Vec<_>>().join(", ")
    }

    fn all_types(&self, list: &[ValueId]) -> Vec<ValueType> {
        list.iter().map(|&v| self.func.ty(v).clone()).collect()
    }

    /// `%a, %b = ` or `%r:2 = `.
    fn results(&mut self, op: &Operation) -> String {
        let names: Vec<String> = op.results.iter().map(|&r| self.func.value(r).name.clone()).collect();
        match &op.results[..] {
            [] => String::new(),
            [one] => format!("{} = ", self.define(*one)),
            many if names.iter().all(|n| n == &names[0]) => {
                let name = self.fresh(&names[0]);
                for (i, &v) in many.iter().enumerate() {
                    self.names[v.0 as usize] = Some(format!("%{name}#{i}"));
                }
                format!("%{name}:{} = ", many.len())
            }
            many => {
                let list: Vec<String> = many.iter().map(|&v| self.define(v)).collect();
                format!("{} = ", list.join(", "))
            }
        }
    }

    /// What is inside of the braces. `hide` drops a last terminator without operands.
    fn region(&mut self, region: RegionId, level: usize, hide: bool) {
        let blocks = self.func.region(region).blocks.clone();
        let labels: BTreeMap<BlockId, usize> = blocks.iter().enumerate().map(|(i, &b)| (b, i)).collect();
        if blocks.len() > 1 {
            self.define_ahead(&blocks);
        }
        for (i, &id) in blocks.iter().enumerate() {
            let block: &Block = self.func.block(id);
            if i > 0 {
                let arguments: Vec<String> = block
                    .arguments
                    .iter()
                    .map(|&v| format!("{}: {}", self.value(v), self.func.ty(v)))
                    .collect();
                let arguments =
                    if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) };
                self.out.push_str(&format!("{}^bb{i}{arguments}:\n", "  ".repeat(level - 1)));
            }
            for (k, &op) in block.ops.iter().enumerate() {
                let last = k + 1 == block.ops.len() && blocks.len() == 1;
                let record = self.func.op(op);
                if hide && last && record.kind == Kind::Yield && record.operands.is_empty() {
                    continue;
                }
                self.operation(op, level, &labels);
            }
        }
    }

    /// In regions of several blocks a use may stand before the definition: all names first.
    fn define_ahead(&mut self, blocks: &[BlockId]) {
        let func = self.func;
        for (i, &id) in blocks.iter().enumerate() {
            for &v in func.block(id).arguments.iter().filter(|_| i > 0) {
                self.define(v);
            }
            for &op in &func.block(id).ops {
                let op = func.op(op);
                // Raised loops print with one more result, so that theirs have names of their own.
                let raised = matches!(op.kind, Kind::For { .. }) && op.kind != Kind::COUNT_UP;
                match raised {
                    true => op.results.iter().for_each(|&v| drop(self.define(v))),
                    false => drop(self.results(op)),
                }
            }
        }
    }

    fn line(&mut self, level: usize, text: &str) {
        self.out.push_str(&"  ".repeat(level));
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// The results' text when the names are given already.
    fn results_known(&mut self, op: &Operation) -> String {
        let known: Vec<Option<String>> =
            op.results.iter().map(|r| self.names[r.0 as usize].clone()).collect();
        match &known[..] {
            [Some(first), ..] => match first.split_once('#') {
                Some((name, _)) => format!("{name}:{} = ", known.len()),
                None => format!("{} = ", self.values(&op.results)),
            },
            _ => self.results(op),
        }
    }

    fn operation(&mut self, id: OpId, level: usize, labels: &BTreeMap<BlockId, usize>) {
        let func = self.func;
        let op = func.op(id);
        match &op.kind {
            Kind::If => self.print_if(op, level),
            kind if *kind == Kind::COUNT_UP => self.print_for(op, level),
            Kind::For { counter, cond } => self.print_raised(op, level, *counter, *cond),
            Kind::While => self.print_while(op, level),
            Kind::IndexSwitch { cases } => self.print_switch(op, level, cases),
            _ => {
                let text = self.simple(op, labels);
                let results = self.results_known(op);
                self.line(level, &format!("{results}{text}"));
            }
        }
    }

    fn mixed(&self, list: &[IndexOrOperand], dynamic: &mut std::slice::Iter<ValueId>) -> String {
        let parts: Vec<String> = list
            .iter()
            .map(|n| match n {
                IndexOrOperand::Fixed(n) => n.to_string(),
                IndexOrOperand::Operand => dynamic.next().map_or(String::new(), |&v| self.value(v)),
            })
            .collect();
        format!("[{}]", parts.join(", "))
    }

    fn jump(&self, to: &Successor, labels: &BTreeMap<BlockId, usize>) -> String {
        let label = labels.get(&to.block).copied().unwrap_or(usize::MAX);
        match to.arguments.is_empty() {
            true => format!("^bb{label}"),
            false => format!("^bb{label}({} : {})", self.values(&to.arguments), self.types(&to.arguments)),
        }
    }

    /// An operation without regions, without its results.
    fn simple(&self, op: &Operation, labels: &BTreeMap<BlockId, usize>) -> String {
        let operands = self.values(&op.operands);
        let at = |i: usize| op.operands.get(i).map_or(String::new(), |&v| self.value(v));
        let ty = |i: usize| op.operands.get(i).map_or(String::new(), |&v| self.func.ty(v).to_string());
        let out = op.results.first().map(|&v| self.func.ty(v).clone());
        let result = out.as_ref().map_or(String::new(), |t| t.to_string());
        let rest = |n: usize| op.operands.get(n..).unwrap_or_default();
        let typed = |name: &str, values: &[ValueId]| match values.is_empty() {
            true => name.to_string(),
            false => format!("{name} {} : {}", self.values(values), self.types(values)),
        };
        match &op.kind {
            Kind::Scalar(scalar) => self.scalar(op, *scalar),
            Kind::Constant(bits) => {
                let ty = out.as_ref().and_then(ValueType::scalar).unwrap_or(Type::Index);
                match ty {
                    Type::I1 => format!("arith.constant {}", literal_text(*bits, ty)),
                    _ => format!("arith.constant {} : {ty}", literal_text(*bits, ty)),
                }
            }
            Kind::Poison => format!("ub.poison : {result}"),
            Kind::Yield => typed("scf.yield", &op.operands),
            Kind::Condition => typed(&format!("scf.condition({})", at(0)), rest(1)),
            Kind::Load => format!("memref.load {}[{}] : {}", at(0), self.values(rest(1)), ty(0)),
            Kind::Store => format!("memref.store {}, {}[{}] : {}", at(0), at(1), self.values(rest(2)), ty(1)),
            Kind::Alloc { on_stack } => {
                let hints = hints::text(" ", &op.hints);
                format!("memref.{}({operands}){hints} : {result}", if *on_stack { "alloca" } else { "alloc" })
            }
            Kind::Dealloc => format!("memref.dealloc {operands} : {}", ty(0)),
            Kind::Cast => format!("memref.cast {operands} : {} to {result}", ty(0)),
            Kind::Subview { offsets, sizes, strides } => {
                let mut dynamic = rest(1).iter();
                let lists: String = [offsets, sizes, strides]
                    .into_iter()
                    .map(|l| self.mixed(l, &mut dynamic) + " ")
                    .collect();
                format!("memref.subview {}{}: {} to {result}", at(0), lists, ty(0))
            }
            Kind::ReinterpretCast { offset, sizes, strides } => {
                let mut dynamic = rest(1).iter();
                let offset = self.mixed(&[*offset], &mut dynamic);
                let sizes = self.mixed(sizes, &mut dynamic);
                let strides = self.mixed(strides, &mut dynamic);
                format!(
                    "memref.reinterpret_cast {} to offset: {offset}, sizes: {sizes}, strides: {strides} : {} \
                     to {result}",
                    at(0),
                    ty(0)
                )
            }
            Kind::CollapseShape { groups } => {
                format!("memref.collapse_shape {operands} {} : {} into {result}", groups_text(groups), ty(0))
            }
            Kind::ExpandShape { groups, sizes } => {
                let sizes = self.mixed(sizes, &mut rest(1).iter());
                let groups = groups_text(groups);
                format!(
                    "memref.expand_shape {} {groups} output_shape {sizes} : {} into {result}",
                    at(0),
                    ty(0)
                )
            }
            Kind::Dim => format!("memref.dim {operands} : {}", ty(0)),
            Kind::GetGlobal(name) => format!("memref.get_global {} : {result}", symbol_text(name)),
            Kind::Call(name) => {
                let results = match &op.results[..] {
                    [one] => self.func.ty(*one).to_string(),
                    many => format!("({})", self.types(many)),
                };
                format!(
                    "func.call {}({operands}) : ({}) -> {results}",
                    symbol_text(name),
                    self.types(&op.operands)
                )
            }
            Kind::Return => typed("func.return", &op.operands),
            Kind::Br => {
                let to = op.successors.first().map_or(String::new(), |s| self.jump(s, labels));
                format!("cf.br {to}{}", hints::text(" ", &op.hints))
            }
            Kind::CondBr => {
                let list: Vec<String> = op.successors.iter().map(|s| self.jump(s, labels)).collect();
                format!("cf.cond_br {operands}, {}{}", list.join(", "), hints::text(" ", &op.hints))
            }
            Kind::Switch { cases } => {
                let mut list = Vec::new();
                for (i, s) in op.successors.iter().enumerate() {
                    let label = match i {
                        0 => "default".to_string(),
                        _ => cases.get(i - 1).map_or(String::new(), |c| c.to_string()),
                    };
                    list.push(format!("{label}: {}", self.jump(s, labels)));
                }
                let hints = hints::text(" ", &op.hints);
                format!("cf.switch {operands} : {}, [{}]{hints}", ty(0), list.join(", "))
            }
            Kind::Assert(message) => format!("cf.assert {operands}, {}", quoted(message)),
            Kind::Fence => "\"loom.fence\"() : () -> ()".to_string(),
            Kind::If | Kind::For { .. } | Kind::While | Kind::IndexSwitch { .. } => String::new(),
        }
    }

    fn scalar(&self, op: &Operation, scalar: Op) -> String {
        let operands = self.values(&op.operands);
        let ty = |v: Option<&ValueId>| v.map_or(String::new(), |&v| self.func.ty(v).to_string());
        let from = ty(op.operands.first());
        let to = ty(op.results.first());
        let name = scalar.kind().mnemonic();
        let nsw = if op.nsw { " overflow<nsw>" } else { "" };
        match (scalar, scalar.kind()) {
            (Op::Cmpi(p), _) => format!("{name} {}, {operands} : {from}", p.text()),
            (Op::Cmpf(p), _) => format!("{name} {}, {operands} : {from}", p.text()),
            (_, OpKind::Bitreverse) => format!("{name}({operands}) : ({from}) -> {to}"),
            (_, kind) if matches!(kind.form(), Form::Cast(_)) => {
                format!("{name} {operands}{nsw} : {from} to {to}")
            }
            _ => format!("{name} {operands}{nsw} : {to}"),
        }
    }
}

fn groups_text(groups: &[Vec<usize>]) -> String {
    let list: Vec<String> = groups
        .iter()
        .map(|g| format!("[{}]", g.iter().map(|n| n.to_string()).collect::<Vec<_>>().join(", ")))
        .collect();
    format!("[{}]", list.join(", "))
}

/// ` -> (i32, i32)`, nothing when there are none.
fn arrow(types: &[ValueType]) -> String {
    match types {
        [] => String::new(),
        many => format!(" -> ({})", many.iter().map(|t| t.to_string()).collect::<Vec<_>>().join(", ")),
    }
}

/// The same, without parentheses around one.
fn bare_arrow(types: &[ValueType]) -> String {
    match types {
        [one] => format!(" -> {one}"),
        many => arrow(many),
    }
}
