//! Random graphs that keep token balance, for tests of everything that runs graphs.
//!
//! A graph is grown from structure, not from edges: loops (`for` and `while`) with iteration arguments, branches
//! that meet in a mux, arithmetic, constants triggered by the control of their own region, each lowered by the
//! rules of D1. So whatever the data, a run ends with nothing left over, and each output has one token
//! for each activation. Trip counts stay small because loop bounds come from arguments that
//! [`RandomGraph::inputs`] keeps in 0..=6. The same generator state gives the same graph.

use loom_base::{truncate, Name, Rng};
use loom_dfg::graph::{Graph, Node, NodeId, Output, ValueDef, ValueId};
use loom_dfg::{ContCond, Counter, FloatPredicate, Op, OpKind, Predicate, StepOp, Type};
use std::collections::BTreeMap;

/// What a random graph may hold.
#[derive(Clone, Debug)]
pub struct RandomGraphOptions {
    /// Most ops; values below 8 count as 8.
    pub max_ops: usize,
    /// Nesting of loops and branches.
    pub max_depth: usize,
    /// Whether streams of all six step ops occur; else only `+=`.
    pub all_step_ops: bool,
    /// Arithmetic that may occur. `arith.cmpi` and, in `while` loops, i32 `arith.subi` occur anyway.
    pub arith: Vec<OpKind>,
    /// Whether `while` loops occur.
    pub while_loops: bool,
    /// Whether state machines with their branches occur, about half of those that may be.
    pub branches: bool,
}

/// Arithmetic that the default fabrics have units for.
const BASIC: [OpKind; 15] = [
    OpKind::Addi,
    OpKind::Subi,
    OpKind::Muli,
    OpKind::Andi,
    OpKind::Ori,
    OpKind::Xori,
    OpKind::Cmpi,
    OpKind::Select,
    OpKind::Shli,
    OpKind::Shrsi,
    OpKind::Shrui,
    OpKind::Extsi,
    OpKind::Extui,
    OpKind::Trunci,
    OpKind::IndexCast,
];

impl Default for RandomGraphOptions {
    fn default() -> Self {
        RandomGraphOptions {
            max_ops: 25,
            max_depth: 2,
            all_step_ops: false,
            arith: BASIC.to_vec(),
            while_loops: true,
            branches: false,
        }
    }
}

/// What an argument's tokens may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentRole {
    /// A control token.
    Control,
    /// A loop bound: 0 to 6.
    Small,
    /// Anything of its type.
    Data(Type),
}

/// A graph and what to feed it.
#[derive(Clone, Debug)]
pub struct RandomGraph {
    /// The graph; it passes `verify`.
    pub graph: Graph,
    /// One for each argument.
    pub roles: Vec<ArgumentRole>,
}

impl RandomGraph {
    /// Tokens of every argument for some activations, zero-trip loops and edge values among them.
    pub fn inputs(&self, rng: &mut Rng, activations: usize) -> Vec<Vec<u64>> {
        let mut token = |role: ArgumentRole| match role {
            ArgumentRole::Control => 0,
            ArgumentRole::Small => rng.below(7) as u64,
            ArgumentRole::Data(ty) => {
                let width = ty.width(loom_dfg::types::DEFAULT_INDEX_WIDTH);
                let bits = match rng.below(4) {
                    0 => rng.next_u64(),
                    1 => *rng.pick(&[0, 1, u64::MAX, 1 << (width - 1), (1 << (width - 1)) - 1]),
                    _ => rng.between(-20, 20) as u64,
                };
                truncate(bits, width)
            }
        };
        self.roles.iter().map(|&role| (0..activations).map(|_| token(role)).collect()).collect()
    }
}

