// SPDX-License-Identifier: Apache-2.0
// mu_axi_memory_read: the read side of mu_axi_memory: bursts of AXI4, and single rows for the host.
//
//   ar ---> +-------------+ ---> row_o, read_o ---> [ memory and its output register ] ---> r and host data
//           | one a time  | ---> r (last, id, response)
//   host -> +-------------+ ---> host_done_o
//
// Behaviour: each address taken gets its beats in order, with its id; each beat holds until it is taken. The
//   host goes first between bursts and is done in the cycle in which its row stands in the output register.
//   Rows outside the memory are answered with DECERR and whatever stands in the register.
// Latency: the first beat a cycle after its address is taken; a beat a cycle; a cycle between bursts.
// Limits: bursts are INCR, of whole rows, and do not cross 4 KiB (AXI4 says so of all).
`default_nettype none

module mu_axi_memory_read #(
    parameter  int unsigned ROWS     = 2048,          // of 32 bytes; a power of two, 128 or more
    localparam int unsigned ROW_BITS = $clog2(ROWS)
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    output logic                                busy_o,
    // the host: holds until done
    input  logic                                host_valid_i,
    input  logic [ROW_BITS-1:0]                 host_row_i,
    output logic                                host_done_o,
    // AR
    input  logic                                arvalid_i,
    output logic                                arready_o,
    input  logic [1:0]                          arid_i,
    input  logic [mu_pkg::ADDRESS_BITS-6:0]     ar_row_i,
    input  logic [7:0]                          arlen_i,
    // R, without the data
    output logic                                rvalid_o,
    input  logic                                rready_i,
    output logic                                rlast_o,
    output logic [1:0]                          rid_o,
    output logic [1:0]                          rresp_o,
    // the memory, whose output register changes after a cycle with read_o only
    output logic                                read_o,
    output logic [ROW_BITS-1:0]                 row_o
);
  localparam logic [1:0] RESPONSE_OKAY = 2'b00;
  localparam logic [1:0] RESPONSE_DECERR = 2'b11;

  typedef enum logic [1:0] {
    STATE_IDLE,   // nothing to do
    STATE_HOST,   // the host's row is in the output register
    STATE_BEATS   // the row of a beat is
  } state_e;

  state_e              state_q, state_d;
  logic [ROW_BITS-1:0] row_q;
  logic [7:0]          left_q, left_d;  // beats behind this one
  logic [1:0]          id_q, id_d;
  logic                outside_q, outside_d;

  assign busy_o      = state_q != STATE_IDLE;
  assign host_done_o = state_q == STATE_HOST;
  assign arready_o   = state_q == STATE_IDLE && !host_valid_i;
  assign rvalid_o    = state_q == STATE_BEATS;
  assign rlast_o     = left_q == '0;
  assign rid_o       = id_q;
  assign rresp_o     = outside_q ? RESPONSE_DECERR : RESPONSE_OKAY;

  always_comb begin
    state_d   = state_q;
    left_d    = left_q;
    id_d      = id_q;
    outside_d = outside_q;
    read_o    = 1'b0;
    row_o     = row_q + ROW_BITS'(1);
    unique case (state_q)
      STATE_IDLE:
      if (host_valid_i) begin
        read_o  = 1'b1;
        row_o   = host_row_i;
        state_d = STATE_HOST;
      end else if (arvalid_i) begin
        read_o    = 1'b1;
        row_o     = ar_row_i[ROW_BITS-1:0];
        left_d    = arlen_i;
        id_d      = arid_i;
        outside_d = ar_row_i[mu_pkg::ADDRESS_BITS-6:ROW_BITS] != '0;
        state_d   = STATE_BEATS;
      end
      STATE_HOST: state_d = STATE_IDLE;
      STATE_BEATS:
      if (rready_i) begin
        read_o = !rlast_o;
        left_d = left_q - 8'd1;
        if (rlast_o) state_d = STATE_IDLE;
      end
      default: state_d = STATE_IDLE;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (read_o) row_q <= row_o;
    left_q    <= left_d;
    id_q      <= id_d;
    outside_q <= outside_d;
    if (!rst_ni) state_q <= STATE_IDLE;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      register_stays_for_its_reader :
      assert (!read_o || state_q == STATE_IDLE || (state_q == STATE_BEATS && rready_i));
    end
  end
endmodule

`default_nettype wire
