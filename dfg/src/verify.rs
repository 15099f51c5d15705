//! The verifier of graphs in normal form: what every later stage may take for granted.
//!
//! After [`verify`] gave no error: operand and result counts and types fit the op table; literals fit; every op
//! has a result somebody uses; joins keep to 64 inputs and the function's own limit; value names and port names
//! are unique and can be written; memories, their nodes and the loads and stores at their ports fit together; no
//! cycle exists that could never produce its first token. It does not prove token balance: that needs the source's structure, and the interpreter shows it case by case.

mod memory;

use crate::codes;
use crate::graph::{Graph, Node, NodeId, ValueDef, ValueId};
use crate::{Op, OpKind, Type};
use loom_base::name::shown;
use loom_base::{sign_extend, truncate, Diagnostic, Diagnostics, Name, NAME_RULE};
use std::collections::{BTreeMap, BTreeSet};

/// Widest join and mux of the format, whatever the fabric.
pub const MAX_FAN_IN: u32 = 64;
/// Most words of a `memory`: it is on chip.
pub const MAX_PRIVATE_WORDS: u64 = 1 << 24;

/// Checks a graph; an empty list means it is good. Reports every independent problem.
pub fn verify(graph: &Graph) -> Diagnostics {
    let mut out = Vec::new();
    // Everything else indexes by id, so ids come first and alone.
    ids(graph, &mut out);
    if !out.is_empty() {
        return out;
    }
    names(graph, &mut out);
    for node in graph.node_ids() {
        check_node(graph, node, &mut out);
    }
    immediates(graph, &mut out);
    used(graph, &mut out);
    memory::check(graph, &mut out);
    dead_cycles(graph, &mut out);
    out
}

/// Checks what depends on the fabric's `index` width: index literals must fit, as signed or unsigned numbers.
pub fn verify_index_width(graph: &Graph, index_width: u32) -> Diagnostics {
    let mut out = Vec::new();
    for value in &graph.values {
        let (bits, span) = match value.def {
            ValueDef::Literal(bits) => (bits, None),
            ValueDef::Argument(_) => continue,
            ValueDef::Result { node, .. } => match graph.node(node) {
                Node { op: Op::Constant(bits), span, .. } => (*bits, span.clone()),
                _ => continue,
            },
        };
        let low = truncate(bits, index_width);
        if value.ty == Type::Index && low != bits && sign_extend(low, index_width) as u64 != bits {
            out.push(
                Diagnostic::error(
                    codes::LITERAL,
                    format!(
                        "the literal {} does not fit `index`, which is {index_width} bits here",
                        bits as i64
                    ),
                )
                .at_opt(span, "")
                .help("use a smaller literal or a fabric with a larger `index_width`"),
            );
        }
    }
    out
}

/// Whether `%name` is MLIR: all digits, or an identifier.
pub fn is_value_name(name: &str) -> bool {
    !name.is_empty() && (name.bytes().all(|b| b.is_ascii_digit()) || is_identifier(name))
}

/// Whether a name can be a port: ports become names of Verilog and C.
pub fn is_port_name(name: &str) -> bool {
    Name::new(name).is_some()
}

fn is_identifier(name: &str) -> bool {
    name.bytes().next().is_some_and(|b| !b.is_ascii_digit())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_$.-".contains(&b))
}

fn ids(graph: &Graph, out: &mut Diagnostics) {
    let values = graph.values.len() as u32;
    let good = |v: &ValueId| v.0 < values;
    let all_good = graph.arguments.iter().all(good)
        && graph.outputs.iter().all(|o| good(&o.value))
        && graph.nodes.iter().all(|n| n.operands.iter().chain(&n.results).all(good));
    let memories = graph.memories.len() as u32;
    let named = |op: Op| match op {
        Op::Memory(id, _) => id.0 < memories,
        _ => true,
    };
    if !graph.nodes.iter().all(|n| named(n.op)) {
        out.push(Diagnostic::error(
            codes::UNDEFINED,
            "the graph refers to a memory id outside its list of memories",
        ));
    }
    // The printer and the dead-cycle check follow definitions.
    let defined = graph.values.iter().all(|v| match v.def {
        ValueDef::Argument(k) => k < graph.arguments.len(),
        ValueDef::Result { node, result } => {
            graph.nodes.get(node.0 as usize).is_some_and(|n| result < n.results.len())
        }
        ValueDef::Literal(_) => true,
    });
    if !defined {
        out.push(Diagnostic::error(codes::UNDEFINED, "a value's definition is not in the graph"));
    }
    if !all_good {
        out.push(Diagnostic::error(
            codes::UNDEFINED,
            "the graph refers to a value id outside its list of values",
        ));
    }
}

