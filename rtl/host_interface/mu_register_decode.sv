// SPDX-License-Identifier: Apache-2.0
// mu_register_decode: which unit answers an access, and in what form it is asked.
//
//   valid_i, address_i ---> [ ranges ] ---> select_o --------------------------+
//   write_i, strobe_i, data_i ---> [ one aligned word? ] ---> request_o, status_o
//
// Behaviour: while valid_i, either status_o is STATUS_OK and select_o has exactly one bit, or select_o is
//   zero and status_o says why: REGISTER_UNKNOWN for an address of no block or of a client that does not
//   exist, REGISTER_PARTIAL for a write whose strobes are not one aligned word of 4 or 8 bytes at or above
//   its address. request_o carries the write data of a 4-byte write in bits 31..0, in a client page the
//   offset in the page, else the whole address; of reads bits 1..0 of the address are dropped, of writes it
//   is where the strobes begin. Without valid_i all outputs are zero.
// Latency: combinational.
// Limits: ranges are whole blocks; what a block does not have at an address, it refuses itself.
`default_nettype none

module mu_register_decode (
    input  logic                      valid_i,
    input  logic                      write_i,
    input  logic [19:0]               address_i,
    input  logic [7:0]                strobe_i,
    input  logic [63:0]               data_i,
    output mu_pkg::register_units_t   select_o,
    output mu_pkg::register_request_t request_o,
    output mu_pkg::status_e           status_o
);
  logic                    page;   // of a client that exists
  logic                    wide;
  logic                    high;   // a 4-byte write of the upper half
  logic                    whole;  // one aligned word is written
  mu_pkg::register_units_t unit;   // that has registers there

  mu_register_select u_select (
      .valid_i,
      .page_i   (page),
      .address_i(page ? {8'd0, address_i[11:0]} : address_i),
      .select_o (unit)
  );

  always_comb begin
    page      = 1'b0;
    wide      = 1'b0;
    high      = 1'b0;
    whole     = 1'b0;
    request_o = '0;
    if (valid_i) begin
      page  = 32'(address_i[19:12]) < mu_pkg::CLIENTS;
      wide  = strobe_i == 8'hFF;
      high  = strobe_i == 8'hF0;
      whole = high ? address_i[2:0] <= 3'd4 : (wide || strobe_i == 8'h0F) && address_i[2:0] == 3'd0;

      request_o.write   = write_i;
      request_o.wide    = write_i && wide;
      request_o.page    = page;
      request_o.client  = page ? address_i[15:12] : '0;
      request_o.address = {page ? 8'd0 : address_i[19:12], address_i[11:3],
                           write_i ? high : address_i[2], 2'b00};
      if (write_i) request_o.data = high ? 64'(data_i[63:32]) : wide ? data_i : 64'(data_i[31:0]);
    end
  end

  always_comb begin
    select_o = '0;
    status_o = mu_pkg::STATUS_OK;
    if (valid_i && unit == '0) status_o = mu_pkg::STATUS_REGISTER_UNKNOWN;
    else if (valid_i && write_i && !whole) status_o = mu_pkg::STATUS_REGISTER_PARTIAL;
    else select_o = unit;
  end

`ifdef PROVE_MU_REGISTER_DECODE
  always_comb begin
    at_most_one_block : assert ($onehot0(select_o));
    a_block_or_a_reason : assert (!valid_i || (select_o != '0) == (status_o == mu_pkg::STATUS_OK));
    silent_without_an_access : assert (valid_i || (select_o == '0 && request_o == '0));
    pages_hold_their_offset : assert (!request_o.page || request_o.address < 20'h01000);
    client_exists : assert (select_o == '0 || 32'(request_o.client) < mu_pkg::CLIENTS);
    reads_carry_no_data : assert (request_o.write || request_o.data == '0);
  end
`endif
endmodule
`default_nettype wire
