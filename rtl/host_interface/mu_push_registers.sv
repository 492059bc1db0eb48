// SPDX-License-Identifier: Apache-2.0
// mu_push_registers: what each client sees of its push window: queue, outcome, and which word comes next.
//
//   register bus (client_page.push_*) ---> [ checks, state of each client ] ---> word_*, insert_valid_o
//   insert_done_i, insert_status_i; stored_valid_i, stored_error_i ---^
//
// Behaviour: words of push_data are accepted in order only: word 0 always (it starts anew), word n after word
//   n-1 (else REGISTER_PARTIAL). Word 7 raises insert_valid_o until insert_done_i and is answered with its
//   status: OK starts a new window and counts in push_status.accepted; anything else leaves the window as it
//   is, so that writing word 7 again tries again. push_status.status is that of the last insertion,
//   MEMORY_ERROR if its write failed; busy from the insertion until stored_valid_i. Words wait while
//   stall_words_i, word 7 while open_i.
// Latency: register access 1 cycle, word 7 as long as the insertion takes.
// Limits: push_queue takes numbers below INJECTION_QUEUES, else REGISTER_VALUE. Both word 7's outcome and
//   stored_* belong to one push at a time: open_i is high from the one to the other.
// two-readers: hold:register_request_i[63:3]=0 hold:register_request_i[83:71]=6
// two-readers: hold:register_request_i[87:84]=0 hold:register_request_i[90:88]=7 seen=12
`default_nettype none

module mu_push_registers (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    output logic                       busy_o,
    // register bus
    input  logic                       register_valid_i,
    input  mu_pkg::register_request_t  register_request_i,
    output logic                       register_done_o,
    output mu_pkg::register_response_t register_response_o,
    // staging memory
    output logic                       word_write_o,     // the data into word_number_o
    output logic [2:0]                 word_number_o,
    input  logic                       stall_words_i,
    // insertion
    output logic                       insert_valid_o,
    output logic [7:0]                 insert_queue_o,
    input  logic                       insert_done_i,
    input  mu_pkg::status_e            insert_status_i,
    input  logic                       open_i,
    // the last insertion's write
    input  logic                       stored_valid_i,
    input  logic [3:0]                 stored_client_i,
    input  logic                       stored_error_i
);
  localparam int unsigned CLIENTS   = mu_pkg::CLIENTS;
  localparam logic [2:0]  LAST_WORD = 3'd7;
  localparam int unsigned ANSWER_BITS = 41;  // no register has more

  logic [CLIENTS*8-1:0]   queue_q;
  logic [CLIENTS*3-1:0]   next_word_q;
  logic [CLIENTS*8-1:0]   status_q;
  logic [CLIENTS-1:0]     busy_q;
  logic                   done_q;
  mu_pkg::status_e        answer_q;
  logic [ANSWER_BITS-1:0] data_q;

  logic                   start;
  logic [19:0]            offset;
  logic                   is_data;
  logic                   is_queue;
  logic                   is_status;
  logic [2:0]             word;
  logic [2:0]             next_word;  // of the client that asks
  logic [7:0]             queue;
  logic [ANSWER_BITS-1:0] status_data;
  mu_pkg::status_e        status;     // before the insertion
  logic [ANSWER_BITS-1:0] data;
  logic                   answer;     // the access ends with this cycle
  logic                   inserted;   // with a push accepted
  logic [CLIENTS*32-1:0]  accepted;   // so far, of each client
  logic                   unused_bits;

  assign unused_bits = ^register_request_i.address[2:0];
  assign start       = register_valid_i && !done_q;
  assign offset      = {register_request_i.address[19:3], 3'b000};
  assign is_data     = offset < mu_pkg::REG_CLIENT_PAGE_PUSH_QUEUE;
  assign is_queue    = offset == mu_pkg::REG_CLIENT_PAGE_PUSH_QUEUE;
  assign is_status   = offset == mu_pkg::REG_CLIENT_PAGE_PUSH_STATUS;
  assign word        = offset[5:3];

  always_comb begin
    next_word   = '0;
    queue       = '0;
    status_data = '0;
    if (start) begin
      for (int c = 0; c < CLIENTS; c++) begin
        if (register_request_i.client == 4'(c)) begin
          next_word   = next_word_q[c*3+:3];
          queue       = queue_q[c*8+:8];
          status_data = {busy_q[c], status_q[c*8+:8], accepted[c*32+:32]};
        end
      end
    end
  end

  always_comb begin
    status = mu_pkg::STATUS_OK;
    data   = '0;
    if (!start) status = mu_pkg::STATUS_OK;
    else if (!register_request_i.page || 32'(register_request_i.client) >= CLIENTS ||
        !(register_request_i.write ? is_data || is_queue : is_queue || is_status))
      status = mu_pkg::STATUS_REGISTER_UNKNOWN;
    else if (register_request_i.write) begin
      if (!register_request_i.wide) status = mu_pkg::STATUS_REGISTER_PARTIAL;
      else if (is_data && word != '0 && word != next_word) status = mu_pkg::STATUS_REGISTER_PARTIAL;
      else if (is_queue && register_request_i.data >= 64'(mu_pkg::INJECTION_QUEUES))
        status = mu_pkg::STATUS_REGISTER_VALUE;
    end else data = is_queue ? ANSWER_BITS'(queue) : status_data;
  end

  always_comb begin
    answer         = 1'b0;
    inserted       = 1'b0;
    word_write_o   = 1'b0;
    insert_valid_o = 1'b0;
    if (start) begin
      if (status != mu_pkg::STATUS_OK || !register_request_i.write || is_queue) answer = 1'b1;
      else if (!stall_words_i) begin
        if (word != LAST_WORD) begin
          answer       = 1'b1;
          word_write_o = 1'b1;
        end else if (!open_i) begin
          insert_valid_o = 1'b1;
          word_write_o   = 1'b1;
          answer         = insert_done_i;
          inserted       = insert_done_i && insert_status_i == mu_pkg::STATUS_OK;
        end
      end
    end
  end
  assign word_number_o  = word;
  assign insert_queue_o = queue;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      done_q   <= 1'b0;
      answer_q <= mu_pkg::STATUS_OK;
      data_q   <= '0;
    end else begin
      done_q <= answer;
      if (answer) begin
        answer_q <= insert_valid_o ? insert_status_i : status;
        data_q   <= data;
      end else if (done_q) begin
        answer_q <= mu_pkg::STATUS_OK;
        data_q   <= '0;
      end
    end
  end
  assign register_done_o            = done_q;
  assign register_response_o.status = answer_q;
  assign register_response_o.data   = 64'(data_q);
  assign busy_o              = done_q || busy_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      queue_q     <= '0;
      next_word_q <= '0;
      status_q    <= '0;
      busy_q      <= '0;
    end else begin
      if (answer && register_request_i.write && status == mu_pkg::STATUS_OK) begin
        for (int c = 0; c < CLIENTS; c++) begin
          if (register_request_i.client == 4'(c)) begin
            if (is_queue) queue_q[c*8+:8] <= register_request_i.data[7:0];
            else if (word != LAST_WORD) next_word_q[c*3+:3] <= word + 3'd1;
            else begin
              status_q[c*8+:8] <= insert_status_i;
              busy_q[c]        <= inserted;
              if (inserted) next_word_q[c*3+:3] <= '0;
            end
          end
        end
      end
      if (stored_valid_i) begin
        for (int c = 0; c < CLIENTS; c++) begin
          if (stored_client_i == 4'(c)) begin
            busy_q[c] <= 1'b0;
            if (stored_error_i) status_q[c*8+:8] <= mu_pkg::STATUS_MEMORY_ERROR;
          end
        end
      end
    end
  end

  logic [2*CLIENTS-1:0] pulses;
  always_comb begin
    pulses = '0;
    for (int c = 0; c < CLIENTS; c++) pulses[2*c] = inserted && register_request_i.client == 4'(c);
  end
  mu_pulse_counters #(
      .COUNT(CLIENTS),
      .STOPS(1'b0)
  ) u_accepted (
      .clk_i,
      .rst_ni,
      .pulses_i(pulses),
      .counts_o(accepted)
  );

  logic [CLIENTS-1:0] refused;  // the last push of each client
  always_comb for (int c = 0; c < CLIENTS; c++) refused[c] = status_q[c*8+:8] != mu_pkg::STATUS_OK;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      answers_only_when_asked : assert (!done_q || register_valid_i);
      answer_is_zero_unless_done : assert (done_q || register_response_o == '0);
      one_push_at_a_time : assert ($onehot0(busy_q));
      open_until_it_is_stored : assert (open_i || busy_q == '0);
      outcome_only_when_asked : assert (!insert_done_i || insert_valid_o);
      stored_ends_the_open_push :
      assert (!stored_valid_i || (open_i && 32'(stored_client_i) < CLIENTS &&
                                  busy_q == CLIENTS'(1) << stored_client_i));
      open_push_is_no_refusal : assert ((busy_q & refused) == '0);
    end
  end

`ifdef PROVE_MU_PUSH_REGISTERS
  // What is proved of mu_push_registers, of any client: words are accepted in order alone, the last by an
  // insertion that is answered with its status; an insertion that fails leaves the window as it is;
  // push_status shows the number of those accepted, the last outcome, and busy until its write is stored; no
  // other client's accesses change that.
  (* anyconst *) logic [3:0] chosen;
  logic        past_q = 1'b0;
  logic [ 2:0] next_here_q;    // the word that comes next
  logic [31:0] number_q;       // accepted
  logic [ 7:0] outcome_q;
  logic        busy_here_q, open_here_q;
  logic [ 3:0] open_client_q;
  logic        of_chosen, writes_word, done_well;
  logic [ 2:0] word_here;
  logic        reads_status_q, out_of_order_q;
  logic [63:0] window_q;
  assign of_chosen   = register_valid_i && !register_done_o && register_request_i.page &&
      register_request_i.client == chosen;
  assign word_here   = register_request_i.address[5:3];
  assign writes_word = of_chosen && register_request_i.write && register_request_i.wide &&
      register_request_i.address < mu_pkg::REG_CLIENT_PAGE_PUSH_QUEUE;
  assign done_well   = insert_done_i && insert_status_i == mu_pkg::STATUS_OK;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < CLIENTS);
    assume (!register_done_o || register_valid_i);
    assume (!insert_done_i || insert_valid_o);
    assume (open_i == open_here_q);
    assume (!stored_valid_i || (open_here_q && stored_client_i == open_client_q));
  end
  always_ff @(posedge clk_i) begin
    past_q          <= 1'b1;
    window_q <= {23'd0, busy_here_q, outcome_q, number_q};
    reads_status_q  <= rst_ni && of_chosen && !register_request_i.write &&
        {register_request_i.address[19:3], 3'd0} == mu_pkg::REG_CLIENT_PAGE_PUSH_STATUS;
    out_of_order_q  <= rst_ni && writes_word && word_here != '0 && word_here != next_here_q;
    if (!rst_ni) {next_here_q, number_q, outcome_q, busy_here_q, open_here_q} <= '0;
    else begin
      if (done_well) {open_here_q, open_client_q} <= {1'b1, register_request_i.client};
      else if (stored_valid_i) open_here_q <= 1'b0;
      if (stored_valid_i && stored_client_i == chosen) begin
        busy_here_q <= 1'b0;
        if (stored_error_i) outcome_q <= mu_pkg::STATUS_MEMORY_ERROR;
      end
      if (writes_word && word_write_o && word_number_o != LAST_WORD) next_here_q <= word_here + 3'd1;
      if (of_chosen && insert_done_i) outcome_q <= insert_status_i;
      if (of_chosen && done_well) {next_here_q, busy_here_q, number_q} <= {3'd0, 1'b1, number_q + 32'd1};
      if (past_q) begin
        if (word_write_o && of_chosen) words_in_order :
        assert (writes_word && word_number_o == word_here && (word_here == '0 || word_here == next_here_q));
        if (word_write_o) not_while_they_wait : assert (!stall_words_i);
        if (writes_word && word_here != LAST_WORD && !stall_words_i &&
            (word_here == '0 || word_here == next_here_q))
          the_next_is_accepted : assert (word_write_o);
        if (insert_valid_o && of_chosen) inserts_with_the_last : assert (word_here == LAST_WORD && !open_i);
        if (out_of_order_q)
          out_of_order_is_refused :
          assert (register_done_o && register_response_o.status == mu_pkg::STATUS_REGISTER_PARTIAL);
        if (reads_status_q)
          status_shows_the_window :
          assert (register_done_o && register_response_o == {8'd0, window_q});
        // What the above rests on.
        keeps_the_window :
        assert (3'(next_word_q >> (32'(chosen) * 3)) == next_here_q &&
                32'(accepted >> {chosen, 5'd0}) == number_q &&
                8'(status_q >> {chosen, 3'd0}) == outcome_q && 1'(busy_q >> chosen) == busy_here_q);
        busy_while_it_is_open :
        assert (busy_here_q == (open_here_q && open_client_q == chosen));
        one_open_of_all : assert (busy_q == (open_here_q ? CLIENTS'(1) << open_client_q : '0));
        open_of_a_client : assert (!open_here_q || 32'(open_client_q) < CLIENTS);
      end
    end
  end
`endif
endmodule
`default_nettype wire
