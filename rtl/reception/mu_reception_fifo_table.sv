// SPDX-License-Identifier: Apache-2.0
// mu_reception_fifo_table: the state of every reception FIFO, and who may put how much into it.
//
//   lookup (valid/ready/fifo, slots..) ---> [ one row at a time:  ] ---> answer, two cycles later
//   reserve_i / refuse_i with the answer -> [ read, sums, change  ] ---> causes_o
//   publish (valid/ready/target, slots) --> [                     ]
//   register bus -------------------------> [                     ] ---> answer
//
// Behaviour: the answer to a lookup says whether slots_i slots may be reserved (answer_status_o: OK, else
//   the first of FIFO_INVALID, PERMISSION, FIFO_FULL) and where they lie; reserve_i in the answer's cycle
//   takes them, refuse_i counts a packet that found it full, neither leaves all as it was. A FIFO that has
//   refused a request is refusing: every request finds it full until software has moved head by a quarter of
//   the size, or has read all. Replies find it full only if it is. The tail moves with publish alone, in the
//   order of the reservations; then ARRIVED is raised if config.interrupt, FIFO_THRESHOLD if more than
//   threshold slots are used. No register write is lost. A FIFO with config.boot has no slots of its own:
//   its owner's boot buffer answers, in the cycle before the answer (boot_*); what it takes and refuses
//   changes nothing here.
// Latency: lookup to answer two cycles, an operation every three cycles: publish first, then registers, then
//   lookup.
// Limits: a publish must stand for slots that were reserved (asserted). A config write stops lookups until
//   all that was reserved is published. FIFOs that do not exist answer FIFO_INVALID.
// two-readers: hold:register_request_i[63:8]=0 hold:register_request_i[83:73]=0x1A0
// two-readers: hold:register_request_i[89:88]=2 hold:lookup_fifo_i[7:3]=0 hold:publish_target_i[7:3]=0
// two-readers: seen=10
`default_nettype none

module mu_reception_fifo_table (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    output logic                         busy_o,
    // register bus
    input  logic                         register_valid_i,
    input  mu_pkg::register_request_t    register_request_i,
    output logic                         register_done_o,
    output mu_pkg::register_response_t   register_response_o,
    // control: lookup
    input  logic                         lookup_valid_i,
    output logic                         lookup_ready_o,
    input  logic [7:0]                   lookup_fifo_i,
    input  logic [7:0]                   lookup_slots_i,
    input  logic                         lookup_reply_i,
    input  logic                         lookup_counted_i,
    input  logic                         lookup_on_behalf_i,
    input  logic [3:0]                   lookup_client_i,
    // control: two cycles later
    output mu_pkg::status_e              answer_status_o,
    output logic                         answer_refusing_o,
    output logic [3:0]                   answer_owner_o,
    output mu_pkg::address_t             answer_address_o,
    output logic [9:0]                   answer_bytes_o,
    output logic                         answer_split_o,
    output mu_pkg::address_t             answer_second_address_o,
    output logic [9:0]                   answer_second_bytes_o,
    input  logic                         reserve_i,
    input  logic                         refuse_i,
    // boot buffers: a lookup that they answer, a config that is written
    output logic                         boot_lookup_o,
    output logic                         boot_switch_o,
    output logic                         boot_opens_o,
    output logic                         boot_drains_o,
    output logic [3:0]                   boot_client_o,
    output logic [7:0]                   boot_fifo_o,
    output logic [7:0]                   boot_slots_o,
    input  logic                         boot_room_i,
    input  logic                         boot_elsewhere_i,
    // completion
    input  logic                         publish_valid_i,
    output logic                         publish_ready_o,
    input  logic [7:0]                   publish_target_i,
    input  logic [7:0]                   publish_slots_i,
    // interrupt control
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o
);
  localparam int unsigned FIFOS       = mu_pkg::RECEPTION_FIFOS;
  localparam int unsigned INDEX_WIDTH = FIFOS > 1 ? $clog2(FIFOS) : 1;
  localparam int unsigned CAUSES      = 8;

  localparam int unsigned CONFIGURATION_BITS = 98;
  localparam int unsigned POINTERS_BITS      = 161;

  typedef enum logic [1:0] {
    OPERATION_NONE,
    OPERATION_LOOKUP,
    OPERATION_PUBLISH,
    OPERATION_REGISTER
  } operation_e;

  // --- first cycle: choose an operation, read its row ---------------------------------------------
  operation_e             operation_q;
  logic                   act_q;         // its third cycle
  logic [INDEX_WIDTH-1:0] index_q;
  logic                   exists_q;
  logic [7:0]             slots_q;
  logic                   reply_q;
  logic                   counted_q;
  logic                   on_behalf_q;
  logic [3:0]             client_q;
  logic                   idle;
  logic                   start_publish;
  logic                   start_register;
  logic                   start_lookup;
  logic                   start;
  logic [7:0]             index;
  logic [19:0]            block_offset;  // of the register that is addressed
  logic [19:0]            page_offset;
  logic [7:0]             register_index;
  logic                   register_exists;
  logic [INDEX_WIDTH-1:0] index_good;
  logic                   unused_bits;

  assign idle            = operation_q == OPERATION_NONE;
  assign publish_ready_o = idle;
  assign start_publish   = idle && publish_valid_i;
  assign start_register  = idle && !publish_valid_i && register_valid_i && !register_done_o;
  assign lookup_ready_o  = idle && !publish_valid_i && !start_register;
  assign start_lookup    = lookup_valid_i && lookup_ready_o;
  assign start           = start_publish || start_register || start_lookup;
  assign index           = start_publish ? publish_target_i : start_register ? register_index : lookup_fifo_i;

  assign index_good      = 32'(index) < FIFOS ? index[INDEX_WIDTH-1:0] : '0;

  assign block_offset    = register_request_i.address - mu_pkg::BLOCK_RECEPTION_FIFO_BASE;
  assign page_offset     = register_request_i.address - mu_pkg::REG_CLIENT_PAGE_FIFO_INDEX;
  assign register_index  = register_request_i.page ? page_offset[9:2] : block_offset[13:6];
  assign register_exists = (register_request_i.page ? page_offset[19:10] == '0 : block_offset[19:14] == '0) &&
      32'(register_index) < FIFOS;
  assign unused_bits     = ^{page_offset[1:0], block_offset[5:0]};

  always_ff @(posedge clk_i) begin
    act_q <= rst_ni && !idle && !act_q;
    if (!rst_ni || act_q) operation_q <= OPERATION_NONE;
    else if (start) begin
      operation_q <= start_publish ? OPERATION_PUBLISH :
                     start_register ? OPERATION_REGISTER : OPERATION_LOOKUP;
    end
    if (start) begin
      exists_q    <= start_register ? register_exists : 32'(index) < FIFOS;
      index_q     <= index_good;
      slots_q     <= start_publish ? publish_slots_i : lookup_slots_i;
      reply_q     <= lookup_reply_i;
      counted_q   <= lookup_counted_i;
      on_behalf_q <= lookup_on_behalf_i;
      client_q    <= lookup_client_i;
    end
  end

  // --- second cycle: sums; third: what becomes of the row ------------------------------------------
  logic                          write_configuration;
  logic [CONFIGURATION_BITS-1:0] old_configuration;
  logic [CONFIGURATION_BITS-1:0] new_configuration;
  logic                          write_pointers;
  logic [POINTERS_BITS-1:0]      old_pointers;
  logic [POINTERS_BITS-1:0]      new_pointers;
  logic                          publish_legal;
  logic                          arrived;
  logic                          threshold;
  mu_pkg::status_e               status;
  logic [63:0]                   data;
  logic                          wait_again;
  logic                          answered;
  logic                          switches;

  mu_zeroed_memory #(
      .WIDTH(CONFIGURATION_BITS),
      .DEPTH(FIFOS)
  ) u_configurations (
      .clk_i,
      .rst_ni,
      .write_i      (act_q && write_configuration),
      .write_index_i(index_q),
      .write_data_i (new_configuration),
      .read_i       (start),
      .read_index_i (index_good),
      .read_data_o  (old_configuration)
  );
  mu_zeroed_memory #(
      .WIDTH(POINTERS_BITS),
      .DEPTH(FIFOS)
  ) u_pointers (
      .clk_i,
      .rst_ni,
      .write_i      (act_q && write_pointers),
      .write_index_i(index_q),
      .write_data_i (new_pointers),
      .read_i       (start),
      .read_index_i (index_good),
      .read_data_o  (old_pointers)
  );

  mu_reception_fifo_rules u_rules (
      .clk_i,
      .lookup_i             (operation_q == OPERATION_LOOKUP),
      .publish_i            (operation_q == OPERATION_PUBLISH),
      .register_i           (operation_q == OPERATION_REGISTER),
      .exists_i             (exists_q),
      .slots_i              (slots_q),
      .reply_i              (reply_q),
      .counted_i            (counted_q),
      .on_behalf_i          (on_behalf_q),
      .client_i             (client_q),
      .reserve_i,
      .refuse_i,
      .register_request_i,
      .configuration_i      (old_configuration),
      .pointers_i           (old_pointers),
      .write_configuration_o(write_configuration),
      .configuration_o      (new_configuration),
      .write_pointers_o     (write_pointers),
      .pointers_o           (new_pointers),
      .answer_status_o,
      .answer_refusing_o,
      .answer_owner_o,
      .answer_address_o,
      .answer_bytes_o,
      .answer_split_o,
      .answer_second_address_o,
      .answer_second_bytes_o,
      .boot_lookup_o,
      .boot_switch_o        (switches),
      .boot_opens_o,
      .boot_drains_o,
      .boot_client_o,
      .boot_room_i,
      .boot_elsewhere_i,
      .publish_legal_o      (publish_legal),
      .arrived_o            (arrived),
      .threshold_o          (threshold),
      .status_o             (status),
      .data_o               (data),
      .wait_o               (wait_again)
  );

  assign boot_fifo_o   = 8'(index_q);
  assign boot_slots_o  = slots_q;
  assign boot_switch_o = act_q && switches;

  assign answered = act_q && operation_q == OPERATION_REGISTER && !wait_again;
  assign busy_o   = !idle || register_done_o || causes_o != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      register_done_o     <= 1'b0;
      register_response_o <= '0;
    end else begin
      register_done_o <= answered;
      if (answered) begin
        register_response_o.status <= status;
        register_response_o.data   <= data;
      end else if (register_done_o) register_response_o <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) causes_o <= '0;
    else if ((act_q && (arrived || threshold)) || causes_o != '0) begin
      for (int unsigned i = 0; i < mu_pkg::CLIENTS; i++) begin
        causes_o[i*CAUSES+:CAUSES] <= '0;
        causes_o[i*CAUSES+32'(mu_pkg::CAUSE_ARRIVED)]        <= act_q && arrived && 4'(i) == answer_owner_o;
        causes_o[i*CAUSES+32'(mu_pkg::CAUSE_FIFO_THRESHOLD)] <= act_q && threshold && 4'(i) == answer_owner_o;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      reserves_or_refuses_after_a_lookup :
      assert (!(reserve_i || refuse_i) || (act_q && operation_q == OPERATION_LOOKUP));
      not_both : assert (!(reserve_i && refuse_i));
      reserves_only_what_fits : assert (!reserve_i || answer_status_o == mu_pkg::STATUS_OK);
      refuses_only_when_full : assert (!refuse_i || answer_status_o == mu_pkg::STATUS_FIFO_FULL);
      publishes_only_what_is_reserved :
      assert (operation_q != OPERATION_PUBLISH || (exists_q && publish_legal));
      tells_a_client_that_exists :
      assert (!(act_q && (arrived || threshold)) || 32'(answer_owner_o) < mu_pkg::CLIENTS);
      register_request_stands : assert (operation_q != OPERATION_REGISTER || register_valid_i);
      answer_is_zero_unless_done : assert (register_done_o || register_response_o == '0);
    end
  end
endmodule
`default_nettype wire
