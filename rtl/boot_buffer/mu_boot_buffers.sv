// SPDX-License-Identifier: Apache-2.0
// mu_boot_buffers: the boot buffer of each client: keeps packets for processes that are not there yet.
//
//   operation (FIFO table, control) ---> [ pointers ] ---> room_o, elsewhere_o
//   entry_i (header, trailer), beats ---> [ store ] ---> [ slots ] ---> [ drain ] ---> packet, beats (out_*)
//   register bus ---> [ access ] ---> answer
//
// Behaviour: as mu_boot_pointers, mu_boot_store and mu_boot_drain say; start_i stores the
//   packet of the lookup. A register read is answered with OK or REGISTER_UNKNOWN, every write with the
//   latter. tail.open is high while a FIFO takes packets into the buffer or one is on its way there.
// Latency: register access two cycles, more while the FIFO table, the store or the drain is at work; a packet
//   its slots and one cycle.
// Limits: start_i only with lookup, room_o and idle_o, and not while out_shows_o; of at most PACKET_SLOTS
//   slots. Slots are not reset.
// two-readers: hold:register_request_i[63:8]=0 hold:register_request_i[83:73]=0x200
// two-readers: hold:register_request_i[89:88]=2 hold:operation_i[23:16]=1 hold:operation_i[15:8]=0
// two-readers: hold:operation_i[7:4]=0
// two-readers: seen=8
`default_nettype none

module mu_boot_buffers #(
    parameter  int unsigned CLIENTS      = mu_pkg::CLIENTS,
    parameter  int unsigned SLOTS        = mu_pkg::BOOT_SLOTS,
    parameter  int unsigned PACKET_SLOTS = 1 + mu_pkg::PAYLOAD_BYTES / mu_pkg::FIFO_SLOT_BYTES,
    parameter  int unsigned BITS         = 256,
    parameter  int unsigned INDEX_BITS   = 32,
    localparam int unsigned SLOT_BITS    = $clog2(SLOTS),
    localparam int unsigned LEFT_BITS    = $clog2(PACKET_SLOTS + 1)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    output logic                       busy_o,
    output logic                       idle_o,  // of the store
    // register bus
    input  logic                       register_valid_i,
    input  mu_pkg::register_request_t  register_request_i,
    output logic                       register_done_o,
    output mu_pkg::register_response_t register_response_o,
    // reception FIFO table
    input  mu_pkg::boot_operation_t    operation_i,
    input  logic                       refuse_i,
    input  logic                       start_i,
    output logic                       room_o,
    output logic                       elsewhere_o,
    // receiver
    input  logic [BITS-1:0]            entry_i,  // trailer, header
    input  logic                       beat_valid_i,
    output logic                       beat_ready_o,
    input  logic [BITS-1:0]            beat_data_i,
    output logic                       packet_done_o,
    // packets that leave a buffer
    input  logic                       engaged_i,
    output logic                       hides_o,
    output logic                       out_shows_o,
    output logic [3:0]                 out_client_o,  // while out_shows_o is high
    output logic                       out_packet_valid_o,
    output logic [BITS-1:0]            out_entry_o,  // while out_packet_valid_o is high
    input  logic                       out_taken_i,
    input  logic                       out_packet_done_i,
    output logic                       out_beat_valid_o,
    input  logic                       out_beat_ready_i,
    output logic [BITS-1:0]            out_beat_data_o
);
  localparam int unsigned CLIENT_BITS  = CLIENTS > 1 ? $clog2(CLIENTS) : 1;
  localparam int unsigned ROW_BITS     = CLIENT_BITS + SLOT_BITS;

  (* no_rw_check *) logic [LEFT_BITS+BITS-1:0] mem[1 << ROW_BITS];

  // --- the packet that is coming in ------------------------------------------------------------------
  logic                 coming, write, publish_valid, publish_ready;
  logic [3:0]           store_client;
  logic [SLOT_BITS-1:0] free_slot, write_slot;
  logic [BITS-1:0]      write_data;
  logic [7:0]           publish_slots, write_left;

  mu_boot_store #(
      .SLOTS      (SLOTS),
      .BITS       (BITS),
      .LEFT_BITS  (LEFT_BITS),
      .CLIENT_BITS(CLIENT_BITS)
  ) u_store (
      .clk_i, .rst_ni, .start_valid_i(start_i), .start_client_i(operation_i.client),
      .start_slot_i(free_slot), .start_slots_i(operation_i.slots), .idle_o, .coming_o(coming),
      .client_o(store_client), .opened_i(operation_i.switches && operation_i.opens),
      .opened_client_i(operation_i.client), .entry_i, .beat_valid_i, .beat_ready_o,
      .beat_data_i, .packet_done_o, .write_o(write), .write_slot_o(write_slot),
      .write_data_o(write_data), .write_left_o(write_left), .publish_valid_o(publish_valid),
      .publish_ready_i(publish_ready), .publish_slots_o(publish_slots)
  );

  always_ff @(posedge clk_i) begin
    if (write)
      mem[{store_client[CLIENT_BITS-1:0], write_slot}] <= {write_left[LEFT_BITS-1:0], write_data};
  end

  // --- the packet that goes out ----------------------------------------------------------------------
  logic [CLIENTS-1:0]        draining;
  logic                      drain_busy, drain_valid, drain_ready, drain_left, read;
  logic [3:0]                drain_client;
  logic [7:0]                drain_slots;
  logic [SLOT_BITS-1:0]      drain_slot, read_slot;
  logic [LEFT_BITS+BITS-1:0] read_q;

  mu_boot_drain #(
      .CLIENTS  (CLIENTS),
      .SLOTS    (SLOTS),
      .BITS     (BITS),
      .LEFT_BITS(LEFT_BITS)
  ) u_drain (
      .clk_i, .rst_ni, .busy_o(drain_busy), .draining_i(draining), .drain_valid_o(drain_valid),
      .drain_ready_i(drain_ready), .drain_client_o(drain_client), .drain_slots_o(drain_slots),
      .drain_slot_i(drain_slot), .drain_left_i(drain_left), .read_o(read), .read_slot_o(read_slot),
      .read_data_i(read_q[BITS-1:0]), .read_left_i(read_q[BITS+:LEFT_BITS]), .engaged_i, .hides_o,
      .shows_o(out_shows_o), .packet_valid_o(out_packet_valid_o), .entry_o(out_entry_o),
      .taken_i(out_taken_i), .packet_done_i(out_packet_done_i), .beat_valid_o(out_beat_valid_o),
      .beat_ready_i(out_beat_ready_i), .beat_data_o(out_beat_data_o)
  );

  always_ff @(posedge clk_i) begin
    if (read) read_q <= mem[{drain_client[CLIENT_BITS-1:0], read_slot}];
  end

  assign out_client_o = drain_client;

  // --- register access -------------------------------------------------------------------------------
  logic                  wanted;
  logic                  ready;
  logic [7:0]            index;
  logic [3:0]            client;
  logic                  exists;
  logic                  open;
  logic [INDEX_BITS-1:0] head, tail, refused;
  mu_pkg::boot_buffer_tail_t tail_register;
  mu_pkg::status_e       shape;
  mu_pkg::status_e       status;
  logic [63:0]           answer;
  logic                  unused_bits;

  assign wanted      = register_valid_i && !register_done_o;
  assign client      = index[3:0];
  assign exists      = 32'(index) < CLIENTS;
  assign status      = exists ? shape : mu_pkg::STATUS_REGISTER_UNKNOWN;
  assign unused_bits = ^write_left;

  assign tail_register.tail = 32'(tail);
  assign tail_register.open = open || (coming && store_client == client);

  mu_boot_buffer_decode u_decode (
      .valid_i  (wanted),
      .request_i(register_request_i),
      .index_o  (index),
      .status_o (shape),
      .data_o   (answer),
      .head_i   (32'(head)),
      .tail_i   (tail_register),
      .refused_i(32'(refused))
  );

  mu_boot_pointers #(
      .CLIENTS   (CLIENTS),
      .SLOTS     (SLOTS),
      .INDEX_BITS(INDEX_BITS)
  ) u_pointers (
      .clk_i, .rst_ni, .lookup_i(operation_i.lookup), .switch_i(operation_i.switches),
      .opens_i(operation_i.opens), .drains_i(operation_i.drains), .table_client_i(operation_i.client),
      .table_fifo_i(operation_i.fifo), .lookup_slots_i(operation_i.slots), .refuse_i(refuse_i),
      .room_o, .slot_o(free_slot), .elsewhere_o,
      .publish_valid_i(publish_valid), .publish_ready_o(publish_ready), .publish_client_i(store_client),
      .publish_slots_i(publish_slots), .draining_o(draining), .drain_valid_i(drain_valid),
      .drain_ready_o(drain_ready), .drain_client_i(drain_client), .drain_slots_i(drain_slots),
      .drain_slot_o(drain_slot), .drain_left_o(drain_left), .access_valid_i(wanted),
      .access_ready_o(ready), .access_client_i(client), .access_open_o(open), .access_head_o(head),
      .access_tail_o(tail), .access_refused_o(refused)
  );

  assign busy_o = !idle_o || drain_busy || register_done_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      register_done_o     <= 1'b0;
      register_response_o <= '0;
    end else begin
      register_done_o <= wanted && ready;
      if (wanted && ready) begin
        register_response_o.status <= status;
        register_response_o.data   <= exists ? answer : '0;
      end else if (register_done_o) register_response_o <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      starts_a_packet_with_room : assert (!start_i || (operation_i.lookup && room_o && !refuse_i));
      starts_a_packet_of_the_network : assert (!start_i || !out_shows_o);
      starts_a_packet_that_may_be : assert (!start_i || 32'(operation_i.slots) <= PACKET_SLOTS);
      drains_when_nothing_comes : assert (!drain_valid || idle_o);
      one_register_access_at_a_time : assert (!(operation_i.switches && register_valid_i));
      register_request_stands : assert (!register_done_o || register_valid_i);
      answer_is_zero_unless_done : assert (register_done_o || register_response_o == '0);
    end
  end
endmodule
`default_nettype wire
