//! Many mutants in one design: an input of the top says which of them it is, so that one build of the Verilog runs all.
//!
//! Guarantees: with the input at 0 the design does what the original does, with it at k what the k-th mutant does.
//!
//! Refuses (panics): mutants of or below modules with registers or memories of their own. Those are small, and the
//! evaluator runs them one by one; this is for what joins modules.

use crate::mutate::Mutant;
use loom_hdl::ir::expr::{Expr, NetId};
use loom_hdl::ir::module::{Item, Module};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The input's name.
pub const PORT: &str = "mutant";

/// The design with all mutants, of any of its modules; the first is number 1.
pub fn chosen(top: &Arc<Module>, mutants: &[Mutant]) -> Arc<Module> {
    let width = usize::BITS - mutants.len().leading_zeros();
    let mut by_module: HashMap<&str, Vec<(usize, &Module)>> = HashMap::new();
    for (k, mutant) in mutants.iter().enumerate() {
        by_module.entry(&mutant.module.name).or_default().push((k + 1, &mutant.module));
    }
    Choice { width, by_module, done: HashMap::new() }.walk(top)
}

/// An output of an instance: the instance and the connection.
type Slot = (usize, usize);

struct Choice<'a> {
    width: u32,
    by_module: HashMap<&'a str, Vec<(usize, &'a Module)>>,
    done: HashMap<String, Arc<Module>>,
}

impl<'a> Choice<'a> {
    fn walk(&mut self, m: &Arc<Module>) -> Arc<Module> {
        if let Some(there) = self.done.get(&m.name) {
            return there.clone();
        }
        let below: Vec<Arc<Module>> = m.instances.iter().map(|i| self.walk(&i.module)).collect();
        let changed = below.iter().any(|b| b.port(PORT).is_some());
        let mutants = self.by_module.get(m.name.as_str()).cloned().unwrap_or_default();
        let made = if changed || !mutants.is_empty() { self.module(m, &below, &mutants) } else { m.clone() };
        self.done.insert(m.name.clone(), made.clone());
        made
    }

    fn module(
        &self,
        original: &Arc<Module>,
        below: &[Arc<Module>],
        mutants: &[(usize, &Module)],
    ) -> Arc<Module> {
        let state = !original.regs.is_empty() || !original.mems.is_empty();
        assert!(!state, "module {} has registers of its own", original.name);
        let mut m = (**original).clone();
        let number = m.input(PORT, self.width);
        let one = |value: &Expr, of: &dyn Fn(&Module) -> Expr| {
            mutants.iter().fold(value.clone(), |rest, (k, mutant)| {
                let other = of(mutant);
                match other.is_same(value) {
                    true => rest,
                    false => number.eq_const(*k as u64).mux(&other, &rest),
                }
            })
        };
        for at in 0..m.items.len() {
            let (Item::Wire(id, value) | Item::Assign(id, value)) = &original.items[at] else { continue };
            let value = one(value, &|mutant| match &mutant.items[at] {
                Item::Wire(_, e) | Item::Assign(_, e) => e.clone(),
                other => panic!("a value became {other:?}"),
            });
            m.items[at] = Item::Assign(*id, value);
        }
        for (at, module) in below.iter().enumerate() {
            for (k, (_, value)) in original.instances[at].inputs.iter().enumerate() {
                m.instances[at].inputs[k].1 = one(value, &|mutant| mutant.instances[at].inputs[k].1.clone());
            }
            if module.port(PORT).is_some() {
                m.instances[at].inputs.push((module.ports.len() - 1, number.clone()));
            }
            m.instances[at].module = module.clone();
        }
        self.outputs(original, &mut m, &number, mutants);
        // An exchanged value may be declared after its new place: all declarations come first.
        let mut items: Vec<Item> = m.wires().map(Item::Declare).collect();
        items.extend(m.items.into_iter().filter(|item| !matches!(item, Item::Declare(_))));
        m.items = items;
        m.finish()
    }

