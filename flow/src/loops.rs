//! The loops of a compiled kernel, each with what bounds its interval and what would lower it.
//!
//! The bound is that of the graph alone, with the fastest units of a fabric and no wires, of what runs in every iteration: no mapping has a
//! lower one. Where data decide what runs, a second figure counts all of it. What is
//! said to help was tried: the kernel is compiled again with the promise made, and only lower figures are reported. What cannot be tried
//! (another program) is named without a figure.

use crate::load::Kernel;
use loom_adg::Fabric;
use loom_base::Source;
use loom_dfg::op::Class;
use loom_dfg::{Graph, NodeId, Op, OpKind, Rates, Type, ValueDef};
use loom_front::compile::{compile, CompileOptions, Compiled};
use loom_front::domain::RootKind;
use loom_front::edit;
use loom_front::ir::{Func, Kind, OpId};
use loom_front::normalize::obstacle;
use loom_map::timing::loops::{bound, fastest, LoopBound};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

/// Pairs of accesses that are named of one loop.
const SHOWN: usize = 3;

/// Promises that are named of one function.
const MOST_ADVISED: usize = 2;

/// A loop of the program as it was lowered.
#[derive(Clone, Debug, Serialize)]
pub struct LoopReport {
    /// Line of the source.
    pub line: Option<usize>,
    /// Loops around it.
    pub depth: usize,
    /// Why it is no stream.
    pub no_stream: Option<&'static str>,
    /// Cycles from one iteration to the next, at least, whatever data say.
    pub bound: f64,
    /// In iterations in which all sides of its branches matter; `bound` where there is nothing to decide.
    pub all_sides: f64,
    /// What makes that more than one.
    pub limit: IntervalLimit,
    /// What would lower it.
    pub changes: Vec<Change>,
}

/// What makes a bound.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum IntervalLimit {
    /// An iteration a cycle.
    Nothing,
    /// Accesses that wait for those of the iteration before.
    Memory(Vec<MeetingPair>),
    /// A unit that takes several cycles for one iteration.
    Unit {
        /// Its op.
        op: String,
        /// Line of the source.
        line: Option<usize>,
    },
    /// A value that the next iteration needs.
    Recurrence(Recurrence),
}

/// Two accesses that may touch one word in different iterations.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct MeetingPair {
    /// The one that comes first in the source.
    pub first: AccessReport,
    /// The other one, or the same.
    pub second: AccessReport,
}

/// An access.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct AccessReport {
    /// What the array is called.
    pub array: String,
    /// Whether it stores.
    pub store: bool,
    /// Line of the source.
    pub line: Option<usize>,
}

/// A value that goes round.
#[derive(Clone, Debug, Serialize)]
pub struct Recurrence {
    /// What it is called, where it has a name.
    pub value: Option<String>,
    /// The ops on its way, with their lines.
    pub ops: Vec<(String, Option<usize>)>,
}

/// Something that would help.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    /// What to do.
    pub what: String,
    /// The bound then, where it was tried.
    pub bound: Option<f64>,
}

/// What is reported of, and how it was made.
struct Reported<'a> {
    compiled: &'a Compiled,
    source: &'a Source,
    fabric: &'a Fabric,
    options: &'a CompileOptions,
    from_c: bool,
    /// Arguments that the function has in its source; addresses that are passed besides follow them.
    own: usize,
}

