// A step of the configuration chain from tile to tile, from hardware.md, section 6: a word goes on in the next cycle.
`include "common.vh"
`include "ports.vh"

module top (input clk, input rst_in, input in_valid, input [31:0] in_data);
  `RESET
  wire out_valid;
  wire [31:0] out_data;
  `DUT dut (`PORTS);

  reg [31:0] came;
  reg passed = 0;
  always @(posedge clk) begin
    passed <= !rst & in_valid;
    came <= in_data;
  end
  `PROVE(h3_one_out_for_each_in, out_valid == passed)
  `PROVE(h3_word, !out_valid | (out_data == came))
  `PROVE(reset_empties, !after_rst | !out_valid)
  `COVER(cover_through, out_valid & (out_data != 0))
endmodule
