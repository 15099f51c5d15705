// Scratchpad of 64 bytes: 1 load and 1 store lanes, words of 16 bits, 1 regions.
// A lane has at most 3 requests outstanding; results leave lane by lane in the order of requests.
// Errors of the configuration: two regions hold a lane, a region is empty, elements wider than words.
// Errors at run time: 264 no region for a lane, 266 an address beyond the memory; then nothing
// more is taken until reset.
`default_nettype none

module loom_memory_l1_s1_q3_w16_a32_r1_b64_host (
  input  wire clk,
  input  wire rst_n,
  input  wire ld_addr_valid,
  output wire ld_addr_ready,
  input  wire [31:0] ld_addr_data,
  input  wire st_addr_valid,
  output wire st_addr_ready,
  input  wire [31:0] st_addr_data,
  input  wire st_data_valid,
  output wire st_data_ready,
  input  wire [15:0] st_data_data,
  output wire ld_data_valid,
  input  wire ld_data_ready,
  output wire [15:0] ld_data_data,
  output wire ld_done_valid,
  input  wire ld_done_ready,
  output wire st_done_valid,
  input  wire st_done_ready,
  input  wire [159:0] cfg,
  output wire [15:0] error_code,
  output wire busy,
  input  wire host_req,
  input  wire host_we,
  input  wire [31:0] host_addr,
  input  wire [15:0] host_wdata,
  input  wire [1:0] host_wstrb,
  output wire [15:0] host_rdata
);
  localparam [15:0] CFG_MEMORY_EMPTY_TAG_RANGE = 16'd13;
  localparam [15:0] CFG_MEMORY_ELEMENT_SIZE = 16'd19;
  localparam [15:0] RT_MEMORY_NO_MATCH = 16'd264;
  localparam [15:0] RT_MEMORY_ADDRESS_OUT_OF_RANGE = 16'd266;

  // The host goes first.
  wire host_reads = host_req & ~host_we;
  wire host_writes = host_req & host_we;

  // Region 0: lanes from start up to end; it overlaps when one before it has one of them.
  wire region0_valid = cfg[0];
  wire [15:0] region0_start = cfg[47:32];
  wire [16:0] region0_end = cfg[80:64];
  wire [31:0] region0_offset = cfg[127:96];
  wire [1:0] region0_size = cfg[129:128];
  wire region0_some = {1'b0, region0_start} < region0_end;
  wire region0_used = region0_valid & region0_some;
  wire region0_lanes = region0_used & ~(|region0_start);
  wire size0_lanes = region0_lanes & region0_size[0];
  wire size1_lanes = region0_lanes & region0_size[1];

  // After a run-time error nothing is taken until reset.
  wire failed;

  // Tokens of ld_data that are owed.
  reg [1:0] ld_data_owed0_q;

  // Tokens of ld_done that are owed.
  reg [1:0] ld_done_owed0_q;

  // A load request: the first lane, from load_pointer_q on, that has an address and room.
  wire load_offers = ld_addr_valid & ~(ld_data_owed0_q == 2'd3) & ~(ld_done_owed0_q == 2'd3);
  wire load_valid = load_offers;
  wire [31:0] load_element = ld_addr_data;
  wire load_in0 = region0_lanes;
  wire load_hit = load_in0;
  wire [5:0] load_offset = {6{load_in0}} & region0_offset[5:0];
  wire [1:0] load_size = {size1_lanes, size0_lanes};
  wire [32:0] load_scaled = load_size[0] ? {load_element, 1'b0} : {1'b0, load_element};
  wire [6:0] load_sum = {1'b0, load_offset} + {1'b0, load_scaled[5:0]};
  wire load_beyond = load_sum[6] | (|load_scaled[32:6]) | (load_in0 & (|region0_offset[31:6]));
  wire [5:0] load_address = {load_sum[5:1], load_sum[0] & ~(2'd0 < load_size)};
  wire load_taken = load_valid & load_hit & ~load_beyond & ~host_reads & ~failed;
  assign ld_addr_ready = load_taken;

  // Tokens of st_done that are owed.
  reg [1:0] st_done_owed0_q;

  // A store request: the first lane, from store_pointer_q on, that has an address, its data and room.
  wire store_offers = st_addr_valid & st_data_valid & ~(st_done_owed0_q == 2'd3);
  wire store_valid = store_offers;
  wire [31:0] store_element = st_addr_data;
  wire store_in0 = region0_lanes;
  wire store_hit = store_in0;
  wire [5:0] store_offset = {6{store_in0}} & region0_offset[5:0];
  wire [1:0] store_size = {size1_lanes, size0_lanes};
  wire [32:0] store_scaled = store_size[0] ? {store_element, 1'b0} : {1'b0, store_element};
  wire [6:0] store_sum = {1'b0, store_offset} + {1'b0, store_scaled[5:0]};
  wire store_beyond = store_sum[6] | (|store_scaled[32:6]) | (store_in0 & (|region0_offset[31:6]));
  wire [5:0] store_address = {store_sum[5:1], store_sum[0] & ~(2'd0 < store_size)};
  wire store_taken = store_valid & store_hit & ~store_beyond & ~host_writes & ~failed;
  assign st_addr_ready = store_taken;
  assign st_data_ready = store_taken;

  // The words. What is read is what was there before a write of the same cycle.
  reg [15:0] words [0:31];
  wire [1:0] store_strobe = (store_size[0] ? 2'd3 : {1'b0, 1'b1}) << store_address[0];
  wire [15:0] store_word = st_data_data << {store_address[0], 3'd0};
  wire [4:0] write_at = host_writes ? host_addr[5:1] : store_address[5:1];
  wire [15:0] write_word = host_writes ? host_wdata : store_word;
  wire [1:0] write = host_writes ? host_wstrb : store_strobe & {2{store_taken}};
  wire [15:0] word = words[host_reads ? host_addr[5:1] : load_address[5:1]];
  reg [15:0] word_q;
  reg host_read_q;
  reg [15:0] host_kept_q;
  assign host_rdata = host_read_q ? word_q : host_kept_q;

  // A load taken in one cycle arrives in the next.
  reg load_arrives_q;
  reg load_low_q;
  reg load_size_q;
  wire [15:0] shifted = word_q >> {load_low_q, 3'd0};
  wire [15:0] element = load_size_q ? shifted : {8'd0, shifted[7:0]};

  // So does the done of a store.
  reg store_arrives_q;

  // Results of ld_data.
  wire ld_data_arrives = load_arrives_q;
  wire ld_data_push;
  wire ld_data_pop;
  wire ld_data_queues_has;
  wire ld_data_queues_room;
  wire [15:0] ld_data_queues_head;
  loom_lanes_l1_d3_w16 ld_data_queues (
    .clk(clk),
    .rst_n(rst_n),
    .push(ld_data_push),
    .push_data(element),
    .pop(ld_data_pop),
    .has(ld_data_queues_has),
    .room(ld_data_queues_room),
    .head(ld_data_queues_head)
  );
  assign ld_data_valid = ld_data_queues_has | ld_data_arrives;
  assign ld_data_data = ld_data_queues_has ? ld_data_queues_head : element;
  assign ld_data_push = ld_data_arrives & (ld_data_queues_has | ~ld_data_ready);
  assign ld_data_pop = ld_data_queues_has & ld_data_ready;
  wire ld_data_leaves = ld_data_valid & ld_data_ready;

  // Results of ld_done.
  wire ld_done_arrives = load_arrives_q;
  wire ld_done_push;
  wire ld_done_pop;
  wire ld_done_queues_has;
  wire ld_done_queues_room;
  loom_lanes_l1_d3_w0 ld_done_queues (
    .clk(clk),
    .rst_n(rst_n),
    .push(ld_done_push),
    .pop(ld_done_pop),
    .has(ld_done_queues_has),
    .room(ld_done_queues_room)
  );
  assign ld_done_valid = ld_done_queues_has | ld_done_arrives;
  assign ld_done_push = ld_done_arrives & (ld_done_queues_has | ~ld_done_ready);
  assign ld_done_pop = ld_done_queues_has & ld_done_ready;
  wire ld_done_leaves = ld_done_valid & ld_done_ready;

  // Results of st_done.
  wire st_done_arrives = store_arrives_q;
  wire st_done_push;
  wire st_done_pop;
  wire st_done_queues_has;
  wire st_done_queues_room;
  loom_lanes_l1_d3_w0 st_done_queues (
    .clk(clk),
    .rst_n(rst_n),
    .push(st_done_push),
    .pop(st_done_pop),
    .has(st_done_queues_has),
    .room(st_done_queues_room)
  );
  assign st_done_valid = st_done_queues_has | st_done_arrives;
  assign st_done_push = st_done_arrives & (st_done_queues_has | ~st_done_ready);
  assign st_done_pop = st_done_queues_has & st_done_ready;
  wire st_done_leaves = st_done_valid & st_done_ready;

  // Errors: each code has a register; the smallest shows.
  reg error264_q;
  reg error266_q;
  assign failed = error264_q | error266_q;
  assign error_code =
    (region0_valid & ~region0_some)
    ? CFG_MEMORY_EMPTY_TAG_RANGE
    : (region0_valid & (2'd1 < region0_size))
    ? CFG_MEMORY_ELEMENT_SIZE
    : error264_q ? RT_MEMORY_NO_MATCH : error266_q ? RT_MEMORY_ADDRESS_OUT_OF_RANGE : 16'd0;
  assign busy = (|ld_data_owed0_q) | (|ld_done_owed0_q) | (|st_done_owed0_q);

  // Deliberately not read; named so that lint tools know.
  wire unused_ok = &{
    1'b0, cfg[31:1], cfg[63:48], cfg[95:81], cfg[159:130], host_addr[31:6], host_addr[0], ld_data_queues_room,
    ld_done_queues_room, st_done_queues_room
  };

  always @(posedge clk) begin
    if (!rst_n) begin
      ld_data_owed0_q <= 2'd0;
      ld_done_owed0_q <= 2'd0;
      st_done_owed0_q <= 2'd0;
      host_read_q <= 1'b0;
      load_arrives_q <= 1'b0;
      store_arrives_q <= 1'b0;
      error264_q <= 1'b0;
      error266_q <= 1'b0;
    end else begin
      if (load_taken ^ ld_data_leaves) ld_data_owed0_q <= load_taken ? ld_data_owed0_q + 2'd1 : ld_data_owed0_q - 2'd1;
      if (load_taken ^ ld_done_leaves) ld_done_owed0_q <= load_taken ? ld_done_owed0_q + 2'd1 : ld_done_owed0_q - 2'd1;
      if (store_taken ^ st_done_leaves)
        st_done_owed0_q <= store_taken ? st_done_owed0_q + 2'd1 : st_done_owed0_q - 2'd1;
      host_read_q <= host_reads;
      load_arrives_q <= load_taken;
      store_arrives_q <= store_taken;
      error264_q <= error264_q | (load_valid & ~load_hit) | (store_valid & ~store_hit);
      error266_q <= error266_q | (load_valid & load_hit & load_beyond) | (store_valid & store_hit & store_beyond);
    end
    if (load_taken | host_reads) word_q <= word;
    if (host_read_q) host_kept_q <= word_q;
    if (load_taken) load_low_q <= load_address[0];
    if (load_taken) load_size_q <= load_size[0];
    if (write[0]) words[write_at][7:0] <= write_word[7:0];
    if (write[1]) words[write_at][15:8] <= write_word[15:8];
  end
endmodule

`default_nettype wire
