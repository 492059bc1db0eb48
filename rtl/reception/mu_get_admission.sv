// SPDX-License-Identifier: Apache-2.0
// mu_get_admission: asks the queue engine for the slots of one GET packet: a start or a refusal.
//
//   start_i, queue, count ---> [ reserve, wait ] ---> get_reserve (valid/ready/queue, count, reflected)
//   get_slots (valid, slots) -----------------------> admitted_o + where, or refuse_o + status
//
// Behaviour: after start_i the reservation is offered until taken; after get_slots_valid_i has come, either
//   admitted_o with the place of the slots or refuse_o with the queue engine's status is high for one cycle.
// Latency: reservation valid the cycle after start_i; the verdict in the cycle after get_slots_valid_i.
// Limits: start_i only while idle_o; one answer for each reservation, in a later cycle (both asserted).
`default_nettype none

module mu_get_admission (
    input  logic                clk_i,
    input  logic                rst_ni,
    output logic                idle_o,
    // control and receiver; the packet stays until the verdict
    input  logic                start_i,
    input  logic [7:0]          queue_i,
    input  logic [3:0]          count_i,
    input  logic                reflected_i,
    // queue engine
    output logic                get_reserve_valid_o,
    input  logic                get_reserve_ready_i,
    output logic [7:0]          get_reserve_queue_o,
    output logic [3:0]          get_reserve_count_o,
    output logic                get_reserve_reflected_o,
    input  logic                get_slots_valid_i,
    input  mu_pkg::ring_slots_t get_slots_i,
    // verdict
    output logic                admitted_o,
    output mu_pkg::address_t    address_o,
    output logic [3:0]          first_count_o,  // descriptors in the first part, of 64 bytes each
    output logic                split_o,
    output mu_pkg::address_t    second_address_o,
    output logic [2:0]          second_count_o,
    output logic                refuse_o,
    output mu_pkg::status_e     refuse_status_o
);
  logic             reserve_q;  // offers the reservation
  logic             wait_q;     // waits for the slots
  mu_pkg::address_t address;
  logic [9:0]       bytes;
  logic             split;
  logic [9:0]       second_bytes;
  logic             unused_bits;

  assign idle_o                  = !reserve_q && !wait_q && !admitted_o && !refuse_o;
  assign get_reserve_valid_o     = reserve_q;
  assign get_reserve_queue_o     = queue_i;
  assign get_reserve_count_o     = count_i;
  assign get_reserve_reflected_o = reflected_i;
  assign unused_bits             = ^{get_slots_i.size[31:25], bytes[5:0], second_bytes[9], second_bytes[5:0]};

  mu_ring_span #(
      .SLOT_BYTES_LOG2(6)
  ) u_span (
      .enable_i      (get_slots_valid_i),
      .base_i        (get_slots_i.base),
      .size_i        (get_slots_i.size[24:0]),
      .position_i    (get_slots_i.position),
      .slots_i       (count_i),
      .address_o     (address),
      .bytes_o       (bytes),
      .split_o       (split),
      .second_bytes_o(second_bytes)
  );

  always_ff @(posedge clk_i) begin
    admitted_o <= rst_ni && get_slots_valid_i && get_slots_i.status == mu_pkg::STATUS_OK;
    refuse_o   <= rst_ni && get_slots_valid_i && get_slots_i.status != mu_pkg::STATUS_OK;
    if (get_slots_valid_i) begin
      refuse_status_o  <= get_slots_i.status;
      address_o        <= address;
      first_count_o    <= bytes[9:6];
      split_o          <= split;
      second_address_o <= get_slots_i.base;
      second_count_o   <= second_bytes[8:6];
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      reserve_q <= 1'b0;
      wait_q    <= 1'b0;
    end else begin
      if (start_i) reserve_q <= 1'b1;
      else if (get_reserve_ready_i) reserve_q <= 1'b0;
      if (reserve_q && get_reserve_ready_i) wait_q <= 1'b1;
      else if (get_slots_valid_i) wait_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      starts_only_when_idle : assert (!start_i || idle_o);
      slots_only_when_awaited : assert (!get_slots_valid_i || wait_q);
      one_step_at_a_time : assert (!(reserve_q && wait_q));
      counts_what_a_get_may_hold :
      assert (!reserve_q || (count_i != '0 && 32'(count_i) <= mu_pkg::GET_DESCRIPTORS));
    end
  end

`ifdef PROVE_MU_GET_ADMISSION
  // What is proved of mu_get_admission: each start asks for slots once and gets one verdict, in the cycle
  // after the answer: admitted exactly with OK, and then the parts that it names hold all its descriptors
  // inside the ring.
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
`endif
endmodule
`default_nettype wire