fn names(graph: &Graph, out: &mut Diagnostics) {
    let mut seen = BTreeSet::new();
    for value in &graph.values {
        if !is_value_name(&value.name) {
            out.push(Diagnostic::error(
                codes::VALUE_NAME,
                format!("the value name `{}` cannot be written as `%name`", shown(&value.name)),
            ));
        } else if !seen.insert(value.name.as_str()) {
            out.push(Diagnostic::error(codes::VALUE_NAME, format!("two values are named `%{}`", value.name)));
        }
    }
    let arguments = graph.arguments.iter().map(|&a| graph.value(a).name.as_str());
    let arguments = arguments.chain(graph.memories.iter().map(|m| m.name.as_str()));
    let mut ports = BTreeSet::new();
    for name in arguments.chain(graph.outputs.iter().map(|o| o.name.as_str())) {
        if !is_port_name(name) {
            out.push(
                Diagnostic::error(
                    codes::PORT_NAME,
                    format!("the port name `{}` is no identifier", shown(name)),
                )
                .help(format!("port names become Verilog names: {NAME_RULE}")),
            );
        } else if !ports.insert(name) {
            out.push(
                Diagnostic::error(codes::PORT_NAME, format!("two ports are named `{name}`"))
                    .help("give arguments and results names of their own in `argNames` and `resNames`"),
            );
        }
    }
}

fn check_node(graph: &Graph, node: NodeId, out: &mut Diagnostics) {
    let record = graph.node(node);
    let kind = record.op.kind();
    let name = kind.mnemonic();
    let error = |code, message: String| Diagnostic::error(code, message).at_opt(record.span.clone(), "");

    let fan_in = match kind {
        OpKind::Join(n) => Some((u32::from(n), 1)),
        OpKind::Mux(n) => Some((u32::from(n), 2)),
        _ => None,
    };
    if let Some((n, least)) = fan_in {
        if n < least || n > MAX_FAN_IN {
            out.push(error(
                codes::FAN_IN,
                format!("`{name}` has {n} inputs, {least} to {MAX_FAN_IN} are allowed"),
            ));
            return;
        }
    }
    if let (OpKind::Join(n), Some(limit)) = (kind, graph.max_join_fanin) {
        // A limit below 2 cannot be met by a tree either: only joins of one input are left.
        let allowed = if limit < 2 { 1 } else { limit };
        if u32::from(n) > allowed {
            let d = error(
                codes::FAN_IN,
                format!("`{name}` has {n} inputs, `loom.adg_max_join_fanin` allows {allowed}"),
            );
            out.push(d.help(if limit < 2 {
                "a limit below 2 leaves no way to join two tokens: raise it"
            } else {
                "make it a tree of narrower joins"
            }));
        }
    }
    let counts = (record.operands.len(), record.results.len());
    let want = (kind.operand_count(), kind.result_count());
    if counts != want {
        out.push(error(
            codes::ARITY,
            format!(
                "`{name}` has {} operands and {} results, it takes {} and gives {}",
                counts.0, counts.1, want.0, want.1
            ),
        ));
        return;
    }
    let types = |ids: &[ValueId]| ids.iter().map(|&v| graph.value(v).ty).collect::<Vec<_>>();
    let (operands, results) = (types(&record.operands), types(&record.results));
    if let Err(allowed) = kind.check_types(&operands, &results) {
        let list = |types: &[Type]| types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
        let found = format!("({}) -> ({})", list(&operands), list(&results));
        out.push(error(codes::TYPE_MISMATCH, format!("`{name}` has types `{found}`; {allowed}")));
    }
    if let Op::Constant(bits) = record.op {
        out.extend(literal(bits, results[0]).map(|d| d.at_opt(record.span.clone(), "")));
    }
}