/// The loops of a kernel in the order of the source; none of one that was not compiled. `options` are those that it was compiled
/// with, the fabric is the one whose units count.
pub fn report(
    kernel: &Kernel,
    source: &Source,
    fabric: &Fabric,
    options: &CompileOptions,
) -> Vec<LoopReport> {
    let Some(compiled) = kernel.compiled.as_deref() else { return Vec::new() };
    let from_c = kernel.imported.is_some();
    let arguments = compiled.source.funcs.first().map_or(0, |f| f.arguments().len());
    let behind = kernel.imported.as_ref().map_or(0, |i| i.passed.len() + i.nulls.len());
    let own = arguments.saturating_sub(behind);
    let reported = Reported { compiled, source, fabric, options, from_c, own };
    let net = loom_map::netlist::netlist(&compiled.lowered.graph, options.index_width);
    let bounds = bounds(compiled, &net, fabric);
    let func = &compiled.plain.func;
    let parents = edit::Parents::new(func);
    let is_loop = |op: &OpId| matches!(func.op(*op).kind, Kind::For { .. } | Kind::While);
    let all = loops(func).into_iter().zip(bounds).enumerate();
    all.map(|(at, (op, (bound, all_sides)))| {
        let circle = &all_sides.nodes;
        let limit = reported.limit(op, &net, circle);
        LoopReport {
            line: reported.line(&func.op(op).span),
            depth: parents.around(op).iter().filter(|o| is_loop(o)).count(),
            no_stream: obstacle(func, op),
            bound: bound.interval(),
            all_sides: all_sides.interval(),
            changes: reported.changes(at, op, all_sides.interval(), &limit, &net, circle),
            limit,
        }
    })
    .collect()
}

fn loops(func: &Func) -> Vec<OpId> {
    let all = edit::walk(func).into_iter();
    all.filter(|&op| matches!(func.op(op).kind, Kind::For { .. } | Kind::While)).collect()
}

/// For each loop its bound, and that with all sides of branches. A loop is found in the graph by its place in the source: the streams
/// of one place, or the rates of its carries, come in the order of the loops.
fn bounds(compiled: &Compiled, net: &Graph, fabric: &Fabric) -> Vec<(LoopBound, LoopBound)> {
    let func = &compiled.plain.func;
    let (rates, certain, fastest) = (Rates::new(net), Rates::certain(net), fastest(net, fabric, 1));
    let of = |rates: &Rates, rate| bound(net, rates, &fastest, &|_, _| 0, rate);
    let mut taken: BTreeMap<(bool, Option<usize>), usize> = BTreeMap::new();
    let loops = loops(func).into_iter().map(|op| {
        let record = func.op(op);
        let counts = matches!(record.kind, Kind::For { .. });
        let mut found: Vec<NodeId> = Vec::new();
        for n in net.node_ids().filter(|&n| net.node(n).span == record.span) {
            let is_new = found.iter().all(|&other| rates.node(other) != rates.node(n));
            let of_a_while = || {
                let condition = net.node(n).operands.first().map(|&v| net.value(v).def);
                let ValueDef::Result { node, .. } = condition.unwrap_or(ValueDef::Argument(0)) else {
                    return false;
                };
                net.kind(n) == OpKind::Carry && net.kind(node).gives_condition().is_none()
            };
            let is_it = if counts { matches!(net.node(n).op, Op::Stream(..)) } else { of_a_while() };
            if is_it && is_new {
                found.push(n);
            }
        }
        let number = taken.entry((counts, record.span.as_ref().map(|s| s.start))).or_default();
        *number += 1;
        let none = LoopBound::default();
        let at = found.get(*number - 1);
        at.map_or((none.clone(), none), |&n| (of(&certain, certain.node(n)), of(&rates, rates.node(n))))
    });
    loops.collect()
}

