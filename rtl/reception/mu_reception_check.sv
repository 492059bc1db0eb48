// SPDX-License-Identifier: Apache-2.0
// mu_reception_check: may this packet do what it asks for, and to which memory?
//
//   header, trailer, region, owners, FIFO answer ---> [ tests in order ] ---> status_o, owner_o, address_o
//
// Behaviour: status_o is OK, or the first of: PUT: PACKET_KIND (neither payload nor event), what
//   mu_region_check says (remote write; on behalf of a client: its own regions), COUNTER_INVALID. FIFO:
//   what the FIFO says but for FULL, COUNTER_INVALID, FIFO_FULL. GET: PACKET_KIND (not 1 to 8 descriptors),
//   OPCODE_FORBIDDEN (on behalf: no chains). SEND: what mu_receive_decision says. FENCE: PACKET_KIND
//   (bytes, or a counter), what mu_region_check says. Other kinds, and replies of kind FENCE: OK.
//   COUNTER_INVALID: a counter or event that is meant is not enabled or not of the client that owns the
//   region, FIFO or queue. Without valid_i: OK.
// Latency: one cycle for the region and for all owners, none for what FIFO and receive queue say.
// Limits: none; every input has an answer, if packet, region and owners stand for two cycles of valid_i.
`default_nettype none

module mu_reception_check (
    input  logic                    clk_i,
    // packet
    input  logic                    valid_i,
    input  mu_pkg::packet_header_t  header_i,
    input  mu_pkg::packet_trailer_t trailer_i,
    input  logic [37:0]             end_i,  // offset and bytes
    // region table
    input  mu_pkg::region_entry_t   entry_i,
    // counters: owners of trailer_i.counter and trailer_i.event_counter
    input  logic                    counter_enable_i,
    input  logic [3:0]              counter_owner_i,
    input  logic                    event_enable_i,
    input  logic [3:0]              event_owner_i,
    // reception FIFO table
    input  mu_pkg::status_e         fifo_status_i,
    input  logic [3:0]              fifo_owner_i,
    // receive queue
    input  mu_pkg::status_e         send_status_i,
    input  logic [3:0]              send_owner_i,
    output logic                    counters_good_o,
    // verdict
    output mu_pkg::status_e         status_o,
    output logic                    good_o,  // status_o is OK
    output logic                    full_o,  // it is FIFO_FULL, of a FIFO
    output mu_pkg::address_t        address_o,
    output logic [3:0]              owner_o
);
  localparam logic [1:0] ACCESS_REMOTE_WRITE    = 2'd1;
  localparam logic [1:0] ACCESS_WRITE_ON_BEHALF = 2'd3;

  mu_pkg::status_e  region_status;
  mu_pkg::status_e  status, status_q;
  logic             good_q;
  logic             counters_good;
  logic [3:0]       owner;
  mu_pkg::address_t unused_address;
  logic             unused_bits;

  mu_region_check u_region (
      .entry_i,
      .offset_i ('0),
      .bytes_i  (end_i),
      .access_i (header_i.on_behalf ? ACCESS_WRITE_ON_BEHALF : ACCESS_REMOTE_WRITE),
      .client_i (header_i.client),
      .status_o (region_status),
      .address_o(unused_address)
  );

  assign owner        = header_i.kind == mu_pkg::KIND_FIFO ? fifo_owner_i :
      header_i.kind == mu_pkg::KIND_SEND ? send_owner_i : entry_i.owner;
  assign unused_bits  = ^{header_i, trailer_i, unused_address};
  assign counters_good =
      (!trailer_i.counter_valid || (counter_enable_i && counter_owner_i == owner)) &&
      (!trailer_i.event_valid || (event_enable_i && event_owner_i == owner));

  // The owners are compared with the lookup, so that the judgement begins with what came of it.
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      status_q        <= status;
      good_q          <= status == mu_pkg::STATUS_OK;
      address_o       <= entry_i.base + 40'(header_i.offset);
      owner_o         <= owner;
      counters_good_o <= counters_good;
    end
  end

  // What FIFO and receive queue have no part in.
  always_comb begin
    status = mu_pkg::STATUS_OK;
    unique case (header_i.kind)
      mu_pkg::KIND_PUT: begin
        if (header_i.bytes == '0 && !trailer_i.event_valid) status = mu_pkg::STATUS_PACKET_KIND;
        else if (region_status != mu_pkg::STATUS_OK) status = region_status;
        else if (!counters_good) status = mu_pkg::STATUS_COUNTER_INVALID;
      end
      mu_pkg::KIND_GET: begin
        if (header_i.bytes == '0 || header_i.bytes[5:0] != '0) status = mu_pkg::STATUS_PACKET_KIND;
        else if (header_i.on_behalf) status = mu_pkg::STATUS_OPCODE_FORBIDDEN;
      end
      mu_pkg::KIND_FENCE:
      if (!header_i.reply) begin
        if (header_i.bytes != '0 || trailer_i.counter_valid || trailer_i.event_valid)
          status = mu_pkg::STATUS_PACKET_KIND;
        else status = region_status;
      end
      default: status = mu_pkg::STATUS_OK;
    endcase
  end

  always_comb begin
    status_o = mu_pkg::STATUS_OK;
    good_o   = 1'b1;
    full_o   = 1'b0;
    if (valid_i) begin
      unique case (header_i.kind)
        mu_pkg::KIND_FIFO: begin
          good_o = counters_good_o && fifo_status_i == mu_pkg::STATUS_OK;
          full_o = counters_good_o && fifo_status_i == mu_pkg::STATUS_FIFO_FULL;
          if (fifo_status_i == mu_pkg::STATUS_OK || fifo_status_i == mu_pkg::STATUS_FIFO_FULL) begin
            status_o = counters_good_o ? fifo_status_i : mu_pkg::STATUS_COUNTER_INVALID;
          end else status_o = fifo_status_i;
        end
        mu_pkg::KIND_SEND: begin
          good_o   = send_status_i == mu_pkg::STATUS_OK;
          status_o = send_status_i;
        end
        default: begin
          good_o   = good_q;
          status_o = status_q;
        end
      endcase
    end
  end
endmodule
`default_nettype wire
