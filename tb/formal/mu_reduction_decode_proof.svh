// SPDX-License-Identifier: Apache-2.0
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
