// SPDX-License-Identifier: Apache-2.0
// mu_memory_port: everything that the node reads from and writes to its memory, and the ordering point.
//
//   fetch, payload, calc: command -->, <-- beats          [ read port ]  --> AR, <-- R
//   reply, request, push, notice, calc: command, beats --> [ write port ] --> AW, W, <-- B
//   action <-- [ write port ]       [ touch table, core touch ] <-> register bus, --> causes_o
//
// Behaviour: reads as in mu_read_port (fetch goes first, payload and calc in turn), writes as in
//   mu_write_port (order of priority: reply, request, push, notice, entry, calc; calc waits for 15 actions
//   at most). An action leaves only after the memory has accepted every byte of it. A marked range fires when
//   the last data of a read has come, when the action of a write leaves, or when a core is said to touch it.
//   memory_error_o is high for one cycle for each transfer or action that failed.
// Latency: address valid one cycle after the command, of a read later while ranges are enabled for reads; a
//   beat a cycle each way.
// Limits: see the parts. The memory answers every burst once; RREADY is always high, BREADY low while no
//   response is due, an action waits to be taken, or one of no bytes is told.
`default_nettype none

module mu_memory_port (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // descriptor fetch
    input  mu_pkg::read_request_t        fetch_read_i,
    output logic                         fetch_command_ready_o,
    output mu_pkg::read_beat_t           fetch_beat_o,
    // payload of packets to be sent
    input  mu_pkg::read_request_t        payload_read_i,
    output logic                         payload_command_ready_o,
    output mu_pkg::read_beat_t           payload_beat_o,
    // operands of CALC
    input  mu_pkg::read_request_t        calc_read_i,
    output logic                         calc_command_ready_o,
    output mu_pkg::read_beat_t           calc_beat_o,
    // stores of reply packets
    input  mu_pkg::write_request_t       reply_write_i,
    output mu_pkg::write_response_t      reply_write_response_o,
    // stores of request packets
    input  mu_pkg::write_request_t       request_write_i,
    output mu_pkg::write_response_t      request_write_response_o,
    // pushed descriptors
    input  mu_pkg::write_request_t       push_write_i,
    output mu_pkg::write_response_t      push_write_response_o,
    // notices
    input  mu_pkg::write_request_t       notice_write_i,
    output mu_pkg::write_response_t      notice_write_response_o,
    // entries of completion queues
    input  mu_pkg::write_request_t       entry_write_i,
    output mu_pkg::write_response_t      entry_write_response_o,
    // results of CALC
    input  mu_pkg::write_request_t       calc_write_i,
    output mu_pkg::write_response_t      calc_write_response_o,
    // what is now in memory
    output logic                         action_valid_o,
    input  logic                         action_ready_i,
    output mu_pkg::write_action_t        action_data_o,
    output logic                         action_error_o,
    // registers of the touch ranges, interrupts, errors
    input  logic                         register_valid_i,
    input  mu_pkg::register_request_t    register_request_i,
    output logic                         register_done_o,
    output mu_pkg::register_response_t   register_response_o,
    input  logic                         core_access_valid_i,  // register of what cores have touched
    output logic                         core_access_done_o,
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o,
    output logic                         memory_error_o,
    output logic                         active_o,  // an edge changes something, though nothing comes in
    output logic                         busy_o,
    // AXI4 master
    output mu_pkg::axi_request_t         axi_request_o,
    input  mu_pkg::axi_response_t        axi_response_i
);
  localparam int unsigned RANGES = mu_pkg::TOUCH_RANGES;
  logic [RANGES-1:0]    on_read;
  logic [RANGES-1:0]    on_write;
  logic [RANGES-1:0]    on_core_read;
  logic [RANGES-1:0]    on_core_write;
  mu_pkg::touch_row_t   row;
  logic [RANGES-1:0]    read_touch;
  logic [RANGES-1:0]    action_touch;
  logic [RANGES-1:0]    core_touch;
  logic                 core_busy;
  mu_pkg::register_response_t table_response, core_response;
  logic                 action_taken;
  logic [1:0]           reads_failed;
  logic                 table_busy;
  logic                 read_active;
  logic                 read_busy;
  logic                 write_active;
  logic                 write_busy;

  assign action_taken = action_valid_o && action_ready_i;

  mu_touch_table u_touch_table (
      .clk_i,
      .rst_ni,
      .register_valid_i,
      .register_request_i,
      .register_done_o,
      .register_response_o(table_response),
      .on_read_o      (on_read),
      .on_write_o     (on_write),
      .on_core_read_o (on_core_read),
      .on_core_write_o(on_core_write),
      .row_o          (row),
      .hit_i          (read_touch | core_touch | (action_taken ? action_touch : '0)),
      .causes_o,
      .busy_o         (table_busy)
  );

  mu_core_touch u_core_touch (
      .clk_i, .rst_ni, .busy_o(core_busy),
      .register_valid_i   (core_access_valid_i),
      .register_request_i,
      .register_done_o    (core_access_done_o),
      .register_response_o(core_response),
      .on_read_i          (on_core_read),
      .on_write_i         (on_core_write),
      .row_i              (row),
      .hit_o              (core_touch)
  );
  assign register_response_o = table_response | core_response;

  mu_read_port u_read_port (
      .clk_i, .rst_ni, .fetch_read_i, .fetch_command_ready_o, .fetch_beat_o, .payload_read_i,
      .payload_command_ready_o, .payload_beat_o, .calc_read_i, .calc_command_ready_o, .calc_beat_o,
      .on_read_i(on_read), .row_i(row), .touch_o(read_touch), .failed_o(reads_failed),
      .active_o(read_active), .busy_o(read_busy), .m_axi_arid(axi_request_o.arid),
      .m_axi_araddr(axi_request_o.araddr), .m_axi_arlen(axi_request_o.arlen),
      .m_axi_arsize(axi_request_o.arsize), .m_axi_arburst(axi_request_o.arburst),
      .m_axi_arvalid(axi_request_o.arvalid), .m_axi_arready(axi_response_i.arready),
      .m_axi_rid(axi_response_i.rid), .m_axi_rdata(axi_response_i.rdata),
      .m_axi_rresp(axi_response_i.rresp), .m_axi_rlast(axi_response_i.rlast),
      .m_axi_rvalid(axi_response_i.rvalid), .m_axi_rready(axi_request_o.rready)
  );

  // Side by side for the write port, only while there is one.
  logic [5:0]                              write_commands;
  logic [6*mu_pkg::WRITE_COMMAND_BITS-1:0] write_command_data;
  assign write_commands = {calc_write_i.command_valid, entry_write_i.command_valid,
                           notice_write_i.command_valid, push_write_i.command_valid,
                           request_write_i.command_valid, reply_write_i.command_valid};
  always_comb begin
    write_command_data = '0;
    if (write_commands != '0) begin
      write_command_data = {calc_write_i.command, entry_write_i.command,
                            notice_write_i.command, push_write_i.command,
                            request_write_i.command, reply_write_i.command};
    end
  end

  mu_write_port u_write_port (
      .clk_i, .rst_ni, .command_valid_i(write_commands),
      .command_ready_o({calc_write_response_o.command_ready, entry_write_response_o.command_ready,
                        notice_write_response_o.command_ready, push_write_response_o.command_ready,
                        request_write_response_o.command_ready, reply_write_response_o.command_ready}),
      .command_data_i (write_command_data),
      .beat_valid_i ({calc_write_i.beat_valid, entry_write_i.beat_valid, notice_write_i.beat_valid,
                      push_write_i.beat_valid, request_write_i.beat_valid, reply_write_i.beat_valid}),
      .beat_ready_o ({calc_write_response_o.beat_ready, entry_write_response_o.beat_ready,
                      notice_write_response_o.beat_ready, push_write_response_o.beat_ready,
                      request_write_response_o.beat_ready, reply_write_response_o.beat_ready}),
      .beat_data_i ({calc_write_i.beat, entry_write_i.beat, notice_write_i.beat, push_write_i.beat,
                     request_write_i.beat, reply_write_i.beat}),
      .action_valid_o, .action_ready_i, .action_data_o, .action_error_o, .action_touch_o (action_touch),
      .on_write_i (on_write), .row_i (row),
      .active_o(write_active), .busy_o(write_busy), .m_axi_awid(axi_request_o.awid),
      .m_axi_awaddr(axi_request_o.awaddr), .m_axi_awlen(axi_request_o.awlen),
      .m_axi_awsize(axi_request_o.awsize), .m_axi_awburst(axi_request_o.awburst),
      .m_axi_awvalid(axi_request_o.awvalid), .m_axi_awready(axi_response_i.awready),
      .m_axi_wdata(axi_request_o.wdata), .m_axi_wstrb(axi_request_o.wstrb),
      .m_axi_wlast(axi_request_o.wlast), .m_axi_wvalid(axi_request_o.wvalid),
      .m_axi_wready(axi_response_i.wready), .m_axi_bid(axi_response_i.bid),
      .m_axi_bresp(axi_response_i.bresp), .m_axi_bvalid(axi_response_i.bvalid),
      .m_axi_bready(axi_request_o.bready)
  );

  // One pulse a failure, though several transfers may fail in one cycle.
  logic [4:0] failures_q;  // at most the transfers that can be outstanding
  logic [1:0] failed;

  assign failed = reads_failed + 2'(action_taken && action_error_o);
  assign memory_error_o = failures_q != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) failures_q <= '0;
    else if (failed != '0 || memory_error_o) failures_q <= failures_q + 5'(failed) - 5'(memory_error_o);
  end

  assign active_o = table_busy || core_busy || read_active || write_active || memory_error_o;
  assign busy_o   = table_busy || core_busy || read_busy || write_busy || memory_error_o;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      no_failure_is_lost : assert (failures_q < 5'd28);
      // One whose last data comes, and one whose last data came in the cycle before.
      two_reads_fail_at_once : assert (reads_failed <= 2'd2);
      if (action_valid_o || fetch_beat_o.valid || payload_beat_o.valid || calc_beat_o.valid)
        delivers_when_busy : assert (busy_o);
    end
  end
endmodule
`default_nettype wire
