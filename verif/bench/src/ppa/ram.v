// Stands for the array of a RAM whose words are not mapped to cells: a register at each of its inputs and outputs, so that
// paths to and from it are timed and nothing of it is optimised away.
(* techmap_celltype = "$mem_v2" *)
module loom_ram_ports (RD_CLK, RD_EN, RD_ARST, RD_SRST, RD_ADDR, RD_DATA, WR_CLK, WR_EN, WR_ADDR, WR_DATA);
  parameter MEMID = "";
  parameter SIZE = 1;
  parameter OFFSET = 0;
  parameter ABITS = 1;
  parameter WIDTH = 1;
  parameter INIT = 0;
  parameter RD_PORTS = 1;
  parameter RD_CLK_ENABLE = 1;
  parameter RD_CLK_POLARITY = 1;
  parameter RD_TRANSPARENCY_MASK = 0;
  parameter RD_COLLISION_X_MASK = 0;
  parameter RD_WIDE_CONTINUATION = 0;
  parameter RD_CE_OVER_SRST = 0;
  parameter RD_ARST_VALUE = 0;
  parameter RD_SRST_VALUE = 0;
  parameter RD_INIT_VALUE = 0;
  parameter WR_PORTS = 1;
  parameter WR_CLK_ENABLE = 1;
  parameter WR_CLK_POLARITY = 1;
  parameter WR_PRIORITY_MASK = 0;
  parameter WR_WIDE_CONTINUATION = 0;

  localparam OUT = RD_PORTS * WIDTH;
  localparam IN = RD_PORTS * (ABITS + 1) + WR_PORTS * (ABITS + 2 * WIDTH);
  localparam ROWS = (IN + OUT - 1) / OUT;

  input [RD_PORTS-1:0] RD_CLK, RD_EN, RD_ARST, RD_SRST;
  input [RD_PORTS*ABITS-1:0] RD_ADDR;
  output [OUT-1:0] RD_DATA;
  input [WR_PORTS-1:0] WR_CLK;
  input [WR_PORTS*WIDTH-1:0] WR_EN, WR_DATA;
  input [WR_PORTS*ABITS-1:0] WR_ADDR;

  wire _TECHMAP_FAIL_ = ~&RD_CLK_ENABLE;

  reg [ROWS*OUT-1:0] taken;
  always @(posedge WR_CLK[0]) taken <= {RD_ADDR, RD_EN, WR_ADDR, WR_EN, WR_DATA};
  reg [OUT-1:0] mixed;
  integer row;
  always @* begin
    mixed = 0;
    for (row = 0; row < ROWS; row = row + 1) mixed = mixed ^ taken[row*OUT +: OUT];
  end
  reg [OUT-1:0] given;
  always @(posedge RD_CLK[0]) given <= mixed;
  assign RD_DATA = given;
endmodule
