// SPDX-License-Identifier: Apache-2.0
// mu_reception_fifo_rules: what one operation does to the row of one reception FIFO.
//
//   operation, configuration, pointers ---> [ arithmetic, refusing rule, registers ] ---> new row, answer
//
// Behaviour: lookup: answer_* says whether slots_i slots may be reserved (OK, else the first of
//   FIFO_INVALID, PERMISSION, FIFO_FULL) and where they lie; reserve_i takes them, refuse_i counts a packet
//   that found the FIFO full and makes it refusing if that was a request, neither changes nothing. publish:
//   the tail moves by slots_i. register: as mu_reception_fifo_registers; a head that has moved by a quarter
//   of the size ends refusing; config resets. With config.boot a lookup
//   of a request is answered by its owner's boot buffer (boot_*): counters are FIFO_INVALID, no room is
//   FIFO_FULL and refusing, and nothing changes here; boot_switch_o is high in the cycle of a config write.
// Latency: one cycle: what holds is the answer of the second cycle in which operation, configuration and
//   pointers stand; reserve_i, refuse_i and the changes belong to that cycle.
// Limits: reserve_i only with answer_status_o OK, refuse_i only with FIFO_FULL; slots_i of a publish at
//   most what is reserved (publish_legal_o). The layouts of configuration and pointers are known here alone;
//   all zero is a FIFO after reset, disabled.
`default_nettype none

module mu_reception_fifo_rules #(
    localparam int unsigned CONFIGURATION_BITS = 98,
    localparam int unsigned POINTERS_BITS      = 161
) (
    input  logic                          clk_i,
    // operation, at most one
    input  logic                          lookup_i,
    input  logic                          publish_i,
    input  logic                          register_i,
    input  logic                          exists_i,
    input  logic [7:0]                    slots_i,
    input  logic                          reply_i,
    input  logic                          counted_i,  // a byte or event counter is meant
    input  logic                          on_behalf_i,
    input  logic [3:0]                    client_i,
    input  logic                          reserve_i,
    input  logic                          refuse_i,
    input  mu_pkg::register_request_t     register_request_i,
    // row
    input  logic [CONFIGURATION_BITS-1:0] configuration_i,
    input  logic [POINTERS_BITS-1:0]      pointers_i,
    output logic                          write_configuration_o,
    output logic [CONFIGURATION_BITS-1:0] configuration_o,
    output logic                          write_pointers_o,
    output logic [POINTERS_BITS-1:0]      pointers_o,
    // lookup
    output mu_pkg::status_e               answer_status_o,
    output logic                          answer_refusing_o,
    output logic [3:0]                    answer_owner_o,
    output mu_pkg::address_t              answer_address_o,
    output logic [9:0]                    answer_bytes_o,
    output logic                          answer_split_o,
    output mu_pkg::address_t              answer_second_address_o,
    output logic [9:0]                    answer_second_bytes_o,
    // boot buffers
    output logic                          boot_lookup_o,
    output logic                          boot_switch_o,
    output logic                          boot_opens_o,
    output logic                          boot_drains_o,  // it takes requests from now on
    output logic [3:0]                    boot_client_o,
    input  logic                          boot_room_i,
    input  logic                          boot_elsewhere_i,
    // publish
    output logic                          publish_legal_o,
    output logic                          arrived_o,
    output logic                          threshold_o,
    // register
    output mu_pkg::status_e               status_o,
    output logic [63:0]                   data_o,
    output logic                          wait_o
);
  localparam logic [63:0] ADDRESS_SPACE = 64'h100_0000_0000;

  typedef struct packed {
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
  logic [31:0]      moved;  // head since the mark
  logic             fits_q;
  logic [31:0]      used_q;
  logic             room_q;     // in the boot buffer
  logic             ring_ends;  // inside the address space
  // what a lookup finds
  logic             invalid;
  logic             forbidden;
  logic             invalid_q;
  logic             forbidden_q;
  logic             boot_q;     // the boot buffer answers
  logic             stopped_q;  // a request finds the FIFO refusing
  mu_pkg::address_t span_address;
  logic [9:0]       span_bytes;
  logic             span_split;
  logic [9:0]       span_second_bytes;
  logic [4:0]       bytes_q;  // in slots
  logic [4:0]       second_bytes_q;
  logic             unused_bits;
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
  assign moved                   = data[31:0] - pointers.mark;
  assign drained                 = pointers.reserved == pointers.tail;
  assign answer_owner_o          = configuration.owner;
  assign answer_refusing_o       = pointers.refusing || configuration.boot;
  assign answer_second_address_o = configuration.base;
  assign arrived_o               = publish_i && exists_i && configuration.tells_arrived;

  assign boot_lookup_o           = lookup_i && exists_i && configuration.boot && !reply_i;
  assign boot_switch_o           = register_i && write_config_q;
  assign boot_opens_o            = data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_BOOT_LSB];
  assign boot_drains_o           = data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_ENABLE_LSB] &&
      !data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_REPLY_ONLY_LSB];
  assign boot_client_o           =
      lookup_i ? configuration.owner : data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_OWNER_LSB+:4];

  always_comb begin
    threshold_o = 1'b0;
    if (publish_i) threshold_o = exists_i && configuration.threshold != '0 &&
        used_q > 32'(configuration.threshold);
  end

  always_comb begin
    invalid = !exists_i || !(configuration.enable || boot_lookup_o) ||
        (configuration.reply_only && !reply_i) || (boot_lookup_o && counted_i);
    forbidden = on_behalf_i && client_i != configuration.owner;
    if (!lookup_i) answer_status_o = mu_pkg::STATUS_OK;
    else if (invalid_q) answer_status_o = mu_pkg::STATUS_FIFO_INVALID;
    else if (forbidden_q) answer_status_o = mu_pkg::STATUS_PERMISSION;
    else if (boot_q ? !room_q : !fits_q || stopped_q) answer_status_o = mu_pkg::STATUS_FIFO_FULL;
    else answer_status_o = mu_pkg::STATUS_OK;
  end

  always_comb begin
    new_pointers     = '0;
    if (lookup_i || publish_i || register_i) new_pointers = pointers;
    write_pointers_o = 1'b0;
    if (lookup_i) begin
      write_pointers_o = !configuration.boot && (reserve_i || refuse_i);
      if (reserve_i) begin
        new_pointers.reserved = reserved_after;
      end else if (refuse_i) begin
        if (pointers.refused != '1) new_pointers.refused = pointers.refused + 32'd1;
        if (!reply_i && !pointers.refusing) begin
          new_pointers.refusing = 1'b1;
          new_pointers.mark     = pointers.head;
        end
      end
    end else if (publish_i) begin
      write_pointers_o  = exists_i;
      new_pointers.tail = tail_after;
    end else if (register_i && write_head_q) begin
      write_pointers_o  = 1'b1;
      new_pointers.head = data[31:0];
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
        new_configuration.enable        = data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_ENABLE_LSB];
        new_configuration.reply_only    = data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_REPLY_ONLY_LSB];
        new_configuration.boot          = boot_opens_o;
        new_configuration.tells_arrived = data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_INTERRUPT_LSB];
        new_configuration.owner         = data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_OWNER_LSB+:4];
      end
    end
  end

  assign answer_bytes_o        = {bytes_q, 5'd0};
  assign answer_second_bytes_o = {second_bytes_q, 5'd0};
  assign unused_bits           = ^{span_bytes[4:0], span_second_bytes[4:0]};
  assign status_o              = register_i ? status_q : mu_pkg::STATUS_OK;
  assign wait_o                = register_i && wait_q;
  assign ring_ends             = 64'(configuration.base) + (64'(configuration.size) << 5) <= ADDRESS_SPACE;

  // Sums, and what a register access may do: that is done in the second cycle.
  always_ff @(posedge clk_i) begin
    if (lookup_i || publish_i || register_i) begin
      fits_q                <= fits;
      used_q                <= used_after;
      room_q                <= boot_room_i;
      invalid_q             <= invalid;
      forbidden_q           <= forbidden;
      boot_q                <= boot_lookup_o;
      stopped_q             <= pointers.refusing && !reply_i;
      status_q              <= status;
      wait_q                <= wait_again;
      write_base_q          <= writes_base;
      write_size_q          <= writes_size;
      write_config_q        <= writes_config;
      write_threshold_q     <= writes_threshold;
      write_head_q          <= writes_head;
      answer_address_o      <= span_address;
      bytes_q               <= span_bytes[9:5];
      answer_split_o        <= span_split;
      second_bytes_q        <= span_second_bytes[9:5];
    end
  end

  mu_ring_pointers u_pointers (
      .size_i         (configuration.size),
      .head_i         (pointers.head),
      .tail_i         (pointers.tail),
      .reserved_i     (pointers.reserved),
      .slots_i,
      .fits_o         (fits),
      .reserved_o     (reserved_after),
      .publish_legal_o,
      .tail_o         (tail_after),
      .used_o         (used_after),
      .new_head_i     (data[31:0]),
      .head_legal_o   (head_legal)
  );

  mu_ring_span u_span (
      .enable_i      (lookup_i),
      .base_i        (configuration.base),
      .size_i        (configuration.size),
      .position_i    (pointers.reserved[23:0] & (configuration.size[23:0] - 24'd1)),
      .slots_i       (slots_i[4:0]),
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
      .threshold_i      (configuration.threshold),
      .head_i           (pointers.head),
      .tail_i           (pointers.tail),
      .refused_i        (pointers.refused),
      .drained_i        (drained),
      .head_legal_i     (head_legal),
      .ring_ends_i      (ring_ends),
      .boot_elsewhere_i,
      .status_o         (status),
      .data_o,
      .wait_o           (wait_again),
      .write_base_o     (writes_base),
      .write_size_o     (writes_size),
      .write_config_o   (writes_config),
      .write_threshold_o(writes_threshold),
      .write_head_o     (writes_head)
  );
endmodule
`default_nettype wire
