// SPDX-License-Identifier: Apache-2.0
// mu_packetiser: runs one request descriptor after the other: judges it and cuts it into packets.
//
//   request descriptors ---> [ look up, check ] ---> [ a slot for each packet ] ---> open (packet buffer)
//   reflection credits (choice, query) ----------------------^     |---> payload command (memory port)
//                                                                  \---> rewind (queue engine)
//
// Behaviour: a descriptor that passes becomes packets of 512 bytes, the last of what is left, stamped with
//   this node, the client (in queues that the MU owns: on_behalf of the stamped one), bytes and offset;
//   each opens a slot with the record of what follows it. A descriptor that fails, NOP and the counter
//   operations open one slot without a packet, so that everything ends in order at one place. One that could
//   not be read is taken as a NOP that asks for a completion entry. A reflecting GET takes a direction and a
//   number; without a credit it is rewound. A WAIT, CALC or RECEIVE that passes goes to cross-channel
//   control, and comes back as one that has run: then it ends as that says. A SEND or FENCE goes there too,
//   before its packets; it comes back to go out again, or as one that has run. A SEND or RECEIVE that goes
//   ahead is given up, and comes again, if it does not pass. One that has run, or went ahead before, is not
//   looked at again. A credit query goes out between two packets. abort_i ends the descriptor of that tag
//   without a further slot. hold_i: no more than the first packet is opened.
// Latency: descriptor to first open 3 cycles, 4 if it goes ahead, 1 if it has run; a packet every
//   other cycle; 4 cycles a descriptor of one packet. What is opened shows only while open_ready_i is high.
// Limits: source_entry_i answers one cycle after source_region_o; lookups answer in the same cycle, and are
//   looked at in the cycle before the judgement. progress_o says in the cycle behind the last packet that it
//   is cut; peer_queue_o and send_ahead_o are still of its descriptor then.
`default_nettype none

module mu_packetiser (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    output logic                        busy_o,
    output logic                        active_o,  // an edge changes something
    // straps
    input  mu_pkg::node_straps_t        straps_i,
    // queue engine
    input  logic                        descriptor_valid_i,
    output logic                        descriptor_ready_o,
    input  mu_pkg::fetched_descriptor_t descriptor_data_i,
    output mu_pkg::place_request_t      rewind_o,
    input  logic                        rewind_ready_i,
    // cross-channel control
    output mu_pkg::held_request_t       held_o,
    input  logic                        held_ready_i,
    output mu_pkg::fetched_descriptor_t held_data_o,
    // queue pair
    output logic [                 7:0] peer_queue_o,  // of the descriptor that runs
    input  mu_pkg::queue_peer_t         peer_i,
    output logic                        send_ahead_o,  // it goes ahead
    input  mu_pkg::send_number_t        number_i,      // of a SEND or FENCE of peer_queue_o
    output mu_pkg::send_progress_t      progress_o,
    input  mu_pkg::receive_result_t     received_i,
    input  mu_pkg::send_hold_t          hold_i,
    // region table
    output logic [                 7:0] source_region_o,
    input  mu_pkg::region_entry_t       source_entry_i,
    // counters
    output mu_pkg::counter_lookup_t     lookup_2_o,
    input  mu_pkg::counter_owner_t      lookup_2_answer_i,
    input  logic                        lookup_2_waited_i,
    output mu_pkg::counter_lookup_t     lookup_3_o,
    input  mu_pkg::counter_owner_t      lookup_3_answer_i,
    // reflection credits
    input  logic                        query_valid_i,  // credit_i is about a query
    input  logic                        credit_settles_i,
    output mu_pkg::credit_ask_t         credit_ask_o,
    input  mu_pkg::credit_offer_t       credit_i,
    output mu_pkg::credit_take_t        credit_take_o,
    // packet buffer and completion
    output logic                        open_valid_o,
    input  logic                        open_ready_i,
    output mu_pkg::packet_open_t        open_o,
    input  mu_pkg::slot_abort_t         abort_i,
    // memory port
    output mu_pkg::read_request_t       payload_read_o,
    input  logic                        payload_command_ready_i
);
  typedef enum logic [2:0] {
    STATE_IDLE,    // takes a descriptor
    STATE_LOOK,    // keeps what tables say of its region, its counters and its peer
    STATE_CHECK,   // judges it
    STATE_AHEAD,   // one that goes ahead: does so, or is given up
    STATE_RUN,     // opens slots
    STATE_REWIND   // gives it back
  } state_e;

  state_e                      state_q;
  mu_pkg::fetched_descriptor_t fetched_q;
  mu_pkg::descriptor_t         descriptor;
  mu_pkg::status_e             status_q, status, region_status, run_status;
  mu_pkg::kind_e               kind_q, kind;
  mu_pkg::address_t            address_q, region_address;
  mu_pkg::region_entry_t       entry_q;
  mu_pkg::queue_peer_t         peer_q;
  mu_pkg::counter_owner_t      lookup_2_q, lookup_3_q;
  logic                        lookup_2_waited_q;
  logic [36:0]                 remaining_q, offset_q;
  logic [2:0]                  tag_q;
  logic                        command_valid_q;
  logic [49:0]                 command_q;

  logic from_network, moves, more, last, reflects, run, open, opens_memory, aborted, rewind, holds, sends_q;
  logic fences_q, waits_q, holding, asks, query_taken, goes_ahead, went_ahead, gives_up, tell_q, tell, left_q;
  logic is_known;  // what comes is of a client, has passed before, and has run or gone ahead
  logic held_q;  // a SEND or FENCE holds its queue, and goes out now
  logic [9:0] bytes;

  assign descriptor         = fetched_q.descriptor;
  assign descriptor_ready_o = state_q == STATE_IDLE;
  assign source_region_o    = descriptor_data_i.descriptor.source_region;

  // What its opcode stands for, from the moment it comes.
  mu_pkg::opcode_e comes;
  assign comes = descriptor_data_i.error ? mu_pkg::OPCODE_NOP : descriptor_data_i.descriptor.opcode;
  always_ff @(posedge clk_i) begin
    if (state_q == STATE_IDLE && descriptor_valid_i) begin
      fences_q <= comes == mu_pkg::OPCODE_FENCE;
      sends_q  <= comes == mu_pkg::OPCODE_SEND || comes == mu_pkg::OPCODE_FENCE;
      unique case (comes)
        mu_pkg::OPCODE_SEND, mu_pkg::OPCODE_FENCE, mu_pkg::OPCODE_WAIT, mu_pkg::OPCODE_CALC,
        mu_pkg::OPCODE_RECEIVE, mu_pkg::OPCODE_PIPE: waits_q <= 1'b1;
        default:                                     waits_q <= 1'b0;
      endcase
    end
  end

  // --- check
  assign lookup_2_o.is_event = !descriptor.injection_counter_valid && descriptor.event_valid;
  assign lookup_2_o.index    = descriptor.injection_counter_valid ? descriptor.injection_counter :
      descriptor.event_valid ? descriptor.event_counter : descriptor.counter;
  assign lookup_3_o.is_event = 1'b1;
  assign lookup_3_o.index    =
      descriptor.done_event_valid ? descriptor.done_event : peer_i.event_counter;
  assign peer_queue_o        = fetched_q.queue;
  assign goes_ahead          = fetched_q.ahead && fetched_q.again;
  assign went_ahead          = fetched_q.ahead && !fetched_q.again && !fetched_q.run;
  assign is_known            = !descriptor_data_i.detached &&
      descriptor_data_i.mode != mu_pkg::QUEUE_MODE_REMOTE_GET &&
      descriptor_data_i.mode != mu_pkg::QUEUE_MODE_REFLECTION &&
      (descriptor_data_i.run || (descriptor_data_i.ahead && !descriptor_data_i.again));
  assign gives_up            = status_q != mu_pkg::STATUS_OK || (sends_q && !number_i.ahead_good);
  assign from_network        = fetched_q.mode == mu_pkg::QUEUE_MODE_REMOTE_GET;

  mu_region_check u_region_check (
      .entry_i(entry_q), .offset_i(descriptor.source_offset),
      .bytes_i({1'b0, descriptor.length}), .access_i(from_network ? 2'd2 : 2'd0),
      .client_i(fetched_q.owner), .status_o(region_status), .address_o(region_address)
  );
  mu_descriptor_check u_descriptor_check (
      .enable_i(state_q == STATE_CHECK), .descriptor_i(descriptor), .error_i(fetched_q.error),
      .mode_i(fetched_q.mode), .owner_i(fetched_q.owner), .straps_i,
      .lookup_2_enable_i(lookup_2_q.enable), .lookup_2_owner_i(lookup_2_q.owner),
      .lookup_2_waited_i(lookup_2_waited_q), .lookup_3_enable_i(lookup_3_q.enable),
      .lookup_3_owner_i(lookup_3_q.owner), .peer_connected_i(peer_q.connected),
      .peer_dynamic_i(peer_q.dynamic), .peer_event_valid_i(peer_q.event_valid),
      .send_broken_i(number_i.broken), .region_status_i(region_status), .status_o(status),
      .kind_o(kind), .tell_o(tell)
  );

  // --- run
  assign holds         = state_q == STATE_RUN && waits_q && !fetched_q.run && !held_q &&
      status_q == mu_pkg::STATUS_OK;
  // What is held stops behind its first packet, which has 512 bytes.
  assign run           = state_q == STATE_RUN && !query_valid_i && !holds &&
      !(reflects && credit_settles_i) && !(holding && offset_q[9]);
  assign holding       = hold_i.hold || hold_i.spoil;
  assign moves         = kind_q != mu_pkg::KIND_NONE && run_status == mu_pkg::STATUS_OK && !fetched_q.run;
  assign reflects      = descriptor.reflect && status_q == mu_pkg::STATUS_OK;
  assign asks          = run && reflects;
  assign run_status    = asks && !credit_i.available ? mu_pkg::STATUS_NO_REFLECTOR : status_q;
  assign rewind        = asks && !credit_i.available && credit_i.configured;
  assign more          = remaining_q > 37'(mu_pkg::PAYLOAD_BYTES);
  assign bytes         = more ? 10'(mu_pkg::PAYLOAD_BYTES) : remaining_q[9:0];
  assign last          = !moves || !more;
  assign opens_memory  = moves && !descriptor.immediate_valid && !fences_q;
  assign aborted       = abort_i.valid && abort_i.tag == tag_q && state_q == STATE_RUN;
  // The command before has been taken: whether it is now comes too late in the cycle to be asked.
  assign open_valid_o  = query_valid_i || (run && !rewind && (!opens_memory || !command_valid_q));
  assign open          = open_valid_o && open_ready_i && !query_valid_i;
  assign query_taken   = query_valid_i && open_ready_i;
  assign open_o.memory = opens_memory && !query_valid_i;
  assign open_o.hold   = holding && !query_valid_i;

  assign credit_ask_o.valid     = asks;
  assign credit_ask_o.preferred = descriptor.header.target[2:0];
  assign credit_take_o.credit   = open && reflects && credit_i.available;
  assign credit_take_o.query    = query_taken;

  mu_immediate_payload u_immediate_payload (
      .enable_i(open && descriptor.immediate_valid), .length_i(descriptor.length[4:0]),
      .immediate_i(descriptor.immediate), .payload_o(open_o.payload)
  );

  mu_packet_image u_packet_image (
      .query_i(query_taken), .open_i(open), .node_i({straps_i.z, straps_i.y, straps_i.x}),
      .fetched_i(fetched_q), .status_i(run_status), .kind_i(kind_q), .tell_i(tell_q),
      .moves_i(moves), .last_i(last), .bytes_i(bytes), .offset_i(offset_q), .tag_i(tag_q),
      .counter_i(lookup_2_o.index), .reflects_i(reflects), .direction_i(credit_i.direction),
      .number_i(credit_i.number), .neighbour_i(credit_i.neighbour), .peer_i,
      .send_number_i(number_i.number), .send_doubtful_i(number_i.doubtful), .received_i,
      .header_o(open_o.header), .trailer_o(open_o.trailer), .record_o(open_o.record)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q         <= STATE_IDLE;
      tag_q           <= '0;
      command_valid_q <= 1'b0;
      left_q          <= 1'b0;
    end else begin
      left_q <= sends_q && !fetched_q.run && state_q == STATE_RUN && (aborted || (open && last));
      unique case (state_q)
        STATE_IDLE:  if (descriptor_valid_i) state_q <= is_known ? STATE_RUN : STATE_LOOK;
        STATE_LOOK:  state_q <= STATE_CHECK;
        STATE_CHECK: state_q <= goes_ahead ? STATE_AHEAD : STATE_RUN;
        STATE_AHEAD: state_q <= gives_up ? STATE_IDLE : STATE_RUN;
        STATE_RUN: begin
          if (rewind) state_q <= STATE_REWIND;
          // Only a descriptor that opened a slot uses up its tag.
          if (holds && held_ready_i && (!sends_q || went_ahead)) state_q <= STATE_IDLE;
          if (aborted || (open && last)) begin
            state_q <= STATE_IDLE;
            tag_q   <= tag_q + 1'b1;
          end
        end
        default:     if (rewind_ready_i) state_q <= STATE_IDLE;
      endcase
      if (open && opens_memory) command_valid_q <= 1'b1;
      else if (payload_command_ready_i) command_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == STATE_IDLE && descriptor_valid_i) begin
      fetched_q <= descriptor_data_i;
      // What came with the memory's error means nothing: it asks for a completion entry alone.
      if (descriptor_data_i.error) begin
        fetched_q.descriptor        <= '0;
        fetched_q.descriptor.signal <= 1'b1;
      end
    end
    if (state_q == STATE_LOOK) begin
      entry_q           <= source_entry_i;
      peer_q            <= peer_i;
      lookup_2_q        <= lookup_2_answer_i;
      lookup_2_waited_q <= lookup_2_waited_i;
      lookup_3_q        <= lookup_3_answer_i;
    end
    // The message may wait here while its queue gets another peer.
    if (state_q == STATE_CHECK && fetched_q.detached && fetched_q.run && !descriptor.done_event_valid) begin
      fetched_q.descriptor.done_event_valid <= peer_q.event_valid;
      fetched_q.descriptor.done_event       <= peer_q.event_counter;
    end
    if (state_q == STATE_IDLE && descriptor_valid_i && is_known) begin
      status_q <= descriptor_data_i.run ? descriptor_data_i.run_status : mu_pkg::STATUS_OK;
      kind_q   <= mu_pkg::KIND_NONE;
      tell_q   <= 1'b0;
      offset_q <= descriptor_data_i.error ? '0 : descriptor_data_i.descriptor.header.offset;
      held_q   <= 1'b0;
    end
    if (state_q == STATE_CHECK) begin
      status_q    <= fetched_q.run ? fetched_q.run_status : status;
      kind_q      <= kind;
      tell_q      <= tell;
      address_q   <= region_address;
      remaining_q <= descriptor.length;
      offset_q    <= descriptor.header.offset;
    end
    if (state_q == STATE_CHECK) held_q <= fetched_q.again && sends_q;
    else if (holds && held_ready_i) held_q <= 1'b1;
    if (open && opens_memory) command_q <= {bytes, address_q};
    if (open) begin
      address_q   <= address_q + 40'(bytes);
      remaining_q <= remaining_q - 37'(bytes);
      offset_q    <= offset_q + 37'(bytes);
    end
  end

  assign payload_read_o.valid    = command_valid_q;
  assign payload_read_o.command  = command_q;
  assign rewind_o.valid          = state_q == STATE_REWIND;
  assign rewind_o.place.queue    = fetched_q.queue;
  assign rewind_o.place.index    = fetched_q.index;
  assign rewind_o.place.lap      = fetched_q.lap;
  assign send_ahead_o            = goes_ahead;
  assign progress_o.goes_ahead   = state_q == STATE_AHEAD && sends_q && !gives_up;
  assign progress_o.left         = left_q;
  assign held_o.valid            = holds;
  assign held_o.address          = address_q;
  assign held_data_o             = fetched_q;
  assign busy_o                  = state_q != STATE_IDLE || command_valid_q || left_q;
  // One that waits for a free slot is at rest.
  always_comb begin
    active_o = command_valid_q || left_q || (query_valid_i && open_ready_i);
    if (state_q == STATE_IDLE) active_o = active_o || descriptor_valid_i;
    else if (state_q != STATE_RUN) active_o = 1'b1;
    else active_o = active_o || open_ready_i || holds || reflects || abort_i.valid;
  end

  logic unused;
  assign unused = ^peer_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      only_messages_go_ahead : assert (state_q == STATE_IDLE || !fetched_q.ahead || sends_q ||
                                       descriptor.opcode == mu_pkg::OPCODE_RECEIVE || fetched_q.error);
      nothing_of_what_was_not_read : assert (state_q == STATE_IDLE || !fetched_q.error ||
                                             descriptor.opcode == mu_pkg::OPCODE_NOP);
      bytes_while_moving : assert (!(open && moves) || bytes != '0 ||
                                   ((descriptor.immediate_valid || fences_q) && last));
      never_for_reflection_queues : assert (state_q == STATE_IDLE ||
          (fetched_q.mode <= mu_pkg::QUEUE_MODE_PIPED && fetched_q.mode != mu_pkg::QUEUE_MODE_REFLECTION));
      check_says : assert (region_status < 8'd32 && (state_q != STATE_CHECK || (status < 8'd32 &&
          (status != mu_pkg::STATUS_MEMORY_ERROR || fetched_q.error))));
      check_said : assert (state_q != STATE_RUN || fetched_q.run || (status_q < 8'd32 &&
          kind_q[3:1] != 3'd2 && kind_q != mu_pkg::KIND_ACK &&
          (status_q != mu_pkg::STATUS_MEMORY_ERROR || fetched_q.error) &&
          (status_q != mu_pkg::STATUS_OK || descriptor.opcode <= mu_pkg::OPCODE_FENCE)));
      stops_at_512 : assert (!holding || state_q != STATE_RUN || (offset_q & ~37'd512) == '0);
      reflects_or_has_run : assert (state_q == STATE_IDLE || !fetched_q.run || !descriptor.reflect ||
                                    fetched_q.run_status == mu_pkg::STATUS_FLUSHED);
      again_or_has_run : assert (state_q == STATE_IDLE || !(fetched_q.again && fetched_q.run));
      reflects_in_one_packet : assert (!credit_take_o.credit || last);
      commands_hold : assert (!(open && opens_memory) || !command_valid_q);
      never_opens_what_it_holds : assert (!(open && holds));
      holds_a_send : assert (!holding || state_q == STATE_IDLE || (sends_q && fetched_q.again));
      reads_one_packet_while_held :
      assert (!(open && hold_i.hold) || (offset_q == '0 && !last) || !moves);
      rewinds_only_reflections : assert (!rewind || (reflects && !open));
    end
  end
endmodule
`default_nettype wire
