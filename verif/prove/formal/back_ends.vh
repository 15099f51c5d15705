// Inside `top`: the back ends, an AXI4 master or a scratchpad. They are told what is taken (`ld_take`, `st_take` and what
// regions.vh makes of it), and say when they take a load or a store (`ld_room`, `st_room`) and which results arrive, of
// which lane (`r`, `r_lane` with `element`; `b`, `b_lane`).
`ifdef AXI
  // AXI: an address or data that is not taken at once waits in a register, with its lane.
  reg ar_full = 0, aw_full = 0, w_full = 0, ar_lane, aw_lane;
  assign ld_room = !ar_full, st_room = !aw_full & !w_full, held = ar_full | aw_full | w_full;
  assign r = axi_rvalid & (axi_rid < L), r_lane = axi_rid[0], b = axi_bvalid & (axi_bid < L), b_lane = axi_bid[0];
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
  check_channel #(35 + `ID) ar (clk, rst, axi_arvalid & legal, axi_arready, {axi_arid, axi_arsize, axi_araddr});
  check_channel #(35 + `ID) aw (clk, rst, axi_awvalid & legal, axi_awready, {axi_awid, axi_awsize, axi_awaddr});
  check_channel #(W + B) w (clk, rst, axi_wvalid & legal, axi_wready, {axi_wstrb, axi_wdata});

  // Byte lane and size of each open load, in the order of its lane; an answer is the element of the oldest.
  wire [5*L-1:0] place;
  wire [4:0] oldest = place[5*r_lane +: 5];
  wire [W-1:0] element_mask;
  generate
    for (k = 0; k < B; k = k + 1) begin : byte_of_element
      assign element_mask[8*k +: 8] = {8{k < (1 << oldest[4:3])}};
    end
  endgenerate
`ifdef PLACES
  (* keep *) wire [2*L-1:0] h_place_count;
  (* keep *) wire [L-1:0] h_place_read, h_place_write;
  (* keep *) wire [8*L-1:0] h_place_entries;
`endif
  assign element = (axi_rdata >> (8 * oldest[2:0])) & element_mask;
  (* keep *) wire h_267;
  `PROVE(lemma_refused, !legal | (h_267 == refused))
  wire [L-1:0] one_open, all_open;
  generate
    for (l = 0; l < L; l = l + 1) begin : open
      // The slave answers reads that it took and writes that were made, each lane in order.
      reg [2:0] reads = 0, writes = 0;
      always @(posedge clk) begin
        reads <= rst ? 0 : reads + (ar_goes & (axi_arid == l)) - lane[l].r_mine;
        writes <= rst ? 0 : writes + (made & (made_lane == l)) - lane[l].b_mine;
      end
      always @* assume (!lane[l].r_mine | (reads != 0));
      always @* assume (!lane[l].b_mine | (writes != 0));
      wire [2:0] loads = reads + (ar_full & (ar_lane == l)), stores = writes + ((aw_full | w_full) & (aw_lane == l));
      assign one_open[l] = reads != 0, all_open[l] = reads == Q;
      `PROVE(lemma_reads, !legal | (reads <= Q & writes <= Q))
      `PROVE(lemma_data_owed, !legal | (data_owed[3*l +: 3] == loads + data_count[2*l +: 2]))
      `PROVE(lemma_done_owed, !legal | (done_owed[3*l +: 3] == loads + ld_dones[2*l +: 2]))
      `PROVE(lemma_st_owed, !legal | (st_owed[3*l +: 3] == stores + st_dones[2*l +: 2]))
`ifdef PLACES
      wire [1:0] count;
      wire [3:0] at, then;
      assign place[5*l +: 5] = {at[3:2], 1'b0, at[1:0]};
      lane_queue #(4) places (clk, rst | !legal, legal, lane[l].ld_mine, {ld_size, ld_low[1:0]}, lane[l].r_mine, , , count, at, then,
        h_place_count[2*l +: 2], h_place_read[l], h_place_write[l], h_place_entries[8*l +: 8]);
      `PROVE(lemma_places, !legal | (count == loads))
      `PROVE(lemma_sizes, !legal | (((count == 0) | ((8 << at[3:2]) <= W)) & ((count < 2) | ((8 << then[3:2]) <= W))))
`else
      assign place[5*l +: 5] = 0;
`endif
    end
    if ((1 << `ID) > L) begin : strange
      `COVER(cover_no_lane, legal & axi_rvalid & (axi_rid >= L) & axi_bvalid & (axi_bid >= L))
    end
  endgenerate
  `COVER(cover_written, legal & w_goes & (axi_wdata != 0))
  `COVER(cover_each_open, legal & (&one_open))
  `COVER(cover_two_open, legal & (|all_open))
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
`ifdef SEVERAL
  (* keep *) wire h_load_lane, h_store_lane;
  `PROVE(lemma_lanes, !legal | ((!ld_arrives | (h_load_lane == ld_of)) & (!st_arrives | (h_store_lane == st_of))))
`endif
  `PROVE(lemma_words, !legal | ((h_words0 == now0) & (h_words1 == now1)))
  `PROVE(lemma_word, !legal | !ld_arrives | ((h_word == read) & (low < B) & ((8 << size) <= W)))
`ifdef PLACES
  (* keep *) wire [1:0] h_low, h_size;
  `PROVE(lemma_place, !legal | !ld_arrives | ((h_low == low[1:0]) & (h_size == size)))
`endif
  generate
    for (l = 0; l < L; l = l + 1) begin : open
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
