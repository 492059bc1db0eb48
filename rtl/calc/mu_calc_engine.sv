// SPDX-License-Identifier: Apache-2.0
// mu_calc_engine: runs CALC: reduces vectors in node memory, element by element, into a vector there.
//
//   calc (descriptor) --> [ check ] --table--> [ walk ] --> read commands
//                              list <-- read beats --> [ gather ] --> [ accumulate ] --> [ store ] --> writes
//   done (status) <------------------------------------------------------------------------+ <-- stored
//   put <-- [ targets ] <-- target                                                         |
//                 ^------------------------------------------------------------------------+
//
// Behaviour: a descriptor is taken, judged by mu_calc_check, and if it passes its operands are read, reduced
//   and the result written, in chunks of 512 bytes. done_valid_o comes once memory has accepted the last
//   write that was made, with the status of the check, or OK, or MEMORY_ERROR if a read or a write failed;
//   what has then been written of the result is not defined. Nothing is written unless every operand, the
//   list and the result have passed. busy_o is low, and all outputs idle, while there is no CALC. Without an
//   engine (ENGINES) a CALC is done with REDUCTION_UNDEFINED at once.
// Latency: that of the check; then a beat of 32 bytes is read a cycle where elements are adjacent and the ALU
//   takes one a cycle. Other elements: a read command each.
// Limits: one CALC at a time. A result may lie where one of its operands lies, element on element; other
//   overlaps have no defined result. entry_i answers one cycle after region_o. At least two of its read
//   commands may be outstanding in the memory port, else latency shows.
`default_nettype none

module mu_calc_engine #(
    parameter int unsigned LANES   = mu_pkg::CALC_LANES,
    parameter int unsigned ENGINES = mu_pkg::CALC_ENGINES  // 0: none, each CALC is refused
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    output logic                        busy_o,
    // descriptors
    input  logic                        calc_valid_i,
    output logic                        calc_ready_o,
    input  mu_pkg::fetched_descriptor_t calc_descriptor_i,
    output logic                        done_valid_o,
    input  logic                        done_ready_i,
    output mu_pkg::status_e             done_status_o,
    // region table
    output logic                        looks_o,   // region_o is looked up, or entry_i is looked at
    output logic [7:0]                  region_o,
    input  mu_pkg::region_entry_t       entry_i,
    // memory port, reads
    output mu_pkg::read_request_t       calc_read_o,
    input  logic                        calc_command_ready_i,
    input  mu_pkg::read_beat_t          calc_beat_i,
    // memory port, writes
    output mu_pkg::write_request_t      calc_write_o,
    input  mu_pkg::write_response_t     calc_write_response_i,
    input  logic                        stored_valid_i,
    input  logic                        stored_error_i,
    // packetiser: PUTs of the result to its targets
    output logic                        put_valid_o,
    input  logic                        put_ready_i,
    output mu_pkg::fetched_descriptor_t put_o
);
  typedef enum logic [1:0] {
    STATE_IDLE,
    STATE_CHECK,
    STATE_RUN,
    STATE_DONE
  } state_e;

  state_e              state_q;
  mu_pkg::fetched_descriptor_t calc_q;
  mu_pkg::descriptor_t descriptor;
  mu_pkg::status_e     status_q;
  logic                failed_q;    // a read or a write of this CALC
  logic                start;
  logic                check_rst_n; // without an engine all of it stays in reset, and synthesis leaves it out
  logic                run_rst_n;   // what runs a CALC begins anew with each

  logic                  check_done;
  mu_pkg::status_e       check_status;
  logic                  list_valid;
  mu_pkg::read_command_t list_command;
  mu_pkg::address_t      result_address;
  logic [36:0]           elements;
  logic [36:0]           row;
  logic [2:0]            size_log2;    // of what is read
  logic [2:0]            result_log2;  // of what is written
  logic                  attach;
  logic                  strided;
  mu_pkg::address_t      result_stride;
  mu_pkg::address_t      result_row_stride;
  logic [3:0]            last_operand;
  logic                  table_write;
  logic [3:0]            table_index;
  mu_pkg::address_t      table_address;
  mu_pkg::address_t      table_stride;
  mu_pkg::address_t      table_row_stride;

  logic [3:0]            steps;
  logic                  step_write;
  logic [2:0]            step_index;
  mu_pkg::reduction_step_t step;

  logic                  expect_valid;
  logic                  expect_ready;
  logic [6:0]            expect_free;
  logic [4:0]            expect_beats;
  logic [4:0]            expect_bytes;
  logic                  expect_last;
  logic                  walk_valid;
  mu_pkg::read_command_t walk_command;
  logic                  walk_done;
  logic                  reads_pending;
  logic                  read_failed;
  logic                  gathered_valid;
  logic                  gathered_ready;
  mu_pkg::memory_word_t  gathered;
  logic                  gathered_last;
  logic                  gathered_upper;
  logic                  operand_valid;
  logic                  operand_ready;
  mu_pkg::memory_word_t  operand;
  logic                  operand_last;
  logic                  result_valid;
  logic                  result_ready;
  mu_pkg::memory_word_t  result;
  logic [5:0]            result_level;
  logic                  scatter_ready;
  logic [36:0]           unwritten;      // bytes of the result
  logic                  piece_valid;
  mu_pkg::address_t      piece_address;
  logic [5:0]            piece_bytes;
  mu_pkg::memory_word_t  piece;
  logic                  store_ready;
  logic                  store_done;
  logic                  store_settled;
  logic                  write_failed;
  logic                  target_read;
  logic [2:0]            target_index;
  mu_pkg::packet_header_t target;
  logic                  targets_done;
  logic                  ends;

  assign check_rst_n  = rst_ni && ENGINES != 0;
  assign run_rst_n    = rst_ni && ENGINES != 0 && state_q == STATE_RUN;
  assign descriptor   = calc_q.descriptor;
  assign start        = calc_valid_i && calc_ready_o;
  assign last_operand = descriptor.operands[3:0] - 4'd1;
  // After a failure what is on its way is waited for, the rest is dropped.
  assign ends         = state_q == STATE_RUN && !reads_pending && !walk_valid &&
                        (failed_q ? store_settled : store_done) && targets_done;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= STATE_IDLE;
    else begin
      unique case (state_q)
        STATE_IDLE:  if (calc_valid_i) state_q <= ENGINES != 0 ? STATE_CHECK : STATE_DONE;
        STATE_CHECK:
        if (check_done) state_q <= check_status == mu_pkg::STATUS_OK ? STATE_RUN : STATE_DONE;
        STATE_RUN:   if (ends) state_q <= STATE_DONE;
        default:     if (done_ready_i) state_q <= STATE_IDLE;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (start) begin
      calc_q   <= calc_descriptor_i;
      failed_q <= 1'b0;
    end else if (read_failed || write_failed) failed_q <= 1'b1;
    if (start && ENGINES == 0) status_q <= mu_pkg::STATUS_REDUCTION_UNDEFINED;
    else if (check_done) status_q <= check_status;
    else if (ends && failed_q) status_q <= mu_pkg::STATUS_MEMORY_ERROR;
  end
  assign calc_ready_o  = state_q == STATE_IDLE;
  assign done_valid_o  = state_q == STATE_DONE;
  assign done_status_o = status_q;
  assign busy_o        = state_q != STATE_IDLE;

  mu_calc_check #(
      .LANES(LANES)
  ) u_check (
      .clk_i,
      .rst_ni            (check_rst_n),
      .start_i           (start),
      .descriptor_i      (descriptor),
      .owner_i           (calc_q.owner),
      .looks_o,
      .region_o,
      .entry_i,
      .command_valid_o   (list_valid),
      .command_ready_i   (calc_command_ready_i),
      .command_data_o    (list_command),
      .beat_valid_i      (calc_beat_i.valid),
      .beat_data_i       (calc_beat_i.data),
      .beat_last_i       (calc_beat_i.last),
      .beat_error_i      (calc_beat_i.error),
      .done_o            (check_done),
      .status_o          (check_status),
      .elements_o         (elements),
      .row_o              (row),
      .size_log2_o        (size_log2),
      .attach_o           (attach),
      .result_log2_o      (result_log2),
      .result_address_o   (result_address),
      .strided_o          (strided),
      .result_stride_o    (result_stride),
      .result_row_stride_o(result_row_stride),
      .table_write_o      (table_write),
      .table_index_o      (table_index),
      .table_address_o    (table_address),
      .table_stride_o     (table_stride),
      .table_row_stride_o (table_row_stride),
      .steps_o            (steps),
      .step_write_o       (step_write),
      .step_index_o       (step_index),
      .step_o             (step),
      .target_read_i      (target_read),
      .target_index_i     (target_index),
      .target_o           (target)
  );

  mu_calc_walk u_walk (
      .clk_i,
      .rst_ni            (run_rst_n),
      .table_write_i     (table_write),
      .table_index_i     (table_index),
      .table_address_i   (table_address),
      .table_stride_i    (table_stride),
      .table_row_stride_i(table_row_stride),
      .elements_i        (elements),
      .row_i             (row),
      .size_log2_i       (size_log2),
      .result_log2_i     (result_log2),
      .last_operand_i    (last_operand),
      .expect_valid_o    (expect_valid),
      .expect_ready_i    (expect_ready),
      .expect_free_i     (expect_free),
      .expect_beats_o    (expect_beats),
      .expect_bytes_o    (expect_bytes),
      .expect_last_o     (expect_last),
      .command_valid_o   (walk_valid),
      .command_ready_i   (calc_command_ready_i),
      .command_data_o    (walk_command),
      .stop_i            (failed_q),
      .done_o            (walk_done)
  );
  mu_calc_gather u_gather (
      .clk_i,
      .rst_ni        (run_rst_n),
      .expect_valid_i(expect_valid),
      .expect_ready_o(expect_ready),
      .expect_free_o (expect_free),
      .expect_beats_i(expect_beats),
      .expect_bytes_i(expect_bytes),
      .expect_last_i (expect_last),
      .beat_valid_i  (calc_beat_i.valid && state_q == STATE_RUN),
      .beat_data_i   (calc_beat_i.data),
      .beat_last_i   (calc_beat_i.last),
      .beat_error_i  (calc_beat_i.error),
      .pending_o     (reads_pending),
      .error_o       (read_failed),
      .out_valid_o   (gathered_valid),
      .out_ready_i   (gathered_ready),
      .out_data_o    (gathered),
      .out_last_o    (gathered_last),
      .out_upper_o   (gathered_upper)
  );
  // Without lanes there is no operation that takes an index.
  if (LANES == 0) begin : gen_plain
    assign operand_valid  = gathered_valid;
    assign gathered_ready = operand_ready;
    assign operand        = gathered;
    assign operand_last   = gathered_last;
    logic unused_attach;
    assign unused_attach = gathered_upper || attach;
  end else begin : gen_attach
    mu_calc_attach u_attach (
        .clk_i,
        .rst_ni        (run_rst_n),
        .attach_i      (attach),
        .size_log2_i   (size_log2[1:0]),
        .last_operand_i(last_operand),
        .in_valid_i    (gathered_valid),
        .in_ready_o    (gathered_ready),
        .in_data_i     (gathered),
        .in_last_i     (gathered_last),
        .in_upper_i    (gathered_upper),
        .out_valid_o   (operand_valid),
        .out_ready_i   (operand_ready),
        .out_data_o    (operand),
        .out_last_o    (operand_last)
    );
  end
  mu_calc_accumulate #(
      .LANES(LANES)
  ) u_accumulate (
      .clk_i,
      .rst_ni        (run_rst_n),
      .operation_i   (descriptor.reduction),
      .element_i     (descriptor.element),
      .last_operand_i(last_operand),
      .step_write_i  (step_write),
      .step_index_i  (step_index),
      .step_i        (step),
      .steps_i       (steps),
      .in_valid_i    (operand_valid),
      .in_ready_o    (operand_ready),
      .in_data_i     (operand),
      .in_last_i     (operand_last),
      .out_valid_o   (result_valid),
      .out_ready_i   (result_ready),
      .out_data_o    (result),
      .out_level_o   (result_level)
  );
  mu_calc_scatter u_scatter (
      .clk_i,
      .rst_ni         (run_rst_n),
      .strided_i      (strided),
      .address_i      (result_address),
      .stride_i       (result_stride),
      .row_stride_i   (result_row_stride),
      .row_i          (row),
      .size_log2_i    (result_log2),
      .left_i         (unwritten),
      .in_valid_i     (result_valid),
      .in_ready_o     (scatter_ready),
      .in_data_i      (result),
      .piece_valid_o  (piece_valid),
      .piece_ready_i  (store_ready),
      .piece_address_o(piece_address),
      .piece_bytes_o  (piece_bytes),
      .piece_data_o   (piece)
  );
  assign result_ready = strided ? scatter_ready : store_ready;
  mu_calc_store u_store (
      .clk_i,
      .rst_ni               (run_rst_n),
      .address_i            (result_address),
      .bytes_i              (descriptor.length),
      .client_i             (calc_q.owner),
      .strided_i            (strided),
      .piece_address_i      (piece_address),
      .piece_bytes_i        (piece_bytes),
      .left_o               (unwritten),
      .in_valid_i           (strided ? piece_valid : result_valid),
      .in_ready_o           (store_ready),
      .in_data_i            (strided ? piece : result),
      .in_level_i           (strided ? 6'(piece_valid) : result_level),
      .write_command_valid_o(calc_write_o.command_valid),
      .write_command_ready_i(calc_write_response_i.command_ready),
      .write_command_data_o (calc_write_o.command),
      .write_beat_valid_o   (calc_write_o.beat_valid),
      .write_beat_ready_i   (calc_write_response_i.beat_ready),
      .write_beat_data_o    (calc_write_o.beat),
      .stored_valid_i,
      .stored_error_i,
      .stop_i               (failed_q),
      .done_o               (store_done),
      .settled_o            (store_settled),
      .failed_o             (write_failed)
  );

  mu_calc_targets u_targets (
      .clk_i,
      .rst_ni     (run_rst_n),
      .calc_i     (calc_q),
      .stored_i   (stored_valid_i && !stored_error_i),
      .stop_i     (failed_q),
      .done_o     (targets_done),
      .read_o     (target_read),
      .index_o    (target_index),
      .target_i   (target),
      .put_valid_o,
      .put_ready_i,
      .put_o
  );

  assign calc_read_o.valid = list_valid || walk_valid;
  assign calc_read_o.command  = list_valid ? list_command : walk_command;


  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (calc_beat_i.valid || stored_valid_i) answers_only_while_busy : assert (busy_o);
      if (check_done)
        judged_as_a_calc :
        assert (check_status == mu_pkg::STATUS_OK || check_status == mu_pkg::STATUS_RESERVED_BITS ||
                check_status == mu_pkg::STATUS_REDUCTION_UNDEFINED ||
                check_status == mu_pkg::STATUS_LENGTH_ZERO ||
                check_status == mu_pkg::STATUS_OPERANDS_INVALID ||
                check_status == mu_pkg::STATUS_REGION_INVALID ||
                check_status == mu_pkg::STATUS_PERMISSION ||
                check_status == mu_pkg::STATUS_REGION_BOUNDS ||
                check_status == mu_pkg::STATUS_MEMORY_ERROR);
      if (ends && !failed_q)
        all_was_read_and_reduced : assert (walk_done && !gathered_valid && !result_valid);
    end
  end
endmodule
`default_nettype wire
