// Spatial PE: one of 2 function units is active, chosen by the opcode; any input may feed any of its
// inputs, any of its outputs may leave by any output. A discarded token is taken and dropped.
// Outputs are combinational where the active unit is.
// Guarantees: disabled, it takes and offers nothing; ready never reaches valid.
// Errors: CFG_PE_CMPI_PREDICATE_INVALID (11), CFG_PE_MUX (18).
// Units, by opcode:
//   0: addi_w32
//   1: cmpi_w32_1
`default_nettype none

module loom_spatial_pe_2x1_w32_addi_cmpi_w32_1 (
  input  wire in0_valid,
  output wire in0_ready,
  input  wire [31:0] in0_data,
  input  wire in1_valid,
  output wire in1_ready,
  input  wire [31:0] in1_data,
  output wire out0_valid,
  input  wire out0_ready,
  output wire [31:0] out0_data,
  input  wire [13:0] cfg,
  output wire [15:0] error_code
);
  localparam [15:0] CFG_PE_MUX = 16'd18;

  // Configuration.
  wire enable = cfg[0];
  wire opcode = cfg[1];
  wire in_mux0_sel = cfg[2];
  wire in_mux0_discard = cfg[3];
  wire in_mux0_disconnect = cfg[4];
  wire in_mux0_connected = ~in_mux0_disconnect & ~in_mux0_discard;
  wire in_mux0_discards = in_mux0_discard & ~in_mux0_disconnect;
  wire in_mux0_port0 = in_mux0_connected & (in_mux0_sel == 1'b0);
  wire in_mux0_uses0 = ~in_mux0_disconnect & (in_mux0_sel == 1'b0);
  wire in_mux0_port1 = in_mux0_connected & (in_mux0_sel == 1'b1);
  wire in_mux0_uses1 = ~in_mux0_disconnect & (in_mux0_sel == 1'b1);
  wire in_mux1_sel = cfg[5];
  wire in_mux1_discard = cfg[6];
  wire in_mux1_disconnect = cfg[7];
  wire in_mux1_connected = ~in_mux1_disconnect & ~in_mux1_discard;
  wire in_mux1_discards = in_mux1_discard & ~in_mux1_disconnect;
  wire in_mux1_port0 = in_mux1_connected & (in_mux1_sel == 1'b0);
  wire in_mux1_uses0 = ~in_mux1_disconnect & (in_mux1_sel == 1'b0);
  wire in_mux1_port1 = in_mux1_connected & (in_mux1_sel == 1'b1);
  wire in_mux1_uses1 = ~in_mux1_disconnect & (in_mux1_sel == 1'b1);
  wire out_mux0_discard = cfg[8];
  wire out_mux0_disconnect = cfg[9];
  wire out_mux0_connected = ~out_mux0_disconnect & ~out_mux0_discard;
  wire out_mux0_discards = out_mux0_discard & ~out_mux0_disconnect;
  wire out_mux0_port0 = out_mux0_connected;
  wire [3:0] payload = cfg[13:10];
  wire active0 = enable & (opcode == 1'b0);
  wire active1 = enable & (opcode == 1'b1);

  // Input mux 0.
  wire mux0_valid = (in0_valid & in_mux0_port0) | (in1_valid & in_mux0_port1);
  wire [31:0] mux0_data = ({32{in_mux0_port0}} & in0_data) | ({32{in_mux0_port1}} & in1_data);

  // Input mux 1.
  wire mux1_valid = (in0_valid & in_mux1_port0) | (in1_valid & in_mux1_port1);
  wire [31:0] mux1_data = ({32{in_mux1_port0}} & in0_data) | ({32{in_mux1_port1}} & in1_data);
  wire demux0_ready = out_mux0_discards | (out0_ready & out_mux0_port0);

  // Unit 0: addi_w32.
  wire fu0_in0_ready;
  wire fu0_in1_ready;
  wire fu0_out0_valid;
  wire [31:0] fu0_out0_data;
  loom_fu_addi_w32 fu0 (
    .in0_valid(mux0_valid & active0),
    .in0_ready(fu0_in0_ready),
    .in0_data(mux0_data),
    .in1_valid(mux1_valid & active0),
    .in1_ready(fu0_in1_ready),
    .in1_data(mux1_data),
    .out0_valid(fu0_out0_valid),
    .out0_ready(demux0_ready),
    .out0_data(fu0_out0_data)
  );

  // Unit 1: cmpi_w32_1.
  wire fu1_in0_ready;
  wire fu1_in1_ready;
  wire fu1_out0_valid;
  wire fu1_out0_data;
  wire [15:0] fu1_config_error;
  loom_fu_cmpi_w32_1 fu1 (
    .in0_valid(mux0_valid & active1),
    .in0_ready(fu1_in0_ready),
    .in0_data(mux0_data),
    .in1_valid(mux1_valid & active1),
    .in1_ready(fu1_in1_ready),
    .in1_data(mux1_data),
    .out0_valid(fu1_out0_valid),
    .out0_ready(demux0_ready),
    .out0_data(fu1_out0_data),
    .payload(payload),
    .config_error(fu1_config_error)
  );

  // Inputs: taken by the mux that selects them.
  wire mux0_ready = fu0_in0_ready | fu1_in0_ready;
  wire mux1_ready = fu0_in1_ready | fu1_in1_ready;
  assign in0_ready =
    enable
    & ((in_mux0_port0 & mux0_ready)
       | (in_mux0_uses0 & in_mux0_discards)
       | (in_mux1_port0 & mux1_ready)
       | (in_mux1_uses0 & in_mux1_discards));
  assign in1_ready =
    enable
    & ((in_mux0_port1 & mux0_ready)
       | (in_mux0_uses1 & in_mux0_discards)
       | (in_mux1_port1 & mux1_ready)
       | (in_mux1_uses1 & in_mux1_discards));

  // Output demux 0.
  wire demux0_valid = fu0_out0_valid | fu1_out0_valid;
  wire [31:0] demux0_data = ({32{active0}} & fu0_out0_data) | ({32{active1}} & {31'd0, fu1_out0_data});
  assign out0_valid = out_mux0_port0 & demux0_valid;
  assign out0_data = {32{out_mux0_port0}} & demux0_data;

  // Errors: static ones while enabled, and a stream's zero step.
  wire in0_twice = in_mux0_uses0 & in_mux1_uses0;
  wire in1_twice = in_mux0_uses1 & in_mux1_uses1;
  wire [15:0] unit_error = {16{active1}} & fu1_config_error;
  wire [15:0] own_error = (enable & (in0_twice | in1_twice)) ? CFG_PE_MUX : 16'd0;
  assign error_code = (|unit_error) ? unit_error : own_error;
endmodule

`default_nettype wire
