// SPDX-License-Identifier: Apache-2.0
// mu_write_arbiter: six writers share one memory writer; the first port goes first.
//
//   in 0 (command + beats) --+
//   in 1 ...                 +--> [ choose a command, stay for its beats ] --> out (command + beats)
//   in 5 --------------------+
//
// Behaviour: a command is passed on with the beats of its own port until the receiver has taken them all
//   (active_i low again). A port whose command had final_part low keeps the output until a command with
//   final_part high, so that the parts of one action stay together. No command overtakes within a port.
//   Where several ports offer a command the lowest goes first; but port 5, once PATIENCE actions of others
//   have gone before the one it offers, goes before all.
// Latency: combinational for commands and beats; ready of a beat only for the port being served.
// Limits: active_i rises in the cycle after a command was taken and falls after its last beat was taken.
//   A port that holds the output between two parts and sends none blocks the others: its owner promises
//   the second part without waiting for anything.
`default_nettype none

module mu_write_arbiter #(
    parameter int unsigned PATIENCE = 15
) (
    input  logic                                    clk_i,
    input  logic                                    rst_ni,
    // writers; port p takes bits p of the valids and slice p of the data
    input  logic [5:0]                              in_command_valid_i,
    output logic [5:0]                              in_command_ready_o,
    input  logic [6*mu_pkg::WRITE_COMMAND_BITS-1:0] in_command_data_i,
    input  logic [5:0]                              in_beat_valid_i,
    output logic [5:0]                              in_beat_ready_o,
    input  logic [6*256-1:0]                        in_beat_data_i,
    // the memory writer
    output logic                                    out_command_valid_o,
    input  logic                                    out_command_ready_i,
    output mu_pkg::write_command_t                  out_command_data_o,
    output logic                                    out_beat_valid_o,
    input  logic                                    out_beat_ready_i,
    output mu_pkg::memory_word_t                    out_beat_data_o,
    input  logic                                    active_i,
    output logic                                    busy_o
);
  localparam int unsigned COMMAND_WIDTH = mu_pkg::WRITE_COMMAND_BITS;

  logic [5:0] served_q;   // one-hot: the port of the command in progress, or the last one
  logic       between_q;  // it has sent a part that is not the last
  logic [5:0] eligible;
  logic [5:0] chosen;
  logic [5:0] passed;  // the port whose command is offered
  logic [5:0] beats;   // the port whose beat is offered
  logic       taken;
  logic       last_first;
  logic [$clog2(PATIENCE+1)-1:0] passed_q;  // commands of others while port 5 offers one

  assign last_first          = in_command_valid_i[5] && 32'(passed_q) == PATIENCE;
  assign eligible            = between_q ? in_command_valid_i & served_q :
                               last_first ? 6'b100000 : in_command_valid_i;
  assign chosen              = eligible & (~eligible + 6'd1);
  assign passed              = active_i ? '0 : chosen;
  assign out_command_valid_o = eligible != '0 && !active_i;
  assign in_command_ready_o  = out_command_ready_i && !active_i ? chosen : '0;
  assign taken               = out_command_valid_o && out_command_ready_i;

  always_comb begin
    (* parallel_case *) case (1'b1)
      passed[0]: out_command_data_o = in_command_data_i[0+:COMMAND_WIDTH];
      passed[1]: out_command_data_o = in_command_data_i[COMMAND_WIDTH+:COMMAND_WIDTH];
      passed[2]: out_command_data_o = in_command_data_i[2*COMMAND_WIDTH+:COMMAND_WIDTH];
      passed[3]: out_command_data_o = in_command_data_i[3*COMMAND_WIDTH+:COMMAND_WIDTH];
      passed[4]: out_command_data_o = in_command_data_i[4*COMMAND_WIDTH+:COMMAND_WIDTH];
      passed[5]: out_command_data_o = in_command_data_i[5*COMMAND_WIDTH+:COMMAND_WIDTH];
      default:   out_command_data_o = '0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      between_q <= 1'b0;
      passed_q  <= '0;
    end else if (taken) begin
      between_q <= !out_command_data_o.final_part;
      if (chosen[5]) passed_q <= '0;
      else if (in_command_valid_i[5] && !between_q && 32'(passed_q) != PATIENCE) passed_q <= passed_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (taken) served_q <= chosen;

  assign beats            = active_i ? in_beat_valid_i & served_q : '0;
  assign out_beat_valid_o = beats != '0;
  assign in_beat_ready_o  = active_i && out_beat_ready_i ? served_q : '0;
  always_comb begin
    (* parallel_case *) case (1'b1)
      beats[0]: out_beat_data_o = in_beat_data_i[255:0];
      beats[1]: out_beat_data_o = in_beat_data_i[511:256];
      beats[2]: out_beat_data_o = in_beat_data_i[767:512];
      beats[3]: out_beat_data_o = in_beat_data_i[1023:768];
      beats[4]: out_beat_data_o = in_beat_data_i[1279:1024];
      beats[5]: out_beat_data_o = in_beat_data_i[1535:1280];
      default:  out_beat_data_o = '0;
    endcase
  end

  assign busy_o = between_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (active_i || between_q) served_is_one_port : assert ($onehot(served_q));
      chosen_is_one_port : assert ($onehot0(chosen));
      if (taken && between_q) parts_stay_together : assert (chosen == served_q);
      no_command_within_another : assert (!(taken && active_i));
    end
  end

`ifdef PROVE_MU_WRITE_ARBITER
  // What is proved of mu_write_arbiter, of any one port: a command is taken with its own data, and then the
  // beats of its port alone pass; the parts of an action stay together; port 5 lets PATIENCE commands of
  // others go before the one it offers and no more; else the lowest goes first; and whoever offers is offered
  // on.
  (* anyconst *) logic [2:0] port_here;
  (* anyseq *) logic         last_beat;  // the beat that passes ends its command
  logic                     past_q = 1'b0;
  logic                     serving_q;   // a command was taken, its beats pass
  logic                     whole_q;     // no action is between two parts
  logic [2:0]               port_q;      // that was served last
  logic                     offers_5_q;  // port 5 offered a command that was not taken
  logic [31:0]              before_q;    // commands that went before the one of port 5
  logic [2:0]               port;
  logic [5:0]               lower;  // ports before the one that is taken
  logic [COMMAND_WIDTH-1:0] command_here;
  mu_pkg::memory_word_t     beat_here;
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
`endif
endmodule
`default_nettype wire
