// SPDX-License-Identifier: Apache-2.0
// mu_calc_check: may this CALC run, and where do its operands and its result lie?
//
//   descriptor ---> [ its own fields ] ---> [ result | list | operand 0 | operand 1 ... ] ---> status_o
//                        region_o <---------- looked up, measured, judged ---> table write, step write,
//                        list command ---> beats of the list --^                result_address_o
//
// Behaviour: start_i begins; done_o is high for one cycle with status_o, OK or the first that applies of:
//   RESERVED_BITS (of the immediate), REDUCTION_UNDEFINED (without LANES also of more than one operand and of
//   steps), LENGTH_ZERO, OPERANDS_INVALID (0 or more than 16; more than 2 with immediate_valid; more than 8
//   steps or targets; targets of a result with strides; an index attached to what has none; length not whole
//   elements, pairs of MAXLOC and MINLOC, two pairs of MINMAXLOC, or not whole rows), that of the result's
//   region, OPERANDS_INVALID (a result with strides that reaches over less than its length, so that its
//   elements lie on one another), that of the list's region, MEMORY_ERROR (reading the list), for each
//   operand in turn RESERVED_BITS (of its entry) and that of its region, and for each step in turn
//   RESERVED_BITS and REDUCTION_UNDEFINED (also of elements, pairs or two pairs larger than the CALC's, of
//   which a result may end with a part). A region's is REGION_INVALID, PERMISSION (only its owner may use it
//   here) or REGION_BOUNDS. An operand, or a result with strides, is in bounds if the first and the last byte
//   of every element is, strides of any sign counted. Each operand and each step that passes is written to
//   its table.
// Latency: 4 cycles and, with rows, 38; for the result 2; for a list 3 and its read; for each step 2, for
//   each operand 4 and as many as the numbers of elements and rows have bits, which a result with strides
//   takes, too. target_o answers target_read_i in the next cycle, from the list that was read.
// Limits: descriptor_i and owner_i stand from the cycle after start_i to done_o. entry_i answers one cycle
//   after region_o.
// two-readers: hold:descriptor_i[19+:5]=2 hold:descriptor_i[40+:8]=2 hold:descriptor_i[108:106]=0
// two-readers: hold:descriptor_i[128+:37]=64 hold:descriptor_i[303:298]=0 hold:descriptor_i[383:346]=0
// two-readers: hold:descriptor_i[472:470]=0 hold:owner_i=0 hold:entry_i[84:78]=1 hold:entry_i[77:40]=1<<36
// two-readers: seen=20
`default_nettype none

module mu_calc_check #(
    parameter int unsigned LANES = mu_pkg::CALC_LANES
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    // what is judged
    input  logic                  start_i,
    input  mu_pkg::descriptor_t   descriptor_i,
    input  logic [3:0]            owner_i,
    // region table
    output logic                  looks_o,   // region_o is looked up, or entry_i is looked at
    output logic [7:0]            region_o,
    input  mu_pkg::region_entry_t entry_i,
    // memory port: the list of operands
    output logic                  command_valid_o,
    input  logic                  command_ready_i,
    output mu_pkg::read_command_t command_data_o,
    input  logic                  beat_valid_i,
    input  mu_pkg::memory_word_t  beat_data_i,
    input  logic                  beat_last_i,
    input  logic                  beat_error_i,
    // judgement
    output logic                  done_o,
    output mu_pkg::status_e       status_o,
    output logic [36:0]           elements_o,
    output logic [36:0]           row_o,          // elements of a row
    output logic [2:0]            size_log2_o,    // of an element or a pair of the operands
    output logic                  attach_o,       // elements get an index, and are pairs in the result
    output logic [2:0]            result_log2_o,  // of an element or a pair of the result
    output mu_pkg::address_t      result_address_o,
    output logic                  strided_o,      // the result is not one piece of memory
    output mu_pkg::address_t      result_stride_o,
    output mu_pkg::address_t      result_row_stride_o,
    // table of operands
    output logic                  table_write_o,
    output logic [3:0]            table_index_o,
    output mu_pkg::address_t      table_address_o,
    output mu_pkg::address_t      table_stride_o,
    output mu_pkg::address_t      table_row_stride_o,
    // table of steps
    output logic [3:0]            steps_o,
    output logic                  step_write_o,
    output logic [2:0]            step_index_o,
    output mu_pkg::reduction_step_t step_o,
    // targets, once it is done
    input  logic                  target_read_i,
    input  logic [2:0]            target_index_i,
    output mu_pkg::packet_header_t target_o
);
  typedef enum logic [3:0] {
    STATE_IDLE,
    STATE_SHAPE,    // judges the fields themselves
    STATE_ROWS,     // counts the rows
    STATE_FETCH,    // reads the operand's entry from the list
    STATE_LOOK_UP,  // the region stands at region_o; measuring begins
    STATE_MEASURE,  // how far the operand reaches
    STATE_JUDGE,
    STATE_COMMAND,  // asks memory for the list
    STATE_LIST,     // takes it
    STATE_DONE
  } state_e;

  typedef enum logic [1:0] {
    SUBJECT_RESULT,
    SUBJECT_LIST,
    SUBJECT_OPERAND,
    SUBJECT_STEP
  } subject_e;

  state_e                  state_q;
  subject_e                subject_q;  // whose region it is
  logic [4:0]              entry_q;    // of the list
  mu_pkg::status_e         status_q;
  mu_pkg::calc_operation_t operation;  // with immediate_valid
  mu_pkg::calc_shape_t     shape;      // without
  assign operation = descriptor_i.immediate;
  assign shape     = descriptor_i.immediate;

  // --- the fields themselves ---
  logic [1:0]  path;
  logic [1:0]  size_log2;        // of an element
  mu_pkg::status_e reduction_status;
  logic        pairs;
  logic        direct;           // operands named by the immediate
  logic        has_rows;
  logic        turns;            // two pairs stand for one element
  logic [2:0]  unit_log2;        // of the bytes of which a length has only wholes
  logic [4:0]  size_mask;
  logic        reserved_bad, shape_bad;
  mu_pkg::status_e shape_status;
  logic [4:0]  judged;           // operands and steps
  logic [5:0]  entries;          // of the list, which has no operands with immediate_valid
  logic        last_operand, last_entry;  // is judged
  logic        rows_busy, rows_exact;
  logic [36:0] rows;

  logic [3:0]  unused_decode;
  mu_reduction_decode u_decode (
      .operation_i(descriptor_i.reduction),
      .element_i  (descriptor_i.element),
      .path_o     (path),
      .status_o   (reduction_status),
      .size_log2_o(size_log2),
      .float_o    (unused_decode[0]),
      .format_o   (unused_decode[2:1]),
      .signed_o   (unused_decode[3])
  );
  assign turns        = descriptor_i.reduction == mu_pkg::REDUCTION_MINMAXLOC;
  assign pairs        = descriptor_i.reduction == mu_pkg::REDUCTION_MAXLOC ||
                        descriptor_i.reduction == mu_pkg::REDUCTION_MINLOC || turns;
  assign direct       = descriptor_i.immediate_valid;
  assign attach_o     = direct ? operation.attach_index : shape.attach_index;
  assign has_rows     = !direct && shape.row_elements != '0;
  assign steps_o      = direct ? '0 : shape.steps;
  assign judged       = descriptor_i.operands + 5'(steps_o);
  assign entries      = 6'(descriptor_i.targets) + (direct ? '0 : 6'(judged));
  assign last_operand = entry_q + 5'd1 == descriptor_i.operands;
  assign last_entry   = entry_q + 5'd1 == judged;

  assign result_log2_o = 3'(size_log2) + 3'(pairs);
  assign size_log2_o   = 3'(size_log2) + 3'(pairs && !attach_o);
  assign unit_log2     = result_log2_o + 3'(turns);
  assign size_mask     = ~(5'b11111 << unit_log2);
  assign elements_o    = descriptor_i.length >> result_log2_o;
  assign row_o         = has_rows ? 37'(shape.row_elements) : elements_o;
  assign reserved_bad  = direct ? {operation.reserved_46, operation.reserved_93, operation.reserved_96} != '0
                                : {shape.reserved_44, shape.reserved_46, shape.reserved_88} != '0;
  assign shape_bad     = descriptor_i.operands == '0 || descriptor_i.operands > 5'd16 ||
                         (direct && descriptor_i.operands > 5'd2) || (attach_o && !pairs) ||
                         steps_o > 4'd8 || descriptor_i.targets > 4'd8 ||
                         (descriptor_i.targets != '0 && strided_o) ||
                         (descriptor_i.length[4:0] & size_mask) != '0;
  always_comb begin
    if (reserved_bad) shape_status = mu_pkg::STATUS_RESERVED_BITS;
    else if (path == mu_pkg::REDUCTION_PATH_UNDEFINED) shape_status = reduction_status;
    else if (LANES == 0 && (descriptor_i.operands > 5'd1 || attach_o || steps_o != '0))
      shape_status = mu_pkg::STATUS_REDUCTION_UNDEFINED;
    else if (descriptor_i.length == '0) shape_status = mu_pkg::STATUS_LENGTH_ZERO;
    else if (shape_bad) shape_status = mu_pkg::STATUS_OPERANDS_INVALID;
    else shape_status = mu_pkg::STATUS_OK;
  end

  // A result of adjacent elements and rows is one piece. Elements are adjacent unless a stride is named.
  assign strided_o           = !direct && {shape.result_stride, shape.result_row_stride} != '0;
  assign result_stride_o     = shape.result_stride != '0 ? shape.result_stride : 40'd1 << result_log2_o;
  assign result_row_stride_o = shape.result_row_stride;

  mu_calc_rows u_rows (
      .clk_i,
      .rst_ni,
      .start_i   (state_q == STATE_SHAPE && has_rows),
      .elements_i(elements_o),
      .row_i     (shape.row_elements),
      .busy_o    (rows_busy),
      .exact_o   (rows_exact),
      .rows_o    (rows)
  );

  // --- the list ---
  logic [127:0]      listed;
  mu_pkg::operand_t  operand;
  mu_pkg::status_e   step_status;
  mu_calc_list u_list (
      .clk_i,
      .begin_i      (state_q == STATE_COMMAND),
      .beat_valid_i (state_q == STATE_LIST && beat_valid_i),
      .beat_data_i,
      .read_i       (state_q == STATE_FETCH || target_read_i),
      .index_i      (state_q == STATE_FETCH ? entry_q : (direct ? '0 : judged) + 5'(target_index_i)),
      .entry_o      (listed),
      .unit_log2_i  (unit_log2),
      .step_status_o(step_status)
  );
  assign step_o   = listed;
  assign target_o = listed;

  // An operand of the immediate has an entry like the others: adjacent elements, one row.
  always_comb begin
    operand = listed;
    if (direct) begin
      operand        = '0;
      operand.stride = 40'd1 << size_log2_o;
      operand.region = entry_q[0] ? operation.right_region : operation.left_region;
      operand.offset = entry_q[0] ? operation.right_offset : operation.left_offset;
    end
  end

  // --- what an operand, or a result with strides, reaches ---
  logic             of_result;
  logic             of_entry;
  logic             measures;
  logic [36:0]      first_offset;  // of the first element, which need not be the lowest
  mu_pkg::address_t first_address;
  logic             reach_busy;
  logic [36:0]      reach_offset;
  logic [37:0]      reach_bytes;
  logic [36:0]      below;         // bytes that it reaches below its first element
  assign of_result     = subject_q == SUBJECT_RESULT;
  assign of_entry      = subject_q == SUBJECT_OPERAND || subject_q == SUBJECT_STEP;
  assign measures      = subject_q == SUBJECT_OPERAND || (of_result && strided_o);
  assign first_offset  = of_result ? descriptor_i.header.offset : operand.offset;
  assign first_address = entry_i.base + 40'(first_offset);
  mu_calc_reach u_reach (
      .clk_i,
      .rst_ni,
      .start_i     (state_q == STATE_LOOK_UP && measures),
      .columns_i   (row_o),
      .rows_i      (has_rows ? rows : 37'd1),
      .offset_i    (first_offset),
      .stride_i    (of_result ? result_stride_o : operand.stride),
      .row_stride_i(of_result ? result_row_stride_o : operand.row_stride),
      .size_log2_i (of_result ? result_log2_o : size_log2_o),
      .busy_o      (reach_busy),
      .offset_o    (reach_offset),
      .bytes_o     (reach_bytes),
      .below_o     (below)
  );

  // --- regions ---
  logic [36:0]      offset;
  logic [37:0]      bytes;
  logic [1:0]       access;
  mu_pkg::status_e  region_status;
  mu_pkg::status_e  judged_status;
  mu_pkg::address_t address;
  logic             entry_reserved, overlaps;

  logic [36:0] offset_q;  // as they are judged, for the sums of reach end there
  logic [37:0] bytes_q;

  assign looks_o = state_q == STATE_LOOK_UP || state_q == STATE_MEASURE || state_q == STATE_JUDGE;
  always_comb begin
    region_o = '0;
    offset   = '0;
    bytes    = '0;
    access   = 2'd0;
    if (looks_o) begin
      unique case (subject_q)
        SUBJECT_RESULT: begin
          region_o = descriptor_i.header.target;
          offset   = strided_o ? reach_offset : first_offset;
          bytes    = strided_o ? reach_bytes : {1'b0, descriptor_i.length};
          access   = 2'd3;
        end
        SUBJECT_LIST: begin
          region_o = descriptor_i.source_region;
          offset   = descriptor_i.source_offset;
          bytes    = {28'd0, entries, 4'd0};
        end
        default: begin
          region_o = operand.region;
          offset   = reach_offset;
          bytes    = reach_bytes;
        end
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == STATE_LOOK_UP || state_q == STATE_MEASURE) begin
      offset_q <= offset;
      bytes_q  <= bytes;
    end
  end
  mu_region_check u_region_check (
      .entry_i,
      .offset_i (offset_q),
      .bytes_i  (bytes_q),
      .access_i (access),
      .client_i (owner_i),
      .status_o (region_status),
      .address_o(address)
  );
  assign entry_reserved = subject_q == SUBJECT_OPERAND && operand.reserved_45 != '0;
  // Elements of a result that has more bytes than it reaches lie on one another.
  assign overlaps       = of_result && strided_o && bytes_q < 38'(descriptor_i.length);
  always_comb begin
    judged_status = region_status;
    if (entry_reserved) judged_status = mu_pkg::STATUS_RESERVED_BITS;
    else if (subject_q == SUBJECT_STEP) judged_status = step_status;
    else if (region_status == mu_pkg::STATUS_OK && overlaps) judged_status = mu_pkg::STATUS_OPERANDS_INVALID;
  end

  // --- state ---
  logic passes;
  assign passes = state_q == STATE_JUDGE && judged_status == mu_pkg::STATUS_OK;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= STATE_IDLE;
    else begin
      unique case (state_q)
        STATE_IDLE:    if (start_i) state_q <= STATE_SHAPE;
        STATE_SHAPE:
        state_q <= shape_status != mu_pkg::STATUS_OK ? STATE_DONE : has_rows ? STATE_ROWS : STATE_LOOK_UP;
        STATE_ROWS:    if (!rows_busy) state_q <= rows_exact ? STATE_LOOK_UP : STATE_DONE;
        STATE_FETCH:   state_q <= subject_q == SUBJECT_STEP ? STATE_JUDGE : STATE_LOOK_UP;
        STATE_LOOK_UP: state_q <= measures ? STATE_MEASURE : STATE_JUDGE;
        STATE_MEASURE: if (!reach_busy) state_q <= STATE_JUDGE;
        STATE_JUDGE: begin
          if (!passes || (of_entry && last_entry)) state_q <= STATE_DONE;
          else if (of_result) state_q <= entries == '0 ? STATE_FETCH : STATE_LOOK_UP;
          else state_q <= subject_q == SUBJECT_LIST ? STATE_COMMAND : STATE_FETCH;
        end
        STATE_COMMAND: if (command_ready_i) state_q <= STATE_LIST;
        STATE_LIST:
        if (beat_valid_i && beat_last_i) state_q <= beat_error_i ? STATE_DONE : STATE_FETCH;
        default:       state_q <= STATE_IDLE;
      endcase
    end
  end
  mu_pkg::address_t result_address_q, list_address_q;
  always_ff @(posedge clk_i) begin
    if (state_q == STATE_SHAPE) begin
      subject_q <= SUBJECT_RESULT;
      status_q  <= shape_status;
      entry_q   <= '0;
    end
    if (state_q == STATE_ROWS && !rows_busy && !rows_exact) status_q <= mu_pkg::STATUS_OPERANDS_INVALID;
    if (state_q == STATE_JUDGE) begin
      status_q <= judged_status;
      if (of_result) begin
        subject_q        <= entries == '0 ? SUBJECT_OPERAND : SUBJECT_LIST;
        result_address_q <= first_address;
      end else if (subject_q == SUBJECT_LIST) begin
        subject_q      <= SUBJECT_OPERAND;
        list_address_q <= address;
      end else begin
        entry_q <= entry_q + 1'b1;
        if (last_operand) subject_q <= SUBJECT_STEP;
      end
    end
    if (state_q == STATE_LIST && beat_valid_i && beat_last_i && beat_error_i)
      status_q <= mu_pkg::STATUS_MEMORY_ERROR;
  end

  assign command_valid_o        = state_q == STATE_COMMAND;
  assign command_data_o.address = list_address_q;
  assign command_data_o.bytes   = {entries, 4'd0};
  assign done_o                 = state_q == STATE_DONE;
  assign status_o               = status_q;
  assign result_address_o       = result_address_q;
  assign table_write_o          = passes && subject_q == SUBJECT_OPERAND;
  assign table_index_o          = entry_q[3:0];
  assign table_address_o        = first_address;
  assign table_stride_o         = operand.stride;
  assign table_row_stride_o     = operand.row_stride;
  assign step_write_o           = passes && subject_q == SUBJECT_STEP;
  assign step_index_o           = 3'(entry_q - descriptor_i.operands);

  // The rest of the descriptor is for others.
  logic unused;
  assign unused = ^{descriptor_i};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (start_i) one_at_a_time : assert (state_q == STATE_IDLE);
      if (state_q == STATE_FETCH) entries_are_bounded : assert (entry_q < judged);
      if (reach_busy) measures_in_its_state : assert (state_q == STATE_MEASURE);
      if (passes && measures) starts_inside : assert (first_offset >= below);
    end
  end
endmodule
`default_nettype wire
