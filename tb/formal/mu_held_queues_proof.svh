// SPDX-License-Identifier: Apache-2.0
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
