//! Proves token balance: how often each value of a finished graph comes, and that every op's operands agree.
//!
//! Written from the ops' phases ([`loom_dfg::phases`]), not from the lowering, and run on the graph alone. Every
//! value gets a [`Clock`], the answer to "when does a token come". With rc the condition a loop's carries and
//! invariants are driven by, and K the clock the loop is entered on:
//!
//! | clock | tokens |
//! |---|---|
//! | `Entry` | one an activation |
//! | `Raw(rc)` | N + 1 for each of K: `stream`'s outputs, `carry(rc, K, Body)`, `invariant(rc, K)` |
//! | `Side(c, s, K)` | those of K at which condition c is s; of a loop, `Side(rc, true, Raw)` is its body: N |
//! | `Tail(rc)` | N - 1: what `cond_br(after_cond, Body).T` lets through, and `carry(after_cond, K, Tail)` feeds on |
//!
//! `Side(rc, false, Raw(rc))` is K again: each group of rc ends in exactly one false. The rules are circular
//! through `carry.b` and through the conditions of whiles; they are checked as an induction on tokens: the clock of
//! rc is assumed to be `Raw(rc)`, and then it is checked that the op that makes rc gives just that.
//!
//! `after_cond` counts N only as far as N >= 1 goes: an invariant or carry on it keeps its seed when the loop does
//! not run, and so does `cond_br`'s exit. So every use of it as a condition needs a proof that the loop surely
//! runs: constant bounds, or a side of a `cond_br` whose condition is the loop's own first comparison. And since it
//! comes one condition late, it may be nothing but a condition: as data or control it would make an iteration wait
//! for the next one.

use crate::codes;
use crate::predicate;
use loom_base::{sign_extend, Diagnostic, Diagnostics};
use loom_dfg::interp::describe_node;
use loom_dfg::op::Class;
use loom_dfg::phases::Takes;
use loom_dfg::{ContCond, Counter, Graph, NodeId, Op, OpKind, Predicate, Type, ValueDef, ValueId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// When a value comes. Inner clocks are shared: in a chain of ifs each level's clock holds those of all around it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clock {
    /// Once an activation.
    Entry,
    /// With each token of a loop's condition.
    Raw(ValueId),
    /// With those tokens of the inner clock at which the condition is so.
    Side(ValueId, bool, Arc<Clock>),
    /// With each iteration but one.
    Tail(ValueId),
}

/// What is known of a graph's streams.
#[derive(Clone, Debug, Default)]
pub struct Regimes {
    /// By value.
    pub clocks: Vec<Option<Clock>>,
    /// Clock on which each loop, named by its condition, is entered.
    pub entered: BTreeMap<ValueId, Clock>,
    /// Streams' conditions of loops that run at least once in every activation.
    pub running: BTreeSet<ValueId>,
}

/// Proves the balance of a verified graph. `index_width` decides what constant bounds mean.
pub fn check(graph: &Graph, index_width: u32) -> Result<Regimes, Diagnostics> {
    let mut checker = Checker {
        graph,
        index_width,
        after: BTreeMap::new(),
        regimes: Regimes { clocks: vec![None; graph.values.len()], ..Regimes::default() },
        errors: Vec::new(),
    };
    checker.find_loops();
    checker.solve();
    checker.verify();
    let loops = checker.regimes.entered.keys().copied();
    checker.regimes.running = loops.filter(|&raw| checker.surely_runs(raw)).collect();
    if checker.errors.is_empty() {
        Ok(checker.regimes)
    } else {
        Err(checker.errors)
    }
}

struct Checker<'g> {
    graph: &'g Graph,
    index_width: u32,
    /// For each `after_cond`: the raw condition behind it.
    after: BTreeMap<ValueId, ValueId>,
    regimes: Regimes,
    errors: Diagnostics,
}

