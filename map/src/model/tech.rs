//! Tech-mapping: which function units run an op.

use crate::codes;
use crate::model::bodies;
use crate::model::memory::{self, Lanes};
use crate::model::netlist::{unit_input, unit_output};
use crate::model::site::Site;
use loom_adg::layout;
use loom_adg::model::{BodyKind, EffectiveUnit, FunctionUnit};
use loom_adg::{Component, ComponentId, Fabric};
use loom_base::{Diagnostic, Diagnostics, Name};
use loom_dfg::curves;
use loom_dfg::{Counter, Graph, Node, NodeId, Op, OpKind, StepOp, Type};
use loom_front::elementary;
use loom_front::passes::DivisionUnits;
use std::collections::BTreeMap;

/// Where each node may run, in flattened order; of a PE one unit, the narrowest that fits.
pub type Candidates = Vec<Vec<Site>>;

/// Whether a unit runs a node (C1, C2).
pub fn fits(graph: &Graph, node: NodeId, fu: &FunctionUnit, index_width: u32) -> bool {
    fits_node(graph, graph.node(node), fu, index_width)
}

/// The same for a node that need not be one of the graph's, on values of it.
pub fn fits_node(graph: &Graph, n: &Node, fu: &FunctionUnit, index_width: u32) -> bool {
    match fu.muxes().next() {
        None => fits_body(graph, n, fu, index_width),
        Some(_) => effective(graph, n, fu, index_width).is_some(),
    }
}

/// The unit as its muxes are set for a node: the first setting that fits.
fn effective(graph: &Graph, n: &Node, fu: &FunctionUnit, index_width: u32) -> Option<EffectiveUnit> {
    // Settings are many; without the op none is worth a look.
    let may_fit = fu.body.len() == 1 || fu.body.iter().any(|op| op.kind == n.op.kind());
    let fits = |e: &EffectiveUnit| fits_body(graph, n, &e.unit, index_width);
    may_fit.then(|| fu.effective()).into_iter().flatten().find(fits)
}

/// Whether a unit without muxes runs a node.
fn fits_body(graph: &Graph, n: &Node, fu: &FunctionUnit, index_width: u32) -> bool {
    if !n.covers.is_empty() {
        return bodies::fit(n, fu, index_width).is_some();
    }
    let Some(kind) = fu.single_op() else { return false };
    if matches!(n.op, Op::Memory(..)) {
        return false;
    }
    let software = n.op.kind();
    // A join uses a wider one with the other operands masked off, a stream may leave its unit's mode bit 0; everything else
    // must be the same op.
    let same = match (software, kind) {
        (OpKind::Join(s), OpKind::Join(h)) => s <= h,
        (OpKind::Stream(s), OpKind::Stream(h)) => h.serves(s),
        _ => software == kind,
    };
    if !same {
        return false;
    }
    let outputs = fu.output_types();
    // A join that only takes a token away has any operand.
    let input = |i: usize| fu.inputs[unit_input(software, i)];
    let output = |r: usize| outputs[unit_output(software, r)];
    let operands = (0..n.operands.len()).map(|i| (graph.operand_type(n, i), input(i)));
    let results = n.results.iter().enumerate().map(|(r, &v)| (graph.value(v).ty, output(r)));
    bodies::types_fit(software, operands.chain(results), index_width)
}

/// Candidates of every node of a netlist. Errors: nodes that nothing runs.
pub fn candidates(graph: &Graph, fabric: &Fabric, lanes: &Lanes) -> Result<Candidates, Diagnostics> {
    let mut problems: Diagnostics = Vec::new();
    let mut all = Vec::new();
    for node in graph.node_ids() {
        if matches!(graph.node(node).op, Op::Memory(..)) {
            let fits = |at: &(ComponentId, usize)| memory::fits(graph, graph.node(node).op, fabric, *at);
            let list: Vec<Site> = lanes.keys().copied().filter(fits).map(Site::lane).collect();
            if list.is_empty() {
                problems.push(no_lane(graph, node, fabric));
            }
            all.push(list);
            continue;
        }
        // Per definition first: many PEs share one.
        let by_definition: Vec<Option<usize>> = fabric
            .adg()
            .definitions
            .iter()
            .map(|d| match &d.component {
                Component::SpatialPe(pe) if graph.immediates(graph.node(node)).count() <= pe.immediates => {
                    best_fu(graph, node, &pe.fus, fabric.index_width())
                }
                _ => None,
            })
            .collect();
        let list: Vec<Site> = fabric
            .flat()
            .ids()
            .filter_map(|id| Some(Site::spatial(id, by_definition[fabric.flat().at(id).definition]?)))
            .collect();
        if list.is_empty() {
            let problem = no_unit(graph, node, fabric);
            // One report for each op and signature; the places of the others are labels.
            match problems.iter_mut().find(|p| p.message == problem.message) {
                Some(first) => first.labels.extend(problem.labels.into_iter().map(|mut l| {
                    l.text = "and this one".into();
                    l
                })),
                None => problems.push(problem),
            }
        }
        all.push(list);
    }
    if problems.is_empty() {
        Ok(all)
    } else {
        Err(problems)
    }
}

