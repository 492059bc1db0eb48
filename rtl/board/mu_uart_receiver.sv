// SPDX-License-Identifier: Apache-2.0
// mu_uart_receiver: bytes from an asynchronous serial line: a start bit, eight data bits, a stop bit.
//
//   line_i ---> [ two flip-flops ] ---> [ a sample in the middle of each bit ] ---> valid_o, data_o
//
// Behaviour: each byte whose start bit is low and whose stop bit is high in their middle is shown once, with
//   valid_o for one cycle. One without a stop bit is dropped, and what follows begins when the line is high
//   once more. A start bit shorter than half a bit is noise.
// Latency: two cycles, and from the falling edge of the start bit to the middle of the stop bit.
// Limits: BIT_CYCLES, cycles of the clock a bit, from 4 on. The sender's bits may be a fortieth shorter or
//   longer.
`default_nettype none

module mu_uart_receiver #(
    parameter int unsigned BIT_CYCLES = 217
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    // the line, of another clock
    input  logic       line_i,
    // bytes: no backpressure
    output logic       valid_o,
    output logic [7:0] data_o
);
  localparam int unsigned TIMER_BITS = $clog2(BIT_CYCLES);
  localparam logic [TIMER_BITS-1:0] BIT = TIMER_BITS'(BIT_CYCLES - 1);
  localparam logic [TIMER_BITS-1:0] HALF = TIMER_BITS'(BIT_CYCLES / 2 - 1);

  if (BIT_CYCLES < 4) $error("mu_uart_receiver: BIT_CYCLES must be 4 or more");

  typedef enum logic [1:0] {
    STATE_IDLE,   // the line is high, or was when last looked at
    STATE_START,  // until the middle of the start bit
    STATE_DATA,   // until the middle of each data bit
    STATE_STOP    // until the middle of the stop bit, and on while the line stays low
  } state_e;

  state_e                state_q, state_d;
  logic [1:0]            line_q;
  logic [TIMER_BITS-1:0] timer_q, timer_d;
  logic [2:0]            bits_q, bits_d;
  logic [7:0]            data_q, data_d;
  logic                  valid_d;
  logic                  line;
  logic                  due;

  assign line   = line_q[1];
  assign due    = timer_q == '0;
  assign data_o = data_q;

  always_comb begin
    state_d = state_q;
    timer_d = due ? BIT : timer_q - TIMER_BITS'(1);
    bits_d  = bits_q;
    data_d  = data_q;
    valid_d = 1'b0;
    unique case (state_q)
      STATE_IDLE: begin
        timer_d = HALF;
        bits_d  = '0;
        if (!line) state_d = STATE_START;
      end
      STATE_START: if (due) state_d = line ? STATE_IDLE : STATE_DATA;
      STATE_DATA:
      if (due) begin
        data_d = {line, data_q[7:1]};
        bits_d = bits_q + 3'd1;
        if (bits_q == 3'd7) state_d = STATE_STOP;
      end
      STATE_STOP:
      if (due && line) begin
        valid_d = bits_q == 3'd0;
        state_d = STATE_IDLE;
      end else if (due) begin
        // No stop bit: the byte is dropped, and the line looked at in each cycle.
        bits_d  = 3'd1;
        timer_d = '0;
      end
      default: state_d = STATE_IDLE;
    endcase
  end

  always_ff @(posedge clk_i) begin
    line_q  <= {line_q[0], line_i};
    timer_q <= timer_d;
    bits_q  <= bits_d;
    data_q  <= data_d;
    if (!rst_ni) begin
      state_q <= STATE_IDLE;
      valid_o <= 1'b0;
    end else begin
      state_q <= state_d;
      valid_o <= valid_d;
    end
  end

  // What was shown last, for the assertion.
  logic shown_q;
  always_ff @(posedge clk_i) begin
    shown_q <= rst_ni && valid_o;
    if (rst_ni) begin
      shown_for_one_cycle : assert (!(valid_o && shown_q));
      shown_between_bytes : assert (!valid_o || state_q == STATE_IDLE);
    end
  end
endmodule

`default_nettype wire
