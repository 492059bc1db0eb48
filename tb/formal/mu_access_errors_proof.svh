// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_access_errors, of any client, and of the privileged space: what a read shows is the
// first status since the last clear and the number of refusals, which stops at its largest value; a page
// shows its own client alone, with the signature; a refusal in a page raises the cause of its client alone.
  (* anyconst *) logic [3:0] chosen;
  logic        past_q = 1'b0;
  logic [ 7:0] first_q, first_here_q;
  logic [15:0] number_q, number_here_q;
  logic [19:0] where_q;
  logic        starts, reads_page, reads_all, clears, clears_here, read_page_q, read_all_q, started_q;
  logic [63:0] page_data_q, all_data_q;
  logic        raised_q;
  logic [ 7:0] causes_here;
  assign causes_here = 8'(causes_o >> {chosen, 3'd0});
  assign starts     = register_valid_i && !register_done_o;
  assign reads_page = starts && register_request_i.page && !register_request_i.write &&
      register_request_i.client == chosen &&
      {register_request_i.address[19:3], 3'd0} == mu_pkg::REG_CLIENT_PAGE_PAGE_STATUS;
  assign reads_all  = starts && !register_request_i.page && !register_request_i.write &&
      {register_request_i.address[19:3], 3'd0} == mu_pkg::BLOCK_NODE_BASE + mu_pkg::REG_NODE_REGISTER_ERRORS;
  assign clears     = starts && !register_request_i.page && register_request_i.write &&
      register_request_i.wide &&
      {register_request_i.address[19:3], 3'd0} == mu_pkg::BLOCK_NODE_BASE + mu_pkg::REG_NODE_ERROR_CLEAR &&
      register_request_i.data[62:CLIENTS] == '0;
  assign clears_here = clears && 1'(register_request_i.data >> chosen);
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < CLIENTS);
    assume (!refused_valid_i || refused_status_i != '0);
    assume (!(refused_valid_i && starts));
    assume (!register_done_o || register_valid_i);
  end
  always_ff @(posedge clk_i) begin
    past_q     <= 1'b1;
    started_q  <= rst_ni && starts;
    read_page_q <= reads_page;
    read_all_q  <= reads_all;
    page_data_q <= {8'd0, number_here_q, first_here_q, SIGNATURE};
    all_data_q  <= {20'd0, where_q, number_q, first_q};
    raised_q    <= rst_ni && refused_valid_i && refused_page_i && refused_client_i == chosen;
    if (!rst_ni) {first_q, first_here_q, number_q, number_here_q, where_q} <= '0;
    else begin
      if (clears_here) {first_here_q, number_here_q} <= '0;
      else if (refused_valid_i && refused_page_i && refused_client_i == chosen) begin
        if (number_here_q == '0) first_here_q <= refused_status_i;
        if (number_here_q != 16'hFFFF) number_here_q <= number_here_q + 16'd1;
      end
      if (clears && register_request_i.data[63]) {first_q, number_q, where_q} <= '0;
      else if (refused_valid_i && !refused_page_i) begin
        if (number_q == '0) {first_q, where_q} <= {refused_status_i, refused_address_i};
        if (number_q != 16'hFFFF) number_q <= number_q + 16'd1;
      end
      if (past_q) begin
        answers_the_next_cycle : assert (register_done_o == started_q);
        if (started_q && read_page_q)
          a_page_shows_its_client :
          assert (register_response_o == {8'd0, page_data_q});
        if (started_q && read_all_q)
          the_node_shows_what_is_privileged : assert (register_response_o == {8'd0, all_data_q});
        if (register_done_o && register_response_o.status != mu_pkg::STATUS_OK)
          refused_reads_zero : assert (register_response_o.data == '0);
        raises_the_cause_of_its_client : assert (causes_here == (raised_q ? 8'd1 << CAUSE_ERROR : 8'd0));
        // What the above rests on.
        keeps_what_it_shows :
        assert ({8'(page_status_q >> {chosen, 3'd0}), 16'(page_count_q >> {chosen, 4'd0})} ==
                {first_here_q, number_here_q} &&
                {address_q, count_q, status_q} == {where_q, number_q, first_q});
      end
    end
  end
