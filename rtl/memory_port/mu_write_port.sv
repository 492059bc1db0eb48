// SPDX-License-Identifier: Apache-2.0
// mu_write_port: the write half of the memory port, six writers on one AXI4 write channel.
//
//   writers 0..4 (command + beats) --> [ arbiter ] --> [ writer ] --> AW, W
//                                   command --> [ tracker: waits for B ] --> action (valid/ready)
//
// Behaviour: as mu_write_arbiter, mu_memory_writer and mu_write_tracker: an action leaves once every byte of
//   its commands has been accepted by the memory, in the order of the commands.
// Latency: AW valid one cycle after the command, W two; a beat a cycle; action one cycle after its last B.
//   The next command waits while this one is compared with the ranges enabled for writes, a cycle each.
// Limits: as the parts. BREADY is low while no response is due, an action waits, or one of no bytes is told.
`default_nettype none

module mu_write_port (
    input  logic                                    clk_i,
    input  logic                                    rst_ni,
    // writers, see mu_write_arbiter
    input  logic [5:0]                              command_valid_i,
    output logic [5:0]                              command_ready_o,
    input  logic [6*mu_pkg::WRITE_COMMAND_BITS-1:0] command_data_i,
    input  logic [5:0]                              beat_valid_i,
    output logic [5:0]                              beat_ready_o,
    input  logic [6*256-1:0]                        beat_data_i,
    // what is now in memory
    output logic                                    action_valid_o,
    input  logic                                    action_ready_i,
    output mu_pkg::write_action_t                   action_data_o,
    output logic                                    action_error_o,
    output logic [mu_pkg::TOUCH_RANGES-1:0]         action_touch_o,
    // touch table
    input  logic [mu_pkg::TOUCH_RANGES-1:0]         on_write_i,
    input  mu_pkg::touch_row_t                      row_i,
    output logic                                    active_o,  // something goes on without a response
    output logic                                    busy_o,
    // AXI4 write channels
    output logic [1:0]                              m_axi_awid,
    output mu_pkg::address_t                        m_axi_awaddr,
    output logic [7:0]                              m_axi_awlen,
    output logic [2:0]                              m_axi_awsize,
    output logic [1:0]                              m_axi_awburst,
    output logic                                    m_axi_awvalid,
    input  logic                                    m_axi_awready,
    output mu_pkg::memory_word_t                    m_axi_wdata,
    output logic [31:0]                             m_axi_wstrb,
    output logic                                    m_axi_wlast,
    output logic                                    m_axi_wvalid,
    input  logic                                    m_axi_wready,
    input  logic [1:0]                              m_axi_bid,
    input  logic [1:0]                              m_axi_bresp,
    input  logic                                    m_axi_bvalid,
    output logic                                    m_axi_bready
);
  localparam logic [2:0] SIZE_32_BYTES = 3'd5;
  localparam logic [1:0] BURST_INCREMENT = 2'd1;

  logic                            command_valid;
  logic                            command_ready;
  mu_pkg::write_command_t          command;
  logic                            beat_valid;
  logic                            beat_ready;
  mu_pkg::memory_word_t            beat_data;
  logic                            active;
  logic [mu_pkg::TOUCH_RANGES-1:0] match;
  logic                            matched;
  logic                            tracker_ready;
  logic                            tracker_active;
  logic                            two_bursts_q;
  logic                            none_q;
  logic                            final_part_q;
  mu_pkg::write_action_t           action_q;
  logic                            pending_valid;
  logic                            pending_ready;
  logic                            pending_two_bursts;
  logic                            pending_none;
  logic [34:0]                     address;
  logic [4:0]                      address_beats;
  logic                            arbiter_busy;
  logic                            writer_busy;
  logic                            tracker_busy;

  mu_write_arbiter u_write_arbiter (
      .clk_i,
      .rst_ni,
      .in_command_valid_i (command_valid_i),
      .in_command_ready_o (command_ready_o),
      .in_command_data_i  (command_data_i),
      .in_beat_valid_i    (beat_valid_i),
      .in_beat_ready_o    (beat_ready_o),
      .in_beat_data_i     (beat_data_i),
      .out_command_valid_o(command_valid),
      .out_command_ready_i(command_ready),
      .out_command_data_o (command),
      .out_beat_valid_o   (beat_valid),
      .out_beat_ready_i   (beat_ready),
      .out_beat_data_o    (beat_data),
      .active_i           (active),
      .busy_o             (arbiter_busy)
  );
  // What the tracker has to know of a command waits until its bytes have been compared with the ranges.
  mu_touch_match u_match (
      .clk_i,
      .rst_ni,
      .valid_i  (pending_valid),
      .ready_o  (pending_ready),
      .address_i(command.address),
      .bytes_i  (command.bytes),
      .enable_i (on_write_i),
      .done_o   (matched),
      .taken_i  (tracker_ready),
      .hit_o    (match),
      .row_i
  );
  always_ff @(posedge clk_i) begin
    if (pending_valid) begin
      two_bursts_q <= pending_two_bursts;
      none_q       <= pending_none;
      final_part_q <= command.final_part;
      action_q     <= command.action;
    end
  end

  mu_memory_writer u_memory_writer (
      .clk_i,
      .rst_ni,
      .command_valid_i     (command_valid),
      .command_ready_o     (command_ready),
      .command_address_i   (command.address),
      .command_bytes_i     (command.bytes),
      .beat_valid_i        (beat_valid),
      .beat_ready_o        (beat_ready),
      .beat_data_i         (beat_data),
      .active_o            (active),
      .pending_valid_o     (pending_valid),
      .pending_ready_i     (pending_ready),
      .pending_two_bursts_o(pending_two_bursts),
      .pending_none_o      (pending_none),
      .address_valid_o     (m_axi_awvalid),
      .address_ready_i     (m_axi_awready),
      .address_o           (address),
      .address_beats_o     (address_beats),
      .data_valid_o        (m_axi_wvalid),
      .data_ready_i        (m_axi_wready),
      .data_o              (m_axi_wdata),
      .data_strobe_o       (m_axi_wstrb),
      .data_last_o         (m_axi_wlast),
      .busy_o              (writer_busy)
  );
  mu_write_tracker u_write_tracker (
      .clk_i,
      .rst_ni,
      .pending_valid_i     (matched),
      .pending_ready_o     (tracker_ready),
      .pending_two_bursts_i(two_bursts_q),
      .pending_none_i      (none_q),
      .pending_final_i     (final_part_q),
      .pending_touch_i     (match),
      .pending_action_i    (action_q),
      .response_valid_i    (m_axi_bvalid),
      .response_ready_o    (m_axi_bready),
      .response_error_i    (m_axi_bresp[1]),
      .action_valid_o,
      .action_ready_i,
      .action_data_o,
      .action_error_o,
      .action_touch_o,
      .active_o            (tracker_active),
      .busy_o              (tracker_busy)
  );

  assign m_axi_awid    = 2'd0;
  assign m_axi_awaddr  = {address, 5'd0};
  assign m_axi_awlen   = {3'd0, address_beats - 5'd1};
  assign m_axi_awsize  = SIZE_32_BYTES;
  assign m_axi_awburst = BURST_INCREMENT;
  assign active_o      = arbiter_busy || writer_busy || !pending_ready || tracker_active;
  assign busy_o        = arbiter_busy || writer_busy || !pending_ready || tracker_busy;

  logic aw_waits_q;  // the address was not taken in the cycle before
  always_ff @(posedge clk_i) begin
    aw_waits_q <= rst_ni && m_axi_awvalid && !m_axi_awready;
    if (rst_ni) begin
      if (m_axi_bvalid) known_id : assert (m_axi_bid == 2'd0);
      if (m_axi_bvalid) never_exclusive : assert (m_axi_bresp != 2'd1);
      if (aw_waits_q) begin
        aw_holds : assert (m_axi_awvalid && $past(m_axi_awaddr) == m_axi_awaddr);
        aw_length_holds : assert ($past(m_axi_awlen) == m_axi_awlen);
      end
      if ($past(rst_ni) && $past(action_valid_o && !action_ready_i)) begin
        action_holds : assert (action_valid_o && $past(action_error_o) == action_error_o);
      end
    end
  end
endmodule
`default_nettype wire
