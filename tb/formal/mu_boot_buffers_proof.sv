// SPDX-License-Identifier: Apache-2.0
// mu_boot_buffers_proof: no byte of an earlier owner can be read: two copies, filled with different bytes.
//
//   any operation ---> [ mu_boot_buffers ] ---> answer --+
//         |   bytes                                      +---> equal?
//         +----------> [ mu_boot_buffers ] ---> answer --+
//             other bytes
//
// Behaviour: both copies do the same at the same time, but their memories begin with different bytes, and
//   different bytes are stored until the buffer of one client, any of them, is opened at any time. From then
//   on both are given the same. Proved: an access to that client's buffer that begins after the opening is
//   answered alike by both, whatever came before, a packet that was on its way included; and all that is
//   seen from outside but data never depends on bytes at all.
// Latency: an operation a cycle.
// Limits: packets are looked up by the rules of mu_boot_pointers, for buffers that are open; a config write
//   is a register access too, so it does not come while one of the block's is under way.
`default_nettype none

module mu_boot_buffers_proof #(
    parameter  int unsigned CLIENTS    = 2,
    parameter  int unsigned SLOTS      = 4,
    parameter  int unsigned INDEX_BITS = 4,
    localparam int unsigned BITS       = 4  // of a slot: one a word
) (
    input logic            clk_i,
    input logic            rst_ni,
    input logic            register_valid_i,
    input logic [16:0]     offset_i,
    input logic            write_i,
    input logic            wide_i,
    input logic [63:0]     data_i,
    input logic            lookup_i,
    input logic            switch_i,
    input logic            opens_i,
    input logic [3:0]      table_client_i,
    input logic [7:0]      table_fifo_i,
    input logic [7:0]      lookup_slots_i,
    input logic            take_i,
    input logic            refuse_i,
    input logic            beat_valid_i,
    input logic [BITS-1:0] entry_i,
    input logic [BITS-1:0] beat_i,
    input logic [BITS-1:0] other_entry_i,  // for the second copy
    input logic [BITS-1:0] other_beat_i,
    input logic            count_i         // this opening is the one from which on bytes are the same
);
  (* anyconst *) logic [0:0] chosen;

  mu_pkg::register_request_t  request;
  mu_pkg::register_response_t response, other_response;
  logic busy, idle, done, room, elsewhere, beat_ready, packet_done;
  logic other_busy, other_idle, other_done, other_room, other_elsewhere, other_beat_ready, other_packet_done;
  logic same_q;        // the buffer has been opened, and bytes are the same since
  logic after_q;       // the access under way began after that
  logic outstanding_q; // an access is under way
  logic [16:0] offset_q;
  logic write_q, wide_q;
  logic [63:0] data_q;
  logic start;

  assign request = {write_i, wide_i, 1'b0, 4'd0, mu_pkg::BLOCK_BOOT_BUFFER_BASE + 20'(offset_i), data_i};
  assign start   = lookup_i && take_i && room;

  mu_boot_buffers #(
      .CLIENTS(CLIENTS), .SLOTS(SLOTS), .WORD_BITS(1), .INDEX_BITS(INDEX_BITS)
  ) u_one (
      .clk_i, .rst_ni, .busy_o(busy), .idle_o(idle), .register_valid_i, .register_request_i(request),
      .register_done_o(done), .register_response_o(response), .lookup_i, .switch_i, .opens_i, .table_client_i,
      .table_fifo_i, .lookup_slots_i, .refuse_i, .start_i(start), .room_o(room), .elsewhere_o(elsewhere),
      .entry_i, .beat_valid_i, .beat_ready_o(beat_ready), .beat_data_i(beat_i), .packet_done_o(packet_done)
  );
  mu_boot_buffers #(
      .CLIENTS(CLIENTS), .SLOTS(SLOTS), .WORD_BITS(1), .INDEX_BITS(INDEX_BITS)
  ) u_other (
      .clk_i, .rst_ni, .busy_o(other_busy), .idle_o(other_idle), .register_valid_i,
      .register_request_i(request), .register_done_o(other_done), .register_response_o(other_response),
      .lookup_i, .switch_i, .opens_i, .table_client_i, .table_fifo_i, .lookup_slots_i, .refuse_i,
      .start_i(start), .room_o(other_room), .elsewhere_o(other_elsewhere), .entry_i(other_entry_i),
      .beat_valid_i, .beat_ready_o(other_beat_ready), .beat_data_i(other_beat_i),
      .packet_done_o(other_packet_done)
  );

`ifdef FORMAL
  logic past_q = 1'b0;
`else
  logic past_q;
`endif
  // The FIFO that each buffer is open for, as the FIFO table knows it.
  logic [CLIENTS-1:0] open_q;
  logic [7:0]         fifo_q[CLIENTS];
  logic               of_chosen;
  assign of_chosen = offset_i[13] == chosen && offset_i[16:14] == '0;

  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(table_client_i) < CLIENTS && table_fifo_i < 8'd4);
    assume (!(lookup_i && switch_i));
    assume (!lookup_i || (idle && open_q[table_client_i[0]] && fifo_q[table_client_i[0]] == table_fifo_i));
    assume (lookup_slots_i != '0);
    assume (!refuse_i || (lookup_i && !room));
    assume (!(switch_i && opens_i) || !elsewhere);
    assume (!switch_i || !register_valid_i);
    // Without an opening that counts, bytes differ as they like.
    if (same_q) assume (entry_i == other_entry_i && beat_i == other_beat_i);
    // An access stands until it is answered.
    if (outstanding_q) begin
      assume (register_valid_i);
      assume ({offset_i, write_i, wide_i, data_i} == {offset_q, write_q, wide_q, data_q});
    end
  end

  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    {offset_q, write_q, wide_q, data_q} <= {offset_i, write_i, wide_i, data_i};
    if (!rst_ni) begin
      {same_q, after_q, outstanding_q} <= '0;
      open_q                           <= '0;
    end else begin
      outstanding_q <= register_valid_i && !done;
      if (switch_i && opens_i && table_client_i[0] == chosen && count_i) same_q <= 1'b1;
      if (!outstanding_q || done) after_q <= 1'b0;
      if (register_valid_i && !done && !outstanding_q) after_q <= same_q;
      if (switch_i) begin
        for (int unsigned i = 0; i < CLIENTS; i++) begin
          if (opens_i && 32'(table_client_i) == i) begin
            open_q[i] <= 1'b1;
            fifo_q[i] <= table_fifo_i;
          end else if (fifo_q[i] == table_fifo_i) open_q[i] <= 1'b0;
        end
      end
    end
  end

  always_comb begin
    if (past_q && rst_ni) begin
      bytes_change_nothing_else :
      assert ({busy, idle, done, room, elsewhere, beat_ready, packet_done, response.status} ==
              {other_busy, other_idle, other_done, other_room, other_elsewhere, other_beat_ready,
               other_packet_done, other_response.status});
      if (outstanding_q && after_q && of_chosen)
        nothing_of_an_earlier_owner_is_read : assert (response == other_response);
    end
  end
endmodule
`default_nettype wire
