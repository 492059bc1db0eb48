// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_descriptor_check: OK exactly for what the rules allow, and otherwise the first
// status that applies. The rules are written here by opcode: which fields it uses, how long it may be,
// where it may stand.
  logic [7:0] opcode_here;
  mu_pkg::descriptor_t uses;               // ones in the fields that this opcode, here, may set
  logic put, fifo, get, adds, sets, wait_for, send, receive, pipe, fence, enable;
  logic sends_bytes, reads_memory, network, remote_get, reflection;
  logic length_zero, too_long, bad_counter, elsewhere, outside, past_the_end;
  logic counter_2_good, counter_3_good;
  logic [11:0] breaks;   // the rules that it breaks, the first lowest
  logic [11:0] first;
  logic [7:0]  expected;
  logic [63:0] most;
  assign put        = opcode_here == 8'd1;
  assign fifo       = opcode_here == 8'd2;
  assign get        = opcode_here == 8'd3;
  assign adds       = opcode_here == 8'd4;
  assign sets       = opcode_here == 8'd5;
  assign wait_for   = opcode_here == 8'd6;
  assign enable     = opcode_here == 8'd7 || opcode_here == 8'd11;
  assign send       = opcode_here == 8'd9;
  assign receive    = opcode_here == 8'd10;
  assign pipe       = opcode_here == 8'd12;
  assign fence      = opcode_here == 8'd13;
  assign opcode_here    = descriptor_i.opcode;
  assign remote_get     = mode_i == mu_pkg::QUEUE_MODE_REMOTE_GET;
  assign reflection     = mode_i == mu_pkg::QUEUE_MODE_REFLECTION;
  assign network        = remote_get || reflection;
  assign sends_bytes    = put || fifo || get || send;
  assign reads_memory   = (sends_bytes && !descriptor_i.immediate_valid) || receive || pipe;
  assign counter_2_good = lookup_2_enable_i && lookup_2_owner_i == owner_i;
  assign counter_3_good = lookup_3_enable_i && lookup_3_owner_i == owner_i;
  always_comb begin
    uses = '1;
    {uses.reserved_47, uses.reserved_109, uses.reserved_165, uses.reserved_184, uses.reserved_224} = '0;
    uses.reflection_number = {16{reflection}};
    {uses.header.reserved_121, uses.header.bytes, uses.header.on_behalf, uses.header.reply} = '0;
    uses.header.kind = mu_pkg::KIND_NONE;
    {uses.header.client, uses.header.src_x, uses.header.src_y, uses.header.src_z} = {16{network}};
    {uses.done_event_valid, uses.interrupt_done, uses.signal} = {3{!network}};
    uses.injection_counter_valid = (put || fifo || get) && !network;
    uses.reflect                 = get;
    uses.on_queue                = wait_for;
    uses.relative                = wait_for || enable;
    {uses.operands, uses.reduction, uses.element} = {12{opcode_here == 8'd8}};
    if (pipe || (send && !peer_dynamic_i))
      {uses.header.dst_x, uses.header.dst_y, uses.header.dst_z, uses.header.target} = '0;
    if (pipe || send) uses.header.offset = '0;
    if (wait_for) uses.immediate = {64'd0, 64'hFFFF_FFFF_FFFF_FFFF};
    if (enable) uses.immediate = {96'd0, 32'hFFFF_FFFF};
    if (pipe) uses.immediate = {56'd0, 72'hFF_FFFF_FFFF_FFFF_FFFF};
    if (pipe || receive || fence) uses.immediate_valid = 1'b0;
    if (receive || fence) {uses.counter_valid, uses.event_valid, uses.interrupt_target} = 3'd0;

    most = 64'h1F_FFFF_FFFF;
    if (get) most = descriptor_i.reflect ? 64'd64 : 64'd512;
    if (send) most = 64'hFFFF_FFFF;
    if (descriptor_i.immediate_valid) most = 64'd16;
    length_zero = descriptor_i.length == '0 && (sends_bytes || receive || pipe);
    if (put && descriptor_i.immediate_valid && descriptor_i.event_valid && !network) length_zero = 1'b0;
    if (pipe && (descriptor_i.immediate[31:0] == '0 ||
        descriptor_i.immediate[63:32] == '0)) length_zero = 1'b1;
    too_long = sends_bytes && 64'(descriptor_i.length) > most;
    if (get && descriptor_i.length[5:0] != '0) too_long = 1'b1;
    if (fence) too_long = descriptor_i.length != '0;
    if (pipe) too_long = 64'(descriptor_i.immediate[63:32]) > 64'(descriptor_i.length);

    elsewhere = {descriptor_i.header.dst_z, descriptor_i.header.dst_y, descriptor_i.header.dst_x} !=
        {descriptor_i.header.src_z, descriptor_i.header.src_y, descriptor_i.header.src_x};
    outside = descriptor_i.header.dst_x > straps_i.last_x || descriptor_i.header.dst_y > straps_i.last_y ||
        descriptor_i.header.dst_z > straps_i.last_z;
    past_the_end = 64'(descriptor_i.header.offset) + 64'(descriptor_i.length) > 64'h20_0000_0000;

    bad_counter = 1'b0;
    if (descriptor_i.injection_counter_valid || adds || sets) bad_counter = !counter_2_good;
    if ((adds || sets) && descriptor_i.counter_valid == descriptor_i.event_valid) bad_counter = 1'b1;
    if (wait_for && (descriptor_i.counter_valid || descriptor_i.event_valid == descriptor_i.on_queue))
      bad_counter = 1'b1;
    if (wait_for && !descriptor_i.on_queue && !counter_2_good) bad_counter = 1'b1;
    if ((descriptor_i.done_event_valid || (peer_event_valid_i && (send || receive || pipe))) &&
        !counter_3_good)
      bad_counter = 1'b1;

    breaks     = '0;
    breaks[0]  = length_zero;
    breaks[1]  = too_long;
    breaks[2]  = receive ? mode_i != mu_pkg::QUEUE_MODE_RECEIVE : mode_i == mu_pkg::QUEUE_MODE_RECEIVE;
    if (remote_get && !(opcode_here == 8'd0 || put || fifo)) breaks[2] = 1'b1;
    if (reflection && !(opcode_here == 8'd0 || ((put || fifo) && descriptor_i.immediate_valid)))
      breaks[2] = 1'b1;
    breaks[3]  = ((send || pipe) && !peer_connected_i) || (pipe && peer_dynamic_i);
    breaks[4]  = (send || pipe) && send_broken_i;
    breaks[5]  = (sends_bytes || fence) && network && elsewhere;
    breaks[6]  = (sends_bytes || fence) && !descriptor_i.reflect && outside;
    breaks[7]  = (sends_bytes || fence) && past_the_end;
    breaks[8]  = reads_memory && region_status_i != mu_pkg::STATUS_OK;
    breaks[9]  = bad_counter;
    breaks[10] = sets && descriptor_i.event_valid && lookup_2_waited_i;
    breaks[11] = descriptor_i.reflect && descriptor_i.header.target > 8'd7;
    first      = breaks & (~breaks + 12'd1);
    expected   = mu_pkg::STATUS_OK;
    if (first[0]) expected = mu_pkg::STATUS_LENGTH_ZERO;
    if (first[1]) expected = mu_pkg::STATUS_LENGTH_TOO_LONG;
    if (first[2]) expected = mu_pkg::STATUS_OPCODE_FORBIDDEN;
    if (first[3]) expected = mu_pkg::STATUS_QUEUE_INVALID;
    if (first[4]) expected = mu_pkg::STATUS_RETRY_EXCEEDED;
    if (first[5]) expected = mu_pkg::STATUS_TARGET_FORBIDDEN;
    if (first[6]) expected = mu_pkg::STATUS_UNREACHABLE;
    if (first[7]) expected = mu_pkg::STATUS_REGION_BOUNDS;
    if (first[8]) expected = region_status_i;
    if (first[9]) expected = mu_pkg::STATUS_COUNTER_INVALID;
    if (first[10]) expected = mu_pkg::STATUS_COUNTER_WAITED;
    if (first[11]) expected = mu_pkg::STATUS_NO_REFLECTOR;
    if ((descriptor_i & ~uses) != '0) expected = mu_pkg::STATUS_RESERVED_BITS;
    if (opcode_here > 8'd13) expected = mu_pkg::STATUS_UNKNOWN_OPCODE;
    if (error_i) expected = mu_pkg::STATUS_MEMORY_ERROR;
    if (enable_i) begin
      the_first_that_applies : assert (status_o == expected);
      kind_is_what_was_asked_for :
      assert (kind_o == (put ? 4'd1 : fifo ? 4'd2 : get ? 4'd3 : send ? 4'd7 : fence ? 4'd9 : 4'd0));
      told_to_a_getter_that_exists :
      assert (tell_o == (remote_get && !error_i && descriptor_i.header.src_x <= straps_i.last_x &&
                         descriptor_i.header.src_y <= straps_i.last_y &&
                         descriptor_i.header.src_z <= straps_i.last_z));
    end else nothing_then : assert ({status_o, kind_o, tell_o} == '0);
  end
