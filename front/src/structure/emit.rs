//! Writes a graph as one block with regions.
//!
//! One region at a time is written, from a node on, until every way leads to a *label*: a node that does not belong to the region.
//! Where ways part, each side takes the nodes that only it leads to. Sides that meet in one label meet behind an `scf.if`. Where
//! they end in several, a *selector* says in which one (the condition itself, if each side has one label) and what
//! follows is chosen by it: the sides are then kept as short as the first label allows, so that a short circuit
//! becomes a flag and its two sides stand behind it, and nothing is copied.
//!
//! Values are found while writing: `env` holds what each variable is here, a log takes back what a region did. Here is how
//! ways part; what they give where they meet is [`super::meet`]'s. The two name each other: both are the emitter, which
//! writes a meeting in the middle of a parting.

use super::graph::{FlowGraph, FlowNodeId, Terminator};
use super::loops::{LoopId, Loops};
use super::meet::Ended;
use crate::bits::Bits;
use crate::codes;
use crate::ir::{BlockId, Func, Kind, OpId, ValueId, ValueType};
use crate::verify::MAX_DEPTH;
use loom_base::{sign_extend, Diagnostic, Diagnostics};
use loom_dfg::{Op, OpKind, Predicate, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub type Emitted<T> = std::result::Result<T, Diagnostics>;

/// Where the ways through a region end.
#[derive(Clone, Debug)]
pub enum State {
    One(FlowNodeId),
    Two {
        test: ValueId,
        yes: FlowNodeId,
        no: FlowNodeId,
    },
    /// `which` is the number of the label.
    Many {
        which: ValueId,
        labels: Vec<FlowNodeId>,
    },
}

impl State {
    pub fn labels(&self) -> Vec<FlowNodeId> {
        match self {
            State::One(n) => vec![*n],
            State::Two { yes, no, .. } => vec![*yes, *no],
            State::Many { labels, .. } => labels.clone(),
        }
    }
}

/// What decides between sides.
pub enum Choice {
    /// The first side if it holds, else the second.
    Test(ValueId),
    /// The first side is the default.
    Cases(ValueId, Vec<i64>),
}

/// One of the ways that part.
struct Side {
    writes: Vec<(ValueId, ValueId)>,
    state: State,
    /// The nodes that only it leads to.
    nodes: BTreeSet<FlowNodeId>,
}

/// Context of nodes that cannot be written where the emitter is.
const ELSEWHERE: u32 = 0;

/// The state of writing.
pub struct Emitter<'g, 'f> {
    pub graph: &'g FlowGraph<'f>,
    pub loops: &'g Loops,
    pub live: Vec<Bits>,
    pub rank: Vec<usize>,
    /// Who jumps to a node, an inner loop standing as its header; without jumps back.
    pub before: Vec<Vec<FlowNodeId>>,
    /// The jumps out of each loop: from which node or inner loop of it, and where to.
    pub exits: Vec<Vec<(FlowNodeId, FlowNodeId)>>,
    /// The region that each node is written in.
    context: Vec<u32>,
    contexts: u32,
    written: Vec<bool>,
    pub out: Func,
    /// Where operations go.
    pub at: BlockId,
    /// The jump that is being written.
    pub span: Option<Range<usize>>,
    pub env: Vec<Option<ValueId>>,
    pub log: Vec<(ValueId, Option<ValueId>)>,
    /// Literals at the top of the function; poison has no bits.
    pub literals: BTreeMap<(Option<u64>, Type), ValueId>,
    pub top: Vec<OpId>,
    depth: usize,
}

impl<'g, 'f> Emitter<'g, 'f> {
    pub fn new(graph: &'g FlowGraph<'f>, loops: &'g Loops) -> Emitter<'g, 'f> {
        let order = graph.order();
        let func = graph.func;
        let arguments: Vec<(&str, ValueType)> =
            (func.arguments().iter()).map(|&v| (func.value(v).name.as_str(), func.ty(v).clone())).collect();
        let mut out = Func::new(func.name.clone(), &arguments, &func.result_types);
        out.private = func.private;
        out.argument_attributes.clone_from(&func.argument_attributes);
        out.span.clone_from(&func.span);
        let at = out.body.and_then(|b| out.entry(b)).expect("a new function has a block");
        let mut env = vec![None; graph.variables()];
        for (&variable, &value) in func.arguments().iter().zip(out.arguments()) {
            env[variable.0 as usize] = Some(value);
        }
        let mut emitter = Emitter {
            live: graph.live(&order),
            rank: graph.ranks(&order),
            before: vec![Vec::new(); graph.nodes.len()],
            exits: vec![Vec::new(); loops.list.len()],
            context: vec![ELSEWHERE; graph.nodes.len()],
            contexts: ELSEWHERE,
            written: vec![false; graph.nodes.len()],
            graph,
            loops,
            out,
            at,
            span: None,
            env,
            log: Vec::new(),
            literals: BTreeMap::new(),
            top: Vec::new(),
            depth: 0,
        };
        order.iter().for_each(|&n| emitter.connect(n));
        emitter
    }

    /// Records a node's jumps at the loops they concern.
    fn connect(&mut self, n: FlowNodeId) {
        for edge in &self.graph[n].edges {
            let (mut from, mut around) = (n, self.loops.of[n.0 as usize]);
            while let Some(l) = around.filter(|&l| !self.loops.is_in(edge.to, Some(l))) {
                self.exits[l.0 as usize].push((from, edge.to));
                (from, around) = (self.loops[l].header, self.loops[l].parent);
            }
            if around.is_none_or(|l| self.loops[l].header != edge.to) {
                self.before[edge.to.0 as usize].push(from);
            }
        }
    }

    /// Writes everything.
    pub fn run(mut self) -> Emitted<Func> {
        for &op in &self.graph.hoisted {
            self.operation(op)?;
        }
        let all: Vec<FlowNodeId> =
            self.graph.order().into_iter().filter(|&n| self.stands_in(n, None)).collect();
        let end = all.iter().copied().find(|&n| self.graph[n].end == Terminator::Return);
        let context = self.enter(all.into_iter().filter(|&n| Some(n) != end));
        self.region(self.graph.entry, context, None)?;
        let mut values = Vec::new();
        for &v in &self.graph.results {
            values.push(self.get(v)?);
        }
        self.out.push_op(self.at, Kind::Return, &values, &[]);
        self.out.blocks[self.at.0 as usize].ops.splice(0..0, std::mem::take(&mut self.top));
        Ok(self.out)
    }

    /// Whether a node, or the loop that it heads, stands directly in a loop or in none.
    pub fn stands_in(&self, n: FlowNodeId, level: Option<LoopId>) -> bool {
        let of = self.loops.of[n.0 as usize];
        of == level
            || self.loops.headed[n.0 as usize].is_some_and(|l| Some(l) == of && self.loops[l].parent == level)
    }

    /// Makes nodes those of a region of their own.
    pub fn enter(&mut self, nodes: impl IntoIterator<Item = FlowNodeId>) -> u32 {
        self.contexts += 1;
        for n in nodes {
            self.context[n.0 as usize] = self.contexts;
        }
        self.contexts
    }

    /// Writes a region from a node on, until no label belongs to it.
    pub fn region(&mut self, start: FlowNodeId, context: u32, level: Option<LoopId>) -> Emitted<State> {
        let mut state = State::One(start);
        loop {
            if !state.labels().iter().any(|n| self.context[n.0 as usize] == context) {
                return Ok(state);
            }
            state = match state {
                State::One(n) => self.node(n, context, level)?,
                State::Two { test, yes, no } => {
                    let sides = [yes, no].map(State::One).into();
                    self.dispatch(Choice::Test(test), sides, context, level)?
                }
                State::Many { which, labels } => self.choose_label(which, labels, context, level)?,
            };
        }
    }

    fn choose_label(
        &mut self,
        which: ValueId,
        mut labels: Vec<FlowNodeId>,
        context: u32,
        level: Option<LoopId>,
    ) -> Emitted<State> {
        if let [yes, no] = labels[..] {
            let test = self.is_label(which, yes);
            return self.dispatch(Choice::Test(test), [yes, no].map(State::One).into(), context, level);
        }
        let ready: Vec<FlowNodeId> = labels.iter().copied().filter(|&n| self.is_ready(n, context)).collect();
        if let [one] = ready[..] {
            let test = self.is_label(which, one);
            labels.retain(|&n| n != one);
            let rest = State::Many { which, labels };
            return self.dispatch(Choice::Test(test), vec![State::One(one), rest], context, level);
        }
        let cases = labels[1..].iter().map(|n| i64::from(n.0)).collect();
        let sides = labels.into_iter().map(State::One).collect();
        self.dispatch(Choice::Cases(which, cases), sides, context, level)
    }

    fn dispatch(
        &mut self,
        choice: Choice,
        states: Vec<State>,
        context: u32,
        level: Option<LoopId>,
    ) -> Emitted<State> {
        let side = |state| Side { writes: Vec::new(), state, nodes: BTreeSet::new() };
        self.fork(choice, states.into_iter().map(side).collect(), context, level)
    }

    fn node(&mut self, n: FlowNodeId, context: u32, level: Option<LoopId>) -> Emitted<State> {
        self.context[n.0 as usize] = ELSEWHERE;
        self.written[n.0 as usize] = true;
        if let Some(l) = self.loops.headed[n.0 as usize].filter(|&l| Some(l) != level) {
            return self.repeat(l);
        }
        let graph = self.graph;
        let node = &graph[n];
        for &op in &node.ops {
            self.operation(op)?;
        }
        self.span.clone_from(&node.span);
        let mut sides: Vec<Side> = (node.edges.iter())
            .map(|e| Side { writes: e.writes.clone(), state: State::One(e.to), nodes: BTreeSet::new() })
            .collect();
        let choice = match &node.end {
            Terminator::Test(condition) => Choice::Test(self.get(*condition)?),
            Terminator::Switch(flag, cases) => {
                let flag = self.get(*flag)?;
                match self.switch(flag, cases, &mut sides) {
                    Some(choice) => choice,
                    None => return self.jump(sides.swap_remove(0)),
                }
            }
            Terminator::Jump | Terminator::Return => return self.jump(sides.swap_remove(0)),
        };
        self.fork(choice, sides, context, level)
    }

    fn jump(&mut self, side: Side) -> Emitted<State> {
        self.write(&side.writes)?;
        Ok(side.state)
    }

    /// How a switch decides. Cases that do the same become one side; `None` when all do.
    fn switch(&mut self, flag: ValueId, cases: &[i64], sides: &mut Vec<Side>) -> Option<Choice> {
        let ty = self.out.ty(flag).scalar().unwrap_or(Type::Index);
        let same = |a: &Side, b: &Side| a.writes == b.writes && a.state.labels() == b.state.labels();
        let cases: Vec<i64> = cases.iter().map(|&c| sign_extend(c as u64, ty.width(64))).collect();
        let mut groups: Vec<(Side, Vec<i64>)> = Vec::new();
        for (k, side) in sides.drain(..).enumerate() {
            let case = (k > 0).then(|| cases[k - 1]);
            match groups.iter_mut().find(|g| same(&g.0, &side)) {
                Some(group) => group.1.extend(case),
                None => groups.push((side, case.into_iter().collect())),
            }
        }
        if groups.iter().skip(1).any(|(_, cases)| cases.len() > 1) {
            // In the order of their numbers, so that those below one of them are a range.
            groups[1..].sort_by_key(|(_, cases)| cases.iter().copied().min());
        }
        let (firsts, values): (Vec<Side>, Vec<Vec<i64>>) = groups.into_iter().unzip();
        *sides = firsts;
        match sides.len() {
            1 => None,
            2 => {
                let tests: Vec<ValueId> = values[1].iter().map(|&c| self.equals(flag, c, ty)).collect();
                let either = |a, b| self.scalar(Op::Plain(OpKind::Ori), &[a, b], Type::I1);
                let test = tests.into_iter().reduce(either)?;
                sides.swap(0, 1);
                Some(Choice::Test(test))
            }
            // One value a side, narrow enough for index: the switch as it stands.
            _ if ty.width(32) <= 32 && values.iter().skip(1).all(|v| v.len() == 1) => {
                let cases = values.iter().skip(1).map(|v| v[0]).collect();
                let index = match ty {
                    Type::Index => flag,
                    _ => self.scalar(Op::Plain(OpKind::IndexCast), &[flag], Type::Index),
                };
                Some(Choice::Cases(index, cases))
            }
            count => {
                // What is no case is behind all of them.
                let none = count - 1;
                let mut which = self.literal(none as u64, Type::Index);
                for (k, values) in values.iter().skip(1).enumerate() {
                    for &case in values {
                        let test = self.equals(flag, case, ty);
                        let here = self.literal(k as u64, Type::Index);
                        which = self.scalar(Op::Plain(OpKind::Select), &[test, here, which], Type::Index);
                    }
                }
                Some(Choice::Cases(which, (0..none as i64).collect()))
            }
        }
    }

    fn equals(&mut self, value: ValueId, case: i64, ty: Type) -> ValueId {
        let bits =
            if ty == Type::Index { case as u64 } else { loom_base::truncate(case as u64, ty.width(64)) };
        let case = self.literal(bits, ty);
        self.scalar(Op::Cmpi(Predicate::Eq), &[value, case], Type::I1)
    }

    pub fn is_label(&mut self, which: ValueId, label: FlowNodeId) -> ValueId {
        self.equals(which, label.0.into(), Type::Index)
    }

    /// Whether all ways to a node have been written.
    fn is_ready(&self, n: FlowNodeId, context: u32) -> bool {
        self.context[n.0 as usize] == context
            && self.before[n.0 as usize].iter().all(|p| self.written[p.0 as usize])
    }

    /// Where the jumps of a node, or of the loop that it heads, lead.
    pub fn next(&self, n: FlowNodeId, level: Option<LoopId>) -> Vec<FlowNodeId> {
        match self.loops.headed[n.0 as usize].filter(|&l| Some(l) != level) {
            Some(l) => self.exits[l.0 as usize].iter().map(|e| e.1).collect(),
            None => self.graph[n].edges.iter().map(|e| e.to).collect(),
        }
    }

    /// The nodes that only `start` leads to.
    fn behind(&self, start: FlowNodeId, context: u32, level: Option<LoopId>) -> BTreeSet<FlowNodeId> {
        let mut missing: BTreeMap<FlowNodeId, usize> = BTreeMap::new();
        let mut found = BTreeSet::from([start]);
        let mut work = vec![start];
        while let Some(n) = work.pop() {
            for to in self.next(n, level) {
                if self.context[to.0 as usize] != context {
                    continue;
                }
                let left = missing.entry(to).or_insert(self.before[to.0 as usize].len());
                *left -= 1;
                if *left == 0 && found.insert(to) {
                    work.push(to);
                }
            }
        }
        found
    }

    /// The nodes not yet written that lead to `end`.
    fn leading_to(&self, end: FlowNodeId, context: u32) -> BTreeSet<FlowNodeId> {
        let mut found = BTreeSet::new();
        let mut work = vec![end];
        while let Some(n) = work.pop() {
            for &p in &self.before[n.0 as usize] {
                if self.context[p.0 as usize] == context && found.insert(p) {
                    work.push(p);
                }
            }
        }
        found
    }

    /// Gives each side its nodes.
    fn part(&self, sides: &mut [Side], context: u32, level: Option<LoopId>) {
        let starts: Vec<Vec<FlowNodeId>> = sides.iter().map(|s| s.state.labels()).collect();
        for (side, start) in sides.iter_mut().zip(&starts) {
            if let [n] = start[..] {
                if self.is_ready(n, context) && starts.iter().flatten().filter(|&&s| s == n).count() == 1 {
                    side.nodes = self.behind(n, context, level);
                }
            }
        }
        let mut ends: Vec<FlowNodeId> = Vec::new();
        for (side, start) in sides.iter().zip(starts) {
            let next = side.nodes.iter().flat_map(|&n| self.next(n, level));
            let start = if side.nodes.is_empty() { start } else { Vec::new() };
            ends.extend(next.chain(start).filter(|n| !side.nodes.contains(n)));
        }
        ends.sort();
        ends.dedup();
        let here = ends.iter().filter(|n| self.context[n.0 as usize] == context);
        if let (Some(&first), true) = (here.min_by_key(|n| self.rank[n.0 as usize]), ends.len() > 1) {
            let decides = self.leading_to(first, context);
            sides.iter_mut().for_each(|s| s.nodes.retain(|n| decides.contains(n)));
        }
    }

    fn fork(
        &mut self,
        choice: Choice,
        mut sides: Vec<Side>,
        context: u32,
        level: Option<LoopId>,
    ) -> Emitted<State> {
        self.deeper()?;
        let span = self.span.clone();
        self.part(&mut sides, context, level);
        let (outer, first) = (self.at, self.out.values.len());
        let mut ended = Vec::new();
        for side in sides {
            let region = self.out.add_region();
            let block = self.out.add_block(region);
            let mark = self.log.len();
            self.at = block;
            self.write(&side.writes)?;
            let state = match side.state {
                State::One(start) if !side.nodes.is_empty() => {
                    let inner = self.enter(side.nodes);
                    self.region(start, inner, level)?
                }
                other => other,
            };
            let changed = self.changed(mark);
            ended.push(Ended { region, block: self.at, state, changed });
            self.take_back(mark);
        }
        (self.at, self.span) = (outer, span);
        self.depth -= 1;
        self.meet(choice, ended, first)
    }

    pub fn deeper(&mut self) -> Emitted<()> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        let message =
            format!("`@{}` nests branches and loops more than {MAX_DEPTH} deep", self.graph.func.name);
        let d = Diagnostic::error(codes::NESTING, message).at_opt(self.span.clone(), "");
        Err(vec![d.help("flatten it, or move a part to a function")])
    }

    pub fn shallower(&mut self) {
        self.depth -= 1;
    }
}
