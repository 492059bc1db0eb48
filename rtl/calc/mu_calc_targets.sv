// SPDX-License-Identifier: Apache-2.0
// mu_calc_targets: puts the result of a CALC to its targets, each chunk as soon as memory has it.
//
//   stored (pulses) ---> [ chunks to put ] --> [ for each target: ] ---> put (valid/ready), a descriptor
//                                                 read ---> target
//
// Behaviour: for each chunk of 512 bytes that memory has accepted, and the rest as the last one, a PUT to
//   each of the targets by their index. A PUT has the counters and the sequence number of the CALC and the
//   header of its target; event_counter and interrupt_target go with the last chunk. One that would pass 2^37
//   at its target is made one that is refused for that. After stop_i no further PUT is offered. done_o:
//   nothing is left to be put, or offered.
// Latency: stored to put 3 cycles; 3 cycles from one PUT to the next.
// Limits: starts when reset ends; the descriptor stands. target_i answers read_o in the next cycle.
`default_nettype none

module mu_calc_targets (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    // the CALC
    input  mu_pkg::fetched_descriptor_t calc_i,
    input  logic                        stored_i,  // one chunk more
    input  logic                        stop_i,
    output logic                        done_o,
    // its list
    output logic                        read_o,
    output logic [2:0]                  index_o,
    input  mu_pkg::packet_header_t      target_i,
    // packetiser
    output logic                        put_valid_o,
    input  logic                        put_ready_i,
    output mu_pkg::fetched_descriptor_t put_o
);
  typedef enum logic [1:0] {
    STATE_BEGIN,  // takes over how long the result is
    STATE_WAIT,   // for a chunk
    STATE_READ,
    STATE_PUT
  } state_e;

  state_e      state_q;
  logic [28:0] chunks_q;  // in memory, and not put to all
  logic [36:0] offset_q;  // of the next, in the result
  logic [36:0] left_q;    // bytes of it and those behind it
  logic [2:0]  index_q;
  logic [9:0]  bytes;
  logic        last_chunk;
  logic        last_target;
  logic        taken;
  logic        chunk_done;
  logic [37:0] end_offset;

  assign last_chunk  = left_q <= 37'd512;
  assign bytes       = last_chunk ? left_q[9:0] : 10'd512;
  assign last_target = {1'b0, index_q} + 4'd1 == calc_i.descriptor.targets;
  assign taken       = put_valid_o && put_ready_i;
  assign chunk_done  = taken && last_target;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= STATE_BEGIN;
    else begin
      unique case (state_q)
        STATE_BEGIN: state_q <= STATE_WAIT;
        STATE_WAIT:  if (chunks_q != '0 && left_q != '0 && !stop_i) state_q <= STATE_READ;
        STATE_READ:  state_q <= stop_i ? STATE_WAIT : STATE_PUT;
        default:     if (put_ready_i) state_q <= last_target || stop_i ? STATE_WAIT : STATE_READ;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {chunks_q, index_q} <= '0;
    else begin
      chunks_q <= chunks_q + 29'(stored_i) - 29'(chunk_done);
      if (taken) index_q <= last_target ? '0 : index_q + 1'b1;
    end
    if (state_q == STATE_BEGIN) begin
      offset_q <= '0;
      left_q   <= calc_i.descriptor.targets == '0 ? '0 : calc_i.descriptor.length;
    end else if (chunk_done) begin
      offset_q <= offset_q + 37'(bytes);
      left_q   <= left_q - 37'(bytes);
    end
  end

  assign read_o      = state_q == STATE_READ;
  assign index_o     = index_q;
  assign done_o      = state_q == STATE_WAIT && (left_q == '0 || stop_i);
  assign put_valid_o = state_q == STATE_PUT;
  assign end_offset  = 38'(target_i.offset) + 38'(offset_q);
  always_comb begin
    put_o = '0;
    if (put_valid_o) begin
      put_o.queue    = calc_i.queue;
      put_o.index    = calc_i.index;
      put_o.owner    = calc_i.owner;
      put_o.mode     = calc_i.mode;
      put_o.lap      = calc_i.lap;
      put_o.detached = 1'b1;
      put_o.descriptor.opcode           = mu_pkg::OPCODE_PUT;
      put_o.descriptor.counter_valid    = calc_i.descriptor.counter_valid;
      put_o.descriptor.counter          = calc_i.descriptor.counter;
      put_o.descriptor.event_valid      = calc_i.descriptor.event_valid && last_chunk;
      put_o.descriptor.event_counter    = calc_i.descriptor.event_counter;
      put_o.descriptor.interrupt_target = calc_i.descriptor.interrupt_target && last_chunk;
      put_o.descriptor.sequence_number  = calc_i.descriptor.sequence_number;
      put_o.descriptor.source_region    = calc_i.descriptor.header.target;
      put_o.descriptor.source_offset    = calc_i.descriptor.header.offset + offset_q;
      put_o.descriptor.length           = end_offset[37] ? 37'd512 : 37'(bytes);
      put_o.descriptor.header           = target_i;
      put_o.descriptor.header.offset    = end_offset[37] ? '1 : end_offset[36:0];
    end
  end

  logic unused;
  assign unused = ^{calc_i};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (chunk_done) puts_what_is_in_memory : assert (chunks_q != '0 && left_q != '0);
      some_target : assert (!put_valid_o || calc_i.descriptor.targets > 4'(index_q));
    end
  end

`ifdef PROVE_MU_CALC_TARGETS
  // What is proved of mu_calc_targets: PUTs come by chunk and target, each of the next bytes of the result
  // and none of a chunk that is not in memory; the last chunk alone carries the event; when nothing is left
  // each target has had all; one that is offered stands, and after a stop no other is.
  logic        past_q = 1'b0;
  logic [36:0] chunk_q;     // offset of the chunk that is put
  logic [3:0]  target_q;    // and to whom
  logic [28:0] accepted_q;  // chunks in memory since reset
  logic [28:0] put_q;       // put to all
  logic        stood_q, stopped_q, rested_q;
  logic [36:0] length;
  logic [3:0]  targets;
  (* anyconst *) logic [mu_pkg::FETCHED_DESCRIPTOR_BITS-1:0] calc;
  (* anyconst *) logic [mu_pkg::PACKET_HEADER_BITS*8-1:0] list;
  logic [2:0]  read_q;
  assign length  = calc_i.descriptor.length;
  assign targets = calc_i.descriptor.targets;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (calc_i == calc && targets <= 4'd8 && length != '0);
    assume (target_i == list[mu_pkg::PACKET_HEADER_BITS*read_q+:mu_pkg::PACKET_HEADER_BITS]);
    // No more chunks than the result has.
    assume (!stored_i || {accepted_q, 9'd0} < 38'(length));
    assume (!stopped_q || stop_i);
  end
  always_ff @(posedge clk_i) begin
    past_q    <= 1'b1;
    stopped_q <= rst_ni && stop_i;
    stood_q   <= rst_ni && put_valid_o && !put_ready_i;
    rested_q  <= rst_ni && stop_i && done_o;
    if (read_o) read_q <= index_o;
    if (!rst_ni) {chunk_q, target_q, accepted_q, put_q} <= '0;
    else begin
      accepted_q <= accepted_q + 29'(stored_i);
      if (taken) begin
        target_q <= target_q + 4'd1 == targets ? '0 : target_q + 4'd1;
        if (target_q + 4'd1 == targets) begin
          chunk_q <= chunk_q + 37'd512;
          put_q   <= put_q + 29'd1;
        end
      end
    end
    if (past_q && rst_ni) begin
      if (put_valid_o) begin
        of_what_is_in_memory : assert (put_q < accepted_q);
        of_the_next_bytes :
        assert (put_o.descriptor.source_offset == calc_i.descriptor.header.offset + chunk_q &&
                (38'(target_i.offset) + 38'(chunk_q) > 38'h1F_FFFF_FFFF ||
                 (put_o.descriptor.header.offset == target_i.offset + chunk_q &&
                  put_o.descriptor.length == (length - chunk_q > 37'd512 ? 37'd512 : length - chunk_q))));
        past_the_end_is_refused :
        assert (38'(target_i.offset) + 38'(chunk_q) <= 38'h1F_FFFF_FFFF ||
                38'(put_o.descriptor.header.offset) + 38'(put_o.descriptor.length) > 38'h20_0000_0000);
        to_the_next_target : assert (read_q == target_q[2:0] && target_q < targets);
        event_with_the_last_chunk :
        assert (put_o.descriptor.event_valid ==
                (calc_i.descriptor.event_valid && length - chunk_q <= 37'd512));
      end
      if (stood_q) one_that_is_offered_stands : assert (put_valid_o);
      if (rested_q) none_is_begun_after_a_stop : assert (done_o && !put_valid_o && !read_o);
      if (done_o && !stop_i) all_targets_have_all :
      assert (targets == '0 || (38'({put_q, 9'd0}) >= 38'(length) && target_q == '0));
      // What the above rests on.
      same_chunk : assert (chunk_q == {put_q[27:0], 9'd0});
      same_target : assert (4'(index_q) == target_q && (target_q < targets || target_q == '0));
      counts_chunks : assert (chunks_q == accepted_q - put_q && put_q <= accepted_q);
      if (state_q != STATE_BEGIN && targets != '0 && left_q != '0)
        counts_bytes : assert (offset_q == chunk_q && left_q == length - chunk_q && chunk_q < length);
      if (state_q != STATE_BEGIN && targets != '0 && left_q == '0)
        nothing_left : assert (38'({put_q, 9'd0}) >= 38'(length) && target_q == '0);
      if (targets == '0) never_then : assert (state_q == STATE_BEGIN || left_q == '0);
      if (state_q == STATE_BEGIN) begins_with_nothing : assert (put_q == '0 && target_q == '0);
      if (state_q == STATE_READ || state_q == STATE_PUT) has_one : assert (chunks_q != '0 && left_q != '0);
      known_states : assert (state_q <= STATE_PUT);
      bounded : assert (38'({accepted_q, 9'd0}) < 38'(length) + 38'd512);
    end
  end
`endif
endmodule
`default_nettype wire
