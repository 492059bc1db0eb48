// SPDX-License-Identifier: Apache-2.0
// mu_node_registers: identity, straps, limits and counts of the node as a whole.
//
//   bad_packet_i, dropped_reply_i, memory_error_i (pulses) ---> [ counts ] ---+
//   strap_*_i --------------------------------------------------------------- +---> register bus (block node)
//   fifo_hold_cycles_o, credit_timeout_cycles_o <--- [ limits ] --------------+
//   register_errors_i, error_clear_o <---> record of refusals ----------------+
//
// Behaviour: each pulse counts once (dropped_reply_i: each of its two bits), also in a cycle in which the
//   count is read; counts stop at 2^32-1. The limits hold what was written last: 0, 65536, 1024 and 255 after
//   reset.
// Latency: a pulse shows in a read one cycle later. Register access 1 cycle.
// Limits: LAYOUT_VERSION is not 0.
// two-readers: hold:register_request_i[62:16]=0 hold:register_request_i[83:71]=0x400
// two-readers: hold:register_request_i[89:88]=2 seen=30
`default_nettype none

module mu_node_registers #(
    parameter logic [31:0] SIGNATURE      = 32'h554D5354,
    parameter logic [31:0] LAYOUT_VERSION = 32'd1
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    output logic                       busy_o,
    // register bus
    input  logic                       register_valid_i,
    input  mu_pkg::register_request_t  register_request_i,
    output logic                       register_done_o,
    output mu_pkg::register_response_t register_response_o,
    // straps, latched at the node's edge
    input  mu_pkg::node_straps_t       straps_i,
    // record of refused accesses: what it shows, and what of it a write clears
    input  mu_pkg::node_register_errors_t register_errors_i,
    output mu_pkg::node_error_clear_t  error_clear_o,
    // what is counted
    input  logic                       bad_packet_i,
    input  logic [1:0]                 dropped_reply_i,
    input  logic                       memory_error_i,
    // limits
    output logic [15:0]                fifo_hold_cycles_o,
    output logic [31:0]                credit_timeout_cycles_o,
    output logic [24:0]                send_retry_cycles_o,
    output logic [7:0]                 send_retries_o
);
  if (LAYOUT_VERSION == '0) $error("mu_node_registers: LAYOUT_VERSION must be 1 or more");

  localparam logic [31:0] DEFAULT_CREDIT_TIMEOUT_CYCLES = 32'd65536;
  localparam logic [24:0] DEFAULT_SEND_RETRY_CYCLES = 25'd1024;
  localparam int unsigned ANSWER_BITS = 44;  // no register has more

  logic [15:0]                fifo_hold_cycles_q;
  logic [31:0]                credit_timeout_cycles_q;
  logic [24:0]                send_retry_cycles_q;
  logic [7:0]                 send_retries_q;
  logic [31:0]                bad_packets;
  logic [31:0]                dropped_replies;
  logic [31:0]                memory_errors;
  logic                       done_q;
  mu_pkg::status_e            answer_q;
  logic [ANSWER_BITS-1:0]     data_q;
  logic                       start;
  mu_pkg::node_identity_t     identity;
  mu_pkg::status_e            status;
  logic [63:0]                data;
  logic                       unused;
  logic                       write_fifo_hold, write_credit_timeout, write_retry_cycles, write_retries;
  logic [15:0]                fifo_hold_cycles;
  logic [31:0]                credit_timeout_cycles;
  logic [24:0]                send_retry_cycles;
  logic [7:0]                 send_retries;
  logic                       write_clear;
  mu_pkg::node_error_clear_t  error_clear;

  assign unused             = ^data[63:ANSWER_BITS];
  assign start              = register_valid_i && !done_q;
  assign identity.signature = SIGNATURE;
  assign identity.version   = LAYOUT_VERSION;

  mu_node_decode u_decode (
      .valid_i                      (start),
      .request_i                    (register_request_i),
      .status_o                     (status),
      .data_o                       (data),
      .identity_i                   (identity),
      .straps_i,
      .fifo_hold_cycles_i           (fifo_hold_cycles_q),
      .write_fifo_hold_cycles_o     (write_fifo_hold),
      .fifo_hold_cycles_o           (fifo_hold_cycles),
      .credit_timeout_cycles_i      (credit_timeout_cycles_q),
      .write_credit_timeout_cycles_o(write_credit_timeout),
      .credit_timeout_cycles_o      (credit_timeout_cycles),
      .bad_packets_i                (bad_packets),
      .dropped_replies_i            (dropped_replies),
      .memory_errors_i              (memory_errors),
      .register_errors_i,
      .write_error_clear_o          (write_clear),
      .error_clear_o                (error_clear),
      .send_retry_cycles_i          (send_retry_cycles_q),
      .write_send_retry_cycles_o    (write_retry_cycles),
      .send_retry_cycles_o          (send_retry_cycles),
      .send_retries_i               (send_retries_q),
      .write_send_retries_o         (write_retries),
      .send_retries_o               (send_retries)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      done_q   <= 1'b0;
      answer_q <= mu_pkg::STATUS_OK;
      data_q   <= '0;
    end else begin
      done_q <= start;
      if (start) begin
        answer_q <= status;
        data_q   <= data[ANSWER_BITS-1:0];
      end else if (done_q) begin
        answer_q <= mu_pkg::STATUS_OK;
        data_q   <= '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fifo_hold_cycles_q      <= '0;
      credit_timeout_cycles_q <= DEFAULT_CREDIT_TIMEOUT_CYCLES;
      send_retry_cycles_q     <= DEFAULT_SEND_RETRY_CYCLES;
      send_retries_q          <= '1;
    end else begin
      if (write_fifo_hold) fifo_hold_cycles_q <= fifo_hold_cycles;
      if (write_credit_timeout) credit_timeout_cycles_q <= credit_timeout_cycles;
      if (write_retry_cycles) send_retry_cycles_q <= send_retry_cycles;
      if (write_retries) send_retries_q <= send_retries;
    end
  end
  always_comb begin
    error_clear_o = '0;
    if (write_clear) error_clear_o = error_clear;
  end
  assign register_done_o         = done_q;
  assign register_response_o.status = answer_q;
  assign register_response_o.data   = 64'(data_q);
  assign fifo_hold_cycles_o      = fifo_hold_cycles_q;
  assign credit_timeout_cycles_o = credit_timeout_cycles_q;
  assign send_retry_cycles_o     = send_retry_cycles_q;
  assign send_retries_o          = send_retries_q;
  assign busy_o                  = done_q;

  mu_pulse_counters #(
      .COUNT(3)
  ) u_counts (
      .clk_i,
      .rst_ni,
      .pulses_i({1'b0, memory_error_i, dropped_reply_i, 1'b0, bad_packet_i}),
      .counts_o({memory_errors, dropped_replies, bad_packets})
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      writes_one_register :
      assert ($onehot0({write_fifo_hold, write_credit_timeout, write_retry_cycles, write_retries,
                        write_clear}));
      answers_only_when_asked : assert (!done_q || register_valid_i);
      answer_is_zero_unless_done : assert (done_q || register_response_o == '0);
    end
  end

`ifdef PROVE_MU_NODE_REGISTERS
  // A count is the one before plus the pulses of the cycle before, until it stops at the top.
  logic        past_q = 1'b0;
  logic [33:0] bad_q;
  logic [33:0] dropped_q;
  logic [33:0] errors_q;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q    <= 1'b1;
    bad_q     <= rst_ni ? 34'(bad_packets) + 34'(bad_packet_i) : '0;
    dropped_q <= rst_ni ? 34'(dropped_replies) + 34'(dropped_reply_i[0]) + 34'(dropped_reply_i[1]) : '0;
    errors_q  <= rst_ni ? 34'(memory_errors) + 34'(memory_error_i) : '0;
    if (past_q) begin
      assume (!done_q || register_valid_i);
      counts_bad_packets : assert (bad_packets == (bad_q[33:32] != '0 ? '1 : bad_q[31:0]));
      counts_dropped_replies : assert (dropped_replies == (dropped_q[33:32] != '0 ? '1 : dropped_q[31:0]));
      counts_memory_errors : assert (memory_errors == (errors_q[33:32] != '0 ? '1 : errors_q[31:0]));
    end
  end
`endif
endmodule
`default_nettype wire
