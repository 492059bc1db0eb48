// SPDX-License-Identifier: Apache-2.0
// mu_queue_turns: who has the queue table, and when: choose, read, update.
//
//   requests (valid, queue) ---> [ fixed order ] ---> read_o, look_o, update_o, with turn_o and queue_o
//         ^--- taken_o, in the cycle of update_o
//
// Behaviour: of the requests that stand the first is chosen: register access, retire, rewind, resume, hold,
//   enable, publish, get reserve, push reserve, fetch, and last a write of config. In the next cycle the row
//   of its queue is read (read_o), in the one behind it is updated (update_o). What may be refused, a
//   register access or a reservation, is judged in a cycle between the two (look_o). With update_o taken_o
//   names the turn, and the next one is chosen, from the others, though a fetch may follow a fetch. A write
//   of config for which nothing was done asks again.
// Latency: request to update_o 2 cycles, 3 with look_o; a turn every 2 or 3 cycles.
// Limits: a request stands until its update, and names the same queue (asserted; a fetch may be withdrawn
//   before it is chosen). enable_i low: nobody is chosen.
`default_nettype none

module mu_queue_turns (
    input  logic                clk_i,
    input  logic                rst_ni,
    output logic                busy_o,
    input  logic                enable_i,
    // requests, in order of priority
    input  logic                access_valid_i,
    input  logic [7:0]          access_queue_i,       // of configure, too
    input  logic                retire_valid_i,
    input  logic [7:0]          retire_queue_i,
    input  logic                rewind_valid_i,
    input  logic [7:0]          rewind_queue_i,
    input  logic                resume_valid_i,
    input  logic [7:0]          resume_queue_i,
    input  logic                hold_valid_i,
    input  logic [7:0]          hold_queue_i,
    input  logic                enable_valid_i,
    input  logic [7:0]          enable_queue_i,
    input  logic                publish_valid_i,
    input  logic [7:0]          publish_queue_i,
    input  logic                get_reserve_valid_i,
    input  logic [7:0]          get_reserve_queue_i,
    input  logic                push_reserve_valid_i,
    input  logic [7:0]          push_reserve_queue_i,
    input  logic                fetch_valid_i,
    input  logic [7:0]          fetch_queue_i,
    input  logic                configure_valid_i,
    // who has the table
    output logic                read_o,
    output logic                look_o,
    output logic                update_o,
    output mu_pkg::queue_turn_e turn_o,               // chosen: read or updated
    output mu_pkg::queue_turn_e taken_o,              // updated: the request that this was is done
    output logic [7:0]          queue_o
);
  typedef enum logic [1:0] {
    STATE_IDLE,    // nobody has it
    STATE_READ,    // the row is read
    STATE_LOOK,    // what is asked is judged by it
    STATE_UPDATE   // the row is written, and the next one is chosen
  } state_e;
  state_e              state_q;
  mu_pkg::queue_turn_e turn;
  mu_pkg::queue_turn_e turn_q;
  logic [7:0]          queue;
  logic [7:0]          queue_q;

  logic                looks;  // a turn of the kind that is judged

  assign read_o   = state_q == STATE_READ;
  assign look_o   = state_q == STATE_LOOK;
  assign update_o = state_q == STATE_UPDATE;
  assign busy_o   = state_q != STATE_IDLE;
  assign turn_o   = turn_q;
  assign queue_o  = queue_q;
  assign taken_o  = update_o ? turn_q : mu_pkg::QUEUE_TURN_NONE;
  assign looks    = turn_q == mu_pkg::QUEUE_TURN_ACCESS || turn_q == mu_pkg::QUEUE_TURN_CONFIGURE ||
      turn_q == mu_pkg::QUEUE_TURN_GET_RESERVE || turn_q == mu_pkg::QUEUE_TURN_PUSH_RESERVE;

  always_comb begin
    turn  = mu_pkg::QUEUE_TURN_NONE;
    queue = access_queue_i;
    if (enable_i && !read_o && !look_o) begin
      if (access_valid_i && taken_o != mu_pkg::QUEUE_TURN_ACCESS) turn = mu_pkg::QUEUE_TURN_ACCESS;
      else if (retire_valid_i && taken_o != mu_pkg::QUEUE_TURN_RETIRE) begin
        turn  = mu_pkg::QUEUE_TURN_RETIRE;
        queue = retire_queue_i;
      end else if (rewind_valid_i && taken_o != mu_pkg::QUEUE_TURN_REWIND) begin
        turn  = mu_pkg::QUEUE_TURN_REWIND;
        queue = rewind_queue_i;
      end else if (resume_valid_i && taken_o != mu_pkg::QUEUE_TURN_RESUME) begin
        turn  = mu_pkg::QUEUE_TURN_RESUME;
        queue = resume_queue_i;
      end else if (hold_valid_i && taken_o != mu_pkg::QUEUE_TURN_HOLD) begin
        turn  = mu_pkg::QUEUE_TURN_HOLD;
        queue = hold_queue_i;
      end else if (enable_valid_i && taken_o != mu_pkg::QUEUE_TURN_ENABLE) begin
        turn  = mu_pkg::QUEUE_TURN_ENABLE;
        queue = enable_queue_i;
      end else if (publish_valid_i && taken_o != mu_pkg::QUEUE_TURN_PUBLISH) begin
        turn  = mu_pkg::QUEUE_TURN_PUBLISH;
        queue = publish_queue_i;
      end else if (get_reserve_valid_i && taken_o != mu_pkg::QUEUE_TURN_GET_RESERVE) begin
        turn  = mu_pkg::QUEUE_TURN_GET_RESERVE;
        queue = get_reserve_queue_i;
      end else if (push_reserve_valid_i && taken_o != mu_pkg::QUEUE_TURN_PUSH_RESERVE) begin
        turn  = mu_pkg::QUEUE_TURN_PUSH_RESERVE;
        queue = push_reserve_queue_i;
      end else if (fetch_valid_i) begin
        turn  = mu_pkg::QUEUE_TURN_FETCH;
        queue = fetch_queue_i;
      end else if (configure_valid_i && taken_o != mu_pkg::QUEUE_TURN_CONFIGURE)
        turn = mu_pkg::QUEUE_TURN_CONFIGURE;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= STATE_IDLE;
    else if (turn != mu_pkg::QUEUE_TURN_NONE) state_q <= STATE_READ;
    else if (busy_o) state_q <= update_o ? STATE_IDLE : read_o && looks ? STATE_LOOK : STATE_UPDATE;
  end
  always_ff @(posedge clk_i) begin
    if (turn != mu_pkg::QUEUE_TURN_NONE) begin
      turn_q  <= turn;
      queue_q <= queue;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      unique case (taken_o)
        mu_pkg::QUEUE_TURN_RETIRE:
        retire_stands : assert (retire_valid_i && retire_queue_i == queue_q);
        mu_pkg::QUEUE_TURN_REWIND:
        rewind_stands : assert (rewind_valid_i && rewind_queue_i == queue_q);
        mu_pkg::QUEUE_TURN_RESUME:
        resume_stands : assert (resume_valid_i && resume_queue_i == queue_q);
        mu_pkg::QUEUE_TURN_HOLD:
        hold_stands : assert (hold_valid_i && hold_queue_i == queue_q);
        mu_pkg::QUEUE_TURN_ENABLE:
        enable_stands : assert (enable_valid_i && enable_queue_i == queue_q);
        mu_pkg::QUEUE_TURN_PUBLISH:
        publish_stands : assert (publish_valid_i && publish_queue_i == queue_q);
        mu_pkg::QUEUE_TURN_GET_RESERVE:
        get_reserve_stands : assert (get_reserve_valid_i && get_reserve_queue_i == queue_q);
        mu_pkg::QUEUE_TURN_PUSH_RESERVE:
        push_reserve_stands : assert (push_reserve_valid_i && push_reserve_queue_i == queue_q);
        default: ;
      endcase
    end
  end

`ifdef PROVE_MU_QUEUE_TURNS
  // Of all who ask, but for the one whose turn ends, the first is chosen, with its queue; it reads, looks if
  // it may be refused, then updates; somebody is chosen whenever somebody asks. Requests stand, as the
  // contract says.
  localparam int unsigned ASKS = 12;
  logic              past_q = 1'b0;
  logic [ASKS-1:0]   asks, asked_q, ends;
  logic [ASKS*8-1:0] queues;
  logic [7:0]        here, named_q;  // queue of the first who asks, as it is and as it was
  logic              read_q, look_q, stands, refusable;
  assign asks    = {configure_valid_i, fetch_valid_i, push_reserve_valid_i, get_reserve_valid_i,
                    publish_valid_i, enable_valid_i, hold_valid_i, resume_valid_i, rewind_valid_i,
                    retire_valid_i, access_valid_i, 1'b0};
  assign queues  = {access_queue_i, fetch_queue_i, push_reserve_queue_i, get_reserve_queue_i,
                    publish_queue_i, enable_queue_i, hold_queue_i, resume_queue_i, rewind_queue_i,
                    retire_queue_i, access_queue_i, 8'd0};
  assign ends    = update_o && turn_o != mu_pkg::QUEUE_TURN_FETCH ? ASKS'(1) << turn_o : '0;
  always_comb begin
    refusable = 1'b0;
    for (int unsigned i = 1; i < ASKS; i++)
      if (turn_o == 4'(i)) refusable = i == 1 || i == 8 || i == 9 || i == 11;
    here   = '0;
    stands = 1'b1;
    for (int unsigned i = ASKS - 1; i > 0; i--) begin
      if (asks[i] && !ends[i]) here = queues[i*8+:8];
      if (turn_q == 4'(i) && !(asks[i] && queues[i*8+:8] == queue_q)) stands = 1'b0;
    end
    if (!past_q) assume (!rst_ni);
    if (past_q && busy_o && turn_q != mu_pkg::QUEUE_TURN_FETCH) assume (stands);
  end
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    asked_q <= rst_ni && enable_i && !read_o && !look_o ? asks & ~ends : '0;
    named_q <= here;
    read_q  <= rst_ni && read_o;
    look_q  <= rst_ni && look_o;
    if (past_q) begin
      one_is_chosen : assert (read_o == (asked_q != '0));
      looks_at_what_may_be_refused : assert (look_o == (read_q && refusable));
      updates_what_it_read : assert (update_o == (look_q || (read_q && !refusable)));
      busy_says_so : assert (busy_o == (read_o || look_o || update_o));
      taken_says_so : assert (taken_o == (update_o ? turn_o : mu_pkg::QUEUE_TURN_NONE));
      if (read_o) begin
        chooses_the_first : assert (ASKS'(1) << turn_o == (asked_q & (~asked_q + 1'b1)));
        names_its_queue : assert (queue_o == named_q);
      end
    end
  end
`endif
endmodule
`default_nettype wire
