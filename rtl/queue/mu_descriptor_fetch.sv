// SPDX-License-Identifier: Apache-2.0
// mu_descriptor_fetch: from queues with work to their descriptors: choice, command, beats, a buffer a class.
//
//   change, release, hold ---> [ mu_queue_scheduler ] ---> choice ---> (queue table) ---> fetch
//   fetch (queue, row) ---> command to the memory port
//                                 \--> [ request buffer ] ---> request descriptors
//   beats ---- in order of fetch ----> [ reply buffer   ] ---> reply descriptors
//
// Behaviour: a choice stands only while the command register and a buffer of its class are free. Each fetch
//   sends one command of 64 bytes and yields one descriptor of its class, in order within the class. A class
//   that nobody drains never stops the other. The rest is as mu_queue_scheduler and mu_descriptor_buffer say.
// Latency: change to choice 2 cycles, fetch to command 1, last beat to descriptor 1.
// Limits: fetch_i only for the queue of a choice, once it has had its turn.
`default_nettype none

module mu_descriptor_fetch #(
    parameter  int unsigned DEPTH       = 4,
    parameter  int unsigned QUEUES      = 32,
    localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES)
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    output logic                        busy_o,
    output logic                        active_o,  // an edge changes something, though nothing comes in
    // queue table
    input  logic                        table_busy_i,
    input  logic [QUEUE_WIDTH-1:0]      queue_i,  // that it works on
    input  mu_pkg::queue_row_t          row_i,    // its row
    input  mu_pkg::queue_change_t       change_i,
    input  logic                        release_i,
    input  logic [QUEUE_WIDTH-1:0]      release_queue_i,
    input  logic                        unpark_i,
    input  logic                        hold_i,
    input  logic [QUEUE_WIDTH-1:0]      hold_queue_i,
    output logic                        holds_o,  // of hold_queue_i
    output logic                        choice_valid_o,
    output logic [QUEUE_WIDTH-1:0]      choice_queue_o,
    input  logic                        fetch_i,
    input  logic                        kill_i,
    output logic [QUEUE_WIDTH-1:0]      request_head_queue_o,
    input  logic [31:0]                 request_head_i,
    output logic [QUEUE_WIDTH-1:0]      reply_head_queue_o,
    input  logic [31:0]                 reply_head_i,
    // memory port
    output logic                        fetch_command_valid_o,
    input  logic                        fetch_command_ready_i,
    output mu_pkg::read_command_t       fetch_command_data_o,
    input  logic                        fetch_beat_valid_i,
    input  mu_pkg::memory_word_t        fetch_beat_data_i,
    input  logic                        fetch_beat_last_i,
    input  logic                        fetch_beat_error_i,
    // injection engine
    output logic                        request_descriptor_valid_o,
    input  logic                        request_descriptor_ready_i,
    output mu_pkg::fetched_descriptor_t request_descriptor_data_o,
    output logic                        reply_descriptor_valid_o,
    input  logic                        reply_descriptor_ready_i,
    output mu_pkg::fetched_descriptor_t reply_descriptor_data_o
);
  localparam int unsigned ORDER = 2 * DEPTH;  // fetches in flight
  localparam int unsigned ORDER_WIDTH = $clog2(ORDER);

  logic                 command_valid_q;
  logic [23:0]          slot;  // of the ring: the low bits of the index
  mu_pkg::address_t     address_q;
  logic [ORDER-1:0]     order_q;  // class of each fetch in flight: reply
  logic [ORDER_WIDTH:0] order_write_q;
  logic [ORDER_WIDTH:0] order_read_q;
  logic                 beat_reply;
  logic                 request_busy;
  logic                 reply_busy;
  logic                 request_active;
  logic                 reply_active;
  logic                 request_holds;
  logic                 reply_holds;
  logic                 request_room;
  logic                 reply_room;
  logic                 free;
  logic                 reply;  // class of the choice
  logic                 choosing;

  assign slot                  = row_i.fetch_index[23:0] & (row_i.size[23:0] - 24'd1);
  assign beat_reply            = order_q[order_read_q[ORDER_WIDTH-1:0]];
  assign free                  = !command_valid_q || fetch_command_ready_i;
  assign busy_o                = request_busy || reply_busy || choosing;
  assign active_o              = (command_valid_q && fetch_command_ready_i) || request_active ||
      reply_active || choosing;
  assign holds_o               = request_holds || reply_holds;
  assign fetch_command_valid_o = command_valid_q;
  assign fetch_command_data_o.address = address_q;
  assign fetch_command_data_o.bytes   = 10'(mu_pkg::DESCRIPTOR_BYTES);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      command_valid_q <= 1'b0;
      order_write_q   <= '0;
      order_read_q    <= '0;
    end else begin
      if (fetch_i) command_valid_q <= 1'b1;
      else if (fetch_command_ready_i) command_valid_q <= 1'b0;
      if (fetch_i) order_write_q <= order_write_q + 1'b1;
      if (fetch_beat_valid_i && fetch_beat_last_i) order_read_q <= order_read_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (fetch_i) begin
      address_q <= row_i.base + {10'b0, slot, 6'b0};
      for (int unsigned i = 0; i < ORDER; i++)
        if (order_write_q[ORDER_WIDTH-1:0] == ORDER_WIDTH'(i)) order_q[i] <= reply;
    end
  end

  mu_queue_scheduler #(
      .QUEUES(QUEUES)
  ) u_queue_scheduler (
      .clk_i,
      .rst_ni,
      .active_o      (choosing),
      .change_i,
      .release_i,
      .release_queue_i,
      .unpark_i,
      .hold_i,
      .hold_queue_i,
      .busy_i        (table_busy_i),
      .busy_queue_i  (queue_i),
      .room_request_i(request_room && free),
      .room_reply_i  (reply_room && free),
      .choice_valid_o,
      .choice_queue_o,
      .choice_reply_o(reply),
      .taken_i       (fetch_i)
  );

  mu_descriptor_buffer #(
      .DEPTH (DEPTH),
      .QUEUES(QUEUES)
  ) u_request_buffer (
      .clk_i,
      .rst_ni,
      .busy_o      (request_busy),
      .active_o    (request_active),
      .allocate_i  (fetch_i && !reply),
      .room_o      (request_room),
      .queue_i,
      .index_i     (row_i.fetch_index),
      .lap_i       (row_i.fetch_lap),
      .owner_i     (row_i.owner),
      .mode_i      (row_i.mode),
      .serial_i    (row_i.halt_on_error),
      .beat_valid_i(fetch_beat_valid_i && !beat_reply),
      .beat_data_i (fetch_beat_data_i),
      .beat_last_i (fetch_beat_last_i),
      .beat_error_i(fetch_beat_error_i),
      .kill_i,
      .kill_queue_i(queue_i),
      .holds_queue_i(hold_queue_i),
      .holds_o     (request_holds),
      .head_queue_o(request_head_queue_o),
      .head_i      (request_head_i),
      .out_valid_o (request_descriptor_valid_o),
      .out_ready_i (request_descriptor_ready_i),
      .out_data_o  (request_descriptor_data_o)
  );

  mu_descriptor_buffer #(
      .DEPTH (DEPTH),
      .QUEUES(QUEUES)
  ) u_reply_buffer (
      .clk_i,
      .rst_ni,
      .busy_o      (reply_busy),
      .active_o    (reply_active),
      .allocate_i  (fetch_i && reply),
      .room_o      (reply_room),
      .queue_i,
      .index_i     (row_i.fetch_index),
      .lap_i       (row_i.fetch_lap),
      .owner_i     (row_i.owner),
      .mode_i      (row_i.mode),
      .serial_i    (row_i.halt_on_error),
      .beat_valid_i(fetch_beat_valid_i && beat_reply),
      .beat_data_i (fetch_beat_data_i),
      .beat_last_i (fetch_beat_last_i),
      .beat_error_i(fetch_beat_error_i),
      .kill_i,
      .kill_queue_i(queue_i),
      .holds_queue_i(hold_queue_i),
      .holds_o     (reply_holds),
      .head_queue_o(reply_head_queue_o),
      .head_i      (reply_head_i),
      .out_valid_o (reply_descriptor_valid_o),
      .out_ready_i (reply_descriptor_ready_i),
      .out_data_o  (reply_descriptor_data_o)
  );

  logic unused;
  assign unused = ^row_i;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      command_is_of_an_entry : assert (!command_valid_q || request_busy || reply_busy);
      fetches_only_when_free : assert (!fetch_i || (free && choice_queue_o == queue_i));
      beats_only_for_a_fetch : assert (!fetch_beat_valid_i || order_read_q != order_write_q);
      order_bounded : assert (order_write_q - order_read_q <= (ORDER_WIDTH + 1)'(ORDER));
    end
  end
endmodule
`default_nettype wire
