//! Faults planted on purpose: what the hardware of the original got wrong, put into our modules one at a time.
//!
//! A fault is an edit of the printed Verilog of one module. A proof that still passes is too weak; so is a
//! co-simulation that still agrees.

use super::cosim::{simulate, ProvedKernel};
use super::entry::Entry;
use super::prove::{prove, Edit, Proof, ProofOptions};
use loom_base::Diagnostics;
use std::path::Path;

/// A mistake and the entry that must notice it.
#[derive(Clone, Debug)]
pub struct PlantedFault {
    /// What is wrong, for people.
    pub what: &'static str,
    /// [`Entry::name`] of the entry.
    pub entry: &'static str,
    /// What must notice it in co-simulation. The edits fit the modules of the kernel's fabric too.
    pub kernel: Option<ProvedKernel>,
    /// The edits.
    pub edits: &'static [Edit],
}

/// A fault and what came of it.
#[derive(Clone, Debug)]
pub struct Caught {
    /// The fault.
    pub fault: PlantedFault,
    /// The proof of the module with the fault.
    pub proof: Proof,
    /// What co-simulation of the fabric with the fault noticed first.
    pub difference: Option<String>,
}

impl Caught {
    /// Whether the proof failed, as it must, and co-simulation too.
    pub fn noticed(&self) -> bool {
        self.proof.refuted() && (self.fault.kernel.is_none() || self.difference.is_some())
    }
}

macro_rules! kernel {
    ($fabric:literal, $graph:literal, $case:literal) => {
        ProvedKernel {
            fabric: include_str!(concat!("../formal/faults/", $fabric)),
            graph: include_str!(concat!("../formal/faults/", $graph)),
            case: include_str!(concat!("../formal/faults/", $case)),
        }
    };
}

const GATE: ProvedKernel = kernel!("state.toml", "../../../../kernels/gate/gate.dfg.mlir", "gate.toml");
const STREAM: ProvedKernel = kernel!(
    "state.toml",
    "../../../../kernels/stream/stream.dfg.mlir",
    "../../../../kernels/stream/stalls.toml"
);
const RANGE: ProvedKernel = kernel!(
    "state.toml",
    "../../../../kernels/stream/stream.dfg.mlir",
    "../../../../kernels/stream/range.toml"
);
const DOWN: ProvedKernel = kernel!("state.toml", "down.dfg.mlir", "down.toml");
const COPIES: ProvedKernel = kernel!("switch.toml", "copies.dfg.mlir", "copies.toml");
const MUX: ProvedKernel = kernel!("units.toml", "mux.dfg.mlir", "mux.toml");
const EQUAL: ProvedKernel = kernel!("units.toml", "equal.dfg.mlir", "equal.toml");
const DIFFERENCE: ProvedKernel = kernel!("body_mux.toml", "difference.dfg.mlir", "difference.toml");
const SUM: ProvedKernel = kernel!("units.toml", "sum.dfg.mlir", "sum.toml");
const ACCESS: ProvedKernel = kernel!("memory.toml", "access.dfg.mlir", "access.toml");
const PAIR: ProvedKernel = kernel!("lanes.toml", "pair.dfg.mlir", "pair.toml");
const FULL_LANE: ProvedKernel = kernel!("lanes.toml", "pair.dfg.mlir", "full_lane.toml");

