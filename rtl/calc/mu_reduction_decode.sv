// SPDX-License-Identifier: Apache-2.0
// mu_reduction_decode: which unit of the reduction ALU an operation on elements of a type needs, if it is
// defined.
//
//   operation_i, element_i ---> path_o {SIMPLE, SUM, PRODUCT, UNDEFINED}, wide_o, status_o
//
// Behaviour: status_o is STATUS_OK exactly when operation and type exist and the operation is defined for the
//   type: logical and bit-wise operations are for integers. Otherwise it is STATUS_REDUCTION_UNDEFINED and
//   path_o REDUCTION_PATH_UNDEFINED. wide_o: the elements have 64 bits; low for a type that does not exist.
// Latency: combinational.
// Limits: any input.
`default_nettype none

module mu_reduction_decode (
    input  logic [3:0] operation_i,  // mu_pkg::reduction_e
    input  logic [2:0] element_i,    // mu_pkg::element_e
    output logic [1:0] path_o,       // mu_pkg::reduction_path_e
    output logic       wide_o,
    output mu_pkg::status_e status_o
);
  logic exists;
  logic is_float;
  assign exists   = operation_i <= mu_pkg::REDUCTION_MINLOC && element_i <= mu_pkg::ELEMENT_F64;
  assign is_float = element_i == mu_pkg::ELEMENT_F32 || element_i == mu_pkg::ELEMENT_F64;
  assign wide_o   = element_i == mu_pkg::ELEMENT_I64 || element_i == mu_pkg::ELEMENT_U64 ||
                    element_i == mu_pkg::ELEMENT_F64;
  assign status_o = path_o == mu_pkg::REDUCTION_PATH_UNDEFINED ? mu_pkg::STATUS_REDUCTION_UNDEFINED
                                                               : mu_pkg::STATUS_OK;
  always_comb begin
    if (!exists) path_o = mu_pkg::REDUCTION_PATH_UNDEFINED;
    else begin
      unique case (operation_i)
        mu_pkg::REDUCTION_MAX, mu_pkg::REDUCTION_MIN, mu_pkg::REDUCTION_MAXLOC, mu_pkg::REDUCTION_MINLOC:
        path_o = mu_pkg::REDUCTION_PATH_SIMPLE;
        mu_pkg::REDUCTION_SUM:
        path_o = is_float ? mu_pkg::REDUCTION_PATH_SUM : mu_pkg::REDUCTION_PATH_SIMPLE;
        mu_pkg::REDUCTION_PROD: path_o = mu_pkg::REDUCTION_PATH_PRODUCT;
        default: path_o = is_float ? mu_pkg::REDUCTION_PATH_UNDEFINED : mu_pkg::REDUCTION_PATH_SIMPLE;
      endcase
    end
  end

`ifdef PROVE_MU_REDUCTION_DECODE
  // What is proved of mu_reduction_decode: for each type the operations of MPI that it takes, as a list, and
  // no others; what takes more than a cycle is a product, or a sum of floats.
  localparam logic [15:0] OF_INTEGERS = 16'b0000_1111_1111_1111;
  localparam logic [15:0] OF_FLOATS   = 16'b0000_1100_0000_1111;  // no logic, no bits
  logic integers, floats, defined;
  assign integers = element_i < 3'd4;
  assign floats   = element_i == 3'd4 || element_i == 3'd5;
  assign defined  = (integers && OF_INTEGERS[operation_i]) || (floats && OF_FLOATS[operation_i]);
  always_comb begin
    ok_for_what_is_defined :
    assert (status_o == (defined ? mu_pkg::STATUS_OK : mu_pkg::STATUS_REDUCTION_UNDEFINED));
    no_unit_for_the_rest : assert ((path_o == mu_pkg::REDUCTION_PATH_UNDEFINED) == !defined);
    products_have_a_multiplier :
    assert ((path_o == mu_pkg::REDUCTION_PATH_PRODUCT) == (defined && operation_i == 4'd3));
    sums_of_floats_have_an_adder :
    assert ((path_o == mu_pkg::REDUCTION_PATH_SUM) == (defined && floats && operation_i == 4'd2));
    wide_elements_have_64_bits :
    assert (wide_o == (element_i == 3'd2 || element_i == 3'd3 || element_i == 3'd5));
  end
`endif
endmodule
`default_nettype wire