/// Draws a graph of at most `max_ops` ops.
///
/// ```
/// use loom_base::Rng;
/// use loom_testkit::graphs::{random_graph, RandomGraphOptions};
/// let mut rng = Rng::new(1);
/// let random = random_graph(&mut rng, &RandomGraphOptions::default());
/// let inputs = random.inputs(&mut rng, 3);
/// let outcome = loom_dfg::interp::run(&random.graph, &inputs, &Default::default());
/// assert!(outcome.is_complete());
/// assert!(outcome.outputs.iter().all(|tokens| tokens.len() == 3));
/// ```
pub fn random_graph(rng: &mut Rng, options: &RandomGraphOptions) -> RandomGraph {
    let max_ops = options.max_ops.max(8);
    // A draw that is too large is thrown away; the wish shrinks until plain arithmetic is left, which fits.
    let mut wish = 2 + max_ops / 6;
    let mut draws = 0;
    loop {
        let mut gen = Generator::new(rng, options);
        let depth = if wish <= 1 { 0 } else { options.max_depth };
        let count = 1 + gen.rng.below(wish.max(1));
        gen.statements(count, depth);
        let drawn = gen.finish();
        let least = if wish <= 1 { 1 } else { max_ops / 4 };
        if let Some(drawn) = drawn.filter(|d| (least..=max_ops).contains(&d.graph.nodes.len())) {
            return drawn;
        }
        draws += 1;
        if draws % 16 == 0 {
            wish = wish.saturating_sub(1);
        }
    }
}

/// Where a region's tokens come from.
enum Place {
    Root,
    /// Raw condition, and the gated one when at least one iteration is certain.
    Loop {
        rc: ValueId,
        certain: Option<ValueId>,
    },
    Branch {
        cond: ValueId,
        side: usize,
    },
}

struct Region {
    place: Place,
    /// Values of the region itself.
    pool: Vec<ValueId>,
    /// Index values known to be 0 to 6.
    small: Vec<ValueId>,
    /// Values of the region around it, as seen here.
    captured: BTreeMap<ValueId, ValueId>,
    /// Splits of a branch, shared by both sides.
    splits: BTreeMap<ValueId, NodeId>,
}

impl Region {
    fn new(place: Place) -> Self {
        Region {
            place,
            pool: Vec::new(),
            small: Vec::new(),
            captured: BTreeMap::new(),
            splits: BTreeMap::new(),
        }
    }
}

struct Generator<'r> {
    rng: &'r mut Rng,
    options: &'r RandomGraphOptions,
    graph: Graph,
    roles: Vec<ArgumentRole>,
    control: ValueId,
    regions: Vec<Region>,
}

impl<'r> Generator<'r> {
    fn new(rng: &'r mut Rng, options: &'r RandomGraphOptions) -> Self {
        let mut graph = Graph::new(Name::new("random").expect("a name"));
        let mut roles = vec![ArgumentRole::Control];
        let control = graph.add_argument("ctl", Type::None);
        let mut root = Region::new(Place::Root);
        for name in ["n", "m"] {
            let v = graph.add_argument(name, Type::Index);
            roles.push(ArgumentRole::Small);
            root.small.push(v);
            root.pool.push(v);
        }
        for (name, ty) in [("x", Type::I32), ("y", Type::I32), ("z", Type::Index), ("c", Type::I1)] {
            root.pool.push(graph.add_argument(name, ty));
            roles.push(ArgumentRole::Data(ty));
        }
        Generator { rng, options, graph, roles, control, regions: vec![root] }
    }

    fn here(&mut self) -> &mut Region {
        let last = self.regions.len() - 1;
        &mut self.regions[last]
    }

    fn op(&mut self, op: Op, operands: &[ValueId], results: &[Type]) -> NodeId {
        self.graph.add_node(op, operands, results)
    }

    fn one(&mut self, kind: OpKind, operands: &[ValueId], ty: Type) -> ValueId {
        let node = self.op(Op::Plain(kind), operands, &[ty]);
        self.graph.result(node, 0)
    }

    fn ty(&self, v: ValueId) -> Type {
        self.graph.value(v).ty
    }

