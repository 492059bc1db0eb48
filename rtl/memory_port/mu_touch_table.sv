// SPDX-License-Identifier: Apache-2.0
// mu_touch_table: the ranges of interrupt-on-touch memory, their registers and their sticky hits.
//
//   register bus <--> [ base, length, config of each range ] --> rows for mu_touch_match
//   hit_read_i, hit_write_i (a bit a range) --> [ hits, sticky ] --> touch_hits, causes_o
//
// Behaviour: a hit sets the range's bit and, in the next cycle, pulses cause TOUCH of its owner. Page
//   register touch_hits shows and clears (write one) the bits of the client's own ranges only; a hit in the
//   cycle of its clear stays. Registers of block touch_range are read and written with 8 bytes. A refused
//   access changes nothing and reads zero. A change of base, length or config clears the range's hit.
// Latency: register_done_o one cycle after register_valid_i; causes_o one cycle after the hit.
// Limits: base below 2^40, length at most 2^40, owner below CLIENTS, bits without meaning zero: else
//   REGISTER_VALUE. Unknown addresses REGISTER_UNKNOWN, writes of 4 bytes REGISTER_PARTIAL.
// Random addresses and values would nearly all be refused.
// two-readers: hold:register_request_i[72+:12]=mu_pkg::BLOCK_TOUCH_RANGE_BASE>>8
// two-readers: hold:register_request_i[64+:3]=0
// two-readers: hold:register_request_i[8+:56]=0 hold:register_request_i[88+:2]=2 seen=15
`default_nettype none

module mu_touch_table (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    // register bus
    input  logic                            register_valid_i,
    input  mu_pkg::register_request_t       register_request_i,
    output logic                            register_done_o,
    output mu_pkg::register_response_t      register_response_o,
    // ranges, for mu_touch_match
    output logic [mu_pkg::TOUCH_RANGES-1:0] on_read_o,   // enabled, and of a byte at least
    output logic [mu_pkg::TOUCH_RANGES-1:0] on_write_o,
    output mu_pkg::touch_row_t              row_o,
    // hits
    input  logic [mu_pkg::TOUCH_RANGES-1:0] hit_i,
    output logic [mu_pkg::CLIENTS*8-1:0]    causes_o,
    output logic                            busy_o
);
  localparam int unsigned RANGES = mu_pkg::TOUCH_RANGES;
  localparam logic [40:0] MOST_BYTES = 41'h100_0000_0000;

  logic [RANGES*40-1:0] base_q;
  logic [RANGES*41-1:0] length_q;
  logic [RANGES-1:0]    some_q;      // the length is not zero
  logic [RANGES-1:0]    enable_q;
  logic [RANGES-1:0]    on_read_q;
  logic [RANGES-1:0]    on_write_q;
  logic [RANGES*4-1:0]  owner_q;
  logic [RANGES-1:0]    hits_q;

  assign on_read_o  = enable_q & on_read_q & some_q;
  assign on_write_o = enable_q & on_write_q & some_q;

  // --- which register, and may it be ---
  logic [RANGES-1:0]          selected;      // the range addressed
  logic [RANGES-1:0]          own;           // ranges of the client whose page is used
  logic                       start;
  logic                       done_q;
  mu_pkg::register_response_t response_d;
  mu_pkg::register_response_t response_q;
  logic [7:0]                 index;
  mu_pkg::status_e            shape;
  logic [63:0]                data;
  logic [39:0]                old_base;
  logic [40:0]                old_length;
  mu_pkg::touch_range_config_t old_config;
  logic                       write_base;
  logic                       write_length;
  logic                       write_config;
  logic                       write_hits;
  logic [39:0]                new_base;
  logic [40:0]                new_length;
  mu_pkg::touch_range_config_t new_config;

  assign start = register_valid_i && !done_q;

  mu_touch_range_decode u_decode (
      .valid_i       (start && !register_request_i.page),
      .request_i     (register_request_i),
      .index_o       (index),
      .status_o      (shape),
      .data_o        (data),
      .base_i        (old_base),
      .write_base_o  (write_base),
      .base_o        (new_base),
      .length_i      (old_length),
      .write_length_o(write_length),
      .length_o      (new_length),
      .config_i      (old_config),
      .write_config_o(write_config),
      .config_o      (new_config)
  );

  always_comb begin
    selected   = '0;
    own        = '0;
    old_base   = '0;
    old_length = '0;
    old_config = '0;
    if (start) begin
      for (int r = 0; r < RANGES; r++) begin
        own[r] = owner_q[r*4+:4] == register_request_i.client;
        if (!register_request_i.page && index == 8'(r)) begin
          selected[r]         = 1'b1;
          old_base            = base_q[r*40+:40];
          old_length          = length_q[r*41+:41];
          old_config.enable   = enable_q[r];
          old_config.on_read  = on_read_q[r];
          old_config.on_write = on_write_q[r];
          old_config.owner    = owner_q[r*4+:4];
        end
      end
    end
  end

  always_comb begin
    response_d = '0;
    write_hits = 1'b0;
    if (start && register_request_i.page) begin
      if (register_request_i.address != mu_pkg::REG_CLIENT_PAGE_TOUCH_HITS)
        response_d.status = mu_pkg::STATUS_REGISTER_UNKNOWN;
      else if (!register_request_i.write) response_d.data = {{(64 - RANGES) {1'b0}}, hits_q & own};
      else if (!register_request_i.wide) response_d.status = mu_pkg::STATUS_REGISTER_PARTIAL;
      else write_hits = 1'b1;
    end else if (start) begin
      response_d.status = shape;
      response_d.data   = data;
      if (write_length && new_length > MOST_BYTES) response_d.status = mu_pkg::STATUS_REGISTER_VALUE;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      done_q     <= 1'b0;
      response_q <= '0;
    end else begin
      done_q     <= start;
      response_q <= response_d;
    end
  end
  assign register_done_o     = done_q;
  assign register_response_o = response_q;

  // --- state ---
  logic write;  // of a range
  assign write = (write_base || write_length || write_config) && response_d.status == mu_pkg::STATUS_OK;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      some_q     <= '0;
      base_q     <= '0;
      length_q   <= '0;
      enable_q   <= '0;
      on_read_q  <= '0;
      on_write_q <= '0;
      owner_q    <= '0;
    end else if (write) begin
      for (int r = 0; r < RANGES; r++) begin
        if (selected[r] && write_base) base_q[r*40+:40] <= new_base;
        if (selected[r] && write_length) length_q[r*41+:41] <= new_length;
        if (selected[r] && write_length) some_q[r] <= new_length != '0;
        if (selected[r] && write_config) begin
          enable_q[r]      <= new_config.enable;
          on_read_q[r]     <= new_config.on_read;
          on_write_q[r]    <= new_config.on_write;
          owner_q[r*4+:4]  <= new_config.owner;
        end
      end
    end
  end

  // Begin and end of the range that changes, for those who compare.
  logic [39:0] row_base;
  logic [40:0] row_length;
  assign row_base        = write_base ? new_base : old_base;
  assign row_length      = write_length ? new_length : old_length;
  assign row_o.valid     = write && !write_config;
  assign row_o.index     = index;
  assign row_o.base      = row_base;
  assign row_o.range_end = 41'(row_base) + row_length;

  // Clears first, then hits: a hit in the cycle of its clear is not lost.
  // A range that was switched off since its transfer began does not fire.
  logic [RANGES-1:0] clear;
  logic [RANGES-1:0] hit;
  assign hit = hit_i & enable_q;
  always_comb begin
    clear = '0;
    if (write_hits) clear = own & register_request_i.data[RANGES-1:0];
    else if (write) clear = selected;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) hits_q <= '0;
    else if (write || write_hits || hit != '0) hits_q <= (hits_q & ~clear) | hit;
  end

  logic [mu_pkg::CLIENTS*8-1:0] causes_d;
  logic [mu_pkg::CLIENTS*8-1:0] causes_q;
  always_comb begin
    causes_d = '0;
    if (hit != '0) begin
      for (int r = 0; r < RANGES; r++) begin
        for (int c = 0; c < mu_pkg::CLIENTS; c++) begin
          if (hit[r] && owner_q[r*4+:4] == 4'(c)) causes_d[c*8+32'(mu_pkg::CAUSE_TOUCH)] = 1'b1;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) causes_q <= '0;
    else causes_q <= causes_d;
  end
  assign causes_o = causes_q;
  assign busy_o   = done_q || causes_q != '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      done_is_a_pulse : assert (!(done_q && start));
      one_range_at_most : assert ($onehot0(selected));
      if (!done_q) silent_unless_done : assert (response_q == '0);
    end
  end
endmodule
`default_nettype wire
