// SPDX-License-Identifier: Apache-2.0
// mu_reception_control: picks the next packet, replies first, and decides what becomes of it.
//
//   reply packet ---+--> [ pick, look up ] ---> [ check ] ---> starts_o, store_job_o (what is stored)
//   request packet -+          |  ^                       ---> reply_order_o, dropped_reply_o
//                 lookups <----/  \--- answers            ---> credit_return_o, progress_o
//
// Behaviour: a packet is picked when what it needs is free: its store, for a request room for one packet
//   back, for a FIFO packet the table and no FIFO packet of the other class whose write command still waits
//   (so that commands go in the order of the reservations). Its tables are read, and in the cycle after that
//   it is stored, refused (requests), dropped (replies) or answered, for good; but a request that finds its
//   FIFO full is picked again and again until hold cycles after the first time, or until it is shown no
//   longer. A waiting request holds up no reply. Credits of a reply count whatever becomes of it. A packet of
//   a FIFO packet that its FIFO's boot buffer keeps is decided when that has answered; one that comes from a
//   boot buffer and finds no room is left there (progress_o.request_stays). A packet of
//   a SEND ends as mu_receive_decision says, or is picked again if it says so. A FENCE is stored as a PUT of
//   no bytes, once there is room for its answer; the answer to one of ours waits until the notices before it
//   are in their ring; ours (mu_reception_replies) stay out of that, unless those of discards are wanted.
// Latency: packet shown to decision three cycles, five if a boot buffer keeps it; a decision every three.
// Limits: the region table, and all that say who owns what, answer in the cycle after a lookup (look_o); what
//   else the FIFO table, the notice ring and the receive queues say comes in the cycle after that. Replies
//   are of the kinds that replies can have. While no packet is decided start_action_o is a PUT of nothing.
`default_nettype none

module mu_reception_control (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic [15:0]               fifo_hold_cycles_i,
    output logic                      busy_o,
    // receivers
    input  mu_pkg::shown_request_t    request_i,
    input  logic                      reply_valid_i,
    input  mu_pkg::packet_header_t    reply_header_i,
    input  mu_pkg::packet_trailer_t   reply_trailer_i,
    output mu_pkg::packet_progress_t  progress_o,
    // stores
    input  mu_pkg::store_states_t     stores_i,
    output mu_pkg::store_starts_t     starts_o,
    output mu_pkg::store_job_t        store_job_o,
    // region table and counters
    output mu_pkg::target_lookup_t    target_lookup_o,
    input  mu_pkg::target_answer_t    target_answer_i,
    // reception FIFO table
    output mu_pkg::fifo_lookup_t      fifo_lookup_o,
    input  logic                      fifo_lookup_ready_i,
    input  mu_pkg::fifo_answer_t      fifo_answer_i,
    output mu_pkg::ring_outcome_t     fifo_outcome_o,
    // notice ring
    output logic                      notice_lookup_valid_o,
    input  logic                      notice_lookup_ready_i,
    output logic [3:0]                notice_lookup_client_o,
    input  logic                      notice_room_i,
    input  logic                      notice_discards_i,  // those of discards are wanted
    output mu_pkg::ring_outcome_t     notice_outcome_o,
    output logic                      notice_discard_o,   // it is one
    // receive queue of the packet that is looked up, then judged
    output mu_pkg::send_stage_t       send_stage_o,
    output logic                      counters_good_o,
    output mu_pkg::packet_header_t    job_header_o,
    output mu_pkg::packet_trailer_t   job_trailer_o,
    output logic [37:0]               job_end_o,       // offset and bytes
    input  mu_pkg::send_judgement_t   send_judgement_i,
    // FENCEs of others; our own wait for notices
    input  mu_pkg::fence_state_t      fence_state_i,
    output logic                      fence_take_o,    // of the packet that is judged
    // packets back; credits; what became of our own SENDs and FENCEs
    input  logic                      sender_ready_i,
    output mu_pkg::reply_order_t      reply_order_o,
    output mu_pkg::send_outcome_t     send_answer_o,
    input  logic                      queue_empty_i,
    output mu_pkg::credit_return_t    credit_return_o,
    output logic                      dropped_reply_o
);
  // --- pick -----------------------------------------------------------------------------------------
  logic reply_can, request_can, pick_reply, pick_request, picked_fifo;
  logic [9:0] picked_bytes;

  logic                    look_q;       // the packet below was picked in the last cycle
  logic                    job_q;        // it is decided
  logic                    job_reply_q;
  mu_pkg::packet_header_t  job_header_q;
  mu_pkg::packet_trailer_t job_trailer_q;
  logic [37:0]             job_end_q;    // its offset and bytes

  always_comb begin
    reply_can    = 1'b0;
    request_can  = 1'b0;
    pick_reply   = 1'b0;
    pick_request = 1'b0;
    picked_fifo  = 1'b0;
    if (!look_q && !job_q) begin
      if (reply_valid_i) begin
        unique case (reply_header_i.kind)
          mu_pkg::KIND_NOTICE: reply_can = stores_i.notice_idle && notice_lookup_ready_i;
          mu_pkg::KIND_FIFO:
            reply_can = stores_i.reply_idle && fifo_lookup_ready_i && !stores_i.request_fifo_pending;
          mu_pkg::KIND_FENCE: reply_can = stores_i.reply_idle && fence_state_i.settled;
          default: reply_can = stores_i.reply_idle;
        endcase
        pick_reply  = reply_can;
        picked_fifo = reply_can && reply_header_i.kind == mu_pkg::KIND_FIFO;
      end
      if (request_i.valid && !pick_reply) begin
        request_can = stores_i.request_idle && sender_ready_i;
        if (request_i.header.kind == mu_pkg::KIND_FIFO &&
            (!fifo_lookup_ready_i || stores_i.reply_fifo_pending))
          request_can = 1'b0;
        if (request_i.header.kind == mu_pkg::KIND_FENCE && !fence_state_i.room) request_can = 1'b0;
        pick_request = request_can;
        picked_fifo  = request_can && request_i.header.kind == mu_pkg::KIND_FIFO;
      end
    end
  end

  assign target_lookup_o.region  = pick_reply ? reply_header_i.target : request_i.header.target;
  assign fifo_lookup_o.valid        = picked_fifo;
  assign fifo_lookup_o.moved        = pick_request && request_i.moved;
  assign fifo_lookup_o.keeper_owner = request_i.keeper_owner;
  assign fifo_lookup_o.fifo      = target_lookup_o.region;
  assign picked_bytes            = pick_reply ? reply_header_i.bytes : request_i.header.bytes;
  assign fifo_lookup_o.slots     = 8'd1 + 8'((11'(picked_bytes) + 11'd31) >> 5);
  assign fifo_lookup_o.reply     = pick_reply;
  assign fifo_lookup_o.on_behalf = pick_reply ? reply_header_i.on_behalf : request_i.header.on_behalf;
  assign fifo_lookup_o.counted   = request_i.trailer.counter_valid || request_i.trailer.event_valid;
  assign fifo_lookup_o.client    = pick_reply ? reply_header_i.client : request_i.header.client;
  assign notice_lookup_valid_o   = pick_reply && reply_header_i.kind == mu_pkg::KIND_NOTICE;
  assign notice_lookup_client_o  = reply_header_i.client;

  always_ff @(posedge clk_i) begin
    look_q <= rst_ni && (pick_reply || pick_request || redirect);
    job_q  <= rst_ni && look_q;
    if (rst_ni && pick_reply) begin
      job_reply_q   <= 1'b1;
      job_header_q  <= reply_header_i;
      job_trailer_q <= reply_trailer_i;
      job_end_q     <= 38'(reply_header_i.offset) + 38'(reply_header_i.bytes);
    end else if (rst_ni && pick_request) begin
      job_reply_q   <= 1'b0;
      job_header_q  <= request_i.header;
      job_trailer_q <= request_i.trailer;
      job_end_q     <= 38'(request_i.header.offset) + 38'(request_i.header.bytes);
    end
    if (look_q) empty_q <= queue_empty_i;
  end

  // --- look up, check -------------------------------------------------------------------------------
  mu_pkg::status_e  status;
  mu_pkg::address_t region_address;
  logic [3:0]       owner;
  logic             stores;  // PUT or FIFO
  logic             is_fifo;
  logic             is_send;
  logic             is_fence;
  logic             ours;  // a notice that a SEND or a FENCE of ours was refused
  logic             discarded;  // a SEND, for it found no RECEIVE enabled
  logic             rings;      // it goes into the ring if there is room
  logic             good;
  logic             full;  // of a FIFO
  logic             redirect;  // the FIFO's boot buffer is looked up now
  logic             held;  // a request that waits for room in its FIFO
  logic             stays;  // a request of a boot buffer, which does
  logic             hold_q;
  logic [15:0]      hold_left_q;  // cycles that it may still wait; stands still when none does
  logic             replies_busy, request_done, reply_done;
  logic             empty_q;  // the queue that a credit query names

  assign target_lookup_o.counter       = job_trailer_q.counter;
  assign target_lookup_o.event_counter = job_trailer_q.event_counter;

  mu_reception_check u_check (
      .clk_i, .valid_i(look_q || job_q), .header_i(job_header_q), .trailer_i(job_trailer_q),
      .end_i(job_end_q), .entry_i(target_answer_i.region),
      .counter_enable_i(target_answer_i.counter.enable),
      .counter_owner_i(target_answer_i.counter.owner),
      .event_enable_i(target_answer_i.event_counter.enable),
      .event_owner_i(target_answer_i.event_counter.owner), .fifo_status_i(fifo_answer_i.status),
      .fifo_owner_i(fifo_answer_i.owner), .send_status_i(send_judgement_i.status),
      .send_owner_i(send_judgement_i.owner), .counters_good_o,
      .status_o(status), .good_o(good), .full_o(full), .address_o(region_address), .owner_o(owner)
  );

  assign redirect             = job_q && is_fifo && fifo_answer_i.redirect;
  assign is_fifo              = job_header_q.kind == mu_pkg::KIND_FIFO;
  assign is_send              = job_header_q.kind == mu_pkg::KIND_SEND;
  assign is_fence             = job_header_q.kind == mu_pkg::KIND_FENCE && !job_reply_q;
  assign send_stage_o.look    = look_q && is_send;
  assign send_stage_o.job     = job_q && is_send;
  assign job_header_o         = job_header_q;
  assign job_trailer_o        = job_trailer_q;
  assign job_end_o            = job_end_q;
  assign stores               = is_fifo || job_header_q.kind == mu_pkg::KIND_PUT;
  assign rings                = job_header_q.kind == mu_pkg::KIND_NOTICE &&
                                (!ours || (discarded && notice_discards_i));

  always_comb begin
    starts_o                  = '0;
    notice_outcome_o          = '0;
    notice_discard_o          = 1'b0;
    fifo_outcome_o            = '0;
    reply_order_o             = '0;
    reply_order_o.status      = status;
    reply_order_o.judged      = job_q && !job_reply_q && !redirect;
    fence_take_o              = 1'b0;
    request_done              = 1'b0;
    reply_done                = 1'b0;
    held                      = 1'b0;
    stays                     = 1'b0;
    if (job_q && !redirect) begin
      stays = !job_reply_q && full && request_i.moved;
      held = !job_reply_q && full && !request_i.moved && !fifo_answer_i.refusing &&
             (hold_q ? hold_left_q != '0 : fifo_hold_cycles_i != '0);
      fifo_outcome_o.reserve = is_fifo && good;
      fifo_outcome_o.refuse  = full && !held && !stays;
      if (job_reply_q) begin
        starts_o.reply           = stores && good;
        reply_done               = !starts_o.reply;
        starts_o.notice          = rings && notice_room_i;
        notice_discard_o         = discarded;
        notice_outcome_o.reserve = starts_o.notice;
        notice_outcome_o.refuse  = job_header_q.kind == mu_pkg::KIND_NOTICE && !ours && !notice_room_i;
      end else begin
        fence_take_o              = is_fence && good;
        starts_o.request          = (stores && good) || fence_take_o ||
                                    (is_send && send_judgement_i.take);
        reply_order_o.acknowledge = is_send && send_judgement_i.acknowledge;
        starts_o.get              = job_header_q.kind == mu_pkg::KIND_GET && good;
        reply_order_o.refuse      = !good && !held && !stays;
        reply_order_o.answer      = job_header_q.kind == mu_pkg::KIND_CREDIT_QUERY && empty_q &&
            32'(job_header_q.target) < mu_pkg::REFLECTION_QUEUES;
        request_done              = reply_order_o.refuse ||
            job_header_q.kind == mu_pkg::KIND_CREDIT_QUERY ||
            (is_send && !send_judgement_i.take && !send_judgement_i.again);
      end
    end
  end

  assign store_job_o.second_address = fifo_answer_i.second_address;
  assign store_job_o.second_bytes   = fifo_answer_i.second_bytes;
  mu_reception_action u_action (
      .valid_i(job_q), .header_i(job_header_q), .trailer_i(job_trailer_q), .owner_i(owner),
      .region_address_i(region_address), .fifo_address_i(fifo_answer_i.address),
      .fifo_bytes_i(fifo_answer_i.bytes), .fifo_split_i(fifo_answer_i.split),
      .fifo_i(fifo_answer_i.fifo), .kept_i(fifo_answer_i.kept),
      .buffer_address_i(send_judgement_i.address), .buffer_epoch_i(send_judgement_i.epoch),
      .buffer_context_i(send_judgement_i.reassembly), .message_bytes_i(send_judgement_i.bytes),
      .fifo_o(store_job_o.fifo), .address_o(store_job_o.address), .bytes_o(store_job_o.bytes),
      .split_o(store_job_o.split), .action_o(store_job_o.action)
  );

  mu_reception_replies u_replies (
      .clk_i, .rst_ni, .busy_o(replies_busy), .job_i(job_q && job_reply_q), .header_i(job_header_q),
      .trailer_i(job_trailer_q), .stores_i(stores),
      .dropped_i(notice_outcome_o.refuse || (stores && !good)), .ours_o(ours),
      .discarded_o(discarded),
      .credit_return_valid_o(credit_return_o.valid), .credit_return_queue_o(credit_return_o.queue),
      .credit_return_number_o(credit_return_o.number), .send_answer_valid_o(send_answer_o.valid),
      .send_answer_o(send_answer_o.answer), .dropped_reply_o
  );

  // --- hold time --------------------------------------------------------------------------------------
  assign busy_o = look_q || job_q || hold_q || replies_busy || pick_reply || pick_request;
  assign progress_o.request_done  = request_done;
  assign progress_o.reply_done    = reply_done;
  assign progress_o.request_stays = stays;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) hold_q <= 1'b0;
    else if (job_q && !job_reply_q && !redirect) hold_q <= held;
    else if (!request_i.valid) hold_q <= 1'b0;
    if (hold_q) hold_left_q <= hold_left_q - 16'(hold_left_q != '0);
    else if (held) hold_left_q <= fifo_hold_cycles_i - 16'd1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      picks_one : assert (!(pick_reply && pick_request));
      kind_of_a_reply :
      assert (!reply_valid_i || reply_header_i.kind == mu_pkg::KIND_PUT ||
              reply_header_i.kind == mu_pkg::KIND_FIFO || reply_header_i.kind == mu_pkg::KIND_NOTICE ||
              reply_header_i.kind == mu_pkg::KIND_CREDIT || reply_header_i.kind == mu_pkg::KIND_ACK ||
              reply_header_i.kind == mu_pkg::KIND_FENCE);
      kind_of_a_request : assert (!request_i.valid || request_i.header.kind == mu_pkg::KIND_PUT ||
              request_i.header.kind == mu_pkg::KIND_FIFO || request_i.header.kind == mu_pkg::KIND_GET ||
              request_i.header.kind == mu_pkg::KIND_CREDIT_QUERY ||
              request_i.header.kind == mu_pkg::KIND_SEND || request_i.header.kind == mu_pkg::KIND_FENCE);
      job_is_shown : assert (!(look_q || job_q) || (job_reply_q ? reply_valid_i : request_i.valid));
      starts_only_an_idle_store :
      assert (!(starts_o.request || starts_o.get) || stores_i.request_idle);
      starts_only_an_idle_reply_store : assert (!starts_o.reply || stores_i.reply_idle);
      refuses_only_with_room :
      assert (!(reply_order_o.refuse || reply_order_o.answer || reply_order_o.acknowledge) ||
              sender_ready_i);
      one_fate_of_a_request :
      assert ($onehot0({starts_o.request, starts_o.get, request_done}));
      looks_again_for_nothing : assert (!(job_q && is_send && send_judgement_i.again) ||
                                        (good && !send_judgement_i.take));
    end
  end
endmodule
`default_nettype wire
