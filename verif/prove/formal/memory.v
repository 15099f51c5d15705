// `extmemory` (`AXI`) and `memory` without tags: `LANES` load and store lanes, one or two, each with ports of its own,
// queues of two; one region or two, from hardware.md, section 9. An AXI slave answers what was asked, each lane in
// order, when it likes; all region tables are possible.
//
// The front is here, the back ends are in back_ends.vh. Of vectors bit l, or field l, is lane l.
`include "common.vh"
`include "lanes.vh"
`include "ports.vh"

module top (input clk, input rst_in, input [`LANES-1:0] ld_addr_valid, input [8*`LANES-1:0] ld_addr_data,
            input [`LANES-1:0] st_addr_valid, input [8*`LANES-1:0] st_addr_data, input [`LANES-1:0] st_data_valid,
            input [`W*`LANES-1:0] st_data_data, input [`LANES-1:0] ld_data_ready, input [`LANES-1:0] ld_done_ready,
            input [`LANES-1:0] st_done_ready, input axi_arready, input axi_awready, input axi_wready,
            input axi_rvalid, input [`W-1:0] axi_rdata, input [`ID-1:0] axi_rid, input [1:0] axi_rresp,
            input axi_rlast, input axi_bvalid, input [`ID-1:0] axi_bid, input [1:0] axi_bresp, input host_req,
            input host_we, input [31:0] host_addr, input [`W-1:0] host_wdata, input [`W/8-1:0] host_wstrb);
  `RESET
  localparam W = `W, B = `W / 8, Q = 2, L = `LANES;
  (* anyconst *) wire [`CFG-1:0] cfg;
  wire [L-1:0] ld_addr_ready, st_addr_ready, st_data_ready, ld_data_valid, ld_done_valid, st_done_valid;
  wire [W*L-1:0] ld_data_data;
  wire busy;
  wire [15:0] error_code;
  wire axi_arvalid, axi_awvalid, axi_wvalid, axi_rready, axi_bready, axi_wlast;
  wire [`ID-1:0] axi_arid, axi_awid;
  wire [31:0] axi_araddr, axi_awaddr;
  wire [7:0] axi_arlen, axi_awlen;
  wire [2:0] axi_arsize, axi_awsize, axi_arprot, axi_awprot;
  wire [1:0] axi_arburst, axi_awburst;
  wire [3:0] axi_arcache, axi_awcache, axi_arqos, axi_awqos;
  wire axi_arlock, axi_awlock;
  wire [W-1:0] axi_wdata;
  wire [B-1:0] axi_wstrb;
  wire [W-1:0] host_rdata;
  `DUT dut (`PORTS);

  wire ld_lane, st_lane, ld_take, st_take;
  wire [7:0] ld_element, st_element;
  wire [W-1:0] st_value;
`include "regions.vh"

  // A lane asks with a request and room for its answers; a full lane does not, so that it is in nobody's way. The first
  // lane that asks is looked at.
  reg [3*L-1:0] data_owed = 0, done_owed = 0, st_owed = 0;
  reg no_region = 0, outside = 0, refused = 0;
  wire failed = no_region | outside | refused;
  wire [L-1:0] ld_asks, st_asks, ld_takes = ld_addr_valid & ld_addr_ready;
  wire [L-1:0] sa_takes = st_addr_valid & st_addr_ready, sd_takes = st_data_valid & st_data_ready;
  assign ld_take = |ld_takes, st_take = |(sa_takes | sd_takes);
`ifdef SEVERAL
  (* keep *) wire h_ld_turn, h_st_turn;
  request_turn ld_turn (clk, rst, legal, ld_asks, ld_take, ld_lane, h_ld_turn);
  request_turn st_turn (clk, rst, legal, st_asks, st_take, st_lane, h_st_turn);
