//! Small mistakes in a module, one at a time: what a test-suite must notice.
//!
//! [`mutants`] lists them all, in the order of the text: operators exchanged, a side of an `and`, `or` or `?:` dropped,
//! choices swapped, a negation dropped, constants one off, slices one off, bits and words stuck, enables dropped,
//! negated or never, other reset values. Nothing is random, so a mutant is named by its module and its number.
//!
//! [`wiring`] lists the mistakes of a module that joins others: inputs of its instances stuck, or exchanged with their
//! neighbours; whole channels exchanged; outputs exchanged.
//!
//! Guarantees: a mutant of [`mutants`] reads no net that its place did not read before, so it has no combinational cycle
//! that the module does not have (one of [`wiring`] may); every mutant's text differs from the module's.

use loom_hdl::ir::expr::{Binary, Expr, ExprKind, NetId, Unary};
use loom_hdl::ir::module::{Item, Module};
use loom_hdl::ir::print::print;
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// A module with one mistake.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Where and what: `wire take: & becomes |`.
    pub what: String,
    /// The module, under its old name.
    pub module: Arc<Module>,
}

/// All mutants of a module's own text; what it instantiates stays.
pub fn mutants(module: &Module) -> Vec<Mutant> {
    let mut found = Found { module, seen: BTreeSet::from([print(module)]), all: Vec::new() };
    for at in 0..module.items.len() {
        found.item(at);
    }
    for at in 0..module.regs.len() {
        found.register(at);
    }
    for (at, mem) in module.mems.iter().enumerate() {
        let (enable, address, data) = &mem.writes[0];
        let place = format!("memory {}", mem.name);
        found.value(&place, enable, |m, e| m.mems[at].writes[0].0 = e);
        found.constants(&place, enable, |m, e| m.mems[at].writes[0].0 = e);
        found.value(&place, address, |m, e| m.mems[at].writes[0].1 = e);
        found.value(&place, data, |m, e| m.mems[at].writes[0].2 = e);
    }
    for (at, instance) in module.instances.iter().enumerate() {
        for (k, (port, value)) in instance.inputs.iter().enumerate() {
            let place = format!("{}.{}", instance.name, instance.module.ports[*port].name);
            found.value(&place, value, |m, e| m.instances[at].inputs[k].1 = e);
        }
    }
    found.all
}

/// All mistakes in how a module joins its instances with each other and with its own outputs.
pub fn wiring(module: &Module) -> Vec<Mutant> {
    let mut found = Found { module, seen: BTreeSet::from([print(module)]), all: Vec::new() };
    let mut inputs: BTreeMap<u32, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, instance) in module.instances.iter().enumerate() {
        for (k, (port, value)) in instance.inputs.iter().enumerate() {
            let place = format!("{}.{}", instance.name, instance.module.ports[*port].name);
            found.constants(&place, value, |m, e| m.instances[at].inputs[k].1 = e);
            inputs.entry(value.width()).or_default().push((at, k));
        }
    }
    let name = |&(at, k): &(usize, usize)| {
        let instance = &module.instances[at];
        format!("{}.{}", instance.name, instance.module.ports[instance.inputs[k].0].name)
    };
    for pair in inputs.values().flat_map(|of_width| of_width.windows(2)) {
        let what = format!("{} and {} exchanged", name(&pair[0]), name(&pair[1]));
        found.add(what, |m| exchange(m, pair[0], pair[1]));
    }
    for pair in channels(module).values().flat_map(|of_type| of_type.windows(2)) {
        let what = format!("channels {} and {} exchanged", pair[0].name, pair[1].name);
        found.add(what, |m| {
            for (a, b) in pair[0].inputs.iter().zip(&pair[1].inputs) {
                exchange(m, *a, *b);
            }
            let ((i, k), (j, l)) = (pair[0].ready, pair[1].ready);
            let (a, b) = (m.instances[i].outputs[k].1, m.instances[j].outputs[l].1);
            m.instances[i].outputs[k].1 = b;
            m.instances[j].outputs[l].1 = a;
        });
    }
    let mut outputs: BTreeMap<u32, Vec<(usize, NetId, Expr)>> = BTreeMap::new();
    for (at, item) in module.items.iter().enumerate() {
        if let Item::Assign(id, value) = item {
            outputs.entry(value.width()).or_default().push((at, *id, value.clone()));
        }
    }
    for pair in outputs.values().flat_map(|of_width| of_width.windows(2)) {
        let [(at, a, of_a), (with, b, of_b)] = pair else { continue };
        let name = |id: &NetId| &module.nets[id.index()].name;
        found.add(format!("assign {} and {} exchanged", name(a), name(b)), |m| {
            m.items[*at] = Item::Assign(*a, of_b.clone());
            m.items[*with] = Item::Assign(*b, of_a.clone());
        });
    }
    found.all
}

