// SPDX-License-Identifier: Apache-2.0
// The clock gate of the generated Verilog in cells of osu018, which has none of its own (`loom ppa --clock-gate`). A flip-flop
// of the falling edge stands in the place of the latch: the library says of its latch that it has no area.
module loom_clock_gate (
  input  wire clk,
  input  wire enable,
  output wire gated_clk
);
  wire open;
  DFFNEGX1 hold (.CLK(clk), .D(enable), .Q(open));
  AND2X2 pulse (.A(clk), .B(open), .Y(gated_clk));
endmodule