`else
  assign ld_lane = 0, st_lane = 0;
`endif
  assign ld_element = ld_addr_data[8*ld_lane +: 8], st_element = st_addr_data[8*st_lane +: 8];
  assign st_value = st_data_data[W*st_lane +: W];
  wire ld_room, st_room, r, r_lane, b, b_lane, refuses, held;
  wire [W-1:0] element;
  wire ld_expected = (|ld_asks) & (|ld_in) & !ld_far & !failed & ld_room;
  wire st_expected = (|st_asks) & (|st_in) & !st_far & !failed & st_room;
  wire [L-1:0] ld_allowed = ld_expected << ld_lane, st_allowed = st_expected << st_lane;
  `PROVE(h3_load_taken_when_allowed, !legal | ((ld_takes & ~ld_allowed) == 0))
  `PROVE(live_load, !legal | ((ld_allowed & ~ld_takes) == 0))
  `PROVE(h3_store_taken_when_allowed, !legal | (((sa_takes | sd_takes) & ~st_allowed) == 0))
  `PROVE(live_store, !legal | ((st_allowed & ~(sa_takes & sd_takes)) == 0))
  always @(posedge clk)
    if (rst) {no_region, outside, refused} <= 0;
    else begin
      no_region <= no_region | ((|ld_asks) & !(|ld_in)) | ((|st_asks) & !(|st_in));
      outside <= outside | ((|ld_asks) & (|ld_in) & ld_far) | ((|st_asks) & (|st_in) & st_far);
      refused <= refused | refuses;
    end

  // Registers of the module, those of the lanes side by side.
  (* keep *) wire [2*L-1:0] h_data_owed, h_done_owed, h_st_owed, h_data_count, h_ld_dones, h_st_dones;
  (* keep *) wire [L-1:0] h_data_read, h_data_write;
  (* keep *) wire [2*W*L-1:0] h_data_entries;
  (* keep *) wire h_none, h_outside;
  `PROVE(lemma_errors, !legal | ({h_none, h_outside} == {no_region, outside}))

  // Results leave at the port of their lane in the order of its requests, once, unchanged. A scratchpad's may pass the
  // empty queue in the cycle in which they come; an answer of AXI shows one cycle after it at the earliest.
`ifdef AXI
  localparam PASSES = 0;