/// The values of two inputs of instances, exchanged.
fn exchange(m: &mut Module, a: (usize, usize), b: (usize, usize)) {
    let of_a = m.instances[a.0].inputs[a.1].1.clone();
    let of_b = std::mem::replace(&mut m.instances[b.0].inputs[b.1].1, of_a);
    m.instances[a.0].inputs[a.1].1 = of_b;
}

/// A channel into an instance: where its signals are, by instance and connection.
struct Into {
    name: String,
    inputs: Vec<(usize, usize)>,
    ready: (usize, usize),
}

/// Channels into instances, by the widths of data and tag.
fn channels(module: &Module) -> BTreeMap<[u32; 2], Vec<Into>> {
    let mut all: BTreeMap<[u32; 2], Vec<Into>> = BTreeMap::new();
    for (at, instance) in module.instances.iter().enumerate() {
        let ports = &instance.module.ports;
        let input = |name: String| instance.inputs.iter().position(|(p, _)| ports[*p].name == name);
        for (port, _) in &instance.inputs {
            let Some(channel) = ports[*port].name.strip_suffix("_valid") else { continue };
            let ready = format!("{channel}_ready");
            let Some(ready) = instance.outputs.iter().position(|(p, _)| ports[*p].name == ready) else {
                continue;
            };
            let signals = ["valid", "data", "tag"].map(|signal| input(format!("{channel}_{signal}")));
            let width = |k: Option<usize>| k.map_or(0, |k| instance.inputs[k].1.width());
            all.entry([width(signals[1]), width(signals[2])]).or_default().push(Into {
                name: format!("{}.{channel}", instance.name),
                inputs: signals.into_iter().flatten().map(|k| (at, k)).collect(),
                ready: (at, ready),
            });
        }
    }
    all
}

/// The module with another in the place of every instance of that one's name, at any depth.
pub fn replaced(top: &Arc<Module>, other: &Arc<Module>) -> Arc<Module> {
    fn walk(
        m: &Arc<Module>,
        other: &Arc<Module>,
        done: &mut HashMap<*const Module, Arc<Module>>,
    ) -> Arc<Module> {
        if m.name == other.name {
            return other.clone();
        }
        if let Some(there) = done.get(&Arc::as_ptr(m)) {
            return there.clone();
        }
        let below: Vec<Arc<Module>> = m.instances.iter().map(|i| walk(&i.module, other, done)).collect();
        let same = m.instances.iter().zip(&below).all(|(i, b)| Arc::ptr_eq(&i.module, b));
        let result = if same {
            m.clone()
        } else {
            let mut changed = (**m).clone();
            for (instance, module) in changed.instances.iter_mut().zip(below) {
                instance.module = module;
            }
            Arc::new(changed)
        };
        done.insert(Arc::as_ptr(m), result.clone());
        result
    }
    walk(top, other, &mut HashMap::new())
}

struct Found<'a> {
    module: &'a Module,
    /// Texts that are there already.
    seen: BTreeSet<String>,
    all: Vec<Mutant>,
}

