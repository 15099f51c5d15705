//! Control lowering: structured control flow becomes explicit edges between dataflow ops (seed
//! `dataflow-compilation`, with the table of D1).
//!
//! Input is a *plain* function: one block per region, `scf.if/for/while` only, induction values of type index,
//! every access on a root memref of rank 1 (what [`crate::normalize`] makes). Every region is a *level*: its
//! tokens come as often as the region runs. A value used deeper than it is defined is brought down one level at a
//! time, and what bringing down means at each kind of level is the table's row:
//!
//! | level | brought-down x |
//! |---|---|
//! | side of an if | `cond_br(cond, x)`, that side |
//! | body of a for that surely runs | `invariant(after_cond, x)` |
//! | body of another for | `cond_br(raw, invariant(raw, x))`, true side |
//! | before-region of a while | `invariant(raw, x)` |
//! | after-region of a while | `cond_br(raw, x)`, true side, of the before-region's |
//!
//! Guarantees: the graph passes `loom_dfg::verify`; token balance is not trusted but proved afterwards by
//! [`crate::regime`], order by [`crate::invariants`].

mod order;
mod runs;

pub use runs::surely_runs;

use crate::depend::Dependences;
use crate::domain::{Domains, RootKind};
use crate::edit;
use crate::ir::{self, BlockId, Func, Kind, OpId};
use crate::order::Order;
use loom_base::name::MAX_NAME;
use loom_base::Name;
use loom_dfg::{
    ContCond, Counter, Graph, Memory, MemoryId, MemoryPlace, NodeId, Op, OpKind, Ports, Type, ValueId,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Index of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LevelId(pub u32);

/// What a region is, and what its tokens depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LevelKind {
    Function,
    /// Side 0 is the true one.
    IfSide {
        cond: ValueId,
        side: usize,
    },
    ForBody {
        raw: ValueId,
        /// Given when the loop surely runs.
        after: Option<ValueId>,
    },
    WhileBefore {
        raw: ValueId,
    },
    WhileAfter {
        raw: ValueId,
    },
}

struct Level {
    parent: Option<LevelId>,
    kind: LevelKind,
}

/// One memory access of the graph.
#[derive(Clone, Debug)]
pub struct Access {
    /// The source's operation.
    pub op: OpId,
    /// Its `handshake.load` or `handshake.store`.
    pub node: NodeId,
    /// Its memory.
    pub memory: MemoryId,
    /// Port of the memory, counted among loads or stores.
    pub port: usize,
    /// Whether it stores.
    pub is_store: bool,
    /// Ordering domain.
    pub domain: usize,
    /// Global ordering index: position in source order.
    pub index: usize,
    /// SCF nesting path, outermost first: each operation around it and which of its regions.
    pub path: Vec<(OpId, usize)>,
}

/// What lowering gives.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The graph.
    pub graph: Graph,
    /// Its accesses, in source order.
    pub accesses: Vec<Access>,
    /// Whether a fence ties the domains together.
    pub has_fence: bool,
}

/// A value that is set later.
const LATER: ValueId = ValueId(u32::MAX);

struct Lowering<'a> {
    func: &'a Func,
    domains: &'a Domains,
    deps: &'a Dependences,
    order: Order,
    graph: Graph,
    levels: Vec<Level>,
    values: BTreeMap<ir::ValueId, (LevelId, ValueId)>,
    /// Constants of a level.
    constants: BTreeMap<(LevelId, u64, Type), ValueId>,
    /// Values brought down to a level.
    brought: BTreeMap<(LevelId, ValueId), ValueId>,
    /// `cond_br` of a value by a condition.
    splits: BTreeMap<(ValueId, ValueId), NodeId>,
    /// Stand-ins of while conditions and what they became.
    forward: BTreeMap<ValueId, ValueId>,
    stand_ins: BTreeSet<NodeId>,
    level_of_block: BTreeMap<BlockId, LevelId>,
    /// For each loop and if: its raw condition, or its condition.
    condition_of: BTreeMap<OpId, ValueId>,
    control: ValueId,
    accesses: Vec<Access>,
    memory_of_root: Vec<MemoryId>,
    /// For each access: its root.
    root_of: BTreeMap<OpId, usize>,
    /// For each access: its place in `accesses`.
    access_of: BTreeMap<OpId, usize>,
    /// What each operation with accesses or fences in it holds.
    contents: BTreeMap<OpId, order::Content>,
    /// For each access: its done token.
    done_of: BTreeMap<OpId, ValueId>,
    /// For each store that waits for loads of earlier iterations only: what it waits for.
    behind: BTreeMap<OpId, Vec<order::Behind>>,
    names: BTreeSet<String>,
    /// For a name: the next number to try behind it.
    next_number: BTreeMap<String, usize>,
    span: Option<Range<usize>>,
}

