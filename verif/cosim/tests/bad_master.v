// An AXI master that keeps or breaks the rules as its one configuration word says:
// 0 holds a read until it is taken, 1 withdraws it after a cycle, 2 changes its address while it waits, 3 strobes
// more bytes than it writes, 4 asks before the configuration is done, 5 locks, 6 reads where its size does not
// divide the address, 7 writes without last. What goes wrong begins in cycle 3.
module bad_master (
    input wire clk,
    input wire rst_n,
    input wire cfg_valid,
    output wire cfg_ready,
    input wire [31:0] cfg_data,
    input wire cfg_last,
    output wire cfg_done,
    output wire error_valid,
    output wire [15:0] error_code,
    output wire [15:0] error_unit,
    output wire idle,
    output wire m0_axi_arvalid,
    input wire m0_axi_arready,
    output wire [31:0] m0_axi_araddr,
    output wire m0_axi_arid,
    output wire [7:0] m0_axi_arlen,
    output wire [2:0] m0_axi_arsize,
    output wire [1:0] m0_axi_arburst,
    output wire m0_axi_arlock,
    output wire [3:0] m0_axi_arcache,
    output wire [2:0] m0_axi_arprot,
    output wire [3:0] m0_axi_arqos,
    input wire m0_axi_rvalid,
    output wire m0_axi_rready,
    input wire [31:0] m0_axi_rdata,
    input wire m0_axi_rid,
    input wire [1:0] m0_axi_rresp,
    input wire m0_axi_rlast,
    output wire m0_axi_awvalid,
    input wire m0_axi_awready,
    output wire [31:0] m0_axi_awaddr,
    output wire m0_axi_awid,
    output wire [7:0] m0_axi_awlen,
    output wire [2:0] m0_axi_awsize,
    output wire [1:0] m0_axi_awburst,
    output wire m0_axi_awlock,
    output wire [3:0] m0_axi_awcache,
    output wire [2:0] m0_axi_awprot,
    output wire [3:0] m0_axi_awqos,
    output wire m0_axi_wvalid,
    input wire m0_axi_wready,
    output wire [31:0] m0_axi_wdata,
    output wire [3:0] m0_axi_wstrb,
    output wire m0_axi_wlast,
    input wire m0_axi_bvalid,
    output wire m0_axi_bready,
    input wire m0_axi_bid,
    input wire [1:0] m0_axi_bresp
);
    reg [31:0] mode_q;
    reg [7:0] wait_q;
    reg [7:0] cycle_q;
    reg done_q;
    reg read_taken_q;
    reg address_taken_q;
    reg data_taken_q;

    // A few cycles between the word and the start, as a loader has them.
    always @(posedge clk) begin
        if (!rst_n) begin
            mode_q <= 32'd0;
            wait_q <= 8'd0;
            cycle_q <= 8'd0;
            done_q <= 1'b0;
            read_taken_q <= 1'b0;
            address_taken_q <= 1'b0;
            data_taken_q <= 1'b0;
        end else begin
            if (cfg_valid && cfg_last) begin
                mode_q <= cfg_data;
                wait_q <= 8'd4;
            end
            if (wait_q != 8'd0) wait_q <= wait_q - 8'd1;
            if (wait_q == 8'd1) done_q <= 1'b1;
            if (done_q) cycle_q <= cycle_q + 8'd1;
            if (m0_axi_arvalid && m0_axi_arready) read_taken_q <= 1'b1;
            if (m0_axi_awvalid && m0_axi_awready) address_taken_q <= 1'b1;
            if (m0_axi_wvalid && m0_axi_wready) data_taken_q <= 1'b1;
        end
    end

    wire now = done_q && cycle_q == 8'd3;
    wire since = done_q && cycle_q >= 8'd3;
    wire writes = mode_q == 32'd3 || mode_q == 32'd7;
    wire early = mode_q == 32'd4 && wait_q == 8'd2;

    assign cfg_ready = !done_q;
    assign cfg_done = done_q;
    assign error_valid = 1'b0;
    assign error_code = 16'd0;
    assign error_unit = 16'd0;
    assign idle = 1'b0;

    assign m0_axi_arvalid = early || !writes && (mode_q == 32'd1 ? now : since && !read_taken_q);
    assign m0_axi_araddr = mode_q == 32'd2 && !now ? 32'h1004 : mode_q == 32'd6 ? 32'h1002 : 32'h1000;
    assign m0_axi_arid = 1'b0;
    assign m0_axi_arlen = 8'd0;
    assign m0_axi_arsize = 3'd2;
    assign m0_axi_arburst = 2'd1;
    assign m0_axi_arlock = mode_q == 32'd5;
    assign m0_axi_arcache = 4'd0;
    assign m0_axi_arprot = 3'd0;
    assign m0_axi_arqos = 4'd0;
    assign m0_axi_rready = 1'b1;

    assign m0_axi_awvalid = writes && since && !address_taken_q;
    assign m0_axi_awaddr = 32'h1000;
    assign m0_axi_awid = 1'b0;
    assign m0_axi_awlen = 8'd0;
    assign m0_axi_awsize = 3'd1;
    assign m0_axi_awburst = 2'd1;
    assign m0_axi_awlock = 1'b0;
    assign m0_axi_awcache = 4'd0;
    assign m0_axi_awprot = 3'd0;
    assign m0_axi_awqos = 4'd0;
    assign m0_axi_wvalid = writes && since && !data_taken_q;
    assign m0_axi_wdata = 32'd0;
    assign m0_axi_wstrb = mode_q == 32'd3 ? 4'hf : 4'h3;
    assign m0_axi_wlast = mode_q != 32'd7;
    assign m0_axi_bready = 1'b1;

    wire unused = &{
        1'b0, m0_axi_rvalid, m0_axi_rdata, m0_axi_rid, m0_axi_rresp, m0_axi_rlast, m0_axi_bvalid, m0_axi_bid,
        m0_axi_bresp
    };
endmodule
