// SPDX-License-Identifier: Apache-2.0
// mu_counters: all counters of a node with their owners: registers in front, operations behind.
//
//   completion (stream) ---------------+---> [ byte counters ] ---> causes_o
//   injection, signals (streams) ------+
//   register bus ---> [ checks ] ------+---> [ event counters ]
//   lookup_<n> ---> [ owners ] ---> enable, owner
//
// Behaviour: each operation is applied once, in the order of its stream within its kind of counter, and an
//   access of software falls before or after it as a whole. A client page reaches enabled counters of its own
//   client only (else COUNTER_INVALID) and writes no event counter that is waited for (COUNTER_WAITED); the
//   two configuration blocks are reached by the privileged space only. Refused accesses change nothing and
//   read as zero.
// Latency: an operation taken in cycle t is readable by an access taken in t+1; causes pulse in t+2. Register
//   access 3 cycles, of a value 4 and at most 4 more while operations come; each kind of counter takes one
//   operation a cycle.
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
    // tree: releases of its classes
    input  logic                         signal_valid_i,
    output logic                         signal_ready_o,
    input  mu_pkg::counter_operation_t   signal_operation_i,
    // reception engine: lookups 0 and 1
    input  mu_pkg::counter_lookup_t      lookup_0_i,
    output mu_pkg::counter_owner_t       lookup_0_answer_o,
    input  mu_pkg::counter_lookup_t      lookup_1_i,
    output mu_pkg::counter_owner_t       lookup_1_answer_o,
    // injection engine: lookups 2 and 3
    input  mu_pkg::counter_lookup_t      lookup_2_i,
    output mu_pkg::counter_owner_t       lookup_2_answer_o,
    input  mu_pkg::counter_lookup_t      lookup_3_i,
    output mu_pkg::counter_owner_t       lookup_3_answer_o,
    // cross-channel control: an event counter takes this value in this cycle; is one waited for?
    output mu_pkg::event_change_t        event_change_o,
    output logic [7:0]                   waited_index_o,
    input  logic                         waited_i,
    // interrupt control
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o,
    output mu_pkg::cause_part_t          part_o  // of COUNTER_ZERO
);
  // --- register bus: which counter, and may it be reached ------------------------------------------
  logic                                 done_q;
  mu_pkg::register_response_t           response_q;
  logic                                 start;
  logic                                 in_page;
  logic                                 in_config;
  logic                                 is_event;
  logic [7:0]                           page_index;
  logic [7:0]                           byte_index;
  logic [7:0]                           event_index;
  logic [7:0]                           index;
  mu_pkg::status_e                      page_status;
  mu_pkg::status_e                      byte_status;
  mu_pkg::status_e                      event_status;
  mu_pkg::status_e                      status;
  logic [63:0]                          byte_config_data;
  logic [63:0]                          event_config_data;
  mu_pkg::byte_counter_config_config_t  old_config;
  mu_pkg::byte_counter_config_config_t  byte_config;
  mu_pkg::byte_counter_config_config_t  new_config;
  mu_pkg::event_counter_config_config_t old_event_config;
  mu_pkg::event_counter_config_config_t event_config;
  logic                                 write_byte_config;
  logic                                 write_event_config;
  logic                                 reaches;   // the value of a counter, and may
  logic                                 access_q;  // it does
  logic                                 refuses;   // for it is waited for
  logic                                 access;    // and still may
  logic                                 is_event_q;
  logic [7:0]                           index_q;
  logic                                 waited_q;  // for that event counter, in the last cycle
  logic                                 access_done;
  logic                                 enable;  // of the counter that the register names
  logic [3:0]                           owner;
  logic                                 event_done;
  logic                                 byte_done;
  logic [31:0]                          event_data;
  logic [39:0]                          byte_data;

  assign start     = register_valid_i && !done_q && !access_q;
  assign in_page   = start && register_request_i.page;
  assign in_config = start && !register_request_i.page;

  // Of two counters side by side the value of an event counter is 4 bytes, that of a byte counter 8.
  always_comb begin
    is_event   = 1'b0;
    page_index = '0;
    if (in_page) begin
      is_event   = register_request_i.address[11:0] < mu_pkg::REG_CLIENT_PAGE_BYTE_COUNTER[11:0];
      page_index = is_event ? register_request_i.address[9:2] : register_request_i.address[10:3];
    end else if (in_config) is_event = register_request_i.address >= mu_pkg::BLOCK_EVENT_COUNTER_CONFIG_BASE;
  end
  assign index = in_page ? page_index : is_event ? event_index : byte_index;

  mu_byte_counter_config_decode u_byte_decode (
      .valid_i       (in_config && !is_event),
      .request_i     (register_request_i),
      .index_o       (byte_index),
      .status_o      (byte_status),
      .data_o        (byte_config_data),
      .config_i      (old_config),
      .write_config_o(write_byte_config),
      .config_o      (byte_config)
  );
  mu_event_counter_config_decode u_event_decode (
      .valid_i       (in_config && is_event),
      .request_i     (register_request_i),
      .index_o       (event_index),
      .status_o      (event_status),
      .data_o        (event_config_data),
      .config_i      (old_event_config),
      .write_config_o(write_event_config),
      .config_o      (event_config)
  );
  assign old_event_config.enable = old_config.enable;
  assign old_event_config.owner  = old_config.owner;
  assign new_config.interrupt    = write_byte_config && byte_config.interrupt;
  assign new_config.enable       = is_event ? event_config.enable : byte_config.enable;
  assign new_config.owner        = is_event ? event_config.owner : byte_config.owner;

  always_comb begin
    page_status = mu_pkg::STATUS_OK;
    if (in_page) begin
      if (32'(page_index) >= (is_event ? mu_pkg::EVENT_COUNTERS : mu_pkg::BYTE_COUNTERS))
        page_status = mu_pkg::STATUS_REGISTER_UNKNOWN;
      else if (register_request_i.write && register_request_i.wide == is_event)
        page_status = mu_pkg::STATUS_REGISTER_PARTIAL;
      else if (!enable || owner != register_request_i.client) page_status = mu_pkg::STATUS_COUNTER_INVALID;
      else if (register_request_i.write && !is_event && register_request_i.data[63:38] != '0)
        page_status = mu_pkg::STATUS_REGISTER_VALUE;
    end
  end
  assign status = in_page ? page_status : is_event ? event_status : byte_status;

  // A value is reached in the cycle after its register was looked up, or when its turn comes. A WAIT that
  // began in the last cycle looks at the counter later than the write does, and comes after it.
  assign waited_index_o = access_q ? index_q : index;
  assign reaches        = in_page && status == mu_pkg::STATUS_OK;
  assign refuses        = access_q && register_request_i.write && is_event_q && waited_q;
  assign access         = access_q && !refuses;
  assign access_done    = refuses || (is_event_q ? event_done : byte_done);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      done_q     <= 1'b0;
      access_q   <= 1'b0;
      response_q <= '0;
    end else begin
      done_q   <= (start && !reaches) || (access_q && access_done);
      access_q <= (start && reaches) || (access_q && !access_done);
      if (done_q) response_q <= '0;
      else if (start && !reaches) begin
        response_q.status <= status;
        if (!register_request_i.write && status == mu_pkg::STATUS_OK)
          response_q.data <= is_event ? event_config_data : byte_config_data;
      end else if (access_q && access_done) begin
        if (refuses) response_q.status <= mu_pkg::STATUS_COUNTER_WAITED;
        else if (!register_request_i.write)
          response_q.data <= is_event_q ? {event_data, event_data} :
              {byte_data[39:38], 24'd0, byte_data[37:0]};
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (register_valid_i) waited_q <= waited_i;
    if (start) begin
      is_event_q <= is_event;
      index_q    <= index;
    end
  end
  assign register_done_o     = done_q;
  assign register_response_o = response_q;

  // --- owners ------------------------------------------------------------------------------------
  logic [7:0]  interrupt_index;
  logic        interrupt;
  logic [3:0]  enables;       // of lookups 3 to 0
  logic [15:0] owners;

  assign lookup_0_answer_o.enable = enables[0];
  assign lookup_1_answer_o.enable = enables[1];
  assign lookup_2_answer_o.enable = enables[2];
  assign lookup_3_answer_o.enable = enables[3];
  assign lookup_0_answer_o.owner  = owners[3:0];
  assign lookup_1_answer_o.owner  = owners[7:4];
  assign lookup_2_answer_o.owner  = owners[11:8];
  assign lookup_3_answer_o.owner  = owners[15:12];

  mu_counter_config #(
      .LOOKUPS(5)
  ) u_config (
      .clk_i,
      .rst_ni,
      .write_i          (write_byte_config || write_event_config),
      .access_is_event_i(is_event),
      .access_index_i   (index),
      .access_data_i    (new_config),
      .access_data_o    (old_config),
      .interrupt_index_i(interrupt_index),
      .interrupt_o      (interrupt),
      .lookup_index_i   ({index, lookup_3_i.index, lookup_2_i.index, lookup_1_i.index,
                          lookup_0_i.index}),
      .lookup_is_event_i({is_event, lookup_3_i.is_event, lookup_2_i.is_event, lookup_1_i.is_event,
                          lookup_0_i.is_event}),
      .lookup_enable_o  ({enable, enables}),
      .lookup_owner_o   ({owner, owners})
  );

  // What is sent and what the tree releases, in turn.
  logic                       operation_valid;
  logic                       operation_ready;
  mu_pkg::counter_operation_t operation;

  mu_operation_share u_share (
      .clk_i,
      .rst_ni,
      .first_valid_i     (injection_valid_i),
      .first_ready_o     (injection_ready_o),
      .first_operation_i (injection_operation_i),
      .second_valid_i    (signal_valid_i),
      .second_ready_o    (signal_ready_o),
      .second_operation_i(signal_operation_i),
      .valid_o           (operation_valid),
      .ready_i           (operation_ready),
      .operation_o       (operation)
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
  assign operation_ready = operation.is_event ? event_injection_ready : byte_injection_ready;
  assign busy_o = event_busy || byte_busy || done_q || access_q;

  mu_event_counters u_event (
      .clk_i,
      .rst_ni,
      .busy_o                (event_busy),
      .completion_valid_i    (completion_valid_i && completion_operation_i.is_event),
      .completion_ready_o    (event_completion_ready),
      .completion_operation_i,
      .injection_valid_i     (operation_valid && operation.is_event),
      .injection_ready_o     (event_injection_ready),
      .injection_operation_i (operation),
      .access_valid_i        (access && is_event_q),
      .access_write_i        (register_request_i.write),
      .access_index_i        (index_q),
      .access_data_i         (register_request_i.data[31:0]),
      .access_done_o         (event_done),
      .access_data_o         (event_data),
      .change_valid_o        (event_change_o.valid),
      .change_index_o        (event_change_o.index),
      .change_value_o        (event_change_o.value),
      .change_moves_o        (event_change_o.moves)
  );

  mu_byte_counters u_byte (
      .clk_i,
      .rst_ni,
      .busy_o                (byte_busy),
      .completion_valid_i    (completion_valid_i && !completion_operation_i.is_event),
      .completion_ready_o    (byte_completion_ready),
      .completion_operation_i,
      .injection_valid_i     (operation_valid && !operation.is_event),
      .injection_ready_o     (byte_injection_ready),
      .injection_operation_i (operation),
      .access_valid_i        (access && !is_event_q),
      .access_write_i        (register_request_i.write),
      .access_index_i        (index_q),
      .access_data_i         (register_request_i.data[37:0]),
      .access_done_o         (byte_done),
      .access_data_o         (byte_data),
      .interrupt_index_o     (interrupt_index),
      .interrupt_i           (interrupt),
      .causes_o,
      .part_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      answers_only_when_asked : assert (!done_q || register_valid_i);
      answer_is_zero_unless_done : assert (done_q || response_q == '0);
      writes_config_only_when_asked : assert (!(write_byte_config || write_event_config) || register_valid_i);
      one_kind_at_a_time : assert (!(event_done && byte_done));
      owner_exists : assert (!enable || 32'(owner) < mu_pkg::CLIENTS);
    end
  end
endmodule
`default_nettype wire
