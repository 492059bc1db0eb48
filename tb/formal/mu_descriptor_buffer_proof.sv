// SPDX-License-Identifier: Apache-2.0
// mu_descriptor_buffer_proof: any one entry of the buffer, from its allocation until it leaves.
//
//   allocate, beats, kills ---> [ mu_descriptor_buffer ] ---> what is shown
//             [ ghost: one entry, and how many are before it ]
//
// Behaviour: an entry leaves after those that were allocated before it, and shows what it was allocated with
//   and its two beats; killed, it is never shown, and goes by itself; one with serial set is shown exactly
//   once its turn has come, a cycle later; there is room exactly while fewer than DEPTH are inside.
// Latency: that of mu_descriptor_buffer.
// Limits: all bits of a field are the same here, and bits of a beat are so by turns: which bit goes where is
//   for the unit test.
`default_nettype none

module mu_descriptor_buffer_proof #(
    parameter int unsigned DEPTH = 2
) (
    input logic       clk_i,
    input logic       rst_ni,
    input logic       allocate_i,
    input logic       watches_i,       // the entry that is allocated is the one
    input logic [1:0] queue_i,
    input logic [3:0] place_i,         // index, lap, owner, mode
    input logic       serial_i,
    input logic       beat_valid_i,
    input logic [1:0] beat_i,
    input logic       beat_error_i,
    input logic       kill_i,
    input logic [1:0] kill_queue_i,
    input logic [1:0] holds_queue_i,
    input logic       head_i,
    input logic       out_ready_i
);
  localparam int unsigned LEVEL_BITS = $clog2(DEPTH + 1);
`ifdef FORMAL
  logic past_q = 1'b0;
