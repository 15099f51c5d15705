// Spatial switch routed lane by lane, from hardware.md, section 3: two inputs and outputs of two lanes each. An output
// joins the inputs that feed a lane of it; each of its inputs gives it a token once. All routes are possible.
`include "common.vh"
`include "ports.vh"

module top (input clk, input rst_in, input [1:0] in_valid, input [1:0] out_ready, input [2*`W-1:0] in_data);
  `RESET
  localparam W = `W, H = `W / 2;
  (* anyconst *) wire [`CFG-1:0] cfg;
  wire [1:0] in_ready, out_valid;
  wire [2*W-1:0] out_data;
  wire [15:0] error_code;
  wire busy;
  `DUT dut (`PORTS);

  // Of output lane 2 * output + lane: a bit for each input lane, numbered alike.
  wire [3:0] from [0:3];
`define FROM(o, l, a, b, c, d) assign from[2*o+l] = {cfg[d], cfg[c], cfg[b], cfg[a]};
  `FROM(0, 0, `F_route_out0_0_in0_0_, `F_route_out0_0_in0_1_, `F_route_out0_0_in1_0_, `F_route_out0_0_in1_1_)
  `FROM(0, 1, `F_route_out0_1_in0_0_, `F_route_out0_1_in0_1_, `F_route_out0_1_in1_0_, `F_route_out0_1_in1_1_)
  `FROM(1, 0, `F_route_out1_0_in0_0_, `F_route_out1_0_in0_1_, `F_route_out1_0_in1_0_, `F_route_out1_0_in1_1_)
  `FROM(1, 1, `F_route_out1_1_in0_0_, `F_route_out1_1_in0_1_, `F_route_out1_1_in1_0_, `F_route_out1_1_in1_1_)

  // Bit i of `joins` of output o: input i feeds a lane of it. `has`: it has taken the present token of that input.
  wire [1:0] joins [0:1];
  reg [1:0] has [0:1];
  reg failed = 0;
  wire [3:0] mixed;
  wire legal = !(|mixed);
  wire [1:0] leaves = in_valid & in_ready, gives = out_valid & out_ready, lost, holds;
  always @(posedge clk) failed <= !rst & (failed | (|lost));

  genvar o, i, l;
  generate
    for (l = 0; l < 4; l = l + 1) begin : lane
      assign mixed[l] = (from[l] & (from[l] - 1)) != 0;
    end
    for (o = 0; o < 2; o = o + 1) begin : output_
      wire [3:0] any = from[2*o] | from[2*o+1];
      assign joins[o] = {|any[3:2], |any[1:0]}, holds[o] = |has[o];
      initial has[o] = 0;
      always @(posedge clk) has[o] <= rst ? 0 : (has[o] | (gives[o] ? joins[o] : 0)) & ~leaves;
      wire expected = (joins[o] != 0) & ((joins[o] & (~in_valid | has[o])) == 0);
      wire [W-1:0] data = out_data[o*W +: W], value;
      for (l = 0; l < 2; l = l + 1) begin : value_
        assign value[l*H +: H] = ({H{from[2*o+l][0]}} & in_data[0 +: H]) | ({H{from[2*o+l][1]}} & in_data[H +: H]) |
                                 ({H{from[2*o+l][2]}} & in_data[2*H +: H]) | ({H{from[2*o+l][3]}} & in_data[3*H +: H]);
      end
      check_channel #(W) channel (clk, rst, out_valid[o] & legal, out_ready[o], data);
      `PROVE(h3_joins_each_once, !legal | !out_valid[o] | expected)
      `PROVE(live_joins, !legal | !expected | out_valid[o])
      `PROVE(h3_value, !legal | !out_valid[o] | (data == value))
    end
    for (i = 0; i < 2; i = i + 1) begin : input_
      wire [1:0] to = {joins[1][i], joins[0][i]};
      wire [1:0] served = {has[1][i] | gives[1], has[0][i] | gives[0]};
      wire done = in_valid[i] & (to != 0) & ((to & ~served) == 0);
      assign lost[i] = in_valid[i] & (to == 0);
      env_channel #(W) env (clk, rst, in_valid[i], in_ready[i], in_data[i*W +: W]);
      `PROVE(h3_leaves_with_the_last_copy, !legal | !leaves[i] | done)
      `PROVE(live_leaves, !legal | failed | !done | leaves[i])
    end
  endgenerate
  `PROVE(error_code_is_right, error_code == (!legal ? 1 : failed ? 262 : 0))
  `PROVE(error_stops, !failed | !(|leaves))
  `PROVE(reset_empties, !after_rst | (!busy & (!legal | (error_code == 0))))
  `PROVE(h3_busy, !legal | (busy == |holds))
  `COVER(cover_join, legal & gives[0] & (&joins[0]) & !failed)
  `COVER(cover_waits_for_the_other, legal & (|holds) & (|gives) & !failed)
  `COVER(cover_failed, legal & failed)
endmodule
