// A slice of the configuration chain, from hardware.md, section 6: a queue that words pass through, WORDS behind.
`include "common.vh"
`include "ports.vh"

module top (input clk, input rst_in, input in_valid, input [31:0] in_data);
  `RESET
  wire [31:0] out_data;
  wire [`BITS-1:0] bits;
  `DUT dut (`PORTS);

  // The last words that came, the newest on top; 0 after reset.
  reg [`WORDS*32-1:0] came = 0;
  always @(posedge clk)
    if (rst) came <= 0;
    else if (in_valid) came <= {in_data, came} >> 32;
  `PROVE(h3_bits, bits == came[`BITS-1:0])
  `PROVE(h3_word, out_data == came[31:0])
  `PROVE(reset_empties, !after_rst | (bits == 0))
  `COVER(cover_through, in_valid & (out_data != 0))
endmodule
