//! From parsed statements to the graph: names resolved, uses counted as written, forks, sinks and buffers
//! dissolved into use lists.

use super::parser::{Function, MemoryDecl, Memref, Stmt, ValueRef};
use crate::codes;
use crate::graph::{Graph, Memory, MemoryId, MemoryPlace, ValueId};
use crate::verify::{is_port_name, is_value_name};
use crate::{Op, Type};
use loom_base::limits::{MAX_NEAR, MAX_SHOWN};
use loom_base::name::shown;
use loom_base::{Diagnostic, Diagnostics, Name, NAME_RULE};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A value as the text has it: every fork and buffer result is one of its own.
struct TextValue {
    /// `f` and index, or only the name.
    shown: String,
    ty: Type,
    span: Range<usize>,
    /// The statement and its result, or the argument.
    from: From,
    uses: Vec<Range<usize>>,
}

#[derive(Clone, Copy)]
enum From {
    Argument,
    /// A memory argument, which only `extmemory` may name.
    Memref,
    Result {
        statement: usize,
        result: usize,
    },
}

struct Builder {
    function: Function,
    values: Vec<TextValue>,
    /// Name to (first value, number of values).
    names: BTreeMap<String, (usize, usize)>,
    /// Operand value indices of each statement; `None` where it did not resolve.
    operands: Vec<Vec<Option<usize>>>,
    errors: Diagnostics,
    /// Undefined names so far, up to those that are shown.
    undefined: usize,
}

pub(super) fn build(function: Function) -> Result<Graph, Diagnostics> {
    let mut b = Builder {
        function,
        values: Vec::new(),
        names: BTreeMap::new(),
        operands: Vec::new(),
        errors: Vec::new(),
        undefined: 0,
    };
    b.errors = std::mem::take(&mut b.function.errors);
    b.declare();
    b.resolve();
    b.check_uses();
    let ports = if b.function.poisoned.is_empty() { b.port_names() } else { Default::default() };
    let graph = if b.errors.is_empty() { b.graph(ports) } else { None };
    match graph {
        Some(graph) if b.errors.is_empty() => Ok(graph),
        _ => Err(b.errors),
    }
}

impl Builder {
    fn declare(&mut self) {
        let arguments = std::mem::take(&mut self.function.arguments);
        for a in &arguments {
            let from = if a.memref.is_some() { From::Memref } else { From::Argument };
            self.define(&a.name, 1, &a.span, &[a.ty], |_| from);
        }
        self.function.arguments = arguments;
        let body = std::mem::take(&mut self.function.body);
        for (statement, s) in body.iter().enumerate() {
            let mut first = 0;
            for r in &s.results {
                // Counts were checked by the parser: the types are there.
                let types = &s.result_types[first..first + r.count];
                let offset = first;
                self.define(&r.name, r.count, &r.span, types, |i| From::Result {
                    statement,
                    result: offset + i,
                });
                first += r.count;
            }
        }
        self.function.body = body;
    }

    fn define(
        &mut self,
        name: &str,
        count: usize,
        span: &Range<usize>,
        types: &[Type],
        from: impl Fn(usize) -> From,
    ) {
        if let Some(&(first, _)) = self.names.get(name) {
            self.errors.push(
                Diagnostic::error(codes::DEFINED_TWICE, format!("`%{name}` is defined twice"))
                    .at(span.clone(), "again here")
                    .at(self.values[first].span.clone(), "first here")
                    .help("give one of them another name"),
            );
            return;
        }
        self.names.insert(name.to_string(), (self.values.len(), count));
        for (i, &ty) in types.iter().enumerate() {
            let shown = if count > 1 { format!("{name}#{i}") } else { name.to_string() };
            self.values.push(TextValue { shown, ty, span: span.clone(), from: from(i), uses: Vec::new() });
        }
    }

    fn resolve(&mut self) {
        let body = std::mem::take(&mut self.function.body);
        for s in &body {
            let mut operands = Vec::new();
            for (i, r) in s.operands.iter().enumerate() {
                let value = self.lookup(r).filter(|&v| self.is_token(v, r));
                if let Some(v) = value {
                    self.values[v].uses.push(r.span.clone());
                    let (defined, used) = (self.values[v].ty, s.operand_types.get(i).copied());
                    if let Some(used) = used.filter(|&u| u != defined) {
                        self.errors.push(
                            Diagnostic::error(
                                codes::TYPE_MISMATCH,
                                format!("`%{}` is used as `{used}`, it is `{defined}`", self.values[v].shown),
                            )
                            .at(r.span.clone(), format!("used as `{used}`"))
                            .at(self.values[v].span.clone(), format!("defined as `{defined}`")),
                        );
                    }
                }
                operands.push(value);
            }
            self.operands.push(operands);
            if let Some(decl) = &s.memory {
                self.resolve_memory(decl);
            }
        }
        self.function.body = body;
        let mut ids: BTreeMap<u32, Range<usize>> = BTreeMap::new();
        for s in &self.function.body {
            let Some(decl) = &s.memory else { continue };
            if let Some(first) = ids.insert(decl.id, s.span.clone()) {
                self.errors.push(
                    Diagnostic::error(codes::MEMORY, format!("two memories have the `id` {}", decl.id))
                        .at(s.span.clone(), "again here")
                        .at(first, "first here")
                        .help("give each memory an `id` of its own"),
                );
            }
        }
    }

