//! The canonical text of a graph.
//!
//! A value with several uses gets `%x_f:n = fork [n] %x : T` right after its producer; fork results go to operands
//! in node order, outputs last. A value without use gets a `sink`: the specification makes discard the rule, but CIRCT
//! accepts only values that are consumed, and the file is meant for both. Where one fork has too few results, its last one goes
//! to another.

use super::parser::MAX_RESULTS;
use crate::graph::{Graph, Memory, MemoryPlace, Node, Use, ValueDef, ValueId};
use crate::op::Form;
use crate::{Counter, Op, OpKind, Type};
use loom_base::sign_extend;
use std::collections::BTreeSet;
use std::fmt::Write;

pub(super) fn print(graph: &Graph) -> String {
    let mut p = Printer::new(graph);
    let list = |items: Vec<String>| items.join(", ");
    // Memory arguments stand at their own positions, values in order between them.
    let mut arguments: Vec<(&str, String)> = graph
        .arguments
        .iter()
        .map(|&a| (graph.value(a).name.as_str(), graph.value(a).ty.to_string()))
        .collect();
    let mut external: Vec<(usize, &Memory)> = graph
        .memories
        .iter()
        .filter_map(|m| match m.place {
            MemoryPlace::Argument { position } => Some((position, m)),
            MemoryPlace::Private { .. } => None,
        })
        .collect();
    external.sort_by_key(|e| e.0);
    for (position, m) in external {
        arguments.insert(position.min(arguments.len()), (&m.name, memref(m.element, m.words)));
    }
    let arg_names = list(arguments.iter().map(|a| format!("\"{}\"", a.0)).collect());
    let arguments = arguments.iter().map(|(name, ty)| format!("%{name}: {ty}"));
    // The dots are CIRCT's own spelling.
    let arguments = list(arguments.chain(["...".to_string()]).collect());
    let types = list(graph.outputs.iter().map(|o| graph.value(o.value).ty.to_string()).collect());
    let arrow = if graph.outputs.is_empty() { String::new() } else { format!(" -> ({types})") };
    let quoted = |name: &str| format!("\"{name}\"");
    let res_names = list(graph.outputs.iter().map(|o| quoted(&o.name)).collect());
    let limit =
        graph.max_join_fanin.map_or(String::new(), |n| format!(", loom.adg_max_join_fanin = {n} : i32"));
    let profile = match graph.profile.is_empty() {
        true => String::new(),
        false => format!(", loom.profile = [{}]", list(graph.profile.texts().map(|t| quoted(&t)).collect())),
    };
    let name = &graph.name;
    let _ = writeln!(p.text, "handshake.func @{name}({arguments}){arrow}");
    let _ = writeln!(
        p.text,
        "    attributes {{argNames = [{arg_names}], resNames = [{res_names}]{limit}{profile}}} {{"
    );
    for &a in &graph.arguments {
        p.consumers(a);
    }
    for value in &graph.values {
        if let ValueDef::Literal(bits) = value.def {
            let text = literal(bits, value.ty);
            let _ = writeln!(p.text, "  %{} = arith.constant {text}", value.name);
        }
    }
    for (n, node) in graph.nodes.iter().enumerate() {
        p.node(n, node);
        for &r in &node.results {
            p.consumers(r);
        }
    }
    let names: Vec<String> =
        (0..graph.outputs.len()).map(|k| p.operand_at(Use::Output(k), graph.outputs[k].value)).collect();
    let colon = if names.is_empty() { String::new() } else { format!(" {} : {types}", list(names)) };
    let _ = writeln!(p.text, "  return{colon}\n}}");
    p.text
}

struct Printer<'g> {
    graph: &'g Graph,
    uses: Vec<Vec<Use>>,
    /// The names of the forks of each value with several uses.
    forks: Vec<Vec<String>>,
    text: String,
}

