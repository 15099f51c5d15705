// FIFO of 5 entries. Guarantees: no combinational path between its two sides; a token leaves one cycle
// after it entered at the earliest; one token a cycle without bubbles; what is offered stays, unchanged,
// until taken. `busy` while it holds a token.
`default_nettype none

module loom_fifo_d5_w8_t2 (
  input  wire clk,
  input  wire rst_n,
  input  wire in_valid,
  output wire in_ready,
  input  wire [7:0] in_data,
  input  wire [1:0] in_tag,
  output wire out_valid,
  input  wire out_ready,
  output wire [7:0] out_data,
  output wire [1:0] out_tag,
  output wire busy
);

  // Entries from `read_q` up to `write_q` hold tokens; equal pointers mean empty, or full when `full_q`.
  reg [2:0] read_q;
  reg [2:0] write_q;
  reg full_q;
  wire same = read_q == write_q;
  assign in_ready = ~full_q;
  assign out_valid = full_q | ~same;
  assign busy = out_valid;
  wire enter = in_valid & ~full_q;
  wire leave = out_valid & out_ready;
  wire [2:0] write_next = (write_q == 3'd4) ? 3'd0 : write_q + 3'd1;
  wire [2:0] read_next = (read_q == 3'd4) ? 3'd0 : read_q + 3'd1;

  // Becomes full with the token that makes the pointers meet, and not full when one leaves.
  wire full_next = (enter ? write_next == read_q : full_q) & ~leave;
  reg [7:0] data_mem [0:4];
  wire [7:0] data_head = data_mem[read_q];
  assign out_data = data_head;
  reg [1:0] tag_mem [0:4];
  wire [1:0] tag_head = tag_mem[read_q];
  assign out_tag = tag_head;

  always @(posedge clk) begin
    if (!rst_n) begin
      read_q <= 3'd0;
      write_q <= 3'd0;
      full_q <= 1'b0;
    end else begin
      if (leave) read_q <= read_next;
      if (enter) write_q <= write_next;
      full_q <= full_next;
    end
    if (enter) data_mem[write_q] <= in_data;
    if (enter) tag_mem[write_q] <= in_tag;
  end
endmodule

`default_nettype wire
