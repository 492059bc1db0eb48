// SPDX-License-Identifier: Apache-2.0
// mu_reception_fifo_rules: what one operation does to the row of one reception FIFO.
//
//   operation, configuration, pointers ---> [ arithmetic, refusing rule, registers ] ---> new row, answer
//
// Behaviour: lookup: answer_o says whether lookup_i.slots may be reserved (OK, else the first of
//   FIFO_INVALID, PERMISSION, FIFO_FULL) and where they lie; reserve_i takes them, refuse_i counts a packet
//   that found the FIFO full and makes it refusing if that was a request, neither changes nothing. With
//   answer_o.redirect the row of keeper_o is to be looked up instead, with kept_i: it must keep, for the same
//   owner. A packet that is moved finds room even in a FIFO that refuses, none before it takes packets.
//   publish: the tail moves by lookup_i.slots. register: as mu_reception_fifo_registers; a head that has
//   moved by a quarter of the size ends refusing; config resets. step: the head of a boot buffer moves by
//   step_i.slots, or to the tail with step_i.discard, and held_o says what it holds.
// Latency: one cycle: what holds is the answer of the second cycle in which operation, configuration and
//   pointers stand; reserve_i, refuse_i and the changes belong to that cycle.
// Limits: reserve_i only with status OK, refuse_i only with FIFO_FULL; slots of a publish at most what is
//   reserved (publish_legal_o), of a step at most what is in memory (step_legal_o). The layouts of
//   configuration and pointers are known here alone; all zero is a FIFO after reset, disabled.
`default_nettype none

module mu_reception_fifo_rules #(
    localparam int unsigned CONFIGURATION_BITS = 107,
    localparam int unsigned POINTERS_BITS      = 161
) (
    input  logic                          clk_i,
    // operation, at most one
    input  logic                          lookup_valid_i,
    input  logic                          publish_i,
    input  logic                          register_i,
    input  logic                          step_valid_i,
    input  logic                          exists_i,
    input  mu_pkg::fifo_lookup_t          lookup_i,     // of a publish its slots
    input  logic                          kept_i,       // another FIFO's row has redirected it here
    input  logic [3:0]                    kept_for_i,   // owner of that one
    input  logic                          reserve_i,
    input  logic                          refuse_i,
    input  mu_pkg::register_request_t     register_request_i,
    input  mu_pkg::boot_step_t            step_i,
    input  logic                          draining_i,   // this boot buffer is moved, or that of keeper_o
    input  logic                          pending_i,    // something is on its way into a boot buffer
    // row
    input  logic [CONFIGURATION_BITS-1:0] configuration_i,
    input  logic [POINTERS_BITS-1:0]      pointers_i,
    output logic                          write_configuration_o,
    output logic [CONFIGURATION_BITS-1:0] configuration_o,
    output logic                          write_pointers_o,
    output logic [POINTERS_BITS-1:0]      pointers_o,
    // lookup
    output mu_pkg::fifo_answer_t          answer_o,     // but for fifo
    output logic [7:0]                    keeper_o,
    // step
    output mu_pkg::boot_held_t            held_o,       // but for configured, fifo, room, ready, valid
    output logic                          step_legal_o,
    // publish
    output logic                          publish_legal_o,
    output logic                          keeps_o,
    output logic                          arrived_o,
    output logic                          threshold_o,
    // register
    output mu_pkg::status_e               status_o,
    output logic [63:0]                   data_o,
    output logic                          wait_o,
    output logic                          configures_o,
    output mu_pkg::reception_fifo_config_t written_o,
    output logic                          moves_head_o
);
  localparam logic [63:0] ADDRESS_SPACE = 64'h100_0000_0000;
  localparam logic [4:0]  LARGEST       = 5'(1 + mu_pkg::PAYLOAD_BYTES / mu_pkg::FIFO_SLOT_BYTES);

  typedef struct packed {
    logic [7:0]                      keeper;
    logic                            keeps;
    logic                            boot;
    logic [24:0]                     threshold;
    logic [3:0]                      owner;
    logic                            tells_arrived;
    logic                            reply_only;
    logic                            enable;
    logic [24:0]                     size;
    logic [mu_pkg::ADDRESS_BITS-1:0] base;
  } configuration_t;

  typedef struct packed {
    logic        refusing;
    logic [31:0] mark;      // head when it began to refuse
    logic [31:0] refused;
    logic [31:0] reserved;
    logic [31:0] tail;
    logic [31:0] head;
  } pointers_t;

  configuration_t configuration;
  configuration_t new_configuration;
  pointers_t      pointers;
  pointers_t      new_pointers;
  logic             fits;
  logic [31:0]      reserved_after;
  logic [31:0]      tail_after;
  logic [31:0]      used_after;
  logic             head_legal;
  logic             drained;
  logic [63:0]      data;
  logic [31:0]      new_head;  // that a register or a step writes
  logic [31:0]      moved;     // head since the mark
  logic             fits_q;
  logic [31:0]      used_q;
  logic             ring_ends;  // inside the address space
  // what a lookup finds
  logic             invalid;
  logic             forbidden;
  logic             invalid_q;
  logic             forbidden_q;
  logic             redirect_q;
  logic             stopped_q;  // it finds the FIFO refusing, or not there yet
  mu_pkg::address_t span_address, address_q;
  logic [9:0]       span_bytes;
  logic             span_split, split_q;
  logic [9:0]       span_second_bytes;
  logic [4:0]       bytes_q;  // in slots
  logic [4:0]       second_bytes_q;
  logic             unused_bits;
  // what a step finds
  logic             keeper;    // it is a boot buffer
  logic [31:0]      in_memory;
  logic [4:0]       held_slots_q;
  logic             empty_q;
  logic             step_legal_q;
  // what a register access does
  mu_pkg::status_e  status;
  logic             wait_again;
  logic             writes_base;
  logic             writes_size;
  logic             writes_config;
  logic             writes_threshold;
  logic             writes_head;
  mu_pkg::status_e  status_q;
  logic             wait_q;
  logic             write_base_q;
  logic             write_size_q;
  logic             write_config_q;
  logic             write_threshold_q;
  logic             write_head_q;

  assign configuration           = configuration_i;
  assign pointers                = pointers_i;
  assign configuration_o         = new_configuration;
  assign pointers_o              = new_pointers;
  assign data                    = register_request_i.data;
  assign new_head                = !step_valid_i ? data[31:0] : step_i.discard ? pointers.tail :
      pointers.head + 32'(step_i.slots);
  assign moved                   = new_head - pointers.mark;
  assign drained                 = pointers.reserved == pointers.tail;
  assign keeper                  = exists_i && configuration.enable && configuration.keeps;
  assign in_memory               = pointers.tail - pointers.head;
  assign keeper_o                = configuration.keeper;
  assign keeps_o                 = configuration.keeps;
  assign arrived_o               = publish_i && exists_i && configuration.tells_arrived;
  assign configures_o            = register_i && write_config_q;
  assign moves_head_o            = register_i && write_head_q;

  always_comb begin
    threshold_o = 1'b0;
    if (publish_i) threshold_o = exists_i && configuration.threshold != '0 &&
        used_q > 32'(configuration.threshold);
  end

  // A request for a FIFO that takes none yet is kept if it names no counter: those of a process that is not
  // there cannot be meant.
  always_comb begin
    if (kept_i) invalid = !keeper || configuration.owner != kept_for_i;
    else
      invalid = !exists_i || configuration.keeps || (configuration.reply_only && !lookup_i.reply) ||
          (!configuration.enable && (!configuration.boot || lookup_i.reply || lookup_i.counted)) ||
          (lookup_i.moved && configuration.owner != lookup_i.keeper_owner);
    forbidden = lookup_i.on_behalf && lookup_i.client != configuration.owner;
  end

  always_comb begin
    answer_o                = '0;
    answer_o.address        = address_q;
    answer_o.bytes          = {bytes_q, 5'd0};
    answer_o.second_address = configuration.base;
    answer_o.second_bytes   = {second_bytes_q, 5'd0};
    answer_o.split          = split_q;
    answer_o.owner          = configuration.owner;
    answer_o.refusing       = pointers.refusing || kept_i;
    answer_o.kept           = kept_i;
    answer_o.status         = mu_pkg::STATUS_OK;
    if (lookup_valid_i) begin
      if (invalid_q) answer_o.status = mu_pkg::STATUS_FIFO_INVALID;
      else if (forbidden_q) answer_o.status = mu_pkg::STATUS_PERMISSION;
      else if (redirect_q) answer_o.redirect = 1'b1;
      else if (!fits_q || stopped_q) answer_o.status = mu_pkg::STATUS_FIFO_FULL;
    end
  end

  always_comb begin
    held_o         = '0;
    held_o.address = address_q;
    held_o.bytes   = {bytes_q, 5'd0};
    held_o.base    = configuration.base;
    held_o.owner   = configuration.owner;
    held_o.slots   = held_slots_q;
    held_o.empty   = empty_q;
  end
  assign step_legal_o = step_legal_q;

  always_comb begin
    new_pointers     = '0;
    if (lookup_valid_i || publish_i || register_i || step_valid_i) new_pointers = pointers;
    write_pointers_o = 1'b0;
    if (lookup_valid_i) begin
      write_pointers_o = reserve_i || refuse_i;
      if (reserve_i) begin
        new_pointers.reserved = reserved_after;
      end else if (refuse_i) begin
        if (pointers.refused != '1) new_pointers.refused = pointers.refused + 32'd1;
        if (!lookup_i.reply && !pointers.refusing) begin
          new_pointers.refusing = 1'b1;
          new_pointers.mark     = pointers.head;
        end
      end
    end else if (publish_i) begin
      write_pointers_o  = exists_i;
      new_pointers.tail = tail_after;
    end else if ((register_i && write_head_q) || step_valid_i) begin
      write_pointers_o  = register_i || keeper;
      new_pointers.head = new_head;
      if ({moved, 2'b00} >= 34'(configuration.size)) new_pointers.refusing = 1'b0;
    end else if (register_i && write_config_q) begin
      write_pointers_o = 1'b1;
      new_pointers     = '0;
    end
  end

  always_comb begin
    new_configuration     = '0;
    write_configuration_o = 1'b0;
    if (register_i) begin
      new_configuration     = configuration;
      write_configuration_o = write_base_q || write_size_q || write_config_q || write_threshold_q;
      if (write_base_q) new_configuration.base = data[39:0];
      if (write_size_q) new_configuration.size = data[24:0];
      if (write_threshold_q) new_configuration.threshold = data[24:0];
      if (write_config_q) begin
        new_configuration.enable        = written_o.enable;
        new_configuration.reply_only    = written_o.reply_only;
        new_configuration.boot          = written_o.boot;
        new_configuration.tells_arrived = written_o.interrupt;
        new_configuration.owner         = written_o.owner;
        new_configuration.keeps         = written_o.keeps;
        new_configuration.keeper        = written_o.keeper;
      end
    end
  end

  assign unused_bits = ^{span_bytes[4:0], span_second_bytes[4:0], lookup_i, step_i, data};
  assign status_o    = register_i ? status_q : mu_pkg::STATUS_OK;
  assign wait_o      = register_i && wait_q;
  assign ring_ends   = 64'(configuration.base) + (64'(configuration.size) << 5) <= ADDRESS_SPACE;

  // Sums, and what a register access may do: that is done in the second cycle.
  always_ff @(posedge clk_i) begin
    if (lookup_valid_i || publish_i || register_i || step_valid_i) begin
      fits_q            <= fits;
      used_q            <= used_after;
      invalid_q         <= invalid;
      forbidden_q       <= forbidden;
      redirect_q        <= configuration.boot && !lookup_i.reply && !lookup_i.moved && !kept_i &&
                           (!configuration.enable || draining_i);
      stopped_q         <= lookup_i.moved ? !configuration.enable : pointers.refusing && !lookup_i.reply;
      held_slots_q      <= in_memory > 32'd31 ? 5'd31 : in_memory[4:0];
      empty_q           <= !keeper || pointers.head == pointers.reserved;
      step_legal_q      <= keeper ? 32'(step_i.slots) <= in_memory : step_i.slots == '0;
      status_q          <= status;
      wait_q            <= wait_again;
      write_base_q      <= writes_base;
      write_size_q      <= writes_size;
      write_config_q    <= writes_config;
      write_threshold_q <= writes_threshold;
      write_head_q      <= writes_head;
      address_q         <= span_address;
      bytes_q           <= span_bytes[9:5];
      split_q           <= span_split;
      second_bytes_q    <= span_second_bytes[9:5];
    end
  end

  mu_ring_pointers u_pointers (
      .size_i         (configuration.size),
      .head_i         (pointers.head),
      .tail_i         (pointers.tail),
      .reserved_i     (pointers.reserved),
      .slots_i        (lookup_i.slots),
      .fits_o         (fits),
      .reserved_o     (reserved_after),
      .publish_legal_o,
      .tail_o         (tail_after),
      .used_o         (used_after),
      .new_head_i     (data[31:0]),
      .head_legal_o   (head_legal)
  );

  logic [23:0] position;  // of the first slot to be reserved, or of the oldest
  assign position = step_valid_i ? pointers.head[23:0] : pointers.reserved[23:0];

  mu_ring_span u_span (
      .enable_i      (lookup_valid_i || (step_valid_i && keeper)),
      .base_i        (configuration.base),
      .size_i        (configuration.size),
      .position_i    (position & (configuration.size[23:0] - 24'd1)),
      .slots_i       (step_valid_i ? LARGEST : lookup_i.slots[4:0]),
      .address_o     (span_address),
      .bytes_o       (span_bytes),
      .split_o       (span_split),
      .second_bytes_o(span_second_bytes)
  );

  mu_reception_fifo_registers u_registers (
      .enable_i         (register_i),
      .register_request_i,
      .exists_i,
      .base_i           (configuration.base),
      .size_i           (configuration.size),
      .enabled_i        (configuration.enable),
      .reply_only_i     (configuration.reply_only),
      .interrupt_i      (configuration.tells_arrived),
      .boot_i           (configuration.boot),
      .owner_i          (configuration.owner),
      .keeps_i          (configuration.keeps),
      .keeper_i         (configuration.keeper),
      .threshold_i      (configuration.threshold),
      .head_i           (pointers.head),
      .tail_i           (pointers.tail),
      .refused_i        (pointers.refused),
      .drained_i        (drained),
      .head_legal_i     (head_legal),
      .ring_ends_i      (ring_ends),
      .draining_i,
      .pending_i,
      .status_o         (status),
      .data_o,
      .wait_o           (wait_again),
      .config_o         (written_o),
      .write_base_o     (writes_base),
      .write_size_o     (writes_size),
      .write_config_o   (writes_config),
      .write_threshold_o(writes_threshold),
      .write_head_o     (writes_head)
  );
endmodule
`default_nettype wire
