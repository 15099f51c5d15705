// A slice of the configuration chain, from hardware.md, section 6: a queue that words pass through, WORDS behind.
`include "common.vh"
`include "ports.vh"

module top (input clk, input rst_in, input in_valid, input [31:0] in_data);
  `RESET
  wire out_valid;
  wire [31:0] out_data;
  wire [`BITS-1:0] bits;
  `DUT dut (`PORTS);

  // The last words that came, the newest on top; 0 after reset.
  reg [`WORDS*32-1:0] came = 0;
  reg [31:0] left = 0;
  reg passed = 0;
  always @(posedge clk)
    if (rst) begin
      came <= 0;
      left <= 0;
      passed <= 0;
    end else begin
      passed <= in_valid;
      if (in_valid) begin
        came <= {in_data, came} >> 32;
        left <= came[31:0];
      end
    end
  `PROVE(h3_bits, bits == came[`BITS-1:0])
  `PROVE(h3_one_out_for_each_in, out_valid == passed)
  `PROVE(h3_word, !out_valid | (out_data == left))
  `PROVE(reset_empties, !after_rst | ((bits == 0) & !out_valid))
  `COVER(cover_through, out_valid & (out_data != 0))
endmodule
