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
    output logic [mu_pkg::TOUCH_RANGES-1:0] on_core_read_o,
    output logic [mu_pkg::TOUCH_RANGES-1:0] on_core_write_o,
    output mu_pkg::touch_row_t              row_o,
    // hits
    input  logic [mu_pkg::TOUCH_RANGES-1:0] hit_i,
    output logic [mu_pkg::CLIENTS*8-1:0]    causes_o,
    output logic                            busy_o
);
  localparam int unsigned RANGES = mu_pkg::TOUCH_RANGES;

  logic [RANGES*40-1:0] base_q;
  logic [RANGES*41-1:0] length_q;
  logic [RANGES-1:0]    some_q;      // the length is not zero
  logic [RANGES-1:0]    enable_q;
  logic [RANGES-1:0]    on_read_q;
  logic [RANGES-1:0]    on_write_q;
  logic [RANGES-1:0]    on_core_read_q;
  logic [RANGES-1:0]    on_core_write_q;
  logic [RANGES*4-1:0]  owner_q;
  logic [RANGES-1:0]    hits_q;

  assign on_read_o       = enable_q & on_read_q & some_q;
  assign on_write_o      = enable_q & on_write_q & some_q;
  assign on_core_read_o  = enable_q & on_core_read_q & some_q;
  assign on_core_write_o = enable_q & on_core_write_q & some_q;

  // --- which register, and may it be ---
  logic [RANGES-1:0]           selected;  // the range addressed
  logic [RANGES-1:0]           own;       // ranges of the client whose page is used
  logic                        start;
  logic                        done_q;
  mu_pkg::register_response_t  response_d;
  mu_pkg::register_response_t  response_q;
  logic [7:0]                  index;
  mu_pkg::status_e             shape;
  logic [63:0]                 data;
  mu_pkg::address_t            old_base;
  logic [40:0]                 old_length;
  mu_pkg::touch_range_config_t old_config;
  logic                        write_base;
  logic                        write_length;
  logic                        write_config;
  logic                        write_hits;
  mu_pkg::address_t            new_base;
  logic [40:0]                 new_length;
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
          selected[r]              = 1'b1;
          old_base                 = base_q[r*40+:40];
          old_length               = length_q[r*41+:41];
          old_config.enable        = enable_q[r];
          old_config.on_read       = on_read_q[r];
          old_config.on_write      = on_write_q[r];
          old_config.on_core_read  = on_core_read_q[r];
          old_config.on_core_write = on_core_write_q[r];
          old_config.owner         = owner_q[r*4+:4];
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
  assign write = write_base || write_length || write_config;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      some_q     <= '0;
      base_q     <= '0;
      length_q   <= '0;
      enable_q   <= '0;
      on_read_q  <= '0;
      on_write_q <= '0;
      owner_q    <= '0;
      {on_core_read_q, on_core_write_q} <= '0;
    end else if (write) begin
      for (int r = 0; r < RANGES; r++) begin
        if (selected[r] && write_base) base_q[r*40+:40] <= new_base;
        if (selected[r] && write_length) length_q[r*41+:41] <= new_length;
        if (selected[r] && write_length) some_q[r] <= new_length != '0;
        if (selected[r] && write_config) begin
          enable_q[r]      <= new_config.enable;
          on_read_q[r]     <= new_config.on_read;
          on_write_q[r]    <= new_config.on_write;
          on_core_read_q[r]  <= new_config.on_core_read;
          on_core_write_q[r] <= new_config.on_core_write;
          owner_q[r*4+:4]  <= new_config.owner;
        end
      end
    end
  end

  // Begin and end of the range that changes, for those who compare.
  mu_pkg::address_t row_base;
  logic [40:0]      row_length;
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

