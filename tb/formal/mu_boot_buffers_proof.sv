// SPDX-License-Identifier: Apache-2.0
// mu_boot_buffers_proof: no byte of an earlier owner can come out: two copies, filled with different bytes.
//
//   any operation ---> [ mu_boot_buffers ] ---> packet shown --+
//         |   bytes                                            +---> equal?
//         +----------> [ mu_boot_buffers ] ---> packet shown --+
//             other bytes
//
// Behaviour: both copies do the same at the same time, but their memories begin with different bytes, and
//   different bytes are stored until the buffer of one client, any of them, is opened at any time. From then
//   on both are given the same. Proved: what is shown of that client's buffer after the opening is the same
//   in both, whatever came before, a packet that was on its way in or out included; but for a packet that
//   was being stored into its FIFO when the buffer was opened, which goes on. And all that is seen from
//   outside but entries and beats never depends on bytes at all.
// Latency: an operation a cycle.
// Limits: packets are looked up by the rules of mu_boot_pointers, for buffers that are open, none while one
//   is shown; a config write is a register access too, so it does not come while one of the block's is under
//   way, nor in the cycle in which a packet that is shown is picked.
`default_nettype none

module mu_boot_buffers_proof #(
    parameter  int unsigned CLIENTS    = 2,
    parameter  int unsigned SLOTS      = 4,
    parameter  int unsigned INDEX_BITS = 4,
    localparam int unsigned BITS       = 1,  // of a slot
    localparam int unsigned LARGEST    = 3   // slots of a packet
) (
    input logic            clk_i,
    input logic            rst_ni,
    input logic            register_valid_i,
    input logic [9:0]      offset_i,
    input logic            write_i,
    input logic            lookup_i,
    input logic            switch_i,
    input logic            opens_i,
    input logic            drains_i,
    input logic [3:0]      client_i,
    input logic [7:0]      fifo_i,
    input logic [7:0]      slots_i,
    input logic            take_i,
    input logic            refuse_i,
    input logic            beat_valid_i,
    input logic [BITS-1:0] entry_i,
    input logic [BITS-1:0] beat_i,
    input logic [BITS-1:0] other_entry_i,  // for the second copy
    input logic [BITS-1:0] other_beat_i,
    input logic            engaged_i,
    input logic            out_taken_i,
    input logic            out_done_i,
    input logic            out_ready_i,
    input logic            count_i         // this opening is the one from which on bytes are the same
);
  (* anyconst *) logic [0:0] chosen;

  mu_pkg::register_request_t  request;
  mu_pkg::register_response_t response, other_response;
  mu_pkg::boot_operation_t    operation;
  logic [11:0] seen, other_seen;  // all but bytes
  logic [3:0]  out_client, other_client;
  logic [BITS-1:0] entry, other_entry, beat, other_beat;
  logic idle, done, room, elsewhere, shows, valid, beat_valid;
  logic start;

  always_comb begin
    request            = '0;
    request.write      = write_i;
    request.wide       = 1'b1;
    request.address    = mu_pkg::BLOCK_BOOT_BUFFER_BASE + 20'(offset_i);
    operation.lookup   = lookup_i;
    operation.switches = switch_i;
    operation.opens    = opens_i;
    operation.drains   = drains_i;
    operation.client   = client_i;
    operation.fifo     = fifo_i;
    operation.slots    = slots_i;
  end
  assign start = lookup_i && take_i && room;
  assign {idle, done, room, elsewhere, shows, valid, beat_valid} = seen[6:0];

  mu_boot_buffers #(
      .CLIENTS(CLIENTS), .SLOTS(SLOTS), .PACKET_SLOTS(LARGEST), .BITS(BITS), .INDEX_BITS(INDEX_BITS)
  ) u_one (
      .clk_i, .rst_ni, .busy_o(seen[7]), .idle_o(seen[6]), .register_valid_i, .register_request_i(request),
      .register_done_o(seen[5]), .register_response_o(response), .operation_i(operation), .refuse_i,
      .start_i(start), .room_o(seen[4]), .elsewhere_o(seen[3]), .entry_i, .beat_valid_i,
      .beat_ready_o(seen[8]), .beat_data_i(beat_i), .packet_done_o(seen[9]), .engaged_i, .hides_o(seen[10]),
      .out_shows_o(seen[2]), .out_client_o(out_client), .out_packet_valid_o(seen[1]), .out_entry_o(entry),
      .out_taken_i, .out_packet_done_i(out_done_i), .out_beat_valid_o(seen[0]),
      .out_beat_ready_i(out_ready_i), .out_beat_data_o(beat)
  );
  mu_boot_buffers #(
      .CLIENTS(CLIENTS), .SLOTS(SLOTS), .PACKET_SLOTS(LARGEST), .BITS(BITS), .INDEX_BITS(INDEX_BITS)
  ) u_other (
      .clk_i, .rst_ni, .busy_o(other_seen[7]), .idle_o(other_seen[6]), .register_valid_i,
      .register_request_i(request), .register_done_o(other_seen[5]), .register_response_o(other_response),
      .operation_i(operation), .refuse_i, .start_i(start), .room_o(other_seen[4]),
      .elsewhere_o(other_seen[3]), .entry_i(other_entry_i), .beat_valid_i, .beat_ready_o(other_seen[8]),
      .beat_data_i(other_beat_i), .packet_done_o(other_seen[9]), .engaged_i, .hides_o(other_seen[10]),
      .out_shows_o(other_seen[2]), .out_client_o(other_client), .out_packet_valid_o(other_seen[1]),
      .out_entry_o(other_entry), .out_taken_i, .out_packet_done_i(out_done_i),
      .out_beat_valid_o(other_seen[0]), .out_beat_ready_i(out_ready_i), .out_beat_data_o(other_beat)
  );
  assign {seen[11], other_seen[11]} = '0;

`ifdef FORMAL
  logic past_q = 1'b0;
