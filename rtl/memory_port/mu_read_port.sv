// SPDX-License-Identifier: Apache-2.0
// mu_read_port: the read half of the memory port, three requesters on one AXI4 read channel.
//
//   fetch: command --> [ reader, ID 0 ] --+--> AR        R --> [ rotate ] --> readers --> beats of each
//   payload: command --> [ reader, ID 1 ] +
//   calc: command --> [ reader, ID 2 ] ---+
//
// Behaviour: each requester sees mu_memory_reader, in the order of its own commands. Where several offer a
//   burst fetch goes first, then payload and calc in turn, so that neither waits for more than one burst of
//   the other. touch_o shows the ranges of a transfer for the cycle in which its last data came; while a
//   range is enabled for reads, a command is compared with the ranges before it is taken.
//   failed_o counts the transfers that ended with an error in this cycle.
// Latency: AR valid one cycle after the command, and three cycles and one a range later if any range is
//   enabled for reads; an address every two cycles; a beat a cycle.
// Limits: as mu_memory_reader. RREADY is always high. ID 3 is a broken memory.
`default_nettype none

module mu_read_port (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    // descriptor fetch
    input  mu_pkg::read_request_t           fetch_read_i,
    output logic                            fetch_command_ready_o,
    output mu_pkg::read_beat_t              fetch_beat_o,
    // payload of packets to be sent
    input  mu_pkg::read_request_t           payload_read_i,
    output logic                            payload_command_ready_o,
    output mu_pkg::read_beat_t              payload_beat_o,
    // operands of CALC
    input  mu_pkg::read_request_t           calc_read_i,
    output logic                            calc_command_ready_o,
    output mu_pkg::read_beat_t              calc_beat_o,
    // touch table
    input  logic [mu_pkg::TOUCH_RANGES-1:0] on_read_i,
    input  mu_pkg::touch_row_t              row_i,
    output logic [mu_pkg::TOUCH_RANGES-1:0] touch_o,
    output logic [1:0]                      failed_o,
    output logic                            active_o,  // something goes on, though no beat comes in
    output logic                            busy_o,
    // AXI4 read channels
    output logic [1:0]                      m_axi_arid,
    output mu_pkg::address_t                m_axi_araddr,
    output logic [7:0]                      m_axi_arlen,
    output logic [2:0]                      m_axi_arsize,
    output logic [1:0]                      m_axi_arburst,
    output logic                            m_axi_arvalid,
    input  logic                            m_axi_arready,
    input  logic [1:0]                      m_axi_rid,
    input  mu_pkg::memory_word_t            m_axi_rdata,
    input  logic [1:0]                      m_axi_rresp,
    input  logic                            m_axi_rlast,
    input  logic                            m_axi_rvalid,
    output logic                            m_axi_rready
);
  localparam int unsigned RANGES = mu_pkg::TOUCH_RANGES;
  localparam logic [2:0] SIZE_32_BYTES = 3'd5;
  localparam logic [1:0] BURST_INCREMENT = 2'd1;
  localparam logic [1:0] ID_FETCH = 2'd0;
  localparam logic [1:0] ID_PAYLOAD = 2'd1;
  localparam logic [1:0] ID_CALC = 2'd2;

  logic [RANGES-1:0] fetch_touch;
  logic [RANGES-1:0] payload_touch;
  logic [RANGES-1:0] calc_touch;
  logic        fetch_burst_valid;
  logic        fetch_burst_ready;
  logic [34:0] fetch_burst_address;
  logic [4:0]  fetch_burst_beats;
  logic        fetch_reader_ready;
  logic [4:0]  fetch_rotate;
  logic        fetch_failed;
  logic        fetch_active;
  logic        fetch_busy;
  logic        payload_burst_valid;
  logic        payload_burst_ready;
  logic [34:0] payload_burst_address;
  logic [4:0]  payload_burst_beats;
  logic        payload_reader_ready;
  logic [4:0]  payload_rotate;
  logic        payload_failed;
  logic        payload_active;
  logic        payload_busy;
  logic        calc_burst_valid;
  logic        calc_burst_ready;
  logic [34:0] calc_burst_address;
  logic [4:0]  calc_burst_beats;
  logic        calc_reader_ready;
  logic [4:0]  calc_rotate;
  logic        calc_failed;
  logic        calc_active;
  logic        calc_busy;

  assign touch_o  = fetch_touch | payload_touch | calc_touch;
  assign failed_o = 2'(fetch_failed) + 2'(payload_failed) + 2'(calc_failed);

  // --- touch: a command is compared with the marked ranges before its reader gets it ---
  mu_pkg::read_command_t compared;
  logic [2:0]        commands;    // calc, payload, fetch
  logic [2:0]        compare;     // the one to be compared next, one-hot
  logic [2:0]        compared_q;  // the one that is, or has been
  logic [2:0]        pass;        // those that their readers may have
  logic [2:0]        taken_commands;
  logic              match_ready;
  logic              match_done;
  logic [RANGES-1:0] match;
  logic [RANGES-1:0] command_touch;
  logic              calc_turn_q; // payload was served last

  assign commands = {calc_read_i.valid, payload_read_i.valid, fetch_read_i.valid};
  assign compare  = commands[0] ? 3'b001 :
                    commands[1] && !(commands[2] && calc_turn_q) ? 3'b010 : {commands[2], 2'b00};
  assign compared = compare[0] ? fetch_read_i.command :
                    compare[1] ? payload_read_i.command : calc_read_i.command;
  assign pass           = !match_ready ? (match_done ? compared_q : '0) : on_read_i == '0 ? '1 : '0;
  assign command_touch  = match_done ? match : '0;
  assign taken_commands = commands & {calc_command_ready_o, payload_command_ready_o, fetch_command_ready_o};
  mu_touch_match u_match (
      .clk_i,
      .rst_ni,
      .valid_i  (commands != '0 && on_read_i != '0),
      .ready_o  (match_ready),
      .address_i(compared.address),
      .bytes_i  (compared.bytes),
      .enable_i (on_read_i),
      .done_o   (match_done),
      .taken_i  ((taken_commands & compared_q) != '0),
      .hit_o    (match),
      .row_i
  );
  always_ff @(posedge clk_i) if (match_ready) compared_q <= compare;

  mu_memory_reader u_fetch_reader (
      .clk_i,
      .rst_ni,
      .command_valid_i(fetch_read_i.valid && pass[0]),
      .command_ready_o(fetch_reader_ready),
      .command_data_i (fetch_read_i.command),
      .touch_i        (command_touch),
      .beat_valid_o   (fetch_beat_o.valid),
      .beat_data_o    (fetch_beat_o.data),
      .beat_last_o    (fetch_beat_o.last),
      .beat_error_o   (fetch_beat_o.error),
      .burst_valid_o  (fetch_burst_valid),
      .burst_ready_i  (fetch_burst_ready),
      .burst_address_o(fetch_burst_address),
      .burst_beats_o  (fetch_burst_beats),
      .data_valid_i   (m_axi_rvalid && m_axi_rid == ID_FETCH),
      .data_error_i   (m_axi_rresp[1]),
      .data_last_i    (m_axi_rlast),
      .rotate_o       (fetch_rotate),
      .rotated_i      (rotated_q),
      .touch_o        (fetch_touch),
      .failed_o       (fetch_failed),
      .active_o       (fetch_active),
      .busy_o         (fetch_busy)
  );
  mu_memory_reader u_payload_reader (
      .clk_i,
      .rst_ni,
      .command_valid_i(payload_read_i.valid && pass[1]),
      .command_ready_o(payload_reader_ready),
      .command_data_i (payload_read_i.command),
      .touch_i        (command_touch),
      .beat_valid_o   (payload_beat_o.valid),
      .beat_data_o    (payload_beat_o.data),
      .beat_last_o    (payload_beat_o.last),
      .beat_error_o   (payload_beat_o.error),
      .burst_valid_o  (payload_burst_valid),
      .burst_ready_i  (payload_burst_ready),
      .burst_address_o(payload_burst_address),
      .burst_beats_o  (payload_burst_beats),
      .data_valid_i   (m_axi_rvalid && m_axi_rid == ID_PAYLOAD),
      .data_error_i   (m_axi_rresp[1]),
      .data_last_i    (m_axi_rlast),
      .rotate_o       (payload_rotate),
      .rotated_i      (rotated_q),
      .touch_o        (payload_touch),
      .failed_o       (payload_failed),
      .active_o       (payload_active),
      .busy_o         (payload_busy)
  );
  mu_memory_reader u_calc_reader (
      .clk_i,
      .rst_ni,
      .command_valid_i(calc_read_i.valid && pass[2]),
      .command_ready_o(calc_reader_ready),
      .command_data_i (calc_read_i.command),
      .touch_i        (command_touch),
      .beat_valid_o   (calc_beat_o.valid),
      .beat_data_o    (calc_beat_o.data),
      .beat_last_o    (calc_beat_o.last),
      .beat_error_o   (calc_beat_o.error),
      .burst_valid_o  (calc_burst_valid),
      .burst_ready_i  (calc_burst_ready),
      .burst_address_o(calc_burst_address),
      .burst_beats_o  (calc_burst_beats),
      .data_valid_i   (m_axi_rvalid && m_axi_rid == ID_CALC),
      .data_error_i   (m_axi_rresp[1]),
      .data_last_i    (m_axi_rlast),
      .rotate_o       (calc_rotate),
      .rotated_i      (rotated_q),
      .touch_o        (calc_touch),
      .failed_o       (calc_failed),
      .active_o       (calc_active),
      .busy_o         (calc_busy)
  );

  // --- read data: rotated for the reader of its ID, which merges what it needs of it ---
  logic [4:0]           rotate;
  mu_pkg::memory_word_t rotated;
  mu_pkg::memory_word_t rotated_q;

  assign rotate = m_axi_rid == ID_CALC ? calc_rotate :
                  m_axi_rid == ID_PAYLOAD ? payload_rotate : fetch_rotate;
  always_comb begin
    rotated = m_axi_rdata;
    if (rotate[0]) rotated = {rotated[7:0], rotated[255:8]};
    if (rotate[1]) rotated = {rotated[15:0], rotated[255:16]};
    if (rotate[2]) rotated = {rotated[31:0], rotated[255:32]};
    if (rotate[3]) rotated = {rotated[63:0], rotated[255:64]};
    if (rotate[4]) rotated = {rotated[127:0], rotated[255:128]};
  end
  always_ff @(posedge clk_i) if (m_axi_rvalid) rotated_q <= rotated;

  // --- read addresses ---
  assign fetch_command_ready_o   = fetch_reader_ready && pass[0];
  assign payload_command_ready_o = payload_reader_ready && pass[1];
  assign calc_command_ready_o    = calc_reader_ready && pass[2];

  logic        ar_valid_q;
  logic [1:0]  ar_id_q;
  logic [34:0] ar_address_q;
  logic [4:0]  ar_beats_q;
  logic        payload_taken;
  logic        calc_taken;
  logic        taken;

  assign fetch_burst_ready   = !ar_valid_q;
  assign payload_burst_ready = !ar_valid_q && !fetch_burst_valid && !(calc_burst_valid && calc_turn_q);
  assign calc_burst_ready    = !ar_valid_q && !fetch_burst_valid && !(payload_burst_valid && !calc_turn_q);
  assign payload_taken       = payload_burst_valid && payload_burst_ready;
  assign calc_taken          = calc_burst_valid && calc_burst_ready;
  assign taken               = (fetch_burst_valid && fetch_burst_ready) || payload_taken || calc_taken;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ar_valid_q  <= 1'b0;
      calc_turn_q <= 1'b0;
    end else begin
      if (!ar_valid_q) ar_valid_q <= taken;
      else if (m_axi_arready) ar_valid_q <= 1'b0;
      if (payload_taken || calc_taken) calc_turn_q <= payload_taken;
    end
  end
  always_ff @(posedge clk_i) begin
    if (taken) begin
      ar_id_q      <= payload_taken ? ID_PAYLOAD : calc_taken ? ID_CALC : ID_FETCH;
      ar_address_q <= payload_taken ? payload_burst_address :
                      calc_taken ? calc_burst_address : fetch_burst_address;
      ar_beats_q   <= payload_taken ? payload_burst_beats : calc_taken ? calc_burst_beats : fetch_burst_beats;
    end
  end
  assign m_axi_arvalid = ar_valid_q;
  assign m_axi_arid    = ar_id_q;
  assign m_axi_araddr  = {ar_address_q, 5'd0};
  assign m_axi_arlen   = {3'd0, ar_beats_q - 5'd1};
  assign m_axi_arsize  = SIZE_32_BYTES;
  assign m_axi_arburst = BURST_INCREMENT;
  assign m_axi_rready  = 1'b1;
  assign active_o      = !match_ready || fetch_active || payload_active || calc_active || ar_valid_q;
  assign busy_o        = !match_ready || fetch_busy || payload_busy || calc_busy || ar_valid_q;

  logic ar_waits_q;  // the address was not taken in the cycle before
  always_ff @(posedge clk_i) begin
    ar_waits_q <= rst_ni && m_axi_arvalid && !m_axi_arready;
    if (rst_ni) begin
      if (m_axi_rvalid) known_id : assert (m_axi_rid <= ID_CALC);
      one_burst_at_a_time : assert (!(payload_taken && calc_taken));
      if (!match_ready) waits_while_compared : assert ((commands & compared_q) != '0);
      if (m_axi_rvalid) never_exclusive : assert (m_axi_rresp != 2'd1);
      if (ar_waits_q) begin
        ar_holds : assert (m_axi_arvalid && $past(ar_address_q) == ar_address_q && $past(ar_id_q) == ar_id_q);
      end
    end
  end
endmodule
`default_nettype wire
