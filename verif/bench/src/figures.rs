//! What is measured. Peers' figures are those of the predecessor's RTL (March 2026); limits are those of
//! F1 to F6 or what theory allows.

use super::area::{measure, Area};
use super::work::Mesh;
use super::Row;
use crate::throughput::{Rig, StateMachine};
use loom_adg::model::{ChannelType, FifoKind, FunctionUnit, MapTag, SpatialPe, SpatialSw, TemporalSw};
use loom_base::stall::Stalls;
use loom_base::{Diagnostic, Diagnostics, Source};
use loom_cosim::{verilate, BuildOptions, FabricModel};
use loom_dfg::{Counter, OpKind, StepOp, Type};
use loom_flow::codes::HARDWARE_ERROR;
use loom_flow::models::limits;
use loom_hdl::ir::{Design, Module};
use loom_hdl::{leaf, parts};
use loom_sim::{Case, Expect, NativeModel};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// A peer's area: gates, flip-flop bits, longest path, LUT6.
type Peer = [f64; 4];

fn median(mut list: Vec<f64>) -> f64 {
    list.sort_by(f64::total_cmp);
    list.get(list.len() / 2).copied().unwrap_or(0.0)
}

/// Modules of the peers' area table, ours beside; a state machine's core and its output buffer are separate rows.
pub fn areas() -> Result<Vec<Row>, Diagnostics> {
    let w32 = ChannelType::bits(32);
    let full = |inputs: usize, outputs: usize| vec![vec![true; inputs]; outputs];
    let switch = |n: usize| {
        parts::spatial_sw(&SpatialSw {
            inputs: vec![w32; n],
            outputs: vec![w32; n],
            connectivity: full(n, n),
            decomposable_bits: None,
        })
    };
    let temporal = parts::temporal_sw(&TemporalSw {
        ty: ChannelType::tagged(32, 4),
        inputs: 4,
        outputs: 4,
        connectivity: full(4, 4),
        num_route_table: 4,
    });
    let add = FunctionUnit::single("addi", OpKind::Addi, &[Type::I32, Type::I32], &[Type::I32]);
    let pe = parts::spatial_pe(
        &SpatialPe {
            inputs: vec![w32; 4],
            outputs: vec![w32; 4],
            fus: vec![add],
            output_buffers: false,
            immediates: 0,
        },
        32,
    );
    let table: Vec<(&str, Arc<Module>, Option<Peer>)> = vec![
        ("stream 32 core", leaf::stream(32, Counter::signed(StepOp::Add)), Some([824.0, 235.0, 65.0, 262.0])),
        (
            "stream 64 core",
            leaf::stream(64, Counter::signed(StepOp::Add)),
            Some([1581.0, 459.0, 129.0, 525.0]),
        ),
        ("gate 32 core", leaf::gate(32), Some([92.0, 77.0, 6.0, 56.0])),
        ("gate 64 core", leaf::gate(64), Some([124.0, 141.0, 6.0, 88.0])),
        ("carry 32 core", leaf::carry(32), Some([61.0, 38.0, 4.0, 41.0])),
        ("carry 64 core", leaf::carry(64), Some([93.0, 70.0, 4.0, 73.0])),
        ("invariant 32 core", leaf::invariant(32), Some([58.0, 69.0, 4.0, 42.0])),
        ("invariant 64 core", leaf::invariant(64), Some([90.0, 133.0, 4.0, 74.0])),
        ("output buffer 32 (fifo depth 2)", leaf::elastic_buffer(32, 0), Some([48.0, 70.0, 4.0, 44.0])),
        ("output buffer 64", leaf::elastic_buffer(64, 0), None),
        ("output buffer 1", leaf::elastic_buffer(1, 0), None),
        ("fifo depth 4, 32", leaf::fifo(32, 0, 4, FifoKind::Registered), Some([128.0, 139.0, 8.0, 50.0])),
        ("spatial_sw 4x4 32", switch(4), Some([1092.0, 36.0, 14.0, 219.0])),
        ("spatial_sw 8x8 32", switch(8), Some([3191.0, 138.0, 20.0, 1249.0])),
        ("temporal_sw 4x4 32 tag 4, 4 slots", temporal, Some([1836.0, 110.0, 26.0, 610.0])),
        (
            "map_tag 4 entries",
            parts::map_tag(&MapTag { width: 32, tag_in: 4, tag_out: 4, table_size: 4 }),
            Some([108.0, 37.0, 10.0, 35.0]),
        ),
        ("spatial_pe 4 in 4 out, one addi", pe, Some([945.0, 13.0, 65.0, 343.0])),
    ];
    let mut rows = Vec::new();
    for (name, module, peer) in table {
        let mut design = Design::new();
        design.add(&module);
        let Area { gates, ff_bits, path, lut6 } = measure(&design.files(), &module.name)?;
        for (k, (metric, ours)) in
            [("gates", gates), ("FF bits", ff_bits), ("longest path, gates", path), ("LUT6", lut6)]
                .into_iter()
                .enumerate()
        {
            let row = Row::new(name, metric, ours as f64);
            rows.push(match peer {
                Some(peer) => row.peer(peer[k]),
                None => row,
            });
        }
    }
    Ok(rows)
}

