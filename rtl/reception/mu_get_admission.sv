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
    input  logic                  clk_i,
    input  logic                  rst_ni,
    output logic                  idle_o,
    // control and receiver; the packet stays until the verdict
    input  logic                  start_i,
    input  logic [7:0]            queue_i,
    input  logic [3:0]            count_i,
    input  logic                  reflected_i,
    // queue engine
    output logic                  get_reserve_valid_o,
    input  logic                  get_reserve_ready_i,
    output logic [7:0]            get_reserve_queue_o,
    output logic [3:0]            get_reserve_count_o,
    output logic                  get_reserve_reflected_o,
    input  logic                  get_slots_valid_i,
    input  mu_pkg::ring_slots_t   get_slots_i,
    // verdict
    output logic                  admitted_o,
    output logic [39:0]           address_o,
    output logic [3:0]            first_count_o,     // descriptors in the first part, of 64 bytes each
    output logic                  split_o,
    output logic [39:0]           second_address_o,
    output logic [2:0]            second_count_o,
    output logic                  refuse_o,
    output mu_pkg::status_e       refuse_status_o
);
  logic       reserve_q;  // offers the reservation
  logic       wait_q;     // waits for the slots
  logic [39:0] address;
  logic [9:0]  bytes;
  logic        split;
  logic [9:0]  second_bytes;
  logic        unused_bits;

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
endmodule
`default_nettype wire
