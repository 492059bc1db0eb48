// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_injection_completion: a slot passes when all has been done that it needs, each step
// once and in the order of the header, and nothing else; a failure counts nothing and is told; after a
// memory error slots of that tag pass without effect, until one of another tag; each retirement is handed
// on once and stands until taken.
  logic       past_q = 1'b0;
  logic       walks_q;     // the slot was there before
  logic       error_here_q;
  mu_pkg::injection_record_t record_q;
  logic [5:0] did_q;       // operation, event, notice, failure, entry, retirement of this slot
  logic [5:0] does, should;
  logic       drops_q, refuses_q, owed_q;
  logic       first_q;     // in the cycle before a slot passed that is the first of its tag with an error
  logic [2:0] drops_tag_q;
  logic [7:0] refusal_q, outcome;
  logic [47:0] retired_q;
  logic       skips, fails, takes_operation, takes_event, event_now;
  assign skips           = drops_q && drops_tag_q == walk_record_i.tag;
  assign outcome         = walk_error_i ? mu_pkg::STATUS_MEMORY_ERROR :
      refuses_q ? refusal_q : walk_record_i.status;
  assign fails           = outcome != mu_pkg::STATUS_OK;
  assign takes_operation = (enable_valid_o && enable_ready_i) ||
      (operation_valid_o && operation_ready_i && !event_now);
  assign takes_event     = operation_valid_o && operation_ready_i && event_now;
  always_comb begin
    does    = {retires, entry_valid_o && entry_ready_i, failure_valid_o, notice_valid_o && notice_ready_i,
               takes_event, takes_operation};
    should  = '0;
    if (walk_valid_i && !skips) begin
      should[0] = walk_record_i.operation_valid && (!fails || refuses_q);
      should[1] = walk_record_i.done_event_valid && walk_record_i.last && !fails;
      should[2] = fails && walk_record_i.notice;
      should[3] = fails && walk_record_i.held;
      if (!walk_record_i.held && (fails || walk_record_i.last)) begin
        should[4] = walk_record_i.signal;
        should[5] = !walk_record_i.detached;
      end
    end
    if (!past_q) assume (!rst_ni);
    // A slot stands until it is taken.
    if (walks_q) assume (walk_valid_i && walk_record_i == record_q && walk_error_i == error_here_q);
    assume (!walk_valid_i || walk_record_i.last || walk_record_i.held ||
            walk_record_i.status == mu_pkg::STATUS_OK);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    record_q     <= walk_record_i;
    error_here_q <= walk_error_i;
    if (!rst_ni) {walks_q, did_q, drops_q, first_q, refuses_q, owed_q} <= '0;
    else begin
      first_q <= walk_take_o && walk_error_i && !skips;
      walks_q <= walk_valid_i && !walk_take_o;
      did_q   <= walk_take_o ? '0 : did_q | does;
      if (walk_take_o) refuses_q <= 1'b0;
      else if (enable_valid_o && enable_ready_i) refuses_q <= enable_status_i != mu_pkg::STATUS_OK;
      if (enable_valid_o && enable_ready_i) refusal_q <= enable_status_i;
      if (walk_take_o && walk_error_i) {drops_q, drops_tag_q} <= {1'b1, walk_record_i.tag};
      else if (walk_take_o && !skips) drops_q <= 1'b0;
      if (does[5]) {owed_q, retired_q} <= {1'b1, outcome, walk_record_i.index, walk_record_i.queue};
      else if (retire_ready_i) owed_q <= 1'b0;
      if (past_q) begin
        one_step_at_a_time : assert ($onehot0(does));
        no_step_twice : assert ((does & did_q) == '0);
        no_step_that_it_does_not_need : assert ((does & ~should) == '0);
        if (walk_take_o) passes_when_all_is_done :
        assert (walk_valid_i && ((did_q | does) & should) == should);
        if (walk_valid_i && (did_q & should) == should && !refuses_q) waits_for_nothing :
        assert (walk_take_o);
        if (does[4]) entry_after_those_before_it : assert ((should[3:0] & ~did_q[3:0]) == '0);
        if (does[5]) retired_last : assert ((should[4:0] & ~did_q[4:0]) == '0);
        if (operation_valid_o && !event_now) the_operation_of_the_record :
        assert (operation_o == walk_record_i.operation && !walk_record_i.enable);
        if (enable_valid_o) limits_move_in_the_queue_engine :
        assert (walk_record_i.enable && !operation_valid_o);
        if (takes_event) bumps_its_event :
        assert (operation_o.is_event && operation_o.add && operation_o.counter == walk_record_i.done_event &&
                operation_o.value == 38'd1);
        if (failure_valid_o) tells_the_failure :
        assert (failure_o.status == outcome && failure_o.queue == walk_record_i.queue);
        if (notice_valid_o) notice_to_the_getter :
        assert (notice_header_o.kind == mu_pkg::KIND_NOTICE && notice_header_o.reply &&
                notice_header_o.dst_x == walk_header_i.dst_x && notice_header_o.word[7:0] == outcome);
        if (entry_valid_o) entry_says_how_it_went :
        assert (entry_o.status == outcome && entry_o.index == walk_record_i.index &&
                entry_o.queue == walk_record_i.queue && entry_client_o == walk_record_i.owner);
        aborts_after_the_first_error : assert (abort_o == first_q && (!first_q || abort_tag_o == drops_tag_q));
        retires_once_and_stands : assert (retire_valid_o == owed_q);
        if (owed_q) retires_with_its_status :
        assert ({retire_status_o, retire_index_o, retire_queue_o} == retired_q);
      end
    end
  end
  // The operation of this cycle is the bump of the done event: that of the record is done, or there is none.
  assign event_now = walk_valid_i && should[1] && (did_q[0] || !should[0]);
