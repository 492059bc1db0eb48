// SPDX-License-Identifier: Apache-2.0
// mu_message_reception: packets of SENDs: what becomes of each, and of the messages that they make up.
//
//   packet of a SEND ---+---> [ decision ] <---> [ receive queues ] <--- buffers     end, answer --->
//                       |          |                | claim
//                       |          \---> [ arriving message ] <--- watch (PIPE)          arriving --->
//                       \---> [ decision ] <---> [ reassembly contexts ]         message, answer --->
//
// Behaviour: a packet of a queue with a peer is judged by mu_receive_decision, one of a dynamically connected
//   queue by mu_dynamic_decision. Of answers those of contexts go first.
// Latency: what is known is compared with the packet with look_i, and decided with job_i in the next cycle;
//   owner_o answers look_i; see the blocks.
// Limits: look_i, then job_i for one packet at a time, which stands for both; if its queue is reset with
//   look_i nothing is decided, and it has to be looked up again (again_o). peer_i is the peer of the queue
//   that header_i names, answer_peer_i of that which answer_o names.
// two-readers: hold:header_i[23:13]=0 hold:header_i[51:45]=0 hold:header_i[88:52]=0 hold:trailer_i[27:20]=0
// two-readers: hold:trailer_i[59:38]=1 hold:peer_i[20+:1]=1 hold:buffer_i[7:1]=0 hold:reset_i[7:5]=0
// two-readers: hold:reset_i[9:8]=0 hold:counters_good_i=1 hold:reset_i[11:11]=1 seen=20
`default_nettype none

module mu_message_reception (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    output logic                      busy_o,
    // cross-channel control
    input  mu_pkg::buffer_offer_t     buffer_i,
    input  mu_pkg::pair_reset_t       reset_i,
    output logic                      end_valid_o,
    input  logic                      end_ready_i,
    output mu_pkg::queue_end_t        end_o,
    output mu_pkg::receive_result_t   end_result_o,
    output logic                      message_valid_o,  // in a context: done
    input  logic                      message_ready_i,
    output mu_pkg::received_message_t message_o,
    // PIPE: the queue that it watches, a message that arrives there
    input  logic                      watch_i,
    input  logic [7:0]                watch_queue_i,
    output logic                      arriving_valid_o,
    output logic [31:0]               arriving_bytes_o,
    // packetiser
    input  logic [7:0]                result_queue_i,
    output mu_pkg::receive_result_t   result_o,
    // the packet that is looked up, then judged
    input  logic                      look_i,
    input  logic                      job_i,
    input  mu_pkg::packet_header_t    header_i,
    input  mu_pkg::packet_trailer_t   trailer_i,
    input  logic [37:0]               end_i,  // offset and bytes
    input  mu_pkg::queue_peer_t       peer_i,
    input  logic                      counters_good_i,
    output logic                      again_o,
    output logic                      take_o,
    output logic                      acknowledge_o,
    output mu_pkg::status_e           status_o,
    output logic [3:0]                owner_o,  // of the buffer; with look_i
    output mu_pkg::address_t          address_o,
    output logic [4:0]                context_o,  // context, epoch
    output logic [31:0]               bytes_o,    // of the message with this packet
    // completion
    input  logic                      stored_valid_i,
    input  mu_pkg::message_stored_t   stored_i,
    // reply to the peer
    output logic                      answer_valid_o,
    input  logic                      answer_ready_i,
    output mu_pkg::send_answer_t      answer_o,
    input  mu_pkg::queue_peer_t       answer_peer_i,
    output mu_pkg::queue_peer_t       answer_to_o
);
  localparam int unsigned QUEUE_WIDTH = $clog2(mu_pkg::INJECTION_QUEUES);

  logic                    queues_busy, arriving_busy, exists, has_buffer, completing, failed;
  logic                    take, drop, acknowledge;
  logic                    untold, counts;
  mu_pkg::status_e         status;
  logic [1:0]              epoch;
  logic [31:0]             expected, received, bytes;
  logic                    resets, again_q, job;
  mu_pkg::address_t        address;
  mu_pkg::receive_buffer_t entry;

  logic                    contexts_busy, hit, same, open, waits, could_not, room, forgot;
  logic                    begins, claim, dynamic_take, dynamic_drop, dynamic_acknowledge;
  mu_pkg::status_e         dynamic_status;
  logic [2:0]              context_number;
  logic [1:0]              context_epoch;
  logic [31:0]             context_received;
  mu_pkg::address_t        dynamic_address;
  mu_pkg::receive_buffer_t context_entry, dynamic_entry;

  logic queue_answer_valid, context_answer_valid;
  mu_pkg::send_answer_t queue_answer, context_answer;
  mu_pkg::queue_peer_t context_peer;

  // --- what was known of the queue does not count any more ---
  assign resets  = reset_i.reset || reset_i.stop || reset_i.configured;
  assign job     = job_i && !again_q;
  assign again_o = job_i && again_q;
  assign bytes   = end_i[31:0];
  always_ff @(posedge clk_i) begin
    if (look_i) again_q <= resets && reset_i.queue == header_i.target;
  end

  // --- a queue with a peer ---
  mu_receive_decision u_receive_decision (
      .clk_i, .look_i(look_i && !trailer_i.dynamic), .valid_i(job && !trailer_i.dynamic), .header_i,
      .trailer_i, .end_i, .peer_i, .counters_good_i,
      .exists_i(exists), .buffer_i(has_buffer), .completing_i(completing), .failed_i(failed),
      .expected_i(expected), .received_i(received), .entry_i(entry), .take_o(take), .drop_o(drop),
      .acknowledge_o(acknowledge), .status_o(status), .address_o(address)
  );

  mu_receive_queues #(
      .QUEUES(mu_pkg::INJECTION_QUEUES)
  ) u_receive_queues (
      .clk_i, .rst_ni, .busy_o(queues_busy), .buffer_valid_i(buffer_i.valid), .buffer_i(buffer_i.buffer),
      .reset_i(reset_i.reset), .stop_i(reset_i.stop), .configured_i(reset_i.configured),
      .configured_mode_i(reset_i.receives), .reset_queue_i(reset_i.queue[QUEUE_WIDTH-1:0]), .end_valid_o,
      .end_ready_i, .end_o, .end_result_o, .result_queue_i, .result_o, .queue_i(header_i.target),
      .slot_i(trailer_i.sequence_number[0]), .exists_o(exists), .buffer_o(has_buffer),
      .completing_o(completing), .failed_o(failed), .untold_o(untold), .counts_o(counts), .epoch_o(epoch),
      .expected_o(expected), .received_o(received), .entry_o(entry), .take_i(take),
      .take_end_i(trailer_i.last), .take_bytes_i(bytes), .take_word_i(header_i.word), .claim_i(claim),
      .stored_valid_i, .stored_i,
      .answer_valid_o(queue_answer_valid), .answer_ready_i(answer_ready_i && !context_answer_valid),
      .answer_o(queue_answer)
  );

  mu_arriving_message u_arriving_message (
      .clk_i, .rst_ni, .busy_o(arriving_busy), .watch_i, .watch_queue_i, .valid_o(arriving_valid_o),
      .bytes_o(arriving_bytes_o), .take_i(take), .take_queue_i(header_i.target), .take_end_i(trailer_i.last),
      .take_offset_i(header_i.offset), .take_bytes_i(bytes), .untold_i(untold),
      .stored_i(counts), .stored_queue_i(stored_i.queue),
      .reset_i(resets), .reset_queue_i(reset_i.queue)
  );

  // --- a dynamically connected queue ---
  assign dynamic_entry = open ? context_entry : entry;
  mu_dynamic_decision u_dynamic_decision (
      .clk_i, .look_i(look_i && trailer_i.dynamic), .valid_i(job && trailer_i.dynamic), .header_i,
      .trailer_i, .end_i, .peer_i, .counters_good_i,
      .exists_i(exists), .buffer_i(has_buffer), .hit_i(hit), .same_i(same), .open_i(open), .waits_i(waits),
      .failed_i(could_not), .received_i(context_received), .room_i(room), .forgot_i(forgot),
      .entry_i(dynamic_entry), .take_o(dynamic_take), .begin_o(begins), .claim_o(claim),
      .drop_o(dynamic_drop), .acknowledge_o(dynamic_acknowledge), .status_o(dynamic_status),
      .address_o(dynamic_address)
  );

  mu_reassembly_contexts #(
      .CONTEXTS(mu_pkg::REASSEMBLY_CONTEXTS)
  ) u_reassembly_contexts (
      .clk_i, .rst_ni, .busy_o(contexts_busy), .node_i({header_i.src_z, header_i.src_y, header_i.src_x}),
      .peer_queue_i(trailer_i.queue), .queue_i(header_i.target), .number_i(trailer_i.sequence_number),
      .hit_o(hit), .same_o(same), .open_o(open), .waits_o(waits), .failed_o(could_not),
      .received_o(context_received), .entry_o(context_entry), .room_o(room), .forgot_o(forgot),
      .context_o(context_number), .epoch_o(context_epoch), .take_i(dynamic_take), .begin_i(begins),
      .claim_i(claim), .take_end_i(trailer_i.last), .take_bytes_i(bytes),
      .take_word_i(header_i.word), .buffer_i(entry), .reset_i(reset_i.reset || reset_i.configured),
      .reset_queue_i(reset_i.queue), .stored_valid_i, .stored_i, .done_valid_o(message_valid_o),
      .done_ready_i(message_ready_i),
      .done_o(message_o), .answer_valid_o(context_answer_valid), .answer_ready_i,
      .answer_o(context_answer), .answer_peer_o(context_peer)
  );

  // --- either ---
  assign take_o        = take || dynamic_take;
  assign acknowledge_o = acknowledge || dynamic_acknowledge;
  assign status_o      = trailer_i.dynamic ? dynamic_status : status;
  assign owner_o       = trailer_i.dynamic ? dynamic_entry.owner : entry.owner;
  assign address_o     = trailer_i.dynamic ? dynamic_address : address;
  assign bytes_o       = bytes;
  assign context_o     = trailer_i.dynamic ? {context_number, context_epoch} : {3'b0, epoch};

  assign answer_valid_o = queue_answer_valid || context_answer_valid;
  assign answer_o       = context_answer_valid ? context_answer : queue_answer;
  assign answer_to_o    = context_answer_valid ? context_peer : answer_peer_i;
  assign busy_o         = queues_busy || contexts_busy || arriving_busy;

  logic unused;
  assign unused = ^{drop, dynamic_drop, end_i};

  // By construction, so that it holds before reset, too.
  always_ff @(posedge clk_i) begin
    answers_name_no_node : assert ({answer_o.fence, answer_o.node} == '0);
    answers_tell_of_the_memory :
    assert ((answer_o.status & ~mu_pkg::STATUS_MEMORY_ERROR) == mu_pkg::STATUS_OK);
    contexts_know_the_sender_alone :
    assert ({context_peer.completion_queue, context_peer.event_counter} == '0);
  end
endmodule
`default_nettype wire
