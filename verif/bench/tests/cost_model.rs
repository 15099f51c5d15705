//! The model of area and delay against what yosys and OpenSTA measured: on whole tiles, none of which it was fitted to.
//!
//! `calibration/tiles.json` has what `loom ppa` said of tiles (docs/reports/ppa-*.md); `calibration/probes.json` what the model was
//! fitted to, by `make calibrate`.

use loom_adg::cost;
use loom_adg::cost::area::CostClass;
use loom_adg::Fabric;
use loom_base::Source;
use loom_bench::ppa::{calibrate, fit};
use loom_flow::load;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Percent that area and period of a tile may be off.
const MOST: f64 = 15.0;

#[derive(Deserialize)]
struct MeasuredTile {
    fabric: String,
    tile: String,
    area_um2: u64,
    period_ps: u32,
    area_by_class: BTreeMap<CostClass, u64>,
}

fn fabric(name: &str) -> Fabric {
    load::fabric(&load::built_in(name).expect("it comes with LOOM")).expect("legal")
}

fn probes() -> (Fabric, calibrate::ProbeTable) {
    let text = Source::new("probes.toml", include_str!("../calibration/probes.toml"));
    let table = calibrate::from_text(include_str!("../calibration/probes.json")).expect("a table");
    (load::fabric(&text).expect("legal"), table)
}

fn off(model: u64, measured: u64) -> f64 {
    (model as f64 / measured as f64 - 1.0) * 100.0
}

#[test]
fn tiles_are_within_fifteen_percent() {
    let tiles: Vec<MeasuredTile> =
        serde_json::from_str(include_str!("../calibration/tiles.json")).expect("rows");
    assert!(tiles.len() >= 7);
    let mut bad = Vec::new();
    for t in &tiles {
        let cost = cost::of_fabric(&fabric(&t.fabric));
        let row = cost.rows.iter().find(|r| r.area.name == t.tile).expect("the tile is there");
        let (area, period) =
            (off(row.area.area_um2, t.area_um2), off(row.period_ps.unwrap_or(0).into(), t.period_ps.into()));
        let class = |c: &CostClass| {
            let model = row.area.area_by_class.get(c).copied().unwrap_or(0);
            t.area_by_class.get(c).map(|&m| format!("{} {:+.0}", c.name(), off(model, m)))
        };
        let classes: Vec<String> = CostClass::ALL.iter().filter_map(class).collect();
        let line = format!(
            "{}/{}: area {area:+.1} %, period {period:+.1} %; by class {}",
            t.fabric,
            t.tile,
            classes.join(", ")
        );
        println!("{line}");
        if area.abs() > MOST || period.abs() > MOST {
            bad.push(line);
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// The table in the sources is the one that the probes give, and the probes are those of the modules as they are now.
#[test]
fn the_table_is_that_of_the_probes() {
    let (fabric, table) = probes();
    let numbers = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_ascii_digit()).filter(|w| !w.is_empty());
        words.map(String::from).collect()
    };
    let kept = include_str!("../../../adg/src/cost/table.rs");
    // rustfmt breaks lines, and moves no number.
    assert_eq!(numbers(&fit::table(&fabric, &table)), numbers(kept), "run `make calibrate`");
    let named: Vec<String> = calibrate::probes(&fabric).into_keys().collect();
    let measured: Vec<String> = table.keys().cloned().collect();
    assert_eq!(named, measured, "run `make calibrate`");
}