impl Reported<'_> {
    fn line(&self, span: &Option<Range<usize>>) -> Option<usize> {
        span.as_ref().map(|s| self.source.line_column(s.start).0)
    }

    fn limit(&self, op: OpId, net: &Graph, circle: &[NodeId]) -> IntervalLimit {
        if circle.is_empty() {
            return IntervalLimit::Nothing;
        }
        if let [one] = circle {
            let record = net.node(*one);
            return IntervalLimit::Unit {
                op: record.op.kind().mnemonic().to_string(),
                line: self.line(&record.span),
            };
        }
        // Order is kept by tokens without data.
        let is_order = |&n: &NodeId| net.node(n).results.iter().all(|&v| net.value(v).ty == Type::None);
        if circle.iter().any(is_order) {
            return IntervalLimit::Memory(self.conflicts(op, net, circle));
        }
        let steps = circle.iter().filter(|&&n| {
            let class = net.kind(n).class();
            class == Class::Arith || matches!(net.node(n).op, Op::Memory(..))
        });
        let ops = steps.map(|&n| {
            let record = net.node(n);
            match record.op {
                // A lane has the place of the access whose address it takes.
                Op::Memory(memory, _) => {
                    let address = record.operands.last().map(|&v| net.value(v).def);
                    let access = match address {
                        Some(ValueDef::Result { node, .. }) => self.line(&net.node(node).span),
                        _ => None,
                    };
                    (format!("load of {}", quoted(&net.memory(memory).name)), access)
                }
                op => (op.kind().mnemonic().to_string(), self.line(&record.span)),
            }
        });
        let carries = circle.iter().filter(|&&n| net.kind(n) == OpKind::Carry);
        let names = carries.flat_map(|&n| &net.node(n).results).map(|&v| &net.value(v).name);
        let ops: Vec<_> = ops.collect();
        let named = names.filter(|n| n.starts_with(|c: char| c.is_ascii_alphabetic())).min();
        IntervalLimit::Recurrence(Recurrence { value: named.cloned(), ops })
    }

    /// The pairs that keep the iterations of a loop apart, those on the circle where there are any.
    fn conflicts(&self, op: OpId, net: &Graph, circle: &[NodeId]) -> Vec<MeetingPair> {
        let plain = &self.compiled.plain;
        let spans: Vec<&Option<Range<usize>>> = circle.iter().map(|&n| &net.node(n).span).collect();
        let inside: Vec<OpId> = (self.compiled.lowered.accesses.iter())
            .filter(|a| a.path.iter().any(|p| p.0 == op))
            .map(|a| a.op)
            .collect();
        let (mut all, mut slow) = (BTreeSet::new(), BTreeSet::new());
        for (i, &a) in inside.iter().enumerate() {
            for &b in &inside[i..] {
                if !plain.deps.delays_across(op, a, b) {
                    continue;
                }
                let conflict = MeetingPair { first: self.access(a), second: self.access(b) };
                if [a, b].iter().all(|&x| spans.contains(&&plain.func.op(x).span)) {
                    slow.insert(conflict.clone());
                }
                all.insert(conflict);
            }
        }
        if slow.is_empty() { all } else { slow }.into_iter().collect()
    }

    fn access(&self, op: OpId) -> AccessReport {
        let plain = &self.compiled.plain;
        let record = plain.func.op(op);
        let store = record.kind == Kind::Store;
        let root = plain.domains.root_of(record.operands[usize::from(store)]);
        let array = root.map_or(String::new(), |r| plain.domains.roots[r].name.clone());
        AccessReport { array, store, line: self.line(&record.span) }
    }

    fn changes(
        &self,
        at: usize,
        op: OpId,
        now: f64,
        limit: &IntervalLimit,
        net: &Graph,
        circle: &[NodeId],
    ) -> Vec<Change> {
        let mut out = Vec::new();
        match limit {
            IntervalLimit::Nothing | IntervalLimit::Unit { .. } => {}
            IntervalLimit::Memory(conflicts) => {
                let names = self.may_be_one_array(conflicts);
                let all = !names.iter().all(|n| self.can_be_promised(n));
                let restrict = |func: &mut Func| {
                    for (k, &v) in func.arguments().to_vec().iter().enumerate() {
                        let named = all || names.contains(&func.value(v).name);
                        func.argument_attributes[k].noalias |= named;
                    }
                };
                let quoted: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
                let word = if self.from_c { "restrict" } else { "llvm.noalias" };
                let what = match all {
                    true => "`--noalias`, if no two arrays that the function is given overlap".to_string(),
                    false => format!("`{word}` on {}, if they never overlap", quoted.join(" and ")),
                };
                let better = |bound: Option<f64>| bound.filter(|&b| b < now);
                if let (Some(b), false) = (better(self.tried(at, &restrict)), names.is_empty()) {
                    out.push(Change { what, bound: Some(b) });
                }
                let span = self.compiled.plain.func.op(op).span.clone();
                let independent = |func: &mut Func| {
                    for op in loops(func) {
                        func.op_mut(op).hints.independent |= func.op(op).span == span;
                    }
                };
                let word = if self.from_c { "LOOM_INDEPENDENT" } else { "loom.independent" };
                let what = format!("`{word}`, if no iteration touches what another one writes");
                let may_hold = !self.writes_one_word(op);
                if let Some(b) = may_hold.then(|| better(self.tried(at, &independent))).flatten() {
                    out.push(Change { what, bound: Some(b) });
                }
            }
            IntervalLimit::Recurrence(_) => {
                let sums = [OpKind::Addf, OpKind::Mulf];
                let computing = circle.iter().map(|&n| net.kind(n)).filter(|k| k.class() == Class::Arith);
                let computing: Vec<OpKind> = computing.collect();
                if matches!(computing[..], [one] if sums.contains(&one)) {
                    let what = format!(
                        "{} accumulators that take turns, put together behind the loop: floats are rounded otherwise then",
                        now.ceil()
                    );
                    out.push(Change { what, bound: None });
                }
            }
        }
        out
    }

    /// Whether a store in a loop goes to the same word in each iteration.
    fn writes_one_word(&self, op: OpId) -> bool {
        let func = &self.compiled.plain.func;
        let parents = edit::Parents::new(func);
        let inside = edit::walk_inside(func, op).into_iter().map(|o| func.op(o));
        let mut stores = inside.filter(|o| o.kind == Kind::Store);
        stores.any(|store| store.operands[2..].iter().all(|&v| parents.is_outside(func, v, op)))
    }

    /// Whether the source can say of an argument that it is apart from others: not of a part of a struct, of an array's other view, of
    /// a global, or of the object of a member function.
    fn can_be_promised(&self, name: &str) -> bool {
        let Some(func) = self.compiled.source.funcs.first().filter(|_| self.from_c) else { return true };
        let is_name = name != "this" && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let own = func.arguments().iter().take(self.own);
        is_name && own.into_iter().any(|&v| func.value(v).name == name)
    }

    /// The arguments that share their order with another one, of those that conflict.
    fn may_be_one_array(&self, conflicts: &[MeetingPair]) -> BTreeSet<String> {
        let domains = &self.compiled.plain.domains;
        let is_argument = |name: &str| {
            domains.roots.iter().any(|r| r.name == name && matches!(r.kind, RootKind::Argument(_)))
        };
        (conflicts.iter())
            .filter(|c| c.first.array != c.second.array)
            .flat_map(|c| [&c.first.array, &c.second.array])
            .filter(|name| is_argument(name))
            .cloned()
            .collect()
    }

    /// The bound of a loop after a change of the program.
    fn tried(&self, at: usize, change: &dyn Fn(&mut Func)) -> Option<f64> {
        let mut program = self.compiled.source.clone();
        change(program.funcs.first_mut()?);
        let options = CompileOptions {
            function: None,
            domain: Some("function".into()),
            room: None,
            print_after: None,
            ..self.options.clone()
        };
        let compiled = compile(&program, &options).ok()?;
        let same = loops(&compiled.plain.func).len() == loops(&self.compiled.plain.func).len();
        let net = loom_map::netlist::netlist(&compiled.lowered.graph, options.index_width);
        same.then(|| bounds(&compiled, &net, self.fabric))?.get(at).map(|b| b.1.interval())
    }
}

