// Spatial switch, 2 inputs, 3 outputs. A route bit connects an output to one input; an input that feeds
// several outputs is an eager fork: each output takes its copy when it is ready, once, and the token leaves
// when all have it. Guarantees: ready never reaches valid; what is offered stays. `busy` while some output
// has a copy that another still lacks. Errors: 1 an output with two inputs; 262 a token at an input without
// a route, after which no token is accepted until reset.
`default_nettype none

module loom_spatial_sw_2x3_w8 (
  input  wire clk,
  input  wire rst_n,
  input  wire in0_valid,
  output wire in0_ready,
  input  wire [7:0] in0_data,
  input  wire in1_valid,
  output wire in1_ready,
  input  wire [7:0] in1_data,
  output wire out0_valid,
  input  wire out0_ready,
  output wire [7:0] out0_data,
  output wire out1_valid,
  input  wire out1_ready,
  output wire [7:0] out1_data,
  output wire out2_valid,
  input  wire out2_ready,
  output wire [7:0] out2_data,
  input  wire [5:0] cfg,
  output wire [15:0] error_code,
  output wire busy
);
  localparam [15:0] CFG_SWITCH_ROUTE_MIX_INPUTS_TO_SAME_OUTPUT = 16'd1;
  localparam [15:0] RT_SWITCH_UNROUTED_INPUT = 16'd262;
  reg error_q;

  // Routes of output 0.
  wire route_o0_i0 = cfg[0];
  wire route_o0_i1 = cfg[1];

  // Routes of output 1.
  wire route_o1_i0 = cfg[2];
  wire route_o1_i1 = cfg[3];

  // Routes of output 2.
  wire route_o2_i0 = cfg[4];
  wire route_o2_i1 = cfg[5];

  // Output 0. done_o0_q fills when it takes a copy, drains when the token leaves its input.
  reg done_o0_q;
  assign out0_valid = ((route_o0_i0 & in0_valid) | (route_o0_i1 & in1_valid)) & ~done_o0_q;
  assign out0_data = ({8{route_o0_i0}} & in0_data) | ({8{route_o0_i1}} & in1_data);
  wire taken_o0 = done_o0_q | out0_ready;
  wire mixed_o0 = route_o0_i0 & route_o0_i1;

  // Output 1. done_o1_q fills when it takes a copy, drains when the token leaves its input.
  reg done_o1_q;
  assign out1_valid = ((route_o1_i0 & in0_valid) | (route_o1_i1 & in1_valid)) & ~done_o1_q;
  assign out1_data = ({8{route_o1_i0}} & in0_data) | ({8{route_o1_i1}} & in1_data);
  wire taken_o1 = done_o1_q | out1_ready;
  wire mixed_o1 = route_o1_i0 & route_o1_i1;

  // Output 2. done_o2_q fills when it takes a copy, drains when the token leaves its input.
  reg done_o2_q;
  assign out2_valid = ((route_o2_i0 & in0_valid) | (route_o2_i1 & in1_valid)) & ~done_o2_q;
  assign out2_data = ({8{route_o2_i0}} & in0_data) | ({8{route_o2_i1}} & in1_data);
  wire taken_o2 = done_o2_q | out2_ready;
  wire mixed_o2 = route_o2_i0 & route_o2_i1;

  // Input 0: its token leaves when every output it is routed to has taken it.
  wire routed_i0 = route_o0_i0 | route_o1_i0 | route_o2_i0;
  assign in0_ready =
    routed_i0 & (~route_o0_i0 | taken_o0) & (~route_o1_i0 | taken_o1) & (~route_o2_i0 | taken_o2) & ~error_q;
  wire leaves_i0 = in0_valid & in0_ready;

  // Input 1: its token leaves when every output it is routed to has taken it.
  wire routed_i1 = route_o0_i1 | route_o1_i1 | route_o2_i1;
  assign in1_ready =
    routed_i1 & (~route_o0_i1 | taken_o0) & (~route_o1_i1 | taken_o1) & (~route_o2_i1 | taken_o2) & ~error_q;
  wire leaves_i1 = in1_valid & in1_ready;

  // The token that an output shows leaves its input.
  wire gone_o0 = (route_o0_i0 & leaves_i0) | (route_o0_i1 & leaves_i1);
  wire gone_o1 = (route_o1_i0 & leaves_i0) | (route_o1_i1 & leaves_i1);
  wire gone_o2 = (route_o2_i0 & leaves_i0) | (route_o2_i1 & leaves_i1);

  // A token at an input without a route stops the switch; two inputs on one output are a static error.
  wire unrouted = (in0_valid & ~routed_i0) | (in1_valid & ~routed_i1);
  wire mixed = mixed_o0 | mixed_o1 | mixed_o2;
  assign error_code = mixed ? CFG_SWITCH_ROUTE_MIX_INPUTS_TO_SAME_OUTPUT : error_q ? RT_SWITCH_UNROUTED_INPUT : 16'd0;
  assign busy = done_o0_q | done_o1_q | done_o2_q;

  always @(posedge clk) begin
    if (!rst_n) begin
      error_q <= 1'b0;
      done_o0_q <= 1'b0;
      done_o1_q <= 1'b0;
      done_o2_q <= 1'b0;
    end else begin
      error_q <= error_q | unrouted;
      done_o0_q <= ((out0_valid & out0_ready) | done_o0_q) & ~gone_o0;
      done_o1_q <= ((out1_valid & out1_ready) | done_o1_q) & ~gone_o1;
      done_o2_q <= ((out2_valid & out2_ready) | done_o2_q) & ~gone_o2;
    end
  end
endmodule

`default_nettype wire
