//! What the model says of a fabric's area and delay, as `loom check` prints it.

use loom_adg::cost::area::{AreaByClass, CostClass};
use loom_adg::cost::path::PathPoint;
use loom_adg::cost::FabricCost;
use loom_base::table::aligned;
use std::fmt::Write;

/// Points of a path on a line.
const ON_A_LINE: usize = 4;

/// The tables, and the longest path.
pub fn text(cost: &FabricCost) -> String {
    let mut text = String::from("  area and delay by the model, um2 and ns of osu018 (docs/ppa.md)\n");
    let mut rows = vec![["of", "count", "area", "period"].map(String::from).to_vec()];
    rows[0].extend(CostClass::ALL.map(|c| c.name().to_string()));
    let mut row = |name: &str, count: String, area: u64, period: Option<u32>, by_class: &AreaByClass| {
        let mut cells = vec![name.to_string(), count, area.to_string(), period.map_or("-".into(), ns)];
        cells.extend(CostClass::ALL.map(|c| by_class.get(&c).copied().unwrap_or(0).to_string()));
        rows.push(cells);
    };
    for r in &cost.rows {
        row(&r.area.name, r.area.instances.to_string(), r.area.area_um2, r.period_ps, &r.area.area_by_class);
    }
    row("all", "-".into(), cost.area_um2, Some(cost.period_ps), &cost.area_by_class);
    for line in aligned(&rows, 1).lines() {
        let _ = writeln!(text, "  {line}");
    }
    if cost.ram_bits > 0 {
        let _ = writeln!(text, "  and {} bits of RAM", cost.ram_bits);
    }
    let _ = writeln!(text, "  the longest path that is wired, and when it leaves each");
    for points in cost.path.chunks(ON_A_LINE) {
        let list: Vec<String> = points
            .iter()
            .map(|PathPoint { name, is, at_ps }| format!("{name} ({is}) {}", ns(*at_ps)))
            .collect();
        let _ = writeln!(text, "    {}", list.join("  "));
    }
    text
}

fn ns(ps: u32) -> String {
    format!("{}.{:02}", ps / 1000, ps % 1000 / 10)
}
