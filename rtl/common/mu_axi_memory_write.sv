// SPDX-License-Identifier: Apache-2.0
// mu_axi_memory_write: the write side of mu_axi_memory: bursts of AXI4, and single rows of the host.
//
//   aw, w ---> +------------+ ---> write_o, row_o ---> [ memory ]
//              | one a time | ---> b
//   host ----> +------------+ ---> host_done_o
//
// Behaviour: each burst gets one response, which comes after its last beat is in memory and holds until it is
//   taken. The host goes first between bursts and is done in the cycle in which its row is written. Rows
//   outside the memory are not written and answered with DECERR.
// Latency: a beat a cycle from the cycle after its address is taken; the response a cycle after the last.
// Limits: bursts are INCR, of whole rows, and do not cross 4 KiB (AXI4 says so of all).
`default_nettype none

module mu_axi_memory_write #(
    parameter  int unsigned ROWS     = 2048,          // of 32 bytes; a power of two, 128 or more
    localparam int unsigned ROW_BITS = $clog2(ROWS)
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    output logic                            busy_o,
    // the host: holds until done
    input  logic                            host_valid_i,
    input  logic [ROW_BITS-1:0]             host_row_i,
    output logic                            host_done_o,
    // AW
    input  logic                            awvalid_i,
    output logic                            awready_o,
    input  logic [1:0]                      awid_i,
    input  logic [mu_pkg::ADDRESS_BITS-6:0] aw_row_i,
    // W, without the data
    input  logic                            wvalid_i,
    output logic                            wready_o,
    input  logic                            wlast_i,
    // B
    output logic                            bvalid_o,
    input  logic                            bready_i,
    output logic [1:0]                      bid_o,
    output logic [1:0]                      bresp_o,
    // the memory: takes the host's data while host_done_o, else that of the beat
    output logic                            write_o,
    output logic [ROW_BITS-1:0]             row_o
);
  localparam logic [1:0] RESPONSE_OKAY = 2'b00;
  localparam logic [1:0] RESPONSE_DECERR = 2'b11;

  typedef enum logic [1:0] {
    STATE_IDLE,   // nothing to do
    STATE_BEATS,  // an address is taken, beats come
    STATE_ANSWER  // all are written
  } state_e;

  state_e              state_q, state_d;
  logic [ROW_BITS-1:0] row_q, row_d;
  logic [1:0]          id_q, id_d;
  logic                outside_q, outside_d;

  assign busy_o      = state_q != STATE_IDLE;
  assign host_done_o = state_q == STATE_IDLE && host_valid_i;
  assign awready_o   = state_q == STATE_IDLE && !host_valid_i;
  assign wready_o    = state_q == STATE_BEATS;
  assign bvalid_o    = state_q == STATE_ANSWER;
  assign bid_o       = id_q;
  assign bresp_o     = outside_q ? RESPONSE_DECERR : RESPONSE_OKAY;

  always_comb begin
    state_d   = state_q;
    row_d     = row_q;
    id_d      = id_q;
    outside_d = outside_q;
    write_o   = 1'b0;
    row_o     = row_q;
    unique case (state_q)
      STATE_IDLE:
      if (host_valid_i) begin
        write_o = 1'b1;
        row_o   = host_row_i;
      end else if (awvalid_i) begin
        row_d     = aw_row_i[ROW_BITS-1:0];
        id_d      = awid_i;
        outside_d = aw_row_i[mu_pkg::ADDRESS_BITS-6:ROW_BITS] != '0;
        state_d   = STATE_BEATS;
      end
      STATE_BEATS:
      if (wvalid_i) begin
        write_o = !outside_q;
        row_d   = row_q + ROW_BITS'(1);
        if (wlast_i) state_d = STATE_ANSWER;
      end
      STATE_ANSWER: if (bready_i) state_d = STATE_IDLE;
      default: state_d = STATE_IDLE;
    endcase
  end

  always_ff @(posedge clk_i) begin
    row_q     <= row_d;
    id_q      <= id_d;
    outside_q <= outside_d;
    if (!rst_ni) state_q <= STATE_IDLE;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      written_for_one : assert (!write_o || host_done_o || (wvalid_i && wready_o));
      answered_when_all_is_written : assert (!bvalid_o || !write_o);
    end
  end
endmodule

`default_nettype wire
