// Control of carry. Phase Init (looping_q = 0): a token of `a` goes out and starts the loop.
// Phase Loop: a true condition is consumed with a token of `b`, which goes out. A false condition is consumed
// together with a token of `a`, which goes out, when there is one and room; else alone, back to Init.
`default_nettype none

module loom_carry_control (
  input  wire clk,
  input  wire rst_n,
  input  wire d_valid,
  input  wire d_bit,
  output wire d_ready,
  input  wire a_valid,
  output wire a_ready,
  input  wire b_valid,
  output wire b_ready,
  output wire o_push,
  input  wire o_room,
  output wire select_b,
  output wire busy
);
  reg looping_q;
  wire d_last = d_valid & ~d_bit;
  wire d_more = d_valid & d_bit;
  wire take_a = a_valid & o_room & (d_last | ~looping_q);
  wire take_b = b_valid & o_room & d_more & looping_q;
  assign select_b = looping_q & d_bit;
  assign d_ready = (looping_q & d_last) | take_b;
  assign a_ready = take_a;
  assign b_ready = take_b;
  assign o_push = take_a | take_b;
  assign busy = looping_q;

  always @(posedge clk) begin
    if (!rst_n) begin
      looping_q <= 1'b0;
    end else begin
      looping_q <= take_a | (looping_q & ~d_last);
    end
  end
endmodule

`default_nettype wire
