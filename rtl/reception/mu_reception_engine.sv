// SPDX-License-Identifier: Apache-2.0
// mu_reception_engine: what arrives at this node: stores it, reserves queue slots, refuses, answers.
//
//   eject_request, eject_reply ---> [ receivers ] ---> [ control ] ---> [ stores ] ---> request_write,
//   boot_read, boot_beat <---> [ boot drain ] --^        ^  |                       reply_write, notice_write
//   region table, counter owners, queue engine <---------+  +---> notice_packet, credit_return
//   register bus, fifo_publish, notice_publish ---> [ FIFO table, notice ring ] ---> causes_o
//
// Behaviour: a good packet ends in exactly one of: a write command with its action, a notice packet
//   (refused request), a dropped_reply_o pulse, a CREDIT packet or none (query), a credit return. A bad one
//   ends in one bad_packet_o pulse. Replies go first and never wait for a held, refused or blocked request.
//   One of a boot buffer that finds no room stays there. Counters, tails and interrupts are not touched
//   here: they belong to the actions. Requests of one source stay in order.
// Latency: tail flit to write command five cycles when idle; a 34-flit packet every 34 cycles.
// Limits: every packet that the router can deliver has an answer; register accesses as in the three tables.
//   clk_i and clk_decision_i are one clock; each may be stopped while its block is not busy and gets nothing.
`default_nettype none

module mu_reception_engine (
    input  logic                              clk_i,           // receiver and store of requests
    input  logic                              clk_decision_i,  // all else
    input  logic                              rst_ni,
    output logic                              requests_busy_o,
    output logic                              decision_busy_o,
    // straps
    input  mu_pkg::node_straps_t              straps_i,
    // router
    input  mu_pkg::flit_stream_t              eject_request_i,
    output logic                              eject_request_ready_o,
    input  mu_pkg::flit_stream_t              eject_reply_i,
    output logic                              eject_reply_ready_o,
    // memory port
    output mu_pkg::write_request_t            request_write_o,
    input  mu_pkg::write_response_t           request_write_response_i,
    output mu_pkg::write_request_t            reply_write_o,
    input  mu_pkg::write_response_t           reply_write_response_i,
    output mu_pkg::write_request_t            notice_write_o,
    input  mu_pkg::write_response_t           notice_write_response_i,
    output mu_pkg::read_request_t             boot_read_o,
    input  logic                              boot_command_ready_i,
    input  mu_pkg::read_beat_t                boot_beat_i,
    // region table, counters
    output mu_pkg::target_lookup_t            target_lookup_o,
    input  mu_pkg::target_answer_t            target_answer_i,
    // send engine: slots, peers, credits, notices
    output mu_pkg::reception_requests_t       reception_requests_o,
    input  mu_pkg::queue_answer_t             queue_answer_i,
    input  mu_pkg::peer_answer_t              peer_answer_i,
    output mu_pkg::notice_packet_t            notice_packet_o,
    input  logic                              notice_packet_ready_i,
    // its queue pairs
    input  mu_pkg::receive_orders_t           receive_orders_i,
    output mu_pkg::receive_reports_t          receive_reports_o,
    output mu_pkg::receive_result_t           result_o,
    // completion
    input  mu_pkg::reception_published_t      published_i,
    output mu_pkg::reception_published_ready_t published_ready_o,
    // host interface
    input  mu_pkg::register_units_t           register_valid_i,
    output mu_pkg::register_units_t           register_done_o,
    input  mu_pkg::register_request_t         register_request_i,
    output mu_pkg::register_response_t        register_response_o,
    input  logic [15:0]                       fifo_hold_cycles_i,
    output logic                              bad_packet_o,
    output logic                              dropped_reply_o,
    // interrupt control
    output logic [mu_pkg::CLIENTS*8-1:0]      causes_o,
    output mu_pkg::cause_part_t               part_o
);
  // --- receivers --------------------------------------------------------------------------------------
  logic                    request_done, request_beat_valid, request_beat_ready, request_bad;
  logic                    request_source_busy, reply_valid, reply_done, reply_beat_valid;
  logic                    reply_beat_ready, reply_bad, reply_receiver_busy, get_idle;
  logic                    boot_busy, boot_bad, moved_turn, moved_beat_valid, moved_beat_ready;
  logic [2:0]              bad_pending_q;
  mu_pkg::shown_request_t  request, moved;
  mu_pkg::packet_header_t  reply_header;
  mu_pkg::packet_trailer_t reply_trailer;
  mu_pkg::memory_word_t    request_beat_data, reply_beat_data, moved_beat_data;
  mu_pkg::boot_step_t      boot_step;
  mu_pkg::boot_held_t      boot_held;
  logic [mu_pkg::RECEPTION_FIFOS-1:0] draining;

  mu_request_source u_request_source (
      .clk_i, .rst_ni, .busy_o(request_source_busy), .flit_valid_i(eject_request_i.valid),
      .flit_ready_o(eject_request_ready_o), .flit_head_i(eject_request_i.head),
      .flit_tail_i(eject_request_i.tail), .flit_data_i(eject_request_i.data),
      .bad_packet_o(request_bad), .moved_i(moved), .moved_turn_o(moved_turn),
      .moved_beat_valid_i(moved_beat_valid),
      .moved_beat_ready_o(moved_beat_ready), .moved_beat_data_i(moved_beat_data), .shown_o(request),
      .packet_done_i(request_done), .stays_i(progress.request_stays),
      .beat_valid_o(request_beat_valid), .beat_ready_i(request_beat_ready),
      .beat_data_o(request_beat_data)
  );
  mu_boot_drain u_boot_drain (
      .clk_i(clk_decision_i), .rst_ni, .busy_o(boot_busy), .draining_i(draining), .step_o(boot_step),
      .held_i(boot_held), .read_o(boot_read_o), .read_ready_i(boot_command_ready_i),
      .beat_i(boot_beat_i), .shown_o(moved), .taken_i(!request_store_idle && moved_turn),
      .stays_i(progress.request_stays), .packet_done_i(request_done && moved_turn),
      .beat_valid_o(moved_beat_valid), .beat_ready_i(moved_beat_ready), .beat_data_o(moved_beat_data),
      .bad_packet_o(boot_bad)
  );
  mu_packet_receiver #(.PACKETS(4), .FLITS(mu_pkg::REPLY_FLITS), .REPLY(1'b1)) u_reply_receiver (
      .clk_i(clk_decision_i), .rst_ni, .flit_valid_i(eject_reply_i.valid),
      .flit_ready_o(eject_reply_ready_o), .flit_head_i(eject_reply_i.head),
      .flit_tail_i(eject_reply_i.tail), .flit_data_i(eject_reply_i.data),
      .packet_valid_o(reply_valid), .packet_header_o(reply_header),
      .packet_trailer_o(reply_trailer), .packet_done_i(reply_done), .beat_valid_o(reply_beat_valid),
      .beat_ready_i(reply_beat_ready), .beat_data_o(reply_beat_data), .bad_packet_o(reply_bad),
      .busy_o(reply_receiver_busy)
  );

  // Each receiver pulses in at most two of four cycles, so two pulses may wait for their turn, and one of the
  // boot drain, which comes once in a while.
  assign bad_packet_o = request_bad || reply_bad || boot_bad || bad_pending_q != '0;
  always_ff @(posedge clk_decision_i) begin
    if (!rst_ni) bad_pending_q <= '0;
    else if (bad_packet_o)
      bad_pending_q <= bad_pending_q + 3'(request_bad) + 3'(reply_bad) + 3'(boot_bad) - 3'd1;
    if (rst_ni) no_pulse_is_lost : assert (bad_pending_q < 3'd6);
  end

  // --- decision ---------------------------------------------------------------------------------------
  logic                       decision_busy, control_busy, fifo_busy, notice_busy, receive_busy;
  logic                       fences_busy, sender_busy, request_stored, reply_stored;
  logic                       get_admitted, get_split, get_refuse, sender_ready;
  mu_pkg::packet_progress_t   progress;
  mu_pkg::store_states_t      stores;
  mu_pkg::store_starts_t      starts;
  mu_pkg::store_job_t         store_job, request_store_job;
  mu_pkg::address_t           get_address, get_second_address, notice_address;
  logic [3:0]                 get_first_count;
  logic [2:0]                 get_second_count;
  mu_pkg::status_e            get_refuse_status;
  mu_pkg::reply_order_t       reply_order;
  logic                       request_store_idle;
  // tables
  mu_pkg::fifo_lookup_t       fifo_lookup;
  mu_pkg::fifo_answer_t       fifo_answer;
  mu_pkg::ring_outcome_t      fifo_outcome, notice_outcome;
  logic                       fifo_lookup_ready, notice_lookup_valid, notice_lookup_ready;
  logic                       notice_room, notice_discards, notice_discard;
  logic [3:0]                 notice_lookup_client;
  // packets of SENDs and FENCEs
  mu_pkg::send_stage_t        send_stage;
  mu_pkg::send_judgement_t    send_judgement;
  mu_pkg::packet_header_t     job_header;
  mu_pkg::packet_trailer_t    job_trailer;
  logic                       counters_good;
  logic [37:0]                job_end;
  mu_pkg::fence_state_t       fence_state;
  logic                       fence_take, message_answer_valid, message_answer_ready;
  logic                       fence_answer_valid, stored_answer_valid, stored_answer_ready;
  mu_pkg::send_answer_t       message_answer, stored_answer;
  mu_pkg::queue_peer_t        message_peer, stored_peer;
  logic [31:0]                fence_index;
  logic [19:0]                fence_to;
  mu_pkg::register_response_t fifo_response, notice_response, boot_response;
  logic                       fifo_register_done, notice_register_done, boot_register_done;
  logic                       opener_busy, opener_valid;
  mu_pkg::register_request_t  opener_request;

  assign request_done        = progress.request_done || request_stored || get_refuse;
  assign reply_done          = progress.reply_done || reply_stored;
  assign stores.request_idle = request_store_idle && get_idle;
  assign requests_busy_o     = request_source_busy || moved.valid;
  assign decision_busy       = control_busy || fifo_busy || notice_busy || receive_busy || fences_busy ||
      boot_busy || opener_busy;
  assign decision_busy_o     = decision_busy || reply_receiver_busy || bad_pending_q != '0 ||
      !stores.notice_idle || !get_idle || sender_busy;
  assign register_response_o = (opener_busy ? '0 : fifo_response) | notice_response | boot_response;
  always_comb begin
    register_done_o                = '0;
    register_done_o.reception_fifo = fifo_register_done && !opener_valid;
    register_done_o.notice         = notice_register_done;
    register_done_o.boot           = boot_register_done;
  end
  mu_boot_opener u_boot_opener (
      .clk_i(clk_decision_i), .rst_ni, .busy_o(opener_busy), .register_valid_i(register_valid_i.boot),
      .register_request_i, .register_done_o(boot_register_done), .register_response_o(boot_response),
      .fifo_valid_o(opener_valid), .fifo_request_o(opener_request), .fifo_done_i(fifo_register_done)
  );

  mu_reception_control u_control (
      .clk_i(clk_decision_i), .rst_ni, .fifo_hold_cycles_i, .busy_o(control_busy),
      .request_i(request), .reply_valid_i(reply_valid),
      .reply_header_i(reply_header), .reply_trailer_i(reply_trailer), .progress_o(progress),
      .stores_i(stores), .starts_o(starts), .store_job_o(store_job), .target_lookup_o,
      .target_answer_i, .fifo_lookup_o(fifo_lookup), .fifo_lookup_ready_i(fifo_lookup_ready),
      .fifo_answer_i(fifo_answer), .fifo_outcome_o(fifo_outcome),
      .notice_lookup_valid_o(notice_lookup_valid), .notice_lookup_client_o(notice_lookup_client),
      .notice_lookup_ready_i(notice_lookup_ready), .notice_room_i(notice_room),
      .notice_discards_i(notice_discards), .notice_discard_o(notice_discard),
      .notice_outcome_o(notice_outcome), .send_stage_o(send_stage),
      .counters_good_o(counters_good), .job_header_o(job_header),
      .job_trailer_o(job_trailer), .job_end_o(job_end), .send_judgement_i(send_judgement),
      .fence_state_i(fence_state), .fence_take_o(fence_take), .sender_ready_i(sender_ready),
      .reply_order_o(reply_order), .send_answer_o(receive_reports_o.answer),
      .queue_empty_i(queue_answer_i.empty),
      .credit_return_o(reception_requests_o.credit), .dropped_reply_o
  );

  assign reception_requests_o.peers.receive_queue = job_header.target;
  mu_message_reception u_message_reception (
      .clk_i(clk_decision_i), .rst_ni, .busy_o(receive_busy), .buffer_i(receive_orders_i.buffer),
      .reset_i(receive_orders_i.reset), .end_valid_o(receive_reports_o.ending.valid),
      .end_ready_i(receive_orders_i.end_ready), .end_o(receive_reports_o.ending.ending),
      .end_result_o(receive_reports_o.ending.result),
      .message_valid_o(receive_reports_o.message_valid),
      .message_ready_i(receive_orders_i.message_ready), .message_o(receive_reports_o.message),
      .watch_i(receive_orders_i.watch.valid), .watch_queue_i(receive_orders_i.watch.queue),
      .arriving_valid_o(receive_reports_o.arriving.valid),
      .arriving_bytes_o(receive_reports_o.arriving.bytes), 
      .result_queue_i(receive_orders_i.result_queue), .result_o,
      .look_i(send_stage.look), .job_i(send_stage.job), .header_i(job_header),
      .trailer_i(job_trailer), .end_i(job_end), .again_o(send_judgement.again),
      .peer_i(peer_answer_i.receive), .counters_good_i(counters_good),
      .take_o(send_judgement.take), .acknowledge_o(send_judgement.acknowledge),
      .status_o(send_judgement.status), .owner_o(send_judgement.owner),
      .address_o(send_judgement.address),
      .context_o({send_judgement.reassembly, send_judgement.epoch}), .bytes_o(send_judgement.bytes),
      .stored_valid_i(published_i.stored_valid && !published_i.stored.fence),
      .stored_i(published_i.stored), .answer_valid_o(message_answer_valid),
      .answer_ready_i(message_answer_ready), .answer_o(message_answer),
      .answer_peer_i(peer_answer_i.answer), .answer_to_o(message_peer)
  );

  // Answers to FENCEs go before those to SENDs. They tell of no error; their queue and node mean nothing.
  assign stored_answer_valid        = fence_answer_valid || message_answer_valid;
  assign reception_requests_o.peers.answer_queue = message_answer.queue;
  assign message_answer_ready       = stored_answer_ready && !fence_answer_valid;
  always_comb begin
    stored_answer       = message_answer;
    stored_answer.fence = fence_answer_valid;
    stored_peer         = message_peer;
    if (fence_answer_valid) begin
      stored_answer.status = mu_pkg::STATUS_OK;
      stored_answer.number = fence_index;
      {stored_peer.queue, stored_peer.z, stored_peer.y, stored_peer.x} = fence_to;
    end
  end
  mu_fence_answers u_fence_answers (
      .clk_i(clk_decision_i), .rst_ni, .busy_o(fences_busy), .room_o(fence_state.room),
      .take_i(fence_take), .header_i(job_header), .trailer_i(job_trailer),
      .settled_o(fence_state.settled),
      .stored_i(published_i.stored_valid && published_i.stored.fence),
      .notice_begin_i(notice_outcome.reserve),
      .notice_end_i(published_i.notice_valid && published_ready_o.notice),
      .answer_valid_o(fence_answer_valid), .answer_ready_i(stored_answer_ready),
      .answer_index_o(fence_index), .answer_to_o(fence_to)
  );

  mu_reception_fifo_table u_fifo_table (
      .clk_i(clk_decision_i), .rst_ni, .busy_o(fifo_busy),
      .register_valid_i(register_valid_i.reception_fifo || opener_valid),
      .register_request_i(opener_valid ? opener_request : register_request_i),
      .register_done_o(fifo_register_done),
      .register_response_o(fifo_response), .lookup_i(fifo_lookup), .lookup_ready_o(fifo_lookup_ready),
      .answer_o(fifo_answer), .outcome_i(fifo_outcome), .boot_step_i(boot_step), .boot_held_o(boot_held),
      .draining_o(draining),
      .publish_valid_i(published_i.fifo.valid), .publish_ready_o(published_ready_o.fifo),
      .publish_target_i(published_i.fifo.target), .publish_slots_i(published_i.fifo.amount),
      .causes_o, .part_o
  );

  mu_notice_ring u_notice_ring (
      .clk_i(clk_decision_i), .rst_ni, .busy_o(notice_busy), .register_valid_i(register_valid_i.notice),
      .register_request_i, .register_done_o(notice_register_done),
      .register_response_o(notice_response), .lookup_valid_i(notice_lookup_valid),
      .lookup_ready_o(notice_lookup_ready), .lookup_client_i(notice_lookup_client),
      .answer_room_o(notice_room), .answer_discards_o(notice_discards),
      .answer_address_o(notice_address), .reserve_i(notice_outcome.reserve),
      .refuse_i(notice_outcome.refuse), .discard_i(notice_discard),
      .publish_valid_i(published_i.notice_valid), .publish_ready_o(published_ready_o.notice),
      .publish_client_i(published_i.notice_client)
  );

  always_ff @(posedge clk_decision_i) begin
    second_part_is_whole_slots : assert (store_job.second_bytes[4:0] == '0);
    only_the_memory_fails_a_message :
    assert ((message_answer.status & ~mu_pkg::STATUS_MEMORY_ERROR) == mu_pkg::STATUS_OK);
    if (rst_ni) begin
      moves_a_tail_by_one_packet_at_most :
      assert (32'(store_job.action.amount) <= 1 + mu_pkg::PAYLOAD_BYTES / mu_pkg::FIFO_SLOT_BYTES);
      refuses_with_a_status_that_exists :
      assert (!reply_order.refuse || reply_order.status <= mu_pkg::STATUS_DELIVERY_UNKNOWN);
    end
  end

  mu_get_admission u_get_admission (
      .clk_i(clk_decision_i), .rst_ni, .idle_o(get_idle), .start_i(starts.get),
      .queue_i(request.header.target), .count_i(request.header.bytes[9:6]),
      .reflected_i(request.trailer.reflected), .get_reserve_valid_o(reception_requests_o.get.valid),
      .get_reserve_ready_i(queue_answer_i.taken == mu_pkg::QUEUE_TURN_GET_RESERVE),
      .get_reserve_queue_o(reception_requests_o.get.queue),
      .get_reserve_count_o(reception_requests_o.get.count),
      .get_reserve_reflected_o(reception_requests_o.get.reflected),
      .get_slots_valid_i(queue_answer_i.get_slots_valid), .get_slots_i(queue_answer_i.slots),
      .admitted_o(get_admitted), .address_o(get_address), .first_count_o(get_first_count),
      .split_o(get_split), .second_address_o(get_second_address), .second_count_o(get_second_count),
      .refuse_o(get_refuse), .refuse_status_o(get_refuse_status)
  );

  // --- what goes out ----------------------------------------------------------------------------------
  always_comb begin
    request_store_job = store_job;
    if (get_admitted) begin
      request_store_job.action         = '0;
      request_store_job.action.action  = mu_pkg::ACTION_GET;
      request_store_job.action.client  = request.header.client;
      request_store_job.action.target  = request.header.target;
      request_store_job.action.amount  = 8'(request.header.bytes[9:6]);
      request_store_job.address        = get_address;
      request_store_job.bytes          = {get_first_count, 6'd0};
      request_store_job.second_address = get_second_address;
      request_store_job.second_bytes   = {1'b0, get_second_count, 6'd0};
      request_store_job.split          = get_split;
      request_store_job.fifo           = 1'b0;
    end
  end

  mu_reception_store u_request_store (
      .clk_i, .rst_ni, .start_valid_i(starts.request || get_admitted),
      .start_fifo_i(request_store_job.fifo), .start_get_i(get_admitted),
      .start_address_i(request_store_job.address), .start_bytes_i(request_store_job.bytes),
      .start_split_i(request_store_job.split),
      .start_second_address_i(request_store_job.second_address),
      .start_second_bytes_i(request_store_job.second_bytes),
      .start_action_i(request_store_job.action), .idle_o(request_store_idle),
      .fifo_pending_o(stores.request_fifo_pending), .packet_header_i(request.header),
      .packet_trailer_i(request.trailer), .packet_done_o(request_stored),
      .beat_valid_i(request_beat_valid), .beat_ready_o(request_beat_ready),
      .beat_data_i(request_beat_data), .write_command_valid_o(request_write_o.command_valid),
      .write_command_ready_i(request_write_response_i.command_ready),
      .write_command_data_o(request_write_o.command),
      .write_beat_valid_o(request_write_o.beat_valid),
      .write_beat_ready_i(request_write_response_i.beat_ready),
      .write_beat_data_o(request_write_o.beat)
  );

  mu_reception_store u_reply_store (
      .clk_i(clk_decision_i), .rst_ni, .start_valid_i(starts.reply), .start_fifo_i(store_job.fifo),
      .start_get_i(1'b0), .start_address_i(store_job.address), .start_bytes_i(store_job.bytes),
      .start_split_i(store_job.split), .start_second_address_i(store_job.second_address),
      .start_second_bytes_i(store_job.second_bytes), .start_action_i(store_job.action),
      .idle_o(stores.reply_idle), .fifo_pending_o(stores.reply_fifo_pending),
      .packet_header_i(reply_header), .packet_trailer_i(reply_trailer),
      .packet_done_o(reply_stored), .beat_valid_i(reply_beat_valid),
      .beat_ready_o(reply_beat_ready), .beat_data_i(reply_beat_data),
      .write_command_valid_o(reply_write_o.command_valid),
      .write_command_ready_i(reply_write_response_i.command_ready),
      .write_command_data_o(reply_write_o.command), .write_beat_valid_o(reply_write_o.beat_valid),
      .write_beat_ready_i(reply_write_response_i.beat_ready), .write_beat_data_o(reply_write_o.beat)
  );

  mu_notice_store u_notice_store (
      .clk_i(clk_decision_i), .rst_ni, .idle_o(stores.notice_idle), .start_valid_i(starts.notice),
      .start_address_i(notice_address), .packet_header_i(reply_header),
      .packet_trailer_i(reply_trailer), .write_command_valid_o(notice_write_o.command_valid),
      .write_beat_valid_o(notice_write_o.beat_valid),
      .write_command_ready_i(notice_write_response_i.command_ready),
      .write_beat_ready_i(notice_write_response_i.beat_ready),
      .write_command_data_o(notice_write_o.command), .write_beat_data_o(notice_write_o.beat)
  );

  mu_notice_sender u_notice_sender (
      .clk_i(clk_decision_i), .rst_ni, .busy_o(sender_busy), .straps_i, .ready_o(sender_ready),
      .turn_i(reply_order.judged || get_refuse), .refuse_i(reply_order.refuse || get_refuse),
      .refuse_status_i(get_refuse ? get_refuse_status : reply_order.status),
      .answer_i(reply_order.answer), .acknowledge_i(reply_order.acknowledge),
      .packet_header_i(request.header), .packet_trailer_i(request.trailer),
      .stored_valid_i(stored_answer_valid), .stored_ready_o(stored_answer_ready),
      .stored_i(stored_answer), .stored_peer_i(stored_peer),
      .notice_packet_valid_o(notice_packet_o.valid), .notice_packet_ready_i,
      .notice_packet_header_o(notice_packet_o.header),
      .notice_packet_trailer_o(notice_packet_o.trailer)
  );

  logic unused;
  assign unused = ^{queue_answer_i.push_slots_valid, register_valid_i};

  always_ff @(posedge clk_decision_i) begin
    if (rst_ni) begin
      one_start_of_the_request_store : assert (!(starts.request && get_admitted));
      one_refusal_at_a_time : assert (!(reply_order.refuse && get_refuse));
      one_end_of_a_request : assert ($onehot0({progress.request_done, request_stored, get_refuse}));
      one_end_of_a_reply : assert (!(progress.reply_done && reply_stored));
    end
  end
  // A clock that stopped too early would not sample these.
  always_comb if (rst_ni) begin
    shown_until_stored : assert (request_store_idle || request_source_busy);
    reply_shown_until_stored : assert (stores.reply_idle || reply_receiver_busy);
  end
endmodule
`default_nettype wire
