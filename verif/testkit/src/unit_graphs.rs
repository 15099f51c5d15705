//! Small random graphs of what a fabric has units for, so that many of them fit it.
//!
//! Guarantees: a verified graph in which every node fires once in each activation, so that token balance is plain; at most one node for
//! each PE; operands of the types that the PE's unit has, or of narrower ones where that means the same. Leaves out what moves tokens at
//! other rates (state machines, steering), memory, and units that have several ops under every setting of their muxes.

use crate::graphs::{ArgumentRole, RandomGraph};
use loom_adg::model::EffectiveUnit;
use loom_adg::{Component, Fabric};
use loom_base::{truncate, Name, Rng};
use loom_dfg::graph::{Graph, ValueId};
use loom_dfg::op::{Form, SteerOp, WidthRule};
use loom_dfg::{FloatPredicate, Op, OpKind, Predicate, Type};

/// An op with the types of a unit that runs it.
struct Usable {
    kind: OpKind,
    operands: Vec<Type>,
    results: Vec<Type>,
}

/// Whether a node of this kind takes a token from each operand and gives one from each result, always.
fn is_plain(kind: OpKind) -> bool {
    match kind.form() {
        Form::State(_) | Form::Access(_) | Form::Memory(_) => false,
        Form::Steer(op) => matches!(op, SteerOp::Constant | SteerOp::Join(_)),
        _ => true,
    }
}

/// By PE: what its units run.
fn usable(fabric: &Fabric) -> Vec<Vec<Usable>> {
    let of = |id| match fabric.component(id) {
        Component::SpatialPe(pe) => {
            let units =
                pe.fus.iter().flat_map(|fu| fu.effective()).filter_map(|EffectiveUnit { unit, .. }| {
                    let kind = unit.single_op().filter(|&kind| is_plain(kind))?;
                    let results = unit.output_types();
                    Some(Usable { kind, operands: unit.inputs, results })
                });
            units.collect()
        }
        _ => Vec::new(),
    };
    fabric.flat().ids().map(of).filter(|units: &Vec<Usable>| !units.is_empty()).collect()
}

/// Draws a graph of at most `most` nodes; `None` where the fabric has no unit for any.
pub fn graph_for(fabric: &Fabric, rng: &mut Rng, most: usize) -> Option<RandomGraph> {
    let mut pes = usable(fabric);
    if pes.is_empty() {
        return None;
    }
    rng.shuffle(&mut pes);
    pes.truncate(1 + rng.below(most.max(1)));
    let mut growing = Growing {
        graph: Graph::new(Name::new("random").expect("a name")),
        roles: Vec::new(),
        made: Vec::new(),
    };
    for units in &pes {
        let unit = rng.pick(units);
        growing.node(rng, unit);
    }
    Some(growing.finish(rng))
}

struct Growing {
    graph: Graph,
    roles: Vec<ArgumentRole>,
    /// Results of nodes.
    made: Vec<ValueId>,
}

impl Growing {
    /// A value for an operand: mostly what a node before it made and nobody uses, or an argument, or else a new one.
    fn operand(&mut self, rng: &mut Rng, ty: Type) -> ValueId {
        let uses = self.graph.uses();
        let fits = |v: &&ValueId| self.graph.value(**v).ty == ty;
        let unused: Vec<&ValueId> =
            self.made.iter().filter(fits).filter(|v| uses[v.0 as usize].is_empty()).collect();
        if !unused.is_empty() && rng.chance(80) {
            return **rng.pick(&unused);
        }
        let known: Vec<&ValueId> = self.made.iter().chain(&self.graph.arguments).filter(fits).collect();
        if !known.is_empty() && rng.chance(50) {
            return **rng.pick(&known);
        }
        self.roles.push(if ty == Type::None { ArgumentRole::Control } else { ArgumentRole::Data(ty) });
        self.graph.add_argument(format!("a{}", self.roles.len()), ty)
    }

    fn node(&mut self, rng: &mut Rng, unit: &Usable) {
        let (mut operands, mut results) = (unit.operands.clone(), unit.results.clone());
        if let (true, WidthRule::LowBits, Type::Int(width)) =
            (unit.kind.has_one_type(), unit.kind.width_rule(), results[0])
        {
            // A wider unit does it as well.
            if rng.chance(40) {
                let made = self.made.iter().map(|&v| self.graph.value(v).ty);
                let narrow = made.rev().find(|t| matches!(t, Type::Int(w) if *w <= width));
                let ty = narrow.unwrap_or(Type::Int(rng.between(1, width.into()) as u8));
                operands.fill(ty);
                results.fill(ty);
            }
        }
        let values: Vec<ValueId> = operands.iter().map(|&ty| self.operand(rng, ty)).collect();
        let op = match unit.kind {
            OpKind::Cmpi => Op::Cmpi(*rng.pick(&Predicate::ALL)),
            OpKind::Cmpf => Op::Cmpf(rng.pick(&FloatPredicate::all().collect::<Vec<_>>()).to_owned()),
            OpKind::Constant => Op::Constant(truncate(rng.next_u64(), results[0].width(32))),
            kind => Op::Plain(kind),
        };
        let node = self.graph.add_node(op, &values, &results);
        self.made.extend((0..results.len()).map(|r| self.graph.result(node, r)));
    }

    /// What nobody uses goes out; now and then it goes nowhere.
    fn finish(mut self, rng: &mut Rng) -> RandomGraph {
        let uses = self.graph.uses();
        let unused: Vec<ValueId> =
            self.made.iter().copied().filter(|v| uses[v.0 as usize].is_empty()).collect();
        for (k, &v) in unused.iter().enumerate() {
            if k == 0 || rng.chance(85) {
                self.graph.add_output(format!("r{k}"), v);
            }
        }
        RandomGraph { graph: self.graph, roles: self.roles }
    }
}
