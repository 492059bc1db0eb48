// SPDX-License-Identifier: Apache-2.0
// mu_core_touch: accesses of cores to interrupt-on-touch memory, told by what watches their bus.
//
//   register bus (core_access.report) ---> [ check ] ---> [ mu_touch_match ] ---> hit_o (touch table)
//                                                              ^ row_i, on_read_i, on_write_i
//
// Behaviour: a legal write of report names a read or a write by a core. Every range that watches those, as
//   on_read_i or on_write_i had it then, and shares a byte with it is told in hit_o, for one cycle, before
//   the write is answered: whoever sees the answer finds the hit in touch_hits. A refused access tells
//   nothing.
// Latency: an answer two cycles after a legal write if no range watches, else one more and one for each
//   that does; of a refused access, or a read, one cycle.
// Limits: one access at a time, as the register bus has it; at most 512 bytes.
// two-readers: hold:register_request_i[64+:20]=mu_pkg::BLOCK_CORE_ACCESS_BASE
// two-readers: hold:register_request_i[88+:2]=2 hold:register_request_i[58+:5]=0 seen=5
`default_nettype none

module mu_core_touch (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    output logic                            busy_o,
    // register bus
    input  logic                            register_valid_i,
    input  mu_pkg::register_request_t       register_request_i,
    output logic                            register_done_o,
    output mu_pkg::register_response_t      register_response_o,
    // ranges of the touch table
    input  logic [mu_pkg::TOUCH_RANGES-1:0] on_read_i,   // watch reads of cores
    input  logic [mu_pkg::TOUCH_RANGES-1:0] on_write_i,  // and writes
    input  mu_pkg::touch_row_t              row_i,
    output logic [mu_pkg::TOUCH_RANGES-1:0] hit_o
);
  logic                        start, reports, compared, compares_q, done_q;
  logic                        match_ready;
  logic [63:0]                 nothing;  // a register that is only written has no data
  mu_pkg::status_e             shape, status_q;
  mu_pkg::core_access_report_t report;
  logic [mu_pkg::TOUCH_RANGES-1:0] match;

  assign start = register_valid_i && !done_q && !compares_q;
  mu_core_access_decode u_decode (
      .valid_i       (start),
      .request_i     (register_request_i),
      .status_o      (shape),
      .data_o        (nothing),
      .write_report_o(reports),
      .report_o      (report)
  );

  mu_touch_match u_match (
      .clk_i, .rst_ni,
      .valid_i  (reports),
      .ready_o  (match_ready),
      .address_i(report.address),
      .bytes_i  (report.bytes),
      .enable_i (report.write ? on_write_i : on_read_i),
      .done_o   (compared),
      .taken_i  (1'b1),
      .hit_o    (match),
      .row_i
  );
  assign hit_o = compared ? match : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      compares_q <= 1'b0;
      done_q     <= 1'b0;
      status_q   <= mu_pkg::STATUS_OK;
    end else begin
      if (reports) compares_q <= 1'b1;
      else if (compared) compares_q <= 1'b0;
      done_q   <= (start && !reports) || compared;
      status_q <= start ? shape : mu_pkg::STATUS_OK;
    end
  end
  assign register_done_o            = done_q;
  assign register_response_o.status = status_q;
  assign register_response_o.data   = '0;
  assign busy_o                     = compares_q || done_q;

  logic unused;
  assign unused = ^{nothing, match_ready};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      compares_one_at_a_time : assert (!reports || match_ready);
      has_nothing_to_read : assert (nothing == '0);
      fires_before_the_answer : assert (!register_done_o || hit_o == '0);
    end
  end

`ifdef PROVE_MU_CORE_TOUCH
  // What is proved of mu_core_touch, beside the contract of mu_touch_match: what that finds is told once,
  // before the answer; what is refused is not compared; every access is answered in time; a range that does
  // not watch such accesses is not told.
  (* anyconst *) logic [$clog2(mu_pkg::TOUCH_RANGES)-1:0] chosen;
  logic       past_q = 1'b0;
  logic       watches_q, told_q, asked_q, refused_q;
  logic [4:0] age_q;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < mu_pkg::TOUCH_RANGES);
    if (row_i.valid) assume (32'(row_i.index) < mu_pkg::TOUCH_RANGES);
  end
  always_ff @(posedge clk_i) begin
    past_q    <= 1'b1;
    asked_q   <= rst_ni && start;
    refused_q <= rst_ni && start && !reports;
    told_q    <= rst_ni && hit_o[chosen];
    if (reports) watches_q <= report.write ? on_write_i[chosen] : on_read_i[chosen];
    if (!rst_ni || reports) age_q <= '0;
    else if (compares_q && age_q != '1) age_q <= age_q + 1'b1;
    if (past_q && rst_ni) begin
      if (asked_q) compares_or_refuses :
        assert (compares_q != register_done_o && register_done_o == refused_q);
      if (register_done_o) says_which :
        assert ((register_response_o.status == mu_pkg::STATUS_OK) == !refused_q);
      if (told_q) tells_before_the_answer : assert (register_done_o && !compares_q && hit_o == '0);
      tells_only_while_it_compares : assert (compares_q || hit_o == '0);
      if (compares_q && hit_o[chosen]) tells_who_watches : assert (watches_q);
      answers_in_time : assert (!compares_q || 32'(age_q) <= 32'(mu_pkg::TOUCH_RANGES) + 1);
      compares_what_was_reported : assert (compares_q == !match_ready);
    end
  end
`endif
endmodule
`default_nettype wire
