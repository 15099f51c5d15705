// carry_br, from the meaning of carry and cond_br: each condition goes with one token, the first of an activation from `a`, one from `b`
// behind each true condition; the token goes out on the side that its condition says.
`include "common.vh"

module top (input clk, input rst_in, input d_valid, input d_data, input a_valid, input b_valid, input o_true_room,
            input o_false_room, input [`WIDTH-1:0] a_data, input [`WIDTH-1:0] b_data);
  `RESET
  wire d_ready, a_ready, b_ready, o_true_push, o_false_push, busy;
  wire [`WIDTH-1:0] o_true_data, o_false_data;
  `DUT dut (.clk(clk), .rst_n(rst_n), .d_valid(d_valid), .d_data(d_data), .d_ready(d_ready),
    .a_valid(a_valid), `PORT(a_data, a_data) .a_ready(a_ready),
    .b_valid(b_valid), `PORT(b_data, b_data) .b_ready(b_ready),
    .o_true_push(o_true_push), .o_true_room(o_true_room), `PORT(o_true_data, o_true_data)
    .o_false_push(o_false_push), .o_false_room(o_false_room), `PORT(o_false_data, o_false_data) .busy(busy));
  env_channel #(1) env_d (clk, rst, d_valid, d_ready, d_data);
  env_channel #(`WIDTH) env_a (clk, rst, a_valid, a_ready, a_data);
  env_channel #(`WIDTH) env_b (clk, rst, b_valid, b_ready, b_data);

  wire take_d = d_valid & d_ready, take_a = a_valid & a_ready, take_b = b_valid & b_ready;
  reg loop = 0;
  always @(posedge clk)
    if (rst) loop <= 0;
    else if (take_d) loop <= d_data;

  `PROVE(h3_ready_means_taken, (!d_ready | d_valid) & (!a_ready | a_valid) & (!b_ready | b_valid))
  `PROVE(h3_first_is_a, take_a == (take_d & !loop))
  `PROVE(h3_next_is_b, take_b == (take_d & loop))
  `PROVE(h3_true_side, o_true_push == (take_d & d_data))
  `PROVE(h3_false_side, o_false_push == (take_d & !d_data))
`ifdef DATA
  `PROVE(h3_true_value, !o_true_push | (o_true_data == (loop ? b_data : a_data)))
  `PROVE(h3_false_value, !o_false_push | (o_false_data == (loop ? b_data : a_data)))
`endif
  `PROVE(h2_pushes_into_room, (!o_true_push | o_true_room) & (!o_false_push | o_false_room))
  // Every enabled step is taken.
  `PROVE(live_steps, !(d_valid & (loop ? b_valid : a_valid) & (d_data ? o_true_room : o_false_room)) | take_d)
  `PROVE(reset_empties, !after_rst | !busy)
  `PROVE(h3_busy, busy == loop)
  `COVER(cover_carried, loop & take_d & d_data)
  `COVER(cover_left, loop & take_d & !d_data)
  `COVER(cover_left_at_once, !loop & take_d & !d_data)
endmodule
