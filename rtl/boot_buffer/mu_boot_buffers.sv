// SPDX-License-Identifier: Apache-2.0
// mu_boot_buffers: the boot buffer of each client: keeps packets for processes that are not there yet.
//
//   lookup, switch (from the FIFO table) ---> [ pointers ] ---> room_o, elsewhere_o
//   start_i, header, trailer, beats ---> [ store ] ---> [ slots ]
//   register bus -------------------> [ access ] <--- [ what is unread ] ---> answer
//
// Behaviour: as mu_boot_pointers and mu_boot_store say; start_i stores the packet of the lookup. A register
//   access is answered with OK or the first of REGISTER_UNKNOWN, REGISTER_PARTIAL, REGISTER_VALUE,
//   DOORBELL_RANGE. data shows slots in head..tail, everything else reads as zero whatever lies there:
//   nothing that was stored before the last opening can be read. tail.open is high while a FIFO takes
//   packets into the buffer or one is on its way there.
// Latency: register access three cycles, more while the FIFO table or the store is at work; a packet its
//   slots and one cycle.
// Limits: start_i only with lookup_i, room_o and idle_o. Slots are not reset.
// two-readers: hold:register_request_i[63:8]=0 hold:register_request_i[83:79]=8
// two-readers: hold:register_request_i[89:88]=2 hold:table_fifo_i[7:1]=0 below:table_client_i=mu_pkg::CLIENTS
// two-readers: seen=10
`default_nettype none

module mu_boot_buffers #(
    parameter  int unsigned CLIENTS    = mu_pkg::CLIENTS,
    parameter  int unsigned SLOTS      = mu_pkg::BOOT_SLOTS,
    parameter  int unsigned WORD_BITS  = 64,
    parameter  int unsigned INDEX_BITS = 32,
    localparam int unsigned BITS       = 4 * WORD_BITS,
    localparam int unsigned SLOT_BITS  = $clog2(SLOTS)
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
    input  logic                       lookup_i,
    input  logic                       switch_i,
    input  logic                       opens_i,
    input  logic [3:0]                 table_client_i,
    input  logic [7:0]                 table_fifo_i,
    input  logic [7:0]                 lookup_slots_i,
    input  logic                       refuse_i,
    input  logic                       start_i,
    output logic                       room_o,
    output logic                       elsewhere_o,
    // receiver
    input  logic [BITS-1:0]            entry_i,  // trailer, header
    input  logic                       beat_valid_i,
    output logic                       beat_ready_o,
    input  logic [BITS-1:0]            beat_data_i,
    output logic                       packet_done_o
);
  localparam int unsigned CLIENT_BITS = CLIENTS > 1 ? $clog2(CLIENTS) : 1;
  localparam int unsigned ROW_BITS    = CLIENT_BITS + SLOT_BITS;
  localparam int unsigned ENTRY_LSB   = 5;   // of a byte address in data
  localparam int unsigned CLIENT_LSB  = 13;  // of one in the block

  (* no_rw_check *) logic [BITS-1:0] mem[1 << ROW_BITS];

  // --- the packet that is coming in ------------------------------------------------------------------
  logic                 coming, write, publish_valid, publish_ready;
  logic [3:0]           store_client;
  logic [SLOT_BITS-1:0] free_slot, write_slot;
  logic [BITS-1:0]      write_data;
  logic [7:0]           publish_slots;

  mu_boot_store #(
      .SLOTS(SLOTS),
      .BITS (BITS)
  ) u_store (
      .clk_i, .rst_ni, .start_valid_i(start_i), .start_client_i(table_client_i), .start_slot_i(free_slot),
      .start_slots_i(lookup_slots_i), .idle_o, .coming_o(coming), .client_o(store_client),
      .opened_i(switch_i && opens_i), .opened_client_i(table_client_i), .entry_i, .beat_valid_i,
      .beat_ready_o, .beat_data_i, .packet_done_o, .write_o(write), .write_slot_o(write_slot),
      .write_data_o(write_data), .publish_valid_o(publish_valid), .publish_ready_i(publish_ready),
      .publish_slots_o(publish_slots)
  );

  always_ff @(posedge clk_i) begin
    if (write) mem[{store_client[CLIENT_BITS-1:0], write_slot}] <= write_data;
  end

  // --- register access: the row ----------------------------------------------------------------------
  logic                 wanted;   // an access that has not been looked at
  logic                 ready;
  logic [19:0]          offset;
  logic [3:0]           client;
  logic                 exists;
  logic                 window;   // it is for data
  logic                 is_write;
  logic                 open, unread, head_legal, write_head;
  logic [INDEX_BITS-1:0] head, tail, refused;
  logic [63:0]          asked;    // data of the request
  logic [7:0]           status;
  logic [63:0]          answer;
  logic                 unused_bits;

  logic                 looked_q;  // the answer below is that of the access
  logic                 slot_q;    // it is the word of a slot
  logic [1:0]           word_q;
  logic [7:0]           status_q;
  logic [63:0]          answer_q;
  logic [BITS-1:0]      read_q;

  assign wanted      = register_valid_i && !looked_q && !register_done_o;
  assign offset      = register_request_i.address - mu_pkg::BLOCK_BOOT_BUFFER_BASE;
  assign client      = offset[CLIENT_LSB+:4];
  assign exists      = !register_request_i.page && offset[19:17] == '0 && 32'(client) < CLIENTS;
  assign window      = !offset[12];
  assign is_write    = register_request_i.write;
  assign asked       = register_request_i.data;
  assign unused_bits = ^{offset[2:0], register_request_i};
  assign write_head  = wanted && exists && is_write && status == mu_pkg::STATUS_OK;

  always_comb begin
    status = mu_pkg::STATUS_OK;
    answer = '0;
    if (wanted) begin
      unique case ({7'd0, offset[12:3], 3'd0})
        mu_pkg::REG_BOOT_BUFFER_HEAD: begin
          answer = 64'(head);
          if (!is_write) status = mu_pkg::STATUS_OK;
          else if (!register_request_i.wide) status = mu_pkg::STATUS_REGISTER_PARTIAL;
          else if (asked[63:INDEX_BITS] != '0) status = mu_pkg::STATUS_REGISTER_VALUE;
          else if (!head_legal) status = mu_pkg::STATUS_DOORBELL_RANGE;
        end
        mu_pkg::REG_BOOT_BUFFER_TAIL: begin
          answer = {31'd0, open || (coming && store_client == client), 32'(tail)};
          if (is_write) status = mu_pkg::STATUS_REGISTER_UNKNOWN;
        end
        mu_pkg::REG_BOOT_BUFFER_REFUSED: begin
          answer = 64'(refused);
          if (is_write) status = mu_pkg::STATUS_REGISTER_UNKNOWN;
        end
        default: if (!window || is_write) status = mu_pkg::STATUS_REGISTER_UNKNOWN;
      endcase
      if (!exists) status = mu_pkg::STATUS_REGISTER_UNKNOWN;
      if (is_write || status != mu_pkg::STATUS_OK) answer = '0;
    end
  end

  mu_boot_pointers #(
      .CLIENTS   (CLIENTS),
      .SLOTS     (SLOTS),
      .INDEX_BITS(INDEX_BITS)
  ) u_pointers (
      .clk_i, .rst_ni, .lookup_i, .switch_i, .opens_i, .table_client_i, .table_fifo_i, .lookup_slots_i,
      .refuse_i, .room_o, .slot_o(free_slot), .elsewhere_o, .publish_valid_i(publish_valid),
      .publish_ready_o(publish_ready), .publish_client_i(store_client), .publish_slots_i(publish_slots),
      .access_valid_i(wanted), .access_ready_o(ready), .access_client_i(client),
      .access_slot_i(offset[ENTRY_LSB+:SLOT_BITS]), .access_head_i(asked[INDEX_BITS-1:0]),
      .access_write_i(write_head), .access_open_o(open), .access_head_o(head), .access_tail_o(tail),
      .access_refused_o(refused), .access_unread_o(unread), .access_head_legal_o(head_legal)
  );

  // --- register access: the slot, the answer ---------------------------------------------------------
  assign busy_o = !idle_o || looked_q || register_done_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) looked_q <= 1'b0;
    else looked_q <= wanted && ready;
    if (wanted && ready) begin
      slot_q   <= exists && window && !is_write && unread;
      word_q   <= offset[4:3];
      status_q <= status;
      answer_q <= answer;
    end
  end
  always_ff @(posedge clk_i) begin
    if (wanted && window) read_q <= mem[{client[CLIENT_BITS-1:0], offset[ENTRY_LSB+:SLOT_BITS]}];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      register_done_o     <= 1'b0;
      register_response_o <= '0;
    end else begin
      register_done_o <= looked_q;
      if (looked_q) begin
        register_response_o <= {status_q, slot_q ? 64'(read_q[word_q*WORD_BITS+:WORD_BITS]) : answer_q};
      end else if (register_done_o) register_response_o <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      starts_a_packet_with_room : assert (!start_i || (lookup_i && room_o && !refuse_i));
      one_register_access_at_a_time : assert (!(switch_i && register_valid_i));
      register_request_stands : assert (!looked_q || register_valid_i);
      answer_is_zero_unless_done : assert (register_done_o || register_response_o == '0);
    end
  end
endmodule
`default_nettype wire
