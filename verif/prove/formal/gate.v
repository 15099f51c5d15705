// gate, from the specification's phases: values and conditions come in pairs. Phase 1: true sends the value, to phase 2; false
// sends nothing. Phase 2: true sends the value and true; false sends false alone, to phase 1.
`include "common.vh"

module top (input clk, input rst_in, input value_valid, input cond_valid, input cond_data, input o_value_room,
            input o_cond_room, input [`WIDTH-1:0] value_data);
  `RESET
  wire value_ready, cond_ready, o_value_push, o_cond_push, o_cond_data, busy;
  wire [`WIDTH-1:0] o_value_data;
  `DUT dut (.clk(clk), .rst_n(rst_n),
    .value_valid(value_valid), `PORT(value_data, value_data) .value_ready(value_ready),
    .cond_valid(cond_valid), .cond_data(cond_data), .cond_ready(cond_ready),
    .o_value_push(o_value_push), .o_value_room(o_value_room), `PORT(o_value_data, o_value_data)
    .o_cond_push(o_cond_push), .o_cond_room(o_cond_room), .o_cond_data(o_cond_data), .busy(busy));
  env_channel #(`WIDTH) env_value (clk, rst, value_valid, value_ready, value_data);
  env_channel #(1) env_cond (clk, rst, cond_valid, cond_ready, cond_data);

  wire take_value = value_valid & value_ready, take_cond = cond_valid & cond_ready;
  reg second = 0;
  always @(posedge clk)
    if (rst) second <= 0;
    else if (take_cond) second <= cond_data;

  `PROVE(h3_ready_means_taken, (!value_ready | value_valid) & (!cond_ready | cond_valid))
  `PROVE(h3_taken_in_pairs, take_value == take_cond)
  // Each output is a sequence of its own; a pair adds to each what the phase says, once.
  `PROVE(h3_values_sent, o_value_push == (take_cond & cond_data))
  `PROVE(h3_conditions_sent, o_cond_push == (take_cond & second))
`ifdef DATA
  `PROVE(h3_value, !o_value_push | (o_value_data == value_data))
`endif
  `PROVE(h3_condition, !o_cond_push | (o_cond_data == cond_data))
  `PROVE(h2_pushes_into_room, (!o_value_push | o_value_room) & (!o_cond_push | o_cond_room))
  wire both = value_valid & cond_valid;
  `PROVE(live_head_true, !(both & !second & cond_data & o_value_room) | take_cond)
  `PROVE(live_head_false, !(both & !second & !cond_data) | take_cond)
  `PROVE(live_body_true, !(both & second & cond_data & o_value_room & o_cond_room) | take_cond)
  `PROVE(live_body_false, !(both & second & !cond_data & o_cond_room) | take_cond)
  `PROVE(reset_empties, !after_rst | !busy)
  `PROVE(h3_busy, busy == second)
  `COVER(cover_interior, o_value_push & o_cond_push)
  `COVER(cover_head, o_value_push & !o_cond_push)
  `COVER(cover_tail, !o_value_push & o_cond_push)
  `COVER(cover_skipped, take_cond & !o_value_push & !o_cond_push)
endmodule
