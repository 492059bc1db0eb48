// SPDX-License-Identifier: Apache-2.0
// mu_link: one way of a cable between two routers, as a delay line whose length is set at run time.
//
//   flit, credit of the sender ---> [ latency_i - 1 registers ] ---> flit, credit at the receiver
//
// Behaviour: what stands at the input in one cycle stands at the output latency_i - 1 cycles later; the
//   register at the sender's output is the first of the link's latency_i. So 1 is a wire.
// Latency: latency_i - 1 cycles; a flit and a credit of each class a cycle.
// Limits: latency_i 1 to LONGEST, changed only while nothing is on the link (asserted for flits). The other
//   outputs are zero without valid_o.
`default_nettype none

module mu_link #(
    parameter int unsigned LONGEST = 32  // latency that can be set: a power of two, 4 or more
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic [$clog2(LONGEST):0] latency_i,
    // sender
    input  logic                     valid_i, head_i, tail_i, reply_i,
    input  mu_pkg::flit_data_t       data_i,
    input  logic [1:0]               credit_i,
    // receiver
    output logic                     valid_o, head_o, tail_o, reply_o,
    output mu_pkg::flit_data_t       data_o,
    output logic [1:0]               credit_o
);
  // The flits on the link wait in a FIFO; bit k of a history says what entered k + 1 cycles ago.
  localparam int unsigned POINTER_BITS = $clog2(LONGEST);

  logic [mu_pkg::FLIT_BITS+2:0] flits[LONGEST];
  logic [POINTER_BITS-1:0]      write_q;
  logic [POINTER_BITS-1:0]      read_q;
  logic [LONGEST-2:0]           valid_q;
  logic [LONGEST-2:0]           request_credit_q;
  logic [LONGEST-2:0]           reply_credit_q;
  logic [POINTER_BITS:0]        latency_q;
  logic [POINTER_BITS-1:0]      age;
  logic                         direct;
  logic                         arrives;

  assign direct  = 32'(latency_i) == 32'd1;
  assign age     = POINTER_BITS'(32'(latency_i) - 32'd2);
  assign arrives = !direct && valid_q[age];

  assign valid_o  = direct ? valid_i : arrives;
  assign credit_o = direct ? credit_i : {reply_credit_q[age], request_credit_q[age]};

  always_comb begin
    {head_o, tail_o, reply_o, data_o} = '0;
    if (arrives) {head_o, tail_o, reply_o, data_o} = flits[read_q];
    else if (direct && valid_i) {head_o, tail_o, reply_o, data_o} = {head_i, tail_i, reply_i, data_i};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q          <= '0;
      request_credit_q <= '0;
      reply_credit_q   <= '0;
    end else begin
      if (valid_i || valid_q != '0) valid_q <= {valid_q[LONGEST-3:0], valid_i};
      if (credit_i != '0 || (request_credit_q | reply_credit_q) != '0) begin
        request_credit_q <= {request_credit_q[LONGEST-3:0], credit_i[0]};
        reply_credit_q   <= {reply_credit_q[LONGEST-3:0], credit_i[1]};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else if (!direct) begin
      if (valid_i) write_q <= write_q + 1'b1;
      if (arrives) read_q <= read_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (valid_i && !direct) flits[write_q] <= {head_i, tail_i, reply_i, data_i};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) latency_q <= latency_i;
    else if (latency_i != latency_q) latency_q <= latency_i;
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      latency_is_legal : assert (latency_i != '0 && 32'(latency_i) <= LONGEST);
      changes_only_when_empty : assert (latency_i == latency_q || valid_q == '0);
    end
  end

`ifdef PROVE_MU_LINK
  // What is proved of mu_link, of any flit: it arrives, as it was sent, latency_i - 1 cycles later, and
  // nothing else arrives in that cycle; credits likewise; without a flit the outputs are zero. With LONGEST
  // 8, for counting the flits on the link is what takes the time.
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
      histories : assert (valid_q == entered_q && request_credit_q == credits_0_q &&
          reply_credit_q == credits_1_q);
      pointers_part_by_what_is_on_the_link :
      assert (apart == (direct ? POINTER_BITS'(0) : on_the_link_number));
      if (watched_q) begin
        it_is_on_the_link : assert (!direct && since_q != '0 && 32'(since_q) < 32'(latency_i) &&
            valid_q[since_q-1'b1]);
        waits_in_its_slot : assert (flits[slot_q] == flit_q && ahead == before_it_number);
      end
    end
  end
`endif
endmodule
`default_nettype wire
