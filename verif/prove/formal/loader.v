// Configuration loader, from hardware.md, sections 6 and 7.
`include "common.vh"
`include "ports.vh"

module top (input clk, input rst_in, input cfg_valid, input cfg_last, input [31:0] cfg_data, input any_input_valid,
            input any_input_transfer, input [15:0] root_code, input [15:0] root_unit, input root_busy);
  `RESET
  wire cfg_ready, cfg_done, chain_valid, error_valid, idle;
  wire [31:0] chain_data;
  wire [15:0] error_code, error_unit;
  `DUT dut (`PORTS);
  env_channel #(33) env (clk, rst, cfg_valid, cfg_ready, {cfg_last, cfg_data});

  // The words of an image; then a wait until errors are known; then running, or an error for good.
  localparam LOAD = 0, SETTLE = 1, RUN = 2, FAILED = 3;
  reg [1:0] phase = `WORDS == 0 ? SETTLE : LOAD;
  reg [7:0] words = 0, waited = 0, since = 255;
  reg [15:0] code = 0, unit = 0;
  wire take = cfg_valid & cfg_ready;
  wire may_reload = (phase == RUN) & idle & (code == 0) & !any_input_valid;
  wire may_take = (phase == LOAD) | (phase == FAILED) | may_reload;
  // Words before this one.
  wire [7:0] before = phase == RUN ? 0 : words;
  wire word = take & (phase != FAILED);
  wire last_is_right = (`WORDS != 0) & (cfg_last == (before == `WORDS - 1));
  wire over = (phase == SETTLE) & (waited == `SETTLE - 1);
  wire bad_word = word & !last_is_right;
  wire raises = (over | (phase == RUN)) & (root_code != 0);
  always @(posedge clk)
    if (rst) begin
      phase <= `WORDS == 0 ? SETTLE : LOAD;
      words <= 0;
      waited <= 0;
      since <= 255;
      code <= 0;
      unit <= 0;
    end else begin
      if (word) begin
        phase <= bad_word ? FAILED : cfg_last ? SETTLE : LOAD;
        words <= cfg_last ? 0 : before + 1;
      end else if (over) phase <= root_code != 0 ? FAILED : RUN;
      waited <= phase == SETTLE ? waited + 1 : 0;
      // Cycles since a token entered.
      since <= any_input_transfer ? 0 : since == 255 ? 255 : since + 1;
      if (code == 0) begin
        if (bad_word) begin
          code <= 16;
          unit <= 16'hffff;
        end else if (raises) begin
          code <= root_code;
          unit <= root_unit;
        end
      end
    end

  `PROVE(h3_takes_when_allowed, !cfg_ready | may_take)
  `PROVE(live_takes, !may_take | cfg_ready)
  `PROVE(h3_every_word_goes_on_once, chain_valid == word)
  `PROVE(h3_word, !chain_valid | (chain_data == cfg_data))
  `PROVE(h3_done_exactly_when_running, cfg_done == (phase == RUN))
  `PROVE(live_settles, (phase != SETTLE) | (waited < `SETTLE))
  `PROVE(error_first_is_kept, (error_code == code) & (error_unit == unit))
  `PROVE(error_valid_with_code, error_valid == (code != 0))
  `PROVE(error_keeps_from_starting, !(phase == FAILED) | (code != 0))
  `PROVE(h3_idle, idle == (!root_busy & (since > `DEPTH)))
  `PROVE(reset_empties, !after_rst | (!cfg_done & !error_valid))
  (* keep *) wire [1:0] h_state;
  (* keep *) wire [`COUNT-1:0] h_count;
  (* keep *) wire [`SETTLES-1:0] h_settle;
  (* keep *) wire [`RECENT-1:0] h_recent;
  `PROVE(lemma_state, h_state == phase)
  `PROVE(lemma_count, !((phase == LOAD) & (`WORDS != 0)) | ((h_count == words) & (words < `WORDS)))
  `PROVE(lemma_settle, (phase == SETTLE) ? h_settle == waited : (phase == RUN) | (phase == FAILED) | (waited == 0))
  `PROVE(lemma_recent, since <= `DEPTH ? h_recent == `DEPTH + 1 - since : h_recent == 0)
  reg ran = 0;
  always @(posedge clk) ran <= !rst & (ran | cfg_done);
  `COVER(cover_running, cfg_done)
  `COVER(cover_run_time_error, cfg_done & error_valid)
  `COVER(cover_refused, (phase == FAILED) & (code != 16) | (`WORDS == 0) & cfg_done)
`ifdef RELOAD
  `COVER(cover_loaded_again, ran & !cfg_done & (phase == SETTLE))
`endif
endmodule