    /// A value of region `level`, brought to the innermost region one level at a time.
    fn capture(&mut self, mut v: ValueId, level: usize) -> ValueId {
        for inner in level + 1..self.regions.len() {
            if let Some(&seen) = self.regions[inner].captured.get(&v) {
                v = seen;
                continue;
            }
            let ty = self.ty(v);
            let uncertain = matches!(self.regions[inner].place, Place::Loop { certain: None, .. });
            let fused = uncertain && self.draws_branch();
            let seen = match self.regions[inner].place {
                Place::Root => v,
                Place::Loop { certain: Some(ac), .. } => self.one(OpKind::Invariant, &[ac, v], ty),
                Place::Loop { rc, certain: None } if fused => {
                    let both = self.op(Op::Plain(OpKind::InvariantBr), &[rc, v], &[ty, ty]);
                    self.graph.result(both, 0)
                }
                Place::Loop { rc, certain: None } => {
                    let all = self.one(OpKind::Invariant, &[rc, v], ty);
                    let split = self.op(Op::Plain(OpKind::CondBr), &[rc, all], &[ty, ty]);
                    self.graph.result(split, 0)
                }
                Place::Branch { cond, side } => {
                    let split = match self.regions[inner].splits.get(&v) {
                        Some(&split) => split,
                        None => self.op(Op::Plain(OpKind::CondBr), &[cond, v], &[ty, ty]),
                    };
                    self.regions[inner].splits.insert(v, split);
                    self.graph.result(split, side)
                }
            };
            self.regions[inner].captured.insert(v, seen);
            v = seen;
        }
        v
    }

    fn control(&mut self) -> ValueId {
        self.capture(self.control, 0)
    }

    fn constant(&mut self, bits: u64, ty: Type) -> ValueId {
        let mut trigger = self.control();
        if self.rng.chance(10) {
            let other = self.any();
            trigger = self.one(OpKind::Join(2), &[trigger, other], Type::None);
        }
        let node = self.op(Op::Constant(truncate(bits, ty.width(64))), &[trigger], &[ty]);
        self.graph.result(node, 0)
    }

    /// Any visible value; one of the innermost region more often than not.
    fn any(&mut self) -> ValueId {
        let (level, v) = self.visible(|_, _| true).unwrap_or((0, self.control));
        self.capture(v, level)
    }

    fn visible(&mut self, fits: impl Fn(&Graph, ValueId) -> bool) -> Option<(usize, ValueId)> {
        let mut found = Vec::new();
        for (level, region) in self.regions.iter().enumerate() {
            let weight = if level + 1 == self.regions.len() { 4 } else { 1 };
            for &v in region.pool.iter().filter(|&&v| fits(&self.graph, v)) {
                found.extend(std::iter::repeat_n((level, v), weight));
            }
        }
        (!found.is_empty()).then(|| *self.rng.pick(&found))
    }

    fn value(&mut self, ty: Type) -> ValueId {
        if !self.rng.chance(15) {
            if let Some((level, v)) = self.visible(|g, v| g.value(v).ty == ty) {
                return self.capture(v, level);
            }
        }
        if ty == Type::I1 {
            return self.compare();
        }
        // Small numbers; of a float the bits of its upper half, so that all sizes and some NaNs occur.
        let bits = match ty.is_float() {
            true => self.rng.next_u64() << (ty.width(0) / 2),
            false => self.rng.between(-8, 40) as u64,
        };
        self.constant(bits, ty)
    }

    fn cast(&mut self, kind: OpKind, from: Type, to: Type) -> ValueId {
        let a = self.value(from);
        self.one(kind, &[a], to)
    }

    fn small(&mut self) -> ValueId {
        let levels = self.regions.iter().enumerate();
        let found: Vec<_> = levels.flat_map(|(l, r)| r.small.iter().map(move |&v| (l, v))).collect();
        if self.rng.chance(15) {
            let bits = self.rng.below(5) as u64;
            return self.constant(bits, Type::Index);
        }
        let (level, v) = *self.rng.pick(&found);
        self.capture(v, level)
    }

    fn compare(&mut self) -> ValueId {
        let ty = *self.rng.pick(&[Type::I32, Type::I32, Type::Index]);
        let (a, b) = (self.value_no_bool(ty), self.value_no_bool(ty));
        let predicate = *self.rng.pick(&Predicate::ALL);
        let node = self.op(Op::Cmpi(predicate), &[a, b], &[Type::I1]);
        self.graph.result(node, 0)
    }

    /// As `value`, for types where that does not come back to `compare`.
    fn value_no_bool(&mut self, ty: Type) -> ValueId {
        match self.visible(|g, v| g.value(v).ty == ty) {
            Some((level, v)) if self.rng.chance(80) => self.capture(v, level),
            _ => {
                let bits = self.rng.between(-3, 12) as u64;
                self.constant(bits, ty)
            }
        }
    }

