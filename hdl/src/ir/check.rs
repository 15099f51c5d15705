//! Checks on finished modules, before any Verilog exists.
//!
//! Guarantees, for a design that passes: every wire, output and instance input has exactly one driver, every register
//! and memory exactly one next value; nothing is computed and never read (unless declared unused); and no
//! combinational cycle runs through any number of modules, whatever the values.
//!
//! Cycles are looked for bottom-up: each module is reduced to which outputs depend on which inputs without a register
//! between, and an instance is then only that relation. Each distinct module is visited once, so the check of a fabric
//! is as cheap as its distinct tiles. The unit of dependency is the whole net: a bus whose bits depend on one
//! another counts as a cycle, which is why handshake signals are scalars.
//!
//! Width mismatches cannot be built (the builder panics), so they are not looked for again.

use super::expr::{Expr, NetId};
use super::module::{Dir, Item, Module, NetKind};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

/// What is wrong with a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// A wire, output, register or memory nobody drives.
    Undriven {
        /// Module.
        module: String,
        /// Net, register or memory.
        net: String,
    },
    /// A net with more than one driver.
    DoublyDriven {
        /// Module.
        module: String,
        /// Net, register or memory.
        net: String,
    },
    /// A net nobody reads.
    Unused {
        /// Module.
        module: String,
        /// Net.
        net: String,
    },
    /// A cycle without a register.
    Cycle {
        /// Module in which the cycle closes.
        module: String,
        /// Nets (`net`) and instance ports (`instance.port`) in signal order; the first is also the last.
        path: Vec<String>,
    },
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undriven { module, net } => {
                write!(f, "`{net}` in module `{module}` is not driven")
            }
            Self::DoublyDriven { module, net } => {
                write!(f, "`{net}` in module `{module}` has several drivers")
            }
            Self::Unused { module, net } => write!(f, "`{net}` in module `{module}` is not used"),
            Self::Cycle { module, path } => {
                write!(f, "combinational cycle in module `{module}`: {}", path.join(" -> "))
            }
        }
    }
}

/// Output ports by name, with the input ports each depends on in the same cycle. Outputs that depend on none are there.
pub type CombDeps = BTreeMap<String, BTreeSet<String>>;

/// A set of input ports, by port index.
type PortSet = Vec<u64>;

/// What a module is to its users: for each output port index the input port indices it depends on.
#[derive(Debug, Default)]
struct Relation {
    outputs: Vec<(usize, Vec<usize>)>,
}

/// Why a net depends on another: directly, or through an instance from port to port.
#[derive(Clone, Copy)]
struct Edge {
    from: u32,
    via: Option<(usize, usize, usize)>,
}

/// Runs all checks on a module and everything below it; errors come modules below first.
pub fn check(top: &Arc<Module>) -> Result<(), Vec<CheckError>> {
    let mut c = Checker::default();
    c.visit(top);
    if c.errors.is_empty() {
        Ok(())
    } else {
        Err(c.errors)
    }
}

/// The same-cycle dependency of a module's outputs on its inputs. Of a module with cycles it says only part.
pub fn comb_deps(module: &Arc<Module>) -> CombDeps {
    let mut c = Checker::default();
    let relation = c.visit(module);
    let name = |i: usize| module.ports[i].name.clone();
    relation.outputs.iter().map(|(o, ins)| (name(*o), ins.iter().map(|i| name(*i)).collect())).collect()
}

#[derive(Default)]
struct Checker {
    done: HashMap<String, Arc<Relation>>,
    errors: Vec<CheckError>,
}

impl Checker {
    fn visit(&mut self, m: &Arc<Module>) -> Arc<Relation> {
        if let Some(r) = self.done.get(&m.name) {
            return r.clone();
        }
        let below: Vec<Arc<Relation>> = m.instances.iter().map(|i| self.visit(&i.module)).collect();
        self.drivers_and_uses(m);
        let relation = Arc::new(self.dependencies(m, &below));
        self.done.insert(m.name.clone(), relation.clone());
        relation
    }

    fn drivers_and_uses(&mut self, m: &Module) {
        let mut drivers = vec![0u32; m.nets.len()];
        let mut used = vec![false; m.nets.len()];
        let mut read = |e: &Expr| e.for_each_net(&mut |id, _| used[id.index()] = true);
        for item in &m.items {
            match item {
                Item::Wire(id, e) | Item::Assign(id, e) | Item::MemRead(id, _, e) => {
                    drivers[id.index()] += 1;
                    read(e);
                }
                Item::Unused(e) => read(e),
                Item::Comment(_) | Item::Declare(_) | Item::Reg(_) | Item::Mem(_) | Item::Instance(_) => {}
            }
        }
        for instance in &m.instances {
            instance.inputs.iter().for_each(|(_, e)| read(e));
            instance.outputs.iter().for_each(|(_, id)| drivers[id.index()] += 1);
        }
        for reg in &m.regs {
            drivers[reg.net.index()] += u32::try_from(reg.next.len()).unwrap_or(u32::MAX);
            for (enable, value) in &reg.next {
                enable.iter().for_each(&mut read);
                read(value);
            }
        }
        let mut count_error = |net: &str, count: usize| {
            let (module, net) = (m.name.clone(), net.to_string());
            match count {
                0 => self.errors.push(CheckError::Undriven { module, net }),
                1 => {}
                _ => self.errors.push(CheckError::DoublyDriven { module, net }),
            }
        };
        for mem in &m.mems {
            for (enable, address, data) in &mem.writes {
                [enable, address, data].into_iter().for_each(&mut read);
            }
            count_error(&mem.name, mem.writes.len());
        }
        for (i, net) in m.nets.iter().enumerate() {
            if net.kind != NetKind::Input {
                count_error(&net.name, drivers[i] as usize);
            }
        }
        for (i, net) in m.nets.iter().enumerate() {
            if !used[i] && net.kind != NetKind::Output {
                self.errors.push(CheckError::Unused { module: m.name.clone(), net: net.name.to_string() });
            }
        }
    }

