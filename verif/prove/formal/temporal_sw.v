// Temporal switch, from hardware.md, section 4: a token takes the routes of the slot that has its tag. Outputs choose
// among inputs round robin; what waits is not changed. Each output takes its copy once; all configurations are possible.
`include "common.vh"
`include "ports.vh"

module top (input clk, input rst_in, input [1:0] in_valid, input [1:0] out_ready, input [2*`WIDTH-1:0] in_data,
            input [2*`TAG-1:0] in_tag);
  `RESET
  (* anyconst *) wire [`CFG-1:0] cfg;
  wire [1:0] in_ready, out_valid;
  wire [2*`WIDTH-1:0] out_data;
  wire [2*`TAG-1:0] out_tag;
  wire [15:0] error_code;
  wire busy;
`ifndef DATA
  assign out_data = 0;
`endif
  `DUT dut (`PORTS);

  // Two slots; route bit 2*o + i.
  wire v0 = cfg[`F_slot0_valid], v1 = cfg[`F_slot1_valid];
  wire [`TAG-1:0] t0 = cfg[`F_slot0_tag +: `TAG], t1 = cfg[`F_slot1_tag +: `TAG];
  wire [3:0] r0 = {cfg[`F_slot0_route_out1_in1], cfg[`F_slot0_route_out1_in0],
                   cfg[`F_slot0_route_out0_in1], cfg[`F_slot0_route_out0_in0]};
  wire [3:0] r1 = {cfg[`F_slot1_route_out1_in1], cfg[`F_slot1_route_out1_in0],
                   cfg[`F_slot1_route_out0_in1], cfg[`F_slot1_route_out0_in0]};
  wire mix0 = v0 & ((&r0[1:0]) | (&r0[3:2])), mix1 = v1 & ((&r1[1:0]) | (&r1[3:2]));
  wire twice = v0 & v1 & (t0 == t1);
  wire legal = !mix0 & !mix1 & !twice;

  reg [3:0] has = 0;
  reg no_match = 0, no_route = 0;
  wire failed = no_match | no_route;
  wire [1:0] missed, unrouted, leaves = in_valid & in_ready, takes = out_valid & out_ready;
  wire [3:0] want, request, fires;
  reg [1:0] first = 0, locked = 0;
  wire [1:0] grant;
  always @(posedge clk)
    if (rst) begin
      has <= 0;
      no_match <= 0;
      no_route <= 0;
      first <= 0;
      locked <= 0;
    end else begin
      has <= (has | fires) & ~{leaves, leaves};
      no_match <= no_match | (|missed);
      no_route <= no_route | (|unrouted);
      // After a token another input is first; a token that waits keeps its turn.
      first <= (first & ~out_valid) | (grant & out_valid & ~out_ready) | (~grant & takes);
      locked <= out_valid & ~out_ready;
    end

  genvar o, i;
  generate
    for (i = 0; i < 2; i = i + 1) begin : input_
      wire [`TAG-1:0] tag = in_tag[i*`TAG +: `TAG];
      wire hit0 = v0 & (tag == t0), hit1 = v1 & (tag == t1) & !hit0;
      wire [1:0] to = {(hit0 & r0[2+i]) | (hit1 & r1[2+i]), (hit0 & r0[i]) | (hit1 & r1[i])};
      assign missed[i] = in_valid[i] & !hit0 & !hit1;
      assign unrouted[i] = in_valid[i] & (hit0 | hit1) & !(|to);
      assign want[i] = in_valid[i] & to[0];
      assign want[2+i] = in_valid[i] & to[1];
      wire [1:0] waits = {want[2+i] & !has[2+i], want[i] & !has[i]};
      wire [1:0] served = {fires[2+i], fires[i]};
      env_channel #(`WIDTH + `TAG) env (clk, rst, in_valid[i], in_ready[i], {tag, in_data[i*`WIDTH +: `WIDTH]});
      `PROVE(h3_leaves_with_the_last_copy, !legal | !leaves[i] | ((|to) & !(|(waits & ~served))))
      `PROVE(live_leaves, !legal | failed | !(in_valid[i] & (|to) & !(|(waits & ~served))) | leaves[i])
      // Progress to the end: the token is gone when each of its outputs was ready twice since it came, once for the other
      // input.
      reg [1:0] ready_once = 0, ready_twice = 0;
      wire [1:0] second = ready_twice | (ready_once & out_ready), has_it = {has[2+i], has[i]};
      always @(posedge clk) begin
        ready_once <= rst | leaves[i] | !in_valid[i] ? 0 : ready_once | out_ready;
        ready_twice <= rst | leaves[i] | !in_valid[i] ? 0 : second;
      end
      `PROVE(live_gone, !legal | failed | !(in_valid[i] & (|to) & !(|(to & ~second))) | leaves[i])
      `PROVE(lemma_ready_twice, !legal | ((ready_twice & to & ~has_it) == 0))
      // After the first time it is this input's turn.
      `PROVE(lemma_ready_once, !legal | ((ready_once & to & ~has_it & (first ^ {2{i[0]}})) == 0))
    end
    for (o = 0; o < 2; o = o + 1) begin : output_
      wire [1:0] asks = want[2*o +: 2] & ~has[2*o +: 2];
      assign request[2*o +: 2] = asks;
      assign grant[o] = locked[o] ? first[o] : asks[first[o]] ? first[o] : asks[!first[o]] ? !first[o] : first[o];
      assign fires[2*o] = takes[o] & !grant[o];
      assign fires[2*o+1] = takes[o] & grant[o];
      wire [`WIDTH-1:0] data = out_data[o*`WIDTH +: `WIDTH];
      wire [`TAG-1:0] tag = out_tag[o*`TAG +: `TAG];
      check_channel #(`WIDTH + `TAG) channel (clk, rst, out_valid[o] & legal, out_ready[o], {tag, data});
      `PROVE(h3_offers_what_is_asked, !legal | !out_valid[o] | asks[grant[o]])
      `PROVE(live_offers, !legal | !(|asks) | out_valid[o])
`ifdef DATA
      `PROVE(h3_value, !legal | !out_valid[o] | (data == in_data[grant[o]*`WIDTH +: `WIDTH]))
`endif
      `PROVE(h3_tag, !legal | !out_valid[o] | (tag == in_tag[grant[o]*`TAG +: `TAG]))
      // No input waits for more than one token of another.
      check_progress #(1) turn0 (clk, rst | !asks[0] | !legal, takes[o], fires[2*o]);
      check_progress #(1) turn1 (clk, rst | !asks[1] | !legal, takes[o], fires[2*o+1]);
      `PROVE(lemma_lock, !legal | !locked[o] | asks[first[o]])
    end
  endgenerate
  `PROVE(error_code_is_right, error_code == (mix0 | mix1 ? 4 : twice ? 5 : no_match ? 257 : no_route ? 263 : 0))
  `PROVE(error_stops, !failed | !(|leaves))
  `PROVE(reset_empties, !after_rst | (!busy & (!legal | (error_code == 0))))
  `PROVE(h3_busy, !legal | (busy == |has))
  `COVER(cover_fork, legal & !failed & (|leaves) & (|has))
  `COVER(cover_contest, legal & (&request[1:0]) & takes[0])
  `COVER(cover_locked, legal & locked[0] & takes[0] & (&request[1:0]))
  `COVER(cover_no_match, legal & no_match)
  `COVER(cover_no_route, legal & no_route)
endmodule
