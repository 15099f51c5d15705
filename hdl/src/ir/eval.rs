//! Runs a module in Rust, with everything it instantiates: the reference the printed Verilog is compared with.
//!
//! Two-valued: registers and memories without reset start at 0. Guarantees: after any change of an input, outputs
//! read are those of a settled module. Refuses, by panicking: modules that do not pass [`super::check`]'s cycle
//! check, unknown port names, values that do not fit.

use super::expr::{Binary, Expr, ExprKind, Unary};
use super::module::{Dir, Item, Module};
use num_bigint::BigUint;
use std::collections::HashMap;
use std::sync::Arc;

/// A module being run.
#[derive(Debug)]
pub struct Evaluator {
    top: Arc<Module>,
    values: Vec<BigUint>,
    steps: Vec<Step>,
    regs: Vec<FlatReg>,
    mems: Vec<FlatMem>,
    settled: bool,
    paths: HashMap<String, usize>,
}

/// One settled value: `target` from an expression whose nets start at `base`.
#[derive(Debug)]
struct Step {
    target: usize,
    base: usize,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Expr(Expr),
    Alias(usize),
    MemRead(usize, Expr),
}

#[derive(Debug)]
struct FlatReg {
    target: usize,
    base: usize,
    reset: Option<BigUint>,
    enable: Option<Expr>,
    next: Expr,
}

#[derive(Debug)]
struct FlatMem {
    base: usize,
    words: Vec<BigUint>,
    write: (Expr, Expr, Expr),
}

impl Evaluator {
    /// A module with all inputs, registers and memories at 0, `rst_n` high.
    pub fn new(top: &Arc<Module>) -> Self {
        let mut sim = Evaluator {
            top: top.clone(),
            values: Vec::new(),
            steps: Vec::new(),
            regs: Vec::new(),
            mems: Vec::new(),
            settled: false,
            paths: HashMap::new(),
        };
        sim.flatten(top, "");
        sim.order();
        sim
    }

    fn flatten(&mut self, m: &Arc<Module>, path: &str) -> usize {
        let base = self.values.len();
        self.values.resize(base + m.nets.len(), BigUint::default());
        for (i, net) in m.nets.iter().enumerate() {
            self.paths.insert(format!("{path}{}", net.name), base + i);
        }
        let mem_base = self.mems.len();
        for mem in &m.mems {
            let write = mem.writes[0].clone();
            self.mems.push(FlatMem { base, words: vec![BigUint::default(); mem.depth as usize], write });
        }
        for reg in &m.regs {
            let (enable, next) = reg.next[0].clone();
            self.regs.push(FlatReg {
                target: base + reg.net.index(),
                base,
                reset: reg.reset.clone(),
                enable,
                next,
            });
        }
        for item in &m.items {
            let (id, source) = match item {
                Item::Wire(id, e) | Item::Assign(id, e) => (id, Source::Expr(e.clone())),
                Item::MemRead(id, mem, e) => (id, Source::MemRead(mem_base + mem, e.clone())),
                _ => continue,
            };
            self.steps.push(Step { target: base + id.index(), base, source });
        }
        for instance in &m.instances {
            let child = self.flatten(&instance.module, &format!("{path}{}.", instance.name));
            let port = |i: usize| child + instance.module.ports[i].net.expect("width above 0").index();
            for (p, e) in &instance.inputs {
                self.steps.push(Step { target: port(*p), base, source: Source::Expr(e.clone()) });
            }
            for (p, id) in &instance.outputs {
                self.steps.push(Step { target: base + id.index(), base, source: Source::Alias(port(*p)) });
            }
        }
        base
    }

