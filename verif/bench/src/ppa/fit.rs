//! The table of the model of area and delay, from the measured probes: the text of `adg/src/cost/table.rs`.
//!
//! Function units are taken as they were measured. Of everything else the coefficients are those, none below zero but for the
//! constants of delays, that leave the least sum of squared relative errors of area, and of squared errors of delay.
//!
//! Guarantees: every feature and arc that a probe has gets a coefficient; the same probes give the same text.

use super::calibrate::ProbeTable;
use loom_adg::cost::arcs::Arcs;
use loom_adg::cost::delay::{self, DelayKind};
use loom_adg::cost::features::{self, Counts, Feature};
use loom_adg::cost::rows::log2_16;
use loom_adg::cost::units;
use loom_adg::layout::SliceLayout;
use loom_adg::model::{Component, FunctionUnit};
use loom_adg::Fabric;
use loom_hdl::parts::function_unit;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Rounds of the search for coefficients; it ends in far fewer.
const ROUNDS: usize = 20_000;

/// A measured unit: by op and width its area and arcs.
type Units = BTreeMap<(String, u32), (u64, BTreeMap<String, u32>)>;

/// The table as Rust.
pub fn table(fabric: &Fabric, probes: &ProbeTable) -> String {
    let units = units_of(fabric, probes);
    let mut text = String::from(
        "//! The coefficients of the model. Written by `make calibrate` from verif/bench/calibration: osu018, the typical corner, by\n\
         //! yosys and OpenSTA as `loom ppa` runs them. Not to be changed by hand.\n\n\
         use super::rows::{ArcRow, UnitFigures};\n\n",
    );
    let area = area(fabric, probes, &units);
    let _ = writeln!(text, "/// Thousandths of a square micrometre for each feature.");
    let _ = writeln!(text, "pub(super) const AREA_MILLI_UM2: [u64; {}] = [", Feature::ALL.len());
    for (feature, milli) in Feature::ALL.iter().zip(area) {
        let _ = writeln!(text, "    {milli}, // {feature:?}");
    }
    let _ = writeln!(text, "];\n\n/// The arcs of each kind of component, in the order of the kinds.");
    let _ = writeln!(text, "pub(super) const DELAYS: [&[ArcRow]; {}] = [", DelayKind::ALL.len());
    for kind in DelayKind::ALL {
        let _ = writeln!(text, "    // {kind:?}\n    &[");
        for (arc, row) in arcs_of(fabric, probes, &units, kind) {
            let _ = writeln!(text, "        ({arc:?}, {row:?}),");
        }
        let _ = writeln!(text, "    ],");
    }
    let _ = writeln!(
        text,
        "];\n\n/// The units by op, and of each by width.\n#[rustfmt::skip]\npub(super) const UNITS: &[UnitFigures] = &["
    );
    for ((op, width), (area, arcs)) in &units {
        let arcs: Vec<(&str, u32)> = arcs.iter().map(|(a, ps)| (a.as_str(), *ps)).collect();
        let _ = writeln!(
            text,
            "    UnitFigures {{ op: {op:?}, width: {width}, area_um2: {area}, arcs_ps: &{arcs:?} }},"
        );
    }
    let _ = writeln!(text, "];");
    text
}

fn unit_key(fu: &FunctionUnit, index_width: u32) -> (String, u32) {
    units::key(&fu.body[0], &fu.inputs, index_width)
}

fn units_of(fabric: &Fabric, probes: &ProbeTable) -> Units {
    let mut units = Units::new();
    for definition in &fabric.adg().definitions {
        let Component::SpatialPe(pe) = &definition.component else { continue };
        for fu in &pe.fus {
            let module = function_unit(fu, fabric.index_width());
            let Some(p) = probes.get(&format!("unit {}", module.name.trim_start_matches("loom_"))) else {
                continue;
            };
            units
                .entry(unit_key(fu, fabric.index_width()))
                .or_insert_with(|| (p.area_um2, p.arcs_ps.clone()));
        }
    }
    units
}

