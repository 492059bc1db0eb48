// SPDX-License-Identifier: Apache-2.0
// mu_region_table: the registered pieces of node memory, looked up by injection, reception and CALC.
//
//   source_region_i ---> [ copy ] ---> source_entry_o        (injection engine: where payload is read)
//   target_region_i ---> [ copy ] ---> target_entry_o        (reception engine: where payload is stored)
//   calc_region_i   ---> [ copy ] ---> calc_entry_o          (CALC engine: operands and result)
//   register bus    ---> [ copy ] ---> answer                (block region)
//                            \--- length inside of memory ---> the other copies
//
// Behaviour: an entry output is, in each cycle, the entry whose number stood at its input in the cycle
//   before, as the table was then; a number of REGIONS or more gives an entry of zeros, so enable = 0.
//   Its length is that of the part that lies inside of the 40-bit address space, which leaves one sum to
//   who checks an access; the register shows what was written.
//   Entries are zero until written: a walk after reset clears them, and a register access waits for its
//   end. A register write changes one field of one entry and nothing of any other.
// Latency: lookups one cycle, one a cycle each. Register access 2 cycles, the first REGIONS cycles later;
//   what is written shows to lookups that are made two cycles behind the answer.
// Limits: base at most 40 bits, length at most 2^37, owner below CLIENTS, unknown configuration bits zero:
//   else REGISTER_VALUE. A change while an engine uses the entry counts from its next lookup on.
// two-readers: hold:register_request_i[63:36]=0 hold:register_request_i[83:72]=0x3a0
// two-readers: hold:register_request_i[89:88]=2 hold:source_region_i[7:3]=0 hold:target_region_i[7:3]=0
// two-readers: hold:calc_region_i[7:3]=0 seen=30
`default_nettype none

module mu_region_table (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    output logic                       busy_o,
    // register bus
    input  logic                       register_valid_i,
    input  mu_pkg::register_request_t  register_request_i,
    output logic                       register_done_o,
    output mu_pkg::register_response_t register_response_o,
    // injection engine
    input  logic [7:0]                 source_region_i,
    output mu_pkg::region_entry_t      source_entry_o,
    // reception engine
    input  logic [7:0]                 target_region_i,
    output mu_pkg::region_entry_t      target_entry_o,
    // CALC engine
    input  logic [7:0]                 calc_region_i,
    output mu_pkg::region_entry_t      calc_entry_o
);
  localparam int unsigned REGIONS    = mu_pkg::REGIONS;
  localparam int unsigned ENTRY_BITS = mu_pkg::REGION_ENTRY_BITS;

  logic                   read_q;  // second cycle of an access: the entry has been read
  logic                   done_q;
  logic [71:0]            response_q;
  logic                   start;
  logic                   clears_q;  // after reset
  logic [7:0]             region;
  logic                   write;  // the entry is written at the end of this cycle
  mu_pkg::status_e        status;
  logic [63:0]            data;
  mu_pkg::region_entry_t  old_entry;
  mu_pkg::region_entry_t  new_entry;
  mu_pkg::region_config_t old_config;
  mu_pkg::region_config_t new_config;
  logic                   write_base;
  logic                   write_length;
  logic                   write_config;
  mu_pkg::address_t       base;
  logic [37:0]            length;

  // --- register bus ------------------------------------------------------------------------------
  assign start = register_valid_i && !read_q && !done_q && !clears_q;
  assign write = write_base || write_length || write_config;

  assign old_config.enable       = old_entry.enable;
  assign old_config.remote_write = old_entry.remote_write;
  assign old_config.remote_read  = old_entry.remote_read;
  assign old_config.owner        = old_entry.owner;

  mu_region_decode u_decode (
      .valid_i       (read_q),
      .request_i     (register_request_i),
      .index_o       (region),
      .status_o      (status),
      .data_o        (data),
      .base_i        (old_entry.base),
      .write_base_o  (write_base),
      .base_o        (base),
      .length_i      (old_entry.length),
      .write_length_o(write_length),
      .length_o      (length),
      .config_i      (old_config),
      .write_config_o(write_config),
      .config_o      (new_config)
  );

  always_comb begin
    new_entry = old_entry;
    if (write_base) new_entry.base = base;
    if (write_length) new_entry.length = length;
    if (write_config) begin
      new_entry.enable       = new_config.enable;
      new_entry.remote_write = new_config.remote_write;
      new_entry.remote_read  = new_config.remote_read;
      new_entry.owner        = new_config.owner;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q     <= 1'b0;
      done_q     <= 1'b0;
      response_q <= '0;
    end else begin
      read_q <= start;
      done_q <= read_q;
      if (read_q || done_q) response_q <= read_q ? {status, data} : '0;
    end
  end
  assign register_done_o     = done_q;
  assign register_response_o = response_q;

  // --- lookups -----------------------------------------------------------------------------------
  // The copies are read only when the number or the table has changed: an idle node reads nothing.
  logic       changed_q;
  logic [7:0] source_region_q;
  logic [7:0] target_region_q;
  logic [7:0] calc_region_q;
  logic       source_read;
  logic       target_read;
  logic       calc_read;

  assign source_read = source_region_i != source_region_q || changed_q;
  assign target_read = target_region_i != target_region_q || changed_q;
  assign calc_read   = calc_region_i != calc_region_q || changed_q;
  assign busy_o      = clears_q || read_q || done_q || changes_q || source_read || target_read || calc_read;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      changed_q       <= 1'b1;
      source_region_q <= '0;
      target_region_q <= '0;
      calc_region_q   <= '0;
    end else begin
      changed_q <= changes_q || clears_q;
      if (source_read) source_region_q <= source_region_i;
      if (target_read) target_region_q <= target_region_i;
      if (calc_read) calc_region_q <= calc_region_i;
    end
  end

  // --- the copies: block RAM, which a walk after reset fills with zeros -----------------------------
  localparam int unsigned COPIES        = 4;
  localparam int unsigned ADDRESS_WIDTH = $clog2(REGIONS);

  logic [ADDRESS_WIDTH-1:0]     clear_row_q;
  logic [COPIES-1:0]            copy_read;
  logic [COPIES*8-1:0]          copy_region;
  logic [COPIES*ENTRY_BITS-1:0] copy_entry;

  // The copy of the register bus is written with the access, the others in the next cycle.
  localparam int unsigned       OF_REGISTERS = COPIES - 1;
  localparam logic [40:0]       MEMORY_END   = 41'h100_0000_0000;
  logic                         changes_q;
  logic [ADDRESS_WIDTH-1:0]     change_row_q;
  mu_pkg::region_entry_t        change_q;
  mu_pkg::region_entry_t        shown;
  logic [40:0]                  room;      // from its base to the end of memory
  always_ff @(posedge clk_i) changes_q <= rst_ni && write;
  always_ff @(posedge clk_i) begin
    if (write) begin
      change_row_q <= ADDRESS_WIDTH'(region);
      change_q     <= new_entry;
    end
  end
  assign room = MEMORY_END - 41'(change_q.base);
  always_comb begin
    shown = '0;
    if (changes_q) begin
      shown = change_q;
      if (room < 41'(change_q.length)) shown.length = room[37:0];
    end
  end

  assign copy_read   = {start, calc_read, target_read, source_read};
  assign copy_region = {region, calc_region_i, target_region_i, source_region_i};
  assign {old_entry, calc_entry_o, target_entry_o, source_entry_o} = copy_entry;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      clears_q    <= 1'b1;
      clear_row_q <= '0;
    end else if (clears_q) begin
      clears_q    <= 32'(clear_row_q) != REGIONS - 1;
      clear_row_q <= clear_row_q + 1'b1;
    end
  end

  for (genvar c = 0; c < COPIES; c++) begin : gen_copy
    (* ram_style = "block" *) logic [ENTRY_BITS-1:0] rows[REGIONS];
    logic [ENTRY_BITS-1:0] entry_q;
    logic                  is_none;  // no such entry, or it is not cleared yet
    logic                     row_write;
    logic [ADDRESS_WIDTH-1:0] row_number;
    logic [ENTRY_BITS-1:0]    row_word;
    assign row_write  = clears_q || (c == OF_REGISTERS ? write : changes_q);
    assign row_number = clears_q ? clear_row_q : c == OF_REGISTERS ? ADDRESS_WIDTH'(region) : change_row_q;
    assign row_word   = clears_q ? '0 : c == OF_REGISTERS ? new_entry : shown;
    assign is_none = !rst_ni || clears_q || (copy_read[c] && 32'(copy_region[c*8+:8]) >= REGIONS);
    assign copy_entry[c*ENTRY_BITS+:ENTRY_BITS] = entry_q;
    always_ff @(posedge clk_i) if (row_write) rows[row_number] <= row_word;
    always_ff @(posedge clk_i) begin
      if (is_none) entry_q <= '0;
      else if (copy_read[c]) entry_q <= rows[copy_region[c*8+:ADDRESS_WIDTH]];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      answers_only_when_asked : assert (!done_q || register_valid_i);
      answer_is_zero_unless_done : assert (done_q || response_q == '0);
      request_stands_until_done : assert (!read_q || register_valid_i);
      if (write) writes_a_row_that_is_there : assert (!clears_q && 32'(region) < REGIONS);
      if (changes_q) shows_what_lies_in_memory :
      assert (41'(shown.base) + 41'(shown.length) <= MEMORY_END);
      writes_only_what_was_accepted : assert (!write || register_request_i.wide);
    end
  end
endmodule
`default_nettype wire