    /// A memory argument is no value that travels.
    fn is_token(&mut self, v: usize, r: &ValueRef) -> bool {
        let token = !matches!(self.values[v].from, From::Memref);
        if !token {
            self.values[v].uses.push(r.span.clone());
            self.errors.push(
                Diagnostic::error(codes::TYPE_MISMATCH, format!("`%{}` is a memory, not a value", r.name))
                    .at(r.span.clone(), "")
                    .help("only `extmemory` takes a memory argument"),
            );
        }
        token
    }

    fn resolve_memory(&mut self, decl: &MemoryDecl) {
        let Some(r) = &decl.argument else { return };
        let Some(v) = self.lookup(r) else { return };
        self.values[v].uses.push(r.span.clone());
        let defined = self.function.arguments.get(v).and_then(|a| a.memref);
        let message = match defined {
            None => format!("`%{}` is no memory argument of the function", r.name),
            Some(ty) if ty != decl.ty => {
                format!("`%{}` is used as `{}`, it is `{}`", r.name, memref(decl.ty), memref(ty))
            }
            Some(_) => return,
        };
        self.errors.push(
            Diagnostic::error(codes::TYPE_MISMATCH, message)
                .at(r.span.clone(), "")
                .at(self.values[v].span.clone(), "defined here"),
        );
    }

    fn lookup(&mut self, r: &ValueRef) -> Option<usize> {
        if self.function.poisoned.contains(&r.name) {
            return None;
        }
        let Some(&(first, count)) = self.names.get(&r.name) else {
            let mut d = Diagnostic::error(codes::UNDEFINED, format!("`%{}` is not defined", r.name))
                .at(r.span.clone(), "");
            // Of those that are not shown only the number matters.
            if self.undefined < MAX_SHOWN {
                self.undefined += 1;
                if let Some(near) = nearest(&r.name, &self.names) {
                    d = d.help(format!("did you mean `%{near}`"));
                }
            }
            self.errors.push(d);
            return None;
        };
        let index = r.index.unwrap_or(0);
        if index >= count {
            self.errors.push(
                Diagnostic::error(
                    codes::UNDEFINED,
                    format!("`%{}#{index}` does not exist, it has {count} values", r.name),
                )
                .at(r.span.clone(), "")
                .at(self.values[first].span.clone(), "defined here"),
            );
            return None;
        }
        Some(first + index)
    }

    /// Every value is used once as written; an op may discard a result as long as another one is used.
    fn check_uses(&mut self) {
        let mut used_results: BTreeSet<usize> = BTreeSet::new();
        for v in &self.values {
            if let (From::Result { statement, .. }, false) = (v.from, v.uses.is_empty()) {
                used_results.insert(statement);
            }
        }
        for v in &self.values {
            if self.function.poisoned.contains(v.shown.split('#').next().unwrap_or("")) {
                continue;
            }
            if let (From::Memref, true) = (v.from, v.uses.len() != 1) {
                let n = v.uses.len();
                let mut d =
                    Diagnostic::error(codes::MEMORY, format!("the memory `%{}` is used {n} times", v.shown))
                        .at(v.span.clone(), "a memory argument has exactly one `extmemory`");
                for u in &v.uses {
                    d = d.at(u.clone(), "used here");
                }
                self.errors.push(d.help("make all its accesses ports of one `extmemory`"));
                continue;
            }
            if v.uses.len() > 1 && !self.is_immediate(v.from) {
                let n = v.uses.len();
                let mut d = Diagnostic::error(
                    codes::USED_TWICE,
                    format!("`%{}` is used {n} times, a value has one use", v.shown),
                );
                for (i, u) in v.uses.iter().enumerate().skip(1).chain(v.uses.iter().enumerate().take(1)) {
                    d = d.at(u.clone(), if i == 0 { "first use" } else { "another use" });
                }
                let name: String = v.shown.replace('#', "_");
                self.errors
                    .push(d.help(format!("fork it: `%{name}_f:{n} = fork [{n}] %{} : {}`", v.shown, v.ty)));
            }
            if !v.uses.is_empty() {
                continue;
            }
            let discard = match v.from {
                From::Argument | From::Memref => false,
                From::Result { statement, .. } => {
                    let is_op = matches!(self.function.body[statement].kind, Stmt::Op(_));
                    is_op && used_results.contains(&statement)
                }
            };
            if !discard {
                self.errors.push(
                    Diagnostic::error(codes::UNUSED, format!("`%{}` is never used", v.shown))
                        .at(v.span.clone(), "its tokens would stay for ever")
                        .help(format!("use it, or discard it: `sink %{} : {}`", v.shown, v.ty)),
                );
            }
        }
    }