`else
  logic past_q;
`endif
  logic same_q;    // the buffer has been opened, and bytes are the same since
  logic carry_q;   // what is shown was being stored when that was done
  logic counts;
  logic taken_q;   // the packet that is shown is being decided or stored
  logic can_take_q;
  logic outstanding_q;  // an access is under way
  logic [9:0] offset_q;
  logic write_q;
  // The FIFO that each buffer is open for, as the FIFO table knows it.
  logic [CLIENTS-1:0] open_q;
  logic [7:0]         fifo_q[CLIENTS];
  assign counts = switch_i && opens_i && client_i[0] == chosen && count_i;

  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(client_i) < CLIENTS && fifo_i < 8'd4);
    assume (!(lookup_i && switch_i) && !(opens_i && drains_i));
    assume (!lookup_i || (idle && open_q[client_i[0]] && fifo_q[client_i[0]] == fifo_i));
    assume (slots_i != '0 && 32'(slots_i) <= LARGEST);
    assume (!refuse_i || (lookup_i && !room));
    assume (!(switch_i && opens_i) || !elsewhere);
    assume (!switch_i || !register_valid_i);
    // A packet of the network is under way from its lookup on.
    assume (!lookup_i || (engaged_i && !shows));
    assume (idle || engaged_i);
    // What is shown is picked, decided and perhaps stored.
    if (shows) begin
      assume (!out_taken_i || taken_q || can_take_q);
      assume (!(out_done_i || out_ready_i) || (out_taken_i && valid));
    end
    assume (!taken_q || out_taken_i);
    // Without an opening that counts, bytes differ as they like.
    if (same_q) assume (entry_i == other_entry_i && beat_i == other_beat_i);
    // An access stands until it is answered.
    if (outstanding_q) begin
      assume (register_valid_i);
      assume ({offset_i, write_i} == {offset_q, write_q});
    end
  end

  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    {offset_q, write_q} <= {offset_i, write_i};
    if (!rst_ni) begin
      {same_q, carry_q, taken_q, can_take_q, outstanding_q} <= '0;
      open_q                                                <= '0;
    end else begin
      outstanding_q <= register_valid_i && !done;
      taken_q       <= shows && out_taken_i && !out_done_i;
      can_take_q    <= valid && !out_taken_i && !switch_i;
      if (counts) same_q <= 1'b1;
      carry_q <= (carry_q || counts) && shows && out_taken_i && !out_done_i;
      if (switch_i) begin
        for (int unsigned i = 0; i < CLIENTS; i++) begin
          if (opens_i && 32'(client_i) == i) begin
            open_q[i] <= 1'b1;
            fifo_q[i] <= fifo_i;
          end else if (fifo_q[i] == fifo_i) open_q[i] <= 1'b0;
        end
      end
    end
  end

  always_comb begin
    if (past_q && rst_ni) begin
      bytes_change_nothing_else : assert ({seen, response} == {other_seen, other_response});
      nor_whose_packet_is_shown : assert (!shows || out_client == other_client);
      if (same_q && valid && !carry_q && out_client[0] == chosen) begin
        nothing_of_an_earlier_owner_is_in_an_entry : assert (entry == other_entry);
        nothing_of_an_earlier_owner_is_in_a_beat : assert (!beat_valid || beat == other_beat);
      end
    end
  end
endmodule
`default_nettype wire
