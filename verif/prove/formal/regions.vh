// Inside `top`: the region table, one entry or two, and which of them hold a lane.
  wire used0 = cfg[`F_region0_valid];
  wire [16:0] first0 = cfg[`F_region0_start_lane +: 16], last0 = cfg[`F_region0_end_lane +: 17];
  wire [31:0] offset0 = cfg[`F_region0_addr_offset +: 32];
  wire [1:0] size0 = cfg[`F_region0_elem_size_log2 +: 2];
`ifdef F_region1_valid
  wire used1 = cfg[`F_region1_valid];
  wire [16:0] first1 = cfg[`F_region1_start_lane +: 16], last1 = cfg[`F_region1_end_lane +: 17];
  wire [31:0] offset1 = cfg[`F_region1_addr_offset +: 32];
  wire [1:0] size1 = cfg[`F_region1_elem_size_log2 +: 2];
`else
  wire used1 = 0;
  wire [16:0] first1 = 0, last1 = 0;
  wire [31:0] offset1 = 0;
  wire [1:0] size1 = 0;
`endif
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

  // The region and the bytes of the request of `ld_lane` for `ld_element`, of `st_lane` for `st_element` and `st_value`.
  wire [1:0] ld_in = ld_lane ? lane1_in : lane0_in, st_in = st_lane ? lane1_in : lane0_in;
  wire [1:0] ld_size = ld_in[1] ? size1 : size0, st_size = st_in[1] ? size1 : size0;
  wire [33:0] ld_byte = (ld_in[1] ? offset1 : offset0) + ({26'b0, ld_element} << ld_size);
  wire [33:0] st_byte = (st_in[1] ? offset1 : offset0) + ({26'b0, st_element} << st_size);
  wire [31:0] ld_at = ld_byte & ~((32'b1 << ld_size) - 1), st_at = st_byte & ~((32'b1 << st_size) - 1);
  wire ld_far = ld_byte >= BYTES, st_far = st_byte >= BYTES;
  wire [2:0] ld_low = ld_at & (B - 1), st_low = st_at & (B - 1);
  wire [B-1:0] st_strb = ((1 << (1 << st_size)) - 1) << st_low;
  wire [W-1:0] st_word = st_value << (8 * st_low);