/// Lowers a plain function. `deps` and `domains` must have been computed for it.
pub fn lower(
    func: &Func,
    globals: &[ir::Global],
    domains: &Domains,
    deps: &Dependences,
    order: Order,
) -> Lowered {
    let mut l = Lowering {
        func,
        domains,
        deps,
        order,
        graph: Graph::new(Name::cleaned(&func.name, "graph")),
        levels: vec![Level { parent: None, kind: LevelKind::Function }],
        values: BTreeMap::new(),
        constants: BTreeMap::new(),
        brought: BTreeMap::new(),
        splits: BTreeMap::new(),
        forward: BTreeMap::new(),
        stand_ins: BTreeSet::new(),
        level_of_block: BTreeMap::new(),
        condition_of: BTreeMap::new(),
        control: LATER,
        accesses: Vec::new(),
        memory_of_root: Vec::new(),
        root_of: BTreeMap::new(),
        access_of: BTreeMap::new(),
        contents: BTreeMap::new(),
        done_of: BTreeMap::new(),
        behind: BTreeMap::new(),
        names: BTreeSet::new(),
        next_number: BTreeMap::new(),
        span: None,
    };
    let top = LevelId(0);
    l.interface(globals);
    let body = func.body.and_then(|b| func.entry(b)).expect("a plain function has a body");
    l.block(body, top, &mut Vec::new());
    let terminator = func.terminator(body).expect("a verified block has a terminator");
    let results: Vec<ValueId> = func.op(terminator).operands.iter().map(|&v| l.get(v, top)).collect();
    l.connect();
    let done = l.order_function(body);
    for (k, value) in results.into_iter().enumerate() {
        l.graph.add_output(format!("r{k}"), value);
    }
    l.graph.add_output("done", done);
    let has_fence = edit::walk(func).iter().any(|&op| func.op(op).kind == Kind::Fence);
    l.finish(has_fence)
}