    /// An immediate is there for any number of uses.
    fn is_immediate(&self, from: From) -> bool {
        matches!(from, From::Result { statement, .. } if matches!(self.function.body[statement].kind, Stmt::Immediate(_)))
    }

    /// Port names of arguments and results.
    fn port_names(&mut self) -> (Vec<String>, Vec<String>) {
        let f = &self.function;
        let mut errors = Vec::new();
        let mut fit =
            |given: &Option<(Vec<String>, Range<usize>)>, key: &str, count: usize, default: Vec<String>| {
                let Some((names, span)) = given else {
                    return default;
                };
                if names.len() != count {
                    errors.push(
                        Diagnostic::error(
                            codes::ATTRIBUTE,
                            format!("`{key}` has {} names, the function has {count}", names.len()),
                        )
                        .at(span.clone(), ""),
                    );
                    return default;
                }
                names.clone()
            };
        let default = f.arguments.iter().enumerate().map(|(k, a)| {
            if is_port_name(&a.name) {
                a.name.clone()
            } else {
                format!("in{k}")
            }
        });
        let default = default.collect();
        let arguments = fit(&f.argument_names, "argNames", f.arguments.len(), default);
        let default = (0..f.result_types.len()).map(|k| format!("out{k}")).collect();
        let results = fit(&f.result_names, "resNames", f.result_types.len(), default);
        let names = arguments.iter().zip(std::iter::repeat("argument"));
        let names = names.chain(results.iter().zip(std::iter::repeat("result")));
        let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
        for (name, what) in names {
            let span = if what == "argument" { &f.argument_names } else { &f.result_names };
            let span = span.as_ref().map(|s| s.1.clone()).or(Some(f.name_span.clone()));
            if !is_port_name(name) {
                errors.push(
                    Diagnostic::error(
                        codes::PORT_NAME,
                        format!("the {what} name `{}` is no identifier", shown(name)),
                    )
                    .at_opt(span, "")
                    .help(format!("port names become Verilog names: {NAME_RULE}")),
                );
            } else if let Some(other) = seen.insert(name, what) {
                let other = if other == "argument" { "an argument" } else { "a result" };
                errors.push(
                    Diagnostic::error(
                        codes::PORT_NAME,
                        format!("the {what} name `{name}` is already that of {other}"),
                    )
                    .at_opt(span, "")
                    .help("give arguments and results names of their own in `argNames` and `resNames`"),
                );
            }
        }
        self.errors.extend(errors);
        (arguments, results)
    }

    /// Follows forks and buffers back to the value they pass on.
    fn origin(&self, mut v: usize) -> Result<usize, usize> {
        for _ in 0..=self.values.len() {
            match self.values[v].from {
                From::Result { statement, .. }
                    if !matches!(self.function.body[statement].kind, Stmt::Op(_) | Stmt::Immediate(_)) =>
                {
                    v = self.operands[statement].first().copied().flatten().unwrap_or(v);
                }
                _ => return Ok(v),
            }
        }
        Err(v)
    }

