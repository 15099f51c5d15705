// A spatial PE with one function unit of any class, or with a few, from hardware.md, section 5, and the ops' own meaning; the state
// machines from the specification's phases. 3 inputs, 2 outputs, all of width W. All configurations are possible.
//
// The first part decodes the configuration into what unit input a sees (`fv`, `fd`) and where unit output b goes. The
// second says for each op what is taken (`take`) and what comes out (`give`, `value`) in a cycle. The third compares.
`include "common.vh"
`include "ports.vh"

module top (input clk, input rst_in, input [2:0] in_valid, input [1:0] out_ready, input [3*`WIDTH-1:0] in_data);
  `RESET
  localparam W = `WIDTH;
  (* anyconst *) wire [`CFG-1:0] cfg;
  wire [2:0] in_ready;
  wire [1:0] out_valid;
  wire [2*`WIDTH-1:0] out_data;
  wire [15:0] error_code;
  wire busy;
`ifndef DATA
  assign out_data = 0;
`endif
  `DUT dut (`PORTS);

`ifdef DATA
`ifndef CUT
`define VALUES
`endif
`endif
`ifdef SUM_AND_DIFFERENCE
`define HOLDS
`endif
`ifdef LATENCY
`define HOLDS
`endif

  // Configuration: A unit inputs, B unit outputs.
  wire enable = cfg[`F_enable];
  wire [5:0] in_sel;
  wire [2:0] in_discard, in_off;
`define IN_MUX(a, sel, discard, disconnect) assign in_sel[2*a +: 2] = cfg[sel +: 2]; \
  assign in_discard[a] = cfg[discard] & !cfg[disconnect]; assign in_off[a] = cfg[disconnect];
  `IN_MUX(0, `F_in0_sel, `F_in0_discard, `F_in0_disconnect)
`ifdef F_in1_sel
  `IN_MUX(1, `F_in1_sel, `F_in1_discard, `F_in1_disconnect)
`else
  assign in_sel[3:2] = 0, in_discard[1] = 0, in_off[1] = 1;
`endif
`ifdef F_in2_sel
  `IN_MUX(2, `F_in2_sel, `F_in2_discard, `F_in2_disconnect)
`else
  assign in_sel[5:4] = 0, in_discard[2] = 0, in_off[2] = 1;
`endif
  wire [1:0] out_sel, out_discard, out_off;
`define OUT_MUX(b, sel, discard, disconnect) assign out_sel[b] = cfg[sel]; \
  assign out_discard[b] = cfg[discard] & !cfg[disconnect]; assign out_off[b] = cfg[disconnect];
  `OUT_MUX(0, `F_out0_sel, `F_out0_discard, `F_out0_disconnect)
`ifdef F_out1_sel
  `OUT_MUX(1, `F_out1_sel, `F_out1_discard, `F_out1_disconnect)
`else
  assign out_sel[1] = 0, out_discard[1] = 0, out_off[1] = 1;
`endif
  wire [2:0] in_on = ~(in_discard | in_off);
  wire [1:0] out_on = ~(out_discard | out_off);
  wire same_in = (!in_off[0] & !in_off[1] & (in_sel[1:0] == in_sel[3:2])) |
                 (!in_off[0] & !in_off[2] & (in_sel[1:0] == in_sel[5:4])) |
                 (!in_off[1] & !in_off[2] & (in_sel[3:2] == in_sel[5:4]));
`ifdef F_immediate0
  // Choice 3 of an input mux.
  wire [W-1:0] immediate = cfg[`F_immediate0 +: W];
  wire beyond = 0;
`else
  wire [W-1:0] immediate = 0;
  wire beyond = (!in_off[0] & (&in_sel[1:0])) | (!in_off[1] & (&in_sel[3:2])) | (!in_off[2] & (&in_sel[5:4]));
`endif
  wire same_out = (&out_on) & (out_sel[0] == out_sel[1]);
`ifdef PAYLOAD
  wire [`PAYLOAD-1:0] payload = cfg[`F_payload +: `PAYLOAD];
`endif
`ifdef CMPI
  wire wrong_payload = payload > 9;
`define PAYLOAD_ERROR 11
`else
`ifdef STREAM
  wire [4:0] cont_cond = payload[4:0];
  wire u = payload[5];
  wire wrong_payload = (cont_cond == 0) | ((cont_cond & (cont_cond - 1)) != 0);
`define PAYLOAD_ERROR 10
`else
`ifdef BODY_MUX
  // What the sum is of has three choices, what comes out two.
  wire [1:0] summand = payload[1:0];
  wire difference = payload[2];
  wire wrong_payload = summand == 3;
`define PAYLOAD_ERROR 18
`else
`ifdef UNITS
  // Units 0, 1 and 2 are there; the opcode has a value more.
  wire [1:0] opcode = cfg[`F_opcode +: 2];
  wire wrong_payload = opcode == 3;