/// An index literal is 64 bits here; `verify_index_width` looks at it again.
fn literal(bits: u64, ty: Type) -> Option<Diagnostic> {
    let fits = truncate(bits, ty.width(64)) == bits;
    (!fits).then(|| Diagnostic::error(codes::LITERAL, format!("the literal {bits:#x} does not fit `{ty}`")))
}

/// Immediates: where an op has one, each of its firings takes a token of another operand.
fn immediates(graph: &Graph, out: &mut Diagnostics) {
    let wrong = |message: String| {
        Diagnostic::error(codes::IMMEDIATE, message)
            .help("trigger it by a control token: `constant %ctl {value = 42 : i32} : i32`")
    };
    for value in &graph.values {
        match value.def {
            ValueDef::Literal(_) if value.ty == Type::None => {
                out.push(wrong(format!(
                    "the immediate `%{}` is a control token, which only says when",
                    value.name
                )));
            }
            ValueDef::Literal(bits) => out.extend(literal(bits, value.ty)),
            ValueDef::Argument(_) | ValueDef::Result { .. } => {}
        }
    }
    for node in &graph.nodes {
        let kind = node.op.kind();
        let at = |d: Diagnostic| d.at_opt(node.span.clone(), "");
        let all: Vec<usize> = graph.immediates(node).map(|i| i.0).collect();
        if let Some(&i) = all.iter().find(|&&i| !kind.takes_immediate(i)) {
            let (name, operand) = (&graph.value(node.operands[i]).name, kind.operand_name(i));
            out.push(at(wrong(format!(
                "the immediate `%{name}` is `{operand}` of `{}`, which needs tokens",
                kind.mnemonic()
            ))));
        } else if !all.is_empty() && all.len() == node.operands.len() {
            out.push(at(wrong(format!(
                "`{}` has immediates only, nothing says when it fires",
                kind.mnemonic()
            ))));
        }
    }
    for output in graph.outputs.iter().filter(|o| graph.literal(o.value).is_some()) {
        out.push(wrong(format!(
            "the result `{}` is an immediate, nothing says when it is given",
            output.name
        )));
    }
}

fn used(graph: &Graph, out: &mut Diagnostics) {
    let uses = graph.uses();
    for node in graph.node_ids() {
        let record = graph.node(node);
        // A memory without results has no ports, and its own check says so; a store changes what others read.
        let memory = matches!(record.op.kind(), OpKind::Memory(p) | OpKind::Extmemory(p) if p.stores > 0 || p.loads == 0);
        if !memory && record.results.iter().all(|r| uses[r.0 as usize].is_empty()) {
            let results: Vec<_> =
                record.results.iter().map(|&r| format!("`%{}`", graph.value(r).name)).collect();
            out.push(
                Diagnostic::error(
                    codes::UNUSED,
                    format!(
                        "nobody uses {}, so `{}` does nothing",
                        results.join(" or "),
                        record.op.kind().mnemonic()
                    ),
                )
                .at_opt(record.span.clone(), "")
                .help("remove the op, or return one of its results"),
            );
        }
    }
}

/// Operands an op needs before it can give its first token. The others come later by its phases: `carry` and
/// `invariant` start from `a` alone, a mux starts when the selector and one chosen input are there, a load sends
/// its address without having the data.
fn needed_first(kind: OpKind, operand: usize) -> bool {
    match kind {
        OpKind::Mux(_) => operand == 0,
        OpKind::Load => operand != 1,
        _ => kind.takes(operand).lag() == 0,
    }
}

