// SPDX-License-Identifier: Apache-2.0
// mu_held_queues: the descriptors that hold their queues, and the one behind each, ready to go.
//
//   in (fetched) --+-------------- of a free queue --------------+--> out (to the packetiser)
//                  +--> [ next, one a queue ] --- let go --------+
//   take ----------+--> [ held, one a queue ] --- finished ------+
//                   \-> the rest is dropped, and fetched again: resume
//
// Behaviour: a queue is held from take_i until its descriptor is finished (finish_i, finish_one_i).
//   Meanwhile the first descriptor behind it is kept and later ones are dropped; resume takes the queue back
//   to the first dropped one. Then the held one leaves as one that has run, with its status, and the kept
//   one behind it.
//   If the held one has nothing to report but that it is done, and the kept one holds nothing itself, only
//   the kept one leaves, and retires both. release_valid_o: the queue may be fetched again; once more
//   when a kept one that is under way leaves, for what comes before that is dropped. With flush_i what
//   is kept of flush_queue_i leaves as run, with status FLUSHED. again: the held one leaves once more, as one
//   that has not run, and stays held, unless it is finished first. A kept one of the opcode of the held one
//   (SEND, RECEIVE) goes ahead while may_ahead_i is high, a kept FENCE behind a SEND while fence_ahead_i is,
//   once, and once more if the held one goes again; it stays kept. When it leaves for good while under_way_i
//   is high, it is marked as gone ahead. Descriptors of one queue leave in order. After a descriptor from
//   here one that waited to pass in the cycle before goes first.
// Latency: finished to out 2 cycles, dropped to resume 2; a free queue's descriptor passes in the cycle in
//   which it comes. view_<n>_data_o is what was held in view_<n>_queue_i when view_<n>_read_i was high last.
// Limits: out_data_o may change until it is taken. One take, and one finish_one of another queue, a cycle;
//   a queue is taken only when nothing of it is here but a kept one that has just left (asserted).
// two-readers: nightly
`default_nettype none

module mu_held_queues #(
    parameter  int unsigned QUEUES      = 32,
    localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES)
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    output logic                        busy_o,
    output logic [          QUEUES-1:0] held_o,      // and not finished
    // queue engine
    input  logic                        in_valid_i,
    output logic                        in_ready_o,
    input  mu_pkg::fetched_descriptor_t in_data_i,
    output logic                        resume_valid_o,
    input  logic                        resume_ready_i,
    output mu_pkg::queue_place_t        resume_place_o,
    output logic                        release_valid_o,
    output logic [                 7:0] release_queue_o,
    input  logic                        flush_i,
    input  logic [     QUEUE_WIDTH-1:0] flush_queue_i,
    // the kept one goes ahead of the end of the held one
    input  logic [          QUEUES-1:0] may_ahead_i,
    input  logic [          QUEUES-1:0] fence_ahead_i,
    input  logic [          QUEUES-1:0] under_way_i,  // it did, and counts
    // a descriptor begins to hold its queue
    input  logic                        take_i,
    input  mu_pkg::fetched_descriptor_t take_data_i,
    // held ones are done: those of a set with status OK, or one with a status
    input  logic [          QUEUES-1:0] finish_i,
    input  logic                        finish_one_i,
    input  logic [     QUEUE_WIDTH-1:0] finish_queue_i,
    input  mu_pkg::status_e             finish_status_i,
    // a held SEND goes out once more
    input  logic                        again_valid_i,
    output logic                        again_ready_o,
    input  logic [     QUEUE_WIDTH-1:0] again_queue_i,
    // held descriptors, for who runs them
    input  logic                        view_0_read_i,
    input  logic [     QUEUE_WIDTH-1:0] view_0_queue_i,
    output mu_pkg::fetched_descriptor_t view_0_data_o,
    input  logic                        view_1_read_i,
    input  logic [     QUEUE_WIDTH-1:0] view_1_queue_i,
    output mu_pkg::fetched_descriptor_t view_1_data_o,
    // packetiser
    output logic                        out_valid_o,
    input  logic                        out_ready_i,
    output mu_pkg::fetched_descriptor_t out_data_o
);
  // No row is read while it is written, for only what is there is read, and only what is not is written.
  // Few rows leave most of a block RAM empty, which is slower, and as wide as its pins.
  localparam RAM_STYLE = QUEUES > 16 ? "block" : "distributed";
  (* no_rw_check, ram_style = RAM_STYLE *) logic [mu_pkg::FETCHED_DESCRIPTOR_BITS-1:0] held_mem[QUEUES];
  (* no_rw_check, ram_style = RAM_STYLE *) logic [mu_pkg::FETCHED_DESCRIPTOR_BITS-1:0] next_mem[QUEUES];
  logic [mu_pkg::FETCHED_DESCRIPTOR_BITS-1:0] held_row_q, next_row_q, view_0_q, view_1_q;
  logic [       mu_pkg::QUEUE_PLACE_BITS-1:0] resume_mem[QUEUES];
  logic [                                7:0] status_q  [QUEUES];

  logic [QUEUES-1:0] held_q;        // its descriptor has not left
  logic [QUEUES-1:0] finished_q;    // but may
  logic [QUEUES-1:0] silent_q;      // it has nothing to report but that it is done
  logic [QUEUES-1:0] next_q;        // one is kept
  logic [QUEUES-1:0] next_holds_q;  // it will hold the queue itself
  logic [QUEUES-1:0] dropped_q;     // a resume is due
  logic [QUEUES-1:0] again_q;       // the held one goes out once more
  logic [QUEUES-1:0] held_send_q, held_receive_q, next_send_q, next_receive_q, next_fence_q;  // opcodes
  logic [QUEUES-1:0] ahead_q;       // the kept one has gone ahead

  // --- what may leave: chosen in one cycle, out in the next ---
  logic [QUEUES-1:0]      candidates, grant, behind_q;
  logic                   choose, skips, chosen_q, sends_next_q, sends_again_q, sends_ahead_q;
  logic [QUEUE_WIDTH-1:0] choice, choice_q;
  logic                   offer, leaves, stays, passes, last_was_offer_q;
  logic                   passer_waits_q;  // a descriptor that may pass waited in the last cycle
  logic [QUEUE_WIDTH-1:0] in_queue;
  logic                   in_owned, in_leaving, keep, drop;

  function automatic logic [QUEUE_WIDTH-1:0] number_of(input logic [QUEUES-1:0] one);
    number_of = '0;
    for (int unsigned i = 0; i < QUEUES; i++) if (one[i]) number_of = number_of | QUEUE_WIDTH'(i);
  endfunction

  function automatic logic holds(input logic [7:0] opcode);
    holds = opcode == mu_pkg::OPCODE_SEND || opcode == mu_pkg::OPCODE_RECEIVE ||
        opcode == mu_pkg::OPCODE_FENCE || opcode == mu_pkg::OPCODE_WAIT ||
        opcode == mu_pkg::OPCODE_CALC || opcode == mu_pkg::OPCODE_PIPE;
  endfunction

  logic [QUEUES-1:0] ready, goes_ahead;
  assign goes_ahead    = next_q & held_q & ~finished_q & ~ahead_q &
      ((may_ahead_i & ((held_send_q & next_send_q) | (held_receive_q & next_receive_q))) |
       (fence_ahead_i & held_send_q & next_fence_q));
  assign ready         = (finished_q | again_q | (next_q & ~held_q) | goes_ahead) & ~dropped_q;
  assign choose        = !chosen_q && ready != '0;
  assign skips         = (grant & finished_q & silent_q & next_q & ~next_holds_q) != '0;
  assign again_ready_o = 1'b1;
  always_comb begin
    candidates = '0;
    grant      = '0;
    choice     = '0;
    if (choose) begin
      candidates = ready;
      if ((candidates & behind_q) != '0) candidates = candidates & behind_q;
      grant  = candidates & (~candidates + 1'b1);
      choice = number_of(grant);
    end
  end

  assign offer  = chosen_q && !dropped_q[choice_q] && !(last_was_offer_q && passer_waits_q);
  assign leaves = offer && out_ready_i;
  assign stays  = sends_again_q || sends_ahead_q;

  // --- what comes in ---
  assign in_queue   = in_data_i.queue[QUEUE_WIDTH-1:0];
  assign in_owned   = held_q[in_queue] || next_q[in_queue];
  assign in_leaving = chosen_q && choice_q == in_queue;  // let it go first
  assign keep       = in_valid_i && !in_leaving && held_q[in_queue] && !next_q[in_queue];
  assign drop       = in_valid_i && !in_leaving && next_q[in_queue];
  assign passes     = in_valid_i && !in_owned && !offer;
  assign in_ready_o = keep || drop || (passes && out_ready_i);

  // Status and mark of one that has run are its top bits.
  localparam int unsigned FETCHED_BITS = mu_pkg::FETCHED_DESCRIPTOR_BITS;
  localparam int unsigned RUN_BITS = 9;
  logic [FETCHED_BITS-1:0] let_go;
  logic flushed, flushing_q;
  logic behind_flushed;  // what stood behind a flushed one comes after it, and does not run
  logic sends_kept;      // what goes is the kept one
  logic is_flushed;      // it has not begun, and whether it is here yet is chance: no entry tells of it
  assign flushed        = flush_i && flush_queue_i == choice_q;
  assign behind_flushed = flush_i && flushing_q && flush_queue_i == in_queue;
  assign sends_kept     = sends_next_q || sends_ahead_q;
  assign is_flushed     = offer ? sends_next_q && !stays && flushed : behind_flushed;
  assign out_valid_o    = offer || passes;
  always_comb begin
    let_go = in_data_i;
    if (offer) begin
      let_go = sends_kept ? next_row_q : held_row_q;
      let_go[mu_pkg::FETCHED_DESCRIPTOR_AHEAD_LSB] = sends_ahead_q || (sends_next_q && under_way_i[choice_q]);
      let_go[mu_pkg::FETCHED_DESCRIPTOR_AGAIN_LSB] = stays;
      if (stays) let_go[FETCHED_BITS-1-:RUN_BITS] = {mu_pkg::STATUS_OK, 1'b0};
      else if (!sends_next_q) let_go[FETCHED_BITS-1-:RUN_BITS] = {status_q[choice_q], 1'b1};
    end
    if (is_flushed) begin
      let_go[FETCHED_BITS-1-:RUN_BITS]      = {mu_pkg::STATUS_FLUSHED, 1'b1};
      let_go[mu_pkg::DESCRIPTOR_SIGNAL_LSB] = 1'b0;
    end
  end
  assign out_data_o = let_go;

  assign release_valid_o = leaves && !stays &&
      (sends_next_q || !next_q[choice_q] || under_way_i[choice_q]);
  assign release_queue_o = 8'(choice_q);
  assign view_0_data_o   = view_0_q;
  assign view_1_data_o   = view_1_q;
  assign held_o          = held_q & ~finished_q;
  assign busy_o          = finished_q != '0 || again_q != '0 || (next_q & ~held_q) != '0 ||
      dropped_q != '0 || chosen_q || goes_ahead != '0 || flushing_q;

  logic                   resume_valid_q;
  logic [QUEUE_WIDTH-1:0] resume_queue_q;
  assign resume_valid_o = resume_valid_q;
  assign resume_place_o = resume_mem[resume_queue_q];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) resume_valid_q <= 1'b0;
    else if (resume_valid_q) resume_valid_q <= !resume_ready_i;
    else resume_valid_q <= dropped_q != '0;
  end
  always_ff @(posedge clk_i)
    if (!resume_valid_q && dropped_q != '0) resume_queue_q <= number_of(dropped_q & (~dropped_q + 1'b1));

  logic take_silent, take_send, take_receive, in_holds, in_send, in_receive, in_fence;
  logic [3:0] take_opcode;  // what is taken has one that holds
  logic [QUEUE_WIDTH-1:0] take_queue;
  assign take_queue  = take_data_i.queue[QUEUE_WIDTH-1:0];
  assign take_opcode = 4'(take_data_i.descriptor.opcode);
  assign take_silent = take_opcode == 4'(mu_pkg::OPCODE_WAIT) &&
      !take_data_i.descriptor.done_event_valid && !take_data_i.descriptor.interrupt_done &&
      !take_data_i.descriptor.signal;
  assign in_send      = in_data_i.descriptor.opcode == mu_pkg::OPCODE_SEND;
  assign in_fence     = in_data_i.descriptor.opcode == mu_pkg::OPCODE_FENCE;
  assign in_receive   = in_data_i.descriptor.opcode == mu_pkg::OPCODE_RECEIVE;
  assign take_send    = take_opcode == 4'(mu_pkg::OPCODE_SEND);
  assign take_receive = take_opcode == 4'(mu_pkg::OPCODE_RECEIVE);
  assign in_holds     = holds(in_data_i.descriptor.opcode);

  logic changes;
  assign changes = take_i || again_valid_i || finish_one_i || finish_i != '0 || keep || drop || leaves ||
      resume_valid_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {held_q, finished_q, next_q, dropped_q, again_q, ahead_q} <= '0;
    end else if (changes) begin
      for (int unsigned i = 0; i < QUEUES; i++) begin
        if (again_valid_i && again_queue_i == QUEUE_WIDTH'(i)) again_q[i] <= 1'b1;
        if (finish_i[i]) finished_q[i] <= 1'b1;
        if (finish_one_i && finish_queue_i == QUEUE_WIDTH'(i)) {finished_q[i], again_q[i]} <= 2'b10;
        if (leaves && sends_again_q && choice_q == QUEUE_WIDTH'(i)) {again_q[i], ahead_q[i]} <= 2'b00;
        if (leaves && sends_ahead_q && choice_q == QUEUE_WIDTH'(i)) ahead_q[i] <= 1'b1;
        if (leaves && !stays && choice_q == QUEUE_WIDTH'(i)) begin
          if (sends_next_q) next_q[i] <= 1'b0;
          {held_q[i], finished_q[i], ahead_q[i]} <= 3'b000;  // zero where only a kept one was
        end
        if (keep && in_queue == QUEUE_WIDTH'(i)) next_q[i] <= 1'b1;
        if (resume_ready_i && resume_valid_q && resume_queue_q == QUEUE_WIDTH'(i)) dropped_q[i] <= 1'b0;
        if (drop && in_queue == QUEUE_WIDTH'(i)) dropped_q[i] <= 1'b1;
        if (take_i && take_queue == QUEUE_WIDTH'(i)) held_q[i] <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      chosen_q         <= 1'b0;
      flushing_q       <= 1'b0;
      behind_q         <= '0;
      last_was_offer_q <= 1'b0;
      passer_waits_q   <= 1'b0;
    end else begin
      passer_waits_q <= (chosen_q || choose) && in_valid_i && !in_owned && !in_ready_o;
      if (choose) begin
        chosen_q <= 1'b1;
        behind_q <= ~(grant | (grant - 1'b1));
      end else if (leaves) chosen_q <= 1'b0;
      if (out_valid_o && out_ready_i) last_was_offer_q <= offer;
      if (flush_i || flushing_q) flushing_q <= flush_i && (flushing_q || (leaves && flushed));
    end
  end
  always_ff @(posedge clk_i) begin
    if (choose) begin
      choice_q      <= choice;
      sends_again_q <= (grant & again_q) != '0 && !(finish_one_i && grant[finish_queue_i]);
      sends_ahead_q <= (grant & goes_ahead & ~again_q) != '0;
      sends_next_q  <= (grant & held_q) == '0 || skips;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i) held_mem[take_queue] <= take_data_i;
    if (keep) next_mem[in_queue] <= in_data_i;
    if (choose) begin
      held_row_q <= held_mem[choice];
      next_row_q <= next_mem[choice];
    end
    if (view_0_read_i) view_0_q <= held_mem[view_0_queue_i];
    if (view_1_read_i) view_1_q <= held_mem[view_1_queue_i];
    // A second dropped one lies behind the first.
    if (drop && !dropped_q[in_queue])
      resume_mem[in_queue] <= {in_data_i.lap, in_data_i.index, in_data_i.queue};
  end
  always_ff @(posedge clk_i) begin
    if (changes) begin
      for (int unsigned i = 0; i < QUEUES; i++) begin
        if (take_i && take_queue == QUEUE_WIDTH'(i)) begin
          status_q[i]                                      <= mu_pkg::STATUS_OK;
          {silent_q[i], held_send_q[i], held_receive_q[i]} <= {take_silent, take_send, take_receive};
        end else if (finish_one_i && finish_queue_i == QUEUE_WIDTH'(i)) begin
          status_q[i] <= finish_status_i;
          if (finish_status_i != mu_pkg::STATUS_OK) silent_q[i] <= 1'b0;
        end
        if (keep && in_queue == QUEUE_WIDTH'(i)) begin
          next_holds_q[i]                                      <= in_holds;
          {next_send_q[i], next_receive_q[i], next_fence_q[i]} <= {in_send, in_receive, in_fence};
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      takes_what_holds : assert (!take_i || holds(take_data_i.descriptor.opcode));
      takes_what_is_free : assert (!take_i || !(held_q[take_queue] || next_q[take_queue]));
      finishes_what_is_held : assert ((finish_i & ~(held_q & ~finished_q)) == '0);
      finishes_one_that_is_held : assert (!finish_one_i || held_o[finish_queue_i]);
      finished_is_held : assert ((finished_q & ~held_q) == '0);
      again_is_held : assert ((again_q & (finished_q | ~held_q)) == '0);
      ends_once : assert (!finish_one_i || !finish_i[finish_queue_i]);
      goes_again_what_is_held :
      assert (!again_valid_i || (held_o[again_queue_i] && !finish_i[again_queue_i]));
      dropped_behind_a_kept_one : assert ((dropped_q & ~next_q) == '0);
      turns_begin_with_the_first : assert (!behind_q[0]);
      passes_in_order : assert (!(passes && in_leaving));
    end
  end

`ifdef PROVE_MU_HELD_QUEUES
  // What is proved of mu_held_queues, of any one queue, by the last three bits of the indices: its
  // descriptors leave in order, each once, whatever is kept, dropped and fetched again meanwhile; while one
  // holds the queue none behind it leaves for good; it leaves as run once, after it was finished and with the
  // status that was told; what goes again or ahead is the held one or the one behind it. Whoever takes a
  // descriptor says whether it holds the queue before he takes the next. Flushes are left out.
  (* anyconst *) logic [QUEUE_WIDTH-1:0] chosen;
  (* anyseq *) logic      judged;   // the descriptor that has left does not hold its queue
  logic                   past_q = 1'b0;
  logic [2:0]             source_q, next_index_q, left_q, held_index_q;  // fetched next; that leaves next
  logic                   judging_q;  // one has left, and it is not known whether it holds its queue
  logic [QUEUE_WIDTH-1:0] judging_queue_q;
  logic                   holds_q, ends_q, silent_here_q;
  logic [7:0]             told_q;
  logic [QUEUES-1:0]      waits_q;  // what holds it is a WAIT
  logic                   leaves_here, for_good, run_here, again_here, resumes_here, here;
  mu_pkg::fetched_descriptor_t out;
  assign out          = out_data_o;
  assign here         = out.queue == 8'(chosen);
  assign leaves_here  = out_valid_o && out_ready_i && here;
  assign run_here     = leaves_here && out.run;
  assign again_here   = leaves_here && out.again;
  assign for_good     = leaves_here && !out.run && !out.again;
  assign resumes_here = resume_valid_o && resume_ready_i && resume_place_o.queue == 8'(chosen);
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < QUEUES && !flush_i);
    assume (32'(in_data_i.queue) < QUEUES && 32'(take_data_i.queue) < QUEUES);
    assume ({in_data_i.run, in_data_i.again, in_data_i.ahead} == '0);
    assume ({take_data_i.run, take_data_i.again} == '0);
    assume (!take_i || holds(take_data_i.descriptor.opcode));
    assume (!(in_valid_i && in_data_i.queue == 8'(chosen)) || in_data_i.index[2:0] == source_q);
    assume (!out_ready_i || !judging_q);
    assume (!take_i || (judging_q && take_data_i.queue == 8'(judging_queue_q)));
    assume (!(take_i && take_data_i.queue == 8'(chosen)) || take_data_i.index[2:0] == left_q);
    assume ((finish_i & ~(held_o & waits_q)) == '0);
    assume (!finish_one_i || (held_o[finish_queue_i] && !finish_i[finish_queue_i]));
    // A WAIT ends with its set, or as any other; it never goes out again.
    assume (!again_valid_i || (held_o[again_queue_i] && !waits_q[again_queue_i]));
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (take_i) waits_q[take_queue] <= take_data_i.descriptor.opcode == mu_pkg::OPCODE_WAIT;
    if (!rst_ni) begin
      {source_q, next_index_q, judging_q, holds_q, ends_q} <= '0;
    end else begin
      if (resumes_here) source_q <= resume_place_o.index[2:0];
      else if (in_valid_i && in_ready_o && in_data_i.queue == 8'(chosen)) source_q <= source_q + 3'd1;
      if (out_valid_o && out_ready_i && !out.run && !out.again) begin
        judging_q       <= 1'b1;
        judging_queue_q <= out.queue[QUEUE_WIDTH-1:0];
      end else if (take_i || judged) judging_q <= 1'b0;
      if (for_good) begin
        next_index_q <= next_index_q + 3'd1;
        left_q       <= out.index[2:0];
      end
      if (take_i && take_data_i.queue == 8'(chosen)) begin
        {holds_q, ends_q} <= 2'b10;
        told_q            <= mu_pkg::STATUS_OK;
        held_index_q      <= left_q;
        silent_here_q     <= take_silent;
      end else if (run_here || for_good) {holds_q, ends_q} <= 2'b00;
      else begin
        if (finish_i[chosen]) ends_q <= 1'b1;
        if (finish_one_i && finish_queue_i == chosen) begin
          ends_q <= 1'b1;
          told_q <= finish_status_i;
        end
      end
      if (past_q) begin
        if (for_good) in_order_and_each_once : assert (out.index[2:0] == next_index_q);
        if (for_good) none_behind_one_that_holds :
        assert (!holds_q || (ends_q && silent_here_q && told_q == mu_pkg::STATUS_OK));
        if (run_here) begin
          run_is_the_one_that_held : assert (holds_q && ends_q && out.index[2:0] == held_index_q);
          run_with_its_status : assert (out.run_status == told_q);
        end
        if (again_here) begin
          again_while_it_holds : assert (holds_q && !out.run);
          itself_or_the_one_behind :
          assert (out.index[2:0] == (out.ahead ? next_index_q : held_index_q));
        end
        held_until_it_is_finished : assert (held_o[chosen] == (holds_q && !ends_q));
        busy_until_it_has_left : assert (!ends_q || busy_o);
      end
    end
  end
`endif
endmodule
`default_nettype wire
