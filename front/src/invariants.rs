//! The invariants of memory lowering, checked on the finished graph (specification `dataflow-memory`).
//!
//! Five families: *access* (each has one control, one done, a load one data connection), *path* (each access
//! belongs to one group and stands where its nesting path says), *domain* (no order between groups but by a fence),
//! *loop control* (what drives a loop's order comes as often as its accesses, by [`crate::regime`]) and
//! *completion* (the return token waits for every done). And what all of it is for: of two accesses that may meet,
//! the later one's control depends on the earlier one's done.
//!
//! The control network is walked backwards on the graph; nothing of the builder's knowledge is used but the list
//! of accesses and which of them may meet.

use crate::codes;
use crate::depend::Dependences;
use crate::edit::{self, Parents};
use crate::ir::{Func, Kind, OpId};
use crate::lower::{Access, Lowered};
use crate::order::Order;
use crate::regime;
use loom_base::{Diagnostic, Diagnostics};
use loom_dfg::graph::Use;
use loom_dfg::interp::describe_node;
use loom_dfg::{Graph, NodeId, Op, OpKind, Type, ValueDef, ValueId};
use std::collections::BTreeSet;

/// What to check against.
pub struct Rules<'a> {
    /// The plain function.
    pub func: &'a Func,
    /// Which accesses may meet.
    pub deps: &'a Dependences,
    /// The order asked for.
    pub order: Order,
    /// For literals of loop bounds.
    pub index_width: u32,
}

/// Checks all families; an empty list means all hold.
pub fn check(lowered: &Lowered, rules: &Rules) -> Diagnostics {
    let mut checker = Checker { graph: &lowered.graph, uses: lowered.graph.uses(), errors: Vec::new() };
    if !checker.access(&lowered.accesses) {
        return checker.errors;
    }
    checker.path(&lowered.accesses, rules);
    checker.network(lowered, rules);
    if let Err(errors) = regime::check(&lowered.graph, rules.index_width) {
        checker.errors.extend(errors);
    }
    checker.errors
}

struct Checker<'g> {
    graph: &'g Graph,
    uses: Vec<Vec<Use>>,
    errors: Diagnostics,
}

