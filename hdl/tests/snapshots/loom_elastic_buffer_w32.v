// Two-entry elastic buffer. Guarantees: no combinational path between its two sides, in either direction;
// a token leaves one cycle after it entered at the earliest; one token a cycle without bubbles;
// what is offered stays, unchanged, until taken. `busy` while it holds a token.
`default_nettype none

module loom_elastic_buffer_w32 (
  input  wire clk,
  input  wire rst_n,
  input  wire in_valid,
  output wire in_ready,
  input  wire [31:0] in_data,
  output wire out_valid,
  input  wire out_ready,
  output wire [31:0] out_data,
  output wire busy
);
  wire load_head;
  wire head_from_tail;
  wire load_tail;
  loom_elastic_buffer_control control (
    .clk(clk),
    .rst_n(rst_n),
    .in_valid(in_valid),
    .in_ready(in_ready),
    .out_valid(out_valid),
    .out_ready(out_ready),
    .load_head(load_head),
    .head_from_tail(head_from_tail),
    .load_tail(load_tail)
  );
  assign busy = out_valid;

  // Entries; their valid bits are in the control, so they need no reset.
  reg [31:0] head_data_q;
  reg [31:0] tail_data_q;
  assign out_data = head_data_q;

  always @(posedge clk) begin
    if (load_head) head_data_q <= head_from_tail ? tail_data_q : in_data;
    if (load_tail) tail_data_q <= in_data;
  end
endmodule

`default_nettype wire
