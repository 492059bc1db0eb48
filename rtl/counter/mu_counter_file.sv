// SPDX-License-Identifier: Apache-2.0
// mu_counter_file: the values of all counters of one kind, changed by one operation a cycle, none lost.
//
//   completion, injection (streams of counter_operation) ---+---> [ choose ] ---> [ read ] ---> update_* ---+
//   access_* (software) ------------------------------------+                                               |
//                                     memory <----------- next_value_i <--- [ arithmetic of the user ] <----+
//
// Behaviour: every operation and every access taken is applied once, to the value that all those taken before
//   it have left, so operations of different sources never lose one another. In update_valid_o the user sees
//   the old value and the operation and must give the next value in the same cycle. A software write (access)
//   stores access_data_i; a software read stores nothing. Values are zero after reset.
// Latency: taken in cycle t, updated at the end of t+1; an access taken in t is answered in t+2. One a cycle.
// Limits: COUNT >= 2. A counter number of COUNT or more is an error of the user (asserted) and wraps.
`default_nettype none

module mu_counter_file #(
    parameter int unsigned COUNT = 64,
    parameter int unsigned WIDTH = 32
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    output logic                       busy_o,
    // completion: what reception has stored
    input  logic                       completion_valid_i,
    output logic                       completion_ready_o,
    input  mu_pkg::counter_operation_t completion_operation_i,
    // injection: what has been sent, and CTR_ADD, CTR_SET
    input  logic                       injection_valid_i,
    output logic                       injection_ready_o,
    input  mu_pkg::counter_operation_t injection_operation_i,
    // software; held until done
    input  logic                       access_valid_i,
    input  logic                       access_write_i,
    input  logic [7:0]                 access_index_i,
    input  logic [WIDTH-1:0]           access_data_i,
    output logic                       access_done_o,
    output logic [WIDTH-1:0]           access_data_o,
    // the user's arithmetic
    output logic                       update_valid_o,      // an operation, not an access, is being applied
    output mu_pkg::counter_operation_t update_operation_o,
    output logic [WIDTH-1:0]           update_value_o,
    input  logic [WIDTH-1:0]           next_value_i,
    // a value changes in this cycle, whoever changes it
    output logic                       change_valid_o,
    output logic [7:0]                 change_index_o,
    output logic [WIDTH-1:0]           change_value_o
);
  localparam int unsigned INDEX_WIDTH = $clog2(COUNT);
  if (COUNT < 2) $error("mu_counter_file: COUNT must be at least 2");

  logic                       take_completion;
  logic                       take_injection;
  logic                       take_access;
  logic                       take;
  logic [7:0]                 take_index;
  logic                       operation_q;        // an operation is in the second stage
  logic                       access_q;           // an access is
  logic                       access_done_q;
  logic [WIDTH-1:0]           access_data_q;
  mu_pkg::counter_operation_t stage_operation_q;  // of an access only the counter's number
  logic                       forward_q;          // the value comes from the update before
  logic [WIDTH-1:0]           forward_data_q;
  logic [WIDTH-1:0]           memory_data;
  logic                       write;
  logic [WIDTH-1:0]           write_data;

  mu_counter_arbiter u_arbiter (
      .clk_i,
      .rst_ni,
      .completion_i(completion_valid_i),
      .injection_i (injection_valid_i),
      .access_i    (access_valid_i && !access_q && !access_done_q),
      .completion_o(take_completion),
      .injection_o (take_injection),
      .access_o    (take_access)
  );
  assign completion_ready_o = take_completion;
  assign injection_ready_o  = take_injection;
  assign take               = take_completion || take_injection || take_access;
  assign take_index         = take_completion ? completion_operation_i.counter :
                              take_injection ? injection_operation_i.counter : access_index_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      operation_q   <= 1'b0;
      access_q      <= 1'b0;
      access_done_q <= 1'b0;
      forward_q     <= 1'b0;
    end else if (take || busy_o) begin
      operation_q   <= take_completion || take_injection;
      access_q      <= take_access;
      access_done_q <= access_q;
      if (take) forward_q <= write && stage_operation_q.counter == take_index;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      if (take_completion) stage_operation_q <= completion_operation_i;
      else if (take_injection) stage_operation_q <= injection_operation_i;
      else stage_operation_q.counter <= access_index_i;
      if (write) forward_data_q <= write_data;
    end
    if (access_q) access_data_q <= update_value_o;
  end

  assign update_valid_o     = operation_q;
  assign update_operation_o = stage_operation_q;
  assign update_value_o     = forward_q ? forward_data_q : memory_data;
  assign write              = operation_q || (access_q && access_write_i);
  always_comb begin
    write_data = '0;
    if (write) write_data = operation_q ? next_value_i : access_data_i;
  end
  assign change_valid_o     = write;
  assign change_index_o     = stage_operation_q.counter;
  assign change_value_o     = write_data;
  assign access_done_o      = access_done_q;
  assign access_data_o      = access_data_q;
  assign busy_o             = operation_q || access_q || access_done_q;

  mu_zeroed_memory #(
      .WIDTH(WIDTH),
      .DEPTH(COUNT)
  ) u_memory (
      .clk_i,
      .rst_ni,
      .write_i      (write),
      .write_index_i(stage_operation_q.counter[INDEX_WIDTH-1:0]),
      .write_data_i (write_data),
      .read_i       (take),
      .read_index_i (take_index[INDEX_WIDTH-1:0]),
      .read_data_o  (memory_data)
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_in_the_second_stage : assert (!(operation_q && access_q));
      takes_a_counter_that_exists : assert (!take || 32'(take_index) < COUNT);
      access_stands_until_done : assert (!(access_q || access_done_q) || access_valid_i);
      one_access_at_a_time : assert (!(access_q && access_done_q));
    end
  end

`ifdef PROVE_MU_COUNTER_FILE
  // One counter, any of them, followed from reset: each update sees what the one before it has left.
  (* anyconst *) logic [INDEX_WIDTH-1:0] chosen;
  logic             past_q = 1'b0;
  logic [WIDTH-1:0] expected_q;
  logic             is_chosen;
  logic             taken_q;
  assign is_chosen = stage_operation_q.counter == 8'(chosen);
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < COUNT && 32'(take_index) < COUNT);
    if (access_q || access_done_q) assume (access_valid_i && access_index_i == stage_operation_q.counter);
  end
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    taken_q <= rst_ni && ((completion_valid_i && completion_ready_o) ||
                          (injection_valid_i && injection_ready_o));
    if (!rst_ni) expected_q <= '0;
    else if (is_chosen && operation_q) expected_q <= next_value_i;
    else if (is_chosen && access_q && access_write_i) expected_q <= access_data_i;
    if (past_q && rst_ni) begin
      if (is_chosen && (operation_q || access_q)) sees_what_was_left : assert (update_value_o == expected_q);
      taken_is_applied_next : assert (operation_q == taken_q);
    end
  end
`endif
endmodule
`default_nettype wire
