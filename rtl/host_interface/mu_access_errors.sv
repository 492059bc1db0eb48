// SPDX-License-Identifier: Apache-2.0
// mu_access_errors: the record of refused register accesses, of each client page and privileged.
//
//   refused_valid_i, status, address ---> [ first status, count: a client, privileged ] ---> causes_o
//   register bus (client_page.page_status) ----------^    ^     |
//   clear_i (node.error_clear) ---------------------------+     +---> register_errors_o
//
// Behaviour: the first refusal since the last clear is kept with its status (privileged: and address), the
//   number of refusals saturates. A refusal in a client page raises cause ERROR of that client. page_status
//   always carries SIGNATURE, so that all ones or zeros from a device that is gone are told from an answer.
// Latency: a refusal shows in the registers the next cycle, its cause pulse in the next. Register access 1
//   cycle.
// Limits: a refusal and a clear do not meet in one cycle (asserted): the host interface does one access at a
//   time. A clear names clients that exist.
// two-readers: hold:register_request_i[83:71]=0 hold:refused_client_i[3:2]=0 seen=30
`default_nettype none

module mu_access_errors #(
    parameter logic [31:0] SIGNATURE = 32'h554D5354
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    output logic                         busy_o,
    // register bus
    input  logic                         register_valid_i,
    input  mu_pkg::register_request_t    register_request_i,
    output logic                         register_done_o,
    output mu_pkg::register_response_t   register_response_o,
    // a refused access
    input  logic                         refused_valid_i,
    input  logic                         refused_page_i,
    input  logic [3:0]                   refused_client_i,
    input  logic [19:0]                  refused_address_i,
    input  mu_pkg::status_e              refused_status_i,
    // node registers: what a write of error_clear names, else zero
    input  mu_pkg::node_error_clear_t    clear_i,
    output mu_pkg::node_register_errors_t register_errors_o,
    // interrupt control
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o
);
  localparam int unsigned CLIENTS     = mu_pkg::CLIENTS;
  localparam int unsigned CAUSE_ERROR = 32'(mu_pkg::CAUSE_ERROR);
  localparam int unsigned ANSWER_BITS = 56;  // no register has more

  logic [CLIENTS*8-1:0]   page_status_q;  // first status of each client
  logic [CLIENTS*16-1:0]  page_count_q;
  mu_pkg::status_e        status_q;       // of the privileged space
  logic [15:0]            count_q;
  logic [19:0]            address_q;
  logic [CLIENTS*8-1:0]   causes_q;
  logic                   done_q;
  logic [ANSWER_BITS-1:0] data_q;
  mu_pkg::status_e        answer_q;
  logic                   start;
  mu_pkg::status_e        status;
  logic [ANSWER_BITS-1:0] data;
  logic                   unused;

  assign start                     = register_valid_i && !done_q;
  assign unused                    = ^register_request_i;
  assign register_errors_o.status  = status_q;
  assign register_errors_o.count   = count_q;
  assign register_errors_o.address = address_q;

  always_comb begin
    status = mu_pkg::STATUS_REGISTER_UNKNOWN;
    data   = '0;
    if (start) begin
      if (register_request_i.page && !register_request_i.write &&
          {register_request_i.address[19:3], 3'd0} == mu_pkg::REG_CLIENT_PAGE_PAGE_STATUS &&
          32'(register_request_i.client) < CLIENTS) begin
        status = mu_pkg::STATUS_OK;
        for (int c = 0; c < CLIENTS; c++)
          if (register_request_i.client == 4'(c))
            data = {page_count_q[c*16+:16], page_status_q[c*8+:8], SIGNATURE};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      done_q   <= 1'b0;
      answer_q <= mu_pkg::STATUS_OK;
      data_q   <= '0;
    end else begin
      done_q <= start;
      if (start) begin
        answer_q <= status;
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

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      page_status_q <= '0;
      page_count_q  <= '0;
      status_q      <= mu_pkg::STATUS_OK;
      count_q       <= '0;
      address_q     <= '0;
    end else if (clear_i != '0 || refused_valid_i) begin
      for (int c = 0; c < CLIENTS; c++) begin
        if (clear_i.pages[c]) begin
          page_status_q[c*8+:8]  <= '0;
          page_count_q[c*16+:16] <= '0;
        end else if (refused_valid_i && refused_page_i && refused_client_i == 4'(c)) begin
          if (page_count_q[c*16+:16] == '0) page_status_q[c*8+:8] <= refused_status_i;
          if (page_count_q[c*16+:16] != '1) page_count_q[c*16+:16] <= page_count_q[c*16+:16] + 16'd1;
        end
      end
      if (clear_i.privileged) begin
        status_q  <= mu_pkg::STATUS_OK;
        count_q   <= '0;
        address_q <= '0;
      end else if (refused_valid_i && !refused_page_i) begin
        if (count_q == '0) status_q <= refused_status_i;
        if (count_q == '0) address_q <= refused_address_i;
        if (count_q != '1) count_q <= count_q + 16'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) causes_q <= '0;
    else if (causes_q != '0 || refused_valid_i) begin
      causes_q <= '0;
      for (int c = 0; c < CLIENTS; c++)
        causes_q[c*8+CAUSE_ERROR] <= refused_valid_i && refused_page_i && refused_client_i == 4'(c);
    end
  end
  assign causes_o = causes_q;
  assign busy_o   = done_q || causes_q != '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      answers_only_when_asked : assert (!done_q || register_valid_i);
      knows_one_refusal :
      assert (register_response_o.status == mu_pkg::STATUS_OK ||
              register_response_o.status == mu_pkg::STATUS_REGISTER_UNKNOWN);
      answer_is_zero_unless_done : assert (done_q || register_response_o == '0);
      clear_and_refusal_never_meet : assert (clear_i == '0 || !refused_valid_i);
      clears_clients_that_exist : assert ((clear_i.pages >> CLIENTS) == '0);
      refusal_has_a_status : assert (!refused_valid_i || refused_status_i != '0);
    end
  end

`ifdef PROVE_MU_ACCESS_ERRORS
  // What is proved of mu_access_errors, of any client, and of the privileged space: what a read shows is the
  // first status since the last clear and the number of refusals, which stops at its largest value; a page
  // shows its own client alone, with the signature; a refusal in a page raises the cause of its client alone.
  (* anyconst *) logic [3:0] chosen;
  logic        past_q = 1'b0;
  logic [ 7:0] first_q, first_here_q;
  logic [15:0] number_q, number_here_q;
  logic [19:0] where_q;
  logic        starts, reads_page, clears_here, read_page_q, started_q;
  logic [63:0] page_data_q;
  logic        raised_q;
  logic [ 7:0] causes_here;
  assign causes_here = 8'(causes_o >> {chosen, 3'd0});
  assign starts     = register_valid_i && !register_done_o;
  assign reads_page = starts && register_request_i.page && !register_request_i.write &&
      register_request_i.client == chosen &&
      {register_request_i.address[19:3], 3'd0} == mu_pkg::REG_CLIENT_PAGE_PAGE_STATUS;
  assign clears_here = 1'(clear_i.pages >> chosen);
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < CLIENTS);
    assume (!refused_valid_i || refused_status_i != '0);
    assume (clear_i == '0 || !refused_valid_i);
    assume ((clear_i.pages >> CLIENTS) == '0);
    assume (!register_done_o || register_valid_i);
  end
  always_ff @(posedge clk_i) begin
    past_q     <= 1'b1;
    started_q  <= rst_ni && starts;
    read_page_q <= reads_page;
    page_data_q <= {8'd0, number_here_q, first_here_q, SIGNATURE};
    raised_q    <= rst_ni && refused_valid_i && refused_page_i && refused_client_i == chosen;
    if (!rst_ni) {first_q, first_here_q, number_q, number_here_q, where_q} <= '0;
    else begin
      if (clears_here) {first_here_q, number_here_q} <= '0;
      else if (refused_valid_i && refused_page_i && refused_client_i == chosen) begin
        if (number_here_q == '0) first_here_q <= refused_status_i;
        if (number_here_q != 16'hFFFF) number_here_q <= number_here_q + 16'd1;
      end
      if (clear_i.privileged) {first_q, number_q, where_q} <= '0;
      else if (refused_valid_i && !refused_page_i) begin
        if (number_q == '0) {first_q, where_q} <= {refused_status_i, refused_address_i};
        if (number_q != 16'hFFFF) number_q <= number_q + 16'd1;
      end
      if (past_q) begin
        answers_the_next_cycle : assert (register_done_o == started_q);
        if (started_q && read_page_q)
          a_page_shows_its_client :
          assert (register_response_o == {8'd0, page_data_q});
        the_node_shows_what_is_privileged : assert (register_errors_o == {where_q, number_q, first_q});
        if (register_done_o && register_response_o.status != mu_pkg::STATUS_OK)
          refused_reads_zero : assert (register_response_o.data == '0);
        raises_the_cause_of_its_client : assert (causes_here == (raised_q ? 8'd1 << CAUSE_ERROR : 8'd0));
        // What the above rests on.
        keeps_what_it_shows :
        assert ({8'(page_status_q >> {chosen, 3'd0}), 16'(page_count_q >> {chosen, 4'd0})} ==
                {first_here_q, number_here_q});
      end
    end
  end
`endif
endmodule
`default_nettype wire