impl<'g> Printer<'g> {
    fn new(graph: &'g Graph) -> Self {
        let uses = graph.uses();
        let mut taken: BTreeSet<String> = graph.values.iter().map(|v| v.name.clone()).collect();
        taken.extend(graph.memories.iter().map(|m| m.name.clone()));
        // In printing order, so that reading back gives the same names.
        let in_order = graph.arguments.iter().chain(graph.nodes.iter().flat_map(|n| &n.results));
        let mut forks = vec![Vec::new(); graph.values.len()];
        for &v in in_order.filter(|v| uses[v.0 as usize].len() > 1) {
            let name = &graph.value(v).name;
            let fork = match name.starts_with(|c: char| c.is_ascii_digit()) {
                true => format!("f{name}"),
                false => format!("{name}_f"),
            };
            for k in 0..forks_of(uses[v.0 as usize].len()) {
                let mut fork = if k == 0 { fork.clone() } else { format!("{fork}{}", k + 1) };
                while !taken.insert(fork.clone()) {
                    fork.push('_');
                }
                forks[v.0 as usize].push(fork);
            }
        }
        Printer { graph, uses, forks, text: String::new() }
    }

    /// The forks or sink of a value.
    fn consumers(&mut self, v: ValueId) {
        let value = self.graph.value(v);
        let uses = self.uses[v.0 as usize].len();
        if uses == 0 {
            let _ = writeln!(self.text, "  sink %{} : {}", value.name, value.ty);
        }
        let (mut from, mut left) = (value.name.clone(), uses);
        for fork in &self.forks[v.0 as usize] {
            let n = left.min(MAX_RESULTS);
            let _ = writeln!(self.text, "  %{fork}:{n} = fork [{n}] %{from} : {}", value.ty);
            (from, left) = (format!("{fork}#{PASSED_ON}"), left - n.min(PASSED_ON));
        }
    }

    /// How a use writes its value: by name, or as a fork's result.
    fn operand_at(&self, at: Use, v: ValueId) -> String {
        let uses = &self.uses[v.0 as usize];
        if uses.len() < 2 || self.graph.literal(v).is_some() {
            return format!("%{}", self.graph.value(v).name);
        }
        // Uses are in order: a value of a long program has as many as the program has lines.
        let index = uses.binary_search(&at).unwrap_or(0);
        let forks = &self.forks[v.0 as usize];
        let fork = (index / PASSED_ON).min(forks.len() - 1);
        format!("%{}#{}", forks[fork], index - fork * PASSED_ON)
    }

