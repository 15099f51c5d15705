// `extmemory` (`AXI`) and `memory` with two load and two store lanes that share ports by tags of two bits (half of them
// no lane's), two regions, queues of two; from hardware.md, section 9. An AXI slave answers what was asked, each lane
// in order, when it likes; all region tables are possible.
//
// The front is here, the back ends are in back_ends.vh. Of vectors bit l is lane l.
`include "common.vh"
`include "lanes.vh"
`include "ports.vh"

// Lanes take turns: the first from the pointer on that has something; one that waits keeps its turn.
module lane_turn (input clk, input rst, input legal, input [1:0] has, input moves, output grant, input h_pointer);
  reg pointer = 0, locked = 0;
  assign grant = locked | has[pointer] ? pointer : !pointer;
  // The other lane went while this one had something.
  reg [1:0] passed = 0;
  wire [1:0] other = {moves & !grant, moves & grant};
  always @(posedge clk)
    if (rst) {pointer, locked, passed} <= 0;
    else begin
      passed <= has & (other | (moves ? 0 : passed));
      if (|has) begin
        locked <= !moves;
        pointer <= moves ? !grant : grant;
      end
    end
  `PROVE(lemma_pointer, !legal | (h_pointer == pointer))
  `PROVE(lemma_locked, !legal | !locked | has[pointer])
  `PROVE(lemma_passed, !legal | ((!passed[0] | (has[0] & !pointer)) & (!passed[1] | (has[1] & pointer))))
  // A lane waits for one token of the other at most.
  `PROVE(live_turns, !legal | !(|(passed & other)))
  `COVER(cover_contest, legal & (&has) & moves)
endmodule

module top (input clk, input rst_in, input ld_addr_valid, input [7:0] ld_addr_data, input [1:0] ld_addr_tag,
            input st_addr_valid, input [7:0] st_addr_data, input [1:0] st_addr_tag, input st_data_valid,
            input [`W-1:0] st_data_data, input [1:0] st_data_tag, input ld_data_ready, input ld_done_ready,
            input st_done_ready, input axi_arready, input axi_awready, input axi_wready, input axi_rvalid,
            input [`W-1:0] axi_rdata, input [`ID-1:0] axi_rid, input [1:0] axi_rresp, input axi_rlast, input axi_bvalid,
            input [`ID-1:0] axi_bid, input [1:0] axi_bresp, input host_req, input host_we, input [31:0] host_addr,
            input [`W-1:0] host_wdata, input [`W/8-1:0] host_wstrb);
  `RESET
  localparam W = `W, B = `W / 8, Q = 2, L = 2;
  (* anyconst *) wire [`CFG-1:0] cfg;
  wire ld_addr_ready, st_addr_ready, st_data_ready, ld_data_valid, ld_done_valid, st_done_valid, busy;
  wire [W-1:0] ld_data_data;
  wire [1:0] ld_data_tag, ld_done_tag, st_done_tag;
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
  env_channel #(10) env_ld (clk, rst, ld_addr_valid, ld_addr_ready, {ld_addr_tag, ld_addr_data});
  env_channel #(10) env_sa (clk, rst, st_addr_valid, st_addr_ready, {st_addr_tag, st_addr_data});
  env_channel #(W + 2) env_sd (clk, rst, st_data_valid, st_data_ready, {st_data_tag, st_data_data});

  wire ld_lane, st_lane, ld_take, st_take;
  wire [7:0] ld_element, st_element;
  wire [W-1:0] st_value;
