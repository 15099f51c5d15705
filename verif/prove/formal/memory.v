// `extmemory` (`AXI`) and `memory` with one load and one store lane, no tags, one region, queues of two, from hardware.md,
// section 9. An AXI slave answers what was asked, each channel in order, when it likes; all regions are possible.
//
// The front comes first, then the two back ends: each says when it takes a load or a store (`ld_room`, `st_room`) and
// which results arrive (`r` with `element`, `b`).
`include "common.vh"
`include "ports.vh"

// A queue that a token may pass in the cycle in which it comes.
module check_through_queue #(parameter W = 1, parameter D = 2)
  (input clk, input rst, input push, input [W-1:0] in, input offer, input pop, input [W-1:0] out, output [7:0] count,
   output at_head, output at_next, output [W-1:0] followed);
  wire through = push & (count == 0);
  check_queue #(W, D) stored (clk, rst, push & !(through & pop), in, offer & (count != 0), pop & (count != 0), out, count,
    at_head, at_next, followed);
  `PROVE(live_offers, offer == ((count != 0) | push))
  `PROVE(h3_passes_unchanged, !(through & offer) | (out == in))
endmodule

module top (input clk, input rst_in, input ld_addr_valid, input [7:0] ld_addr_data, input st_addr_valid,
            input [7:0] st_addr_data, input st_data_valid, input [`W-1:0] st_data_data, input ld_data_ready,
            input ld_done_ready, input st_done_ready, input axi_arready, input axi_awready, input axi_wready,
            input axi_rvalid, input [`W-1:0] axi_rdata, input axi_rid, input [1:0] axi_rresp, input axi_rlast,
            input axi_bvalid, input axi_bid, input [1:0] axi_bresp, input host_req, input host_we,
            input [31:0] host_addr, input [`W-1:0] host_wdata, input [`W/8-1:0] host_wstrb);
  `RESET
  localparam W = `W, B = `W / 8, Q = 2;
  (* anyconst *) wire [`CFG-1:0] cfg;
  wire ld_addr_ready, st_addr_ready, st_data_ready, ld_data_valid, ld_done_valid, st_done_valid, busy;
  wire [W-1:0] ld_data_data;
  wire [15:0] error_code;
  wire axi_arvalid, axi_awvalid, axi_wvalid, axi_rready, axi_bready, axi_wlast, axi_arid, axi_awid;
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
  env_channel #(8) env_ld (clk, rst, ld_addr_valid, ld_addr_ready, ld_addr_data);
  env_channel #(8) env_sa (clk, rst, st_addr_valid, st_addr_ready, st_addr_data);
  env_channel #(W) env_sd (clk, rst, st_data_valid, st_data_ready, st_data_data);

  // The region.
  wire used = cfg[`F_region0_valid];
  wire [15:0] first = cfg[`F_region0_start_lane +: 16];
  wire [16:0] last = cfg[`F_region0_end_lane +: 17];
  wire [31:0] offset = cfg[`F_region0_addr_offset +: 32];
  wire [1:0] size = cfg[`F_region0_elem_size_log2 +: 2];
  wire empty = used & (last <= first), too_wide = used & ((8 << size) > W);
  wire legal = !empty & !too_wide;
  wire holds_lane = used & (first == 0) & (last != 0);
`ifdef AXI
  localparam [33:0] BYTES = 34'h1_0000_0000;
`else
  localparam [33:0] BYTES = 2 * B;
`endif
  wire [33:0] ld_byte = offset + ({26'b0, ld_addr_data} << size), st_byte = offset + ({26'b0, st_addr_data} << size);
  wire [31:0] ld_at = ld_byte & ~((32'b1 << size) - 1), st_at = st_byte & ~((32'b1 << size) - 1);
  wire ld_bad = !holds_lane | (ld_byte >= BYTES), st_bad = !holds_lane | (st_byte >= BYTES);
  // The element in its byte lane.
  wire [2:0] st_lane = st_at & (B - 1), ld_lane = ld_at & (B - 1);
  wire [B-1:0] st_strb = ((1 << (1 << size)) - 1) << st_lane;
  wire [W-1:0] st_word = st_data_data << (8 * st_lane);
  wire [W-1:0] element_mask;
  genvar k;
  generate
    for (k = 0; k < B; k = k + 1) begin : byte_of_element
      assign element_mask[8*k +: 8] = {8{k < (1 << size)}};
    end
  endgenerate

  // What is owed, and the errors.
  reg [7:0] data_owed = 0, done_owed = 0, st_owed = 0;
  reg no_region = 0, outside = 0, alone_too_long = 0, refused = 0;
  reg [15:0] alone = 0;
  wire failed = no_region | outside | alone_too_long | refused;
  wire ld_room, st_room, r, b, refuses, held;
  wire [W-1:0] element;
  wire ld_may = (data_owed < Q) & (done_owed < Q) & !failed & ld_room;
  wire st_may = (st_owed < Q) & !failed & st_room;
  wire st_both = st_addr_valid & st_data_valid, st_one = st_addr_valid ^ st_data_valid;
  wire ld_expected = ld_addr_valid & !ld_bad & ld_may, st_expected = st_both & !st_bad & st_may;
  wire ld_take = ld_addr_valid & ld_addr_ready, st_take = st_addr_valid & st_addr_ready;
  always @(posedge clk)
    if (rst) begin
      {data_owed, done_owed, st_owed, alone} <= 0;
      {no_region, outside, alone_too_long, refused} <= 0;
    end else begin
      data_owed <= data_owed + ld_take - (ld_data_valid & ld_data_ready);
      done_owed <= done_owed + ld_take - (ld_done_valid & ld_done_ready);
      st_owed <= st_owed + st_take - (st_done_valid & st_done_ready);
      alone <= st_one ? (alone == 65535 ? 65535 : alone + 1) : 0;
      no_region <= no_region | ((ld_addr_valid | st_both) & !holds_lane);
      outside <= outside | (holds_lane & ((ld_addr_valid & ld_bad) | (st_both & st_bad)));
      alone_too_long <= alone_too_long | (st_one & (alone == 65535));
      refused <= refused | refuses;
    end
  `PROVE(h3_load_taken_when_allowed, !legal | !ld_take | ld_expected)
  `PROVE(live_load, !legal | !ld_expected | ld_take)
  `PROVE(h3_store_taken_when_allowed, !legal | (!st_take & !(st_data_valid & st_data_ready)) | st_expected)
  `PROVE(live_store, !legal | !st_expected | (st_take & st_data_ready))

  // Results, in order, once, unchanged.
  wire [7:0] data_count, ld_dones, st_dones;
  wire at_head, at_next;
  wire [W-1:0] followed;
  check_through_queue #(W, Q) data (clk, rst | !legal, r, element, ld_data_valid, ld_data_valid & ld_data_ready,
    ld_data_data, data_count, at_head, at_next, followed);
  check_through_queue #(1, Q) ld_done (clk, rst | !legal, r, 1'b0, ld_done_valid, ld_done_valid & ld_done_ready, 1'b0,
    ld_dones);
  check_through_queue #(1, Q) st_done (clk, rst | !legal, b, 1'b0, st_done_valid, st_done_valid & st_done_ready, 1'b0,
    st_dones);
  check_channel #(W) ld_data (clk, rst, ld_data_valid & legal, ld_data_ready, ld_data_data);
  check_channel #(1) ld_done_out (clk, rst, ld_done_valid & legal, ld_done_ready, 1'b0);
  check_channel #(1) st_done_out (clk, rst, st_done_valid & legal, st_done_ready, 1'b0);

  // The registers of the front.
  (* keep *) wire [1:0] h_data_owed, h_done_owed, h_st_owed, h_data_count, h_ld_dones, h_st_dones;
  (* keep *) wire h_261, h_none, h_outside, h_read, h_write;
  (* keep *) wire [15:0] h_alone;
  (* keep *) wire [W-1:0] h_entry0, h_entry1;
  `PROVE(lemma_owed, !legal | ((data_owed <= Q) & (done_owed <= Q) & (st_owed <= Q)))
  `PROVE(lemma_owed_inside, !legal | ((h_data_owed == data_owed) & (h_done_owed == done_owed) & (h_st_owed == st_owed)))
  `PROVE(lemma_errors, !legal | ((h_261 == alone_too_long) & (h_none == no_region) & (h_outside == outside)))
  `PROVE(lemma_queues, !legal | ((h_data_count == data_count) & (h_ld_dones == ld_dones) & (h_st_dones == st_dones)))
  `PROVE(lemma_alone, !legal | (h_alone == alone))
  // The ring of data: entry `read` is the oldest.
  `PROVE(lemma_ring, !legal | ((h_write ^ h_read) == data_count[0]))
  `PROVE(lemma_head, !legal | !at_head | ((h_read ? h_entry1 : h_entry0) == followed))
  `PROVE(lemma_next, !legal | !at_next | ((h_read ? h_entry0 : h_entry1) == followed))