`else
  localparam PASSES = 1;
`endif
  wire [2*L-1:0] data_count, ld_dones, st_dones;
  genvar l, k;
  generate
    for (l = 0; l < L; l = l + 1) begin : lane
      env_channel #(8) ld (clk, rst, ld_addr_valid[l], ld_addr_ready[l], ld_addr_data[8*l +: 8]);
      env_channel #(8) sa (clk, rst, st_addr_valid[l], st_addr_ready[l], st_addr_data[8*l +: 8]);
      env_channel #(W) sd (clk, rst, st_data_valid[l], st_data_ready[l], st_data_data[W*l +: W]);
      assign ld_asks[l] = ld_addr_valid[l] & (data_owed[3*l +: 3] < Q) & (done_owed[3*l +: 3] < Q);
      assign st_asks[l] = st_addr_valid[l] & st_data_valid[l] & (st_owed[3*l +: 3] < Q);

      wire ld_mine = ld_takes[l], r_mine = r & (r_lane == l), b_mine = b & (b_lane == l);
      wire data_leaves = ld_data_valid[l] & ld_data_ready[l], ld_gone = ld_done_valid[l] & ld_done_ready[l];
      wire st_gone = st_done_valid[l] & st_done_ready[l];

      wire data_has;
      wire [W-1:0] data_head;
      wire passes = PASSES & r_mine & !data_has;
      lane_queue #(W) data (clk, rst | !legal, legal, r_mine & !(passes & data_leaves), element, data_leaves & !passes, data_has, ,
        data_count[2*l +: 2], data_head, , h_data_count[2*l +: 2], h_data_read[l], h_data_write[l],
        h_data_entries[2*W*l +: 2*W]);
      `PROVE(h3_data_from_nothing, !legal | !ld_data_valid[l] | data_has | passes)
      `PROVE(live_data, !legal | !(data_has | passes) | ld_data_valid[l])
      `PROVE(h3_data_value, !legal | !ld_data_valid[l] | (ld_data_data[W*l +: W] == (passes ? element : data_head)))
      check_channel #(W) ld_data (clk, rst, ld_data_valid[l] & legal, ld_data_ready[l], ld_data_data[W*l +: W]);

      // Done tokens are counts.
      reg [1:0] loads = 0, stores = 0;
      wire ld_done_has = (loads != 0) | (PASSES & r_mine), st_done_has = (stores != 0) | (PASSES & b_mine);
      assign ld_dones[2*l +: 2] = loads, st_dones[2*l +: 2] = stores;
      `PROVE(h3_ld_done_from_nothing, !legal | !ld_done_valid[l] | ld_done_has)
      `PROVE(live_ld_done, !legal | !ld_done_has | ld_done_valid[l])
      `PROVE(h3_st_done_from_nothing, !legal | !st_done_valid[l] | st_done_has)
      `PROVE(live_st_done, !legal | !st_done_has | st_done_valid[l])
      `PROVE(h3_no_done_lost, !legal | ((loads + r_mine <= Q + ld_gone) & (stores + b_mine <= Q + st_gone)))
      check_channel #(1) ld_done (clk, rst, ld_done_valid[l] & legal, ld_done_ready[l], 1'b0);
      check_channel #(1) st_done (clk, rst, st_done_valid[l] & legal, st_done_ready[l], 1'b0);

      always @(posedge clk) begin
        loads <= rst | !legal ? 0 : loads + r_mine - ld_gone;
        stores <= rst | !legal ? 0 : stores + b_mine - st_gone;
        data_owed[3*l +: 3] <= rst ? 0 : data_owed[3*l +: 3] + ld_mine - data_leaves;
        done_owed[3*l +: 3] <= rst ? 0 : done_owed[3*l +: 3] + ld_mine - ld_gone;
        st_owed[3*l +: 3] <= rst ? 0 : st_owed[3*l +: 3] + sa_takes[l] - st_gone;
      end
      `PROVE(lemma_owed, !legal | ((data_owed[3*l +: 3] <= Q) & (done_owed[3*l +: 3] <= Q) & (st_owed[3*l +: 3] <= Q)))
      `PROVE(lemma_owed_inside, !legal | ((h_data_owed[2*l +: 2] == data_owed[3*l +: 3]) & (h_done_owed[2*l +: 2] == done_owed[3*l +: 3]) & (h_st_owed[2*l +: 2] == st_owed[3*l +: 3])))
      `PROVE(lemma_dones, !legal | ((h_ld_dones[2*l +: 2] == loads) & (h_st_dones[2*l +: 2] == stores)))
      `COVER(cover_load, legal & data_leaves & (ld_data_data[W*l +: W] != 0))
      `COVER(cover_store, legal & st_gone)
      `COVER(cover_waits, legal & (data_count[2*l +: 2] == 2) & (loads != 2))
    end
  endgenerate

`ifdef AXI
  wire [15:0] code = overlap ? 14 : empty ? 15 : too_wide ? 19 : no_region ? 265 : outside ? 266 :
                     refused ? 267 : 0;
`else
  wire [15:0] code = overlap ? 12 : empty ? 13 : too_wide ? 19 : no_region ? 264 : outside ? 266 : 0;
`endif
  wire owes = (data_owed != 0) | (done_owed != 0) | (st_owed != 0);
  `PROVE(error_code_is_right, error_code == code)
  `PROVE(error_stops, !legal | !failed | (!ld_take & !st_take))
  `PROVE(reset_empties, !after_rst | !busy)
  `PROVE(reset_clears_errors, !after_rst | !legal | (error_code == 0))
  `PROVE(h3_busy, !legal | (busy == (owes | held)))
  `COVER(cover_outside, legal & outside)
  `COVER(cover_no_region, legal & no_region & used0)
`ifdef SEVERAL
  // Nobody takes the data of lane 0, which has a request more, and lane 1 goes on.
  `COVER(cover_past_a_full_lane, legal & ld_addr_valid[0] & (data_owed[2:0] == Q) & (data_count[1:0] == Q) & ld_takes[1] & (ld_dones == 0))
  `COVER(cover_second_region, legal & ld_take & ld_in[1] & lane1_in[1] & lane0_in[0] & (offset0 != offset1))
  `COVER(cover_overlap, overlap & !empty & !too_wide)
`endif

`include "back_ends.vh"
endmodule