`else
  logic past_q;
`endif
  logic busy, active, room, holds, out_valid;
  logic [1:0] head_queue;
  mu_pkg::fetched_descriptor_t out;
  logic [LEVEL_BITS-1:0] inside_q, filled_q;  // entries; of these filled
  logic                  second_q;            // the next beat is a second one
  logic                  watched_q, killed_q, serial_q, error_q;
  logic [LEVEL_BITS-1:0] ahead_q, empty_q;    // before the watched one; of these not filled
  logic [1:0]            beats_q, queue_q, low_q, high_q;
  logic [3:0]            place_q;
  logic                  leaves, fills, turn;
  // By age, the one that leaves next first.
  logic [DEPTH-1:0]      dead_q, dead;        // killed
  logic [DEPTH-1:0]      serials_q, serials;
  logic [DEPTH-1:0]      indices_q, indices;
  logic [2*DEPTH-1:0]    queues_q, queues;
  logic                  due, due_q;          // the head has come to the first; in the cycle before

  mu_descriptor_buffer #(
      .DEPTH (DEPTH),
      .QUEUES(4)
  ) u_buffer (
      .clk_i, .rst_ni, .busy_o(busy), .active_o(active), .allocate_i, .room_o(room), .queue_i,
      .index_i({32{place_i[0]}}), .lap_i({32{place_i[1]}}),
      .owner_i({4{place_i[2]}}), .mode_i({3{place_i[3]}}), .serial_i, .beat_valid_i,
      .beat_data_i({128{beat_i}}), .beat_last_i(second_q), .beat_error_i, .kill_i, .kill_queue_i,
      .holds_queue_i, .holds_o(holds), .head_queue_o(head_queue), .head_i({32{head_i}}),
      .out_valid_o(out_valid), .out_ready_i, .out_data_o(out)
  );
  assign due    = filled_q != '0 && serials_q[0] && head_i == indices_q[0];
  assign leaves = filled_q != '0 && (dead_q[0] || (out_valid && out_ready_i));
  assign fills  = beat_valid_i && second_q;
  assign turn   = watched_q && ahead_q == '0 && beats_q == 2'd2;

  always_comb begin
    {dead, serials, indices, queues} = {dead_q, serials_q, indices_q, queues_q};
    for (int unsigned i = 0; i < DEPTH; i++) begin
      if (kill_i && queues_q[2*i+:2] == kill_queue_i) dead[i] = 1'b1;
      if (allocate_i && 32'(inside_q) == i) begin
        {dead[i], serials[i], indices[i], queues[2*i+:2]} = {1'b0, serial_i, place_i[0], queue_i};
      end
    end
    if (leaves) begin
      dead    = dead >> 1;
      serials = serials >> 1;
      indices = indices >> 1;
      queues  = queues >> 2;
    end
  end
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!allocate_i || (32'(inside_q) < DEPTH && !kill_i));
    assume (!beat_valid_i || filled_q != inside_q);
    // The head stays until what it has come to is gone.
    assume (!due_q || dead_q[0] || head_i == indices_q[0]);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      {watched_q, inside_q, filled_q, second_q, due_q} <= '0;
    end else begin
      {dead_q, serials_q, indices_q, queues_q} <= {dead, serials, indices, queues};
      due_q <= due && !leaves;
      inside_q <= inside_q + LEVEL_BITS'(allocate_i) - LEVEL_BITS'(leaves);
      filled_q <= filled_q + LEVEL_BITS'(fills) - LEVEL_BITS'(leaves);
      if (beat_valid_i) second_q <= !second_q;
      if (allocate_i && watches_i && !watched_q) begin
        {watched_q, killed_q, beats_q}     <= 4'b1000;
        {queue_q, place_q, serial_q}       <= {queue_i, place_i, serial_i};
        ahead_q                            <= inside_q - LEVEL_BITS'(leaves);
        empty_q                            <= inside_q - filled_q - LEVEL_BITS'(fills);
      end else if (watched_q) begin
        if (leaves && ahead_q == '0) watched_q <= 1'b0;
        if (leaves) ahead_q <= ahead_q - 1'b1;
        if (fills && empty_q != '0) empty_q <= empty_q - 1'b1;
        if (kill_i && kill_queue_i == queue_q) killed_q <= 1'b1;
        if (beat_valid_i && empty_q == '0 && beats_q < 2'd2) begin
          beats_q <= beats_q + 2'd1;
          if (beats_q == 2'd0) low_q <= beat_i;
          else {error_q, high_q} <= {beat_error_i, beat_i};
        end
      end
      if (past_q) begin
        room_while_one_is_free : assert (room == (32'(inside_q) < DEPTH));
        active_while_a_turn_comes : assert (active == (leaves || due != due_q));
        busy_while_one_is_inside : assert (busy == (inside_q != '0));
        if (out_valid && out_ready_i) what_is_taken_leaves : assert (leaves);
        if (watched_q && holds_queue_i == queue_q) tells_that_it_is_inside : assert (holds);
        if (watched_q && ahead_q == '0 && !turn) not_before_it_is_filled : assert (!leaves && !out_valid);
        if (turn) begin
          asks_for_its_head : assert (head_queue == queue_q);
          if (killed_q) killed_leaves_unseen : assert (leaves && !out_valid);
          else shown_once_its_turn_has_come : assert (out_valid == (!serial_q || due_q));
          if (out_valid) begin
          // The first and the last bit of each.
            shows_its_beats :
            assert ({out.descriptor[511], out.descriptor[256], out.descriptor[255], out.descriptor[0]} ==
                    {high_q[1], high_q[0], low_q[1], low_q[0]} && out.error == error_q);
            shows_its_place :
            assert ({out.mode[2], out.owner[3], out.lap[31], out.index[31], out.queue} ==
                    {place_q[3], place_q[2], place_q[1], place_q[0], 6'd0, queue_q});
            has_not_run : assert ({out.run_status, out.run, out.detached, out.again, out.ahead} == '0);
          end
        end
      end
    end
  end
endmodule
`default_nettype wire
