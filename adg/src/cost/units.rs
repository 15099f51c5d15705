//! Function units: the measured ones, and what follows from them for others.
//!
//! A unit of one op is looked up by its op and width; between two measured widths area is linear in the width and delay in its
//! logarithm. An op that was not measured takes the figures of its relative (`relative`). A unit of several ops is their sum, a `fabric.mux` among
//! them a tree of selects; one with stages has registers besides, and its delay is cut into as many parts.

use super::arcs::{Arcs, CLOCK_TO_OUTPUT, SETUP};
use super::rows::{log2_16, UnitFigures};
use super::table::UNITS;
use crate::model::{BodyKind, BodyOp, BodyValue, FunctionUnit, SpatialPe};
use loom_dfg::{OpKind, Type};

/// Area of a register's bit with its enable, in square micrometres, for units with stages.
const STAGE_BIT_UM2: u64 = 170;

/// What the table calls an op, and its width: that of its widest operand or result.
pub fn key(op: &BodyOp, inputs: &[Type], index_width: u32) -> (String, u32) {
    let types = inputs.iter().chain(&op.results);
    let width = types.map(|t| t.width(index_width)).max().unwrap_or(0);
    let BodyKind::Op(kind) = op.kind else { return (op.kind.mnemonic().into(), width) };
    let name = match kind {
        OpKind::Join(_) => "handshake.join".to_string(),
        OpKind::Mux(_) => "handshake.mux".to_string(),
        // A stream by its step op and whether configuration may make it unsigned.
        kind => kind.to_string(),
    };
    (name, width)
}

/// The measured op that is most like one that was not.
fn relative(op: &str) -> &'static str {
    match op {
        "arith.maxui" | "arith.minsi" => "arith.maxsi",
        "arith.minimumf" => "arith.maximumf",
        "arith.maxnumf" => "arith.minnumf",
        "math.copysign" => "math.absf",
        "math.ceil" | "math.trunc" => "math.floor",
        "math.roundeven" => "math.round",
        "math.fma" => "arith.mulf",
        "arith.index_castui" => "arith.index_cast",
        "arith.ceildivsi" | "arith.floordivsi" => "arith.divsi",
        "arith.ceildivui" => "arith.divui",
        "dataflow.stream -=" => "dataflow.stream -= unsigned",
        "dataflow.stream *=" => "dataflow.stream *= unsigned",
        "dataflow.stream /=" => "dataflow.stream /= unsigned",
        "dataflow.stream <<=" => "dataflow.stream <<= unsigned",
        "dataflow.stream >>=" => "dataflow.stream >>= unsigned",
        _ => "arith.addi",
    }
}

/// Area and arcs of one op at a width.
fn op_figures(op: &str, width: u32) -> (u64, Arcs) {
    let mut rows: Vec<&UnitFigures> = UNITS.iter().filter(|u| u.op == op).collect();
    if rows.is_empty() {
        let like = relative(op);
        rows = UNITS.iter().filter(|u| u.op == like).collect();
    }
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return (0, Arcs::default()) };
    let above = rows.iter().position(|u| u.width >= width);
    let (a, b) = match above {
        Some(0) if rows.len() == 1 || first.width == width => (*first, *first),
        Some(0) => (*first, rows[1]),
        Some(k) => (rows[k - 1], rows[k]),
        None if rows.len() == 1 => (*last, *last),
        None => (rows[rows.len() - 2], *last),
    };
    if a.width == b.width {
        return (a.area_um2 * u64::from(width.max(1)) / u64::from(a.width.max(1)), Arcs::of(a.arcs_ps));
    }
    // On the line through two points; beyond them too, but never below nothing.
    let line = |x: [i64; 3], y: [i64; 2]| (y[0] + (y[1] - y[0]) * (x[2] - x[0]) / (x[1] - x[0])).max(0);
    let (wa, wb, w) = (i64::from(a.width), i64::from(b.width), i64::from(width));
    let area = line([wa, wb, w], [a.area_um2 as i64, b.area_um2 as i64]) as u64;
    let logs = [a.width, b.width, width].map(|w| log2_16(u64::from(w)));
    let (low, high) = (Arcs::of(a.arcs_ps), Arcs::of(b.arcs_ps));
    (area, low.zip(&high, |x, y| line(logs, [i64::from(x), i64::from(y)]) as u32))
}

/// Area and arcs of a `fabric.mux`: a tree of selects between two.
fn mux_figures(operands: usize, width: u32) -> (u64, Arcs) {
    let (area, arcs) = op_figures("arith.select", width);
    let deep = arcs.longest_data() * operands.next_power_of_two().ilog2();
    (area * (operands as u64 - 1), arcs.with_data(deep))
}

/// Area of a PE's units by that of each alone: what shares hardware is as large as the largest of them.
pub fn of_pe(pe: &SpatialPe, index_width: u32, area_of: &dyn Fn(&FunctionUnit) -> u64) -> u64 {
    let groups = pe.shared_units(index_width);
    groups.iter().map(|g| g.units.iter().map(|&f| area_of(&pe.fus[f])).max().unwrap_or(0)).sum()
}

/// Area and arcs of a function unit.
pub fn unit(fu: &FunctionUnit, index_width: u32) -> (u64, Arcs) {
    let types = |op: &BodyOp| op.operands.iter().map(|&v| fu.value_type(v)).collect::<Vec<Type>>();
    let ops: Vec<(u64, Arcs)> = (fu.body.iter())
        .map(|op| {
            let (name, width) = key(op, &types(op), index_width);
            match op.kind {
                BodyKind::Op(_) => op_figures(&name, width),
                BodyKind::Mux => mux_figures(op.operands.len(), width),
            }
        })
        .collect();
    let area: u64 = ops.iter().map(|o| o.0).sum();
    if let ([(_, arcs)], true) =
        (ops.as_slice(), fu.latency <= 0 || fu.least_digit_time(index_width).is_some())
    {
        return (area, arcs.clone());
    }
    // When each op's result comes, through all before it.
    let mut at: Vec<u32> = Vec::new();
    for (op, (_, arcs)) in fu.body.iter().zip(&ops) {
        let before = op.operands.iter().map(|v| match v {
            BodyValue::Input(_) => 0,
            BodyValue::Result { op, .. } => at[*op],
        });
        let longest = before.max().unwrap_or(0) + arcs.longest_data();
        at.push(longest);
    }
    let total = at.iter().copied().max().unwrap_or(0);
    let control = ops.last().map(|o| o.1.clone()).unwrap_or_default();
    if fu.latency <= 0 {
        return (area, control.with_data(total));
    }
    let levels = fu.latency as u32;
    let crossing: u64 = fu.inputs.iter().map(|t| u64::from(t.width(index_width))).sum();
    let part = total / (levels + 1);
    let arcs = control.registered(CLOCK_TO_OUTPUT + part, part + SETUP);
    (area + u64::from(levels) * crossing * STAGE_BIT_UM2, arcs)
}
