// What the harnesses of memory interfaces share beside `top`. Of vectors bit l is lane l.

// One lane of the queues of a kind. The module keeps two entries in a ring, the reference the oldest in front.
module lane_queue #(parameter W = 1)
  (input clk, input rst, input legal, input push, input [W-1:0] in, input pop, output has, output room, output [1:0] count,
   output [W-1:0] head, output [W-1:0] next, input [1:0] h_count, input h_read, input h_write, input [2*W-1:0] h_entries);
  reg [1:0] n = 0;
  reg [W-1:0] oldest, second;
  wire [1:0] kept = n - pop;
  assign has = n != 0, room = n < 2, count = n, head = oldest, next = second;
  always @(posedge clk) begin
    n <= rst ? 0 : kept + push;
    oldest <= push & (kept == 0) ? in : pop ? second : oldest;
    if (push & (kept == 1)) second <= in;
  end
  `PROVE(h3_no_token_from_nothing, !legal | !pop | has)
  `PROVE(h3_no_token_lost, !legal | !push | room)
  `PROVE(lemma_count, !legal | ((h_count == n) & (n <= 2)))
  `PROVE(lemma_ring, !legal | ((h_read ^ h_write) == n[0]))
  `PROVE(lemma_oldest, !legal | !has | ((h_read ? h_entries[W +: W] : h_entries[0 +: W]) == oldest))
  `PROVE(lemma_second, !legal | room | ((h_read ? h_entries[0 +: W] : h_entries[W +: W]) == second))
endmodule

// Whose request is looked at: the first lane from the pointer on that asks. One that is taken goes to the end.
module request_turn (input clk, input rst, input legal, input [1:0] asks, input taken, output lane, input h_pointer);
  reg pointer = 0;
  assign lane = asks[pointer] ? pointer : !pointer;
  // A request of the other lane was taken while this one asked.
  reg [1:0] passed = 0;
  wire [1:0] other = {taken & !lane, taken & lane};
  always @(posedge clk) begin
    passed <= rst | !legal ? 0 : asks & (other | (taken ? 0 : passed));
    pointer <= rst ? 0 : taken ? !lane : pointer;
  end
  `PROVE(lemma_pointer, !legal | (h_pointer == pointer))
  `PROVE(lemma_passed, !legal | ((!passed[0] | (asks[0] & !pointer)) & (!passed[1] | (asks[1] & pointer))))
  // A lane that asks waits for one request of the other at most.
  `PROVE(live_request_turns, !legal | !(|(passed & other)))
  `COVER(cover_both_ask, legal & (&asks) & taken)
endmodule
