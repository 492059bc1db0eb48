// SPDX-License-Identifier: Apache-2.0
// mu_reduction_decode: which unit of the reduction ALU an operation on elements of a type needs, if it is
// defined, and what the type is.
//
//   operation_i, element_i ---> path_o {SIMPLE, SUM, PRODUCT, UNDEFINED}, status_o
//                               size_log2_o, float_o, format_o, signed_o
//
// Behaviour: status_o is STATUS_OK exactly when operation and type exist and the operation is defined for the
//   type: logical and bit-wise operations are for integers. Otherwise it is STATUS_REDUCTION_UNDEFINED and
//   path_o REDUCTION_PATH_UNDEFINED. size_log2_o: the elements have 1, 2, 4 or 8 bytes; float_o: they are
//   floats, of format_o; signed_o: signed integers. Of a type that does not exist the last four mean nothing.
// Latency: combinational.
// Limits: any input.
`default_nettype none

module mu_reduction_decode (
    input  logic [3:0]      operation_i,  // mu_pkg::reduction_e
    input  logic [3:0]      element_i,    // mu_pkg::element_e
    output logic [1:0]      path_o,       // mu_pkg::reduction_path_e
    output mu_pkg::status_e status_o,
    output logic [1:0]      size_log2_o,
    output logic            float_o,
    output logic [1:0]      format_o,     // mu_pkg::float_format_e
    output logic            signed_o
);
  logic exists;
  assign exists   = operation_i <= mu_pkg::REDUCTION_MINMAXLOC && element_i <= mu_pkg::ELEMENT_BF16;
  assign status_o = path_o == mu_pkg::REDUCTION_PATH_UNDEFINED ? mu_pkg::STATUS_REDUCTION_UNDEFINED
                                                               : mu_pkg::STATUS_OK;
  always_comb begin
    size_log2_o = 2'd2;
    float_o     = 1'b0;
    format_o    = mu_pkg::FLOAT_FORMAT_BINARY64;
    signed_o    = element_i == mu_pkg::ELEMENT_I8 || element_i == mu_pkg::ELEMENT_I16 ||
                  element_i == mu_pkg::ELEMENT_I32 || element_i == mu_pkg::ELEMENT_I64;
    unique case (element_i)
      mu_pkg::ELEMENT_I8, mu_pkg::ELEMENT_U8:   size_log2_o = 2'd0;
      mu_pkg::ELEMENT_I16, mu_pkg::ELEMENT_U16: size_log2_o = 2'd1;
      mu_pkg::ELEMENT_I64, mu_pkg::ELEMENT_U64: size_log2_o = 2'd3;
      mu_pkg::ELEMENT_F16: begin
        size_log2_o = 2'd1;
        float_o     = 1'b1;
        format_o    = mu_pkg::FLOAT_FORMAT_BINARY16;
      end
      mu_pkg::ELEMENT_BF16: begin
        size_log2_o = 2'd1;
        float_o     = 1'b1;
        format_o    = mu_pkg::FLOAT_FORMAT_BFLOAT16;
      end
      mu_pkg::ELEMENT_F32: begin
        float_o  = 1'b1;
        format_o = mu_pkg::FLOAT_FORMAT_BINARY32;
      end
      mu_pkg::ELEMENT_F64: begin
        size_log2_o = 2'd3;
        float_o     = 1'b1;
      end
      default: ;
    endcase
  end
  always_comb begin
    if (!exists) path_o = mu_pkg::REDUCTION_PATH_UNDEFINED;
    else begin
      unique case (operation_i)
        mu_pkg::REDUCTION_MAX, mu_pkg::REDUCTION_MIN, mu_pkg::REDUCTION_MAXLOC, mu_pkg::REDUCTION_MINLOC,
        mu_pkg::REDUCTION_MINMAXLOC:
        path_o = mu_pkg::REDUCTION_PATH_SIMPLE;
        mu_pkg::REDUCTION_SUM:
        path_o = float_o ? mu_pkg::REDUCTION_PATH_SUM : mu_pkg::REDUCTION_PATH_SIMPLE;
        mu_pkg::REDUCTION_PROD: path_o = mu_pkg::REDUCTION_PATH_PRODUCT;
        default: path_o = float_o ? mu_pkg::REDUCTION_PATH_UNDEFINED : mu_pkg::REDUCTION_PATH_SIMPLE;
      endcase
    end
  end

`ifdef PROVE_MU_REDUCTION_DECODE
  // What is proved of mu_reduction_decode: for each type the operations of MPI that it takes, as a list, and
  // no others; what takes more than a cycle is a product, or a sum of floats; and of each type, by its
  // number, what it is.
  localparam logic [15:0] OF_INTEGERS = 16'b0001_1111_1111_1111;
  localparam logic [15:0] OF_FLOATS   = 16'b0001_1100_0000_1111;  // no logic, no bits
  localparam logic [15:0] FLOATS      = 16'b0000_1100_0011_0000;
  localparam logic [15:0] SIGNED      = 16'b0000_0001_0100_0101;
  localparam logic [31:0] SIZES       = 32'b00000000_01010101_00001110_11111010;
  logic is_float, defined;
  assign is_float = FLOATS[element_i];
  assign defined  = element_i < 4'd12 && (is_float ? OF_FLOATS[operation_i] : OF_INTEGERS[operation_i]);
  always_comb begin
    ok_for_what_is_defined :
    assert (status_o == (defined ? mu_pkg::STATUS_OK : mu_pkg::STATUS_REDUCTION_UNDEFINED));
    no_unit_for_the_rest : assert ((path_o == mu_pkg::REDUCTION_PATH_UNDEFINED) == !defined);
    products_have_a_multiplier :
    assert ((path_o == mu_pkg::REDUCTION_PATH_PRODUCT) == (defined && operation_i == 4'd3));
    sums_of_floats_have_an_adder :
    assert ((path_o == mu_pkg::REDUCTION_PATH_SUM) == (defined && is_float && operation_i == 4'd2));
    if (element_i < 4'd12) begin
      elements_have_their_size : assert (size_log2_o == SIZES[element_i*2+:2]);
      floats_are_floats : assert (float_o == is_float);
      signed_are_integers : assert (signed_o == SIGNED[element_i]);
      if (is_float)
        floats_have_their_format :
        assert (format_o == (element_i == 4'd5 ? 2'd0 : element_i == 4'd4 ? 2'd1 :
                             element_i == 4'd10 ? 2'd2 : 2'd3));
    end
  end
`endif
endmodule
`default_nettype wire
