// SPDX-License-Identifier: Apache-2.0
// mu_router_counters: the performance block: what went through each output of the router, by class.
//
//   send, last, stall of the two switches ---> [ 14 x packets, flits, stalls ] ---> register bus (read only)
//
// Behaviour: counts flits sent, packets whose tail was sent, and cycles in which a head waited for the output. A write,
//   an unknown address or a client page answers REGISTER_UNKNOWN and changes nothing.
// Latency: an event shows in the next cycle; register_done_o one cycle after register_valid_i.
// Limits: 32-bit counts that wrap.
`default_nettype none

module mu_router_counters (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    // switches: bit 0 x+ .. bit 5 z-, bit 6 local
    input  logic [6:0]                request_send_i,
    input  logic [6:0]                request_last_i,
    input  logic [6:0]                request_stall_i,
    input  logic [6:0]                reply_send_i,
    input  logic [6:0]                reply_last_i,
    input  logic [6:0]                reply_stall_i,
    // register bus
    input  logic                      register_valid_i,
    input  mu_pkg::register_request_t register_request_i,
    output logic                      register_done_o,
    output mu_pkg::register_response_t register_response_o,
    output logic                      busy_o
);
  localparam int unsigned COUNTERS = 14;

  logic        done_q;
  logic        known_q;
  logic        start;
  logic        known;
  logic [3:0]  index;
  logic [1:0]  what;  // 0 packets, 1 flits, 2 stalls
  logic [31:0] value;

  assign start = register_valid_i && !done_q;
  assign index = register_request_i.address[5:2];
  assign what  = register_request_i.address[7:6];
  assign known = register_request_i.address[19:8] == mu_pkg::BLOCK_PERFORMANCE_BASE[19:8] && what != 2'd3 &&
                 32'(index) < COUNTERS && register_request_i.address[1:0] == 2'b0 &&
                 !register_request_i.write && !register_request_i.page;

  for (genvar k = 0; k < COUNTERS; k++) begin : gen_counter
    logic        send;
    logic        last;
    logic        stall;
    logic [31:0] packets_q;
    logic [31:0] flits_q;
    logic [31:0] stalls_q;
    logic [31:0] value_q;  // what was read, zero unless this counter was
    assign send  = k % 2 == 1 ? reply_send_i[k/2] : request_send_i[k/2];
    assign last  = k % 2 == 1 ? reply_last_i[k/2] : request_last_i[k/2];
    assign stall = k % 2 == 1 ? reply_stall_i[k/2] : request_stall_i[k/2];
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        packets_q <= '0;
        flits_q   <= '0;
        stalls_q  <= '0;
      end else begin
        if (last) packets_q <= packets_q + 1'b1;
        if (send) flits_q <= flits_q + 1'b1;
        if (stall) stalls_q <= stalls_q + 1'b1;
      end
    end
    always_ff @(posedge clk_i) begin
      if (start) begin
        value_q <= '0;
        if (known && index == 4'(k)) value_q <= what == 2'd0 ? packets_q : what == 2'd1 ? flits_q : stalls_q;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) done_q <= 1'b0;
    else if (start || done_q) done_q <= start;
  end
  always_ff @(posedge clk_i) if (start) known_q <= known;

  always_comb begin
    value               = '0;
    register_response_o = '0;
    if (done_q) begin
      value = gen_counter[0].value_q | gen_counter[1].value_q | gen_counter[2].value_q | gen_counter[3].value_q |
              gen_counter[4].value_q | gen_counter[5].value_q | gen_counter[6].value_q | gen_counter[7].value_q |
              gen_counter[8].value_q | gen_counter[9].value_q | gen_counter[10].value_q | gen_counter[11].value_q |
              gen_counter[12].value_q | gen_counter[13].value_q;
      register_response_o.data   = {value, value};
      register_response_o.status = known_q ? mu_pkg::STATUS_OK : mu_pkg::STATUS_REGISTER_UNKNOWN;
    end
  end
  assign register_done_o = done_q;
  assign busy_o          = done_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni && done_q) begin
      request_stands_until_done : assert (register_valid_i);
      refused_reads_zero : assert (known_q || value == '0);
    end
  end
endmodule
`default_nettype wire
