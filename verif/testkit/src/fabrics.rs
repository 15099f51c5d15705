//! Fabrics of the workspace, their verilated models, random images.

use loom_adg::layout::{payload, PayloadKind};
use loom_adg::model::{FunctionUnit, MemoryInterface};
use loom_adg::{Component, ComponentId, Fabric, FieldKind, Image, Mux, PeConfig};
use loom_base::{Rng, Source};
use loom_cosim::FabricModel;
use loom_cosim::{BuildOptions, Built};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace").to_path_buf()
}

/// What a folder holds and `keep` takes, in the order of names.
pub fn sorted(folder: &Path, keep: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path());
    let mut paths: Vec<PathBuf> = entries.filter(|p| keep(p)).collect();
    paths.sort();
    paths
}

/// Reads a fabric's TOML file, named from the workspace.
pub fn fabric(path: &str) -> Fabric {
    let source = Source::new(path, std::fs::read_to_string(root().join(path)).expect("the fabric file"));
    let (adg, diagnostics) = loom_adg::toml::load(&source, &|_| None);
    let refused = || panic!("{}", diagnostics.iter().map(|d| d.render(&source)).collect::<String>());
    Fabric::new(adg.unwrap_or_else(refused))
}

/// The verilated model of a fabric, from the cache where it was built before.
pub fn verilated(fabric: &Fabric) -> Arc<Built> {
    built(fabric, true)
}

/// The same for so few cycles that a slower model has run them sooner.
pub fn quickly_verilated(fabric: &Fabric) -> Arc<Built> {
    built(fabric, false)
}

fn built(fabric: &Fabric, optimise: bool) -> Arc<Built> {
    let options = BuildOptions { trace: false, optimise };
    loom_cosim::verilate(fabric, options, &root().join("target/verilated"))
        .unwrap_or_else(|d| panic!("{}", d[0].message))
}

/// A fresh instance of the verilated model.
pub fn instance(fabric: &Fabric, built: &Arc<Built>) -> FabricModel {
    FabricModel::new(built, fabric.ports())
}

/// An image in which every field is legal, but that means nothing: random routes, units and muxes.
pub fn random_image(fabric: &Fabric, rng: &mut Rng) -> Image {
    let used = 20 + rng.below(70) as u32;
    random_image_of(fabric, rng, used)
}

/// The same with so many percent of PEs and switch outputs in use.
pub fn random_image_of(fabric: &Fabric, rng: &mut Rng, used: u32) -> Image {
    let mut image = Image::unused(fabric);
    for id in fabric.flat().ids() {
        match fabric.component(id) {
            Component::SpatialPe(pe) if rng.chance(used) => {
                let config = random_pe(fabric, rng, pe);
                config.write(&mut image, fabric, id);
            }
            Component::SpatialPe(_) => {}
            Component::SpatialSw(_) => random_routes(fabric, rng, &mut image, id, used),
            _ => random_tags(fabric, rng, &mut image, id),
        }
    }
    image
}

fn random_pe(fabric: &Fabric, rng: &mut Rng, pe: &loom_adg::model::SpatialPe) -> PeConfig {
    let opcode = rng.below(pe.fus.len());
    let fu = &pe.fus[opcode];
    let mut ins: Vec<usize> = (0..pe.input_choices()).collect();
    let mut outs: Vec<usize> = (0..pe.outputs.len()).collect();
    rng.shuffle(&mut ins);
    rng.shuffle(&mut outs);
    let mut pick = |ports: &mut Vec<usize>, used: bool, discard: u32| match ports.pop() {
        Some(port) if used => {
            if rng.chance(discard) {
                Mux::Discard(port)
            } else {
                Mux::Port(port)
            }
        }
        _ => Mux::Disconnect,
    };
    let inputs = (0..pe.input_muxes()).map(|a| pick(&mut ins, a < fu.inputs.len(), 3)).collect();
    let outputs = (0..pe.output_demuxes()).map(|b| pick(&mut outs, b < fu.results.len(), 20)).collect();
    let payload = random_payload(fabric, rng, fu);
    let width = pe.immediate_width(fabric.index_width());
    let immediates = (0..pe.immediates).map(|_| loom_base::truncate(rng.next_u64(), width)).collect();
    PeConfig { opcode, inputs, outputs, payload, immediates }
}

