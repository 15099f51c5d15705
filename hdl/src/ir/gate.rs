//! Registers behind a clock gate: what the printer writes of them for standard cells.
//!
//! A bit of configuration changes when an image is loaded; the rest of the time a mux in front of its flip-flop has it keep its value.
//! Behind a clock gate it needs neither mux nor reset, which is two fifths of its area. FPGAs have an enable in each flip-flop, and
//! gates are none of theirs. So the text has both, and who reads it decides.

use super::module::Module;

/// The macro with which Verilog is read where clocks are gated.
pub const CLOCK_GATES: &str = "LOOM_CLOCK_GATES";

/// The module of a clock gate, which users replace by a cell of their library.
pub const GATE_MODULE: &str = "loom_clock_gate";

/// Its text: a model of such a cell, a latch that is open while the clock is low and an AND. Nothing where no clock is gated.
pub fn gate_text() -> String {
    format!(
        "// Clock gate, for configuration where the Verilog is read with {CLOCK_GATES}: `gated_clk` is high with `clk`\n\
         // in those cycles at whose beginning `enable` is. To be replaced by the cell that the library has for it.\n\
         `default_nettype none\n\n\
         `ifdef {CLOCK_GATES}\n\
         module {GATE_MODULE} (\n  input  wire clk,\n  input  wire enable,\n  output wire gated_clk\n);\n\
         \x20 reg enable_q;\n\
         \x20 // Open while the clock is low, so that nothing that happens to `enable` while it is high shortens a pulse.\n\
         \x20 always @(clk or enable) if (!clk) enable_q = enable;\n\
         \x20 assign gated_clk = clk & enable_q;\n\
         endmodule\n\
         `endif\n\n`default_nettype wire\n"
    )
}

impl Module {
    /// Whether its registers stand behind a gate ([`Module::reg_gated`]).
    pub fn is_gated(&self) -> bool {
        self.regs.iter().any(|r| r.gated)
    }
}
