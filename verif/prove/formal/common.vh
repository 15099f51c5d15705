// Shared pieces of the proof harnesses. Each harness is one module `top` around `dut`, an instance of `DUT`.
//
// Defined by the runner: `DUT` (module under proof), `W` (data bits, may be 0), `DATA` (when W > 0), and what the
// entry in verif/prove/src/table.rs adds. Names of properties carry their group: h2_ (offered stays), h3_ (no token lost,
// duplicated or reordered, and the op's meaning), live_ (progress), reset_, error_, lemma_ (ties the reference's
// registers to the module's; proved like the rest). `COVER` names states that must be reached.

`define PROVE(name, condition) (* keep *) wire name = (condition); always @* if (!rst) assert (name);
`ifdef REACH
// Cover points are sought as violations of "never": the same tool serves both, and a trace is a witness.
`define COVER(name, condition) (* keep *) wire name = !(condition); always @* if (!rst) assert (name);
`undef PROVE
`define PROVE(name, condition)
`else
`define COVER(name, condition)
`endif

// Reset in the first cycle, and whenever the environment likes.
`define RESET reg init = 1; always @(posedge clk) init <= 0; wire rst = init | rst_in; wire rst_n = !rst; \
  reg after_rst = 0; always @(posedge clk) after_rst <= rst;

// Ports that are absent at width 0.
`ifdef DATA
`define PORT(port, net) .port(net),
`define WIDTH `W
`else
`define PORT(port, net)
`define WIDTH 1
`endif

// The environment keeps the protocol: what it offers stays, with its data, until taken.
module env_channel #(parameter W = 1) (input clk, input rst, input valid, input ready, input [W-1:0] data);
  reg waits = 0;
  reg [W-1:0] offered;
  always @(posedge clk) begin
    waits <= valid & !ready & !rst;
    offered <= data;
  end
  always @* if (waits & !rst) assume (valid & (data == offered));
endmodule

// H2 for an output of the module.
module check_channel #(parameter W = 1) (input clk, input rst, input valid, input ready, input [W-1:0] data);
  reg waits = 0;
  reg [W-1:0] offered;
  always @(posedge clk) begin
    waits <= valid & !ready & !rst;
    offered <= data;
  end
  `PROVE(h2_valid_stays, !waits | valid)
  `PROVE(h2_data_stays, !(waits & valid) | (data == offered))
endmodule

// A queue of D tokens seen from outside. One token, chosen freely, is followed from `push` to `pop`; as any may
// be the one, all arrive once, in order and unchanged. `pop` must show data in the cycle of `offer`.
module check_queue #(parameter W = 1, parameter D = 2, parameter B = 8)
  (input clk, input rst, input push, input [W-1:0] in, input offer, input pop, input [W-1:0] out, output [B-1:0] count,
   output at_head, output at_next, output [W-1:0] followed);
  (* anyseq *) wire follow;
  reg [B-1:0] n = 0;
  reg following = 0;
  reg [B-1:0] ahead = 0;
  reg [W-1:0] token;
  assign count = n;
  assign at_head = following & (ahead == 0), at_next = following & (ahead == 1), followed = token;
  always @(posedge clk)
    if (rst) begin
      n <= 0;
      following <= 0;
    end else begin
      n <= n + push - pop;
      if (!following & push & follow) begin
        following <= 1;
        ahead <= n - pop;
        token <= in;
      end else if (following & pop) begin
        ahead <= ahead - 1;
        if (ahead == 0) following <= 0;
      end
    end
  `PROVE(h3_no_token_from_nothing, !offer | (n != 0))
  `PROVE(h3_no_token_lost, n + push <= D + pop)
  `PROVE(h3_token_arrives_unchanged, !(following & offer & (ahead == 0)) | (out == token))
  `PROVE(lemma_position, !following | (ahead < n))
  `PROVE(lemma_room, n <= D)
  `COVER(cover_full, n == D)
  `COVER(cover_followed, following & pop & (ahead == 0))
endmodule

// Bounded liveness: of cycles in which all neighbours were willing, at most LIMIT in a row move nothing.
module check_progress #(parameter LIMIT = 1) (input clk, input rst, input willing, input moved);
  reg [7:0] still = 0;
  always @(posedge clk)
    if (rst | moved) still <= 0;
    else if (willing) still <= still + 1;
  `PROVE(live_moves, still < LIMIT + 1)
endmodule
