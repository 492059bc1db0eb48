// SPDX-License-Identifier: Apache-2.0
// mu_completion_queues: the completion queues: rings of 32-byte entries in memory that say what was done.
//
//   entry (valid/ready/queue, client, data) ---> [ one row at a time: ] ---> write_command, write_beat
//   register bus ------------------------------> [ read, look, change ] ---> answer
//                                                [                    ] ---> causes_o
//   publish (valid/ready/queue) ---------------> [ tails              ] ---> count (valid/ready), probe_*_o
//
// Behaviour: an entry for a queue that is enabled, of the same owner and has room takes the next slot; the
//   tail moves, COMPLETION pulses if the queue asks for it and a count goes out once it is published. Every
//   other entry is lost: status counts it, ERROR pulses for its client. A full ring with overwrite takes it,
//   the head moves on by one, and the entry overwritten is counted and told in the same way; if that one is
//   not in memory yet the new one is lost. So no entry ever waits for a publish. A config write waits until
//   all entries of its queue are published; from then until it is done the queue takes no more.
// Latency: entry to write command four cycles, an entry every three; publish to count and cause one cycle,
//   one every two; a register access three cycles. Registers go before entries, publishes beside both.
// Limits: registers as mu_completion_registers; all queues are off after reset. A publish must stand for an
//   entry that was written (asserted). Smaller INDEX_BITS and POSITION_BITS are for tests that wrap.
// two-readers: hold:register_request_i[63:8]=0 hold:register_request_i[83:71]=0x6C0
// two-readers: hold:register_request_i[89:88]=2 hold:entry_client_i[3:1]=0 hold:entry_queue_i[7:1]=0
// two-readers: hold:publish_queue_i[7:1]=0 hold:probe_queue_i[7:1]=0 seen=10 cycles=15000
`default_nettype none

module mu_completion_queues #(
    parameter int unsigned INDEX_BITS    = 32,
    parameter int unsigned POSITION_BITS = 24
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    output logic                         busy_o,
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o,
    output mu_pkg::cause_part_t          part_o,  // of COMPLETION
    // register bus
    input  logic                         register_valid_i,
    input  mu_pkg::register_request_t    register_request_i,
    output logic                         register_done_o,
    output mu_pkg::register_response_t   register_response_o,
    // entries
    input  logic                         entry_valid_i,
    output logic                         entry_ready_o,
    input  logic [7:0]                   entry_queue_i,
    input  logic                         entry_queue_valid_i,
    input  logic [3:0]                   entry_client_i,
    input  mu_pkg::completion_entry_t    entry_data_i,
    // memory port
    output logic                         write_command_valid_o,
    input  logic                         write_command_ready_i,
    output mu_pkg::write_command_t       write_command_data_o,
    output logic                         write_beat_valid_o,
    input  logic                         write_beat_ready_i,
    output mu_pkg::memory_word_t         write_beat_data_o,
    // completion: an entry is in memory
    input  logic                         publish_valid_i,
    output logic                         publish_ready_o,
    input  logic [7:0]                   publish_queue_i,
    // queues that WAIT
    output logic                         count_valid_o,
    input  logic                         count_ready_i,
    output logic [7:0]                   count_queue_o,
    output logic [31:0]                  count_value_o,
    input  logic [7:0]                   probe_queue_i,
    output logic [31:0]                  probe_tail_o,
    output logic                         probe_enable_o,
    output logic [3:0]                   probe_owner_o
);
  localparam int unsigned QUEUES     = mu_pkg::COMPLETION_QUEUES;
  localparam int unsigned QUEUE_BITS = QUEUES > 1 ? $clog2(QUEUES) : 1;
  localparam int unsigned ROW_BITS   = 42 + POSITION_BITS + 3 * INDEX_BITS;
  typedef enum logic [1:0] {
    OPERATION_NONE,
    OPERATION_ENTRY,
    OPERATION_REGISTER
  } operation_e;

  // --- first cycle: choose an operation, read its row ---------------------------------------------
  operation_e            operation_q;
  logic                  looked_q;   // its row has been looked at, and is changed now
  logic [QUEUE_BITS-1:0] index_q;
  logic                  exists_q;
  logic                  closing_q;  // a config write waits for entries of queue closing_index_q
  logic                  again_q;    // one has been published since it was looked at
  logic [QUEUE_BITS-1:0] closing_index_q;
  logic                  idle;
  logic                  start_register;
  logic                  start_entry;
  logic                  start;
  logic [19:0]           block_offset;
  logic [7:0]            index;
  logic                  exists;
  logic                  take_ready;
  logic                  wait_again;
  logic                  answered;
  logic                  unused_bits;

  assign idle           = operation_q == OPERATION_NONE;
  assign start_register = idle && register_valid_i && !register_done_o && (!closing_q || again_q);
  assign entry_ready_o  = idle && take_ready && !start_register;
  assign start_entry    = entry_valid_i && entry_ready_o;
  assign start          = start_register || start_entry;
  assign block_offset   = register_request_i.address - mu_pkg::BLOCK_COMPLETION_QUEUE_BASE;
  assign unused_bits    = ^block_offset[5:0];

  always_comb begin
    index  = '0;
    exists = 1'b0;
    if (start_register && register_request_i.page) begin
      index  = {3'd0, register_request_i.address[6:2]};
      exists = register_request_i.address[19:7] == mu_pkg::REG_CLIENT_PAGE_COMPLETION_INDEX[19:7];
    end else if (start_register) begin
      index  = block_offset[13:6];
      exists = block_offset[19:14] == '0;
    end else if (start_entry) begin
      index  = entry_queue_i;
      exists = entry_queue_valid_i;
    end
    exists = exists && 32'(index) < QUEUES;
    if (!exists) index = '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) operation_q <= OPERATION_NONE;
    else if (start_register) operation_q <= OPERATION_REGISTER;
    else if (start_entry) operation_q <= OPERATION_ENTRY;
    else if (looked_q) operation_q <= OPERATION_NONE;
    looked_q <= rst_ni && look;
    if (start) {exists_q, index_q} <= {exists, index[QUEUE_BITS-1:0]};
  end

  // No publish is taken while a register access looks at its row and changes it, so none is overlooked.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      closing_q <= 1'b0;
      again_q   <= 1'b0;
    end else begin
      if (answered) closing_q <= 1'b0;
      else if (wait_again) closing_q <= 1'b1;
      if (start_register) again_q <= 1'b0;
      else if (closing_q && publish_valid_i && publish_ready_o) again_q <= 1'b1;
    end
    if (wait_again) closing_index_q <= index_q;
  end

  // --- second cycle: the row is looked at; third: what becomes of it -------------------------------
  logic [ROW_BITS-1:0]   old_row;
  logic [ROW_BITS-1:0]   new_row;
  logic                  write_row;
  logic                  is_register;
  logic                  is_entry;
  logic                  look;
  logic                  open_q;
  logic                  taken;
  logic                  lost;
  logic                  phase;
  mu_pkg::address_t      address;
  logic [INDEX_BITS-1:0] tail;
  logic                  enabled;
  logic                  interrupt;
  logic [3:0]            owner;
  logic [3:0]            entry_client;
  mu_pkg::status_e       status;
  logic [63:0]           answer;
  logic                  write_config;
  logic                  error_q;  // an entry of client error_client_q was lost or overwritten
  logic [3:0]            error_client_q;
  logic                  told;
  logic [3:0]            told_owner;
  logic                  store_idle;
  logic                  tails_busy;

  assign look        = !idle && !looked_q;
  assign is_register = operation_q == OPERATION_REGISTER && looked_q;
  assign is_entry    = operation_q == OPERATION_ENTRY && looked_q;
  assign answered    = is_register && !wait_again;
  always_ff @(posedge clk_i)
    if (look) open_q <= enabled && owner == entry_client && !(closing_q && closing_index_q == index_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      register_done_o     <= 1'b0;
      register_response_o <= '0;
      error_q             <= 1'b0;
    end else begin
      register_done_o <= answered;
      if (answered) begin
        register_response_o.status <= status;
        register_response_o.data   <= answer;
      end else if (register_done_o) register_response_o <= '0;
      error_q <= lost;
    end
    if (is_entry) error_client_q <= entry_client;
  end

  assign part_o.valid  = told;
  assign part_o.client = told_owner;
  assign part_o.number = count_queue_o[3:0];
  always_comb begin
    causes_o = '0;
    if (told || error_q) begin
      for (int unsigned c = 0; c < mu_pkg::CLIENTS; c++) begin
        causes_o[c*8+32'(mu_pkg::CAUSE_COMPLETION)] = told && 32'(told_owner) == c;
        causes_o[c*8+32'(mu_pkg::CAUSE_ERROR)]      = error_q && 32'(error_client_q) == c;
      end
    end
  end
  assign busy_o = !idle || register_done_o || error_q || !store_idle || tails_busy;

  mu_completion_rules #(
      .INDEX_BITS   (INDEX_BITS),
      .POSITION_BITS(POSITION_BITS)
  ) u_rules (
      .clk_i,
      .look_i            (look),
      .entry_i           (is_entry),
      .register_i        (is_register),
      .exists_i          (exists_q),
      .open_i            (open_q),
      .register_request_i,
      .row_i             (old_row),
      .tail_i            (tail),
      .enabled_i         (enabled),
      .interrupt_i       (interrupt),
      .owner_i           (owner),
      .write_row_o       (write_row),
      .row_o             (new_row),
      .taken_o           (taken),
      .lost_o            (lost),
      .address_o         (address),
      .phase_o           (phase),
      .status_o          (status),
      .data_o            (answer),
      .wait_o            (wait_again),
      .write_config_o    (write_config)
  );

  mu_zeroed_memory #(
      .WIDTH(ROW_BITS),
      .DEPTH(QUEUES)
  ) u_rows (
      .clk_i, .rst_ni,
      .write_i      (write_row),
      .write_index_i(index_q),
      .write_data_i (new_row),
      .read_i       (start),
      .read_index_i (index[QUEUE_BITS-1:0]),
      .read_data_o  (old_row)
  );

  mu_completion_tails #(
      .INDEX_BITS(INDEX_BITS)
  ) u_tails (
      .clk_i, .rst_ni,
      .busy_o            (tails_busy),
      .hold_i            (operation_q == OPERATION_REGISTER),
      .lookup_queue_i    (8'(index_q)),
      .lookup_tail_o     (tail),
      .lookup_enable_o   (enabled),
      .lookup_interrupt_o(interrupt),
      .lookup_owner_o    (owner),
      .set_i             (write_config),
      .set_enable_i      (register_request_i.data[mu_pkg::REG_COMPLETION_QUEUE_CONFIG_ENABLE_LSB]),
      .set_interrupt_i   (register_request_i.data[mu_pkg::REG_COMPLETION_QUEUE_CONFIG_INTERRUPT_LSB]),
      .set_owner_i       (register_request_i.data[mu_pkg::REG_COMPLETION_QUEUE_CONFIG_OWNER_LSB+:4]),
      .publish_valid_i,
      .publish_ready_o,
      .publish_queue_i,
      .told_o            (told),
      .told_owner_o      (told_owner),
      .count_valid_o,
      .count_ready_i,
      .count_queue_o,
      .count_value_o,
      .probe_queue_i,
      .probe_tail_o,
      .probe_enable_o,
      .probe_owner_o
  );

  mu_completion_store u_store (
      .clk_i, .rst_ni,
      .idle_o         (store_idle),
      .take_i         (start_entry),
      .take_ready_o   (take_ready),
      .take_client_i  (entry_client_i),
      .take_queue_i   (entry_queue_i),
      .take_data_i    (entry_data_i),
      .place_i        (taken),
      .drop_i         (is_entry && !taken),
      .place_address_i(address),
      .place_phase_i  (phase),
      .client_o       (entry_client),
      .write_command_valid_o,
      .write_command_ready_i,
      .write_command_data_o,
      .write_beat_valid_o,
      .write_beat_ready_i,
      .write_beat_data_o
  );

  logic [31:0] under_way_q;  // entries that were placed and not published, of all queues
  always_ff @(posedge clk_i) begin
    if (!rst_ni) under_way_q <= '0;
    else if (taken != (publish_valid_i && publish_ready_o))
      under_way_q <= taken ? under_way_q + 1'b1 : under_way_q - 1'b1;
    if (rst_ni) begin
      publishes_only_what_is_placed : assert (!(publish_valid_i && publish_ready_o) || under_way_q != '0);
      owner_exists : assert (!enabled || 32'(owner) < mu_pkg::CLIENTS);
      does_one_thing_at_a_time : assert (idle || look || is_entry != is_register);
      tells_a_client_that_exists : assert (!told || 32'(told_owner) < mu_pkg::CLIENTS);
      register_request_stands :
      assert (!(operation_q == OPERATION_REGISTER || closing_q) || register_valid_i);
      answer_is_zero_unless_done : assert (register_done_o || register_response_o == '0);
      config_waits_for_its_own_queue : assert (!wait_again || !closing_q || closing_index_q == index_q);
    end
  end
endmodule
`default_nettype wire