`include "regions.vh"

  // Store addresses and data wait in queues of their lane; the request is that of the first lane with both.
  reg [5:0] data_owed = 0, done_owed = 0, st_owed = 0;
  reg alien = 0, no_region = 0, outside = 0, refused = 0;
  wire failed = alien | no_region | outside | refused;
  wire [1:0] sa_has, sa_room, sd_has, sd_room, both = sa_has & sd_has;
  wire [7:0] sa_head [0:1];
  wire [W-1:0] sd_head [0:1];
  (* keep *) wire h_turn;
  request_turn st_turn (clk, rst, legal, both, st_take, st_lane, h_turn);
  wire sa_alien = st_addr_tag[1], sd_alien = st_data_tag[1], ld_alien = ld_addr_tag[1];
  assign ld_lane = ld_addr_tag[0], ld_element = ld_addr_data, st_element = sa_head[st_lane], st_value = sd_head[st_lane];
  wire sa_enters = st_addr_valid & !sa_alien & sa_room[st_addr_tag[0]] & !failed;
  wire sd_enters = st_data_valid & !sd_alien & sd_room[st_data_tag[0]] & !failed;
  `PROVE(h3_address_enters_when_allowed, !legal | !(st_addr_valid & st_addr_ready) | sa_enters)
  `PROVE(h3_data_enters_when_allowed, !legal | !(st_data_valid & st_data_ready) | sd_enters)
  `PROVE(live_address_enters, !legal | !sa_enters | st_addr_ready)
  `PROVE(live_data_enters, !legal | !sd_enters | st_data_ready)

  wire ld_room, st_room, r, r_lane, b, b_lane, refuses, held;
  wire [W-1:0] element;
  wire ld_may = (data_owed[3*ld_lane +: 3] < Q) & (done_owed[3*ld_lane +: 3] < Q) & !failed & ld_room;
  wire ld_expected = ld_addr_valid & !ld_alien & (|ld_in) & !ld_far & ld_may;
  assign ld_take = ld_addr_valid & ld_addr_ready;
  assign st_take = (|both) & (|st_in) & !st_far & (st_owed[3*st_lane +: 3] < Q) & !failed & st_room;
  `PROVE(h3_load_taken_when_allowed, !legal | !ld_take | ld_expected)
  `PROVE(live_load, !legal | !ld_expected | ld_take)
  always @(posedge clk)
    if (rst) begin
      {alien, no_region, outside, refused} <= 0;
    end else begin
      alien <= alien | (ld_addr_valid & ld_alien) | (st_addr_valid & sa_alien) | (st_data_valid & sd_alien);
      no_region <= no_region | (ld_addr_valid & !ld_alien & !(|ld_in)) | ((|both) & !(|st_in));
      outside <= outside | (ld_addr_valid & !ld_alien & (|ld_in) & ld_far) | ((|both) & (|st_in) & st_far);
      refused <= refused | refuses;
    end

  // Registers of the module, those of both lanes side by side.
  (* keep *) wire [3:0] h_data_owed, h_done_owed, h_st_owed, h_sa_count, h_sd_count, h_data_count, h_ld_dones, h_st_dones;
  (* keep *) wire [1:0] h_sa_read, h_sa_write, h_sd_read, h_sd_write, h_data_read, h_data_write;
  (* keep *) wire [31:0] h_sa_entries;
  (* keep *) wire [4*W-1:0] h_sd_entries, h_data_entries;
  (* keep *) wire h_data_turn, h_ld_done_turn, h_st_done_turn;
  (* keep *) wire h_260, h_none, h_outside;
  `PROVE(lemma_errors, !legal | ({h_260, h_none, h_outside} == {alien, no_region, outside}))

  // Results leave in the order of their lane's requests, once, unchanged; the lanes take turns.
  wire [1:0] data_has, ld_done_has, st_done_has;
  wire [3:0] data_count, ld_dones, st_dones;
  wire [W-1:0] data_head [0:1];
  wire data_lane, ld_done_lane, st_done_lane;
  wire data_leaves = ld_data_valid & ld_data_ready, ld_done_leaves = ld_done_valid & ld_done_ready;
  wire st_done_leaves = st_done_valid & st_done_ready;
  lane_turn data_turn (clk, rst | !legal, legal, data_has, data_leaves, data_lane, h_data_turn);
  lane_turn ld_done_turn (clk, rst | !legal, legal, ld_done_has, ld_done_leaves, ld_done_lane, h_ld_done_turn);
  lane_turn st_done_turn (clk, rst | !legal, legal, st_done_has, st_done_leaves, st_done_lane, h_st_done_turn);
  `PROVE(h3_data_from_nothing, !legal | !ld_data_valid | (|data_has))
  `PROVE(live_data, !legal | !(|data_has) | ld_data_valid)
  `PROVE(h3_data_tag, !legal | !ld_data_valid | (ld_data_tag == data_lane))
  `PROVE(h3_data_value, !legal | !ld_data_valid | (ld_data_data == data_head[data_lane]))
  `PROVE(h3_ld_done_from_nothing, !legal | !ld_done_valid | (|ld_done_has))
  `PROVE(live_ld_done, !legal | !(|ld_done_has) | ld_done_valid)
  `PROVE(h3_ld_done_tag, !legal | !ld_done_valid | (ld_done_tag == ld_done_lane))
  `PROVE(h3_st_done_from_nothing, !legal | !st_done_valid | (|st_done_has))
  `PROVE(live_st_done, !legal | !(|st_done_has) | st_done_valid)
  `PROVE(h3_st_done_tag, !legal | !st_done_valid | (st_done_tag == st_done_lane))
  check_channel #(W + 2) ld_data (clk, rst, ld_data_valid & legal, ld_data_ready, {ld_data_tag, ld_data_data});
  check_channel #(2) ld_done (clk, rst, ld_done_valid & legal, ld_done_ready, ld_done_tag);
  check_channel #(2) st_done (clk, rst, st_done_valid & legal, st_done_ready, st_done_tag);

  genvar l, k;
  generate
    for (l = 0; l < 2; l = l + 1) begin : lane
      wire gone = st_take & (st_lane == l), r_mine = r & (r_lane == l), b_mine = b & (b_lane == l);
      lane_queue #(8) addresses (clk, rst | !legal, legal, sa_enters & (st_addr_tag[0] == l), st_addr_data, gone, sa_has[l],
        sa_room[l], , sa_head[l], , h_sa_count[2*l +: 2], h_sa_read[l], h_sa_write[l], h_sa_entries[16*l +: 16]);
      lane_queue #(W) words_to_store (clk, rst | !legal, legal, sd_enters & (st_data_tag[0] == l), st_data_data, gone,
        sd_has[l], sd_room[l], , sd_head[l], , h_sd_count[2*l +: 2], h_sd_read[l], h_sd_write[l], h_sd_entries[2*W*l +: 2*W]);
      lane_queue #(W) data (clk, rst | !legal, legal, r_mine, element, data_leaves & (data_lane == l), data_has[l], ,
        data_count[2*l +: 2], data_head[l], , h_data_count[2*l +: 2], h_data_read[l], h_data_write[l],
        h_data_entries[2*W*l +: 2*W]);

      // Done tokens are counts.
      reg [1:0] loads = 0, stores = 0;
      assign ld_dones[2*l +: 2] = loads, ld_done_has[l] = loads != 0;
      assign st_dones[2*l +: 2] = stores, st_done_has[l] = stores != 0;
      wire ld_gone = ld_done_leaves & (ld_done_lane == l), st_gone = st_done_leaves & (st_done_lane == l);
      wire ld_mine = ld_take & (ld_lane == l);
      always @(posedge clk) begin
        loads <= rst | !legal ? 0 : loads + r_mine - ld_gone;
        stores <= rst | !legal ? 0 : stores + b_mine - st_gone;
        data_owed[3*l +: 3] <= rst ? 0 : data_owed[3*l +: 3] + ld_mine - (data_leaves & (data_lane == l));
        done_owed[3*l +: 3] <= rst ? 0 : done_owed[3*l +: 3] + ld_mine - ld_gone;
        st_owed[3*l +: 3] <= rst ? 0 : st_owed[3*l +: 3] + gone - st_gone;
      end
      `PROVE(lemma_owed, !legal | ((data_owed[3*l +: 3] <= Q) & (done_owed[3*l +: 3] <= Q) & (st_owed[3*l +: 3] <= Q)))
      `PROVE(lemma_owed_inside, !legal | ((h_data_owed[2*l +: 2] == data_owed[3*l +: 3]) & (h_done_owed[2*l +: 2] == done_owed[3*l +: 3]) & (h_st_owed[2*l +: 2] == st_owed[3*l +: 3])))
      `PROVE(lemma_dones, !legal | ((h_ld_dones[2*l +: 2] == loads) & (h_st_dones[2*l +: 2] == stores)))
    end
  endgenerate

`ifdef AXI
  wire [15:0] code = overlap ? 14 : empty ? 15 : too_wide ? 19 : alien ? 260 : no_region ? 265 :
                     outside ? 266 : refused ? 267 : 0;