    /// Outputs of instances that drive other nets in some mutant.
    fn outputs(&self, original: &Module, m: &mut Module, number: &Expr, mutants: &[(usize, &Module)]) {
        let slots = |of: &Module| -> BTreeMap<Slot, NetId> {
            let of = of.instances.iter().enumerate();
            of.flat_map(|(i, def)| def.outputs.iter().enumerate().map(move |(j, o)| ((i, j), o.1))).collect()
        };
        let plain = slots(original);
        // By net: which mutants drive it from another output.
        let mut driven: BTreeMap<NetId, Vec<(usize, Slot)>> = BTreeMap::new();
        for (k, mutant) in mutants {
            for (slot, net) in slots(mutant) {
                if plain[&slot] != net {
                    driven.entry(net).or_default().push((*k, slot));
                }
            }
        }
        let mut inner: BTreeMap<Slot, Expr> = BTreeMap::new();
        for (slot, net) in &plain {
            if driven.contains_key(net) {
                let def = &original.instances[slot.0];
                let port = &def.module.ports[def.outputs[slot.1].0];
                let own = m.declare(&format!("{}_{}_own", def.name, port.name), port.width);
                m.instances[slot.0].outputs[slot.1].1 = own.as_net().expect("a whole net");
                inner.insert(*slot, own);
            }
        }
        for (slot, net) in &plain {
            let Some(others) = driven.get(net) else { continue };
            let value = others.iter().fold(inner[slot].clone(), |rest, (k, other)| {
                number.eq_const(*k as u64).mux(&inner[other], &rest)
            });
            m.items.push(Item::Assign(*net, value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::{mutants, replaced, wiring};
    use loom_hdl::ir::{Design, Evaluator};
    use loom_hdl::parts;

    /// Two error nodes behind one another, and their numbers.
    fn joined() -> Arc<Module> {
        let node = parts::error_node(2, 2);
        let mut m = Module::new("joined");
        let ins: Vec<(Expr, Expr, Expr)> = (0..4)
            .map(|k| {
                (m.input(&format!("c{k}"), 16), m.input(&format!("u{k}"), 16), m.input(&format!("b{k}"), 1))
            })
            .collect();
        let row = |m: &mut Module, name: &str, ins: &[(Expr, Expr, Expr)]| {
            let mut connections = Vec::new();
            for (k, (code, unit, busy)) in ins.iter().enumerate() {
                let names = [format!("code{k}"), format!("unit{k}"), format!("busy{k}")];
                connections.extend(names.into_iter().zip([code.clone(), unit.clone(), busy.clone()]));
            }
            let connections: Vec<(&str, Expr)> =
                connections.iter().map(|(n, e)| (n.as_str(), e.clone())).collect();
            let made = m.instance(name, &node, &connections);
            (made.out("code"), made.out("unit"), made.out("busy"))
        };
        let low = row(&mut m, "low", &ins[..2]);
        let high = row(&mut m, "high", &ins[2..]);
        let root = row(&mut m, "root", &[low, high]);
        m.assign_output("code", root.0);
        m.assign_output("unit", root.1);
        m.assign_output("busy", root.2);
        m.finish()
    }

    #[test]
    fn each_number_is_its_mutant() {
        let top = joined();
        let all: Vec<Mutant> = mutants(&top).into_iter().chain(wiring(&top)).collect();
        assert!(all.len() > 40, "{}", all.len());
        let together = chosen(&top, &all);
        let mut design = Design::new();
        design.add(&together);
        design.check("joined").expect("well formed");
        let mut different = 0;
        for k in 0..=all.len() {
            let alone = if k == 0 { top.clone() } else { replaced(&top, &all[k - 1].module) };
            let (mut a, mut b, mut plain) =
                (Evaluator::new(&alone), Evaluator::new(&together), Evaluator::new(&top));
            b.set(PORT, k as u64);
            let mut rng = loom_base::Rng::new(k as u64);
            let mut differs = false;
            for sim in [&mut a, &mut b, &mut plain] {
                sim.reset();
            }
            for _ in 0..40 {
                for (name, width) in [("c", 16), ("u", 16), ("b", 1)] {
                    for i in 0..4 {
                        let value = if rng.chance(50) { 0 } else { rng.next_u64() & ((1 << width) - 1) };
                        for sim in [&mut a, &mut b, &mut plain] {
                            sim.set(&format!("{name}{i}"), value);
                        }
                    }
                }
                for out in ["code", "unit", "busy"] {
                    assert_eq!(a.get(out), b.get(out), "mutant {k}");
                    differs |= a.get(out) != plain.get(out);
                }
                for sim in [&mut a, &mut b, &mut plain] {
                    sim.tick();
                }
            }
            different += usize::from(differs);
        }
        assert!(different * 10 > all.len() * 7, "only {different} of {} mutants show", all.len());
    }
}
