// SPDX-License-Identifier: Apache-2.0
// mu_completion_rules: what one operation does to the row of one completion queue.
//
//   entry or register access, row, tail ---> [ ring, registers ] ---> new row, place of the entry, answer
//
// Behaviour: the ring is compared with look_i, and the operation done in the next cycle. entry: taken_o says
//   that it gets the place address_o with phase_o, else it is lost; lost_o tells of an entry that is lost or
//   overwritten, which the row counts, saturating. One without open_i is lost. register: as
//   mu_completion_registers; write_config_o says that the caller must take over a new configuration and a
//   tail of 0, which it keeps itself.
// Latency: look_i to the operation one cycle; its answers at once.
// Limits: entry_i or register_i, not both, only in the cycle after look_i, with the row and request as they
//   were. The layout of the row is known here alone; all zero is a queue after reset. A queue is open only if
//   it was enabled by a config write (so it has a size).
// two-readers: hold:register_request_i[63:25]=0
`default_nettype none

module mu_completion_rules #(
    parameter  int unsigned INDEX_BITS    = 32,
    parameter  int unsigned POSITION_BITS = 24,
    localparam int unsigned ROW_BITS      = 42 + POSITION_BITS + 3 * INDEX_BITS
) (
    input  logic                      clk_i,
    input  logic                      look_i,
    // operation, at most one
    input  logic                      entry_i,
    input  logic                      register_i,
    input  logic                      exists_i,
    input  logic                      open_i,  // takes entries of this client
    input  mu_pkg::register_request_t register_request_i,
    // the queue
    input  logic [ROW_BITS-1:0]       row_i,
    input  logic [INDEX_BITS-1:0]     tail_i,
    input  logic                      enabled_i,
    input  logic                      interrupt_i,
    input  logic [3:0]                owner_i,
    output logic                      write_row_o,
    output logic [ROW_BITS-1:0]       row_o,
    // entry
    output logic                      taken_o,
    output logic                      lost_o,  // it, or the oldest
    output mu_pkg::address_t          address_o,
    output logic                      phase_o,
    // register
    output mu_pkg::status_e           status_o,
    output logic [63:0]               data_o,
    output logic                      wait_o,
    output logic                      write_config_o
);
  if (POSITION_BITS > 24) $error("mu_completion_rules: a ring has at most 2^24 entries");

  typedef struct packed {
    logic                            overwrite;
    logic [INDEX_BITS-1:0]           lost;  // or overwritten
    logic [INDEX_BITS-1:0]           reserved;
    logic [INDEX_BITS-1:0]           head;
    logic [POSITION_BITS:0]          size;
    logic [mu_pkg::ADDRESS_BITS-1:0] base;
  } row_t;

  row_t                     row;
  row_t                     new_row;
  logic [63:0]              data;
  logic                     overwritten;
  logic [INDEX_BITS-1:0]    head_after;
  logic [INDEX_BITS-1:0]    reserved_after;
  logic [POSITION_BITS-1:0] slot;
  logic                     head_legal;
  logic                     drained;
  logic                     write_base;
  logic                     write_size;
  logic                     write_head;

  assign row       = row_i;
  assign row_o     = new_row;
  assign data      = register_request_i.data;
  assign lost_o    = entry_i && (!taken_o || overwritten);
  assign address_o = row.base + (40'(slot) << 5);

  always_comb begin
    new_row     = '0;
    write_row_o = 1'b0;
    if (entry_i) begin
      new_row          = row;
      new_row.head     = head_after;
      new_row.reserved = reserved_after;
      if (lost_o && row.lost != {INDEX_BITS{1'b1}}) new_row.lost = row.lost + 1'b1;
      write_row_o = exists_i;
    end else if (register_i) begin
      new_row = row;
      if (write_base) new_row.base = data[39:0];
      if (write_size) new_row.size = data[POSITION_BITS:0];
      if (write_head) new_row.head = data[INDEX_BITS-1:0];
      if (write_config_o) begin
        new_row           = '0;
        new_row.base      = row.base;
        new_row.size      = row.size;
        new_row.overwrite = data[mu_pkg::REG_COMPLETION_QUEUE_CONFIG_OVERWRITE_LSB];
      end
      write_row_o = write_base || write_size || write_head || write_config_o;
    end
  end

  mu_completion_ring #(
      .INDEX_BITS   (INDEX_BITS),
      .POSITION_BITS(POSITION_BITS)
  ) u_ring (
      .clk_i, .look_i,
      .size_i       (row.size),
      .head_i       (row.head),
      .tail_i,
      .reserved_i   (row.reserved),
      .drained_o    (drained),
      .put_i        (entry_i && exists_i && open_i),
      .overwrite_i  (row.overwrite),
      .taken_o,
      .overwritten_o(overwritten),
      .slot_o       (slot),
      .phase_o,
      .head_o       (head_after),
      .reserved_o   (reserved_after),
      .new_head_i   (data[INDEX_BITS-1:0]),
      .head_legal_o (head_legal)
  );

  mu_completion_registers #(
      .MOST_ENTRIES(1 << POSITION_BITS)
  ) u_registers (
      .enable_i      (register_i),
      .register_request_i,
      .exists_i,
      .base_i        (row.base),
      .size_i        (25'(row.size)),
      .enabled_i,
      .overwrite_i   (row.overwrite),
      .interrupt_i,
      .owner_i,
      .head_i        (32'(row.head)),
      .tail_i        (32'(tail_i)),
      .lost_i        (32'(row.lost)),
      .drained_i     (drained),
      .head_legal_i  (head_legal),
      .status_o,
      .data_o,
      .wait_o,
      .write_base_o  (write_base),
      .write_size_o  (write_size),
      .write_config_o(write_config_o),
      .write_head_o  (write_head)
  );
endmodule
`default_nettype wire