`else
  wire [15:0] code = overlap ? 12 : empty ? 13 : too_wide ? 19 : alien ? 260 : no_region ? 264 :
                     outside ? 266 : 0;
`endif
  wire owes = (data_owed != 0) | (done_owed != 0) | (st_owed != 0);
  `PROVE(error_code_is_right, error_code == code)
  `PROVE(error_stops, !legal | !failed | (!ld_take & !(st_addr_valid & st_addr_ready) & !(st_data_valid & st_data_ready)))
  `PROVE(reset_empties, !after_rst | !busy)
  `PROVE(reset_clears_errors, !after_rst | !legal | (error_code == 0))
  `PROVE(h3_busy, !legal | (busy == (owes | held | (|sa_has) | (|sd_has))))
  `COVER(cover_load, legal & data_leaves & (ld_data_data != 0) & ld_data_tag[0])
  `COVER(cover_store, legal & st_done_leaves & st_done_tag[0])
  `COVER(cover_second_region, legal & ld_take & ld_in[1] & lane1_in[1] & lane0_in[0] & (offset0 != offset1))
  `COVER(cover_overlap, overlap & !empty & !too_wide)
  `COVER(cover_alien, legal & alien)
  `COVER(cover_outside, legal & outside)
  `COVER(cover_no_region, legal & no_region & used0)

`include "back_ends.vh"
endmodule