/// Time from TOML text to Verilog text, and its size.
pub fn generation() -> Result<Vec<Row>, Diagnostics> {
    let mut rows = Vec::new();
    for n in [2, 4, 8, 16, 32, 64] {
        let mut times = Vec::new();
        let (mut bytes, mut modules) = (0, 0);
        for _ in 0..if n > 16 { 1 } else { 5 } {
            let start = Instant::now();
            let mesh = Mesh::new(n)?;
            let files = loom_gen::elaborate(&mesh.fabric)?.files();
            times.push(start.elapsed().as_secs_f64() * 1e3);
            bytes = files.iter().map(|(_, text)| text.len()).sum();
            modules = files.len();
        }
        let name = format!("mesh {n}x{n}");
        let time = Row::new(&name, "generation, ms", median(times)).timed();
        rows.push(match n {
            8 => time.limit(50.0),
            64 => time.limit(3000.0),
            _ => time,
        });
        rows.push(Row::new(&name, "Verilog, kB", bytes as f64 / 1e3));
        rows.push(Row::new(&name, "modules", modules as f64));
    }
    Ok(rows)
}

/// H7 in Verilator: cycles from the first transfer to the last, against A*(N+1); the difference is a constant.
pub fn state_machines(cache: &Path) -> Result<Vec<Row>, Diagnostics> {
    let bench = Rig::new(cache)?;
    let activations = 5;
    let mut rows = Vec::new();
    for machine in StateMachine::ALL {
        for n in [0, 1, 2, 16, 1000] {
            let cycles = bench.cycles(machine, activations, n)?;
            rows.push(
                Row::new(
                    format!("{}, {activations} activations of N = {n}", machine.name()),
                    "cycles in Verilator, link and buffer latency included",
                    cycles as f64,
                )
                .peer((activations * machine.peer(n)) as f64)
                .limit((activations * (n + 1)) as f64),
            );
        }
    }
    Ok(rows)
}

/// Fabric cycles a second of both timed models on a long sum.
pub fn speeds(cache: &Path) -> Result<Vec<Row>, Diagnostics> {
    let mesh = Mesh::new(4)?;
    let Mesh { fabric } = &mesh;
    let text = include_str!("../../../kernels/sum/sum.dfg.mlir");
    let graph = loom_dfg::parse(&Source::new("sum.dfg.mlir", text))?;
    let configured = mesh.map(&graph, &loom_map::MapOptions::default())?;
    let built = verilate(fabric, BuildOptions { trace: false, optimise: true }, cache)?;
    let mut rows = Vec::new();
    for (name, n, reference, is_limit) in
        [("native model on mesh-4x4", 1_000_000, 1e6, true), ("Verilator on mesh-4x4", 20_000, 40e3, false)]
    {
        let case = Case {
            description: String::new(),
            inputs: vec![vec![0], vec![1], vec![n], vec![0]],
            expect: vec![Expect::Any; graph.outputs.len()],
            memory: Vec::new(),
            expect_memory: Vec::new(),
            stalls: Stalls::NONE,
            axi: Default::default(),
            max_cycles: 10_000_000,
            max_steps: 100_000_000,
            schedules: 1,
            gate: None,
        };
        let mut runs = configured.simulate(&case)?;
        let mut model = NativeModel::new(fabric, &configured.image)
            .map_err(|e| vec![Diagnostic::error(HARDWARE_ERROR, e.to_string())])?;
        let start = Instant::now();
        let mut cycles = model.run(&runs.stimulus, &Stalls::NONE, &limits(&case)).cycles;
        let mut time = start.elapsed().as_secs_f64();
        if !is_limit {
            let start = Instant::now();
            let mut model = FabricModel::new(&built, fabric.ports());
            configured.cosimulate(&case, &mut runs, &mut model)?;
            time = start.elapsed().as_secs_f64();
            cycles = runs.verilog.as_ref().map_or(0, |v| v.cycles);
        }
        let row = Row::new(name, "cycles a second", cycles as f64 / time).timed();
        rows.push(if is_limit { row.limit(reference) } else { row.peer(reference) });
    }
    Ok(rows)
}
