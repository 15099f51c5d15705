// invariant_br, from the meaning of invariant and cond_br: a token of `a` is stored as soon as it is there; each condition sends it
// on the side that it says, and a false one is the last.
`include "common.vh"

module top (input clk, input rst_in, input d_valid, input d_data, input a_valid, input o_true_room, input o_false_room,
            input [`WIDTH-1:0] a_data);
  `RESET
  wire d_ready, a_ready, o_true_push, o_false_push, busy;
  wire [`WIDTH-1:0] o_true_data, o_false_data;
  `DUT dut (.clk(clk), .rst_n(rst_n), .d_valid(d_valid), .d_data(d_data), .d_ready(d_ready),
    .a_valid(a_valid), `PORT(a_data, a_data) .a_ready(a_ready),
    .o_true_push(o_true_push), .o_true_room(o_true_room), `PORT(o_true_data, o_true_data)
    .o_false_push(o_false_push), .o_false_room(o_false_room), `PORT(o_false_data, o_false_data) .busy(busy));
  env_channel #(1) env_d (clk, rst, d_valid, d_ready, d_data);
  env_channel #(`WIDTH) env_a (clk, rst, a_valid, a_ready, a_data);

  wire take_d = d_valid & d_ready, take_a = a_valid & a_ready;
  reg loop = 0;
  reg [`WIDTH-1:0] seed;
  always @(posedge clk) begin
    if (rst) loop <= 0;
    else if (take_d) loop <= d_data;
    else if (take_a) loop <= 1;
    if (take_a) seed <= a_data;
  end

  `PROVE(h3_ready_means_taken, (!d_ready | d_valid) & (!a_ready | a_valid))
  `PROVE(h3_takes_a_when_empty, take_a == (!loop & a_valid))
  `PROVE(h3_condition_has_a_value, !take_d | loop | take_a)
  `PROVE(h3_true_side, o_true_push == (take_d & d_data))
  `PROVE(h3_false_side, o_false_push == (take_d & !d_data))
`ifdef DATA
  `PROVE(h3_true_value, !o_true_push | (o_true_data == (loop ? seed : a_data)))
  `PROVE(h3_false_value, !o_false_push | (o_false_data == (loop ? seed : a_data)))
`endif
  `PROVE(h2_pushes_into_room, (!o_true_push | o_true_room) & (!o_false_push | o_false_room))
  `PROVE(live_steps, !(d_valid & (loop | a_valid) & (d_data ? o_true_room : o_false_room)) | take_d)
  `PROVE(reset_empties, !after_rst | !busy)
  `PROVE(h3_busy, busy == loop)
  `COVER(cover_again, loop & take_d & d_data)
  `COVER(cover_waits, loop & !d_valid)
  `COVER(cover_left_at_once, !loop & take_d & !d_data)
endmodule