`define PAYLOAD_ERROR 17
`else
  wire wrong_payload = 0;
`define PAYLOAD_ERROR 0
`endif
`endif
`endif
`endif
  wire legal = !enable | !(same_in | beyond | same_out | wrong_payload);
  reg failed = 0;
  wire fails;
  always @(posedge clk) failed <= !rst & (failed | fails);
  // The payload is the unit's, the smaller codes; the muxes are the PE's.
  wire wrong_mux = same_in | beyond | same_out;
  wire [15:0] code = enable & wrong_payload ? `PAYLOAD_ERROR : enable & wrong_mux ? 18 : failed ? 259 : 0;
  `PROVE(error_code_is_right, error_code == code)

  // What the unit's inputs see: tokens, and an immediate while a token waits that is taken together with it.
  wire [2:0] token, waits;
`ifdef ACCESS
  assign waits = {token[0] | token[2], 1'b0, token[0] | token[2]};
`else
  assign waits = {3{|token}};
`endif
  wire [2:0] fv;
  wire [3*W-1:0] fd;
  genvar a, b, p, q;
  generate
    for (a = 0; a < 3; a = a + 1) begin : unit_in
      wire [1:0] s = in_sel[2*a +: 2];
      assign token[a] = enable & in_on[a] & (s == 0 ? in_valid[0] : s == 1 ? in_valid[1] : s == 2 & in_valid[2]);
      assign fv[a] = token[a] | (enable & in_on[a] & (s == 3) & waits[a]);
      assign fd[a*W +: W] =
        s == 0 ? in_data[0 +: W] : s == 1 ? in_data[W +: W] : s == 2 ? in_data[2*W +: W] : immediate;
    end
  endgenerate
  // Room or readiness behind the unit's outputs.
  wire [1:0] behind;
  wire [1:0] fr;
  assign fr[0] = enable & (out_discard[0] | (out_on[0] & behind[out_sel[0]]));
  assign fr[1] = enable & (out_discard[1] | (out_on[1] & behind[out_sel[1]]));
  wire [W-1:0] d0 = fd[0 +: W], d1 = fd[W +: W], d2 = fd[2*W +: W];

  // The unit: what it takes, offers (`shows`) and gives away in this cycle. For a state machine both are the push.
  wire [2:0] take;
  wire [1:0] shows;
  wire [W-1:0] value0, value1;
  wire holds;
`ifdef CONSTANT
  assign take = fv[0] & fr[0], shows = fv[0], value0 = payload, value1 = 0, holds = 0, fails = 0;
`endif
`ifdef JOIN
  // A mask bit for each operand that takes part.
  wire fires = (payload != 0) & ((payload & ~fv) == 0);
  assign shows = fires, take = fires & fr[0] ? payload : 0, value0 = 0, value1 = 0, holds = 0, fails = 0;
`endif
`ifdef COND_BR
  wire both = fv[0] & fv[1];
  assign shows = both ? (d0[0] ? 2'b01 : 2'b10) : 0;
  assign take = both & (d0[0] ? fr[0] : fr[1]) ? 3'b011 : 0;
  assign value0 = d1, value1 = d1, holds = 0, fails = 0;
`endif
`ifdef MUX
  // Selector and chosen input only.
  assign shows = fv[0] & (d0[0] ? fv[2] : fv[1]);
  assign take = shows[0] & fr[0] ? (d0[0] ? 3'b101 : 3'b011) : 0;
  assign value0 = d0[0] ? d2 : d1, value1 = 0, holds = 0, fails = 0;
`endif
`ifdef ACCESS
  // Operands address, data, control; results data, address. The address never waits for data.
  assign shows = {fv[0] & fv[2], fv[1]};
  assign take = {shows[1] & fr[1], shows[0] & fr[0], shows[1] & fr[1]};
  assign value0 = d1, value1 = d0, holds = 0, fails = 0;
`endif
`ifdef UNITS
  // An add, a mux or a cond_br; the units that are not active see nothing.
  wire both = fv[0] & fv[1], chosen = fv[0] & (d0[0] ? fv[2] : fv[1]);
  assign shows = opcode == 0 ? both : opcode == 1 ? chosen : both ? (d0[0] ? 2'b01 : 2'b10) : 0;
  wire goes = |(shows & fr);
  assign take = !goes ? 0 : opcode == 1 & d0[0] ? 3'b101 : 3'b011;
  assign value0 = opcode == 0 ? d0 + d1 : opcode == 1 & d0[0] ? d2 : d1, value1 = d1, holds = 0, fails = 0;
  `COVER(cover_add, legal & goes & (opcode == 0))
  `COVER(cover_mux, legal & goes & (opcode == 1))
  `COVER(cover_branch, legal & goes & (opcode == 2))
`endif
`ifdef BRANCH_AND_INVARIANT
  // A cond_br, which passes by the buffers, or an invariant, which does not.
`define KEEPS
  wire buffered = cfg[`F_opcode];
