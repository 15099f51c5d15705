// Spatial switch, from H4 and hardware.md, section 3: an output takes the tokens of the one input it is routed to; each
// output takes its copy when it is ready, once; a token leaves with its last copy. All routes are possible.
`include "common.vh"
`include "ports.vh"

module top (input clk, input rst_in, input [`I-1:0] in_valid, input [`O-1:0] out_ready,
            input [`I*`WIDTH-1:0] in_data);
  `RESET
  (* anyconst *) wire [`CFG-1:0] cfg;
  wire [`I-1:0] in_ready;
  wire [`O-1:0] out_valid;
  wire [`O*`WIDTH-1:0] out_data;
  wire [15:0] error_code;
  wire busy;
`ifndef DATA
  assign out_data = 0;
`endif
  `DUT dut (`PORTS);

  wire [`O*`I-1:0] route;
`define ROUTE(o, i, field) assign route[o*`I + i] = cfg[field];
  `ROUTE(0, 0, `F_route_out0_in0)
  `ROUTE(0, 1, `F_route_out0_in1)
  `ROUTE(1, 0, `F_route_out1_in0)
  `ROUTE(1, 1, `F_route_out1_in1)
`ifdef F_route_out2_in0
  `ROUTE(2, 0, `F_route_out2_in0)
  `ROUTE(2, 1, `F_route_out2_in1)
`endif

  // Which outputs have a copy of the present token of their input.
  reg [`O-1:0] has = 0;
  reg failed = 0;
  wire [`O-1:0] mixed, offered, gone;
  wire [`I-1:0] lost;
  wire [`O-1:0] takes = out_valid & out_ready;
  wire [`I-1:0] leaves = in_valid & in_ready;
  wire legal = !(|mixed);
  always @(posedge clk)
    if (rst) begin
      has <= 0;
      failed <= 0;
    end else begin
      has <= (has | takes) & ~gone;
      failed <= failed | (|lost);
    end

  genvar o, i;
  generate
    for (o = 0; o < `O; o = o + 1) begin : output_
      wire [`I-1:0] from = route[o*`I +: `I];
      assign mixed[o] = (from & (from - 1)) != 0;
      assign offered[o] = |(from & in_valid);
      assign gone[o] = |(from & leaves);
      wire [`WIDTH-1:0] data = out_data[o*`WIDTH +: `WIDTH];
      check_channel #(`WIDTH) channel (clk, rst, out_valid[o] & legal, out_ready[o], data);
      `PROVE(h3_copy_once, !legal | !out_valid[o] | (offered[o] & !has[o]))
      `PROVE(live_offered_at_once, !legal | !(offered[o] & !has[o]) | out_valid[o])
`ifdef DATA
      for (i = 0; i < `I; i = i + 1) begin : value
        `PROVE(h3_value, !legal | !out_valid[o] | !from[i] | (data == in_data[i*`WIDTH +: `WIDTH]))
      end
`endif
    end
    for (i = 0; i < `I; i = i + 1) begin : input_
      wire [`O-1:0] to, waits;
      for (o = 0; o < `O; o = o + 1) begin : copy
        assign to[o] = route[o*`I + i];
        assign waits[o] = to[o] & !has[o];
      end
      assign lost[i] = in_valid[i] & !(|to);
      env_channel #(`WIDTH) env (clk, rst, in_valid[i], in_ready[i], in_data[i*`WIDTH +: `WIDTH]);
      `PROVE(h3_leaves_with_the_last_copy, !legal | !leaves[i] | ((|to) & !(|(waits & ~takes))))
      `PROVE(live_leaves, !legal | failed | !(in_valid[i] & (|to) & !(|(waits & ~out_ready))) | leaves[i])
      // Progress to the end: the token is gone when each of its outputs was ready once since it came.
      reg [`O-1:0] ready_once = 0;
      always @(posedge clk) ready_once <= rst | leaves[i] | !in_valid[i] ? 0 : ready_once | out_ready;
      `PROVE(live_gone, !legal | failed | !(in_valid[i] & (|to) & !(|(to & ~(ready_once | out_ready)))) | leaves[i])
      `PROVE(lemma_ready_once, !legal | ((ready_once & to & ~has) == 0))
    end
  endgenerate
  `PROVE(error_code_is_right, error_code == (!legal ? 1 : failed ? 262 : 0))
  `PROVE(error_stops, !failed | !(|leaves))
  `PROVE(reset_empties, !after_rst | (!busy & (!legal | (error_code == 0))))
  `PROVE(h3_busy, !legal | (busy == |has))
  `COVER(cover_fork, legal & (|leaves) & (|has) & !failed)
  `COVER(cover_two_at_once, legal & (&leaves[1:0]))
  `COVER(cover_failed, legal & failed)
endmodule
