// stream `+=`: pairs (index, condition) from `start` on, while index `cont_cond` `bound` holds (signed); the
// pair whose condition is false ends the activation. An update that leaves the signed range makes the next
// condition false. One adder and one comparator.
// Guarantees: one pair a cycle, none lost between activations; both pushes in one cycle, only while both
// outputs have room. `zero_step_error` is sticky. `onehot_error`: `cont_cond` is not one hot.
`default_nettype none

module loom_stream_add_w32 (
  input  wire clk,
  input  wire rst_n,
  input  wire [4:0] cont_cond,
  input  wire start_valid,
  output wire start_ready,
  input  wire [31:0] start_data,
  input  wire step_valid,
  output wire step_ready,
  input  wire [31:0] step_data,
  input  wire bound_valid,
  output wire bound_ready,
  input  wire [31:0] bound_data,
  output wire o_idx_push,
  input  wire o_idx_room,
  output wire [31:0] o_idx_data,
  output wire o_cont_push,
  input  wire o_cont_room,
  output wire o_cont_data,
  output wire busy,
  output wire zero_step_error,
  output wire onehot_error
);

  // The present pair's index, the activation's operands, and whether the last update left the range.
  reg [31:0] idx_q;
  reg [31:0] step_q;
  reg [31:0] bound_q;

  // One comparison decides all five conditions.
  wire equal = idx_q == bound_q;
  wire less = $signed(idx_q) < $signed(bound_q);
  reg overflow_q;
  wire cont =
    (equal
       ? cont_cond[1] | cont_cond[3]
       : less ? cont_cond[0] | cont_cond[1] | cont_cond[4] : cont_cond[2] | cont_cond[3] | cont_cond[4])
    & ~overflow_q;
  wire accept;
  wire push;
  wire advance;
  wire [31:0] idx_next = idx_q + step_q;
  wire step_is_zero = step_data == 32'd0;
  loom_stream_control control (
    .clk(clk),
    .rst_n(rst_n),
    .start_valid(start_valid),
    .step_valid(step_valid),
    .bound_valid(bound_valid),
    .step_is_zero(step_is_zero),
    .cont_bit(cont),
    .hold(1'b0),
    .o_idx_room(o_idx_room),
    .o_cont_room(o_cont_room),
    .accept(accept),
    .push(push),
    .advance(advance),
    .error(zero_step_error),
    .busy(busy)
  );
  assign start_ready = accept;
  assign step_ready = accept;
  assign bound_ready = accept;
  assign o_idx_push = push;
  assign o_idx_data = idx_q;
  assign o_cont_push = push;
  assign o_cont_data = cont;

  // Static: none or more than one bit set.
  assign onehot_error =
    (cont_cond[1] & cont_cond[0])
    | (cont_cond[2] & (cont_cond[0] | cont_cond[1]))
    | (cont_cond[3] & (cont_cond[0] | cont_cond[1] | cont_cond[2]))
    | (cont_cond[4] & (cont_cond[0] | cont_cond[1] | cont_cond[2] | cont_cond[3]))
    | ~(|cont_cond);

  always @(posedge clk) begin
    if (!rst_n) begin
      overflow_q <= 1'b0;
    end else begin
      if (accept | advance) overflow_q <= ~accept & ~(idx_q[31] ^ step_q[31]) & (idx_next[31] ^ idx_q[31]);
    end
    if (accept | advance) idx_q <= accept ? start_data : idx_next;
    if (accept) step_q <= step_data;
    if (accept) bound_q <= bound_data;
  end
endmodule

`default_nettype wire
