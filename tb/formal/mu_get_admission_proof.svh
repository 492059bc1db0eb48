// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_get_admission: each start asks for slots once and gets one verdict, in the cycle
// after the answer: admitted exactly with OK, and then the parts that it names hold all its descriptors inside
// the ring.
  logic                past_q = 1'b0;
  logic                asks_q, waits_q;  // since a start; since the question was taken
  logic                asked_q;          // the question was not taken
  logic [12:0]         question_q;
  logic                slots_q = 1'b0;   // the answer came in the cycle before
  mu_pkg::ring_slots_t of_q;
  logic [63:0]         ring_end, ring_end_q, last, position, position_q;
  assign position   = 64'(get_slots_i.position);
  assign position_q = 64'(of_q.position);
  assign ring_end   = 64'(get_slots_i.base) + (64'(get_slots_i.size[24:0]) << 6);
  assign ring_end_q = 64'(of_q.base) + (64'(of_q.size[24:0]) << 6);
  assign last     = 64'(address_o) + (64'(first_count_o) << 6);
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!start_i || idle_o);
    assume (!get_slots_valid_i || waits_q);
    assume (count_i != '0 && 32'(count_i) <= mu_pkg::GET_DESCRIPTORS);
    // The packet stays until the verdict.
    if (asks_q || waits_q || slots_q) assume ({queue_i, count_i, reflected_i} == question_q);
    // A ring of the queue engine, if there is one.
    if (get_slots_valid_i && get_slots_i.status == mu_pkg::STATUS_OK) begin
      assume (position < 64'(get_slots_i.size[24:0]) && 32'(count_i) <= 32'(get_slots_i.size[24:0]));
      assume (ring_end <= 64'h100_0000_0000);
    end
  end
  always_ff @(posedge clk_i) begin
    past_q     <= 1'b1;
    slots_q    <= rst_ni && get_slots_valid_i;
    of_q       <= get_slots_i;
    question_q <= {queue_i, count_i, reflected_i};
    asked_q    <= rst_ni && get_reserve_valid_o && !get_reserve_ready_i;
    if (!rst_ni) {asks_q, waits_q} <= '0;
    else begin
      if (start_i) asks_q <= 1'b1;
      else if (get_reserve_valid_o && get_reserve_ready_i) {asks_q, waits_q} <= 2'b01;
      else if (get_slots_valid_i) waits_q <= 1'b0;
      if (past_q) begin
        follows_its_steps : assert (asks_q == reserve_q && waits_q == wait_q && !(asks_q && waits_q));
        asks_once : assert (get_reserve_valid_o == asks_q);
        asks_for_its_packet :
        assert ({get_reserve_queue_o, get_reserve_count_o, get_reserve_reflected_o} ==
                {queue_i, count_i, reflected_i});
        a_question_stands : assert (!asked_q || get_reserve_valid_o);
        idle_between : assert (idle_o == !(asks_q || waits_q || slots_q));
        one_verdict_for_each_answer : assert ((admitted_o || refuse_o) == slots_q);
        admitted_if_slots_are_there :
        assert (admitted_o == (slots_q && of_q.status == mu_pkg::STATUS_OK));
        one_of_both : assert (!(admitted_o && refuse_o));
        if (refuse_o) refused_with_its_status : assert (refuse_status_o == of_q.status);
        if (admitted_o) begin
          all_descriptors_have_a_place :
          assert (32'(first_count_o) + (split_o ? 32'(second_count_o) : 32'd0) == 32'(count_i));
          first_part_lies_in_the_ring :
          assert (64'(address_o) == 64'(of_q.base) + (position_q << 6) && last <= ring_end_q);
          second_part_begins_it :
          assert (!split_o || (second_address_o == of_q.base && last == ring_end_q));
        end
      end
    end
  end
