// SPDX-License-Identifier: Apache-2.0
// mu_calc_steps: in which passes a loaded reduction takes the operands of a chunk.
//
//   take (beats of an operand) --> [ count ] ---------------+
//   step write --> [ table of steps ] --> [ which is next ] --> pass_o, for as many beats
//                                              ^-- enter, leave (a beat into the pass, out of it)
//
// Behaviour: takes_o while an operand is to come. Of each operand then, with a pass each: the steps that
//   change OPERAND; of the first, a pass that makes it what there is so far; of the others the steps that
//   change SO_FAR, a pass with the operation of the CALC that combines the two, and the steps that change
//   COMBINED. Behind the last operand the steps that change RESULT, and a pass that gives the result away;
//   then takes_o for the next chunk. Steps of one kind go by their index. enters_o: a beat may enter the
//   pass. A pass has ended when all its beats have left, and the next begins then. Without steps pass_o has
//   the operation of the CALC.
// Latency: a cycle between passes, and one behind the steps of each kind.
// Limits: starts when reset ends. steps_i, at most 8, operation_i and element_i stand from the cycle before
//   on, the table from then on. An operand has 1 to 16 beats, each chunk as many for all of its operands.
`default_nettype none

module mu_calc_steps (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    // table of steps
    input  logic                    step_write_i,
    input  logic [2:0]              step_index_i,
    input  mu_pkg::reduction_step_t step_i,
    input  logic [3:0]              steps_i,
    // operation of the CALC
    input  logic [3:0]              operation_i,  // mu_pkg::reduction_e
    input  logic [3:0]              element_i,    // mu_pkg::element_e
    // beats of an operand
    output logic                    takes_o,
    input  logic                    take_i,
    input  logic                    take_last_i,
    input  logic                    first_i,      // of the first operand
    input  logic                    final_i,      // of the last
    // passes
    output logic                    enters_o,
    output mu_pkg::calc_pass_t      pass_o,
    input  logic                    enter_i,
    input  logic                    leave_i
);
  localparam int unsigned STEPS = 8;
  typedef enum logic [1:0] {
    STATE_TAKE,
    STATE_CHOOSE,
    STATE_PASS
  } state_e;
  typedef enum logic [2:0] {
    STAGE_OPERAND,
    STAGE_SO_FAR,
    STAGE_COMBINE,
    STAGE_COMBINED,
    STAGE_RESULT,
    STAGE_GIVE
  } stage_e;

  state_e state_q;
  stage_e stage_q;
  stage_e next_stage;
  logic   single;       // the stage has one pass, and no steps
  logic   ends;         // nothing is left of the stage
  logic   operand_ends; // or of the operand

  // --- the table ---
  logic [1:0] kinds_q[STEPS];  // mu_pkg::step_of_e
  (* no_rw_check *) logic [72:0] lines[STEPS];
  logic [72:0]      line_q;
  logic [3:0]       from_q;  // the first step that may be next
  mu_pkg::step_of_e kind;
  logic             found;
  logic [2:0]       index;
  always_ff @(posedge clk_i) begin
    if (step_write_i) begin
      kinds_q[step_index_i] <= step_i.changes;
      lines[step_index_i]   <= {step_i.constant, step_i.constant_valid, step_i.element, step_i.reduction};
    end
  end
  // What the ALU is to do is a register: whether it can take a beat depends on that.
  always_ff @(posedge clk_i) begin
    if (state_q == STATE_TAKE || single) line_q <= 73'({element_i, operation_i});
    else if (state_q == STATE_CHOOSE) line_q <= lines[index];
  end

  always_comb begin
    unique case (stage_q)
      STAGE_OPERAND:  kind = mu_pkg::STEP_OF_OPERAND;
      STAGE_SO_FAR:   kind = mu_pkg::STEP_OF_SO_FAR;
      STAGE_COMBINED: kind = mu_pkg::STEP_OF_COMBINED;
      default:        kind = mu_pkg::STEP_OF_RESULT;
    endcase
    found = 1'b0;
    index = '0;
    for (int unsigned s = 0; s < STEPS; s++) begin
      if (!found && 4'(s) >= from_q && 4'(s) < steps_i && kinds_q[s] == kind) begin
        found = 1'b1;
        index = 3'(s);
      end
    end
  end

  // --- stages ---
  logic       first_q;
  logic       final_q;
  logic [4:0] beats_q;
  logic [4:0] to_enter_q;
  logic [4:0] to_leave_q;
  logic       passed;
  assign single       = stage_q == STAGE_COMBINE || stage_q == STAGE_GIVE;
  assign passed       = state_q == STATE_PASS && leave_i && to_leave_q == 5'd1;
  assign ends         = single ? passed : state_q == STATE_CHOOSE && !found;
  assign operand_ends = ends && next_stage == STAGE_OPERAND;
  always_comb begin
    unique case (stage_q)
      STAGE_OPERAND: next_stage = first_q ? STAGE_COMBINE : STAGE_SO_FAR;
      STAGE_SO_FAR:  next_stage = STAGE_COMBINE;
      STAGE_COMBINE: next_stage = !first_q ? STAGE_COMBINED : final_q ? STAGE_RESULT : STAGE_OPERAND;
      STAGE_COMBINED: next_stage = final_q ? STAGE_RESULT : STAGE_OPERAND;
      STAGE_RESULT:  next_stage = STAGE_GIVE;
      default:       next_stage = STAGE_OPERAND;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= STATE_TAKE;
      stage_q <= STAGE_OPERAND;
      beats_q <= '0;
      from_q  <= '0;
    end else begin
      unique case (state_q)
        STATE_TAKE:   if (take_i && take_last_i) state_q <= STATE_CHOOSE;
        STATE_CHOOSE: if (found || single) state_q <= STATE_PASS;
        default:      if (passed) state_q <= STATE_CHOOSE;
      endcase
      if (ends) begin
        stage_q <= next_stage;
        from_q  <= '0;
      end else if (state_q == STATE_CHOOSE && !single) from_q <= {1'b0, index} + 4'd1;
      if (operand_ends) begin
        state_q <= STATE_TAKE;
        beats_q <= '0;
      end else if (take_i) beats_q <= beats_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (take_i) {first_q, final_q} <= {first_i, final_i};
    if (state_q == STATE_CHOOSE) {to_enter_q, to_leave_q} <= {2{beats_q}};
    if (enter_i) to_enter_q <= to_enter_q - 1'b1;
    if (leave_i) to_leave_q <= to_leave_q - 1'b1;
  end

  assign takes_o  = state_q == STATE_TAKE;
  assign enters_o = state_q == STATE_PASS && to_enter_q != '0;
  always_comb begin
    pass_o              = '0;
    pass_o.from_operand = stage_q == STAGE_OPERAND || stage_q == STAGE_COMBINE;
    pass_o.from_so_far  = stage_q != STAGE_OPERAND && !(stage_q == STAGE_COMBINE && first_q);
    pass_o.to           = stage_q == STAGE_OPERAND ? mu_pkg::CALC_VALUE_OPERAND :
                          stage_q == STAGE_GIVE ? mu_pkg::CALC_VALUE_RESULT : mu_pkg::CALC_VALUE_SO_FAR;
    pass_o.computes     = stage_q == STAGE_COMBINE ? !first_q : stage_q != STAGE_GIVE;
    {pass_o.constant, pass_o.constant_valid, pass_o.element, pass_o.reduction} = line_q;
  end

  logic unused;
  assign unused = ^{step_i.reserved_11, step_i.reserved_32};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (take_i) takes_what_is_asked_for : assert (takes_o && beats_q < 5'd16);
      if (enter_i) enters_an_open_pass : assert (enters_o);
      if (leave_i) leaves_what_has_entered : assert (state_q == STATE_PASS && to_leave_q != '0 &&
          (to_leave_q > to_enter_q || enter_i));
      at_most_all_steps : assert (steps_i <= 4'(STEPS));
    end
  end

`ifdef PROVE_MU_CALC_STEPS
  // What is proved of mu_calc_steps, for any two steps: each is taken once in each stage of its kind, and in
  // no other; of one kind the lower comes first. A pass is what its step says, of all beats of the operand.
  (* anyconst *) logic [2:0] chosen, other;
  logic       past_q = 1'b0;
  logic       chosen_done_q;  // in this stage
  logic       other_done_q;
  logic       passes;         // of a step
  logic [2:0] running;
  logic [4:0] taken_q;
  logic [4:0] entered_q;
  logic [4:0] left_q;
  (* anyconst *) logic [72:0] line;
  (* anyconst *) logic [1:0]  its_kind;
  (* anyconst *) logic [3:0]  count;
  (* anyconst *) logic [7:0]  combination;
  assign passes  = state_q == STATE_PASS && !single;
  assign running = 3'(from_q - 4'd1);
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (count <= 4'd8 && steps_i == count && {element_i, operation_i} == combination);
    assume (!rst_ni || !step_write_i);
    assume (!take_i || (takes_o && beats_q < 5'd16));
    assume (!take_i || beats_q != 5'd15 || take_last_i);
    assume (!enter_i || enters_o);
    assume (!leave_i || (state_q == STATE_PASS && to_leave_q != '0 && (to_leave_q > to_enter_q || enter_i)));
    // The table has been written.
    assume (kinds_q[chosen] == its_kind && lines[chosen] == line);
    assume (other < chosen);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni || ends) {chosen_done_q, other_done_q} <= '0;
    else if (passes && passed) begin
      if (running == chosen) chosen_done_q <= 1'b1;
      if (running == other) other_done_q <= 1'b1;
    end
    if (!rst_ni || operand_ends) taken_q <= '0;
    else if (take_i) taken_q <= taken_q + 1'b1;
    if (state_q != STATE_PASS) {entered_q, left_q} <= '0;
    else {entered_q, left_q} <= {entered_q + 5'(enter_i), left_q + 5'(leave_i)};
    if (past_q && rst_ni) begin
      if (passes && running == chosen) begin
        in_a_stage_of_its_kind : assert (kind == its_kind && {1'b0, chosen} < steps_i);
        once : assert (!chosen_done_q);
        is_what_the_step_says :
        assert (pass_o.computes &&
                {pass_o.constant, pass_o.constant_valid, pass_o.element, pass_o.reduction} == line);
        behind_the_lower_of_its_kind :
        assert (other_done_q || kinds_q[other] != its_kind);
      end
      if (ends && !single && kind == its_kind && {1'b0, chosen} < steps_i)
        leaves_none_out : assert (chosen_done_q);
      if (passes) changes_one_value :
      assert (pass_o.to == (kind == mu_pkg::STEP_OF_OPERAND ? mu_pkg::CALC_VALUE_OPERAND
                                                            : mu_pkg::CALC_VALUE_SO_FAR) &&
              pass_o.from_operand == (kind == mu_pkg::STEP_OF_OPERAND) &&
              pass_o.from_so_far == (kind != mu_pkg::STEP_OF_OPERAND));
      if (state_q == STATE_PASS && stage_q == STAGE_COMBINE)
        combines_or_moves :
        assert (pass_o.to == mu_pkg::CALC_VALUE_SO_FAR && pass_o.from_operand &&
                pass_o.from_so_far == !first_q && pass_o.computes == !first_q &&
                (first_q || (!pass_o.constant_valid && pass_o.reduction == operation_i &&
                             pass_o.element == element_i)));
      if (state_q == STATE_PASS && stage_q == STAGE_GIVE)
        gives_it_away :
        assert (pass_o.to == mu_pkg::CALC_VALUE_RESULT && !pass_o.computes && final_q);
      if (passed)
        all_beats_have_passed : assert (entered_q + 5'(enter_i) == taken_q && left_q + 5'd1 == taken_q);
      // What the above rests on.
      known_states : assert (state_q <= STATE_PASS && stage_q <= STAGE_GIVE);
      takes_in_its_stage : assert (state_q != STATE_TAKE || (stage_q == STAGE_OPERAND && from_q == '0));
      counts_what_was_taken : assert (beats_q == taken_q && taken_q <= 5'd16);
      some_beat_was_taken : assert (state_q == STATE_TAKE || taken_q != '0);
      if (state_q == STATE_PASS)
        counts_what_passes : assert (to_enter_q == taken_q - entered_q && to_leave_q == taken_q - left_q &&
            left_q <= entered_q && entered_q <= taken_q);
      if (single) no_steps_there : assert (from_q == '0 && {chosen_done_q, other_done_q} == '0);
      chosen_is_below_the_next :
      assert (chosen_done_q == (kind == its_kind && !single && {1'b0, chosen} < steps_i &&
                                {1'b0, chosen} + 4'(passes) < from_q));
      other_is_below_the_next :
      assert (other_done_q == (kind == kinds_q[other] && !single && {1'b0, other} < steps_i &&
                               {1'b0, other} + 4'(passes) < from_q));
      if (state_q == STATE_PASS && single)
        combines_as_the_calc_says : assert (line_q == 73'(combination));
      next_is_behind_one :
      assert (!passes || (from_q != '0 && from_q <= steps_i && kinds_q[running] == kind &&
          (running != chosen || line_q == line)));
      result_behind_the_last : assert ((stage_q != STAGE_RESULT && stage_q != STAGE_GIVE) || final_q);
      not_of_the_first : assert ((stage_q != STAGE_SO_FAR && stage_q != STAGE_COMBINED) || !first_q);
    end
  end
`endif
endmodule
`default_nettype wire
