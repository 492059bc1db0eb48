// SPDX-License-Identifier: Apache-2.0
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