`else
  wire buffered = 1;
`endif
`ifdef INVARIANT
`define KEEPS
`endif
`ifdef LATENCY
  // Results on their way out, oldest first, with the cycles that each has been there; cycles since the last firing.
  localparam L = `LATENCY, T = `INTERVAL, PLACES = L == 0 ? 1 : L;
  wire both = fv[0] & fv[1];
  reg [7:0] since = T;
  reg [1:0] n = 0;
  reg [7:0] age0, age1;
  reg [W-1:0] first, second;
  wire [W-1:0] result;
`ifdef ADDI
  assign result = d0 + d1;
`endif
`ifdef DIVUI
  assign result = d1 == 0 ? -1 : d0 / d1;
`endif
`ifdef REMSI
  // The remainder has the sign of the dividend; by zero it is the dividend.
  wire [W-1:0] size0 = d0[W-1] ? -d0 : d0, size1 = d1[W-1] ? -d1 : d1, rest = size0 % size1;
  assign result = d1 == 0 ? d0 : d0[W-1] ? -rest : rest;
`endif
  wire due = n != 0 & age0 >= L;
  wire leaves = due & fr[0];
`ifdef DIVIDER
  // One operation at a time.
  wire room = n == 0 | leaves;
`else
  wire room = n < PLACES | leaves;
