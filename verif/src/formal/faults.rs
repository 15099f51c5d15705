//! Faults planted on purpose: what the hardware of the original got wrong, put into our modules one at a time.
//!
//! A fault is an edit of the printed Verilog of one module. A proof that still passes is too weak.

use super::prove::{prove, Edit, Options, Outcome, Proof};
use super::table::Entry;
use loom_base::Diagnostics;

/// A mistake and the entry that must notice it.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What is wrong, for people.
    pub what: &'static str,
    /// [`Entry::name`] of the entry.
    pub entry: &'static str,
    /// The edits.
    pub edits: &'static [Edit],
}

/// A fault and what came of it.
#[derive(Clone, Debug)]
pub struct Caught {
    /// The fault.
    pub fault: Fault,
    /// The proof of the module with the fault.
    pub proof: Proof,
}

impl Caught {
    /// Whether the proof failed, as it must.
    pub fn noticed(&self) -> bool {
        matches!(self.proof.outcome, Outcome::Violated { .. } | Outcome::Path(_))
    }
}

/// All of them.
pub const FAULTS: &[Fault] = &[
    Fault {
        what: "gate offers a value again while its condition waits",
        entry: "gate w8",
        edits: &[(
            "loom_gate_control",
            "assign o_value_push = all & cond_bit;",
            "assign o_value_push = value_valid & cond_valid & cond_bit & o_value_room;",
        )],
    },
    Fault {
        what: "gate offers a condition again while its value waits",
        entry: "gate w8",
        edits: &[(
            "loom_gate_control",
            "assign o_cond_push = all & body_q;",
            "assign o_cond_push = value_valid & cond_valid & body_q & o_cond_room;",
        )],
    },
    Fault {
        what: "stream offers an index again while its condition waits",
        entry: "stream `+=`, w8",
        edits: &[(
            "loom_stream_add_w8",
            "assign o_idx_push = push;",
            "assign o_idx_push = busy & o_idx_room;",
        )],
    },
    Fault {
        what: "stream offers a condition again while its index waits",
        entry: "stream `+=`, w8",
        edits: &[(
            "loom_stream_add_w8",
            "assign o_cont_push = push;",
            "assign o_cont_push = busy & o_cont_room;",
        )],
    },
    Fault {
        what: "an output of a fork that has its copy stays valid",
        entry: "fork 1 to 3, w8",
        edits: &[(
            "loom_eager_fork_n3_w8",
            "assign out1_valid = in_valid & (~done1_q);",
            "assign out1_valid = in_valid;",
        )],
    },
    Fault {
        what: "`step_op` ignored: `-=` adds",
        entry: "stream `-=`, w8",
        edits: &[("loom_stream_sub_w8", "= idx_q - step_q;", "= idx_q + step_q;")],
    },
    Fault {
        what: "`<=` against the largest integer never ends",
        entry: "stream `+=`, w8",
        edits: &[("loom_stream_add_w8", " & (~overflow_q);", ";")],
    },
    Fault {
        what: "an output of a switch that has its copy stays valid",
        entry: "spatial_sw 2 by 2, w8",
        edits: &[(
            "loom_spatial_sw_2x2_w8",
            "(route_o0_i1 & in1_valid)) & (~done_o0_q);",
            "(route_o0_i1 & in1_valid));",
        )],
    },
    Fault {
        what: "a switch reads its configuration by another layout",
        entry: "spatial_sw 2 by 2, w8",
        edits: &[
            ("loom_spatial_sw_2x2_w8", "wire route_o0_i1 = cfg[1];", "wire route_o0_i1 = cfg[2];"),
            ("loom_spatial_sw_2x2_w8", "wire route_o1_i0 = cfg[2];", "wire route_o1_i0 = cfg[1];"),
        ],
    },
    Fault {
        what: "data of a temporal switch changes while it waits",
        entry: "temporal_sw 2 by 2, 2 slots, w8, tag 2",
        edits: &[
            ("loom_temporal_sw_2x2_w8_t2_s2", "lock_o0_q <= ~out0_ready;", "lock_o0_q <= 1'b0;"),
            (
                "loom_temporal_sw_2x2_w8_t2_s2",
                "pointer_o0_q <= out0_ready ? grant_o0_i0 : grant_o0_i1;",
                "pointer_o0_q <= grant_o0_i0;",
            ),
        ],
    },
    Fault {
        what: "a mux never takes its selector",
        entry: "spatial_pe mux, w8",
        edits: &[("loom_fu_mux_n2_w1_8", "assign in0_ready = fire;", "assign in0_ready = 1'b0;")],
    },
    Fault {
        what: "a load waits for data before it sends the address",
        entry: "spatial_pe access, w8",
        edits: &[(
            "loom_fu_load_w8_0_8",
            "assign out1_valid = in0_valid & in2_valid;",
            "assign out1_valid = in0_valid & in1_valid & in2_valid;",
        )],
    },
    Fault {
        what: "a comparison at the width of its result",
        entry: "spatial_pe cmpi, w8",
        edits: &[(
            "loom_fu_cmpi_w8_1",
            "wire equal = in0_data == in1_data;",
            "wire equal = in0_data[0] == in1_data[0];",
        )],
    },
    Fault {
        what: "AXI valid withdrawn before ready",
        entry: "extmemory a load and a store lane, w8",
        edits: &[(
            "loom_extmemory_l1_s1_q2_w8_a8_r1",
            "assign axi_arvalid = ar_full_q | load_taken;",
            "assign axi_arvalid = load_taken;",
        )],
    },
    // Bytes without a strobe may be anything, but what is shown must stay: only H2 can notice.
    Fault {
        what: "AXI data changes while it waits",
        entry: "extmemory a load and a store lane, w32",
        edits: &[(
            "loom_extmemory_l1_s1_q2_w32_a8_r1",
            "assign axi_wdata = w_full_q ? w_data_q : store_word;",
            "assign axi_wdata = w_full_q ? (w_data_q & {{8{w_strb_q[3]}}, {8{w_strb_q[2]}}, {8{w_strb_q[1]}}, {8{w_strb_q[0]}}}) : store_word;",
        )],
    },
    Fault {
        what: "a pipelined unit fires again too early",
        entry: "spatial_pe addi, latency 2, interval 3, w8",
        edits: &[("loom_fu_addi_w8_l2_i3", "counter_q <= fire ? 2'd2", "counter_q <= fire ? 2'd1")],
    },
    Fault {
        what: "configuration only once after a reset",
        entry: "config_loader 1 words, 1 slices, depth 1",
        edits: &[(
            "loom_config_loader_n1_s1_d1",
            "assign cfg_ready = loading | (failed | ((running & idle) & ((~error_valid) & (~any_input_valid))));",
            "assign cfg_ready = loading | failed;",
        )],
    },
];

/// Plants a fault and runs the proof. Panics when the table has no such entry: a mistake in [`FAULTS`].
pub fn plant(fault: &Fault, entries: &[Entry], options: &Options) -> Result<Caught, Diagnostics> {
    let entry = entries.iter().find(|e| e.name() == fault.entry);
    let entry = entry.unwrap_or_else(|| panic!("no entry `{}`", fault.entry));
    let options = Options { out: options.out.join("faults"), ..options.clone() };
    Ok(Caught { fault: fault.clone(), proof: prove(entry, &options, fault.edits)? })
}
