// Buffers, from hardware.md, section 1: a queue of `DEPTH` tokens of data and tag whose ready and valid come from
// registers; the elastic buffer is depth 2. With `FALLS` a token that meets it empty is offered at once. With `BYPASS` a configuration bit turns it into a wire, and may change
// while nothing is inside or offered.
`include "common.vh"
`ifdef TAG
`define TAGGED(port, net) .port(net),
`define ALL (`WIDTH + `TAG)
`else
`define TAGGED(port, net)
`define ALL `WIDTH
`endif

module top (input clk, input rst_in, input in_valid, input out_ready, input [`ALL-1:0] payload, input bypass_in);
  `RESET
  wire in_ready, out_valid, busy;
  wire [`ALL-1:0] out;
`ifdef DATA
  wire [`ALL-1:0] in = payload;
`else
  // No data to compare: tokens are counted.
  wire [`ALL-1:0] in = 0;
  assign out = 0;
`endif
`ifdef BYPASS
  wire bypass = bypass_in;
  reg bypass_before, idle_before = 1;
  always @(posedge clk) begin
    bypass_before <= bypass;
    idle_before <= rst | (!busy & !in_valid);
  end
  always @* assume (idle_before | (bypass == bypass_before));
`else
  wire bypass = 0;
`endif
  `DUT dut (.clk(clk), .rst_n(rst_n),
`ifdef BYPASS
    .bypass(bypass),
`endif
    .in_valid(in_valid), `PORT(in_data, in[`WIDTH-1:0]) `TAGGED(in_tag, in[`ALL-1:`WIDTH]) .in_ready(in_ready),
    .out_valid(out_valid), `PORT(out_data, out[`WIDTH-1:0]) `TAGGED(out_tag, out[`ALL-1:`WIDTH])
    .out_ready(out_ready), .busy(busy));
  env_channel #(`ALL) env_in (clk, rst, in_valid, in_ready, in);
  check_channel #(`ALL) out_channel (clk, rst, out_valid, out_ready, out);

  wire [7:0] count;
`ifdef FALLS
  // What leaves in the cycle in which it comes is never inside.
  wire falls = count == 0;
`else
  wire falls = 0;
`endif
  check_queue #(`ALL, `DEPTH) queue (clk, rst, in_valid & in_ready & !bypass & !(falls & out_ready), in,
    out_valid & !bypass & !falls, out_valid & out_ready & !bypass & !falls, out, count);
  `PROVE(live_accepts_when_not_full, bypass | (in_ready == (count < `DEPTH)))
  `PROVE(live_offers_when_not_empty, bypass | (out_valid == ((count != 0) | (falls & in_valid))))
  `PROVE(reset_empties, !after_rst | bypass | (in_ready & (!out_valid | falls)))
  `PROVE(reset_idle, !after_rst | !busy)
  `PROVE(h3_busy, busy == (count != 0))
`ifdef FALLS
  `PROVE(h3_falls, !falls | !out_valid | (in_valid & in_ready & (out == in)))
  `COVER(cover_fallen, falls & in_valid & out_ready)
`endif
`ifdef BYPASS
  `PROVE(h3_wire, !bypass | ((out_valid == in_valid) & (in_ready == out_ready) & (!out_valid | (out == in))))
  `PROVE(lemma_bypassed_is_empty, !bypass | (count == 0))
  `COVER(cover_bypassed, bypass & in_valid & out_ready)
  reg moved = 0;
  always @(posedge clk) moved <= !rst & (moved | (in_valid & in_ready & !bypass));
  `COVER(cover_changed, moved & bypass)
`endif
endmodule
