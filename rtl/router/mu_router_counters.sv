// SPDX-License-Identifier: Apache-2.0
// mu_router_counters: the performance block: what went through each output of the router, by class.
//
//   send, last, stall of the two classes ---> [ 6 x mu_router_tally ] ---> register bus (read only)
//
// Behaviour: counts flits sent, packets whose tail was sent, and cycles in which a head waited for the
//   output. A write, an unknown address or a client page answers REGISTER_UNKNOWN and changes nothing.
// Latency: an event shows in the next cycle; register_done_o one cycle after register_valid_i.
// Limits: 32-bit counts that wrap. clk_reply_i, of those of replies, is clk_i, and may be stopped while
//   reply_busy_o is low and no event of a reply comes.
// two-readers: hold:register_request_i[72+:12]=mu_pkg::BLOCK_PERFORMANCE_BASE>>8
// two-readers: hold:register_request_i[64+:2]=0 seen=20
`default_nettype none

module mu_router_counters (
    input  logic                       clk_i,
    input  logic                       clk_reply_i,
    input  logic                       rst_ni,
    // classes: bit 0 x+ .. bit 5 z-, bit 6 local
    input  logic [6:0]                 request_send_i,
    input  logic [6:0]                 request_last_i,
    input  logic [6:0]                 request_stall_i,
    input  logic [6:0]                 reply_send_i,
    input  logic [6:0]                 reply_last_i,
    input  logic [6:0]                 reply_stall_i,
    // register bus
    input  logic                       register_valid_i,
    input  mu_pkg::register_request_t  register_request_i,
    output logic                       register_done_o,
    output mu_pkg::register_response_t register_response_o,
    output logic                       busy_o,
    output logic                       reply_busy_o
);
  localparam logic [1:0] PACKETS = 2'd0;
  localparam logic [1:0] FLITS   = 2'd1;
  localparam logic [1:0] STALLS  = 2'd2;

  logic        done_q;
  logic        known_q;
  logic [31:0] value_q;
  logic        start;
  logic        known;
  logic        reply;
  logic [2:0]  index;  // output
  logic [1:0]  what;
  logic [5:0]  busy;
  logic [31:0] request_packets, request_flits, request_stalls, reply_packets, reply_flits, reply_stalls;

  assign start = register_valid_i && !done_q;
  assign what  = register_request_i.address[7:6];
  assign index = register_request_i.address[5:3];
  assign reply = register_request_i.address[2];
  assign known = register_request_i.address[19:8] == mu_pkg::BLOCK_PERFORMANCE_BASE[19:8] && what != 2'd3 &&
                 index != 3'd7 && register_request_i.address[1:0] == 2'b0 && !register_request_i.write &&
                 !register_request_i.page;

  mu_router_tally u_request_packets (
      .clk_i, .rst_ni, .event_i(request_last_i), .read_i(start), .read_index_i(index),
      .value_o(request_packets),
      .busy_o(busy[0])
  );
  mu_router_tally u_request_flits (
      .clk_i, .rst_ni, .event_i(request_send_i), .read_i(start), .read_index_i(index),
      .value_o(request_flits),
      .busy_o(busy[1])
  );
  mu_router_tally u_request_stalls (
      .clk_i, .rst_ni, .event_i(request_stall_i), .read_i(start), .read_index_i(index),
      .value_o(request_stalls),
      .busy_o(busy[2])
  );
  mu_router_tally u_reply_packets (
      .clk_i(clk_reply_i), .rst_ni, .event_i(reply_last_i), .read_i(start), .read_index_i(index),
      .value_o(reply_packets),
      .busy_o(busy[3])
  );
  mu_router_tally u_reply_flits (
      .clk_i(clk_reply_i), .rst_ni, .event_i(reply_send_i), .read_i(start), .read_index_i(index),
      .value_o(reply_flits),
      .busy_o(busy[4])
  );
  mu_router_tally u_reply_stalls (
      .clk_i(clk_reply_i), .rst_ni, .event_i(reply_stall_i), .read_i(start), .read_index_i(index),
      .value_o(reply_stalls),
      .busy_o(busy[5])
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) done_q <= 1'b0;
    else if (start || done_q) done_q <= start;
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      known_q <= known;
      value_q <= '0;
      if (known) begin
        unique case (what)
          PACKETS: value_q <= reply ? reply_packets : request_packets;
          FLITS:   value_q <= reply ? reply_flits : request_flits;
          STALLS:  value_q <= reply ? reply_stalls : request_stalls;
          default: value_q <= '0;
        endcase
      end
    end
  end

  always_comb begin
    register_response_o = '0;
    if (done_q) begin
      register_response_o.data   = {value_q, value_q};
      register_response_o.status = known_q ? mu_pkg::STATUS_OK : mu_pkg::STATUS_REGISTER_UNKNOWN;
    end
  end
  assign register_done_o = done_q;
  assign busy_o          = done_q || busy[2:0] != '0;
  assign reply_busy_o    = busy[5:3] != '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni && done_q) begin
      request_stands_until_done : assert (register_valid_i);
      refused_reads_zero : assert (known_q || value_q == '0);
    end
  end

`ifdef PROVE_MU_ROUTER_COUNTERS
  // An access is answered in the next cycle, once; a read of a counter tells, in both halves, what the tally
  // of the class and the count that the address names shows in the cycle of the access; all else is refused
  // with zero. That a tally counts is proved of mu_router_tally; that each has its events, and is asked for
  // the output of the address, is left to the unit test.
  logic        past_q = 1'b0;
  logic        was_asked_q, was_done_q, was_good_q;
  logic [31:0] shown_q;
  logic [7:0]  offset;
  assign offset = register_request_i.address[7:0];
  always_comb begin
    if (!past_q) assume (!rst_ni);
    // The bus: a request stands until it is answered.
    if (past_q && rst_ni && was_asked_q && !was_done_q) assume (register_valid_i);
  end
  always_ff @(posedge clk_i) begin
    past_q      <= 1'b1;
    was_asked_q <= rst_ni && register_valid_i;
    was_done_q  <= register_done_o;
    // The table of docs/reference: packets from 0x00, flits from 0x40, stalls from 0x80, of requests; 4
    // further of replies.
    was_good_q  <= 32'(register_request_i.address) - 32'(mu_pkg::BLOCK_PERFORMANCE_BASE) < 32'd192 &&
        register_request_i.address >= mu_pkg::BLOCK_PERFORMANCE_BASE && offset[5:3] < 3'd7 &&
        offset[1:0] == '0 && !register_request_i.write && !register_request_i.page;
    shown_q <= offset[7:6] == 2'd0 ? (offset[2] ? reply_packets : request_packets) :
               offset[7:6] == 2'd1 ? (offset[2] ? reply_flits : request_flits) :
                                     (offset[2] ? reply_stalls : request_stalls);
    if (rst_ni && past_q) begin
      answers_in_the_next_cycle_once : assert (register_done_o == (was_asked_q && !was_done_q));
      if (register_done_o) begin
        refuses_all_else :
        assert (register_response_o.status ==
                (was_good_q ? mu_pkg::STATUS_OK : mu_pkg::STATUS_REGISTER_UNKNOWN));
        tells_what_is_shown : assert (register_response_o.data == (was_good_q ? {shown_q, shown_q} : 64'd0));
      end else silent_else : assert (register_response_o == '0);
      busy_until_counted :
      assert (busy_o == (register_done_o || busy[2:0] != '0) && reply_busy_o == (busy[5:3] != '0));
    end
  end
`endif
endmodule
`default_nettype wire
