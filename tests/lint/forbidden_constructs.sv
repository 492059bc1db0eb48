// SPDX-License-Identifier: Apache-2.0
// Fixture of source_lint: each marked line must be reported with the named rules, no other line may be.
`default_nettype none
module forbidden_constructs
    import mu_pkg::*;                                         // expect: import
#(
    parameter type word_type = logic,                         // expect: type-parameter
    parameter int unsigned TABLE [4] = 0                      // expect: array-copy
) (
    input  logic              clk_i,
    input  mu_pkg::s_t [3:0]  packed_i,                       // expect: array-of-type
    input  s_t                unpacked_i [4],                 // expect: array-of-type array-port
    input  logic [3:0]        vector_i [4],                   // expect: array-port
    input  logic [5:0][7:0]   two_i,                          // expect: packed-2d
    input  mu_pkg::s_t        fine_i,
    output logic [7:0]        fine_o
);
  mu_pkg::b_t[3:0] typed_vectors;                             // expect: array-of-type
  mu_pkg::s_t memory_of_structs[16];                          // expect: array-of-type
  logic [7:0] memory_of_words[16];
  localparam logic [7:0] ONES = '1;                           // expect: ones-parameter
  localparam logic [7:0] ZEROS = '0;
  localparam logic [1:0] STATE_IDLE = 2'd0;                    // expect: state-number
  logic [39:0] ring_base_q;                                   // expect: width-with-a-name
  logic [39:0] count_of_bytes;
  mu_pkg::address_t plain_vector;
  assign plain_vector = {fine_o, fine_o};
  logic [1:0][3:0] two_dimensions;                            // expect: packed-2d
  logic started_q = 1'b0;                                     // expect: initial-value
  typedef mu_pkg::s_t alias_t;                                // expect: type-alias
  typedef struct packed {
    logic [3:0][7:0] member_may_have_two_dimensions;
  } local_t;
  initial started_q = 1'b1;                                   // expect: initial
  // import, return and inside in a comment are fine
  function automatic logic [7:0] first(input mu_pkg::s_t a);  // expect: struct-in-function
    return a.x;                                               // expect: return
  endfunction
  function automatic void nothing(input logic a);             // expect: void-function
  endfunction
  always @(posedge clk_i) started_q <= 1'b0;                  // expect: always
  always_comb begin
    automatic logic [3:0] early = 1;                          // expect: automatic-local
    mu_pkg::s_t local_struct;                                 // expect: struct-local
    for (int i = 0; i < 4; i++) if (i == 2) break;            // expect: break
    foreach (memory_of_words[i]) fine_o = '0;                 // expect: loop
    if (fine_i inside {1, 2}) fine_o = '0;                    // expect: inside
    fine_o = '{default: '0};                                  // expect: assignment-pattern
    fine_o = {<<{fine_i}};                                    // expect: streaming
    fine_o = mu_pkg::e_t'(fine_i);                            // expect: type-cast
    fine_o = $bits(mu_pkg::s_t);                              // expect: bits-of-type
    fine_o = $bits(fine_i.member);                            // expect: bits-of-member
    fine_o = type(fine_i);                                    // expect: type-operator
    unique if (fine_i) fine_o = '0;                           // expect: unique-if
    if (fine_i ==? 4'b1??0) fine_o = '0;                      // expect: wildcard-equality
    casex (fine_i) default: fine_o = '0; endcase              // expect: casex
    fine_o = wide[7:0] & ~8'(fine_i);                         // expect: cast-under-unary
    fine_o = |8'(fine_i);                                     // expect: cast-under-unary
    fine_o = wide[7:0] - 8'(fine_i);
    fine_o[index_q * 2 +: 2] = 2'd1;                          // expect: dynamic-slice-write
    fine_o = wide[index_q * 8 +: 8];
    for (int i = 0; i < 4; i++) fine_o[i * 2 +: 2] = 2'd1;
    fine_o = 8'(fine_i) + "return inside a string";
  end
  assert property (@(posedge clk_i) fine_i);                  // expect: concurrent-assertion
  always_ff @(posedge clk_i) assert (fine_i) else $error(""); // expect: else-error
  assign #1 fine_o = '0;                                      // expect: delay
  defparam u_child.WIDTH = 3;                                 // expect: defparam
  mu_child u_child (.a_o());                                  // expect: empty-pin
  mu_pkg::s_t by_position, by_member;
  assign by_position = {fine_o, fine_o};                      // expect: struct-by-position
  assign by_member.fine = {fine_o, fine_o};
  mu_bus.modport m;                                           // expect: interface
  // verilator lint_off WIDTH                                    expect: lint-off
`ifdef FORMAL
  logic past_q = 1'b0;
  initial past_q = 1'b0;
`endif
endmodule
`default_nettype wire
