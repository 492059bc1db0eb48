// SPDX-License-Identifier: Apache-2.0
// mu_counters: all counters of a node with their owners: registers in front, operations behind.
//
//   completion, injection (streams) ---+---> [ byte counters ] ---> causes_o
//   register bus ---> [ checks ] ------+---> [ event counters ]
//   lookup_<n> ---> [ owners ] ---> enable, owner
//
// Behaviour: each operation is applied once, in the order of its stream within its kind of counter, and an
//   access of software falls before or after it as a whole. A client page reaches enabled counters of its own
//   client only (else COUNTER_INVALID) and writes no event counter that is waited for (COUNTER_WAITED); the
//   two configuration blocks are reached by the privileged space only. Refused accesses change nothing and
//   read as zero.
// Latency: an operation taken in cycle t is readable by an access taken in t+1; causes pulse in t+2. Register
//   access 3 cycles and at most 4 more while operations come; each kind of counter takes one operation a
//   cycle.
// Limits: operations name counters that exist, and clients below CLIENTS (asserted): their makers look them
//   up.
// two-readers: hold:register_request_i[63:38]=0 hold:register_request_i[83:76]=0
// two-readers: hold:register_request_i[87:86]=0 seen=5
`default_nettype none

module mu_counters (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    output logic                         busy_o,
    // register bus
    input  logic                         register_valid_i,
    input  mu_pkg::register_request_t    register_request_i,
    output logic                         register_done_o,
    output mu_pkg::register_response_t   register_response_o,
    // completion: what reception has stored
    input  logic                         completion_valid_i,
    output logic                         completion_ready_o,
    input  mu_pkg::counter_operation_t   completion_operation_i,
    // injection: what has been sent, and CTR_ADD, CTR_SET
    input  logic                         injection_valid_i,
    output logic                         injection_ready_o,
    input  mu_pkg::counter_operation_t   injection_operation_i,
    // reception engine: lookups 0 and 1
    input  logic [7:0]                   lookup_0_index_i,
    input  logic                         lookup_0_is_event_i,
    output logic                         lookup_0_enable_o,
    output logic [3:0]                   lookup_0_owner_o,
    input  logic [7:0]                   lookup_1_index_i,
    input  logic                         lookup_1_is_event_i,
    output logic                         lookup_1_enable_o,
    output logic [3:0]                   lookup_1_owner_o,
    // injection engine: lookups 2 and 3
    input  logic [7:0]                   lookup_2_index_i,
    input  logic                         lookup_2_is_event_i,
    output logic                         lookup_2_enable_o,
    output logic [3:0]                   lookup_2_owner_o,
    input  logic [7:0]                   lookup_3_index_i,
    input  logic                         lookup_3_is_event_i,
    output logic                         lookup_3_enable_o,
    output logic [3:0]                   lookup_3_owner_o,
    // cross-channel control: an event counter takes this value in this cycle; is one waited for?
    output logic                         event_change_valid_o,
    output logic [7:0]                   event_change_index_o,
    output logic [31:0]                  event_change_value_o,
    output logic [7:0]                   waited_index_o,
    input  logic                         waited_i,
    // interrupt control
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o
);
  // --- register bus: which counter, and may it be reached ------------------------------------------
  logic        done_q;
  logic [71:0] response_q;
  logic        start;
  logic        is_event;
  logic [8:0]  index;         // whole distance from the block's base, so one bit more than a counter's number
  logic        exists;
  logic        value_legal;
  mu_pkg::status_e status;
  logic        accepted;
  logic        access;        // of a counter's value, accepted
  logic        access_done;
  logic        config_write;
  logic [5:0]  config_data;
  logic        enable;        // of the counter that the register names
  logic [3:0]  owner;
  logic        event_done;
  logic        byte_done;
  logic [31:0] event_data;
  logic [39:0] byte_data;
  logic        unused_bits;

  assign unused_bits = ^register_request_i.address;
  assign start       = register_valid_i && !done_q;

  // A page has 4 KiB, both configuration blocks lie in the same 8 KiB: others have looked at the rest.
  always_comb begin
    is_event    = 1'b0;
    index       = '0;
    exists      = 1'b0;
    value_legal = 1'b0;
    if (start) begin
      if (register_request_i.page) begin
        is_event    = register_request_i.address[11:0] < mu_pkg::REG_CLIENT_PAGE_BYTE_COUNTER[11:0];
        index       = is_event ? 9'(register_request_i.address[9:2]) : 9'(register_request_i.address[10:3]);
        value_legal = is_event || register_request_i.data[63:38] == '0;
      end else begin
        is_event    =
            register_request_i.address[12:0] >= mu_pkg::BLOCK_EVENT_COUNTER_CONFIG_BASE[12:0];
        index       = register_request_i.address[11:3];
        value_legal = register_request_i.data[63:6] == '0 &&
                      32'(register_request_i.data[3:0]) < mu_pkg::CLIENTS &&
                      !(is_event && register_request_i.data[5]);
      end
      exists = 32'(index) < (is_event ? mu_pkg::EVENT_COUNTERS : mu_pkg::BYTE_COUNTERS);
    end
  end

  always_comb begin
    status = mu_pkg::STATUS_OK;
    if (start) begin
      if (!exists) status = mu_pkg::STATUS_REGISTER_UNKNOWN;
      else if (register_request_i.write && register_request_i.wide == (register_request_i.page && is_event))
        status = mu_pkg::STATUS_REGISTER_PARTIAL;
      else if (register_request_i.page && !(enable && owner == register_request_i.client))
        status = mu_pkg::STATUS_COUNTER_INVALID;
      else if (register_request_i.write && !value_legal) status = mu_pkg::STATUS_REGISTER_VALUE;
      else if (register_request_i.write && register_request_i.page && is_event && waited_i)
        status = mu_pkg::STATUS_COUNTER_WAITED;
    end
  end

  assign waited_index_o = index[7:0];
  assign accepted     = start && status == mu_pkg::STATUS_OK;
  assign access       = accepted && register_request_i.page;
  assign access_done  = is_event ? event_done : byte_done;
  assign config_write = accepted && !register_request_i.page && register_request_i.write;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      done_q     <= 1'b0;
      response_q <= '0;
    end else begin
      done_q <= start && (!access || access_done);
      if (done_q) response_q <= '0;
      else if (start && (!access || access_done)) begin
        if (register_request_i.write || status != mu_pkg::STATUS_OK) response_q <= {status, 64'd0};
        else if (!access) response_q <= {status, 64'(config_data)};
        else if (is_event) response_q <= {status, event_data, event_data};
        else response_q <= {status, byte_data[39:38], 24'd0, byte_data[37:0]};
      end
    end
  end
  assign register_done_o     = done_q;
  assign register_response_o = response_q;

  // --- owners ------------------------------------------------------------------------------------
  logic [7:0]  interrupt_index;
  logic        interrupt;
  logic [3:0]  enables;       // of lookups 3 to 0
  logic [15:0] owners;

  assign {lookup_3_enable_o, lookup_2_enable_o, lookup_1_enable_o, lookup_0_enable_o} = enables;
  assign {lookup_3_owner_o, lookup_2_owner_o, lookup_1_owner_o, lookup_0_owner_o}     = owners;

  mu_counter_config #(
      .LOOKUPS(5)
  ) u_config (
      .clk_i,
      .rst_ni,
      .write_i          (config_write),
      .access_is_event_i(is_event),
      .access_index_i   (index[7:0]),
      .access_data_i    (register_request_i.data[5:0]),
      .access_data_o    (config_data),
      .interrupt_index_i(interrupt_index),
      .interrupt_o      (interrupt),
      .lookup_index_i   ({index[7:0], lookup_3_index_i, lookup_2_index_i, lookup_1_index_i,
                          lookup_0_index_i}),
      .lookup_is_event_i({is_event, lookup_3_is_event_i, lookup_2_is_event_i, lookup_1_is_event_i,
                          lookup_0_is_event_i}),
      .lookup_enable_o  ({enable, enables}),
      .lookup_owner_o   ({owner, owners})
  );

  // --- values ------------------------------------------------------------------------------------
  logic event_busy;
  logic byte_busy;
  logic event_completion_ready;
  logic byte_completion_ready;
  logic event_injection_ready;
  logic byte_injection_ready;

  assign completion_ready_o =
      completion_operation_i.is_event ? event_completion_ready : byte_completion_ready;
  assign injection_ready_o =
      injection_operation_i.is_event ? event_injection_ready : byte_injection_ready;
  assign busy_o = event_busy || byte_busy || done_q;

  mu_event_counters u_event (
      .clk_i,
      .rst_ni,
      .busy_o                (event_busy),
      .completion_valid_i    (completion_valid_i && completion_operation_i.is_event),
      .completion_ready_o    (event_completion_ready),
      .completion_operation_i,
      .injection_valid_i     (injection_valid_i && injection_operation_i.is_event),
      .injection_ready_o     (event_injection_ready),
      .injection_operation_i,
      .access_valid_i        (access && is_event),
      .access_write_i        (register_request_i.write),
      .access_index_i        (index[7:0]),
      .access_data_i         (register_request_i.data[31:0]),
      .access_done_o         (event_done),
      .access_data_o         (event_data),
      .change_valid_o        (event_change_valid_o),
      .change_index_o        (event_change_index_o),
      .change_value_o        (event_change_value_o)
  );

  mu_byte_counters u_byte (
      .clk_i,
      .rst_ni,
      .busy_o                (byte_busy),
      .completion_valid_i    (completion_valid_i && !completion_operation_i.is_event),
      .completion_ready_o    (byte_completion_ready),
      .completion_operation_i,
      .injection_valid_i     (injection_valid_i && !injection_operation_i.is_event),
      .injection_ready_o     (byte_injection_ready),
      .injection_operation_i,
      .access_valid_i        (access && !is_event),
      .access_write_i        (register_request_i.write),
      .access_index_i        (index[7:0]),
      .access_data_i         (register_request_i.data[37:0]),
      .access_done_o         (byte_done),
      .access_data_o         (byte_data),
      .interrupt_index_o     (interrupt_index),
      .interrupt_i           (interrupt),
      .causes_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      answers_only_when_asked : assert (!done_q || register_valid_i);
      answer_is_zero_unless_done : assert (done_q || response_q == '0);
      writes_config_only_when_asked : assert (!config_write || register_valid_i);
      one_kind_at_a_time : assert (!(event_done && byte_done));
      owner_exists : assert (!enable || 32'(owner) < mu_pkg::CLIENTS);
    end
  end
endmodule
`default_nettype wire