/// The name of an array, where it has one.
fn quoted(name: &str) -> String {
    match name {
        "" => "an array without a name".into(),
        name => format!("`{name}`"),
    }
}

fn line(line: Option<usize>) -> String {
    line.map_or("no line".into(), |l| format!("line {l}"))
}

fn cycles(bound: f64) -> String {
    match bound {
        b if b == b.round() => format!("{b}"),
        b => format!("{b:.2}"),
    }
}

impl AccessReport {
    fn text(&self) -> String {
        let what = if self.store { "store to" } else { "load of" };
        format!("{what} {} ({})", quoted(&self.array), line(self.line))
    }
}

/// The promises that would help most, each once, with the loop that gains most.
pub fn advice(loops: &[LoopReport]) -> Vec<String> {
    let mut all: Vec<Advice> = loops.iter().filter_map(best).collect();
    all.sort_by(|a, b| a.rest.total_cmp(&b.rest));
    let mut known = BTreeSet::new();
    all.retain(|a| known.insert(a.what));
    all.iter().map(|a| format!("{}: {}", a.what, a.told)).take(MOST_ADVISED).collect()
}

/// A promise about a loop.
struct Advice<'a> {
    what: &'a String,
    /// The interval then, of what it is now.
    rest: f64,
    told: String,
}

