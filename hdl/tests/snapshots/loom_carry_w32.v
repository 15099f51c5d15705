// carry: the first token of an activation comes from `a`, one more from `b` for each true condition `d`.
// Guarantees: one token a cycle, within and between activations; `o_push` only while `o_room`;
// an input's ready is high exactly in the cycles in which its token is consumed; `busy` in the Loop phase.
`default_nettype none

module loom_carry_w32 (
  input  wire clk,
  input  wire rst_n,
  input  wire d_valid,
  output wire d_ready,
  input  wire d_data,
  input  wire a_valid,
  output wire a_ready,
  input  wire [31:0] a_data,
  input  wire b_valid,
  output wire b_ready,
  input  wire [31:0] b_data,
  output wire o_push,
  input  wire o_room,
  output wire [31:0] o_data,
  output wire busy
);
  wire select_b;
  loom_carry_control control (
    .clk(clk),
    .rst_n(rst_n),
    .d_valid(d_valid),
    .d_bit(d_data),
    .d_ready(d_ready),
    .a_valid(a_valid),
    .a_ready(a_ready),
    .b_valid(b_valid),
    .b_ready(b_ready),
    .o_push(o_push),
    .o_room(o_room),
    .select_b(select_b),
    .busy(busy)
  );
  assign o_data = select_b ? b_data : a_data;
endmodule

`default_nettype wire
