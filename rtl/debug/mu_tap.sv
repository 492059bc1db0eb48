// SPDX-License-Identifier: Apache-2.0
// mu_tap: the test access port of a node, IEEE 1149.1: its controller, its instruction, IDCODE and BYPASS.
//
//   tck_i, tms_i, trst_ni ---> [ sampled by clk_i ] ---> [ 16 states ] ---> access_capture_o, ...
//   tdi_i --------------+---> [ instruction ] ----------------+
//                       +---> [ IDCODE ] [ BYPASS ] ----------+---> [ falling edge of TCK ] ---> tdo_o
//                       +---> access_bit_o ... access_bit_i --+
//
// Behaviour: the states and what they do are those of the standard. A rising edge of TCK moves the state,
//   loads in a Capture state and shifts in a Shift state; at a falling edge TDO changes and an instruction
//   takes effect. TEST_LOGIC_RESET, which trst_ni or five edges with TMS high reach from anywhere, chooses
//   IDCODE. An instruction captures 0001; a code that names no register is BYPASS. With REGISTER_ACCESS the
//   scan goes through the register outside, which captures, shifts and updates in the cycle of its pulse.
// Latency: an edge of TCK acts in the third edge of clk_i at which its new level can be seen.
// Limits: clk_i samples all pins, so it must run, and each level of TCK stands for at least three of its
//   cycles (asserted), with four where nothing ties the two clocks together; TMS and TDI change while TCK is
//   low or with its falling edge. rst_ni, of two cycles or more, is the reset of power-up: the standard lets
//   no other initialise a TAP. There is no boundary scan: SAMPLE, PRELOAD and EXTEST are BYPASS.
// two-readers: hold:trst_ni=1 cycles=60000
`default_nettype none

module mu_tap (
    input  logic clk_i,
    input  logic rst_ni,
    // pins
    input  logic tck_i,
    input  logic tms_i,
    input  logic tdi_i,
    input  logic trst_ni,
    output logic tdo_o,
    output logic tdo_enable_o,
    // the data register of REGISTER_ACCESS
    output logic access_capture_o,
    output logic access_shift_o,
    output logic access_update_o,
    output logic access_bit_o,      // enters it
    input  logic access_bit_i       // leaves it
);
  localparam int unsigned SAMPLES = 4;  // of TCK: two synchronise, and what was before

  logic [SAMPLES:0]   tck_q;
  logic [1:0]         tms_q, tdi_q, trst_nq;
  mu_pkg::tap_state_e state_q, state_d;
  logic [3:0]         instruction_q;
  logic [3:0]         instruction_shift_q;
  mu_pkg::tap_idcode_t idcode;
  logic [31:0]        idcode_q;
  logic               bypass_q;
  logic               tdo_q, tdo_enable_q;
  logic               rises, falls, tms, tdi;
  logic               chosen_bit;  // of the data register that is chosen

  assign tms   = tms_q[1];
  assign tdi   = tdi_q[1];
  assign rises = tck_q[1] && !tck_q[2];
  assign falls = !tck_q[1] && tck_q[2];

  // The synchronisers. The older samples of TCK say after reset that it was high, so that no edge rises.
  always_ff @(posedge clk_i) begin
    tck_q[1:0] <= {tck_q[0], tck_i};
    tms_q      <= {tms_q[0], tms_i};
    tdi_q      <= {tdi_q[0], tdi_i};
    trst_nq    <= {trst_nq[0], trst_ni};
    if (!rst_ni) tck_q[SAMPLES:2] <= '1;
    else tck_q[SAMPLES:2] <= tck_q[SAMPLES-1:1];
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      mu_pkg::TAP_STATE_TEST_LOGIC_RESET: if (!tms) state_d = mu_pkg::TAP_STATE_RUN_TEST_IDLE;
      mu_pkg::TAP_STATE_RUN_TEST_IDLE:    if (tms) state_d = mu_pkg::TAP_STATE_SELECT_DR_SCAN;
      mu_pkg::TAP_STATE_SELECT_DR_SCAN:
        state_d = tms ? mu_pkg::TAP_STATE_SELECT_IR_SCAN : mu_pkg::TAP_STATE_CAPTURE_DR;
      mu_pkg::TAP_STATE_CAPTURE_DR: state_d = tms ? mu_pkg::TAP_STATE_EXIT1_DR : mu_pkg::TAP_STATE_SHIFT_DR;
      mu_pkg::TAP_STATE_SHIFT_DR:   if (tms) state_d = mu_pkg::TAP_STATE_EXIT1_DR;
      mu_pkg::TAP_STATE_EXIT1_DR:   state_d = tms ? mu_pkg::TAP_STATE_UPDATE_DR : mu_pkg::TAP_STATE_PAUSE_DR;
      mu_pkg::TAP_STATE_PAUSE_DR:   if (tms) state_d = mu_pkg::TAP_STATE_EXIT2_DR;
      mu_pkg::TAP_STATE_EXIT2_DR:   state_d = tms ? mu_pkg::TAP_STATE_UPDATE_DR : mu_pkg::TAP_STATE_SHIFT_DR;
      mu_pkg::TAP_STATE_UPDATE_DR:
        state_d = tms ? mu_pkg::TAP_STATE_SELECT_DR_SCAN : mu_pkg::TAP_STATE_RUN_TEST_IDLE;
      mu_pkg::TAP_STATE_SELECT_IR_SCAN:
        state_d = tms ? mu_pkg::TAP_STATE_TEST_LOGIC_RESET : mu_pkg::TAP_STATE_CAPTURE_IR;
      mu_pkg::TAP_STATE_CAPTURE_IR: state_d = tms ? mu_pkg::TAP_STATE_EXIT1_IR : mu_pkg::TAP_STATE_SHIFT_IR;
      mu_pkg::TAP_STATE_SHIFT_IR:   if (tms) state_d = mu_pkg::TAP_STATE_EXIT1_IR;
      mu_pkg::TAP_STATE_EXIT1_IR:   state_d = tms ? mu_pkg::TAP_STATE_UPDATE_IR : mu_pkg::TAP_STATE_PAUSE_IR;
      mu_pkg::TAP_STATE_PAUSE_IR:   if (tms) state_d = mu_pkg::TAP_STATE_EXIT2_IR;
      mu_pkg::TAP_STATE_EXIT2_IR:   state_d = tms ? mu_pkg::TAP_STATE_UPDATE_IR : mu_pkg::TAP_STATE_SHIFT_IR;
      mu_pkg::TAP_STATE_UPDATE_IR:
        state_d = tms ? mu_pkg::TAP_STATE_SELECT_DR_SCAN : mu_pkg::TAP_STATE_RUN_TEST_IDLE;
      default: state_d = mu_pkg::TAP_STATE_TEST_LOGIC_RESET;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !trst_nq[1]) state_q <= mu_pkg::TAP_STATE_TEST_LOGIC_RESET;
    else if (rises) state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || state_q == mu_pkg::TAP_STATE_TEST_LOGIC_RESET)
      instruction_q <= mu_pkg::TAP_INSTRUCTION_IDCODE;
    else if (falls && state_q == mu_pkg::TAP_STATE_UPDATE_IR) instruction_q <= instruction_shift_q;
  end

  always_comb begin
    idcode              = '0;
    idcode.marker       = 1'b1;
    idcode.manufacturer = 11'(mu_pkg::TAP_MANUFACTURER);
    idcode.part         = 16'(mu_pkg::TAP_PART);
    idcode.version      = 4'(mu_pkg::TAP_VERSION);
  end

  // The registers that shift need no reset: a Capture state loads each before it is seen.
  always_ff @(posedge clk_i) begin
    if (rises && state_q == mu_pkg::TAP_STATE_CAPTURE_IR) instruction_shift_q <= 4'b0001;
    if (rises && state_q == mu_pkg::TAP_STATE_SHIFT_IR)
      instruction_shift_q <= {tdi, instruction_shift_q[3:1]};
    if (rises && state_q == mu_pkg::TAP_STATE_CAPTURE_DR) begin
      idcode_q <= idcode;
      bypass_q <= 1'b0;
    end
    if (rises && state_q == mu_pkg::TAP_STATE_SHIFT_DR) begin
      idcode_q <= {tdi, idcode_q[31:1]};
      bypass_q <= tdi;
    end
  end

  always_comb begin
    access_capture_o = 1'b0;
    access_shift_o   = 1'b0;
    access_update_o  = 1'b0;
    access_bit_o     = tdi;
    chosen_bit       = bypass_q;
    if (instruction_q == mu_pkg::TAP_INSTRUCTION_IDCODE) chosen_bit = idcode_q[0];
    if (instruction_q == mu_pkg::TAP_INSTRUCTION_REGISTER_ACCESS) begin
      chosen_bit       = access_bit_i;
      access_capture_o = rises && state_q == mu_pkg::TAP_STATE_CAPTURE_DR;
      access_shift_o   = rises && state_q == mu_pkg::TAP_STATE_SHIFT_DR;
      access_update_o  = falls && state_q == mu_pkg::TAP_STATE_UPDATE_DR;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !trst_nq[1]) begin
      tdo_q        <= 1'b0;
      tdo_enable_q <= 1'b0;
    end else if (falls) begin
      tdo_q        <= state_q == mu_pkg::TAP_STATE_SHIFT_IR ? instruction_shift_q[0] :
                      state_q == mu_pkg::TAP_STATE_SHIFT_DR && chosen_bit;
      tdo_enable_q <= state_q == mu_pkg::TAP_STATE_SHIFT_IR || state_q == mu_pkg::TAP_STATE_SHIFT_DR;
    end
  end
  assign tdo_o        = tdo_q;
  assign tdo_enable_o = tdo_enable_q;

`ifdef PROVE_MU_TAP
  // Inputs may do anything here, so TCK may be as fast as clk_i sees it.
  logic       past_q = 1'b0;
  logic       fell_q = 1'b0;
  logic       shifts_q = 1'b0;       // at the last falling edge
  logic       was_reset_q = 1'b0;    // the state, a cycle before
  logic       tdo_before_q;
  logic [2:0] ones_q = '0;           // edges with TMS high, one behind the other
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q       <= 1'b1;
    fell_q       <= falls;
    tdo_before_q <= tdo_q;
    was_reset_q  <= state_q == mu_pkg::TAP_STATE_TEST_LOGIC_RESET;
    if (!rst_ni || !trst_nq[1]) shifts_q <= 1'b0;
    else if (falls)
      shifts_q <= state_q == mu_pkg::TAP_STATE_SHIFT_IR || state_q == mu_pkg::TAP_STATE_SHIFT_DR;
    if (!rst_ni) ones_q <= '0;
    else if (rises) ones_q <= !tms ? '0 : ones_q == 3'd5 ? 3'd5 : ones_q + 3'd1;
    if (past_q && rst_ni) begin
      five_ones_reset : assert (ones_q != 3'd5 || state_q == mu_pkg::TAP_STATE_TEST_LOGIC_RESET);
      reset_chooses_idcode : assert (!was_reset_q || instruction_q == mu_pkg::TAP_INSTRUCTION_IDCODE);
      tdo_changes_after_a_falling_edge : assert (fell_q || tdo_q == tdo_before_q || !tdo_q);
      drives_tdo_while_it_shifts : assert (tdo_enable_q == shifts_q);
      only_drives_ones : assert (!tdo_q || tdo_enable_q);
      one_pulse_at_a_time : assert ($onehot0({access_capture_o, access_shift_o, access_update_o}));
      no_access_in_reset : assert (!was_reset_q || !(access_capture_o || access_shift_o || access_update_o));
    end
  end
`else
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      tck_was_low_for_three_cycles : assert (!rises || (!tck_q[3] && !tck_q[4]));
      tck_was_high_for_three_cycles : assert (!falls || (tck_q[3] && tck_q[4]));
    end
  end
`endif
endmodule
`default_nettype wire