    fn statements(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            match self.rng.below(10) {
                0..=2 if depth > 0 => self.for_loop(depth),
                3 if depth > 0 && self.options.while_loops => self.while_loop(depth),
                4..=5 if depth > 0 => self.branch(depth),
                _ => self.arithmetic(),
            }
        }
    }

    fn arithmetic(&mut self) {
        let kind =
            if self.options.arith.is_empty() { OpKind::Cmpi } else { *self.rng.pick(&self.options.arith) };
        let word = *self.rng.pick(&[Type::I32, Type::I32, Type::I32, Type::Index]);
        let v = match kind {
            OpKind::Cmpi => self.compare(),
            OpKind::Select => {
                let (c, a, b) = (self.value(Type::I1), self.value(word), self.value(word));
                self.one(kind, &[c, a, b], word)
            }
            OpKind::Extsi | OpKind::Extui => self.cast(kind, Type::I1, Type::I32),
            OpKind::Trunci => self.cast(kind, Type::I32, Type::I1),
            OpKind::IndexCast | OpKind::IndexCastui => {
                let (from, to) = *self.rng.pick(&[(Type::I32, Type::Index), (Type::Index, Type::I32)]);
                self.cast(kind, from, to)
            }
            OpKind::Shli | OpKind::Shrsi | OpKind::Shrui => {
                let a = self.value(word);
                let bits = self.rng.below(40) as u64;
                let by = if self.rng.chance(60) { self.constant(bits, word) } else { self.value(word) };
                self.one(kind, &[a, by], word)
            }
            OpKind::Cmpf => {
                let predicate = *self.rng.pick(&FloatPredicate::all().collect::<Vec<_>>());
                let operands = [self.value(Type::F32), self.value(Type::F32)];
                let node = self.op(Op::Cmpf(predicate), &operands, &[Type::I1]);
                self.graph.result(node, 0)
            }
            OpKind::Extf => self.cast(kind, Type::F16, Type::F32),
            OpKind::Truncf => self.cast(kind, Type::F32, Type::F16),
            OpKind::Sitofp | OpKind::Uitofp => self.cast(kind, Type::I32, Type::F32),
            OpKind::Fptosi | OpKind::Fptoui => self.cast(kind, Type::F32, Type::I32),
            OpKind::Bitcast if self.rng.chance(50) => self.cast(kind, Type::F32, Type::I32),
            OpKind::Bitcast => self.cast(kind, Type::I32, Type::F32),
            _ => {
                let word = if kind.is_float_arithmetic() { Type::F32 } else { word };
                let operands: Vec<ValueId> = (0..kind.operand_count()).map(|_| self.value(word)).collect();
                self.one(kind, &operands, word)
            }
        };
        self.here().pool.push(v);
    }

    /// Start, step, bound, step op, condition, and whether one iteration is certain. Trip counts are at most 7.
    fn bounds(&mut self) -> ([ValueId; 3], StepOp, ContCond, bool) {
        let step_op = if self.options.all_step_ops { *self.rng.pick(&StepOp::ALL) } else { StepOp::Add };
        let certain = step_op == StepOp::Add && self.rng.chance(25);
        let (start, step, cond) = match step_op {
            StepOp::Add if certain => (Some(0), 1, ContCond::Lt),
            StepOp::Add => *self.rng.pick(&[
                (Some(0), 1, ContCond::Lt),
                (Some(0), 1, ContCond::Lt),
                (Some(1), 2, ContCond::Lt),
                (Some(0), 1, ContCond::Le),
                (Some(0), 1, ContCond::Ne),
            ]),
            StepOp::Sub => (None, 1, *self.rng.pick(&[ContCond::Gt, ContCond::Ge, ContCond::Ne])),
            StepOp::Mul => (Some(1), 2, ContCond::Lt),
            StepOp::Shl => (Some(1), 1, ContCond::Lt),
            StepOp::Div => (None, 2, ContCond::Gt),
            StepOp::Shr => (None, 1, ContCond::Gt),
        };
        let step = self.constant(step, Type::Index);
        let (start, bound) = match start {
            Some(start) => {
                let start = self.constant(start, Type::Index);
                let trips = 1 + self.rng.below(4) as u64;
                (start, if certain { self.constant(trips, Type::Index) } else { self.small() })
            }
            None => (self.small(), self.constant(0, Type::Index)),
        };
        ([start, step, bound], step_op, cond, certain)
    }

    fn for_loop(&mut self, depth: usize) {
        let (operands, step_op, cond, certain) = self.bounds();
        // All numbers are small: they are the same ones either way.
        let unsigned = self.options.all_step_ops && self.rng.chance(40);
        let counter = if unsigned { Counter::unsigned(step_op) } else { Counter::signed(step_op) };
        let stream = self.op(Op::Stream(counter, cond), &operands, &[Type::Index, Type::I1]);
        let (idx, rc) = (self.graph.result(stream, 0), self.graph.result(stream, 1));
        let (index, ac) = if certain || self.rng.chance(60) {
            let gate = self.op(Op::Plain(OpKind::Gate), &[idx, rc], &[Type::Index, Type::I1]);
            (self.graph.result(gate, 0), self.graph.result(gate, 1))
        } else {
            let split = self.op(Op::Plain(OpKind::CondBr), &[rc, idx], &[Type::Index, Type::Index]);
            (self.graph.result(split, 0), rc)
        };
        let carries = self.carries(rc);
        let mut body = Region::new(Place::Loop { rc, certain: certain.then_some(ac) });
        body.pool.push(index);
        body.small.push(index);
        self.body(body, &carries, depth);
    }

    /// `while (k > 0) { ...; k = k - 1 }`, the condition computed from the carried counter.
    fn while_loop(&mut self, depth: usize) {
        let from = self.small();
        let counter = self.op(Op::Plain(OpKind::Carry), &[from, from, from], &[Type::Index]);
        let k = self.graph.result(counter, 0);
        let control = self.control();
        let before = self.op(Op::Plain(OpKind::Invariant), &[control, control], &[Type::None]);
        let trigger = self.graph.result(before, 0);
        let zero = self.op(Op::Constant(0), &[trigger], &[Type::Index]);
        let zero = self.graph.result(zero, 0);
        let more = self.op(Op::Cmpi(Predicate::Sgt), &[k, zero], &[Type::I1]);
        let rc = self.graph.result(more, 0);
        self.graph.set_operand(counter, 0, rc);
        self.graph.set_operand(before, 0, rc);
        let split = self.op(Op::Plain(OpKind::CondBr), &[rc, k], &[Type::Index, Type::Index]);
        let k_body = self.graph.result(split, 0);
        let carries = self.carries(rc);
        let mut body = Region::new(Place::Loop { rc, certain: None });
        body.pool.push(k_body);
        body.small.push(k_body);
        self.regions.push(body);
        let one = self.constant(1, Type::Index);
        let next = self.one(OpKind::Subi, &[k_body, one], Type::Index);
        self.graph.set_operand(counter, 2, next);
        let Some(body) = self.regions.pop() else { return };
        self.body(body, &carries, depth);
    }

    /// Whether a state machine comes with its branch; nothing is drawn where none does.
    fn draws_branch(&mut self) -> bool {
        self.options.branches && self.rng.chance(50)
    }

    /// Iteration arguments: each carry with its split.
    fn carries(&mut self, rc: ValueId) -> Vec<(NodeId, NodeId)> {
        (0..1 + self.rng.below(2))
            .map(|_| {
                let ty = *self.rng.pick(&[Type::I32, Type::I32, Type::Index]);
                let init = self.value(ty);
                if self.draws_branch() {
                    let both = self.op(Op::Plain(OpKind::CarryBr), &[rc, init, init], &[ty, ty]);
                    return (both, both);
                }
                let carry = self.op(Op::Plain(OpKind::Carry), &[rc, init, init], &[ty]);
                let value = self.graph.result(carry, 0);
                (carry, self.op(Op::Plain(OpKind::CondBr), &[rc, value], &[ty, ty]))
            })
            .collect()
    }

    /// Fills a loop body and closes its iteration arguments.
    fn body(&mut self, mut body: Region, carries: &[(NodeId, NodeId)], depth: usize) {
        body.pool.extend(carries.iter().map(|&(_, split)| self.graph.result(split, 0)));
        self.regions.push(body);
        let count = 1 + self.rng.below(2);
        self.statements(count, depth - 1);
        for &(carry, split) in carries {
            let ty = self.ty(self.graph.result(split, 0));
            let next = self.yielded(ty);
            self.graph.set_operand(carry, 2, next);
        }
        self.regions.pop();
        let exits: Vec<ValueId> = carries.iter().map(|&(_, split)| self.graph.result(split, 1)).collect();
        self.here().pool.extend(exits);
    }

    /// A value to leave the region with: the newest that fits, or any.
    fn yielded(&mut self, ty: Type) -> ValueId {
        let newest = self.here().pool.clone().into_iter().rev().find(|&v| self.ty(v) == ty);
        match newest {
            Some(v) if self.rng.chance(75) => v,
            _ => self.value(ty),
        }
    }

    fn branch(&mut self, depth: usize) {
        let cond = self.value(Type::I1);
        let types: Vec<Type> =
            (0..1 + self.rng.below(2)).map(|_| *self.rng.pick(&[Type::I32, Type::Index])).collect();
        let mut splits = BTreeMap::new();
        let mut sides = Vec::new();
        for side in 0..2 {
            let mut region = Region::new(Place::Branch { cond, side });
            region.splits = splits;
            self.regions.push(region);
            let count = self.rng.below(3);
            self.statements(count, depth - 1);
            sides.push(types.iter().map(|&ty| self.yielded(ty)).collect::<Vec<_>>());
            splits = self.regions.pop().map(|r| r.splits).unwrap_or_default();
        }
        for (k, &ty) in types.iter().enumerate() {
            // A false selector takes the first input.
            let v = self.one(OpKind::Mux(2), &[cond, sides[1][k], sides[0][k]], ty);
            self.here().pool.push(v);
        }
    }

    /// Outputs are the newest results; what does not reach one is dropped.
    fn finish(mut self) -> Option<RandomGraph> {
        let pool = &self.regions[0].pool;
        let is_result = |v: &&ValueId| matches!(self.graph.value(**v).def, ValueDef::Result { .. });
        let results: Vec<ValueId> = pool.iter().rev().filter(is_result).copied().collect();
        let count = (1 + self.rng.below(3)).min(results.len());
        for (k, &v) in results[..count].iter().enumerate() {
            self.graph.add_output(format!("out{k}"), v);
        }
        let (graph, kept) = prune(&self.graph);
        let roles = kept.iter().map(|&k| self.roles[k]).collect();
        (!graph.outputs.is_empty()).then_some(RandomGraph { graph, roles })
    }
}

