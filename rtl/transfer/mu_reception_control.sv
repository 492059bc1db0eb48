// SPDX-License-Identifier: Apache-2.0
// mu_reception_control: picks the next packet, replies first, and decides what becomes of it.
//
//   reply packet ---+--> [ pick, look up ] ---> [ check ] ---> start_* (store), get_start_o, notice_start_o
//   request packet -+                                     ---> refuse_o, answer_o, dropped_reply_o
//                                                         ---> credit_return_*, *_done_o (packet finished)
//
// Behaviour: a packet is picked when what it needs is free: its store, for a request room for one packet
//   back, for a FIFO packet the table and no FIFO packet of the other class whose write command still waits
//   (so that commands go in the order of the reservations). Its tables are read, and in the cycle after that
//   it is stored, refused (requests), dropped (replies) or answered, for good; but a request that finds its
//   FIFO full is picked again and again until hold cycles after the first time, or until it is shown no
//   longer. A waiting request holds up no reply. Credits of a reply count whatever becomes of it. A packet of
//   a SEND ends as mu_receive_decision says, or is picked again if it says so. A FENCE is stored as a PUT of
//   no bytes, once there is room for its answer; the answer to one of ours waits until the notices before it
//   are in their ring; ours (mu_reception_replies) stay out of that.
// Latency: packet shown to decision three cycles; a decision every three cycles.
// Limits: the region table answers in the cycle after a lookup (look_o), the FIFO table, the notice ring and
//   the receive queues in the cycle after that. Replies are of the kinds that replies can have. While no
//   packet is decided start_action_o is a PUT of nothing.
`default_nettype none

module mu_reception_control (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic [15:0]             fifo_hold_cycles_i,
    output logic                    busy_o,
    // receivers
    input  logic                    request_valid_i,
    input  mu_pkg::packet_header_t  request_header_i,
    input  mu_pkg::packet_trailer_t request_trailer_i,
    output logic                    request_done_o,
    output logic                    request_job_o,   // it is looked up, or decided
    output logic                    request_held_o,
    input  logic                    reply_valid_i,
    input  mu_pkg::packet_header_t  reply_header_i,
    input  mu_pkg::packet_trailer_t reply_trailer_i,
    output logic                    reply_done_o,
    // stores
    input  logic                    request_store_idle_i,
    input  logic                    request_fifo_pending_i,
    output logic                    request_start_o,
    input  logic                    reply_store_idle_i,
    input  logic                    reply_fifo_pending_i,
    output logic                    reply_start_o,
    output logic                    start_fifo_o,
    output logic [39:0]             start_address_o,
    output logic [9:0]              start_bytes_o,
    output logic                    start_split_o,
    output mu_pkg::write_action_t   start_action_o,
    output logic                    get_start_o,
    input  logic                    notice_store_idle_i,
    output logic                    notice_start_o,
    // region table and counters
    output logic [7:0]              target_region_o,
    input  mu_pkg::region_entry_t   target_entry_i,
    output logic [7:0]              lookup_0_index_o,
    input  logic                    lookup_0_enable_i,
    input  logic [3:0]              lookup_0_owner_i,
    output logic [7:0]              lookup_1_index_o,
    input  logic                    lookup_1_enable_i,
    input  logic [3:0]              lookup_1_owner_i,
    // reception FIFO table
    output logic                    fifo_lookup_valid_o,
    input  logic                    fifo_lookup_ready_i,
    output logic [7:0]              fifo_lookup_fifo_o,
    output logic [7:0]              fifo_lookup_slots_o,
    output logic                    fifo_lookup_reply_o,
    output logic                    fifo_lookup_on_behalf_o,
    output logic [3:0]              fifo_lookup_client_o,
    input  mu_pkg::status_e         fifo_status_i,
    input  logic                    fifo_refusing_i,
    input  logic [3:0]              fifo_owner_i,
    input  logic [39:0]             fifo_address_i,
    input  logic [9:0]              fifo_bytes_i,
    input  logic                    fifo_split_i,
    output logic                    fifo_reserve_o,
    output logic                    fifo_refuse_o,
    // notice ring
    output logic                    notice_lookup_valid_o,
    input  logic                    notice_lookup_ready_i,
    output logic [3:0]              notice_lookup_client_o,
    input  logic                    notice_room_i,
    output logic                    notice_reserve_o,
    output logic                    notice_refuse_o,
    // receive queue of the packet that is looked up, then judged
    output logic                    send_look_o,
    output logic                    send_job_o,
    output mu_pkg::packet_header_t  job_header_o,
    output mu_pkg::packet_trailer_t job_trailer_o,
    output logic [37:0]             job_end_o,       // offset and bytes
    output logic                    counters_good_o,
    input  logic                    send_again_i,    // it has to be looked up again
    input  logic                    send_take_i,
    input  logic                    send_acknowledge_i,
    input  mu_pkg::status_e         send_status_i,
    input  logic [3:0]              send_owner_i,
    input  logic [39:0]             send_address_i,
    input  logic [4:0]              send_context_i,  // context, epoch
    input  logic [31:0]             send_bytes_i,
    // FENCEs of others; our own wait for notices
    input  logic                    fence_room_i,
    output logic                    fence_take_o,    // of the packet that is judged
    input  logic                    notices_settled_i,
    // packets back; credits; what became of our own SENDs and FENCEs
    input  logic                    sender_ready_i,
    output logic                    refuse_o,
    output mu_pkg::status_e         refuse_status_o,
    output logic                    answer_o,
    output logic                    acknowledge_o,
    output logic                    send_answer_valid_o,
    output mu_pkg::send_answer_t    send_answer_o,
    input  logic                    queue_empty_i,
    output logic                    credit_return_valid_o,
    output logic [7:0]              credit_return_queue_o,
    output logic [15:0]             credit_return_number_o,
    output logic                    dropped_reply_o
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
          mu_pkg::KIND_NOTICE: reply_can = notice_store_idle_i && notice_lookup_ready_i;
          mu_pkg::KIND_FIFO: reply_can = reply_store_idle_i && fifo_lookup_ready_i && !request_fifo_pending_i;
          mu_pkg::KIND_FENCE: reply_can = reply_store_idle_i && notices_settled_i;
          default: reply_can = reply_store_idle_i;
        endcase
        pick_reply  = reply_can;
        picked_fifo = reply_can && reply_header_i.kind == mu_pkg::KIND_FIFO;
      end
      if (request_valid_i && !pick_reply) begin
        request_can = request_store_idle_i && sender_ready_i;
        if (request_header_i.kind == mu_pkg::KIND_FIFO && (!fifo_lookup_ready_i || reply_fifo_pending_i))
          request_can = 1'b0;
        if (request_header_i.kind == mu_pkg::KIND_FENCE && !fence_room_i) request_can = 1'b0;
        pick_request = request_can;
        picked_fifo  = request_can && request_header_i.kind == mu_pkg::KIND_FIFO;
      end
    end
  end

  assign target_region_o         = pick_reply ? reply_header_i.target : request_header_i.target;
  assign fifo_lookup_valid_o     = picked_fifo;
  assign fifo_lookup_fifo_o      = target_region_o;
  assign picked_bytes            = pick_reply ? reply_header_i.bytes : request_header_i.bytes;
  assign fifo_lookup_slots_o     = 8'd1 + 8'((11'(picked_bytes) + 11'd31) >> 5);
  assign fifo_lookup_reply_o     = pick_reply;
  assign fifo_lookup_on_behalf_o = pick_reply ? reply_header_i.on_behalf : request_header_i.on_behalf;
  assign fifo_lookup_client_o    = pick_reply ? reply_header_i.client : request_header_i.client;
  assign notice_lookup_valid_o   = pick_reply && reply_header_i.kind == mu_pkg::KIND_NOTICE;
  assign notice_lookup_client_o  = reply_header_i.client;

  always_ff @(posedge clk_i) begin
    look_q <= rst_ni && (pick_reply || pick_request);
    job_q  <= rst_ni && look_q;
    if (rst_ni && pick_reply) begin
      job_reply_q   <= 1'b1;
      job_header_q  <= reply_header_i;
      job_trailer_q <= reply_trailer_i;
      job_end_q     <= 38'(reply_header_i.offset) + 38'(reply_header_i.bytes);
    end else if (rst_ni && pick_request) begin
      job_reply_q   <= 1'b0;
      job_header_q  <= request_header_i;
      job_trailer_q <= request_trailer_i;
      job_end_q     <= 38'(request_header_i.offset) + 38'(request_header_i.bytes);
    end
    if (look_q) empty_q <= queue_empty_i;
  end

  // --- look up, check -------------------------------------------------------------------------------
  mu_pkg::status_e status;
  logic [39:0] region_address;
  logic [3:0]  owner;
  logic        stores;  // PUT or FIFO
  logic        is_fifo;
  logic        is_send;
  logic        is_fence;
  logic        ours;    // a notice that a SEND or a FENCE of ours was refused
  logic        good;
  logic        held;    // a request that waits for room in its FIFO
  logic        hold_q;
  logic [15:0] hold_left_q;  // cycles that it may still wait; stands still when none does
  logic        replies_busy;
  logic        empty_q; // the queue that a credit query names

  assign lookup_0_index_o = job_trailer_q.counter;
  assign lookup_1_index_o = job_trailer_q.event_counter;

  mu_reception_check u_check (
      .clk_i, .valid_i(look_q || job_q), .header_i(job_header_q), .trailer_i(job_trailer_q),
      .end_i(job_end_q), .entry_i(target_entry_i),
      .counter_enable_i(lookup_0_enable_i), .counter_owner_i(lookup_0_owner_i),
      .event_enable_i(lookup_1_enable_i), .event_owner_i(lookup_1_owner_i), .fifo_status_i, .fifo_owner_i,
      .send_status_i, .send_owner_i, .counters_good_o, .status_o(status), .address_o(region_address),
      .owner_o(owner)
  );

  assign is_fifo  = job_header_q.kind == mu_pkg::KIND_FIFO;
  assign is_send  = job_header_q.kind == mu_pkg::KIND_SEND;
  assign is_fence = job_header_q.kind == mu_pkg::KIND_FENCE && !job_reply_q;
  assign send_look_o   = look_q && is_send;
  assign send_job_o    = job_q && is_send;
  assign job_header_o  = job_header_q;
  assign job_trailer_o = job_trailer_q;
  assign job_end_o     = job_end_q;
  assign stores  = is_fifo || job_header_q.kind == mu_pkg::KIND_PUT;
  assign good    = status == mu_pkg::STATUS_OK;
  assign refuse_status_o = status;

  always_comb begin
    request_start_o  = 1'b0;
    reply_start_o    = 1'b0;
    get_start_o      = 1'b0;
    notice_start_o   = 1'b0;
    notice_reserve_o = 1'b0;
    notice_refuse_o  = 1'b0;
    fifo_reserve_o   = 1'b0;
    fifo_refuse_o    = 1'b0;
    refuse_o         = 1'b0;
    answer_o         = 1'b0;
    acknowledge_o    = 1'b0;
    fence_take_o     = 1'b0;
    request_done_o   = 1'b0;
    reply_done_o     = 1'b0;
    held             = 1'b0;
    if (job_q) begin
      held           = !job_reply_q && is_fifo && status == mu_pkg::STATUS_FIFO_FULL && !fifo_refusing_i &&
                       (hold_q ? hold_left_q != '0 : fifo_hold_cycles_i != '0);
      fifo_reserve_o = is_fifo && good;
      fifo_refuse_o  = is_fifo && status == mu_pkg::STATUS_FIFO_FULL && !held;
      if (job_reply_q) begin
        reply_start_o    = stores && good;
        reply_done_o     = !reply_start_o;
        notice_start_o   = job_header_q.kind == mu_pkg::KIND_NOTICE && !ours && notice_room_i;
        notice_reserve_o = notice_start_o;
        notice_refuse_o  = job_header_q.kind == mu_pkg::KIND_NOTICE && !ours && !notice_room_i;
      end else begin
        fence_take_o    = is_fence && good;
        request_start_o = (stores && good) || fence_take_o || (is_send && send_take_i);
        acknowledge_o   = is_send && send_acknowledge_i;
        get_start_o     = job_header_q.kind == mu_pkg::KIND_GET && good;
        refuse_o        = !good && !held;
        answer_o        = job_header_q.kind == mu_pkg::KIND_CREDIT_QUERY && empty_q &&
                          32'(job_header_q.target) < mu_pkg::REFLECTION_QUEUES;
        request_done_o  = refuse_o || job_header_q.kind == mu_pkg::KIND_CREDIT_QUERY ||
            (is_send && !send_take_i && !send_again_i);
      end
    end
  end

  mu_reception_action u_action (
      .valid_i(job_q), .header_i(job_header_q), .trailer_i(job_trailer_q), .owner_i(owner),
      .region_address_i(region_address), .fifo_address_i, .fifo_bytes_i, .fifo_split_i,
      .buffer_address_i(send_address_i), .buffer_epoch_i(send_context_i[1:0]),
      .buffer_context_i(send_context_i[4:2]), .message_bytes_i(send_bytes_i), .fifo_o(start_fifo_o),
      .address_o(start_address_o), .bytes_o(start_bytes_o), .split_o(start_split_o), .action_o(start_action_o)
  );

  mu_reception_replies u_replies (
      .clk_i, .rst_ni, .busy_o(replies_busy), .job_i(job_q && job_reply_q), .header_i(job_header_q),
      .trailer_i(job_trailer_q), .stores_i(stores), .dropped_i(notice_refuse_o || (stores && !good)),
      .ours_o(ours), .credit_return_valid_o, .credit_return_queue_o, .credit_return_number_o,
      .send_answer_valid_o, .send_answer_o, .dropped_reply_o
  );

  // --- hold time --------------------------------------------------------------------------------------
  assign busy_o         = look_q || job_q || hold_q || replies_busy || pick_reply || pick_request;
  assign request_job_o  = (look_q || job_q) && !job_reply_q;
  assign request_held_o = hold_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) hold_q <= 1'b0;
    else if (job_q && !job_reply_q) hold_q <= held;
    else if (!request_valid_i) hold_q <= 1'b0;
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
      kind_of_a_request : assert (!request_valid_i || request_header_i.kind == mu_pkg::KIND_PUT ||
              request_header_i.kind == mu_pkg::KIND_FIFO || request_header_i.kind == mu_pkg::KIND_GET ||
              request_header_i.kind == mu_pkg::KIND_CREDIT_QUERY ||
              request_header_i.kind == mu_pkg::KIND_SEND || request_header_i.kind == mu_pkg::KIND_FENCE);
      job_is_shown : assert (!(look_q || job_q) || (job_reply_q ? reply_valid_i : request_valid_i));
      starts_only_an_idle_store : assert (!(request_start_o || get_start_o) || request_store_idle_i);
      starts_only_an_idle_reply_store : assert (!reply_start_o || reply_store_idle_i);
      refuses_only_with_room : assert (!(refuse_o || answer_o || acknowledge_o) || sender_ready_i);
      one_fate_of_a_request : assert ($onehot0({request_start_o, get_start_o, request_done_o}));
      looks_again_for_nothing : assert (!(job_q && is_send && send_again_i) || (good && !send_take_i));
    end
  end
endmodule
`default_nettype wire
