// SPDX-License-Identifier: Apache-2.0
// mu_reception_fifo_table: the state of every reception FIFO, and who may put how much into it.
//
//   lookup_i (ready) ---------------------> [ one row at a time:  ] ---> answer_o, two cycles later
//   reserve_i / refuse_i with the answer -> [ read, sums, change  ] ---> causes_o
//   publish (valid/ready/target, slots) --> [                     ]
//   register bus -------------------------> [                     ] ---> answer
//   boot_step_i --------------------------> [                     ] ---> boot_held_o, draining_o
//
// Behaviour: the answer to a lookup says whether its slots may be reserved (status OK, else the first of
//   FIFO_INVALID, PERMISSION, FIFO_FULL) and where they lie; reserve_i in the answer's cycle takes them,
//   refuse_i counts a packet that found it full, neither leaves all as it was. A FIFO that has refused a
//   request is refusing: every request finds it full until software has moved head by a quarter of the size,
//   or has read all. Replies find it full only if it is. The tail moves with publish alone, in the order of
//   the reservations; then ARRIVED is raised if config.interrupt, with the FIFO as its part, FIFO_THRESHOLD
//   if more than threshold slots are used. No register write is lost. A request for a FIFO with config.boot
//   is redirected: its keeper is looked up next, and answers instead (docs/boot_buffers.md). draining_o has a
//   bit for each boot buffer that the MU is to move: it is set when a FIFO with boot and enable is
//   configured, and cleared when a step finds the buffer empty, or when that is configured itself.
// Latency: lookup to answer two cycles, of a keeper four; a step two; an operation every three cycles:
//   publish first, then steps, registers, lookup.
// Limits: a publish must stand for slots that were reserved, a step for slots that are in memory (asserted).
//   A config write stops lookups until all that was reserved is published. FIFOs that do not exist answer
//   FIFO_INVALID.
// two-readers: hold:register_request_i[63:8]=0 hold:register_request_i[83:73]=0x1A0
// two-readers: hold:register_request_i[89:88]=2 hold:lookup_i[7:3]=0 hold:publish_target_i[7:3]=0
// two-readers: hold:boot_step_i[7:3]=0 seen=10
`default_nettype none

module mu_reception_fifo_table (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    output logic                              busy_o,
    // register bus
    input  logic                              register_valid_i,
    input  mu_pkg::register_request_t         register_request_i,
    output logic                              register_done_o,
    output mu_pkg::register_response_t        register_response_o,
    // control: lookup, and the answer two cycles later
    input  mu_pkg::fifo_lookup_t              lookup_i,
    output logic                              lookup_ready_o,
    output mu_pkg::fifo_answer_t              answer_o,
    input  mu_pkg::ring_outcome_t             outcome_i,
    // boot drain
    input  mu_pkg::boot_step_t                boot_step_i,
    output mu_pkg::boot_held_t                boot_held_o,
    output logic [mu_pkg::RECEPTION_FIFOS-1:0] draining_o,
    // completion
    input  logic                              publish_valid_i,
    output logic                              publish_ready_o,
    input  logic [7:0]                        publish_target_i,
    input  logic [7:0]                        publish_slots_i,
    // interrupt control
    output logic [mu_pkg::CLIENTS*8-1:0]      causes_o,
    output mu_pkg::cause_part_t               part_o     // of ARRIVED
);
  localparam int unsigned FIFOS       = mu_pkg::RECEPTION_FIFOS;
  localparam int unsigned INDEX_WIDTH = FIFOS > 1 ? $clog2(FIFOS) : 1;
  localparam int unsigned CAUSES      = 8;

  localparam int unsigned CONFIGURATION_BITS = 107;
  localparam int unsigned POINTERS_BITS      = 161;

  typedef enum logic [2:0] {
    OPERATION_NONE,
    OPERATION_LOOKUP,
    OPERATION_PUBLISH,
    OPERATION_REGISTER,
    OPERATION_STEP
  } operation_e;

  // --- first cycle: choose an operation, read its row ---------------------------------------------
  operation_e             operation_q;
  logic                   act_q;         // its third cycle
  logic [INDEX_WIDTH-1:0] index_q;
  logic                   exists_q;
  mu_pkg::fifo_lookup_t   lookup_q;
  logic                   kept_q;        // the row before has sent it to this one
  logic [3:0]             kept_for_q;    // owner of that row
  mu_pkg::boot_step_t     step_q;
  logic                   idle;
  logic                   start_publish;
  logic                   start_step;
  logic                   start_register;
  logic                   start_lookup;
  logic                   start;
  logic                   redirect;      // the lookup goes on with another row
  logic [7:0]             keeper;
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
  assign start_step      = idle && !publish_valid_i && boot_step_i.valid;
  assign start_register  = idle && !publish_valid_i && !boot_step_i.valid && register_valid_i &&
      !register_done_o;
  assign lookup_ready_o  = idle && !publish_valid_i && !boot_step_i.valid && !start_register;
  assign start_lookup    = lookup_i.valid && lookup_ready_o;
  assign start           = start_publish || start_step || start_register || start_lookup;
  always_comb begin
    index = lookup_i.fifo;
    if (redirect) index = keeper;
    else if (start_publish) index = publish_target_i;
    else if (start_step) index = boot_step_i.fifo;
    else if (start_register) index = register_index;
  end

  assign index_good      = 32'(index) < FIFOS ? index[INDEX_WIDTH-1:0] : '0;

  assign block_offset    = register_request_i.address - mu_pkg::BLOCK_RECEPTION_FIFO_BASE;
  assign page_offset     = register_request_i.address - mu_pkg::REG_CLIENT_PAGE_FIFO_INDEX;
  assign register_index  = register_request_i.page ? page_offset[9:2] : block_offset[13:6];
  assign register_exists = (register_request_i.page ? page_offset[19:10] == '0 : block_offset[19:14] == '0) &&
      32'(register_index) < FIFOS;
  assign unused_bits     = ^{page_offset[1:0], block_offset[5:0], lookup_q, step_q, written};

  always_ff @(posedge clk_i) begin
    act_q <= rst_ni && !idle && !act_q;
    if (!rst_ni || (act_q && !redirect)) operation_q <= OPERATION_NONE;
    else if (start) begin
      operation_q <= start_publish ? OPERATION_PUBLISH :
                     start_step ? OPERATION_STEP :
                     start_register ? OPERATION_REGISTER : OPERATION_LOOKUP;
    end
    if (start || redirect) begin
      exists_q <= start_register ? register_exists : 32'(index) < FIFOS;
      index_q  <= index_good;
      kept_q   <= redirect;
    end
    if (start) begin
      lookup_q <= lookup_i;
      step_q   <= boot_step_i;
      if (start_publish) lookup_q.slots <= publish_slots_i;
    end
    if (redirect) kept_for_q <= answer.owner;
  end

  // --- second cycle: sums; third: what becomes of the row ------------------------------------------
  logic                          write_configuration;
  logic [CONFIGURATION_BITS-1:0] old_configuration;
  logic [CONFIGURATION_BITS-1:0] new_configuration;
  logic                          write_pointers;
  logic [POINTERS_BITS-1:0]      old_pointers;
  logic [POINTERS_BITS-1:0]      new_pointers;
  logic                          publish_legal;
  logic                          step_legal;
  logic                          arrived;
  logic                          threshold;
  mu_pkg::status_e               status;
  logic [63:0]                   data;
  logic                          wait_again;
  logic                          answered;
  logic                          keeps;
  logic                          configures;
  mu_pkg::reception_fifo_config_t written;  // the config, then
  logic                          moves_head;
  mu_pkg::fifo_answer_t          answer;
  mu_pkg::boot_held_t            held;

  mu_zeroed_memory #(
      .WIDTH(CONFIGURATION_BITS),
      .DEPTH(FIFOS)
  ) u_configurations (
      .clk_i,
      .rst_ni,
      .write_i      (act_q && write_configuration),
      .write_index_i(index_q),
      .write_data_i (new_configuration),
      .read_i       (start || redirect),
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
      .read_i       (start || redirect),
      .read_index_i (index_good),
      .read_data_o  (old_pointers)
  );

  mu_reception_fifo_rules u_rules (
      .clk_i,
      .lookup_valid_i       (operation_q == OPERATION_LOOKUP),
      .publish_i            (operation_q == OPERATION_PUBLISH),
      .register_i           (operation_q == OPERATION_REGISTER),
      .step_valid_i         (operation_q == OPERATION_STEP),
      .exists_i             (exists_q),
      .lookup_i             (lookup_q),
      .kept_i               (kept_q),
      .kept_for_i           (kept_for_q),
      .reserve_i            (outcome_i.reserve),
      .refuse_i             (outcome_i.refuse),
      .register_request_i,
      .step_i               (step_q),
      .draining_i           (draining),
      .pending_i            (pending_q != '0),
      .configuration_i      (old_configuration),
      .pointers_i           (old_pointers),
      .write_configuration_o(write_configuration),
      .configuration_o      (new_configuration),
      .write_pointers_o     (write_pointers),
      .pointers_o           (new_pointers),
      .answer_o             (answer),
      .keeper_o             (keeper),
      .held_o               (held),
      .step_legal_o         (step_legal),
      .publish_legal_o      (publish_legal),
      .keeps_o              (keeps),
      .arrived_o            (arrived),
      .threshold_o          (threshold),
      .status_o             (status),
      .data_o               (data),
      .wait_o               (wait_again),
      .configures_o         (configures),
      .written_o            (written),
      .moves_head_o         (moves_head)
  );

  assign redirect = act_q && answer.redirect;
  always_comb begin
    answer_o      = answer;
    answer_o.fifo = 8'(index_q);
  end

  // --- boot buffers: those that are moved, and packets on their way into any ------------------------
  logic [4:0]                     pending_q;
  logic                           draining;  // what the row that is read depends on
  logic                           sets, clears, kept, publishes;

  assign kept               = act_q && kept_q && outcome_i.reserve;
  assign publishes          = act_q && operation_q == OPERATION_PUBLISH && keeps;
  assign sets               = act_q && configures && written.enable && written.boot;
  assign clears             = act_q && (configures || (operation_q == OPERATION_STEP && exists_q &&
                              step_q.slots == '0 && !step_q.discard && held.empty));

  always_comb begin
    draining = 1'b0;
    for (int unsigned i = 0; i < FIFOS; i++) begin
      if (operation_q == OPERATION_LOOKUP ? keeper == 8'(i) : index_q == INDEX_WIDTH'(i))
        draining = draining_o[i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      draining_o <= '0;
      pending_q  <= '0;
    end else if (act_q) begin
      for (int unsigned i = 0; i < FIFOS; i++) begin
        if (sets && written.keeper == 8'(i)) draining_o[i] <= 1'b1;
        else if (clears && index_q == INDEX_WIDTH'(i)) draining_o[i] <= 1'b0;
      end
      pending_q <= pending_q + 5'(kept) - 5'(publishes);
    end
  end

  always_comb begin
    boot_held_o            = held;
    boot_held_o.valid      = act_q && operation_q == OPERATION_STEP;
    boot_held_o.ready      = start_step;
    boot_held_o.configured = act_q && configures;
    boot_held_o.fifo       = 8'(index_q);
    boot_held_o.room       = act_q && (configures || moves_head);
  end

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
    if (!rst_ni) {causes_o, part_o} <= '0;
    else if ((act_q && (arrived || threshold)) || causes_o != '0) begin
      part_o.valid  <= act_q && arrived;
      part_o.client <= answer.owner;
      part_o.number <= 4'(index_q);
      for (int unsigned i = 0; i < mu_pkg::CLIENTS; i++) begin
        causes_o[i*CAUSES+:CAUSES] <= '0;
        causes_o[i*CAUSES+32'(mu_pkg::CAUSE_ARRIVED)]        <= act_q && arrived && 4'(i) == answer.owner;
        causes_o[i*CAUSES+32'(mu_pkg::CAUSE_FIFO_THRESHOLD)] <= act_q && threshold && 4'(i) == answer.owner;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      reserves_or_refuses_after_a_lookup :
      assert (!(outcome_i.reserve || outcome_i.refuse) || (act_q && operation_q == OPERATION_LOOKUP));
      not_both : assert (!(outcome_i.reserve && outcome_i.refuse));
      reserves_only_what_fits : assert (!outcome_i.reserve || answer.status == mu_pkg::STATUS_OK);
      refuses_only_when_full : assert (!outcome_i.refuse || answer.status == mu_pkg::STATUS_FIFO_FULL);
      publishes_only_what_is_reserved :
      assert (operation_q != OPERATION_PUBLISH || (exists_q && publish_legal));
      tells_a_client_that_exists :
      assert (!(act_q && (arrived || threshold)) || 32'(answer.owner) < mu_pkg::CLIENTS);
      decides_nothing_that_goes_on : assert (!redirect || !(outcome_i.reserve || outcome_i.refuse));
      frees_only_what_is_in_memory : assert (!(act_q && operation_q == OPERATION_STEP) || step_legal);
      counts_what_is_on_its_way : assert (!publishes || pending_q != '0);
      few_are_on_their_way : assert (!kept || pending_q != '1);
      register_request_stands : assert (operation_q != OPERATION_REGISTER || register_valid_i);
      answer_is_zero_unless_done : assert (register_done_o || register_response_o == '0);
    end
  end
endmodule
`default_nettype wire