    fn node(&mut self, n: usize, node: &Node) {
        let id = crate::NodeId(n as u32);
        let operands: Vec<String> = node
            .operands
            .iter()
            .enumerate()
            .map(|(operand, &v)| self.operand_at(Use::Operand { node: id, operand }, v))
            .collect();
        let ty = |v: ValueId| self.graph.value(v).ty;
        let types = |ids: &[ValueId]| ids.iter().map(|&v| ty(v).to_string()).collect::<Vec<_>>().join(", ");
        let results: Vec<String> =
            node.results.iter().map(|&r| format!("%{}", self.graph.value(r).name)).collect();
        let all = operands.join(", ");
        let kind = node.op.kind();
        let first = |i: usize| node.operands.get(i).map_or(Type::None, |&v| ty(v));
        let out = node.results.first().map_or(Type::None, |&v| ty(v));
        let body = match kind {
            OpKind::Cmpi => match node.op {
                Op::Cmpi(p) => format!("arith.cmpi {}, {all} : {}", p.text(), first(0)),
                _ => String::new(),
            },
            OpKind::Cmpf => match node.op {
                Op::Cmpf(p) => format!("arith.cmpf {}, {all} : {}", p.text(), first(0)),
                _ => String::new(),
            },
            OpKind::Select => format!("arith.select {all} : {out}"),
            OpKind::Load | OpKind::Store => {
                let (address, rest) = operands.split_first().map_or(("", &[][..]), |(a, r)| (a.as_str(), r));
                let name = if kind == OpKind::Load { "load" } else { "store" };
                format!("{name} [{address}] {} : {}, {out}", rest.join(", "), first(0))
            }
            OpKind::Memory(ports) | OpKind::Extmemory(ports) => {
                let Op::Memory(id, _) = node.op else { return };
                let memory = self.graph.memory(id);
                let ty = memref(memory.element, memory.words);
                let counts = format!("[ld = {}, st = {}]", ports.loads, ports.stores);
                let types = format!("({}) -> ({})", types(&node.operands), types(&node.results));
                let (id, name) = (id.0, &memory.name);
                match &memory.place {
                    MemoryPlace::Argument { .. } => {
                        format!("extmemory{counts} (%{name} : {ty}) ({all}) {{id = {id} : i32}} : {types}")
                    }
                    MemoryPlace::Private { init } => {
                        let init = initial(memory.element, init);
                        format!(
                            "memory{counts} ({all}) {{id = {id} : i32, lsq = false, loom.name = \"{name}\"{init}}} : {ty}, {types}"
                        )
                    }
                }
            }
            // Stock tools with handshake in them know neither dialect.
            _ if kind.mnemonic().starts_with("math.") || kind == OpKind::Bitreverse => {
                format!("\"{}\"({all}) : ({}) -> {out}", kind.mnemonic(), types(&node.operands))
            }
            _ if matches!(kind.form(), Form::Cast(_)) => {
                format!("{} {all} : {} to {out}", kind.mnemonic(), first(0))
            }
            OpKind::Constant => {
                let bits = if let Op::Constant(bits) = node.op { bits } else { 0 };
                format!("constant {all} {{value = {}}} : {out}", literal(bits, out))
            }
            OpKind::Join(_) => format!("join {all} : {}", types(&node.operands)),
            OpKind::CondBr => format!("cond_br {all} : {out}"),
            OpKind::Mux(_) => {
                let data = operands.get(1..).unwrap_or_default().join(", ");
                let select = operands.first().map_or("", String::as_str);
                format!("mux {select} [{data}] : {}, {out}", first(0))
            }
            _ if matches!(kind.form(), Form::State(_)) => {
                let attributes = match node.op {
                    Op::Stream(counter, cond) => {
                        let unsigned = if counter.is_unsigned() {
                            format!(", {}", Counter::UNSIGNED)
                        } else {
                            String::new()
                        };
                        let (step, cond) = (counter.step_op.text(), cond.text());
                        format!(" {{step_op = \"{step}\", cont_cond = \"{cond}\"{unsigned}}}")
                    }
                    _ => String::new(),
                };
                let results = match &node.results[..] {
                    [one] => ty(*one).to_string(),
                    many => format!("({})", types(many)),
                };
                format!(
                    "\"{}\"({all}){attributes} : ({}) -> {results}",
                    kind.mnemonic(),
                    types(&node.operands)
                )
            }
            _ => format!("{} {all} : {out}", kind.mnemonic()),
        };
        let _ = writeln!(self.text, "  {} = {body}", results.join(", "));
    }
}

/// The result of a full fork that feeds the next one, where a value has more uses than one may have results.
const PASSED_ON: usize = MAX_RESULTS - 1;

/// Forks for so many uses.
fn forks_of(uses: usize) -> usize {
    1 + uses.saturating_sub(MAX_RESULTS).div_ceil(PASSED_ON)
}

/// A memory's type.
pub(super) fn memref(element: Type, words: Option<u64>) -> String {
    match words {
        Some(words) => format!("memref<{words}x{element}>"),
        None => format!("memref<?x{element}>"),
    }
}

/// The attribute with what a memory starts with: the bits as signed numbers.
fn initial(element: Type, init: &[u64]) -> String {
    if init.is_empty() {
        return String::new();
    }
    let words: Vec<String> = init.iter().map(|&w| sign_extend(w, element.width(64)).to_string()).collect();
    format!(", loom.init = array<i64: {}>", words.join(", "))
}

/// A literal with its type, as MLIR writes attributes; floats by their bits.
fn literal(bits: u64, ty: Type) -> String {
    match ty {
        Type::Int(1) => if bits & 1 == 1 { "true" } else { "false" }.to_string(),
        Type::Int(w) => format!("{} : {ty}", sign_extend(bits, u32::from(w))),
        Type::Index | Type::None => format!("{} : {ty}", bits as i64),
        _ => format!("0x{bits:0digits$X} : {ty}", digits = ty.width(64) as usize / 4),
    }
}
