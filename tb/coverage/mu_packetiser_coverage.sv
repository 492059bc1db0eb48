// SPDX-License-Identifier: Apache-2.0
// mu_packetiser_coverage: request descriptors by opcode, length, alignment and back-pressure.
//
//   the descriptor that runs, and whether its packets find room ---> cover points
//
// Behaviour: gen_opcode[n] ended well at once and after a wait for room. gen_mover[n], for PUT, FIFO, GET and
//   SEND in this order: a payload of each length class (immediate, up to a flit, less than a packet,
//   a packet, whole packets, packets and a rest), at an address of a memory word or between, at once and
//   after a wait. GETs are of one packet and of whole descriptors, so they have fewer classes;
//   immediates have no address.
// Latency: counts at each clock edge out of reset, when a descriptor leaves.
// Limits: bound to models that count only.
`default_nettype none

module mu_packetiser_coverage (
    input logic                        clk_i,
    input logic                        rst_ni,
    input logic [2:0]                  state_q,
    input mu_pkg::fetched_descriptor_t fetched_q,
    input logic [7:0]                  status_q,
    input logic [39:0]                 address_q,
    input logic                        open,
    input logic                        last,
    input logic                        run,
    input logic                        open_ready_i,
    input logic                        holds,
    input logic                        held_ready_i
);
  localparam int unsigned OPCODES = 14;
  localparam int unsigned CLASSES = 6;
  localparam logic [2:0]  RUN = 3'd4;  // STATE_RUN of the packetiser

  mu_pkg::descriptor_t descriptor;
  logic [36:0] length;
  logic [CLASSES-1:0] in_class;
  logic waited_q, between_q, begun_q, ends, between;
  assign descriptor = fetched_q.descriptor;
  assign length = descriptor.length;
  assign in_class = {
    !descriptor.immediate_valid && length > 37'd512 && length[8:0] != '0,
    !descriptor.immediate_valid && length > 37'd512 && length[8:0] == '0,
    !descriptor.immediate_valid && length == 37'd512,
    !descriptor.immediate_valid && length > 37'd16 && length < 37'd512,
    !descriptor.immediate_valid && length <= 37'd16,
    descriptor.immediate_valid
  };
  assign between = begun_q ? between_q : address_q[4:0] != '0;
  assign ends = state_q == RUN && status_q == '0 &&
                (open && last || holds && held_ready_i && !fetched_q.again);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || state_q != RUN) begin
      waited_q <= 1'b0;
      begun_q  <= 1'b0;
    end else begin
      if (!begun_q) between_q <= address_q[4:0] != '0;
      begun_q  <= 1'b1;
      waited_q <= waited_q || (run && !open_ready_i) || (holds && !held_ready_i);
    end
  end

  for (genvar n = 0; n < OPCODES; n++) begin : gen_opcode
    always_ff @(posedge clk_i) begin
      if (rst_ni && ends && 32'(descriptor.opcode) == n) begin
        at_once : cover (!waited_q);
        after_a_wait : cover (waited_q);
      end
    end
  end
  // Of a GET: immediates and a rest beside descriptors of 64 bytes do not exist, nor more than a packet.
  for (genvar n = 0; n < 4; n++) begin : gen_mover
    localparam int unsigned OPCODE = n < 3 ? n + 1 : 9;
    for (genvar c = 0; c < CLASSES; c++) begin : gen_length
      if (n != 2 || c == 2 || c == 3) begin : gen_possible
        always_ff @(posedge clk_i) begin
          if (rst_ni && ends && 32'(descriptor.opcode) == OPCODE && in_class[c] && !fetched_q.run) begin
            aligned : cover (!waited_q && (c == 0 || !between));
            aligned_after_a_wait : cover (waited_q && (c == 0 || !between));
          end
        end
        if (c != 0) begin : gen_unaligned
          always_ff @(posedge clk_i) begin
            if (rst_ni && ends && 32'(descriptor.opcode) == OPCODE && in_class[c] && !fetched_q.run) begin
              unaligned : cover (!waited_q && between);
              unaligned_after_a_wait : cover (waited_q && between);
            end
          end
        end
      end
    end
  end
endmodule

bind mu_packetiser mu_packetiser_coverage u_coverage (.*);
`default_nettype wire