    /// Orders the module's nets by dependency, reports a cycle, and returns the module's relation.
    fn dependencies(&mut self, m: &Module, below: &[Arc<Relation>]) -> Relation {
        let edges = edges(m, below);
        let inputs: Vec<usize> =
            (0..m.ports.len()).filter(|&i| m.ports[i].dir == Dir::In && m.ports[i].net.is_some()).collect();
        let words = inputs.len().div_ceil(64);
        let mut sets: Vec<PortSet> = vec![Vec::new(); m.nets.len()];
        let mut state = vec![0u8; m.nets.len()];
        for (bit, &port) in inputs.iter().enumerate() {
            let net = m.ports[port].net.expect("filtered").index();
            sets[net] = vec![0; words];
            sets[net][bit / 64] |= 1 << (bit % 64);
            state[net] = 2;
        }
        let mut reported = false;
        for start in 0..m.nets.len() {
            if state[start] != 0 {
                continue;
            }
            // Depth-first without recursion: (net, next edge to look at).
            let mut stack: Vec<(usize, usize)> = vec![(start, 0)];
            state[start] = 1;
            while let Some(&mut (net, ref mut next)) = stack.last_mut() {
                let Some(edge) = edges[net].get(*next) else {
                    let mut set = vec![0; words];
                    for edge in &edges[net] {
                        for (a, b) in set.iter_mut().zip(&sets[edge.from as usize]) {
                            *a |= b;
                        }
                    }
                    sets[net] = set;
                    state[net] = 2;
                    stack.pop();
                    continue;
                };
                *next += 1;
                let from = edge.from as usize;
                match state[from] {
                    0 => {
                        state[from] = 1;
                        stack.push((from, 0));
                    }
                    1 if !reported => {
                        reported = true;
                        let path = cycle_path(m, &edges, &stack, from);
                        self.errors.push(CheckError::Cycle { module: m.name.clone(), path });
                    }
                    _ => {}
                }
            }
        }
        let mut relation = Relation::default();
        for (index, port) in m.ports.iter().enumerate() {
            if let (Dir::Out, Some(net)) = (port.dir, port.net) {
                let set = &sets[net.index()];
                let from = inputs.iter().enumerate().filter(|(b, _)| set[b / 64] >> (b % 64) & 1 == 1);
                relation.outputs.push((index, from.map(|(_, &port)| port).collect()));
            }
        }
        relation
    }
}

/// For each net, what it depends on in the same cycle.
fn edges(m: &Module, below: &[Arc<Relation>]) -> Vec<Vec<Edge>> {
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); m.nets.len()];
    let mut add = |to: NetId, e: &Expr, via| {
        e.for_each_net(&mut |from, _| edges[to.index()].push(Edge { from: from.0, via }));
    };
    for item in &m.items {
        if let Item::Wire(id, e) | Item::Assign(id, e) | Item::MemRead(id, _, e) = item {
            add(*id, e, None);
        }
    }
    for (index, instance) in m.instances.iter().enumerate() {
        let inputs: HashMap<usize, &Expr> = instance.inputs.iter().map(|(p, e)| (*p, e)).collect();
        let outputs: HashMap<usize, NetId> = instance.outputs.iter().copied().collect();
        for (out, ins) in &below[index].outputs {
            for port in ins {
                add(outputs[out], inputs[port], Some((index, *port, *out)));
            }
        }
    }
    for list in &mut edges {
        list.sort_by_key(|e| (e.from, e.via));
        list.dedup_by_key(|e| (e.from, e.via));
    }
    edges
}

/// The names along a cycle found by the depth-first search: `stack` ends in a net that depends on `back`.
fn cycle_path(m: &Module, edges: &[Vec<Edge>], stack: &[(usize, usize)], back: usize) -> Vec<String> {
    let start = stack.iter().position(|(n, _)| *n == back).expect("on the stack");
    // The stack runs against the signal: each entry depends on the one above it.
    let mut path = vec![m.nets[back].name.to_string()];
    for (net, next) in stack[start..].iter().rev() {
        let edge = &edges[*net][next - 1];
        if let Some((index, input, output)) = edge.via {
            let instance = &m.instances[index];
            path.push(format!("{}.{}", instance.name, instance.module.ports[input].name));
            path.push(format!("{}.{}", instance.name, instance.module.ports[output].name));
        }
        path.push(m.nets[*net].name.to_string());
    }
    path
}