fn best_fu(graph: &Graph, node: NodeId, fus: &[FunctionUnit], index_width: u32) -> Option<usize> {
    let size = |fu: &FunctionUnit| fu.inputs.iter().map(|t| t.width(index_width)).sum::<u32>();
    (0..fus.len()).filter(|&f| fits(graph, node, &fus[f], index_width)).min_by_key(|&f| (size(&fus[f]), f))
}

fn no_lane(graph: &Graph, node: NodeId, fabric: &Fabric) -> Diagnostic {
    let n = graph.node(node);
    let (memory, private, store) =
        memory::access(n.op).unwrap_or((loom_dfg::graph::MemoryId(0), false, false));
    let (name, record) = (&graph.memory(memory).name, graph.memory(memory));
    let what = if store { "store" } else { "load" };
    let bits = record.element.width(fabric.index_width());
    let bytes = memory::bytes_of(graph, memory, fabric.index_width());
    let interfaces = fabric.flat().ids().filter_map(|id| memory::interface(fabric, id));
    let kind: Vec<_> = interfaces.filter(|m| m.is_external() != private).collect();
    let (wanted, table) = if private { ("scratchpad", "memory") } else { ("AXI port", "extmemory") };
    let d = Diagnostic::error(
        codes::NO_LANE,
        format!(
            "no {wanted} of `{}` has a {what} lane for `{name}` ({} of {bits} bits)",
            fabric.name(),
            record.element
        ),
    )
    .at_opt(n.span.clone(), "this memory");
    let widest = kind.iter().map(|m| m.width).max();
    let largest = kind.iter().map(|m| m.bytes()).max();
    match (widest, largest) {
        (None, _) => d.help(format!("add an `[{table}.NAME]` to a tile of the fabric")),
        (Some(w), _) if w < bits => {
            d.note(format!("their words have at most {w} bits")).help("take a wider fabric")
        }
        (_, Some(b)) if b < bytes => {
            d.note(format!("it needs {bytes} bytes, the largest has {b}")).help("give it more `bytes`")
        }
        _ => d.help(format!("give one of them {what} lanes")),
    }
}

fn no_unit(graph: &Graph, node: NodeId, fabric: &Fabric) -> Diagnostic {
    let n = graph.node(node);
    let kind = n.op.kind();
    let list = |types: Vec<Type>| types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
    let operands = (0..n.operands.len()).map(|i| graph.operand_type(n, i)).collect();
    let results = n.results.iter().map(|&v| graph.value(v).ty).collect();
    let signature = format!("({}) -> ({})", list(operands), list(results));
    let (mut near, mut among): (Vec<String>, Vec<String>) = Default::default();
    for d in &fabric.adg().definitions {
        let Component::SpatialPe(pe) = &d.component else {
            continue;
        };
        for fu in &pe.fus {
            let effective = fu.effective();
            let is_same =
                |e: &EffectiveUnit| e.unit.single_op().is_some_and(|k| k.mnemonic() == kind.mnemonic());
            if effective.iter().any(is_same) && !near.contains(&fu.name) {
                near.push(fu.name.clone());
            }
            let has = |e: &EffectiveUnit| {
                bodies::root(&e.unit).is_some() && e.unit.body.iter().any(|op| op.kind == kind)
            };
            let several = effective.iter().any(has);
            if several && !among.contains(&fu.name) {
                among.push(fu.name.clone());
            }
        }
    }
    let d = Diagnostic::error(
        codes::NO_UNIT,
        format!("no function unit of `{}` runs `{kind}` {signature}", fabric.name()),
    )
    .at_opt(n.span.clone(), "this op");
    let d = match among.is_empty() {
        true => d,
        false => d.note(format!(
            "{} runs it among several ops, where they stand together and nobody else uses what is between them",
            among.join(", ")
        )),
    };
    if near.is_empty() {
        d.help(format!("add `{kind}` to the `fus` of a PE of the fabric"))
    } else {
        d.note(format!("the fabric has {}", near.join(", ")))
            .help("add a unit of these types to the `fus` of a PE")
    }
}

