// SPDX-License-Identifier: Apache-2.0
// mu_calc_list: the list of a CALC as it was read from memory, and what is wrong with a step in it.
//
//   beats ---> [ 32 entries of 16 bytes ] ---> entry_o ---> [ as a step ] ---> step_status_o
//   read, index --------^
//
// Behaviour: beats that come after begin_i lie one behind the other, two entries each. entry_o is the entry
//   that was read last. step_status_o: of that entry as a step, OK or the first that applies of RESERVED_BITS
//   and REDUCTION_UNDEFINED, which is also said of an operation for more than 2^unit_log2_i bytes.
// Latency: entry and status in the cycle after read_i.
// Limits: at most 16 beats. An entry that was not read from memory may be anything.
`default_nettype none

module mu_calc_list (
    input  logic                 clk_i,
    // from memory
    input  logic                 begin_i,
    input  logic                 beat_valid_i,
    input  mu_pkg::memory_word_t beat_data_i,
    // entries
    input  logic                 read_i,
    input  logic [4:0]           index_i,
    output logic [127:0]         entry_o,
    // as a step
    input  logic [2:0]           unit_log2_i,  // of the bytes of which a result has only wholes
    output mu_pkg::status_e      step_status_o
);
  (* no_rw_check *) logic [255:0] entries[16];
  logic [3:0]           beat_q;
  mu_pkg::memory_word_t pair_q;
  logic                 odd_q;
  always_ff @(posedge clk_i) begin
    if (begin_i) beat_q <= '0;
    else if (beat_valid_i) beat_q <= beat_q + 1'b1;
  end
  always_ff @(posedge clk_i) if (beat_valid_i) entries[beat_q] <= beat_data_i;
  always_ff @(posedge clk_i) begin
    if (read_i) begin
      pair_q <= entries[index_i[4:1]];
      odd_q  <= index_i[0];
    end
  end
  assign entry_o = odd_q ? pair_q[255:128] : pair_q[127:0];

  mu_pkg::reduction_step_t step;
  mu_pkg::status_e defined;
  logic [1:0]      size_log2;  // of an element
  logic            turns;      // the operation is for two pairs
  logic            pairs;
  logic [2:0]      unit_log2;  // of the bytes that it is for
  logic [1:0]      unused_path;
  logic            unused_float;
  logic [1:0]      unused_format;
  logic            unused_signed;
  assign step      = entry_o;
  assign turns     = step.reduction == mu_pkg::REDUCTION_MINMAXLOC;
  assign pairs     = step.reduction == mu_pkg::REDUCTION_MAXLOC ||
                     step.reduction == mu_pkg::REDUCTION_MINLOC || turns;
  assign unit_log2 = 3'(size_log2) + 3'(pairs) + 3'(turns);
  mu_reduction_decode u_decode (
      .operation_i(step.reduction),
      .element_i  (step.element),
      .path_o     (unused_path),
      .status_o   (defined),
      .size_log2_o(size_log2),
      .float_o    (unused_float),
      .format_o   (unused_format),
      .signed_o   (unused_signed)
  );
  always_comb begin
    if ({step.reserved_11, step.reserved_32} != '0) step_status_o = mu_pkg::STATUS_RESERVED_BITS;
    else if (unit_log2 > unit_log2_i) step_status_o = mu_pkg::STATUS_REDUCTION_UNDEFINED;
    else step_status_o = defined;
  end

  logic unused;
  assign unused = ^{step};
endmodule
`default_nettype wire