/// Milli-um2 for each feature.
fn area(fabric: &Fabric, probes: &ProbeTable, units: &Units) -> Vec<u64> {
    let mut rows: Vec<(Counts, f64, f64)> = Vec::new();
    let mut add = |name: String, counts: Counts, known: u64| {
        if let Some(p) = probes.get(&name).filter(|p| p.area_um2 > 0) {
            rows.push((counts, p.area_um2 as f64 - known as f64, p.area_um2 as f64));
        }
    };
    for d in &fabric.adg().definitions {
        let known = match &d.component {
            Component::SpatialPe(pe) => {
                let alone = |fu: &FunctionUnit| {
                    units.get(&unit_key(fu, fabric.index_width())).map_or(0, |unit| unit.0)
                };
                units::of_pe(pe, fabric.index_width(), &alone)
            }
            _ => 0,
        };
        let layout = SliceLayout::new(&d.component, fabric.index_width());
        add(
            format!("component {}", d.name),
            features::of_component(&d.component, fabric.index_width()),
            known,
        );
        add(format!("slice {}", d.name), features::of_slice(&layout), 0);
    }
    for name in probes.keys() {
        let numbers: Vec<usize> = name.split(' ').skip(1).filter_map(|n| n.parse().ok()).collect();
        match (name.split(' ').next(), numbers.as_slice()) {
            (Some("errors"), [units, _]) => add(name.clone(), features::of_error_node(*units), 0),
            (Some("loader"), [words, slices, _]) => {
                add(name.clone(), features::of_loader(*words, *slices), 0)
            }
            _ => {}
        }
    }
    // Relative errors: each row over its measured area.
    let equations: Vec<(Vec<f64>, f64)> = rows
        .iter()
        .map(|(counts, left, measured)| {
            let mut row = vec![0.0; Feature::ALL.len()];
            counts.iter().for_each(|(f, n)| row[*f as usize] += *n as f64 / measured);
            (row, left / measured)
        })
        .collect();
    least_squares(&equations).into_iter().map(|c| (c * 1000.0).round() as u64).collect()
}

/// The coefficients of each arc of a kind.
fn arcs_of(fabric: &Fabric, probes: &ProbeTable, units: &Units, kind: DelayKind) -> Vec<(String, [i64; 3])> {
    let measured = |fu: &FunctionUnit| {
        let found = units.get(&unit_key(fu, fabric.index_width()));
        let rows: Vec<(&str, u32)> =
            found.iter().flat_map(|u| &u.1).map(|(a, ps)| (a.as_str(), *ps)).collect();
        Arcs::of(&rows)
    };
    let mut points = Vec::new();
    for d in &fabric.adg().definitions {
        let Some((_, sizes)) = delay::sizes(&d.component).filter(|(k, _)| *k == kind) else { continue };
        let Some(probe) = probes.get(&format!("component {}", d.name)) else { continue };
        let part = match &d.component {
            Component::SpatialPe(pe) => Some(delay::unit_part(pe, &measured)),
            _ => None,
        };
        points.push((sizes.map(|n| log2_16(n) as f64 / 16.0), &probe.arcs_ps, part));
    }
    let names: BTreeSet<&String> = points.iter().flat_map(|(_, arcs, _)| arcs.keys()).collect();
    let mut rows = Vec::new();
    for name in names {
        let (from, to) = (name.chars().next().unwrap_or(' '), name.chars().last().unwrap_or(' '));
        let mut equations = Vec::new();
        for ([first, second], arcs, part) in &points {
            let unit = match part {
                Some(part) => part.get(from, to),
                None => Some(0),
            };
            if let (Some(ps), Some(unit)) = (arcs.get(name), unit) {
                // The constant may be negative, so it stands there twice.
                equations.push((vec![1.0, -1.0, *first, *second], f64::from(*ps) - f64::from(unit)));
            }
        }
        if equations.is_empty() {
            continue;
        }
        let c = least_squares(&equations);
        rows.push((name.clone(), [c[0] - c[1], c[2], c[3]].map(|c| c.round() as i64)));
    }
    rows
}

/// The coefficients, none below zero, with the least sum of squared errors: coordinate by coordinate, until nothing moves.
fn least_squares(equations: &[(Vec<f64>, f64)]) -> Vec<f64> {
    let n = equations.first().map_or(0, |e| e.0.len());
    let dot = |i: usize, j: usize| equations.iter().map(|(row, _)| row[i] * row[j]).sum::<f64>();
    let gram: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| dot(i, j)).collect()).collect();
    let right: Vec<f64> =
        (0..n).map(|i| equations.iter().map(|(row, target)| row[i] * target).sum()).collect();
    let mut x = vec![0.0; n];
    for _ in 0..ROUNDS {
        let mut moved = 0.0f64;
        for i in (0..n).filter(|&i| gram[i][i] > 0.0) {
            let others: f64 = (0..n).filter(|&j| j != i).map(|j| gram[i][j] * x[j]).sum();
            let best = ((right[i] - others) / gram[i][i]).max(0.0);
            moved = moved.max((best - x[i]).abs() * gram[i][i].sqrt());
            x[i] = best;
        }
        if moved < 1e-12 {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_are_found_and_never_negative() {
        let rows = |f: fn(f64, f64) -> f64| {
            let xs = [(1.0, 2.0), (2.0, 1.0), (3.0, 5.0), (4.0, 1.0)];
            xs.map(|(a, b)| (vec![a, b], f(a, b))).to_vec()
        };
        let found = least_squares(&rows(|a, b| 3.0 * a + 2.0 * b));
        assert!((found[0] - 3.0).abs() < 1e-6 && (found[1] - 2.0).abs() < 1e-6, "{found:?}");
        let bounded = least_squares(&rows(|a, b| 3.0 * a - 2.0 * b));
        assert!(bounded[0] > 0.0 && bounded[1] == 0.0, "{bounded:?}");
    }
}
