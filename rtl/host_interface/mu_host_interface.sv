// SPDX-License-Identifier: Apache-2.0
// mu_host_interface: software's door: AXI4-Lite in, one access at a time out to the block that has it.
//
//   s_axil_* ---> [ slave ] ---> [ decode ] ---> [ request ] ---> register_valid_o, register_request_o
//       ^------------------ [ answer ] <--- register_done_i, register_response_i, push window, node registers
//                              |---> [ record of refusals ] ---> causes_o
//
// Behaviour: every access is answered, in its turn, exactly once: with OKAY and the block's data, or with
//   SLVERR and zeros if it was refused. A refusal is recorded in page_status (raising ERROR of the client) or
//   register_errors; only a push that finds its queue full is not: that is no mistake, and push_status tells.
//   register_valid_o has at most one bit and holds with the request until the done of its block.
// Latency: AW and W (or AR) sampled in cycle t, register_valid_o in t+2; done in u, B or R valid in u+1.
// Limits: blocks answer in a bounded time, with a response of zero unless done. xPROT does not exist here.
// two-readers: hold:s_axil_wstrb=255 hold:s_axil_awaddr[2:0]=0 hold:s_axil_awaddr[19:14]=0
// two-readers: hold:s_axil_araddr[19:14]=0 seen=15
`default_nettype none

module mu_host_interface (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    output logic                         busy_o,
    // AXI4-Lite
    input  logic                         s_axil_awvalid,
    output logic                         s_axil_awready,
    input  logic [19:0]                  s_axil_awaddr,
    input  logic                         s_axil_wvalid,
    output logic                         s_axil_wready,
    input  logic [63:0]                  s_axil_wdata,
    input  logic [7:0]                   s_axil_wstrb,
    output logic                         s_axil_bvalid,
    input  logic                         s_axil_bready,
    output logic [1:0]                   s_axil_bresp,
    input  logic                         s_axil_arvalid,
    output logic                         s_axil_arready,
    input  logic [19:0]                  s_axil_araddr,
    output logic                         s_axil_rvalid,
    input  logic                         s_axil_rready,
    output logic [63:0]                  s_axil_rdata,
    output logic [1:0]                   s_axil_rresp,
    // register bus
    output mu_pkg::register_units_t      register_valid_o,
    output mu_pkg::register_request_t    register_request_o,
    input  mu_pkg::register_units_t      register_done_i,
    input  mu_pkg::register_response_t   register_response_i,
    // straps, latched at the node's edge
    input  mu_pkg::node_straps_t         straps_i,
    // what is counted, and limits for those who keep them
    input  logic                         bad_packet_i,
    input  logic [1:0]                   dropped_reply_i,
    input  logic                         memory_error_i,
    output logic [15:0]                  fifo_hold_cycles_o,
    output logic [31:0]                  credit_timeout_cycles_o,
    output logic [24:0]                  send_retry_cycles_o,
    output logic [7:0]                   send_retries_o,
    // queue engine
    output mu_pkg::push_reserve_t        push_reserve_o,
    input  logic                         push_reserve_ready_i,
    input  logic                         push_slots_valid_i,
    input  mu_pkg::ring_slots_t          push_slots_i,
    // memory port
    output mu_pkg::write_request_t       push_write_o,
    input  mu_pkg::write_response_t      push_write_response_i,
    // completion
    input  mu_pkg::push_done_t           push_done_i,
    // interrupt control
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o
);
  localparam logic [31:0] SIGNATURE      = 32'h554D5354;  // TSMU in memory order
  localparam logic [31:0] LAYOUT_VERSION = 32'd1;

  // --- one access at a time ----------------------------------------------------------------------
  logic                      access_valid;
  logic                      access_write;
  logic [19:0]               access_address;
  logic [63:0]               access_data;
  logic [7:0]                access_strobe;
  mu_pkg::register_units_t   select;
  mu_pkg::register_request_t request;
  mu_pkg::status_e           refusal;        // by the decoder
  logic                      active_q;       // an access is with its block
  mu_pkg::register_units_t   select_q;
  mu_pkg::register_request_t request_q;
  mu_pkg::status_e           refusal_q;
  mu_pkg::register_units_t   done;
  logic                      finish;         // the access ends in this cycle
  mu_pkg::register_response_t response;      // status and data of whoever answers
  mu_pkg::status_e           status;
  logic                      slave_busy;
  logic                      push_busy;
  logic                      node_busy;
  logic                      errors_busy;

  mu_axil_slave u_slave (
      .clk_i,
      .rst_ni,
      .busy_o          (slave_busy),
      .s_axil_awvalid,
      .s_axil_awready,
      .s_axil_awaddr,
      .s_axil_wvalid,
      .s_axil_wready,
      .s_axil_wdata,
      .s_axil_wstrb,
      .s_axil_bvalid,
      .s_axil_bready,
      .s_axil_bresp,
      .s_axil_arvalid,
      .s_axil_arready,
      .s_axil_araddr,
      .s_axil_rvalid,
      .s_axil_rready,
      .s_axil_rdata,
      .s_axil_rresp,
      .access_valid_o  (access_valid),
      .access_write_o  (access_write),
      .access_address_o(access_address),
      .access_data_o   (access_data),
      .access_strobe_o (access_strobe),
      .response_valid_i(finish),
      .response_error_i(status != mu_pkg::STATUS_OK),
      .response_data_i (response.data)
  );

  mu_register_decode u_decode (
      .valid_i  (access_valid),
      .write_i  (access_write),
      .address_i(access_address),
      .strobe_i (access_strobe),
      .data_i   (access_data),
      .select_o (select),
      .request_o(request),
      .status_o (refusal)
  );

  assign finish = active_q && (select_q == '0 || done != '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      select_q <= '0;
    end else if (access_valid) begin
      active_q <= 1'b1;
      select_q <= select;
    end else if (finish) begin
      active_q <= 1'b0;
      select_q <= '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (access_valid) begin
      request_q <= request;
      refusal_q <= refusal;
    end
  end
  always_comb begin  // of the units outside
    register_valid_o        = select_q;
    register_valid_o.push   = 1'b0;
    register_valid_o.node   = 1'b0;
    register_valid_o.errors = 1'b0;
  end
  assign register_request_o = request_q;
  assign busy_o             = slave_busy || push_busy;

  // --- blocks inside -----------------------------------------------------------------------------
  mu_pkg::register_response_t push_response;
  mu_pkg::register_response_t node_response;
  mu_pkg::register_response_t errors_response;
  logic                       push_done;
  logic                       node_done;
  logic                       errors_done;
  mu_pkg::node_register_errors_t register_errors;
  mu_pkg::node_error_clear_t  error_clear;
  logic                       full_push;

  always_comb begin
    done        = register_done_i;
    done.push   = push_done;
    done.node   = node_done;
    done.errors = errors_done;
  end
  assign full_push = select_q.push && status == mu_pkg::STATUS_QUEUE_FULL;
  always_comb begin
    response = '0;
    status   = mu_pkg::STATUS_OK;
    if (active_q) begin
      response = register_response_i | push_response | node_response | errors_response;
      status   = select_q == '0 ? refusal_q : response.status;
    end
  end

  mu_push_window u_push (
      .clk_i,
      .rst_ni,
      .busy_o             (push_busy),
      .register_valid_i   (select_q.push),
      .register_request_i (request_q),
      .register_done_o    (push_done),
      .register_response_o(push_response),
      .push_reserve_valid_o(push_reserve_o.valid),
      .push_reserve_ready_i,
      .push_reserve_queue_o(push_reserve_o.queue),
      .push_reserve_client_o(push_reserve_o.client),
      .push_slots_valid_i,
      .push_slots_i,
      .push_write_command_valid_o(push_write_o.command_valid),
      .push_write_command_ready_i(push_write_response_i.command_ready),
      .push_write_command_data_o(push_write_o.command),
      .push_write_beat_valid_o(push_write_o.beat_valid),
      .push_write_beat_ready_i(push_write_response_i.beat_ready),
      .push_write_beat_data_o(push_write_o.beat),
      .push_done_valid_i(push_done_i.valid),
      .push_done_client_i(push_done_i.client),
      .push_done_error_i(push_done_i.error)
  );

  mu_node_registers #(
      .SIGNATURE     (SIGNATURE),
      .LAYOUT_VERSION(LAYOUT_VERSION)
  ) u_node (
      .clk_i,
      .rst_ni,
      .busy_o             (node_busy),
      .register_valid_i   (select_q.node),
      .register_request_i (request_q),
      .register_done_o    (node_done),
      .register_response_o(node_response),
      .straps_i,
      .register_errors_i  (register_errors),
      .error_clear_o      (error_clear),
      .bad_packet_i,
      .dropped_reply_i,
      .memory_error_i,
      .fifo_hold_cycles_o,
      .credit_timeout_cycles_o,
      .send_retry_cycles_o,
      .send_retries_o
  );

  mu_access_errors #(
      .SIGNATURE(SIGNATURE)
  ) u_errors (
      .clk_i,
      .rst_ni,
      .busy_o             (errors_busy),
      .register_valid_i   (select_q.errors),
      .register_request_i (request_q),
      .register_done_o    (errors_done),
      .register_response_o(errors_response),
      .refused_valid_i    (status != mu_pkg::STATUS_OK && !full_push),
      .refused_page_i     (request_q.page),
      .refused_client_i   (request_q.client),
      .refused_address_i  (request_q.address),
      .refused_status_i   (status),
      .clear_i            (error_clear),
      .register_errors_o  (register_errors),
      .causes_o
  );

  // So wide are their registers, in a reset, too.
  always_ff @(posedge clk_i) begin
    push_answers_in_41_bits : assert (push_response.data[63:41] == '0);
    node_answers_in_44_bits : assert (node_response.data[63:44] == '0);
    errors_answer_in_56_bits : assert (errors_response.data[63:56] == '0);
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_access_at_a_time : assert (!(access_valid && active_q));
      asks_one_block : assert ($onehot0(select_q));
      asks_only_while_active : assert (active_q || select_q == '0);
      asks_for_words : assert (!active_q || request_q.address[1:0] == '0);
      asks_for_a_client_that_exists : assert (!active_q || 32'(request_q.client) < mu_pkg::CLIENTS);
      done_comes_from_the_one_asked : assert ((done & ~select_q) == '0);
      silent_unless_done : assert (done != '0 || response == '0);
      errors_know_one_refusal :
      assert (errors_response.status == mu_pkg::STATUS_OK ||
              errors_response.status == mu_pkg::STATUS_REGISTER_UNKNOWN);
      refused_reads_are_zero : assert (!finish || status == mu_pkg::STATUS_OK || response.data == '0);
      has_a_status_when_it_ends : assert (finish || status == mu_pkg::STATUS_OK);
      busy_while_it_answers : assert (slave_busy || !(active_q || node_busy || errors_busy));
      push_data_leaves_with_a_command : assert (!push_write_o.beat_valid || push_busy);
    end
  end
endmodule
`default_nettype wire
