// SPDX-License-Identifier: Apache-2.0
// mu_counter_config: who owns each counter, and whether its zero interrupts; read by several at once.
//
//   write_i, access_* ---> [ entry for each byte and event counter ] ---> access_data_o
//                            ^---> lookup_*: enable and owner            interrupt_index_i ---> interrupt_o
//
// Behaviour: an entry is {interrupt, enable, owner[3:0]}; zero until written. Lookup n gives enable and owner
//   of counter lookup_index_i[n*8 +: 8] of the kind lookup_is_event_i[n]; zeros for a counter that does not
//   exist.
// Latency: combinational reads; a write shows in the next cycle.
// Limits: LOOKUPS >= 1. A write to a counter that does not exist is dropped.
`default_nettype none

module mu_counter_config #(
    parameter int unsigned LOOKUPS = 4
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // registers
    input  logic                 write_i,
    input  logic                 access_is_event_i,
    input  logic [7:0]           access_index_i,
    input  logic [5:0]           access_data_i,
    output logic [5:0]           access_data_o,
    // byte counter whose interrupt bit is wanted
    input  logic [7:0]           interrupt_index_i,
    output logic                 interrupt_o,
    // lookups
    input  logic [LOOKUPS*8-1:0] lookup_index_i,
    input  logic [LOOKUPS-1:0]   lookup_is_event_i,
    output logic [LOOKUPS-1:0]   lookup_enable_o,
    output logic [LOOKUPS*4-1:0] lookup_owner_o
);
  localparam int unsigned BYTE_COUNTERS  = mu_pkg::BYTE_COUNTERS;
  localparam int unsigned EVENT_COUNTERS = mu_pkg::EVENT_COUNTERS;
  localparam int unsigned ENTRIES        = BYTE_COUNTERS + EVENT_COUNTERS;  // byte counters first
  localparam int unsigned ENTRY_WIDTH    = $clog2(ENTRIES);

  logic [5:0]         entry_q[ENTRIES];
  logic [ENTRIES-1:0] written_q;  // entries that are not written read as zero

  // --- registers ---------------------------------------------------------------------------------
  logic                   access_exists;
  logic [ENTRY_WIDTH-1:0] access_entry;
  assign access_exists = 32'(access_index_i) < (access_is_event_i ? EVENT_COUNTERS : BYTE_COUNTERS);
  assign access_entry  = ENTRY_WIDTH'(access_index_i) +
                         (access_is_event_i ? ENTRY_WIDTH'(BYTE_COUNTERS) : '0);
  assign access_data_o = access_exists && written_q[access_entry] ? entry_q[access_entry] : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) written_q <= '0;
    else if (write_i && access_exists) written_q <= written_q | (ENTRIES'(1) << access_entry);
  end
  always_ff @(posedge clk_i) if (write_i && access_exists) entry_q[access_entry] <= access_data_i;

  // --- lookups -----------------------------------------------------------------------------------
  logic [ENTRY_WIDTH-1:0] interrupt_entry;
  assign interrupt_entry = ENTRY_WIDTH'(interrupt_index_i);
  assign interrupt_o     = 32'(interrupt_index_i) < BYTE_COUNTERS && written_q[interrupt_entry] &&
                           entry_q[interrupt_entry][5];

  for (genvar n = 0; n < LOOKUPS; n++) begin : gen_lookup
    logic [7:0]             index;
    logic                   exists;
    logic [ENTRY_WIDTH-1:0] entry;
    assign index  = lookup_index_i[n*8+:8];
    assign exists = 32'(index) < (lookup_is_event_i[n] ? EVENT_COUNTERS : BYTE_COUNTERS) && written_q[entry];
    assign entry  = ENTRY_WIDTH'(index) + (lookup_is_event_i[n] ? ENTRY_WIDTH'(BYTE_COUNTERS) : '0);
    assign {lookup_enable_o[n], lookup_owner_o[n*4+:4]} = exists ? entry_q[entry][4:0] : '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      owner_exists : assert (!write_i || 32'(access_data_i[3:0]) < mu_pkg::CLIENTS);
      only_byte_counters_interrupt : assert (!write_i || !access_is_event_i || !access_data_i[5]);
    end
  end

`ifdef PROVE_MU_COUNTER_CONFIG
  // What is proved of mu_counter_config, of any one counter of either kind: every reader sees what was
  // written last, zero before, and zero for a counter that does not exist.
  (* anyconst *) logic [7:0] chosen;
  (* anyconst *) logic       chosen_is_event;
  logic       past_q = 1'b0;
  logic [5:0] last_q;
  logic       exists;
  logic [ENTRY_WIDTH-1:0] place;
  assign exists = 32'(chosen) < (chosen_is_event ? EVENT_COUNTERS : BYTE_COUNTERS);
  assign place  = ENTRY_WIDTH'(32'(chosen) + (chosen_is_event ? BYTE_COUNTERS : 0));
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!write_i || 32'(access_data_i[3:0]) < mu_pkg::CLIENTS);
    assume (!write_i || !access_is_event_i || !access_data_i[5]);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) last_q <= '0;
    else if (write_i && exists && {access_is_event_i, access_index_i} == {chosen_is_event, chosen})
      last_q <= access_data_i;
    if (past_q && rst_ni) begin
      if ({access_is_event_i, access_index_i} == {chosen_is_event, chosen})
        access_sees_it : assert (access_data_o == last_q);
      if ({lookup_is_event_i[0], lookup_index_i[7:0]} == {chosen_is_event, chosen})
        a_lookup_sees_it : assert ({lookup_enable_o[0], lookup_owner_o[3:0]} == last_q[4:0]);
      if (!chosen_is_event && interrupt_index_i == chosen) interrupt_sees_it :
      assert (interrupt_o == last_q[5]);
      // What the above rests on.
      keeps_it : assert (!exists || (written_q[place] ? entry_q[place] == last_q : last_q == '0));
      zero_if_it_does_not_exist : assert (exists || last_q == '0);
    end
  end
`endif
endmodule
`default_nettype wire
