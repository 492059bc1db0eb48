// SPDX-License-Identifier: Apache-2.0
// mu_reception_replies: what a reply says beside what is stored of it.
//
//   the reply that is judged ---> [ register ] ---> credit_return_* (queue, number)
//                                              ---> send_answer_* (what became of a SEND or FENCE of ours)
//                                              ---> dropped_reply_o
//
// Behaviour: a CREDIT, or what is stored and carries one, returns a reflection credit, whatever becomes of
//   it. An ACK, the answer to a FENCE, or a notice that a SEND or a FENCE was refused, tells of it. A notice
//   that found no room, and a reply that may not be stored, are dropped.
// Latency: one cycle.
// Limits: job_i for one reply at a time.
`default_nettype none

module mu_reception_replies (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    output logic                    busy_o,
    input  logic                    job_i,
    input  mu_pkg::packet_header_t  header_i,
    input  mu_pkg::packet_trailer_t trailer_i,
    input  logic                    stores_i,    // PUT or FIFO
    input  logic                    dropped_i,
    output logic                    ours_o,       // a notice of a SEND or FENCE, which the MU takes itself
    output logic                    discarded_o,  // that a SEND found no RECEIVE enabled: maybe for the ring
    output logic                    credit_return_valid_o,
    output logic [7:0]              credit_return_queue_o,
    output logic [15:0]             credit_return_number_o,
    output logic                    send_answer_valid_o,
    output mu_pkg::send_answer_t    send_answer_o,
    output logic                    dropped_reply_o
);
  logic is_notice, is_fence, of_fence, returns_credit;
  logic [31:0] number;
  mu_pkg::status_word_t refusal;
  assign is_notice      = header_i.kind == mu_pkg::KIND_NOTICE;
  assign is_fence       = header_i.kind == mu_pkg::KIND_FENCE;
  assign of_fence       = is_fence || (is_notice && header_i.word[11:8] == mu_pkg::KIND_FENCE);
  assign ours_o         = is_notice && (of_fence || header_i.word[11:8] == mu_pkg::KIND_SEND);
  assign refusal        = header_i.word[7:0];
  assign discarded_o    = ours_o && !of_fence && refusal.status == mu_pkg::STATUS_RECEIVE_DISABLED;
  assign number         = of_fence ? trailer_i.index : trailer_i.sequence_number;
  assign returns_credit = header_i.kind == mu_pkg::KIND_CREDIT || (stores_i && trailer_i.reflected);
  assign busy_o         = credit_return_valid_o || dropped_reply_o || send_answer_valid_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {credit_return_valid_o, dropped_reply_o, send_answer_valid_o} <= '0;
    end else begin
      credit_return_valid_o <= job_i && returns_credit;
      dropped_reply_o       <= job_i && dropped_i;
      send_answer_valid_o   <= job_i && (ours_o || is_fence || header_i.kind == mu_pkg::KIND_ACK);
    end
    if (job_i) begin
      credit_return_queue_o  <= stores_i ? trailer_i.queue : header_i.target;
      credit_return_number_o <= stores_i ? trailer_i.index[15:0] : header_i.word[15:0];
      send_answer_o.queue  <= ours_o ? trailer_i.queue : header_i.target;
      send_answer_o.number <= ours_o ? number : header_i.word;
      send_answer_o.status <= ours_o ? refusal.status : mu_pkg::STATUS_OK;
      send_answer_o.node   <= {header_i.src_z, header_i.src_y, header_i.src_x};
      send_answer_o.fence  <= of_fence;
    end
  end

  logic unused;
  assign unused = ^{header_i, trailer_i};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      an_answer_carries_no_credit : assert (!(credit_return_valid_o && send_answer_valid_o));
      an_answer_is_not_dropped : assert (!(dropped_reply_o && send_answer_valid_o));
    end
  end

`ifdef PROVE_MU_RECEPTION_REPLIES
  // What is proved of mu_reception_replies: in the cycle after a reply is judged, and in no other, it returns
  // a credit if it carries one, and tells of a SEND or a FENCE of ours if it speaks of one, with the status
  // that it brings.
  logic past_q = 1'b0;
  mu_pkg::packet_header_t  header_q;
  mu_pkg::packet_trailer_t trailer_q;
  logic judged_q, stored_q, dropped_q, notice, about_send, about_fence, answers;
  assign notice      = header_q.kind == mu_pkg::KIND_NOTICE;
  assign about_send  = header_q.kind == mu_pkg::KIND_ACK ||
      (notice && header_q.word[11:8] == mu_pkg::KIND_SEND);
  assign about_fence = header_q.kind == mu_pkg::KIND_FENCE ||
      (notice && header_q.word[11:8] == mu_pkg::KIND_FENCE);
  assign answers     = judged_q && (about_send || about_fence);
  always_comb begin
    if (!past_q) assume (!rst_ni);
    // PUT and FIFO are stored; what answers is not dropped.
    assume (!stores_i || header_i.kind == mu_pkg::KIND_PUT || header_i.kind == mu_pkg::KIND_FIFO);
    assume (!dropped_i || !(ours_o || header_i.kind == mu_pkg::KIND_ACK ||
        header_i.kind == mu_pkg::KIND_FENCE));
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    {header_q, trailer_q} <= {header_i, trailer_i};
    {judged_q, stored_q, dropped_q} <= {rst_ni && job_i, stores_i, dropped_i};
    if (past_q) begin
      ours_are_of_a_send_or_a_fence :
      assert (ours_o == (header_i.kind == mu_pkg::KIND_NOTICE &&
                         (header_i.word[11:8] == mu_pkg::KIND_SEND ||
                          header_i.word[11:8] == mu_pkg::KIND_FENCE)));
      discards_are_of_a_send :
      assert (discarded_o == (header_i.kind == mu_pkg::KIND_NOTICE &&
                              header_i.word[11:8] == mu_pkg::KIND_SEND &&
                              header_i.word[7:0] == mu_pkg::STATUS_RECEIVE_DISABLED));
      tells_once_of_ours : assert (send_answer_valid_o == answers);
      credit_if_it_carries_one :
      assert (credit_return_valid_o ==
              (judged_q && (header_q.kind == mu_pkg::KIND_CREDIT || (stored_q && trailer_q.reflected))));
      dropped_is_told : assert (dropped_reply_o == (judged_q && dropped_q));
      busy_while_it_tells :
      assert (busy_o == (send_answer_valid_o || credit_return_valid_o || dropped_reply_o));
      if (answers) begin
        of_a_fence_or_not : assert (send_answer_o.fence == about_fence);
        from_who_says_so : assert (send_answer_o.node == {header_q.src_z, header_q.src_y, header_q.src_x});
        with_the_status_that_it_brings :
        assert (send_answer_o.status == (notice ? header_q.word[7:0] : mu_pkg::STATUS_OK));
        for_its_queue : assert (send_answer_o.queue == (notice ? trailer_q.queue : header_q.target));
        with_its_number :
        assert (send_answer_o.number ==
                (!notice ? header_q.word : about_fence ? trailer_q.index : trailer_q.sequence_number));
      end
      if (credit_return_valid_o)
        credit_of_its_queue :
        assert ({credit_return_queue_o, credit_return_number_o} ==
                (stored_q ? {trailer_q.queue, trailer_q.index[15:0]} :
                            {header_q.target, header_q.word[15:0]}));
    end
  end
`endif
endmodule
`default_nettype wire
