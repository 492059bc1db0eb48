// SPDX-License-Identifier: Apache-2.0
// mu_memory_writer: turns write commands of any alignment into AXI bursts with byte strobes.
//
//   command (valid/ready/data) --> [ split at 4 KiB ] --> write address (valid/ready)
//   beats (valid/ready/data) --> [ rotate, merge ] --> [ skid buffer ] --> write data (valid/ready)
//                             command --> pending (valid/ready): what the tracker needs to know
//
// Behaviour: for each command ceil(bytes / 32) beats are taken, byte 0 first; exactly the bytes [address,
//   address + bytes) are strobed, each once, with the data of the beats in order. A command makes one
//   burst, or two where it crosses 4 KiB; data of a burst never leaves before its address was offered.
//   active_o is high from the cycle after a command was taken until its last beat is in the skid buffer. Of
//   no bytes one beat is taken and nothing goes out: the tracker alone learns of it (pending_none_o), so
//   that what it stands for keeps its place among the others.
// Latency: address valid one cycle after the command, first data two; one beat a cycle, one cycle between
//   commands. All outputs of the AXI channels are registered.
// Limits: 0 to 544 bytes; address plus bytes at most 2^40 (else the address wraps).
`default_nettype none

module mu_memory_writer (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // the writer being served
    input  logic                 command_valid_i,
    output logic                 command_ready_o,
    input  mu_pkg::address_t     command_address_i,
    input  logic [9:0]           command_bytes_i,
    input  logic                 beat_valid_i,
    output logic                 beat_ready_o,
    input  mu_pkg::memory_word_t beat_data_i,
    output logic                 active_o,
    // tracker of outstanding writes: takes the command in the same cycle
    output logic                 pending_valid_o,
    input  logic                 pending_ready_i,
    output logic                 pending_two_bursts_o,
    output logic                 pending_none_o,
    // write address channel, in beats of 32 bytes
    output logic                 address_valid_o,
    input  logic                 address_ready_i,
    output logic [34:0]          address_o,
    output logic [4:0]           address_beats_o,
    // write data channel
    output logic                 data_valid_o,
    input  logic                 data_ready_i,
    output mu_pkg::memory_word_t data_o,
    output logic [31:0]          data_strobe_o,
    output logic                 data_last_o,
    output logic                 busy_o
);
  // --- the command ---
  logic [4:0]  beats;            // 32-byte words written, 1 to 18
  logic [7:0]  end_word;         // behind the last, counted from the beginning of the page: 1 to 145
  logic [4:0]  first_beats;      // of the first burst
  logic        crosses;
  logic        taken;
  logic        active_q;
  logic        second_valid_q;   // the address of the second burst is still to be offered
  logic        address_valid_q;
  logic [34:0] address_q;
  logic [4:0]  address_beats_q;
  logic [27:0] second_page_q;
  logic [4:0]  second_beats_q;

  always_comb begin
    end_word = '0;
    if (command_valid_i) end_word = 8'((13'(command_address_i[11:0]) + 13'(command_bytes_i) + 13'd31) >> 5);
  end
  assign beats           = end_word[4:0] - command_address_i[9:5];
  assign crosses         = end_word[7] && end_word[6:0] != '0 && !pending_none_o;
  assign first_beats     = crosses ? -command_address_i[9:5] : beats;
  assign command_ready_o = !active_q && !second_valid_q && !address_valid_q && pending_ready_i;
  assign taken           = command_valid_i && command_ready_o;
  assign active_o        = active_q;
  assign pending_valid_o = taken;
  assign pending_two_bursts_o = crosses;
  assign pending_none_o  = command_bytes_i == '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      address_valid_q <= 1'b0;
      second_valid_q  <= 1'b0;
    end else begin
      if (taken) second_valid_q <= crosses;
      else if (!address_valid_q) second_valid_q <= 1'b0;
      if (!address_valid_q) address_valid_q <= (taken && !pending_none_o) || second_valid_q;
      else if (address_ready_i) address_valid_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (taken) begin
      address_q       <= command_address_i[39:5];
      address_beats_q <= first_beats;
      second_page_q   <= command_address_i[39:12] + 1'b1;
      second_beats_q  <= end_word[4:0];
    end else if (!address_valid_q && second_valid_q) begin
      address_q       <= {second_page_q, 7'd0};
      address_beats_q <= second_beats_q;
    end
  end
  assign address_valid_o = address_valid_q;
  assign address_o       = address_q;
  assign address_beats_o = address_beats_q;

  // --- the data ---
  logic [4:0]           offset_q;       // of the first byte in its word
  logic [4:0]           tail_q;         // of the last byte in its word
  logic [4:0]           source_left_q;  // beats still to be taken
  logic [4:0]           left_q;         // words still to be written
  logic [4:0]           burst_left_q;   // of these, in the current burst
  logic                 first_q;
  logic                 empty_q;  // nothing is written
  mu_pkg::memory_word_t carry_q;  // the beat before, rotated
  logic                 out_ready;
  logic                 step;
  logic                 last;
  logic                 burst_last;
  mu_pkg::memory_word_t rotated;  // the beat, up by the offset
  mu_pkg::memory_word_t carried;  // bits of the word that are of the beat before
  mu_pkg::memory_word_t word;
  logic [31:0]          strobe;

  assign last         = left_q == 5'd1;
  assign burst_last   = burst_left_q == 5'd1;
  assign step         = active_q && out_ready && (beat_valid_i || source_left_q == '0) && burst_left_q != '0;
  assign beat_ready_o = active_q && out_ready && source_left_q != '0 && burst_left_q != '0;

  always_comb begin
    rotated = beat_data_i;
    if (offset_q[0]) rotated = {rotated[247:0], rotated[255:248]};
    if (offset_q[1]) rotated = {rotated[239:0], rotated[255:240]};
    if (offset_q[2]) rotated = {rotated[223:0], rotated[255:224]};
    if (offset_q[3]) rotated = {rotated[191:0], rotated[255:192]};
    if (offset_q[4]) rotated = {rotated[127:0], rotated[255:128]};
  end
  assign carried = ~({256{1'b1}} << {offset_q, 3'd0});
  assign word    = (carry_q & carried) | (rotated & ~carried);
  always_comb begin
    strobe = '1;
    if (first_q) strobe = strobe & (32'hFFFF_FFFF << offset_q);
    if (last) strobe = strobe & (32'hFFFF_FFFF >> (5'd31 - tail_q));
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
    end else if (taken) begin
      active_q <= 1'b1;
    end else if (step && last) begin
      active_q <= 1'b0;
    end
  end
  // The second burst's data waits (burst_left_q zero) until its address stands in the address register.
  always_ff @(posedge clk_i) begin
    if (taken) begin
      offset_q      <= command_address_i[4:0];
      tail_q        <= command_address_i[4:0] + command_bytes_i[4:0] - 1'b1;
      source_left_q <= pending_none_o ? 5'd1 : 5'((11'(command_bytes_i) + 11'd31) >> 5);
      empty_q       <= pending_none_o;
      left_q        <= pending_none_o ? 5'd1 : beats;
      burst_left_q  <= pending_none_o ? 5'd1 : first_beats;
      first_q       <= 1'b1;
    end else begin
      if (step) begin
        if (source_left_q != '0) source_left_q <= source_left_q - 1'b1;
        left_q  <= left_q - 1'b1;
        first_q <= 1'b0;
        carry_q <= rotated;
      end
      if (step) burst_left_q <= burst_last && !second_valid_q ? left_q - 1'b1 : burst_left_q - 1'b1;
      else if (active_q && burst_left_q == '0 && !second_valid_q) burst_left_q <= left_q;
    end
  end

  mu_skid_buffer #(
      .WIDTH(1 + 32 + 256)
  ) u_data (
      .clk_i,
      .rst_ni,
      .in_valid_i (step && !empty_q),
      .in_ready_o (out_ready),
      .in_data_i  ({burst_last, strobe, word}),
      .out_valid_o(data_valid_o),
      .out_ready_i(data_ready_i),
      .out_data_o ({data_last_o, data_strobe_o, data_o})
  );

  assign busy_o = active_q || second_valid_q || address_valid_q || data_valid_o;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (command_valid_i) legal_size : assert (command_bytes_i <= 10'd544);
      if (address_valid_q) begin
        burst_stays_in_its_page : assert (8'(address_q[6:0]) + 8'(address_beats_q) <= 8'd128);
      end
      if (active_q) words_are_left : assert (left_q != '0 && burst_left_q <= left_q);
      if (active_q) sources_suffice : assert (source_left_q <= left_q && source_left_q + 5'd1 >= left_q);
      if (step && last) ends_with_a_burst : assert (burst_last);
      if (step) strobes_something : assert (strobe != '0 || empty_q);
    end
  end

`ifdef PROVE_MU_MEMORY_WRITER
  // What was promised for the command, and what has left for it, in words of the data channel.
  logic       past_q = 1'b0;
  logic [4:0] promised_q;
  logic [4:0] sources_q;
  logic [4:0] moved_q;
  logic [4:0] taken_q;
  logic [1:0] owed_q;  // bursts that the tracker was told of, and whose addresses are not taken
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (command_bytes_i <= 10'd544);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) owed_q <= '0;
    else begin
      owed_q <= owed_q + (!taken || pending_none_o ? 2'd0 : pending_two_bursts_o ? 2'd2 : 2'd1) -
          2'(address_valid_o && address_ready_i);
    end
    if (taken) begin
      promised_q <= pending_none_o ? 5'd1 : beats;
      sources_q  <= pending_none_o ? 5'd1 : 5'((11'(command_bytes_i) + 11'd31) >> 5);
      moved_q    <= '0;
      taken_q    <= '0;
    end else begin
      if (step) moved_q <= moved_q + 1'b1;
      if (beat_valid_i && beat_ready_o) taken_q <= taken_q + 1'b1;
    end
    if (past_q && rst_ni) begin
      addresses_are_those_told : assert (owed_q == 2'(address_valid_q) + 2'(second_valid_q));
      if (pending_valid_o) told_only_with_room : assert (pending_ready_i);
    end
    if (past_q && rst_ni && active_q) begin
      words_left_are_those_promised : assert (moved_q + left_q == promised_q);
      sources_left_are_those_promised : assert (taken_q + source_left_q == sources_q);
      one_word_more_at_most : assert (promised_q == sources_q || promised_q == sources_q + 5'd1);
      if (empty_q) nothing_goes_out : assert (promised_q == 5'd1 && !address_valid_q && !second_valid_q);
      if (second_valid_q) no_data_before_its_address : assert (left_q >= second_beats_q);
      if (out_ready && beat_valid_i && !second_valid_q && burst_left_q != '0) goes_on : assert (step);
    end
  end
`endif
endmodule
`default_nettype wire
