// SPDX-License-Identifier: Apache-2.0
// mu_read_share: two requesters on one reader of the memory port.
//
//   first: command --+--> [ who reads ] ---> read_o (command)
//   second: command -+         |
//   beats of each <------------+------------ beat_i
//
// Behaviour: commands of one requester go on until the other asks; then it waits until all that it has asked
//   for has come, and the other has its turn. So each sees a reader of its own, in the order of its commands.
// Latency: none; a change of turn one cycle behind the last beat.
// Limits: at most OUTSTANDING commands whose beats have not all come; further ones wait.
`default_nettype none

module mu_read_share #(
    parameter  int unsigned OUTSTANDING = 4,
    localparam int unsigned COUNT_BITS  = $clog2(OUTSTANDING + 1)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    output logic                  busy_o,
    // requesters
    input  mu_pkg::read_request_t first_i,
    output logic                  first_ready_o,
    output mu_pkg::read_beat_t    first_beat_o,
    input  mu_pkg::read_request_t second_i,
    output logic                  second_ready_o,
    output mu_pkg::read_beat_t    second_beat_o,
    // memory port
    output mu_pkg::read_request_t read_o,
    input  logic                  read_ready_i,
    input  mu_pkg::read_beat_t    beat_i
);
  logic                  second_q;  // whose turn it is
  logic [COUNT_BITS-1:0] count_q;   // commands whose beats have not all come
  logic                  served_q;   // it has had a command since the turn changed
  logic                  offered_q;  // a command that was not taken stands
  logic                  none, full, taken, ends, own_waits, other_waits;

  assign none           = count_q == '0;
  assign full           = count_q == COUNT_BITS'(OUTSTANDING);
  assign own_waits      = second_q ? second_i.valid : first_i.valid;
  assign other_waits    = second_q ? first_i.valid : second_i.valid;
  assign taken          = read_o.valid && read_ready_i;
  assign ends           = beat_i.valid && beat_i.last;
  assign first_ready_o  = taken && !second_q;
  assign second_ready_o = taken && second_q;
  assign busy_o         = !none;

  always_comb begin
    read_o       = second_q ? second_i : first_i;
    read_o.valid = own_waits && !full && (offered_q || !(other_waits && served_q));
  end
  always_comb begin
    first_beat_o        = beat_i;
    second_beat_o       = beat_i;
    first_beat_o.valid  = beat_i.valid && !second_q;
    second_beat_o.valid = beat_i.valid && second_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      second_q  <= 1'b0;
      served_q  <= 1'b0;
      offered_q <= 1'b0;
      count_q   <= '0;
    end else begin
      count_q   <= count_q + COUNT_BITS'(taken) - COUNT_BITS'(ends);
      offered_q <= read_o.valid && !read_ready_i;
      if (none && other_waits && !read_o.valid) begin
        second_q <= !second_q;
        served_q <= 1'b0;
      end else if (taken) served_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      beats_of_a_command : assert (!beat_i.valid || !none);
      counts_its_commands : assert (count_q <= COUNT_BITS'(OUTSTANDING));
    end
  end

`ifdef PROVE_MU_READ_SHARE
  // What is proved of mu_read_share: the beats of a command go to who has asked for it, for all commands
  // under way are of one requester; a command that is offered stands until it is taken, and is the one of
  // whose turn it is; no more than OUTSTANDING are under way; while one waits, the other is not given the
  // reader for ever.
  logic                  past_q = 1'b0;
  logic [COUNT_BITS-1:0] first_count_q, second_count_q;
  logic                  first_stands_q, second_stands_q, offered_second_q, was_offered_q;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!first_stands_q || first_i.valid);
    assume (!second_stands_q || second_i.valid);
    assume (!beat_i.valid || count_q != '0);
  end
  always_ff @(posedge clk_i) begin
    past_q           <= 1'b1;
    first_stands_q   <= rst_ni && first_i.valid && !first_ready_o;
    second_stands_q  <= rst_ni && second_i.valid && !second_ready_o;
    was_offered_q    <= rst_ni && read_o.valid && !read_ready_i;
    offered_second_q <= second_q;
    if (!rst_ni) {first_count_q, second_count_q} <= '0;
    else begin
      first_count_q  <= first_count_q + COUNT_BITS'(first_ready_o) -
          COUNT_BITS'(first_beat_o.valid && beat_i.last);
      second_count_q <= second_count_q + COUNT_BITS'(second_ready_o) -
          COUNT_BITS'(second_beat_o.valid && beat_i.last);
      if (past_q) begin
        counts_all : assert (count_q == first_count_q + second_count_q);
        of_one_requester : assert (second_q ? first_count_q == '0 : second_count_q == '0);
        a_beat_to_who_asked :
        assert ((!first_beat_o.valid || first_count_q != '0) &&
                (!second_beat_o.valid || second_count_q != '0));
        every_beat_to_one : assert (beat_i.valid == (first_beat_o.valid ^ second_beat_o.valid));
        takes_what_is_there :
        assert ((!first_ready_o || (first_i.valid && read_o.command == first_i.command)) &&
                (!second_ready_o || (second_i.valid && read_o.command == second_i.command)));
        if (was_offered_q) offered_stands : assert (read_o.valid && second_q == offered_second_q);
        if (read_o.valid && !offered_q && other_waits) turns_change : assert (!served_q);
        remembers_what_it_offers : assert (offered_q == was_offered_q);
        if (!full && own_waits && !other_waits) alone_is_not_held_up : assert (read_o.valid);
        if (none && other_waits && !own_waits) gives_up_what_it_does_not_need : assert (!read_o.valid);
      end
    end
  end
`endif
endmodule
`default_nettype wire
