// A node of the error and idle trees, from hardware.md, section 7: the smallest code, then the smallest unit. The
// units of a node stand in ascending order.
`include "common.vh"
`include "ports.vh"

module top (input clk, input rst_in, input [15:0] code0, input [15:0] code1, input [15:0] code2, input [15:0] unit0,
            input [15:0] unit1, input [15:0] unit2, input busy0, input busy1);
  `RESET
  wire [15:0] code, unit;
  wire busy;
  `DUT dut (`PORTS);
  always @* assume ((unit0 < unit1) & (unit1 < unit2));

  reg [15:0] c0 = 0, c1 = 0, c2 = 0, u0, u1, u2;
  reg b = 0;
  always @(posedge clk) begin
    c0 <= rst ? 0 : code0;
    c1 <= rst ? 0 : code1;
    c2 <= rst ? 0 : code2;
    u0 <= unit0;
    u1 <= unit1;
    u2 <= unit2;
    b <= !rst & (busy0 | busy1);
  end
  wire any = (c0 != 0) | (c1 != 0) | (c2 != 0);
  wire is0 = (c0 != 0) & (code == c0) & (unit == u0);
  wire is1 = (c1 != 0) & (code == c1) & (unit == u1);
  wire is2 = (c2 != 0) & (code == c2) & (unit == u2);
  `PROVE(error_none_from_nothing, any | (code == 0))
  `PROVE(error_one_of_them, !any | is0 | is1 | is2)
  `PROVE(error_smallest_code, !any | (((c0 == 0) | (code <= c0)) & ((c1 == 0) | (code <= c1)) & ((c2 == 0) | (code <= c2))))
  wire unit_is_least = ((code != c0) | (unit <= u0)) & ((code != c1) | (unit <= u1)) & ((code != c2) | (unit <= u2));
  `PROVE(error_smallest_unit, !any | unit_is_least)
  `PROVE(h3_busy, busy == b)
  `PROVE(reset_empties, !after_rst | (!busy & (code == 0)))
  `COVER(cover_tie, (c0 != 0) & (c0 == c2) & (code == c0))
endmodule