    /// Sorts the steps so that each comes after those it reads.
    fn order(&mut self) {
        let mut by_target: Vec<Option<usize>> = vec![None; self.values.len()];
        for (i, step) in self.steps.iter().enumerate() {
            assert!(
                by_target[step.target].replace(i).is_none(),
                "module {}: doubly driven net",
                self.top.name
            );
        }
        let reads: Vec<Vec<usize>> = self
            .steps
            .iter()
            .map(|step| {
                let mut from = Vec::new();
                match &step.source {
                    Source::Expr(e) | Source::MemRead(_, e) => {
                        e.for_each_net(&mut |id, _| from.extend(by_target[step.base + id.index()]));
                    }
                    Source::Alias(net) => from.extend(by_target[*net]),
                }
                from
            })
            .collect();
        let mut state = vec![0u8; self.steps.len()];
        let mut order = Vec::with_capacity(self.steps.len());
        for start in 0..self.steps.len() {
            let mut stack = vec![(start, 0)];
            while let Some(&mut (step, ref mut next)) = stack.last_mut() {
                if *next == 0 {
                    if state[step] == 2 {
                        stack.pop();
                        continue;
                    }
                    state[step] = 1;
                }
                if let Some(&from) = reads[step].get(*next) {
                    *next += 1;
                    assert!(state[from] != 1, "module {}: combinational cycle", self.top.name);
                    if state[from] == 0 {
                        stack.push((from, 0));
                    }
                } else {
                    state[step] = 2;
                    order.push(step);
                    stack.pop();
                }
            }
        }
        let mut slots: Vec<Option<Step>> = std::mem::take(&mut self.steps).into_iter().map(Some).collect();
        self.steps = order.into_iter().map(|i| slots[i].take().expect("each step once")).collect();
    }

    fn port_net(&self, name: &str, dir: Dir) -> (Option<usize>, u32) {
        match self.top.port(name) {
            Some(p) if p.dir == dir => (p.net.map(|n| n.index()), p.width),
            _ => panic!("module {} has no {dir:?} port `{name}`", self.top.name),
        }
    }

    /// Sets an input.
    pub fn set(&mut self, port: &str, value: impl Into<BigUint>) {
        let (net, width) = self.port_net(port, Dir::In);
        let value = value.into();
        assert!(value.bits() <= u64::from(width), "{value} does not fit `{port}` of {width} bits");
        if let Some(net) = net {
            self.values[net] = value;
            self.settled = false;
        }
    }

    /// Brings every net to its value; [`Evaluator::get`], [`Evaluator::peek`] and [`Evaluator::tick`] do so by themselves.
    pub fn settle(&mut self) {
        if self.settled {
            return;
        }
        for i in 0..self.steps.len() {
            let step = &self.steps[i];
            let value = match &step.source {
                Source::Expr(e) => value_of(e, &self.values, step.base),
                Source::Alias(net) => self.values[*net].clone(),
                Source::MemRead(mem, e) => {
                    let address = usize::try_from(value_of(e, &self.values, step.base)).unwrap_or(usize::MAX);
                    self.mems[*mem].words.get(address).cloned().unwrap_or_default()
                }
            };
            let target = step.target;
            self.values[target] = value;
        }
        self.settled = true;
    }

    /// The settled value of an output.
    pub fn get(&mut self, port: &str) -> BigUint {
        self.settle();
        self.port_net(port, Dir::Out).0.map(|n| self.values[n].clone()).unwrap_or_default()
    }

    /// The settled value of an output of at most 64 bits.
    pub fn get_u64(&mut self, port: &str) -> u64 {
        u64::try_from(self.get(port)).expect("an output of at most 64 bits")
    }

    /// The settled value of any net by its path, instance names and the net's joined with `.`.
    pub fn peek(&mut self, path: &str) -> BigUint {
        self.settle();
        match self.paths.get(path) {
            Some(&net) => self.values[net].clone(),
            None => panic!("module {} has no net `{path}`", self.top.name),
        }
    }

    /// Sets a net that nothing drives, by its path: an output of an instance whose module is but a stub.
    pub fn poke(&mut self, path: &str, value: impl Into<BigUint>) {
        match self.paths.get(path) {
            Some(&net) => self.values[net] = value.into(),
            None => panic!("module {} has no net `{path}`", self.top.name),
        }
        self.settled = false;
    }

    /// A rising clock edge with `rst_n` high.
    pub fn tick(&mut self) {
        self.edge(true);
    }

    /// A rising clock edge with `rst_n` low.
    pub fn reset(&mut self) {
        self.edge(false);
    }