`endif
  wire free = both & (since >= T);
  wire fire = L == 0 ? free & fr[0] : free & room;
  assign take = fire ? 3'b011 : 0, shows = L == 0 ? free : due, value0 = L == 0 ? result : first, value1 = 0;
  assign holds = (n != 0) | (since < T), fails = 0;
  wire [1:0] kept = n - leaves;
  always @(posedge clk) begin
    since <= rst ? T : fire ? 1 : since == T ? T : since + 1;
    n <= rst | (L == 0) ? 0 : kept + fire;
    age0 <= fire & (kept == 0) ? 1 : leaves ? (age1 == L ? L : age1 + 1) : age0 == L ? L : age0 + 1;
    age1 <= fire & (kept == 1) ? 1 : age1 == L ? L : age1 + 1;
    first <= fire & (kept == 0) ? result : leaves ? second : first;
    if (fire & (kept == 1)) second <= result;
  end
`ifdef COUNTER
  // The counter holds the cycles to go.
  (* keep *) wire [`COUNTER-1:0] h_counter;
  `PROVE(lemma_counter, !legal | ((since != 0) & (since <= T) & (h_counter == T - since)))
`endif
  `COVER(cover_fires_again, legal & (L == 0 ? free & (out_valid != 0) : leaves & fire))
`ifdef PIPELINE
  // The stages: stage L is the last.
  (* keep *) wire h_full1;
  (* keep *) wire [W-1:0] h_first;
`ifdef TWO
  (* keep *) wire h_full2;
  (* keep *) wire [W-1:0] h_second;
  `PROVE(lemma_full, !legal | ((n == h_full1 + h_full2) & (n == 0 | h_full2 == (age0 == 2))))
  `PROVE(lemma_ages, !legal | (((n == 0) | (age0 == 1) | (age0 == 2)) & ((n != 2) | (age1 == 1) | (age1 == 2))))
  `PROVE(lemma_first, !legal | (n == 0) | ((h_full2 ? h_second : h_first) == first))
  `PROVE(lemma_second, !legal | (n != 2) | (h_first == second))
`else
  `PROVE(lemma_full, !legal | ((n == h_full1) & ((n == 0) | (age0 == 1))))
  `PROVE(lemma_first, !legal | (n == 0) | (h_first == first))
`endif
`endif
`ifdef DIVIDER
  (* keep *) wire h_full1;
  `PROVE(lemma_full, !legal | (n == h_full1))
  `PROVE(lemma_age, !legal | (n == 0) | (age0 == (since < L ? since : L)))
`ifdef CUT
  (* keep *) wire cut_fits;
`endif
`endif
`else
`ifdef ADDI
  assign shows = fv[0] & fv[1], take = shows[0] & fr[0] ? 3'b011 : 0, value0 = d0 + d1, value1 = 0, holds = 0, fails = 0;
`endif
`endif
`ifdef CMPI
  wire less = $signed(d0) < $signed(d1), below = d0 < d1, equal = d0 == d1;
  wire [9:0] answers = {!below, !below & !equal, below | equal, below, !less, !less & !equal, less | equal, less, !equal, equal};
  assign shows = fv[0] & fv[1], take = shows[0] & fr[0] ? 3'b011 : 0, value0 = answers[payload], value1 = 0, holds = 0;
  assign fails = 0;
`endif
`ifdef SUM_AND_DIFFERENCE
  // Two results of one firing: each output takes its copy once.
  reg [1:0] has = 0;
  wire all = &fv[1:0];
  assign shows = all ? ~has : 0;
  wire done = all & (&(has | fr));
  assign take = done ? 3'b011 : 0;
  always @(posedge clk) has <= rst | done ? 0 : has | (shows & fr);
  assign value0 = d0 + d1, value1 = d0 - d1, holds = |has, fails = 0;
  `COVER(cover_one_early, |has)
`endif
`ifdef BODY_MUX
  // mux(mux(a - b, b, a) + c, a - b): operands that the muxes leave out are neither waited for nor taken.
  wire [2:0] needs = difference ? 3'b011 : {1'b1, summand != 2, summand != 1};
  wire there = (needs & ~fv) == 0;
  wire [W-1:0] other = summand == 0 ? d0 - d1 : summand == 1 ? d1 : d0;
  assign shows = there, take = there & fr[0] ? needs : 0, value0 = difference ? d0 - d1 : other + d2, value1 = 0;
  assign holds = 0, fails = 0;
  `COVER(cover_leaves_first, legal & take == 3'b110)
  `COVER(cover_leaves_second, legal & take == 3'b101)
  `COVER(cover_leaves_third, legal & (take == 3'b011) & fv[2])
`endif
`ifdef CARRY
  reg loop = 0;
  wire push = fr[0] & (loop ? fv[0] & (d0[0] ? fv[2] : fv[1]) : fv[1]);
  wire last = loop & fv[0] & !d0[0];
  wire [2:0] seed = {1'b0, push & !(loop & d0[0]), last}, next = {push, 1'b0, push};
  assign take = loop & fv[0] & d0[0] ? next : seed;
  assign shows = push, value0 = loop & d0[0] ? d2 : d1, value1 = 0, holds = loop, fails = 0;
  always @(posedge clk) loop <= !rst & (push | (loop & !last));
  `COVER(cover_carried, loop & take[2])
  `COVER(cover_seed_with_false, loop & take[1] & take[0])
`endif
`ifdef KEEPS
  // An invariant, as long as it is active.
  reg loop = 0;
  reg [W-1:0] seed;
  wire last = buffered & loop & fv[0] & !d0[0];
  wire again = buffered & loop & fv[0] & d0[0] & fr[0];
  wire start = buffered & (!loop | last) & fv[1] & fr[0];
  wire [2:0] takes = {1'b0, start, last | again};
  assign value0 = again ? seed : d1, holds = loop, fails = 0;
  always @(posedge clk) begin
    loop <= !rst & (start | (loop & !last));
    if (start) seed <= d1;
  end
  (* keep *) wire [W-1:0] h_seed;
  `PROVE(lemma_seed, !legal | !loop | (h_seed == seed))
  `COVER(cover_again, again)
`ifdef INVARIANT
  assign take = takes, shows = again | start, value1 = 0;
  `COVER(cover_seed_with_false, loop & start)
`else
  wire both = fv[0] & fv[1], goes = both & (d0[0] ? fr[0] : fr[1]);
  assign take = buffered ? takes : goes ? 3'b011 : 0, value1 = d1;
  assign shows = buffered ? {1'b0, again | start} : both ? (d0[0] ? 2'b01 : 2'b10) : 0;
  `COVER(cover_branch, legal & goes & !buffered)
`endif
`endif
`ifdef CARRY_BR
  // A condition with the first token or a next one; the side is the condition's.
  reg loop = 0;
  wire both = fv[0] & (loop ? fv[2] : fv[1]);
  wire step = both & (d0[0] ? fr[0] : fr[1]);
  assign take = step ? {loop, !loop, 1'b1} : 0, shows = step ? {!d0[0], d0[0]} : 0;
  assign value0 = loop ? d2 : d1, value1 = value0, holds = loop, fails = 0;
  always @(posedge clk) loop <= !rst & (step ? d0[0] : loop);
  `COVER(cover_carried, loop & step & d0[0])
  `COVER(cover_left, loop & step & !d0[0])
  `COVER(cover_left_at_once, !loop & step & !d0[0])
`endif
`ifdef INVARIANT_BR
  // A value is stored as soon as it is there; each condition sends it on its side.
  reg loop = 0;
  reg [W-1:0] seed;
  wire step = fv[0] & (loop | fv[1]) & (d0[0] ? fr[0] : fr[1]);
  assign take = {1'b0, fv[1] & !loop, step}, shows = step ? {!d0[0], d0[0]} : 0;
  assign value0 = loop ? seed : d1, value1 = value0, holds = loop, fails = 0;
  always @(posedge clk) begin
    loop <= !rst & (step ? d0[0] : loop | fv[1]);
    if (!loop & fv[1]) seed <= d1;
  end
  (* keep *) wire [W-1:0] h_seed;
  `PROVE(lemma_seed, !legal | !loop | (h_seed == seed))
  `COVER(cover_again, loop & step & d0[0])
  `COVER(cover_waits, loop & !fv[0])
  `COVER(cover_left_at_once, !loop & step & !d0[0])
`endif
`ifdef GATE
  reg second = 0;
  wire both = &fv[1:0];
  wire step = both & (!d1[0] | fr[0]) & (!second | fr[1]);
  assign take = step ? 3'b011 : 0, shows = {step & second, step & d1[0]}, value0 = d0, value1 = d1[0], holds = second;
  assign fails = 0;
  always @(posedge clk) second <= !rst & (step ? d1[0] : second);
  `COVER(cover_both_outputs, &shows)
`endif
`ifdef STREAM
  // `+=` on signed or unsigned numbers; the index leaves the range when the exact sum does.
  reg active = 0, left = 0;
  reg signed [W-1:0] idx, step, bound;
  wire signed [W:0] idx_number = {idx[W-1] & !u, idx}, bound_number = {bound[W-1] & !u, bound};
  wire signed [W+1:0] sum = idx_number + step;
  wire outside = u ? sum[W+1:W] != 0 : sum[W] != sum[W-1];
  wire goes = cont_cond[0] ? idx_number < bound_number : cont_cond[1] ? idx_number <= bound_number :
              cont_cond[2] ? idx_number > bound_number : cont_cond[3] ? idx_number >= bound_number :
              idx_number != bound_number;
  wire more = goes & !left;
  wire send = active & (&fr);
  wire free = (&fv) & (!active | (send & !more)) & !failed;
  wire accept = free & (d1 != 0);
  assign take = accept ? 3'b111 : 0, shows = {send, send}, value0 = idx, value1 = more, holds = active;
  assign fails = free & (d1 == 0);
  always @(posedge clk) begin
    active <= !rst & (accept | (active & !(send & !more)));
    if (rst | accept) left <= 0;
    else if (send & more) left <= outside;
    if (accept) begin
      idx <= d0;
      step <= d1;
      bound <= d2;
    end else if (send & more) idx <= sum[W-1:0];
  end
  (* keep *) wire [W-1:0] h_idx, h_step, h_bound;
  (* keep *) wire h_left;
  `PROVE(lemma_registers, !legal | !active | ((h_idx == idx) & (h_step == step) & (h_bound == bound) & (h_left == left)))
  `COVER(cover_third_pair, legal & send & (idx != d0) & more)
  `COVER(cover_failed, legal & failed)
`endif

`ifdef BUFFERS
  // The entries of the output buffers, and the machine's phase.
  (* keep *) wire [W-1:0] h_head0, h_head1, h_tail0, h_tail1;
  (* keep *) wire h_full0, h_full1, h_more0, h_more1, h_phase;
  wire [2*W-1:0] h_head = {h_head1, h_head0}, h_tail = {h_tail1, h_tail0};
  wire [1:0] h_full = {h_full1, h_full0}, h_more = {h_more1, h_more0};
  `PROVE(lemma_phase, !legal | (h_phase == holds))
  `PROVE(lemma_disabled, !legal | enable | !holds)
`endif

  // Inputs: a token is taken exactly when the unit takes it, or always where it is discarded.
  generate
    for (p = 0; p < 3; p = p + 1) begin : pe_in
      env_channel #(W) env (clk, rst, in_valid[p], in_ready[p], in_data[p*W +: W]);
      wire [2:0] mine = {in_sel[5:4] == p, in_sel[3:2] == p, in_sel[1:0] == p};
      wire dropped = enable & (|(mine & in_discard));
      wire wanted = (|(mine & in_on & take)) | (dropped & in_valid[p]);
      `PROVE(h3_takes_nothing_else, !legal | !(in_valid[p] & in_ready[p]) | wanted)
      `PROVE(live_takes, !legal | !wanted | in_ready[p])
    end
    for (q = 0; q < 2; q = q + 1) begin : pe_out
      wire [1:0] mine = {out_on[1] & (out_sel[1] == q), out_on[0] & (out_sel[0] == q)};
      wire offered = enable & (|(mine & shows));
      wire [W-1:0] value = mine[0] ? value0 : value1;
      check_channel #(W) channel (clk, rst, out_valid[q] & legal, out_ready[q], out_data[q*W +: W]);
`ifdef BUFFERS
      wire [7:0] count;
      wire at_head, at_next;
      wire [W-1:0] followed;
      wire offers = out_valid[q] & buffered;
      check_queue #(W, 2) queue (clk, rst | !legal, offered & buffered, value, offers, offers & out_ready[q],
        out_data[q*W +: W], count, at_head, at_next, followed);
      `PROVE(lemma_head, !legal | !at_head | (h_head[q*W +: W] == followed))
      `PROVE(lemma_tail, !legal | !at_next | (h_tail[q*W +: W] == followed))
      `PROVE(lemma_full, !legal | ((h_full[q] == (count != 0)) & (h_more[q] == (count == 2))))
      assign behind[q] = buffered ? count < 2 : out_ready[q];
      `PROVE(live_offers, !legal | (out_valid[q] == (buffered ? count != 0 : offered)))
      `PROVE(h3_value, !legal | buffered | !out_valid[q] | (out_data[q*W +: W] == value))
`else
      assign behind[q] = out_ready[q];
      `PROVE(h3_offers_nothing_else, !legal | !out_valid[q] | offered)
      `PROVE(live_offers, !legal | !offered | out_valid[q])
`ifdef VALUES
      `PROVE(h3_value, !legal | !out_valid[q] | !offered | (out_data[q*W +: W] == value))
`endif
      `COVER(cover_gives, legal & out_valid[q] & out_ready[q])
`endif
    end
  endgenerate
`ifdef BUFFERS
  `PROVE(h3_busy, !legal | (busy == (holds | (pe_out[0].count != 0) | (pe_out[1].count != 0))))
  `PROVE(reset_empties, !after_rst | (!busy & !(buffered & (|out_valid))))
`else
`ifdef HOLDS
  `PROVE(h3_busy, !legal | (busy == holds))
  `PROVE(reset_empties, !after_rst | !busy)
`endif
`endif
endmodule