impl Checker<'_> {
    fn operand(&self, node: NodeId, i: usize) -> ValueId {
        self.graph.node(node).operands[i]
    }

    fn clock(&self, v: ValueId) -> Option<&Clock> {
        self.regimes.clocks[v.0 as usize].as_ref()
    }

    fn operand_clock(&self, node: NodeId, i: usize) -> Option<Clock> {
        self.clock(self.operand(node, i)).cloned()
    }

    /// Conditions of loops are those that drive a carry, an invariant or a gate, directly or by `after_cond`, and
    /// every stream's. Their clock is an assumption until `verify`.
    fn find_loops(&mut self) {
        for node in self.graph.node_ids() {
            let kind = self.graph.kind(node);
            if let (Some(before), Some(after)) = (kind.loop_condition(), kind.gives_condition()) {
                self.after.insert(self.graph.result(node, after), self.operand(node, before));
            }
        }
        for raw in self.graph.node_ids().filter_map(|node| self.loop_of(node)).collect::<Vec<_>>() {
            self.regimes.clocks[raw.0 as usize] = Some(Clock::Raw(raw));
        }
        for &argument in &self.graph.arguments {
            if self.clock(argument).is_none() {
                self.regimes.clocks[argument.0 as usize] = Some(Clock::Entry);
            }
        }
    }

    /// The condition that names the loop a state machine is a part of.
    fn loop_of(&self, node: NodeId) -> Option<ValueId> {
        let kind = self.graph.kind(node);
        match (kind.loop_condition(), kind.gives_condition()) {
            (Some(before), Some(_)) => Some(self.operand(node, before)),
            (None, Some(result)) => Some(self.graph.result(node, result)),
            (Some(condition), None) => {
                let d = self.operand(node, condition);
                Some(self.after.get(&d).copied().unwrap_or(d))
            }
            (None, None) => None,
        }
    }

    fn is_loop(&self, v: ValueId) -> bool {
        self.clock(v) == Some(&Clock::Raw(v))
    }

    /// The tokens of `of` at which `condition` is `side`.
    fn side(&self, condition: ValueId, side: bool, of: &Clock) -> Option<Clock> {
        if let Some(&raw) = self.after.get(&condition) {
            // The last after_cond of an activation is its only false.
            return match side {
                true => Some(Clock::Tail(raw)),
                false => self.regimes.entered.get(&raw).cloned(),
            };
        }
        if self.is_loop(condition) && !side {
            return self.regimes.entered.get(&condition).cloned();
        }
        Some(Clock::Side(condition, side, Arc::new(of.clone())))
    }

    fn body(&self, raw: ValueId) -> Clock {
        Clock::Side(raw, true, Arc::new(Clock::Raw(raw)))
    }

    /// The clock that a result has by what is known of its op's operands; `verify` looks at all of them.
    fn derive(&self, node: NodeId, result: usize) -> Option<Clock> {
        let of = |i: usize| self.operand_clock(node, i);
        match self.graph.kind(node) {
            OpKind::Stream(_) => Some(Clock::Raw(self.graph.result(node, 1))),
            OpKind::Gate => Some(self.body(self.operand(node, 1))),
            OpKind::Carry | OpKind::Invariant => {
                let d = self.operand(node, 0);
                Some(match self.after.get(&d) {
                    Some(&raw) => self.body(raw),
                    None => Clock::Raw(d),
                })
            }
            OpKind::CondBr | OpKind::CarryBr | OpKind::InvariantBr => {
                self.side(self.operand(node, 0), result == 0, &of(0)?)
            }
            OpKind::Mux(_) => of(0),
            OpKind::Memory(ports) | OpKind::Extmemory(ports) => {
                let (loads, stores) = (ports.loads as usize, ports.stores as usize);
                match result {
                    r if r < loads => of(ports.load_address(r)),
                    r if r < loads + stores => of(ports.store_address(r - loads)),
                    r => of(ports.load_address(r - loads - stores)),
                }
            }
            // Everything else moves one token of each operand to each result.
            _ => (0..self.graph.node(node).operands.len()).find_map(of),
        }
    }

    /// The clock on which a loop is entered, by the operands that are taken once an activation.
    fn entry_of(&self, node: NodeId) -> Option<(ValueId, Clock)> {
        let raw = self.loop_of(node)?;
        let kind = self.graph.kind(node);
        let mut first = (0..kind.operand_count()).filter(|&i| kind.takes(i) == Takes::First);
        Some((raw, first.find_map(|i| self.operand_clock(node, i))?))
    }

    fn solve(&mut self) {
        loop {
            let mut changed = false;
            for node in self.graph.node_ids() {
                if let Some((raw, clock)) = self.entry_of(node) {
                    if let std::collections::btree_map::Entry::Vacant(slot) = self.regimes.entered.entry(raw)
                    {
                        slot.insert(clock);
                        changed = true;
                    }
                }
                for (r, &v) in self.graph.node(node).results.iter().enumerate() {
                    if self.clock(v).is_none() {
                        if let Some(clock) = self.derive(node, r) {
                            self.regimes.clocks[v.0 as usize] = Some(clock);
                            changed = true;
                        }
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn wrong(&mut self, node: NodeId, message: String, help: &str) {
        let span = self.graph.node(node).span.clone();
        self.errors.push(Diagnostic::error(codes::REGIME, message).at_opt(span, "").help(help));
    }

    /// Reports an operand whose clock is not the one its op needs.
    fn need(&mut self, node: NodeId, operand: usize, want: &Clock) {
        let found = self.operand_clock(node, operand);
        // An immediate is there whenever it is needed.
        let immediate = self.graph.literal(self.operand(node, operand)).is_some();
        if immediate || found.as_ref() == Some(want) {
            return;
        }
        let v = self.operand(node, operand);
        let message = format!(
            "`{}` of {} is `%{}`, which comes {}; it must come {}",
            self.graph.kind(node).operand_name(operand),
            describe_node(self.graph, node),
            self.graph.value(v).name,
            found.map_or("at times nobody can tell".to_string(), |c| self.words(&c)),
            self.words(want)
        );
        self.wrong(
            node,
            message,
            "bring the value to that region: `invariant` into a loop, `cond_br` into a branch",
        );
    }

    /// A clock in words.
    fn words(&self, clock: &Clock) -> String {
        let name = |v: &ValueId| format!("`%{}`", self.graph.value(*v).name);
        match clock {
            Clock::Entry => "once an activation".to_string(),
            Clock::Raw(v) => format!("with each {} (N + 1 times)", name(v)),
            Clock::Side(v, true, of) if **of == Clock::Raw(*v) => {
                format!("in each iteration of {} (N times)", name(v))
            }
            Clock::Side(v, side, of) => format!("where {} is {side}, {}", name(v), self.words(of)),
            Clock::Tail(v) => format!("in each iteration of {} but one", name(v)),
        }
    }

    fn verify(&mut self) {
        for &argument in &self.graph.arguments {
            if let Some(clock) = self.clock(argument).filter(|&c| *c != Clock::Entry) {
                let words = self.words(clock);
                let name = &self.graph.value(argument).name;
                let message =
                    format!("argument `%{name}` comes {words}, an argument comes once an activation");
                self.errors.push(Diagnostic::error(codes::REGIME, message));
            }
        }
        for node in self.graph.node_ids() {
            self.verify_node(node);
        }
        for output in &self.graph.outputs {
            let found = self.clock(output.value).cloned();
            if found != Some(Clock::Entry) {
                let words = found.map_or("at times nobody can tell".to_string(), |c| self.words(&c));
                let message =
                    format!("result `{}` comes {words}, it must come once an activation", output.name);
                self.errors.push(Diagnostic::error(codes::REGIME, message));
            }
        }
    }

    /// Every operand of a state machine comes as often as its phases take it.
    fn verify_phases(&mut self, node: NodeId, raw: ValueId) {
        let kind = self.graph.kind(node);
        let condition = kind.loop_condition().map(|i| self.operand(node, i));
        let gated = condition.is_some_and(|d| self.after.contains_key(&d));
        for i in 0..kind.operand_count() {
            let want = match kind.takes(i) {
                // That of a gate is the raw one; a branch has its machine's.
                Takes::Each if gated => self.body(raw),
                Takes::Each => Clock::Raw(raw),
                Takes::First => match self.regimes.entered.get(&raw) {
                    Some(entry) => entry.clone(),
                    // Nothing says when the loop is entered; said once, of the first operand.
                    None if i == 0 => Clock::Entry,
                    None => continue,
                },
                Takes::NextCondition if gated => self.body(raw),
                Takes::NextCondition => Clock::Raw(raw),
                Takes::NextValue if gated => Clock::Tail(raw),
                Takes::NextValue => self.body(raw),
            };
            self.need(node, i, &want);
        }
        if let (Some(d), None) = (condition, kind.gives_condition()) {
            self.runs(node, d);
        }
    }

    fn verify_node(&mut self, node: NodeId) {
        let kind = self.graph.kind(node);
        match kind {
            _ if kind.class() == Class::State => {
                if let Some(raw) = self.loop_of(node) {
                    self.verify_phases(node, raw);
                }
            }
            OpKind::CondBr => {
                let condition = self.operand(node, 0);
                match self.operand_clock(node, 0) {
                    Some(clock) => self.need(node, 1, &clock),
                    None => self.need(node, 0, &Clock::Entry),
                }
                self.runs(node, condition);
            }
            OpKind::Mux(2) => {
                let condition = self.operand(node, 0);
                match self.operand_clock(node, 0) {
                    Some(clock) => {
                        for (i, on) in [(1, false), (2, true)] {
                            match self.side(condition, on, &clock) {
                                Some(want) => self.need(node, i, &want),
                                None => self.need(node, i, &Clock::Entry),
                            }
                        }
                    }
                    None => self.need(node, 0, &Clock::Entry),
                }
                self.runs(node, condition);
            }
            OpKind::Mux(_) => {
                let message = format!(
                    "{} chooses between more than two: its balance is not proved",
                    describe_node(self.graph, node)
                );
                self.wrong(node, message, "write it as muxes of two inputs");
            }
            OpKind::Memory(ports) | OpKind::Extmemory(ports) => {
                for i in 0..ports.stores as usize {
                    match self.operand_clock(node, ports.store_address(i)) {
                        Some(clock) => self.need(node, ports.store_data(i), &clock),
                        None => self.need(node, ports.store_address(i), &Clock::Entry),
                    }
                }
            }
            _ => {
                let count = self.graph.node(node).operands.len();
                match (0..count).find_map(|i| self.operand_clock(node, i)) {
                    Some(clock) => (0..count).for_each(|i| self.need(node, i, &clock)),
                    None => self.need(node, 0, &Clock::Entry),
                }
            }
        }
        // An after_cond comes with the next iteration's condition: it says which token is the last, and no more.
        for (i, &v) in self.graph.node(node).operands.iter().enumerate() {
            let is_condition = kind.loop_condition() == Some(i) && kind.gives_condition().is_none()
                || i == 0 && matches!(kind, OpKind::CondBr | OpKind::Mux(_));
            if let (Some(raw), false) = (self.after.get(&v), is_condition) {
                let message = format!(
                    "`{}` of {} is `%{}`, which comes with the next condition of `%{}`, too late for its iteration",
                    kind.operand_name(i),
                    describe_node(self.graph, node),
                    self.graph.value(v).name,
                    self.graph.value(*raw).name
                );
                self.wrong(
                    node,
                    message,
                    "replicate the entry token for control: `after_cond` drives no data",
                );
            }
        }
        // The induction's other half: what makes a loop's condition comes with that condition.
        for (r, &v) in self.graph.node(node).results.clone().iter().enumerate() {
            let derived = self.derive(node, r);
            if self.is_loop(v) && derived.as_ref() != Some(&Clock::Raw(v)) {
                let found = derived.map_or("at times nobody can tell".to_string(), |c| self.words(&c));
                let name = &self.graph.value(v).name;
                let message = format!("the loop condition `%{name}` comes {found}, not N + 1 times");
                self.wrong(node, message, "a while's condition is computed from its carries and invariants");
            }
        }
    }

    /// `after_cond` as a condition: the loop must surely run.
    fn runs(&mut self, node: NodeId, condition: ValueId) {
        let Some(&raw) = self.after.get(&condition) else { return };
        if !self.surely_runs(raw) {
            let message = format!(
                "{} is driven by `%{}`, but the loop of `%{}` may run no iteration at all",
                describe_node(self.graph, node),
                self.graph.value(condition).name,
                self.graph.value(raw).name
            );
            self.wrong(node, message, "drive it by the raw condition and take the true side");
        }
    }

    /// Where a value comes from, through what only replicates it.
    fn origin(&self, mut v: ValueId) -> ValueId {
        while let ValueDef::Result { node, .. } = self.graph.value(v).def {
            match self.graph.kind(node) {
                OpKind::CondBr | OpKind::Invariant | OpKind::InvariantBr => v = self.operand(node, 1),
                _ => break,
            }
        }
        v
    }

    fn literal(&self, v: ValueId) -> Option<i64> {
        match self.graph.value(v).def {
            ValueDef::Result { node, .. } => match self.graph.node(node).op {
                Op::Constant(bits) => {
                    let width = self.graph.value(v).ty.width(self.index_width);
                    Some(sign_extend(bits, width))
                }
                _ => None,
            },
            ValueDef::Literal(bits) => {
                Some(sign_extend(bits, self.graph.value(v).ty.width(self.index_width)))
            }
            ValueDef::Argument { .. } => None,
        }
    }

    fn surely_runs(&self, raw: ValueId) -> bool {
        let ValueDef::Result { node, .. } = self.graph.value(raw).def else { return false };
        let Op::Stream(counter, cond) = self.graph.node(node).op else { return false };
        let (lower, upper) = (self.origin(self.operand(node, 0)), self.origin(self.operand(node, 2)));
        if let (Some(l), Some(u)) = (self.literal(lower), self.literal(upper)) {
            return counter.goes_on(cond, 64, l as u64, u as u64);
        }
        // The sides of branches around the loop, through the loops around it.
        let mut clock = self.regimes.entered.get(&raw).cloned();
        for _ in 0..self.graph.values.len() {
            match clock {
                Some(Clock::Side(condition, side, inner)) => {
                    if !self.is_loop(condition)
                        && self.implies(condition, side, (counter, cond), lower, upper)
                    {
                        return true;
                    }
                    clock = Some(Clock::clone(&inner));
                }
                Some(Clock::Raw(outer)) | Some(Clock::Tail(outer)) => {
                    clock = self.regimes.entered.get(&outer).cloned();
                }
                Some(Clock::Entry) | None => return false,
            }
        }
        false
    }

    /// Whether `condition` being `side` says that `cond(lower, upper)`.
    fn implies(
        &self,
        condition: ValueId,
        side: bool,
        (counter, cond): (Counter, ContCond),
        lower: ValueId,
        upper: ValueId,
    ) -> bool {
        let ValueDef::Result { node, .. } = self.graph.value(self.origin(condition)).def else {
            return false;
        };
        let Op::Cmpi(predicate) = self.graph.node(node).op else { return false };
        let operands = [0, 1].map(|i| self.origin(self.operand(node, i)));
        if operands.iter().any(|&v| self.graph.value(v).ty != Type::Index) {
            return false;
        }
        let same = |x: ValueId, y: ValueId| {
            x == y || (self.literal(x).is_some() && self.literal(x) == self.literal(y))
        };
        // Tried on sample pairs of each order: a predicate and a condition are functions of less, equal, greater, once they
        // mean the same order.
        let swapped = same(operands[0], upper) && same(operands[1], lower);
        if !(swapped || same(operands[0], lower) && same(operands[1], upper)) {
            return false;
        }
        let equality = matches!(predicate, Predicate::Eq | Predicate::Ne);
        (equality || predicate::is_unsigned(predicate) == counter.is_unsigned())
            && [(0i64, 1i64), (1, 1), (1, 0)].into_iter().all(|(l, u)| {
                let (a, b) = if swapped { (u, l) } else { (l, u) };
                let holds = loom_dfg::eval::compare(predicate, 64, a as u64, b as u64);
                holds != side || cond.holds(l.cmp(&u))
            })
    }
}
