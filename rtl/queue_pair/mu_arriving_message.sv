// SPDX-License-Identifier: Apache-2.0
// mu_arriving_message: tells a PIPE of a message whose last packet alone is on its way to the memory.
//
//   packets taken of the receive queue that is watched ---> [ under way ] ---> valid (bytes of the message)
//   packets stored, resets ----------------------------------^
//
// Behaviour: valid_o from the cycle after the last packet of a message was taken until that packet is stored,
//   if then every packet taken before it was in memory, all ends before its own had been told, and the packet
//   does not begin within the first PAYLOAD_BYTES of the message: so these are in memory.
//   Nothing after a reset of the queue until a message arrives anew, nor while no queue is watched.
// Latency: taken to valid, and stored to invalid, one cycle.
// Limits: less than 16 packets of the queue under way to the memory (asserted). stored_i is only for packets
//   of messages that no reset has taken away.
`default_nettype none

module mu_arriving_message (
    input  logic        clk_i,
    input  logic        rst_ni,
    output logic        busy_o,         // something is to be forgotten when the queue is watched no more
    // PIPE
    input  logic        watch_i,
    input  logic [ 7:0] watch_queue_i,
    output logic        valid_o,
    output logic [31:0] bytes_o,        // while valid_o is high
    // packets of SENDs
    input  logic        take_i,
    input  logic [ 7:0] take_queue_i,
    input  logic        take_end_i,     // the last of its message
    input  logic [36:0] take_offset_i,  // bytes of the message before it
    input  logic [31:0] take_bytes_i,   // bytes of the message with it
    input  logic        untold_i,       // an end of take_queue_i has not been told
    input  logic        stored_i,
    input  logic [ 7:0] stored_queue_i,
    input  logic        reset_i,
    input  logic [ 7:0] reset_queue_i
);
  logic [3:0] under_way_q;
  logic valid_q;
  logic [31:0] bytes_q;
  logic takes, stores, resets, arrives;

  assign takes   = watch_i && take_i && take_queue_i == watch_queue_i;
  assign stores  = watch_i && stored_i && stored_queue_i == watch_queue_i;
  assign resets  = !watch_i || (reset_i && reset_queue_i == watch_queue_i);
  assign arrives = takes && take_end_i && under_way_q == '0 && !untold_i &&
      take_offset_i >= 37'(mu_pkg::PAYLOAD_BYTES);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || resets) begin
      under_way_q <= '0;
      valid_q     <= 1'b0;
    end else begin
      if (takes != stores) under_way_q <= takes ? under_way_q + 4'd1 : under_way_q - 4'd1;
      if (arrives) valid_q <= 1'b1;
      else if (stores) valid_q <= 1'b0;  // it was the oldest under way
    end
    if (arrives) bytes_q <= take_bytes_i;
  end
  assign busy_o  = valid_q || under_way_q != '0;
  assign valid_o = valid_q;
  assign bytes_o = bytes_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      counts_to_fifteen : assert (!takes || stores || under_way_q != '1);
      stores_what_was_taken : assert (!stores || resets || under_way_q != '0);
      arrives_under_way : assert (!valid_q || under_way_q != '0);
    end
  end

`ifdef PROVE_MU_ARRIVING_MESSAGE
  // What is proved of mu_arriving_message: while a message arrives, every packet of the watched queue that
  // was taken before its last one is in memory, that one is not, and it does not hold the first bytes of the
  // message.
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
      if (takes && take_end_i &&
          !valid_o) {last_q, offset_q, length_q} <= {taken_q, take_offset_i, take_bytes_i};
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
`endif
endmodule
`default_nettype wire