/// The best promise that was tried of a loop, if it lowers the interval by a fifth.
fn best(l: &LoopReport) -> Option<Advice<'_>> {
    let now = l.all_sides;
    let tried = l.changes.iter().filter_map(|c| Some((c.bound.filter(|then| 1.25 * then <= now)?, &c.what)));
    let (then, what) = tried.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let told = format!("interval {} instead of {} ({})", cycles(then), cycles(now), line(l.line));
    Some(Advice { what, rest: then / now, told })
}

/// The report as lines of text.
pub fn text(name: &str, loops: &[LoopReport]) -> String {
    let mut out = match loops {
        [] => format!("@{name} has no loops\n"),
        _ => format!("loops of @{name}:\n"),
    };
    for l in loops {
        let indent = "  ".repeat(l.depth + 1);
        let kind = l.no_stream.map_or("stream".into(), |why| format!("no stream: {why}"));
        let more = match l.all_sides > l.bound {
            true => format!(" ({} with all branches taken)", cycles(l.all_sides)),
            false => String::new(),
        };
        let _ = writeln!(out, "{indent}{}: interval {}{more}, {kind}", line(l.line), cycles(l.bound));
        match &l.limit {
            IntervalLimit::Nothing => {}
            IntervalLimit::Unit { op, line: at } => {
                let _ = writeln!(out, "{indent}  unit: {op} ({}) begins so seldom", line(*at));
            }
            IntervalLimit::Memory(conflicts) => {
                for MeetingPair { first, second } in conflicts.iter().take(SHOWN) {
                    let apart = first.array != second.array;
                    let why = if apart { "may be one array" } else { "may touch one element" };
                    let _ = match first == second {
                        true => writeln!(out, "{indent}  memory: {} in two iterations {why}", first.text()),
                        false => {
                            writeln!(out, "{indent}  memory: {} and {} {why}", first.text(), second.text())
                        }
                    };
                }
                if conflicts.len() > SHOWN {
                    let _ = writeln!(out, "{indent}  memory: {} pairs more", conflicts.len() - SHOWN);
                }
            }
            IntervalLimit::Recurrence(Recurrence { value, ops }) => {
                let ops: Vec<String> = ops.iter().map(|(op, at)| format!("{op} ({})", line(*at))).collect();
                let value = value.as_ref().map_or(String::new(), |v| format!("`{v}` "));
                let _ = writeln!(out, "{indent}  recurrence: {value}through {}", ops.join(", "));
            }
        }
        for Change { what, bound } in &l.changes {
            let then = bound.map_or(String::new(), |b| format!(": interval {}", cycles(b)));
            let _ = writeln!(out, "{indent}  change: {what}{then}");
        }
    }
    out
}
