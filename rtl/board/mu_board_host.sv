// SPDX-License-Identifier: Apache-2.0
// mu_board_host: a host at a serial line reads and writes registers and memory, one access at a time.
//
//   in ---> [ request, 13 bytes ] ---> axil_* (registers) or memory_* ---> [ answer, 9 bytes ] ---> out
//
// Behaviour: a request is a command (bit 0 write, bit 1 memory instead of registers), byte enables, an
//   address of three bytes and eight of data, which a read has too; numbers have their lowest byte first.
//   Each whole request becomes one access of eight bytes and gets one answer: the response of AXI (0 is OK),
//   then eight bytes of data, those of the request after a write. A request that stops within for GAP_CYCLES
//   is dropped, so that a host can begin anew. Bytes that come during an access or its answer are dropped.
// Latency: an access begins two cycles after the last byte of its request, its answer a cycle after its end.
// Limits: an access that is never answered keeps the bridge until reset.
`default_nettype none

module mu_board_host #(
    parameter int unsigned GAP_CYCLES = 65536  // a power of two
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // bytes of the host
    input  logic                   in_valid_i,
    input  logic [7:0]             in_data_i,
    // bytes for the host
    output logic                   out_valid_o,
    input  logic                   out_ready_i,
    output logic [7:0]             out_data_o,
    // registers
    output mu_pkg::axil_request_t  axil_request_o,
    input  mu_pkg::axil_response_t axil_response_i,
    // memory: all holds until done
    output logic                   memory_valid_o,
    output logic                   memory_write_o,
    output logic [23:0]            memory_address_o,
    output logic [7:0]             memory_strobe_o,
    output logic [63:0]            memory_data_o,
    input  logic                   memory_done_i,
    input  logic [63:0]            memory_data_i
);
  localparam int unsigned REQUEST_BYTES = 13;
  localparam int unsigned ANSWER_BYTES = 9;
  localparam int unsigned FRAME_BITS = 8 * REQUEST_BYTES;
  localparam int unsigned GAP_BITS = $clog2(GAP_CYCLES);

  if (GAP_CYCLES != 1 << GAP_BITS) $error("mu_board_host: GAP_CYCLES must be a power of two");

  typedef enum logic [1:0] {
    STATE_COLLECT,  // bytes of a request come in
    STATE_BEGIN,    // the access begins
    STATE_ACCESS,   // it is not yet answered
    STATE_ANSWER    // the answer goes out
  } state_e;

  state_e                state_q, state_d;
  logic [FRAME_BITS-1:0] frame_q, frame_d;  // the request, or what is left of the answer
  logic [3:0]            count_q, count_d;  // bytes that are in, or left to go out
  logic [GAP_BITS-1:0]   gap_q, gap_d;      // cycles since the last byte
  logic                  aw_q, aw_d, w_q, w_d, ar_q, ar_d, memory_q, memory_d;  // offered and not yet taken
  logic                  done;
  logic [71:0]           answer;
  logic                  is_write, is_memory;

  assign is_write  = frame_q[0];
  assign is_memory = frame_q[1];

  // Each pin is a register, or a part of the request, which stays as it is.
  always_comb begin
    axil_request_o         = '0;
    axil_request_o.awvalid = aw_q;
    axil_request_o.wvalid  = w_q;
    axil_request_o.arvalid = ar_q;
    axil_request_o.awaddr  = frame_q[16+:20];
    axil_request_o.araddr  = frame_q[16+:20];
    axil_request_o.wstrb   = frame_q[8+:8];
    axil_request_o.wdata   = frame_q[40+:64];
    axil_request_o.bready  = state_q == STATE_ACCESS;
    axil_request_o.rready  = state_q == STATE_ACCESS;
  end
  assign memory_valid_o   = memory_q;
  assign memory_write_o   = is_write;
  assign memory_strobe_o  = frame_q[8+:8];
  assign memory_address_o = frame_q[16+:24];
  assign memory_data_o    = frame_q[40+:64];
  assign out_valid_o      = state_q == STATE_ANSWER;
  assign out_data_o       = frame_q[7:0];

  always_comb begin
    done   = 1'b0;
    answer = {frame_q[40+:64], 8'd0};
    if (is_memory) begin
      done = memory_done_i;
      if (!is_write) answer[71:8] = memory_data_i;
    end else if (is_write) begin
      done        = axil_response_i.bvalid;
      answer[7:0] = {6'd0, axil_response_i.bresp};
    end else begin
      done   = axil_response_i.rvalid;
      answer = {axil_response_i.rdata, 6'd0, axil_response_i.rresp};
    end
  end

  always_comb begin
    state_d  = state_q;
    frame_d  = frame_q;
    count_d  = count_q;
    gap_d    = gap_q + GAP_BITS'(1);
    aw_d     = aw_q && !axil_response_i.awready;
    w_d      = w_q && !axil_response_i.wready;
    ar_d     = ar_q && !axil_response_i.arready;
    memory_d = memory_q && !memory_done_i;
    unique case (state_q)
      STATE_COLLECT: begin
        if (gap_q == '1) count_d = '0;
        if (in_valid_i) begin
          gap_d   = '0;
          frame_d = {in_data_i, frame_q[FRAME_BITS-1:8]};
          count_d = count_q + 4'd1;
          if (count_q == 4'(REQUEST_BYTES - 1)) state_d = STATE_BEGIN;
        end
      end
      STATE_BEGIN: begin
        aw_d     = is_write && !is_memory;
        w_d      = is_write && !is_memory;
        ar_d     = !is_write && !is_memory;
        memory_d = is_memory;
        state_d  = STATE_ACCESS;
      end
      STATE_ACCESS:
      if (done) begin
        frame_d[71:0] = answer;
        count_d       = 4'(ANSWER_BYTES);
        state_d       = STATE_ANSWER;
      end
      STATE_ANSWER:
      if (out_ready_i) begin
        frame_d[71:0] = {8'd0, frame_q[71:8]};
        count_d       = count_q - 4'd1;
        gap_d         = '0;
        if (count_q == 4'd1) state_d = STATE_COLLECT;
      end
      default: state_d = STATE_COLLECT;
    endcase
  end

  always_ff @(posedge clk_i) begin
    frame_q <= frame_d;
    gap_q   <= gap_d;
    if (!rst_ni) begin
      state_q  <= STATE_COLLECT;
      count_q  <= '0;
      aw_q     <= 1'b0;
      w_q      <= 1'b0;
      ar_q     <= 1'b0;
      memory_q <= 1'b0;
    end else begin
      state_q  <= state_d;
      count_q  <= count_d;
      aw_q     <= aw_d;
      w_q      <= w_d;
      ar_q     <= ar_d;
      memory_q <= memory_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      offered_within_an_access : assert (state_q == STATE_ACCESS || !(aw_q || w_q || ar_q || memory_q));
      one_kind_of_access : assert (!((aw_q || w_q) && ar_q) && !(memory_q && (aw_q || w_q || ar_q)));
      bytes_fit : assert (count_q < 4'(REQUEST_BYTES) || state_q == STATE_BEGIN || state_q == STATE_ACCESS);
      answered_after_taken : assert (state_q != STATE_ACCESS || !done || is_memory || !(aw_q || w_q || ar_q));
    end
  end
endmodule

`default_nettype wire