/// Random legal values of a unit's payload.
pub fn random_payload(fabric: &Fabric, rng: &mut Rng, fu: &FunctionUnit) -> Vec<u64> {
    payload(fu, fabric.index_width())
        .iter()
        .map(|part| match part.kind {
            PayloadKind::Predicate => rng.below(10) as u64,
            PayloadKind::FloatPredicate => rng.below(16) as u64,
            PayloadKind::ContCond => 1 << rng.below(5),
            PayloadKind::Unsigned => rng.below(2) as u64,
            PayloadKind::Select(operands) => rng.below(operands) as u64,
            PayloadKind::JoinMask | PayloadKind::Literal => loom_base::truncate(rng.next_u64(), part.width),
        })
        .collect()
}

fn random_routes(fabric: &Fabric, rng: &mut Rng, image: &mut Image, id: ComponentId, used: u32) {
    let mut by_lane: std::collections::BTreeMap<(usize, usize), Vec<FieldKind>> = Default::default();
    for field in &fabric.layout().of(id).fields {
        let lane = match field.kind {
            FieldKind::Route { output, .. } => (output, 0),
            FieldKind::LaneRoute { output, output_lane, .. } => (output, output_lane),
            _ => continue,
        };
        by_lane.entry(lane).or_default().push(field.kind);
    }
    for kinds in by_lane.values() {
        if rng.chance(used) {
            image.set(fabric, id, *rng.pick(kinds), 1);
        }
    }
}

fn random_tags(fabric: &Fabric, rng: &mut Rng, image: &mut Image, id: ComponentId) {
    match fabric.component(id) {
        Component::AddTag(c) => {
            image.set(fabric, id, FieldKind::Tag, rng.below(4.min(1 << c.tag)) as u64);
        }
        Component::MapTag(c) => {
            for i in 0..c.table_size.min(1 << c.tag_in.min(10)) {
                image.set(fabric, id, FieldKind::EntryValid(i), 1);
                image.set(fabric, id, FieldKind::EntrySource(i), i as u64);
                let target = loom_base::truncate(rng.next_u64(), c.tag_out);
                image.set(fabric, id, FieldKind::EntryTarget(i), target);
            }
        }
        Component::TemporalSw(sw) => {
            for slot in 0..sw.num_route_table.min(1 << sw.ty.tag.min(10)) {
                image.set(fabric, id, FieldKind::SlotValid(slot), 1);
                image.set(fabric, id, FieldKind::SlotTag(slot), slot as u64);
                for output in 0..sw.outputs {
                    let inputs: Vec<usize> = (0..sw.inputs).filter(|&i| sw.connectivity[output][i]).collect();
                    if rng.chance(70) {
                        let input = *rng.pick(&inputs);
                        image.set(fabric, id, FieldKind::SlotRoute { slot, output, input }, 1);
                    }
                }
            }
        }
        Component::Memory(memory) => random_regions(fabric, rng, image, id, memory),
        Component::Fifo(f) if f.is_bypassable() => {
            image.set(fabric, id, FieldKind::Bypass, rng.below(2) as u64)
        }
        _ => {}
    }
}

/// Regions side by side over the lanes, in random rows of the table; they begin at 0, and some are left out.
fn random_regions(
    fabric: &Fabric,
    rng: &mut Rng,
    image: &mut Image,
    id: ComponentId,
    memory: &MemoryInterface,
) {
    let lanes = memory.loads.max(memory.stores);
    let mut rows: Vec<usize> = (0..memory.regions).collect();
    rng.shuffle(&mut rows);
    let mut start = 0;
    while let (true, Some(row)) = (start < lanes, rows.pop()) {
        let end = if rows.is_empty() { lanes } else { start + 1 + rng.below(lanes - start) };
        for (kind, value) in [
            (FieldKind::RegionValid(row), u64::from(rng.chance(92))),
            (FieldKind::RegionStart(row), start as u64),
            (FieldKind::RegionEnd(row), end as u64),
            (FieldKind::RegionSize(row), rng.below(memory.word_size_log2() as usize + 1) as u64),
        ] {
            image.set(fabric, id, kind, value);
        }
        start = end;
    }
}