impl Found<'_> {
    fn add(&mut self, what: String, change: impl FnOnce(&mut Module)) {
        let mut m = self.module.clone();
        change(&mut m);
        if self.seen.insert(print(&m)) {
            self.all.push(Mutant { what, module: Arc::new(m) });
        }
    }

    /// Every mistake inside a value.
    fn value(&mut self, place: &str, value: &Expr, set: impl Fn(&mut Module, Expr)) {
        for (what, other) in variants(value) {
            self.add(format!("{place}: {what}"), |m| set(m, other));
        }
    }

    /// The value stuck.
    fn constants(&mut self, place: &str, value: &Expr, set: impl Fn(&mut Module, Expr)) {
        for stuck in [Expr::zero(value.width()), Expr::ones(value.width())] {
            let what =
                format!("{place}: stuck at {}", stuck.as_const().map_or(String::new(), BigUint::to_string));
            self.add(what, |m| set(m, stuck));
        }
    }

    fn item(&mut self, at: usize) {
        let name = |id: &NetId| self.module.nets[id.index()].name.to_string();
        match &self.module.items[at] {
            Item::Wire(id, value) => {
                let (id, place) = (*id, format!("wire {}", name(id)));
                let set = |m: &mut Module, e: Expr| m.items[at] = Item::Wire(id, e);
                self.constants(&place, value, set);
                self.value(&place, value, set);
            }
            Item::Assign(id, value) => {
                let (id, place) = (*id, format!("assign {}", name(id)));
                let set = |m: &mut Module, e: Expr| m.items[at] = Item::Assign(id, e);
                self.constants(&place, value, set);
                self.value(&place, value, set);
            }
            Item::MemRead(id, mem, address) => {
                let (id, mem, place) = (*id, *mem, format!("read {}", name(id)));
                self.value(&place, address, |m, e| m.items[at] = Item::MemRead(id, mem, e));
            }
            _ => {}
        }
    }

    fn register(&mut self, at: usize) {
        let reg = &self.module.regs[at];
        let place = format!("register {}", self.module.nets[reg.net.index()].name);
        if let Some(reset) = &reg.reset {
            let flipped = reset ^ BigUint::from(1u32);
            self.add(format!("{place}: reset to {flipped}"), |m| m.regs[at].reset = Some(flipped));
        }
        let (enable, next) = &reg.next[0];
        let never = Some(Expr::bit_const(false));
        self.add(format!("{place}: never written"), |m| m.regs[at].next[0].0 = never);
        if let Some(enable) = enable {
            self.add(format!("{place}: always written"), |m| m.regs[at].next[0].0 = None);
            self.add(format!("{place}: enable negated"), |m| m.regs[at].next[0].0 = Some(enable.not()));
            self.value(&place, enable, |m, e| m.regs[at].next[0].0 = Some(e));
        }
        self.value(&place, next, |m, e| m.regs[at].next[0].1 = e);
    }
}

/// What an expression becomes with one mistake anywhere in it.
fn variants(e: &Expr) -> Vec<(String, Expr)> {
    let mut all = here(e);
    let mut inside = |part: &Expr, rebuild: &dyn Fn(Expr) -> Expr| {
        all.extend(variants(part).into_iter().map(|(what, other)| (what, rebuild(other))));
    };
    match e.node() {
        ExprKind::Empty | ExprKind::Const(..) | ExprKind::Net(..) => {}
        ExprKind::Unary(op, a) => inside(a, &|x| unary(*op, &x)),
        ExprKind::Binary(op, a, b) => {
            inside(a, &|x| binary(*op, &x, b));
            inside(b, &|x| binary(*op, a, &x));
        }
        ExprKind::Mux(c, t, f) => {
            // The condition negated is the choices swapped.
            inside(c, &|x| x.mux(t, f));
            inside(t, &|x| c.mux(&x, f));
            inside(f, &|x| c.mux(t, &x));
        }
        ExprKind::Concat(parts) => {
            for k in 0..parts.len() {
                inside(&parts[k], &|x| {
                    let mut parts = parts.clone();
                    parts[k] = x;
                    Expr::concat(&parts)
                });
            }
        }
        ExprKind::Slice(a, lo) => inside(a, &|x| x.slice(*lo, e.width())),
        ExprKind::Repeat(a, times) => inside(a, &|x| x.repeat(*times)),
    }
    all
}

