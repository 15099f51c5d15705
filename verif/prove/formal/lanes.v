// `extmemory` (`AXI`) and `memory` with two load and two store lanes that share ports by tags of two bits (half of them
// no lane's), two regions, queues of two; from hardware.md, section 9. An AXI slave answers what was asked, each lane
// in order, when it likes; all region tables are possible.
//
// The front comes first, then the two back ends: each says when it takes a load or a store (`ld_room`, `st_room`) and
// which results arrive, of which lane (`r`, `r_lane` with `element`; `b`, `b_lane`). Of vectors bit l is lane l.
`include "common.vh"
`include "ports.vh"

// One lane of the queues of a kind. The module keeps two entries in a ring, the reference the oldest in front.
module lane_queue #(parameter W = 1)
  (input clk, input rst, input legal, input push, input [W-1:0] in, input pop, output has, output room, output [1:0] count,
   output [W-1:0] head, output [W-1:0] next, input [1:0] h_count, input h_read, input h_write, input [2*W-1:0] h_entries);
  reg [1:0] n = 0;
  reg [W-1:0] oldest, second;
  wire [1:0] kept = n - pop;
  assign has = n != 0, room = n < 2, count = n, head = oldest, next = second;
  always @(posedge clk) begin
    n <= rst ? 0 : kept + push;
    oldest <= push & (kept == 0) ? in : pop ? second : oldest;
    if (push & (kept == 1)) second <= in;
  end
  `PROVE(h3_no_token_from_nothing, !legal | !pop | has)
  `PROVE(h3_no_token_lost, !legal | !push | room)
  `PROVE(lemma_count, !legal | ((h_count == n) & (n <= 2)))
  `PROVE(lemma_ring, !legal | ((h_read ^ h_write) == n[0]))
  `PROVE(lemma_oldest, !legal | !has | ((h_read ? h_entries[W +: W] : h_entries[0 +: W]) == oldest))
  `PROVE(lemma_second, !legal | room | ((h_read ? h_entries[0 +: W] : h_entries[W +: W]) == second))
