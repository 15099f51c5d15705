// Tag components, from hardware.md, section 2: data goes straight through; `add_tag` gives the configured tag,
// `del_tag` none, `map_tag` the one of the table's entry for it. A tag without an entry stops `map_tag`.
`include "common.vh"
`include "ports.vh"

module top (input clk, input rst_in, input in_valid, input out_ready, input [`WIDTH-1:0] in_data,
            input [`TAG-1:0] in_tag);
  `RESET
`ifdef CFG
  (* anyconst *) wire [`CFG-1:0] cfg;
`endif
  wire in_ready, out_valid;
  wire [`WIDTH-1:0] out_data;
  wire [`TAG-1:0] out_tag;
  wire [15:0] error_code;
  `DUT dut (`PORTS);
  env_channel #(`WIDTH + `TAG) env_in (clk, rst, in_valid, in_ready, {in_tag, in_data});
  check_channel #(`WIDTH) data (clk, rst, out_valid, out_ready, out_data);

  wire takes = in_valid & in_ready, gives = out_valid & out_ready;
  `PROVE(h3_one_out_for_each_in, takes == gives)
`ifdef DATA
  `PROVE(h3_data, !out_valid | (out_data == in_data))
`else
  assign out_data = 0;
`endif

`ifdef MAP
  // From the lowest entry up, so that the first one of a tag counts.
  wire [`ENTRIES-1:0] hits;
  wire [`ENTRIES-1:0] again;
  genvar k, j;
  generate
    for (k = 0; k < `ENTRIES; k = k + 1) begin : entry
      wire valid = cfg[`F_entry0_valid + k * (`F_entry1_valid - `F_entry0_valid)];
      wire [`TAG-1:0] source = cfg[`F_entry0_src_tag + k * (`F_entry1_valid - `F_entry0_valid) +: `TAG];
      wire [`TAG-1:0] target = cfg[`F_entry0_dst_tag + k * (`F_entry1_valid - `F_entry0_valid) +: `TAG];
      assign hits[k] = valid & (source == in_tag);
      wire [`ENTRIES-1:0] same;
      for (j = 0; j < `ENTRIES; j = j + 1) begin : other
        assign same[j] = j < k && entry[j].valid && valid && entry[j].source == source;
      end
      assign again[k] = |same;
      `PROVE(h3_tag, (|again) | !(out_valid & hits[k]) | (out_tag == target))
    end
  endgenerate
  wire hit = |hits, legal = !(|again);
  reg failed = 0;
  always @(posedge clk) failed <= !rst & (failed | (in_valid & !hit));
  `PROVE(h3_offers_known_tags_only, !out_valid | (in_valid & hit))
  `PROVE(live_passes, !(in_valid & hit & out_ready & !failed) | takes)
  `PROVE(live_offers, !(in_valid & hit) | out_valid)
  `PROVE(error_code_is_right, error_code == (!legal ? 9 : failed ? 258 : 0))
  `PROVE(error_stops, !failed | !takes)
  `PROVE(reset_clears_errors, !after_rst | !legal | (error_code == 0))
  check_channel #(`TAG) tag (clk, rst, out_valid & legal, out_ready, out_tag);
  `COVER(cover_second_entry, legal & takes & hits[1])
  `COVER(cover_failed, legal & failed)
`else
  `PROVE(live_passes, !(in_valid & out_ready) | takes)
  `PROVE(live_offers, out_valid == in_valid)
`ifdef ADD
  `PROVE(h3_tag, !out_valid | (out_tag == cfg[`F_tag +: `TAG]))
  check_channel #(`TAG) tag (clk, rst, out_valid, out_ready, out_tag);
`endif
  `COVER(cover_passes, takes)
`endif
endmodule