    fn edge(&mut self, rst_n: bool) {
        self.settle();
        let one = BigUint::from(1u32);
        let mut changes: Vec<(usize, BigUint)> = Vec::new();
        for reg in &self.regs {
            if let (false, Some(v)) = (rst_n, &reg.reset) {
                changes.push((reg.target, v.clone()));
            } else if reg.enable.as_ref().is_none_or(|e| value_of(e, &self.values, reg.base) == one) {
                changes.push((reg.target, value_of(&reg.next, &self.values, reg.base)));
            }
        }
        for mem in &mut self.mems {
            let (enable, address, data) = &mem.write;
            let enabled = value_of(enable, &self.values, mem.base);
            if enabled.bits() == 0 {
                continue;
            }
            let address = usize::try_from(value_of(address, &self.values, mem.base)).unwrap_or(usize::MAX);
            if let Some(word) = mem.words.get_mut(address) {
                let size = data.width() / enable.width();
                let parts = (0..enable.width()).filter(|&part| enabled.bit(part.into()));
                let written = parts.fold(BigUint::default(), |all, part| all | mask(size) << (part * size));
                let data = value_of(data, &self.values, mem.base) & &written;
                *word = data | (&*word & (mask(size * enable.width()) ^ &written));
            }
        }
        for (net, value) in changes {
            self.values[net] = value;
        }
        self.settled = false;
    }
}

fn mask(width: u32) -> BigUint {
    (BigUint::from(1u32) << width) - 1u32
}

/// The value plus 2^(width-1), modulo 2^width: signed order becomes unsigned order.
fn biased(v: &BigUint, width: u32) -> BigUint {
    v ^ (BigUint::from(1u32) << (width - 1))
}

fn value_of(e: &Expr, values: &[BigUint], base: usize) -> BigUint {
    let of = |e: &Expr| value_of(e, values, base);
    let bit = |b: bool| BigUint::from(u32::from(b));
    match e.node() {
        ExprKind::Empty => BigUint::default(),
        ExprKind::Const(v, _) => v.clone(),
        ExprKind::Net(id, _) => values[base + id.index()].clone(),
        ExprKind::Unary(op, a) => {
            let v = of(a);
            match op {
                Unary::Not => mask(a.width()) - v,
                Unary::Neg => (mask(a.width()) - v + 1u32) & mask(a.width()),
                Unary::RedAnd => bit(v == mask(a.width())),
                Unary::RedOr => bit(v.bits() > 0),
                Unary::RedXor => bit(v.count_ones() % 2 == 1),
            }
        }
        ExprKind::Binary(op, a, b) => {
            let (w, x, y) = (a.width(), of(a), of(b));
            match op {
                Binary::And => x & y,
                Binary::Or => x | y,
                Binary::Xor => x ^ y,
                Binary::Add => (x + y) & mask(w),
                Binary::Sub => (x + mask(w) + 1u32 - y) & mask(w),
                Binary::Mul => (x * y) & mask(w),
                Binary::Eq => bit(x == y),
                Binary::Ne => bit(x != y),
                Binary::Ult => bit(x < y),
                Binary::Ule => bit(x <= y),
                Binary::Slt => bit(biased(&x, w) < biased(&y, w)),
                Binary::Sle => bit(biased(&x, w) <= biased(&y, w)),
                Binary::Shl | Binary::Shr | Binary::Sshr => {
                    let amount = u32::try_from(y).unwrap_or(u32::MAX).min(w);
                    match op {
                        Binary::Shl => (x << amount) & mask(w),
                        Binary::Sshr if x.bit(u64::from(w) - 1) => {
                            (x >> amount) | (mask(w) ^ mask(w - amount))
                        }
                        _ => x >> amount,
                    }
                }
            }
        }
        ExprKind::Mux(c, t, f) => {
            if of(c).bits() > 0 {
                of(t)
            } else {
                of(f)
            }
        }
        ExprKind::Concat(parts) => parts.iter().fold(BigUint::default(), |acc, p| (acc << p.width()) | of(p)),
        ExprKind::Slice(a, lo) => (of(a) >> *lo) & mask(e.width()),
        ExprKind::Repeat(a, times) => {
            let v = of(a);
            (0..*times).fold(BigUint::default(), |acc, _| (acc << a.width()) | &v)
        }
    }
}