endmodule

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
            input [`W-1:0] axi_rdata, input [1:0] axi_rid, input [1:0] axi_rresp, input axi_rlast, input axi_bvalid,
            input [1:0] axi_bid, input [1:0] axi_bresp, input host_req, input host_we, input [31:0] host_addr,
            input [`W-1:0] host_wdata, input [`W/8-1:0] host_wstrb);
  `RESET
  localparam W = `W, B = `W / 8, Q = 2;
  (* anyconst *) wire [`CFG-1:0] cfg;
  wire ld_addr_ready, st_addr_ready, st_data_ready, ld_data_valid, ld_done_valid, st_done_valid, busy;
  wire [W-1:0] ld_data_data;
  wire [1:0] ld_data_tag, ld_done_tag, st_done_tag;
  wire [15:0] error_code;
  wire axi_arvalid, axi_awvalid, axi_wvalid, axi_rready, axi_bready, axi_wlast;
  wire [1:0] axi_arid, axi_awid;
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

  // The regions.
  wire used0 = cfg[`F_region0_valid], used1 = cfg[`F_region1_valid];
  wire [16:0] first0 = cfg[`F_region0_start_lane +: 16], first1 = cfg[`F_region1_start_lane +: 16];
  wire [16:0] last0 = cfg[`F_region0_end_lane +: 17], last1 = cfg[`F_region1_end_lane +: 17];
  wire [31:0] offset0 = cfg[`F_region0_addr_offset +: 32], offset1 = cfg[`F_region1_addr_offset +: 32];
  wire [1:0] size0 = cfg[`F_region0_elem_size_log2 +: 2], size1 = cfg[`F_region1_elem_size_log2 +: 2];
  wire empty = (used0 & (last0 <= first0)) | (used1 & (last1 <= first1));
  wire too_wide = (used0 & ((8 << size0) > W)) | (used1 & ((8 << size1) > W));
  // Lanes of both: from the later start up to the earlier end.
  wire overlap = used0 & used1 & ((first0 > first1 ? first0 : first1) < (last0 < last1 ? last0 : last1));
  wire legal = !empty & !too_wide & !overlap;
`define HOLDS(lane) {used1 & (first1 <= lane) & (lane < last1), used0 & (first0 <= lane) & (lane < last0)}
  wire [1:0] lane0_in = `HOLDS(0), lane1_in = `HOLDS(1);
`ifdef AXI
  localparam [33:0] BYTES = 34'h1_0000_0000;
`else
  localparam [33:0] BYTES = 2 * B;
`endif

  // Store addresses and data wait in queues of their lane; the request is that of the first lane with both.
  reg [5:0] data_owed = 0, done_owed = 0, st_owed = 0;
  reg alien = 0, no_region = 0, outside = 0, alone_too_long = 0, refused = 0;
  wire failed = alien | no_region | outside | alone_too_long | refused;
  wire [1:0] sa_has, sa_room, sd_has, sd_room, both = sa_has & sd_has;
  wire [7:0] sa_head [0:1];
  wire [W-1:0] sd_head [0:1];
  reg turn = 0;
  wire st_lane = both[turn] ? turn : !turn;
  wire sa_alien = st_addr_tag[1], sd_alien = st_data_tag[1], ld_alien = ld_addr_tag[1], ld_lane = ld_addr_tag[0];
  wire sa_enters = st_addr_valid & !sa_alien & sa_room[st_addr_tag[0]] & !failed;
  wire sd_enters = st_data_valid & !sd_alien & sd_room[st_data_tag[0]] & !failed;
  `PROVE(h3_address_enters_when_allowed, !legal | !(st_addr_valid & st_addr_ready) | sa_enters)
  `PROVE(h3_data_enters_when_allowed, !legal | !(st_data_valid & st_data_ready) | sd_enters)
  `PROVE(live_address_enters, !legal | !sa_enters | st_addr_ready)
  `PROVE(live_data_enters, !legal | !sd_enters | st_data_ready)

  // Each request's region and bytes.
  wire [1:0] ld_in = ld_lane ? lane1_in : lane0_in, st_in = st_lane ? lane1_in : lane0_in;
  wire [1:0] ld_size = ld_in[1] ? size1 : size0, st_size = st_in[1] ? size1 : size0;
  wire [33:0] ld_byte = (ld_in[1] ? offset1 : offset0) + ({26'b0, ld_addr_data} << ld_size);
  wire [33:0] st_byte = (st_in[1] ? offset1 : offset0) + ({26'b0, sa_head[st_lane]} << st_size);
  wire [31:0] ld_at = ld_byte & ~((32'b1 << ld_size) - 1), st_at = st_byte & ~((32'b1 << st_size) - 1);
  wire ld_far = ld_byte >= BYTES, st_far = st_byte >= BYTES;
  wire [2:0] ld_low = ld_at & (B - 1), st_low = st_at & (B - 1);
  wire [B-1:0] st_strb = ((1 << (1 << st_size)) - 1) << st_low;
  wire [W-1:0] st_word = sd_head[st_lane] << (8 * st_low);
  wire ld_room, st_room, r, r_lane, b, b_lane, refuses, held;
  wire [W-1:0] element;
  wire ld_may = (data_owed[3*ld_lane +: 3] < Q) & (done_owed[3*ld_lane +: 3] < Q) & !failed & ld_room;
  wire ld_expected = ld_addr_valid & !ld_alien & (|ld_in) & !ld_far & ld_may;
  wire ld_take = ld_addr_valid & ld_addr_ready;
  wire st_take = (|both) & (|st_in) & !st_far & (st_owed[3*st_lane +: 3] < Q) & !failed & st_room;
  `PROVE(h3_load_taken_when_allowed, !legal | !ld_take | ld_expected)
  `PROVE(live_load, !legal | !ld_expected | ld_take)
  always @(posedge clk)
    if (rst) begin
      {alien, no_region, outside, alone_too_long, refused} <= 0;
      turn <= 0;
    end else begin
      alien <= alien | (ld_addr_valid & ld_alien) | (st_addr_valid & sa_alien) | (st_data_valid & sd_alien);
      no_region <= no_region | (ld_addr_valid & !ld_alien & !(|ld_in)) | ((|both) & !(|st_in));
      outside <= outside | (ld_addr_valid & !ld_alien & (|ld_in) & ld_far) | ((|both) & (|st_in) & st_far);
      alone_too_long <= alone_too_long | (|lonely);
      refused <= refused | refuses;
      if (st_take) turn <= !st_lane;
    end
  // A lane's store waits for one of the other at most.
  reg [1:0] passed = 0;
  wire [1:0] other_stores = {st_take & !st_lane, st_take & st_lane};
  always @(posedge clk) passed <= rst | !legal ? 0 : both & (other_stores | (st_take ? 0 : passed));
  `PROVE(lemma_passed, !legal | ((!passed[0] | (both[0] & !turn)) & (!passed[1] | (both[1] & turn))))
  `PROVE(live_store_turns, !legal | !(|(passed & other_stores)))

  // Registers of the module, those of both lanes side by side.
  (* keep *) wire [3:0] h_data_owed, h_done_owed, h_st_owed, h_sa_count, h_sd_count, h_data_count, h_ld_dones, h_st_dones;
  (* keep *) wire [1:0] h_sa_read, h_sa_write, h_sd_read, h_sd_write, h_data_read, h_data_write;
  (* keep *) wire [31:0] h_alone, h_sa_entries;
  (* keep *) wire [4*W-1:0] h_sd_entries, h_data_entries;
  (* keep *) wire h_turn, h_data_turn, h_ld_done_turn, h_st_done_turn;
  (* keep *) wire h_260, h_261, h_none, h_outside;
  `PROVE(lemma_turn, !legal | (h_turn == turn))
  `PROVE(lemma_errors, !legal | ({h_260, h_261, h_none, h_outside} == {alien, alone_too_long, no_region, outside}))

  // Results leave in the order of their lane's requests, once, unchanged; the lanes take turns.
  wire [1:0] data_has, ld_done_has, st_done_has, lonely;
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

      // Done tokens are counts. Of an address and data of a lane one is there alone for 65535 cycles at most.
      reg [1:0] loads = 0, stores = 0;
      reg [15:0] alone = 0;
      wire one = sa_has[l] ^ sd_has[l];
      assign ld_dones[2*l +: 2] = loads, ld_done_has[l] = loads != 0;
      assign st_dones[2*l +: 2] = stores, st_done_has[l] = stores != 0;
      assign lonely[l] = one & (alone == 65535);
      wire ld_gone = ld_done_leaves & (ld_done_lane == l), st_gone = st_done_leaves & (st_done_lane == l);
      wire ld_mine = ld_take & (ld_lane == l);
      always @(posedge clk) begin
        loads <= rst | !legal ? 0 : loads + r_mine - ld_gone;
        stores <= rst | !legal ? 0 : stores + b_mine - st_gone;
        alone <= rst | !one ? 0 : alone == 65535 ? 65535 : alone + 1;
        data_owed[3*l +: 3] <= rst ? 0 : data_owed[3*l +: 3] + ld_mine - (data_leaves & (data_lane == l));
        done_owed[3*l +: 3] <= rst ? 0 : done_owed[3*l +: 3] + ld_mine - ld_gone;
        st_owed[3*l +: 3] <= rst ? 0 : st_owed[3*l +: 3] + gone - st_gone;
      end
      `PROVE(lemma_owed, !legal | ((data_owed[3*l +: 3] <= Q) & (done_owed[3*l +: 3] <= Q) & (st_owed[3*l +: 3] <= Q)))
      `PROVE(lemma_owed_inside, !legal | ((h_data_owed[2*l +: 2] == data_owed[3*l +: 3]) & (h_done_owed[2*l +: 2] == done_owed[3*l +: 3]) & (h_st_owed[2*l +: 2] == st_owed[3*l +: 3])))
      `PROVE(lemma_dones, !legal | ((h_ld_dones[2*l +: 2] == loads) & (h_st_dones[2*l +: 2] == stores)))
      `PROVE(lemma_alone, !legal | (h_alone[16*l +: 16] == alone))
    end
  endgenerate

`ifdef AXI
  wire [15:0] code = overlap ? 14 : empty ? 15 : too_wide ? 19 : alien ? 260 : alone_too_long ? 261 : no_region ? 265 :
                     outside ? 266 : refused ? 267 : 0;
`else
  wire [15:0] code = overlap ? 12 : empty ? 13 : too_wide ? 19 : alien ? 260 : alone_too_long ? 261 : no_region ? 264 :
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

`ifdef AXI
  // AXI: an address or data that is not taken at once waits in a register, with its lane.
  reg ar_full = 0, aw_full = 0, w_full = 0, ar_lane, aw_lane;
  assign ld_room = !ar_full, st_room = !aw_full & !w_full, held = ar_full | aw_full | w_full;
  assign r = axi_rvalid & !axi_rid[1], r_lane = axi_rid[0], b = axi_bvalid & !axi_bid[1], b_lane = axi_bid[0];
  assign refuses = (axi_rvalid & (axi_rresp != 0)) | (axi_bvalid & (axi_bresp != 0));
  // A write has been made when both its halves were taken; there is one at most that has not.
  wire aw_goes = axi_awvalid & axi_awready, w_goes = axi_wvalid & axi_wready;
  wire made = (st_take | aw_full | w_full) & (aw_goes | !(st_take | aw_full)) & (w_goes | !(st_take | w_full));
  wire made_lane = st_take ? st_lane : aw_lane;
  wire ar_goes = axi_arvalid & axi_arready;
  always @(posedge clk) begin
    {ar_full, aw_full, w_full} <= 0;
    if (!rst) begin
      ar_full <= (ar_full | ld_take) & !axi_arready;
      aw_full <= (aw_full | st_take) & !axi_awready;
      w_full <= (w_full | st_take) & !axi_wready;
    end
  end

  // Requests are shown once each, in order; bytes of a word outside its element are anything.
  reg [31:0] ar_kept, aw_kept;
  reg [1:0] ar_size, aw_size;
  reg [W-1:0] w_kept;
  reg [B-1:0] strb_kept;
  wire [W-1:0] w_mask;
  generate
    for (k = 0; k < B; k = k + 1) begin : byte_of_word
      assign w_mask[8*k +: 8] = {8{axi_wstrb[k]}};
    end
  endgenerate
  always @(posedge clk) begin
    if (ld_take) {ar_kept, ar_size, ar_lane} <= {ld_at, ld_size, ld_lane};
    if (st_take) begin
      {aw_kept, aw_size, aw_lane} <= {st_at, st_size, st_lane};
      w_kept <= st_word;
      strb_kept <= st_strb;
    end
  end
  `PROVE(h3_ar_for_each_load, !legal | (axi_arvalid == (ar_full | ld_take)))
  `PROVE(h3_aw_for_each_store, !legal | (axi_awvalid == (aw_full | st_take)))
  `PROVE(h3_w_for_each_store, !legal | (axi_wvalid == (w_full | st_take)))
  `PROVE(h3_ar_address, !legal | !axi_arvalid | (axi_araddr == (ar_full ? ar_kept : ld_at)))
  `PROVE(h3_ar_lane, !legal | !axi_arvalid | (axi_arid == (ar_full ? ar_lane : ld_lane)))
  `PROVE(h3_aw_address, !legal | !axi_awvalid | (axi_awaddr == (aw_full ? aw_kept : st_at)))
  `PROVE(h3_aw_lane, !legal | !axi_awvalid | (axi_awid == (aw_full ? aw_lane : st_lane)))
  `PROVE(h3_w_strobe, !legal | !axi_wvalid | (axi_wstrb == (w_full ? strb_kept : st_strb)))
  `PROVE(h3_w_data, !legal | !axi_wvalid | (((axi_wdata ^ (w_full ? w_kept : st_word)) & w_mask) == 0))
  `PROVE(h3_ar_size, !legal | !axi_arvalid | (axi_arsize == (ar_full ? ar_size : ld_size)))
  `PROVE(h3_aw_size, !legal | !axi_awvalid | (axi_awsize == (aw_full ? aw_size : st_size)))
  wire single = (axi_arlen == 0) & (axi_awlen == 0) & axi_wlast & (axi_arburst == 1) & (axi_awburst == 1);
  `PROVE(h3_single_beats, single)
  `PROVE(live_responses_taken, axi_rready & axi_bready)
  check_channel #(37) ar (clk, rst, axi_arvalid & legal, axi_arready, {axi_arid, axi_arsize, axi_araddr});
  check_channel #(37) aw (clk, rst, axi_awvalid & legal, axi_awready, {axi_awid, axi_awsize, axi_awaddr});
  check_channel #(W + B) w (clk, rst, axi_wvalid & legal, axi_wready, {axi_wstrb, axi_wdata});

  // Byte lane and size of each open load, in the order of its lane; an answer is the element of the oldest.
  wire [4:0] place [0:1];
  wire [4:0] oldest = place[r_lane];
  wire [W-1:0] element_mask;
  generate
    for (k = 0; k < B; k = k + 1) begin : byte_of_element
      assign element_mask[8*k +: 8] = {8{k < (1 << oldest[4:3])}};
    end
  endgenerate
`ifdef PLACES
  (* keep *) wire [3:0] h_place_count;
  (* keep *) wire [1:0] h_place_read, h_place_write;
  (* keep *) wire [15:0] h_place_entries;
`endif
  assign element = (axi_rdata >> (8 * oldest[2:0])) & element_mask;
  (* keep *) wire h_267;
  `PROVE(lemma_refused, !legal | (h_267 == refused))
  generate
    for (l = 0; l < 2; l = l + 1) begin : open
      // The slave answers reads that it took and writes that were made, each lane in order.
      reg [2:0] reads = 0, writes = 0;
      always @(posedge clk) begin
        reads <= rst ? 0 : reads + (ar_goes & (axi_arid == l)) - lane[l].r_mine;
        writes <= rst ? 0 : writes + (made & (made_lane == l)) - lane[l].b_mine;
      end
      always @* assume (!lane[l].r_mine | (reads != 0));
      always @* assume (!lane[l].b_mine | (writes != 0));
      wire [2:0] loads = reads + (ar_full & (ar_lane == l)), stores = writes + ((aw_full | w_full) & (aw_lane == l));
      `PROVE(lemma_reads, !legal | (reads <= Q & writes <= Q))
      `PROVE(lemma_data_owed, !legal | (data_owed[3*l +: 3] == loads + data_count[2*l +: 2]))
      `PROVE(lemma_done_owed, !legal | (done_owed[3*l +: 3] == loads + ld_dones[2*l +: 2]))
      `PROVE(lemma_st_owed, !legal | (st_owed[3*l +: 3] == stores + st_dones[2*l +: 2]))
`ifdef PLACES
      wire [1:0] count;
      wire [3:0] at, then;
      assign place[l] = {at[3:2], 1'b0, at[1:0]};
      lane_queue #(4) places (clk, rst | !legal, legal, lane[l].ld_mine, {ld_size, ld_low[1:0]}, lane[l].r_mine, , , count, at, then,
        h_place_count[2*l +: 2], h_place_read[l], h_place_write[l], h_place_entries[8*l +: 8]);
      `PROVE(lemma_places, !legal | (count == loads))
      `PROVE(lemma_sizes, !legal | (((count == 0) | ((8 << at[3:2]) <= W)) & ((count < 2) | ((8 << then[3:2]) <= W))))
`else
      assign place[l] = 0;
`endif
    end
  endgenerate
  `COVER(cover_written, legal & w_goes & (axi_wdata != 0))
  `COVER(cover_both_open, legal & (open[0].reads != 0) & (open[1].reads != 0))
  `COVER(cover_refused, legal & refused)
  `COVER(cover_no_lane, legal & axi_rvalid & axi_rid[1] & axi_bvalid & axi_bid[1])
`else
  // The words: what is there after a reset stays until written. A read shows what was there before a write of its cycle.
`ifdef HOST
  wire host_reads = host_req & !host_we, host_writes = host_req & host_we;
`else
  wire host_reads = 0, host_writes = 0;
`endif
  assign ld_room = !host_reads, st_room = !host_writes, held = 0, refuses = 0;
  (* keep *) wire [W-1:0] h_words0, h_words1, h_word;
  (* keep *) wire h_load_arrives, h_store_arrives, h_load_lane, h_store_lane;
  reg [W-1:0] words0, words1, read;
  wire [W-1:0] now0 = after_rst ? h_words0 : words0, now1 = after_rst ? h_words1 : words1;
  reg ld_arrives = 0, st_arrives = 0, ld_of, st_of;
  reg [2:0] low;
  reg [1:0] size;
  wire [B-1:0] strb = host_writes ? host_wstrb : st_take ? st_strb : 0;
  wire [31:0] write_at = host_writes ? host_addr : st_at, read_at = host_reads ? host_addr : ld_at;
  wire [W-1:0] write_word = host_writes ? host_wdata : st_word;
  wire write_1 = (write_at & B) != 0, read_1 = (read_at & B) != 0;
  wire [W-1:0] w_mask, element_mask;
  generate
    for (k = 0; k < B; k = k + 1) begin : byte_of_word
      assign w_mask[8*k +: 8] = {8{strb[k]}}, element_mask[8*k +: 8] = {8{k < (1 << size)}};
    end
  endgenerate
  always @(posedge clk) begin
    words0 <= write_1 ? now0 : (now0 & ~w_mask) | (write_word & w_mask);
    words1 <= write_1 ? (now1 & ~w_mask) | (write_word & w_mask) : now1;
    ld_arrives <= !rst & ld_take;
    st_arrives <= !rst & st_take;
    if (ld_take | host_reads) read <= read_1 ? now1 : now0;
    if (ld_take) {low, size, ld_of} <= {ld_low, ld_size, ld_lane};
    if (st_take) st_of <= st_lane;
  end
  assign r = ld_arrives, r_lane = ld_of, b = st_arrives, b_lane = st_of, element = (read >> (8 * low)) & element_mask;
  `PROVE(lemma_arrives, !legal | ((h_load_arrives == ld_arrives) & (h_store_arrives == st_arrives)))
  `PROVE(lemma_lanes, !legal | ((!ld_arrives | (h_load_lane == ld_of)) & (!st_arrives | (h_store_lane == st_of))))
  `PROVE(lemma_words, !legal | ((h_words0 == now0) & (h_words1 == now1)))
  `PROVE(lemma_word, !legal | !ld_arrives | ((h_word == read) & (low < B) & ((8 << size) <= W)))
`ifdef PLACES
  (* keep *) wire [1:0] h_low, h_size;
  `PROVE(lemma_place, !legal | !ld_arrives | ((h_low == low[1:0]) & (h_size == size)))
`endif
  generate
    for (l = 0; l < 2; l = l + 1) begin : open
      wire loads = ld_arrives & (ld_of == l), stores = st_arrives & (st_of == l);
      `PROVE(lemma_data_owed, !legal | (data_owed[3*l +: 3] == loads + data_count[2*l +: 2]))
      `PROVE(lemma_done_owed, !legal | (done_owed[3*l +: 3] == loads + ld_dones[2*l +: 2]))
      `PROVE(lemma_st_owed, !legal | (st_owed[3*l +: 3] == stores + st_dones[2*l +: 2]))
    end
  endgenerate
`ifdef HOST
  // The host's word stays until it reads another.
  reg was = 0, seen = 0;
  reg [W-1:0] host_word;
  always @(posedge clk) begin
    was <= !rst & host_reads;
    seen <= !rst & (seen | host_reads);
    if (host_reads) host_word <= read_1 ? now1 : now0;
  end
  (* keep *) wire h_was;
  (* keep *) wire [W-1:0] h_kept;
  `PROVE(h3_host_word, !legal | !seen | (host_rdata == host_word))
  `PROVE(lemma_host, !legal | ((h_was == was) & (!was | (h_word == host_word)) & (was | !seen | (h_kept == host_word))))
  `COVER(cover_host, seen & (host_word != 0))
`endif
  `COVER(cover_written, legal & st_arrives & ld_take & (strb == 0))
`endif
endmodule