impl Lowering<'_> {
    /// Arguments and memories.
    fn interface(&mut self, globals: &[ir::Global]) {
        let reserved = ["ctl", "done"].into_iter().map(String::from);
        self.names.extend(reserved.chain((0..self.func.result_types.len()).map(|k| format!("r{k}"))));
        let mut memory_of = BTreeMap::new();
        let mut position = 0;
        for &argument in self.func.arguments() {
            // A memref that nobody reads or writes is no part of the graph.
            let is_memref = self.func.ty(argument).memref().is_some();
            if is_memref && self.domains.root_of(argument).is_none() {
                continue;
            }
            let name = self.port_name(&self.func.value(argument).name, format!("arg{position}"));
            match self.func.ty(argument) {
                ir::ValueType::Scalar(ty) => {
                    let value = self.graph.add_argument(name, *ty);
                    self.values.insert(argument, (LevelId(0), value));
                }
                ir::ValueType::Memref(ty) => {
                    let words = ty.words().map(|w| w as u64);
                    let place = MemoryPlace::Argument { position };
                    let memory = Memory { name, element: ty.element, words, place };
                    memory_of.insert(argument, self.graph.add_memory(memory));
                }
            }
            position += 1;
        }
        self.control = self.graph.add_argument("ctl", Type::None);
        for root in &self.domains.roots {
            let id = match &root.kind {
                RootKind::Argument(value) => memory_of[value],
                RootKind::Alloc(_) | RootKind::Global(_) => {
                    let name = self.port_name(&root.name, "local".into());
                    let global = match &root.kind {
                        RootKind::Global(name) => globals.iter().find(|g| g.name == *name),
                        _ => None,
                    };
                    let init = global.and_then(|g| g.init.clone()).unwrap_or_default();
                    let place = MemoryPlace::Private { init };
                    let words = root.ty.words().map(|w| w as u64);
                    self.graph.add_memory(Memory { name, element: root.ty.element, words, place })
                }
            };
            self.memory_of_root.push(id);
        }
    }

    /// An identifier that no other port has.
    fn port_name(&mut self, name: &str, otherwise: String) -> String {
        self.unique(&Name::cleaned(name, &otherwise))
    }

    fn unique(&mut self, name: &str) -> String {
        let mut candidate = name.to_string();
        let n = self.next_number.entry(candidate.clone()).or_insert(1);
        while !self.names.insert(candidate.clone()) {
            // Short enough to be a port's still.
            let start: String = name.chars().take(MAX_NAME - 8).collect();
            candidate = format!("{start}_{n}");
            *n += 1;
        }
        candidate
    }

    fn node(&mut self, op: Op, operands: &[ValueId], types: &[Type]) -> NodeId {
        let node = self.graph.add_node(op, operands, types);
        self.graph.nodes[node.0 as usize].span = self.span.clone();
        node
    }

    /// A node with one result.
    fn one(&mut self, op: Op, operands: &[ValueId], ty: Type) -> ValueId {
        let node = self.node(op, operands, &[ty]);
        self.graph.result(node, 0)
    }

    fn ty(&self, value: ValueId) -> Type {
        self.graph.value(value).ty
    }

    fn level(&mut self, parent: LevelId, kind: LevelKind) -> LevelId {
        self.levels.push(Level { parent: Some(parent), kind });
        LevelId(self.levels.len() as u32 - 1)
    }

    /// Side `side` (0 is true) of a value split by a condition; one `cond_br` serves both sides.
    fn split(&mut self, cond: ValueId, value: ValueId, side: usize) -> ValueId {
        let node = match self.splits.get(&(cond, value)) {
            Some(&node) => node,
            None => {
                let ty = self.ty(value);
                let node = self.node(Op::Plain(OpKind::CondBr), &[cond, value], &[ty, ty]);
                self.splits.insert((cond, value), node);
                node
            }
        };
        self.graph.result(node, side)
    }

    fn invariant(&mut self, d: ValueId, value: ValueId) -> ValueId {
        let ty = self.ty(value);
        self.one(Op::Plain(OpKind::Invariant), &[d, value], ty)
    }

    /// `carry(d, init, ...)`; operand `b` comes later.
    fn carry(&mut self, d: ValueId, init: ValueId) -> (NodeId, ValueId) {
        let ty = self.ty(init);
        let node = self.node(Op::Plain(OpKind::Carry), &[d, init, LATER], &[ty]);
        (node, self.graph.result(node, 0))
    }

    /// A value of the parent level, at `level`.
    fn bring_one(&mut self, value: ValueId, level: LevelId) -> ValueId {
        if let Some(&known) = self.brought.get(&(level, value)) {
            return known;
        }
        let here = match self.levels[level.0 as usize].kind {
            LevelKind::Function => value,
            LevelKind::IfSide { cond, side } => self.split(cond, value, side),
            LevelKind::ForBody { after: Some(after), .. } => self.invariant(after, value),
            LevelKind::ForBody { raw, after: None } => {
                let copies = self.invariant(raw, value);
                self.split(raw, copies, 0)
            }
            LevelKind::WhileBefore { raw } => self.invariant(raw, value),
            LevelKind::WhileAfter { raw } => self.split(raw, value, 0),
        };
        self.brought.insert((level, value), here);
        here
    }

    fn bring(&mut self, value: ValueId, from: LevelId, to: LevelId) -> ValueId {
        match self.levels[to.0 as usize].parent {
            Some(parent) if from != to => {
                let above = self.bring(value, from, parent);
                self.bring_one(above, to)
            }
            _ => value,
        }
    }

    /// The level's own control token: the entry token, replicated.
    fn control(&mut self, level: LevelId) -> ValueId {
        self.bring(self.control, LevelId(0), level)
    }

    fn constant(&mut self, bits: u64, ty: Type, level: LevelId) -> ValueId {
        if let Some(&known) = self.constants.get(&(level, bits, ty)) {
            return known;
        }
        let trigger = self.control(level);
        let value = self.one(Op::Constant(bits), &[trigger], ty);
        self.constants.insert((level, bits, ty), value);
        value
    }

    /// A source value as `level` sees it. Constants are made anew in each region that uses them.
    fn get(&mut self, value: ir::ValueId, level: LevelId) -> ValueId {
        let ty = self.func.ty(value).scalar();
        if let (Some(bits), Some(ty)) = (edit::constant(self.func, value), ty) {
            return self.constant(bits, ty, level);
        }
        let (at, v) = self.values[&value];
        self.bring(v, at, level)
    }

    fn define(&mut self, value: ir::ValueId, level: LevelId, v: ValueId) {
        let name = &self.func.value(value).name;
        let good = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let unnamed = self.graph.value(v).name.starts_with(|c: char| c.is_ascii_digit());
        if good && unnamed {
            let name = name.replace(['.', '-', '$'], "_");
            let name = self.unique(&name);
            self.graph.values[v.0 as usize].name = name;
        }
        self.values.insert(value, (level, v));
    }

    fn block(&mut self, block: BlockId, level: LevelId, path: &mut Vec<(OpId, usize)>) {
        self.level_of_block.insert(block, level);
        for i in 0..self.func.block(block).ops.len() {
            let op = self.func.block(block).ops[i];
            self.span = self.func.op(op).span.clone();
            self.operation(op, level, path);
        }
    }

    fn operation(&mut self, op: OpId, level: LevelId, path: &mut Vec<(OpId, usize)>) {
        let record = self.func.op(op);
        match &record.kind {
            Kind::Scalar(scalar) => {
                let operands: Vec<ValueId> = record.operands.iter().map(|&v| self.get(v, level)).collect();
                let result = record.results[0];
                let ty = self.func.ty(result).scalar().expect("scalar ops give scalars");
                let value = self.one(*scalar, &operands, ty);
                self.define(result, level, value);
            }
            Kind::If => self.lower_if(op, level, path),
            Kind::For { counter, cond } => self.lower_for(op, *counter, *cond, level, path),
            Kind::While => self.lower_while(op, level, path),
            Kind::Load | Kind::Store => self.access(op, level, path),
            // Constants are made where they are used; roots are part of the interface; the fence and the
            // terminators say something about the ops around them.
            _ => {}
        }
    }

    fn lower_if(&mut self, op: OpId, level: LevelId, path: &mut Vec<(OpId, usize)>) {
        let record = self.func.op(op);
        let cond = self.get(record.operands[0], level);
        self.condition_of.insert(op, cond);
        let mut sides: Vec<Vec<ValueId>> = Vec::new();
        for side in 0..2 {
            let child = self.level(level, LevelKind::IfSide { cond, side });
            let Some(block) = record.regions.get(side).and_then(|&r| self.func.entry(r)) else { continue };
            path.push((op, side));
            self.block(block, child, path);
            path.pop();
            let terminator = self.func.terminator(block).expect("a verified block has a terminator");
            sides.push(self.func.op(terminator).operands.iter().map(|&v| self.get(v, child)).collect());
        }
        for (k, &result) in record.results.iter().enumerate() {
            // A false selector takes the first input.
            let (on_true, on_false) = (sides[0][k], sides[1][k]);
            let ty = self.ty(on_true);
            let value = self.one(Op::Plain(OpKind::Mux(2)), &[cond, on_false, on_true], ty);
            self.define(result, level, value);
        }
    }

    fn lower_for(
        &mut self,
        op: OpId,
        counter: Counter,
        cond: ContCond,
        level: LevelId,
        path: &mut Vec<(OpId, usize)>,
    ) {
        let record = self.func.op(op);
        let [lower, upper, step] = [0, 1, 2].map(|i| self.get(record.operands[i], level));
        let stream = Op::Stream(counter, cond);
        let stream = self.node(stream, &[lower, step, upper], &[Type::Index, Type::I1]);
        let (index, raw) = (self.graph.result(stream, 0), self.graph.result(stream, 1));
        self.condition_of.insert(op, raw);
        let gate = self.node(Op::Plain(OpKind::Gate), &[index, raw], &[Type::Index, Type::I1]);
        let (body_index, after) = (self.graph.result(gate, 0), self.graph.result(gate, 1));
        let after = surely_runs(self.func, op, path).then_some(after);
        let child = self.level(level, LevelKind::ForBody { raw, after });
        let block = self.func.entry(record.regions[0]).expect("a verified loop has a body");
        let arguments = self.func.block(block).arguments.clone();
        self.define(arguments[0], child, body_index);
        let carries = self.carries(&record.operands[3..], raw, level);
        for (&argument, &(_, value)) in arguments[1..].iter().zip(&carries) {
            let inside = self.split(raw, value, 0);
            self.define(argument, child, inside);
        }
        path.push((op, 0));
        self.block(block, child, path);
        path.pop();
        self.close(block, child, &carries);
        for (&result, &(_, value)) in record.results.iter().zip(&carries) {
            let exit = self.split(raw, value, 1);
            self.define(result, level, exit);
        }
    }

    fn lower_while(&mut self, op: OpId, level: LevelId, path: &mut Vec<(OpId, usize)>) {
        let record = self.func.op(op);
        // The condition is computed from the carries that it drives: a stand-in until it is known.
        let stand_in = self.node(Op::Plain(OpKind::Join(0)), &[], &[Type::I1]);
        self.stand_ins.insert(stand_in);
        let raw = self.graph.result(stand_in, 0);
        self.condition_of.insert(op, raw);
        let carries = self.carries(&record.operands, raw, level);
        let before = self.level(level, LevelKind::WhileBefore { raw });
        let after = self.level(before, LevelKind::WhileAfter { raw });
        let blocks = [0, 1].map(|r| self.func.entry(record.regions[r]).expect("a verified loop has regions"));
        for (&argument, &(_, value)) in self.func.block(blocks[0]).arguments.iter().zip(&carries) {
            self.define(argument, before, value);
        }
        path.push((op, 0));
        self.block(blocks[0], before, path);
        path.pop();
        let condition = self.func.terminator(blocks[0]).expect("a verified block has a terminator");
        let operands = &self.func.op(condition).operands;
        let cond = self.get(operands[0], before);
        self.forward.insert(raw, cond);
        let passed: Vec<ValueId> = operands[1..].iter().map(|&v| self.get(v, before)).collect();
        for (k, &value) in passed.iter().enumerate() {
            let (inside, exit) = (self.split(raw, value, 0), self.split(raw, value, 1));
            self.define(self.func.block(blocks[1]).arguments[k], after, inside);
            self.define(record.results[k], level, exit);
        }
        path.push((op, 1));
        self.block(blocks[1], after, path);
        path.pop();
        self.close(blocks[1], after, &carries);
    }

    fn carries(&mut self, inits: &[ir::ValueId], raw: ValueId, level: LevelId) -> Vec<(NodeId, ValueId)> {
        let inits: Vec<ValueId> = inits.iter().map(|&v| self.get(v, level)).collect();
        inits.into_iter().map(|init| self.carry(raw, init)).collect()
    }

    /// Feeds what a body yields back into its carries.
    fn close(&mut self, block: BlockId, level: LevelId, carries: &[(NodeId, ValueId)]) {
        let terminator = self.func.terminator(block).expect("a verified block has a terminator");
        let yielded = &self.func.op(terminator).operands;
        for (&v, &(carry, _)) in yielded.iter().zip(carries) {
            let value = self.get(v, level);
            self.graph.set_operand(carry, 2, value);
        }
    }

    /// Layer 1: the access becomes a `load` or `store` whose memory side and control come later.
    fn access(&mut self, op: OpId, level: LevelId, path: &[(OpId, usize)]) {
        let record = self.func.op(op);
        let is_store = record.kind == Kind::Store;
        let at = usize::from(is_store);
        let root = self.domains.root_of(record.operands[at]).expect("a plain access names a root");
        let address = self.get(record.operands[at + 1], level);
        let element = self.domains.roots[root].ty.element;
        let node = if is_store {
            let data = self.get(record.operands[0], level);
            self.node(Op::Plain(OpKind::Store), &[address, data, LATER], &[element, Type::Index])
        } else {
            let node = self.node(Op::Plain(OpKind::Load), &[address, LATER, LATER], &[element, Type::Index]);
            let data = self.graph.result(node, 0);
            self.define(record.results[0], level, data);
            node
        };
        self.root_of.insert(op, root);
        self.access_of.insert(op, self.accesses.len());
        self.accesses.push(Access {
            op,
            node,
            memory: self.memory_of_root[root],
            port: 0,
            is_store,
            domain: self.domains.roots[root].domain,
            index: self.accesses.len(),
            path: path.to_vec(),
        });
    }

    /// Layer 2: one memory node for each root that is accessed, stores first.
    fn connect(&mut self) {
        self.span = None;
        let mut of_root = vec![Vec::new(); self.memory_of_root.len()];
        for (a, access) in self.accesses.iter().enumerate() {
            of_root[self.root_of[&access.op]].push(a);
        }
        for (memory, of_root) in self.memory_of_root.clone().into_iter().zip(of_root) {
            let (stores, loads): (Vec<usize>, Vec<usize>) =
                of_root.into_iter().partition(|&a| self.accesses[a].is_store);
            let ports = Ports { loads: loads.len() as u8, stores: stores.len() as u8 };
            let mut operands = Vec::new();
            for &a in &stores {
                operands.extend([0, 1].map(|r| self.graph.result(self.accesses[a].node, r)));
            }
            operands.extend(loads.iter().map(|&a| self.graph.result(self.accesses[a].node, 1)));
            let mut types = vec![self.graph.memory(memory).element; loads.len()];
            types.extend(vec![Type::None; loads.len() + stores.len()]);
            let kind = match self.graph.memory(memory).place {
                MemoryPlace::Argument { .. } => OpKind::Extmemory(ports),
                MemoryPlace::Private { .. } => OpKind::Memory(ports),
            };
            let node = self.node(Op::Memory(memory, kind), &operands, &types);
            for (port, &a) in stores.iter().enumerate() {
                self.accesses[a].port = port;
                self.done_of.insert(self.accesses[a].op, self.graph.result(node, ports.store_done(port)));
            }
            for (port, &a) in loads.iter().enumerate() {
                self.accesses[a].port = port;
                let data = self.graph.result(node, ports.load_data(port));
                self.graph.set_operand(self.accesses[a].node, 1, data);
                self.done_of.insert(self.accesses[a].op, self.graph.result(node, ports.load_done(port)));
            }
        }
    }

    /// Replaces stand-ins and drops what no output depends on.
    fn finish(mut self, has_fence: bool) -> Lowered {
        let resolve = |mut v: ValueId| {
            while let Some(&next) = self.forward.get(&v) {
                v = next;
            }
            v
        };
        for node in &mut self.graph.nodes {
            for v in &mut node.operands {
                *v = resolve(*v);
            }
        }
        for output in &mut self.graph.outputs {
            output.value = resolve(output.value);
        }
        let (graph, new_ids) = crate::legalize::drop_dead(&self.graph);
        let mut accesses = self.accesses;
        for access in &mut accesses {
            access.node = new_ids[access.node.0 as usize].expect("every access reaches the return token");
        }
        Lowered { graph, accesses, has_fence }
    }
}
