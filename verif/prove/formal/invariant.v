// invariant, from the specification's phases: a token of `a` is stored and sent; then each true condition sends it again, a false
// one leads back to the start. H7 lets the next token of `a` come with the false condition before it.
`include "common.vh"

module top (input clk, input rst_in, input d_valid, input d_data, input a_valid, input o_room,
            input [`WIDTH-1:0] a_data);
  `RESET
  wire d_ready, a_ready, o_push, busy;
  wire [`WIDTH-1:0] o_data;
  `DUT dut (.clk(clk), .rst_n(rst_n), .d_valid(d_valid), .d_data(d_data), .d_ready(d_ready),
    .a_valid(a_valid), `PORT(a_data, a_data) .a_ready(a_ready),
    .o_push(o_push), .o_room(o_room), `PORT(o_data, o_data) .busy(busy));
  env_channel #(1) env_d (clk, rst, d_valid, d_ready, d_data);
  env_channel #(`WIDTH) env_a (clk, rst, a_valid, a_ready, a_data);

  wire take_d = d_valid & d_ready, take_a = a_valid & a_ready;
  wire again = take_d & d_data;
  reg loop = 0;
  reg [`WIDTH-1:0] seed;
  always @(posedge clk) begin
    if (rst) loop <= 0;
    else if (take_a) loop <= 1;
    else if (take_d & !d_data) loop <= 0;
    if (take_a) seed <= a_data;
  end

  `PROVE(h3_ready_means_taken, (!d_ready | d_valid) & (!a_ready | a_valid))
  `PROVE(h3_start_takes_a_alone, loop | !take_d)
  `PROVE(h3_seed_goes_with_false, !(loop & take_a) | (take_d & !d_data))
  `PROVE(h3_one_out_for_each_step, o_push == (take_a | again))
`ifdef DATA
  `PROVE(h3_value, !o_push | (o_data == (take_a ? a_data : seed)))
`endif
  `PROVE(h2_pushes_into_room, !o_push | o_room)
  `PROVE(live_start, !(!loop & a_valid & o_room) | take_a)
  `PROVE(live_true, !(loop & d_valid & d_data & o_room) | take_d)
  `PROVE(live_false, !(loop & d_valid & !d_data) | take_d)
  `PROVE(live_seed_with_false, !(loop & d_valid & !d_data & a_valid & o_room) | take_a)
  `PROVE(reset_empties, !after_rst | !busy)
  `PROVE(h3_busy, busy == loop)
  `COVER(cover_second_activation, loop & take_a & take_d)
  `COVER(cover_back_to_start, loop & take_d & !d_data & !take_a)
  `COVER(cover_again, again)
endmodule