/// The widest join of a fabric's units; 1 when there is none.
pub fn widest_join(fabric: &Fabric) -> u32 {
    units(fabric)
        .filter_map(|(_, fu)| match fu.single_op() {
            Some(OpKind::Join(n)) => Some(u32::from(n)),
            _ => None,
        })
        .max()
        .unwrap_or(1)
}

/// The step ops that a fabric's streams have for unsigned numbers too.
pub fn unsigned_steps(fabric: &Fabric) -> Vec<StepOp> {
    let has = |step_op: &StepOp| {
        let wanted = OpKind::Stream(Counter::unsigned(*step_op));
        units(fabric).any(|(_, fu)| fu.single_op() == Some(wanted))
    };
    StepOp::ALL.into_iter().filter(has).collect()
}

/// For each step op, the PEs of a fabric with a stream that has it: so many loops may step so at once.
pub fn streams(fabric: &Fabric) -> Vec<(StepOp, usize)> {
    let count = |step_op: StepOp| {
        let has =
            |fu: &FunctionUnit| matches!(fu.single_op(), Some(OpKind::Stream(c)) if c.step_op == step_op);
        let runs = |id| matches!(fabric.component(id), Component::SpatialPe(pe) if pe.fus.iter().any(has));
        fabric.flat().ids().filter(|&id| runs(id)).count()
    };
    StepOp::ALL.into_iter().map(|step_op| (step_op, count(step_op))).collect()
}

/// The elementary functions that a fabric has no unit for, but units for each step of their formula.
pub fn expanded(fabric: &Fabric) -> Vec<(OpKind, Type, Type)> {
    // Formulas have most of their steps in common.
    let mut known: BTreeMap<(OpKind, Vec<Type>, Type), bool> = BTreeMap::new();
    let mut has = |(op, operands, result): (Op, Vec<Type>, Type)| {
        let step = (op.kind(), operands, result);
        if let Some(&has) = known.get(&step) {
            return has;
        }
        let has = runs(fabric, op, &step.1, result);
        known.insert(step, has);
        has
    };
    let mut out = elementary::all();
    out.retain(|&(kind, from, to)| {
        let lacks = !has((Op::Plain(kind), vec![from; elementary::operands(kind)], to));
        lacks && elementary::units((kind, from, to)).into_iter().all(&mut has)
    });
    out
}

/// What a fabric has to divide with.
pub fn division(fabric: &Fabric) -> DivisionUnits {
    use OpKind::{
        Addi, Ceildivsi, Ceildivui, Divsi, Divui, Extsi, Extui, Floordivsi, Muli, Shrsi, Shrui, Trunci,
    };
    let (narrow, wide) = (Type::I32, Type::Int(64));
    let casts = [(Extui, narrow, wide), (Extsi, narrow, wide), (Trunci, wide, narrow)];
    let has = |kind: OpKind, ty: Type| runs(fabric, Op::Plain(kind), &[ty; 2], ty);
    let multiplies = |id| match fabric.component(id) {
        Component::SpatialPe(pe) => pe.fus.iter().any(|fu| {
            fu.single_op() == Some(Muli)
                && fu.inputs[0].width(fabric.index_width()) >= narrow.width(fabric.index_width())
        }),
        _ => false,
    };
    let composed = [(Floordivsi, Divsi), (Ceildivsi, Divsi), (Ceildivui, Divui)];
    let composed =
        composed.into_iter().filter(|&(kind, of)| !has(kind, narrow) && has(of, narrow) && has(Muli, narrow));
    DivisionUnits {
        wide_products: casts.into_iter().all(|(kind, from, to)| runs(fabric, Op::Plain(kind), &[from], to))
            && [Addi, Muli, Shrui, Shrsi].into_iter().all(|kind| has(kind, wide)),
        products: fabric.flat().ids().filter(|&id| multiplies(id)).count(),
        composed: composed.map(|(kind, _)| kind).collect(),
    }
}

/// Whether a fabric has a unit for an op on operands of these types.
fn runs(fabric: &Fabric, op: Op, operands: &[Type], result: Type) -> bool {
    let mut graph = Graph::new(Name::fitted("step").expect("a good name"));
    let operands: Vec<_> = operands.iter().map(|&ty| graph.add_argument("", ty)).collect();
    let node = graph.add_node(op, &operands, &[result]);
    fabric.adg().definitions.iter().any(|d| match &d.component {
        Component::SpatialPe(pe) => best_fu(&graph, node, &pe.fus, fabric.index_width()).is_some(),
        _ => false,
    })
}

