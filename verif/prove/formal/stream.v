// stream, from the specification's phases and hardware.md, section 5: three operands are accepted together; then pairs
// (index, condition) until the first false one, with which the next operands may be accepted. A zero step is an error.
//
// The reference's index is exact: it is one bit wider where an operator may leave the range. `*=` and `/=` are proved
// with their operator at small widths; at larger ones (`CUT`) multiplier or divider are cut out, and any value may be
// its result: what the machine does with results does not depend on which function gives them.
`include "common.vh"
`define OP_ADD 0
`define OP_SUB 1
`define OP_MUL 2
`define OP_DIV 3
`define OP_SHL 4
`define OP_SHR 5

module top (input clk, input rst_in, input start_valid, input step_valid, input bound_valid, input o_idx_room,
            input o_cont_room, input [`W-1:0] start_data, input [`W-1:0] step_data, input [`W-1:0] bound_data);
  `RESET
  localparam W = `W;
  (* anyconst *) wire [4:0] cont_cond;
`ifdef BOTH
  // Built for unsigned numbers too: the configuration says which.
  (* anyconst *) wire u;
`else
  wire u = 0;
`endif
  wire start_ready, step_ready, bound_ready, o_idx_push, o_cont_push, o_cont_data, busy;
  wire zero_step_error, onehot_error;
  wire [W-1:0] o_idx_data;
  `DUT dut (.clk(clk), .rst_n(rst_n), .cont_cond(cont_cond),
`ifdef BOTH
    .is_unsigned(u),
`endif
    .start_valid(start_valid), .start_data(start_data), .start_ready(start_ready),
    .step_valid(step_valid), .step_data(step_data), .step_ready(step_ready),
    .bound_valid(bound_valid), .bound_data(bound_data), .bound_ready(bound_ready),
    .o_idx_push(o_idx_push), .o_idx_room(o_idx_room), .o_idx_data(o_idx_data),
    .o_cont_push(o_cont_push), .o_cont_room(o_cont_room), .o_cont_data(o_cont_data),
    .busy(busy), .zero_step_error(zero_step_error), .onehot_error(onehot_error));
  env_channel #(W) env_start (clk, rst, start_valid, start_ready, start_data);
  env_channel #(W) env_step (clk, rst, step_valid, step_ready, step_data);
  env_channel #(W) env_bound (clk, rst, bound_valid, bound_ready, bound_data);

  // The configuration names one condition.
  wire legal = (cont_cond == 1) | (cont_cond == 2) | (cont_cond == 4) | (cont_cond == 8) | (cont_cond == 16);

  reg active = 0, failed = 0, left_range = 0;
  reg [7:0] wait_for = 0;
  reg [W-1:0] idx, step, bound;
  // As numbers: one bit more holds either kind.
  wire signed [W:0] idx_number = {idx[W-1] & !u, idx};
  wire signed [W:0] bound_number = {bound[W-1] & !u, bound};

  wire holds = cont_cond[0] ? idx_number < bound_number : cont_cond[1] ? idx_number <= bound_number :
               cont_cond[2] ? idx_number > bound_number : cont_cond[3] ? idx_number >= bound_number :
               idx_number != bound_number;
  wire more = holds & !left_range;
  wire send = active & (wait_for == 0) & o_idx_room & o_cont_room;
  wire offered = start_valid & step_valid & bound_valid;
  wire may_accept = (!active | (send & !more)) & !failed;
  wire accept = may_accept & offered & (step_data != 0);

  // The exact result of an update.
  wire [W-1:0] amount = step;
  wire signed [2*W:0] wide = idx_number;
  // A sum's step is signed, a factor or divisor is of the index's kind.
  wire signed [W-1:0] distance = step;
  wire signed [W:0] factor = {step[W-1] & !u, step};
`ifdef CUT
  (* keep *) wire [2*W-1:0] cut_product;
  (* keep *) wire [W-1:0] cut_quotient;
  (* keep *) wire [W-1:0] cut_high;
  (* keep *) wire cut_negative;
`endif
`ifdef CUT
  wire signed [2*W:0] product = {cut_high[W-1] & !u, cut_high, cut_product[W-1:0]};
  // A quotient is a magnitude and a sign; the one positive number without a signed form is 2^(W-1).
  wire signed [2*W:0] magnitude = cut_quotient;
  wire signed [2*W:0] quotient = cut_negative ? -magnitude : magnitude;
`else
  wire signed [2*W:0] product = wide * factor;
  wire signed [2*W:0] quotient = wide / factor;
