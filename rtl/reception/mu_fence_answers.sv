// SPDX-License-Identifier: Apache-2.0
// mu_fence_answers: the FENCEs of other queues that this node has taken, until it has answered them.
//
//   take (source of a FENCE) ---> [ in order: taken | stored ] ---> answer (valid/ready)
//   stored (pulse) ---------------------------^
//   notice begins, ends ---> [ count ] ---> settled_o
//
// Behaviour: a FENCE that is taken waits for its store, of no bytes, to pass the ordering point: stored_i,
//   in the order in which they were taken. Then it is answered, in that order. room_o says that one more can
//   be taken: so none is lost. settled_o: every notice that has come for this node is in its ring; answers
//   to FENCEs of its own are taken only then.
// Latency: stored to answer 1 cycle.
// Limits: take_i only with room_o, stored_i only for one that was taken (asserted). At most 15 notices are
//   on their way to memory; further ones are not begun without settled_o being low.
`default_nettype none

module mu_fence_answers #(
    parameter  int unsigned DEPTH       = mu_pkg::FENCE_ANSWERS,
    localparam int unsigned INDEX_WIDTH = $clog2(DEPTH),
    localparam int unsigned COUNT_WIDTH = $clog2(DEPTH + 1)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    output logic                    busy_o,
    // reception control
    output logic                    room_o,
    input  logic                    take_i,
    input  mu_pkg::packet_header_t  header_i,
    input  mu_pkg::packet_trailer_t trailer_i,
    output logic                    settled_o,
    // completion
    input  logic                    stored_i,
    // notice ring: an entry is reserved, an entry is in memory
    input  logic                    notice_begin_i,
    input  logic                    notice_end_i,
    // notice sender
    output logic                    answer_valid_o,
    input  logic                    answer_ready_i,
    output logic [31:0]             answer_index_o,  // of the FENCE
    output logic [19:0]             answer_to_o      // its source: queue, z, y, x
);
  localparam logic [INDEX_WIDTH-1:0] LAST = INDEX_WIDTH'(DEPTH - 1);

  logic [51:0]            source_mem[DEPTH];  // queue, node, index
  logic [INDEX_WIDTH-1:0] take_q, store_q, answer_q;  // the next to be taken, stored, answered
  logic [COUNT_WIDTH-1:0] open_q;                     // taken, and not answered
  logic [COUNT_WIDTH-1:0] stored_q;                   // stored, and not answered
  logic [3:0]             notices_q;                  // on their way to memory
  logic                   answered;

  function automatic logic [INDEX_WIDTH-1:0] next(input logic [INDEX_WIDTH-1:0] index);
    next = index == LAST ? '0 : index + 1'b1;
  endfunction

  assign room_o         = open_q != COUNT_WIDTH'(DEPTH);
  assign settled_o      = notices_q == '0;
  assign answer_valid_o = stored_q != '0;
  assign answered       = answer_valid_o && answer_ready_i;
  assign busy_o         = answer_valid_o;

  always_comb begin
    {answer_to_o, answer_index_o} = '0;
    if (answer_valid_o) {answer_to_o, answer_index_o} = source_mem[answer_q];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {take_q, store_q, answer_q, open_q, stored_q, notices_q} <= '0;
    end else begin
      if (take_i) take_q <= next(take_q);
      if (stored_i) store_q <= next(store_q);
      if (answered) answer_q <= next(answer_q);
      if (take_i || answered) open_q <= open_q + COUNT_WIDTH'(take_i) - COUNT_WIDTH'(answered);
      if (stored_i || answered) stored_q <= stored_q + COUNT_WIDTH'(stored_i) - COUNT_WIDTH'(answered);
      if (notice_begin_i || notice_end_i) notices_q <= notices_q + 4'(notice_begin_i) - 4'(notice_end_i);
    end
    if (take_i)
      source_mem[take_q] <= {trailer_i.queue, header_i.src_z, header_i.src_y, header_i.src_x,
                             trailer_i.index};
  end

  logic unused;
  assign unused = ^{header_i, trailer_i};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      takes_with_room : assert (!take_i || room_o);
      stores_what_was_taken : assert (!stored_i || stored_q != open_q);
      answers_what_was_taken : assert (stored_q <= open_q && 32'(open_q) <= DEPTH);
      notices_are_counted : assert (!(notice_begin_i && !notice_end_i && notices_q == '1) &&
                                    !(notice_end_i && !notice_begin_i && notices_q == '0));
    end
  end

`ifdef PROVE_MU_FENCE_ANSWERS
  // What is proved of mu_fence_answers: any FENCE that is taken, the chosen one since reset, is answered
  // once, to its own source, after it was stored, and not before those that were taken before it.
  (* anyconst *) logic [5:0] chosen;  // its number, from 0
  logic        past_q = 1'b0;
  logic [ 5:0] taken_q, kept_q, told_q;  // FENCEs taken, stored, answered
  logic [51:0] source_q;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!take_i || room_o);
    assume (!stored_i || kept_q != taken_q);
    assume (!take_i || taken_q != '1);
    assume (!notice_end_i || notices_q != '0);
    assume (!notice_begin_i || notices_q != '1);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) {taken_q, kept_q, told_q} <= '0;
    else begin
      taken_q <= taken_q + 6'(take_i);
      kept_q  <= kept_q + 6'(stored_i);
      told_q  <= told_q + 6'(answered);
      if (take_i && taken_q == chosen)
        source_q <= {trailer_i.queue, header_i.src_z, header_i.src_y, header_i.src_x, trailer_i.index};
    end
    if (past_q && rst_ni) begin
      counts_open : assert (32'(open_q) == 32'(taken_q - told_q) && taken_q - told_q <= 6'(DEPTH));
      counts_stored : assert (32'(stored_q) == 32'(kept_q - told_q) && stored_q <= open_q);
      places : assert (take_q == INDEX_WIDTH'(32'(taken_q) % DEPTH) &&
                       store_q == INDEX_WIDTH'(32'(kept_q) % DEPTH) &&
                       answer_q == INDEX_WIDTH'(32'(told_q) % DEPTH));
      if (taken_q > chosen && told_q <= chosen)
        remembers_its_source : assert (source_mem[INDEX_WIDTH'(32'(chosen) % DEPTH)] == source_q);
      if (answer_valid_o && told_q == chosen) begin
        after_it_was_stored : assert (kept_q > chosen);
        to_its_source : assert ({answer_to_o, answer_index_o} == source_q);
      end
      room_is_room : assert (room_o == (taken_q - told_q < 6'(DEPTH)));
    end
  end
`endif
endmodule
`default_nettype wire
