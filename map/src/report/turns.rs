//! The slowest turn of each loop: what a mapping's interval is made of, op by op and way by way.

use super::short;
use crate::timing::finished::{Finished, TurnStep};
use crate::Mapped;
use loom_adg::Fabric;
use loom_base::Source;
use loom_dfg::Graph;
use std::fmt::Write as _;

/// Loops that take less of a run are not shown.
const LEAST_SHARE: f64 = 0.05;
/// Ops of a turn that are shown.
const MOST_OPS: usize = 60;

/// The section of map.txt: of the loops that a run spends most in, the slowest turn. With the source, where each op stands in it.
pub(super) fn text(
    (net, fabric): (&Graph, &Fabric),
    mapped: &Mapped,
    source: Option<&Source>,
) -> Option<String> {
    let m = &mapped.mapping;
    let finished = Finished::new(net, fabric, m, mapped.memory_latency)?;
    let mut turns = finished.slowest_turns();
    turns.retain(|t| t.in_run >= LEAST_SHARE * mapped.timing.at_most && t.cycles > t.turns);
    turns.sort_by(|a, b| b.in_run.total_cmp(&a.in_run));
    let mut out = String::new();
    for turn in &turns {
        let of = if turn.turns == 1 { "a turn".to_string() } else { format!("{} turns", turn.turns) };
        let (cycles, percent) = (turn.cycles, 100.0 * turn.in_run / mapped.timing.at_most);
        let _ = writeln!(out, "  {cycles} cycles {of}, {percent:.0} % of the expected run\n    way  op");
        // What begins a turn first.
        let begins = |s: &TurnStep| net.nodes[s.node].op.kind().takes(s.operand).lag() > 0;
        let first = turn.steps.iter().position(begins).unwrap_or(0);
        let steps = turn.steps[first..].iter().chain(&turn.steps[..first]);
        for &TurnStep { node, operand, op, way } in steps.take(MOST_OPS) {
            let (record, p) = (&net.nodes[node], &m.placements[node]);
            let name = short(record);
            let value = &net.value(record.operands[operand]).name;
            let place = fabric.path(p.component);
            let line = source.zip(record.span.as_ref()).map(|(s, span)| s.line_column(span.start).0);
            let line = line.map_or(String::new(), |line| format!("line {line}"));
            let row = format!("    {way:>3} {op:>3}  {name:<14} %{value:<14} {place:<16} {line}");
            let _ = writeln!(out, "{}", row.trim_end());
        }
        if turn.steps.len() > MOST_OPS {
            let _ = writeln!(out, "    and {} more ops", turn.steps.len() - MOST_OPS);
        }
    }
    (!out.is_empty()).then_some(out)
}
