// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_write_arbiter, of any one port: a command is taken with its own data, and then the
// beats of its port alone pass; the parts of an action stay together; port 5 lets PATIENCE commands of
// others go before the one it offers and no more; else the lowest goes first; and whoever offers is offered
// on.
  (* anyconst *) logic [2:0] port_here;
  (* anyseq *) logic         last_beat;  // the beat that passes ends its command
  logic                      past_q = 1'b0;
  logic                      serving_q;   // a command was taken, its beats pass
  logic                      whole_q;     // no action is between two parts
  logic [2:0]                port_q;      // that was served last
  logic                      offers_5_q;  // port 5 offered a command that was not taken
  logic [31:0]               before_q;    // commands that went before the one of port 5
  logic [2:0]                port;
  logic [5:0]                lower;       // ports before the one that is taken
  logic [COMMAND_WIDTH-1:0]  command_here;
  logic [255:0]              beat_here;
  always_comb begin
    port  = '0;
    lower = '0;
    command_here = '0;
    beat_here    = '0;
    for (int unsigned i = 0; i < 6; i++) begin
      if (port_here == 3'(i)) command_here = in_command_data_i[i*COMMAND_WIDTH+:COMMAND_WIDTH];
      if (port_here == 3'(i)) beat_here = in_beat_data_i[i*256+:256];
    end
    for (int unsigned i = 0; i < 6; i++) if (in_command_ready_o[i]) port = port | 3'(i);
    for (int unsigned i = 0; i < 6; i++) lower[i] = 3'(i) < port;
    if (!past_q) assume (!rst_ni);
    assume (port_here < 3'd6);
    assume (active_i == serving_q);
    assume (!offers_5_q || in_command_valid_i[5]);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      {serving_q, before_q, offers_5_q} <= '0;
      whole_q <= 1'b1;
    end else begin
      offers_5_q <= in_command_valid_i[5] && !in_command_ready_o[5];
      if (taken) begin
        serving_q <= 1'b1;
        port_q    <= port;
        whole_q   <= out_command_data_o.final_part;
      end else if (out_beat_valid_o && out_beat_ready_i && last_beat) serving_q <= 1'b0;
      if (in_command_ready_o[5] || !in_command_valid_i[5]) before_q <= '0;
      else if (taken && whole_q) before_q <= before_q + 32'd1;
      if (past_q) begin
        one_is_taken : assert ($onehot0(in_command_ready_o));
        taken_as_it_is_passed_on : assert (taken == ((in_command_ready_o & in_command_valid_i) != '0));
        if (in_command_ready_o[port_here])
          taken_with_its_data : assert (in_command_valid_i[port_here] && out_command_data_o == command_here);
        if (taken && !whole_q) parts_of_one_action_follow : assert (port == port_q);
        if (taken && whole_q && before_q != PATIENCE)
          the_lowest_goes_first : assert ((in_command_valid_i & lower) == '0);
        if (!serving_q && whole_q && in_command_valid_i != '0) offers_if_one_does :
        assert (out_command_valid_o);
        if (!serving_q && !whole_q && in_command_valid_i[port_q])
          offers_the_next_part : assert (out_command_valid_o);
        never_within_a_command : assert (!(taken && serving_q));
        patient_but_not_for_ever : assert (before_q <= PATIENCE);
        if (in_beat_ready_o[port_here]) beats_of_its_port : assert (serving_q && port_q == port_here);
        if (serving_q && port_q == port_here) begin
          beats_pass :
          assert (out_beat_valid_o == in_beat_valid_i[port_here] &&
              in_beat_ready_o[port_here] == out_beat_ready_i);
          if (out_beat_valid_o) beats_as_they_are : assert (out_beat_data_o == beat_here);
        end
        if (!serving_q) no_beat_without_command : assert (!out_beat_valid_o && in_beat_ready_o == '0);
        busy_between_parts : assert (busy_o == !whole_q);
        // What the above rests on.
        serves_the_port : assert (!(serving_q || !whole_q) || served_q == 6'd1 << port_q);
        counts_those_before : assert (!in_command_valid_i[5] || 32'(passed_q) == before_q);
      end
    end
  end
