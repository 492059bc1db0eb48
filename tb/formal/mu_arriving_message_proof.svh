// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_arriving_message: while a message arrives, every packet of the watched queue that was taken
// before its last one is in memory, that one is not, and it does not hold the first bytes of the message.
  logic        past_q = 1'b0;
  logic [ 4:0] taken_q, kept_q;  // packets taken and stored, since there is nothing under way
  logic [ 4:0] last_q;           // the number of the last packet of the message
  logic [36:0] offset_q;
  logic [31:0] length_q;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!stores || kept_q != taken_q);
    assume (!takes || taken_q - kept_q != 5'd15);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni || resets) {taken_q, kept_q} <= '0;
    else begin
      taken_q <= taken_q + 5'(takes);
      kept_q  <= kept_q + 5'(stores);
      if (takes && take_end_i && !valid_o) {last_q, offset_q, length_q} <= {taken_q, take_offset_i, take_bytes_i};
    end
    if (past_q && rst_ni) begin
      counts_what_is_under_way : assert (under_way_q == 4'(taken_q - kept_q) && taken_q - kept_q <= 5'd15);
      if (valid_o) begin
        all_before_is_stored : assert (kept_q == last_q && taken_q != last_q);
        of_its_length : assert (bytes_o == length_q);
        the_first_bytes_are_there : assert (offset_q >= 37'(mu_pkg::PAYLOAD_BYTES));
      end
    end
  end
