// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_router_counters: an access is answered in the next cycle, once; a read of a counter tells, in both
// halves, what the tally of the class and the count that the address names shows in the cycle of the access; all else is
// refused with zero. That a tally counts is proved of mu_router_tally; that each has its events, and is asked for the output
// of the address, is left to the unit test.
  logic        past_q = 1'b0;
  logic        was_asked_q, was_done_q, was_good_q;
  logic [31:0] shown_q;
  logic [7:0]  offset;
  assign offset = register_request_i.address[7:0];
  always_comb begin
    if (!past_q) assume (!rst_ni);
    // The bus: a request stands until it is answered.
    if (past_q && rst_ni && was_asked_q && !was_done_q) assume (register_valid_i);
  end
  always_ff @(posedge clk_i) begin
    past_q      <= 1'b1;
    was_asked_q <= rst_ni && register_valid_i;
    was_done_q  <= register_done_o;
    // The table of docs/reference: packets from 0x00, flits from 0x40, stalls from 0x80, of requests; 4 further of replies.
    was_good_q  <= 32'(register_request_i.address) - 32'(mu_pkg::BLOCK_PERFORMANCE_BASE) < 32'd192 &&
        register_request_i.address >= mu_pkg::BLOCK_PERFORMANCE_BASE && offset[5:3] < 3'd7 &&
        offset[1:0] == '0 && !register_request_i.write && !register_request_i.page;
    shown_q <= offset[7:6] == 2'd0 ? (offset[2] ? reply_packets : request_packets) :
               offset[7:6] == 2'd1 ? (offset[2] ? reply_flits : request_flits) :
                                     (offset[2] ? reply_stalls : request_stalls);
    if (rst_ni && past_q) begin
      answers_in_the_next_cycle_once : assert (register_done_o == (was_asked_q && !was_done_q));
      if (register_done_o) begin
        refuses_all_else :
        assert (register_response_o.status == (was_good_q ? mu_pkg::STATUS_OK : mu_pkg::STATUS_REGISTER_UNKNOWN));
        tells_what_is_shown : assert (register_response_o.data == (was_good_q ? {shown_q, shown_q} : 64'd0));
      end else silent_else : assert (register_response_o == '0);
      busy_until_counted : assert (busy_o == (register_done_o || busy[2:0] != '0) && reply_busy_o == (busy[5:3] != '0));
    end
  end