/// All of them.
pub const FAULTS: &[PlantedFault] = &[
    PlantedFault {
        what: "gate offers a value again while its condition waits",
        entry: "gate w8",
        kernel: Some(GATE),
        edits: &[(
            "loom_gate_control",
            "assign o_value_push = all & cond_bit;",
            "assign o_value_push = value_valid & cond_valid & cond_bit & o_value_room;",
        )],
    },
    PlantedFault {
        what: "gate offers a condition again while its value waits",
        entry: "gate w8",
        kernel: Some(GATE),
        edits: &[(
            "loom_gate_control",
            "assign o_cond_push = all & body_q;",
            "assign o_cond_push = value_valid & cond_valid & body_q & o_cond_room;",
        )],
    },
    PlantedFault {
        what: "stream offers an index again while its condition waits",
        entry: "stream `+=`, w8",
        kernel: Some(STREAM),
        edits: &[(
            "loom_stream_add_w",
            "assign o_idx_push = push;",
            "assign o_idx_push = busy & o_idx_room;",
        )],
    },
    PlantedFault {
        what: "stream offers a condition again while its index waits",
        entry: "stream `+=`, w8",
        kernel: Some(STREAM),
        edits: &[(
            "loom_stream_add_w",
            "assign o_cont_push = push;",
            "assign o_cont_push = busy & o_cont_room;",
        )],
    },
    PlantedFault {
        what: "an output of a fork that has its copy stays valid",
        entry: "fork 1 to 3, w8",
        kernel: None,
        edits: &[(
            "loom_eager_fork_n3_w8",
            "assign out1_valid = in_valid & ~done1_q;",
            "assign out1_valid = in_valid;",
        )],
    },
    PlantedFault {
        what: "an immediate is there while no token waits",
        entry: "spatial_pe invariant, an immediate, w8",
        kernel: None,
        edits: &[(
            "loom_spatial_pe_",
            "wire token_waits = mux0_token | mux1_token;",
            "wire token_waits = 1'b1;",
        )],
    },
    PlantedFault {
        what: "`step_op` ignored: `-=` adds",
        entry: "stream `-=`, w8",
        kernel: Some(DOWN),
        edits: &[("loom_stream_sub_w", "= idx_q - step_q;", "= idx_q + step_q;")],
    },
    PlantedFault {
        what: "`<=` against the largest integer never ends",
        entry: "stream `+=`, w8",
        kernel: Some(RANGE),
        edits: &[("loom_stream_add_w", " & ~overflow_q;", ";")],
    },
    PlantedFault {
        what: "an output of a switch that has its copy stays valid",
        entry: "spatial_sw 2 by 2, w8",
        kernel: Some(COPIES),
        edits: &[(
            "loom_spatial_sw_2x2_w",
            "(route_o0_i1 & in1_valid)) & ~done_o0_q;",
            "(route_o0_i1 & in1_valid));",
        )],
    },
    PlantedFault {
        what: "a switch reads its configuration by another layout",
        entry: "spatial_sw 2 by 2, w8",
        kernel: Some(COPIES),
        edits: &[
            ("loom_spatial_sw_2x2_w", "wire route_o0_i1 = cfg[1];", "wire route_o0_i1 = cfg[2];"),
            ("loom_spatial_sw_2x2_w", "wire route_o1_i0 = cfg[2];", "wire route_o1_i0 = cfg[1];"),
        ],
    },
    PlantedFault {
        what: "data of a temporal switch changes while it waits",
        entry: "temporal_sw 2 by 2, 2 slots, w8, tag 2",
        kernel: None,
        edits: &[
            ("loom_temporal_sw_2x", "lock_o0_q <= ~out0_ready;", "lock_o0_q <= 1'b0;"),
            (
                "loom_temporal_sw_2x",
                "pointer_o0_q <= out0_ready ? grant_o0_i0 : grant_o0_i1;",
                "pointer_o0_q <= grant_o0_i0;",
            ),
        ],
    },
    PlantedFault {
        what: "a mux never takes its selector",
        entry: "spatial_pe mux, w8",
        kernel: Some(MUX),
        edits: &[("loom_fu_mux_n2_w", "assign in0_ready = fire;", "assign in0_ready = 1'b0;")],
    },
    PlantedFault {
        what: "a load waits for data before it sends the address",
        entry: "spatial_pe access, w8",
        kernel: Some(ACCESS),
        edits: &[(
            "loom_fu_load_w",
            "assign out1_valid = in0_valid & in2_valid;",
            "assign out1_valid = in0_valid & in1_valid & in2_valid;",
        )],
    },
    PlantedFault {
        what: "a comparison at the width of its result",
        entry: "spatial_pe cmpi, w8",
        kernel: Some(EQUAL),
        edits: &[(
            "loom_fu_cmpi_w",
            "wire equal = in0_data == in1_data;",
            "wire equal = in0_data[0] == in1_data[0];",
        )],
    },
    PlantedFault {
        what: "a body takes a token that its muxes leave out",
        entry: "spatial_pe body_mux, w8",
        kernel: None,
        edits: &[(
            "loom_fu_sum_or_difference_",
            "assign in2_ready = fire & in2_needed;",
            "assign in2_ready = fire;",
        )],
    },
    PlantedFault {
        what: "a body waits for a token that its muxes leave out",
        entry: "spatial_pe body_mux, w8",
        kernel: Some(DIFFERENCE),
        edits: &[("loom_fu_sum_or_difference_", "(in2_valid | ~in2_needed)", "in2_valid")],
    },
    PlantedFault {
        what: "AXI valid withdrawn before ready",
        entry: "extmemory a load and a store lane, w8",
        kernel: Some(ACCESS),
        edits: &[(
            "loom_extmemory_l1_s1_q2_w",
            "assign axi_arvalid = ar_full_q | load_taken;",
            "assign axi_arvalid = load_taken;",
        )],
    },
    PlantedFault {
        what: "AXI data changes while it waits",
        entry: "extmemory a load and a store lane, w32",
        kernel: Some(ACCESS),
        edits: &[(
            "loom_extmemory_l1_s1_q2_w",
            "assign axi_wdata = w_full_q ? w_data_q : store_word;",
            "assign axi_wdata = store_word;",
        )],
    },
    PlantedFault {
        what: "a read carries the ID of another lane",
        entry: "extmemory two load and two store lanes with ports of their own, two regions, w8",
        kernel: Some(PAIR),
        edits: &[(
            "loom_extmemory_l2_s",
            "assign axi_arid = ar_full_q ? ar_id_q : load_index;",
            "assign axi_arid = ar_full_q ? ar_id_q : (load_index ^ 1'b1);",
        )],
    },
    PlantedFault {
        what: "a lane's address is looked up in another region",
        entry: "extmemory two load and two store lanes with ports of their own, two regions, w8",
        kernel: Some(PAIR),
        edits: &[(
            "loom_extmemory_l2_s",
            "({32{load_in1}} & region1_offset)",
            "({32{load_in1}} & region0_offset)",
        )],
    },
    PlantedFault {
        what: "a token that waits at a shared port changes its tag",
        entry: "extmemory two load and two store lanes, two regions, w8",
        kernel: None,
        edits: &[(
            "loom_extmemory_l2_s",
            "ld_data_pointer_q <= ld_data_ready ? ",
            "ld_data_pointer_q <= 1'b1 ? ",
        )],
    },
    PlantedFault {
        what: "a lane that nobody takes answers from keeps another waiting",
        entry: "extmemory two load and two store lanes with ports of their own, two regions, w8",
        kernel: Some(FULL_LANE),
        edits: &[(
            "loom_extmemory_l2_s",
            "wire load_taken = load_valid &",
            "wire load_taken = load_valid & ~(ld_addr0_valid & (ld_data_owed0_q == 2'd2)) &",
        )],
    },
    PlantedFault {
        what: "an answer leaves at another lane's port",
        entry: "extmemory two load and two store lanes with ports of their own, two regions, w8",
        kernel: Some(PAIR),
        edits: &[
            (
                "loom_extmemory_l2_s",
                "wire ld_data0_arrives = load_arrives & (axi_rid == 1'b0);",
                "wire ld_data0_arrives = load_arrives & (axi_rid == 1'b1);",
            ),
            (
                "loom_extmemory_l2_s",
                "wire ld_data1_arrives = load_arrives & (axi_rid == 1'b1);",
                "wire ld_data1_arrives = load_arrives & (axi_rid == 1'b0);",
            ),
        ],
    },
    PlantedFault {
        what: "a pipelined unit fires again too early",
        entry: "spatial_pe addi, latency 2, interval 3, w8",
        kernel: Some(SUM),
        edits: &[("loom_fu_", "counter_q <= fire ? 2'd2", "counter_q <= fire ? 2'd1")],
    },
    PlantedFault {
        what: "configuration only once after a reset",
        entry: "config_loader 1 words, 1 slices, depth 1",
        kernel: Some(GATE),
        edits: &[(
            "loom_config_loader_n",
            "assign cfg_ready = loading | failed | (running & idle & ~error_valid & ~any_input_valid);",
            "assign cfg_ready = loading | failed;",
        )],
    },
];

/// Plants a fault and runs proof and co-simulation; `cache` holds verilated fabrics. Panics when the table has no such entry: a
/// mistake in [`FAULTS`].
pub fn plant(
    fault: &PlantedFault,
    entries: &[Entry],
    options: &ProofOptions,
    cache: &Path,
) -> Result<Caught, Diagnostics> {
    let proof = refute(fault, entries, options)?;
    let noticed = fault.kernel.map(|kernel| simulate(&kernel, fault.edits, cache)).transpose()?;
    // That a run does not end says least, and comes first.
    let says_more = |p: &&String| !p.contains("not complete");
    let difference = noticed.and_then(|n| n.iter().find(says_more).or(n.first()).cloned());
    Ok(Caught { fault: fault.clone(), proof, difference })
}

/// Plants a fault and runs the proof. Panics when the table has no such entry.
pub fn refute(fault: &PlantedFault, entries: &[Entry], options: &ProofOptions) -> Result<Proof, Diagnostics> {
    let entry = entries.iter().find(|e| e.name() == fault.entry);
    let entry = entry.unwrap_or_else(|| panic!("no entry `{}`", fault.entry));
    let options = ProofOptions { out: options.out.join("faults"), ..options.clone() };
    prove(entry, &options, fault.edits)
}
