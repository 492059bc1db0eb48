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
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic [$clog2(LONGEST):0]     latency_i,
    // sender
    input  logic                         valid_i, head_i, tail_i, reply_i,
    input  logic [mu_pkg::FLIT_BITS-1:0] data_i,
    input  logic [1:0]                   credit_i,
    // receiver
    output logic                         valid_o, head_o, tail_o, reply_o,
    output logic [mu_pkg::FLIT_BITS-1:0] data_o,
    output logic [1:0]                   credit_o
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
endmodule
`default_nettype wire
