// SPDX-License-Identifier: Apache-2.0
// mu_region_table: the registered pieces of node memory, looked up by injection, reception and CALC.
//
//   source_region_i ---> [ copy ] ---> source_entry_o        (injection engine: where payload is read)
//   target_region_i ---> [ copy ] ---> target_entry_o        (reception engine: where payload is stored)
//   calc_region_i   ---> [ copy ] ---> calc_entry_o          (CALC engine: operands and result)
//   register bus    ---> [ copy ] ---> answer                (block region)
//
// Behaviour: an entry output is, in each cycle, the entry whose number stood at its input in the cycle
//   before, as the table was then; a number of REGIONS or more gives an entry of zeros, so enable = 0.
//   Entries are zero until written. A register write changes one field of one entry and nothing of any other.
// Latency: lookups one cycle, one a cycle each. Register access 2 cycles.
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
  localparam logic [37:0] MAX_LENGTH = 38'h20_0000_0000;

  logic                   read_q;    // second cycle of an access: the entry has been read
  logic                   done_q;
  logic [71:0]            response_q;
  logic                   start;
  logic [7:0]             region;
  logic                   write;     // the entry is written at the end of this cycle
  mu_pkg::status_e        shape;     // what can be said of an access without its meaning
  mu_pkg::status_e        status;
  logic [63:0]            data;
  mu_pkg::region_entry_t  old_entry;
  mu_pkg::region_entry_t  new_entry;
  mu_pkg::region_config_t old_config;
  mu_pkg::region_config_t new_config;
  logic                   write_base;
  logic                   write_length;
  logic                   write_config;
  logic [39:0]            base;
  logic [37:0]            length;

  // --- register bus ------------------------------------------------------------------------------
  assign start = register_valid_i && !read_q && !done_q;
  assign write = read_q && register_request_i.write && status == mu_pkg::STATUS_OK;

  assign old_config.enable       = old_entry.enable;
  assign old_config.remote_write = old_entry.remote_write;
  assign old_config.remote_read  = old_entry.remote_read;
  assign old_config.owner        = old_entry.owner;

  mu_region_decode u_decode (
      .valid_i       (read_q),
      .request_i     (register_request_i),
      .index_o       (region),
      .status_o      (shape),
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
    status    = shape;
    new_entry = old_entry;
    if (write_base) new_entry.base = base;
    if (write_length) begin
      new_entry.length = length;
      if (length > MAX_LENGTH) status = mu_pkg::STATUS_REGISTER_VALUE;
    end
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

  mu_zeroed_memory #(
      .WIDTH      (ENTRY_BITS),
      .DEPTH      (REGIONS),
      .INDEX_WIDTH(8)
  ) u_register_copy (
      .clk_i,
      .rst_ni,
      .write_i      (write),
      .write_index_i(region),
      .write_data_i (new_entry),
      .read_i       (start),
      .read_index_i (region),
      .read_data_o  (old_entry)
  );

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
  assign busy_o      = read_q || done_q || source_read || target_read || calc_read;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      changed_q       <= 1'b1;
      source_region_q <= '0;
      target_region_q <= '0;
      calc_region_q   <= '0;
    end else begin
      changed_q <= write;
      if (source_read) source_region_q <= source_region_i;
      if (target_read) target_region_q <= target_region_i;
      if (calc_read) calc_region_q <= calc_region_i;
    end
  end

  mu_zeroed_memory #(
      .WIDTH      (ENTRY_BITS),
      .DEPTH      (REGIONS),
      .INDEX_WIDTH(8)
  ) u_source_copy (
      .clk_i,
      .rst_ni,
      .write_i      (write),
      .write_index_i(region),
      .write_data_i (new_entry),
      .read_i       (source_read),
      .read_index_i (source_region_i),
      .read_data_o  (source_entry_o)
  );
  mu_zeroed_memory #(
      .WIDTH      (ENTRY_BITS),
      .DEPTH      (REGIONS),
      .INDEX_WIDTH(8)
  ) u_target_copy (
      .clk_i,
      .rst_ni,
      .write_i      (write),
      .write_index_i(region),
      .write_data_i (new_entry),
      .read_i       (target_read),
      .read_index_i (target_region_i),
      .read_data_o  (target_entry_o)
  );
  mu_zeroed_memory #(
      .WIDTH      (ENTRY_BITS),
      .DEPTH      (REGIONS),
      .INDEX_WIDTH(8)
  ) u_calc_copy (
      .clk_i,
      .rst_ni,
      .write_i      (write),
      .write_index_i(region),
      .write_data_i (new_entry),
      .read_i       (calc_read),
      .read_index_i (calc_region_i),
      .read_data_o  (calc_entry_o)
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      answers_only_when_asked : assert (!done_q || register_valid_i);
      answer_is_zero_unless_done : assert (done_q || response_q == '0);
      request_stands_until_done : assert (!read_q || register_valid_i);
      writes_only_what_was_accepted : assert (!write || register_request_i.wide);
    end
  end
endmodule
`default_nettype wire
