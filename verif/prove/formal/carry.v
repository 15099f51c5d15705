// carry, from the specification's stages: one token of `a`; then for each condition, if true one token of `b`, if false back to
// the start. H7 makes a condition and its token one step, and lets a seed come with the false condition before it.
`include "common.vh"

module top (input clk, input rst_in, input d_valid, input d_data, input a_valid, input b_valid, input o_room,
            input [`WIDTH-1:0] a_data, input [`WIDTH-1:0] b_data);
  `RESET
  wire d_ready, a_ready, b_ready, o_push, busy;
  wire [`WIDTH-1:0] o_data;
  `DUT dut (.clk(clk), .rst_n(rst_n), .d_valid(d_valid), .d_data(d_data), .d_ready(d_ready),
    .a_valid(a_valid), `PORT(a_data, a_data) .a_ready(a_ready),
    .b_valid(b_valid), `PORT(b_data, b_data) .b_ready(b_ready),
    .o_push(o_push), .o_room(o_room), `PORT(o_data, o_data) .busy(busy));
  env_channel #(1) env_d (clk, rst, d_valid, d_ready, d_data);
  env_channel #(`WIDTH) env_a (clk, rst, a_valid, a_ready, a_data);
  env_channel #(`WIDTH) env_b (clk, rst, b_valid, b_ready, b_data);

  wire take_d = d_valid & d_ready, take_a = a_valid & a_ready, take_b = b_valid & b_ready;
  reg loop = 0;
  always @(posedge clk)
    if (rst) loop <= 0;
    else if (take_a) loop <= 1;
    else if (take_d & !d_data) loop <= 0;

  // What may be taken together in which stage.
  `PROVE(h3_ready_means_taken, (!d_ready | d_valid) & (!a_ready | a_valid) & (!b_ready | b_valid))
  `PROVE(h3_start_takes_a_alone, loop | (!take_d & !take_b))
  `PROVE(h3_true_goes_with_b, !loop | ((take_d & d_data) == take_b))
  `PROVE(h3_seed_goes_with_false, !(loop & take_a) | (take_d & !d_data))
  // What goes out.
  `PROVE(h3_one_out_for_each_value, o_push == (take_a | take_b))
`ifdef DATA
  `PROVE(h3_value, !o_push | (o_data == (take_a ? a_data : b_data)))
`endif
  `PROVE(h2_pushes_into_room, !o_push | o_room)
  // Every enabled step is taken.
  `PROVE(live_start, !(!loop & a_valid & o_room) | take_a)
  `PROVE(live_true, !(loop & d_valid & d_data & b_valid & o_room) | take_d)
  `PROVE(live_false, !(loop & d_valid & !d_data) | take_d)
  `PROVE(live_seed_with_false, !(loop & d_valid & !d_data & a_valid & o_room) | take_a)
  `PROVE(reset_empties, !after_rst | !busy)
  `PROVE(h3_busy, busy == loop)
  `COVER(cover_second_activation, loop & take_a & take_d)
  `COVER(cover_back_to_start, loop & take_d & !d_data & !take_a)
  `COVER(cover_carried, take_b)
endmodule
