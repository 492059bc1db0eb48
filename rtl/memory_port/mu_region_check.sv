// SPDX-License-Identifier: Apache-2.0
// mu_region_check: may this access touch these bytes of a region, and where do they lie in memory?
//
//   entry_i, offset_i, bytes_i, access_i, client_i ---> [ three tests ] ---> status_o, address_o
//
// Behaviour: status_o is STATUS_OK exactly when the region is enabled, the access is permitted, and every one
//   of the bytes lies inside the region; then address_o is that of the first. Otherwise the first of
//   REGION_INVALID, PERMISSION, REGION_BOUNDS that applies, and address_o means nothing. access_i 0, local
//   read: the owner only. 1, remote write: remote_write. 2, remote read: remote_read, for whoever asks. 3,
//   write on behalf of a getter: the owner only.
// Latency: combinational.
// Limits: an enabled region lies inside the 40-bit address space, as mu_region_table gives it. The sum is one
//   bit wider than its operands, so no input wraps. No bytes at all are in bounds up to and including the end
//   of the region.
`default_nettype none

module mu_region_check (
    input  mu_pkg::region_entry_t entry_i,
    input  logic [36:0]           offset_i,
    input  logic [37:0]           bytes_i,
    input  logic [1:0]            access_i,
    input  logic [3:0]            client_i,
    output mu_pkg::status_e       status_o,
    output mu_pkg::address_t      address_o
);
  localparam logic [1:0] ACCESS_REMOTE_WRITE = 2'd1;
  localparam logic [1:0] ACCESS_REMOTE_READ  = 2'd2;

  logic        permitted;
  logic [38:0] end_offset;  // behind the last byte, in the region

  assign end_offset = 39'(offset_i) + 39'(bytes_i);
  assign address_o  = entry_i.base + 40'(offset_i);

  always_comb begin
    unique case (access_i)
      ACCESS_REMOTE_WRITE: permitted = entry_i.remote_write;
      ACCESS_REMOTE_READ:  permitted = entry_i.remote_read;
      default:             permitted = entry_i.owner == client_i;
    endcase
  end

  always_comb begin
    if (!entry_i.enable) status_o = mu_pkg::STATUS_REGION_INVALID;
    else if (!permitted) status_o = mu_pkg::STATUS_PERMISSION;
    else if (end_offset > 39'(entry_i.length)) status_o = mu_pkg::STATUS_REGION_BOUNDS;
    else status_o = mu_pkg::STATUS_OK;
  end

`ifdef PROVE_MU_REGION_CHECK
  // Any byte of the transfer, counted from its first.
  (* anyconst *) logic [37:0] byte_number;
  logic [63:0] byte_offset;   // of that byte in the region
  logic [63:0] byte_address;  // and in memory
  logic [63:0] last_offset;
  logic        may;
  assign byte_offset  = 64'(offset_i) + 64'(byte_number);
  assign byte_address = 64'(entry_i.base) + byte_offset;
  assign last_offset  = 64'(offset_i) + 64'(bytes_i) - 64'd1;
  assign may          = (access_i == 2'd1 && entry_i.remote_write) ||
                        (access_i == 2'd2 && entry_i.remote_read) ||
                        ((access_i == 2'd0 || access_i == 2'd3) && entry_i.owner == client_i);
  always_comb begin
    assume (!entry_i.enable || 64'(entry_i.base) + 64'(entry_i.length) <= 64'h100_0000_0000);
    if (status_o == mu_pkg::STATUS_OK) begin
      only_what_is_permitted : assert (entry_i.enable && may);
      if (byte_number < bytes_i) begin
        every_byte_in_the_region : assert (byte_offset < 64'(entry_i.length));
        every_byte_in_memory : assert (byte_address < 64'h100_0000_0000);
        bytes_follow_the_address : assert (byte_address == 64'(address_o) + 64'(byte_number));
      end
    end
    if (entry_i.enable && may && bytes_i != '0 && last_offset < 64'(entry_i.length))
      accepts_what_is_in_bounds : assert (status_o == mu_pkg::STATUS_OK);
  end
`endif
endmodule
`default_nettype wire
