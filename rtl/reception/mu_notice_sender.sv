// SPDX-License-Identifier: Apache-2.0
// mu_notice_sender: makes the reply packets that the reception engine sends by itself: notices and credits.
//
//   refuse_i + status, answer_i + the request ---> [ header, trailer ] ---> [ 2 places ] ---> notice_packet
//
// Behaviour: refuse_i makes a NOTICE to the source of the request (on behalf: to this node): client,
//   target, offset, queue, index and sequence of the request, word = status | kind << 8. answer_i makes a
//   CREDIT to its source with its client, target and word, acknowledge_i an ACK of its number to its queue.
//   What is stored, of a queue pair, is an ACK to the peer or a NOTICE if it failed, of a FENCE, which has no
//   bytes and cannot fail, an answer to its source. Each leaves once, in order, as header and trailer of a
//   packet without payload.
// Latency: notice_packet_valid_o the cycle after refuse_i, answer_i or acknowledge_i; what is stored waits
//   while turn_i is high, in the cycle in which a request is judged, whatever becomes of that.
// Limits: refuse_i, answer_i or acknowledge_i, one at a time, only while ready_o, and with turn_i
//   (asserted). The CRC is filled in later.
`default_nettype none

module mu_notice_sender (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    output logic                    busy_o,
    // this node
    input  mu_pkg::node_straps_t    straps_i,
    // control, get admission
    output logic                    ready_o,
    input  logic                    turn_i,         // one of these may come
    input  logic                    refuse_i,
    input  mu_pkg::status_e         refuse_status_i,
    input  logic                    answer_i,
    input  logic                    acknowledge_i,
    // the request
    input  mu_pkg::packet_header_t  packet_header_i,
    input  mu_pkg::packet_trailer_t packet_trailer_i,
    // receive queues, FENCEs: a message, or all before it, is in memory, or could not be stored
    input  logic                    stored_valid_i,
    output logic                    stored_ready_o,
    input  mu_pkg::send_answer_t    stored_i,       // of the receive queue; or of a FENCE
    input  mu_pkg::queue_peer_t     stored_peer_i,  // that of it
    // injection engine
    output logic                    notice_packet_valid_o,
    input  logic                    notice_packet_ready_i,
    output mu_pkg::packet_header_t  notice_packet_header_o,
    output mu_pkg::packet_trailer_t notice_packet_trailer_o
);
  mu_pkg::packet_header_t  header;
  mu_pkg::packet_trailer_t trailer;
  logic [255:0]            packet;
  logic                    to_self;
  logic                    wanted;
  logic                    stored;
  logic                    unused_bits;

  assign to_self        = packet_header_i.on_behalf && refuse_i;
  assign wanted         = refuse_i || answer_i || acknowledge_i;
  // The second place is kept for the packet that was promised room when its request was picked.
  // To wait for the judgement itself would join its end to the choice among all that is stored.
  assign stored_ready_o = ready_o && !turn_i && !notice_packet_valid_o;
  assign stored         = stored_valid_i && stored_ready_o;

  always_comb begin
    header      = '0;
    header.kind = mu_pkg::KIND_NOTICE;
    trailer     = '0;
    if (stored_valid_i && !turn_i) begin
      header.src_x            = straps_i.x;
      header.src_y            = straps_i.y;
      header.src_z            = straps_i.z;
      header.dst_x            = stored_peer_i.x;
      header.dst_y            = stored_peer_i.y;
      header.dst_z            = stored_peer_i.z;
      header.reply            = 1'b1;
      header.kind             = stored_i.status != mu_pkg::STATUS_OK ? mu_pkg::KIND_NOTICE :
          stored_i.fence ? mu_pkg::KIND_FENCE : mu_pkg::KIND_ACK;
      header.target           = stored_i.status == mu_pkg::STATUS_OK ? stored_peer_i.queue : stored_i.queue;
      header.word             = stored_i.status == mu_pkg::STATUS_OK ? stored_i.number :
          {20'd0, mu_pkg::KIND_SEND, stored_i.status};
      if (stored_i.status != mu_pkg::STATUS_OK) begin
        trailer.queue           = stored_peer_i.queue;
        trailer.sequence_number = stored_i.number;
      end
    end else if (turn_i) begin
      header.src_x  = straps_i.x;
      header.src_y  = straps_i.y;
      header.src_z  = straps_i.z;
      header.dst_x  = to_self ? straps_i.x : packet_header_i.src_x;
      header.dst_y  = to_self ? straps_i.y : packet_header_i.src_y;
      header.dst_z  = to_self ? straps_i.z : packet_header_i.src_z;
      header.client = packet_header_i.client;
      header.reply  = 1'b1;
      header.target = packet_header_i.target;
      if (answer_i) begin
        header.kind = mu_pkg::KIND_CREDIT;
        header.word = packet_header_i.word;
      end else if (acknowledge_i) begin
        header.kind   = mu_pkg::KIND_ACK;
        header.client = '0;
        header.target = packet_trailer_i.queue;
        header.word   = packet_trailer_i.sequence_number;
      end else begin
        header.offset           = packet_header_i.offset;
        header.word             = {20'd0, packet_header_i.kind, refuse_status_i};
        trailer.queue           = packet_trailer_i.queue;
        trailer.index           = packet_trailer_i.index;
        trailer.sequence_number = packet_trailer_i.sequence_number;
      end
    end
  end

  mu_skid_buffer #(
      .WIDTH(256)
  ) u_places (
      .clk_i,
      .rst_ni,
      .in_valid_i (wanted || stored),
      .in_ready_o (ready_o),
      .in_data_i  ({trailer, header}),
      .out_valid_o(notice_packet_valid_o),
      .out_ready_i(notice_packet_ready_i),
      .out_data_o (packet)
  );

  assign notice_packet_header_o  = packet[127:0];
  assign notice_packet_trailer_o = packet[255:128];
  assign busy_o                  = notice_packet_valid_o;
  assign unused_bits             = ^{straps_i, packet_header_i, packet_trailer_i, stored_peer_i, stored_i};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_packet_at_a_time : assert ($onehot0({refuse_i, answer_i, acknowledge_i}));
      only_with_room : assert (ready_o || !wanted);
      only_in_their_turn : assert (turn_i || !wanted);
      on_the_way_means_busy : assert (ready_o || busy_o);
    end
  end
endmodule
`default_nettype wire
