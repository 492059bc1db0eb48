// SPDX-License-Identifier: Apache-2.0
// mu_injection_completion: what follows once the data of a packet is in the packet buffer.
//
//   walk (record of a complete slot) ---> [ operation, event, notice, entry, retire ] ---> each to its block
//
// Behaviour: for each slot in order: its counter operation, then, if it is the last of its descriptor, the
//   bump of its done event, cause DONE and the retirement. A slot with a status or a memory error has none of
//   the first three: it is told to the getter if the record says so, and retired with that status. Before the
//   retirement goes an entry for the completion queue, if the descriptor asks for one. A part of a SEND is
//   not retired: a failure of it is told. Nor is a detached RECEIVE, which has left its queue before, or a
//   detached PUT, which is part of a CALC: the first failure of one is the status of the CALC, whose slot
//   follows in the same queue. The operation of SEND_EN goes to the queue engine; if that refuses it, only
//   the retirement follows. After a memory error abort_o pulses with the tag, and later slots of that tag
//   pass without effect.
// Latency: a cycle to see what a slot needs, one more once its SEND_EN is done, and one for each of these
//   steps; retire and abort are registered.
// Limits: a slot with a status must also be the last of its descriptor (asserted). entry_peer_i answers
//   entry_queue_o in the next cycle at the latest.
`default_nettype none

module mu_injection_completion (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    output logic                           busy_o,
    output logic [ mu_pkg::CLIENTS*8-1:0]  causes_o,
    // packet buffer
    input  logic                           walk_valid_i,
    output logic                           walk_take_o,
    input  logic                           walk_error_i,
    input  mu_pkg::injection_record_t      walk_record_i,
    input  mu_pkg::packet_header_t         walk_header_i,
    input  mu_pkg::packet_trailer_t        walk_trailer_i,
    // packetiser
    output logic                           abort_o,
    output logic [                    2:0] abort_tag_o,
    // counters
    output logic                           operation_valid_o,
    input  logic                           operation_ready_i,
    output mu_pkg::counter_operation_t     operation_o,
    // queue engine: the operation is a move of an enable limit
    output logic                           enable_valid_o,
    input  logic                           enable_ready_i,
    input  mu_pkg::status_e                enable_status_i,
    // reply stream: a notice to the getter
    output logic                           notice_valid_o,
    input  logic                           notice_ready_i,
    output mu_pkg::packet_header_t         notice_header_o,
    output mu_pkg::packet_trailer_t        notice_trailer_o,
    // a SEND that holds its queue has failed
    output logic                           failure_valid_o,
    output mu_pkg::send_answer_t           failure_o,
    // completion queues
    output logic [                    7:0] entry_queue_o,  // of the descriptor
    input  mu_pkg::queue_peer_t            entry_peer_i,
    output logic                           entry_valid_o,
    input  logic                           entry_ready_i,
    output mu_pkg::completion_entry_t      entry_o,
    output logic [                    3:0] entry_client_o,
    // queue engine
    output logic                           retire_valid_o,
    input  logic                           retire_ready_i,
    output logic [                    7:0] retire_queue_o,
    output logic [                   31:0] retire_index_o,
    output mu_pkg::status_e                retire_status_o
);
  // What a slot may need, in this order.
  localparam int unsigned OPERATION = 0;
  localparam int unsigned EVENT = 1;
  localparam int unsigned NOTICE = 2;
  localparam int unsigned FAILURE = 3;
  localparam int unsigned ENTRY = 4;
  localparam int unsigned RETIRE = 5;

  logic        looks;     // what the slot needs is found in this cycle
  logic [ 5:0] needs;
  logic        looked_q;
  logic [ 5:0] steps_q;   // what is left to do then
  logic [ 5:0] now_q;     // one-hot: the first of them, the step of this cycle
  logic [ 5:0] now_d;
  logic [ 5:0] behind;    // steps_q but for now_q
  logic [ 5:0] left;      // steps behind it
  logic        accepted;
  logic        retires;
  logic        ends;         // of the descriptor nothing is left
  logic        dropped;
  logic        enables;   // the operation of this cycle is for the queue engine
  logic        enabled_q; // which has taken it, with this status
  mu_pkg::status_e enable_status_q;
  mu_pkg::status_e status, found, status_q;
  logic [mu_pkg::INJECTION_QUEUES-1:0] put_failed_q;  // of the CALC that holds the queue a PUT has failed
  logic [7:0]  put_status[mu_pkg::INJECTION_QUEUES];  // the first, mu_pkg::status_e
  mu_pkg::calc_done_t put_here;  // of the queue of the slot
  logic [$clog2(mu_pkg::INJECTION_QUEUES)-1:0] slot_queue;
  logic        of_calc;           // the slot is one of these
  logic        calculates;        // or that of the CALC
  logic        put_fails;
  logic        failing, failed;
  logic        abort, abort_q;
  logic        dropping_q;
  logic [ 2:0] dropping_tag_q;
  logic        retire_valid_q;
  logic [mu_pkg::CLIENTS-1:0] told_q;  // that a descriptor is done
  mu_pkg::retired_descriptor_t retire_q;

  assign looks      = walk_valid_i && !looked_q;
  assign of_calc    = walk_record_i.detached && walk_record_i.opcode == mu_pkg::OPCODE_PUT;
  assign calculates = walk_record_i.opcode == mu_pkg::OPCODE_CALC;
  assign slot_queue = walk_record_i.queue[$clog2(mu_pkg::INJECTION_QUEUES)-1:0];
  logic [8:0] put_bits;
  assign put_bits   = {put_failed_q[slot_queue], put_status[slot_queue]};
  assign put_here   = put_bits;
  assign dropped = walk_valid_i && dropping_q && dropping_tag_q == walk_record_i.tag;
  always_comb begin
    found = mu_pkg::STATUS_OK;
    failing = 1'b0;
    needs = '0;
    if (looks) begin
      found            = walk_error_i ? mu_pkg::STATUS_MEMORY_ERROR :
          enabled_q && enable_status_q != mu_pkg::STATUS_OK ? enable_status_q :
          calculates && walk_record_i.status == mu_pkg::STATUS_OK && put_here.valid ? put_here.status :
          walk_record_i.status;
      failing            = found != mu_pkg::STATUS_OK;
      needs[OPERATION] = !failing && walk_record_i.operation_valid && !enabled_q;
      needs[EVENT]     = !failing && walk_record_i.last && walk_record_i.done_event_valid;
      needs[NOTICE]    = failing && walk_record_i.notice;
      needs[FAILURE]   = failing && walk_record_i.held;
      needs[ENTRY]     = !walk_record_i.held && (failing || walk_record_i.last) && walk_record_i.signal;
      needs[RETIRE]    = !walk_record_i.held && !walk_record_i.detached &&
          (failing || walk_record_i.last);
      if (dropped) needs = '0;
    end
  end
  assign status = looked_q ? status_q : found;
  assign failed = looked_q ? status_q != mu_pkg::STATUS_OK : failing;
  assign behind  = steps_q & ~now_q;
  assign now_d   = looks ? needs & (~needs + 1'b1) : accepted ? behind & (~behind + 1'b1) : now_q;
  assign enables = now_q[OPERATION] && walk_record_i.enable;
  always_comb begin
    accepted = 1'b0;
    left     = needs;
    if (looked_q) begin
      accepted = (enables && enable_ready_i) || (operation_valid_o && operation_ready_i) ||
          (now_q[NOTICE] && notice_ready_i) ||
          now_q[FAILURE] || (now_q[ENTRY] && entry_ready_i) ||
          (now_q[RETIRE] && (!retire_valid_q || retire_ready_i));
      left     = accepted ? behind : steps_q;
    end
  end
  assign walk_take_o = walk_valid_i && left == '0 && !enables;
  assign retires     = accepted && now_q[RETIRE];
  assign ends        = retires || (walk_take_o && walk_record_i.detached);
  assign abort       = walk_take_o && walk_error_i && !dropped;
  assign abort_o     = abort_q;
  assign abort_tag_o = dropping_tag_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      looked_q       <= 1'b0;
      steps_q        <= '0;
      now_q          <= '0;
      abort_q        <= 1'b0;
      dropping_q     <= 1'b0;
      enabled_q      <= 1'b0;
      retire_valid_q <= 1'b0;
      put_failed_q   <= '0;
    end else begin
      // A CALC holds its queue, so no other CALC of that comes between its PUTs and its own slot.
      if (walk_take_o && calculates) put_failed_q[slot_queue] <= 1'b0;
      else if (put_fails) put_failed_q[slot_queue] <= 1'b1;
      abort_q <= abort;
      // What a SEND_EN leads to is found once more, with its status.
      if (walk_valid_i) begin
        looked_q <= !walk_take_o && !(enables && accepted);
        steps_q  <= enables && accepted ? '0 : left;
        now_q    <= enables && accepted ? '0 : now_d;
      end
      // Tags come back after eight descriptors: the first slot of another descriptor ends the dropping.
      if (walk_take_o) dropping_q <= abort || dropped;
      if (walk_take_o) enabled_q <= 1'b0;
      else if (enables && accepted) enabled_q <= 1'b1;
      if (retires) retire_valid_q <= 1'b1;
      else if (retire_ready_i) retire_valid_q <= 1'b0;
    end
  end
  assign put_fails = walk_take_o && of_calc && failed && !dropped && !put_failed_q[slot_queue];
  always_ff @(posedge clk_i) if (put_fails) put_status[slot_queue] <= status;
  always_ff @(posedge clk_i) begin
    if (abort) dropping_tag_q <= walk_record_i.tag;
    if (enables) enable_status_q <= enable_status_i;
    if (looks) status_q <= found;
    if (retires) begin
      retire_q.queue  <= walk_record_i.queue;
      retire_q.index  <= walk_record_i.index;
      retire_q.status <= status;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) told_q <= '0;
    else if (ends || told_q != '0) begin
      for (int unsigned i = 0; i < mu_pkg::CLIENTS; i++)
        told_q[i] <= ends && !failed && walk_record_i.interrupt_done && walk_record_i.owner == 4'(i);
    end
  end
  always_comb begin
    causes_o = '0;
    for (int unsigned i = 0; i < mu_pkg::CLIENTS; i++) causes_o[i*8+32'(mu_pkg::CAUSE_DONE)] = told_q[i];
  end

  // The operation of the descriptor, or the bump of its done event.
  always_comb begin
    operation_o = walk_record_i.operation;
    if (now_q[EVENT]) begin
      operation_o          = '0;
      operation_o.value    = 38'd1;
      operation_o.counter  = walk_record_i.done_event;
      operation_o.is_event = 1'b1;
      operation_o.add      = 1'b1;
      operation_o.client   = walk_record_i.owner;
    end
  end
  assign operation_valid_o = (now_q[OPERATION] && !walk_record_i.enable) || now_q[EVENT];
  assign enable_valid_o    = enables;

  // Goes where the packet would have gone: to the getter, whose MU must not take it for what has become of a
  // SEND or a FENCE of its own.
  logic of_own;
  assign of_own = walk_header_i.kind == mu_pkg::KIND_SEND || walk_header_i.kind == mu_pkg::KIND_FENCE;
  always_comb begin
    notice_header_o  = '0;
    notice_trailer_o = '0;
    if (now_q[NOTICE]) begin
      notice_header_o.dst_x  = walk_header_i.dst_x;
      notice_header_o.dst_y  = walk_header_i.dst_y;
      notice_header_o.dst_z  = walk_header_i.dst_z;
      notice_header_o.src_x  = walk_header_i.src_x;
      notice_header_o.src_y  = walk_header_i.src_y;
      notice_header_o.src_z  = walk_header_i.src_z;
      notice_header_o.client = walk_header_i.client;
      notice_header_o.kind   = mu_pkg::KIND_NOTICE;
      notice_header_o.reply  = 1'b1;
      notice_header_o.target = walk_record_i.queue;
      notice_header_o.word   = {20'b0, of_own ? mu_pkg::KIND_NONE : walk_header_i.kind, status};
      notice_trailer_o.queue           = walk_record_i.queue;
      notice_trailer_o.index           = walk_record_i.index;
      notice_trailer_o.sequence_number = walk_record_i.sequence_number;
    end
  end
  assign notice_valid_o  = now_q[NOTICE];

  assign failure_valid_o = now_q[FAILURE];
  // Not of a node: whether packets before this one have left.
  logic of_fence;
  assign of_fence        = walk_record_i.opcode == mu_pkg::OPCODE_FENCE;
  assign failure_o.queue  = walk_record_i.queue;
  assign failure_o.number = of_fence ? walk_record_i.index : walk_trailer_i.sequence_number;
  assign failure_o.status = status;
  assign failure_o.node   = 12'(walk_header_i.offset != '0 && !of_fence);
  assign failure_o.fence  = of_fence;
  assign entry_queue_o   = walk_record_i.queue;
  assign entry_valid_o   = now_q[ENTRY];
  assign entry_client_o  = walk_record_i.owner;
  // Of a dynamically connected queue: whom the message came from, or went to.
  logic [19:0] peer;
  assign peer = entry_peer_i.dynamic &&
      (walk_record_i.detached || walk_record_i.opcode == mu_pkg::OPCODE_SEND) ?
      {walk_header_i.target, walk_header_i.dst_z, walk_header_i.dst_y, walk_header_i.dst_x} :
      {entry_peer_i.queue, entry_peer_i.z, entry_peer_i.y, entry_peer_i.x};
  always_comb begin
    entry_o = '0;
    if (now_q[ENTRY]) begin
      entry_o.status          = status;
      entry_o.opcode          = walk_record_i.opcode;
      entry_o.queue           = walk_record_i.queue;
      entry_o.index           = walk_record_i.index;
      entry_o.bytes           = walk_record_i.bytes;
      entry_o.word            = walk_header_i.word;
      entry_o.sequence_number = walk_record_i.sequence_number;
      entry_o.peer_x          = peer[3:0];
      entry_o.peer_y          = peer[7:4];
      entry_o.peer_z          = peer[11:8];
      entry_o.peer_queue      = peer[19:12];
    end
  end

  assign retire_valid_o  = retire_valid_q;
  assign retire_queue_o  = retire_q.queue;
  assign retire_index_o  = retire_q.index;
  assign retire_status_o = retire_q.status;
  assign busy_o          = walk_valid_i || retire_valid_q || abort_q || told_q != '0;

  logic unused;
  assign unused = ^{entry_peer_i, walk_header_i.offset, walk_header_i.bytes,
                    walk_header_i.on_behalf, walk_header_i.reply, walk_header_i.reserved_121, walk_trailer_i,
                    walk_record_i.send};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      the_first_step : assert (now_q == (steps_q & (~steps_q + 1'b1)));
      if ($past(rst_ni) && $past(enable_valid_o && !enable_ready_i)) enable_stands : assert (enable_valid_o);
      status_ends_the_descriptor : assert (!walk_valid_i || walk_record_i.last || walk_record_i.held ||
                                           walk_record_i.status == mu_pkg::STATUS_OK);
      steps_only_while_walking : assert (walk_valid_i || !looked_q);
      steps_of_what_was_looked_at : assert (looked_q == (steps_q != '0));
    end
  end

`ifdef PROVE_MU_INJECTION_COMPLETION
  // What is proved of mu_injection_completion: a slot passes when all has been done that it needs, each step
  // once and in the order of the header, and nothing else; a failure counts nothing and is told; after a
  // memory error slots of that tag pass without effect, until one of another tag; each retirement is handed
  // on once and stands until taken.
  logic                      past_q = 1'b0;
  logic                      walks_q;  // the slot was there before
  logic                      error_here_q;
  mu_pkg::injection_record_t record_q;
  logic [5:0]                did_q;  // operation, event, notice, failure, entry, retirement of this slot
  logic [5:0]                does, should;
  logic                      drops_q, refuses_q, owed_q;
  logic                      first_q;  // a slot passed that is the first of its tag with an error
  logic [2:0]                drops_tag_q;
  logic [7:0]                refusal_q, outcome;
  logic [47:0]               retired_q;
  logic                      skips, fails, takes_operation, takes_event, event_now;
  assign skips           = drops_q && drops_tag_q == walk_record_i.tag;
  (* anyconst *) logic [7:0] chosen;  // a queue
  logic [7:0]                puts_q;  // first failure of PUTs there since its last CALC
  logic                      of_chosen;
  assign of_chosen       = walk_record_i.queue == chosen;
  assign outcome         = walk_error_i ? mu_pkg::STATUS_MEMORY_ERROR :
      refuses_q ? refusal_q :
      walk_record_i.opcode == mu_pkg::OPCODE_CALC && walk_record_i.status == mu_pkg::STATUS_OK ?
      (of_chosen ? puts_q : put_here.valid ? put_here.status : mu_pkg::STATUS_OK) : walk_record_i.status;
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
    assume (32'(chosen) < mu_pkg::INJECTION_QUEUES);
    assume (!walk_valid_i || 32'(walk_record_i.queue) < mu_pkg::INJECTION_QUEUES);
    // A slot stands until it is taken.
    if (walks_q) assume (walk_valid_i && walk_record_i == record_q && walk_error_i == error_here_q);
    assume (!walk_valid_i || walk_record_i.last || walk_record_i.held ||
            walk_record_i.status == mu_pkg::STATUS_OK);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    record_q     <= walk_record_i;
    error_here_q <= walk_error_i;
    if (!rst_ni) {walks_q, did_q, drops_q, first_q, refuses_q, owed_q, puts_q} <= '0;
    else begin
      if (walk_take_o && of_chosen && walk_record_i.opcode == mu_pkg::OPCODE_CALC) puts_q <= '0;
      else if (walk_take_o && of_chosen && walk_record_i.opcode == mu_pkg::OPCODE_PUT &&
               walk_record_i.detached && !skips && puts_q == '0)
        puts_q <= outcome;
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
                entry_o.queue == walk_record_i.queue && entry_client_o == walk_record_i.owner &&
                entry_o.sequence_number == walk_record_i.sequence_number);
        aborts_after_the_first_error : assert (abort_o == first_q && (!first_q ||
            abort_tag_o == drops_tag_q));
        retires_once_and_stands : assert (retire_valid_o == owed_q);
        if (owed_q) retires_with_its_status :
        assert ({retire_status_o, retire_index_o, retire_queue_o} == retired_q);
      end
    end
  end
  // The operation of this cycle is the bump of the done event: that of the record is done, or there is none.
  assign event_now = walk_valid_i && should[1] && (did_q[0] || !should[0]);
`endif
endmodule
`default_nettype wire