`ifdef AXI
  wire [15:0] code = empty ? 15 : too_wide ? 19 : alone_too_long ? 261 : no_region ? 265 : outside ? 266 :
                     refused ? 267 : 0;
`else
  wire [15:0] code = empty ? 13 : too_wide ? 19 : alone_too_long ? 261 : no_region ? 264 : outside ? 266 : 0;
`endif
  `PROVE(error_code_is_right, error_code == code)
  `PROVE(error_stops, !legal | !failed | (!ld_take & !st_take))
  `PROVE(reset_empties, !after_rst | !busy)
  `PROVE(reset_clears_errors, !after_rst | !legal | (error_code == 0))
  `PROVE(h3_busy, !legal | (busy == ((data_owed != 0) | (done_owed != 0) | (st_owed != 0) | held)))
  `COVER(cover_load, legal & ld_data_valid & ld_data_ready & (ld_data_data != 0))
  `COVER(cover_store, legal & st_done_valid & st_done_ready)
  `COVER(cover_waits, legal & (data_count == 2))
  `COVER(cover_outside, legal & outside)

`ifdef AXI
  // AXI: an address or data that is not taken at once waits in a register.
  reg ar_full = 0, aw_full = 0, w_full = 0;
  assign ld_room = !ar_full, st_room = !aw_full & !w_full, held = ar_full | aw_full | w_full;
  assign r = axi_rvalid & !axi_rid, b = axi_bvalid & !axi_bid;
  assign refuses = (axi_rvalid & (axi_rresp != 0)) | (axi_bvalid & (axi_bresp != 0));
  // The slave answers reads whose address and writes whose address and data it took.
  reg [7:0] reads = 0, writes = 0, writes_data = 0;
  always @(posedge clk)
    if (rst) begin
      {ar_full, aw_full, w_full} <= 0;
      {reads, writes, writes_data} <= 0;
    end else begin
      ar_full <= (ar_full | ld_take) & !axi_arready;
      aw_full <= (aw_full | st_take) & !axi_awready;
      w_full <= (w_full | st_take) & !axi_wready;
      reads <= reads + (axi_arvalid & axi_arready) - r;
      writes <= writes + (axi_awvalid & axi_awready) - b;
      writes_data <= writes_data + (axi_wvalid & axi_wready) - b;
    end
  always @* assume (!r | (reads != 0));
  always @* assume (!b | ((writes != 0) & (writes_data != 0)));

  // Requests are shown once each, in order; bytes of a word outside its element are anything.
  reg [31:0] ar_kept, aw_kept;
  reg [W-1:0] w_kept;
  reg [B-1:0] strb_kept;
  wire [W-1:0] w_mask;
  generate
    for (k = 0; k < B; k = k + 1) begin : byte_of_word
      assign w_mask[8*k +: 8] = {8{axi_wstrb[k]}};
    end
  endgenerate
  always @(posedge clk) begin
    if (ld_take) ar_kept <= ld_at;
    if (st_take) begin
      aw_kept <= st_at;
      w_kept <= st_word;
      strb_kept <= st_strb;
    end
  end
  `PROVE(h3_ar_for_each_load, !legal | (axi_arvalid == (ar_full | ld_take)))
  `PROVE(h3_aw_for_each_store, !legal | (axi_awvalid == (aw_full | st_take)))
  `PROVE(h3_w_for_each_store, !legal | (axi_wvalid == (w_full | st_take)))
  `PROVE(h3_ar_address, !legal | !axi_arvalid | (axi_araddr == (ar_full ? ar_kept : ld_at)))
  `PROVE(h3_aw_address, !legal | !axi_awvalid | (axi_awaddr == (aw_full ? aw_kept : st_at)))
  `PROVE(h3_w_strobe, !legal | !axi_wvalid | (axi_wstrb == (w_full ? strb_kept : st_strb)))
  `PROVE(h3_w_data, !legal | !axi_wvalid | (((axi_wdata ^ (w_full ? w_kept : st_word)) & w_mask) == 0))
  wire single = (axi_arlen == 0) & (axi_awlen == 0) & axi_wlast & (axi_arburst == 1) & (axi_awburst == 1);
  `PROVE(h3_single_beats, single & !axi_arid & !axi_awid)
  `PROVE(h3_sizes, !legal | ((!axi_arvalid | (axi_arsize == size)) & (!axi_awvalid | (axi_awsize == size))))
  `PROVE(live_responses_taken, axi_rready & axi_bready)
  check_channel #(36) ar (clk, rst, axi_arvalid & legal, axi_arready, {axi_arid, axi_arsize, axi_araddr});
  check_channel #(36) aw (clk, rst, axi_awvalid & legal, axi_awready, {axi_awid, axi_awsize, axi_awaddr});
  check_channel #(W + B) w (clk, rst, axi_wvalid & legal, axi_wready, {axi_wstrb, axi_wdata});

  // An answer is the element of the oldest open load, cut out of the word. Two loads at most are open.
  reg [2:0] lane0, lane1;
  reg [1:0] open = 0;
  wire [1:0] open_after = open - r;
  always @(posedge clk) begin
    open <= rst ? 0 : open + ld_take - r;
    if (r) lane0 <= lane1;
    if (ld_take & (open_after == 0)) lane0 <= ld_lane;
    if (ld_take & (open_after == 1)) lane1 <= ld_lane;
  end
  assign element = (axi_rdata >> (8 * lane0)) & element_mask;
  (* keep *) wire h_267;
  `PROVE(lemma_refused, !legal | (h_267 == refused))
  `PROVE(lemma_open, !legal | ((open == reads + ar_full) & (data_owed == open + data_count)))
  `PROVE(lemma_done_owed, !legal | (done_owed == open + ld_dones))
  `PROVE(lemma_st_owed, !legal | ((st_owed == writes + aw_full + st_dones) & (writes + aw_full == writes_data + w_full)))
  `PROVE(lemma_counts, !legal | ((reads <= Q) & (writes <= Q) & (writes_data <= Q) & (open <= Q)))
  `PROVE(lemma_lanes, !legal | (((open == 0) | (holds_lane & (lane0 < B))) & ((open < 2) | (lane1 < B))))
`ifdef PLACES
  // Byte lane and size of open loads, a ring too.
  (* keep *) wire [1:0] h_places;
  (* keep *) wire h_place_read, h_place_write;
  (* keep *) wire [3:0] h_place0, h_place1;
  wire [3:0] oldest = h_place_read ? h_place1 : h_place0, second = h_place_read ? h_place0 : h_place1;
  `PROVE(lemma_places, !legal | ((h_places == open) & ((h_place_write ^ h_place_read) == open[0])))
  `PROVE(lemma_oldest_place, !legal | (open == 0) | (oldest == {size, lane0[1:0]}))
  `PROVE(lemma_second_place, !legal | (open < 2) | (second == {size, lane1[1:0]}))
`endif
  `COVER(cover_two_open, legal & (open == 2))
  `COVER(cover_refused, legal & refused)
