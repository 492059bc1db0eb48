// SPDX-License-Identifier: Apache-2.0
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
