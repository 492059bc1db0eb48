// SPDX-License-Identifier: Apache-2.0
// mu_reception_engine_coverage: packets as they are stored, by kind, length, alignment and back-pressure.
//
//   the packet that is stored, and whether memory kept its writes waiting ---> cover points, for each class
//
// Behaviour: gen_class[c] (0 requests, 1 replies).u_stored.gen_kind[n]: a packet of kind n of no bytes, up to
//   a flit, less than a packet, a packet, at an address of a memory word or between, at once and after a
//   wait; of each what exists.
// Latency: counts at each clock edge out of reset, when a packet has been stored.
// Limits: bound to models that count only. Of no bytes there is no address.
`default_nettype none

module mu_stored_packets_coverage #(
    parameter bit REPLY = 1'b0
) (
    input logic                   clk_i,
    input logic                   rst_ni,
    input logic                   stored_i,
    input mu_pkg::packet_header_t header_i,
    input logic                   command_valid_i,
    input logic                   command_ready_i,
    input mu_pkg::write_command_t command_i,
    input logic                   beat_valid_i,
    input logic                   beat_ready_i
);
  localparam int unsigned KINDS = 10;
  localparam int unsigned CLASSES = 4;
  localparam logic [KINDS-1:0] PUT = 10'(1 << mu_pkg::KIND_PUT);
  localparam logic [KINDS-1:0] FIFO = 10'(1 << mu_pkg::KIND_FIFO);
  localparam logic [KINDS-1:0] GET = 10'(1 << mu_pkg::KIND_GET);
  localparam logic [KINDS-1:0] SEND = 10'(1 << mu_pkg::KIND_SEND);
  localparam logic [KINDS-1:0] FENCE = 10'(1 << mu_pkg::KIND_FENCE);
  // Kinds of each class of length; a GET is whole descriptors, a reply an immediate.
  localparam logic [CLASSES*KINDS-1:0] OF_LENGTH = REPLY ? {10'b0, 10'b0, PUT | FIFO, 10'b0} :
      {PUT | FIFO | GET | SEND, PUT | FIFO | GET | SEND, PUT | FIFO | SEND, PUT | FENCE};

  logic [9:0] bytes;
  logic [CLASSES-1:0] in_class;
  logic begun_q, between_q, between, waited_q;
  assign bytes    = header_i.bytes;
  assign in_class = {bytes == 10'd512, bytes > 10'd16 && bytes < 10'd512, bytes != '0 && bytes <= 10'd16,
                     bytes == '0};
  assign between  = begun_q ? between_q : command_i.address[4:0] != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || stored_i) {begun_q, waited_q} <= '0;
    else begin
      if (command_valid_i && !begun_q) begin
        begun_q   <= 1'b1;
        between_q <= between;
      end
      if ((command_valid_i && !command_ready_i) || (beat_valid_i && !beat_ready_i)) waited_q <= 1'b1;
    end
  end

  for (genvar n = 0; n < KINDS; n++) begin : gen_kind
    for (genvar c = 0; c < CLASSES; c++) begin : gen_length
      if (OF_LENGTH[KINDS*c+n]) begin : gen_possible
        always_ff @(posedge clk_i) begin
          if (rst_ni && stored_i && 32'(header_i.kind) == n && in_class[c]) begin
            aligned : cover (!waited_q && (c == 0 || !between));
            aligned_after_a_wait : cover (waited_q && (c == 0 || !between));
          end
        end
        if (c != 0) begin : gen_unaligned
          always_ff @(posedge clk_i) begin
            if (rst_ni && stored_i && 32'(header_i.kind) == n && in_class[c]) begin
              unaligned : cover (!waited_q && between);
              unaligned_after_a_wait : cover (waited_q && between);
            end
          end
        end
      end
    end
  end
endmodule

module mu_reception_engine_coverage (
    input logic                   clk_i,
    input logic                   clk_decision_i,
    input logic                   rst_ni,
    input logic [1:0]             stored,
    input mu_pkg::shown_request_t request,
    input mu_pkg::packet_header_t reply_header,
    input logic [1:0]             command_valid,
    input logic [1:0]             command_ready,
    input mu_pkg::write_request_t request_write_o,
    input mu_pkg::write_request_t reply_write_o,
    input logic [1:0]             beat_valid,
    input logic [1:0]             beat_ready
);
  for (genvar c = 0; c < 2; c++) begin : gen_class
    mu_stored_packets_coverage #(
        .REPLY(c == 1)
    ) u_stored (
        .clk_i          (c == 1 ? clk_decision_i : clk_i),
        .rst_ni,
        .stored_i       (stored[c]),
        .header_i       (c == 1 ? reply_header : request.header),
        .command_valid_i(command_valid[c]),
        .command_ready_i(command_ready[c]),
        .command_i      (c == 1 ? reply_write_o.command : request_write_o.command),
        .beat_valid_i   (beat_valid[c]),
        .beat_ready_i   (beat_ready[c])
    );
  end
endmodule

bind mu_reception_engine mu_reception_engine_coverage u_coverage (
    .stored({reply_stored, request_stored}),
    .command_valid({reply_write_o.command_valid, request_write_o.command_valid}),
    .command_ready({reply_write_response_i.command_ready, request_write_response_i.command_ready}),
    .beat_valid({reply_write_o.beat_valid, request_write_o.beat_valid}),
    .beat_ready({reply_write_response_i.beat_ready, request_write_response_i.beat_ready}), .*
);
`default_nettype wire