    fn graph(&mut self, (argument_names, result_names): (Vec<String>, Vec<String>)) -> Option<Graph> {
        let mut origins = Vec::new();
        for v in 0..self.values.len() {
            match self.origin(v) {
                Ok(origin) => origins.push(origin),
                Err(on_cycle) => {
                    let value = &self.values[on_cycle];
                    self.errors.push(
                        Diagnostic::error(
                            codes::DEAD_CYCLE,
                            "forks and buffers in a cycle never see a token",
                        )
                        .at(value.span.clone(), "on the cycle")
                        .help("a loop needs a `dataflow.carry`"),
                    );
                    return None;
                }
            }
        }
        let f = &self.function;
        let mut graph = Graph::new(Name::cleaned(&f.name, "graph"));
        graph.max_join_fanin = f.max_join_fanin;
        graph.profile = f.profile.clone();
        let mut taken: BTreeSet<String> = argument_names.iter().cloned().collect();
        let mut ids: Vec<Option<ValueId>> = vec![None; self.values.len()];
        for (k, a) in f.arguments.iter().enumerate().filter(|(_, a)| a.memref.is_none()) {
            ids[k] = Some(graph.add_argument(argument_names[k].clone(), a.ty));
        }
        let memory_of = memories(f, &argument_names, &mut graph);
        // Nodes first with operands to be patched: text may refer forward.
        let mut nodes = Vec::new();
        for (statement, s) in f.body.iter().enumerate() {
            if let Stmt::Op(mut op) = s.kind {
                if let (Op::Memory(_, kind), Some(decl)) = (op, &s.memory) {
                    op = Op::Memory(memory_of.get(&decl.id).copied().unwrap_or(MemoryId(0)), kind);
                }
                let node = graph.add_node(op, &vec![ValueId(0); s.operands.len()], &s.result_types);
                graph.nodes[node.0 as usize].span = Some(s.span.clone());
                nodes.push((statement, node));
            }
        }
        for (v, value) in self.values.iter().enumerate() {
            if let From::Result { statement, result } = value.from {
                if let Stmt::Immediate(bits) = f.body[statement].kind {
                    let name = unique(&mut taken, &value.shown);
                    ids[v] = Some(graph.add_literal(name, bits, value.ty));
                    continue;
                }
                if let Ok(at) = nodes.binary_search_by_key(&statement, |n| n.0) {
                    let id = graph.result(nodes[at].1, result);
                    graph.values[id.0 as usize].name = unique(&mut taken, &value.shown.replace('#', "_"));
                    ids[v] = Some(id);
                }
            }
        }
        // An op may leave results unnamed (`"op"(...)` alone): its values still need names.
        let named: BTreeSet<ValueId> = ids.iter().flatten().copied().collect();
        for v in (0..graph.values.len()).filter(|&v| !named.contains(&ValueId(v as u32))) {
            let name = graph.values[v].name.clone();
            graph.values[v].name = unique(&mut taken, &name);
        }
        let id_of = |operand: Option<usize>| operand.and_then(|v| ids[origins[v]]).unwrap_or(ValueId(0));
        for &(statement, node) in &nodes {
            for (i, &operand) in self.operands[statement].iter().enumerate() {
                graph.set_operand(node, i, id_of(operand));
            }
        }
        for (statement, s) in f.body.iter().enumerate() {
            if matches!(s.kind, Stmt::Return) {
                for (name, &operand) in result_names.iter().zip(&self.operands[statement]) {
                    graph.add_output(name.clone(), id_of(operand));
                }
            }
        }
        Some(graph)
    }
}

/// The graph's memories in the order of their ids.
fn memories(f: &Function, argument_names: &[String], graph: &mut Graph) -> BTreeMap<u32, MemoryId> {
    let mut decls: Vec<&MemoryDecl> = f.body.iter().filter_map(|s| s.memory.as_ref()).collect();
    decls.sort_by_key(|d| d.id);
    let mut taken: BTreeSet<&str> = argument_names.iter().map(String::as_str).collect();
    taken.extend(decls.iter().filter_map(|d| d.name.as_deref()));
    let mut memory_of = BTreeMap::new();
    for decl in decls {
        let position = match &decl.argument {
            Some(r) => f.arguments.iter().position(|a| a.name == r.name),
            None => None,
        };
        let name = match (position, &decl.name) {
            (Some(position), _) => argument_names[position].clone(),
            (None, Some(name)) => name.clone(),
            (None, None) => {
                let mut name = format!("mem{}", decl.id);
                while taken.contains(name.as_str()) {
                    name.push('_');
                }
                name
            }
        };
        let place = match position {
            Some(position) => MemoryPlace::Argument { position },
            None => MemoryPlace::Private { init: decl.init.clone() },
        };
        let Memref { element, words } = decl.ty;
        memory_of.insert(decl.id, graph.add_memory(Memory { name, element, words, place }));
    }
    memory_of
}

fn memref(ty: Memref) -> String {
    super::printer::memref(ty.element, ty.words)
}

/// `name`, or with a number after it when that is taken. Numeric names get a letter before: `%1_2` is no name.
fn unique(taken: &mut BTreeSet<String>, name: &str) -> String {
    let base = if is_value_name(name) { name.to_string() } else { format!("v{name}") };
    let mut candidate = base.clone();
    let mut n = 1;
    while !taken.insert(candidate.clone()) {
        let letter = if base.starts_with(|c: char| c.is_ascii_digit()) { "v" } else { "" };
        candidate = format!("{letter}{base}_{n}");
        n += 1;
    }
    candidate
}

/// The closest known name, when it is close enough to be a typing error.
fn nearest<'a, T>(name: &str, known: &'a BTreeMap<String, T>) -> Option<&'a String> {
    if name.len() > 40 || known.len() > MAX_NEAR {
        return None;
    }
    let limit = if name.len() < 4 { 1 } else { 2 };
    known
        .keys()
        .filter(|k| k.len().abs_diff(name.len()) <= limit)
        .map(|k| (distance(name.as_bytes(), k.as_bytes()), k))
        .filter(|&(d, _)| d <= limit)
        .min()
        .map(|(_, k)| k)
}

fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (diagonal + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}
