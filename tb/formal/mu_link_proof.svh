// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_link, of any flit: it arrives, as it was sent, latency_i - 1 cycles later, and nothing else
// arrives in that cycle; credits likewise; without a flit the outputs are zero. With LONGEST 8, for counting the flits on
// the link is what takes the time.
  (* anyseq *) logic watch;    // the flit that enters now is the one to follow
  logic        past_q = 1'b0;
  logic        watched_q;
  logic [POINTER_BITS-1:0] since_q;        // cycles since it entered
  logic [POINTER_BITS-1:0] slot_q;         // where it waits
  logic [mu_pkg::FLIT_BITS+2:0] flit_q;
  logic [LONGEST-2:0] before_it, on_the_link, entered_q, credits_0_q, credits_1_q;
  logic [LONGEST-2:0] within;         // of the history: has not arrived before this cycle
  localparam logic [LONGEST-2:0] ALL = {(LONGEST - 1){1'b1}};
  logic [POINTER_BITS-1:0] apart, ahead, on_the_link_number, before_it_number;
  assign apart = write_q - read_q;
  assign ahead = slot_q - read_q;
  always_comb begin
    on_the_link_number = '0;
    before_it_number   = '0;
    for (int unsigned i = 0; i < LONGEST - 1; i++) begin
      on_the_link_number = on_the_link_number + POINTER_BITS'(on_the_link[i]);
      before_it_number   = before_it_number + POINTER_BITS'(before_it[i]);
    end
  end
  assign within      = ~((ALL << 1) << age);
  assign on_the_link = valid_q & within;
  assign before_it   = on_the_link & (ALL << since_q);
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(latency_i) >= 32'd1 && 32'(latency_i) <= LONGEST);
    if (past_q && rst_ni) assume (latency_i == latency_q || valid_q == '0);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      watched_q <= 1'b0;
      {entered_q, credits_0_q, credits_1_q} <= '0;
    end else begin
      entered_q   <= {entered_q[LONGEST-3:0], valid_i};
      credits_0_q <= {credits_0_q[LONGEST-3:0], credit_i[0]};
      credits_1_q <= {credits_1_q[LONGEST-3:0], credit_i[1]};
      if (!watched_q && watch && valid_i && !direct) begin
        watched_q <= 1'b1;
        since_q   <= POINTER_BITS'(1);
        slot_q    <= write_q;
        flit_q    <= {head_i, tail_i, reply_i, data_i};
      end else if (watched_q) begin
        since_q <= since_q + 1'b1;
        if (32'(since_q) + 32'd1 == 32'(latency_i)) watched_q <= 1'b0;
      end
    end
  end
  always_comb begin
    if (past_q && rst_ni) begin
      if (direct) a_wire_at_latency_1 :
      assert (valid_o == valid_i && credit_o == credit_i &&
              (!valid_i || {head_o, tail_o, reply_o, data_o} == {head_i, tail_i, reply_i, data_i}));
      else begin
        flits_in_time : assert (valid_o == entered_q[32'(latency_i)-2]);
        credits_in_time : assert (credit_o == {credits_1_q[32'(latency_i)-2], credits_0_q[32'(latency_i)-2]});
        if (watched_q && 32'(since_q) + 32'd1 == 32'(latency_i)) arrives_as_it_was_sent :
        assert (valid_o && {head_o, tail_o, reply_o, data_o} == flit_q);
      end
      if (!valid_o) zero_without_a_flit : assert ({head_o, tail_o, reply_o, data_o} == '0);
      // What the above rests on.
      histories : assert (valid_q == entered_q && request_credit_q == credits_0_q && reply_credit_q == credits_1_q);
      pointers_part_by_what_is_on_the_link :
      assert (apart == (direct ? POINTER_BITS'(0) : on_the_link_number));
      if (watched_q) begin
        it_is_on_the_link : assert (!direct && since_q != '0 && 32'(since_q) < 32'(latency_i) && valid_q[since_q-1'b1]);
        waits_in_its_slot : assert (flits[slot_q] == flit_q && ahead == before_it_number);
      end
    end
  end