impl Checker<'_> {
    fn wrong(&mut self, node: NodeId, family: &str, what: String) {
        let message = format!("{family} invariant: {} {what}", describe_node(self.graph, node));
        self.errors
            .push(Diagnostic::error(codes::ORDER, message).at_opt(self.graph.node(node).span.clone(), ""));
    }

    /// The memory node and port that an access is wired to.
    fn port(&self, access: &Access) -> Option<(NodeId, usize)> {
        let address = self.graph.result(access.node, 1);
        let [Use::Operand { node, operand }] = self.uses[address.0 as usize][..] else { return None };
        let (OpKind::Memory(ports) | OpKind::Extmemory(ports)) = self.graph.kind(node) else { return None };
        let count = if access.is_store { ports.stores } else { ports.loads };
        let at = |port| if access.is_store { ports.store_address(port) } else { ports.load_address(port) };
        (0..count as usize).find(|&port| at(port) == operand).map(|port| (node, port))
    }

    fn done(&self, access: &Access) -> Option<ValueId> {
        let (node, port) = self.port(access)?;
        let (OpKind::Memory(ports) | OpKind::Extmemory(ports)) = self.graph.kind(node) else { return None };
        let result = if access.is_store { ports.store_done(port) } else { ports.load_done(port) };
        Some(self.graph.result(node, result))
    }

    /// Access family; `false` when the rest cannot be looked at.
    fn access(&mut self, accesses: &[Access]) -> bool {
        let before = self.errors.len();
        let mut recorded = BTreeSet::new();
        for access in accesses {
            recorded.insert(access.node);
            let record = self.graph.node(access.node);
            let want = if access.is_store { OpKind::Store } else { OpKind::Load };
            if record.op.kind() != want {
                self.wrong(access.node, "access", format!("is no `{}`", want.mnemonic()));
                continue;
            }
            if self.graph.value(record.operands[2]).ty != Type::None {
                self.wrong(access.node, "access", "has no control token".into());
            }
            let Some((node, port)) = self.port(access) else {
                self.wrong(access.node, "access", "is not wired to one port of one memory".into());
                continue;
            };
            let (OpKind::Memory(ports) | OpKind::Extmemory(ports)) = self.graph.kind(node) else { continue };
            let connected = if access.is_store {
                let data = self.graph.node(node).operands[ports.store_data(port)];
                data == self.graph.result(access.node, 0)
            } else {
                record.operands[1] == self.graph.result(node, ports.load_data(port))
            };
            if !connected {
                self.wrong(access.node, "access", "has its data on another port than its address".into());
            }
        }
        for node in self.graph.node_ids() {
            let is_access = matches!(self.graph.kind(node), OpKind::Load | OpKind::Store);
            if is_access && !recorded.contains(&node) {
                self.wrong(node, "path", "belongs to no access of the program".into());
            }
        }
        self.errors.len() == before
    }

    /// Path family: group and nesting path of each access are those of its operation.
    fn path(&mut self, accesses: &[Access], rules: &Rules) {
        let parents = Parents::new(rules.func);
        let mut order: Vec<usize> = accesses.iter().map(|a| a.index).collect();
        order.dedup();
        for (k, access) in accesses.iter().enumerate() {
            let around: Vec<OpId> = access.path.iter().rev().map(|p| p.0).collect();
            if parents.around(access.op) != around || access.index != k || order.len() != accesses.len() {
                self.wrong(access.node, "path", "has a nesting path that is not its operation's".into());
            }
            let memory = match self.port(access).map(|(node, _)| self.graph.node(node).op) {
                Some(Op::Memory(id, _)) => Some(id),
                _ => None,
            };
            if memory != Some(access.memory) {
                self.wrong(access.node, "path", "is wired to the memory of another group".into());
            }
        }
    }

    /// Everything that a control token waits for: dones met on the way back through the control network.
    fn waits_for(&self, from: ValueId) -> BTreeSet<ValueId> {
        let mut seen = BTreeSet::new();
        let mut dones = BTreeSet::new();
        let mut work = vec![from];
        while let Some(v) = work.pop() {
            if !seen.insert(v) {
                continue;
            }
            let ValueDef::Result { node, .. } = self.graph.value(v).def else { continue };
            let operands = &self.graph.node(node).operands;
            match self.graph.kind(node) {
                OpKind::Memory(_) | OpKind::Extmemory(_) => {
                    dones.insert(v);
                }
                OpKind::CondBr | OpKind::Invariant => work.push(operands[1]),
                OpKind::Carry | OpKind::Mux(_) => work.extend(&operands[1..]),
                OpKind::Join(_) => work.extend(operands),
                _ => {}
            }
        }
        dones
    }

    /// Domain and completion families, and order itself. What is claimed is about pairs of accesses, so all pairs are looked
    /// at, and each control is walked back for itself: a checker that shares no work is easier to believe.
    fn network(&mut self, lowered: &Lowered, rules: &Rules) {
        let accesses = &lowered.accesses;
        let dones: Vec<Option<ValueId>> = accesses.iter().map(|a| self.done(a)).collect();
        let waits: Vec<BTreeSet<ValueId>> =
            accesses.iter().map(|a| self.waits_for_all(self.graph.node(a.node).operands[2])).collect();
        let returned = self.graph.outputs.last().map(|o| self.waits_for_all(o.value)).unwrap_or_default();
        let parents = Parents::new(rules.func);
        let fences: Vec<OpId> =
            edit::walk(rules.func).into_iter().filter(|&op| rules.func.op(op).kind == Kind::Fence).collect();
        for (i, a) in accesses.iter().enumerate() {
            let Some(done) = dones[i] else { continue };
            if !returned.contains(&done) {
                self.wrong(a.node, "completion", "is not waited for by the return token".into());
            }
            for (j, b) in accesses.iter().enumerate() {
                let name = || describe_node(self.graph, b.node);
                let fenced = fences.iter().any(|&f| fenced(rules.func, &parents, a, f, b));
                if a.domain != b.domain && fences.is_empty() && waits[j].contains(&done) {
                    let what = format!("is waited for by {} of another group", name());
                    self.wrong(a.node, "domain", what);
                }
                let ordered = a.domain == b.domain && must_follow(rules, a, b);
                if (ordered || fenced) && !waits[j].contains(&done) {
                    let why = if fenced { "is not fenced off from" } else { "is not waited for by" };
                    let what = format!("{why} {}, which may touch the same word later", name());
                    self.wrong(a.node, "order", what);
                }
            }
        }
    }

    /// As `waits_for`, and on through the dones: what the accesses behind them waited for.
    fn waits_for_all(&self, from: ValueId) -> BTreeSet<ValueId> {
        let mut all = BTreeSet::new();
        let mut work: Vec<ValueId> = self.waits_for(from).into_iter().collect();
        while let Some(done) = work.pop() {
            if !all.insert(done) {
                continue;
            }
            let ValueDef::Result { node, result } = self.graph.value(done).def else { continue };
            let (OpKind::Memory(ports) | OpKind::Extmemory(ports)) = self.graph.kind(node) else { continue };
            let (loads, stores) = (ports.loads as usize, ports.stores as usize);
            let address = match result {
                r if r < loads => continue,
                r if r < loads + stores => ports.store_address(r - loads),
                r => ports.load_address(r - loads - stores),
            };
            let address = self.graph.node(node).operands[address];
            if let ValueDef::Result { node, .. } = self.graph.value(address).def {
                work.extend(self.waits_for(self.graph.node(node).operands[2]));
            }
        }
        all
    }
}

/// Whether `b` must wait for `a`: in the same iteration of everything around both, or in a later one of a loop.
fn must_follow(rules: &Rules, a: &Access, b: &Access) -> bool {
    if !(a.is_store || b.is_store) {
        return false;
    }
    let common = a.path.iter().zip(&b.path).take_while(|(x, y)| x.0 == y.0).count();
    // The two sides of one if never run together.
    let exclusive = a
        .path
        .iter()
        .zip(&b.path)
        .take(common)
        .any(|(x, y)| x.1 != y.1 && rules.func.op(x.0).kind == Kind::If);
    let serial = rules.order == Order::Serial;
    if a.index < b.index && !exclusive && (serial || rules.deps.meet_within(a.op, b.op)) {
        return true;
    }
    a.path[..common].iter().any(|&(at, _)| {
        let is_loop = rules.func.op(at).kind.is_loop();
        is_loop && (serial || rules.deps.follows_across(at, a.op, b.op))
    })
}

/// Whether `a` stands before a fence and `b` after it, each in the fence's block or inside an operation of it.
fn fenced(func: &Func, parents: &Parents, a: &Access, fence: OpId, b: &Access) -> bool {
    let Some(block) = parents.block(fence) else { return false };
    let ops = &func.block(block).ops;
    let place = |access: &Access| {
        let around = std::iter::once(access.op).chain(access.path.iter().map(|p| p.0));
        around.into_iter().find_map(|op| ops.iter().position(|&o| o == op))
    };
    let at = ops.iter().position(|&o| o == fence);
    match (place(a), at, place(b)) {
        (Some(x), Some(f), Some(y)) => x < f && f < y,
        _ => false,
    }
}