`endif
  wire signed [2*W:0] sum = wide + distance;
  wire signed [2*W:0] difference = wide - distance;
  wire signed [2*W:0] shifted = wide <<< amount;
  // Outside of both ranges, with low bits 0.
  wire signed [2*W:0] least = {1'b1, {(2*W){1'b0}}};
  wire signed [2*W:0] far_left = idx == 0 ? 0 : least;
  wire signed [2*W:0] right = wide >>> amount;
  wire signed [2*W:0] far_right = {(2*W+1){idx[W-1] & !u}};
  wire beyond = amount >= W;
  wire [2*W:0] exact =
    `OP == `OP_ADD ? sum :
    `OP == `OP_SUB ? difference :
    `OP == `OP_MUL ? product :
    `OP == `OP_DIV ? quotient :
    `OP == `OP_SHL ? (beyond ? far_left : shifted) : (beyond ? far_right : right);
  wire beyond_range = u ? exact[2*W:W] != 0 : exact[2*W:W-1] != {(W+2){exact[2*W]}};
`ifdef CUT
  wire outside = `OP == `OP_DIV ? !u & !cut_negative & cut_quotient[W-1] : beyond_range;
`else
  wire outside = beyond_range;
`endif
  // A division's result is there when its wait ends; all other operators take no time.
  wire update = `OP == `OP_DIV ? wait_for == 1 : send & more;

  always @(posedge clk) begin
    if (rst) begin
      active <= 0;
      failed <= 0;
      left_range <= 0;
      wait_for <= 0;
    end else begin
      failed <= failed | (may_accept & offered & (step_data == 0));
      active <= accept | (active & !(send & !more));
      if (accept) left_range <= 0;
      else if (update) left_range <= outside;
      if (`OP == `OP_DIV) wait_for <= send & more ? W : wait_for != 0 ? wait_for - 1 : 0;
    end
    if (accept) begin
      idx <= start_data;
      step <= step_data;
      bound <= bound_data;
    end else if (update) idx <= exact[W-1:0];
  end

  wire take = start_valid & start_ready;
  `PROVE(h3_ready_means_taken, (!start_ready | start_valid) & (!step_ready | step_valid) & (!bound_ready | bound_valid))
  `PROVE(h3_operands_together, (step_ready == start_ready) & (bound_ready == start_ready))
  `PROVE(h3_accepts_when_allowed, !legal | !take | accept)
  `PROVE(live_accepts, !legal | !accept | take)
  `PROVE(h3_pairs_together, o_idx_push == o_cont_push)
  `PROVE(h3_sends_when_allowed, !legal | !o_idx_push | send)
  `PROVE(live_sends, !legal | !send | o_idx_push)
  `PROVE(h3_index, !legal | !o_idx_push | (o_idx_data == idx))
  `PROVE(h3_condition, !legal | !o_cont_push | (o_cont_data == more))
  `PROVE(h2_pushes_into_room, (!o_idx_push | o_idx_room) & (!o_cont_push | o_cont_room))
  `PROVE(reset_empties, !after_rst | (!busy & !zero_step_error))
  `PROVE(h3_busy, !legal | (busy == active))
  `PROVE(error_zero_step, !legal | (zero_step_error == failed))
  `PROVE(error_onehot, onehot_error == !legal)
  // The module's registers are the reference's.
  (* keep *) wire [W-1:0] h_idx, h_step, h_bound;
  (* keep *) wire h_overflow;
  // While a division is under way the index is not shown, and differs from the result to come.
  `PROVE(lemma_index, !legal | !active | (h_idx == idx))
  `PROVE(lemma_operands, !legal | !active | ((h_step == step) & (h_bound == bound)))
  `PROVE(lemma_step, !active | (step != 0))
`ifdef OVERFLOWS
  `PROVE(lemma_range, !legal | !active | (h_overflow == left_range))
`endif
`ifdef DIVIDES
  (* keep *) wire [`DIVIDES-1:0] h_count;
  `PROVE(lemma_wait, !legal | (h_count == wait_for))
  `PROVE(lemma_waits_active, (wait_for <= W) & (active | (wait_for == 0)))
`endif
  reg second = 0, third = 0;
  always @(posedge clk) if (rst) begin second <= 0; third <= 0; end else if (send) begin second <= more; third <= second & more; end
  `COVER(cover_third_pair, legal & third & send)
  `COVER(cover_no_iteration, legal & send & !more & !second)
  `COVER(cover_back_to_back, legal & send & accept)
  `COVER(cover_error, legal & failed)
`ifdef OVERFLOWS
  `COVER(cover_left_range, legal & send & left_range)
`endif
endmodule