/// What must run before a value's first token can be there, as indices of the dead-cycle check: a node's own, or
/// `nodes + node` for the data half of a load. A memory stands for nothing itself: each of its results waits for
/// the operands of its own port only.
fn producers(graph: &Graph, v: ValueId) -> Vec<usize> {
    let ValueDef::Result { node, result } = graph.value(v).def else { return Vec::new() };
    let n = node.0 as usize;
    match graph.kind(node) {
        OpKind::Load if result == 0 => vec![graph.nodes.len() + n],
        OpKind::Memory(ports) | OpKind::Extmemory(ports) => {
            let operands = memory::request(ports, result);
            let operands = operands.into_iter().filter_map(|i| graph.node(node).operands.get(i).copied());
            // A memory at a memory's port is refused by its own check.
            let plain = operands.filter(|&o| match graph.value(o).def {
                ValueDef::Result { node, .. } => graph.kind(node).class() != crate::op::Class::Memory,
                ValueDef::Argument(_) | ValueDef::Literal(_) => false,
            });
            plain.flat_map(|o| producers(graph, o)).collect()
        }
        _ => vec![n],
    }
}

/// A cycle over operands that are all needed first can never start. One is reported for each group of ops that
/// hang together in such cycles.
fn dead_cycles(graph: &Graph, out: &mut Diagnostics) {
    let nodes = graph.nodes.len();
    let mut before: Vec<Vec<usize>> = graph
        .nodes
        .iter()
        .map(|n| {
            let kind = n.op.kind();
            let first = n.operands.iter().enumerate().filter(|&(i, _)| needed_first(kind, i));
            first.flat_map(|(_, &v)| producers(graph, v)).collect()
        })
        .collect();
    before.extend(graph.nodes.iter().map(|n| match (n.op.kind(), n.operands.get(1)) {
        (OpKind::Load, Some(&data)) => producers(graph, data),
        _ => Vec::new(),
    }));
    let count = before.len();
    // Peel ops whose needed producers are all peeled; what is left waits on a cycle.
    let mut missing: Vec<usize> = before.iter().map(Vec::len).collect();
    let mut after = vec![Vec::new(); count];
    for (n, list) in before.iter().enumerate() {
        for &p in list {
            after[p].push(n);
        }
    }
    let mut ready: Vec<usize> = (0..count).filter(|&n| missing[n] == 0).collect();
    while let Some(n) = ready.pop() {
        for &c in &after[n] {
            missing[c] -= 1;
            if missing[c] == 0 {
                ready.push(c);
            }
        }
    }
    // Walk back along stuck producers from each stuck op; a node met again in the same walk closes a cycle.
    let mut seen_in: BTreeMap<usize, usize> = BTreeMap::new();
    for start in (0..count).filter(|&n| missing[n] > 0) {
        let mut path = Vec::new();
        let mut at = start;
        while !seen_in.contains_key(&at) {
            seen_in.insert(at, start);
            path.push(at);
            let Some(&p) = before[at].iter().find(|&&p| missing[p] > 0) else {
                break;
            };
            at = p;
        }
        let Some(from) = path.iter().position(|&n| n == at).filter(|_| seen_in.get(&at) == Some(&start))
        else {
            continue;
        };
        let mut cycle: Vec<usize> = path[from..].iter().map(|&n| n % nodes).collect();
        cycle.reverse();
        cycle.dedup();
        let lowest = cycle.iter().enumerate().min_by_key(|&(_, n)| n).map_or(0, |(i, _)| i);
        cycle.rotate_left(lowest);
        out.push(cycle_error(graph, &cycle));
    }
}

fn cycle_error(graph: &Graph, cycle: &[usize]) -> Diagnostic {
    let label = |n: usize| {
        let record = &graph.nodes[n];
        let name = record.results.first().map_or("", |&r| graph.value(r).name.as_str());
        format!("`%{name}` ({})", record.op.kind().mnemonic())
    };
    let mut text: Vec<String> = cycle.iter().map(|&n| label(n)).collect();
    text.extend(cycle.first().map(|&n| label(n)));
    let mut d =
        Diagnostic::error(codes::DEAD_CYCLE, "these ops wait for each other and can never start".to_string());
    for &n in cycle.iter().take(8) {
        d = d.at_opt(graph.nodes[n].span.clone(), "");
    }
    d.note(format!("the cycle: {}", text.join(" -> ")))
        .help("a loop needs a `dataflow.carry` (fed back through `d` or `b`) or a `mux` on its way round")
}
