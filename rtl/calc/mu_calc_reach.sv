// SPDX-License-Identifier: Apache-2.0
// mu_calc_reach: which bytes of its region an operand of CALC reaches.
//
//   start, columns, rows ---> [ span of a row ] [ span of the rows ] ---> lowest byte, bytes
//   offset, strides, size ----------------------------------------^
//
// Behaviour: a vector has rows_i rows of columns_i elements; element e of row r begins at offset_i + e *
//   stride_i + r * row_stride_i, strides signed. After start_i, once busy_o is low, the first byte that any
//   element covers is offset_o, and from there to behind the last one are bytes_o bytes; offset_o is below_o
//   bytes below offset_i. No region has more than 2^37 bytes. Where the vector would begin below zero,
//   offset_o wraps, and bytes_o lead from there beyond 2^37; where it would cover 2^38 bytes or more, the two
//   highest bits of bytes_o are set: neither fits into any region.
// Latency: busy for as many cycles as the larger of columns_i - 1 and rows_i - 1 has bits.
// Limits: one column and one row at least. offset_i, strides and size stand until the outputs have been read.
`default_nettype none

module mu_calc_reach (
    input  logic             clk_i,
    input  logic             rst_ni,
    // the vector
    input  logic             start_i,
    input  logic [36:0]      columns_i,
    input  logic [36:0]      rows_i,
    input  logic [36:0]      offset_i,
    input  mu_pkg::address_t stride_i,
    input  mu_pkg::address_t row_stride_i,
    input  logic [2:0]       size_log2_i,  // of an element, in bytes
    // what it covers
    output logic             busy_o,
    output logic [36:0]      offset_o,
    output logic [37:0]      bytes_o,
    output logic [36:0]      below_o
);
  logic             column_over;
  logic             row_over;
  logic             column_busy;
  logic             row_busy;
  logic [37:0]      column_span;
  logic [37:0]      row_span;
  logic [39:0]      bytes;
  logic             too_far;

  mu_calc_span u_column_span (
      .clk_i,
      .rst_ni,
      .start_i,
      .steps_i (columns_i - 37'd1),
      .stride_i(stride_i),
      .busy_o  (column_busy),
      .over_o  (column_over),
      .span_o  (column_span)
  );
  mu_calc_span u_row_span (
      .clk_i,
      .rst_ni,
      .start_i,
      .steps_i (rows_i - 37'd1),
      .stride_i(row_stride_i),
      .busy_o  (row_busy),
      .over_o  (row_over),
      .span_o  (row_span)
  );
  assign bytes   = 40'(column_span) + 40'(row_span) + (40'd1 << size_log2_i);
  assign too_far = column_over || row_over || bytes[39:38] != '0;

  assign busy_o   = column_busy || row_busy;
  assign below_o  = (stride_i[39] ? column_span[36:0] : '0) + (row_stride_i[39] ? row_span[36:0] : '0);
  assign offset_o = offset_i - below_o;
  assign bytes_o  = bytes[37:0] | {{2{too_far}}, 36'd0};
endmodule
`default_nettype wire
