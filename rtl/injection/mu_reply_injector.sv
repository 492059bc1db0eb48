// SPDX-License-Identifier: Apache-2.0
// mu_reply_injector: everything a node sends in the reply class: completions of reflections, and notices.
//
//   reply descriptors ---> [ check ] ---\
//   notices of the reception engine -----> [ round robin, one packet ] ---> [ mu_crc_insert ] ---> flits
//   notices of our own -----------------/          \---> retire (descriptors only)
//
// Behaviour: a descriptor of a reflection queue becomes one packet of at most one payload flit, stamped with
//   this node, on_behalf, reflected and its reflection number, or, if the check refuses it or it asks for
//   nothing, no packet; either way it is retired. Notices leave as they came. Packets leave whole, in order
//   of choice.
// Latency: descriptor or notice to first flit 4 cycles, 2 for notices; three cycles a completion, two a
//   notice.
// Limits: nothing here waits for the request class. Retire is registered and held until taken.
`default_nettype none

module mu_reply_injector (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    output logic                        busy_o,
    // straps
    input  mu_pkg::node_straps_t        straps_i,
    // queue engine
    input  logic                        descriptor_valid_i,
    output logic                        descriptor_ready_o,
    input  mu_pkg::fetched_descriptor_t descriptor_data_i,
    output logic                        retire_valid_o,
    input  logic                        retire_ready_i,
    output logic [7:0]                  retire_queue_o,
    output logic [31:0]                 retire_index_o,
    output mu_pkg::status_e             retire_status_o,
    // reception engine
    input  logic                        notice_packet_valid_i,
    output logic                        notice_packet_ready_o,
    input  mu_pkg::packet_header_t      notice_packet_header_i,
    input  mu_pkg::packet_trailer_t     notice_packet_trailer_i,
    // own notices
    input  logic                        own_notice_valid_i,
    output logic                        own_notice_ready_o,
    input  mu_pkg::packet_header_t      own_notice_header_i,
    input  mu_pkg::packet_trailer_t     own_notice_trailer_i,
    // router
    output logic                        flit_valid_o,
    input  logic                        flit_ready_i,
    output logic                        flit_head_o,
    output logic                        flit_tail_o,
    output mu_pkg::flit_data_t          flit_data_o
);
  localparam logic [1:0] FLIT_NONE = 2'd0;
  localparam logic [1:0] FLIT_HEADER = 2'd1;
  localparam logic [1:0] FLIT_PAYLOAD = 2'd2;
  localparam logic [1:0] FLIT_TRAILER = 2'd3;

  logic                        waiting_q;  // a descriptor
  logic                        judged_q;   // and what becomes of it is known
  mu_pkg::fetched_descriptor_t waiting_data_q;
  mu_pkg::status_e             status, status_q;
  mu_pkg::kind_e               kind, kind_q;
  logic                        tell;
  mu_pkg::flit_data_t          payload;
  logic                        makes_packet;
  logic                        finish;  // the descriptor is checked, and its packet or retirement goes on

  logic [1:0]                  flit_q;
  logic                        has_payload_q;
  mu_pkg::packet_header_t      header_q, reply_header;
  mu_pkg::packet_trailer_t     trailer_q, reply_trailer;
  mu_pkg::flit_data_t          payload_q, flit;
  logic                        flit_ready;
  logic                        crc_busy;
  logic                        free;
  logic                        load;
  logic [2:0]                  grant;
  logic [1:0]                  grant_index;
  logic                        any;
  logic                        retire_valid_q;
  logic                        retire_free;
  mu_pkg::retired_descriptor_t retire_q;

  assign descriptor_ready_o = !waiting_q;
  assign retire_free        = !retire_valid_q || retire_ready_i;
  assign free               = flit_q == FLIT_NONE || (flit_q == FLIT_TRAILER && flit_ready);

  mu_descriptor_check u_descriptor_check (
      .enable_i         (waiting_q && !judged_q),
      .descriptor_i     (waiting_data_q.descriptor),
      .error_i          (waiting_data_q.error),
      .mode_i           (waiting_data_q.mode),
      .owner_i          (waiting_data_q.owner),
      .straps_i,
      .lookup_2_enable_i(1'b0),
      .lookup_2_owner_i (4'b0),
      .lookup_2_waited_i(1'b0),
      .lookup_3_enable_i(1'b0),
      .lookup_3_owner_i (4'b0),
      .peer_connected_i (1'b0),
      .peer_dynamic_i   (1'b0),
      .peer_event_valid_i(1'b0),
      .send_broken_i    (1'b0),
      .region_status_i  (mu_pkg::STATUS_REGION_INVALID),
      .status_o         (status),
      .kind_o           (kind),
      .tell_o           (tell)
  );
  mu_immediate_payload u_immediate_payload (
      .enable_i   (load && grant[0]),
      .length_i   (waiting_data_q.descriptor.length[4:0]),
      .immediate_i(waiting_data_q.descriptor.immediate),
      .payload_o  (payload)
  );

  assign makes_packet = judged_q && status_q == mu_pkg::STATUS_OK && kind_q != mu_pkg::KIND_NONE;
  assign finish       = judged_q && retire_free && (!makes_packet || (load && grant[0]));

  mu_arbiter #(
      .COUNT(3)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .request_i({own_notice_valid_i, notice_packet_valid_i, makes_packet}),
      .valid_o  (any),
      .grant_o  (grant),
      .index_o  (grant_index),
      .accept_i (load)
  );
  always_comb begin
    load = 1'b0;
    if (any) load = free && (!grant[0] || retire_free);
  end
  assign notice_packet_ready_o = load && grant[1];
  assign own_notice_ready_o    = load && grant[2];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waiting_q      <= 1'b0;
      judged_q       <= 1'b0;
      flit_q         <= FLIT_NONE;
      retire_valid_q <= 1'b0;
    end else begin
      if (descriptor_ready_o) waiting_q <= descriptor_valid_i;
      else if (finish) waiting_q <= 1'b0;
      judged_q <= waiting_q && !finish;
      if (load) flit_q <= FLIT_HEADER;
      else if (flit_ready) begin
        unique case (flit_q)
          FLIT_HEADER:  flit_q <= has_payload_q ? FLIT_PAYLOAD : FLIT_TRAILER;
          FLIT_PAYLOAD: flit_q <= FLIT_TRAILER;
          default:      flit_q <= FLIT_NONE;
        endcase
      end
      if (finish) retire_valid_q <= 1'b1;
      else if (retire_ready_i) retire_valid_q <= 1'b0;
    end
  end

  always_comb begin
    reply_header           = '0;
    reply_header.dst_x     = waiting_data_q.descriptor.header.dst_x;
    reply_header.dst_y     = waiting_data_q.descriptor.header.dst_y;
    reply_header.dst_z     = waiting_data_q.descriptor.header.dst_z;
    reply_header.src_x     = straps_i.x;
    reply_header.src_y     = straps_i.y;
    reply_header.src_z     = straps_i.z;
    reply_header.client    = waiting_data_q.descriptor.header.client;
    reply_header.kind      = kind_q;
    reply_header.reply     = 1'b1;
    reply_header.on_behalf = 1'b1;
    reply_header.bytes     = waiting_data_q.descriptor.length[9:0];
    reply_header.target    = waiting_data_q.descriptor.header.target;
    reply_header.offset    = waiting_data_q.descriptor.header.offset;
    reply_header.word      = waiting_data_q.descriptor.header.word;

    reply_trailer                 = '0;
    reply_trailer.counter         = waiting_data_q.descriptor.counter;
    reply_trailer.counter_valid   = waiting_data_q.descriptor.counter_valid;
    reply_trailer.event_counter   = waiting_data_q.descriptor.event_counter;
    reply_trailer.event_valid     = waiting_data_q.descriptor.event_valid;
    reply_trailer.interrupt       = waiting_data_q.descriptor.interrupt_target;
    reply_trailer.last            = 1'b1;
    reply_trailer.queue           = waiting_data_q.queue;
    reply_trailer.index           = 32'(waiting_data_q.descriptor.reflection_number);
    reply_trailer.sequence_number = waiting_data_q.descriptor.sequence_number;
    reply_trailer.reflected       = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (descriptor_ready_o && descriptor_valid_i) waiting_data_q <= descriptor_data_i;
    if (waiting_q && !judged_q) begin
      status_q <= status;
      kind_q   <= kind;
    end
    if (finish) begin
      retire_q.queue  <= waiting_data_q.queue;
      retire_q.index  <= waiting_data_q.index;
      retire_q.status <= status_q;
    end
    if (load) begin
      has_payload_q <= grant[0];
      payload_q     <= payload;
      if (grant[0]) begin
        header_q  <= reply_header;
        trailer_q <= reply_trailer;
      end else if (grant[1]) begin
        header_q  <= notice_packet_header_i;
        trailer_q <= notice_packet_trailer_i;
      end else begin
        header_q  <= own_notice_header_i;
        trailer_q <= own_notice_trailer_i;
      end
    end
  end

  always_comb begin
    flit = '0;
    if (flit_q != FLIT_NONE)
      flit = flit_q == FLIT_HEADER ? header_q : flit_q == FLIT_PAYLOAD ? payload_q : trailer_q;
  end
  mu_crc_insert u_crc_insert (
      .clk_i,
      .rst_ni,
      .busy_o     (crc_busy),
      .in_valid_i (flit_q != FLIT_NONE),
      .in_ready_o (flit_ready),
      .in_head_i  (flit_q == FLIT_HEADER),
      .in_tail_i  (flit_q == FLIT_TRAILER),
      .in_data_i  (flit),
      .out_valid_o(flit_valid_o),
      .out_ready_i(flit_ready_i),
      .out_head_o (flit_head_o),
      .out_tail_o (flit_tail_o),
      .out_data_o (flit_data_o)
  );
  assign retire_valid_o  = retire_valid_q;
  assign retire_queue_o  = retire_q.queue;
  assign retire_index_o  = retire_q.index;
  assign retire_status_o = retire_q.status;
  assign busy_o          = waiting_q || flit_q != FLIT_NONE || retire_valid_q || crc_busy;

  logic unused;
  assign unused = ^{tell, grant_index, waiting_data_q.lap, waiting_data_q.run,
                    waiting_data_q.run_status, waiting_data_q.again, waiting_data_q.ahead,
                    waiting_data_q.detached};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      only_reflection_queues : assert (!waiting_q || waiting_data_q.mode == mu_pkg::QUEUE_MODE_REFLECTION);
      // For proofs that leave out the check.
      check_says : assert (!waiting_q || judged_q ||
                           (status < 8'd32 && status != mu_pkg::STATUS_COUNTER_INVALID &&
                            (status != mu_pkg::STATUS_OK || kind <= mu_pkg::KIND_FIFO)));
      notices_are_replies : assert (!notice_packet_valid_i ||
          (notice_packet_header_i.reply && notice_packet_header_i.bytes == '0));
      sends_what_is_offered : assert (!load ||
          (grant & ~{own_notice_valid_i, notice_packet_valid_i, makes_packet}) == '0);
      packets_do_not_overtake : assert (!load || free);
      finishes_a_descriptor : assert (!finish || waiting_q);
    end
  end
endmodule
`default_nettype wire
