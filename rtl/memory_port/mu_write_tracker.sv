// SPDX-License-Identifier: Apache-2.0
// mu_write_tracker: the ordering point. It lets an action out when the memory has accepted its writes.
//
//   pending (valid/ready/data) --> [ commands in order ] --+
//   write responses (valid/ready) ------------------------+--> action (valid/ready/data)
//
// Behaviour: responses belong to the pending commands in order, one or two each, none to one that writes
//   nothing, which is complete once it is the oldest. The response that completes
//   a command with final_part high lets its action out, with error if any response since the action before
//   had one, and with the ranges touched by all its parts. No action leaves before its last response.
// Latency: the action is valid one cycle after its last response; one action every two cycles.
// Limits: DEPTH commands pending; further ones wait, and responses while none is. A response that no command
//   is pending for is a broken memory.
`default_nettype none

module mu_write_tracker #(
    parameter int unsigned DEPTH = 8
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    // commands that were taken by the memory writer
    input  logic                            pending_valid_i,
    output logic                            pending_ready_o,
    input  logic                            pending_two_bursts_i,
    input  logic                            pending_none_i,  // nothing is written
    input  logic                            pending_final_i,
    input  logic [mu_pkg::TOUCH_RANGES-1:0] pending_touch_i,
    input  mu_pkg::write_action_t           pending_action_i,
    // write response channel
    input  logic                            response_valid_i,
    output logic                            response_ready_o,
    input  logic                            response_error_i,
    // what may be done now
    output logic                            action_valid_o,
    input  logic                            action_ready_i,
    output mu_pkg::write_action_t           action_data_o,
    output logic                            action_error_o,
    output logic [mu_pkg::TOUCH_RANGES-1:0] action_touch_o,
    output logic                            active_o,  // an edge changes something, though no response comes
    output logic                            busy_o
);
  localparam int unsigned RANGES = mu_pkg::TOUCH_RANGES;
  localparam int unsigned WIDTH = 3 + RANGES + mu_pkg::WRITE_ACTION_BITS;

  logic                       head_valid;
  logic                       head_pop;
  logic [WIDTH-1:0]           head;
  logic                       head_two;
  logic                       head_none;
  logic                       head_final;
  logic [RANGES-1:0]          head_touch;
  logic [mu_pkg::WRITE_ACTION_BITS-1:0] head_action;
  logic [$clog2(DEPTH+1)-1:0] level;

  mu_fifo #(
      .WIDTH(WIDTH),
      .DEPTH(DEPTH)
  ) u_pending (
      .clk_i,
      .rst_ni,
      .in_valid_i (pending_valid_i),
      .in_ready_o (pending_ready_o),
      .in_data_i  ({pending_none_i, pending_two_bursts_i, pending_final_i, pending_touch_i,
                    pending_action_i}),
      .out_valid_o(head_valid),
      .out_ready_i(head_pop),
      .out_data_o (head),
      .level_o    (level)
  );
  assign {head_none, head_two, head_final, head_touch, head_action} = head;

  logic              half_q;    // the first of two responses has come
  logic              done_q;    // the head's action may leave
  logic              error_q;   // in this action
  logic [RANGES-1:0] touch_q;   // by the earlier parts of this action
  logic              none;      // the head awaits no response
  logic              response;
  logic              complete;
  logic              leaves;

  assign none             = head_valid && head_none && !done_q;
  assign response_ready_o = head_valid && !done_q && !none;
  assign response         = response_valid_i && response_ready_o;
  assign complete         = none || (response && (!head_two || half_q));
  assign leaves           = done_q && action_ready_i;
  assign head_pop         = leaves || (complete && !head_final);
  assign action_valid_o   = done_q;
  assign action_data_o    = head_action;
  assign action_error_o   = error_q;
  assign action_touch_o   = touch_q | head_touch;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      half_q  <= 1'b0;
      done_q  <= 1'b0;
      error_q <= 1'b0;
      touch_q <= '0;
    end else begin
      if (response || none) begin
        half_q  <= !complete;
        done_q  <= complete && head_final;
        error_q <= error_q || (response && response_error_i);
        if (complete && !head_final) touch_q <= action_touch_o;
      end
      if (leaves) begin
        done_q  <= 1'b0;
        error_q <= 1'b0;
        touch_q <= '0;
      end
    end
  end

  assign active_o = none || done_q;
  assign busy_o   = head_valid;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (response) response_was_awaited : assert (head_valid);
      if (done_q) action_has_its_command : assert (head_valid && head_final);
      if (half_q) half_means_two : assert (head_valid && head_two && !head_none);
      pending_bounded : assert (32'(level) <= DEPTH);
    end
  end

`ifdef PROVE_MU_WRITE_TRACKER
  // Each action carries how many responses must have come before it may leave, counted since reset.
  logic       past_q = 1'b0;
  logic       past_none_q;
  logic [3:0] awaited_q;   // responses that the commands taken so far will have
  logic [3:0] received_q;
  logic [3:0] awaited_d;
  assign awaited_d = awaited_q + (pending_none_i ? 4'd0 : pending_two_bursts_i ? 4'd2 : 4'd1);
  always_comb begin
    if (!past_q) assume (!rst_ni);
    else if (pending_valid_i) begin
      assume (pending_ready_o && pending_action_i == mu_pkg::WRITE_ACTION_BITS'(awaited_d));
    end
    if (response_valid_i) assume (received_q != awaited_q);
    assume (pending_touch_i == '0);
    assume (!(pending_none_i && pending_two_bursts_i));
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    past_none_q <= rst_ni && none && head_final;
    if (!rst_ni) begin
      awaited_q  <= '0;
      received_q <= '0;
    end else begin
      if (pending_valid_i) awaited_q <= awaited_d;
      if (response) received_q <= received_q + 1'b1;
    end
    if (past_q && rst_ni) begin
      if (action_valid_o) leaves_after_its_last_response : assert (action_data_o[3:0] == received_q);
      if (head_valid && head_final && !none && head_action[3:0] == received_q) begin
        leaves_at_once : assert (action_valid_o);
      end
      takes_responses_unless_an_action_waits :
      assert (response_ready_o == (head_valid && !action_valid_o && !none));
      if (past_none_q) one_that_writes_nothing_leaves_next : assert (action_valid_o);

      // Proved for a DEPTH of 2; a larger one adds nothing but words to the queue, and takes too long.
      if (DEPTH == 2) responses_are_bounded : assert (32'(4'(awaited_q - received_q)) <= 2 * DEPTH);
      takes_commands_while_there_is_room : assert (pending_ready_o == (32'(level) < DEPTH));
      busy_while_it_owes : assert (busy_o == (head_valid || received_q != awaited_q));
    end
  end
`endif
endmodule
`default_nettype wire
