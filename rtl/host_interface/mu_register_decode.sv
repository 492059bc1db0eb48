// SPDX-License-Identifier: Apache-2.0
// mu_register_decode: which block answers an access, and in what form it is asked.
//
//   valid_i, write_i, address_i, strobe_i, data_i ---> [ ranges, strobes ] ---> select_o, request_o, status_o
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

module mu_register_decode #(
    localparam int unsigned SELECTS = 14
) (
    input  logic                      valid_i,
    input  logic                      write_i,
    input  logic [19:0]               address_i,
    input  logic [7:0]                strobe_i,
    input  logic [63:0]               data_i,
    output logic [SELECTS-1:0]        select_o,   // bits 0 to 10 the blocks outside, 11 to 13 those inside
    output mu_pkg::register_request_t request_o,
    output mu_pkg::status_e           status_o
);
  localparam int unsigned QUEUE       = 0;
  localparam int unsigned FIFO        = 1;
  localparam int unsigned COUNTERS    = 2;
  localparam int unsigned REGIONS     = 3;
  localparam int unsigned TOUCH       = 4;
  localparam int unsigned NOTICE      = 5;
  localparam int unsigned PERFORMANCE = 6;
  localparam int unsigned REFLECTION  = 7;
  localparam int unsigned INTERRUPT   = 8;
  localparam int unsigned ENTRIES     = 9;
  localparam int unsigned BOOT        = 10;
  localparam int unsigned PUSH        = 11;
  localparam int unsigned NODE        = 12;
  localparam int unsigned ERRORS      = 13;

  logic               page;         // of a client that exists
  logic [19:0]        offset;       // in a client page, or in the node block
  logic               wide;
  logic               high;         // a 4-byte write of the upper half
  logic               whole;        // one aligned word is written

  always_comb begin
    page      = 1'b0;
    offset    = '0;
    wide      = 1'b0;
    high      = 1'b0;
    whole     = 1'b0;
    select_o  = '0;
    request_o = '0;
    status_o  = mu_pkg::STATUS_OK;
    if (valid_i) begin
      page   = 32'(address_i[19:12]) < mu_pkg::CLIENTS;
      offset = {8'd0, address_i[11:0]};
      wide   = strobe_i == 8'hFF;
      high   = strobe_i == 8'hF0;
      whole  = high ? address_i[2:0] <= 3'd4 : (wide || strobe_i == 8'h0F) && address_i[2:0] == 3'd0;

      request_o.write   = write_i;
      request_o.wide    = write_i && wide;
      request_o.page    = page;
      request_o.client  = page ? address_i[15:12] : '0;
      request_o.address = {page ? 8'd0 : address_i[19:12], address_i[11:3],
                           write_i ? high : address_i[2], 2'b00};
      if (write_i) request_o.data = high ? 64'(data_i[63:32]) : wide ? data_i : 64'(data_i[31:0]);

      if (page) begin
        if (offset < mu_pkg::REG_CLIENT_PAGE_FIFO_INDEX) select_o[QUEUE] = 1'b1;
        else if (offset < mu_pkg::REG_CLIENT_PAGE_PUSH_DATA) select_o[FIFO] = 1'b1;
        else if (offset < mu_pkg::REG_CLIENT_PAGE_INTERRUPT_CAUSE) select_o[PUSH] = 1'b1;
        else if (offset < mu_pkg::REG_CLIENT_PAGE_NOTICE_TAIL) select_o[INTERRUPT] = 1'b1;
        else if (offset < mu_pkg::REG_CLIENT_PAGE_PAGE_STATUS) select_o[NOTICE] = 1'b1;
        else if (offset < mu_pkg::REG_CLIENT_PAGE_TOUCH_HITS) select_o[ERRORS] = 1'b1;
        else if (offset < mu_pkg::REG_CLIENT_PAGE_TOUCH_HITS + 20'd8) select_o[TOUCH] = 1'b1;
        else if (offset >= mu_pkg::REG_CLIENT_PAGE_EVENT_COUNTER) select_o[COUNTERS] = 1'b1;
        else if (offset >= mu_pkg::REG_CLIENT_PAGE_COMPLETION_INDEX) select_o[ENTRIES] = 1'b1;
      end else if (address_i < mu_pkg::BLOCK_NODE_BASE) select_o = '0;
      else if (address_i < mu_pkg::BLOCK_NODE_BASE + mu_pkg::BLOCK_NODE_STRIDE) begin
        if (offset < mu_pkg::REG_NODE_REGISTER_ERRORS || offset >= mu_pkg::REG_NODE_SEND_RETRY_CYCLES)
          select_o[NODE] = 1'b1;
        else select_o[ERRORS] = 1'b1;
      end else if (address_i < mu_pkg::BLOCK_INJECTION_QUEUE_BASE) select_o = '0;
      else if (address_i < mu_pkg::BLOCK_RECEPTION_FIFO_BASE) select_o[QUEUE] = 1'b1;
      else if (address_i < mu_pkg::BLOCK_COMPLETION_QUEUE_BASE) select_o[FIFO] = 1'b1;
      else if (address_i < mu_pkg::BLOCK_BYTE_COUNTER_CONFIG_BASE) select_o[ENTRIES] = 1'b1;
      else if (address_i < mu_pkg::BLOCK_REGION_BASE) select_o[COUNTERS] = 1'b1;
      else if (address_i < mu_pkg::BLOCK_TOUCH_RANGE_BASE) select_o[REGIONS] = 1'b1;
      else if (address_i < mu_pkg::BLOCK_NOTICE_RING_BASE) select_o[TOUCH] = 1'b1;
      else if (address_i < mu_pkg::BLOCK_PERFORMANCE_BASE) select_o[NOTICE] = 1'b1;
      else if (address_i < mu_pkg::BLOCK_REFLECTION_BASE) select_o[PERFORMANCE] = 1'b1;
      else if (address_i < mu_pkg::BLOCK_REFLECTION_BASE + 20'h01000) select_o[REFLECTION] = 1'b1;
      else if (address_i < mu_pkg::BLOCK_BOOT_BUFFER_BASE + 20'h01000) select_o[BOOT] = 1'b1;

      if (select_o == '0) status_o = mu_pkg::STATUS_REGISTER_UNKNOWN;
      else if (write_i && !whole) begin
        select_o = '0;
        status_o = mu_pkg::STATUS_REGISTER_PARTIAL;
      end
    end
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
