// SPDX-License-Identifier: Apache-2.0
// mu_descriptor_check: may this descriptor run? The one place that judges what software or the network wrote.
//
//   descriptor, its queue's mode and owner ---> [ tests in fixed order ] ---> status_o, kind_o, tell_o
//   machine size, counter lookups, region check --^
//
// Behaviour: status_o is OK or the first that applies of: MEMORY_ERROR (its fetch failed), UNKNOWN_OPCODE,
//   RESERVED_BITS, LENGTH_ZERO, LENGTH_TOO_LONG, OPCODE_FORBIDDEN (its queue may not run it), QUEUE_INVALID
//   (a SEND, or a PIPE that sends, without a peer, a PIPE to any), RETRY_EXCEEDED (behind a SEND that had
//   it), TARGET_FORBIDDEN, UNREACHABLE, REGION_BOUNDS (target offset + length past 2^37), the status of the
//   source's region, COUNTER_INVALID, NO_REFLECTOR (a preferred direction above 7). Reserved are also: in the
//   header image client, source, kind, reply, on_behalf and bytes, unless the MU stamped them; a reflection
//   number that the MU did not stamp; injection_counter, done_event and interrupt_done in queues that the MU
//   owns; injection_counter without a transfer or with a SEND; reflect without GET; on_queue without WAIT;
//   relative without WAIT, SEND_EN or RECV_EN; of a SEND or PIPE all of the header image but word, and of a
//   SEND in a dynamically connected queue its target; what a RECEIVE, a PIPE that only receives, or a FENCE
//   does not use; operands, targets, reduction and element without CALC; bits that wait_operation or
//   pipe_operation does not use: messages of a PIPE with origin or target, its receive queue with origin.
//   LENGTH_ZERO is not an immediate PUT with an event_counter, but also any other PIPE of no messages, or one
//   of no bytes a buffer, LENGTH_TOO_LONG one whose buffer does not fit, or a FENCE of any length. Of a PIPE
//   with listed bytes a buffer, origin and target are reserved, and LENGTH_TOO_LONG is a list of more than 16
//   entries or not of whole ones. CTR_ADD and CTR_SET name exactly one counter, a WAIT an event counter or a
//   queue; CTR_SET of an event counter that is waited for is COUNTER_WAITED. What is particular to CALC is
//   judged by its engine, entries of a list of a PIPE when it starts. kind_o is what was asked for. tell_o: a
//   failure is told to the getter, whose node is known and exists.
// Latency: combinational.
// Limits: lookup 2 answers for injection_counter, or for the counter of CTR_ADD and CTR_SET; lookup 3 for
//   done_event, or for the event counter of the peer register. enable_i low: all outputs zero.
`default_nettype none

module mu_descriptor_check (
    input  logic                enable_i,
    input  mu_pkg::descriptor_t descriptor_i,
    input  logic                error_i,
    input  logic [         2:0] mode_i,
    input  logic [         3:0] owner_i,
    // machine
    input  mu_pkg::node_straps_t straps_i,
    // counters
    input  logic                lookup_2_enable_i,
    input  logic [         3:0] lookup_2_owner_i,
    input  logic                lookup_2_waited_i,
    input  logic                lookup_3_enable_i,
    input  logic [         3:0] lookup_3_owner_i,
    // queue pair
    input  logic                peer_connected_i,
    input  logic                peer_dynamic_i,
    input  logic                peer_event_valid_i,
    input  logic                send_broken_i,
    // region check of the source
    input  mu_pkg::status_e     region_status_i,
    // judgement
    output mu_pkg::status_e     status_o,
    output mu_pkg::kind_e        kind_o,
    output logic                tell_o
);
  logic [ 7:0] opcode;
  logic        from_network;
  logic        moves;
  logic        counts;
  logic        waits;
  logic        enables;
  logic        calculates;
  logic        sends;
  logic        receives;
  logic        pipes;
  logic        pipes_whole;  // from or into a buffer of the descriptor's length
  logic        pipe_sends, stores;
  logic        pipe_listed;  // its buffers are in a list
  logic        fences;
  logic        increments;  // and carries nothing else
  logic        reserved;
  logic        stamped;
  logic        forbidden;
  logic        target_exists;
  logic        getter_exists;
  logic        to_getter;
  logic        counters_bad;
  logic [37:0] target_end;
  logic [36:0] longest;

  mu_pkg::wait_operation_t wait_operation;
  mu_pkg::pipe_operation_t pipe_operation;
  assign wait_operation = descriptor_i.immediate;
  assign pipe_operation = descriptor_i.immediate;

  always_comb begin
    status_o      = mu_pkg::STATUS_OK;
    kind_o        = mu_pkg::KIND_NONE;
    tell_o        = 1'b0;
    opcode        = descriptor_i.opcode;
    from_network  = 1'b0;
    moves         = 1'b0;
    counts        = 1'b0;
    waits         = 1'b0;
    enables       = 1'b0;
    calculates    = 1'b0;
    sends         = 1'b0;
    receives      = 1'b0;
    pipes         = 1'b0;
    pipes_whole   = 1'b0;
    pipe_sends    = 1'b0;
    pipe_listed   = 1'b0;
    stores        = 1'b0;
    fences        = 1'b0;
    increments    = 1'b0;
    reserved      = 1'b0;
    stamped       = 1'b0;
    forbidden     = 1'b0;
    target_exists = 1'b0;
    getter_exists = 1'b0;
    to_getter     = 1'b0;
    counters_bad  = 1'b0;
    target_end    = '0;
    longest       = '0;
    if (enable_i) begin
      from_network = mode_i == mu_pkg::QUEUE_MODE_REMOTE_GET || mode_i == mu_pkg::QUEUE_MODE_REFLECTION;
      sends = opcode == mu_pkg::OPCODE_SEND;
      receives = opcode == mu_pkg::OPCODE_RECEIVE;
      pipes = opcode == mu_pkg::OPCODE_PIPE;
      pipes_whole = pipes && (pipe_operation.origin || pipe_operation.target);
      pipe_sends = pipes && !pipe_operation.target;
      pipe_listed = pipes && pipe_operation.listed;
      stores = receives || (pipes && pipe_operation.target);
      fences = opcode == mu_pkg::OPCODE_FENCE;
      increments = opcode == mu_pkg::OPCODE_PUT && descriptor_i.immediate_valid &&
          descriptor_i.event_valid && !from_network;
      moves = opcode == mu_pkg::OPCODE_PUT || opcode == mu_pkg::OPCODE_FIFO ||
          opcode == mu_pkg::OPCODE_GET || sends || fences;
      counts = opcode == mu_pkg::OPCODE_CTR_ADD || opcode == mu_pkg::OPCODE_CTR_SET;
      waits = opcode == mu_pkg::OPCODE_WAIT;
      enables = opcode == mu_pkg::OPCODE_SEND_EN || opcode == mu_pkg::OPCODE_RECV_EN;
      calculates = opcode == mu_pkg::OPCODE_CALC;
      stamped = {descriptor_i.header.client, descriptor_i.header.src_x, descriptor_i.header.src_y,
                 descriptor_i.header.src_z} != '0;
      reserved = {descriptor_i.reserved_113, descriptor_i.reserved_165,
                  descriptor_i.reserved_184, descriptor_i.reserved_224,
                  descriptor_i.header.reserved_121, descriptor_i.header.bytes, descriptor_i.header.reply,
                  descriptor_i.header.on_behalf} != '0 || descriptor_i.header.kind != mu_pkg::KIND_NONE ||
          (stamped && !from_network) ||
          (descriptor_i.reflection_number != '0 && mode_i != mu_pkg::QUEUE_MODE_REFLECTION) ||
          (from_network && (descriptor_i.injection_counter_valid || descriptor_i.done_event_valid ||
                            descriptor_i.interrupt_done)) ||
          (descriptor_i.injection_counter_valid && (!moves || sends || fences)) ||
          (descriptor_i.reflect && opcode != mu_pkg::OPCODE_GET) || (descriptor_i.on_queue && !waits) ||
          (descriptor_i.relative && !waits && !enables) ||
          (!calculates && {descriptor_i.operands, descriptor_i.targets, descriptor_i.reduction,
                           descriptor_i.element} != '0) ||
          ((waits || enables) && (wait_operation.reserved_64 != '0 || wait_operation.reserved_96 != '0)) ||
          (enables && wait_operation.step != '0) ||
          (from_network && descriptor_i.signal) ||
          (pipes && (descriptor_i.immediate_valid || pipe_operation.reserved_75 != '0 ||
                     pipe_operation.reserved_96 != '0)) || (pipes_whole && pipe_operation.messages != '0) ||
          (pipe_listed && (pipes_whole || pipe_operation.buffer_bytes != '0)) ||
          (pipes && pipe_operation.origin && (pipe_operation.target || pipe_operation.receive_queue != '0)) ||
          (((sends && !peer_dynamic_i) || pipes) &&
           {descriptor_i.header.dst_x, descriptor_i.header.dst_y, descriptor_i.header.dst_z,
            descriptor_i.header.target} != '0) ||
          ((sends || pipes) && descriptor_i.header.offset != '0) ||
          ((stores || fences) && (descriptor_i.immediate_valid || descriptor_i.counter_valid ||
                        descriptor_i.event_valid || descriptor_i.interrupt_target));
      forbidden = (mode_i == mu_pkg::QUEUE_MODE_RECEIVE) != receives ||
          (from_network && opcode != mu_pkg::OPCODE_NOP &&
          ((opcode != mu_pkg::OPCODE_PUT && opcode != mu_pkg::OPCODE_FIFO) ||
           (mode_i == mu_pkg::QUEUE_MODE_REFLECTION && !descriptor_i.immediate_valid)));
      longest = descriptor_i.immediate_valid ? 37'd16 : descriptor_i.reflect ? 37'd64 :
          opcode == mu_pkg::OPCODE_GET ? 37'(mu_pkg::PAYLOAD_BYTES) : sends ? 37'hFFFF_FFFF :
          fences ? '0 : '1;
      target_exists = descriptor_i.header.dst_x <= straps_i.last_x &&
          descriptor_i.header.dst_y <= straps_i.last_y && descriptor_i.header.dst_z <= straps_i.last_z;
      getter_exists = descriptor_i.header.src_x <= straps_i.last_x &&
          descriptor_i.header.src_y <= straps_i.last_y && descriptor_i.header.src_z <= straps_i.last_z;
      to_getter = descriptor_i.header.dst_x == descriptor_i.header.src_x &&
          descriptor_i.header.dst_y == descriptor_i.header.src_y &&
          descriptor_i.header.dst_z == descriptor_i.header.src_z;
      counters_bad = ((counts || (waits && !descriptor_i.on_queue) || descriptor_i.injection_counter_valid) &&
                      !(lookup_2_enable_i && lookup_2_owner_i == owner_i)) ||
          (counts && descriptor_i.counter_valid == descriptor_i.event_valid) ||
          (waits && (descriptor_i.counter_valid || descriptor_i.event_valid == descriptor_i.on_queue)) ||
          ((descriptor_i.done_event_valid || ((sends || receives || pipes) && peer_event_valid_i)) &&
           !(lookup_3_enable_i && lookup_3_owner_i == owner_i));
      target_end = 38'(descriptor_i.header.offset) + 38'(descriptor_i.length);

      if (error_i) status_o = mu_pkg::STATUS_MEMORY_ERROR;
      else if (opcode > mu_pkg::OPCODE_FENCE) status_o = mu_pkg::STATUS_UNKNOWN_OPCODE;
      else if (reserved) status_o = mu_pkg::STATUS_RESERVED_BITS;
      else if (((moves || receives || pipes) && descriptor_i.length == '0 && !increments && !fences) ||
               (pipes && pipe_operation.messages == '0 && !pipes_whole) ||
               (pipes && !pipe_listed && pipe_operation.buffer_bytes == '0))
        status_o = mu_pkg::STATUS_LENGTH_ZERO;
      else if ((moves && (descriptor_i.length > longest ||
                          (opcode == mu_pkg::OPCODE_GET && descriptor_i.length[5:0] != '0))) ||
               (pipe_listed && (descriptor_i.length > 37'd256 || descriptor_i.length[3:0] != '0)) ||
               (pipes && 37'(pipe_operation.buffer_bytes) > descriptor_i.length))
        status_o = mu_pkg::STATUS_LENGTH_TOO_LONG;
      else if (forbidden) status_o = mu_pkg::STATUS_OPCODE_FORBIDDEN;
      else if (((sends || pipe_sends) && !peer_connected_i) || (pipes && peer_dynamic_i))
        status_o = mu_pkg::STATUS_QUEUE_INVALID;
      else if ((sends || pipe_sends) && send_broken_i) status_o = mu_pkg::STATUS_RETRY_EXCEEDED;
      else if (moves && from_network && !to_getter) status_o = mu_pkg::STATUS_TARGET_FORBIDDEN;
      else if (moves && !descriptor_i.reflect && !target_exists) status_o = mu_pkg::STATUS_UNREACHABLE;
      else if (moves && target_end > 38'h20_0000_0000) status_o = mu_pkg::STATUS_REGION_BOUNDS;
      else if (((moves && !fences) || receives || pipes) && !descriptor_i.immediate_valid &&
               region_status_i != mu_pkg::STATUS_OK)
        status_o = region_status_i;
      else if (counters_bad) status_o = mu_pkg::STATUS_COUNTER_INVALID;
      else if (opcode == mu_pkg::OPCODE_CTR_SET && descriptor_i.event_valid && lookup_2_waited_i)
        status_o = mu_pkg::STATUS_COUNTER_WAITED;
      else if (descriptor_i.reflect && descriptor_i.header.target > 8'd7)
        status_o = mu_pkg::STATUS_NO_REFLECTOR;

      unique case (opcode)
        mu_pkg::OPCODE_PUT:  kind_o = mu_pkg::KIND_PUT;
        mu_pkg::OPCODE_FIFO: kind_o = mu_pkg::KIND_FIFO;
        mu_pkg::OPCODE_GET:  kind_o = mu_pkg::KIND_GET;
        mu_pkg::OPCODE_SEND: kind_o = mu_pkg::KIND_SEND;
        mu_pkg::OPCODE_FENCE: kind_o = mu_pkg::KIND_FENCE;
        default:             kind_o = mu_pkg::KIND_NONE;
      endcase
      tell_o = mode_i == mu_pkg::QUEUE_MODE_REMOTE_GET && !error_i && getter_exists;
    end
  end

  // Read by others, or meaningful to the target alone.
  logic unused;
  assign unused = ^{straps_i, descriptor_i.immediate, descriptor_i.sequence_number,
                    descriptor_i.source_region, descriptor_i.source_offset, descriptor_i.counter,
                    descriptor_i.event_counter, descriptor_i.done_event, descriptor_i.injection_counter,
                    descriptor_i.interrupt_target, wait_operation.value, pipe_operation.receive_queue,
                    descriptor_i.header.word};

`ifdef PROVE_MU_DESCRIPTOR_CHECK
  // What is proved of mu_descriptor_check: OK exactly for what the rules allow, and otherwise the first
  // status that applies. The rules are written here by opcode: which fields it uses, how long it may be,
  // where it may stand.
  logic [7:0] opcode_here;
  mu_pkg::descriptor_t uses;               // ones in the fields that this opcode, here, may set
  logic put, fifo, get, adds, sets, wait_for, send, receive, pipe, fence, enable;
  logic origin, target, whole, listed;  // of a PIPE
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
  assign origin     = pipe && descriptor_i.immediate[72];
  assign target     = pipe && descriptor_i.immediate[73];
  assign whole      = origin || target;
  assign listed     = pipe && descriptor_i.immediate[74];
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
    {uses.reserved_113, uses.reserved_165, uses.reserved_184, uses.reserved_224} = '0;
    uses.reflection_number = {16{reflection}};
    {uses.header.reserved_121, uses.header.bytes, uses.header.on_behalf, uses.header.reply} = '0;
    uses.header.kind = mu_pkg::KIND_NONE;
    {uses.header.client, uses.header.src_x, uses.header.src_y, uses.header.src_z} = {16{network}};
    {uses.done_event_valid, uses.interrupt_done, uses.signal} = {3{!network}};
    uses.injection_counter_valid = (put || fifo || get) && !network;
    uses.reflect                 = get;
    uses.on_queue                = wait_for;
    uses.relative                = wait_for || enable;
    {uses.operands, uses.targets, uses.reduction, uses.element} = {17{opcode_here == 8'd8}};
    if (pipe || (send && !peer_dynamic_i))
      {uses.header.dst_x, uses.header.dst_y, uses.header.dst_z, uses.header.target} = '0;
    if (pipe || send) uses.header.offset = '0;
    if (wait_for) uses.immediate = {64'd0, 64'hFFFF_FFFF_FFFF_FFFF};
    if (enable) uses.immediate = {96'd0, 32'hFFFF_FFFF};
    if (pipe) uses.immediate = {53'd0, 75'h7FF_FFFF_FFFF_FFFF_FFFF};
    if (whole) {uses.immediate[74], uses.immediate[31:0]} = '0;
    if (listed) uses.immediate[63:32] = '0;
    if (origin) {uses.immediate[73], uses.immediate[71:64]} = '0;
    if (pipe || receive || fence) uses.immediate_valid = 1'b0;
    if (receive || fence || target) {uses.counter_valid, uses.event_valid, uses.interrupt_target} = 3'd0;

    most = 64'h1F_FFFF_FFFF;
    if (get) most = descriptor_i.reflect ? 64'd64 : 64'd512;
    if (send) most = 64'hFFFF_FFFF;
    if (descriptor_i.immediate_valid) most = 64'd16;
    length_zero = descriptor_i.length == '0 && (sends_bytes || receive || pipe);
    if (put && descriptor_i.immediate_valid && descriptor_i.event_valid && !network) length_zero = 1'b0;
    if (pipe && ((descriptor_i.immediate[31:0] == '0 && !whole) ||
        (descriptor_i.immediate[63:32] == '0 && !listed))) length_zero = 1'b1;
    too_long = sends_bytes && 64'(descriptor_i.length) > most;
    if (get && descriptor_i.length[5:0] != '0) too_long = 1'b1;
    if (fence) too_long = descriptor_i.length != '0;
    if (pipe) too_long = 64'(descriptor_i.immediate[63:32]) > 64'(descriptor_i.length);
    if (listed) too_long = descriptor_i.length > 37'd256 || descriptor_i.length[3:0] != '0;

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
    breaks[3]  = ((send || (pipe && !target)) && !peer_connected_i) || (pipe && peer_dynamic_i);
    breaks[4]  = (send || (pipe && !target)) && send_broken_i;
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
`endif
endmodule
`default_nettype wire
