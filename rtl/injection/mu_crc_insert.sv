// SPDX-License-Identifier: Apache-2.0
// mu_crc_insert: the last stage before the router: writes the CRC-32C into the trailer of every packet.
//
//   in (valid/ready/head/tail/data) ---> [ a flit ] ---> [ state over the packet ] ---> out (the same)
//
// Behaviour: flits leave as they came, in order, but for bits 127:96 of each tail flit: the inverse of the
//   CRC-32C over all earlier flits of the packet and bits 95:0 of this one. The outputs hold until taken.
// Latency: one cycle; a flit a cycle. The CRC of a tail comes late in the cycle, all else from registers:
//   what comes in is data of block RAM, too slow to be looked at.
// Limits: packets are framed head first, tail last, at least two flits (asserted); bits 127:96 of a tail flit
//   are ignored.
`default_nettype none

module mu_crc_insert (
    input  logic               clk_i,
    input  logic               rst_ni,
    output logic               busy_o,
    // packet buffer
    input  logic               in_valid_i,
    output logic               in_ready_o,
    input  logic               in_head_i,
    input  logic               in_tail_i,
    input  mu_pkg::flit_data_t in_data_i,
    // router
    output logic               out_valid_o,
    input  logic               out_ready_i,
    output logic               out_head_o,
    output logic               out_tail_o,
    output mu_pkg::flit_data_t out_data_o
);
  logic               valid_q;
  logic               head_q;
  logic               tail_q;
  mu_pkg::flit_data_t data_q;
  logic               open_q;  // inside a packet
  logic [31:0]        crc_q;
  logic [31:0]        crc;
  logic               take;

  assign in_ready_o  = !valid_q || out_ready_i;
  assign take        = in_valid_i && in_ready_o;
  assign busy_o      = valid_q;
  assign out_valid_o = valid_q;
  assign out_head_o  = head_q;
  assign out_tail_o  = tail_q;
  assign out_data_o  = tail_q ? {~crc, data_q[95:0]} : data_q;

  mu_crc32c u_crc32c (
      .enable_i (valid_q),
      .trailer_i(tail_q),
      .crc_i    (head_q ? '1 : crc_q),
      .data_i   (data_q),
      .crc_o    (crc)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      open_q  <= 1'b0;
    end else begin
      if (in_ready_o) valid_q <= in_valid_i;
      if (take) open_q <= !in_tail_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      head_q <= in_head_i;
      tail_q <= in_tail_i;
      data_q <= in_data_i;
    end
    if (valid_q && out_ready_i) crc_q <= crc;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      head_exactly_at_the_start : assert (!in_valid_i || in_head_i == !open_q);
      tail_never_at_the_start : assert (!in_valid_i || !(in_tail_i && in_head_i));
    end
  end

`ifdef FORMAL
  logic         past_q = 1'b0;
  logic         held_q = 1'b0;
  logic [161:0] held_flit_q;  // and the state before it, of which its CRC is
  always_ff @(posedge clk_i) begin
    past_q      <= 1'b1;
    held_q      <= rst_ni && valid_q && !out_ready_i;
    held_flit_q <= {head_q, tail_q, data_q, crc_q};
    if (past_q && rst_ni && held_q)
      output_holds_until_taken : assert (valid_q && held_flit_q == {head_q, tail_q, data_q, crc_q});
  end
`endif

`ifdef PROVE_MU_CRC_INSERT
  // What is proved of mu_crc_insert: every flit leaves once, in order and as it came, but for the CRC of a
  // tail; there is room whenever none is inside or the router takes; what is offered stands. What the CRC is,
  // is proved of mu_crc32c, and that it is over the packet is for the unit test.
  logic         inside_q;     // a flit
  logic         in_packet_q;
  logic [129:0] flit_q;       // tail, head, data as it came
  logic         takes, gives;
  assign takes = in_valid_i && in_ready_o;
  assign gives = out_valid_o && out_ready_i;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!in_valid_i || (in_head_i == !in_packet_q && !(in_head_i && in_tail_i)));
  end
  always_ff @(posedge clk_i) begin
    if (takes) flit_q <= {in_tail_i, in_head_i, in_data_i};
    if (!rst_ni) {inside_q, in_packet_q} <= '0;
    else begin
      if (takes) {inside_q, in_packet_q} <= {1'b1, !in_tail_i};
      else if (gives) inside_q <= 1'b0;
      if (past_q) begin
        ready_if_there_is_room : assert (in_ready_o == (!inside_q || out_ready_i));
        offers_what_is_inside : assert (out_valid_o == inside_q && busy_o == inside_q);
        if (inside_q) begin
          as_it_came :
          assert ({out_tail_o, out_head_o, out_data_o[95:0]} == {flit_q[129:128], flit_q[95:0]});
          but_for_the_crc_of_a_tail : assert (out_tail_o || out_data_o[127:96] == flit_q[127:96]);
        end
        // What the above rests on.
        knows_where_a_packet_is_open : assert (open_q == in_packet_q);
      end
    end
  end
`endif
endmodule
`default_nettype wire
