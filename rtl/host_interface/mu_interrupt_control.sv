// SPDX-License-Identifier: Apache-2.0
// mu_interrupt_control: sticky causes of each client, and its interrupt line.
//
//   causes_i (pulses) ---> [ cause bits ] ---and---> [ irq_o, one line a client ]
//   *_part_i (pulses) ---> [ part bits ]    ^ enable
//   register bus (client_page.interrupt_cause, interrupt_enable) ---^
//
// Behaviour: a pulse sets its cause; writing a one clears it, unless the same cause pulses in that cycle:
//   then it stays set. irq_o[c] is high exactly while a cause of client c is set and enabled. A part that has
//   raised a cause sets its bit, which is read and cleared with the causes, and drives no line. A client
//   reaches its own page only; clearing a cause that is not there clears nothing.
// Latency: cause pulse in cycle t, irq_o in t+1. Register access 1 cycle, seen in irq_o one cycle later.
// Limits: an enable bit without a cause is refused with REGISTER_VALUE. causes_i has 8 bits a client. A part
//   comes with the cause that it has raised (asserted), of a client that exists.
// two-readers: hold:register_request_i[63:7]=0 hold:register_request_i[83:68]=0x35
// two-readers: hold:register_request_i[87:86]=0 hold:register_request_i[89:88]=3 seen=15
`default_nettype none

module mu_interrupt_control (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    output logic                         busy_o,
    // register bus
    input  logic                         register_valid_i,
    input  mu_pkg::register_request_t    register_request_i,
    output logic                         register_done_o,
    output mu_pkg::register_response_t   register_response_o,
    // every block that raises causes
    input  logic [mu_pkg::CLIENTS*8-1:0] causes_i,
    input  mu_pkg::cause_part_t          fifo_part_i,     // of ARRIVED
    input  mu_pkg::cause_part_t          entry_part_i,    // of COMPLETION
    input  mu_pkg::cause_part_t          counter_part_i,  // of COUNTER_ZERO
    // the node's edge
    output logic [mu_pkg::CLIENTS-1:0]   irq_o
);
  localparam int unsigned CLIENTS = mu_pkg::CLIENTS;
  localparam int unsigned CAUSES  = 8;   // of enum cause, from bit 0 up
  localparam int unsigned PARTS   = 48;  // 16 of a kind, from bit 16 up

  logic [CLIENTS*8-1:0] cause_q;
  logic [CLIENTS*8-1:0] cause_d;
  logic [CLIENTS*PARTS-1:0] parts_q;
  logic [CLIENTS*PARTS-1:0] parts_d;
  logic [CLIENTS*PARTS-1:0] part_pulses;
  logic [CLIENTS*8-1:0] enable_q;
  logic [CLIENTS*8-1:0] enable_d;
  logic [CLIENTS-1:0]   irq_q;
  logic [CLIENTS-1:0]   irq_d;
  logic                 done_q;
  logic [71:0]          response_q;
  logic                 start;
  logic [19:0]          offset;
  logic                 is_enable;
  logic                 unused_bits;
  mu_pkg::status_e      status;
  logic [63:0]          data;

  always_comb begin
    part_pulses = '0;
    if (causes_i != '0) begin
      for (int c = 0; c < CLIENTS; c++) begin
        for (int n = 0; n < 16; n++) begin
          part_pulses[c*PARTS+n]    = fifo_part_i == {1'b1, 4'(c), 4'(n)};
          part_pulses[c*PARTS+16+n] = entry_part_i == {1'b1, 4'(c), 4'(n)};
          part_pulses[c*PARTS+32+n] = counter_part_i == {1'b1, 4'(c), 4'(n)};
        end
      end
    end
  end

  assign unused_bits = ^register_request_i.address[2:0];
  assign start       = register_valid_i && !done_q;
  assign offset      = {register_request_i.address[19:3], 3'b000};
  assign is_enable   = offset == mu_pkg::REG_CLIENT_PAGE_INTERRUPT_ENABLE;

  always_comb begin
    status   = mu_pkg::STATUS_OK;
    data     = '0;
    cause_d  = cause_q;
    parts_d  = parts_q;
    enable_d = enable_q;
    if (start) begin
      if (!register_request_i.page || 32'(register_request_i.client) >= CLIENTS ||
          !(is_enable || offset == mu_pkg::REG_CLIENT_PAGE_INTERRUPT_CAUSE))
        status = mu_pkg::STATUS_REGISTER_UNKNOWN;
      else if (register_request_i.write && !register_request_i.wide) status = mu_pkg::STATUS_REGISTER_PARTIAL;
      else if (register_request_i.write && is_enable && register_request_i.data[63:CAUSES] != '0)
        status = mu_pkg::STATUS_REGISTER_VALUE;
      else begin
        for (int c = 0; c < CLIENTS; c++) begin
          if (register_request_i.client == 4'(c)) begin
            if (!register_request_i.write) begin
              data[7:0] = is_enable ? enable_q[c*8+:8] : cause_q[c*8+:8];
              if (!is_enable) data[63:16] = parts_q[c*PARTS+:PARTS];
            end
            else if (is_enable) enable_d[c*8+:8] = register_request_i.data[7:0];
            else begin
              cause_d[c*8+:8]         = cause_q[c*8+:8] & ~register_request_i.data[7:0];
              parts_d[c*PARTS+:PARTS] = parts_q[c*PARTS+:PARTS] & ~register_request_i.data[63:16];
            end
          end
        end
      end
    end
    // After the clear: what pulses now is never lost.
    cause_d = cause_d | causes_i;
    parts_d = parts_d | part_pulses;
  end

  // Whether its cause pulses with a part.
  function automatic logic has_cause(input logic valid, input logic [3:0] client, input logic [2:0] cause);
    has_cause = !valid || (32'(client) < CLIENTS && 1'(causes_i >> {client, cause}));
  endfunction

  always_comb begin
    irq_d = irq_q;
    if (start || causes_i != '0)
      for (int c = 0; c < CLIENTS; c++) irq_d[c] = (cause_d[c*8+:8] & enable_d[c*8+:8]) != '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cause_q    <= '0;
      parts_q    <= '0;
      enable_q   <= '0;
      irq_q      <= '0;
      done_q     <= 1'b0;
      response_q <= '0;
    end else begin
      done_q <= start;
      if (start) response_q <= {status, data};
      else if (done_q) response_q <= '0;
      if (start || causes_i != '0) begin
        cause_q  <= cause_d;
        parts_q  <= parts_d;
        enable_q <= enable_d;
        irq_q    <= irq_d;
      end
    end
  end
  assign register_done_o     = done_q;
  assign register_response_o = response_q;
  assign irq_o               = irq_q;
  assign busy_o              = done_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      answers_only_when_asked : assert (!done_q || register_valid_i);
      answer_is_zero_unless_done : assert (done_q || response_q == '0);
      fifo_with_its_cause :
      assert (has_cause(fifo_part_i.valid, fifo_part_i.client, mu_pkg::CAUSE_ARRIVED));
      entry_with_its_cause :
      assert (has_cause(entry_part_i.valid, entry_part_i.client, mu_pkg::CAUSE_COMPLETION));
      counter_with_its_cause :
      assert (has_cause(counter_part_i.valid, counter_part_i.client, mu_pkg::CAUSE_COUNTER_ZERO));
    end
  end

`ifdef PROVE_MU_INTERRUPT_CONTROL
  logic                 past_q = 1'b0;
  logic [CLIENTS*8-1:0] pulsed_q;
  logic [CLIENTS*8-1:0] was_set_q;
  logic                 was_start_q;
  logic [CLIENTS-1:0]   irq_expected;
  (* anyconst *) logic [3:0] chosen;  // a client, and a number of its parts
  (* anyconst *) logic [3:0] number;
  logic [2:0]           rises, rose_q, its_parts, was_part_q;
  assign rises     = {counter_part_i == {1'b1, chosen, number}, entry_part_i == {1'b1, chosen, number},
                      fifo_part_i == {1'b1, chosen, number}};
  always_comb begin
    assume (32'(chosen) < CLIENTS);
    its_parts = '0;
    for (int c = 0; c < CLIENTS; c++)
      if (chosen == 4'(c))
        for (int k = 0; k < 3; k++) its_parts[k] = 1'(parts_q[c*PARTS+k*16+:16] >> number);
  end
  always_comb for (int c = 0; c < CLIENTS; c++) irq_expected[c] = (cause_q[c*8+:8] & enable_q[c*8+:8]) != '0;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q      <= 1'b1;
    pulsed_q    <= rst_ni ? causes_i : '0;
    was_set_q   <= rst_ni ? cause_q : '0;
    rose_q      <= rst_ni ? rises : '0;
    was_part_q  <= rst_ni ? its_parts : '0;
    was_start_q <= rst_ni && start;
    if (past_q && rst_ni) begin
      assume (!done_q || register_valid_i);
      line_is_set_and_enabled : assert (irq_q == irq_expected);
      no_pulse_is_lost : assert ((pulsed_q & ~cause_q) == '0);
      no_cause_from_nothing : assert ((cause_q & ~(pulsed_q | was_set_q)) == '0);
      if (!was_start_q) stays_until_cleared : assert ((was_set_q & ~cause_q) == '0);
      no_part_is_lost : assert ((rose_q & ~its_parts) == '0);
      no_part_from_nothing : assert ((its_parts & ~(rose_q | was_part_q)) == '0);
      if (!was_start_q) parts_stay_until_cleared : assert ((was_part_q & ~its_parts) == '0);
      // A part pulses with its cause.
      assume (has_cause(fifo_part_i.valid, fifo_part_i.client, mu_pkg::CAUSE_ARRIVED));
      assume (has_cause(entry_part_i.valid, entry_part_i.client, mu_pkg::CAUSE_COMPLETION));
      assume (has_cause(counter_part_i.valid, counter_part_i.client, mu_pkg::CAUSE_COUNTER_ZERO));
    end
  end
`endif
endmodule
`default_nettype wire