/// The part of a graph that its outputs depend on, and which arguments are left. Token balance is kept: a value
/// that loses its last use is discarded. Result names stay, except that numeric ones are counted anew.
pub fn prune(graph: &Graph) -> (Graph, Vec<usize>) {
    let mut live = vec![false; graph.nodes.len()];
    let mut used = vec![false; graph.values.len()];
    let mut work: Vec<ValueId> = graph.outputs.iter().map(|o| o.value).collect();
    while let Some(v) = work.pop() {
        used[v.0 as usize] = true;
        if let ValueDef::Result { node, .. } = graph.value(v).def {
            if !std::mem::replace(&mut live[node.0 as usize], true) {
                work.extend(&graph.node(node).operands);
            }
        }
    }
    let mut out = Graph::new(graph.name.clone());
    out.max_join_fanin = graph.max_join_fanin;
    let mut kept = Vec::new();
    let mut ids = vec![ValueId(0); graph.values.len()];
    for (k, &a) in graph.arguments.iter().enumerate().filter(|(_, a)| used[a.0 as usize]) {
        kept.push(k);
        ids[a.0 as usize] = out.add_argument(graph.value(a).name.clone(), graph.value(a).ty);
    }
    for (_, node) in graph.nodes.iter().enumerate().filter(|&(n, _)| live[n]) {
        let types: Vec<Type> = node.results.iter().map(|&r| graph.value(r).ty).collect();
        let new = out.add_node(node.op, &node.operands, &types);
        out.nodes[new.0 as usize].span = node.span.clone();
        for (r, &old) in node.results.iter().enumerate() {
            let id = out.result(new, r);
            let name = &graph.value(old).name;
            if !name.starts_with(|c: char| c.is_ascii_digit()) {
                out.values[id.0 as usize].name = name.clone();
            }
            ids[old.0 as usize] = id;
        }
    }
    for Node { operands, .. } in &mut out.nodes {
        for v in operands {
            *v = ids[v.0 as usize];
        }
    }
    for Output { name, value } in &graph.outputs {
        out.add_output(name.clone(), ids[value.0 as usize]);
    }
    (out, kept)
}