`else
  // The words: what is there after a reset stays until written. A read shows what was there before a write of its cycle.
`ifdef HOST
  wire host_reads = host_req & !host_we, host_writes = host_req & host_we;
`else
  wire host_reads = 0, host_writes = 0;
`endif
  assign ld_room = !host_reads, st_room = !host_writes, held = 0, refuses = 0;
  (* keep *) wire [W-1:0] h_words0, h_words1, h_word;
  (* keep *) wire h_load_arrives, h_store_arrives;
  reg [W-1:0] words0, words1, read;
  wire [W-1:0] now0 = after_rst ? h_words0 : words0, now1 = after_rst ? h_words1 : words1;
  reg ld_arrives = 0, st_arrives = 0;
  reg [2:0] low;
  wire [B-1:0] strb = host_writes ? host_wstrb : st_take ? st_strb : 0;
  wire [31:0] write_at = host_writes ? host_addr : st_at, read_at = host_reads ? host_addr : ld_at;
  wire [W-1:0] write_word = host_writes ? host_wdata : st_word;
  wire write_1 = (write_at & B) != 0, read_1 = (read_at & B) != 0;
  wire [W-1:0] w_mask;
  generate
    for (k = 0; k < B; k = k + 1) begin : byte_of_word
      assign w_mask[8*k +: 8] = {8{strb[k]}};
    end
  endgenerate
  always @(posedge clk) begin
    words0 <= write_1 ? now0 : (now0 & ~w_mask) | (write_word & w_mask);
    words1 <= write_1 ? (now1 & ~w_mask) | (write_word & w_mask) : now1;
    ld_arrives <= !rst & ld_take;
    st_arrives <= !rst & st_take;
    if (ld_take | host_reads) read <= read_1 ? now1 : now0;
    if (ld_take) low <= ld_lane;
  end
  assign r = ld_arrives, b = st_arrives, element = (read >> (8 * low)) & element_mask;
  `PROVE(lemma_arrives, !legal | ((h_load_arrives == ld_arrives) & (h_store_arrives == st_arrives)))
  `PROVE(lemma_words, !legal | ((h_words0 == now0) & (h_words1 == now1)))
  `PROVE(lemma_low, !legal | !ld_arrives | (holds_lane & (low < B)))
  `PROVE(lemma_word, !legal | !ld_arrives | (h_word == read))
  `PROVE(lemma_ld_owed, !legal | ((data_owed == ld_arrives + data_count) & (done_owed == ld_arrives + ld_dones)))
  `PROVE(lemma_st_owed, !legal | (st_owed == st_arrives + st_dones))
`ifdef PLACES
  (* keep *) wire [1:0] h_low, h_size;
  `PROVE(lemma_place, !legal | !ld_arrives | ((h_low == low[1:0]) & (h_size == size)))
`endif
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