`ifdef PROVE_MU_TOUCH_TABLE
  // What is proved of mu_touch_table, of any range: its hit is set by each transfer that touches it while it
  // is enabled, also in the cycle of a clear; it stays until its owner clears it or the range is written; its
  // owner's page alone shows it, and its owner alone is interrupted, in the next cycle; a refused access
  // changes nothing.
  (* anyconst *) logic [$clog2(RANGES)-1:0] chosen;
  logic       past_q = 1'b0;
  logic       on_q, hit_here_q;   // enabled; touched, and not cleared
  logic [3:0] owner_here_q;
  logic       touches, hits_page, in_range, good_config, good_base, good_length, changes;
  logic [2:0] register_here;      // 8 bytes each
  logic       read_hits_q, shown_q, touched_q, started_q;
  logic [3:0] told_q;
  (* anyconst *) logic [3:0] someone;
  logic             by_any, by_any_q;  // a range of that client is touched
  mu_pkg::address_t base_here_q, base_next;
  logic [40:0]      length_here_q, length_next;
  assign touches     = hit_i[chosen] && on_q;
  assign hits_page   = start && register_request_i.page &&
      register_request_i.address == mu_pkg::REG_CLIENT_PAGE_TOUCH_HITS;
  assign in_range    = start && !register_request_i.page && register_request_i.write &&
      register_request_i.wide &&
      register_request_i.address[19:5] == mu_pkg::BLOCK_TOUCH_RANGE_BASE[19:5] + 15'(chosen);
  assign register_here = {1'b0, register_request_i.address[4:3]};
  assign good_base   = register_request_i.data < 64'h100_0000_0000;
  assign good_length = register_request_i.data <= 64'h100_0000_0000;
  assign good_config = register_request_i.data < 64'h400 && !register_request_i.data[3] &&
      32'(register_request_i.data[7:4]) < mu_pkg::CLIENTS;
  assign changes     = in_range &&
      ((register_here == 3'd0 && good_base) || (register_here == 3'd1 && good_length) ||
       (register_here == 3'd2 && good_config));
  assign base_next   = changes && register_here == 3'd0 ? register_request_i.data[39:0] : base_here_q;
  assign length_next = changes && register_here == 3'd1 ? register_request_i.data[40:0] : length_here_q;
  always_comb begin
    by_any = 1'b0;
    for (int unsigned i = 0; i < RANGES; i++)
      if (hit_i[i] && enable_q[i] && owner_q[4*i+:4] == someone) by_any = 1'b1;
  end
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < RANGES && 32'(someone) < mu_pkg::CLIENTS);
  end
  always_ff @(posedge clk_i) begin
    past_q      <= 1'b1;
    read_hits_q <= hits_page && !register_request_i.write;
    shown_q     <= hit_here_q && owner_here_q == register_request_i.client;
    touched_q   <= rst_ni && touches;
    started_q   <= rst_ni && start;
    told_q      <= owner_here_q;
    by_any_q    <= rst_ni && by_any;
    if (!rst_ni) {on_q, hit_here_q, owner_here_q, base_here_q, length_here_q} <= '0;
    else begin
      if (changes && register_here == 3'd2)
        {owner_here_q, on_q} <= {register_request_i.data[7:4], register_request_i.data[0]};
      base_here_q   <= base_next;
      length_here_q <= length_next;
      if (touches) hit_here_q <= 1'b1;
      else if (changes || (hits_page && register_request_i.write && register_request_i.wide &&
                           owner_here_q == register_request_i.client && register_request_i.data[chosen]))
        hit_here_q <= 1'b0;
      if (past_q) begin
        answers_the_next_cycle : assert (register_done_o == started_q);
        if (started_q && read_hits_q)
          its_owner_alone_sees_it :
          assert (register_response_o.status == mu_pkg::STATUS_OK &&
                  register_response_o.data[chosen] == shown_q);
        if (touched_q && 32'(told_q) < mu_pkg::CLIENTS)
          its_owner_is_interrupted : assert (1'(causes_o >> {told_q, 3'(mu_pkg::CAUSE_TOUCH)}));
        no_one_else_is : assert (1'(causes_o >> {someone, 3'(mu_pkg::CAUSE_TOUCH)}) == by_any_q);
        lies_where_it_was_put :
        assert (40'(base_q >> (32'(chosen) * 40)) == base_here_q &&
                41'(length_q >> (32'(chosen) * 41)) == length_here_q);
        its_row_is_told :
        assert ((row_o.valid && row_o.index == 8'(chosen)) == (changes && register_here != 3'd2));
        if (row_o.valid && row_o.index == 8'(chosen))
          begins_and_ends_there :
          assert (row_o.base == base_next && 42'(row_o.range_end) == 42'(base_next) + 42'(length_next));
        of_some_bytes : assert (some_q[chosen] == (length_here_q != '0));
        only_while_it_is_enabled : assert ((on_q && length_here_q != '0) || !(on_read_o[chosen] ||
            on_write_o[chosen] || on_core_read_o[chosen] || on_core_write_o[chosen]));
        // What the above rests on.
        keeps_the_range :
        assert (hits_q[chosen] == hit_here_q && enable_q[chosen] == on_q &&
                4'(owner_q >> {chosen, 2'd0}) == owner_here_q);
      end
    end
  end
`endif
endmodule
`default_nettype wire
