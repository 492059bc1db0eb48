// SPDX-License-Identifier: Apache-2.0
// mu_pipe: runs a PIPE: what a receive queue receives goes on from a send queue, through a few buffers.
//
//   start (held PIPE) ---> [ buffers in a circle ] ---> buffer (receive queue) ---> arriving, receive_end
//                              |
//                              \--> begin, out, hold (SENDs, to the packetiser) <--- again, cut ---> send_end
//   list_o (read) ---> mu_pipe_list ---> list_i
//   end (queue, status) <---------- all messages acknowledged, or the first failure
//
// Behaviour: each of the messages gets the next buffer of the circle as soon as that is free, two at a
//   time; received, it goes out as a SEND of the bytes that came, at most two of them under way, and its
//   buffer is left when that SEND has ended. One that arrives, its last packet not in memory yet, is
//   begun too: hold_o from the time that its SEND was taken until the message is received; spoil_o instead,
//   until all of the SEND is cut, if it will not be. After a failure no buffer is given and no SEND begins,
//   the buffers given are taken back (stop), the SENDs under way are waited for, and the PIPE ends with the
//   first status that was not OK. FLUSHED if the receive queue is configured, QUEUE_INVALID if that may not
//   be used at the start. If its own queue is flushed, its end has been told, and it goes without one.
//   With origin there is no receive queue: pieces of buffer_bytes of the buffer, the last one shorter, count
//   as received, two at a time. With target nothing is sent: each message gets the next such piece, and is
//   done when received. With listed the buffers are those of a list, which is read first: the PIPE ends with
//   the status that it has, if that is not OK. Until then buffer_o is the list itself; then address and
//   length of a buffer, and place of a copy, are those of its number in the list.
// Latency: start to first buffer, one cycle for each buffer of the circle and 2; end of a message to its
//   SEND 2. With a list, from the start to its read 2, from list_i to the first buffer 1.
// Limits: one PIPE at a time. Its operands have passed mu_descriptor_check: at least one message and one
//   byte, and one buffer fits; a list has 16 bytes for each of at most BUFFERS. At most BUFFERS, a power of
//   two up to 16, are used. descriptor_i stands from the start until counting_o is low. out_ready_i high:
//   what went out before is cut. busy_o is low while again_i is alone: whoever asks for it is busy.
`default_nettype none

module mu_pipe #(
    parameter  int unsigned QUEUES      = 32,
    parameter  int unsigned BUFFERS     = 16,
    localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES)
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    output logic                        busy_o,
    // cross-channel control
    input  mu_pkg::pipe_start_t         start_i,
    input  mu_pkg::fetched_descriptor_t descriptor_i,  // of the queue of start_i
    output logic                        counting_o,
    input  logic                        flush_i,
    input  logic                        configured_i,
    input  logic [                 7:0] configure_queue_i,  // of flush_i and configured_i
    output logic                        running_o,
    output logic                        receives_o,       // ends of its receive queue are its own
    output logic                        end_valid_o,
    input  logic                        end_ready_i,
    output mu_pkg::queue_end_t          end_o,            // its queue while it runs
    // receive queue
    output mu_pkg::queue_select_t       receive_queue_o,  // while it runs; valid: it has one
    output logic                        buffer_valid_o,
    input  logic                        buffer_ready_i,
    output mu_pkg::receive_buffer_t     buffer_o,
    output logic                        stop_valid_o,
    input  logic                        stop_ready_i,
    input  logic                        receive_end_i,
    input  mu_pkg::status_e             receive_status_i,
    input  logic [                31:0] receive_bytes_i,
    input  logic                        arriving_valid_i,  // the message whose end is told next
    input  logic [                31:0] arriving_bytes_i,
    // send queue
    output logic                        begin_valid_o,
    input  logic                        begin_ready_i,
    input  logic                        may_ahead_i,
    input  logic                        second_i,
    input  logic                        again_i,
    output logic                        again_ready_o,
    input  logic                        send_end_i,
    input  mu_pkg::status_e             send_status_i,
    // packetiser
    output logic                        out_valid_o,
    input  logic                        out_ready_i,
    output mu_pkg::pipe_copy_t          out_o,
    input  logic                        out_turn_i,       // it is this that is shown
    output mu_pkg::send_hold_t          hold_o,           // of what went out last
    // list of buffers
    output mu_pkg::pipe_list_ask_t      list_o,
    input  mu_pkg::pipe_list_end_t      list_i
);
  localparam int unsigned INDEX_WIDTH = $clog2(BUFFERS);
  typedef enum logic [2:0] {
    STATE_IDLE,
    STATE_COUNT,  // how many buffers there are
    STATE_LIST,   // they are read from the list
    STATE_RUN,
    STATE_STOP    // buffers that were given are taken back
  } state_e;

  state_e     state_q;
  logic                    failed_q;   // ends with status_q
  logic                    flushed_q;  // its end has been told
  mu_pkg::status_e         status_q;
  logic [QUEUE_WIDTH-1:0]  queue_q;
  mu_pkg::address_t        address_q;
  logic [3:0]              owner_q;
  mu_pkg::pipe_operation_t operation;  // at the start
  logic [7:0]              receive_queue_q;
  logic [31:0]             buffer_bytes_q;
  logic                    origin_q, target_q, listed_q;
  assign operation = descriptor_i.descriptor.immediate;

  // --- the circle: given, received, sent ---
  logic [INDEX_WIDTH-1:0] last_q, give_q, receive_q, send_q, second, copied;  // number of a buffer
  logic [36:0] give_offset_q, send_offset_q, second_offset;
  logic [36:0] left_q;        // messages that have no buffer yet, of a whole buffer its bytes
  logic [37:0] left;          // after one more, negative if that is shorter
  logic more_q;               // left_q is not zero: kept, for the sum comes too late in the cycle
  logic [31:0] piece;         // bytes of the next buffer
  logic [1:0] given_q;        // buffers that wait for a message, two at most
  logic [INDEX_WIDTH:0] received_q, used_q;  // not acknowledged; with those given
  logic [31:0] bytes_mem[BUFFERS];  // of the message in each
  logic [36:0] room;  // for one buffer more; beside the last one that may be, of no account
  logic give, takes, moves, fails;
  logic whole, cuts;  // its buffer is no circle; with origin: one piece more is to go out
  logic arrives, stopped;

  // --- SENDs ---
  logic first_q;       // one is open
  logic ahead_q;       // the next has gone ahead
  logic copy_q;        // one is to go out
  logic copy_ahead_q;  // the next, not the first
  logic cutting_q;     // it has gone out, but not all of its packets: they take the number of the open one
  logic early_q;       // the message of that has not been received yet
  logic spoiled_q;     // and will not be
  logic begins, goes_ahead, goes_again, finishes, starts_early, misses, flush, start_flushed;

  assign running_o       = state_q != STATE_IDLE;
  assign counting_o      = state_q == STATE_COUNT;
  assign receives_o      = running_o && !failed_q && !origin_q;
  assign receive_queue_o.queue = receive_queue_q;
  assign receive_queue_o.valid = !origin_q;
  assign room            = give_offset_q + {4'b0, buffer_bytes_q, 1'b0};

  assign whole          = origin_q || target_q;
  assign left           = {1'b0, left_q} - (whole ? 38'(buffer_bytes_q) : 38'd1);
  assign piece          = whole && left[37] ? left_q[31:0] : buffer_bytes_q;
  assign cuts           = state_q == STATE_RUN && !failed_q && origin_q && more_q &&
      received_q[INDEX_WIDTH:1] == '0;
  assign buffer_valid_o = state_q == STATE_RUN && !failed_q && !origin_q && more_q &&
      !given_q[1] && (used_q == '0 || give_q != send_q);
  always_comb begin
    buffer_o         = '0;
    buffer_o.queue   = receive_queue_q;
    buffer_o.owner   = owner_q;
    buffer_o.address = address_q + 40'(give_offset_q);
    buffer_o.length  = 37'(piece);
  end
  assign give           = (buffer_valid_o && buffer_ready_i) || cuts;
  assign takes          = cuts || (state_q == STATE_RUN && receive_end_i && !failed_q &&
      receive_status_i == mu_pkg::STATUS_OK);
  assign arrives        = arriving_valid_i && !whole;

  assign begin_valid_o = state_q == STATE_RUN && !first_q && !copy_q && !cutting_q &&
      (second_i || ((received_q != '0 || arrives) && !failed_q));
  assign begins        = begin_valid_o && begin_ready_i;
  // Two messages, of which the second may be arriving.
  assign goes_ahead    = state_q == STATE_RUN && first_q && !copy_q && !ahead_q && may_ahead_i && !failed_q &&
      (received_q[INDEX_WIDTH:1] != '0 || (received_q[0] && arrives && !cutting_q));
  assign starts_early  = begins ? !second_i && received_q == '0 :
      goes_ahead && received_q == (INDEX_WIDTH + 1)'(1);
  assign again_ready_o = state_q == STATE_RUN && first_q && !copy_q && !early_q && !spoiled_q;
  assign goes_again    = again_i && again_ready_o;
  // However the first has ended, what went ahead of that is in the next buffer; one that ended before its
  // message was received is in none that could be left.
  assign moves         = target_q ? takes : first_q && send_end_i && received_q != '0;
  assign second        = send_q == last_q ? '0 : send_q + 1'b1;
  assign second_offset = send_q == last_q && !whole ? '0 : send_offset_q + 37'(buffer_bytes_q);

  assign fails = (first_q && send_end_i && send_status_i != mu_pkg::STATUS_OK) ||
      (receive_end_i && receive_status_i != mu_pkg::STATUS_OK) ||
      (configured_i && configure_queue_i == receive_queue_q && !origin_q);

  // Or the failure of what was spoiled has got lost, and it goes out again.
  assign misses  = ((early_q || starts_early) && (fails || flush)) || (goes_again && received_q == '0);
  assign hold_o.hold  = cutting_q && early_q;
  assign hold_o.spoil = cutting_q && spoiled_q;

  assign stop_valid_o = state_q == STATE_STOP && !origin_q;
  assign stopped      = stop_ready_i || origin_q;
  assign end_valid_o  = state_q == STATE_RUN && !flushed_q && !first_q && !second_i && !copy_q &&
      (failed_q || (!more_q && used_q == '0));
  assign end_o.queue  = 8'(queue_q);
  assign end_o.status = failed_q ? status_q : mu_pkg::STATUS_OK;
  assign finishes     = end_valid_o && end_ready_i;
  assign busy_o       = state_q == STATE_COUNT || state_q == STATE_LIST || state_q == STATE_STOP ||
      buffer_valid_o || begin_valid_o ||
      cuts || flushed_q || goes_ahead || copy_q || cutting_q || end_valid_o;

  assign flush         = flush_i && configure_queue_i == 8'(queue_q);
  assign start_flushed = flush_i && configure_queue_i == start_i.queue;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= STATE_IDLE;
      {failed_q, flushed_q, first_q, ahead_q, copy_q, cutting_q, early_q, spoiled_q} <= '0;
    end else begin
      unique case (state_q)
        STATE_IDLE: begin
          {failed_q, flushed_q, first_q, ahead_q, copy_q} <= '0;
          if (start_i.valid) begin
            state_q               <= start_i.held && start_flushed ? STATE_STOP :
                start_i.held && start_i.piped ? STATE_COUNT : STATE_RUN;
            {failed_q, flushed_q} <= {!start_i.held || !start_i.piped, !start_i.held || start_flushed};
          end
        end
        STATE_COUNT:
        if (fails) begin
          state_q  <= STATE_STOP;
          failed_q <= 1'b1;
        end else if (listed_q) state_q <= STATE_LIST;
        else if (room > descriptor_i.descriptor.length || last_q == '1 || whole) state_q <= STATE_RUN;
        STATE_LIST:
        if (fails) begin
          state_q  <= STATE_STOP;
          failed_q <= 1'b1;
        end else if (list_i.valid) begin
          state_q  <= STATE_RUN;
          failed_q <= list_i.status != mu_pkg::STATUS_OK;
        end
        STATE_RUN: begin
          if (fails && !failed_q) begin
            state_q  <= STATE_STOP;
            failed_q <= 1'b1;
          end
          if (begins) {first_q, copy_q, ahead_q} <= {1'b1, !second_i, 1'b0};
          if (goes_ahead) {copy_q, ahead_q} <= 2'b11;
          if (goes_again) {copy_q, ahead_q} <= 2'b10;
          if (out_valid_o && out_turn_i && out_ready_i) copy_q <= 1'b0;
          if (first_q && send_end_i) {first_q, copy_q} <= 2'b00;
          if (finishes || flushed_q) state_q <= STATE_IDLE;
        end
        default: begin
          if (stopped) state_q <= flushed_q ? STATE_IDLE : STATE_RUN;
          if (out_valid_o && out_turn_i && out_ready_i) copy_q <= 1'b0;
          if (first_q && send_end_i) {first_q, copy_q} <= 2'b00;
        end
      endcase
      if (running_o && flush) begin
        state_q                      <= STATE_STOP;
        {flushed_q, first_q, copy_q} <= 3'b100;
      end
      if (out_ready_i) cutting_q <= out_valid_o && out_turn_i;
      if (takes || misses || state_q == STATE_IDLE) early_q <= 1'b0;
      else if (begins || goes_ahead) early_q <= starts_early;
      if (misses) spoiled_q <= 1'b1;
      else if (begins || goes_ahead || (out_ready_i && !copy_q)) spoiled_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == STATE_IDLE && start_i.valid) begin
      {queue_q, address_q} <= {QUEUE_WIDTH'(start_i.queue), start_i.address};
      owner_q              <= descriptor_i.owner;
      receive_queue_q      <= operation.receive_queue;
      buffer_bytes_q       <= operation.buffer_bytes;
      if (operation.listed) buffer_bytes_q <= descriptor_i.descriptor.length[31:0];
      {origin_q, target_q} <= {operation.origin, operation.target};
      listed_q             <= operation.listed;
      {last_q, give_q, receive_q, send_q} <= '0;
      {give_offset_q, send_offset_q, given_q, received_q, used_q} <= '0;
    end
    if (state_q == STATE_COUNT) begin
      left_q        <= whole ? descriptor_i.descriptor.length : 37'(operation.messages);
      more_q        <= 1'b1;  // at least one message, and one byte
      give_offset_q <= give_offset_q + 37'(buffer_bytes_q);
      if (whole) {last_q, give_offset_q} <= {{INDEX_WIDTH{1'b1}}, 37'd0};
      else if (listed_q) {last_q, give_offset_q} <= {buffer_bytes_q[4+:INDEX_WIDTH] - 1'b1, 37'd0};
      else if (room > descriptor_i.descriptor.length || last_q == '1) give_offset_q <= '0;
      else last_q <= last_q + 1'b1;
    end
    if (give) begin
      left_q        <= left[37] ? '0 : left[36:0];
      more_q        <= !left[37] && left[36:0] != '0;
      give_q        <= give_q == last_q ? '0 : give_q + 1'b1;
      give_offset_q <= give_q == last_q && !whole ? '0 : give_offset_q + 37'(buffer_bytes_q);
    end
    if (takes) receive_q <= receive_q == last_q ? '0 : receive_q + 1'b1;
    if (moves) {send_q, send_offset_q} <= {second, second_offset};
    if (give || takes || moves) begin
      given_q    <= given_q + 2'(give) - 2'(takes);
      received_q <= received_q + (INDEX_WIDTH + 1)'(takes) - (INDEX_WIDTH + 1)'(moves);
      used_q     <= used_q + (INDEX_WIDTH + 1)'(give) - (INDEX_WIDTH + 1)'(moves);
    end
    if (takes) bytes_mem[receive_q] <= cuts ? piece : receive_bytes_i;
    else if (starts_early) bytes_mem[receive_q] <= arriving_bytes_i;
    if (goes_ahead || goes_again || begins) copy_ahead_q <= goes_ahead;
    if (start_i.valid) status_q <= mu_pkg::STATUS_QUEUE_INVALID;
    if (state_q == STATE_LIST && list_i.valid) status_q <= list_i.status;
    if (fails && !failed_q) begin
      status_q <= mu_pkg::STATUS_FLUSHED;
      if (receive_end_i && receive_status_i != mu_pkg::STATUS_OK) status_q <= receive_status_i;
      if (first_q && send_end_i && send_status_i != mu_pkg::STATUS_OK) status_q <= send_status_i;
    end
  end

  logic unused;
  assign unused = ^{descriptor_i, operation};

  assign out_valid_o  = copy_q;
  assign copied       = copy_ahead_q ? second : send_q;
  assign out_o.ahead  = copy_ahead_q;
  assign out_o.offset = copy_ahead_q ? second_offset : send_offset_q;
  assign out_o.length = bytes_mem[copied];
  assign out_o.number = 4'(copied);
  assign out_o.listed = listed_q;
  assign list_o.read   = state_q == STATE_LIST;
  assign list_o.listed = listed_q;
  assign list_o.number = 4'(give_q);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      starts_only_when_idle : assert (!start_i.valid || state_q == STATE_IDLE);
      receives_into_what_it_gave : assert (!takes || given_q != '0 || cuts);
      sends_what_it_received : assert (!begins || received_q != '0 || arrives || failed_q);
      early_is_not_received : assert (!early_q || !copy_q || received_q == (INDEX_WIDTH + 1)'(copy_ahead_q));
      holds_the_last_copy : assert (!(hold_o.hold && copy_q));
      never_both : assert (!(hold_o.hold && hold_o.spoil));
      more_says_what_is_left :
      assert (failed_q || (state_q != STATE_LIST && state_q != STATE_RUN) || more_q == (left_q != '0));
      used_is_given_or_received :
      assert (!running_o || used_q == received_q + (INDEX_WIDTH + 1)'(given_q));
      never_more_than_there_are :
      assert (!running_o || used_q <= (INDEX_WIDTH + 1)'(last_q) + (INDEX_WIDTH + 1)'(1));
    end
  end

`ifdef PROVE_MU_PIPE
  // What is proved of mu_pipe, of any one buffer: it is given only after the SEND of its last message has
  // ended well, one of a list only after that was found good, what goes out of it is a message received into
  // it, or arriving there, as long as that, and no more buffers wait than two. While a message that goes out
  // has not been received, it is held or spoiled.
  (* anyconst *) logic [INDEX_WIDTH-1:0] chosen;
  (* anyconst *) mu_pkg::fetched_descriptor_t constant;
  logic        past_q = 1'b0;
  logic        used_here_q, received_here_q;  // given, and received into
  logic [31:0] bytes_here_q;
  logic        ahead_here_q;  // a copy went ahead
  logic        good_q;    // its list was found good
  logic        heard_q;   // the message received next has been announced
  logic        cut_early_q;   // what went out last, of the chosen one, has not been received
  logic [31:0] arriving_q;    // bytes of the one announced
  logic [INDEX_WIDTH:0] count, behind, received_at, given_at;
  assign count       = (INDEX_WIDTH + 1)'(last_q) + 1'b1;
  // How far behind the next one to be sent it stands in the circle.
  assign behind      = chosen >= send_q ? (INDEX_WIDTH + 1)'(chosen - send_q) :
      (INDEX_WIDTH + 1)'(chosen) + count - (INDEX_WIDTH + 1)'(send_q);
  assign received_at =
      (INDEX_WIDTH + 2)'(send_q) + (INDEX_WIDTH + 2)'(received_q) >= (INDEX_WIDTH + 2)'(count) ?
      (INDEX_WIDTH + 1)'((INDEX_WIDTH + 2)'(send_q) + (INDEX_WIDTH + 2)'(received_q) -
          (INDEX_WIDTH + 2)'(count)) :
      (INDEX_WIDTH + 1)'(send_q) + received_q;
  assign given_at    = (INDEX_WIDTH + 2)'(send_q) + (INDEX_WIDTH + 2)'(used_q) >= (INDEX_WIDTH + 2)'(count) ?
      (INDEX_WIDTH + 1)'((INDEX_WIDTH + 2)'(send_q) + (INDEX_WIDTH + 2)'(used_q) -
          (INDEX_WIDTH + 2)'(count)) :
      (INDEX_WIDTH + 1)'(send_q) + used_q;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (descriptor_i == constant && !(operation.origin && operation.target));
    assume (!(operation.listed && (operation.origin || operation.target)));
    assume (operation.origin || operation.target ? descriptor_i.descriptor.length != '0 :
            operation.messages != '0);
    assume (!start_i.valid || !running_o);
    // Messages are received into buffers that wait, SENDs end that are open.
    assume (!receive_end_i || given_q != '0);
    assume (!arriving_valid_i || (given_q != '0 && !receive_end_i));
    if (heard_q && receive_end_i && receive_status_i == mu_pkg::STATUS_OK)
      assume (receive_bytes_i == arriving_q);
    if (heard_q && arriving_valid_i) assume (arriving_bytes_i == arriving_q);
    // A SEND of which nothing has left is not acknowledged.
    if (received_q == '0) assume (!send_end_i || send_status_i != mu_pkg::STATUS_OK);
    assume (!send_end_i || first_q);
    // None goes ahead of one that is to go out again.
    assume (!again_i || !may_ahead_i);
    // The next is under way only if it went ahead.
    assume (!second_i || ahead_here_q);
    // What is held is not cut to its end, unless it fails, or is given up instead of going ahead.
    assume (!(hold_o.hold && out_ready_i) || !second_i);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni || !running_o) good_q <= 1'b0;
    else if (list_o.read && list_i.valid && list_i.status == mu_pkg::STATUS_OK) good_q <= 1'b1;
    if (!rst_ni || !running_o || failed_q || receive_end_i) heard_q <= 1'b0;
    else if (arriving_valid_i) {heard_q, arriving_q} <= {1'b1, arriving_bytes_i};
    if (!rst_ni || (takes && receive_q == chosen)) cut_early_q <= 1'b0;
    else if (out_valid_o && out_turn_i && out_ready_i) cut_early_q <= copied == chosen && !received_here_q;
    if (!rst_ni || !running_o || flush) begin
      {used_here_q, received_here_q, ahead_here_q} <= '0;
    end else begin
      if (give && give_q == chosen) used_here_q <= 1'b1;
      if (takes && receive_q == chosen) begin
        received_here_q <= 1'b1;
        bytes_here_q    <= cuts ? piece : receive_bytes_i;
      end
      if (moves && send_q == chosen) {used_here_q, received_here_q} <= 2'b00;
      if (out_valid_o && out_turn_i && out_ready_i && copy_ahead_q) ahead_here_q <= 1'b1;
      if (begins || (hold_o.hold && out_ready_i) || (send_end_i && send_status_i != mu_pkg::STATUS_OK))
        ahead_here_q <= 1'b0;
    end
    if (past_q && rst_ni) begin
      if (cutting_q && cut_early_q) holds_or_spoils_what_is_not_received : assert (hold_o != '0);
      stops_for_a_reason : assert (state_q != STATE_STOP || failed_q || flushed_q);
      if (hold_o.hold && cut_early_q) holds_what_is_received_next : assert (chosen == receive_q);
      early_or_spoiled : assert (!(early_q && spoiled_q));
      spoiled_after_a_failure : assert (!spoiled_q || !first_q || failed_q);
      early_while_it_runs : assert (!early_q || (state_q == STATE_RUN && !failed_q && !flushed_q));
    end
    if (past_q && rst_ni && (state_q == STATE_COUNT || state_q == STATE_LIST))
      nothing_has_failed_then : assert ({failed_q, flushed_q} == '0);
    if (past_q && rst_ni && (!running_o || flushed_q))
      nothing_is_open_then : assert ({first_q, copy_q, ahead_here_q && running_o} == '0);
    if (past_q && rst_ni && running_o && flushed_q)
      begins_nothing_then : assert (state_q == STATE_STOP || failed_q);
    if (past_q && rst_ni && running_o && !flushed_q) begin
      if (give && give_q == chosen) given_when_it_is_free : assert (!used_here_q);
      if (out_valid_o && copied == chosen)
        sends_what_it_received_here :
        assert (spoiled_q || (early_q ? chosen == receive_q && heard_q && bytes_mem[chosen] == arriving_q :
                              received_here_q && out_o.length == bytes_here_q));
      if (state_q == STATE_RUN && listed_q && !failed_q)
        uses_a_list_that_was_found_good : assert (good_q && operation.listed);
      kind_is_that_of_its_operands :
      assert ({origin_q, target_q, listed_q} == {operation.origin, operation.target, operation.listed});
      two_wait_at_most : assert (given_q <= 2'd2);
      if (moves && send_q == chosen) frees_what_was_received : assert (received_here_q || takes);
      sends_nothing_with_target :
      assert (!target_q || {first_q, copy_q, ahead_here_q, received_q} == '0);
      // What the above rests on.
      one_kind_at_a_time : assert (!(origin_q && target_q) && !(listed_q && whole));
      reads_the_list_of_one_that_has_one : assert (state_q != STATE_LIST || listed_q);
      known_states : assert (state_q <= STATE_STOP);
      used_stands_behind : assert (used_here_q == (chosen <= last_q && behind < used_q));
      received_stands_before : assert (received_here_q == (chosen <= last_q && behind < received_q));
      keeps_its_length : assert (!received_here_q || bytes_mem[chosen] == bytes_here_q);
      received_was_given : assert (received_q <= used_q);
      inside_the_circle : assert (send_q <= last_q && receive_q <= last_q && give_q <= last_q);
      receives_behind : assert (state_q == STATE_COUNT || (INDEX_WIDTH + 1)'(receive_q) == received_at);
      gives_behind : assert (state_q == STATE_COUNT || (INDEX_WIDTH + 1)'(give_q) == given_at);
      none_while_it_counts :
      assert ((state_q != STATE_COUNT && state_q != STATE_LIST) ||
              ({used_q, received_q, given_q, send_q, receive_q, give_q} == '0 &&
               {first_q, ahead_q, copy_q, ahead_here_q} == '0));
      one_open_was_received : assert (!first_q || received_q != '0 || early_q || failed_q);
      copies_what_is_open : assert (!copy_q || first_q);
      one_ahead_was_received :
      assert (!(ahead_here_q || (copy_q && copy_ahead_q)) ||
              received_q + (INDEX_WIDTH + 1)'(early_q) > (INDEX_WIDTH + 1)'(first_q) || failed_q);
      one_ahead_is_cut_while_early : assert (!(early_q && ahead_here_q) || cutting_q);
      early_is_next : assert (!early_q ||
          (heard_q && given_q != '0 && received_q <= (INDEX_WIDTH + 1)'(1)));
      ahead_of_one : assert (!(copy_q && copy_ahead_q) || (first_q && ahead_q));
    end
  end
`ifdef PIECES
  // With origin or target each piece follows the one before, and the last ends where the buffer ends.
  always_ff @(posedge clk_i) begin
    if (past_q && rst_ni && running_o)
      pieces_are_those_of_its_operands :
      assert ({origin_q, target_q, listed_q} == {operation.origin, operation.target, operation.listed} &&
              (listed_q || buffer_bytes_q == operation.buffer_bytes));
    if (past_q && rst_ni)
      pieces_have_no_list : assert (state_q <= STATE_STOP && (state_q != STATE_LIST || listed_q));
    if (past_q && rst_ni && (state_q == STATE_COUNT || state_q == STATE_LIST))
      pieces_are_counted_first : assert ({failed_q, flushed_q} == '0);
    if (past_q && rst_ni)
      pieces_are_given_until_it_stops : assert (state_q != STATE_STOP || failed_q || flushed_q);
    if (past_q && rst_ni && whole && state_q == STATE_RUN && !failed_q) begin
      pieces_are_left : assert (more_q == (left_q != '0));
      pieces_follow :
      assert (left_q == '0 || 38'(give_offset_q) + 38'(left_q) == 38'(descriptor_i.descriptor.length));
      if (give) pieces_end_inside :
        assert (38'(give_offset_q) + 38'(piece) <= 38'(descriptor_i.descriptor.length));
      if (give) pieces_are_whole : assert (piece == buffer_bytes_q || left[37]);
    end
  end
`endif
`endif
endmodule
`default_nettype wire
