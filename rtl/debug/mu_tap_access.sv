// SPDX-License-Identifier: Apache-2.0
// mu_tap_access: the data register through which the TAP reads and writes registers of the node.
//
//   capture_i, shift_i, bit_i ---> [ 86 bits that shift ] ---> bit_o
//                                     |            ^
//   update_i ------------> [ the access, and what came of it ] <---> access_* ---> response_*
//
// Behaviour: a scan that ends with an operation starts an access, in the form of tap_access; the next scans
//   take out what came of it, in the form of tap_result, until another access starts. A scan that begins
//   while an access is under way takes out BUSY, and what it brings is ignored, also if the access has
//   ended by then: a result is never replaced before a scan could take it.
// Latency: access_valid_o a cycle after update_i; a response can be captured a cycle after it came.
// Limits: capture_i, shift_i and update_i are single cycles of mu_tap, in its order. access_valid_o holds
//   until access_ready_i; after that comes one response (asserted).
`default_nettype none

module mu_tap_access (
    input  logic        clk_i,
    input  logic        rst_ni,
    // the TAP
    input  logic        capture_i,
    input  logic        shift_i,
    input  logic        update_i,
    input  logic        bit_i,
    output logic        bit_o,
    // the access
    output logic        access_valid_o,
    input  logic        access_ready_i,
    output logic        access_write_o,
    output logic [19:0] access_address_o,
    output logic [63:0] access_data_o,
    output logic [7:0]  access_strobe_o,
    // its response
    input  logic        response_valid_i,
    input  logic        response_error_i,
    input  logic [63:0] response_data_i
);
  logic [85:0]         shift_q;
  mu_pkg::tap_access_t asked;     // what was shifted in
  mu_pkg::tap_result_t result;
  logic                valid_q;   // offered
  logic                open_q;    // offered or taken, and not answered
  logic                busy_q;    // this scan began while it was so
  logic                write_q;
  logic                wide_q;
  logic                refused_q;
  logic [19:0]         address_q;
  logic [63:0]         data_q;
  logic                starts;

  assign asked  = shift_q;
  assign starts = update_i && !busy_q && asked.operation != mu_pkg::TAP_OPERATION_NONE;
  assign bit_o  = shift_q[0];

  always_comb begin
    result         = '0;
    result.address = address_q;
    result.data    = data_q;
    result.answer  = mu_pkg::TAP_ANSWER_OK;
    if (open_q) result.answer = mu_pkg::TAP_ANSWER_BUSY;
    else if (refused_q) result.answer = mu_pkg::TAP_ANSWER_REFUSED;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q   <= 1'b0;
      open_q    <= 1'b0;
      busy_q    <= 1'b0;
      refused_q <= 1'b0;
      address_q <= '0;
      data_q    <= '0;
    end else begin
      if (capture_i) busy_q <= open_q;
      if (starts) begin
        valid_q   <= 1'b1;
        open_q    <= 1'b1;
        refused_q <= 1'b0;
        address_q <= asked.address;
        data_q    <= asked.data;
      end
      if (access_valid_o && access_ready_i) valid_q <= 1'b0;
      if (response_valid_i) begin
        open_q    <= 1'b0;
        refused_q <= response_error_i;
        if (!write_q) data_q <= response_data_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (capture_i) shift_q <= result;
    else if (shift_i) shift_q <= {bit_i, shift_q[85:1]};
    if (starts) begin
      write_q <= asked.operation != mu_pkg::TAP_OPERATION_READ;
      wide_q  <= asked.operation == mu_pkg::TAP_OPERATION_WRITE_8;
    end
  end

  assign access_valid_o   = valid_q;
  assign access_write_o   = write_q;
  assign access_address_o = address_q;
  assign access_data_o    = {wide_q ? data_q[63:32] : data_q[31:0], data_q[31:0]};
  assign access_strobe_o  = wide_q ? 8'hFF : address_q[2] ? 8'hF0 : 8'h0F;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      offered_is_open : assert (!valid_q || open_q);
      response_of_an_access : assert (!response_valid_i || (open_q && !valid_q));
      nothing_starts_over_another : assert (!starts || !open_q);
    end
  end

`ifdef PROVE_MU_TAP_ACCESS
  // The TAP captures before it updates, and what is asked answers each access once.
  logic        past_q = 1'b0;
  logic        scans_q = 1'b0;          // captured, and not updated
  logic        offered_q = 1'b0;        // and not taken
  logic        may_change_q = 1'b0;     // an access has started or was answered
  logic        busy_scan_q = 1'b0;      // a scan that began while an access was under way has ended
  logic [83:0] result_before_q;
  logic        refused_before_q;
  logic        was_open_q = 1'b0;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume ($onehot0({capture_i, shift_i, update_i}));
    if (update_i) assume (scans_q);
    if (response_valid_i) assume (open_q && !valid_q);
  end
  always_ff @(posedge clk_i) begin
    past_q           <= 1'b1;
    if (!rst_ni || update_i) scans_q <= 1'b0;
    else if (capture_i) scans_q <= 1'b1;
    offered_q        <= rst_ni && access_valid_o && !access_ready_i;
    may_change_q     <= !rst_ni || starts || response_valid_i;
    busy_scan_q      <= rst_ni && update_i && busy_q;
    was_open_q       <= rst_ni && open_q;
    result_before_q  <= {address_q, data_q};
    refused_before_q <= refused_q;
    if (past_q && rst_ni) begin
      result_stands_until_the_next_access :
        assert (may_change_q || ({address_q, data_q} == result_before_q && refused_q == refused_before_q));
      busy_scan_starts_nothing : assert (!busy_scan_q || was_open_q || !open_q);
      offer_holds_until_taken : assert (!offered_q || valid_q);
    end
  end
`endif
endmodule
`default_nettype wire
