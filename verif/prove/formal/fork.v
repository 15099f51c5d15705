// Eager fork, from H4: each output takes its copy of a token when it is ready, once; the token leaves with the last.
`include "common.vh"

module top (input clk, input rst_in, input in_valid, input [`N-1:0] out_ready, input [`WIDTH-1:0] in_data);
  `RESET
  wire in_ready, busy;
  wire [`N-1:0] out_valid;
  wire [`N*`WIDTH-1:0] out_data;
`ifndef DATA
  assign out_data = 0;
`endif
  `DUT dut (.clk(clk), .rst_n(rst_n), .in_valid(in_valid), `PORT(in_data, in_data) .in_ready(in_ready),
    .out0_valid(out_valid[0]), `PORT(out0_data, out_data[0*`WIDTH +: `WIDTH]) .out0_ready(out_ready[0]),
    .out1_valid(out_valid[1]), `PORT(out1_data, out_data[1*`WIDTH +: `WIDTH]) .out1_ready(out_ready[1]),
`ifdef THREE
    .out2_valid(out_valid[2]), `PORT(out2_data, out_data[2*`WIDTH +: `WIDTH]) .out2_ready(out_ready[2]),
`endif
    .busy(busy));
  env_channel #(`WIDTH) env_in (clk, rst, in_valid, in_ready, in_data);

  // Which outputs have the present token.
  reg [`N-1:0] has = 0;
  wire [`N-1:0] takes = out_valid & out_ready;
  wire leaves = in_valid & in_ready;
  always @(posedge clk) has <= rst | leaves ? 0 : has | takes;

  genvar k;
  generate
    for (k = 0; k < `N; k = k + 1) begin : output_
      check_channel #(`WIDTH) channel (clk, rst, out_valid[k], out_ready[k], out_data[k*`WIDTH +: `WIDTH]);
      `PROVE(h3_copy_once, !out_valid[k] | (in_valid & !has[k]))
`ifdef DATA
      `PROVE(h3_value, !out_valid[k] | (out_data[k*`WIDTH +: `WIDTH] == in_data))
`endif
      `PROVE(live_offered_at_once, !(in_valid & !has[k]) | out_valid[k])
      `COVER(cover_early, takes[k] & !leaves)
    end
  endgenerate
  `PROVE(h3_leaves_with_the_last_copy, !leaves | (&(has | takes)))
  `PROVE(live_leaves, !(in_valid & (&(has | out_ready))) | leaves)
  // Progress to the end: the token is gone when every output was ready once since it came.
  reg [`N-1:0] ready_once = 0;
  always @(posedge clk) ready_once <= rst | leaves | !in_valid ? 0 : ready_once | out_ready;
  `PROVE(live_gone, !(in_valid & (&(ready_once | out_ready))) | leaves)
  `PROVE(lemma_ready_once, (ready_once & ~has) == 0)
  `PROVE(reset_empties, !after_rst | !busy)
  `PROVE(h3_busy, busy == |has)
  `COVER(cover_after_early, leaves & |has)
endmodule