/// Mistakes at the top of an expression.
fn here(e: &Expr) -> Vec<(String, Expr)> {
    let mut all: Vec<(String, Expr)> = Vec::new();
    let mut add = |what: String, other: Expr| all.push((what, other));
    match e.node() {
        ExprKind::Empty | ExprKind::Repeat(..) => {}
        ExprKind::Net(_, name) if e.width() == 1 => add(format!("`{name}` negated"), e.not()),
        ExprKind::Net(..) => {}
        ExprKind::Const(v, _) => {
            let mask = (BigUint::from(1u32) << e.width()) - 1u32;
            for other in [(v + 1u32) & &mask, (v + &mask) & &mask] {
                add(format!("{v} becomes {other}"), Expr::konst(e.width(), other));
            }
        }
        ExprKind::Unary(op, a) => match op {
            Unary::Not | Unary::Neg => add(format!("{op:?} dropped"), a.clone()),
            Unary::RedAnd => add("RedAnd becomes RedOr".into(), a.reduce_or()),
            Unary::RedOr => add("RedOr becomes RedAnd".into(), a.reduce_and()),
            Unary::RedXor => add("RedXor becomes RedOr".into(), a.reduce_or()),
        },
        ExprKind::Binary(op, a, b) => {
            for other in exchanged(*op) {
                add(format!("{op:?} becomes {other:?}"), binary(*other, a, b));
            }
            if matches!(op, Binary::And | Binary::Or | Binary::Xor | Binary::Add | Binary::Sub) {
                add(format!("right side of {op:?} dropped"), a.clone());
                add(format!("left side of {op:?} dropped"), b.clone());
            } else if op.is_shift() {
                add(format!("{op:?} dropped"), a.clone());
            }
        }
        ExprKind::Mux(c, t, f) => {
            add("choices swapped".into(), c.mux(f, t));
            add("always the first choice".into(), t.clone());
            add("always the second choice".into(), f.clone());
        }
        ExprKind::Concat(parts) => {
            if parts.windows(2).any(|w| w[0].width() != w[1].width()) {
                return all;
            }
            let turned: Vec<Expr> = parts.iter().rev().cloned().collect();
            add("parts turned around".into(), Expr::concat(&turned));
        }
        ExprKind::Slice(a, lo) => {
            if lo + e.width() < a.width() {
                add("slice one higher".into(), a.slice(lo + 1, e.width()));
            }
            if *lo > 0 {
                add("slice one lower".into(), a.slice(lo - 1, e.width()));
            }
        }
    }
    all
}

/// What an operator is mistaken for.
fn exchanged(op: Binary) -> &'static [Binary] {
    match op {
        Binary::And => &[Binary::Or],
        Binary::Or => &[Binary::And],
        Binary::Xor => &[Binary::Or, Binary::And],
        Binary::Add => &[Binary::Sub],
        Binary::Sub | Binary::Mul => &[Binary::Add],
        Binary::Eq => &[Binary::Ne],
        Binary::Ne => &[Binary::Eq],
        Binary::Ult => &[Binary::Ule, Binary::Slt],
        Binary::Ule => &[Binary::Ult, Binary::Sle],
        Binary::Slt => &[Binary::Sle, Binary::Ult],
        Binary::Sle => &[Binary::Slt, Binary::Ule],
        Binary::Shl => &[Binary::Shr],
        Binary::Shr => &[Binary::Shl, Binary::Sshr],
        Binary::Sshr => &[Binary::Shr, Binary::Shl],
    }
}

fn unary(op: Unary, a: &Expr) -> Expr {
    match op {
        Unary::Not => a.not(),
        Unary::Neg => a.neg(),
        Unary::RedAnd => a.reduce_and(),
        Unary::RedOr => a.reduce_or(),
        Unary::RedXor => a.reduce_xor(),
    }
}

fn binary(op: Binary, a: &Expr, b: &Expr) -> Expr {
    match op {
        Binary::And => a.and(b),
        Binary::Or => a.or(b),
        Binary::Xor => a.xor(b),
        Binary::Add => a.add(b),
        Binary::Sub => a.sub(b),
        Binary::Mul => a.mul(b),
        Binary::Eq => a.eq(b),
        Binary::Ne => a.ne(b),
        Binary::Ult => a.ult(b),
        Binary::Ule => a.ule(b),
        Binary::Slt => a.slt(b),
        Binary::Sle => a.sle(b),
        Binary::Shl => a.shl(b),
        Binary::Shr => a.shr(b),
        Binary::Sshr => a.sshr(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom_hdl::ir::Evaluator;
    use loom_hdl::leaf;

    #[test]
    fn mutants_differ_and_run() {
        let carry = leaf::carry(8);
        let control = leaf::carry_control();
        let all = mutants(&control);
        let texts: BTreeSet<String> = all.iter().map(|m| print(&m.module)).collect();
        assert_eq!(texts.len(), all.len());
        assert!(!texts.contains(&print(&control)) && all.len() > 40, "{}", all.len());
        for mutant in &all {
            let top = replaced(&carry, &mutant.module);
            assert_eq!(print(&top.instances[0].module), print(&mutant.module), "{}", mutant.what);
            Evaluator::new(&top).settle();
        }
    }
}
