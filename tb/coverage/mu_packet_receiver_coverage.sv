// SPDX-License-Identifier: Apache-2.0
// mu_packet_receiver_coverage: kinds of packets that arrive, and how full the buffers have been.
//
//   packets of a class as they are handed on ---> cover points
//
// Behaviour: gen_kind[n].taken for each kind that exists in the class; gen_size[c] for payloads of no bytes,
//   up to a flit, less than a packet and a packet; the buffers emptied, all full, and gone round; a bad
//   packet dropped.
// Latency: counts at each clock edge out of reset.
// Limits: bound to models that count only.
`default_nettype none

module mu_packet_receiver_coverage #(
    parameter int unsigned PACKETS = 2,
    parameter bit          REPLY   = 1'b0
) (
    input logic                   clk_i,
    input logic                   rst_ni,
    input logic                   packet_valid_o,
    input logic                   packet_done_i,
    input mu_pkg::packet_header_t packet_header_o,
    input logic                   flit_valid_i,
    input logic                   flit_ready_o,
    input logic                   bad_packet_o,
    input logic                   good,
    input logic [31:0]            used
);
  // Bit n: kind n comes in this class.
  localparam logic [9:0] KINDS = REPLY ? 10'b1101010110 : 10'b1010101110;
  logic [9:0] bytes;
  assign bytes = packet_header_o.bytes[9:0];
  logic [31:0] taken_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) taken_q <= '0;
    else if (good && taken_q <= PACKETS) taken_q <= taken_q + 1'b1;
  end

  for (genvar n = 0; n < 10; n++) begin : gen_kind
    if (KINDS[n]) begin : gen_comes
      always_ff @(posedge clk_i) begin
        if (rst_ni && packet_valid_o && packet_done_i) taken : cover (32'(packet_header_o.kind) == n);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      no_bytes : cover (packet_valid_o && bytes == '0);
      up_to_a_flit : cover (packet_valid_o && bytes != '0 && bytes <= 10'd16);
      emptied : cover (used == 32'd1 && packet_done_i && !good);
      full : cover (used == PACKETS);
      wrapped : cover (taken_q > PACKETS);
      kept_waiting : cover (flit_valid_i && !flit_ready_o);
      bad_packet : cover (bad_packet_o);
    end
  end
  if (!REPLY) begin : gen_long
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        part_of_a_packet : cover (packet_valid_o && bytes > 10'd16 && bytes < 10'd512);
        whole_packet : cover (packet_valid_o && bytes == 10'd512);
      end
    end
  end
endmodule

bind mu_packet_receiver mu_packet_receiver_coverage #(
    .PACKETS(PACKETS), .REPLY(REPLY)
) u_coverage (.used(32'(used_q)), .*);
`default_nettype wire
