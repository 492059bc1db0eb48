// SPDX-License-Identifier: Apache-2.0
// mu_node_registers: identity, straps, limits and counts of the node as a whole.
//
//   bad_packet_i, dropped_reply_i, memory_error_i (pulses) ---> [ counts ] ---+
//   strap_*_i --------------------------------------------------------------- +---> register bus (block node)
//   fifo_hold_cycles_o, credit_timeout_cycles_o <--- [ limits ] --------------+
//
// Behaviour: each pulse counts once (dropped_reply_i: each of its two bits), also in a cycle in which the
//   count is read; counts stop at 2^32-1. The limits hold what was written last: 0, 65536, 1024 and 255 after
//   reset.
// Latency: a pulse shows in a read one cycle later. Register access 1 cycle.
// Limits: fifo_hold_cycles at most 2^16-1, credit_timeout_cycles at most 2^32-1, send_retry_cycles 1 to 2^24,
//   send_retries at most 255, else REGISTER_VALUE. LAYOUT_VERSION is not 0.
// two-readers: hold:register_request_i[63:16]=0 hold:register_request_i[83:70]=0x800
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
  localparam logic [24:0] MOST_SEND_RETRY_CYCLES = 25'h100_0000;
  localparam int unsigned VERSION_BITS = $clog2(LAYOUT_VERSION + 1);
  localparam int unsigned ANSWER_BITS = 32 + VERSION_BITS;  // no register has more

  logic [15:0]            fifo_hold_cycles_q;
  logic [31:0]            credit_timeout_cycles_q;
  logic [24:0]            send_retry_cycles_q;
  logic [7:0]             send_retries_q;
  logic [31:0]            bad_packets;
  logic [31:0]            dropped_replies;
  logic [31:0]            memory_errors;
  logic                   done_q;
  mu_pkg::status_e        answer_q;
  logic [ANSWER_BITS-1:0] data_q;
  logic                   start;
  logic                   exists;
  logic                   writable;
  logic                   value_legal;
  mu_pkg::status_e        status;
  logic [ANSWER_BITS-1:0] data;
  logic [19:0]            offset;
  logic                   write;
  logic                   unused_bits;

  assign unused_bits = ^register_request_i.client;
  assign start       = register_valid_i && !done_q;
  assign write       = start && register_request_i.write && status == mu_pkg::STATUS_OK;

  always_comb begin
    offset      = '0;
    exists      = 1'b1;
    writable    = 1'b0;
    value_legal = 1'b1;
    data        = '0;
    status      = mu_pkg::STATUS_OK;
    if (start) begin
      offset = {register_request_i.address[19:3], 3'b000} - mu_pkg::BLOCK_NODE_BASE;
      unique case (offset)
        mu_pkg::REG_NODE_IDENTITY:        data = {VERSION_BITS'(LAYOUT_VERSION), SIGNATURE};
        mu_pkg::REG_NODE_STRAPS:
        data = ANSWER_BITS'({straps_i.torus, straps_i.last_z, straps_i.last_y, straps_i.last_x,
                    straps_i.z, straps_i.y, straps_i.x});
        mu_pkg::REG_NODE_BAD_PACKETS:     data = ANSWER_BITS'(bad_packets);
        mu_pkg::REG_NODE_DROPPED_REPLIES: data = ANSWER_BITS'(dropped_replies);
        mu_pkg::REG_NODE_MEMORY_ERRORS:   data = ANSWER_BITS'(memory_errors);
        mu_pkg::REG_NODE_FIFO_HOLD_CYCLES: begin
          data        = ANSWER_BITS'(fifo_hold_cycles_q);
          writable    = 1'b1;
          value_legal = register_request_i.data[63:16] == '0;
        end
        mu_pkg::REG_NODE_CREDIT_TIMEOUT_CYCLES: begin
          data        = ANSWER_BITS'(credit_timeout_cycles_q);
          writable    = 1'b1;
          value_legal = register_request_i.data[63:32] == '0;
        end
        mu_pkg::REG_NODE_SEND_RETRY_CYCLES: begin
          data        = ANSWER_BITS'(send_retry_cycles_q);
          writable    = 1'b1;
          value_legal = register_request_i.data != '0 &&
              register_request_i.data <= 64'(MOST_SEND_RETRY_CYCLES);
        end
        mu_pkg::REG_NODE_SEND_RETRIES: begin
          data        = ANSWER_BITS'(send_retries_q);
          writable    = 1'b1;
          value_legal = register_request_i.data[63:8] == '0;
        end
        default: exists = 1'b0;
      endcase
      if (register_request_i.page || !exists || (register_request_i.write && !writable))
        status = mu_pkg::STATUS_REGISTER_UNKNOWN;
      else if (register_request_i.write && !register_request_i.wide) status = mu_pkg::STATUS_REGISTER_PARTIAL;
      else if (register_request_i.write && !value_legal) status = mu_pkg::STATUS_REGISTER_VALUE;
      if (register_request_i.write || status != mu_pkg::STATUS_OK) data = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      done_q                  <= 1'b0;
      answer_q                <= mu_pkg::STATUS_OK;
      data_q                  <= '0;
      fifo_hold_cycles_q      <= '0;
      credit_timeout_cycles_q <= DEFAULT_CREDIT_TIMEOUT_CYCLES;
      send_retry_cycles_q     <= DEFAULT_SEND_RETRY_CYCLES;
      send_retries_q          <= '1;
    end else begin
      done_q <= start;
      if (start) begin
        answer_q <= status;
        data_q   <= data;
      end else if (done_q) begin
        answer_q <= mu_pkg::STATUS_OK;
        data_q   <= '0;
      end
      if (write) begin
        unique case (offset)
          mu_pkg::REG_NODE_FIFO_HOLD_CYCLES:  fifo_hold_cycles_q <= register_request_i.data[15:0];
          mu_pkg::REG_NODE_SEND_RETRY_CYCLES: send_retry_cycles_q <= register_request_i.data[24:0];
          mu_pkg::REG_NODE_SEND_RETRIES:      send_retries_q <= register_request_i.data[7:0];
          default:                            credit_timeout_cycles_q <= register_request_i.data[31:0];
        endcase
      end
    end
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
      writes_a_limit : assert (!write || offset == mu_pkg::REG_NODE_FIFO_HOLD_CYCLES ||
                               offset == mu_pkg::REG_NODE_CREDIT_TIMEOUT_CYCLES ||
                               offset == mu_pkg::REG_NODE_SEND_RETRY_CYCLES ||
                               offset == mu_pkg::REG_NODE_SEND_RETRIES);
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