/// Every function unit of a fabric with its PE.
pub(super) fn units(fabric: &Fabric) -> impl Iterator<Item = (ComponentId, &FunctionUnit)> {
    fabric
        .flat()
        .ids()
        .filter_map(|id| match fabric.component(id) {
            Component::SpatialPe(pe) => Some((id, pe)),
            _ => None,
        })
        .flat_map(|(id, pe)| pe.fus.iter().map(move |fu| (id, fu)))
}

/// One error for each kind of op in the graph that no fabric can have yet.
pub fn without_hardware(graph: &Graph) -> Diagnostics {
    let mut seen: Vec<&str> = Vec::new();
    let mut out = Vec::new();
    for n in &graph.nodes {
        let kind = n.op.kind();
        let of = n.operands.first().map_or(Type::None, |&v| graph.value(v).ty);
        let is_built = kind.in_hardware() && curves::is_built(kind, of);
        if matches!(n.op, Op::Memory(..)) || is_built || seen.contains(&kind.mnemonic()) {
            continue;
        }
        seen.push(kind.mnemonic());
        out.push(
            Diagnostic::error(
                codes::GRAPH,
                format!("no unit of any fabric computes `{}` yet", kind.mnemonic()),
            )
            .at_opt(n.span.clone(), "this op")
            .help("`loom interp` runs the graph in software; docs/dfg.md lists what fabrics have"),
        );
    }
    out
}

/// The bits of an operand that is an immediate, as the PE has them.
pub fn immediate(graph: &Graph, node: NodeId, operand: usize, bits: u64, index_width: u32) -> u64 {
    loom_base::truncate(bits, graph.value(graph.node(node).operands[operand]).ty.width(index_width))
}

/// By operand of a node: the input of a unit that runs it.
pub fn unit_inputs(graph: &Graph, node: &Node, fu: &FunctionUnit, index_width: u32) -> Vec<usize> {
    let Some(effective) = effective(graph, node, fu, index_width) else { return Vec::new() };
    let inputs = match bodies::fit(node, &effective.unit, index_width) {
        Some(fit) => fit.inputs,
        None => (0..node.operands.len()).map(|i| unit_input(node.op.kind(), i)).collect(),
    };
    inputs.into_iter().map(|input| effective.inputs[input]).collect()
}

/// The payload values of a node on a unit, in payload order (C6); those of ops that it does not need are 0.
pub fn payload(graph: &Graph, node: NodeId, fu: &FunctionUnit, index_width: u32) -> Vec<u64> {
    let n = graph.node(node);
    let Some(effective) = effective(graph, n, fu, index_width) else { return Vec::new() };
    let unit = &effective.unit;
    let of_ops: Vec<Vec<u64>> = match bodies::fit(n, unit, index_width) {
        Some(fit) => fit.ops.iter().map(|&k| op_payload(n.covers[k].op, unit, index_width)).collect(),
        None => vec![op_payload(n.op, unit, index_width)],
    };
    let mut choices = effective.setting.iter();
    let values = fu.body.iter().enumerate().flat_map(|(at, body)| {
        let needed = effective.ops.iter().position(|&op| op == at);
        match (body.kind, needed) {
            (BodyKind::Mux, _) => choices.next().map(|&choice| choice as u64).into_iter().collect(),
            (BodyKind::Op(_), Some(k)) => of_ops[k].clone(),
            (BodyKind::Op(_), None) => {
                let parts = layout::payload(fu, index_width);
                vec![0; parts.iter().filter(|part| part.op == at).count()]
            }
        }
    });
    values.collect()
}

fn op_payload(op: Op, fu: &FunctionUnit, index_width: u32) -> Vec<u64> {
    match op {
        Op::Cmpi(predicate) => vec![predicate as u64],
        Op::Cmpf(predicate) => vec![u64::from(predicate.code())],
        Op::Constant(bits) => vec![loom_base::truncate(bits, fu.output_types()[0].width(index_width))],
        Op::Stream(counter, cond) => match fu.single_op() {
            Some(OpKind::Stream(built)) if built.is_unsigned() => {
                vec![cond.one_hot(), u64::from(counter.is_unsigned())]
            }
            _ => vec![cond.one_hot()],
        },
        Op::Plain(OpKind::Join(s)) => vec![if s >= 64 { u64::MAX } else { (1 << s) - 1 }],
        // No fabric has units for the last: `map` refuses their graphs.
        Op::Plain(_) | Op::Memory(..) => Vec::new(),
    }
}
